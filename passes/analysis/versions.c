#include "passes/analysis/versions.h"

/* ---- building ---- */

static bool is_above(const Versions *v, int version, int block)
{
	return dom_dominates(v->dom, v->ssa->version[version].block, block);
}

/* Puts the version at the end of its register's list. */
static void append(Versions *v, int *end, int version)
{
	int reg = v->ssa->version[version].reg, at = end[reg]++, up = at > v->first[reg] ? at - 1 : -1;
	while (up >= 0 && !is_above(v, v->sorted[up], v->ssa->version[version].block))
		up = v->up[up];
	v->sorted[at] = version;
	v->up[at] = up;
}

static void append_block(Versions *v, int *end, const Block *b)
{
	const Ssa *s = v->ssa;
	int first = s->ins_first[b->id];
	for (int k = s->phi_first[b->id]; k < s->phi_first[b->id + 1]; k++)
		append(v, end, s->phi[k].version);
	for (int d = s->def_first[first]; d < s->def_first[first + b->ins.n]; d++)
		append(v, end, s->def[d]);
}

Versions *versions_build(Arena *a, const Cfg *c, const Dom *dom, const Ssa *ssa, const Liveness *live)
{
	must(cfg_fresh(c));
	Versions *v = arena_new(a, Versions);
	Arena tmp = { 0 };
	int nreg = function_values(c->f), *end = arena_array(&tmp, int, nreg + 1);
	Block **walk = arena_array(&tmp, Block *, c->n + 1);
	*v = (Versions){ .c = c, .dom = dom, .ssa = ssa, .live = live, .first = arena_array(a, int, nreg + 1),
		.sorted = arena_array(a, int, ssa->n + 1), .up = arena_array(a, int, ssa->n + 1) };
	for (int k = 0; k < ssa->n; k++)
		v->first[ssa->version[k].reg + 1]++;
	for (int r = 0; r < nreg; r++)
		end[r + 1] = v->first[r + 1] += v->first[r];
	for (int r = 0; r < nreg; r++)
		if (ssa->entry[r] >= 0)
			append(v, end, ssa->entry[r]);
	for (int k = 0; k < c->nreach; k++)
		walk[dom->first[c->rpo[k]->id]] = c->rpo[k];
	for (int k = 0; k < c->n; k++)
		if (walk[k])
			append_block(v, end, walk[k]);
	arena_free(&tmp);
	return v;
}

/* ---- registers that somebody reads ---- */

typedef struct RegLookup { int reg; bool found; } RegLookup;

static void look_for_reg(void *self, int reg)
{
	((RegLookup *)self)->found |= ((RegLookup *)self)->reg == reg;
}

static bool lives(const Versions *v, int reg, int block, int ins)
{
	const Function *f = v->c->f;
	const Block *b = f->block.v[block];
	for (int k = ins; k < b->ins.n; k++) {
		RegLookup u = { reg, false };
		ins_uses(f, &b->ins.v[k], look_for_reg, &u);
		if (u.found)
			return true;
		if (ins_writes(f, &b->ins.v[k], reg) && ins_kills(f, &b->ins.v[k], reg))
			return false;
	}
	return live_has(v->live, v->live->out[block], reg);
}

/* Is the version written in front of the place, as the walk through the tree goes? */
static bool in_front(const Versions *v, int version, int block, int ins)
{
	const SsaVersion *x = &v->ssa->version[version];
	return x->block == block ? x->ins < ins : v->dom->first[x->block] < v->dom->first[block];
}

int version_at(const Versions *v, int reg, int block, int ins)
{
	int lo = v->first[reg], hi = v->first[reg + 1], at;
	if (!lives(v, reg, block, ins))
		return -1;
	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;
		if (in_front(v, v->sorted[mid], block, ins))
			lo = mid + 1;
		else
			hi = mid;
	}
	at = lo > v->first[reg] ? lo - 1 : -1;
	while (at >= 0 && !is_above(v, v->sorted[at], block))
		at = v->up[at];
	return at < 0 ? -1 : v->sorted[at];
}

/* ---- registers that nobody may read ---- */

enum { NO_VERSION = -1, SEVERAL = -2 };

/* The register's last version that the block makes in front of the instruction; NO_VERSION: it makes none. */
static int made_above(const Cfg *c, const Ssa *ssa, int reg, int block, int ins)
{
	const Block *b = c->f->block.v[block];
	int only = ssa->only[reg];
	if (only >= 0)
		return ssa->version[only].block == block && ssa->version[only].ins >= 0 &&
			ssa->version[only].ins < ins ? only : NO_VERSION;
	for (int k = ins - 1; k >= 0; k--) {
		if (!ins_writes(c->f, &b->ins.v[k], reg))
			continue;
		int number = ssa->ins_first[block] + k;
		for (int d = ssa->def_first[number + 1]; d-- > ssa->def_first[number];)
			if (ssa->version[ssa->def[d]].reg == reg)
				return ssa->def[d];
	}
	for (int k = ssa->phi_first[block]; k < ssa->phi_first[block + 1]; k++)
		if (ssa->version[ssa->phi[k].version].reg == reg)
			return ssa->phi[k].version;
	return NO_VERSION;
}

int version_on_ways(const Cfg *c, const Ssa *ssa, int reg, int block, int ins)
{
	Arena tmp = { 0 };
	BitSet seen = bs_new(&tmp, c->n);
	int *todo = arena_array(&tmp, int, c->n + 1), n = 0, found = NO_VERSION;
	for (;;) {
		int version = made_above(c, ssa, reg, block, ins);
		if (version != NO_VERSION)
			found = found == NO_VERSION || found == version ? version : SEVERAL;
		else if (block == c->rpo[0]->id)
			found = SEVERAL;
		for (int k = 0; version == NO_VERSION && k < c->npred[block]; k++) {
			int b = c->pred[block][k]->id;
			if (!bs_has(seen, b))
				todo[n++] = b;
			bs_add(seen, b);
		}
		if (!n || found == SEVERAL)
			break;
		block = todo[--n];
		ins = c->f->block.v[block]->ins.n;
	}
	arena_free(&tmp);
	return found == SEVERAL ? -1 : found;
}
