/* Iterated dominance frontiers by Sreedhar and Gao. Definitions are taken from the deepest in the dominator
 * tree on. The subtree of each is walked, and no node twice; an edge that leads out of it to a node no deeper
 * than the definition leads to a place where definitions meet. */
#include "passes/analysis/ssa.h"
#include "lib/heap.h"

DomFrontier *frontier_new(Arena *a, const Graph *g, const Dom *d)
{
	DomFrontier *x = arena_new(a, DomFrontier);
	int n = g->n, **all[] = { &x->child_first, &x->child, &x->seen, &x->marked, &x->key, &x->heap,
		&x->stack };
	x->g = g;
	x->dom = d;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = arena_array(a, int, n + 2);
	for (int b = 0; b < n; b++) {
		x->key[b] = -d->depth[b]; /* the heap has the deepest node on top */
		if (d->idom[b] >= 0)
			x->child_first[d->idom[b] + 2]++;
	}
	for (int b = 0; b < n; b++)
		x->child_first[b + 1] += x->child_first[b];
	for (int b = 0; b < n; b++)
		if (d->idom[b] >= 0)
			x->child[x->child_first[d->idom[b] + 1]++] = b;
	x->stamp = 1;
	return x;
}

void frontier_add(DomFrontier *x, int node)
{
	if (x->marked[node] == x->stamp)
		return;
	x->marked[node] = x->stamp;
	heap_push(x->heap, &x->nheap, x->key, node);
}

static bool is_wanted_node(const DomFrontier *x, int node) { return !x->wanted || x->wanted(x->self, node); }

/* Walks the subtree of one definition. marked[] is stamp for a definition and -stamp for a result, which
   counts as a definition from then on. */
static int walk_subtree(DomFrontier *x, int root, int *result, int n)
{
	int top = 0, level = x->dom->depth[root];
	x->stack[top++] = root;
	x->seen[root] = x->stamp;
	while (top) {
		int z = x->stack[--top];
		const IntList *to = &x->g->succ[z];
		for (int k = 0; k < to->n; k++) {
			int y = to->v[k];
			if (x->dom->idom[y] == z || x->dom->depth[y] > level || x->marked[y] == -x->stamp ||
				!is_wanted_node(x, y))
				continue;
			if (x->marked[y] != x->stamp)
				heap_push(x->heap, &x->nheap, x->key, y);
			x->marked[y] = -x->stamp;
			result[n++] = y;
		}
		for (int k = x->child_first[z]; k < x->child_first[z + 1]; k++)
			if (x->seen[x->child[k]] != x->stamp && is_wanted_node(x, x->child[k])) {
				x->seen[x->child[k]] = x->stamp;
				x->stack[top++] = x->child[k];
			}
	}
	return n;
}

int frontier_find(DomFrontier *x, int *result)
{
	int n = 0;
	while (x->nheap)
		n = walk_subtree(x, heap_pop(x->heap, &x->nheap, x->key), result, n);
	x->stamp++;
	return n;
}
