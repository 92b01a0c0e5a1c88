/* Which functions a kernel needs, which of them are recursive, and in which of them lanes may end. */
#include "sim/code/lower.h"

/* ---- the functions ---- */

static void need(Lower *w, int id)
{
	/* nothing is to be lowered: the function has no body, and a call by its address is a fault */
	if (w->of[id] || !w->m->func.v[id]->block.n)
		return;
	Function *f = view_function(w->m, id);
	LowerFn *l = arena_new(&w->arena, LowerFn);
	*l = (LowerFn){ .code = w->code, .module = w->m, .f = f, .edit = edit_open(w->m, f, ORIGIN_LOWER),
		.config = w->config, .arena = &w->arena,
		.number = w->order.n };
	w->of[id] = l;
	vec_push(&w->order, l);
}

/* Collects the functions that f names, and notes whether a call goes through a register. */
static void need_all(Lower *w, const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			w->indirect |= i->op == OP_CALL && ins_src(i, 0)->kind == OPD_REG;
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				if (i->opd[o].kind == OPD_FUNC && w->m->func.v[i->opd[o].id]->kind ==
					FN_DEVICE)
					need(w, i->opd[o].id);
		}
}

void lower_collect(Lower *w, const Function *kernel)
{
	bool tables = false; /* functions whose address is in the module's data may be called indirectly */
	need(w, kernel->id);
	for (int i = 0; i < w->order.n; i++) {
		lower_canonical(w->order.v[i]);
		need_all(w, w->order.v[i]->f);
		for (int s = 0; s < w->m->symbol.n && w->indirect && !tables; s++)
			for (int r = 0; r < w->m->symbol.v[s]->reloc.n; r++)
				if (w->m->symbol.v[s]->reloc.v[r].func)
					need(w, w->m->symbol.v[s]->reloc.v[r].id);
		tables |= w->indirect;
	}
}

/* ---- recursion: strongly connected components of the call graph (Tarjan, 1972), without recursion in C
   ---- */

static int callees_of(Lower *w, int x, int *to)
{
	int n = 0, indirect = w->order.n;
	if (x == indirect) {
		for (int y = 0; y < indirect; y++)
			if (w->order.v[y]->f->kind == FN_DEVICE)
				to[n++] = y;
		return n;
	}
	const Function *f = w->order.v[x]->f;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op != OP_CALL)
				continue;
			LowerFn *callee = lower_callee(w, i);
			to[n++] = callee ? callee->number : indirect;
		}
	return n;
}

static int count_function_calls(const Function *f)
{
	int n = 0;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			n += f->block.v[b]->ins.v[k].op == OP_CALL;
	return n;
}

static CallGraph call_graph(Lower *w)
{
	CallGraph g = { .n = w->order.n + 1 };
	int edges = w->order.n + 1;
	for (int x = 0; x < w->order.n; x++)
		edges += count_function_calls(w->order.v[x]->f);
	g.first = arena_array(&w->arena, int, g.n + 1);
	g.to = arena_array(&w->arena, int, edges);
	for (int x = 0; x < g.n; x++)
		g.first[x + 1] = g.first[x] + callees_of(w, x, g.to + g.first[x]);
	return g;
}

typedef struct Tarjan {
	const CallGraph *g;
	int *index, *low, *next, *scc;
	Vec(int) path, stack;
	int count, sccs;
} Tarjan;

static void enter_call_node(Tarjan *t, int x)
{
	t->index[x] = t->low[x] = ++t->count;
	t->next[x] = t->g->first[x];
	vec_push(&t->path, x);
	vec_push(&t->stack, x);
}

static void leave_node(Tarjan *t)
{
	int x = vec_pop(&t->path), y;
	if (t->path.n && t->low[x] < t->low[vec_last(&t->path)])
		t->low[vec_last(&t->path)] = t->low[x];
	if (t->low[x] != t->index[x])
		return;
	do {
		y = vec_pop(&t->stack);
		t->scc[y] = t->sccs;
	} while (y != x);
	t->sccs++;
}

static int *components(Lower *w, const CallGraph *g, int *n)
{
	Tarjan t = { .g = g };
	t.index = arena_array(&w->arena, int, g->n);
	t.low = arena_array(&w->arena, int, g->n);
	t.next = arena_array(&w->arena, int, g->n);
	t.scc = arena_array(&w->arena, int, g->n);
	for (int i = 0; i < g->n; i++)
		t.scc[i] = -1;
	enter_call_node(&t, 0);
	while (t.path.n) {
		int x = vec_last(&t.path);
		if (t.next[x] == g->first[x + 1]) {
			leave_node(&t);
			continue;
		}
		int y = g->to[t.next[x]++];
		if (!t.index[y])
			enter_call_node(&t, y);
		else if (t.scc[y] < 0 && t.index[y] < t.low[x])
			t.low[x] = t.index[y];
	}
	*n = t.sccs;
	vec_free(&t.path);
	vec_free(&t.stack);
	return t.scc;
}

int lower_component(Lower *w, const Ins *call)
{
	const LowerFn *to = lower_callee(w, call);
	return w->calls.scc[to ? to->number : w->order.n];
}

static void sort_nodes(Lower *w, CallGraph *g)
{
	g->node = arena_array(&w->arena, int, g->n);
	g->start = arena_array(&w->arena, int, g->sccs + 2);
	for (int x = 0; x < g->n; x++)
		if (g->scc[x] >= 0)
			g->start[g->scc[x] + 2]++;
	for (int c = 0; c < g->sccs; c++)
		g->start[c + 2] += g->start[c + 1];
	for (int x = 0; x < g->n; x++)
		if (g->scc[x] >= 0)
			g->node[g->start[g->scc[x] + 1]++] = x;
}

static bool has_exit(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		if (block_term(f->block.v[b])->op == OP_EXIT)
			return true;
	return false;
}

/* By function id: may lanes end in the function, or in one that it calls? All functions of a component have
   one answer, since each may call each other. Components are visited callees first. */
static const bool *find_lane_ends(Lower *w, const CallGraph *g)
{
	bool *ends = arena_array(&w->arena, bool, w->m->func.n + 1),
		*of = arena_array(&w->arena, bool, g->sccs);
	/* a function that is never called has no component: it keeps this answer */
	for (int x = 0; x < w->order.n; x++)
		ends[w->order.v[x]->f->id] = true;
	for (int c = 0; c < g->sccs; c++) {
		for (int k = g->start[c]; k < g->start[c + 1]; k++) {
			int x = g->node[k];
			of[c] |= x < w->order.n && has_exit(w->order.v[x]->f);
			for (int e = g->first[x]; e < g->first[x + 1]; e++)
				of[c] |= of[g->scc[g->to[e]]];
		}
		for (int k = g->start[c]; k < g->start[c + 1]; k++)
			ends[g->node[k] < w->order.n ? w->order.v[g->node[k]]->f->id : w->m->func.n] = of[c];
	}
	return ends;
}

void lower_recursion(Lower *w)
{
	CallGraph *g = &w->calls;
	*g = call_graph(w);
	g->scc = components(w, g, &g->sccs);
	sort_nodes(w, g);
	const bool *ends = find_lane_ends(w, g);
	for (int x = 0; x < w->order.n; x++) {
		LowerFn *l = w->order.v[x];
		must(g->scc[x] >= 0 || l->f->kind == FN_DEVICE);
		l->ends = ends;
		l->scc = g->scc[x];
		l->recursive = l->scc >= 0 && g->start[l->scc + 1] - g->start[l->scc] > 1;
		for (int e = g->first[x]; e < g->first[x + 1]; e++)
			l->recursive |= g->to[e] == x;
	}
}
