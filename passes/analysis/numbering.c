#include "passes/analysis/numbering.h"

/* ---- questions about instructions ---- */

static bool is_number(const Opd *o)
{
	return o->kind == OPD_IMM && ((uint64_t)o->imm & ~((uint64_t)1 << 63)) <= 0x7ff0000000000000u;
}

bool ins_commutes(const Ins *i)
{
	return op_info[i->op].flags & OPF_COMM && (i->type != T_F64 || is_number(ins_src(i, 0)) ||
		is_number(ins_src(i, 1)));
}

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

int ins_number(Keys *keys, const Ins *i)
{
#define FIELD(TYPE, NAME) i->NAME,
#define NO_MATTER(TYPE, NAME)
	const int64_t form[] = { INS_FIELDS(FIELD, FIELD, NO_MATTER, NO_MATTER) };
#undef FIELD
#undef NO_MATTER
	int n = sizeof form / sizeof *form;
	int64_t *key = xmalloc(sizeof *key * (size_t)(n + OPERAND * (i->ndst + i->nsrc)));
	memcpy(key, form, sizeof form);
	for (int k = 0; k < i->ndst; k++, n += OPERAND)
		put_operand(ins_dst(i, k), NULL, key + n);
	n += put_sources(i, NULL, key + n);
	int number = keys_number(keys, key, n);
	free(key);
	return number;
}

/* ---- numbers for keys ---- */

struct Key { struct Key *next; int number, n; int64_t v[]; };

static struct Key *look(const Keys *k, const int64_t *key, int n)
{
	if (!k->cap)
		return NULL;
	struct Key *x = k->bucket[hash_bytes(key, sizeof *key * (size_t)n, 1) % (unsigned)k->cap];
	while (x && (x->n != n || memcmp(x->v, key, sizeof *key * (size_t)n)))
		x = x->next;
	return x;
}

static void enter(Keys *k, struct Key *x)
{
	struct Key **b = &k->bucket[hash_bytes(x->v, sizeof *x->v * (size_t)x->n, 1) % (unsigned)k->cap];
	x->next = *b;
	*b = x;
}

int keys_find(const Keys *k, const int64_t *key, int n)
{
	const struct Key *x = look(k, key, n);
	return x ? x->number : -1;
}

const int64_t *keys_key(const Keys *k, int number) { return k->key[number]->v; }

static void grow(Keys *k)
{
	struct Key **old = k->key;
	k->cap = k->cap ? 4 * k->cap : 64;
	k->bucket = arena_array(k->a, struct Key *, k->cap);
	k->key = arena_array(k->a, struct Key *, k->cap);
	for (int x = 0; x < k->n; x++) {
		k->key[x] = old[x];
		enter(k, old[x]);
	}
}

int keys_number(Keys *k, const int64_t *key, int n)
{
	int known = keys_find(k, key, n);
	if (known >= 0)
		return known;
	if (k->n >= k->cap)
		grow(k);
	struct Key *x = arena_alloc(k->a, sizeof *x + sizeof *key * (size_t)n);
	x->number = k->n++;
	x->n = n;
	memcpy(x->v, key, sizeof *key * (size_t)n);
	k->key[x->number] = x;
	enter(k, x);
	return x->number;
}
