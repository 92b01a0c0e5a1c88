/* simplify-cfg: shorter graphs with the same meaning.
 *
 * requires  nothing
 * keeps     marks of the source's blocks, and what threads execute but jumps and branches that decide nothing
 * breaks    dominators, loops, liveness
 *
 * Until nothing changes any more: branches with equal targets or a known condition become jumps; edges skip
 * blocks that only jump and in which no block of the source begins; a block is merged with the one before it
 * when there is no other way to it, and from that one no other way; blocks that cannot be reached are
 * removed. Blocks that the source names as reconvergence points stay. */
#include "isa/edit.h"
#include "isa/lane.h"
#include "passes/analysis/analysis.h"
#include "passes/transform/transform.h"

static bool equal_targets(const Block *b)
{
	return b->nsucc == 2 && block_term(b)->op == OP_BRA && b->succ[0] == b->succ[1];
}

/* Computes what an instruction without a guard writes whose sources are all immediates; false: it is none
   such. */
static bool folds(const Ins *i, uint64_t *dst)
{
	uint64_t src[8];
	if (i->guard >= 0 || op_info[i->op].kind != K_ALU || i->nsrc > 8 || i->ndst > 2)
		return false;
	for (int k = 0; k < i->nsrc; k++) {
		if (ins_src(i, k)->kind != OPD_IMM)
			return false;
		src[k] = (uint64_t)ins_src(i, k)->imm;
	}
	return lane_fold(i, src, dst);
}

/* Computes the value of the register at the end of the block; false: its last definition there is no
   constant. */
static bool constant_at_end(const Block *b, int reg, uint64_t *v)
{
	uint64_t dst[8];
	for (int k = b->ins.n - 1; k-- > 0;)
		for (int d = 0; d < b->ins.v[k].ndst; d++) {
			const Opd *o = ins_dst(&b->ins.v[k], d);
			if (o->kind != OPD_REG || o->id != reg)
				continue;
			if (!folds(&b->ins.v[k], dst))
				return false;
			*v = dst[d];
			return true;
		}
	return false;
}

static Block *only_target(const Block *b)
{
	const Ins *t = block_term(b);
	uint64_t v;
	if (equal_targets(b))
		return b->succ[0];
	if (!b->nsucc || !t->nsrc)
		return NULL;
	const Opd *o = ins_src(t, 0);
	if (o->kind == OPD_IMM)
		v = (uint64_t)o->imm;
	else if (o->kind != OPD_REG || !constant_at_end(b, o->id, &v))
		return NULL;
	if (t->op == OP_BRX)
		return (uint32_t)v < (uint32_t)b->nsucc ? b->succ[(uint32_t)v] : NULL;
	return b->succ[(v & 1) == (o->neg != 0)];
}

/* May the pass do something to the end of the block? */
static bool may_simplify(PassRun *r, const Block *b, const char *what)
{
	return pass_may_change(r, ins_loc(r->m, block_term(b)), "%s: %s", b->label, what);
}

static bool fold_branches(PassRun *r, Edit *e)
{
	bool changed = false;
	for (int k = 0; k < e->f->block.n; k++) {
		Block *b = e->f->block.v[k], *to = only_target(b);
		if (!to || !may_simplify(r, b, "its branch is folded"))
			continue;
		edit_fold(e, b, to);
		changed = true;
	}
	return changed;
}

static bool hops(const Block *b, BitSet named)
{
	return !b->ins.v[0].mark && b->ins.n == 1 && block_jumps(b) && !bs_has(named, b->id);
}

/* Fills in end[] for every block on the way from b on: the block to which an edge to it leads in the end,
   when blocks with nothing but a jump without marks are skipped. A block in a ring of such blocks, or on a
   way into one, has itself as its end. */
static void find_end(Block *b, BitSet named, Block **end, int *path)
{
	int n = 0;
	Block *to = b;
	for (; !end[to->id] && hops(to, named); to = to->succ[0]) {
		end[to->id] = to;              /* until the path's end is known; in a ring it stays so */
		path[n++] = to->id;
	}
	if (!end[to->id])
		end[to->id] = to;
	Block *last = end[to->id];
	for (int k = 0; k < n && !hops(last, named); k++)
		end[path[k]] = last;
}

/* If block `at` is nothing but a jump, with or without marks, and has one way in, returns the block to which
   it jumps; else returns `at` itself. */
static Block *only_jump(Block *at, const int *preds, BitSet named)
{
	return at->ins.n == 1 && block_jumps(at) && preds[at->id] == 1 && at->succ[0] != at &&
		!bs_has(named, at->id) ? at->succ[0] : at;
}

/* Has a pass made the branch, and does no branch of the source decide by it? */
static bool inserted(const Function *f, const Ins *t)
{
	bool decides = false;
	for (int k = t->mark; k; k = f->mark.v[k].next)
		decides |= f->mark.v[k].kind == MARK_DECIDES;
	return t->origin && !decides;
}

/* Makes a jump of each inserted branch both of whose ways lead to one place with nothing but jumps on them.
   The jump gets the marks of both ways, each for the threads that went that way. */
static bool fold_empty(PassRun *r, Edit *e, BitSet named)
{
	int *preds = xcalloc((size_t)e->f->block.n + 1, sizeof *preds);
	bool changed = false;
	for (int k = 0; k < e->f->block.n; k++)
		for (int s = 0; s < e->f->block.v[k]->nsucc; s++)
			preds[e->f->block.v[k]->succ[s]->id]++;
	preds[0]++;
	for (int k = 0; k < e->f->block.n; k++) {
		Block *b = e->f->block.v[k];
		const Ins *t = block_term(b);
		if (t->op != OP_BRA || !inserted(e->f, t) || b->nsucc != 2 ||
			ins_src(t, 0)->kind != OPD_REG || b->succ[0] == b->succ[1])
			continue;
		Block *way[2] = { b->succ[0], b->succ[1] }, *to[2];
		Opd condition = *ins_src(t, 0);
		for (int s = 0; s < 2; s++)
			to[s] = way[s] == b ? b : only_jump(way[s], preds, named);
		if (way[0] == to[1])
			to[0] = way[0];
		if (way[1] == to[0])
			to[1] = way[1];
		if (to[0] != to[1] || to[0] == b || !may_simplify(r, b, "its empty branch is folded"))
			continue;
		Ins cut = edit_cut_term(e, b);
		edit_jump(e, b, &cut, to[0]);
		ins_instead(block_term(b), &cut);
		for (int s = 0; s < 2; s++)
			if (way[s] != to[s]) {
				Opd p = condition;
				p.neg ^= s;
				edit_mark_lanes(e, block_term(way[s]), p);
				edit_mark_also(e, block_term(b), block_term(way[s]));
			}
		preds[to[0]->id]++;
		changed = true;
	}
	free(preds);
	return changed;
}

static bool skip_empty(PassRun *r, Edit *e, BitSet named)
{
	Arena a = { 0 };
	Block **end = arena_array(&a, Block *, e->f->block.n);
	int *path = arena_array(&a, int, e->f->block.n);
	bool changed = false;
	for (int k = 0; k < e->f->block.n; k++) {
		Block *b = e->f->block.v[k];
		for (int s = 0; s < b->nsucc; s++) {
			find_end(b->succ[s], named, end, path);
			Block *to = end[b->succ[s]->id];
			if (to == b->succ[s] || !may_simplify(r, b, "it skips an empty block"))
				continue;
			edit_retarget(e, b, b->succ[s], to);
			changed = true;
		}
	}
	arena_free(&a);
	return changed;
}

/* gone: by number of a block that has been merged, the block that it has become part of; NULL: it has not */
typedef struct Merger { Edit *e; Cfg *c; BitSet named; Block **gone; } Merger;

static Block *living(const Merger *w, Block *b)
{
	while (w->gone[b->id])
		b = w->gone[b->id];
	return b;
}

static void append_merged(Merger *w, Block *b, Block *s)
{
	edit_merge(w->e, b, s);
	w->gone[s->id] = b;
}

/* Merges b, an inserted block, and s so that the block is called s: b's instructions come first in it. */
static void prepend(Merger *w, Block *b, Block *s)
{
	Function *f = w->c->f;
	for (int k = 0; k < w->c->npred[b->id]; k++)
		edit_retarget(w->e, living(w, w->c->pred[b->id][k]), b, s);
	edit_merge(w->e, b, s);
	Block whole = *b;          /* the two blocks exchange contents, not places */
	b->ins = s->ins;
	b->nsucc = 0;
	b->reconverge = NULL;
	s->ins = whole.ins;
	s->nsucc = whole.nsucc;
	s->succ = whole.succ;
	s->reconverge = whole.reconverge;
	w->c->pred[s->id] = w->c->pred[b->id];
	w->c->npred[s->id] = w->c->npred[b->id];
	if (f->block.v[0] == b) { /* the function's entry has to stand first */
		f->block.v[s->id] = b;
		f->block.v[0] = s;
	}
	w->gone[b->id] = s;
}

/* Finds the blocks from which no thread comes to an end. The analysis of structure gives the first block of
   such a cycle a third way out, to the exit, so that block must not be merged with one that branches back to
   it. */
static BitSet find_endless_blocks(Arena *a, const Cfg *c)
{
	BitSet ends = bs_new(a, c->n), none = bs_new(a, c->n), endless = bs_new(a, c->n);
	for (int b = 0; b < c->n; b++)
		if (bs_has(c->reach, b) && !c->f->block.v[b]->nsucc && !bs_has(ends, b))
			graph_reach(c->graph, true, b, none, ends);
	for (int b = 0; b < c->n; b++)
		if (!bs_has(ends, b))
			bs_add(endless, b);
	return endless;
}

static bool branches_to(const Block *s, const Block *b)
{
	for (int k = 0; k < s->nsucc; k++)
		if (s->succ[k] == b && s->nsucc > 1)
			return true;
	return false;
}

/* Merges the two blocks of each edge that is the only one from its source and the only one to its target. */
static bool merge_edges(PassRun *r, Edit *e, Arena *a, BitSet named)
{
	Merger w = { e, cfg_build(a, e->f), named, arena_array(a, Block *, e->f->block.n) };
	BitSet endless = find_endless_blocks(a, w.c);
	/* unreachable blocks are not rewritten: blocks to which they lead stay */
	for (int k = 0; k < w.c->n; k++)
		for (int s = 0; s < e->f->block.v[k]->nsucc && !bs_has(w.c->reach, k); s++)
			bs_add(named, e->f->block.v[k]->succ[s]->id);
	bool changed = false;
	for (int i = 0; i < w.c->nreach; i++) {
		Block *b = w.c->rpo[i];
		while (!w.gone[b->id] && block_jumps(b)) {
			Block *s = b->succ[0];
			if (s == b || w.c->npred[s->id] != 1 || s == e->f->block.v[0] ||
				bs_has(named, s->id) || (bs_has(endless, b->id) && branches_to(s, b)) ||
				!may_simplify(r, b, "merged with the block behind it"))
				break;
			if (!b->user && s->user && !bs_has(named, b->id))
				prepend(&w, b, s);
			else
				append_merged(&w, b, s);
			changed = true;
		}
	}
	return changed;
}

static bool simplify_round(PassRun *r, Edit *e)
{
	Arena a = { 0 };
	function_number(e->f);
	bool changed = fold_branches(r, e);
	BitSet named = edit_named(&a, e->f);
	changed |= skip_empty(r, e, named);
	changed |= fold_empty(r, e, named);
	changed |= merge_edges(r, e, &a, named);
	changed |= edit_drop_dead(e);
	arena_free(&a);
	return changed;
}

static bool run(PassRun *r)
{
	Edit e = edit_open(r->m, r->f, r->origin);
	bool any = false;
	while (simplify_round(r, &e))
		any = true;
	edit_close(&e);
	return any;
}

const Pass pass_simplify_cfg = {
	.name = "simplify-cfg",
	.idle = "no block and no branch is superfluous",
	.help = "fold decided branches, skip empty blocks, merge blocks that follow each other alone, drop "
	"what cannot be reached",
	.function = run,
};
