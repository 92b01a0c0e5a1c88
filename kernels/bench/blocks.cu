// Bench: many small blocks of one warp that do little.
extern "C" __global__ void blocks(const unsigned *in, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i] * 3 + blockIdx.x;
}
