/* Divergence mechanisms, rule by rule: the order in which groups of lanes run, entries counted by hand, costs
 * by the cycle; then random graphs, on which every mechanism must leave what the reference interpreter
 * leaves. */
#include "tests/random/random_text.h"
#include "tests/sim/sm/sim_rig.h"
#include "passes/analysis/analysis.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %s\n reg u64 %o\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n" BODY "}\n"
/* Lanes of the mask go to T, the others to F. */
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, " T ", " F "\n"
/* The lane's way through the blocks, as a number. */
#define AT(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"

#define IF_ONLY K(IF("3", "T", "J") AT("T", "1") " bra J\n" AT("J", "2") END)
#define IF_ELSE(MASK) K(IF(MASK, "T", "F") AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END)
/* Three ifs inside each other, all in the true side: lanes 0-2 | 3, then 0-1 | 2, then 0 | 1. */
#define NESTED K(IF("7", "B", "F1") "B:" IF("3", "C", "F2") "C:" IF("1", "D", "F3") AT("D", "1") " bra J3\n" \
	AT("F3", "2") " bra J3\n" \
	AT("J3", "3") " bra J2\n" AT("F2", "4") " bra J2\n" AT("J2", "5") " bra J1\n" \
	AT("F1", "6") " bra J1\n" AT("J1", "7") END)
/* Lane t goes round 4 - t times. */
#define LOOP K(" %s = sub.u32 4, %t\nH: %x = add.u32 %x, 5\n %s = sub.u32 %s, 1\n %p = setp.ne.u32 %s, 0\n" \
	" bra %p, H, Y\n" AT("Y", "3") END)

/* ---- ipdom ---- */

START_TEST(ipdom_rule_1)
{
	/* The side that begins at the reconvergence point gets no entry. */
	rig_four_counts("", IF_ONLY, "A:f T:3 J:f", 1, 2, 1);
	rig_four_counts("", IF_ELSE("3"), "A:f T:3 F:c J:f", 2, 3, 2);
	rig_four_counts("", IF_ELSE("15"), "A:f T:f J:f", 0, 1, 0);
}
END_TEST

START_TEST(ipdom_rule_2)
{
	/* A loop that sheds lanes keeps two entries: lanes that leave wait in the reconvergence entry. */
	rig_four_counts("", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 3, 2, 1);
}
END_TEST

START_TEST(ipdom_nesting)
{
	rig_four_counts("", NESTED, "A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f", 6, 7, 6);
}
END_TEST

START_TEST(ipdom_order_of_paths)
{
	static const struct { const char *order, *mask, *path; } e[] = {
		{ "taken_top", "1", "A:f T:1 F:e J:f" }, { "fall_top", "1", "A:f F:e T:1 J:f" },
		{ "larger_top", "1", "A:f F:e T:1 J:f" }, { "larger_top", "7", "A:f T:7 F:8 J:f" },
		{ "smaller_top", "1", "A:f T:1 F:e J:f" }, { "smaller_top", "7", "A:f F:8 T:7 J:f" },
		{ "larger_top", "3", "A:f T:3 F:c J:f" }, { "smaller_top", "3", "A:f T:3 F:c J:f" },
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[64], text[2000];
		snprintf(set, sizeof set, "ipdom.push_order=%s", e[k].order);
		snprintf(text, sizeof text, "%s", IF_ELSE("9"));
		*strchr(text, '9') = *e[k].mask;
		rig_free(rig_four(set, text, e[k].path));
	}
}
END_TEST

/* A: 0..3 compute the predicate, 4 branches; T has an instruction and a jump, F one, J five. */
START_TEST(ipdom_costs)
{
	Rig *r = rig_four("", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12");
	ck_assert_uint_eq(r->s.totals.overhead_warp, 1);
	rig_free(r);
	r = rig_four("ipdom.push_cycles=3", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 8 9 10 11 12 13 14 15");
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DIVERGENCE], 3);
	rig_free(r);
	/* at the jump of T and the last instruction of F */
	r = rig_four("ipdom.pop_cycles=4", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 11 16 17 18 19 20");
	rig_free(r);
}
END_TEST

/* The third entry drives the first out. It is fetched when it is on top again, for it is to run, not when it
   is popped. */
START_TEST(ipdom_spills_with_constant_costs)
{
	Rig *r = rig_four("divergence.depth=2 divergence.chunk=1 divergence.spill=constant "
		"ipdom.spill_push=7 ipdom.reload_pop=9", IF_ELSE("3"), "A:f T:3 F:c J:f");
	rig_issues(r, 0, "0 1 2 3 4 12 13 14 24 25 26 27 28");
	ck_assert_uint_eq(r->s.totals.spills, 1);
	ck_assert_uint_eq(r->s.totals.fills, 1);
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DIVERGENCE], 7 + 9);
	rig_free(r);
}
END_TEST

/* Seven entries, two at a time on chip: five go out and come back. The same number whatever a spill costs. */
START_TEST(ipdom_spill_counts)
{
	static const char *const how[] = { "constant", "memory" };
	for (int k = 0; k < 2; k++) {
		char set[128];
		snprintf(set, sizeof set, "divergence.depth=2 divergence.chunk=1 divergence.spill=%s",
			how[k]);
		Rig *r = rig_four(set, NESTED, "A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f");
		ck_assert_uint_eq(r->s.totals.spills, 5);
		ck_assert_uint_eq(r->s.totals.fills, 5);
		rig_counts(r, 6, 7, 6);
		/* Each chunk is an entry of 8 bytes in a sector of its own, besides the load of the parameter
		   (a hit). */
		ck_assert_uint_eq(r->s.totals.l1_other, k ? 10 : 0);
		rig_free(r);
	}
	Rig *r = rig_four("divergence.depth=7", NESTED, NULL);
	ck_assert_uint_eq(r->s.totals.spills, 0);
	rig_free(r);
	r = rig_four("divergence.depth=4 divergence.chunk=4", NESTED, NULL); /* the fifth push moves four */
	ck_assert_uint_eq(r->s.totals.spills, 1);
	ck_assert_uint_eq(r->s.totals.fills, 1);
	rig_free(r);
}
END_TEST

/* ---- token ---- */

START_TEST(token_if)
{
	rig_four_counts("divergence.model=token", IF_ELSE("3"), "A:f T:3 F:c J:f", 2, 2, 1);
	rig_four_counts("divergence.model=token", IF_ELSE("15"), "A:f T:f J:f", 1, 1, 1);
	rig_four_counts("divergence.model=token", NESTED, "A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f", 6,
		6, 3);
}
END_TEST

/* 0..3 predicate, 4 SSY, 5 branch, T 6 and its jump 7, SYNC 8: the unwinding is the whole distance to the
   next issue. F needs no jump to the SYNC in front of J. */
START_TEST(token_unwinding)
{
	Rig *r = rig_four("divergence.model=token token.unwind_cycles=5", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 13 14 19 20 21 22 23");
	rig_free(r);
	/* Redirection is part of it; the branch to T, which follows in the code, has none, T's jump has. */
	r = rig_four("divergence.model=token token.unwind_cycles=5 fetch.redirect_cycles=3", IF_ELSE("3"),
		NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 11 16 17 22 23 24 25 26");
	rig_free(r);
	/* Spills are added: the push of DIV (the branch, at 5) and the pop of SSY (the SYNC at 21). */
	r = rig_four("divergence.model=token token.unwind_cycles=5 divergence.depth=1 divergence.chunk=1 "
		"divergence.spill=constant token.spill_push=7 token.reload_pop=9", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 13 14 15 20 21 35 36 37 38 39");
	rig_free(r);
}
END_TEST

START_TEST(token_spill_counts)
{
	uint64_t cycles[2];
	static const char *const how[] = { "constant", "memory" };
	for (int k = 0; k < 2; k++) {
		char set[160];
		snprintf(set, sizeof set, "divergence.model=token divergence.depth=2 divergence.chunk=1 "
			"divergence.spill=%s l2.latency=50", how[k]);
		Rig *r = rig_four(set, NESTED, "A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f");
		ck_assert_uint_eq(r->s.totals.spills, 4); /* six tokens, two on chip */
		ck_assert_uint_eq(r->s.totals.fills, 4);
		rig_counts(r, 6, 6, 3);
		cycles[k] = r->s.totals.cycles;
		rig_free(r);
	}
	ck_assert_uint_ne(cycles[0], cycles[1]);
}
END_TEST

START_TEST(token_loops_as_they_are_compiled)
{
	/* SSY and divergent branches: a token for each trip count. PBK and BRK: one token. */
	rig_four_counts("divergence.model=token", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 4, 4, 1);
	rig_four_counts("divergence.model=token token.loop_codegen=pbk_brk", LOOP, "A:f H:f H:7 H:3 H:1 Y:f",
		1, 1, 1);
}
END_TEST

/* A loop between two ways out of the kernel, one of them in it. What leaves it for J finds points of the way
   that was not taken open below, and must not pop them: J was run twice. */
#define LEFT K(" %s = add.u32 %t, 1\n bra C\nC:" IF("3", "L", "D") AT("J", "4") END "D:" \
	IF("4", "L", "M") AT("L", "1") " bra H\nM:" IF("8", "J", "N") \
	AT("N", "3") " bra J\nH: %s = sub.u32 %s, 1\n %p = setp.eq.u32 %s, 0\n bra %p, N, B\nB:" \
	IF("0", "E", "H") "E: exit\n")

START_TEST(token_loop_between_two_ways_out)
{
	static const char *const how[] = { "divergence.model=token",
		"divergence.model=token token.loop_codegen=pbk_brk", "divergence.model=its" };
	for (int k = 0; k < 3; k++) {
		Rig *r = rig_four(how[k], LEFT, NULL);
		ck_assert_uint_eq(rig_fetches(r, "E"), 0);
		rig_free(r);
	}
}
END_TEST

/* ---- tf_stack ---- */

START_TEST(tf_stack_order)
{
	/* T, F, J; F joins it */
	rig_four_counts("divergence.model=tf_stack", IF_ELSE("3"), "A:f T:3 F:c J:f", 3, 2, 1);
	rig_four_counts("divergence.model=tf_stack", NESTED, "A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f",
		9, 4, 3);
	Rig *r = rig_four("divergence.model=tf_stack", LOOP, "A:f H:f H:7 H:3 H:1 Y:f");
	ck_assert_uint_eq(r->s.totals.max_depth, 2);
	rig_free(r);
}
END_TEST

/* ---- serial ---- */

START_TEST(serial_runs_each_group_to_its_end)
{
	rig_four_counts("divergence.model=serial", IF_ELSE("3"), "A:f T:3 J:3 F:c J:c", 1, 2, 0);
	rig_four_counts("divergence.model=serial", LOOP, "A:f H:f H:7 H:3 H:1 Y:1 Y:2 Y:4 Y:8", 3, 4, 0);
	Rig *r = rig_four("divergence.model=serial serial.switch_cycles=4", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 16 17 18 19 20 21");
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DIVERGENCE], 4);
	rig_free(r);
}
END_TEST

/* ---- mimd ---- */

START_TEST(mimd_is_every_lane_on_its_own)
{
	Rig *r = rig_four("divergence.model=mimd", IF_ELSE("3"), NULL);
	ck_assert_uint_eq(rig_fetches(r, "J"), 4);
	ck_assert_uint_eq(r->s.totals.max_depth, 4);
	ck_assert_uint_eq(r->s.totals.pushes, 0);
	/* As long as a lane alone: 5 in A, 1 in T, whose jump takes no time, or F, and 5 in J. So all come to
	   the store in one cycle: one access. */
	ck_assert_uint_eq(r->s.totals.cycles, 11);
	ck_assert_uint_eq(r->s.totals.global_stores, 1);
	rig_free(r);
}
END_TEST

/* ---- reconvergence points that the source asks for ---- */

/* Only a post-dominator can be one; others must not mislead any mechanism. R is one, but lies behind the
   meeting at J of an outer branch; E is passed by some lanes only, and a function's lanes return before they
   come to its point. */
#define BEHIND K(IF("7", "B", "J") "B: %a = shr.b32 3, %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, C, J !reconverge R\n" \
	AT("C", "1") " bra J\n" AT("J", "2") " bra R\n" AT("R", "3") END)
#define BESIDE K("B: %a = shr.b32 3, %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, C, D !reconverge E\n" \
	AT("C", "1") IF("1", "E", "G") AT("D", "2") IF("4", "E", "G") AT("E", "3") " bra G\n" \
	AT("G", "4") END)
#define EARLY "func f(u32 %n) -> (u32 %r) {\n reg pred %p\nB: %p = setp.lt.u32 %n, 2\n" \
	" bra %p, C, D !reconverge R\n" \
	"C: %r = mov.u32 7\n ret\nD: %r = mov.u32 1\n bra R\nR: %r = add.u32 %r, 20\n ret\n}\n" \
	K(" (%x) = call f, (%t)\nB:" IF("5", "C", "J") AT("C", "1") " bra J\n" AT("J", "2") END)
/* R lies behind the meeting at J of the branch around, in a function: lanes that came by J return once. */
#define BEHIND_IN_CALL "func f(u32 %t) -> (u32 %x) {\n reg u32 %a\n reg pred %p\nA:" IF("7", "B", "J") \
	"B: %a = shr.b32 3, %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n bra %p, C, D !reconverge R\n" \
	AT("C", "1") " bra J\n" AT("D", "6") " bra J\n" AT("J", "2") " bra R\n" \
	AT("R", "3") " ret\n}\n" K(" (%x) = call f, (%t)\n" END)
/* And behind the way out of the loop around. */
#define BEHIND_LOOP "func f(u32 %t) -> (u32 %x) {\n reg u32 %a, %s\n reg pred %p\nA: bra L\n" \
	"L: %a = and.b32 %x, 1\n %p = setp.ne.u32 %a, 0\n bra %p, C, D !reconverge R\n" \
	AT("C", "2") " bra E\n" AT("D", "5") " bra E\n" \
	"E: %s = add.u32 %s, 1\n %x = add.u32 %x, %t\n %a = add.u32 %s, %t\n %a = and.b32 %a, 3\n" \
		" %p = setp.ne.u32 %a, 0\n bra %p, L, M\n" \
	AT("M", "7") " bra R\n" AT("R", "3") " ret\n}\n" K(" (%x) = call f, (%t)\n" END)
/* A loop asks for J behind its way out, and the branch on the way to J for R behind J. */
#define LOOP_THEN_BEHIND K(" bra L\n" AT("L", "1") \
	" %s = add.u32 %s, 1\n %a = and.b32 %t, 3\n %p = setp.le.u32 %s, %a\n bra %p, L, M !reconverge J\n" \
	"M: %a = shr.b32 5, %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n bra %p, C, J !reconverge R\n" \
	AT("C", "2") " bra J\n" AT("J", "5") " bra R\n" AT("R", "3") END)

static const char *const machines[] = { "divergence.model=ipdom", "divergence.model=token",
	"divergence.model=its", "divergence.model=spec_reconv",
	"divergence.model=spec_reconv spec_reconv.registers=1 spec_reconv.threshold=2",
	"divergence.model=token token.loop_codegen=pbk_brk", "divergence.model=tf_stack",
	"divergence.model=mimd", "divergence.model=serial",
	"divergence.model=ipdom divergence.depth=2 divergence.chunk=1",
	"divergence.model=token divergence.depth=2 divergence.chunk=1 divergence.spill=constant",
	"divergence.model=tf_stack divergence.depth=2 divergence.chunk=1", "divergence.model=dual_path",
	"divergence.model=multi_path",
	"divergence.model=aware aware.delayed=true", "divergence.model=dws", "divergence.model=dwf",
	"divergence.model=tbc" };
enum { MACHINES = sizeof machines / sizeof *machines };

/* Lanes fall asleep in front of the point where they meet: nobody goes on from there before they have
   woken. */
START_TEST(sleep_lasts_over_a_point)
{
#define ASLEEP AT("T", "1") " nanosleep.u32 5000\n"
	static const char *const texts[] = {
		K(IF("3", "T", "J") ASLEEP " bra J\n" AT("J", "2") END), /* they come last */
		/* others come while they sleep */
		K(IF("3", "T", "F") ASLEEP " bra J\n" AT("J", "2") END AT("F", "3") AT("F1", "4") " bra J\n"),
		K(IF("3", "T", "F") ASLEEP " bra J\nF: bra G\nG: nanosleep.u32 10\n bra H\n"
		"H: %x = add.u32 %x, 3\n bra J\n" AT("J", "2") END),
		/* others end */
		K(IF("5", "T", "F") ASLEEP " bra J\nF:" IF("3", "B", "E") AT("B", "3") END AT("E", "4")
			" bra J\n" AT("J", "2") END),
	};
	for (int k = 0; k < MACHINES; k++)
		for (unsigned t = 0; t < sizeof texts / sizeof *texts; t++) {
			char set[300];
			snprintf(set, sizeof set, "clock_mhz=1000 %s", machines[k]);
			Rig *r = rig_four(set, texts[t], NULL);
			ck_assert_msg(r->s.totals.cycles >= 5000, "%s, kernel %u: %llu cycles", set, t,
				(unsigned long long)r->s.totals.cycles);
			rig_free(r);
		}
#undef ASLEEP
}
END_TEST

START_TEST(points_change_no_results)
{
	for (int k = 0; k < MACHINES; k++) {
		rig_free(rig_four(machines[k], BEHIND, NULL));
		rig_free(rig_four(machines[k], BESIDE, NULL));
		rig_free(rig_four(machines[k], EARLY, NULL));
		rig_free(rig_four(machines[k], BEHIND_IN_CALL, NULL));
		rig_free(rig_four(machines[k], BEHIND_LOOP, NULL));
		rig_free(rig_four(machines[k], LOOP_THEN_BEHIND, NULL));
	}
}
END_TEST

/* A later post-dominator is taken: T and F meet at R only, and J is run for each. */
START_TEST(later_points_are_taken)
{
	const char *text = K("B: %a = shr.b32 3, %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n"
		" bra %p, T, F !reconverge R\n" AT("T", "1") " bra J\n" AT("F", "2") " bra J\n"
		AT("J", "3") " bra R\n" AT("R", "4") END);
	for (int k = 0; k < 2; k++)
		rig_free(rig_four(machines[k], text, "A:f B:f T:3 J:3 F:c J:c R:f"));
}
END_TEST

/* ---- what measurements of real machines say of all of them ---- */

/* k paths of equal length, taken one after the other: each further one costs the same, whatever the
   mechanism. Published for Pascal to Blackwell (arXiv 2607.23402): the time is linear in k, and the
   efficiency is 1/k of the warp. */
static char *ways(int k)
{
	StrBuf b = { 0 };
	sb_printf(&b, "kernel k(u64 out) {\n reg u32 %%t, %%a, %%x\n reg u64 %%o\nA: %%t = mov.u32 %%tid.x\n"
		" %%a = rem.u32 %%t, %d\n brx %%a, [", k);
	for (int i = 0; i < 8; i++)
		sb_printf(&b, "B%d%s", i, i < 7 ? ", " : "]\n");
	for (int i = 0; i < 8; i++) {
		sb_printf(&b, "B%d:", i);
		for (int n = 0; n < 20; n++)
			sb_printf(&b, " %%x = add.u32 %%x, %d\n", i + n);
		sb_puts(&b, " bra J\n");
	}
	sb_puts(&b, "J:" END "}\n");
	return b.s;
}

START_TEST(time_is_linear_in_paths)
{
	static const char *const models[] = { "ipdom", "token", "tf_stack" };
	for (int m = 0; m < 3; m++) {
		uint64_t cycles[9] = { 0 };
		for (int k = 1; k <= 8; k++) {
			char set[160], *text = ways(k);
			snprintf(set, sizeof set, "divergence.model=%s warp_size=8 token.unwind_cycles=32 "
				"fetch.redirect_cycles=4 units.alu.latency=6", models[m]);
			Rig *r = rig_new(set);
			rig_run(r, text, 1, 8);
			cycles[k] = r->s.totals.cycles;
			if (k == 2 || k == 4) /* every instruction of a path has 8/k lanes */
				ck_assert_uint_eq(r->s.totals.active_lanes[8 / k], 20 * k);
			rig_free(r);
			free(text);
		}
		for (int k = 4; k < 8; k++) /* the eighth path falls through to J without a jump */
			ck_assert_msg(cycles[k] - cycles[k - 1] == cycles[3] - cycles[2],
				"%s: path %d costs %llu cycles, the third %llu", models[m], k,
				(unsigned long long)(cycles[k] - cycles[k - 1]),
				(unsigned long long)(cycles[3] - cycles[2]));
	}
}
END_TEST

/* ---- random graphs ---- */

/* The most blocks in which lanes may wait while one runs: Diamos et al.'s frontier, with back edges, as a
   fixpoint over the layout's order. */
static int widest_frontier(const char *text)
{
	Module *m = rig_read(text);
	Arena a = { 0 };
	Cfg *c = cfg_build(&a, module_find_function(m, "k"));
	static bool tf[64][64];
	memset(tf, 0, sizeof tf);
	ck_assert_int_lt(c->nreach, 64);
	for (bool changed = true; changed;) {
		changed = false;
		for (int b = 0; b < c->nreach; b++) {
			bool u[64];
			memcpy(u, tf[b], sizeof u);
			for (int k = 0; k < c->rpo[b]->nsucc; k++)
				u[c->rpo_index[c->rpo[b]->succ[k]->id]] = true;
			for (int i = 0; i < 64; i++)
				for (int j = i + 1; j < 64; j++)
					if (u[i] && u[j] && !tf[i][j])
						changed = tf[i][j] = true;
		}
	}
	int most = 0;
	for (int b = 0; b < 64; b++) {
		int n = 0;
		for (int j = 0; j < 64; j++)
			n += tf[b][j];
		most = n > most ? n : most;
	}
	arena_free(&a);
	module_free(m);
	return most;
}

START_TEST(graphs_of_every_kind)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		char *text = random_graph_text(seed, seed % 3 == 0 ? GRAPH_POINTS : 0, "u64 out");
		for (int k = 0; k < MACHINES; k++) {
			Rig *r = rig_new(machines[k]);
			rig_set(r, "warp_size=8");
			rig_run(r, text, 1, 8);
			rig_free(r);
		}
		free(text);
	}
}
END_TEST

START_TEST(tf_stack_holds_no_more_than_the_frontier)
{
	bool reached = false;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		char *text = random_graph_text(seed, seed % 2 ? GRAPH_ACYCLIC : 0, "u64 out");
		Rig *r = rig_new("divergence.model=tf_stack warp_size=16");
		rig_run(r, text, 1, 16);
		int bound = widest_frontier(text) + 1;
		ck_assert_msg(r->s.totals.max_depth <= (uint64_t)bound,
			"seed %llu: %llu entries, the frontier allows %d", (unsigned long long)seed,
			(unsigned long long)r->s.totals.max_depth, bound);
		reached |= r->s.totals.max_depth == (uint64_t)bound && bound > 3;
		for (int b = 0; seed % 2 && b < r->s.tables.blocks.n;
			b++) /* without loops, everything runs once */
			ck_assert_uint_le(r->s.tables.blocks.v[b].fetches, 1);
		rig_free(r);
		free(text);
	}
	ck_assert(reached);
}
END_TEST

/* What a spill costs changes no count. */
START_TEST(costs_change_no_counts)
{
	static const char *const models[] = { "ipdom", "token", "tf_stack" };
	uint64_t spills = 0;
	for (uint64_t seed = 300; seed < 320; seed++) {
		char *text = random_graph_text(seed, 0, "u64 out");
		for (int k = 0; k < 3; k++) {
			Rig *r[2];
			for (int how = 0; how < 2; how++) {
				char set[128];
				snprintf(set, sizeof set, "divergence.model=%s divergence.depth=2 "
					"divergence.chunk=1 divergence.spill=%s warp_size=8", models[k],
					how ? "memory" : "constant");
				r[how] = rig_new(set);
				rig_run(r[how], text, 1, 8);
			}
			ck_assert_uint_eq(r[0]->s.totals.spills, r[1]->s.totals.spills);
			ck_assert_uint_eq(r[0]->s.totals.fills, r[1]->s.totals.fills);
			ck_assert_uint_eq(r[0]->s.totals.pushes, r[1]->s.totals.pushes);
			ck_assert_uint_eq(r[0]->s.totals.max_depth, r[1]->s.totals.max_depth);
			ck_assert_uint_eq(r[0]->s.totals.spills, r[0]->s.totals.fills);
			spills += r[0]->s.totals.spills;
			rig_free(r[0]);
			rig_free(r[1]);
		}
		free(text);
	}
	ck_assert_uint_gt(spills, 40);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		ipdom_rule_1, ipdom_rule_2, ipdom_nesting, ipdom_order_of_paths, ipdom_costs,
			ipdom_spills_with_constant_costs,
		ipdom_spill_counts, token_if, token_unwinding, token_spill_counts,
			token_loops_as_they_are_compiled, token_loop_between_two_ways_out, tf_stack_order,
		serial_runs_each_group_to_its_end, mimd_is_every_lane_on_its_own, time_is_linear_in_paths,
			points_change_no_results, sleep_lasts_over_a_point, later_points_are_taken,
			graphs_of_every_kind,
		tf_stack_holds_no_more_than_the_frontier, costs_change_no_counts,
	};
	return rig_suite("divergence mechanisms", tests, sizeof tests / sizeof *tests);
}
