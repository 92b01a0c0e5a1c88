/* crowd: groups that have parted run one at a time, and become one again wherever one of them comes to where
 * another stands. Which of them runs is `policy`: most, the one with most lanes; lowest, the one whose pc is
 * lowest.
 *
 * As it is, groups never meet, and the one that parted first runs to its end before the next one: steps 2 to
 * 4 of the lab make it what this says.
 *
 * Counted: depth = groups; pushes = groups that parted from another; pops = groups that met another or ended,
 * the last one to end not counted. */
#include "gsim-plugin.h"

enum { POLICY_MOST, POLICY_LOWEST };
enum { P_POLICY };
static const ConfigKey params[] = {
	{ NULL, "policy", CT_ENUM, 0, POLICY_MOST, 0, 1, "most|lowest", "",
		"the group that runs: with most lanes, or with the lowest pc" },
};

/* Step 2: lanes may meet at the start of every block: mark all blocks of l->f (l->reach), so that the hook
   `reach` is called there. Step 4: blocks lie in the order of priorities (l->priority_layout). */
static bool lower(LowerFn *l, Diag *diag)
{
	return true;
}

static size_t state_size(const Config *c) { return 0; }

/* Step 3: groups that stand in one place (split_meets) become one (split_merge; reconv_close_gap and
   reconv_count_pop for the one that goes). */
static void meet(Warp *w)
{
}

/* Step 4: does s run before t? */
static bool before(const Warp *w, const Split *s, const Split *t)
{
	return false;
}

/* One group runs, the others stand by. Those that wait for other threads are the core's affair. */
static void choose(Warp *w)
{
	Split *first = NULL;
	each_split(w, s)
		if (!split_waits(s) && (!first || before(w, s, first)))
			first = s;
	each_split(w, s)
		split_permit(w, s, s == first);
}

/* Lanes part: the first path goes on as s, the others are groups of their own. */
static void part(Warp *w, Split *s, const Path *p, int n)
{
	for (int a = 1; a < n; a++) {
		Split *t = splits_part(w, s, p[a].mask);
		t->pc = p[a].pc;
		reconv_count_push(w, s, t->pc, t->mask);
	}
	s->pc = p[0].pc;
	meet(w);
	choose(w);
}

static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { part(w, s, p, n); }
static void call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { part(w, s, p, n); }
static void ret(Warp *w, Split *s, const Path *p, int n) { part(w, s, p, n); }

/* s has come to the start of a marked block. */
static void reach(Warp *w, Split *s)
{
	meet(w);
	choose(w);
}

static void lanes_exit(Warp *w, Split *s, Mask lanes)
{
	uint32_t pc = s->pc;
	reconv_close_gap(w, s);
	if (*reconv_nsplit(w))
		reconv_count_pop(w, s, pc, lanes);
	choose(w);
}

static void wait(Warp *w, Split *s) { choose(w); }
static void resume(Warp *w, Split *s) { choose(w); }

static const ReconvModel reconv_crowd = {
	.name = "crowd",
	.help = "one group at a time, that with most lanes; groups that come to one place become one",
	.source = "none: an exercise",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true,
	.lower = lower, .state_size = state_size, .launch = splits_launch, .branch = branch, .reach = reach,
	.call = call, .ret = ret, .exit = lanes_exit, .depth = splits_depth,
	.sync = { .wait = wait, .resume = resume },
	.stuck = { .holds = "runs one group, the others stand by" },
};

GSIM_PLUGIN("crowd", .mechanisms = { &reconv_crowd });
