// Quantises a plane of cosine transforms of 8 x 8 pixels where it stands: each coefficient becomes the nearest multiple of its step, of two as near the
// larger one in magnitude. Division rounds towards zero, so that negative coefficients have an arm of their own.
extern "C" __global__ void dct_quantization(short *plane, const short *step, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, level;

	if (x >= w || y >= h)
		return;
	int c = plane[y * w + x], s = step[(y & 7) * 8 + (x & 7)];
	if (c < 0)
		level = -((s / 2 - c) / s);
	else
		level = (c + s / 2) / s;
	plane[y * w + x] = level * s;
}
