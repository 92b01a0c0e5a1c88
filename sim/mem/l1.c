/* L1: loads look up each line, one line a cycle. A sector that is missing is asked of L2 once: an MSHR
 * collects the accesses that want it meanwhile. Lines enter the tags when their data arrive; stores neither
 * allocate nor invalidate. */
#include "sim/mem/internal.h"

void l1_fill(SmMem *s, uint32_t id)
{
	int entry = (int)(id / MAX_SECTORS);
	Mshr *e = &s->mshr.entry[entry];
	uint32_t sectors = e->together[id % MAX_SECTORS];
	int64_t i = cache_find(&s->l1, e->line);
	if (i < 0) {
		Victim clean;
		i = cache_place(&s->l1, e->line, &clean);
	}
	s->l1.valid[i] |= sectors;
	e->pending &= ~sectors;
	if (!e->pending)
		mshr_drop(&s->mshr, entry);
}

Cycle l1_when_filled(const SmMem *s, const Mshr *e)
{
	Cycle at = 0;
	for (uint32_t m = e->pending; m; m &= m - 1) {
		Cycle fill = e->fill[__builtin_ctz(m)];
		at = later(at, fill & UNKNOWN ? s->queue.v[fill & ~UNKNOWN].at + s->trip : fill);
	}
	return at;
}

Cycle l1_when_mergeable(const SmMem *s, Cycle now, uint64_t line)
{
	int i = mshr_find(&s->mshr, line);
	if (i < 0 || s->mshr.entry[i].collected < s->c->l1_merge)
		return now;
	return later(l1_when_filled(s, &s->mshr.entry[i]), now + 1);
}

/* Looks each line of the access up, in the tags and the MSHRs. False: too few MSHRs are free, or one has
   collected as many accesses as it may (smmem_lacks). */
static bool look_up_l1(SmMem *s)
{
	int fresh = 0, used = s->mshr.used;
	for (int k = 0; k < s->co.n; k++) {
		const Piece *p = &s->co.piece[k];
		L1Look *l = &s->look[k];
		*l = (L1Look){ .tag = cache_find(&s->l1, p->line), .entry = -1 };
		if (l->tag >= 0)
			l->hit = p->sectors & s->l1.valid[l->tag];
		uint32_t rest = p->sectors & ~l->hit;
		if (!rest)
			continue;
		l->entry = mshr_find(&s->mshr, p->line);
		if (l->entry >= 0) {
			const Mshr *e = &s->mshr.entry[l->entry];
			if (e->collected >= s->c->l1_merge)
				return smmem_lacks(s, (Lack){ .what = LACKS_MERGE, .line = p->line });
			l->merge = rest & e->pending;
		} else {
			fresh++;
		}
		l->miss = rest & ~l->merge;
	}
	if (!fresh || !used || used + fresh <= s->mshr.limit)
		return true;
	return smmem_lacks(s, (Lack){ .what = LACKS_MSHRS, .need = fresh });
}

/* Returns the mask of the sectors of L2 that cover these sectors of L1. */
static uint32_t widen_sectors(const SmMem *s, uint32_t sectors)
{
	unsigned n = 1u << (s->l1_sector_shift - s->l2_sector_shift);
	uint32_t wide = 0;
	if (n == 1)
		return sectors;
	for (uint32_t m = sectors; m; m &= m - 1)
		wide |= ((1u << n) - 1) << (unsigned)__builtin_ctz(m) * n;
	return wide;
}

/* Queues a request to L2 for the sectors that line k misses, and returns its index. after: the request that
   must be done before, or -1. */
static int send_miss(SmMem *s, Cycle now, int k, int32_t after, Totals *st, MemTicket *t)
{
	const L1Look *l = &s->look[k];
	Mshr *e = &s->mshr.entry[l->entry];
	int r = smmem_push_sectors(s, now, (Request){ .at = now + (Cycle)k, .kind = ACC_LOAD,
		.owner = OWNER_L1,
		.returns = true, .after = after, .target = (uint64_t)l->entry, .target_sectors = l->miss,
		.stats = st },
		s->co.piece[k].line << s->l1_shift, widen_sectors(s, l->miss));
	for (uint32_t m = l->miss; m; m &= m - 1)
		e->fill[__builtin_ctz(m)] = UNKNOWN + (Cycle)r;
	e->pending |= l->miss;
	smmem_wait(s, t, r);
	return r;
}

static void count_look(const L1Look *l, Totals *st)
{
	unsigned hits = count_bits(l->hit), merges = count_bits(l->merge);
	unsigned misses = count_bits(l->miss);
	st->l1_hits += hits;
	st->l1_merges += merges;
	st->l1_misses += misses;
	st->l1_accesses += hits + merges + misses;
	st->transactions += hits + merges + misses;
}

static void wait_for_merged(SmMem *s, const L1Look *l, MemTicket *t)
{
	const Mshr *e = &s->mshr.entry[l->entry];
	Cycle seen = 0;
	for (uint32_t m = l->merge; m; m &= m - 1) {
		int k = __builtin_ctz(m);
		if (e->fill[k] != seen)
			smmem_wait_until(s, t, seen = e->fill[k], e->level[k]);
	}
}

/* The lanes all of whose bytes are in L1. */
static uint64_t lanes_that_hit(const SmMem *s, const Access *a, uint64_t base)
{
	uint64_t lanes = 0;
	for (uint64_t m = a->mask; m; m &= m - 1) {
		uint64_t from = access_address(a, __builtin_ctzll(m)) + base, last = from + a->bytes - 1;
		bool hit = true;
		for (uint64_t sector = from >> s->l1_sector_shift; sector <= last >> s->l1_sector_shift;
			sector++) {
			uint64_t line = sector << s->l1_sector_shift >> s->l1_shift;
			unsigned bit = (unsigned)(sector & ((1u << (s->l1_shift - s->l1_sector_shift)) - 1));
			int k = 0;
			while (s->co.piece[k].line != line)
				k++;
			hit &= s->look[k].hit >> bit & 1;
		}
		lanes |= (uint64_t)hit << __builtin_ctzll(m);
	}
	return lanes;
}

bool l1_load(SmMem *s, Cycle now, const Access *a, uint64_t base, Totals *st, MemTicket *t)
{
	/* indices of the requests; more than `limit` only when all entries were free */
	int32_t entered[MAX_PIECES];
	int n = 0;
	coalesce(a, base, s->l1_shift, s->l1_sector_shift, &s->co);
	if (!look_up_l1(s))
		return false;
	if (a->hits)
		*a->hits = lanes_that_hit(s, a, base);
	t->pipe_free = now + (Cycle)s->co.n;
	t->ready = t->hits = t->pipe_free - 1 + (Cycle)s->c->l1_latency;
	t->level = LEVEL_L1;
	for (int k = 0; k < s->co.n; k++) {
		L1Look *l = &s->look[k];
		count_look(l, st);
		if (l->hit)
			cache_touch(&s->l1, l->tag);
		if (!(l->merge | l->miss))
			continue;
		if (l->entry < 0)
			l->entry = mshr_take(&s->mshr, s->co.piece[k].line);
		s->mshr.entry[l->entry].collected++;
		wait_for_merged(s, l, t);
		if (l->miss) {
			entered[n] = send_miss(s, now, k, n >= s->mshr.limit ? entered[n - s->mshr.limit]
				: -1, st, t);
			n++;
		}
	}
	return true;
}
