/* The sections of races between blocks, where the run looked for them. */
#ifndef GSIM_REPORT_RACES_H
#define GSIM_REPORT_RACES_H
#include "sim/report/report.h"

void report_races(const Run *, const LaunchStats *total, bool all, StrBuf *);
#endif
