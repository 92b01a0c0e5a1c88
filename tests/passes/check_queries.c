/* Question propagation over random nests of loops over arrays: threads compute the same, the loads and
 * operations that go would have given what registers have (check), and on every way a thread loads, or
 * computes, no more than before. COUNT and FIRST say how many kernels, and from which seed on. */
#include "isa/edit.h"
#include "passes/analysis/pressure.h"
#include "tests/passes/random_loads.h"
#include "tests/random/differential.h"
#include "tests/check.h"

static Module *read_text(const char *text)
{
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "nest.ir", &d);
	ck_assert_msg(m != NULL, "%s\n%s", d.item.n ? d.item.v[0].text : "", text);
	diag_free(&d);
	return m;
}

typedef enum { NOTHING, LOADS, OPERATIONS } Counted;               /* OPERATIONS: but for moves; loads, too */

/* Every load of global memory, or every operation, is counted in a register. */
static Module *counting(const Module *m, Counted what)
{
	Module *x = module_copy(m);
	Function *f = x->func.v[0];
	Edit e = edit_open(x, f, 0);
	int loads = function_find_reg(f, "%loads");
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			bool operation = what == OPERATIONS && op_info[i->op].kind == K_ALU &&
				i->op != OP_MOV;
			if (!operation && (i->op != OP_LD || i->space != SP_GLOBAL))
				continue;
			Ins add = edit_new(&e, i, OP_ADD, T_U32, 1, 2);
			add.opd[0] = add.opd[1] = opd_reg(loads);
			add.opd[2] = opd_imm(1);
			edit_insert(&e, f->block.v[b], k++, add);
		}
	edit_close(&e);
	return x;
}

typedef struct Law { const char *pipeline; Counted counted; } Law;
static const Law law[] = { { "srqp", LOADS }, { "srqp(shifts=6)", LOADS }, { "srqp(check=1)", NOTHING },
	{ "srqp(check=1,shifts=8)", NOTHING }, { "esrqp(check=1)", NOTHING },
	{ "esrqp(cdrnd-strict=1)", NOTHING }, { "srqp,copy-prop,dce,srqp", LOADS },
	{ "unroll,srqp(check=1),simplify-cfg", NOTHING },
	{ "ssrqp", NOTHING }, { "ssrqp(nonfaulting=1)", NOTHING },
	{ "ssrqp(nonfaulting=1,check=1)", NOTHING }, { "ssrqp-s(nonfaulting=1,check=1,shifts=6)", NOTHING },
	{ "preqp", OPERATIONS }, { "preqp(shifts=5),copy-prop,dce,preqp", OPERATIONS },
	{ "preqp(check=1)", NOTHING }, { "srqp,preqp,copy-prop,dce,ssrqp", NOTHING },
	{ "srqp(max-pressure=9)", LOADS }, { "ssrqp(nonfaulting=1,max-pressure=10,check=1)", NOTHING },
	{ "srqp(assume-no-wrap=1)", LOADS }, { "ssrqp(assume-no-wrap=1,nonfaulting=1,check=1)", NOTHING } };
enum { LAWS = sizeof law / sizeof *law };

typedef struct Seen { int64_t before[LAWS], after[LAWS]; int changed[LAWS], more; } Seen;

static uint32_t word(const Outcome *o, int thread, int k)
{
	uint32_t v;
	memcpy(&v, o->out + (thread * RL_WORDS + k) * 4, sizeof v);
	return v;
}

static void compare(const Outcome *want, const Outcome *got, int l, uint64_t seed, Seen *seen)
{
	for (int t = 0; t < RL_THREADS; t++) {
		for (int k = 0; k < RL_WORDS; k++)
			ck_assert_msg(k == RL_LOADS || word(want, t, k) == word(got, t, k),
				"seed %d: %s: thread %d, word %d differs", (int)seed, law[l].pipeline, t, k);
		uint32_t a = word(want, t, RL_LOADS), b = word(got, t, RL_LOADS);
		seen->before[l] += a;
		seen->after[l] += b;
		ck_assert_msg(!law[l].counted || b <= a, "seed %d: %s: thread %d has %u for %u", (int)seed,
			law[l].pipeline, t, b, a);
	}
}

static void try_nest(uint64_t seed, Seen *seen)
{
	char *text = random_loads(seed, false), why[1700] = "";
	RandomKernel shape = { .module = read_text(text), .grid = { 1, 1, 1 }, .block = { RL_THREADS, 1, 1 },
		.threads = RL_THREADS, .out_bytes = RL_THREADS * RL_WORDS * 4 };
	shape.kernel = shape.module->func.v[0];
	Job job = { .shape = &shape, .grid = { 1, 1, 1 } };
	Outcome want[OPERATIONS + 1], got;
	for (Counted c = LOADS; c <= OPERATIONS; c++) {
		Module *counted = counting(shape.module, c);
		job.module = counted;
		outcome_reference(&job, 32, &want[c]);
		ck_assert_msg(want[c].how == RAN_WELL, "seed %d: %s\n%s", (int)seed, want[c].text, text);
		module_free(counted);
	}
	for (int l = 0; l < LAWS; l++) {
		Module *after = transformed(shape.module, law[l].pipeline, why, sizeof why);
		ck_assert_msg(after != NULL, "seed %d: %s: %s", (int)seed, law[l].pipeline, why);
		seen->changed[l] += !module_equal(after, shape.module);
		Counted what = law[l].counted ? law[l].counted : LOADS;
		Module *counted = counting(after, what);
		job.module = counted;
		outcome_reference(&job, 32, &got);
		ck_assert_msg(got.how == RAN_WELL, "seed %d: %s: %s", (int)seed, law[l].pipeline, got.text);
		compare(&want[what], &got, l, seed, seen);
		outcome_free(&got);
		module_free(counted);
		module_free(after);
	}
	outcome_free(&want[LOADS]);
	outcome_free(&want[OPERATIONS]);
	module_free(shape.module);
	free(text);
}

/* As many registers as asked for, or as before. */
static void try_pressure(uint64_t seed, int64_t *less)
{
	static const char *const pipeline[] = { "srqp(max-pressure=%d)",
		"ssrqp(nonfaulting=1,max-pressure=%d)", "preqp(max-pressure=%d)" };
	char *text = random_loads(seed, false), why[1700] = "";
	Module *m = read_text(text);
	int before = pressure_max(m->func.v[0]), limit = seed & 1 ? 1 : before + 2;
	for (int l = 0; l < 3; l++) {
		char some[64], all[64];
		snprintf(some, sizeof some, pipeline[l], limit);
		snprintf(all, sizeof all, pipeline[l], 1000);
		Module *held = transformed(m, some, why, sizeof why),
			*free_ = transformed(m, all, why, sizeof why);
		ck_assert_msg(held && free_, "seed %d: %s", (int)seed, why);
		int with = pressure_max(held->func.v[0]), without = pressure_max(free_->func.v[0]);
		ck_assert_msg(with <= (limit > before ? limit : before),
			"seed %d: %s: %d registers, %d before", (int)seed, some, with, before);
		*less += without - with;
		module_free(held);
		module_free(free_);
	}
	module_free(m);
	free(text);
}

START_TEST(registers_hold)
{
	int64_t less = 0;
	for (int seed = 1; seed <= (getenv("COUNT") ? atoi(getenv("COUNT")) : 40); seed++)
		try_pressure((uint64_t)seed, &less);
	ck_assert_int_gt(less, 0);
}
END_TEST

START_TEST(nests_load_the_same)
{
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 100,
		first = getenv("FIRST") ? atoi(getenv("FIRST")) : 1;
	Seen seen = { 0 };
	for (int i = 0; i < n; i++)
		try_nest((uint64_t)(first + i), &seen);
	for (int l = 0; l < LAWS && getenv("VERBOSE"); l++)
		fprintf(stderr, "%s: %d of %d changed, %.1f %% left\n", law[l].pipeline, seen.changed[l], n,
			100.0 * (double)seen.after[l] / (double)seen.before[l]);
	ck_assert_int_gt(seen.changed[0], n / 4);
	ck_assert(seen.after[0] < seen.before[0]);
	ck_assert(seen.after[12] < seen.before[12]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("queries");
	TCase *t = tcase_create("all");
	tcase_add_test(t, nests_load_the_same);
	tcase_add_test(t, registers_hold);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
