/* Integer arithmetic of all widths, bit operations. */
extern "C" __global__ void words(int *a, unsigned *u, int n)
{
	int t = threadIdx.x, x = a[t], y = a[t + 1];
	unsigned v = u[t], w = u[t + 1];
	a[t] = x / y + x % y + x / 7 + x % 10 + __mulhi(x, y) + (x << (y & 31)) + (x >> y) + abs(x) + min(x, y) - max(x, 3);
	u[t] = v / w + v % w + v / 7 + __umulhi(v, w) + (v << w) + (v >> w) + min(v, w) * max(v, 3u) + (x < y ? v : w);
	a[t + 2] = __popc(v) + __clz(x) + __ffs(x) + __brev(v) + __byte_perm(v, w, 0x5410) + __funnelshift_l(v, w, x) +
		__funnelshift_r(v, w, x) + __funnelshift_rc(v, w, x) + __mul24(x, y) + __umul24(v, w) + __sad(x, y, v) +
		__usad(v, w, 1) + __rhadd(x, y) + __hadd(x, y);
	a[t + 3] = __dp4a(x, y, n) + __dp4a(v, w, 5u);
	u[t + 3] = (v & 0xff00) | (w ^ ~v) | ((v >> 5) & 7) | (x == y) | !n;
	asm("bfe.s32 %0, %1, 4, %2;" : "=r"(a[t + 4]) : "r"(x), "r"(n));
	asm("bfi.b32 %0, %1, %2, 3, 5;" : "=r"(u[t + 4]) : "r"(v), "r"(w));
	asm("bfind.u32 %0, %1; bfind.shiftamt.s32 %2, %3;" : "=r"(u[t + 5]), "=r"(u[t + 6]) : "r"(v), "r"(x));
	asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(u[t + 7]) : "r"(v), "r"(w), "r"(x));
	asm("mad24.lo.u32 %0, %1, %2, %3; mul24.hi.s32 %4, %5, -5;" : "=r"(u[t + 8]), "=r"(a[t + 8]) : "r"(v), "r"(w), "r"(u[9]), "r"(x));
}

extern "C" __global__ void longs(long long *a, unsigned long long *u, int n)
{
	int t = threadIdx.x;
	long long x = a[t], y = a[t + 1];
	unsigned long long v = u[t], w = u[t + 1];
	a[t] = x * y + x / y + x % y + x / 10 + __mul64hi(x, y) + (x << n) + (x >> n) + llabs(x) + min(x, y) + max(x, 5ll) - x * 3;
	u[t] = v / w + v % w + __umul64hi(v, w) + (v << n) + (v >> n) + min(v, w) + max(v, w) + (x < y ? v : ~w);
	a[t + 2] = __popcll(v) + __clzll(x) + __ffsll(x) + __brevll(v) + (long long)n * t + (unsigned long long)n * (unsigned)t;
	unsigned __int128 p = (unsigned __int128)v * w + v;
	u[t + 2] = (unsigned long long)(p >> 64);
	u[t + 3] = (unsigned long long)(p - w);
	a[t + 4] = (v & w) ^ (v | 1) ^ -x;
}

extern "C" __global__ void shorts(short *s, unsigned short *h, signed char *c, unsigned char *b)
{
	int t = threadIdx.x;
	short x = s[t], y = s[t + 1];
	unsigned short v = h[t], w = h[t + 1];
	s[t] = x * y + x / y - (x >> 3) + min(x, y);
	h[t] = (v * w) ^ (v / w) ^ (v << 3) ^ (v >> 2) ^ (v % 10) ^ (unsigned short)max(v, w);
	c[t] = c[t + 1] * c[t + 2] - 1;
	b[t] = (b[t + 1] & 15) | (unsigned char)~b[t + 2];
	s[t + 1] = x == y ? x : -y;
	asm("mul.wide.s16 %0, %1, %2;" : "=r"(*(int *)(s + 4)) : "h"(x), "h"(y));
	asm("mad.lo.u16 %0, %1, %2, %1; not.b16 %3, %1;" : "=h"(h[t + 3]), "+h"(v), "+h"(w), "=h"(h[t + 4]));
}

extern "C" __global__ void carries(unsigned *u)
{
	unsigned a = u[0], b = u[1], c = u[2], d = u[3], lo, hi;
	asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
	u[4] = lo;
	u[5] = hi;
	asm("sub.cc.u32 %0, %2, %4;\n\tsubc.cc.u32 %1, %3, %5;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
	u[6] = lo;
	u[7] = hi;
	asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, %5;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b), "r"(c), "r"(d));
	u[8] = lo;
	u[9] = hi;
}
