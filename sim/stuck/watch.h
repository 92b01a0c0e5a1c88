/* What the watch (watch.c, livelock.c) tells to the code that reports a livelock (diagnose.c). */
#ifndef GSIM_DIAGNOSE_H
#define GSIM_DIAGNOSE_H
#include "sim/record/diagnosis.h"
#include "sim/stuck/stuck.h"

enum { ROUND_READS = 4, ROUND_CHOICES = 6 };
typedef struct Read { const MIns *ins; uint64_t addr; uint8_t space; } Read;
/* a conditional branch, and where the lane went; both: the lane has also gone elsewhere from it in this
   round */
typedef struct WatchedChoice { const MIns *ins; uint32_t to; bool both; } WatchedChoice;
/* What a lane did in one round of its loop: what it read last, and its branches, as many of each as there is
   room for. */
typedef struct Round {
	int nreads, nchoices;
	Read read[ROUND_READS];
	WatchedChoice choice[ROUND_CHOICES];
} Round;

/* n: words of the state, 0: none is saved; room: words for which there is memory */
typedef struct SavedState { uint64_t *word; int n, room; } SavedState;

/* the joint state of lanes that have exchanged values; number: how many such states the warp had saved by
   then */
typedef struct Joint { SavedState state; Mask lanes; uint64_t number; } Joint;

typedef struct Watch {                 /* the watch of one lane */
	SavedState state;              /* the lane's own state, used where `with` is 0 */
	/* Brent's algorithm: steps since a state was saved, and the number of steps after which the next one
	   is saved; power 0: none is saved */
	uint64_t steps, power;
	/* 0: the saved state is `state`; else it is the joint state of these lanes whose Joint.number is
	   `saved` */
	Mask with;
	uint64_t saved;
	bool cycling;                  /* the lane has come back to the saved state */
	/* since the lane was in the saved state, it has read a clock, or values of lanes that are not in
	   `with` */
	bool clock;
	/* what the lane has done since it was in the saved state; what it did between the last two times that
	   it was there */
	Round now, last;
} Watch;

typedef struct WarpWatch {
	/* lanes that have come to a branch or an exchange since the watch began; those of them that are
	   watched */
	Mask ran, lanes;
	/* true: every lane that comes to a branch or an exchange is watched. false: one lane is, and one more
	   each time that lanes have come MOST_UNSEEN times without a watched one among them */
	bool all;
	int unseen;                    /* how many times in a row no watched lane was among those that came */
	/* where all is true: the first lane came back after at most so many steps */
	uint64_t steps;
	Watch *lane[64];               /* valid for the lanes in `lanes` only */
	Joint *joint[64];              /* joint states, each at the lowest of its lanes */
	uint64_t saves;                /* how many joint states have been saved */
} WarpWatch;

/* lanes of the warp that have come back to a saved state and wait at no barrier or warp-level operation */
Mask livelock_spinning(const Warp *);
void livelock_report(Gpu *, const Warp *, uint64_t lanes, Fault *);
#endif
