/* Sets of ints that share what they have in common: for sets that differ in few members from one place to the
   next, as nested things do. n places with up to n members each take memory for what is new at each of them.

   A set is a list in ascending order. Lists that are equal are the same list, so that equality is one of
   pointers; what two lists have in common from some member on is shared. Members that come and go at the
   front cost least. */
#ifndef GSIM_CHAIN_H
#define GSIM_CHAIN_H
#include "lib/arena.h"
#include <stdbool.h>

typedef struct ChainLink ChainLink;
typedef ChainLink *Chain;              /* the first member; NULL: the empty set */
struct ChainLink {
	int v, n;                      /* n: members from this one on */
	bool done;                     /* a mark of the caller's, of all sets that end so; false at first */
	Chain next;
};

/* { .arena = a }; all sets that are compared are of one Chains */
typedef struct Chains { Arena *arena; Chain *slot; int n, cap; } Chains;

Chain chain_add(Chains *, Chain, int v);
Chain chain_remove(Chains *, Chain, int v);
Chain chain_union(Chains *, Chain, Chain);
Chain chain_without(Chains *, Chain, Chain gone);
bool chain_has(Chain, int v);
/* The members that are only in a, in ascending order; their number. list has place for them. */
int chain_only(Chain a, Chain b, int *list);
static inline int chain_count(Chain c) { return c ? c->n : 0; }
#define chain_each(C, LINK) for (const ChainLink *LINK = (C); LINK; LINK = LINK->next)
#endif
