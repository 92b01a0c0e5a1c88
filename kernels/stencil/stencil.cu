// nvcc: -fmad=false
// Five-point Jacobi step on a grid with a fixed border; a tile with its halo in shared memory.
// Compiled without contraction: the order of the additions is fixed.
#define TILE 16
extern "C" __global__ void __launch_bounds__(TILE * TILE) stencil(const float *in, float *out, int w, int h)
{
	__shared__ float t[TILE + 2][TILE + 2];
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * TILE + tx - 1, y = blockIdx.y * TILE + ty - 1;

	t[ty][tx] = in[y * w + x];
	if (tx == 1 && x > 0)
		t[ty][0] = in[y * w + x - 1];
	if (tx == TILE && x < w - 1)
		t[ty][TILE + 1] = in[y * w + x + 1];
	if (ty == 1 && y > 0)
		t[0][tx] = in[(y - 1) * w + x];
	if (ty == TILE && y < h - 1)
		t[TILE + 1][tx] = in[(y + 1) * w + x];
	__syncthreads();
	if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
		out[y * w + x] = t[ty][tx];
	else
		out[y * w + x] = 0.25f * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx]);
}
