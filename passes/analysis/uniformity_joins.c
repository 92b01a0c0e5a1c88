/* Uniformity: joins, the blocks where ways from a divergent branch meet for the first time. They are what SSA
 * construction would find for a variable that every successor of the branch defines: each successor's name is
 * carried along the edges, and a block that gets two names is a join, which has a name of its own from there
 * on. Edges to loop headers carry names like others, so irreducible cycles need no rule of their own. Names
 * end where all lanes have met.
 *
 * Carrying names costs as many steps as blocks lie between branch and post-dominator. When all branches
 * together have taken more than so many steps a block (UniformityOptions.steps), the joins of the remaining
 * branches are taken from the iterated dominance frontier of all their successors at once. This gives more
 * blocks than needed, but takes linear time; and all cycles around such branches are taken to have lanes of
 * different iterations. */
#include "passes/analysis/uniformity_own.h"
#include "lib/heap.h"

/* Does an edge from the block `from` belong to a way from the branch? Names are not carried behind `stop`. */
static bool on_the_way(const Uni *u, int branch, int stop, int from)
{
	return from != stop && (from == branch || u->stamp[from] == u->now);
}

/* Marks the phis of a join as divergent. A phi that gets the same version on all ways is not, if this version
   was there before the branch. */
static void join_phis(Uni *u, int branch, int stop, int block)
{
	const Ssa *s = u->ssa;
	const IntList *from = &u->c->graph->pred[block];
	for (int k = s->phi_first[block]; k < s->phi_first[block + 1]; k++) {
		const SsaPhi *p = &s->phi[k];
		int one = -1;
		bool differ = false;
		for (int e = 0; e < from->n && !differ; e++) {
			if (!on_the_way(u, branch, stop, from->v[e]))
				continue;
			const SsaVersion *v = &s->version[p->arg[e]];
			differ = (one >= 0 && one != p->arg[e]) ||
				(v->ins != SSA_ENTRY && u->stamp[v->block] == u->now && v->block != stop);
			one = p->arg[e];
		}
		if (differ)
			uni_mark(u, p->version, UNI_JOIN, branch);
	}
}

typedef struct Carry { Uni *u; int branch, stop; Ints join, seen; } Carry;

static void bring(Carry *x, int to, int name)
{
	Uni *u = x->u;
	bool fresh = u->stamp[to] != u->now;
	if (!fresh && (u->name[to] == name || u->name[to] == to))
		return;
	u->stamp[to] = u->now;
	u->name[to] = fresh ? name : to; /* a second name: ways meet here */
	if (!fresh)
		vec_push(&x->join, to);
	else if (to != x->stop)
		vec_push(&x->seen, to);
	if (!u->waits[to] && to != x->stop) {
		u->waits[to] = true;
		heap_push(u->heap, &u->nheap, u->c->rpo_index, to);
	}
}

/* Marks results of warp-level operations to which lanes may come by turns: in blocks behind a join where
 * lanes have not waited for each other, and behind a cycle that they have left in different iterations. What
 * lanes find out together there is not the same for all when they meet later. */
static void come_by_turns(const Carry *x)
{
	Uni *u = x->u;
	int loop = u->stamp[x->branch] == u->now ? u->c->nest->of[x->branch] : -1;
	for (int k = 0; k < x->seen.n; k++) {
		int b = x->seen.v[k];
		if (b < u->c->n && (u->name[b] < u->c->graph->n || (loop >= 0 && !uni_contains(u, loop, b))))
			uni_mark_varying(u, u->c->f->block.v[b], x->branch);
	}
}

/* Finds the joins of a branch by carrying names from its successors. A successor's name is its number plus
   the number of nodes, a join's name is its own number. */
void uni_carry_names(Uni *u, int branch, int stop)
{
	const Graph *g = u->c->graph;
	Carry x = { u, branch, stop, { 0 }, { 0 } };
	u->now++;
	for (int k = 0; k < g->succ[branch].n; k++)
		bring(&x, g->succ[branch].v[k], g->n + g->succ[branch].v[k]);
	while (u->nheap) {
		int b = heap_pop(u->heap, &u->nheap, u->c->rpo_index);
		u->waits[b] = false;
		u->steps++;
		for (int k = 0; k < g->succ[b].n && b != branch; k++)
			bring(&x, g->succ[b].v[k], u->name[b]);
	}
	for (int k = 0; k < x.join.n; k++)
		join_phis(u, branch, x.stop, x.join.v[k]);
	come_by_turns(&x);
	vec_free(&x.join);
	vec_free(&x.seen);
}

static void mark_phis(Uni *u, int block)
{
	for (int k = u->ssa->phi_first[block]; k < u->ssa->phi_first[block + 1]; k++)
		uni_mark(u, u->ssa->phi[k].version, UNI_JOIN, -1);
}

/* Marks the phis at all joins of all large branches (those for which carrying names would take too many
   steps), and perhaps at some blocks more. */
void uni_join_large(Uni *u)
{
	Arena tmp = { 0 };
	const Graph *g = u->c->graph;
	DomFrontier *f = frontier_new(&tmp, g, u->dom);
	int *join = arena_array(&tmp, int, g->n + 1);
	for (int k = 0; k < u->large.n; k++)
		for (int e = 0; e < g->succ[u->large.v[k]].n; e++) {
			int to = g->succ[u->large.v[k]].v[e];
			/* the successor's own name comes along this edge, other names by other ways */
			if (g->pred[to].n > 1)
				mark_phis(u, to);
			frontier_add(f, to);
		}
	for (int n = frontier_find(f, join); n > 0; n--)
		mark_phis(u, join[n - 1]);
	for (int k = 0; k < u->c->nreach && !u->done; k++)
		uni_mark_varying(u, u->c->rpo[k], -1);
	u->done = u->large.n;
	arena_free(&tmp);
}
