// Bench: scattered memory. Every lane follows its own chain through a table.
extern "C" __global__ void scattered(const unsigned *next, unsigned *out, int steps)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i;

#pragma unroll 1
	for (int k = 0; k < steps; k++)
		at = next[at];
	out[i] = at;
}
