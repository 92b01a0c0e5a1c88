// nvcc: -fmad=false
// Bodies that attract each other, by the method of Barnes and Hut, with a tree that the device builds, as in GPU Computing Gems: a step is six launches. Here the bodies
// have equal masses in a plane, and the tree is a complete one of four levels; node k has the children 4 k + 1 to 4 k + 4. Places are summed up as integers,
// so that the order does not matter.
#define LEAVES 64
#define FIRST 21 // the first leaf
#define NODES (FIRST + LEAVES)
#define SCALE 65536.0f
typedef unsigned long long Sum;

struct Tree {
	float left, low, side;
	unsigned done;         // blocks that have found their bounds
	unsigned count[NODES], start[LEAVES];
	Sum x[NODES], y[NODES];
};

extern "C" __global__ void initialise(Tree *tree)
{
	tree->done = 0;
}

// The last block puts the bounds of all together, and clears the tree.
extern "C" __global__ void bounding_box(const float *x, const float *y, int n, float4 *bounds, Tree *tree)
{
	__shared__ float4 s[64];
	__shared__ bool last;
	int t = threadIdx.x, i = min(blockIdx.x * blockDim.x + t, n - 1);
	float4 b = { x[i], y[i], x[i], y[i] };

	s[t] = b;
#pragma unroll 1
	for (int half = 32; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			s[t] = { fminf(s[t].x, s[t + half].x), fminf(s[t].y, s[t + half].y), fmaxf(s[t].z, s[t + half].z), fmaxf(s[t].w, s[t + half].w) };
	}
	if (t == 0) {
		bounds[blockIdx.x] = s[0];
		__threadfence();
		last = atomicInc(&tree->done, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!last)
		return;
#pragma unroll 1
	for (int k = t; k < NODES; k += blockDim.x) {
		tree->count[k] = 0;
		tree->x[k] = tree->y[k] = 0;
	}
	if (t == 0) {
		b = bounds[0];
#pragma unroll 1
		for (int k = 1; k < gridDim.x; k++)
			b = { fminf(b.x, bounds[k].x), fminf(b.y, bounds[k].y), fmaxf(b.z, bounds[k].z), fmaxf(b.w, bounds[k].w) };
		tree->left = b.x;
		tree->low = b.y;
		tree->side = fmaxf(b.z - b.x, b.w - b.y) + 0.001f;
	}
}

__device__ __forceinline__ int spread(int v) { return (v & 1) | (v & 2) << 1 | (v & 4) << 2; }

// Each body counts in its leaf.
extern "C" __global__ void build_tree(const float *x, const float *y, int n, int *leaf, Tree *tree)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	int column = (int)((x[i] - tree->left) / tree->side * 8), row = (int)((y[i] - tree->low) / tree->side * 8);
	int k = FIRST + spread(min(column, 7)) + 2 * spread(min(row, 7));
	leaf[i] = k;
	atomicAdd(&tree->count[k], 1);
	atomicAdd(&tree->x[k], (Sum)__float2ll_rn(x[i] * SCALE));
	atomicAdd(&tree->y[k], (Sum)__float2ll_rn(y[i] * SCALE));
}

// One block: nodes from the leaves upwards.
extern "C" __global__ void summarise(Tree *tree)
{
	int t = threadIdx.x;

#pragma unroll 1
	for (int first = 5, number = 16; number > 0; number /= 4, first = first / 4) {
		if (t < number) {
			int k = first + t;
#pragma unroll 1
			for (int c = 4 * k + 1; c <= 4 * k + 4; c++) {
				tree->count[k] += tree->count[c];
				tree->x[k] += tree->x[c];
				tree->y[k] += tree->y[c];
			}
		}
		__syncthreads();
	}
}

// One block, a thread for each leaf: bodies in the order of leaves.
extern "C" __global__ void sort_bodies(const int *leaf, int n, int *order, Tree *tree)
{
	int t = threadIdx.x;
	unsigned at = 0;

#pragma unroll 1
	for (int k = 0; k < t; k++)
		at += tree->count[FIRST + k];
	tree->start[t] = at;
#pragma unroll 1
	for (int i = 0; i < n; i++)
		if (leaf[i] == FIRST + t)
			order[at++] = i;
}

__device__ __forceinline__ void attract(float dx, float dy, float mass, float &ax, float &ay)
{
	float r2 = dx * dx + dy * dy + 0.01f, scale = mass / (r2 * sqrtf(r2));

	ax += dx * scale;
	ay += dy * scale;
}

// A node that looks smaller than `opening` counts as one mass.
extern "C" __global__ void compute_forces(const float *x, const float *y, const int *order, const Tree *tree, float opening, float *ax, float *ay, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, stack[12], top = 1;
	float side[12], sx = 0, sy = 0;

	if (j >= n)
		return;
	int i = order[j];
	stack[0] = 0;
	side[0] = tree->side;
	while (top > 0) {
		int k = stack[--top];
		float size = side[top], count = tree->count[k];
		if (count == 0)
			continue;
		float dx = (float)(long long)tree->x[k] / (SCALE * count) - x[i], dy = (float)(long long)tree->y[k] / (SCALE * count) - y[i];
		if (size * size < opening * opening * (dx * dx + dy * dy)) {
			attract(dx, dy, count / n, sx, sy);
		} else if (k < FIRST) {
#pragma unroll 1
			for (int c = 4 * k + 1; c <= 4 * k + 4; c++) {
				stack[top] = c;
				side[top++] = size / 2;
			}
		} else {
			int from = tree->start[k - FIRST];
#pragma unroll 1
			for (int b = from; b < from + (int)tree->count[k]; b++)
				attract(x[order[b]] - x[i], y[order[b]] - y[i], 1.0f / n, sx, sy);
		}
	}
	ax[i] = sx;
	ay[i] = sy;
}

extern "C" __global__ void integrate(float *x, float *y, float *vx, float *vy, const float *ax, const float *ay, int n, float step)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	vx[i] += ax[i] * step;
	vy[i] += ay[i] * step;
	x[i] += vx[i] * step;
	y[i] += vy[i] * step;
}
