/* What is compared of instructions: the lists of numbers that are their identities. */
#include "isa/ir.h"
#include "passes/analysis/values.h"
#include <string.h>

/* ---- sources that commute ---- */

static bool is_immediate_number(const Opd *o)
{
	return o->kind == OPD_IMM && ((uint64_t)o->imm & ~((uint64_t)1 << 63)) <= 0x7ff0000000000000u;
}

static bool compares_evenly(Cmp c)
{
	return c == CMP_EQ || c == CMP_NE || c == CMP_EQU || c == CMP_NEU || c == CMP_NUM || c == CMP_NAN;
}

/* Has lop3's table the same bits where a alone is set as where b alone is, with c and without? */
static bool is_even_table(const Opd *o)
{
	return o->kind == OPD_IMM && (o->imm >> 2 & 3) == (o->imm >> 4 & 3);
}

bool ins_commutes(const Ins *i)
{
	if (!(op_info[i->op].flags & OPF_COMM))
		return false;
	switch (i->op) {
	case OP_SETP: case OP_SET: return compares_evenly((Cmp)i->cmp);
	case OP_DP4A: return i->type == i->type2;
	case OP_LOP3: return is_even_table(ins_src(i, 3));
	default:
		return i->type != T_F64 || is_immediate_number(ins_src(i, 0)) ||
			is_immediate_number(ins_src(i, 1));
	}
}

#define X(TYPE, NAME) + 1
enum { OPERAND = 0 OPD_FIELDS(X) };        /* how many numbers of an identity an operand takes */
#undef X

/* Writes the operand into the identity; value: what stands for its register. */
static void put_operand(const Opd *operand, int value, int64_t *key)
{
	Opd o = *operand;
	if (o.kind == OPD_REG)
		o.id = value;
#define X(TYPE, NAME) *key++ = o.NAME;
	OPD_FIELDS(X)
#undef X
}

static bool descending(const int64_t *a, const int64_t *b)
{
	for (int k = 0; k < OPERAND; k++)
		if (a[k] != b[k])
			return a[k] > b[k];
	return false;
}

bool ins_turned(const Ins *i, const int *value)
{
	int64_t key[2][OPERAND];
	if (!ins_commutes(i))
		return false;
	for (int k = 0; k < 2; k++)
		put_operand(ins_src(i, k), value ? value[k] : ins_src(i, k)->id, key[k]);
	return descending(key[0], key[1]);
}

/* ---- identities ---- */

#define LEFT_OUT(TYPE, NAME)

/* Writes the fields of role FORM, four to a number of the identity. Returns how many numbers they take. */
static int put_form(const Ins *i, int64_t *key)
{
#define SHORT(TYPE, NAME) _Static_assert(sizeof(TYPE) <= sizeof(uint16_t), #NAME " is too long");
	INS_FIELDS(SHORT, LEFT_OUT, LEFT_OUT, LEFT_OUT)
#undef SHORT
#define VALUE(TYPE, NAME) i->NAME,
	const uint16_t form[] = { INS_FIELDS(VALUE, LEFT_OUT, LEFT_OUT, LEFT_OUT) };
#undef VALUE
	enum { N = (sizeof form + sizeof *key - 1) / sizeof *key };
	key[N - 1] = 0;
	memcpy(key, form, sizeof form);
	return N;
}

static int put_guard(const Ins *i, int64_t *key)
{
#define VALUE(TYPE, NAME) *key++ = i->NAME;
	const int64_t *first = key;
	INS_FIELDS(LEFT_OUT, VALUE, LEFT_OUT, LEFT_OUT)
#undef VALUE
	return (int)(key - first);
}

#undef LEFT_OUT

/* Writes the sources, two that commute in ascending order. Returns how many numbers they take. */
static int put_sources(const Ins *i, const int *number, int64_t *key)
{
	int64_t first[OPERAND];
	for (int k = 0; k < i->nsrc; k++) {
		const Opd *o = ins_src(i, k);
		put_operand(o, o->kind == OPD_REG && number ? number[o->id] : o->id, key + OPERAND * k);
	}
	if (ins_commutes(i) && descending(key, key + OPERAND)) {
		memcpy(first, key, sizeof first);
		memcpy(key, key + OPERAND, sizeof first);
		memcpy(key + OPERAND, first, sizeof first);
	}
	return OPERAND * i->nsrc;
}

/* How many numbers an identity may take. */
static int identity_room(const Ins *i)
{
	return (int)sizeof *i + OPERAND * (i->ndst + i->nsrc); /* a field has a byte at least */
}

int value_number_in(Keys *keys, const Function *f, const Ins *i, const int *number, const int64_t *state,
	int n)
{
	int64_t *key = keys_room(keys, identity_room(i) + n);
	Ins form = *i;
	if (form.sem == SEM_WEAK)
		form.sem = SEM_NONE;
	int at = put_form(&form, key);
	key[at++] = type_bits[f->reg.v[ins_dst(i, 0)->id].type];
	at += put_sources(i, number, key + at);
	for (int k = 0; k < n; k++)
		key[at++] = state[k];
	return keys_number(keys, key, at);
}

int value_number(Keys *keys, const Function *f, const Ins *i, const int *number)
{
	return value_number_in(keys, f, i, number, NULL, 0);
}

int deed_number(Keys *keys, const Ins *i)
{
	int64_t *key = keys_room(keys, identity_room(i));
	int at = put_form(i, key);
	at += put_guard(i, key + at);
	for (int k = 0; k < i->ndst; k++, at += OPERAND)
		put_operand(ins_dst(i, k), ins_dst(i, k)->id, key + at);
	at += put_sources(i, NULL, key + at);
	return keys_number(keys, key, at);
}
