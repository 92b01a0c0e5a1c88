#include "isa/decode.h"

static unsigned hash_of_bits(uint64_t bits, bool wide)
{
	return (unsigned)((bits + wide) * 0x9e3779b97f4a7c15u >> 40);
}

static uint64_t const_slot_value(const ConstBank *b, int slot)
{
	return b->wide.v[slot] ? (uint64_t)b->word.v[slot + 1] << 32 | b->word.v[slot] : b->word.v[slot];
}

static int *find_const_slot(ConstBank *b, uint64_t bits, bool wide)
{
	unsigned i = hash_of_bits(bits, wide) & (unsigned)(b->nindex - 1);
	while (b->index[i] >= 0 && (const_slot_value(b, b->index[i]) != bits ||
		b->wide.v[b->index[i]] != wide))
		i = (i + 1) & (unsigned)(b->nindex - 1);
	return &b->index[i];
}

static void grow_const_index(ConstBank *b)
{
	int old = b->nindex, *slots = b->index;
	b->nindex = old ? old * 2 : 64;
	b->index = xmalloc(sizeof *b->index * (size_t)b->nindex);
	for (int i = 0; i < b->nindex; i++)
		b->index[i] = -1;
	for (int i = 0; i < old; i++)
		if (slots[i] >= 0)
			*find_const_slot(b, const_slot_value(b, slots[i]), b->wide.v[slots[i]]) = slots[i];
	free(slots);
}

uint32_t bank_const(ConstBank *b, uint64_t bits, bool wide)
{
	if (!wide)
		bits = (uint32_t)bits;
	if (b->word.n * 2 >= b->nindex)
		grow_const_index(b);
	int *at = find_const_slot(b, bits, wide);
	if (*at < 0) {
		if (wide && (b->word.n & 1)) {
			vec_push(&b->word, 0);
			vec_push(&b->wide, 0);
		}
		*at = b->word.n;
		vec_push(&b->word, (uint32_t)bits);
		vec_push(&b->wide, wide);
		if (wide) {
			vec_push(&b->word, (uint32_t)(bits >> 32));
			vec_push(&b->wide, 0);
		}
	}
	return ROW_CONST | (uint32_t)(*at * b->width);
}

uint32_t *bank_rows(const ConstBank *b, Arena *a)
{
	/* two rows more than there are constants: vector code may read past the last row */
	uint32_t *rows = arena_array(a, uint32_t, (b->word.n + 2) * b->width);
	for (int s = 0; s < b->word.n; s++) {
		if (b->wide.v[s]) {
			uint64_t v = const_slot_value(b, s);
			for (int l = 0; l < b->width; l++)
				memcpy(rows + s * b->width + 2 * l, &v, 8);
			s++;
		} else {
			for (int l = 0; l < b->width; l++)
				rows[s * b->width + l] = b->word.v[s];
		}
	}
	return rows;
}

void bank_free(ConstBank *b)
{
	vec_free(&b->word);
	vec_free(&b->wide);
	free(b->index);
	b->index = NULL;
	b->nindex = 0;
}

/* The row of a source operand. An immediate predicate gets no row: NO_ROW stands for true; for false neg_bit
   is flipped in *neg, too. */
static uint32_t decode_source(const Decoder *d, const Opd *o, Type t, uint8_t neg_bit, uint8_t *neg)
{
	if (o->kind == OPD_NONE)
		return NO_ROW;
	if (o->kind != OPD_IMM)
		return d->row(d->self, o, t);
	if (t != T_PRED)
		return bank_const(d->bank, (uint64_t)o->imm, type_bits[t] == 64);
	if (!o->imm)
		*neg ^= neg_bit;
	return NO_ROW;
}

static Type part_type(const Ins *i, int parts)
{
	int bits = type_bits[i->type] / parts;
	return bits == 32 ? T_B32 : bits == 16 ? T_B16 : T_B8;
}

/* Fills the operands of pack and unpack: out->rows has one row for each part. */
static void decode_parts(const Decoder *d, const Ins *i, LaneIns *out)
{
	bool pack = i->op == OP_PACK;
	int n = pack ? i->nsrc : i->ndst;
	uint32_t *rows = arena_array(d->arena, uint32_t, n);
	Type t = part_type(i, n);
	for (int k = 0; k < n; k++)
		rows[k] = decode_source(d, pack ? ins_src(i, k) : ins_dst(i, k), t, 0, &out->neg);
	out->rows = rows;
	out->nrows = n;
	if (pack)
		out->d = decode_source(d, ins_dst(i, 0), (Type)i->type, 0, &out->neg);
	else
		out->a = decode_source(d, ins_src(i, 0), (Type)i->type, 0, &out->neg);
}

bool decode_alu(const Decoder *d, const Ins *i, LaneIns *out)
{
	uint32_t *from[4] = { &out->a, &out->b, &out->c, &out->e };
	if (!lane_bind(d->f, i, out))
		return false;
	if (i->op == OP_PACK || i->op == OP_UNPACK) {
		decode_parts(d, i, out);
		return true;
	}
	if (i->nsrc > 4 || i->ndst < 1 || i->ndst > 2)
		return false;
	for (int k = 0; k < i->nsrc; k++)
		*from[k] = decode_source(d, ins_src(i, k), ins_src_type(i, k), (uint8_t)(NEG_A << k),
			&out->neg);
	out->d = decode_source(d, ins_dst(i, 0), ins_dst_type(i, 0), 0, &out->neg);
	if (i->ndst > 1)
		out->d2 = decode_source(d, ins_dst(i, 1), ins_dst_type(i, 1), 0, &out->neg);
	return true;
}
