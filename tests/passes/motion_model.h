/* One expression on a small graph, for tests of code motion that try everything: where blocks compute it and
 * modify it; as a kernel for the passes, and read back from what they make of it. The graph has no critical
 * edges, every block is reached and leads to the end. */
#ifndef TEST_MOTION_MODEL_H
#define TEST_MOTION_MODEL_H
#include "passes/analysis/analysis.h"
#include "tests/random.h"
#include <stdio.h>

enum { MODEL_BLOCKS = 8, MODEL_POINTS = 2 * MODEL_BLOCKS };

/* Point 2 b is before what block b modifies, 2 b + 1 behind. A block that modifies nothing computes at its
   first point only. */
typedef struct Model {
	int n, nsucc[MODEL_BLOCKS], succ[MODEL_BLOCKS][2];
	bool mod[MODEL_BLOCKS], divergent[MODEL_BLOCKS];
	uint32_t comp;                 /* points at which the program computes it */
} Model;

static inline bool model_has(uint32_t set, int k) { return set >> k & 1; }

static inline int model_preds(const Model *g, int b)
{
	int n = b == 0;
	for (int p = 0; p < g->n; p++)
		for (int k = 0; k < g->nsucc[p]; k++)
			n += g->succ[p][k] == b;
	return n;
}

static inline uint32_t model_reach(const Model *g, int from)
{
	uint32_t seen = 1u << from;
	for (bool more = true; more;) {
		more = false;
		for (int b = 0; b < g->n; b++)
			for (int k = 0; k < g->nsucc[b] && model_has(seen, b); k++)
				if (!model_has(seen, g->succ[b][k])) {
					seen |= 1u << g->succ[b][k];
					more = true;
				}
	}
	return seen;
}

/* Critical edges get blocks while there are some left; false: this is no graph of the kind wanted. */
static inline bool model_split(Model *g)
{
	for (int b = 0; b < g->n; b++)
		for (int k = 0; k < g->nsucc[b]; k++) {
			int s = g->succ[b][k];
			if (g->nsucc[b] < 2 || model_preds(g, s) < 2)
				continue;
			if (g->n == MODEL_BLOCKS)
				return false;
			g->nsucc[g->n] = 1;
			g->succ[g->n][0] = s;
			g->succ[b][k] = g->n++;
		}
	for (int b = 0; b < g->n; b++)
		if (!model_has(model_reach(g, 0), b) || !(model_reach(g, b) & 1u << 1))
			return false;
	return true;
}

/* Block 0 is the entry, block 1 the end. */
static inline Model model_random(uint64_t *rng, bool cycles)
{
	Model g;
	do {
		g = (Model){ .n = 3 + (int)(random_next(rng) % 5) };
		for (int b = 0; b < g.n; b++) {
			g.nsucc[b] = b == 1 ? 0 : 1 + (int)(random_next(rng) % 2);
			for (int k = 0; k < g.nsucc[b]; k++) {
				/* in the order 0, 2, 3, ..., 1 */
				int t = 1 + (int)(random_next(rng) % (uint64_t)(g.n - 1));
				bool back = cycles && random_next(rng) % 2;
				g.succ[b][k] = back || b == 0 || t == 1 || t > b ? t : 1;
			}
			if (g.nsucc[b] == 2 && g.succ[b][0] == g.succ[b][1])
				g.nsucc[b] = 1;
			g.divergent[b] = g.nsucc[b] == 2 && random_next(rng) % 3;
		}
	} while (!model_split(&g));
	for (int b = 0; b < g.n; b++) {
		g.mod[b] = random_next(rng) % 4 == 0;
		g.comp |= random_next(rng) % 3 == 0 ? 1u << 2 * b : 0;
		g.comp |= g.mod[b] && random_next(rng) % 2 ? 2u << 2 * b : 0;
	}
	return g;
}

/* With fewer modifications, and more branches at which threads part. */
static inline void model_calm(Model *g, uint64_t *rng)
{
	for (int b = 0; b < g->n; b++) {
		if (random_next(rng) % 4) {
			g->mod[b] = false;
			g->comp &= ~(2u << 2 * b);
		}
		g->divergent[b] = g->nsucc[b] == 2 && random_next(rng) % 8;
	}
}

/* ---- as a kernel ---- */

static inline void model_compute(Module *m, Function *f, Block *b, int a, int point)
{
	char name[16];
	snprintf(name, sizeof name, "%%d%d", point);
	Ins i = ins_make(m, OP_ADD, T_U32, 1, 2);
	i.opd[0] = opd_reg(function_reg(m, f, arena_strdup(&m->arena, name), T_U32));
	i.opd[1] = opd_reg(a);
	i.opd[2] = opd_imm(5);
	vec_push(&b->ins, i);
}

/* Divergent branches decide by the thread's number, the others by a parameter. */
static inline void model_decide(Module *m, Function *f, Block *b, bool divergent, Block *yes, Block *no)
{
	Ins i = ins_make(m, OP_SETP, T_U32, 1, 2);
	i.cmp = CMP_LT;
	i.opd[0] = opd_reg(function_reg(m, f, NULL, T_PRED));
	i.opd[1] = divergent ? opd_reg(0) : opd_reg(1);
	i.opd[2] = opd_imm(b->id);
	vec_push(&b->ins, i);
	block_branch(m, b, i.opd[0].id, false, yes, no);
}

static inline void model_set(Module *m, Block *b, int reg, Opd value)
{
	Ins i = ins_make(m, OP_MOV, T_U32, 1, 1);
	i.opd[0] = opd_reg(reg);
	i.opd[1] = value;
	vec_push(&b->ins, i);
}

static inline Function *model_kernel(Module *m, const Model *g)
{
	Function *f = function_new(m, FN_KERNEL, "k");
	int tid = function_reg(m, f, "%tid", T_U32), n = function_reg(m, f, "%n", T_U32),
		a = function_reg(m, f, "%a", T_U32);
	for (int b = 0; b < g->n; b++) {
		char name[16];
		snprintf(name, sizeof name, "B%d", b);
		function_block(m, f, arena_strdup(&m->arena, name))->user = true;
	}
	function_number(f);
	for (int b = 0; b < g->n; b++) {
		Block *x = f->block.v[b];
		if (b == 0) {
			model_set(m, x, tid, (Opd){ OPD_SREG, 0, SREG_TID_X, 0 });
			model_set(m, x, n, (Opd){ OPD_SREG, 0, SREG_CTAID_X, 0 });
		}
		if (model_has(g->comp, 2 * b))
			model_compute(m, f, x, a, 2 * b);
		if (g->mod[b])
			model_set(m, x, a, opd_imm(b));
		if (model_has(g->comp, 2 * b + 1))
			model_compute(m, f, x, a, 2 * b + 1);
		if (g->nsucc[b] == 0)
			vec_push(&x->ins, ins_make(m, OP_EXIT, T_NONE, 0, 0));
		else if (g->nsucc[b] == 1)
			block_jump(m, x, f->block.v[g->succ[b][0]]);
		else
			model_decide(m, f, x, g->divergent[b], f->block.v[g->succ[b][0]],
				f->block.v[g->succ[b][1]]);
	}
	function_mark_blocks(m, f);
	return f;
}

/* Where the kernel computes it now; blocks are those of the model. */
static inline uint32_t model_read(const Function *f, const Model *g)
{
	uint32_t comp = 0;
	must(f->block.n == g->n);
	for (int b = 0; b < g->n; b++) {
		bool behind = false;
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i->op == OP_ADD && (behind || !(model_has(g->comp, 2 * b) || g->mod[b])))
				comp |= 2u << 2 * b;    /* in a block that does nothing with it: at its end */
			else if (i->op == OP_ADD)
				comp |= 1u << 2 * b;
			behind |= ins_writes(f, i, 2);
		}
	}
	return comp;
}

/* ---- what can be said of points by definition ---- */

static inline int model_next(const Model *g, int point, int *next)
{
	int b = point / 2;
	if (!(point & 1)) {
		next[0] = point + 1;
		return g->mod[b] ? 0 : 1;
	}
	for (int k = 0; k < g->nsucc[b]; k++)
		next[k] = 2 * g->succ[b][k];
	return g->nsucc[b];
}

/* Points from which some way comes to a computation before a modification. */
static inline uint32_t model_near(const Model *g)
{
	uint32_t near = g->comp;
	for (bool more = true; more;) {
		more = false;
		for (int k = 0; k < 2 * g->n; k++) {
			int next[2], n = model_next(g, k, next);
			for (int i = 0; i < n && !model_has(near, k); i++)
				if (model_has(near, next[i])) {
					near |= 1u << k;
					more = true;
				}
		}
	}
	return near;
}

/* Is one way enough there: a branch whose threads part, if a method speculates? */
typedef bool ModelSpeculates(const Model *, int block);
static inline bool model_nowhere(const Model *g, int block)
{
	(void)g;
	(void)block;
	return false;
}
static inline bool model_at_divergent(const Model *g, int block)
{
	return g->divergent[block] && g->nsucc[block] > 1;
}

/* It leads out of a cycle. */
static inline bool model_leaves(const Model *g, int from, int to)
{
	bool in_cycle = false;
	for (int k = 0; k < g->nsucc[from]; k++)
		in_cycle |= model_has(model_reach(g, g->succ[from][k]), from);
	return in_cycle && !model_has(model_reach(g, to), from);
}

/* Points from which every way comes to a computation before a modification or the end: the greatest such
   set. */
static inline uint32_t model_down_safe_at(const Model *g, ModelSpeculates *speculates)
{
	uint32_t safe = model_near(g);
	for (bool more = true; more;) {
		more = false;
		for (int k = 0; k < 2 * g->n; k++) {
			int next[2], n = model_next(g, k, next);
			bool all = n > 0, any = false, some = k & 1 && speculates(g, k / 2);
			for (int i = 0; i < n; i++) {
				all &= model_has(safe, next[i]);
				any |= model_has(safe, next[i]) && !model_leaves(g, k / 2, next[i] / 2);
			}
			if (!(some ? any : all) && !model_has(g->comp, k) && model_has(safe, k)) {
				safe &= ~(1u << k);
				more = true;
			}
		}
	}
	return safe;
}
static inline uint32_t model_down_safe(const Model *g) { return model_down_safe_at(g, model_nowhere); }

/* With the value computed at these points and kept, the points in front of which some register has it on all
   ways. */
static inline uint32_t model_available(const Model *g, uint32_t computed)
{
	uint32_t has = (1u << 2 * g->n) - 1;
	for (bool more = true; more;) {
		more = false;
		for (int k = 0; k < 2 * g->n; k++) {
			bool all = k & 1 ? !g->mod[k / 2] && (model_has(has, k - 1) ||
				model_has(computed, k - 1)) : k != 0;
			for (int p = 0; p < g->n && !(k & 1); p++)
				for (int i = 0; i < g->nsucc[p]; i++)
					if (g->succ[p][i] == k / 2)
						all &= model_has(has, 2 * p + 1) ||
							model_has(computed, 2 * p + 1);
			if (!all && model_has(has, k)) {
				has &= ~(1u << k);
				more = true;
			}
		}
	}
	return has;
}

/* Computed after code was put at these points: there, and where the program computes and cannot read it. */
static inline uint32_t model_placed(const Model *g, uint32_t inserted)
{
	return inserted | (g->comp & ~model_available(g, inserted | g->comp));
}

/* Points at whose end a value is still wanted from where it is computed, by computations of the program that
   are no longer made. */
static inline int model_lifetime(const Model *g, uint32_t placed)
{
	uint32_t live = 0;
	for (bool more = true; more;) {
		more = false;
		for (int k = 2 * g->n; k-- > 0;) {
			int next[2], n = model_next(g, k, next);
			for (int i = 0; i < n && !model_has(live, k); i++) {
				int t = next[i];
				if (!model_has(placed, t) && (model_has(g->comp, t) || model_has(live, t))) {
					live |= 1u << k;
					more = true;
				}
			}
		}
	}
	return __builtin_popcount(live);
}

/* ---- regions ---- */

/* Points of the region that are entered from outside it; computed is where the value is on all ways. -1: the
   region is not closed (passes/transform/motion/sparse.c). */
static inline int model_entered(const Model *g, uint32_t region, uint32_t may, uint32_t has,
	ModelSpeculates *speculates)
{
	int entered = 0;
	for (int k = 0; k < 2 * g->n; k++) {
		int next[2], n = model_next(g, k, next), inside = 0, outside = 0;
		for (int i = 0; i < n && model_has(region, k) && !model_has(g->comp, k); i++)
			if (!model_has(region, next[i]) && (model_has(may, next[i]) ||
				!(k & 1 && speculates(g, k / 2))))
				return -1;
		if (!model_has(region, k))
			continue;
		for (int p = 0; p < 2 * g->n; p++) {
			n = model_next(g, p, next);
			for (int i = 0; i < n; i++)
				if (next[i] == k && !model_has(has, p))
					*(model_has(region, p) ? &inside : &outside) += 1;
		}
		if (inside && outside)
			return -1;
		entered += outside || k == 0 || (k & 1 && g->mod[k / 2]);
	}
	return entered;
}

/* The fewest of all closed regions of points that are down-safe and not up-safe, with all that compute it. */
static inline int model_fewest(const Model *g, ModelSpeculates *speculates)
{
	uint32_t has = model_available(g, g->comp), may = model_down_safe_at(g, speculates) & ~has,
		rest = may & ~g->comp;
	int best = INT32_MAX;
	for (uint32_t set = rest;; set = (set - 1) & rest) {
		int n = model_entered(g, set | g->comp, may, has, speculates);
		if (n >= 0 && n < best)
			best = n;
		if (!set)
			return best;
	}
}

/* ---- paths ---- */

enum { MODEL_PATHS = 400, MODEL_LONGEST = 2 * MODEL_BLOCKS };
typedef struct ModelPaths { int n, length[MODEL_PATHS], block[MODEL_PATHS][MODEL_LONGEST]; } ModelPaths;

static inline void model_walk(const Model *g, ModelPaths *p, int *path, int n, int *visits)
{
	int b = path[n - 1];
	if (b == 1 && p->n < MODEL_PATHS) {
		memcpy(p->block[p->n], path, sizeof *path * (size_t)n);
		p->length[p->n++] = n;
	}
	for (int k = 0; k < g->nsucc[b]; k++) {
		int s = g->succ[b][k];
		if (visits[s] == 2 || n == MODEL_LONGEST)
			continue;
		visits[s]++;
		path[n] = s;
		model_walk(g, p, path, n + 1, visits);
		visits[s]--;
	}
}

/* From the entry to the end, with at most two visits of each block. */
static inline void model_paths(const Model *g, ModelPaths *p)
{
	int path[MODEL_LONGEST + 1] = { 0 }, visits[MODEL_BLOCKS] = { 1 };
	p->n = 0;
	model_walk(g, p, path, 1, visits);
}

static inline bool model_turns(const ModelPaths *p)
{
	for (int k = 0; k < p->n; k++) {
		uint32_t seen = 0;
		for (int i = 0; i < p->length[k]; i++) {
			if (model_has(seen, p->block[k][i]))
				return true;
			seen |= 1u << p->block[k][i];
		}
	}
	return false;
}

static inline int model_cost(const ModelPaths *p, int path, uint32_t placed)
{
	int n = 0;
	for (int k = 0; k < p->length[path]; k++)
		n += model_has(placed, 2 * p->block[path][k]) + model_has(placed, 2 * p->block[path][k] + 1);
	return n;
}

/* Along the path, every register that the program computes has what it has to have. */
static inline bool model_right(const Function *f, const ModelPaths *p, int path)
{
	int value[256] = { 0 }, version = 0;
	must(f->reg.n < 256);
	for (int k = 0; k < p->length[path]; k++) {
		const Block *b = f->block.v[p->block[path][k]];
		for (int j = 0; j < b->ins.n; j++) {
			const Ins *i = &b->ins.v[j];
			int d = i->ndst ? ins_dst(i, 0)->id : 0;
			if (i->ndst && d == 2)
				version++;
			else if (i->op == OP_ADD)
				value[d] = version + 1;
			else if (i->op == OP_MOV && ins_src(i, 0)->kind == OPD_REG)
				value[d] = value[ins_src(i, 0)->id];
			if (i->ndst && !strncmp(f->reg.v[d].name, "%d", 2) && value[d] != version + 1)
				return false;
		}
	}
	return true;
}

/* ---- warps ---- */

/* Blocks that every way from this one comes to. */
static inline uint32_t model_post(const Model *g, int from)
{
	uint32_t post = 0;
	for (int b = 0; b < g->n; b++) {
		Model cut = *g;
		cut.nsucc[b] = 0;
		post |= b == from || !(model_reach(&cut, from) & 2u) || b == 1 ? 1u << b : 0;
	}
	return post;
}

/* On a graph without cycles: how often a warp computes whose threads take both sides of every divergent
   branch and, at each other one, the side that `sides` says; from this block up to where it stops, where they
   meet. */
static inline int model_warp(const Model *g, int b, int stop, uint32_t sides, uint32_t placed)
{
	int n = 0;
	while (b != stop) {
		n += model_has(placed, 2 * b) + model_has(placed, 2 * b + 1);
		if (b == 1)
			return n;
		int meet = g->succ[b][g->nsucc[b] > 1 && !g->divergent[b] ? model_has(sides, b) : 0];
		if (g->nsucc[b] > 1 && g->divergent[b]) {
			uint32_t post = model_post(g, b) & ~(1u << b);
			/* the first of these is the one that all of them post-dominate */
			for (int m = 0; m < g->n; m++)
				if (model_has(post, m) && (model_post(g, m) & post) == post)
					meet = m;
			n += model_warp(g, g->succ[b][0], meet, sides, placed) +
				model_warp(g, g->succ[b][1], meet, sides, placed);
		}
		b = meet;
	}
	return n;
}
#endif
