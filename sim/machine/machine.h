/* The machine's state: GPU, SMs, thread blocks, warps; and what is done to it wherever it is advanced:
   records of events and faults, the services that mechanisms use (sim/reconv/core.h).

   sim/machine/ sees mechanisms as the table that the seam describes; it does not see what advances the
   machine. */
#ifndef GSIM_MACHINE_H
#define GSIM_MACHINE_H
#include "sim/machine/gpu.h"

/* sim/machine/check.c: from now on what the seam promises is asserted around every hook */
void gpu_check_model(Gpu *);

/* sim/machine/homes.c: splits whose lanes have several homes */
#define each_part(S, P) for (const Part *P = (S)->parts->part; P < (S)->parts->part + (S)->parts->n; P++)
/* true: the split, at a barrier or warp-level operation, has become one for each home */
bool homes_scatter(Sm *, Warp *, Split *);
/* the predicate's values in the split's lanes, each read in its home */
Mask homes_truth(const Split *, uint32_t pred);
Warp *homes_of(const Split *, int lane);
const Split *homes_split(const Warp *, int lane); /* the split that has the lane; NULL: none */
Mask homes_in(const Warp *, unsigned states); /* the warp's lanes in splits of these states, a bit for each */
void warp_end_check(Sm *, Warp *);    /* begins the warp's end if no lane is left in it and it carries none */
/* Lanes for which the predicate holds, or with neg does not. NO_ROW: the constant true. Bits outside the
   split mean nothing. */
static inline Mask split_holds(const Warp *w, const Split *s, uint32_t pred, bool neg)
{
	Mask m = pred == NO_ROW ? ~(Mask)0 : s->parts ? homes_truth(s, pred) : w->lanes.pred[pred];
	return neg ? ~m : m;
}
static inline Warp *split_home(Warp *w, const Split *s, int lane) { return s->parts ? homes_of(s, lane) : w; }

/* The split's next issue waits for the ticket (freed by sm_settle). */
void sm_wait(Sm *, Warp *, Split *, MemTicket *, Stall);
uint32_t sm_new_event(Sm *, Split *, Stall);   /* the split waits for it; events_tell says when it comes */
MemTicket *sm_ticket(Sm *);
void sm_fault_memory(Sm *, Warp *, const MIns *, FaultKind, int lane, Space, uint64_t addr, unsigned size);
void sm_fault(Sm *, Warp *, const MIns *, FaultKind, int lane, const char *fmt,
	...) __attribute__((format(printf, 6, 7)));
/* fmt: what is wrong; the message has the place before it. */
void sm_trace(Sm *, const Warp *, const Split *, TraceKind, Mask, uint64_t a, uint64_t b);
void sm_trace_block(Sm *, const Cta *, TraceKind, uint64_t b);
/* Something has happened to the warp: its scheduler tries it again. */
static inline void warp_wake(const Warp *w)
{
	w->sched->wake[w->place] = 0;
	w->sched->sleep = 0;
}
/* the lanes m of a name become ready at another time than its others */
void scoreboard_mix(Warp *, int name, Mask, Cycle);
/* The instruction's results are ready at `ready` in lanes m. load: they come from memory. */
static inline void scoreboard_write(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready, bool load)
{
	Cycle v = ready << 1 | load;
	const uint16_t *wr = i->sb + i->nchk - i->nwr;
	bool all = !sm->lane_scoreboard || !(w->live & ~m);
	for (int k = 0; k < i->nwr && (all || m); k++) {
		if (!all) {
			scoreboard_mix(w, wr[k], m, v);
			continue;
		}
		w->ready[wr[k]] = v;
		if (w->mixed)
			w->mixed[wr[k]] = false;
	}
}
/* What the lanes m load is known to be there at `ready`: the warp, which may end before, keeps its slot so
   long. */
static inline void write_loaded(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready)
{
	scoreboard_write(sm, w, i, m, ready, true);
	if (m && comes_back(i) && ready > w->drain)
		w->drain = ready;
}
static inline Cycle scoreboard_read(const Warp *w, int name, int lane)
{
	return w->mixed && w->mixed[name] ? w->lane_ready[name * w->lanes.width + lane] : w->ready[name];
}
/* One access of an instruction is done at *ready. True: all are, and *ready is when the last one is. */
static inline bool whole_ready(Sm *sm, MemTicket *t, Cycle *ready)
{
	Whole *all = t->whole;
	if (!all)
		return true;
	t->whole = NULL;
	if (all->ready < *ready)
		all->ready = *ready;
	*ready = all->ready;
	if (--all->parts)
		return false;
	vec_push(&sm->wholes, all);
	return true;
}
/* The mechanism's state has changed: the statistics take in its depth. */
static inline void note_depth(Sm *sm, Warp *w)
{
	int d = sm->gpu->model->depth(w);
	w->stack_depth = (uint32_t)d;
	if ((uint64_t)d > w->share->stats.max_depth)
		w->share->stats.max_depth = (uint64_t)d;
}
static inline const Launch *launch_of(const Warp *w) { return w->share->grid->launch; }
static inline Origin origin_of(const Warp *w, const MIns *i)
{
	return (Origin){ w->share->grid, w->cta->number, (uint32_t)w->index, (uint32_t)(i - w->ins) };
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
/* Lanes of the warp have the instruction's data at `then`. Timed runs. */
void tracer_return(Sm *, const Warp *, const MIns *, Mask, Cycle issued, Cycle then);
/* Events before `end` that were known in advance take their places in the share's events. */
void tracer_merge(Share *, Cycle end);
extern void (*tracer_watch)(Sm *);     /* called after every tracer_cycle; for tests, else NULL */
/* The rows that show the warp's state now. Valid until the next call. */
const TraceRowVec *tracer_rows(Sm *, const Warp *);

static inline int warp_width(const Gpu *g) { return (int)g->config.warp_size; }
/* of a block */
static inline uint64_t threads_of(const Launch *l)
{
	return (uint64_t)l->block[0] * l->block[1] * l->block[2];
}
#endif
