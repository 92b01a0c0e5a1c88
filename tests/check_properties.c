/* Properties that hold of every mechanism whatever the kernel (reconvergence tables, section "property tests"), on random
 * kernels: how many lanes execute what does not depend on the mechanism; what an IPDOM stack fetches does not depend on the
 * order of its pushes; thread frontiers fetch no more than it does, and on graphs without cycles each block at most once. */
#include "tests/differential.h"
#include <check.h>
#include <stdio.h>

enum { SEEDS = 250 };

typedef struct Totals { uint64_t fetches, threads, most; LaunchStats stats; } Totals;

static int model_index(const char *name)
{
	const ModelInfo *list;
	int n = gpu_models(&list);
	for (int i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return i;
	ck_abort_msg("no mechanism %s", name);
	return -1;
}

static RandomKernel *kernel_of(int seed, unsigned features)
{
	RandomParams p = RANDOM_DEFAULTS((uint64_t)seed);
	p.features = features;
	return random_kernel_new(&p);
}

/* Runs the kernel functionally under the mechanism; set: a -D option or NULL. */
static Totals run(const RandomKernel *k, const char *model, const char *key, const char *value)
{
	Job job = { .shape = k, .module = k->module, .grid = { k->grid[0], k->grid[1], k->grid[2] } };
	Way way = { .model = model_index(model), .functional = true };
	Config c;
	Diag d = { 0 };
	config_defaults(&c);
	if (key)
		ck_assert(config_set(&c, key, value, &d));
	Probe p = { 0 };
	Outcome o;
	outcome_machine(&job, &c, &way, &p, &o);
	ck_assert_msg(o.how == RAN_WELL, "%s: %s", model, o.text);
	Totals t = { .stats = p.stats };
	for (int b = 0; b < p.stats.nblocks; b++) {
		t.fetches += p.stats.block_stats[b].fetches;
		t.threads += p.stats.block_stats[b].threads;
		if (p.stats.block_stats[b].fetches > t.most)
			t.most = p.stats.block_stats[b].fetches;
	}
	ck_assert_msg(p.stats.pushes == p.stats.pops, "%s: %llu pushes, %llu pops", model, (unsigned long long)p.stats.pushes,
		(unsigned long long)p.stats.pops);
	outcome_free(&o);
	arena_free(&p.arena);
	diag_free(&d);
	return t;
}

START_TEST(lanes_do_not_depend_on_the_mechanism)
{
	RandomKernel *k = kernel_of(_i, RF_ALL);
	const ModelInfo *list;
	int n = gpu_models(&list);
	Totals first = run(k, list[0].name, NULL, NULL);
	for (int m = 1; m < n; m++) {
		Totals t = run(k, list[m].name, NULL, NULL);
		ck_assert_msg(t.threads == first.threads, "seed %d: %llu lanes in blocks under %s, %llu under %s", _i,
			(unsigned long long)t.threads, list[m].name, (unsigned long long)first.threads, list[0].name);
		ck_assert_uint_eq(t.stats.thread_instructions, first.stats.thread_instructions);
	}
	random_kernel_free(k);
}
END_TEST

START_TEST(push_order_changes_no_fetch)
{
	static const char *const order[] = { "taken_top", "fall_top", "larger_top", "smaller_top" };
	RandomKernel *k = kernel_of(_i, RF_ALL);
	Totals first = run(k, "ipdom", "ipdom.push_order", order[0]);
	for (int i = 1; i < 4; i++) {
		Totals t = run(k, "ipdom", "ipdom.push_order", order[i]);
		ck_assert_msg(t.fetches == first.fetches, "seed %d: %llu fetches with %s, %llu with %s", _i,
			(unsigned long long)t.fetches, order[i], (unsigned long long)first.fetches, order[0]);
	}
	random_kernel_free(k);
}
END_TEST

/* Without calls: frames of different functions are not one graph. */
START_TEST(frontiers_fetch_no_more_than_ipdom)
{
	RandomKernel *k = kernel_of(_i, RF_ALL & ~(unsigned)(RF_CALL | RF_RECURSION | RF_INDIRECT));
	Totals ipdom = run(k, "ipdom", NULL, NULL), tf = run(k, "tf_stack", NULL, NULL);
	ck_assert_msg(tf.fetches <= ipdom.fetches, "seed %d: %llu fetches under tf_stack, %llu under ipdom", _i,
		(unsigned long long)tf.fetches, (unsigned long long)ipdom.fetches);
	random_kernel_free(k);
}
END_TEST

START_TEST(frontiers_fetch_once_without_cycles)
{
	RandomKernel *k = kernel_of(_i, RF_FLOAT | RF_WIDE | RF_GUARD | RF_SWITCH | RF_GOTO | RF_VECTOR | RF_EXIT);
	Totals tf = run(k, "tf_stack", NULL, NULL);
	uint64_t warps = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2] * ((k->block[0] * k->block[1] * k->block[2] + 31) / 32);
	ck_assert_msg(tf.most <= warps, "seed %d: a block is fetched %llu times by %llu warps", _i, (unsigned long long)tf.most,
		(unsigned long long)warps);
	random_kernel_free(k);
}
END_TEST

/* Where lanes meet is the same, whoever runs beside whom; groups that join on the way are fetched together from there. */
START_TEST(paths_side_by_side_fetch_what_ipdom_fetches)
{
	RandomKernel *k = kernel_of(_i, RF_ALL);
	Totals ipdom = run(k, "ipdom", NULL, NULL), multi = run(k, "multi_path", "multi_path.rt", "2"), dual = run(k, "dual_path", NULL, NULL),
		joined = run(k, "multi_path", "multi_path.merge", "true");
	ck_assert_msg(multi.fetches == ipdom.fetches && dual.fetches == ipdom.fetches, "seed %d: %llu fetches under ipdom, %llu under multi_path, "
		"%llu under dual_path", _i, (unsigned long long)ipdom.fetches, (unsigned long long)multi.fetches, (unsigned long long)dual.fetches);
	ck_assert_msg(joined.fetches <= ipdom.fetches, "seed %d: %llu fetches with merging, %llu without", _i,
		(unsigned long long)joined.fetches, (unsigned long long)ipdom.fetches);
	random_kernel_free(k);
}
END_TEST

START_TEST(spilling_changes_times_only)
{
	RandomKernel *k = kernel_of(_i, RF_ALL);
	static const char *const models[] = { "ipdom", "token", "tf_stack", "dual_path" };
	for (int m = 0; m < 4; m++) {
		Totals all = run(k, models[m], NULL, NULL), one = run(k, models[m], "divergence.depth", "1");
		ck_assert_uint_eq(one.fetches, all.fetches);
		ck_assert_uint_eq(one.stats.pushes, all.stats.pushes);
		ck_assert_uint_eq(one.stats.max_depth, all.stats.max_depth);
		ck_assert_msg(one.stats.spills >= one.stats.fills, "seed %d, %s: more fills than spills", _i, models[m]);
		ck_assert_msg(all.stats.max_depth <= 1 || one.stats.spills > 0, "seed %d, %s: depth %llu and no spill", _i,
			models[m], (unsigned long long)all.stats.max_depth);
		ck_assert_uint_eq(all.stats.spills, 0);
	}
	random_kernel_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("properties");
	TCase *t = tcase_create("random kernels");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, lanes_do_not_depend_on_the_mechanism, 1, SEEDS);
	tcase_add_loop_test(t, push_order_changes_no_fetch, 1, SEEDS);
	tcase_add_loop_test(t, frontiers_fetch_no_more_than_ipdom, 1, SEEDS);
	tcase_add_loop_test(t, frontiers_fetch_once_without_cycles, 1, SEEDS);
	tcase_add_loop_test(t, paths_side_by_side_fetch_what_ipdom_fetches, 1, SEEDS);
	tcase_add_loop_test(t, spilling_changes_times_only, 1, SEEDS);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
