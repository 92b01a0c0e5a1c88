/* What the units of the memory system know of each other. One unit, one file; sim/mem/mem.h is what the rest
 * sees.
 *
 * Addresses: "line" is always a line number (address / line size of the unit in question). Requests between
 * an SM and L2 are counted in sectors of L2. */
#ifndef GSIM_MEM_INTERNAL_H
#define GSIM_MEM_INTERNAL_H
#include "sim/mem/mem.h"

static inline unsigned shift_of(int64_t power_of_two)
{
	return (unsigned)__builtin_ctzll((uint64_t)power_of_two);
}
static inline uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static inline unsigned bits(uint32_t m)   /* how many are set; the compiler's own is a call on plain x86-64 */
{
	if (!(m & (m - 1)))
		return m != 0;             /* most often there is one */
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	return ((m + (m >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline Cycle later(Cycle a, Cycle b) { return a > b ? a : b; }
enum { MAX_SECTORS = 16 };             /* of a line */

/* ---- stamp.c: resources in time ---- */
/* What a resource of limited rate has given away: in each cycle it moves at most `rate` bytes and begins at
   most one request. A request begins in the first cycle that still may and takes the bytes left there and
   later, not necessarily without gaps; so bytes that one request leaves of its last cycle are the next one's,
   and in a row they take bytes / rate cycles, without rounding. Requests may come with times in any order: an
   early one finds the gaps that late ones left. */
enum { TIMELINE_WORDS = 32 };
typedef struct Timeline {
	/* bit per cycle, a ring over [64 word, 64 (word + TIMELINE_WORDS)): none begins here */
	uint64_t closed[TIMELINE_WORDS];
	uint64_t full[TIMELINE_WORDS];     /* no byte is left; closed, too */
	uint16_t used[64 * TIMELINE_WORDS];    /* [cycle]: bytes taken */
	Cycle word;
	Cycle over;                    /* from the ring's end to here everything is taken */
	uint16_t over_used;            /* and of the cycle `over` so many bytes */
} Timeline;                            /* zero-initialise */
Cycle timeline_search(Timeline *, Cycle floor, Cycle from, uint64_t rate, uint64_t bytes);
/* Takes bytes >= 1 from `from` on and returns the end of the cycle of the last. Nobody asks for a cycle
   before floor any more; floor never falls. The rate, at most 1024, is the same in every call. */
static inline Cycle timeline_book(Timeline *t, Cycle floor, Cycle from, uint64_t rate, uint64_t bytes)
{
	Cycle w = from / 64, k = w % TIMELINE_WORDS;
	if (bytes > rate || floor / 64 > t->word || w - t->word >= TIMELINE_WORDS)
		return timeline_search(t, floor, from, rate, bytes);
	uint64_t open = ~t->closed[k] & ~(uint64_t)0 << from % 64, begin = open & -open;
	uint16_t *used = &t->used[k * 64 + (open ? (uint64_t)__builtin_ctzll(open) : 0)];
	uint64_t sum = *used + bytes;
	if (!open || sum > rate)
		return timeline_search(t, floor, from, rate, bytes);
	*used = (uint16_t)sum;
	t->closed[k] |= begin;
	t->full[k] |= sum == rate ? begin : 0;
	return w * 64 + (uint64_t)__builtin_ctzll(open) + 1;
}

typedef struct Stamp { Cycle at; uint32_t id; } Stamp;
typedef struct StampHeap { Stamp *v; int n, cap; } StampHeap;  /* smallest (at, id) at v[0] */
static inline bool heap_before(Stamp a, Stamp b) { return a.at != b.at ? a.at < b.at : a.id < b.id; }
void heap_push(StampHeap *, Cycle at, uint32_t id);
Stamp heap_pop(StampHeap *);
void heap_replace(StampHeap *, Cycle at, uint32_t id); /* a pop and a push */
/* A buffer of n places, each held until its time: when one is free for who comes at `at`; then it is taken
   until `until`. */
static inline Cycle place_free(const StampHeap *h, int n, Cycle at)
{
	return h->n == n ? later(at, h->v[0].at) : at;
}
static inline void place_take(StampHeap *h, int n, Cycle until)
{
	if (h->n == n)
		heap_replace(h, until, 0);
	else
		heap_push(h, until, 0);
}

/* Times without names, counted by cycle. Cheaper than a heap where most lie near. */
enum { TALLY_CYCLES = 2048 };
typedef struct Tally {
	uint16_t count[TALLY_CYCLES];  /* a ring over [from, from + TALLY_CYCLES) */
	uint64_t any[TALLY_CYCLES / 64];   /* bit per cycle: its count is not 0 */
	Cycle from;
	StampHeap far;                 /* those behind the ring */
	int n;
} Tally;                               /* zero-initialise */
void tally_add(Tally *, Cycle at);
/* Takes out the times up to and including now; how many. now does not fall. */
int tally_expire(Tally *, Cycle now);
/* Writes some of the times, among them the `least` smallest (all when there are fewer); how many. Room for
   n. */
int tally_least(const Tally *, int least, Cycle *out);
/* The k-th smallest, k from 1, if it is in the ring; else a time that never comes. */
Cycle tally_kth(const Tally *, int k);

/* ---- coalescer.c ---- */
enum { MAX_PIECES = 128, MAX_LINE = 256 };    /* 64 lanes, each of which may touch two lines */
typedef struct Piece {                 /* what a warp wants of one line */
	uint64_t line;
	uint32_t sectors;              /* touched */
	uint32_t full;                 /* stores: of them, those every byte of which is written; loads: any */
	uint32_t conflict;             /* atomics: most lanes that meet on one word */
} Piece;
typedef struct Coalesced {
	int n;
	Piece piece[MAX_PIECES];       /* in the order of the first lane that touches it */
	uint8_t slot[2 * MAX_PIECES];  /* hash of line to index + 1 */
	uint64_t written[MAX_PIECES][MAX_LINE / 64];
} Coalesced;
/* base is added to every address. */
void coalesce(const Access *, uint64_t base, unsigned line_shift, unsigned sector_shift, Coalesced *);
/* Lanes 0..n-1 at addresses one step apart. The mask is not empty. */
bool is_strided(const Access *, uint64_t *step);
/* The number of different addresses (room for 64), each with the number of its lanes. */
int distinct_addresses(const Access *, uint64_t *address, uint32_t *lanes);

/* ---- shared.c ---- */
/* Cycles for which the access keeps the pipe; of them *extra are due to bank conflicts. */
unsigned shared_cycles(const Access *, unsigned banks, unsigned bank_bytes, unsigned *extra);

/* ---- cache.c: tags of a sectored, set-associative cache, LRU ---- */
typedef struct Cache {
	uint64_t sets, mask;           /* mask: sets - 1 when sets is a power of two, else 0 */
	unsigned ways, sectors;        /* sectors of a line */
	uint32_t generation;
	uint64_t clock;

	uint32_t *set_generation;      /* [set]; another than generation: the set is empty */
	uint64_t *tag, *used;          /* [set * ways + way]; tag: line, or NO_LINE */
	uint32_t *valid, *dirty;       /* masks of sectors */
	Cycle *ready;         /* [(set * ways + way) * sectors + sector] or NULL: arrival of a valid sector */
} Cache;
#define NO_LINE UINT64_MAX
typedef struct Victim { uint64_t line; uint32_t dirty; } Victim;
void cache_init(Cache *, int64_t bytes, int64_t line, int64_t sector, int64_t ways, bool with_ready);
void cache_reset(Cache *);
void cache_rewind(Cache *);            /* all that is valid has arrived */
void cache_free(Cache *);
int64_t cache_find(Cache *, uint64_t line);             /* index, or -1; does not count as use */
static inline void cache_touch(Cache *c, int64_t i) { c->used[i] = ++c->clock; }
/* A line that is not there takes the least recently used way, without valid sectors; victim->line may be
   NO_LINE. */
int64_t cache_place(Cache *, uint64_t line, Victim *victim);

/* Arrivals that mem_drain has not told yet: UNKNOWN + index in the SM's queue. */
#define UNKNOWN ((Cycle)1 << 63)

/* ---- mshr.c: lines of L1 on their way ---- */
typedef struct Mshr {
	uint64_t line;
	uint32_t pending;              /* sectors on their way */
	uint32_t collected;            /* accesses that wait or waited here */
	int32_t next;                  /* in the hash chain, or in the free list */
	Cycle fill[MAX_SECTORS];       /* [sector] */
	uint32_t together[MAX_SECTORS];    /* [lowest sector of a request]: the sectors it brings */
} Mshr;
typedef struct MshrTable {
	Mshr *entry;
	int32_t *head;                 /* [hash] */
	int n, used, limit;        /* n > limit: one access larger than the table may enter the empty table */
	uint32_t mask;
	int32_t free;
} MshrTable;
void mshr_init(MshrTable *, int64_t limit);
void mshr_reset(MshrTable *);
void mshr_free(MshrTable *);
int mshr_find(const MshrTable *, uint64_t line);        /* -1 when there is none */
int mshr_take(MshrTable *, uint64_t line);
void mshr_drop(MshrTable *, int entry);

/* ---- requests from an SM to L2 ---- */
typedef enum { OWNER_L1, OWNER_PLACE, OWNER_CONST, OWNER_FETCH, OWNER_OTHER } Owner;
typedef struct Request {               /* of one access; its parts are pieces of lines of L2 */
	Cycle cycle;         /* of the access: requests are served in the order (cycle, SM, place in queue) */
	Cycle at;                      /* part k is at the SM's port from at + k * step on */
	Cycle done;                    /* set by the drain: data are back, or the store is acknowledged */
	int32_t part, nparts;          /* SmMem.part[part..], at most MAX_PIECES */
	uint8_t kind, owner, step;     /* AccessKind, Owner, 0 or 1 */
	bool returns;                  /* data come back */
	int32_t after;                 /* index of a request of the same SM that must be done before, or -1 */
	int32_t waiter;                /* list of groups that wait for it, or -1 */
	uint64_t target;               /* OWNER_L1: MSHR entry; caches: line */
	uint32_t target_sectors;       /* OWNER_L1: sectors of L1 */
	LaunchStats *stats;            /* of the access that sent it */
} Request;

typedef struct Waiter { uint32_t group; int32_t next; } Waiter;
/* one access's requests */
typedef struct RequestGroup { Cycle ready; uint32_t left; int32_t next; } RequestGroup;

typedef struct L1Look { int64_t tag; int entry; uint32_t hit, merge, miss; } L1Look;

/* What the access that was refused last has lacked. */
typedef struct Lack {
	enum { LACKS_PLACES, LACKS_MSHRS, LACKS_MERGE } what;
	int need;                      /* places or MSHRs that it takes */
	uint64_t line;                 /* LACKS_MERGE: whose MSHR has collected as many accesses as it may */
} Lack;

struct SmMem {
	Config c;
	int sm;
	unsigned l1_shift, l1_sector_shift, l2_shift, l2_sector_shift, const_shift, fetch_shift;
	Cycle trip;                    /* no request comes back faster */

	Cache l1, constant, fetch;     /* sets = 0: there is none */
	MshrTable mshr;
	int places;         /* taken by stores, atomics and bypassing loads not yet done, one for each part */
	Lack lack;
	Tally leaving;                 /* those of them that were served: when done */
	StampHeap flying;              /* other requests served: when done, and what then (see sm_mem.c) */
	Vec(Request) queue;
	Vec(Piece) part;               /* of the requests in the queue */
	Vec(Waiter) waiter;
	Vec(RequestGroup) group;
	int32_t free_group;
	Cycle last;                    /* cycle of the latest access */

	Coalesced co;                  /* scratch */
	L1Look look[MAX_PIECES];
	Vec(Cycle) times;
};
void smmem_served(SmMem *, int request, const Cycle *done);   /* by the drain: when each part is done */
void smmem_drained(SmMem *);                            /* everything queued was served */
/* queues it and copies its parts; its index */
int smmem_push(SmMem *, Cycle now, Request, const Piece *part);
/* The same for sectors from an address on, all at the port at once. addr: of sector 0. */
int smmem_push_sectors(SmMem *, Cycle now, Request, uint64_t addr, uint32_t sectors);
void smmem_wait(SmMem *, MemTicket *, int request);     /* the ticket waits for a queued request */
/* for something that arrives then, or is still UNKNOWN */
void smmem_wait_until(SmMem *, MemTicket *, Cycle when);
/* False: the access is refused; smmem_retry says until when. */
bool smmem_lacks(SmMem *, Lack);

/* ---- l1.c ---- */
bool l1_load(SmMem *, Cycle now, const Access *, uint64_t base, LaunchStats *, MemTicket *);
Cycle l1_when_filled(const SmMem *, const Mshr *);      /* all that it waits for may be there */
/* an access may join those that wait for the line */
Cycle l1_when_mergeable(const SmMem *, Cycle now, uint64_t line);
void l1_fill(SmMem *, uint32_t id);          /* id: MSHR entry * MAX_SECTORS + lowest sector of the request */

/* ---- interconnect.c ---- */
typedef struct Interconnect {
	Timeline *up, *down;           /* [sm] */
	int n;
	Cycle latency;
	uint64_t width, sector;        /* bytes */
} Interconnect;
enum { HEADER_BYTES = 8 };
void icnt_init(Interconnect *, const Config *);
void icnt_rewind(Interconnect *);
void icnt_free(Interconnect *);
/* n pieces, of which piece k is at the sender's port from at[k] on: at[k] becomes its arrival. data: with the
   sectors' data. */
void icnt_up(Interconnect *, int sm, Cycle floor, const Piece *, int n, bool data, Cycle *at);
void icnt_down(Interconnect *, int sm, Cycle floor, const Piece *, int n, bool data, Cycle *at);

/* of a load of so many, there and back, on free ports */
Cycle icnt_free_trip(const Interconnect *, unsigned sectors);

/* A fixed permutation-like mix of the upper part of an address: aligned blocks of n lines are rotated by
   it. */
static inline uint64_t fold(uint64_t x) { return x ^ x >> 3 ^ x >> 7 ^ x >> 15; }

/* ---- dram.c ---- */
/* free: when, in 1/width cycles; row: open row + 1, 0 = none */
typedef struct Bank { uint64_t free, row; } Bank;
typedef struct Dram {
	Timeline *bus;                 /* [channel] */
	Bank *bank;                    /* [channel * banks + bank] */
	uint64_t channels, banks, sector, width;
	unsigned row_shift;            /* line of L2, within a channel, to row */
	Cycle hit, activate, latency;
	Intervals *intervals;          /* or NULL */
} Dram;
void dram_init(Dram *, const Config *);
void dram_close_rows(Dram *);
void dram_rewind(Dram *);
void dram_free(Dram *);
/* n sectors of one line of L2: when they are in L2 (reads) or on the bus (writes). */
Cycle dram_access(Dram *, Cycle floor, Cycle at, uint64_t line, unsigned n, bool write, LaunchStats *);

/* ---- l2.c ---- */
typedef struct Slice {
	Timeline pipe;
	StampHeap mshr;                /* fills in flight */
	StampHeap writing;             /* write-backs in the buffer */
	Cache cache;
} Slice;
typedef struct L2 {
	Slice *slice;
	uint64_t slices;
	bool power;                    /* slices is a power of two: 1 << slice_shift */
	unsigned slice_shift, sectors; /* sectors of a line */
	uint64_t width, sector;        /* bytes a cycle, bytes */
	uint64_t atomic;               /* bytes that could pass during one atomic operation */
	Cycle latency;
	int mshrs, write_buffer;
} L2;
void l2_init(L2 *, const Config *);
void l2_empty(L2 *);
void l2_rewind(L2 *);
void l2_free(L2 *);
/* A piece of one line: when the reply leaves the slice. */
Cycle l2_access(L2 *, Dram *, Cycle floor, Cycle at, AccessKind, const Piece *, LaunchStats *);
#endif
