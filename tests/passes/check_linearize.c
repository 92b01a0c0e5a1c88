/* Linearization at its levels: the papers' graphs, and random ones. */
#include "tests/passes/passes_rig.h"

/* blocks: added; arms: edges of brx */
typedef struct Outcome { int fetches, after, guards, blocks, arms; } Outcome;

/* Linearizes the graph and compares runs before and after on several warps. */
static Outcome compare(const char *text, int warps, bool acyclic, int level)
{
	static WmSource s;
	static WmRun before[8], after;
	Function *f = graph_kernel(m, text);
	Outcome o = { .blocks = f->block.n };
	wm_source(f, &s);
	for (int k = 0; k < s.n; k++)
		o.arms += s.nsucc[k] > 2 ? s.nsucc[k] : 0;
	for (int w = 0; w < warps; w++)
		wm_run(&s, f, WM_LANES, (uint64_t)w, &before[w]);
	linearize(f, level);
	check_form(f);
	Cfg *c = cfg_build(&arena, f);
	ck_assert_msg(structured(&arena, c, NULL), "%s: not structured: %s", text, text_of(f));
	for (int w = 0; w < warps; w++) {
		wm_run(&s, f, WM_LANES, (uint64_t)w, &after);
		ck_assert_msg(after.ended || !before[w].ended, "%s: warp %d does not end: %s", text, w,
			text_of(f));
		for (int l = 0; l < WM_LANES; l++) {
			const WmLane *x = &before[w].lane[l], *y = &after.lane[l];
			int n = before[w].ended && after.ended ? x->n > y->n ? x->n : y->n
				: x->n < y->n ? x->n : y->n;
			ck_assert_msg(!memcmp(x->trace, y->trace, sizeof(int) * (size_t)n),
				"%s: warp %d lane %d: another trace: %s", text, w, l, text_of(f));
		}
		for (int k = 0; k < s.n; k++) {
			if (before[w].ended && after.ended) {
				o.fetches += before[w].fetches[k];
				o.after += after.fetches[k];
			}
			if (acyclic)
				ck_assert_msg(after.fetches[k] == (before[w].fetches[k] != 0),
					"%s: warp %d fetches %s %d times: %s", text, w, s.label[k],
					after.fetches[k], text_of(f));
		}
		o.guards += before[w].ended && after.ended ? after.guards : 0;
	}
	char *once = text_of(f);
	ck_assert(!linearize(f, level));
	ck_assert_str_eq(text_of(f), once);
	o.blocks = f->block.n - o.blocks;
	return o;
}

START_TEST(figure_1)
{
	static WmSource s;
	static WmRun r;
	Function *f = graph_kernel(m, FIG1);
	int total = 0;
	wm_source(f, &s);
	s.fixed_mask = 7;
	s.fixed[0] = 3;  /* c1: T1 T2 */
	s.fixed[1] = 4;  /* c2: T3 */
	s.fixed[2] = 1;  /* c3: T1 */
	wm_run(&s, f, 4, 0, &r);
	for (int k = 0; k < 6; k++)
		total += r.fetches[k];
	ck_assert_int_eq(total, 9);
	ck_assert_int_eq(r.max_depth, 4);
	ck_assert(linearize(f, 0));
	ck_assert_str_eq(text_of(f), "B1:B2_guard B2_guard:B2,B3_guard B2:B3_guard B3_guard:B3,B4_guard "
		"B3:B4_guard B4_guard:B4,B5_guard B4:B5_guard B5_guard:B5,B6 B5:B6 B6");
	wm_run(&s, f, 4, 0, &r);
	for (int k = 0; k < 6; k++)
		ck_assert_int_eq(r.fetches[k], 1);
	ck_assert_int_eq(r.guards, 4);
	ck_assert_int_eq(r.max_depth, 2);
}
END_TEST

START_TEST(examples)
{
	static const struct { const char *text; bool acyclic; } list[] = {
		{ FIG1, true },
		{ "A:T,F T:E,J F:J E J", true },                             /* exit inside: one exit */
		{ "B1:B2 B2:B3,B5 B3:B4,B6 B4:B2 B5:B6 B6", false },       /* figure 5: jumps out of a loop */
		{ "B1:B2 B2:B3,B5 B3:B4,B6 B4:B2 B5:B3,B6 B6", false }, /* with an edge back: widened range */
		{ "B1:B5,B2 B2:B3 B3:B4 B4:B5 B5:B3,B6 B6", false },         /* figure 6: jump into a loop */
		{ "B1:B2,B3 B2:B3 B3:B2,B4 B4", false },                     /* irreducible */
		{ "P:H H:L,B B:X,W W:L L:H,X X", false },                    /* continue and break */
		{ "0:7,3 7:8,1 1:3 3 8", true },                    /* hidden by a block with one successor */
		{ "0:7,3 3:3,4 4:0 7:x,3 x", false },               /* an exit that post-dominates the loop */
		{ "A:A,B,C B:A,C C", false },                          /* the entry is a loop's first block */
		{ "S:A,B,C,D A:J B:C C:D,J D:E J:E E", true },           /* brx into an unstructured region */
		{ "A:B,C B:C,D C:D,B D:A,E E", false },
		{ "A:B,C B:B,C C:C,B", false },                              /* never ends */
		{ "A:T,F T:E,J F:E,J E:ret J:ret", true },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (int level = 0; level <= 4; level++)
			compare(list[i].text, 8, list[i].acyclic, level);
}
END_TEST

START_TEST(small_regions)
{
	Function *f = graph_kernel(m, "S:L L:C,D C:M D:M M:A,B A:K,B K:N B:N N:L,X X:Y,Z Y:Z Z");
	ck_assert(linearize(f, 0)); /* the region (M, N) alone: loop, diamond and if-then stay */
	ck_assert_str_eq(text_of(f), "S:L L:C,D C:M D:M M:A_guard A_guard:A,K_guard A:K_guard "
		"K_guard:K,B_guard K:B_guard B_guard:B,N B:N N:L,X X:Y,Z Y:Z Z");
	f = graph_kernel(m, "A:B,C B:C,D C:U U:V,W V:W W:D D"); /* the part U V W is one unit */
	ck_assert(linearize(f, 0));
	ck_assert_ptr_nonnull(graph_block(f, "C_guard"));
	for (int b = 0; b < f->block.n; b++)
		ck_assert(strcmp(f->block.v[b]->label, "V_guard") && strcmp(f->block.v[b]->label, "W_guard"));
}
END_TEST

/* Fetches of inserted blocks; *user: of the source's, after. */
static long random_graphs(bool acyclic, int count, int level, long *user)
{
	int over = 0, original = 0, added = 0;
	long before = 0, after = 0, guards = 0;
	for (int i = 0; i < count; i++) {
		rng = (uint64_t)i * 2 + acyclic;
		int n = 3 + pick(acyclic ? 20 : 12);
		char *text = random_graph(n, acyclic, false);
		Outcome o = compare(text, 3, acyclic, level);
		/* 2: an entry, an exit */
		ck_assert_msg(o.blocks <= 2 * (n + o.arms) + 2, "%s: %d blocks added", text, o.blocks);
		over += o.blocks > 2 * n + o.arms;
		original += n;
		added += o.blocks;
		before += o.fetches;
		after += o.after;
		guards += o.guards;
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%s, opt=%d: %d graphs, %d blocks + %d, over twice %d, fetches %ld -> %ld + "
			"%ld of guards\n", acyclic ? "acyclic" : "cyclic", level, count, original, added,
			over, before, after, guards);
	*user = after;
	return guards;
}

/* Saving guards changes nothing else. */
static void all_levels(bool acyclic)
{
	long user, same, guards = random_graphs(acyclic, 1200, 0, &user);
	for (int level = 1; level < 4; level++)
		random_graphs(acyclic, 300, level, &same);
	long fewer = random_graphs(acyclic, 1200, 4, &same);
	ck_assert_int_eq(same, user);
	ck_assert_int_le(fewer, guards * 3 / 4);
}

/* Ways that end in a trap are no part of the structure; what they do stays. */
START_TEST(aborting)
{
	Function *f = graph_kernel(m, "P:H H:B,X B:T,C C:T,L T:trap L:H X");
	/* a loop with assertions is structured; with exits in their place it is not */
	ck_assert(!linearize(f, 4));
	f = graph_kernel(m, "P:H H:B,X B:T,C C:T,L T L:H X");
	ck_assert(linearize(f, 4));
	for (int i = 0; i < 1000; i++) {
		rng = 5000 + (uint64_t)i;
		char *text = random_graph(3 + pick(14), i % 2, true);
		compare(text, 2, false, i % 5);
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
}
END_TEST

START_TEST(random_acyclic) { all_levels(true); } END_TEST
START_TEST(random_cyclic) { all_levels(false); } END_TEST

int main(void)
{
	Suite *s = suite_create("linearize");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, figure_1);
	tcase_add_test(t, examples);
	tcase_add_test(t, small_regions);
	tcase_add_test(t, aborting);
	tcase_add_test(t, random_acyclic);
	tcase_add_test(t, random_cyclic);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
