// nvcc: -fmad=false
// What lud of Rodinia does on the diagonal, as a launch of as many blocks of as many threads as the one that follows it: the first block works, and of its
// threads the first half (kernels/lu has the others).
extern "C" __global__ void diagonal_first(float *a, int n, int at)
{
	extern __shared__ float s[];
	int size = blockDim.x / 2, t = threadIdx.x;

	if (blockIdx.x || blockIdx.y)
		return;
	a += (size_t)at * n + at;
	if (t < size)
#pragma unroll 1
		for (int i = 0; i < size; i++)
			s[i * size + t] = a[i * n + t];
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < size - 1; k++) { // thread t has row t
		if (t > k && t < size) {
			float l = s[t * size + k] / s[k * size + k];
			s[t * size + k] = l;
#pragma unroll 1
			for (int j = k + 1; j < size; j++)
				s[t * size + j] -= l * s[k * size + j];
		}
		__syncthreads();
	}
	if (t < size)
#pragma unroll 1
		for (int i = 0; i < size; i++)
			a[i * n + t] = s[i * size + t];
}
