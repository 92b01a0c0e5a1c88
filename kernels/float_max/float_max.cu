// Largest float by a compare-and-swap loop, and a float sum by atomic addition (order not fixed).
extern "C" __global__ void float_max(const float *in, unsigned n, unsigned *most, float *sum)
{
	float m = -1e30f, s = 0;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		m = fmaxf(m, in[i]);
		s += in[i];
	}
	unsigned old = *(volatile unsigned *)most;
	while (m > __uint_as_float(old)) {
		unsigned seen = atomicCAS(most, old, __float_as_uint(m));
		if (seen == old)
			break;
		old = seen;
	}
	atomicAdd(sum, s);
}
