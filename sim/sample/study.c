#include "sim/sample/study.h"
#include "lib/vec.h"
#include <math.h>

/* a stratum with fewer timed stretches says nothing of how much they vary */
enum { LEAST_ALONE = 4, LEAST_OF_SEVERAL = 3 };
#define ALIKE 0.02                     /* stretches whose work and mix vary by less are one stratum */

typedef struct Stratum {
	int n, candidates, timed;
	double work, timed_work, cycles;
	double squares;                /* of the timed: the sum of (cycles - rate * work)^2 */
} Stratum;

/* The mixing function of SplitMix64, written from its description: every bit of the sum moves every other. */
uint64_t study_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* ---- strata ---- */

static double variation_of(const Study *s, bool of_mix)
{
	double sum = 0, squares = 0;
	for (int i = 0; i < s->n; i++) {
		double v = of_mix ? s->stretch[i].mix : s->stretch[i].work;
		sum += v;
		squares += v * v;
	}
	double mean = sum / s->n, square = squares / s->n - mean * mean;
	return mean > 0 && square > 0 ? sqrt(square) / mean : 0;
}

typedef struct Ranked { double by; int at; } Ranked;

static int compare_ranks(const void *a, const void *b)
{
	const Ranked *x = a, *y = b;
	return x->by != y->by ? x->by < y->by ? -1 : 1 : x->at - y->at;
}

/* Cuts the stretches, in the order of what varies more, into strata of about equal work. */
static void cut_strata(Study *s)
{
	Ranked *rank = xcalloc((size_t)s->n, sizeof *rank);
	double all = 0, so_far = 0;
	for (int k = 0; k < MOST_STRATA; k++)
		s->least[k] = INFINITY;
	for (int i = 0; i < s->n; i++) {
		rank[i] = (Ranked){ s->by_mix ? s->stretch[i].mix : s->stretch[i].work, i };
		all += s->stretch[i].work;
	}
	qsort(rank, (size_t)s->n, sizeof *rank, compare_ranks);
	for (int i = 0; i < s->n; i++) {
		Stretch *x = &s->stretch[rank[i].at];
		int k = all > 0 ? (int)(so_far / all * s->strata) : 0;
		x->stratum = k < s->strata ? k : s->strata - 1;
		if (!i || x->stratum != s->stretch[rank[i - 1].at].stratum)
			s->least[x->stratum] = rank[i].by;
		so_far += x->work;
	}
	free(rank);
}

/* Sorts the candidates into the strata. False: a stratum has too few of them. */
static bool sort_candidates(Study *s)
{
	int found[MOST_STRATA] = { 0 };
	for (int i = 0; i < s->ncandidates; i++) {
		Stretch *x = &s->candidate[i];
		x->stratum = 0;
		for (int k = 1; k < s->strata; k++)
			if ((s->by_mix ? x->mix : x->work) >= s->least[k])
				x->stratum = k;
		found[x->stratum]++;
	}
	for (int k = 0; k < s->strata; k++)
		if (found[k] <= LEAST_OF_SEVERAL)
			return false;
	return true;
}

void study_open(Study *s, uint64_t seed)
{
	double work = variation_of(s, false), mix = variation_of(s, true);
	int most = s->n / 8;
	s->strata = work < ALIKE && mix < ALIKE ? 1 : most < 1 ? 1 : most < MOST_STRATA ? most : MOST_STRATA;
	s->by_mix = mix > work;
	for (cut_strata(s); !sort_candidates(s) && s->strata > 1; cut_strata(s))
		s->strata--;
	for (int i = 0; i < s->ncandidates; i++)
		s->candidate[i].key = study_mix(study_mix(seed) + (uint64_t)i);
}

/* ---- the estimate ---- */

double study_quantile(double freedom)
{
	static const double t[] = { 12.706, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
		2.228 };
	if (freedom <= 10) {
		int k = freedom < 1 ? 1 : (int)freedom;
		return k == 10 ? t[10] : t[k] + (t[k + 1] - t[k]) * (freedom < 1 ? 0 : freedom - k);
	}
	double z = 1.959964, a = 1 / freedom;   /* Fisher's expansion in 1 / freedom */
	return z + (z * z * z + z) / 4 * a + ((5 * z * z + 16) * z * z * z + 3 * z) / 96 * a * a;
}

static void sum_strata(const Study *s, Stratum *h)
{
	for (int i = 0; i < s->n; i++) {
		const Stretch *x = &s->stretch[i];
		h[x->stratum].n++;
		h[x->stratum].work += x->work;
	}
	for (int i = 0; i < s->ncandidates; i++) {
		const Stretch *x = &s->candidate[i];
		h[x->stratum].candidates++;
		if (!x->timed)
			continue;
		h[x->stratum].timed++;
		h[x->stratum].timed_work += x->work;
		h[x->stratum].cycles += x->cycles;
	}
	for (int i = 0; i < s->ncandidates; i++) {
		const Stretch *x = &s->candidate[i];
		Stratum *k = &h[x->stratum];
		if (x->timed && k->timed_work > 0) {
			double e = x->cycles - k->cycles / k->timed_work * x->work;
			k->squares += e * e;
		}
	}
}

static int least_timed(const Study *s, const Stratum *h)
{
	int least = s->strata == 1 ? LEAST_ALONE : LEAST_OF_SEVERAL;
	return h->n < least ? h->n : least;
}

/* The variance of a stretch's cycles about what its work says, over all strata, as a share of the square of
   what the work says. */
static double pooled_variance(const Study *s, const Stratum *h)
{
	double squares = 0, freedom = 0;
	for (int k = 0; k < s->strata; k++) {
		if (h[k].timed < 2)
			continue;
		double mean = h[k].cycles / h[k].timed;
		squares += mean > 0 ? h[k].squares / (mean * mean) : 0;
		freedom += h[k].timed - 1;
	}
	return freedom > 0 ? squares / freedom : 0;
}

/* The variance of a stretch of the stratum. Few stretches tell little: the other strata tell as much as one
   more stretch would. */
static double stratum_variance(const Stratum *h, double pooled)
{
	if (h->timed < 1)
		return 0;
	double mean = h->cycles / h->timed;
	return (h->squares + pooled * mean * mean) / h->timed;
}

/* The variance of the stratum's estimate, with the correction for a finite number of stretches. */
static double estimate_variance(const Stratum *h, double pooled)
{
	if (h->timed < 1 || h->timed >= h->n)
		return 0;
	double left = 1 - (double)h->timed / h->n, n = h->n;
	return n * n * left * stratum_variance(h, pooled) / h->timed;
}

/* How much longer, on average, the second half of a timed stretch took than the first, as a share: in a
   machine at rest only by chance. */
static double find_trend(const Study *s)
{
	double sum = 0, squares = 0;
	int n = 0;
	for (int i = 0; i < s->ncandidates; i++) {
		const Stretch *x = &s->candidate[i];
		if (!x->timed || x->half[0] + x->half[1] <= 0)
			continue;
		double d = 2 * (x->half[1] - x->half[0]) / (x->half[0] + x->half[1]);
		sum += d;
		squares += d * d;
		n++;
	}
	if (n < 2)
		return 0;
	double mean = sum / n, v = (squares - n * mean * mean) / (n - 1), error = v > 0 ? sqrt(v / n) : 0;
	return fabs(mean) > 2 * error ? fabs(mean) / 2 : 0;
}

Estimate study_estimate(const Study *s)
{
	Stratum h[MOST_STRATA] = { 0 };
	Estimate e = { .known = true };
	double variance = 0, freedom = 0;
	sum_strata(s, h);
	double pooled = pooled_variance(s, h);
	for (int k = 0; k < s->strata; k++) {
		e.known = e.known && h[k].timed >= least_timed(s, &h[k]);
		e.timed += h[k].timed;
		if (!h[k].timed)
			continue;
		e.cycles += h[k].timed_work > 0 ? h[k].cycles / h[k].timed_work * h[k].work : 0;
		variance += estimate_variance(&h[k], pooled);
		freedom += h[k].timed - 1;
	}
	e.half = study_quantile(freedom) * sqrt(variance);
	e.trend = find_trend(s) * e.cycles;
	return e;
}

int study_next(const Study *s)
{
	Stratum h[MOST_STRATA] = { 0 };
	int stratum = -1, next = -1;
	double most = -1;
	sum_strata(s, h);
	double pooled = pooled_variance(s, h);
	for (int k = 0; k < s->strata; k++) {
		if (h[k].timed == h[k].candidates)
			continue;
		double gain = h[k].timed < least_timed(s, &h[k]) ? INFINITY
			: estimate_variance(&h[k], pooled) / (h[k].timed + 1);
		if (gain > most) {
			most = gain;
			stratum = k;
		}
	}
	for (int i = 0; i < s->ncandidates; i++) {
		const Stretch *x = &s->candidate[i];
		if (x->stratum == stratum && !x->timed && (next < 0 || x->key < s->candidate[next].key))
			next = i;
	}
	return next;
}
