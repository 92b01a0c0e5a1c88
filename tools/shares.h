/* Work in pieces that do not depend on each other, shared out to processes. */
#ifndef GSIM_SHARES_H
#define GSIM_SHARES_H
#include "lib/diag.h"
#include <limits.h>
#include <signal.h>
#include <stddef.h>

enum { SHARES_RESULT = 4096 - 2 * sizeof(int) };       /* bytes of the largest result */

typedef struct Shares {
	void *context;
	int pieces;
	size_t bytes;                  /* of a result */
	/* makes the result of a piece, in whichever process */
	void (*make)(void *context, int piece, void *result);
	/* gets each result once, in this process, in any order */
	void (*take)(void *context, int piece, const void *result);
	/* nonzero there: no piece is begun any more, and those that have begun elsewhere have no result */
	const volatile sig_atomic_t *interrupted;
} Shares;

/* Has all pieces made by so many processes; by this one itself if 1. Pieces of a process that was ended
   before its work was done have no result. False: a process cannot be begun, and diag says so. */
bool shares_make(const Shares *, int processes, Diag *);
#endif
