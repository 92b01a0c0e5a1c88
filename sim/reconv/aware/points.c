/* Delayed reconvergence (ElTantawy, Aamodt, MIMD Synchronization on SIMT Architectures, MICRO 2016, section
 * 4: safe post-dominators). A loop may be waiting for a write if one of its exits depends on what the loop
 * reads from memory. Lanes that have left the loop may have to do that write, so they must not wait before it
 * for lanes in the loop: the point of the loop's branches, and of branches around the loop whose regions end
 * earlier, moves to the nearest post-dominator behind all such writes.
 *
 * This requires nothing of the function, and changes only points. A write counts if it goes to a space that
 * the loop reads (generic: any space) and is as strong as the reads: where all of these are atomic, volatile,
 * relaxed or the like, only such writes count, otherwise every store does. The paper asks alias analysis
 * instead. Writes in functions that are called are not seen: for these only the time-out remains. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/aware/aware.h"
#include "sim/reconv/common/exit_slice.h"
#include "sim/reconv/common/points.h"

/* The reads of a loop on which its exits depend: are there any, are all of them strong (atomic, volatile,
   relaxed or the like), and which spaces do they read? */
typedef struct LoopReads { bool any, strong, space[SP_COUNT]; } LoopReads;

static bool shared_between_threads(const Ins *i)
{
	return i->space == SP_GLOBAL || i->space == SP_SHARED || i->space == SP_GENERIC;
}

static bool strong(const Ins *i) { return op_info[i->op].kind == K_ATOM || i->sem > SEM_WEAK; }

static bool reads_shared(const Ins *i)
{
	return (op_info[i->op].kind == K_LD || op_info[i->op].kind == K_ATOM) && shared_between_threads(i);
}

static void add_read(void *self, const Ins *i)
{
	LoopReads *r = self;
	if (!reads_shared(i))
		return;
	r->any = r->space[i->space] = true;
	r->strong &= strong(i);
}

static bool writes_shared(const Block *b, const LoopReads *r)
{
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		int kind = op_info[i->op].kind;
		if ((kind != K_ST && kind != K_ATOM) || !shared_between_threads(i) ||
			(r->strong && !strong(i)))
			continue;
		if (r->space[i->space] || r->space[SP_GENERIC] || i->space == SP_GENERIC)
			return true;
	}
	return false;
}

/* The nearest block that post-dominates the loop's exits and lies behind all writes by lanes that have left
   the loop; cfg->n, the virtual exit, when there is none. */
static int safe_point(Arena *a, const Cfg *cfg, const Dom *pdom, const IntList *exits, const LoopReads *r)
{
	BitSet behind = bs_new(a, cfg->n), none = bs_new(a, cfg->n);
	int point = -1;
	for (int k = 0; k < exits->n; k++) {
		graph_reach(cfg->graph, false, exits->v[k], none, behind);
		point = point < 0 ? exits->v[k] : dom_common(pdom, point, exits->v[k]);
	}
	bs_each(behind, b)
		if (writes_shared(cfg->f->block.v[b], r) && point >= 0) {
			int next = pdom->idom[b];
			point = next < 0 ? -1 : dom_common(pdom, point, next);
		}
	return point < 0 ? cfg->n : point;
}

bool aware_lower_delayed(LowerFn *l, Diag *diag)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	Dom *pdom = pdom_build(&tmp, cfg, true);
	Loops *loops = loops_build(&tmp, cfg);
	const IntList *exits = loop_exits(&tmp, cfg, loops);
	int *point = pdom_points(&tmp, cfg, pdom);
	for (int k = 0; k < loops->n; k++) {
		const Loop *loop = &loops->loop[k];
		LoopReads r = { .strong = true };
		exit_slice(&tmp, cfg, loop, add_read, &r);
		if (!r.any)
			continue;
		int safe = safe_point(&tmp, cfg, pdom, &exits[k], &r);
		for (int b = 0; b < l->f->block.n; b++) {
			if (point[b] < 0 || point[b] >= cfg->n)
				continue;
			BitSet region = bs_new(&tmp, cfg->n), end = bs_new(&tmp, cfg->n);
			bool around = false;
			bs_add(end, point[b]);
			graph_reach(cfg->graph, false, b, end, region);
			loop_each(cfg, loop, x)
				around |= bs_has(region, x->id);
			if (around)
				point[b] = dom_common(pdom, point[b], safe);
		}
	}
	reconv_set_points(l, cfg, point);
	arena_free(&tmp);
	return true;
}
