/* Writes a recorded trace as text, tables, timelines, sums, or a page. */
#ifndef GSIM_TRACE_EXPORT_H
#define GSIM_TRACE_EXPORT_H
#include "lib/hash.h"
#include "lib/source.h"
#include "lib/strbuf.h"
#include "traces/trace.h"
#include <stdio.h>

typedef struct TraceFilter {
	const char *kernel;            /* only launches of this kernel pass; NULL: all */
	int64_t launch;                /* only this launch passes, counted from 0; -1: all */
	int sm, warp;                  /* only events of this SM, of this warp slot pass; -1: all */
	uint64_t from, to;             /* only events in these cycles pass, both included */
	uint32_t kinds;                /* bit k: events of kind k pass */
} TraceFilter;
/* the kinds of events that tell what happens; not those that tell how rows and schedulers change */
#define TRACE_PLAIN_KINDS (((uint32_t)1 << TR_ENTER) - 1)
#define TRACE_EVERYTHING ((TraceFilter){ NULL, -1, -1, -1, 0, UINT64_MAX, ~(uint32_t)0 })

/* Notes which launches a trace has, and whether those for which a filter asks are among them. */
typedef struct TraceAsked {
	Arena arena;
	StrMap kernels;                /* each kernel once, numbered in the order of their first launches */
	StrBuf list;                   /* names of the first kernels, for a message */
	int64_t launches;              /* number of launches seen */
	bool found;                    /* a launch that was seen passes the filter */
	const char *of;                /* the kernel of launch number TraceFilter.launch */
} TraceAsked;
/* Notes a launch; true when it passes the filter. */
bool trace_asked(TraceAsked *, const TraceFilter *, const TraceLaunch *, int64_t number);
/* Called behind the last launch. False, with an error in diag: the filter names a kernel or a launch, and no
   launch has passed the filter. */
bool trace_asked_found(const TraceAsked *, const TraceFilter *, Diag *);
void trace_asked_free(TraceAsked *);

/* A way to write a trace: functions for its begin, the begin of a launch (numbered from 0), an event, the end
   of a launch, and the end. They write to `out`; `state` is for their own use from begin to end. */
typedef struct TraceExport {
	FILE *out;
	void *state;
	int launch_number;
	const TraceLaunch *launch;
} TraceExport;
typedef struct TraceExporter {
	const char *name, *help;
	void (*begin)(TraceExport *);
	void (*launch)(TraceExport *);
	void (*event)(TraceExport *, const TraceEvent *);
	void (*finish)(TraceExport *); /* the launch has ended */
	void (*end)(TraceExport *);
} TraceExporter;
extern const TraceExporter trace_text, trace_csv, trace_perfetto, trace_summary;

/* Gives the launches and events that pass the filter to the exporter. False: the trace is damaged, or has no
   launch for which the filter asks; diag has errors, and what came before was exported. If the trace has an
   index, only the launches and cycles for which the filter asks are read: damage elsewhere is not noticed.
   Whether all was written, ferror(out) tells. */
bool trace_export(TraceReader *, const TraceExporter *, const TraceFilter *, FILE *out, Diag *);

/* Writes what the mechanism holds at the end of the given cycle of each launch, and why schedulers stand
   still. Only what passes the filter's kernel, launch, SM and warp is written. Uses the trace's index, if it
   has one. */
bool trace_stack(TraceReader *, const TraceFilter *, uint64_t cycle, FILE *out, Diag *);

enum { TRACE_HTML_MOST = 2, TRACE_HTML_BYTES = 512 << 20 }; /* traces in a page; bytes of each */
/* Writes a page that shows n traces under these names, two of them in step, and holds all that it needs: the
   traces, and what may be read of the sources that they name. false with errors in diag: a trace is damaged
   (the page shows what came before), or cannot be read (there is no page). */
bool trace_html(const char *const *path, const char *const *name, int n, const SourceRoot *, FILE *out,
	Diag *);
/* The same, to a file; output NULL: standard output. */
bool trace_html_file(const char *const *path, const char *const *name, int n, const SourceRoot *,
	const char *output, Diag *);

/* Writes a line that says when the launch ran: its run, its stream, its start. Writes nothing for traces
   before version 4, which do not tell. */
void trace_when(const TraceLaunch *, FILE *out);
/* Writes a line for the configuration and what it changes in the machine file, and a line for the passes, if
   the trace names them. */
void trace_settings(const TraceLaunch *, FILE *out);
/* The kind of events with this name; -1: none. */
int trace_kind(const char *name, size_t n);
/* Instruction number pc of the launch; NULL: the pc is outside the program, as an event's may be. */
const TraceIns *trace_ins(const TraceLaunch *, uint64_t pc);
/* Is `a` a pc in events of this kind? */
bool trace_at_pc(int kind);
enum { LANES_GROUP = 8, LANES_TEXT = 72 }; /* lanes between two marks; bytes of the text for 64 lanes */
/* The lanes of a mask, lane 0 first, as 1s and dots, with a ' between groups of 8: 1111....'........ for a
   warp of 16. Returns buf. */
char *trace_lanes(uint64_t mask, int warp_size, char buf[LANES_TEXT]);
/* How many characters trace_lanes writes for a mask. */
int trace_lanes_width(int warp_size);

/* Adds a pc and the label of its block: "6 B". */
void trace_place(StrBuf *, const TraceLaunch *, uint64_t pc);
/* Adds the row without its lanes: "path 6 B, until 17 G". */
void trace_row_text(StrBuf *, const TraceLaunch *, const TraceRow *);
/* The name of a reason of stalls. */
const char *trace_reason(const TraceLaunch *, uint64_t);

/* The sums of one launch. */
/* starts: the block's first instruction is in the program; fetches: issues of it; lanes: lanes in these
   issues */
typedef struct TraceBlockSum {
	const char *function, *label;
	bool starts;
	uint64_t fetches, lanes;
} TraceBlockSum;
typedef struct TraceSum {
	uint64_t events, last_cycle;
	/* issues of the module's instructions; lanes in these issues; those of these issues whose instruction
	   a pass inserted */
	uint64_t issues, lanes, inserted;
	uint64_t overhead;                /* issues of instructions that lowering added */
	uint64_t empty;                   /* blocks fetched without a lane */
	uint64_t of_kind[TR_COUNT];
	uint64_t max_depth, depth_sum;    /* depth_sum: sum of the depths at all issues */
	uint64_t filled, spilled;         /* entries that came back from memory; entries that went there */
	int nblocks;
	TraceBlockSum *block;             /* in order of address */
	int *block_of;                    /* for each pc, the number of its block in `block` */
} TraceSum;
/* Sums that are all 0. They point to strings of the launch, which must live as long. */
TraceSum *trace_sum_new(Arena *, const TraceLaunch *);
void trace_sum_event(TraceSum *, const TraceLaunch *, const TraceEvent *);
#endif
