/* Regions to linearize, inner ones first. What structural reduction leaves is looked at cycle by cycle, the innermost first, without the cycle's
 * first node; cycles inside that are not structured count as one node. A region that does not contain the first node of a cycle lies within it, so
 * that in this acyclic graph a region is
 *
 *   all that lies between a node v and its immediate post-dominator p, when v dominates all of it; or
 *   the same with v itself, when v is a cycle that is entered at one node.
 *
 * v dominates all of it when no node in between has an immediate dominator above v: a question about the least depth on a path of the
 * post-dominator tree. So every region is found in time of the logarithm of the size, and looked at once. Nodes are taken in reverse topological
 * order: regions inside another one come before it. */
#include "passes/transform/linearize.h"
#include "passes/analysis/tree.h"
#include <limits.h>

typedef struct Super {         /* a cycle that is not structured, known by its first node */
	int first_member, last_member;     /* lists through Find.member */
	Vec(int) out, in;          /* edges that leave it, to different nodes each; edges that enter it */
	bool many_in;              /* it is entered at several nodes */
} Super;

typedef struct Find {
	Lin *l;
	Reduction *r;
	Arena arena;
	Nest nest;
	int *first, *link;         /* nodes of each level (loop + 1) */
	int *level;                /* of each node: the loop in whose list it stands */
	int *list;                 /* the nodes of the region looked at */
	bool merging;              /* the level is a loop of a nest that is to become one region */
	Vec(int) extra;            /* nodes that stand for regions of this level, and are in its list not yet */
	int *super, *member;       /* node -> a node nearer to the first of the cycle it lies in, or itself */
	Super **of;                /* by a cycle's first node; NULL: the node is no cycle */
	int *local, *stamp, now;   /* number in the level looked at, when the stamp is now's */
	int *seen, visit;
	bool (*found)(Lin *, LinRegion *);
} Find;

/* The level looked at: 0 the root above its entries, 1 where it begins (the cycle's first node, or e), then nodes, then where it ends (the first node
   again, or x), and the root of the post-dominators. */
typedef struct Level {
	Arena arena;
	int loop, head;            /* head: the cycle's first node; -1: the whole function */
	int n, end, root, *node;
	Graph *g;
	int *order, norder;
	Tree dom, pdom;
	int *meet;                 /* the nearest node on the way up the post-dominators, itself included, where a region may end */
} Level;

static int super_of(Find *d, int x)
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

static bool alive(const Find *d, int x) { return d->r->node[x].into == x; }

static void into_level(Find *d, int loop, int x)
{
	d->link[x] = d->first[loop + 1];
	d->first[loop + 1] = x;
	d->level[x] = loop;
}

static int local_of(Find *d, const Level *v, int x)
{
	int s = super_of(d, x == d->l->y ? d->l->x : x);
	if (s == v->head)
		return v->end;
	return d->stamp[s] == d->now ? d->local[s] : v->root;
}

/* ---- the acyclic graph of a level ---- */

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
	int s = super_of(d, d->r->edge.v[e].from);
	return s != v->head && d->stamp[s] != d->now;
}

static bool entered(Find *d, const Level *v, int x)
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

static void build(Find *d, Level *v, int loop)
{
	int n = 2, head = loop < 0 ? -1 : super_of(d, d->nest.header[loop]);
	*v = (Level){ .loop = loop, .head = head };
	for (int x = d->first[loop + 1]; x >= 0; x = d->link[x])
		n++;
	v->node = arena_array(&v->arena, int, n + 2);
	v->n = 2;
	d->now++;
	for (int x = d->first[loop + 1]; x >= 0; x = d->link[x]) {
		if (!alive(d, x) || x == head || x == d->l->e || x == d->l->x || d->stamp[x] == d->now)
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
		if (entered(d, v, v->node[k]))
			graph_edge(v->g, 0, k);
		edges_out(d, v, k, v->node[k]);
	}
}

/* Kahn's order from 0. Nodes that nothing leads to any more (behind endless loops) have no part. */
static void sort(Level *v)
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

static void dominators(Level *v)
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

/* ---- regions ---- */

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* The nodes from the list on up to p; false when there is another way in or out. A way in at `entry` is allowed, and one from node from. */
static bool explore(Find *d, LinRegion *r, int from)
{
	for (int i = 0; i < r->n; i++) {
		if (r->node[i] == d->l->e || r->node[i] == d->l->x || r->node[i] == from)
			return false;
		red_out(d->r, r->node[i], e) {
			int y = d->r->edge.v[e].to;
			if (y == d->l->y)
				return false;
			if (y == r->p || d->seen[y] == d->visit)
				continue;
			d->seen[y] = d->visit;
			r->node[r->n++] = y;
		}
	}
	for (int i = 0; i < r->n; i++)
		red_in(d->r, r->node[i], e) {
			int y = d->r->edge.v[e].from;
			if (d->seen[y] != d->visit && y != from && r->node[i] != r->entry)
				return false;
		}
	return true;
}

static void forget(Find *d, int x)
{
	if (d->of[x]) {
		vec_free(&d->of[x]->out);
		vec_free(&d->of[x]->in);
	}
	d->of[x] = NULL;
}

/* A part of a nest of loops that is to become one region, with a loop in it. */
static bool part_of_nest(const Find *d, const LinRegion *r)
{
	bool any = false;
	for (int i = 0; i < r->n && d->merging; i++)
		any |= d->r->node[r->node[i]].loop;
	return any;
}

static void hand_over(Find *d, LinRegion *r)
{
	if (part_of_nest(d, r))
		return;
	qsort(r->node, (size_t)r->n, sizeof *r->node, by_number);
	d->found(d->l, r);
	for (int i = 0; i < r->n; i++) {
		int x = r->node[i];
		forget(d, x);
		if (!alive(d, x))
			continue;
		d->super[x] = x;
		if (d->stamp[x] != d->now)
			vec_push(&d->extra, x);
	}
	reduction_run(d->r);
}

/* All that lies between node x and p. */
static void between(Find *d, int x, int p)
{
	LinRegion r = { x, p, -1, d->list, 0 };
	if (d->r->node[x].nout < 2)
		return;
	d->visit++;
	red_out(d->r, x, e) {
		int y = d->r->edge.v[e].to;
		if (y == d->l->y)
			return;
		if (y == p)
			continue;
		d->seen[y] = d->visit;
		r.node[r.n++] = y;
	}
	if (r.n && explore(d, &r, x))
		hand_over(d, &r);
}

/* The cycle that begins with node x, and what lies between it and p. */
static void from_cycle(Find *d, int x, int p)
{
	LinRegion r = { -1, p, x, d->list, 0 };
	d->visit++;
	for (int y = d->of[x]->first_member; y >= 0; y = d->member[y]) {
		if (!alive(d, y))
			continue;
		d->seen[y] = d->visit;
		r.node[r.n++] = y;
	}
	red_in(d->r, x, e)
		if (d->r->edge.v[e].from == d->l->e) /* the function begins with the cycle */
			r.d = d->l->e;
	r.entry = r.d < 0 ? x : -1;
	if (explore(d, &r, r.d))
		hand_over(d, &r);
}

static bool may_end(const Find *d, const Level *v, int k)
{
	return k == v->end || k == v->root || !d->of[v->node[k]] || !d->of[v->node[k]]->many_in;
}

/* The region that begins at local node k and ends where local node p begins. */
static void try(Find *d, Level *v, int k, int p)
{
	int x = v->node[k], to = reduction_find(d->r, v->node[p]);
	const Super *s = k > 1 && alive(d, x) ? d->of[x] : NULL;
	if (s && !s->many_in) {
		from_cycle(d, x, to);
	} else if (!s) {
		x = reduction_find(d->r, x);
		if (to != x || k == 1)
			between(d, x, to);
	}
}

static void find_in(Find *d, Level *v)
{
	v->meet = arena_array(&v->arena, int, v->n);
	v->pdom = tree_new(&v->arena, v->n);
	tree_root(&v->pdom, v->root);
	v->meet[v->root] = v->root;
	for (int i = v->norder; i-- > 0;) {
		int k = v->order[i], low = INT_MAX, own = INT_MAX;
		const IntList *s = &v->g->succ[k];
		if (k == v->root)
			continue;
		int p = s->n ? s->v[0] : v->root;
		for (int j = 1; j < s->n; j++)
			p = tree_common(&v->pdom, p, s->v[j]);
		for (int j = 0; j < s->n; j++) {
			int least = tree_least(&v->pdom, s->v[j], p);
			own = least < own ? least : own;
		}
		int up = k ? v->dom.node[v->dom.node[k].up].depth : 0;
		tree_add(&v->pdom, k, p, own < up ? own : up);
		v->meet[k] = may_end(d, v, k) ? k : v->meet[p];
		int end = v->meet[p];
		low = tree_least(&v->pdom, p, end);
		low = own < low ? own : low;
		if (k && end != v->root && k != v->end && low >= v->dom.node[k].depth)
			try(d, v, k, end);
	}
}

/* ---- what is left of a cycle ---- */

static void add_member(Find *d, Super *s, int x)
{
	if (s->first_member < 0)
		s->first_member = x;
	else
		d->member[s->last_member] = x;
	s->last_member = x;
	d->member[x] = -1;
}

static void leaving(Find *d, Super *s, int head, int e)
{
	int y = d->r->edge.v[e].to;
	if (super_of(d, y) == head)
		return;
	if (d->seen[y] == d->visit)
		return;
	d->seen[y] = d->visit;
	vec_push(&s->out, e);
}

static void entering(Find *d, Super *s, int head, int e)
{
	if (super_of(d, d->r->edge.v[e].from) == head)
		return;
	s->many_in |= s->in.n && d->r->edge.v[e].to != d->r->edge.v[s->in.v[0]].to;
	vec_push(&s->in, e);
}

/* Node x of the cycle, or all of a cycle inside. */
static void take_in(Find *d, Super *s, int head, int x)
{
	Super *in = d->of[x];
	if (!in) {
		red_out(d->r, x, e)
			leaving(d, s, head, e);
		red_in(d->r, x, e)
			entering(d, s, head, e);
		return;
	}
	for (int k = 0; k < in->out.n; k++)
		leaving(d, s, head, in->out.v[k]);
	for (int k = 0; k < in->in.n; k++)
		entering(d, s, head, in->in.v[k]);
	forget(d, x);
}

/* The nodes that are left of the cycle are one node of the level around it, or, when it is one and leads back to itself no more, that. */
static void close_cycle(Find *d, Level *v)
{
	int n = 0, *left = arena_array(&v->arena, int, v->n + d->extra.n), parent = d->nest.parent[v->loop];
	for (int k = 1; k < v->end; k++)
		if (alive(d, v->node[k]) && d->level[v->node[k]] == v->loop)
			left[n++] = v->node[k];
	for (int k = 0; k < d->extra.n; k++)
		if (alive(d, d->extra.v[k]))
			left[n++] = d->extra.v[k];
	if (n == 0)
		return;
	if (n == 1 && !d->of[left[0]] && d->r->node[left[0]].self < 0) {
		into_level(d, parent, left[0]);
		return;
	}
	Super *s = arena_new(&d->arena, Super);
	s->first_member = -1;
	d->visit++;
	for (int k = 0; k < n; k++) {
		if (d->of[left[k]]) { /* its members: itself among them */
			*(s->first_member < 0 ? &s->first_member : &d->member[s->last_member]) = d->of[left[k]]->first_member;
			s->last_member = d->of[left[k]]->last_member;
		} else {
			add_member(d, s, left[k]);
		}
		d->super[left[k]] = v->head;
	}
	for (int k = 0; k < n; k++)
		take_in(d, s, v->head, left[k]);
	d->of[v->head] = s;
	into_level(d, parent, v->head);
}

/* ---- all levels ---- */

static void residue(Find *d, Arena *a)
{
	Graph *g = graph_new(a, d->r->n);
	BitSet in = bs_new(a, d->r->n);
	for (int x = 0; x < d->r->n; x++) {
		if (!alive(d, x))
			continue;
		red_out(d->r, x, e)
			graph_edge(g, x, d->r->edge.v[e].to);
	}
	graph_reach(g, false, d->l->e, bs_new(a, d->r->n), in);
	bs_add(in, d->l->x);
	graph_order(a, g, in, arena_array(a, int, d->r->n), &d->nest);
	d->first = arena_array(a, int, d->nest.nloop + 1);
	for (int i = 0; i <= d->nest.nloop; i++)
		d->first[i] = -1;
	for (int x = d->r->n; x-- > 0;)
		if (bs_has(in, x))
			into_level(d, d->nest.of[x], x);
}

/* Threads that come to a loop without end meet nobody any more: that is no region's way out. What such loops leave is one region, the whole function,
   in which they stand last. */
static void take_rest(Find *d)
{
	LinRegion r = { d->l->e, d->l->x, -1, d->list, 0 };
	d->visit++;
	d->seen[d->l->x] = d->seen[d->l->y] = d->visit;
	r.node[r.n++] = d->r->edge.v[d->r->node[d->l->e].out].to;
	d->seen[r.node[0]] = d->visit;
	for (int i = 0; i < r.n; i++)
		red_out(d->r, r.node[i], e) {
			int y = d->r->edge.v[e].to;
			if (d->seen[y] != d->visit)
				r.node[r.n++] = y;
			d->seen[y] = d->visit;
		}
	if (r.n > 1)
		hand_over(d, &r);
}

void regions_find(Lin *l, bool (*found)(Lin *, LinRegion *))
{
	Find d = { .l = l, .r = &l->red, .found = found };
	int **all[] = { &d.link, &d.level, &d.list, &d.super, &d.member, &d.local, &d.stamp, &d.seen }, n = l->red.n;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = arena_array(&d.arena, int, n);
	d.of = arena_array(&d.arena, Super *, n);
	for (int x = 0; x < n; x++)
		d.super[x] = x;
	residue(&d, &d.arena);
	for (int loop = d.nest.nloop; loop-- > -1;) {
		Level v;
		vec_clear(&d.extra);
		build(&d, &v, loop);
		d.merging = v.head >= 0 && l->red.node[v.head].loop;
		sort(&v);
		dominators(&v);
		find_in(&d, &v);
		if (l->relaxed && loop >= 0 && reduction_relax(d.r, &d.nest, loop))
			reduction_run(d.r);
		if (loop >= 0)
			close_cycle(&d, &v);
		arena_free(&v.arena);
	}
	take_rest(&d);
	for (int x = 0; x < n; x++)
		forget(&d, x);
	vec_free(&d.extra);
	arena_free(&d.arena);
}
