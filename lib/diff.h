/* What differs between two texts, line by line, as a unified diff without headers. */
#ifndef GSIM_DIFF_H
#define GSIM_DIFF_H
#include "lib/strbuf.h"

void line_diff(const char *before, const char *after, int context, StrBuf *out); /* nothing when they are equal; context: lines around a change */
#endif
