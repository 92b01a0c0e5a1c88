/* linearize: control flow linearization, Anantpur and Govindarajan, CC 2014 (sections 3 and 4).
 *
 * requires  nothing; unreachable blocks are left alone
 * keeps     each thread's sequence of the user's blocks and of all instructions but branches; labels of the user's blocks
 * breaks    dominators, loops, uniformity; control dependence of the blocks it guards
 *
 * repeat { smallest unstructured regions -> chains of guarded units } until structural reduction leaves one node. Inner
 * regions come first, each with a guard variable of its own, and are units of the regions around them.
 *
 * Regions with operations that depend on which threads execute them together are rewritten only when every branch they
 * depend on inside the region is uniform; otherwise the region stays and a note says so. */
#include "passes/analysis/uniformity.h"
#include "passes/transform/linearize.h"
#include "passes/transform/transform.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct Driver {
	Module *m;
	Function *f;
	Diag *diag;
	const Flow *flow;
	Uniformity *uniformity;    /* of this round; NULL until asked for */
	BitSet convergent;         /* functions that contain convergent operations */
	Vec(const Block *) noted;
	Guards guards;
	Edit edit;
} Driver;

static const Ins *convergent_ins(const Driver *d, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		if (op_info[i->op].kind == K_CALL) {
			if (ins_src(i, 0)->kind != OPD_FUNC || bs_has(d->convergent, ins_src(i, 0)->id))
				return i;
		} else if (op_info[i->op].flags & OPF_CONV) {
			return i;
		}
	}
	return NULL;
}

static void find_convergent(Driver *d, Arena *a)
{
	d->convergent = bs_new(a, d->m->func.n + 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < d->m->func.n; i++) {
			const Function *f = d->m->func.v[i];
			bool is = !f->block.n;
			for (int b = 0; b < f->block.n && !is; b++)
				is = convergent_ins(d, f->block.v[b]) != NULL;
			if (is && !bs_has(d->convergent, i)) {
				bs_add(d->convergent, i);
				changed = true;
			}
		}
	}
}

static void note(Driver *d, const Region *r, const Block *b, const Ins *i, const Block *branch)
{
	for (int k = 0; k < d->noted.n; k++)
		if (d->noted.v[k] == b)
			return;
	vec_push(&d->noted, b);
	diag_warning(d->diag, ins_loc(d->m, i), "linearize: %s: a region of %d blocks is left as it is: %s in block %s depends on "
		"the branch of block %s, which may diverge", d->f->name, r->n, op_info[i->op].name, b->label, branch->label);
}

/* Rule B: convergent operations behind divergent branches of the region (or of the block before it) forbid it. */
static bool admit(void *self, const Region *r)
{
	Driver *d = self;
	const Flow *w = d->flow;
	BitSet conv = bs_new(w->arena, w->g->n);
	bool any = false;
	bs_each(r->in, b)
		if (convergent_ins(d, d->f->block.v[b])) {
			bs_add(conv, b);
			any = true;
		}
	if (!any)
		return true;
	if (!d->uniformity)
		d->uniformity = uniformity_build(w->arena, w->cfg);
	for (int b = 0; b < w->cfg->n; b++) {
		if (!(bs_has(r->in, b) || b == r->d) || !d->uniformity->divergent[b])
			continue;
		BitSet behind = bs_new(w->arena, w->g->n), stop = bs_new(w->arena, w->g->n);
		bs_add(stop, w->pdom->idom[b]);
		bs_add(stop, r->p);
		for (int k = 0; k < w->g->succ[b].n; k++)
			graph_reach(w->g, false, w->g->succ[b].v[k], stop, behind);
		bs_each(conv, c)
			if (bs_has(behind, c)) {
				note(d, r, d->f->block.v[c], convergent_ins(d, d->f->block.v[c]), d->f->block.v[b]);
				return false;
			}
	}
	return true;
}

static int by_key(const void *a, const void *b)
{
	const Placed *x = a, *y = b;
	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->seq - y->seq;
}

static void arrange(Lin *l, int nold)
{
	Function *f = l->edit->f;
	for (int b = 0; b < nold; b++)
		vec_push(&l->placed, ((Placed){ b * 3 + 1, 0, f->block.v[b] }));
	qsort(l->placed.v, (size_t)l->placed.n, sizeof *l->placed.v, by_key);
	Block **list = xmalloc(sizeof *list * (size_t)l->placed.n);
	for (int i = 0; i < l->placed.n; i++)
		list[i] = l->placed.v[i].block;
	edit_order(f, list, l->placed.n);
	free(list);
}

/* One round; false when there is nothing (more) to do. */
static bool round_of(Driver *d)
{
	Arena arena = { 0 };
	Flow flow;
	Region *found;
	flow_build(&flow, &arena, d->f);
	d->flow = &flow;
	d->uniformity = NULL;
	Lin lin = { .edit = &d->edit, .flow = &flow, .guards = &d->guards };
	int n = regions_find(&flow, admit, d, &found);
	for (int i = 0; i < n; i++)
		linearize_region(&lin, &found[i]);
	if (n)
		arrange(&lin, flow.cfg->n);
	vec_free(&lin.placed);
	arena_free(&arena);
	return n > 0;
}

static bool run(PassRun *r)
{
	Module *m = r->m;
	Function *f = r->f;
	Diag *diag = r->diag;
	Arena arena = { 0 };
	Driver d = { .m = m, .f = f, .diag = diag, .edit = edit_open(m, f, r->origin) };
	bool changed = false;
	find_convergent(&d, &arena);
	int most = f->block.n + 1; /* every round makes at least one region structured that was not */
	while (round_of(&d)) {
		changed = true;
		must(most-- > 0);
	}
	int blocks = f->block.n, tried = linearize_optimise(&d.edit, d.guards.v, d.guards.n, (int)r->option[0].number, r->option[1].number * 1000000);
	if (tried < d.guards.n)
		diag_warning(diag, f->loc, "linearize: %s: only %d of %d guards have been looked at to save some: %d blocks are much work; allow more with "
			"linearize(work=%" PRId64 ")", f->name, tried, d.guards.n, blocks, r->option[1].number < 1 ? 1 : r->option[1].number * 10);
	edit_close(&d.edit);
	vec_free(&d.guards);
	vec_free(&d.noted);
	arena_free(&arena);
	return changed;
}

static const PassOption options[] = {
	{ "opt", 4, 0, 4, "how many of the ways to save guards are used: 0 none, 1 skip, 2 nest, 3 branch at once, 4 all" },
	{ "work", 15, 0, 1000000, "how many million blocks may be looked at to save guards; a warning says when more are needed" },
};

const Pass pass_linearize = {
	.name = "linearize",
	.help = "make unstructured control flow structured: chains of blocks guarded by a variable",
	.options = options,
	.noptions = 2,
	.function = run,
};
