/* Decides, at compile time, where lanes that may part are to meet: for the token stack and for convergence
   barriers. */
#ifndef GSIM_PLACE_H
#define GSIM_PLACE_H
#include "passes/analysis/graph.h"
#include "sim/reconv/core.h"

/* Loops as frames: place_loops.c. A frame is a loop, or one iteration of it, in front of which a block (the
   frame block) pushes a token, and which lanes leave for that token. New blocks are appended to the function
   first, and go to their places with place_finish. */
/* A block in which lanes do nothing but leave a frame, and that frame's frame block. */
typedef struct Leaf { Block *block, *frame; } Leaf;
typedef struct PlaceLoops {
	LowerFn *l;
	Arena *arena;
	Vec(Leaf) leaf;
	bool *divergent;           /* by block id: the branch may diverge and needs a point of its own */
	/* by block id: is it a frame block, with PBK or PCNT? Its succ[0] is where the lanes of the token go
	   on, succ[1] the body. */
	bool *frame;
	int *home;                 /* by id of a frame block: the loop that it is in, -1 = none */
	IntList *framed;           /* by block id: frame blocks that lead to the block */
	int room;                  /* number of blocks for which these arrays have room */
} PlaceLoops;

/* The operations that place_tokens inserts, numbered as the rows of a mechanism's OwnOp table. A mechanism
   that translates them numbers its own operations behind them. */
enum { OWN_SSY, OWN_PBK, OWN_PCNT, OWN_SYNC, OWN_BRK, OWN_CONT, TOKEN_OPS };

typedef struct PlaceStyle {
	/* a loop with one header, one latch and one exit block becomes a frame: PBK, PCNT, BRK, CONT */
	bool frames;
	/* a branch to a block in which lanes do nothing but leave becomes a predicated BRK, CONT or SYNC */
	bool predicate;
	/* Replaces the operations with those of the mechanism, before operands are numbered; may be NULL. */
	void (*translate)(PlaceLoops *, void *self);
	void *self;
} PlaceStyle;
/* Inserts SSY, SYNC (and PBK, PCNT, BRK, CONT) into the function: place.c. */
bool place_tokens(LowerFn *, const PlaceStyle *, Diag *);

/* Finds the branches that may diverge; with frames, makes loops frames. */
void place_loops(PlaceLoops *, bool frames);
/* Gives PBK and PCNT of frame blocks their operands, makes predicated operations of branches (PlaceStyle) if
   `predicate` is set, and puts the new blocks in their places. */
void place_finish(PlaceLoops *, bool predicate);
/* Makes an empty block for operations of the mechanism, which will stand in front of the block `before`;
   NULL: at the very start of the function. A block to stand in front of the entry stands last: a function
   begins with its entry. */
Block *place_block(PlaceLoops *, Block *before);
/* Makes the operation `own`, with the block as its operand (lower_target); NULL: without an operand. */
Ins place_ins(PlaceLoops *, int own, Block *);
#endif
