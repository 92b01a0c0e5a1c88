/* Lane functions in single precision. Results are stored as bits; a NaN result is NAN32. Endings of
 * functions' names: N plain, Z .ftz, S .sat, R a rounding mode other than to nearest even. With .ftz the
 * result is flushed after rounding. */
#include "isa/lane_kernel.h"
#include "isa/softmath.h"

static inline float flush_f32(float x)
{
	uint32_t u = f32_bits(x);
	return bits_f32(u & ((u & 0x7f800000u) ? ~0u : 0x80000000u));
}
static inline float keep_f32(float x) { return x; }
static inline uint32_t canon(float x) { return x == x ? f32_bits(x) : NAN32; }
/* a NaN and -0 become +0 */
static inline float clamp01(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
#define OUT_N(X) canon(X)
#define OUT_Z(X) canon(flush_f32(X))
#define OUT_S(X) f32_bits(clamp01(X))
#define OUT_ZS(X) f32_bits(clamp01(flush_f32(X)))

/* In EXPR x, y and z are the sources, flushed where the function is for .ftz. */
#define F1(HOW, NAME, IN, OUT, EXPR) K1X(HOW, NAME, U32, F32, ({ float x = IN(A); OUT(EXPR); }))
#define F2(HOW, NAME, IN, OUT, EXPR) K2X(HOW, NAME, U32, F32, F32, \
	({ float x = IN(A), y = IN(B); OUT(EXPR); }))
#define F3(HOW, NAME, IN, OUT, EXPR) \
	K3X(HOW, NAME, U32, F32, F32, F32, ({ float x = IN(A), y = IN(B), z = IN(C); OUT(EXPR); }))
#define FOUR(F, NAME, EXPR) \
	F(EACH, NAME##_N, keep_f32, OUT_N, EXPR) F(EACH, NAME##_Z, flush_f32, OUT_Z, EXPR) \
	F(EACH, NAME##_S, keep_f32, OUT_S, EXPR) F(EACH, NAME##_ZS, flush_f32, OUT_ZS, EXPR)
#define TWO(F, HOW, NAME, EXPR) F(HOW, NAME##_N, keep_f32, OUT_N, EXPR) F(HOW, NAME##_Z, flush_f32, OUT_Z, \
	EXPR)
FOUR(F2, add, x + y)
FOUR(F2, sub, x - y)
FOUR(F2, mul, x * y)
FOUR(F3, fma, fma32(x, y, z))
TWO(F2, EACH, div, x / y)
/* PTX ISA, div.approx: a times the reciprocal of b. The reciprocal is a zero of b's sign if |b| is above
   2^126. */
static inline float reciprocal(float y)
{
	return __builtin_fabsf(y) > 0x1p126f ? __builtin_copysignf(0, y) : 1.0f / y;
}
TWO(F2, EACH, div_approx, x * reciprocal(y))
TWO(F1, EACH, rcp, 1.0f / x)
TWO(F1, EACH, sqrt, __builtin_sqrtf(x))
TWO(F1, EACH, rsqrt, (float)(1.0 / __builtin_sqrt((double)x)))
TWO(F1, EACH_SPARSE, sin, soft_sin(x))
TWO(F1, EACH_SPARSE, cos, soft_cos(x))
TWO(F1, EACH_SPARSE, lg2, soft_lg2(x))
TWO(F1, EACH_SPARSE, ex2, soft_ex2(x))
F1(EACH_SPARSE, tanh_N, keep_f32, OUT_N, soft_tanh(x))

/* min and max: where one operand is a NaN they give the other one; -0 is less than +0: among equal values the
   sign bits decide. */
static inline float least(float x, float y)
{
	float z = x == y ? bits_f32(f32_bits(x) | f32_bits(y)) : x < y ? x : y;
	return x != x ? y : y != y ? x : z;
}
static inline float most_f32(float x, float y)
{
	float z = x == y ? bits_f32(f32_bits(x) & f32_bits(y)) : x > y ? x : y;
	return x != x ? y : y != y ? x : z;
}
TWO(F2, EACH, min, least(x, y))
TWO(F2, EACH, max, most_f32(x, y))

/* abs, neg and copysign change sign bits only: a NaN keeps its payload. */
#define FLUSH_BITS(U) ((U) & (((U) & 0x7f800000u) ? ~0u : 0x80000000u))
K1(abs_N, U32, U32, A & 0x7fffffffu)
K1(abs_Z, U32, U32, FLUSH_BITS(A) & 0x7fffffffu)
K1(neg_N, U32, U32, A ^ 0x80000000u)
K1(neg_Z, U32, U32, FLUSH_BITS(A) ^ 0x80000000u)
K2(copysign_N, U32, U32, U32, (A & 0x80000000u) | (B & 0x7fffffffu))

/* ---- other roundings: i->rnd, i->ftz, i->sat say how ---- */

/* The exact sum x + y, rounded to f32 once. Both are exact in double: x may be a product of two f32. */
static float round_sum(double x, double y, Rnd r)
{
	double s = add_odd(x, y);
	float f = (float)s;
	if (s == 0 && __builtin_signbit(x) != __builtin_signbit(y))
		return r == RND_RM ? -0.0f : 0.0f;
	if ((double)f == s || s != s || s - s != 0)
		return f;
	/* the rounding to f32 has made the magnitude greater */
	bool away = __builtin_fabs((double)f) > __builtin_fabs(s);
	bool want = r == RND_RM ? s < 0 : r == RND_RP ? s > 0 : false;
	return bits_f32(f32_bits(f) + (want && !away) - (!want && away));
}
static inline uint32_t finish_f32(const LaneIns *i, float f)
{
	if (i->ftz)
		f = flush_f32(f);
	return i->sat ? f32_bits(clamp01(f)) : canon(f);
}

static inline float in(const LaneIns *i, const RT_F32 *row, int l)
{
	return i->ftz ? flush_f32(row[l]) : row[l];
}
#define ROUNDED(NAME, EXPR) \
static void NAME##_R(const LaneIns *i, Lanes *L, Mask m) \
{ \
	RT_U32 *d = lane_row(L, i->d); \
	const RT_F32 *a = lane_row(L, i->a), *b = i->b == NO_ROW ? a : lane_row(L, i->b), \
		*c = i->c == NO_ROW ? a : lane_row(L, i->c); \
	Rnd r = (Rnd)i->rnd; \
	EACH_SPARSE(({ float x = in(i, a, l), y = in(i, b, l), z = in(i, c, l); (void)y, (void)z; \
		finish_f32(i, EXPR); })); \
}
#define SOFT(F, ...) bits_f32((uint32_t)F(T_F32, __VA_ARGS__, r))
ROUNDED(add, round_sum(x, y, r))
ROUNDED(sub, round_sum(x, -(double)y, r))
ROUNDED(mul, round_sum((double)x * y, __builtin_copysign(0.0, (double)x * y), r))
ROUNDED(fma, round_sum((double)x * y, z, r))
ROUNDED(div, SOFT(soft_div, f32_bits(x), f32_bits(y)))
ROUNDED(rcp, SOFT(soft_div, 0x3f800000u, f32_bits(x)))
ROUNDED(sqrt, SOFT(soft_sqrt, f32_bits(x)))

enum { EXACT, APPROX };
#define ALL4(NAME) { NAME##_N, NAME##_Z, NAME##_S, NAME##_ZS, NAME##_R }
#define NO_SAT(NAME) { NAME##_N, NAME##_Z, NULL, NULL, NAME##_R }
#define NO_RND(NAME) { NAME##_N, NAME##_Z, NULL, NULL, NULL }
static const struct { uint8_t op, approx; LaneFn *fn[5]; } table[] = {
	{ OP_ADD, EXACT, ALL4(add) }, { OP_SUB, EXACT, ALL4(sub) }, { OP_MUL, EXACT, ALL4(mul) },
	{ OP_FMA, EXACT, ALL4(fma) }, { OP_MAD, EXACT, ALL4(fma) },
	{ OP_DIV, EXACT, NO_SAT(div) }, { OP_DIV, APPROX_APPROX, NO_RND(div_approx) },
	{ OP_DIV, APPROX_FULL, NO_RND(div) },
	{ OP_RCP, EXACT, NO_SAT(rcp) }, { OP_RCP, APPROX_APPROX, NO_RND(rcp) },
	{ OP_SQRT, EXACT, NO_SAT(sqrt) }, { OP_SQRT, APPROX_APPROX, NO_RND(sqrt) },
	{ OP_RSQRT, APPROX_APPROX, NO_RND(rsqrt) }, { OP_SIN, APPROX_APPROX, NO_RND(sin) },
	{ OP_COS, APPROX_APPROX, NO_RND(cos) }, { OP_LG2, APPROX_APPROX, NO_RND(lg2) },
	{ OP_EX2, APPROX_APPROX, NO_RND(ex2) }, { OP_TANH, APPROX_APPROX, { tanh_N } },
	{ OP_MIN, EXACT, NO_RND(min) }, { OP_MAX, EXACT, NO_RND(max) },
	{ OP_ABS, EXACT, NO_RND(abs) }, { OP_NEG, EXACT, NO_RND(neg) },
	{ OP_COPYSIGN, EXACT, { copysign_N } },
};

LaneFn *LANE(lane_f32)(const Ins *i)
{
	int how = i->rnd > RND_RN ? 4 : (i->ftz ? 1 : 0) + (i->sat ? 2 : 0);
	if (i->type != T_F32 || i->rnd > RND_RP || i->hilo || i->cc)
		return NULL;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (table[k].op == i->op && table[k].approx == i->approx)
			return how == 4 && i->sat && !table[k].fn[2] ? NULL : table[k].fn[how];
	return NULL;
}
