// Keys sorted by buckets and merges, as hybridsort of Rodinia: each key looks for its bucket among pivots and takes a place in it, by block;
// a prefix sum over blocks; keys move; each thread sorts four keys; threads merge pairs of runs in launch after launch; and the buckets
// close up.
#define BUCKETS 16

extern "C" __global__ void find_buckets(const unsigned *key, int n, const unsigned *pivot, unsigned *place, unsigned *count)
{
	extern __shared__ int bucket[];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, low = 0, high = BUCKETS - 1; // the first bucket whose pivot is not below the key

	if (i < n)
#pragma unroll 1
		while (low < high) {
			int mid = (low + high) / 2;
			if (key[i] > pivot[mid])
				low = mid + 1;
			else
				high = mid;
		}
	bucket[t] = i < n ? low : BUCKETS;
	__syncthreads();
	unsigned before = 0, all = 0;
#pragma unroll 1
	for (int u = 0; u < blockDim.x; u++) { // keys of a bucket stay in order; thread b counts those of bucket b
		before += u < t && bucket[u] == low;
		all += bucket[u] == t;
	}
	if (i < n)
		place[i] = before * BUCKETS + low;
	if (t < BUCKETS)
		count[blockIdx.x * BUCKETS + t] = all;
}

// count[block][b] becomes the number of keys in bucket b of the blocks before.
extern "C" __global__ void bucket_offsets(unsigned *count, int blocks, unsigned *size)
{
	int b = threadIdx.x;
	unsigned s = 0;

	if (b >= BUCKETS)
		return;
#pragma unroll 1
	for (int k = 0; k < blocks; k++) {
		unsigned c = count[k * BUCKETS + b];
		count[k * BUCKETS + b] = s;
		s += c;
	}
	size[b] = s;
}

extern "C" __global__ void to_buckets(const unsigned *key, int n, const unsigned *place, const unsigned *count, const unsigned *start, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned b = place[i] % BUCKETS;
	out[start[b] + count[blockIdx.x * BUCKETS + b] + place[i] / BUCKETS] = key[i];
}

__device__ __forceinline__ void order(unsigned &a, unsigned &b)
{
	unsigned low = min(a, b);
	b = max(a, b);
	a = low;
}

extern "C" __global__ void sort_fours(const unsigned *in, unsigned *out, int fours)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= fours)
		return;
	unsigned a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + 3];
	order(a, b);
	order(c, d);
	order(a, c);
	order(b, d);
	order(b, c);
	out[4 * i] = a;
	out[4 * i + 1] = b;
	out[4 * i + 2] = c;
	out[4 * i + 3] = d;
}

// In the bucket of the block's row each thread makes one run of `width` keys from two halves.
extern "C" __global__ void merge_runs(const unsigned *in, unsigned *out, const unsigned *start, int width)
{
	unsigned end = start[blockIdx.y + 1], from = start[blockIdx.y] + (blockIdx.x * blockDim.x + threadIdx.x) * width;

	if (from >= end)
		return;
	unsigned middle = min(from + width / 2, end), a = from, b = middle;
	end = min(from + width, end);
#pragma unroll 1
	for (unsigned k = from; k < end; k++) {
		if (b >= end || (a < middle && in[a] <= in[b]))
			out[k] = in[a++];
		else
			out[k] = in[b++];
	}
}

// Buckets lose the words at their ends that hold no key; first[b] is where bucket b begins then.
extern "C" __global__ void close_up(const unsigned *in, unsigned *out, const unsigned *start, const unsigned *first)
{
	unsigned b = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < first[b + 1] - first[b])
		out[first[b] + i] = in[start[b] + i];
}
