/* What differs between two texts, line by line. */
#ifndef GSIM_DIFF_H
#define GSIM_DIFF_H
#include "lib/strbuf.h"
#include <stdbool.h>

/* As a unified diff without headers: nothing when they are equal; context: lines around a change. */
void line_diff(const char *before, const char *after, int context, StrBuf *out);
/* The same of two lists of lines: which of a's na lines go, which of b's nb lines come. The others are common
   to both, in order. */
void diff_lines(const char *const *a, int na, const char *const *b, int nb, bool *gone, bool *come);
#endif
