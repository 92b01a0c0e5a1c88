/* The generator of random kernels: what it makes is valid, repeatable and varied. */
#include "isa/lane.h"
#include "isa/mnemonic.h"
#include "tests/random/random_kernel.h"
#include "tests/check.h"
#include <stdlib.h>

static void print_diag(const Diag *d, const RandomKernel *k)
{
	StrBuf text = { 0 };
	ir_print(k->module, &text);
	diag_print(d, stderr);
	fputs(text.s, stderr);
	sb_free(&text);
}

START_TEST(operations_have_lane_functions)
{
	const char *name;
	int n = 0;
	for (; (name = random_mnemonic(n)); n++) {
		Ins i = { .guard = -1 };
		MnemonicError e;
		ck_assert_msg(mnemonic_parse(name, strlen(name), &i, &e), "%s cannot be read", name);
		ck_assert_msg(lane_fn(&i) != NULL, "%s has no lane function", name);
	}
	ck_assert_int_gt(n, 400);
}
END_TEST

START_TEST(kernels_are_valid_and_survive_text)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
		Diag d = { 0 };
		if (!ir_verify(k->module, &d)) {
			print_diag(&d, k);
			ck_abort_msg("seed %llu is not valid", (unsigned long long)seed);
		}
		StrBuf text = { 0 }, again = { 0 };
		ir_print(k->module, &text);
		Module *m = ir_read(text.s, text.n, k->module->name, &d);
		if (!m) {
			print_diag(&d, k);
			ck_abort_msg("seed %llu cannot be read back", (unsigned long long)seed);
		}
		ck_assert_msg(module_equal(k->module, m), "seed %llu changes when printed and read",
			(unsigned long long)seed);
		ir_print(m, &again);
		ck_assert_msg(!strcmp(text.s, again.s), "seed %llu prints otherwise after it was read",
			(unsigned long long)seed);
		sb_free(&text);
		sb_free(&again);
		module_free(m);
		random_kernel_free(k);
	}
}
END_TEST

START_TEST(same_seed_same_kernel)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		StrBuf text[2] = { { 0 }, { 0 } };
		RandomKernel *k[2];
		for (int i = 0; i < 2; i++) {
			k[i] = random_kernel_new(&RANDOM_DEFAULTS(seed));
			ir_print(k[i]->module, &text[i]);
		}
		ck_assert_msg(!strcmp(text[0].s, text[1].s), "seed %llu gives two kernels",
			(unsigned long long)seed);
		ck_assert_mem_eq(k[0]->in, k[1]->in, RANDOM_IN_BYTES);
		for (int i = 0; i < 2; i++) {
			sb_free(&text[i]);
			random_kernel_free(k[i]);
		}
	}
	RandomKernel *a = random_kernel_new(&RANDOM_DEFAULTS(1)), *b = random_kernel_new(&RANDOM_DEFAULTS(2));
	ck_assert(!module_equal(a->module, b->module));
	random_kernel_free(a);
	random_kernel_free(b);
}
END_TEST

/* Every feature is common, every operation of the table of operations that kernels may use occurs. */
START_TEST(kernels_are_varied)
{
	enum { SEEDS = 1000 };
	static const char *const names[] = {
#define X(ID, HELP) #ID,
		RANDOM_FEATURES(X)
#undef X
	};
	int feature[RF_COUNT] = { 0 }, op[OP_COUNT] = { 0 };
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
		for (int f = 0; f < RF_COUNT; f++)
			feature[f] += k->features >> f & 1;
		for (int f = 0; f < k->module->func.n; f++)
			for (int b = 0; b < k->module->func.v[f]->block.n; b++)
				for (int i = 0; i < k->module->func.v[f]->block.v[b]->ins.n; i++)
					op[k->module->func.v[f]->block.v[b]->ins.v[i].op]++;
		random_kernel_free(k);
	}
	for (int f = 0; f < RF_COUNT; f++)
		ck_assert_msg(feature[f] >= SEEDS / 20, "only %d of %d kernels have %s", feature[f], SEEDS,
			names[f]);
	static const Op absent[] = { OP_TRAP, OP_NANOSLEEP, OP_NOP, OP_PREFETCH, OP_FENCE, OP_MEMBAR,
		OP_BARARRIVE, OP_ACTIVEMASK,
		OP_ISSPACEP, OP_ASSERTFAIL };
	for (int o = 1; o < OP_COUNT; o++) {
		bool wanted = !(op_info[o].flags & (OPF_MACH | OPF_HOST));
		for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
			wanted &= absent[i] != (Op)o;
		ck_assert_msg(!wanted || op[o], "no kernel has %s", op_info[o].name);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random kernels");
	TCase *t = tcase_create("generator");
	tcase_add_test(t, operations_have_lane_functions);
	tcase_add_test(t, kernels_are_valid_and_survive_text);
	tcase_add_test(t, same_seed_same_kernel);
	tcase_add_test(t, kernels_are_varied);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
