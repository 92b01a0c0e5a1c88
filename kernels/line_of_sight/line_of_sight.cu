// nvcc: -fmad=false
// What can be seen along a ray over a map of heights, as lineOfSight of NVIDIA's toolkit: how steep the way to each place is, the steepest of all places up
// to each (a scan in two launches), and whether a place is the steepest so far. The original takes angles, whose order is the same.
extern "C" __global__ void steepness(const float *height, int w, float eye_x, float eye_y, float eye_z, float dx, float dy, float *steep, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float x = eye_x + (i + 1) * dx, y = eye_y + (i + 1) * dy, away_x = x - eye_x, away_y = y - eye_y;
	steep[i] = (height[(int)y * w + (int)x] - eye_z) / sqrtf(away_x * away_x + away_y * away_y);
}

extern "C" __global__ void block_maxima(const float *steep, float *maximum, int n)
{
	extern __shared__ float s[];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

	s[t] = i < n ? steep[i] : -1e30f;
	for (int half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			s[t] = fmaxf(s[t], s[t + half]);
	}
	if (t == 0)
		maximum[blockIdx.x] = s[0];
}

extern "C" __global__ void scan_maxima(const float *steep, const float *maximum, float *steepest, int n)
{
	extern __shared__ float s[];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	float before = -1e30f;

#pragma unroll 1
	for (int b = 0; b < blockIdx.x; b++)
		before = fmaxf(before, maximum[b]);
	s[t] = i < n ? steep[i] : -1e30f;
	__syncthreads();
	for (int step = 1; step < blockDim.x; step *= 2) {
		float other = t >= step ? s[t - step] : -1e30f;
		__syncthreads();
		s[t] = fmaxf(s[t], other);
		__syncthreads();
	}
	if (i < n)
		steepest[i] = fmaxf(before, s[t]);
}

extern "C" __global__ void visibilities(const float *steep, const float *steepest, unsigned char *visible, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		visible[i] = steepest[i] <= steep[i];
}
