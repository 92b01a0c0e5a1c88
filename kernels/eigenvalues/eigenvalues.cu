// nvcc: -fmad=false
// All eigenvalues of a symmetric tridiagonal matrix by bisection, as the sample of NVIDIA's toolkit: how many eigenvalues lie below
// x follows from the signs of a recurrence (Sturm). One block divides the interval of all until there are enough; then each thread
// narrows an interval that holds one eigenvalue, and blocks go on dividing those that hold several. The middle of an interval is
// computed in arms that differ by lane, before a step and once more where an interval is narrow enough.
#define MOST 128 // intervals of a block

struct Intervals { // a thread's interval, and how many eigenvalues are below its ends
	float left[MOST], right[MOST];
	int below_left[MOST], below_right[MOST], place[MOST];
};

__device__ __forceinline__ float middle(float left, float right)
{
	if ((left < 0) == (right < 0))
		return left + (right - left) * 0.5f;
	return (left + right) * 0.5f;
}

__device__ __forceinline__ int below(const float *diagonal, const float *squares, int n, float x)
{
	float delta = 1;
	int count = 0;

#pragma unroll 1
	for (int i = 0; i < n; i++) {
		delta = diagonal[i] - x - squares[i] / delta;
		count += delta < 0;
	}
	return count;
}

__device__ __forceinline__ bool narrow(float left, float right, float precision)
{
	return right - left <= precision * fmaxf(fmaxf(fabsf(left), fabsf(right)), 0.001f);
}

__device__ __forceinline__ void put(Intervals &s, int at, float left, float right, int below_left, int below_right, float precision)
{
	if (narrow(left, right, precision))
		left = right = middle(left, right);
	s.left[at] = left;
	s.right[at] = right;
	s.below_left[at] = below_left;
	s.below_right[at] = below_right;
}

// How many of the threads before this one have `flag`; s.place[blockDim.x - 1] is how many all have.
__device__ __forceinline__ int before(Intervals &s, int flag)
{
	int t = threadIdx.x;

	s.place[t] = flag;
	__syncthreads();
	for (int step = 1; step < blockDim.x; step *= 2) {
		int more = t >= step ? s.place[t - step] : 0;
		__syncthreads();
		s.place[t] += more;
		__syncthreads();
	}
	return s.place[t] - flag;
}

// Divides the block's first `active` intervals; an empty half is dropped, a second one goes behind the others. Returns their number.
__device__ __forceinline__ int divide(Intervals &s, int active, const float *diagonal, const float *squares, int n, float precision)
{
	int t = threadIdx.x, low = 0, mid = 0, high = 0, second = 0;
	float left = 0, right = 0, x = 0;

	if (t < active) {
		left = s.left[t], right = s.right[t], low = s.below_left[t], high = s.below_right[t];
		if (left != right) {
			x = middle(left, right);
			mid = min(max(below(diagonal, squares, n, x), low), high);
			if (mid == low)
				put(s, t, x, right, low, high, precision);
			else
				put(s, t, left, x, low, mid, precision);
			second = mid != low && mid != high;
		}
	}
	int at = active + before(s, second);
	if (second)
		put(s, at, x, right, mid, high, precision);
	active += s.place[blockDim.x - 1];
	__syncthreads();
	return active;
}

// The block's first intervals, from (left, right) with all n eigenvalues; lists of those with one and of those with several.
extern "C" __global__ void bisect(const float *diagonal, const float *squares, int n, float left, float right, float precision, int steps,
	float *one_left, float *one_right, int *one_below, float *more_left, float *more_right, int *more_below, int *more_above, int *count)
{
	__shared__ Intervals s;
	int t = threadIdx.x, active = 1;

	if (t == 0)
		put(s, 0, left, right, 0, n, precision);
	__syncthreads();
	for (int i = 0; i < steps && 2 * active <= blockDim.x; i++)
		active = divide(s, active, diagonal, squares, n, precision);
	int held = t < active ? s.below_right[t] - s.below_left[t] : 0, one = before(s, held == 1), ones = s.place[blockDim.x - 1];
	__syncthreads();
	int more = before(s, held > 1);
	if (held == 1) {
		one_left[one] = s.left[t];
		one_right[one] = s.right[t];
		one_below[one] = s.below_left[t];
	} else if (held > 1) {
		more_left[more] = s.left[t];
		more_right[more] = s.right[t];
		more_below[more] = s.below_left[t];
		more_above[more] = s.below_right[t];
	}
	if (t == 0) {
		count[0] = ones;
		count[1] = s.place[blockDim.x - 1];
	}
}

// A thread for each interval with one eigenvalue; the block goes on until all are narrow.
extern "C" __global__ void one_interval(const float *diagonal, const float *squares, int n, const float *one_left, const float *one_right,
	const int *one_below, int intervals, float precision, float *eigenvalue)
{
	__shared__ int latest; // the last turn in which an interval was not yet narrow
	int i = blockIdx.x * blockDim.x + threadIdx.x, lowest = i < intervals ? one_below[i] : 0;
	float left = i < intervals ? one_left[i] : 0, right = i < intervals ? one_right[i] : 0, x = 0;

	if (threadIdx.x == 0)
		latest = 0;
	__syncthreads();
	for (int turn = 1; ; turn++) {
		if (left != right) {
			x = middle(left, right);
			if (below(diagonal, squares, n, x) > lowest)
				right = x;
			else
				left = x;
			if (narrow(left, right, precision))
				left = right = middle(left, right);
			else
				latest = turn;
		}
		__syncthreads();
		if (latest < turn)
			break;
	}
	if (i < intervals)
		eigenvalue[lowest] = left;
}

// Block b has the intervals first[b] to first[b + 1] of those with several eigenvalues, no more of these than it has threads.
extern "C" __global__ void several_intervals(const float *diagonal, const float *squares, int n, const float *more_left, const float *more_right,
	const int *more_below, const int *more_above, const int *first, float precision, float *eigenvalue)
{
	__shared__ Intervals s;
	__shared__ int latest;
	int t = threadIdx.x, from = first[blockIdx.x], active = first[blockIdx.x + 1] - from;

	if (t < active)
		put(s, t, more_left[from + t], more_right[from + t], more_below[from + t], more_above[from + t], precision);
	if (t == 0)
		latest = 0;
	__syncthreads();
	for (int turn = 1; ; turn++) {
		if (t < active && s.left[t] != s.right[t])
			latest = turn;
		__syncthreads();
		if (latest < turn)
			break;
		active = divide(s, active, diagonal, squares, n, precision);
	}
	if (t < active)
		for (int k = s.below_left[t]; k < s.below_right[t]; k++)
			eigenvalue[k] = s.left[t];
}
