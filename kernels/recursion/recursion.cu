// Recursion: Fibonacci numbers, and the sum of a binary search tree below a node, each thread from its own start.
__device__ __noinline__ unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ __noinline__ int below(const int *left, const int *right, const int *value, int node)
{
	if (node < 0)
		return 0;
	return below(left, right, value, left[node]) + value[node] + below(left, right, value, right[node]);
}

extern "C" __global__ void fibonacci(unsigned *out) { out[threadIdx.x] = fib(threadIdx.x % 12); }

extern "C" __global__ void tree_sum(const int *left, const int *right, const int *value, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = below(left, right, value, i);
}
