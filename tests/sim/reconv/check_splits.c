/* Mechanisms whose groups run side by side: multi_path, dual_path, aware, dws. Entries, meetings and cycles
 * counted by hand, on the machine of tests/sim/sm/sim_rig.h: warps of four lanes, one issue a cycle. */
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %y, %s\n reg u64 %o\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n" BODY "}\n"
/* Lanes of the mask go to T, the others to F. */
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, " T ", " F "\n"
/* The lane's way through the blocks, as a number. */
#define AT(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"

#define IF_ELSE K(IF("3", "T", "F") AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END)
#define NESTED K(IF("7", "B", "F1") "B:" IF("3", "C", "F2") "C:" IF("1", "D", "F3") AT("D", "1") " bra J3\n" \
	AT("F3", "2") " bra J3\n" \
	AT("J3", "3") " bra J2\n" AT("F2", "4") " bra J2\n" AT("J2", "5") " bra J1\n" \
	AT("F1", "6") " bra J1\n" AT("J1", "7") END)
/* The same with false sides that take long. */
#define SLOW K(IF("7", "B", "F1") "B:" IF("3", "C", "F2") "C:" IF("1", "D", "F3") AT("D", "1") " bra J3\n" \
	AT("F3", "2") MORE " bra J3\n" \
	AT("J3", "3") " bra J2\n" AT("F2", "4") MORE " bra J2\n" AT("J2", "5") " bra J1\n" \
	AT("F1", "6") MORE " bra J1\n" AT("J1", "7") END)
#define MORE " %x = mul.lo.u32 %x, 7\n"
/* Lane t goes round 4 - t times. */
#define LOOP K(" %s = sub.u32 4, %t\nH: %x = add.u32 %x, 5\n %s = sub.u32 %s, 1\n %p = setp.ne.u32 %s, 0\n" \
	" bra %p, H, Y\n" AT("Y", "3") END)

static void spilled(const char *machine, const char *text, uint64_t spills, uint64_t fills)
{
	Rig *r = rig_four(machine, text, NULL);
	ck_assert_uint_eq(r->s.totals.spills, spills);
	ck_assert_uint_eq(r->s.totals.fills, fills);
	rig_free(r);
}

/* ---- multi_path ---- */

/* The false side is a split behind the true one; turns go round, so it issues first. Lanes at the point are
   in no split. */
START_TEST(multi_path_entries)
{
	rig_four_counts("divergence.model=multi_path", IF_ELSE, "A:f F:c T:3 J:f", 1, 2, 1);
	rig_four_counts("divergence.model=multi_path", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 0, 1, 1);
	/* a false side has come to its point when the next branch parts lanes */
	rig_four_counts("divergence.model=multi_path", NESTED, NULL, 3, 2, 3);
	/* not so if it takes long */
	rig_four_counts("divergence.model=multi_path units.imul.latency=50", SLOW, NULL, 3, 4, 3);
}
END_TEST

/* 0..4 in A; then both sides: two dependent operations of ten cycles each, F's at 5 and 15, T's at 6 and 16,
   its jump at 17. On a stack F's begin when T's have ended, the first when T's last result is there:
   registers become ready for the whole warp. */
START_TEST(multi_path_hides_latency)
{
	const char *text = K(IF("3", "T", "F") AT("T", "1") " %x = mul.lo.u32 %x, 7\n bra J\n"
		AT("F", "2") " %x = mul.lo.u32 %x, 9\n bra J\nJ:\n" END);
	Rig *r = rig_four("divergence.model=multi_path units.imul.latency=10", text, NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 15 16 17 18 19 29 30");
	rig_free(r);
	r = rig_four("units.imul.latency=10", text, NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 15 16 25 35 36 37 47 48");
	rig_free(r);
}
END_TEST

#define PAIRS " %y = add.u32 %t, 2\n %s = add.u32 %t, 3\n %x = add.u32 %y, %s\n %a = add.u32 %t, 4\n"
/* Each side is two pairs of instructions and issues a pair in its turn, on whichever place of the list it
   stands. */
START_TEST(a_second_issue_is_of_the_same_split)
{
	static const char *const models[] = { "multi_path", "dual_path", "dws", "serial", "aware", "its",
		"dwf" };
	const char *text = K(IF("3", "T", "F") "T:" PAIRS " bra J\nF:" PAIRS " bra J\nJ:\n" END);
	char set[200];
	for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
		int n[2] = { 0 };
		snprintf(set, sizeof set, "divergence.model=%s scheduler.issue_width=2 units.alu.count=2",
			models[m]);
		Rig *r = rig_four(set, text, NULL);
		const TraceEvent *last = NULL;
		for (int i = 0; i < r->n; i++) {
			const TraceEvent *e = &r->e[i];
			if (e->kind != TR_ISSUE)
				continue;
			if (last && last->cycle == e->cycle) {
				ck_assert_msg(last->mask == e->mask, "%s, cycle %d: lanes %x and %x",
					models[m], (int)e->cycle, (int)last->mask, (int)e->mask);
				n[0] += e->mask == 3 && strcmp(r->block[e->a], "J");
				n[1] += e->mask == 12 && strcmp(r->block[e->a], "J");
			}
			last = e;
		}
		ck_assert_msg(n[0] == 2 && n[1] == 2, "%s: %d pairs in T, %d in F", models[m], n[0], n[1]);
		rig_free(r);
	}
}
END_TEST

/* Lane 0 comes to B over S and waits there for %x, the others over C and wait for %y: with merging they go on
   together. */
START_TEST(multi_path_merges_on_the_way)
{
	const char *text = K(IF("1", "S", "C") "C: %y = mul.lo.u32 %t, 3\n"
		IF("15", "B", "E") "S: %x = mul.lo.u32 %t, 5\n bra B\n"
		"B: %x = mad.lo.u32 %y, 31, %x\n bra J\n" AT("E", "2") " bra J\n" AT("J", "3") END);
	rig_four_counts("divergence.model=multi_path units.imul.latency=20", text, "A:f C:e S:1 B:e B:1 J:f",
		1, 2, 1);
	rig_four_counts("divergence.model=multi_path units.imul.latency=20 multi_path.merge=true", text,
		"A:f C:e S:1 B:f J:f", 1, 2, 2);
}
END_TEST

/* S's lanes part: lane 0 joins lane 3, which stands at B for long, lane 1 is a new split at E. S is gone from
   the list, and lane 2 has its place: it has gone nowhere, and issues every third cycle at least. */
#define FOUR " %x = add.u32 %x, 1\n %x = add.u32 %x, %t\n %x = add.u32 %x, 2\n %x = add.u32 %x, %t\n"
#define SIXTEEN FOUR FOUR FOUR FOUR
START_TEST(only_who_goes_elsewhere_is_redirected)
{
	static const char *const models[] = { "multi_path multi_path.merge=true", "dws" };
	const char *text = K(IF("3", "S", "D") "S:" SIXTEEN SIXTEEN SIXTEEN IF("1", "B", "E") "D:"
		IF("4", "X", "C") "X:" SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN SIXTEEN
		" bra J\nC: %y = mul.lo.u32 %t, 3\n bra B\nB: %x = mad.lo.u32 %y, 31, 1\n bra J\n"
		AT("E", "2") " bra J\n" AT("J", "3") END);
	for (int m = 0; m < 2; m++) {
		char set[200];
		const TraceEvent *last = NULL;
		bool parted = false;
		snprintf(set, sizeof set, "divergence.model=%s units.imul.latency=300 "
			"fetch.redirect_cycles=20", models[m]);
		Rig *r = rig_four(set, text, NULL);
		for (int i = 0; i < r->n; i++) {
			const TraceEvent *e = &r->e[i];
			if (e->kind != TR_ISSUE)
				continue;
			parted |= last && e->mask == 2;
			if (strcmp(r->block[e->a], "X"))
				continue;
			ck_assert_uint_eq(e->mask, 4);
			ck_assert_msg(!last || e->cycle <= last->cycle + 3, "%s: X issues at %d and %d",
				models[m], (int)last->cycle, (int)e->cycle);
			last = e;
		}
		ck_assert(parted);
		rig_free(r);
	}
}
END_TEST

/* Two splits wait for each other behind B; both then come to J at once: the list of splits changes while they
   are let go. */
START_TEST(splits_let_go_together_may_meet)
{
	const char *text = K(IF("1", "B", "C") "C:" IF("14", "B", "E") "E: %x = mov.u32 9\n bra J\n"
		"B: %x = add.u32 %t, 3\n %y = shfl.sync.bfly.b32 %x, 1, 31, 15\n bra J\n"
		"J: %x = add.u32 %x, %y\n" END);
	static const char *const machines[] = { "divergence.model=multi_path",
		"divergence.model=multi_path multi_path.merge=true",
		"divergence.model=multi_path multi_path.splits=1 multi_path.rt=1" };
	for (int k = 0; k < 3; k++) {
		Rig *r = rig_four(machines[k], text, NULL);
		ck_assert_uint_eq(rig_fetches(r, "B"), 2);
		ck_assert_uint_eq(rig_fetches(r, "J"), 1);
		rig_free(r);
	}
}
END_TEST

/* Four groups at once in SLOW: D, F3, F2, F1. Three regions at once. Whoever is in memory comes back. */
START_TEST(multi_path_tables_spill)
{
	spilled("divergence.model=multi_path units.imul.latency=50 multi_path.splits=4 multi_path.rt=3", SLOW,
		0, 0);
	spilled("divergence.model=multi_path units.imul.latency=50 multi_path.splits=3", SLOW, 1, 1);
	spilled("divergence.model=multi_path units.imul.latency=50 multi_path.splits=1", SLOW, 3, 3);
	/* The third region drives the first out, which comes back when its lanes come to J1. */
	spilled("divergence.model=multi_path multi_path.splits=0 multi_path.rt=1 divergence.spill=constant "
		"multi_path.spill_push=3", IF_ELSE, 0, 0);
	spilled("divergence.model=multi_path multi_path.splits=0 multi_path.rt=2", NESTED, 1, 1);
}
END_TEST

/* ---- dual_path ---- */

/* Entries: the base; B and F1; C and F2; D and F3. F2 begins when its entry is the top one again: when C's
   lanes are at J3. */
START_TEST(dual_path_entries)
{
	rig_four_counts("divergence.model=dual_path", IF_ELSE, "A:f F:c T:3 J:f", 1, 2, 1);
	rig_four_counts("divergence.model=dual_path", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 0, 2, 1);
	rig_four_counts("divergence.model=dual_path dual_path.side=left", NESTED,
		"A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f", 3, 4, 3);
	rig_four_counts("divergence.model=dual_path units.imul.latency=50", SLOW, NULL, 3, 4, 3);
}
END_TEST

/* Five targets: two entries for B1, B2 and B3, B4, and one for B5, the first on top; the base below. */
START_TEST(dual_path_indexed_branches)
{
	const char *text = K(" brx %t, [B1, B2, B3, B4, B4]\n" AT("B1", "1") " bra J\n"
		AT("B2", "2") " bra J\n" AT("B3", "3") " bra J\n" AT("B4", "4") " bra J\n" AT("J", "5") END);
	rig_four_counts("divergence.model=dual_path dual_path.side=left", text, "A:f B1:1 B2:2 B3:4 B4:8 J:f",
		3, 3, 1);
	rig_four_counts("divergence.model=dual_path", text, "A:f B2:2 B1:1 B4:8 B3:4 J:f", 3, 3, 1);
}
END_TEST

/* T and F with two dependent operations of ten cycles, as in multi_path_hides_latency. */
START_TEST(dual_path_sides)
{
	const char *text = K(IF("3", "T", "F") AT("T", "1") " %x = mul.lo.u32 %x, 7\n bra J\n"
		AT("F", "2") " %x = mul.lo.u32 %x, 9\n bra J\nJ:\n" END);
	static const struct { const char *set, *issues; } e[] = {
		{ "", "0 1 2 3 4 5 6 15 16 17 18 19 29 30" },
		{ "dual_path.side=left", "0 1 2 3 4 5 6 15 16 17 18 19 29 30" },
		{ "dual_path.side=ready", "0 1 2 3 4 5 6 15 16 17 18 19 29 30" },
		/* T's first product is there at 15 and its second at 25; F's first writes the same register,
		   so it begins then. */
		{ "dual_path.dual_scoreboard=false dual_path.side=left",
			"0 1 2 3 4 5 15 16 25 35 36 37 47 48" },
		{ "dual_path.push_cycles=3", "0 1 2 3 4 8 9 18 19 20 21 22 32 33" },
		{ "dual_path.pop_cycles=4", "0 1 2 3 4 5 6 15 16 17 22 23 33 34" },
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[160];
		snprintf(set, sizeof set, "divergence.model=dual_path units.imul.latency=10 %s", e[k].set);
		Rig *r = rig_four(set, text, NULL);
		rig_issues(r, 0, e[k].issues);
		rig_free(r);
	}
}
END_TEST

/* Four entries in NESTED, two on chip: two go out and come back. */
START_TEST(dual_path_spills)
{
	spilled("divergence.model=dual_path divergence.depth=4", NESTED, 0, 0);
	spilled("divergence.model=dual_path divergence.depth=2 divergence.chunk=1", NESTED, 2, 2);
}
END_TEST

/* ---- aware ---- */

/* A queue: T is before F in it; one at a time. */
START_TEST(aware_entries)
{
	rig_four_counts("divergence.model=aware", IF_ELSE, "A:f T:3 F:c J:f", 1, 2, 1);
	rig_four_counts("divergence.model=aware", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 0, 1, 1);
	/* C and F1 part, F1 has its turn, then C, F2, and so on: breadth first. */
	rig_four_counts("divergence.model=aware", NESTED, "A:f B:7 F1:8 C:3 F2:4 D:1 F3:2 J3:3 J2:7 J1:f", 3,
		3, 3);
	/* F2 goes out when it comes to be, third behind F1 and C; when it comes back, F3 goes out. */
	spilled("divergence.model=aware aware.splits=2", NESTED, 2, 2);
	/* The middle region goes out when C's is opened, F2 comes to its point and drives the outermost out,
	   which comes back last. */
	spilled("divergence.model=aware aware.rt=2", NESTED, 2, 2);
}
END_TEST

/* T's lanes come to J at 6, F's product is there at 57 and its jump falls away: it is at J then. F's lanes
   come by themselves. In the second text they turn in a loop, once, that may wait for T's. */
START_TEST(aware_time_outs)
{
	static const char by_itself[] = K(IF("3", "T", "F") "T: %x = add.u32 %t, 1\n bra J\n"
		AT("F", "2") " %x = mul.lo.u32 %x, 9\n bra J\nJ: %y = add.u32 %t, 1\n" END);
	static const char may_wait[] = "global u32 word[2]\n" K(" %o = mov.u64 word\n" IF("3", "T", "F")
		"T: %x = add.u32 %t, 1\n bra J\n"
		AT("F", "2") " %x = mul.lo.u32 %x, 9\n bra G\n"
		"G: %a = ld.volatile.global.u32 [%o]\n %p = setp.ne.u32 %a, 0\n bra %p, G, J\n"
		"J: %y = add.u32 %t, 1\n" END);
	static const struct { const char *set, *text, *path, *issues; } e[] = {
		{ "aware.timeout=10", by_itself, "A:f T:3 F:c J:f", "0 1 2 3 4 5 6 7 57 58 59 60 110 111" },
		{ "aware.timeout=10 aware.quantum=20", by_itself, "A:f T:3 F:c J:f", "" },
		{ "aware.timeout=100000", may_wait, "A:f T:3 F:c G:c J:f", "" },
		{ "aware.timeout=0", may_wait, "A:f T:3 F:c G:c J:f", "" },
		/* Released, T's lanes wait for their turn: until F's are at J. They go first, as they came
		   first. */
		{ "aware.timeout=10 aware.quantum=0", may_wait, "A:f T:3 F:c G:c J:3 J:c", "" },
		/* They run when F has had its twenty cycles, and F again when they have ended. */
		{ "aware.timeout=10 aware.quantum=20", may_wait, "A:f T:3 F:c J:3 G:c J:c", "" },
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[160];
		snprintf(set, sizeof set, "divergence.model=aware units.imul.latency=50 %s", e[k].set);
		Rig *r = rig_four(set, e[k].text, NULL);
		rig_path(r, 0, e[k].path);
		if (*e[k].issues)
			rig_issues(r, 0, e[k].issues);
		rig_free(r);
	}
}
END_TEST

/* A lock whose owner waits at C for those who want it: released by the time-out; with points moved behind the
   critical section the lanes meet at X, where they had met if the source had said so. */
#define LOCK "global u32 word[2]\n" K(" %o = mov.u64 word\n bra L\nL: %a = atom.global.cas.b32 [%o], 0, 1\n" \
	" %p = setp.ne.u32 %a, 0\n bra %p, L, C\n" \
	"C: %x = ld.volatile.global.u32 [%o+4]\n %x = add.u32 %x, 1\n st.volatile.global.u32 [%o+4], %x\n" \
		" %a = atom.global.exch.b32 [%o], 0\n bra X\n" \
	"X: %x = mov.u32 1\n" END)
START_TEST(aware_locks)
{
	Rig *r = rig_new("divergence.model=aware aware.timeout=0 limits.progress_cycles=500");
	rig_try(r, LOCK, 1, 4);
	ck_assert(!r->ok);
	ck_assert_int_eq(r->fault.kind, FAULT_LIVELOCK);
	rig_free(r);
	static const char *const passes[] = { "aware.timeout=40", "aware.timeout=0 aware.delayed=true", "" };
	for (int k = 0; k < 3; k++) {
		r = rig_new("divergence.model=aware limits.progress_cycles=500");
		rig_set(r, passes[k]);
		r->clocks = true; /* how often lanes try depends on time */
		rig_run(r, LOCK, 1, 4);
		ck_assert_uint_eq(rig_fetches(r, "C"), 4);
		if (k == 1) {
			ck_assert_uint_eq(rig_fetches(r, "X"), 1);
			ck_assert_uint_eq(r->s.totals.merges, 1);
		}
		rig_free(r);
	}
}
END_TEST

/* ---- dws ---- */

/* J has five instructions: a short block, so T and F are splits. Else one path after the other. */
START_TEST(dws_branches)
{
	rig_four_counts("divergence.model=dws", IF_ELSE, "A:f F:c T:3 J:f", 1, 2, 1);
	rig_four_counts("divergence.model=dws dws.short_block=5", IF_ELSE, "A:f F:c T:3 J:f", 1, 2, 1);
	rig_four_counts("divergence.model=dws dws.short_block=4", IF_ELSE, "A:f T:3 F:c J:f", 1, 2, 1);
	static const char *const stack[] = { "dws.branches=false", "dws.splits=1" };
	for (int k = 0; k < 2; k++) {
		char set[80];
		snprintf(set, sizeof set, "divergence.model=dws %s", stack[k]);
		rig_four_counts(set, IF_ELSE, "A:f T:3 F:c J:f", 1, 2, 1);
		rig_four_counts(set, NESTED, "A:f B:7 C:3 D:1 F3:2 J3:3 F2:4 J2:7 F1:8 J1:f", 3, 4, 3);
	}
	rig_four_counts("divergence.model=dws", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 0, 1, 1);
	/* Room for just the two sides is room enough. */
	rig_four_counts("divergence.model=dws dws.splits=2", IF_ELSE, "A:f F:c T:3 J:f", 1, 2, 1);
	/* Room for two: B and F1 take it, C and F2 do not, until F1 has come to its point. */
	Rig *r = rig_four("divergence.model=dws dws.splits=2 units.imul.latency=50", SLOW, NULL);
	ck_assert_uint_eq(r->s.totals.max_depth, 4);
	ck_assert_uint_eq(rig_fetches(r, "J1"), 1);
	rig_free(r);
}
END_TEST

/* Lanes 0 and 1 have loaded their line before; the second load finds it in L1 for them, lanes 2 and 3 wait
   for memory. */
static const char partly[] =
	"kernel k(u64 out) {\n reg u32 %t, %y, %s, %x\n reg u64 %o, %a\n reg pred %p, %q\n"
	"A: %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n %p = setp.lt.u32 %t, 2\n"
	" @%p %y = ld.global.u32 [%o+8192]\n %y = add.u32 %y, 1\n"
	" %s = shr.b32 %t, 1\n %a = mad.wide.u32 %s, 1024, %o\n %q = setp.lt.u32 %t, 9\n"
	" %x = ld.global.u32 [%a+8192]\n %x = add.u32 %x, %t\n %x = mul.lo.u32 %x, 5\n bra %q, B, C\n"
	"B: %x = add.u32 %x, 3\n bra D\nC: %x = add.u32 %x, 4\n bra D\n"
	"D: %x = add.u32 %x, 1\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n}\n";
#define L1 "l1.global=true l1.bytes=1024 l1.ways=2 l1.line_bytes=32 l1.sector_bytes=32 l1.latency=4 " \
	"dram.latency=100 l2.latency=10 "

START_TEST(dws_loads)
{
	static const struct { const char *set, *path; uint64_t pushes, merges; } e[] = {
		{ "dws.memory=off", "A:f B:f D:f", 0, 0 },
		{ "dws.memory=aggressive", "A:f B:3 D:3 B:c D:c", 1, 0 },
		{ "dws.memory=aggressive dws.splits=2", "A:f B:3 D:3 B:c D:c", 1, 0 },
		{ "dws.memory=lazy", "A:f B:3 D:3 B:c D:c", 1, 0 },
		/* Lanes 2 and 3 do not wait for the first load, whose guard does not hold for them: they go
		   on alone, wait for their own while lanes 0 and 1 catch up, and wait in D for %x, where all
		   meet. */
		{ "dws.memory=revive units.alu.latency=6", "A:f B:c B:3 D:f", 1, 1 },
		{ "dws.memory=aggressive dws.merge=branch", "A:f B:f D:f", 1, 1 },
		{ "dws.memory=aggressive dws.splits=1", "A:f B:f D:f", 0, 0 },
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[300];
		snprintf(set, sizeof set, "divergence.model=dws " L1 "%s", e[k].set);
		Rig *r = rig_four(set, partly, NULL);
		rig_path(r, 0, e[k].path);
		ck_assert_uint_eq(r->s.totals.pushes, e[k].pushes);
		ck_assert_uint_eq(r->s.totals.merges, e[k].merges);
		rig_free(r);
	}
}
END_TEST

/* Lane 0 waits in T for %z, lane 1 until lane 0 has come through. Lane 2 comes to T from its load: the two go
   on together, and part again. Lane 0 is at M and waits for lane 2, which nobody has told lane 1 to wait for:
   it comes to M too, and waits there for %y until lanes 0 and 2 join it. Nobody waits for lane 0 any
   longer. */
START_TEST(dws_takes_in_whom_it_waited_for)
{
	const char *text = "kernel k(u64 out) {\n reg u32 %t, %y, %s, %x, %z\n reg u64 %o, %a\n"
		" reg pred %p, %q, %first\n"
		"A: %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n %p = setp.lt.u32 %t, 2\n"
		" @%p %y = ld.global.u32 [%o+8192]\n %y = add.u32 %y, 1\n"
		" %s = shr.b32 %t, 1\n %a = mad.wide.u32 %s, 1024, %o\n %first = setp.eq.u32 %t, 0\n"
		" %q = setp.ne.u32 %t, 1\n"
		" %p = setp.eq.u32 %t, 3\n bra %p, J, P\n"
		"P: %x = ld.global.u32 [%a+8192]\n %x = add.u32 %x, %t\n %z = mul.lo.u32 %t, 3\n"
		" bra %q, T, F\n"
		"T: %x = add.u32 %x, %z\n bra %first, M, L\nL: %x = mul.lo.u32 %x, 5\n %x = add.u32 %x, 1\n"
		" bra M\n"
		"F: %y = mul.lo.u32 %x, 7\n %y = mul.lo.u32 %y, 9\n bra %p, G, M\nG: bra %p, T, J\n"
		"M: %x = add.u32 %x, %y\n bra J\nJ: %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n"
		" exit\n}\n";
	Rig *r = rig_four("divergence.model=dws dws.branches=false dws.memory=aggressive "
		"units.imul.latency=500 " L1, text, NULL);
	rig_path(r, 0, "A:f P:7 T:5 F:2 L:4 M:7 J:f");
	rig_free(r);
}
END_TEST

/* The first to come back from the load wait at the branch for the others, who wait at a barrier for them:
   they go on alone. */
START_TEST(dws_parts_wait_for_each_other)
{
	const char *text = "kernel k(u64 out) {\n reg u32 %t, %y, %s, %x\n reg u64 %o, %a\n reg pred %p, %q\n"
		"A: %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n %p = setp.lt.u32 %t, 2\n"
		" @%p %y = ld.global.u32 [%o+8192]\n %y = add.u32 %y, 1\n"
		" %s = shr.b32 %t, 1\n %a = mad.wide.u32 %s, 1024, %o\n %q = setp.lt.u32 %t, 9\n"
		" %x = ld.global.u32 [%a+8192]\n"
		" @!%p bar.sync 0\n %x = add.u32 %x, %t\n bra %q, B, C\nB: %x = add.u32 %x, 3\n"
		" @%p bar.sync 0\n bra D\nC: %x = add.u32 %x, 4\n bra D\n"
		"D: %x = add.u32 %x, 1\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n}\n";
	static const char *const merge[] = { "pc", "branch" };
	for (int k = 0; k < 2; k++) {
		char set[300];
		snprintf(set, sizeof set, "divergence.model=dws dws.memory=aggressive dws.merge=%s " L1,
			merge[k]);
		Rig *r = rig_four(set, text, NULL);
		rig_path(r, 0, "A:f B:3 D:3 B:c D:c");
		rig_free(r);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		multi_path_entries, multi_path_hides_latency, multi_path_merges_on_the_way,
			a_second_issue_is_of_the_same_split, only_who_goes_elsewhere_is_redirected,
			splits_let_go_together_may_meet,
		multi_path_tables_spill, dual_path_entries, dual_path_indexed_branches, dual_path_sides,
			dual_path_spills, aware_entries,
		aware_time_outs, aware_locks, dws_branches, dws_loads, dws_takes_in_whom_it_waited_for,
		dws_parts_wait_for_each_other,
	};
	return rig_suite("splits", tests, sizeof tests / sizeof *tests);
}
