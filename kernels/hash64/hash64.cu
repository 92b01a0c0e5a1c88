// 64-bit integers: xorshift generator, a multiply-and-shift finaliser, high halves of products, modular powers.
extern "C" __global__ void hash64(const unsigned long long *seed, unsigned long long *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long x = seed[i], h = 0;

	for (int k = 0; k < rounds; k++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		unsigned long long z = x + 0x9e3779b97f4a7c15ull;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		h = (h << 5 | h >> 59) + (z ^ (z >> 31));
	}
	out[i] = h;
}

extern "C" __global__ void modexp(const unsigned long long *base, const unsigned long long *exponent, unsigned long long m,
	unsigned long long *out, unsigned long long *high)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long b = base[i] % m, e = exponent[i], r = 1;

	high[i] = __umul64hi(base[i], exponent[i] * 0x9e3779b97f4a7c15ull);
	while (e) {
		if (e & 1)
			r = r * b % m;
		b = b * b % m;
		e >>= 1;
	}
	out[i] = r;
}
