/* The worklist holds positions in the order of nodes. It is gone through again and again from its start, so
 * that on a reducible graph a solution takes about as many rounds as loops are nested; a node is visited
 * again only when what comes into it may have changed. */
#include "passes/analysis/flow.h"

BitSet *flow_sets(Arena *a, int n, int bits)
{
	int words = (bits + 63) / 64;
	BitSet *s = arena_array(a, BitSet, n + 1);
	uint64_t *w = arena_array(a, uint64_t, (size_t)n * (size_t)words + 1);
	for (int k = 0; k < n; k++)
		s[k] = (BitSet){ w + (size_t)k * (size_t)words, words };
	return s;
}

static void fill_set(BitSet s, int bits)
{
	memset(s.w, 0xff, (size_t)bits / 64 * sizeof *s.w);
	if (bits % 64)
		s.w[bits / 64] = ((uint64_t)1 << bits % 64) - 1;
}

static inline uint64_t set_word(const BitSet *s, int node, int k) { return s ? s[node].w[k] : 0; }

/* Sets `set` to what node `from` sends to node `to` in the direction of the problem: backward, the graph's
   edge leads from `to` to `from`. */
static void send_flow(const Flow *x, int from, int to, BitSet set)
{
	for (int k = 0; k < set.n; k++)
		set.w[k] = set_word(x->sgen, from, k) | (x->after[from].w[k] & ~set_word(x->skill, from, k));
	if (x->edge)
		x->edge(x->self, x->backward ? to : from, x->backward ? from : to, set);
}

static void meet_sets(bool all, bool first, BitSet into, BitSet set)
{
	for (int k = 0; k < into.n; k++)
		into.w[k] = first ? set.w[k] : all ? into.w[k] & set.w[k] : into.w[k] | set.w[k];
}

/* Solves the equations of one node once. Returns true when its `after` has changed. */
static bool visit_flow_node(const Flow *x, int node, BitSet in, BitSet sent)
{
	const IntList *from = x->backward ? &x->g->succ[node] : &x->g->pred[node];
	bool first = true, all = x->all != (x->other.w && bs_has(x->other, node));
	for (int k = 0; k < from->n; k++) {
		send_flow(x, from->v[k], node, sent);
		meet_sets(all, first, in, sent);
		first = false;
	}
	if (first || (!x->backward && node == x->order[0])) {
		if (x->boundary.w)
			bs_copy(sent, x->boundary);
		else
			bs_clear(sent);
		meet_sets(all, first, in, sent);
	}
	bool changed = false;
	for (int k = 0; k < in.n; k++) {
		uint64_t w = set_word(x->gen, node, k) | (in.w[k] & ~set_word(x->kill, node, k));
		changed |= w != x->after[node].w[k];
		x->before[node].w[k] = in.w[k];
		x->after[node].w[k] = w;
	}
	return changed;
}

void flow_solve(Arena *a, Flow *x)
{
	Arena tmp = { 0 };
	BitSet in = bs_new(&tmp, x->bits), sent = bs_new(&tmp, x->bits), waits = bs_new(&tmp, x->norder);
	int *at = arena_array(&tmp, int, x->g->n + 1), last = x->norder - 1;
	x->before = flow_sets(a, x->g->n, x->bits);
	x->after = flow_sets(a, x->g->n, x->bits);
	for (int b = 0; b < x->g->n; b++)
		at[b] = -1;
	for (int k = 0; k < x->norder; k++) {
		int node = x->order[k];
		at[node] = x->backward ? last - k : k;
		bs_add(waits, k);
		if (x->greatest) {
			fill_set(x->before[node], x->bits);
			fill_set(x->after[node], x->bits);
		}
	}
	for (int p = bs_next(waits, 0); p >= 0;) {
		int node = x->order[x->backward ? last - p : p];
		const IntList *to = x->backward ? &x->g->pred[node] : &x->g->succ[node];
		bs_del(waits, p);
		x->visits++;
		if (visit_flow_node(x, node, in, sent))
			for (int k = 0; k < to->n; k++)
				if (at[to->v[k]] >= 0)
					bs_add(waits, at[to->v[k]]);
		p = bs_next(waits, p);
		if (p < 0)
			p = bs_next(waits, 0);
	}
	arena_free(&tmp);
}

Graph *flow_halves(Arena *a, const Cfg *c, int *order, int *norder)
{
	Graph *g = graph_new(a, 2 * c->n);
	*norder = 0;
	for (int i = 0; i < c->nreach; i++) {
		int b = c->rpo[i]->id;
		order[(*norder)++] = 2 * b;
		order[(*norder)++] = 2 * b + 1;
		graph_edge(g, 2 * b, 2 * b + 1);
		for (int k = 0; k < c->graph->succ[b].n; k++)
			graph_edge(g, 2 * b + 1, 2 * c->graph->succ[b].v[k]);
	}
	return g;
}
