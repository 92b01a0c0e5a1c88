/* Inside the uniformity analysis: its state, and what its files ask each other. uniformity.c says which
 * results of instructions differ, and runs all of it; uniformity_scope.c says which lanes are asked about,
 * and what special registers are to them; uniformity_cycles.c says what cycles make of values,
 * uniformity_leave.c what becomes of those that are used behind them;
 * uniformity_meet.c, where lanes that part meet again; uniformity_joins.c, where values of different ways
 * come together; uniformity_why.c, where the value that a branch decides by begins to differ. */
#ifndef GSIM_UNIFORMITY_OWN_H
#define GSIM_UNIFORMITY_OWN_H
#include "passes/analysis/reaching.h"
#include "passes/analysis/tree.h"
#include "passes/analysis/uniformity.h"
#include "passes/constants.h"

typedef Vec(int) Ints;

typedef struct Uni {
	Arena *arena;                  /* freed when the analysis is done */
	const Cfg *c;
	UniformityOptions options;
	/* of a block, of the grid: extents, 0: not known. apart: not all lanes of the scope take part in one
	   warp-level operation, so that its results differ */
	uint32_t block[3], grid[3];
	bool apart;
	const Ssa *ssa;
	const Reaching *reads;
	const Dom *dom, *pdom;
	Dom *rest;                     /* post-dominators for lanes that do not end at once */
	/* by block: whoever comes there by its only edge ends without meeting those that do not */
	bool *own_end;
	/* tail: blocks in which lanes are that have parted from the others to end; none: the empty set */
	BitSet tail, none;
	/* for each block at which lanes end: post-dominators for lanes that end there */
	Dom *bound[JOIN_ENDS];
	int nbound;                    /* how many of these; -1: not made yet; JOIN_ENDS + 1: too many */
	Uniformity *r;
	bool *use;              /* by place in ssa->use: the value differs here though the version does not */
	bool stores[SP_COUNT];         /* by space: the function may write to it */
	Ints todo;                     /* divergent versions whose readers have not been looked at */
	Ints branch;                   /* divergent branches, not yet looked at */
	Ints large;                    /* divergent branches whose joins the frontier gives */
	int done;                      /* so many of `large` have been handled */
	int64_t steps;
	int *name, *stamp, now; /* by block: the name that came there, valid where stamp is `now` */
	/* by block: is `area` if lanes may come there on the way from the branch looked at to its point */
	int *region, area;
	int *heap, nheap;
	bool *waits;                   /* by block: is the block in heap? */
	/* by loop: loop_first: its number in a walk through the tree of cycles; loop_last: the last number
	   inside it */
	int *loop_first, *loop_last;
	int *loop_end;                 /* by loop: the place in reverse post-order behind its last block */
	/* by place in reverse post-order: it, or a later one up to which all have been mixed */
	int *unmixed;
	/* by loop. left: lanes leave it at different times; ended: lanes that end apart behind it do */
	bool *left, *ended;
	bool *mixed;                   /* by loop: lanes of different iterations meet in it */
	bool *parted;                  /* by loop: uni_part_all has been there, and in all loops around it */
	Tree tree;                     /* of loops: node l + 1 stands for loop l, and the root for no loop */
	struct Escapes *escapes;       /* uses behind cycles (uniformity_leave.c); NULL: not found yet */
	struct InnerExits *exits;      /* ways out of inner cycles (uniformity_meet.c); NULL: not found yet */
} Uni;

/* The innermost loop around the block, as a node of the tree. */
static inline int uni_node(const Uni *u, int block)
{
	return 1 + (block < u->c->n ? u->c->nest->of[block] : -1);
}

/* ---- uniformity.c ---- */
/* says that the version differs; what reads it is looked at later */
void uni_mark(Uni *, int version, UniCauseKind, int branch);
void uni_evaluate(Uni *, int block, int ins);

/* ---- uniformity_cycles.c ---- */
void uni_number_cycles(Uni *, Arena *);
bool uni_contains(const Uni *, int loop, int block);
void uni_mark_varying(Uni *, const Block *, int branch);
void uni_mix(Uni *, int loop, int branch);

/* ---- uniformity_leave.c ---- */
void uni_leave(Uni *, int loop, bool ended, int branch);

/* ---- uniformity_meet.c ---- */
void uni_find_rest(Uni *);                   /* fills in rest, own_end and tail */
bool uni_part(Uni *, int branch);
void uni_part_all(Uni *, int branch);

/* ---- uniformity_scope.c ---- */
/* Fills in what depends on the scope: extents, `apart`, and which special registers differ. */
void uni_find_scope(Uni *);

/* ---- uniformity_joins.c ---- */
void uni_carry_names(Uni *, int branch, int stop);
void uni_join_large(Uni *);
#endif
