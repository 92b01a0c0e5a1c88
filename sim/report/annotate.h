/* Listings of source or code beside what each line did, in one run or in two: sim/report/annotate.c chooses
   which, annotate_source.c and annotate_code.c fill them, annotate_list.c prints. */
#ifndef GSIM_ANNOTATE_H
#define GSIM_ANNOTATE_H
#include "sim/report/report.h"

/* What a line did in a run. */
typedef struct Cost {
	bool known;                    /* the report of the run has the line */
	/* warp instructions; thread instructions; warp instructions that passes inserted; those that lowering
	   and the mechanism added; lane-slots lost */
	double issued, lanes, inserted, overhead, lost;
	double stall[STALL_COUNT];     /* scheduler-cycles */
} Cost;

typedef struct ListLine {
	Cost cost[2];
	int line;                      /* its number in the source, 0: none */
	const char *text;
	bool note;                     /* it is a note, which has no figures */
} ListLine;

typedef struct Listing {
	Arena arena;
	const JsonValue *run[2];       /* reports of the runs; [1] NULL: there is one run */
	const SourceRoot *sources;
	Vec(ListLine) line;
	Cost sum[2];                   /* of all lines so far */
} Listing;

Cost cost_of(const JsonValue *row);             /* a row of the report's `lines` or `code` */
void cost_add(Cost *, const Cost *);
double cost_stalls(const Cost *);

void list_cost(Listing *, const Cost cost[2], int line, const char *text); /* the text is not copied */
void list_note(Listing *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void list_print(Listing *, StrBuf *);           /* prints the lines, and forgets them */
void list_print_sum(Listing *, StrBuf *);       /* the sum of all lines, beside the reports' totals */

/* Prints the files of the source with what their lines did; of files that cannot be read, the lines' figures
   alone. All lines of both runs are shown. */
void annotate_source(Listing *, StrBuf *);
bool annotate_readable(const Listing *);        /* true: some file of the source can be read */
bool annotate_has_code(const JsonValue *report);
void annotate_code(Listing *, StrBuf *);        /* prints the code of each kernel as it ran */
#endif
