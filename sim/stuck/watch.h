/* Between the watch (watch.c) and its report (diagnose.c). */
#ifndef GSIM_DIAGNOSE_H
#define GSIM_DIAGNOSE_H
#include "sim/record/diagnosis.h"
#include "sim/stuck/stuck.h"

enum { ROUND_READS = 4, ROUND_CHOICES = 6 };
typedef struct Read { const MIns *ins; uint64_t addr; uint8_t space; } Read;
/* a conditional branch, and where the lane went */
typedef struct Choice { const MIns *ins; uint32_t to; bool both; } Choice;
typedef struct Round { int nreads, nchoices; Read read[ROUND_READS]; Choice choice[ROUND_CHOICES]; } Round;

typedef struct SavedState { uint64_t *word; int n, room; } SavedState;

/* the state of lanes that have exchanged values, all together */
typedef struct Joint { SavedState state; Mask lanes; uint64_t number; } Joint;

typedef struct Watch {                 /* of a lane */
	SavedState state;              /* its own, where `with` is 0 */
	/* Brent's algorithm: steps since the state was saved, and after how many another is; power 0: none is
	   saved */
	uint64_t steps, power;
	Mask with;     /* the saved state is that of these lanes together, Joint.number = saved; 0: its own */
	uint64_t saved;
	bool cycling;                  /* it has come back to the saved state */
	bool clock;   /* since it was there, it has read a clock, or values of lanes that are not in `with` */
	/* what it has done since it was in the saved state; what it did between the last two times there */
	Round now, last;
} Watch;

typedef struct WarpWatch {
	/* lanes that have come to a branch or an exchange since the watch began; those of them that are
	   watched */
	Mask ran, lanes;
	/* every lane that comes is watched. Else one is, and one more after no watched lane has come
	   MOST_UNSEEN times */
	bool all;
	int unseen;                    /* how many times in a row no watched lane has come */
	uint64_t steps;                /* all: after so many steps the first lane came back, at most */
	Watch *lane[64];               /* of the lanes in `lanes`; others mean nothing */
	Joint *joint[64];              /* by the lowest of its lanes */
	uint64_t saves;                /* how many joint states have been saved */
} WarpWatch;

/* lanes that have come back to a saved state and do not wait for others */
Mask livelock_spinning(const Warp *);
void livelock_report(Gpu *, const Warp *, uint64_t lanes, Fault *);
#endif
