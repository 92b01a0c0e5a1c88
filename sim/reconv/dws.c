/* Dynamic warp subdivision: a warp parts into splits that compete for issue where that may hide latency
 * (Meng, Tarjan, Skadron, Dynamic Warp Subdivision for Integrated Branch and Memory Divergence Tolerance,
 * ISCA 2010).
 *
 * At a branch, if the block at its point is short (the paper's static choice) and the warp-split table has
 * room, all paths become splits at once. At other branches the paths run one after the other as on a stack: a
 * path is parked until the lanes of those before it have come to the point or ended. At a load whose data
 * only some lanes find in L1, these go on without the others: always (aggressive), if nothing else could
 * issue (lazy), or also later, when the warp stalls and nothing else issues (revive). Parts of a load become
 * one again at the beginning of a block where another part stands (merge = pc), or wait for each other at the
 * next conditional branch (merge = branch, the paper's BranchLimited); at the latest they meet at their
 * region's point.
 *
 * Lanes that wait for points are in sim/reconv/common/regions.h. A parked path runs early if all that it
 * waits for wait at a barrier or for a warp-level operation, since they may wait for it.
 *
 * Counted: depth = groups that do not wait at a point, parked ones included; pushes and pops = groups added
 * and gone; merges = points to which all lanes have come, and parts that became one before. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/points.h"
#include "sim/reconv/common/regions.h"
#include "sim/reconv/common/splits.h"

enum { P_SPLITS, P_BRANCHES, P_SHORT, P_MEMORY, P_MERGE };
enum { MEMORY_OFF, MEMORY_AGGRESSIVE, MEMORY_LAZY, MEMORY_REVIVE };
enum { MERGE_PC, MERGE_BRANCH };
static const ConfigKey params[] = {
	{ NULL, "splits", CT_INT, 0, 16, 1, 64, NULL, "splits",
		"entries of the warp-split table; when it is full nothing is subdivided (16: the paper)" },
	{ NULL, "branches", CT_BOOL, 0, 1, 0, 1, NULL, "",
		"subdivide at branches whose point begins a short block" },
	{ NULL, "short_block", CT_INT, 0, 50, 0, 100000, NULL, "instructions",
		"so long a block is short (50: the paper)" },
	{ NULL, "memory", CT_ENUM, 0, MEMORY_REVIVE, 0, 3, "off|aggressive|lazy|revive", "",
		"subdivide at loads that some lanes find in L1: always, if nothing else can issue, or later "
		"then" },
	{ NULL, "merge", CT_ENUM, 0, MERGE_PC, 0, 1, "pc|branch", "",
		"parts of a load become one where they meet at a block, or wait for each other at the next "
		"conditional branch" },
};

typedef struct Dws { Regions regions; Cycle alarm; } Dws;

static size_t dws_state_size(const Config *c) { return sizeof(Dws); }
static Member *member_of(Warp *w, Dws *k, const Split *s) { return &k->regions.member[s - reconv_splits(w)]; }

static bool dws_lower(LowerFn *l, Diag *diag)
{
	reconv_lower_reach(l, reconv_lower_param(l, P_MERGE) == MERGE_PC, false);
	return reconv_lower_ipdom(l, diag);
}

/* Must the split wait: for its family, or for lanes of earlier paths that are on their way and do not all
   wait for other lanes? */
static bool must_wait(Warp *w, Dws *k, const Split *s)
{
	const Member *g = member_of(w, k, s);
	Mask before = g->before & k->regions.r[g->region].pending;
	if (g->held || !before)
		return g->held;
	each_split(w, t)
		if (t->mask & before && !split_waits(t))
			return true;
	return false;
}

/* Runs the groups that may run, and parks the others. One that is parked has to be tried anew before lanes of
   it go on alone (may_part). */
static void run_groups(Warp *w, Dws *k)
{
	each_split(w, s) {
		bool waits = must_wait(w, k, s);
		if (waits)
			member_of(w, k, s)->stalled_lanes = 0;
		split_permit(w, s, !waits);
	}
}

/* Has the warp-split table room for so many more groups? All groups but parked ones have an entry. */
static bool has_room(Warp *w, int more)
{
	each_split(w, s)
		more += s->state != SPLIT_PARKED;
	return more <= reconv_param(w, P_SPLITS);
}

static void dws_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Dws *k = reconv_state(w);
	k->regions.merge = reconv_param(w, P_MERGE) == MERGE_PC;
	k->regions.most = 0;
	k->alarm = NO_ALARM;
	regions_launch(w, &k->regions, lanes, pc);
	reconv_turns(w, TURNS_ROTATE);
}

/* ---- branches ---- */

static bool is_short(Warp *w, const MIns *i)
{
	return i->rpc != NO_PC && reconv_ins(w, i->rpc)->from->ins.n <= reconv_param(w, P_SHORT);
}

/* The paths have become groups, or parts of groups. Sets for which lanes each of these groups waits: for
   those in `before` if the group is still in the region; in_turns: for the lanes of the paths before its own,
   too. */
static void order_paths(Warp *w, Dws *k, const Path *p, int n, Mask before, int region, bool in_turns)
{
	Mask earlier = 0;
	for (int a = 0; a < n; earlier |= p[a].mask, a++)
		for (int i = 0; i < *reconv_nsplit(w); i++) {
			Member *g = &k->regions.member[i];
			if (reconv_splits(w)[i].mask != p[a].mask)
				continue;
			*g = (Member){ .region = g->region, .order = g->order, .since = g->since };
			g->before = (g->region == region ? before : 0) | (in_turns ? earlier : 0);
		}
}

static void dws_reach(Warp *w, Split *s);

static void take_family_paths(Warp *w, Dws *k, Split *s, const MIns *i, const Path *p, int n)
{
	Member g = *member_of(w, k, s);
	if (n == 1) {
		s->pc = p->pc;
		run_groups(w, k);
		if (reconv_ins(w, p->pc)->flags & MI_REACH)
			dws_reach(w, s);
		return;
	}
	bool side_by_side = reconv_param(w, P_BRANCHES) && is_short(w, i) && has_room(w, n - 1);
	regions_branch(w, &k->regions, s, i, p, n);
	order_paths(w, k, p, n, g.before, g.region, !side_by_side);
	run_groups(w, k);
}

/* ---- parts of a load that wait for each other at a branch ---- */

static Mask lanes_held(Warp *w, Dws *k, const Member *like)
{
	Mask m = 0;
	for (int i = 0; i < *reconv_nsplit(w); i++) {
		const Member *g = &k->regions.member[i];
		if (g->held == like->held && g->family == like->family && g->region == like->region)
			m |= reconv_splits(w)[i].mask;
	}
	return m;
}

/* All lanes of the group's family have come to its branch: they become one group, which takes the branch. */
static void unite_family(Warp *w, Dws *k, Split *s)
{
	Member like = *member_of(w, k, s);
	Path p[2] = { { like.held->target, 0 }, { like.held->fall, 0 } };
	int first = -1, n = 0;
	for (int i = 0; i < *reconv_nsplit(w);) {
		Member *g = &k->regions.member[i];
		Split *t = &reconv_splits(w)[i];
		if (g->held != like.held || g->family != like.family || g->region != like.region) {
			i++;
			continue;
		}
		p[0].mask |= g->path[0].mask;
		p[1].mask |= g->path[1].mask;
		if (first < 0) {
			first = i++;
			continue;
		}
		regions_drop(w, &k->regions, t);
	}
	s = &reconv_splits(w)[first];
	s->mask = p[0].mask | p[1].mask;
	split_run(w, s);
	k->regions.member[first].held = NULL;
	k->regions.member[first].family = 0;
	reconv_count_merge(w, s, s->pc, s->mask);
	for (int a = 0; a < 2; a++)
		if (p[a].mask)
			p[n++] = p[a];
	take_family_paths(w, k, s, like.held, p, n);
}

static void forget_lanes(Warp *w, Dws *k, Mask m)
{
	for (int i = 0; i < *reconv_nsplit(w); i++)
		k->regions.member[i].family &= reconv_splits(w)[i].mask & m ? 0 : ~m;
}

/* Each family whose lanes are all at its branch takes the branch. A family does not wait for its lanes that
   wait at a barrier or for a warp-level operation, since these may wait for lanes held at the branch. */
static void unite_complete(Warp *w, Dws *k)
{
	for (int i = 0; i < *reconv_nsplit(w); i++) {
		const Member *g = &k->regions.member[i];
		if (!g->held)
			continue;
		Mask others = g->family & ~lanes_held(w, k, g);
		if (others & ~splits_waiting(w))
			continue;
		forget_lanes(w, k, others);
		unite_family(w, k, &reconv_splits(w)[i]);
		i = -1; /* the list has changed: begin again */
	}
}

/* Lanes m go elsewhere: their family waits for them no longer. */
static void leave_family(Warp *w, Dws *k, Mask m)
{
	forget_lanes(w, k, m);
	unite_complete(w, k);
}

static bool is_indexed_ins(const MIns *i) { return i->table != NULL; }

static void dws_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Dws *k = reconv_state(w);
	Member *g = member_of(w, k, s);
	if (!g->family || !(i->flags & MI_COND) || is_indexed_ins(i) || i->target == i->fall) {
		if (g->family && i->flags & MI_COND)
			leave_family(w, k, s->mask);
		take_family_paths(w, k, s, i, p, n);
		return;
	}
	g->held = i;
	g->path[0] = g->path[1] = (Path){ 0 };
	for (int a = 0; a < n; a++)
		g->path[p[a].pc != i->target] = p[a];
	s->pc = p[0].pc;
	unite_complete(w, k);
	run_groups(w, k);
}

/* ---- loads ---- */

static void subdivide(Warp *w, Dws *k, Split *s, Mask away)
{
	Member *g = member_of(w, k, s);
	if (!g->family && reconv_param(w, P_MERGE) == MERGE_BRANCH)
		g->family = s->mask;
	Split *t = regions_add(w, &k->regions, g->region, (Path){ s->pc, away }, s);
	Member *h = member_of(w, k, t);
	h->before = g->before;
	h->family = g->family;
	t->line = s->line;
	s->mask &= ~away;
	reconv_count_push(w, t, t->pc, t->mask);
}

static bool others_ready(Warp *w, const Split *s)
{
	each_split(w, t) {
		Cycle when;
		if (t == s || t->state != SPLIT_RUN || !wait_over(&t->wait, reconv_now(w)))
			continue;
		reconv_first_ready(w, t, &when);
		if (when <= reconv_now(w))
			return true;
	}
	return reconv_others_ready(w);
}

static void dws_loaded(Warp *w, Split *s, const MIns *i, Mask hits, Mask misses)
{
	Dws *k = reconv_state(w);
	int64_t when = reconv_param(w, P_MEMORY);
	if (when == MEMORY_OFF || !has_room(w, 1) || (when != MEMORY_AGGRESSIVE && others_ready(w, s)))
		return;
	subdivide(w, k, s, misses);
}

/* Lanes of s may go on alone when they have their data only if s has been tried in vain for want of data, and
   has been the same split since: it has neither issued nor changed its lanes, nor been parked. What has been
   tried, and why in vain, is the same wherever windows end; when data are known to come is not. So a split
   that lanes join is never parted at a time for which one of its parts has asked: whether that one could know
   the time depends on windows. */
static bool may_part(const Split *s, const Member *g)
{
	return s->state == SPLIT_RUN && g->stalled_lanes == s->mask && g->stalled > s->issued;
}

/* Asks the core for the earliest alarm of those splits that may still part. */
static void set_alarm(Warp *w, Dws *k)
{
	k->alarm = NO_ALARM;
	each_split(w, s) {
		const Member *g = member_of(w, k, s);
		if (may_part(s, g) && g->alarm < k->alarm)
			k->alarm = g->alarm;
	}
	reconv_alarm(w, k->alarm);
}

/* It is known now when data of the split's lanes come. */
static void dws_known(Warp *w, Split *s)
{
	Dws *k = reconv_state(w);
	Member *g = member_of(w, k, s);
	Cycle when;
	if (!may_part(s, g))
		return;
	Mask m = reconv_first_ready(w, s, &when);
	if (when < reconv_now(w))
		return;
	g->alarm = m == s->mask ? NO_ALARM : when;
	set_alarm(w, k);
}

/* The split has been tried in vain. With memory = revive, those of its lanes that have their data first may
   go on alone then; lanes that have had them for some time, from the next cycle on, if the table has room
   now. */
static bool dws_stall(Warp *w, Split *s, Stall why, Cycle until)
{
	Dws *k = reconv_state(w);
	Member *g = member_of(w, k, s);
	Cycle when, now = reconv_now(w);
	(void)until;
	if (why == STALL_MEMORY && reconv_param(w, P_MEMORY) == MEMORY_REVIVE) {
		Mask m = reconv_first_ready(w, s, &when);
		g->stalled = now;
		g->stalled_lanes = s->mask;
		g->alarm = m == s->mask || (when <= now && !has_room(w, 1)) ? NO_ALARM
			: when > now ? when : now + 1;
		set_alarm(w, k);
	} else if (k->alarm != NO_ALARM) {
		set_alarm(w, k); /* the split that has asked for it may be gone */
	}
	return false;
}

static void dws_alarm(Warp *w)
{
	Dws *k = reconv_state(w);
	for (int i = 0; i < *reconv_nsplit(w); i++) {
		Split *s = &reconv_splits(w)[i];
		Member *g = &k->regions.member[i];
		Cycle when, now = reconv_now(w);
		if (!may_part(s, g) || g->alarm > now)
			continue;
		g->alarm = NO_ALARM;
		if (s->released || !wait_over(&s->wait, now))
			continue;
		Mask m = reconv_first_ready(w, s, &when);
		if (m != s->mask && when <= now && has_room(w, 1) && !others_ready(w, s))
			subdivide(w, k, s, s->mask & ~m);
	}
	set_alarm(w, k);
}

/* ---- the other events ---- */

/* The split leaves its family, whose other lanes may then go on. Returns where in the list it is now. */
static Split *leave_family_alone(Warp *w, Dws *k, Split *s)
{
	Mask m = s->mask;
	if (member_of(w, k, s)->family)
		leave_family(w, k, m);
	for (s = reconv_splits(w); s->mask != m; s++)
		must(s < reconv_splits(w) + *reconv_nsplit(w));
	return s;
}

/* To be called when lanes have come to a point, ended, or begun to wait for others: decides which groups
   run. */
static void settle_families(Warp *w, Dws *k)
{
	regions_last_resort(w, &k->regions);
	run_groups(w, k);
}

static void dws_reach(Warp *w, Split *s)
{
	Dws *k = reconv_state(w);
	const Region *e = &k->regions.r[member_of(w, k, s)->region];
	if (!e->call && e->pc == s->pc)
		s = leave_family_alone(w, k, s);
	regions_reach(w, &k->regions, s);
	settle_families(w, k);
}

static void dws_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	Dws *k = reconv_state(w);
	s = leave_family_alone(w, k, s);
	int region = member_of(w, k, s)->region;
	regions_call(w, &k->regions, s, p, n, return_pc);
	order_paths(w, k, p, n, 0, region, true);
	run_groups(w, k);
}

static void dws_ret(Warp *w, Split *s, const Path *p, int n)
{
	Dws *k = reconv_state(w);
	regions_ret(w, &k->regions, leave_family_alone(w, k, s), p, n);
	settle_families(w, k);
}

static void dws_exit(Warp *w, Split *s, Mask m)
{
	Dws *k = reconv_state(w);
	regions_exit(w, &k->regions, leave_family_alone(w, k, s), m);
	settle_families(w, k);
}

static void dws_some_exit(Warp *w, Split *s, Mask m)
{
	Dws *k = reconv_state(w);
	regions_some_exit(w, &k->regions, s, m);
	leave_family(w, k, m);
	run_groups(w, k);
}

static void dws_wait(Warp *w, Split *s)
{
	Dws *k = reconv_state(w);
	unite_complete(w, k);
	settle_families(w, k);
}

static void dws_resume(Warp *w, Split *s) { run_groups(w, reconv_state(w)); }

static void dws_show(const Warp *w, Rows *rows)
{
	const Dws *k = reconv_state((Warp *)w);
	regions_show_groups(w, &k->regions, rows);
	each_split((Warp *)w, s) {
		const Member *g = &k->regions.member[s - reconv_splits((Warp *)w)];
		TraceRow r = trace_row(ROW_FAMILY, g->held ? (uint32_t)(g->held - reconv_code(w)->ins)
			: NO_PC, s->mask);
		r.split = (uint16_t)(s - reconv_splits((Warp *)w));
		r.other = g->family;
		if (g->family)
			reconv_show(rows, &r);
		for (int a = 0; a < 2 && g->held; a++) {
			TraceRow way = trace_row(ROW_WAY, g->path[a].pc, g->path[a].mask);
			way.split = r.split;
			if (way.mask)
				reconv_show(rows, &way);
		}
	}
}

static bool dws_held(const Warp *w, int lane, Held *h)
{
	return regions_held(&((Dws *)reconv_state((Warp *)w))->regions, lane, h, "the stack");
}

const ReconvModel reconv_dws = {
	.name = "dws",
	.help = "dynamic warp subdivision at branches and loads",
	.spills = SPILLS_NOTHING,
	.source = "Meng, Tarjan and Skadron, Dynamic Warp Subdivision for Integrated Branch and Memory "
	"Divergence Tolerance, ISCA 2010",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true, .all_branches = true,
	.lower = dws_lower, .state_size = dws_state_size, .launch = dws_launch, .branch = dws_branch,
	.reach = dws_reach, .call = dws_call, .ret = dws_ret, .exit = dws_exit, .some_exit = dws_some_exit,
	.depth = splits_depth, .show = dws_show,
	.sync = { .wait = dws_wait, .resume = dws_resume },
	.times = { .stall = dws_stall, .known = dws_known, .loaded = dws_loaded, .alarm = dws_alarm },
	.stuck = { .held = dws_held,
		.holds = "runs paths of a branch that it does not subdivide one after the other, and keeps "
		"lanes that have come to a point until all others have" },
};
