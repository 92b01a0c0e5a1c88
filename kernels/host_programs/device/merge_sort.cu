// Merge sort with samples, as mergeSort of the CUDA SDK (Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", 2009): tiles
// are sorted; then pairs of runs are cut at the places of samples of either, so that many blocks merge two short pieces each. Of equal keys the
// first run's come first.
#define TILE 16
#define SAMPLE 8 // keys from one sample of a run to the next

// How many of the n sorted keys are below x; or, with `or_equal`, not above it.
__device__ __forceinline__ int below(const unsigned *key, int n, unsigned x, bool or_equal)
{
	int low = 0, high = n;

#pragma unroll 1
	while (low < high) {
		int middle = (low + high) / 2;
		if (key[middle] < x || (or_equal && key[middle] == x))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

extern "C" __global__ void sort_tiles(const unsigned *from, unsigned *to)
{
	__shared__ unsigned key[TILE];
	int t = threadIdx.x, place = 0;
	unsigned mine = from[blockIdx.x * TILE + t];

	key[t] = mine;
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < TILE; k++)
		place += key[k] < mine || (key[k] == mine && k < t);
	to[blockIdx.x * TILE + place] = mine;
}

// A pair's samples, the first run's before the second's: where each stands in the first run, and in the second.
extern "C" __global__ void sample_ranks(const unsigned *key, unsigned *rank_a, unsigned *rank_b, int width, int samples)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, each = width / SAMPLE, pair = i / (2 * each), k = i % (2 * each);

	if (i >= samples)
		return;
	const unsigned *a = key + pair * 2 * width, *b = a + width;
	if (k < each) {
		rank_a[i] = k * SAMPLE;
		rank_b[i] = below(b, width, a[k * SAMPLE], false);
	} else {
		rank_a[i] = below(a, width, b[(k - each) * SAMPLE], true);
		rank_b[i] = (k - each) * SAMPLE;
	}
}

// The ranks of a pair's samples in order: where the run is cut.
extern "C" __global__ void merge_ranks(unsigned *limit, const unsigned *rank, int width, int samples)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, each = width / SAMPLE, k = i % (2 * each);

	if (i >= samples)
		return;
	const unsigned *first = rank + i - k, *second = first + each;
	int place = k < each ? k + below(second, each, rank[i], false) : k - each + below(first, each, rank[i], true);
	limit[i - k + place] = rank[i];
}

// A block merges two pieces of at most SAMPLE keys, those of the first run by its first half.
extern "C" __global__ void merge_pieces(const unsigned *from, unsigned *to, const unsigned *limit_a, const unsigned *limit_b, int width)
{
	int i = blockIdx.x, both = 2 * width / SAMPLE, last = i % both == both - 1, t = threadIdx.x % SAMPLE;
	int a = limit_a[i], b = limit_b[i], end_a = last ? width : limit_a[i + 1], end_b = last ? width : limit_b[i + 1];
	const unsigned *runs = from + i / both * 2 * width;
	unsigned *out = to + i / both * 2 * width;

	if (threadIdx.x < SAMPLE) {
		if (a + t < end_a)
			out[a + t + b + below(runs + width + b, end_b - b, runs[a + t], false)] = runs[a + t];
	} else if (b + t < end_b) {
		out[b + t + a + below(runs + a, end_a - a, runs[width + b + t], true)] = runs[width + b + t];
	}
}
