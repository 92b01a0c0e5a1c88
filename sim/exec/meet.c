/* Which lanes of a warp perform a warp-level operation together.
 *
 * By PTX a thread waits until all threads of its mask that have not ended have executed an operation with the
 * same qualifiers and the same mask, wherever that stands in the code. This is done under mechanisms that can
 * let lanes wait (sync_waits). Under other mechanisms an operation is performed by the lanes that have come
 * to one instruction together, and it is a fault if lanes of the mask are elsewhere, unless
 * divergence.bar_partial says otherwise. */
#include "sim/exec/internal.h"
#include "sim/machine/scoreboard.h"

/* The row that holds the mask of participating lanes; NO_ROW: those that execute it together. */
static uint32_t member_row(const MIns *i)
{
	switch (i->kind) {
	case K_WARPSYNC: case K_ELECT: return i->x.a;
	case K_VOTE: case K_MATCH: case K_REDUX: return i->x.b;
	case K_SHFL: return i->x.e;
	default: return NO_ROW;
	}
}

/* The lanes that lane l names as participants. */
static Mask named_lanes(const Warp *w, const MIns *i, int l)
{
	return (Mask)row32(&w->lanes, member_row(i))[l] << ptx_base(l);
}

/* All lanes that one of the lanes m names as participants. */
static Mask members(const Warp *w, const MIns *i, Mask m)
{
	Mask all = 0;
	int l;
	each_lane(m, l)
		all |= named_lanes(w, i, l);
	return all;
}

bool exec_together_fits(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	char text[REFUSAL];
	uint32_t row = member_row(i);
	int l;
	if (is_constant(row) && (row == NO_ROW || lane_value(w, row, 0, 0) == 0xffffffffu))
		return true;
	each_lane(m, l) {
		const char *why = mask_refuses(lane_value(w, row, l, 0), l % PTX_WARP, text);
		if (why) {
			sm_fault(sm, w, i, FAULT_OPERAND, l, "%s", why);
			return false;
		}
	}
	return true;
}

/* ---- groups ---- */

/* The lanes of m that are in one PTX warp with lane l and, where the instruction has a mask, have the same
   one. */
static Mask like(const Warp *w, const MIns *i, Mask m, int l, uint32_t named)
{
	Mask same = 0;
	int k;
	m &= (Mask)UINT32_MAX << ptx_base(l);
	if (member_row(i) == NO_ROW)
		return m;
	const uint32_t *row = row32(&w->lanes, member_row(i));
	each_lane(m, k)
		same |= (Mask)(row[k] == named) << k;
	return same;
}

static void group_begin(Meeting *g, Mask want)
{
	g->lanes = 0;
	g->want = want;
	g->n = 0;
}

static void add_meeting_part(Meeting *g, const MIns *i, Mask m)
{
	if (!m)
		return;
	if (!g->n || g->part[g->n - 1].i != i)
		g->part[g->n++] = (MeetingPart){ .i = i };
	g->part[g->n - 1].lanes |= m;
	g->lanes |= m;
}

static uint32_t qualifiers(const MIns *i) { return same_qualifiers(i->op, i->x.mode, i->aop, i->type); }

/* Does one of the lanes wait in the split at a warp-level operation? Other splits may be of other warps'
   lanes. */
static bool waits_in_split(const Split *s, Mask lanes)
{
	return s->state == SPLIT_WARPSYNC && s->mask & lanes;
}

/* Lanes that wait at a warp-level operation and whose guard holds. */
static Mask waiting(const Warp *w, const Split *s)
{
	return s->state == SPLIT_WARPSYNC ? split_guarded(w, s, &w->ins[s->pc]) : 0;
}

static Mask all_waiting(const Warp *w)
{
	Mask m = 0;
	for (int k = 0; k < w->nsplit; k++)
		m |= waiting(w, &w->split[k]);
	return m;
}

/* The split in which lane l waits. */
static const Split *split_of(const Warp *w, int l)
{
	const Split *s = w->split;
	while (!waits_in_split(s, (Mask)1 << l))
		s++;
	return s;
}

/* The group of lane l: those lanes of `here`, all of which wait, whose operation has the same qualifiers and
   the same mask as that of lane l. */
static Meeting group_of(const Warp *w, int l, Mask here)
{
	const MIns *i = &w->ins[split_of(w, l)->pc];
	uint32_t named = row32(&w->lanes, member_row(i))[l];
	Meeting g;
	group_begin(&g, named_lanes(w, i, l) & w->live);
	for (int k = 0; k < w->nsplit; k++) {
		const Split *s = &w->split[k];
		const MIns *other = &w->ins[s->pc];
		Mask m = waiting(w, s) & here & g.want;
		if (m && qualifiers(other) == qualifiers(i))
			add_meeting_part(&g, other, like(w, other, m, l, named));
	}
	return g;
}

/* Lane l, at i, waits for lane k, which is at another operation or has another mask. Does lane k wait for
   lane l, too? Neither can ever go on then: true, after a fault. */
static bool lanes_crossed(Sm *sm, Warp *w, const MIns *i, int l, const MIns *other, int k)
{
	char text[REFUSAL];
	if (!(named_lanes(w, other, k) >> l & 1))
		return false;
	words_crossed(lane_value(w, member_row(i), l, 0), k % PTX_WARP, other->src,
		lane_value(w, member_row(other), k, 0), text);
	sm_fault(sm, w, i, FAULT_UNDEFINED, l, "%s", text);
	return true;
}

/* ---- operations of lanes that have come together ---- */

/* Lane l, of a group of the lanes m that execute i together, names others that are not in the group: may the
   group perform the operation all the same? False: a fault. */
static bool goes_without(Sm *sm, Warp *w, const MIns *i, Mask m, int l, const Meeting *g)
{
	Mask missing = g->want & w->live & ~g->lanes;
	int k;
	each_lane(missing & m, k)
		if (lanes_crossed(sm, w, i, l, i, k))
			return false;
	int64_t how = sm->gpu->config.bar_partial;
	if (!missing || (how != BAR_ERROR && how != BAR_WHOLE_WARP))
		return true;
	exec_refuses(sm, w, i, "part of the lanes of its mask (%#llx of %#llx) come to %s together",
		(unsigned long long)g->lanes, (unsigned long long)(g->want & w->live), op_info[i->op].name);
	return false;
}

/* Performs the operation for each group of the lanes m, which execute i together, and raises *late to the
   most that warp_op_perform says. False: a fault. */
static bool perform_each(Sm *sm, Warp *w, const MIns *i, Mask m, Cycle *late)
{
	bool masked = member_row(i) != NO_ROW;
	for (Mask left = m; left;) {
		int l = lowest_lane(left);
		Mask same = like(w, i, left, l, masked ? lane_value(w, member_row(i), l, 0) : 0);
		Meeting g;
		group_begin(&g, masked ? named_lanes(w, i, l) : same);
		add_meeting_part(&g, i, same & g.want);
		if (!goes_without(sm, w, i, m, l, &g))
			return false;
		Cycle own = warp_op_perform(w, &g);
		*late = own > *late ? own : *late;
		left &= ~same;
	}
	return true;
}

/* ---- waiting ---- */

bool exec_put_aside(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	const ReconvModel *model = sm->gpu->model;
	if (!model->sync.gather || !m)
		return false;
	Mask want = w->live & (i->kind == K_BAR ? w->live : member_row(i) == NO_ROW ? 0 : members(w, i, m));
	if (!(want & ~s->mask) || !model->sync.gather(w, s, want))
		return false;
	w->stack_depth = (uint32_t)model->depth(w);
	return true;
}

/* Tells the mechanism of splits that have been let go and have come to a marked place (reach). The hook may
   merge, remove or add splits, so the list is looked through again after each. */
static void tell_arrivals(Sm *sm, Warp *w)
{
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (!s->arriving)
			continue;
		s->arriving = false;
		if (w->ins[s->pc].flags & MI_REACH) {
			sm->gpu->model->reach(w, s);
			k = -1;
		}
	}
	w->stack_depth = (uint32_t)sm->gpu->model->depth(w);
}

/* Takes from `here` the lanes of splits that have one of m: a split goes on with all its lanes, or waits. */
static Mask without_splits(const Warp *w, Mask here, Mask m)
{
	for (int k = 0; k < w->nsplit; k++)
		if (waits_in_split(&w->split[k], m))
			here &= ~w->split[k].mask;
	return here;
}

/* The waiting lanes that can go on: those of splits in which every lane has all lanes of its mask waiting
   with it. */
static Mask complete_lanes(const Warp *w)
{
	Mask here = all_waiting(w), bad;
	do {
		bad = 0;
		for (Mask m = here; m;) {
			Meeting g = group_of(w, lowest_lane(m), here);
			if (g.want & ~g.lanes)
				bad |= g.lanes;
			m &= ~g.lanes;
		}
		here = without_splits(w, here, bad);
	} while (bad);
	return here;
}

/* Cycles from the operation, once it is complete, to the next instruction of its lanes. */
static Cycle warp_sync_cycles(const Sm *sm, const MIns *i)
{
	return i->kind == K_WARPSYNC ? (Cycle)sm->gpu->config.barrier_warp : 1;
}

/* Lets splits with lanes of m go on behind their operations. A mechanism with the hook sync.met is told of
   each place where such splits stand; for others they are marked as arriving (tell_arrivals). Their results
   are there when the latency of the unit has passed from now on, and `late` cycles more. */
static void resume_behind_meeting(Sm *sm, Warp *w, Mask m, Cycle late)
{
	Path place[64];
	int n = 0;
	bool tells = sm->gpu->model->sync.met != NULL;
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (!waits_in_split(s, m))
			continue;
		const MIns *i = &w->ins[s->pc];
		split_resumes(sm, w, s, sm->now + warp_sync_cycles(sm, i));
		if (!sm->gpu->options.functional)
			scoreboard_computed(sm, w, i, split_guarded(w, s, i), late);
		s->pc++;
		s->arriving = !tells;
		int p = 0;
		while (p < n && place[p].pc != s->pc)
			p++;
		if (p == n)
			place[n++] = (Path){ .pc = s->pc };
		place[p].mask |= s->mask;
	}
	for (int p = 0; tells && p < n; p++)
		sm->gpu->model->sync.met(w, place[p].pc, place[p].mask);
	tell_arrivals(sm, w);
	warp_wake(w);
}

/* Lanes whose masks are complete perform their operations and go on. False: there are none. *late: raised to
   the most that warp_op_perform says. */
static bool meet_complete(Sm *sm, Warp *w, Cycle *late)
{
	Mask here = complete_lanes(w);
	for (Mask m = here; m;) {
		Meeting g = group_of(w, lowest_lane(m), here);
		Cycle own = warp_op_perform(w, &g);
		*late = own > *late ? own : *late;
		m &= ~g.lanes;
	}
	if (here)
		resume_behind_meeting(sm, w, here, *late);
	return here != 0;
}

void warpsync_recheck(Sm *sm, Warp *w)
{
	Cycle late = 0;
	while (meet_complete(sm, w, &late))
		;
}

/* Do lanes of m, which have come to i, and lanes that wait wait for each other in vain? */
static bool some_crossed(Sm *sm, Warp *w, const MIns *i, Mask m)
{
	Mask here = all_waiting(w);
	while (m) {
		int l = lowest_lane(m), k;
		Meeting g = group_of(w, l, here);
		each_lane(g.want & here & ~g.lanes, k)
			if (lanes_crossed(sm, w, i, l, &w->ins[split_of(w, k)->pc], k))
				return true;
		m &= ~g.lanes;
	}
	return false;
}

Cycle exec_warp_op(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	Cycle late = 0;
	if (!sm->gpu->model->sync_waits || member_row(i) == NO_ROW || !m) {
		if (perform_each(sm, w, i, m, &late)) {
			wait_not_before(&s->wait, sm->now + warp_sync_cycles(sm, i), STALL_WARPSYNC, sm->now);
			split_step_over(sm, w, s);
		}
		return late;
	}
	Mask want = members(w, i, m);
	Mask kept = want & w->live & s->mask & ~m;
	if (kept) {
		sm_fault(sm, w, i, FAULT_BARRIER, lowest_lane(m),
			"its mask names lanes %#llx, which have come with it and whose guard does not hold; "
			"mechanism %s cannot let them go on alone: a branch in place of the guard can",
			(unsigned long long)kept, sm->gpu->model->name);
		return 0;
	}
	s->state = SPLIT_WARPSYNC;
	s->wait.why = STALL_WARPSYNC;
	s->sync_mask = want;
	if (!meet_complete(sm, w, &late) && !some_crossed(sm, w, i, m))
		split_tell_wait(sm, w, s);
	return late;
}
