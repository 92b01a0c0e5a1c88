// nvcc: -fmad=false
// Edges of an image by the operator of Sobel, a block for each row, in two access patterns, each thread computing several pixels:
// `sobel_strided` takes every blockDim-th pixel of the row, as SobelFilter of NVIDIA's toolkit does; `sobel_contiguous` a piece of the
// row, so that five of a pixel's eight neighbours were loaded for the pixels before it: scalar replacement finds these. In turns
// that the host has marked, pixels are dimmed by a mask; all threads decide alike there, and nothing is gained by loading the mask
// where it is not wanted. The image has a border of one pixel; loads go by the read-only cache, as those of a texture.
__device__ __forceinline__ int edge(const unsigned char *up, const unsigned char *at, const unsigned char *down, float scale)
{
	int a = __ldg(up - 1), b = __ldg(up), c = __ldg(up + 1), d = __ldg(at - 1), f = __ldg(at + 1);
	int g = __ldg(down - 1), h = __ldg(down), i = __ldg(down + 1);

	return scale * (float)(abs(c + 2 * f + i - a - 2 * d - g) + abs(a + 2 * b + c - g - 2 * h - i));
}

extern "C" __global__ void sobel_strided(const unsigned char *image, const unsigned char *mask, const int *marked, unsigned char *edges,
	int w, float scale)
{
	int pitch = w + 2, x = threadIdx.x, here = (blockIdx.x + 1) * pitch + x + 1;
	const unsigned char *up = image + here - pitch, *at = image + here, *down = image + here + pitch;

#pragma unroll 1
	for (int k = 0; x < w; k++, x += blockDim.x, here += blockDim.x, up += blockDim.x, at += blockDim.x, down += blockDim.x) {
		int sum = edge(up, at, down, scale);
		if (__ldg(marked + k))
			sum = sum * __ldg(mask + here) >> 8;
		edges[here] = min(sum, 255);
	}
}

extern "C" __global__ void sobel_contiguous(const unsigned char *image, const unsigned char *mask, const int *marked, unsigned char *edges,
	int w, float scale)
{
	int pitch = w + 2, each = (w + blockDim.x - 1) / blockDim.x, x = threadIdx.x * each, here = (blockIdx.x + 1) * pitch + x + 1;
	const unsigned char *up = image + here - pitch, *at = image + here, *down = image + here + pitch;

#pragma unroll 1
	for (int k = 0; k < each && x < w; k++, x++, here++, up++, at++, down++) {
		int sum = edge(up, at, down, scale);
		if (__ldg(marked + k))
			sum = sum * __ldg(mask + here) >> 8;
		edges[here] = min(sum, 255);
	}
}
