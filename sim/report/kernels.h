/* What the launches of each kernel did together: a program of several launches is read by its kernels
   first. */
#ifndef GSIM_KERNELS_H
#define GSIM_KERNELS_H
#include "sim/report/report.h"

/* The keys `kernels` and `code` of a report. Kernels stand in the order of their first launches. */
void kernels_json(const Run *, JsonSink *);
/* A line for each kernel; nothing where one kernel was launched alone. all: of every kernel, else of the
   first ones. */
void kernels_text(const Run *, bool all, StrBuf *);
/* The kernels of two reports beside each other, matched by name: launches, cycles, size, when; the program's
   time. Nothing where both have a single launch. form.full: every kernel. */
void kernels_compare(const JsonValue *before, const JsonValue *after, ReportForm, StrBuf *);
/* what each kernel takes of an SM */
void kernels_compare_takes(const JsonValue *before, const JsonValue *after, ReportForm, StrBuf *);
#endif
