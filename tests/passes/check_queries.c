/* Question propagation over random nests of loops over arrays: threads compute the same, the loads that go would have given what registers have (check), and on
 * every way a thread loads no more than before. COUNT and FIRST say how many kernels, and from which seed on. */
#include "isa/edit.h"
#include "lib/strbuf.h"
#include "tests/random.h"
#include "tests/random/differential.h"
#include <check.h>

enum { THREADS = 32, WORDS = 64, LOADS = 60, DEEPEST = 3 };

typedef struct Nest { uint64_t rng; StrBuf s; int label, depth, room; } Nest;

static int pick(Nest *t, int n) { return (int)(random_next(&t->rng) % (uint64_t)n); }

static void chance(Nest *t)
{
	sb_puts(&t->s, "\t%x = mad.lo.u32 %x, 1664525, 1013904223\n\t%r = shr.u32 %x, 24\n");
	sb_printf(&t->s, "\t%%c = setp.lt.u32 %%r, %d\n", 40 + pick(t, 180));
}

static void load(Nest *t)
{
	int k = pick(t, t->depth + 1), at = 4 * pick(t, 6);
	if (pick(t, 4)) {
		sb_printf(&t->s, "\t%%v = ld.global.u32 [%%p%d+%d]\n", k, at);
	} else {               /* by an index of 32 bits */
		sb_printf(&t->s, "\t%%j = add.u32 %%i%d, %d\n\t%%w = mul.wide.u32 %%j, 4\n\t%%w = add.u64 %%p0, %%w\n\t%%v = ld.global.u32 [%%w]\n", k, at / 4);
	}
	sb_puts(&t->s, "\t%y = mad.lo.u32 %y, 31, %v\n");
}

static void sequence(Nest *);

static void branch(Nest *t)
{
	int yes = t->label++, no = t->label++, on = t->label++;
	chance(t);
	sb_printf(&t->s, "\tbra %%c, L%d, L%d\nL%d:\n", yes, pick(t, 2) ? no : on, yes);
	sequence(t);
	sb_printf(&t->s, "\tbra L%d\nL%d:\n", on, no);
	sequence(t);
	sb_printf(&t->s, "\tbra L%d\nL%d:\n", on, on);
}

static void loop(Nest *t)
{
	int head = t->label++, out = t->label++, from = pick(t, t->depth + 1), d = ++t->depth;
	sb_printf(&t->s, "\t%%p%d = mov.u64 %%p%d\n\t%%i%d = mov.u32 0\n\tbra L%d\nL%d:\n", d, from, d, head, head);
	sequence(t);
	if (!pick(t, 3)) {     /* another way out */
		int on = t->label++;
		chance(t);
		sb_printf(&t->s, "\tbra %%c, L%d, L%d\nL%d:\n", on, out, on);
	}
	sb_printf(&t->s, "\t%%p%d = add.u64 %%p%d, 4\n\t%%i%d = add.u32 %%i%d, 1\n", d, d, d, d);
	if (pick(t, 2))
		sequence(t);
	chance(t);
	sb_printf(&t->s, "\t%%c = setp.lt.and.u32 %%i%d, 4, %%c\n\tbra %%c, L%d, L%d\nL%d:\n", d, head, out, out);
	t->depth--;
}

static void sequence(Nest *t)
{
	for (int n = 1 + pick(t, 4); n-- && t->room-- > 0;)
		switch (pick(t, 10)) {
		case 0: branch(t); break;
		case 1: case 2:
			if (t->depth < DEEPEST - 1)
				loop(t);
			break;
		case 3: sb_printf(&t->s, "\tst.global.u32 [%%p%d+%d], %%y\n", pick(t, t->depth + 1), pick(t, 2) ? 4 * pick(t, 6) : 120 + 4 * pick(t, 6)); break;
		default: load(t);
		}
}

static char *random_nest(uint64_t seed)
{
	Nest t = { .rng = seed * 7919 + 1, .room = 40 };
	sb_puts(&t.s, "kernel k(u64 in, u64 out, u64 acc, u32 n)\n{\n\treg u32 %l, %x, %r, %v, %y, %j, %loads, %i0, %i1, %i2, %i3\n\treg u64 %a, %w, %p0, %p1, %p2, %p3\n\treg pred %c\n");
	sb_printf(&t.s, "E:\n\t%%l = mov.u32 %%tid.x\n\t%%w = mul.wide.u32 %%l, %d\n\t%%a = ld.param.u64 [out]\n\t%%a = add.u64 %%a, %%w\n\t%%loads = mov.u32 0\n", WORDS * 4);
	sb_printf(&t.s, "\t%%x = mad.lo.u32 %%l, 2654435, %d\n\t%%y = mov.u32 1\n\t%%p0 = mov.u64 %%a\n\t%%i0 = mov.u32 0\n", (int)(seed % 100000));
	for (int k = 0; k < 16; k++)
		sb_printf(&t.s, "\t%%x = mad.lo.u32 %%x, 1664525, 1013904223\n\tst.global.u32 [%%a+%d], %%x\n", 4 * k);
	for (int k = 0; k < 3; k++)
		loop(&t), sequence(&t);
	sb_printf(&t.s, "\tst.global.u32 [%%a+%d], %%y\n\tst.global.u32 [%%a+%d], %%loads\n\texit\n}\n", 4 * LOADS + 4, 4 * LOADS);
	return t.s.s;
}

static Module *read_text(const char *text)
{
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "nest.ir", &d);
	ck_assert_msg(m != NULL, "%s\n%s", d.item.n ? d.item.v[0].text : "", text);
	diag_free(&d);
	return m;
}

/* Every load of global memory is counted in a register. */
static Module *counting(const Module *m)
{
	Module *x = module_copy(m);
	Function *f = x->func.v[0];
	Edit e = edit_open(x, f, 0);
	int loads = function_find_reg(f, "%loads");
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op != OP_LD || i->space != SP_GLOBAL)
				continue;
			Ins add = edit_new(&e, i, OP_ADD, T_U32, 1, 2);
			add.opd[0] = add.opd[1] = opd_reg(loads);
			add.opd[2] = opd_imm(1);
			edit_insert(&e, f->block.v[b], k++, add);
		}
	edit_close(&e);
	return x;
}

typedef struct Law { const char *pipeline; bool counted; } Law;
static const Law law[] = { { "srqp", true }, { "srqp(shifts=6)", true }, { "srqp(check=1)", false }, { "srqp(check=1,shifts=8)", false }, { "esrqp(check=1)", false },
	{ "esrqp(cdrnd-strict=1)", false }, { "srqp,copy-prop,dce,srqp", true }, { "unroll,srqp(check=1),simplify-cfg", false },
	{ "ssrqp", false }, { "ssrqp(nonfaulting=1)", false }, { "ssrqp(nonfaulting=1,check=1)", false }, { "ssrqp-s(nonfaulting=1,check=1,shifts=6)", false } };
enum { LAWS = sizeof law / sizeof *law };

typedef struct Seen { int64_t before[LAWS], after[LAWS]; int changed[LAWS], more; } Seen;

static uint32_t word(const Outcome *o, int thread, int k)
{
	uint32_t v;
	memcpy(&v, o->out + (thread * WORDS + k) * 4, sizeof v);
	return v;
}

static void compare(const Outcome *want, const Outcome *got, int l, uint64_t seed, Seen *seen)
{
	for (int t = 0; t < THREADS; t++) {
		for (int k = 0; k < WORDS; k++)
			ck_assert_msg(k == LOADS || word(want, t, k) == word(got, t, k), "seed %d: %s: thread %d, word %d differs", (int)seed, law[l].pipeline, t, k);
		uint32_t a = word(want, t, LOADS), b = word(got, t, LOADS);
		seen->before[l] += a;
		seen->after[l] += b;
		ck_assert_msg(!law[l].counted || b <= a, "seed %d: %s: thread %d loads %u times for %u", (int)seed, law[l].pipeline, t, b, a);
	}
}

static void try_nest(uint64_t seed, Seen *seen)
{
	char *text = random_nest(seed), why[1700] = "";
	RandomKernel shape = { .module = read_text(text), .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .threads = THREADS, .out_bytes = THREADS * WORDS * 4 };
	shape.kernel = shape.module->func.v[0];
	Job job = { .shape = &shape, .module = counting(shape.module), .grid = { 1, 1, 1 } };
	Outcome want, got;
	outcome_reference(&job, 32, &want);
	ck_assert_msg(want.how == RAN_WELL, "seed %d: %s\n%s", (int)seed, want.text, text);
	module_free((Module *)job.module);
	for (int l = 0; l < LAWS; l++) {
		Module *after = transformed(shape.module, law[l].pipeline, why, sizeof why);
		ck_assert_msg(after != NULL, "seed %d: %s: %s", (int)seed, law[l].pipeline, why);
		seen->changed[l] += !module_equal(after, shape.module);
		Module *counted = counting(after);
		job.module = counted;
		outcome_reference(&job, 32, &got);
		ck_assert_msg(got.how == RAN_WELL, "seed %d: %s: %s", (int)seed, law[l].pipeline, got.text);
		compare(&want, &got, l, seed, seen);
		outcome_free(&got);
		module_free(counted);
		module_free(after);
	}
	outcome_free(&want);
	module_free(shape.module);
	free(text);
}

START_TEST(nests_load_the_same)
{
	int n = getenv("COUNT") ? atoi(getenv("COUNT")) : 150, first = getenv("FIRST") ? atoi(getenv("FIRST")) : 1;
	Seen seen = { 0 };
	for (int i = 0; i < n; i++)
		try_nest((uint64_t)(first + i), &seen);
	for (int l = 0; l < LAWS && getenv("VERBOSE"); l++)
		fprintf(stderr, "%s: %d of %d changed, %.1f %% of loads left\n", law[l].pipeline, seen.changed[l], n, 100.0 * (double)seen.after[l] / (double)seen.before[l]);
	ck_assert_int_gt(seen.changed[0], n / 4);
	ck_assert(seen.after[0] < seen.before[0]);
}
END_TEST

/* An insertion once stood before a load that stayed. */
START_TEST(seeds_of_old)
{
	Seen seen = { 0 };
	try_nest(1507, &seen);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("queries");
	TCase *t = tcase_create("all");
	tcase_set_timeout(t, 100000);
	tcase_add_test(t, nests_load_the_same);
	tcase_add_test(t, seeds_of_old);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
