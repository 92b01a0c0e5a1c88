// The single loop with a reading of the clock in every turn (Bialas and Strzelecki 2015, section IV.A): the readings
// inside the loop come before the stack is unwound, the last one after it.
extern "C" __global__ void detailed(const int *limits, float *out, long long *timer)
{
	int tid = threadIdx.x, m = limits[tid];
	float sum = out[tid];

#pragma unroll 1
	for (int i = 0; i < m; i++) {
		sum += 1.3333f;
		asm volatile("");
	}
	__syncthreads();
	timer[tid] = clock64();
#pragma unroll 1
	for (int i = 0; i < m; i++) {
		sum += 1.3333f;
		timer[(i + 1) * 32 + tid] = clock64();
	}
	__syncthreads();
	timer[33 * 32 + tid] = clock64();
	out[tid] = sum;
}
