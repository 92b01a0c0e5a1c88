// Hash table with chains: every thread pushes its node on the list of its bucket without a lock, retrying when another
// thread was faster. The order within a list is that of the insertions.
extern "C" __global__ void list_insert(const unsigned *key, int *next, int *head, unsigned buckets)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int *h = head + key[i] * 2654435761u % buckets, old = *(volatile int *)h, seen;

	for (;;) {
		next[i] = old;
		__threadfence();
		seen = atomicCAS(h, old, i);
		if (seen == old)
			break;
		old = seen;
	}
}

extern "C" __global__ void list_count(const int *next, const int *head, unsigned *length)
{
	int b = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned n = 0;

	for (int i = head[b]; i >= 0; i = next[i])
		n++;
	length[b] = n;
}
