/* Option max-pressure: of the instructions that could go or move, so many do as the limit of registers
   allows. How many that is, is tried on copies of the function. */
#include "passes/transform/queries/queries.h"
#include "passes/transform/transform.h"

/* How many registers live at once in the code that emit makes: counted on a copy of the function. */
static int pressure_of_code(Queries *q, void (*emit)(Queries *))
{
	PassRun *r = q->r, trial = *r;
	QueriesDone done = q->done;
	Diag none = { 0 };
	Module *view = module_view(r->m);
	trial.m = view;
	trial.f = view_function(view, r->f->id);
	trial.log = NULL;
	trial.show = NULL;
	function_number(trial.f);
	q->r = &trial;
	emit(q);
	pass_apply(&pass_copy_prop, view, trial.f, NULL, &none);
	int most = pressure_max(trial.f);
	q->r = r;
	done.check.v = q->done.check.v; /* the list may have moved when it grew */
	done.check.cap = q->done.check.cap;
	q->done = done;
	diag_free(&none);
	module_free(view);
	return most;
}

/* Finds the largest k, of n, for which the limit holds when the first k things are chosen, which chosen(q, k)
   does. Returns k, with the first k chosen. */
static int as_many(Queries *q, int n, void (*chosen)(Queries *, int), void (*emit)(Queries *))
{
	int low = 0, high = n;
	chosen(q, n);
	if (pressure_of_code(q, emit) <= q->limit)
		return n;
	for (high = n - 1; low < high;) {
		int mid = low + (high - low + 1) / 2;
		chosen(q, mid);
		if (pressure_of_code(q, emit) <= q->limit)
			low = mid;
		else
			high = mid - 1;
	}
	chosen(q, low);
	return low;
}

static void say(Queries *q, int n)
{
	if (!n)
		return;
	q->done.refused += n;
	pass_remark(q->r, q->r->f->loc, "%d that might go or move stay: more than %d registers would live at "
		"once", n, q->limit);
}

/* ---- what goes ---- */

static void emit_all(Queries *q) { queries_emit(q); }

static void allow(Queries *q, int n)
{
	for (int k = 0; k < q->nrank; k++)
		q->origin.v[q->rank[k]].barred = k >= n;
	queries_solve(q);
}

/* The number of starts of blocks at which a register has to hold the value, so that it is available at the
   given one. */
static int range_of(Queries *q, int start)
{
	Vec(int) work = { 0 };
	int n = 0, stamp = ++q->stamp;
	if (start >= 0)
		vec_push(&work, start);
	while (work.n) {
		Start *s = &q->start.v[vec_pop(&work)];
		if (s->seen == stamp || !s->avail)
			continue;
		s->seen = stamp;
		n++;
		for (int w = s->first; w < s->first + s->n; w++)
			if (q->way.v[w].end >= 0 && q->end.v[q->way.v[w].end].start >= 0)
				vec_push(&work, q->end.v[q->way.v[w].end].start);
	}
	vec_free(&work);
	return n;
}

typedef struct Rank { int range, origin; } Rank;

static int by_range(const void *x, const void *y)
{
	const Rank *a = x, *b = y;
	if (a->range != b->range)
		return a->range < b->range ? -1 : 1;
	return a->origin < b->origin ? -1 : a->origin > b->origin;
}

/* Lets those origins go first whose values live shortest. */
void queries_fit(Queries *q)
{
	Rank *list = arena_array(&q->arena, Rank, q->origin.n + 1);
	int n = 0;
	for (int o = 0; q->limit && o < q->origin.n; o++)
		if (q->origin.v[o].gone)
			list[n++] = (Rank){ q->origin.v[o].local >= 0 ? 0 : range_of(q, q->origin.v[o].start),
				o };
	if (!n)
		return;
	qsort(list, (size_t)n, sizeof *list, by_range);
	q->rank = arena_array(&q->arena, int, n + 1);
	q->nrank = n;
	for (int k = 0; k < n; k++)
		q->rank[k] = list[k].origin;
	say(q, n - as_many(q, n, allow, emit_all));
}

/* ---- what moves to branches ---- */

static void keep(Queries *q, int n) { q->hoists = n; }

void queries_fit_hoists(Queries *q)
{
	q->hoists = q->hoist.n;
	if (q->limit && q->hoist.n)
		say(q, q->hoist.n - as_many(q, q->hoist.n, keep, hoists_emit));
}
