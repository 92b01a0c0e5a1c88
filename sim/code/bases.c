/* Chooses where each function's registers begin among those of a thread, so that a thread never needs more
 * than the limit (sm.max_registers_per_thread).
 *
 * A callee's registers begin above those in which its callers hold values at their calls, so that nothing is
 * saved: a function's first register is the lowest one that is above those of all its callers. Where the
 * function would then exceed the limit, its registers are the last ones below the limit. These overlap with
 * registers of functions further up the chain of calls, and each caller saves values that live across a call
 * in registers that the call may write, that is those of the callee and of all functions that it reaches. The
 * functions of a recursive cycle begin at one register. Predicates have no limit and are never saved here. */
#include "sim/code/lower.h"

typedef struct Base { int reg, pred; } Base;

typedef struct Bases {
	Lower *w;
	/* by component of the call graph: where registers and predicates of its functions begin */
	Base *base;
} Bases;

/* the function at index k of CallGraph.node; NULL: that node stands for indirect calls */
static LowerFn *function_of(const Bases *x, int k)
{
	const int *node = x->w->calls.node;
	return node[k] < x->w->order.n ? x->w->order.v[node[k]] : NULL;
}

static void raise_base(Bases *x, int component, int reg, int pred)
{
	raise_to(&x->base[component].reg, (reg + 1) / 2 * 2);
	raise_to(&x->base[component].pred, pred);
}

/* Raises the first registers of the functions that l calls above those in which l holds values at the calls.
   The calls in l->call stand in the order of the layout. */
static void raise_callees(Bases *x, LowerFn *l)
{
	const CallSite *s = l->call;
	for (int b = 0; b < l->nlayout; b++)
		for (int k = 0; k < l->layout[b]->ins.n; k++) {
			const Ins *i = &l->layout[b]->ins.v[k];
			if (i->op != OP_CALL)
				continue;
			int to = lower_component(x->w, i);
			if (to != l->scc)
				raise_base(x, to, l->reg_base + s->level, l->pred_base + l->npred);
			s++;
		}
}

static void place_component(Bases *x, int c)
{
	const CallGraph *g = &x->w->calls;
	int size = 0, limit = (int)x->w->config->sm_max_regs;
	for (int k = x->w->calls.start[c]; k < x->w->calls.start[c + 1]; k++)
		if (function_of(x, k))
			raise_to(&size, function_of(x, k)->nreg);
	Base base = x->base[c];
	if (base.reg + size > limit)
		base.reg = (limit - size) / 2 * 2;
	for (int k = x->w->calls.start[c]; k < x->w->calls.start[c + 1]; k++) {
		LowerFn *l = function_of(x, k);
		for (int e = g->first[x->w->calls.node[k]]; !l && e < g->first[x->w->calls.node[k] + 1]; e++)
			if (g->scc[g->to[e]] != c)
				raise_base(x, g->scc[g->to[e]], base.reg, base.pred);
		if (!l)
			continue;
		l->reg_base = base.reg;
		l->pred_base = base.pred;
		raise_callees(x, l);
	}
}

/* Returns, by component of the call graph, the registers that a call of one of its functions may write. */
static BitSet *written_by_calls(Bases *x)
{
	const CallGraph *g = &x->w->calls;
	BitSet *set = arena_array(&x->w->arena, BitSet, g->sccs);
	for (int c = 0; c < g->sccs; c++) { /* callees first */
		set[c] = bs_new(&x->w->arena, (int)x->w->config->sm_max_regs + 1);
		for (int k = x->w->calls.start[c]; k < x->w->calls.start[c + 1]; k++) {
			const LowerFn *l = function_of(x, k);
			for (int r = 0; l && r < l->nreg; r++)
				bs_add(set[c], l->reg_base + r);
			for (int e = g->first[x->w->calls.node[k]]; e < g->first[x->w->calls.node[k] + 1];
				e++)
				bs_union(set[c], set[g->scc[g->to[e]]]);
		}
	}
	return set;
}

/* Decides, for each call of the function, whether arguments go through memory and what is saved. */
static void settle_calls(Bases *x, LowerFn *l, const BitSet *set)
{
	CallSite *s = l->call;
	bool saves = false;
	for (int b = 0; b < l->nlayout; b++)
		for (int k = 0; k < l->layout[b]->ins.n; k++) {
			const Ins *i = &l->layout[b]->ins.v[k];
			if (i->op != OP_CALL)
				continue;
			const LowerFn *to = lower_callee(x->w, i);
			int lowest = bs_next(set[lower_component(x->w, i)], l->reg_base);
			s->memory = !to || to->reg_base < l->reg_base + s->level;
			saves |= lowest >= 0 && lowest < l->reg_base + s->level;
			s++;
		}
	if (saves)
		lower_saves(x->w, l, set);
}

void lower_bases(Lower *w)
{
	Bases x = { .w = w, .base = arena_array(&w->arena, Base, w->calls.sccs) };
	for (int c = w->calls.sccs - 1; c >= 0; c--) /* callers first */
		place_component(&x, c);
	BitSet *set = written_by_calls(&x);
	for (int i = 0; i < w->order.n; i++)
		if (w->order.v[i]->ncalls && w->order.v[i]->scc >= 0)
			settle_calls(&x, w->order.v[i], set);
}
