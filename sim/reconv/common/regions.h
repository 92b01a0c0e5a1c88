/* Lanes that part and meet again, for mechanisms whose groups are splits side by side (multi_path, aware,
 * dws): the reconvergence table of ElTantawy et al., A Scalable Multi-Path Microarchitecture for Efficient
 * GPU Control Flow, HPCA 2014.
 *
 * A region is opened where lanes part, and closed when all of them have come to its point. Every split
 * belongs to a region; lanes that wait at a point belong to no split, and their mask is the region's. A
 * region's pending lanes are those that are in splits of it, or anywhere in regions inside it. A call opens a
 * region whose point is the return, so that points of the caller mean nothing to the callee. The outermost
 * region, 0, has no point. */
#ifndef GSIM_REGIONS_H
#define GSIM_REGIONS_H
#include "sim/reconv/core.h"

typedef struct Region {
	/* where the region's lanes meet; of a call: the return address, to which lanes come by returning
	   only */
	uint32_t pc;
	int outer;                     /* the region in which the lanes are when they have met */
	/* Member.level of the split that opened the region, and of the split that goes on when all have
	   come */
	int level;
	Mask pending, arrived;         /* lanes that have yet to come to the point; lanes that wait there */
	bool used, call;               /* the row is in use; a call has opened the region */
	bool may_wait;  /* lanes that have yet to come may be waiting for other threads (MIns.may_wait) */
	bool spilled;                  /* in memory, not in the table on chip */
	/* Regions.touches when the region was last used: the region with the lowest number goes to memory
	   first */
	uint32_t touched;
	Cycle since;                   /* when the last of the lanes that wait now came */
	/* the lanes that wait go on no earlier than this: the latest cycle in which a split that has come to
	   the point could have issued (a split may still sleep) */
	Cycle ready;
	uint8_t why;                   /* the Stall that is counted until `ready` */
} Region;

typedef struct Member {                /* a split as a member of its region */
	int region;
	int level;                     /* dual_path: entry of the stack */
	bool spilled;                  /* in memory, not in the table of splits on chip */
	/* the split with the lower number has been in the list for longer, or went behind the others
	   earlier */
	uint32_t order;
	Cycle since;                   /* when the split was put on chip, or was given the turn */

	/* The next seven are for dws alone. They are empty in a group that goes on where lanes have met. */
	/* lanes of the paths that run before this split; of two groups at most one is in the other's
	   `before` */
	Mask before;
	/* lanes, the split's own among them, that parted at a load and are to meet at the next branch */
	Mask family;
	/* the branch that the split has executed and at which it waits for its family; NULL: it does not */
	const MIns *held;
	Path path[2];                  /* where the split's lanes go behind that branch */
	/* when the split was last tried in vain because it waited for loaded data, and its lanes then */
	Cycle stalled;
	Mask stalled_lanes;
	/* since then: when the first of these lanes may go on alone; NO_ALARM: they may not, or nobody knows
	   yet */
	Cycle alarm;
	/* aware: the split has the turn, and the cycle of its first issue in that turn was not known yet */
	bool untold;
} Member;

typedef struct Regions {
	Region *r;
	int n, cap, resident;  /* no row from r[n] on is in use; r has room for cap; regions on chip */
	int packed;                    /* all of r[0..packed) are in use */
	int here[64];                  /* where `most` is not 0: the indices of the regions on chip */
	int waiting;                   /* number of regions at whose points lanes wait */
	uint32_t orders, touches;      /* the last Member.order and Region.touched that were given out */
	Member member[64];             /* member[k] belongs to split k */

	/* Set by the mechanism at launch. */
	bool merge;                    /* groups of a region that stand at one pc become one */
	int most;                      /* regions on chip, 0 = unlimited */
	Cycle spill_cycles, fill_cycles;
} Regions;

void regions_launch(Warp *, Regions *, Mask lanes, uint32_t pc);
void regions_branch(Warp *, Regions *, Split *, const MIns *, const Path *, int n);
void regions_reach(Warp *, Regions *, Split *);
void regions_call(Warp *, Regions *, Split *, const Path *, int n, uint32_t return_pc);
void regions_ret(Warp *, Regions *, Split *, const Path *, int n);
void regions_exit(Warp *, Regions *, Split *, Mask);
void regions_some_exit(Warp *, Regions *, Split *, Mask);
/* The lanes that wait at the region's point go on as a split, and meet the others at the point of the outer
   region. */
void regions_release(Warp *, Regions *, int region);
/* To be called when a mechanism has dealt with an event. If all groups wait for other threads, and one of
   them waits at a warp-level operation for lanes that wait at a region's point, the lanes at that point go on
   as regions_release says: those for which they wait can never come. Lanes at a block barrier cannot either,
   since the barrier waits for the lanes at warp-level operations as well. */
void regions_last_resort(Warp *, Regions *);
/* Adds a split of the region behind all others; from: the split whose issue made it. */
Split *regions_add(Warp *, Regions *, int region, Path, const Split *from);
void regions_drop(Warp *, Regions *, Split *);  /* takes out a split that its lanes have left; counts a pop */
int regions_on_chip(Warp *, const Regions *);                  /* splits that are not spilled */
void regions_show(const Regions *, Rows *);
void regions_show_groups(const Warp *, const Regions *, Rows *); /* rows of the splits and of their regions */
/* Tells how the lane is held, as StuckHooks.held: at a point, or in a parked split, of which `else_in` says
   in what it waits. */
bool regions_held(const Regions *, int lane, Held *, const char *else_in);
#endif
