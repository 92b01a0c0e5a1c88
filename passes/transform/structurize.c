/* structurize: the classical way to make control flow structured, by copying code.
 *
 * requires  nothing
 * keeps     labels; copies are no blocks of the source
 * breaks    everything made from the graph
 *
 * F. Zhang and E. H. D'Hollander, Using Hammock Graphs to Structure Programs, IEEE TSE 2004; H. Wu, G.
 * Diamos, S. Li and S. Yalamanchili, Characterization and Transformation of Unstructured Control Flow in GPU
 * Applications, CACHES 2011: the baseline of the linearization paper. Structural reduction says where the
 * graph is stuck; there, from inner loops to outer ones, a loop with several ways in is peeled (backward
 * copy), a loop that leaves or goes back from several places is cut, and what is reached on several ways is
 * copied for each (forward copy). The size may grow exponentially: when a cap is hit, the function stays as
 * it was, and so does one in which a thread may wait for what others do (passes/analysis/waits.h). The time
 * grows little faster than the size. */
#include "passes/transform/structurize.h"
#include "passes/constants.h"
#include "passes/transform/transform.h"

/* ---- the graph ---- */

static void merge_struct_nodes(void *self, int b, int x)
{
	Structurize *w = self;
	StructNode *to = &w->node.v[b], *from = &w->node.v[x];
	to->blocks += from->blocks;
	to->instructions += from->instructions;
	to->together = to->together ? to->together : from->together;
}

const Ins *structurize_together(Structurize *w, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		if (ins_effects(analysis_effects(w->r->an), &b->ins.v[k]).convergent)
			return &b->ins.v[k];
	return NULL;
}

static void describe(Structurize *w, Block *b, int loop)
{
	vec_push(&w->node, ((StructNode){ b, loop, -1, 0, 0, b != NULL, b ? b->ins.n : 0,
		b && structurize_together(w, b) ? b : NULL }));
}

static void put_in_loop(Structurize *w, int x, int loop)
{
	w->node.v[x].loop = loop;
	w->node.v[x].next = w->first[loop];
	w->first[loop] = x;
}

int structurize_node(Structurize *w, Block *b, int loop)
{
	int x = reduction_node(&w->red);
	describe(w, b, loop);
	must(x == w->node.n - 1);
	put_in_loop(w, x, loop);
	reduction_look(&w->red, x);
	return x;
}

int structurize_strand(Structurize *w, Block *from, int k)
{
	vec_push(&w->edge, ((StructEdge){ from, k }));
	return reduction_strand(&w->red);
}

/* Makes the graph for the reduction, and runs that. Nodes are the blocks to which threads can come, without
   those from which every way aborts; then the virtual exit, and a node in front of the entry. */
static void open_graph(Structurize *w, const Cfg *c)
{
	const Graph *g = cfg_flow_graph(&w->arena, c);
	w->exit = c->n;
	reduction_init(&w->red, &w->arena, c->n + 2);
	w->red.merged = merge_struct_nodes;
	w->red.self = w;
	w->red.node[c->n + 1].keep = true;
	for (int b = 0; b < c->n; b++) {
		Block *x = c->f->block.v[b];
		describe(w, x, 0);
		for (int k = 0; k < x->nsucc && g->succ[b].n; k++)
			if (!bs_has(c->fatal, x->succ[k]->id))
				reduction_edge(&w->red, b, x->succ[k]->id, structurize_strand(w, x, k));
		if (list_has(&g->succ[b], c->n))
			reduction_edge(&w->red, b, c->n, -1);
	}
	describe(w, NULL, 0);
	describe(w, NULL, 0);
	reduction_edge(&w->red, c->n + 1, 0, -1);
	reduction_run(&w->red);
}

/* Finds the loops of what the reduction has left. */
static void find_left_loops(Structurize *w, const Cfg *c)
{
	Arena *a = &w->arena;
	Graph *g = graph_new(a, c->n + 1);
	BitSet left = bs_new(a, g->n);
	int *order = arena_array(a, int, g->n);
	for (int x = 0; x < g->n; x++)
		if (reduction_find(&w->red, x) == x && (x == w->exit ||
			(bs_has(c->reach, x) && !bs_has(c->fatal, x)))) {
			bs_add(left, x);
			red_out(&w->red, x, e)
				graph_edge(g, x, w->red.edge.v[e].to);
		}
	graph_order(a, g, left, order, &w->nest);
	w->loops = tree_new(a, w->nest.nloop + 1);
	w->first = arena_array(a, int, w->nest.nloop + 1);
	tree_root(&w->loops, w->nest.nloop);
	for (int k = 0; k <= w->nest.nloop; k++)
		w->first[k] = -1;
	for (int k = 0; k < w->nest.nloop; k++) {
		if (w->nest.parent[k] < 0)
			w->nest.parent[k] = w->nest.nloop;
		tree_add(&w->loops, k, w->nest.parent[k], 0);
	}
	bs_each(left, x)
		put_in_loop(w, x, w->nest.of[x] < 0 ? w->nest.nloop : w->nest.of[x]);
}

/* ---- region by region ---- */

void structurize_region(Structurize *w, int loop)
{
	w->region++;
	w->n = 0;
	int most = 0;
	for (int x = w->first[loop]; x >= 0; x = w->node.v[x].next)
		most++;
	w->of = arena_array(&w->arena, int, most + 1);
	for (int m = w->first[loop]; m >= 0; m = w->node.v[m].next) {
		int x = reduction_find(&w->red, m);
		if (structurize_inside(w, x))
			continue;
		w->node.v[x].region = w->region;
		w->of[w->n++] = x;
	}
}

/* Is the loop done? It is when only one node is left, without an edge to itself, which may have gone
   into a node of the loop around; or when the pass has given up. Else the region becomes what is left
   of the loop. */
static bool done(Structurize *w, int loop)
{
	if (w->why || reduction_find(&w->red, w->entry) != w->entry)
		return true;
	structurize_region(w, loop);
	return w->n == 1 && w->red.node[w->of[0]].self < 0;
}

/* Makes one loop structured. Loops are done from inside out, so its inner loops are one node each. */
static void do_loop(Structurize *w, int loop)
{
	w->entry = w->nest.header[loop];
	if (!done(w, loop))
		structurize_peel(w);
	if (!done(w, loop) && !structurize_simple(w))
		structurize_cut(w, loop);
	if (!done(w, loop))
		structurize_copy(w);
	if (!done(w, loop))
		w->why = "no rule applies";
	if (reduction_find(&w->red, w->entry) == w->entry)
		put_in_loop(w, w->entry, w->nest.parent[loop]);
}

static void structure(Structurize *w)
{
	const Cfg *c = cfg_build(&w->arena, w->r->f);
	open_graph(w, c);
	find_left_loops(w, c);
	for (int loop = w->nest.nloop; loop-- > 0 && !w->why;)
		do_loop(w, loop);
	w->entry = 0;
	if (!done(w, w->nest.nloop))
		structurize_copy(w);
	if (!done(w, w->nest.nloop))
		w->why = "no rule applies";
	reduction_free(&w->red);
	vec_free(&w->node);
	vec_free(&w->edge);
	vec_free(&w->map);
	arena_free(&w->arena);
}

/* ---- all of them, or none ---- */

typedef struct SavedBlock { Block *b, **succ, *reconverge; Ins *ins; int n, nsucc; } SavedBlock;

static SavedBlock *save_function(Arena *a, const Function *f)
{
	SavedBlock *s = arena_array(a, SavedBlock, f->block.n);
	for (int k = 0; k < f->block.n; k++) {
		Block *b = f->block.v[k];
		s[k] = (SavedBlock){ b, arena_array(a, Block *, b->nsucc + 1), b->reconverge,
			arena_array(a, Ins, b->ins.n), b->ins.n, b->nsucc };
		memcpy(s[k].ins, b->ins.v, sizeof *s[k].ins * (size_t)b->ins.n);
		for (int i = 0; i < b->nsucc; i++)
			s[k].succ[i] = b->succ[i];
	}
	return s;
}

static void restore_function(Edit *e, const SavedBlock *s, int nblock, int nreg)
{
	Function *f = e->f;
	for (int k = nblock; k < f->block.n; k++)
		edit_drop(e, f->block.v[k]);
	edit_settle(e);
	f->reg.n = nreg;
	for (int k = 0; k < nblock; k++) {
		Block *b = s[k].b;
		edit_targets(e, b, s[k].succ, s[k].nsucc);
		b->reconverge = s[k].reconverge;
		vec_clear(&b->ins);
		for (int i = 0; i < s[k].n; i++)
			vec_push(&b->ins, s[k].ins[i]);
	}
}

/* Removes copies to which nothing leads. The other blocks stand in the order of control flow afterwards, and
   blocks of the source that cannot be reached at the end. */
static void remove_lost_copies(Edit *e, const SavedBlock *s, int nblock)
{
	Arena a = { 0 };
	Function *f = e->f;
	edit_settle(e);
	BitSet roots = bs_new(&a, f->block.n);
	const Cfg *c = cfg_build(&a, f);
	for (int k = 0; k < nblock; k++)
		bs_add(roots, s[k].b->id);
	for (int k = 0; k < f->block.n; k++) {
		const Block *meet = f->block.v[k]->reconverge;
		if (meet && !bs_has(roots, meet->id) && !bs_has(c->reach, meet->id))
			f->block.v[k]->reconverge = NULL;
	}
	edit_drop_unreached(f, roots);
	c = cfg_build(&a, f);
	Block **list = arena_array(&a, Block *, c->n);
	int n = 0;
	for (; n < c->nreach; n++)
		list[n] = c->rpo[n];
	for (int k = 0; k < c->n; k++)
		if (!bs_has(c->reach, k))
			list[n++] = f->block.v[k];
	edit_order(e, list, n);
	arena_free(&a);
}

static bool finish_structurize(Structurize *w, const SavedBlock *saved, int nblock, int nreg)
{
	PassRun *r = w->r;
	bool any = w->forward + w->backward + w->cuts > 0;
	if (w->why) {
		if (any)
			restore_function(&w->e, saved, nblock, nreg);
		pass_remark(r, w->where, "stays unstructured: %s", w->why);
		return false;
	}
	if (any)
		remove_lost_copies(&w->e, saved, nblock);
	pass_count(r, "forward copies", w->forward);
	pass_count(r, "backward copies", w->backward);
	pass_count(r, "cuts", w->cuts);
	pass_count(r, "blocks copied", w->copied);
	return any;
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	Structurize w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .most_blocks = r->option[1].number,
		.where = r->f->loc };
	int nblock = r->f->block.n, nreg = r->f->reg.n;
	for (int k = 0; k < nblock; k++)
		w.instructions += r->f->block.v[k]->ins.n;
	w.most_instructions = w.instructions * r->option[0].number / 100;
	SavedBlock *saved = save_function(&a, r->f);
	structure(&w);
	bool changed = finish_structurize(&w, saved, nblock, nreg);
	edit_close(&w.e);
	arena_free(&a);
	return changed;
}

static const PassOption options[] = {
	{ "growth", STRUCTURIZE_GROWTH, 100, 1000000000, "instructions that the function may have at last, "
		"in percent of those before", PASS_NUMBER, NULL },
	{ "blocks", STRUCTURIZE_BLOCKS, 1, 10000000, "blocks that it may have at last", PASS_NUMBER, NULL },
};

const Pass pass_structurize = {
	.name = "structurize",
	.idle = "the graph is structured",
	.help = "make unstructured control flow structured by copying code: the baseline of linearize",
	.options = options, .noptions = 2,
	.function = run,
};
