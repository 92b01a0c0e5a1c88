/* Finds the regions to linearize, inner ones first. What structural reduction leaves is looked at cycle by
 * cycle, the innermost first, and without the cycle's first node; a cycle inside that is not structured
 * counts as one node. A region of a cycle that does not contain the cycle's first node lies within the cycle,
 * so that in this acyclic graph a region is
 *
 *   all that lies between a node v and its immediate post-dominator p, when v dominates all of it; or
 *   the same with v itself, when v is a cycle that is entered at one node.
 *
 * v dominates all of it when no node in between has an immediate dominator above v. Whether that is so, the
 * least depth on a path of the post-dominator tree says. So every region is found in time that grows with the
 * logarithm of the size, and is looked at once. Nodes are taken in reverse topological order: regions inside
 * another one come before it. */
#include "passes/transform/linearize/find.h"
#include <limits.h>

static void into_level(Find *d, int loop, int x)
{
	d->link[x] = d->first[loop + 1];
	d->first[loop + 1] = x;
	d->level[x] = loop;
}

/* ---- regions ---- */

static int by_node_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void region_sort(LinRegion *r) { qsort(r->node, (size_t)r->n, sizeof *r->node, by_node_number); }

/* Adds to the region's list all nodes to which the listed ones lead before p. Returns false when there is
   another way into the region or out of it. Ways in to r->entry and from node `from` are allowed. */
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

static void forget_super(Find *d, int x)
{
	if (d->of[x]) {
		vec_free(&d->of[x]->out);
		vec_free(&d->of[x]->in);
	}
	d->of[x] = NULL;
}

/* With option merge: is this a part of a nest of loops that is to become one region, and does the part
   contain a loop? Then it is no region of its own. */
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
	region_sort(r);
	d->found(d->l, r);
	for (int i = 0; i < r->n; i++) {
		int x = r->node[i];
		forget_super(d, x);
		if (!find_alive(d, x))
			continue;
		d->super[x] = x;
		if (d->stamp[x] != d->now)
			vec_push(&d->extra, x);
	}
	reduction_run(d->r);
}

/* Tries all that lies between node x and node p as a region. */
static void try_between(Find *d, int x, int p)
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

/* Tries the cycle that begins with node x, and what lies between that cycle and node p, as a region. */
static void from_cycle(Find *d, int x, int p)
{
	LinRegion r = { -1, p, x, d->list, 0 };
	d->visit++;
	for (int y = d->of[x]->first_member; y >= 0; y = d->member[y]) {
		if (!find_alive(d, y))
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

/* Tries the region that begins at local node k and ends in front of local node p. */
static void try_points(Find *d, Level *v, int k, int p)
{
	int x = v->node[k], to = reduction_find(d->r, v->node[p]);
	const Super *s = k > 1 && find_alive(d, x) ? d->of[x] : NULL;
	if (s && !s->many_in) {
		from_cycle(d, x, to);
	} else if (!s) {
		x = reduction_find(d->r, x);
		if (to != x || k == 1)
			try_between(d, x, to);
	}
}

static void find_in_level(Find *d, Level *v)
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
			try_points(d, v, k, end);
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
	if (find_super(d, y) == head)
		return;
	if (d->seen[y] == d->visit)
		return;
	d->seen[y] = d->visit;
	vec_push(&s->out, e);
}

static void entering(Find *d, Super *s, int head, int e)
{
	if (find_super(d, d->r->edge.v[e].from) == head)
		return;
	s->many_in |= s->in.n && d->r->edge.v[e].to != d->r->edge.v[s->in.v[0]].to;
	vec_push(&s->in, e);
}

/* Adds to cycle s the edges that enter or leave it at node x; or, when x stands for a cycle inside, at any
   node of that cycle. */
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
	forget_super(d, x);
}

/* Makes the nodes that are left of the cycle one node of the level around it. If only one node is left, and
   no edge leads from it to itself any more, that node goes into the level around as it is. */
static void close_cycle(Find *d, Level *v)
{
	int n = 0, *left = arena_array(&v->arena, int, v->n + d->extra.n), parent = d->nest.parent[v->loop];
	for (int k = 1; k < v->end; k++)
		if (find_alive(d, v->node[k]) && d->level[v->node[k]] == v->loop)
			left[n++] = v->node[k];
	for (int k = 0; k < d->extra.n; k++)
		if (find_alive(d, d->extra.v[k]))
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
		if (d->of[left[k]]) { /* a cycle inside: all its members, of which left[k] is one */
			*(s->first_member < 0 ? &s->first_member : &d->member[s->last_member]) =
				d->of[left[k]]->first_member;
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
		if (!find_alive(d, x))
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

/* A loop without end is no way out of a region, because threads that come to it meet nobody any more. If such
   loops have left more than one node, these become one region, the whole function, in which those loops stand
   last. */
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
	int **all[] = { &d.link, &d.level, &d.list, &d.super, &d.member, &d.local, &d.stamp, &d.seen },
		n = l->red.n;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = arena_array(&d.arena, int, n);
	d.of = arena_array(&d.arena, Super *, n);
	for (int x = 0; x < n; x++)
		d.super[x] = x;
	residue(&d, &d.arena);
	for (int loop = d.nest.nloop; loop-- > -1;) {
		Level v;
		vec_clear(&d.extra);
		level_build(&d, &v, loop);
		d.merging = v.head >= 0 && l->red.node[v.head].loop;
		find_in_level(&d, &v);
		if (l->relaxed && loop >= 0 && reduction_relax(d.r, &d.nest, loop))
			reduction_run(d.r);
		if (loop >= 0)
			close_cycle(&d, &v);
		arena_free(&v.arena);
	}
	take_rest(&d);
	for (int x = 0; x < n; x++)
		forget_super(&d, x);
	vec_free(&d.extra);
	arena_free(&d.arena);
}
