/* Uniformity on the SSA overlay. A version is divergent when lanes of a warp that execute together may see different values of it:
 *
 *   - by its operands, or by a guard that holds for some lanes only;
 *   - by sync dependence: it is a phi at a block to which two ways lead from a divergent branch that meet there for the first time. They are
 *     what SSA construction would find for a variable that every successor of the branch defines: each successor's name is carried along the edges up
 *     to where its lanes meet again at the latest (pdom_point), and a block that gets two names is a join, with a name of its own from there on. Edges to loop headers are
 *     carried along like others, so irreducible cycles need no rule of their own, and lanes may wait for each other at the post-dominator or earlier;
 *   - by temporal divergence: lanes leave a cycle in different iterations when it has a divergent branch whose post-dominator lies outside. Then
 *     what the cycle defines is divergent where it is used outside. Lanes that end at once are no longer there to differ: a branch to such a block
 *     counts for uses in blocks without successors alone.
 *
 * Carrying names costs as many steps as blocks lie between branch and post-dominator. Where that comes to more than so many steps a block in all, the
 * remaining branches' joins are taken from the iterated dominance frontier of all their successors at once, which has more blocks, but is linear. */
#include "passes/analysis/uniformity.h"
#include "passes/analysis/reaching.h"
#include "lib/diag.h"
#include "lib/heap.h"

enum { STEPS = 64 };

typedef Vec(int) Ints;

typedef struct Uni {
	const Cfg *c;
	UniformityOptions options;
	const Ssa *ssa;
	const Reaching *reads;
	const Dom *dom, *pdom;
	Dom *rest;                     /* post-dominators for lanes that do not end at once */
	Uniformity *r;
	bool *use;                     /* by place in ssa->use: the value differs here though the version does not */
	bool stores[SP_COUNT];         /* spaces that the function may change */
	Ints todo;                     /* versions newly divergent */
	Ints branch;                   /* divergent branches, not yet looked at */
	Ints large;                    /* those whose joins the frontier gives */
	int done;                      /* of large */
	int64_t steps;
	int *name, *stamp, now;        /* by block: the successor's name that came there, valid where stamp is now */
	int *heap, nheap;
	bool *waits;                   /* by block: in heap */
	int *loop_first, *loop_last;   /* by loop: places in the tree of cycles */
	bool *left, *ended;            /* by loop: lanes leave it at different times; they do so to end at once */
	Ints *escapes;                 /* by loop: versions defined in it and used outside */
} Uni;

/* ---- values ---- */

static bool sreg_divergent(int s)
{
	switch (s) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z: case SREG_LANEID:
	case SREG_WARPID: /* a machine's warp may hold several of PTX's */
	case SREG_LANEMASK_EQ: case SREG_LANEMASK_LT: case SREG_LANEMASK_LE: case SREG_LANEMASK_GT: case SREG_LANEMASK_GE:
	case SREG_CLOCK: case SREG_CLOCK_HI: case SREG_CLOCK64:
	case SREG_GLOBALTIMER: case SREG_GLOBALTIMER_LO: case SREG_GLOBALTIMER_HI:
		return true;
	default:
		return false;
	}
}

/* One instruction, with what its registers hold: use[0] is the guard's, where it has one, then the sources' registers and the carry flag. */
typedef struct Here { const Uni *u; const Ins *i; int use, nuse; } Here;

static bool use_divergent(const Uni *u, int use) { return u->use[use] || u->r->version[u->ssa->use[use]]; }

static bool guard_divergent(const Here *h) { return h->i->guard >= 0 && use_divergent(h->u, h->use); }

static bool source_divergent(const Here *h, int k)
{
	const Opd *o = ins_src(h->i, k);
	int at = h->use + (h->i->guard >= 0);
	if (o->kind != OPD_REG)
		return o->kind == OPD_SREG && sreg_divergent(o->id);
	for (int j = 0; j < k; j++)
		at += ins_src(h->i, j)->kind == OPD_REG;
	return use_divergent(h->u, at);
}

static bool sources_divergent(const Here *h)
{
	for (int k = 0; k < h->i->nsrc; k++)
		if (ins_src(h->i, k)->kind == OPD_SREG && sreg_divergent(ins_src(h->i, k)->id))
			return true;
	for (int k = h->i->guard >= 0; k < h->nuse; k++)
		if (use_divergent(h->u, h->use + k))
			return true;
	return false;
}

/* A load from one address gives one value when nothing can change the memory between the threads' turns. */
static bool load_divergent(const Here *h)
{
	const Uni *u = h->u;
	const Ins *i = h->i;
	if (sources_divergent(h) || i->space == SP_LOCAL || i->sem >= SEM_VOLATILE)
		return true;
	if (i->space == SP_PARAM || i->space == SP_CONST || i->cop == COP_NC)
		return false;
	if (i->space == SP_GENERIC)
		return true;
	return !u->options.loads && (u->stores[i->space] || u->stores[SP_GENERIC]);
}

static bool result_divergent(const Here *h, int dst)
{
	const Ins *i = h->i;
	switch (op_info[i->op].kind) {
	case K_ALU: return sources_divergent(h);
	case K_LD: return load_divergent(h);
	case K_VOTE: case K_REDUX: return i->nsrc > 1 && source_divergent(h, i->nsrc - 1);
	case K_BAR: return false;  /* one result for the block */
	case K_MATCH: return i->mode != MODE_ALL || sources_divergent(h);
	case K_ELECT: return dst > 0 || sources_divergent(h);
	default: return true;
	}
}

static void mark(Uni *u, int version)
{
	if (u->r->version[version])
		return;
	u->r->version[version] = true;
	vec_push(&u->todo, version);
}

static bool ends_at_once(const Block *b) { return !b->nsucc && !(op_info[block_term(b)->op].flags & OPF_FATAL); }

static bool counts(const Uni *u, const Block *b)
{
	if (b->nsucc < 2 || block_term(b)->flags & INSF_UNI)
		return false;
	for (int k = 0; u->options.exits && k < b->nsucc; k++)
		if (ends_at_once(b->succ[k]))
			return false;
	return true;
}

/* Results of instruction k of the block, and whether its branch parts lanes, after something about its sources has changed. */
static void evaluate(Uni *u, int block, int k)
{
	const Ssa *s = u->ssa;
	const Block *b = u->c->f->block.v[block];
	int at = s->ins_first[block] + k, dst = 0;
	Here h = { u, &b->ins.v[k], s->use_first[at], s->use_first[at + 1] - s->use_first[at] };
	for (int d = s->def_first[at]; d < s->def_first[at + 1]; d++, dst++) {
		while (dst < h.i->ndst && ins_dst(h.i, dst)->kind != OPD_REG)
			dst++;
		if (guard_divergent(&h) || result_divergent(&h, dst))
			mark(u, s->def[d]);
	}
	if (k == b->ins.n - 1 && !u->r->divergent[block] && counts(u, b) && sources_divergent(&h)) {
		u->r->divergent[block] = true;
		vec_push(&u->branch, block);
	}
}

/* ---- cycles ---- */

static bool contains(const Uni *u, int loop, int block)
{
	int l = block < u->c->n ? u->c->nest->of[block] : -1;
	return l >= 0 && u->loop_first[loop] <= u->loop_first[l] && u->loop_first[l] <= u->loop_last[loop];
}

static void number_loops(Uni *u, Arena *a)
{
	const Nest *n = u->c->nest;
	int *size = arena_array(a, int, n->nloop + 1), *free_at = arena_array(a, int, n->nloop + 1), top = 0;
	u->loop_first = arena_array(a, int, n->nloop + 1);
	u->loop_last = arena_array(a, int, n->nloop + 1);
	u->left = arena_array(a, bool, n->nloop + 1);
	u->ended = arena_array(a, bool, n->nloop + 1);
	u->escapes = arena_array(a, Ints, n->nloop + 1);
	for (int l = n->nloop; l-- > 0;)
		if (size[l]++, n->parent[l] >= 0)
			size[n->parent[l]] += size[l];
	for (int l = 0; l < n->nloop; l++) { /* outer ones come first */
		int *at = n->parent[l] >= 0 ? &free_at[n->parent[l]] : &top;
		u->loop_first[l] = *at;
		*at += size[l];
		u->loop_last[l] = *at - 1;
		free_at[l] = u->loop_first[l] + 1;
	}
}

static void note_escape(Uni *u, int version, int to, int *last)
{
	const Nest *n = u->c->nest;
	for (int l = n->of[u->ssa->version[version].block]; l >= 0 && !contains(u, l, to); l = n->parent[l]) {
		if (last[l] == version + 1)
			continue;
		last[l] = version + 1;
		vec_push(&u->escapes[l], version);
	}
}

static void find_escapes(Uni *u, Arena *a)
{
	const Reaching *r = u->reads;
	int *last = arena_array(a, int, u->c->nest->nloop + 1);
	for (int v = 0; v < u->ssa->n; v++) {
		if (u->ssa->version[v].ins == SSA_ENTRY)
			continue;
		for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++)
			note_escape(u, v, r->read[k].block, last);
		for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++)
			note_escape(u, v, u->ssa->version[r->into[k]].block, last);
	}
}

/* What leaves the cycle differs from now on; ended: in blocks where lanes end at once only. */
static void leave(Uni *u, int loop, bool ended)
{
	const Reaching *r = u->reads;
	for (int e = 0; e < u->escapes[loop].n; e++) {
		int v = u->escapes[loop].v[e];
		for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++) {
			Reading x = r->read[k];
			if (contains(u, loop, x.block) || (ended && u->c->f->block.v[x.block]->nsucc))
				continue;
			u->use[u->ssa->use_first[u->ssa->ins_first[x.block] + x.ins] + x.use] = true;
			evaluate(u, x.block, x.ins);
		}
		for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++) {
			int to = u->ssa->version[r->into[k]].block;
			if (!contains(u, loop, to) && !(ended && u->c->f->block.v[to]->nsucc))
				mark(u, r->into[k]);
		}
	}
}

static void leave_cycles(Uni *u, int branch)
{
	const Nest *n = u->c->nest;
	const Block *b = u->c->f->block.v[branch];
	int point = pdom_point(u->pdom, b), rest = pdom_point(u->rest, b);
	for (int l = n->of[branch]; l >= 0; l = n->parent[l]) {
		bool out = point < 0 || !contains(u, l, point), apart = rest < 0 || !contains(u, l, rest);
		if (!out)
			break;
		if (apart && !u->left[l]) {
			u->left[l] = true;
			leave(u, l, false);
		} else if (!u->left[l] && !u->ended[l]) {
			u->ended[l] = true;
			leave(u, l, true);
		}
	}
}

/* Post-dominators once edges to blocks that end the thread at once are gone, where there is another way to go. */
static Dom *rest_pdom(Arena *a, const Cfg *c)
{
	Graph *g = cfg_exit_graph(a, c, false), *h = graph_new(a, g->n);
	for (int b = 0; b < g->n; b++)
		for (int k = 0; k < g->succ[b].n; k++) {
			int s = g->succ[b].v[k];
			if (g->succ[b].n < 2 || s == c->n || !ends_at_once(c->f->block.v[s]))
				graph_edge(h, b, s);
		}
	return dom_of_graph(a, h, true, c->n);
}

/* ---- joins ---- */

/* Is the edge to the block one of the ways from the branch? The names are not carried behind `stop`. */
static bool on_the_way(const Uni *u, int branch, int stop, int from)
{
	return from != stop && (from == branch || u->stamp[from] == u->now);
}

/* Phis of a join: one value on all ways is no difference when it was there before the branch. */
static void join_phis(Uni *u, int branch, int stop, int block)
{
	const Ssa *s = u->ssa;
	const IntList *from = &u->c->graph->pred[block];
	for (int k = s->phi_first[block]; k < s->phi_first[block + 1]; k++) {
		const SsaPhi *p = &s->phi[k];
		int one = -1;
		bool differ = false;
		for (int e = 0; e < from->n && !differ; e++) {
			if (!on_the_way(u, branch, stop, from->v[e]))
				continue;
			const SsaVersion *v = &s->version[p->arg[e]];
			differ = (one >= 0 && one != p->arg[e]) || (v->ins != SSA_ENTRY && u->stamp[v->block] == u->now && v->block != stop);
			one = p->arg[e];
		}
		if (differ)
			mark(u, p->version);
	}
}

typedef struct Carry { Uni *u; int branch, stop; Ints join; } Carry;

static void bring(Carry *x, int to, int name)
{
	Uni *u = x->u;
	bool fresh = u->stamp[to] != u->now;
	if (!fresh && (u->name[to] == name || u->name[to] == to))
		return;
	u->stamp[to] = u->now;
	u->name[to] = fresh ? name : to; /* a second name: they meet here */
	if (!fresh)
		vec_push(&x->join, to);
	if (!u->waits[to] && to != x->stop) {
		u->waits[to] = true;
		heap_push(u->heap, &u->nheap, u->c->rpo_index, to);
	}
}

/* By names carried from the branch's successors; the name of a successor is its number behind the blocks'. */
static void carry_names(Uni *u, int branch)
{
	const Graph *g = u->c->graph;
	Carry x = { u, branch, pdom_point(u->pdom, u->c->f->block.v[branch]), { 0 } };
	u->now++;
	for (int k = 0; k < g->succ[branch].n; k++)
		bring(&x, g->succ[branch].v[k], g->n + g->succ[branch].v[k]);
	while (u->nheap) {
		int b = heap_pop(u->heap, &u->nheap, u->c->rpo_index);
		u->waits[b] = false;
		u->steps++;
		for (int k = 0; k < g->succ[b].n && b != branch; k++)
			bring(&x, g->succ[b].v[k], u->name[b]);
	}
	for (int k = 0; k < x.join.n; k++)
		join_phis(u, branch, x.stop, x.join.v[k]);
	vec_free(&x.join);
}

/* All joins of all the large branches, and perhaps some blocks more. */
static void join_large(Uni *u)
{
	Arena tmp = { 0 };
	const Graph *g = u->c->graph;
	const Ssa *s = u->ssa;
	Frontier *f = frontier_new(&tmp, g, u->dom);
	int *join = arena_array(&tmp, int, g->n + 1);
	for (int k = 0; k < u->large.n; k++)
		for (int e = 0; e < g->succ[u->large.v[k]].n; e++)
			frontier_add(f, g->succ[u->large.v[k]].v[e]);
	for (int n = frontier_find(f, join); n > 0; n--)
		for (int k = s->phi_first[join[n - 1]]; k < s->phi_first[join[n - 1] + 1]; k++)
			mark(u, s->phi[k].version);
	u->done = u->large.n;
	arena_free(&tmp);
}

/* ---- all of it ---- */

static void find_stores(Uni *u)
{
	const Function *f = u->c->f;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (op_info[i->op].flags & OPF_STORE)
				u->stores[i->space] = true;
			if (op_info[i->op].kind == K_CALL)
				u->stores[SP_GENERIC] = true;
		}
}

static void start(Uni *u)
{
	const Function *f = u->c->f;
	for (int k = 0; k < f->arg.n; k++) /* callers are not looked at */
		if (u->ssa->entry[f->arg.v[k]] >= 0)
			mark(u, u->ssa->entry[f->arg.v[k]]);
	if (f->kind == FN_DEVICE && u->ssa->entry[function_carry(f)] >= 0)
		mark(u, u->ssa->entry[function_carry(f)]);
	for (int i = 0; i < u->c->nreach; i++)
		for (int k = 0; k < u->c->rpo[i]->ins.n; k++)
			evaluate(u, u->c->rpo[i]->id, k);
}

static void pass_on(Uni *u, int v)
{
	const Reaching *r = u->reads;
	for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++)
		evaluate(u, r->read[k].block, r->read[k].ins);
	for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++)
		mark(u, r->into[k]);
}

static void solve(Uni *u)
{
	int64_t budget = (u->options.steps ? u->options.steps : STEPS) * (int64_t)(u->c->nreach + 64);
	start(u);
	do {
		while (u->todo.n || u->branch.n) {
			if (u->todo.n) {
				pass_on(u, vec_pop(&u->todo));
				continue;
			}
			int b = vec_pop(&u->branch);
			leave_cycles(u, b);
			if (u->steps < budget)
				carry_names(u, b);
			else
				vec_push(&u->large, b);
		}
		if (u->done < u->large.n)
			join_large(u);
	} while (u->todo.n || u->branch.n);
}

/* By register: some version or use of it differs. */
static void sum_registers(Uni *u)
{
	const Ssa *s = u->ssa;
	for (int k = 0; k < s->use_first[s->nins]; k++) {
		u->use[k] |= u->r->version[s->use[k]];
		if (u->use[k] && s->version[s->use[k]].reg < u->c->f->reg.n)
			bs_add(u->r->regs, s->version[s->use[k]].reg);
	}
	for (int v = 0; v < s->n; v++)
		if (u->r->version[v] && s->version[v].reg < u->c->f->reg.n)
			bs_add(u->r->regs, s->version[v].reg);
}

Uniformity *uniformity_solve(Arena *a, const Cfg *c, const Dom *dom, const Dom *pdom, const Ssa *s, const Reaching *reads, UniformityOptions options)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	Uniformity *r = arena_new(a, Uniformity);
	*r = (Uniformity){ arena_array(a, bool, c->n + 1), bs_new(a, c->f->reg.n), s, arena_array(a, bool, s->n + 1),
		arena_array(a, bool, s->use_first[s->nins] + 1) };
	Uni u = { .c = c, .options = options, .ssa = s, .reads = reads, .dom = dom, .pdom = pdom, .rest = rest_pdom(&tmp, c), .r = r, .use = r->use };
	u.name = arena_array(&tmp, int, c->n + 1);
	u.stamp = arena_array(&tmp, int, c->n + 2);
	u.heap = arena_array(&tmp, int, c->n + 1);
	u.waits = arena_array(&tmp, bool, c->n + 1);
	number_loops(&u, &tmp);
	find_escapes(&u, &tmp);
	find_stores(&u);
	solve(&u);
	sum_registers(&u);
	for (int l = 0; l < c->nest->nloop; l++)
		vec_free(&u.escapes[l]);
	vec_free(&u.todo);
	vec_free(&u.branch);
	vec_free(&u.large);
	arena_free(&tmp);
	return r;
}

Uniformity *uniformity_build(Arena *a, const Cfg *c)
{
	Dom *dom = dom_build(a, c);
	Ssa *s = ssa_build(a, c, dom, liveness_build(a, c));
	return uniformity_solve(a, c, dom, pdom_build(a, c, true), s, reaching_build(a, c, s), (UniformityOptions){ 0 });
}
