/* Code motion (pre, lcm, spre, scm, sscm): what its files share.
 *
 * motion.c     the passes, rounds, remarks and counters
 * points.c     the graph: blocks, and one more on each critical edge
 * slice.c      a range of expressions with the part of the graph that matters to them
 * equations.c  the table of equations, and where a slice's expressions are computed
 * sparse.c     fewer places, by minimum cut (mincut.c)
 * arms.c       nothing new in the arms of a divergent branch for what is read behind them
 * apply.c      the code that comes of it */
#ifndef GSIM_MOTION_H
#define GSIM_MOTION_H
#include "isa/edit.h"
#include "passes/analysis/tree.h"
#include "passes/analyses.h"
#include "passes/pass.h"

/* ---- points ---- */

/* Blocks of the function have their numbers; those from c->n on stand for critical edges and become blocks
   where something is put on them. */
typedef struct Points {
	const Cfg *c;
	int n;
	Graph *g;
	int *from, *to;                /* by block: the edge that it is for; of the function's blocks: -1 */
	int *order, norder, *place;   /* in reverse post-order; by block: its place there, -1 = not reached */
	int *loop, *depth;        /* by block: the innermost cycle around it, -1 = none; how many there are */
	bool *divergent;               /* by block: threads of a warp may part at its end */
	bool *branch;                  /* by block: it has several successors */
	int *outermost;                /* by cycle: the one around it that is in none */
	const Control *control;
	const Dom *dom, *pdom;
	const Loops *loops;
} Points;
Points *points_build(Arena *, struct Analyses *);
bool points_leaves(const Points *, int from, int to);      /* the edge leads out of a cycle */

/* ---- methods ---- */

typedef enum { SPECULATE_NOWHERE, SPECULATE_DIVERGENT, SPECULATE_EVERYWHERE } Speculation;

typedef enum {
	PLACE_LATE,                    /* as late as the number of computations allows (lazy code motion) */
	PLACE_EARLY,                   /* as early as possible */
	PLACE_RENVOISE                 /* as early as it has been computed on some way (Morel and Renvoise) */
} Placement;

typedef struct Method {
	Placement placement;
	Speculation speculation;       /* at which branches one successor that needs the value is enough */
	bool sparse;                   /* then the fewest places */
	bool arms;          /* nothing new in an arm of a divergent branch for what is read behind the arms */
} Method;

/* ---- slices ---- */

enum { SLICE_BITS = 256 };

/* Sets by node: expressions as bits. Node 2 k is N(block k) of the slice, before the block's first
   modification, 2 k + 1 is X(block k), behind its last. */
typedef enum {
	COMP,                          /* computed there (NComp; XComp where the block modifies it) */
	MOD,                           /* at both nodes of a block: the block modifies it (not Transp) */
	STOP,                          /* at N: what is in front of the block does not matter */
	FAR,                           /* no way from here leads to a computation of the same value */
	SAFE, AVAILABLE,            /* DnSafe; UpSafe: computed on all ways to here, and not modified since */
	EARLIEST, DELAYED,
	NEW,                           /* AVAILABLE on no way: what Morel and Renvoise leave alone */
	PLACED,                        /* computed here after motion */
	GONE,                          /* computed here before, and read from the temporary now */
	WANTED,                        /* the temporary is read later */
	SETS
} SetName;

typedef struct Slice {
	Arena *a;
	const Points *p;
	bool speculates;               /* its expressions may be computed where the program does not */
	int bits; const int *expr;     /* by bit: the expression */
	int n; int *block;             /* blocks that matter, in reverse post-order */
	/* nodes 2 k and 2 k + 1 of block[k]; the last one is all that does not matter */
	Graph *g; int *order, norder;
	BitSet *set[SETS];
} Slice;

/* Where slices begin and end: tables by block and expression that are used again. */
/* early: no dominators */
typedef struct Slicer {
	Arena arena;
	const Points *p;
	const Expressions *x;
	bool early;
	Tree dominators;
	int *local, *bit, *stop;
} Slicer;
/* early: places far up are asked for */
void slicer_open(Slicer *, const Points *, const Expressions *, bool early);
void slicer_close(Slicer *);
Slice *slice_open(Slicer *, Arena *, const int *expr, int n, bool speculates); /* expr: ascending */
static inline int slice_outside(const Slice *s) { return 2 * s->n; }

/* equations.c: fills PLACED, GONE and WANTED. */
void motion_solve(Slice *, const Method *);
void motion_safe(Slice *, const Method *);           /* SAFE and AVAILABLE for what COMP says */
/* sparse.c: PLACED and GONE with fewer computations than those of lazy code motion, which are there. */
void motion_thin(Slice *, const Method *);

/* arms.c: takes back what Method.arms forbids; how many computations stay for that. WANTED is to be solved
   again. bits: the expressions go in; may be empty. */
int motion_spare_arms(Slice *, BitSet bits);

/* ---- code ---- */

/* What happens to an expression at a node. Blocks as in Points. */
typedef enum { STAYS, SAVED, REPLACED, INSERTED } ActionKind;
/* marked: a load that becomes a nonfaulting one */
typedef struct Action { int block, expr; bool exit, marked; ActionKind kind; } Action;

typedef struct Plan { Vec(Action) action; } Plan;
typedef struct Applied { int inserted, replaced, saved, split; } Applied;
Applied motion_apply(PassRun *, const Points *, const Expressions *, const Plan *);

/* ---- a run ---- */

typedef struct Motion {
	PassRun *r;
	const Method *how;
	Arena arena;
	const Cfg *c;
	Points *p;
	Expressions *x;
	ExpressionMemory memory;
	Plan plan;
	Applied done;
	int first_temp;                /* the first register that this run has made */
	/* expressions: static occurrences before the first round and behind the last */
	int before, after, moved;
	int64_t live, *lives;          /* points at which temporaries live; by expression */
	bool nonfaulting;              /* loads may be speculated, marked so that they do not fault */
	int limit;                     /* most registers that may live at once; 0: any number */
	int refused;                   /* expressions that stay for that */
} Motion;

/* choose.c */
bool motion_may_speculate(const Motion *, int expr);
void motion_mark_loads(Motion *);      /* those new ones that may fault where they come to stand */
void motion_fit(Motion *);             /* takes expressions out of the plan until the limit holds */
void motion_remark(Motion *);
#endif
