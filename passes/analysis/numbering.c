#include "isa/ir.h"
#include "passes/analysis/numbering.h"

enum { OPERAND = 4 };              /* how many numbers of a key an operand takes */

static void put_operand(const Opd *o, const int *number, int64_t *key)
{
	key[0] = o->kind;
	key[1] = o->neg;
	key[2] = o->kind == OPD_REG && number ? number[o->id] : o->id;
	key[3] = o->imm;
}

static bool descending(const int64_t *a, const int64_t *b)
{
	for (int k = 0; k < OPERAND; k++)
		if (a[k] != b[k])
			return a[k] > b[k];
	return false;
}

/* Writes the sources into the key, two that commute in ascending order. Returns how many numbers they
   take. */
static int put_sources(const Ins *i, const int *number, int64_t *key)
{
	for (int k = 0; k < i->nsrc; k++)
		put_operand(ins_src(i, k), number, key + OPERAND * k);
	if (ins_commutes(i) && descending(key, key + OPERAND)) {
		put_operand(ins_src(i, 1), number, key);
		put_operand(ins_src(i, 0), number, key + OPERAND);
	}
	return OPERAND * i->nsrc;
}

/* Memory order and scope are no part of the key: an instruction with either is never taken for another
   one. */
int ins_key(const Function *f, const Ins *i, const int *number, int64_t *key)
{
	const int64_t form[] = { i->op, i->type, i->type2, i->rnd, i->ftz, i->sat, i->approx, i->cmp,
		i->boolop, i->hilo, i->space, i->mode, i->mode2, i->cop,
		i->flags, i->nsrc, type_bits[f->reg.v[ins_dst(i, 0)->id].type] };
	int n = sizeof form / sizeof *form;
	if (n + OPERAND * i->nsrc > KEY_MOST)
		return 0;
	memcpy(key, form, sizeof form);
	return n + put_sources(i, number, key + n);
}
