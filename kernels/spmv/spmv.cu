// y = A x, A in compressed rows: a thread per row (divergent, scattered), and a warp per row with shuffles.
extern "C" __global__ void spmv_scalar(const int *first, const int *column, const float *value, const float *x, float *y, int n)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;

	if (r >= n)
		return;
	for (int k = first[r]; k < first[r + 1]; k++)
		s += value[k] * x[column[k]];
	y[r] = s;
}

extern "C" __global__ void spmv_warp(const int *first, const int *column, const float *value, const float *x, float *y, int n)
{
	int r = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane;
	float s = 0;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	if (r >= n)
		return;
	for (int k = first[r] + lane; k < first[r + 1]; k += warpSize)
		s += value[k] * x[column[k]];
	for (int d = warpSize / 2; d > 0; d /= 2)
		s += __shfl_down_sync(0xffffffffu, s, d);
	if (lane == 0)
		y[r] = s;
}
