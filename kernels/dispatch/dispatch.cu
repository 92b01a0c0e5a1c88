// Calls through a table of functions: each thread applies the operations that its program names, so that lanes of a warp
// call different functions.
typedef unsigned Op(unsigned, unsigned);
__device__ __noinline__ unsigned add(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned multiply(unsigned a, unsigned b) { return a * b | 1; }
__device__ __noinline__ unsigned rotate(unsigned a, unsigned b) { return a << (b & 31) | a >> (32 - (b & 31)) % 32; }
__device__ __noinline__ unsigned mix(unsigned a, unsigned b)
{
	for (unsigned k = b & 3; k > 0; k--)
		a = (a ^ a >> 3) + b;
	return a;
}
__device__ Op *const table[4] = { add, multiply, rotate, mix };

extern "C" __global__ void dispatch(const unsigned *program, int length, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;

	for (int k = 0; k < length; k++) {
		unsigned p = program[i * length + k];
		v = table[p & 3](v, p >> 2);
	}
	out[i] = v;
}
