/* Uniformity on the SSA overlay. A version is divergent when lanes of a warp that execute together may see different values of it:
 *
 *   - by its operands, or by a guard that holds for some lanes only;
 *   - by sync dependence: it is a phi at a block to which two ways lead from a divergent branch that meet there for the first time. They are
 *     what SSA construction would find for a variable that every successor of the branch defines: each successor's name is carried along the edges,
 *     and a block that gets two names is a join, with a name of its own from there on. Edges to loop headers are carried along like others, so
 *     irreducible cycles need no rule of their own;
 *   - by temporal divergence: lanes leave a cycle in different iterations when it has a divergent branch whose post-dominator lies outside. Then
 *     what the cycle defines is divergent where it is used outside. Lanes that end at once are no longer there to differ: a branch to such a block
 *     counts for uses in blocks without successors alone;
 *   - by lanes of different iterations inside a cycle: what changes from one iteration to the next (phis, results of warp-level operations) is
 *     divergent then.
 *
 * Where lanes meet is the mechanism's affair. A stack lets them wait at the branch's post-dominator (pdom_point), even for lanes that first go round a
 * cycle which the point lies in. A sweep over blocks in reverse post-order (exec_mask) lets them go on from there and meet at the header or earlier. Where the
 * first block in that order runs next (thread frontiers, min_pc), lanes that have come to the header go round before others. They all let lanes
 * meet at the point when it comes behind all blocks on the way to it in that order and nobody goes round a cycle that it lies in before: only then
 * do names end there, and only then has the cycle no lanes of different iterations. Lanes that stay in a cycle which others leave are of one
 * iteration when they come to one place, or go one way, before they go round. (Lanes that meet wherever they happen to be, also with
 * lanes of other warps, are the option `anywhere`.)
 *
 * Carrying names costs as many steps as blocks lie between branch and post-dominator. Where that comes to more than so many steps a block in all, the
 * remaining branches' joins are taken from the iterated dominance frontier of all their successors at once, which has more blocks, but is linear,
 * and all cycles around them have lanes of different iterations. */
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
	int *region, area;             /* by block: valid where it is area: lanes may come there on the way from the branch to its point */
	int *heap, nheap;
	bool *waits;                   /* by block: in heap */
	int *loop_first, *loop_last;   /* by loop: places in the tree of cycles */
	bool *left, *ended;            /* by loop: lanes leave it at different times; they do so to end at once */
	bool *mixed;                   /* by loop: lanes of different iterations meet in it */
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
	case K_VOTE: case K_REDUX: return h->u->options.anywhere || (i->nsrc > 1 && source_divergent(h, i->nsrc - 1));
	case K_BAR: return false;  /* one result for the block */
	case K_MATCH: return h->u->options.anywhere || i->mode != MODE_ALL || sources_divergent(h);
	case K_ELECT: return h->u->options.anywhere || dst > 0 || sources_divergent(h);
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
	u->mixed = arena_array(a, bool, n->nloop + 1);
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

static bool varies(const Ins *i)
{
	OpKind kind = op_info[i->op].kind;
	return kind != K_ALU && kind != K_LD;
}

/* Lanes of different iterations meet in the cycle. */
static void mix(Uni *u, int loop)
{
	const Ssa *s = u->ssa;
	if (u->mixed[loop])
		return;
	u->mixed[loop] = true;
	for (int at = u->c->rpo_index[u->c->nest->header[loop]]; at < u->c->nreach && contains(u, loop, u->c->rpo[at]->id); at++) {
		const Block *b = u->c->rpo[at];
		for (int k = s->phi_first[b->id]; k < s->phi_first[b->id + 1]; k++)
			mark(u, s->phi[k].version);
		for (int k = 0, n = s->ins_first[b->id]; k < b->ins.n; k++, n++)
			for (int d = s->def_first[n]; d < s->def_first[n + 1] && varies(&b->ins.v[k]); d++)
				mark(u, s->def[d]);
	}
}

/* Marks what lanes come to before `point`, the branch itself when they come back to it. Do they all come to the point afterwards, in reverse post-order? */
static bool walk(Uni *u, int branch, int point)
{
	const Cfg *c = u->c;
	Ints list = { 0 };
	bool before = point >= 0 && point < c->n && c->rpo_index[branch] < c->rpo_index[point];
	u->area++;
	for (vec_push(&list, branch); list.n;) {
		const IntList *succ = &c->graph->succ[vec_pop(&list)];
		u->steps++;
		for (int k = 0; k < succ->n; k++) {
			int to = succ->v[k];
			if (to == point || u->region[to] == u->area)
				continue;
			u->region[to] = u->area;
			before &= point >= 0 && point < c->n && c->rpo_index[to] < c->rpo_index[point];
			if (to != branch)
				vec_push(&list, to);
		}
	}
	vec_free(&list);
	return before;
}

/* Do lanes go round the cycle before they come to the point, or there? After walk. */
static bool goes_round(const Uni *u, int loop, int point)
{
	int header = u->c->nest->header[loop];
	return header == point || u->region[header] == u->area;
}

/* Do all lanes that part at the branch meet at the point in one iteration of each cycle that both are in? */
static bool meet_at(Uni *u, int branch, int point)
{
	const Nest *n = u->c->nest;
	bool before = walk(u, branch, point);
	for (int l = n->of[branch]; l >= 0 && before; l = n->parent[l])
		before = !contains(u, l, point) || !goes_round(u, l, point);
	return before;
}

typedef struct Ways { Uni *u; int loop; bool round, wild; } Ways;

static void way(Ways *x, int from, int to)
{
	Uni *u = x->u;
	const int *order = u->c->rpo_index;
	if (!contains(u, x->loop, to))
		return;
	if (to == u->c->nest->header[x->loop])
		x->round = true;
	else if (order[to] <= order[from])
		x->wild |= u->c->nest->of[from] == x->loop; /* else round an inner cycle, all of whose exits are ways */
	else if (!u->waits[to]) {
		u->waits[to] = true;
		heap_push(u->heap, &u->nheap, order, to);
	}
}

/* Do lanes that part at the branch and stay in the cycle come to one place, or go one way, before they go round? Those in an inner cycle may leave it
 * anywhere, and there must be a place behind it where they wait for each other. */
static bool stay_together(Uni *u, int branch, int loop)
{
	const Nest *n = u->c->nest;
	const IntList *succ = u->c->graph->succ;
	Ways x = { u, loop, false, false };
	int inner = n->of[branch];
	while (inner != loop && n->parent[inner] != loop)
		inner = n->parent[inner];
	if (inner == loop)
		for (int k = 0; k < succ[branch].n; k++)
			way(&x, branch, succ[branch].v[k]);
	else
		for (int at = u->c->rpo_index[n->header[inner]]; at < u->c->nreach && contains(u, inner, u->c->rpo[at]->id); at++)
			for (int b = u->c->rpo[at]->id, k = 0; k < succ[b].n; k++)
				if (!contains(u, inner, succ[b].v[k]))
					way(&x, b, succ[b].v[k]);
	while (!x.round && !x.wild && u->nheap > 1) {
		int b = heap_pop(u->heap, &u->nheap, u->c->rpo_index);
		u->waits[b] = false;
		u->steps++;
		for (int k = 0; k < succ[b].n; k++)
			way(&x, b, succ[b].v[k]);
	}
	bool together = !x.wild && x.round + u->nheap <= 1 && !(inner != loop && x.round);
	while (u->nheap)
		u->waits[u->heap[--u->nheap]] = false;
	return together;
}

/* What lanes that part at the branch make of the cycles it is in. Returns whether all meet at the point, so that names end there. */
static bool part(Uni *u, int branch)
{
	const Nest *n = u->c->nest;
	const Block *b = u->c->f->block.v[branch];
	int point = pdom_point(u->pdom, b), rest = pdom_point(u->rest, b), l = n->of[branch];
	bool rest_met = rest != point && meet_at(u, branch, rest), met = meet_at(u, branch, point);
	for (; l >= 0; l = n->parent[l]) {
		bool inside = point >= 0 && contains(u, l, point);
		if (inside && (met || !goes_round(u, l, point)))
			break;
		if (inside || !stay_together(u, branch, l))
			mix(u, l);
		bool ended = rest != point && rest >= 0 && contains(u, l, rest) && rest_met;
		if (!ended && !u->left[l]) {
			u->left[l] = true;
			leave(u, l, false);
		} else if (!u->left[l] && !u->ended[l]) {
			u->ended[l] = true;
			leave(u, l, true);
		}
	}
	return met;
}

/* Without a look at the ways. */
static void part_all(Uni *u, int branch)
{
	for (int l = u->c->nest->of[branch]; l >= 0; l = u->c->nest->parent[l]) {
		mix(u, l);
		if (!u->left[l])
			leave(u, l, false);
		u->left[l] = true;
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
static void carry_names(Uni *u, int branch, int stop)
{
	const Graph *g = u->c->graph;
	Carry x = { u, branch, stop, { 0 } };
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
	for (int l = 0; u->options.anywhere && l < u->c->nest->nloop; l++) {
		mix(u, l);
		u->left[l] = true;
		leave(u, l, false);
	}
	do {
		while (u->todo.n || u->branch.n) {
			if (u->todo.n) {
				pass_on(u, vec_pop(&u->todo));
				continue;
			}
			int b = vec_pop(&u->branch);
			if (u->steps < budget) {
				int point = pdom_point(u->pdom, u->c->f->block.v[b]);
				carry_names(u, b, part(u, b) ? point : -1);
			} else {
				part_all(u, b);
				vec_push(&u->large, b);
			}
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
	u.region = arena_array(&tmp, int, c->n + 2);
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
	Ssa *s = ssa_build(a, c, dom);
	return uniformity_solve(a, c, dom, pdom_build(a, c, true), s, reaching_build(a, c, s), (UniformityOptions){ 0 });
}
