/* Code motion against all that could be done, on small graphs with one expression. */
#include "passes/transform/transform.h"
#include "tests/passes/motion_model.h"
#include "tests/check.h"

static int wanted(const char *variable, int otherwise)
{
	const char *text = getenv(variable);
	return text ? atoi(text) : otherwise;
}

static uint32_t apply(const Pass *p, const PassValue *option, Module *m, const Model *g, Function **f)
{
	Diag d = { 0 };
	*f = model_kernel(m, g);
	pass_apply(p, m, *f, option, &d);
	ck_assert(ir_verify(m, &d));
	ck_assert_msg(p == &pass_spre || !pass_apply(p, m, *f, option, &d),
		"%s changes something a second time", p->name);
	diag_free(&d);
	return model_read(*f, g);
}

static void right(const Pass *p, const Function *f, const ModelPaths *paths, int seed)
{
	for (int k = 0; k < paths->n; k++)
		ck_assert_msg(model_right(f, paths, k), "graph %d: %s: a register has another value", seed,
			p->name);
}

/* Of all placements at safe points: the fewest computations on each path, and among those that have them the
   shortest lifetime. */
typedef struct Best { int cost[MODEL_PATHS], lifetime; } Best;

static void best_of_all(const Model *g, const ModelPaths *paths, Best *best)
{
	uint32_t safe = model_down_safe(g);
	for (int k = 0; k < paths->n; k++)
		best->cost[k] = INT32_MAX;
	best->lifetime = INT32_MAX;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t set = safe;; set = (set - 1) & safe) {
			uint32_t placed = model_placed(g, set);
			bool all = true;
			for (int k = 0; k < paths->n; k++) {
				int cost = model_cost(paths, k, placed);
				all &= pass && cost == best->cost[k];
				best->cost[k] = cost < best->cost[k] ? cost : best->cost[k];
			}
			if (all && model_lifetime(g, placed) < best->lifetime)
				best->lifetime = model_lifetime(g, placed);
			if (!set)
				break;
		}
}

static ModelPaths paths;

START_TEST(lazy_is_best)
{
	int n = wanted("COUNT", 5000), moved = 0, cycles = 0;
	uint64_t rng = 11;
	for (int seed = 0; seed < n; seed++) {
		Model g = model_random(&rng, seed % 5 > 1);
		Module *m = module_new("model");
		Function *f;
		Best best;
		uint32_t placed = apply(&pass_lcm, NULL, m, &g, &f);
		model_paths(&g, &paths);
		right(&pass_lcm, f, &paths, seed);
		best_of_all(&g, &paths, &best);
		for (int k = 0; k < paths.n; k++)
			ck_assert_msg(model_cost(&paths, k, placed) == best.cost[k],
				"graph %d: %d computations on a path, not %d", seed,
				model_cost(&paths, k, placed), best.cost[k]);
		ck_assert_msg(model_lifetime(&g, placed) == best.lifetime,
			"graph %d: the temporary lives at %d points, not %d", seed,
			model_lifetime(&g, placed), best.lifetime);
		moved += placed != g.comp;
		cycles += model_turns(&paths);
		module_free(m);
	}
	ck_assert_int_gt(moved, n / 10);
	ck_assert_int_gt(cycles, n / 10);
	if (getenv("VERBOSE"))
		fprintf(stderr, "lcm: %d of %d graphs changed\n", moved, n);
}
END_TEST

/* As few computations on each path, and temporaries that live as long or longer; without options nothing
   moves where lazy code motion finds nothing to save. */
static void compare_with_lazy(const PassValue *option, const char *name)
{
	int n = wanted("COUNT", 5000), longer = 0;
	uint64_t rng = 12;
	for (int seed = 0; seed < n; seed++) {
		Model g = model_random(&rng, seed % 5 > 1);
		Module *m = module_new("model"), *other = module_new("model");
		Function *f, *lazy;
		uint32_t placed = apply(&pass_pre, option, m, &g, &f),
			lcm = apply(&pass_lcm, NULL, other, &g, &lazy);
		model_paths(&g, &paths);
		right(&pass_pre, f, &paths, seed);
		for (int k = 0; k < paths.n; k++)
			ck_assert_msg(model_cost(&paths, k, placed) == model_cost(&paths, k, lcm),
				"graph %d: %s and lcm differ on a path", seed, name);
		ck_assert_int_ge(model_lifetime(&g, placed), model_lifetime(&g, lcm));
		ck_assert_msg(option || lcm != g.comp || placed == g.comp,
			"graph %d: %s moves what lcm leaves", seed, name);
		longer += model_lifetime(&g, placed) > model_lifetime(&g, lcm);
		module_free(other);
		module_free(m);
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%s: temporaries live longer on %d of %d graphs\n", name, longer, n);
	ck_assert(longer > n / 50 || option);
}

START_TEST(early_is_as_good) { compare_with_lazy(NULL, "pre"); }
END_TEST
START_TEST(renvoise_is_as_good)
{
	compare_with_lazy((PassValue[]){ { .number = 0 }, { .number = 0 }, { .number = 1 } },
		"pre(partial=1)");
}
END_TEST

/* ---- sparse ---- */

/* As few places as any closed region has, and on each way as many computations as lazy code motion makes. */
START_TEST(sparse_is_fewest)
{
	int n = wanted("COUNT", 5000), fewer = 0;
	uint64_t rng = 13;
	for (int seed = 0; seed < n; seed++) {
		Model g = model_random(&rng, seed % 5 > 1), after = g;
		Module *m = module_new("model"), *other = module_new("model");
		Function *f, *lazy;
		after.comp = apply(&pass_lcm, NULL, other, &g, &lazy);
		uint32_t placed = apply(&pass_scm, NULL, m, &g, &f);
		int best = model_fewest(&after, model_nowhere);
		model_paths(&g, &paths);
		right(&pass_scm, f, &paths, seed);
		ck_assert_msg(__builtin_popcount(placed) == best,
			"graph %d: scm computes at %d places, not %d", seed, __builtin_popcount(placed),
			best);
		for (int k = 0; k < paths.n; k++)
			ck_assert_msg(model_cost(&paths, k, placed) == model_cost(&paths, k, after.comp),
				"graph %d: scm and lcm differ on a path", seed);
		fewer += best < __builtin_popcount(after.comp);
		module_free(other);
		module_free(m);
	}
	ck_assert_int_gt(fewer, n / 100);
	if (getenv("VERBOSE"))
		fprintf(stderr, "scm: fewer places than lcm on %d of %d graphs\n", fewer, n);
}
END_TEST

/* As the thesis has it: as few places as any closed region has, and no more than without speculation. As it
   is by default: a warp that parts at every divergent branch computes no more often than the program does. */
START_TEST(speculation_pays)
{
	int n = wanted("COUNT", 5000), fewer = 0, asked = 0, more = 0, less = 0, better = 0;
	uint64_t rng = 14;
	const PassValue arms[] = { { .number = 0 }, { .number = 0 }, { .number = 0 }, { .number = 1 } };
	for (int seed = 0; seed < n; seed++) {
		Model g = model_random(&rng, seed % 5 > 1);
		if (seed % 4)
			model_calm(&g, &rng);
		Model after = g;
		Module *m = module_new("model"), *other = module_new("model"), *third = module_new("model"),
			*fourth = module_new("model");
		Function *f, *sparse, *lazy;
		after.comp = apply(&pass_lcm, NULL, third, &g, &lazy);
		uint32_t scm = apply(&pass_scm, NULL, other, &g, &sparse),
			placed = apply(&pass_sscm, arms, m, &g, &f);
		model_paths(&g, &paths);
		right(&pass_sscm, f, &paths, seed);
		ck_assert_msg(__builtin_popcount(placed) <= __builtin_popcount(scm),
			"graph %d: sscm computes at more places than scm", seed);
		/* a second round may find better ones behind the first */
		int best = model_fewest(&after, model_at_divergent);
		ck_assert_int_le(__builtin_popcount(placed), best);
		better += __builtin_popcount(placed) < best;
		placed = apply(&pass_sscm, NULL, fourth, &g, &f);
		right(&pass_sscm, f, &paths, seed);
		fewer += __builtin_popcount(placed) < __builtin_popcount(scm);
		for (uint32_t sides = 0; sides < 1u << g.n && !model_turns(&paths);
			sides += 1 + (uint32_t)(random_next(&rng) % 7)) {
			int before = model_warp(&g, 0, -1, sides, g.comp),
				now = model_warp(&g, 0, -1, sides, placed);
			asked++;
			more += now > before;
			less += now < before;
			if (now > before && getenv("VERBOSE"))
				fprintf(stderr, "graph %d: a warp computes %d times, not %d\n", seed, now,
					before);
		}
		module_free(fourth);
		module_free(third);
		module_free(other);
		module_free(m);
	}
	ck_assert_int_gt(fewer, n / 400);
	ck_assert_int_le(better, n / 1000);
	ck_assert_int_gt(less, asked / 100);
	if (getenv("VERBOSE"))
		fprintf(stderr, "sscm: fewer places than scm on %d of %d graphs; of %d warps %d compute less "
			"often, %d more\n", fewer, n, asked, less, more);
	ck_assert_int_eq(more, 0);
}
END_TEST

/* Whatever it costs, every register has what it has to have. */
START_TEST(speculation_is_right)
{
	int n = wanted("COUNT", 5000), changed = 0;
	uint64_t rng = 15;
	for (int seed = 0; seed < n; seed++) {
		Model g = model_random(&rng, seed % 5 > 1);
		Module *m = module_new("model");
		Function *f;
		changed += apply(&pass_spre, NULL, m, &g, &f) != g.comp;
		model_paths(&g, &paths);
		right(&pass_spre, f, &paths, seed);
		module_free(m);
	}
	ck_assert_int_gt(changed, n / 10);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("code motion");
	TCase *t = tcase_create("all");
	tcase_add_test(t, lazy_is_best);
	tcase_add_test(t, early_is_as_good);
	tcase_add_test(t, renvoise_is_as_good);
	tcase_add_test(t, sparse_is_fewest);
	tcase_add_test(t, speculation_pays);
	tcase_add_test(t, speculation_is_right);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
