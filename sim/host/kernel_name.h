/* Kernels by the names that users know. */
#ifndef GSIM_KERNEL_NAME_H
#define GSIM_KERNEL_NAME_H
#include "isa/ir.h"

struct StrBuf;
/* The kernel of that name: the module's, or what it was mangled from, as far as it is given, when one kernel alone fits. NULL: why says
   what there is. */
const Function *kernel_by_name(const Module *, const char *name, struct StrBuf *why);
#endif
