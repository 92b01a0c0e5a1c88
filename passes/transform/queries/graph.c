/* Builds the graph of queries, whose nodes are pairs of a block and a key, and finds its greatest
   solution. */
#include "passes/transform/queries/queries.h"

/* ---- the graph ---- */

static int start_node(Queries *q, int block, int key, int shifts)
{
	int n = keys_number(&q->starts, (int64_t[]){ block, key }, 2);
	if (n == q->start.n)
		vec_push(&q->start, ((QueryStart){ .block = block, .key = key, .shifts = shifts, .end = -1,
			.safe = -1 }));
	QueryStart *s = &q->start.v[n];
	if (shifts < s->shifts)
		s->shifts = shifts;
	return n;
}

static int end_node(Queries *q, int block, int key, int shifts)
{
	int n = keys_number(&q->ends, (int64_t[]){ block, key }, 2);
	if (n < q->end.n)
		return n;
	End e = { .block = block, .key = key, .start = -1, .user = -1 };
	q->done.asked++;
	e.kind = query_up(q, key, block, q->c->f->block.v[block]->ins.n, &e.access);
	if (e.kind == LOCAL_PASS)
		e.start = start_node(q, block, key, shifts);
	vec_push(&q->end, e);
	if (e.start >= 0)
		q->start.v[e.start].end = n;
	return n;
}

static void expand_start(Queries *q, int s)
{
	int block = q->start.v[s].block;
	const IntList *pred = &q->c->graph->pred[block];
	q->start.v[s].first = q->way.n;
	q->start.v[s].n = pred->n;
	q->start.v[s].expanded = true;
	for (int k = 0; k < pred->n; k++) {
		int shifts = q->start.v[s].shifts, key = query_over(q, q->start.v[s].key, pred->v[k], block,
			k, &shifts);
		q->patience--;
		QueryWay w = { .start = s, .pred = pred->v[k], .end = -1, .next = -1, .address = -1 };
		if (key >= 0 && shifts <= q->most_shifts && q->patience > 0)
			w.end = end_node(q, pred->v[k], key, shifts);
		if (w.end >= 0) {
			w.next = q->end.v[w.end].user;
			q->end.v[w.end].user = q->way.n;
		}
		vec_push(&q->way, w);
	}
}

static bool is_rewritten(void *self, const MemAtom *a)
{
	const Queries *q = self;
	return a->kind == ATOM_TURN || (a->kind == ATOM_VERSION && q->ssa->version[a->id].ins == SSA_PHI);
}

/* Can the value have been computed on no path to the instruction that asks for it? So it is if no other
   instruction has the same key (QueryOrigin.key), no edge changes the key, and the instruction is in no
   cycle, so that the question does not come back to it. */
static bool is_alone(Queries *q, const QueryOrigin *x)
{
	return q->next_of[q->first_of.v[x->key]] < 0 && q->c->nest->of[q->mem.access[x->access].block] < 0 &&
		!key_mentions(q, x->key, is_rewritten, q);
}

/* Nodes are expanded in the order of their shifts, so that each one gets the least number of them. */
void queries_build(Queries *q)
{
	for (int o = 0; o < q->origin.n; o++) {
		QueryOrigin *x = &q->origin.v[o];
		/* a pass that speculates needs the ways that have no value, too (hoist.c) */
		if (!q->parts && is_alone(q, x))
			continue;
		const MemAccess *a = &q->mem.access[x->access];
		int found = -1;
		LocalKind kind = query_up(q, x->key, a->block, a->ins, &found);
		q->done.asked++;
		x->local = kind == LOCAL_FOUND ? found : -1;
		x->start = kind == LOCAL_PASS ? start_node(q, a->block, x->key, 0) : -1;
	}
	for (int level = 0; level <= q->most_shifts; level++)
		for (int s = 0; s < q->start.n; s++)
			if (!q->start.v[s].expanded && q->start.v[s].shifts <= level)
				expand_start(q, s);
}

/* ---- the solution ---- */

static bool end_avail(const Queries *q, int e)
{
	return e >= 0 && (q->end.v[e].kind == LOCAL_FOUND ||
		(q->end.v[e].start >= 0 && q->start.v[q->end.v[e].start].avail));
}


/* May the load be inserted at the end of the predecessor from which this way comes? */
static bool insertable(Queries *q, QueryWay *w)
{
	QueryStart *s = &q->start.v[w->start];
	if (w->end < 0 || (q->outside && q->outside[w->pred]))
		return false;
	if (s->safe < 0) {
		s->found = q->found.n;
		s->safe = query_ahead(q, s->key, s->block);
		s->nfound = q->found.n - s->found;
		for (int k = s->found; k < q->found.n; k++)
			s->marked |= query_load(q, q->found.v[k])->flags & INSF_NONFAULTING;
	}
	if (s->safe && w->address < 0)
		w->address = query_address(q, q->end.v[w->end].key, w->pred, &w->at);
	return s->safe && w->address > 0;
}

static bool start_holds(Queries *q, const QueryStart *s)
{
	if (!s->expanded || !s->n || s->block == q->c->rpo[0]->id)
		return false;
	for (int w = s->first; w < s->first + s->n; w++)
		if (!end_avail(q, q->way.v[w].end) && !insertable(q, &q->way.v[w]))
			return false;
	return true;
}

typedef Vec(int) StartWork;

static void drop_start(Queries *q, int s, StartWork *work)
{
	q->start.v[s].avail = false;
	for (int w = q->start.v[s].end >= 0 ? q->end.v[q->start.v[s].end].user : -1; w >= 0;
		w = q->way.v[w].next)
		vec_push(work, q->way.v[w].start);
}

static void settle_starts(Queries *q, StartWork *work)
{
	while (work->n) {
		int s = vec_pop(work);
		if (q->start.v[s].avail && !start_holds(q, &q->start.v[s]))
			drop_start(q, s, work);
	}
}

/* Sets `real` in those available Starts of which some way leads from an access that has the value. */
static void find_real(Queries *q, StartWork *work)
{
	for (int s = 0; s < q->start.n; s++)
		q->start.v[s].real = false;
	for (int e = 0; e < q->end.n; e++)
		for (int w = q->end.v[e].kind == LOCAL_FOUND ? q->end.v[e].user : -1; w >= 0;
			w = q->way.v[w].next)
			vec_push(work, q->way.v[w].start);
	while (work->n) {
		QueryStart *s = &q->start.v[vec_pop(work)];
		if (!s->avail || s->real)
			continue;
		s->real = true;
		for (int w = s->end >= 0 ? q->end.v[s->end].user : -1; w >= 0; w = q->way.v[w].next)
			vec_push(work, q->way.v[w].start);
	}
}

static bool inserts(const Queries *q, const QueryStart *s)
{
	for (int w = s->first; w < s->first + s->n; w++)
		if (!end_avail(q, q->way.v[w].end))
			return true;
	return false;
}

static bool origin_gone(const Queries *q, const QueryOrigin *o)
{
	return !o->barred && (o->local >= 0 || (o->start >= 0 && q->start.v[o->start].avail));
}

/* Does it pay to insert loads for this QueryStart? All accesses by which it is anticipated have to go, or
   some way would have one load more. */
static bool inserting_pays(const Queries *q, const QueryStart *s)
{
	for (int k = s->found; k < s->found + s->nfound; k++)
		if (!origin_gone(q, &q->origin.v[q->origin_of[q->found.v[k]]]))
			return false;
	return s->real;
}

void queries_solve(Queries *q)
{
	StartWork work = { 0 };
	for (int s = 0; s < q->start.n; s++)
		q->start.v[s].avail = true;
	find_real(q, &work);
	for (int s = 0; s < q->start.n; s++) {
		/* the others cannot be available: nothing is inserted for them, and then the answer of some
		   way is that of the function's start, which is no */
		q->start.v[s].avail = q->start.v[s].hoped = q->start.v[s].real;
		if (q->start.v[s].avail)
			vec_push(&work, s);
	}
	for (bool again = true; again;) {
		settle_starts(q, &work);
		find_real(q, &work);
		again = false;
		for (int s = 0; s < q->start.n; s++)
			if (q->start.v[s].avail && inserts(q, &q->start.v[s]) &&
				!inserting_pays(q, &q->start.v[s])) {
				drop_start(q, s, &work);
				again = true;
			}
	}
	for (int o = 0; o < q->origin.n; o++)
		q->origin.v[o].gone = origin_gone(q, &q->origin.v[o]);
	vec_free(&work);
}
