/* L2: slices interleaved by line; sectored, write-back. A store allocates, and fetches only sectors it does
 * not write whole. A sector on its way is a hit that waits. Dirty lines leave through a buffer. While the
 * buffer is full, a request that needs the place of a dirty line waits; so DRAM holds up the SMs that
 * write. */
#include "sim/mem/internal.h"

void l2_init(L2 *l2, const Config *c)
{
	*l2 = (L2){ .slices = (uint64_t)c->l2_slices, .power = !(c->l2_slices & (c->l2_slices - 1)),
		.slice_shift = shift_of(c->l2_slices), .sectors = (unsigned)(c->l2_line / c->l2_sector),
		.latency = (Cycle)c->l2_latency, .atomic = (uint64_t)(c->l2_atomic * c->l2_width),
		.mshrs = (int)c->l2_mshrs, .write_buffer = (int)c->l2_write_buffer,
		.width = (uint64_t)c->l2_width, .sector = (uint64_t)c->l2_sector };
	l2->slice = xcalloc(l2->slices, sizeof *l2->slice);
	for (uint64_t i = 0; i < l2->slices; i++)
		cache_init(&l2->slice[i].cache, later(1, (uint64_t)(c->l2_bytes / c->l2_slices)), c->l2_line,
			c->l2_sector, c->l2_ways, true);
}

void l2_empty(L2 *l2)
{
	for (uint64_t i = 0; i < l2->slices; i++)
		cache_reset(&l2->slice[i].cache);
}

void l2_rewind(L2 *l2)
{
	for (uint64_t i = 0; i < l2->slices; i++) {
		L2Slice *s = &l2->slice[i];
		memset(&s->pipe, 0, sizeof s->pipe);
		s->mshr.n = s->writing.n = 0;
		cache_rewind(&s->cache);
	}
}

void l2_free(L2 *l2)
{
	for (uint64_t i = 0; i < l2->slices; i++) {
		cache_free(&l2->slice[i].cache);
		free(l2->slice[i].mshr.v);
		free(l2->slice[i].writing.v);
	}
	free(l2->slice);
}

/* The line of the memory that is line `inner` of the slice; the inverse of what l2_access does. */
static uint64_t outer_line(const L2 *l2, uint64_t slice, uint64_t inner)
{
	uint64_t n = l2->slices;
	return inner * n + (slice + n - fold(inner) % n) % n;
}

/* Writes the dirty sectors of a victim of slice k to DRAM. Returns when the victim has got a place in the
   buffer; its way in the cache is free then. */
static Cycle write_back(L2 *l2, Dram *d, Cycle floor, Cycle at, uint64_t k, Victim v, Totals *st)
{
	StampHeap *writing = &l2->slice[k].writing;
	unsigned n = count_bits(v.dirty);
	if (v.line == NO_LINE || !n)
		return at;
	at = place_free(writing, l2->write_buffer, at);
	st->l2_writebacks += n;
	place_take(writing, l2->write_buffer, dram_access(d, floor, at, outer_line(l2, k, v.line), n, true,
		st));
	return at;
}

static bool line_in_flight(const Cache *c, int64_t i, Cycle at)
{
	for (uint32_t m = c->valid[i]; m; m &= m - 1)
		if (c->ready[i * c->sectors + __builtin_ctz(m)] > at)
			return true;
	return false;
}

/* Fetches these sectors of line i from DRAM, and returns when they are there. The fill takes an MSHR, unless
   the line has one already; *at becomes the cycle in which it gets the MSHR. */
static Cycle fetch(L2 *l2, Dram *d, L2Slice *s, Cycle floor, Cycle *at, int64_t i, const Piece *p,
	uint32_t sectors, Totals *st)
{
	bool shared = line_in_flight(&s->cache, i, *at);
	if (!shared)
		*at = place_free(&s->mshr, l2->mshrs, *at);
	Cycle fill = dram_access(d, floor, *at, p->line, count_bits(sectors), false, st);
	if (!shared)
		place_take(&s->mshr, l2->mshrs, fill);
	return fill;
}

static void set_ready(Cache *c, int64_t i, uint32_t sectors, Cycle ready)
{
	c->valid[i] |= sectors;
	for (uint32_t m = sectors; m; m &= m - 1)
		c->ready[i * c->sectors + __builtin_ctz(m)] = ready;
}

/* Counts a request for n sectors. The masks: sectors that are present, that are missing, and that a store
   writes whole. */
static void count_l2_request(unsigned n, uint32_t present, uint32_t missing, uint32_t whole, Totals *st)
{
	st->l2_requests += n;
	st->l2_hits += missing | whole ? count_bits(present) : n;
	st->l2_misses += count_bits(missing);
	st->l2_allocations += count_bits(whole);
}

/* The slice that has the line; *inner: the line's number there. */
static inline uint64_t slice_of(const L2 *l2, uint64_t line, uint64_t *inner)
{
	*inner = l2->power ? line >> l2->slice_shift : line / l2->slices;
	uint64_t folded = line + fold(*inner);
	return l2->power ? folded & (l2->slices - 1) : folded % l2->slices;
}

void l2_touch(L2 *l2, uint64_t line, uint32_t sectors, bool written)
{
	uint64_t inner, slice = slice_of(l2, line, &inner);
	Cache *c = &l2->slice[slice].cache;
	int64_t i = cache_find(c, inner);
	Victim v;
	if (i < 0)
		i = cache_place(c, inner, &v);
	else
		cache_touch(c, i);
	set_ready(c, i, sectors & ~c->valid[i], 0);
	c->dirty[i] |= written ? sectors : 0;
}

Cycle l2_access(L2 *l2, Dram *d, Cycle floor, Cycle at, AccessKind kind, const Piece *p, Totals *st,
	bool *from_dram)
{
	uint64_t inner, slice = slice_of(l2, p->line, &inner);
	L2Slice *s = &l2->slice[slice];
	Cache *c = &s->cache;
	unsigned n = count_bits(p->sectors);
	uint64_t bytes = n * l2->sector;
	if (kind == ACC_ATOMIC)
		bytes = later(bytes, p->conflict * l2->atomic);
	at = timeline_book(&s->pipe, floor, at, l2->width, bytes) + l2->latency;
	int64_t i = cache_find(c, inner);
	if (i < 0) {
		Victim v;
		i = cache_place(c, inner, &v);
		at = write_back(l2, d, floor, at, slice, v, st);
	} else {
		cache_touch(c, i);
	}
	uint32_t present = p->sectors & c->valid[i], rest = p->sectors & ~present;
	uint32_t whole = kind == ACC_STORE ? rest & p->full : 0, missing = rest & ~whole;
	Cycle reply = at;
	if (kind != ACC_STORE)
		for (uint32_t m = present; m; m &= m - 1)
			reply = later(reply, c->ready[i * c->sectors + __builtin_ctz(m)]);
	if (missing) {
		Cycle fill = fetch(l2, d, s, floor, &at, i, p, missing, st);
		set_ready(c, i, missing, fill);
		reply = later(reply, kind == ACC_STORE ? at : fill);
	}
	if (whole)
		set_ready(c, i, whole, at);
	if (kind != ACC_LOAD) {
		st->l2_dirtied += count_bits(p->sectors & ~c->dirty[i]);
		c->dirty[i] |= p->sectors;
	}
	count_l2_request(n, present, missing, whole, st);
	*from_dram = reply > at;
	return reply;
}

