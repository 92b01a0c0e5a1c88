/* crowd: groups that have parted run one at a time, and become one again wherever one of them comes to where
 * another stands. Which of them runs is `policy`: most, the one with most lanes; lowest, the one whose pc is
 * lowest, as min_pc does.
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

/* Lanes may meet at the start of every block. Blocks lie in reverse post-order, whole loops at a time, so
   that a lane with a lower pc has not been there yet. */
static bool lower(LowerFn *l, Diag *diag)
{
	for (int b = 0; b < l->f->block.n; b++)
		l->reach[b] = true;
	l->priority_layout = true;
	return true;
}

static size_t state_size(const Config *c) { return 0; }

/* Groups that stand in one place become one: the later one of the list goes. */
static void meet(Warp *w)
{
	for (int a = 0; a < *reconv_nsplit(w); a++)
		for (int b = a + 1; b < *reconv_nsplit(w);) {
			Split *s = reconv_splits(w) + a, *t = reconv_splits(w) + b;
			if (!split_meets(s, t->pc) || !split_meets(t, s->pc)) {
				b++;
				continue;
			}
			Mask lanes = t->mask;
			split_merge(w, s, t, lanes);
			reconv_close_gap(w, t);
			reconv_count_pop(w, s, s->pc, lanes);
		}
}

static bool before(const Warp *w, const Split *s, const Split *t)
{
	unsigned a = lane_count(s->mask), b = lane_count(t->mask);
	if (reconv_param(w, P_POLICY) == POLICY_MOST && a != b)
		return a > b;
	return s->pc < t->pc;
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

/* The first path goes on as s, the others are groups of their own. */
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
