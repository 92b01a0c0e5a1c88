/* Puts the sections on races between blocks, if the run has looked for races. */
#ifndef GSIM_REPORT_RACES_H
#define GSIM_REPORT_RACES_H
#include "sim/report/report.h"

void report_races(const Run *, const LaunchStats *total, bool all, StrBuf *);
#endif
