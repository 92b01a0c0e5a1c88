// Calls that stay calls, from both sides of a branch: gcd, integer square root, and a function with two results.
__device__ __noinline__ unsigned gcd(unsigned a, unsigned b)
{
	while (b) {
		unsigned t = a % b;
		a = b;
		b = t;
	}
	return a;
}

__device__ __noinline__ unsigned isqrt(unsigned x)
{
	unsigned r = 0;

	for (unsigned bit = 1u << 30; bit; bit >>= 2) {
		if (x >= r + bit) {
			x -= r + bit;
			r = (r >> 1) + bit;
		} else
			r >>= 1;
	}
	return r;
}

__device__ __noinline__ int2 divide(int a, int b)
{
	int2 r = { a / b, a % b };

	return r;
}

extern "C" __global__ void device_calls(const unsigned *a, const unsigned *b, unsigned *g, unsigned *r, int *q)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = a[i], y = b[i];

	if (i % 3 == 0) {
		g[i] = gcd(x, y);
		r[i] = isqrt(x);
	} else {
		g[i] = gcd(y, x + 1);
		r[i] = isqrt(y ^ x);
	}
	int2 d = divide((int)x - 500000, (int)(y % 1000) + 1);
	q[2 * i] = d.x;
	q[2 * i + 1] = d.y;
}
