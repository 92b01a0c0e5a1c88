/* Iterated dominance frontiers by Sreedhar and Gao: from the deepest definition on, the tree below it is walked once, and edges that leave it
 * for a node no deeper than the definition lead to where definitions meet. */
#include "passes/analysis/ssa.h"

Frontier *frontier_new(Arena *a, const Graph *g, const Dom *d)
{
	Frontier *x = arena_new(a, Frontier);
	int n = g->n, **all[] = { &x->child_first, &x->child, &x->seen, &x->marked, &x->heap, &x->stack };
	x->g = g;
	x->dom = d;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = arena_array(a, int, n + 2);
	for (int b = 0; b < n; b++)
		if (d->idom[b] >= 0)
			x->child_first[d->idom[b] + 2]++;
	for (int b = 0; b < n; b++)
		x->child_first[b + 1] += x->child_first[b];
	for (int b = 0; b < n; b++)
		if (d->idom[b] >= 0)
			x->child[x->child_first[d->idom[b] + 1]++] = b;
	x->stamp = 1;
	return x;
}

static void sift_up(Frontier *x, int node) /* the deepest one lies on top */
{
	int i = x->nheap++;
	const int *depth = x->dom->depth;
	for (; i > 0 && depth[node] > depth[x->heap[(i - 1) / 2]]; i = (i - 1) / 2)
		x->heap[i] = x->heap[(i - 1) / 2];
	x->heap[i] = node;
}

static int take(Frontier *x)
{
	int top = x->heap[0], last = x->heap[--x->nheap], i = 0;
	const int *depth = x->dom->depth;
	for (;;) {
		int c = 2 * i + 1;
		if (c >= x->nheap)
			break;
		if (c + 1 < x->nheap && depth[x->heap[c + 1]] > depth[x->heap[c]])
			c++;
		if (depth[last] >= depth[x->heap[c]])
			break;
		x->heap[i] = x->heap[c];
		i = c;
	}
	x->heap[i] = last;
	return top;
}

void frontier_add(Frontier *x, int node)
{
	if (x->marked[node] == x->stamp)
		return;
	x->marked[node] = x->stamp;
	sift_up(x, node);
}

static bool wanted(const Frontier *x, int node) { return !x->wanted || x->wanted(x->self, node); }

/* marked[] is stamp for definitions, -stamp for results, which are definitions from then on. */
static int walk(Frontier *x, int root, int *result, int n)
{
	int top = 0, level = x->dom->depth[root];
	x->stack[top++] = root;
	x->seen[root] = x->stamp;
	while (top) {
		int z = x->stack[--top];
		const IntList *to = &x->g->succ[z];
		for (int k = 0; k < to->n; k++) {
			int y = to->v[k];
			if (x->dom->idom[y] == z || x->dom->depth[y] > level || x->marked[y] == -x->stamp || !wanted(x, y))
				continue;
			if (x->marked[y] != x->stamp)
				sift_up(x, y);
			x->marked[y] = -x->stamp;
			result[n++] = y;
		}
		for (int k = x->child_first[z]; k < x->child_first[z + 1]; k++)
			if (x->seen[x->child[k]] != x->stamp && wanted(x, x->child[k])) {
				x->seen[x->child[k]] = x->stamp;
				x->stack[top++] = x->child[k];
			}
	}
	return n;
}

int frontier_find(Frontier *x, int *result)
{
	int n = 0;
	while (x->nheap)
		n = walk(x, take(x), result, n);
	x->stamp++;
	return n;
}
