/* Effects of instructions and summaries of functions, the builder's operations, and the carry flag as a
   register that analyses see. */
#include "isa/edit.h"
#include "isa/effects.h"
#include "passes/analysis/analysis.h"
#include "tests/check.h"

static Diag diag;
static Module *m;

static void setup(void) { diag = (Diag){ 0 }; }

static void teardown(void)
{
	if (m)
		module_free(m);
	m = NULL;
	diag_free(&diag);
}

static void read_module(const char *text)
{
	m = ir_read(text, strlen(text), "t.ir", &diag);
	ck_assert_msg(m != NULL, "%s", diag_first(&diag));
}

/* r, w and spaces (g s l c p); o ordered, C convergent, i o carry in and out as < >, f faults, e ends, v
   varies, ! visible */
static const char *letters(Effects e)
{
	static char s[40];
	static const char space[] = "?gslcp";
	int n = 0;
	for (int w = 0; w < 2; w++) {
		uint8_t set = w ? e.writes : e.reads;
		if (set)
			s[n++] = w ? 'w' : 'r';
		for (int k = 0; k < SP_COUNT; k++)
			if (set & SPACE_BIT(k))
				s[n++] = space[k];
	}
	if (e.ordered) s[n++] = 'o';
	if (e.convergent) s[n++] = 'C';
	if (e.carry_in) s[n++] = '<';
	if (e.carry_out) s[n++] = '>';
	if (e.faults) s[n++] = 'f';
	if (e.ends) s[n++] = 'e';
	if (e.varies) s[n++] = 'v';
	if (e.visible) s[n++] = '!';
	s[n] = 0;
	return s;
}

static const struct { const char *ins, *effects; } cases[] = {
	{ "%a = add.u32 %a, 1", "" },
	{ "%a = add.cc.u32 %a, 1", ">" },
	{ "%a = addc.u32 %a, 1", "<" },
	{ "%a = addc.cc.u32 %a, 1", "<>" },
	{ "%a = div.u32 %a, 0", "" },
	{ "%a = mov.u32 %clock", "v" },
	{ "%a = mov.u32 %tid.x", "" },
	{ "%a = ld.global.u32 [%d]", "rgf" },
	{ "%a = ld.u32 [%d]", "rgslcpf" },
	{ "%a = ld.global.nonfaulting.u32 [%d]", "rg" },
	{ "%a = ld.nonfaulting.u32 [%d]", "rgslcp" },
	{ "%a = ld.volatile.shared.nonfaulting.u32 [%d]", "rso" },
	{ "%a = ld.const.nonfaulting.u32 [%d]", "rc" },
	{ "%a = ld.volatile.global.u32 [%d]", "rgof" },
	{ "%a = ld.const.u32 [%d]", "rcf" },
	{ "st.shared.u32 [%d], %a", "wsf" },
	{ "st.u32 [%d], %a", "wgslf" },
	{ "%a = atom.global.add.u32 [%d], 1", "rgwgof" },
	{ "red.shared.add.u32 [%d], 1", "rswsof" },
	{ "fence.sc.gpu", "o" },
	{ "bar.sync 0", "oC!" },
	{ "barrier.grid", "oC!" },
	{ "%b = shfl.sync.idx.b32 %b, 0, 31, -1", "C" },
	{ "%b = activemask.b32", "Cv" },
	{ "nanosleep.u32 5", "!" },
	{ "@%p trap", "fe" },
	{ "prefetch.global.L1 [%d]", "" },
	{ "(%a) = call pure, (%a)", "f" },
	{ "(%a) = call stores, (%a)", "wgf" },
	{ "(%a) = call deep, (%a)", "wgf" },
	{ "(%a) = call waits, (%a)", "oCf!" },
	{ "(%a) = call meets, (%a)", "oCf!" },
	{ "(%a) = call leaves, (%a)", "fe" },
	{ "(%a) = call carries, (%a)", "<>f" },
	{ "(%a) = call loops, (%a)", "wsf" },
};

static const char functions[] =
	"func pure(u32 %x) -> (u32 %y) { e: %y = add.u32 %x, 1\n ret }\n"
	"func stores(u32 %x) -> (u32 %y) { reg u64 %d\n e: %d = mov.u64 0\n %y = mov.u32 0\n"
	" st.global.u32 [%d], %x\n ret }\n"
	"func deep(u32 %x) -> (u32 %y) { e: (%y) = call stores, (%x)\n ret }\n"
	"func waits(u32 %x) -> (u32 %y) { e: %y = mov.u32 %x\n bar.sync 0\n ret }\n"
	"func meets(u32 %x) -> (u32 %y) { e: %y = mov.u32 %x\n barrier.grid\n ret }\n"
	"func leaves(u32 %x) -> (u32 %y) { e: %y = mov.u32 %x\n exit }\n"
	"func carries(u32 %x) -> (u32 %y) { e: %y = add.cc.u32 %x, 1\n %y = addc.u32 %y, 1\n ret }\n"
	"func loops(u32 %x) -> (u32 %y) { e: (%y) = call back, (%x)\n ret }\n"
	"func back(u32 %x) -> (u32 %y) { reg u64 %d\n e: %d = mov.u64 0\n (%y) = call loops, (%x)\n"
	" st.shared.u32 [%d], %x\n ret }\n";

START_TEST(each_instruction)
{
	StrBuf s = { 0 };
	sb_puts(&s, functions);
	sb_puts(&s, "kernel k() { reg u32 %a\n reg b32 %b\n reg u64 %d\n reg pred %p\n e: ");
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		sb_printf(&s, "%s\n", cases[k].ins);
	sb_puts(&s, "exit }\n");
	read_module(s.s);
	sb_free(&s);
	Arena a = { 0 };
	EffectTable *t = effects_build(&a, m);
	const Block *b = module_find_function(m, "k")->block.v[0];
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		ck_assert_msg(!strcmp(letters(ins_effects(t, &b->ins.v[k])), cases[k].effects),
			"%s: %s, expected %s", cases[k].ins, letters(ins_effects(t, &b->ins.v[k])),
			cases[k].effects);
	arena_free(&a);
}
END_TEST

START_TEST(carry_is_live)
{
	read_module("kernel k() { reg u32 %a\n reg pred %p\n e: %a = add.cc.u32 1, 2\n bra %p, A, B\n"
		" A: %a = addc.u32 %a, 1\n bra B\n"
		"B: %a = add.cc.u32 1, 1\n exit }\n");
	Arena a = { 0 };
	Function *f = m->func.v[0];
	Liveness *l = liveness_build(&a, cfg_build(&a, f));
	int carry = function_carry(f);
	ck_assert(live_has(l, l->out[0], carry) && live_has(l, l->in[1], carry));
	ck_assert(!live_has(l, l->in[2], carry) && !live_has(l, l->in[0], carry));
	arena_free(&a);
}
END_TEST

/* ---- the builder ---- */

static const char loop[] = "kernel k() { reg u32 %i\n reg pred %p\n"
	"E: %i = mov.u32 0\n bra H\n H: %i = add.u32 %i, 1\n %p = setp.lt.u32 %i, 9\n bra %p, H, X\n"
	" X: exit }\n";

static char *shape(Arena *a, const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++) {
		s = arena_printf(a, "%s%s(%d)", s, f->block.v[b]->label, f->block.v[b]->ins.n);
		for (int k = 0; k < f->block.v[b]->nsucc; k++)
			s = arena_printf(a, "%s>%s", s, f->block.v[b]->succ[k]->label);
		s = arena_printf(a, "%s ", s);
	}
	return s;
}

START_TEST(building)
{
	read_module(loop);
	Arena a = { 0 };
	Function *f = m->func.v[0];
	Edit e = edit_open(m, f, (uint8_t)module_origin(m, "t"));
	Block *h = f->block.v[1];
	uint64_t graph = f->graph_stamp, code = f->code_stamp;
	Block *mid = edit_split_edge(&e, h, h, "_back");
	ck_assert(f->graph_stamp > graph && f->code_stamp > code);
	ck_assert_str_eq(shape(&a, f), "E(2)>H H(3)>H_back>X X(1) H_back(1)>H ");
	Block *rest = edit_split_block(&e, h, 1, "_rest");
	ck_assert_str_eq(shape(&a, f), "E(2)>H H(2)>H_rest X(1) H_back(1)>H H_rest(2)>H_back>X ");
	ck_assert(ir_verify(m, &diag));
	edit_merge(&e, h, rest);
	ck_assert_str_eq(shape(&a, f), "E(2)>H H(3)>H_back>X X(1) H_back(1)>H H_rest(1) ");
	Block *copy[8] = { 0 }, *list[2] = { h, mid };
	int reg[2] = { edit_reg(&e, "i", T_U32), 1 };
	edit_settle(&e);
	ck_assert_str_eq(shape(&a, f), "E(2)>H H(3)>H_back>X H_rest(1) H_back(1)>H X(1) ");
	edit_clone(&e, spot_last(), list, 2, copy, reg, "_copy");
	edit_retarget(&e, f->block.v[0], h, copy[1]);
	ck_assert_str_eq(shape(&a, f), "E(2)>H_copy H(3)>H_back>X H_rest(1) H_back(1)>H X(1) "
		"H_copy(3)>H_back_copy>X H_back_copy(1)>H_copy ");
	ck_assert_int_eq(ins_dst(&copy[1]->ins.v[0], 0)->id, reg[0]);
	ck_assert_int_eq(ins_dst(&h->ins.v[0], 0)->id, 0);
	BitSet roots = bs_new(&a, f->block.n);
	bs_add(roots, 0);
	copy[1]->reconverge = h;       /* goes, and X stays */
	f->block.v[0]->reconverge = f->block.v[4];
	ck_assert(edit_drop_unreached(f, roots));
	ck_assert_str_eq(shape(&a, f), "E(2)>H_copy X(1) H_copy(3)>H_back_copy>X H_back_copy(1)>H_copy ");
	ck_assert_ptr_null(copy[1]->reconverge);
	ck_assert_ptr_eq(f->block.v[0]->reconverge, f->block.v[1]);
	f->block.v[0]->reconverge = NULL;
	ck_assert(!edit_drop_unreached(f, roots));
	ck_assert(ir_verify(m, &diag));
	edit_close(&e);
	arena_free(&a);
}
END_TEST

/* Asserts that the function's blocks have these labels, in this order, and the numbers of it. */
static void assert_order(const Function *f, const char *labels)
{
	Arena a = { 0 };
	const char *s = "";
	for (int b = 0; b < f->block.n; b++) {
		ck_assert_int_eq(f->block.v[b]->id, b);
		s = arena_printf(&a, "%s%s ", s, f->block.v[b]->label);
	}
	ck_assert_str_eq(s, labels);
	arena_free(&a);
}

static Block *new_at(Edit *e, BlockSpot s, const char *label)
{
	Block *b = edit_block(e, s, label, "");
	edit_ins(e, b, NULL, OP_EXIT, T_NONE, 0, 0);
	return b;
}

START_TEST(spots)
{
	read_module(loop);
	Function *f = m->func.v[0];
	Edit e = edit_open(m, f, 0);
	Block *entry = f->block.v[0], *h = f->block.v[1], *x = f->block.v[2];
	new_at(&e, spot_behind(h), "b1");
	Block *b2 = new_at(&e, spot_behind(h), "b2");
	new_at(&e, spot_next(h), "n");
	new_at(&e, spot_behind(b2), "b2_1");
	new_at(&e, spot_behind(h), "b3");
	new_at(&e, spot_before(h), "a1");
	new_at(&e, spot_before(h), "a2");
	new_at(&e, spot_last(), "z");
	assert_order(f, "E H X b1 b2 n b2_1 b3 a1 a2 z "); /* nothing moves until the end */
	ck_assert_str_eq(edit_before(&e, h)->label, "a2");
	ck_assert_ptr_null(edit_before(&e, entry));
	ck_assert_ptr_eq(edit_first(&e), entry);
	ck_assert_str_eq(edit_last(&e)->label, "z");
	edit_settle(&e);
	assert_order(f, "E a1 a2 H n b1 b2 b2_1 b3 X z ");
	/* what was put behind the block before is forgotten; what is cut off a block stands right behind it,
	   in front of what is on its edges */
	new_at(&e, spot_behind(h), "c");
	edit_split_edge(&e, h, x, "_edge");
	edit_split_block(&e, h, 1, "_rest");
	new_at(&e, spot_behind(h), "d");
	new_at(&e, spot_first(), "first");
	edit_drop(&e, b2);
	edit_move(&e, f->block.v[1], spot_behind(x));
	edit_settle(&e);
	assert_order(f, "first E a2 H H_rest c H_edge d n b1 b2_1 b3 X a1 z ");
	uint64_t stamp = f->graph_stamp;
	ck_assert_str_eq(edit_before(&e, h)->label, "a2");
	edit_close(&e);
	ck_assert_uint_eq(f->graph_stamp, stamp);
	ck_assert(ir_verify(m, &diag));
}
END_TEST

START_TEST(rewriting)
{
	read_module(loop);
	Function *f = m->func.v[0];
	Edit e = edit_open(m, f, 0);
	Rewrite w;
	uint64_t graph = f->graph_stamp, code = f->code_stamp;
	for (const Ins *i = edit_rewrite(&w, &e, f->block.v[1]); i; i = edit_next(&w))
		edit_put(&w, edit_copy(&e, i)); /* equal ones: nothing has changed */
	ck_assert(f->code_stamp == code);
	for (const Ins *i = edit_rewrite(&w, &e, f->block.v[1]); i; i = edit_next(&w)) {
		if (i->op == OP_ADD)
			edit_put(&w, edit_copy(&e, i));
		edit_put(&w, *i);
	}
	ck_assert(f->code_stamp > code && f->graph_stamp == graph);
	ck_assert_int_eq(f->block.v[1]->ins.n, 4);
	edit_close(&e);
}
END_TEST

/* Fresh names are found at once however many there are of a kind, and never twice. */
START_TEST(fresh_names)
{
	read_module("kernel k() { reg u32 %x2\n E: exit }\n");
	Function *f = m->func.v[0];
	Edit e = edit_open(m, f, 0);
	ck_assert_str_eq(f->reg.v[edit_reg(&e, "x", T_U32)].name, "%x1");
	ck_assert_str_eq(f->reg.v[edit_reg(&e, "x", T_U32)].name, "%x3");
	ck_assert_str_eq(edit_block(&e, spot_last(), "E", "")->label, "E2");
	ck_assert_str_eq(edit_block(&e, spot_last(), "E", "2")->label, "E22");
	for (int k = 0; k < 50000; k++) {
		edit_reg(&e, "x", T_U32);
		edit_block(&e, spot_last(), "E", "_guard");
	}
	ck_assert_str_eq(vec_last(&f->reg).name, "%x50003");
	ck_assert_str_eq(vec_last(&f->block)->label, "E_guard50000");
	edit_close(&e);
}
END_TEST

/* Unions of marks into one list, on either side, copy the shorter one: n of them make no n * n marks, and
   none is lost. */
START_TEST(many_marks)
{
	enum { N = 50000 };
	read_module(loop);
	Function *f = m->func.v[0];
	int before = f->mark.n, list = 0, n = 0, seen[3] = { 0 };
	for (int k = 0; k < N; k++) {
		int one = function_mark(f, (Mark){ .kind = MARK_BEGINS, .source = k % 3 });
		list = k / 100 % 2 ? function_marks(f, one, list) : function_marks(f, list, one);
	}
	for (int k = list; k; k = f->mark.v[k].next, n++)
		seen[f->mark.v[k].source]++;
	ck_assert_int_eq(n, N);
	ck_assert(seen[0] == (N + 2) / 3 && seen[1] == (N + 1) / 3 && seen[2] == N / 3);
	ck_assert_int_lt(f->mark.n - before, 3 * N);
}
END_TEST

static void prints(const char *line)
{
	StrBuf out = { 0 };
	ck_assert_msg(ir_verify(m, &diag), "%s", diag_first(&diag));
	ir_print_function(m, m->func.v[0], &out);
	for (char *at; (at = strstr(out.s, " !loc"));) { /* places do not matter here */
		char *end = at + 5 + strcspn(at + 5, " ") + 1;
		end += strcspn(end, " \n");
		memmove(at, end, strlen(end) + 1);
	}
	ck_assert_msg(strstr(out.s, line) != NULL, "no %s in:\n%s", line, out.s);
	sb_free(&out);
}

/* What marks say holds for some lanes: predicates add up, each stands once, and with its opposite no lane is
   left. */
START_TEST(marks_for_some)
{
	read_module("kernel k() { reg pred %p, %q, %r\nsource A, B, C\nA: !marked\n"
		"nop !begins A !begins B for !%q !decides C by %r for %p\n"
		"bra %r, X, X !begins C !decides B for %q\nX: exit }\n");
	Function *f = m->func.v[0];
	Edit e = edit_open(m, f, 0);
	Block *a = f->block.v[0];
	uint64_t code = f->code_stamp;
	edit_mark_lanes(&e, &a->ins.v[0], (Opd){ OPD_REG, 0, 0, 0 });
	ck_assert(f->code_stamp > code);
	prints("nop !begins A for %p !begins B for %p, !%q !decides C by %r for %p\n");
	edit_mark_lanes(&e, &a->ins.v[0], (Opd){ OPD_REG, 0, 1, 0 });
	prints("nop !begins A for %q, %p !decides C by %r for %q, %p\n");
	edit_mark_lanes(&e, &a->ins.v[1], (Opd){ OPD_REG, 1, 0, 0 });
	prints("bra %r, X, X !begins C for !%p !decides B for !%p, %q\n");
	edit_mark_also(&e, &a->ins.v[1], &a->ins.v[0]);
	prints("bra %r, X, X !begins C for !%p !decides B for !%p, %q !begins A for %q, %p !decides C by %r "
		"for %q, %p\n");
	edit_close(&e);
}
END_TEST

/* A branch that goes leaves its condition behind as what its marks decide by; one that takes its place and
   goes by the same in the same sense needs none. What is known beforehand is a number. */
START_TEST(marks_decide)
{
	read_module("kernel k() { reg pred %p, %q\nreg u32 %a\nA: bra !%p, B, X\nB: bra %p, X, C\n"
		"C: brx %a, [X, X]\nX: exit }\n");
	Function *f = m->func.v[0];
	Edit e = edit_open(m, f, 0);
	for (int k = 0; k < 3; k++) {
		Block *b = f->block.v[k], *yes = b->succ[0], *no = b->succ[1];
		Ins term = edit_cut_term(&e, b);
		if (k < 2)
			edit_branch(&e, b, &term, ins_src(&term, 0)->id, yes, no);
		else
			edit_jump(&e, b, &term, yes);
	}
	prints("bra %p, B, X !begins A !decides A by !%p\n");
	prints("bra %p, X, C\nC:\n\tbra X !decides C by 1\n");
	edit_fold(&e, f->block.v[0], f->block.v[1]);
	edit_fold(&e, f->block.v[1], f->block.v[2]);
	prints("bra B !decides A by 0\n"); /* it goes there for %p */
	prints("bra C !decides B by 0\n");
	edit_close(&e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("effects");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, each_instruction);
	tcase_add_test(t, carry_is_live);
	tcase_add_test(t, building);
	tcase_add_test(t, spots);
	tcase_add_test(t, rewriting);
	tcase_add_test(t, fresh_names);
	tcase_add_test(t, many_marks);
	tcase_add_test(t, marks_for_some);
	tcase_add_test(t, marks_decide);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
