/* The memory system against plain models and under random traffic; a benchmark of the host's time. */
#include "tests/sim/mem/mem_rig.h"
#include <stdio.h>
#include <time.h>

/* Random accesses against a table of bytes. */
START_TEST(coalescing_at_random)
{
	enum { SPAN = 1 << 13 };
	static const unsigned sizes[] = { 1, 2, 4, 8, 16, 32 }, line_shifts[] = { 5, 7, 8 };
	uint64_t seed = (uint64_t)_i, addr[64];
	Coalesced *co = xcalloc(1, sizeof *co);
	for (int round = 0; round < 3000; round++) {
		uint8_t touched[SPAN] = { 0 };
		unsigned line_shift = line_shifts[random_next(&seed) % 3],
			sector_shift = 4 + (unsigned)(random_next(&seed) % (line_shift - 3));
		unsigned bytes = sizes[random_next(&seed) % 6], how = random_next(&seed) % 4;
		uint64_t start = random_next(&seed) % 1024, step = random_next(&seed) % 70;
		Access a = { .kind = random_next(&seed) & 1 ? ACC_LOAD : ACC_STORE, .bytes = bytes,
			.addr = addr,
			.mask = random_next(&seed) & 3 ? UINT64_MAX >> random_next(&seed) % 64
			: random_next(&seed) | 1 };
		for (int i = 0; i < 64; i++) {
			addr[i] = how == 0 ? random_next(&seed) % (SPAN - 32) : how == 1 ? start
				: start + step * (uint64_t)i;
			for (unsigned b = 0; b < bytes && a.mask >> i & 1; b++)
				touched[addr[i] + b] = 1;
		}
		coalesce(&a, (uint64_t)1 << 40, line_shift, sector_shift, co);
		unsigned size = 1u << sector_shift, count = 0, found = 0;
		for (unsigned s = 0; s < SPAN; s += size)
			count += memchr(touched + s, 1, size) != NULL;
		for (int i = 0; i < co->n; i++)
			for (unsigned k = 0; k < 1u << (line_shift - sector_shift); k++) {
				if (!(co->piece[i].sectors >> k & 1))
					continue;
				uint64_t at = (co->piece[i].line << line_shift) - ((uint64_t)1 << 40) + k *
					size;
				ck_assert(memchr(touched + at, 1, size));
				ck_assert(a.kind == ACC_LOAD || (memchr(touched + at, 0, size) == NULL) ==
					(co->piece[i].full >> k & 1));
				found++;
			}
		ck_assert_uint_eq(found, count);
		for (int i = 1; i < co->n; i++)
			for (int j = 0; j < i; j++)
				ck_assert_uint_ne(co->piece[i].line, co->piece[j].line);
	}
	free(co);
}
END_TEST

/* An access whose addresses are given as a row is what it is with a list of them. */
START_TEST(rows_are_lists)
{
	uint64_t seed = (uint64_t)_i, addr[64];
	Coalesced *row = xcalloc(1, sizeof *row), *list = xcalloc(1, sizeof *list);
	for (int round = 0; round < 4000; round++) {
		static const unsigned steps[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 132, 256, 1024 };
		uint64_t step = random_next(&seed) % 4 ? steps[random_next(&seed) % 12]
			: random_next(&seed) % 300;
		unsigned bytes = 1u << random_next(&seed) % 6;
		uint64_t some = random_next(&seed) & random_next(&seed);
		Access a = { .kind = (AccessKind)(random_next(&seed) % 3), .bytes = bytes, .step = step,
			.first = random_next(&seed) % 512 * (random_next(&seed) % 4 ? bytes : 1),
			.mask = random_next(&seed) & 1 ? UINT64_MAX >> random_next(&seed) % 64 : some | 2,
			.shape = SHAPE_ROW };
		if (random_next(&seed) & 1)
			a.mask = a.mask & FULL ? a.mask & FULL : FULL;
		for (unsigned i = 0; i < 64; i++)
			addr[i] = a.first + step * i;
		Access b = a;
		b.aligned = !((a.first | a.step) & (bytes - 1));
		b.shape = random_next(&seed) & 1 ? SHAPE_ANY : SHAPE_APART;
		b.addr = addr;
		unsigned line_shift = 7 + (unsigned)(random_next(&seed) & 1), sector_shift = 5, extra[2];
		coalesce(&a, 1 << 20, line_shift, sector_shift, row);
		coalesce(&b, 1 << 20, line_shift, sector_shift, list);
		ck_assert_int_eq(row->n, list->n);
		for (int k = 0; k < row->n; k++) {
			ck_assert_uint_eq(row->piece[k].line, list->piece[k].line);
			ck_assert_uint_eq(row->piece[k].sectors, list->piece[k].sectors);
			ck_assert(a.kind != ACC_STORE || row->piece[k].full == list->piece[k].full);
			ck_assert(a.kind != ACC_ATOMIC || row->piece[k].conflict == list->piece[k].conflict);
		}
		unsigned banks = random_next(&seed) % 4 ? 32 : 1 + (unsigned)(random_next(&seed) % 64),
			width = random_next(&seed) & 1 ? 4 : 8;
		ck_assert_uint_eq(shared_cycles(&a, banks, width, &extra[0]),
			shared_cycles(&b, banks, width, &extra[1]));
		ck_assert_uint_eq(extra[0], extra[1]);
	}
	free(row);
	free(list);
}
END_TEST

/* ---- the pieces against plain models ---- */
/* Against a table of cycles: how many bytes of each are taken, and whether a request begins there. */
START_TEST(timeline_is_first_fit)
{
	static const unsigned rates[] = { 1, 2, 7, 32, 54, 64, 1024 };
	uint64_t seed = (uint64_t)_i;
	static struct { unsigned used; bool begun; } cycle[60000];
	unsigned rate = rates[_i % 7];
	memset(cycle, 0, sizeof cycle);
	Timeline t = { 0 };
	Cycle floor = 0;
	for (int k = 0; k < 1500; k++) {
		floor += random_next(&seed) % 8;
		Cycle from = floor + random_next(&seed) % 300, at;
		unsigned bytes = 1 + (unsigned)(random_next(&seed) % (_i % 2 ? 4 : 90) * rate *
			2 / (1 + random_next(&seed) % 4)), left = bytes;
		if (!(k % 500))
			floor += 5000;
		for (at = later(from, floor); cycle[at].used == rate || cycle[at].begun; at++)
			;
		cycle[at].begun = true;
		for (; left; at++) {
			unsigned n = rate - cycle[at].used < left ? rate - cycle[at].used : left;
			cycle[at].used += n;
			left -= n;
		}
		if (at >= floor / 64 * 64 + 64 * TIMELINE_WORDS)
			break;                                   /* beyond the ring: another test */
		ck_assert_uint_eq(timeline_book(&t, floor, later(from, floor), rate, bytes), at);
	}
}
END_TEST

START_TEST(timeline_beyond_its_ring)
{
	Timeline t = { 0 };
	Cycle end = 0;
	for (int k = 0; k < 1000; k++)                           /* saturated: in turn, at full rate */
		ck_assert_uint_eq(timeline_book(&t, 0, 0, 1, 10), end += 10);
	ck_assert_uint_eq(timeline_book(&t, 5000, 5000, 1, 3), end += 3);
	ck_assert_uint_eq(timeline_book(&t, 9990, 9990, 1, 3), end += 3);
	ck_assert_uint_eq(timeline_book(&t, 20000, 20000, 1, 3), 20003);
	ck_assert_uint_eq(timeline_book(&t, 20000, 90000, 1, 3), 90003);
	ck_assert_uint_eq(timeline_book(&t, 20000, 20000, 1, 1), 20004);
}
END_TEST

/* A backlog moves bytes / rate cycles' worth, to the byte, in the ring, behind it, and where one becomes the
   other. */
START_TEST(timeline_does_not_round)
{
	for (unsigned rate = 1; rate <= 130; rate++) {
		Timeline t = { 0 };
		for (unsigned k = 1; k <= 4000; k++) {
			Cycle floor = k < 3000 ? 0 : 128 * (k - 3000) / rate;
			Cycle end = rate < 128 ? ceil_div(128 * k, rate) : k;    /* one a cycle begins */
			ck_assert_uint_eq(timeline_book(&t, floor, floor, rate, 128), end);
		}
	}
}
END_TEST

/* In no cycle more than the rate, whatever the order of times: bytes that are done by a cycle fit before
   it. */
START_TEST(timeline_keeps_its_rate)
{
	enum { N = 3000 };
	uint64_t seed = (uint64_t)_i, end[N], bytes[N];
	unsigned rate = 20 + (unsigned)(random_next(&seed) % 100);
	Timeline t = { 0 };
	Cycle floor = 0, last = 0;
	for (int k = 0; k < N; k++) {
		floor += random_next(&seed) % 3;
		Cycle from = floor + random_next(&seed) % (k % 2 ? 50 : 4000);
		bytes[k] = 32 * (1 + random_next(&seed) % 4);
		end[k] = timeline_book(&t, floor, from, rate, bytes[k]);
		ck_assert_uint_ge(end[k], from + ceil_div(bytes[k], rate));    /* never faster than alone */
		last = later(last, end[k]);
	}
	for (Cycle at = 0; at <= last; at += 97) {
		uint64_t sum = 0;
		for (int k = 0; k < N; k++)
			sum += end[k] <= at ? bytes[k] : 0;
		ck_assert_uint_le(sum, at * rate);
	}
}
END_TEST

START_TEST(heap_sorts)
{
	uint64_t seed = 5;
	StampHeap h = { 0 };
	for (int round = 0; round < 50; round++) {
		int n = 1 + (int)(random_next(&seed) % 100);
		for (int i = 0; i < n; i++)
			stamp_push(&h, random_next(&seed) % 50, (uint32_t)(random_next(&seed) % 10));
		Stamp last = { 0, 0 };
		while (h.n) {
			Stamp s = stamp_pop(&h);
			ck_assert(s.at > last.at || (s.at == last.at && s.id >= last.id));
			last = s;
		}
	}
	free(h.v);
}
END_TEST

static int by_time(const void *a, const void *b)
{
	Cycle x = *(const Cycle *)a, y = *(const Cycle *)b;
	return (x > y) - (x < y);
}

/* Against a list; times lie near and behind the ring. */
START_TEST(tally_counts)
{
	enum { MOST = 5000 };
	uint64_t seed = (uint64_t)_i;
	Tally *t = xcalloc(1, sizeof *t);
	Cycle *list = xcalloc(MOST, sizeof *list), *got = xcalloc(MOST, sizeof *got), now = 0;
	for (int round = 0, n = 0; round < 1000; round++) {
		for (int k = (int)(random_next(&seed) % 5); k; k--) {
			Cycle at = now + 1 + (random_next(&seed) % 8 ? random_next(&seed) % 300
				: random_next(&seed) % (3 * TALLY_CYCLES));
			tally_add(t, at);
			list[n++] = at;
		}
		qsort(list, (size_t)n, sizeof *list, by_time);
		int least = (int)(random_next(&seed) % 40), most = least < n ? least : n,
			have = tally_least(t, least, got);
		ck_assert_int_le(have, n);
		ck_assert_int_ge(have, most);
		qsort(got, (size_t)have, sizeof *got, by_time);
		for (int k = 0; k < most; k++)
			ck_assert_uint_eq(got[k], list[k]);
		for (int k = 1; k <= most; k++)
			ck_assert_uint_eq(tally_kth(t, k), k <= t->n - t->far.n ? list[k - 1] : ~(Cycle)0);
		now += random_next(&seed) % 16 ? random_next(&seed) % 20
			: random_next(&seed) % (2 * TALLY_CYCLES);
		int gone = 0;
		while (gone < n && list[gone] <= now)
			gone++;
		ck_assert_int_eq(tally_expire(t, now), gone);
		n -= gone;
		memmove(list, list + gone, (size_t)n * sizeof *list);
		ck_assert_int_eq(t->n, n);
	}
	free(t->far.v);
	free(t);
	free(list);
	free(got);
}
END_TEST

/* LRU against a list, with sets that are and are not a power of two; resets between. */
START_TEST(cache_is_lru)
{
	static const int64_t shape[][2] = { { 128, 1 }, { 1024, 8 }, { 4096, 4 }, { 3 * 512, 4 }, { 100, 4 },
		{ 128 * 7, 2 } };
	int64_t bytes = shape[_i][0], ways = shape[_i][1];
	uint64_t seed = (uint64_t)_i, list[64][64];
	int n[64] = { 0 };
	Cache c;
	cache_init(&c, bytes, 128, 32, ways, false);
	ck_assert_uint_le(c.sets * c.ways * 128, (uint64_t)(bytes < 128 ? 128 : bytes));
	for (int k = 0; k < 4000; k++) {
		uint64_t line = random_next(&seed) % 60, set = line % c.sets, *l = list[set];
		int i = 0;
		if (!(random_next(&seed) % 500)) {
			cache_reset(&c);
			memset(n, 0, sizeof n);
		}
		while (i < n[set] && l[i] != line)
			i++;
		int64_t at = cache_find(&c, line);
		ck_assert_msg((at >= 0) == (i < n[set]), "access %d, line %d", k, (int)line);
		if (at >= 0) {
			cache_touch(&c, at);
		} else {
			Victim v;
			cache_place(&c, line, &v);
			bool full = n[set] == (int)c.ways;
			ck_assert_uint_eq(v.line, full ? l[n[set] - 1] : NO_LINE);
			n[set] += !full;
			i = n[set] - 1;
		}
		memmove(l + 1, l, sizeof *l * (size_t)i);
		l[0] = line;
	}
	cache_free(&c);
}
END_TEST

/* ---- random traffic ---- */
static const struct { const char *key; size_t offset; int64_t value[4]; } hostile[] = {
#define H(F, ...) { #F, offsetof(Config, F), { __VA_ARGS__ } }
	H(l1_bytes, 0, 128, 1000, 16384), H(l1_line, 32, 64, 128, 256), H(l1_ways, 1, 2, 4, 64),
		H(l1_mshrs, 1, 2, 32, 1024),
	H(l1_merge, 1, 2, 8, 8), H(l1_queue, 1, 3, 64, 64), H(l1_latency, 1, 2, 28, 28),
		H(l1_global, 0, 1, 1, 1),
	H(const_bytes, 0, 64, 100, 8192), H(const_line, 16, 32, 64, 256), H(fetch_bytes, 0, 128, 700, 8192),
	H(fetch_line, 32, 64, 128, 512), H(fetch_miss, 1, 5, 100, 100), H(icnt_latency, 0, 1, 40, 40),
	H(icnt_width, 1, 4, 32, 1024), H(l2_slices, 1, 3, 4, 7), H(l2_bytes, 1024, 1500, 65536, 524288),
	H(l2_line, 32, 64, 128, 256),
	H(l2_sector, 16, 32, 32, 32), H(l2_ways, 1, 2, 16, 64), H(l2_latency, 1, 2, 60, 60),
	H(l2_width, 1, 16, 32, 1024),
	H(l2_mshrs, 1, 2, 64, 64), H(dram_channels, 1, 3, 4, 5), H(dram_banks, 1, 3, 16, 16),
	H(dram_row, 256, 512, 2048, 2048),
	H(dram_hit, 1, 40, 40, 40), H(dram_width, 1, 8, 32, 1024), H(dram_latency, 0, 1, 100, 100),
	H(l2_atomic, 1, 2, 100, 2),
	H(l1_sector, 16, 32, 32, 256), H(l2_write_buffer, 1, 2, 64, 64),
#undef H
};

/* Config 0 is the default, 1 has the least of everything, the others are mixed at random. */
static Config hostile_config(int which)
{
	Config c = defaults();
	uint64_t seed = (uint64_t)which * 77;
	for (size_t i = 0; which && i < sizeof hostile / sizeof *hostile; i++)
		*(int64_t *)((char *)&c + hostile[i].offset) =
			hostile[i].value[which == 1 ? 0 : random_next(&seed) % 4];
	if (c.l1_sector > c.l1_line)
		c.l1_sector = c.l1_line;
	if (c.l2_sector > c.l1_sector)
		c.l2_sector = c.l1_sector;
	c.sm_count = 4;
	ck_assert_msg(!config_memory_refused(&c), "config %d: %s", which, config_memory_refused(&c));
	return c;
}

enum { SMS = 4, JOBS = 150 };
typedef struct Traffic {
	uint64_t ready[SMS][JOBS];     /* what came out: the time each job was done */
	Totals st[SMS], total;
	int refused;
} Traffic;

typedef struct Source {            /* one SM's instruction stream: the same numbers in every order of calls */
	uint64_t seed;
	int job;                       /* next one */
	bool open;                     /* job is made, not yet accepted */
	Cycle now;
	Access a;
	uint64_t addr[64];
	int kind;
	MemTicket ticket[JOBS];
	Cycle issued[JOBS], soonest[JOBS];
} Source;

static void make_job(Source *q)
{
	static const unsigned sizes[] = { 1, 2, 4, 4, 4, 8, 16, 32 };
	uint64_t r = random_next(&q->seed), span = r & 1 ? 1u << 14 : 1u << 20,
		start = random_next(&q->seed) % span, step = random_next(&q->seed) % 200;
	q->kind = (int)(r >> 8 & 15);
	unsigned bytes = sizes[r >> 16 & 7];
	q->a = (Access){ .kind = q->kind < 7 ? ACC_LOAD : q->kind < 10 ? ACC_STORE : ACC_ATOMIC,
		.returns = r >> 20 & 1,
		.space = q->kind == 0 ? SP_CONST : q->kind == 1 || q->kind == 9 ? SP_LOCAL
		: q->kind == 2 ? SP_SHARED : SP_GLOBAL,
		.bypass_l1 = !(r >> 21 & 7), .bytes = bytes,
		.mask = r >> 24 & 3 ? FULL : random_next(&q->seed) & FULL, .addr = q->addr };
	if (q->a.kind == ACC_ATOMIC && q->kind > 11)
		q->a.kind = ACC_LOAD;
	for (int i = 0; i < LANES; i++) {
		uint64_t at = r >> 28 & 3 ? start + step * (uint64_t)i : random_next(&q->seed) % span;
		q->addr[i] = A + at / bytes * bytes;
	}
	q->open = true;
}

/* Nothing comes back sooner than alone in an idle machine: shared memory and L1 after their latency, what
   goes past L1 after a header, two ways, and a sector through slice and port. */
static Cycle soonest(const Config *c, const Source *q)
{
	bool cached = c->l1_bytes && !q->a.bypass_l1 && (q->a.space == SP_LOCAL || c->l1_global);
	if (q->kind >= 14 || !q->a.mask || q->a.kind == ACC_STORE ||
		(q->a.kind == ACC_ATOMIC && !q->a.returns && q->a.space != SP_SHARED))
		return 0;
	if (q->a.space == SP_SHARED)
		return (Cycle)c->shared_latency;
	if (q->a.space == SP_CONST)
		return (Cycle)c->const_latency;
	if (q->a.kind == ACC_LOAD && cached)
		return (Cycle)c->l1_latency;
	return ceil_div(HEADER_BYTES, (uint64_t)c->icnt_width) +
		ceil_div((uint64_t)c->l2_sector, (uint64_t)c->l2_width) +
		ceil_div((uint64_t)c->l2_sector, (uint64_t)c->icnt_width) + mem_round_trip(c);
}

/* True when the job was accepted. */
static bool try_job(SmMem *s, Source *q, Totals *st, Cycle *retry)
{
	MemTicket *t = &q->ticket[q->job];
	q->issued[q->job] = q->now;
	if (q->kind == 14) {
		if (!smmem_fetch(s, q->now, q->addr[0] & 0xffff8, st, t))
			*t = (MemTicket){ .ready = q->now };
		t->pipe_free = q->now + 1;
		return true;
	}
	if (q->kind == 15) {
		smmem_mechanism(s, q->now, q->addr[0] & 0xffff, 1 + (unsigned)(q->addr[1] & 511),
			q->addr[2] & 64, st, t);
		return true;
	}
	return smmem_access(s, q->now, &q->a, st, t, retry);
}

/* One SM's part of the window that ends at `end`. */
static void run_window(SmMem *s, Source *q, const Config *c, Cycle end, Totals *st, int *refused)
{
	while (q->job < JOBS && q->now < end) {
		Cycle retry = 0;
		if (!q->open)
			make_job(q);
		if (try_job(s, q, st, &retry)) {
			Cycle free = q->ticket[q->job].pipe_free;
			ck_assert_uint_gt(free, q->now);
			q->soonest[q->job] = q->now + soonest(c, q);
			q->now = free + (random_next(&q->seed) & 3 ? 0 : random_next(&q->seed) % 300);
			q->open = false;
			q->job++;
		} else {
			ck_assert_uint_gt(retry, q->now);
			q->now = retry;
			++*refused;
		}
	}
}

/* window: its length; order: in which the SMs are called within one. */
static Traffic *run_traffic(const Config *c, uint64_t seed, Cycle window, int order)
{
	Traffic *out = xcalloc(1, sizeof *out);
	Source *q = xcalloc(SMS, sizeof *q);
	MemSystem *m = mem_new(c);
	SmMem *s[SMS];
	Totals *st[SMS];
	int done[SMS] = { 0 }, left = SMS;
	for (int i = 0; i < SMS; i++) {
		s[i] = smmem_new(c, i);
		st[i] = &out->st[i];
		q[i].seed = seed * SMS + (uint64_t)i;
	}
	for (Cycle start = 0, soon = 0; left; start = later(start + window, soon / window * window)) {
		for (int k = 0; k < SMS; k++) {
			int i = order ? (k * 3 + order) % SMS : k;
			run_window(s[i], &q[i], c, start + window, st[i], &out->refused);
		}
		bool queued = false;
		for (int i = 0; i < SMS; i++)
			queued |= smmem_queued(s[i]);
		mem_drain(m, s, SMS);
		left = 0;
		soon = UNKNOWN;
		for (int i = 0; i < SMS; i++) {
			for (; done[i] < q[i].job; done[i]++) {
				bool pending = q[i].ticket[done[i]].npending;
				Cycle ready = smmem_resolve(s[i], &q[i].ticket[done[i]]);
				ck_assert(!pending || queued);
				ck_assert_msg(!pending || ready >= q[i].issued[done[i]] + mem_window(c),
					"job %d of SM %d: issued %llu, ready %llu", done[i], i,
					(unsigned long long)q[i].issued[done[i]], (unsigned long long)ready);
				ck_assert_msg(ready >= q[i].soonest[done[i]],
					"job %d of SM %d: ready %llu, never before %llu", done[i], i,
					(unsigned long long)ready, (unsigned long long)q[i].soonest[done[i]]);
				out->ready[i][done[i]] = ready;
			}
			left += q[i].job < JOBS;
			soon = q[i].job < JOBS && q[i].now < soon ? q[i].now : soon;
		}
	}
	for (int i = 0; i < SMS; i++) {
		ck_assert_int_eq(smmem_outstanding(s[i], UNKNOWN), 0);
		totals_add(&out->total, st[i]);
		smmem_free(s[i]);
	}
	ck_assert_uint_le(out->total.l2_writebacks, out->total.l2_dirtied);
	out->total.cycles = out->total.quiet;
	mem_free(m);
	free(q);
	return out;
}

START_TEST(random_traffic)
{
	Config c = hostile_config(_i);
	Cycle window = mem_window(&c);
	Traffic *a = run_traffic(&c, (uint64_t)_i, window, 0), *b;
	const char *law = stats_memory_law(&a->total, &c), *rate = stats_rate_law(&a->total, &c);
	ck_assert_msg(!law && !rate, "config %d: law broken: %s", _i, law ? law : rate);
	ck_assert_uint_gt(a->total.l2_requests, 0);
	/* neither the order of calls nor the length of the window shows */
	const Cycle length[] = { window, 1, (window + 1) / 2 };
	for (int k = 0; k < 3; k++) {
		b = run_traffic(&c, (uint64_t)_i, length[k], k + 1);
		for (int s = 0; s < SMS; s++)
			for (int j = 0; j < JOBS; j++)
				ck_assert_msg(a->ready[s][j] == b->ready[s][j],
					"config %d, variant %d: SM %d, job %d: %llu, then %llu", _i, k, s, j,
					(unsigned long long)a->ready[s][j],
					(unsigned long long)b->ready[s][j]);
		ck_assert(!memcmp(a->st, b->st, sizeof a->st));
		free(b);
	}
	if (_i == 1)
		ck_assert_int_gt(a->refused, 0);
	free(a);
}
END_TEST

static Cycle traffic_cycles(const Config *c, int seed)
{
	Traffic *t = run_traffic(c, (uint64_t)seed, mem_window(c), 0);
	Cycle cycles = t->total.cycles;
	free(t);
	return cycles;
}

/* Half of a rate, or a longer latency, takes at least 97 % of the time. Not all of it: what arrives in
   another order finds other rows open and other lines in the caches. */
START_TEST(more_hardly_takes_less)
{
	Config c = hostile_config(_i), d = c;
	Cycle usual = traffic_cycles(&c, _i), slow;
	int64_t *rate[] = { &d.icnt_width, &d.l2_width, &d.dram_width };
	for (size_t k = 0; k < sizeof rate / sizeof *rate; k++, d = c) {
		*rate[k] = *rate[k] > 1 ? *rate[k] / 2 : 1;
		slow = traffic_cycles(&d, _i);
		ck_assert_msg(slow * 100 >= usual * 97, "config %d, rate %d: %llu cycles, %llu with half", _i,
			(int)k, (unsigned long long)usual, (unsigned long long)slow);
	}
	int64_t *latency[] = { &d.l1_latency, &d.icnt_latency, &d.l2_latency, &d.dram_latency, &d.dram_miss,
		&d.dram_hit, &d.shared_latency,
		&d.const_latency, &d.fetch_miss };
	for (size_t k = 0; k < sizeof latency / sizeof *latency; k++, d = c) {
		Cycle before = usual;
		for (int step = 0; step < 3; step++, before = slow) {
			int64_t more = 1 + *latency[k] / 3;
			*latency[k] += more;
			d.dram_miss += latency[k] == &d.dram_hit ? more : 0;     /* it contains the access */
			slow = traffic_cycles(&d, _i);
			ck_assert_msg(slow * 100 >= before * 97,
				"config %d, latency %d: %llu cycles, then %llu", _i, (int)k,
				(unsigned long long)before, (unsigned long long)slow);
		}
	}
}
END_TEST

/* The random traffic reaches everything it is meant to reach. */
START_TEST(random_traffic_reaches)
{
	Totals sum = { 0 };
	int refused = 0;
	for (int which = 0; which < 12; which++) {
		Config c = hostile_config(which);
		Traffic *t = run_traffic(&c, (uint64_t)which, mem_window(&c), 0);
		totals_add(&sum, &t->total);
		refused += t->refused;
		free(t);
	}
	ck_assert_int_gt(refused, 100);
	const uint64_t count[] = { sum.l1_hits, sum.l1_merges, sum.l1_misses, sum.l1_bypasses, sum.l1_writes,
		sum.l1_atomics,
		sum.l1_other, sum.l2_hits, sum.l2_misses, sum.l2_allocations, sum.l2_writebacks,
		sum.dram_reads, sum.dram_writes,
		sum.dram_row_hits, sum.constant_misses, sum.fetch_misses, sum.shared_conflicts };
	for (size_t i = 0; i < sizeof count / sizeof *count; i++)
		ck_assert_msg(count[i] > 50, "counter %d is %llu", (int)i, (unsigned long long)count[i]);
}
END_TEST

/* Every law finds the counter that is off by one. */
START_TEST(laws_can_fail)
{
	Config c = defaults();
	c.sm_count = SMS;
	Traffic *t = run_traffic(&c, 3, mem_window(&c), 0);
	ck_assert_ptr_null(stats_memory_law(&t->total, &c));
	const size_t field[] = { offsetof(Totals, l1_accesses), offsetof(Totals, l1_hits),
		offsetof(Totals, l1_merges),
		offsetof(Totals, l1_misses), offsetof(Totals, l1_bypasses),
		offsetof(Totals, l1_writes),
		offsetof(Totals, l1_atomics), offsetof(Totals, l1_other),
		offsetof(Totals, l2_requests),
		offsetof(Totals, l2_replies), offsetof(Totals, l2_hits),
		offsetof(Totals, l2_misses),
		offsetof(Totals, l2_allocations), offsetof(Totals, l2_writebacks),
		offsetof(Totals, dram_reads),
		offsetof(Totals, dram_writes), offsetof(Totals, transactions) };
	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		Totals wrong = t->total;
		++*(uint64_t *)((char *)&wrong + field[i]);
		ck_assert_msg(stats_memory_law(&wrong, &c) != NULL, "counter %d off by one is not noticed",
			(int)i);
	}
	free(t);
}
END_TEST

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* check_mem --bench: host time of an access, SM's side and drain apart, of the fastest batch; the clock's own
   cost is taken off. */
static void bench_one(const char *name, uint64_t step, uint64_t advance, uint64_t wrap, AccessKind kind,
	Space space)
{
	enum { N = 500, BATCHES = 200 };
	Config c = defaults();
	Rig *r = rig(&c);
	double side = 1, drained = 1, clock = 1;
	for (int k = 0; k < 100; k++) {
		double t = seconds();
		for (int i = 0; i < 100; i++)
			seconds();
		t = (seconds() - t) / 100;
		clock = t < clock ? t : clock;
	}
	Cycle now = 0;
	uint64_t start = 0;
	Access a = { .kind = kind, .space = space, .returns = true, .bytes = 4, .mask = FULL,
		.addr = r->addr };
	for (int i = 0; i < BATCHES; i++) {
		double sum[2] = { 0, 0 };
		for (int j = 0; j < N; j++) {
			for (unsigned k = 0; k < 32; k++)
				r->addr[k] = A + start + step * k;
			double t0 = seconds();
			while (!smmem_access(r->s, now, &a, &r->st, &r->t, &r->retry))
				now = r->retry;
			double t1 = seconds();
			drain(r);
			smmem_resolve(r->s, &r->t);
			sum[1] += seconds() - t1 - clock;
			sum[0] += t1 - t0 - clock;
			now = r->t.pipe_free;
			start = (start + advance) % wrap;
		}
		side = sum[0] < side ? sum[0] : side;
		drained = sum[1] < drained ? sum[1] : drained;
	}
	printf("%-28s SM %6.0f ns, drain %6.0f ns an access\n", name, 1e9 * side / N, 1e9 * drained / N);
	mem_free(r->m);
	smmem_free(r->s);
	free(r);
}

int mem_bench(void)
{
	bench_one("shared, gaps of 3 words", 12, 0, 1, ACC_LOAD, SP_SHARED);
	bench_one("global, gaps, L1 hit", 34, 0, 1, ACC_LOAD, SP_GLOBAL);
	bench_one("shared, no conflict", 4, 0, 1, ACC_LOAD, SP_SHARED);
	bench_one("global, coalesced, L1 hit", 4, 0, 1, ACC_LOAD, SP_GLOBAL);
	bench_one("global, coalesced, stream", 4, 128, 1 << 26, ACC_LOAD, SP_GLOBAL);
	bench_one("global, 32 lines, L1 hit", 128, 0, 1, ACC_LOAD, SP_GLOBAL);
	bench_one("global, 32 lines, stream", 4096, 128, 1 << 26, ACC_LOAD, SP_GLOBAL);
	bench_one("store, coalesced, stream", 4, 128, 1 << 26, ACC_STORE, SP_GLOBAL);
	bench_one("shared, conflict of 32", 128, 0, 1, ACC_LOAD, SP_SHARED);
	bench_one("constant, one address", 0, 0, 1, ACC_LOAD, SP_CONST);
	bench_one("atomic, one address", 0, 0, 1, ACC_ATOMIC, SP_GLOBAL);
	return 0;
}

TCase *mem_random_tests(void)
{
	TCase *t = tcase_create("random");
	tcase_add_loop_test(t, coalescing_at_random, 0, 4);
	tcase_add_loop_test(t, rows_are_lists, 0, 4);
	tcase_add_loop_test(t, timeline_is_first_fit, 0, 28);
	tcase_add_test(t, timeline_beyond_its_ring);
	tcase_add_test(t, timeline_does_not_round);
	tcase_add_loop_test(t, timeline_keeps_its_rate, 0, 10);
	tcase_add_test(t, heap_sorts);
	tcase_add_loop_test(t, tally_counts, 0, 10);
	tcase_add_loop_test(t, cache_is_lru, 0, 6);
	tcase_add_loop_test(t, random_traffic, 0, 40);
	tcase_add_loop_test(t, more_hardly_takes_less, 0, 16);
	tcase_add_test(t, random_traffic_reaches);
	tcase_add_test(t, laws_can_fail);
	return t;
}
