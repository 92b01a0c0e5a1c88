/* What the files of sim/sm/ use of each other. */
#ifndef GSIM_SM_INTERNAL_H
#define GSIM_SM_INTERNAL_H
#include "sim/sm/sm.h"

/* When the instruction at pc may issue, and the Stall until then; NO_PC = the one at which the warp's first
   split stands. */
typedef struct When { Cycle cycle; uint32_t pc; uint8_t why; } When;

/* By reason: its rank (sim/record/stats.h) in the highest byte, the reason in the lowest. The two bytes
   between have room for a warp's place. */
static const unsigned distance[STALL_COUNT] = {
#define S(ID, NAME, RANK, COLOUR, HELP) [STALL_##ID] = (unsigned)RANK << 24 | STALL_##ID,
	STALLS(S)
#undef S
};

/* Combines the answers of two splits or warps: the earlier cycle, and the reason nearer to an issue with its
   pc; where both have the same reason, a's if it has a pc. (A warp's search begins with STALL_BARRIER and no
   pc.) */
static inline When earlier_reason(When a, When b)
{
	When near = distance[b.why] < distance[a.why] ||
		(a.pc == NO_PC && (b.why == a.why || b.why == STALL_GRID)) ? b : a;
	near.cycle = b.cycle < a.cycle ? b.cycle : a.cycle;
	return near;
}

/* The answer of a split that is not in SPLIT_RUN and so waits for something. For a parked one it has no pc
   and the reason with which a search begins, so that the other splits of its warp give the reason. */
static inline When not_running(const Split *s)
{
	return s->state == SPLIT_PARKED ? (When){ NEVER, NO_PC, STALL_BARRIER }
		: (When){ NEVER, s->pc, s->wait.why };
}

static inline bool is_memory_ins(const MIns *i)
{
	return i->kind == K_LD || i->kind == K_ST || i->kind == K_ATOM;
}

/* In one scheduler-cycle another instruction of the split may follow this one. */
static inline bool may_be_followed(const MIns *i) { return i->kind < K_FENCE || i->kind == KM_SREG; }
_Static_assert(K_LD < K_ATOM && K_ST < K_ATOM && K_ATOM + 1 == K_FENCE, "what both functions assume");

/* Must the split wait for its turn in the load/store unit's queue? */
static inline bool is_held_by_queue(const Warp *w, const Split *s, const MIns *i)
{
	return i->kind >= K_LD && i->kind <= K_FENCE && (i->kind == K_FENCE ? fence_is_held(w, s) : w->lsu.n);
}

/* policies.c */
SchedPick *sched_pick(const Gpu *);      /* the policy of the machine, or of the mechanism where it has one */
void sched_leave_active(Sched *, int k);        /* two_level: the k-th warp leaves the active set */
/* issue.c */
/* false: no split of the warp can issue in this cycle, and the warp sleeps */
bool issue_from_warp(Sm *, Warp *);
/* After the issue of instruction `first` by split k of n, with these lanes: issues the split's next
   instruction in the same cycle, if the split is still there and the instruction can issue. Returns whether
   it did. */
bool issue_second(Sm *, Warp *, int k, int n, Mask lanes, const MIns *first);
static inline void sleep_warp(Sched *d, Warp *w, When t)
{
	d->wake[w->place] = t.cycle;
	d->wake_why[w->place] = t.why;
	d->wanted[w->place] = 0;
	w->waits_at = t.pc;
}
void sm_sleep_until(Warp *, When);
void sleep_after_issue(Sm *, Warp *); /* decides when the warp that has issued is tried again */
void sm_end_warp(Sm *, Warp *); /* the warp is ending: its slot becomes free when its accesses are complete */
/* slots.c: make the memory of a slot where it does not have enough, for a warp that runs the code, for a
   block */
void slot_for_warp(Sm *, Warp *, const Code *);
void slot_for_block(Sm *, Cta *);
int scoreboard_names(const Code *);            /* registers and predicates that a scoreboard knows */
/* quick.c */
/* TRY_NOT: nothing has been done, issue_from_warp is to be called */
typedef enum { TRY_NOT, TRY_ISSUED, TRY_ASLEEP } Try;
/* as issue_from_warp, for most warps and instructions */
Try issue_quick(Sm *, Sched *, Warp *);
/* arbiter.c */
/* The scheduler has wanted a copy of the unit, and none is free. Returns the first cycle at which one is. */
Cycle arbiter_in_vain(Sm *, Sched *, const UnitCopies *);
/* Returns a copy of the functional unit that can take an instruction of the scheduler now; NULL: none can
   before *when. Of several it is the last, because other kinds of instructions may share the first ones. */
static inline UnitCopy *arbiter_free_copy(Sm *sm, Sched *d, Unit u, Cycle *when)
{
	const UnitCopies *c = &d->unit[u];
	UnitCopy *x = &c->copy[c->n - 1];
	if (__builtin_expect(x->free <= sm->now, true))
		return x;
	while (x > c->copy)
		if ((--x)->free <= sm->now)
			return x;
	*when = arbiter_in_vain(sm, d, c);
	return NULL;
}
/* The copy of the unit takes an instruction of the scheduler's warp. */
static inline void take_unit(const Sm *sm, const Sched *d, const UnitCopies *c, UnitCopy *copy)
{
	copy->free = sm->now + c->interval;
	copy->taker = d->index;
	*c->had += d->share;
}
/* called between two cycles: changes the order of the n schedulers by what they have wanted in vain */
void arbiter_give_way(Sm *, int n);
/* idle.c */
void idle_fall_asleep(Sm *, Sched *);
/* lanes.c: every lane is a core of its own (own_slots) */
/* issues all that lanes of the scheduler's warps can in this cycle; false: nothing */
bool lanes_issue(Sm *, Sched *);
When lanes_operands(const Sm *, const Warp *, const Split *, const MIns *);
#endif
