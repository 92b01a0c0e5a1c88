/* Uniformity of registers and branches within a warp. One fact per register, not per definition: front ends give every
 * value a register of its own, so little is lost and no SSA form is needed. */
#include "passes/analysis/analysis.h"

typedef struct Uni {
	const Cfg *c;
	const Module *m;
	Graph *g;                  /* with the virtual exit */
	Dom *pdom;
	BitSet regs;               /* divergent registers */
	bool *divergent;
	Liveness *live;
	bool stores[SP_COUNT];     /* spaces that the function may change */
	bool changed;
} Uni;

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

static bool opd_divergent(const Uni *u, const Opd *o)
{
	return o->kind == OPD_REG ? bs_has(u->regs, o->id) : o->kind == OPD_SREG && sreg_divergent(o->id);
}

static bool sources_divergent(const Uni *u, const Ins *i)
{
	for (int k = 0; k < i->nsrc; k++)
		if (opd_divergent(u, ins_src(i, k)))
			return true;
	return false;
}

/* A load from one address gives one value when nothing can change the memory between the threads' turns. */
static bool load_divergent(const Uni *u, const Ins *i)
{
	if (sources_divergent(u, i) || i->space == SP_LOCAL || i->sem >= SEM_VOLATILE)
		return true;
	if (i->space == SP_PARAM || i->space == SP_CONST || i->cop == COP_NC)
		return false;
	if (i->space == SP_GENERIC)
		return true;
	return u->stores[i->space] || u->stores[SP_GENERIC];
}

static bool result_divergent(const Uni *u, const Ins *i, int dst)
{
	switch (op_info[i->op].kind) {
	case K_ALU: return sources_divergent(u, i);
	case K_LD: return load_divergent(u, i);
	case K_VOTE: case K_REDUX: return i->nsrc > 1 && opd_divergent(u, ins_src(i, i->nsrc - 1));
	case K_BAR: return false;  /* one result for the block */
	case K_MATCH: return i->mode != MODE_ALL || sources_divergent(u, i);
	case K_ELECT: return dst > 0 || sources_divergent(u, i);
	default: return true;
	}
}

static void mark(Uni *u, int reg)
{
	if (bs_has(u->regs, reg))
		return;
	bs_add(u->regs, reg);
	u->changed = true;
}

/* add.cc and the like pass a carry to the next such instruction in a hidden register: divergent with either. */
static void step(Uni *u, const Ins *i, bool *carry)
{
	bool guard = i->guard >= 0 && bs_has(u->regs, i->guard);
	bool takes = op_info[i->op].flags & OPF_CARRY;
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG && (guard || (takes && *carry) || result_divergent(u, i, k)))
			mark(u, ins_dst(i, k)->id);
	if (i->cc) /* behind a guard that does not hold, what it was before */
		*carry = guard || ((takes || i->guard >= 0) && *carry) || sources_divergent(u, i);
}

/* Blocks behind branch b before its immediate post-dominator; joins: those (and it) that two ways from b lead to. */
static void behind(const Uni *u, Arena *tmp, int b, BitSet region, BitSet joins)
{
	BitSet stop = bs_new(tmp, u->g->n);
	int p = u->pdom->idom[b], ways = 0;
	if (p >= 0)
		bs_add(stop, p);
	for (int k = 0; k < u->g->succ[b].n; k++) {
		BitSet way = bs_new(tmp, u->g->n);
		graph_reach(u->g, false, u->g->succ[b].v[k], stop, way);
		for (int i = 0; i < way.n; i++)
			joins.w[i] |= way.w[i] & region.w[i];
		bs_union(region, way);
		ways++;
	}
	if (ways > 1 && p >= 0)
		bs_add(joins, p);
}

/* Sync dependence, temporal divergence included: registers that are written behind a divergent branch and live where its
   ways meet (a loop's exit is where ways of different length meet) differ between threads there. */
static void diverge(Uni *u, const Block *b)
{
	Arena tmp = { 0 };
	BitSet region = bs_new(&tmp, u->g->n), joins = bs_new(&tmp, u->g->n), live = bs_new(&tmp, u->c->f->reg.n);
	u->divergent[b->id] = true;
	u->changed = true;
	behind(u, &tmp, b->id, region, joins);
	bs_each(joins, j)
		if (j < u->c->n)
			live_each(u->live, u->live->in[j], r)
				bs_add(live, r);
	bs_each(region, id) {
		if (id >= u->c->n)
			continue;
		const Block *r = u->c->f->block.v[id];
		for (int k = 0; k < r->ins.n; k++)
			for (int d = 0; d < r->ins.v[k].ndst; d++) {
				const Opd *o = ins_dst(&r->ins.v[k], d);
				if (o->kind == OPD_REG && bs_has(live, o->id))
					mark(u, o->id);
			}
	}
	arena_free(&tmp);
}

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

Uniformity *uniformity_build(Arena *a, const Cfg *c, const Module *m)
{
	must(cfg_fresh(c));
	Function *f = c->f;
	Uni u = { .c = c, .m = m, .g = cfg_exit_graph(a, c, true), .pdom = pdom_build(a, c, true), .live = liveness_build(a, c),
		.regs = bs_new(a, f->reg.n), .divergent = arena_array(a, bool, c->n) };
	find_stores(&u);
	for (int k = 0; k < f->arg.n; k++) /* callers are not looked at */
		bs_add(u.regs, f->arg.v[k]);
	do {
		u.changed = false;
		for (int i = 0; i < c->nreach; i++) {
			const Block *b = c->rpo[i];
			bool carry = true; /* at a block's start: unknown */
			for (int k = 0; k < b->ins.n; k++)
				step(&u, &b->ins.v[k], &carry);
			if (!u.divergent[b->id] && b->nsucc > 1 && !(block_term(b)->flags & INSF_UNI) && sources_divergent(&u, block_term(b)))
				diverge(&u, b);
		}
	} while (u.changed);
	Uniformity *r = arena_new(a, Uniformity);
	*r = (Uniformity){ u.divergent, u.regs };
	return r;
}
