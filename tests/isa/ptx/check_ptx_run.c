/* Compiled kernels, run by the reference interpreter: their results are those of the same source compiled for
   the host. */
#include "lib/file.h"
#include "tests/sim/sm/sim_rig.h"
#include <stdio.h>

enum { THREADS = 64, WORDS = 16, INPUTS = 256 };

/* ---- the kernels as C: every thread by itself ---- */

static int thread;
#define KERNEL static void
#define DEVICE static
#define DATA static
#define TID thread
#include "tests/isa/ptx/both.cu"

typedef void Kernel(unsigned *out, const unsigned *in, int n);
static const struct { const char *name; Kernel *run; } kernels[] = {
	{ "calls", calls }, { "data", data }, { "integers", integers }, { "floats", floats },
	{ "control", control }
};
enum { NKERNELS = sizeof kernels / sizeof *kernels };
static const char *const files[] = { "both.sm_75", "both.O0" };

/* Words of every size, so that small numbers, ties and wide values all occur. */
static void fill(unsigned *in, uint64_t seed)
{
	for (int i = 0; i < INPUTS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		in[i] = (unsigned)(seed >> 32) >> (seed >> 27 & 31);
	}
}

static Module *load(const char *name)
{
	const char *dir = getenv("srcdir"), *why = NULL;
	char path[1024];
	size_t n;
	Diag d = { 0 };
	snprintf(path, sizeof path, "%s/tests/isa/ptx/%s.ptx", dir ? dir : ".", name);
	char *text = file_read(path, 1 << 24, &n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	Module *m = ptx_read(text, n, name, &d);
	ck_assert_msg(m != NULL, "%s:%d: %s", name, d.item.n ? d.item.v[0].loc.line : 0,
		d.item.n ? d.item.v[0].text : "");
	diag_free(&d);
	free(text);
	return m;
}

static void run_ptx(const Module *m, const char *kernel, const unsigned *in, unsigned *out, int n)
{
	Memory *memory = memory_new(1 << 24);
	uint64_t *symbols = xcalloc((size_t)m->symbol.n + 1, sizeof *symbols);
	struct { uint64_t out, in; int32_t n; } params;
	ck_assert(memory_load_module(memory, m, symbols));
	params.out = memory_alloc(memory, THREADS * WORDS * 4, "out", false);
	params.in = memory_alloc(memory, INPUTS * 4, "in", false);
	params.n = n;
	const Alloc *to = memory_find(memory, params.in, INPUTS * 4, NULL),
		*from = memory_find(memory, params.out, 4, NULL);
	memcpy(to->data, in, INPUTS * 4);
	Launch l = { .module = m, .kernel = module_find_function(m, kernel), .grid = { 1, 1, 1 },
		.block = { THREADS, 1, 1 },
		.params = (const uint8_t *)&params, .memory = memory, .symbol_address = symbols };
	ck_assert(l.kernel != NULL && l.kernel->param_bytes == 20);
	InterpOptions options = { .warp_size = 32, .max_steps = 1000000 };
	Fault fault = { 0 };
	ck_assert_msg(interp_launch(&l, &options, &fault), "%s", fault.text);
	memcpy(out, from->data, THREADS * WORDS * 4);
	memory_free(memory);
	free(symbols);
}

START_TEST(same_results)
{
	const char *file = files[_i / NKERNELS], *kernel = kernels[_i % NKERNELS].name;
	Module *m = load(file);
	for (int seed = 1; seed <= 8; seed++) {
		static unsigned in[INPUTS], want[THREADS * WORDS], got[THREADS * WORDS];
		fill(in, (uint64_t)seed);
		memset(want, 0, sizeof want);
		for (thread = 0; thread < THREADS; thread++)
			kernels[_i % NKERNELS].run(want, in, seed * 3);
		run_ptx(m, kernel, in, got, seed * 3);
		for (int k = 0; k < THREADS * WORDS; k++)
			ck_assert_msg(got[k] == want[k], "%s, %s, seed %d, thread %d, word %d: 0x%x instead "
				"of 0x%x", file, kernel,
			seed, k / WORDS, k % WORDS, got[k], want[k]);
	}
	module_free(m);
}
END_TEST

/* What functions share by registers and local variables of module scope, in the reference interpreter and on
   machines. */
START_TEST(module_scope)
{
	static const char *const models[] = { "divergence.model=ipdom", "divergence.model=its",
		"divergence.model=token" };
	StrBuf text = { 0 };
	Module *m = load("module_scope");
	ir_print(m, &text);
	Rig *r = rig_new(models[_i]);
	rig_run(r, text.s, 1, 64);
	/* what was added; ten per call of step; last[0], twice; calls of bump */
	for (uint32_t t = 0; t < 64; t++)
		ck_assert_uint_eq(r->out[t], t + 5 + t + 1 + 3 * 1077 + 100000 + 1 * 10000000 + 1 *
			100000000 + 3 * 1000000000u);
	rig_free(r);
	sb_free(&text);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_run");
	TCase *t = tcase_create("ptx_run");
	tcase_add_loop_test(t, same_results, 0, NKERNELS * (int)(sizeof files / sizeof *files));
	tcase_add_loop_test(t, module_scope, 0, 3);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
