/* The memory system's timing: hand-computed latencies of every unit. */
#include "tests/machines.h"
#include "tests/sim/mem/mem_rig.h"
#include "passes/analysis/cost.h"
#include <stdlib.h>

/* Defaults: header 1 cycle, 40 each way, slice and reply port 32 bytes a cycle, L2 60; DRAM: 100 for a row
   miss, 40 for a row hit, 100 for the controller, 32 bytes a cycle. */
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
	for (int i = 0; i < 32; i++)             /* push it out of L1: 32 sets of 4 ways, every set 4 times */
		for (int k = 1; k <= 4; k++)
			load_line(r, 2000 + 1000 * (Cycle)(4 * i + k),
				A + 128 * (uint64_t)i + 4096 * (uint64_t)k);
	ck_assert_uint_eq(load_line(r, 200000, A), 200000 + L2_HIT);
	close_rig(r);
}
END_TEST

/* What passes are told that a load costs (config_costs) is what a lone load takes that misses everywhere, on
   every machine that we ship. */
START_TEST(costs_for_passes)
{
	const char *top = getenv("srcdir") ? getenv("srcdir") : "..";
	Config c;
	Diag d = { 0 };
	ck_assert_msg(config_load(&c, arena_printf(&d.arena, "%s/configs/%s", top, machine_files[_i]), &d),
		"%s", diag_first(&d));
	CostTable t = config_costs(&c);
	Rig *r = rig(&c);
	ck_assert(stride(r, 10, ACC_LOAD, SP_GLOBAL, A, 4, 1, 4));
	ck_assert_msg(finish(r) - 10 == (Cycle)t.memory[SP_GLOBAL], "%s: a load takes %d, passes are told %d",
		machine_files[_i], (int)(finish(r) - 10), t.memory[SP_GLOBAL]);
	ck_assert(stride(r, 10000, ACC_LOAD, SP_SHARED, 0, 4, 1, 4));
	ck_assert_uint_eq(finish(r) - 10000, (Cycle)t.memory[SP_SHARED]);
	if (!strcmp(machine_files[_i], "volta.lua"))
		ck_assert_msg(!memcmp(&t, &cost_default, sizeof t), "cost_default is not what %s says",
			machine_files[_i]);
	close_rig(r);
	diag_free(&d);
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
	ck_assert(stride(r, 12, ACC_LOAD, SP_GLOBAL, A + 64, 4, 16, 4));    /* same window: arrival unknown */
	second = r->t;
	ck_assert_int_eq(second.npending, 1);
	drain(r);
	ck_assert_uint_eq(smmem_resolve(r->s, &first), done);
	ck_assert_uint_eq(smmem_resolve(r->s, &second), done);
	ck_assert(stride(r, 100, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));             /* later: arrival known */
	ck_assert_int_eq(r->t.npending, 0);
	ck_assert_uint_eq(r->t.ready, done);
	/* an L1 hit takes at least its latency */
	ck_assert(stride(r, done - 1, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));
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
	ck_assert(!stride(r, 2, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));           /* the entry has collected two */
	ck_assert_uint_eq(r->retry, 0 + 140);                                  /* nothing comes back before */
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
	/* four lines, one MSHR: each starts when the one before it is back; one sector each, all rows
	   closed */
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A, 1 << 20, 4, 4));
	ck_assert_uint_eq(r->t.pipe_free, 4);
	MemTicket t = r->t;
	ck_assert(!stride(r, 4, ACC_LOAD, SP_GLOBAL, A + (9 << 20), 4, 1, 4));
	Cycle one = 1 + 40 + 1 + 60 + 1 + 40 + 100 + 1 + 100;
	drain(r);
	Cycle done = smmem_resolve(r->s, &t);
	ck_assert_uint_ge(done, 4 * one - 60 * 3);             /* rows may be shared: 60 less for a row hit */
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
	Access a = { .kind = ACC_LOAD, .bytes = k->bytes,
		.mask = k->n == 64 ? UINT64_MAX : ((uint64_t)1 << k->n) - 1,
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
	ck_assert_uint_eq(co->piece[0].full, 0);              /* 32 writes of one word do not fill a sector */
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
	/* halves, quarters */
	{ ACC_LOAD, 8, 32, 8, 32, 4, 2, 0 },       { ACC_LOAD, 16, 32, 16, 32, 4, 4, 0 },
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
	ck_assert(stride(r, 0, ACC_STORE, SP_GLOBAL, A, 4, 32, 4));    /* whole sectors: nothing is fetched */
	ck_assert_uint_eq(r->t.ready, 1);
	ck_assert_int_eq(r->t.npending, 0);
	drain(r);
	ck_assert_uint_eq(r->st.l2_allocations, 4);
	ck_assert_uint_eq(r->st.dram_reads, 0);
	/* header and 128 bytes up: 5 cycles; acknowledged without data */
	Cycle done = 5 + 40 + 4 + 60 + 40;
	ck_assert_int_eq(smmem_outstanding(r->s, done - 1), 1);
	ck_assert_int_eq(smmem_outstanding(r->s, done), 0);
	ck_assert_uint_eq(load_line(r, 1000, A), 1000 + L2_HIT);              /* no L1 allocation by stores */
	ck_assert(stride(r, 2000, ACC_STORE, SP_GLOBAL, A, 4, 32, 4));
	drain(r);
	ck_assert_uint_eq(load_line(r, 3000, A), 3028);                         /* the line in L1 stays */
	ck_assert(stride(r, 4000, ACC_STORE, SP_GLOBAL, A + 4096, 4, 1, 4));   /* part of a sector: fetched */
	drain(r);
	ck_assert_uint_eq(r->st.dram_reads, 1);
	ck_assert_uint_eq(r->st.dram_writes, 0);
	ck_assert_uint_eq(r->st.l2_dirtied, 5);               /* of them the line written twice counts once */
	close_rig(r);
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
	ck_assert_uint_eq(r->st.l2_dirtied, 20 * 4);
	close_rig(r);
}
END_TEST

/* A dirty line that has no place in the buffer keeps the store that evicts it from being done. */
START_TEST(full_write_buffer)
{
	Config c = defaults();
	c.l2_slices = c.dram_channels = 1;
	c.l2_bytes = 1024;
	c.l2_ways = 8;                                                          /* one set */
	c.l2_write_buffer = 1;
	Rig *r = rig(&c);
	for (unsigned i = 0; i < 8; i++)
		ck_assert(stride(r, i, ACC_STORE, SP_GLOBAL, A + 128 * i, 4, 32, 4));
	drain(r);
	ck_assert_uint_eq(r->st.dram_writes, 0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(stride(r, 1000 + i, ACC_STORE, SP_GLOBAL, A + 128 * (8 + i), 4, 32, 4));
	drain(r);
	/* 136 bytes on the port, way, slice, L2: the first is there at 1005 + 40 + 4 + 60 = 1109 and sends a
	   line to the closed row, written at 1109 + 100 + 4 = 1213. The second finds the buffer free then,
	   and writes in the open row until 1213 + 40 + 4 = 1257; the third likewise until 1301. Each is done
	   a way later than it has got its place in the buffer. */
	static const Cycle done[] = { 1109 + 40, 1213 + 40, 1257 + 40 };
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(smmem_outstanding(r->s, done[i] - 1), 3 - i);
		ck_assert_int_eq(smmem_outstanding(r->s, done[i]), 2 - i);
	}
	ck_assert_uint_eq(r->st.dram_writes, 3 * 4);
	ck_assert_uint_eq(r->st.quiet, 1301);                           /* the last line is on its way then */
	close_rig(r);
	c.l2_write_buffer = 2;                         /* the second need not wait, the third for the first */
	r = rig(&c);
	for (unsigned i = 0; i < 11; i++)
		ck_assert(stride(r, i < 8 ? i : 992 + i, ACC_STORE, SP_GLOBAL, A + 128 * i, 4, 32, 4));
	drain(r);
	/* the second is there at ceil(1000 + 8.5) + 40 + 4 + 60 = 1113, while the bank is busy with the first
	   until 1109 + 60 + 4 */
	static const Cycle two[] = { 1109 + 40, 1113 + 40, 1213 + 40 };
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(smmem_outstanding(r->s, two[i] - 1), 3 - i);
		ck_assert_int_eq(smmem_outstanding(r->s, two[i]), 2 - i);
	}
	ck_assert_uint_eq(r->st.quiet, 1213 + 40 + 4);
	close_rig(r);
}
END_TEST

START_TEST(atomics_meet_at_l2)
{
	Config c = defaults();
	c.l2_atomic = 10;
	Rig *r = rig(&c);
	load_line(r, 0, A);
	ck_assert(stride(r, 1000, ACC_ATOMIC, SP_GLOBAL, A, 0, 32, 4));  /* all on one word: 32 turns of 10 */
	ck_assert_uint_eq(finish(r), 1000 + 2 + 40 + 320 + 60 + 1 + 40);
	ck_assert(stride(r, 3000, ACC_ATOMIC, SP_GLOBAL, A, 4, 32, 4));         /* every lane its own */
	ck_assert_uint_eq(finish(r), 3000 + 5 + 40 + 10 + 60 + 4 + 40);
	ck_assert_uint_eq(r->st.l1_atomics, 1 + 4);
	ck_assert_uint_eq(r->st.transactions, 4 + 1 + 4);
	Access a = { .kind = ACC_ATOMIC, .space = SP_GLOBAL, .bytes = 4, .mask = 1, .addr = r->addr };
	ck_assert(smmem_access(r->s, 5000, &a, &r->st, &r->t, &r->retry));    /* without result: as a store */
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
		Access a = { .kind = ACC_LOAD, .space = SP_GLOBAL, .bypass_l1 = how == 0, .bytes = 4,
			.mask = FULL, .addr = r->addr };
		for (Cycle now = 0; now <= 1000; now += 1000) {
			ck_assert(smmem_access(r->s, now, &a, &r->st, &r->t, &r->retry));
			ck_assert_uint_eq(finish(r), now + L2_HIT + (now ? 0 : ROW_MISS));
		}
		ck_assert_uint_eq(r->st.l1_accesses, 0);
		ck_assert_uint_eq(r->st.l1_bypasses, 8);
		a.space = SP_LOCAL;
		a.bypass_l1 = false;
		ck_assert(smmem_access(r->s, 2000, &a, &r->st, &r->t, &r->retry));
		/* local memory uses L1 when there is one */
		ck_assert_uint_eq(r->st.l1_accesses, how == 2 ? 0 : 4);
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

/* Two SMs on one L2. */
START_TEST(sharing_l2)
{
	Config c = defaults();
	c.sm_count = 2;
	MemSystem *m = mem_new(&c);
	SmMem *s[2] = { smmem_new(&c, 0), smmem_new(&c, 1) };
	Totals stats[2] = { { 0 }, { 0 } }, *st[2] = { &stats[0], &stats[1] };
	MemTicket t[2];
	Cycle retry;
	uint64_t addr[2] = { A, A };
	Access a = { .kind = ACC_LOAD, .space = SP_GLOBAL, .bytes = 4, .mask = 1, .addr = addr };
	Cycle fill = 1 + 40 + 1 + 60 + 100 + 1 + 100;
	ck_assert(smmem_access(s[1], 1, &a, st[1], &t[1], &retry));           /* later, though first called */
	ck_assert(smmem_access(s[0], 0, &a, st[0], &t[0], &retry));
	mem_drain(m, s, 2);
	ck_assert_uint_eq(smmem_resolve(s[0], &t[0]), fill + 41);
	/* a port of its own: waits for the same fill */
	ck_assert_uint_eq(smmem_resolve(s[1], &t[1]), fill + 41);
	ck_assert_uint_eq(stats[0].l2_misses, 1);
	ck_assert_uint_eq(stats[1].l2_hits, 1);
	/* local memory is not shared, whatever the addresses */
	a.space = SP_LOCAL;
	for (unsigned i = 0; i < 2; i++)
		ck_assert(smmem_access(s[i], 1000, &a, st[i], &t[i], &retry));
	mem_drain(m, s, 2);
	ck_assert_uint_eq(stats[0].l2_misses + stats[1].l2_misses, 3);
	/* code is */
	for (unsigned i = 0; i < 2; i++)
		ck_assert(smmem_fetch(s[i], 2000, 0, st[i], &t[i]));
	mem_drain(m, s, 2);
	ck_assert_uint_eq(stats[0].l2_misses + stats[1].l2_misses, 3 + 4);
	for (int i = 0; i < 2; i++)
		smmem_free(s[i]);
	mem_free(m);
}
END_TEST

/* The least recently used line leaves, in L1 and in L2: 0 was used after 1. */
START_TEST(use_keeps_lines)
{
	for (int level = 1; level <= 2; level++) {
		Config c = defaults();
		c.l1_bytes = level == 1 ? 256 : 0;
		c.l1_ways = c.l2_ways = 2;
		c.l2_slices = 1;
		c.l2_bytes = level == 2 ? 256 * 4 : c.l2_bytes;          /* 4 sets */
		Rig *r = rig(&c);
		static const unsigned order[] = { 0, 1, 0, 2, 0 };
		for (unsigned i = 0; i < 5; i++)
			load_line(r, 1000 * i, A + 512 * order[i]);
		ck_assert_uint_eq(level == 1 ? r->st.l1_hits : r->st.l2_hits, 2 * 4);
		load_line(r, 9000, A + 512);
		ck_assert_uint_eq(level == 1 ? r->st.l1_hits : r->st.l2_hits, 2 * 4);
		close_rig(r);
	}
}
END_TEST

START_TEST(slowest_part_counts)
{
	Config c = defaults();
	c.l1_bytes = 0;
	c.icnt_width = 2;                                        /* 4 cycles a header, 16 a sector */
	Rig *r = rig(&c);
	Cycle hit = 4 + 40 + 1 + 60 + 16 + 40;
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A + 128, 4, 1, 4));
	ck_assert_uint_eq(finish(r), hit + 100 + 1 + 100);
	ck_assert(stride(r, 1000, ACC_LOAD, SP_GLOBAL, A, 128, 2, 4));           /* a miss, then a hit */
	ck_assert_uint_eq(finish(r), 1000 + hit + 100 + 1 + 100);
	close_rig(r);
	c.l1_queue = 1;                                          /* one after the other */
	r = rig(&c);
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A, 1024, 2, 4));
	ck_assert_uint_eq(finish(r), 2 * (hit + 100 + 1 + 100));
	close_rig(r);
}
END_TEST

START_TEST(other_sectors_of_a_line_on_its_way)
{
	Config c = defaults();
	Rig *r = rig(&c);
	ck_assert(stride(r, 0, ACC_LOAD, SP_GLOBAL, A, 4, 8, 4));
	/* sector 0 merges, sector 1 is asked for */
	ck_assert(stride(r, 1, ACC_LOAD, SP_GLOBAL, A, 4, 16, 4));
	ck_assert_uint_eq(r->st.l1_merges, 1);
	ck_assert_uint_eq(r->st.l1_misses, 2);
	MemTicket t = r->t;
	drain(r);
	/* the bank opened the row at 162 and sent one sector */
	ck_assert_uint_eq(smmem_resolve(r->s, &t), 163 + 40 + 1 + 100 + 1 + 40);
	/* the other two */
	ck_assert_uint_eq(load_line(r, 1000, A), 1000 + 1 + 40 + 2 + 60 + 40 + 2 + 100 + 2 + 40);
	ck_assert_uint_eq(r->st.l1_hits, 2);
	close_rig(r);
}
END_TEST

START_TEST(emptied_caches_forget_dirty_lines)
{
	Config c = defaults();
	c.l2_slices = 1;
	c.l2_bytes = 1024;
	Rig *r = rig(&c);
	ck_assert(stride(r, 0, ACC_STORE, SP_GLOBAL, A, 128, 8, 4));
	drain(r);
	smmem_launch(r->s, 1000);
	mem_empty(r->m);
	load_line(r, 1000, A);
	ck_assert_uint_eq(r->st.l2_dirtied, 8);
	ck_assert_uint_eq(r->st.l2_writebacks, 0);
	close_rig(r);
}
END_TEST

START_TEST(forced_accesses_are_accepted)
{
	Config c = defaults();
	c.l1_queue = 1;
	c.l1_mshrs = 1;
	Rig *r = rig(&c);
	Access a = { .kind = ACC_LOAD, .space = SP_GLOBAL, .returns = true, .bytes = 4, .mask = FULL,
		.addr = r->addr };
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
	smmem_mechanism(r->s, 9000, 8, 8, true, &r->st, &r->t);      /* not a whole sector, but it is there */
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
	Totals st = { 0 };
	Dram d;
	dram_init(&d, &c);
	/* 16 lines to a row; bank 0 opens row 0 */
	ck_assert_uint_eq(dram_access(&d, 0, 0, 0, 1, false, &st), 100 + 1 + 100);
	ck_assert_uint_eq(dram_access(&d, 0, 1000, 15, 4, false, &st), 1000 + ROW_HIT);
	/* the next row: another bank */
	ck_assert_uint_eq(dram_access(&d, 0, 2000, 16, 4, false, &st), 2000 + ROW_MISS);
	/* the first is still open */
	ck_assert_uint_eq(dram_access(&d, 0, 2000, 3, 4, true, &st), 2000 + 40 + 4);
	ck_assert_uint_eq(st.dram_row_hits, 0 + 4 + 3 + 4);
	/* two row hits of one bank at one time: the second burst follows the first */
	ck_assert_uint_eq(dram_access(&d, 0, 3000, 0, 4, false, &st), 3000 + ROW_HIT);
	ck_assert_uint_eq(dram_access(&d, 0, 3000, 1, 4, false, &st), 3004 + ROW_HIT);
	ck_assert_uint_eq(st.dram_reads, 1 + 4 + 4 + 4 + 4);
	ck_assert_uint_eq(st.dram_writes, 4);
	/* a row of the same bank: at most `banks` rows away, whatever the bank's permutation; row change
	   while busy */
	uint64_t other = 0;
	for (uint64_t line = 16; !other; line += 16) {
		Bank before = d.bank[0];
		dram_access(&d, 0, 10000 + line * 100, line, 1, false, &st);
		if (memcmp(&before, &d.bank[0], sizeof before))
			other = line;
	}
	ck_assert_uint_ge(other, 16 * 2);
	dram_access(&d, 0, 900000, 0, 1, false, &st);                                  /* opens row 0 again */
	ck_assert_uint_eq(dram_access(&d, 0, 901000, 0, 1, false, &st), 901000 + 40 + 1 + 100);
	ck_assert_uint_eq(dram_access(&d, 0, 901000, other, 1, false, &st), 901001 + 100 + 1 + 100);
	/* a higher row is open there now: the lower one has to be opened again */
	ck_assert_uint_eq(dram_access(&d, 0, 902000, 0, 1, false, &st), 902000 + 100 + 1 + 100);
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
		ck_assert_msg(done >= least && done < least + 1200,
			"bottleneck %d: %u lines in %llu cycles, least %llu", what, LINES,
			(unsigned long long)done, (unsigned long long)least);
		close_rig(r);
	}
}
END_TEST

/* Bytes per cycle of the interconnect, a slice and a channel are not rounded: 2000 lines of 128 bytes take
   2000 x 128 / rate cycles, after the first, at every rate. */
START_TEST(rates_are_exact)
{
	enum { LINES = 2000 };
	Cycle before = UNKNOWN;
	for (int64_t rate = 32; rate <= 64; rate++) {
		Config c = defaults();
		c.l1_bytes = 0;
		c.l1_queue = c.l2_mshrs = 4096;
		c.l2_bytes = 1 << 24;
		c.l2_slices = c.dram_channels = 1;
		c.icnt_width = c.l2_width = c.dram_width = 1024;
		*(_i == 0 ? &c.icnt_width : _i == 1 ? &c.l2_width : &c.dram_width) = rate;
		Rig *r = rig(&c);
		Cycle first = load_line(r, 0, A), done = 0;
		for (unsigned i = 1; i <= LINES; i++)
			done = later(done, load_line(r, i, A + 128 * i));
		Cycle bytes = (done - first) * (Cycle)rate;
		ck_assert_msg(bytes + (Cycle)rate > 128 * LINES && bytes < 129 * LINES,
			"unit %d, %d bytes a cycle: %llu cycles", _i, (int)rate,
			(unsigned long long)(done - first));
		ck_assert_uint_lt(done, before);
		before = done;
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
	/* another sector of that line: no MSHR more */
	ck_assert(stride(r, 1, ACC_LOAD, SP_GLOBAL, A + 32, 4, 8, 4));
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

/* With empty caches the units take as long as in the beginning. */
START_TEST(emptied)
{
	Config c = defaults();
	Rig *r = rig(&c);
	Cycle first[50];
	for (Cycle from = 0; from < 20000; from += 10000) {
		for (unsigned i = 0; i < 50; i++) {
			Cycle done = load_line(r, from + 10 * i, A + 128 * (i * 7 % 20)) - from;
			if (from)
				ck_assert_uint_eq(done, first[i]);
			first[i] = done;
		}
		ck_assert(stride(r, from + 5000, ACC_LOAD, SP_CONST, A, 0, 32, 4));
		ck_assert_uint_gt(finish(r), from + 5100);
		ck_assert(smmem_fetch(r->s, from + 6000, 64, &r->st, &r->t));
		drain(r);
		smmem_flush(r->s);
		mem_empty(r->m);
		smmem_launch(r->s, from + 10000);
	}
	close_rig(r);
}
END_TEST

/* A launch finds L2 and the instruction cache as they were left; L1, which is not coherent, and constants are
   asked for anew. */
START_TEST(a_launch_begins)
{
	Config c = defaults();
	Rig *r = rig(&c);
	load_line(r, 0, A);
	ck_assert(stride(r, 1000, ACC_LOAD, SP_CONST, A, 0, 32, 4));
	finish(r);
	ck_assert(smmem_fetch(r->s, 2000, 64, &r->st, &r->t));
	drain(r);
	smmem_launch(r->s, 3000);
	ck_assert_uint_eq(load_line(r, 3000, A), 3000 + L2_HIT);
	ck_assert(stride(r, 4000, ACC_LOAD, SP_CONST, A, 0, 32, 4));
	finish(r);
	ck_assert_uint_eq(r->st.constant_misses, 2);
	ck_assert(!smmem_fetch(r->s, 5000, 64, &r->st, &r->t));
	close_rig(r);
}
END_TEST

/* What has come to L1 when the launch begins is gone, though nobody has looked since; what comes later stays,
   and is waited for. */
START_TEST(a_launch_begins_amid_loads)
{
	/* cycles from the data's arrival */
	static const struct { int begin, again, ready; bool hit; } at[] = {
		{ 1, 1, L2_HIT + 1, false }, { 500, 1000, L2_HIT + 1000, false }, { 0, 1, L2_HIT + 1, false },
		{ -1, 0, 28, true }, { -50, 7, 35, true }, { -50, -40, 0, false },
	};
	Config c = defaults();
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		Rig *r = rig(&c);
		Cycle there = load_line(r, 0, A);
		smmem_launch(r->s, there + (Cycle)at[i].begin);
		ck_assert_uint_eq(load_line(r, there + (Cycle)at[i].again, A), there + (Cycle)at[i].ready);
		ck_assert_uint_eq(r->st.l1_hits, at[i].hit ? 4 : 0);
		close_rig(r);
	}
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
	ck_assert_ptr_null(config_memory_refused(&c));
	c.l2_sector = 64;
	ck_assert_str_eq(config_memory_refused(&c), "l2.sector_bytes must not be larger than "
		"l1.sector_bytes");
	c = defaults();
	c.l1_line = 96;
	ck_assert_str_eq(config_memory_refused(&c), "l1.line_bytes and l1.sector_bytes must be powers of "
		"two");
	c = defaults();
	c.dram_hit = 101;
	ck_assert_str_eq(config_memory_refused(&c), "dram.row_miss must not be smaller than dram.row_hit");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mem");
	TCase *t = tcase_create("mem");
	tcase_add_test(t, latency_of_hits_and_misses);
	tcase_add_loop_test(t, costs_for_passes, 0, MACHINE_FILES);
	tcase_add_test(t, merging);
	tcase_add_test(t, merge_limit_and_mshr_limit);
	tcase_add_test(t, access_larger_than_the_mshr_table);
	tcase_add_loop_test(t, coalescing, 0, sizeof coalesce_cases / sizeof *coalesce_cases);
	tcase_add_test(t, whole_sectors_and_meeting_lanes);
	tcase_add_loop_test(t, shared_conflicts, 0, sizeof shared_cases / sizeof *shared_cases);
	tcase_add_test(t, constant_cache);
	tcase_add_test(t, instruction_cache);
	tcase_add_test(t, stores_and_write_backs);
	tcase_add_test(t, dirty_lines_leave_a_small_l2);
	tcase_add_test(t, full_write_buffer);
	tcase_add_test(t, atomics_meet_at_l2);
	tcase_add_test(t, bypass_and_no_l1);
	tcase_add_test(t, full_queue);
	tcase_add_test(t, sharing_l2);
	tcase_add_test(t, use_keeps_lines);
	tcase_add_test(t, slowest_part_counts);
	tcase_add_test(t, other_sectors_of_a_line_on_its_way);
	tcase_add_test(t, emptied_caches_forget_dirty_lines);
	tcase_add_test(t, forced_accesses_are_accepted);
	tcase_add_test(t, mechanism_traffic);
	tcase_add_test(t, rows_of_dram);
	tcase_add_test(t, bandwidth);
	tcase_add_loop_test(t, rates_are_exact, 0, 3);
	tcase_add_test(t, hit_under_miss);
	tcase_add_test(t, l2_mshrs_limit_misses);
	tcase_add_test(t, emptied);
	tcase_add_test(t, a_launch_begins);
	tcase_add_test(t, a_launch_begins_amid_loads);
	tcase_add_test(t, windows);
	tcase_add_test(t, refused_configurations);
	suite_add_tcase(s, t);
	suite_add_tcase(s, mem_random_tests());
	return s;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--bench"))
		return mem_bench();
	SRunner *r = srunner_create(suite());
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
