// Bench: arithmetic alone. Integer and float operations in registers, a uniform loop, one store at the end.
extern "C" __global__ void arithmetic(unsigned *out, int rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i * 2654435761u, y = i;
	float f = i;

#pragma unroll 4
	for (int k = 0; k < rounds; k++) {
		x = x * 1664525u + 1013904223u;
		y ^= x >> 7;
		y += x & k;
		f = f * 0.5f + 3.0f;
	}
	out[i] = x ^ y ^ __float_as_uint(f);
}
