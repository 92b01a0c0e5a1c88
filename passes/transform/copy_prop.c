/* copy-prop: where a register was copied from another one, and both still hold what they held, reads the
 * original instead of the copy.
 *
 * requires  nothing
 * keeps     the graph
 * breaks    liveness
 *
 * A copy counts when it was made before in the same block, or on every way to the block. A copy to a register
 * of what that register has already is deleted. A copy under a guard does not count, and any definition of a
 * register, under a guard or not, ends all copies from that register and to it. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/facts.h"
#include "passes/transform/transform.h"

typedef struct CopyProp {
	PassRun *r;
	Edit e;
	Facts facts;
	Arena arena;
	/* by register: from which register it was copied, and when; when it was defined last; the present
	   time; when the block began. Times count definitions */
	int *from, *copied, *defined, now, start;
	int replaced, gone;
} CopyProp;

static bool copy_holds(const CopyProp *w, int r)
{
	return w->copied[r] > w->start && w->defined[r] == w->copied[r] &&
		w->defined[w->from[r]] <= w->copied[r];
}

static int original(const CopyProp *w, int r)
{
	while (copy_holds(w, r))
		r = w->from[r];
	return r;
}

static void note_defined(void *self, int reg)
{
	CopyProp *w = self;
	w->defined[reg] = ++w->now;
}

static void step_copy(CopyProp *w, const Ins *i)
{
	ins_defs(w->e.f, i, note_defined, w);
	if (i->guard >= 0 || !ins_copies(w->e.f, i) || ins_dst(i, 0)->id == ins_src(i, 0)->id)
		return;
	int d = ins_dst(i, 0)->id;
	w->from[d] = ins_src(i, 0)->id;
	w->copied[d] = w->now;
}

/* ---- which copies hold where a block begins ---- */

/* lives: the copied-to register lives at the end of the block */
typedef struct BlockCopy { int block, reg, from; bool lives; } BlockCopy;
/* first, next: for each register, a list of its copies; one more than a copy's number, 0 = none */
typedef struct CopyList { Vec(BlockCopy) copy; int *first, *next; } CopyList;

static void copies_at_end(CopyProp *w, const LiveRange *l, const Block *b, CopyList *list)
{
	w->start = w->now;
	for (int k = 0; k < b->ins.n; k++)
		step_copy(w, &b->ins.v[k]);
	for (int k = 0; k < b->ins.n; k++) {
		int d = ins_copies(w->e.f, &b->ins.v[k]) ? ins_dst(&b->ins.v[k], 0)->id : -1;
		if (d >= 0 && l->bit[d] >= 0 && copy_holds(w, d))
			vec_push(&list->copy, ((BlockCopy){ b->id, d, w->from[d], false }));
	}
}

/* Finds, register by register, which copies live at the ends of their blocks. */
static void find_live(CopyProp *w, LiveRange *l, CopyList *list)
{
	list->first = arena_array(&w->arena, int, l->n + 1);
	list->next = arena_array(&w->arena, int, list->copy.n + 1);
	for (int k = 0; k < list->copy.n; k++) {
		int *first = &list->first[l->bit[list->copy.v[k].reg]];
		list->next[k] = *first;
		*first = k + 1;
	}
	for (int bit = 0; bit < l->n; bit++) {
		if (list->first[bit])
			live_range_of(l, bit);
		for (int k = list->first[bit]; k; k = list->next[k - 1])
			list->copy.v[k - 1].lives = l->ends[list->copy.v[k - 1].block] == l->stamp;
	}
}

static void find_copies(CopyProp *w, PassRun *r, const Cfg *c)
{
	LiveRange *l = live_range(&w->arena, c);
	CopyList list = { 0 };
	w->facts = facts_open(&w->arena, c, analysis_effects(r->an));
	for (int i = 0; i < c->nreach; i++)
		copies_at_end(w, l, c->rpo[i], &list);
	find_live(w, l, &list);
	for (int k = 0; k < list.copy.n; k++) {
		const BlockCopy *x = &list.copy.v[k];
		int n = facts_count(&w->facts), fact = x->lives
			? facts_hold(&w->facts, x->block, (int64_t[]){ x->reg, x->from }, 2) : -1;
		if (fact == n) {
			facts_about(&w->facts, fact, x->reg);
			facts_about(&w->facts, fact, x->from);
		}
	}
	vec_free(&list.copy);
	facts_solve(&w->facts);
}

static void enter_copy_block(CopyProp *w, const Block *b)
{
	w->start = w->now++;
	if (w->facts.before)
		bs_each(w->facts.before[b->id], fact) {
			const int64_t *key = keys_key(&w->facts.keys, fact);
			w->from[key[0]] = (int)key[1];
			w->copied[key[0]] = w->defined[key[0]] = w->now;
		}
}

/* ---- what reads them ---- */

/* Makes one operand read the original, unless that is of a type that the operation does not take there. */
static void replace_operand(CopyProp *w, Ins *i, int *place)
{
	int old = *place, to = original(w, old);
	if (to == old)
		return;
	*place = to;
	if (ins_allowed(w->e.m, w->e.f, i) &&
		pass_may_change(w->r, ins_loc(w->e.m, i), "%s reads %s in place of %s", op_info[i->op].name,
			w->e.f->reg.v[to].name, w->e.f->reg.v[old].name))
		w->replaced++;
	else
		*place = old;
}

static Ins replace_sources(CopyProp *w, const Ins *old)
{
	Ins i = *old;
	if (i.guard >= 0)
		replace_operand(w, &i, &i.guard);
	for (int k = 0; k < i.nsrc; k++) {
		if (ins_src(&i, k)->kind != OPD_REG || original(w, ins_src(&i, k)->id) == ins_src(&i, k)->id)
			continue;
		if (i.opd == old->opd)
			i = edit_copy(&w->e, &i);
		replace_operand(w, &i, &ins_src(&i, k)->id);
	}
	return i;
}

static void rewrite_copies(CopyProp *w, Block *b)
{
	Rewrite r;
	enter_copy_block(w, b);
	for (const Ins *old = edit_rewrite(&r, &w->e, b); old; old = edit_next(&r)) {
		Ins i = replace_sources(w, old);
		if (ins_copies(w->e.f, &i) && original(w, ins_dst(&i, 0)->id) ==
			original(w, ins_src(&i, 0)->id) &&
			pass_may_change(w->r, ins_loc(w->e.m, &i), "the copy of %s deleted",
			w->e.f->reg.v[ins_src(&i, 0)->id].name)) {
			w->gone++;
			continue;
		}
		edit_put(&r, i);
		step_copy(w, &i);
	}
}

/* Replaces what can be replaced, and returns whether there was anything. Each round makes more copies known:
   those of an original that is a copy itself, and those that a deleted copy had ended. */
static bool copy_prop_round(PassRun *r, CopyProp *w)
{
	const Cfg *c = analysis_cfg(r->an);
	int before = w->replaced + w->gone, n = function_values(r->f);
	w->from = arena_array(&w->arena, int, n);
	w->copied = arena_array(&w->arena, int, n);
	w->defined = arena_array(&w->arena, int, n);
	find_copies(w, r, c);
	for (int i = 0; i < c->nreach; i++)
		rewrite_copies(w, c->rpo[i]);
	arena_free(&w->arena);
	return w->replaced + w->gone > before;
}

static bool run(PassRun *r)
{
	CopyProp w = { .r = r, .e = edit_open(r->m, r->f, r->origin) };
	while (copy_prop_round(r, &w))
		;
	edit_close(&w.e);
	pass_count(r, "operands replaced", w.replaced);
	pass_count(r, "copies deleted", w.gone);
	return w.replaced + w.gone > 0;
}

const Pass pass_copy_prop = {
	.name = "copy-prop",
	.idle = "no copy is read",
	.help = "read the original of a copied register",
	.function = run,
	.keeps_graph = true,
};
