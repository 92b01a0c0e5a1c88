// Bench: shared memory and barriers. Rounds of a neighbour sum in a block.
#define N 128
extern "C" __global__ void __launch_bounds__(N) barriers(unsigned *out, int rounds)
{
	__shared__ unsigned a[N];
	unsigned t = threadIdx.x, i = blockIdx.x * N + t;

	a[t] = i;
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < rounds; k++) {
		unsigned v = a[(t + 1) % N] + a[(t * 5 + k) % N];
		__syncthreads();
		a[t] = v ^ a[t] >> 1;
		__syncthreads();
	}
	out[i] = a[t];
}
