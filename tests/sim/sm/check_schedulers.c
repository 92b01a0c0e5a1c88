/* Which warp issues, cycle by cycle: the policies of schedulers, and warps that come and end
   (doc/timing.md). */
#include "tests/sim/sm/pipeline.h"

/* Warp 1 goes to X, the others to Y. */
#define ONE_APART(ONE, OTHERS) K(" %a = mov.u32 %tid.x\n %a = shr.b32 %a, 2\n %p = setp.eq.u32 %a, 1\n" \
	" bra %p, X, Y\nX:" ONE EX "Y:" OTHERS EX)

/* Warp 0 goes to X, where an instruction takes four cycles; warp 1 to Y, which has four independent ones. */
#define TWO_WAYS(SLOW, USE) K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 4\n bra %p, X, Y\nX: " SLOW " " \
	USE EX \
	"Y: %a = mov.u32 1\n %b = mov.u32 2\n %c = mov.u32 3\n %d = mov.u32 4\n" EX)
#define SLOW_SFU TWO_WAYS("%f = ex2.approx.f32 %g\n", "%h = add.f32 %f, %f\n")
#define SLOW_LOAD TWO_WAYS("%a = ld.shared.u32 [buf]\n", "%b = add.u32 %a, 1\n")

static void policy(const char *machine, const char *text, const char *first, const char *second)
{
	Rig *r = rig_new(machine);
	rig_run(r, text, 1, 8);
	rig_issues(r, 0, first);
	rig_issues(r, 1, second);
	fetched_once(r, machine, text, 8);
	rig_free(r);
}

START_TEST(loose_round_robin)
{
	policy("units.sfu.latency=4 scheduler.policy=lrr", SLOW_SFU, "0 2 4 6 10 12", "1 3 5 7 8 9 11 13");
}
END_TEST

START_TEST(greedy_then_oldest)
{
	policy("units.sfu.latency=4 scheduler.policy=gto", SLOW_SFU, "0 1 2 3 12 13", "4 5 6 7 8 9 10 11");
}
END_TEST

/* The youngest issues as long as it can, then the next younger one. */
START_TEST(greedy_then_youngest)
{
	policy("units.sfu.latency=4 scheduler.policy=gty", SLOW_SFU, "8 9 10 11 15 16", "0 1 2 3 4 5 6 7");
	Rig *r = rig_new("scheduler.policy=gty");
	rig_run(r, K(" %a = mov.u32 1\n"), 1, 12);
	rig_order(r, "2 2 1 1 0 0");
	rig_free(r);
}
END_TEST

START_TEST(oldest_first)
{
	policy("units.sfu.latency=4 scheduler.policy=oldest", SLOW_SFU, "0 1 2 3 7 8", "4 5 6 9 10 11 12 13");
}
END_TEST

/* One active warp: it keeps its place while it computes, and loses it when it waits for memory, here after
   the cycle in which that is found out. It comes back when the other has ended. */
START_TEST(two_levels)
{
	const char *m = "units.sfu.latency=4 shared.latency=4 scheduler.policy=two_level "
		"scheduler.active_warps=1";
	policy(m, SLOW_SFU, "0 1 2 3 7 8", "9 10 11 12 13 14 15 16");
	policy(m, SLOW_LOAD, "0 1 2 3 13 14", "5 6 7 8 9 10 11 12");
	Rig *r = rig_new(m);
	rig_run(r, SLOW_LOAD, 1, 8);
	only_stall(r, STALL_MEMORY, 1); /* not that there is no warp: the other is not active */
	rig_free(r);
	r = rig_new(m);
	rig_run(r, SLOW_SFU, 1, 8);
	only_stall(r, STALL_DATA, 3);
	rig_free(r);
}
END_TEST

static void windows_of_one_cycle(Gpu *g) { g->window = 1; }

/* When a warp leaves its place, and who comes in, does not depend on how long the host's windows are. */
START_TEST(two_levels_in_windows_of_any_length)
{
	for (int latency = 1; latency <= 12; latency++) {
		char set[300];
		snprintf(set, sizeof set, "units.sfu.latency=%d shared.latency=%d scheduler.policy=two_level"
			" scheduler.active_warps=1 fetch.cache_bytes=1024 fetch.line_bytes=256 "
			"fetch.instruction_bytes=4"
			" fetch.miss_cycles=20 interconnect.latency=40",
			latency, latency);
		Rig *r[2] = { rig_new(set), rig_new(set) };
		r[0]->prepare = windows_of_one_cycle;
		for (int k = 0; k < 2; k++)
			rig_run(r[k], ONE_APART(" %a = ld.shared.u32 [buf]\n %b = add.u32 %a, 1\n"
				" %b = add.u32 %b, 1\n",
				" %f = ex2.approx.f32 %g\n %g = add.f32 %f, %f\n %a = ld.shared.u32 [buf]\n"
				" %b = add.u32 %a, 1\n"), 1, 16);
		ck_assert_int_eq(r[0]->n, r[1]->n);
		for (int i = 0; i < r[0]->n; i++)
			ck_assert(r[0]->e[i].kind == r[1]->e[i].kind && r[0]->e[i].warp == r[1]->e[i].warp &&
				r[0]->e[i].cycle == r[1]->e[i].cycle);
		for (int s = 0; s < STALL_COUNT; s++)
			stall(r[1], (Stall)s, r[0]->s.totals.stalls[s]);
		rig_free(r[0]);
		rig_free(r[1]);
	}
}
END_TEST

/* Four of five warps are active. Five rounds; then warp 1 waits for its load. It leaves its place between the
   others, who go on in turn with warp 4. That one has five instructions left when they have ended, and warp 1
   two. */
START_TEST(who_leaves_makes_room_for_one)
{
	Rig *r = rig_new("shared.latency=40 scheduler.policy=two_level scheduler.active_warps=4");
	rig_run(r, ONE_APART(" %a = ld.shared.u32 [buf]\n %b = add.u32 %a, 1\n",
		" %a = mov.u32 1\n %b = mov.u32 2\n %c = mov.u32 3\n %d = mov.u32 4\n"), 1, 20);
	rig_order(r, "0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3 0 2 3 4 0 2 3 4 0 2 3 4 0 2 3 4 4 4 4 4 4 1 1");
	rig_free(r);
}
END_TEST

START_TEST(two_levels_with_room_for_all_are_round_robin)
{
	policy("units.sfu.latency=4 scheduler.policy=two_level scheduler.active_warps=8", SLOW_SFU,
		"0 2 4 6 10 12", "1 3 5 7 8 9 11 13");
}
END_TEST

/* Slot mod count: warps 0 and 2 share a scheduler, warp 1 has the other for itself. */
START_TEST(a_warp_belongs_to_one_scheduler)
{
	Rig *r = rig_new("scheduler.count=2 units.alu.count=2 units.ctl.count=2");
	rig_run(r, K(" %a = mov.u32 1\n %b = mov.u32 2\n" EX), 1, 12);
	rig_issues(r, 0, "0 2 4");
	rig_issues(r, 1, "0 1 2");
	rig_issues(r, 2, "1 3 5");
	only_stall(r, STALL_EMPTY, 3);
	ck_assert_uint_eq(r->s.totals.slots, 12);
	rig_free(r);
}
END_TEST

/* Warp 1 ends first, between the two others of its scheduler. It has issued last: those who take turns go on
   with the one that was behind it. */
START_TEST(warps_end_in_any_order)
{
	static const struct { const char *policy, *order; } want[] = {
		{ "lrr", "0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 2 0 2" },
		{ "oldest", "0 0 0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 2 2" },
		{ "gto", "0 0 0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 2 2" },
		{ "gty", "2 2 2 2 2 2 2 1 1 1 1 1 0 0 0 0 0 0 0" },
		{ "two_level", "0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 2 0 2" },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char set[64];
		snprintf(set, sizeof set, "scheduler.active_warps=3 scheduler.policy=%s", want[k].policy);
		Rig *r = rig_new(set);
		rig_run(r, ONE_APART("", " %a = mov.u32 1\n %b = mov.u32 2\n"), 1, 12);
		rig_order(r, want[k].order);
		rig_free(r);
	}
}
END_TEST

/* Of three active warps of five, warp 1 ends: the others keep their places, and warp 3 comes; then warp 4 for
   warp 0. */
START_TEST(who_ends_makes_room_for_one)
{
	Rig *r = rig_new("scheduler.active_warps=3 scheduler.policy=two_level");
	rig_run(r, ONE_APART("", " %a = mov.u32 1\n %b = mov.u32 2\n"), 1, 20);
	rig_order(r, "0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 3 0 2 3 0 2 3 4 3 4 3 4 3 4 3 4 4 4");
	rig_free(r);
}
END_TEST

/* Warps 0 and 2 have loaded in cycles 12 and 14, and go on in 52 and 54. Warp 1 goes on alone meanwhile, and
   ends in 19: from then on the others wait for memory, as they have before. */
START_TEST(the_reason_stays_with_who_waits)
{
	Rig *r = rig_new("shared.latency=40");
	rig_run(r, ONE_APART(" %a = mov.u32 1\n %a = mov.u32 2\n %a = mov.u32 3\n %a = mov.u32 4\n"
		" %a = mov.u32 5\n", " %a = ld.shared.u32 [buf]\n %b = add.u32 %a, 1\n"), 1, 12);
	rig_issues(r, 0, "0 3 6 9 12 52 53");
	rig_issues(r, 1, "1 4 7 10 13 15 16 17 18 19");
	rig_issues(r, 2, "2 5 8 11 14 54 55");
	only_stall(r, STALL_MEMORY, 52 - 20);
	rig_free(r);
}
END_TEST

/* The last warp of a block may have lanes without a thread: the reference interpreter executes as many
   instructions of threads. */
START_TEST(a_block_has_its_threads)
{
	for (unsigned n = 1; n <= 13; n++) {
		Rig *r = rig_new("");
		rig_run(r, K(STORE("7") EX), 2, n);
		for (unsigned k = 0; k < 16; k++)
			ck_assert_uint_eq(r->out[k], k < n ? 7 : 0);
		rig_free(r);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		loose_round_robin, greedy_then_oldest, greedy_then_youngest, oldest_first, two_levels,
			two_levels_in_windows_of_any_length, who_leaves_makes_room_for_one,
		two_levels_with_room_for_all_are_round_robin, a_warp_belongs_to_one_scheduler,
		warps_end_in_any_order, who_ends_makes_room_for_one, the_reason_stays_with_who_waits,
		a_block_has_its_threads,
	};
	return rig_suite("schedulers", tests, sizeof tests / sizeof *tests);
}
