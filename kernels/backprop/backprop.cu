// nvcc: -fmad=false
// A layer of a neural network and what it learns, as backprop of Rodinia: `forward` multiplies a tile of weights by inputs and adds up its columns
// in a tree in shared memory, `adjust` changes the weights. A block is SIDE x SIDE, and there are SIDE outputs; input 0 is always 1. What `adjust` has
// loaded for all weights it loads again for those of input 0, behind a branch on the block that all its threads take alike, and one on the lane.
#define SIDE 8
extern "C" __global__ void __launch_bounds__(SIDE * SIDE) forward(const float *input, float *weights, float *partial)
{
	__shared__ float in[SIDE], tile[SIDE][SIDE];
	int tx = threadIdx.x, ty = threadIdx.y, row = SIDE * blockIdx.x + ty + 1, at = row * (SIDE + 1) + tx + 1;

	if (tx == 0)
		in[ty] = input[row];
	__syncthreads();
	tile[ty][tx] = weights[at];
	__syncthreads();
	tile[ty][tx] = tile[ty][tx] * in[ty];
	__syncthreads();
#pragma unroll 1
	for (int width = 2; width <= SIDE; width *= 2) {
		if (ty % width == 0)
			tile[ty][tx] = tile[ty][tx] + tile[ty + width / 2][tx];
		__syncthreads();
	}
	if (ty == 0)
		partial[blockIdx.x * SIDE + tx] = tile[0][tx];
}

extern "C" __global__ void __launch_bounds__(SIDE * SIDE) adjust(const float *delta, const float *input, float *weights, float *changes)
{
	int tx = threadIdx.x + 1, ty = threadIdx.y, row = SIDE * blockIdx.x + ty + 1, at = row * (SIDE + 1) + tx;

	weights[at] += 0.3f * delta[tx] * input[row] + 0.3f * changes[at];
	changes[at] = 0.3f * delta[tx] * input[row] + 0.3f * changes[at];
	__syncthreads();
	if (blockIdx.x == 0)
		if (ty == 0) {
			weights[tx] += 0.3f * delta[tx] + 0.3f * changes[tx];
			changes[tx] = 0.3f * delta[tx] + 0.3f * changes[tx];
		}
}
