// A particle filter that follows an object through noisy frames, in integers: particles move, the image around each says how likely
// it is, weights are added up, and each new particle looks for the one that it comes from. What differs by lane: pieces of the disc
// outside of the image, and where a search ends.
__device__ __forceinline__ unsigned draw(unsigned &state) // xorshift32
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

// weight[i]: 1 and what the pixels of a disc around particle i are lighter than the background; 0 when a pixel is so dark that the
// object cannot be there, or too many lie outside.
extern "C" __global__ void likelihood(const unsigned char *image, int w, int h, int *px, int *py, unsigned *random, const int *disc,
	int points, unsigned *weight, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, outside = 0, light = 0;

	if (i >= n)
		return;
	unsigned state = random[i];
	int x = px[i] + (int)(draw(state) % 5) + (int)(draw(state) % 5) - 3, y = py[i] + (int)(draw(state) % 5) + (int)(draw(state) % 5) - 4;
	random[i] = state;
	px[i] = x;
	py[i] = y;
#pragma unroll 1
	for (int k = 0; k < points; k++) {
		int u = x + disc[2 * k], v = y + disc[2 * k + 1];
		if (u < 0 || u >= w || v < 0 || v >= h) {
			if (4 * ++outside > points)
				goto impossible;
			continue;
		}
		int c = image[v * w + u];
		if (c < 8)
			goto impossible;
		light += c - 64;
	}
	weight[i] = light > 0 ? 1 + light : 1;
	return;
impossible:
	weight[i] = 0;
}

// sum[i] = weight[0] + ... + weight[i], by one block: each thread adds a piece, then the sums of the pieces before it.
extern "C" __global__ void add_up(const unsigned *weight, unsigned *sum, int n)
{
	extern __shared__ unsigned piece[];
	int t = threadIdx.x, each = (n + blockDim.x - 1) / blockDim.x, from = t * each, to = min(from + each, n);
	unsigned s = 0;

#pragma unroll 1
	for (int i = from; i < to; i++)
		s += weight[i];
	piece[t] = s;
	__syncthreads();
	s = 0;
#pragma unroll 1
	for (int i = 0; i < t; i++)
		s += piece[i];
#pragma unroll 1
	for (int i = from; i < to; i++)
		sum[i] = s += weight[i];
}

// Systematic resampling: new particle i comes from the first whose sum is above its share.
extern "C" __global__ void resample(const unsigned *sum, const int *px, const int *py, int *nx, int *ny, unsigned offset, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, from = -1;

	if (i >= n)
		return;
	unsigned all = sum[n - 1], share = (unsigned)(((unsigned long long)i * 65536 + offset) * all / ((unsigned long long)n * 65536));
#pragma unroll 1
	for (int k = 0; k < n; k++)
		if (sum[k] > share) {
			from = k;
			break;
		}
	if (from < 0)
		from = n - 1;
	nx[i] = px[from];
	ny[i] = py[from];
}
