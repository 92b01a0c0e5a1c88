/* A warp: its splits, its scoreboard, its lanes. Members stand by who writes them. */
#ifndef GSIM_MACHINE_WARP_H
#define GSIM_MACHINE_WARP_H
#include "sim/machine/grid.h"
#include "sim/mem/mem.h"

/* spans of time, each long enough for a turn to end (Patience): n have passed; the rest is of this one */
typedef struct Spans { uint64_t n, branches; Cycle since; } Spans;

/* A generic instruction whose lanes go to several spaces makes an access for each space. Where a register
   becomes ready for all lanes at once, it does so when the last access is done. */
/* accesses that are not done yet; when the last of the others is done */
typedef struct Whole { int parts; Cycle ready; } Whole;
typedef struct LsuAccess {             /* an access that has been issued and waits for the load/store unit */
	Access access;
	const MIns *ins;
	MemTicket *ticket;
	uint32_t event;                /* what a split waits for; 0: none does */
	int nparts;
	Part *part;                    /* the homes of its lanes */
	uint64_t addr[64];
} LsuAccess;
/* a warp's n accesses in the queue; the unit has made the first `made` */
typedef struct LsuPlace { LsuAccess *access; int n, made; } LsuPlace;

struct Warp {
	/* Set when the warp is placed (sim/sm/residence.c). */
	const MIns *ins;               /* the first instruction of its code */
	Share *share;
	Sm *sm;
	Cta *cta;
	struct Sched *sched;           /* its scheduler */
	int place;                     /* in the scheduler's order */
	int slot, index;               /* slot in the SM; index in the block */

	/* The mechanism's, through the services of the core (sim/machine/core.c). */
	int nsplit;
	Split *split;
	void *state;                   /* the mechanism's state of the warp */
	Cycle alarm;                   /* NO_ALARM = none */
	uint8_t take_turns;            /* TURNS_... */
	bool exact; /* reconv_distance has fixed the cycle of the next issue: a redirect adds nothing to it */
	uint32_t stack_depth;          /* the mechanism's depth, as it was noted last */
	uint32_t turns;                /* the last Split.turn given out */

	/* Issue (sim/sm/). */
	int last;                      /* the index of the split that issued last */
	/* the instruction that it cannot issue because of its wake_why; NO_PC: its first split's, if it has
	   one */
	uint32_t waits_at;
	bool used, ending;             /* ending: all its lanes have ended; its accesses may be outstanding */
	bool ended;          /* ... and its accesses are complete: the slot is free at the end of the cycle */
	/* The scoreboard, by name: registers, then predicates. An entry is the cycle << 1, plus 1 for a load.
	   mixed: lanes differ, and `ready` is no earlier than the latest of them. Where registers become
	   ready for all lanes at once mixed is NULL. */
	Cycle *ready, *lane_ready;     /* [name], [name * width + lane] */
	uint8_t *mixed;                /* [name] */

	/* Execution (sim/exec/). */
	Lanes lanes;
	Mask live;
	/* lanes that a barrier has counted without their being there (divergence.bar_partial = whole_warp) */
	Mask missed;
	int outstanding;    /* deferred accesses that something comes back of: no warp waits for the others */
	int queued;                    /* accesses of its lanes that wait for the load/store unit */
	LsuPlace lsu;
	Cycle drain;                   /* when the last is there of what is known to come back */
	uint32_t *tid[3];              /* by lane */
	uint32_t *sp;                  /* local stack pointer by lane */
	uint32_t *depth;               /* call depth by lane */
	uint32_t *ret;                 /* return addresses and frames: [(depth * 2 + {0,1}) * width + lane] */
	uint32_t ret_cap;
	uint32_t *local;               /* local memory: [word * width + lane] (sim/exec/local.c) */
	uint64_t local_cap;            /* bytes of each lane that have been touched, rounded up */

	/* Watching and counting: livelocks (sim/stuck/), partings (sim/machine/partings.c). */
	struct WarpWatch *watch;       /* livelock detection, or NULL */
	uint32_t *stood;               /* the pc of each lane when the watch began, or NULL */
	Spans spans;
	Partings *partings;
	Group *group;                  /* the group that issued last. It matches no split: not known */
};
#endif
