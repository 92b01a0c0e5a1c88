/* A warp: its splits, its scoreboard, its lanes. Its members are grouped by the code that writes them. */
#ifndef GSIM_MACHINE_WARP_H
#define GSIM_MACHINE_WARP_H
#include "sim/machine/grid.h"
#include "sim/mem/mem.h"
#include "sim/reconv/core.h"

/* For livelock detection: spans of time, each long enough for a turn to end (Patience). n: spans that have
   passed; since: the cycle in which the current one began; branches: those that the warp has executed in the
   current span after its first Patience.time cycles. */
typedef struct Spans { uint64_t n, branches; Cycle since; } Spans;

/* Lanes that have one entry of the scoreboard. */
typedef struct LanesReady { Mask lanes; Cycle entry; } LanesReady;

/* A generic instruction whose lanes go to several spaces makes an access for each space. Where a register
   becomes ready for all lanes at once, it does so when the last access is done. */
/* parts: accesses of which it is not known yet when they are done; ready: when the last of the others is
   done */
typedef struct Whole { int parts; Cycle ready; uint8_t level; } Whole;
typedef struct LsuAccess {             /* an access that has been issued and waits for the load/store unit */
	Access access;
	const MIns *ins;
	MemTicket *ticket;
	uint32_t event; /* the event for which a split waits until the access is made; 0: no split waits */
	int nparts;
	Part *part;                    /* the homes of its lanes, each with its lanes */
	uint64_t *addr;                /* room for the addresses by lane; NULL: nobody has needed it yet */
} LsuAccess;
/* a warp's n accesses in the queue; the unit has made the first `made` */
typedef struct LsuPlace { int n, made; LsuAccess *access[SP_COUNT]; } LsuPlace;

enum { RUNNER_UNKNOWN = -1, RUNNER_NONE = -2 }; /* Warp.runner */

struct Warp {
	/* What mechanisms read and write without a call (sim/reconv/core.h): ins, split, nsplit and so on. */
	union { struct { WARP_FRONT }; WarpFront front; };
	/* Set when the warp is placed (sim/sm/residence.c). */
	Share *share;
	Sm *sm;
	Cta *cta;
	struct Sched *sched;           /* its scheduler */
	int place;                     /* the warp's index in Sched.order */
	struct { int rows, preds, names, splits; } room; /* what the slot's memory has room for */

	/* Written by the mechanism, through the services of the core (sim/machine/core.c). */
	Cycle alarm; /* the cycle in which the mechanism wants to be called; NO_ALARM: it does not want to */
	uint8_t take_turns; /* in which order the splits are tried: TURNS_... (sim/reconv/core.h) */
	/* a redirect adds nothing to the next issue: reconv_distance has fixed its cycle, or the split that
	   issued is gone */
	bool exact;
	uint32_t meets_at;             /* where Sm.knows_meeting: ReconvModel.meets_at */
	uint32_t stack_depth;          /* the mechanism's depth, as it was noted last */
	uint32_t turns;                /* the highest Split.turn given out so far */

	/* Written by issues (sim/sm/). */
	int last;                      /* the index of the split that issued last */
	/* the index of the only split that is not parked; or nobody has looked since splits have changed, or
	   there are several (RUNNER_...) */
	int runner;
	/* pc of the instruction that the warp cannot issue for the reason in Sched.wake_why; NO_PC: the one
	   at which its first split stands, if it has a split */
	uint32_t waits_at;
	/* For a warp of one split, or of one that is not parked: the operands of its next instruction, as
	   seen after its last issue. `computed` is NEVER where nobody has asked since. */
	Operands next;
	/* The next instruction of the split that issued last, where issue_quick may issue it as soon as its
	   operands are there and its unit is free (MIns.quick), and `next` belongs to it; else NULL. */
	const MIns *quick;
	/* used: the slot has a warp; ending: all its lanes have ended, but accesses may be outstanding */
	bool used, ending;
	/* all its lanes have ended and its accesses are complete: the slot is free at the end of the cycle */
	bool ended;
	/* The scoreboard (sim/machine/scoreboard.h), by name: first the registers, then the predicates.
	   mixed: how many different entries the lanes have, 0: all have `ready`. Else the entries stand in
	   `apart`, each with its lanes, and `ready` has the cycle of the latest of them. Where registers
	   become ready for all lanes at once, mixed is NULL. */
	Cycle *ready;                  /* [name] */
	LanesReady *apart;             /* [name * apart_each + 0..mixed) */
	uint8_t *mixed;                /* [name] */
	int apart_each;                /* for how many entries of a name there is room; may be 0 */

	/* Written by execution (sim/exec/). */
	Lanes lanes;
	/* lanes that a block barrier has counted although they have not come to it (divergence.bar_partial =
	   whole_warp) */
	Mask missed;
	/* accesses in Sm.deferred that bring a value back (comes_back); the warp's end waits for none of the
	   others */
	int outstanding;
	int queued;                    /* accesses of its lanes that wait for the load/store unit */
	LsuPlace lsu;
	Cycle drain; /* the cycle in which the last value arrives of those whose arrival is known */
	const uint32_t *tid;           /* the warp's part of Grid.tid: [coordinate * width + lane] */
	/* by lane: local stack pointer. It and `depth` are Gpu.no_calls, which nobody may write, until the
	   slot has room for return addresses */
	uint32_t *sp;
	uint32_t *ret;                 /* return addresses and frames: [(depth * 2 + {0,1}) * width + lane] */
	uint32_t ret_cap;
	uint32_t *local;               /* local memory: [word * width + lane] (sim/exec/local.c) */
	/* bytes of each lane for which `local` has room: those touched so far, rounded up */
	uint64_t local_cap;

	/* Watching and counting: livelocks (sim/stuck/), partings (sim/machine/partings.c). */
	struct WarpWatch *watch;       /* what livelock detection knows of the warp, or NULL */
	uint32_t *stood;               /* the pc of each lane when the watch began, or NULL */
	Spans spans;
	Partings *partings;
	/* the group of lanes that issued last. A group whose lanes are those of no split: it is not known
	   which one issued last */
	Group *group;
};
#endif
