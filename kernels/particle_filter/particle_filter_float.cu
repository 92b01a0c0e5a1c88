// nvcc: -fmad=false
// The particle filter with weights in floating point and four launches a frame, of equal grids, as particlefilter of Rodinia: likelihoods and a sum for
// each block, the sum over blocks, weights made to add up to 1 and added up, and the search of each new particle for the one that it comes from.
// Behind each store of an index a particle's place is loaded again; the limits of the image are tested where that was asked for only.
__device__ __forceinline__ float jitter(unsigned &state) // xorshift32; -1 to 1 in quarters
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (float)((int)(state % 9) - 4) * 0.25f;
}

extern "C" __global__ void likelihoods(const unsigned char *image, int w, int h, const int *disc, const int *limited, int points, const float *from_x,
	const float *from_y, float *px, float *py, unsigned *random, int *index, float *weight, float *partial, int n)
{
	extern __shared__ float buffer[];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	float like = 0;

	if (i < n) {
		unsigned state = random[i];
		px[i] = from_x[i] + 1 + jitter(state) + jitter(state);
		py[i] = from_y[i] + jitter(state) + jitter(state);
		random[i] = state;
#pragma unroll 1
		for (int k = 0; k < points; k++) {
			int x = (int)rintf(px[i]) + disc[2 * k], y = (int)rintf(py[i]) + disc[2 * k + 1], at = y * w + x;
			if (limited[k]) {
				if (px[i] < 0 || py[i] < 0 || px[i] > (float)(w - 1) || py[i] > (float)(h - 1))
					at = 0;
			}
			index[i * points + k] = min(max(at, 0), w * h - 1);
		}
#pragma unroll 1
		for (int k = 0; k < points; k++) {
			float c = image[index[i * points + k]];
			like += ((c - 100) * (c - 100) - (c - 228) * (c - 228)) * (1.0f / 512);
		}
		weight[i] = expf(like / points);
	}
	buffer[t] = i < n ? weight[i] : 0;
	for (int half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			buffer[t] += buffer[t + half];
	}
	if (t == 0)
		partial[blockIdx.x] = buffer[0];
}

extern "C" __global__ void sum_blocks(float *partial, int blocks)
{
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		float sum = 0;
#pragma unroll 1
		for (int b = 0; b < blocks; b++)
			sum += partial[b];
		partial[blocks] = sum;
	}
}

extern "C" __global__ void normalise(const float *weight, const float *partial, int blocks, float *normal, float *below, float *share, float offset, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		normal[i] = weight[i] / partial[blocks];
		share[i] = (i + offset) / n;
	}
	if (i == 0) {
		below[0] = weight[0] / partial[blocks];
#pragma unroll 1
		for (int k = 1; k < n; k++)
			below[k] = weight[k] / partial[blocks] + below[k - 1];
	}
}

extern "C" __global__ void find_index(const float *below, const float *share, const float *px, const float *py, float *to_x, float *to_y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, from = -1;

	if (i >= n)
		return;
#pragma unroll 1
	for (int k = 0; k < n; k++)
		if (below[k] >= share[i]) {
			from = k;
			break;
		}
	if (from == -1)
		from = n - 1;
	to_x[i] = px[from];
	to_y[i] = py[from];
}
