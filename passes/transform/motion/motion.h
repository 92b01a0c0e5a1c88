/* Code motion (pre, lcm, spre, scm, sscm): what its files share.
 *
 * motion.c     the passes, rounds, remarks and counters
 * points.c     the graph: blocks, and one more on each critical edge
 * slice.c      some expressions with the part of the graph that matters to them
 * equations.c  the table of equations, which say where a slice's expressions are computed
 * sparse.c     finds fewer places for computations, by minimum cut (mincut.c)
 * arms.c       takes new computations out of the arms of a divergent branch if they are for what is read
 *              behind the arms
 * choose.c     chooses which expressions may move, and makes the remarks
 * apply.c      writes the new code */
#ifndef GSIM_MOTION_H
#define GSIM_MOTION_H
#include "isa/edit.h"
#include "passes/analysis/tree.h"
#include "passes/analyses.h"
#include "passes/pass.h"

/* ---- points ---- */

/* The graph on which expressions move. Its blocks are the function's, with their numbers, and one for each
   critical edge, with numbers from c->n on; such a one becomes a block of the function only if something is
   put on its edge. */
typedef struct Points {
	const Cfg *c;
	int n;
	Graph *g;
	/* by block: begin and end of the edge for which it stands; -1: it is a block of the function */
	int *from, *to;
	/* blocks in reverse post-order, and their number; by block: its place in that order, -1 = not
	   reached */
	int *order, norder, *place;
	/* by block: the innermost cycle around it, -1 = none; how many cycles are around it */
	int *loop, *depth;
	bool *divergent;               /* by block: threads of a warp may part at its end */
	bool *branch;                  /* by block: it has several successors */
	int *outermost;                /* by cycle: the outermost cycle around it, which may be itself */
	const Control *control;
	const Dom *dom, *pdom;
	const Loops *loops;
} Points;
Points *points_build(Arena *, struct Analyses *);
bool points_leaves(const Points *, int from, int to);      /* does the edge lead out of a cycle? */

/* ---- methods ---- */

typedef enum { SPECULATE_NOWHERE, SPECULATE_DIVERGENT, SPECULATE_EVERYWHERE } Speculation;

typedef enum {
	PLACE_LATE,                    /* as late as the number of computations allows (lazy code motion) */
	PLACE_EARLY,                   /* as early as possible */
	/* early, but not before the place where some way has computed the value (Morel and Renvoise) */
	PLACE_RENVOISE
} Placement;

typedef struct Method {
	Placement placement;
	/* at which branches a value may be computed that only one successor needs */
	Speculation speculation;
	bool sparse;                   /* afterwards the number of places is made as small as possible */
	/* nothing new may be computed in an arm of a divergent branch for what is read behind the arms */
	bool arms;
} Method;

/* ---- slices ---- */

enum { SLICE_BITS = 256 };

/* The sets of a slice: each has, by node, a bit for each expression. Node 2 k is N(b), where b is block[k] of
   the slice: the place before the block first modifies the expression, that is, changes its value. Node 2 k +
   1 is X(b): the place behind the last modification. */
typedef enum {
	/* the expression is computed there (NComp; XComp: computed behind the block's last modification, if
	   it has one) */
	COMP,
	MOD,                           /* at both nodes of a block: the block modifies it (not Transp) */
	STOP,                          /* at N: what is in front of the block does not matter to it */
	FAR,                           /* no way from here leads to a computation of the same value */
	/* DnSafe: on all ways from here it is computed before it is modified (with speculation one way may be
	   enough); UpSafe: it is computed on all ways to here, and not modified since */
	SAFE, AVAILABLE,
	/* no earlier place would do; a computation can be delayed to here */
	EARLIEST, DELAYED,
	NEW,                           /* AVAILABLE on no way: Morel and Renvoise leave such alone */
	PLACED,                        /* computed here after motion */
	GONE,                          /* computed here before, and read from the temporary now */
	WANTED,                        /* the temporary is read later */
	SETS
} SetName;

typedef struct MotionSlice {
	Arena *a;
	const Points *p;
	bool speculates;               /* its expressions may be computed where the program does not */
	int bits; const int *expr;     /* number of expressions; by bit: the expression */
	int n; int *block;             /* the blocks that matter, in reverse post-order, and their number */
	/* nodes 2 k and 2 k + 1 are of block[k]; the last node (slice_outside) stands for all blocks that do
	   not matter */
	Graph *g; int *order, norder;
	BitSet *set[SETS];
} MotionSlice;

/* What makes slices: it keeps tables by block and by expression, which one slice after the other uses. */
typedef struct Slicer {
	Arena arena;
	const Points *p;
	const Expressions *x;
	bool early;                    /* as in slicer_open; then there is no tree of dominators */
	Tree dominators;
	/* of the slice at hand: by block, its number in the slice; by expression, its bit; by block, the
	   first bit of those whose stop it is (slice.c); -1: none */
	int *local, *bit, *stop;
} Slicer;
/* early: the method asks for the earliest places, which may be far up, so slices have no stops */
void slicer_open(Slicer *, const Points *, const Expressions *, bool early);
void slicer_close(Slicer *);
MotionSlice *slice_open(Slicer *, Arena *, const int *expr, int n, bool speculates); /* expr: ascending */
static inline int slice_outside(const MotionSlice *s) { return 2 * s->n; }

/* equations.c: fills PLACED, GONE and WANTED. */
void motion_solve(MotionSlice *, const Method *);
void motion_safe(MotionSlice *, const Method *);           /* fills SAFE and AVAILABLE for what COMP says */
/* sparse.c: PLACED and GONE must be those of lazy code motion; changes them, for fewer computations. */
void motion_thin(MotionSlice *, const Method *);

/* arms.c: takes back new computations that Method.arms forbids; returns how many computations of the program
   stay for that. The caller has to solve WANTED again. bits: the expressions concerned are added to this set,
   which may have no bits. */
int motion_spare_arms(MotionSlice *, BitSet bits);

/* ---- code ---- */

/* What happens to a computation of an expression at a node. STAYS: nothing. SAVED: it also writes the
   temporary. REPLACED: the temporary is read instead. INSERTED: there was none; a new one writes the
   temporary. */
typedef enum { STAYS, SAVED, REPLACED, INSERTED } ActionKind;
/* block: as in Points; exit: at the block's X, else at its N; marked: the new load becomes a nonfaulting
   one */
typedef struct Action { int block, expr; bool exit, marked; ActionKind kind; } Action;

typedef struct MotionPlan { Vec(Action) action; } MotionPlan;
typedef struct Applied { int inserted, replaced, saved, split; } Applied;
Applied motion_apply(PassRun *, const Points *, const Expressions *, const MotionPlan *);

/* ---- a run ---- */

typedef struct Motion {
	PassRun *r;
	const Method *how;
	Arena arena;
	const Cfg *c;
	Points *p;
	Expressions *x;
	ExpressionMemory memory;
	MotionPlan plan;
	Applied done;
	int first_temp;                /* the first register that this run has made */
	/* number of computations in the code before the first round, of those in the last round; number of
	   expressions moved in all rounds */
	int before, after, moved;
	/* number of nodes at which temporaries live, in all rounds; in this round, by expression */
	int64_t live, *lives;
	bool nonfaulting;              /* loads may be speculated, marked so that they do not fault */
	int limit;                     /* most registers that may live at once; 0: any number */
	int refused;                   /* expressions of the last plan that stay because of the limit */
} Motion;

/* choose.c */
bool motion_may_speculate(const Motion *, int expr);   /* may it be computed where the program does not? */
void motion_mark_loads(Motion *);      /* marks new loads of the plan that may fault where they are put */
void motion_fit(Motion *);             /* takes expressions out of the plan until the limit holds */
void motion_remark(Motion *);
#endif
