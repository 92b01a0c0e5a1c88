/* A model of a warp for tests of control flow passes. User block k of the original function decides with %pk
 * or %ik, which the model sets when a lane enters it: a function of seed, lane, block and visit, so that a
 * lane takes the same way whatever a pass makes of the graph. Of instructions it knows mov, selp, setp on
 * u32, branches, loads, which bring what lane and trace decide, and stores, whose values are part of the
 * trace. */
#ifndef TEST_WARP_MODEL_H
#define TEST_WARP_MODEL_H
#include "tests/passes/graphs.h"

enum { WM_REGS = 256, WM_LANES = 8, WM_STEPS = 1500, WM_TRACE = 400, WM_USER = 64 };

typedef struct WmSource {      /* the original graph */
	int n;
	const char *label[WM_USER];
	int nsucc[WM_USER], nearest[WM_USER]; /* nearest: the successor nearest to an exit */
	int preg[WM_USER];                    /* register that decides, -1 = none */
	uint64_t fixed[WM_USER], fixed_mask; /* fixed_mask bit k: block k decides by bit `lane` of fixed[k] */
} WmSource;

typedef struct WmLane {
	int64_t reg[WM_REGS];
	int visits[WM_USER];
	int trace[WM_TRACE], n;
} WmLane;

typedef struct WmRun {
	WmLane lane[WM_LANES];
	int fetches[WM_USER];      /* by user block */
	int max_depth, guards;     /* guards: fetches of other blocks */
	bool ended;
} WmRun;

static inline uint64_t wm_hash(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u;
	x ^= x >> 29;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 32;
}

static inline void wm_source(Function *f, WmSource *s)
{
	int dist[WM_USER];
	memset(s, 0, sizeof *s);
	s->n = f->block.n;
	for (int b = 0; b < s->n; b++) {
		const Block *p = f->block.v[b];
		s->label[b] = p->label;
		s->nsucc[b] = p->nsucc;
		s->preg[b] = p->nsucc > 1 ? ins_src(block_term(p), 0)->id : -1;
		dist[b] = p->nsucc ? 1000 : 0;
	}
	for (int round = 0; round < s->n; round++)
		for (int b = 0; b < s->n; b++)
			for (int k = 0; k < s->nsucc[b]; k++)
				if (dist[f->block.v[b]->succ[k]->id] + 1 < dist[b]) {
					dist[b] = dist[f->block.v[b]->succ[k]->id] + 1;
					s->nearest[b] = k;
				}
}

/* Sets the deciding register of user block k. */
static inline void wm_enter(const WmSource *s, WmLane *l, int k, uint64_t seed, int lane)
{
	if (l->n < WM_TRACE)
		l->trace[l->n++] = k;
	int visit = l->visits[k]++, way;
	if (s->preg[k] < 0)
		return;
	if (s->fixed_mask >> k & 1)
		way = !(s->fixed[k] >> lane & 1);
	else if (visit >= 10)
		way = s->nearest[k];
	else
		way = (int)(wm_hash(seed, wm_hash((uint64_t)lane,
			(uint64_t)k * 64 + (uint64_t)visit)) % (uint64_t)s->nsucc[k]);
	l->reg[s->preg[k]] = s->nsucc[k] == 2 ? way == 0 : way;
}

static inline int64_t wm_value(const WmLane *l, const Opd *o)
{
	if (o->kind != OPD_REG)
		return o->imm;
	return o->neg ? !l->reg[o->id] : l->reg[o->id];
}

static inline void wm_ins(WmLane *l, const Ins *i, int lane)
{
	int64_t v[4] = { 0 };
	if (i->guard >= 0 && (l->reg[i->guard] != 0) == i->guard_neg)
		return;
	for (int k = 0; k < i->nsrc && k < 4; k++)
		v[k] = wm_value(l, ins_src(i, k));
	int64_t *d = i->ndst ? &l->reg[ins_dst(i, 0)->id] : NULL;
	switch (i->op) {
	case OP_MOV: *d = v[0]; break;
	case OP_SELP: *d = v[2] ? v[0] : v[1]; break;
	case OP_SETP:
		*d = i->cmp == CMP_EQ ? v[0] == v[1] : i->cmp == CMP_GE ? v[0] >= v[1]
			: i->cmp == CMP_LE ? v[0] <= v[1] : -1;
		if (*d < 0)
			abort();
		*d = *d && (!i->boolop || v[2]);
		break;
	case OP_LD: *d = (int64_t)(wm_hash((uint64_t)lane + 1, (uint64_t)l->n) % 1000); break;
	case OP_ST:
		if (l->n < WM_TRACE)
			l->trace[l->n++] = 1000 + (int)(v[1] % 1000);
		break;
	case OP_BRA: case OP_BRX: case OP_RET: case OP_EXIT: case OP_TRAP: break;
	default: abort();
	}
}

/* Is the lane one of those that a mark is for? */
static inline bool wm_for(const Function *f, const WmLane *l, int lanes)
{
	for (; lanes; lanes = f->lanes.v[lanes].next)
		if ((l->reg[f->lanes.v[lanes].reg] != 0) == f->lanes.v[lanes].neg)
			return false;
	return true;
}

/* The lane's next block, NULL when it ends. */
static inline const Block *wm_step(const WmSource *s, const Function *f, WmLane *l, const Block *b,
	uint64_t seed, int lane)
{
	for (int i = 0; i < b->ins.n; i++) {
		for (int k = b->ins.v[i].mark; k; k = f->mark.v[k].next)
			if (f->mark.v[k].kind == MARK_BEGINS && wm_for(f, l, f->mark.v[k].lanes))
				wm_enter(s, l, f->mark.v[k].source, seed, lane);
		wm_ins(l, &b->ins.v[i], lane);
	}
	if (b->nsucc < 2)
		return b->nsucc ? b->succ[0] : NULL;
	int64_t v = wm_value(l, ins_src(block_term(b), 0));
	return b->nsucc == 2 && block_term(b)->op == OP_BRA ? b->succ[!v] : b->succ[v];
}

/* block NULL: the virtual exit */
typedef struct WmEntry { const Block *block; unsigned mask; int rpc; } WmEntry;

/* The lanes on top have come to a trap: they wait nowhere any more. Returns the depth that is left. */
static inline int wm_trap(WmEntry *stack, int top)
{
	unsigned gone = stack[top - 1].mask;
	for (int i = 0; i < top; i++)
		stack[i].mask &= ~gone;
	while (top && !stack[top - 1].mask)
		top--;
	return top;
}

/* Divides lanes by their next block and updates the stack as rules R1 and R2 of the IPDOM mechanism say;
   returns its depth. */
static inline int wm_branch(const Function *f, WmEntry *stack, int top, const Block **next, int ipdom)
{
	WmEntry t = stack[top - 1];
	unsigned left = t.mask;
	const Block *first = next[__builtin_ctz(t.mask)];
	bool same = true;
	if (op_info[block_term(t.block)->op].flags & OPF_FATAL)
		return wm_trap(stack, top);
	for (int i = 0; i < WM_LANES; i++)
		same &= !(t.mask >> i & 1) || next[i] == first;
	if (same) {
		stack[top - 1].block = first;
		return !first || first->id == t.rpc ? top - 1 : top;
	}
	if (ipdom != t.rpc)
		stack[top - 1].block = ipdom < f->block.n ? f->block.v[ipdom] : NULL;
	else
		top--;
	while (left) {
		const Block *b = next[__builtin_ctz(left)];
		unsigned m = 0;
		for (int i = 0; i < WM_LANES; i++)
			if (left >> i & 1 && next[i] == b)
				m |= 1u << i;
		left &= ~m;
		if (b && b->id != ipdom)
			stack[top++] = (WmEntry){ b, m, ipdom };
	}
	return top;
}

static inline void wm_run(const WmSource *s, Function *f, int lanes, uint64_t seed, WmRun *r)
{
	Arena a = { 0 };
	Dom *p = pdom_build(&a, cfg_build(&a, f), true);
	WmEntry stack[64] = { { f->block.v[0], (1u << lanes) - 1, f->block.n } };
	int top = 1;
	memset(r, 0, sizeof *r);
	if (f->reg.n > WM_REGS)
		abort();
	for (int step = 0; top && step < WM_STEPS; step++) {
		WmEntry *t = &stack[top - 1];
		const Block *b = t->block, *next[WM_LANES] = { 0 };
		if (!b) {
			top--;
			continue;
		}
		bool begins = false;
		r->max_depth = top > r->max_depth ? top : r->max_depth;
		for (int i = 0; i < b->ins.n; i++)
			for (int k = b->ins.v[i].mark; k; k = f->mark.v[k].next)
				if (f->mark.v[k].kind == MARK_BEGINS) {
					r->fetches[f->mark.v[k].source]++;
					begins = true;
				}
		r->guards += !begins;
		for (int i = 0; i < lanes; i++)
			if (t->mask >> i & 1)
				next[i] = wm_step(s, f, &r->lane[i], b, seed, i);
		top = wm_branch(f, stack, top, next, p->idom[b->id]);
		if (top > 60)
			abort();
	}
	r->ended = top == 0;
	arena_free(&a);
}
#endif
