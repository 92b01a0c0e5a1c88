/* Parts of the text report: sim/report/text.c has the whole. */
#ifndef GSIM_TEXT_H
#define GSIM_TEXT_H
#include "sim/report/report.h"

enum { TEXT_WIDTH = 100 };             /* columns of the screen */
double text_share(uint64_t part, uint64_t whole);   /* 0 if whole is 0 */

/* sim/report/branches.c */
/* puts the places where lanes parted, those that lost most first; all: puts every place, and which share of
   lanes took each branch */
void text_branches(const LaunchStats *, bool all, StrBuf *);
void text_lines(const LaunchStats *, StrBuf *);     /* puts the lines, in the order of the source */
#endif
