/* Orders a region's units by how long a warp would wait (option interleave, the paper's section 5.1), by list
 * scheduling. Of the units whose predecessors have their places already, the one comes next that waits least
 * for what loads bring; of units that wait equally long, the one with the longest time to the end behind it.
 * Cycles stay contiguous with their first unit first, and count as LOOP_TURNS turns. Two cycles of
 * which neither leads to the other take turns together when that takes less time than one behind the other:
 * where each side of a branch follows a list, a warp then waits for the loads of both sides at one time. */
#include "passes/transform/linearize/linearize.h"
#include "passes/analysis/tree.h"
#include "passes/constants.h"

typedef struct Schedule {
	Lin *l;
	Arena *a;
	const Graph *g;
	Nest nest;
	Tree loops;                /* loop i is node i + 1; node 0 stands for what is in no loop */
	int n;                     /* units; loop i is item n + i */
	bool mixing;               /* false: items stay in topological order */
	BitSet in;
	int *place;                /* by item: where it begins in topological order */
	IntList *kid;              /* by node of loops: its items in topological order */
	IntList *next;             /* by item: the items of the same loop to which it leads */
	/* by item: how many items lead to it; how many of these have no place yet */
	int *waits, *left;
	int64_t *height;           /* by item: cycles from its start to the end of all that is behind it */
	Span *span;
	/* by loop: its items in the order chosen, with the items of loops that take turns together with it */
	IntList *inside;
	int *with;                 /* by loop: the loop with which it takes turns together, or itself */
} Schedule;

/* ---- items ---- */

static int item_of(const Schedule *v, int unit, int top)
{
	int loop = v->nest.of[unit] + 1;
	return loop == top ? unit : v->n + tree_at(&v->loops, loop, v->loops.node[top].depth + 1) - 1;
}

static void lead_item(Schedule *v, int from, int to)
{
	int n = v->next[from].n;
	list_add(v->a, &v->next[from], to);
	v->waits[to] += v->next[from].n - n;
}

static void find_item_edges(Schedule *v, const int *order)
{
	for (int k = 0; k < v->n; k++)
		for (int i = 0; i < v->g->succ[order[k]].n; i++) {
			int x = order[k], y = v->g->succ[x].v[i], a = v->nest.of[x] + 1,
				b = v->nest.of[y] + 1;
			int top = a == b ? a : tree_common(&v->loops, a, b);
			if (top && v->nest.header[top - 1] == y) /* an edge back to the loop's start */
				continue;
			if (item_of(v, x, top) != item_of(v, y, top))
				lead_item(v, item_of(v, x, top), item_of(v, y, top));
		}
}

static Span node_span(Schedule *v, int node)
{
	Lin *l = v->l;
	bs_clear(v->in);
	blocks_of(l, node, v->in);
	clock_reset(l->clock);
	bs_each(v->in, b)
		for (int k = 0; k < l->block[b]->ins.n; k++) {
			Span s = clock_ins(l->clock, &l->block[b]->ins.v[k], sides_alias(l->sides, b));
			clock_add(l->clock, &s);
		}
	return clock_span(l->clock, v->a);
}

static void find_items(Schedule *v, const LinRegion *r, const int *order)
{
	int all = v->n + v->nest.nloop + 1;
	int **of[] = { &v->place, &v->waits, &v->left, &v->with };
	for (size_t k = 0; k < sizeof of / sizeof *of; k++)
		*of[k] = arena_array(v->a, int, all);
	v->height = arena_array(v->a, int64_t, all);
	v->span = arena_array(v->a, Span, all);
	v->next = arena_array(v->a, IntList, all);
	v->kid = arena_array(v->a, IntList, v->nest.nloop + 1);
	v->inside = arena_array(v->a, IntList, v->nest.nloop + 1);
	v->in = bs_new(v->a, v->l->x);
	v->loops = tree_new(v->a, v->nest.nloop + 1);
	tree_root(&v->loops, 0);
	for (int i = 0; i < v->nest.nloop; i++)
		tree_add(&v->loops, i + 1, v->nest.parent[i] + 1, 0);
	for (int k = 0; k < v->n; k++) {
		int x = order[k], loop = v->nest.of[x];
		v->place[x] = k;
		v->span[x] = node_span(v, r->node[x]);
		if (loop >= 0 && v->nest.header[loop] == x) {
			v->place[v->n + loop] = k;
			list_add(v->a, &v->kid[v->nest.parent[loop] + 1], v->n + loop);
		}
		list_add(v->a, &v->kid[loop + 1], x);
	}
	find_item_edges(v, order);
}

/* ---- one level ---- */

/* Returns how many cycles item y would wait if it came right behind item x. */
static int64_t gap(Schedule *v, int x, int y)
{
	clock_reset(v->l->clock);
	clock_add(v->l->clock, &v->span[x]);
	return clock_wait(v->l->clock, &v->span[y]);
}

static void find_heights(Schedule *v, const IntList *kid)
{
	for (int k = kid->n; k-- > 0;) {
		int x = kid->v[k];
		int64_t behind = 0;
		for (int i = 0; i < v->next[x].n; i++) {
			int y = v->next[x].v[i];
			int64_t way = gap(v, x, y) + v->height[y];
			behind = way > behind ? way : behind;
		}
		v->height[x] = v->span[x].time + behind;
	}
}

static int best(const Schedule *v, const IntList *ready)
{
	int best = 0;
	int64_t least = 0;
	for (int k = 0; k < ready->n; k++) {
		int x = ready->v[k], b = ready->v[best];
		int64_t wait = v->mixing ? clock_wait(v->l->clock, &v->span[x]) : 0,
			more = v->mixing ? v->height[x] - v->height[b] : 0;
		if (!k || wait < least || (wait == least &&
			(more > 0 || (more == 0 && v->place[x] < v->place[b])))) {
			best = k;
			least = wait;
		}
	}
	return best;
}

/* Writes to `out`, in order, the items of n loops that take turns together (loop -1: the items in no loop).
   How long they take, the clock says then. */
static void schedule(Schedule *v, const int *loop, int n, IntList *out)
{
	IntList ready = { 0 };
	for (int i = 0; i < n; i++) {
		const IntList *kid = &v->kid[loop[i] + 1];
		for (int k = 0; k < kid->n; k++) {
			int x = kid->v[k];
			v->left[x] = v->waits[x];
			if (loop[i] >= 0 ? v->nest.header[loop[i]] == x : !v->left[x])
				list_add(v->a, &ready, x);
		}
	}
	clock_reset(v->l->clock);
	while (ready.n) {
		int x = ready.v[best(v, &ready)];
		list_remove(&ready, x);
		list_add(v->a, out, x);
		clock_add(v->l->clock, &v->span[x]);
		int of = x < v->n ? v->nest.of[x] : -1;
		if (of >= 0 && v->nest.header[of] == x)
			for (int k = 0; k < v->kid[of + 1].n; k++)
				if (v->kid[of + 1].v[k] != x && !v->waits[v->kid[of + 1].v[k]])
					list_add(v->a, &ready, v->kid[of + 1].v[k]);
		for (int k = 0; k < v->next[x].n; k++)
			if (--v->left[v->next[x].v[k]] == 0)
				list_add(v->a, &ready, v->next[x].v[k]);
	}
}

static Span turns_of_items(Schedule *v, const IntList *list)
{
	Span *of = arena_array(v->a, Span, list->n + 1);
	for (int k = 0; k < list->n; k++)
		of[k] = v->span[list->v[k]];
	return clock_turns(v->l->clock, v->a, of, list->n, LOOP_TURNS);
}

/* ---- loops that take turns together ---- */

static bool item_leads_to(const Schedule *v, int from, int to)
{
	IntList todo = { 0 };
	list_add(v->a, &todo, from);
	for (int k = 0; k < todo.n; k++)
		for (int i = 0; i < v->next[todo.v[k]].n; i++)
			list_add(v->a, &todo, v->next[todo.v[k]].v[i]);
	return list_has(&todo, to);
}

/* Removes item b, a loop, from the level: item a stands for both from now on. */
static void unite_loops(Schedule *v, IntList *kid, int a, int b)
{
	for (int k = 0; k < kid->n; k++)
		if (list_has(&v->next[kid->v[k]], b)) {
			list_remove(&v->next[kid->v[k]], b);
			lead_item(v, kid->v[k], a);
		}
	for (int k = 0; k < v->next[b].n; k++) {
		v->waits[v->next[b].v[k]]--;
		lead_item(v, a, v->next[b].v[k]);
	}
	list_remove(kid, b);
}

/* Compares each loop of a level with every loop before it. Two of which neither leads to the other take turns
   together from now on if that takes less time. */
static void join_level(Schedule *v, IntList *kid)
{
	for (int i = 0; i < kid->n; i++)
		for (int k = i + 1; k < kid->n; k++) {
			int a = kid->v[i], b = kid->v[k], n = 0, *all = arena_array(v->a, int, v->nest.nloop);
			IntList list = { 0 };
			if (a < v->n || b < v->n || item_leads_to(v, a, b) || item_leads_to(v, b, a))
				continue;
			for (int x = 0; x < v->nest.nloop; x++)
				if (v->with[x] == a - v->n || x == b - v->n)
					all[n++] = x;
			schedule(v, all, n, &list);
			Span s = turns_of_items(v, &list);
			if (s.time >= v->span[a].time + v->span[b].time)
				continue;
			v->with[b - v->n] = a - v->n;
			v->inside[a - v->n] = list;
			v->span[a] = s;
			unite_loops(v, kid, a, b);
			k--;
		}
}

/* ---- all levels ---- */

/* Orders the items of each loop, inner loops first, and last those in no loop, which go to `out`. Returns how
   many cycles all of them take. */
static int64_t arrange_items(Schedule *v, bool mixing, IntList *out)
{
	v->mixing = mixing;
	for (int i = v->nest.nloop; i-- > -1;) {
		IntList *list = i < 0 ? out : &v->inside[i];
		if (mixing) {
			join_level(v, &v->kid[i + 1]);
			find_heights(v, &v->kid[i + 1]);
		}
		list->n = 0;
		schedule(v, &i, 1, list);
		if (i < 0)
			break;
		v->with[i] = i;
		v->span[v->n + i] = turns_of_items(v, list);
	}
	return clock_now(v->l->clock);
}

static int put_item_list(const Schedule *v, const IntList *list, int *order, int n)
{
	for (int k = 0; k < list->n; k++) {
		int x = list->v[k];
		if (x < v->n)
			order[n++] = x;
		else
			n = put_item_list(v, &v->inside[x - v->n], order, n);
	}
	return n;
}

void interleave(Lin *l, Arena *a, LinPlan *p, const Graph *g, const Nest *nest, int *order, int *begin)
{
	Schedule v = { .l = l, .a = a, .g = g, .nest = *nest, .n = p->n };
	IntList out = { 0 };
	if (p->n > INTERLEAVE_UNITS)
		return;
	find_items(&v, p->region, order);
	p->found = p->time = arrange_items(&v, false, &out);
	if (!l->mixing)
		return;
	out.n = 0;
	p->time = arrange_items(&v, true, &out);
	must(put_item_list(&v, &out, order, 0) == p->n);
	for (int i = 0; i < v.nest.nloop; i++)
		begin[v.nest.header[i]] = v.inside[v.with[i]].v[0];
}

/* Returns how many cycles the plan's guards cost; one in a loop counts LOOP_TURNS times, in a loop
   within a loop as many times that, and so on. */
int64_t guards_time(Lin *l, const LinPlan *p, const Guards *g)
{
	int64_t guard = guard_time(l), sum = 0;
	for (int k = 0; k < g->point.n; k++) {
		const Point *t = &g->point.v[k];
		int64_t times = 1;
		int levels = 0;
		if ((t->kind != GUARD && t->kind != BACK) || t->chosen >= 0)
			continue;
		for (int i = 0; i < p->nloop && p->loop[i].lo <= t->unit && levels < LOOP_LEVELS; i++)
			if (t->unit <= p->loop[i].hi) {
				times *= LOOP_TURNS;
				levels++;
			}
		sum += times * guard;
	}
	return sum;
}
