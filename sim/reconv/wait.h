/* When a split may issue: not before a cycle that is known, nor before any of a set of events that are still
 * to come.
 *
 * An event is something that the core tells of later: an instruction or an entry of a mechanism's table comes
 * from memory, the load/store unit has made an access. The core tells of most events only at the end of a
 * window (sim/mem/mem.h), and no result may depend on where windows end. So a wait keeps its events apart
 * until the core has told of them. The split issues in the first cycle c with
 * 	c >= known	and	c >= e + late, for each event e of the set,
 * and what is done to a wait has the same outcome before an event is told and after it:
 * 	wait_not_before	raises `known`;
 * 	wait_delay	adds to `known` and to every `late`;
 * 	wait_join	two splits go on together: takes the later `known` and the union of the sets;
 * 	wait_hear	events that have been told leave the set and raise `known`.
 * When a split parts, both parts get its wait: an assignment copies a wait.
 *
 * A wait that has events has their reason until it is over, since it may not be known before which of several
 * things ends last. A mechanism whose decision depends on when another split may issue calls wait_over or
 * wait_foreseen, which give the same answer before an event is told and after it. */
#ifndef GSIM_WAIT_H
#define GSIM_WAIT_H
#include "lib/vec.h"
#include "sim/record/stats.h"

#define PENDING ((Cycle)1 << 54)       /* a cycle that is not known yet */

typedef struct SplitWait {
	Cycle known;                   /* the split may not issue before this cycle */
	uint32_t events;               /* the set: number of its first member in an Events; 0: empty */
	uint8_t why;                   /* the Stall that is counted while the split waits */
	bool of_event;                 /* `why` is the reason of an event */
} SplitWait;

/* Members of sets. Of a member only `told` ever changes, so that copies of a wait can share a set. Members
   last until the end of the window; those that have not been told then become members of a new list. */
typedef struct Awaited {
	/* told: the cycle in which the event comes, PENDING as long as nobody knows; late: the split may not
	   issue before so many cycles later */
	Cycle told, late;
	uint32_t event, next;          /* the event's name; number of the set's next member, 0: none */
} Awaited;
typedef struct Events { Vec(Awaited) member; } Events;

static inline SplitWait wait_until(Cycle c, uint8_t why) { return (SplitWait){ .known = c, .why = why }; }
/* The cycle in which the split may issue, PENDING if it is not known yet. */
static inline Cycle wait_end(const SplitWait *x) { return x->events ? PENDING : x->known; }
static inline bool wait_over(const SplitWait *x, Cycle now) { return !x->events && x->known <= now; }
/* Is an event still to come? Events whose cycle has been told count, too, as long as the wait is not over. */
static inline bool wait_awaits(const SplitWait *x, Cycle now) { return x->of_event && !wait_over(x, now); }
/* The cycle in which the split may issue; PENDING as long as an event is to come, even if the event has been
   told. */
static inline Cycle wait_foreseen(const SplitWait *x, Cycle now)
{
	return wait_awaits(x, now) ? PENDING : x->known;
}

void wait_not_before(SplitWait *, Cycle, uint8_t why, Cycle now);
void wait_delay(Events *, SplitWait *, Cycle n, Cycle now);
void wait_join(Events *, SplitWait *into, const SplitWait *, Cycle now);
void wait_add(Events *, SplitWait *, uint32_t event, uint8_t why);
void wait_add_told(SplitWait *, Cycle, uint8_t why); /* adds an event that is known to come in that cycle */

/* Notes that the event comes in that cycle; the caller then calls wait_hear for every wait that has it. */
void events_tell(Events *, uint32_t event, Cycle);
/* The members of the set that have been told leave it; the others become members of `to`, which may be
   `from`. */
void wait_hear(const Events *from, Events *to, SplitWait *);
#endif
