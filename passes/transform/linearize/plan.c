/* The plan of one region: its units in topological order with cycles contiguous; to which unit each edge
 * leads; and the ranges of units that are cycles. A unit is a node of the reduction: a block, or a structured
 * part with one way in. */
#include "passes/transform/linearize/linearize.h"

static int ends_by(const Lin *l, int strand)
{
	const Strand *s = &l->strand.v[strand];
	return s->k < 0 ? block_term(s->block)->op : OP_NONE;
}

/* An edge of the reduction stands for one or more edges of the graph, its strands. Adds a row for each strand
   of edge e to the plan's list of edges, from index `at` on, with the number by which the plan's guards know
   where the strand leads: the position of a region in the plan, or one of the numbers behind these for the
   end. Returns the index behind the last row. */
static int add_strand_edges(Lin *l, LinPlan *p, int at, int e)
{
	int to = l->red.edge.v[e].to;
	for (int s = l->red.edge.v[e].first; s >= 0; s = l->red.strand.v[s]) {
		int value = to == p->region->p ? p->n + (p->thread_ends && ends_by(l, s) == OP_EXIT)
			: l->pos[to];
		p->edge[at++] = (PlanEdge){ s, value };
	}
	return at;
}

static int strands(const Lin *l, int e)
{
	int n = 0;
	for (int s = l->red.edge.v[e].first; s >= 0; s = l->red.strand.v[s])
		n++;
	return n;
}

/* Do some threads leave the region by `ret` and others by `exit`? That is possible in a device function only.
   Behind the region each thread then does the one or the other. */
static bool both_ways(Lin *l, const LinRegion *r)
{
	bool ret = false, exit = false;
	if (r->p != l->x || l->run->f->kind == FN_KERNEL)
		return false;
	for (int i = 0; i < r->n; i++)
		red_out(&l->red, r->node[i], e)
			for (int s = l->red.edge.v[e].first; l->red.edge.v[e].to == l->x && s >= 0;
				s = l->red.strand.v[s]) {
				ret |= ends_by(l, s) == OP_RET;
				exit |= ends_by(l, s) == OP_EXIT;
			}
	return ret && exit;
}

/* ---- order ---- */

static bool is_endless_node(const Lin *l, int x)
{
	red_out(&l->red, x, e)
		if (l->red.edge.v[e].first >= 0)
			return false;
	return true;
}

/* Puts the blocks of option order in the order asked for. Every other unit stays behind the listed block that
   it follows in the topological order. */
static void permute(Lin *l, Arena *a, const LinPlan *p, int *order)
{
	int *behind = arena_array(a, int, p->n + 1), *next = arena_array(a, int, p->n + 1),
		*asked = arena_array(a, int, p->n + 1), n = 0;
	for (int i = 0; i <= p->n; i++)
		behind[i] = -1;
	for (int i = 0; i < l->norder; i++)
		asked[l->pos[l->order[i]]] = i + 1;
	for (int i = 0, last = p->n, tail = -1; i < p->n; i++) {
		if (asked[order[i]]) {
			last = order[i];
			tail = -1;
			continue;
		}
		*(tail < 0 ? &behind[last] : &next[tail]) = order[i];
		next[order[i]] = -1;
		tail = order[i];
	}
	for (int i = -1; i < l->norder; i++) {
		int x = i < 0 ? p->n : l->pos[l->order[i]];
		if (i >= 0)
			order[n++] = x;
		for (int y = behind[x]; y >= 0; y = next[y])
			order[n++] = y;
	}
	must(n == p->n);
}

static void order_units(Lin *l, Arena *a, LinPlan *p)
{
	const LinRegion *r = p->region;
	int *order = arena_array(a, int, r->n + 1);
	Graph *g = graph_new(a, r->n + 1); /* node r->n stands for all that is outside the region */
	BitSet in = bs_new(a, r->n + 1);
	for (int i = 0; i < r->n; i++) {
		bs_add(in, i);
		l->pos[r->node[i]] = i;
	}
	for (int i = 0; i < r->n; i++) {
		red_out(&l->red, r->node[i], e)
			if (l->pos[l->red.edge.v[e].to] >= 0)
				graph_edge(g, i, l->pos[l->red.edge.v[e].to]);
		red_in(&l->red, r->node[i], e)
			if (l->pos[l->red.edge.v[e].from] < 0)
				graph_edge(g, r->n, i);
	}
	Nest nest;
	p->n = graph_order(a, g, in, order, &nest);
	must(p->n == r->n);
	int *begin = arena_array(a, int, p->n + 1), at = 0;
	for (int i = 0; i < p->n; i++)
		begin[i] = i;
	if (l->norder)
		permute(l, a, p, order);
	else if (l->interleave)
		interleave(l, a, p, g, &nest, order, begin);
	p->unit = arena_array(a, PlanUnit, p->n + 1);
	p->begin = arena_array(a, int, p->n + 1);
	for (int last = 0; last < 2; last++) {
		for (int i = 0; i < p->n; i++)
			if (is_endless_node(l, r->node[order[i]]) == last)
				p->unit[at++].node = r->node[order[i]];
		p->endless = last ? p->endless : at;
	}
	for (int i = 0; i < p->n; i++)
		l->pos[p->unit[i].node] = i;
	for (int i = 0; i < p->n; i++)
		p->begin[l->pos[r->node[i]]] = l->pos[r->node[begin[i]]];
}

/* ---- edges ---- */

/* A branch on a constant always goes one way: all edges of the unit get the value of that way. */
static void decide_constant(const LinPlan *p, PlanUnit *u)
{
	const Ins *t = block_term(u->chooses);
	if (u->chooses->nsucc < 2 || ins_src(t, 0)->kind != OPD_IMM)
		return;
	u->value[0] = u->value[1] = u->value[(ins_src(t, 0)->imm == 0) != ins_src(t, 0)->neg];
	for (int k = 0; k < u->n; k++)
		p->edge[u->first + k].value = u->value[0];
}

/* Fills in the unit's value[] and `chooses`: when all edges of the unit are those of one block, and they are
   all that this block has, the block chooses between two values at most. */
static void choice(Lin *l, const LinPlan *p, PlanUnit *u)
{
	u->value[0] = u->value[1] = u->n ? p->edge[u->first].value : -1;
	for (int k = 1; k < u->n; k++) {
		int v = p->edge[u->first + k].value;
		u->value[0] = v < u->value[0] ? v : u->value[0];
		u->value[1] = v > u->value[1] ? v : u->value[1];
	}
	if (!u->n)
		return;
	Block *b = l->strand.v[p->edge[u->first].strand].block;
	const Ins *t = block_term(b);
	if (u->n != (b->nsucc ? b->nsucc : 1) || (t->op != OP_BRA && b->nsucc))
		return;
	int value[2] = { 0 };
	for (int k = 0; k < u->n; k++) {
		const Strand *s = &l->strand.v[p->edge[u->first + k].strand];
		if (s->block != b)
			return;
		value[s->k > 0] = p->edge[u->first + k].value;
	}
	u->chooses = b;
	u->value[0] = value[0];
	u->value[1] = value[b->nsucc > 1];
	decide_constant(p, u);
}

static int front_edges(Lin *l, LinPlan *p, int at)
{
	const LinRegion *r = p->region;
	int targets = 0;
	if (r->d < 0) {
		red_in(&l->red, r->entry, e)
			if (l->pos[l->red.edge.v[e].from] < 0)
				at = add_strand_edges(l, p, at, e);
		return at;
	}
	red_out(&l->red, r->d, e)
		targets += l->red.edge.v[e].to != r->p;
	/* d's edges to p, which go past the region, go through it as well when d leads to several of its
	   nodes: then all threads meet in one place. Guards that do not nest always take the place of d's
	   branch */
	red_out(&l->red, r->d, e)
		if (l->red.edge.v[e].to != r->p || targets > 1 || l->flat)
			at = add_strand_edges(l, p, at, e);
	return at;
}

static void find_plan_edges(Lin *l, Arena *a, LinPlan *p)
{
	const LinRegion *r = p->region;
	int n = 0, at = 0;
	for (int i = 0; i < r->n; i++)
		red_out(&l->red, r->node[i], e)
			n += strands(l, e);
	if (r->d >= 0)
		red_out(&l->red, r->d, e)
			n += strands(l, e);
	else
		red_in(&l->red, r->entry, e)
			n += strands(l, e);
	p->edge = arena_array(a, PlanEdge, n + 1);
	for (int i = 0; i <= p->n; i++) {
		PlanUnit *u = &p->unit[i];
		u->first = at;
		if (i < p->n)
			red_out(&l->red, u->node, e)
				at = add_strand_edges(l, p, at, e);
		else
			at = front_edges(l, p, at);
		u->n = at - u->first;
		choice(l, p, u);
	}
	PlanUnit *front = &p->unit[p->n];
	front->node = r->d;
	if (r->d < 0 && front->chooses && front->chooses->nsucc > 1)
		front->chooses = NULL; /* only d's branch may be replaced, no other block's */
	if (r->d == l->e)
		red_out(&l->red, l->e, e)
			front->value[0] = front->value[1] = l->pos[l->red.edge.v[e].to];
}

/* ---- cycles ---- */

/* Finds the ranges of units that are cycles. The range of unit i goes from the earliest unit to which one of
   its edges leads back, up to i. In ascending order of i, a range that crosses an earlier one is widened to
   the start of that one. Of ranges with the same start the longest stays: threads of one cycle go back
   together. */
static void find_unit_loops(Arena *a, LinPlan *p)
{
	PlanLoop *found = arena_array(a, PlanLoop, p->n + 1), *open = arena_array(a, PlanLoop, p->n + 1);
	int nfound = 0, nopen = 0;
	for (int i = 0; i < p->n; i++) {
		int lo = i + 1;
		for (int k = 0; k < p->unit[i].n; k++) {
			int v = p->edge[p->unit[i].first + k].value;
			v = v <= i ? p->begin[v] : v;
			lo = v < lo ? v : lo;
		}
		if (lo > i)
			continue;
		while (nopen && open[nopen - 1].hi >= lo) {
			PlanLoop *before = &open[--nopen];
			lo = before->lo < lo ? before->lo : lo;
			if (before->lo > lo)
				found[nfound++] = *before;
		}
		open[nopen++] = (PlanLoop){ lo, i, -1, false };
	}
	while (nopen)
		found[nfound++] = open[--nopen];
	PlanLoop **by = arena_array(a, PlanLoop *, p->n + 1);
	for (int i = 0; i < nfound; i++)
		by[found[i].lo] = &found[i];
	p->loop = arena_array(a, PlanLoop, nfound + 1);
	for (int lo = 0, around = -1; lo < p->n; lo++) {
		if (!by[lo])
			continue;
		while (around >= 0 && p->loop[around].hi < lo)
			around = p->loop[around].parent;
		p->loop[p->nloop] = *by[lo];
		p->loop[p->nloop].parent = around;
		around = p->nloop++;
	}
}

/* Option merge: removes the loops of the `levels` innermost levels, unless no loop is around them. The loop
   around takes their threads back, too. */
static void merge_loops(Arena *a, LinPlan *p, int levels)
{
	int *height = arena_array(a, int, p->nloop + 1), *to = arena_array(a, int, p->nloop + 1), n = 0;
	for (int i = p->nloop; i-- > 0;) {
		int up = p->loop[i].parent;
		height[i]++;
		if (up >= 0 && height[i] > height[up])
			height[up] = height[i];
	}
	for (int i = 0; i < p->nloop; i++) {
		int up = p->loop[i].parent;
		to[i] = up >= 0 ? to[up] : -1;
		if (up >= 0 && height[i] <= levels)
			continue;
		p->loop[n] = p->loop[i];
		p->loop[n].parent = to[i];
		to[i] = n++;
	}
	p->nloop = n;
}

/* Sets `passed` of each loop in which some unit gives a value below the loop's start: threads with that value
   pass through the rest of the loop, on their way back to an earlier unit of a loop around it. */
static void find_passed(Arena *a, LinPlan *p)
{
	int *least = arena_array(a, int, p->nloop + 1), around = -1, next = 0;
	for (int i = 0; i < p->nloop; i++)
		least[i] = p->n;
	for (int i = 0; i < p->n; i++) {
		while (around >= 0 && p->loop[around].hi < i)
			around = p->loop[around].parent;
		if (next < p->nloop && p->loop[next].lo == i)
			around = next++;
		for (int k = 0; k < p->unit[i].n && around >= 0; k++) {
			int v = p->edge[p->unit[i].first + k].value;
			least[around] = v < least[around] ? v : least[around];
		}
	}
	for (int i = p->nloop; i-- > 0;) {
		int up = p->loop[i].parent;
		p->loop[i].passed = least[i] < p->loop[i].lo;
		if (up >= 0 && least[i] < least[up])
			least[up] = least[i];
	}
}

void plan_make(Lin *l, Arena *a, const LinRegion *r, LinPlan *p)
{
	*p = (LinPlan){ .region = r, .thread_ends = both_ways(l, r) };
	order_units(l, a, p);
	find_plan_edges(l, a, p);
	find_unit_loops(a, p);
	if (l->merge)
		merge_loops(a, p, l->merge);
	find_passed(a, p);
	for (int i = 0; i < r->n; i++)
		l->pos[r->node[i]] = -1;
}
