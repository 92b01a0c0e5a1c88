/* The graph that expressions move in: the function's blocks, and one more on each critical edge, where code
   that belongs on this way alone has a place. */
#include "passes/transform/motion/motion.h"

/* The tree of cycles: node l + 1 stands for cycle l, and node 0, the root, for code that is in no cycle. */
static Tree tree_of_loops(Arena *a, const Nest *n)
{
	Tree t = tree_new(a, n->nloop + 1);
	tree_root(&t, 0);
	for (int l = 0; l < n->nloop; l++) /* outer cycles have lower numbers than inner ones */
		tree_add(&t, l + 1, n->parent[l] + 1, 0);
	return t;
}

static void number_critical_edges(Points *p, Arena *a, int n, int **at)
{
	const Cfg *c = p->c;
	Tree loops = tree_of_loops(a, c->nest);
	for (int b = 0; b < n; b++)
		p->from[b] = p->to[b] = -1;
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id;
		p->order[p->norder++] = b;
		at[b] = p->order + p->norder;
		for (int i = 0; i < c->graph->succ[b].n; i++) {
			int s = c->graph->succ[b].v[i];
			if (!is_critical_edge(c, b, s))
				continue;
			p->from[p->n] = b;
			p->to[p->n] = s;
			p->loop[p->n] = tree_common(&loops, c->nest->of[b] + 1, c->nest->of[s] + 1) - 1;
			p->order[p->norder++] = p->n++;
		}
	}
}

/* Adds the edges of the graph. at: by block, where its critical edges begin in Points.order. */
static void connect_points(Points *p, int **at)
{
	const Cfg *c = p->c;
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id, *edge = at[b];
		for (int i = 0; i < c->graph->succ[b].n; i++) {
			int s = c->graph->succ[b].v[i], by = is_critical_edge(c, b, s) ? *edge++ : s;
			graph_edge(p->g, b, by);
			if (by != s)
				graph_edge(p->g, by, s);
		}
	}
}

Points *points_build(Arena *a, Analyses *an)
{
	const Cfg *c = analysis_cfg(an);
	const Uniformity *u = analysis_uniformity(an);
	Points *p = arena_new(a, Points);
	int most = c->n, **at = arena_array(a, int *, c->n + 1);
	for (int b = 0; b < c->n; b++)
		most += bs_has(c->reach, b) ? c->graph->succ[b].n : 0;
	p->c = c;
	p->control = analysis_control(an);
	p->dom = analysis_dom(an);
	p->pdom = analysis_pdom(an);
	p->loops = analysis_loops(an);
	p->n = c->n;
	p->from = arena_array(a, int, most + 1);
	p->to = arena_array(a, int, most + 1);
	p->order = arena_array(a, int, most + 1);
	p->place = arena_array(a, int, most + 1);
	p->loop = arena_array(a, int, most + 1);
	p->divergent = arena_array(a, bool, most + 1);
	p->branch = arena_array(a, bool, most + 1);
	memcpy(p->loop, c->nest->of, sizeof *p->loop * (size_t)c->n);
	number_critical_edges(p, a, c->n, at);
	p->g = graph_new(a, p->n);
	connect_points(p, at);
	for (int b = 0; b < p->n; b++) {
		p->place[b] = -1;
		p->branch[b] = p->g->succ[b].n > 1;
		p->divergent[b] = b < c->n && p->branch[b] && u->divergent[b];
	}
	for (int k = 0; k < p->norder; k++)
		p->place[p->order[k]] = k;
	int *depth = arena_array(a, int, c->nest->nloop + 1);
	p->depth = arena_array(a, int, p->n + 1);
	p->outermost = arena_array(a, int, c->nest->nloop + 1);
	for (int l = 0; l < c->nest->nloop; l++) { /* outer cycles have lower numbers than inner ones */
		int around = c->nest->parent[l];
		depth[l] = 1 + (around >= 0 ? depth[around] : 0);
		p->outermost[l] = around >= 0 ? p->outermost[around] : l;
	}
	for (int b = 0; b < p->n; b++)
		p->depth[b] = p->loop[b] >= 0 ? depth[p->loop[b]] : 0;
	return p;
}

bool points_leaves(const Points *p, int from, int to)
{
	return p->depth[to] < p->depth[from] || (p->loop[from] >= 0 &&
		!nest_within(p->c->nest, p->loop[to], p->loop[from]));
}
