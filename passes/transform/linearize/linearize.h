/* Inside linearization, in the order of the work on one region: find.c finds it, or chosen.c for options that
   ask for more; plan.c says in which order its units stand and which ranges are cycles (interleave.c: in the
   order in which a warp waits least, by the times of time.c, where the registers of pressure.c allow it),
   guards.c which guards there are and where they lead, emit.c makes blocks of that. split.c cuts blocks
   behind loads before, sides.c gives registers of one side of a branch other names afterwards. */
#ifndef GSIM_LINEARIZE_H
#define GSIM_LINEARIZE_H
#include "isa/edit.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/clock.h"
#include "passes/analysis/reduction.h"
#include "passes/analysis/uniformity.h"
#include "passes/pass.h"

/* ---- the function: nodes are blocks, the virtual exit x and entry e; regions that are done and structured
   parts have become one node ---- */

/* edge number k of a block; k = -1: threads end there */
typedef struct Strand { Block *block; int k; } Strand;
typedef struct LinNode {
	Block *head, *last;        /* where edges to it lead; behind which back blocks stand */
	int at;                    /* number of the block of the source that comes last */
	/* contains operations that threads execute together; contains a region that must stay as it is */
	bool convergent, refused;
} LinNode;

typedef struct Lin {
	PassRun *run;
	Edit edit;
	Arena arena;
	Cfg *cfg;                  /* of the function before any change */
	Reduction red;
	int e, x;
	int y;         /* where loops without end lead: like x, but nothing that also ends meets them there */
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
	/* by block: what a thread may wait for there, and where it stands; text NULL: nothing. NULL: in no
	   block */
	struct LinWait { const char *text; Loc loc; } *waits;
	int level, merge;          /* options opt, merge */
	bool flat, divergent, relaxed; /* guards do not nest; options divergent, relaxed-exits */
	const int *order; int norder; /* blocks of the region looked at, in the order asked for */
	const Liveness *live;      /* of the function before any change, with option interleave */
	struct Pressure *pressure; /* with option interleave, or NULL */
	struct Clock *clock;       /* NULL: without options interleave and split-loads */
	bool interleave;
	bool mixing;       /* the plan is in the order in which a warp waits least; else in the order found */
	struct Sides *sides;     /* registers that are about to be renamed on one side of a branch, or NULL */
	Vec(Block *) cut;          /* option split-loads: ends of blocks, in their order */
	int regions, guards, mixed; /* for --pass-stats */
} Lin;
void blocks_of(const Lin *, int node, BitSet); /* adds the blocks that have gone into it */

void place_before(Lin *, Block *, Block *anchor);
void place_behind(Lin *, Block *, Block *anchor);       /* anchor NULL: in front of all */
void place_all(Lin *);                             /* the function's blocks stand in that order from now on */

/* Nodes with one way in, either all edges from node d or all to node `entry`, and one way out, to node p. d
   and p are not among them. */
typedef struct LinRegion {
	int d, p, entry;   /* d: -1 when edges come from several nodes; entry: -1 when they lead to several */
	int *node, n;              /* in ascending order */
	bool faster;               /* it is rewritten only when that is faster */
} LinRegion;
void regions_find(Lin *, bool (*found)(Lin *, LinRegion *));
void regions_chosen(Lin *, const PassValue *order, int depth, bool whole);
void depth_remark(Lin *, int depth);     /* when the function as it is now may need more entries of a stack */
void loops_to_merge(Lin *, int levels);
bool region_rewrite(Lin *, LinRegion *);                /* or leaves it as it is, a node then: false */
/* which: d, when all edges come from there; cut: without its edges to p */
int region_becomes_node(Lin *, const LinRegion *, bool cut);

/* ---- plan: units in their order, and cycles ---- */

/* An edge out of a unit or into the region: the unit it leads to by position, n: p, n + 1: the thread ends,
   in a device function that also returns. */
typedef struct PlanEdge { int strand, value; } PlanEdge;
typedef struct PlanUnit {
	int node, first, n;        /* edges plan->edge[first ..] */
	/* the one block that all of them leave, as its last instruction says: bra, ret or exit; else NULL */
	Block *chooses;
	int value[2];              /* what it chooses, by successor; else the least and the greatest */
} PlanUnit;
/* positions; behind unit hi threads with a value within lo..hi go back to lo; passed: some have a value below
   lo */
typedef struct PlanLoop { int lo, hi, parent; bool passed; } PlanLoop;

typedef struct Plan {
	const LinRegion *region;
	int n, endless;    /* units from `endless` on never go anywhere: no thread meets others behind them */
	PlanUnit *unit;            /* by position; unit[n] is what is in front: the edges into the region */
	PlanEdge *edge;
	/* by position: of a unit that a cycle begins with, where its turns begin; another one where cycles
	   take turns together; else itself */
	int *begin;
	int nloop;
	PlanLoop *loop;            /* outer ones first, by ascending lo; no two have the same lo */
	bool thread_ends;          /* p is the exit, and some edges return while others end the thread */
	/* how long a warp takes through all of it in the order found, and in this one; with a clock only */
	int64_t found, time;
} Plan;
void plan_make(Lin *, Arena *, const LinRegion *, Plan *);

/* ---- time: of a warp that comes through code with threads for all of it ---- */

int64_t guard_time(const Lin *);                        /* what a guard costs */
/* it brings something from memory that takes longer than a guard */
bool is_far(const Lin *, const Ins *, int64_t guard);
enum { INTERLEAVE_MOST = 256 };                         /* units of a region that are interleaved */
/* writes order and begin, by number in the region, and plan->time */
void interleave(Lin *, Arena *, Plan *, const Graph *, const Nest *, int *order, int *begin);

/* ---- registers that live at once: 32 bits each, predicates apart ---- */
typedef struct Pressure Pressure;
void pressure_open(Lin *, int more);         /* so many more than at the function's worst place are allowed */
int pressure_plan(const Lin *, const Plan *);        /* at the function's worst place, if the plan is taken */
bool pressure_allows(const Lin *, int registers);
void pressure_taken(Lin *, const Plan *);               /* it is; without option interleave: nothing */
void pressure_remark(Lin *, const Plan *, Loc, int registers);

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
/* start: where the region begins; after: the point of p */
typedef struct Guards { Vec(Point) point; int start, after; } Guards;
void guards_make(const Plan *, int level, bool flat, Guards *); /* flat: none inside another, nor beside it */

int64_t guards_time(Lin *, const Plan *, const Guards *);

/* ---- registers of the sides of a branch ---- */
typedef struct Sides Sides;
Sides *sides_new(Lin *);
void sides_free(Sides *);                               /* NULL: nothing */
/* what has to be renamed when the region's sides are interleaved */
void sides_find(Lin *, const LinRegion *);
void sides_rename(Lin *, const LinRegion *);
void sides_clear(Sides *);
/* the register that alias stands for is copied in front of the branch */
bool sides_copied(const Sides *, int alias);
const int *sides_alias(const Sides *, int block);       /* for clock_ins; Sides may be NULL */

/* ---- blocks that end behind loads ---- */
void split_loads(Lin *);                                /* before the Cfg is made */
int join_loads(Lin *);                                  /* in the end; returns how many have stayed apart */

void region_emit(Lin *, const Plan *, const Guards *);
#endif
