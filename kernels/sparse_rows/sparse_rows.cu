// y = A x, A in compressed rows whose lengths follow a power law, as a nest of loops: a thread takes row after row, either
// every n-th (rows_stride) or the next one from a common counter (rows_queue). Lanes whose row ends early wait for the longest
// row of the warp, unless the nest is made one loop.
__device__ __forceinline__ float row(const int *column, const float *value, const float *x, int from, int to)
{
	float s = 0;

#pragma unroll 1
	for (int k = from; k < to; k++)
		s += value[k] * x[column[k]];
	return s;
}

extern "C" __global__ void rows_stride(const int *first, const int *column, const float *value, const float *x, float *y, int n)
{
#pragma unroll 1
	for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n; r += blockDim.x * gridDim.x)
		y[r] = row(column, value, x, first[r], first[r + 1]);
}

extern "C" __global__ void rows_queue(const int *first, const int *column, const float *value, const float *x, float *y, int n,
	int *next)
{
	for (;;) {
		int r = atomicAdd(next, 1);
		if (r >= n)
			break;
		y[r] = row(column, value, x, first[r], first[r + 1]);
	}
}
