/* The SM's pipeline, cycle by cycle, on a machine whose every unit takes one cycle (tests/sim/sm/sim_rig.h):
 * what is expected here is computed by hand from doc/timing.md, as the cycles at which each warp issues. */
#include "tests/sim/sm/pipeline.h"

/* ---- scoreboard ---- */

START_TEST(a_result_can_be_used_after_the_latency)
{
	static const char *const machine[] = { "units.alu.latency=1", "units.alu.latency=3",
		"units.alu.latency=7" };
	static const char *const cycles[] = { "0 1 2 3", "0 3 6 7", "0 7 14 15" };
	static const uint64_t latency[] = { 1, 3, 7 };
	for (int k = 0; k < 3; k++) {
		Rig *r = one(machine[k], K(" %a = mov.u32 5\n %b = add.u32 %a, 1\n %c = add.u32 %b, %a\n" EX),
			cycles[k]);
		only_stall(r, STALL_DATA, 2 * (latency[k] - 1));
		ck_assert_uint_eq(r->s.totals.cycles, 2 * latency[k] + 2);
		ck_assert_uint_eq(r->s.totals.issued, 4);
		rig_free(r);
	}
}
END_TEST

START_TEST(independent_instructions_follow_each_other)
{
	Rig *r = one("units.alu.latency=9", K(" %a = mov.u32 5\n %b = mov.u32 6\n %c = mov.u32 7\n"
		" %d = add.u32 %a, %b\n"
		" %d = add.u32 %d, %c\n" EX), "0 1 2 10 19 20");
	only_stall(r, STALL_DATA, 15);
	rig_free(r);
}
END_TEST

START_TEST(writes_go_in_order)
{
	/* The slow write of f holds the fast one until that comes a cycle later, however much later its
	   readers get it; reading before writing (f, then f anew) holds nothing. */
	rig_free(one("units.sfu.latency=8", K(" %f = ex2.approx.f32 %g\n %f = add.f32 %h, %h\n" EX),
		"0 8 9"));
	rig_free(one("units.sfu.latency=8 units.fp32.latency=3",
		K(" %f = ex2.approx.f32 %g\n %f = add.f32 %h, %h\n %g = mul.f32 %f, %f\n" EX), "0 6 9 10"));
	rig_free(one("units.alu.latency=5 units.alu.guard_latency=13",
		K(" %p = setp.eq.u32 %a, 0\n %p = setp.eq.u32 %b, 0\n @%p %b = mov.u32 1\n" EX),
		"0 1 14 15"));
	rig_free(one("units.alu.latency=8", K(" %a = add.u32 %b, 1\n %b = mov.u32 3\n" EX), "0 1 2"));
}
END_TEST

START_TEST(guards_predicates_and_carries_are_operands)
{
	rig_free(one("units.alu.latency=4", K(" %p = setp.eq.u32 %a, 0\n @%p %b = mov.u32 1\n" EX), "0 4 5"));
	rig_free(one("units.alu.latency=4", K(" %p = setp.eq.u32 %a, 0\n @!%p %b = mov.u32 1\n" EX),
		"0 4 5"));
	rig_free(one("units.alu.latency=4", K(" %a = add.cc.u32 %b, 1\n %c = addc.u32 %b, 1\n" EX), "0 4 5"));
	rig_free(one("units.alu.latency=4", K(" %p = setp.eq.u32 %a, 0\n bra %p, B, C\nB: exit\nC: exit\n"),
		"0 4 5"));
}
END_TEST

/* Every kind of reader has a latency of its own, and one that is left open is the unit's latency. */
static void readers_get_results(const char *model)
{
	static const char begin[] = K(" %a = and.b32 %c, 60\n %p = setp.eq.u32 %c, 9\n ");
	static const struct { const char *reader; int latency; } row[] = {
		{ "%b = xor.b32 %a, 1", 4 }, { "%b = selp.u32 1, 2, %p", 4 }, { "%b = shl.b32 %a, 1", 4 },
		{ "%b = mul.lo.u32 %a, %a", 5 }, { "%b = mad.lo.u32 %b, %b, %a", 5 },
		{ "%g = cvt.rn.f32.u32 %a", 6 }, { "%b = popc.b32 %a", 6 }, { "st.shared.u32 [buf], %a", 6 },
		{ "@%p %b = ld.shared.u32 [%a]", 12 }, { "%b = shfl.sync.idx.b32 %a, 0, 31, -1", 6 },
		{ "@%p %b = mov.u32 3", 12 }, { "@!%p %b = mul.lo.u32 %b, %b", 12 },
		{ "%b = vote.sync.ballot.b32 %p, -1", 12 }, { "@%p st.shared.u32 [buf], %b", 12 },
	};
	for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
		char text[600], cycles[40], machine[200];
		snprintf(text, sizeof text, "%.*s%s\n" EX "}\n", (int)sizeof begin - 3, begin, row[k].reader);
		bool predicate = strstr(row[k].reader, "%p");
		snprintf(cycles, sizeof cycles, "0 1 %d %d", row[k].latency + predicate,
			row[k].latency + predicate + 1);
		snprintf(machine, sizeof machine, "divergence.model=%s units.alu.latency=4 "
			"units.alu.fma_latency=5 units.alu.guard_latency=12 "
			"units.alu.decoupled_latency=6", model);
		rig_free(one(machine, text, cycles));
	}
}

START_TEST(who_reads_a_result_decides_when_it_is_there)
{
	readers_get_results("ipdom");
	readers_get_results("its"); /* lanes have entries of their own */
	readers_get_results("dwf"); /* splits have lanes of several warps */
	/* a class has its unit's latencies as long as it has none of its own */
	rig_free(one("units.alu.guard_latency=9 units.compare.latency=3",
		K(" %p = setp.eq.u32 %a, 0\n @%p %b = mov.u32 1\n" EX), "0 3 4"));
}
END_TEST

START_TEST(both_halves_of_a_pair_are_one_result)
{
	rig_free(one("units.cvt.latency=6", K(" %w = cvt.u64.u32 %a\n %x = add.u64 %w, 1\n" EX), "0 6 7"));
}
END_TEST

/* Where registers are ready lane by lane: lanes 2 and 3 end before lanes 0 and 1 go on. Those wait for what
   they have written themselves, in whatever lane, and for nothing that others have. */
START_TEST(lanes_wait_for_their_own_registers)
{
	const char *m = "divergence.model=serial units.sfu.latency=8";
#define SIDES(T, F) K(" %t = mov.u32 %tid.x\n %p = setp.ge.u32 %t, 2\n bra %p, T, F\nT: " T EX "F: " F EX)
#define SLOW " %f = ex2.approx.f32 %g\n"
#define USE " %h = add.f32 %f, %f\n"
	rig_free(one(m, SIDES(SLOW USE, SLOW USE), "0 1 2 3 11 12 13 21 22"));
	rig_free(one(m, SIDES(SLOW, USE), "0 1 2 3 4 5 6"));
	rig_free(one("divergence.model=serial units.sfu.latency=8 scheduler.issue_width=2",
		SIDES(SLOW, " %b = mov.u32 1\n" USE), "0 1 2 3 3 4 4 5"));
	rig_free(one(m, SIDES("%i = ex2.approx.f32 %g\n" SLOW USE, USE), "0 1 2 3 4 12 13 14 15"));
}
END_TEST

START_TEST(loads_are_ready_after_the_latency_of_their_memory)
{
	Rig *r = one("shared.latency=9", K(" %a = ld.shared.u32 [buf]\n %b = mov.u32 1\n %c = add.u32 %a, 1\n"
		EX), "0 1 9 10");
	only_stall(r, STALL_MEMORY, 7);
	rig_free(r);
	r = one("constant.latency=5", K(" %w = ld.param.u64 [out]\n %x = add.u64 %w, 8\n" EX), "0 5 6");
	only_stall(r, STALL_MEMORY, 4);
	rig_free(r);
}
END_TEST

/* A store needs its data and address, and nobody waits for it. */
START_TEST(stores_wait_for_their_operands_only)
{
	rig_free(one("units.alu.latency=5 shared.latency=20",
		K(" %a = mov.u32 7\n st.shared.u32 [buf], %a\n %b = mov.u32 1\n" EX), "0 5 6 7"));
}
END_TEST

/* ---- units ---- */

START_TEST(a_unit_takes_an_instruction_every_interval)
{
	Rig *r = one("units.fp32.interval=4", K(" %f = add.f32 %i, %i\n %g = add.f32 %i, %i\n"
		" %h = add.f32 %i, %i\n" EX), "0 4 8 9");
	only_stall(r, STALL_UNIT, 6);
	rig_free(r);
	r = one("units.fp32.interval=4 units.fp32.count=2",
		K(" %f = add.f32 %i, %i\n %g = add.f32 %i, %i\n %h = add.f32 %i, %i\n" EX), "0 1 4 5");
	only_stall(r, STALL_UNIT, 2);
	rig_free(r);
}
END_TEST

START_TEST(a_busy_unit_does_not_hold_another)
{
	rig_free(one("units.fp32.interval=9", K(" %f = add.f32 %i, %i\n %a = mov.u32 1\n %b = mov.u32 2\n"
		EX), "0 1 2 3"));
}
END_TEST

START_TEST(warps_share_units)
{
	Rig *r = rig_new("units.fp32.interval=3");
	rig_run(r, K(" %f = add.f32 %i, %i\n" EX), 1, 8);
	rig_issues(r, 0, "0 1");
	rig_issues(r, 1, "3 4");
	only_stall(r, STALL_UNIT, 1);
	rig_free(r);
}
END_TEST

/* Two schedulers want the one copy that there is: whoever has had no more of it goes next. */
START_TEST(schedulers_take_turns_at_a_unit)
{
	Rig *r = rig_new("scheduler.count=2 units.fp32.per=sm units.fp32.count=1 units.ctl.count=1");
	rig_run(r, K(" %f = add.f32 %i, %i\n %g = add.f32 %i, %i\n %h = add.f32 %i, %i\n" EX), 1, 8);
	rig_order(r, "0 1 0 1 0 1 0 1");
	rig_free(r);
}
END_TEST

/* Four lanes on one bank keep the load/store unit for four cycles; lanes of a broadcast do not. A second
   access waits for it in the queue, in which its warp has one place: a third is not issued before. */
START_TEST(bank_conflicts_hold_the_load_store_unit)
{
	const char *conflict = K(" %t = mov.u32 %tid.x\n %a = shl.b32 %t, 4\n %b = ld.shared.u32 [%a]\n"
		" %c = ld.shared.u32 [buf]\n"
		" st.shared.u32 [buf], 0\n" EX);
	Rig *r = one("shared.latency=1", conflict, "0 1 2 3 6 7");
	only_stall(r, STALL_MEMPIPE, 2);
	ck_assert_uint_eq(r->s.totals.shared_conflicts, 3);
	rig_free(r);
	r = one("units.mem.interval=3", K(" %b = ld.shared.u32 [buf]\n %c = ld.shared.u32 [buf]\n" EX),
		"0 3 4");
	only_stall(r, STALL_MEMPIPE, 2);
	rig_free(r);
}
END_TEST

/* ---- two instructions a cycle ---- */

START_TEST(two_independent_instructions_issue_together)
{
	const char *text = K(" %a = mov.u32 1\n %b = mov.u32 2\n %c = add.u32 %a, 1\n %d = add.u32 %b, %c\n"
		EX);
	Rig *r = one("scheduler.issue_width=2 units.alu.count=2", text, "0 0 1 2 2");
	ck_assert_uint_eq(r->s.totals.issued, 3);
	ck_assert_uint_eq(r->s.totals.slots, 3);
	ck_assert_uint_eq(r->s.totals.warp_instructions, 5);
	rig_free(r);
	rig_free(one("scheduler.issue_width=2 units.alu.count=1", text, "0 1 2 3 3"));
	rig_free(one("scheduler.issue_width=1 units.alu.count=2", text, "0 1 2 3 4"));
	rig_free(one("scheduler.issue_width=2", K(" %a = mov.u32 1\n %f = add.f32 %i, %i\n" EX), "0 0 1"));
}
END_TEST

START_TEST(nothing_issues_behind_a_branch_in_its_cycle)
{
	const char *text = K(" bra L\nM: %b = mov.u32 2\n" EX "L: %a = mov.u32 1\n bra M\n");
	rig_free(one("scheduler.issue_width=2 units.ctl.count=2", text, "0 1 1 2 2"));
	rig_free(one("scheduler.issue_width=2 units.ctl.count=2", K(" bar.sync 0\n %a = mov.u32 1\n" EX),
		"0 1 1"));
}
END_TEST

/* ---- branches ---- */

START_TEST(a_jump_costs_the_redirection)
{
	/* Taken to a place behind the next instruction; the jump to the next block is none. */
	Rig *r = one("fetch.redirect_cycles=5", K(" bra C\nB: exit\nC: bra B\n"), "0 6 12");
	only_stall(r, STALL_BRANCH, 10);
	ck_assert_uint_eq(r->s.totals.overhead_warp, 2);
	ck_assert_uint_eq(r->s.totals.warp_instructions, 1);
	rig_free(r);
	r = one("fetch.redirect_cycles=5", K(" %a = mov.u32 1\n bra B\nB: %b = mov.u32 2\n bra C\nC: exit\n"),
		"0 1 2");
	ck_assert_uint_eq(r->s.totals.overhead_warp, 0);
	rig_free(r);
}
END_TEST

/* A conditional branch carries both places: only the side that does not follow in the code is redirected. */
START_TEST(a_branch_costs_the_redirection_where_it_leaves_the_line)
{
	const char *next = K(" %p = setp.eq.u32 %a, 0\n bra %p, B, C\nB: exit\nC: exit\n");
	const char *away = K(" %p = setp.eq.u32 %a, 0\n bra %p, C, B\nB: exit\nC: exit\n");
	rig_free(one("fetch.redirect_cycles=5", next, "0 1 2"));
	Rig *r = one("fetch.redirect_cycles=5", away, "0 1 7");
	only_stall(r, STALL_BRANCH, 5);
	rig_free(r);
}
END_TEST

/* The front end is there long before the result: until then the jump is the reason. */
START_TEST(a_jump_is_over_before_data_are_waited_for)
{
	Rig *r = one("fetch.redirect_cycles=5 units.sfu.latency=16",
		K(" %p = setp.eq.u32 %a, 0\n %f = ex2.approx.f32 %g\n bra %p, C, B\nB: exit\n"
			"C: %h = add.f32 %f, %f\n" EX), "0 1 2 17 18");
	stall(r, STALL_BRANCH, 5);
	stall(r, STALL_DATA, 9);
	rig_free(r);
}
END_TEST

/* Two lanes go to C first, which does not follow in the code: a jump. Where the mechanism keeps the warp
   beyond the next cycle, too, the whole wait has its reason; the cycles are the sum. B, which runs last, is
   jumped to as well. */
START_TEST(a_jump_is_divergence_where_the_mechanism_takes_time)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n bra %p, C, B\nB: exit\n"
		"C: exit\n");
	Rig *r = one("fetch.redirect_cycles=5", text, "0 1 2 8 14");
	only_stall(r, STALL_BRANCH, 5 + 5);
	rig_free(r);
	r = one("fetch.redirect_cycles=5 ipdom.push_cycles=3", text, "0 1 2 11 17");
	stall(r, STALL_DIVERGENCE, 3 + 5);
	stall(r, STALL_BRANCH, 5);
	rig_free(r);
	r = one("ipdom.push_cycles=3", text, "0 1 2 6 7");
	only_stall(r, STALL_DIVERGENCE, 3);
	rig_free(r);
}
END_TEST

START_TEST(a_block_that_jumps_to_itself_is_redirected)
{
	const char *loop = K(" bra L\nL: %a = add.u32 %a, 1\n %p = setp.lt.u32 %a, 3\n bra %p, L, D\n"
		"D: exit\n");
	rig_free(one("fetch.redirect_cycles=2", loop, "0 1 2 3 6 7 8 11 12 13 14"));
}
END_TEST

static uint64_t issues_within(const char *machine, const char *text)
{
	Rig *r = rig_new(machine);
	rig_try(r, text, 1, 4);
	ck_assert(!r->ok);
	uint64_t n = r->s.totals.issued;
	rig_free(r);
	return n;
}

/* It is redirected in every turn, as any other: 400 cycles more are 50 turns of 8, or 400 of one. */
START_TEST(a_branch_to_itself_is_redirected)
{
	const char *text = K(" bra L\nL: bra L\n");
	ck_assert_uint_eq(issues_within("limits.max_cycles=900", text) -
		issues_within("limits.max_cycles=500", text), 400);
	ck_assert_uint_eq(issues_within("fetch.redirect_cycles=7 limits.max_cycles=900", text)
		- issues_within("fetch.redirect_cycles=7 limits.max_cycles=500", text), 50);
}
END_TEST

/* ---- instruction fetch ---- */

/* Two instructions a line. The first line comes from DRAM: request and reply pass without delay, DRAM takes
   an access of one cycle and a burst of one beyond the undisturbed hit in L2. Then the line is in the
   cache. */
START_TEST(instruction_lines_are_fetched_once)
{
	const char *m = "fetch.cache_bytes=1024 fetch.line_bytes=32 fetch.instruction_bytes=16 "
		"fetch.miss_cycles=20 dram.row_miss=1";
	Rig *r = one(m, K(" %a = mov.u32 1\n %b = mov.u32 2\n %c = mov.u32 3\n" EX), "22 23 46 47");
	only_stall(r, STALL_FETCH, 44);
	ck_assert_uint_eq(r->s.totals.fetch_misses, 2);
	ck_assert_uint_eq(r->s.totals.l1_other, 2);
	rig_free(r);
	r = rig_new(m); /* the second warp joins the miss of the first */
	rig_run(r, K(" %a = mov.u32 1\n %b = mov.u32 2\n" EX), 1, 8);
	ck_assert_uint_eq(r->s.totals.fetch_misses, 2);
	rig_order(r, "0 1 0 1 0 1");
	rig_free(r);
}
END_TEST

/* The sum begins a line and reads a slow result: its line is fetched meanwhile, so the later counts alone. */
START_TEST(lines_come_while_data_are_computed)
{
	enum { SLOWEST = 150 };
	uint64_t cycles[SLOWEST + 1];
	for (int slow = 1; slow <= SLOWEST; slow++) {
		char set[200];
		snprintf(set, sizeof set, "fetch.cache_bytes=1024 fetch.line_bytes=32 "
			"fetch.instruction_bytes=16 fetch.miss_cycles=20 interconnect.latency=40 "
			"units.sfu.latency=%d", slow);
		Rig *r = rig_new(set);
		rig_run(r, K(" %a = mov.u32 1\n %f = ex2.approx.f32 %g\n %h = add.f32 %f, %f\n" EX), 1, 4);
		cycles[slow] = r->s.totals.cycles;
		rig_free(r);
	}
	ck_assert_uint_eq(cycles[20], cycles[1]); /* the line takes longer */
	ck_assert_uint_gt(cycles[SLOWEST], cycles[1]);
	for (int slow = 1; slow <= SLOWEST; slow++) {
		uint64_t computed = cycles[SLOWEST] - (uint64_t)(SLOWEST - slow);
		ck_assert_uint_eq(cycles[slow], computed > cycles[1] ? computed : cycles[1]);
	}
}
END_TEST

START_TEST(loops_stay_in_the_instruction_cache)
{
	const char *text = K(" bra L\nL: %a = add.u32 %a, 1\n %p = setp.lt.u32 %a, 50\n bra %p, L, D\n"
		"D: exit\n");
	Rig *r = rig_new("fetch.cache_bytes=128 fetch.line_bytes=32 fetch.ways=4 fetch.instruction_bytes=16");
	rig_run(r, text, 1, 4);
	ck_assert_uint_eq(r->s.totals.fetch_misses, 3);
	rig_free(r);
	/* one line: two misses a turn */
	r = rig_new("fetch.cache_bytes=32 fetch.line_bytes=32 fetch.ways=1 fetch.instruction_bytes=16");
	rig_run(r, text, 1, 4);
	ck_assert_uint_gt(r->s.totals.fetch_misses, 50);
	rig_free(r);
}
END_TEST

/* ---- waiting ---- */

START_TEST(sleep_is_in_nanoseconds)
{
	Rig *r = one("clock_mhz=1000", K(" nanosleep.u32 50\n" EX), "0 50");
	only_stall(r, STALL_SLEEP, 49);
	rig_free(r);
	rig_free(one("clock_mhz=500", K(" nanosleep.u32 50\n" EX), "0 25"));
	/* The longest sleep of the warp counts. */
	rig_free(one("clock_mhz=1000", K(" %t = mov.u32 %tid.x\n %a = mul.lo.u32 %t, 10\n nanosleep.u32 %a\n"
		EX), "0 1 2 32"));
}
END_TEST

/* An ended warp holds its slot until its loads have come. */
START_TEST(ended_warps_drain)
{
	Rig *r = rig_new("l2.latency=30");
	rig_run(r, K(" %o = ld.param.u64 [out]\n %a = ld.global.u32 [%o]\n" EX), 1, 4);
	rig_issues(r, 0, "0 1 2");
	ck_assert_uint_gt(r->s.totals.stalls[STALL_DRAIN], 30);
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DRAIN] + 3, r->s.totals.cycles);
	rig_free(r);
}
END_TEST

START_TEST(the_clock_is_the_cycle_of_issue)
{
	Rig *r = rig_new("units.alu.latency=3 launch.latency_cycles=70");
	r->clocks = true;
	rig_run(r, K(" %b = mov.u32 10\n %b = add.u32 %b, 1\n %a = mov.u32 %clock\n %a = add.u32 %a, %b\n"
		STORE("%a") EX), 1, 4);
	for (int k = 0; k < 4; k++)
		ck_assert_uint_eq(r->out[k], 11 + 70 + 4);
	rig_free(r);
}
END_TEST

/* In a called function: its own variable, the module's by name and by number, all from the bottom of the
   thread's memory. */
START_TEST(local_addresses)
{
	Rig *r = rig_new("");
	rig_run(r, "local u32 of_all[2]\nfunc f() -> (u32 %r) {\n reg u32 %a, %b\n reg u64 %x\n"
		" local u32 own\nA:\n"
		" st.local.u32 [own], 5\n %a = ld.local.u32 [of_all+4]\n %b = ld.local.u32 [0]\n"
		" %a = mad.lo.u32 %b, 100, %a\n"
		" %x = mov.u64 of_all\n %x = cvta.local.u64 %x\n %b = ld.u32 [%x+4]\n"
		" %a = mad.lo.u32 %b, 10000, %a\n"
		" %b = ld.local.u32 [own]\n %r = mad.lo.u32 %b, 1000000, %a\n st.local.u32 [of_all], 9\n"
		" ret\n}\n"
		K(" st.local.u32 [of_all], 7\n st.local.u32 [of_all+4], 3\n (%a) = call f, ()\n"
		" %b = ld.local.u32 [of_all]\n"
		" %a = mad.lo.u32 %b, 10000000, %a\n" STORE("%a") EX), 1, 4);
	for (int k = 0; k < 4; k++)
		ck_assert_uint_eq(r->out[k], 3 + 7 * 100 + 3 * 10000 + 5 * 1000000 + 9 * 10000000);
	rig_free(r);
}
END_TEST

/* Eight blocks are on the SM at once. Each has its number in the last word of its dynamic shared memory,
   behind what is static, until all have theirs. */
START_TEST(blocks_have_their_own_dynamic_shared_memory)
{
	Rig *r = rig_new("");
	r->shared = 128;
	rig_run(r, K(" %t = mov.u32 %ctaid.x\n %a = mov.u32 buf\n %a = add.u32 %a, 380\n"
		" st.shared.u32 [%a], %t\n %b = ld.shared.u32 [%a]\n"
		" %b = ld.shared.u32 [%a]\n %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n"
		" st.global.u32 [%o], %b\n" EX), 8, 1);
	for (uint32_t k = 0; k < 8; k++)
		ck_assert_uint_eq(r->out[k], k);
	rig_free(r);
}
END_TEST

/* No shared memory is reserved: the region is empty and lies behind the block's. Nobody sets %envreg. */
START_TEST(registers_of_the_driver)
{
	Rig *r = rig_new("");
	r->shared = 64;
	rig_run(r, K(" st.shared.u32 [buf], 0\n %a = mov.u32 %reserved_smem_offset_begin\n"
		" %b = mov.u32 %reserved_smem_offset_end\n"
		" %c = mov.u32 %reserved_smem_offset_cap\n %a = add.u32 %a, %c\n %b = sub.u32 %b, %a\n"
		" %c = mov.u32 %reserved_smem_offset_0\n"
		" %a = mad.lo.u32 %b, 100000, %a\n %b = mov.u32 %reserved_smem_offset_1\n"
		" %b = sub.u32 %b, %c\n %a = add.u32 %a, %b\n"
		" %b = mov.u32 %envreg0\n %a = add.u32 %a, %b\n %b = mov.u32 %envreg31\n"
		" %a = add.u32 %a, %b\n" STORE("%a") EX), 1, 4);
	for (int k = 0; k < 4; k++)
		ck_assert_uint_eq(r->out[k], 64 * 4 + 64);
	rig_free(r);
}
END_TEST

/* ---- printf: no window shows ---- */

static void windows_of_one_cycle(Gpu *g) { g->window = 1; }

/* Warp 0 prints a word of shared memory, and warp 1 writes another there some cycles before or after,
   unordered. What is printed depends on when the instruction is executed, and on nothing that the host does.
   where: the string, its address as an argument in local memory, the arguments, or the format. */
static char *printed(const char *read, int delay, void (*prepare)(Gpu *))
{
	StrBuf b = { 0 };
	Rig *r = rig_new("interconnect.latency=40 l2.latency=100");
	sb_printf(&b, "global b8 format[4] = { 37, 115, 10, 0 }\nglobal b64 pointer[1]\nkernel k(u64 out) {\n"
		" shared b32 words[4]\n local b64 args[1]\n"
		"A: %%t = mov.u32 %%tid.x\n %%s = mov.u64 words\n %%s = cvta.shared.u64 %%s\n"
		" st.local.u64 [args], %%s\n %%g = mov.u64 pointer\n"
		" st.global.u64 [%%g], %%s\n %%f = mov.u64 format\n %%a = mov.u64 args\n"
		" %%a = cvta.local.u64 %%a\n st.shared.u32 [words], 0x0a414141\n"
		" bar.sync 0\n %%p = setp.lt.u32 %%t, 4\n bra %%p, P, B0\nP: %%q = setp.eq.u32 %%t, 0\n"
		" @%%q %%n = vprintf %s\n exit\n", read);
	for (int k = 0; k < delay; k++)
		sb_printf(&b, "B%d: bra B%d\n", k, k + 1);
	sb_printf(&b, "B%d: st.shared.u32 [words], 0x0a424242\n exit\n}\n", delay);
	r->print.limit = 1000;
	r->prepare = prepare;
	rig_try(r, b.s, 1, 8);
	ck_assert_msg(r->ok, "%s", r->fault.text);
	char *text = xstrdup(r->print.text.s);
	sb_free(&b);
	rig_free(r);
	return text;
}

START_TEST(what_is_printed_of_shared_memory)
{
	static const char *const reads[] = { "%f, %a", "%f, %g", "%s, %a" };
	for (size_t k = 0; k < sizeof reads / sizeof *reads; k++) {
		bool before = false, after = false;
		for (int delay = 0; delay < 30; delay++) {
			char *one = printed(reads[k], delay, windows_of_one_cycle),
				*whole = printed(reads[k], delay, NULL);
			ck_assert_msg(!strcmp(one, whole), "vprintf %s: %s in windows of one cycle, %s in "
				"the longest", reads[k], one, whole);
			before |= *one == 'A';
			after |= *one == 'B';
			free(one);
			free(whole);
		}
		ck_assert(before && after);
	}
}
END_TEST

/* ---- every lane a core of its own ---- */

static const char lane_head[] = "kernel k(u64 out) {\n reg u32 %t, %a, %b, %c, %d\n reg f32 %f, %g, %h, %i\n"
	" reg pred %p\n shared u32 buf[64]\nA:\n";

/* The cycles in which the lane issues: "0 1 5 ". */
static void issues_of_lane(const Rig *r, int lane, char got[600])
{
	size_t at = 0;
	*got = 0;
	for (int i = 0; i < r->n && at < 580; i++)
		if (r->e[i].kind == TR_ISSUE && r->e[i].mask >> lane & 1)
			at += (size_t)snprintf(got + at, 600 - at, "%llu ",
				(unsigned long long)r->e[i].cycle);
}

/* One thread, which issues `width` instructions a cycle, loads with that latency, and has so many
   instructions between its loads and their use. */
static Rig *single(const char *model, int width, int latency, int between, const char *operands)
{
	char text[1000], set[300];
	int at = snprintf(text, sizeof text, "%s %%a = mov.u32 1\n %%h = mov.f32 0f3F800000\n"
		" %%f = ld.shared.f32 [buf]\n %%g = ex2.approx.f32 %%i\n", lane_head);
	for (int n = 0; n < between; n++)
		at += snprintf(text + at, sizeof text - (size_t)at, " %%a = add.u32 %%a, %d\n", n);
	snprintf(text + at, sizeof text - (size_t)at, " %%i = add.f32 %s\n %%i = add.f32 %%i, %%f\n"
		" %%i = add.f32 %%i, %%g\n %%i = add.f32 %%i, %%h\n %%a = add.u32 %%a, 1\n exit\n}\n",
		operands);
	snprintf(set, sizeof set, "divergence.model=%s scheduler.issue_width=%d units.alu.count=2"
		" units.alu.latency=2 units.fp32.count=2 units.sfu.latency=6 shared.latency=%d", model, width,
		latency);
	Rig *r = rig_new(set);
	rig_run(r, text, 1, 1);
	return r;
}

/* A thread that is alone issues as a warp of one does, and waits for the same reasons. */
START_TEST(a_lane_alone_is_a_warp_of_one)
{
	static const char *const operands[] = { "%f, %g", "%g, %f", "%f, %h", "%h, %f", "%g, %h", "%h, %g" };
	for (int k = 0; k < 6 * 2 * 5 * 7; k++) {
		int width = 1 + k / 6 % 2, latency = 2 * (k / 12 % 5) + 1, between = k / 60;
		char got[600], want[600];
		Rig *warp = single("ipdom", width, latency, between, operands[k % 6]);
		Rig *lane = single("mimd", width, latency, between, operands[k % 6]);
		issues_of_lane(warp, 0, want);
		issues_of_lane(lane, 0, got);
		ck_assert_msg(!strcmp(got, want), "width %d, latency %d, %d between, %s: a lane issues in "
			"%s, a warp in %s", width, latency, between, operands[k % 6], got, want);
		for (int s = 0; s < STALL_COUNT; s++)
			stall(lane, (Stall)s, warp->s.totals.stalls[s]);
		rig_free(warp);
		rig_free(lane);
	}
}
END_TEST

/* Registers are renamed: only a load into the same register holds a write. Jumps that only the layout needs
   take no time. */
START_TEST(a_lane_waits_for_little)
{
#define IF_ELSE(P) " " P "\n bra %p, T, F\nT: %b = mov.u32 1\n bra J\nF: %b = mov.u32 2\n bra J\n" \
	"J: %c = mov.u32 3\n" EX
	static const struct { const char *text; uint64_t cycles; } want[] = {
		{ " %f = ex2.approx.f32 %g\n %f = add.f32 %h, %h\n" EX, 3 },
		{ " %f = ld.shared.f32 [buf]\n %f = add.f32 %h, %h\n" EX, 10 },
		{ IF_ELSE("%p = setp.eq.u32 %a, 0"), 5 },
		{ IF_ELSE("%p = setp.ne.u32 %a, 0"), 5 },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char text[500];
		snprintf(text, sizeof text, "%s%s}\n", lane_head, want[k].text);
		Rig *r = rig_new("divergence.model=mimd units.sfu.latency=8 shared.latency=8");
		rig_run(r, text, 1, 1);
		ck_assert_msg(r->s.totals.cycles == want[k].cycles, "%llu cycles, expected %llu\n%s",
			(unsigned long long)r->s.totals.cycles, (unsigned long long)want[k].cycles, text);
		rig_free(r);
	}
#undef IF_ELSE
}
END_TEST

/* Each lane goes a way of its own, and issues as if it were alone, where others end first, load, or wait. */
START_TEST(lanes_hold_nobody_up)
{
	static const char ways[] = " brx %t, [W0, W1, W2, W3]\nW0: %a = mov.u32 1\n" EX
		"W1: %a = ld.shared.u32 [buf]\n %b = mov.u32 5\n %c = mov.u32 6\n"
		" %d = ld.shared.u32 [buf+8]\n"
		" %a = add.u32 %a, %d\n" EX
		"W2: %a = mov.u32 1\n %b = mov.u32 2\n %c = mov.u32 3\n %d = ld.shared.u32 [buf+4]\n"
		" %a = mov.u32 4\n"
		" %b = mov.u32 5\n %d = add.u32 %d, 1\n" EX
		"W3: %f = ex2.approx.f32 %g\n %a = mov.u32 2\n %b = ld.shared.u32 [buf]\n %c = mov.u32 7\n"
		" %h = add.f32 %f, %g\n %b = add.u32 %b, 1\n %c = mov.u32 8\n" EX;
	for (int k = 0; k < 2 * 4; k++) {
		int width = 1 + k / 4, lane = k % 4;
		char set[200], text[1500], alone[600], among[600];
		snprintf(set, sizeof set, "divergence.model=mimd scheduler.issue_width=%d units.sfu.latency=5"
			" shared.latency=3", width);
		Rig *all = rig_new(set), *one = rig_new(set);
		snprintf(text, sizeof text, "%s %%t = mov.u32 %%tid.x\n%s}\n", lane_head, ways);
		rig_run(all, text, 1, 4);
		snprintf(text, sizeof text, "%s %%t = mov.u32 %d\n%s}\n", lane_head, lane, ways);
		rig_run(one, text, 1, 1);
		issues_of_lane(all, lane, among);
		issues_of_lane(one, 0, alone);
		ck_assert_msg(!strcmp(alone, among), "%s, lane %d issues in %s, alone in %s", set, lane,
			among, alone);
		rig_free(one);
		rig_free(all);
	}
}
END_TEST

/* Whoever comes last, all lanes go on in the next cycle, and end together. */
START_TEST(lanes_go_on_together_behind_a_barrier)
{
	static const char *const barriers[] = { "bar.sync 0", "bar.warp.sync 15" };
	for (int k = 0; k < 2 * 4 * 2; k++) {
		int width = 1 + k / 8, last = k % 4;
		char set[100], text[600], end[30], got[600];
		snprintf(set, sizeof set, "divergence.model=mimd scheduler.issue_width=%d "
			"units.sfu.latency=9", width);
		snprintf(text, sizeof text, "%s %%t = mov.u32 %%tid.x\n %%p = setp.eq.u32 %%t, %d\n"
			" bra %%p, S, B\n"
			"S: %%f = ex2.approx.f32 %%g\n %%g = ex2.approx.f32 %%f\n bra B\nB: %s\n"
			" %%a = mov.u32 1\n exit\n}\n",
			lane_head, last, barriers[k / 4 % 2]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4);
		snprintf(end, sizeof end, " %llu ", (unsigned long long)r->s.totals.cycles - 1);
		for (int lane = 0; lane < 4; lane++) {
			issues_of_lane(r, lane, got);
			ck_assert_msg(strlen(got) > strlen(end) &&
				!strcmp(got + strlen(got) - strlen(end), end),
				"%s, lane %d comes last; lane %d issues in %s\n%s", set, last, lane, got,
				text);
		}
		rig_free(r);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_result_can_be_used_after_the_latency, independent_instructions_follow_each_other,
			writes_go_in_order,
		guards_predicates_and_carries_are_operands, who_reads_a_result_decides_when_it_is_there,
		both_halves_of_a_pair_are_one_result,
		lanes_wait_for_their_own_registers, loads_are_ready_after_the_latency_of_their_memory,
		stores_wait_for_their_operands_only,
		a_unit_takes_an_instruction_every_interval, a_busy_unit_does_not_hold_another,
		warps_share_units, schedulers_take_turns_at_a_unit,
		bank_conflicts_hold_the_load_store_unit, two_independent_instructions_issue_together,
		nothing_issues_behind_a_branch_in_its_cycle, a_jump_costs_the_redirection,
		a_jump_is_over_before_data_are_waited_for, lines_come_while_data_are_computed,
		a_branch_costs_the_redirection_where_it_leaves_the_line,
		a_jump_is_divergence_where_the_mechanism_takes_time,
		a_block_that_jumps_to_itself_is_redirected, a_branch_to_itself_is_redirected,
		instruction_lines_are_fetched_once, loops_stay_in_the_instruction_cache,
		sleep_is_in_nanoseconds, ended_warps_drain, the_clock_is_the_cycle_of_issue,
		local_addresses, blocks_have_their_own_dynamic_shared_memory, registers_of_the_driver,
		what_is_printed_of_shared_memory,
		a_lane_alone_is_a_warp_of_one, a_lane_waits_for_little, lanes_hold_nobody_up,
		lanes_go_on_together_behind_a_barrier,
	};
	return rig_suite("the SM's pipeline", tests, sizeof tests / sizeof *tests);
}
