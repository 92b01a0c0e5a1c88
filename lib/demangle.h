/* Names of C++ functions as the source has them. */
#ifndef GSIM_DEMANGLE_H
#define GSIM_DEMANGLE_H
#include "lib/arena.h"
#include <stdbool.h>

/* "ns::f<int>(float*)" for _ZN2ns1fIiEEvPf; without libiberty, "ns::f" where that is all that stands in front
   of templates and parameters. NULL: it is no such name, or its source form is longer than anybody writes. */
const char *demangle(Arena *, const char *name);
/* Does a user who writes `given` mean the function of this source form: all of it, without its parameters,
   without template arguments, or its last part alone? Blanks do not count. The answer is how much was given,
   4 for all; 0: another function. */
int demangled_matches(const char *demangled, const char *given);
#endif
