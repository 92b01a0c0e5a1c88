/* What the core offers to mechanisms, beside the splits that they keep: state, statistics, time, memory traffic. Code that
   runs while lowering has the function that it lowers (sim/code/code.h) and the parameters. */
#ifndef GSIM_RECONV_CORE_H
#define GSIM_RECONV_CORE_H
#include "sim/reconv/seam.h"

/* ---- while lowering ---- */
static inline int64_t reconv_lower_param(const LowerFn *l, int index) { return l->config->model_param[l->config->model][index]; } /* the mechanism's own */

/* ---- for pictures ---- */
void reconv_show(Rows *, const TraceRow *);       /* one more row, behind those of its table */
void reconv_show_split(const Warp *, const Split *, TraceRow *); /* the row is this split: its place, pc, and whether it runs */
static inline uint16_t reconv_flag(bool is, int flag) { return (uint16_t)(is ? flag : 0); }

/* ---- at run time ---- */
int64_t reconv_param(const Warp *, int index);    /* the mechanism's own parameter */
const Config *reconv_config(const Warp *);
const MIns *reconv_ins(const Warp *, uint32_t pc);             /* the machine code there */

void *reconv_sm_state(Warp *);
void *reconv_block_state(Warp *);
int reconv_block_warps(Warp *, Warp **list);                   /* resident warps of the thread block, this one included; room for MOST_WARPS */
int reconv_index(const Warp *);                                /* in its block */
const Code *reconv_code(const Warp *);
void *reconv_state(Warp *);                                    /* state_size bytes, zeroed when the SM is made */
void *reconv_alloc(Warp *, size_t);                            /* zeroed memory that lives as long as the launch */
/* Room for one more behind n elements: p, or a larger copy of it. */
void *reconv_grow(Warp *, void *p, int n, int *cap, size_t size);
uint64_t reconv_value(const Warp *, const MIns *, int lane);   /* of the register that one of its operations names */
uint32_t reconv_return_pc(const Warp *, Mask);                  /* where the first lane's function returns to; it is in one */
unsigned reconv_call_depth(const Warp *, Mask);                /* call depth of the first lane */
bool reconv_others_ready(const Warp *);                        /* another warp of its scheduler could issue in this cycle */
/* The lanes of the split whose operands are there first, and when; all of them if they come together or that is not known. */
Mask reconv_first_ready(const Warp *, const Split *, Cycle *when);
int reconv_slot(const Warp *);                                 /* the warp's place in the SM */
int reconv_scheduler_warps(Warp *, Warp **list);               /* of its scheduler, oldest first, this one included; room for 256 */
void reconv_count_own(Warp *, const char *key);                /* a figure of the mechanism's, divergence.key in the report; at most MODEL_STATS */
uint32_t *reconv_row(Warp *, uint32_t row);                    /* a 32-bit register of all lanes: MIns.x.d, a, b */
Mask reconv_live(const Warp *);                                /* lanes that have not ended */
int *reconv_nsplit(Warp *);                                    /* the mechanism keeps it */
Split *reconv_splits(Warp *);                                  /* room for warp_size splits */
int reconv_close_gap(Warp *, Split *);                         /* it is gone, those behind it move up; its place */
/* Statistics and trace; call after the change. The split's place in the list is recorded: of one that is gone, where it was. */
void reconv_count_push(Warp *, const Split *, uint32_t pc, Mask);
void reconv_count_pop(Warp *, const Split *, uint32_t pc, Mask);
void reconv_count_merge(Warp *, const Split *, uint32_t pc, Mask);
void reconv_delay(Warp *, Split *, Cycle);                     /* added to s->ready, reason "divergence" */
void reconv_distance(Warp *, Split *, Cycle);                  /* next issue that many cycles after this one */
Cycle reconv_now(const Warp *);
/* Which of the warp's splits is tried first: that of the list, that behind the one that issued last, or that one itself. */
enum { TURNS_LIST, TURNS_ROTATE, TURNS_STAY };
void reconv_turns(Warp *, int turns);
/* The warp's alarm will be called at that cycle (functional runs: after that many issues of the SM). One at a time; NO_ALARM: none. */
#define NO_ALARM (~(Cycle)0)
void reconv_alarm(Warp *, Cycle);

/* One entry of a table that does not fit on chip goes to memory, or comes back; the split waits for it. */
void reconv_spill_entry(Warp *, Split *, int entry, Cycle constant);
void reconv_fill_entry(Warp *, Split *, int entry, Cycle constant);

/* ---- splits with lanes of several warps of a block (regroups): sim/machine/homes.c ----
 * A split whose lanes have one home lies in that warp, any other in some warp of the block: its carrier. Barriers and
 * warp-level operations mean home warps: the core scatters a split that comes to one into splits of its homes. */
int reconv_parts(Warp *, const Split *, Part *out);            /* its homes and lanes, also where it has one; room for 64 */
/* Takes the split out of the warp; those behind it move up. Part lists that were taken from it stay valid. */
void reconv_remove(Warp *, Split *);
/* A new split behind those of its carrier, which it returns: the home, or the warp with the fewest. near: any of the block. */
Warp *reconv_form(Warp *near, const Split *like, const Part *, int n);
void reconv_join(Warp *, Split *, const Part *, int n);        /* the lanes join it; none has a column that it has */
/* When the lanes of a split may issue that this instruction sends to pc: redirected unless they fall through. NULL: no
   instruction sends them, they resume there. */
Cycle reconv_redirect(Warp *, const MIns *, uint32_t pc);

/* A stack whose top entries are on chip: resident + spilled = depth. One chunk moves at a time; pops fill lazily. */
typedef struct StackSpill { int resident, spilled; } StackSpill;
/* Call before an entry is pushed / popped. Charges the constants or the memory traffic of divergence.spill. */
void reconv_spill_push(Warp *, Split *, StackSpill *, Cycle constant);
void reconv_spill_pop(Warp *, Split *, StackSpill *, Cycle constant);
/* Where the top entry is what runs: call when a pop has uncovered it; it is filled if it is not on chip. */
void reconv_spill_top(Warp *, Split *, StackSpill *, Cycle constant);
#endif
