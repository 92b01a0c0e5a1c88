/* Turns mangled names of C++ functions into the form that the source has. */
#ifndef GSIM_DEMANGLE_H
#define GSIM_DEMANGLE_H
#include "lib/arena.h"
#include <stdbool.h>

/* The source form of a mangled name: "ns::f<int>(float*)" for _ZN2ns1fIiEEvPf. In a build without libiberty
   it is only the name in front of template arguments and parameters, "ns::f", if nothing else stands in front
   of these. NULL: the name is not mangled or has more than 2048 bytes, or its source form would have 4096
   bytes or more. */
const char *demangle(Arena *, const char *name);
/* How well `given`, a name from the user, matches a function's source form. Blanks do not count. 4: it is all
   of the form, with or without the type of the result; 3: all but the parameters; 2: all but parameters and
   template arguments; 1: only the last part of the name; 0: it is another function. */
int demangled_matches(const char *demangled, const char *given);
#endif
