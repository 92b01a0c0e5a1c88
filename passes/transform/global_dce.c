/* global-dce: removes the bodies of device functions that no kernel needs.
 *
 * requires  nothing
 * keeps     kernels and host functions as they are; the numbers of functions, and with them their addresses;
 *           the addresses of variables
 * breaks    nothing
 *
 * A kernel needs the functions that it calls, and those whose address it or a variable of the module holds;
 * the same is true of host functions, and of device functions that are needed. Of a function that is not
 * needed only a declaration is left, and the variables that were declared in it are removed. */
#include "isa/edit.h"
#include "passes/transform/transform.h"

/* Finds what is needed: kernels, host functions, functions whose address is in the module's data, and all
   that these need. */
static void find_needed(const Module *m, BitSet needed, BitSet symbol)
{
	for (int k = 0; k < m->func.n; k++)
		if (m->func.v[k]->kind != FN_DEVICE)
			module_uses(m, k, needed, symbol);
	for (int s = 0; s < m->symbol.n; s++)
		for (int r = 0; r < m->symbol.v[s]->reloc.n; r++)
			if (m->symbol.v[s]->reloc.v[r].func)
				module_uses(m, m->symbol.v[s]->reloc.v[r].id, needed, symbol);
}

static bool run(PassRun *r)
{
	Module *m = r->m;
	Arena a = { 0 };
	BitSet needed = bs_new(&a, m->func.n), gone = bs_new(&a, m->symbol.n);
	int n = 0;
	find_needed(m, needed, bs_new(&a, m->symbol.n));
	for (int k = 0; k < m->func.n; k++)
		if (!bs_has(needed, k) && m->func.v[k]->block.n &&
			pass_may_change(r, m->func.v[k]->loc, "the body of %s dropped", m->func.v[k]->name)) {
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
	.idle = "every device function is needed",
	.help = "device functions that no kernel needs lose their bodies",
	.module = run,
};
