/* Floating point: roundings, functions, conversions. */
extern "C" __global__ void singles(float *f, int n)
{
	int t = threadIdx.x;
	float x = f[t], y = f[t + 1], z = f[t + 2];
	f[t] = x * y + z - x / y + __fdividef(x, y) + sqrtf(x) + rsqrtf(y) + fabsf(z) + fminf(x, y) + fmaxf(y, z) + 1.0f / x;
	f[t + 1] = __sinf(x) + __cosf(y) + __expf(z) + __logf(x) + __powf(x, y) + exp2f(x) + log2f(y) + __fsqrt_rn(x) + __frcp_rn(y);
	f[t + 2] = __fadd_rz(x, y) + __fmul_ru(y, z) + __fmaf_rd(x, y, z) + __fdiv_rn(x, z) + __saturatef(x) + copysignf(x, y);
	f[t + 3] = floorf(x) + ceilf(y) + truncf(z) + rintf(x) + roundf(y) + fmodf(x, y);
	f[t + 4] = expf(x) + logf(y) + sinf(z) + cosf(x) + tanhf(y) + powf(x, 3.5f) + atan2f(x, y) + erff(z);
	f[t + 5] = x < y ? x : isnan(z) ? y : isinf(x) ? 2.0f : signbit(z) ? -z : z;
	asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(f[t + 6]) : "f"(x), "f"(y));
	asm("slct.f32.s32 %0, %1, %2, %3;" : "=f"(f[t + 7]) : "f"(x), "f"(y), "r"(n));
	asm("{ .reg .pred p; testp.normal.f32 p, %1; selp.f32 %0, %1, 0f3FC00000, p; }" : "=f"(f[t + 8]) : "f"(x));
	asm("tanh.approx.f32 %0, %1;" : "=f"(f[t + 9]) : "f"(x));
	asm("div.full.ftz.f32 %0, %1, %2; ex2.approx.ftz.f32 %3, %1;" : "=f"(f[t + 10]) : "f"(x), "f"(y), "f"(z));
}

/* Only what IEEE 754 or the PTX manual defines to the last bit. */
extern "C" __global__ void exact(float *f, double *d, int n)
{
	int t = threadIdx.x;
	float x = f[t], y = f[t + 1], z = f[t + 2];
	f[t] = x * y + z - x / y;
	f[t + 1] = sqrtf(fabsf(x)) + 1.0f / y + fminf(x, y) * fmaxf(y, z) + __saturatef(x) + copysignf(x, y);
	f[t + 2] = __fadd_rz(x, y) + __fmul_ru(y, z) + __fmaf_rd(x, y, z) + __fdiv_rn(x, z) + __fsub_rd(x, z) + __fsqrt_ru(fabsf(y));
	f[t + 3] = floorf(x) + ceilf(y) + truncf(z) + rintf(x) + roundf(y) + fmodf(x, y) + ldexpf(z, n);
	f[t + 4] = x < y ? x : isnan(z) ? y : isinf(x) ? 2.0f : signbit(z) ? -z : z;
	asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(f[t + 6]) : "f"(x), "f"(y));
	asm("slct.f32.s32 %0, %1, %2, %3;" : "=f"(f[t + 7]) : "f"(x), "f"(y), "r"(n));
	double u = d[t], v = d[t + 1], w = d[t + 2];
	d[t] = u * v + w - u / v + sqrt(fabs(u)) + 1.0 / w;
	d[t + 1] = __dadd_rz(u, v) + __dmul_ru(v, w) + __fma_rd(u, v, w) + __ddiv_rd(u, w) + copysign(u, v) + fmin(u, w) - fmax(v, w);
	d[t + 2] = floor(u) + ceil(v) + trunc(w) + rint(u) + fmod(u, w) + (u < v ? u : -v);
}

extern "C" __global__ void doubles(double *d)
{
	int t = threadIdx.x;
	double x = d[t], y = d[t + 1], z = d[t + 2];
	d[t] = x * y + z - x / y + sqrt(x) + rsqrt(y) + fabs(z) + fmin(x, y) + fmax(y, z) + 1.0 / x + fma(x, y, 2.5);
	d[t + 1] = __dadd_rz(x, y) + __dmul_ru(y, z) + __fma_rd(x, y, z) + __ddiv_rn(x, z) + copysign(x, y);
	d[t + 2] = floor(x) + ceil(y) + trunc(z) + rint(x) + exp(x) + log(y) + sin(z) + pow(x, y);
	d[t + 3] = x < y ? x : isnan(z) ? y : -z;
}

extern "C" __global__ void conversions(float *f, double *d, int *i, unsigned *u, long long *l, unsigned long long *m, short *s,
	unsigned char *b)
{
	int t = threadIdx.x;
	float x = f[t];
	double y = d[t];
	i[t] = (int)x + (int)y + __float2int_rn(x) + __float2int_ru(x) + __float2int_rd(x) + __double2int_rn(y) + __float_as_int(x);
	u[t] = (unsigned)x + (unsigned)y + __float2uint_rn(x) + s[t] + b[t];
	l[t] = (long long)x + (long long)y + i[t + 1] + u[t + 1] + __double_as_longlong(y) + s[t + 1];
	m[t] = (unsigned long long)x + (unsigned long long)y + b[t + 1] + u[t + 2];
	f[t] = (float)y + i[t] + u[t] + l[t] + m[t] + s[t] + b[t] + __int2float_rz(i[t]) + __uint2float_ru(u[t]) + __int_as_float(i[3]);
	d[t] = (double)x + i[t] + u[t] + l[t] + m[t] + s[t] + b[t] + __hiloint2double(i[4], i[5]) + __double2hiint(y) +
		__longlong_as_double(l[4]);
	s[t] = (short)x + (short)i[t] + (signed char)i[t + 1];
	b[t] = (unsigned char)x + (unsigned char)l[t];
	unsigned short h;
	asm("{ cvt.rn.f16.f32 %0, %1; }" : "=h"(h) : "f"(x));
	asm("{ cvt.f32.f16 %0, %1; }" : "=f"(f[t + 1]) : "h"(h));
	asm("cvt.rni.sat.u8.f32 %0, %1; cvt.sat.f32.f32 %2, %1;" : "=r"(u[t + 3]), "+f"(x), "=f"(f[t + 2]));
}
