/* The SM's side of the memory system: what an access costs in the SM, and which requests leave it.
 *
 * Within a window of cycles requests are queued (queue); mem_drain serves them and tells when each is done. Accesses wait
 * in groups: a group counts the requests that are still unknown and keeps the latest of the known times. Requests served
 * stand in `flying` until their time has come; then an L1 line is filled, or a place becomes free. */
#include "sim/mem/internal.h"

enum { FLYING_PLACE = 1u << 30, FLYING_OTHER };    /* ids in flying; below: MSHR entry * 16 + lowest sector */
static const uint64_t LOCAL_BASE = (uint64_t)1 << 62, CODE_BASE = (uint64_t)1 << 61, MECHANISM_BASE = (uint64_t)3 << 61;

SmMem *smmem_new(const Config *c, int sm)
{
	SmMem *s = xcalloc(1, sizeof *s);
	must(!mem_refuses(c));
	s->c = *c;
	s->sm = sm;
	s->l1_shift = shift_of(c->l1_line);
	s->l1_sector_shift = shift_of(c->l1_sector);
	s->l2_shift = shift_of(c->l2_line);
	s->l2_sector_shift = shift_of(c->l2_sector);
	s->const_shift = shift_of(c->const_line);
	s->fetch_shift = shift_of(c->fetch_line);
	s->trip = (Cycle)(2 * c->icnt_latency + c->l2_latency);
	cache_init(&s->l1, c->l1_bytes, c->l1_line, c->l1_sector, c->l1_ways, false);
	cache_init(&s->constant, c->const_bytes, c->const_line, c->const_line, c->const_ways, true);
	cache_init(&s->fetch, c->fetch_bytes, c->fetch_line, c->fetch_line, c->fetch_ways, true);
	mshr_init(&s->mshr, c->l1_mshrs);
	smmem_reset(s);
	return s;
}

void smmem_reset(SmMem *s)
{
	cache_reset(&s->l1);
	cache_reset(&s->constant);
	cache_reset(&s->fetch);
	mshr_reset(&s->mshr);
	s->places = s->flying.n = s->queue.n = s->waiter.n = s->group.n = 0;
	s->free_group = -1;
	s->last = 0;
}

void smmem_free(SmMem *s)
{
	if (!s)
		return;
	cache_free(&s->l1);
	cache_free(&s->constant);
	cache_free(&s->fetch);
	mshr_free(&s->mshr);
	free(s->flying.v);
	vec_free(&s->queue);
	vec_free(&s->waiter);
	vec_free(&s->group);
	free(s);
}

/* ---- what time brings ---- */
static void fill_l1(SmMem *s, uint32_t id)
{
	int entry = (int)(id / 16);
	Mshr *e = &s->mshr.entry[entry];
	uint32_t sectors = e->together[id % 16];
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

static inline void expire(SmMem *s, Cycle now)
{
	while (s->flying.n && s->flying.v[0].at <= now) {
		uint32_t id = heap_pop(&s->flying).id;
		if (id < FLYING_PLACE)
			fill_l1(s, id);
		else if (id == FLYING_PLACE)
			s->places--;
	}
}

/* The next cycle in which something may have become free. */
static Cycle next_try(const SmMem *s, Cycle now)
{
	Cycle at = s->flying.n ? s->flying.v[0].at : UNKNOWN;
	if (s->queue.n && s->queue.v[0].cycle + s->trip < at)
		at = s->queue.v[0].cycle + s->trip;
	return later(at, now + 1);
}

/* ---- requests and who waits for them ---- */
static int push_request(SmMem *s, Cycle now, Request r)
{
	s->last = later(s->last, now);
	r.cycle = s->last;
	r.waiter = -1;
	vec_push(&s->queue, r);
	return s->queue.n - 1;
}

static void wait_for(SmMem *s, MemTicket *t, int request)
{
	if (!t->npending) {
		if (s->free_group >= 0) {
			t->pending = (uint32_t)s->free_group;
			s->free_group = s->group.v[t->pending].next;
		} else {
			vec_push(&s->group, (Group){ 0 });
			t->pending = (uint32_t)s->group.n - 1;
		}
		s->group.v[t->pending] = (Group){ 0, 0, -1 };
		t->npending = 1;
	}
	s->group.v[t->pending].left++;
	Waiter w = { t->pending, s->queue.v[request].waiter };
	s->queue.v[request].waiter = s->waiter.n;
	vec_push(&s->waiter, w);
}

/* Something that arrives at `when`, or is still UNKNOWN. */
static void wait_until(SmMem *s, MemTicket *t, Cycle when)
{
	if (when & UNKNOWN)
		wait_for(s, t, (int)(when & ~UNKNOWN));
	else
		t->ready = later(t->ready, when);
}

void smmem_served(SmMem *s, int request, Cycle done)
{
	Request *r = &s->queue.v[request];
	r->done = done;
	for (int32_t i = r->waiter; i >= 0; i = s->waiter.v[i].next) {
		Group *g = &s->group.v[s->waiter.v[i].group];
		g->ready = later(g->ready, done);
		g->left--;
	}
	uint32_t id = r->owner == OWNER_PLACE ? FLYING_PLACE : FLYING_OTHER;
	if (r->owner == OWNER_L1) {
		Mshr *e = &s->mshr.entry[r->target];
		int lowest = __builtin_ctz(r->target_sectors);
		for (uint32_t m = r->target_sectors; m; m &= m - 1)
			e->fill[__builtin_ctz(m)] = done;
		e->together[lowest] = r->target_sectors;
		id = (uint32_t)(r->target * 16) + (uint32_t)lowest;
	} else if (r->owner == OWNER_CONST || r->owner == OWNER_FETCH) {
		Cache *c = r->owner == OWNER_CONST ? &s->constant : &s->fetch;
		int64_t i = cache_find(c, r->target);
		if (i >= 0)
			c->ready[i] = c->ready[i] & UNKNOWN ? done : later(c->ready[i], done);
	}
	heap_push(&s->flying, done, id);
}

void smmem_drained(SmMem *s)
{
	s->queue.n = s->waiter.n = 0;
}

Cycle smmem_resolve(SmMem *s, MemTicket *t)
{
	if (t->npending) {
		Group *g = &s->group.v[t->pending];
		must(!g->left);
		t->ready = later(t->ready, g->ready);
		g->next = s->free_group;
		s->free_group = (int32_t)t->pending;
		t->npending = 0;
	}
	return t->ready;
}

bool smmem_queued(const SmMem *s)
{
	return s->queue.n > 0;
}

int smmem_outstanding(const SmMem *s, Cycle now)
{
	int n = s->queue.n;
	for (int i = 0; i < s->flying.n; i++)
		n += s->flying.v[i].at > now;
	return n;
}

/* ---- loads through L1 ---- */
/* What each line finds. False when there is no room for what it lacks. */
static bool look_up(SmMem *s)
{
	int fresh = 0;
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
			if (e->collected >= s->c.l1_merge)
				return false;
			l->merge = rest & e->pending;
		} else {
			fresh++;
		}
		l->miss = rest & ~l->merge;
	}
	return !fresh || !s->mshr.used || s->mshr.used + fresh <= s->mshr.limit;
}

/* The sectors of L2 that cover sectors of L1. */
static uint32_t widen(const SmMem *s, uint32_t sectors)
{
	unsigned n = 1u << (s->l1_sector_shift - s->l2_sector_shift);
	uint32_t wide = 0;
	if (n == 1)
		return sectors;
	for (uint32_t m = sectors; m; m &= m - 1)
		wide |= ((1u << n) - 1) << (unsigned)__builtin_ctz(m) * n;
	return wide;
}

/* The sectors that line k misses leave for L2. after: the request that must be done before, or -1. */
static int send_miss(SmMem *s, Cycle now, int k, int32_t after, MemTicket *t)
{
	const L1Look *l = &s->look[k];
	Mshr *e = &s->mshr.entry[l->entry];
	int r = push_request(s, now, (Request){ .at = now + (Cycle)k, .addr = s->co.piece[k].line << s->l1_shift,
		.sectors = widen(s, l->miss), .kind = ACC_LOAD, .owner = OWNER_L1, .returns = true, .after = after,
		.target = (uint64_t)l->entry, .target_sectors = l->miss });
	for (uint32_t m = l->miss; m; m &= m - 1)
		e->fill[__builtin_ctz(m)] = UNKNOWN + (Cycle)r;
	e->pending |= l->miss;
	wait_for(s, t, r);
	return r;
}

static void count_look(const L1Look *l, LaunchStats *st)
{
	unsigned hits = (unsigned)__builtin_popcount(l->hit), merges = (unsigned)__builtin_popcount(l->merge);
	unsigned misses = (unsigned)__builtin_popcount(l->miss);
	st->l1_hits += hits;
	st->l1_merges += merges;
	st->l1_misses += misses;
	st->l1_accesses += hits + merges + misses;
	st->transactions += hits + merges + misses;
}

static void wait_for_merged(SmMem *s, const L1Look *l, MemTicket *t)
{
	Cycle seen = 0;
	for (uint32_t m = l->merge; m; m &= m - 1) {
		Cycle when = s->mshr.entry[l->entry].fill[__builtin_ctz(m)];
		if (when != seen)
			wait_until(s, t, seen = when);
	}
}

static bool load_l1(SmMem *s, Cycle now, const Access *a, uint64_t base, LaunchStats *st, MemTicket *t, Cycle *retry)
{
	int32_t entered[MAX_PIECES];    /* the requests of lines that took an entry */
	int n = 0;
	coalesce(a, base, s->l1_shift, s->l1_sector_shift, &s->co);
	if (!look_up(s)) {
		*retry = next_try(s, now);
		return false;
	}
	t->pipe_free = now + (Cycle)s->co.n;
	t->ready = t->pipe_free - 1 + (Cycle)s->c.l1_latency;
	for (int k = 0; k < s->co.n; k++) {
		L1Look *l = &s->look[k];
		count_look(l, st);
		if (l->hit)
			cache_touch(&s->l1, l->tag);
		if (!(l->merge | l->miss))
			continue;
		bool fresh = l->entry < 0;
		if (fresh)
			l->entry = mshr_take(&s->mshr, s->co.piece[k].line);
		s->mshr.entry[l->entry].collected++;
		wait_for_merged(s, l, t);
		if (!l->miss)
			continue;
		int r = send_miss(s, now, k, fresh && n >= s->mshr.limit ? entered[n - s->mshr.limit] : -1, t);
		if (fresh)
			entered[n++] = r;
	}
	return true;
}

/* ---- stores, atomics, loads past L1 ---- */
static bool send_past(SmMem *s, Cycle now, const Access *a, uint64_t base, LaunchStats *st, MemTicket *t, Cycle *retry)
{
	int limit = (int)s->c.l1_queue;
	bool returns = a->kind == ACC_LOAD || (a->kind == ACC_ATOMIC && a->returns);
	uint64_t *counter = a->kind == ACC_LOAD ? &st->l1_bypasses : a->kind == ACC_STORE ? &st->l1_writes : &st->l1_atomics;
	coalesce(a, base, s->l2_shift, s->l2_sector_shift, &s->co);
	if (s->places && s->places + s->co.n > limit) {
		*retry = next_try(s, now);
		return false;
	}
	for (int k = 0; k < s->co.n; k++) {
		const Piece *p = &s->co.piece[k];
		int r = push_request(s, now, (Request){ .at = now + (Cycle)k, .addr = p->line << s->l2_shift,
			.sectors = p->sectors, .full = p->full, .conflict = p->conflict, .kind = (uint8_t)a->kind,
			.owner = OWNER_PLACE, .returns = returns, .after = k >= limit ? s->queue.n - limit : -1 });
		if (returns)
			wait_for(s, t, r);
		uint64_t sectors = (uint64_t)__builtin_popcount(p->sectors);
		*counter += sectors;
		st->transactions += sectors;
	}
	s->places += s->co.n;
	t->ready = t->pipe_free = now + (Cycle)s->co.n;
	return true;
}

/* ---- the other paths ---- */
static void use_shared(SmMem *s, Cycle now, const Access *a, LaunchStats *st, MemTicket *t)
{
	unsigned extra, cycles = shared_cycles(a, (unsigned)s->c.shared_banks, (unsigned)s->c.shared_bank_bytes, &extra);
	st->shared_conflicts += extra;
	t->pipe_free = now + cycles;
	t->ready = a->kind == ACC_STORE ? t->pipe_free : now + (Cycle)s->c.shared_latency + cycles - 1;
}

/* The line's arrival in the constant or instruction cache; *missed: a request was queued. */
static Cycle look_read_only(SmMem *s, Cache *c, Cycle now, Cycle at, Owner owner, uint64_t line, LaunchStats *st,
	bool *missed)
{
	int64_t i = cache_find(c, line);
	*missed = i < 0;
	if (i >= 0) {
		cache_touch(c, i);
		return c->ready[i];
	}
	Victim clean;
	unsigned shift = owner == OWNER_FETCH ? s->fetch_shift : s->const_shift;
	unsigned n = shift > s->l2_sector_shift ? 1u << (shift - s->l2_sector_shift) : 1;
	uint64_t addr = (line << shift) + (owner == OWNER_FETCH ? CODE_BASE : 0);
	i = cache_place(c, line, &clean);
	c->valid[i] = 1;
	st->l1_other += n;
	return c->ready[i] = UNKNOWN + (Cycle)push_request(s, now, (Request){ .at = at,
		.addr = addr >> s->l2_sector_shift << s->l2_sector_shift, .sectors = (uint32_t)(((uint64_t)1 << n) - 1),
		.kind = ACC_LOAD, .owner = (uint8_t)owner, .returns = true, .after = -1, .target = line });
}

static void load_constant(SmMem *s, Cycle now, const Access *a, LaunchStats *st, MemTicket *t)
{
	uint64_t address[64];
	uint32_t lanes[64];
	int n = distinct_addresses(a, address, lanes);
	must(a->kind == ACC_LOAD);
	t->pipe_free = now + (Cycle)n;
	t->ready = now + (Cycle)(s->c.const_latency + n - 1);
	for (int k = 0; k < n && s->constant.sets; k++)
		for (uint64_t line = address[k] >> s->const_shift; line <= (address[k] + a->bytes - 1) >> s->const_shift; line++) {
			bool missed;
			wait_until(s, t, look_read_only(s, &s->constant, now, now + (Cycle)k, OWNER_CONST, line, st, &missed));
			st->constant_misses += missed;
		}
}

bool smmem_access(SmMem *s, Cycle now, const Access *a, LaunchStats *st, MemTicket *t, Cycle *retry)
{
	expire(s, now);
	t->npending = 0;
	t->ready = now;
	t->pipe_free = now + 1;
	if (!a->mask)
		return true;
	must(a->bytes >= 1 && a->bytes <= 32);
	if (a->space == SP_SHARED) {
		use_shared(s, now, a, st, t);
		return true;
	}
	if (a->space == SP_CONST || a->space == SP_PARAM) {
		load_constant(s, now, a, st, t);
		return true;
	}
	uint64_t base = a->space == SP_LOCAL ? LOCAL_BASE + ((uint64_t)s->sm << 48) : 0;
	bool cached = s->l1.sets && !a->bypass_l1 && (a->space == SP_LOCAL || s->c.l1_global);
	return a->kind == ACC_LOAD && cached ? load_l1(s, now, a, base, st, t, retry)
		: send_past(s, now, a, base, st, t, retry);
}

bool smmem_fetch(SmMem *s, Cycle now, uint64_t pc, LaunchStats *st, MemTicket *t)
{
	if (!s->fetch.sets)
		return false;
	expire(s, now);
	bool missed;
	Cycle ready = look_read_only(s, &s->fetch, now, now, OWNER_FETCH, pc >> s->fetch_shift, st, &missed);
	if (ready <= now)
		return false;
	st->fetch_misses += missed;
	t->npending = 0;
	t->ready = t->pipe_free = now;
	wait_until(s, t, ready);
	return true;
}

void smmem_mechanism(SmMem *s, Cycle now, uint64_t addr, unsigned bytes, bool store, LaunchStats *st, MemTicket *t)
{
	expire(s, now);
	t->npending = 0;
	t->ready = now;
	addr += MECHANISM_BASE + ((uint64_t)s->sm << 48);
	uint64_t end = addr + bytes, size = (uint64_t)1 << s->l2_sector_shift, line = (uint64_t)1 << s->l2_shift;
	Cycle at = now;
	for (uint64_t next; addr < end; addr = next, at++) {
		uint64_t start = addr & ~(line - 1);
		next = start + line < end ? start + line : end;
		unsigned first = (unsigned)((addr - start) / size), last = (unsigned)((next - 1 - start) / size);
		uint32_t sectors = (2u << last) - (1u << first), full = sectors;
		if ((addr - start) % size)
			full &= ~(1u << first);
		if ((next - start) % size)
			full &= ~(1u << last);
		int r = push_request(s, now, (Request){ .at = at, .addr = start, .sectors = sectors, .full = full,
			.kind = store ? ACC_STORE : ACC_LOAD, .owner = OWNER_OTHER, .returns = !store, .after = -1 });
		st->l1_other += (uint64_t)__builtin_popcount(sectors);
		if (!store)
			wait_for(s, t, r);
	}
	t->pipe_free = store ? at : now + 1;
	t->ready = later(t->ready, store ? at : now);
}
