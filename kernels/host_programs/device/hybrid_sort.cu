// How many keys there are of each size, of which the host makes the buckets' limits: LEVELS equal parts of the range of keys.
#define LEVELS 1024
extern "C" __global__ void count_keys(const unsigned *key, int n, unsigned part, unsigned *count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&count[min(key[i] / part, LEVELS - 1u)], 1);
}
