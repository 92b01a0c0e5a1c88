// nvcc: -fmad=false
// Escape times of the Mandelbrot set, a thread per point: the loop runs as long as the slowest lane of the warp.
extern "C" __global__ void mandelbrot(unsigned *out, int w, int h, double x0, double y0, double step, int most)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y, k = 0;
	double cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;

	if (px >= w || py >= h)
		return;
	while (k < most) {
		double xx = x * x, yy = y * y;
		if (xx + yy > 4.0)
			break;
		y = 2.0 * x * y + cy;
		x = xx - yy + cx;
		k++;
	}
	out[py * w + px] = k;
}
