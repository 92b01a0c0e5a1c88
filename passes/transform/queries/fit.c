/* Option max-pressure: of the instructions that could go or move, so many do as the limit of registers
   allows. How many that is, is tried on copies of the function. */
#include "passes/fit.h"
#include "passes/transform/queries/queries.h"

/* choose(q, k) chooses the first k of some things, and emit makes the code of those that are chosen. chosen:
   how many are. */
typedef struct QueryFitting {
	Queries *q;
	void (*choose)(Queries *, int);
	void (*emit)(Queries *);
	int chosen;
} QueryFitting;

static void choose_first(QueryFitting *x, int k)
{
	if (x->chosen != k)
		x->choose(x->q, k);
	x->chosen = k;
}

static void emit_first(void *self, PassRun *trial, int k)
{
	QueryFitting *x = self;
	Queries *q = x->q;
	PassRun *r = q->r;
	choose_first(x, k);
	QueriesDone done = q->done;
	q->r = trial;
	x->emit(q);
	q->r = r;
	done.check.v = q->done.check.v; /* the list may have moved when it grew */
	done.check.cap = q->done.check.cap;
	q->done = done;
}

/* Chooses as many of the n things as the limit of registers allows, and returns how many that are. */
static int choose_fitting(Queries *q, int n, void (*choose)(Queries *, int), void (*emit)(Queries *))
{
	QueryFitting x = { q, choose, emit, -1 };
	choose_first(&x, fit_changes(q->r, n, q->limit, emit_first, &x));
	return x.chosen;
}

static void say_refused(Queries *q, int n)
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
static int count_range(Queries *q, int start)
{
	Vec(int) work = { 0 };
	int n = 0, stamp = ++q->stamp;
	if (start >= 0)
		vec_push(&work, start);
	while (work.n) {
		QueryStart *s = &q->start.v[vec_pop(&work)];
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

typedef struct QueryRank { int range, origin; } QueryRank;

static int by_range(const void *x, const void *y)
{
	const QueryRank *a = x, *b = y;
	if (a->range != b->range)
		return a->range < b->range ? -1 : 1;
	return a->origin < b->origin ? -1 : a->origin > b->origin;
}

/* Lets those origins go first whose values live shortest. */
void queries_fit(Queries *q)
{
	QueryRank *list = arena_array(&q->arena, QueryRank, q->origin.n + 1);
	int n = 0;
	for (int o = 0; q->limit && o < q->origin.n; o++)
		if (q->origin.v[o].gone)
			list[n++] = (QueryRank){ q->origin.v[o].local >= 0 ? 0
				: count_range(q, q->origin.v[o].start),
				o };
	if (!n)
		return;
	qsort(list, (size_t)n, sizeof *list, by_range);
	q->rank = arena_array(&q->arena, int, n + 1);
	q->nrank = n;
	for (int k = 0; k < n; k++)
		q->rank[k] = list[k].origin;
	say_refused(q, n - choose_fitting(q, n, allow, emit_all));
}

/* Keeps those origins that may not go. Without them others may have no answer any more, or another one. */
void queries_ask(Queries *q)
{
	bool *asked = arena_array(&q->arena, bool, q->origin.n + 1);
	for (bool again = true; again;) {
		again = false;
		for (int o = 0; o < q->origin.n; o++) {
			QueryOrigin *y = &q->origin.v[o];
			if (!y->gone || asked[o])
				continue;
			const Ins *i = query_ins(q, &q->mem.access[y->access]);
			asked[o] = true;
			y->barred |= !pass_may_change(q->r, ins_loc(q->r->m, i),
				"%s of %s taken from a register", op_info[i->op].name,
				q->c->f->block.v[q->mem.access[y->access].block]->label);
			again |= y->barred;
		}
		if (again)
			queries_solve(q);
	}
}

/* ---- what moves to branches ---- */

static void keep_hoists(Queries *q, int n) { q->hoists = n; }

void queries_fit_hoists(Queries *q)
{
	q->hoists = q->hoist.n;
	if (q->limit && q->hoist.n)
		say_refused(q, q->hoist.n - choose_fitting(q, q->hoist.n, keep_hoists, hoists_emit));
	for (int k = 0; k < q->hoists; k++) {
		const Ins *i = query_load(q, q->found.v[q->hoist.v[k].first]);
		const Block *b = q->c->f->block.v[q->hoist.v[k].block];
		if (!pass_may_change(q->r, ins_loc(q->r->m, i), "%s moved to the branch of %s",
			op_info[i->op].name, b->label))
			keep_hoists(q, k);
	}
}
