// Each thread has a number of rows; of each it takes so many turns as turns[row][thread] says, at least one.
extern "C" __global__ void rows(const unsigned *turns, unsigned *out, unsigned n)
{
	unsigned t = threadIdx.x, x = t;

#pragma unroll 1
	for (unsigned row = 0; row < n; row++) {
		unsigned left = turns[row * blockDim.x + t];

#pragma unroll 1
		do {
			x = x * 3 + left;
			x = x ^ x >> 7;
			x = x * 5 + row;
			x = x ^ x >> 9;
		} while (--left);
	}
	out[t] = x;
}
