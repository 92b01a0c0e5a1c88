/* Sets of ints that share memory. They are for many sets, one at each place of a program, that differ in few
   members from one place to the next, as with nested loops or calls: n sets with up to n members each take
   memory only for the members that are new in each of them.

   A set is a list in ascending order. Equal sets are the same list in memory, so two sets are equal if their
   pointers are; two lists that are equal from some member to the end share this part. To add or to remove a
   small member costs least, since it stands at the front. */
#ifndef GSIM_CHAIN_H
#define GSIM_CHAIN_H
#include "lib/arena.h"
#include <stdbool.h>

typedef struct ChainLink ChainLink;
typedef ChainLink *Chain;              /* the first member; NULL: the empty set */
struct ChainLink {
	int v, n;                      /* v: the member; n: number of members from this one to the end */
	/* a mark for the caller, shared by all sets with this end; false at first */
	bool done;
	Chain next;
};

/* All links, in a hash table. Initialise as { .arena = a }. Sets can be compared only if they are of one
   Chains. */
typedef struct Chains { Arena *arena; Chain *slot; int n, cap; } Chains;

Chain chain_add(Chains *, Chain, int v);
Chain chain_remove(Chains *, Chain, int v);
Chain chain_union(Chains *, Chain, Chain);
Chain chain_without(Chains *, Chain, Chain gone);
bool chain_has(Chain, int v);
/* Writes the members of a that are not in b to `list`, in ascending order, and returns their number. The list
   must have room for them. */
int chain_only(Chain a, Chain b, int *list);
static inline int chain_count(Chain c) { return c ? c->n : 0; }
#define chain_each(C, LINK) for (const ChainLink *LINK = (C); LINK; LINK = LINK->next)
#endif
