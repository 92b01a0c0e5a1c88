/* Makes the code of a pair of blocks: instructions that become one, and those that stay alone, which stand in
   blocks of their own, or which all lanes execute. */
#include "passes/transform/meld/emit.h"

/* ---- instructions of a pair of blocks ---- */

/* Puts an instruction of one side; all: lanes of the other side come here, too. */
static void put_alone(MeldEmit *x, const Ins *i, int side, bool all)
{
	Ins d = emit_copy(x, i);
	for (int k = 0; k < d.ndst + d.nsrc; k++)
		d.opd[k] = names_of(x->w, side, d.opd[k]);
	if (d.guard >= 0)
		d.guard = names_reg(x->w, side, d.guard);
	if (!x->dry)
		d.mark = emit_marked(x, i, side, all, NULL).mark;
	emit_put(x, d);
}

/* Moves the result of a melded instruction to each side's own register, when these share no name. */
static void move_result(MeldEmit *x, const Ins *like, int from, const Opd *a, const Opd *b)
{
	int to[2] = { names_reg(x->w, 0, a->id), names_reg(x->w, 1, b->id) };
	for (int s = 0; s < 2; s++) {
		Ins i = emit_new(x, like, OP_MOV, emit_bits(x, s ? b->id : a->id), to[s],
			(Opd[]){ opd_reg(from) }, 1);
		i.guard = x->r->condition;
		i.guard_neg = s == 1;
		emit_put(x, i);
	}
}

static void put_melded(MeldEmit *x, const Ins *a, const Ins *b)
{
	Ins i = emit_copy(x, a);
	for (int k = 0; k < a->nsrc; k++)
		*ins_src(&i, k) = emit_choice(x, a, choice_of(x->w, a, b, k));
	if (meld_guarded(a, b)) {
		Opd g = emit_choice(x, a, choice_of_guards(x->w, a, b));
		i.guard = g.id;
		i.guard_neg = g.neg;
	}
	for (int k = 0; k < a->ndst; k++) {
		const Opd *d[2] = { ins_dst(a, k), ins_dst(b, k) };
		if (d[0]->kind == OPD_REG)
			ins_dst(&i, k)->id = names_shared(x->w, x->s, d[0]->id, d[1]->id)
				? names_reg(x->w, 0, d[0]->id) :
				emit_reg(x, "melded", (Type)x->w->f->reg.v[d[0]->id].type);
	}
	i.flags &= (uint8_t)~INSF_UNI;
	emit_mark_both(x, &i, a, b);
	emit_put(x, i);
	for (int k = 0; k < a->ndst; k++)
		if (ins_dst(a, k)->kind == OPD_REG && !names_shared(x->w, x->s, ins_dst(a, k)->id,
			ins_dst(b, k)->id))
			move_result(x, a, ins_dst(&i, k)->id, ins_dst(a, k), ins_dst(b, k));
}

/* May all lanes execute the instruction, though only lanes of one side need it? They may when it does nothing
   but write a register that does not live on the other side. */
static bool is_harmless_ins(const MeldEmit *x, const Ins *i, int side)
{
	Effects e = ins_effects(x->w->effects, i);
	bool ok = effects_pure(&e) && i->guard < 0;
	for (int k = 0; k < i->ndst && ok; k++) {
		int reg = ins_dst(i, k)->id;
		ok = ins_dst(i, k)->kind == OPD_REG && !names_is_shared(x->w, side, reg) &&
			!(names_state(x->w, 1 - side, reg) & NAME_LIVES);
	}
	return ok;
}

/* The instructions of one side among the items from number `from` up to below `to`: how many they are,
   whether all lanes may execute them, and the first one. */
typedef struct ItemRun { const BlockPair *p; int side, from, to, n; bool all; const Ins *first; } ItemRun;

static ItemRun side_run(const MeldEmit *x, const BlockPair *p, int side, int from, int to)
{
	ItemRun r = { .p = p, .side = side, .from = from, .to = to, .all = true };
	for (int k = from; k < to; k++) {
		if (p->item[k].at[side] < 0)
			continue;
		const Ins *i = &p->b[side]->ins.v[p->item[k].at[side]];
		r.first = r.n++ ? r.first : i;
		r.all &= is_harmless_ins(x, i, side);
	}
	r.all &= r.n <= x->w->straight;
	return r;
}

static void put_run_of(MeldEmit *x, const ItemRun *r)
{
	for (int k = r->from; k < r->to; k++)
		if (r->p->item[k].at[r->side] >= 0)
			put_alone(x, &r->p->b[r->side]->ins.v[r->p->item[k].at[r->side]], r->side, r->all);
}

/* Puts the items from number `from` on that stand alone: each side that has some gets a block of its own,
   unless they are so few (option straight) and harmless that all lanes may execute them. Returns the number
   of the item behind them. */
static int put_alone_run(MeldEmit *x, const BlockPair *p, int from)
{
	int to = from;
	while (to < p->n && !item_melds(&p->item[to]))
		to++;
	ItemRun run[2] = { side_run(x, p, 0, from, to), side_run(x, p, 1, from, to) };
	Block *side[2] = { NULL, NULL }, *next;
	for (int s = 0; s < 2; s++)
		if (run[s].all)
			put_run_of(x, &run[s]);
	if (run[0].all && run[1].all)
		return to;
	for (int s = 0; s < 2; s++)
		side[s] = run[s].all ? NULL : emit_block(x, s ? "_else" : "_then");
	next = emit_block(x, "_on");
	emit_part(x, run[0].all ? run[1].first : run[0].first, run[0].all ? next : side[0],
		run[1].all ? next : side[1]);
	for (int s = 0; s < 2; s++) {
		if (run[s].all)
			continue;
		emit_open(x, side[s]);
		put_run_of(x, &run[s]);
		emit_jump(x, run[s].first, next);
	}
	emit_open(x, next);
	return to;
}

static Block *pair_target(const MeldEmit *x, int pair)
{
	return x->dry ? NULL : pair == LEAVES ? x->leave : x->block[pair];
}

/* Returns the marks of the last instructions of both blocks, or of the one block that there is. */
static int end_marks(MeldEmit *x, const BlockPair *p, bool all)
{
	int mark = 0;
	for (int s = 0; s < 2 && !x->dry; s++) {
		if (!p->b[s])
			continue;
		const Ins *t = block_term(p->b[s]);
		Opd by = s && p->swapped && t->nsrc ? names_of(x->w, s, *ins_src(t, 0)) : (Opd){ 0 };
		if (by.kind == OPD_IMM)
			by = opd_imm((by.imm & 1) != by.neg);
		mark = function_marks(x->w->f, mark, emit_marked(x, t, s, all,
			by.kind != OPD_NONE ? &by : NULL).mark);
	}
	return mark;
}

static void put_pair_end(MeldEmit *x, const BlockPair *p)
{
	bool all = p->comes[0] && p->comes[1];
	int side = p->b[0] && (p->takes[0] == OWN_BRANCH || !p->b[1]) ? 0 : 1;
	Ins t = emit_copy(x, block_term(p->b[side]));
	if (p->nsucc > 1)
		*ins_src(&t, 0) = all ? emit_choice(x, block_term(p->b[side]), choice_of_branches(x->w, p))
			: names_of(x->w, side, *ins_src(&t, 0));
	for (int k = 0; k < t.nsrc && p->nsucc == 0; k++) /* results of a return */
		*ins_src(&t, k) = all && p->b[0] && p->b[1]
			? emit_choice(x, block_term(p->b[0]), choice_of(x->w, block_term(p->b[0]),
			block_term(p->b[1]), k))
			: names_of(x->w, side, *ins_src(&t, k));
	if (all)
		t.flags &= (uint8_t)~INSF_UNI;
	t.mark = end_marks(x, p, all);
	if (!x->dry && p->b[0] && p->b[1])
		ins_meld(x->w->r->m, &t, &(const Ins *){ block_term(p->b[1 - side]) }, 1);
	emit_end(x, t, p->nsucc ? pair_target(x, p->succ[0]) : NULL,
		p->nsucc > 1 ? pair_target(x, p->succ[1]) : NULL, p->nsucc);
	if (p->nsucc)
		emit_pause(x, time_block_end(x->w, p->b[side], all), time_parts(x->w, p->b[side], all));
}

void emit_pair(MeldEmit *x, const BlockPair *p, Block *b)
{
	bool all = p->comes[0] && p->comes[1];
	if (x->b != b || x->dry)
		emit_open(x, b);
	x->weight = p->weight;
	x->like = p->b[0] ? p->b[0] : p->b[1];
	for (int k = 0; k < p->n;) {
		const AlignedItem *i = &p->item[k];
		int side = i->at[0] >= 0 ? 0 : 1;
		if (!all)
			put_alone(x, &p->b[side]->ins.v[i->at[side]], side, false);
		else if (item_melds(i))
			put_melded(x, &p->b[0]->ins.v[i->at[0]], &p->b[1]->ins.v[i->at[1]]);
		else {
			k = put_alone_run(x, p, k);
			continue;
		}
		k++;
	}
	put_pair_end(x, p);
	vec_clear(&x->chosen);
}
