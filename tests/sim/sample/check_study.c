/* What is estimated from a part of a population, on populations whose truth is known. Chance comes from
   study_mix, so that every run sees the same populations. */
#include "sim/sample/study.h"
#include "tests/check.h"
#include <math.h>
#include <stdlib.h>

enum { STRETCHES = 400, CANDIDATES = 28, SEEDS = 200 };

typedef struct Population {
	Stretch stretch[STRETCHES], candidate[CANDIDATES];
	Study study;
	double truth;
} Population;

static uint64_t drawn;

static double draw(void) { return (double)(study_mix(++drawn) >> 11) / (double)(1ull << 53); }

/* About normal: mean 0, deviation 1. */
static double draw_normal(void)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += draw();
	return sum;
}

/* How work, lanes and cycles of stretches vary. */
typedef struct Kind { const char *name; double work, mix, rate, noise; } Kind;

static const Kind kind[] = {
	{ "equal blocks", 0.002, 0, 0, 0.01 },
	{ "blocks of different length", 0.5, 0, 0.2, 0.02 },
	{ "blocks that diverge", 0.01, 0.3, 0.3, 0.02 },
	{ "noise", 0.1, 0.1, 0, 0.1 },
};
enum { KINDS = sizeof kind / sizeof *kind };

static Stretch draw_stretch(const Kind *k)
{
	double longer = draw(), fuller = draw();
	Stretch x = { .work = 1000 * (1 + k->work * (longer - 0.5)),
		.mix = 20 * (1 + k->mix * (fuller - 0.5)) };
	double rate = 2 * (1 + k->rate * (longer - 0.5) * (k->work > k->mix) + k->rate * (fuller - 0.5) *
		(k->mix > k->work));
	x.cycles = x.work * rate * (1 + k->noise * draw_normal());
	return x;
}

/* Candidates are chosen as those of launches are: one by chance in each of equal pieces. */
static void open_population(Population *p, const Kind *k, uint64_t seed, int candidates)
{
	*p = (Population){ .study = { .stretch = p->stretch, .n = STRETCHES, .candidate = p->candidate,
		.ncandidates = candidates } };
	drawn = study_mix(seed) + (uint64_t)(k - kind) * 7919;
	for (int i = 0; i < STRETCHES; i++) {
		p->stretch[i] = draw_stretch(k);
		p->truth += p->stretch[i].cycles;
	}
	for (int i = 0; i < candidates; i++) {
		int from = STRETCHES * i / candidates, behind = STRETCHES * (i + 1) / candidates;
		p->candidate[i] = p->stretch[from + (int)(draw() * (behind - from))];
	}
	study_open(&p->study, seed);
}

/* Times candidates until the interval is narrower than the share of the cycles, or all are timed. */
static Estimate time_until(Population *p, double share)
{
	Estimate e;
	for (;;) {
		e = study_estimate(&p->study);
		int next = study_next(&p->study);
		if (next < 0 || (e.known && e.half < share * e.cycles))
			return e;
		p->candidate[next].timed = true;
	}
}

/* Over many seeds the interval holds the truth nearly as often as it says: 95 of 100 times. */
START_TEST(interval_holds_truth)
{
	static Population p;
	int held = 0;
	double error = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		open_population(&p, &kind[_i], seed, CANDIDATES);
		Estimate e = time_until(&p, 0.015);
		ck_assert(e.known);
		held += fabs(e.cycles - p.truth) <= e.half;
		error += (e.cycles - p.truth) / p.truth / SEEDS;
	}
	ck_assert_msg(held >= SEEDS * 92 / 100, "%s: %d of %d", kind[_i].name, held, SEEDS);
	ck_assert_msg(fabs(error) < 0.005, "%s: estimates are wrong by %g on average", kind[_i].name, error);
}
END_TEST

/* The interval says no more than it must: a narrower one holds the truth less often. */
START_TEST(half_an_interval_holds_less)
{
	static Population p;
	int held = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		open_population(&p, &kind[3], seed, CANDIDATES);
		Estimate e = time_until(&p, 0.015);
		held += fabs(e.cycles - p.truth) <= e.half / 3;
	}
	ck_assert_msg(held < SEEDS * 80 / 100, "a third of the interval: %d of %d", held, SEEDS);
}
END_TEST

/* Where everything is timed, the estimate is the sum, and nothing is left to chance. */
START_TEST(all_timed_is_exact)
{
	static Population p;
	static Stretch all[STRETCHES];
	open_population(&p, &kind[_i], 5, CANDIDATES);
	for (int i = 0; i < STRETCHES; i++)
		all[i] = p.stretch[i];
	p.study.candidate = all;
	p.study.ncandidates = STRETCHES;
	study_open(&p.study, 5);
	int timed = 0;
	for (int next; (next = study_next(&p.study)) >= 0; timed++) {
		ck_assert_msg(!all[next].timed, "candidate %d comes twice", next);
		all[next].timed = true;
	}
	Estimate e = study_estimate(&p.study);
	ck_assert_int_eq(timed, STRETCHES);
	ck_assert_int_eq(e.timed, STRETCHES);
	ck_assert_msg(fabs(e.cycles / p.truth - 1) < 1e-12, "%.17g for %.17g", e.cycles, p.truth);
	ck_assert(e.half == 0);
}
END_TEST

/* Each stretch and each candidate is in a stratum, cut by what varies more; in the end all are timed. */
START_TEST(strata_have_every_stretch)
{
	static Population p;
	open_population(&p, &kind[_i], 11, CANDIDATES);
	int found[MOST_STRATA] = { 0 };
	ck_assert(p.study.strata >= 1 && p.study.strata <= MOST_STRATA);
	ck_assert_int_eq(p.study.strata == 1, _i == 0);
	ck_assert(_i == 3 || p.study.by_mix == (_i == 2));
	for (int i = 0; i < STRETCHES; i++) {
		ck_assert(p.stretch[i].stratum >= 0 && p.stretch[i].stratum < p.study.strata);
		found[p.stretch[i].stratum]++;
	}
	for (int k = 0; k < p.study.strata; k++)
		ck_assert(found[k] > 0);
	for (int i = 0; i < CANDIDATES; i++)
		ck_assert(p.candidate[i].stratum >= 0 && p.candidate[i].stratum < p.study.strata);
	ck_assert(!study_estimate(&p.study).known);
	ck_assert(time_until(&p, 0).known);
	ck_assert_int_eq(study_next(&p.study), -1);
}
END_TEST

/* A machine that slows down in every timed stretch has not come to rest; one that does so by chance has. */
START_TEST(trend_is_told_from_chance)
{
	static Population p;
	open_population(&p, &kind[0], 3, CANDIDATES);
	for (int i = 0; i < CANDIDATES; i++) {
		p.candidate[i].timed = true;
		p.candidate[i].half[0] = 1;
		p.candidate[i].half[1] = 1.1 + 0.001 * draw_normal();
	}
	Estimate e = study_estimate(&p.study);
	ck_assert(e.trend > 0.03 * e.cycles && e.trend < 0.06 * e.cycles);
	for (int i = 0; i < CANDIDATES; i++)
		p.candidate[i].half[1] = 1 + (i % 2 ? 0.1 : -0.1);
	ck_assert(study_estimate(&p.study).trend == 0);
}
END_TEST

/* Values of Student's distribution from tables. */
START_TEST(quantiles_are_those_of_tables)
{
	static const double known[][2] = { { 1, 12.706 }, { 4, 2.776 }, { 10, 2.228 }, { 12, 2.179 },
		{ 20, 2.086 }, { 30, 2.042 }, { 60, 2.000 }, { 120, 1.980 }, { 1e9, 1.960 } };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		ck_assert_msg(fabs(study_quantile(known[i][0]) - known[i][1]) < 0.002, "%g: %g", known[i][0],
			study_quantile(known[i][0]));
	for (double f = 0.5; f < 40; f += 0.25)
		ck_assert(study_quantile(f + 0.25) <= study_quantile(f));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("study");
	TCase *c = tcase_create("study");
	tcase_add_loop_test(c, interval_holds_truth, 0, KINDS);
	tcase_add_test(c, half_an_interval_holds_less);
	tcase_add_loop_test(c, all_timed_is_exact, 0, KINDS);
	tcase_add_loop_test(c, strata_have_every_stretch, 0, KINDS);
	tcase_add_test(c, trend_is_told_from_chance);
	tcase_add_test(c, quantiles_are_those_of_tables);
	suite_add_tcase(suite, c);
	SRunner *r = srunner_create(suite);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
