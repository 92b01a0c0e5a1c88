/* Event traces of a run: a versioned, zlib-compressed file; doc/trace.md is the format.
 * Knows nothing of GPUs but numbers: whoever writes gives the names.
 *
 * traces/ is the file of events: writing, reading, exporting. It may include lib/ only; sim/ writes traces, tools/ shows them. */
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
	X(BARRIER_WAIT, "barrier_wait", "a = barrier, b = threads arrived so far") \
	X(BARRIER_RELEASE, "barrier_release", "a = barrier, b = threads released") \
	X(MEMORY, "memory", "a = lowest address, b = sectors (functional runs have none)") \
	X(BLOCK_START, "block_start", "a = thread block number, b = threads") \
	X(BLOCK_END, "block_end", "a = thread block number, b = 0") \
	X(EXIT, "exit", "a = pc, b = lanes left") \
	X(ENTER, "enter", "a row of the mechanism's state is new: a = its pc, b = its place in its table") \
	X(REWRITE, "rewrite", "a row is another one: a = its pc, b = its place") \
	X(LEAVE, "leave", "rows are gone: a = how many, b = the first one's place") \
	X(STALL, "stall", "a scheduler issues nothing from here to its next issue or stall: a = scheduler, b = reason; 65535: it spends the cycle without an instruction") \
	X(RETURN, "return", "the last datum of a load or atomic operation has come: a = its pc, b = cycle of its memory event") \
	X(WARP_START, "warp_start", "a = thread block number, b = index in the block") \
	X(WARP_END, "warp_end", "a = thread block number, b = index in the block")

typedef enum {
#define X(ID, NAME, HELP) TR_##ID,
	TRACE_EVENTS(X)
#undef X
	TR_COUNT
} TraceKind;
extern const char *const trace_kind_name[TR_COUNT];

typedef struct TraceEvent {
	uint64_t cycle;                /* within the launch; functional runs: the number of the issue */
	uint64_t mask;                 /* lanes; of enter and rewrite: the row's, as a is its pc and split its split */
	uint64_t a, b;
	uint16_t sm, warp, split;      /* warp: slot in the SM; split: index in the warp */
	uint16_t depth;                /* of the mechanism's structure, after the event */
	uint8_t kind;
	TraceRow row;                  /* of enter and rewrite; of leave: only its kind, that of the first row that is gone */
} TraceEvent;

typedef struct TraceIns {              /* one machine instruction, by pc */
	const char *function, *block, *text, *file;
	int line;
	bool block_start, branch, overhead, inserted; /* overhead: lowering added it; inserted: a pass did */
} TraceIns;

typedef struct TraceLaunch {           /* what stands before a launch's events */
	const char *kernel, *machine, *model;
	const char *configuration;     /* a hash of the machine; this and the next two: "" in traces of version 1 */
	const char *changed;           /* of the machine file: "key=value key=value" */
	const char *passes;            /* "" = none */
	uint32_t grid[3], block[3];
	int warp_size, sms;
	int nins;
	const TraceIns *ins;
	bool timed;                    /* this and the next: traces of version 3; before: false and 0 */
	int schedulers;                /* of an SM; a warp's is its slot modulo that */
	int nreasons;
	const char *const *reason;     /* names of the reasons of stalls */
	int run, stream;               /* this and the next: traces of version 4; before: -1, 0, 0. run: trace_run; stream: 0 is the default one */
	uint64_t started;              /* timed: its cycle 0 on its run's clock, on which launches of other streams run beside it */
} TraceLaunch;

typedef struct TraceWriter TraceWriter;
TraceWriter *trace_create(const char *path, Diag *);   /* NULL with an error */
int trace_run(TraceWriter *);                          /* the number, from 0, of a run that is to have launches in the trace: a machine whose clock begins at 0 */
void trace_launch(TraceWriter *, const TraceLaunch *); /* copies what it needs */
void trace_event(TraceWriter *, const TraceEvent *);   /* in order of (cycle, sm) within a launch */
bool trace_close(TraceWriter *, Diag *);               /* false: something could not be written */

typedef struct TraceReader TraceReader;
TraceReader *trace_open(const char *path, Diag *);
/* The next item: 1 an event, 2 the start of a launch (*launch stays valid until the next but one is read), 0 the end,
   -1 an error (in diag). */
int trace_next(TraceReader *, TraceEvent *, const TraceLaunch **launch);
int trace_version(const TraceReader *);        /* of its format */
/* The number of launches, if the trace has an index; else -1. */
int64_t trace_launches(TraceReader *);
/* Goes to that launch, less than trace_launches says, and on in it as far as the index can, but no farther than behind the last event of `cycle`:
   trace_next gives events that lead to the state there, then those behind it. *reached: the cycle of the last event before those. NULL: an error. */
const TraceLaunch *trace_seek(TraceReader *, uint64_t launch, uint64_t cycle, uint64_t *reached);
/* The same, but trace_next gives events of the launch in the order of the file, of which those from cycle `from` on are complete; what leads to them is
   not read, as far as the index can. */
const TraceLaunch *trace_seek_events(TraceReader *, uint64_t launch, uint64_t from);
void trace_reader_free(TraceReader *);
#endif
