/* No reconvergence: groups of lanes that have parted never become one again. One of a warp's groups runs
 * until it ends or waits for other threads at a barrier or a warp-level operation; then the group that parted
 * last runs. This bounds mechanisms from below: it is what a machine without reconvergence hardware pays.
 *
 * Counted: depth = groups, the running one included; pushes and pops = groups that came to be and ended, the
 * last one to end not counted; merges: none. */
#include "sim/reconv/common/splits.h"

enum { P_SWITCH };
static const ConfigKey params[] = {
	{ NULL, "switch_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"when another group goes on (assumption)" },
};

/* Nothing to mark: lanes meet nowhere. */
static bool serial_lower(LowerFn *l, Diag *diag) { return true; }
static size_t serial_state_size(const Config *c) { return 0; }

/* If no group runs, lets the last parked group of the list run. */
static void run_newest(Warp *w)
{
	Split *last = NULL;
	each_split(w, s)
		if (s->state == SPLIT_PARKED)
			last = s;
	if (!last || splits_running(w) >= 0)
		return;
	split_run(w, last);
	reconv_delay(w, last, (Cycle)reconv_param(w, P_SWITCH));
}

/* The first path goes on as s. The others are parked; the second path comes last in the list, so it is the
   first of them to run. */
static void park_paths(Warp *w, Split *s, const Path *p, int n)
{
	for (int a = n - 1; a > 0; a--) {
		Split *t = splits_part(w, s, p[a].mask);
		t->pc = p[a].pc;
		split_park(t);
		reconv_count_push(w, s, t->pc, t->mask);
	}
	s->pc = p[0].pc;
}

static void serial_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n) { park_paths(w, s, p, n); }

static void serial_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	park_paths(w, s, p, n);
}

static void serial_ret(Warp *w, Split *s, const Path *p, int n) { park_paths(w, s, p, n); }
static void serial_reach(Warp *w, Split *s) { }

static void serial_exit(Warp *w, Split *s, Mask m)
{
	uint32_t pc = s->pc;
	reconv_close_gap(w, s);
	if (*reconv_nsplit(w))
		reconv_count_pop(w, s, pc, m);
	run_newest(w);
}

static void serial_wait(Warp *w, Split *s) { run_newest(w); }

/* What s waited for has happened: s goes on unless another group runs. */
static void serial_resume(Warp *w, Split *s)
{
	each_split(w, other)
		if (other != s && other->state == SPLIT_RUN) {
			split_park(s);
			return;
		}
}

const ReconvModel reconv_serial = {
	.name = "serial",
	.help = "no reconvergence: groups that have parted run one after the other",
	.spills = SPILLS_NOTHING,
	.source = "none: a bound",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true,
	.lower = serial_lower, .state_size = serial_state_size, .launch = splits_launch,
	.branch = serial_branch, .reach = serial_reach, .call = serial_call, .ret = serial_ret,
	.exit = serial_exit, .depth = splits_depth,
	.sync = { .wait = serial_wait, .resume = serial_resume },
	.stuck = {
		.holds = "runs one group until it ends or waits for other threads; the others stand by until "
			"then" },
};
