// The double loop of Bialas and Strzelecki (2015), section II.B. The second asm statement hides the inner limit from
// the compiler, so that the inner loop's zero-trip guard stays inside the outer loop as in the paper's listing 4.
extern "C" __global__ void double_loops(const int *limits, float *out, long long *timer)
{
	int tid = threadIdx.x, m = limits[2 * tid], n = limits[2 * tid + 1];
	float sum = out[tid];

#pragma unroll 1
	for (int i = 0; i < m; i++) {
		asm volatile("" : "+r"(n));
#pragma unroll 1
		for (int j = 0; j < n; j++) {
			sum += 1.3333f;
			asm volatile("");
		}
		sum += 2.3333f;
	}
	__syncthreads();
	long long start = clock64();
#pragma unroll 1
	for (int i = 0; i < m; i++) {
		asm volatile("" : "+r"(n));
#pragma unroll 1
		for (int j = 0; j < n; j++) {
			sum += 1.3333f;
			asm volatile("");
		}
		sum += 2.3333f;
	}
	long long stop = clock64();
	__syncthreads();
	out[tid] = sum;
	timer[2 * tid] = start;
	timer[2 * tid + 1] = stop;
}
