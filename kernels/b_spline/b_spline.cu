// nvcc: -fmad=false
// Registration of two images by a deformation with cubic B-splines, as the program for volumes in GPU Computing Gems: control points say how pixels are
// displaced; each step interpolates the displacement of each pixel, compares the images there, adds up what each control point is to
// blame for, and moves the points. The first two of the four launches do one pixel a thread, the others a control point.
#define CELL 4 // pixels between control points

__device__ __forceinline__ void weights(float t, float w[4])
{
	float s = 1 - t;

	w[0] = s * s * s / 6;
	w[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
	w[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
	w[3] = t * t * t / 6;
}

extern "C" __global__ void interpolate(const float *point_x, const float *point_y, float *move_x, float *move_y, int w, int h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % w, y = i / w, columns = w / CELL + 3;
	float wx[4], wy[4], sx = 0, sy = 0;

	if (i >= w * h)
		return;
	weights((float)(x % CELL) / CELL, wx);
	weights((float)(y % CELL) / CELL, wy);
#pragma unroll
	for (int b = 0; b < 4; b++)
#pragma unroll
		for (int a = 0; a < 4; a++) {
			int at = (y / CELL + b) * columns + x / CELL + a;
			sx += wy[b] * wx[a] * point_x[at];
			sy += wy[b] * wx[a] * point_y[at];
		}
	move_x[i] = sx;
	move_y[i] = sy;
}

// How different the images are, times the slope of the moving one; pixels that leave the image count nothing.
extern "C" __global__ void compare(const float *fixed, const float *moving, const float *move_x, const float *move_y, float *blame_x, float *blame_y,
	float *difference, int w, int h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= w * h)
		return;
	float u = i % w + move_x[i], v = i / w + move_y[i];
	if (u >= 1 && u < w - 2 && v >= 1 && v < h - 2) {
		int x = (int)u, y = (int)v, at = y * w + x;
		float fx = u - x, fy = v - y, top = moving[at] + fx * (moving[at + 1] - moving[at]);
		float bottom = moving[at + w] + fx * (moving[at + w + 1] - moving[at + w]), d = top + fy * (bottom - top) - fixed[i];
		difference[i] = d * d;
		blame_x[i] = d * (0.5f * (moving[at + 1] - moving[at - 1]));
		blame_y[i] = d * (0.5f * (moving[at + w] - moving[at - w]));
	} else {
		difference[i] = 0;
		blame_x[i] = 0;
		blame_y[i] = 0;
	}
}

extern "C" __global__ void add_blame(const float *blame_x, const float *blame_y, float *slope_x, float *slope_y, int w, int h)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x, columns = w / CELL + 3, rows = h / CELL + 3, column = p % columns, row = p / columns;
	float sx = 0, sy = 0;

	if (p >= columns * rows)
		return;
#pragma unroll 1
	for (int y = max(CELL * (row - 3), 0); y < min(CELL * (row + 1), h); y++)
#pragma unroll 1
		for (int x = max(CELL * (column - 3), 0); x < min(CELL * (column + 1), w); x++) {
			float wx[4], wy[4];
			int a = column - x / CELL, b = row - y / CELL;
			weights((float)(x % CELL) / CELL, wx);
			weights((float)(y % CELL) / CELL, wy);
			float both = (b == 0 ? wy[0] : b == 1 ? wy[1] : b == 2 ? wy[2] : wy[3]) * (a == 0 ? wx[0] : a == 1 ? wx[1] : a == 2 ? wx[2] : wx[3]);
			sx += both * blame_x[y * w + x];
			sy += both * blame_y[y * w + x];
		}
	slope_x[p] = sx;
	slope_y[p] = sy;
}

extern "C" __global__ void move_points(float *point_x, float *point_y, const float *slope_x, const float *slope_y, float rate, int points)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;

	if (p >= points)
		return;
	point_x[p] -= rate * slope_x[p];
	point_y[p] -= rate * slope_y[p];
}
