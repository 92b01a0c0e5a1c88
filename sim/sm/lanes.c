/* Timed runs of mechanisms in which every lane is a core of its own (own_slots): a bound, not a machine. A
 * split has one lane.
 *
 * A lane issues its own instructions in order, scheduler.issue_width of them a cycle, each in the first cycle
 * in which what it reads is ready; as on the machine nothing follows a branch, a barrier or a warp-level
 * operation in its cycle. Nothing else holds a lane up: there are no fetches and no refills behind branches,
 * jumps that only the layout needs take no time, units and the load/store unit take every instruction at
 * once, banks do not conflict, and registers are renamed (a write waits only for a load into the same
 * register). Lanes of a warp that issue one memory instruction in one cycle make one access, for each line of
 * L1 where data come back.
 *
 * The uniform datapath does not change this: which instructions it has is decided before the mechanism
 * changes the kernel (sim/code/uniform.c), so their latencies are the same under each.
 *
 * So, lane by lane, no machine of this configuration is earlier. Let c(k) be the cycle in which a lane issues
 * its k-th instruction of the program. Under any mechanism these hold:
 * 	c(k) >= c(k-1),	+1 behind what nothing may follow;	c(k) >= c(k - issue_width) + 1;
 * 	c(k) >= c(j) + latency of j, for each j whose result it reads;
 * 	c(k) > the arrival of the last thread that it waits for, at a barrier or a warp-level operation.
 * Here c(k) is the least number for which they hold; so by induction over all lanes' instructions, in the
 * order of their cycles, c(k) is at most what it is under any mechanism. Other instructions that a mechanism
 * executes (operations of its own, jumps, instructions for lanes that do not take part) only add to c(k). A
 * block lives from its start to its last lane's end, and blocks take, in their order, the place that is free
 * first: if every block takes as long or less, so does the launch (the times at which places become free,
 * sorted, stay at most what they were). This holds as far as the SM: doc/reconvergence.md says what memory
 * beyond it may change. */
#include "sim/sm/operands.h"

/* What the lanes of one warp may still do in this cycle. */
typedef struct LaneTurn {
	uint8_t left[64];              /* by lane: instructions that it may still issue */
	Mask access;                 /* lanes whose next instruction is a memory instruction that can issue */
	When best;                     /* when the first of the other lanes may issue */
	bool issued;
} LaneTurn;

/* When all operands of the lane are there, and when the last one that it loads is. What all lanes have had
   before the present cycle is left out: it keeps nobody back. */
typedef struct LaneOperands { int64_t latest, load; } LaneOperands;

static inline LaneOperands find_lane_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i)
{
	int l = lowest_lane(s->mask), reads = i->nchk - i->nwr;
	int64_t latest = 0, load = 0;
	for (int k = 0; k < i->nchk; k++) {
		if (entry_cycle(w->ready[i->sb[k].name]) < sm->now)
			continue;
		Cycle entry = scoreboard_read(w, i->sb[k].name, l);
		int64_t ready = needed_ready(sm, &i->sb[k], entry);
		latest = k < reads && ready > latest ? ready : latest;
		load = entry_loaded(entry) && ready > load ? ready : load;
	}
	return (LaneOperands){ load > latest ? load : latest, load };
}

static inline When when_lane_has(const Sm *sm, const Split *s, LaneOperands o)
{
	return (When){ (Cycle)o.latest, s->pc, o.load > (int64_t)sm->now ? STALL_MEMORY : STALL_DATA };
}

When lanes_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i)
{
	return when_lane_has(sm, s, find_lane_operands(sm, w, s, i));
}

/* Does the split still wait for operands that it has been asked for since its last issue (Split.operands)?
   Its lane's entries of the scoreboard are written by its own issues only, and once more when it is known
   when data come. */
static inline bool waits_as_asked(const Sm *sm, const Split *s)
{
	return s->asked_pc == s->pc && s->operands.computed > sm->now && s->operands.computed < PENDING / 2;
}

/* The lane's next instruction. Jumps that only the layout needs take no time: the lane follows as many of
   them as there are blocks at most, for more would be an endless loop. */
static const MIns *next_instruction(Sm *sm, Warp *w, Split *s)
{
	Issue is = { .now = sm->now };
	for (int n = 0; n <= code_of(w)->nblock; n++) {
		const MIns *i = &w->ins[s->pc];
		if (i->kind != K_BRA || i->flags & MI_COND)
			return i;
		exec_issue(sm, w, s, &is);
	}
	return NULL;
}

/* After an issue: may the lane issue another instruction in this cycle? If not, its wait ends in a later
   one. */
static bool lane_goes_on(Sm *sm, LaneTurn *t, Split *s, const MIns *i, int lane)
{
	if (may_be_followed(i) && --t->left[lane] > 0)
		return true;
	t->left[lane] = 0;
	t->best = earlier_reason(t->best, s->state == SPLIT_RUN ? when_waited(s) : not_running(s));
	return false;
}

/* Issues the split's instruction, which does not access memory. False: the lane has ended. */
static bool issue_plain(Sm *sm, Warp *w, Split *s, const MIns *i, int lane)
{
	Issue is;
	int n = w->nsplit;
	is.now = sm->now;
	is.late = 0;
	s->wait = wait_until(sm->now + 1, STALL_DATA);
	s->asked_pc = NO_PC;
	exec_issue(sm, w, s, &is);
	scoreboard_computed(sm, w, i, is.executing, is.late);
	return w->nsplit == n;
}

/* Issues instructions of the split up to its next memory instruction. False: the lane has ended, and another
   split has its place in the list. */
static bool run_lane(Sm *sm, Warp *w, int k, LaneTurn *t)
{
	Split *s = &w->split[k];
	int lane = lowest_lane(s->mask);
	if (!t->left[lane])
		return true;
	if (s->released)
		split_released(sm, w, s);
	if (s->state != SPLIT_RUN || wait_end(&s->wait) > sm->now +
		(t->left[lane] < sm->gpu->config.sched_width)) {
		t->left[lane] = 0;
		t->best = earlier_reason(t->best, s->state == SPLIT_RUN ? when_waited(s) : not_running(s));
		return true;
	}
	if (waits_as_asked(sm, s)) {
		t->left[lane] = 0;
		t->best = earlier_reason(t->best, when_lane_has(sm, s,
			(LaneOperands){ (int64_t)s->operands.computed, (int64_t)s->operands.loaded }));
		return true;
	}
	for (;;) {
		const MIns *i = next_instruction(sm, w, s);
		When at = { sm->now + 1, s->pc, STALL_BRANCH };
		if (i) {
			LaneOperands o = find_lane_operands(sm, w, s, i);
			at = when_lane_has(sm, s, o);
			s->operands = (Operands){ (Cycle)o.latest, (Cycle)o.load };
			s->asked_pc = sm->try_all ? NO_PC : s->pc;
		}
		if (sm->fault.kind || at.cycle > sm->now) {
			t->left[lane] = 0;
			t->best = earlier_reason(t->best, at);
			return true;
		}
		if (is_memory_ins(i)) {
			t->access |= s->mask;
			return true;
		}
		t->issued = true;
		if (!issue_plain(sm, w, s, i, lane))
			return false;
		if (!lane_goes_on(sm, t, s, i, lane))
			return true;
	}
}

/* The lanes of t->access that stand where the first of them does make one access. */
static void access_together(Sm *sm, Warp *w, LaneTurn *t)
{
	Issue is = { .now = sm->now };
	Mask lanes = 0, first = t->access & -t->access;
	uint32_t pc = NO_PC;
	for (int k = 0; k < w->nsplit && pc == NO_PC; k++)
		pc = w->split[k].mask == first ? w->split[k].pc : NO_PC;
	for (int k = 0; k < w->nsplit; k++)
		lanes |= w->split[k].pc == pc ? w->split[k].mask & t->access : 0;
	const MIns *i = &w->ins[pc];
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].mask & lanes) {
			w->split[k].wait = wait_until(sm->now + 1, STALL_DATA);
			w->split[k].asked_pc = NO_PC;
		}
	exec_access(sm, w, lanes, pc, &is);
	scoreboard_loaded(sm, w, i, is.pending, PENDING, 0);
	t->issued = true;
	t->access &= ~lanes;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].mask & lanes)
			lane_goes_on(sm, t, &w->split[k], i, lowest_lane(lanes & w->split[k].mask));
}

static bool issue_warp(Sm *sm, Warp *w)
{
	LaneTurn t = { .best = { NEVER, NO_PC, STALL_BARRIER } };
	memset(t.left, (int)sm->gpu->config.sched_width, sizeof t.left);
	do {
		while (t.access && !sm->fault.kind)
			access_together(sm, w, &t);
		for (int k = 0; k < w->nsplit && !sm->fault.kind;)
			k += run_lane(sm, w, k, &t);
	} while (t.access && !sm->fault.kind);
	sm_sleep_until(w, t.issued ? (When){ sm->now + 1, NO_PC, STALL_DATA } : t.best);
	if (w->ending)
		sm_end_warp(sm, w);
	return t.issued;
}

bool lanes_issue(Sm *sm, Sched *d)
{
	bool issued = false;
	for (int k = 0; k < d->n && !sm->fault.kind; k++) {
		Warp *w = &sm->warp[d->order[k]];
		if (d->wake[k] > sm->now)
			continue;
		if (w->ending) {
			sm_end_warp(sm, w);
		} else if (issue_warp(sm, w) && !issued) {
			d->last = w->slot;
			issued = true;
		}
	}
	return issued;
}
