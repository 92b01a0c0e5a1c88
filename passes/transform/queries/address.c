/* Finds how to have the address of a key where a block ends: in a register that lives there, or by copies of
 * the instructions that make it elsewhere. Also finds registers for the sources of an operation. */
#include "passes/transform/queries/queries.h"
#include "passes/constants.h"

/* Has made what says which registers hold what, at the first question: most functions have no value that
   could be had elsewhere, and sets of live registers may be as large as blocks times registers. */
static void find_versions(Queries *q)
{
	if (q->versions)
		return;
	q->live = analysis_liveness(q->an);
	q->versions = versions_build(&q->arena, q->c, q->dom, q->ssa, q->live);
}

/* The version that the register holds at the block's end; -1: nobody reads it there. */
static int version_at_end(const Queries *q, int reg, int block)
{
	return version_at(q->versions, reg, block, q->c->f->block.v[block]->ins.n);
}

/* All registers that live at the block's end, with their versions. The list is made at the first question
   about the block, and kept. */
static const HeldReg *regs_held(Queries *q, int block)
{
	if (q->held[block])
		return q->held[block];
	int n = 0;
	live_each(q->live, q->live->out[block], reg)
		n += reg < q->c->f->reg.n;
	HeldReg *list = arena_array(&q->arena, HeldReg, n + 1);
	n = 0;
	live_each(q->live, q->live->out[block], reg)
		if (reg < q->c->f->reg.n)
			list[n++] = (HeldReg){ reg, version_at_end(q, reg, block) };
	list[n].reg = -1;
	q->patience -= n;
	return q->held[block] = list;
}

static bool has_address(Queries *q, const HeldReg *h, int form, Opd *o)
{
	int reg = h->reg, bits = type_bits[q->c->f->reg.v[reg].type];
	int v = (bits == 64 || bits == 32) && type_kind[q->c->f->reg.v[reg].type] != 'F' ? h->version : -1;
	int have = v < 0 ? -1 : memdep_value(&q->mem, &q->forms, v, bits), want = form;
	if (have < 0)
		return false;
	const MemForm *f = &q->forms.form.v[form];
	if (bits == 32 && f->n == 1 && !f->constant && f->term[0].k == 1 &&
		q->forms.atom.v[f->term[0].atom].kind == ATOM_ZERO)
		want = q->forms.atom.v[f->term[0].atom].id;
	else if (bits == 32)
		want = memform_resize(&q->forms, form, 32);
	int rest = memform_add(&q->forms, want, have, -1);
	if (rest < 0 || q->forms.form.v[rest].n || q->forms.form.v[want].bits != bits)
		return false;
	int64_t offset = q->forms.form.v[rest].constant;
	int there = memform_add(&q->forms, have, memform_constant(&q->forms, offset, bits), 1);
	if (bits == 32)
		there = memform_extend(&q->forms, there, 64, false);
	*o = opd_reg(reg);
	o->imm = offset;
	return there == form && offset == (int32_t)offset;
}

/* ---- made anew ---- */

/* Collects the instructions, in order, that make the version out of what registers hold at the block's end.
 * False: it cannot be made. None of them is a phi or a load: so what they make has the form that memory
 * dependence gives for the version, with what the form's unknowns hold at that place. */
static bool slice_version(Queries *q, int version, int block, int depth, AddressSlice *s)
{
	const SsaVersion *v = version >= 0 ? &q->ssa->version[version] : NULL;
	uint8_t reads;
	q->patience--;
	if (!v || depth > ADDRESS_DEPTH || s->n == ADDRESS_INSTRUCTIONS)
		return false;
	if (version_at_end(q, v->reg, block) == version)
		return true;
	for (int k = 0; k < s->n; k++)
		if (s->version[k] == version)
			return true;
	const Ins *i = ssa_writer(q->c, q->ssa, version);
	if (!i || i->guard >= 0 || i->op == OP_LD || i->ndst != 1 || !ins_repeats(i, &reads) || reads)
		return false;
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG && !slice_version(q,
			ssa_src(q->ssa, i, v->block, v->ins, k), block, depth + 1, s))
			return false;
	if (s->n == ADDRESS_INSTRUCTIONS)
		return false;
	s->ins[s->n] = *i;
	s->version[s->n++] = version;
	return true;
}

static bool slice_of(Queries *q, int access, int block, AddressSlice *s)
{
	const MemAccess *a = &q->mem.access[access];
	const Opd *at = ins_src(query_load(q, access), 0);
	*s = (AddressSlice){ .at = *at };
	return at->kind == OPD_REG && slice_version(q,
		ssa_src(q->ssa, query_load(q, access), a->block, a->ins, 0), block, 0, s) && s->n;
}

/* ---- an address, or sources ---- */

static bool find_address(Queries *q, int key, int block, Address *to)
{
	int form = key_form(q, key), tries = 0;
	AddressSlice s;
	for (const HeldReg *h = regs_held(q, block); h->reg >= 0; h++)
		if (has_address(q, h, form, &to->at))
			return true;
	for (int a = key < q->first_of.n ? q->first_of.v[key] : -1;
		a >= 0 && q->slices && tries++ < ADDRESS_LOADS; a = q->next_of[a])
		if (slice_of(q, a, block, &s)) {
			to->slice = arena_array(&q->arena, AddressSlice, 1);
			*to->slice = s;
			return true;
		}
	return false;
}

/* A register of the type that holds a value of this form at the block's end; -1: there is none. */
static int register_with(Queries *q, int form, Type t, int block)
{
	for (const HeldReg *h = regs_held(q, block); h->reg >= 0; h++)
		if (q->c->f->reg.v[h->reg].type == t && h->version >= 0 &&
			query_value(q, h->version, type_bits[t]) == form)
			return h->reg;
	return -1;
}

static bool find_sources(Queries *q, int key, int block, Address *to)
{
	const Ins *i = &q->pattern.v[key_class(q, key)];
	int forms[FORMS_MOST], n = key_forms(q, key, forms);
	to->source = arena_array(&q->arena, Opd, n + 1);
	for (int k = 0, j = 0; k < i->nsrc; k++) {
		if (ins_src(i, k)->kind != OPD_REG)
			continue;
		int reg = register_with(q, forms[j], (Type)q->r->f->reg.v[ins_src(i, k)->id].type, block);
		if (reg < 0)
			return false;
		to->source[j] = *ins_src(i, k);
		to->source[j++].id = reg;
	}
	return true;
}

bool query_address(Queries *q, int key, int block, Address *to)
{
	find_versions(q);
	*to = (Address){ 0 };
	return key_loads(q, key) ? find_address(q, key, block, to) : find_sources(q, key, block, to);
}

Opd query_make(Queries *q, Edit *e, Block *b, const Address *a)
{
	const AddressSlice *s = a->slice;
	int temp[ADDRESS_INSTRUCTIONS];
	if (!s)
		return a->at;
	Opd at = s->at;
	for (int k = 0; k < s->n; k++) {
		const SsaVersion *v = &q->ssa->version[s->version[k]];
		Ins i = edit_copy(e, &s->ins[k]);
		temp[k] = edit_temp(e, (Type)e->f->reg.v[ins_dst(&i, 0)->id].type);
		for (int j = 0; j < i.nsrc; j++)
			for (int o = 0; o < k && ins_src(&i, j)->kind == OPD_REG; o++)
				if (ssa_src(q->ssa, &s->ins[k], v->block, v->ins, j) == s->version[o])
					ins_src(&i, j)->id = temp[o];
		*ins_dst(&i, 0) = opd_reg(temp[k]);
		i.origin = e->origin;
		i.melded = i.mark = 0;
		edit_insert(e, b, b->ins.n - 1, i);
		at.id = temp[k];
	}
	return at;
}
