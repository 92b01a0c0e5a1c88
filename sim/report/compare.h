/* What all comparisons of two reports share: the table with a row for each figure, and its cells. Values come
   as JSON, NULL: the report does not have it. */
#ifndef GSIM_COMPARE_H
#define GSIM_COMPARE_H
#include "sim/report/by_place.h"
#include "sim/report/sheet.h"

enum { COMPARE_VALUE = 64 };
/* Prints a figure as reports show it: as it is written, as a share of a hundred, or with five digits; "n/a":
   it was not measured, "-": the report does not have it. */
const char *compare_value(char text[COMPARE_VALUE], const JsonValue *, const char *path);
void compare_put_value(Sheet *, const JsonValue *, const char *path);
void compare_put_ratio(Sheet *, const JsonValue *before, const JsonValue *after);

/* begins a table: name, before, after, ratio, better or worse; within: it stands below a title, and is set
   in */
void compare_begin(Sheet *, ReportForm, bool within);
/* Puts the row of a figure. path: its path in reports, which decides whether more is better; for a figure of
   the rows of a table as in "branches.lost". */
void compare_row(Sheet *, const char *name, const char *path, const JsonValue *before,
	const JsonValue *after);
extern const char *const compare_leading[];    /* the figures of a report of one screen; ends with NULL */
/* Thread instructions are what the threads had to do: passes change them by little, a wrong program often by
   much. Puts a remark where they fell or grew by more than half. who: which report it is about; "": the one
   after. */
void compare_other_work(const JsonValue *before, const JsonValue *after, const char *who, ReportForm,
	StrBuf *);
/* Puts the line that says which passes of the run changed nothing, and why; false: there are none. */
bool compare_idle(const JsonValue *run, StrBuf *);
/* sim/report/compare_places.c: puts lines and branches of two reports of different modules, by their places
   in the source; returns how they were matched. */
PlaceMatch compare_places(const JsonValue *before, const JsonValue *after, ReportForm, StrBuf *);
#endif
