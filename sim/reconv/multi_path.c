/* Multi-path: all groups of a warp are schedulable (ElTantawy, Ma, O'Connor, Aamodt, A Scalable Multi-Path
 * Microarchitecture for Efficient GPU Control Flow, HPCA 2014). The splits table holds groups (pc, mask,
 * region), the reconvergence table regions (sim/reconv/common/regions.h); lanes meet at immediate
 * post-dominators as on the stack, but the paths to them run side by side. Both tables are finite; what does
 * not fit is in memory. A group in memory does not run: it comes in when an entry becomes free, when a group
 * on chip waits for others, or when a group has been on chip for swap_cycles.
 *
 * Counted: depth = groups that do not wait at a point; pushes and pops = groups added to the list and gone
 * from it; merges = regions whose lanes have met, and groups that joined others on the way. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/regions.h"
#include "sim/reconv/common/splits.h"

enum { P_MERGE, P_SPLITS, P_RT, P_SWAP, P_SPILL, P_FILL };
static const ConfigKey params[] = {
	{ NULL, "merge", CT_BOOL, 0, 0, 0, 1, NULL, "",
		"opportunistic: groups of a region that come to one block become one" },
	{ NULL, "splits", CT_INT, 0, 8, 0, 64, NULL, "groups",
		"entries of the splits table on chip, 0 = unlimited (assumption)" },
	{ NULL, "rt", CT_INT, 0, 8, 0, 64, NULL, "regions",
		"entries of the reconvergence table on chip, 0 = unlimited (assumption)" },
	{ NULL, "swap_cycles", CT_INT, 0, 1000, 1, 1000000, NULL, "cycles",
		"after so long a group on chip gives way to one in memory, at a branch or loop (assumption: "
		"so that all go on)" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"an entry goes to memory (divergence.spill = constant; assumption)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"an entry comes back (divergence.spill = constant; assumption)" },
};

static bool multi_path_lower(LowerFn *l, Diag *diag)
{
	reconv_lower_reach(l, reconv_lower_param(l, P_MERGE), reconv_lower_param(l, P_SPLITS) > 0);
	return reconv_lower_ipdom(l, diag);
}

static size_t multi_path_state_size(const Config *c) { return sizeof(Regions); }

static void spill_group(Warp *w, Regions *k, int i, Split *charged)
{
	Split *s = &reconv_splits(w)[i];
	k->member[i].spilled = true;
	k->member[i].order = ++k->orders;
	reconv_spill_entry(w, charged, i, k->spill_cycles);
	if (s->state == SPLIT_RUN)
		split_park(s);
}

static void fill_group(Warp *w, Regions *k, int i)
{
	Split *s = &reconv_splits(w)[i];
	k->member[i].spilled = false;
	k->member[i].since = reconv_now(w);
	split_run(w, s);
	reconv_fill_entry(w, s, i, k->fill_cycles);
}

/* The group that has been in memory for longest, of those that could run; -1: none. */
static int oldest_spilled(Warp *w, const Regions *k)
{
	int first = -1;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		if (reconv_splits(w)[i].state == SPLIT_PARKED &&
			(first < 0 || k->member[i].order < k->member[first].order))
			first = i;
	return first;
}

/* The group on chip that gives way first: one that waits for others, or the newest. only_waiting: -1 when
   none waits. */
static int least_needed(Warp *w, const Regions *k, bool only_waiting)
{
	int newest = -1;
	for (int i = *reconv_nsplit(w) - 1; i >= 0; i--) {
		if (k->member[i].spilled)
			continue;
		if (reconv_splits(w)[i].state != SPLIT_RUN)
			return i;
		newest = newest < 0 ? i : newest;
	}
	return only_waiting ? -1 : newest;
}

/* The list or what its splits wait for has changed: groups go to memory and come back, so that the table
   holds as many as it can that may run. */
static void settle_table(Warp *w, Split *s)
{
	Regions *k = reconv_state(w);
	int most = (int)reconv_param(w, P_SPLITS), here, i;
	regions_last_resort(w, k);
	here = regions_on_chip(w, k);
	if (!most)
		return;
	for (; here > most; here--)
		spill_group(w, k, least_needed(w, k, false), s);
	while ((i = oldest_spilled(w, k)) >= 0) {
		int out = here < most ? -1 : least_needed(w, k, true);
		if (here == most && out < 0)
			return;
		if (out >= 0)
			spill_group(w, k, out, &reconv_splits(w)[i]);
		else
			here++;
		fill_group(w, k, i);
	}
}

/* Group s, which has been on chip for long, gives way to the group that has been in memory for longest, of
   those that could run. */
static void give_way(Warp *w, Split *s)
{
	Regions *k = reconv_state(w);
	int next = oldest_spilled(w, k);
	if (next < 0)
		return;
	spill_group(w, k, (int)(s - reconv_splits(w)), &reconv_splits(w)[next]);
	fill_group(w, k, next);
}

static void multi_path_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Regions *k = reconv_state(w);
	k->merge = reconv_param(w, P_MERGE);
	k->most = (int)reconv_param(w, P_RT);
	k->spill_cycles = (Cycle)reconv_param(w, P_SPILL);
	k->fill_cycles = (Cycle)reconv_param(w, P_FILL);
	regions_launch(w, k, lanes, pc);
	reconv_turns(w, TURNS_ROTATE);
}

static void multi_path_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	regions_branch(w, reconv_state(w), s, i, p, n);
	settle_table(w, s);
}

static void multi_path_reach(Warp *w, Split *s)
{
	Regions *k = reconv_state(w);
	int n = *reconv_nsplit(w), at = (int)(s - reconv_splits(w));
	regions_reach(w, k, s);
	settle_table(w, s);
	if (*reconv_nsplit(w) == n && !k->member[at].spilled &&
		reconv_now(w) >= k->member[at].since + (Cycle)reconv_param(w, P_SWAP))
		give_way(w, s);
}

static void multi_path_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	regions_call(w, reconv_state(w), s, p, n, return_pc);
	settle_table(w, s);
}

static void multi_path_ret(Warp *w, Split *s, const Path *p, int n)
{
	regions_ret(w, reconv_state(w), s, p, n);
	settle_table(w, s);
}

static void multi_path_exit(Warp *w, Split *s, Mask m)
{
	regions_exit(w, reconv_state(w), s, m);
	settle_table(w, s);
}

static void multi_path_some_exit(Warp *w, Split *s, Mask m) { regions_some_exit(w, reconv_state(w), s, m); }

static void multi_path_resume(Warp *w, Split *s)
{
	Regions *k = reconv_state(w);
	if (!k->member[s - reconv_splits(w)].spilled)
		return;
	split_park(s);
	settle_table(w, s);
}

static void multi_path_show(const Warp *w, Rows *rows)
{
	regions_show_groups(w, reconv_state((Warp *)w), rows);
}

static bool multi_path_held(const Warp *w, int lane, Held *h)
{
	return regions_held(reconv_state((Warp *)w), lane, h, "memory, the table of splits being full");
}

/* Groups come in from memory in the order in which they went there. A group on chip gives way at the first
   loop head after its time; other groups on chip execute branches meanwhile. */
static Patience multi_path_patience(const Config *c, const Code *code)
{
	const int64_t *p = c->model_param[c->model];
	if (!p[P_SPLITS])
		return (Patience){ 0 };
	return (Patience){ .time = (Cycle)p[P_SWAP], .turns = (uint64_t)c->warp_size,
		.branches = (uint64_t)p[P_SPLITS] * most_branches(code) };
}

const ReconvModel reconv_multi_path = {
	.name = "multi_path",
	.help = "all paths side by side, with immediate post-dominators",
	.spills = SPILLS_TABLE,
	.source = "ElTantawy et al., A Scalable Multi-Path Microarchitecture for Efficient GPU Control Flow, "
	"HPCA 2014",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true,
	.lower = multi_path_lower, .state_size = multi_path_state_size, .launch = multi_path_launch,
	.branch = multi_path_branch, .reach = multi_path_reach, .call = multi_path_call,
	.ret = multi_path_ret, .exit = multi_path_exit, .some_exit = multi_path_some_exit,
	.depth = splits_depth, .show = multi_path_show,
	.sync = { .wait = settle_table, .resume = multi_path_resume },
	.stuck = { .patience = multi_path_patience, .held = multi_path_held,
		.holds = "keeps lanes that have come to a reconvergence point until all others have come "
		"there or ended" },
};
