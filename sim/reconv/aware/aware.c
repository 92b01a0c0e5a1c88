/* AWARE: multi-path with a FIFO of splits, for programs whose threads wait for each other (ElTantawy, Aamodt,
 * MIMD Synchronization on SIMT Architectures, MICRO 2016). One group of a warp runs at a time, the first of a
 * FIFO; it gives way where lanes part or meet, when it waits, and after a quantum. When lanes have waited at
 * a reconvergence point for the time-out, and no more have come meanwhile, they go on, and meet the others at
 * the next point outside. The compiler's analysis says at which points that is needed: where the others may
 * be waiting for another thread (sim/reconv/aware/waits.c); elsewhere they come by themselves. With
 * `delayed`, the compiler moves points behind the writes for which spin loops may wait, so that lanes which
 * have such a write to do do not wait before it (sim/reconv/aware/points.c).
 *
 * Counted: depth, pushes, pops and merges as in multi_path; lanes that go on after a time-out count as a
 * push. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/aware/aware.h"
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/regions.h"
#include "sim/reconv/common/splits.h"

enum { P_TIMEOUT, P_QUANTUM, P_DELAYED, P_SPLITS, P_RT, P_SPILL, P_FILL };
static const ConfigKey params[] = {
	{ NULL, "timeout", CT_INT, 0, 10000, 0, 10000000, NULL, "cycles",
		"so long after the last lane that came lanes wait at a reconvergence point for some that may "
		"be waiting for them; 0 = for ever (assumption: some ten critical sections; functional runs "
		"count issues)" },
	{ NULL, "quantum", CT_INT, 0, 50, 0, 10000000, NULL, "cycles",
		"so long a group runs while others could; 0 = until lanes part, meet or wait (assumption: "
		"less than a memory access takes, so that spinning groups do not hold up who has the lock)" },
	{ NULL, "delayed", CT_BOOL, 0, 0, 0, 1, NULL, "",
		"points lie behind the writes that spin loops may wait for" },
	{ NULL, "splits", CT_INT, 0, 32, 0, 64, NULL, "groups",
		"entries of the FIFO on chip, 0 = unlimited (assumption: one for each lane, since every turn "
		"of a group from memory would be waited for)" },
	{ NULL, "rt", CT_INT, 0, 8, 0, 64, NULL, "regions",
		"entries of the reconvergence table on chip, 0 = unlimited (assumption)" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"an entry goes to memory (divergence.spill = constant; assumption)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"an entry comes back (divergence.spill = constant; assumption)" },
};

static bool aware_lower(LowerFn *l, Diag *diag)
{
	bool delayed = reconv_lower_param(l, P_DELAYED);
	if (!(delayed ? aware_lower_delayed : reconv_lower_ipdom)(l, diag))
		return false;
	aware_find_waits(l);
	return true;
}

static size_t aware_state_size(const Config *c) { return sizeof(Regions); }

/* The queue has no more groups than the warp has lanes. A quantum counts twice, since it begins again when
   the group has come from memory. Without quanta a group gives way where its lanes part: in a loop where
   lanes part, once in each iteration. */
static Patience aware_patience(const Config *c, const Code *code)
{
	const int64_t *p = c->model_param[c->model];
	return (Patience){ .first = (Cycle)p[P_TIMEOUT], .time = (Cycle)p[P_QUANTUM],
		.turns = 2 * (uint64_t)c->warp_size + 2,
		.branches = most_branches(code) };
}

/* Could a group other than the one at index `but` run? */
static bool others(Warp *w, int but)
{
	each_split(w, s)
		if (s != &reconv_splits(w)[but] && !split_waits(s))
			return true;
	return false;
}

/* How many cycles a turn lasts; 0 = no limit. The cycle in which a group gets the turn counts, but the group
   may issue from the next one on: with a quantum of 1 no group would ever issue, so 1 stands for 2. */
static Cycle turn_of(const Warp *w)
{
	Cycle quantum = (Cycle)reconv_param(w, P_QUANTUM);
	return quantum == 1 ? 2 : quantum;
}

/* May lanes for which others wait at the region's point be waiting for these? In loops of which the compiler
   says so; and at barriers, if no group of the warp can run. stuck: none can. */
static bool times_out(const Region *e, bool stuck) { return e->used && e->arrived && (e->may_wait || stuck); }

/* Sets the alarm to the next cycle in which a time-out of lanes at a point ends, or the running group's
   quantum. */
static void set_alarm(Warp *w, const Regions *k)
{
	Cycle timeout = (Cycle)reconv_param(w, P_TIMEOUT), quantum = turn_of(w), next = NO_ALARM;
	bool stuck = !others(w, *reconv_nsplit(w));
	for (int i = k->n - 1, left = timeout ? k->waiting : 0; left; i--)
		if (k->r[i].used && k->r[i].arrived) {
			left--;
			if (times_out(&k->r[i], stuck) && k->r[i].since + timeout < next)
				next = k->r[i].since + timeout;
		}
	int run = splits_running(w);
	if (quantum && run >= 0 && others(w, run) && k->member[run].since + quantum < next)
		next = k->member[run].since + quantum;
	reconv_alarm(w, next);
}

/* While there are more groups in the table of splits than it has entries, the newest one other than `keep`
   goes to memory. */
static void spill_last(Warp *w, Regions *k, Split *s, int keep)
{
	int most = (int)reconv_param(w, P_SPLITS);
	for (int here = regions_on_chip(w, k); most && here > most; here--) {
		int last = -1;
		for (int i = 0; i < *reconv_nsplit(w); i++)
			if (!k->member[i].spilled && i != keep &&
				(last < 0 || k->member[i].order > k->member[last].order))
				last = i;
		k->member[last].spilled = true;
		reconv_spill_entry(w, s, last, k->spill_cycles);
	}
}

/* Lets one group run, and parks the others: group `now`, or if that is -1, the group that has waited for
   longest. */
static void run_only(Warp *w, Regions *k, int now)
{
	regions_last_resort(w, k);
	int n = *reconv_nsplit(w), next = now;
	Split *all = reconv_splits(w);
	for (int i = 0; i < n; i++)
		if (now < 0 && !split_waits(&all[i]) && (next < 0 ||
			k->member[i].order < k->member[next].order))
			next = i;
	for (int i = 0; i < n; i++)
		if (i != next)
			split_permit(w, &all[i], false);
	if (next >= 0) {
		if (all[next].state == SPLIT_PARKED)
			k->member[next].since = reconv_now(w);
		split_permit(w, &all[next], true);
		if (k->member[next].spilled) {
			k->member[next].spilled = false;
			reconv_fill_entry(w, &all[next], next, k->fill_cycles);
		}
		spill_last(w, k, &all[next], next);
	}
	set_alarm(w, k);
}

static void aware_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Regions *k = reconv_state(w);
	k->merge = false;
	k->most = (int)reconv_param(w, P_RT);
	k->spill_cycles = (Cycle)reconv_param(w, P_SPILL);
	k->fill_cycles = (Cycle)reconv_param(w, P_FILL);
	regions_launch(w, k, lanes, pc);
}

static void aware_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Regions *k = reconv_state(w);
	regions_branch(w, k, s, i, p, n);
	run_only(w, k, -1);
}

/* The block that s has come to is the point of some region: s gives way only if that is its own region. */
static void aware_reach(Warp *w, Split *s)
{
	Regions *k = reconv_state(w);
	const Region *e = &k->r[k->member[s - reconv_splits(w)].region];
	if (e->call || e->pc != s->pc)
		return;
	regions_reach(w, k, s);
	run_only(w, k, -1);
}

static void aware_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	Regions *k = reconv_state(w);
	int at = (int)(s - reconv_splits(w));
	regions_call(w, k, s, p, n, return_pc);
	run_only(w, k, n == 1 && s->state == SPLIT_RUN ? at : -1);
}

static void aware_ret(Warp *w, Split *s, const Path *p, int n)
{
	Regions *k = reconv_state(w);
	int before = *reconv_nsplit(w), at = (int)(s - reconv_splits(w));
	Mask m = s->mask;
	regions_ret(w, k, s, p, n);
	run_only(w, k, *reconv_nsplit(w) == before && s->mask == m ? at : -1);
}

static void aware_exit(Warp *w, Split *s, Mask m)
{
	Regions *k = reconv_state(w);
	regions_exit(w, k, s, m);
	run_only(w, k, -1);
}

static void aware_some_exit(Warp *w, Split *s, Mask m) { regions_some_exit(w, reconv_state(w), s, m); }

static void aware_wait(Warp *w, Split *s) { run_only(w, reconv_state(w), splits_running(w)); }

/* The group s goes behind the others in the queue, and runs at once if none of them can. */
static void aware_resume(Warp *w, Split *s)
{
	Regions *k = reconv_state(w);
	int at = (int)(s - reconv_splits(w)), other = -1;
	k->member[at].order = ++k->orders;
	k->member[at].since = reconv_now(w);
	for (int i = 0; i < *reconv_nsplit(w); i++)
		if (i != at && reconv_splits(w)[i].state == SPLIT_RUN)
			other = i;
	run_only(w, k, other);
}

static bool coming(const Warp *w, const Split *s)
{
	return !wait_over(&s->wait, reconv_now(w)) && s->wait.why == STALL_DIVERGENCE;
}

static void aware_alarm(Warp *w)
{
	Regions *k = reconv_state(w);
	Cycle timeout = (Cycle)reconv_param(w, P_TIMEOUT), quantum = turn_of(w);
	bool stuck = !others(w, *reconv_nsplit(w));
	for (int i = 1; timeout && k->waiting && i < k->n; i++)
		if (times_out(&k->r[i], stuck) && k->r[i].since + timeout <= reconv_now(w))
			regions_release(w, k, i);
	int run = splits_running(w);
	bool over = run >= 0 && quantum && k->member[run].since + quantum <= reconv_now(w);
	/* the group has not issued in this turn yet: its quantum begins in the cycle in which it may */
	if (over && (k->member[run].untold || coming(w, &reconv_splits(w)[run]))) {
		const Split *s = &reconv_splits(w)[run];
		bool untold = wait_end(&s->wait) == PENDING; /* look again in the next cycle */
		k->member[run].untold = untold;
		k->member[run].since = untold ? reconv_now(w) + 1 - quantum : s->wait.known;
		over = k->member[run].since + quantum <= reconv_now(w);
	}
	if (over) {
		k->member[run].order = ++k->orders;
		k->member[run].since = reconv_now(w);
	}
	run_only(w, k, over ? -1 : run);
}

static void aware_show(const Warp *w, Rows *rows) { regions_show_groups(w, reconv_state((Warp *)w), rows); }

static bool aware_held(const Warp *w, int lane, Held *h)
{
	return regions_held(reconv_state((Warp *)w), lane, h, "the queue of groups");
}

const ReconvModel reconv_aware = {
	.name = "aware",
	.help = "multi-path with a queue of groups, one runs; waiting at points ends after a time-out",
	.spills = SPILLS_TABLE,
	.source = "ElTantawy and Aamodt, MIMD Synchronization on SIMT Architectures, MICRO 2016",
	.params = params, .nparams = sizeof params / sizeof *params,
	.fair = "timeout=1000,quantum=1000",
	.sync_waits = true, .lane_scoreboard = true,
	.lower = aware_lower, .state_size = aware_state_size, .launch = aware_launch, .branch = aware_branch,
	.reach = aware_reach, .call = aware_call, .ret = aware_ret, .exit = aware_exit,
	.some_exit = aware_some_exit, .depth = splits_depth, .show = aware_show,
	.sync = { .wait = aware_wait, .resume = aware_resume },
	.times = { .alarm = aware_alarm },
	.stuck = { .patience = aware_patience, .held = aware_held,
		.holds = "runs the first group of its queue until it parts, meets others, waits, or its turn "
		"is over (aware.quantum = 0: it never is), and keeps "
		"lanes at a reconvergence point until all others have come, or a time-out (aware.timeout = "
		"0: none) where these may be waiting for them" },
};
