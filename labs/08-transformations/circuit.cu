// if ((a || b) && c) one thing, else another. What there is to do on the two sides is long in `longer`, and short in `shorter`.
template <int N> __device__ __forceinline__ unsigned mixed(unsigned x)
{
#pragma unroll
	for (int k = 0; k < N; k++)
		x = (x ^ x >> 3) * 5;
	return x;
}

template <int N> __device__ __forceinline__ unsigned summed(unsigned x)
{
#pragma unroll
	for (int k = 0; k < N; k++)
		x = (x << 2 | 1) + x * x;
	return x;
}

template <int N> __device__ __forceinline__ void circuit(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out)
{
	unsigned t = threadIdx.x;

	if ((a[t] || b[t]) && c[t])
		out[t] = mixed<N>(t);
	else
		out[t] = summed<N>(t);
}

extern "C" __global__ void longer(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out) { circuit<6>(a, b, c, out); }
extern "C" __global__ void shorter(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out) { circuit<1>(a, b, c, out); }
