// An image smoothed by a bilateral filter, a block for each row, in two access patterns, each thread computing several pixels: every
// blockDim-th one, as bilateralFilter of NVIDIA's toolkit does it, or a piece of the row, so that all but one of a window's columns were
// loaded for the pixel before. A neighbour counts by its distance and by how much it differs, from tables; all in integers. In turns that
// the host has marked, half of a second image is mixed in; all threads decide alike there. The image has a border of two pixels.
#define R 2
__constant__ int near[2 * R + 1], like[256];

__device__ __forceinline__ int filtered(const unsigned char *const row[2 * R + 1])
{
	int centre = __ldg(row[R]), sum = 0, all = 0;

#pragma unroll
	for (int y = 0; y <= 2 * R; y++)
#pragma unroll
		for (int x = -R; x <= R; x++) {
			int pixel = __ldg(row[y] + x), factor = near[y] * near[x + R] * like[abs(pixel - centre)];
			sum += factor * pixel;
			all += factor;
		}
	return sum / all;
}

extern "C" __global__ void bilateral_strided(const unsigned char *image, const unsigned char *detail, const int *marked, unsigned char *out, int w)
{
	int pitch = w + 2 * R, x = threadIdx.x, here = (blockIdx.x + R) * pitch + x + R;
	const unsigned char *row[2 * R + 1];

	for (int y = 0; y <= 2 * R; y++)
		row[y] = image + here + (y - R) * pitch;
#pragma unroll 1
	for (int k = 0; x < w; k++, x += blockDim.x, here += blockDim.x) {
		int pixel = filtered(row);
		if (__ldg(marked + k))
			pixel = (pixel + __ldg(detail + here)) / 2;
		out[here] = pixel;
		for (int y = 0; y <= 2 * R; y++)
			row[y] += blockDim.x;
	}
}

extern "C" __global__ void bilateral_contiguous(const unsigned char *image, const unsigned char *detail, const int *marked, unsigned char *out, int w)
{
	int pitch = w + 2 * R, each = (w + blockDim.x - 1) / blockDim.x, x = threadIdx.x * each, here = (blockIdx.x + R) * pitch + x + R;
	const unsigned char *row[2 * R + 1];

	for (int y = 0; y <= 2 * R; y++)
		row[y] = image + here + (y - R) * pitch;
#pragma unroll 1
	for (int k = 0; k < each && x < w; k++, x++, here++) {
		int pixel = filtered(row);
		if (__ldg(marked + k))
			pixel = (pixel + __ldg(detail + here)) / 2;
		out[here] = pixel;
		for (int y = 0; y <= 2 * R; y++)
			row[y]++;
	}
}
