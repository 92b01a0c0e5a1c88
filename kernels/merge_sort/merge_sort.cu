// Merge sort from the bottom up: a launch merges neighbouring runs of `width` keys, a thread each pair. Which run the next key comes from is up to the
// data; either arm of that branch reads the key and writes it. The empty asm statement keeps the compiler from sending threads from within the condition
// straight into the arms, and with it from keeping the keys that the condition has read: the two arms meet in one branch, as in the source.
extern "C" __global__ void merge_sort(const unsigned *from, unsigned *to, int n, int width)
{
	int k = 2 * width * (blockIdx.x * blockDim.x + threadIdx.x), i = k;

	if (k >= n)
		return;
	int middle = min(i + width, n), j = middle, end = min(middle + width, n);
#pragma unroll 1
	do {
		int first = i < middle && (j == end || from[i] <= from[j]);
		asm("" : "+r"(first));
		if (first) {
			to[k] = from[i];
			i++;
		} else {
			to[k] = from[j];
			j++;
		}
	} while (++k < end);
}
