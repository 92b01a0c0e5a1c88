/* Which functions a kernel needs, which of them are recursive, and where each one's window of registers begins. */
#include "sim/lower/lower.h"

static void collect(Lower *w, Function *f)
{
	if (w->of[f->id])
		return;
	LowerFn *l = arena_new(&w->arena, LowerFn);
	*l = (LowerFn){ .code = w->code, .module = w->m, .f = f, .config = w->config, .arena = &w->arena, .scc = -1 };
	w->of[f->id] = l;
	vec_push(&w->order, l);
	if (f->declared_only) {
		diag_error(w->diag, f->loc, "function %s is declared but has no body in this module", f->name);
		return;
	}
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				if (i->opd[o].kind == OPD_FUNC && w->m->func.v[i->opd[o].id]->kind == FN_DEVICE)
					collect(w, w->m->func.v[i->opd[o].id]);
		}
}

static bool calls_indirectly(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_CALL && ins_src(&f->block.v[b]->ins.v[k], 0)->kind == OPD_REG)
				return true;
	return false;
}

/* Functions whose address is in the module's data may be called indirectly. */
static void collect_indirect(Lower *w)
{
	bool any = false;
	for (int i = 0; i < w->order.n; i++)
		any |= calls_indirectly(w->order.v[i]->f);
	w->indirect = any;
	if (!any)
		return;
	for (int s = 0; s < w->m->symbol.n; s++)
		for (int r = 0; r < w->m->symbol.v[s]->reloc.n; r++)
			if (w->m->symbol.v[s]->reloc.v[r].func)
				collect(w, w->m->func.v[w->m->symbol.v[s]->reloc.v[r].id]);
}

void lower_collect(Lower *w, Function *kernel)
{
	collect(w, kernel);
	collect_indirect(w);
}

/* reach[a * n + b]: a may call b, directly or not. */
static bool *call_closure(Lower *w)
{
	int n = w->m->func.n;
	bool *r = arena_array(&w->arena, bool, (size_t)n * n);
	for (int x = 0; x < w->order.n; x++) {
		const Function *f = w->order.v[x]->f;
		bool indirect = calls_indirectly(f);
		for (int y = 0; indirect && y < w->order.n; y++)
			if (w->order.v[y]->f->kind == FN_DEVICE)
				r[f->id * n + w->order.v[y]->f->id] = true;
		for (int b = 0; b < f->block.n; b++)
			for (int k = 0; k < f->block.v[b]->ins.n; k++) {
				const Ins *i = &f->block.v[b]->ins.v[k];
				if (i->op == OP_CALL && ins_src(i, 0)->kind == OPD_FUNC)
					r[f->id * n + ins_src(i, 0)->id] = true;
			}
	}
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n && r[i * n + k]; j++)
				r[i * n + j] |= r[k * n + j];
	return r;
}

void lower_windows(Lower *w)
{
	bool *r = call_closure(w);
	int n = w->m->func.n;
	for (int x = 0; x < w->order.n; x++) {
		LowerFn *l = w->order.v[x];
		l->recursive = r[l->f->id * n + l->f->id];
		l->scc = l->f->id;
		for (int y = 0; y < w->order.n; y++) {
			int g = w->order.v[y]->f->id;
			if (g < l->scc && r[l->f->id * n + g] && r[g * n + l->f->id])
				l->scc = g;
		}
	}
	/* Windows: above every caller outside the cycle; cycle members one after the other. Fixpoint over the call graph. */
	for (bool changed = true; changed;) {
		changed = false;
		for (int x = 0; x < w->order.n; x++)
			for (int y = 0; y < w->order.n; y++) {
				LowerFn *a = w->order.v[x], *b = w->order.v[y];
				if (!r[a->f->id * n + b->f->id] || a == b)
					continue;
				bool same = a->scc == b->scc;
				if (same && a->f->id > b->f->id)
					continue;
				changed |= raise_to(&b->reg_base, a->reg_base + a->nreg);
				changed |= raise_to(&b->wide_base, a->wide_base + a->nwide);
				changed |= raise_to(&b->pred_base, a->pred_base + a->npred);
			}
	}
}
