// Each block sorts as many keys as it has threads, a power of two, in shared memory. The arms of the branch on `tid & k` do the same
// for an ascending and for a descending pair: they are what melding unites. Either reads first the key that ought to be the smaller one;
// with the same order in both, the compiler would take the reads out of the arms.
__device__ __forceinline__ void swap(unsigned &a, unsigned &b)
{
	unsigned c = a;

	a = b;
	b = c;
}

extern "C" __global__ void bitonic_sort(unsigned *key)
{
	extern __shared__ unsigned s[];
	unsigned tid = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + tid;

	s[tid] = key[at];
	__syncthreads();
#pragma unroll 1
	for (unsigned k = 2; k <= n; k *= 2)
#pragma unroll 1
		for (unsigned j = k / 2; j > 0; j /= 2) {
			unsigned other = tid ^ j;
			if (other > tid) {
				if ((tid & k) == 0) {
					if (s[other] < s[tid])
						swap(s[tid], s[other]);
				} else {
					if (s[tid] < s[other])
						swap(s[tid], s[other]);
				}
			}
			__syncthreads();
		}
	key[at] = s[tid];
}
