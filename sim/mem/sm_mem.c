/* The SM's side of the memory system: what an access costs in the SM, and which requests leave it.
 *
 * Within a window of cycles requests are queued (queue); mem_drain serves them and tells when each is done.
 * Accesses wait in groups: a group counts the requests that are still unknown and keeps the latest of the
 * known times. Requests served stand in `leaving`, if they have places, or in `flying` until their time has
 * come; then the places become free, or a line of L1 is filled. */
#include "sim/mem/internal.h"

/* id in `flying` of a request that fills no line of L1; lower ids are MSHR entry * MAX_SECTORS + lowest
   sector */
enum { FLYING_OTHER = 1u << 30 };
static const uint64_t LOCAL_BASE = (uint64_t)1 << 62, CODE_BASE = (uint64_t)1 << 61,
	MECHANISM_BASE = (uint64_t)3 << 61;

SmMem *smmem_new(const Config *c, int sm)
{
	SmMem *s = xcalloc(1, sizeof *s);
	must(!config_memory_refused(c));
	s->c = c;
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
	s->free_group = -1;
	s->drain = 1;
	return s;
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
	free(s->leaving.far.v);
	vec_free(&s->queue);
	vec_free(&s->part);
	vec_free(&s->arrives);
	vec_free(&s->from_dram);
	vec_free(&s->waiter);
	vec_free(&s->group);
	vec_free(&s->times);
	vec_free(&s->outstanding);
	free(s);
}

/* ---- what time brings ---- */
static inline void expire_flying(SmMem *s, Cycle now)
{
	if (s->leaving.n)
		s->places -= tally_expire(&s->leaving, now);
	else
		s->leaving.from = later(s->leaving.from, now + 1);
	while (s->flying.n && s->flying.v[0].at <= now) {
		uint32_t id = stamp_pop(&s->flying).id;
		if (id != FLYING_OTHER)
			l1_fill(s, id);
	}
}

void smmem_launch(SmMem *s, Cycle begin)
{
	expire_flying(s, begin);
	cache_reset(&s->l1);
	cache_reset(&s->constant);
}

void smmem_forget(SmMem *s, Cycle now)
{
	expire_flying(s, now);
	cache_drop_below(&s->l1, LOCAL_BASE >> s->l1_shift);
}

void smmem_flush(SmMem *s) { cache_reset(&s->fetch); }

void smmem_rewind(SmMem *s)
{
	expire_flying(s, UNKNOWN - 1);
	must(!s->queue.n && !s->places);
	s->leaving.from = s->last = 0;
	vec_clear(&s->outstanding);
	cache_rewind(&s->constant);
	cache_rewind(&s->fetch);
}

/* Returns the k-th smallest, k from 0, of n > k values; reorders the values. */
static Cycle select_nth(Cycle *v, int n, int k)
{
	for (int i = 1; !k && i < n; i++)
		if (v[i] < v[0])
			v[0] = v[i];
	if (!k)
		return v[0];
	for (int low = 0, high = n - 1; low < high;) {
		Cycle pivot = v[(low + high) / 2];
		int i = low, j = high;
		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				Cycle t = v[i];
				v[i++] = v[j];
				v[j--] = t;
			}
		}
		if (k > j && k < i)
			break;
		if (k <= j)
			high = j;
		else
			low = i;
	}
	return v[k];
}

/* Adds to s->times, for each MSHR that waits, the first cycle in which all its sectors may be there, so that
   it becomes free. */
static void list_fills(SmMem *s)
{
	for (int i = 0; i < s->mshr.made; i++)
		if (s->mshr.entry[i].pending)
			vec_push(&s->times, l1_when_filled(s, &s->mshr.entry[i]));
}

/* Writes to s->times when places may become free: at least the `need` earliest of those whose request was
   served, and all whose request is queued. */
static void list_places(SmMem *s, int need)
{
	vec_reserve(&s->times, s->leaving.n);
	s->times.n = tally_least(&s->leaving, need, s->times.v);
	for (int i = 0; i < s->queue.n; i++) {
		const Request *r = &s->queue.v[i];
		for (int k = 0; r->owner == OWNER_PLACE && k < r->nparts; k++)
			vec_push(&s->times, r->at + (Cycle)k * r->step + s->trip);
	}
}

/* The first cycle after now in which `need` MSHRs, or places, more than now can be free. Requests not yet
   served take at least the trip. */
static Cycle when_free(SmMem *s, Cycle now, bool place, int need)
{
	Cycle served = place ? tally_kth(&s->leaving, need) : ~(Cycle)0;
	/* no request in the queue is done before this cycle */
	Cycle queued = s->queue.n ? s->queue.v[0].cycle + s->trip : ~(Cycle)0;
	if (served <= queued && served != ~(Cycle)0)
		return later(served, now + 1);
	vec_clear(&s->times);
	if (place)
		list_places(s, need);
	else
		list_fills(s);
	must(s->times.n);
	return later(select_nth(s->times.v, s->times.n, (need < s->times.n ? need : s->times.n) - 1),
		now + 1);
}

bool smmem_lacks(SmMem *s, Lack r)
{
	s->lack = r;
	return false;
}

Cycle smmem_retry(SmMem *s, Cycle now)
{
	const Lack *r = &s->lack;
	expire_flying(s, now);
	if (r->what == LACKS_MERGE)
		return l1_when_mergeable(s, now, r->line);
	int used = r->what == LACKS_PLACES ? s->places : s->mshr.used;
	int limit = r->what == LACKS_PLACES ? (int)s->c->l1_queue : s->mshr.limit;
	if (!used || used + r->need <= limit)
		return now;
	return when_free(s, now, r->what == LACKS_PLACES, r->need > limit ? used : used + r->need - limit);
}

/* ---- requests and who waits for them ---- */
int smmem_push(SmMem *s, Cycle now, Request r, const Piece *part)
{
	s->last = later(s->last, now);
	r.cycle = s->last;
	r.waiter = -1;
	r.part = s->part.n;
	s->chained |= r.after >= 0;
	if (r.kind != ACC_LOAD)
		r.ordered = s->making;
	must(r.nparts <= MAX_PIECES);
	vec_reserve(&s->part, s->part.n + r.nparts);
	memcpy(s->part.v + s->part.n, part, (size_t)r.nparts * sizeof *part);
	s->part.n += r.nparts;
	vec_push(&s->queue, r);
	return s->queue.n - 1;
}

int smmem_push_sectors(SmMem *s, Cycle now, Request r, uint64_t addr, uint32_t sectors)
{
	Piece part[MAX_PIECES];
	unsigned n = 1u << (s->l2_shift - s->l2_sector_shift),
		skip = (unsigned)(addr >> s->l2_sector_shift) & (n - 1);
	uint64_t line = addr >> s->l2_shift, all = (uint64_t)sectors << skip;
	for (; all; line++, all >>= n)
		if (all & (((uint64_t)1 << n) - 1))
			part[r.nparts++] = (Piece){ .line = line,
				.sectors = (uint32_t)(all & (((uint64_t)1 << n) - 1)) };
	return smmem_push(s, now, r, part);
}

void smmem_wait(SmMem *s, MemTicket *t, int request)
{
	if (!t->npending) {
		if (s->free_group >= 0) {
			t->pending = (uint32_t)s->free_group;
			s->free_group = s->group.v[t->pending].next;
		} else {
			vec_push(&s->group, (RequestGroup){ 0 });
			t->pending = (uint32_t)s->group.n - 1;
		}
		s->group.v[t->pending] = (RequestGroup){ .next = -1, .ordered = s->making };
		t->npending = 1;
	}
	s->group.v[t->pending].left++;
	Waiter w = { t->pending, s->queue.v[request].waiter };
	s->queue.v[request].waiter = s->waiter.n;
	vec_push(&s->waiter, w);
}

void smmem_wait_until(SmMem *s, MemTicket *t, Cycle when, MemoryLevel level)
{
	if (when & UNKNOWN) {
		smmem_wait(s, t, (int)(when & ~UNKNOWN));
		return;
	}
	t->level = last_level(t->ready, t->level, when, level);
	t->ready = later(t->ready, when);
}

/* The level that serves the part of the request which is done last. */
static uint8_t level_of_request(const Request *r, const Cycle *done, const bool *from_dram)
{
	bool dram = false;
	for (int k = 0; k < r->nparts; k++)
		dram |= from_dram[k] && done[k] == r->done;
	return r->owner == OWNER_CONST ? LEVEL_CONSTANT : r->kind == ACC_ATOMIC ? LEVEL_ATOMIC
		: dram ? LEVEL_DRAM : LEVEL_L2;
}

void smmem_served(SmMem *s, int request, const Cycle *done, const bool *from_dram)
{
	Request *r = &s->queue.v[request];
	r->done = r->owner == OWNER_FENCE ? fence_done(s, r) : 0;
	for (int k = 0; k < r->nparts; k++)
		r->done = later(r->done, done[k]);
	r->level = level_of_request(r, done, from_dram);
	for (int32_t i = r->waiter; i >= 0; i = s->waiter.v[i].next) {
		RequestGroup *g = &s->group.v[s->waiter.v[i].group];
		g->level = last_level(g->ready, g->level, r->done, r->level);
		g->ready = later(g->ready, r->done);
		g->left--;
		fence_note_served(s, g->ordered, r->done);
	}
	if (r->owner == OWNER_FENCE)
		return;
	fence_note_served(s, r->ordered, r->done);
	uint32_t id = FLYING_OTHER;
	if (r->owner == OWNER_PLACE) {
		for (int k = 0; k < r->nparts; k++)
			tally_add(&s->leaving, done[k]);
		return;
	}
	if (r->owner == OWNER_L1) {
		Mshr *e = &s->mshr.entry[r->target];
		int lowest = __builtin_ctz(r->target_sectors);
		for (uint32_t m = r->target_sectors; m; m &= m - 1)
			e->fill[__builtin_ctz(m)] = r->done, e->level[__builtin_ctz(m)] = r->level;
		e->together[lowest] = r->target_sectors;
		id = (uint32_t)(r->target * MAX_SECTORS) + (uint32_t)lowest;
	} else if (r->owner == OWNER_CONST || r->owner == OWNER_FETCH) {
		Cache *c = r->owner == OWNER_CONST ? &s->constant : &s->fetch;
		int64_t i = cache_find(c, r->target);
		if (i >= 0)
			c->ready[i] = r->done;
	}
	stamp_push(&s->flying, r->done, id);
}

void smmem_drained(SmMem *s)
{
	s->queue.n = s->part.n = s->waiter.n = 0;
	s->chained = false;
	s->drain++;
}

Cycle smmem_resolve(SmMem *s, MemTicket *t)
{
	if (t->npending) {
		RequestGroup *g = &s->group.v[t->pending];
		must(!g->left);
		t->level = last_level(t->ready, t->level, g->ready, g->level);
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
	int n = s->part.n, leaving = s->leaving.n;
	Cycle *at = xcalloc((size_t)leaving + 1, sizeof *at);
	for (int i = 0; i < s->flying.n; i++)
		n += s->flying.v[i].at > now;
	tally_least(&s->leaving, leaving, at);
	for (int i = 0; i < leaving; i++)
		n += at[i] > now;
	free(at);
	return n;
}

/* ---- stores, atomics, loads past L1 ---- */

/* Queues the pieces of the access: as one request, or, if there are more than `limit`, each as a request of
   its own, because some must wait for others of the same access. */
static void push_pieces(SmMem *s, Cycle now, const Access *a, bool returns, Totals *st, MemTicket *t)
{
	int limit = (int)s->c->l1_queue, n = s->co.n, each = n > limit ? 1 : n;
	for (int k = 0; k < n; k += each) {
		int r = smmem_push(s, now, (Request){ .at = now + (Cycle)k, .nparts = each, .step = 1,
			.kind = (uint8_t)a->kind,
			.owner = OWNER_PLACE, .returns = returns,
			.after = k >= limit ? s->queue.n - limit : -1,
			.stats = st }, &s->co.piece[k]);
		if (returns)
			smmem_wait(s, t, r);
	}
}

static bool send_past(SmMem *s, Cycle now, const Access *a, uint64_t base, Totals *st, MemTicket *t)
{
	int limit = (int)s->c->l1_queue;
	bool returns = a->kind == ACC_LOAD || (a->kind == ACC_ATOMIC && a->returns);
	uint64_t *counter = a->kind == ACC_LOAD ? &st->l1_bypasses : a->kind == ACC_STORE ? &st->l1_writes
		: &st->l1_atomics;
	uint64_t sectors = 0;
	coalesce(a, base, s->l2_shift, s->l2_sector_shift, &s->co);
	if (!a->forced && s->places && s->places + s->co.n > limit)
		return smmem_lacks(s, (Lack){ .what = LACKS_PLACES, .need = s->co.n });
	push_pieces(s, now, a, returns, st, t);
	for (int k = 0; k < s->co.n; k++)
		sectors += count_bits(s->co.piece[k].sectors);
	*counter += sectors;
	t->level = a->kind == ACC_ATOMIC ? LEVEL_ATOMIC : LEVEL_L2;
	st->transactions += sectors;
	s->places += s->co.n;
	t->ready = t->pipe_free = now + (Cycle)s->co.n;
	return true;
}

/* ---- the other paths ---- */
static void use_shared(SmMem *s, Cycle now, const Access *a, Totals *st, MemTicket *t)
{
	unsigned extra = 0, cycles = a->own_ports ? 1 : shared_cycles(a, (unsigned)s->c->shared_banks,
		(unsigned)s->c->shared_bank_bytes, &extra);
	st->shared_conflicts += extra;
	t->pipe_free = now + cycles;
	t->level = LEVEL_SHARED;
	t->ready = a->kind == ACC_STORE ? t->pipe_free : now + (Cycle)s->c->shared_latency + cycles - 1 +
		extra * (Cycle)(s->c->shared_conflict - 1);
}

/* Looks a line up in the constant or instruction cache, and returns when it has arrived there. *missed: the
   line was not there, and a request was queued. */
static Cycle look_read_only(SmMem *s, Cache *c, Cycle now, Cycle at, Owner owner, uint64_t line,
	Totals *st, bool *missed)
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
	return c->ready[i] = UNKNOWN + (Cycle)smmem_push_sectors(s, now,
		(Request){ .at = at, .kind = ACC_LOAD,
		.owner = (uint8_t)owner, .returns = true, .after = -1, .target = line, .stats = st }, addr,
		(uint32_t)(((uint64_t)1 << n) - 1));
}

static void load_constant(SmMem *s, Cycle now, const Access *a, Totals *st, MemTicket *t)
{
	uint64_t address[64];
	uint32_t lanes[64];
	int n = distinct_addresses(a, address, lanes);
	must(a->kind == ACC_LOAD);
	t->pipe_free = now + (Cycle)n;
	t->level = LEVEL_CONSTANT;
	t->ready = now + (Cycle)(s->c->const_latency + (a->own_ports ? 0 : n - 1));
	for (int k = 0; k < n && s->constant.sets; k++)
		for (uint64_t line = (address[k] + a->base) >> s->const_shift;
			line <= (address[k] + a->base + a->bytes - 1) >> s->const_shift; line++) {
			bool missed;
			smmem_wait_until(s, t, look_read_only(s, &s->constant, now,
				now + (a->own_ports ? 0 : (Cycle)k), OWNER_CONST, line, st, &missed),
				LEVEL_CONSTANT);
			st->constant_misses += missed;
		}
}

static bool try_access(SmMem *s, Cycle now, const Access *a, Totals *st, MemTicket *t)
{
	expire_flying(s, now);
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
	bool cached = s->l1.sets && !a->bypass_l1 && (a->space == SP_LOCAL || s->c->l1_global);
	if (a->kind == ACC_LOAD && cached) {
		bool accepted = l1_load(s, now, a, base, st, t);
		if (accepted || !a->forced)
			return accepted;
	}
	return send_past(s, now, a, base, st, t);
}

bool smmem_access(SmMem *s, Cycle now, const Access *a, Totals *st, MemTicket *t, Cycle *retry)
{
	s->making = a->ordered;
	bool made = try_access(s, now, a, st, t);
	if (made)
		fence_note_access(s, a, t);
	else
		*retry = smmem_retry(s, now);
	s->making.members = 0;
	return made;
}

bool smmem_fetch(SmMem *s, Cycle now, uint64_t pc, Totals *st, MemTicket *t)
{
	if (!s->fetch.sets)
		return false;
	expire_flying(s, now);
	bool missed;
	Cycle ready = look_read_only(s, &s->fetch, now, now, OWNER_FETCH, pc >> s->fetch_shift, st, &missed);
	if (ready <= now)
		return false;
	st->fetch_misses += missed;
	t->npending = 0;
	t->ready = t->pipe_free = now;
	smmem_wait_until(s, t, ready, LEVEL_CONSTANT);
	return true;
}

void smmem_mechanism(SmMem *s, Cycle now, uint64_t addr, unsigned bytes, bool store, Totals *st,
	MemTicket *t)
{
	expire_flying(s, now);
	t->npending = 0;
	t->ready = now;
	addr += MECHANISM_BASE + ((uint64_t)s->sm << 48);
	uint64_t end = addr + bytes, size = (uint64_t)1 << s->l2_sector_shift,
		line = (uint64_t)1 << s->l2_shift;
	Cycle at = now;
	for (uint64_t next; addr < end; addr = next, at++) {
		uint64_t start = addr & ~(line - 1);
		next = start + line < end ? start + line : end;
		unsigned first = (unsigned)((addr - start) / size),
			last = (unsigned)((next - 1 - start) / size);
		uint32_t sectors = (2u << last) - (1u << first), full = sectors;
		if ((addr - start) % size)
			full &= ~(1u << first);
		if ((next - start) % size)
			full &= ~(1u << last);
		Piece part = { .line = start >> s->l2_shift, .sectors = sectors, .full = full };
		int r = smmem_push(s, now, (Request){ .at = at, .nparts = 1,
			.kind = store ? ACC_STORE : ACC_LOAD,
			.owner = OWNER_OTHER, .returns = !store, .after = -1, .stats = st }, &part);
		st->l1_other += count_bits(sectors);
		if (!store)
			smmem_wait(s, t, r);
	}
	t->pipe_free = store ? at : now + 1;
	t->ready = later(t->ready, store ? at : now);
}
