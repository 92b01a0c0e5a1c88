/* What the launches of each kernel did together: a program of several launches is read by its kernels
   first. */
#ifndef GSIM_KERNELS_H
#define GSIM_KERNELS_H
#include "sim/report/report.h"

/* Puts the keys `kernels` and `code` of a report. Kernels stand in the order of their first launches. */
void kernels_json(const Run *, JsonSink *);
/* Puts a line for each kernel; nothing if only one kernel was launched. all: a line for every kernel, else
   for the first ones. */
void kernels_text(const Run *, bool all, StrBuf *);
/* Puts the kernels of two reports beside each other, matched by name: launches, cycles, size, when they ran;
   then the time of the whole program. Puts nothing if both reports have a single launch. form.full: every
   kernel. */
void kernels_compare(const JsonValue *before, const JsonValue *after, ReportForm, StrBuf *);
/* puts what each kernel takes of an SM: registers, bytes spilled, occupancy */
void kernels_compare_takes(const JsonValue *before, const JsonValue *after, ReportForm, StrBuf *);
#endif
