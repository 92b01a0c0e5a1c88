#include "passes/analysis/graph.h"
#include <stdlib.h>

bool list_has(const IntList *l, int x)
{
	for (int i = 0; i < l->n; i++)
		if (l->v[i] == x)
			return true;
	return false;
}

static void append_int(Arena *a, IntList *l, int x)
{
	if (l->n == l->cap) {
		int cap = l->cap ? l->cap * 2 : 4;
		int *v = arena_array(a, int, cap);
		if (l->n)
			memcpy(v, l->v, sizeof *v * (size_t)l->n);
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = x;
}

void list_add(Arena *a, IntList *l, int x)
{
	if (!list_has(l, x))
		append_int(a, l, x);
}

void list_remove(IntList *l, int x)
{
	int k = 0;
	for (int i = 0; i < l->n; i++)
		if (l->v[i] != x)
			l->v[k++] = l->v[i];
	l->n = k;
}

Graph *graph_new(Arena *a, int n)
{
	Graph *g = arena_new(a, Graph);
	g->arena = a;
	g->n = n;
	g->succ = arena_array(a, IntList, n ? n : 1);
	g->pred = arena_array(a, IntList, n ? n : 1);
	return g;
}

void graph_edge(Graph *g, int from, int to)
{
	IntList *s = &g->succ[from], *p = &g->pred[to];
	/* searches the shorter list: one node may have very many edges, but rarely both */
	if (s->n <= p->n ? list_has(s, to) : list_has(p, from))
		return;
	append_int(g->arena, s, to);
	append_int(g->arena, p, from);
}

void graph_cut(Graph *g, int from, int to)
{
	list_remove(&g->succ[from], to);
	list_remove(&g->pred[to], from);
}

void graph_isolate(Graph *g, BitSet set)
{
	bs_each(set, b) {
		for (int k = 0; k < g->succ[b].n; k++)
			list_remove(&g->pred[g->succ[b].v[k]], b);
		for (int k = 0; k < g->pred[b].n; k++)
			list_remove(&g->succ[g->pred[b].v[k]], b);
		g->succ[b].n = g->pred[b].n = 0;
	}
}

void graph_lead(const Graph *g, BitSet set)
{
	int *left = xmalloc(sizeof *left * (size_t)g->n), *todo = xmalloc(sizeof *todo * (size_t)g->n), n = 0;
	for (int b = 0; b < g->n; b++)
		left[b] = g->succ[b].n;
	bs_each(set, b)
		todo[n++] = b;
	while (n) {
		const IntList *from = &g->pred[todo[--n]];
		for (int k = 0; k < from->n; k++)
			if (--left[from->v[k]] == 0 && !bs_has(set, from->v[k])) {
				bs_add(set, from->v[k]);
				todo[n++] = from->v[k];
			}
	}
	free(left);
	free(todo);
}

void graph_reach(const Graph *g, bool backward, int from, BitSet avoid, BitSet into)
{
	if (bs_has(into, from) || bs_has(avoid, from))
		return;
	int *stack = xmalloc(sizeof *stack * (size_t)g->n), top = 0;
	bs_add(into, from);
	stack[top++] = from;
	while (top) {
		int b = stack[--top];
		const IntList *next = backward ? &g->pred[b] : &g->succ[b];
		for (int i = 0; i < next->n; i++) {
			int s = next->v[i];
			if (bs_has(into, s) || bs_has(avoid, s))
				continue;
			bs_add(into, s);
			stack[top++] = s;
		}
	}
	free(stack);
}

int graph_rpo(const Graph *g, bool backward, int root, int *order)
{
	int *stack = xmalloc(sizeof *stack * (size_t)g->n), *edge = xcalloc((size_t)g->n, sizeof *edge);
	int top = 0, at = g->n, n = 0;
	stack[top++] = root;
	edge[root] = 1;
	while (top) {
		int b = stack[top - 1];
		const IntList *next = backward ? &g->pred[b] : &g->succ[b];
		if (edge[b] > next->n) {
			order[--at] = b;
			top--;
			continue;
		}
		int s = next->v[edge[b]++ - 1];
		if (!edge[s]) {
			edge[s] = 1;
			stack[top++] = s;
		}
	}
	for (; at < g->n; at++)
		order[n++] = order[at];
	free(stack);
	free(edge);
	return n;
}
