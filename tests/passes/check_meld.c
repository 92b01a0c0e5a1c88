/* Control-flow melding: alignments are the best that there are; kernels whose arms are alike are melded. */
#include "passes/transform/meld/meld.h"
#include "tests/random/differential.h"
#include "tests/random.h"
#include "tests/check.h"

/* ---- alignment ---- */

/* The best of all alignments, one by one. */
static int64_t best_of_all(int n, int m, const int *score, int stride, int gap)
{
	int64_t best = n || m ? INT64_MIN : 0, x;
	if (n && (x = best_of_all(n - 1, m, score + stride, stride, gap) - gap) > best)
		best = x;
	if (m && (x = best_of_all(n, m - 1, score + 1, stride, gap) - gap) > best)
		best = x;
	if (n && m && *score >= 0 && (x = best_of_all(n - 1, m - 1, score + stride + 1, stride, gap) +
		*score) > best)
		best = x;
	return best;
}

/* The sum that the items make, which must be all of both sequences in order. */
static int64_t sum_of(const AlignedItem *item, int count, int n, int m, const int *score, int gap)
{
	int64_t sum = 0;
	int i = 0, j = 0;
	for (int k = 0; k < count; k++) {
		bool a = item[k].at[0] >= 0, b = item[k].at[1] >= 0;
		ck_assert(a || b);
		ck_assert(!a || item[k].at[0] == i);
		ck_assert(!b || item[k].at[1] == j);
		if (a && b) {
			ck_assert_int_ge(score[i * m + j], 0);
			sum += score[i * m + j];
		} else {
			sum -= gap;
		}
		i += a;
		j += b;
	}
	ck_assert_int_eq(i, n);
	ck_assert_int_eq(j, m);
	return sum;
}

START_TEST(alignments_are_optimal)
{
	enum { MOST = 8 };
	uint64_t rng = 5;
	int score[MOST * MOST + 1];
	AlignedItem item[2 * MOST];
	for (int round = 0; round < 600; round++) {
		int n = (int)(random_next(&rng) % (MOST + 1)),
			m = (int)(random_next(&rng) % (round < 60 ? MOST + 1 : 6)),
			gap = (int)(random_next(&rng) % 4);
		int64_t best;
		for (int k = 0; k < n * m; k++)
			score[k] = random_next(&rng) % 2 ? NO_PAIR : (int)(random_next(&rng) % 9);
		int count = meld_align(n, m, score, gap, item, &best);
		ck_assert_int_eq(best, best_of_all(n, m, score, m, gap));
		ck_assert_int_eq(sum_of(item, count, n, m, score, gap), best);
	}
}
END_TEST

/* ---- kernels whose arms are alike ---- */

/* Branches whose two ways are one. */
static int idle_branches(const Module *m)
{
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++) {
			const Block *x = m->func.v[f]->block.v[b];
			n += x->nsucc == 2 && x->succ[0] == x->succ[1];
		}
	return n;
}

/* What these passes do to such kernels is right by tests/random/properties_passes.c; here, that they do
   something to them, and leave no branch behind that decides nothing. */
START_TEST(arms_are_melded)
{
	enum { KERNELS = 60 };
	static const char *const pass[] = { "meld", "branch-fusion", "tail-merge" };
	int changed[3] = { 0 };
	char why[1700];
	for (uint64_t seed = 1; seed <= KERNELS; seed++) {
		RandomParams p = RANDOM_DEFAULTS(seed);
		p.arms = true;
		RandomKernel *k = random_kernel_new(&p);
		for (int i = 0; i < 3; i++) {
			Module *after = transformed(k->module, pass[i], why, sizeof why);
			ck_assert_msg(after != NULL, "seed %d, %s: %s", (int)seed, pass[i], why);
			changed[i] += !module_equal(after, k->module);
			ck_assert_msg(idle_branches(after) <= idle_branches(k->module),
				"seed %d, %s: a branch's ways are one", (int)seed, pass[i]);
			module_free(after);
		}
		random_kernel_free(k);
	}
	ck_assert_msg(changed[0] > KERNELS / 2, "meld changes %d of %d", changed[0], KERNELS);
	ck_assert_msg(changed[1] > KERNELS / 8, "branch-fusion changes %d of %d", changed[1], KERNELS);
	ck_assert_msg(changed[2] > KERNELS / 8, "tail-merge changes %d of %d", changed[2], KERNELS);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("melding");
	TCase *t = tcase_create("all");
	tcase_add_test(t, alignments_are_optimal);
	tcase_add_test(t, arms_are_melded);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
