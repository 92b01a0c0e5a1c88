/* Mechanisms that follow priorities: the frontier itself, tf_sandy's walk, min_pc and min_sp_pc; by hand. */
#include "isa/ir.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/frontier.h"
#include "tests/passes/graphs.h"
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %s, %y\n reg u64 %o, %w\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n" BODY "}\n"
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, " T ", " F "\n"
#define AT(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"
#define IF_ELSE(MASK) K(IF(MASK, "T", "F") AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END)
/* Lane t goes round 4 - t times. */
#define LOOP K(" %s = sub.u32 4, %t\nH: %x = add.u32 %x, 5\n %s = sub.u32 %s, 1\n %p = setp.ne.u32 %s, 0\n" \
	" bra %p, H, Y\n" AT("Y", "3") END)

static void runs(const char *machine, const char *text, const char *path)
{
	rig_free(rig_four(machine, text, path));
}

/* ---- the frontier ---- */

/* "B3:B5,B6 ..." of the graph's blocks in the order of priorities. */
static void frontier_is(const char *graph, int64_t priority, int most, const char *want)
{
	Diag d = { 0 };
	Module *m = ir_read("", 0, "empty.ir", &d);
	Arena a = { 0 };
	LowerFn l = { .f = graph_kernel(m, graph) };
	ThreadFrontier f = frontier_build(&a, &l, priority);
	StrBuf b = { 0 };
	for (int i = 0; i < f.n; i++) {
		const char *separator = "";
		sb_printf(&b, "%s%s:", i ? " " : "", f.order[i]->label);
		chain_each(f.tf[i], x) {
			sb_printf(&b, "%s%s", separator, f.order[x->v]->label);
			separator = ",";
		}
	}
	ck_assert_str_eq(b.s, want);
	ck_assert_int_eq(frontier_most(&f), most);
	ck_assert(l.priority_layout == (priority == PRIORITY_RPO));
	free(b.s);
	arena_free(&a);
	module_free(m);
}

START_TEST(frontiers)
{
	frontier_is("B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6", PRIORITY_RPO, 1,
		"B1: B2:B3 B3:B5 B4:B5 B5:B6 B6:");
	/* Lanes that left the loop in an earlier turn wait behind it: the paper's single pass does not see
	   them. */
	frontier_is("P:H H:H,Y Y:X X", PRIORITY_RPO, 1, "P: H:Y Y: X:");
	frontier_is("P:H H:L,B B:X,W W:L L:H,X X", PRIORITY_RPO, 2, "P: H:X B:L,X W:L,X L:X X:");
	/* A bad order: F in front of D, from which it is reached. */
	frontier_is("A:B,E B:C,D C:F F:G D:F E:G G", PRIORITY_SOURCE, 3, "A: B:E C:D,E F:D,E,G D:E,G E:G G:");
}
END_TEST

/* Only where lanes may wait is a jump an insertion; without a compiler every block is compared. */
START_TEST(checks_where_the_frontier_asks)
{
	const char *line = K(" bra B\n" AT("B", "1") " bra C\n" AT("C", "2") END);
	rig_four_counts("divergence.model=tf_stack", line, "A:f B:f C:f", 0, 1, 0);
	rig_four_counts("divergence.model=min_pc", line, "A:f B:f C:f", 2, 1, 0);
	rig_four_counts("divergence.model=tf_stack", IF_ELSE("3"), "A:f T:3 F:c J:f", 3, 2, 1);
	rig_four_counts("divergence.model=min_pc", IF_ELSE("3"), "A:f T:3 F:c J:f", 3, 2, 1);
}
END_TEST

/* ---- tf_sandy ---- */

START_TEST(sandy_walks)
{
	runs("divergence.model=tf_sandy", IF_ELSE("3"), "A:f T:3 F:c J:f");
	runs("divergence.model=tf_sandy", IF_ELSE("15"), "A:f T:f J:f");
	Rig *r = rig_four("divergence.model=tf_sandy", LOOP, "A:f H:f H:7 H:3 H:1 H:0 Y:f");
	ck_assert_uint_eq(r->s.totals.noop_fetches, 1);
	ck_assert_uint_eq(r->s.totals.active_lanes[0], 4); /* H's instructions */
	ck_assert_uint_eq(rig_fetches(r, "H"), 5);
	rig_free(r);
	r = rig_four("divergence.model=tf_sandy tf_sandy.rule=refined", LOOP, "A:f H:f H:7 H:3 H:1 Y:f");
	ck_assert_uint_eq(r->s.totals.noop_fetches, 0);
	rig_free(r);
}
END_TEST

/* The branches of A and T go on conservatively; F falls through, J has all lanes. */
START_TEST(sandy_costs)
{
	Rig *r = rig_four("divergence.model=tf_sandy", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12");
	rig_free(r);
	r = rig_four("divergence.model=tf_sandy tf_sandy.conservative_cycles=3", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 8 9 13 14 15 16 17 18");
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DIVERGENCE], 6);
	rig_free(r);
	r = rig_four("divergence.model=tf_sandy tf_sandy.conservative_cycles=3", IF_ELSE("15"), NULL);
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DIVERGENCE], 0);
	rig_free(r);
}
END_TEST

/* What stands in blocks that no lane enters has no effect: stores, atomics, calls (also through a register
   that holds no function), barriers, warp-level operations, indexed branches (out of range), exits. B3's
   lanes all go to B7. */
#define EMPTY(LAST) "func f(u32 %n) -> (u32 %r) {\nf0: %r = add.u32 %n, 1\n ret\n}\nshared u32 s[4]\n" K( \
	IF("3", "B3", "B2") "B2:" IF("0", "B3", "B7") "B3:" IF("0", "B4", "B7") \
	"B4: %w = ld.param.u64 [out]\n st.global.u32 [%w], 77\n %y = atom.global.add.u32 [%w], 5\n" \
		" %x = mov.u32 9\n st.shared.u32 [s], %x\n" \
	" bra B5\nB5: (%y) = call f, (%x)\n %w = mov.u64 3\n (%y) = call %w, (%x)\n bar.sync 0\n" \
		" %y = shfl.sync.idx.b32 %x, 0, 31, 0xf\n" \
	" %a = mov.u32 9\n brx %a, [B6, B7]\nB6: %x = add.u32 %x, 1\n" LAST AT("B7", "3") END)

START_TEST(sandy_executes_nothing_harmlessly)
{
	static const char *const last[] = { EMPTY(" bra B7\n"), EMPTY(" exit\n") };
	for (int k = 0; k < 2; k++)
		for (int functional = 0; functional < 2; functional++) {
			Rig *r = rig_new("divergence.model=tf_sandy tf_sandy.priority=source");
			r->functional = functional;
			rig_run(r, last[k], 1, 4);
			rig_path(r, 0, "A:f B2:c B3:3 B4:0 B5:0 B6:0 B7:f");
			ck_assert_uint_eq(r->s.totals.noop_fetches, 3);
			ck_assert_uint_eq(r->s.totals.pushes, 0);
			rig_free(r);
		}
}
END_TEST

#define CALLED "func f(u32 %n) -> (u32 %r) {\n reg pred %p\nf0: %p = setp.lt.u32 %n, 1\n bra %p, f1, f2\n" \
	"f1: %r = mov.u32 7\n ret\n" \
	"f2: %r = add.u32 %n, 20\n ret\n}\n"

/* A frame for each call; lanes that return early wait for the others of theirs. */
START_TEST(sandy_frames)
{
	rig_four_counts("divergence.model=tf_sandy", CALLED K(IF("3", "T", "F")
		"T: (%y) = call f, (%t)\n %x = add.u32 %x, %y\n bra J\n"
		"F: (%y) = call f, (%t)\n %x = add.u32 %x, %y\n bra J\n" AT("J", "3") END),
		"A:f T:3 f0:3 f1:1 f2:2 F:c f0:c f2:c J:f", 2, 1, 0);
	/* down(t): a frame for each depth, whose lanes are those that call there. */
	rig_four_counts("divergence.model=tf_sandy", "func down(u32 %n) -> (u32 %r) {\n reg pred %p\n"
		" reg u32 %m\nd0: %p = setp.eq.u32 %n, 0\n"
		" bra %p, d1, d2\nd1: %r = mov.u32 1\n ret\nd2: %m = sub.u32 %n, 1\n (%r) = call down, (%m)\n"
		" %r = mad.lo.u32 %r, 3, %n\n ret\n}\n"
		K(" (%x) = call down, (%t)\n bra B\n" AT("B", "1") END),
		"A:f d0:f d1:1 d2:e d0:e d1:2 d2:c d0:c d1:4 d2:8 d0:8 d1:8 B:f", 4, 4, 0);
}
END_TEST

/* Frames of the callees of an indirect call: one after the other, in the order of the first lanes; each is
   entered through a stub, which calls it. A frame whose lanes all exit ends, and with the last one the caller
   is walked on for those that are left. */
START_TEST(sandy_indirect_calls_and_exits)
{
	rig_four_counts("divergence.model=tf_sandy", "global u64 table[2] = { f, g }\n"
		CALLED "func g(u32 %n) -> (u32 %r) {\n reg pred %p\ng0: %p = setp.eq.u32 %n, 3\n"
		" bra %p, g1, g2\ng1: exit\ng2: %r = mov.u32 5\n ret\n}\n"
		K(" %w = mov.u64 table\n %s = and.b32 %t, 1\n %w = mad.wide.u32 %s, 8, %w\n"
		" %w = ld.global.u64 [%w]\n (%x) = call %w, (%t)\n bra B\n" AT("B", "1") END),
		"A:f f0:5 f1:1 f2:4 g0:a g1:8 g2:2 B:7", 4, 3, 0);
	rig_four_counts("divergence.model=tf_sandy", "func g() {\ng0: exit\n}\n" K(IF("3", "T", "J")
		"T: call g, ()\n bra J\n" AT("J", "3") END), "A:f T:3 g0:3 J:c", 1, 1, 0);
}
END_TEST

START_TEST(sandy_refuses_to_wait)
{
	Rig *r = rig_new("divergence.model=tf_sandy divergence.bar_partial=error");
	rig_try(r, K(IF("3", "T", "F") "T: bar.sync 0\n bra J\nF: bra J\n" AT("J", "3") END), 1, 4);
	ck_assert(!r->ok);
	ck_assert_int_eq(r->fault.kind, FAULT_BARRIER);
	ck_assert_ptr_nonnull(strstr(r->fault.text, "mechanism tf_sandy cannot let"));
	rig_free(r);
}
END_TEST

/* ---- min_pc, min_sp_pc ---- */

/* An if whose sides both call f, which lies behind them or, since g has called it already, in front of
   them. */
#define SIDES "T: (%y) = call f, (%t)\n bra T2\nT2: %x = add.u32 %y, 1\n bra J\nE: (%y) = call f, (%t)\n" \
	" bra E2\nE2: %x = add.u32 %y, 2\n bra J\n"
#define F_ONCE "func f(u32 %n) -> (u32 %r) {\nf: %r = add.u32 %n, 20\n ret\n}\n"
#define F_BEHIND F_ONCE K(IF("3", "T", "E") SIDES AT("J", "3") END)
#define F_IN_FRONT F_ONCE "func g(u32 %t) -> (u32 %x) {\n reg u32 %a, %y\n reg pred %p\nA2:" \
	IF("3", "T", "E") SIDES AT("J", "3") " ret\n}\n" \
	K(" (%x) = call f, (%t)\n (%x) = call g, (%t)\n" END)

START_TEST(calls_from_both_sides)
{
	runs("divergence.model=min_pc", F_BEHIND, "A:f T:3 E:c f:f T2:3 E2:c J:f");
	runs("divergence.model=min_sp_pc", F_BEHIND, "A:f T:3 f:3 T2:3 E:c f:c E2:c J:f");
	runs("divergence.model=tf_stack", F_BEHIND, "A:f T:3 f:3 T2:3 E:c f:c E2:c J:f");
	const char *twice = "A:f f:f A2:f T:3 f:3 T2:3 E:c f:c E2:c J:f";
	runs("divergence.model=min_pc", F_IN_FRONT, twice);
	runs("divergence.model=min_sp_pc", F_IN_FRONT, twice);
}
END_TEST

START_TEST(min_pc_costs)
{
	/* T to F; what follows has F's lanes */
	Rig *r = rig_four("divergence.model=min_pc min_pc.switch_cycles=3", IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 10 11 12 13 14 15");
	rig_free(r);
}
END_TEST

/* A group that has waited for a cycle is next: the two sides take turns, block by block; or two blocks
   each. */
START_TEST(starvation_takes_turns)
{
	const char *text = K(IF("3", "T", "F") AT("T", "1") " bra T2\n" AT("T2", "2") " bra T3\n"
		AT("T3", "3") " bra J\n" AT("F", "4") " bra F2\n" AT("F2", "5") " bra J\n" AT("J", "6") END);
	runs("divergence.model=min_pc", text, "A:f T:3 T2:3 T3:3 F:c F2:c J:f");
	runs("divergence.model=min_pc min_pc.starvation=1", text, "A:f T:3 F:c T2:3 F2:c T3:3 J:f");
	runs("divergence.model=min_pc min_pc.starvation=1 min_pc.quantum=2", text,
		"A:f T:3 F:c F2:c T2:3 T3:3 J:f");
	runs("divergence.model=min_pc min_pc.starvation=1000", text, "A:f T:3 T2:3 T3:3 F:c F2:c J:f");
}
END_TEST

/* F has waited since 5. T takes 5 to 12, a round of L four cycles: F has its turn at 33, is put aside at J at
   36, and leaves blocks of that turn. They are nobody else's: when L's lane comes to X, U is in front of
   it. */
START_TEST(a_turn_ends_where_its_group_waits)
{
	const char *text = K(IF("3", "T", "F") "T: %y = mov.u32 1\n %y = mov.u32 2\n %y = mov.u32 3\n"
		" %y = mov.u32 4\n" IF("1", "L", "U") AT("L", "1")
		" %s = add.u32 %s, 1\n %p = setp.lt.u32 %s, 6\n bra %p, L, X\n" AT("U", "2") " bra X\n"
		AT("F", "3") " bra J\n" AT("X", "4") " bra J\n" AT("J", "5") " bar.warp.sync 0xf\n" END);
	runs("divergence.model=min_pc min_pc.starvation=28 min_pc.quantum=8", text,
		"A:f T:3 L:1 L:1 L:1 L:1 L:1 F:c J:c L:1 U:2 X:3 J:3");
}
END_TEST

/* The naive spin lock: whoever has it waits behind those who spin. */
#define LOCK "global u32 lock[1]\nglobal u32 sum[1]\n" K(" %w = mov.u64 lock\n %o = mov.u64 sum\n bra L\n" \
	"L: %y = atom.global.cas.b32 [%w], 0, 1\n %p = setp.ne.u32 %y, 0\n bra %p, L, C\n" \
	"C: %x = ld.volatile.global.u32 [%o]\n %x = add.u32 %x, 1\n st.volatile.global.u32 [%o], %x\n" \
	" %y = atom.global.exch.b32 [%w], 0\n bra X\nX:" END)

START_TEST(starvation_ends_the_spin)
{
	static const char *const models[] = { "min_pc", "min_sp_pc" };
	char set[128];
	for (int k = 0; k < 2; k++) {
		snprintf(set, sizeof set, "divergence.model=%s limits.progress_cycles=2000", models[k]);
		Rig *r = rig_new(set);
		rig_try(r, LOCK, 1, 4);
		ck_assert(!r->ok);
		ck_assert_int_eq(r->fault.kind, FAULT_LIVELOCK);
		rig_free(r);
		snprintf(set, sizeof set, "divergence.model=%s %s.starvation=100 limits.progress_cycles=2000",
			models[k], models[k]);
		r = rig_new(set);
		rig_try(r, LOCK, 1, 4);
		rig_laws(r);
		ck_assert_uint_eq(rig_fetches(r, "C"), 4);
		uint32_t seen = 0; /* each lane counted on */
		for (int lane = 0; lane < 4; lane++)
			seen |= 1u << r->out[lane];
		ck_assert_uint_eq(seen, 0x1e);
		rig_free(r);
	}
}
END_TEST

/* Under min_pc the lanes of F come to J while the others are still in f, behind it: they wait for each other
   at the operation, and it is executed once, for all. */
START_TEST(lanes_are_gathered)
{
#define GATHER(OP) F_ONCE K(IF("3", "T", "F") "T: (%x) = call f, (%t)\n bra J\n" AT("F", "2") " bra J\n" \
	AT("J", "3") OP END)
	static const char *const texts[] = { GATHER(" %y = shfl.sync.bfly.b32 %x, 2, 31, 0xf\n"
		" %x = add.u32 %x, %y\n"),
		GATHER(" %p = setp.gt.u32 %x, 100\n %y = bar.red.popc.u32 0, %p\n %x = add.u32 %x, %y\n") };
	for (int k = 0; k < 2; k++)
		for (int functional = 0; functional < 2; functional++) {
			Rig *r = rig_new("divergence.model=min_pc");
			r->functional = functional;
			rig_run(r, texts[k], 1, 4);
			rig_path(r, 0, "A:f T:3 F:c J:c f:3 J:3");
			rig_free(r);
		}
	runs("divergence.model=min_sp_pc", texts[0], "A:f T:3 f:3 F:c J:f");
}
END_TEST

/* Lanes that exit are waited for no more; when everybody waits for others the operation is refused. */
START_TEST(gathering_ends)
{
	runs("divergence.model=min_pc", K(IF("3", "T", "F")
		"T: bra J\nJ: bar.sync 0\n %x = mov.u32 5\n bra Z\nF: %x = mov.u32 4\n" END "Z:" END), NULL);
	Rig *r = rig_new("divergence.model=min_pc");
	rig_try(r, K(IF("3", "T", "F") "T: bar.sync 0\n bra J\nF: bar.sync 1\n bra J\n" AT("J", "3") END), 1,
		4);
	ck_assert(!r->ok);
	ck_assert_ptr_nonnull(strstr(r->fault.text, "mechanism min_pc cannot let"));
	rig_free(r);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		frontiers, checks_where_the_frontier_asks, sandy_walks, sandy_costs,
			sandy_executes_nothing_harmlessly, sandy_frames,
		sandy_indirect_calls_and_exits, sandy_refuses_to_wait, calls_from_both_sides, min_pc_costs,
			starvation_takes_turns, a_turn_ends_where_its_group_waits,
		starvation_ends_the_spin, lanes_are_gathered, gathering_ends,
	};
	return rig_suite("frontiers", tests, sizeof tests / sizeof *tests);
}
