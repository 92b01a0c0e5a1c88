// Partition and concurrent merge: a block, of a power of two of threads, has as many buckets of sorted keys in shared memory. They go through Batcher's
// network (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2M), with a merge of two buckets where the network compares two keys: both
// threads merge at a time, one from the front until it has a bucket full of the smallest keys, one from the back for the largest. These are the two arms of
// a branch, loops with a branch on the data in each. Key i of bucket t stands at [i * threads + t], what is merged in front of all buckets. A merge ends
// with the last key of a bucket at the latest; the key that it reads behind it (there are words for that) or before it is not used.
extern "C" __global__ void pcm(unsigned *key, int bucket)
{
	extern __shared__ unsigned merged[];
	unsigned n = blockDim.x, t = threadIdx.x;
	int keys = n * bucket;
	unsigned *s = merged + keys;

	key += (size_t)blockIdx.x * keys;
#pragma unroll 1
	for (int i = t; i < keys; i += n)
		s[i] = key[i];
	__syncthreads();
	for (unsigned p = n / 2; p > 0; p /= 2)
		for (unsigned q = n / 2, r = 0, d = p;; d = q - p, q /= 2, r = p) {
			bool low = (t & p) == r && t + d < n, high = t >= d && ((t - d) & p) == r;
			if (low || high) {
				int left = bucket;
				if (low) {
					int i = t, j = t + d, m = t;
					unsigned x = s[i], y = s[j];
#pragma unroll 1
					do {
						if (x < y) {
							merged[m] = x;
							i += n;
							x = s[i];
						} else {
							merged[m] = y;
							j += n;
							y = s[j];
						}
						m += n;
					} while (--left > 0);
				} else {
					int i = keys - n + t, j = i - d, m = i;
					unsigned x = s[i], y = s[j];
#pragma unroll 1
					do {
						if (x > y) {
							merged[m] = x;
							i -= n;
							x = s[i];
						} else {
							merged[m] = y;
							j -= n;
							y = s[j];
						}
						m -= n;
					} while (--left > 0);
				}
			}
			__syncthreads();
			if (low || high)
#pragma unroll 1
				for (int i = t; i < keys; i += n)
					s[i] = merged[i];
			__syncthreads();
			if (q == p)
				break;
		}
#pragma unroll 1
	for (int i = t; i < keys; i += n)
		key[i] = s[i % bucket * n + i / bucket];
}
