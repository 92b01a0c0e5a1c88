/* The memory system's timing: hand-computed latencies of every unit, and random traffic against the conservation laws. */
#include "sim/mem/internal.h"
#include <check.h>
#include <stdio.h>
#include <time.h>

enum { LANES = 32 };
#define FULL 0xffffffffu

static uint64_t next(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static Config defaults(void)
{
	Config c;
	config_defaults(&c);
	return c;
}

/* ---- one SM and the system behind it ---- */
typedef struct Rig {
	Config c;
	MemSystem *m;
	SmMem *s;
	LaunchStats st;
	uint64_t addr[64];
	MemTicket t;
	Cycle retry;
} Rig;

static Rig *rig(const Config *c)
{
	Rig *r = xcalloc(1, sizeof *r);
	r->c = *c;
	r->m = mem_new(c);
	r->s = smmem_new(c, 0);
	return r;
}

static void drain(Rig *r)
{
	LaunchStats *st = &r->st;
	mem_drain(r->m, &r->s, 1, &st);
}

static void close_rig(Rig *r)
{
	const char *law;
	drain(r);
	mem_finish(r->m, &r->st);
	ck_assert_msg(!(law = mem_conservation(&r->st, &r->c)), "law broken: %s", law);
	ck_assert_int_eq(smmem_outstanding(r->s, UNKNOWN), 0);
	mem_free(r->m);
	smmem_free(r->s);
	free(r);
}

/* Lanes 0..n-1 at start, start + stride, ... */
static bool stride(Rig *r, Cycle now, AccessKind kind, Space space, uint64_t start, uint64_t step, int n, unsigned bytes)
{
	for (int i = 0; i < n; i++)
		r->addr[i] = start + step * (uint64_t)i;
	Access a = { .kind = kind, .space = space, .returns = true, .bytes = bytes,
		.mask = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1, .addr = r->addr };
	return smmem_access(r->s, now, &a, &r->st, &r->t, &r->retry);
}

static Cycle finish(Rig *r)
{
	drain(r);
	return smmem_resolve(r->s, &r->t);
}

/* A whole warp's load of 4-byte words from a line: accepted, served, done. */
static Cycle load_line(Rig *r, Cycle now, uint64_t addr)
{
	ck_assert(stride(r, now, ACC_LOAD, SP_GLOBAL, addr, 4, 32, 4));
	return finish(r);
}

#define A 0x100000000000u
/* Defaults: header 1 cycle, 40 each way, slice and reply port 32 bytes a cycle, L2 60; DRAM: 100 for a row miss, 40 for
   a row hit, 100 for the controller, 32 bytes a cycle. */
enum { L2_HIT = 1 + 40 + 4 + 60 + 4 + 40, ROW_MISS = 100 + 4 + 100, ROW_HIT = 40 + 4 + 100 };

START_TEST(latency_of_hits_and_misses)
{
	Config c = defaults();
	Rig *r = rig(&c);
	ck_assert_uint_eq(load_line(r, 10, A), 10 + L2_HIT + ROW_MISS);
	ck_assert_uint_eq(r->t.pipe_free, 11);
	ck_assert_uint_eq(r->st.l1_misses, 4);
	ck_assert_uint_eq(r->st.l2_misses, 4);
	ck_assert_uint_eq(r->st.dram_row_hits, 3);
	ck_assert_uint_eq(load_line(r, 1000, A), 1028);          /* in L1 */
	ck_assert_uint_eq(r->t.npending, 0);
	ck_assert_uint_eq(r->st.l1_hits, 4);
	for (int i = 0; i < 32; i++)                             /* push it out of L1: 32 sets of 4 ways, every set 4 times */
		for (int k = 1; k <= 4; k++)
			load_line(r, 2000 + 1000 * (Cycle)(4 * i + k), A + 128 * (uint64_t)i + 4096 * (uint64_t)k);
	ck_assert_uint_eq(load_line(r, 200000, A), 200000 + L2_HIT);
	/* the same line of DRAM row is still open: lines of a channel, 16 to a row */
	close_rig(r);
}
END_TEST

START_TEST(merging)
{
	Config c = defaults();
	Rig *r = rig(&c);
	MemTicket first, second;
	Cycle done = 10 + L2_HIT + ROW_MISS;
	ck_assert(stride(r, 10, ACC_LOAD, SP_GLOBAL, A, 4, 32, 4));
	first = r->t;
	ck_assert(stride(r, 12, ACC_LOAD, SP_GLOBAL, A + 64, 4, 16, 4));        /* same window: arrival unknown */
	second = r->t;
	ck_assert_int_eq(second.npending, 1);
	drain(r);
	ck_assert_uint_eq(smmem_resolve(r->s, &first), done);
	ck_assert_uint_eq(smmem_resolve(r->s, &second), done);
	ck_assert(stride(r, 100, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));             /* later: arrival known */
	ck_assert_int_eq(r->t.npending, 0);
	ck_assert_uint_eq(r->t.ready, done);
	ck_assert(stride(r, done - 1, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));        /* an L1 hit takes at least its latency */
	ck_assert_uint_eq(r->t.ready, done - 1 + 28);
	ck_assert_uint_eq(r->st.l1_merges, 2 + 1 + 1);
	ck_assert_uint_eq(r->st.l1_misses, 4);
	ck_assert_uint_eq(r->st.l2_requests, 4);
	ck_assert_int_eq(smmem_outstanding(r->s, done - 1), 1);
	ck_assert_int_eq(smmem_outstanding(r->s, done), 0);
	close_rig(r);
}
END_TEST

START_TEST(merge_limit_and_mshr_limit)
{
	Config c = defaults();
	c.l1_merge = 2;
	c.l1_mshrs = 2;
	Rig *r = rig(&c);
	MemTicket t[3];
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));
	t[0] = r->t;
	ck_assert(stride(r, 1, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));
	t[1] = r->t;
	ck_assert(!stride(r, 2, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));              /* the entry has collected two */
	ck_assert_uint_eq(r->retry, 0 + 140);                                   /* nothing comes back before */
	ck_assert_uint_eq(r->st.l1_accesses, 2);
	ck_assert(stride(r, 3, ACC_LOAD, SP_GLOBAL, A + 128, 4, 8, 4));
	t[2] = r->t;
	ck_assert(!stride(r, 4, ACC_LOAD, SP_GLOBAL, A + 256, 4, 8, 4));        /* no entry left */
	drain(r);
	Cycle done = smmem_resolve(r->s, &t[0]);
	ck_assert_uint_eq(smmem_resolve(r->s, &t[1]), done);
	smmem_resolve(r->s, &t[2]);
	ck_assert(!stride(r, 5, ACC_LOAD, SP_GLOBAL, A + 256, 4, 8, 4));
	ck_assert_uint_eq(r->retry, done);
	ck_assert(stride(r, done, ACC_LOAD, SP_GLOBAL, A + 256, 4, 8, 4));
	close_rig(r);
}
END_TEST

START_TEST(access_larger_than_the_mshr_table)
{
	Config c = defaults();
	c.l1_mshrs = 1;
	Rig *r = rig(&c);
	/* four lines, one MSHR: each starts when the one before it is back; one sector each, all rows closed */
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A, 1 << 20, 4, 4));
	ck_assert_uint_eq(r->t.pipe_free, 4);
	MemTicket t = r->t;
	ck_assert(!stride(r, 4, ACC_LOAD, SP_GLOBAL, A + (9 << 20), 4, 1, 4));
	Cycle one = 1 + 40 + 1 + 60 + 1 + 40 + 100 + 1 + 100;
	drain(r);
	Cycle done = smmem_resolve(r->s, &t);
	ck_assert_uint_ge(done, 4 * one - 60 * 3);              /* rows may be shared: 60 less for a row hit */
	ck_assert_uint_le(done, 4 * one);
	ck_assert(!stride(r, done - 1, ACC_LOAD, SP_GLOBAL, A + (9 << 20), 4, 1, 4));
	ck_assert(stride(r, done, ACC_LOAD, SP_GLOBAL, A + (9 << 20), 4, 1, 4));
	close_rig(r);
}
END_TEST

/* ---- the coalescer ---- */
typedef struct CoalesceCase { uint64_t start, step; int n; unsigned bytes; int lines, sectors; } CoalesceCase;
static const CoalesceCase coalesce_cases[] = {
	{ 0, 4, 32, 4, 1, 4 }, { 0, 0, 32, 4, 1, 1 }, { 64, 4, 32, 4, 2, 4 }, { 4, 4, 32, 4, 2, 5 },
	{ 0, 8, 32, 8, 2, 8 }, { 0, 16, 32, 16, 4, 16 }, { 0, 32, 32, 32, 8, 32 }, { 0, 128, 32, 4, 32, 32 },
	{ 0, 1, 32, 1, 1, 1 }, { 0, 36, 32, 4, 9, 32 }, { 124, 0, 1, 8, 2, 2 }, { 0, 4, 64, 4, 2, 8 },
	{ 112, 128, 64, 32, 65, 128 },
};

START_TEST(coalescing)
{
	const CoalesceCase *k = &coalesce_cases[_i];
	uint64_t addr[64];
	Coalesced *co = xcalloc(1, sizeof *co);
	for (int i = 0; i < k->n; i++)
		addr[i] = k->start + k->step * (uint64_t)i;
	Access a = { .kind = ACC_LOAD, .bytes = k->bytes, .mask = k->n == 64 ? UINT64_MAX : ((uint64_t)1 << k->n) - 1,
		.addr = addr };
	coalesce(&a, 0, 7, 5, co);
	int sectors = 0;
	for (int i = 0; i < co->n; i++)
		sectors += __builtin_popcount(co->piece[i].sectors);
	ck_assert_int_eq(co->n, k->lines);
	ck_assert_int_eq(sectors, k->sectors);
	free(co);
}
END_TEST

/* Random accesses against a table of bytes. */
START_TEST(coalescing_at_random)
{
	enum { SPAN = 1 << 13 };
	static const unsigned sizes[] = { 1, 2, 4, 8, 16, 32 }, line_shifts[] = { 5, 7, 8 };
	uint64_t seed = (uint64_t)_i, addr[64];
	Coalesced *co = xcalloc(1, sizeof *co);
	for (int round = 0; round < 3000; round++) {
		uint8_t touched[SPAN] = { 0 };
		unsigned line_shift = line_shifts[next(&seed) % 3], sector_shift = 4 + (unsigned)(next(&seed) % (line_shift - 3));
		unsigned bytes = sizes[next(&seed) % 6], how = next(&seed) % 4;
		uint64_t start = next(&seed) % 1024, step = next(&seed) % 70;
		Access a = { .kind = next(&seed) & 1 ? ACC_LOAD : ACC_STORE, .bytes = bytes, .addr = addr,
			.mask = next(&seed) & 3 ? UINT64_MAX >> next(&seed) % 64 : next(&seed) | 1 };
		for (int i = 0; i < 64; i++) {
			addr[i] = how == 0 ? next(&seed) % (SPAN - 32) : how == 1 ? start : start + step * (uint64_t)i;
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
				uint64_t at = (co->piece[i].line << line_shift) - ((uint64_t)1 << 40) + k * size;
				ck_assert(memchr(touched + at, 1, size));
				ck_assert(a.kind == ACC_LOAD || (memchr(touched + at, 0, size) == NULL) == (co->piece[i].full >> k & 1));
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

START_TEST(whole_sectors_and_meeting_lanes)
{
	uint64_t addr[32];
	Coalesced *co = xcalloc(1, sizeof *co);
	Access a = { .kind = ACC_STORE, .bytes = 4, .mask = FULL, .addr = addr };
	for (int i = 0; i < 32; i++)
		addr[i] = 4 * (uint64_t)i;
	a.mask = FULL & ~(1u << 9);                              /* word 9, of sector 1, is not written */
	coalesce(&a, 0, 7, 5, co);
	ck_assert_uint_eq(co->piece[0].sectors, 0xf);
	ck_assert_uint_eq(co->piece[0].full, 0xd);
	a.mask = FULL;
	coalesce(&a, 0, 8, 7, co);                               /* sectors of 128 bytes */
	ck_assert_uint_eq(co->piece[0].full, 1);
	for (int i = 0; i < 32; i++)
		addr[i] = i < 20 ? 0 : i < 25 ? 256 : 260;       /* 20 meet in line 0; 5 and 7 in line 2 */
	coalesce(&a, 0, 7, 5, co);
	ck_assert_uint_eq(co->piece[0].full, 0);                 /* 32 writes of one word do not fill a sector */
	a.kind = ACC_ATOMIC;
	coalesce(&a, 0, 7, 5, co);
	ck_assert_int_eq(co->n, 2);
	ck_assert_uint_eq(co->piece[0].conflict, 20);
	ck_assert_uint_eq(co->piece[1].conflict, 7);
	free(co);
}
END_TEST

/* ---- shared memory ---- */
typedef struct SharedCase { AccessKind kind; uint64_t step; int n; unsigned bytes; int banks, bank_bytes;
	unsigned cycles, extra; } SharedCase;
static const SharedCase shared_cases[] = {
	{ ACC_LOAD, 4, 32, 4, 32, 4, 1, 0 },       { ACC_LOAD, 0, 32, 4, 32, 4, 1, 0 },    /* broadcast */
	{ ACC_LOAD, 8, 32, 4, 32, 4, 2, 1 },       { ACC_LOAD, 16, 32, 4, 32, 4, 4, 3 },
	{ ACC_LOAD, 128, 32, 4, 32, 4, 32, 31 },   { ACC_LOAD, 132, 32, 4, 32, 4, 1, 0 },   /* padding */
	{ ACC_LOAD, 12, 32, 4, 32, 4, 1, 0 },      { ACC_LOAD, 1, 32, 1, 32, 4, 1, 0 },
	{ ACC_LOAD, 8, 32, 8, 32, 4, 2, 0 },       { ACC_LOAD, 16, 32, 16, 32, 4, 4, 0 },   /* halves, quarters */
	{ ACC_LOAD, 16, 32, 8, 32, 4, 4, 2 },      { ACC_LOAD, 8, 32, 8, 32, 8, 1, 0 },
	{ ACC_LOAD, 4, 32, 4, 32, 8, 1, 0 },       { ACC_LOAD, 256, 32, 8, 32, 8, 32, 31 },
	{ ACC_STORE, 0, 32, 4, 32, 4, 1, 0 },      { ACC_ATOMIC, 0, 32, 4, 32, 4, 32, 31 },
	{ ACC_ATOMIC, 4, 32, 4, 32, 4, 1, 0 },     { ACC_LOAD, 4, 64, 4, 32, 4, 2, 0 },     /* a warp of 64 */
	{ ACC_LOAD, 4, 32, 4, 16, 4, 2, 0 },       { ACC_LOAD, 4, 32, 4, 1, 4, 32, 0 },
	{ ACC_LOAD, 32, 2, 32, 1, 4, 16, 14 },
	{ ACC_LOAD, 0, 32, 4, 1, 4, 32, 0 },       { ACC_LOAD, 0, 64, 4, 32, 4, 2, 0 },
	{ ACC_LOAD, 0, 64, 4, 128, 8, 1, 0 },      { ACC_LOAD, 8, 64, 4, 128, 8, 1, 0 },
	{ ACC_LOAD, 8, 64, 4, 32, 8, 2, 1 },     { ACC_LOAD, 24, 32, 4, 24, 4, 6 + 2, 5 + 1 },
};

START_TEST(shared_conflicts)
{
	const SharedCase *k = &shared_cases[_i];
	Config c = defaults();
	c.shared_banks = k->banks;
	c.shared_bank_bytes = k->bank_bytes;
	Rig *r = rig(&c);
	ck_assert(stride(r, 100, k->kind, SP_SHARED, 0, k->step, k->n, k->bytes));
	ck_assert_uint_eq(r->st.shared_conflicts, k->extra);
	ck_assert_uint_eq(r->t.pipe_free, 100 + k->cycles);
	ck_assert_uint_eq(r->t.ready, k->kind == ACC_STORE ? 100 + k->cycles : 100 + 24 + k->cycles - 1);
	ck_assert(!smmem_queued(r->s));
	close_rig(r);
}
END_TEST

/* ---- constants and instructions ---- */
START_TEST(constant_cache)
{
	Config c = defaults();
	Rig *r = rig(&c);
	Cycle miss = 1 + 40 + 2 + 60 + 2 + 40 + 100 + 2 + 100;   /* 64 bytes */
	ck_assert(stride(r, 5, ACC_LOAD, SP_CONST, A, 0, 32, 4));
	ck_assert_uint_eq(finish(r), 5 + miss);
	ck_assert(stride(r, 900, ACC_LOAD, SP_PARAM, A + 8, 0, 32, 8));
	ck_assert_uint_eq(r->t.ready, 908);
	ck_assert(stride(r, 910, ACC_LOAD, SP_CONST, A, 4, 16, 4));             /* 16 addresses in turn */
	ck_assert_uint_eq(r->t.ready, 910 + 8 + 15);
	ck_assert_uint_eq(r->t.pipe_free, 926);
	ck_assert_uint_eq(r->st.constant_misses, 1);
	ck_assert_uint_eq(r->st.l1_other, 2);
	close_rig(r);
	c.const_bytes = 0;
	r = rig(&c);
	ck_assert(stride(r, 5, ACC_LOAD, SP_CONST, A, 4096, 4, 4));
	ck_assert_uint_eq(r->t.ready, 5 + 8 + 3);
	ck_assert(!smmem_queued(r->s));
	close_rig(r);
}
END_TEST

START_TEST(instruction_cache)
{
	Config c = defaults();
	Rig *r = rig(&c);
	ck_assert(smmem_fetch(r->s, 7, 0, &r->st, &r->t));
	MemTicket merged;
	ck_assert(smmem_fetch(r->s, 8, 120, &r->st, &merged));                  /* the same line */
	ck_assert_uint_eq(finish(r), 7 + 100 + ROW_MISS);
	ck_assert_uint_eq(smmem_resolve(r->s, &merged), 7 + 100 + ROW_MISS);
	ck_assert(smmem_fetch(r->s, 200, 64, &r->st, &merged));
	ck_assert_uint_eq(merged.ready, 7 + 100 + ROW_MISS);
	ck_assert(!smmem_fetch(r->s, 7 + 100 + ROW_MISS, 64, &r->st, &merged));
	ck_assert_uint_eq(r->st.fetch_misses, 1);
	for (int i = 1; i <= 4; i++) {                                          /* 16 sets of 4 ways */
		ck_assert(smmem_fetch(r->s, 1000u * (unsigned)i, 2048u * (unsigned)i, &r->st, &r->t));
		finish(r);
	}
	ck_assert(smmem_fetch(r->s, 9000, 0, &r->st, &r->t));                   /* pushed out; L2 has it */
	ck_assert_uint_eq(finish(r), 9100);
	close_rig(r);
	c.fetch_bytes = 0;
	r = rig(&c);
	ck_assert(!smmem_fetch(r->s, 7, 12345, &r->st, &r->t));
	close_rig(r);
}
END_TEST

/* ---- past L1 ---- */
START_TEST(stores_and_write_backs)
{
	Config c = defaults();
	Rig *r = rig(&c);
	ck_assert(stride(r, 0, ACC_STORE, SP_GLOBAL, A, 4, 32, 4));             /* whole sectors: nothing is fetched */
	ck_assert_uint_eq(r->t.ready, 1);
	ck_assert_int_eq(r->t.npending, 0);
	drain(r);
	ck_assert_uint_eq(r->st.l2_allocations, 4);
	ck_assert_uint_eq(r->st.dram_reads, 0);
	/* header and 128 bytes up: 5 cycles; acknowledged without data */
	Cycle done = 5 + 40 + 4 + 60 + 40;
	ck_assert_int_eq(smmem_outstanding(r->s, done - 1), 1);
	ck_assert_int_eq(smmem_outstanding(r->s, done), 0);
	ck_assert_uint_eq(load_line(r, 1000, A), 1000 + L2_HIT);                /* no L1 allocation by stores */
	ck_assert(stride(r, 2000, ACC_STORE, SP_GLOBAL, A, 4, 32, 4));
	drain(r);
	ck_assert_uint_eq(load_line(r, 3000, A), 3028);                         /* the line in L1 stays */
	ck_assert(stride(r, 4000, ACC_STORE, SP_GLOBAL, A + 4096, 4, 1, 4));    /* part of a sector: fetched */
	drain(r);
	ck_assert_uint_eq(r->st.dram_reads, 1);
	ck_assert_uint_eq(r->st.dram_writes, 0);
	mem_finish(r->m, &r->st);
	ck_assert_uint_eq(r->st.l2_writebacks, 5);
	ck_assert_uint_eq(r->st.dram_writes, 5);
	close_rig(r);                                                           /* nothing is written back twice */
}
END_TEST

START_TEST(dirty_lines_leave_a_small_l2)
{
	Config c = defaults();
	c.l2_slices = 1;
	c.l2_bytes = 1024;
	c.l2_ways = 4;                                                          /* 2 sets */
	Rig *r = rig(&c);
	for (unsigned i = 0; i < 20; i++) {
		ck_assert(stride(r, 1000 * i, ACC_STORE, SP_GLOBAL, A + 128 * i, 4, 32, 4));
		drain(r);
	}
	ck_assert_uint_eq(r->st.l2_writebacks, 12 * 4);
	mem_finish(r->m, &r->st);
	ck_assert_uint_eq(r->st.l2_writebacks, 20 * 4);
	close_rig(r);
}
END_TEST

START_TEST(atomics_meet_at_l2)
{
	Config c = defaults();
	c.l2_atomic = 10;
	Rig *r = rig(&c);
	load_line(r, 0, A);
	ck_assert(stride(r, 1000, ACC_ATOMIC, SP_GLOBAL, A, 0, 32, 4));         /* all on one word: 32 turns of 10 */
	ck_assert_uint_eq(finish(r), 1000 + 2 + 40 + 320 + 60 + 1 + 40);
	ck_assert(stride(r, 3000, ACC_ATOMIC, SP_GLOBAL, A, 4, 32, 4));         /* every lane its own */
	ck_assert_uint_eq(finish(r), 3000 + 5 + 40 + 10 + 60 + 4 + 40);
	ck_assert_uint_eq(r->st.l1_atomics, 1 + 4);
	ck_assert_uint_eq(r->st.transactions, 4 + 1 + 4);
	Access a = { .kind = ACC_ATOMIC, .space = SP_GLOBAL, .bytes = 4, .mask = 1, .addr = r->addr };
	ck_assert(smmem_access(r->s, 5000, &a, &r->st, &r->t, &r->retry));      /* without result: as a store */
	ck_assert_uint_eq(r->t.ready, 5001);
	ck_assert_int_eq(r->t.npending, 0);
	close_rig(r);
}
END_TEST

START_TEST(bypass_and_no_l1)
{
	for (int how = 0; how < 3; how++) {
		Config c = defaults();
		c.l1_global = how != 1;
		c.l1_bytes = how == 2 ? 0 : c.l1_bytes;
		Rig *r = rig(&c);
		for (int i = 0; i < 32; i++)
			r->addr[i] = A + 4 * (uint64_t)i;
		Access a = { .kind = ACC_LOAD, .space = SP_GLOBAL, .bypass_l1 = how == 0, .bytes = 4, .mask = FULL, .addr = r->addr };
		for (Cycle now = 0; now <= 1000; now += 1000) {
			ck_assert(smmem_access(r->s, now, &a, &r->st, &r->t, &r->retry));
			ck_assert_uint_eq(finish(r), now + L2_HIT + (now ? 0 : ROW_MISS));
		}
		ck_assert_uint_eq(r->st.l1_accesses, 0);
		ck_assert_uint_eq(r->st.l1_bypasses, 8);
		a.space = SP_LOCAL;
		a.bypass_l1 = false;
		ck_assert(smmem_access(r->s, 2000, &a, &r->st, &r->t, &r->retry));
		ck_assert_uint_eq(r->st.l1_accesses, how == 2 ? 0 : 4);  /* local memory uses L1 when there is one */
		close_rig(r);
	}
}
END_TEST

START_TEST(full_queue)
{
	Config c = defaults();
	c.l1_queue = 2;
	Rig *r = rig(&c);
	ck_assert(stride(r, 0, ACC_STORE, SP_GLOBAL, A, 128, 2, 4));
	ck_assert(!stride(r, 1, ACC_STORE, SP_GLOBAL, A + 4096, 128, 1, 4));
	ck_assert_uint_eq(r->retry, 140);
	ck_assert_uint_eq(r->st.l1_writes, 2);
	drain(r);
	ck_assert(!stride(r, 2, ACC_STORE, SP_GLOBAL, A + 4096, 128, 1, 4));
	Cycle first = r->retry;
	ck_assert(!stride(r, first - 1, ACC_STORE, SP_GLOBAL, A + 4096, 128, 1, 4));
	ck_assert(stride(r, first, ACC_STORE, SP_GLOBAL, A + 4096, 128, 1, 4));
	close_rig(r);
}
END_TEST

START_TEST(forced_accesses_are_accepted)
{
	Config c = defaults();
	c.l1_queue = 1;
	c.l1_mshrs = 1;
	Rig *r = rig(&c);
	Access a = { .kind = ACC_LOAD, .space = SP_GLOBAL, .returns = true, .bytes = 4, .mask = FULL, .addr = r->addr };
	for (unsigned i = 0; i < 300; i++) {
		for (unsigned k = 0; k < 32; k++)
			r->addr[k] = A + 128 * (i * 32 + k);
		a.kind = i % 3 == 2 ? ACC_STORE : i % 3 == 1 ? ACC_ATOMIC : ACC_LOAD;
		a.forced = false;
		ck_assert(smmem_access(r->s, i, &a, &r->st, &r->t, &r->retry) == (i < 2));
		a.forced = i >= 2;
		ck_assert(!a.forced || smmem_access(r->s, i, &a, &r->st, &r->t, &r->retry));
	}
	ck_assert_uint_eq(r->st.transactions, 300 * 32);
	ck_assert_uint_eq(r->st.l1_accesses, 32);                /* the first; later loads went past L1 */
	close_rig(r);
}
END_TEST

START_TEST(mechanism_traffic)
{
	Config c = defaults();
	Rig *r = rig(&c);
	smmem_mechanism(r->s, 0, 0, 32, true, &r->st, &r->t);
	ck_assert_int_eq(r->t.npending, 0);
	drain(r);
	ck_assert_uint_eq(r->st.l2_allocations, 1);
	smmem_mechanism(r->s, 1000, 0, 32, false, &r->st, &r->t);
	ck_assert_uint_eq(finish(r), 1000 + 1 + 40 + 1 + 60 + 1 + 40);
	smmem_mechanism(r->s, 2000, 16, 4096, false, &r->st, &r->t);             /* many lines */
	ck_assert_uint_gt(finish(r), 2000 + 128);
	ck_assert_uint_eq(r->st.l1_other, 2 + 129);
	ck_assert_int_eq(smmem_outstanding(r->s, 2000), 33);
	smmem_mechanism(r->s, 9000, 8, 8, true, &r->st, &r->t);                  /* not a whole sector, but it is there */
	drain(r);
	ck_assert_uint_eq(r->st.l2_hits, 1 + 1 + 1);
	close_rig(r);
}
END_TEST

/* ---- DRAM and bandwidth ---- */
START_TEST(rows_of_dram)
{
	Config c = defaults();
	c.dram_channels = 1;
	LaunchStats st = { 0 };
	Dram d;
	dram_init(&d, &c);
	/* 16 lines to a row; bank 0 opens row 0 */
	ck_assert_uint_eq(dram_access(&d, 0, 0, 0, 1, false, &st), 100 + 1 + 100);
	ck_assert_uint_eq(dram_access(&d, 0, 1000, 15, 4, false, &st), 1000 + ROW_HIT);
	ck_assert_uint_eq(dram_access(&d, 0, 2000, 16, 4, false, &st), 2000 + ROW_MISS);      /* the next row: another bank */
	ck_assert_uint_eq(dram_access(&d, 0, 2000, 3, 4, true, &st), 2000 + 40 + 4);          /* the first is still open */
	ck_assert_uint_eq(st.dram_row_hits, 0 + 4 + 3 + 4);
	/* two row hits of one bank at one time: the second burst follows the first */
	ck_assert_uint_eq(dram_access(&d, 0, 3000, 0, 4, false, &st), 3000 + ROW_HIT);
	ck_assert_uint_eq(dram_access(&d, 0, 3000, 1, 4, false, &st), 3004 + ROW_HIT);
	ck_assert_uint_eq(st.dram_reads, 1 + 4 + 4 + 4 + 4);
	ck_assert_uint_eq(st.dram_writes, 4);
	/* a row of the same bank: at most `banks` rows away, whatever the bank's permutation; row change while busy */
	uint64_t other = 0;
	for (uint64_t line = 16; !other; line += 16) {
		Bank before = d.bank[0];
		dram_access(&d, 0, 10000 + line * 100, line, 1, false, &st);
		if (memcmp(&before, &d.bank[0], sizeof before))
			other = line;
	}
	ck_assert_uint_ge(other, 16 * 2);
	dram_access(&d, 0, 900000, 0, 1, false, &st);                                        /* opens row 0 again */
	ck_assert_uint_eq(dram_access(&d, 0, 901000, 0, 1, false, &st), 901000 + 40 + 1 + 100);
	ck_assert_uint_eq(dram_access(&d, 0, 901000, other, 1, false, &st), 901001 + 100 + 1 + 100);
	dram_free(&d);
}
END_TEST

/* Streaming through each bottleneck takes bytes / width of it. */
START_TEST(bandwidth)
{
	enum { LINES = 2000 };
	for (int what = 0; what < 3; what++) {
		Config c = defaults();
		c.l1_bytes = 0;
		c.l1_queue = 4096;
		c.l2_mshrs = 4096;
		c.l2_bytes = 1 << 24;
		*(what == 0 ? &c.icnt_width : what == 1 ? &c.l2_width : &c.dram_width) = 4;
		Rig *r = rig(&c);
		Cycle done = 0;
		for (unsigned i = 0; i < LINES; i++) {
			ck_assert(stride(r, i, ACC_LOAD, SP_GLOBAL, A + 128 * i, 4, 32, 4));
			done = later(done, finish(r));
		}
		/* 32 cycles a line; four slices and four channels share the work */
		Cycle least = 32 * LINES / (what == 0 ? 1 : 4);
		ck_assert_msg(done >= least && done < least + 1200, "bottleneck %d: %u lines in %llu cycles, least %llu", what,
			LINES, (unsigned long long)done, (unsigned long long)least);
		close_rig(r);
	}
}
END_TEST

/* A hit is not held up by the reply of an earlier miss. */
START_TEST(hit_under_miss)
{
	Config c = defaults();
	c.l1_bytes = 0;
	Rig *r = rig(&c);
	load_line(r, 0, A);
	ck_assert(stride(r, 1000, ACC_LOAD, SP_GLOBAL, A + 65536, 4, 32, 4));
	MemTicket miss = r->t;
	ck_assert(stride(r, 1001, ACC_LOAD, SP_GLOBAL, A, 4, 32, 4));
	MemTicket hit = r->t;
	drain(r);
	ck_assert_uint_ge(smmem_resolve(r->s, &miss), 1000 + L2_HIT + ROW_HIT);
	ck_assert_uint_le(smmem_resolve(r->s, &hit), 1001 + L2_HIT + 4);
	close_rig(r);
}
END_TEST

START_TEST(l2_mshrs_limit_misses)
{
	Config c = defaults();
	c.l1_bytes = 0;
	c.l2_mshrs = 1;
	c.l2_slices = 1;
	Rig *r = rig(&c);
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));
	MemTicket one = r->t;
	ck_assert(stride(r, 1, ACC_LOAD, SP_GLOBAL, A + 32, 4, 8, 4));           /* another sector of that line: no MSHR more */
	MemTicket two = r->t;
	ck_assert(stride(r, 2, ACC_LOAD, SP_GLOBAL, A + (1 << 20), 4, 8, 4));
	MemTicket three = r->t;
	drain(r);
	Cycle fill = 1 + 40 + 1 + 60 + 100 + 1 + 100;
	ck_assert_uint_eq(smmem_resolve(r->s, &one), fill + 41);
	ck_assert_uint_eq(smmem_resolve(r->s, &two), fill + 42);
	ck_assert_uint_ge(smmem_resolve(r->s, &three), fill + 40 + 1 + 100 + 41);
	close_rig(r);
}
END_TEST

/* ---- the pieces against plain models ---- */
START_TEST(timeline_is_first_fit)
{
	uint64_t seed = (uint64_t)_i;
	static bool taken[60000];
	memset(taken, 0, sizeof taken);
	Timeline t = { 0 };
	Cycle floor = 0;
	for (int k = 0; k < 1500; k++) {
		floor += next(&seed) % 8;
		Cycle from = floor + next(&seed) % 300, at = from;
		unsigned n = 1 + (unsigned)(next(&seed) % (_i % 2 ? 4 : 90)), left = n;
		if (!(k % 500))
			floor += 5000;
		from = at = later(from, floor);
		for (; left; at++)
			if (!taken[at])
				taken[at] = true, left--;
		if (at >= floor / 64 * 64 + 64 * TIMELINE_WORDS)
			break;                                   /* beyond the ring: another test */
		ck_assert_uint_eq(timeline_book(&t, floor, from, n), at);
	}
}
END_TEST

START_TEST(timeline_beyond_its_ring)
{
	Timeline t = { 0 };
	Cycle end = 0;
	for (int k = 0; k < 1000; k++)                           /* saturated: in turn, at full rate */
		ck_assert_uint_eq(timeline_book(&t, 0, 0, 10), end += 10);
	ck_assert_uint_eq(timeline_book(&t, 5000, 5000, 3), end += 3);
	ck_assert_uint_eq(timeline_book(&t, 9990, 9990, 3), end += 3);
	ck_assert_uint_eq(timeline_book(&t, 20000, 20000, 3), 20003);
	ck_assert_uint_eq(timeline_book(&t, 20000, 90000, 3), 90003);
	ck_assert_uint_eq(timeline_book(&t, 20000, 20000, 1), 20004);
}
END_TEST

START_TEST(heap_sorts)
{
	uint64_t seed = 5;
	StampHeap h = { 0 };
	for (int round = 0; round < 50; round++) {
		int n = 1 + (int)(next(&seed) % 100);
		for (int i = 0; i < n; i++)
			heap_push(&h, next(&seed) % 50, (uint32_t)(next(&seed) % 10));
		Stamp last = { 0, 0 };
		while (h.n) {
			Stamp s = heap_pop(&h);
			ck_assert(s.at > last.at || (s.at == last.at && s.id >= last.id));
			last = s;
		}
	}
	free(h.v);
}
END_TEST

/* LRU against a list, with sets that are and are not a power of two; resets between. */
START_TEST(cache_is_lru)
{
	static const int64_t shape[][2] = { { 128, 1 }, { 1024, 8 }, { 4096, 4 }, { 3 * 512, 4 }, { 100, 4 }, { 128 * 7, 2 } };
	int64_t bytes = shape[_i][0], ways = shape[_i][1];
	uint64_t seed = (uint64_t)_i, list[64][64];
	int n[64] = { 0 };
	Cache c;
	cache_init(&c, bytes, 128, 32, ways, false);
	ck_assert_uint_le(c.sets * c.ways * 128, (uint64_t)(bytes < 128 ? 128 : bytes));
	for (int k = 0; k < 4000; k++) {
		uint64_t line = next(&seed) % 60, set = line % c.sets, *l = list[set];
		int i = 0;
		if (!(next(&seed) % 500)) {
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
	H(l1_bytes, 0, 128, 1000, 16384), H(l1_line, 32, 64, 128, 256), H(l1_ways, 1, 2, 4, 64), H(l1_mshrs, 1, 2, 32, 1024),
	H(l1_merge, 1, 2, 8, 8), H(l1_queue, 1, 3, 64, 64), H(l1_latency, 1, 2, 28, 28), H(l1_global, 0, 1, 1, 1),
	H(const_bytes, 0, 64, 100, 8192), H(const_line, 16, 32, 64, 256), H(fetch_bytes, 0, 128, 700, 8192),
	H(fetch_line, 32, 64, 128, 512), H(fetch_miss, 1, 5, 100, 100), H(icnt_latency, 0, 1, 40, 40),
	H(icnt_width, 1, 4, 32, 1024), H(l2_slices, 1, 3, 4, 7), H(l2_bytes, 1024, 1500, 65536, 524288), H(l2_line, 32, 64, 128, 256),
	H(l2_sector, 16, 32, 32, 32), H(l2_ways, 1, 2, 16, 64), H(l2_latency, 1, 2, 60, 60), H(l2_width, 1, 16, 32, 1024),
	H(l2_mshrs, 1, 2, 64, 64), H(dram_channels, 1, 3, 4, 5), H(dram_banks, 1, 3, 16, 16), H(dram_row, 256, 512, 2048, 2048),
	H(dram_hit, 1, 40, 40, 40), H(dram_width, 1, 8, 32, 1024), H(dram_latency, 0, 1, 100, 100), H(l2_atomic, 1, 2, 100, 2),
	H(l1_sector, 16, 32, 32, 256),
#undef H
};

/* Config 0 is the default, 1 has the least of everything, the others are mixed at random. */
static Config hostile_config(int which)
{
	Config c = defaults();
	uint64_t seed = (uint64_t)which * 77;
	for (size_t i = 0; which && i < sizeof hostile / sizeof *hostile; i++)
		*(int64_t *)((char *)&c + hostile[i].offset) = hostile[i].value[which == 1 ? 0 : next(&seed) % 4];
	if (c.l1_sector > c.l1_line)
		c.l1_sector = c.l1_line;
	if (c.l2_sector > c.l1_sector)
		c.l2_sector = c.l1_sector;
	c.sm_count = 4;
	ck_assert_msg(!mem_refuses(&c), "config %d: %s", which, mem_refuses(&c));
	return c;
}

enum { SMS = 4, JOBS = 150 };
typedef struct Traffic {
	uint64_t ready[SMS][JOBS];     /* what came out: the time each job was done */
	LaunchStats st[SMS], total;
	int refused;
} Traffic;

typedef struct Source {                /* one SM's instruction stream: the same numbers in every order of calls */
	uint64_t seed;
	int job;                       /* next one */
	bool open;                     /* job is made, not yet accepted */
	Cycle now;
	Access a;
	uint64_t addr[64];
	int kind;
	MemTicket ticket[JOBS];
	Cycle issued[JOBS];
} Source;

static void make_job(Source *q)
{
	static const unsigned sizes[] = { 1, 2, 4, 4, 4, 8, 16, 32 };
	uint64_t r = next(&q->seed), span = r & 1 ? 1u << 14 : 1u << 20, start = next(&q->seed) % span, step = next(&q->seed) % 200;
	q->kind = (int)(r >> 8 & 15);
	unsigned bytes = sizes[r >> 16 & 7];
	q->a = (Access){ .kind = q->kind < 7 ? ACC_LOAD : q->kind < 10 ? ACC_STORE : ACC_ATOMIC, .returns = r >> 20 & 1,
		.space = q->kind == 0 ? SP_CONST : q->kind == 1 || q->kind == 9 ? SP_LOCAL : q->kind == 2 ? SP_SHARED : SP_GLOBAL,
		.bypass_l1 = !(r >> 21 & 7), .bytes = bytes, .mask = r >> 24 & 3 ? FULL : next(&q->seed) & FULL, .addr = q->addr };
	if (q->a.kind == ACC_ATOMIC && q->kind > 11)
		q->a.kind = ACC_LOAD;
	for (int i = 0; i < LANES; i++) {
		uint64_t at = r >> 28 & 3 ? start + step * (uint64_t)i : next(&q->seed) % span;
		q->addr[i] = A + at / bytes * bytes;
	}
	q->open = true;
}

/* True when the job was accepted. */
static bool try_job(SmMem *s, Source *q, LaunchStats *st, Cycle *retry)
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
		smmem_mechanism(s, q->now, q->addr[0] & 0xffff, 1 + (unsigned)(q->addr[1] & 511), q->addr[2] & 64, st, t);
		return true;
	}
	return smmem_access(s, q->now, &q->a, st, t, retry);
}

/* One SM's part of the window that ends at `end`. */
static void run_window(SmMem *s, Source *q, Cycle end, LaunchStats *st, int *refused)
{
	while (q->job < JOBS && q->now < end) {
		Cycle retry = 0;
		if (!q->open)
			make_job(q);
		if (try_job(s, q, st, &retry)) {
			Cycle free = q->ticket[q->job].pipe_free;
			ck_assert_uint_gt(free, q->now);
			q->now = free + (next(&q->seed) & 3 ? 0 : next(&q->seed) % 300);
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
	LaunchStats *st[SMS];
	int done[SMS] = { 0 }, left = SMS;
	for (int i = 0; i < SMS; i++) {
		s[i] = smmem_new(c, i);
		st[i] = &out->st[i];
		q[i].seed = seed * SMS + (uint64_t)i;
	}
	for (Cycle start = 0, soon = 0; left; start = later(start + window, soon / window * window)) {
		for (int k = 0; k < SMS; k++) {
			int i = order ? (k * 3 + order) % SMS : k;
			run_window(s[i], &q[i], start + window, st[i], &out->refused);
		}
		bool queued = false;
		for (int i = 0; i < SMS; i++)
			queued |= smmem_queued(s[i]);
		mem_drain(m, s, SMS, st);
		left = 0;
		soon = UNKNOWN;
		for (int i = 0; i < SMS; i++) {
			for (; done[i] < q[i].job; done[i]++) {
				bool pending = q[i].ticket[done[i]].npending;
				Cycle ready = smmem_resolve(s[i], &q[i].ticket[done[i]]);
				ck_assert(!pending || queued);
				ck_assert_msg(!pending || ready >= q[i].issued[done[i]] + mem_window(c), "job %d of SM %d: issued %llu, "
					"ready %llu", done[i], i, (unsigned long long)q[i].issued[done[i]], (unsigned long long)ready);
				out->ready[i][done[i]] = ready;
			}
			left += q[i].job < JOBS;
			soon = q[i].job < JOBS && q[i].now < soon ? q[i].now : soon;
		}
	}
	for (int i = 0; i < SMS; i++) {
		ck_assert_int_eq(smmem_outstanding(s[i], UNKNOWN), 0);
		stats_add(&out->total, st[i]);
		smmem_free(s[i]);
	}
	mem_finish(m, &out->total);
	mem_free(m);
	free(q);
	return out;
}

START_TEST(random_traffic)
{
	Config c = hostile_config(_i);
	Cycle window = mem_window(&c);
	Traffic *a = run_traffic(&c, (uint64_t)_i, window, 0), *b;
	const char *law = mem_conservation(&a->total, &c);
	ck_assert_msg(!law, "config %d: law broken: %s", _i, law);
	ck_assert_uint_gt(a->total.l2_requests, 0);
	/* neither the order of calls nor the length of the window shows */
	const Cycle length[] = { window, 1, (window + 1) / 2 };
	for (int k = 0; k < 3; k++) {
		b = run_traffic(&c, (uint64_t)_i, length[k], k + 1);
		for (int s = 0; s < SMS; s++)
			for (int j = 0; j < JOBS; j++)
				ck_assert_msg(a->ready[s][j] == b->ready[s][j], "config %d, variant %d: SM %d, job %d: %llu, then %llu", _i, k, s,
					j, (unsigned long long)a->ready[s][j], (unsigned long long)b->ready[s][j]);
		ck_assert(!memcmp(a->st, b->st, sizeof a->st));
		free(b);
	}
	if (_i == 1)
		ck_assert_int_gt(a->refused, 0);
	free(a);
}
END_TEST

/* The random traffic reaches everything it is meant to reach. */
START_TEST(random_traffic_reaches)
{
	LaunchStats sum = { 0 };
	int refused = 0;
	for (int which = 0; which < 12; which++) {
		Config c = hostile_config(which);
		Traffic *t = run_traffic(&c, (uint64_t)which, mem_window(&c), 0);
		stats_add(&sum, &t->total);
		refused += t->refused;
		free(t);
	}
	ck_assert_int_gt(refused, 100);
	const uint64_t count[] = { sum.l1_hits, sum.l1_merges, sum.l1_misses, sum.l1_bypasses, sum.l1_writes, sum.l1_atomics,
		sum.l1_other, sum.l2_hits, sum.l2_misses, sum.l2_allocations, sum.l2_writebacks, sum.dram_reads, sum.dram_writes,
		sum.dram_row_hits, sum.constant_misses, sum.fetch_misses, sum.shared_conflicts };
	for (size_t i = 0; i < sizeof count / sizeof *count; i++)
		ck_assert_msg(count[i] > 50, "counter %d is %llu", (int)i, (unsigned long long)count[i]);
}
END_TEST

/* A second launch on the same units is as the first. */
START_TEST(reset)
{
	Config c = defaults();
	Rig *r = rig(&c);
	Cycle first[50];
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 50; i++) {
			Cycle done = load_line(r, 10 * i, A + 128 * (i * 7 % 20));
			if (round)
				ck_assert_uint_eq(done, first[i]);
			first[i] = done;
		}
		ck_assert(stride(r, 5000, ACC_LOAD, SP_CONST, A, 0, 32, 4));
		ck_assert_uint_gt(finish(r), 5100);
		ck_assert(smmem_fetch(r->s, 6000, 64, &r->st, &r->t));
		drain(r);
		smmem_reset(r->s);
		mem_reset(r->m);
	}
	close_rig(r);
}
END_TEST

START_TEST(windows)
{
	Config c = defaults();
	ck_assert_uint_eq(mem_window(&c), 28);                   /* an L1 hit */
	c.l1_bytes = 0;
	ck_assert_uint_eq(mem_window(&c), 100);                  /* an instruction miss */
	c.fetch_bytes = 0;
	ck_assert_uint_eq(mem_window(&c), 140);                  /* there and back */
	c.icnt_latency = 0;
	c.l2_latency = 1;
	ck_assert_uint_eq(mem_window(&c), 1);
}
END_TEST

START_TEST(refused_configurations)
{
	Config c = defaults();
	ck_assert_ptr_null(mem_refuses(&c));
	c.l2_sector = 64;
	ck_assert_str_eq(mem_refuses(&c), "l2.sector_bytes must not be larger than l1.sector_bytes");
	c = defaults();
	c.l1_line = 96;
	ck_assert_str_eq(mem_refuses(&c), "l1.line_bytes and l1.sector_bytes must be powers of two");
	c = defaults();
	c.dram_hit = 101;
	ck_assert_str_eq(mem_refuses(&c), "dram.row_miss must not be smaller than dram.row_hit");
}
END_TEST

/* Every law finds the counter that is off by one. */
START_TEST(laws_can_fail)
{
	Config c = defaults();
	c.sm_count = SMS;
	Traffic *t = run_traffic(&c, 3, mem_window(&c), 0);
	ck_assert_ptr_null(mem_conservation(&t->total, &c));
	const size_t field[] = { offsetof(LaunchStats, l1_accesses), offsetof(LaunchStats, l1_hits), offsetof(LaunchStats, l1_merges),
		offsetof(LaunchStats, l1_misses), offsetof(LaunchStats, l1_bypasses), offsetof(LaunchStats, l1_writes),
		offsetof(LaunchStats, l1_atomics), offsetof(LaunchStats, l1_other), offsetof(LaunchStats, l2_requests),
		offsetof(LaunchStats, l2_replies), offsetof(LaunchStats, l2_hits), offsetof(LaunchStats, l2_misses),
		offsetof(LaunchStats, l2_allocations), offsetof(LaunchStats, l2_writebacks), offsetof(LaunchStats, dram_reads),
		offsetof(LaunchStats, dram_writes), offsetof(LaunchStats, transactions) };
	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		LaunchStats wrong = t->total;
		++*(uint64_t *)((char *)&wrong + field[i]);
		ck_assert_msg(mem_conservation(&wrong, &c) != NULL, "counter %d off by one is not noticed", (int)i);
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

/* check_mem --bench: host time of an access, SM's side and drain apart, of the fastest batch; the clock's own cost is
   taken off. */
static void bench_one(const char *name, uint64_t step, uint64_t advance, uint64_t wrap, AccessKind kind, Space space)
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
	Access a = { .kind = kind, .space = space, .returns = true, .bytes = 4, .mask = FULL, .addr = r->addr };
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

static int bench(void)
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

static Suite *suite(void)
{
	Suite *s = suite_create("mem");
	TCase *t = tcase_create("mem");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, latency_of_hits_and_misses);
	tcase_add_test(t, merging);
	tcase_add_test(t, merge_limit_and_mshr_limit);
	tcase_add_test(t, access_larger_than_the_mshr_table);
	tcase_add_loop_test(t, coalescing, 0, sizeof coalesce_cases / sizeof *coalesce_cases);
	tcase_add_loop_test(t, coalescing_at_random, 0, 4);
	tcase_add_test(t, whole_sectors_and_meeting_lanes);
	tcase_add_loop_test(t, shared_conflicts, 0, sizeof shared_cases / sizeof *shared_cases);
	tcase_add_test(t, constant_cache);
	tcase_add_test(t, instruction_cache);
	tcase_add_test(t, stores_and_write_backs);
	tcase_add_test(t, dirty_lines_leave_a_small_l2);
	tcase_add_test(t, atomics_meet_at_l2);
	tcase_add_test(t, bypass_and_no_l1);
	tcase_add_test(t, full_queue);
	tcase_add_test(t, forced_accesses_are_accepted);
	tcase_add_test(t, mechanism_traffic);
	tcase_add_test(t, rows_of_dram);
	tcase_add_test(t, bandwidth);
	tcase_add_test(t, hit_under_miss);
	tcase_add_test(t, l2_mshrs_limit_misses);
	tcase_add_loop_test(t, timeline_is_first_fit, 0, 20);
	tcase_add_test(t, timeline_beyond_its_ring);
	tcase_add_test(t, heap_sorts);
	tcase_add_loop_test(t, cache_is_lru, 0, 6);
	tcase_add_loop_test(t, random_traffic, 0, 40);
	tcase_add_test(t, random_traffic_reaches);
	tcase_add_test(t, reset);
	tcase_add_test(t, windows);
	tcase_add_test(t, refused_configurations);
	tcase_add_test(t, laws_can_fail);
	suite_add_tcase(s, t);
	return s;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--bench"))
		return bench();
	SRunner *r = srunner_create(suite());
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
