#include "passes/analysis/control.h"
#include "passes/analysis/print.h"
#include "lib/diag.h"
#include <limits.h>

/* The blocks that depend on an edge are `to` and what lies above it in the tree of post-dominators, up to
   below the node that this returns. */
static int dependence_stop(const Control *x, int from, int to)
{
	bool aborts = bs_has(x->c->fatal, to) && !bs_has(x->c->fatal, from);
	return aborts ? x->c->n : x->pdom->idom[from];
}

static int each_edge(const Control *x, int from, struct ControlEdge *edge)
{
	int n = 0;
	const IntList *to = &x->c->graph->succ[from];
	for (int k = 0; k < to->n; k++)
		if (to->v[k] != dependence_stop(x, from, to->v[k]))
			edge[n++] = (struct ControlEdge){ from, to->v[k],
				dependence_stop(x, from, to->v[k]) };
	return n;
}

Control *control_build(Arena *a, const Cfg *c, const Dom *pdom)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	Control *x = arena_new(a, Control);
	int n = 0, all = 0;
	x->c = c;
	x->pdom = pdom;
	for (int b = 0; b < c->n; b++)
		all += c->graph->succ[b].n;
	struct ControlEdge *edge = arena_array(&tmp, struct ControlEdge, all + 1);
	for (int b = 0; b < c->n; b++)
		n += each_edge(x, b, edge + n);
	int *start = arena_array(&tmp, int, pdom->n + 2);
	for (int k = 0; k < n; k++)
		start[pdom->first[edge[k].to] + 1]++;
	for (int k = 0; k < pdom->n; k++)
		start[k + 1] += start[k];
	x->n = n;
	for (x->width = 1; x->width < n;)
		x->width *= 2;
	x->edge = arena_array(a, struct ControlEdge, n + 1);
	x->least = arena_array(a, int, 2 * x->width);
	for (int k = 0; k < n; k++)
		x->edge[start[pdom->first[edge[k].to]]++] = edge[k];
	for (int k = 0; k < x->width; k++)
		x->least[x->width + k] = k < n ? pdom->depth[x->edge[k].stop] : INT_MAX;
	for (int k = x->width - 1; k > 0; k--)
		x->least[k] = x->least[2 * k] < x->least[2 * k + 1] ? x->least[2 * k] : x->least[2 * k + 1];
	arena_free(&tmp);
	return x;
}

/* The index of the first edge whose target has a number of at least `first` in the walk through the tree. */
static int from_place(const Control *x, int first)
{
	int low = 0, high = x->n;
	while (low < high) {
		int mid = (low + high) / 2;
		if (x->pdom->first[x->edge[mid].to] < first)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

typedef struct Ask {
	const Control *x;
	int low, high, depth;
	void (*visit)(void *, int, int);
	void *self;
} Ask;

/* Visits those of the edges low..high - 1 whose `stop` lies less deep than q->depth. Node k of the tree
   `least` stands for the `width` edges from `at` on. */
static void visit_edges(const Ask *q, int k, int at, int width)
{
	if (at >= q->high || at + width <= q->low || q->x->least[k] >= q->depth)
		return;
	if (width == 1) {
		q->visit(q->self, q->x->edge[at].from, q->x->edge[at].to);
		return;
	}
	visit_edges(q, 2 * k, at, width / 2);
	visit_edges(q, 2 * k + 1, at + width / 2, width / 2);
}

void control_branches(const Control *x, int block, void (*visit)(void *, int branch, int to), void *self)
{
	const Dom *p = x->pdom;
	Ask q = { x, from_place(x, p->first[block]), from_place(x, p->last[block] + 1), p->depth[block],
		visit, self };
	if (bs_has(x->c->reach, block) && dom_dominates(p, block, 0))
		visit(self, CONTROL_ENTRY, 0);
	visit_edges(&q, 1, 0, x->width);
}

void control_dependents(const Control *x, int branch, void (*visit)(void *, int block), void *self)
{
	const IntList *to = &x->c->graph->succ[branch];
	for (int k = 0; k < to->n; k++)
		for (int b = to->v[k], stop = dependence_stop(x, branch, b); b != stop; b = x->pdom->idom[b])
			visit(self, b);
}

typedef struct EdgePrinter { const Cfg *c; StrBuf *s; } EdgePrinter;

static void print_branch(void *self, int branch, int to)
{
	EdgePrinter *p = self;
	if (branch == CONTROL_ENTRY)
		sb_puts(p->s, " (entry)");
	else
		sb_printf(p->s, " %s->%s", print_label(p->c, branch), print_label(p->c, to));
}

void control_print(const Cfg *c, const Control *x, StrBuf *s)
{
	EdgePrinter p = { c, s };
	for (int i = 0; i < c->nreach; i++) {
		sb_printf(s, "  %s:", c->rpo[i]->label);
		control_branches(x, c->rpo[i]->id, print_branch, &p);
		sb_putc(s, '\n');
	}
}
