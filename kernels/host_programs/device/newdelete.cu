// Memory that kernels take and give back, as newdelete of the CUDA SDK. A pool stands for the heap: word 0 is the next free word, the words behind the lists
// of pieces given back. A container is what kernels of different launches share: its stack, of which one makes room, many push and pop, and one gets rid.
struct Container {
	unsigned stack, top, size; // a place in the pool, 0: none
};

__device__ __forceinline__ unsigned take(unsigned *pool, unsigned words) { return atomicAdd(pool, words); }

// What was taken last can be given back; other pieces stay.
__device__ __forceinline__ void give(unsigned *pool, unsigned at, unsigned words) { atomicCAS(pool, at + words, at); }

extern "C" __global__ void stack_create(unsigned *pool, Container *container, unsigned size)
{
	container->stack = take(pool, size);
	container->top = 0;
	container->size = size;
}

extern "C" __global__ void container_fill(unsigned *pool, Container *container)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = atomicAdd(&container->top, 1);

	if (at < container->size)
		pool[container->stack + at] = i + 1;
}

// Each thread takes an element, so that each is somebody's.
extern "C" __global__ void container_consume(const unsigned *pool, Container *container, unsigned *out)
{
	unsigned at = atomicAdd(&container->top, -1u) - 1;

	if (at < container->size)
		atomicAdd(&out[pool[container->stack + at] - 1], 1);
}

extern "C" __global__ void container_delete(unsigned *pool, Container *container)
{
	give(pool, container->stack, container->size);
	container->stack = 0;
}

// A block makes an object in its shared memory, in which its threads' numbers are added up.
extern "C" __global__ void placement_new(unsigned *out)
{
	__shared__ unsigned sum;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, threadIdx.x * threadIdx.x);
	__syncthreads();
	out[threadIdx.x] = sum;
}

// Each thread has a vector of its own, of pairs of numbers.
extern "C" __global__ void complex_vector(unsigned *pool, unsigned *out)
{
	unsigned n = threadIdx.x % 4 + 1, at = take(pool, 2 * n), sum = 0;

#pragma unroll 1
	for (unsigned k = 0; k < n; k++) {
		pool[at + 2 * k] = threadIdx.x;
		pool[at + 2 * k + 1] = k * k;
	}
#pragma unroll 1
	for (unsigned k = 0; k < 2 * n; k++)
		sum += pool[at + k];
	out[threadIdx.x] = sum;
}
