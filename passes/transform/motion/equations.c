/* Where expressions are computed: one table of equations for all five methods.
 *
 * J. Knoop, O. Ruething and B. Steffen, Optimal Code Motion: Theory and Practice, TOPLAS 1994, with two nodes
 * for each block, N and X (motion.h); E. Morel and C. Renvoise, Global Optimization by Suppression of Partial
 * Redundancies, CACM 1979; the meet at divergent branches: J. Fukuhara's thesis, figure 4.5 (2). */
#include "passes/transform/motion/motion.h"

/* ---- the table ---- */

#define S(NAME) (1u << (NAME))

/* The equation of one node, N(b) or X(b): after = gen | (before & ~kill), and after & ~skill goes over an
   edge (analysis/flow.h). gen, kill and skill are unions of sets: a bit for each SetName. */
typedef struct Half { unsigned gen, kill, skill; } Half;
typedef struct Equation {
	/* all: the meet is "on all ways", else "on some way"; greatest: so is the solution, else the least */
	bool backward, all, greatest;
	/* the meet is "on some way" at the branches at which the method speculates */
	bool speculates;
	Half n, x;
	SetName before, after;         /* the sets in which the solution is kept; SETS: it is not kept */
} Equation;

typedef enum { DOWN_SAFE, UP_SAFE, NEW_ON_ALL_WAYS, RENVOISE, DELAY, USE } Problem;

/* In the comments p are predecessors, s successors. "partial": for the option of pre (PLACE_RENVOISE). */
static const Equation equation[] = {
	/* NdSafe = NComp | Transp & XdSafe               XdSafe = XComp | all s: NdSafe(s) */
	[DOWN_SAFE] = { true, true, true, true, { S(COMP), S(MOD), 0 }, { S(COMP), S(FAR), 0 }, SETS, SAFE },
	/* NuSafe = all p: XComp(p) | XuSafe(p)           XuSafe = Transp & (NComp | NuSafe) */
	[UP_SAFE] = { false, true, true, false, { S(COMP), S(STOP), S(MOD) }, { S(COMP), 0, 0 }, AVAILABLE,
		SETS },
	/* partial: NPart = some p: XComp(p) | XPart(p)       XPart = Transp & (NComp | NPart) */
	[NEW_ON_ALL_WAYS] = { false, false, false, false, { S(COMP), 0, S(MOD) }, { S(COMP), 0, 0 }, NEW,
		SETS },
	/* partial: NPp = NPart & (NComp | Transp & XPp)      XPp = all s: NPp(s) */
	[RENVOISE] = { true, true, true, false, { S(COMP), S(MOD), S(NEW) }, { 0, S(FAR), 0 }, SETS,
		DELAYED },
	/* NDelayed = NEarliest | all p: XDelayed(p) & !XComp(p)     XDelayed = XEarliest | Transp & NDelayed
	                                                             & !NComp */
	[DELAY] = { false, true, true, false, { S(EARLIEST), 0, S(COMP) | S(MOD) },
		{ S(EARLIEST), 0, S(COMP) }, SETS, DELAYED },
	/* NWanted = Transp & XWanted & !X placed         XWanted = some s: N gone(s) | NWanted(s) & !N
	                                                  placed(s) */
	[USE] = { true, false, false, false, { S(GONE), S(PLACED), 0 }, { 0, 0, S(PLACED) | S(MOD) }, WANTED,
		SETS },
};

/* ---- solving ---- */

static BitSet *sum_sets(MotionSlice *s, Arena *a, unsigned n, unsigned x)
{
	if (!n && !x)
		return NULL;
	BitSet *to = flow_sets(a, s->g->n, s->bits);
	for (int node = 0; node < 2 * s->n; node++)
		for (int k = 0; k < SETS; k++)
			if ((node & 1 ? x : n) & S(k))
				bs_union(to[node], s->set[k][node]);
	return to;
}

static bool speculates_at(const MotionSlice *s, const Method *m, int block)
{
	return s->speculates && (m->speculation == SPECULATE_EVERYWHERE ? s->p->branch[block]
		: m->speculation == SPECULATE_DIVERGENT && s->p->divergent[block]);
}

/* At a branch at which one successor that needs a value is enough, a successor outside the branch's cycle
   does not count: else values that are needed behind the cycle would be computed in the cycle. */
typedef struct BranchGuard { const MotionSlice *s; const Method *m; } BranchGuard;

static void stop_at_exits(void *self, int from, int to, BitSet set)
{
	const BranchGuard *g = self;
	if (!(from & 1) || to == slice_outside(g->s))
		return;
	int b = g->s->block[from / 2];
	if (speculates_at(g->s, g->m, b) && points_leaves(g->s->p, b, g->s->block[to / 2]))
		bs_clear(set);
}

static void solve_problem(MotionSlice *s, const Method *m, Problem problem)
{
	const Equation *e = &equation[problem];
	Arena tmp = { 0 };
	BranchGuard guard = { s, m };
	Flow w = { .g = s->g, .order = s->order, .norder = s->norder, .bits = s->bits,
		.backward = e->backward, .all = e->all, .greatest = e->greatest,
		.gen = sum_sets(s, &tmp, e->n.gen, e->x.gen), .kill = sum_sets(s, &tmp, e->n.kill, e->x.kill),
		.skill = sum_sets(s, &tmp, e->n.skill, e->x.skill) };
	if (e->speculates && m->speculation && s->speculates) {
		w.other = bs_new(&tmp, s->g->n);
		for (int k = 0; k < s->n; k++)
			if (speculates_at(s, m, s->block[k]))
				bs_add(w.other, 2 * k + 1);
		w.edge = stop_at_exits;
		w.self = &guard;
	}
	flow_solve(s->a, &w);
	if (e->before < SETS)
		s->set[e->before] = w.before;
	if (e->after < SETS)
		s->set[e->after] = w.after;
	arena_free(&tmp);
}

/* ---- what is said of each node by itself ---- */

static BitSet *empty_sets(MotionSlice *s) { return flow_sets(s->a, s->g->n, s->bits); }

/* NEarliest = NdSafe & no p: XuSafe(p) | XdSafe(p)      XEarliest = XdSafe & !Transp
   At the begin of the function's first block safe is enough, whatever jumps there: nothing can be placed
   before it. */
static void find_earliest(MotionSlice *s)
{
	BitSet *to = s->set[EARLIEST] = empty_sets(s), *safe = s->set[SAFE], *available = s->set[AVAILABLE];
	for (int node = 0; node < 2 * s->n; node++) {
		bs_copy(to[node], safe[node]);
		const IntList *pred = &s->g->pred[node];
		if (!s->p->place[s->block[node / 2]] && !(node & 1))
			continue;
		for (int j = 0; j < to[node].n; j++) {
			if (node & 1)
				to[node].w[j] &= s->set[MOD][node].w[j];
			for (int k = 0; k < pred->n && !(node & 1); k++)
				to[node].w[j] &= ~(available[pred->v[k]].w[j] | safe[pred->v[k]].w[j]);
		}
	}
}

/* Fills PLACED and GONE. Early: an expression is placed where it is Earliest. Late: where it is Latest,
   NLatest = NDelayed & NComp                             XLatest = XDelayed & (XComp | some s: !NDelayed(s))
   A successor where the expression is FAR counts as one to which it is delayed: nothing is lost there. */
static void place_expressions(MotionSlice *s, bool late)
{
	BitSet *to = s->set[PLACED] = empty_sets(s), *gone = s->set[GONE] = empty_sets(s),
		*delayed = s->set[late ? DELAYED : EARLIEST], *comp = s->set[COMP];
	for (int node = 0; node < 2 * s->n; node++) {
		const IntList *succ = &s->g->succ[node];
		for (int j = 0; j < to[node].n; j++) {
			uint64_t stop = late ? comp[node].w[j] : ~(uint64_t)0;
			for (int k = 0; k < succ->n && node & 1 && late; k++)
				if (succ->v[k] != slice_outside(s))
					stop |= ~delayed[succ->v[k]].w[j] & ~s->set[FAR][succ->v[k]].w[j];
			to[node].w[j] = delayed[node].w[j] & stop;
			gone[node].w[j] = comp[node].w[j] & ~to[node].w[j];
		}
	}
}

/* Fills PLACED and GONE as Morel and Renvoise do.
   PPin(b) = NPp(b) & (all p: XPp(p) | XuSafe(p) | XComp(p)). At N an expression is gone if NComp & PPin; at X
   it is inserted if XPp & !XuSafe & !XComp & !(PPin & Transp). */
static void place_renvoise(MotionSlice *s)
{
	BitSet *to = s->set[PLACED] = empty_sets(s), *gone = s->set[GONE] = empty_sets(s),
		*pp = s->set[DELAYED],
		*available = s->set[AVAILABLE];
	for (int k = 0; k < s->n; k++) {
		const IntList *pred = &s->g->pred[2 * k];
		int n = 2 * k, x = n + 1;
		for (int j = 0; j < to[n].n; j++) {
			uint64_t in = pp[n].w[j] & ~s->set[NEW][n].w[j], comp = s->set[COMP][n].w[j],
				left = s->set[COMP][x].w[j];
			for (int i = 0; i < pred->n; i++)
				in &= pp[pred->v[i]].w[j] | available[pred->v[i]].w[j] |
					s->set[COMP][pred->v[i]].w[j];
			if (!s->p->place[s->block[k]])
				in = 0;
			gone[n].w[j] = comp & in;
			to[n].w[j] = comp & ~in;
			to[x].w[j] = left | (pp[x].w[j] & ~available[x].w[j] & ~(in & ~s->set[MOD][n].w[j]));
		}
	}
}

/* Turns the set into its complement: NEW is solved as "computed on some way", and becomes "on no way". */
static void invert(MotionSlice *s, SetName name)
{
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < s->set[name][node].n; j++)
			s->set[name][node].w[j] = ~s->set[name][node].w[j];
}

void motion_safe(MotionSlice *s, const Method *m)
{
	solve_problem(s, m, UP_SAFE);
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < s->set[FAR][node].n; j++)
			s->set[AVAILABLE][node].w[j] &= ~(s->set[FAR][node].w[j] | s->set[STOP][node].w[j]);
	solve_problem(s, m, DOWN_SAFE);
}

static BitSet *copy_of(Arena *a, const MotionSlice *s, SetName name)
{
	BitSet *to = flow_sets(a, s->g->n, s->bits);
	for (int node = 0; node < s->g->n; node++)
		bs_copy(to[node], s->set[name][node]);
	return to;
}

static void restore_set(MotionSlice *s, SetName name, const BitSet *from, BitSet bits)
{
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < bits.n; j++)
			s->set[name][node].w[j] = (s->set[name][node].w[j] & ~bits.w[j]) |
				(from[node].w[j] & bits.w[j]);
}

/* Finds fewer places for the expressions. Those that would then be computed in arms where Method.arms forbids
   it keep the places at which lazy code motion leaves them. */
static void thin(MotionSlice *s, const Method *m, const Method *first)
{
	Arena tmp = { 0 };
	BitSet *placed = copy_of(&tmp, s, PLACED), *gone = copy_of(&tmp, s, GONE),
		bits = bs_new(&tmp, s->bits);
	motion_thin(s, m);
	solve_problem(s, first, USE);
	if (m->arms && motion_spare_arms(s, bits)) {
		restore_set(s, PLACED, placed, bits);
		restore_set(s, GONE, gone, bits);
		solve_problem(s, first, USE);
	}
	arena_free(&tmp);
}

/* For placing as early as possible: expressions that no way computes again, which lazy code motion leaves
   alone, stay where they are. At earlier places they would be computed just as often, and be copied
   besides. */
static void leave_unrepeated(MotionSlice *s, const Method *m)
{
	Arena tmp = { 0 };
	BitSet *placed = s->set[PLACED], *gone = s->set[GONE], stays = bs_new(&tmp, s->bits);
	solve_problem(s, m, DELAY);
	place_expressions(s, true);
	for (int node = 0; node < 2 * s->n; node++)
		bs_union(stays, s->set[GONE][node]);
	for (int j = 0; j < stays.n; j++)
		stays.w[j] = ~stays.w[j];
	s->set[PLACED] = placed;
	s->set[GONE] = gone;
	restore_set(s, PLACED, s->set[COMP], stays);
	for (int node = 0; node < 2 * s->n; node++)
		for (int j = 0; j < stays.n; j++)
			gone[node].w[j] &= ~stays.w[j];
	arena_free(&tmp);
}

/* Solves all equations of a method. Sparse methods begin with what lazy code motion makes without
   speculation. */
void motion_solve(MotionSlice *s, const Method *m)
{
	Method first = *m;
	if (m->sparse)
		first.speculation = SPECULATE_NOWHERE;
	motion_safe(s, &first);
	if (m->placement == PLACE_RENVOISE) {
		solve_problem(s, &first, NEW_ON_ALL_WAYS);
		invert(s, NEW);
		solve_problem(s, &first, RENVOISE);
		place_renvoise(s);
	} else {
		find_earliest(s);
		if (m->placement == PLACE_LATE)
			solve_problem(s, &first, DELAY);
		place_expressions(s, m->placement == PLACE_LATE);
		if (m->placement == PLACE_EARLY)
			leave_unrepeated(s, &first);
	}
	solve_problem(s, &first, USE);
	if (m->arms && motion_spare_arms(s, (BitSet){ 0 }))
		solve_problem(s, &first, USE);
	if (m->sparse)
		thin(s, m, &first);
}
