/* The cycle nest of a graph and the order that follows from it (graph.h says what both are), in nearly linear
 * time.
 *
 * The nest is found as by P. Havlak (Nesting of Reducible and Irreducible Loops, 1997), with G. Ramalingam's
 * treatment of cross edges (Identifying Loops in Almost Linear Time, 1999): the header of each component is
 * the node that a depth-first walk meets first. Where a component has one entry, this is the header wanted.
 * Where it has several, the walk may have come to another entry than the smallest: then the component is
 * searched again, from the smallest one. A tangle whose nest is as deep as it is large would be searched as
 * often as it has nodes; so once NEST_LOOKS nodes have been looked at for each node of the graph, the headers
 * stay as the walk has found them. */
#include "passes/analysis/graph.h"
#include "lib/diag.h"
#include "lib/heap.h"
#include "passes/analysis/tree.h"
#include "passes/constants.h"

/* What one search goes through. node: the nodes of a component, ascending; root: its header; up: the header
   of the loop around it. In the first search: all nodes, and the virtual root */
typedef struct NestPart { int *node; int n, root, up; } NestPart;
typedef struct NestEdge { int from, to, next; } NestEdge;

typedef struct Nester {
	Arena arena;
	const Graph *g;
	/* successors in g, in ascending order: so the walk mostly meets the smallest entry of a component
	   first */
	IntList *succ;
	int top;                       /* the virtual root: the loop around everything */
	IntList all;                   /* successors of the virtual root: all nodes */
	int *part, stamp;              /* part: by node, the stamp of the last part that the node was in */
	/* by node: header of the innermost loop around the node, never the node itself; -1 for the virtual
	   root */
	int *up;
	bool *cyclic;                  /* by node: is it the header of a loop? */
	Tree loops;                    /* the headers of the loops, below top */
	Tree walk;                     /* the depth-first tree of a part */
	/* at: number of a node in the walk; end: that of the last node below it; by: node of a number */
	int *at, *end, *by;
	/* rep: the node into which a node has been merged; due, in: lists of edges, by nearest common
	   ancestor of their ends, by their end */
	int *rep, *due, *in, *mark;
	NestEdge *edge; int nedge;
	int *entry, *stack, *next;
	NestPart *todo; int ntodo;
	int64_t spent;                 /* how many nodes have been looked at */
} Nester;

static bool is_within(const Nester *s, int x, int y) { return s->at[x] <= s->at[y] && s->at[y] <= s->end[x]; }
static int inner(const Nester *s, int x) { return s->cyclic[x] ? x : s->up[x]; }
static int header_depth(const Nester *s, int header) { return s->loops.node[header].depth; }

static int find_rep(int *rep, int x)
{
	while (rep[x] != x)
		x = rep[x] = rep[rep[x]];
	return x;
}

/* The depth-first walk through a part. Returns how many nodes it meets. */
static int walk_part(Nester *s, const NestPart *p)
{
	int n = 0, top = 0;
	for (int k = 0; k < p->n; k++)
		s->at[p->node[k]] = -1;
	tree_root(&s->walk, p->root);
	s->at[p->root] = n;
	s->by[n++] = p->root;
	s->next[p->root] = 0;
	s->stack[top++] = p->root;
	while (top) {
		int b = s->stack[top - 1];
		const IntList *to = b == s->top ? &s->all : &s->succ[b];
		if (s->next[b] == to->n) {
			s->end[b] = n - 1;
			top--;
			continue;
		}
		int x = to->v[s->next[b]++];
		if (s->part[x] != s->stamp || s->at[x] >= 0)
			continue;
		tree_add(&s->walk, x, b, 0);
		s->at[x] = n;
		s->by[n++] = x;
		s->next[x] = 0;
		s->stack[top++] = x;
	}
	return n;
}

static void put_edge(Nester *s, int *list, int from, int to)
{
	s->edge[s->nedge] = (NestEdge){ from, to, *list };
	*list = s->nedge++;
}

static void sort_edges(Nester *s, int n)
{
	s->nedge = 0;
	for (int k = 0; k < n; k++)
		s->due[s->by[k]] = s->in[s->by[k]] = -1;
	for (int k = 0; k < n; k++) {
		int x = s->by[k];
		for (int i = 0; x != s->top && i < s->g->pred[x].n; i++) {
			int y = s->g->pred[x].v[i];
			if (s->part[y] == s->stamp)
				put_edge(s, &s->due[is_within(s, y, x) ? y : is_within(s, x, y) ? x
					: tree_common(&s->walk, x, y)], y, x);
		}
	}
}

/* Merges the body of the loop with header w into w: the nodes that reach w without leaving what is below w in
   the walk. Inner loops have been merged into their headers before. */
static void take_body(Nester *s, int w)
{
	int *body = s->stack, n = 0;
	for (int e = s->due[w], next; e >= 0; e = next) {
		next = s->edge[e].next;
		int from = find_rep(s->rep, s->edge[e].from), to = find_rep(s->rep, s->edge[e].to);
		if (s->edge[e].to != w) {
			s->edge[e].next = s->in[to];
			s->in[to] = e;
			continue;
		}
		s->cyclic[w] = true;
		if (from != w && s->mark[from] != w) {
			s->mark[from] = w;
			body[n++] = from;
		}
	}
	for (int k = 0; k < n; k++)
		for (int e = s->in[body[k]]; e >= 0; e = s->edge[e].next) {
			int from = find_rep(s->rep, s->edge[e].from);
			if (from != w && s->mark[from] != w) {
				s->mark[from] = w;
				body[n++] = from;
			}
		}
	for (int k = 0; k < n; k++)
		s->rep[body[k]] = s->up[body[k]] = w;
}

/* ---- are the headers the smallest entries? ---- */

/* The least depth, over all nodes that lead to x, of the innermost loop around both x and that node. x is an
   entry of those loops around x that are deeper. */
static int entered_from(const Nester *s, const NestPart *p, int x)
{
	int least = header_depth(s, inner(s, x));
	for (int k = 0; k < s->g->pred[x].n && least > header_depth(s, p->root); k++) {
		int q = s->g->pred[x].v[k], around = p->root;
		if (s->part[q] == s->stamp)
			around = inner(s, q) == inner(s, x) ? inner(s, x)
				: tree_common(&s->loops, inner(s, q), inner(s, x));
		if (header_depth(s, around) < least)
			least = header_depth(s, around);
	}
	return least;
}

/* Writes the smallest entry of each loop inside the part; of a loop without entries the smallest node. */
static void find_entries(Nester *s, const NestPart *p, int n)
{
	bool missing = false;
	int base = header_depth(s, p->root) + 1;
	for (int k = 0; k < n; k++) {
		s->entry[s->by[k]] = -1;
		s->rep[s->by[k]] = s->by[k];
	}
	for (int k = 0; k < p->n; k++) {
		int x = p->node[k], least = entered_from(s, p, x);
		for (int l = find_rep(s->rep, inner(s, x)); header_depth(s, l) > least;
			l = find_rep(s->rep, l)) {
			s->entry[l] = x;
			s->rep[l] = s->up[l];
		}
	}
	for (int k = 1; k < n; k++)
		missing |= s->cyclic[s->by[k]] && s->entry[s->by[k]] < 0;
	for (int k = 0; missing && k < p->n; k++) { /* a loop without entries is an outermost one */
		int l = inner(s, p->node[k]);
		if (header_depth(s, l) >= base && s->entry[l = tree_at(&s->loops, l, base)] < 0)
			s->entry[l] = p->node[k];
	}
}

/* Puts those loops on the list of parts whose header is not their smallest entry: they are searched again,
   from that entry. mark: of a node in such a loop the header that the walk has found. */
static void again(Nester *s, const NestPart *p, int n)
{
	bool any = false;
	s->mark[p->root] = -1;
	for (int k = 1; k < n; k++) {
		int x = s->by[k], l = s->up[x];
		s->mark[x] = s->mark[l] >= 0 || !s->cyclic[x] || s->entry[x] == x ? s->mark[l] : x;
		any |= s->mark[x] >= 0;
	}
	if (!any || s->spent > (int64_t)NEST_LOOKS * s->all.n)
		return;
	/* from here on next[old header] is the size of the new part, later its number in todo */
	for (int k = 1; k < n; k++)
		s->next[s->by[k]] = 0;
	for (int k = 1; k < n; k++)
		if (s->mark[s->by[k]] >= 0)
			s->next[s->mark[s->by[k]]]++;
	for (int k = 1; k < n; k++) {
		int x = s->by[k];
		if (s->mark[x] != x)
			continue;
		s->todo[s->ntodo] = (NestPart){ arena_array(&s->arena, int, s->next[x]), 0, s->entry[x],
			s->up[x] };
		s->next[x] = s->ntodo++;
	}
	for (int k = 0; k < p->n; k++) {
		int x = p->node[k];
		if (s->mark[x] < 0)
			continue;
		NestPart *to = &s->todo[s->next[s->mark[x]]];
		to->node[to->n++] = x;
	}
}

static void find_part_loops(Nester *s, const NestPart *p)
{
	s->stamp++;
	s->spent += p->n;
	for (int k = 0; k < p->n; k++) {
		s->part[p->node[k]] = s->stamp;
		s->cyclic[p->node[k]] = false;
	}
	int n = walk_part(s, p);
	must(n == p->n + (p->root == s->top));
	sort_edges(s, n);
	for (int k = 0; k < n; k++) {
		s->rep[s->by[k]] = s->by[k];
		s->mark[s->by[k]] = -1;
		s->up[s->by[k]] = k ? p->root : p->up;
	}
	for (int k = n; k-- > 0;)
		take_body(s, s->by[k]);
	if (p->root != s->top)
		tree_add(&s->loops, p->root, s->up[p->root], 0);
	for (int k = 1; k < n; k++)
		if (s->cyclic[s->by[k]])
			tree_add(&s->loops, s->by[k], s->up[s->by[k]], 0);
	find_entries(s, p, n);
	again(s, p, n);
}

/* ---- the order ---- */

typedef struct NestOrder {
	const Nester *s;
	/* Edges by their start. In place of an end stands the header of the outermost loop that is around
	   this end, but not around the other one. */
	int *to, *next, *first, nedge;
	/* waits: edges to a node from nodes not yet in order; kid, sibling: by header, list of the nodes and
	   inner loops directly inside its loop */
	int *waits, *kid, *sibling;
	int *key, *heap, *stack, n;
} NestOrder;

static void put_in_order(NestOrder *o, int from, int to)
{
	const Nester *s = o->s;
	int a = inner(s, from), b = inner(s, to), l = a == b ? a : tree_common(&s->loops, a, b);
	if (from == l || to == l) /* the header stands first in its loop in any case */
		return;
	from = a == l ? from : tree_at(&s->loops, a, header_depth(s, l) + 1);
	to = b == l ? to : tree_at(&s->loops, b, header_depth(s, l) + 1);
	o->to[o->nedge] = to;
	o->next[o->nedge] = o->first[from];
	o->first[from] = o->nedge++;
	o->waits[to]++;
}

/* Puts what is directly inside a loop onto the stack, the first one on top. */
static void open_ordered_loop(NestOrder *o, int header)
{
	int n = 0, low = o->n;
	for (int x = o->kid[header]; x >= 0; x = o->sibling[x])
		if (!o->waits[x])
			heap_push(o->heap, &n, o->key, x);
	while (n) {
		int x = o->stack[o->n++] = heap_pop(o->heap, &n, o->key);
		for (int e = o->first[x]; e >= 0; e = o->next[e])
			if (--o->waits[o->to[e]] == 0)
				heap_push(o->heap, &n, o->key, o->to[e]);
	}
	for (int high = o->n - 1; low < high; low++, high--) {
		int x = o->stack[low];
		o->stack[low] = o->stack[high];
		o->stack[high] = x;
	}
}

static int put_nodes(NestOrder *o, int *order, Nest *nest, int *loop)
{
	const Nester *s = o->s;
	int n = 0;
	loop[s->top] = -1;
	open_ordered_loop(o, s->top);
	while (o->n) {
		int x = order[n++] = o->stack[--o->n];
		nest->of[x] = loop[s->up[x]];
		if (!s->cyclic[x])
			continue;
		nest->header[nest->nloop] = x;
		nest->parent[nest->nloop] = nest->of[x];
		nest->of[x] = loop[x] = nest->nloop++;
		open_ordered_loop(o, x);
	}
	return n;
}

static int make_order(Nester *s, Arena *a, int *order, Nest *nest, int nedge)
{
	NestOrder o = { .s = s, .to = arena_array(&s->arena, int, nedge + 1),
		.next = arena_array(&s->arena, int, nedge + 1) };
	int size = s->top + 1, **of[] = { &o.first, &o.waits, &o.kid, &o.sibling, &o.key, &o.heap, &o.stack };
	for (size_t k = 0; k < sizeof of / sizeof *of; k++)
		*of[k] = arena_array(&s->arena, int, size);
	for (int b = 0; b < size; b++) {
		o.key[b] = b;
		o.first[b] = o.kid[b] = -1;
	}
	for (int k = 0; k < s->all.n; k++) {
		int x = s->all.v[k];
		o.sibling[x] = o.kid[s->up[x]];
		o.kid[s->up[x]] = x;
		for (int i = 0; i < s->g->succ[x].n; i++)
			if (s->part[s->g->succ[x].v[i]])
				put_in_order(&o, x, s->g->succ[x].v[i]);
	}
	*nest = (Nest){ 0, arena_array(a, int, size), arena_array(a, int, size), arena_array(a, int, size) };
	for (int b = 0; b < size; b++)
		nest->of[b] = -1;
	return put_nodes(&o, order, nest, s->mark);
}

static void sort_successors(Nester *s, int nedge)
{
	int *v = arena_array(&s->arena, int, nedge + 1);
	s->succ = arena_array(&s->arena, IntList, s->g->n + 1);
	for (int k = 0; k < s->all.n; k++) {
		s->succ[s->all.v[k]].v = v;
		v += s->g->succ[s->all.v[k]].n;
	}
	for (int k = 0; k < s->all.n; k++) {
		const IntList *from = &s->g->pred[s->all.v[k]];
		for (int i = 0; i < from->n; i++) {
			IntList *to = &s->succ[from->v[i]];
			if (to->v)
				to->v[to->n++] = s->all.v[k];
		}
	}
}

int graph_order(Arena *a, const Graph *g, BitSet in, int *order, Nest *nest)
{
	Nester s = { .g = g, .top = g->n };
	int size = g->n + 1, nedge = 0, **of[] = { &s.all.v, &s.part, &s.up, &s.at, &s.end, &s.by, &s.rep,
		&s.due, &s.in, &s.mark, &s.entry, &s.stack, &s.next };
	for (size_t k = 0; k < sizeof of / sizeof *of; k++)
		*of[k] = arena_array(&s.arena, int, size);
	s.cyclic = arena_array(&s.arena, bool, size);
	s.loops = tree_new(&s.arena, size);
	s.walk = tree_new(&s.arena, size);
	bs_each(in, b) {
		s.all.v[s.all.n++] = b;
		nedge += g->succ[b].n;
	}
	sort_successors(&s, nedge);
	s.edge = arena_array(&s.arena, NestEdge, nedge + 1);
	s.todo = arena_array(&s.arena, NestPart, size);
	s.todo[s.ntodo++] = (NestPart){ s.all.v, s.all.n, s.top, -1 };
	tree_root(&s.loops, s.top);
	while (s.ntodo) {
		NestPart p = s.todo[--s.ntodo];
		find_part_loops(&s, &p);
	}
	Nest made;
	int n = make_order(&s, a, order, &made, nedge);
	if (nest)
		*nest = made;
	arena_free(&s.arena);
	return n;
}
