/* Removes variables and functions from a module; what stays gets new numbers wherever it is named. */
#include "isa/ir.h"
#include <stdlib.h>

/* ---- variables ---- */

static void renumber_operands(Function *f, OpdKind kind, const int *id)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			Ins *i = &f->block.v[b]->ins.v[k];
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				if (i->opd[o].kind == kind)
					i->opd[o].id = id[i->opd[o].id];
		}
}

static void renumber_data(Module *m, bool functions, const int *id)
{
	for (int k = 0; k < m->symbol.n; k++)
		for (int r = 0; r < m->symbol.v[k]->reloc.n; r++)
			if (m->symbol.v[k]->reloc.v[r].func == functions)
				m->symbol.v[k]->reloc.v[r].id = id[m->symbol.v[k]->reloc.v[r].id];
}

void module_drop_symbols(Module *m, BitSet which)
{
	int *id = xcalloc((size_t)m->symbol.n + 1, sizeof *id), n = 0;
	for (int k = 0; k < m->symbol.n; k++) {
		Symbol *s = m->symbol.v[k];
		id[k] = n;
		if (bs_has(which, k))
			vec_free(&s->reloc);
		else
			m->symbol.v[n++] = s;
	}
	if (n < m->symbol.n) {
		m->symbol.n = n;
		renumber_data(m, false, id);
		for (int k = 0; k < m->func.n; k++)
			renumber_operands(m->func.v[k], OPD_SYM, id);
	}
	free(id);
}

/* ---- functions ---- */

static void drop_owned(Module *m, BitSet which)
{
	Arena tmp = { 0 };
	BitSet gone = bs_new(&tmp, m->symbol.n);
	for (int k = 0; k < m->symbol.n; k++)
		if (m->symbol.v[k]->owner >= 0 && bs_has(which, m->symbol.v[k]->owner))
			bs_add(gone, k);
	module_drop_symbols(m, gone);
	arena_free(&tmp);
}

void module_drop_functions(Module *m, BitSet which)
{
	int *id = xcalloc((size_t)m->func.n + 1, sizeof *id), n = 0;
	must(!m->of);
	for (int k = 0; k < m->func.n; k++)
		if (bs_has(which, k)) /* its code goes first, so that nothing names its variables */
			for (int b = 0; b < m->func.v[k]->block.n; b++)
				m->func.v[k]->block.v[b]->ins.n = 0;
	drop_owned(m, which);
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		id[k] = n;
		if (bs_has(which, k)) {
			function_free(f);
			continue;
		}
		f->id = n;
		m->func.v[n++] = f;
	}
	if (n < m->func.n) {
		m->func.n = n;
		renumber_data(m, true, id);
		for (int k = 0; k < n; k++)
			renumber_operands(m->func.v[k], OPD_FUNC, id);
		for (int k = 0; k < m->symbol.n; k++)
			if (m->symbol.v[k]->owner >= 0)
				m->symbol.v[k]->owner = id[m->symbol.v[k]->owner];
	}
	free(id);
}
