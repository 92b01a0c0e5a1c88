#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"

static int sources_of(const Module *m, const Function *f, const Ins *i) { return i->nsrc; }

/* ---- 0 and 1 ---- */

static bool is_number(const Opd *o, int64_t bits) { return o->kind == OPD_IMM && o->imm == bits && !o->neg; }

/* Of an address the offset alone becomes 0. */
static bool to_number(InsAt *at, int k, int64_t bits)
{
	Opd *o = ins_src(at->i, k);
	bool callee = !k && (at->i->op == OP_CALL || at->i->op == OP_LAUNCH);
	if (callee || at->i->op == OP_RET || o->kind == OPD_NONE || o->kind == OPD_STR || is_number(o, bits))
		return false;
	if (!reduce_is_address(at->i, k)) {
		*o = opd_imm(bits);
		return true;
	}
	bool any = o->imm != 0 && o->kind != OPD_IMM && !bits;
	if (any)
		o->imm = 0;
	return any;
}

static bool to_zero(InsAt *at, int k) { return to_number(at, k, 0); }

/* What is 0 already stays so. */
static bool to_one(InsAt *at, int k)
{
	Type t = ins_value_type(at->m, at->i, k);
	return !is_number(ins_src(at->i, k), 0) && to_number(at, k, reduce_one(t));
}

int zero_places(const Module *m) { return reduce_count(m, sources_of); }
bool zero_change(Module *m, int from, int to) { return reduce_each(m, from, to, sources_of, to_zero); }
int one_places(const Module *m) { return reduce_count(m, sources_of); }
bool one_change(Module *m, int from, int to) { return reduce_each(m, from, to, sources_of, to_one); }

/* ---- smaller numbers ---- */

/* Numbers that may become smaller: sizes, counts, steps. Those of floats are not looked at. */
static bool is_large(const Ins *i, const Opd *o, int k)
{
	return o->kind == OPD_IMM && (o->imm > 1 || o->imm < -1) && type_kind[ins_src_type(i, k)] != 'F';
}

static bool halve_number(InsAt *at, int k)
{
	Opd *o = ins_src(at->i, k);
	bool large = is_large(at->i, o, k);
	if (large)
		o->imm /= 2;
	return large;
}

/* A host's numbers alone: sizes of buffers, grids and blocks. */
static int sources_of_host(const Module *m, const Function *f, const Ins *i)
{
	return f->kind == FN_HOST ? i->nsrc : 0;
}

static bool lower_number(InsAt *at, int k)
{
	Opd *o = ins_src(at->i, k);
	bool large = is_large(at->i, o, k) && o->imm > 1;
	if (large)
		o->imm -= o->imm > 16 ? o->imm / 8 : 1;
	return large;
}

int halve_places(const Module *m) { return reduce_count(m, sources_of); }
bool halve_change(Module *m, int from, int to) { return reduce_each(m, from, to, sources_of, halve_number); }
int lower_places(const Module *m) { return reduce_count(m, sources_of_host); }
bool lower_change(Module *m, int from, int to)
{
	return reduce_each(m, from, to, sources_of_host, lower_number);
}
