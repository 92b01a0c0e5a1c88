/* Which register has the address of a key where a block ends. */
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

bool query_address(Queries *q, int key, int block, Opd *o)
{
	int form = key_form(q, key);
	live_each(q->live, q->live->out[block], reg)
		if (reg < q->c->f->reg.n && has_address(q, reg, block, form, o))
			return true;
	return false;
}
