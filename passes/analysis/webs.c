#include "passes/analysis/reaching.h"
#include "lib/diag.h"

static int root(int *up, int v)
{
	while (up[v] != v)
		v = up[v] = up[up[v]];
	return v;
}

static void unite_webs(int *up, int a, int b)
{
	a = root(up, a);
	b = root(up, b);
	up[a > b ? a : b] = a > b ? b : a;
}

/* Where a return reads a result from the result's own register, no move is needed: all versions that returns
   read in this way are one web, which keeps the register. */
static void unite_results(const Cfg *c, const Ssa *s, int *up, bool *fixed)
{
	Arena tmp = { 0 };
	const Function *f = c->f;
	int *one = arena_array(&tmp, int, f->ret.n + 1);
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		const Ins *ret = block_term(b);
		for (int k = 0; ret->op == OP_RET && k < f->ret.n; k++) {
			if (ins_src(ret, k)->id != f->ret.v[k])
				continue;
			int v = ssa_src(s, ret, b->id, b->ins.n - 1, k);
			if (one[k])
				unite_webs(up, one[k] - 1, v);
			one[k] = v + 1;
			fixed[v] = true;
		}
	}
	for (int k = 0; k < f->arg.n; k++)
		if (s->entry[f->arg.v[k]] >= 0)
			fixed[s->entry[f->arg.v[k]]] = true;
	arena_free(&tmp);
}

Webs *webs_build(Arena *a, const Cfg *c, const Ssa *s)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	Webs *w = arena_new(a, Webs);
	int *up = arena_array(&tmp, int, s->n + 1);
	bool *used = ssa_used(&tmp, s), *fixed = arena_array(&tmp, bool, s->n + 1);
	for (int v = 0; v < s->n; v++)
		up[v] = v;
	for (int v = 0; v < s->n; v++) {
		const SsaVersion *x = &s->version[v];
		if (used[v] && x->old >= 0)
			unite_webs(up, v, x->old);
		for (int k = 0; used[v] && x->phi >= 0 && k < s->phi[x->phi].narg; k++)
			unite_webs(up, v, s->phi[x->phi].arg[k]);
	}
	unite_results(c, s, up, fixed);
	w->of = arena_array(a, int, s->n + 1);
	w->reg = arena_array(a, int, s->n + 1);
	w->fixed = arena_array(a, bool, s->n + 1);
	for (int v = 0; v < s->n; v++) { /* a root is the smallest version of its web */
		int r = root(up, v);
		if (s->version[v].ins == SSA_ENTRY && !used[v]) {
			w->of[v] = -1;
			continue;
		}
		w->of[v] = r == v ? w->n++ : w->of[r];
		w->reg[w->of[v]] = s->version[v].reg;
		w->fixed[w->of[v]] |= fixed[v];
	}
	arena_free(&tmp);
	return w;
}

void webs_print(const Cfg *c, const Webs *w, StrBuf *out)
{
	Arena tmp = { 0 };
	int *n = arena_array(&tmp, int, function_values(c->f) + 1);
	for (int k = 0; k < w->n; k++)
		n[w->reg[k]]++;
	for (int r = 0; r < function_values(c->f); r++)
		if (n[r])
			sb_printf(out, "  %s: %d\n", function_value_name(c->f, r), n[r]);
	arena_free(&tmp);
}
