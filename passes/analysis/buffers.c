#include "passes/analysis/buffers.h"
#include "passes/analysis/flow.h"
#include "passes/analysis/print.h"

/* What a register may hold: addresses in the buffers of a set, with the bit MOVED if they may be other than the buffer's begin, and ANY if they may be in any. */
typedef struct Places {
	const Cfg *c;
	const Module *m;
	Buffers *b;
	int moved, any, bits;
	BitSet **in;               /* [block][register], where the block begins */
	BitSet *now;               /* by register, while a block is walked through */
	BitSet value;
	Touched **touched;         /* by function */
	const EffectTable *effects;
	Arena *arena;
} Places;

/* ---- buffers ---- */

static bool is_memory(const Symbol *s) { return s->owner < 0 && (s->space == SP_GLOBAL || s->space == SP_CONST); }

static uint64_t constant(const Opd *o) { return o->kind == OPD_IMM ? (uint64_t)o->imm : 0; }

/* The alloc's register; where another alloc has it, too, with the line. */
static const char *name_of(Places *p, const Ins *i, int k)
{
	const Function *f = p->c->f;
	const Opd *d = ins_dst(i, 0);
	if (d->kind != OPD_REG)
		return arena_printf(p->arena, "alloc:%d", i->line);
	for (int other = 0; other < k; other++)
		if (p->b->buffer[other].block >= 0 && !strcmp(p->b->buffer[other].name, f->reg.v[d->id].name))
			return arena_printf(p->arena, "%s:%d", f->reg.v[d->id].name, i->line);
	return f->reg.v[d->id].name;
}

static void find_buffers(Places *p, const Loops *l)
{
	const Function *f = p->c->f;
	int most = p->m->symbol.n;
	for (int b = 0; b < f->block.n; b++)
		most += f->block.v[b]->ins.n;
	p->b->buffer = arena_array(p->arena, Buffer, most + 1);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op != OP_ALLOC || !bs_has(p->c->reach, b))
				continue;
			p->b->buffer[p->b->n] = (Buffer){ b, k, -1, constant(ins_src(i, 0)), l->of[b] < 0, name_of(p, i, p->b->n) };
			p->b->n++;
		}
	for (int k = 0; k < p->m->symbol.n; k++)
		if (is_memory(p->m->symbol.v[k]))
			p->b->buffer[p->b->n++] = (Buffer){ -1, -1, k, p->m->symbol.v[k]->size, true, p->m->symbol.v[k]->name };
}

static int buffer_of(const Places *p, int block, int ins, int symbol)
{
	for (int k = 0; k < p->b->n; k++)
		if (symbol >= 0 ? p->b->buffer[k].symbol == symbol : p->b->buffer[k].block == block && p->b->buffer[k].ins == ins)
			return k;
	return -1;
}

/* ---- what registers hold ---- */

static void add_operand(const Places *p, const Opd *o, BitSet to)
{
	if (o->kind == OPD_REG && p->c->f->reg.v[o->id].type != T_PRED && type_bits[p->c->f->reg.v[o->id].type] == 64)
		bs_union(to, p->now[o->id]);
	int symbol = o->kind == OPD_SYM ? buffer_of(p, -1, -1, o->id) : -1;
	if (symbol >= 0)
		bs_add(to, symbol);
	if ((o->kind == OPD_REG || o->kind == OPD_SYM) && o->imm)
		bs_add(to, p->moved);
}

/* p->value: what the instruction computes. */
static void compute(Places *p, int block, int ins, const Ins *i)
{
	bs_clear(p->value);
	switch (i->op) {
	case OP_ALLOC: bs_add(p->value, buffer_of(p, block, ins, -1)); return;
	case OP_LD: case OP_CALL: case OP_PACK:
		bs_add(p->value, p->any);
		bs_add(p->value, p->moved);
		return;
	default: break;
	}
	for (int k = 0; k < i->nsrc; k++)
		add_operand(p, ins_src(i, k), p->value);
	if (i->op != OP_MOV && i->op != OP_SELP)
		bs_add(p->value, p->moved);
}

static void walk(Places *p, int block, int ins, const Ins *i)
{
	for (int k = 0; k < i->ndst; k++) {
		const Opd *d = ins_dst(i, k);
		if (d->kind != OPD_REG || type_bits[p->c->f->reg.v[d->id].type] != 64)
			continue;
		compute(p, block, ins, i);
		if (i->guard >= 0)
			bs_union(p->now[d->id], p->value);
		else
			bs_copy(p->now[d->id], p->value);
	}
}

static void enter(Places *p, int block)
{
	for (int r = 0; r < p->c->f->reg.n; r++)
		bs_copy(p->now[r], p->in[block][r]);
}

static bool leave(Places *p, const Block *b)
{
	bool changed = false;
	for (int k = 0; k < b->nsucc; k++)
		for (int r = 0; r < p->c->f->reg.n; r++)
			changed |= bs_union(p->in[b->succ[k]->id][r], p->now[r]);
	return changed;
}

static void solve_places(Places *p)
{
	const Cfg *c = p->c;
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = 0; k < c->nreach; k++) {
			const Block *b = c->rpo[k];
			enter(p, b->id);
			for (int i = 0; i < b->ins.n; i++)
				walk(p, b->id, i, &b->ins.v[i]);
			changed |= leave(p, b);
		}
	}
}

/* ---- what instructions touch ---- */

/* The buffers that the operand may lead to join the set; all where it may lead anywhere. */
static void lead(const Places *p, const Opd *o, BitSet set)
{
	bs_clear(p->value);
	add_operand(p, o, p->value);
	if (bs_next(p->value, 0) < 0 || bs_next(p->value, 0) == p->moved) /* made of numbers alone */
		bs_add(p->value, p->any);
	for (int k = 0; k < p->b->n; k++)
		if (bs_has(p->value, k) || bs_has(p->value, p->any))
			bs_add(set, k);
}

/* The one buffer at whose begin the operand certainly points; -1. */
static int begins(const Places *p, const Opd *o)
{
	bs_clear(p->value);
	add_operand(p, o, p->value);
	int k = bs_next(p->value, 0);
	return k >= 0 && k < p->b->n && bs_next(p->value, k + 1) < 0 && p->b->buffer[k].one ? k : -1;
}

static void kill(const Places *p, const Ins *i, const Opd *o, uint64_t bytes, BitSet kills)
{
	int k = begins(p, o);
	if (k >= 0 && i->guard < 0 && bytes && bytes >= p->b->buffer[k].size && p->b->buffer[k].size)
		bs_add(kills, k);
}

/* Threads in x where all else is 1; 0: not known, or so many that an index of 32 bits might wrap. */
static uint64_t threads(const Ins *i, bool across, int bytes)
{
	uint64_t n = constant(ins_src(i, 4));
	for (int k = 2; k < 7; k++)
		if (k != 4 && constant(ins_src(i, k)) != 1)
			return 0;
	n *= across ? constant(ins_src(i, 1)) : 1;
	return n < (uint64_t)INT32_MAX / (uint64_t)bytes ? n : 0;
}

static void use_launch(Places *p, const Ins *i, BufferUse *u)
{
	int id = ins_src(i, 0)->id;
	if (!p->touched[id])
		p->touched[id] = touched_of(p->arena, p->effects, p->m->func.v[id]);
	const Touched *t = p->touched[id];
	for (int k = 0; k < t->kernel->param.n; k++) {
		const Opd *o = ins_src(i, LAUNCH_ARGS + k);
		if (bs_has(t->reads, k))
			lead(p, o, u->reads);
		if (bs_has(t->writes, k))
			lead(p, o, u->writes);
		TouchedWhole w = t->whole[k];
		if (w.bytes)
			kill(p, i, o, threads(i, w.across, w.bytes) * (uint64_t)w.bytes, u->kills);
	}
	for (int k = 0; k < p->b->n; k++) {
		int s = p->b->buffer[k].symbol;
		if (t->reads_any || (s >= 0 && bs_has(t->symbol_reads, s)))
			bs_add(u->reads, k);
		if (t->writes_any || (s >= 0 && bs_has(t->symbol_writes, s)))
			bs_add(u->writes, k);
	}
}

static void use_lua(Places *p, const Ins *i, BufferUse *u)
{
	const Function *f = p->m->func.v[ins_src(i, 0)->id];
	for (int k = 0; k < f->touch.n; k++) {
		const Opd *o = ins_src(i, 1 + f->touch.v[k].arg);
		if (f->touch.v[k].reads)
			lead(p, o, u->reads);
		if (f->touch.v[k].writes)
			lead(p, o, u->writes);
	}
}

/* False: the instruction does not touch memory. p->now is what registers hold before it. */
static bool use(Places *p, int block, int ins, const Ins *i, BufferUse *u)
{
	*u = (BufferUse){ block, ins, bs_new(p->arena, p->b->n), bs_new(p->arena, p->b->n), bs_new(p->arena, p->b->n) };
	switch (i->op) {
	case OP_ALLOC: {
		int k = buffer_of(p, block, ins, -1);
		if (p->b->buffer[k].one && i->guard < 0)
			bs_add(u->kills, k);
		return true;
	}
	case OP_LD: lead(p, ins_src(i, 0), u->reads); return true;
	case OP_ST:
		lead(p, ins_src(i, 0), u->writes);
		kill(p, i, ins_src(i, 0), (uint64_t)type_bytes(i->type) * (i->vec ? i->vec : 1), u->kills);
		return true;
	case OP_FILL:
		lead(p, ins_src(i, 0), u->writes);
		kill(p, i, ins_src(i, 0), constant(ins_src(i, 2)) * (uint64_t)type_bytes(i->type), u->kills);
		return true;
	case OP_COPY:
		lead(p, ins_src(i, 0), u->writes);
		lead(p, ins_src(i, 1), u->reads);
		kill(p, i, ins_src(i, 0), constant(ins_src(i, 2)), u->kills);
		return true;
	case OP_LAUNCH: use_launch(p, i, u); return true;
	case OP_CALL: use_lua(p, i, u); return true;
	default: return false;
	}
}

static void find_uses(Places *p)
{
	Vec(BufferUse) list = { 0 };
	Buffers *b = p->b;
	for (int k = 0; k < p->c->nreach; k++) {
		const Block *block = p->c->rpo[k];
		b->first[block->id] = list.n;
		enter(p, block->id);
		for (int i = 0; i < block->ins.n; i++) {
			BufferUse u;
			if (op_info[block->ins.v[i].op].kind != K_ALU && use(p, block->id, i, &block->ins.v[i], &u))
				vec_push(&list, u);
			walk(p, block->id, i, &block->ins.v[i]);
		}
		b->count[block->id] = list.n - b->first[block->id];
	}
	b->use = arena_array(p->arena, BufferUse, list.n + 1);
	b->nuse = list.n;
	if (list.n)
		memcpy(b->use, list.v, sizeof *b->use * (size_t)list.n);
	vec_free(&list);
}

/* ---- liveness ---- */

void buffers_step(const BufferUse *u, BitSet live)
{
	bs_each(u->kills, k)
		bs_del(live, k);
	bs_union(live, u->reads);
}

static void solve_liveness(Places *p, Arena *tmp)
{
	const Cfg *c = p->c;
	Buffers *b = p->b;
	int *order = arena_array(tmp, int, c->nreach + 1);
	Flow w = { .g = c->graph, .order = order, .norder = c->nreach, .bits = b->n, .backward = true, .gen = flow_sets(tmp, c->n, b->n),
		.kill = flow_sets(tmp, c->n, b->n) };
	for (int k = 0; k < c->nreach; k++) {
		int id = order[k] = c->rpo[k]->id;
		for (int i = b->first[id] + b->count[id]; i-- > b->first[id];) {
			const BufferUse *u = &b->use[i];
			buffers_step(u, w.gen[id]);
			bs_union(w.kill[id], u->kills);
		}
	}
	flow_solve(p->arena, &w);
	b->out = w.before;
	b->in = w.after;
}

Buffers *buffers_build(Arena *a, const Cfg *c, const Loops *l, const EffectTable *effects)
{
	Arena tmp = { 0 };
	const Function *f = c->f;
	Buffers *b = arena_new(a, Buffers);
	Places p = { .c = c, .m = effects->m, .b = b, .effects = effects, .arena = a };
	*b = (Buffers){ .first = arena_array(a, int, c->n + 1), .count = arena_array(a, int, c->n + 1) };
	if (f->kind != FN_HOST) {
		b->in = flow_sets(a, c->n, 0);
		b->out = flow_sets(a, c->n, 0);
		return b;
	}
	find_buffers(&p, l);
	p.moved = b->n;
	p.any = b->n + 1;
	p.bits = b->n + 2;
	p.in = arena_array(&tmp, BitSet *, c->n + 1);
	for (int k = 0; k < c->n; k++)
		p.in[k] = flow_sets(&tmp, f->reg.n + 1, p.bits);
	p.now = flow_sets(&tmp, f->reg.n + 1, p.bits);
	p.value = bs_new(&tmp, p.bits);
	p.touched = arena_array(&tmp, Touched *, p.m->func.n + 1);
	solve_places(&p);
	find_uses(&p);
	solve_liveness(&p, &tmp);
	arena_free(&tmp);
	return b;
}

/* ---- text ---- */

static void print_set(const Buffers *b, BitSet set, StrBuf *s)
{
	bs_each(set, k)
		sb_printf(s, " %s", b->buffer[k].name);
}

void buffers_print(const Cfg *c, const Buffers *b, StrBuf *s)
{
	Arena tmp = { 0 };
	if (c->f->kind != FN_HOST)
		sb_puts(s, "  no host function\n");
	for (int k = 0; k < c->nreach && c->f->kind == FN_HOST; k++) {
		int id = c->rpo[k]->id;
		BitSet *after = flow_sets(&tmp, b->count[id] + 1, b->n);
		bs_copy(after[b->count[id]], b->out[id]);
		for (int i = b->count[id]; i-- > 0;) {
			bs_copy(after[i], after[i + 1]);
			buffers_step(&b->use[b->first[id] + i], after[i]);
		}
		sb_printf(s, "  %s: in", print_label(c, id));
		print_set(b, b->in[id], s);
		sb_puts(s, "; out");
		print_set(b, b->out[id], s);
		sb_putc(s, '\n');
		for (int i = 0; i < b->count[id]; i++) {
			const BufferUse *u = &b->use[b->first[id] + i];
			const Ins *ins = &c->f->block.v[id]->ins.v[u->ins];
			sb_printf(s, "    %d %s: reads", u->ins, op_info[ins->op].name);
			print_set(b, u->reads, s);
			sb_puts(s, "; writes");
			print_set(b, u->writes, s);
			sb_puts(s, "; whole");
			print_set(b, u->kills, s);
			sb_puts(s, "; then live");
			print_set(b, after[i + 1], s);
			sb_putc(s, '\n');
		}
	}
	arena_free(&tmp);
}
