// nvcc: -fmad=false
// A system of linear equations by Gaussian elimination without pivots, as gaussian of Rodinia: for each column two launches, of the factors by which
// the row is subtracted from those below it, and of the subtraction; the host substitutes backwards.
extern "C" __global__ void factors(float *factor, const float *a, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;

	if (i >= n)
		return;
	factor[n * i + k] = a[n * i + k] / a[n * k + k];
}

extern "C" __global__ void subtract(const float *factor, float *a, float *b, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1, j = blockIdx.y * blockDim.y + threadIdx.y + k;

	if (i >= n || j >= n)
		return;
	a[n * i + j] -= factor[n * i + k] * a[n * k + j];
	if (j == k)
		b[i] -= factor[n * i + k] * b[k];
}
