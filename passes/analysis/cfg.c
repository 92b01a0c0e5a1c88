#include "passes/analysis/analysis.h"

static void take_preds(Arena *a, Cfg *c)
{
	c->npred = arena_array(a, int, c->n);
	c->pred = arena_array(a, Block **, c->n);
	for (int b = 0; b < c->n; b++) {
		const IntList *p = &c->graph->pred[b];
		c->pred[b] = arena_array(a, Block *, p->n ? p->n : 1);
		for (int k = 0; k < p->n; k++)
			if (bs_has(c->reach, p->v[k]))
				c->pred[b][c->npred[b]++] = c->f->block.v[p->v[k]];
	}
}

void fatal_blocks(const Function *f, const Graph *g, BitSet fatal)
{
	bool any = false;
	for (int b = 0; b < f->block.n; b++) {
		const Block *x = f->block.v[b];
		if (x->nsucc || !x->ins.n || !(op_info[block_term(x)->op].flags & OPF_FATAL))
			continue;
		bs_add(fatal, b);
		any = true;
	}
	if (any)
		graph_lead(g, fatal);
	if (any && bs_has(fatal, 0))
		bs_clear(fatal);
}

Cfg *cfg_build(Arena *a, Function *f)
{
	function_number(f);
	Cfg *c = arena_new(a, Cfg);
	c->f = f;
	c->stamp = f->graph_stamp;
	c->n = f->block.n;
	c->graph = graph_new(a, c->n);
	for (int b = 0; b < c->n; b++)
		for (int k = 0; k < f->block.v[b]->nsucc; k++)
			graph_edge(c->graph, b, f->block.v[b]->succ[k]->id);
	c->reach = bs_new(a, c->n);
	graph_reach(c->graph, false, 0, bs_new(a, c->n), c->reach);
	/* unreachable blocks lose their edges: these would change the order and be further entries of
	   loops */
	for (int b = 0; b < c->n; b++)
		if (!bs_has(c->reach, b))
			while (c->graph->succ[b].n)
				graph_cut(c->graph, b, c->graph->succ[b].v[0]);
	c->fatal = bs_new(a, c->n);
	fatal_blocks(f, c->graph, c->fatal);
	take_preds(a, c);
	int *order = arena_array(a, int, c->n);
	c->nest = arena_new(a, Nest);
	c->nreach = graph_order(a, c->graph, c->reach, order, c->nest);
	c->rpo = arena_array(a, Block *, c->n);
	c->rpo_index = arena_array(a, int, c->n);
	for (int b = 0; b < c->n; b++)
		c->rpo_index[b] = -1;
	for (int i = 0; i < c->nreach; i++) {
		c->rpo[i] = f->block.v[order[i]];
		c->rpo_index[order[i]] = i;
	}
	return c;
}
