/* Listings of source or code beside what each line did, in one run or in two: sim/report/annotate.c chooses
   which, annotate_source.c and annotate_code.c fill them, annotate_list.c prints. */
#ifndef GSIM_ANNOTATE_H
#define GSIM_ANNOTATE_H
#include "sim/report/report.h"

/* What a line did in a run. */
typedef struct LineCost {
	bool known;                    /* the report of the run has the line */
	/* warp instructions; thread instructions; warp instructions that passes inserted; those that lowering
	   and the mechanism added; lane-slots lost */
	double issued, lanes, inserted, overhead, lost;
	double stall[STALL_COUNT];     /* scheduler-cycles, by reason */
	double level[LEVEL_COUNT];     /* of those for memory, by level */
} LineCost;

typedef struct ListLine {
	LineCost cost[2];
	int line;                      /* number of the line in the source, 0: none */
	const char *text;
	bool note;                     /* it is a note, which has no figures */
} ListLine;

typedef struct Listing {
	Arena arena;
	const JsonValue *run[2];       /* reports of the runs; [1] NULL: there is one run */
	const SourceRoot *sources;
	Vec(ListLine) line;
	LineCost sum[2];                   /* sums over all lines so far */
} Listing;

LineCost cost_of(const JsonValue *row);             /* reads a row of `lines` or `code` of a report */
void cost_add(LineCost *, const LineCost *);
double cost_stalls(const LineCost *);

/* adds a line; its text is not copied */
void list_cost(Listing *, const LineCost cost[2], int line, const char *text);
void list_note(Listing *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void list_print(Listing *, StrBuf *);           /* prints the lines, and forgets them */
/* prints the sum of all lines, and the totals of the reports if they differ from it */
void list_print_sum(Listing *, StrBuf *);

/* Prints the files of the source with what their lines did; all lines of both runs are shown. If a file
   cannot be read, its lines have figures, but no text. */
void annotate_source(Listing *, StrBuf *);
bool annotate_readable(const Listing *);        /* true: some file of the source can be read */
bool annotate_has_code(const JsonValue *report);
void annotate_code(Listing *, StrBuf *);        /* prints the code of each kernel as it ran */
#endif
