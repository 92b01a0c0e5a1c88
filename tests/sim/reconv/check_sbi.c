/* Two instructions in one scheduler-cycle: which groups and warps pair, cycle by cycle; constraints; groups
   in memory. */
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %y, %s\n reg u64 %o\n reg pred %p\n" \
	"A: %t = mov.u32 %tid.x\n" BODY "}\n"
/* Lanes of the mask go to T, the others to F. */
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, " T ", " F "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"
#define ADD4 " %x = add.u32 %x, 1\n %x = add.u32 %x, 2\n %x = add.u32 %x, 3\n %x = add.u32 %x, 4\n"
#define IF_ELSE K(IF("3", "T", "F") "T:" ADD4 " bra J\nF:" ADD4 " bra J\nJ: %x = add.u32 %x, 5\n" END)

static Rig *run(const char *set, const char *text, unsigned threads)
{
	Rig *r = rig_new("");
	rig_set(r, set);
	rig_run(r, text, 1, threads);
	return r;
}

static uint64_t own(const Rig *r, const char *key)
{
	for (int k = 0; k < r->s.totals.nmodel; k++)
		if (!strcmp(r->s.totals.model[k].key, key))
			return r->s.totals.model[k].value;
	return 0;
}

/* 0 to 3 the predicate, 4 the branch; T: four additions and a jump, 5 to 9; F: four additions. With one at a
   time F takes 10 to 13 and J 14 to 18. Together T and F take 5 to 9, F waiting for T at J. */
START_TEST(branches_interweave)
{
	Rig *r = run("divergence.model=min_pc", IF_ELSE, 4);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18");
	rig_free(r);
	r = run("divergence.model=sbi", IF_ELSE, 4);
	rig_issues(r, 0, "0 1 2 3 4 5 5 6 6 7 7 8 8 9 10 11 12 13 14");
	rig_path(r, 0, "A:f T:3 F:c J:f");
	ck_assert_uint_eq(own(r, "pairs_of_a_warp"), 4);
	ck_assert_uint_eq(r->s.totals.issued, 15);
	ck_assert_uint_eq(r->s.totals.warp_instructions + r->s.totals.overhead_warp, 19);
	ck_assert_uint_eq(r->s.totals.pushes, 1);
	ck_assert_uint_eq(r->s.totals.max_depth, 2);
	ck_assert_uint_eq(r->s.totals.reconvergences, 1);
	rig_free(r);
}
END_TEST

/* F is shorter than T: without constraints it runs ahead through J. */
#define UNEVEN K(IF("3", "T", "F") "T:" ADD4 ADD4 " bra J\nF: %x = add.u32 %x, 9\n bra J\n" \
	"J: %x = add.u32 %x, 5\n" END)
START_TEST(constraints)
{
	Rig *r = run("divergence.model=sbi", UNEVEN, 4);
	rig_path(r, 0, "A:f T:3 F:c J:f");
	rig_issues(r, 0, "0 1 2 3 4 5 5 6 7 8 9 10 11 12 13 14 15 16 17 18");
	rig_free(r);
	r = run("divergence.model=sbi sbi.constraints=false", UNEVEN, 4);
	rig_path(r, 0, "A:f T:3 F:c J:c J:3");
	/* J for F's lanes at 6 to 10, for T's at 14 to 18. */
	rig_issues(r, 0, "0 1 2 3 4 5 5 6 6 7 7 8 8 9 9 10 10 11 12 13 14 15 16 17 18");
	rig_free(r);
}
END_TEST

/* Who is second when a cycle begins issues in it, whatever the first one's branch makes of the order: at 8 T
   parts, and F, third from then on, has its fourth addition; at 9 T1 goes to JT, and T2 has its first, not F.
   T2 is done at 12, and JT takes 13 and 14; F takes 5 to 8 and 10 to 17, J 18 to 22. */
START_TEST(the_second_is_that_of_the_cycles_beginning)
{
	Rig *r = run("divergence.model=sbi", K(IF("3", "T", "F") "T:" IF("1", "T1", "T2") "T1: bra JT\nT2:"
		ADD4 " bra JT\n"
		"JT: %x = add.u32 %x, 9\n bra J\nF:" ADD4 ADD4 ADD4 " bra J\nJ: %x = add.u32 %x, 5\n" END),
		4);
	rig_issues(r, 0, "0 1 2 3 4 5 5 6 6 7 7 8 8 9 9 10 10 11 11 12 12 13 13 14 14 15 16 17 18 19 20 21 "
		"22");
	rig_path(r, 0, "A:f T:3 F:c T1:1 T2:2 JT:3 J:f");
	rig_free(r);
}
END_TEST

/* A load that takes 20 cycles keeps T back; F, behind it in the order, goes on. */
START_TEST(the_other_group_hides_latency)
{
	const char *text = K(IF("3", "T", "F") "T: %o = ld.param.u64 [out]\n %y = ld.global.u32 [%o+64]\n"
		" %x = add.u32 %x, %y\n bra J\n"
		"F:" ADD4 ADD4 " bra J\nJ: %x = add.u32 %x, 5\n" END);
	uint64_t one, two;
	Rig *r = run("divergence.model=min_pc dram.latency=20", text, 4);
	one = r->s.totals.cycles;
	rig_free(r);
	r = run("divergence.model=sbi dram.latency=20", text, 4);
	two = r->s.totals.cycles;
	rig_free(r);
	ck_assert_uint_eq(one - two, 8);
}
END_TEST

/* Four groups. With three on chip, B3 goes to memory until the others have met at J. With two, B2 and B3 go,
   and the lanes at J, farthest behind then, go when B2 comes. */
START_TEST(cold_groups)
{
	const char *text = K(" %a = and.b32 %t, 3\n brx %a, [B0, B1, B2, B3]\nB0:" ADD4 " bra J\nB1:"
		ADD4 " bra J\nB2:" ADD4 " bra J\nB3:" ADD4 " bra J\nJ: %x = add.u32 %x, 5\n" END);
	static const struct { const char *set; uint64_t spills; } e[] =
		{ { "sbi.hot=0", 0 }, { "sbi.hot=4", 0 }, { "sbi.hot=3", 1 }, { "sbi.hot=2", 3 } };
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[100];
		snprintf(set, sizeof set, "divergence.model=sbi divergence.spill=constant %s", e[k].set);
		Rig *r = run(set, text, 4);
		ck_assert_msg(r->s.totals.spills == e[k].spills && r->s.totals.fills == e[k].spills,
			"%s: %llu spills, %llu fills", e[k].set, (unsigned long long)r->s.totals.spills,
			(unsigned long long)r->s.totals.fills);
		ck_assert_uint_eq(r->s.totals.max_depth, 4);
		rig_free(r);
	}
}
END_TEST

/* Two warps; in each, the lower half of the lanes goes to T. Shuffled, the halves of the two fit together. */
#define HALF K(" %a = and.b32 %t, 3\n %p = setp.lt.u32 %a, 2\n bra %p, T, J\nT:" \
	ADD4 ADD4 " bra J\nJ: %x = add.u32 %x, 5\n" END)
START_TEST(warps_interweave)
{
	static const struct { const char *set; uint64_t pairs; } e[] = {
		{ "swi.shuffle=none", 0 }, { "swi.shuffle=mirror_odd", 8 }, { "swi.shuffle=mirror_half", 0 },
		{ "swi.shuffle=xor", 0 },
		{ "swi.shuffle=xor_rev", 8 }, { "swi.shuffle=mirror_odd swi.ways=1", 0 },
		{ "swi.shuffle=mirror_odd swi.ways=16", 8 },
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[100];
		snprintf(set, sizeof set, "divergence.model=swi %s", e[k].set);
		Rig *r = run(set, HALF, 8);
		ck_assert_msg(own(r, "pairs_of_warps") == e[k].pairs, "%s: %llu pairs", e[k].set,
			(unsigned long long)own(r, "pairs_of_warps"));
		ck_assert_uint_eq(own(r, "pairs_of_a_warp"), 0);
		rig_free(r);
	}
}
END_TEST

/* Both: the warp's own other group comes first. */
START_TEST(both_interweave)
{
	Rig *r = run("divergence.model=swi swi.same_warp=true", IF_ELSE, 4);
	ck_assert_uint_eq(own(r, "pairs_of_a_warp"), 4);
	rig_free(r);
	r = run("divergence.model=swi", IF_ELSE, 4);
	ck_assert_uint_eq(own(r, "pairs_of_a_warp"), 0);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18");
	rig_free(r);
}
END_TEST

/* T of two warps fit together. That the warp's own other group is asked first and waits for an operand keeps
   no other away. */
START_TEST(who_cannot_issue_gives_way)
{
	Rig *r = run("divergence.model=swi swi.same_warp=true swi.shuffle=mirror_odd units.imul.latency=40",
		K(" %a = and.b32 %t, 3\n"
		" %p = setp.lt.u32 %a, 2\n bra %p, T, F\nT:"
		ADD4 ADD4 " bra J\nF: %x = mul.lo.u32 %t, 3\n %x = mul.lo.u32 %x, 3\n bra J\n"
		"J: %x = add.u32 %x, 5\n" END), 8);
	ck_assert_uint_gt(own(r, "pairs_of_a_warp"), 0);
	ck_assert_uint_eq(own(r, "pairs_of_warps"), 8);
	rig_free(r);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { branches_interweave, constraints,
		the_second_is_that_of_the_cycles_beginning, the_other_group_hides_latency, cold_groups,
		warps_interweave,
		both_interweave, who_cannot_issue_gives_way };
	return rig_suite("interweaving", tests, sizeof tests / sizeof *tests);
}
