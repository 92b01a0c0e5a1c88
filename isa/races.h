/* Races between blocks of one launch, found by running it: two accesses of a byte of global memory by threads
   of different blocks, of which one writes and which are not both atomic. Blocks have no order, so it counts
   which instructions of which blocks have accessed a byte, not when they did. What is found is therefore the
   same under every mechanism, machine and number of host threads, and in the reference interpreter, unless a
   race sends the program another way. Accesses before and after a barrier of the whole grid are ordered.

   For every byte and every instruction that has accessed the byte, the two smallest numbers of blocks that
   did so are kept: they are enough to decide for all blocks whether two instructions race there. Addresses
   are those of global memory; blocks have their linear numbers. One host thread at a time may call these
   functions. */
#ifndef GSIM_RACES_H
#define GSIM_RACES_H
#include "isa/ir.h"

typedef struct Races Races;            /* what is kept for all launches of a run */
typedef struct RaceLog RaceLog;        /* what the blocks of one launch access */

Races *races_new(const Module *);
void races_free(Races *);
/* keep: accesses before a barrier of the grid are kept, too, for races_between */
RaceLog *race_open(Races *, bool keep);
void race_close(RaceLog *);
void race_forget(RaceLog *);                   /* drops all that was noted: the launch runs again */

/* A site is an instruction of the module that accesses global memory. The caller finds it by a key: any
   address that stands for this instruction, and for no other, as long as the Races live. */
int race_site(RaceLog *, const void *key);             /* number of the site; -1: the key is unknown */
/* Adds a site with its key and returns its number; the instruction is one of the module that accesses
   memory. */
int race_site_add(RaceLog *, const void *key, const Ins *);

/* Notes that a thread of the block is about to access [addr, addr + size). before: the bytes that lie there;
   now: those that the thread writes. Both are NULL for loads. For atomic operations, whose results depend on
   an order of blocks, `now` alone is NULL. */
void race_note(RaceLog *, int site, uint64_t block, uint64_t addr, unsigned size, const uint8_t *before,
	const uint8_t *now);
/* Says where the workspace of a cooperative launch's grid lies: its address, and its bytes on the host. The
   code that waits there for all blocks does not race by its accesses to the workspace. When the last block
   has come, this code turns the top bit of the workspace's second 32-bit word: then the grid has met. */
void race_workspace(RaceLog *, uint64_t addr, const uint8_t *bytes);
/* All threads of the grid have come to a barrier of the grid, all accesses of theirs so far have been noted,
   and no access behind it has. */
void race_grid_barrier(RaceLog *);

/* One of the two instructions of a race, and a thread block that executed it. */
typedef struct RaceSide {
	const Function *function;
	const Block *block;
	const Ins *ins;
	uint64_t number;               /* linear number of the thread block */
} RaceSide;

typedef struct RacePair {
	/* of races_find: in the order of the module; of races_between: of the first launch, of the second */
	RaceSide side[2];
	/* bytes in which the two race; a byte counts once more after each barrier of the grid */
	uint64_t bytes;
	/* those of these bytes to which all writes up to the next barrier of the grid write one value, which,
	   if one of the two instructions reads, the byte also had before */
	uint64_t same;
	/* the smallest address of a byte in which the two race; the numbers in `side` are the smallest ones
	   of that byte */
	uint64_t addr;
} RacePair;
typedef Vec(RacePair) RacePairs;

const char *race_verb(const Ins *);    /* "reads", "writes" or, of atomic operations, "updates" */
/* Appends all races of the launch, in the order of the module. */
void races_find(RaceLog *, RacePairs *);
/* Appends all pairs of accesses, one of each launch, that would be races if both launches were a single one
   without a barrier of the grid, in which block n does what block n of both launches does. any: blocks of
   different launches are different blocks even if their numbers are equal. Both logs were opened with `keep`;
   RacePair.same stays 0. */
void races_between(RaceLog *first, RaceLog *second, bool any, RacePairs *);
#endif
