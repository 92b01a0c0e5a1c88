/* Thread frontiers with a sorted stack (Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011).
 *
 * Blocks lie in priority order, so priority is the address: reverse post-order with contiguous loops. Groups
 * of lanes wait in a list sorted by (call depth, pc). The group in the deepest call runs, of several the one
 * with the lowest pc, and a group that comes to where another waits joins it. Lanes can wait in a block only
 * if it is in the thread frontier of the running one, so a block is marked for re-convergence checks only
 * where some predecessor's frontier has a block at or before it. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"
#include "sim/reconv/common/sorted.h"

enum { P_PRIORITY, P_INSERT, P_SPILL, P_FILL };
static const ConfigKey params[] = {
	PRIORITY_PARAM,
	{ NULL, "insert_cycles", CT_INT, 0, 0, 0, 100, NULL, "cycles",
		"for each position that an insertion walks along the list (assumption)" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"an insertion that spills (divergence.spill = constant; assumption)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"a removal that fills (divergence.spill = constant; assumption)" },
};

static SortedRules rules(const Warp *w)
{
	return (SortedRules){ .by_depth = true, .stack = true, .insert = (Cycle)reconv_param(w, P_INSERT),
		.spill = (Cycle)reconv_param(w, P_SPILL), .fill = (Cycle)reconv_param(w, P_FILL) };
}

static bool tf_stack_lower(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	ThreadFrontier f = frontier_build(&tmp, l, reconv_lower_param(l, P_PRIORITY));
	for (int i = 0; i < f.n; i++)
		for (int k = 0; k < f.order[i]->nsucc; k++) {
			int t = f.position[f.order[i]->succ[k]->id];
			if (f.tf[i] && f.tf[i]->v <= t)
				l->reach[f.order[t]->id] = true;
		}
	arena_free(&tmp);
	return true;
}

static void move_sorted_group(Warp *w, Split *s, const Path *p, int n)
{
	SortedRules r = rules(w);
	sorted_move(w, s, p, n, &r);
	sorted_select(w, s, -1, &r);
}

static void tf_stack_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	move_sorted_group(w, s, p, n);
}

static void tf_stack_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	move_sorted_group(w, s, p, n);
}

static void tf_stack_ret(Warp *w, Split *s, const Path *p, int n) { move_sorted_group(w, s, p, n); }

static void tf_stack_reach(Warp *w, Split *s)
{
	Path p = { s->pc, s->mask };
	move_sorted_group(w, s, &p, 1);
}

static void tf_stack_exit(Warp *w, Split *s, Mask m)
{
	SortedRules r = rules(w);
	sorted_exit(w, s, &r);
	sorted_select(w, s, -1, &r);
}

const ReconvModel reconv_tf_stack = {
	.name = "tf_stack",
	.help = "thread frontiers with a sorted stack",
	.spills = SPILLS_STACK,
	.source = "Diamos et al., SIMD Re-Convergence at Thread Frontiers, MICRO 2011",
	.params = params, .nparams = sizeof params / sizeof *params,
	.lower = tf_stack_lower, .state_size = sorted_size, .launch = sorted_launch,
	.branch = tf_stack_branch, .reach = tf_stack_reach, .call = tf_stack_call, .ret = tf_stack_ret,
	.exit = tf_stack_exit, .some_exit = sorted_some_exit, .depth = sorted_depth, .show = sorted_show,
	.stuck = { .held = sorted_held, .holds = SORTED_HOLDS },
};
