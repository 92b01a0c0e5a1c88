// nvcc: -fmad=false
// The factors of a column, as kernels/gaussian has them, in a launch with the grid and the blocks of the subtraction: the threads of its first row work.
extern "C" __global__ void column_factors(float *factor, const float *a, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;

	if (blockIdx.y || threadIdx.y || i >= n)
		return;
	factor[n * i + k] = a[n * i + k] / a[n * k + k];
}
