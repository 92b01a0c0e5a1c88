// nvcc: -fmad=false
// A fractal by a system of iterated functions, as the program for flames in GPU Computing Gems: points are moved by affine maps that are drawn at random
// and bent by one of several functions; each counts where it is, and a picture is made of the counts. All threads of a block draw the same
// map in a step, or each its own (`own`): the branch on what bends a point is then one that lanes take differently.
struct Map {
	float a, b, c, d, e, f;
	int bend, chance; // chance: of 1024, this map or one before it is drawn
};

__device__ __forceinline__ unsigned draw(unsigned &state)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state >> 8;
}

extern "C" __global__ void begin(float *x, float *y, unsigned *random, unsigned *count, unsigned seed, int points, int pixels)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;

#pragma unroll 1
	for (int k = i; k < pixels; k += threads)
		count[k] = 0;
	if (i >= points)
		return;
	unsigned state = (i + 1) * 2654435761u ^ seed;
	for (int k = 0; k < 4; k++)
		draw(state);
	x[i] = (float)(draw(state) % 2048) / 1024 - 1;
	y[i] = (float)(draw(state) % 2048) / 1024 - 1;
	random[i] = state;
}

extern "C" __global__ void iterate(const Map *maps, float *x, float *y, unsigned *random, unsigned common, int own, int points)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

	if (i >= points)
		return;
	unsigned state = random[i], chosen = common + 37 * blockIdx.x;
	if (own)
		chosen = draw(state);
	random[i] = state;
#pragma unroll 1
	while (maps[k].chance <= chosen % 1024)
		k++;
	float u = maps[k].a * x[i] + maps[k].b * y[i] + maps[k].c, v = maps[k].d * x[i] + maps[k].e * y[i] + maps[k].f;
	if (maps[k].bend == 1) { // a sphere
		float r2 = u * u + v * v + 0.0625f;
		x[i] = u / r2;
		y[i] = v / r2;
	} else if (maps[k].bend == 2) { // a horseshoe
		float r = sqrtf(u * u + v * v) + 0.0625f;
		x[i] = (u - v) * (u + v) / r;
		y[i] = 2 * u * v / r;
	} else {
		x[i] = u;
		y[i] = v;
	}
}

// Points within [-2, 2[ in both directions count.
extern "C" __global__ void accumulate(const float *x, const float *y, unsigned *count, int w, int h, int points)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= points)
		return;
	float u = (x[i] + 2) * (0.25f * w), v = (y[i] + 2) * (0.25f * h);
	if (u >= 0 && u < w && v >= 0 && v < h)
		atomicAdd(&count[(int)v * w + (int)u], 1);
}

extern "C" __global__ void picture(const unsigned *count, unsigned char *pixel, int pixels)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= pixels)
		return;
	unsigned c = count[i], bright = 0;
	while (c) { // as many steps as it has bits
		bright += 24;
		c >>= 1;
	}
	pixel[i] = min(bright, 255u);
}
