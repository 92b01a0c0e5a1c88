// Sum of u32: grid-stride loop, tree in shared memory, one atomic per block.
extern "C" __global__ void reduction(const unsigned *in, unsigned *sum, unsigned n)
{
	__shared__ unsigned part[128];
	unsigned tid = threadIdx.x, s = 0;

	for (unsigned i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
		s += in[i];
	part[tid] = s;
	__syncthreads();
	for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
		if (tid < k)
			part[tid] += part[tid + k];
		__syncthreads();
	}
	if (tid == 0)
		atomicAdd(sum, part[0]);
}
