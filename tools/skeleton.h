#ifndef GSIM_SKELETON_H
#define GSIM_SKELETON_H
#include "isa/ir.h"
#include "lib/strbuf.h"

/* gsim --new-workload: a workload that launches the kernel, and runs as it is printed. kernel NULL: the
   module's only one. False: why is in diag. */
bool skeleton_print(const Module *, const char *kernel, Diag *, StrBuf *);
#endif
