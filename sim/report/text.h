/* Parts of the text report: sim/report/text.c has the whole. */
#ifndef GSIM_TEXT_H
#define GSIM_TEXT_H
#include "sim/report/report.h"

enum { TEXT_WIDTH = 100 };             /* columns of the screen */
double text_share(uint64_t part, uint64_t whole);   /* 0 of nothing */

/* sim/report/branches.c */
/* places where lanes parted, by what that lost; all: every one, and what lanes decided */
void text_branches(const LaunchStats *, bool all, StrBuf *);
void text_lines(const LaunchStats *, StrBuf *);     /* lines, in the order of the source */
#endif
