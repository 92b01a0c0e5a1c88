// nvcc: -fmad=false
// The variables of all cells before the first step: the flow far away, disturbed a little.
extern "C" __global__ void initialise(float *v, int n, float density, float momentum, float energy)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float disturbed = 1 + (float)(i * 37 % 21 - 10) / 128;
	v[i] = density * disturbed;
	v[i + n] = momentum * disturbed;
	v[i + 2 * n] = 0.125f * (float)(i % 3 - 1);
	v[i + 3 * n] = 0;
	v[i + 4 * n] = energy * disturbed;
}
