/* EXEC masks: which operations lowering inserts, in which order groups of lanes run, what is issued for
 * nobody; counted by hand. Then calls that lanes leave by their end, turns of indexed branches and indirect
 * calls, and graphs of every shape. */
#include "sim/reconv/seam.h"
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %x, %y, %s, %n\n reg u64 %o, %w\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n" BODY "}\n"
/* Lanes of the mask go to T, the others to F. */
#define IF(MASK, T, F) " %a = shr.b32 " MASK ", %t\n %a = and.b32 %a, 1\n %p = setp.ne.u32 %a, 0\n" \
	" bra %p, " T ", " F "\n"
#define AT(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"

#define IF_ONLY(MASK) K(IF(MASK, "T", "J") AT("T", "1") " bra J\n" AT("J", "2") END)
#define IF_ELSE(MASK) K(IF(MASK, "T", "F") AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END)
/* Lane t goes round 4 - t times. */
#define LOOP K(" %s = sub.u32 4, %t\nH: %x = add.u32 %x, 5\n %s = sub.u32 %s, 1\n %p = setp.ne.u32 %s, 0\n" \
	" bra %p, H, Y\n" AT("Y", "3") END)

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
static void counted(const char *set, const char *text, const char *path, uint64_t pushes, uint64_t depth,
	uint64_t overhead, uint64_t noops)
{
	Rig *r = run(set, text, path);
	ck_assert_uint_eq(r->s.totals.pushes, pushes);
	ck_assert_uint_eq(r->s.totals.max_depth, depth);
	ck_assert_uint_eq(r->s.totals.overhead_warp, overhead);
	ck_assert_uint_eq(r->s.totals.noop_fetches, noops);
	rig_free(r);
}

#define ALWAYS "exec_mask.skip_threshold=0"

/* xadd (the program's branch), xdrop, xz; J: xjoin. */
START_TEST(if_then)
{
	counted(ALWAYS, IF_ONLY("3"), "A:f T:3 J:f", 1, 1, 3, 0);
	counted("", IF_ONLY("3"), "A:f T:3 J:f", 1, 1, 2, 0);
	/* nobody is there for xz and xjoin, but no block begins */
	counted(ALWAYS, IF_ONLY("16"), "A:f J:f", 1, 1, 3, 0);
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
	/* 0 to 3 the predicate, 4 xadd, 5 xdrop, 6 xz, 7 T, 8 xadd, 9 xtake, 10 xz, 11 F, 12 xjoin, 13 to 17
	   J. */
	Rig *r = run(ALWAYS, IF_ELSE("3"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17");
	ck_assert_uint_eq(r->s.totals.branches, 1);
	ck_assert_uint_eq(r->s.totals.divergent_branches, 1);
	rig_free(r);
	/* All take T: 10 jumps, which the front end feels. */
	r = run(ALWAYS " fetch.redirect_cycles=3", IF_ELSE("15"), NULL);
	rig_issues(r, 0, "0 1 2 3 4 5 6 7 8 9 10 14 15 16 17 18 19");
	ck_assert_uint_eq(r->s.totals.divergent_branches, 0);
	rig_free(r);
}
END_TEST

/* Lanes that leave wait in the mask of Y. Each turn: xadd (the branch), xdrop, xnz; besides xclear at the
   start, xtake and xclear at Y. */
START_TEST(loop)
{
	counted("", LOOP, "A:f H:f H:7 H:3 H:1 Y:f", 1, 1, 4 * 2 + 3, 0);
}
END_TEST

/* A region that loads is jumped over however short; so is one that is long enough. */
START_TEST(what_is_skipped)
{
	const char *load = K(IF("16", "T", "J") "T: %o = ld.param.u64 [out]\n %x = ld.global.u32 [%o]\n"
		" bra J\n" AT("J", "2") END);
	rig_free(run("", load, "A:f J:f"));
	rig_free(run("exec_mask.skip_threshold=2", IF_ONLY("16"), "A:f T:0 J:f"));
	rig_free(run("exec_mask.skip_threshold=1", IF_ONLY("16"), "A:f J:f"));
}
END_TEST

/* A condition that is the same for all lanes is proven, and the branch stays one; nothing is added but T's
   jump. */
START_TEST(uniform_branches)
{
	counted("", K(" %n = mov.u32 %ntid.x\n %p = setp.gt.u32 %n, 2\n bra %p, T, F\n"
		AT("T", "1") " bra J\n" AT("F", "2") " bra J\n" AT("J", "3") END), "A:f T:f J:f", 0, 0, 1, 0);
	/* Inside divergent code too; not where it would jump over lanes that wait (in G, for which B's branch
	   is the outer one). */
	counted(ALWAYS, K(" %n = mov.u32 %ntid.x\n %q = setp.gt.u32 %n, 2\n"
		IF("3", "B", "J") "B: %x = add.u32 %x, 7\n bra %q, T, F\n" AT("T", "1") " bra J\n"
		AT("F", "2") " bra J\n" AT("J", "3") END), "A:f B:3 T:3 J:f", 1, 1, 4, 0);
	const char *over = K(" %n = mov.u32 %ntid.x\n %q = setp.gt.u32 %n, 2\n"
		IF("3", "B", "G") "B: %x = add.u32 %x, 7\n bra %q, J, G\n" AT("G", "2") " bra J\n"
		AT("J", "3") END);
	rig_free(run(ALWAYS, over, "A:f B:3 G:c J:f"));
}
END_TEST

/* Lanes that end are in no mask; control goes on where others wait. */
START_TEST(early_exit)
{
	rig_free(run(ALWAYS, K(IF("1", "T", "F") AT("T", "1") END "F: %q = setp.eq.u32 %t, 2\n bra %q, G, J\n"
		AT("G", "2") END AT("J", "3") END), "A:f T:1 F:e G:4 J:a"));
}
END_TEST

/* Each block once for all its lanes, though T and F are in three constructs: B's lanes wait in front of F.
   xclear F; A and B: xdrop, xz; T: xadd; F: xtake, xclear, xz; J: xjoin. */
START_TEST(short_circuit)
{
	counted(ALWAYS, K(IF("3", "B", "F") "B:" IF("5", "T", "F") AT("T", "1") " bra J\n"
		AT("F", "2") " bra J\n" AT("J", "3") END), "A:f B:3 T:1 F:e J:f", 2, 2, 10, 0);
}
END_TEST

/* Two ways out of the loop, one to X and one to Y behind it, and a `continue`: L is run once a turn for all
   lanes. Lane t leaves for X at turn t + 1, but lane 3, which leaves for Y at turn 2. X and Y: xclear at the
   start. In each turn: xdrop and xz for each of the three branches, xjoin and xnz at the end; 8, 8, and 2 in
   the third, which xz ends. X: xtake, xclear, xz, and xadd for J; Y: xtake, xclear, xz; J: xjoin. */
START_TEST(loop_with_exits_and_continue)
{
	counted(ALWAYS, K(" %s = mov.u32 0\nH: %s = add.u32 %s, 1\n %p = setp.gt.u32 %s, %t\n bra %p, X, B\n"
		"B: %a = mul.lo.u32 %t, %s\n %p = setp.eq.u32 %a, 6\n bra %p, Y, C\n"
		"C: %a = and.b32 %s, 1\n %p = setp.ne.or.u32 %a, 0, %p\n bra %p, H, L\n"
		AT("L", "7") " bra H\n"
		AT("X", "1") " bra J\n" AT("Y", "2") " bra J\n" AT("J", "3") END),
		"A:f H:f B:e C:e H:e B:c C:4 L:4 H:4 X:7 Y:8 J:f", 4, 2, 28, 0);
}
END_TEST

/* Out of both loops at once, for lane 3 in H's second turn: it waits in front of Y, past L. Lane t leaves the
   inner loop in its turn t + 1. */
START_TEST(out_of_two_loops)
{
	rig_free(run(ALWAYS, K(" %n = mov.u32 0\nH: %n = add.u32 %n, 1\n %s = mov.u32 0\n bra G\n"
		"G: %s = add.u32 %s, 1\n %p = setp.gt.u32 %s, %t\n bra %p, L, B\n"
		"B: %x = mad.lo.u32 %x, 31, 2\n %a = mad.lo.u32 %n, 4, %t\n %p = setp.eq.u32 %a, 11\n"
		" bra %p, Y, G\n"
		AT("L", "3") " %p = setp.lt.u32 %n, 2\n bra %p, H, Y\n" AT("Y", "4") END),
		"A:f H:f G:f B:e G:e B:c G:c B:8 G:8 L:f H:f G:f B:e G:6 B:4 G:4 L:7 Y:f"));
}
END_TEST

/* Lane t goes on at H, to B, or out to X as (turn + t) mod 4 says. */
START_TEST(indexed_branch_in_a_loop)
{
	rig_free(run(ALWAYS, K(" bra H\nH: %s = add.u32 %s, 1\n %a = add.u32 %s, %t\n %a = and.b32 %a, 3\n"
		" brx %a, [H, B, X, B]\n" AT("B", "1") " bra H\n" AT("X", "4") END),
		"A:f H:f B:5 H:d B:8 H:c B:4 H:4 X:f"));
}
END_TEST

/* Out of a loop by two `ret`s: lanes 0 and 1 in turns 1 and 2, the others in turn 2. They return together. */
START_TEST(returns_in_a_loop)
{
	rig_free(run(ALWAYS, "func f(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %s\nQ: %s = mov.u32 0\n"
		"H: %s = add.u32 %s, 1\n %p = setp.gt.u32 %s, %n\n"
		" bra %p, C, B\nB: %p = setp.eq.u32 %s, 2\n bra %p, D, H\nC: %r = mov.u32 7\n ret\n"
		"D: %r = mov.u32 9\n ret\n}\n"
		K(" (%x) = call f, (%t)\n" AT("J", "4") END), "A:f Q:f H:f B:e H:e B:c C:3 D:c J:f"));
}
END_TEST

/* A loop with two entries. Lanes 0 and 1 begin at H, the others at M. */
#define ENTRIES K(IF("3", "H", "M") AT("H", "1") " bra M\nM: %x = mad.lo.u32 %x, 31, 2\n" \
	" %s = add.u32 %s, 1\n %p = setp.gt.u32 %s, %t\n" \
	" bra %p, J, H\n" AT("J", "3") END)
START_TEST(irreducible_loop)
{
	Rig *r = run(ALWAYS, ENTRIES, "A:f H:3 M:f H:e M:e H:c M:c H:8 M:8 J:f");
	rig_free(r);
}
END_TEST

/* Five targets for eight lanes, of which lane l wants l mod 5: three of them twice. The branch is issued for
   each target. */
#define FIVE K(" %a = rem.u32 %t, 5\n brx %a, [B0, B1, B2, B3, B4]\n" AT("B0", "10") " bra J\n" \
	AT("B1", "11") " bra J\n" \
	AT("B2", "12") " bra J\n" AT("B3", "13") " bra J\n" AT("B4", "14") " bra J\n" AT("J", "1") END)
START_TEST(indexed_branch)
{
	Rig *r = rig_new("divergence.model=exec_mask warp_size=8");
	rig_run(r, FIVE, 1, 8);
	rig_path(r, 0, "A:ff B0:21 B1:42 B2:84 B3:8 B4:10 J:ff");
	ck_assert_uint_eq(r->s.totals.branches, 5);
	rig_free(r);
}
END_TEST

/* Lanes 0 and 2 return by the first `ret`, the others by the second: together, from one place. */
START_TEST(one_return)
{
	Rig *r = run(ALWAYS, "func f(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %a\n"
		"B: %a = and.b32 %n, 1\n %p = setp.eq.u32 %a, 0\n bra %p, C, D\n"
		"C: %r = mov.u32 7\n ret\nD: %r = mov.u32 1\n ret\n}\n" K(" (%x) = call f, (%t)\n"
		AT("J", "2") END), "A:f B:f C:5 D:a J:f");
	ck_assert_uint_eq(r->s.totals.max_depth, 2);
	rig_free(r);
}
END_TEST

/* f ends the lanes that call it with an even number. Lanes 0 and 2 call it, and D is issued for nobody; then
   all that are left call it. */
#define ENDS "func f(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %a\nB: %a = and.b32 %n, 1\n" \
	" %p = setp.eq.u32 %a, 0\n bra %p, C, D\n" \
	"C: exit\nD: %r = add.u32 %n, 1\n ret\n}\n"
START_TEST(a_call_that_ends_its_lanes)
{
	Rig *r = run("", ENDS K(IF("5", "T", "J") "T: (%x) = call f, (%t)\n bra J\nJ: (%y) = call f, (%t)\n"
		" %x = add.u32 %x, %y\nL: %x = add.u32 %x, 2\n" END), "A:f T:5 B:5 C:5 D:0 J:a B:a D:a L:a");
	rig_free(r);
	/* Nobody is left. */
	rig_free(run("", ENDS K(" %n = mov.u32 4\n (%x) = call f, (%n)\n" AT("J", "1") END), "A:f B:f C:f"));
}
END_TEST

/* 2,000 functions, each of which calls the next. Whether lanes may end in one is known when that of the last
   is. */
START_TEST(calls_in_a_long_chain)
{
	enum { CHAIN = 2000 };
	StrBuf b = { 0 };
	Diag d = { 0 };
	Config c;
	sb_puts(&b, "kernel k()\n{\n reg u32 %t\nA:\n %t = mov.u32 %tid.x\n call f1, (%t)\n exit\n}\n");
	for (int f = 1; f < CHAIN; f++)
		sb_printf(&b, "func f%d(u32 %%x)\n{\n reg pred %%p\nA: %%p = setp.eq.u32 %%x, 1\n"
			" bra %%p, B, C\nB: call f%d, (%%x)\n ret\nC: ret\n}\n", f, f + 1);
	sb_printf(&b, "func f%d(u32 %%x)\n{\nA: exit\n}\n", CHAIN);
	config_defaults(&c);
	ck_assert(config_set(&c, "divergence.model", "exec_mask", &d));
	Module *m = ir_read(b.s, b.n, "chain", &d);
	ck_assert_ptr_nonnull(m);
	Code *code = code_lower(m, m->func.v[0], &c, reconv_model((int)c.model)->lower,
		reconv_model((int)c.model)->own, NULL, &d);
	ck_assert_ptr_nonnull(code);
	int drops = 0; /* behind each call, to where the others go on: some lanes may have ended */
	for (int k = 0; k < code->n; k++)
		drops += code->ins[k].kind == K_RECONV;
	ck_assert_int_gt(drops, CHAIN);
	code_free(code);
	module_free(m);
	diag_free(&d);
	sb_free(&b);
}
END_TEST

/* Lane t calls what it wants, in as many turns as there are different wishes; f and g count together in the
   end. */
START_TEST(indirect_calls)
{
	Rig *r = run("", "global u64 table[2] = { f, g }\nfunc f(u32 %n) -> (u32 %r) {\n"
		"F: %r = add.u32 %n, 5\n ret\n}\n"
		"func g(u32 %n) -> (u32 %r) {\nG: %r = mul.lo.u32 %n, 5\n ret\n}\n"
		K(" %n = and.b32 %t, 1\n %w = mov.u64 table\n %w = mad.wide.u32 %n, 8, %w\n"
		" %w = ld.global.u64 [%w]\n (%x) = call %w, (%t)\n"
		AT("J", "1") END), "A:f F:5 G:a J:f");
	rig_free(r);
}
END_TEST

/* A vote of lanes 0 to 31 of a wave of 64 says nothing to the others: what it decides, a branch or which
   function to call, is not the same for all. */
START_TEST(lanes_that_abstain)
{
	static const char *const what[] = { " bra %p, T, F\n" AT("T", "1") " bra J\n" AT("F", "2") " bra J\n",
		" %n = selp.b32 1, 0, %p\n %w = mov.u64 table\n %w = mad.wide.u32 %n, 8, %w\n"
		" %w = ld.global.u64 [%w]\n (%x) = call %w, (%t)\n bra J\n" };
	for (int k = 0; k < 2; k++) {
		StrBuf b = { 0 };
		sb_printf(&b, "global u64 table[2] = { f, g }\nfunc f(u32 %%n) -> (u32 %%r) {\n"
			"F: %%r = add.u32 %%n, 5\n ret\n}\n"
			"func g(u32 %%n) -> (u32 %%r) {\nG: %%r = mul.lo.u32 %%n, 5\n ret\n}\n");
		sb_puts(&b, K(" %q = setp.lt.u32 %t, 32\n %p = setp.gt.u32 %t, 40\n"
			" @%q %p = vote.sync.any.pred %q, 0xffffffff\n"));
		b.n -= 2; /* the body goes on */
		b.s[b.n] = 0;
		sb_puts(&b, what[k]);
		sb_puts(&b, AT("J", "3") END "}\n");
		Rig *r = rig_new("divergence.model=exec_mask warp_size=64");
		rig_run(r, b.s, 1, 64);
		ck_assert_uint_eq(rig_fetches(r, "J"), 1);
		rig_free(r);
		sb_free(&b);
	}
}
END_TEST

/* Each indirect call of a block becomes blocks of its own. */
START_TEST(many_indirect_calls)
{
	StrBuf b = { 0 };
	sb_puts(&b, "global u64 table[2] = { f, g }\nfunc f(u32 %n) -> (u32 %r) {\nF: %r = add.u32 %n, 5\n"
		" ret\n}\n"
		"func g(u32 %n) -> (u32 %r) {\nG: %r = mul.lo.u32 %n, 5\n exit\n}\n"
		K(" %n = shr.b32 %t, 1\n %w = mov.u64 table\n %w = mad.wide.u32 %n, 8, %w\n"
		" %w = ld.global.u64 [%w]\n %x = mov.u32 %t\n"));
	b.n -= 2;
	b.s[b.n] = 0;
	for (int k = 0; k < 45; k++)
		sb_puts(&b, " (%x) = call %w, (%x)\n");
	sb_puts(&b, END "}\n");
	Rig *r = run("", b.s, NULL);
	ck_assert_uint_eq(rig_fetches(r, "F"), 45);
	ck_assert_uint_eq(rig_fetches(r, "G"), 1); /* it ends lanes 2 and 3 */
	rig_free(r);
	sb_free(&b);
}
END_TEST

/* A barrier that all lanes come to, in a region that only some may enter: in another block, all enter. Part
   of a wave: refused, or as s_barrier does it, where lanes that have not come to it only end. */
START_TEST(barriers)
{
	const char *part = K(IF("3", "B", "J") "B: bar.sync 0\n bra J\n" AT("J", "1") END);
	Rig *r = rig_new("divergence.model=exec_mask divergence.bar_partial=error");
	rig_try(r, part, 1, 4);
	ck_assert(!r->ok && r->fault.kind == FAULT_BARRIER);
	rig_free(r);
	rig_free(run("divergence.bar_partial=count_warp", part, "A:f B:3 J:f"));
	rig_free(run("", part, "A:f B:3 J:f"));
	rig_free(run("", K(IF("15", "B", "J") "B: bar.sync 0\n bra J\n" AT("J", "1") END), "A:f B:f J:f"));
	/* not for an empty EXEC */
	rig_free(run("", K(IF("16", "B", "J") "B: bar.sync 0\n bra J\n" AT("J", "1") END), "A:f J:f"));
}
END_TEST

/* ---- graphs of every shape ---- */

typedef struct Random { uint64_t s; } Random;
static unsigned pick(Random *x, unsigned n)
{
	x->s = x->s * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(x->s >> 33) % n;
}

/* Blocks B0..Bn-1 with branches and indexed branches to anywhere (dag: forward); after 30 blocks a lane goes
   forward only. Some blocks call, some end their lane. */
static void graph(StrBuf *b, uint64_t seed, bool dag)
{
	Random x = { seed * 99 + 7 };
	int n = 4 + (int)pick(&x, 9);
	sb_puts(b, ENDS "kernel k(u64 out) {\n reg u32 %t, %a, %c, %x, %s, %n, %m\n reg u64 %o\n"
		" reg pred %p\n"
		"A: %t = mov.u32 %tid.x\n %x = mul.lo.u32 %t, 2654435761\n %m = mov.u32 %ntid.x\n");
	for (int k = 0; k < n; k++) {
		int far[3];
		for (int i = 0; i < 3; i++)
			far[i] = dag || i == 0 ? k + 1 + (int)pick(&x, (unsigned)(n - k))
				: (int)pick(&x, (unsigned)n);
		sb_printf(b, "B%d: %%x = mad.lo.u32 %%x, 1664525, %d\n %%s = add.u32 %%s, 1\n"
			" %%a = shr.b32 %%x, %u\n %%a = and.b32 %%a, 3\n"
			" %%p = setp.gt.u32 %%s, 30\n", k, 12345 + 17 * k, 7 + pick(&x, 20));
		switch (pick(&x, 8)) {
		case 0:
			sb_puts(b, " %c = or.b32 %x, 1\n (%c) = call f, (%c)\n %x = add.u32 %x, %c\n");
			break;
		case 1:
			sb_puts(b, " %n = shr.b32 %x, 13\n %n = and.b32 %n, 7\n %n = add.u32 %n, 1\n"
				" (%c) = call f, (%n)\n");
			break;
		default: break;
		}
		switch (pick(&x, 5)) {
		case 0:
			sb_printf(b, " %%a = selp.b32 0, %%a, %%p\n brx %%a, [B%d, B%d, B%d, B%d]\n", far[0],
				far[1], far[2], far[0]);
			break;
		case 1: /* the same for all lanes */
			sb_printf(b, " %%p = setp.gt.u32 %%m, %u\n bra %%p, B%d, B%d\n", pick(&x, 9), far[0],
				far[0] < n ? far[0] + 1 : n);
			break;
		case 2:
			sb_printf(b, " bra B%d\n", far[0]);
			break;
		default:
			sb_printf(b, " @!%%p %%p = setp.eq.u32 %%a, %u\n bra %%p, B%d, B%d\n", pick(&x, 4),
				far[0], far[1]);
		}
	}
	sb_printf(b, "B%d:\n", n);
	sb_puts(b, END "}\n");
}

START_TEST(random_graphs)
{
	static const char *const sets[] = { "", ALWAYS,
		"exec_mask.skip_threshold=1000 warp_size=64 sm.registers=65536" };
	for (int seed = 0; seed < 120; seed++)
		for (int k = 0; k < 3; k++)
			for (int dag = 0; dag < 2; dag++) {
				StrBuf b = { 0 };
				graph(&b, (uint64_t)seed, dag);
				Rig *r = rig_new("divergence.model=exec_mask warp_size=16 "
					"sm.max_threads_per_block=64");
				rig_set(r, sets[k]);
				rig_run(r, b.s, 1, 60);
				if (dag && k == 1) /* a sweep comes to each block once */
					for (int i = 0; i < r->s.tables.blocks.n; i++)
						ck_assert_msg(r->s.tables.blocks.v[i].fetches <= 4 ||
							!strcmp(r->s.tables.blocks.v[i].function, "f"),
							"seed %d: block %s is run %llu times by four warps",
							seed, r->s.tables.blocks.v[i].label,
							(unsigned long long)r->s.tables.blocks.v[i].fetches);
				rig_free(r);
				sb_free(&b);
			}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { if_then, if_then_else, cycles, loop, what_is_skipped, uniform_branches,
		early_exit, short_circuit,
		loop_with_exits_and_continue, out_of_two_loops, indexed_branch_in_a_loop, returns_in_a_loop,
		irreducible_loop, indexed_branch, one_return, a_call_that_ends_its_lanes,
		calls_in_a_long_chain, indirect_calls, lanes_that_abstain,
		many_indirect_calls, barriers,
		random_graphs };
	return rig_suite("EXEC masks", tests, sizeof tests / sizeof *tests);
}
