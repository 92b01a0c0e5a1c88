/* Shortens names that are too wide for their column of a table so that different names still look
   different. */
#ifndef GSIM_NAMES_H
#define GSIM_NAMES_H
#include "lib/arena.h"

enum { NAMES_LEAST = 24 };              /* the narrowest column */

/* Columns that a text takes: one for each UTF-8 character. */
int names_columns(const char *);
/* For each of n names what is shown of it, in at most `width` columns: the name where it fits, else its
   beginning and its end with dots in between. Names that would then look alike also show where they differ,
   or get numbers. Different names are never shown alike, equal ones always. Strings are the names themselves,
   or live in the arena. shown may be name. */
void names_shown(Arena *, const char *const *name, int n, int width, const char **shown);
#endif
