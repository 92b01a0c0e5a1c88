/* Whose turn it is under its, and what a change of turns costs: lanes are alike, so a program whose lanes
 * change places takes as long; a group that sleeps sleeps, whoever has run meanwhile. */
#include "tests/random/random_text.h"
#include "tests/sim/sm/sim_rig.h"

enum { MOST_LANES = 64 };

/* The kernel as the threads with number tid ^ flip execute it. */
static char *flipped(const char *text, unsigned flip)
{
	static const char number[] = "%t = mov.u32 %tid.x\n";
	const char *at = strstr(text, number);
	ck_assert_ptr_nonnull(at);
	StrBuf b = { 0 };
	sb_write(&b, text, (size_t)(at - text));
	sb_printf(&b, "%s %%t = xor.b32 %%t, %u\n%s", number, flip, at + strlen(number));
	return b.s;
}

static Rig *run_flipped(const char *machine, const char *text, unsigned lanes, unsigned flip)
{
	char set[300];
	char *kernel = flipped(text, flip);
	snprintf(set, sizeof set, "warp_size=%u %s", lanes, machine);
	Rig *r = rig_new(set);
	rig_run(r, kernel, 1, lanes);
	free(kernel);
	return r;
}

static uint64_t flip_mask(uint64_t m, unsigned lanes, unsigned flip)
{
	uint64_t to = 0;
	for (unsigned l = 0; l < lanes; l++)
		to |= (m >> l & 1) << (l ^ flip);
	return to;
}

/* Both runs issue the same instructions in the same cycles, for lanes that have changed places. */
static void same_but_for_places(const Rig *a, const Rig *b, unsigned lanes, unsigned flip, const char *what)
{
	for (int i = 0; i < a->n && i < b->n; i++)
		ck_assert_msg(a->e[i].kind == b->e[i].kind && a->e[i].cycle == b->e[i].cycle &&
			(a->e[i].kind != TR_ISSUE || (a->e[i].a == b->e[i].a &&
			a->e[i].mask == flip_mask(b->e[i].mask, lanes, flip))),
			"%s: event %d is in cycle %llu, or %llu when lanes have changed places", what, i,
			(unsigned long long)a->e[i].cycle, (unsigned long long)b->e[i].cycle);
	ck_assert_msg(a->s.totals.cycles == b->s.totals.cycles, "%s: %llu and %llu cycles", what,
		(unsigned long long)a->s.totals.cycles, (unsigned long long)b->s.totals.cycles);
	for (int s = 0; s < STALL_COUNT; s++)
		ck_assert_uint_eq(a->s.totals.stalls[s], b->s.totals.stalls[s]);
}

static const char *const machines[] = {
	"divergence.model=its", "divergence.model=its its.policy=volta_lifo",
	"divergence.model=its its.first=larger its.order=oldest its.timer=9",
	"divergence.model=its its.order=max_lanes its.switch_branch=on",
	"divergence.model=its its.opportunistic_merge=on its.order=min_pc its.registers=2",
	"divergence.model=its its.policy=volta_lifo its.switch_stall=3",
	"divergence.model=its its.yield=loops its.yield_after=1", "divergence.model=spec_reconv",
	"divergence.model=its its.policy=hanoi its.yield=loops", "divergence.model=its its.policy=hanoi",
};

START_TEST(lanes_may_change_places)
{
	for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
		for (uint64_t seed = 300; seed < 312; seed++) {
			unsigned lanes = seed % 4 ? 32 : MOST_LANES;
			char what[200], set[200];
			char *text = random_graph_text(seed, seed % 3 ? 0 : GRAPH_INDEXED, "u64 out");
			snprintf(set, sizeof set, "%s fetch.redirect_cycles=7 units.imul.latency=6 "
				"its.split_switch_cycles=3", machines[k]);
			if (strstr(set, "spec_reconv"))
				*strstr(set, " its.split") = '\0';
			snprintf(what, sizeof what, "%s, seed %llu", machines[k], (unsigned long long)seed);
			Rig *a = run_flipped(set, text, lanes, 0);
			for (unsigned flip = 1; flip < lanes; flip = 2 * flip + 1) {
				Rig *b = run_flipped(set, text, lanes, flip);
				same_but_for_places(a, b, lanes, flip, what);
				rig_free(b);
			}
			rig_free(a);
			free(text);
		}
}
END_TEST

/* An if whose sides are alike takes as long whichever lanes are in which side. Where the number of lanes
   decides who goes first it matters which that is: the one that is not first in the text is jumped to. */
static void change_sides(const char *machine, bool by_lanes)
{
	uint64_t cycles[3] = { 0 };
	for (unsigned in = 1; in < 255; in++) {
		char set[300], text[600];
		snprintf(set, sizeof set, "warp_size=8 %s fetch.redirect_cycles=7", machine);
		snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%a, %%x\n reg u64 %%o\n"
			" reg pred %%p\nA: %%t = mov.u32 %%tid.x\n %%a = shr.b32 %u, %%t\n"
			" %%a = and.b32 %%a, 1\n %%p = setp.ne.u32 %%a, 0\n bra %%p, T, F\n"
			"T: %%x = mul.lo.u32 %%t, 3\n %%x = add.u32 %%x, 1\n bra J\n"
			"F: %%x = mul.lo.u32 %%t, 5\n %%x = add.u32 %%x, 2\n bra J\n"
			"J: %%o = ld.param.u64 [out]\n %%o = mad.wide.u32 %%t, 4, %%o\n"
			" st.global.u32 [%%o], %%x\n exit\n}\n", in);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 8);
		int taken = __builtin_popcount(in), larger = (taken > 4) - (taken < 4);
		uint64_t *want = &cycles[by_lanes ? 1 + larger : 0];
		*want = *want ? *want : r->s.totals.cycles;
		ck_assert_msg(*want == r->s.totals.cycles, "%s: lanes %#x take %llu cycles, others %llu",
			machine, in, (unsigned long long)r->s.totals.cycles, (unsigned long long)*want);
		rig_free(r);
	}
}

START_TEST(lanes_may_change_sides)
{
	for (size_t k = 0; k < sizeof machines / sizeof *machines; k++)
		change_sides(machines[k], strstr(machines[k], "larger") || strstr(machines[k], "max_lanes") ||
			strstr(machines[k], "hanoi"));
}
END_TEST

/* F sleeps for 100 cycles, T runs meanwhile and comes to the barrier. What is left of the 100 cycles F sleeps
   on, with the turn: no cycle of it is charged to divergence. */
START_TEST(a_group_that_sleeps_on_sleeps)
{
	const char *text = "kernel k(u64 out) {\n reg u32 %t, %x\n reg u64 %o\n reg pred %p\n"
		"A: %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n bra %p, T, F\n"
		"T: %x = add.u32 %t, 1\n bra J\n"
		"F: nanosleep.u32 1000\n %x = add.u32 %t, 2\n bra J\n"
		"J: %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n"
		" st.global.u32 [%o], %x\n exit\n}\n";
	static const char *const policies[] = { "its_fair", "volta_lifo" };
	for (int k = 0; k < 2; k++) {
		char set[120];
		snprintf(set, sizeof set, "divergence.model=its its.policy=%s clock_mhz=100", policies[k]);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4);
		ck_assert_uint_gt(r->s.totals.stalls[STALL_SLEEP], 85);
		ck_assert_uint_lt(r->s.totals.stalls[STALL_DIVERGENCE], 5);
		rig_free(r);
	}
}
END_TEST

/* Two sides, each of them a chain of loads, one load behind the other: with switch_stall a side loads while
   the other one waits (subwarp interleaving), and both take little longer than one. */
static uint64_t cycles_of_chains(const char *machine, int lanes)
{
	char set[200], text[1500];
	StrBuf chain[2] = { { 0 }, { 0 } };
	for (int side = 0; side < 2; side++)
		for (int k = 0; k < 10; k++)
			sb_printf(&chain[side], " %%x = ld.global.u32 [%%o+%d]\n"
				" %%o = mad.wide.u32 %%x, 4, %%o\n", 8000 + 400 * side);
	snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%x\n reg u64 %%o\n reg pred %%p\n"
		"A: %%t = mov.u32 %%tid.x\n %%o = ld.param.u64 [out]\n %%p = setp.lt.u32 %%t, %d\n"
		" bra %%p, T, F\nT: %s bra J\nF: %s bra J\nJ: %%o = mad.wide.u32 %%t, 4, %%o\n"
		" st.global.u32 [%%o], %%t\n exit\n}\n", lanes, chain[0].s, chain[1].s);
	snprintf(set, sizeof set, "warp_size=32 divergence.model=its l2.latency=100 %s", machine);
	Rig *r = rig_new(set);
	rig_run(r, text, 1, 32);
	uint64_t cycles = r->s.totals.cycles;
	rig_free(r);
	sb_free(&chain[0]);
	sb_free(&chain[1]);
	return cycles;
}

START_TEST(sides_overlap_their_loads)
{
	static const char *const policies[] = { "its_fair", "volta_lifo", "hanoi" };
	for (int k = 0; k < 3; k++)
		for (int stall = 0; stall <= 60; stall += 20) {
			char set[80];
			snprintf(set, sizeof set, "its.policy=%s its.switch_stall=%d", policies[k], stall);
			uint64_t one = cycles_of_chains(set, 0), both = cycles_of_chains(set, 16);
			ck_assert_msg(stall ? 10 * both < 11 * one : 10 * both > 19 * one,
				"%s: one side takes %llu cycles, both take %llu", set,
				(unsigned long long)one, (unsigned long long)both);
		}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { lanes_may_change_places, lanes_may_change_sides,
		a_group_that_sleeps_on_sleeps, sides_overlap_their_loads };
	return rig_suite("turns of its", tests, sizeof tests / sizeof *tests);
}
