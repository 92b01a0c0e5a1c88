/* What several reports say of the same places in the source. Modules that were made of one source by
   different compilers or passes have other functions, labels and numbers of copies of a branch; what they
   have in common is the file and the line. */
#ifndef GSIM_BY_PLACE_H
#define GSIM_BY_PLACE_H
#include "lib/hash.h"
#include "sim/report/report.h"

/* How rows of different reports are taken for the same: by file and line; by function and label; by function
   and the order in it, where labels differ. */
typedef enum { MATCHED_BY_PLACE, MATCHED_BY_LABEL, MATCHED_BY_ORDER } PlaceMatch;

typedef enum { PLACE_BRANCHES, PLACE_LINES } PlaceKind;
enum { PLACE_FIGURES = 4 };

/* A figure of a report's rows with the same place, added up; known: each of these rows has it. */
typedef struct PlaceFigure { double v; bool known; } PlaceFigure;

typedef struct PlaceRow {
	const char *name;              /* as tables show it: k.cu:17, or function and label */
	const char *function, *file;   /* file: as the first report that has it names it; "": there is none */
	int line;                      /* 0: there is none */
	int *copies;                   /* for each report, how many rows it has there */
	PlaceFigure *figure;           /* for each report PLACE_FIGURES figures */
} PlaceRow;

typedef struct PlaceTable {
	Arena arena;
	PlaceKind kind;
	PlaceMatch match;
	int reports;
	Vec(PlaceRow) row;             /* by file, in the order in which files come up, and line */
} PlaceTable;

/* Adds up the rows of `total.branches` or `total.lines` of each report by their places. Of lines there are no
   rows unless they are matched by place. */
void place_table(PlaceTable *, const JsonValue *const *report, int n, PlaceKind);
void place_table_free(PlaceTable *);
/* the name of a figure of these rows: executed, divergent, lost, cycles; warp_instructions,
   thread_instructions, lost, stalls */
const char *place_figure_name(PlaceKind, int figure);
static inline PlaceFigure place_figure(const PlaceRow *r, int report, int figure)
{
	return r->figure[report * PLACE_FIGURES + figure];
}
/* One sentence on how rows were matched, where that is not by place; NULL: it is. */
const char *place_match_note(PlaceMatch);
/* Are the modules of two reports different ones, or not known to be the same? */
bool place_other_module(const JsonValue *a, const JsonValue *b);

/* Puts copies in place of two reports of different modules: rows stand at the places by which they are
   matched, under one name of each file. Both must be reports. */
void place_unite(Arena *, const JsonValue *report[2]);

/* sim/report/nearest.c: puts `nearest`: for lines of the module's own text, or of a PTX or IR file that it
   was made of, whose instructions have no place in the source, as compilers leave it open, the place of the
   nearest instruction that has one. Puts nothing where no source is named. */
struct Module;
void nearest_json(const struct Module *, JsonSink *);
#endif
