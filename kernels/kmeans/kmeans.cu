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
