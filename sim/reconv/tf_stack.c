/* Thread frontiers with a sorted stack (Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011).
 *
 * Blocks lie in priority order, so priority is the address: reverse post-order with contiguous loops. Groups of lanes
 * wait in a list sorted by (call depth, pc); the deepest, then lowest runs, and a group that comes to where another waits
 * joins it. Lanes can wait in a block only if it is in the thread frontier of the running one, so a block is marked for
 * re-convergence checks only where some predecessor's frontier has a block at or before it; the frontier is the fixpoint
 * that also follows back edges.
 *
 * Counted: depth = groups, the running one included; pushes = groups entered into the list; merges = groups that joined. */
#include "passes/analysis/analysis.h"
#include "sim/reconv.h"

enum { P_PRIORITY, P_INSERT, P_SPILL, P_FILL };
enum { PRIORITY_RPO, PRIORITY_SOURCE };
static const ConfigKey params[] = {
	{ NULL, "priority", CT_ENUM, 0, PRIORITY_RPO, 0, 1, "rpo|source", "",
		"blocks in reverse post-order with contiguous loops, or as the source has them (for teaching: may be a bad order)" },
	{ NULL, "insert_cycles", CT_INT, 0, 0, 0, 100, NULL, "cycles", "for each position that an insertion walks along the list" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles", "an insertion that spills (divergence.spill = constant)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles", "a removal that fills (divergence.spill = constant)" },
};

typedef struct Group { uint32_t pc, depth; Mask mask; } Group;
typedef struct List { StackSpill spill; int n; Group g[64]; } List; /* g[n-1] runs */

/* The blocks in which lanes may wait while block b runs, by position in the order: fixpoint over all edges. */
static BitSet *frontiers(Arena *a, Block *const *order, const int *position, int n)
{
	BitSet *tf = arena_array(a, BitSet, n ? n : 1);
	for (int i = 0; i < n; i++)
		tf[i] = bs_new(a, n);
	BitSet u = bs_new(a, n);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < n; i++) {
			bs_copy(u, tf[i]);
			for (int k = 0; k < order[i]->nsucc; k++)
				bs_add(u, position[order[i]->succ[k]->id]);
			bs_each(u, c)
				for (int x = bs_next(u, c + 1); x >= 0; x = bs_next(u, x + 1))
					if (!bs_has(tf[c], x)) {
						bs_add(tf[c], x);
						changed = true;
					}
		}
	}
	return tf;
}

static bool lower(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	l->priority_layout = reconv_lower_param(l, P_PRIORITY) == PRIORITY_RPO;
	Block **order = arena_array(&tmp, Block *, cfg->n);
	int *position = arena_array(&tmp, int, cfg->n), n = 0;
	for (int i = 0; i < (l->priority_layout ? cfg->nreach : cfg->n); i++) {
		Block *b = l->priority_layout ? cfg->rpo[i] : l->f->block.v[i];
		if (cfg->rpo_index[b->id] < 0)
			continue;
		position[b->id] = n;
		order[n++] = b;
	}
	BitSet *tf = frontiers(&tmp, order, position, n);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < order[i]->nsucc; k++) {
			int t = position[order[i]->succ[k]->id];
			int first = bs_next(tf[i], 0);
			if (first >= 0 && first <= t)
				l->reach[order[t]->id] = true;
		}
	arena_free(&tmp);
	return true;
}

static size_t state_size(const Config *c) { return sizeof(List); }
static int depth(const Warp *w) { return ((List *)reconv_state((Warp *)w))->n; }

static bool runs_before(const Group *a, const Group *b)
{
	return a->depth != b->depth ? a->depth > b->depth : a->pc < b->pc;
}

static void insert(Warp *w, Split *s, List *k, Group g)
{
	int at = k->n;
	while (at > 0 && runs_before(&k->g[at - 1], &g))
		at--;
	reconv_delay(w, s, (Cycle)(reconv_param(w, P_INSERT) * (k->n - at)));
	if (at > 0 && k->g[at - 1].pc == g.pc && k->g[at - 1].depth == g.depth) {
		k->g[at - 1].mask |= g.mask;
		reconv_count_merge(w, s, g.pc, k->g[at - 1].mask);
		return;
	}
	reconv_spill_push(w, s, &k->spill, (Cycle)reconv_param(w, P_SPILL));
	memmove(&k->g[at + 1], &k->g[at], sizeof *k->g * (size_t)(k->n - at));
	k->g[at] = g;
	k->n++;
	reconv_count_push(w, s, g.pc, g.mask);
}

/* The warp's first group is not counted as a push, nor is its last as a pop. */
static void remove_top(Warp *w, Split *s, List *k, bool counted)
{
	reconv_spill_pop(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
	k->n--;
	if (counted)
		reconv_count_pop(w, s, s->pc, s->mask);
}

static void select_top(Warp *w, Split *s, List *k)
{
	if (!k->n) {
		*reconv_nsplit(w) = 0;
		return;
	}
	reconv_spill_top(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
	s->pc = k->g[k->n - 1].pc;
	s->mask = k->g[k->n - 1].mask;
}

static void launch(Warp *w, Mask lanes, uint32_t pc)
{
	List *k = reconv_state(w);
	Split *s = reconv_splits(w);
	k->n = 0;
	k->spill = (StackSpill){ 0 };
	*s = (Split){ .pc = pc, .mask = lanes, .line = NO_PC };
	*reconv_nsplit(w) = 1;
	k->g[k->n++] = (Group){ pc, 0, lanes };
	k->spill.resident = 1;
}

static void move(Warp *w, Split *s, const Path *p, int n)
{
	List *k = reconv_state(w);
	unsigned d = reconv_call_depth(w, s->mask);
	remove_top(w, s, k, true);
	for (int a = 0; a < n; a++)
		insert(w, s, k, (Group){ p[a].pc, d, p[a].mask });
	select_top(w, s, k);
}

static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { move(w, s, p, n); }

static void reach(Warp *w, Split *s)
{
	Path p = { s->pc, s->mask };
	move(w, s, &p, 1);
}

static void call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { move(w, s, p, n); }
static void ret(Warp *w, Split *s, const Path *p, int n) { move(w, s, p, n); }

static void lanes_exit(Warp *w, Split *s, Mask m)
{
	List *k = reconv_state(w);
	k->g[k->n - 1].mask &= ~m;
	s->mask &= ~m;
	if (!s->mask) {
		remove_top(w, s, k, k->n > 1);
		select_top(w, s, k);
	}
}

const ReconvModel reconv_tf_stack = {
	.name = "tf_stack",
	.help = "thread frontiers with a sorted stack",
	.source = "Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011",
	.params = params, .nparams = sizeof params / sizeof *params,
	.lower = lower, .state_size = state_size, .launch = launch, .branch = branch, .reach = reach,
	.call = call, .ret = ret, .exit = lanes_exit, .depth = depth,
};
