/* Convergence barriers at compile time: what place.c and the files of its steps share. */
#ifndef GSIM_ITS_PLACE_H
#define GSIM_ITS_PLACE_H
#include "lib/chain.h"
#include "passes/analysis/analysis.h"
#include "sim/reconv/its/its.h"
#include "sim/reconv/its/spins.h"

typedef struct Object {                /* a barrier of the function, by its object number: BSSY n, BSYNC n */
	Chain outer;                   /* barriers that are open where this one is opened */
	bool numbered;
	/* no operation is placed for it: another barrier's BSYNC follows its own at once, or it gives way to
	   a predicted point (its_give_way, its_drop_sharing) */
	bool idle;
	int number;                    /* its register is this number modulo the number of registers */
	/* where it shares its register with an outer barrier: what keeps that one meanwhile, a general
	   register or a slot of the call frame */
	int saved;
} Object;

/* The k-th edge out of block `from`. next: index in Barriers.leave of the next edge from the same block, or
   -1; its_solve sets it. */
typedef struct LeaveEdge { Block *from; int k, next; } LeaveEdge;

/* A predicted point, and the branch that predicts it. wait: the block in front of the point in which lanes
   wait; region: the blocks that are reached from the branch and lead to the point; object: the region's
   barrier. */
typedef struct Prediction { Block *branch, *point, *wait; BitSet region; int object; } Prediction;

typedef struct Barriers {
	LowerFn *l;
	Function *f;
	Arena arena;
	int n;                         /* number of objects */
	/* The convergence barrier (object) of each block at which lanes meet, at index 2 * block id, and of
	   each block that opens a loop's frame, at 2 * block id + 1: its number + 1; 0 = there is none. Used
	   only while place.c translates the token stack's operations into barriers. */
	int *object;
	Object *r;                     /* by object number */
	Cfg *cfg;
	Chains chains;                 /* sets of objects, each of which stands for itself by its_rank */
	Chain *in, *out;               /* by block id: barriers that are open before and behind it */
	int registers, most;           /* barrier registers that there are; numbers that are given out */
	Vec(LeaveEdge) leave;               /* edges to the BSYNC of a frame */
	int *first_leave;              /* by block id: index of its first edge in leave, or -1; its_solve */
	Vec(Prediction) predicted;
} Barriers;

/* Operations name objects until its_code makes them name registers. The object that i names if it is the
   operation `own`, else -1. */
static inline int its_object(const Ins *i, int own) { return is_own(i, own) ? (int)ins_src(i, 0)->imm : -1; }
Ins its_ins(Barriers *, int own, int object);

/* Sets of objects are sorted by rank. Outer barriers mostly have the lower object numbers, so the higher
   ranks: sets begin with the inner barriers, and share their rests, the outer ones, in memory. */
static inline int its_rank(const Barriers *p, int object) { return p->n - 1 - object; }
static inline int its_at_rank(const Barriers *p, int rank) { return p->n - 1 - rank; }

/* Are barriers a and b open together? They are if one is open where the other is opened. */
static inline bool its_together(const Barriers *p, int a, int b)
{
	return chain_has(p->r[a].outer, its_rank(p, b)) || chain_has(p->r[b].outer, its_rank(p, a));
}

/* Predicted points: predict.c. */
void its_find_predicted(Barriers *);   /* finds predicted points, before anything is placed */
void its_predict(Barriers *, Prediction *);    /* places the barrier of one of them */
/* barriers that would wait for lanes that wait at a predicted point become idle */
void its_give_way(Barriers *);
/* Barriers of predicted points become idle if others share their registers. True: there were any, and all
   numbers are to be given anew. */
bool its_drop_sharing(Barriers *);

/* Which barriers are open where, and their numbers: open.c. */
void its_solve(Barriers *);            /* sets cfg, in, out, r[].outer */
void its_number(Barriers *);           /* sets r[].number of objects that are not idle, and most */
/* Barriers that lanes leave on the k-th edge of a block, to a frame's BSYNC: those that are open there and
   were not when the frame was entered. */
Chain its_left(Barriers *, const Block *, int k);

/* Barriers at which lanes would wait for others that wait for what these lanes do later: late.c. To be called
   behind its_solve; what that has found holds again afterwards. */
void its_late_points(Barriers *, const Spins *);

/* Objects become registers, with BMOV where they share one and BREAK where lanes leave: code.c. */
void its_code(Barriers *);

/* YIELD in loops, as the policy says: yield.c. */
void its_place_yields(LowerFn *, const Spins *);
#endif
