/* Splits with lanes of several warps, by hand: who is joined with whom, on warps of four lanes. What every
 * mechanism must run is in tests/sim/reconv/check_mechanisms.c; here are counts. */
#include "tests/random/random_text.h"
#include "tests/sim/sm/sim_rig.h"

/* Threads write out[thread] = %x. */
#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %x, %v, %w, %m\n reg u64 %o, %f\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n %x = add.u32 %t, 1\n %w = shr.u32 %t, 2\n" BODY \
	" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n}\n"
/* Side B: every other lane of even warps, the others of odd warps. */
#define CROSSED " %v = xor.b32 %t, %w\n %v = and.b32 %v, 1\n %p = setp.ne.u32 %v, 0\n bra %p, B, C\n"
#define ALIKE " %v = and.b32 %t, 1\n %p = setp.ne.u32 %v, 0\n bra %p, B, C\n"
#define SIDES "B: %x = mul.lo.u32 %x, 3\n bra D\nC: %x = mul.lo.u32 %x, 5\n bra D\nD:"

static const char *const models[] = { "dwf", "tbc" };

static Rig *rig(int model, const char *more)
{
	char set[160];
	snprintf(set, sizeof set, "divergence.model=%s %s", models[model], more);
	return rig_new(set);
}

static Rig *run(int model, const char *more, const char *text, unsigned threads)
{
	Rig *r = rig(model, more);
	rig_run(r, text, 1, threads);
	ck_assert_uint_eq(r->s.totals.pushes, r->s.totals.pops);
	return r;
}

static uint64_t figure(const Rig *r, const char *key)
{
	for (int k = 0; k < r->s.totals.nmodel; k++)
		if (!strcmp(r->s.totals.model[k].key, key))
			return r->s.totals.model[k].value;
	return 0;
}

static unsigned fetches(const Rig *r, const char *label)
{
	for (int k = 0; k < r->s.tables.blocks.n; k++)
		if (!strcmp(r->s.tables.blocks.v[k].label, label))
			return (unsigned)r->s.tables.blocks.v[k].fetches;
	ck_abort_msg("no block %s", label);
}

/* Two warps whose sides fit into each other: one warp a side. */
START_TEST(columns_that_fit)
{
	Rig *r = run(_i, "", K(CROSSED SIDES), 8);
	ck_assert_uint_eq(fetches(r, "A"), 2);
	ck_assert_uint_eq(fetches(r, "B"), 1);
	ck_assert_uint_eq(fetches(r, "C"), 1);
	ck_assert_uint_eq(fetches(r, "D"), 2);
	ck_assert_uint_eq(r->s.totals.active_lanes[4], r->s.totals.warp_instructions); /* always full */
	rig_free(r);
}
END_TEST

/* The same lanes of both: nothing to join. */
START_TEST(columns_that_conflict)
{
	Rig *r = run(_i, "", K(ALIKE SIDES), 8);
	ck_assert_uint_eq(fetches(r, "B"), 2);
	ck_assert_uint_eq(fetches(r, "C"), 2);
	ck_assert_uint_eq(figure(r, "lane_conflicts") > 0, _i == 0);
	rig_free(r);
}
END_TEST

/* Four warps, lane 0 of each on side B: as many warps as its column has threads, three full columns on the
   other. */
START_TEST(the_fullest_column_counts)
{
	Rig *r = run(_i, "", K(" %v = and.b32 %t, 3\n %p = setp.eq.u32 %v, 0\n bra %p, B, C\n" SIDES), 16);
	ck_assert_uint_eq(fetches(r, "B"), 4);
	ck_assert_uint_eq(fetches(r, "C"), 4);
	rig_free(r);
}
END_TEST

/* activemask on side B: lanes of the home warp, though one split held those of two. */
START_TEST(activemask_means_the_home_warp)
{
	Rig *r = rig(_i, "");
	r->clocks = true; /* who is together is the mechanism's affair */
	rig_run(r, K(CROSSED "B: %m = activemask.b32\n %x = mul.lo.u32 %x, 1000\n %x = add.u32 %x, %m\n"
		" bra D\nC: bra D\nD:"), 1, 8);
	for (unsigned t = 0; t < 8; t++)
		ck_assert_uint_eq(r->out[t], (t ^ t >> 2) & 1 ? (t + 1) * 1000 + (t < 4 ? 10 : 5) : t + 1);
	rig_free(r);
}
END_TEST

/* A split of warps 2 and 3 that warp 0 or 1 carries comes to activemask when nothing else runs: both are
   looked at again, though their scheduler has passed them already. Nobody waits at a barrier meanwhile: there
   is none. */
START_TEST(scattering_wakes_the_homes)
{
	static const char *const policy[] = { "lrr", "gto", "two_level", "oldest", "gty" };
	char set[80];
	snprintf(set, sizeof set, "scheduler.policy=%s", policy[_i / 2]);
	Rig *r = rig(_i % 2, set);
	r->clocks = true;
	rig_run(r, K(" %v = xor.b32 %t, %w\n %v = and.b32 %v, 1\n %m = shr.u32 %w, 1\n %v = and.b32 %v, %m\n"
		" %p = setp.ne.u32 %v, 0\n"
		" bra %p, B, C\nB: %x = mul.lo.u32 %x, 1000\n %m = activemask.b32\n %x = add.u32 %x, %m\n"
		" bra D\nC: bra D\nD:"), 1, 16);
	for (unsigned t = 0; t < 16; t++)
		ck_assert_uint_eq(r->out[t], t > 7 && (t ^ t >> 2) & 1
			? (t + 1) * 1000 + (t >> 2 & 1 ? 5 : 10) : t + 1);
	ck_assert_uint_eq(r->s.totals.stalls[STALL_BARRIER], 0);
	rig_free(r);
}
END_TEST

START_TEST(a_shuffle_means_the_home_warp)
{
	Rig *r = run(_i, "", K(" %m = and.b32 %w, 1\n %m = shr.u32 10, %m\n" CROSSED
		"B: %x = shfl.sync.bfly.b32 %x, 2, 31, %m\n %x = mul.lo.u32 %x, 3\n bra D\nC: bra D\nD:"), 8);
	for (unsigned t = 0; t < 8; t++)
		ck_assert_uint_eq(r->out[t], (t ^ t >> 2) & 1 ? ((t ^ 2) + 1) * 3 : t + 1);
	rig_free(r);
}
END_TEST

/* Part of the threads end joined with others; a barrier behind counts the threads that are left. */
START_TEST(exits_and_a_barrier)
{
	Rig *r = run(_i, "", K(CROSSED "B: exit\nC: %x = mul.lo.u32 %x, 5\n bar.sync 0\n bra D\nD:"), 8);
	for (unsigned t = 0; t < 8; t++)
		ck_assert_uint_eq(r->out[t], (t ^ t >> 2) & 1 ? 0 : (t + 1) * 5);
	rig_free(r);
}
END_TEST

#define FACT "func fact(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %m\nF0: %p = setp.eq.u32 %n, 0\n" \
	" bra %p, F1, F2\n" \
	"F1: %r = mov.u32 1\n ret\nF2: %m = sub.u32 %n, 1\n (%r) = call fact, (%m)\n" \
	" %r = mul.lo.u32 %r, %n\n ret\n}\n"
#define TWO "global u64 table[2] = { fact, twice }\nfunc twice(u32 %n) -> (u32 %r) {\n" \
	"T: %r = add.u32 %n, %n\n ret\n}\n"

static unsigned factorial(unsigned n) { return n ? n * factorial(n - 1) : 1; }

/* Frames and saved registers stay with the thread, whatever warp carries it. */
START_TEST(recursion_and_indirect_calls)
{
	Rig *r = run(_i, "", TWO FACT K(" %v = xor.b32 %t, %w\n %v = and.b32 %v, 1\n %f = mov.u64 table\n"
		" %f = mad.wide.u32 %v, 8, %f\n"
		" %f = ld.global.u64 [%f]\n %v = and.b32 %t, 7\n (%x) = call %f, (%v)\n"), 8);
	for (unsigned t = 0; t < 8; t++)
		ck_assert_uint_eq(r->out[t], (t ^ t >> 2) & 1 ? 2 * t : factorial(t));
	rig_free(r);
}
END_TEST

/* Five targets, four warps shifted against each other by a lane: tbc needs for each what its fullest column
   asks for. */
START_TEST(five_targets)
{
	Rig *r = run(_i, "", K(" %v = add.u32 %t, %w\n %v = rem.u32 %v, 5\n brx %v, [B0, B1, B2, B3, B4]\n"
		"B0: %x = mul.lo.u32 %x, 10\n bra D\nB1: %x = mul.lo.u32 %x, 11\n bra D\n"
		"B2: %x = mul.lo.u32 %x, 12\n bra D\n"
		"B3: %x = mul.lo.u32 %x, 13\n bra D\nB4: %x = mul.lo.u32 %x, 14\n bra D\nD:"), 16);
	unsigned column[5][4] = { 0 };
	for (unsigned t = 0; t < 16; t++) {
		unsigned k = (t + t / 4) % 5;
		ck_assert_uint_eq(r->out[t], (t + 1) * (10 + k));
		column[k][t % 4]++;
	}
	for (unsigned k = 0; k < 5; k++) {
		char label[3] = { 'B', (char)('0' + k), 0 };
		unsigned most = 0;
		for (unsigned l = 0; l < 4; l++)
			most = column[k][l] > most ? column[k][l] : most;
		ck_assert_uint_ge(fetches(r, label), most);
		if (_i == 1)
			ck_assert_uint_eq(fetches(r, label), most);
	}
	rig_free(r);
}
END_TEST

/* The compaction's cycles are charged at the branch and where the warps are rebuilt. */
START_TEST(compaction_takes_time)
{
	Rig *a = run(1, "tbc.compaction_cycles=0", K(CROSSED SIDES), 8),
		*b = run(1, "tbc.compaction_cycles=100", K(CROSSED SIDES), 8);
	ck_assert_uint_eq(b->s.totals.cycles, a->s.totals.cycles + 300); /* each side, and behind them */
	ck_assert_uint_eq(figure(a, "warps_formed"), 4);
	rig_free(a);
	rig_free(b);
}
END_TEST

/* Where compaction saves nothing, the prediction learns it in the first turn: later true sides do not wait
   for it. */
START_TEST(prediction_lets_warps_advance)
{
	static const char text[] = K(" bra L\nL:" ALIKE
		"B: %x = mul.lo.u32 %x, 3\n bra D\nC: %x = mul.lo.u32 %x, 5\n bra D\n"
		"D: %m = add.u32 %m, 1\n %q = setp.lt.u32 %m, 4\n bra %q, L, E\nE:");
	Rig *a = run(1, "tbc.compaction_cycles=100", text, 8),
		*b = run(1, "tbc.compaction_cycles=100 tbc.predict=true", text, 8);
	ck_assert_uint_lt(b->s.totals.cycles + 100, a->s.totals.cycles);
	ck_assert_uint_eq(a->s.totals.thread_instructions, b->s.totals.thread_instructions);
	rig_free(a);
	rig_free(b);
}
END_TEST

/* The lane that has the lock is in the minority for ever. It gets a whole block for its patience, not one
   instruction. */
START_TEST(who_has_starved_gets_a_block)
{
	enum { PATIENCE = 200, THREADS = 8 };
	Rig *r = rig(0, "dwf.policy=majority dwf.patience=200");
	r->functional = true;
	rig_try(r, K(" %f = ld.param.u64 [out]\n bra L\nL: %v = atom.global.cas.b32 [%f+1024], 0, 1\n"
		" %q = setp.eq.u32 %v, 0\n bra %q, C, M\n"
		"C: %m = ld.volatile.global.u32 [%f+1028]\n %m = add.u32 %m, 1\n %m = add.u32 %m, 2\n"
		" %m = add.u32 %m, 3\n %m = add.u32 %m, 4\n"
		" %m = sub.u32 %m, 9\n st.volatile.global.u32 [%f+1028], %m\n"
		" %v = atom.global.exch.b32 [%f+1024], 0\n bra M\n"
		"M: bra !%q, L, X\nX:"), 1, THREADS);
	rig_laws(r);
	ck_assert_uint_eq(r->out[257], THREADS);
	ck_assert_uint_eq(r->out[256], 0);
	for (unsigned t = 0; t < THREADS; t++)
		ck_assert_uint_eq(r->out[t], t + 1);
	ck_assert_uint_gt(r->s.totals.warp_instructions, 4 * PATIENCE); /* they do starve */
	/* in C, at M, and among the others */
	ck_assert_uint_lt(r->s.totals.warp_instructions, THREADS * 3 * PATIENCE);
	rig_free(r);
}
END_TEST

/* The block's stack is ipdom's: of one warp every block is fetched as often, of three no more often. */
START_TEST(the_stack_is_ipdoms)
{
	static const char *const sets[] = { "divergence.model=ipdom", "divergence.model=tbc",
		"divergence.model=tbc tbc.predict=true" };
	for (uint64_t seed = 1; seed <= 40; seed++)
		for (unsigned threads = 4; threads <= 11; threads += 7) {
			char *text = random_graph_text(seed, seed % 4 ? 0 : GRAPH_ACYCLIC, "u64 out");
			uint64_t all[3] = { 0 };
			for (int k = 0; k < 3; k++) {
				Rig *r = rig_new(sets[k]);
				rig_run(r, text, 1, threads);
				for (int b = 0; b < r->s.tables.blocks.n; b++)
					all[k] += r->s.tables.blocks.v[b].fetches;
				rig_free(r);
				ck_assert_msg(threads == 4 ? all[k] == all[0] : all[k] <= all[0],
					"seed %llu, %s: %llu fetches, ipdom %llu", (unsigned long long)seed,
					sets[k], (unsigned long long)all[k], (unsigned long long)all[0]);
			}
			free(text);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("splits of several homes");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, columns_that_fit, 0, 2);
	tcase_add_loop_test(t, columns_that_conflict, 0, 2);
	tcase_add_loop_test(t, the_fullest_column_counts, 0, 2);
	tcase_add_loop_test(t, activemask_means_the_home_warp, 0, 2);
	tcase_add_loop_test(t, scattering_wakes_the_homes, 0, 10);
	tcase_add_loop_test(t, a_shuffle_means_the_home_warp, 0, 2);
	tcase_add_loop_test(t, exits_and_a_barrier, 0, 2);
	tcase_add_loop_test(t, recursion_and_indirect_calls, 0, 2);
	tcase_add_loop_test(t, five_targets, 0, 2);
	tcase_add_test(t, compaction_takes_time);
	tcase_add_test(t, prediction_lets_warps_advance);
	tcase_add_test(t, who_has_starved_gets_a_block);
	tcase_add_test(t, the_stack_is_ipdoms);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
