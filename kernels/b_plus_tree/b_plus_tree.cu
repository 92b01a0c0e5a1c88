// Searches in a B+ tree as b+tree of Rodinia: a block for each query, a thread for each key of a node. The one thread whose keys
// enclose the query's says which child is next; what the block looks for, and where it is, stands in global memory and is read again at
// every level. Those loads do not change in the loop, the first of them in front of every branch, the others behind branches that
// lanes take differently: it takes speculation to move these out (Fukuhara's thesis on code motion for GPUs, 2023, 4.3.4).
// Several trees stand one behind the other; tree[b] is the first node of the one that query b is for, from which its nodes count. A node
// has order + 1 keys, of which those without a record are above all queries, and order children; blockDim is the order.
extern "C" __global__ void find(const int *keys, const int *children, const int *records, const int *tree, const int *wanted, int *at, int *next,
	int *answer, int height, int nodes)
{
	int t = threadIdx.x, b = blockIdx.x, order = blockDim.x;

#pragma unroll 1
	for (int level = 0; level < height; level++) {
		if (keys[at[b] * (order + 1) + t] <= wanted[b] && keys[at[b] * (order + 1) + t + 1] > wanted[b]) {
			if (children[next[b] * order + t] < nodes)
				next[b] = tree[b] + children[next[b] * order + t];
		}
		__syncthreads();
		if (t == 0)
			at[b] = next[b];
		__syncthreads();
	}
	if (keys[at[b] * (order + 1) + t] == wanted[b])
		answer[b] = records[children[at[b] * order + t]];
}

// Where the records from a key to another begin, and how many they are: two walks side by side. Both keys are in the tree.
extern "C" __global__ void find_range(const int *keys, const int *children, const int *tree, const int *from, const int *to, int *at, int *next, int *last,
	int *next_last, int *start, int *length, int height, int nodes)
{
	int t = threadIdx.x, b = blockIdx.x, order = blockDim.x;

#pragma unroll 1
	for (int level = 0; level < height; level++) {
		if (keys[at[b] * (order + 1) + t] <= from[b] && keys[at[b] * (order + 1) + t + 1] > from[b]) {
			if (children[at[b] * order + t] < nodes)
				next[b] = tree[b] + children[at[b] * order + t];
		}
		if (keys[last[b] * (order + 1) + t] <= to[b] && keys[last[b] * (order + 1) + t + 1] > to[b]) {
			if (children[last[b] * order + t] < nodes)
				next_last[b] = tree[b] + children[last[b] * order + t];
		}
		__syncthreads();
		if (t == 0) {
			at[b] = next[b];
			last[b] = next_last[b];
		}
		__syncthreads();
	}
	if (keys[at[b] * (order + 1) + t] == from[b])
		start[b] = children[at[b] * order + t];
	__syncthreads();
	if (keys[last[b] * (order + 1) + t] == to[b])
		length[b] = children[last[b] * order + t] - start[b] + 1;
}
