/* Floating point: PTX ISA 9.7.3. The host's arithmetic is IEEE 754's, and its rounding mode is set where it
   matters. */
#include "tests/isa/reference.h"
#include <fenv.h>

#define QUIET64 0x0008000000000000u
#define DEFAULT_NAN64 0xfff8000000000000u
#define CANONICAL_NAN32 0x7fffffffu

static bool named(const Ref *r, const char *name) { return !strcmp(op_info[r->i->op].name, name); }

double reference_number(int t, uint64_t v)
{
	int fraction = t == T_F16 ? 10 : t == T_F32 ? 23 : 52, width = type_bits[t],
		bias = (1 << (width - fraction - 2)) - 1;
	uint64_t m = low_of(v, fraction);
	int e = (int)low_of(v >> fraction, width - fraction - 1);
	double x;
	if (e == 2 * bias + 1)
		x = m ? NAN : INFINITY;
	else if (e == 0)
		x = ldexp((double)m, 1 - bias - fraction);
	else
		x = ldexp((double)(m | (uint64_t)1 << fraction), e - bias - fraction);
	return v >> (width - 1) & 1 ? copysign(x, -1) : copysign(x, 1);
}

uint64_t reference_flush(int t, uint64_t v)
{
	double x = reference_number(t, v);
	bool subnormal = x != 0 && fabs(x) < (t == T_F32 ? 0x1p-126 : t == T_F64 ? 0x1p-1022 : 0x1p-14);
	return subnormal ? v & (uint64_t)1 << (type_bits[t] - 1) : low_of(v, type_bits[t]);
}

/* Source k: ".ftz flushes subnormal inputs and results to sign-preserving zero". */
static uint64_t bits(const Ref *r, int k)
{
	int t = r->i->type;
	return r->i->ftz ? reference_flush(t, r->s[k]) : low_of(r->s[k], type_bits[t]);
}
static double src(const Ref *r, int k) { return reference_number(r->i->type, bits(r, k)); }
static uint64_t bits64(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static uint64_t bits32(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }

/* ".sat clamps the result to [0.0, 1.0], NaN results are flushed to +0.0f"; -0 becomes +0
   (doc/semantics.md). */
static void give32(const Ref *r, float x)
{
	if (r->i->sat)
		x = x > 0 ? (x < 1 ? x : 1) : 0;
	if (x != x) /* "single-precision instructions return an unspecified NaN": doc/semantics.md names it */
		r->e->d[0] = CANONICAL_NAN32;
	else
		r->e->d[0] = r->i->ftz ? reference_flush(T_F32, bits32(x)) : bits32(x);
}

/* "NaN payloads are supported for double-precision instructions"; which one where several operands are NaNs,
   and what an invalid operation gives, doc/semantics.md says: the first, quiet; the default NaN. */
static void give64(const Ref *r, double x)
{
	r->e->d[0] = bits64(x);
	if (x == x)
		return;
	r->e->d[0] = DEFAULT_NAN64;
	for (int k = r->i->nsrc - 1; k >= 0; k--)
		if (is_nan(T_F64, r->s[k]))
			r->e->d[0] = r->s[k] | QUIET64;
}
static void give(const Ref *r, double x) /* exact in the type */
{
	if (r->i->type == T_F64)
		give64(r, x);
	else
		give32(r, (float)x);
}

static void set_rounding(const Ref *r)
{
	static const int mode[] = { [RND_NONE] = FE_TONEAREST, [RND_RN] = FE_TONEAREST,
		[RND_RZ] = FE_TOWARDZERO,
		[RND_RM] = FE_DOWNWARD, [RND_RP] = FE_UPWARD };
	fesetround(mode[r->i->rnd]);
}

/* add sub mul mad fma; "mad.{f32,f64} is the same as fma.{f32,f64}". The default rounding is .rn. */
void ref_float_arith(const Ref *r)
{
	volatile double a = src(r, 0), b = src(r, 1), c = r->i->nsrc > 2 ? src(r, 2) : 0, d;
	volatile float x = (float)a, y = (float)b, z = (float)c, f;
	set_rounding(r);
	if (named(r, "add"))
		d = a + b, f = x + y;
	else if (named(r, "sub"))
		d = a - b, f = x - y;
	else if (named(r, "mul"))
		d = a * b, f = x * y;
	else
		d = fma(a, b, c), f = fmaf(x, y, z);
	fesetround(FE_TONEAREST);
	if (r->i->type == T_F64)
		give64(r, d);
	else
		give32(r, f);
}

/* ---- approximations ---- */

static double ulp32(double x)
{
	int e;
	frexp(x, &e);
	return ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* exact within error; room for the rounding of a subnormal result, and for .ftz of one. */
static void give_about(const Ref *r, double exact, double error)
{
	Expected *e = r->e;
	double least = r->i->type == T_F32 ? 0x1p-126 : 0x1p-1022;
	if (exact != exact || exact == 0 || (r->i->type == T_F32 && fabs(exact) >= 0x1p128)) {
		give(r, exact);
		return;
	}
	e->approximate = true;
	e->exact = exact;
	e->error = error + (r->i->type == T_F32 && fabs(exact) < least * 2 ? 0x1p-150 : 0);
	e->may_flush = r->i->ftz && fabs(exact) < least * (1 + 0x1p-20);
}

static void ieee_quotient(const Ref *r, double dividend, double divisor)
{
	volatile double a = dividend, b = divisor, d;
	volatile float x = (float)a, y = (float)b, f;
	set_rounding(r);
	d = a / b, f = x / y;
	fesetround(FE_TONEAREST);
	if (r->i->type == T_F64)
		give64(r, d);
	else
		give32(r, f);
}

/* div.full: "maximum ulp error is 2 across the full range". div.approx: "computed as d = a * (1/b)"; for |b|
   in [2^-126, 2^126] within 2 ulp; for 2^126 < |b| < 2^128 NaN if a is infinite, otherwise a sign-preserving
   zero. For smaller b nothing is promised: doc/semantics.md, a times the rounded reciprocal. */
void ref_float_div(const Ref *r)
{
	double a = src(r, 0), b = src(r, 1), q = a / b;
	if (r->i->approx == APPROX_NONE) {
		ieee_quotient(r, a, b);
	} else if (r->i->approx == APPROX_APPROX && b != 0 && fabs(b) < 0x1p-126) {
		volatile float reciprocal = 1 / (float)b, f = (float)a * reciprocal;
		give32(r, f);
	} else if (a != a || b != b || isinf(a) || isinf(b) || a == 0 || b == 0) {
		bool huge = r->i->approx == APPROX_APPROX && isinf(a) && fabs(b) > 0x1p126;
		give(r, huge ? NAN : q);
	} else if (r->i->approx == APPROX_FULL) {
		give_about(r, q, 2 * ulp32(q));
	} else if (fabs(b) > 0x1p126) {
		give(r, copysign(0, q));
	} else {
		give_about(r, q, 2 * ulp32(q));
	}
}

/* rcp.approx.ftz.f64, rsqrt.approx.ftz.f64: the upper 32 bits of the operand, subnormals flushed, give the
   upper 32 bits of the result; the lower ones are zero; "input NaNs map to a canonical NaN with encoding
   0x7fffffff00000000". The error is not stated: one unit of the 20 bits of mantissa. */
static void coarse(const Ref *r)
{
	/* of a NaN with a payload below them: an infinity */
	uint64_t upper = r->s[0] & ~(uint64_t)0xffffffff;
	double a = reference_number(T_F64, reference_flush(T_F64, upper)),
		x = named(r, "rcp") ? 1 / a : 1 / sqrt(a);
	if (a != a) {
		r->e->d[0] = 0x7fffffff00000000;
		return;
	}
	/* a negative number's root: a NaN, which doc/semantics.md says is the canonical one */
	if (x != x || isinf(x) || x == 0) {
		r->e->d[0] = x != x ? 0x7fffffff00000000 : bits64(x);
		return;
	}
	if (fabs(x) < 0x1p-1022) {
		r->e->d[0] = bits64(copysign(0, x));
		return;
	}
	give_about(r, x, fabs(x) * 0x1p-20);
	r->e->zeros = 32;
}

/* Infinity gives zero and zero infinity, of the sign; .approx within 2^-23 of the value. */
void ref_rcp(const Ref *r)
{
	double a = src(r, 0);
	if (r->i->approx == APPROX_NONE)
		ieee_quotient(r, 1, a);
	else if (r->i->type == T_F64)
		coarse(r);
	else
		give_about(r, 1 / a, fabs(1 / a) * 0x1p-23);
}

/* -Inf and negative numbers give NaN, -0.0 itself; .approx within a relative error of 2^-23. */
void ref_sqrt(const Ref *r)
{
	volatile double a = src(r, 0), d;
	volatile float x = (float)a, f;
	if (r->i->approx != APPROX_NONE) {
		give_about(r, isinf(a) && a > 0 ? a : sqrt(a), sqrt(a) * 0x1p-23);
		return;
	}
	set_rounding(r);
	d = sqrt(a), f = sqrtf(x);
	fesetround(FE_TONEAREST);
	if (r->i->type == T_F64)
		give64(r, d);
	else
		give32(r, f);
}

/* As sqrt, of zero an infinity of its sign, of infinity +0.0; f32 within a relative error of 2^-22.9, which
   is not stated for f64 (doc/semantics.md: rounded twice). */
void ref_rsqrt(const Ref *r)
{
	double a = src(r, 0), x = 1 / sqrt(a);
	if (r->i->type == T_F64 && r->i->ftz)
		coarse(r);
	else if (r->i->type == T_F64 && (x != x || isinf(x)))
		give64(r, x);
	else
		give_about(r, x, fabs(x) * (r->i->type == T_F64 ? 0x1p-52 : exp2(-22.9)));
}

/* sin cos: +-Inf gives NaN; absolute error 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi], none promised
   outside (but a sine is not above 1). lg2: absolute 2^-22 in (0.5, 2), relative 2^-22 elsewhere. ex2: 2 ulp.
   tanh: relative 2^-11, subnormals passed through. */
void ref_function(const Ref *r)
{
	double a = src(r, 0), pi = acos(-1);
	if (named(r, "sin") || named(r, "cos")) {
		bool sine = named(r, "sin");
		if (a == 0)
			give(r, sine ? a : 1);
		else
			give_about(r, isinf(a) ? NAN : sine ? sin(a) : cos(a),
				fabs(a) <= 2 * pi ? exp2(-20.5) : fabs(a) <= 100 * pi ? exp2(-14.7) : 2);
	} else if (named(r, "lg2")) {
		double x = log2(a);
		if (a == 1 || isinf(a) || a == 0)
			give(r, x);
		else
			give_about(r, x, a > 0.5 && a < 2 ? 0x1p-22 : fabs(x) * 0x1p-22);
	} else if (named(r, "ex2")) {
		double x = exp2(a);
		if (a == 0)
			give(r, 1);
		else
			give_about(r, x, 2 * ulp32(x));
	} else if (a == 0 || isinf(a) || a != a || fabs(a) < 0x1p-126) {
		give(r, tanh(a));
	} else {
		give_about(r, tanh(a), fabs(tanh(a)) * 0x1p-11);
	}
}

/* ---- signs, minimum, tests ---- */

/* f32: "NaN input yields unspecified NaN". abs.f64: "NaN input is passed through unchanged. Future
   implementations may comply with the IEEE 754 standard by preserving payload and modifying only the sign
   bit", which ptxas does when it folds, and gsim. */
void ref_sign_float(const Ref *r)
{
	uint64_t a = bits(r, 0), sign = (uint64_t)1 << (type_bits[r->i->type] - 1);
	if (named(r, "neg"))
		r->e->d[0] = a ^ sign;
	else
		r->e->d[0] = a & ~sign;
}

/* One NaN: the other operand; two: NaN. "If values of both inputs are 0.0, then +0.0 > -0.0." */
void ref_minmax_float(const Ref *r)
{
	double a = src(r, 0), b = src(r, 1);
	bool minimum = named(r, "min"), first;
	if (a != a && b != b) {
		give(r, NAN);
		return;
	}
	if (a != a || b != b)
		first = b != b;
	else if (a == 0 && b == 0)
		first = (signbit(a) != 0) == minimum;
	else
		first = minimum ? a < b : a > b;
	r->e->d[0] = bits(r, !first);
}

/* "positive and negative zero are considered normal numbers" */
void ref_testp(const Ref *r)
{
	double x = src(r, 0), least = r->i->type == T_F32 ? 0x1p-126 : 0x1p-1022;
	bool finite = x == x && !isinf(x), subnormal = finite && x != 0 && fabs(x) < least;
	switch (r->i->mode) {
	case MODE_FINITE: r->e->d[0] = finite; break;
	case MODE_INFINITE: r->e->d[0] = isinf(x) != 0; break;
	case MODE_NUMBER: r->e->d[0] = x == x; break;
	case MODE_NOTANUMBER: r->e->d[0] = x != x; break;
	case MODE_NORMAL: r->e->d[0] = finite && !subnormal; break;
	default: r->e->d[0] = subnormal; break;
	}
}

/* "Copy sign bit of a into value of b." */
void ref_copysign(const Ref *r)
{
	uint64_t sign = (uint64_t)1 << (type_bits[r->i->type] - 1);
	r->e->d[0] = (bits(r, 0) & sign) | (bits(r, 1) & ~sign);
}
