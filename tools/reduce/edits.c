/* What the ways of making a module smaller share, and their list. */
#include "tools/reduce/edits.h"
#include "isa/edit.h"
#include "tools/reduce/ways.h"

const Reduction reductions[] = {
	{ "functions", functions_places, functions_drop, 0 },
	{ "bodies", functions_places, bodies_empty, 0 },
	{ "launches", launches_places, launches_drop, 0 },
	{ "blocks", ends_places, ends_cut, 0 },
	{ "branches", branches_places, branches_fold, 0 },
	{ "blocks", bypass_places, bypass_change, 0 },
	{ "edges", edges_places, edges_change, 0 },
	{ "instructions", instructions_places, instructions_drop, 0 },
	{ "values", forward_places, forward_change, 0 },
	{ "operands", zero_places, zero_change, 0 },
	{ "operands", one_places, one_change, 0 },
	{ "blocks", join_places, join_change, 0 },
	{ "modifiers", modifier_places, modifier_change, 0 },
	{ "numbers", halve_places, halve_change, 0 },
	{ "numbers", lower_places, lower_change, 0 },
	{ "variables", variables_places, variables_drop, 0 },
	{ "parameters", parameters_places, parameters_drop, 0 },
	{ "parameters", arguments_places, arguments_drop, 0 },
	{ "sizes", sizes_places, sizes_change, 0 },
	{ "data", contents_places, contents_clear, 64 },
	{ "attributes", attributes_places, attributes_drop, 0 },
	{ "places", whole_place, marks_reset, 0 },
	{ "places", whole_place, places_drop, 0 },
	{ "registers", whole_place, registers_drop, 0 },
	{ "labels", whole_place, labels_rename, 0 },
	{ "labels", whole_place, registers_rename, 0 },
	{ NULL, NULL, NULL, 0 }
};

/* ---- places of instructions ---- */

int reduce_count(const Module *m, InsPlaces *places)
{
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++)
				n += places(m, m->func.v[f], &m->func.v[f]->block.v[b]->ins.v[k]);
	return n;
}

static bool change_block(Module *m, Function *f, Block *b, int from, int to, int *n, InsPlaces *places,
	InsChange *change)
{
	bool any = false;
	for (int k = 0; k < b->ins.n && *n < to; k++) {
		int first = *n, last = first + places(m, f, &b->ins.v[k]);
		*n = last;
		for (int p = first > from ? first : from; p < last && p < to; p++) {
			if (b->ins.v[k].op == OP_NONE)
				break;
			any |= change(&(InsAt){ m, f, b, &b->ins.v[k] }, p - first);
		}
	}
	return any;
}

bool reduce_each(Module *m, int from, int to, InsPlaces *places, InsChange *change)
{
	bool any = false;
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n && n < to; b++)
			any |= change_block(m, m->func.v[f], m->func.v[f]->block.v[b], from, to, &n, places,
				change);
	if (any)
		reduce_sweep(m);
	return any;
}

void reduce_sweep(Module *m)
{
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++) {
			Block *x = m->func.v[f]->block.v[b];
			int kept = 0;
			for (int k = 0; k < x->ins.n; k++)
				if (x->ins.v[k].op != OP_NONE)
					x->ins.v[kept++] = x->ins.v[k];
			x->ins.n = kept;
		}
}

/* ---- behind a change ---- */

static bool has_plain_marks(const Function *f, const Block *b)
{
	int first = 0, last = 0;
	if (b->user && block_plain_marks(f, b, &first, &last) < 0)
		return false;
	if (!b->user)
		first = b->ins.v[0].mark, last = block_term(b)->mark;
	for (int k = 1; k + 1 < b->ins.n; k++)
		first |= b->ins.v[k].mark;
	return !first && !last;
}

bool reduce_plain(const Module *m)
{
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			if (!has_plain_marks(m->func.v[f], m->func.v[f]->block.v[b]))
				return false;
	return true;
}

static void drop_unreached(Function *f)
{
	Arena a = { 0 };
	function_number(f);
	BitSet roots = bs_new(&a, f->block.n);
	bs_add(roots, 0);
	edit_drop_unreached(f, roots);
	arena_free(&a);
}

void reduce_settle(Module *m, bool plain)
{
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		if (!f->block.n)
			continue;
		drop_unreached(f);
		if (plain)
			function_mark_blocks(m, f);
	}
}

/* ---- text ---- */

static bool has_places(const Module *m)
{
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++)
				if (m->func.v[f]->block.v[b]->ins.v[k].line)
					return true;
	return false;
}

void reduce_print(const Module *m, StrBuf *out)
{
	if (has_places(m))
		ir_print(m, out);
	else
		ir_print_without_places(m, out);
}

/* ---- instructions ---- */

bool reduce_is_address(const Ins *i, int k)
{
	const char *sources = i->op == OP_NONE ? NULL : strchr(op_info[i->op].operands, ':');
	return !k && sources && sources[1] == 'a';
}

void reduce_to_number(InsAt *at, Opd destination, Type t, int64_t bits)
{
	Ins x = ins_make(at->m, OP_MOV, t, 1, 1);
	ins_place(&x, at->i);
	x.mark = at->i->mark;
	x.guard = at->i->guard;
	x.guard_neg = at->i->guard_neg;
	*ins_dst(&x, 0) = destination;
	*ins_src(&x, 0) = opd_imm(bits);
	*at->i = x;
}

void reduce_drop_destination(Ins *i, int k)
{
	memmove(i->opd + k, i->opd + k + 1, sizeof *i->opd * (size_t)(i->ndst + i->nsrc - k - 1));
	i->ndst--;
}

void reduce_drop_source(Ins *i, int k)
{
	memmove(ins_src(i, k), ins_src(i, k) + 1, sizeof *i->opd * (size_t)(i->nsrc - k - 1));
	i->nsrc--;
}

int64_t reduce_one(Type t)
{
	return t == T_F64 ? 0x3ff0000000000000 : t == T_F32 ? 0x3f800000 : t == T_F16 ? 0x3c00 : 1;
}
