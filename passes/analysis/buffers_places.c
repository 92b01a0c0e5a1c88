#include "lib/hash.h"
#include "passes/analysis/buffers_own.h"
#include "passes/analysis/flow.h"

/* ---- buffers ---- */

static bool is_buffer_symbol(const Symbol *s)
{
	return s->owner < 0 && (s->space == SP_GLOBAL || s->space == SP_CONST);
}

uint64_t buffers_constant(const Opd *o) { return o->kind == OPD_IMM ? (uint64_t)o->imm : 0; }

/* The name of an alloc's register; where an alloc before has the same register, with the line. */
static const char *alloc_name(BufferPlaces *p, const Ins *i, StrMap *names)
{
	const Function *f = p->c->f;
	const Opd *d = ins_dst(i, 0);
	if (d->kind != OPD_REG)
		return arena_printf(p->arena, "alloc:%d", i->line);
	const char *name = f->reg.v[d->id].name;
	if (strmap_get(names, name) >= 0)
		return arena_printf(p->arena, "%s:%d", name, i->line);
	strmap_put(names, name, 0);
	return name;
}

static void find_buffers(BufferPlaces *p, const Loops *l)
{
	const Function *f = p->c->f;
	int most = p->m->symbol.n;
	StrMap names = { 0 };
	for (int b = 0; b < f->block.n; b++)
		most += f->block.v[b]->ins.n;
	p->b->buffer = arena_array(p->arena, Buffer, most + 1);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op != OP_ALLOC || !bs_has(p->c->reach, b))
				continue;
			p->b->buffer[p->b->n] = (Buffer){ b, k, -1, buffers_constant(ins_src(i, 0)),
				l->of[b] < 0, alloc_name(p, i, &names) };
			p->b->n++;
		}
	for (int k = 0; k < p->m->symbol.n; k++)
		if (is_buffer_symbol(p->m->symbol.v[k]))
			p->b->buffer[p->b->n++] = (Buffer){ -1, -1, k, p->m->symbol.v[k]->size, true,
				p->m->symbol.v[k]->name };
	strmap_free(&names);
}

/* Does buffer x stand before this one in the order of buffers: allocs by their places, then variables by
   their numbers? */
static bool comes_before(const Buffer *x, int block, int ins, int symbol)
{
	if (symbol >= 0 || x->symbol >= 0)
		return x->symbol < symbol;
	return x->block != block ? x->block < block : x->ins < ins;
}

int places_buffer(const BufferPlaces *p, int block, int ins, int symbol)
{
	int low = 0, high = p->b->n;
	while (low < high) {
		int mid = (low + high) / 2;
		if (comes_before(&p->b->buffer[mid], block, ins, symbol))
			low = mid + 1;
		else
			high = mid;
	}
	const Buffer *x = low < p->b->n ? &p->b->buffer[low] : NULL;
	return x && x->symbol == symbol && (symbol >= 0 || (x->block == block && x->ins == ins)) ? low : -1;
}

/* ---- what registers hold ---- */

static void add_operand_buffers(const BufferPlaces *p, const Opd *o, BitSet to)
{
	if (o->kind == OPD_REG && p->c->f->reg.v[o->id].type != T_PRED &&
		type_bits[p->c->f->reg.v[o->id].type] == 64)
		bs_union(to, p->now[o->id]);
	int symbol = o->kind == OPD_SYM ? places_buffer(p, -1, -1, o->id) : -1;
	if (symbol >= 0)
		bs_add(to, symbol);
	if ((o->kind == OPD_REG || o->kind == OPD_SYM) && o->imm)
		bs_add(to, p->moved);
}

/* Sets p->value to what the instruction's result may hold. */
static void compute_buffers(BufferPlaces *p, int block, int ins, const Ins *i)
{
	bs_clear(p->value);
	switch (i->op) {
	case OP_ALLOC: bs_add(p->value, places_buffer(p, block, ins, -1)); return;
	case OP_LD: case OP_CALL: case OP_PACK:
		bs_add(p->value, p->any);
		bs_add(p->value, p->moved);
		return;
	default: break;
	}
	for (int k = 0; k < i->nsrc; k++)
		add_operand_buffers(p, ins_src(i, k), p->value);
	if (i->op != OP_MOV && i->op != OP_SELP)
		bs_add(p->value, p->moved);
}

void places_walk(BufferPlaces *p, int block, int ins, const Ins *i)
{
	for (int k = 0; k < i->ndst; k++) {
		const Opd *d = ins_dst(i, k);
		if (d->kind != OPD_REG || type_bits[p->c->f->reg.v[d->id].type] != 64)
			continue;
		compute_buffers(p, block, ins, i);
		if (i->guard >= 0)
			bs_union(p->now[d->id], p->value);
		else
			bs_copy(p->now[d->id], p->value);
	}
}

void places_enter(BufferPlaces *p, int block)
{
	for (int r = 0; r < p->c->f->reg.n; r++)
		bs_copy(p->now[r], p->in[block][r]);
}

static bool leave_places(BufferPlaces *p, const Block *b)
{
	bool changed = false;
	for (int k = 0; k < b->nsucc; k++)
		for (int r = 0; r < p->c->f->reg.n; r++)
			changed |= bs_union(p->in[b->succ[k]->id][r], p->now[r]);
	return changed;
}

static void solve_places(BufferPlaces *p)
{
	const Cfg *c = p->c;
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = 0; k < c->nreach; k++) {
			const Block *b = c->rpo[k];
			places_enter(p, b->id);
			for (int i = 0; i < b->ins.n; i++)
				places_walk(p, b->id, i, &b->ins.v[i]);
			changed |= leave_places(p, b);
		}
	}
}

/* ---- answers ---- */

void places_lead(const BufferPlaces *p, const Opd *o, BitSet set)
{
	bs_clear(p->value);
	add_operand_buffers(p, o, p->value);
	int first = bs_next(p->value, 0);
	/* the operand is made of numbers alone, or may lead anywhere */
	if (first < 0 || first == p->moved || bs_has(p->value, p->any)) {
		for (int k = 0; k < p->b->n; k++)
			bs_add(set, k);
		return;
	}
	for (int k = first; k >= 0 && k < p->b->n; k = bs_next(p->value, k + 1))
		bs_add(set, k);
}

int places_begins(const BufferPlaces *p, const Opd *o)
{
	bs_clear(p->value);
	add_operand_buffers(p, o, p->value);
	int k = bs_next(p->value, 0);
	return k >= 0 && k < p->b->n && bs_next(p->value, k + 1) < 0 && p->b->buffer[k].one ? k : -1;
}

/* Sets up for a question the members that it needs, but for `now`. */
static void open_walk(BufferPlaces *p, Arena *tmp)
{
	p->moved = p->b->n;
	p->any = p->b->n + 1;
	p->bits = p->b->n + 2;
	p->in = p->b->place;
	p->value = bs_new(tmp, p->bits);
}

void places_open(BufferPlaces *p, Arena *tmp, const Loops *l)
{
	const Cfg *c = p->c;
	find_buffers(p, l);
	p->b->place = arena_array(p->arena, BitSet *, c->n + 1);
	for (int k = 0; k < c->n; k++)
		p->b->place[k] = flow_sets(p->arena, c->f->reg.n + 1, p->b->n + 2);
	open_walk(p, tmp);
	p->now = flow_sets(tmp, c->f->reg.n + 1, p->bits);
	p->touched = arena_array(tmp, Touched *, p->m->func.n + 1);
	solve_places(p);
}

/* buffers_lead walks only through the instructions on which its operands depend: it is asked many times about
   a block of many instructions, and each time about few registers. */
/* reg: registers whose values are asked for; ins: the instructions that write these, from the last to the
   first */
typedef struct BufferSlice { BufferPlaces *p; Arena *tmp; BitSet reg; Vec(int) ins; } BufferSlice;

static void add_slice_reg(BufferSlice *s, const Opd *o)
{
	if (o->kind == OPD_REG)
		bs_add(s->reg, o->id);
}

static void find_slice(BufferSlice *s, const Block *b, int ins)
{
	for (int k = ins - 1; k >= 0; k--) {
		const Ins *i = &b->ins.v[k];
		bool makes = false;
		for (int d = 0; d < i->ndst; d++)
			makes |= ins_dst(i, d)->kind == OPD_REG && bs_has(s->reg, ins_dst(i, d)->id);
		if (!makes)
			continue;
		vec_push(&s->ins, k);
		for (int u = 0; u < i->nsrc; u++)
			add_slice_reg(s, ins_src(i, u));
		for (int d = 0; d < i->ndst; d++)
			add_slice_reg(s, ins_dst(i, d));
	}
}

static void walk_slice(BufferSlice *s, const Block *b)
{
	s->p->now = arena_array(s->tmp, BitSet, s->p->c->f->reg.n + 1);
	bs_each(s->reg, r) {
		s->p->now[r] = bs_new(s->tmp, s->p->bits);
		bs_copy(s->p->now[r], s->p->in[b->id][r]);
	}
	for (int k = s->ins.n - 1; k >= 0; k--)
		places_walk(s->p, b->id, s->ins.v[k], &b->ins.v[s->ins.v[k]]);
}

void buffers_lead(const Buffers *b, const Cfg *c, const Module *m, int block, int ins, const Opd *const *o,
	int n, const BitSet *set)
{
	Arena tmp = { 0 };
	BufferPlaces p = { .c = c, .m = m, .b = (Buffers *)(uintptr_t)b };
	open_walk(&p, &tmp);
	BufferSlice s = { .p = &p, .tmp = &tmp, .reg = bs_new(&tmp, c->f->reg.n + 1) };
	for (int k = 0; k < n; k++)
		if (o[k])
			add_slice_reg(&s, o[k]);
	find_slice(&s, c->f->block.v[block], ins);
	walk_slice(&s, c->f->block.v[block]);
	for (int k = 0; k < n; k++)
		if (o[k])
			places_lead(&p, o[k], set[k]);
	vec_free(&s.ins);
	arena_free(&tmp);
}
