/* Does the three transformations of structurize: each changes the function's blocks and the reduction at
   once. */
#include "passes/transform/structurize.h"
#include <stdlib.h>

static int loop_depth_of(const Structurize *w, int loop) { return w->loops.node[loop].depth; }
static bool inside(const Structurize *w, int x) { return structurize_inside(w, x); }

/* ---- copying ---- */

static int by_block_number(const void *a, const void *b)
{
	const Block *x = *(Block *const *)a, *y = *(Block *const *)b;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Appends the blocks of a node to the list. */
static void gather_node(const Structurize *w, int x, BlockList *list)
{
	Vec(int) todo = { 0 };
	vec_push(&todo, x);
	while (todo.n) {
		int y = vec_pop(&todo);
		vec_push(list, w->node.v[y].block);
		for (int kid = w->red.node[y].kid; kid >= 0; kid = w->red.node[kid].next)
			vec_push(&todo, kid);
	}
	vec_free(&todo);
}

/* Gives up because of an operation of the block that threads execute together. how: what would happen to it;
   at: the node at which that would happen. */
static void refuse_together(Structurize *w, const Block *b, const char *how, int at)
{
	const Ins *i = structurize_together(w, b);
	w->why = arena_printf(&w->r->m->arena, "%s in block %s needs the threads that come to it together, "
		"and %s %s", op_info[i->op].name, b->label, how, w->node.v[at].block->label);
	w->where = ins_loc(w->r->m, i);
}

/* Before anything changes, gives up if a thread may wait for what others do: after copying, these others may
   come to another copy of the place where ways meet, or after a cut be kept in the loop. */
static void ask_waits(Structurize *w)
{
	const Waits *x = analysis_waits(w->r->an);
	WaitPlace wait;
	w->asked = true;
	if (!waits_any(x, &wait))
		return;
	w->why = waits_text(&w->r->m->arena, &wait);
	w->where = waits_loc(x, &wait);
}

/* May these n nodes be copied `copies` times each? copies 0: may threads meet elsewhere in them, though they
   stay where they are? If not, w->why gets the reason, in which `how` and node `at` say what would happen. */
static bool allowed(Structurize *w, const int *node, int n, int copies, const char *how, int at)
{
	int64_t instructions = 0, blocks = 0;
	if (!w->asked)
		ask_waits(w);
	for (int k = 0; k < n; k++) {
		const StructNode *x = &w->node.v[node[k]];
		instructions += copies * x->instructions;
		blocks += (int64_t)copies * x->blocks;
		if (x->together && !w->why)
			refuse_together(w, x->together, how, at);
	}
	w->instructions += instructions;
	if (!w->why && (w->r->f->block.n + blocks > w->most_blocks || w->instructions > w->most_instructions))
		w->why = "it would grow beyond its cap";
	return !w->why;
}

/* Copies a list of blocks. Until `forget_copies` is called, w->map says by a block's number which block is
   its copy. */
static void copy_blocks(Structurize *w, BlockList *list)
{
	qsort(list->v, (size_t)list->n, sizeof *list->v, by_block_number);
	while (w->map.n < w->r->f->block.n)
		vec_push(&w->map, (Block *)NULL);
	edit_clone(&w->e, spot_last(), list->v, list->n, w->map.v, NULL, "_copy");
	w->copied += list->n;
}

static void forget_copies(Structurize *w, const BlockList *list)
{
	for (int k = 0; k < list->n; k++)
		w->map.v[list->v[k]->id] = NULL;
}

/* Makes a node, without edges, of the copies of all blocks of node x. */
static int copy_node(Structurize *w, int x, int loop)
{
	BlockList list = { 0 };
	gather_node(w, x, &list);
	int to = structurize_node(w, w->map.v[w->node.v[x].block->id], loop);
	for (int k = 1; k < list.n; k++) { /* the first block is that of `to` itself */
		int kid = structurize_node(w, w->map.v[list.v[k]->id], loop);
		reduction_merge(&w->red, to, kid);
	}
	vec_free(&list);
	return to;
}

/* Gives the node `from`, a copy of the node where edge e begins, the same edge to node `to`. */
static void copy_edge(Structurize *w, int e, int from, int to)
{
	Reduction *r = &w->red;
	reduction_edge(r, from, to, -1);
	for (int k = r->edge.v[e].first; k >= 0; k = r->strand.v[k]) {
		StructEdge x = w->edge.v[k];
		reduction_edge(r, from, to, structurize_strand(w, w->map.v[x.from->id], x.k));
	}
}

/* Makes edge e lead to node `to`. */
static void route(Structurize *w, int e, int to)
{
	Reduction *r = &w->red;
	for (int k = r->edge.v[e].first; k >= 0; k = r->strand.v[k])
		edit_target(&w->e, w->edge.v[k].from, w->edge.v[k].k, w->node.v[to].block);
	reduction_cut(r, e);
	reduction_join(r, r->edge.v[e].from, to, e);
}

/* ---- backward copy ---- */

/* an entry of the loop besides its header; the innermost loop that contains both the loop and the node from
   which threads come in there, and its depth */
typedef struct LoopSide { int node, loop, depth; } LoopSide;
typedef Vec(LoopSide) SideList;

static int deepest_first(const void *a, const void *b)
{
	const LoopSide *x = a, *y = b;
	return x->depth != y->depth ? y->depth - x->depth : x->node < y->node ? -1 : x->node > y->node;
}

static SideList find_sides(const Structurize *w)
{
	SideList list = { 0 };
	for (int k = 0; k < w->n; k++)
		if (w->of[k] != w->entry)
			red_in(&w->red, w->of[k], e)
				if (!inside(w, w->red.edge.v[e].from)) {
					int loop = tree_common(&w->loops,
						w->node.v[w->red.edge.v[e].from].loop,
						w->node.v[w->entry].loop);
					vec_push(&list, ((LoopSide){ w->of[k], loop,
						loop_depth_of(w, loop) }));
				}
	if (list.n)
		qsort(list.v, (size_t)list.n, sizeof *list.v, deepest_first);
	return list;
}

/* Returns the nodes that have to be copied: those of `sides`, and all that control reaches from them inside
   the loop. With each stands the loop that its copy will belong to: that of the innermost of the sides from
   which control reaches it. */
static SideList nodes_behind(Structurize *w, const SideList *sides)
{
	SideList list = { 0 };
	for (int k = 0; k < w->n; k++)
		w->node.v[w->of[k]].number = -1;
	for (int k = 0; k < sides->n; k++) {
		if (w->node.v[sides->v[k].node].number >= 0)
			continue;
		int at = list.n;
		w->node.v[sides->v[k].node].number = at;
		vec_push(&list, sides->v[k]);
		for (; at < list.n; at++)
			red_out(&w->red, list.v[at].node, e) {
				int s = w->red.edge.v[e].to;
				if (!inside(w, s) || s == w->entry || w->node.v[s].number >= 0)
					continue;
				w->node.v[s].number = list.n;
				vec_push(&list, ((LoopSide){ s, sides->v[k].loop, sides->v[k].depth }));
			}
	}
	return list;
}

/* Copies the listed nodes, and leads the edges into them from outside to the copies. A node's `number` is its
   place in the list before, and the node of its copy afterwards. */
static void copy_behind(Structurize *w, const SideList *list)
{
	Reduction *r = &w->red;
	BlockList blocks = { 0 };
	for (int k = 0; k < list->n; k++)
		gather_node(w, list->v[k].node, &blocks);
	copy_blocks(w, &blocks);
	for (int k = 0; k < list->n; k++) {
		int to = copy_node(w, list->v[k].node, list->v[k].loop);
		w->node.v[list->v[k].node].number = to;
	}
	for (int k = 0; k < list->n; k++) {
		int x = list->v[k].node;
		red_out(r, x, e) {
			int s = r->edge.v[e].to;
			copy_edge(w, e, w->node.v[x].number, inside(w, s) && s != w->entry
				? w->node.v[s].number : s);
		}
		red_in(r, x, e)
			if (!inside(w, r->edge.v[e].from))
				route(w, e, w->node.v[x].number);
		reduction_look(r, x);
	}
	forget_copies(w, &blocks);
	vec_free(&blocks);
}

void structurize_peel(Structurize *w)
{
	SideList from = find_sides(w), list = nodes_behind(w, &from);
	int *node = arena_array(&w->arena, int, list.n + 1);
	for (int k = 0; k < list.n; k++)
		node[k] = list.v[k].node;
	if (list.n && allowed(w, node, list.n, 1, "would be copied in front of the loop at block",
		w->entry)) {
		copy_behind(w, &list);
		for (int k = 0; k < list.n; k++)
			reduction_look(&w->red, w->node.v[list.v[k].node].number);
		reduction_run(&w->red);
		w->backward++;
	}
	vec_free(&from);
	vec_free(&list);
}

/* ---- cut ---- */

/* Is it an edge to the virtual exit that no thread takes, and that is there because the loop has no way
   out? */
static bool pretended(const Structurize *w, int e)
{
	return w->red.edge.v[e].to == w->exit && w->red.edge.v[e].first < 0;
}

bool structurize_simple(const Structurize *w)
{
	int latch = -1, leaves = -1, edges = 0, back = 0;
	for (int k = 0; k < w->n; k++)
		red_out(&w->red, w->of[k], e) {
			int s = w->red.edge.v[e].to;
			if (s == w->entry) {
				latch = w->of[k];
				back++;
			} else if (!inside(w, s)) {
				leaves = w->of[k];
				edges++;
			}
		}
	return back == 1 && (edges == 0 || (edges == 1 && (leaves == w->entry || leaves == latch) &&
		w->red.node[leaves].nout == 2));
}

/* reg: the variable; end: the loop's new last block, of `node`; target: nodes outside to which the loop
   leaves */
typedef struct LoopCut { Structurize *w; int loop, reg; Block *end; int node; Vec(int) target; } LoopCut;

/* Makes edge e set the variable to `value` and lead to the loop's new last block. */
static void divert(LoopCut *x, int e, int value)
{
	Structurize *w = x->w;
	Reduction *r = &w->red;
	int from = r->edge.v[e].from, k = r->edge.v[e].first, next, mid = -1;
	const Block *last = NULL;
	reduction_cut(r, e);
	for (; k >= 0; k = next) {
		StructEdge s = w->edge.v[k];
		next = r->strand.v[k];
		r->strand.v[k] = -1;
		if (s.from != last) {
			Block *b = edit_block(&w->e, spot_last(), s.from->label, "_leave");
			b->loc = s.from->loc;
			edit_mov(&w->e, b, block_term(s.from), x->reg, value);
			edit_jump(&w->e, b, block_term(s.from), x->end);
			mid = structurize_node(w, b, x->loop);
			reduction_edge(r, mid, x->node, structurize_strand(w, b, 0));
		}
		last = s.from;
		edit_target(&w->e, s.from, s.k, w->node.v[mid].block);
		reduction_edge(r, from, mid, k);
	}
	reduction_look(r, from);
}

/* Diverts all edges that go back, with value 0, and all that leave the loop. The value of these is the place
   of the node outside among the targets, counted from 1; `number` of that node becomes the same. */
static void divert_all(LoopCut *x)
{
	Structurize *w = x->w;
	for (int k = 0; k < w->n; k++)
		red_out(&w->red, w->of[k], e)
			w->node.v[w->red.edge.v[e].to].number = 0;
	for (int k = 0; k < w->n; k++)
		red_out(&w->red, w->of[k], e) {
			int s = w->red.edge.v[e].to;
			if (s == w->entry) {
				divert(x, e, 0);
			} else if (!inside(w, s)) {
				if (!w->node.v[s].number) {
					vec_push(&x->target, s);
					w->node.v[s].number = x->target.n;
				}
				divert(x, e, w->node.v[s].number);
				reduction_look(&w->red, s);
			}
		}
}

/* Fills the block of a node without edges: it compares the variable with `value`, and goes on to node `yes`
   or `no`. */
static void test(LoopCut *x, int node, Cmp how, int value, int yes, int no)
{
	Structurize *w = x->w;
	Edit *e = &w->e;
	Block *b = w->node.v[node].block;
	const Ins *like = block_term(w->node.v[w->entry].block);
	edit_ins(e, b, like, OP_SETP, T_U32, 1, 2);
	int p = edit_reg(e, "cut", T_PRED);
	Ins *i = &vec_last(&b->ins);
	i->cmp = (uint8_t)how;
	i->opd[0] = opd_reg(p);
	i->opd[1] = opd_reg(x->reg);
	i->opd[2] = opd_imm(value);
	edit_branch(e, b, like, p, w->node.v[yes].block, w->node.v[no].block);
	reduction_edge(&w->red, node, yes, structurize_strand(w, b, 0));
	reduction_edge(&w->red, node, no, structurize_strand(w, b, 1));
}

/* Makes the tests behind the loop, by which each thread goes on to the target for which it left; returns the
   node of the first test, or the only target. Each test is in the innermost loop to which it leads. */
static int sorted_out(LoopCut *x)
{
	Structurize *w = x->w;
	int to = x->target.v[x->target.n - 1], around = tree_common(&w->loops, w->node.v[to].loop, x->loop);
	for (int k = x->target.n - 1; k-- > 0;) {
		int loop = tree_common(&w->loops, w->node.v[x->target.v[k]].loop, x->loop);
		around = loop_depth_of(w, loop) > loop_depth_of(w, around) ? loop : around;
		int b = structurize_node(w, edit_block(&w->e, spot_last(), w->node.v[w->entry].block->label,
			"_left"), around);
		test(x, b, CMP_EQ, k + 1, x->target.v[k], to);
		to = b;
	}
	return to;
}

/* Puts a block in front of a loop that has no way out and begins with a branch. All edges into the loop, and
   all edges back, lead to that block then. */
static void put_front(Structurize *w, int loop)
{
	Reduction *r = &w->red;
	Block *b = w->node.v[w->entry].block, *rest = edit_split_block(&w->e, b, 0, "_again");
	int front = structurize_node(w, b, loop), edge = -1;
	w->node.v[w->entry].block = rest;
	red_out(r, w->entry, e) {
		if (pretended(w, e))
			edge = e;
		for (int k = r->edge.v[e].first; k >= 0; k = r->strand.v[k])
			if (w->edge.v[k].from == b)
				w->edge.v[k].from = rest;
	}
	red_in(r, w->entry, e) {
		reduction_cut(r, e);
		reduction_join(r, r->edge.v[e].from, front, e);
	}
	if (edge >= 0) {
		reduction_cut(r, edge);
		reduction_edge(r, front, w->exit, -1);
	}
	reduction_edge(r, front, w->entry, structurize_strand(w, b, 0));
	reduction_look(r, w->entry);
	w->entry = front;
}

static bool is_endless_cycle(const Structurize *w)
{
	for (int k = 0; k < w->n; k++)
		red_out(&w->red, w->of[k], e)
			if (!inside(w, w->red.edge.v[e].to) && !pretended(w, e))
				return false;
	return true;
}

void structurize_cut(Structurize *w, int loop)
{
	if (!allowed(w, w->of, w->n, 0, "they would meet elsewhere in the loop at block", w->entry))
		return;
	w->cuts++;
	if (is_endless_cycle(w)) {
		put_front(w, loop);
		reduction_run(&w->red);
		return;
	}
	Block *header = w->node.v[w->entry].block;
	LoopCut x = { .w = w, .loop = loop, .reg = edit_reg(&w->e, "leave", T_U32),
		.end = edit_block(&w->e, spot_last(), header->label, "_end") };
	x.node = structurize_node(w, x.end, loop);
	divert_all(&x);
	test(&x, x.node, CMP_NE, 0, sorted_out(&x), w->entry);
	vec_free(&x.target);
	reduction_look(&w->red, w->entry);
	reduction_run(&w->red);
}

/* ---- forward copy ---- */

typedef struct EdgeWay { int from, edge; } EdgeWay;

static int by_source(const void *a, const void *b)
{
	const EdgeWay *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* Copies node x once for each way to it but the first one. */
static void copy_for_each(Structurize *w, int x, int loop)
{
	Reduction *r = &w->red;
	int n = 0;
	EdgeWay *way = arena_array(&w->arena, EdgeWay, r->node[x].nin);
	BlockList list = { 0 };
	red_in(r, x, e)
		way[n++] = (EdgeWay){ r->edge.v[e].from, e };
	qsort(way, (size_t)n, sizeof *way, by_source);
	if (!allowed(w, &x, 1, n - 1, "would be copied for each way to block", x))
		return;
	gather_node(w, x, &list);
	for (int k = 1; k < n; k++) {
		copy_blocks(w, &list);
		int to = copy_node(w, x, loop);
		w->node.v[to].region = w->region;
		red_out(r, x, e)
			copy_edge(w, e, to, r->edge.v[e].to);
		route(w, way[k].edge, to);
		reduction_look(r, to);
		forget_copies(w, &list);
	}
	reduction_look(r, x);
	vec_free(&list);
	w->forward++;
}

/* Copies node `top` for each way to it, and then in the same way the nodes to which only a node copied here
   leads: they would be reached on several ways next. */
static void copy_tree(Structurize *w, int top, int loop)
{
	Vec(int) todo = { 0 };
	vec_push(&todo, top);
	while (todo.n && !w->why) {
		int x = vec_pop(&todo);
		red_out(&w->red, x, e) {
			int s = w->red.edge.v[e].to;
			if (inside(w, s) && s != w->entry && w->red.node[s].nin == 1)
				vec_push(&todo, s);
		}
		copy_for_each(w, x, loop);
	}
	vec_free(&todo);
	if (!w->why)
		reduction_run(&w->red);
}

/* Returns the region as a graph without cycles: edges that leave the region or go back lead to the last
   node. */
static Graph *forward_graph(Structurize *w, Arena *a)
{
	Graph *g = graph_new(a, w->n + 1);
	int end = reduction_find(&w->red, w->exit);
	for (int k = 0; k < w->n; k++)
		w->node.v[w->of[k]].number = k;
	for (int k = 0; k < w->n; k++) {
		red_out(&w->red, w->of[k], e) {
			int s = w->red.edge.v[e].to;
			graph_edge(g, k, inside(w, s) && s != w->entry ? w->node.v[s].number : w->n);
		}
		if (w->of[k] == end)
			graph_edge(g, k, w->n);
	}
	return g;
}

/* Copies, from the last one on, each node at which ways meet although some ways from the branch where they
   parted lead past it. Copying one node changes nothing about those before it. */
void structurize_copy(Structurize *w)
{
	Arena a = { 0 };
	const Graph *g = forward_graph(w, &a);
	int loop = w->node.v[w->entry].loop, *order = arena_array(&a, int, g->n),
		n = graph_rpo(g, false, w->node.v[w->entry].number, order);
	const Dom *dom = dom_of_graph(&a, g, false, order[0]), *pdom = dom_of_graph(&a, g, true, w->n);
	for (int k = n; k-- > 1 && !w->why;) {
		int x = order[k];
		if (x < w->n && g->pred[x].n > 1 && !dom_dominates(pdom, x, dom->idom[x]))
			copy_tree(w, w->of[x], loop);
	}
	arena_free(&a);
}
