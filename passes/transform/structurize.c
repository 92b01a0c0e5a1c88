/* structurize: the classical way to make control flow structured, by copying code.
 *
 * requires  nothing
 * keeps     labels; copies are no blocks of the source
 * breaks    everything made from the graph
 *
 * F. Zhang and E. H. D'Hollander, Using Hammock Graphs to Structure Programs, IEEE TSE 2004; H. Wu, G. Diamos, S. Li and S. Yalamanchili, Characterization
 * and Transformation of Unstructured Control Flow in GPU Applications, CACHES 2011: the baseline of the linearization paper. Structural reduction
 * says where the graph is stuck; there, in an innermost loop first, a loop with several ways in is peeled (backward copy), a loop that leaves or goes back
 * from several places is cut, and what is reached on several ways is copied for each (forward copy); then again. The size may grow exponentially: when
 * a cap is hit, the function stays as it was. */
#include "passes/transform/structurize.h"
#include "passes/transform/transform.h"

/* ---- one round ---- */

/* What reduction leaves; false: one node, the function is structured. */
static bool reduce(Structurize *w, int *order, int *n)
{
	Arena *a = &w->arena;
	w->c = cfg_build(a, w->r->f);
	w->g = cfg_flow_graph(a, w->c);
	w->into = arena_array(a, int, w->g->n);
	BitSet in = bs_new(a, w->g->n), left = bs_new(a, w->g->n);
	for (int b = 0; b < w->c->n; b++)
		if (bs_has(w->c->reach, b) && !bs_has(w->c->fatal, b))
			bs_add(in, b);
	bs_add(in, w->c->n);
	if (graph_reduce(w->g, 0, in, bs_new(a, w->g->n), w->into) == 1)
		return false;
	bs_each(in, x)
		if (w->into[x] == x)
			bs_add(left, x);
	*n = graph_order(a, w->g, left, order, &w->nest);
	return true;
}

/* One region: order[0 .. n). It is left for another round when one beside it has been changed in this one. */
static bool act(Structurize *w, const int *order, int n, bool cyclic)
{
	w->cyclic = cyclic;
	w->entry = order[0];
	for (int k = 0; k < n; k++)
		bs_add(w->region, order[k]);
	bool changed = false, beside = structurize_beside(w, false);
	if (!beside)
		changed = (cyclic && (structurize_peel(w) || (!w->why && structurize_cut(w)))) || (!w->why && structurize_copy(w));
	if (changed)
		structurize_beside(w, true);
	for (int k = 0; k < n; k++)
		bs_del(w->region, order[k]);
	return changed;
}

/* All loops that have no other in them, each a run of the order; or, where there are no loops, everything. */
static bool round_of(Structurize *w)
{
	int n, *order = arena_array(&w->arena, int, w->r->f->block.n + 2);
	if (!reduce(w, order, &n))
		return false;
	bool any = false, *outer = arena_array(&w->arena, bool, w->nest.nloop + 1);
	w->region = bs_new(&w->arena, w->g->n);
	w->touched = bs_new(&w->arena, w->g->n);
	for (int k = 0; k < w->nest.nloop; k++)
		if (w->nest.parent[k] >= 0)
			outer[w->nest.parent[k]] = true;
	if (!w->nest.nloop)
		any = act(w, order, n, false);
	for (int k = 0, end; k < n && w->nest.nloop && !w->why; k = end) {
		int loop = w->nest.of[order[k]];
		for (end = k + 1; end < n && loop >= 0 && w->nest.of[order[end]] == loop;)
			end++;
		if (loop >= 0 && !outer[loop])
			any |= act(w, order + k, end - k, true);
	}
	if (!any && !w->why)
		w->why = "no rule applies";
	return any && !w->why;
}

/* ---- all of them, or none ---- */

typedef struct Saved { Block *b, **succ, *reconverge; Ins *ins; int n, nsucc; } Saved;

static Saved *save(Arena *a, const Function *f)
{
	Saved *s = arena_array(a, Saved, f->block.n);
	for (int k = 0; k < f->block.n; k++) {
		Block *b = f->block.v[k];
		s[k] = (Saved){ b, b->succ, b->reconverge, arena_array(a, Ins, b->ins.n), b->ins.n, b->nsucc };
		memcpy(s[k].ins, b->ins.v, sizeof *s[k].ins * (size_t)b->ins.n);
	}
	return s;
}

static void restore(Function *f, const Saved *s, int nblock, int nreg)
{
	for (int k = nblock; k < f->block.n; k++)
		vec_free(&f->block.v[k]->ins);
	f->block.n = nblock;
	f->reg.n = nreg;
	for (int k = 0; k < nblock; k++) {
		Block *b = f->block.v[k] = s[k].b;
		b->succ = s[k].succ;
		b->nsucc = s[k].nsucc;
		b->reconverge = s[k].reconverge;
		vec_clear(&b->ins);
		for (int i = 0; i < s[k].n; i++)
			vec_push(&b->ins, s[k].ins[i]);
	}
	function_number(f);
	edit_touch_graph(f);
}

/* Copies that nothing leads to go; the others come in the order of control flow, and what the source has beside it at the end. */
static void tidy(Function *f, int nblock)
{
	Arena a = { 0 };
	BitSet roots = bs_new(&a, f->block.n);
	const Cfg *c = cfg_build(&a, f);
	for (int k = 0; k < f->block.n; k++) {
		Block *b = f->block.v[k];
		if (k < nblock)
			bs_add(roots, k);
		if (b->reconverge && b->reconverge->id >= nblock && !bs_has(c->reach, b->reconverge->id))
			b->reconverge = NULL;
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
	edit_order(f, list, n);
	arena_free(&a);
}

static bool finish(Structurize *w, const Saved *saved, int nblock, int nreg)
{
	PassRun *r = w->r;
	bool any = w->forward + w->backward + w->cuts > 0;
	if (w->why) {
		if (any)
			restore(r->f, saved, nblock, nreg);
		pass_remark(r, r->f->loc, "stays unstructured: %s", w->why);
		return false;
	}
	if (any)
		tidy(r->f, nblock);
	pass_count(r, "forward copies", w->forward);
	pass_count(r, "backward copies", w->backward);
	pass_count(r, "cuts", w->cuts);
	pass_count(r, "blocks copied", w->copied);
	return any;
}

static bool run(PassRun *r)
{
	Arena a = { 0 };
	Structurize w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .most_blocks = r->option[1].number };
	int nblock = r->f->block.n, nreg = r->f->reg.n;
	for (int k = 0; k < nblock; k++)
		w.instructions += r->f->block.v[k]->ins.n;
	w.most_instructions = w.instructions * r->option[0].number / 100;
	Saved *saved = save(&a, r->f);
	int rounds = 4 * nblock + 64; /* a loop without end may be cut again and again */
	for (bool more = true; more && rounds-- > 0;) {
		more = round_of(&w);
		arena_free(&w.arena);
		if (more && !rounds)
			w.why = "it comes to no end";
	}
	bool changed = finish(&w, saved, nblock, nreg);
	edit_close(&w.e);
	arena_free(&a);
	return changed;
}

static const PassOption options[] = {
	{ "growth", 1000, 100, 1000000000, "instructions that the function may have at last, in percent of those before", PASS_NUMBER, NULL },
	{ "blocks", 100000, 1, 10000000, "blocks that it may have at last", PASS_NUMBER, NULL },
};

const Pass pass_structurize = {
	.name = "structurize",
	.help = "make unstructured control flow structured by copying code: the baseline of linearize",
	.options = options, .noptions = 2,
	.function = run,
};
