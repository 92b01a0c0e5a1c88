/* Threads that part at a branch may be anywhere between the branch and its post-dominator. A version of a
 * register varies, that is, threads may see different values of it, if it is made from something that varies,
 * if it is a phi where threads that parted may come or meet, or if it is made in a cycle that threads leave
 * at different times. Nothing varies at first; all blocks are visited again and again, and versions that vary
 * are added, until a visit adds none. */
#include "passes/transform/fusion/even.h"

typedef struct Search {
	const Cfg *c;
	const Ssa *ssa;
	const Dom *pdom;
	BitSet varies;                 /* versions that vary */
	BitSet parts;                  /* blocks at whose ends threads may part */
	BitSet apart;                  /* blocks between the end of one of these and its post-dominator */
	bool grid;                     /* threads of different thread blocks are asked about, too */
	bool changed;
} Search;

/* The operand is no special register, or one of which all threads read the same value whenever they read
   it. */
static bool same_for_all(const Search *s, const Opd *o)
{
	if (o->kind != OPD_SREG)
		return true;
	if (s->grid && o->id >= SREG_CTAID_X && o->id <= SREG_CTAID_Z)
		return false;
	return (o->id >= SREG_NTID_X && o->id <= SREG_NCTAID_Z) || o->id == SREG_NWARPID ||
		o->id == SREG_WARP_SZ;
}

static bool is_varying(const Search *s, int block, int ins)
{
	const Ins *i = &s->c->f->block.v[block]->ins.v[ins];
	int kind = op_info[i->op].kind, number = s->ssa->ins_first[block] + ins;
	if (kind != K_ALU && kind != K_BRA && kind != K_BRX &&
		!(kind == K_LD && (i->space == SP_PARAM || i->space == SP_CONST)))
		return true;
	for (int k = 0; k < i->nsrc; k++)
		if (!same_for_all(s, ins_src(i, k)))
			return true;
	for (int u = s->ssa->use_first[number]; u < s->ssa->use_first[number + 1]; u++)
		if (bs_has(s->varies, s->ssa->use[u]))
			return true;
	return false;
}

static void mark_version(Search *s, int version)
{
	s->changed |= !bs_has(s->varies, version);
	bs_add(s->varies, version);
}

/* Adds the blocks to region that threads may come to from the branch before they come to its
   post-dominator. */
static void region_of(const Search *s, int branch, BitSet region)
{
	int end = s->pdom->idom[branch];
	Vec(int) todo = { 0 };
	vec_push(&todo, branch);
	while (todo.n) {
		const Block *b = s->c->f->block.v[vec_pop(&todo)];
		for (int k = 0; k < b->nsucc; k++) {
			int to = b->succ[k]->id;
			if (to == end || bs_has(region, to))
				continue;
			bs_add(region, to);
			vec_push(&todo, to);
		}
	}
	vec_free(&todo);
}

static void mark_block(Search *s, int block, bool all)
{
	const Ssa *ssa = s->ssa;
	for (int k = ssa->phi_first[block]; k < ssa->phi_first[block + 1]; k++)
		mark_version(s, ssa->phi[k].version);
	int first = ssa->ins_first[block], end = first + s->c->f->block.v[block]->ins.n;
	for (int d = ssa->def_first[first]; all && d < ssa->def_first[end]; d++)
		mark_version(s, ssa->def[d]);
}

static void part(Search *s, int branch)
{
	if (bs_has(s->parts, branch))
		return;
	Arena tmp = { 0 };
	BitSet region = bs_new(&tmp, s->c->n);
	bs_add(s->parts, branch);
	region_of(s, branch, region);
	bool turns = bs_has(region, branch);
	bs_union(s->apart, region);
	bs_each(region, b)
		mark_block(s, b, turns);
	if (s->pdom->idom[branch] >= 0 && s->pdom->idom[branch] < s->c->n)
		mark_block(s, s->pdom->idom[branch], false);
	arena_free(&tmp);
}

static void visit(Search *s, int block)
{
	const Ssa *ssa = s->ssa;
	const Block *b = s->c->f->block.v[block];
	for (int k = ssa->phi_first[block]; k < ssa->phi_first[block + 1]; k++)
		for (int a = 0; a < ssa->phi[k].narg; a++)
			if (bs_has(s->varies, ssa->phi[k].arg[a]))
				mark_version(s, ssa->phi[k].version);
	for (int k = 0; k < b->ins.n; k++) {
		int number = ssa->ins_first[block] + k;
		if (!is_varying(s, block, k))
			continue;
		for (int d = ssa->def_first[number]; d < ssa->def_first[number + 1]; d++)
			mark_version(s, ssa->def[d]);
		if (ins_decides(&b->ins.v[k]))
			part(s, block);
	}
}

BitSet even_apart(Arena *a, const Cfg *c, const Dom *pdom, const Ssa *ssa, bool grid)
{
	Arena tmp = { 0 };
	Search s = { .c = c, .ssa = ssa, .pdom = pdom, .grid = grid, .varies = bs_new(&tmp, ssa->n),
		.parts = bs_new(&tmp, c->n), .apart = bs_new(a, c->n), .changed = true };
	while (s.changed) {
		s.changed = false;
		for (int k = 0; k < c->nreach; k++)
			visit(&s, c->rpo[k]->id);
	}
	arena_free(&tmp);
	return s.apart;
}
