// 64 bins of bytes: counted in shared memory with atomics, then added to the global histogram. And once more without
// shared memory, to compare.
#define BINS 64
extern "C" __global__ void histogram_shared(const unsigned char *data, unsigned n, unsigned *hist)
{
	__shared__ unsigned bin[BINS];
	unsigned i, tid = threadIdx.x;

	for (i = tid; i < BINS; i += blockDim.x)
		bin[i] = 0;
	__syncthreads();
	for (i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&bin[data[i] & (BINS - 1)], 1);
	__syncthreads();
	for (i = tid; i < BINS; i += blockDim.x)
		atomicAdd(&hist[i], bin[i]);
}

extern "C" __global__ void histogram_global(const unsigned char *data, unsigned n, unsigned *hist)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&hist[data[i] & (BINS - 1)], 1);
}
