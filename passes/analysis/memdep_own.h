/* What the files that answer questions about two accesses use of each other. */
#ifndef GSIM_MEMDEP_OWN_H
#define GSIM_MEMDEP_OWN_H
#include "passes/analysis/memdep.h"

typedef MemWide Wide;

enum { UNKNOWNS = 4 * MEMORY_TERMS };
typedef enum { ONE_THREAD, OTHER_THREAD, OTHER_BLOCK } WhichThread;

/* A term k * x with lo <= x <= hi. apart: x is a difference between two threads; as the threads are
   different, not all such x are 0. */
typedef struct Unknown { Wide k, lo, hi; bool apart; } Unknown;

typedef struct AccessPair {
	const MemDep *d;
	const MemAccess *a, *b;
	unsigned assume;
	int within;
	WhichThread who;
	Unknown u[UNKNOWNS + 1];
	int n, steps;
	Wide at, period;           /* at: the constant; period: addresses count modulo this */
	bool covered[3];      /* dimensions in which a difference between the threads is among the unknowns */
} AccessPair;

/* passes/analysis/memdep_meet.c: may the accesses of the pair meet, at addresses of these forms? true when in
   doubt */
bool pair_may_meet(AccessPair *, int f, int g);
/* does the atom have the same value when both accesses execute? */
bool pair_fixed(const AccessPair *, int atom);
#endif
