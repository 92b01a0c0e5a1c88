/* Convergence barriers at compile time: what place.c and the files of its steps share. */
#ifndef GSIM_ITS_PLACE_H
#define GSIM_ITS_PLACE_H
#include "lib/chain.h"
#include "passes/analysis/analysis.h"
#include "sim/reconv/its/its.h"

typedef struct Object {                /* a barrier of the function, by its object number: BSSY n, BSYNC n */
	Chain outer;                   /* barriers open where it is opened */
	bool numbered;
	bool idle;                     /* BSYNC of another barrier follows its own: it has nothing to add */
	int number;                    /* before it is mapped to registers */
	int saved;              /* what holds the barrier register of an inner one: a register, or a symbol */
} Object;

/* next: in p->leave, the next one from the same block, or -1; its_solve */
typedef struct Edge { Block *from; int k, next; } Edge;

/* A predicted point; its region, the blocks that are reached from the branch and lead to the point; and the
   region's barrier. */
typedef struct Prediction { Block *branch, *point, *wait; BitSet region; int object; } Prediction;

typedef struct Barriers {
	LowerFn *l;
	Function *f;
	Arena arena;
	int n;                         /* objects */
	/* [2 * block id + (1 for a frame)]: its object + 1; 0 = none; while place.c translates */
	int *object;
	Object *r;
	Cfg *cfg;
	Chains chains;                 /* of sets of objects, each by its_rank */
	Chain *in, *out;
	int registers, most;           /* available; used */
	Vec(Edge) leave;               /* edges to the BSYNC of a frame */
	int *first_leave;              /* by block id: the first in leave, or -1; its_solve */
	Vec(Prediction) predicted;
} Barriers;

/* Operations name objects until its_code makes them name registers. The object that i names if it is the
   operation `own`, else -1. */
static inline int its_object(const Ins *i, int own) { return is_own(i, own) ? (int)ins_src(i, 0)->imm : -1; }
Ins its_ins(Barriers *, int own, int object);

/* Outer barriers mostly have the lower objects: sets of them begin with the inner ones, and share the outer
   ones. */
static inline int its_rank(const Barriers *p, int object) { return p->n - 1 - object; }
static inline int its_at_rank(const Barriers *p, int rank) { return p->n - 1 - rank; }

/* Are barriers open together? They are if one is open where the other is opened. */
static inline bool its_together(const Barriers *p, int a, int b)
{
	return chain_has(p->r[a].outer, its_rank(p, b)) || chain_has(p->r[b].outer, its_rank(p, a));
}

/* Predicted points: predict.c. */
void its_find_predicted(Barriers *);   /* before anything is placed */
void its_predict(Barriers *, Prediction *);
/* barriers that would wait for lanes that wait at a predicted point become idle */
void its_give_way(Barriers *);
/* Barriers of predicted points become idle if others share their registers. True: there were any, and all
   numbers are to be given anew. */
bool its_drop_sharing(Barriers *);

/* Which barriers are open where, and their numbers: open.c. */
void its_solve(Barriers *);            /* cfg, in, out, r[].outer */
void its_number(Barriers *);           /* r[].number of those that are not idle; most */
/* Barriers that lanes leave on the k-th edge of a block, to a frame's BSYNC: those that are open there and
   were not when the frame was entered. */
Chain its_left(Barriers *, const Block *, int k);

/* Objects become registers, with BMOV where they share one and BREAK where lanes leave: code.c. */
void its_code(Barriers *);

/* YIELD in loops, as the policy says: yield.c. */
void its_place_yields(LowerFn *);
#endif
