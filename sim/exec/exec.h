/* The effect of one instruction of one split: results, control, statistics. sim/sm/ decides when results are
   ready; Issue tells it what the memory system says of that.

   sim/exec/ sees the machine's state, the time of accesses (sim/mem/) and the watch for livelocks
   (sim/stuck/). */
#ifndef GSIM_EXEC_H
#define GSIM_EXEC_H
#include "sim/machine/machine.h"
#include "sim/machine/partings.h"

/* the caller sets now, and late to 0; exec_issue sets executing, and of a memory instruction all the rest */
typedef struct Issue {
	Cycle now;
	Mask lanes;              /* for the trace: the lanes of the access, its lowest address, its sectors */
	uint64_t lowest, sectors;
	Mask executing;                /* lanes whose guard holds */
	Cycle late;                    /* the results come so much later than the unit's latency says */
	/* the access waits for the load/store unit, and the mechanism wants to know which of its lanes will
	   hit */
	bool queued;
	Mask pending;                  /* lanes whose data come at a cycle that is not known yet */
	/* what the accesses of an instruction that makes several have in common; NULL: it makes one, or
	   registers become ready lane by lane */
	Whole *whole;
	/* set where the mechanism wants to know: hits: lanes of a load that find their data in L1; misses:
	   lanes that do not */
	Mask hits, misses;
	Cycle ready; /* with the scoreboard of a warp, and no lane pending: when the destinations are ready */
	uint8_t level;                 /* and the MemoryLevel from which they come */
} Issue;
void exec_issue(Sm *, Warp *, Split *, Issue *);
/* Counts an issue that count_issue() does not count itself: it has marks for some lanes or by some value, its
   lanes are not those of the warp's last issue, the guard does not hold for all of them, there are none, they
   have several homes, or a trace is recorded. */
void count_other(Sm *, Warp *, Split *, const MIns *, Mask);
/* Counts an issue of the split, in which lanes m execute. */
static inline void count_issue(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	Group *g = w->group;
	if (g->lanes != m || s->mask != m || !m || s->parts || i->mark >= 0 || tracing(sm)) {
		count_other(sm, w, s, i, m);
		return;
	}
	InsCount *c = &w->share->count[s->pc];
	group_issue(g, s->pc, sm->now, (i->flags & MI_OVERHEAD) != 0);
	c->issues++;
	c->useful += g->n;
	w->share->totals.depth_sum += w->stack_depth;
	sm->issues++;
}
/* sim/exec/straight.c, for functional runs */
/* Executes straight code of the split (straight_begins), `most` instructions at most; the split
   has lanes. Returns how many: the clock has gone on by one for each. */
int exec_straight(Sm *, Warp *, Split *, int most);
/* adds what straight code has counted to the counts of the n instructions */
void straight_settle(const Share *, int n);
/* sim/exec/exec.c */
/* Executes the memory instruction at pc for all splits that have some of these lanes and stand there: they
   make one access. */
void exec_access(Sm *, Warp *, Mask lanes, uint32_t pc, Issue *);
/* sim/exec/deferred.c: moves the data of an access that was put off to the end of the window */
void deferred_apply(Sm *, Deferred *);
/* sim/exec/lsu.c: makes the accesses in the load/store unit's queue whose time has come. The next one may be
   made at lsu_next(). */
void lsu_serve(Sm *);
static inline Cycle lsu_next(const Sm *sm) { return sm->lsu_n ? sm->lsu_free : NEVER; }
/* sim/exec/fence.c */
void fence_warp_begins(Sm *, const Warp *);  /* fences wait for nothing that was in its slot before it */
/* Do accesses of the split's lanes wait for the load/store unit? A fence is not issued then. */
bool fence_is_held(const Warp *, const Split *);
/* sim/exec/together.c */
/* the barrier of the share's grid opens now: splits that wait there on this SM are let go */
void barrier_grid_opens(Sm *, Share *);
/* the split goes on behind the barrier that has let it go; the list may change */
void split_released(Sm *, Warp *, Split *);
#endif
