/* Inside linearization. The work on one region has these steps, in this order: find.c finds the region, or
   chosen.c does when an option asks for more regions; plan.c decides in which order the region's units stand
   and which ranges of units are cycles (interleave.c finds the order in which a warp waits least, by the
   times of time.c, and that order is taken where the number of registers, which pressure.c counts, allows
   it); guards.c decides which guards there are and where they lead; emit.c makes blocks of that. Before all
   regions split.c cuts blocks behind loads; after one has been rewritten sides.c gives registers of one side
   of its branch other names. */
#ifndef GSIM_LINEARIZE_H
#define GSIM_LINEARIZE_H
#include "isa/edit.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/clock.h"
#include "passes/analysis/reduction.h"
#include "passes/analysis/uniformity.h"
#include "passes/constants.h"
#include "passes/pass.h"

/* ---- the function: nodes are blocks, the virtual exit x and entry e; regions that are done and structured
   parts have become one node ---- */

/* the edge from a block to its successor number k; k = -1: threads end in the block */
typedef struct Strand { Block *block; int k; } Strand;
typedef struct LinNode {
	/* the block to which edges to the node lead; the block behind which its back blocks are put */
	Block *head, *last;
	int at;                    /* greatest number of a block of the source in the node */
	/* the node contains operations that threads execute together; contains a region that must stay as it
	   is */
	bool convergent, refused;
} LinNode;

typedef struct Lin {
	PassRun *run;
	Edit edit;
	Arena arena;
	Cfg *cfg;                  /* of the function before any change */
	Reduction red;
	int e, x;
	/* the node to which loops without end lead: threads that end lead to x and do not meet them there */
	int y;
	LinNode *node;
	Vec(Strand) strand;        /* by strand of the reduction: the edge of the program */
	const EffectTable *effects;
	Uniformity *uniformity;    /* NULL: no block has operations that threads execute together */
	Dom *pdom;
	Graph *flow;               /* of the function before any change: without fatal blocks */
	Block **block;             /* its blocks by number */
	int *pos;                  /* by node: its number in the region being rewritten, -1 = outside */
	/* blocks with operations that threads execute together; blocks that a warning has named */
	BitSet convergent, noted;
	/* by block: what a thread may wait for there, and the place in the source where it waits; text NULL:
	   for nothing. waits NULL: threads wait in no block */
	struct LinWait { const char *text; Loc loc; } *waits;
	int level, merge;          /* values of options opt and merge */
	/* guards do not nest (option depth); options divergent and relaxed-exits */
	bool flat, divergent, relaxed;
	const int *order; int norder; /* blocks that option order lists */
	const Liveness *live;      /* of the function before any change; NULL: without option interleave */
	struct Pressure *pressure; /* NULL: without option interleave */
	struct Clock *clock;       /* NULL: without options interleave and split-loads */
	bool interleave;
	/* units of the plan stand in the order in which a warp waits least; false: in topological order */
	bool mixing;
	struct Sides *sides;     /* registers that are about to be renamed on one side of a branch, or NULL */
	/* option split-loads: the blocks that were cut off the ends of others, in the function's order */
	Vec(Block *) cut;
	int regions, guards, mixed; /* counts for --pass-stats: regions rewritten, guards, interleaved */
} Lin;
void blocks_of(const Lin *, int node, BitSet); /* adds the blocks that have gone into the node */

/* A region: n nodes with one way in (all edges into them come from node d, or all lead to node `entry`) and
   one way out (all edges out of them lead to node p). d and p are not among these nodes. */
typedef struct LinRegion {
	int d, p, entry;   /* d: -1 when edges come from several nodes; entry: -1 when they lead to several */
	int *node, n;              /* the nodes, in ascending order */
	bool faster;               /* the region is rewritten only when that is faster */
} LinRegion;
void regions_find(Lin *, bool (*found)(Lin *, LinRegion *));
void regions_chosen(Lin *, const PassValue *order, int depth, bool whole);
/* writes a remark when the function, as it is now, may need more than `depth` entries of a reconvergence
   stack */
void depth_remark(Lin *, int depth);
void loops_to_merge(Lin *, int levels);
/* Rewrites the region and returns true; or leaves the region as it is and returns false: then it has become
   one node, unless r->faster is set. */
void region_sort(LinRegion *);         /* puts its nodes in the order of their numbers */
bool region_rewrite(Lin *, LinRegion *);
/* Makes one node of the region and returns its number: d, when all edges into the region come from d and d is
   not the virtual entry. cut: the region's edges to p are taken away, too. */
int region_becomes_node(Lin *, const LinRegion *, bool cut);

/* ---- plan: units in their order, and cycles ---- */

/* An edge out of a unit or into the region. value says where it leads: the position of a unit; n: to node p;
   n + 1: the thread ends by `exit`, in a device function that also returns (LinPlan.thread_ends). */
typedef struct PlanEdge { int strand, value; } PlanEdge;
typedef struct PlanUnit {
	int node, first, n;        /* its n edges are plan->edge[first ..] */
	/* the block from which all these edges come, when they are all of its edges and it ends with bra, ret
	   or exit; else NULL */
	Block *chooses;
	/* the values of the edges: by successor of `chooses`; without that, the least and the greatest
	   value */
	int value[2];
} PlanUnit;
/* A cycle. lo, hi: positions: behind unit hi, threads for which the variable is within lo..hi go back to lo.
   passed: some threads come behind unit hi with a value below lo. parent: the loop around, -1 = none. */
typedef struct PlanLoop { int lo, hi, parent; bool passed; } PlanLoop;

typedef struct LinPlan {
	const LinRegion *region;
	/* units; threads that come to a unit from position `endless` on never leave it: they meet no others
	   behind it */
	int n, endless;
	PlanUnit *unit;            /* by position; unit[n] has the edges into the region */
	PlanEdge *edge;
	/* by position of a unit with which a cycle begins: the position where its turns begin. That is
	   another unit's where several cycles take turns together. By position of other units: the same
	   position */
	int *begin;
	int nloop;
	PlanLoop *loop;            /* outer ones first, by ascending lo; no two have the same lo */
	bool thread_ends;          /* p is the exit, and some edges return while others end the thread */
	/* cycles that a warp takes through all units, without guards: in topological order, and in this
	   order; option interleave only */
	int64_t found, time;
} LinPlan;
void plan_make(Lin *, Arena *, const LinRegion *, LinPlan *);

/* ---- time, in cycles, of a warp of which some threads execute each piece of the code ---- */

int64_t guard_time(const Lin *);                        /* what one guard costs */
/* is it a load from memory that takes longer than `guard` cycles? */
bool is_far(const Lin *, const Ins *, int64_t guard);
/* Writes plan->found and plan->time. With l->mixing it also changes `order`, which lists the units by number
   in the region, and `begin`, by that number. Does nothing for more than INTERLEAVE_UNITS units. */
void interleave(Lin *, Arena *, LinPlan *, const Graph *, const Nest *, int *order, int *begin);

/* ---- how many registers live at once: 32 bits each, predicates do not count ---- */
typedef struct Pressure Pressure;
/* allows `more` registers above those that live now at the function's worst place */
void pressure_open(Lin *, int more);
/* how many registers would live at the function's worst place if the plan were taken */
int pressure_plan(const Lin *, const LinPlan *);
bool pressure_allows(const Lin *, int registers);
/* notes that the plan is taken; does nothing without option interleave */
void pressure_taken(Lin *, const LinPlan *);
void pressure_remark(Lin *, const LinPlan *, Loc, int registers);

/* ---- guards: the plan's units with tests in between ---- */

typedef enum { GUARD, BACK, UNIT, AFTER } PointKind;
typedef struct Point {
	PointKind kind;
	/* position of a unit: of the unit itself, of the one behind the guard, of the one in front of BACK */
	int unit;
	int lo, hi;                /* GUARD, BACK: lead to `yes` when the variable is within lo..hi */
	bool below;                /* BACK: no value is less than lo, so that one comparison is enough */
	/* GUARD, BACK: position of the unit whose last branch decides in place of the test; -1: the variable
	   is tested */
	int chosen;
	int yes, no;               /* points; of a UNIT, yes is where its threads go on */
} Point;
/* Does the guard let the value pass? */
static inline bool point_covers(const Point *p, int value) { return value >= p->lo && value <= p->hi; }
/* start: the point of the edges into the region; after: the point of node p */
typedef struct Guards { Vec(Point) point; int start, after; } Guards;
/* level: option opt; flat: guards stand in a row, none inside another one or in its else part */
void guards_make(const LinPlan *, int level, bool flat, Guards *);

int64_t guards_time(Lin *, const LinPlan *, const Guards *);

/* ---- registers of the sides of a branch ---- */
typedef struct Sides Sides;
Sides *sides_new(Lin *);
void sides_free(Sides *);                               /* NULL: does nothing */
/* finds the registers that have to be renamed when the sides of the region's branch are interleaved */
void sides_find(Lin *, const LinRegion *);
void sides_rename(Lin *, const LinRegion *);
void sides_clear(Sides *);
/* is the register for which the number `alias` stands copied in front of the branch? */
bool sides_copied(const Sides *, int alias);
/* by register: the number that stands for its new name in the block, or 0, as clock_ins takes it; NULL: none
   is renamed there. Sides may be NULL */
const int *sides_alias(const Sides *, int block);

/* ---- blocks that end behind loads ---- */
void split_loads(Lin *);                 /* cuts blocks behind loads; called before the Cfg is made */
/* at the end of the pass: merges blocks that have been cut for nothing; returns how many stay apart */
int join_loads(Lin *);

void region_emit(Lin *, const LinPlan *, const Guards *);
#endif
