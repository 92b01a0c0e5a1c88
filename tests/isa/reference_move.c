/* Comparison, selection, conversion and movement: PTX ISA 9.3 (comparisons), 9.7.6 and 9.7.9; values in
   memory. */
#include "tests/isa/reference.h"

/* ---- comparisons (tables of 9.3.1) ---- */

static bool ordered(int cmp, double a, double b)
{
	switch (cmp) {
	case CMP_EQ: case CMP_EQU: return a == b;
	case CMP_NE: case CMP_NEU: return a != b;
	case CMP_LT: case CMP_LTU: return a < b;
	case CMP_LE: case CMP_LEU: return a <= b;
	case CMP_GT: case CMP_GTU: return a > b;
	case CMP_GE: case CMP_GEU: return a >= b;
	default: return true; /* num */
	}
}

static bool compare_floats(const Ins *i, int t, uint64_t x, uint64_t y)
{
	double a = reference_number(t, i->ftz ? reference_flush(t, x) : x),
		b = reference_number(t, i->ftz ? reference_flush(t, y) : y);
	bool nan = a != a || b != b;
	if (i->cmp == CMP_NAN)
		return nan;
	if (nan)
		return i->cmp >= CMP_EQU && i->cmp <= CMP_GEU;
	return ordered(i->cmp, a, b);
}

/* lo ls hi hs stand for lt le gt ge of unsigned values; s types with them are taken as unsigned ones
   (doc/semantics.md). */
static bool compare(const Ins *i, int t, uint64_t x, uint64_t y)
{
	if (float_type(t))
		return compare_floats(i, t, x, y);
	bool as_unsigned = i->cmp >= CMP_LO && i->cmp <= CMP_HS;
	Int a = as_unsigned ? (Int)low_of(x, type_bits[t]) : number_of(t, x),
		b = as_unsigned ? (Int)low_of(y, type_bits[t]) : number_of(t, y);
	switch (i->cmp) {
	case CMP_EQ: return a == b;
	case CMP_NE: return a != b;
	case CMP_LT: case CMP_LO: return a < b;
	case CMP_LE: case CMP_LS: return a <= b;
	case CMP_GT: case CMP_HI: return a > b;
	default: return a >= b;
	}
}

static bool combined(const Ins *i, bool t, bool c)
{
	return i->boolop == BOOL_AND ? t && c : i->boolop == BOOL_OR ? t || c : i->boolop == BOOL_XOR ? t != c
		: t;
}

/* p = BoolOp(t, c), q = BoolOp(!t, c) */
void ref_setp(const Ref *r)
{
	bool t = compare(r->i, r->i->type, r->s[0], r->s[1]);
	r->e->d[0] = combined(r->i, t, r->s[2] & 1);
	r->e->d[1] = combined(r->i, !t, r->s[2] & 1);
}

/* 1.0f for floating-point destinations, all ones for integers, else 0 */
void ref_set(const Ref *r)
{
	bool t = combined(r->i, compare(r->i, r->i->type2, r->s[0], r->s[1]), r->s[2] & 1);
	r->e->d[0] = !t ? 0 : float_type(r->i->type) ? 0x3f800000 : 0xffffffff;
}

/* ---- selection and movement: bits, as a register of the type holds them ---- */

static uint64_t moved(int t, uint64_t v)
{
	return t == T_PRED ? v & 1 : float_type(t) ? low_of(v, type_bits[t]) : held(t, (Int)v);
}
void ref_selp(const Ref *r) { r->e->d[0] = moved(r->i->type, r->s[r->s[2] & 1 ? 0 : 1]); }
void ref_mov(const Ref *r) { r->e->d[0] = moved(r->i->type, r->s[0]); }

/* "negative zero equals zero"; .ftz flushes c; "if operand c is NaN, the comparison is unordered and operand
   b is selected" */
void ref_slct(const Ref *r)
{
	bool first;
	if (r->i->type2 == T_F32)
		first = reference_number(T_F32, r->i->ftz ? reference_flush(T_F32, r->s[2]) : r->s[2]) >= 0;
	else
		first = number_of(r->i->type2, r->s[2]) >= 0;
	r->e->d[0] = moved(r->i->type, r->s[!first]);
}

/* d = a.x | (a.y << n/2), and so on */
void ref_pack(const Ref *r)
{
	int part = type_bits[r->i->type] / r->i->nsrc;
	for (int k = 0; k < r->i->nsrc; k++)
		r->e->d[0] |= low_of(r->s[k], part) << (k * part);
}
void ref_unpack(const Ref *r)
{
	int part = type_bits[r->i->type] / r->i->ndst;
	for (int k = 0; k < r->i->ndst; k++)
		r->e->d[k] = low_of(r->s[0] >> (k * part), part);
}

/* A window of 2^32 bytes of the generic addresses maps to shared, another to local memory (where they lie is
   gsim's affair); "an address maps to global memory unless it falls within a window", const and param lie in
   global memory. */
static uint64_t window(int space)
{
	return space == SP_SHARED ? (uint64_t)1 << 40 : space == SP_LOCAL ? (uint64_t)2 << 40 : 0;
}
static int space_of(uint64_t generic)
{
	return generic >> 32 == window(SP_SHARED) >> 32 ? SP_SHARED
		: generic >> 32 == window(SP_LOCAL) >> 32 ? SP_LOCAL : SP_GLOBAL;
}
void ref_cvta(const Ref *r)
{
	uint64_t by = window(r->i->space);
	r->e->d[0] = low_of(r->i->flags & INSF_TO ? r->s[0] - by : r->s[0] + by, type_bits[r->i->type]);
}
void ref_isspacep(const Ref *r)
{
	int space = r->i->space == SP_SHARED || r->i->space == SP_LOCAL ? r->i->space : SP_GLOBAL;
	r->e->d[0] = space_of(r->s[0]) == space;
}

/* ---- cvt ---- */

/* A finite number: sign and m * 2^e. */
typedef struct Exact { bool negative; uint64_t m; int e; } Exact;

static Exact exact_float(int t, uint64_t v)
{
	int e;
	double x = frexp(reference_number(t, v), &e);
	return (Exact){ signbit(x) != 0, (uint64_t)ldexp(fabs(x), 53), e - 53 };
}

/* |x| / 2^unit, rounded to an integer: "nearest, ties to even", "towards zero", "negative infinity",
   "positive infinity". */
static UInt rounded(Exact x, int unit, int rnd)
{
	int down = unit - x.e;
	if (down <= 0)
		/* beyond 2^63 every destination is at its limit */
		return down < -63 ? (UInt)x.m << 63 : (UInt)x.m << -down;
	UInt q = down > 64 ? 0 : (UInt)x.m >> down, rest = down > 64 ? x.m : (UInt)x.m - (q << down);
	bool inexact = rest != 0;
	if (rnd == RND_RZ || rnd == RND_RZI || !inexact)
		return q;
	if (rnd == RND_RM || rnd == RND_RMI)
		return q + x.negative;
	if (rnd == RND_RP || rnd == RND_RPI)
		return q + !x.negative;
	if (down > 65)
		return q; /* less than half */
	UInt half = (UInt)1 << (down - 1);
	return q + (rest > half || (rest == half && (q & 1)));
}

/* A finite number in a floating-point format: the unit is that of its binade, or of the subnormals. */
static uint64_t narrowed(int t, Exact x, int rnd)
{
	int precision = t == T_F16 ? 11 : t == T_F32 ? 24 : 53,
		least = t == T_F16 ? -24 : t == T_F32 ? -149 : -1074;
	int biggest = t == T_F16 ? 16 : t == T_F32 ? 128 : 1024, top = 0;
	uint64_t sign = (uint64_t)x.negative << (type_bits[t] - 1),
		inf = (uint64_t)(2 * biggest - 1) << (precision - 1);
	for (uint64_t m = x.m; m; m >>= 1)
		top++;
	if (!x.m)
		return sign;
	int unit = x.e + top - precision;
	if (unit < least)
		unit = least;
	uint64_t q = (uint64_t)rounded(x, unit, rnd);
	uint64_t v = (uint64_t)(unit - least) << (precision - 1);
	v += q; /* a q of `precision` bits adds its leading one to the exponent */
	if (v < inf)
		return sign | v;
	bool to_largest = rnd == RND_RZ || (rnd == RND_RM && !x.negative) || (rnd == RND_RP && x.negative);
	return sign | (inf - to_largest); /* overflow, IEEE 754 7.4 */
}

/* The manual does not say which NaN a conversion gives: doc/semantics.md. To f64 the payload stays, as where
   ptxas folds. */
static uint64_t converted_nan(const Ins *i, uint64_t v)
{
	if (i->type == T_F16)
		return 0x7fff;
	if (i->type == T_F32)
		return 0x7fffffff;
	if (i->type2 == T_F64)
		return i->rnd ? v | 0x0008000000000000 : v;
	uint64_t f = i->type2 == T_F32 ? low_of(v, 32) : 0x7fffffff;
	return (f >> 31) << 63 | 0x7ff8000000000000 | (f & 0x7fffff) << 29;
}

/* ".sat limits the result to [0.0, 1.0]. NaN results are flushed to positive zero. Applies to .f16, .f32, and
   .f64 types." */
static uint64_t to_float(const Ins *i, uint64_t v)
{
	int t = i->type;
	double x = reference_number(t, v);
	if (i->sat)
		v = x >= 1 ? (t == T_F16 ? 0x3c00 : t == T_F32 ? 0x3f800000 : 0x3ff0000000000000) : x > 0 ? v
			: 0;
	/* "applies only to single precision inputs and results" */
	return i->ftz && t == T_F32 ? reference_flush(t, v) : v;
}

static void float_to_int(const Ref *r, uint64_t v)
{
	int t = r->i->type, from = r->i->type2;
	double x = reference_number(from, v);
	if (x != x) { /* Integer Notes: zero, or 1 << (BitWidth(dst) - 1) from f64 and to s64, u64 */
		bool zero = from != T_F64 && t != T_S64 && t != T_U64;
		r->e->d[0] = zero ? 0 : held(t, (Int)1 << (type_bits[t] - 1));
		return;
	}
	Int n = isinf(x) ? (Int)1 << 100 : (Int)rounded(exact_float(from, v), 0, r->i->rnd);
	/* "the result is clamped to the destination range by default" */
	r->e->d[0] = held(t, limited(t, signbit(x) ? -n : n));
}

void ref_cvt(const Ref *r)
{
	const Ins *i = r->i;
	int t = i->type, from = i->type2;
	if (!float_type(from)) {
		Int n = number_of(from, r->s[0]);
		if (float_type(t))
			r->e->d[0] = to_float(i, narrowed(t, (Exact){ n < 0, (uint64_t)(n < 0 ? -n : n), 0 },
				i->rnd));
		else
			r->e->d[0] = held(t, i->sat ? limited(t, n) : n);
		return;
	}
	uint64_t v = i->ftz && from == T_F32 ? reference_flush(from, r->s[0])
		: low_of(r->s[0], type_bits[from]);
	double x = reference_number(from, v);
	if (!float_type(t)) {
		float_to_int(r, v);
	} else if (x != x) {
		r->e->d[0] = to_float(i, converted_nan(i, v));
	} else if (isinf(x)) {
		r->e->d[0] = to_float(i, narrowed(t, (Exact){ x < 0, 1, 1100 }, RND_RN));
	} else {
		Exact e = exact_float(from, v);
		/* "the result is an integral value, stored in floating-point format" */
		if (i->rnd >= RND_RNI && e.e < 0)
			e = (Exact){ e.negative, (uint64_t)rounded(e, 0, i->rnd), 0 };
		r->e->d[0] = to_float(i, narrowed(t, e, i->rnd >= RND_RNI ? RND_RN : i->rnd));
	}
}

/* ---- values in memory ---- */

/* 9.4.1: "the destination data is zero- or sign-extended to the size of the destination register". */
uint64_t reference_load(Type t, Type reg, uint64_t v)
{
	uint64_t wide = signed_type(t) ? (uint64_t)number_of(t, v) : low_of(v, type_bits[t]);
	return low_of(wide, type_bits[reg]);
}

/* 9.7.13 Parallel Synchronization: atom, red; redux.sync combines likewise. inc: d >= b ? 0 : d+1; dec: d ==
   0 || d > b ? b : d-1; cas: d == b ? c : d; exch: b. add of floats "rounds to nearest even. Current
   implementation of atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving
   zero; whereas atom.add.f32 on shared memory supports subnormal inputs and results". */
uint64_t reference_atomic(const char *op, Type t, Space space, uint64_t old, uint64_t b, uint64_t c)
{
	int n = type_bits[t];
	Int x = number_of(t, old), y = number_of(t, b);
	uint64_t u = low_of(old, n), v = low_of(b, n);
	if (float_type(t) && !strcmp(op, "add")) {
		Ins add = { .op = (uint8_t)op_lookup("add", 3), .type = (uint8_t)t, .ndst = 1, .nsrc = 2,
			.ftz = t == T_F32 && space == SP_GLOBAL };
		Expected e;
		reference_alu(&add, (const uint64_t[8]){ u, v }, false, &e);
		return e.d[0];
	}
	if (!strcmp(op, "add"))
		return low_of(u + v, n);
	if (!strcmp(op, "min"))
		return x < y ? u : v;
	if (!strcmp(op, "max"))
		return x > y ? u : v;
	if (!strcmp(op, "and"))
		return u & v;
	if (!strcmp(op, "or"))
		return u | v;
	if (!strcmp(op, "xor"))
		return u ^ v;
	if (!strcmp(op, "exch"))
		return v;
	if (!strcmp(op, "cas"))
		return u == v ? low_of(c, n) : u;
	if (!strcmp(op, "inc"))
		return u >= v ? 0 : low_of(u + 1, n);
	return u == 0 || u > v ? v : u - 1;
}
