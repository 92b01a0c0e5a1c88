/* What mechanisms may call: for state, statistics, time and memory traffic of their own. The part of a
   mechanism that runs at compile time has the function that is lowered (sim/code/lower_fn.h) and the
   parameters only. */
#ifndef GSIM_RECONV_CORE_H
#define GSIM_RECONV_CORE_H
#include "sim/reconv/seam.h"

/* ---- for pictures ---- */
/* A table that has a row for each call, for example, may be long, while few of its rows change. A mechanism
   with such a table tells with reconv_changed which rows it has changed, and shows the table only from the
   first of them on. It need not tell of the row of a split that runs, which may change at every issue. */
/* The row has changed, or rows from this one on have been added or removed. */
void reconv_changed(Warp *, int row);
/* Returns the row from which on the table is to be shown: the first that has changed, at most `most`. A
   mechanism may use this for one table. */
int reconv_show_from(Rows *, TraceTableKind, int most);
void reconv_show(Rows *, const TraceRow *);       /* adds the row at the end of its table */
/* Makes the row that of a split: sets the split's place in the list, its pc, and whether it runs. */
void reconv_show_split(const Warp *, const Split *, TraceRow *);
static inline uint16_t reconv_flag(bool is, int flag) { return (uint16_t)(is ? flag : 0); }

/* ---- at run time ---- */

/* The first members of a warp, which mechanisms reach through the functions below. */
#define WARP_FRONT \
	/* set when the warp is placed (sim/sm/residence.c) */ \
	const MIns *ins;               /* the first instruction of its code */ \
	const Config *config; \
	const int64_t *param;          /* the mechanism's own parameters */ \
	const Cycle *clock;            /* the SM's */ \
	int slot, index; /* slot: the warp's slot in the SM; index: its number in the block, from 0 */ \
	/* written by the mechanism */ \
	int nsplit; \
	Split *split; \
	void *state;                   /* the mechanism's state of the warp */ \
	uint8_t changed; /* reconv_changes */ \
	/* written by execution (sim/exec/) */ \
	Mask live;                     /* lanes that have not ended */ \
	uint32_t *depth;               /* call depth by lane */
typedef struct WarpFront { WARP_FRONT } WarpFront;
static inline const WarpFront *warp_front(const Warp *w) { return (const WarpFront *)w; }

/* the mechanism's own parameter */
static inline int64_t reconv_param(const Warp *w, int index) { return warp_front(w)->param[index]; }
static inline const Config *reconv_config(const Warp *w) { return warp_front(w)->config; }
/* the instruction at pc */
static inline const MIns *reconv_ins(const Warp *w, uint32_t pc) { return &warp_front(w)->ins[pc]; }

void *reconv_sm_state(Warp *);                    /* sm_state_size bytes, of the warp's SM and launch */
void *reconv_block_state(Warp *);                 /* block_state_size bytes, of the warp's thread block */
/* resident warps of the thread block, this one included; room for MOST_WARPS */
int reconv_block_warps(Warp *, Warp **list);
/* the warp's place in its block */
static inline int reconv_index(const Warp *w) { return warp_front(w)->index; }
const Code *reconv_code(const Warp *);
/* state_size bytes of the warp, zeroed when the SM is made */
static inline void *reconv_state(Warp *w) { return warp_front(w)->state; }
void *reconv_alloc(Warp *, size_t);            /* zeroed memory that lives at least as long as the launch */
/* Makes room for one more element behind the n elements of the array p: returns p, or a larger copy of the
   array. *cap: elements for which the array has room; size: bytes of an element. */
void *reconv_grow(Warp *, void *p, int n, int *cap, size_t size);
/* the lane's value of the register that the operation, one of the mechanism's own, names */
uint64_t reconv_value(const Warp *, const MIns *, int lane);
/* the pc to which the first lane of the mask returns; that lane must be in a call */
uint32_t reconv_return_pc(const Warp *, Mask);
/* call depth of the mask's first lane; 0 without lanes */
static inline unsigned reconv_call_depth(const Warp *w, Mask m)
{
	return m ? warp_front(w)->depth[lowest_lane(m)] : 0;
}
/* Could another warp of the same scheduler issue in this cycle? */
bool reconv_others_ready(const Warp *);
/* True: no split of the warp can issue in this cycle, not even beside another warp's instruction on a copy of
   a functional unit that both share. False: one may. */
bool reconv_asleep(const Warp *);
/* Returns the lanes of the split whose operands are ready first, and sets *when to the cycle in which these
   are ready. Returns all lanes if their operands come together, or if nobody knows when they come. */
Mask reconv_first_ready(const Warp *, const Split *, Cycle *when);
/* the warp's slot in the SM */
static inline int reconv_slot(const Warp *w) { return warp_front(w)->slot; }
/* Lists the warps of the same scheduler, the oldest first, this one included, and returns their number;
   list: room for MOST_WARPS. */
int reconv_scheduler_warps(Warp *, Warp **list);
/* Adds one to a figure of the mechanism's own, which reports call divergence.KEY; a mechanism may have
   MODEL_STATS of them. */
void reconv_count_own(Warp *, const char *key);
/* the values of a 32-bit register, by lane; row: as MIns.x.d, a and b name registers */
uint32_t *reconv_row(Warp *, uint32_t row);
/* lanes that have not ended */
static inline Mask reconv_live(const Warp *w) { return warp_front(w)->live; }
/* how many splits the warp has: the mechanism sets it */
static inline int *reconv_nsplit(Warp *w) { return &((WarpFront *)w)->nsplit; }
/* the list of splits: room for warp_size of them; with regroups, for 2 * warp_size + 2 */
static inline Split *reconv_splits(Warp *w) { return warp_front(w)->split; }
/* What has changed in the list of splits since the last call, besides the splits' waits: 0 = nothing;
   CHANGED_PCS: splits have issued instructions that all their lanes have left straight on; more than that:
   anything may have changed. */
enum { CHANGED_PCS = 1, CHANGED_SPLITS = 2, CHANGED_ALWAYS = 4 };
static inline unsigned reconv_changes(Warp *w)
{
	WarpFront *f = (WarpFront *)w;
	unsigned changed = f->changed;
	f->changed &= CHANGED_ALWAYS;
	return changed;
}
void reconv_shed(Warp *, Split *, Mask);          /* takes these lanes, which are not all, out of the split */
/* Takes the split out of the list, and moves the splits behind it up; returns the place where it was. */
int reconv_close_gap(Warp *, Split *);
/* Each counts a push, pop or merge, and records an event in the trace; a mechanism calls it after it has
   changed its state. The event has the split's place in the list: of a split that is gone, the place where it
   was. */
void reconv_count_push(Warp *, const Split *, uint32_t pc, Mask);
void reconv_count_pop(Warp *, const Split *, uint32_t pc, Mask);
void reconv_count_merge(Warp *, const Split *, uint32_t pc, Mask);
Events *reconv_events(Warp *);                                 /* for the operations of sim/reconv/wait.h */
/* Puts the split's next issue off by so many cycles, for the stall reason `divergence`. */
void reconv_delay(Warp *, Split *, Cycle);
/* Puts the split's next issue so many cycles, at least 1, after the present one. The core then adds no
   redirect. */
void reconv_distance(Warp *, Split *, Cycle);
static inline Cycle reconv_now(const Warp *w) { return *warp_front(w)->clock; }
/* Which of the warp's splits the core tries first. LIST: the first of the list; ROTATE: the split behind the
   one that issued last; STAY: the split that issued last. */
enum { TURNS_LIST, TURNS_ROTATE, TURNS_STAY };
void reconv_turns(Warp *, int turns);
/* The hook `alarm` will be called for the warp at that cycle (functional runs: after that many issues of the
   SM). A warp has one alarm: a later call replaces it, NO_ALARM takes it away. */
#define NO_ALARM (~(Cycle)0)
void reconv_alarm(Warp *, Cycle);

/* An entry of a table that does not fit on chip goes to memory, or comes back; the split waits until the
   entry is there. constant: cycles that this takes where divergence.spill = constant; otherwise memory
   traffic decides. */
void reconv_spill_entry(Warp *, Split *, int entry, Cycle constant);
void reconv_fill_entry(Warp *, Split *, int entry, Cycle constant);

/* ---- splits with lanes of several warps of a block (regroups): sim/machine/homes.c ---- A split whose lanes
 * all have one home stands in that warp's list, any other split in that of some warp of the block: its
 * carrier. Barriers and warp-level operations are those of home warps: when a split with several homes comes
 * to one, the core scatters it into a split for each home. */
/* Lists the home warps of the split's lanes, each with its lanes, and returns their number; out: room for 64.
   A split whose lanes have one home has one part. */
int reconv_parts(Warp *, const Split *, Part *out);
/* Takes the split out of the warp, and moves the splits behind it up. What reconv_parts has listed stays
   valid. */
void reconv_remove(Warp *, Split *);
/* Makes a split of the lanes of n parts, in all else a copy of `like`, puts it behind all other splits of its
   carrier, and returns the carrier: with one part the home, else the warp of the block that has the fewest
   splits. near: any warp of the block. */
Warp *reconv_form(Warp *near, const Split *like, const Part *, int n);
/* Adds the lanes of n parts to the split, which must not have a lane in any of their columns. */
void reconv_join(Warp *, Split *, const Part *, int n);
/* The cycle from which lanes that the instruction sends to pc may issue: the next cycle; unless they fall
   through, the front end's redirection comes on top. NULL: no instruction sends the lanes, which then count
   as redirected. */
Cycle reconv_redirect(Warp *, const MIns *, uint32_t pc);

/* A stack whose top entries are on chip, and the others in memory: resident + spilled = depth. Entries go to
   memory, and come back when a pop needs them, divergence.chunk at a time. */
typedef struct StackSpill { int resident, spilled; } StackSpill;
/* To be called before an entry is pushed, or popped. If entries move, the split waits: for `constant` cycles,
   or for memory traffic, as divergence.spill says. */
void reconv_spill_push(Warp *, Split *, StackSpill *, Cycle constant);
void reconv_spill_pop(Warp *, Split *, StackSpill *, Cycle constant);
/* For stacks of which the top entry runs: to be called when a pop has made another entry the top. If that
   entry is not on chip, it is filled. */
void reconv_spill_top(Warp *, Split *, StackSpill *, Cycle constant);
#endif
