// nvcc: -fmad=false
// A stencil of three elements in two access patterns, each thread computing several elements: `strided` gives a thread every
// stride-th element, so that a warp's loads lie side by side and a thread loads nothing twice; `contiguous` gives it a piece of
// the array, so that a thread loads two of the three elements again that it had in the turn before, and a warp's loads lie apart.
// It is the pair of figure 4.18 in Fukuhara's thesis on code motion for GPUs (2023): scalar replacement removes loads from the
// second only. The array has one element more at each end. Loads go by the read-only cache, as those of a texture.
extern "C" __global__ void strided(const float *in, float *out, int n, int each)
{
	int stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;

	in += i + 1;
	out += i + 1;
#pragma unroll 1
	for (int k = 0; k < each && i < n; k++, i += stride, in += stride, out += stride)
		*out = 0.25f * __ldg(in - 1) + 0.5f * __ldg(in) + 0.25f * __ldg(in + 1);
}

extern "C" __global__ void contiguous(const float *in, float *out, int n, int each)
{
	int i = (blockIdx.x * blockDim.x + threadIdx.x) * each;

	in += i + 1;
	out += i + 1;
#pragma unroll 1
	for (int k = 0; k < each && i < n; k++, i++, in++, out++)
		*out = 0.25f * __ldg(in - 1) + 0.5f * __ldg(in) + 0.25f * __ldg(in + 1);
}
