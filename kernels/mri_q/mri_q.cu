// nvcc: -fmad=false
// The matrix Q of a magnetic resonance scanner, as mri-q of Parboil: for each place in space, a sum over the places in frequency space, which stand
// in constant memory, a chunk of them for each launch; two to a turn, and the odd one before. Sines and cosines are those of the
// library, with branches of their own on large arguments.
#define CHUNK 64
struct Sample {
	float x, y, z, magnitude;
};
__constant__ Sample sample[CHUNK];

extern "C" __global__ void magnitudes(const float *real, const float *imaginary, float *magnitude, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

extern "C" __global__ void add_chunk(int samples, const float *x, const float *y, const float *z, float *real, float *imaginary, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

	if (i >= n)
		return;
	float px = x[i], py = y[i], pz = z[i], re = real[i], im = imaginary[i], angle;
	if (samples % 2) {
		angle = 6.2831855f * (sample[0].x * px + sample[0].y * py + sample[0].z * pz);
		re += sample[0].magnitude * cosf(angle);
		im += sample[0].magnitude * sinf(angle);
		k++;
	}
#pragma unroll 1
	for (; k < samples; k += 2) {
		angle = 6.2831855f * (sample[k].x * px + sample[k].y * py + sample[k].z * pz);
		re += sample[k].magnitude * cosf(angle);
		im += sample[k].magnitude * sinf(angle);
		angle = 6.2831855f * (sample[k + 1].x * px + sample[k + 1].y * py + sample[k + 1].z * pz);
		re += sample[k + 1].magnitude * cosf(angle);
		im += sample[k + 1].magnitude * sinf(angle);
	}
	real[i] = re;
	imaginary[i] = im;
}
