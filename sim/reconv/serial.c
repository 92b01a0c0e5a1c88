/* No reconvergence: groups of lanes that have parted never become one again. One of a warp's groups runs, until it ends or
 * waits for other threads at a barrier or a warp-level operation; then the one that parted last. The bound from below:
 * what a machine without reconvergence hardware pays.
 *
 * Counted: depth = groups, the running one included; pushes and pops = groups that came to be and ended, the last one to
 * end not counted; merges: none. */
#include "sim/reconv.h"

enum { P_SWITCH };
static const ConfigKey params[] = {
	{ NULL, "switch_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles", "when another group goes on" },
};

/* Nothing to mark: lanes meet nowhere. */
static bool lower(LowerFn *l, Diag *diag) { return true; }
static size_t state_size(const Config *c) { return 0; }
static int depth(const Warp *w) { return *reconv_nsplit((Warp *)w); }

static void park(Split *s)
{
	s->state = SPLIT_PARKED;
	s->why = STALL_DIVERGENCE;
}

/* If no group runs, the last of the list that is parked does. */
static void choose(Warp *w)
{
	Split *s = reconv_splits(w), *last = NULL;
	for (int k = 0; k < *reconv_nsplit(w); k++) {
		if (s[k].state == SPLIT_RUN)
			return;
		if (s[k].state == SPLIT_PARKED)
			last = &s[k];
	}
	if (!last)
		return;
	last->state = SPLIT_RUN;
	if (last->ready < reconv_now(w) + 1)
		last->ready = reconv_now(w) + 1;
	reconv_delay(w, last, (Cycle)reconv_param(w, P_SWITCH));
}

static void launch(Warp *w, Mask lanes, uint32_t pc)
{
	*reconv_splits(w) = (Split){ .pc = pc, .mask = lanes, .line = NO_PC };
	*reconv_nsplit(w) = 1;
}

/* The first path goes on as s, the others are parked, the second one last. */
static void part(Warp *w, Split *s, const Path *p, int n)
{
	for (int a = n - 1; a > 0; a--) {
		Split *t = &reconv_splits(w)[(*reconv_nsplit(w))++];
		*t = *s;
		t->pc = p[a].pc;
		t->mask = p[a].mask;
		park(t);
		reconv_count_push(w, s, t->pc, t->mask);
	}
	s->pc = p[0].pc;
	s->mask = p[0].mask;
}

static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { part(w, s, p, n); }
static void call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { part(w, s, p, n); }
static void ret(Warp *w, Split *s, const Path *p, int n) { part(w, s, p, n); }
static void reach(Warp *w, Split *s) { }

static void lanes_exit(Warp *w, Split *s, Mask m)
{
	uint32_t pc = s->pc;
	s->mask &= ~m;
	if (s->mask)
		return;
	reconv_close_gap(w, s);
	if (*reconv_nsplit(w))
		reconv_count_pop(w, s, pc, m);
	choose(w);
}

static void wait(Warp *w, Split *s) { choose(w); }

/* What it waited for has happened: it goes on unless another group runs. */
static void resume(Warp *w, Split *s)
{
	Split *all = reconv_splits(w);
	for (int k = 0; k < *reconv_nsplit(w); k++)
		if (&all[k] != s && all[k].state == SPLIT_RUN) {
			park(s);
			return;
		}
}

const ReconvModel reconv_serial = {
	.name = "serial",
	.help = "no reconvergence: groups that have parted run one after the other",
	.source = "none: a bound",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true,
	.lower = lower, .state_size = state_size, .launch = launch, .branch = branch, .reach = reach,
	.call = call, .ret = ret, .exit = lanes_exit, .depth = depth, .wait = wait, .resume = resume,
	.holds = "runs one group until it ends or waits for other threads; the others stand by until then",
};
