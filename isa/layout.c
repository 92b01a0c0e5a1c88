/* The layout of shared and local memory: which variables a function uses, and where they lie. */
#include "isa/ir.h"
#include "lib/number.h"

/* Collects what a function uses: its symbols, those of its callees, and what the initial data of used symbols
   points to. todo: functions whose code has not been looked at yet. */
typedef struct LayoutUses { const Module *m; BitSet func, symbol; Vec(int) todo; } LayoutUses;

static void use_function(LayoutUses *u, int id)
{
	if (!bs_has(u->func, id)) {
		bs_add(u->func, id);
		vec_push(&u->todo, id);
	}
}

static void use_symbol(LayoutUses *u, int id)
{
	Vec(int) todo = { 0 };
	vec_push(&todo, id);
	while (todo.n) {
		int s = vec_pop(&todo);
		if (bs_has(u->symbol, s))
			continue;
		bs_add(u->symbol, s);
		for (int r = 0; r < u->m->symbol.v[s]->reloc.n; r++) {
			const Reloc *x = &u->m->symbol.v[s]->reloc.v[r];
			if (x->func)
				use_function(u, x->id);
			else
				vec_push(&todo, x->id);
		}
	}
	vec_free(&todo);
}

static void use_all(LayoutUses *u, int function)
{
	use_function(u, function);
	while (u->todo.n) {
		const Function *f = u->m->func.v[vec_pop(&u->todo)];
		for (int b = 0; b < f->block.n; b++)
			for (int k = 0; k < f->block.v[b]->ins.n; k++) {
				const Ins *i = &f->block.v[b]->ins.v[k];
				for (int o = 0; o < i->ndst + i->nsrc; o++) {
					if (i->opd[o].kind == OPD_SYM)
						use_symbol(u, i->opd[o].id);
					else if (i->opd[o].kind == OPD_FUNC)
						use_function(u, i->opd[o].id);
				}
			}
	}
	vec_free(&u->todo);
}

void module_uses(const Module *m, int function, BitSet func, BitSet symbol)
{
	LayoutUses u = { m, func, symbol, { 0 } };
	use_all(&u, function);
}

uint32_t layout_shared(const Module *m, const Function *f, int64_t *offset)
{
	Arena tmp = { 0 };
	BitSet used = bs_new(&tmp, m->symbol.n);
	module_uses(m, f->id, bs_new(&tmp, m->func.n), used);
	SymbolOrder order = symbol_order(m);
	uint64_t at = 0;
	for (int k = 0; k < m->symbol.n; k++) {
		int i = order.id[k];
		const Symbol *s = m->symbol.v[i];
		offset[i] = -1;
		if (s->space != SP_SHARED || !bs_has(used, i) || s->count == 0)
			continue;
		at = align_up(at, s->align);
		offset[i] = (int64_t)at;
		at += s->size;
	}
	uint64_t end = at;
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		if (s->space == SP_SHARED && bs_has(used, i) && s->count == 0)
			end = align_up(end, s->align);
	}
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		if (s->space == SP_SHARED && bs_has(used, i) && s->count == 0)
			offset[i] = (int64_t)end;
	}
	symbol_order_free(&order);
	arena_free(&tmp);
	return end > UINT32_MAX ? UINT32_MAX : (uint32_t)end;
}

/* Places the local variables of `owner` (a function, -1: the module) from offset `at` on; returns the end in
   bytes, a multiple of 16. */
static uint64_t place_locals(const Module *m, int owner, uint64_t at, int64_t *offset)
{
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		if (s->space != SP_LOCAL || s->owner != owner)
			continue;
		at = align_up(at, s->align);
		offset[i] = (int64_t)at;
		at += s->size;
	}
	return align_up(at, 16);
}

uint32_t layout_local(const Module *m, const Function *f, int64_t *offset)
{
	for (int i = 0; i < m->symbol.n; i++)
		offset[i] = -1;
	uint64_t modules = place_locals(m, -1, 0, offset);
	uint64_t at = place_locals(m, f->id, f->kind == FN_KERNEL ? modules : 0, offset);
	return at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}
