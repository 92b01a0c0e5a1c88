/* Unstructured regions: random graphs of blocks with one entry and one way out. Edges forward are free; an
 * edge backward burns fuel, and a thread without fuel leaves. So every thread leaves, and irreducible cycles
 * come by themselves. */
#include "tests/random/random_gen.h"

enum { NODES_MOST = 7, OUT_MOST = 4 };

typedef struct Graph {
	int n, nout[NODES_MOST], cap[NODES_MOST], out[NODES_MOST][OUT_MOST]; /* out: a node, or n: the exit */
	Block *node[NODES_MOST], *exit;
	int fuel;
} Graph;

static void shape(Gen *g, Graph *r)
{
	r->n = 3 + (int)rnd(g, NODES_MOST - 2);
	for (int k = 0; k < r->n; k++) {
		uint32_t x = rnd(g, 10);
		r->cap[k] = x < 3 ? 1 : x < 8 || !has(g, RF_SWITCH) ? 2 : 3 + (int)rnd(g, 2);
	}
	r->cap[0] = r->cap[0] < 2 ? 2 : r->cap[0];
	for (int k = 1; k < r->n; k++) { /* every node has a way in from an earlier one */
		int from = (int)rnd(g, (uint32_t)k), tries = 0;
		while (r->nout[from] == r->cap[from] && tries++ < k)
			from = (from + 1) % k;
		if (r->nout[from] == OUT_MOST || (r->nout[from] == r->cap[from] && !has(g, RF_SWITCH) &&
			r->cap[from] == 2)) {
			r->n = k; /* no room: a smaller graph */
			return;
		}
		if (r->nout[from] == r->cap[from])
			r->cap[from]++;
		r->out[from][r->nout[from]++] = k;
	}
}

static void fill(Gen *g, Graph *r)
{
	for (int k = 0; k < r->n; k++)
		while (r->nout[k] < r->cap[k]) {
			int to = (int)rnd(g, (uint32_t)r->n + 1);
			if (r->cap[k] == 2 && r->nout[k] == 1 && r->out[k][0] == to)
				to = to == r->n ? 0 : r->n;
			r->out[k][r->nout[k]++] = to;
		}
}

/* Where the edge from node k leads: backward edges get a block that looks at the fuel. */
static Block *edge(Gen *g, Graph *r, int k, int to)
{
	if (to == r->n)
		return r->exit;
	if (to > k)
		return r->node[to];
	Block *from = g->b, *check = block(g);
	open_block(g, check);
	Ins i = op(g, "sub.u32", 1, 2);
	i.opd[0] = i.opd[1] = opd_reg(r->fuel);
	i.opd[2] = opd_imm(1);
	emit(g, i);
	int empty = emit2(g, "setp.eq.u32", T_PRED, opd_reg(r->fuel), opd_imm(0));
	branch_if(g, empty, r->exit, r->node[to]);
	open_block(g, from);
	return check;
}

static void node(Gen *g, Graph *r, int k)
{
	Block *to[OUT_MOST];
	open_block(g, r->node[k]);
	if (chance(g, 30))
		memory_statement(g);
	straight(g, 1 + (int)rnd(g, 2));
	int n = r->nout[k];
	bool index = n > 2 || (has(g, RF_SWITCH) && chance(g, 25));
	int p = !index && n == 2 ? condition(g) : -1;
	for (int s = 0; s < n; s++)
		to[s] = edge(g, r, k, r->out[k][s]);
	if (!index && n == 1) {
		jump(g, to[0]);
	} else if (!index) {
		branch(g, p, to[0], to[1]);
	} else {
		int targets = n + (int)rnd(g, (uint32_t)(OUT_MOST - n) + 1); /* some twice */
		for (int s = n; s < targets; s++)
			to[s] = to[rnd(g, (uint32_t)n)];
		indexed(g, targets, to);
	}
}

void graph_statement(Gen *g)
{
	Graph r = { 0 };
	int outer = g->level;
	shape(g, &r);
	fill(g, &r);
	g->level = 0;
	uint32_t least = 1 + rnd(g, 3);
	r.fuel = emit2(g, "add.u32", T_U32, opd_reg(small(g, 3)), opd_imm(least));
	for (int k = 0; k < r.n; k++)
		r.node[k] = block(g);
	r.exit = block(g);
	jump(g, r.node[0]);
	for (int k = 0; k < r.n; k++)
		node(g, &r, k);
	open_block(g, r.exit);
	g->level = outer;
	used(g, RF_GRAPH);
}
