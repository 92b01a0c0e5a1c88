// Merge sort from the bottom up: a launch merges neighbouring runs of `width` keys, a thread each pair. Which run the next key comes from is up to the
// data; either arm of that branch writes a key and reads the one behind it, if need be beyond the end of its run: from[n] is there.
extern "C" __global__ void merge_sort(const unsigned *from, unsigned *to, int n, int width)
{
	int k = 2 * width * (blockIdx.x * blockDim.x + threadIdx.x), i = k;

	if (k >= n)
		return;
	int middle = min(i + width, n), j = middle, end = min(middle + width, n);
	unsigned x = from[i], y = from[j];
#pragma unroll 1
	do {
		bool first = (i < middle) & ((j == end) | (x <= y));
		if (first) {
			to[k] = x;
			x = from[++i];
		} else {
			to[k] = y;
			y = from[++j];
		}
	} while (++k < end);
}
