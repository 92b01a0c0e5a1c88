#include "passes/analysis/ssa.h"
#include "lib/diag.h"

typedef struct SsaBuild {
	const Cfg *c;
	const Dom *dom;
	LiveRange *live;
	DomFrontier *frontier;
	Arena *arena;
	Ssa *s;
	Vec(SsaVersion) version;
	int *now;                  /* by register: its version at the present place; -1: that of the entry */
	struct { int reg, version; } *undo;
	int nundo, capundo;
	int at;                    /* the next place to fill in Ssa.use or Ssa.def */
	int block, ins;
} SsaBuild;

/* ---- where phis stand ---- */

typedef struct DefPlace { int reg, block; } DefPlace;
typedef struct DefPlaces { const LiveRange *l; int *last, block; Vec(DefPlace) def; } DefPlaces;

static void note_def_place(void *self, int reg)
{
	DefPlaces *p = self;
	if (p->l->bit[reg] < 0 || p->last[reg] == p->block + 1)
		return;
	p->last[reg] = p->block + 1;
	vec_push(&p->def, ((DefPlace){ reg, p->block }));
}

static bool lives_there(void *self, int block)
{
	const LiveRange *l = ((SsaBuild *)self)->live;
	return l->starts[block] == l->stamp;
}

/* Returns the blocks in which registers are written: those of the register with number `bit` from start[bit]
   up to, not including, start[bit + 1]. */
static int *definitions(SsaBuild *x, Arena *tmp, int *start)
{
	DefPlaces p = { .l = x->live, .last = arena_array(tmp, int, function_values(x->c->f) + 1) };
	for (int i = 0; i < x->c->nreach; i++) {
		const Block *b = x->c->rpo[i];
		p.block = b->id;
		for (int k = 0; k < b->ins.n; k++)
			ins_defs(x->c->f, &b->ins.v[k], note_def_place, &p);
	}
	int *block = arena_array(tmp, int, p.def.n + 1);
	for (int k = 0; k < p.def.n; k++)
		start[x->live->bit[p.def.v[k].reg] + 2]++;
	for (int k = 0; k < x->live->n; k++)
		start[k + 1] += start[k];
	for (int k = 0; k < p.def.n; k++)
		block[start[x->live->bit[p.def.v[k].reg] + 1]++] = p.def.v[k].block;
	vec_free(&p.def);
	return block;
}

static int add_version(SsaBuild *x, int reg, int block, int ins, int old)
{
	vec_push(&x->version, ((SsaVersion){ reg, block, ins, old, -1 }));
	return x->version.n - 1;
}

/* Needs the register, which is written in n blocks, no phi? Yes when it is written in none, or in one block
   alone, for certain, which strictly dominates all blocks that read a value from before them. */
static bool needs_no_phi(const SsaBuild *x, int bit, const int *block, int n)
{
	const LiveRange *l = x->live;
	if (n > 1 || (n && l->kill[bit] < 0))
		return false;
	for (int k = l->read[bit]; n && k >= 0; k = l->place[k].next)
		if (l->place[k].block == block[0] || !dom_dominates(x->dom, block[0], l->place[k].block))
			return false;
	return true;
}

static void place_phis(SsaBuild *x)
{
	Arena tmp = { 0 };
	const Cfg *c = x->c;
	int *start = arena_array(&tmp, int, x->live->n + 3), *block = definitions(x, &tmp, start),
		*found = arena_array(&tmp, int, c->n + 1);
	Vec(DefPlace) all = { 0 };
	x->frontier->wanted = lives_there;
	x->frontier->self = x;
	for (int bit = 0; bit < x->live->n; bit++) {
		if (needs_no_phi(x, bit, block + start[bit], start[bit + 1] - start[bit]))
			continue;
		live_range_of(x->live, bit);
		for (int k = start[bit]; k < start[bit + 1]; k++)
			frontier_add(x->frontier, block[k]);
		int n = frontier_find(x->frontier, found);
		for (int k = 0; k < n; k++)
			vec_push(&all, ((DefPlace){ x->live->reg[bit], found[k] }));
	}
	int *first = x->s->phi_first = arena_array(x->arena, int, c->n + 2);
	x->s->phi = arena_array(x->arena, SsaPhi, all.n + 1);
	for (int k = 0; k < all.n; k++)
		first[all.v[k].block + 2]++;
	for (int b = 0; b < c->n; b++)
		first[b + 1] += first[b];
	for (int k = 0; k < all.n; k++) {
		int b = all.v[k].block, narg = c->graph->pred[b].n + (b == 0), at = first[b + 1]++,
			v = add_version(x, all.v[k].reg, b, SSA_PHI, -1);
		x->version.v[v].phi = at;
		x->s->phi[at] = (SsaPhi){ v, narg, arena_array(x->arena, int, narg) };
	}
	vec_free(&all);
	arena_free(&tmp);
}

/* ---- which version each operand has ---- */

static int read_version(SsaBuild *x, int reg)
{
	if (x->now[reg] >= 0)
		return x->now[reg];
	if (x->s->entry[reg] < 0)
		x->s->entry[reg] = add_version(x, reg, 0, SSA_ENTRY, -1);
	return x->s->entry[reg];
}

static void set_version(SsaBuild *x, int reg, int version)
{
	if (x->nundo == x->capundo) {
		x->capundo = x->capundo ? 2 * x->capundo : 64;
		x->undo = xrealloc(x->undo, sizeof *x->undo * (size_t)x->capundo);
	}
	x->undo[x->nundo].reg = reg;
	x->undo[x->nundo++].version = x->now[reg];
	x->now[reg] = version;
}

static void read_use(void *self, int reg)
{
	SsaBuild *x = self;
	x->s->use[x->at++] = read_version(x, reg);
}

static void write_def(void *self, int reg)
{
	SsaBuild *x = self;
	const Ins *i = &x->c->f->block.v[x->block]->ins.v[x->ins];
	int old = ins_kills(x->c->f, i, reg) ? -1 : read_version(x, reg),
		version = add_version(x, reg, x->block, x->ins, old);
	x->s->def[x->at++] = version;
	set_version(x, reg, version);
}

static void rename_block_versions(SsaBuild *x, int b)
{
	Ssa *s = x->s;
	const Function *f = x->c->f;
	const Block *blk = f->block.v[b];
	x->block = b;
	for (int k = s->phi_first[b]; k < s->phi_first[b + 1]; k++)
		set_version(x, x->version.v[s->phi[k].version].reg, s->phi[k].version);
	for (x->ins = 0; x->ins < blk->ins.n; x->ins++) {
		const Ins *i = &blk->ins.v[x->ins];
		x->at = s->use_first[s->ins_first[b] + x->ins];
		ins_uses(f, i, read_use, x);
		x->at = s->def_first[s->ins_first[b] + x->ins];
		ins_defs(f, i, write_def, x);
	}
	const IntList *to = &x->c->graph->succ[b];
	for (int e = 0; e < to->n; e++)
		for (int k = s->phi_first[to->v[e]]; k < s->phi_first[to->v[e] + 1]; k++)
			s->phi[k].arg[s->edge[s->edge_first[b] + e]] =
				read_version(x, x->version.v[s->phi[k].version].reg);
}

/* Goes down the dominator tree; a version that a block has written holds in the blocks below alone. */
static void rename_all(SsaBuild *x, Arena *tmp)
{
	const Cfg *c = x->c;
	int *stack = arena_array(tmp, int, c->n + 1), *mark = arena_array(tmp, int, c->n + 1),
		*next = arena_array(tmp, int, c->n + 1), top = 0;
	for (int k = x->s->phi_first[0]; k < x->s->phi_first[1]; k++)
		x->s->phi[k].arg[x->s->phi[k].narg - 1] = read_version(x,
			x->version.v[x->s->phi[k].version].reg);
	for (int b = 0; b <= c->n; b++)
		next[b] = -1;
	stack[top++] = 0;
	while (top) {
		int b = stack[top - 1];
		if (next[b] < 0) {
			mark[b] = x->nundo;
			next[b] = x->frontier->child_first[b];
			rename_block_versions(x, b);
		}
		if (next[b] < x->frontier->child_first[b + 1]) {
			stack[top++] = x->frontier->child[next[b]++];
			continue;
		}
		for (; x->nundo > mark[b]; x->nundo--)
			x->now[x->undo[x->nundo - 1].reg] = x->undo[x->nundo - 1].version;
		top--;
	}
}

/* ---- numbers ---- */

static void count_one(void *self, int reg) { ++*(int *)self; }

static void number_instructions(SsaBuild *x)
{
	const Cfg *c = x->c;
	Ssa *s = x->s;
	int nuse = 0, ndef = 0;
	s->ins_first = arena_array(x->arena, int, c->n + 1);
	for (int i = 0; i < c->nreach; i++) {
		s->ins_first[c->rpo[i]->id] = s->nins;
		s->nins += c->rpo[i]->ins.n;
	}
	s->use_first = arena_array(x->arena, int, s->nins + 1);
	s->def_first = arena_array(x->arena, int, s->nins + 1);
	for (int i = 0, at = 0; i < c->nreach; i++)
		for (int k = 0; k < c->rpo[i]->ins.n; k++, at++) {
			const Ins *ins = &c->rpo[i]->ins.v[k];
			s->use_first[at] = nuse;
			s->def_first[at] = ndef;
			ins_uses(c->f, ins, count_one, &nuse);
			ins_defs(c->f, ins, count_one, &ndef);
		}
	s->use_first[s->nins] = nuse;
	s->def_first[s->nins] = ndef;
	s->use = arena_array(x->arena, int, nuse + 1);
	s->def = arena_array(x->arena, int, ndef + 1);
}

/* Fills in Ssa.edge. Predecessors stand in the order of their numbers, each once (cfg_build). */
static void number_ssa_edges(SsaBuild *x, Arena *tmp)
{
	const Graph *g = x->c->graph;
	int *n = arena_array(tmp, int, g->n + 1), edges = 0;
	Ssa *s = x->s;
	s->edge_first = arena_array(x->arena, int, g->n + 1);
	for (int b = 0; b < g->n; b++)
		edges += g->succ[b].n;
	s->edge = arena_array(x->arena, int, edges + 1);
	edges = 0;
	for (int b = 0; b < g->n; b++) {
		s->edge_first[b] = edges;
		for (int k = 0; k < g->succ[b].n; k++) {
			int to = g->succ[b].v[k];
			must(g->pred[to].v[n[to]] == b);
			s->edge[edges++] = n[to]++;
		}
	}
	s->edge_first[g->n] = edges;
}

static void find_only(SsaBuild *x, Arena *tmp, int nreg)
{
	BitSet seen = bs_new(tmp, nreg + 1);
	x->s->only = arena_array(x->arena, int, nreg + 1);
	for (int r = 0; r < nreg; r++)
		x->s->only[r] = -1;
	for (int v = 0; v < x->s->n; v++) {
		int r = x->s->version[v].reg;
		x->s->only[r] = bs_has(seen, r) ? -1 : v;
		bs_add(seen, r);
	}
}

Ssa *ssa_build(Arena *a, const Cfg *c, const Dom *dom)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	int nreg = function_values(c->f);
	SsaBuild x = { .c = c, .dom = dom, .live = live_range(&tmp, c),
		.frontier = frontier_new(&tmp, c->graph, dom), .arena = a, .s = arena_new(a, Ssa) };
	x.now = arena_array(&tmp, int, nreg + 1);
	x.s->entry = arena_array(a, int, nreg + 1);
	for (int r = 0; r < nreg; r++)
		x.now[r] = x.s->entry[r] = -1;
	number_instructions(&x);
	number_ssa_edges(&x, &tmp);
	place_phis(&x);
	rename_all(&x, &tmp);
	x.s->n = x.version.n;
	x.s->version = arena_array(a, SsaVersion, x.version.n + 1);
	if (x.version.n)
		memcpy(x.s->version, x.version.v, sizeof *x.s->version * (size_t)x.version.n);
	vec_free(&x.version);
	free(x.undo);
	find_only(&x, &tmp, nreg);
	arena_free(&tmp);
	return x.s;
}
