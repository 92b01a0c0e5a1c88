/* Between the files of sim/exec/. */
#ifndef GSIM_EXEC_INTERNAL_H
#define GSIM_EXEC_INTERNAL_H
#include "sim/exec/exec.h"
#include "sim/stuck/stuck.h"

enum { MOST_BYTES = 32 };              /* of a lane's access */

/* sim/exec/memory.c */
void exec_memory(Sm *, Warp *, Split *, const MIns *, Mask, Issue *);
/* reads it; false: a fault */
bool exec_byte(Sm *, Warp *, const MIns *, int lane, uint64_t generic, uint8_t *);
/* sim/exec/lsu.c: times */
typedef enum {
	LSU_KNOWN,            /* made; when the data are there stands in the ticket, which the caller frees */
	LSU_PENDING,                   /* made; told at the end of the window */
	LSU_QUEUED                     /* waits for its turn, and has the ticket until then */
} LsuSays;
/* One space's part of an access that has been checked; m: not empty. */
LsuSays lsu_access(Sm *, Warp *, Split *, const MIns *, Mask m, Space, const uint64_t *addr, MemTicket *,
	Issue *);
/* the split waits for its access, the last that has taken a place: the mechanism will hear of it */
void lsu_wait(Sm *, Warp *, Split *);
/* sim/exec/local.c: data of local memory; accesses are aligned to their size, and reserved before. row: what
   local_reserve said; stores say whether memory has changed */
/* true: a row of words, all lanes of 32 at one address */
bool local_reserve(Warp *, Mask, const uint64_t *addr, unsigned size);
void local_load32(const Warp *, Mask, const uint64_t *addr, bool row, uint32_t *);
bool local_store32(Warp *, Mask, const uint64_t *addr, bool row, const uint32_t *);
void local_load64(const Warp *, Mask, const uint64_t *addr, uint64_t *);
bool local_store64(Warp *, Mask, const uint64_t *addr, const uint64_t *);
void local_read(const Warp *, int lane, uint64_t addr, unsigned size, uint8_t *);
void local_write(Warp *, int lane, uint64_t addr, unsigned size, const uint8_t *);
/* sim/exec/races.c: of a launch whose accesses are noted. v: n values of each lane of m, one lane's behind
   the other's */
int races_site(const Grid *, const MIns *);
void races_note(Sm *, struct RaceLog *, int site, uint64_t block, const MIns *, Mask m, const uint64_t *addr,
	const uint64_t *v, int n);
/* sim/exec/print.c */
void exec_print(Sm *, Warp *, Split *, const MIns *, Mask);
void print_apply(Sm *, const Deferred *);
void exec_assertion(Sm *, Warp *, const MIns *, int lane); /* it has failed */
/* sim/exec/together.c: block barriers, and what splits that wait have in common */
/* count: threads that it waits for, 0 = all */
typedef struct BarrierOperands { uint32_t number, count; } BarrierOperands;
/* False: a fault, of operands that it cannot take. Lanes that barriers and warp-level operations are not
   defined for (PTX ISA) would have results that depend on the mechanism. */
bool exec_barrier_fits(Sm *, Warp *, const MIns *, Mask, BarrierOperands *);
void exec_barrier(Sm *, Warp *, Split *, const MIns *, Mask, const BarrierOperands *);
void barrier_thread_exit(Sm *, Cta *);
/* lanes of the split for which the instruction's guard holds */
Mask split_guarded(const Warp *, const Split *, const MIns *);
/* the mechanism is told that the split has come to wait, so that it may choose another one */
void split_tell_wait(Sm *, Warp *, Split *);
void split_resumes(Sm *, Warp *, Split *);     /* what the split waited for has happened */
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
/* not executed: lanes it needs are elsewhere, and another group runs */
bool exec_put_aside(Sm *, Warp *, Split *, const MIns *, Mask);
void exec_warp_op(Sm *, Warp *, Split *, const MIns *, Mask);
void warpsync_recheck(Sm *, Warp *);           /* lanes of the warp have ended */
/* sim/exec/warp_op.c: lanes of one of PTX's warps, whose masks have 32 bits. They perform operations with the
   same qualifiers and mask together, which stand in several places. */
static inline int ptx_base(int l) { return l & ~(PTX_WARP - 1); } /* the first lane of l's PTX warp */
typedef struct MeetingPart { const MIns *i; Mask lanes; } MeetingPart;
typedef struct Meeting {
	Mask lanes, want;              /* of all parts; the live lanes of their mask */
	int n;
	MeetingPart part[PTX_WARP];
} Meeting;
void warp_op_perform(Warp *, const Meeting *);   /* the group is not empty */
#endif
