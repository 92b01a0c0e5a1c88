/* The token stack's compile time. */
#ifndef GSIM_TOKEN_H
#define GSIM_TOKEN_H
#include "sim/reconv.h"

enum { TOKEN_SSY_DIV, TOKEN_PBK_BRK };
/* Inserts SSY, SYNC (and PBK, PCNT, BRK, CONT) into the function: token_place.c. */
bool token_place(LowerFn *, int codegen, Diag *);

/* Loops as frames of the token stack: token_loops.c. New blocks are appended, each with the block it will stand before. */
typedef struct MadeBlock { Block *block; const Block *before; } MadeBlock; /* before NULL: at the very start */
typedef struct Leaf { Block *block, *frame; } Leaf;  /* a block that only leaves, and the frame it leaves */
typedef struct TokenLoops {
	LowerFn *l;
	Arena *arena;
	Vec(MadeBlock) made;
	Vec(Leaf) leaf;
	bool *divergent;           /* by block id: the branch may diverge and needs a point of its own */
	bool *frame;               /* by block id: pushes PBK or PCNT; succ[0] = where the token resumes, succ[1] = the body */
	int *home;                 /* frame blocks, by id: the loop they are in, -1 = none */
	int room;                  /* blocks the arrays have place for */
} TokenLoops;
void token_loops(TokenLoops *, bool pbk_brk);
/* Turns frame blocks into PBK and PCNT, branches to a block that only leaves into predicated BRK, CONT and SYNC
   (pbk_brk), and gives the blocks their places. */
void token_finish(TokenLoops *, bool pbk_brk);
Block *token_block(TokenLoops *, const Block *before);
/* An operation whose operand is a block; the operand is a pointer until token_place numbers blocks. */
Ins token_ins(TokenLoops *, Op, Block *);
#endif
