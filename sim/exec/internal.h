/* What the files of sim/exec/ use of each other. */
#ifndef GSIM_EXEC_INTERNAL_H
#define GSIM_EXEC_INTERNAL_H
#include "sim/exec/exec.h"
#include "sim/stuck/stuck.h"

enum { MOST_BYTES = 32 };              /* the most bytes of one lane's access */

/* The addresses of some lanes. row: lane l accesses first + l * step, where step is no more than MOST_STEP
   and nothing overflows; else `at` has the addresses. listed: `at` has them in any case. */
typedef struct Addresses {
	bool row, listed;
	uint64_t first, step;
	uint64_t *at;                  /* [lane] */
} Addresses;
static inline uint64_t lane_address(const Addresses *a, int lane)
{
	return a->row ? a->first + a->step * (uint64_t)lane : a->at[lane];
}
/* sim/exec/exec.c: executes an instruction that computes nothing: branches, ends, fences... m: the lanes of
   the split for which its guard holds */
void exec_control(Sm *, Warp *, Split *, const MIns *, Mask m);
/* sim/exec/memory.c */
void exec_memory(Sm *, Warp *, Split *, const MIns *, Mask, Issue *);
/* sim/exec/now.c: as exec_memory, in functional runs */
void exec_memory_now(Sm *, Warp *, Split *, const MIns *, Mask);
/* sim/exec/address.c: reads the byte at a generic address; false: there was a fault */
bool exec_byte(Sm *, Warp *, const MIns *, int lane, uint64_t generic, uint8_t *);
/* sim/exec/lsu.c: when accesses are made */
typedef enum {
	LSU_KNOWN, /* the access is made; the ticket, which the caller frees, says when the data are there */
	LSU_PENDING, /* the access is made; when the data are there is told at the end of the window */
	LSU_QUEUED /* the access waits in the unit's queue, and keeps the ticket until it is made */
} LsuSays;
/* Makes, or queues, the part of an access that goes to one space. Its lanes m are not empty, and their
   addresses have been checked. */
LsuSays lsu_access(Sm *, Warp *, Split *, const MIns *, Mask m, Space, Addresses *, MemTicket *, Issue *);
/* the split waits until its access, which has taken the last place in the queue, is made; the mechanism hears
   then which lanes hit */
void lsu_wait(Sm *, Warp *, Split *);
/* sim/exec/fence.c */
/* whose fences wait for an access of lanes m */
Ordered fence_ordered(const Sm *, const Warp *, const Split *, Mask m);
void exec_fence(Sm *, Warp *, Split *, const MIns *, Mask);
/* sim/exec/local.c: data of local memory. Addresses are multiples of the access's size, and local_reserve has
   been called for them before. row: what local_reserve returned. Stores return whether memory has changed. */
/* makes room for the access; true: all 32 lanes of a warp of 32 access one address, so their words are a
   row */
bool local_reserve(Warp *, Mask, const Addresses *, unsigned size);
void local_load32(const Warp *, Mask, const Addresses *, bool row, uint32_t *);
bool local_store32(Warp *, Mask, const Addresses *, bool row, const uint32_t *);
void local_load64(const Warp *, Mask, const Addresses *, uint64_t *);
bool local_store64(Warp *, Mask, const Addresses *, const uint64_t *);
void local_read(const Warp *, int lane, uint64_t addr, unsigned size, uint8_t *);
void local_write(Warp *, int lane, uint64_t addr, unsigned size, const uint8_t *);
/* sim/exec/races.c: of a launch whose accesses are noted. v: n values of each lane of m, one lane's behind
   the other's */
int races_site(const Grid *, const MIns *);
void races_note(Sm *, struct RaceLog *, int site, uint64_t block, const MIns *, Mask m, const uint64_t *addr,
	const uint64_t *v, int n);
/* sim/exec/sreg.c: reads a special register, or what lowering gives as one, in lanes of one home */
void exec_sreg(Sm *, Warp *, const MIns *, Mask);
/* sim/exec/print.c */
void exec_print(Sm *, Warp *, Split *, const MIns *, Mask);
void print_apply(Sm *, const Deferred *);
/* the lane's assertion has failed: records the fault */
void exec_assertion(Sm *, Warp *, const MIns *, int lane);
/* sim/exec/together.c: block barriers, and what splits that wait have in common */
/* count: threads for which the barrier waits, 0 = all of the block */
typedef struct BarrierOperands { uint32_t number, count; } BarrierOperands;
/* Checks the barrier's operands and writes them. False: it cannot take them, which is a fault. So is what PTX
   (PTX ISA) leaves undefined of lanes at barriers and warp-level operations: its results would depend on the
   mechanism. */
bool exec_barrier_fits(Sm *, Warp *, const MIns *, Mask, BarrierOperands *);
void exec_barrier(Sm *, Warp *, Split *, const MIns *, Mask, const BarrierOperands *);
void barrier_thread_exit(Sm *, Cta *);
/* lanes of the split for which the instruction's guard holds */
Mask split_guarded(const Warp *, const Split *, const MIns *);
/* tells the mechanism that the split has come to wait, so that it may choose another one */
void split_tell_wait(Sm *, Warp *, Split *);
/* Lets the split run again from cycle `at` on: what it waited for has happened. */
void split_resumes(Sm *, Warp *, Split *, Cycle at);
void split_step_over(Sm *, Warp *, Split *);
/* A fault: the mechanism cannot let part of a warp wait. The format says which lanes come to what. */
void exec_refuses(Sm *, const Warp *, const MIns *, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));
static inline bool is_constant(uint32_t row) { return row == NO_ROW || row & ROW_CONST; }
static inline uint32_t lane_value(const Warp *w, uint32_t row, int l, uint32_t absent)
{
	return row == NO_ROW ? absent : row32(&w->lanes, row)[l];
}
/* sim/exec/meet.c: which lanes perform a warp-level operation together */
bool exec_together_fits(Sm *, Warp *, const MIns *, Mask); /* as exec_barrier_fits */
/* true: the instruction is not executed now, because lanes that it needs are elsewhere, and the mechanism
   lets another group run */
bool exec_put_aside(Sm *, Warp *, Split *, const MIns *, Mask);
Cycle exec_warp_op(Sm *, Warp *, Split *, const MIns *, Mask); /* returns as warp_op_perform */
/* lanes of the warp have ended: lets those go that waited for no others */
void warpsync_recheck(Sm *, Warp *);
/* sim/exec/warp_op.c: operations of lanes of one PTX warp, whose masks have 32 bits. Lanes whose operations
   have the same qualifiers and the same mask perform them together, even if they stand in several places of
   the code. */
static inline int ptx_base(int l) { return l & ~(PTX_WARP - 1); } /* the first lane of l's PTX warp */
typedef struct MeetingPart { const MIns *i; Mask lanes; } MeetingPart;
typedef struct Meeting {
	Mask lanes, want; /* lanes: those of all parts; want: the live lanes that their mask names */
	int n;
	MeetingPart part[PTX_WARP];
} Meeting;
/* Performs the operation of a group, which is not empty. Returns by how many cycles its results come later
   than its unit's latency says. */
Cycle warp_op_perform(Warp *, const Meeting *);
#endif
