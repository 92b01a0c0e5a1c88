// nvcc: -fmad=false
// Speckle reducing anisotropic diffusion as in srad_v1 of Rodinia: a thread for each pixel, in blocks of one dimension, with tables of the neighbouring rows and
// columns; sums over the image by launches that each leave one element for a block.
enum { THREADS = 128 };

extern "C" __global__ void extract(int count, float *image)
{
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (i < count)
		image[i] = expf(image[i] / 255);
}

extern "C" __global__ void prepare(int count, const float *image, float *sum, float *squares)
{
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (i < count) {
		sum[i] = image[i];
		squares[i] = image[i] * image[i];
	}
}

// The elements stand `apart` words from each other; each block's sum stands where its first element stood.
extern "C" __global__ void reduce(int count, int apart, float *sum, float *squares)
{
	__shared__ float a[THREADS], b[THREADS];
	int t = threadIdx.x, i = blockIdx.x * THREADS + t;

	a[t] = i < count ? sum[i * apart] : 0;
	b[t] = i < count ? squares[i * apart] : 0;
#pragma unroll 1
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half) {
			a[t] += a[t + half];
			b[t] += b[t + half];
		}
	}
	if (t == 0) {
		sum[i * apart] = a[0];
		squares[i * apart] = b[0];
	}
}

extern "C" __global__ void srad(int rows, int count, const int *north, const int *south, const int *west, const int *east, float *dn, float *ds,
	float *dw, float *de, float q, float *coefficient, const float *image)
{
	int i = blockIdx.x * THREADS + threadIdx.x, row = i % rows, column = i / rows;

	if (i >= count)
		return;
	float centre = image[i];
	float n = image[north[row] + rows * column] - centre, s = image[south[row] + rows * column] - centre;
	float w = image[row + rows * west[column]] - centre, e = image[row + rows * east[column]] - centre;
	float gradient = (n * n + s * s + w * w + e * e) / (centre * centre), laplacian = (n + s + w + e) / centre;
	float below = 1 + 0.25f * laplacian, variation = (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (below * below);
	float c = 1 / (1 + (variation - q) / (q * (1 + q)));
	if (c < 0)
		c = 0;
	else if (c > 1)
		c = 1;
	coefficient[i] = c;
	dn[i] = n;
	ds[i] = s;
	dw[i] = w;
	de[i] = e;
}

extern "C" __global__ void srad2(float rate, int rows, int count, const int *south, const int *east, const float *dn, const float *ds, const float *dw,
	const float *de, const float *coefficient, float *image)
{
	int i = blockIdx.x * THREADS + threadIdx.x, row = i % rows, column = i / rows;

	if (i >= count)
		return;
	float c = coefficient[i], cs = coefficient[south[row] + rows * column], ce = coefficient[row + rows * east[column]];
	image[i] += 0.25f * rate * (c * dn[i] + cs * ds[i] + c * dw[i] + ce * de[i]);
}

extern "C" __global__ void compress(int count, float *image)
{
	int i = blockIdx.x * THREADS + threadIdx.x;

	if (i < count)
		image[i] = logf(image[i]) * 255;
}
