/* Inside linearization, in the order of the work on one region: linearize_find.c finds it, linearize_plan.c says in which order its units stand and
   which ranges are cycles, linearize_guards.c which guards there are and where they lead, linearize_emit.c makes blocks of that. */
#ifndef GSIM_LINEARIZE_H
#define GSIM_LINEARIZE_H
#include "isa/edit.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/reduction.h"
#include "passes/analysis/uniformity.h"
#include "passes/pass.h"

/* ---- the function: nodes are blocks, the virtual exit x and entry e; regions that are done and structured parts have become one node ---- */

typedef struct Strand { Block *block; int k; } Strand;  /* edge number k of a block; k = -1: threads end there */
typedef struct LinNode {
	Block *head, *last;        /* where edges to it lead; behind which back blocks stand */
	int at;                    /* number of the block of the source that comes last */
	bool convergent, refused;  /* contains operations that threads execute together; contains a region that must stay as it is */
} LinNode;

typedef struct Lin {
	PassRun *run;
	Edit edit;
	Arena arena;
	Cfg *cfg;                  /* of the function before any change */
	Reduction red;
	int e, x;
	int y;                     /* where loops without end lead: like x, but nothing that also ends meets them there */
	LinNode *node;
	Vec(Strand) strand;        /* by strand of the reduction */
	Vec(Block *) next, before; /* order of blocks, by Block.id */
	Block *first, *last;
	const EffectTable *effects;
	Uniformity *uniformity;    /* NULL: no block has operations that threads execute together */
	Dom *pdom;
	Graph *flow;               /* of the function before any change: without fatal blocks */
	Block **block;             /* its blocks by number */
	int *pos;                  /* by node: its number in the region looked at, -1 = outside */
	BitSet convergent, noted;  /* blocks with such operations; those that a warning has named */
	int level, merge;          /* options opt, merge */
	bool flat, divergent, relaxed; /* guards do not nest; options divergent, relaxed-exits */
	const int *order; int norder; /* blocks of the region looked at, in the order asked for */
	int regions, guards;       /* for --pass-stats */
} Lin;

void place_before(Lin *, Block *, Block *anchor);
void place_behind(Lin *, Block *, Block *anchor);       /* anchor NULL: in front of all */

/* Nodes with one way in, either all edges from node d or all to node `entry`, and one way out, to node p. d and p are not among them. */
typedef struct LinRegion {
	int d, p, entry;           /* d: -1 when edges come from several nodes; entry: -1 when they lead to several */
	int *node, n;              /* in ascending order */
} LinRegion;
void regions_find(Lin *, void (*found)(Lin *, LinRegion *));
void regions_chosen(Lin *, const PassValue *order, int depth, bool whole);
void depth_remark(Lin *, int depth);                     /* when the function as it is now may need more entries of a stack */
void loops_to_merge(Lin *, int levels);
void region_rewrite(Lin *, LinRegion *);                /* or leaves it as it is; a node then */
int region_becomes_node(Lin *, const LinRegion *, bool cut); /* which: d, when all edges come from there; cut: without its edges to p */

/* ---- plan: units in their order, and cycles ---- */

/* An edge out of a unit or into the region: the unit it leads to by position, n: p, n + 1: the thread ends, in a device function that also returns. */
typedef struct PlanEdge { int strand, value; } PlanEdge;
typedef struct PlanUnit {
	int node, first, n;        /* edges plan->edge[first ..] */
	Block *chooses;            /* the one block that all of them leave, as its last instruction says: bra, ret or exit; else NULL */
	int value[2];              /* what it chooses, by successor; else the least and the greatest */
} PlanUnit;
typedef struct PlanLoop { int lo, hi, parent; bool passed; } PlanLoop; /* positions; behind unit hi threads with a value within lo..hi go back to lo; passed: some have a value below lo */

typedef struct Plan {
	const LinRegion *region;
	int n, endless;            /* units from `endless` on never go anywhere: no thread meets others behind them */
	PlanUnit *unit;            /* by position; unit[n] is what is in front: the edges into the region */
	PlanEdge *edge;
	int nloop;
	PlanLoop *loop;            /* outer ones first, by ascending lo; no two have the same lo */
	bool thread_ends;          /* p is the exit, and some edges return while others end the thread */
} Plan;
void plan_make(Lin *, Arena *, const LinRegion *, Plan *);

/* ---- guards: the plan's units with tests in between ---- */

typedef enum { GUARD, BACK, UNIT, AFTER } PointKind;
typedef struct Point {
	PointKind kind;
	int unit;                  /* UNIT, GUARD: its position; BACK: behind which it stands */
	int lo, hi;                /* GUARD, BACK: leads to yes when the variable is within */
	bool below;                /* BACK: no value is less than lo, one comparison does */
	int chosen;                /* position of the unit whose choice decides it at once, -1: it tests */
	int yes, no;               /* points; UNIT: yes is where it goes on */
} Point;
typedef struct Guards { Vec(Point) point; int start, after; } Guards; /* start: where the region begins; after: the point of p */
void guards_make(const Plan *, int level, bool flat, Guards *); /* flat: none inside another, nor beside it */

void region_emit(Lin *, const Plan *, const Guards *);
#endif
