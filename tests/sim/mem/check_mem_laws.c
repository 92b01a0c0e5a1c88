/* What a memory system holds and counts, whatever it is made of: caches hold as many lines as they say, and
   intervals add up to the totals. */
#include "tests/sim/mem/mem_rig.h"

/* ---- what caches hold ---- */

/* Consecutive lines that just fit in L2, from a line that the number of slices divides, are fetched once:
   with every number of slices they are dealt evenly, and over all sets. */
START_TEST(l2_holds_consecutive_lines)
{
	static const int64_t slices[] = { 1, 2, 3, 4, 6, 8, 11, 16 };
	Config c = defaults();
	c.l1_bytes = 0;
	c.l2_slices = c.dram_channels = slices[_i];
	c.l2_ways = 2;
	c.l2_bytes = slices[_i] * 8 * c.l2_ways * c.l2_line;
	unsigned lines = (unsigned)(c.l2_bytes / c.l2_line);
	uint64_t start = A - A % (128 * (uint64_t)slices[_i]);
	Rig *r = rig(&c);
	for (unsigned i = 0; i < 3 * lines; i++)
		load_line(r, 1000 * i, start + 128 * (i % lines));
	ck_assert_uint_eq(r->st.l2_misses, 4 * lines);
	ck_assert_uint_eq(r->st.dram_reads, 4 * lines);
	/* twice as many, in turn: least recently used, so none is there again */
	for (unsigned i = 0; i < 2 * lines; i++)
		load_line(r, 4000000 + 1000 * i, start + 128 * (lines + i));
	ck_assert_uint_eq(r->st.l2_misses, 4 * 3 * lines);
	close_rig(r);
}
END_TEST

/* Lanes hit whose sectors have all been loaded before, by whatever lane. */
START_TEST(lanes_hit_what_was_loaded)
{
	Config c = defaults();
	Rig *r = rig(&c);
	bool loaded[4096 / 32] = { false };
	uint64_t random = 3;
	int some = 0;
	for (int i = 0; i < 200; i++) {
		uint64_t hits = 0, want = 0;
		unsigned bytes = 1u << random_next(&random) % 6;
		Access a = { .kind = ACC_LOAD, .space = _i ? SP_LOCAL : SP_GLOBAL, .returns = true,
			.bytes = bytes, .mask = random_next(&random) & FULL,
			.addr = r->addr, .hits = &hits };
		for (int l = 0; l < LANES; l++) {
			uint64_t at = random_next(&random) % (4096 - 32);
			r->addr[l] = A + at;
			want |= (uint64_t)(loaded[at / 32] && loaded[(at + bytes - 1) / 32]) << l;
		}
		want &= a.mask;
		ck_assert(smmem_access(r->s, 1000 * (Cycle)i, &a, &r->st, &r->t, &r->retry));
		ck_assert_msg(hits == want, "access %d: lanes %llx hit, expected %llx", i,
			(unsigned long long)hits, (unsigned long long)want);
		some += want && want != a.mask;
		for (int l = 0; l < LANES; l++)
			if (a.mask >> l & 1)
				loaded[(r->addr[l] - A) / 32] = loaded[(r->addr[l] - A + bytes - 1) / 32] =
					true;
		finish(r);
	}
	ck_assert_int_gt(some, 3);
	close_rig(r);
}
END_TEST

/* ---- what is fetched ---- */

/* What a mechanism stores, byte by byte: sectors that it writes whole are allocated, those that it writes in
   part are fetched. */
START_TEST(stores_fetch_what_they_write_in_part)
{
	Config c = defaults();
	c.l2_bytes = 1 << 22;
	Rig *r = rig(&c);
	uint64_t whole = 0, part = 0, at = 0;
	for (unsigned offset = 0; offset < 160; offset += 8)
		for (unsigned bytes = 8; bytes < 300; bytes += 12, at += 4096) {
			for (unsigned sector = 0; sector < 4096; sector += 32) {
				unsigned n = 0;
				for (unsigned k = 0; k < 32; k++)
					n += sector + k >= offset && sector + k < offset + bytes;
				whole += n == 32;
				part += n > 0 && n < 32;
			}
			smmem_mechanism(r->s, at, at + offset, bytes, true, &r->st, &r->t);
			drain(r);
		}
	ck_assert_uint_eq(r->st.l2_allocations, whole);
	ck_assert_uint_eq(r->st.l2_misses, part);
	ck_assert_uint_eq(r->st.dram_reads, part);
	ck_assert_uint_eq(r->st.l1_other, whole + part);
	close_rig(r);
}
END_TEST

/* ---- intervals ---- */

#define MEMORY_COUNTERS(X) X(l2_requests) X(l2_replies) X(l2_hits) X(l2_misses) X(l2_allocations) \
	X(l2_writebacks) X(l2_dirtied) X(dram_reads) X(dram_writes) X(dram_row_hits)

/* Loads, stores and atomics of a few lanes on a few lines, one every few cycles. */
static Rig *some_traffic(const Config *c, Intervals *to)
{
	Rig *r = rig(c);
	uint64_t random = 7;
	Cycle now = 0;
	mem_sample(r->m, to);
	for (int i = 0; i < 400; i++) {
		uint64_t x = random_next(&random);
		AccessKind kind = x % 4 == 0 ? ACC_STORE : x % 4 == 1 ? ACC_ATOMIC : ACC_LOAD;
		while (!stride(r, now, kind, SP_GLOBAL, A + (x >> 8 & 0x3ffc), x >> 32 & 60,
			1 + (int)(x >> 40 & 31), 4)) {
			drain(r);
			now = r->retry;
		}
		finish(r);
		now += 1 + (x >> 50 & 15);
	}
	return r;
}

START_TEST(intervals_add_up)
{
	static const Cycle length[] = { 1, 7, 100, 1 << 20 };
	Config c = defaults();
	c.l2_bytes = 4096;
	Rig *without = some_traffic(&c, NULL);
	Intervals *v = intervals_new(length[_i]);
	Rig *r = some_traffic(&c, v);
	ck_assert(!memcmp(&r->st, &without->st, sizeof r->st)); /* it makes no difference who looks on */
#define COMPARE(FIELD) { \
	uint64_t sum = 0; \
	for (int k = 0; k < v->n; k++) \
		sum += v->row[k].FIELD; \
	ck_assert_msg(sum == r->st.FIELD && sum, #FIELD " is %d, of intervals %d", (int)r->st.FIELD, \
	(int)sum); }
	MEMORY_COUNTERS(COMPARE)
	intervals_free(v);
	close_rig(without);
	close_rig(r);
}
END_TEST

/* A lone load: at L2 after its header and the way; L2's way and latency, a row miss, and its burst is over;
   DRAM's latency, the port and the way back. What moves is counted in its last cycle. */
START_TEST(intervals_have_the_cycle)
{
	Config c = defaults();
	Rig *r = rig(&c);
	Intervals *v = intervals_new(1);
	mem_sample(r->m, v);
	ck_assert(stride(r, 10, ACC_LOAD, SP_GLOBAL, A, 4, 1, 4));
	Cycle arrives = 10 + 1 + 40, burst = arrives + 1 + 60 + 100 + 1, back = burst + 100 + 1 + 40;
	ck_assert_uint_eq(finish(r), back);
	ck_assert_uint_eq(intervals_at(v, arrives)->l2_requests, 1);
	ck_assert_uint_eq(intervals_at(v, arrives)->l2_misses, 1);
	ck_assert_uint_eq(intervals_at(v, burst - 1)->dram_reads, 1);
	ck_assert_uint_eq(intervals_at(v, back - 1)->l2_replies, 1);
	close_rig(r);
	intervals_free(v);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("laws of the memory system");
	TCase *t = tcase_create("laws");
	tcase_add_loop_test(t, l2_holds_consecutive_lines, 0, 8);
	tcase_add_loop_test(t, lanes_hit_what_was_loaded, 0, 2);
	tcase_add_test(t, stores_fetch_what_they_write_in_part);
	tcase_add_loop_test(t, intervals_add_up, 0, 4);
	tcase_add_test(t, intervals_have_the_cycle);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	SRunner *r = srunner_create(suite());
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
