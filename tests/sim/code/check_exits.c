/* Exits under guards (divergence.guarded_exits): what becomes one and what does not; that branches and blocks
 * of the source count as before; that lanes which end are nobody's loss. */
#include "sim/reconv/seam.h"
#include "tests/sim/sm/sim_rig.h"

#define HEAD "kernel k(u64 out) {\n reg u32 %t, %x, %v, %i\n reg u64 %o\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n %x = mul.lo.u32 %t, 3\n" \
	" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n"
#define K(BODY) HEAD BODY "}\n"
#define STORE " st.global.u32 [%o], %x\n"

static Rig *machine(const char *model, bool guarded, bool functional)
{
	char set[200];
	snprintf(set, sizeof set, "warp_size=8 divergence.model=%s divergence.guarded_exits=%s", model,
		guarded ? "true" : "false");
	Rig *r = rig_new(set);
	r->functional = functional;
	return r;
}

/* Instructions of the code with this text. */
static int count_text(const Rig *r, const char *text)
{
	int n = 0;
	for (int i = 0; i < RIG_CODE && r->text[i][0]; i++)
		n += strstr(r->text[i], text) != NULL;
	return n;
}

static const BlockStats *block_named(const Rig *r, const char *label)
{
	for (int k = 0; k < r->s.tables.blocks.n; k++)
		if (!strcmp(r->s.tables.blocks.v[k].label, label))
			return &r->s.tables.blocks.v[k];
	ck_abort_msg("no block %s", label);
}

static const BranchStats *branch_of(const Rig *r, const char *label)
{
	for (int k = 0; k < r->s.tables.branches.n; k++)
		if (!strcmp(r->s.tables.branches.v[k].label, label))
			return &r->s.tables.branches.v[k];
	ck_abort_msg("no branch of %s", label);
}

static void counts(const Rig *r, const char *label, uint64_t executed, uint64_t divergent, uint64_t lanes,
	uint64_t taken)
{
	const BranchStats *b = branch_of(r, label);
	ck_assert(b->kind == PART_BRANCH && b->source);
	ck_assert_msg(b->executed == executed && b->divergent == divergent && b->lanes == lanes &&
		b->lanes_taken == taken, "branch of %s: %d executed, %d divergent, %d lanes, %d taken", label,
		(int)b->executed, (int)b->divergent, (int)b->lanes, (int)b->lanes_taken);
}

/* Two warps. The other way of A ends, and the true one of B and of C, which asks with a sense turned round;
   all of them at one block of the source. */
static const char guards[] = K(" %p = setp.lt.u32 %t, 13\n bra %p, B, OUT\nB: %v = and.b32 %t, 1\n"
	" %q = setp.ne.u32 %v, 0\n bra %q, OUT, C\n"
	"C: %p = setp.lt.u32 %t, 8\n bra !%p, OUT, D\nD:" STORE " bra OUT\nOUT: exit\n");

START_TEST(branches_and_blocks_count_as_the_sources)
{
	static const char *const alike[] = { "ipdom", "token", "tf_stack", "its", "dual_path" };
	for (int guarded = 0; guarded < 2; guarded++)
		for (int k = 0; k < 5; k++)
			for (int functional = 0; functional < 2; functional++) {
				Rig *r = machine(alike[k], guarded, functional);
				rig_run(r, guards, 1, 16);
				counts(r, "A", 2, 1, 16, 13);
				counts(r, "B", 2, 2, 13, 6);
				counts(r, "C", 2, 0, 7, 3);
				ck_assert_uint_eq(block_named(r, "OUT")->threads, 16);
				ck_assert_uint_eq(block_named(r, "D")->threads, 4);
				/* the source's block is reached at each exit that ends lanes, and behind D */
				if (guarded)
					ck_assert_uint_eq(block_named(r, "OUT")->fetches, 1 + 2 + 1 + 1);
				rig_free(r);
			}
}
END_TEST

/* Lanes of every mechanism, and who is charged for lanes that are not there: nobody parts from those that
   end. */
START_TEST(who_ends_is_lost_to_nobody)
{
	const char *model = reconv_model(_i)->name;
	for (int functional = 0; functional < 2; functional++) {
		Rig *r = machine(model, true, functional);
		rig_run(r, guards, 1, 16);
		ck_assert_uint_eq(branch_of(r, "A")->lanes, 16);
		ck_assert_uint_eq(branch_of(r, "B")->lanes_taken, 6);
		ck_assert_uint_eq(branch_of(r, "C")->lanes_taken, 3);
		ck_assert_uint_eq(r->s.totals.lanes_parted, 0);
		ck_assert_uint_eq(r->s.totals.ended_at_branches, 12);
		ck_assert_int_eq(count_text(r, "@!%p exit") + count_text(r, "@%q exit"), 3); /* A, B, C */
		ck_assert_int_eq(count_text(r, "bra %"), 0);
		rig_free(r);
	}
}
END_TEST

/* A branch back, one of which both ways end, a point that a branch asks for, a block that does more than to
   end. */
START_TEST(what_stays_a_branch)
{
	static const struct { const char *text; int guarded, branches; } some[] = {
		{ K(" %i = mov.u32 0\n bra L\nL: %i = add.u32 %i, 1\n"
			STORE " %p = setp.lt.u32 %i, %t\n bra %p, L, OUT\nOUT: exit\n"), 0, 1 },
		{ K(STORE " %p = setp.lt.u32 %t, 5\n bra %p, X, Y\nX: exit\nY: exit\n"), 0, 1 },
		{ K(" %p = setp.lt.u32 %t, 5\n bra %p, B, OUT !reconverge OUT\nB:"
			STORE " bra OUT\nOUT: exit\n"), 0, 1 },
		{ K(" %p = setp.lt.u32 %t, 5\n bra %p, B, OUT\nB:"
			STORE " %q = setp.lt.u32 %t, 3\n bra %q, C, OUT !reconverge OUT\nC:"
			STORE " bra OUT\nOUT: exit\n"), 1, 1 },
		{ K(" %p = setp.lt.u32 %t, 5\n bra %p, B, OUT\nB:" STORE " bra OUT\nOUT:" STORE " exit\n"), 0,
			1 },
		/* by way of a jump */
		{ K(" %p = setp.lt.u32 %t, 5\n bra %p, B, E\nB:" STORE " bra E\nE: bra OUT\nOUT: ret\n"), 1,
			0 },
		/* nobody takes them */
		{ K(" bra 1, B, OUT\nB:" STORE " bra 0, OUT, C\nC:" STORE " bra OUT\nOUT: ret\n"), 2, 0 },
	};
	for (unsigned k = 0; k < sizeof some / sizeof *some; k++) {
		Rig *r = machine("ipdom", true, false);
		rig_run(r, some[k].text, 1, 16);
		ck_assert_msg(count_text(r, "exit") - count_text(r, "@") >= 0 &&
			count_text(r, "@") == some[k].guarded && count_text(r, "bra %") == some[k].branches,
			"kernel %u: %d guarded, %d branches", k, count_text(r, "@"), count_text(r, "bra %"));
		rig_free(r);
	}
}
END_TEST

/* A branch to a row of jumps, the last of which leads to the end. Each end counts as all the blocks on the
   way, so that rows have a bound; how often the source's blocks are reached does not depend on it. */
START_TEST(a_row_of_jumps)
{
	static const struct { int jumps, guarded; } some[] = { { 1, 1 }, { 16, 1 }, { 17, 0 }, { 40, 0 } };
	for (int k = 0; k < 4; k++) {
		StrBuf text = { 0 };
		sb_puts(&text, HEAD " %p = setp.lt.u32 %t, 5\n bra %p, B, J");
		sb_printf(&text, "%d\n", some[k].jumps);
		sb_puts(&text, "B:" STORE " bra OUT\n");
		for (int j = some[k].jumps; j > 1; j--)
			sb_printf(&text, "J%d: bra J%d\n", j, j - 1);
		sb_puts(&text, "J1: bra OUT\nOUT: exit\n}\n");
		Rig *r = machine("ipdom", true, false);
		rig_run(r, text.s, 1, 16);
		ck_assert_int_eq(count_text(r, "@"), some[k].guarded);
		ck_assert_int_eq(count_text(r, "bra %"), !some[k].guarded);
		counts(r, "A", 2, 1, 16, 5);
		for (int j = 1; j <= some[k].jumps; j++) {
			char label[16];
			snprintf(label, sizeof label, "J%d", j);
			ck_assert_uint_eq(block_named(r, label)->threads, 11);
		}
		ck_assert_uint_eq(block_named(r, "OUT")->threads, 16);
		rig_free(r);
		sb_free(&text);
	}
}
END_TEST

/* Threads end in a function that lanes have called from two places, in turns of a loop, while others wait for
   each other. */
START_TEST(ends_in_functions_and_loops)
{
	static const char *const text[] = {
		"func f(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %v\nF: %v = and.b32 %n, 3\n"
			" %p = setp.eq.u32 %v, 2\n bra %p, X, G\nX: exit\nG: %r = add.u32 %n, 7\n ret\n}\n"
		K(" %p = setp.lt.u32 %t, 11\n bra %p, B, C\nB: (%x) = call f, (%t)\n bra J\n"
			"C: %v = add.u32 %t, 5\n (%x) = call f, (%v)\n bra J\n"
			"J: (%v) = call f, (%x)\n %x = add.u32 %x, %v\n" STORE " exit\n"),
		K(" %i = mov.u32 0\n bra L\nL:" STORE " %v = add.u32 %i, 9\n %p = setp.gt.u32 %v, %t\n"
			" %i = add.u32 %i, 1\n bra %p, OUT, M\nM: %v = and.b32 %x, %i\n"
			" %p = setp.eq.u32 %v, 0\n"
			" bra %p, N, P\nN: %x = add.u32 %x, 5\n bra Q\nP: %q = setp.gt.u32 %x, 40\n"
			" bra %q, OUT, Q\nQ: %x = shl.b32 %x, 1\n bra L\nOUT: exit\n"),
	};
	const char *model = reconv_model(_i)->name;
	for (int k = 0; k < 2; k++)
		for (int way = 0; way < 4; way++) {
			Rig *r = machine(model, way & 1, way & 2);
			rig_run(r, text[k], 1, 16);
			ck_assert(way & 1 ? r->s.totals.ended_at_branches > 0
						: r->s.totals.ended_at_branches == 0);
			rig_free(r);
		}
}
END_TEST

/* Threads behind a barrier ask to meet where all end; those that end before it do not wait for them there. */
START_TEST(who_comes_from_elsewhere_ends_at_once)
{
	static const char *const text[] = {
		K(" %p = setp.lt.u32 %t, 5\n bra %p, E, B\nE:"
			STORE " bra OUT\nB: bar.sync 0\n %q = setp.lt.u32 %t, 9\n"
			" bra %q, C, OUT !reconverge OUT\n"
			"C:" STORE " bra OUT\nOUT: exit\n"),
		/* by branches that are none */
		K(" %p = setp.lt.u32 %t, 5\n bra %p, E, B\nE:" STORE " bra %p, OUT, OUT\nB: bar.sync 0\n"
			STORE " bra %p, OUT, OUT\nOUT: exit\n"),
	};
	for (int way = 0; way < 4; way++) {
		Rig *r = machine(reconv_model(_i)->name, true, way & 1);
		rig_run(r, text[way >> 1], 1, 16);
		rig_free(r);
	}
}
END_TEST

/* Threads leave the loop by the guarded exit alone. The sides of the branch at its head meet at J all the
   same, in each of five turns. */
START_TEST(sides_meet_in_a_loop_without_a_way_out)
{
	static const char *const models[] = { "ipdom", "token", "its", "multi_path", "tf_stack",
		"exec_mask" };
	const char *text = K(" %i = mov.u32 0\n bra L\nL: %i = add.u32 %i, 1\n %v = xor.b32 %t, %i\n"
		" %v = and.b32 %v, 1\n %p = setp.eq.u32 %v, 0\n bra %p, B, C\n"
		"B: %x = add.u32 %x, 3\n bra J\nC: %x = mul.lo.u32 %x, 5\n bra J\nJ:"
		STORE " %q = setp.eq.u32 %i, 5\n bra %q, OUT, M\nM: %x = add.u32 %x, 1\n bra L\nOUT: exit\n");
	for (int k = 0; k < 6; k++) {
		Rig *r = machine(models[k], true, false);
		rig_run(r, text, 1, 16);
		ck_assert_msg(block_named(r, "J")->fetches == 2 * 5, "%s: J is fetched %d times", models[k],
			(int)block_named(r, "J")->fetches);
		ck_assert_int_eq(count_text(r, "@%q exit"), 1);
		rig_free(r);
	}
}
END_TEST

int main(void)
{
	int models = 0;
	while (model_keys(models))
		models++;
	Suite *s = suite_create("exits under guards");
	TCase *t = tcase_create("all");
	tcase_add_test(t, branches_and_blocks_count_as_the_sources);
	tcase_add_loop_test(t, who_ends_is_lost_to_nobody, 0, models);
	tcase_add_test(t, what_stays_a_branch);
	tcase_add_test(t, a_row_of_jumps);
	tcase_add_loop_test(t, ends_in_functions_and_loops, 0, models);
	tcase_add_loop_test(t, who_comes_from_elsewhere_ends_at_once, 0, models);
	tcase_add_test(t, sides_meet_in_a_loop_without_a_way_out);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
