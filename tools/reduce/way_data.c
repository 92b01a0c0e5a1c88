#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"

/* ---- variables ---- */

int variables_places(const Module *m) { return m->symbol.n; }

/* An address becomes 0; an access goes. */
static void forget_variables(Ins *i, BitSet gone)
{
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_SYM && bs_has(gone, ins_src(i, k)->id)) {
			if (reduce_is_address(i, k))
				i->op = OP_NONE;
			else
				*ins_src(i, k) = opd_imm(0);
		}
}

static void forget_variable_addresses(Symbol *s, BitSet gone)
{
	int kept = 0;
	for (int k = 0; k < s->reloc.n; k++)
		if (s->reloc.v[k].func || !bs_has(gone, s->reloc.v[k].id))
			s->reloc.v[kept++] = s->reloc.v[k];
	s->reloc.n = kept;
}

bool variables_drop(Module *m, int from, int to)
{
	Arena a = { 0 };
	BitSet gone = bs_new(&a, m->symbol.n);
	for (int k = from; k < to && k < m->symbol.n; k++)
		bs_add(gone, k);
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++)
				forget_variables(&m->func.v[f]->block.v[b]->ins.v[k], gone);
	for (int k = 0; k < m->symbol.n; k++)
		forget_variable_addresses(m->symbol.v[k], gone);
	reduce_sweep(m);
	module_drop_symbols(m, gone);
	arena_free(&a);
	return true;
}

/* ---- sizes ---- */

enum { SIZE_WAYS = 3 };                /* one element, half as many, an eighth less */

int sizes_places(const Module *m) { return SIZE_WAYS * m->symbol.n; }

static bool resize_variable(Symbol *s, uint64_t count)
{
	if (!count || count >= s->count)
		return false;
	int kept = 0;
	s->count = count;
	s->size = count * (uint64_t)type_bytes(s->type);
	for (int k = 0; k < s->reloc.n; k++)
		if (s->reloc.v[k].offset + 8 <= s->size)
			s->reloc.v[kept++] = s->reloc.v[k];
	s->reloc.n = kept;
	return true;
}

bool sizes_change(Module *m, int from, int to)
{
	bool any = false;
	for (int p = from; p < to && p < sizes_places(m); p++) {
		Symbol *s = m->symbol.v[p / SIZE_WAYS];
		int way = p % SIZE_WAYS;
		any |= resize_variable(s, way == 0 ? 1 : way == 1 ? s->count / 2 : s->count - (s->count + 7) /
			8);
	}
	return any;
}

/* ---- what is in them ---- */

static int elements_of(const Symbol *s) { return s->init ? (int)s->count : 0; }

int contents_places(const Module *m)
{
	int n = 0;
	for (int k = 0; k < m->symbol.n; k++)
		n += elements_of(m->symbol.v[k]);
	return n;
}

/* Clears elements from..to-1, with the addresses that lie there. False: they are 0 already. */
static bool clear_elements(Symbol *s, int from, int to)
{
	uint64_t bytes = (uint64_t)type_bytes(s->type), first = bytes * (uint64_t)from;
	uint64_t end = bytes * (uint64_t)to;
	bool any = false;
	int kept = 0;
	for (uint64_t k = first; k < end; k++) {
		any |= s->init[k] != 0;
		s->init[k] = 0;
	}
	for (int k = 0; k < s->reloc.n; k++)
		if (s->reloc.v[k].offset + 8 <= first || s->reloc.v[k].offset >= end)
			s->reloc.v[kept++] = s->reloc.v[k];
	any |= kept < s->reloc.n;
	s->reloc.n = kept;
	return any;
}

/* Data that are all 0 need not be written down. */
static void drop_zeros(Symbol *s)
{
	for (uint64_t k = 0; k < s->size; k++)
		if (s->init[k])
			return;
	if (!s->reloc.n)
		s->init = NULL;
}

bool contents_clear(Module *m, int from, int to)
{
	bool any = false;
	int n = 0;
	for (int k = 0; k < m->symbol.n; k++) {
		Symbol *s = m->symbol.v[k];
		int first = n, last = n + elements_of(s), low = from > first ? from : first;
		int high = to < last ? to : last;
		n = last;
		if (low >= high)
			continue;
		any |= clear_elements(s, low - first, high - first);
		drop_zeros(s);
	}
	return any;
}
