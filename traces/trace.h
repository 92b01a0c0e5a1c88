/* Event traces of a run: a versioned, zlib-compressed file; doc/trace.md is the format.
 * The code here knows only numbers of SMs, warps, pcs and reasons: the writer gives the names.
 *
 * traces/ is the file of events: writing, reading, exporting. It may include lib/ only; sim/ writes traces,
 * tools/ shows them. */
#ifndef GSIM_TRACE_H
#define GSIM_TRACE_H
#include "lib/diag.h"
#include "traces/rows.h"
#include <stdint.h>

#define TRACE_EVENTS(X) /* id, name, meaning of a and b */ \
	X(ISSUE, "issue", "a = pc, b = 0") \
	X(PUSH, "push", "a = pc the entry resumes at, b = depth after") \
	X(POP, "pop", "a = pc resumed, b = depth after") \
	X(SPILL, "spill", "a = entries moved, b = depth") \
	X(FILL, "fill", "a = entries moved, b = depth") \
	X(RECONVERGE, "reconverge", "a = pc, b = groups merged") \
	X(BARRIER_WAIT, "barrier_wait", "a = barrier (16: of the grid), b = threads arrived so far") \
	X(BARRIER_RELEASE, "barrier_release", "a = barrier (16: of the grid), b = threads released") \
	X(MEMORY, "memory", "a = lowest address, b = sectors (functional runs have none)") \
	X(BLOCK_START, "block_start", "a = thread block number, b = threads") \
	X(BLOCK_END, "block_end", "a = thread block number, b = 0") \
	X(EXIT, "exit", "a = pc, b = lanes left") \
	X(ENTER, "enter", "a row of the mechanism's state is new: a = its pc, b = its place in its table") \
	X(REWRITE, "rewrite", "a row is another one: a = its pc, b = its place") \
	X(LEAVE, "leave", "rows are gone: a = how many, b = the first one's place") \
	X(STALL, "stall", "a scheduler issues nothing from here to its next issue or stall: a = scheduler, " \
		"b = reason; 65535: it spends the cycle without an instruction") \
	X(RETURN, "return", "the last datum of a load or atomic operation has come: a = its pc, b = cycle " \
		"of its memory event") \
	X(WARP_START, "warp_start", "a = thread block number, b = index in the block") \
	X(WARP_END, "warp_end", "a = thread block number, b = index in the block")

typedef enum {
#define X(ID, NAME, HELP) TR_##ID,
	TRACE_EVENTS(X)
#undef X
	TR_COUNT
} TraceKind;
extern const char *const trace_kind_name[TR_COUNT];
enum { TRACE_GRID_BARRIER = 16 };

typedef struct TraceEvent {
	uint64_t cycle;        /* counted from the launch's begin; functional runs: the number of the issue */
	/* lanes of the event; in enter and rewrite, mask, a and split are the row's lanes, pc and split */
	uint64_t mask;
	uint64_t a, b;
	uint16_t sm, warp, split;      /* warp: slot in the SM; split: index in the warp */
	uint16_t depth;                /* depth of the mechanism's structure after the event */
	uint8_t kind;
	/* enter and rewrite: the row; leave: only row.kind is used, the kind of the first row that has
	   left */
	TraceRow row;
} TraceEvent;

typedef struct TraceIns {              /* one machine instruction, by pc */
	const char *function, *block, *text, *file;
	int line;
	bool block_start, branch, overhead, inserted; /* overhead: lowering added it; inserted: a pass did */
} TraceIns;

typedef struct TraceLaunch {           /* what stands before a launch's events */
	const char *kernel, *machine, *model;
	/* a hash of the machine; configuration, changed and passes are "" in traces of version 1 */
	const char *configuration;
	const char *changed;           /* changes of the machine file: "key=value key=value" */
	const char *passes;            /* "" = none */
	uint32_t grid[3], block[3];
	int warp_size, sms;
	int nins;
	const TraceIns *ins;
	bool timed;                    /* timed and schedulers: false and 0 in traces before version 3 */
	int schedulers;                /* schedulers of an SM; a warp belongs to number (slot modulo this) */
	int nreasons;
	const char *const *reason;     /* names of the reasons of stalls */
	/* number of the run (trace_run); stream, 0 is the default one; these and `started` are -1, 0, 0 in
	   traces before version 4 */
	int run, stream;
	/* timed: the cycle 0 of the launch on the run's clock, which launches of all streams share */
	uint64_t started;
} TraceLaunch;

typedef struct TraceWriter TraceWriter;
TraceWriter *trace_create(const char *path, Diag *);   /* NULL with an error */
/* Begins a run, on a machine whose clock begins at 0. Returns the run's number, from 0. */
int trace_run(TraceWriter *);
void trace_launch(TraceWriter *, const TraceLaunch *); /* begins a launch; copies what it needs */
void trace_event(TraceWriter *, const TraceEvent *);   /* in order of (cycle, sm) within a launch */
/* the same with several events in a row */
void trace_events(TraceWriter *, const TraceEvent *from, const TraceEvent *to);
bool trace_close(TraceWriter *, Diag *);               /* false: something could not be written */

typedef struct TraceReader TraceReader;
TraceReader *trace_open(const char *path, Diag *);
/* Reads the next item. 1: an event, 2: the start of a launch (*launch stays valid until the launch after the
   next is read), 0: the end, -1: an error (in diag). */
int trace_next(TraceReader *, TraceEvent *, const TraceLaunch **launch);
int trace_version(const TraceReader *);        /* the version of the format */
/* The number of launches, if the trace has an index; else -1. */
int64_t trace_launches(TraceReader *);
/* Goes to a launch, whose number must be below trace_launches, and to the last place in it that the index
   names and that is not behind the last event of `cycle`. From then on trace_next first gives events that
   lead to the state at that place, then the events behind it. *reached: the cycle of the last event before
   that place. NULL: an error. */
const TraceLaunch *trace_seek(TraceReader *, uint64_t launch, uint64_t cycle, uint64_t *reached);
/* Goes to the launch as trace_seek does, but trace_next then gives the events of the file in order: all
   events from cycle `from` on, and some before that cycle, as many as the index does not allow to skip. */
const TraceLaunch *trace_seek_events(TraceReader *, uint64_t launch, uint64_t from);
void trace_reader_free(TraceReader *);
#endif
