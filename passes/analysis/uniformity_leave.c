/* Uniformity: what is written in a cycle and used behind it differs when lanes leave the cycle in different
 * iterations.
 *
 * Such a use lies behind all cycles from the innermost one around the write up to below the one that is
 * around both write and use, and it is marked once, when lanes leave the first of these. So uses stand in the
 * order of the cycles in which they are written, a walk through the tree of cycles: those of a cycle and of
 * all inside it are side by side. A tree of least depths finds among them the uses that lie behind the cycle;
 * what has been marked is taken out of it. That takes time by the number of uses, however deep cycles
 * nest.
 */
#include "passes/analysis/uniformity_own.h"
#include <limits.h>
#include <stdlib.h>

/* A use of a version that is written in a cycle and used outside: reading k of the version (Reaching.read),
   or, into, entry k of Reaching.into. */
typedef struct Escape { int version, k; bool into; } Escape;

typedef struct Escapes {
	Escape *list;                  /* in the order of versions */
	/* the same in the order of cycles: place in list; `first` is by number of a cycle in the walk */
	int *by_loop, *first, n;
	/* a binary tree over by_loop, its leaves from `width` on: the least depth of the cycle around both
	   write and use; INT_MAX: the use is marked */
	int *least, width;
	int64_t *steps;                /* by loop: how many readings the versions have that escape from it */
	int *found, nfound;
} Escapes;

static int use_block(const Uni *u, const Escape *e)
{
	return e->into ? u->ssa->version[u->reads->into[e->k]].block : u->reads->read[e->k].block;
}

/* Lists the version's uses behind cycles; returns the least depth of a cycle around write and use. */
static int list_uses(const Uni *u, Escapes *x, int version, int *depth)
{
	const Reaching *r = u->reads;
	int node = uni_node(u, u->ssa->version[version].block), least = u->tree.node[node].depth;
	for (int into = 0; into < 2; into++) {
		const int *first = into ? r->into_first : r->read_first;
		for (int k = first[version]; k < first[version + 1]; k++) {
			Escape e = { version, k, into };
			int common = tree_common(&u->tree, node, uni_node(u, use_block(u, &e))),
				to = u->tree.node[common].depth;
			if (to == u->tree.node[node].depth)
				continue;
			depth[x->n] = to;
			x->list[x->n++] = e;
			least = to < least ? to : least;
		}
	}
	return least;
}

/* The number, in the walk, of the innermost cycle around the write. */
static int walk_number(const Uni *u, const Escape *e)
{
	return u->loop_first[uni_node(u, u->ssa->version[e->version].block) - 1];
}

/* Sorts the uses by cycle, and makes the tree of depths. */
static void sort_uses(Uni *u, Escapes *x, const int *depth)
{
	x->by_loop = arena_array(u->arena, int, x->n + 1);
	x->found = arena_array(u->arena, int, x->n + 1);
	x->first = arena_array(u->arena, int, u->c->nest->nloop + 3);
	for (int k = 0; k < x->n; k++)
		x->first[walk_number(u, &x->list[k]) + 2]++;
	for (int l = 1; l <= u->c->nest->nloop + 1; l++)
		x->first[l] += x->first[l - 1];
	for (int k = 0; k < x->n; k++)
		x->by_loop[x->first[walk_number(u, &x->list[k]) + 1]++] = k;
	for (x->width = 1; x->width < x->n;)
		x->width *= 2;
	x->least = arena_array(u->arena, int, 2 * x->width);
	for (int k = 0; k < x->width; k++)
		x->least[x->width + k] = k < x->n ? depth[x->by_loop[k]] : INT_MAX;
	for (int k = x->width - 1; k > 0; k--)
		x->least[k] = x->least[2 * k] < x->least[2 * k + 1] ? x->least[2 * k] : x->least[2 * k + 1];
}

static void find_escapes(Uni *u)
{
	const Reaching *r = u->reads;
	const Nest *n = u->c->nest;
	Escapes *x = u->escapes = arena_new(u->arena, Escapes);
	int most = r->read_first[u->ssa->n] + r->into_first[u->ssa->n];
	int *depth = arena_array(u->arena, int, most + 1);
	x->list = arena_array(u->arena, Escape, most + 1);
	x->steps = arena_array(u->arena, int64_t, n->nloop + 1);
	for (int v = 0; v < u->ssa->n; v++) {
		int node = uni_node(u, u->ssa->version[v].block);
		if (u->ssa->version[v].ins == SSA_ENTRY || !node)
			continue;
		int least = list_uses(u, x, v, depth);
		/* added to the cycles from the innermost one up to below the one of least depth */
		int64_t readings = r->read_first[v + 1] - r->read_first[v];
		x->steps[node - 1] += readings;
		if (least)
			x->steps[tree_at(&u->tree, node, least) - 1] -= readings;
	}
	for (int l = n->nloop; l-- > 0;)
		if (n->parent[l] >= 0)
			x->steps[n->parent[l]] += x->steps[l];
	sort_uses(u, x, depth);
}

/* ---- marking ---- */

/* Finds the uses number from to to - 1, in the order of cycles, whose write and use are both in no cycle of
   this depth. Node k of the tree stands for `width` uses from `at` on. */
static void find_uses(Escapes *x, int depth, int from, int to, int k, int at, int width)
{
	if (at >= to || at + width <= from || x->least[k] >= depth)
		return;
	if (width == 1) {
		x->found[x->nfound++] = at;
		return;
	}
	find_uses(x, depth, from, to, 2 * k, at, width / 2);
	find_uses(x, depth, from, to, 2 * k + 1, at + width / 2, width / 2);
}

static void take_out(Escapes *x, int at)
{
	int k = x->width + at;
	x->least[k] = INT_MAX;
	while (k /= 2)
		x->least[k] = x->least[2 * k] < x->least[2 * k + 1] ? x->least[2 * k] : x->least[2 * k + 1];
}

static int by_number(const void *p, const void *q)
{
	const int *a = p, *b = q;
	return *a < *b ? -1 : *a > *b;
}

static void mark_use(Uni *u, const Escape *e, int branch)
{
	if (e->into) {
		uni_mark(u, u->reads->into[e->k], UNI_LEFT, branch);
		return;
	}
	Reading x = u->reads->read[e->k];
	int use = u->ssa->use_first[u->ssa->ins_first[x.block] + x.ins] + x.use;
	if (!u->use[use])
		u->r->left[use] = branch;
	u->use[use] = true;
	uni_evaluate(u, x.block, x.ins);
}

/* Lanes leave the cycle at different times: marks all uses outside it of versions defined inside as
   divergent; ended: only uses in blocks where lanes are that end apart. */
void uni_leave(Uni *u, int loop, bool ended, int branch)
{
	if (!u->escapes)
		find_escapes(u);
	Escapes *x = u->escapes;
	int n = 0;
	u->steps += x->steps[loop];
	x->nfound = 0;
	find_uses(x, u->tree.node[loop + 1].depth, x->first[u->loop_first[loop]],
		x->first[u->loop_last[loop] + 1], 1, 0, x->width);
	for (int k = 0; k < x->nfound; k++) {
		int at = x->found[k], e = x->by_loop[at];
		if (ended && !bs_has(u->tail, use_block(u, &x->list[e])))
			continue;
		take_out(x, at);
		x->found[n++] = e;
	}
	if (n)
		qsort(x->found, (size_t)n, sizeof *x->found, by_number);
	for (int k = 0; k < n; k++)
		mark_use(u, &x->list[x->found[k]], branch);
}
