/* The tree of canonical regions, from the dominator tree alone. D(b) is what b dominates. An edge u -> v
 * leaves D(b) when b lies on the way up from u, below v's immediate dominator, and is not v itself: of the
 * edges from nodes in D(b), just those to other nodes no deeper than b. So (e, x), where x post-dominates e,
 * is a region exactly when
 *
 * 	x outside D(e):  all edges that leave D(e) go to x;
 * 	x inside D(e):   no edge that leaves D(x) goes to anything deeper than e, and those that leave D(e)
 * 	                 are just those that leave D(x) and do not go to e.
 *
 * Both are decided by the number of edges that leave D(b), by the deepest of their targets, and by how many
 * predecessors of x and e are in a piece of the tree. Candidates inside D(e) are tried from the nearest
 * post-dominator of e on, up to the first one in front of which an edge leaves D(e); outside D(e) there is
 * one candidate, the node to which those edges go. */
#include "passes/analysis/control.h"
#include "passes/analysis/print.h"
#include "lib/diag.h"

typedef struct Heap { int left, right, rank, key, target; } Heap;

typedef struct RegionSearch {
	const Cfg *c;
	Graph *g;
	const Dom *dom, *pdom;
	int *by_first;                /* the nodes of the dominator tree in the order of a depth-first walk */
	/* by node: number of edges that leave D(b); depth of the deepest of their targets; that target, or
	   -1 */
	int *leaving, *deepest, *target;
	int *pred_first, *pred;     /* by node: its predecessors' places in by_first, ascending */
	/* by node: the exit of the last region in the longest row, one behind the other, that begins there;
	   -1: none does */
	int *farthest;
	Vec(SeseRegion) found;
	Heap *heap;
} RegionSearch;

/* ---- what leaves ---- */

static int join_heaps(Heap *h, int a, int b)
{
	int path[64], n = 0;           /* a leftist heap's right spine is logarithmic */
	while (a && b) {
		int top = h[a].key >= h[b].key ? a : b, other = top == a ? b : a;
		path[n++] = top;
		a = h[top].right;
		b = other;
	}
	int sum = a ? a : b;
	while (n) {
		int top = path[--n];
		h[top].right = sum;
		if (h[h[top].left].rank < h[sum].rank) {
			h[top].right = h[top].left;
			h[top].left = sum;
		}
		h[top].rank = h[h[top].right].rank + 1;
		sum = top;
	}
	return sum;
}

/* Counts the edges that leave D(b), for all b from the leaves of the tree up. A heap has the edges from D(b)
   by twice the depth of their target, one more if the target dominates the edge's start: such an edge leaves
   D(b) for each b below the target, but not D of the target. */
static void count_leaving(RegionSearch *x, Arena *tmp)
{
	const Dom *d = x->dom;
	int n = x->g->n, edges = 0, next = 1, *top = arena_array(tmp, int, n + 1);
	for (int b = 0; b < n; b++)
		edges += x->g->succ[b].n;
	x->heap = arena_array(tmp, Heap, edges + 2);
	for (int k = n; k-- > 0;) {
		int b = x->by_first[k];
		for (int e = 0; e < x->g->succ[b].n; e++) {
			int v = x->g->succ[b].v[e];
			x->heap[next] = (Heap){ 0, 0, 1, 2 * d->depth[v] + dom_dominates(d, v, b), v };
			top[b] = join_heaps(x->heap, top[b], next++);
			x->leaving[b]++;
		}
		for (; top[b] && x->heap[top[b]].key > 2 * d->depth[b]; x->leaving[b]--)
			top[b] = join_heaps(x->heap, x->heap[top[b]].left, x->heap[top[b]].right);
		x->deepest[b] = top[b] ? x->heap[top[b]].key / 2 : -1;
		x->target[b] = top[b] ? x->heap[top[b]].target : -1;
		if (d->idom[b] >= 0) {
			top[d->idom[b]] = join_heaps(x->heap, top[d->idom[b]], top[b]);
			x->leaving[d->idom[b]] += x->leaving[b];
		}
	}
}

static void sort_preds(RegionSearch *x, Arena *tmp)
{
	int n = x->g->n;
	x->pred_first = arena_array(tmp, int, n + 2);
	for (int b = 0; b < n; b++)
		x->pred_first[b + 1] = x->pred_first[b] + x->g->pred[b].n;
	x->pred = arena_array(tmp, int, x->pred_first[n] + 1);
	int *at = arena_array(tmp, int, n + 1);
	memcpy(at, x->pred_first, sizeof *at * (size_t)n);
	for (int k = 0; k < n; k++)
		for (int b = x->by_first[k], e = 0; e < x->g->succ[b].n; e++)
			x->pred[at[x->g->succ[b].v[e]]++] = k;
}

/* The number of edges from D(b) to the node. */
static int edges_from(const RegionSearch *x, int b, int to)
{
	int count[2];
	for (int side = 0; side < 2; side++) {
		int low = x->pred_first[to], high = x->pred_first[to + 1],
			place = side ? x->dom->last[b] + 1 : x->dom->first[b];
		while (low < high) {
			int mid = (low + high) / 2;
			if (x->pred[mid] < place)
				low = mid + 1;
			else
				high = mid;
		}
		count[side] = low;
	}
	return count[1] - count[0];
}

/* ---- which are regions ---- */

static int region_size(const RegionSearch *x, int e, int exit)
{
	int all = x->dom->last[e] - x->dom->first[e] + 1;
	return dom_dominates(x->dom, e, exit) ? all - (x->dom->last[exit] - x->dom->first[exit] + 1) : all;
}

/* The only node outside D(e) that may be the exit of a region from e, or -1: the target of what leaves
   D(e). */
static int exit_outside(const RegionSearch *x, int e)
{
	int t = x->target[e];
	return t >= 0 && dom_dominates(x->pdom, t, e) ? t : -1;
}

static void regions_from(RegionSearch *x, int e)
{
	const Dom *d = x->dom;
	for (int exit = x->pdom->idom[e]; exit >= 0;) {
		bool inside = dom_dominates(d, e, exit), is;
		if (inside) {
			int left = x->leaving[exit] - edges_from(x, exit, e);
			bool deep = x->deepest[exit] > d->depth[e];
			is = !deep && left == x->leaving[e];
			/* not deep: an edge leaves D(e) in front of this exit, and so of all later ones
			   inside D(e) */
			if (!is)
				exit = deep ? x->pdom->idom[exit] : exit_outside(x, e);
			if (!is)
				continue;
		} else {
			is = x->leaving[e] == edges_from(x, e, exit);
		}
		if (is) {
			vec_push(&x->found, ((SeseRegion){ e, exit, -1, 0, region_size(x, e, exit) }));
			x->farthest[e] = x->farthest[exit] >= 0 && inside ? x->farthest[exit] : exit;
		}
		if (!inside)
			return;
		exit = x->pdom->idom[x->farthest[e]];
	}
}

/* ---- the tree ---- */

bool region_has(const SeseRegions *r, int region, int block)
{
	const SeseRegion *x = &r->region[region];
	if (r->of[block] < 0)
		return false;
	return dom_dominates(r->dom, x->entry, block) &&
		(!dom_dominates(r->dom, x->entry, x->exit) || !dom_dominates(r->dom, x->exit, block));
}

/* Makes the tree. The regions of one entry were found from the smallest to the largest, and entries from the
   last place in the dominator tree to the first: so taken backwards, outer regions come first. */
static void nest_regions(RegionSearch *x, SeseRegions *r)
{
	for (int b = 0; b < x->c->n; b++)
		r->of[b] = -1;
	r->region[r->n++] = (SeseRegion){ 0, x->c->n, -1, 0, x->dom->last[0] - x->dom->first[0] };
	int next = x->found.n - 1;
	for (int k = 0; k < x->g->n; k++) {
		int b = x->by_first[k];
		if (b == x->c->n || x->dom->first[b] > x->dom->last[0])
			continue;
		int in = b ? r->of[x->dom->idom[b]] : 0;
		r->of[b] = in;
		while (!region_has(r, in, b))
			in = r->region[in].parent;
		for (; next >= 0 && x->found.v[next].entry == b; next--) {
			if (!b && x->found.v[next].exit == x->c->n)
				continue; /* this is region 0 */
			r->region[r->n] = x->found.v[next];
			r->region[r->n].parent = in;
			r->region[r->n].depth = r->region[in].depth + 1;
			in = r->n++;
		}
		r->of[b] = in;
	}
}

SeseRegions *regions_build(Arena *a, const Cfg *c)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	RegionSearch x = { .c = c, .g = cfg_exit_graph(&tmp, c, false) };
	int n = x.g->n, **all[] = { &x.by_first, &x.leaving, &x.deepest, &x.target, &x.farthest };
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		*all[k] = arena_array(&tmp, int, n + 1);
	x.dom = dom_of_graph(a, x.g, false, 0);
	x.pdom = dom_of_graph(&tmp, x.g, true, c->n);
	for (int b = 0; b < n; b++) {
		x.by_first[x.dom->first[b]] = b;
		x.farthest[b] = -1;
	}
	count_leaving(&x, &tmp);
	sort_preds(&x, &tmp);
	for (int k = n; k-- > 0;)
		if (x.dom->first[x.by_first[k]] <= x.dom->last[0] && x.by_first[k] != c->n)
			regions_from(&x, x.by_first[k]);
	SeseRegions *r = arena_new(a, SeseRegions);
	r->dom = x.dom;
	r->of = arena_array(a, int, c->n + 1);
	r->region = arena_array(a, SeseRegion, x.found.n + 2);
	nest_regions(&x, r);
	vec_free(&x.found);
	arena_free(&tmp);
	return r;
}

void regions_print(const Cfg *c, const SeseRegions *r, StrBuf *s)
{
	for (int k = 0; k < r->n; k++)
		sb_printf(s, "  %*s%s => %s: %d blocks\n", 2 * r->region[k].depth, "",
			print_label(c, r->region[k].entry), print_label(c, r->region[k].exit),
			r->region[k].blocks);
}
