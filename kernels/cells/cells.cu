// nvcc: -fmad=false
// Where white blood cells are in a frame, as leukocyte of Rodinia: for each pixel, how alike the gradients on circles around it are (mean by deviation),
// and the best of these in a neighbourhood. The neighbourhood has a form: what all threads look up to decide whether a place counts
// stands behind the branch that says whether the place is in the frame, at which lanes differ.
extern "C" __global__ void on_circles(const float *gradient_x, const float *gradient_y, const float *sine, const float *cosine, const int *dx, const int *dy,
	float *score, int w, int h, int border, int circles, int points)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % w, y = i / w;
	float best = 0;

	if (x < border || x >= w - border || y < border || y >= h - border)
		return;
#pragma unroll 1
	for (int k = 0; k < circles; k++) {
		float sum = 0, mean = 0, squares = 0;
#pragma unroll 1
		for (int p = 0; p < points; p++) {
			int at = (y + dy[k * points + p]) * w + x + dx[k * points + p];
			float g = gradient_x[at] * cosine[p] + gradient_y[at] * sine[p], off = g - mean;
			sum += g;
			mean += off / (float)(p + 1);
			squares += off * (g - mean);
		}
		mean = sum / points;
		float alike = mean * mean / (squares / (points - 1));
		if (alike > best)
			best = alike;
	}
	score[i] = best;
}

extern "C" __global__ void dilate(const float *score, const int *form, float *dilated, int w, int h, int size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % w, y = i / w;
	float best = 0;

	if (i >= w * h)
		return;
#pragma unroll 1
	for (int dy = 0; dy < size; dy++) {
		int v = y - size / 2 + dy;
#pragma unroll 1
		for (int dx = 0; dx < size; dx++) {
			int u = x - size / 2 + dx;
			if (v >= 0 && u >= 0 && v < h && u < w) {
				if (form[dy * size + dx] != 0) {
					float s = score[v * w + u];
					if (s > best)
						best = s;
				}
			}
		}
	}
	dilated[i] = best;
}
