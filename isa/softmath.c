#include "isa/softmath.h"

__extension__ typedef unsigned __int128 u128;

/* least: exponent of the smallest subnormal */
typedef struct Format { int precision, least; uint64_t inf, nan; } Format;
static const Format formats[T_COUNT] = {
	[T_F16] = { 11, -24, 0x7c00, NAN16 },
	[T_F32] = { 24, -149, 0x7f800000, NAN32 },
	[T_F64] = { 53, -1074, 0x7ff0000000000000, NAN64 },
};

typedef struct Num {
	enum { ZERO, FINITE, INF, NOT_A_NUMBER } kind;
	bool negative;
	uint64_t sig;      /* FINITE: value = sig * 2^exp */
	int exp;
} Num;

static Num unpack_num(Type t, uint64_t a)
{
	const Format *f = &formats[t];
	uint64_t sign = (uint64_t)1 << (type_bits[t] - 1), mag = a & (sign - 1);
	Num n = { ZERO, (a & sign) != 0, 0, 0 };
	if (mag > f->inf)
		n.kind = NOT_A_NUMBER;
	else if (mag == f->inf)
		n.kind = INF;
	else if (mag) {
		int e = (int)(mag >> (f->precision - 1));
		n.kind = FINITE;
		n.sig = mag & (((uint64_t)1 << (f->precision - 1)) - 1);
		if (e)
			n.sig |= (uint64_t)1 << (f->precision - 1);
		n.exp = f->least + (e ? e - 1 : 0);
	}
	return n;
}

static uint64_t signed_bits(Type t, bool negative, uint64_t mag)
{
	return mag | (uint64_t)negative << (type_bits[t] - 1);
}
static uint64_t infinity(Type t, bool negative) { return signed_bits(t, negative, formats[t].inf); }
static uint64_t nan_of(Type t) { return formats[t].nan; }
/* The NaN that an operation on a, b and c gives whose result is a NaN, be it because of an operand or not. */
static uint64_t nan_from(Type t, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t first = soft_is_nan(t, a) ? a : soft_is_nan(t, b) ? b : c;
	return t == T_F64 && soft_is_nan(t, first) ? first | QUIET64 : nan_of(t);
}
static int high_bit(u128 x)
{
	return (uint64_t)(x >> 64) ? 127 - __builtin_clzll((uint64_t)(x >> 64))
		: 63 - __builtin_clzll((uint64_t)x);
}

static bool rounds_up(Rnd r, bool negative, bool odd, bool half, bool rest)
{
	switch (r) {
	case RND_RZ: case RND_RZI: return false;
	case RND_RM: case RND_RMI: return negative && (half || rest);
	case RND_RP: case RND_RPI: return !negative && (half || rest);
	default: return half && (rest || odd);
	}
}

/* Rounds sig * 2^exp (sig > 0) to the format. If bits were lost below sig, the last bit of sig must be set,
   and sig must have at least two bits more than the format. */
static uint64_t round_pack(Type t, bool negative, u128 sig, int exp, Rnd r)
{
	const Format *f = &formats[t];
	int q = exp + high_bit(sig) - (f->precision - 1); /* exponent of the result's last place */
	if (q < f->least)
		q = f->least;
	int shift = q - exp;
	u128 n;
	if (shift <= 0) {
		n = sig << -shift;
	} else {
		bool half = shift <= 128 && (sig >> (shift - 1) & 1);
		bool rest = shift > 128 || (sig & (((u128)1 << (shift - 1)) - 1)) != 0;
		n = shift >= 128 ? 0 : sig >> shift;
		n += rounds_up(r, negative, n & 1, half, rest);
	}
	if (q - f->least > 5000)
		q = f->least + 5000;
	u128 mag = ((u128)(unsigned)(q - f->least) << (f->precision - 1)) + n;
	if (mag >= f->inf) {
		bool to_max = r == RND_RZ || (r == RND_RM && !negative) || (r == RND_RP && negative);
		mag = f->inf - to_max;
	}
	return signed_bits(t, negative, (uint64_t)mag);
}

/* x >> n, with the last bit set if bits that are not 0 were shifted out */
static u128 shift_jam(u128 x, int n)
{
	if (n >= 128)
		return x != 0;
	return x >> n | (n && (x & (((u128)1 << n) - 1)) != 0);
}

/* The sum of two non-zero terms of at most 106 bits. */
static uint64_t add_terms(Type t, bool na, u128 a, int ea, bool nb, u128 b, int eb, Rnd r)
{
	int ta = high_bit(a), tb = high_bit(b);
	/* exchange the terms unless a has the higher top bit, or with equal ones the smaller exponent */
	if (ta + ea < tb + eb || (ta + ea == tb + eb && (ea > eb))) {
		bool n = na; na = nb; nb = n;
		u128 x = a; a = b; b = x;
		int e = ea; ea = eb; eb = e;
		ta = tb;
	}
	a <<= 125 - ta;
	ea -= 125 - ta;
	if (eb >= ea)
		b <<= eb - ea;
	else
		b = shift_jam(b, ea - eb);
	if (na == nb)
		return round_pack(t, na, a + b, ea, r);
	if (a == b)
		return signed_bits(t, r == RND_RM, 0);
	return a > b ? round_pack(t, na, a - b, ea, r) : round_pack(t, nb, b - a, ea, r);
}

uint64_t soft_fma(Type t, uint64_t ab, uint64_t bb, uint64_t cb, Rnd r)
{
	Num a = unpack_num(t, ab), b = unpack_num(t, bb), c = unpack_num(t, cb);
	bool np = a.negative != b.negative;
	if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER || c.kind == NOT_A_NUMBER)
		return nan_from(t, ab, bb, cb);
	if (a.kind == INF || b.kind == INF) {
		if (a.kind == ZERO || b.kind == ZERO || (c.kind == INF && c.negative != np))
			return nan_of(t);
		return infinity(t, np);
	}
	if (c.kind == INF)
		return cb;
	if (a.kind == ZERO || b.kind == ZERO) {
		if (c.kind != ZERO)
			return cb;
		return signed_bits(t, np == c.negative ? np : r == RND_RM, 0);
	}
	u128 p = (u128)a.sig * b.sig;
	if (c.kind == ZERO)
		return round_pack(t, np, p, a.exp + b.exp, r);
	return add_terms(t, np, p, a.exp + b.exp, c.negative, c.sig, c.exp, r);
}

uint64_t soft_add(Type t, uint64_t a, uint64_t b, Rnd r)
{
	return soft_fma(t, a, soft_from_int(t, false, 1, RND_RN), b, r);
}

uint64_t soft_mul(Type t, uint64_t a, uint64_t b, Rnd r)
{
	uint64_t sign = (uint64_t)1 << (type_bits[t] - 1);
	return soft_fma(t, a, b, (a ^ b) & sign, r);
}

static int normalise(Num *n) /* moves the top bit of sig to bit 63 */
{
	int s = __builtin_clzll(n->sig);
	n->sig <<= s;
	n->exp -= s;
	return s;
}

uint64_t soft_div(Type t, uint64_t ab, uint64_t bb, Rnd r)
{
	Num a = unpack_num(t, ab), b = unpack_num(t, bb);
	bool neg = a.negative != b.negative;
	if (a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER || (a.kind == INF && b.kind == INF)
		|| (a.kind == ZERO && b.kind == ZERO))
		return nan_from(t, ab, bb, bb);
	if (a.kind == INF || b.kind == ZERO)
		return infinity(t, neg);
	if (b.kind == INF || a.kind == ZERO)
		return signed_bits(t, neg, 0);
	normalise(&a);
	normalise(&b);
	u128 n = (u128)a.sig << 63, q = n / b.sig;
	return round_pack(t, neg, q << 1 | (n % b.sig != 0), a.exp - b.exp - 64, r);
}

uint64_t soft_sqrt(Type t, uint64_t ab, Rnd r)
{
	Num a = unpack_num(t, ab);
	if (a.kind == NOT_A_NUMBER || (a.negative && a.kind != ZERO))
		return nan_from(t, ab, ab, ab);
	if (a.kind != FINITE)
		return ab;
	normalise(&a);
	u128 x = (u128)a.sig << ((a.exp & 1) ? 63 : 62); /* so that the exponent e is even */
	int e = a.exp - ((a.exp & 1) ? 63 : 62);
	u128 root = 0, rest = x;
	for (u128 bit = (u128)1 << 126; bit; bit >>= 2) { /* bit by bit of the root */
		if (rest >= root + bit) {
			rest -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return round_pack(t, false, root << 1 | (rest != 0), e / 2 - 1, r);
}

uint64_t soft_convert(Type to, Type from, uint64_t ab, Rnd r)
{
	Num a = unpack_num(from, ab);
	if (a.kind == NOT_A_NUMBER && to == T_F64)
		return from == T_F64 ? ab : soft_widen_nan(from == T_F32 ? (uint32_t)ab : NAN32);
	switch (a.kind) {
	case NOT_A_NUMBER: return nan_of(to);
	case INF: return infinity(to, a.negative);
	case ZERO: return signed_bits(to, a.negative, 0);
	default: return round_pack(to, a.negative, a.sig, a.exp, r);
	}
}

/* sig * 2^exp rounded to an integer; exp < 0. */
static uint64_t round_sig(const Num *a, Rnd r)
{
	int s = -a->exp;
	if (s > 64)
		return rounds_up(r, a->negative, false, false, true);
	uint64_t n = s == 64 ? 0 : a->sig >> s;
	bool half = a->sig >> (s - 1) & 1, rest = (a->sig & (((uint64_t)1 << (s - 1)) - 1)) != 0;
	return n + rounds_up(r, a->negative, n & 1, half, rest);
}

uint64_t soft_integral(Type t, uint64_t ab, Rnd r)
{
	Num a = unpack_num(t, ab);
	if (a.kind == NOT_A_NUMBER)
		return nan_from(t, ab, ab, ab);
	if (a.kind != FINITE || a.exp >= 0)
		return ab;
	return soft_from_int(t, false, round_sig(&a, r), RND_RN) | (uint64_t)a.negative << (type_bits[t] - 1);
}

uint64_t soft_from_int(Type to, bool negative, uint64_t magnitude, Rnd r)
{
	return magnitude ? round_pack(to, negative, magnitude, 0, r) : 0;
}

uint64_t soft_to_int(Type to, Type from, uint64_t ab, Rnd r)
{
	Num a = unpack_num(from, ab);
	int bits = type_bits[to];
	bool is_signed = type_kind[to] == 'S';
	uint64_t most = is_signed ? ((uint64_t)1 << (bits - 1)) - 1 : ~(uint64_t)0 >> (64 - bits);
	uint64_t least = is_signed ? most + 1 : 0; /* the magnitude of the least value */
	if (a.kind == NOT_A_NUMBER)
		return from == T_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
	if (a.kind == ZERO)
		return 0;
	uint64_t limit = a.negative ? least : most, n;
	if (a.kind == INF || (a.exp > 0 && (a.exp > 63 || a.sig >> (64 - a.exp))))
		n = limit;
	else
		n = a.exp >= 0 ? a.sig << a.exp : round_sig(&a, r == RND_NONE ? RND_RZI : r);
	if (n > limit)
		n = limit;
	return a.negative ? 0 - n : n;
}

uint64_t soft_flush(Type t, uint64_t a)
{
	uint64_t sign = (uint64_t)1 << (type_bits[t] - 1);
	return (a & formats[t].inf) ? a : a & sign;
}

bool soft_is_nan(Type t, uint64_t a)
{
	return (a & (((uint64_t)1 << (type_bits[t] - 1)) - 1)) > formats[t].inf;
}

uint64_t soft_saturate(Type t, uint64_t a)
{
	uint64_t one = soft_from_int(t, false, 1, RND_RN);
	if (soft_is_nan(t, a) || a >> (type_bits[t] - 1))
		return 0;
	return a > one ? one : a;
}
