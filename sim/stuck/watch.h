/* Between the watch (watch.c) and its report (diagnose.c). */
#ifndef GSIM_DIAGNOSE_H
#define GSIM_DIAGNOSE_H
#include "sim/record/diagnosis.h"
#include "sim/stuck/stuck.h"

enum { ROUND_READS = 4, ROUND_TURNS = 6 };
typedef struct Read { const MIns *ins; uint64_t addr; uint8_t space; } Read;
typedef struct Turn { const MIns *ins; uint32_t to; bool both; } Turn;  /* a conditional branch, and where the lane went */
typedef struct Round { int nreads, nturns; Read read[ROUND_READS]; Turn turn[ROUND_TURNS]; } Round;

typedef struct SavedState { uint64_t *word; int n, room; } SavedState;

typedef struct Joint { SavedState state; Mask lanes; uint64_t number; } Joint; /* of lanes that exchanged values */

typedef struct Watch {                 /* of a lane */
	SavedState state;              /* its own; power 0: it has not come to a branch */
	uint64_t steps, power;
	Mask with;                     /* the saved state is one of these lanes together, number `saved`; 0: its own */
	uint64_t saved;
	bool cycling, clock;           /* it came back to the saved state; it has read a clock since, or what others gave it */
	Round now, last;               /* since it was in the saved state; from there to there */
} Watch;

typedef struct WarpWatch {
	Mask ran, lanes;               /* have come to a branch or an exchange since the watch began; of them: those watched */
	bool all;                      /* each that comes is watched; else one, and another when none has come often in a row */
	int unseen;                    /* how often none has */
	uint64_t steps;                /* all: of the first that came back, at most */
	Watch *lane[64];               /* those of `lanes`; others mean nothing */
	Joint *joint[64];              /* by the lowest of its lanes */
	uint64_t saves;                /* of joint states */
} WarpWatch;

Mask livelock_spinning(const Warp *);  /* lanes that come back to the same state, in their turn where only one group runs */
void livelock_report(Gpu *, const Warp *, uint64_t lanes, Fault *);
#endif
