// Bench: loops with different trip counts in a warp, and a branch inside them.
extern "C" __global__ void divergent(unsigned *out, unsigned most)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u | 1, sum = 0;
	unsigned turns = x >> 8 & most - 1;

#pragma unroll 1
	for (unsigned k = 0; k < turns; k++) {
		if (x & 1) {
			x = x * 3 + 1;
			sum += x >> 3;
		} else {
			x >>= 1;
			if (x & 4)
				sum ^= k;
		}
		if (x == 0)
			x = i + k;
	}
	out[i] = sum;
}
