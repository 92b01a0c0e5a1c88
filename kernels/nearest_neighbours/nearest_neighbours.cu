// The k points nearest to each query by a walk through a kd-tree, as the k-nearest-neighbour program of Treelogy: a thread for each query,
// with a stack. Which child comes first differs by lane, and both arms of that branch do the same with the children exchanged. The
// distances found so far stand in global memory, in ascending order; the last one is looked up wherever something is compared to it.
#define LEAF 3
#define DEPTH 24
extern "C" __global__ void nearest_neighbours(const int *axis, const int *split, const int *low, const int *high, const int *points,
	const int *queries, int *distance, int *found, int n, int k)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x, stack[DEPTH], least[DEPTH], top = 1;

	if (q >= n)
		return;
	int x = queries[3 * q], y = queries[3 * q + 1], z = queries[3 * q + 2], last = (k - 1) * n + q;
	stack[0] = least[0] = 0;
	while (top > 0) {
		int node = stack[--top];
		if (least[top] >= distance[last])
			continue;
		if (axis[node] == LEAF) {
#pragma unroll 1
			for (int p = low[node]; p < high[node]; p++) { // the points of a leaf
				int dx = points[3 * p] - x, dy = points[3 * p + 1] - y, dz = points[3 * p + 2] - z, d = dx * dx + dy * dy + dz * dz;
				if (d >= distance[last])
					continue;
				int i = last;
				for (; i >= n && distance[i - n] > d; i -= n) {
					distance[i] = distance[i - n];
					found[i] = found[i - n];
				}
				distance[i] = d;
				found[i] = p;
			}
			continue;
		}
		int away = (axis[node] == 0 ? x : axis[node] == 1 ? y : z) - split[node];
		if (away < 0) {
			if (away * away < distance[last]) {
				stack[top] = high[node];
				least[top++] = away * away;
			}
			stack[top] = low[node];
			least[top++] = 0;
		} else {
			if (away * away < distance[last]) {
				stack[top] = low[node];
				least[top++] = away * away;
			}
			stack[top] = high[node];
			least[top++] = 0;
		}
	}
}
