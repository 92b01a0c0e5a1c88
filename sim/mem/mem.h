/* Timing of the memory system. Data live elsewhere: caches here hold tags only.
 *
 * Time stamps, not queues: every resource (port, slice, channel, bank) has the cycle at which it is next
 * free, and a request's completion is computed when the request is served. Requests are served in the order
 * (cycle, SM, sequence), so the result does not depend on host threads.
 *
 * The SM's side (SmMem) works within a window of cycles in which SMs run without seeing each other: it
 * coalesces, looks up L1, and queues what must go to L2. mem_drain, at the end of the window, serves all SMs'
 * queues through interconnect, L2 and DRAM. mem_window gives the longest window such that nothing served at
 * its end could have completed inside it.
 *
 * sim/mem/ sees sim/config/ and sim/record/; it knows accesses, not instructions or warps. */
#ifndef GSIM_MEM_H
#define GSIM_MEM_H
#include "sim/record/intervals.h"
#include "sim/record/stats.h"

typedef struct MemSystem MemSystem;   /* interconnect, L2, DRAM: one per GPU */
typedef struct SmMem SmMem;    /* L1, MSHRs, constant and instruction cache, shared-memory pipe: one per SM */

MemSystem *mem_new(const Config *);
/* L2 becomes empty, dirty lines too, and no row of DRAM is open. Nothing may be under way. */
void mem_empty(MemSystem *);
/* time begins anew: what is cached stays, and counts as arrived. Nothing may be under way. */
void mem_rewind(MemSystem *);
/* Keeps what outlives a launch: what L2 and the n SMs' instruction caches hold, and which rows of DRAM
   are open; and puts it back. Of an SM that has had no block it is NULL. Nothing may be under way. */
typedef struct MemCopy MemCopy;
MemCopy *mem_copy(const MemSystem *, SmMem *const *, int n);
void mem_put_back(MemSystem *, SmMem *const *, int n, const MemCopy *);
void mem_copy_free(MemCopy *);
/* Accesses of which only what they leave in L2 counts: bytes [first, first + n) of global memory, read or
   written. */
void mem_touch(MemSystem *, uint64_t first, uint64_t n, bool written);
void mem_sample(MemSystem *, Intervals *);      /* from now on L2 and DRAM count here, too; NULL: no more */
void mem_free(MemSystem *);
Cycle mem_window(const Config *);     /* the longest window, in cycles, >= 1 */
/* cycles from an SM to L2 and back with nothing else under way; no window is longer */
Cycle mem_round_trip(const Config *);
SmMem *smmem_new(const Config *, int sm);       /* the configuration must live as long */
/* A launch begins: what has come to L1 and the constant cache by that cycle is gone, what comes later
   stays. */
void smmem_launch(SmMem *, Cycle begin);
void smmem_forget(SmMem *, Cycle now);    /* L1 loses what is not local, as a fence of device scope asks */
void smmem_flush(SmMem *);             /* empties the instruction cache, which launches do not empty */
void smmem_rewind(SmMem *);            /* as mem_rewind; the next access may come at any cycle */
void smmem_free(SmMem *);

typedef enum { ACC_LOAD, ACC_STORE, ACC_ATOMIC } AccessKind;

/* Whose accesses fences keep apart, as entries of a list that the SM's side of the memory system has: entry
   first + k for each bit k of `members`. No bit: no fence waits for the access. */
typedef struct Ordered { int first; uint64_t members; } Ordered;

/* How the addresses of an access lie. SHAPE_ROW: lane l accesses first + l * step, and nothing overflows;
   SHAPE_APART: it is known that they are no row; SHAPE_ANY: nobody has looked. */
typedef enum { SHAPE_ANY, SHAPE_ROW, SHAPE_APART } Shape;
enum { MOST_STEP = 1 << 16 };          /* of a row */

/* the addresses of two lanes, for computing with both at once */
typedef uint64_t AddrPair __attribute__((vector_size(16), aligned(8), may_alias));
typedef struct Access {               /* the access of one warp instruction to one space */
	AccessKind kind;
	/* SP_GLOBAL SP_SHARED SP_LOCAL SP_CONST SP_PARAM; generic ones are split by space first */
	Space space;
	bool bypass_l1;               /* for PTX's .cg, .cv, .volatile and stronger */
	bool returns;                 /* atomics: the old value is wanted */
	uint64_t base;                /* constants and parameters: added to every address */
	bool forced;                  /* never refused: a load without a free MSHR goes past L1 */
	bool own_ports;               /* shared memory and the constant cache serve every lane at once */
	unsigned bytes;               /* per lane: 1 to 32 (vectors) */
	bool aligned;                 /* it is known that all addresses are multiples of `bytes` */
	uint64_t mask;                /* the lanes that make the access */
	Ordered ordered;              /* whose fences wait for the access */
	uint64_t *hits; /* NULL, or the mask that gets the lanes of a load whose data are in L1 */
	/* local memory: addresses are already interleaved by the caller, below 2^48; SMs do not share local
	   lines */
	Shape shape;
	uint64_t first, step;          /* of a row */
	const uint64_t *addr;          /* [lane]; may be NULL for a row */
} Access;
static inline uint64_t access_address(const Access *a, int lane)
{
	return a->shape == SHAPE_ROW ? a->first + a->step * (uint64_t)lane : a->addr[lane];
}

typedef struct MemTicket {            /* what the scoreboard waits for */
	/* when the result can be used (stores: when the access is accepted), as far as it is known */
	Cycle ready;
	Cycle hits; /* a load with Access.hits: when the data of the lanes in that mask are there */
	uint64_t hit_lanes;           /* memory to which the caller may let Access.hits point */
	struct Whole *whole;        /* the caller's: the instruction of which the access is a part, or NULL */
	Cycle pipe_free;              /* the load/store unit takes the next access from here on */
	/* 1: the next mem_drain finds out when the rest is there, smmem_resolve tells it; 0: all is known */
	uint16_t npending;
	uint32_t pending;             /* what the ticket waits for, in SmMem's own numbering */
	uint8_t level;                /* MemoryLevel: what serves the part that is there last */
} MemTicket;

/* Of two levels the one that serves what is there last; of two at once the later one in the list, so that no
   order matters. */
static inline uint8_t last_level(Cycle a, uint8_t of_a, Cycle b, uint8_t of_b)
{
	return a != b ? a > b ? of_a : of_b : of_a > of_b ? of_a : of_b;
}

/* Makes an access. False: it cannot be accepted at `now` (no free MSHR or queue place); *retry = smmem_retry.
   Nothing else changes then. Otherwise the access is made and the ticket filled. Counted in stats here:
   transactions, conflicts, misses and everything under L1, L2 and DRAM; the numbers of instructions
   (global_loads, shared_accesses, atomics, ...) are the caller's, who also runs without timing. Requests that
   leave the SM count there, too, when they are served, so the stats must live until then. Calls for one SM
   come with cycles that do not fall. */
bool smmem_access(SmMem *, Cycle now, const Access *, Totals *, MemTicket *, Cycle *retry);
/* Returns the first cycle, `now` or later, in which it is worth trying again the access that was refused
   last. While requests are queued the cycle may turn out too early; then it lies behind the window, and a
   call after mem_drain knows more. */
Cycle smmem_retry(SmMem *, Cycle now);
/* A fence of those entries, which waits for all accesses that they have made so far: for loads until their
   data are there, for stores and atomic operations until L2 has answered. The ticket's `ready` becomes the
   cycle in which all of them are done, and `cycles` have passed since, and since `now`. */
void smmem_fence(SmMem *, Cycle now, Ordered, Cycle cycles, Totals *, MemTicket *);
/* A warp begins whose accesses are those of n entries: what these have made before is not the warp's. */
void smmem_forget_ordered(SmMem *, int first, int n);
/* Fetches the line of instructions with byte address pc. Returns false when the line is in the instruction
   cache or there is no such cache, else true, and fills the ticket. When the ticket is ready the instruction
   is delivered, and the caller does not ask again: another warp's line may have pushed this one out. */
bool smmem_fetch(SmMem *, Cycle now, uint64_t pc, Totals *, MemTicket *);
/* Traffic of a divergence mechanism past L1: a load or store of n bytes at an address of the SM's own (below
   2^48). */
void smmem_mechanism(SmMem *, Cycle now, uint64_t addr, unsigned bytes, bool store, Totals *,
	MemTicket *);
/* True when requests are queued for mem_drain. */
bool smmem_queued(const SmMem *);

/* Serves what the n SMs have queued. */
void mem_drain(MemSystem *, SmMem **, int n);
/* The same in three steps. The first and the last may be made for several SMs side by side: each SM has ports
   of its own. */
void mem_send(MemSystem *, SmMem *);
void mem_serve(MemSystem *, SmMem **, int n);
void mem_receive(MemSystem *, SmMem *);
/* To be called after mem_drain: returns the cycle when everything for which the ticket waits is there (>=
   ticket->ready), and frees what SmMem keeps for the ticket. */
Cycle smmem_resolve(SmMem *, MemTicket *);
/* Returns how many requests have been accepted and are not complete at cycle `now`; 0 at the end of a
   launch. */
int smmem_outstanding(const SmMem *, Cycle now);
#endif
