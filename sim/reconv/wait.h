/* When a split may issue: not before a cycle that is known, nor before any of a set of events that are still
 * to come.
 *
 * An event is something that the core tells of later: an instruction or an entry of a mechanism's table comes
 * from memory, the load/store unit has made an access. Most are told at the end of a window only
 * (sim/mem/mem.h), and nothing may depend on where that is. So a wait keeps its events apart until they have
 * been told. The split issues in the first cycle c with
 * 	c >= known	and	c >= e + late, for each event e of the set,
 * and what is done to a wait has the same outcome before an event is told and after it:
 * 	wait_not_before	raises `known`;
 * 	wait_delay	adds to `known` and to every `late`;
 * 	wait_join	two splits go on together: the later `known`, the union of the sets;
 * 	wait_hear	events that have been told leave the set and raise `known`.
 * A split that parts gives both parts its wait: an assignment copies one.
 *
 * The reason of a wait is its event's until it is over: which of several things ends last may not be known
 * before. A mechanism whose decision depends on when another split may issue asks wait_over or wait_foreseen,
 * which answer alike before an event is told and after it. */
#ifndef GSIM_WAIT_H
#define GSIM_WAIT_H
#include "lib/vec.h"
#include "sim/record/stats.h"

#define PENDING ((Cycle)1 << 62)       /* a cycle that is not known yet */

typedef struct Wait {
	Cycle known;
	uint32_t events;               /* the set: its first member's number in an Events; 0: empty */
	uint8_t why;                   /* the Stall that it stands for */
	bool of_event;                 /* `why` is an event's */
} Wait;

/* Members of sets. None is ever changed but for `told`, so that copies of a wait can share a set. They last
   until the end of the window, when those that have not been told become a new list. */
typedef struct Awaited {
	Cycle told, late;              /* told: when the event comes, PENDING as long as nobody knows */
	uint32_t event, next;          /* next: as Wait.events */
} Awaited;
typedef struct Events { Vec(Awaited) member; } Events;

static inline Wait wait_until(Cycle c, uint8_t why) { return (Wait){ .known = c, .why = why }; }
/* The cycle in which the split may issue, PENDING if it is not known yet. */
static inline Cycle wait_end(const Wait *x) { return x->events ? PENDING : x->known; }
static inline bool wait_over(const Wait *x, Cycle now) { return !x->events && x->known <= now; }
/* An event is still to come, whether it is known when or not. */
static inline bool wait_awaits(const Wait *x, Cycle now) { return x->of_event && !wait_over(x, now); }
/* The cycle in which the split may issue; PENDING as long as an event is to come, even if it has been
   told. */
static inline Cycle wait_foreseen(const Wait *x, Cycle now)
{
	return wait_awaits(x, now) ? PENDING : x->known;
}

void wait_not_before(Wait *, Cycle, uint8_t why, Cycle now);
void wait_delay(Events *, Wait *, Cycle n, Cycle now);
void wait_join(Events *, Wait *into, const Wait *, Cycle now);
void wait_add(Events *, Wait *, uint32_t event, uint8_t why);
void wait_add_told(Wait *, Cycle, uint8_t why); /* an event of which it is known at once when it comes */

void events_tell(Events *, uint32_t event, Cycle); /* it comes then; every wait with it is to hear of that */
/* The members of the set that have been told leave it; the others become members of `to`, which may be
   `from`. */
void wait_hear(const Events *from, Events *to, Wait *);
#endif
