/* Makes the code for both sides. What becomes one stands in blocks that the lanes of both sides come to, with
 * a selp in front for each source that differs; what is left alone stands in blocks of its own behind a
 * branch on the condition ("unpredication", section IV-E of the paper):
 *
 * 	entry:   choices made once; values move to the registers that they share
 * 	pair:    melded instructions .. condition ? alone0 : alone1 -> pair': melded instructions .. -> the
 * 	         next pairs
 * 	leave:   values move back; condition ? where side 0 goes on : where side 1 does
 *
 * The same walk counts what the code costs without making any. */
#include "passes/transform/meld/emit.h"

/* ---- the entry and the exit ---- */

/* At the entry, moves to the shared register the value of each side whose own register has one that is
   needed. */
static void put_entry_move(MeldEmit *x, const Ins *like, const SharedName *h)
{
	bool in[2];
	for (int s = 0; s < 2; s++)
		in[s] = names_state(x->w, s, h->reg[s]) & NAME_IN;
	bool here = (!in[0] || h->reg[0] == h->home) && (!in[1] || h->reg[1] == h->home);
	if (here)
		return;
	if (in[0] && in[1])
		emit_select(x, like, emit_bits(x, h->reg[0]), h->home, opd_reg(h->reg[0]),
			opd_reg(h->reg[1]));
	else
		emit_put(x, emit_new(x, like, OP_MOV, emit_bits(x, h->reg[0]), h->home,
			(Opd[]){ opd_reg(h->reg[in[1]]) }, 1));
}

static void put_entry(MeldEmit *x, const Ins *like)
{
	for (int k = 0; k < x->s->hoisted.n; k++) {
		Hoisted *h = &x->s->hoisted.v[k];
		h->reg = emit_reg(x, "either", h->type);
		emit_chosen(x, like, h->type, h->reg, h->x, h->adds);
	}
	for (int k = 0; k < x->s->shared.n; k++)
		put_entry_move(x, like, &x->s->shared.v[k]);
}

/* At the exit, puts into a register the value that it is to have there for lanes of `side`. If lanes of both
   sides need it, the call for side 0 does that for both. */
static void put_exit_move(MeldEmit *x, const Ins *like, int reg, int side)
{
	int from[2];
	bool wanted[2];
	for (int s = 0; s < 2; s++) {
		wanted[s] = names_state(x->w, s, reg) & NAME_OUT;
		from[s] = names_reg(x->w, s, reg);
	}
	if (!wanted[side] || from[side] == reg || (side == 1 && wanted[0] && from[0] != reg))
		return;
	if (wanted[1 - side] && from[0] != from[1])
		emit_select(x, like, emit_bits(x, reg), reg, opd_reg(from[0]), opd_reg(from[1]));
	else
		emit_put(x, emit_new(x, like, OP_MOV, emit_bits(x, reg), reg, (Opd[]){ opd_reg(from[side]) },
			1));
}

static void put_leave(MeldEmit *x, const Ins *like)
{
	emit_open(x, x->leave);
	x->weight = x->s->weight;
	for (int side = 0; side < 2; side++)
		for (int k = 0; k < x->s->shared.n; k++)
			put_exit_move(x, like, x->s->shared.v[k].reg[side], side);
	if (x->s->exit[0] != x->s->exit[1]) {
		emit_part(x, like, x->s->exit[0], x->s->exit[1]);
		return;
	}
	const int *order = x->w->c->rpo_index;
	emit_jump(x, like, x->s->exit[0]);
	if (order[x->s->exit[0]->id] <= order[x->r->e->id])
		emit_pause(x, cost_redirect(x->w->r->cost), false);
}

/* ---- a stretch ---- */

static const char *label_tail(const MeldEmit *x, const BlockPair *p)
{
	enum { LONGEST = 60 };
	if (!p->b[0] || !p->b[1] || strlen(p->b[0]->label) + strlen(p->b[1]->label) > LONGEST)
		return "_meld";
	return arena_printf(&x->w->a, "_%s", p->b[1]->label);
}

static bool entered_again(const Stretch *s)
{
	for (int k = 0; k < s->pair.n; k++)
		for (int e = 0; e < s->pair.v[k].nsucc; e++)
			if (s->pair.v[k].succ[e] == 0)
				return true;
	return false;
}

/* With option check=time, when dry: makes a place of what has been put since the last one. */
static void note_emitted(MeldEmit *x, int loop, int first, int at)
{
	if (!x->dry || !x->w->timed)
		return;
	Span *ins = arena_array(&x->w->a, Span, x->ins.n + 1);
	for (int k = 0; k < x->ins.n; k++)
		ins[k] = x->ins.v[k];
	vec_push(&x->place, ((TimedPlace){ ins, x->ins.n, loop, first, at }));
	vec_clear(&x->ins);
}

static void place_pair(MeldEmit *x, const BlockPair *p)
{
	const Block *b = p->b[p->whole];
	note_emitted(x, x->w->loops->of[b->id], p->first, x->w->c->rpo_index[b->id]);
}

/* Puts the code of the whole stretch. Moves and choices at the entry stand in a block of their own when lanes
   come back to the first pair. */
static void emit_stretch(MeldEmit *x)
{
	const Ins *like = block_term(x->r->e);
	Stretch *s = x->s;
	bool again = entered_again(s);
	x->block = arena_array(&x->w->a, Block *, s->pair.n);
	x->like = s->entry[0];
	x->entry = again ? emit_block(x, "_in") : NULL;
	for (int k = 0; k < s->pair.n; k++) {
		x->like = s->pair.v[k].b[0] ? s->pair.v[k].b[0] : s->pair.v[k].b[1];
		x->block[k] = emit_block(x, label_tail(x, &s->pair.v[k]));
	}
	x->like = s->entry[0];
	x->leave = s->exit[0] ? emit_block(x, "_out") : NULL;
	x->entry = again ? x->entry : x->block[0];
	emit_open(x, x->entry);
	x->weight = s->weight;
	put_entry(x, like);
	if (again)
		emit_jump(x, like, x->block[0]);
	vec_clear(&x->chosen);
	note_emitted(x, x->w->loops->of[x->r->e->id], -1, 0);
	for (int k = 0; k < s->pair.n; k++) {
		emit_pair(x, &s->pair.v[k], x->block[k]);
		place_pair(x, &s->pair.v[k]);
	}
	if (s->exit[0])
		put_leave(x, like);
	note_emitted(x, x->w->loops->of[x->r->e->id], s->pair.n, 0);
	vec_free(&x->chosen);
}

int64_t emit_cost(Meld *w, MeldRegion *r, Stretch *s)
{
	MeldEmit x = { .w = w, .r = r, .s = s, .dry = true, .weight = s->weight };
	x.cost = r->copied ? s->weight * meld_cost_of(w, OP_MOV, T_PRED) : 0;
	emit_stretch(&x);
	if (w->timed)
		time_stretch(w, r, s, x.place.v, x.place.n, &x.load);
	vec_free(&x.place);
	vec_free(&x.ins);
	return x.cost;
}

/* Returns the block to which the edges into the stretch lead on that side: the stretch's first block; or,
   when blocks that only jump stand in a row in front of that, the first one of these. They are removed, and
   their marks go to the entry. */
static Block *first_of(MeldEmit *x, int side)
{
	const Cfg *c = x->w->c;
	Block *b = x->s->entry[side];
	while (c->npred[b->id] == 1) {
		Block *from = c->pred[b->id][0];
		if (from->ins.n != 1 || !block_jumps(from) || bs_has(x->w->gone, from->id) ||
			bs_has(x->w->named, from->id))
			break;
		Ins jump = from->ins.v[0];
		edit_mark_lanes(&x->w->e, &jump, (Opd){ OPD_REG, side == 1, x->r->condition, 0 });
		edit_mark_also(&x->w->e, &x->entry->ins.v[0], &jump);
		bs_add(x->w->gone, from->id);
		b = from;
	}
	return b;
}

/* Makes the edges that lead into the stretch on that side lead to the new entry. before: the last block of
   the stretch in front of this one, or NULL. */
static void lead_in(MeldEmit *x, int side, Block *before)
{
	const Block *old = first_of(x, side);
	for (int k = 0; k < x->w->c->npred[old->id]; k++) {
		Block *from = x->w->c->pred[old->id][k];
		bool inside = false;
		for (int p = 0; p < x->s->pair.n && !inside; p++)
			inside = x->s->pair.v[p].b[side] == from;
		if (!inside)
			edit_retarget(&x->w->e, from, old, x->entry);
	}
	if (before)
		edit_retarget(&x->w->e, before, old, x->entry);
}

static void copy_condition(Meld *w, MeldRegion *r)
{
	Ins i = edit_new(&w->e, block_term(r->e), OP_MOV, T_PRED, 1, 1);
	i.opd[1] = opd_reg(r->condition);
	r->condition = edit_reg(&w->e, "side", T_PRED);
	i.opd[0] = opd_reg(r->condition);
	edit_insert(&w->e, r->e, r->e->ins.n - 1, i);
}

void emit_region(Meld *w, MeldRegion *r)
{
	Block *before = NULL;
	if (r->copied)
		copy_condition(w, r);
	for (int k = 0; k < r->stretch.n; k++) {
		Stretch *s = &r->stretch.v[k];
		for (int i = 0; i < s->shared.n; i++)
			if (s->shared.v[i].home < NO_REG)
				s->shared.v[i].home = edit_reg(&w->e, "both",
					(Type)w->f->reg.v[s->shared.v[i].reg[0]].type);
		names_load(w, s);
		MeldEmit x = { .w = w, .r = r, .s = s };
		emit_stretch(&x);
		for (int side = 0; side < 2; side++)
			lead_in(&x, side, before);
		before = x.leave;
	}
	if (r->e->succ[0] == r->e->succ[1])
		edit_fold(&w->e, r->e, r->e->succ[0]);
}
