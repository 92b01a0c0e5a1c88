/* Finds kernels by the names that users know. */
#ifndef GSIM_KERNEL_NAME_H
#define GSIM_KERNEL_NAME_H
#include "isa/ir.h"

struct StrBuf;
/* The kernel of that name in the module; else the only kernel whose C++ name matches `name`, which may be a
   part of it (demangled_matches). NULL: there is none, or several; `why` gets a message that names the
   kernels. */
const Function *kernel_by_name(const Module *, const char *name, struct StrBuf *why);
#endif
