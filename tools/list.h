#ifndef GSIM_LIST_H
#define GSIM_LIST_H
#include "isa/ir.h"
#include "lib/strbuf.h"
#include <stdbool.h>

bool list_table(const char *what, StrBuf *);   /* false: there is no such table */
/* two lines when something keeps it from running */
bool list_refused(const Module *, const Function *kernel, StrBuf *);
/* in the order of the source: signatures, and what keeps a kernel from running */
void list_kernels(const Module *, StrBuf *);
#endif
