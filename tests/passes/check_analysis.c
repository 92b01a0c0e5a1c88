#include "tests/passes/graphs.h"
#include "lib/strbuf.h"
#include "passes/analysis/dot.h"
#include "tests/check.h"

static Module *m;
static Arena arena;
static void setup(void) { m = module_new("test"); }
static void teardown(void)
{
	module_free(m);
	arena_free(&arena);
}

/* "A B C": the blocks' labels in rpo. */
static char *order(const char *text)
{
	Cfg *c = cfg_build(&arena, graph_kernel(m, text));
	char *s = "";
	for (int i = 0; i < c->nreach; i++)
		s = arena_printf(&arena, "%s%s%s", s, i ? " " : "", c->rpo[i]->label);
	return s;
}

/* "A>B C>D": immediate (post-)dominators in source order; X is the virtual exit, - nothing. */
static char *idoms(const Dom *d, const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++) {
		int i = d->idom[b];
		s = arena_printf(&arena, "%s%s%s>%s", s, b ? " " : "", f->block.v[b]->label,
			i < 0 ? "-" : i == f->block.n ? "X" : f->block.v[i]->label);
	}
	return s;
}

static char *doms(const char *text)
{
	Function *f = graph_kernel(m, text);
	return idoms(dom_build(&arena, cfg_build(&arena, f)), f);
}

static char *pdoms(const char *text, bool exit_edges)
{
	Function *f = graph_kernel(m, text);
	return idoms(pdom_build(&arena, cfg_build(&arena, f), exit_edges), f);
}

START_TEST(rpo_keeps_source_order_and_loops_together)
{
	ck_assert_str_eq(order("B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6"), "B1 B2 B3 B4 B5 B6");
	ck_assert_str_eq(order("A:F,T J T:J F:J"), "A T F J");
	ck_assert_str_eq(order("P:H H:X,B X B:L,X L:H"), "P H B L X");  /* exit stands inside in the source */
	ck_assert_str_eq(order("P:H H:B,O O:X,Q B:C C:B,L Q:X L:H X"), "P H B C L O Q X");
	ck_assert_str_eq(order("A:B,C B:C C:B,D D"), "A B C D");             /* irreducible */
	ck_assert_str_eq(order("A:C B:C C"), "A C");                         /* B cannot be reached */
	ck_assert_str_eq(order("A:A,B B"), "A B");
}
END_TEST

START_TEST(dominators)
{
	ck_assert_str_eq(doms("B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6"),
		"B1>- B2>B1 B3>B1 B4>B3 B5>B1 B6>B1");
	ck_assert_str_eq(doms("A:B,C B:C C:B,D D U:D"), "A>- B>A C>A D>C U>-");
	Function *f = graph_kernel(m, "A:B,C B:D C:D D");
	Dom *d = dom_build(&arena, cfg_build(&arena, f));
	ck_assert(dom_dominates(d, 0, 3) && dom_dominates(d, 3, 3) && !dom_dominates(d, 1, 3) &&
		!dom_dominates(d, 3, 0));
	ck_assert_int_eq(dom_common(d, 1, 2), 0);
	ck_assert_int_eq(dom_common(d, 3, 3), 3);
}
END_TEST

START_TEST(post_dominators)
{
	ck_assert_str_eq(pdoms("B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6", true),
		"B1>B6 B2>B6 B3>B6 B4>B6 B5>B6 B6>X");
	ck_assert_str_eq(pdoms("A:T,F T:E,J F:J E J", true), "A>X T>X F>J E>X J>X");
	/* reconvergence.md d */
	ck_assert_str_eq(pdoms("P:H H:L,B B:X,W W:L L:H,X X", true), "P>H H>X B>X W>L L>X X>X");
	/* endless loop: pseudo edge at L */
	ck_assert_str_eq(pdoms("A:L,E L:M M:L E", true), "A>X L>X M>L E>X");
}
END_TEST

START_TEST(post_dominators_without_exit_edges)
{
	ck_assert_str_eq(pdoms("A:T,F T:E,J F:J E J", false), "A>J T>J F>J E>X J>X"); /* reconvergence.md h */
	ck_assert_str_eq(pdoms("A:B,C B:D C:D D", false), "A>D B>D C>D D>X");         /* one exit: as usual */
	ck_assert_str_eq(pdoms("A:T,F T F:ret", false), "A>X T>X F>X");                /* nothing in common */
	ck_assert_str_eq(pdoms("A:T,F T:T1,T2 T1:T3 T2:T3 T3 F:F1,F2 F1:F3 F2:F3 F3", false),
		"A>X T>T3 T1>T3 T2>T3 T3>X F>F3 F1>F3 F2>F3 F3>X");
	/* if (n <= tid) return; */
	ck_assert_str_eq(pdoms("A:E,B E B:C,D C:J D:J J", false), "A>B E>X B>J C>J D>J J>X");
	/* return inside a loop */
	ck_assert_str_eq(pdoms("P:H H:B,J B:E,L E L:H J", false), "P>H H>J B>L E>X L>H J>X");
	ck_assert_str_eq(pdoms("P:H H:E,L E L:H", false), "P>H H>E E>X L>H");   /* exit is the only way out */
	/* both sides share the error exit */
	ck_assert_str_eq(pdoms("A:T,F T:E,J F:E,J E J", false), "A>J T>J F>J E>X J>X");
	ck_assert_str_eq(pdoms("A:T,J T:E,U E:E1,E2 E1:E3 E2:E3 E3 U:J J", false),
		"A>J T>U E>E3 E1>E3 E2>E3 E3>X U>J J>X");         /* an early exit with a branch of its own */
}
END_TEST

/* Threads that a trap ends meet nobody again, with exit edges or without: the others meet as if it were not
   there. */
START_TEST(post_dominators_and_traps)
{
	for (int exits = 0; exits < 2; exits++) {
		ck_assert_str_eq(pdoms("A:T,J T:trap J", exits), "A>J T>X J>X");
		/* two assertions share a trap */
		ck_assert_str_eq(pdoms("A:B,C B:T,J C:T,J T:trap J", exits), "A>J B>J C>J T>X J>X");
		ck_assert_str_eq(pdoms("A:B,C B:T,J C:J T:U,V U:W V:W W:trap J", exits),
			"A>J B>J C>J T>W U>W V>W W>X J>X");
		ck_assert_str_eq(pdoms("P:H H:B,J B:T,L T:trap L:H J", exits), "P>H H>J B>L T>X L>H J>X");
		ck_assert_str_eq(pdoms("L:T,L T:trap", exits), "L>X T>X");    /* nothing else ends the loop */
		/* nothing else ends the kernel */
		ck_assert_str_eq(pdoms("A:T,U T:trap U:trap", exits), "A>X T>X U>X");
	}
}
END_TEST

START_TEST(loop_nest)
{
	Function *f = graph_kernel(m, "P:H H:B,X B:C C:B,L L:H X");
	Cfg *c = cfg_build(&arena, f);
	Loops *l = loops_build(&arena, c);
	ck_assert_int_eq(l->n, 2);
	ck_assert_int_eq(l->loop[0].header, 1);
	ck_assert_int_eq(l->loop[0].depth, 1);
	ck_assert_int_eq(l->loop[0].n, 4);
	ck_assert_int_eq(l->loop[0].latch.n, 1);
	ck_assert_int_eq(l->loop[0].latch.v[0], 4);
	ck_assert_int_eq(loop_exits(&arena, c, l)[0].v[0], 5);
	ck_assert_int_eq(l->loop[1].header, 2);
	ck_assert_int_eq(l->loop[1].parent, 0);
	ck_assert_int_eq(l->loop[1].depth, 2);
	ck_assert(l->loop[1].reducible);
	ck_assert_int_eq(l->of[0], -1);
	ck_assert_int_eq(l->of[3], 1);
	ck_assert_int_eq(l->of[4], 0);
	l = loops_build(&arena, cfg_build(&arena, graph_kernel(m, "A:B,C B:C C:B,D D")));
	ck_assert_int_eq(l->n, 1);
	ck_assert(!l->loop[0].reducible);
	ck_assert_int_eq(l->loop[0].header, 1);
}
END_TEST

static Ins make(Op op, Type t, int dst, int a, int b)
{
	Ins i = ins_make(m, op, t, 1, 2);
	i.opd[0] = opd_reg(dst);
	i.opd[1] = opd_reg(a);
	i.opd[2] = b < 0 ? opd_imm(1) : opd_reg(b);
	return i;
}

START_TEST(liveness)
{
	Function *f = graph_kernel(m, "A:B,C B:D C:D D");
	int x = function_reg(m, f, "%x", T_U32), y = function_reg(m, f, "%y", T_U32),
		p = function_find_reg(f, "%p0");
	vec_insert(&f->block.v[1]->ins, 0, make(OP_ADD, T_U32, x, y, -1));
	Ins guarded = make(OP_ADD, T_U32, x, y, -1);
	guarded.guard = p;
	vec_insert(&f->block.v[2]->ins, 0, guarded);
	vec_insert(&f->block.v[3]->ins, 0, make(OP_ADD, T_U32, y, x, x));
	Liveness *l = liveness_build(&arena, cfg_build(&arena, f));
	ck_assert(!live_has(l, l->in[1], x) && live_has(l, l->in[1], y));
	/* a guarded definition does not kill */
	ck_assert(live_has(l, l->in[2], x) && live_has(l, l->in[2], y) && live_has(l, l->in[2], p));
	ck_assert(live_has(l, l->in[3], x) && !live_has(l, l->in[3], y) && !live_has(l, l->in[3], p));
	ck_assert(live_has(l, l->out[0], x) && live_has(l, l->in[0], p));
	f->kind = FN_DEVICE;
	block_term(f->block.v[3])->op = OP_RET;
	vec_push(&f->ret, y);
	vec_clear(&f->block.v[3]->ins);
	vec_push(&f->block.v[3]->ins, ins_make(m, OP_RET, T_NONE, 0, 1));
	block_term(f->block.v[3])->opd[0] = opd_reg(y);
	l = liveness_build(&arena, cfg_build(&arena, f));
	ck_assert(live_has(l, l->in[3], y) && !live_has(l, l->in[3], x));          /* ret reads the results */
}
END_TEST

/* Two side blocks of the same lanes, as melding makes them: B writes what D reads. */
START_TEST(liveness_of_lanes)
{
	Function *f = graph_kernel(m, "A:B,C B:C C:D,E D:E E");
	int x = function_reg(m, f, "%x", T_U32), y = function_reg(m, f, "%y", T_U32);
	int p = ins_src(block_term(f->block.v[0]), 0)->id;
	ins_src(block_term(f->block.v[2]), 0)->id = p;
	vec_insert(&f->block.v[1]->ins, 0, make(OP_ADD, T_U32, x, y, -1));
	vec_insert(&f->block.v[3]->ins, 0, make(OP_ADD, T_U32, y, x, x));
	Liveness *l = liveness_build(&arena, cfg_build(&arena, f));
	ck_assert(!live_has(l, l->in[0], x) && live_has(l, l->out[1], x) && live_has(l, l->in[2], x));
	ins_src(block_term(f->block.v[2]), 0)->neg ^= 1; /* D's lanes are now those that B's are not */
	l = liveness_build(&arena, cfg_build(&arena, f));
	ck_assert(live_has(l, l->in[0], x) && live_has(l, l->in[2], x));
	vec_insert(&f->block.v[2]->ins, 0, make(OP_SETP, T_U32, p, y, -1)); /* or nobody knows */
	l = liveness_build(&arena, cfg_build(&arena, f));
	ck_assert(live_has(l, l->in[0], x) && live_has(l, l->out[1], x) && live_has(l, l->in[2], x));
}
END_TEST

static bool is_structured(const char *text)
{
	return structured(&arena, cfg_build(&arena, graph_kernel(m, text)), NULL);
}

START_TEST(structure)
{
	ck_assert(is_structured("A"));
	ck_assert(is_structured("A:B,C B:D C:D D:E,F E:F F"));
	ck_assert(is_structured("P:H H:B,X B:C,D C:D D:H X"));
	ck_assert(is_structured("P:H H:H,X X"));
	ck_assert(is_structured("A:E,B E B:C,D C:J D:J J"));               /* early return at the top level */
	ck_assert(is_structured("A:B,C,D,J B:J C:J D:J J"));                 /* brx whose arms meet */
	ck_assert(is_structured("A:L,E L:M M:L E"));                         /* endless loop */
	ck_assert(is_structured("P:H H:B,X B:T,L T:trap L:H X"));            /* an assertion in a loop */
	ck_assert(is_structured("A:T,U T:trap U:trap"));
	ck_assert(!is_structured("B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6"));
	ck_assert(!is_structured("A:T,F T:E,J F:J E J"));
	ck_assert(!is_structured("P:H H:L,B B:X,W W:L L:H,X X"));
	ck_assert(!is_structured("A:B,C B:C C:B,D D"));                      /* irreducible */
	ck_assert(!is_structured("0:7,3 7:8,1 1:3 3 8"));           /* hidden by a block with one successor */
	ck_assert(!is_structured("0:7,3 3:3,4 4:0 7:x,3 x"));       /* an exit that post-dominates the loop */
	ck_assert(!is_structured("A:B,C,D B:J C:J D:E J:E E"));      /* brx: two arms meet before the third */
	Cfg *c = cfg_build(&arena, graph_kernel(m, "S:B1 B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6:Z Z"));
	BitSet residue = bs_new(&arena, c->n);
	structured(&arena, c, &residue);
	ck_assert(bs_has(residue, 0) && bs_has(residue, 2) && bs_has(residue, 3) && bs_has(residue, 5) &&
		!bs_has(residue, 7));
}
END_TEST

/* "B2>B3 ...": the edges that definition 1 of the linearization paper calls unstructured. */
static char *unstructured_edges(const char *text)
{
	Function *f = graph_kernel(m, text);
	Cfg *c = cfg_build(&arena, f);
	Dom *d = dom_build(&arena, c), *p = pdom_build(&arena, c, true);
	Loops *l = loops_build(&arena, c);
	char *s = "";
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->nsucc; k++)
			if (unstructured_edge(c, d, p, l, b, f->block.v[b]->succ[k]->id))
				s = arena_printf(&arena, "%s%s%s>%s", s, *s ? " " : "", f->block.v[b]->label,
					f->block.v[b]->succ[k]->label);
	return s;
}

START_TEST(definition_1) /* what the paper says of its figures 1, 5 and 6 */
{
	ck_assert_str_eq(unstructured_edges("B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6"),
		"B2>B3 B2>B5 B3>B5");
	ck_assert_str_eq(unstructured_edges("B1:B2 B2:B3,B5 B3:B4,B6 B4:B2 B5:B6 B6"), "B2>B5 B3>B6");
	ck_assert_str_eq(unstructured_edges("B1:B5,B2 B2:B3 B3:B4 B4:B5 B5:B3,B6 B6"), "B1>B5 B2>B3");
	ck_assert_str_eq(unstructured_edges("0:7,3 7:8,1 1:3 3 8"), ""); /* not all that is unstructured */
}
END_TEST

START_TEST(dot)
{
	StrBuf s = { 0 };
	Function *f = graph_kernel(m, "B1:B3,B2 B2:B3,B5 B3:B4,B5 B4:B6 B5:B6 B6");
	cfg_dot(m, f, NULL, &s);
	ck_assert_ptr_nonnull(strstr(s.s, "digraph \"k\" {\n\t// unstructured"));
	ck_assert_ptr_nonnull(strstr(s.s, "\tb1 -> b2 [label=T, color=red, penwidth=2];\n"));
	ck_assert_ptr_nonnull(strstr(s.s, "\tb0 -> b2 [label=T];\n"));
	ck_assert_ptr_nonnull(strstr(s.s, "\tb0 -> b5 [style=dashed"));
	ck_assert_ptr_nonnull(strstr(s.s, "\tb5 -> exit;\n}\n"));
	sb_free(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("analysis");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, rpo_keeps_source_order_and_loops_together);
	tcase_add_test(t, dominators);
	tcase_add_test(t, post_dominators);
	tcase_add_test(t, post_dominators_and_traps);
	tcase_add_test(t, post_dominators_without_exit_edges);
	tcase_add_test(t, loop_nest);
	tcase_add_test(t, liveness);
	tcase_add_test(t, liveness_of_lanes);
	tcase_add_test(t, structure);
	tcase_add_test(t, definition_1);
	tcase_add_test(t, dot);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
