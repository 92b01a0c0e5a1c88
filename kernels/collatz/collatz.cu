// Steps of the Collatz sequence: a branch in a loop with a different trip count for every lane.
extern "C" __global__ void collatz(unsigned first, unsigned *steps, unsigned long long *peak)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
	unsigned long long x = first + i, top = x;

	while (x != 1) {
		if (x & 1) {
			x = 3 * x + 1;
			if (x > top)
				top = x;
		} else
			x >>= 1;
		n++;
	}
	steps[i] = n;
	peak[i] = top;
}
