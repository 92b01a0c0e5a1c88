/* The head of a comparison: what the two runs have in common, what differs, and a line on what that did. */
#ifndef GSIM_REPORT_DIFFER_H
#define GSIM_REPORT_DIFFER_H
#include "sim/report/report.h"

/* results: "equal", "differ", "unknown", or "" = they were not compared; words: the same for people. results
   NULL: the two runs stand for those of two grids, whose mechanisms and passes are in the grids' rows, and
   get no verdict. form.full: every difference. */
void report_differ(const JsonValue *before, const JsonValue *after, const char *results, const char *words,
	ReportForm, StrBuf *);
/* Do the two pairs of runs differ in the same things? Mechanism and passes do not count. */
bool report_differ_alike(const JsonValue *const a[2], const JsonValue *const b[2]);
#endif
