// nvcc: -fmad=false
// A thread for each eigenvalue of the intervals that hold several: it narrows its interval by itself, so that threads need not wait for each other.
extern "C" __global__ void each_of_several(const float *diagonal, const float *squares, int n, const float *more_left, const float *more_right,
	const int *more_below, const int *more_above, int intervals, float precision, float *eigenvalue)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, i = 0;

#pragma unroll 1
	while (i < intervals && t >= more_above[i] - more_below[i]) {
		t -= more_above[i] - more_below[i];
		i++;
	}
	if (i >= intervals)
		return;
	float left = more_left[i], right = more_right[i];
	int which = more_below[i] + t;
#pragma unroll 1
	while (right - left > precision * fmaxf(fmaxf(fabsf(left), fabsf(right)), 0.001f)) {
		float x = left + (right - left) * 0.5f, delta = 1;
		int below = 0;
#pragma unroll 1
		for (int k = 0; k < n; k++) {
			delta = diagonal[k] - x - squares[k] / delta;
			below += delta < 0;
		}
		if (below > which)
			right = x;
		else
			left = x;
	}
	eigenvalue[which] = left + (right - left) * 0.5f;
}
