/* The approximate functions: polynomials in double, every operation a plain IEEE one, so the bits are the
   same everywhere. */
#include "isa/softmath.h"

#define LN2 0.69314718055994530942
#define LOG2E 1.4426950408889634074
#define HALF_PI 1.5707963267948966192

/* x * 2^n, for -1022 <= n <= 1023 */
static double times_pow2(double x, int n) { return x * bits_f64((uint64_t)(n + 1023) << 52); }
/* x rounded to an integer, for |x| < 2^51 */
static double nearest_integer(double x) { return x + 0x1.8p52 - 0x1.8p52; }

/* 2^x for |x| <= 1000: the integral part n of x becomes the exponent; the rest is computed by the Taylor
   series of exp (|f| < 0.347, error below 2^-52). */
static double pow2(double x)
{
	double n = nearest_integer(x), f = (x - n) * LN2, p = 1.0 / 479001600;
	static const double factor[] = { 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
		1.0 / 720,
		1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0 };
	for (int k = 0; k < 12; k++)
		p = p * f + factor[k];
	return times_pow2(p, (int)n);
}

float soft_ex2(float x)
{
	if (x != x)
		return x;
	if (x >= 128)
		return __builtin_inff();
	return x < -160 ? 0.0f : (float)pow2(x);
}

/* Computes log2(m 2^e) = e + 2/ln 2 atanh((m-1)/(m+1)), m in [sqrt 1/2, sqrt 2). */
float soft_lg2(float x)
{
	if (x != x || x < 0)
		return __builtin_nanf("");
	if (x == 0)
		return -__builtin_inff();
	if (x > 0x1.fffffep127f)
		return x;
	uint64_t u = f64_bits(x);
	int e = (int)(u >> 52) - 1023;
	double m = bits_f64((u & 0xfffffffffffffu) | 0x3ff0000000000000u);
	if (m > 1.41421356237309504880) {
		m *= 0.5;
		e++;
	}
	double z = (m - 1) / (m + 1), s = z * z, p = 1.0 / 21;
	for (int k = 19; k >= 1; k -= 2)
		p = p * s + 1.0 / k;
	return (float)(e + z * p * (2 * LOG2E));
}

/* Bits of 2/pi after the binary point. */
static const uint32_t two_over_pi[8] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561
};

/* 32 bits of 2/pi from bit number `from` (1 = 1/2). */
static uint32_t pi_bits(int from)
{
	int w = (from - 1) >> 5, s = (from - 1) & 31;
	uint64_t two = (uint64_t)two_over_pi[w] << 32 | (w < 7 ? two_over_pi[w + 1] : 0);
	return (uint32_t)(two >> (32 - s));
}

/* |x| = (q + f) pi/2 with |f| <= 1/2: returns f pi/2, and sets *q to q mod 4. The computation: |x| = m 2^e;
   bits of 2/pi whose product with |x| is a multiple of 4 are left out, and the 96 bits behind them are taken,
   so the product is exact to 2^-70. */
static double reduce(float x, int *q)
{
	uint32_t u = f32_bits(x) & 0x7fffffff;
	double ax = bits_f32(u);
	*q = 0;
	if (ax < 0.7853981633974483)
		return ax;
	__extension__ typedef unsigned __int128 u128;
	uint64_t m = (u & 0x7fffff) | 0x800000;
	int e = (int)(u >> 23) - 150, from = e >= 2 ? e - 1 : 1;
	u128 window = (u128)pi_bits(from) << 64 | (u128)pi_bits(from + 32) << 32 | pi_bits(from + 64);
	u128 product = window * m;
	if (e < 2)
		product >>= 2 - e; /* now in units of 2^-94 */
	*q = (int)(product >> 94 & 3);
	uint64_t f = (uint64_t)(product >> 30); /* fraction in units of 2^-64 */
	*q = (*q + (int)(f >> 63)) & 3;
	return (double)(int64_t)f * 0x1p-64 * HALF_PI;
}

static double sin_near(double r)
{
	double s = r * r, p = 1.0 / 355687428096000;
	static const double factor[] = { -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
		1.0 / 362880, -1.0 / 5040,
		1.0 / 120, -1.0 / 6 };
	for (int k = 0; k < 7; k++)
		p = p * s + factor[k];
	return r + r * (s * p);
}

static double cos_near(double r)
{
	double s = r * r, p = 1.0 / 20922789888000;
	static const double factor[] = { -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
		-1.0 / 720,
		1.0 / 24, -0.5, 1.0 };
	for (int k = 0; k < 8; k++)
		p = p * s + factor[k];
	return p;
}

static double quadrant(double r, int q)
{
	double v = q & 1 ? cos_near(r) : sin_near(r);
	return q & 2 ? -v : v;
}

float soft_sin(float x)
{
	int q;
	if (x - x != 0)
		return __builtin_nanf("");
	if (x == 0)
		return x;
	double r = reduce(x, &q), v = quadrant(r, q);
	return (float)(x < 0 ? -v : v);
}

float soft_cos(float x)
{
	int q;
	if (x - x != 0)
		return __builtin_nanf("");
	double r = reduce(x, &q);
	return (float)quadrant(r, q + 1);
}

/* For |x| below 1/2 the continued fraction x/(1 + x^2/(3 + x^2/(5 + ...))) is computed, above it 1 - 2/(e^2x
   + 1). */
float soft_tanh(float x)
{
	double a = __builtin_fabs((double)x), v;
	if (x != x)
		return x;
	if (a < 0.5) {
		double s = a * a, d = 15;
		for (int k = 13; k >= 1; k -= 2)
			d = k + s / d;
		v = a / d;
	} else {
		v = a > 20 ? 1.0 : 1 - 2 / (pow2(2 * a * LOG2E) + 1);
	}
	return (float)__builtin_copysign(v, (double)x);
}

static double coarse(double x) { return bits_f64(f64_bits(x) & 0xffffffff00000000u); }
static double flush_f64(double x) { return bits_f64(soft_flush(T_F64, f64_bits(x))); }
static double or_nan(double x) { return x == x ? x : bits_f64(COARSE_NAN64); }
double soft_rcp64_coarse(double x) { return or_nan(coarse(flush_f64(1.0 / flush_f64(coarse(x))))); }
double soft_rsqrt64_coarse(double x) { return or_nan(coarse(1.0 / __builtin_sqrt(flush_f64(coarse(x))))); }
