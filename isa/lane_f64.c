/* Lane functions in double precision. A NaN result is the first operand that is a NaN, made quiet; if no
   operand is a NaN, it is NAN64. */
#include "isa/lane_kernel.h"
#include "isa/softmath.h"

static inline uint64_t quiet(double x) { return f64_bits(x) | QUIET64; }
static inline uint64_t of1(double r, double x) { return r == r ? f64_bits(r) : x != x ? quiet(x) : NAN64; }
static inline uint64_t of2(double r, double x, double y)
{
	return r == r ? f64_bits(r) : x != x ? quiet(x) : y != y ? quiet(y) : NAN64;
}
static inline uint64_t of3(double r, double x, double y, double z)
{
	return r == r ? f64_bits(r) : x != x ? quiet(x) : y != y ? quiet(y) : z != z ? quiet(z) : NAN64;
}

/* d[l] = SUM for the lanes of m, if none of these is a NaN; else d[l] = EXPR, which gives the right NaN.
   Where the width is not 32, EXPR alone is computed. */
#define EACH_NUMBER(SUM, EXPR) do { \
	double sum_[32]; \
	Mask nan_ = 0; \
	if (L->width == 32 && (m & (m - 1))) { \
		IVDEP for (int l = 0; l < 32; l++) { \
			double v_ = (SUM); \
			sum_[l] = v_; \
			nan_ |= v_ == v_ ? 0 : lane_bit64[l]; \
		} \
		if (!(nan_ & m) && m == 0xffffffffu) { \
			memcpy(d, sum_, sizeof sum_); \
			return; \
		} \
		if (!(nan_ & m)) { \
			EACH(f64_bits(sum_[l])); \
			return; \
		} \
	} \
	EACH(EXPR); \
} while (0)
#define NUMBER2(NAME, SUM) \
static void NAME(const LaneIns *i, Lanes *L, Mask m) \
{ \
	typedef double CTA, CTB; \
	RT_U64 *d = lane_row(L, i->d); \
	const RT_F64 *a = lane_row(L, i->a), *b = lane_row(L, i->b); \
	EACH_NUMBER(SUM, of2(SUM, A, B)); \
}
NUMBER2(add_N, A + B)
NUMBER2(sub_N, A - B)
NUMBER2(mul_N, A * B)
K2(div_N, U64, F64, F64, of2(A / B, A, B))
static void fma_N(const LaneIns *i, Lanes *L, Mask m)
{
	typedef double CTA, CTB, CTC;
	RT_U64 *d = lane_row(L, i->d);
	const RT_F64 *a = lane_row(L, i->a), *b = lane_row(L, i->b), *c = lane_row(L, i->c);
	EACH_NUMBER(fma64(A, B, C), of3(fma64(A, B, C), A, B, C));
}
K1(rcp_N, U64, F64, of1(1.0 / A, A))
K1(sqrt_N, U64, F64, of1(__builtin_sqrt(A), A))
K1(rsqrt_N, U64, F64, of1(1.0 / __builtin_sqrt(A), A))
K1S(rcp_coarse_N, U64, F64, f64_bits(soft_rcp64_coarse(A)))
K1S(rsqrt_coarse_N, U64, F64, f64_bits(soft_rsqrt64_coarse(A)))

/* min and max: where one operand is a NaN they give the other one; -0 is less than +0. */
static inline double least(double x, double y)
{
	double z = x == y ? bits_f64(f64_bits(x) | f64_bits(y)) : x < y ? x : y;
	return x != x ? y : y != y ? x : z;
}
static inline double most_f64(double x, double y)
{
	double z = x == y ? bits_f64(f64_bits(x) & f64_bits(y)) : x > y ? x : y;
	return x != x ? y : y != y ? x : z;
}
K2(min_N, U64, F64, F64, of2(least(A, B), A, B))
K2(max_N, U64, F64, F64, of2(most_f64(A, B), A, B))

#define SIGN 0x8000000000000000u
#define IS_NAN(X) (((X) & ~SIGN) > 0x7ff0000000000000u)
K1(abs_N, U64, U64, A & ~SIGN)
K1(neg_N, U64, U64, A ^ SIGN)
K2(copysign_N, U64, U64, U64, (A & SIGN) | (B & ~SIGN))

/* Functions for roundings other than to nearest. */
#define R ((Rnd)i->rnd)
K2S(add_R, U64, U64, U64, soft_add(T_F64, A, B, R))
K2S(sub_R, U64, U64, U64, soft_add(T_F64, A, IS_NAN(B) ? B : B ^ SIGN, R))
K2S(mul_R, U64, U64, U64, soft_mul(T_F64, A, B, R))
K2S(div_R, U64, U64, U64, soft_div(T_F64, A, B, R))
K3S(fma_R, U64, U64, U64, U64, soft_fma(T_F64, A, B, C, R))
K1S(rcp_R, U64, U64, soft_div(T_F64, 0x3ff0000000000000u, A, R))
K1S(sqrt_R, U64, U64, soft_sqrt(T_F64, A, R))

static const struct { uint8_t op, approx, ftz; LaneFn *nearest, *rounded; } table[] = {
	{ OP_ADD, 0, 0, add_N, add_R }, { OP_SUB, 0, 0, sub_N, sub_R }, { OP_MUL, 0, 0, mul_N, mul_R },
	{ OP_FMA, 0, 0, fma_N, fma_R }, { OP_MAD, 0, 0, fma_N, fma_R }, { OP_DIV, 0, 0, div_N, div_R },
	{ OP_RCP, 0, 0, rcp_N, rcp_R }, { OP_SQRT, 0, 0, sqrt_N, sqrt_R },
	{ OP_RCP, APPROX_APPROX, 1, rcp_coarse_N, NULL },
	{ OP_RSQRT, APPROX_APPROX, 1, rsqrt_coarse_N, NULL },
	{ OP_RSQRT, APPROX_APPROX, 0, rsqrt_N, NULL },
	{ OP_MIN, 0, 0, min_N, NULL }, { OP_MAX, 0, 0, max_N, NULL }, { OP_ABS, 0, 0, abs_N, NULL },
	{ OP_NEG, 0, 0, neg_N, NULL },
	{ OP_COPYSIGN, 0, 0, copysign_N, NULL },
};

LaneFn *LANE(lane_f64)(const Ins *i)
{
	if (i->type != T_F64 || i->sat || i->rnd > RND_RP || i->hilo || i->cc)
		return NULL;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (table[k].op == i->op && table[k].approx == i->approx && table[k].ftz == i->ftz)
			return i->rnd > RND_RN ? table[k].rounded : table[k].nearest;
	return NULL;
}
