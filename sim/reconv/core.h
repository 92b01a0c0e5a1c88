/* What mechanisms may call: for state, statistics, time and memory traffic of their own. A mechanism's
   compile half has the function that is lowered (sim/code/lower_fn.h) and the parameters. */
#ifndef GSIM_RECONV_CORE_H
#define GSIM_RECONV_CORE_H
#include "sim/reconv/seam.h"

/* ---- for pictures ---- */
/* A table with a row for each call may be long, and little of it new. A mechanism with such a table says
   which of its rows have changed (of its own accord: the row of a split that runs may change whenever it
   issues), and begins to show it at the first of them. */
void reconv_changed(Warp *, int row);             /* this row, or those from it on have come or gone */
/* the row to begin with: `most` or a lower one. One table of a mechanism */
int reconv_show_from(Rows *, TraceTableKind, int most);
void reconv_show(Rows *, const TraceRow *);       /* adds the row behind those of its table */
/* the row shows this split: sets its place in the list, its pc, and whether it runs */
void reconv_show_split(const Warp *, const Split *, TraceRow *);
static inline uint16_t reconv_flag(bool is, int flag) { return (uint16_t)(is ? flag : 0); }

/* ---- at run time ---- */
int64_t reconv_param(const Warp *, int index);    /* the mechanism's own parameter */
const Config *reconv_config(const Warp *);
const MIns *reconv_ins(const Warp *, uint32_t pc);             /* the machine code there */

void *reconv_sm_state(Warp *);
void *reconv_block_state(Warp *);
/* resident warps of the thread block, this one included; room for MOST_WARPS */
int reconv_block_warps(Warp *, Warp **list);
int reconv_index(const Warp *);                                /* the warp's place in its block */
const Code *reconv_code(const Warp *);
void *reconv_state(Warp *);                                 /* state_size bytes, zeroed when the SM is made */
void *reconv_alloc(Warp *, size_t);                       /* zeroed memory that lives as long as the launch */
/* Room for one more behind n elements: p, or a larger copy of it. */
void *reconv_grow(Warp *, void *p, int n, int *cap, size_t size);
/* what the lane has in the register that the mechanism's operation names */
uint64_t reconv_value(const Warp *, const MIns *, int lane);
/* where the first lane's function returns to; the lane must be in a call */
uint32_t reconv_return_pc(const Warp *, Mask);
unsigned reconv_call_depth(const Warp *, Mask);            /* call depth of the first lane; 0 without lanes */
bool reconv_others_ready(const Warp *);          /* another warp of its scheduler could issue in this cycle */
/* The lanes of the split whose operands are ready first, and when. All of them if their operands come
   together, or nobody knows when. */
Mask reconv_first_ready(const Warp *, const Split *, Cycle *when);
int reconv_slot(const Warp *);                                 /* the warp's slot in the SM */
/* the warps of its scheduler, oldest first, this one included; room for MOST_WARPS */
int reconv_scheduler_warps(Warp *, Warp **list);
/* adds one to a figure of the mechanism's own, divergence.key in the report; it may have MODEL_STATS of
   them */
void reconv_count_own(Warp *, const char *key);
uint32_t *reconv_row(Warp *, uint32_t row);               /* a 32-bit register of all lanes: MIns.x.d, a, b */
Mask reconv_live(const Warp *);                                /* lanes that have not ended */
int *reconv_nsplit(Warp *);                          /* how many splits the warp has: the mechanism sets it */
Split *reconv_splits(Warp *);                             /* the list of splits: room for warp_size of them */
void reconv_shed(Warp *, Split *, Mask);                     /* these lanes, not all of the split, leave it */
/* takes the split out of the list, those behind it move up; returns its place */
int reconv_close_gap(Warp *, Split *);
/* They count, and record a trace event, after the mechanism has changed its state. The event has the split's
   place in the list: of a split that is gone, the place where it was. */
void reconv_count_push(Warp *, const Split *, uint32_t pc, Mask);
void reconv_count_pop(Warp *, const Split *, uint32_t pc, Mask);
void reconv_count_merge(Warp *, const Split *, uint32_t pc, Mask);
Events *reconv_events(Warp *);                                 /* for the operations of sim/reconv/wait.h */
/* the split's next issue comes so much later, for the reason "divergence" */
void reconv_delay(Warp *, Split *, Cycle);
/* the split's next issue comes so many cycles after this one, nothing is added */
void reconv_distance(Warp *, Split *, Cycle);
Cycle reconv_now(const Warp *);
/* Which of the warp's splits is tried first: the first of the list, the one behind that which issued last, or
   the one that issued last. */
enum { TURNS_LIST, TURNS_ROTATE, TURNS_STAY };
void reconv_turns(Warp *, int turns);
/* The hook `alarm` will be called for the warp at that cycle (functional runs: after that many issues of the
   SM). A warp has one alarm: a later call replaces it, NO_ALARM takes it away. */
#define NO_ALARM (~(Cycle)0)
void reconv_alarm(Warp *, Cycle);

/* An entry of a table that does not fit on chip goes to memory, or comes back; the split waits until it
   has. */
void reconv_spill_entry(Warp *, Split *, int entry, Cycle constant);
void reconv_fill_entry(Warp *, Split *, int entry, Cycle constant);

/* ---- splits with lanes of several warps of a block (regroups): sim/machine/homes.c ---- A split whose lanes
 * have one home lies in that warp, any other in some warp of the block: its carrier. Barriers and warp-level
 * operations mean home warps: the core scatters a split that comes to one into splits of its homes. */
/* the split's homes, and its lanes of each; room for 64. Splits of one home have one part */
int reconv_parts(Warp *, const Split *, Part *out);
/* Takes the split out of the warp; those behind it move up. Part lists that were taken from it stay valid. */
void reconv_remove(Warp *, Split *);
/* Makes a split of the parts, behind those of its carrier, and returns the carrier: the home where there is
   one, else the warp of the block that has the fewest splits. near: any warp of the block. */
Warp *reconv_form(Warp *near, const Split *like, const Part *, int n);
/* the parts' lanes become the split's: no column of theirs is taken in it */
void reconv_join(Warp *, Split *, const Part *, int n);
/* The cycle from which lanes may issue that the instruction sends to pc: later, unless they fall through, by
   the redirection of the front end. NULL: no instruction sends them, they go on at pc. */
Cycle reconv_redirect(Warp *, const MIns *, uint32_t pc);

/* A stack whose top entries are on chip: resident + spilled = depth. Entries move by chunks; they come back
   when a pop needs them. */
typedef struct StackSpill { int resident, spilled; } StackSpill;
/* To be called before an entry is pushed, or popped. What moves costs the constant, or memory traffic, as
   divergence.spill says. */
void reconv_spill_push(Warp *, Split *, StackSpill *, Cycle constant);
void reconv_spill_pop(Warp *, Split *, StackSpill *, Cycle constant);
/* For stacks whose top entry is what runs: to be called when a pop has uncovered it. It is filled if it is
   not on chip. */
void reconv_spill_top(Warp *, Split *, StackSpill *, Cycle constant);
#endif
