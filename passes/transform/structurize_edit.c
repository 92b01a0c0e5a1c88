/* The three transformations of structurize. */
#include "passes/transform/structurize.h"

static Block *block_of(const Structurize *w, int node) { return w->r->f->block.v[node]; }

static bool one_beside(Structurize *w, int x, bool add)
{
	bool is = bs_has(w->touched, x);
	if (add)
		bs_add(w->touched, x);
	return is;
}

bool structurize_beside(Structurize *w, bool add)
{
	bool any = false;
	bs_each(w->region, x) {
		any |= one_beside(w, x, add);
		for (int k = 0; k < w->g->succ[x].n; k++)
			any |= one_beside(w, w->g->succ[x].v[k], add);
		for (int k = 0; k < w->g->pred[x].n; k++)
			any |= one_beside(w, w->g->pred[x].v[k], add);
	}
	return any;
}

/* ---- copying ---- */

static bool together(Structurize *w, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		if (ins_effects(analysis_effects(w->r->an), &b->ins.v[k]).convergent)
			return true;
	return false;
}

/* The blocks of the nodes; NULL with w->why when they may not be copied so often. */
static Block **blocks_of(Structurize *w, BitSet nodes, int copies, int *n)
{
	Block **list = arena_array(&w->arena, Block *, w->c->n);
	int64_t instructions = 0;
	*n = 0;
	bs_each(w->c->reach, b) {
		if (bs_has(w->c->fatal, b) || !bs_has(nodes, graph_into(w->into, b)))
			continue;
		list[(*n)++] = block_of(w, b);
		instructions += block_of(w, b)->ins.n;
		if (together(w, block_of(w, b)))
			w->why = "operations that threads execute together would be copied, or meet elsewhere";
	}
	if (w->r->f->block.n + (int64_t)copies * *n > w->most_blocks || w->instructions + copies * instructions > w->most_instructions)
		w->why = "it would grow beyond its cap";
	w->instructions += copies * instructions;
	return w->why ? NULL : list;
}

static Block **copy(Structurize *w, Block **list, int n)
{
	Block **to = arena_array(&w->arena, Block *, w->c->n + 1);
	edit_clone(&w->e, list, n, to, NULL, "_copy");
	w->copied += n;
	return to;
}

/* Every edge from the node's blocks to block x goes to `to`. */
static void route(Structurize *w, int node, Block *x, Block *to)
{
	bs_each(w->c->reach, b)
		if (graph_into(w->into, b) == node && list_has(&w->c->graph->succ[b], x->id))
			edit_retarget(&w->e, block_of(w, b), x, to);
}

/* ---- backward copy ---- */

bool structurize_peel(Structurize *w)
{
	BitSet body = bs_new(&w->arena, w->g->n);
	bool side = false;
	int n;
	bs_each(w->region, x) {
		if (x == w->entry)
			continue;
		bs_add(body, x);
		for (int k = 0; k < w->g->pred[x].n; k++)
			side |= !bs_has(w->region, w->g->pred[x].v[k]);
	}
	Block **list = side ? blocks_of(w, body, 1, &n) : NULL;
	if (!list)
		return false;
	Block **to = copy(w, list, n);
	bs_each(body, x)
		for (int k = 0; k < w->g->pred[x].n; k++)
			if (!bs_has(w->region, w->g->pred[x].v[k]))
				route(w, w->g->pred[x].v[k], block_of(w, x), to[x]);
	w->backward++;
	return true;
}

/* ---- cut ---- */

/* One edge back, and one out of the loop, from its first or its last node, which have no other choice. */
static bool simple(const Structurize *w)
{
	int latch = -1, leaves = -1, edges = 0, back = 0;
	bs_each(w->region, x)
		for (int k = 0; k < w->g->succ[x].n; k++) {
			int s = w->g->succ[x].v[k];
			if (s == w->entry) {
				latch = x;
				back++;
			} else if (!bs_has(w->region, s)) {
				leaves = x;
				edges++;
			}
		}
	return back == 1 && (edges == 0 || (edges == 1 && (leaves == w->entry || leaves == latch) && w->g->succ[leaves].n == 2));
}

typedef struct Cut { Structurize *w; int reg; Block *end; Vec(Block *) target; } Cut;

/* The edge sets the variable and leads to the loop's end. */
static void divert(Cut *x, Block *b, Block *s, int value)
{
	Edit *e = &x->w->e;
	Block *mid = edit_split_edge(e, b, s, "_leave");
	Ins set = edit_new(e, block_term(b), OP_MOV, T_U32, 1, 1);
	set.opd[0] = opd_reg(x->reg);
	set.opd[1] = opd_imm(value);
	edit_insert(e, mid, 0, set);
	edit_retarget(e, mid, s, x->end);
}

static int value_of(Cut *x, Block *target)
{
	int k = 0;
	while (k < x->target.n && x->target.v[k] != target)
		k++;
	if (k == x->target.n)
		vec_push(&x->target, target);
	return k + 1;                      /* 0: the loop goes on */
}

static void divert_edges(Cut *x, int node, Block *b)
{
	const Structurize *w = x->w;
	Block *header = block_of(w, w->entry);
	const IntList *s = &w->c->graph->succ[b->id];
	bool again = node != w->entry || list_has(&w->g->succ[node], node);
	for (int k = 0; k < s->n; k++) {
		Block *to = block_of(w, s->v[k]);
		if (bs_has(w->c->fatal, to->id))
			continue;
		if (to == header && again)
			divert(x, b, to, 0);
		else if (!bs_has(w->region, structurize_node(w, to)))
			divert(x, b, to, value_of(x, to));
	}
}

static void test(Cut *x, Block *b, Cmp how, int value, Block *yes, Block *no)
{
	Edit *e = &x->w->e;
	const Ins *like = block_term(block_of(x->w, x->w->entry));
	Ins *i = edit_ins(e, b, like, OP_SETP, T_U32, 1, 2);
	int p = edit_reg(e, "cut", T_PRED);
	i = &vec_last(&b->ins);
	i->cmp = (uint8_t)how;
	i->opd[0] = opd_reg(p);
	i->opd[1] = opd_reg(x->reg);
	i->opd[2] = opd_imm(value);
	edit_branch(e, b, like, p, yes, no);
}

/* Behind the loop: who left for where goes there. */
static Block *sorted_out(Cut *x)
{
	Block *to = x->target.v[x->target.n - 1];
	for (int k = x->target.n - 1; k-- > 0;) {
		Block *b = edit_block(&x->w->e, block_of(x->w, x->w->entry)->label, "_left");
		test(x, b, CMP_EQ, k + 1, x->target.v[k], to);
		to = b;
	}
	return to;
}

bool structurize_cut(Structurize *w)
{
	int n;
	if (simple(w))
		return false;
	Block **list = blocks_of(w, w->region, 0, &n);
	if (!list)
		return false;
	Block *header = block_of(w, w->entry);
	Cut x = { .w = w, .reg = edit_reg(&w->e, "leave", T_U32), .end = edit_block(&w->e, header->label, "_end") };
	for (int k = 0; k < n; k++)
		divert_edges(&x, structurize_node(w, list[k]), list[k]);
	if (x.target.n)
		test(&x, x.end, CMP_NE, 0, sorted_out(&x), header);
	else
		edit_jump(&w->e, x.end, block_term(header), header);
	vec_free(&x.target);
	w->cuts++;
	return true;
}

/* ---- forward copy ---- */

/* The region without its edges back; what leaves it or goes back leads to the last node. */
static Graph *forward_graph(Structurize *w)
{
	Graph *g = graph_new(&w->arena, w->g->n + 1);
	bs_each(w->region, x)
		for (int k = 0; k < w->g->succ[x].n; k++) {
			int s = w->g->succ[x].v[k];
			graph_edge(g, x, bs_has(w->region, s) && s != w->entry ? s : w->g->n);
		}
	if (bs_has(w->region, w->c->n))    /* the virtual exit */
		graph_edge(g, w->c->n, w->g->n);
	return g;
}

static int *dominators(Structurize *w, const Graph *g, bool backward, int root, int *order, int *n)
{
	int *idom = arena_array(&w->arena, int, g->n), *depth = arena_array(&w->arena, int, g->n);
	*n = graph_rpo(g, backward, root, order);
	graph_idom(g, backward, order, *n, idom, depth);
	return idom;
}

/* The last place at which ways meet though they lead apart from where they parted to elsewhere, too. What lies behind it is one node each way. */
static int meeting(Structurize *w)
{
	Graph *g = forward_graph(w);
	int n, behind, *order = arena_array(&w->arena, int, g->n), *back = arena_array(&w->arena, int, g->n);
	int *idom = dominators(w, g, false, w->entry, order, &n), *ipdom = dominators(w, g, true, w->g->n, back, &behind);
	for (int k = n; k-- > 1;) {
		int x = order[k], p = ipdom[idom[x]];
		if (x >= w->c->n || g->pred[x].n < 2)
			continue;
		while (p >= 0 && p != x)
			p = ipdom[p];
		if (p != x)
			return x;
	}
	return -1;
}

bool structurize_copy(Structurize *w)
{
	int x = meeting(w), n;
	if (x < 0)
		return false;
	BitSet one = bs_new(&w->arena, w->g->n);
	bs_add(one, x);
	const IntList *pred = &w->g->pred[x];
	Block **list = blocks_of(w, one, pred->n - 1, &n);
	for (int k = 1; list && k < pred->n; k++)
		route(w, pred->v[k], block_of(w, x), copy(w, list, n)[x]);
	w->forward += list != NULL;
	return list != NULL;
}
