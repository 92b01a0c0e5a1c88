// Exclusive prefix sum of s32 in three launches: scan of each block (work-efficient tree, dynamic shared memory),
// scan of the blocks' sums, addition of the offsets. A block scans 2 * blockDim.x elements.
extern __shared__ int part[];

extern "C" __global__ void scan_blocks(const int *in, int *out, int *sums)
{
	int tid = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n, d, step = 1;

	part[2 * tid] = in[base + 2 * tid];
	part[2 * tid + 1] = in[base + 2 * tid + 1];
	for (d = n >> 1; d > 0; d >>= 1) {
		__syncthreads();
		if (tid < d)
			part[step * (2 * tid + 2) - 1] += part[step * (2 * tid + 1) - 1];
		step *= 2;
	}
	if (tid == 0) {
		if (sums)
			sums[blockIdx.x] = part[n - 1];
		part[n - 1] = 0;
	}
	for (d = 1; d < n; d *= 2) {
		step >>= 1;
		__syncthreads();
		if (tid < d) {
			int i = step * (2 * tid + 1) - 1, j = step * (2 * tid + 2) - 1, t = part[i];
			part[i] = part[j];
			part[j] += t;
		}
	}
	__syncthreads();
	out[base + 2 * tid] = part[2 * tid];
	out[base + 2 * tid + 1] = part[2 * tid + 1];
}

extern "C" __global__ void scan_add(int *out, const int *sums)
{
	int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;

	out[i] += sums[blockIdx.x];
	out[i + blockDim.x] += sums[blockIdx.x];
}
