/* Kernels in the common part of CUDA and C: nvcc (-fmad=false) makes the PTX, the test compiles them for the host as the
 * reference. Every thread reads in[], and writes its own 16 words of out[]. */
#ifdef __CUDACC__
#define KERNEL extern "C" __global__ void
#define DEVICE __device__ __noinline__
#define DATA __device__
#define TID ((int)threadIdx.x)
#endif

struct Pair { double a; int b; signed char c[5]; };
struct Small { short s; unsigned char k; };
struct Odd { unsigned char b[7]; };
struct Many { int k[20]; };
struct Node { int key; float weight; const struct Node *next; short tag[3]; };
typedef int (*Fn)(int, long long);

DATA const struct Node last = { 7, 2.5f, 0, { 1, -2, 3 } };
DATA const struct Node first = { 3, 0.5f, &last, { 4, 5, -6 } };
DATA const int grid_of[2][3] = { { 1, 2, 3 }, { 4 } };
DATA const char text[] = "words in memory\n";
DATA const char *const names[3] = { text, text + 6, text + 9 };
DATA const double halves[4] = { 0.5, -1.5, 2.5, 1e100 };
DATA const unsigned long long big[2] = { 0xfedcba9876543210ull, 5 };

DEVICE float weigh(float x, struct Pair v) { return x * x + v.b + v.c[2]; }
DEVICE struct Pair make(int a)
{
	struct Pair v;
	v.a = a * 0.25;
	v.b = a + 1;
	for (int i = 0; i < 5; i++)
		v.c[i] = (signed char)(a * i);
	return v;
}
DEVICE struct Small flip(struct Small s)
{
	struct Small r = { (short)-s.s, (unsigned char)~s.k };
	return r;
}
DEVICE struct Odd rotate(struct Odd o, unsigned char n)
{
	struct Odd r;
	for (int i = 0; i < 7; i++)
		r.b[i] = o.b[(i + n) % 7];
	return r;
}
DEVICE int pick(struct Many v, int i)
{
	v.k[i & 3] = 2;
	return v.k[i];
}
DEVICE int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
DEVICE int mixed(unsigned char c, long long l, unsigned short h, double d, signed char s) { return (int)(c + l + h + (int)d * s); }
DEVICE void bump(int *p, float f) { *p += (int)f; }
DEVICE int plus(int a, long long b) { return a + (int)b; }
DEVICE int times(int a, long long b) { return a * (int)b; }
DATA const Fn table[2] = { plus, times };

KERNEL calls(unsigned *out, const unsigned *in, int n)
{
	int t = TID, local[4] = { t, n, 3, 4 };
	unsigned *o = out + t * 16;
	struct Pair v = make((int)(in[t] % 100));
	struct Small s = { (short)(in[t] & 0x7fff), (unsigned char)t };
	struct Odd d = { { 1, 2, 3, 4, 5, 6, 7 } };
	struct Many m;
	for (int i = 0; i < 20; i++)
		m.k[i] = (int)in[i] >> 3;
	d.b[t % 7] = (unsigned char)in[t];
	d = rotate(d, (unsigned char)(t + 2));
	s = flip(s);
	bump(local + (t & 3), (float)v.a);
	o[0] = (unsigned)(int)weigh((float)(in[t + 1] % 1000) * 0.5f, v);
	o[1] = (unsigned)v.b + (unsigned)v.c[4];
	o[2] = (unsigned)s.s * 256u + s.k;
	o[3] = d.b[0] + d.b[1] * 256u + d.b[2] * 65536u + d.b[6] * 16777216u;
	o[4] = (unsigned)pick(m, t % 20);
	o[5] = (unsigned)fib(t % 12);
	o[6] = (unsigned)mixed((unsigned char)in[t], (long long)in[t + 2] << 20, (unsigned short)in[t + 3], t * 1.5, (signed char)in[t]);
	o[7] = (unsigned)(local[0] + local[1] * 3 + local[2] * 5 + local[t & 3] * 7);
	o[8] = (unsigned)table[t & 1]((int)(in[t] & 0xffff), (long long)t - 20);
	o[9] = (unsigned)table[in[t] & 1](t, 3);
}

KERNEL data(unsigned *out, const unsigned *in, int n)
{
	int t = TID, sum = 0;
	unsigned *o = out + t * 16;
	float w = 0;
	for (const struct Node *p = t & 1 ? &first : &last; p; p = p->next) {
		sum += p->key * 3 + p->tag[t % 3];
		w += p->weight;
	}
	o[0] = (unsigned)sum + (unsigned)(int)(w * 4);
	o[1] = (unsigned)(grid_of[t & 1][t % 3] + names[t % 3][in[t] % 6]);
	o[2] = (unsigned)(big[t & 1] >> (t & 31));
	o[3] = halves[t & 3] > 1 ? 9 : (unsigned)(int)(halves[t & 3] * 8);
	int a[16];
	short b[10] = { 0 };
	double d[4] = { 1, 2, 3, 4 };
	struct { char c; long long l; } q[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
	for (int i = 0; i < 16; i++)
		a[i] = (int)(in[i] % 1000) * t;
	b[in[t] % 10] = (short)t;
	d[n & 3] = t;
	q[in[t] % 3].c = (char)t;
	q[in[t + 1] % 3].l = n;
	o[4] = (unsigned)(a[in[t] & 15] + b[t % 10] + (int)d[t & 3]);
	o[5] = (unsigned)(q[t % 3].c + (int)q[(t + 1) % 3].l);
	union { unsigned w[2]; unsigned char b[8]; unsigned short h[4]; } u;
	u.w[0] = in[t];
	u.w[1] = in[t + 1];
	u.b[t & 7] ^= 255;
	u.h[n & 3]++;
	o[6] = u.w[0];
	o[7] = u.w[1];
}

KERNEL integers(unsigned *out, const unsigned *in, int n)
{
	int t = TID, x = (int)in[t], y = (int)in[t + 1] | 1, s = (int)in[t + 2] & 31;
	unsigned v = in[t], w = in[t + 1] | 1;
	long long lx = (long long)(((unsigned long long)in[t] << 32) | in[t + 3]), ly = (long long)(int)in[t + 4] | 1;
	unsigned long long lv = (unsigned long long)lx, lw = (unsigned long long)ly;
	short h = (short)in[t], g = (short)(in[t + 1] | 1);
	unsigned short uh = (unsigned short)in[t];
	signed char c = (signed char)in[t];
	unsigned *o = out + t * 16;
	o[0] = (unsigned)((x >> 1) / (y >> 1 | 1)) + (unsigned)(x % y == 0) + (unsigned)(x % 10) + (unsigned)(x / 7);
	o[1] = v / w + v % w + v / 7 + v % 1000;
	o[2] = (unsigned)(((long long)x * y) >> 32) ^ (unsigned)(((unsigned long long)v * w) >> 32);
	o[3] = (v << s) ^ (v >> s) ^ (unsigned)(x >> s) ^ (v << s | v >> ((32 - s) & 31));
	o[4] = (unsigned)((lx >> 2) / (ly >> 2 | 1)) + (unsigned)(lx % 1000) + (unsigned)(lv / lw) + (unsigned)(lv % lw >> 7);
	o[5] = (unsigned)(lv * lw >> 32) ^ (unsigned)(lv << s >> 20) ^ (unsigned)(lx >> (s + 9));
	o[6] = (unsigned)(h * g) + (unsigned)(h / g) + (unsigned)(uh >> 3) + (unsigned)(short)((unsigned short)h << 4) + (unsigned)(uh % 10);
	o[7] = (unsigned)(c * c - 1) + (unsigned char)~c + (unsigned)(c >> 2) + (unsigned)(c < 0);
	unsigned bits = 0;
	for (unsigned k = v; k; k &= k - 1)
		bits++;
	o[8] = bits + (unsigned)(x < y) * 2 + (unsigned)(v < w) * 4 + (unsigned)(lx < ly) * 8 + (unsigned)(lv >= lw) * 16 + (unsigned)(h == g) * 32;
	o[9] = (v & 0xff00) | (w ^ ~v) | ((v >> 5) & 7) | (unsigned)!n;
	o[10] = (v > w ? v : w) - (v < w ? v : w) + (unsigned)(x > y ? x : y) + (unsigned)(h < g ? h : g) + (unsigned)(lx < ly ? lx : ly);
	o[11] = (unsigned)(x < 0 ? 0u - (unsigned)x : (unsigned)x) ^ (unsigned)(-ly);
}

KERNEL floats(unsigned *out, const unsigned *in, int n)
{
	int t = TID;
	float x = (float)((int)in[t] >> 8) * 0.001f, y = (float)(in[t + 1] & 0xffff) + 0.5f, z = (float)n;
	double u = (double)(int)in[t] * 0.37, v = (double)in[t + 2] + 0.25;
	unsigned *o = out + t * 16;
	union { float f; unsigned u; } r;
	union { double d; unsigned long long u; } s;
	r.f = x * y + z - x / y;
	o[0] = r.u;
	r.f = x < y ? x : y - z;
	o[1] = r.u;
	r.f = (float)u + (float)in[t] + (float)(int)in[t] + (float)(((unsigned long long)in[t] << 32) + in[t + 1]);
	o[2] = r.u;
	o[3] = (unsigned)(int)x + (unsigned)y + (unsigned)(int)(signed char)(int)(y * 0.001f);
	s.d = u * v + v - u / v;
	o[4] = (unsigned)s.u;
	o[5] = (unsigned)(s.u >> 32);
	s.d = (double)x + (double)in[t] + (double)((long long)(int)in[t] * 12345);
	o[6] = (unsigned)s.u ^ (unsigned)(s.u >> 32);
	o[7] = (unsigned)((long long)(u * 100) >> 8) + (unsigned)((unsigned long long)v);
	o[8] = (unsigned)(x == y) + (unsigned)(x != x) * 2 + (unsigned)(u >= v) * 4 + (unsigned)!(x <= z) * 8;
	r.u = in[t];
	o[9] = (unsigned)(r.f != r.f) + (unsigned)(r.f > 0) * 2;
	r.f = -x;
	o[10] = r.u;
}

KERNEL control(unsigned *out, const unsigned *in, int n)
{
	int t = TID, sum = 0, v = (int)(in[t] % 9);
	unsigned *o = out + t * 16;
	switch (v) {
	case 0: v += 3; break;
	case 1: v *= n; /* fall through */
	case 2: v -= 5; break;
	case 3: o[1] = 7; return;
	case 4: v ^= 9; break;
	case 5: v = (int)in[v + t]; break;
	case 6: v = -v; break;
	default: v = ~v;
	}
	o[0] = (unsigned)v;
	for (int i = 0; i < n; i++) {
		int k = (int)(in[i + t] % 23) - 3;
		if (k == 0)
			break;
		if (k < 0)
			continue;
		for (int j = k; j > 0; j -= 3) {
			sum += j;
			if (sum > 300)
				goto out;
		}
		do
			sum ^= k--;
		while (k > t % 8 && (sum & 3 || k & 1));
	}
	if (sum == 5 || (n > 3 && in[t] % 5 == 1) || (sum == 7 && t & 1))
		sum = -1;
out:
	o[2] = (unsigned)sum;
	unsigned steps = 0;
	for (unsigned long long c = in[t] % 1000 + 1; c != 1 && steps < 500; steps++)
		c = c & 1 ? 3 * c + 1 : c / 2;
	o[3] = steps;
}
