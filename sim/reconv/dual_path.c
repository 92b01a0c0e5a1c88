/* Dual-path: the two sides of the stack's top entry run side by side (Rhu, Erez, The Dual-Path Execution
 * Model for Efficient GPU Control Flow, HPCA 2013). Where lanes meet is the stack's business; an entry's
 * sides are splits, and those of lower entries are parked. In terms of sim/reconv/common/regions.h: the
 * stack's entries are the levels of the splits.
 *
 * A divergent branch with a point of its own pushes an entry with its two paths, and the side that branched
 * waits in the entry below for the point. Without a new point (a loop sheds lanes) the second path takes the
 * other side of the entry if that is free, else both get an entry. An indexed branch pushes an entry for each
 * two targets, the first on top. Sides that wait at a barrier or for a warp-level operation leave the top to
 * the entry below until they go on, for else no lane of that could come (not in the paper, where a warp waits
 * as a whole).
 *
 * Counted: depth = entries, the base included; pushes and pops = sides begun and ended besides the one that
 * goes on; merges = points to which all lanes have come. */
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/regions.h"
#include "sim/reconv/common/splits.h"

enum { P_SIDE, P_SCOREBOARD, P_PUSH, P_POP, P_SPILL, P_FILL };
enum { SIDE_RR, SIDE_READY, SIDE_LEFT };
static const ConfigKey params[] = {
	{ NULL, "side", CT_ENUM, 0, SIDE_RR, 0, 2, "rr|ready|left", "",
		"which side issues if both can: in turns, the same until it stalls, the left (taken) one" },
	{ NULL, "dual_scoreboard", CT_BOOL, 0, 1, 0, 1, NULL, "",
		"a scoreboard for each side; without, a register that one side waits for is pending for the "
		"other, too" },
	{ NULL, "push_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"a branch that pushes takes so much longer (assumption)" },
	{ NULL, "pop_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"from a pop to the next issue, beyond what is due (assumption)" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"a push that spills (divergence.spill = constant; assumption)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"a pop that fills (divergence.spill = constant; assumption)" },
};

typedef struct DualStack { Regions regions; StackSpill spill; int height; } DualStack;

static size_t dual_path_state_size(const Config *c) { return sizeof(DualStack); }
static int dual_path_depth(const Warp *w) { return ((DualStack *)reconv_state((Warp *)w))->height; }
static bool warp_scoreboard(const Config *c) { return !c->model_param[c->model][P_SCOREBOARD]; }

/* The highest level of any split; with may_run, only splits count that do not wait for other threads. -1:
   there is none. */
static int top_level(Warp *w, const DualStack *k, bool may_run)
{
	int most = -1;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		if (k->regions.member[i].level > most && !(may_run && split_waits(&reconv_splits(w)[i])))
			most = k->regions.member[i].level;
	return most;
}

/* The sides of the top entry run, all others are parked. */
static void run_top_sides(Warp *w, DualStack *k)
{
	int level = top_level(w, k, true);
	for (int i = 0; i < *reconv_nsplit(w); i++)
		split_permit(w, &reconv_splits(w)[i], k->regions.member[i].level == level);
}

/* Pushes and pops entries, so that there is one for each level of the splits, and charges what that takes to
   s and to the splits concerned. */
static void settle_entries(Warp *w, DualStack *k, Split *s)
{
	regions_last_resort(w, &k->regions);
	int height = top_level(w, k, false) + 1;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		if (k->regions.member[i].level >= k->height)
			reconv_delay(w, &reconv_splits(w)[i], (Cycle)reconv_param(w, P_PUSH));
	for (; k->height < height; k->height++)
		reconv_spill_push(w, s, &k->spill, (Cycle)reconv_param(w, P_SPILL));
	run_top_sides(w, k);
	if (k->height == height || !*reconv_nsplit(w))
		return;
	int run = splits_running(w);
	s = &reconv_splits(w)[run < 0 ? 0 : run];
	for (; k->height > height; k->height--)
		reconv_spill_pop(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
	reconv_spill_top(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
	each_split(w, t)
		if (t->state == SPLIT_RUN)
			reconv_delay(w, t, (Cycle)reconv_param(w, P_POP));
}

static void dual_path_launch(Warp *w, Mask lanes, uint32_t pc)
{
	static const int turns[] = { [SIDE_RR] = TURNS_ROTATE, [SIDE_READY] = TURNS_STAY,
		[SIDE_LEFT] = TURNS_LIST };
	DualStack *k = reconv_state(w);
	k->regions.merge = false;
	k->regions.most = 0;
	k->spill = (StackSpill){ .resident = 1 };
	k->height = 1;
	regions_launch(w, &k->regions, lanes, pc);
	reconv_turns(w, turns[reconv_param(w, P_SIDE)]);
}

/* Sets the levels of split s, which is the first path, and of the new splits, from index `before` on: two
   splits to an entry, the first two on top. shared: the lowest of these entries is the one that s is in; else
   all are new, above the top. */
static void stack_sides(Warp *w, DualStack *k, Split *s, int before, bool shared)
{
	int new = *reconv_nsplit(w) - before, at = (int)(s - reconv_splits(w)), entries = (1 + new + 1) / 2;
	int lowest = shared ? k->regions.member[at].level : top_level(w, k, false) + 1;
	k->regions.member[at].level = lowest + entries - 1;
	for (int i = 0; i < new; i++)
		k->regions.member[before + i].level = lowest + entries - 1 - (i + 1) / 2;
}

static void dual_path_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	DualStack *k = reconv_state(w);
	int before = *reconv_nsplit(w), at = (int)(s - reconv_splits(w)), sides = 0;
	Member g = k->regions.member[at];
	for (int a = 0; a < before; a++)
		sides += k->regions.member[a].level == g.level;
	regions_branch(w, &k->regions, s, i, p, n);
	bool point = k->regions.member[at].region != g.region;
	if (point || *reconv_nsplit(w) > before)
		stack_sides(w, k, s, before, !point && sides == 1 && g.level == top_level(w, k, false));
	settle_entries(w, k, s);
}

/* The left side of an entry stands before the right one in the list. When one side is gone, the other takes
   its place. */
static void close_up(Warp *w, DualStack *k, int at, int level)
{
	Split *all = reconv_splits(w);
	Member *member = k->regions.member;
	int n = *reconv_nsplit(w), other = at;
	while (other < n && member[other].level != level)
		other++;
	if (other >= n || other == at)
		return;
	Split s = all[other];
	Member g = member[other];
	memmove(&all[at + 1], &all[at], sizeof *all * (size_t)(other - at));
	memmove(&member[at + 1], &member[at], sizeof *member * (size_t)(other - at));
	all[at] = s;
	member[at] = g;
}

typedef void SideEvent(Warp *, Regions *, Split *, const Path *, int n);
static void do_reach(Warp *w, Regions *r, Split *s, const Path *p, int n) { regions_reach(w, r, s); }
static void do_exit(Warp *w, Regions *r, Split *s, const Path *p, int n) { regions_exit(w, r, s, p->mask); }

/* Lets the regions deal with an event after which side s may be gone, then sets the stack right. */
static void leave_side(Warp *w, Split *s, SideEvent *event, const Path *p, int n)
{
	DualStack *k = reconv_state(w);
	int at = (int)(s - reconv_splits(w)), level = k->regions.member[at].level, before = *reconv_nsplit(w);
	event(w, &k->regions, s, p, n);
	if (*reconv_nsplit(w) < before)
		close_up(w, k, at, level);
	settle_entries(w, k, s);
}

static void dual_path_reach(Warp *w, Split *s) { leave_side(w, s, do_reach, NULL, 0); }
static void dual_path_ret(Warp *w, Split *s, const Path *p, int n) { leave_side(w, s, regions_ret, p, n); }
static void dual_path_exit(Warp *w, Split *s, Mask m) { leave_side(w, s, do_exit, &(Path){ 0, m }, 1); }

static void dual_path_some_exit(Warp *w, Split *s, Mask m)
{
	regions_some_exit(w, &((DualStack *)reconv_state(w))->regions, s, m);
}

static void dual_path_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	DualStack *k = reconv_state(w);
	int before = *reconv_nsplit(w);
	regions_call(w, &k->regions, s, p, n, return_pc);
	stack_sides(w, k, s, before, false);
	settle_entries(w, k, s);
}

static void dual_path_wait(Warp *w, Split *s)
{
	DualStack *k = reconv_state(w);
	regions_last_resort(w, &k->regions);
	run_top_sides(w, k);
}

static void dual_path_resume(Warp *w, Split *s) { run_top_sides(w, reconv_state(w)); }

/* The lowest level of a split that is above `level`; -1: there is none. */
static int next_level(const Warp *w, const DualStack *k, int level)
{
	int next = -1;
	for (int i = 0; i < *reconv_nsplit((Warp *)w); i++) {
		int l = k->regions.member[i].level;
		next = l > level && (next < 0 || l < next) ? l : next;
	}
	return next;
}

static void dual_path_show(const Warp *w, Rows *rows)
{
	const DualStack *k = reconv_state((Warp *)w);
	for (int level = -1; (level = next_level(w, k, level)) >= 0;)
		each_split((Warp *)w, s) {
			const Member *g = &k->regions.member[s - reconv_splits((Warp *)w)];
			TraceRow r = trace_row(ROW_SIDE, NO_PC, s->mask);
			r.rpc = k->regions.r[g->region].pc;
			r.n = (uint32_t)level;
			r.m = (uint32_t)g->region;
			r.flags = reconv_flag(level < k->spill.spilled, FLAG_IN_MEMORY);
			reconv_show_split(w, s, &r);
			if (g->level == level)
				reconv_show(rows, &r);
		}
	regions_show(&k->regions, rows);
}

static bool dual_path_held(const Warp *w, int lane, Held *h)
{
	return regions_held(&((DualStack *)reconv_state((Warp *)w))->regions, lane, h, "a stack entry");
}

const ReconvModel reconv_dual_path = {
	.name = "dual_path",
	.help = "stack whose top entry's two sides run side by side",
	.spills = SPILLS_STACK,
	.source = "Rhu and Erez, The Dual-Path Execution Model for Efficient GPU Control Flow, HPCA 2013",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true, .warp_scoreboard = warp_scoreboard,
	.lower = reconv_lower_ipdom, .state_size = dual_path_state_size, .launch = dual_path_launch,
	.branch = dual_path_branch, .reach = dual_path_reach, .call = dual_path_call, .ret = dual_path_ret,
	.exit = dual_path_exit, .some_exit = dual_path_some_exit, .depth = dual_path_depth,
	.show = dual_path_show,
	.sync = { .wait = dual_path_wait, .resume = dual_path_resume },
	.stuck = { .held = dual_path_held,
		.holds = "runs the two sides of its stack's top entry; a lower one, and lanes at a "
		"reconvergence point, wait until those above have come there or ended" },
};
