// nvcc: -fmad=false
// A step of a wave in a volume by finite differences, as FDTD3d of NVIDIA's toolkit: a block marches along z with a column of each
// thread's planes in registers and the present plane, with its halo, in shared memory. Threads at a tile's border fetch the halo in arms
// of branches that lanes take differently, and the addresses there are what speculative code motion finds (Fukuhara's thesis on code
// motion for GPUs, 2023, 4.2.3). In one plane a source is added: a branch that all threads take alike. The volume has a border of
// R cells; planes[z] says where plane z begins, so that planes can stand in any order, and `padding` where cells begin in it.
#define R 2
#define SIDE 8
extern "C" __global__ void __launch_bounds__(SIDE * SIDE) finite_differences(const float *in, float *out, const float *source,
	const int *planes, const float *weight, int padding, int w, int h, int d, int pulse)
{
	__shared__ float tile[SIDE + 2 * R][SIDE + 2 * R];
	int lx = threadIdx.x, ly = threadIdx.y, x = blockIdx.x * SIDE + lx, y = blockIdx.y * SIDE + ly, tx = lx + R, ty = ly + R;
	int row = w + 2 * R, column = padding + (y + R) * row + x + R;
	bool known = x < w + R && y < h + R, inside = x < w && y < h;
	float back[R + 1], front[R];

	for (int i = 0; i <= R; i++)
		back[i] = known && i < R ? in[planes[R - 1 - i] + column] : 0;
	for (int i = 0; i < R; i++)
		front[i] = known ? in[planes[R + i] + column] : 0;
#pragma unroll 1
	for (int z = 0; z < d; z++) {
		int at = planes[z + R] + column;

		for (int i = R; i > 0; i--)
			back[i] = back[i - 1];
		back[0] = front[0];
		for (int i = 0; i < R - 1; i++)
			front[i] = front[i + 1];
		if (known)
			front[R - 1] = in[planes[z + 2 * R] + column];
		__syncthreads();
		if (ly < R && x < w) {
			tile[ly][tx] = in[at - R * row];
			if (y + SIDE < h + R)
				tile[ly + SIDE + R][tx] = in[at + SIDE * row];
		}
		if (lx < R && y < h) {
			tile[ty][lx] = (in + at)[-R];
			if (x + SIDE < w + R)
				tile[ty][lx + SIDE + R] = (in + at)[SIDE];
		}
		tile[ty][tx] = back[0];
		__syncthreads();
		float value = weight[0] * back[0];
		for (int i = 1; i <= R; i++)
			value += weight[i] * (front[i - 1] + back[i] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
		if (z == pulse)
			value += source[at];
		if (inside)
			out[at] = value;
	}
}
