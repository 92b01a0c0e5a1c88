// Partition and concurrent merge: each thread of a block, a power of two of them, sorts a bucket of keys in shared memory; then the buckets go through
// Batcher's network (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2M), with a merge of two buckets where the network compares two
// keys: both threads merge at a time, one from the front until it has a bucket full of the smallest keys, one from the back for the largest.
// These are the two arms of a branch. Key i of bucket t stands at [i * threads + t], what is merged behind all buckets.
extern "C" __global__ void pcm(unsigned *key, int bucket)
{
	extern __shared__ unsigned s[];
	unsigned n = blockDim.x, t = threadIdx.x;
	int keys = n * bucket;

	key += (size_t)blockIdx.x * keys;
#pragma unroll 1
	for (int i = t; i < keys; i += n)
		s[i] = key[i];
#pragma unroll 1
	for (int i = n + t; i < keys; i += n) { // insertion sort of the thread's own bucket
		unsigned x = s[i];
		int j = i;
#pragma unroll 1
		for (; j >= n && s[j - n] > x; j -= n)
			s[j] = s[j - n];
		s[j] = x;
	}
	__syncthreads();
	for (unsigned p = n / 2; p > 0; p /= 2)
		for (unsigned q = n / 2, r = 0, d = p;; d = q - p, q /= 2, r = p) {
			bool low = (t & p) == r && t + d < n, high = t >= d && ((t - d) & p) == r;
			if (low || high) {
				int left = bucket;
				if (low) {
					int i = t, j = t + d, m = keys + t;
					unsigned x = s[i], y = s[j];
#pragma unroll 1
					do {
						if (x < y) {
							s[m] = x;
							i += n;
							x = i < keys ? s[i] : ~0u;
						} else {
							s[m] = y;
							j += n;
							y = j < keys ? s[j] : ~0u;
						}
						m += n;
					} while (--left > 0);
				} else {
					int i = keys - n + t, j = i - d, m = keys + i;
					unsigned x = s[i], y = s[j];
#pragma unroll 1
					do {
						if (x > y) {
							s[m] = x;
							i -= n;
							x = i >= 0 ? s[i] : 0;
						} else {
							s[m] = y;
							j -= n;
							y = j >= 0 ? s[j] : 0;
						}
						m -= n;
					} while (--left > 0);
				}
			}
			__syncthreads();
			if (low || high)
#pragma unroll 1
				for (int i = t; i < keys; i += n)
					s[i] = s[keys + i];
			__syncthreads();
			if (q == p)
				break;
		}
#pragma unroll 1
	for (int i = t; i < keys; i += n)
		key[i] = s[i % bucket * n + i / bucket];
}
