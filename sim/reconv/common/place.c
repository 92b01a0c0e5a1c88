/* Where SSY and SYNC go. Mechanisms whose operations have other names translate them (PlaceStyle).
 *
 * The reconvergence point of a branch that may diverge is its immediate post-dominator in the graph without exit edges. A point J
 * is open where lanes may wait for each other at J: at block b's end if b's own branch has it, and at every block that is
 * reached from there without passing J. J post-dominates every block where it is open, so the open points of a block are
 * a chain of its post-dominators, and that chain is the static stack: the nearest on top.
 *
 *   SSY J    on each edge from where J is not open to where it is, outer points first; before a branch for its own point
 *   SYNC     on each edge to J from where J is open: one block in front of J that all those edges go through
 *
 * For the order of the stack to come out right, a point must be opened before a nearer one that stays open: if an edge
 * b -> t opens K while a nearer point is open at both, or while it closes t itself, K is opened at b already, and so is the
 * own point of b's branch where a nearer one is open at b; repeated until nothing changes. Nothing here asks for reducible loops. */
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
	BitSet *in, *out;          /* points open at the start and at the end of a block */
	Block **sync;              /* the block with the SYNC in front of each point, or NULL */
} OpenPoints;

static bool opens_frame(const OpenPoints *p, const Block *b) { return p->loops->frame[b->id]; }

/* Post-dominators of one frame: the blocks reached from its first one, where a nested frame is one step to its end. */
static void frame_pdom(OpenPoints *p, Block *root, Dom *all)
{
	Function part = *p->f;
	Arena tmp = { 0 };
	int *id = arena_array(&tmp, int, p->n);
	BitSet seen = bs_new(&tmp, p->n);
	part.block.v = arena_array(&tmp, Block *, p->n);
	part.block.n = 0;
	part.block.v[part.block.n++] = root;
	bs_add(seen, root->id);
	for (int i = 0; i < part.block.n; i++)
		for (int k = 0; k < part.block.v[i]->nsucc; k++) {
			Block *t = part.block.v[i]->succ[k];
			if (!bs_has(seen, t->id)) {
				bs_add(seen, t->id);
				part.block.v[part.block.n++] = t;
			}
		}
	for (int i = 0; i < part.block.n; i++)
		id[i] = part.block.v[i]->id;
	Dom *d = pdom_build(&tmp, cfg_build(&tmp, &part), false);
	for (int i = 0; i < part.block.n; i++) {
		all->idom[id[i]] = d->idom[i] < 0 ? -1 : d->idom[i] == part.block.n ? p->n : id[d->idom[i]];
		all->depth[id[i]] = d->depth[i];
	}
	for (int i = 0; i < part.block.n; i++)
		part.block.v[i]->id = id[i];
	arena_free(&tmp);
}

static Dom *frame_pdoms(OpenPoints *p)
{
	Dom *d = arena_new(p->arena, Dom);
	*d = (Dom){ .n = p->n + 1, .root = p->n, .idom = arena_array(p->arena, int, p->n + 1), .depth = arena_array(p->arena, int, p->n + 1) };
	for (int i = 0; i <= p->n; i++)
		d->idom[i] = -1;
	for (int i = 0; i < p->n; i++)
		if (opens_frame(p, p->f->block.v[i]))
			p->f->block.v[i]->nsucc = 1;
	frame_pdom(p, p->f->block.v[0], d);
	for (int i = 0; i < p->n; i++)
		if (opens_frame(p, p->f->block.v[i]))
			frame_pdom(p, p->f->block.v[i]->succ[1], d);
	for (int i = 0; i < p->n; i++)
		if (opens_frame(p, p->f->block.v[i]))
			p->f->block.v[i]->nsucc = 2;
	return d;
}

/* J lies strictly behind K on the chain of post-dominators: J is the outer one. */
static bool outer(const OpenPoints *p, int j, int k) { return j != k && dom_dominates(p->pdom, j, k); }

static bool add_point(BitSet s, int i)
{
	if (bs_has(s, i))
		return false;
	bs_add(s, i);
	return true;
}

/* in(t) gets the points that are open at the end of b and post-dominate t, without t itself. Where only an early exit is left, points of
   the way not taken stay on the stack below, and nothing pops them. */
static bool flow(OpenPoints *p)
{
	bool changed = false;
	for (int i = 0; i < p->cfg->nreach; i++) {
		Block *b = p->cfg->rpo[i];
		changed |= bs_union(p->out[b->id], p->in[b->id]);
		for (int k = 0; k < (opens_frame(p, b) ? 1 : b->nsucc); k++) /* points in a loop's body have a stack of their own */
			bs_each(p->out[b->id], j)
				if (outer(p, j, b->succ[k]->id))
					changed |= add_point(p->in[b->succ[k]->id], j);
	}
	return changed;
}

/* Does the edge b -> t, which opens k, find a nearer point open that it does not close, or close t? */
static bool too_late(const OpenPoints *p, int b, int t, int k)
{
	if (bs_has(p->out[b], t))
		return true;
	bs_each(p->out[b], j)
		if (j != t && outer(p, k, j))
			return true;
	return false;
}

/* Is a point open at the begin of b that lies in front of k? */
static bool nearer_open(const OpenPoints *p, int b, int k)
{
	bs_each(p->in[b], j)
		if (outer(p, k, j))
			return true;
	return false;
}

static bool open_earlier(OpenPoints *p)
{
	bool changed = false;
	for (int i = 0; i < p->cfg->nreach; i++) {
		Block *b = p->cfg->rpo[i];
		bs_each(p->out[b->id], k) /* the own point of b's branch, where !reconverge asks for one behind the nearest */
			if (!bs_has(p->in[b->id], k) && nearer_open(p, b->id, k))
				changed |= add_point(p->in[b->id], k);
		for (int s = 0; s < (opens_frame(p, b) ? 1 : b->nsucc); s++) {
			int t = b->succ[s]->id;
			bs_each(p->in[t], k)
				if (!bs_has(p->out[b->id], k) && k != b->id && too_late(p, b->id, t, k))
					changed |= add_point(p->in[b->id], k);
		}
	}
	return changed;
}

static void solve_points(OpenPoints *p)
{
	p->in = arena_array(p->arena, BitSet, p->n);
	p->out = arena_array(p->arena, BitSet, p->n);
	for (int b = 0; b < p->n; b++) {
		p->in[b] = bs_new(p->arena, p->n);
		p->out[b] = bs_new(p->arena, p->n);
	}
	for (int i = 0; i < p->cfg->nreach; i++) {
		Block *b = p->cfg->rpo[i];
		int j = pdom_point(p->pdom, b);
		if (b->nsucc > 1 && p->loops->divergent[b->id] && j >= 0 && j < p->n)
			bs_add(p->out[b->id], j);
	}
	for (bool changed = true; changed;) {
		changed = flow(p);
		changed |= open_earlier(p);
	}
}

/* Members of the set, outer points first. */
static int ordered(const OpenPoints *p, BitSet s, int *list)
{
	int n = 0;
	bs_each(s, j) {
		int at = n++;
		while (at > 0 && outer(p, j, list[at - 1])) {
			list[at] = list[at - 1];
			at--;
		}
		list[at] = j;
	}
	return n;
}

static Block *new_block(OpenPoints *p, const Block *before) { return place_block(p->loops, before); }

static void insert_ssy(OpenPoints *p, Block *b, int at, Block *point) { edit_insert(&p->l->edit, b, at, place_ins(p->loops, OWN_SSY, point)); }

static Block *sync_block(OpenPoints *p, Block *point)
{
	if (!p->sync[point->id]) {
		Block *b = new_block(p, point);
		edit_append(&p->l->edit, b, lower_own(p->l, OWN_SYNC, 0, 0));
		edit_jump(&p->l->edit, b, NULL, point);
		p->sync[point->id] = b;
	}
	return p->sync[point->id];
}

/* The block, on the edge from b to t, that pushes these n points: those in p->in of t and not in p->out of b. */
static Block *ssy_block(OpenPoints *p, const Block *b, Block *t, const int *points, int n, Block *const *block_of)
{
	Block *e = new_block(p, t);
	for (int k = 0; k < n; k++)
		insert_ssy(p, e, e->ins.n, block_of[points[k]]);
	edit_jump(&p->l->edit, e, NULL, t);
	return e;
}

static void place_edges(OpenPoints *p, Block *const *block_of)
{
	int *list = arena_array(p->arena, int, p->n + 1);
	BitSet fresh = bs_new(p->arena, p->n);
	for (int i = 0; i < p->n; i++) {
		Block *b = block_of[i];
		if (p->cfg->rpo_index[i] < 0)
			continue;
		for (int k = 0; k < b->nsucc; k++) {
			Block *t = b->succ[k];
			bool into_frame = k == 1 && opens_frame(p, b);
			if (t->id >= p->n)
				continue;
			if (!into_frame && bs_has(p->out[i], t->id)) {
				edit_target(&p->l->edit, b, k, sync_block(p, t));
				continue;
			}
			bs_copy(fresh, p->in[t->id]);
			if (!into_frame) /* a frame begins with nothing open */
				bs_each(p->out[i], j)
					bs_del(fresh, j);
			int n = ordered(p, fresh, list);
			if (n)
				edit_target(&p->l->edit, b, k, ssy_block(p, b, t, list, n, block_of));
		}
		bs_copy(fresh, p->out[i]);
		bs_each(p->in[i], j)
			bs_del(fresh, j);
		int n = ordered(p, fresh, list);
		for (int k = 0; k < n; k++)
			insert_ssy(p, b, b->ins.n - 1, block_of[list[k]]);
	}
}

/* Points that a loop back to the entry leaves open there are opened before it. */
static void place_entry(OpenPoints *p, Block *const *block_of)
{
	int *list = arena_array(p->arena, int, p->n + 1);
	Block *entry = block_of[0];
	int n = ordered(p, p->in[0], list);
	if (!n)
		return;
	Block *e = new_block(p, NULL);
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
	vec_free(&loops.made);
	vec_free(&loops.leaf);
	arena_free(&arena);
	return true;
}
