/* Uniformity: where lanes that part at a branch meet again is the mechanism's affair. A stack lets them wait
 * at the branch's post-dominator (pdom_point), even lanes that first go round a cycle in which this point
 * lies. A sweep over blocks in reverse post-order (exec_mask) lets lanes go on from the point and meet at the
 * cycle's header or earlier. Where the first block in that order runs next (thread frontiers, min_pc), lanes
 * that have come to the header go round before others. All these mechanisms let lanes meet at the point when
 * it comes behind all blocks on the way to it in that order, and no lane goes round a cycle in which the
 * point lies before it comes there. Only then do names of ways end at the point (uniformity_joins.c), and
 * only then has the cycle no lanes of different iterations.
 *
 * Lanes that stay in a cycle which others leave are of one iteration when they come to one place, or go one
 * way, before they go round. Lanes that end apart (uniformity.h) do not come back to differ: a branch to a
 * block where they do makes values of the cycle differ only for uses in blocks of such lanes. */
#include "passes/analysis/uniformity_own.h"
#include "passes/constants.h"
#include "lib/heap.h"

/* Marks in u->region the blocks to which lanes may come from the branch before they come to `point`; the
   branch itself, too, if they may come back to it. Returns whether the point stands behind all of these in
   reverse post-order. */
static bool walk_to_point(Uni *u, int branch, int point)
{
	const Cfg *c = u->c;
	Ints list = { 0 };
	bool before = point >= 0 && point < c->n && c->rpo_index[branch] < c->rpo_index[point];
	u->area++;
	for (vec_push(&list, branch); list.n;) {
		const IntList *succ = &c->graph->succ[vec_pop(&list)];
		u->steps++;
		for (int k = 0; k < succ->n; k++) {
			int to = succ->v[k];
			if (to == point || u->region[to] == u->area)
				continue;
			u->region[to] = u->area;
			before &= point >= 0 && point < c->n && c->rpo_index[to] < c->rpo_index[point];
			if (to != branch)
				vec_push(&list, to);
		}
	}
	vec_free(&list);
	return before;
}

/* Do lanes go round the cycle before they come to the point, or at the point itself? walk_to_point() has been
   called before. */
static bool goes_round(const Uni *u, int loop, int point)
{
	int header = u->c->nest->header[loop];
	return header == point || u->region[header] == u->area;
}

/* Do all lanes that part at the branch meet at the point, in one iteration of each cycle in which both branch
   and point are? */
static bool meet_at(Uni *u, int branch, int point)
{
	const Nest *n = u->c->nest;
	bool before = walk_to_point(u, branch, point);
	for (int l = n->of[branch]; l >= 0 && before; l = n->parent[l])
		before = !uni_contains(u, l, point) || !goes_round(u, l, point);
	return before;
}

/* Ways out of cycles, by cycle: those to blocks that are in the cycle around it. Each edge is a way out of
   one cycle in this sense, whatever others it leaves. known: stay_together has been asked about lanes in this
   cycle; then `together` is the answer, and `steps` what it took to find it. */
typedef struct InnerExit { int from, to; } InnerExit;
typedef struct InnerExits {
	int *first;
	InnerExit *edge;
	bool *known, *together;
	int64_t *steps;
} InnerExits;

/* The cycle out of which the edge is a way; -1: there is none. */
static int cycle_left(const Uni *u, int from, int to)
{
	int a = uni_node(u, from), common = tree_common(&u->tree, a, uni_node(u, to)),
		depth = u->tree.node[common].depth;
	return common == a ? -1 : tree_at(&u->tree, a, depth + 1) - 1;
}

static void find_exits(Uni *u)
{
	const IntList *succ = u->c->graph->succ;
	InnerExits *x = u->exits = arena_new(u->arena, InnerExits);
	int n = u->c->nest->nloop;
	x->first = arena_array(u->arena, int, n + 2);
	x->known = arena_array(u->arena, bool, n + 1);
	x->together = arena_array(u->arena, bool, n + 1);
	x->steps = arena_array(u->arena, int64_t, n + 1);
	for (int pass = 0; pass < 2; pass++) {
		for (int k = 0; k < u->c->nreach; k++)
			for (int b = u->c->rpo[k]->id, i = 0; i < succ[b].n; i++) {
				int l = cycle_left(u, b, succ[b].v[i]);
				if (l >= 0 && pass)
					x->edge[x->first[l + 1]++] = (InnerExit){ b, succ[b].v[i] };
				else if (l >= 0)
					x->first[l + 2]++;
			}
		for (int l = 1; l <= n + 1 && !pass; l++)
			x->first[l] += x->first[l - 1];
		if (!pass)
			x->edge = arena_array(u->arena, InnerExit, x->first[n + 1] + 1);
	}
}

typedef struct Ways { Uni *u; int loop; bool round, wild; } Ways;

static void add_way(Ways *x, int from, int to)
{
	Uni *u = x->u;
	const int *order = u->c->rpo_index;
	if (!uni_contains(u, x->loop, to))
		return;
	if (to == u->c->nest->header[x->loop])
		x->round = true;
	else if (order[to] <= order[from])
		/* of an inner cycle, the edges back need no look: all its exits are ways */
		x->wild |= u->c->nest->of[from] == x->loop;
	else if (!u->waits[to]) {
		u->waits[to] = true;
		heap_push(u->heap, &u->nheap, order, to);
	}
}

/* Do lanes that part at the branch and stay in the cycle come to one place, or go one way, before they go
 * round the cycle? Where the branch is in an inner cycle, lanes may leave that one anywhere, and there must
 * be a place behind it where they wait for each other. */
static bool stay_together(Uni *u, int branch, int loop)
{
	const IntList *succ = u->c->graph->succ;
	Ways x = { u, loop, false, false };
	int64_t before = u->steps;
	int inner = u->c->nest->of[branch];
	if (inner != loop)
		inner = tree_at(&u->tree, inner + 1, u->tree.node[loop + 1].depth + 1) - 1;
	if (!u->exits)
		find_exits(u);
	if (inner != loop && u->exits->known[inner]) {
		u->steps += u->exits->steps[inner];
		return u->exits->together[inner];
	}
	if (inner == loop)
		for (int k = 0; k < succ[branch].n; k++)
			add_way(&x, branch, succ[branch].v[k]);
	else
		for (int k = u->exits->first[inner]; k < u->exits->first[inner + 1]; k++)
			add_way(&x, u->exits->edge[k].from, u->exits->edge[k].to);
	while (!x.round && !x.wild && u->nheap > 1) {
		int b = heap_pop(u->heap, &u->nheap, u->c->rpo_index);
		u->waits[b] = false;
		u->steps++;
		for (int k = 0; k < succ[b].n; k++)
			add_way(&x, b, succ[b].v[k]);
	}
	bool together = !x.wild && x.round + u->nheap <= 1 && !(inner != loop && x.round);
	while (u->nheap)
		u->waits[u->heap[--u->nheap]] = false;
	if (inner != loop) {
		u->exits->known[inner] = true;
		u->exits->together[inner] = together;
		u->exits->steps[inner] = u->steps - before;
	}
	return together;
}

/* Post-dominators for lanes that end in block `end`: without edges to blocks from which `end` cannot be
   reached. */
static Dom *bound_for(Arena *a, const Graph *g, int end, int exit)
{
	Graph *h = graph_new(a, g->n);
	BitSet none = bs_new(a, g->n), reach = bs_new(a, g->n);
	graph_reach(g, true, end, none, reach);
	graph_edge(h, end, exit);
	bs_each(reach, b)
		for (int k = 0; k < g->succ[b].n; k++)
			if (g->succ[b].v[k] != exit && bs_has(reach, g->succ[b].v[k]))
				graph_edge(h, b, g->succ[b].v[k]);
	return dom_of_graph(a, h, true, exit);
}

static void find_bounds(Uni *u)
{
	const Graph *g = cfg_exit_graph(u->arena, u->c, false);
	const IntList *end = &g->pred[u->c->n];
	u->nbound = 0;
	for (int k = 0; k < end->n && u->nbound <= JOIN_ENDS; k++) {
		if (bs_has(u->c->fatal, end->v[k]))
			continue;
		if (u->nbound < JOIN_ENDS)
			u->bound[u->nbound] = bound_for(u->arena, g, end->v[k], u->c->n);
		u->nbound++;
	}
}

/* May lanes that wait for each other at the point be of different iterations of the cycle? At its header they
   are not where those that stay in the cycle come there in one row. walk_to_point() has been called
   before. */
static bool mixes_at(Uni *u, int branch, int loop, int point)
{
	if (!uni_contains(u, loop, point) || !goes_round(u, loop, point))
		return false;
	return u->c->nest->header[loop] != point || !stay_together(u, branch, loop);
}

/* Lanes of a branch may end in places that have nothing in common. A mechanism that takes one of these places
 * for where all lanes are to go, and the others for early exits, lets lanes wait in front of this place,
 * perhaps for lanes that go round a cycle before. Marks each cycle in which such lanes of different
 * iterations may meet. */
static void meet_before_end(Uni *u, int branch)
{
	const Nest *n = u->c->nest;
	if (u->nbound < 0)
		find_bounds(u);
	for (int k = 0; k < u->nbound; k++) {
		int point = u->nbound > JOIN_ENDS ? -1 : pdom_point(u->bound[k], u->c->f->block.v[branch]);
		if (u->nbound <= JOIN_ENDS && (point < 0 || point == u->c->n))
			continue;
		if (point >= 0)
			walk_to_point(u, branch, point);
		for (int l = n->of[branch]; l >= 0; l = n->parent[l])
			if (point < 0 || mixes_at(u, branch, l, point))
				uni_mix(u, l, branch);
	}
}

/* The block to which all lanes go that part at the branch and do not end apart: its only way that is not one
   of ends of its own. -1: there are several ways, or no such ends. The blocks of those ends go into
   u->tail. */
static int only_way_on(Uni *u, int branch)
{
	const IntList *succ = &u->c->graph->succ[branch];
	int on = -1, ways = 0;
	for (int k = 0; k < succ->n; k++)
		if (!u->own_end[succ->v[k]]) {
			on = succ->v[k];
			ways++;
		}
	if (ways != 1 || succ->n < 2)
		return -1;
	for (int k = 0; k < succ->n; k++)
		if (succ->v[k] != on)
			graph_reach(u->c->graph, false, succ->v[k], u->none, u->tail);
	return on;
}

/* Marks what becomes of the cycles around the branch when lanes part at it. Returns whether all lanes meet at
   the branch's point, so that names end there. */
bool uni_part(Uni *u, int branch)
{
	const Nest *n = u->c->nest;
	const Block *b = u->c->f->block.v[branch];
	int point = pdom_point(u->pdom, b), rest = pdom_point(u->rest, b), l = n->of[branch],
		way = l < 0 ? -1 : only_way_on(u, branch);
	if (l >= 0 && (point < 0 || point == u->c->n))
		meet_before_end(u, branch);
	bool rest_met = way >= 0 || (rest != point && meet_at(u, branch, rest)),
		met = meet_at(u, branch, point);
	for (; l >= 0; l = n->parent[l]) {
		bool inside = point >= 0 && uni_contains(u, l, point);
		if (inside && (met || !goes_round(u, l, point)))
			break;
		if (inside || !stay_together(u, branch, l))
			uni_mix(u, l, branch);
		int stays = way >= 0 ? way : rest;
		bool ended = stays != point && stays >= 0 && uni_contains(u, l, stays) && rest_met;
		if (!u->left[l] && (!ended || way >= 0 || !u->ended[l]))
			uni_leave(u, l, ended, branch);
		u->left[l] |= !ended;
		u->ended[l] |= ended;
	}
	return met;
}

/* The same without a look at the ways: every cycle around the branch is taken to have lanes of different
   iterations, and lanes to leave it at different times. */
void uni_part_all(Uni *u, int branch)
{
	for (int l = u->c->nest->of[branch]; l >= 0 && !u->parted[l]; l = u->c->nest->parent[l]) {
		u->parted[l] = true;
		uni_mix(u, l, branch);
		if (!u->left[l])
			uni_leave(u, l, false, branch);
		u->left[l] = true;
	}
}

/* ---- ends ---- */

static bool ends_at_once(const Block *b)
{
	return !b->nsucc && !(op_info[block_term(b)->op].flags & OPF_FATAL);
}

/* Fills in own_end: by block, is it one to which one way leads, and from which nothing can be reached but
   what it dominates, so that lanes that come there meet no others again? */
static void find_own_ends(Uni *u)
{
	const Graph *g = u->c->graph;
	const Dom *dom = u->dom;
	/* by block: the least and the greatest number, in the tree of dominators, of all blocks to which
	   edges lead from blocks that it dominates */
	int *least = arena_array(u->arena, int, u->c->n + 1), *most = arena_array(u->arena, int, u->c->n + 1),
		n = u->c->nreach;
	u->own_end = arena_array(u->arena, bool, u->c->n + 1);
	for (int k = 0; k < n; k++)
		least[u->c->rpo[k]->id] = most[u->c->rpo[k]->id] = dom->first[u->c->rpo[k]->id];
	for (int k = n; k-- > 0;) { /* dominators stand in front of what they dominate */
		int b = u->c->rpo[k]->id, up = dom->idom[b];
		for (int e = 0; e < g->succ[b].n; e++) {
			int to = dom->first[g->succ[b].v[e]];
			least[b] = to < least[b] ? to : least[b];
			most[b] = to > most[b] ? to : most[b];
		}
		u->own_end[b] = up >= 0 && g->pred[b].n == 1 && least[b] >= dom->first[b] &&
			most[b] <= dom->last[b] && !bs_has(u->c->fatal, b);
		if (up >= 0) {
			least[up] = least[b] < least[up] ? least[b] : least[up];
			most[up] = most[b] > most[up] ? most[b] : most[up];
		}
	}
}

/* Fills in `rest`: post-dominators for lanes that do not end at once: where a block has another way to go,
   without its edges to blocks that end the thread at once. */
void uni_find_rest(Uni *u)
{
	const Cfg *c = u->c;
	Graph *g = cfg_exit_graph(u->arena, c, false), *h = graph_new(u->arena, g->n);
	for (int b = 0; b < g->n; b++)
		for (int k = 0; k < g->succ[b].n; k++) {
			int s = g->succ[b].v[k];
			if (g->succ[b].n < 2 || s == c->n || !ends_at_once(c->f->block.v[s]))
				graph_edge(h, b, s);
		}
	u->rest = dom_of_graph(u->arena, h, true, c->n);
	u->tail = bs_new(u->arena, c->graph->n);
	u->none = bs_new(u->arena, c->graph->n);
	for (int b = 0; b < c->n; b++)
		if (!c->f->block.v[b]->nsucc)
			bs_add(u->tail, b);
	find_own_ends(u);
}
