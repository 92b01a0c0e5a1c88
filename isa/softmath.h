/* Floating point computed with integers: every rounding mode, fused multiply-add, conversions, and the
 * approximate functions. Neither libm nor the floating point environment is used: every host gives the same
 * bits.
 *
 * A NaN result is the canonical NaN of the format (what NVIDIA's machines give): f16 0x7fff, f32 0x7fffffff,
 * f64 0xfff8000000000000. But where operand and result are f64, it is the first operand that is a NaN, made
 * quiet (PTX ISA 9.7.3: "NaN payloads are supported for double-precision instructions"). Conversions to f64
 * keep what they can: a NaN of f32 is widened and made quiet, one of f64 is copied as it is, one of f16
 * becomes the canonical NaN of f32, widened. */
#ifndef GSIM_SOFTMATH_H
#define GSIM_SOFTMATH_H
#include "isa/ins.h"
#include <string.h>

#define NAN16 0x7fffu
#define NAN32 0x7fffffffu
#define NAN64 0xfff8000000000000u
#define QUIET64 0x0008000000000000u
#define COARSE_NAN64 0x7fffffff00000000u  /* the NaN that rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give */

/* Operands and results are bits of the type: T_F16, T_F32 or T_F64. Rnd is one of RND_RN (also RND_NONE),
   RND_RZ, RND_RM, RND_RP. */
uint64_t soft_fma(Type, uint64_t a, uint64_t b, uint64_t c, Rnd);
uint64_t soft_add(Type, uint64_t a, uint64_t b, Rnd);
uint64_t soft_mul(Type, uint64_t a, uint64_t b, Rnd);
uint64_t soft_div(Type, uint64_t a, uint64_t b, Rnd);
uint64_t soft_sqrt(Type, uint64_t a, Rnd);
uint64_t soft_convert(Type to, Type from, uint64_t a, Rnd);            /* between formats */
static inline uint64_t soft_widen_nan(uint32_t a)
{
	return (uint64_t)(a >> 31) << 63 | 0x7ff8000000000000u | (uint64_t)(a & 0x7fffff) << 29;
}
/* rounds to an integral value; Rnd: RND_RNI, RZI, RMI or RPI */
uint64_t soft_integral(Type, uint64_t a, Rnd);
uint64_t soft_from_int(Type to, bool negative, uint64_t magnitude, Rnd);
/* Converts to an integer type; what is outside its range becomes its least or greatest value. A NaN gives 0,
   but from f64 or to 64 bits the number with only the top bit set (PTX ISA, cvt: Integer Notes). Rnd is as in
   soft_integral, RND_NONE as RZI. */
uint64_t soft_to_int(Type to, Type from, uint64_t a, Rnd);
uint64_t soft_flush(Type, uint64_t a);                    /* .ftz: a subnormal becomes the zero of its sign */
uint64_t soft_saturate(Type, uint64_t a);                              /* .sat: to [+0, 1], NaN to +0 */
bool soft_is_nan(Type, uint64_t a);

/* The approximate functions are computed in double arithmetic to about 2^-50, then rounded to nearest. So the
 * result is nearly always the correctly rounded one, and far inside the errors that PTX allows. sin and cos
 * reduce any argument exactly. */
float soft_ex2(float);
float soft_lg2(float);
float soft_sin(float);
float soft_cos(float);
float soft_tanh(float);
/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper 32 bits of the operand and give the upper 32
   of the result; so a NaN whose payload lies below them counts as an infinity. */
double soft_rcp64_coarse(double);
double soft_rsqrt64_coarse(double);

static inline uint32_t f32_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static inline float bits_f32(uint32_t u) { float x; memcpy(&x, &u, 4); return x; }
static inline uint64_t f64_bits(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static inline double bits_f64(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }

/* a + b in double, rounded to odd: of the two doubles around an inexact sum, the one with an odd last bit.
 * Rounding that to a format of at most 51 bits gives what rounding the exact sum would. */
static inline double add_odd(double a, double b)
{
	double s = a + b, t = s - a, e = (a - (s - t)) + (b - t);
	uint64_t u = f64_bits(s), up = (uint64_t)((e > 0) == (s > 0)) * 2 - 1;
	return bits_f64(u + (((e > 0 || e < 0) && !(u & 1)) ? up : 0));
}
/* f32 a * b + c, rounded once to nearest: the product is exact in double. */
static inline float fma32(float a, float b, float c)
{
#if defined(__FMA__) || defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
	return __builtin_fmaf(a, b, c);
#else
	return (float)add_odd((double)a * b, c);
#endif
}
static inline double fma64(double a, double b, double c)
{
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
	return __builtin_fma(a, b, c);
#else
	return bits_f64(soft_fma(T_F64, f64_bits(a), f64_bits(b), f64_bits(c), RND_RN));
#endif
}
#endif
