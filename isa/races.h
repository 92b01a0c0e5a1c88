/* Races between blocks of one launch, found by running: two accesses of a byte of global memory by threads of
   different blocks, of which one writes and which are not both atomic. Blocks have no order, so what counts
   is which instructions of which blocks have accessed a byte, not when. What is found is therefore the same
   under every mechanism, machine and number of host threads, and in the reference interpreter, unless a
   program that races takes another way. Accesses before and after a barrier of the whole grid are ordered.

   Of every byte and instruction the two blocks with the smallest numbers are kept that have accessed it: that
   decides for all blocks whether two instructions race there. Addresses are those of global memory; blocks
   have their linear numbers. One host thread at a time. */
#ifndef GSIM_RACES_H
#define GSIM_RACES_H
#include "isa/ir.h"

typedef struct Races Races;            /* of all launches of a run */
typedef struct RaceLog RaceLog;        /* what the blocks of one launch access */

Races *races_new(const Module *);
void races_free(Races *);
/* keep: accesses before a barrier of the grid are kept, for races_between */
RaceLog *race_open(Races *, bool keep);
void race_close(RaceLog *);
void race_forget(RaceLog *);                   /* all that was noted: the launch runs again */

/* An instruction of a launch. It is found by any address that its caller has for it as long as the Races
   live: no two instructions have the same. */
int race_site(RaceLog *, const void *key);             /* -1: unknown */
/* the instruction: one of the module, that accesses memory */
int race_site_add(RaceLog *, const void *key, const Ins *);

/* A thread of the block is about to access [addr, addr + size). What it writes: `now`; what lies there:
   `before`. Both are NULL for loads, and `now` is for atomic operations, whose results depend on an order of
   blocks. */
void race_note(RaceLog *, int site, uint64_t block, uint64_t addr, unsigned size, const uint8_t *before,
	const uint8_t *now);
/* The launch is cooperative, and this its grid's workspace, at the address: what code that waits for all
   blocks accesses there is no race, and when the last block has come, which turns the top bit of the second
   word, the grid has met. */
void race_workspace(RaceLog *, uint64_t addr, const uint8_t *bytes);
/* All threads of the grid have come to a barrier of the grid, all accesses of theirs so far have been noted,
   and no access behind it has. */
void race_grid_barrier(RaceLog *);

/* One of the two instructions of a race, and a block. */
typedef struct RaceSide {
	const Function *function;
	const Block *block;
	const Ins *ins;
	uint64_t number;               /* of the thread block */
} RaceSide;

typedef struct RacePair {
	RaceSide side[2];              /* races: in the order of the module; else of the launches */
	uint64_t bytes;              /* in which the two race, counted anew behind each barrier of the grid */
	/* of them: all writes up to the next barrier of the grid write one value there; and where one of the
	   two reads, it was there before */
	uint64_t same;
	/* the smallest address of a byte in which they race; the blocks are the smallest there */
	uint64_t addr;
} RacePair;
typedef Vec(RacePair) RacePairs;

const char *race_verb(const Ins *);    /* "reads", "writes", "updates": atomically */
/* Appends all races of the launch, in the order of the module. */
void races_find(RaceLog *, RacePairs *);
/* Appends all pairs of accesses, one of each launch, that would be races if both launches were one without a
   barrier of the grid, in which each block does what the blocks of its number do. any: blocks of both are
   different whatever their numbers. Both logs are kept ones; `same` is not counted. */
void races_between(RaceLog *first, RaceLog *second, bool any, RacePairs *);
#endif
