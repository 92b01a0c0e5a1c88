#ifndef GSIM_DOT_H
#define GSIM_DOT_H
#include "isa/ir.h"
#include "lib/strbuf.h"

void cfg_dot(const Module *, Function *, StrBuf *); /* appends a digraph; numbers the function's blocks */
#endif
