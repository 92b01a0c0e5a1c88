/* Convergence barriers at run time: what its.c, queue.c and barrier.c share. */
#ifndef GSIM_ITS_RUN_H
#define GSIM_ITS_RUN_H
#include "sim/reconv/its/its.h"
#include "sim/reconv/common/splits.h"

typedef struct ConvBarrier {
	Mask members;                  /* lanes that it waits for; empty: it has opened, or is free */
	Mask holders;       /* lanes that may still name it: members, and lanes without which it has opened */
	Mask blocked;                  /* members that wait at BSYNC */
	Cycle since;                   /* when the first of the blocked lanes came */
	bool rejoin;                   /* lanes stay members when it opens: it is that of a predicted point */
} ConvBarrier;

typedef struct ItsGroup {              /* a group, indexed by its lowest lane */
	Cycle ran;                     /* when it last had the turn */
	Cycle stalled;                 /* its next instruction was found to wait until then */
	Mask spins;                    /* at its last YIELD: the lanes, the place, how often in a row */
	uint32_t spin_pc, nspin;
} ItsGroup;

typedef struct Its {
	int n;
	uint8_t queue[64];             /* groups that are ready, by lowest lane; [0] has the turn */
	int turn;                      /* lowest lane of the group that had it last */
	Cycle began;                   /* when that group got the turn */
	Mask yielded;                  /* lanes that have yielded and not run since */
	Mask in_block;            /* lanes that are in a block of the module, not in one that lowering made */
	int nbarrier, cap, nfree;
	ConvBarrier *barrier;          /* [name - 1] */
	int used;                      /* registers below it have been used */
	ItsGroup group[64];
	uint32_t name[][64];           /* [register][lane]: a barrier, 0 = none */
} Its;

static inline int64_t its_value(const Warp *w, ItsParam knob)
{
	return its_knob(knob, reconv_param(w, ITS_POLICY), reconv_param(w, knob));
}

static inline Split *its_split(Warp *w, int lane) /* the group that has the lane */
{
	Split *s = reconv_splits(w);
	while (!(s->mask >> lane & 1))
		s++;
	return s;
}

/* The group has come to s->pc, by a jump or straight on: notes whether it is in a block of the module. */
static inline void its_enter(Warp *w, Its *k, const Split *s, bool jump)
{
	if (reconv_ins(w, s->pc)->flags & MI_BLOCK_START)
		k->in_block |= s->mask;
	else if (jump)
		k->in_block &= ~s->mask;
}

/* ---- the queue of groups that are ready: queue.c ---- */
void its_enqueue(Its *, int at, const Split *);
void its_dequeue(Its *, const Split *);
int its_ready_place(const Warp *, const Its *);  /* where a group that becomes ready stands: next, or last */
void its_rotate(Warp *, Its *);        /* the running group gives the turn up and stands last */
void its_choose(Warp *, Its *);        /* if no group has the turn, one gets it */
void its_merge(Warp *, Its *);         /* groups that are ready at one pc become one */
void its_pass_on(Warp *, Its *);     /* the turn goes to a group that is not known to wait, if there is one */
/* s becomes part of `into`, which may move in the list. */
Split *its_join(Warp *, Split *into, Split *s);

/* ---- barriers: barrier.c. A barrier that opens changes the list of splits. ---- */
void its_bssy(Warp *, Its *, Mask, int reg);   /* the lanes make a barrier and name it in the register */
/* the lanes wait in the barriers that they name there */
void its_bsync(Warp *, Its *, Split *, int reg, bool rejoin);
void its_break(Warp *, Its *, Mask, int reg);  /* the lanes leave the barriers that they name there */
void its_save(Its *, Mask, int reg, uint32_t *row);            /* the names move into a general register */
void its_restore(Warp *, Its *, Mask, int reg, const uint32_t *row);
void its_ended(Warp *, Its *, Mask);      /* the lanes have ended: barriers that waited for them alone open */
/* the lanes have yielded: barriers open whose other lanes all wait or have yielded */
void its_yielded(Warp *, Its *, Mask);
void its_time_out(Warp *, Its *);
/* For a warp in which no group is ready: lanes wait at block barriers and warp-level operations for others,
   which may wait for them at convergence barriers. Where barriers open without lanes that yield, they then
   open without lanes that wait; and so they do where all wait at warp-level operations, for lanes of their
   own warp. */
void its_last_resort(Warp *, Its *);
#endif
