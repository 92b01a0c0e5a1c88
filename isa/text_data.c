#include "isa/text_reader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- literals ---- */

/* IEEE half precision bits of a value, rounded to nearest, ties to even. */
static uint64_t half_bits(double v)
{
	uint64_t b;
	memcpy(&b, &v, sizeof b);
	uint64_t sign = b >> 63 << 15, mant = b & 0xfffffffffffffu;
	int exp = (int)(b >> 52 & 0x7ff) - 1023;
	if (exp == 1024)
		return sign | 0x7c00 | (mant ? 0x200 : 0);
	if (exp >= 16)
		return sign | 0x7c00;
	int shift = exp < -14 ? 42 + (-14 - exp) : 42;
	if (shift > 54)
		return sign;
	mant |= (uint64_t)1 << 52;
	uint64_t kept = mant >> shift, rest = mant & (((uint64_t)1 << shift) - 1),
		tie = (uint64_t)1 << (shift - 1);
	kept += rest > tie || (rest == tie && (kept & 1));
	return sign | (exp < -14 ? kept : kept + ((uint64_t)(exp + 14) << 10));
}

static uint64_t float_bits(double v, int width)
{
	uint64_t b;
	float f = (float)v;
	if (width == 16)
		return half_bits(v);
	if (width == 64) {
		memcpy(&b, &v, sizeof b);
		return b;
	}
	uint32_t w;
	memcpy(&w, &f, sizeof w);
	return w;
}

static double double_of(uint64_t bits, int width)
{
	double v;
	uint32_t w = (uint32_t)bits;
	float f;
	if (width == 64) {
		memcpy(&v, &bits, sizeof v);
		return v;
	}
	memcpy(&f, &w, sizeof f);
	return f;
}

/* A decimal literal, correctly rounded to the width in one step. */
static uint64_t decimal_bits(const Token *t, int width)
{
	char buf[NUMBER_LIMIT + 1];
	memcpy(buf, t->s, t->n);
	buf[t->n] = 0;
	if (width != 32)
		return float_bits(strtod(buf, NULL), width);
	float f = strtof(buf, NULL);
	uint32_t w;
	memcpy(&w, &f, sizeof w);
	return w;
}

static bool read_real(Reader *r, int width, bool minus, uint64_t *v)
{
	const Token *t = &r->tok;
	if (t->kind == TK_NAME)
		*v = float_bits(rd_word(r, "inf") ? HUGE_VAL : (double)NAN, width) &
			~((uint64_t)1 << (width - 1));
	else if (t->kind == TK_BITS && t->width == width)
		*v = t->value;
	else if (t->kind == TK_BITS && t->width != 16 && width != 16)
		*v = float_bits(double_of(t->value, t->width), width);
	else if (t->kind == TK_FLOAT || (t->kind == TK_INT && t->s[0] >= '0' &&
		(t->n == 1 || t->s[0] != '0')))
		*v = decimal_bits(t, width);
	else
		return rd_fail(r, t, "expected a %d-bit floating-point number (1.5, 0f and bits, inf, nan)",
			width);
	if (minus)
		*v ^= (uint64_t)1 << (width - 1);
	return true;
}

static int64_t sign_extend(uint64_t v, int width)
{
	return width == 64 ? (int64_t)v : (int64_t)(v << (64 - width)) >> (64 - width);
}

static bool read_whole(Reader *r, Type t, bool minus, uint64_t *v)
{
	int width = t == T_NONE ? 64 : type_bits[t];
	uint64_t x = r->tok.value, most = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
	/* magnitude of the least negative number */
	uint64_t least = width == 1 ? 1 : (uint64_t)1 << (width - 1);
	if (r->tok.kind == TK_FLOAT)
		return rd_fail(r, &r->tok, "a floating-point number for a value of type %s; write its bits, "
			"0f... or 0d...", t ? type_name[t] : "unknown");
	if (r->tok.kind == TK_BITS && r->tok.width != width && t != T_NONE)
		return rd_fail(r, &r->tok, "a %d-bit number for a value of type %s", r->tok.width,
			type_name[t]);
	if (x > (minus ? least : most))
		return rd_fail(r, &r->tok, "%s%.*s does not fit %s", minus ? "-" : "", (int)r->tok.n,
			r->tok.s, t ? type_name[t] : "64 bits");
	*v = minus ? -x : x;
	return true;
}

bool rd_immediate(Reader *r, Type t, int64_t *out)
{
	bool minus = rd_accept(r, '-');
	bool word = rd_word(r, "inf") || rd_word(r, "nan");
	if (!word && !rd_at(r, TK_INT) && !rd_at(r, TK_FLOAT) && !rd_at(r, TK_BITS))
		return rd_wanted(r, minus ? "a number" : "a value");
	uint64_t v = 0;
	if (type_kind[t] == 'F') {
		if (!read_real(r, type_bits[t], minus, &v))
			return false;
		*out = (int64_t)v;
	} else {
		if (word)
			return rd_fail(r, &r->tok, "'%.*s' for a value of type %s", (int)r->tok.n, r->tok.s,
				t ? type_name[t] : "unknown");
		if (!read_whole(r, t, minus, &v))
			return false;
		*out = t == T_NONE ? (int64_t)v : t == T_PRED ? (int64_t)(v & 1)
			: sign_extend(v, type_bits[t]);
	}
	rd_next(r);
	return true;
}

/* ---- initial data ---- */

bool rd_offset(Reader *r, int64_t *offset)
{
	*offset = 0;
	bool minus = rd_at(r, '-');
	if (!minus && !rd_at(r, '+'))
		return true;
	rd_next(r);
	if (!minus && rd_accept(r, '-')) /* compilers write [%r+-8] in PTX */
		minus = true;
	uint64_t v;
	if (!rd_count(r, minus ? (uint64_t)1 << 63 : INT64_MAX, &v, "an offset"))
		return false;
	*offset = (int64_t)(minus ? 0 - v : v);
	return true;
}

/* Reads an address in initial data: name, name+4, generic(name)+4. */
static bool relocation(Reader *r, Symbol *s, uint64_t at)
{
	Reloc x = { .offset = (uint32_t)at };
	Token start = r->tok;
	if (s->size < 8 || at > s->size - 8)
		return rd_fail(r, &start, "an address takes 8 bytes: it does not fit at offset %llu",
			(unsigned long long)at);
	if (rd_word(r, "generic") && r->lex.at < r->lex.end && *r->lex.at == '(') {
		rd_next(r);
		rd_next(r);
		x.generic = true;
	}
	Token name = r->tok;
	if (!rd_expect(r, TK_NAME, "a variable or function"))
		return false;
	int id = strmap_getn(&r->global, name.s, name.n), func = strmap_getn(&r->func, name.s, name.n);
	if (id < 0 && func < 0)
		return rd_fail(r, &name, "no variable or function '%.*s'", name.n > 100 ? 100 : (int)name.n,
			name.s);
	x.func = id < 0;
	x.id = id < 0 ? func : id;
	if ((x.generic && !rd_expect(r, ')', "')'")) || !rd_offset(r, &x.addend))
		return false;
	vec_push(&s->reloc, x);
	return true;
}

static bool read_data_element(Reader *r, Symbol *s, uint64_t at)
{
	if (rd_at(r, TK_NAME) && !rd_word(r, "inf") && !rd_word(r, "nan"))
		return type_bytes(s->type) == 8 ? relocation(r, s, at)
			: rd_fail(r, &r->tok, "addresses take 8 bytes; in %s data write: @%llu name",
				type_name[s->type], (unsigned long long)at);
	int64_t v;
	if (!rd_immediate(r, (Type)s->type, &v))
		return false;
	/* the host is little-endian, as the simulated machine is */
	memcpy(s->init + at, &v, (size_t)type_bytes(s->type));
	return true;
}

/* Reads "@8 name" behind its '@': an address at a byte offset, for structures given as bytes. */
static bool placed_address(Reader *r, Symbol *s)
{
	uint64_t at;
	return rd_count(r, UINT32_MAX, &at, "a byte offset") && relocation(r, s, at);
}

static bool elements(Reader *r, Symbol *s)
{
	uint64_t k = 0;
	for (int n = 0; rd_skip_lines(r), !rd_accept(r, '}'); n++) {
		if (n && !rd_expect(r, ',', "',' or '}'"))
			return false;
		rd_skip_lines(r);
		if (n && rd_accept(r, '}'))
			return true;
		if (rd_accept(r, '@')) {
			if (!placed_address(r, s))
				return false;
			continue;
		}
		if (k == s->count)
			return rd_fail(r, &r->tok, "more than the %llu elements declared",
				(unsigned long long)s->count);
		if (!read_data_element(r, s, k++ * (uint64_t)type_bytes(s->type)))
			return false;
	}
	return true;
}

static int by_offset(const void *a, const void *b)
{
	uint32_t x = ((const Reloc *)a)->offset, y = ((const Reloc *)b)->offset;
	return (x > y) - (x < y);
}

bool rd_data(Reader *r, Symbol *s)
{
	Token at = r->tok;
	rd_next(r);
	if (s->count == 0)
		return rd_fail(r, &at, "a variable without size has no initial data");
	if (s->size > DATA_LIMIT || (r->data_bytes += s->size) > DATA_LIMIT)
		return rd_fail(r, &at, "more than %d bytes of initial data", DATA_LIMIT);
	s->init = arena_alloc(&r->m->arena, s->size);
	if (!rd_accept(r, '{'))
		return s->count == 1 ? read_data_element(r, s, 0) : rd_wanted(r, "'{' and the elements");
	bool ok = elements(r, s);
	if (s->reloc.n)
		qsort(s->reloc.v, (size_t)s->reloc.n, sizeof *s->reloc.v, by_offset);
	return ok;
}
