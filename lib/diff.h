/* Finds what differs between two texts, line by line. */
#ifndef GSIM_DIFF_H
#define GSIM_DIFF_H
#include "lib/strbuf.h"
#include <stdbool.h>

/* Writes the differences as a unified diff without headers; nothing if the texts are equal. context: how many
   equal lines to show before and behind a change. */
void line_diff(const char *before, const char *after, int context, StrBuf *out);
/* The differences of two lists of lines: gone[i]: line i of a is not in b; come[i]: line i of b is not in a.
   The other lines are common to both, in the same order. */
void diff_lines(const char *const *a, int na, const char *const *b, int nb, bool *gone, bool *come);
#endif
