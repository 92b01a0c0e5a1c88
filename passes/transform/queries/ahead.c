/* Finds whether a key is loaded ahead: on every way from a place, or, from a divergent branch, in its arms,
   of which one may be enough. */
#include "passes/transform/queries/queries.h"

/* A key where a block starts. Several keys behind an edge may be the same key before it: it is enough that
   one of these candidates is loaded. next: for each edge to a successor the nodes of its candidates, then -1;
   user: the nodes that have this one in next. holds: the key is loaded ahead, as far as is known; either: one
   edge for which that holds is enough. */
typedef struct Ahead { int block, key, shifts; bool holds, either; Vec(int) next, user; } Ahead;
typedef Vec(Ahead) Aheads;

typedef struct AheadSearch {
	Queries *q;
	/* the branch whose arms are asked about; NULL: all ways up to the function's end are */
	const Branch *from;
	Arena tmp;
	Keys known;
	Aheads all;
	Vec(int) lost;
} AheadSearch;

static int ahead_node(AheadSearch *s, int block, int key, int shifts)
{
	int n = keys_number(&s->known, (int64_t[]){ block, key }, 2);
	if (n == s->all.n)
		vec_push(&s->all, ((Ahead){ .block = block, .key = key, .shifts = shifts, .holds = true }));
	return n;
}

static void candidates(AheadSearch *s, int x, int succ)
{
	Queries *q = s->q;
	int block = s->all.v[x].block, key = s->all.v[x].key, shifts = s->all.v[x].shifts;
	int same = query_over(q, key, block, succ, -1, &shifts);
	if (same >= 0 && shifts <= q->most_shifts) {
		int n = ahead_node(s, succ, same, shifts);
		vec_push(&s->all.v[x].next, n);
	}
	int end = keys_find(&q->ends, (int64_t[]){ block, key }, 2);
	for (int w = end >= 0 ? q->end.v[end].user : -1; w >= 0; w = q->way.v[w].next) {
		const QueryStart *t = &q->start.v[q->way.v[w].start];
		if (t->block == succ && t->key != same) {
			int n = ahead_node(s, succ, t->key, s->all.v[x].shifts);
			vec_push(&s->all.v[x].next, n);
		}
	}
}

static bool still_holds(const AheadSearch *s, const Ahead *x)
{
	bool any = false;
	for (int k = 0; k < x->next.n; k++) {
		if (x->next.v[k] >= 0) {
			any |= s->all.v[x->next.v[k]].holds;
			continue;
		}
		if (any == x->either)
			return any;
		any = false;
	}
	return !x->either;
}

static void lose_ahead(AheadSearch *s, int x)
{
	s->all.v[x].holds = false;
	vec_push(&s->lost, x);
}

/* Asks the block for the key: it is found there, or it cannot be found behind the block's start, or the
   block's successors have to say. */
static LocalKind ask_block(AheadSearch *s, const Ahead *x)
{
	int access = -1;
	LocalKind kind = query_down(s->q, x->key, x->block, &access);
	if (kind == LOCAL_FOUND && s->from && !hoist_takes(s->q, s->from, access))
		return LOCAL_KILLED;
	if (kind == LOCAL_FOUND)
		vec_push(&s->q->found, access);
	return kind;
}

static void expand_ahead(AheadSearch *s, int x, bool root)
{
	Queries *q = s->q;
	int block = s->all.v[x].block;
	const IntList *succ = &q->c->graph->succ[block];
	LocalKind kind = root && s->from ? LOCAL_PASS : ask_block(s, &s->all.v[x]);
	bool holds = kind == LOCAL_FOUND || (kind == LOCAL_PASS && succ->n);
	s->all.v[x].either = s->from && kind == LOCAL_PASS && hoist_either(q, block);
	for (int k = 0; kind == LOCAL_PASS && k < succ->n; k++) {
		if (!s->from || succ->v[k] != s->from->stop)
			candidates(s, x, succ->v[k]);
		vec_push(&s->all.v[x].next, -1);
	}
	for (int k = 0; k < s->all.v[x].next.n; k++)
		if (s->all.v[x].next.v[k] >= 0)
			vec_push(&s->all.v[s->all.v[x].next.v[k]].user, x);
	if (!holds)
		lose_ahead(s, x);
}

static bool search_ahead(AheadSearch *s, int block, int key)
{
	Queries *q = s->q;
	s->known.a = &s->tmp;
	ahead_node(s, block, key, 0);
	for (int x = 0; x < s->all.n && q->patience > 0; x++) {
		q->patience--;
		expand_ahead(s, x, !x);
	}
	for (int x = 0; x < s->all.n; x++)
		if (s->all.v[x].holds && s->all.v[x].next.n && !still_holds(s, &s->all.v[x]))
			lose_ahead(s, x);
	while (s->lost.n) {
		int x = vec_pop(&s->lost);
		for (int k = 0; k < s->all.v[x].user.n; k++) {
			int u = s->all.v[x].user.v[k];
			if (s->all.v[u].holds && !still_holds(s, &s->all.v[u]))
				lose_ahead(s, u);
		}
	}
	bool holds = s->all.v[0].holds && q->patience > 0;
	for (int x = 0; x < s->all.n; x++) {
		vec_free(&s->all.v[x].next);
		vec_free(&s->all.v[x].user);
	}
	vec_free(&s->all);
	vec_free(&s->lost);
	arena_free(&s->tmp);
	return holds;
}

bool query_ahead(Queries *q, int key, int block)
{
	return search_ahead(&(AheadSearch){ .q = q }, block, key);
}

bool query_arms(Queries *q, int key, const Branch *from)
{
	return search_ahead(&(AheadSearch){ .q = q, .from = from }, from->block, key);
}
