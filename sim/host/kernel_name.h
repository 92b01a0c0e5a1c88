/* Kernels by the names that users know. */
#ifndef GSIM_KERNEL_NAME_H
#define GSIM_KERNEL_NAME_H
#include "isa/ir.h"

struct StrBuf;
/* The kernel of that name in the module; else the only kernel whose name before mangling matches as far as it
   is given. NULL: `why` says which kernels there are. */
const Function *kernel_by_name(const Module *, const char *name, struct StrBuf *why);
#endif
