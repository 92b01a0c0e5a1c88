/* Integers: PTX ISA 9.7.1 Integer Arithmetic, 9.7.2 Extended-Precision Integer Arithmetic, 9.7.8 Logic and
   Shift, and prmt. */
#include "tests/isa/reference.h"

static bool named(const Ref *r, const char *name) { return !strcmp(op_info[r->i->op].name, name); }
static Int src(const Ref *r, int k) { return number_of(r->i->type, r->s[k]); }
static UInt usrc(const Ref *r, int k) { return low_of(r->s[k], type_bits[r->i->type]); }
static uint32_t word(const Ref *r, int k) { return (uint32_t)r->s[k]; }
static void give(const Ref *r, Int v) { r->e->d[0] = held(r->i->type, v); }

/* mul: t = a * b; .hi is t<2n-1..n>, .lo t<n-1..0>, .wide all of t. As an n-bit (or 2n-bit) pattern. */
static UInt product(const Ref *r)
{
	int n = type_bits[r->i->type];
	UInt t = signed_type(r->i->type) ? (UInt)(src(r, 0) * src(r, 1)) : usrc(r, 0) * usrc(r, 1);
	return r->i->hilo == HILO_HI ? low_of((uint64_t)(t >> n), n)
		: r->i->hilo == HILO_LO ? low_of((uint64_t)t, n) : t;
}

/* "carry-out [borrow-out] written to CC.CF": of the n-bit addition [subtraction]. */
static void chain(const Ref *r, UInt a, UInt b, bool in, bool minus)
{
	UInt modulus = (UInt)1 << type_bits[r->i->type], out;
	if (minus) {
		give(r, (Int)a - (Int)(b + in));
		out = a < b + in;
	} else {
		give(r, (Int)(uint64_t)(a + b + in));
		out = a + b + in >= modulus;
	}
	if (r->i->cc)
		r->e->carry = out != 0;
}

void ref_chain(const Ref *r)
{
	if (named(r, "madc") || named(r, "mad")) /* d = t<half> + c (+ CC.CF) */
		chain(r, product(r), usrc(r, 2), named(r, "madc") && r->carry_in, false);
	else
		chain(r, usrc(r, 0), usrc(r, 1), (named(r, "addc") || named(r, "subc")) && r->carry_in,
			named(r, "sub") || named(r, "subc"));
}

/* add, sub, mul, mad. ".sat limits result to MININT..MAXINT (no overflow) for the size of the operation." */
void ref_int_arith(const Ref *r)
{
	int t = r->i->type, wide = r->i->hilo == HILO_WIDE ? (int)type_widened((Type)t) : t;
	Int v;
	if (r->i->cc) {
		ref_chain(r);
		return;
	}
	if (named(r, "add"))
		v = src(r, 0) + src(r, 1);
	else if (named(r, "sub"))
		v = src(r, 0) - src(r, 1);
	else if (named(r, "mul"))
		v = (Int)product(r);
	else if (r->i->sat) /* mad.hi.sat.s32 */
		v = number_of(t, (uint64_t)product(r)) + src(r, 2);
	else
		v = (Int)(product(r) + (UInt)number_of(wide, r->s[2]));
	r->e->d[0] = held(wide, r->i->sat ? limited(t, v) : v);
}

/* "the product of two 24-bit integer values held in 32-bit source registers": .hi t<47..16>, .lo t<31..0>;
   mad24 adds c, mad24.hi.sat.s32 "limits result of 32-bit signed addition". */
void ref_mad24(const Ref *r)
{
	Int v[2], t;
	for (int k = 0; k < 2; k++) {
		v[k] = (Int)(r->s[k] & 0xffffff);
		if (signed_type(r->i->type) && v[k] >= 0x800000)
			v[k] -= 0x1000000;
	}
	t = v[0] * v[1];
	t = number_of(r->i->type, (uint64_t)(r->i->hilo == HILO_HI ? t >> 16 : t));
	if (named(r, "mad24"))
		t += src(r, 2);
	give(r, r->i->sat ? limited(r->i->type, t) : t);
}

/* d = c + ((a<b) ? b-a : a-b) */
void ref_sad(const Ref *r)
{
	give(r, src(r, 2) + (src(r, 0) < src(r, 1) ? src(r, 1) - src(r, 0) : src(r, 0) - src(r, 1)));
}

/* "Division by zero yields an unspecified, machine-specific value": doc/semantics.md, all ones; rem gives a.
   Towards zero. */
void ref_div_int(const Ref *r)
{
	Int a = src(r, 0), b = src(r, 1);
	if (named(r, "div"))
		give(r, b ? a / b : -1);
	else
		give(r, b ? a % b : a);
}

void ref_sign_int(const Ref *r) { give(r, named(r, "neg") || src(r, 0) < 0 ? -src(r, 0) : src(r, 0)); }

void ref_minmax_int(const Ref *r)
{
	bool first = named(r, "min") ? src(r, 0) < src(r, 1) : src(r, 0) > src(r, 1);
	give(r, src(r, !first));
}

/* ---- bits; most of these give a u32 ---- */

void ref_popc(const Ref *r)
{
	uint32_t d = 0;
	for (UInt a = usrc(r, 0); a; a >>= 1)
		d += (uint32_t)(a & 1);
	r->e->d[0] = d;
}

void ref_clz(const Ref *r)
{
	uint32_t d = 0, max = type_bits[r->i->type];
	uint64_t mask = (uint64_t)1 << (max - 1);
	for (uint64_t a = r->s[0]; d < max && !(a & mask); a <<= 1)
		d++;
	r->e->d[0] = d;
}

void ref_bfind(const Ref *r)
{
	int msb = type_bits[r->i->type] - 1;
	uint64_t a = r->s[0];
	uint32_t d = 0xffffffff;
	if (signed_type(r->i->type) && a >> msb & 1)
		a = ~a;
	for (int i = msb; i >= 0; i--)
		if (a >> i & 1) {
			d = (uint32_t)i;
			break;
		}
	if (r->i->mode2 == MODE2_SHIFTAMT && d != 0xffffffff)
		d = (uint32_t)msb - d;
	r->e->d[0] = d;
}

void ref_brev(const Ref *r)
{
	int msb = type_bits[r->i->type] - 1;
	for (int i = 0; i <= msb; i++)
		r->e->d[0] |= (r->s[0] >> (msb - i) & 1) << i;
}

void ref_bfe(const Ref *r)
{
	int msb = type_bits[r->i->type] - 1, pos = word(r, 1) & 0xff, len = word(r, 2) & 0xff,
		last = pos + len - 1 < msb ? pos + len - 1 : msb;
	uint64_t d = 0, sbit = !signed_type(r->i->type) || len == 0 ? 0 : r->s[0] >> last & 1;
	for (int i = 0; i <= msb; i++)
		d |= (i < len && pos + i <= msb ? r->s[0] >> (pos + i) & 1 : sbit) << i;
	give(r, (Int)d);
}

void ref_bfi(const Ref *r)
{
	int msb = type_bits[r->i->type] - 1, pos = word(r, 2) & 0xff, len = word(r, 3) & 0xff;
	uint64_t f = r->s[1];
	for (int i = 0; i < len && pos + i <= msb; i++)
		f = (f & ~((uint64_t)1 << (pos + i))) | (r->s[0] >> i & 1) << (pos + i);
	give(r, (Int)f);
}

/* An N-bit value extended: N = 0 gives 0; N >= 32 gives a with .clamp, with .wrap N is taken modulo 32. */
void ref_szext(const Ref *r)
{
	uint32_t n = word(r, 1), a = word(r, 0), d = 0;
	if (n >= 32 && r->i->mode2 == MODE2_CLAMP) {
		r->e->d[0] = a;
		return;
	}
	n &= 31;
	for (uint32_t i = 0; i < 32 && n; i++)
		d |= (i < n ? a >> i & 1 : signed_type(r->i->type) ? a >> (n - 1) & 1 : 0) << i;
	r->e->d[0] = d;
}

/* A mask of b bits from bit a on; .clamp: none when a >= 32, up to bit 31 when it would go further; .wrap: a
   and b modulo 32. */
void ref_bmsk(const Ref *r)
{
	bool wrap = r->i->mode2 == MODE2_WRAP;
	uint64_t a = wrap ? word(r, 0) & 31 : word(r, 0), b = wrap ? word(r, 1) & 31 : word(r, 1), d = 0;
	for (uint64_t i = 0; i < 32; i++)
		d |= (uint64_t)(i >= a && i - a < b) << i;
	r->e->d[0] = d;
}

/* base > 31 is undefined behaviour: doc/semantics.md, not found. */
void ref_fns(const Ref *r)
{
	int64_t base = word(r, 1), offset = (int32_t)word(r, 2), pos = base,
		count = (offset < 0 ? -offset : offset) - 1;
	uint32_t mask = word(r, 0);
	r->e->d[0] = 0xffffffff;
	if (base > 31)
		return;
	if (offset == 0) {
		if (mask >> base & 1)
			r->e->d[0] = (uint64_t)base;
		return;
	}
	for (; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
		if (mask >> pos & 1 && count-- == 0) {
			r->e->d[0] = (uint64_t)pos;
			return;
		}
}

/* dp4a: four products of bytes; dp2a: two of a half word of a with a byte of b, those of b's lower or upper
   half. The types say how a's and b's parts are extended. */
void ref_dp(const Ref *r)
{
	bool four = named(r, "dp4a");
	int ta = four ? (signed_type(r->i->type) ? T_S8 : T_U8) : signed_type(r->i->type) ? T_S16 : T_U16;
	int tb = signed_type(r->i->type2) ? T_S8 : T_U8, from = !four && r->i->hilo == HILO_HI ? 2 : 0;
	Int d = word(r, 2);
	for (int k = 0; k < (four ? 4 : 2); k++)
		d += number_of(ta, word(r, 0) >> (k * type_bits[ta])) *
			number_of(tb, word(r, 1) >> (8 * (from + k)));
	r->e->d[0] = (uint32_t)(uint64_t)d;
}

/* ---- logic and shift ---- */

void ref_logic(const Ref *r)
{
	uint64_t a = r->s[0], b = r->s[1];
	uint64_t d = named(r, "and") ? a & b : named(r, "or") ? a | b : named(r, "xor") ? a ^ b : ~a;
	if (r->i->type == T_PRED)
		r->e->d[0] = d & 1;
	else
		give(r, (Int)d);
}

void ref_cnot(const Ref *r) { r->e->d[0] = usrc(r, 0) == 0; }

/* immLut = F(0xF0, 0xCC, 0xAA): the bits of a, b and c number the table's bits, a's the highest. */
void ref_lop3(const Ref *r)
{
	for (int i = 0; i < 32; i++) {
		unsigned index = (word(r, 0) >> i & 1) * 4 + (word(r, 1) >> i & 1) * 2 +
			(word(r, 2) >> i & 1);
		r->e->d[0] |= (r->s[3] >> index & 1) << i;
	}
}

/* "Shift amounts greater than the register width N are clamped to N"; the amount is a u32; s types fill with
   the sign. */
void ref_shift(const Ref *r)
{
	int n = type_bits[r->i->type], by = word(r, 1) < (uint32_t)n ? (int)word(r, 1) : n;
	if (named(r, "shl"))
		give(r, (Int)(uint64_t)(usrc(r, 0) << by));
	else
		give(r, src(r, 0) >> by);
}

/* n = .clamp ? min(c, 32) : c & 31; .l: the most significant half of b:a << n, .r: the least significant of
   b:a >> n */
void ref_shf(const Ref *r)
{
	uint32_t c = word(r, 2), n = r->i->mode2 == MODE2_CLAMP ? (c < 32 ? c : 32) : c & 31;
	UInt both = (UInt)word(r, 1) << 32 | word(r, 0);
	r->e->d[0] = (uint32_t)(r->i->mode == MODE_L ? (both << n) >> 32 : both >> n);
}

/* Bytes 0..3 are a's, 4..7 b's. Without a mode, nibble k of c picks byte k of d, its bit 3 replicates the
   byte's sign. The modes take c's two lowest bits; what each picks stands in the manual's table of modes. */
void ref_prmt(const Ref *r)
{
	static const struct { uint8_t mode; const char *byte3210[4]; } table[] = {
		{ MODE_F4E, { "3210", "4321", "5432", "6543" } },
		{ MODE_B4E, { "5670", "6701", "7012", "0123" } },
		{ MODE_RC8, { "0000", "1111", "2222", "3333" } },
		{ MODE_ECL, { "3210", "3211", "3222", "3333" } },
		{ MODE_ECR, { "0000", "1110", "2210", "3210" } },
		{ MODE_RC16, { "1010", "3232", "1010", "3232" } },
	};
	uint32_t c = word(r, 2);
	uint64_t d = 0;
	for (int k = 0; k < 4; k++) {
		unsigned pick = c >> (4 * k) & 15;
		for (size_t m = 0; m < sizeof table / sizeof *table; m++)
			if (table[m].mode == r->i->mode)
				pick = (unsigned)(table[m].byte3210[c & 3][3 - k] - '0');
		uint64_t byte = (pick & 7) < 4 ? word(r, 0) >> (8 * (pick & 7)) & 255
			: word(r, 1) >> (8 * (pick & 3)) & 255;
		if (pick & 8)
			byte = byte & 0x80 ? 0xff : 0;
		d |= byte << (8 * k);
	}
	r->e->d[0] = d;
}
