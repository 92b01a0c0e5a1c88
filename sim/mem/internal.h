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
/* the number of bits that are set; the compiler's own function is a call on plain x86-64 */
static inline unsigned count_bits(uint32_t m)
{
	if (!(m & (m - 1)))
		return m != 0;             /* most often no bit but one is set */
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	return ((m + (m >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline Cycle later(Cycle a, Cycle b) { return a > b ? a : b; }
enum { MAX_SECTORS = 16 };             /* the most sectors that a line has */

/* ---- stamp.c: resources in time ---- */
/* What a resource of limited rate has given away: in each cycle it moves at most `rate` bytes and begins at
   most one request. A request begins in the first cycle in which a request may still begin and takes the
   bytes left in that cycle and later ones, not necessarily without gaps. So the next request gets the bytes
   that one request leaves of its last cycle, and requests in a row take bytes / rate cycles, without
   rounding. Requests may come with times in any order: an early one finds the gaps that late ones left. */
enum { TIMELINE_WORDS = 32 };
typedef struct Timeline {
	/* bit per cycle, a ring over [64 word, 64 (word + TIMELINE_WORDS)): no request may begin here any
	   more */
	uint64_t closed[TIMELINE_WORDS];
	uint64_t full[TIMELINE_WORDS];     /* bit per cycle: no byte is left; `closed` has the bit, too */
	uint16_t used[64 * TIMELINE_WORDS];    /* [cycle % (64 TIMELINE_WORDS)]: bytes taken in the cycle */
	Cycle word;
	Cycle over;                    /* from the ring's end to this cycle all bytes are taken */
	uint16_t over_used;            /* bytes that are taken of the cycle `over` */
} Timeline;                            /* zero-initialise */
Cycle timeline_search(Timeline *, Cycle floor, Cycle from, uint64_t rate, uint64_t bytes);
/* Takes `bytes` >= 1 bytes of cycle `from` and later ones. Returns the cycle after the one in which the last
   byte moves. No caller asks for a cycle before `floor` any more, and `floor` never falls from call to call.
   The rate, in bytes a cycle and at most 1024, is the same in every call. */
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
void stamp_push(StampHeap *, Cycle at, uint32_t id);
Stamp stamp_pop(StampHeap *);
void heap_replace(StampHeap *, Cycle at, uint32_t id); /* takes the smallest entry out and puts this one in */
/* A buffer of n places; the heap has the cycles until which places are taken. place_free returns the first
   cycle from `at` on in which a place is free; place_take then takes this place until `until`. */
static inline Cycle place_free(const StampHeap *h, int n, Cycle at)
{
	return h->n == n ? later(at, h->v[0].at) : at;
}
static inline void place_take(StampHeap *h, int n, Cycle until)
{
	if (h->n == n)
		heap_replace(h, until, 0);
	else
		stamp_push(h, until, 0);
}

/* A bag of times: how many there are at each cycle. It is cheaper than a heap where most times are near. */
enum { TALLY_CYCLES = 2048 };
typedef struct Tally {
	/* [cycle % TALLY_CYCLES]: how many times there are; a ring over [from, from + TALLY_CYCLES) */
	uint16_t count[TALLY_CYCLES];
	uint64_t any[TALLY_CYCLES / 64];   /* bit per cycle: its count is not 0 */
	Cycle from;
	StampHeap far;                 /* the times behind the ring's end */
	int n;
} Tally;                               /* zero-initialise */
void tally_add(Tally *, Cycle at);
/* Takes out the times up to and including now and returns how many there were. now never falls from call to
   call. */
int tally_expire(Tally *, Cycle now);
/* Writes some of the times to out, among them the `least` smallest (all times, if there are fewer). Returns
   how many it has written; out needs room for Tally.n. */
int tally_least(const Tally *, int least, Cycle *out);
/* Returns the k-th smallest time, k from 1, if it is in the ring; else a cycle that never comes. */
Cycle tally_kth(const Tally *, int k);

/* ---- coalescer.c ---- */
enum { MAX_PIECES = 128, MAX_LINE = 256 };    /* 64 lanes, each of which may touch two lines */
typedef struct Piece {                 /* what an access of a warp wants of one line */
	uint64_t line;
	uint32_t sectors;              /* mask of the sectors that are touched */
	/* stores: mask of the touched sectors of which every byte is written; loads: may be anything */
	uint32_t full;
	uint32_t conflict;             /* atomics: the greatest number of lanes that access one address */
} Piece;
typedef struct Coalesced {
	int n;
	Piece piece[MAX_PIECES];       /* in the order of the first lane that touches it */
	uint8_t slot[2 * MAX_PIECES];  /* a hash table of lines: index of the line's piece + 1; 0: empty */
	uint64_t written[MAX_PIECES][MAX_LINE / 64];
} Coalesced;
/* base is added to every address. */
void coalesce(const Access *, uint64_t base, unsigned line_shift, unsigned sector_shift, Coalesced *);
typedef struct Row { uint64_t from, step; unsigned n; } Row;  /* n addresses: from, from + step, ... */
/* True if it is known of the access's lanes, of which there must be some, that their addresses are such ones:
   there are no gaps between the lanes, or all have one address. */
bool access_row(const Access *, Row *);
/* Are there no gaps between the lanes? There must be some. */
static inline bool lanes_in_a_row(uint64_t lanes) { return !(((lanes | (lanes - 1)) + 1) & lanes); }
/* Returns the number of different addresses; writes them, and for each the number of its lanes. Both arrays
   have room for 64. */
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
	/* [set * ways + way]: eight bits of the way's line, so that most ways need no look at their tag; what
	   it has of a way without a line means nothing */
	uint8_t *brief;
	uint32_t *valid, *dirty;       /* [set * ways + way]: masks of sectors */
	Cycle *ready;         /* [(set * ways + way) * sectors + sector] or NULL: arrival of a valid sector */
} Cache;
#define NO_LINE UINT64_MAX
typedef struct Victim { uint64_t line; uint32_t dirty; } Victim;
void cache_init(Cache *, int64_t bytes, int64_t line, int64_t sector, int64_t ways, bool with_ready);
void cache_reset(Cache *);
/* The cache loses the lines before `line`, none of which is dirty. */
void cache_drop_below(Cache *, uint64_t line);
void cache_rewind(Cache *);            /* time begins anew: every valid sector counts as arrived */
void cache_free(Cache *);
int64_t cache_find(Cache *, uint64_t line);             /* index, or -1; does not count as use */
static inline void cache_touch(Cache *c, int64_t i) { c->used[i] = ++c->clock; }
/* Puts a line that is not in the cache into the least recently used way of its set, without valid sectors,
   and returns its index. *victim is the line that had the way; victim->line = NO_LINE: none had it. */
int64_t cache_place(Cache *, uint64_t line, Victim *victim);

/* A time of arrival that mem_drain has not told yet is written UNKNOWN + index of the request in
   SmMem.queue. */
#define UNKNOWN ((Cycle)1 << 63)

/* ---- mshr.c: lines of L1 on their way ---- */
typedef struct Mshr {
	uint64_t line;
	uint32_t pending;              /* sectors on their way */
	uint32_t collected;            /* accesses that wait or waited here */
	int32_t next;                  /* in the hash chain, or in the free list */
	Cycle fill[MAX_SECTORS];       /* [sector]: when it arrives, or UNKNOWN + index of its request */
	uint8_t level[MAX_SECTORS];    /* [sector] with a known time: the MemoryLevel that serves it */
	uint32_t together[MAX_SECTORS];    /* [lowest sector of a request]: the sectors it brings */
} Mshr;
typedef struct MshrTable {
	Mshr *entry;
	int32_t *head;                 /* [hash of a line]: first entry of its chain; -1: none */
	/* limit: entries of the machine; n: entries here. n > limit, because one access that needs more than
	   `limit` may enter when the table is empty */
	int n, used, limit;
	int made, room;                /* entries used so far, which are the first ones; room for so many */
	uint32_t mask;
	int32_t free;
} MshrTable;
void mshr_init(MshrTable *, int64_t limit);
void mshr_reset(MshrTable *);
void mshr_free(MshrTable *);
int mshr_find(const MshrTable *, uint64_t line);        /* index of the line's entry; -1: it has none */
int mshr_take(MshrTable *, uint64_t line);
void mshr_drop(MshrTable *, int entry);

/* ---- requests from an SM to L2 ---- */
typedef enum { OWNER_L1, OWNER_PLACE, OWNER_CONST, OWNER_FETCH, OWNER_OTHER, OWNER_FENCE } Owner;
typedef struct Request {               /* a request of one access; its parts are pieces of lines of L2 */
	/* the cycle of the access: requests are served in the order (cycle, SM, place in queue) */
	Cycle cycle;
	Cycle at;                      /* part k is at the SM's port from at + k * step on */
	Cycle done;                    /* set by the drain: data are back, or the store is acknowledged */
	int32_t part, nparts; /* its nparts parts, at most MAX_PIECES, are in SmMem.part from index part on */
	uint8_t kind, owner, step;     /* AccessKind, Owner, 0 or 1 */
	uint8_t level;                 /* set by the drain: the MemoryLevel that serves the last part */
	bool returns;                  /* data come back */
	int32_t after;                 /* index of a request of the same SM that must be done before, or -1 */
	int32_t waiter;                /* first of the list of groups that wait for the request, or -1 */
	/* OWNER_L1: index of the MSHR; OWNER_CONST, OWNER_FETCH: the line; OWNER_FENCE: cycles that it takes
	   once all that it waits for is done */
	uint64_t target;
	uint32_t target_sectors;       /* OWNER_L1: mask of the sectors of L1 that it brings */
	Totals *stats; /* the counts to which the request adds: those of its access's launch */
	Ordered ordered;               /* a store or atomic operation: whose; a fence: for whom it waits */
} Request;

typedef struct Waiter { uint32_t group; int32_t next; } Waiter;
/* the requests of one access. left: those of which it is not known yet when they are done; ready: the latest
   time of the others; next: in the list of free groups */
typedef struct RequestGroup {
	Cycle ready;
	uint32_t left;
	int32_t next;
	uint8_t level;                 /* MemoryLevel of what is done at `ready` */
	Ordered ordered;
} RequestGroup;

typedef struct L1Look { int64_t tag; int entry; uint32_t hit, merge, miss; } L1Look;

/* What the access that was refused last has lacked. */
typedef struct Lack {
	enum { LACKS_PLACES, LACKS_MSHRS, LACKS_MERGE } what;
	int need;                      /* how many places or MSHRs the access takes */
	uint64_t line; /* LACKS_MERGE: the line whose MSHR has collected as many accesses as it may */
} Lack;

/* fence.c: what a fence has to know of one entry's accesses. read: when the data of its loads are there, as
   far as that was known when they were made; served: when those are done of which mem_drain has told since;
   asked: the number of the mem_drain that tells of its latest request, from 1 */
typedef struct Outstanding { Cycle read, served; uint64_t asked; } Outstanding;

struct SmMem {
	const Config *c;
	int sm;
	unsigned l1_shift, l1_sector_shift, l2_shift, l2_sector_shift, const_shift, fetch_shift;
	Cycle trip;                    /* the fewest cycles that a request takes to L2 and back */

	Cache l1, constant, fetch;     /* sets = 0: the machine has no such cache */
	MshrTable mshr;
	/* places in L1's queue that are taken: by stores, atomics and bypassing loads not yet done, one for
	   each part */
	int places;
	Lack lack;
	Tally leaving; /* of the taken places, those whose request was served: when each becomes free */
	/* requests served that have no place: when each is done, and what happens then (see sm_mem.c) */
	StampHeap flying;
	Vec(Request) queue;
	Vec(Piece) part;               /* the parts of the requests in the queue */
	/* by part, while the queue is drained: when the part is at L2, then when it is served, and whether by
	   DRAM */
	Vec(Cycle) arrives;
	Vec(bool) from_dram;
	bool chained;                  /* some request in the queue waits for another one of it */
	bool sent;                     /* the requests in the queue are on their way, as `arrives` says */
	Vec(Waiter) waiter;
	Vec(RequestGroup) group;
	int32_t free_group;
	Cycle last;                    /* cycle of the latest access */
	Vec(Outstanding) outstanding;  /* by entry of Ordered */
	uint64_t drain;                /* the number of the next mem_drain that has requests of this SM */
	Ordered making;                /* whose access is being made */

	Coalesced co;                  /* the access that is being made, coalesced */
	L1Look look[MAX_PIECES];
	Vec(Cycle) times;
};
/* called when mem_drain has served the request; done: when each part is done, from_dram: whether DRAM has
   served it */
void smmem_served(SmMem *, int request, const Cycle *done, const bool *from_dram);
void smmem_drained(SmMem *); /* called when mem_drain has served everything that was queued */
/* queues the request and copies its parts; returns its index in the queue */
int smmem_push(SmMem *, Cycle now, Request, const Piece *part);
/* As smmem_push, for a mask of sectors of L2, which are all at the port at once. addr: address of sector
   0. */
int smmem_push_sectors(SmMem *, Cycle now, Request, uint64_t addr, uint32_t sectors);
void smmem_wait(SmMem *, MemTicket *, int request);     /* makes the ticket wait for a queued request */
/* makes the ticket wait for something that arrives at `when`, which may be UNKNOWN + index; else it comes
   from that level */
void smmem_wait_until(SmMem *, MemTicket *, Cycle when, MemoryLevel);
/* Notes what the refused access lacks, and returns false. smmem_retry says until when it is refused. */
bool smmem_lacks(SmMem *, Lack);

/* ---- fence.c ---- */
void fence_note_access(SmMem *, const Access *, const MemTicket *);    /* an access has been made */
void fence_note_served(SmMem *, Ordered, Cycle done);  /* mem_drain tells when a request of these is done */
Cycle fence_done(const SmMem *, const Request *);       /* a fence is served: when it is over */

/* ---- l1.c ---- */
bool l1_load(SmMem *, Cycle now, const Access *, uint64_t base, Totals *, MemTicket *);
/* when all sectors for which the MSHR waits may be there, at the earliest */
Cycle l1_when_filled(const SmMem *, const Mshr *);
/* the first cycle, now or later, in which an access may join those that wait for the line */
Cycle l1_when_mergeable(const SmMem *, Cycle now, uint64_t line);
void l1_fill(SmMem *, uint32_t id);          /* id: MSHR entry * MAX_SECTORS + lowest sector of the request */

/* ---- interconnect.c ---- */
typedef struct Interconnect {
	Timeline *up, *down;           /* [SM]: the SM's port towards L2 (up) and from L2 (down) */
	int n;
	Cycle latency;
	uint64_t width, sector;        /* width: bytes that a port moves a cycle; sector: bytes of a sector */
} Interconnect;
enum { HEADER_BYTES = 8 };
void icnt_init(Interconnect *, const Config *);
void icnt_rewind(Interconnect *);
void icnt_free(Interconnect *);
/* Sends n pieces up to L2 or down to the SM. Piece k is at the sender's port from at[k] on; at[k] becomes the
   cycle of its arrival. data: the message has the sectors' data. */
void icnt_up(Interconnect *, int sm, Cycle floor, const Piece *, int n, bool data, Cycle *at);
void icnt_down(Interconnect *, int sm, Cycle floor, const Piece *, int n, bool data, Cycle *at);

/* cycles on the interconnect of a load of so many sectors, there and back, when all ports are free */
Cycle icnt_free_trip(const Interconnect *, unsigned sectors);

/* A fixed mix of the bits of the upper part of an address. An aligned block of n lines goes to n slices,
   channels or banks in order, rotated by this number. */
static inline uint64_t fold(uint64_t x) { return x ^ x >> 3 ^ x >> 7 ^ x >> 15; }

/* ---- dram.c ---- */
/* free: when the bank is free, in units of 1/width cycles; row: open row + 1, 0 = none */
typedef struct Bank { uint64_t free, row; } Bank;
typedef struct Dram {
	Timeline *bus;                 /* [channel]: the channel's data bus */
	Bank *bank;                    /* [channel * banks + bank] */
	uint64_t channels, banks, sector, width;
	unsigned row_shift;            /* row of a line = its number within the channel >> row_shift */
	Cycle hit, activate, latency;
	Intervals *intervals;          /* where DRAM counts, too, or NULL */
} Dram;
void dram_init(Dram *, const Config *);
void dram_close_rows(Dram *);
void dram_rewind(Dram *);
void dram_free(Dram *);
/* Reads or writes n sectors of one line of L2. Returns when they are in L2 (reads) or have passed the bus
   (writes). */
Cycle dram_access(Dram *, Cycle floor, Cycle at, uint64_t line, unsigned n, bool write, Totals *);

/* ---- mem.c ---- */
typedef struct L2 L2;
const L2 *mem_l2(const MemSystem *);
const Dram *mem_dram(const MemSystem *);

/* ---- l2.c ---- */
typedef struct L2Slice {
	Timeline pipe;
	StampHeap mshr;                /* when each fill in flight arrives */
	StampHeap writing;             /* when each write-back in the buffer has left it */
	Cache cache;
} L2Slice;
struct L2 {
	L2Slice *slice;
	uint64_t slices;
	bool power;                    /* slices is a power of two: 1 << slice_shift */
	unsigned slice_shift, sectors; /* sectors of a line */
	uint64_t width, sector; /* width: bytes that a slice moves a cycle; sector: bytes of a sector */
	uint64_t atomic;               /* bytes that could pass during one atomic operation */
	Cycle latency;
	int mshrs, write_buffer;
};
void l2_init(L2 *, const Config *);
void l2_empty(L2 *);
void l2_rewind(L2 *);
void l2_free(L2 *);
void l2_touch(L2 *, uint64_t line, uint32_t sectors, bool written);    /* for mem_touch */
/* Serves a piece of one line, which arrives at cycle `at`. Returns when the reply leaves the slice;
   *from_dram: it waits for DRAM until then. */
Cycle l2_access(L2 *, Dram *, Cycle floor, Cycle at, AccessKind, const Piece *, Totals *, bool *from_dram);
#endif
