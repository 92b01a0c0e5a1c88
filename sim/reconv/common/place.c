/* Where SSY and SYNC go. Mechanisms whose operations have other names translate them (PlaceStyle).
 *
 * The reconvergence point of a branch that may diverge is its immediate post-dominator in the graph without
 * exit edges. A point J is open where lanes may wait for each other at J: at block b's end if b's own branch
 * has it, and at every block that is reached from there without passing J. J post-dominates every block where
 * it is open, so the open points of a block are a chain of its post-dominators, and that chain is the static
 * stack: the nearest on top.
 *
 *   SSY J    on each edge from where J is not open to where it is, outer points first; before a branch for
 *            its own point
 *   SYNC     on each edge to J from where J is open: one block in front of J that all those edges go through
 *
 * For the order of the stack to come out right, a point must be opened before a nearer one that stays open.
 * So if an edge b -> t opens K while a nearer point is open at b and at t, or while the edge closes t itself,
 * K is opened at the start of b already. The own point of b's branch is, too, where a nearer point is open at
 * b. This is repeated until nothing changes. Loops need not be reducible. */
#include "lib/chain.h"
#include "passes/analysis/analysis.h"
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/place.h"

typedef struct OpenPoints {
	LowerFn *l;
	Function *f;
	Arena *arena;
	PlaceLoops *loops;
	Cfg *cfg;
	Dom *pdom;
	int n;                     /* blocks before SSY and SYNC blocks are made */
	/* rank: by block, the lower the deeper the block is in the tree of post-dominators; at_rank: by rank,
	   the block */
	int *rank, *at_rank;
	Chains chains;
	/* by block: the points that are open at its start and at its end, as ranks, the nearest point
	   first */
	Chain *in, *out;
	Block **sync;              /* the block with the SYNC in front of each point, or NULL */
} OpenPoints;

static bool opens_frame(const OpenPoints *p, const Block *b) { return p->loops->frame[b->id]; }

/* Writes into `all` the post-dominators of one frame: of the blocks that are reached from root, the frame's
   first block, where a nested frame is one step to its end. list and id have room for all blocks; seen: by
   block, the first block of the frame from which the block was reached last. */
static void frame_pdom(OpenPoints *p, Block *root, Dom *all, Block **list, int *id, int *seen)
{
	Function part = *p->f;
	Arena tmp = { 0 };
	part.block.v = list;
	part.block.n = 0;
	list[part.block.n++] = root;
	seen[root->id] = root->id;
	for (int i = 0; i < part.block.n; i++)
		for (int k = 0; k < list[i]->nsucc; k++) {
			Block *t = list[i]->succ[k];
			if (seen[t->id] != root->id) {
				seen[t->id] = root->id;
				list[part.block.n++] = t;
			}
		}
	for (int i = 0; i < part.block.n; i++)
		id[i] = list[i]->id;
	Dom *d = pdom_build(&tmp, cfg_build(&tmp, &part), false);
	for (int i = 0; i < part.block.n; i++) {
		all->idom[id[i]] = d->idom[i] < 0 ? -1 : d->idom[i] == part.block.n ? p->n : id[d->idom[i]];
		all->depth[id[i]] = d->depth[i];
	}
	for (int i = 0; i < part.block.n; i++)
		list[i]->id = id[i];
	arena_free(&tmp);
}

static Dom *frame_pdoms(OpenPoints *p)
{
	Dom *d = arena_new(p->arena, Dom);
	*d = (Dom){ .n = p->n + 1, .root = p->n, .idom = arena_array(p->arena, int, p->n + 1),
		.depth = arena_array(p->arena, int, p->n + 1) };
	Block **list = arena_array(p->arena, Block *, p->n);
	int *id = arena_array(p->arena, int, p->n), *seen = arena_array(p->arena, int, p->n);
	for (int i = 0; i <= p->n; i++)
		d->idom[i] = -1;
	for (int i = 0; i < p->n; i++) {
		seen[i] = -1;
		if (opens_frame(p, p->f->block.v[i]))
			p->f->block.v[i]->nsucc = 1;
	}
	frame_pdom(p, p->f->block.v[0], d, list, id, seen);
	for (int i = 0; i < p->n; i++)
		if (opens_frame(p, p->f->block.v[i]))
			frame_pdom(p, p->f->block.v[i]->succ[1], d, list, id, seen);
	for (int i = 0; i < p->n; i++)
		if (opens_frame(p, p->f->block.v[i]))
			p->f->block.v[i]->nsucc = 2;
	dom_number(p->arena, d);
	return d;
}

/* Is J the outer point of the two? If so, J lies strictly behind K on the chain of post-dominators. */
static bool is_outer_point(const OpenPoints *p, int j, int k)
{
	return j != k && dom_dominates(p->pdom, j, k);
}

static int point_at(const OpenPoints *p, Chain c) { return p->at_rank[c->v]; }

/* Returns those points of list c that lie strictly behind block t on its chain of post-dominators. All points
   of c are on one such chain, the nearest first. Where one lies behind t, all outer ones do, so the result is
   a rest of c. */
static Chain points_behind(const OpenPoints *p, Chain c, int t)
{
	while (c && !is_outer_point(p, point_at(p, c), t))
		c = c->next;
	return c;
}

static bool add_points(OpenPoints *p, Chain *to, Chain more)
{
	Chain was = *to;
	*to = chain_union(&p->chains, was, more);
	return *to != was;
}

/* The point of the block's own branch, or -1. */
static int own_point(const OpenPoints *p, const Block *b)
{
	int j = pdom_point(p->pdom, b);
	return b->nsucc > 1 && p->loops->divergent[b->id] && j < p->n ? j : -1;
}

/* How many successors count. Of a frame block only the first does: points in the frame's body, the second
   successor, have a stack of their own. */
static int successors(const OpenPoints *p, const Block *b) { return opens_frame(p, b) ? 1 : b->nsucc; }

/* Adds to in(t), for each successor t of b, the points that are open at the end of b and post-dominate t,
   without t itself. On a way that leads only to an early exit, points of the other way stay further down in
   the stack, and nothing pops them. */
static bool flow_open(OpenPoints *p, const Block *b)
{
	bool changed = add_points(p, &p->out[b->id], p->in[b->id]);
	for (int k = 0; k < successors(p, b); k++) {
		int t = b->succ[k]->id;
		changed |= add_points(p, &p->in[t], points_behind(p, p->out[b->id], t));
	}
	return changed;
}

/* Returns those points of in(t) that the edge b -> t would open too late: a nearer point is open that the
   edge does not close, or the edge closes t itself. */
static Chain too_late(const OpenPoints *p, int b, int t)
{
	Chain open = p->out[b];
	return !open ? NULL : chain_has(open, p->rank[t]) ? p->in[t]
		: points_behind(p, p->in[t], point_at(p, open));
}

static bool open_earlier(OpenPoints *p, const Block *b)
{
	int own = own_point(p, b);
	Chain *in = &p->in[b->id];
	/* the own point of b's branch is opened here if a nearer one is open: !reconverge may name a point
	   that is not the nearest */
	bool changed = own >= 0 && *in && is_outer_point(p, own, point_at(p, *in)) &&
		add_points(p, in, chain_add(&p->chains, NULL, p->rank[own]));
	bool own_open = own >= 0 && chain_has(*in, p->rank[own]);
	for (int k = 0; k < successors(p, b); k++) {
		Chain late = too_late(p, b->id, b->succ[k]->id);
		late = late == *in ? NULL : chain_remove(&p->chains, late, p->rank[b->id]);
		if (late && own >= 0 && !own_open)
			late = chain_remove(&p->chains, late, p->rank[own]);
		changed |= add_points(p, in, late);
	}
	return changed;
}

/* Ranks are by depth: what lies behind a block on its chain of post-dominators has a higher one. */
static void rank_blocks(OpenPoints *p)
{
	int *start = arena_array(p->arena, int, p->n + 2);
	p->rank = arena_array(p->arena, int, p->n);
	p->at_rank = arena_array(p->arena, int, p->n);
	for (int b = 0; b < p->n; b++)
		start[p->n - p->pdom->depth[b] + 1]++;
	for (int d = 0; d <= p->n; d++)
		start[d + 1] += start[d];
	for (int b = 0; b < p->n; b++) {
		p->rank[b] = start[p->n - p->pdom->depth[b]]++;
		p->at_rank[p->rank[b]] = b;
	}
}

static void solve_points(OpenPoints *p)
{
	rank_blocks(p);
	p->chains.arena = p->arena;
	p->in = arena_array(p->arena, Chain, p->n);
	p->out = arena_array(p->arena, Chain, p->n);
	for (int i = 0; i < p->cfg->nreach; i++) {
		const Block *b = p->cfg->rpo[i];
		int own = own_point(p, b);
		if (own >= 0)
			p->out[b->id] = chain_add(&p->chains, NULL, p->rank[own]);
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < p->cfg->nreach; i++)
			changed |= flow_open(p, p->cfg->rpo[i]);
		/* backwards: opening points earlier concerns the blocks in front */
		for (int i = p->cfg->nreach; i-- > 0;)
			changed |= open_earlier(p, p->cfg->rpo[i]);
	}
}

/* The points that are in `now` and not in `before`, outer ones first. */
static int fresh_points(const OpenPoints *p, Chain now, Chain before, int *list)
{
	int n = chain_only(now, before, list);
	for (int k = 0; k < n - 1 - k; k++) {
		int v = list[k];
		list[k] = list[n - 1 - k];
		list[n - 1 - k] = v;
	}
	for (int k = 0; k < n; k++)
		list[k] = p->at_rank[list[k]];
	return n;
}

static Block *new_token_block(OpenPoints *p, Block *before) { return place_block(p->loops, before); }

static void insert_ssy(OpenPoints *p, Block *b, int at, Block *point)
{
	edit_insert(&p->l->edit, b, at, place_ins(p->loops, OWN_SSY, point));
}

static Block *sync_block(OpenPoints *p, Block *point)
{
	if (!p->sync[point->id]) {
		Block *b = new_token_block(p, point);
		edit_append(&p->l->edit, b, lower_own(p->l, OWN_SYNC, 0, 0));
		edit_jump(&p->l->edit, b, NULL, point);
		p->sync[point->id] = b;
	}
	return p->sync[point->id];
}

/* Makes the block, on the edge from b to t, that pushes these n points: those in p->in of t and not in p->out
   of b. */
static Block *ssy_block(OpenPoints *p, const Block *b, Block *t, const int *points, int n,
	Block *const *block_of)
{
	Block *e = new_token_block(p, t);
	for (int k = 0; k < n; k++)
		insert_ssy(p, e, e->ins.n, block_of[points[k]]);
	edit_jump(&p->l->edit, e, NULL, t);
	return e;
}

static void place_edges(OpenPoints *p, Block *const *block_of)
{
	int *list = arena_array(p->arena, int, p->n + 1);
	for (int i = 0; i < p->n; i++) {
		Block *b = block_of[i];
		if (p->cfg->rpo_index[i] < 0)
			continue;
		for (int k = 0; k < b->nsucc; k++) {
			Block *t = b->succ[k];
			bool into_frame = k == 1 && opens_frame(p, b);
			if (t->id >= p->n)
				continue;
			if (!into_frame && chain_has(p->out[i], p->rank[t->id])) {
				edit_target(&p->l->edit, b, k, sync_block(p, t));
				continue;
			}
			/* a frame begins with nothing open */
			int n = fresh_points(p, p->in[t->id], into_frame ? NULL : p->out[i], list);
			if (n)
				edit_target(&p->l->edit, b, k, ssy_block(p, b, t, list, n, block_of));
		}
		int n = fresh_points(p, p->out[i], p->in[i], list);
		for (int k = 0; k < n; k++)
			insert_ssy(p, b, b->ins.n - 1, block_of[list[k]]);
	}
}

/* If a loop back to the entry block leaves points open at the start of that block, a new block in front opens
   them first. */
static void place_entry(OpenPoints *p, Block *const *block_of)
{
	int *list = arena_array(p->arena, int, p->n + 1);
	Block *entry = block_of[0];
	int n = fresh_points(p, p->in[0], NULL, list);
	if (!n)
		return;
	Block *e = new_token_block(p, NULL);
	for (int k = 0; k < n; k++)
		insert_ssy(p, e, e->ins.n, block_of[list[k]]);
	edit_jump(&p->l->edit, e, NULL, entry);
}

bool place_tokens(LowerFn *l, const PlaceStyle *style, Diag *diag)
{
	Arena arena = { 0 };
	PlaceLoops loops = { .l = l, .arena = &arena };
	place_loops(&loops, style->frames);
	OpenPoints p = { .l = l, .f = l->f, .arena = &arena, .loops = &loops, .n = l->f->block.n };
	p.cfg = cfg_build(&arena, l->f);
	p.pdom = frame_pdoms(&p);
	Block **block_of = arena_array(&arena, Block *, p.n);
	memcpy(block_of, l->f->block.v, sizeof *block_of * (size_t)p.n);
	p.sync = arena_array(&arena, Block *, p.n);
	solve_points(&p);
	place_edges(&p, block_of);
	place_entry(&p, block_of);
	place_finish(&loops, style->predicate);
	if (style->translate)
		style->translate(&loops, style->self);
	lower_targets(l->f);
	vec_free(&loops.leaf);
	arena_free(&arena);
	return true;
}
