/* Stricter than textbook reduction for n-way branches: all arms must meet in one place, because their common
 * reconvergence point is what machines use. Nodes that are merged together are entered only at the first of
 * them, and are left from one node or to one node. */
#include "passes/analysis/reduction.h"
#include "passes/analysis/graph.h"

static RedNode new_node(int b)
{
	return (RedNode){ .out = -1, .in = -1, .self = -1, .into = b, .kid = -1, .last_kid = -1, .next = -1 };
}

void reduction_init(Reduction *r, Arena *a, int n)
{
	*r = (Reduction){ .n = n, .left = n, .arena = a, .cap = n ? n : 1,
		.node = arena_array(a, RedNode, n ? n : 1) };
	for (int b = n; b-- > 0;) {
		r->node[b] = new_node(b);
		r->node[b].queued = true;
		vec_push(&r->todo, b);
	}
}

int reduction_node(Reduction *r)
{
	if (r->n == r->cap) {
		RedNode *v = arena_array(r->arena, RedNode, r->cap *= 2);
		memcpy(v, r->node, sizeof *v * (size_t)r->n);
		r->node = v;
	}
	r->node[r->n] = new_node(r->n);
	r->left++;
	return r->n++;
}

void reduction_free(Reduction *r)
{
	vec_free(&r->edge);
	vec_free(&r->strand);
	vec_free(&r->todo);
}

int reduction_strand(Reduction *r)
{
	vec_push(&r->strand, -1);
	return r->strand.n - 1;
}

int reduction_find(Reduction *r, int x)
{
	int top = x;
	while (r->node[top].into != top)
		top = r->node[top].into;
	while (x != top) {
		int up = r->node[x].into;
		r->node[x].into = top;
		x = up;
	}
	return top;
}

/* ---- edges ---- */

/* The edge between the two nodes, or -1, in the time of the shorter of their two lists. */
static int edge_between(const Reduction *r, int from, int to)
{
	int a = r->node[from].out, b = r->node[to].in;
	while (a >= 0 && b >= 0) {
		if (r->edge.v[a].to == to)
			return a;
		if (r->edge.v[b].from == from)
			return b;
		a = r->edge.v[a].next_out;
		b = r->edge.v[b].next_in;
	}
	return -1;
}

static void link_out(Reduction *r, int e)
{
	RedNode *from = &r->node[r->edge.v[e].from];
	r->edge.v[e].next_out = from->out;
	r->edge.v[e].prev_out = -1;
	if (from->out >= 0)
		r->edge.v[from->out].prev_out = e;
	from->out = e;
	from->nout++;
}

static void unlink_out(Reduction *r, int e)
{
	RedEdge *x = &r->edge.v[e];
	*(x->prev_out >= 0 ? &r->edge.v[x->prev_out].next_out : &r->node[x->from].out) = x->next_out;
	if (x->next_out >= 0)
		r->edge.v[x->next_out].prev_out = x->prev_out;
	r->node[x->from].nout--;
}

static void link_in(Reduction *r, int e)
{
	RedNode *to = &r->node[r->edge.v[e].to];
	r->edge.v[e].next_in = to->in;
	r->edge.v[e].prev_in = -1;
	if (to->in >= 0)
		r->edge.v[to->in].prev_in = e;
	to->in = e;
	to->nin++;
}

static void unlink_in(Reduction *r, int e)
{
	RedEdge *x = &r->edge.v[e];
	*(x->prev_in >= 0 ? &r->edge.v[x->prev_in].next_in : &r->node[x->to].in) = x->next_in;
	if (x->next_in >= 0)
		r->edge.v[x->next_in].prev_in = x->prev_in;
	r->node[x->to].nin--;
}

/* Appends the strands first .. last to the list of edge e. */
static void add_strands(Reduction *r, int e, int first, int last)
{
	RedEdge *x = &r->edge.v[e];
	if (first < 0)
		return;
	if (x->first < 0)
		x->first = first;
	else
		r->strand.v[x->last] = first;
	x->last = last;
}

static void connect_nodes(Reduction *r, int from, int to, int first, int last)
{
	int e = edge_between(r, from, to);
	if (e >= 0) {
		add_strands(r, e, first, last);
		return;
	}
	vec_push(&r->edge, ((RedEdge){ from, to, -1, -1, -1, -1, first, last }));
	e = r->edge.n - 1;
	link_out(r, e);
	link_in(r, e);
	if (from == to)
		r->node[from].self = e;
}

void reduction_edge(Reduction *r, int from, int to, int strand)
{
	connect_nodes(r, from, to, strand, strand);
}

void reduction_join(Reduction *r, int from, int to, int e)
{
	connect_nodes(r, from, to, r->edge.v[e].first, r->edge.v[e].last);
}

void reduction_cut(Reduction *r, int e)
{
	unlink_out(r, e);
	unlink_in(r, e);
	if (r->edge.v[e].from == r->edge.v[e].to)
		r->node[r->edge.v[e].from].self = -1;
}

/* ---- steps ---- */

static void queue_node(Reduction *r, int b)
{
	if (r->node[b].queued)
		return;
	r->node[b].queued = true;
	vec_push(&r->todo, b);
}

/* Puts x on the list, and its predecessor if it has only one: this one may have a step now that the edges of
   x have changed. Where x has several ways in, it is no arm of any of its predecessors, and no part of a
   sequence. */
void reduction_look(Reduction *r, int x)
{
	queue_node(r, x);
	if (r->node[x].nin == 1)
		queue_node(r, r->edge.v[r->node[x].in].from);
}

void reduction_merge(Reduction *r, int b, int x)
{
	if (r->merged)
		r->merged(r->self, b, x);
	*(r->node[b].kid < 0 ? &r->node[b].kid : &r->node[r->node[b].last_kid].next) = x;
	r->node[b].last_kid = x;
	r->node[x].into = b;
	r->left--;
}

static bool free_node(const Reduction *r, int x) { return !r->node[x].keep; }

/* If x has one way in, from b, and one way out: the node to which that leads; else -1. */
static int arm(const Reduction *r, int b, int x)
{
	const RedNode *n = &r->node[x];
	bool is = x != b && free_node(r, x) && n->nin == 1 && r->edge.v[n->in].from == b && n->nout == 1;
	return is ? r->edge.v[n->out].to : -1;
}

static bool self_loop(Reduction *r, int b)
{
	if (r->node[b].self < 0 || r->node[b].nout > 2 || r->node[b].loop)
		return false;
	reduction_cut(r, r->node[b].self);
	r->node[b].cycle = true;
	reduction_look(r, b);
	return true;
}

/* If b's only way out leads to x, and is x's only way in: merges x into b, and x's edges become b's. */
static bool sequence(Reduction *r, int b)
{
	if (r->node[b].nout != 1)
		return false;
	int e = r->node[b].out, x = r->edge.v[e].to;
	if (x == b || !free_node(r, x) || r->node[x].nin != 1)
		return false;
	reduction_cut(r, e);
	reduction_merge(r, b, x);
	red_out(r, x, k) {
		unlink_out(r, k);
		r->edge.v[k].from = b;
		link_out(r, k);
		if (r->edge.v[k].to == b)
			r->node[b].self = k;
	}
	reduction_look(r, b);
	return true;
}

static bool while_loop(Reduction *r, int b)
{
	if (r->node[b].nout != 2 || r->node[b].loop)
		return false;
	red_out(r, b, e) {
		int x = r->edge.v[e].to;
		if (arm(r, b, x) != b)
			continue;
		reduction_cut(r, e);
		reduction_cut(r, r->node[x].out);
		r->node[b].cycle = true;
		reduction_merge(r, b, x);
		reduction_look(r, b);
		return true;
	}
	return false;
}

/* The node where all ways from b meet, -1: there is none. Two edges that do not lead to the same node come to
   the front of b's list, where the next look at b finds them at once. */
static int meeting(Reduction *r, int b)
{
	int join = -1;
	red_out(r, b, e) {
		int x = r->edge.v[e].to, to = arm(r, b, x);
		to = to < 0 ? x : to;
		if (to == b || (join >= 0 && to != join)) {
			int first = r->node[b].out;
			unlink_out(r, e);
			link_out(r, e);
			if (first != e) {
				unlink_out(r, first);
				link_out(r, first);
			}
			return -1;
		}
		join = to;
	}
	return join;
}

static bool reduce_branch(Reduction *r, int b)
{
	if (r->node[b].nout < 2)
		return false;
	int join = meeting(r, b), direct = -1;
	if (join < 0)
		return false;
	red_out(r, b, e)
		if (r->edge.v[e].to == join)
			direct = e;
	red_out(r, b, e) {
		int x = r->edge.v[e].to, k = r->node[x].out;
		if (x == join)
			continue;
		reduction_cut(r, e);
		RedEdge out = r->edge.v[k];
		if (direct >= 0) {
			reduction_cut(r, k);
			add_strands(r, direct, out.first, out.last);
		} else {
			unlink_out(r, k);
			r->edge.v[k].from = b;
			link_out(r, k);
			direct = k;
		}
		reduction_merge(r, b, x);
	}
	reduction_look(r, b);
	return true;
}

/* The node to which c, a node of the loop that begins at h, goes when it does not leave the loop for p; -1: c
   has more ways than these two, or the node can be reached from others, too. */
static int next_in_loop(const Reduction *r, int c, int h, int p)
{
	int next = -1;
	red_out(r, c, e) {
		if (r->edge.v[e].to == p)
			continue;
		if (next >= 0)
			return -1;
		next = r->edge.v[e].to;
	}
	return next == h || (next >= 0 && free_node(r, next) && r->node[next].nin == 1) ? next : -1;
}

static void take_in_loop(Reduction *r, int h, int p)
{
	for (int c = next_in_loop(r, h, h, p), next; c != h; c = next) {
		next = next_in_loop(r, c, h, p);
		red_in(r, c, e)
			reduction_cut(r, e);
		red_out(r, c, e)
			if (r->edge.v[e].to != next) {
				reduction_cut(r, e);
				reduction_join(r, h, p, e);
			} else if (next == h) {
				reduction_cut(r, e);
			}
		reduction_merge(r, h, c);
	}
	r->node[h].cycle = true;
	reduction_look(r, h);
	reduction_look(r, p);
}

static bool breaks(Reduction *r, int h, int p)
{
	if (r->node[h].into != h || r->node[h].keep || r->node[h].loop)
		return false;
	int c = next_in_loop(r, h, h, p);
	while (c >= 0 && c != h)
		c = next_in_loop(r, c, h, p);
	if (c < 0)
		return false;
	take_in_loop(r, h, p);
	return true;
}

static bool in_loop(const Nest *t, int loop, int x)
{
	int of = t->of[x];
	while (of > loop)
		of = t->parent[of];
	return of == loop;
}

bool reduction_relax(Reduction *r, const Nest *t, int loop)
{
	int h = reduction_find(r, t->header[loop]);
	if (!in_loop(t, loop, h))
		return false;
	red_out(r, h, e)
		if (!in_loop(t, loop, r->edge.v[e].to) && breaks(r, h, r->edge.v[e].to))
			return true;
	return false;
}

void reduction_run(Reduction *r)
{
	while (r->todo.n) {
		int b = vec_pop(&r->todo);
		r->node[b].queued = false;
		if (r->node[b].into != b || r->node[b].keep)
			continue;
		self_loop(r, b);
		if (sequence(r, b) || while_loop(r, b) || reduce_branch(r, b))
			queue_node(r, b);
	}
}

int graph_into(const int *into, int x)
{
	while (into[x] != x)
		x = into[x];
	return x;
}

int graph_reduce(Graph *g, int root, BitSet in, BitSet keep, int *into)
{
	Arena a = { 0 };
	Reduction r;
	int left = 0;
	reduction_init(&r, &a, g->n + 1); /* node g->n is what is outside */
	if (root >= 0)
		reduction_edge(&r, g->n, root, -1);
	r.node[g->n].keep = true;
	for (int b = 0; b < g->n; b++) {
		r.node[b].keep = !bs_has(in, b) || bs_has(keep, b);
		for (int k = 0; k < g->succ[b].n; k++)
			reduction_edge(&r, b, g->succ[b].v[k], -1);
		g->succ[b].n = g->pred[b].n = 0;
	}
	reduction_run(&r);
	for (int b = 0; b < g->n; b++) {
		into[b] = reduction_find(&r, b);
		left += into[b] == b && bs_has(in, b);
		red_out(&r, b, e)
			graph_edge(g, b, r.edge.v[e].to);
	}
	reduction_free(&r);
	arena_free(&a);
	return left;
}
