/* Each lane has a pc. The lanes with the lowest pc run (min_pc), or, of the lanes in the deepest call, which
 * the stack pointer tells, those with the lowest pc (min_sp_pc). Collange, Stack-less SIMT Reconvergence at
 * Low Cost, 2011. The compiler only orders blocks: lanes meet early when blocks lie in reverse post-order
 * with contiguous loops. The pcs are compared at every block.
 *
 * A group that comes to a barrier or a warp-level operation before lanes that it needs is put aside, and the
 * first of the others runs. A group that comes first in the order and spins until a group behind it has done
 * something never lets that group run. With `starvation` set it does: a group that has waited for so many
 * cycles runs for `quantum` blocks, wherever it stands. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"
#include "sim/reconv/common/sorted.h"

enum { P_PRIORITY, P_SWITCH, P_STARVATION, P_QUANTUM };
static const ConfigKey params[] = {
	PRIORITY_PARAM,
	{ NULL, "switch_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"when other lanes run than before (assumption)" },
	{ NULL, "starvation", CT_INT, 0, 0, 0, 1000000, NULL, "cycles",
		"that a group waits before it runs out of order; 0 = for ever, the paper has no such bound "
		"(assumption)" },
	{ NULL, "quantum", CT_INT, 0, 1, 1, 1000000, NULL, "blocks", "for which it runs then (assumption)" },
};

typedef struct MinPc {
	Sorted list;                   /* stands first, since sorted.h takes the state to be a Sorted */
	SortedRules rules;
	int64_t turn;                  /* blocks that a group which runs out of order may still run */
} MinPc;

static bool min_pc_lower(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	ThreadFrontier f = frontier_build(&tmp, l, reconv_lower_param(l, P_PRIORITY));
	for (int i = 0; i < f.n; i++)
		l->reach[f.order[i]->id] = true;
	arena_free(&tmp);
	return true;
}

static size_t min_pc_state_size(const Config *c) { return sizeof(MinPc); }

static void min_pc_launch(Warp *w, Mask lanes, uint32_t pc)
{
	MinPc *x = reconv_state(w);
	sorted_launch(w, lanes, pc);
	x->rules = (SortedRules){ 0 };
	x->turn = 0;
}

static void launch_by_depth(Warp *w, Mask lanes, uint32_t pc)
{
	min_pc_launch(w, lanes, pc);
	((MinPc *)reconv_state(w))->rules.by_depth = true;
}

/* The first group of the order that has one of these lanes; -1: none has. */
static int group_with(const Sorted *k, Mask m)
{
	int at = k->n - 1;
	while (at >= 0 && !(k->g[at].mask & m))
		at--;
	return at;
}

/* Has the group been put aside (min_pc_gather), and are lanes that it waits for still elsewhere? */
static bool is_aside(const Warp *w, const Listed *g) { return g->want & reconv_live(w) & ~g->mask; }

static int first_group(const Warp *w, const Sorted *k)
{
	int at = k->n - 1;
	while (at >= 0 && is_aside(w, &k->g[at]))
		at--;
	return at;
}

/* Which of the groups that can run has waited longest; -1: none can. */
static int longest_waiting(const Warp *w, const Sorted *k)
{
	int at = -1;
	for (int i = 0; i < k->n; i++)
		if (!is_aside(w, &k->g[i]) && (at < 0 || k->g[i].since <= k->g[at].since))
			at = i;
	return at;
}

/* Which group runs the next block, after lanes `ran` have run one; -1: none can, and the first of the order
   has to. */
static int choose_group(const Warp *w, MinPc *x, Mask ran)
{
	Sorted *k = &x->list;
	Cycle most = (Cycle)reconv_param(w, P_STARVATION), now = reconv_now(w) + 1;
	if (!most)
		return first_group(w, k);
	for (int i = 0; i < k->n; i++)
		if (!k->g[i].since)
			k->g[i].since = now;
	int at = group_with(k, ran);
	if (x->turn > 0 && --x->turn > 0 && at >= 0 && !is_aside(w, &k->g[at]))
		return at;
	x->turn = 0;
	at = longest_waiting(w, k);
	if (at < 0 || now - k->g[at].since < most)
		return first_group(w, k);
	x->turn = reconv_param(w, P_QUANTUM);
	return at;
}

static void select_next(Warp *w, Split *s, Mask ran)
{
	MinPc *x = reconv_state(w);
	sorted_select(w, s, choose_group(w, x, ran), &x->rules);
	if (!*reconv_nsplit(w))
		return;
	x->list.g[x->list.run].since = 0;
	x->list.g[x->list.run].want = 0;
	if (!(s->mask & ran))
		reconv_delay(w, s, (Cycle)reconv_param(w, P_SWITCH));
}

static void move_min_pc_group(Warp *w, Split *s, const Path *p, int n)
{
	MinPc *x = reconv_state(w);
	Mask ran = s->mask;
	sorted_move(w, s, p, n, &x->rules);
	select_next(w, s, ran);
}

static bool min_pc_gather(Warp *w, Split *s, Mask want)
{
	MinPc *x = reconv_state(w);
	Path p = { s->pc, s->mask };
	sorted_move(w, s, &p, 1, &x->rules);
	int at = group_with(&x->list, p.mask);
	x->list.g[at].want = want;
	if (first_group(w, &x->list) < 0) { /* all groups have been put aside */
		sorted_select(w, s, at, &x->rules);
		return false;
	}
	select_next(w, s, p.mask);
	return true;
}

static void min_pc_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	move_min_pc_group(w, s, p, n);
}

static void min_pc_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	move_min_pc_group(w, s, p, n);
}

static void min_pc_ret(Warp *w, Split *s, const Path *p, int n) { move_min_pc_group(w, s, p, n); }

static void min_pc_reach(Warp *w, Split *s)
{
	Path p = { s->pc, s->mask };
	move_min_pc_group(w, s, &p, 1);
}

static void min_pc_exit(Warp *w, Split *s, Mask m)
{
	MinPc *x = reconv_state(w);
	sorted_exit(w, s, &x->rules);
	select_next(w, s, 0);
}

/* A group that has waited for `starvation` cycles runs when all groups that have waited for longer have run:
   there are no more groups than lanes, and each runs for `quantum` blocks. Every branch ends a block. */
static Patience min_pc_patience(const Config *c, const Code *code)
{
	const int64_t *p = c->model_param[c->model];
	if (!p[P_STARVATION])
		return (Patience){ 0 };
	return (Patience){ .first = (Cycle)p[P_STARVATION], .turns = (uint64_t)c->warp_size,
		.branches = (uint64_t)p[P_QUANTUM] };
}

#define TABLE(NAME, HELP, LAUNCH) const ReconvModel reconv_##NAME = { .name = #NAME, .help = HELP, \
	.spills = SPILLS_NOTHING, \
	.source = "Collange, Stack-less SIMT Reconvergence at Low Cost, 2011", \
	.params = params, .nparams = sizeof params / sizeof *params, .fair = "starvation=300,quantum=8", \
		.lower = min_pc_lower, .state_size = min_pc_state_size, .launch = LAUNCH, \
	.branch = min_pc_branch, .reach = min_pc_reach, .call = min_pc_call, .ret = min_pc_ret, \
	.exit = min_pc_exit, \
		.some_exit = sorted_some_exit, .depth = sorted_depth, .show = sorted_show, \
	.sync = { .gather = min_pc_gather }, .stuck = { .patience = min_pc_patience, .held = sorted_held, \
	.holds = SORTED_HOLDS } }
TABLE(min_pc, "a pc for each lane; the lowest runs", min_pc_launch);
TABLE(min_sp_pc, "a pc for each lane; of those with the deepest call, the lowest runs", launch_by_depth);
