/* Renames registers when the two sides of a branch are interleaved. While a load of one side is under way, an
 * instruction of the other side that reads or writes the same register has to wait, although it is for other
 * lanes. So a register that one side loads and both sides read or write gets a new name on a side that its
 * value does not leave; when its value comes from in front of the branch, it is copied there. */
#include "passes/transform/linearize/linearize.h"

typedef struct Renamed { int side, reg; bool copied; } Renamed;

struct Sides {
	Arena arena;
	const Liveness *live;      /* of the function before any change */
	/* blocks of the region; by side: those to which only that way of the branch leads */
	BitSet region, in[2];
	/* by side and register: the number of its new name, or 0; `visit` when a block of the side reads or
	   writes it. n: registers */
	int *alias[2], *touched[2], visit, n;
	Vec(Renamed) list;
};

Sides *sides_new(Lin *l)
{
	Sides *s = arena_new(&l->arena, Sides);
	*s = (Sides){ .live = l->live, .region = bs_new(&l->arena, l->x), .n = l->run->f->reg.n };
	for (int k = 0; k < 2; k++) {
		s->in[k] = bs_new(&l->arena, l->x);
		s->alias[k] = arena_array(&l->arena, int, s->n + 1);
		s->touched[k] = arena_array(&l->arena, int, s->n + 1);
	}
	return s;
}

void sides_free(Sides *s)
{
	if (s)
		vec_free(&s->list);
}

const int *sides_alias(const Sides *s, int block)
{
	for (int k = 0; s && s->list.n && k < 2; k++)
		if (bs_has(s->in[k], block))
			return s->alias[k];
	return NULL;
}

bool sides_copied(const Sides *s, int alias)
{
	for (int k = 0; s && k < s->list.n; k++)
		if (s->list.v[k].copied && s->n + s->list.v[k].reg == alias)
			return true;
	return false;
}

void sides_clear(Sides *s)
{
	for (int k = 0; k < s->list.n; k++)
		s->alias[s->list.v[k].side][s->list.v[k].reg] = 0;
	vec_clear(&s->list);
}

/* ---- which blocks ---- */

static void reach_side(const Lin *l, const Sides *s, int from, BitSet into)
{
	Vec(int) todo = { 0 };
	vec_push(&todo, from);
	while (todo.n) {
		int b = vec_pop(&todo);
		if (b >= l->x || !bs_has(s->region, b) || bs_has(into, b))
			continue;
		bs_add(into, b);
		for (int k = 0; k < l->flow->succ[b].n; k++)
			vec_push(&todo, l->flow->succ[b].v[k]);
	}
	vec_free(&todo);
}

static void find_side_blocks(const Lin *l, Sides *s, const LinRegion *r)
{
	bs_clear(s->region);
	for (int i = 0; i < r->n; i++)
		blocks_of(l, r->node[i], s->region);
	for (int k = 0; k < 2; k++) {
		bs_clear(s->in[k]);
		reach_side(l, s, l->block[r->d]->succ[k]->id, s->in[k]);
	}
	for (int w = 0; w < s->region.n; w++) {
		uint64_t both = s->in[0].w[w] & s->in[1].w[w];
		s->in[0].w[w] &= ~both;
		s->in[1].w[w] &= ~both;
	}
}

/* ---- which registers ---- */

typedef struct Touch { Sides *s; int side; } Touch;

static void touch_side(void *self, int reg)
{
	Touch *t = self;
	if (reg < t->s->n)
		t->s->touched[t->side][reg] = t->s->visit;
}

static bool reg_leaves_side(const Lin *l, const Sides *s, int side, int reg)
{
	const Function *f = l->run->f;
	if (list_has(&(IntList){ f->ret.v, f->ret.n, 0 }, reg) || f->reg.v[reg].type == T_PRED)
		return true;
	bs_each(s->in[side], b)
		for (int k = 0; k < l->block[b]->nsucc; k++) {
			int to = l->block[b]->succ[k]->id;
			if (to >= l->cfg->n) /* a block made after liveness was computed */
				return true;
			if (!bs_has(s->in[side], to) && live_has(s->live, s->live->in[to], reg))
				return true;
		}
	return false;
}

static void rename_one(const Lin *l, Sides *s, const LinRegion *r, int reg)
{
	int side = reg_leaves_side(l, s, 1, reg) ? 0 : 1, first = l->block[r->d]->succ[side]->id;
	if (first >= l->cfg->n || s->touched[0][reg] != s->visit || s->touched[1][reg] != s->visit ||
		s->alias[0][reg] || s->alias[1][reg] || reg_leaves_side(l, s, side, reg))
		return;
	s->alias[side][reg] = s->n + reg;
	vec_push(&s->list, ((Renamed){ side, reg, live_has(s->live, s->live->in[first], reg) }));
}

void sides_find(Lin *l, const LinRegion *r)
{
	Sides *s = l->sides;
	const Ins *t = block_term(l->block[r->d]);
	int64_t guard = guard_time(l);
	if (t->op != OP_BRA || l->block[r->d]->nsucc != 2)
		return;
	find_side_blocks(l, s, r);
	s->visit++;
	for (int side = 0; side < 2; side++)
		bs_each(s->in[side], b)
			for (int k = 0; k < l->block[b]->ins.n; k++) {
				ins_uses(l->run->f, &l->block[b]->ins.v[k], touch_side, &(Touch){ s, side });
				ins_defs(l->run->f, &l->block[b]->ins.v[k], touch_side, &(Touch){ s, side });
			}
	for (int side = 0; side < 2; side++)
		bs_each(s->in[side], b)
			for (int k = 0; k < l->block[b]->ins.n; k++) {
				const Ins *i = &l->block[b]->ins.v[k];
				for (int d = 0; d < i->ndst && is_far(l, i, guard); d++)
					if (ins_dst(i, d)->kind == OPD_REG && ins_dst(i, d)->id < s->n)
						rename_one(l, s, r, ins_dst(i, d)->id);
			}
}

/* ---- afterwards ---- */

static void rename_side_block(Lin *l, Block *b, const int *to)
{
	Rewrite w;
	for (const Ins *i = edit_rewrite(&w, &l->edit, b); i; i = edit_next(&w)) {
		Ins copy = edit_copy(&l->edit, i);
		bool changed = false;
		for (int k = 0; k < copy.ndst + copy.nsrc; k++)
			if (copy.opd[k].kind == OPD_REG && copy.opd[k].id < l->sides->n &&
				to[copy.opd[k].id]) {
				copy.opd[k].id = to[copy.opd[k].id];
				changed = true;
			}
		edit_put(&w, changed ? copy : *i);
	}
}

void sides_rename(Lin *l, const LinRegion *r)
{
	Sides *s = l->sides;
	Block *d = l->block[r->d];
	for (int k = 0; k < s->list.n; k++) {
		const Renamed *x = &s->list.v[k];
		const Reg reg = l->run->f->reg.v[x->reg]; /* a copy: edit_reg may move the array */
		int fresh = s->alias[x->side][x->reg] = edit_reg(&l->edit,
			arena_printf(&l->run->m->arena, "%s_", reg.name + 1), reg.type);
		if (!x->copied)
			continue;
		Ins copy = edit_new(&l->edit, block_term(d), OP_MOV, reg.type, 1, 1);
		copy.opd[0] = opd_reg(fresh);
		copy.opd[1] = opd_reg(x->reg);
		edit_insert(&l->edit, d, d->ins.n - 1, copy);
	}
	for (int side = 0; side < 2 && s->list.n; side++)
		bs_each(s->in[side], b)
			rename_side_block(l, l->block[b], s->alias[side]);
}
