// One step of k-means on integer points: nearest centre (divergent minimum), sums by atomics in shared memory, new centres.
#define MOST 16
extern "C" __global__ void kmeans_assign(const int *px, const int *py, int n, const int *cx, const int *cy, int k,
	int *nearest, int *sx, int *sy, int *size)
{
	__shared__ int bx[MOST], by[MOST], bn[MOST];
	int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

	if (tid < k)
		bx[tid] = by[tid] = bn[tid] = 0;
	__syncthreads();
	if (i < n) {
		int x = px[i], y = py[i], best = 0, least = 0x7fffffff;
		for (int c = 0; c < k; c++) {
			int dx = x - cx[c], dy = y - cy[c], d = dx * dx + dy * dy;
			if (d < least) {
				least = d;
				best = c;
			}
		}
		nearest[i] = best;
		atomicAdd(&bx[best], x);
		atomicAdd(&by[best], y);
		atomicAdd(&bn[best], 1);
	}
	__syncthreads();
	if (tid < k && bn[tid]) {
		atomicAdd(&sx[tid], bx[tid]);
		atomicAdd(&sy[tid], by[tid]);
		atomicAdd(&size[tid], bn[tid]);
	}
}

extern "C" __global__ void kmeans_move(int *cx, int *cy, const int *sx, const int *sy, const int *size, int k)
{
	int c = threadIdx.x;

	if (c < k && size[c]) {
		cx[c] = sx[c] / size[c];
		cy[c] = sy[c] / size[c];
	}
}

// The nearest centre by a walk through a kd-tree of the centres, as k-means of Treelogy; of centres equally far the first. What was found so far stands
// in global memory, and behind each store there the point and the centre are loaded again, in both arms of a branch that lanes take differently.
#define DEPTH 32
extern "C" __global__ void kmeans_tree(const int *px, const int *py, int n, const int *cx, const int *cy, const int *upright, const int *left,
	const int *right, int root, int *least, int *nearest)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, stack[DEPTH], top = 1;

	if (i >= n)
		return;
	stack[0] = root;
#pragma unroll 1
	while (top > 0) {
		int c = stack[--top], dx = px[i] - cx[c], dy = py[i] - cy[c], d = dx * dx + dy * dy;
		if (d < least[i] || (d == least[i] && c < nearest[i])) {
			least[i] = d;
			nearest[i] = c;
		}
		if (upright[c]) { // its children are above and below
			int away = py[i] - cy[c], near = away < 0 ? left[c] : right[c], far = away < 0 ? right[c] : left[c];
			if (far >= 0 && away * away <= least[i])
				stack[top++] = far;
			if (near >= 0)
				stack[top++] = near;
		} else {
			int away = px[i] - cx[c], near = away < 0 ? left[c] : right[c], far = away < 0 ? right[c] : left[c];
			if (far >= 0 && away * away <= least[i])
				stack[top++] = far;
			if (near >= 0)
				stack[top++] = near;
		}
	}
}
