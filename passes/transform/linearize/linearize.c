/* linearize: control flow linearization, Anantpur and Govindarajan, CC 2014 (sections 3 and 4).
 *
 * requires  nothing; unreachable blocks are left alone
 * keeps     each thread's sequence of the user's blocks and of all instructions but branches; labels of the
 *           user's blocks
 * breaks    dominators, loops, uniformity; control dependence of the blocks it guards
 *
 * Structural reduction runs until it is stuck; the smallest region around that is planned, rewritten as a
 * chain of guarded units, and becomes one node; reduction goes on, until one node is left. Inner regions come
 * first, each with a guard variable of its own, and are units of the regions around them.
 *
 * Regions with operations that depend on which threads execute them together are rewritten only when every
 * branch they depend on inside the region is uniform; otherwise the region stays and a note says so. A region
 * in which a thread may wait for what others do (passes/analysis/waits.h) stays, too, with such a note. */
#include "passes/analysis/limits.h"
#include "passes/transform/linearize/linearize.h"
#include "passes/analyses.h"
#include "passes/constants.h"
#include "passes/transform/transform.h"

/* Returns the block's first operation that threads execute together, or the first call to a function with
   such an operation; NULL: there is none. */
static const Ins *convergent_ins(const Lin *l, int block)
{
	const Block *b = l->block[block];
	for (int k = 0; k < b->ins.n; k++)
		if (ins_effects(l->effects, &b->ins.v[k]).convergent)
			return &b->ins.v[k];
	return NULL;
}

/* ---- which regions may be rewritten ---- */

static void note_convergent(Lin *l, const LinRegion *r, int n, int b, int branch)
{
	const Ins *i = convergent_ins(l, b);
	if (bs_has(l->noted, b))
		return;
	bs_add(l->noted, b);
	diag_warning(l->run->diag, ins_loc(l->run->m, i),
		"linearize: %s: a region of %d blocks is left as it is: %s in block %s depends on the branch "
		"of block %s, which may diverge", l->run->f->name, n, op_info[i->op].name, l->block[b]->label,
		l->block[branch]->label);
}

void blocks_of(const Lin *l, int x, BitSet set)
{
	Vec(int) todo = { 0 };
	vec_push(&todo, x);
	while (todo.n) {
		x = vec_pop(&todo);
		if (x < l->x)
			bs_add(set, x);
		for (int k = l->red.node[x].kid; k >= 0; k = l->red.node[k].next)
			vec_push(&todo, k);
	}
	vec_free(&todo);
}

/* Does a convergent operation depend on the branch of block b? It does when lanes come from that branch to a
   block of `convergent`, which goes to *c, before they reach the branch's immediate post-dominator or the end
   of the region. */
static bool depends(Lin *l, Arena *a, const LinRegion *r, int b, BitSet convergent, int *c)
{
	BitSet behind = bs_new(a, l->x + 1), stop = bs_new(a, l->x + 1);
	if (l->pdom->idom[b] >= 0)
		bs_add(stop, l->pdom->idom[b]);
	bs_add(stop, r->p);
	for (int k = 0; k < l->flow->succ[b].n; k++)
		graph_reach(l->flow, false, l->flow->succ[b].v[k], stop, behind);
	bs_each(convergent, x)
		if (bs_has(behind, x)) {
			*c = x;
			return true;
		}
	return false;
}

/* Rule B: returns false, and warns, when a convergent operation of the region depends on a divergent branch
   of the region or of the block before it: such a region may not be rewritten. */
static bool admitted(Lin *l, const LinRegion *r)
{
	Arena a = { 0 };
	bool any = false, refused = false;
	for (int i = 0; i < r->n; i++) {
		any |= l->node[r->node[i]].convergent;
		refused |= l->node[r->node[i]].refused;
	}
	if (!any)
		return true;
	BitSet in = bs_new(&a, l->x), convergent = bs_new(&a, l->x);
	for (int i = 0; i < r->n; i++)
		blocks_of(l, r->node[i], in);
	bs_each(in, b)
		if (bs_has(l->convergent, b))
			bs_add(convergent, b);
	int n = bs_count(in), c;
	if (r->d >= 0 && r->d < l->x)
		blocks_of(l, r->d, in);
	bs_each(in, b)
		if (!refused && l->uniformity->divergent[b] && depends(l, &a, r, b, convergent, &c)) {
			note_convergent(l, r, n, c, b);
			refused = true;
		}
	arena_free(&a);
	return !refused;
}

/* When d leads only into the region or to p, the region goes into node d, unless d is the virtual entry. */
int region_becomes_node(Lin *l, const LinRegion *r, bool cut)
{
	int c = r->d >= 0 && r->d != l->e ? r->d : r->entry >= 0 ? r->entry : r->node[0];
	for (int i = 0; i < r->n; i++)
		red_out(&l->red, r->node[i], e) {
			reduction_cut(&l->red, e);
			if (l->red.edge.v[e].to == r->p && !cut)
				reduction_join(&l->red, c, r->p, e);
		}
	if (r->d >= 0)
		red_out(&l->red, r->d, e)
			if (l->red.edge.v[e].to != r->p)
				reduction_cut(&l->red, e);
	for (int i = 0; i < r->n; i++)
		if (r->node[i] != c)
			reduction_merge(&l->red, c, r->node[i]);
	if (r->d == l->e)
		reduction_edge(&l->red, l->e, c, -1);
	l->red.node[c].loop &= c == r->d;
	reduction_look(&l->red, c);
	reduction_look(&l->red, r->p);
	return c;
}

/* The region becomes one node without any change of its code. */
static void leave_region_alone(Lin *l, const LinRegion *r, bool refused)
{
	l->node[region_becomes_node(l, r, false)].refused |= refused;
}

/* May threads of a warp part at a branch of the region, or of the block before it? */
static bool region_parts(const Lin *l, const LinRegion *r)
{
	Arena a = { 0 };
	BitSet in = bs_new(&a, l->x);
	bool is = false;
	for (int i = 0; i < r->n; i++)
		blocks_of(l, r->node[i], in);
	if (r->d >= 0 && r->d < l->x)
		blocks_of(l, r->d, in);
	bs_each(in, b)
		is |= l->uniformity->divergent[b];
	arena_free(&a);
	return is;
}

/* Would the options change which threads come together to a convergent operation of the region? Option merge
   lets threads of different turns of a loop execute together; options order and interleave mix blocks. A
   remark says which operation it is. */
static bool reorders(Lin *l, const LinRegion *r)
{
	Arena a = { 0 };
	BitSet in = bs_new(&a, l->x);
	bool is = false;
	for (int i = 0; i < r->n; i++)
		if (l->node[r->node[i]].convergent)
			blocks_of(l, r->node[i], in);
	bs_each(in, b)
		if (!is && bs_has(l->convergent, b) && (l->merge || l->norder || r->faster)) {
			const Ins *i = convergent_ins(l, b);
			pass_remark(l->run, ins_loc(l->run->m, i),
				"left alone: a region of %d units: %s, but %s in block %s needs the threads "
				"that come to it together", r->n, r->faster ? "interleave mixes blocks"
				: l->norder ? "order mixes blocks" : "merge mixes turns of loops",
				op_info[i->op].name, l->block[b]->label);
			is = true;
		}
	arena_free(&a);
	return is;
}

static bool region_meets(const Lin *l, const LinRegion *r)
{
	bool is = false;
	for (int i = 0; i < r->n; i++)
		is |= l->node[r->node[i]].convergent;
	return is;
}

/* Makes the plan and its guards. With option interleave it compares two orders: the topological one, and the
   one in which a warp waits least. The one that takes less time with its guards is taken, if it does not need
   too many registers. */
static void make_plan(Lin *l, Arena *a, const LinRegion *r, LinPlan *p, Guards *g)
{
	LinPlan other;
	Guards guards;
	l->mixing = r->faster;
	plan_make(l, a, r, p);
	guards_make(p, l->level, l->flat, g);
	if (!l->interleave || r->faster || l->norder || r->n > INTERLEAVE_UNITS || region_meets(l, r) ||
		!region_parts(l, r))
		return;
	l->mixing = true;
	plan_make(l, a, r, &other);
	guards_make(&other, l->level, l->flat, &guards);
	bool faster = other.time + guards_time(l, &other, &guards) < p->time + guards_time(l, p, g);
	int registers = faster ? pressure_plan(l, &other) : 0;
	if (faster && !pressure_allows(l, registers) && registers > pressure_plan(l, p)) {
		pressure_remark(l, &other, ins_loc(l->run->m, block_term(l->block[r->node[0]])), registers);
	} else if (faster) {
		Guards x = *g;
		*g = guards;
		guards = x;
		*p = other;
		l->mixed++;
	}
	vec_free(&guards.point);
}

/* Is the region, which need not be rewritten, faster with guards, and does it need few enough registers? A
   remark gives the times. */
static bool region_pays(Lin *l, const LinPlan *p, const Guards *g)
{
	int64_t guards = guards_time(l, p, g);
	bool is = p->time + guards < p->found;
	Loc at = ins_loc(l->run->m, block_term(l->node[p->region->d].head));
	int registers = is ? pressure_plan(l, p) : 0;
	if (is && !pressure_allows(l, registers)) {
		pressure_remark(l, p, at, registers);
		return false;
	}
	pass_remark(l->run, at, "%s: a region of %d units takes %lld cycles, in another order %lld, and "
		"guards %lld", is ? "interleaved" : "left alone", p->n, (long long)p->found,
		(long long)p->time, (long long)guards);
	l->mixed += is;
	return is;
}

/* May a thread wait in the region for what other threads do? Then the region stays as it is, with a warning:
   in a chain of units all threads of the warp would wait with that thread, those that would do it in a later
   unit as well. */
static bool region_waits(Lin *l, const LinRegion *r)
{
	Arena a = { 0 };
	BitSet in = bs_new(&a, l->x);
	bool is = false;
	for (int i = 0; i < r->n && l->waits; i++)
		blocks_of(l, r->node[i], in);
	bs_each(in, b)
		if (!is && l->waits[b].text) {
			if (!bs_has(l->noted, b))
				diag_warning(l->run->diag, l->waits[b].loc,
					"linearize: %s: a region of %d blocks is left as it is: %s",
					l->run->f->name, bs_count(in), l->waits[b].text);
			bs_add(l->noted, b);
			is = true;
		}
	arena_free(&a);
	return is;
}

bool region_rewrite(Lin *l, LinRegion *r)
{
	Arena a = { 0 };
	LinPlan plan;
	Guards guards;
	if (l->divergent && !region_parts(l, r)) {
		pass_remark(l->run, l->run->f->loc, "left alone: a region of %d units: no branch of it parts "
			"threads", r->n);
		leave_region_alone(l, r, false);
		return false;
	}
	if (r->faster && (region_waits(l, r) || reorders(l, r)))
		return false;
	if (!r->faster && (region_waits(l, r) || !admitted(l, r) || reorders(l, r))) {
		leave_region_alone(l, r, true);
		return false;
	}
	make_plan(l, &a, r, &plan, &guards);
	bool is = !r->faster || region_pays(l, &plan, &guards);
	if (is) {
		pressure_taken(l, &plan);
		region_emit(l, &plan, &guards);
	}
	vec_free(&guards.point);
	arena_free(&a);
	return is;
}

/* ---- the function as a graph that shrinks ---- */

static void merge_lin_nodes(void *self, int b, int x)
{
	Lin *l = self;
	LinNode *to = &l->node[b], *from = &l->node[x];
	to->convergent |= from->convergent;
	to->refused |= from->refused;
	if (from->last && (!to->last || from->at > to->at)) {
		to->last = from->last;
		to->at = from->at;
	}
}

static void build_reduction(Lin *l, bool apart)
{
	const Cfg *c = l->cfg;
	Function *f = l->run->f;
	l->x = c->n;
	l->e = c->n + 1;
	l->y = c->n + 2;
	l->flow = cfg_flow_graph(&l->arena, c);
	l->block = arena_array(&l->arena, Block *, c->n);
	l->node = arena_array(&l->arena, LinNode, c->n + 3);
	l->pos = arena_array(&l->arena, int, c->n + 3);
	l->convergent = bs_new(&l->arena, c->n + 1);
	l->noted = bs_new(&l->arena, c->n + 1);
	reduction_init(&l->red, &l->arena, c->n + 3);
	l->red.node[l->x].keep = l->red.node[l->e].keep = l->red.node[l->y].keep = true;
	l->red.merged = merge_lin_nodes;
	l->red.self = l;
	reduction_edge(&l->red, l->e, 0, -1);
	for (int b = 0; b < c->n + 3; b++)
		l->pos[b] = -1;
	for (int b = 0; b < c->n; b++) {
		Block *p = l->block[b] = f->block.v[b];
		l->node[b] = (LinNode){ .head = p, .last = p, .at = b };
		if (!bs_has(c->reach, b) || bs_has(c->fatal, b))
			continue;
		for (int k = 0; k < p->nsucc; k++)
			if (!bs_has(c->fatal, p->succ[k]->id)) {
				vec_push(&l->strand, ((Strand){ p, k }));
				reduction_edge(&l->red, b, p->succ[k]->id, reduction_strand(&l->red));
			}
		if (!p->nsucc) {
			vec_push(&l->strand, ((Strand){ p, -1 }));
			reduction_edge(&l->red, b, l->x, reduction_strand(&l->red));
		} else if (list_has(&l->flow->succ[b], l->x)) {
			/* an endless loop begins here: this edge to the exit is none of the program's */
			reduction_edge(&l->red, b, apart ? l->y : l->x, -1);
		}
	}
}

/* Finds the blocks with convergent operations and, if `wanted`, which branches diverge. Rule B asks for both
   as they were before anything changed. */
static void find_convergent(Lin *l, int64_t warp_size, bool wanted)
{
	bool any = false;
	for (int b = 0; b < l->x; b++)
		if (convergent_ins(l, b)) {
			bs_add(l->convergent, b);
			l->node[b].convergent = any = true;
		}
	if ((!any && !l->divergent && !l->interleave) || !wanted)
		return;
	l->uniformity = uniformity_build(&l->arena, l->cfg, warp_size);
	l->pdom = pdom_build(&l->arena, l->cfg, true);
}

static void find_block_waits(Lin *l)
{
	const Waits *w = analysis_waits(l->run->an);
	WaitPlace wait;
	for (int b = 0; b < l->x && w->n; b++) {
		if (!bs_has(l->cfg->reach, b) || !waits_in(w, b, -1, &wait))
			continue;
		if (!l->waits)
			l->waits = arena_array(&l->arena, struct LinWait, l->x);
		l->waits[b] = (struct LinWait){ waits_text(&l->arena, &wait), waits_loc(w, &wait) };
	}
}

static bool is_structured(const Lin *l)
{
	int left = 0;
	bs_each(l->cfg->reach, b)
		left += l->red.node[b].into == b && !bs_has(l->cfg->fatal, b);
	return left <= 1;
}

enum { OPT, WHOLE, DIVERGENT, RELAXED, MERGE, DEPTH, ORDER, INTERLEAVE, SPLIT, REGISTERS };

static bool run(PassRun *r)
{
	const PassValue *o = r->option;
	Lin l = { .run = r, .edit = edit_open(r->m, r->f, r->origin), .level = (int)o[OPT].number,
		.divergent = o[DIVERGENT].number,
		.relaxed = o[RELAXED].number, .interleave = o[INTERLEAVE].number };
	bool chosen = o[ORDER].n || o[DEPTH].number || o[WHOLE].number || l.interleave,
		is = analysis_structure(r->an)->structured;
	l.merge = (int)o[MERGE].number;
	if (l.interleave || o[SPLIT].number)
		l.clock = clock_new(r->f, r->cost);
	if (o[SPLIT].number)
		split_loads(&l);
	l.cfg = cfg_build(&l.arena, r->f);
	bool enough = l.relaxed && !chosen && !l.merge && structured_but_breaks(l.cfg);
	l.effects = analysis_effects(r->an);
	is |= enough;
	build_reduction(&l, !is);
	if (l.interleave) {
		l.live = liveness_build(&l.arena, l.cfg);
		pressure_open(&l, (int)o[REGISTERS].number);
		l.sides = sides_new(&l);
	}
	find_convergent(&l, limits_of(r->limits)->warp_size, chosen || l.merge || !is);
	if (chosen || l.merge || !is)
		find_block_waits(&l);
	if (l.merge)
		loops_to_merge(&l, l.merge);
	if (chosen)
		regions_chosen(&l, &o[ORDER], (int)o[DEPTH].number, o[WHOLE].number);
	reduction_run(&l.red);
	if (!is_structured(&l) && !enough) {
		regions_find(&l, region_rewrite);
		must(is_structured(&l));
	}
	edit_settle(&l.edit);
	if (l.cut.n)
		pass_count(r, "blocks split", join_loads(&l));
	if (o[DEPTH].number && r->log && r->log->remarks)
		depth_remark(&l, (int)o[DEPTH].number);
	pass_count(r, "regions", l.regions);
	pass_count(r, "regions interleaved", l.mixed);
	pass_count(r, "guards", l.guards);
	clock_free(l.clock);
	sides_free(l.sides);
	vec_free(&l.cut);
	reduction_free(&l.red);
	vec_free(&l.strand);
	edit_close(&l.edit);
	arena_free(&l.arena);
	return l.regions > 0;
}

static const PassOption options[] = {
	[OPT] = { "opt", 4, 0, 4, "how many of the ways to save guards are used: 0 none, 1 skip, 2 nest, 3 "
		"branch at once, 4 all" },
	[WHOLE] = { "whole", 0, 0, 1, "1: an unstructured function is one region, and every block a unit "
		"(the paper's Algorithms 2 and 3 off)" },
	[DIVERGENT] = { "divergent", 0, 0, 1, "1: only regions with a branch at which the threads of a warp "
		"may part" },
	[RELAXED] = { "relaxed-exits", 0, 0, 1, "1: a loop may leave in several places when they all lead to "
		"one block" },
	[MERGE] = { "merge", 0, 0, 1000, "so many levels of loops go into the loop around them, whose turns "
		"threads take as they come" },
	[DEPTH] = { "depth", 0, 0, 1000000, "what lies deeper than a reconvergence stack of so many entries "
		"allows becomes a row of guards, which needs 3; 0: no bound" },
	[ORDER] = { "order", .kind = PASS_LIST, .labels = true,
		.help = "labels of blocks: the smallest region around them is rewritten with its units in "
		"this order" },
	[INTERLEAVE] = { "interleave", 0, 0, 1, "1: units stand in the order in which a warp waits least for "
		"loads; both sides of a divergent branch become a region where that is faster" },
	[SPLIT] = { "split-loads", 0, 0, 1, "1: blocks end behind loads that their next instruction waits "
		"for, so that order and interleave can put others in between" },
	[REGISTERS] = { "registers", INTERLEAVE_REGISTERS, 0, 1000000, "interleave: so many more 32-bit "
		"registers may live at once than at the function's worst place without it" },
};

const Pass pass_linearize = {
	.name = "linearize",
	.idle = "the graph is structured",
	.help = "make unstructured control flow structured: chains of blocks guarded by a variable",
	.options = options,
	.noptions = sizeof options / sizeof *options,
	.function = run,
};
