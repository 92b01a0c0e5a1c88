/* Immediate dominators: Lengauer and Tarjan, A Fast Algorithm for Finding Dominators in a Flowgraph (TOPLAS
 * 1979), with path compression alone: O(edges * log nodes) on any graph, long chains and irreducible ladders
 * included. */
#include "passes/analysis/graph.h"

typedef struct IdomTree { /* arrays are by the number of a node in depth-first order, from 1 on; 0 = none */
	int n, *node;
	int *number;               /* by node: its number in depth-first order; 0: not reached */
	int *parent, *semi, *label, *up, *bucket, *next, *dom;
	int *path;                 /* stack of eval, which compresses paths */
} IdomTree;

static void number_node(IdomTree *t, int node, int parent)
{
	int v = ++t->n;
	t->node[v] = node;
	t->number[node] = v;
	t->parent[v] = parent;
	t->semi[v] = t->label[v] = v;
}

static void depth_first(IdomTree *t, const Graph *g, bool backward, int root, const bool *in)
{
	/* nobody else uses these two until the search is over */
	int *edge = t->next, *stack = t->path, top = 0;
	number_node(t, root, 0);
	stack[top++] = root;
	while (top) {
		int b = stack[top - 1];
		const IntList *to = backward ? &g->pred[b] : &g->succ[b];
		if (edge[t->number[b]] == to->n) {
			top--;
			continue;
		}
		int s = to->v[edge[t->number[b]]++];
		if (in[s] && !t->number[s]) {
			number_node(t, s, t->number[b]);
			stack[top++] = s;
		}
	}
	memset(t->next, 0, sizeof *t->next * (size_t)(t->n + 1));
}

/* The node with the least semidominator on the way up from v in the forest so far; compresses the path. */
static int eval(IdomTree *t, int v)
{
	int n = 0;
	if (!t->up[v])
		return v;
	for (int u = v; t->up[t->up[u]]; u = t->up[u])
		t->path[n++] = u;
	while (n) {
		int u = t->path[--n], above = t->up[u];
		if (t->semi[t->label[above]] < t->semi[t->label[u]])
			t->label[u] = t->label[above];
		t->up[u] = t->up[above];
	}
	return t->label[v];
}

static void compute_idoms(IdomTree *t, const Graph *g, bool backward)
{
	for (int w = t->n; w > 1; w--) {
		const IntList *from = backward ? &g->succ[t->node[w]] : &g->pred[t->node[w]];
		for (int k = 0; k < from->n; k++) {
			int v = t->number[from->v[k]], s = v ? t->semi[eval(t, v)] : w;
			if (s < t->semi[w])
				t->semi[w] = s;
		}
		t->next[w] = t->bucket[t->semi[w]];
		t->bucket[t->semi[w]] = w;
		int p = t->up[w] = t->parent[w];
		for (int v = t->bucket[p]; v; v = t->next[v]) {
			int u = eval(t, v);
			t->dom[v] = t->semi[u] < t->semi[v] ? u : p;
		}
		t->bucket[p] = 0;
	}
	for (int w = 2; w <= t->n; w++)
		if (t->dom[w] != t->semi[w])
			t->dom[w] = t->dom[t->dom[w]];
}

void graph_idom(const Graph *g, bool backward, const int *order, int norder, int *idom, int *depth)
{
	Arena a = { 0 };
	IdomTree t = { .number = arena_array(&a, int, g->n + 1) };
	int **all[] = { &t.node, &t.parent, &t.semi, &t.label, &t.up, &t.bucket, &t.next, &t.dom, &t.path };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = arena_array(&a, int, norder + 1);
	bool *in = arena_array(&a, bool, g->n + 1);
	for (int b = 0; b < g->n; b++) {
		idom[b] = -1;
		depth[b] = 0;
	}
	for (int i = 0; i < norder; i++)
		in[order[i]] = true;
	if (norder) {
		depth_first(&t, g, backward, order[0], in);
		compute_idoms(&t, g, backward);
	}
	for (int w = 2; w <= t.n; w++) { /* a dominator has a smaller number than the nodes below it */
		int b = t.node[w], d = t.node[t.dom[w]];
		idom[b] = d;
		depth[b] = depth[d] + 1;
	}
	arena_free(&a);
}
