// nvcc: -fmad=false
// Accelerations of bodies by the method of Barnes and Hut, as the program of that name in Treelogy and Lonestar: a thread for each body walks an
// octree with a stack; what is far enough counts as one mass, what is near is opened. Which it is differs by lane, and so does how long
// a walk takes. A node's kind, place and mass are read where they are needed, in the arms of branches.
#define DEPTH 96 // 7 nodes wait at each level
extern "C" __global__ void barnes_hut(const float *x, const float *y, const float *z, const float *mass, const int *body, const int *child,
	float *ax, float *ay, float *az, int bodies, int root, float opening)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, stack[DEPTH], top = 1;
	float limit[DEPTH], sx = 0, sy = 0, sz = 0;

	if (i >= bodies)
		return;
	float px = x[i], py = y[i], pz = z[i];
	stack[0] = root;
	limit[0] = opening; // the square of a distance from which on a node need not be opened
	while (top > 0) {
		int node = stack[--top];
		float dx = x[node] - px, dy = y[node] - py, dz = z[node] - pz, r2 = dx * dx + dy * dy + dz * dz, far = limit[top];
		if (body[node] >= 0) {
			if (body[node] != i) {
				float r = sqrtf(r2 + 0.0025f), scale = mass[node] / (r * r * r);
				sx += dx * scale;
				sy += dy * scale;
				sz += dz * scale;
			}
		} else if (r2 >= far) {
			float r = sqrtf(r2 + 0.0025f), scale = mass[node] / (r * r * r);
			sx += dx * scale;
			sy += dy * scale;
			sz += dz * scale;
		} else {
#pragma unroll 1
			for (int k = 0; k < 8; k++)
				if (child[8 * (node - bodies) + k] >= 0) {
					stack[top] = child[8 * (node - bodies) + k];
					limit[top++] = far * 0.25f;
				}
		}
	}
	ax[i] = sx;
	ay[i] = sy;
	az[i] = sz;
}
