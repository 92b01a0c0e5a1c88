/* Convergence barriers: what each policy runs, nesting beyond the registers, calls, indexed branches, exits,
 * barriers and warp-level operations in divergent code, predicted points. rig_run compares memory with the
 * reference interpreter. */
#include "tests/random/random_text.h"
#include "sim/machine/machine.h"
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %s\n reg u64 %o\n reg pred %p\n" \
	"A: %t = mov.u32 %tid.x\n" BODY "}\n"
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, " T ", " F "\n"
#define AT(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"

static const char *const machines[] = {
	"divergence.model=its", "divergence.model=its its.policy=volta_lifo",
	"divergence.model=its its.registers=1",
	"divergence.model=its its.switch_branch=on its.registers=2 its.yield=loops its.yield_after=1",
	"divergence.model=its its.opportunistic_merge=on its.order=min_pc", "divergence.model=spec_reconv",
	"divergence.model=spec_reconv spec_reconv.threshold=2",
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void path(const char *machine, const char *text, const char *want, uint64_t depth, uint64_t merges)
{
	Rig *r = rig_new(machine);
	rig_run(r, text, 1, 4);
	rig_path(r, 0, want);
	ck_assert_uint_eq(r->s.totals.max_depth, depth);
	ck_assert_uint_eq(r->s.totals.merges, merges);
	ck_assert_uint_eq(r->s.totals.pushes, 0);
	rig_free(r);
}

static void everywhere(const char *text, unsigned threads)
{
	for (int k = 0; k < MACHINES; k++) {
		Rig *r = rig_new(machines[k]);
		rig_run(r, text, 1, threads);
		rig_free(r);
	}
}

START_TEST(sides_and_barrier)
{
	const char *text = K(IF("3", "T", "F") AT("T", "1") " bra J\n" AT("F", "2") " bra J\n"
		AT("J", "3") END);
	path("divergence.model=its", text, "A:f F:c T:3 J:f", 2, 1);
	path("divergence.model=its its.first=taken", text, "A:f T:3 F:c J:f", 2, 1);
}
END_TEST

/* A lane that ends inside is not waited for. */
START_TEST(early_exit)
{
	path("divergence.model=its", K(IF("3", "T", "F") "T:" IF("1", "E", "J") "E: exit\n"
		AT("F", "2") " bra J\n" AT("J", "3") END), "A:f F:c T:3 E:1 J:e", 2, 1);
}
END_TEST

/* C and D meet in front of a loop. Its lanes meet at Z, where those of A do: the loop's own barrier is left
   out, not that in front of it. */
START_TEST(a_loop_where_others_meet)
{
	path("divergence.model=its", K(IF("7", "B", "Z") "B:" IF("3", "C", "D") AT("C", "1") " bra L\n"
		AT("D", "2") " bra L\n"
		AT("L", "3") " %s = add.u32 %s, 1\n %p = setp.gt.u32 %s, %t\n bra %p, Z, L\n"
		AT("Z", "4") END),
		/* lanes that leave the loop have no turn before it ends */
		"A:f B:7 D:4 C:3 L:7 L:6 L:4 Z:f", 3, 2);
}
END_TEST

/* Twenty ifs inside each other: more barriers than registers. All meet again at each end. */
START_TEST(deep_nesting)
{
	StrBuf b = { 0 };
	sb_puts(&b, "kernel k(u64 out) {\n reg u32 %t, %x\n reg u64 %o\n reg pred %p\n"
		"A: %t = mov.u32 %tid.x\n bra B0\n");
	for (int i = 0; i < 20; i++)
		sb_printf(&b, "B%d: %%x = mad.lo.u32 %%x, 3, %d\n %%p = setp.gt.u32 %%t, %d\n"
			" bra %%p, B%d, J%d\n", i, i, i % 3, i + 1, i);
	sb_puts(&b, "B20: %x = add.u32 %x, 77\n bra J19\n");
	for (int i = 19; i >= 0; i--)
		sb_printf(&b, "J%d: %%x = mad.lo.u32 %%x, 5, 1\n%s", i, i ? "" : END);
	for (int i = 19; i > 0; i--) {
		char from[64], to[96];
		snprintf(from, sizeof from, "J%d: %%x = mad.lo.u32 %%x, 5, 1\n", i);
		snprintf(to, sizeof to, "%s bra J%d\n", from, i - 1);
		char *at = strstr(b.s, from);
		StrBuf c = { 0 };
		sb_write(&c, b.s, (size_t)(at - b.s));
		sb_puts(&c, to);
		sb_puts(&c, at + strlen(from));
		sb_free(&b);
		b = c;
	}
	sb_puts(&b, "}\n");
	everywhere(b.s, 4);
	for (int k = 0; k < 3; k++) {
		Rig *r = rig_new(machines[k]);
		rig_run(r, b.s, 1, 4);
		ck_assert_uint_eq(rig_fetches(r, "J0"), 1);
		rig_free(r);
	}
	sb_free(&b);
}
END_TEST

/* Issues of the operation by lowering. */
static unsigned issues_of(const Rig *r, const char *op)
{
	unsigned n = 0;
	size_t len = strlen(op);
	for (int i = 0; i < r->n; i++)
		n += r->e[i].kind == TR_ISSUE && r->overhead[r->e[i].a] &&
			!strncmp(r->text[r->e[i].a], op, len) && strchr(" \n", r->text[r->e[i].a][len]);
	return n;
}

static Rig *spilled(const char *text, int registers, int cycles)
{
	char set[160];
	snprintf(set, sizeof set, "divergence.model=its its.registers=%d its.bmov_cycles=%d", registers,
		cycles);
	Rig *r = rig_new(set);
	rig_run(r, text, 1, 4);
	return r;
}

/* Eighteen ifs inside each other, lane 0 stays outside and the others go all the way in: one group in each. A
   barrier for which there is no register takes that of one around it: saved in front of BSSY and restored
   behind BSYNC, by one issue each. */
START_TEST(registers_for_more_than_sixteen_barriers)
{
	StrBuf b = { 0 };
	sb_puts(&b, "kernel k(u64 out) {\n reg u32 %t, %x\n reg u64 %o\n reg pred %p\n"
		"A: %t = mov.u32 %tid.x\n bra B0\n");
	for (int i = 0; i < 18; i++)
		sb_printf(&b, "B%d: %%p = setp.gt.u32 %%t, 0\n bra %%p, B%d, J%d\n", i, i + 1, i);
	sb_puts(&b, "B18: %x = add.u32 %x, 77\n bra J17\n");
	for (int i = 17; i > 0; i--)
		sb_printf(&b, "J%d: %%x = mad.lo.u32 %%x, 5, 1\n bra J%d\n", i, i - 1);
	sb_puts(&b, "J0: %x = mad.lo.u32 %x, 5, 1\n" END "}\n");
	static const struct { int registers, saves; } e[] = { { 16, 2 }, { 15, 3 }, { 9, 9 }, { 1, 17 } };
	for (int k = 0; k < 4; k++) {
		Rig *r = spilled(b.s, e[k].registers, 0), *slow = spilled(b.s, e[k].registers, 7);
		ck_assert_uint_eq(issues_of(r, "bssy"), 18);
		ck_assert_uint_eq(issues_of(r, "bsync"), 19); /* lane 0 comes to the outermost apart */
		ck_assert_uint_eq(issues_of(r, "bmov.clear"), e[k].saves);
		ck_assert_uint_eq(issues_of(r, "bmov"), e[k].saves);
		ck_assert_uint_eq(r->s.totals.merges, 18);
		ck_assert_uint_eq(slow->s.totals.cycles, r->s.totals.cycles + 7 * 2 * (unsigned)e[k].saves);
		ck_assert_uint_eq(rig_fetches(r, "J0"), 1);
		rig_free(slow);
		rig_free(r);
	}
	sb_free(&b);
}
END_TEST

/* Lane 0 waits in front of J from cycle 8 on, while the others go round L ten times, three issues each: they
   come to its head in cycles 9, 12, 15 and so on, and there the time-out is looked at. Behind it nobody waits
   for them. */
START_TEST(time_outs)
{
	const char *text = K(IF("14", "L", "F") "F: %x = mov.u32 1\n bra J\nL: %s = add.u32 %s, 1\n"
		" %p = setp.lt.and.u32 %s, 10, %p\n bra %p, L, J\n" AT("J", "3") END);
	static const struct { int limit, turns, at; } e[] =
		{ { 0, 10, 42 }, { 1, 0, 10 }, { 7, 2, 16 }, { 8, 3, 19 }, { 10, 3, 19 }, { 11, 4, 22 },
		{ 200, 10, 42 } };
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[96], want[200] = "A:f F:1";
		snprintf(set, sizeof set, "divergence.model=its its.timer=0 its.barrier_timeout=%d",
			e[k].limit);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4);
		for (int turn = 0; turn <= 10; turn++) {
			if (turn == e[k].turns)
				strcat(want, turn < 10 ? " J:1" : " J:f");
			strcat(want, turn < 10 ? " L:e" : e[k].turns < 10 ? " J:e" : "");
		}
		rig_path(r, 0, want);
		int i = 0;
		while (r->e[i].kind != TR_ISSUE || strcmp(r->block[r->e[i].a], "J"))
			i++;
		ck_assert_uint_eq(r->e[i].cycle, e[k].at);
		ck_assert_uint_eq(r->s.totals.merges, 1);
		rig_free(r);
	}
}
END_TEST

/* Recursion to a depth of the lane's own: each activation saves the registers that it uses. */
START_TEST(recursion_in_divergent_code)
{
	const char *text = "func f(u32 %n) -> (u32 %r) {\n reg pred %p\nB: %p = setp.lt.u32 %n, 2\n"
		" bra %p, C, D\nC: %r = mov.u32 7\n bra E\n"
		"D: %n = sub.u32 %n, 1\n (%r) = call f, (%n)\n %r = mad.lo.u32 %r, 3, %n\n bra E\n"
		"E: %r = add.u32 %r, 20\n ret\n}\n"
		K(IF("7", "T", "J") "T: %a = add.u32 %t, 3\n (%x) = call f, (%a)\n bra J\n" AT("J", "2") END);
	everywhere(text, 4);
	Rig *r = rig_new(machines[0]);
	rig_run(r, text, 1, 4);
	ck_assert_uint_eq(rig_fetches(r, "J"), 1);
	ck_assert_uint_eq(rig_fetches(r, "E"), 5); /* once at each depth */
	rig_free(r);
}
END_TEST

START_TEST(barriers_and_warp_operations_in_divergent_code)
{
	everywhere(K(IF("3", "T", "F") "T: bar.sync 0\n" AT("T2", "1") " bra J\n" "F: bar.sync 0\n"
		AT("F2", "2") " bra J\n" AT("J", "3") END), 8);
	everywhere(K(IF("3", "T", "F") "T: %x = shfl.sync.bfly.b32 %t, 1, 31, 3\n bar.warp.sync 3\n bra J\n"
		"F: %x = vote.sync.ballot.b32 %p, 12\n"
		" %s = match.any.sync.b32 %t, 12\n %x = mad.lo.u32 %x, 31, %s\n bra J\n" AT("J", "3") END),
		4);
}
END_TEST

/* Two activations of f, each with a barrier of its own in one register. Lanes 0 and 2 become one group
   inside, and wait for lane 1 and for lane 3: each of the barriers opens for a part of that group. */
START_TEST(a_group_of_two_barriers)
{
	const char *text = "func f(u32 %n) -> (u32 %r) {\n reg pred %p\nB: %r = and.b32 %n, 1\n"
		" %p = setp.ne.u32 %r, 0\n bra %p, X, Y\n"
		"X: %r = mov.u32 5\n bra E\nY: bar.warp.sync 5\n %r = mov.u32 6\n bra E\n"
		"E: %r = mad.lo.u32 %r, %n, 20\n ret\n}\n"
		K(IF("3", "T", "F") "T: (%x) = call f, (%t)\n bra J\nF: (%x) = call f, (%t)\n"
		" %x = add.u32 %x, 100\n bra J\n" AT("J", "3") END);
	everywhere(text, 4);
	for (int k = 0; k < 2; k++) {
		Rig *r = rig_new(machines[k]);
		rig_run(r, text, 1, 4);
		ck_assert_uint_eq(rig_fetches(r, "Y"), 2); /* they come to the operation one by one */
		ck_assert_uint_eq(rig_fetches(r, "E"), 2); /* once in each activation */
		ck_assert_uint_eq(rig_fetches(r, "J"), 1);
		rig_free(r);
	}
}
END_TEST

/* Lane 0 turns in a loop that may spin: its YIELD opens the barrier behind the loop for the other lanes,
   which run ahead to the block barrier. There lane 0 comes after them, and D is fetched once, for all: code
   behind a block barrier finds the warp in step. */
START_TEST(a_block_barrier_brings_lanes_together)
{
	static const char *const barriers[] = { "bar.sync 0", "%a = bar.red.popc.u32 0, %p",
		"@%q bar.sync 0" };
	static const char *const policies[] = { "divergence.model=its its.yield_after=1",
		"divergence.model=its its.policy=volta_lifo",
		"divergence.model=its its.policy=volta_lifo its.opportunistic_merge=off its.order=max_lanes",
		"divergence.model=spec_reconv spec_reconv.policy=volta_lifo" };
	for (size_t b = 0; b < sizeof barriers / sizeof *barriers; b++)
		for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
			char text[1024];
			snprintf(text, sizeof text, "kernel k(u64 out) {\n shared u32 word[1]\n"
				" reg u32 %%t, %%a, %%x, %%s\n reg u64 %%o\n reg pred %%p, %%q\n"
				"A: %%t = mov.u32 %%tid.x\n"
				" %%q = setp.ge.u32 %%t, 0\n %%p = setp.eq.u32 %%t, 0\n bra %%p, L, J\n"
				"L: %%a = ld.volatile.shared.u32 [word]\n %%s = add.u32 %%s, 1\n"
				" %%a = add.u32 %%a, %%s\n %%p = setp.lt.u32 %%a, 5\n bra %%p, L, J\n"
				"J: %%x = mov.u32 3\n %s\n bra D\n%s", barriers[b], AT("D", "2") END "}\n");
			Rig *r = rig_new(policies[k]);
			rig_run(r, text, 1, 4);
			ck_assert_uint_eq(rig_fetches(r, "J"), 2); /* the lanes did come apart */
			ck_assert_uint_eq(rig_fetches(r, "D"), 1);
			rig_free(r);
		}
}
END_TEST

START_TEST(indexed_branch)
{
	Rig *r = rig_new("divergence.model=its warp_size=8");
	rig_run(r, K(" %a = rem.u32 %t, 5\n brx %a, [B0, B1, B2, B3, B4]\n" AT("B0", "1") " bra J\n"
		AT("B1", "2") " bra J\n" AT("B2", "3") " bra J\n" AT("B3", "4") " bra J\n"
		AT("B4", "5") " bra J\n" AT("J", "6") END), 1, 8);
	rig_path(r, 0, "A:ff B0:21 B1:42 B2:84 B3:8 B4:10 J:ff");
	ck_assert_uint_eq(r->s.totals.max_depth, 5);
	rig_free(r);
}
END_TEST

/* Only some lanes of each turn come to B, where they are predicted to meet: 4 turns, as example d1 of the
   oracles. */
START_TEST(predicted_point)
{
	const char *text = K(" bra H\nH: %x = mad.lo.u32 %x, 31, 2\n %a = add.u32 %t, %s\n"
		" %a = and.b32 %a, 1\n %p = setp.eq.u32 %a, 0\n bra %p, L, B !reconverge B\n"
		"B: %x = mad.lo.u32 %x, 31, 3\n %a = mad.lo.u32 %t, 16, %s\n %p = setp.eq.u32 %a, 50\n"
		" bra %p, X, W\n" AT("W", "4") " bra L\n"
		"L: %s = add.u32 %s, 1\n %p = setp.lt.u32 %s, 4\n bra %p, H, X\n" AT("X", "5") END);
	static const struct { const char *model, *block; uint64_t fetches; } e[] = {
		{ "spec_reconv", "H", 5 }, { "spec_reconv", "B", 2 }, { "spec_reconv", "W", 2 },
		{ "spec_reconv", "L", 5 }, { "spec_reconv", "X", 1 },
		{ "its", "H", 4 }, { "its", "B", 4 }, { "its", "X", 1 }, /* the mark is nothing to others */
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		char set[64];
		snprintf(set, sizeof set, "divergence.model=%s", e[k].model);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 4);
		ck_assert_uint_eq(rig_fetches(r, e[k].block), e[k].fetches);
		rig_free(r);
	}
}
END_TEST

/* Nobody can come from the branch at C to S: no prediction, and nothing waits in front of S. A barrier that
   nobody opens would have the first register, where the lanes are named that meet at J, and those at S would
   wait for others that wait for them at M. */
START_TEST(a_point_that_lies_elsewhere)
{
	everywhere(K(IF("7", "B", "Z") "B: %a = shr.b32 3, %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n"
		" bra %p, C, S\n"
		"C: %p = setp.lt.u32 %t, 1\n bra %p, D, E !reconverge S\n" AT("D", "1") " bra M\n"
		AT("E", "2") " bra M\n" AT("S", "3") " bra M\n"
		AT("M", "4") " bra J\n" AT("Z", "5") " bra J\n" AT("J", "6") END), 4);
}
END_TEST

/* Lanes are predicted to meet at R, inside the if of D. Those that pass it by leave the region while the
   barrier of D's lanes is open: where that has the same register, there is no prediction. */
START_TEST(predicted_points_share_no_registers)
{
#define NE(N, T, F) " %p = setp.ne.u32 %t, " N "\n bra %p, " T ", " F
	const char *text = K(NE("0", "B", "Z") "\nB:" NE("1", "C", "Y") "\nC:"
		NE("2", "D", "X") " !reconverge R\nD:" NE("3", "R", "W") "\n" AT("R", "1") " bra W\n"
		AT("W", "2") " bra X\n" AT("X", "3") " bra Y\n" AT("Y", "4") " bra Z\n" AT("Z", "5") END);
	for (int registers = 1; registers <= 6; registers++) {
		char set[100];
		snprintf(set, sizeof set, "divergence.model=spec_reconv spec_reconv.registers=%d warp_size=8",
			registers);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 8);
		rig_free(r);
	}
#undef NE
}
END_TEST

/* Lanes meet where token's frames and points have them meet, however few the registers: every block is
   fetched as often. */
START_TEST(random_graphs)
{
	static const char *const sets[] = { "divergence.model=token token.loop_codegen=pbk_brk",
		"divergence.model=its its.policy=volta_lifo its.yield=none",
		"divergence.model=its its.policy=volta_lifo its.yield=none its.registers=1" };
	for (uint64_t seed = 1100; seed < 1160; seed++) {
		char *text = random_graph_text(seed, 0, "u64 out");
		Rig *r[3];
		for (int k = 0; k < 3; k++) {
			r[k] = rig_new(sets[k]);
			r[k]->functional = true;
			rig_set(r[k], "warp_size=8");
			rig_run(r[k], text, 1, 8);
			for (int b = 0; b < r[0]->s.tables.blocks.n; b++)
				ck_assert_msg(r[k]->s.tables.blocks.v[b].fetches ==
					rig_fetches(r[0], r[k]->s.tables.blocks.v[b].label),
					"seed %llu, %s: %s is fetched %llu times", (unsigned long long)seed,
					sets[k], r[k]->s.tables.blocks.v[b].label,
					(unsigned long long)r[k]->s.tables.blocks.v[b].fetches);
		}
		for (int k = 0; k < 3; k++)
			rig_free(r[k]);
		free(text);
	}
}
END_TEST

/* ---- turns ---- */

/* Two groups, each in a loop of its own whose turns take four cycles: at the head, a group passes its turn on
   as soon as it has lasted as long as the timer says. So who has it second, from the first cycle on, goes
   round ceil(timer / 4) times. */
START_TEST(the_timer_counts_cycles)
{
	for (int timer = 1; timer < 14; timer++) {
		char set[100];
		int heads = 0, first = -1;
		snprintf(set, sizeof set, "divergence.model=its its.policy=volta_lifo its.yield=none "
			"its.timer=%d", timer);
		Rig *r = rig_new(set);
		rig_run(r, K(" %p = setp.lt.u32 %t, 2\n bra %p, T, F\n"
			AT("T", "1") " %s = add.u32 %s, 1\n %p = setp.lt.u32 %s, 9\n bra %p, T, J\n"
			AT("F", "2") " %s = add.u32 %s, 1\n %p = setp.lt.u32 %s, 9\n bra %p, F, J\n"
			AT("J", "3") END), 1, 4);
		for (int i = 0; i < r->n; i++) {
			if (r->e[i].kind != TR_ISSUE || !r->start[r->e[i].a])
				continue;
			first = first < 0 && *r->block[r->e[i].a] == 'T' ? i : first;
			if (first >= 0 && *r->block[r->e[i].a] == 'F')
				break;
			heads += first >= 0;
		}
		ck_assert_msg(heads == (timer + 3) / 4, "timer %d: round %d times", timer, heads);
		rig_free(r);
	}
}
END_TEST

/* F is executed first. Its product takes seven cycles, so behind its issue there are six left to wait: the
   turn passes on if that is as long as switch_stall says, or longer. */
START_TEST(the_turn_passes_on_in_long_waits)
{
	for (int stall = 0; stall < 10; stall++) {
		char set[160];
		int last_f = -1, first_t = -1;
		snprintf(set, sizeof set, "divergence.model=its its.policy=volta_lifo its.yield=none "
			"units.imul.latency=7 its.switch_stall=%d", stall);
		Rig *r = rig_new(set);
		rig_run(r, K(" %p = setp.lt.u32 %t, 2\n bra %p, T, F\nT: %x = add.u32 %x, 5\n bra J\n"
			"F: %x = mul.lo.u32 %t, 3\n %x = add.u32 %x, 1\n bra J\n" AT("J", "3") END), 1, 4);
		for (int i = 0; i < r->n; i++) {
			if (r->e[i].kind != TR_ISSUE || r->overhead[r->e[i].a])
				continue;
			last_f = *r->block[r->e[i].a] == 'F' ? i : last_f;
			first_t = first_t < 0 && *r->block[r->e[i].a] == 'T' ? i : first_t;
		}
		ck_assert_msg((first_t < last_f) == (stall > 0 && stall <= 6),
			"switch_stall %d: F ends %s T begins", stall, last_f < first_t ? "before" : "after");
		rig_free(r);
	}
}
END_TEST

static int executed(const Rig *r, const char *name)
{
	int n = 0;
	for (int i = 0; i < r->n; i++)
		n += r->e[i].kind == TR_ISSUE && strstr(r->text[r->e[i].a], name) != NULL;
	return n;
}

/* One register is enough for barriers that follow each other. One inside another needs a second, or its outer
   one is moved away and back. */
START_TEST(barriers_share_registers)
{
	static const struct { const char *text; int registers, moves; } want[] = {
		{ K(IF("3", "T", "J") AT("T", "1") " bra J\nJ:" IF("5", "U", "L") AT("U", "2") " bra L\nL:"
			IF("6", "V", "M") AT("V", "3") " bra M\n" AT("M", "4") END), 1, 0 },
		{ K(IF("3", "T", "M") "T:" IF("1", "U", "J") AT("U", "1") " bra J\n" AT("J", "2") " bra M\n"
			AT("M", "3") END), 2, 0 },
		{ K(IF("3", "T", "M") "T:" IF("1", "U", "J") AT("U", "1") " bra J\n" AT("J", "2") " bra M\n"
			AT("M", "3") END), 1, 2 },
	};
	for (int k = 0; k < 3; k++) {
		char set[100];
		snprintf(set, sizeof set, "divergence.model=its its.registers=%d", want[k].registers);
		Rig *r = rig_four(set, want[k].text, NULL);
		ck_assert_msg(executed(r, "bmov") == want[k].moves, "case %d: %d moves", k,
			executed(r, "bmov"));
		rig_free(r);
	}
}
END_TEST

/* YIELD stands on back edges, whether a branch leads back or a jump: lanes that go round three times come to
   it as often as they go back. */
START_TEST(yields_on_back_edges)
{
	static const struct { const char *text; int yields; } want[] = {
		{ K(" bra H\nH: %p = setp.lt.u32 %x, 3\n bra %p, B, J\nB: %x = add.u32 %x, 1\n bra H\n"
			AT("J", "3") END), 3 },
		{ K(" bra B\nB: %x = add.u32 %x, 1\n %p = setp.lt.u32 %x, 3\n bra %p, B, J\n"
			AT("J", "3") END), 2 },
	};
	for (int k = 0; k < 2; k++) {
		Rig *r = rig_four("divergence.model=its its.yield=loops", want[k].text, NULL);
		ck_assert_int_eq(executed(r, "yield"), want[k].yields);
		rig_free(r);
	}
}
END_TEST

/* Lanes that wait go back by another edge than the exit's block: who comes to the exit does not say how long
   they stay. Without a yield lane 0 waits for them behind the loop, and they for what it does there. */
START_TEST(waiting_lanes_let_others_leave)
{
	Rig *r = rig_new("divergence.model=its");
	rig_try(r, K(" %o = ld.param.u64 [out]\n bra H\n"
		"H: %a = ld.volatile.global.u32 [%o+8000]\n %a = mul.lo.u32 %a, 64\n"
		" %p = setp.gt.u32 %t, %a\n bra %p, H, M\n"
		"M: %s = add.u32 %s, 1\n %p = setp.lt.u32 %s, 2\n bra %p, H, E\n"
		"E: %a = mov.u32 1\n st.volatile.global.u32 [%o+8000], %a\n" END), 1, 4);
	rig_laws(r); /* how often lanes go round is no affair of the reference */
	ck_assert_uint_eq(rig_fetches(r, "E"), 2);
	rig_free(r);
}
END_TEST

/* A lane that tries a compare-and-swap again waits for nobody: another one has succeeded. */
START_TEST(who_tries_again_does_not_yield)
{
	Rig *r = rig_new("divergence.model=its its.yield=spin");
	rig_try(r, K(" %o = ld.param.u64 [out]\n %a = mov.u32 0\n bra B\nB: %s = mov.b32 %a\n"
		" %x = add.u32 %s, 1\n %a = atom.global.cas.b32 [%o+8000], %s, %x\n"
		" %p = setp.ne.u32 %a, %s\n bra %p, B, J\n" AT("J", "3") END), 1, 4);
	rig_laws(r);
	ck_assert_uint_gt(rig_fetches(r, "B"), 1);
	ck_assert_int_eq(executed(r, "yield"), 0);
	rig_free(r);
}
END_TEST

#define WAITS(LOAD) K(" %o = ld.param.u64 [out]\n bra B\nB: %x = add.u32 %x, 1\n " \
	LOAD "\n %s = add.u32 %x, %a\n %p = setp.lt.u32 %s, 3\n" \
	" bra %p, B, J\n" AT("J", "3") END)

/* What others write in order may decide whether a lane stays in a loop; then it spins. A plain load is for
   nobody to wait on where the lane counts, too. */
START_TEST(loops_that_may_spin_yield)
{
	static const struct { const char *text; int yields; } want[] = {
		{ WAITS("%a = ld.global.u32 [%o+8000]"), 0 },
		{ WAITS("%a = ld.volatile.global.u32 [%o+8000]"), 2 },
		{ WAITS("%a = ld.global.cv.u32 [%o+8000]"), 2 },
		{ WAITS("%a = atom.global.add.u32 [%o+8000], 0"), 2 },
	};
	for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
		Rig *r = rig_four("divergence.model=its its.yield=spin", want[k].text, NULL);
		ck_assert_msg(executed(r, "yield") == want[k].yields, "loop %d: %d yields", (int)k,
			executed(r, "yield"));
		rig_free(r);
	}
}
END_TEST

/* F's product is there in cycle 44, T's in 51: T keeps the turn that it has got in 5, for F could not go on
   when T began to wait. */
START_TEST(nobody_passes_on_to_who_waits)
{
	Rig *r = rig_new("divergence.model=its its.policy=volta_lifo its.yield=none units.imul.latency=40 "
		"its.switch_stall=1");
	rig_run(r, K(" %p = setp.lt.u32 %t, 2\n bra %p, T, F\nT: %a = mov.u32 1\n %a = mov.u32 2\n"
		" %a = mov.u32 3\n %a = mov.u32 4\n %a = mov.u32 5\n"
		" %x = mul.lo.u32 %t, 5\n %x = add.u32 %x, 5\n bra J\nF: %x = mul.lo.u32 %t, 3\n"
		" %x = add.u32 %x, 1\n bra J\nJ: exit\n"), 1, 4);
	rig_issues(r, 0, "0 1 2 3 4 6 7 8 9 10 11 51 52 53 54 55 56");
	rig_path(r, 0, "A:f F:c T:3 J:f");
	rig_free(r);
}
END_TEST

/* Of groups of as many lanes, the one that has waited goes first. */
START_TEST(equal_groups_take_turns)
{
	rig_free(rig_four("divergence.model=its its.policy=volta_lifo its.yield=none its.first=taken "
		"its.order=max_lanes its.timer=1",
		K(" %p = setp.lt.u32 %t, 2\n bra %p, T, F\nT: %x = add.u32 %x, 1\n %p = setp.lt.u32 %x, 3\n"
		" bra %p, T, J\n"
			"F: %x = add.u32 %x, 1\n %p = setp.lt.u32 %x, 3\n bra %p, F, J\n" AT("J", "3") END),
			"A:f T:3 F:c T:3 F:c T:3 F:c J:f"));
}
END_TEST

/* Three lanes go round T while one waits. Without a timer they do so undisturbed; with one that runs out at
   every head they are given their turn anew, for they are the most. Both cost the same: the jumps back are no
   divergence, only the change of groups is, by what is said of it. The four that meet go on where the one is
   that came last: that is no change. */
START_TEST(a_turn_given_anew_costs_a_jump)
{
	static const char *const sets[] = { "its.timer=0", "its.timer=1",
		"its.timer=1 its.split_switch_cycles=7" };
	Rig *r[3];
	for (int k = 0; k < 3; k++) {
		char set[200];
		snprintf(set, sizeof set, "divergence.model=its its.policy=volta_lifo its.yield=none "
			"its.first=larger its.order=max_lanes fetch.redirect_cycles=5 %s", sets[k]);
		r[k] = rig_new(set);
		rig_run(r[k], K(" %p = setp.lt.u32 %t, 3\n bra %p, T, F\nT: %x = add.u32 %x, 1\n"
			" %p = setp.lt.u32 %x, 9\n bra %p, T, J\n"
			"F: %x = add.u32 %x, 1\n %p = setp.lt.u32 %x, 9\n bra %p, F, J\n" AT("J", "3") END),
			1, 4);
		for (int s = 0; s < STALL_COUNT; s++)
			ck_assert_uint_eq(r[k]->s.totals.stalls[s], r[0]->s.totals.stalls[s] +
				(k == 2 && s == STALL_DIVERGENCE ? 7 : 0));
		ck_assert_uint_eq(r[k]->s.totals.cycles, r[0]->s.totals.cycles + (k == 2 ? 7 : 0));
	}
	ck_assert_uint_eq(r[0]->s.totals.stalls[STALL_DIVERGENCE], 5);
	for (int k = 0; k < 3; k++)
		rig_free(r[k]);
}
END_TEST

/* Lanes 0 and 1 come to f's operation apart, and are one group behind it. Where one of them comes last it has
   the turn, and they keep it. Where they go on as lane 2 has ended, those at Z have the turn, and keep it. */
#define MEETS(MASK, APART, FIRST, TAIL) "func f(u32 %n) -> (u32 %r) {\nY: bar.warp.sync " MASK "\n bra E\n" \
	"E: %r = mad.lo.u32 %n, 3, 20\n ret\n}\n" K(APART "C:" IF(FIRST, "T", "F") \
	"T: (%x) = call f, (%t)\n bra J\n" \
	"F: (%x) = call f, (%t)\n %x = add.u32 %x, 100\n bra J\n" \
	AT("Z", "1") " bra Z2\n" AT("Z2", "3") " bra J\n" \
	AT("J", "2") END TAIL)
START_TEST(the_turn_of_who_has_met)
{
	const char *m = "divergence.model=its its.policy=volta_lifo";
	rig_free(rig_four(m, MEETS("3", IF("12", "Z", "C"), "1", ""),
		"A:f C:3 F:2 Y:2 T:1 Y:1 E:3 Z:c Z2:c J:f"));
	rig_free(rig_four(m, MEETS("3", IF("12", "Z", "C"), "2", ""),
		"A:f C:3 F:1 Y:1 T:2 Y:2 E:3 Z:c Z2:c J:f"));
	rig_free(rig_four(m, MEETS("7", IF("12", "W", "C"), "1", "W:" IF("4", "X", "Z") "X: exit\n"),
		"A:f C:3 F:2 Y:2 T:1 Y:1 W:c X:4 Z:8 Z2:8 E:3 J:b"));
	rig_free(rig_four(m, MEETS("7", IF("12", "W", "C"), "2", "W:" IF("4", "X", "Z") "X: exit\n"),
		"A:f C:3 F:1 Y:1 T:2 Y:2 W:c X:4 Z:8 Z2:8 E:3 J:b"));
}
END_TEST

/* A barrier is free for others when no lane names it any more: whoever may name one does so in a register. */
static int barriers_seen;
static void holders_name_them(Sm *sm)
{
	for (int k = 0; k < sm->nwarps; k++) {
		const Warp *w = &sm->warp[k];
		const TraceRowVec *table = w->used ? tracer_rows(sm, w) : NULL;
		uint64_t names[8] = { 0 }, held[8] = { 0 };
		for (int t = 0; table && t < TABLE_COUNT; t++)
			for (int i = 0; i < table[t].n; i++) {
				const TraceRow *x = &table[t].v[i];
				if (x->kind == ROW_REGISTER)
					names[x->m % 8] |= x->mask;
				if (x->kind == ROW_HOLDERS || x->kind == ROW_BARRIER)
					held[x->n % 8] |= x->mask;
				barriers_seen += x->kind == ROW_HOLDERS;
			}
		for (int n = 0; n < 8; n++)
			ck_assert_msg(!(held[n] & ~names[n]), "cycle %d: lanes %#x hold barrier %d, lanes "
				"%#x name it", (int)sm->now, (unsigned)held[n], n, (unsigned)names[n]);
	}
}

/* The lane that goes round yields; the others go on without it, and their barrier is open when it comes. */
START_TEST(a_barrier_is_held_by_those_who_name_it)
{
	static const char *const lane[] = { "1", "2", "4", "8" };
	tracer_watch = holders_name_them;
	for (int k = 0; k < 4; k++) {
		char text[1000];
		snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%a, %%x, %%s\n reg u64 %%o\n"
			" reg pred %%p\nA: %%t = mov.u32 %%tid.x\n %%a = shr.b32 %s, %%t\n"
			" %%a = and.b32 %%a, 1\n"
			" %%p = setp.ne.u32 %%a, 0\n bra %%p, L, J\n"
			"L: %%s = add.u32 %%s, 1\n %%p = setp.lt.u32 %%s, 9\n bra %%p, L, J\n"
			"J: bra M\nM: %%x = mov.u32 1\n%s}\n", lane[k], END);
		rig_free(rig_four("divergence.model=its its.yield=loops its.yield_after=1", text, NULL));
	}
	tracer_watch = NULL;
	ck_assert_int_gt(barriers_seen, 0);
}
END_TEST

/* The regions of two predicted points overlap, and the barrier of one is numbered before that of the other,
   around which it is open as well: each has a register of its own, and both stay. */
START_TEST(overlapping_predictions_both_stay)
{
#define FORK(L, N, T, F) L ": %x = mad.lo.u32 %x, 31, " N "\n %a = shr.b32 %x, " N "\n" \
	" %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n bra %p, " T ", " F "\n"
	const char *text = K(" %x = mul.lo.u32 %t, 40503\n"
	FORK("B0", "3", "B9", "B1") FORK("B1", "4", "B2", "B3") FORK("B2", "5", "B4",
	"B6 !reconverge B8") FORK("B3", "6", "B7", "B6") FORK("B4", "7", "B5", "B7 !reconverge B9") FORK("B5",
	"8", "B8", "B6") FORK("B6", "9", "B9", "B7") FORK("B7", "10", "B8", "B9") FORK("B8", "11", "B10",
	"B9") AT("B9", "12") " bra B10\n" "B10:" END);
	for (int registers = 3; registers <= 16; registers++) {
		char set[100];
		int rejoins = 0;
		snprintf(set, sizeof set, "warp_size=32 divergence.model=spec_reconv "
			"spec_reconv.registers=%d", registers);
		Rig *r = rig_new(set);
		rig_run(r, text, 1, 32);
		for (int i = 0; i < RIG_CODE; i++)
			rejoins += strstr(r->text[i], "bsync.rejoin") != NULL;
		ck_assert_int_eq(rejoins, 2);
		rig_free(r);
	}
#undef FORK
}
END_TEST

/* The loop's own barrier is left out also where the text has the loop before what is around it. */
START_TEST(barriers_do_not_depend_on_the_order_of_blocks)
{
#define LOOP AT("L", "3") " %s = add.u32 %s, 1\n %p = setp.gt.u32 %s, %t\n bra %p, Z, L\n"
#define AROUND "A1:" IF("7", "B", "Z") AT("B", "1") " bra L\n"
	Rig *after = rig_four("divergence.model=its", K(" bra 1, A1, Z\n" AROUND LOOP AT("Z", "4") END),
		NULL);
	Rig *before = rig_four("divergence.model=its", K(" bra 1, A1, Z\n" LOOP AT("Z", "4") END AROUND),
		NULL);
	ck_assert_int_gt(executed(after, "bsync"), 0);
	ck_assert_int_eq(executed(before, "bsync"), executed(after, "bsync"));
	ck_assert_int_eq(executed(before, "bssy"), executed(after, "bssy"));
	rig_free(before);
	rig_free(after);
#undef LOOP
#undef AROUND
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { sides_and_barrier, early_exit, a_loop_where_others_meet, deep_nesting,
		registers_for_more_than_sixteen_barriers, time_outs, recursion_in_divergent_code,
		barriers_and_warp_operations_in_divergent_code, a_group_of_two_barriers,
		a_block_barrier_brings_lanes_together, indexed_branch, predicted_point,
		a_point_that_lies_elsewhere,
		predicted_points_share_no_registers, the_timer_counts_cycles,
		the_turn_passes_on_in_long_waits,
		barriers_share_registers, yields_on_back_edges, loops_that_may_spin_yield,
		waiting_lanes_let_others_leave, who_tries_again_does_not_yield,
		nobody_passes_on_to_who_waits, equal_groups_take_turns, a_turn_given_anew_costs_a_jump,
		the_turn_of_who_has_met, a_barrier_is_held_by_those_who_name_it,
		overlapping_predictions_both_stay, barriers_do_not_depend_on_the_order_of_blocks,
		random_graphs };
	return rig_suite("convergence barriers", tests, sizeof tests / sizeof *tests);
}
