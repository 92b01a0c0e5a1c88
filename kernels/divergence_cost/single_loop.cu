// The single loop of Bialas and Strzelecki, "Benchmarking the cost of thread divergence in CUDA" (2015), section II.A:
// every thread runs its own number of turns between two readings of the clock, after the same loop once for the caches.
// The empty asm statements only keep the compiler from unrolling the loops and from merging the two.
extern "C" __global__ void single_loop(const int *limits, float *out, long long *timer)
{
	int tid = threadIdx.x, m = limits[tid];
	float sum = out[tid];

#pragma unroll 1
	for (int i = 0; i < m; i++) {
		sum += 1.3333f;
		asm volatile("");
	}
	__syncthreads();
	long long start = clock64();
#pragma unroll 1
	for (int i = 0; i < m; i++) {
		sum += 1.3333f;
		asm volatile("");
	}
	long long stop = clock64();
	__syncthreads();
	out[tid] = sum;
	timer[2 * tid] = start;
	timer[2 * tid + 1] = stop;
}
