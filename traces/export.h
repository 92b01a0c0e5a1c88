/* What becomes of a recorded trace: text, tables, timelines, sums. */
#ifndef GSIM_TRACE_EXPORT_H
#define GSIM_TRACE_EXPORT_H
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "traces/trace.h"
#include <stdio.h>

typedef struct TraceFilter {
	const char *kernel;            /* only launches of it; NULL: all */
	int64_t launch;                /* only that one, counted from 0; -1: all */
	int sm, warp;                  /* only these; -1: all */
	uint64_t from, to;             /* cycles, both included */
	uint32_t kinds;                /* bit k: events of kind k */
} TraceFilter;
#define TRACE_PLAIN_KINDS (((uint32_t)1 << TR_ENTER) - 1) /* what happens, without how rows of tables and schedulers change */
#define TRACE_EVERYTHING ((TraceFilter){ NULL, -1, -1, -1, 0, UINT64_MAX, ~(uint32_t)0 })

/* The launches of a trace, beside what a filter asks for. */
typedef struct TraceAsked {
	Arena arena;
	StrMap kernels;                /* each once, in the order of their first launches; list: their names */
	StrBuf list;
	int64_t launches;              /* seen */
	bool found;                    /* one passes the filter's kernel and launch */
	const char *of;                /* the kernel of the filter's launch */
} TraceAsked;
/* Notes a launch; true when it passes. */
bool trace_asked(TraceAsked *, const TraceFilter *, const TraceLaunch *, int64_t number);
/* Behind the last launch: false, with an error, when the filter names a kernel or a launch and nothing passes. */
bool trace_asked_found(const TraceAsked *, const TraceFilter *, Diag *);
void trace_asked_free(TraceAsked *);

/* One way to write a trace: what it does before all else, when a launch begins (numbered from 0), at an event, when a launch
   ends, and at the end. It writes to `out`; `state` is its own from begin to end. */
typedef struct TraceExport { FILE *out; void *state; int launch_number; const TraceLaunch *launch; } TraceExport;
typedef struct TraceExporter {
	const char *name, *help;
	void (*begin)(TraceExport *);
	void (*launch)(TraceExport *);
	void (*event)(TraceExport *, const TraceEvent *);
	void (*finish)(TraceExport *); /* the launch */
	void (*end)(TraceExport *);
} TraceExporter;
extern const TraceExporter trace_text, trace_csv, trace_perfetto, trace_summary;

/* Feeds what passes the filter to the exporter; false with errors in diag (what came before was exported). A filter that asks for some launches or cycles
   only is led to them by the trace's index, if it has one: damage elsewhere is not seen. */
bool trace_export(TraceReader *, const TraceExporter *, const TraceFilter *, FILE *out, Diag *);

/* What the mechanism holds at the end of that cycle of each launch, and why schedulers stand still; of what passes the filter's kernel, launch, SM and
   warp. By the trace's index, if it has one. */
bool trace_stack(TraceReader *, const TraceFilter *, uint64_t cycle, FILE *out, Diag *);

/* A line that says when the launch ran: its run, its stream, its start. None before version 4. */
void trace_when(const TraceLaunch *, FILE *out);
/* A line for each of the configuration, what it changes of the machine file, and the passes that the trace names. */
void trace_settings(const TraceLaunch *, FILE *out);
/* Which kind has this name; -1: none. */
int trace_kind(const char *name, size_t n);
/* Instruction number pc of the launch, or NULL: events may name places outside the program. */
const TraceIns *trace_ins(const TraceLaunch *, uint64_t pc);
/* True when a of this kind of event is a pc. */
bool trace_at_pc(int kind);
/* The lanes of a mask, lane 0 first, as 1s and dots for warps of up to 8 lanes, else in hexadecimal. Returns buf. */
char *trace_lanes(uint64_t mask, int warp_size, char buf[24]);

/* A pc and its block. */
void trace_place(StrBuf *, const TraceLaunch *, uint64_t pc);
/* "path 6 B, until 17 G", without the row's lanes. */
void trace_row_text(StrBuf *, const TraceLaunch *, const TraceRow *);
/* The name of a reason of stalls. */
const char *trace_reason(const TraceLaunch *, uint64_t);

/* The sums of one launch. */
typedef struct TraceBlockSum {     /* starts: its first instruction is in the program */
	const char *function, *label;
	bool starts;
	uint64_t fetches, lanes;
} TraceBlockSum;
typedef struct TraceSum {
	uint64_t events, last_cycle;
	uint64_t issues, lanes, inserted; /* of the module's own instructions; of those, the ones that passes inserted */
	uint64_t overhead;                /* issues of what lowering added */
	uint64_t empty;                   /* blocks fetched without a lane */
	uint64_t of_kind[TR_COUNT];
	uint64_t max_depth, depth_sum;    /* depth_sum: over all issues */
	uint64_t filled, spilled;         /* entries moved */
	int nblocks;
	TraceBlockSum *block;             /* in order of address */
	int *block_of;                    /* by pc */
} TraceSum;
TraceSum *trace_sum_new(Arena *, const TraceLaunch *); /* holds the launch's strings */
void trace_sum_event(TraceSum *, const TraceLaunch *, const TraceEvent *);
#endif
