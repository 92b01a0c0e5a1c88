/* global-dce: device functions that no kernel needs lose their bodies.
 *
 * requires  nothing
 * keeps     kernels and host functions as they are; the numbers of functions, and with them their addresses; the addresses of variables
 * breaks    nothing
 *
 * A kernel needs what it calls, and what it or a variable of the module holds the address of; so do host functions and what is needed. What goes is
 * left as a declaration, and takes the variables that were declared in it along. */
#include "isa/edit.h"
#include "passes/transform/transform.h"

typedef struct Needs { const Module *m; BitSet needed; Vec(int) todo; } Needs;

static void need_function(Needs *w, int id)
{
	if (bs_has(w->needed, id))
		return;
	bs_add(w->needed, id);
	vec_push(&w->todo, id);
}

static void need_named(Needs *w, const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				if (i->opd[o].kind == OPD_FUNC)
					need_function(w, i->opd[o].id);
		}
}

static void find_needed(Needs *w)
{
	for (int k = 0; k < w->m->func.n; k++)
		if (w->m->func.v[k]->kind != FN_DEVICE)
			need_function(w, k);
	for (int s = 0; s < w->m->symbol.n; s++)
		for (int r = 0; r < w->m->symbol.v[s]->reloc.n; r++)
			if (w->m->symbol.v[s]->reloc.v[r].func)
				need_function(w, w->m->symbol.v[s]->reloc.v[r].id);
	while (w->todo.n)
		need_named(w, w->m->func.v[vec_pop(&w->todo)]);
	vec_free(&w->todo);
}

static bool run(PassRun *r)
{
	Module *m = r->m;
	Arena a = { 0 };
	Needs w = { .m = m, .needed = bs_new(&a, m->func.n) };
	BitSet gone = bs_new(&a, m->symbol.n);
	int n = 0;
	find_needed(&w);
	for (int k = 0; k < m->func.n; k++)
		if (!bs_has(w.needed, k) && m->func.v[k]->block.n) {
			edit_drop_body(m->func.v[k]);
			n++;
		}
	for (int s = 0; s < m->symbol.n; s++)
		if (m->symbol.v[s]->owner >= 0 && m->func.v[m->symbol.v[s]->owner]->declared_only)
			bs_add(gone, s);
	module_drop_symbols(m, gone);
	arena_free(&a);
	pass_count(r, "bodies dropped", n);
	return n > 0;
}

const Pass pass_global_dce = {
	.name = "global-dce",
	.help = "device functions that no kernel needs lose their bodies",
	.module = run,
};
