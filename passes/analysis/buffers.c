#include "passes/analysis/buffers_own.h"
#include "passes/analysis/flow.h"
#include "passes/analysis/print.h"

/* ---- what instructions touch ---- */

static void kill(const BufferPlaces *p, const Ins *i, const Opd *o, uint64_t bytes, BitSet kills)
{
	int k = places_begins(p, o);
	if (k >= 0 && i->guard < 0 && bytes && bytes >= p->b->buffer[k].size && p->b->buffer[k].size)
		bs_add(kills, k);
}

/* Threads of a launch in x, of one block, or across all blocks of the grid; 0: their number is not known, or
   another extent is not 1, or they are so many that an index of 32 bits into elements of `bytes` bytes might
   wrap. */
static uint64_t threads(const Ins *i, bool across, int bytes)
{
	uint64_t n = buffers_constant(ins_src(i, 4));
	for (int k = 2; k < 7; k++)
		if (k != 4 && buffers_constant(ins_src(i, k)) != 1)
			return 0;
	n *= across ? buffers_constant(ins_src(i, 1)) : 1;
	return n < (uint64_t)INT32_MAX / (uint64_t)bytes ? n : 0;
}

static void use_launch(BufferPlaces *p, const Ins *i, BufferUse *u)
{
	int id = ins_src(i, 0)->id;
	if (!p->touched[id])
		p->touched[id] = touched_of(p->arena, p->effects, p->m->func.v[id]);
	const Touched *t = p->touched[id];
	for (int k = 0; k < t->kernel->param.n; k++) {
		const Opd *o = ins_src(i, LAUNCH_ARGS + k);
		if (bs_has(t->reads, k))
			places_lead(p, o, u->reads);
		if (bs_has(t->writes, k))
			places_lead(p, o, u->writes);
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

static void use_lua(BufferPlaces *p, const Ins *i, BufferUse *u)
{
	const Function *f = p->m->func.v[ins_src(i, 0)->id];
	for (int k = 0; k < f->touch.n; k++) {
		const Opd *o = ins_src(i, 1 + f->touch.v[k].arg);
		if (f->touch.v[k].reads)
			places_lead(p, o, u->reads);
		if (f->touch.v[k].writes)
			places_lead(p, o, u->writes);
	}
}

/* Writes to *u which buffers the instruction reads, writes and writes as a whole; p->now is what registers
   hold before it. Returns false when the instruction does not touch memory. */
static bool use(BufferPlaces *p, int block, int ins, const Ins *i, BufferUse *u)
{
	*u = (BufferUse){ block, ins, bs_new(p->arena, p->b->n), bs_new(p->arena, p->b->n),
		bs_new(p->arena, p->b->n) };
	switch (i->op) {
	case OP_ALLOC: {
		int k = places_buffer(p, block, ins, -1);
		if (p->b->buffer[k].one && i->guard < 0)
			bs_add(u->kills, k);
		return true;
	}
	case OP_LD: places_lead(p, ins_src(i, 0), u->reads); return true;
	case OP_ST:
		places_lead(p, ins_src(i, 0), u->writes);
		kill(p, i, ins_src(i, 0), (uint64_t)type_bytes(i->type) * (i->vec ? i->vec : 1), u->kills);
		return true;
	case OP_FILL:
		places_lead(p, ins_src(i, 0), u->writes);
		kill(p, i, ins_src(i, 0), buffers_constant(ins_src(i, 2)) * (uint64_t)type_bytes(i->type),
			u->kills);
		return true;
	case OP_COPY:
		places_lead(p, ins_src(i, 0), u->writes);
		places_lead(p, ins_src(i, 1), u->reads);
		kill(p, i, ins_src(i, 0), buffers_constant(ins_src(i, 2)), u->kills);
		return true;
	case OP_FREE: {
		int k = places_begins(p, ins_src(i, 0));
		places_lead(p, ins_src(i, 0), u->writes);
		if (k >= 0 && i->guard < 0)
			bs_add(u->kills, k);
		return true;
	}
	case OP_LAUNCH: use_launch(p, i, u); return true;
	case OP_CALL: use_lua(p, i, u); return true;
	default: return false;
	}
}

static void find_uses(BufferPlaces *p)
{
	Vec(BufferUse) list = { 0 };
	Buffers *b = p->b;
	for (int k = 0; k < p->c->nreach; k++) {
		const Block *block = p->c->rpo[k];
		b->first[block->id] = list.n;
		places_enter(p, block->id);
		for (int i = 0; i < block->ins.n; i++) {
			BufferUse u;
			if (op_info[block->ins.v[i].op].kind != K_ALU &&
				use(p, block->id, i, &block->ins.v[i], &u))
				vec_push(&list, u);
			places_walk(p, block->id, i, &block->ins.v[i]);
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

/* Does the block end by aborting? The program fails there, and nobody looks at its memory. */
static bool aborts(const Block *b) { return op_info[vec_last(&b->ins).op].flags & OPF_FATAL; }

/* Returns by block the buffers that may exist at its end, which are allocated and not yet freed; *begin: the
   same at its start. */
static BitSet *solve_life(const BufferPlaces *p, Arena *tmp, const int *order, BitSet **begin)
{
	const Cfg *c = p->c;
	const Buffers *b = p->b;
	Flow w = { .g = c->graph, .order = order, .norder = c->nreach, .bits = b->n,
		.gen = flow_sets(tmp, c->n, b->n), .kill = flow_sets(tmp, c->n, b->n),
		.boundary = bs_new(tmp, b->n) };
	for (int k = 0; k < b->n; k++)
		if (b->buffer[k].symbol >= 0)
			bs_add(w.boundary, k);
	for (int i = 0; i < b->nuse; i++) {
		const BufferUse *u = &b->use[i];
		Op op = (Op)c->f->block.v[u->block]->ins.v[u->ins].op;
		if (op == OP_ALLOC)
			bs_add(w.gen[u->block], places_buffer(p, u->block, u->ins, -1));
		bs_each(u->kills, k)
			if (op == OP_FREE) {
				bs_del(w.gen[u->block], k);
				bs_add(w.kill[u->block], k);
			}
	}
	flow_solve(tmp, &w);
	*begin = w.before;
	return w.after;
}

static void keep_common(BitSet set, BitSet of)
{
	for (int k = 0; k < set.n; k++)
		set.w[k] &= of.w[k];
}

static void solve_liveness(BufferPlaces *p, Arena *tmp)
{
	const Cfg *c = p->c;
	Buffers *b = p->b;
	int *order = arena_array(tmp, int, c->nreach + 1);
	Flow w = { .g = c->graph, .order = order, .norder = c->nreach, .bits = b->n, .backward = true,
		.gen = flow_sets(tmp, c->n, b->n),
		.kill = flow_sets(tmp, c->n, b->n), .boundary = bs_new(tmp, b->n) };
	for (int k = 0; k < b->n; k++)
		bs_add(w.boundary, k);
	for (int k = 0; k < c->nreach; k++) {
		int id = order[k] = c->rpo[k]->id;
		for (int i = b->first[id] + b->count[id]; i-- > b->first[id];) {
			const BufferUse *u = &b->use[i];
			buffers_step(u, w.gen[id]);
			bs_union(w.kill[id], u->kills);
		}
		if (aborts(c->rpo[k]))
			bs_copy(w.kill[id], w.boundary);
	}
	flow_solve(p->arena, &w);
	b->out = w.before;
	b->in = w.after;
	BitSet *begin, *end = solve_life(p, tmp, order, &begin);
	for (int k = 0; k < c->nreach; k++) {
		int id = order[k];
		keep_common(b->in[id], begin[id]);
		keep_common(b->out[id], end[id]);
		if (aborts(c->rpo[k]))
			bs_clear(b->out[id]);
	}
}

Buffers *buffers_build(Arena *a, const Cfg *c, const Loops *l, const EffectTable *effects)
{
	Arena tmp = { 0 };
	const Function *f = c->f;
	Buffers *b = arena_new(a, Buffers);
	BufferPlaces p = { .c = c, .m = effects->m, .b = b, .effects = effects, .arena = a };
	*b = (Buffers){ .first = arena_array(a, int, c->n + 1), .count = arena_array(a, int, c->n + 1) };
	if (f->kind != FN_HOST) {
		b->in = flow_sets(a, c->n, 0);
		b->out = flow_sets(a, c->n, 0);
		return b;
	}
	places_open(&p, &tmp, l);
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
