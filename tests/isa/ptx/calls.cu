/* Device functions: scalars and structures by value, recursion, function tables, virtual functions. */
struct Pair { double a; int b; signed char c[5]; };
struct Small { short s; unsigned char k; };
struct Many { int k[20]; };
typedef int (*Fn)(int);

__device__ __noinline__ float weigh(float x, Pair v) { return x * x + v.b + v.c[2]; }
__device__ __noinline__ Pair make(int a)
{
	Pair v;
	v.a = a;
	v.b = a + 1;
	for (int i = 0; i < 5; i++)
		v.c[i] = a * i;
	return v;
}
__device__ __noinline__ Small flip(Small s) { return Small { (short)-s.s, (unsigned char)~s.k }; }
__device__ __noinline__ int pick(Many v, int i)
{
	v.k[i & 3] = 2;
	return v.k[i];
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ bool is_odd(unsigned char c, long long l, unsigned short h, float2 v) { return (c + l + h + (int)v.y) & 1; }
__device__ __noinline__ void bump(int *p, double d) { *p += (int)d; }
__device__ __noinline__ float3 cross(float3 a, float3 b)
{
	return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

extern "C" __global__ void direct(int *out, float *f, Many m, Pair q, int n)
{
	int t = threadIdx.x;
	Pair v = make(n + t);
	Small s = { (short)n, (unsigned char)t };
	s = flip(s);
	bump(out + t, v.a + q.a);
	float3 c = cross(make_float3(f[0], f[1], f[2]), make_float3(f[3], f[4], f[5]));
	f[t] = weigh(f[t], v) + weigh(f[t + 1], q) + c.x + c.y * c.z;
	out[t + 1] = pick(m, n) + fib(t) + s.s + s.k + is_odd(t, n, s.s, make_float2(f[1], f[2]));
}

__device__ int twice(int x) { return x + x; }
__device__ int thrice(int x) { return x * 3; }
__device__ Fn table[2] = { twice, thrice };

struct Shape {
	int x;
	virtual __device__ int area(int) = 0;
	virtual __device__ int edge(int y) { return y + x; }
};
struct Square : Shape { __device__ int area(int y) override { return x * x + y; } };
struct Line : Shape {
	__device__ int area(int y) override { return y; }
	__device__ int edge(int y) override { return x - y; }
};

extern "C" __global__ void indirect(int *out, int n)
{
	Square s;
	Line l;
	int t = threadIdx.x;
	s.x = n;
	l.x = n + 1;
	Shape *p = t & 1 ? (Shape *)&s : (Shape *)&l;
	Fn f = out[2] ? twice : thrice;
	out[t] = table[t & 1](n) + p->area(3) + p->edge(2) + f(5);
}
