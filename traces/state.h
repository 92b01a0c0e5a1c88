/* The state of a launch at a moment, which follows from the events up to then: what the mechanism holds for
 * each warp, the thread block of each warp slot, why each scheduler stands still. Recorder and reader follow
 * the same rules, so a trace need not say what follows from an issue: that the split stands at the next
 * instruction. */
#ifndef GSIM_TRACE_STATE_H
#define GSIM_TRACE_STATE_H
#include "lib/vec.h"
#include "traces/trace.h"

typedef Vec(TraceRow) TraceRowVec;

typedef struct TraceWarp {
	uint16_t sm, slot;
	uint16_t depth;
	bool used;                     /* a warp is in the slot */
	uint64_t block, index;         /* number of its thread block; index of the warp in the block */
	uint64_t since;                /* cycle in which the warp came into the slot */
	uint64_t lanes, ended;         /* lanes of the warp; lanes that have ended */
	int running;                   /* rows of the stack that run: FLAG_RUNS */
	TraceRowVec table[TABLE_COUNT];
} TraceWarp;

enum { WHY_ISSUES = 0xffff };
/* why: WHY_ISSUES: the scheduler issued last in cycle `since`; else the reason why it has not issued since
   then */
typedef struct TraceScheduler { uint16_t sm, number, why; uint64_t since; } TraceScheduler;

enum { NEAR_SLOTS = 128, NEAR_SMS = 512 };
typedef struct TraceState {
	/* schedulers of an SM, as the launch says: set after trace_state_clear; 0 = unknown */
	int schedulers;
	uint64_t cycle;                /* the cycle of the last event */
	uint64_t rows;                 /* number of rows in all tables */
	Vec(TraceWarp) warp;
	Vec(TraceScheduler) scheduler;
	/* places in `warp`, plus one; 0: none. near: of the first NEAR_SLOTS slots of NEAR_SMS SMs from
	   near_sm on, all of an SM side by side; place: a hash table of all others */
	Vec(int) near, place;
	unsigned near_sm;
} TraceState;

/* Changes the state as the event says. False: the event contradicts the state, whose rows stay as they
   were. */
bool trace_state_event(TraceState *, const TraceEvent *);
/* The warp in the slot; valid until this is called for another one. */
TraceWarp *trace_state_warp(TraceState *, unsigned sm, unsigned slot);
void trace_state_clear(TraceState *);          /* makes it the state before the first event */
void trace_state_free(TraceState *);

/* Emits the events that turn the warp's rows into `now`, table by table; rows are equal when all their
   members are. like: an event with the cycle, SM, warp and depth of those emitted. The first left_out[k] rows
   of table k stay as they are, and now[k] has the rows behind these. */
typedef void TraceEmit(void *self, const TraceEvent *);
void trace_state_differences(TraceState *, const TraceEvent *like, const TraceRowVec now[TABLE_COUNT],
	const int left_out[TABLE_COUNT], TraceEmit *, void *self);
/* Emits events that lead from the empty state to this one. */
void trace_state_replay(const TraceState *, TraceEmit *, void *self);
static inline bool trace_row_equal(const TraceRow *a, const TraceRow *b)
{
	return a->mask == b->mask && a->other == b->other && a->pc == b->pc && a->rpc == b->rpc &&
		a->n == b->n && a->m == b->m &&
		a->split == b->split && a->flags == b->flags && a->kind == b->kind;
}
#endif
