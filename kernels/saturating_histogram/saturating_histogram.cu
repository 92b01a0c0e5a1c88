// A histogram whose bins end at 255, as histo of Parboil: two counters in a word; bins of the block's range, which most data fall into,
// are counted in shared memory, others in global memory, and a counter that is full is left alone. Threads that find a counter not yet
// full may add to it at the same time, so the last step cuts off what is above 255: the result is the same in any order.
// What a datum adds, a one in its half of a word, is computed in arms within arms, and once more behind one of them (Fukuhara's thesis on
// code motion for GPUs, 2023, figure 4.4): lazy code motion moves it to both ends of a branch that lanes take differently, sparse code
// motion before it.
#define RANGE 128
#define FULL 255u
extern "C" __global__ void count(const unsigned *data, int n, unsigned *bins, unsigned *beyond, unsigned from)
{
	__shared__ unsigned mine[RANGE / 2];
	int i;

	for (i = threadIdx.x; i < RANGE / 2; i += blockDim.x)
		mine[i] = 0;
	__syncthreads();
#pragma unroll 1
	for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned bin = data[i], shift = bin % 2 * 16;
		if (bin - from < RANGE) {
			unsigned word = (bin - from) / 2;
			if ((mine[word] >> shift & 0xffff) < FULL)
				atomicAdd(&mine[word], 1u << shift);
		} else {
			if ((bins[bin / 2] >> shift & 0xffff) < FULL)
				atomicAdd(&bins[bin / 2], 1u << shift);
			atomicAdd(beyond + bin / 2, 1u << shift);
		}
	}
	__syncthreads();
#pragma unroll 1
	for (i = threadIdx.x; i < RANGE / 2; i += blockDim.x)
		atomicAdd(&bins[from / 2 + i], min(mine[i] & 0xffff, FULL) + (min(mine[i] >> 16, FULL) << 16));
}

// What the counters come to, a byte for each bin; the counters are 0 again.
extern "C" __global__ void finish(unsigned *bins, unsigned char *histogram, int words)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < words) {
		histogram[2 * i] = min(bins[i] & 0xffff, FULL);
		histogram[2 * i + 1] = min(bins[i] >> 16, FULL);
		bins[i] = 0;
	}
}
