#include "passes/analysis/graph.h"
#include "lib/diag.h"
#include "lib/heap.h"

bool list_has(const IntList *l, int x)
{
	for (int i = 0; i < l->n; i++)
		if (l->v[i] == x)
			return true;
	return false;
}

static void append(Arena *a, IntList *l, int x)
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
		append(a, l, x);
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
	if (s->n <= p->n ? list_has(s, to) : list_has(p, from)) /* one node may have very many edges, rarely both */
		return;
	append(g->arena, s, to);
	append(g->arena, p, from);
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

/* ---- strongly connected components of a part, in topological order ---- */

typedef struct Part { int *node; int n, loop; } Part; /* loop: the innermost one around it, -1 = none */

typedef struct Order {
	Arena *arena;
	const Graph *g;
	int *part_of;              /* node -> stamp of the part it belongs to; only equal stamps see each other */
	int stamp;
	int *index, *low, *comp, *stack, *call, *edge; /* Tarjan's */
	Nest *nest;
	int nloop, cap;
	int *header, *parent;
} Order;

/* Tarjan's algorithm without recursion; numbers the components in reverse topological order; returns their number. */
static int components(Order *o, const Part *p)
{
	int next = 1, ncomp = 0, top = 0, calls = 0;
	for (int i = 0; i < p->n; i++) {
		o->index[p->node[i]] = 0;
		o->comp[p->node[i]] = -1;
	}
	for (int i = 0; i < p->n; i++) {
		if (o->index[p->node[i]])
			continue;
		o->call[calls++] = p->node[i];
		o->edge[p->node[i]] = 0;
		o->index[p->node[i]] = o->low[p->node[i]] = next++;
		o->stack[top++] = p->node[i];
		while (calls) {
			int b = o->call[calls - 1];
			if (o->edge[b] < o->g->succ[b].n) {
				int s = o->g->succ[b].v[o->edge[b]++];
				if (o->part_of[s] != o->part_of[b])
					continue;
				if (!o->index[s]) {
					o->index[s] = o->low[s] = next++;
					o->edge[s] = 0;
					o->stack[top++] = s;
					o->call[calls++] = s;
				} else if (o->comp[s] < 0 && o->index[s] < o->low[b]) {
					o->low[b] = o->index[s];
				}
				continue;
			}
			calls--;
			if (calls && o->low[b] < o->low[o->call[calls - 1]])
				o->low[o->call[calls - 1]] = o->low[b];
			if (o->low[b] == o->index[b]) {
				int s;
				do {
					s = o->stack[--top];
					o->comp[s] = ncomp;
				} while (s != b);
				ncomp++;
			}
		}
	}
	return ncomp;
}

/* The smallest entry of a component: the node that has a predecessor outside it; none: the smallest node. */
static int header_of(const Order *o, const Part *p)
{
	int entry = -1, least = -1;
	for (int i = 0; i < p->n; i++) {
		int b = p->node[i];
		if (least < 0 || b < least)
			least = b;
		if (entry >= 0 && b > entry)
			continue;
		for (int k = 0; k < o->g->pred[b].n; k++) {
			int q = o->g->pred[b].v[k];
			if (o->part_of[q] != o->part_of[b] || o->comp[q] != o->comp[b]) {
				entry = b;
				break;
			}
		}
	}
	return entry >= 0 ? entry : least;
}

/* Splits a part into its components and pushes them so that the first in topological order is popped first. */
static void split(Order *o, const Part *p, Part *todo, int *ntodo, int *head)
{
	int nc = components(o, p);
	Part *part = xcalloc((size_t)nc, sizeof *part);
	int *key = xmalloc(sizeof(int) * (size_t)nc), *waits = xcalloc((size_t)nc, sizeof(int));
	int *heap = xmalloc(sizeof(int) * (size_t)nc), *sorted = xmalloc(sizeof(int) * (size_t)nc), nheap = 0, n = 0;
	for (int i = 0; i < p->n; i++)
		part[o->comp[p->node[i]]].n++;
	for (int c = 0; c < nc; c++) {
		part[c].node = arena_array(o->arena, int, part[c].n);
		part[c].loop = p->loop;
		part[c].n = 0;
	}
	for (int i = 0; i < p->n; i++) {
		int b = p->node[i], c = o->comp[b];
		part[c].node[part[c].n++] = b;
		for (int k = 0; k < o->g->succ[b].n; k++) {
			int s = o->g->succ[b].v[k];
			if (o->part_of[s] == o->part_of[b] && o->comp[s] != c)
				waits[o->comp[s]]++;
		}
	}
	for (int c = 0; c < nc; c++)
		key[c] = header_of(o, &part[c]);
	for (int c = 0; c < nc; c++)
		if (!waits[c])
			heap_push(heap, &nheap, key, c);
	while (nheap) {
		int c = heap_pop(heap, &nheap, key);
		sorted[n++] = c;
		for (int i = 0; i < part[c].n; i++)
			for (int k = 0, b = part[c].node[i]; k < o->g->succ[b].n; k++) {
				int s = o->g->succ[b].v[k];
				if (o->part_of[s] == o->part_of[b] && o->comp[s] != c && --waits[o->comp[s]] == 0)
					heap_push(heap, &nheap, key, o->comp[s]);
			}
	}
	must(n == nc);
	for (int i = n; i-- > 0;) {
		head[*ntodo] = key[sorted[i]];
		todo[(*ntodo)++] = part[sorted[i]];
	}
	free(part);
	free(key);
	free(waits);
	free(heap);
	free(sorted);
}

static bool cyclic(const Graph *g, const Part *p) { return p->n > 1 || list_has(&g->succ[p->node[0]], p->node[0]); }

static int add_loop(Order *o, int header, int parent)
{
	o->header[o->nloop] = header;
	o->parent[o->nloop] = parent;
	return o->nloop++;
}

static void order_init(Order *o, Arena *a, const Graph *g)
{
	*o = (Order){ .arena = a, .g = g };
	int **all[] = { &o->part_of, &o->index, &o->low, &o->comp, &o->stack, &o->call, &o->edge, &o->header, &o->parent };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = arena_array(a, int, g->n + 1);
}

int graph_order(Arena *a, const Graph *g, BitSet in, int *order, Nest *nest)
{
	Order o;
	order_init(&o, a, g);
	Part all = { arena_array(a, int, g->n + 1), 0, -1 };
	Part *todo = xmalloc(sizeof *todo * (size_t)(g->n + 1));
	int *head = xmalloc(sizeof *head * (size_t)(g->n + 1)), *of = arena_array(a, int, g->n + 1);
	int ntodo = 0, n = 0;
	for (int b = 0; b < g->n; b++)
		of[b] = -1;
	bs_each(in, b) {
		all.node[all.n++] = b;
		o.part_of[b] = 1;
	}
	o.stamp = 1;
	if (all.n)
		split(&o, &all, todo, &ntodo, head);
	while (ntodo) {
		Part p = todo[--ntodo];
		int h = head[ntodo];
		order[n++] = h;
		of[h] = p.loop;
		if (!cyclic(g, &p))
			continue;
		int loop = of[h] = add_loop(&o, h, p.loop), k = 0;
		o.stamp++;
		for (int i = 0; i < p.n; i++)
			if (p.node[i] != h) {
				o.part_of[p.node[i]] = o.stamp;
				p.node[k++] = p.node[i];
			}
		o.part_of[h] = -1;
		p.n = k;
		p.loop = loop;
		if (k)
			split(&o, &p, todo, &ntodo, head);
	}
	if (nest)
		*nest = (Nest){ o.nloop, o.header, o.parent, of };
	free(todo);
	free(head);
	return n;
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
