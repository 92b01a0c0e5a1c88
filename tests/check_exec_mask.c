/* EXEC masks: which operations lowering inserts, in which order groups of lanes run, what is issued for nobody; counted by hand.
 * Then calls that lanes leave by their end, turns of indexed branches and indirect calls, and graphs of every shape. */
#include "tests/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %s, %n\n reg u64 %o, %w\n reg pred %p, %q\nA: %t = mov.u32 %tid.x\n" BODY "}\n"
/* Lanes of the mask go to T, the others to F. */
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n bra %p, " T ", " F "\n"
#define AT(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"

#define IF_ONLY(MASK) K(IF(MASK, "T", "J") AT("T", "1") " bra J\n" AT("J", "2") END)
#define IF_ELSE(MASK) K(IF(MASK, "T", "F") AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END)
/* Lane t goes round 4 - t times. */
#define LOOP K(" %s = sub.u32 4, %t\nH: %x = add.u32 %x, 5\n %s = sub.u32 %s, 1\n %p = setp.ne.u32 %s, 0\n bra %p, H, Y\n" AT("Y", "3") END)

static Rig *run(const char *set, const char *text, const char *path)
{
	Rig *r = rig_new("divergence.model=exec_mask");
	rig_set(r, set);
	rig_run(r, text, 1, 4);
	if (path)
		rig_path(r, 0, path);
	return r;
}

/* Path, pushes, depth, operations added, blocks fetched for no lane. */
static void counted(const char *set, const char *text, const char *path, uint64_t pushes, uint64_t depth, uint64_t overhead,
	uint64_t noops)
{
	Rig *r = run(set, text, path);
	ck_assert_uint_eq(r->s.pushes, pushes);
	ck_assert_uint_eq(r->s.max_depth, depth);
	ck_assert_uint_eq(r->s.overhead_warp, overhead);
	ck_assert_uint_eq(r->s.noop_fetches, noops);
	rig_free(r);
}

#define ALWAYS "exec_mask.skip_threshold=0"

/* xadd (the program's branch), xdrop, xz; J: xjoin. */
START_TEST(if_then)
{
	counted(ALWAYS, IF_ONLY("3"), "A:f T:3 J:f", 1, 1, 3, 0);
	counted("", IF_ONLY("3"), "A:f T:3 J:f", 1, 1, 2, 0);
	counted(ALWAYS, IF_ONLY("16"), "A:f J:f", 1, 1, 3, 0);   /* nobody is there for xz and xjoin, but no block begins */
	counted("", IF_ONLY("16"), "A:f T:0 J:f", 1, 1, 2, 1);   /* T instead of xz */
	counted(ALWAYS, IF_ONLY("15"), "A:f T:f J:f", 0, 0, 3, 0);
}
END_TEST

/* The same; T ends with xadd for J, F begins with xtake and xz. */
START_TEST(if_then_else)
{
	counted(ALWAYS, IF_ELSE("3"), "A:f T:3 F:c J:f", 2, 2, 6, 0);
	counted("", IF_ELSE("3"), "A:f T:3 F:c J:f", 2, 2, 4, 0);
	counted(ALWAYS, IF_ELSE("15"), "A:f T:f J:f", 1, 1, 6, 0);
	counted("", IF_ELSE("15"), "A:f T:f F:0 J:f", 1, 1, 4, 1);
	counted(ALWAYS, IF_ELSE("16"), "A:f F:f J:f", 1, 1, 5, 0);  /* without T's xadd */
}
END_TEST

START_TEST(cycles)
{
	/* 0 to 3 the predicate, 4 xadd, 5 xdrop, 6 xz, 7 T, 8 xadd, 9 xtake, 10 xz, 11 F, 12 xjoin, 13 to 17 J. */
	Rig *r = run(ALWAYS, IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17");
	ck_assert_uint_eq(r->s.branches, 1);
	ck_assert_uint_eq(r->s.divergent_branches, 1);
	rig_free(r);
	/* All take T: 10 jumps, which the front end feels. */
	r = run(ALWAYS " fetch.redirect_cycles=3", IF_ELSE("15"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 14 15 16 17 18 19");
	ck_assert_uint_eq(r->s.divergent_branches, 0);
	rig_free(r);
}
END_TEST

/* Lanes that leave wait in the mask of Y. Each turn: xadd (the branch), xdrop, xnz; besides xclear at the start, xtake and
   xclear at Y. */
START_TEST(loop)
{
	counted("", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 1, 1, 4 * 2 + 3, 0);
}
END_TEST

/* A region that loads is jumped over however short; so is one that is long enough. */
START_TEST(what_is_skipped)
{
	const char *load = K(IF("16", "T", "J") "T: %o = ld.param.u64 [out]\n %x = ld.global.u32 [%o]\n bra J\n" AT("J", "2") END);
	rig_free(run("", load, "A:f J:f"));
	rig_free(run("exec_mask.skip_threshold=2", IF_ONLY("16"), "A:f T:0 J:f"));
	rig_free(run("exec_mask.skip_threshold=1", IF_ONLY("16"), "A:f J:f"));
}
END_TEST

/* A condition that is the same for all lanes is proven, and the branch stays one; nothing is added but T's jump. */
START_TEST(uniform_branches)
{
	counted("", K(" %n = mov.u32 %ntid.x\n %p = setp.gt.u32 %n, 2\n bra %p, T, F\n" AT("T", "1") " bra J\n" AT("F", "2") " bra J\n"
		AT("J", "3") END), "A:f T:f J:f", 0, 0, 1, 0);
	/* Inside divergent code too; not where it would jump over lanes that wait (in G, for which B's branch is the outer one). */
	counted(ALWAYS, K(" %n = mov.u32 %ntid.x\n %q = setp.gt.u32 %n, 2\n" IF("3", "B", "J") "B: %x = add.u32 %x, 7\n bra %q, T, F\n"
		AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END), "A:f B:3 T:3 J:f", 1, 1, 4, 0);
	const char *over = K(" %n = mov.u32 %ntid.x\n %q = setp.gt.u32 %n, 2\n" IF("3", "B", "G") "B: %x = add.u32 %x, 7\n bra %q, J, G\n"
		AT("G", "2") " bra J\n" AT("J", "3") END);
	rig_free(run(ALWAYS, over, "A:f B:3 G:c J:f"));
}
END_TEST

/* Lanes that end are in no mask; control goes on where others wait. */
START_TEST(early_exit)
{
	rig_free(run(ALWAYS, K(IF("1", "T", "F") AT("T", "1") END "F: %q = setp.eq.u32 %t, 2\n bra %q, G, J\n" AT("G", "2") END
		AT("J", "3") END), "A:f T:1 F:e G:4 J:a"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { if_then, if_then_else, cycles, loop, what_is_skipped, uniform_branches, early_exit };
	return rig_suite("EXEC masks", tests, sizeof tests / sizeof *tests);
}
