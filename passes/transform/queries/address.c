/* How to have the address of a key where a block ends: in a register that lives there, or made anew by the instructions that make it further down. */
#include "passes/transform/queries/queries.h"

static void last_def(void *self, int reg) { ((int *)self)[1] += ((int *)self)[0] == reg; }

/* What a register that lives at the block's end holds there. */
static int version_at_end(Queries *q, int reg, int block)
{
	for (int b = block; b >= 0 && q->patience > 0; b = q->dom->idom[b], q->patience--) {
		const Block *x = q->c->f->block.v[b];
		for (int k = x->ins.n; k-- > 0;) {
			int seen[2] = { reg, 0 }, at = q->ssa->ins_first[b] + k;
			ins_defs(q->c->f, &x->ins.v[k], last_def, seen);
			for (int d = q->ssa->def_first[at]; seen[1] && d < q->ssa->def_first[at + 1]; d++)
				if (q->ssa->version[q->ssa->def[d]].reg == reg)
					return q->ssa->def[d];
		}
		for (int p = q->ssa->phi_first[b]; p < q->ssa->phi_first[b + 1]; p++)
			if (q->ssa->version[q->ssa->phi[p].version].reg == reg)
				return q->ssa->phi[p].version;
	}
	return q->patience > 0 ? q->ssa->entry[reg] : -1;
}

static bool has_address(Queries *q, int reg, int block, int form, Opd *o)
{
	int bits = type_bits[q->c->f->reg.v[reg].type];
	int v = (bits == 64 || bits == 32) && type_kind[q->c->f->reg.v[reg].type] != 'F' ? version_at_end(q, reg, block) : -1;
	int have = v < 0 ? -1 : memdep_value(&q->mem, &q->forms, v, bits), want = form;
	if (have < 0)
		return false;
	const MemForm *f = &q->forms.form.v[form];
	if (bits == 32 && f->n == 1 && !f->constant && f->term[0].k == 1 && q->forms.atom.v[f->term[0].atom].kind == ATOM_ZERO)
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

enum { SLICE_DEPTH = 8, TRIES = 4 };

/* The instructions that make the version out of what registers have at the block's end, in order. They choose and load nothing: what they make is the form that the
 * version has for memory dependence, of what its unknowns are there. */
static bool slice(Queries *q, int version, int block, int depth, Slice *s)
{
	const SsaVersion *v = version >= 0 ? &q->ssa->version[version] : NULL;
	uint8_t reads;
	q->patience--;
	if (!v || depth > SLICE_DEPTH || s->n == SLICE_MOST)
		return false;
	if (live_has(q->live, q->live->out[block], v->reg) && version_at_end(q, v->reg, block) == version)
		return true;
	for (int k = 0; k < s->n; k++)
		if (s->version[k] == version)
			return true;
	if (v->ins < 0)
		return false;
	const Ins *i = &q->c->f->block.v[v->block]->ins.v[v->ins];
	if (i->guard >= 0 || i->op == OP_LD || i->ndst != 1 || !ins_repeats(i, &reads) || reads)
		return false;
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG && !slice(q, ssa_src(q->ssa, i, v->block, v->ins, k), block, depth + 1, s))
			return false;
	if (s->n == SLICE_MOST)
		return false;
	s->ins[s->n] = *i;
	s->version[s->n++] = version;
	return true;
}

static bool slice_of(Queries *q, int access, int block, Slice *s)
{
	const MemAccess *a = &q->mem.access[access];
	const Opd *at = ins_src(query_load(q, access), 0);
	*s = (Slice){ .at = *at };
	return at->kind == OPD_REG && slice(q, ssa_src(q->ssa, query_load(q, access), a->block, a->ins, 0), block, 0, s) && s->n;
}

/* ---- either ---- */

bool query_address(Queries *q, int key, int block, Address *to)
{
	int form = key_form(q, key), tries = 0;
	Slice s;
	*to = (Address){ 0 };
	live_each(q->live, q->live->out[block], reg)
		if (reg < q->c->f->reg.n && has_address(q, reg, block, form, &to->at))
			return true;
	for (int a = key < q->first_of.n ? q->first_of.v[key] : -1; a >= 0 && tries++ < TRIES; a = q->next_of[a])
		if (slice_of(q, a, block, &s)) {
			to->slice = arena_array(&q->arena, Slice, 1);
			*to->slice = s;
			return true;
		}
	return false;
}

Opd query_make(Queries *q, Edit *e, Block *b, const Address *a)
{
	const Slice *s = a->slice;
	int temp[SLICE_MOST];
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
		i.mark = 0;
		edit_insert(e, b, b->ins.n - 1, i);
		at.id = temp[k];
	}
	return at;
}
