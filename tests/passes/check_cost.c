/* Costs of instructions, and profiles from reports. */
#include "passes/analysis/clock.h"
#include "tests/random.h"
#include "tests/check.h"

START_TEST(costs)
{
	Module *m = module_new("test");
	Ins add = ins_make(m, OP_ADD, T_U32, 1, 2), fma = ins_make(m, OP_FMA, T_F64, 1, 3),
		ld = ins_make(m, OP_LD, T_U32, 1, 1), st = ins_make(m, OP_ST, T_U32, 0, 2);
	CostTable t = cost_default;
	ck_assert_int_eq(cost_latency(NULL, &add), 4);
	ck_assert_int_eq(cost_latency(NULL, &fma), 8);
	ck_assert_int_eq(cost_interval(NULL, &fma), 4);
	ld.space = SP_SHARED;
	st.space = SP_GLOBAL;
	ck_assert_int_eq(cost_latency(NULL, &ld), cost_default.memory[SP_SHARED]);
	ck_assert_int_eq(cost_latency(NULL, &st), 1); /* nobody waits for a store */
	t.memory[SP_SHARED] = 30;
	t.op[OP_ADD] = 6;
	ck_assert_int_eq(cost_latency(&t, &ld), 30);
	ck_assert_int_eq(cost_latency(&t, &add), 6);
	Function *f = function_new(m, FN_KERNEL, "k");
	Block *b = function_block(m, f, "A");
	vec_push(&b->ins, add);
	vec_push(&b->ins, ld);
	ck_assert_int_eq(cost_block(&t, b), 36);
	module_free(m);
}
END_TEST

/* A loop in a loop, each of LOOP_TURNS turns; a store counts as a load of its space. */
START_TEST(functions)
{
	static const char text[] = "kernel k(u64 out) {\nreg u32 %t\nreg pred %c\nA: %t = mov.u32 %tid.x\n"
		"bra B\nB: %t = ld.shared.u32 [%t]\nbra C\n"
		"C: st.shared.u32 [%t], %t\n%c = setp.eq.u32 %t, 1\nbra %c, C, D\nD: bra %c, B, E\nE: exit\n"
		"}\n";
	const int ALU = cost_default.unit[UNIT_ALU].latency, CTL = 1, SHARED = cost_default.memory[SP_SHARED],
		N = LOOP_TURNS;
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "k.ir", &d);
	ck_assert_ptr_nonnull(m);
	ck_assert_int_eq(cost_function(NULL, m->func.v[0]),
		ALU + CTL + N * (SHARED + CTL) + N * N * (SHARED + ALU + CTL) + N * CTL + CTL);
	module_free(m);
	diag_free(&d);
}
END_TEST

/* By units: of four schedulers that share the memory pipe each has a quarter of it; floats and
   multiplications take the same copies. */
START_TEST(loads)
{
	Module *m = module_new("test");
	Ins add = ins_make(m, OP_ADD, T_U32, 1, 2), fadd = ins_make(m, OP_ADD, T_F32, 1, 2),
		mul = ins_make(m, OP_MUL, T_U32, 1, 2), ld = ins_make(m, OP_LD, T_U32, 1, 1);
	Load l = { { 0 } };
	load_add(&l, NULL, &add, 10);
	ck_assert_double_eq(load_bound(&l), 20);
	load_add(&l, NULL, &fadd, 7);
	ck_assert_double_eq(load_bound(&l), 20);
	load_add(&l, NULL, &mul, 5);
	ck_assert_double_eq(load_bound(&l), 24);
	load_add(&l, NULL, &ld, 8);
	ck_assert_double_eq(load_bound(&l), 32);
	CostTable t = cost_default;
	t.unit[UNIT_MEM].count = 2;
	t.width = 2;
	Load half = { { 0 } };
	load_add(&half, &t, &ld, 8);
	ck_assert_double_eq(load_bound(&half), 16);
	ck_assert_double_eq(half.cycles[UNIT_COUNT], 4);
	module_free(m);
}
END_TEST

/* ---- the time of a warp alone ---- */

enum { REGS = 6, LONGEST = 12 };

static Ins random_ins(Module *m, uint64_t *rng)
{
	static const Op ops[] = { OP_ADD, OP_MUL, OP_LD, OP_ST, OP_RCP };
	Op op = ops[random_next(rng) % 5];
	bool store = op == OP_ST;
	Ins i = ins_make(m, op, op == OP_RCP ? T_F32 : T_U32, !store, op == OP_LD || op == OP_RCP ? 1 : 2);
	i.space = random_next(rng) % 2 ? SP_SHARED : SP_GLOBAL;
	for (int k = 0; k < i.ndst + i.nsrc; k++)
		i.opd[k] = opd_reg((int)(random_next(rng) % REGS));
	return i;
}

/* Cycle by cycle: the next instruction is issued when nothing that it names is on its way. Returns when all
   is there. */
static int64_t by_cycles(const Ins *i, int n, int64_t *issued)
{
	int64_t ready[REGS] = { 0 }, now = 0, free = 0, done = 0;
	for (int k = 0; k < n; now++) {
		bool can = now >= free;
		for (int o = 0; o < i[k].ndst + i[k].nsrc; o++)
			can &= now >= ready[i[k].opd[o].id];
		if (!can)
			continue;
		free = now + cost_interval(NULL, &i[k]);
		if (i[k].ndst)
			ready[i[k].opd[0].id] = now + cost_latency(NULL, &i[k]);
		k++;
	}
	for (int r = 0; r < REGS; r++)
		done = ready[r] > done ? ready[r] : done;
	*issued = free;
	return done > free ? done : free;
}

/* Instruction by instruction, and as turns of a loop, whose second turn is taken for all behind it; never too
   early in spans of any length. */
START_TEST(clocks)
{
	uint64_t rng = 7;
	for (int round = 0; round < 400; round++) {
		Arena a = { 0 };
		Module *m = module_new("test");
		Function *f = function_new(m, FN_KERNEL, "k");
		for (int r = 0; r < REGS; r++)
			function_reg(m, f, NULL, T_U32);
		Clock *c = clock_new(f, NULL);
		Ins turn[LONGEST], all[8 * LONGEST];
		Span span[LONGEST], part[LONGEST];
		int n = 1 + (int)(random_next(&rng) % LONGEST), parts = 0;
		int64_t at[4], done[4];
		for (int k = 0; k < n; k++)
			turn[k] = random_ins(m, &rng);
		clock_reset(c);
		for (int k = 0; k < n; k++) {
			Span s = clock_ins(c, &turn[k], NULL);
			span[k] = span_copy(&a, &s);
			clock_add(c, &span[k]);
			if (k + 1 == n || random_next(&rng) % 3 == 0) {
				part[parts++] = clock_span(c, &a);
				clock_reset(c);
			}
		}
		for (int k = 0; k < 8 * n; k++)
			all[k] = turn[k % n];
		for (int turns = 1; turns < 4; turns++)
			done[turns] = by_cycles(all, turns * n, &at[turns]);
		clock_reset(c);
		for (int k = 0; k < parts; k++)
			clock_add(c, &part[k]);
		ck_assert_int_ge(clock_now(c), at[1]);
		ck_assert_int_ge(clock_done(c), done[1]);
		clock_reset(c);
		for (int k = 0; k < n; k++)
			clock_add(c, &span[k]);
		ck_assert_int_eq(clock_now(c), at[1]);
		ck_assert_int_eq(clock_done(c), done[1]);
		for (int turns = 2; turns < 9; turns += 6) {
			Span s = clock_turns(c, &a, span, n, turns);
			clock_reset(c);
			clock_add(c, &s);
			ck_assert_int_eq(clock_now(c), at[2] + (turns - 2) * (at[2] - at[1]));
			ck_assert_int_eq(clock_done(c), done[2] + (turns - 2) * (at[2] - at[1]));
		}
		clock_free(c);
		module_free(m);
		arena_free(&a);
	}
}
END_TEST

/* A guard and a branch have a predicate later than a selp has it. */
START_TEST(guards)
{
	static const char text[] = "kernel k(u64 out) {\nreg u32 %a, %b\nreg pred %p\n"
		"A: %p = setp.eq.u32 %a, 1\n%b = selp.u32 1, 2, %p\n@%p %b = mov.u32 3\nbra %p, B, C\n"
		"B: exit\nC: exit\n}\n";
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "k.ir", &d);
	ck_assert_ptr_nonnull(m);
	const Function *f = m->func.v[0];
	const Ins *i = f->block.v[0]->ins.v;
	int64_t compare = cost_latency(NULL, i), guard = cost_guard_latency(NULL, i);
	ck_assert_int_gt(guard, compare);
	for (int k = 1; k < 4; k++) {
		Clock *c = clock_new(f, NULL);
		Span s = clock_ins(c, i, NULL);
		clock_add(c, &s);
		s = clock_ins(c, i + k, NULL);
		ck_assert_int_eq(clock_now(c) + clock_wait(c, &s), k == 1 ? compare : guard);
		clock_free(c);
	}
	module_free(m);
	diag_free(&d);
}
END_TEST

START_TEST(profiles)
{
	Arena a = { 0 };
	Diag d = { 0 };
	const char *text = "{\"launches\": [{\"blocks\": [{\"function\": \"k\", \"label\": \"B\", "
		"\"fetches\": 3, \"threads\": 70}]},"
		" {\"static\": {\"blocks\": 2}, \"blocks\": [{\"function\": \"k\", \"label\": \"A\", "
		"\"fetches\": 1, \"threads\": 32},"
		" {\"function\": \"k\", \"label\": \"B\", \"fetches\": 4, \"threads\": 8}]}],"
		" \"total\": {\"blocks\": [{\"function\": \"k\", \"label\": \"B\", \"fetches\": 7, "
		"\"threads\": 78},"
		/* launches are in the total already */
		" {\"function\": \"k\", \"label\": \"A\", \"fetches\": 1, \"threads\": 32}]}}";
	Profile *p = profile_read(&a, text, strlen(text), "r.json", &d);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(p->n, 2);
	ck_assert_uint_eq(profile_find(p, "k", "B")->fetches, 7);
	ck_assert_uint_eq(profile_find(p, "k", "B")->threads, 78);
	ck_assert_uint_eq(profile_find(p, "k", "A")->fetches, 1);
	ck_assert_ptr_null(profile_find(p, "k", "C"));
	ck_assert_ptr_null(profile_find(p, "j", "A"));
	ck_assert_ptr_null(profile_read(&a, "{\"x\": 1}", 8, "x.json", &d));
	ck_assert_int_eq(d.errors, 1);
	ck_assert_ptr_null(profile_read(&a, "{\"x\": ", 6, "x.json", &d));
	ck_assert_int_eq(d.errors, 2);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

/* Branches of launches are in the total; copies and places of one are one; those that passes made or took
   away are apart. */
START_TEST(profiles_branches)
{
	Arena a = { 0 };
	Diag d = { 0 };
#define ROW(FUNCTION, LABEL, MORE, EXECUTED, DIVERGENT, LANES, TAKEN) \
	"{\"kind\": \"branch\", \"function\": \"" FUNCTION "\", \"label\": \"" LABEL "\", " MORE \
	"\"executed\": " EXECUTED ", \"divergent\": " DIVERGENT ", \"lanes\": " LANES ", \"lanes_taken\": " \
	TAKEN "}"
	const char *text = "{\"before\": {\"model\": \"ipdom\", \"configuration\": {\"values\": "
	"{\"warp_size\": 64}}, \"total\": {\"branches\": ["
		ROW("k", "B", "\"file\": \"k.cu\", \"line\": 7, ", "3", "1", "70", "30") ", "
		ROW("f", "B", "\"file\": null, ", "18446744073709549568", "0", "1", "1") ", "
		ROW("k", "B", "\"line\": 8, ", "2", "2", "9", "0") ", "
		ROW("k", "B", "\"inserted\": true, ", "1", "0", "32", "32") ", "
		ROW("f", "B", "\"line\": -1, ", "4096", "0", "5", "0") "], \"blocks\": []}}, \"after\": {}}";
	Profile *p = profile_read(&a, text, strlen(text), "r.json", &d);
	ck_assert_msg(p != NULL, "%s", diag_first(&d));
	ck_assert(p->counts_branches);
	ck_assert_int_eq(p->warp_size, 64);
	ck_assert_int_eq(p->nbranch, 3);
	const ProfileBranch *b = profile_branch(p, "k", "B", PROFILE_BRANCH),
		*made = profile_branch(p, "k", "B", PROFILE_INSERTED),
		*f = profile_branch(p, "f", "B", PROFILE_BRANCH);
	ck_assert(b && made && f && !profile_branch(p, "k", "B", PROFILE_DECISION) &&
		!profile_branch(p, "k", "A", PROFILE_BRANCH));
	ck_assert_uint_eq(b->executed, 5);
	ck_assert_uint_eq(b->divergent, 3);
	ck_assert_uint_eq(b->lanes, 79);
	ck_assert_uint_eq(b->taken, 30);
	ck_assert_uint_eq(made->lanes, 32);
	ck_assert_uint_eq(f->executed, UINT64_MAX); /* as much as a count can say */
	ck_assert_int_eq(f->line, 0);
	arena_free(&a);
	diag_free(&d);
}
END_TEST

/* What no run writes is an error that says where it stands. */
START_TEST(profiles_refused)
{
	static const struct { const char *text, *error; } bad[] = {
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "-1", "0", "1", "1") "]}}",
			"total.branches[0].executed: expected a count, found -1" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "1e300", "0", "1", "1") "]}}",
			"total.branches[0].executed: expected a count, found 1e300" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "18446744073709551616", "0", "1", "1")
			"]}}", "total.branches[0].executed: expected a count, found 18446744073709551616" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "2.5", "0", "1", "1") "]}}",
			"total.branches[0].executed: expected a count, found 2.5" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "\"2\"", "0", "1", "1") "]}}",
			"total.branches[0].executed: expected a count, found 2" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "2", "true", "1", "1") "]}}",
			"total.branches[0].divergent: expected a count, found true" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "1", "2", "64", "1") "]}}",
			"2 of the executions divergent: no run counts so" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "1", "1", "32", "33") "]}}",
			"no run counts so" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "1", "1", "32", "3") ", {}]}}",
			"total.branches[1].function: expected a text, found nothing" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "", "1", "1", "32", "3") ", 5]}}",
			"total.branches[1].function: expected a text, found nothing" },
		{ "{\"total\": {\"branches\": [" ROW("k", "B", "\"file\": [], ", "1", "1", "32", "3") "]}}",
			"total.branches[0].file: expected a text, found a list" },
		{ "{\"total\": {\"branches\": {}, \"blocks\": [{\"function\": \"k\", \"label\": \"A\", "
			"\"fetches\": 1, \"threads\": 32}]}}", "total.branches: expected a list" },
		{ "{\"total\": {\"blocks\": 7}}", "total.blocks: expected a list" },
		{ "{\"total\": {\"blocks\": [{\"function\": \"k\", \"label\": \"A\", \"fetches\": {}, "
			"\"threads\": 32}]}}", "total.blocks[0].fetches: expected a count, found an object" },
		{ "{\"host_blocks\": [{\"function\": \"main\", \"label\": \"A\"}]}",
			"host_blocks[0].executed: expected a count, found nothing" },
		{ "{\"runs\": []}", "this is a report of several runs" },
		{ "{\"before\": 3, \"after\": 4}", "expected a report of one run" },
		{ "[]", "expected a report of one run" },
	};
	Arena a = { 0 };
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		Diag d = { 0 };
		ck_assert_msg(!profile_read(&a, bad[k].text, strlen(bad[k].text), "r.json", &d), "taken: %s",
			bad[k].text);
		ck_assert_msg(diag_first(&d) && strstr(diag_first(&d), bad[k].error),
			"%s\nis refused with: %s", bad[k].text, diag_first(&d));
		diag_free(&d);
	}
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cost");
	TCase *t = tcase_create("all");
	tcase_add_test(t, costs);
	tcase_add_test(t, functions);
	tcase_add_test(t, loads);
	tcase_add_test(t, clocks);
	tcase_add_test(t, guards);
	tcase_add_test(t, profiles);
	tcase_add_test(t, profiles_branches);
	tcase_add_test(t, profiles_refused);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
