/* Where lanes that may part are to meet: the compile time of the token stack and of convergence barriers. */
#ifndef GSIM_PLACE_H
#define GSIM_PLACE_H
#include "passes/analysis/graph.h"
#include "sim/reconv/core.h"

/* Loops as frames: place_loops.c. New blocks are appended, each with the block it will stand before. */
/* before NULL: at the very start */
typedef struct MadeBlock { Block *block; const Block *before; } MadeBlock;
typedef struct Leaf { Block *block, *frame; } Leaf;  /* a block that only leaves, and the frame it leaves */
typedef struct PlaceLoops {
	LowerFn *l;
	Arena *arena;
	Vec(MadeBlock) made;
	Vec(Leaf) leaf;
	bool *divergent;           /* by block id: the branch may diverge and needs a point of its own */
	/* by block id: pushes PBK or PCNT; succ[0] = where the token resumes, succ[1] = the body */
	bool *frame;
	int *home;                 /* frame blocks, by id: the loop they are in, -1 = none */
	IntList *framed;           /* by block id: frame blocks that lead to it */
	int room;                  /* blocks the arrays have place for */
} PlaceLoops;

/* The operations that place_tokens inserts, numbered as the rows of a mechanism's OwnOp table. A mechanism
   that translates them numbers its own operations behind them. */
enum { OWN_SSY, OWN_PBK, OWN_PCNT, OWN_SYNC, OWN_BRK, OWN_CONT, TOKEN_OPS };

typedef struct PlaceStyle {
	bool frames;         /* loops with one header, latch and exit block as frames: PBK, PCNT, BRK, CONT */
	bool predicate;            /* branches to a block that only leaves as predicated BRK, CONT and SYNC */
	/* Replaces the operations with those of the mechanism, before operands are numbered; may be NULL. */
	void (*translate)(PlaceLoops *, void *self);
	void *self;
} PlaceStyle;
/* Inserts SSY, SYNC (and PBK, PCNT, BRK, CONT) into the function: place.c. */
bool place_tokens(LowerFn *, const PlaceStyle *, Diag *);

void place_loops(PlaceLoops *, bool frames);
/* Turns frame blocks into PBK and PCNT, predicates, and gives the blocks their places. */
void place_finish(PlaceLoops *, bool predicate);
Block *place_block(PlaceLoops *, const Block *before);
/* An operation whose operand is a block, if any (lower_target). */
Ins place_ins(PlaceLoops *, int own, Block *);
#endif
