// Follows points of a moving image from frame to frame, as programs for heart walls do: a block for each point, a thread for each
// displacement; a thread adds up how far the image differs from the point's template and gives up when it is worse than what some
// thread has already found; the best displacement moves the point, and its template takes on what it saw there.
#define SIDE 9
#define REACH 3 // displacements from -REACH to REACH in each direction
#define THREADS ((2 * REACH + 1) * (2 * REACH + 1))

// where[2 p], where[2 p + 1]: the point's place; old[2 p ...]: its place a frame before; patch[SIDE * SIDE * p ...]: its template;
// score[p]: the difference at the best place, or -1 when no displacement is possible: then the point stays.
extern "C" __global__ void tracking(const unsigned char *image, int w, int h, const unsigned char *wall, int *where, int *old,
	unsigned char *patch, int *score)
{
	__shared__ unsigned best;
	__shared__ unsigned char seen[SIDE * SIDE];
	int p = blockIdx.x, t = threadIdx.x, dx = t % (2 * REACH + 1) - REACH, dy = t / (2 * REACH + 1) - REACH;
	int x = where[2 * p], y = where[2 * p + 1], sum = 0, u = x + dx, v = y + dy;

	for (int i = t; i < SIDE * SIDE; i += blockDim.x)
		seen[i] = patch[SIDE * SIDE * p + i];
	if (t == 0)
		best = 0xffffffff;
	__syncthreads();
	// Only inside of the image, off the mask, and with no turn back of more than REACH + 1.
	if (u < SIDE / 2 || v < SIDE / 2 || u >= w - SIDE / 2 || v >= h - SIDE / 2 || wall[v * w + u] ||
		(dx != 0 && abs(u - old[2 * p]) > REACH + 1) || (dy != 0 && abs(v - old[2 * p + 1]) > REACH + 1))
		goto done;
#pragma unroll 1
	for (int j = 0; j < SIDE; j++) {
#pragma unroll 1
		for (int i = 0; i < SIDE; i++) {
			int d = image[(v + j - SIDE / 2) * w + u + i - SIDE / 2] - seen[j * SIDE + i];
			sum += d * d;
			if (sum > (int)(*(volatile unsigned *)&best >> 8 & 0x7fffff))
				goto done;
		}
	}
	atomicMin(&best, (unsigned)sum << 8 | t);
done:
	__syncthreads();
	if (best == 0xffffffff) {
		if (t == 0)
			score[p] = -1;
		return;
	}
	int at = best & 255, bx = x + at % (2 * REACH + 1) - REACH, by = y + at / (2 * REACH + 1) - REACH;
	for (int i = t; i < SIDE * SIDE; i += blockDim.x)
		patch[SIDE * SIDE * p + i] = (7 * seen[i] + image[(by + i / SIDE - SIDE / 2) * w + bx + i % SIDE - SIDE / 2]) / 8;
	if (t == 0) {
		score[p] = best >> 8;
		old[2 * p] = x;
		old[2 * p + 1] = y;
		where[2 * p] = bx;
		where[2 * p + 1] = by;
	}
}
