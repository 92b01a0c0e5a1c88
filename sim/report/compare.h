/* What all comparisons of two reports share: the table with a row for each figure, and its cells. Values come
   as JSON, NULL: the report does not have it. */
#ifndef GSIM_COMPARE_H
#define GSIM_COMPARE_H
#include "sim/report/sheet.h"

enum { COMPARE_VALUE = 64 };
/* A figure as reports show it: as written, as a share, with five digits; "n/a": not measured, "-": not
   there. */
const char *compare_value(char text[COMPARE_VALUE], const JsonValue *, const char *path);
void compare_put_value(Sheet *, const JsonValue *, const char *path);
void compare_put_ratio(Sheet *, const JsonValue *before, const JsonValue *after);

/* a table of name, before, after, ratio, better or worse; within: below a title, set in */
void compare_begin(Sheet *, ReportForm, bool within);
/* The row of the figure at a path of reports; of rows of a table in it "branches.lost". */
void compare_row(Sheet *, const char *name, const char *path, const JsonValue *before,
	const JsonValue *after);
/* The line that says which passes of the run changed nothing, and why; false: none. */
bool compare_idle(const JsonValue *run, StrBuf *);
#endif
