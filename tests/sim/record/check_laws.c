/* The laws of the memory system (sim/record/laws.c) hold of counters that just keep them, and each one
   notices a counter that is one off. */
#include "sim/record/stats.h"
#include "tests/check.h"
#include <stddef.h>

/* Counters that keep every law of stats_memory_law; inequalities as equalities. */
static Totals kept(const Config *c)
{
	uint64_t wide = (uint64_t)(c->l1_sector / c->l2_sector), requests = 4 * wide + 5 + 6 + 7 + 8;
	return (Totals){
		.l1_hits = 3, .l1_merges = 2, .l1_misses = 4, .l1_accesses = 9,
		.l1_bypasses = 5, .l1_writes = 6, .l1_atomics = 7, .transactions = 9 + 5 + 6 + 7,
		.l1_other = 8, .l2_requests = requests, .l2_replies = requests,
		.l2_misses = 10, .l2_allocations = 3, .l2_hits = requests - 13, .dram_reads = 10,
		.l2_writebacks = 11, .dram_writes = 11, .l2_dirtied = 6 + 7 + 8, .dram_row_hits = 10 + 11,
		.nonfaulting_loads = 3, .nonfaulting_zero_loads = 3, .nonfaulting_zero_lanes = 3,
		.nonfaulting_lanes = 3,
	};
}

#define OFF(COUNTER, BY, LAW) { #COUNTER, offsetof(Totals, COUNTER), BY, LAW }
static const struct { const char *counter; size_t at; int by; const char *law; } wrong[] = {
	OFF(l1_hits, 1, "L1 accesses ="), OFF(l1_hits, -1, "L1 accesses ="),
		OFF(l1_merges, 1, "L1 accesses ="),
	OFF(l1_misses, -1, "L1 accesses ="), OFF(l1_accesses, 1, "L1 accesses ="),
	OFF(transactions, 1, "memory transactions ="), OFF(transactions, -1, "memory transactions ="),
	OFF(l1_bypasses, 1, "memory transactions ="), OFF(l1_writes, -1, "memory transactions ="),
	OFF(l1_atomics, 1, "memory transactions ="),
	OFF(l1_other, 1, "L2 requests = L1 misses"), OFF(l1_other, -1, "L2 requests = L1 misses"),
	OFF(l2_replies, -1, "L2 replies"), OFF(l2_replies, 1, "L2 replies"),
	OFF(l2_hits, 1, "L2 requests = hits"), OFF(l2_misses, -1, "L2 requests = hits"),
	OFF(l2_allocations, 1, "L2 requests = hits"),
	OFF(dram_reads, 1, "DRAM reads"), OFF(dram_reads, -1, "DRAM reads"),
	OFF(dram_writes, 1, "DRAM writes"), OFF(l2_writebacks, 1, "DRAM writes"),
	OFF(l2_dirtied, 1, "L2 sectors that became dirty"), OFF(l2_dirtied, -1, NULL),
	OFF(dram_row_hits, 1, "DRAM row hits"), OFF(dram_row_hits, -1, NULL),
	OFF(nonfaulting_zero_loads, 1, "nonfaulting loads"), OFF(nonfaulting_zero_loads, -1, NULL),
	OFF(nonfaulting_zero_lanes, 1, "nonfaulting loads"), OFF(nonfaulting_lanes, -1, "nonfaulting loads"),
	OFF(nonfaulting_lanes, 1, NULL),
	OFF(nonfaulting_loads, -1, "nonfaulting loads"), OFF(nonfaulting_loads, 1, NULL),
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(memory_law)
{
	Config c;
	config_defaults(&c);
	Totals s = kept(&c);
	const char *law = stats_memory_law(&s, &c);
	ck_assert_msg(!law, "counters that keep every law break one: %s", law);
	uint64_t *counter = (uint64_t *)((char *)&s + wrong[_i].at);
	*counter += (uint64_t)wrong[_i].by;
	law = stats_memory_law(&s, &c);
	if (!wrong[_i].law)
		ck_assert_msg(!law, "%s %+d breaks a law: %s", wrong[_i].counter, wrong[_i].by, law);
	else
		ck_assert_msg(law && !strncmp(law, wrong[_i].law, strlen(wrong[_i].law)),
			"%s %+d: %s, not %s", wrong[_i].counter, wrong[_i].by, law ? law : "no law is broken",
			wrong[_i].law);
}
END_TEST

/* What moves as fast as it can keeps the laws of rates; a sector more does not. */
START_TEST(rate_law)
{
	Config c;
	config_defaults(&c);
	uint64_t cycles = (uint64_t)c.l2_sector, dram = (uint64_t)(c.dram_channels * c.dram_width),
		l2 = (uint64_t)(c.l2_slices * c.l2_width),
		ports = (uint64_t)(c.sm_count * c.icnt_width);
	const Totals full = { .cycles = cycles, .dram_reads = dram - 1, .dram_writes = 1,
		.l2_requests = l2, .l1_writes = ports - 1, .l1_atomics = 1,
		.l1_bypasses = ports };
	ck_assert_msg(!stats_rate_law(&full, &c), "%s", stats_rate_law(&full, &c));
	Totals more[6] = { full, full, full, full, full, full };
	more[0].dram_reads++;
	more[1].dram_writes++;
	more[2].l2_requests++;
	more[3].l1_writes++;
	more[4].l1_atomics++;
	more[5].l1_bypasses++;
	static const char *const law[6] = { "bytes read from DRAM", "bytes read from DRAM",
		"bytes asked of L2", "bytes written", "bytes written", "bytes loaded" };
	for (int i = 0; i < 6; i++) {
		const char *broken = stats_rate_law(&more[i], &c);
		ck_assert_msg(broken && !strncmp(broken, law[i], strlen(law[i])), "%d: %s, not %s", i,
			broken ? broken : "no law is broken", law[i]);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("laws");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, memory_law, 0, WRONG);
	tcase_add_test(t, rate_law);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
