/* Uniformity on the SSA overlay. A version is divergent when lanes of the scope that execute together may see
 * different values of it:
 *
 *   - by its operands, or by a guard that holds for some lanes only;
 *   - by sync dependence: it is a phi where two ways from a divergent branch meet (uniformity_joins.c);
 *   - by temporal divergence: it is written in a cycle that lanes leave in different iterations, and used
 *     outside; or it changes from one iteration to the next, and lanes of different iterations meet inside
 *     the cycle (uniformity_cycles.c; uniformity_meet.c says where they do);
 *   - as the result of a warp-level operation, which depends on which lanes execute it together: where lanes
 *     come to the operation by turns and meet later.
 *
 * A version that becomes divergent is put on a list, and the instructions that read it are looked at again,
 * until the list is empty. */
#include "passes/analysis/uniformity_own.h"
#include "passes/constants.h"
#include "lib/diag.h"

/* ---- values ---- */

/* One instruction. use: place in ssa->use of the first register that it reads; nuse: how many it reads. The
   guard comes first, where there is one, then the sources' registers and the carry flag. */
typedef struct Here { const Uni *u; const Ins *i; int use, nuse; } Here;

static bool use_divergent(const Uni *u, int use) { return u->use[use] || u->r->version[u->ssa->use[use]]; }

static bool guard_divergent(const Here *h) { return h->i->guard >= 0 && use_divergent(h->u, h->use); }

/* May an operand that is no register differ? A special register may. So may the address of a variable in a
   device function when lanes of different calls meet: each call may have another place for its local
   variables. */
static bool special_divergent(const Uni *u, const Opd *o)
{
	return o->kind == OPD_SREG ? u->r->sreg[o->id]
		: o->kind == OPD_SYM && u->options.anywhere && u->c->f->kind == FN_DEVICE;
}

static bool source_divergent(const Here *h, int k)
{
	const Opd *o = ins_src(h->i, k);
	int at = h->use + (h->i->guard >= 0);
	if (o->kind != OPD_REG)
		return special_divergent(h->u, o);
	for (int j = 0; j < k; j++)
		at += ins_src(h->i, j)->kind == OPD_REG;
	return use_divergent(h->u, at);
}

static bool sources_divergent(const Here *h)
{
	for (int k = 0; k < h->i->nsrc; k++)
		if (special_divergent(h->u, ins_src(h->i, k)))
			return true;
	for (int k = h->i->guard >= 0; k < h->nuse; k++)
		if (use_divergent(h->u, h->use + k))
			return true;
	return false;
}

/* A load from one address gives one value when nothing can change the memory between the turns in which
   threads execute it. */
static bool load_divergent(const Here *h)
{
	const Uni *u = h->u;
	const Ins *i = h->i;
	if (sources_divergent(h) || i->space == SP_LOCAL || i->sem >= SEM_VOLATILE)
		return true;
	if (i->space == SP_PARAM || i->space == SP_CONST || i->cop == COP_NC)
		return false;
	if (i->space == SP_GENERIC || (i->space == SP_SHARED && u->options.scope == UNI_GRID))
		return true;
	return !u->options.loads && (u->stores[i->space] || u->stores[SP_GENERIC]);
}

/* All threads of a block get one result of a barrier; if it waits for a number of them, those who come
   together. */
static bool barrier_divergent(const Here *h)
{
	const Ins *i = h->i;
	bool counted = i->nsrc - (i->op == OP_BARRED) > 1 && ins_src(i, 1)->kind != OPD_NONE;
	return h->u->options.scope == UNI_GRID || (counted && h->u->apart);
}

static bool result_divergent(const Here *h, int dst)
{
	const Ins *i = h->i;
	bool apart = h->u->apart;
	switch (op_info[i->op].kind) {
	case K_ALU: return sources_divergent(h);
	case K_LD: return load_divergent(h);
	case K_VOTE: case K_REDUX: return apart || (i->nsrc > 1 && source_divergent(h, i->nsrc - 1));
	case K_BAR: return barrier_divergent(h);
	case K_MATCH: return apart || i->mode != MODE_ALL || sources_divergent(h);
	case K_ELECT: return apart || dst > 0 || sources_divergent(h);
	default: return true;
	}
}

void uni_mark(Uni *u, int version, UniCauseKind why, int branch)
{
	if (u->r->version[version])
		return;
	u->r->version[version] = true;
	u->r->cause[version] = (UniCause){ (uint8_t)why, branch };
	vec_push(&u->todo, version);
}

static bool counts_as_branch(const Uni *u, const Block *b)
{
	return b->nsucc >= 2 && !(block_term(b)->flags & INSF_UNI && u->options.scope == UNI_WARP);
}

/* Decides whether the results of instruction k of the block differ, and whether its branch parts lanes;
   called again when something about its sources has changed. */
void uni_evaluate(Uni *u, int block, int k)
{
	const Ssa *s = u->ssa;
	const Block *b = u->c->f->block.v[block];
	int at = s->ins_first[block] + k, dst = 0;
	Here h = { u, &b->ins.v[k], s->use_first[at], s->use_first[at + 1] - s->use_first[at] };
	for (int d = s->def_first[at]; d < s->def_first[at + 1]; d++, dst++) {
		while (dst < h.i->ndst && ins_dst(h.i, dst)->kind != OPD_REG)
			dst++;
		if (guard_divergent(&h) || result_divergent(&h, dst))
			uni_mark(u, s->def[d], UNI_VALUE, -1);
	}
	if (k == b->ins.n - 1 && !u->r->divergent[block] && counts_as_branch(u, b) && sources_divergent(&h)) {
		u->r->divergent[block] = true;
		vec_push(&u->branch, block);
	}
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

static void mark_entry_values(Uni *u)
{
	const Function *f = u->c->f;
	for (int k = 0; k < f->arg.n; k++) /* what callers give is not known */
		if (u->ssa->entry[f->arg.v[k]] >= 0)
			uni_mark(u, u->ssa->entry[f->arg.v[k]], UNI_VALUE, -1);
	if (f->kind == FN_DEVICE && u->ssa->entry[function_carry(f)] >= 0)
		uni_mark(u, u->ssa->entry[function_carry(f)], UNI_VALUE, -1);
	for (int i = 0; i < u->c->nreach; i++)
		for (int k = 0; k < u->c->rpo[i]->ins.n; k++)
			uni_evaluate(u, u->c->rpo[i]->id, k);
}

static void pass_on(Uni *u, int v)
{
	const Reaching *r = u->reads;
	for (int k = r->read_first[v]; k < r->read_first[v + 1]; k++)
		uni_evaluate(u, r->read[k].block, r->read[k].ins);
	for (int k = r->into_first[v]; k < r->into_first[v + 1]; k++)
		uni_mark(u, r->into[k], UNI_VALUE, -1);
}

static void solve_uniformity(Uni *u)
{
	int64_t budget = (u->options.steps ? u->options.steps : JOIN_STEPS) * (int64_t)(u->c->nreach + 64);
	mark_entry_values(u);
	for (int l = 0; u->options.anywhere && l < u->c->nest->nloop; l++) {
		uni_mix(u, l, -1);
		u->left[l] = true;
		uni_leave(u, l, false, -1);
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
				uni_carry_names(u, b, uni_part(u, b) ? point : -1);
			} else {
				uni_part_all(u, b);
				vec_push(&u->large, b);
			}
		}
		if (u->done < u->large.n)
			uni_join_large(u);
	} while (u->todo.n || u->branch.n);
}

/* Fills in regs: a register may differ if some version or use of it does. */
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

static void find_parts(const Uni *u)
{
	const Function *f = u->c->f;
	for (int b = 0; b < u->c->n; b++) {
		int on = 0;
		for (int k = 0; k < f->block.v[b]->nsucc; k++)
			on += !block_only_ends(f, f->block.v[b]->succ[k]);
		u->r->parts[b] = u->r->divergent[b] && on > 1;
	}
}

Uniformity *uniformity_solve(Arena *a, const Cfg *c, const Dom *dom, const Dom *pdom, const Ssa *s,
	const Reaching *reads, UniformityOptions options)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	const int uses = s->use_first[s->nins];
	Uniformity *r = arena_new(a, Uniformity);
	*r = (Uniformity){ .options = options, .divergent = arena_array(a, bool, c->n + 1),
		.parts = arena_array(a, bool, c->n + 1), .regs = bs_new(a, c->f->reg.n), .ssa = s,
		.version = arena_array(a, bool, s->n + 1), .use = arena_array(a, bool, uses + 1),
		.cause = arena_array(a, UniCause, s->n + 1), .left = arena_array(a, int, uses + 1) };
	Uni u = { .arena = &tmp, .nbound = -1, .c = c, .options = options, .ssa = s, .reads = reads,
		.dom = dom, .pdom = pdom, .r = r, .use = r->use };
	uni_find_scope(&u);
	uni_find_rest(&u);
	u.name = arena_array(&tmp, int, c->n + 1);
	u.stamp = arena_array(&tmp, int, c->n + 2);
	u.region = arena_array(&tmp, int, c->n + 2);
	u.heap = arena_array(&tmp, int, c->n + 1);
	u.waits = arena_array(&tmp, bool, c->n + 1);
	uni_number_cycles(&u, &tmp);
	find_stores(&u);
	solve_uniformity(&u);
	sum_registers(&u);
	find_parts(&u);
	vec_free(&u.todo);
	vec_free(&u.branch);
	vec_free(&u.large);
	arena_free(&tmp);
	return r;
}

Uniformity *uniformity_build_for(Arena *a, const Cfg *c, UniformityOptions options)
{
	Dom *dom = dom_build(a, c);
	Ssa *s = ssa_build(a, c, dom);
	return uniformity_solve(a, c, dom, pdom_build(a, c, true), s, reaching_build(a, c, s), options);
}

Uniformity *uniformity_build(Arena *a, const Cfg *c, int64_t warp_size)
{
	return uniformity_build_for(a, c, (UniformityOptions){ .warp_size = warp_size });
}
