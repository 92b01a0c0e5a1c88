/* Properties that hold of mechanisms whatever the kernel, checked on random kernels: large ones of the
 * generator, with and without calls and cycles, and small random graphs. */
#ifndef GSIM_PROPERTIES_H
#define GSIM_PROPERTIES_H
#include "tests/random/differential.h"

typedef struct PropertyInfo { const char *name, *help; } PropertyInfo;
int property_list(const PropertyInfo **);

enum { PROPERTY_CLASSES = 6 };         /* kinds of kernels */
extern const char *const property_classes[PROPERTY_CLASSES];

/* Kernel number `seed` of that class, or, if it is below 0, of class seed % PROPERTY_CLASSES, functionally,
   under every mechanism. only: one property's name, or NULL. False: text says which property fails and how.
   *runs is counted up. */
bool properties_hold(uint64_t seed, int class, const char *only, char *text, size_t n, uint64_t *runs);
#endif
