/* Thread blocks, calls and threads together: what is resident when, and what mechanisms do with it. */
#include "tests/sim/sm/sim_rig.h"

#define HEAD "kernel k(u64 out) {\n reg u32 %t, %a, %b, %c, %d, %n\n reg u64 %o, %w\n reg f32 %f, %g\n" \
	" reg pred %p, %q\n"
#define K(BODY) HEAD "A:\n" BODY "}\n"
/* out[thread of the grid] = R */
#define STORE(R) " %t = mov.u32 %tid.x\n %n = mov.u32 %ntid.x\n %o = ld.param.u64 [out]\n" \
	" %w = mov.u64 0\n %w = cvt.u64.u32 %t\n %o = mad.lo.u64 %w, 4, %o\n %t = mov.u32 %ctaid.x\n" \
		" %n = mul.lo.u32 %t, %n\n" \
	" %o = mad.wide.u32 %n, 4, %o\n st.global.u32 [%o], " R "\n"
#define EX " exit\n"

static const char *const mechanisms[] = { "ipdom", "token", "mimd", "tf_stack" };

/* The cycles at which blocks begin: "0 0 5". */
static void starts(const Rig *r, const char *want)
{
	char got[400] = "";
	size_t at = 0;
	for (int i = 0; i < r->n; i++)
		if (r->e[i].kind == TR_BLOCK_START)
			at += (size_t)snprintf(got + at, sizeof got - at, "%s%llu", at ? " " : "",
				(unsigned long long)r->e[i].cycle);
	ck_assert_msg(!strcmp(got, want), "blocks begin at %s; expected %s", got, want);
}

/* ---- barriers ---- */

/* The last warp to arrive lets all go: both may issue in the next cycle. */
START_TEST(barriers_release_in_the_cycle_after_the_last_arrival)
{
	Rig *r = rig_new("");
	rig_run(r, K(" bar.sync 0\n %a = mov.u32 1\n" EX), 1, 8);
	rig_issues(r, 0, "0 2 4");
	rig_issues(r, 1, "1 3 5");
	rig_free(r);
	/* Warp 1 comes late: 0..4 are its and warp 0's first instructions; it arrives at 12, when its slow
	   result is there. */
	const char *late = K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 4\n bra %p, J, S\n"
		"S: %f = ex2.approx.f32 %g\n"
		" %f = add.f32 %f, %f\nJ: bar.sync 0\n %a = mov.u32 1\n" EX);
	r = rig_new("units.sfu.latency=5");
	rig_run(r, late, 1, 8);
	rig_issues(r, 0, "0 2 4 6 14 16");
	rig_issues(r, 1, "1 3 5 7 12 13 15 17");
	ck_assert_uint_eq(r->s.totals.stalls[STALL_DATA] + r->s.totals.stalls[STALL_BARRIER], 4);
	rig_free(r);
}
END_TEST

START_TEST(barriers_count_the_threads_that_are_left)
{
	/* Warp 1 ends without a barrier: its end at cycle 7 lets warp 0 go. */
	const char *text = K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 4\n bra %p, J, S\n"
		"S: %a = mov.u32 1\n exit\n"
		"J: bar.sync 0\n %a = mov.u32 1\n" EX);
	Rig *r = rig_new("");
	rig_run(r, text, 1, 8);
	rig_issues(r, 0, "0 2 4 6 9 10");
	rig_issues(r, 1, "1 3 5 7 8");
	rig_free(r);
}
END_TEST

/* Warp 0 signals at barrier 1 and goes on; warp 1 waits there for 8 threads. */
START_TEST(arriving_does_not_wait)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 4\n bra %p, P, C\n"
		"P: bar.arrive 1, 8\n %a = mov.u32 1\n" STORE("%a") EX "C: bar.sync 1, 8\n %a = mov.u32 2\n"
		STORE("%a") EX);
	for (int k = 0; k < 4; k++) {
		Rig *r = rig_new("");
		char set[64];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		rig_set(r, set);
		rig_run(r, text, 1, 8);
		ck_assert_uint_eq(r->out[0], 1);
		ck_assert_uint_eq(r->out[7], 2);
		rig_free(r);
	}
}
END_TEST

/* ---- part of a warp at a barrier ---- */

/* Lanes 0 and 1 reach one barrier, 2 and 3 another one of the same number. */
#define SPLIT_BARRIER K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n bra %p, L, R\n" \
	"L: bar.sync 0\n %a = mov.u32 10\n bra J\nR: bar.sync 0\n %a = mov.u32 20\n bra J\nJ:\n" \
	STORE("%a") EX)

static void partial(const char *model, const char *how, FaultKind want, const char *part)
{
	char set[128];
	snprintf(set, sizeof set, "divergence.model=%s divergence.bar_partial=%s", model, how);
	Rig *r = rig_new(set);
	rig_try(r, SPLIT_BARRIER, 1, 4);
	ck_assert_msg(r->fault.kind == want, "%s: fault %d (%s), expected %d", set, r->fault.kind,
		r->fault.text, want);
	if (want) {
		ck_assert(!r->ok);
		ck_assert_msg(strstr(r->fault.text, part) != NULL, "no '%s' in: %s", part, r->fault.text);
	} else {
		rig_laws(r);
		rig_reference(r, SPLIT_BARRIER, 1, 4);
	}
	rig_free(r);
}

START_TEST(part_of_a_warp_at_a_barrier)
{
	static const char *const stacks[] = { "ipdom", "token", "tf_stack" };
	for (int k = 0; k < 3; k++) {
		partial(stacks[k], "error", FAULT_BARRIER, "lanes 0x3 of 0xf");
		partial(stacks[k], "whole_warp", FAULT_BARRIER, "lanes 0xc reach a block barrier after one");
		partial(stacks[k], "count_warp", FAULT_NONE, "");
		/* Lanes that wait keep the others from ever coming. */
		partial(stacks[k], "per_lane", FAULT_BARRIER, "bar");
	}
	partial("mimd", "error", FAULT_NONE, "");
	partial("mimd", "whole_warp", FAULT_NONE, "");
	partial("mimd", "count_warp", FAULT_NONE, "");
	partial("mimd", "per_lane", FAULT_NONE, "");
}
END_TEST

/* A warp that counts as arrived when part of it has arrives twice: the block's other warp is let go too
   early, by the second half. This is what the policy says, not what a block barrier should do. */
START_TEST(a_counted_warp_arrives_with_each_part)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n bra %p, L, R\n"
		"L: bar.sync 0\n bra J\nR: %q = setp.lt.u32 %t, 4\n bra %q, M, J\nM: bar.sync 0\n bra J\nJ:\n"
		EX);
	Rig *r = rig_new("divergence.bar_partial=count_warp scheduler.policy=oldest");
	rig_try(r, text, 1, 8);
	rig_laws(r);
	int released = 0;
	for (int i = 0; i < r->n; i++)
		released += r->e[i].kind == TR_BARRIER_RELEASE;
	ck_assert_int_eq(released, 2);
	rig_free(r);
}
END_TEST

/* ---- dispatch ---- */

START_TEST(blocks_follow_each_other)
{
	const char *text = K(" %a = mov.u32 1\n" STORE("%a") EX);
	Rig *r = rig_new("sm.max_blocks=1 sm.block_launch_cycles=1");
	rig_run(r, K(" %a = mov.u32 1\n" EX), 3, 4);
	starts(r, "0 2 4");
	ck_assert_str_eq(r->s.occupancy_limit, "blocks");
	rig_free(r);
	r = rig_new("");
	rig_run(r, K(" %a = mov.u32 1\n" EX), 3, 4);
	starts(r, "0 0 0");
	ck_assert_str_eq(r->s.occupancy_limit, "grid");
	rig_free(r);
	r = rig_new("sm.max_blocks=2");
	rig_run(r, text, 20, 16);
	for (int i = 0; i < 20 * 16; i++)
		ck_assert_uint_eq(r->out[i], 1);
	rig_free(r);
}
END_TEST

/* Functional runs of a few instructions, in blocks that follow each other, end as others do. */
START_TEST(short_kernels_run_without_time)
{
	static const char *const texts[] = {
		K(EX), K(" %a = mov.u32 1\n" EX), K(" bar.sync 0\n" EX), K(STORE("7") EX),
	};
	static const char *const schedules[] = { "turns", "block" };
	for (size_t k = 0; k < 2 * sizeof texts / sizeof *texts; k++)
		for (unsigned threads = 1; threads <= 9; threads += 4) {
			char set[100];
			snprintf(set, sizeof set, "sm.max_blocks=1 functional.schedule=%s", schedules[k % 2]);
			Rig *r = rig_new(set);
			r->functional = true;
			rig_run(r, texts[k / 2], 3, threads);
			rig_free(r);
		}
}
END_TEST

/* A block ends in cycle 1 after its begin; the next one follows 7 cycles later, whatever the host's windows
   are. */
START_TEST(a_block_takes_its_time_to_begin)
{
	for (int latency = 0; latency < 40; latency += 13) {
		char set[100];
		snprintf(set, sizeof set, "sm.max_blocks=1 sm.block_launch_cycles=7 interconnect.latency=%d",
			latency);
		Rig *r = rig_new(set);
		rig_run(r, K(" %a = mov.u32 1\n" EX), 3, 4);
		starts(r, "0 8 16");
		ck_assert_uint_eq(r->s.totals.cycles, 18);
		ck_assert_uint_eq(r->s.totals.stalls[STALL_EMPTY], 2 * 6);
		rig_free(r);
	}
}
END_TEST

/* Warps of four schedulers want the only unit in every cycle: none ends much before another. */
START_TEST(schedulers_share_a_unit)
{
	static const char *const units[] = { "units.fp32.count=1", "units.fp32.count=2", "units.fp32.count=3",
		"units.fp32.count=1 units.fp32.interval=4" };
	for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
		char set[200], text[4000] = HEAD "A:\n";
		uint64_t end[8] = { 0 }, first = UINT64_MAX, last = 0;
		snprintf(set, sizeof set, "scheduler.count=4 %s", units[k]);
		for (int n = 0; n < 60; n++)
			strcat(text, n % 2 ? " %f = add.f32 %f, %f\n" : " %g = add.f32 %g, %g\n");
		strcat(text, EX "}\n");
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 32);
		for (int i = 0; i < r->n; i++)
			if (r->e[i].kind == TR_ISSUE)
				end[r->e[i].warp] = r->e[i].cycle;
		for (int w = 0; w < 8; w++) {
			first = end[w] < first ? end[w] : first;
			last = end[w] > last ? end[w] : last;
		}
		ck_assert_msg(last * 100 <= first * 110, "%s: warps end between %llu and %llu", set,
			(unsigned long long)first, (unsigned long long)last);
		rig_free(r);
	}
}
END_TEST

/* Nor where they want it now and then, behind other instructions and jumps, and some schedulers have more
   warps than others. */
START_TEST(schedulers_share_what_they_want_at_times)
{
	static const struct { int schedulers, warps; const char *set; } want[] = {
		{ 4, 16, "units.sfu.latency=18 fetch.redirect_cycles=37 scheduler.issue_width=2" },
		{ 4, 8, "units.sfu.latency=9 fetch.redirect_cycles=37" },
		{ 4, 10, "units.sfu.latency=9 fetch.redirect_cycles=37" },
		{ 4, 7, "units.sfu.latency=9 fetch.redirect_cycles=37 scheduler.issue_width=2" },
		{ 4, 5, "units.sfu.latency=9" }, { 2, 7, "units.sfu.latency=18 units.sfu.interval=4" },
		{ 2, 3, "units.sfu.latency=9" } };
	char text[2000] = HEAD " %f0 = mov.f32 1.0\n %f1 = mov.f32 1.0\n %f2 = mov.f32 1.0\n"
		" %f3 = mov.f32 1.0\n %n = mov.u32 40\nL:\n";
	for (int n = 0; n < 32; n++)
		sprintf(text + strlen(text), " %%f%d = sin.approx.f32 %%f%d\n", n % 4, n % 4);
	strcat(text, " %n = sub.u32 %n, 1\n %p = setp.ne.u32 %n, 0\n bra %p, L, E\nE:\n" EX "}\n");
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char set[200];
		uint64_t end[16] = { 0 }, first = UINT64_MAX, last = 0;
		snprintf(set, sizeof set, "scheduler.policy=lrr scheduler.count=%d units.sfu.count=1 "
			"sm.max_warps=16 %s", want[k].schedulers, want[k].set);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4 * (unsigned)want[k].warps);
		for (int i = 0; i < r->n; i++)
			if (r->e[i].kind == TR_ISSUE)
				end[r->e[i].warp] = r->e[i].cycle;
		for (int w = 0; w < want[k].warps; w++) {
			first = end[w] < first ? end[w] : first;
			last = end[w] > last ? end[w] : last;
		}
		ck_assert_msg(last * 100 <= first * 110, "%d warps, %s: they end between %llu and %llu",
			want[k].warps, set, (unsigned long long)first, (unsigned long long)last);
		rig_free(r);
	}
}
END_TEST

/* Schedulers without a warp, or whose warps want other units, change nothing of it: the first two warps want
   the same unit. */
START_TEST(who_wants_nothing_has_no_turn)
{
	static const struct { const char *set; unsigned threads; } want[] = {
		{ "scheduler.count=2", 8 }, { "scheduler.count=3", 8 }, { "scheduler.count=4", 8 },
		{ "scheduler.count=8", 8 },
		{ "scheduler.count=4 units.alu.count=8", 32 },
		{ "scheduler.count=8 units.alu.count=8 scheduler.policy=oldest", 32 } };
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char set[200], text[6000] = HEAD "A:\n %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 8\n"
			" bra %p, B, C\nB:\n";
		uint64_t end[2] = { 0 };
		snprintf(set, sizeof set, "%s units.fp32.count=1 units.fp32.interval=3", want[k].set);
		for (int n = 0; n < 60; n++)
			strcat(text, n % 2 ? " %f = add.f32 %f, %f\n" : " %g = add.f32 %g, %g\n");
		strcat(text, EX "C:\n");
		for (int n = 0; n < 60; n++)
			strcat(text, " %a = add.u32 %b, 1\n");
		strcat(text, EX "}\n");
		Rig *r = rig_new(set);
		rig_run(r, text, 1, want[k].threads);
		for (int i = 0; i < r->n; i++)
			if (r->e[i].kind == TR_ISSUE && r->e[i].warp < 2)
				end[r->e[i].warp] = r->e[i].cycle;
		uint64_t first = end[0] < end[1] ? end[0] : end[1], last = end[0] + end[1] - first;
		ck_assert_msg(last * 100 <= first * 110, "%s, %u threads: the two end at %llu and %llu", set,
			want[k].threads, (unsigned long long)end[0], (unsigned long long)end[1]);
		rig_free(r);
	}
}
END_TEST

/* Of four schedulers with 16 lanes each, a warp has those of its own: 40 independent instructions take 2
   cycles each; four warps, one at each scheduler, take no longer, and five take twice as long. With pooled
   copies, one warp has all it can issue. */
START_TEST(units_of_a_scheduler_serve_its_warps)
{
	static const struct { const char *per; unsigned threads; Cycle end; } want[] = {
		{ "scheduler units.fp32.count=1", 4, 80 }, { "scheduler units.fp32.count=1", 16, 80 },
		{ "scheduler units.fp32.count=1", 20, 160 },
		{ "sm units.fp32.count=4", 4, 40 }, { "sm units.fp32.count=4", 16, 80 } };
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char set[200], text[4000] = HEAD "A:\n";
		snprintf(set, sizeof set, "scheduler.count=4 units.fp32.interval=2 units.fp32.latency=1 "
			"units.fp32.per=%s", want[k].per);
		for (int n = 0; n < 40; n++)
			strcat(text, " %f = add.f32 %g, %g\n");
		strcat(text, EX "}\n");
		Rig *r = rig_new(set);
		rig_run(r, text, 1, want[k].threads);
		ck_assert_msg(r->s.totals.cycles + 2 >= want[k].end && r->s.totals.cycles <= want[k].end + 4,
			"%s: %llu cycles", set, (unsigned long long)r->s.totals.cycles);
		rig_free(r);
	}
}
END_TEST

/* Two kinds of instructions in the same cores: of three copies, integers may take two. So four warps with 60
   of each take at least 480 / 3 cycles; with integers alone 240 / 2, with others alone 240 / 3. Never less;
   and not much more, as nobody waits in vain for long. */
START_TEST(units_share_copies)
{
	static const struct { const char *a, *b; Cycle end; } want[] =
		{ { " %a = add.u32 %b, 1\n", " %f = add.f32 %g, %g\n", 160 },
		{ " %a = add.u32 %b, 1\n", "", 120 }, { "", " %f = add.f32 %g, %g\n", 80 } };
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		char text[8000] = HEAD "A:\n";
		for (int n = 0; n < 60; n++) {
			strcat(text, want[k].a);
			strcat(text, want[k].b);
		}
		strcat(text, EX "}\n");
		Rig *r = rig_new("scheduler.count=4 scheduler.policy=lrr units.fp32.count=3 "
			"units.alu.shares=fp32 units.alu.count=2 units.alu.latency=1 units.fp32.latency=1");
		rig_run(r, text, 1, 16);
		ck_assert_msg(r->s.totals.cycles >= want[k].end && r->s.totals.cycles * 5 <= want[k].end * 6,
			"%s%s: %llu cycles", want[k].a, want[k].b, (unsigned long long)r->s.totals.cycles);
		rig_free(r);
	}
}
END_TEST

/* The second warp's load waits for the load/store unit while its lanes go together with the first warp's,
   which carries them then. */
START_TEST(lanes_hear_of_their_loads_wherever_they_are)
{
	static const char *const regrouping[] = { "tbc", "dwf" };
	for (size_t m = 0; m < sizeof regrouping / sizeof *regrouping; m++) {
		char set[200];
		snprintf(set, sizeof set, "divergence.model=%s shared.banks=1 shared.latency=2 "
			"scheduler.policy=lrr", regrouping[m]);
		Rig *r = rig_new(set);
		rig_run(r, HEAD " shared u32 buf[256] align 16\nA:\n %t = mov.u32 %tid.x\n %d = mov.u32 buf\n"
			" %d = mad.lo.u32 %t, 16, %d\n %a = shr.u32 %t, 2\n %a = add.u32 %a, %t\n"
			" %a = and.b32 %a, 1\n"
			" %p = setp.eq.u32 %a, 0\n { %a, %b, %c, %n } = ld.shared.v4.u32 [%d]\n"
			" bra %p, B, C\n"
			"B: %b = add.u32 %b, 1\n bra D\nC: %b = add.u32 %b, 2\n bra D\nD:\n"
			STORE("%b") EX "}\n", 1, 8);
		for (int t = 0; t < 8; t++)
			ck_assert_uint_eq(r->out[t], 1 + (uint32_t)(t + t / 4) % 2);
		rig_free(r);
	}
}
END_TEST

START_TEST(blocks_go_to_sms_in_turn)
{
	Rig *r = rig_new("sm.count=3 sm.max_blocks=2");
	r->clocks = true;
	rig_run(r, K(" %a = mov.u32 %smid\n" STORE("%a") EX), 8, 4);
	for (int b = 0; b < 6; b++)
		ck_assert_uint_eq(r->out[4 * b], b % 3);
	ck_assert_uint_eq(r->s.totals.slots, 3 * r->s.totals.cycles);
	rig_free(r);
}
END_TEST

static void bounded(const char *machine, uint32_t shared, unsigned block, const char *limit, int resident,
	double occupancy)
{
	Rig *r = rig_new(machine);
	r->shared = shared;
	rig_run(r, K(" %a = mov.u32 1\n %b = mov.u32 2\n %c = add.u32 %a, %b\n %a = add.u32 %a, %c\n"
		" %a = add.u32 %a, %b\n" EX), 40, block);
	int first = 0;
	for (int i = 0; i < r->n; i++)
		first += r->e[i].kind == TR_BLOCK_START && r->e[i].cycle == 0;
	ck_assert_msg(first == resident, "%s: %d blocks at once, expected %d", machine, first, resident);
	ck_assert_str_eq(r->s.occupancy_limit, limit);
	ck_assert_double_eq(r->s.occupancy, occupancy);
	rig_free(r);
}

START_TEST(resources_bound_residence)
{
	bounded("", 0, 4, "blocks", 8, 0.5);
	bounded("", 0, 16, "warps", 4, 1);
	bounded("", 0, 12, "warps", 5, 15 / 16.0);
	/* Three registers a thread, 12 a warp of four, 24 a block of two warps. */
	bounded("sm.registers=96", 0, 8, "registers", 4, 0.5);
	bounded("sm.registers=95", 0, 8, "registers", 3, 6 / 16.0);
	bounded("sm.registers=128 sm.register_unit=32", 0, 8, "registers", 2, 4 / 16.0);
	bounded("sm.shared_bytes=3000 sm.max_shared_per_block=3000 sm.shared_unit=256", 900, 4,
		"shared memory", 2, 2 / 16.0);
}
END_TEST

static void refused(const char *set, const char *text, const char *why)
{
	Rig *r = rig_new(set);
	rig_try(r, text, 1, 8);
	ck_assert(!r->ok);
	ck_assert_int_eq(r->fault.kind, FAULT_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(r->fault.text, why));
	rig_free(r);
}

START_TEST(a_block_that_fits_nowhere_is_refused)
{
	refused("sm.registers=64 sm.register_unit=64", K(" %a = mov.u32 1\n" EX), "registers");
	refused("sm.local_bytes=31", HEAD "local u32 own[8]\nA:\n st.local.u32 [own], %a\n" EX "}\n",
		"needs 32 bytes of local memory");
}
END_TEST

/* ---- calls ---- */

#define RECURSIVE "func tri(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %m, %s\n" \
	"T0: %p = setp.eq.u32 %n, 0\n" \
	" bra %p, T1, T2\nT1: %r = mov.u32 0\n ret\nT2: %m = sub.u32 %n, 1\n %s = mul.lo.u32 %n, 2\n" \
		" (%r) = call tri, (%m)\n" \
	" %r = add.u32 %r, %n\n %r = add.u32 %r, %s\n ret\n}\n"

START_TEST(recursion_saves_what_lives_across_the_call)
{
	const char *text = RECURSIVE K(" %b = mov.u32 %tid.x\n %c = add.u32 %b, 100\n (%a) = call tri, (%b)\n"
		" %a = add.u32 %a, %c\n" STORE("%a") EX);
	for (int k = 0; k < 4; k++) {
		char set[64];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 12);
		for (uint32_t t = 0; t < 12; t++)
			ck_assert_uint_eq(r->out[t], 3 * t * (t + 1) / 2 + 100 + t);
		ck_assert_uint_gt(r->s.totals.local_accesses, 0); /* saved in the frame */
		rig_free(r);
	}
}
END_TEST

/* Through recursion predicates are arguments and results as 0 and 1 in registers. */
START_TEST(predicates_are_arguments_and_results)
{
	const char *text =
		"kernel k(u64 out)\n"
		"{\n"
		"reg u64 %a\n"
		"reg u32 %t, %n, %v, %x\n"
		"reg pred %p, %s, %z\n"
		"B:\n"
		"%t = mov.u32 %tid.x\n"
		"%n = and.b32 %t, 3\n"
		"%s = setp.gt.u32 %t, 1\n"
		"%p = setp.gt.u32 %t, 4\n"
		"(%v, %z) = call f, (%n, %s, %p)\n"
		"%x = selp.u32 1000, 0, %z\n"
		"%v = add.u32 %v, %x\n"
		"%a = ld.param.u64 [out]\n"
		"%a = mad.wide.u32 %t, 4, %a\n"
		"st.global.u32 [%a], %v\n"
		"exit\n"
		"}\n"
		"func f(u32 %n, pred %s, pred %p) -> (u32 %v, pred %z)\n"
		"{\n"
		"reg pred %q, %r\n"
		"reg u32 %m, %w\n"
		"A:\n"
		"%q = setp.eq.u32 %n, 0\n"
		"%v = selp.u32 1, 2, %p\n"
		"%w = selp.u32 5, 7, %s\n"
		"%v = mad.lo.u32 %v, 16, %w\n"
		"%z = xor.pred %s, %p\n"
		"bra %q, E, R\n"
		"R:\n"
		"%m = sub.u32 %n, 1\n"
		"%r = not.pred %p\n"
		"(%w, %q) = call f, (%m, %r, %s)\n"
		"%v = mad.lo.u32 %w, 3, %v\n"
		"%z = xor.pred %q, %p\n"
		"bra E\n"
		"E:\n"
		"ret\n"
		"}\n";
	for (int k = 0; k < 4; k++) {
		char set[64];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 12);
		ck_assert_uint_eq(r->out[0], 39);
		ck_assert_uint_eq(r->out[3], 1360);
		ck_assert_uint_eq(r->out[7], 2440);
		rig_free(r);
	}
}
END_TEST

/* Lanes call four functions through a table; each is run once for the lanes that want it. */
START_TEST(indirect_calls_go_by_target)
{
	const char *text = "global u64 table[4] = { f0, f1, f2, f0 }\n"
		"func f0(u32 %x) -> (u32 %r) {\nF0: %r = add.u32 %x, 1000\n ret\n}\n"
		"func f1(u32 %x) -> (u32 %r) {\nF1: %r = mul.lo.u32 %x, 10\n ret\n}\n"
		"func f2(u32 %x) -> (u32 %r) {\nF2: %r = xor.b32 %x, 255\n ret\n}\n"
		K(" %t = mov.u32 %tid.x\n %w = mov.u64 table\n %w = mad.wide.u32 %t, 8, %w\n"
		" %w = ld.global.u64 [%w]\n"
		" %c = mov.u32 %t\n (%a) = call %w, (%c)\n %a = add.u32 %a, %c\n" STORE("%a") EX);
	static const uint32_t want[] = { 1000, 11, 255, 1006 };
	for (int k = 0; k < 4; k++) {
		char set[64];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4);
		for (int t = 0; t < 4; t++)
			ck_assert_uint_eq(r->out[t], want[t]);
		if (k != 2)
			ck_assert_uint_eq(rig_fetches(r, "F0"), 1); /* lanes 0 and 3 together */
		ck_assert_uint_eq(rig_fetches(r, "F0") + rig_fetches(r, "F1") + rig_fetches(r, "F2"),
			k == 2 ? 4 : 3);
		rig_free(r);
	}
}
END_TEST

/* ---- indexed branches ---- */

START_TEST(an_indexed_branch_runs_each_target_once)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %a = rem.u32 %t, 5\n brx %a, [B0, B1, B2, B3, B4]\n"
		"B0: %b = mov.u32 10\n bra J\nB1: %b = mov.u32 11\n bra J\nB2: %b = mov.u32 12\n bra J\n"
		"B3: %b = mov.u32 13\n bra J\n"
		"B4: %b = mov.u32 14\n bra J\nJ:\n" STORE("%b") EX);
	for (int k = 0; k < 4; k++) {
		char set[64], label[3] = "B0";
		snprintf(set, sizeof set, "divergence.model=%s warp_size=8", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 8);
		for (uint32_t t = 0; t < 8; t++)
			ck_assert_uint_eq(r->out[t], 10 + t % 5);
		for (int b = 0; b < 5; b++) {
			label[1] = (char)('0' + b);
			ck_assert_uint_eq(rig_fetches(r, label), k != 2 ? 1 : b < 3 ? 2 : 1);
		}
		ck_assert_uint_eq(rig_fetches(r, "J"), k == 2 ? 8 : 1);
		if (k != 2) {
			ck_assert_uint_eq(r->s.totals.branches, 1);
			ck_assert_uint_eq(r->s.totals.divergent_branches, 1);
			rig_path(r, 0, "A:ff B0:21 B1:42 B2:84 B3:8 B4:10 J:ff");
		}
		rig_free(r);
	}
}
END_TEST

/* ---- ends of lanes, warp operations ---- */

/* Lane 0 ends first, then lane 1 inside a nested branch; the others meet at J. */
#define ENDS(AT_J) K(" %t = mov.u32 %tid.x\n %p = setp.eq.u32 %t, 0\n bra %p, X, B\nX:" EX \
	"B: %p = setp.lt.u32 %t, 3\n bra %p, C, D\nC: %q = setp.eq.u32 %t, 1\n bra %q, Y, E\nY:" \
	STORE("7") EX \
	"E: %a = mov.u32 5\n bra J\nD: %a = mov.u32 6\n bra J\nJ: " AT_J STORE("%a") EX)

START_TEST(lanes_that_ended_are_missed_by_nobody)
{
	static const uint32_t want[] = { 0, 7, 5, 6, 6, 6, 6, 6 };
	static const char *const path[] = { "A:f X:1 B:e C:6 Y:2 E:4 J:4 D:8 J:8",
		"A:f X:1 B:e C:6 Y:2 E:4 D:8 J:c", NULL,
		"A:f X:1 B:e C:6 Y:2 E:4 D:8 J:c" };
	for (int k = 0; k < 4; k++) {
		char set[128];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, ENDS(""), 1, 8);
		for (int t = 0; t < 8; t++)
			ck_assert_uint_eq(r->out[t], want[t]);
		if (path[k])
			rig_path(r, 0, path[k]);
		rig_free(r);
		/* With exit edges the branches have no post-dominator but the end: under ipdom lanes 2 and 3
		   come to J apart. */
		r = rig_new(set);
		rig_try(r, ENDS("bar.sync 0\n"), 1, 8);
		if (k == 0) {
			ck_assert_int_eq(r->fault.kind, FAULT_BARRIER);
		} else {
			rig_laws(r);
			rig_reference(r, ENDS("bar.sync 0\n"), 1, 8);
		}
		rig_free(r);
	}
}
END_TEST

/* Every pair of lanes exchanges in its own branch. Under mimd lanes run on their own and wait for each other
   there. */
START_TEST(shuffles_among_part_of_a_warp)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %a = mad.lo.u32 %t, 10, 1\n %p = setp.lt.u32 %t, 2\n"
		" bra %p, L, R\n"
		"L: %b = shfl.sync.bfly.b32 %a, 1, 31, 3\n bra J\nR: %b = shfl.sync.bfly.b32 %a, 1, 31, 12\n"
		" bra J\nJ:\n" STORE("%b") EX);
	for (int k = 0; k < 4; k++) {
		char set[64];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4);
		for (uint32_t t = 0; t < 4; t++)
			ck_assert_uint_eq(r->out[t], (t ^ 1) * 10 + 1);
		rig_free(r);
	}
	/* All four lanes of one operation, which come one after the other: they loop tid times first. */
	const char *late = K(" %t = mov.u32 %tid.x\n %c = mov.u32 0\nL: %p = setp.ge.u32 %c, %t\n"
		" %c = add.u32 %c, 1\n bra %p, J, L\n"
		"J: %b = shfl.sync.down.b32 %c, 1, 31, 15\n" STORE("%b") EX);
	Rig *r = rig_new("divergence.model=mimd");
	rig_run(r, late, 1, 4);
	ck_assert_uint_eq(r->out[0], 2);
	ck_assert_uint_eq(r->out[3], 4);
	ck_assert_uint_eq(rig_fetches(r, "J"), 4); /* each lane comes on its own */
	rig_free(r);
}
END_TEST

/* Lanes that come to one shuffle apart: mimd lets them wait, a stack must not go on without them. Under ipdom
   a possible exit leaves no meeting point before the end; token and tf_stack meet at J. */
START_TEST(lanes_missing_at_a_warp_operation)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n bra %p, L, R\n"
		"L: %q = setp.eq.u32 %t, 9\n bra %q, X, M\nX:"
		EX "M: %a = mov.u32 5\n bra J\nR: %a = mov.u32 6\n bra J\n"
		"J: %b = shfl.sync.idx.b32 %a, 3, 31, 15\n" STORE("%b") EX);
	for (int k = 0; k < 4; k++) {
		char set[128];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *r = rig_new(set);
		rig_try(r, text, 1, 4);
		if (k == 0) {
			ck_assert_int_eq(r->fault.kind, FAULT_BARRIER);
			ck_assert_msg(strstr(r->fault.text, "lanes of its mask (0x3 of 0xf)") != NULL, "%s",
				r->fault.text);
			ck_assert_ptr_nonnull(strstr(r->fault.text, "block J"));
			rig_free(r);
			r = rig_new("divergence.bar_partial=per_lane");
			rig_try(r, text, 1, 4);
			rig_laws(r);
			ck_assert_uint_eq(r->out[0], 5); /* lane 3 is not there: its own value */
		} else {
			rig_laws(r);
			rig_reference(r, text, 1, 4);
			ck_assert_uint_eq(r->out[0], 6);
		}
		rig_free(r);
	}
}
END_TEST

/* Lanes whose guard is false get no result of a barrier that counts. */
START_TEST(guarded_barriers_write_their_lanes_only)
{
	const char *text = K(" %t = mov.u32 %tid.x\n %b = mov.u32 77\n %p = setp.ne.u32 %t, 2\n"
		" %q = setp.lt.u32 %t, 5\n"
		" @%p %p = setp.lt.u32 %t, 5\n @%p %b = bar.red.popc.u32 0, 4, %q\n" STORE("%b") EX);
	static const uint32_t want[] = { 4, 4, 77, 4, 4, 77, 77, 77 };
	for (int k = 0; k < 4; k++) {
		char set[128];
		snprintf(set, sizeof set, "divergence.model=%s divergence.bar_partial=per_lane",
			mechanisms[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 8);
		for (int t = 0; t < 8; t++)
			ck_assert_uint_eq(r->out[t], want[t]);
		rig_free(r);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		barriers_release_in_the_cycle_after_the_last_arrival,
			barriers_count_the_threads_that_are_left, arriving_does_not_wait,
		part_of_a_warp_at_a_barrier, a_counted_warp_arrives_with_each_part, blocks_follow_each_other,
			short_kernels_run_without_time,
		a_block_takes_its_time_to_begin, schedulers_share_a_unit,
			schedulers_share_what_they_want_at_times, who_wants_nothing_has_no_turn,
			units_of_a_scheduler_serve_its_warps, units_share_copies,
		lanes_hear_of_their_loads_wherever_they_are, blocks_go_to_sms_in_turn,
			resources_bound_residence,
		a_block_that_fits_nowhere_is_refused, recursion_saves_what_lives_across_the_call,
		predicates_are_arguments_and_results,
		indirect_calls_go_by_target, an_indexed_branch_runs_each_target_once,
		lanes_that_ended_are_missed_by_nobody,
		shuffles_among_part_of_a_warp, lanes_missing_at_a_warp_operation,
		guarded_barriers_write_their_lanes_only,
	};
	return rig_suite("blocks, calls", tests, sizeof tests / sizeof *tests);
}
