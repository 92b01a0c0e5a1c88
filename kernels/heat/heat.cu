// nvcc: -fmad=false
// Heat in a chip whose cells make heat, as HotSpot does it on a GPU: a block makes several steps on a tile in shared memory and
// pays with cells at the tile's border that are no longer right, a ring more with each step (a pyramid). Guards say which cells a
// thread may still write; some cells of the chip are air, which keeps its temperature.
#define TILE 16
extern "C" __global__ void __launch_bounds__(TILE * TILE) heat(const float *in, const float *power, const unsigned char *solid,
	float *out, int w, int h, int steps)
{
	__shared__ float now[TILE][TILE], made[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, border = TILE - 2 * steps;
	int x = blockIdx.x * border + tx - steps, y = blockIdx.y * border + ty - steps;
	bool inside = x >= 0 && x < w && y >= 0 && y < h, written = false;
	float next = 0;

	if (inside) {
		now[ty][tx] = in[y * w + x];
		made[ty][tx] = power[y * w + x];
	}
	__syncthreads();
	for (int i = 1; ; i++) {
		written = false;
		if (tx >= i && tx < TILE - i && ty >= i && ty < TILE - i && inside && solid[y * w + x]) {
			float t = now[ty][tx];
			// At the chip's border there is no flow; into air it is slower.
			float north = y == 0 ? t : now[ty - 1][tx], south = y == h - 1 ? t : now[ty + 1][tx];
			float west = x == 0 ? t : now[ty][tx - 1], east = x == w - 1 ? t : now[ty][tx + 1];
			float flow = 0.125f * (north + south - 2 * t) + 0.25f * (west + east - 2 * t);
			if ((y > 0 && !solid[(y - 1) * w + x]) || (y < h - 1 && !solid[(y + 1) * w + x]) ||
				(x > 0 && !solid[y * w + x - 1]) || (x < w - 1 && !solid[y * w + x + 1]))
				flow = 0.5f * flow;
			next = t + (made[ty][tx] + flow + 0.0625f * (80.0f - t));
			written = true;
		}
		__syncthreads();
		if (i == steps)
			break;
		if (written)
			now[ty][tx] = next;
		__syncthreads();
	}
	if (tx >= steps && tx < TILE - steps && ty >= steps && ty < TILE - steps && inside)
		out[y * w + x] = written ? next : now[ty][tx];
}
