/* A recorded trace as text, tables, timelines, and sums. */
#ifndef GSIM_TRACE_EXPORT_H
#define GSIM_TRACE_EXPORT_H
#include "lib/hash.h"
#include "lib/source.h"
#include "lib/strbuf.h"
#include "traces/trace.h"
#include <stdio.h>

typedef struct TraceFilter {
	const char *kernel;            /* only its launches pass; NULL: all */
	int64_t launch;                /* only this launch passes, counted from 0; -1: all */
	int sm, warp;                  /* only their events pass; -1: all */
	uint64_t from, to;             /* cycles, both included */
	uint32_t kinds;                /* bit k: events of kind k */
} TraceFilter;
/* events that happen, without changes of rows and schedulers */
#define TRACE_PLAIN_KINDS (((uint32_t)1 << TR_ENTER) - 1)
#define TRACE_EVERYTHING ((TraceFilter){ NULL, -1, -1, -1, 0, UINT64_MAX, ~(uint32_t)0 })

/* What has been seen of a trace's launches, and of those that a filter asks for. */
typedef struct TraceAsked {
	Arena arena;
	StrMap kernels;              /* each kernel once, in the order of first launches; list: their names */
	StrBuf list;
	int64_t launches;              /* launches seen */
	bool found;                    /* one of them passes the filter */
	const char *of;                /* the kernel of the filter's launch */
} TraceAsked;
/* Notes a launch; true when it passes the filter. */
bool trace_asked(TraceAsked *, const TraceFilter *, const TraceLaunch *, int64_t number);
/* Called behind the last launch: false, with an error, when the filter names a kernel or a launch and no
   launch has passed. */
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

/* Feeds what passes the filter to the exporter; false with errors in diag (what came before was exported). If
   the trace has an index, only the launches and cycles that the filter asks for are read: damage elsewhere is
   not seen. Whether all has been written, ferror(out) tells. */
bool trace_export(TraceReader *, const TraceExporter *, const TraceFilter *, FILE *out, Diag *);

/* Writes what the mechanism holds at the end of that cycle of each launch, and why schedulers stand still,
   for all that passes the filter's kernel, launch, SM and warp. Uses the trace's index, if it has one. */
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

/* Writes a line that says when the launch ran: its run, its stream, its start. Traces before version 4 do not
   know. */
void trace_when(const TraceLaunch *, FILE *out);
/* Writes a line each for the configuration, its changes of the machine file, and the passes, as far as the
   trace names them. */
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
/* How many characters that takes. */
int trace_lanes_width(int warp_size);

/* Adds a pc and its block. */
void trace_place(StrBuf *, const TraceLaunch *, uint64_t pc);
/* Adds the row without its lanes: "path 6 B, until 17 G". */
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
	/* issues of the module's instructions and their lanes; inserted: issues of those that passes
	   inserted */
	uint64_t issues, lanes, inserted;
	uint64_t overhead;                /* issues of instructions that lowering added */
	uint64_t empty;                   /* blocks fetched without a lane */
	uint64_t of_kind[TR_COUNT];
	uint64_t max_depth, depth_sum;    /* depth_sum: over all issues */
	uint64_t filled, spilled;         /* entries that came back from memory; that went there */
	int nblocks;
	TraceBlockSum *block;             /* in order of address */
	int *block_of;                    /* by pc */
} TraceSum;
TraceSum *trace_sum_new(Arena *, const TraceLaunch *); /* holds the launch's strings */
void trace_sum_event(TraceSum *, const TraceLaunch *, const TraceEvent *);
#endif
