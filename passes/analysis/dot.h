#ifndef GSIM_DOT_H
#define GSIM_DOT_H
#include "isa/ir.h"
#include "lib/strbuf.h"

struct Profile;
/* Appends a digraph, and numbers the function's blocks. profile (may be NULL): nodes say how often the
   source's blocks that begin in them were fetched. */
void cfg_dot(const Module *, Function *, const struct Profile *, StrBuf *);
#endif
