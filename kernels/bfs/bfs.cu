// Breadth-first search, one launch a level: a thread per node looks at the node's edges when it is on the frontier.
// Threads that reach the same node write the same level.
extern "C" __global__ void bfs(const int *first, const int *edge, int *level, int now, int n, int *more)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || level[v] != now)
		return;
	for (int e = first[v]; e < first[v + 1]; e++) {
		int u = edge[e];
		if (level[u] < 0) {
			level[u] = now + 1;
			*more = 1;
		}
	}
}
