/* The machine's state (GPU, SMs, thread blocks, warps), and functions for all code that advances the machine:
   trace events, faults, the scoreboard, and the services that the core offers to mechanisms
   (sim/reconv/core.h).

   sim/machine/ sees mechanisms only as the table of functions that sim/reconv/seam.h describes; it does not
   see the code that advances the machine. */
#ifndef GSIM_MACHINE_H
#define GSIM_MACHINE_H
#include "sim/machine/gpu.h"

/* sim/machine/check.c: from now on every hook of the mechanism runs between two checks of what
   sim/reconv/seam.h promises */
void gpu_check_model(Gpu *);

/* sim/machine/homes.c: splits whose lanes have several homes */
#define each_part(S, P) for (const Part *P = (S)->parts->part; P < (S)->parts->part + (S)->parts->n; P++)
/* Lanes of several homes do not issue this instruction together: it is a barrier or a warp-level
   operation. */
static inline bool homes_scatters(const MIns *i) { return i->kind >= K_BAR && i->kind <= K_ELECT; }
/* If the split is at such an instruction and may issue, replaces it by one split for each
   home of its lanes. Returns whether it did. */
bool homes_scatter(Sm *, Warp *, Split *);
/* the split's lanes for which the predicate holds; each lane's predicate is read in the lane's home */
Mask homes_truth(const Split *, uint32_t pred);
Warp *homes_of(const Split *, int lane);
/* the split that has this lane of the warp; NULL: none has it */
const Split *homes_split(const Warp *, int lane);
/* the warp's lanes that are in splits of these states; bit k of `states` stands for SplitState k */
Mask homes_in(const Warp *, unsigned states);
/* begins the warp's end if all its threads have ended and there is no split in its list */
void warp_end_check(Sm *, Warp *);
/* The lanes for which the predicate holds, or with `neg` those for which it does not. pred = NO_ROW stands
   for the constant true. Bits of the result outside the split's mask mean nothing. */
static inline Mask split_holds(const Warp *w, const Split *s, uint32_t pred, bool neg)
{
	Mask m = pred == NO_ROW ? ~(Mask)0 : s->parts ? homes_truth(s, pred) : w->lanes.pred[pred];
	return neg ? ~m : m;
}
static inline Warp *split_home(Warp *w, const Split *s, int lane) { return s->parts ? homes_of(s, lane) : w; }

/* The split may not issue before the ticket's access is done. The ticket is freed: at once if the cycle in
   which the access is done is known already, else by sm_settle. */
void sm_wait(Sm *, Warp *, Split *, MemTicket *, Stall);
/* makes a new event, for which the split waits; events_tell will say when the event comes */
uint32_t sm_new_event(Sm *, Split *, Stall);
MemTicket *sm_ticket(Sm *);
void sm_fault_memory(Sm *, Warp *, const MIns *, FaultKind, int lane, Space, uint64_t addr, unsigned size);
void sm_fault(Sm *, Warp *, const MIns *, FaultKind, int lane, const char *fmt,
	...) __attribute__((format(printf, 6, 7)));
/* sm_fault: fmt says what is wrong; in the message the place comes before it. */
void sm_trace(Sm *, const Warp *, const Split *, TraceKind, Mask, uint64_t a, uint64_t b);
void sm_trace_block(Sm *, const Cta *, TraceKind, uint64_t b);
/* To be called when the states of the warp's splits, or their places in the list, may have changed. */
static inline void splits_changed(Warp *w)
{
	w->runner = RUNNER_UNKNOWN;
	w->changed |= CHANGED_SPLITS;
	w->next.computed = NEVER;
	w->quick = NULL;
}
/* To be called when something has happened that may let the warp issue: its scheduler tries the warp
   again. */
static inline void warp_wake(const Warp *w)
{
	w->sched->wake[w->place] = 0;
	w->sched->wanted[w->place] = 0;
	splits_changed((Warp *)w);
	w->sched->sleep = 0;
}
/* The ticket's access is done at *ready. Returns true when this was the last access of its instruction, which
   may make one for each space (Whole): *ready is then the cycle in which all of them are done, and *level the
   level that has served the last of them. */
static inline bool whole_ready(Sm *sm, MemTicket *t, Cycle *ready, uint8_t *level)
{
	Whole *all = t->whole;
	if (!all)
		return true;
	t->whole = NULL;
	if (all->ready < *ready || (all->ready == *ready && all->level < *level))
		all->ready = *ready, all->level = *level;
	*ready = all->ready;
	*level = all->level;
	if (--all->parts)
		return false;
	vec_push(&sm->wholes, all);
	return true;
}
/* To be called when the mechanism's state of the warp has changed: notes the depth, for the warp and for the
   statistics, which keep the greatest depth. */
static inline void note_depth(Sm *sm, Warp *w)
{
	const ReconvModel *model = sm->gpu->model;
	int d = model->depth(w);
	if (sm->knows_meeting)
		w->meets_at = model->meets_at(w);
	w->stack_depth = (uint32_t)d;
	splits_changed(w);
	if ((uint64_t)d > w->share->totals.max_depth)
		w->share->totals.max_depth = (uint64_t)d;
}
/* The warp's split comes to pc, which is that of instruction i. Has the mechanism to be told? */
static inline bool must_reach(const Sm *sm, const Warp *w, const MIns *i, uint32_t pc)
{
	return i->flags & MI_REACH && (!sm->knows_meeting || pc == w->meets_at);
}
static inline const Launch *launch_of(const Warp *w) { return w->share->grid->launch; }
/* a coordinate, 0 to 2, of the lane's thread in its block */
static inline uint32_t thread_id(const Warp *w, int coordinate, int lane)
{
	return w->tid[coordinate * w->lanes.width + lane];
}
static inline WarpOrigin origin_of(const Warp *w, const MIns *i)
{
	return (WarpOrigin){ w->share->grid, w->cta->number, (uint32_t)w->index, (uint32_t)(i - w->ins) };
}
static inline const Code *code_of(const Warp *w) { return w->share->grid->code; }

/* ---- traces: sim/machine/tracer.c ---- */
static inline bool tracing(const Sm *sm) { return sm->gpu->options.trace != NULL; }
void tracer_wrap(Gpu *);         /* every call of a hook of the mechanism is told to the tracer from now on */
void tracer_open(const Sm *, Share *);
void tracer_close(Share *);
void tracer_event(Share *, const Warp *, const TraceEvent *); /* w: the warp that has changed; NULL: none */
/* Called when the cycle's issues have been made: writes events for what has changed in each grid's warps and
   for schedulers that stand still. */
void tracer_cycle(Sm *);
/* Records that these lanes of the warp have the data of the instruction, which issued at `issued`, at cycle
   `then`. Timed runs only. */
void tracer_return(Sm *, const Warp *, const MIns *, Mask, Cycle issued, Cycle then);
/* Moves the events before cycle `end` that were known in advance (tracer_return) to their places among the
   share's events. */
void tracer_merge(Share *, Cycle end);
extern void (*tracer_watch)(Sm *);     /* called after every tracer_cycle; for tests, else NULL */
/* The rows that show the warp's state now. Valid until the next call. */
const TraceRowVec *tracer_rows(Sm *, const Warp *);

static inline int warp_width(const Gpu *g) { return (int)g->config.warp_size; }
/* the threads of a block of the launch */
static inline uint64_t threads_of(const Launch *l)
{
	return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}
#endif
