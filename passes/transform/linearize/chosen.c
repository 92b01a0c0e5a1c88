/* Rewrites the regions that options ask for, structured or not, before reduction runs and those that it
   leaves are rewritten. The units of these regions are blocks. */
#include "passes/transform/linearize/linearize.h"
#include "passes/constants.h"

typedef struct ChosenRegions { Lin *l; Arena arena; const Dom *dom, *pdom; int *seen, visit; } ChosenRegions;

/* Makes *r the region of all nodes between d and p. Returns false when there is another way in or out, when
   there is no node, or when there are more than `most`. A loop without end may only be part of the region
   that is the whole function. */
static bool make_closed_region(ChosenRegions *c, int d, int p, int most, LinRegion *r)
{
	Reduction *red = &c->l->red;
	*r = (LinRegion){ d, p, -1, r->node, 0 };
	c->visit++;
	red_out(red, d, e)
		if (red->edge.v[e].to == c->l->y) {
			return false;
		} else if (red->edge.v[e].to != p) {
			c->seen[red->edge.v[e].to] = c->visit;
			r->node[r->n++] = red->edge.v[e].to;
		}
	for (int i = 0; i < r->n; i++) {
		if (r->node[i] == d || r->node[i] == c->l->x || r->node[i] == c->l->e || r->n > most)
			return false;
		red_out(red, r->node[i], e) {
			int y = red->edge.v[e].to;
			if (y == c->l->y && d != c->l->e)
				return false;
			if (y == p || y == c->l->y || c->seen[y] == c->visit)
				continue;
			c->seen[y] = c->visit;
			r->node[r->n++] = y;
		}
	}
	for (int i = 0; i < r->n; i++)
		red_in(red, r->node[i], e)
			if (c->seen[red->edge.v[e].from] != c->visit && red->edge.v[e].from != d)
				return false;
	return r->n > 0;
}

static bool take_region(ChosenRegions *c, LinRegion *r)
{
	region_sort(r);
	return region_rewrite(c->l, r);
}

/* Has this pass made the block, in this run or in an earlier one? */
static bool made_by_pass(const Lin *l, int b) { return b < l->x && l->block[b]->origin == l->edit.origin; }

static int dominator_above(const ChosenRegions *c, const Dom *t, int x, int top)
{
	return x == top || t->idom[x] < 0 ? top : t->idom[x];
}

/* ---- order ---- */

static int block_called(const Lin *l, const char *label)
{
	for (int b = 0; b < l->x; b++)
		if (!strcmp(l->block[b]->label, label))
			return b;
	return -1;
}

static bool contains(const LinRegion *r, const int *list, int n, int *mark)
{
	int found = 0;
	for (int i = 0; i < r->n; i++)
		mark[r->node[i]]++;
	for (int i = 0; i < n; i++)
		found += mark[list[i]] > 0;
	for (int i = 0; i < r->n; i++)
		mark[r->node[i]]--;
	return found == n;
}

/* Has another function a block for each of the labels? A pipeline cannot say which function it means. */
static bool meant_for_another(const Lin *l, const PassValue *v)
{
	const Module *m = l->run->m;
	for (int f = 0; f < m->func.n; f++) {
		bool all = m->func.v[f] != l->run->f && m->func.v[f]->kind != FN_HOST;
		for (int i = 0; i < v->n && all; i++)
			all = pass_knows_label(m->func.v[f], v->list[i]);
		if (all)
			return true;
	}
	return false;
}

/* Option order: rewrites the smallest region that contains the listed blocks, with these in the order given.
   Reports a label that is given twice, or that names no block which can be reached, unless another function
   has all of them. */
static void linearize_in_order(ChosenRegions *c, const PassValue *v)
{
	Lin *l = c->l;
	LinRegion r = { .node = arena_array(&c->arena, int, l->red.n) };
	int *list = arena_array(&c->arena, int, v->n), *mark = arena_array(&c->arena, int, l->red.n), n = 0,
		d = -1, p = -1;
	const char *missing = NULL;
	for (int i = 0; i < v->n; i++) {
		int b = block_called(l, v->list[i]);
		if (b < 0 || l->cfg->rpo_index[b] < 0) {
			missing = b >= 0 || pass_knows_label(l->run->f, v->list[i]) ? v->list[i] : missing;
			continue;
		}
		if (mark[b]) {
			diag_error(l->run->diag, l->run->f->loc,
				"linearize: order: block `%s` is given twice", v->list[i]);
			return;
		}
		mark[b] = 1;
		list[n++] = b;
		d = d < 0 ? b : dom_common(c->dom, d, b);
		p = p < 0 ? b : dom_common(c->pdom, p, b);
	}
	if (n && missing && !meant_for_another(l, v))
		diag_error(l->run->diag, l->run->f->loc, "linearize: order: no block `%s` that can be "
			"reached in %s", missing, l->run->f->name);
	if (!n || missing)
		return;
	for (int i = 0; i < n; i++) {
		d = list[i] == d ? dominator_above(c, c->dom, d, l->e) : d;
		p = list[i] == p ? dominator_above(c, c->pdom, p, l->x) : p;
	}
	for (int i = 0; i < n; i++)
		mark[list[i]] = 0;
	while (!make_closed_region(c, d, p, l->red.n, &r) || !contains(&r, list, n, mark)) {
		if (d == l->e && p == l->x)
			return;
		d = dominator_above(c, c->dom, d, l->e);
		p = dominator_above(c, c->pdom, p, l->x);
	}
	l->order = list;
	l->norder = n;
	take_region(c, &r);
	l->norder = 0;
}

/* ---- depth ---- */

/* a branch whose sides have not met again; the number of the Open around it; how many are open, itself
   included */
typedef struct Open { int branch, around, n; } Open;

/* Returns, by block number, how many branches of other blocks are open there: their sides have not met again.
   Ways to an abort do not count: no threads meet or part there. */
static int *open_branches(Arena *a, const Cfg *cfg, const Dom *dom, const Dom *pdom)
{
	Open *open = arena_array(a, Open, cfg->n + 1);
	int *at = arena_array(a, int, cfg->n + 1), *number = arena_array(a, int, cfg->n + 1), n = 1;
	open[0] = (Open){ -1, 0, 0 };
	for (int i = 0; i < cfg->nreach; i++) {
		int b = cfg->rpo[i]->id, d = dom->idom[b], o = d >= 0 ? at[d] : 0;
		if (d >= 0 && cfg->graph->succ[d].n > 1) {
			open[n] = (Open){ d, o, open[o].n + 1 };
			o = n++;
		}
		while (o && dom_dominates(pdom, b, open[o].branch))
			o = open[o].around;
		at[b] = o;
		number[b] = open[o].n;
	}
	return number;
}

/* Does the block end in an indexed branch each of whose ways begins with a block that this pass has made, one
   that sets the variable of the guards, or ends the thread? Rewriting a region for its sake would change
   nothing: its ways have guards already. */
static bool sets_on_its_ways(const Lin *l, int b)
{
	bool all = block_term(l->block[b])->op == OP_BRX;
	for (int k = 0; k < l->block[b]->nsucc; k++)
		all &= made_by_pass(l, l->block[b]->succ[k]->id) ||
			bs_has(l->cfg->fatal, l->block[b]->succ[k]->id);
	return all;
}

/* Option depth: where as many branches are open as `entries` allow, all that lies between the next branch and
   the place where its sides meet becomes one region. A reconvergence stack has one entry at the bottom and
   two for each branch that is open; guards in a row need two more. */
static void linearize_below(ChosenRegions *c, int entries)
{
	Lin *l = c->l;
	LinRegion r = { .node = arena_array(&c->arena, int, l->red.n) };
	int allowed = entries < 3 ? 0 : (entries - 3) / 2,
		*open = open_branches(&c->arena, l->cfg, c->dom, c->pdom);
	for (int i = 0; i < l->cfg->nreach; i++) {
		int b = l->cfg->rpo[i]->id;
		bool nested = false;
		if (open[b] != allowed || l->red.node[b].nout < 2 || l->red.node[b].into != b ||
			!make_closed_region(c, b, c->pdom->idom[b], l->red.n, &r))
			continue;
		for (int k = 0; k < r.n; k++)
			nested |= l->red.node[r.node[k]].nout > 1 && !made_by_pass(l, r.node[k]) &&
				!sets_on_its_ways(l, r.node[k]);
		if (nested)
			take_region(c, &r);
	}
}

void depth_remark(Lin *l, int entries)
{
	Arena a = { 0 };
	const Cfg *cfg = cfg_build(&a, l->run->f);
	const int *open = open_branches(&a, cfg, dom_build(&a, cfg), pdom_build(&a, cfg, true));
	int deepest = 0;
	for (int b = 0; b < cfg->n; b++)
		deepest = !bs_has(cfg->fatal, b) && open[b] > open[deepest] ? b : deepest;
	if (1 + 2 * open[deepest] > (entries < 3 ? 3 : entries))
		pass_remark(l->run, ins_loc(l->run->m, block_term(cfg->f->block.v[deepest])),
			"depth: a stack may need %d entries at block %s, not %d", 1 + 2 * open[deepest],
			cfg->f->block.v[deepest]->label, entries);
	arena_free(&a);
}

/* ---- interleave ---- */

/* Does the region contain a load that takes longer than a guard, and no block that this pass has made? */
static bool worth_a_look(const Lin *l, Arena *a, const LinRegion *r)
{
	BitSet in = bs_new(a, l->x);
	int64_t guard = guard_time(l);
	bool far = false;
	for (int i = 0; i < r->n; i++)
		blocks_of(l, r->node[i], in);
	bs_each(in, b) {
		if (made_by_pass(l, b))
			return false;
		for (int k = 0; k < l->block[b]->ins.n; k++)
			far |= is_far(l, &l->block[b]->ins.v[k], guard);
	}
	return far;
}

/* Option interleave: rewrites what lies between a divergent branch and the place where its sides meet, if
   that is faster. Outer branches come first. */
static void interleaved(ChosenRegions *c)
{
	Lin *l = c->l;
	LinRegion r = { .node = arena_array(&c->arena, int, l->red.n) };
	for (int i = 0; i < l->cfg->nreach; i++) {
		int b = l->cfg->rpo[i]->id, p = c->pdom->idom[b];
		if (!l->uniformity->divergent[b] || l->red.node[b].into != b || l->red.node[b].nout < 2 ||
			p < 0 || block_term(l->block[b])->origin == l->edit.origin || made_by_pass(l, p) ||
			!make_closed_region(c, b, p, INTERLEAVE_UNITS, &r))
			continue;
		Arena a = { 0 };
		if (worth_a_look(l, &a, &r)) {
			r.faster = true;
			sides_find(l, &r);
			if (take_region(c, &r))
				sides_rename(l, &r);
			sides_clear(l->sides);
		}
		arena_free(&a);
	}
}

void regions_chosen(Lin *l, const PassValue *order, int depth, bool whole)
{
	ChosenRegions c = { .l = l };
	c.dom = dom_build(&c.arena, l->cfg);
	c.pdom = pdom_build(&c.arena, l->cfg, true);
	c.seen = arena_array(&c.arena, int, l->red.n);
	l->flat = depth > 0;
	if (order->n)
		linearize_in_order(&c, order);
	else if (depth > 0)
		linearize_below(&c, depth);
	if (l->interleave)
		interleaved(&c);
	LinRegion r = { .node = arena_array(&c.arena, int, l->red.n) };
	if (whole && !l->regions && !structured(&c.arena, l->cfg, NULL) &&
		make_closed_region(&c, l->e, l->x, l->red.n, &r))
		take_region(&c, &r);
	arena_free(&c.arena);
}

/* ---- loops that are merged ---- */

/* Option merge: tells reduction to leave alone loops with one to `levels` levels of loops inside, and all
   loops inside them, so that their nest becomes one region. */
void loops_to_merge(Lin *l, int levels)
{
	Arena a = { 0 };
	const Loops *loops = loops_build(&a, l->cfg);
	int *height = arena_array(&a, int, loops->n + 1);
	bool *merged = arena_array(&a, bool, loops->n + 1);
	for (int i = loops->n; i-- > 0;) {
		int p = loops->loop[i].parent;
		height[i]++;
		if (p >= 0 && height[i] > height[p])
			height[p] = height[i];
	}
	for (int i = 0; i < loops->n; i++) {
		int p = loops->loop[i].parent;
		merged[i] = (height[i] > 1 && height[i] <= levels + 1) || (p >= 0 && merged[p]);
		l->red.node[loops->loop[i].header].loop = merged[i];
	}
	arena_free(&a);
}
