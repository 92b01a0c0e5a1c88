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
	uint32_t pc;          /* where its lanes meet; of a call: the return address, met by returning only */
	int outer;                     /* region that the lanes are in afterwards */
	int level;       /* Member.level of the split that opened it, and of the one that goes on behind it */
	Mask pending, arrived;
	bool used, call;
	bool spilled;                  /* not in the table on chip */
	uint32_t touched;     /* Regions.touches when it was last used: the lowest one goes to memory first */
	Cycle since;                   /* when the first of the lanes that wait now came */
	/* no lane goes on before: the latest `ready` of those that have arrived (one may still sleep); */
	Cycle ready;
	uint8_t why;                   /* the Stall that it stands for */
} Region;

typedef struct Member {                /* a split as a member of its region */
	int region;
	int level;                     /* dual_path: entry of the stack */
	bool spilled;                  /* not in the table of splits on chip */
	/* the split with the lower number has been in the list for longer, or went behind the others
	   earlier */
	uint32_t order;
	Cycle since;                   /* when the split was put on chip, or was given the turn */

	/* dws alone; empty for a group that goes on where others have met */
	/* lanes of the paths that run before it. Two groups are never in each other's `before` */
	Mask before;
	Mask family; /* lanes, its own among them, that parted at a load and are to meet at the next branch */
	const MIns *held;              /* that branch: the group has executed it and waits for its family */
	Path path[2];                  /* where its lanes go behind that branch */
	bool untold;                   /* aware: in its turn, and when it may issue first was not known yet */
} Member;

typedef struct Regions {
	Region *r;
	int n, cap, resident;          /* no region from r[n] on is in use */
	int packed;                    /* r[0..packed) are in use */
	int here[64];                  /* where `most` is not 0: the resident ones */
	int waiting;                   /* regions at whose points lanes wait */
	uint32_t orders, touches;
	Member member[64];             /* of split k */

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
/* To be asked when an event is over: where all groups wait, lanes for which some wait at warp-level
   operations go on from their point as regions_release says, for the others can never come there. Nor can
   those at a barrier, which waits for the lanes at warp-level operations as well. */
void regions_last_resort(Warp *, Regions *);
/* Adds a split of the region behind all others; from: the split whose issue made it. */
Split *regions_add(Warp *, Regions *, int region, Path, const Split *from);
void regions_drop(Warp *, Regions *, Split *);  /* takes out a split that its lanes have left; counts a pop */
int regions_on_chip(Warp *, const Regions *);                  /* splits that are not spilled */
void regions_show(const Regions *, Rows *);
void regions_show_groups(const Warp *, const Regions *, Rows *); /* rows of the splits and of their regions */
/* How the lane is held, as StuckHooks.held: at a point, or in a parked split, which waits in `else_in`. */
bool regions_held(const Regions *, int lane, Held *, const char *else_in);
#endif
