/* Makes one level of the cycle nest an acyclic graph: the cycle's first node stands at both ends, and a cycle
   inside that is not structured is one node. */
#include "passes/transform/linearize/find.h"

int find_super(Find *d, int x)
{
	x = reduction_find(d->r, x);
	int top = x;
	while (d->super[top] != top)
		top = d->super[top];
	while (x != top) {
		int up = d->super[x];
		d->super[x] = top;
		x = up;
	}
	return top;
}

static int local_of(Find *d, const Level *v, int x)
{
	int s = find_super(d, x == d->l->y ? d->l->x : x);
	if (s == v->head)
		return v->end;
	return d->stamp[s] == d->now ? d->local[s] : v->root;
}

static void edges_out(Find *d, Level *v, int from, int x)
{
	const Super *s = x == v->head ? NULL : d->of[x];
	if (!s) {
		red_out(d->r, x, e)
			if (d->r->edge.v[e].to != x || x == v->head)
				graph_edge(v->g, from, local_of(d, v, d->r->edge.v[e].to));
		return;
	}
	for (int k = 0; k < s->out.n; k++)
		graph_edge(v->g, from, local_of(d, v, d->r->edge.v[s->out.v[k]].to));
}

static bool from_outside(Find *d, const Level *v, int e)
{
	int s = find_super(d, d->r->edge.v[e].from);
	return s != v->head && d->stamp[s] != d->now;
}

static bool is_entered_from(Find *d, const Level *v, int x)
{
	const Super *s = d->of[x];
	if (v->head < 0)
		return false;
	if (!s) {
		red_in(d->r, x, e)
			if (from_outside(d, v, e))
				return true;
		return false;
	}
	for (int k = 0; k < s->in.n; k++)
		if (from_outside(d, v, s->in.v[k]))
			return true;
	return false;
}

static void build_level(Find *d, Level *v, int loop)
{
	int n = 2, head = loop < 0 ? -1 : find_super(d, d->nest.header[loop]);
	*v = (Level){ .loop = loop, .head = head };
	for (int x = d->first[loop + 1]; x >= 0; x = d->link[x])
		n++;
	v->node = arena_array(&v->arena, int, n + 2);
	v->n = 2;
	d->now++;
	for (int x = d->first[loop + 1]; x >= 0; x = d->link[x]) {
		if (!find_alive(d, x) || x == head || x == d->l->e || x == d->l->x || d->stamp[x] == d->now)
			continue;
		d->stamp[x] = d->now;
		d->local[x] = v->n;
		v->node[v->n++] = x;
	}
	v->end = v->n++;
	v->root = v->n++;
	v->node[1] = head < 0 ? d->l->e : head;
	v->node[v->end] = head < 0 ? d->l->x : head;
	if (head < 0) {
		d->stamp[d->l->x] = d->now;
		d->local[d->l->x] = v->end;
	}
	v->g = graph_new(&v->arena, v->n);
	graph_edge(v->g, 0, 1);
	graph_edge(v->g, v->end, v->root);
	edges_out(d, v, 1, v->node[1]);
	for (int k = 2; k < v->end; k++) {
		if (is_entered_from(d, v, v->node[k]))
			graph_edge(v->g, 0, k);
		edges_out(d, v, k, v->node[k]);
	}
}

/* Sorts the nodes topologically from node 0 (Kahn's algorithm). Nodes to which no edge leads any more, behind
   endless loops, are left out. */
static void sort_level(Level *v)
{
	int *wait = arena_array(&v->arena, int, v->n);
	v->order = arena_array(&v->arena, int, v->n);
	for (int k = 0; k < v->n; k++)
		wait[k] = v->g->pred[k].n;
	v->order[v->norder++] = 0;
	for (int i = 0; i < v->norder; i++) {
		const IntList *s = &v->g->succ[v->order[i]];
		for (int k = 0; k < s->n; k++)
			if (--wait[s->v[k]] == 0)
				v->order[v->norder++] = s->v[k];
	}
}

static void find_level_dominators(Level *v)
{
	v->dom = tree_new(&v->arena, v->n);
	tree_root(&v->dom, 0);
	for (int i = 1; i < v->norder; i++) {
		const IntList *p = &v->g->pred[v->order[i]];
		int d = p->v[0];
		for (int k = 1; k < p->n; k++)
			d = tree_common(&v->dom, d, p->v[k]);
		tree_add(&v->dom, v->order[i], d, 0);
	}
}

void level_build(Find *d, Level *v, int loop)
{
	build_level(d, v, loop);
	sort_level(v);
	find_level_dominators(v);
}
