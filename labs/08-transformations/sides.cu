// `alike`: what even and odd threads do differs in constants and in what is read; the two sides end in different stores.
extern "C" __global__ void alike(const unsigned *in, unsigned *left, unsigned *right, const unsigned *side)
{
	unsigned t = threadIdx.x;

	if (side[t]) {
		unsigned x = in[t] * 3 + 1;
		x = (x ^ x >> 7) * 11;
		left[t] = (x ^ x >> 3) + in[x & 3];
	} else {
		unsigned x = in[t ^ 1] * 5 + 7;
		x = (x ^ x >> 9) * 13;
		right[t] = (x ^ x >> 5) + in[x & 1];
	}
}

// `unlike`: one side computes in floating point, the other one with bits.
extern "C" __global__ void unlike(const unsigned *in, unsigned *left, unsigned *right, const unsigned *side)
{
	unsigned t = threadIdx.x;

	if (side[t]) {
		float x = (float)in[t] * 0.5f + 1.0f;
		x = x * x - 3.0f;
		x = x * x + 0.25f;
		left[t] = (unsigned)x;
	} else {
		unsigned x = in[t] ^ in[t] >> 4;
		x = x << 3 | (x & 5);
		x = x ^ x >> 9 ^ x << 2;
		right[t] = x < 99 ? x : 99;
	}
}
