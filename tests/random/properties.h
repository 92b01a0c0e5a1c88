/* Properties that hold of mechanisms whatever the kernel, checked on random kernels: large ones of the generator, with and
 * without calls and cycles, and small random graphs. */
#ifndef GSIM_PROPERTIES_H
#define GSIM_PROPERTIES_H
#include "tests/random/differential.h"

typedef struct PropertyInfo { const char *name, *help; } PropertyInfo;
int property_list(const PropertyInfo **);

enum { PROPERTY_CLASSES = 5 };         /* kinds of kernels; kernel number `seed` is of kind seed % PROPERTY_CLASSES */

/* Kernel number `seed`, functionally, under every mechanism. only: one property's name, or NULL. False: text says which
   property fails and how. *runs is counted up. */
bool properties_hold(uint64_t seed, const char *only, char *text, size_t n, uint64_t *runs);
#endif
