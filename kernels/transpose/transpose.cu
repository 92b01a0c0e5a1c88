// Matrix transposition: naive, through shared memory, and through shared memory with a padded row (no bank conflicts).
#define TILE 32
#define ROWS 8
extern "C" __global__ void transpose_naive(const unsigned *in, unsigned *out, int w, int h)
{
	int x = blockIdx.x * TILE + threadIdx.x, y0 = blockIdx.y * TILE + threadIdx.y;

	for (int y = y0; y < y0 + TILE; y += ROWS)
		out[x * h + y] = in[y * w + x];
}

template <int PAD> __device__ __forceinline__ void tiled(const unsigned *in, unsigned *out, int w, int h)
{
	__shared__ unsigned tile[TILE][TILE + PAD];
	int tx = threadIdx.x, ty = threadIdx.y;

	for (int y = ty; y < TILE; y += ROWS)
		tile[y][tx] = in[(blockIdx.y * TILE + y) * w + blockIdx.x * TILE + tx];
	__syncthreads();
	for (int y = ty; y < TILE; y += ROWS)
		out[(blockIdx.x * TILE + y) * h + blockIdx.y * TILE + tx] = tile[tx][y];
}

extern "C" __global__ void transpose_shared(const unsigned *in, unsigned *out, int w, int h) { tiled<0>(in, out, w, h); }
extern "C" __global__ void transpose_padded(const unsigned *in, unsigned *out, int w, int h) { tiled<1>(in, out, w, h); }
