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

// The same as in Rodinia, two launches a level: nodes of the frontier are marked in masks, reach others that have not been visited, and these become
// the frontier. What an edge costs its node is loaded for each edge, behind the branch that says whether its end has been visited.
extern "C" __global__ void bfs_expand(const int *first, const int *degree, const int *edge, unsigned char *frontier, unsigned char *reached,
	const unsigned char *visited, const int *cost, int *next_cost, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v < n && frontier[v]) {
		frontier[v] = 0;
		for (int e = first[v]; e < first[v] + degree[v]; e++) {
			int u = edge[e];
			if (!visited[u]) {
				next_cost[u] = cost[v] + 1;
				reached[u] = 1;
			}
		}
	}
}

extern "C" __global__ void bfs_update(unsigned char *frontier, unsigned char *reached, unsigned char *visited, int *cost, const int *next_cost, int *more,
	int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v < n && reached[v]) {
		frontier[v] = 1;
		visited[v] = 1;
		cost[v] = next_cost[v];
		*more = 1;
		reached[v] = 0;
	}
}
