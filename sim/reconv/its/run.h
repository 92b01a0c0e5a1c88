/* Convergence barriers at run time: what its.c, queue.c and barrier.c share. */
#ifndef GSIM_ITS_RUN_H
#define GSIM_ITS_RUN_H
#include "sim/reconv/its/its.h"
#include "sim/reconv/common/splits.h"

typedef struct ConvBarrier {
	Mask members;                  /* lanes for which it waits; empty: it has opened, or is free */
	/* lanes that may still name the barrier: its members, and lanes without which it has opened; empty:
	   the barrier is free */
	Mask holders;
	Mask blocked;                  /* members that wait at BSYNC */
	Mask named;                    /* lanes whose barrier register `reg` names it */
	int next;                      /* the next barrier that lanes name in that register; -1: none */
	uint8_t reg;
	Cycle since;                   /* when the first of the blocked lanes came */
	uint32_t made;                 /* the barriers of the warp are counted as they are made */
	bool rejoin;                   /* of a predicted point: lanes stay members when the barrier opens */
} ConvBarrier;

typedef struct ItsGroup {              /* a group, indexed by its lowest lane */
	Cycle ran;                     /* when the group last got the turn */
	Cycle stalled;                 /* the group was found to wait with its next instruction until then */
	/* of the group's last YIELD: its lanes, its pc, and how often in a row these lanes have come to it */
	Mask spins;
	uint32_t spin_pc, nspin;
} ItsGroup;

/* Of a launch, and of one SM. */
typedef struct ItsShared {
	bool bound;                    /* the values are known */
	int64_t value[ITS_THRESHOLD + 1]; /* those of the parameters, knobs as the policy says (its_knob) */
} ItsShared;

typedef struct Its {
	const int64_t *value;          /* ItsShared.value */
	int n;
	uint8_t queue[64];             /* the n groups that are ready, by lowest lane; [0] has the turn */
	/* lanes of the group that got the turn last, but those that have parted from it since: a group with
	   one of them goes on where the front end is */
	Mask turn;
	Cycle began;                   /* when that group got the turn */
	Mask yielded;                  /* lanes that have yielded and not run since */
	Mask in_block;            /* lanes that are in a block of the module, not in one that lowering made */
	uint32_t made;                 /* how many barriers have been made, free ones included */
	int nbarrier, cap, nfree;      /* barriers made; room for so many; how many of them are free */
	ConvBarrier *barrier;          /* by name - 1 */
	int used;                      /* no barrier register from this number on has been used */
	/* by register: the first of the barriers that lanes name there, as an index; -1: there is none. A
	   barrier has one register, in which lanes name it unless they have moved the name to a general
	   register. */
	int first[ITS_REGS];
	ItsGroup *group;               /* by lane (its_past) */
} Its;

/* The past of the group with this lowest lane. Warps whose lanes never part most often need none. */
static inline ItsGroup *its_past(Warp *w, Its *k, int lane)
{
	if (!k->group)
		k->group = reconv_alloc(w, sizeof *k->group * (size_t)reconv_config(w)->warp_size);
	return &k->group[lane];
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
/* the place in the queue that a group gets when it becomes ready: behind the first with order lifo, else
   last */
int its_ready_place(const Its *);
void its_rotate(Warp *, Its *);        /* the running group gives the turn up and stands last */
void its_choose(Warp *, Its *);        /* if no group has the turn, one gets it */
void its_merge(Warp *, Its *);         /* groups that are ready at one pc become one */
void its_pass_on(Warp *, Its *);     /* the turn goes to a group that is not known to wait, if there is one */
/* s becomes part of `into`, which may move in the list. */
Split *its_join(Warp *, Split *into, Split *s);

/* ---- barriers: barrier.c. A barrier that opens changes the list of splits. ---- */
void its_bssy(Warp *, Its *, Mask, int reg);   /* the lanes make a barrier and name it in the register */
/* the split's lanes wait in the barriers that they name in the register; lanes that are members of none go
   on */
void its_bsync(Warp *, Its *, Split *, int reg, bool rejoin);
/* the lanes leave the barriers that they name in the register */
void its_break(Warp *, Its *, Mask, int reg);
void its_save(Its *, Mask, int reg, uint32_t *row);            /* the names move into a general register */
/* the names come from a general register; the lanes leave the barriers that they named before */
void its_restore(Warp *, Its *, Mask, int reg, const uint32_t *row);
void its_ended(Warp *, Its *, Mask);      /* the lanes have ended: barriers that waited for them alone open */
/* The lanes have yielded. release: barriers open whose other lanes all wait or have yielded. */
void its_yielded(Warp *, Its *, Mask, bool release);
/* the lanes of the barrier that was made last and has not opened; without one, of the warp */
Mask its_newest_members(const Warp *, const Its *);
/* the lowest lane of m, and in *same all lanes of m whose register names what it names there: returns the
   name, from 1; 0: none */
uint32_t its_name(const Its *, Mask m, int reg, Mask *same);
void its_time_out(Warp *, Its *);         /* barriers open at which lanes have waited for barrier_timeout */
/* For a warp in which no group is ready: lanes wait at block barriers and warp-level operations for others,
   which may wait for them at convergence barriers. With yield_release or yield_patience, convergence barriers
   then open without the lanes that wait elsewhere; otherwise they do so only if all of these wait at
   warp-level operations, for lanes of their own warp. */
void its_last_resort(Warp *, Its *);
#endif
