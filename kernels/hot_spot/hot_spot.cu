// nvcc: -fmad=false
// Heat in a chip, as hotspot of Rodinia: a block makes several steps on a tile in shared memory, a ring of which is no longer right after each. Where
// `heat` keeps a cell's new value in a register, it stands in shared memory here, as in the original: it is loaded behind the branch that says
// whether the thread has computed one, which lanes take differently, and that one behind the last step, which all threads take alike.
// In some steps the chip is measured, too, and cells move towards what was found there.
#define TILE 12
extern "C" __global__ void __launch_bounds__(TILE * TILE) hot_spot(const float *in, const float *power, const float *measured, float *out, int w, int h,
	int steps, int period)
{
	__shared__ float now[TILE][TILE], made[TILE][TILE], next[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, inner = TILE - 2 * steps;
	int x = blockIdx.x * inner + tx - steps, y = blockIdx.y * inner + ty - steps, at = y * w + x;
	bool inside = x >= 0 && x < w && y >= 0 && y < h, computed = false;

	if (inside) {
		now[ty][tx] = in[at];
		made[ty][tx] = power[at];
	}
	__syncthreads();
	int north = y == 0 ? ty : ty - 1, south = y == h - 1 ? ty : ty + 1, west = x == 0 ? tx : tx - 1, east = x == w - 1 ? tx : tx + 1;
#pragma unroll 1
	for (int i = 1; ; i++) {
		computed = false;
		if (tx >= i && tx < TILE - i && ty >= i && ty < TILE - i && inside) {
			computed = true;
			next[ty][tx] = now[ty][tx] + 0.5f * (made[ty][tx] + 0.25f * (now[south][tx] + now[north][tx] - 2 * now[ty][tx]) +
				0.5f * (now[ty][east] + now[ty][west] - 2 * now[ty][tx]) + 0.0625f * (80 - now[ty][tx]));
			if (i % period == 0)
				next[ty][tx] = 0.5f * (next[ty][tx] + measured[at]);
		}
		__syncthreads();
		if (i == steps)
			break;
		if (computed)
			now[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (computed)
		out[at] = next[ty][tx];
}
