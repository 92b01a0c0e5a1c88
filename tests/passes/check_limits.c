/* The estimate of registers is never below what lowering gives a kernel, under any mechanism; so no more
   blocks are said to be resident than the machine keeps. */
#include "isa/memory.h"
#include "passes/analysis/limits.h"
#include "sim/code/code.h"
#include "sim/config/config.h"
#include "sim/reconv/seam.h"
#include "tests/check.h"
#include <glob.h>
#include <stdio.h>

static int64_t estimated, taken, kernels, refused;

/* As sim/gpu sizes up a launch. */
static int64_t blocks_of(const Config *c, const Code *code, int64_t threads)
{
	int64_t warps = (threads + c->warp_size - 1) / c->warp_size,
		regs = (code->regs ? code->regs : 1) * c->warp_size;
	regs = (regs + c->sm_reg_unit - 1) / c->sm_reg_unit * c->sm_reg_unit * warps;
	int64_t shared = (code->shared_static + c->sm_shared_unit - 1) / c->sm_shared_unit *
		c->sm_shared_unit;
	int64_t n = c->sm_max_blocks < c->sm_max_warps / warps ? c->sm_max_blocks : c->sm_max_warps / warps;
	n = n < c->sm_registers / regs ? n : c->sm_registers / regs;
	return c->sm_count * (shared && c->sm_shared / shared < n ? c->sm_shared / shared : n);
}

static void compare(const Config *c, const EffectTable *effects, Function *f, const Code *code,
	const char *path, const char *model)
{
	static const uint32_t extents[] = { 32, 64, 200, 256, 512, 1024 };
	MachineLimits m = config_limits(c);
	int64_t n = limits_registers(&m, effects, f);
	ck_assert_msg(n >= code->regs, "%s: %s under %s takes %d registers, the estimate is %lld", path,
		f->name, model, code->regs, (long long)n);
	for (int k = 0; k < 6; k++)
		ck_assert_int_le(limits_resident(&m, effects, f, (uint32_t[3]){ extents[k], 1, 1 }, 0),
			blocks_of(c, code, extents[k]));
	estimated += n;
	taken += code->regs;
	kernels++;
}

static void try_module(const char *top, const char *path)
{
	Diag d = { 0 };
	Arena a = { 0 };
	Module *m = module_read_below(path, top, &d);
	if (!m)
		return;
	const EffectTable *effects = effects_build(&a, m);
	uint64_t *address = xcalloc((size_t)m->symbol.n + 1, sizeof *address);
	for (int k = 0; model_keys(k); k++) {
		Config c;
		config_defaults(&c);
		ck_assert(config_set_model(&c, model_keys(k)->name, &d));
		for (int f = 0; f < m->func.n; f++) {
			if (m->func.v[f]->kind != FN_KERNEL || !m->func.v[f]->block.n)
				continue;
			Diag own = { 0 };
			Code *code = code_lower(m, m->func.v[f], &c, reconv_model(k)->lower,
				reconv_model(k)->own, address, &own);
			if (code)
				compare(&c, effects, m->func.v[f], code, path, model_keys(k)->name);
			refused += !code;
			code_free(code);
			diag_free(&own);
		}
	}
	free(address);
	arena_free(&a);
	module_free(m);
	diag_free(&d);
}

START_TEST(registers)
{
	static const char *const patterns[] = { "kernels/*/*.ptx", "kernels/*/*.ir", "tests/isa/*.ir",
		"tests/passes/*.ir" };
	const char *top = getenv("srcdir");
	for (int p = 0; p < 4; p++) {
		char pattern[500];
		glob_t g = { 0 };
		snprintf(pattern, sizeof pattern, "%s/%s", top ? top : ".", patterns[p]);
		if (!glob(pattern, 0, NULL, &g))
			for (size_t k = 0; k < g.gl_pathc; k++)
				try_module(top ? top : ".", g.gl_pathv[k]);
		globfree(&g);
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%lld kernels: %lld registers, %lld by the estimate; %lld not lowered\n",
			(long long)kernels, (long long)taken, (long long)estimated, (long long)refused);
	ck_assert_int_gt(kernels, 500);
	ck_assert_int_lt(estimated, 2 * taken);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("limits");
	TCase *t = tcase_create("registers");
	tcase_add_test(t, registers);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
