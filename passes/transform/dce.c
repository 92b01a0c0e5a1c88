/* dce: deletes instructions whose results nobody reads.
 *
 * requires  liveness
 * keeps     the graph; stores, atomics, volatile and ordered loads, operations that threads execute together, calls, traps
 * breaks    liveness
 *
 * Liveness that starts from what is wanted (strong liveness). A dead load goes, and with it the fault it might have raised. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

typedef struct Sweep {
	Edit *e;
	const EffectTable *effects;
	const Cfg *c;
	const Liveness *l;
	LiveSet *in;                   /* by block: registers that live at its start because something wanted reads them */
	BitSet live;                   /* during a walk; empty between walks */
	bool read;
} Sweep;

static void ask_live(void *self, int reg)
{
	Sweep *s = self;
	s->read |= bs_has(s->live, reg);
}

static bool wanted(Sweep *s, const Ins *i)
{
	Effects e = ins_effects(s->effects, i);
	if (!effects_deletable(&e) || op_info[i->op].kind == K_CALL) /* who is called might go on for ever */
		return true;
	if (op_info[i->op].flags & OPF_SIDE)                         /* nop, prefetch: there for the time they take */
		return true;
	s->read = false;
	ins_defs(s->e->f, i, ask_live, s);
	return s->read;
}

/* Its marks go on to the next instruction, and what they depend on lives. */
static void leave_out(Sweep *s, const Ins *i, BitSet dead, int at)
{
	for (int k = i->mark; k; k = s->e->f->mark.v[k].next)
		if (s->e->f->mark.v[k].reg >= 0)
			bs_add(s->live, s->e->f->mark.v[k].reg);
	if (dead.w)
		bs_add(dead, at);
}

/* From the end of the block to its start: what is not wanted lets what it reads die, too. dead: gets the places of what is not wanted. True when more
   registers live at the start than were known to. */
static bool visit(Sweep *s, const Block *b, BitSet dead)
{
	const IntList *succ = &s->c->graph->succ[b->id];
	bool more = false;
	for (int k = 0; k < succ->n; k++)
		live_each(s->l, s->in[succ->v[k]], r)
			bs_add(s->live, r);
	for (int k = b->ins.n; k-- > 0;) {
		if (wanted(s, &b->ins.v[k]))
			liveness_step(s->e->f, &b->ins.v[k], s->live);
		else
			leave_out(s, &b->ins.v[k], dead, k);
	}
	live_each(s->l, s->l->in[b->id], r) {
		uint64_t bit = (uint64_t)1 << (s->l->bit[r] & 63), *in = &live_word(s->in[b->id], s->l->bit[r])->w;
		if (bs_has(s->live, r) && !(*in & bit)) {
			*in |= bit;
			more = true;
		}
		bs_del(s->live, r);
	}
	return more;
}

static int sweep(Sweep *s, Block *b)
{
	Arena a = { 0 };
	BitSet dead = bs_new(&a, b->ins.n);
	int at = 0, n;
	visit(s, b, dead);
	n = bs_count(dead);
	if (n) {
		Rewrite w;
		for (const Ins *i = edit_rewrite(&w, s->e, b); i; i = edit_next(&w))
			if (!bs_has(dead, at++))
				edit_put(&w, *i);
	}
	arena_free(&a);
	return n;
}

/* The least solution: at first nothing lives, so a value that only keeps itself going around a loop does not. */
static void solve(Sweep *s, Arena *a)
{
	const Cfg *c = s->c;
	BitSet waits = bs_new(a, c->nreach);
	for (int i = 0; i < c->nreach; i++)
		bs_add(waits, i);
	for (int at = bs_next(waits, 0); at >= 0;) { /* places count from the end of the order */
		const Block *b = c->rpo[c->nreach - 1 - at];
		const IntList *pred = &c->graph->pred[b->id];
		bs_del(waits, at);
		if (visit(s, b, (BitSet){ 0 }))
			for (int k = 0; k < pred->n; k++)
				bs_add(waits, c->nreach - 1 - c->rpo_index[pred->v[k]]);
		at = bs_next(waits, at);
		if (at < 0)
			at = bs_next(waits, 0);
	}
}

/* Empty sets with room for what these have. */
static LiveSet *live_room(Arena *a, const Cfg *c, const LiveSet *like)
{
	LiveSet *s = arena_array(a, LiveSet, c->n + 1);
	for (int b = 0; b < c->n; b++) {
		s[b] = (LiveSet){ arena_array(a, LiveWord, like[b].n + 1), like[b].n, like[b].n };
		for (int k = 0; k < like[b].n; k++)
			s[b].word[k].at = like[b].word[k].at;
	}
	return s;
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	Edit e = edit_open(r->m, r->f, r->origin);
	Sweep s = { .e = &e, .effects = analysis_effects(r->an), .c = analysis_cfg(r->an), .l = analysis_liveness(r->an),
		.live = bs_new(&a, function_values(r->f)) };
	int n = 0;
	s.in = live_room(&a, s.c, s.l->in);
	solve(&s, &a);
	for (int i = 0; i < s.c->nreach; i++)
		n += sweep(&s, s.c->rpo[i]);
	edit_close(&e);
	arena_free(&a);
	pass_count(r, "instructions deleted", n);
	return n > 0;
}

const Pass pass_dce = {
	.name = "dce",
	.help = "delete instructions whose results nobody reads",
	.function = run,
	.keeps_graph = true,
};
