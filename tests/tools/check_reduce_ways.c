/* The ways in which gsim-reduce makes modules smaller, on random kernels: whatever range of places is
   changed, the verifier takes what comes out or refuses it, and what it takes reads back equal from the text.
 */
#include "tests/check.h"
#include "tests/random/differential.h"
#include "tools/reduce/edits.h"
#include <stdlib.h>

typedef struct Tally { int tried, valid; } Tally;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The module in a text of its own, with a host function. */
static Module *whole_module(const RandomKernel *k)
{
	StrBuf text = { 0 };
	Diag d = { 0 };
	Job j = { .shape = k, .module = k->module };
	memcpy(j.grid, k->grid, sizeof j.grid);
	job_print(&j, "", &text);
	Module *m = ir_read(text.s, text.n, "random.ir", &d);
	ck_assert_msg(m != NULL, "%s", diag_first(&d));
	diag_free(&d);
	sb_free(&text);
	return m;
}

static void reads_back(const Module *m, const char *way)
{
	StrBuf text = { 0 }, again = { 0 };
	Diag d = { 0 };
	sb_puts(&text, "");
	sb_puts(&again, "");
	reduce_print(m, &text);
	Module *read = ir_read(text.s, text.n, m->name, &d);
	ck_assert_msg(read != NULL, "%s: %s", way, diag_first(&d));
	ir_print_without_places(m, &text);
	ir_print_without_places(read, &again);
	ck_assert_msg(strstr(text.s, again.s) != NULL, "%s: it reads back as another module", way);
	module_free(read);
	sb_free(&text);
	sb_free(&again);
	diag_free(&d);
}

/* Changes some range of places, half of the time one place alone. What comes out and is valid may take the
   module's place. */
static Module *change_somewhere(Module *m, const Reduction *way, uint64_t *rng, Tally *tally)
{
	int n = way->places(m);
	if (!n)
		return m;
	int from = (int)(next_random(rng) % (uint64_t)n);
	int size = next_random(rng) % 2 ? 1 : 1 + (int)(next_random(rng) % (uint64_t)(n - from));
	Module *to = module_copy(m);
	Diag d = { 0 };
	bool plain = reduce_plain(m), changed = way->change(to, from, from + size);
	if (changed)
		reduce_settle(to, plain);
	tally->tried += changed;
	bool valid = changed && ir_verify(to, &d);
	diag_free(&d);
	tally->valid += valid;
	if (valid)
		reads_back(to, way->name);
	bool take = valid && next_random(rng) % 4 == 0;
	module_free(take ? m : to);
	return take ? to : m;
}

START_TEST(every_way_leaves_a_module)
{
	enum { WAYS = 40 };
	Tally tally[WAYS] = { { 0 } };
	const char *count = getenv("COUNT");
	uint64_t kernels = count ? strtoull(count, NULL, 10) : 25;
	for (uint64_t seed = 1; seed <= kernels; seed++) {
		RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
		Module *m = whole_module(k);
		uint64_t rng = seed * 0x9e3779b97f4a7c15 | 1;
		for (int round = 0; round < 3; round++)
			for (int w = 0; reductions[w].name; w++)
				m = change_somewhere(m, &reductions[w], &rng, &tally[w]);
		module_free(m);
		random_kernel_free(k);
	}
	for (int w = 0; reductions[w].name; w++)
		ck_assert_msg(tally[w].valid > 0 || !tally[w].tried,
			"way %d, %s: none of %d changes leaves a valid "
			"module",
			w, reductions[w].name, tally[w].tried);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ways to make modules smaller");
	TCase *t = tcase_create("ways");
	tcase_add_test(t, every_way_leaves_a_module);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
