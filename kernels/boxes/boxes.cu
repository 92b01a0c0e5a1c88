// nvcc: -fmad=false
// Particles in boxes, each of which acts on those in the boxes around it, as lavaMD of Rodinia: a block for each box goes through the neighbours
// one after the other; threads take every blockDim-th particle of their own, which stand in shared memory. What acts on a particle stands
// in global memory and is added to at every turn; behind each such addition, places and charges are loaded again that the turn had
// loaded already, for all that a compiler knows of what these pointers lead to.
#define MOST 64 // particles of a box

struct Place {
	float v, x, y, z;
};

extern "C" __global__ void boxes(const Place *place, const float *charge, const int *neighbours, const int *neighbour, Place *force, int particles,
	float a2)
{
	__shared__ Place mine[MOST];
	int box = blockIdx.x, first = box * particles, t = threadIdx.x;

	for (int i = t; i < particles; i += blockDim.x)
		mine[i] = place[first + i];
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k <= neighbours[box]; k++) {
		int from = (k == 0 ? box : neighbour[26 * box + k - 1]) * particles;
#pragma unroll 1
		for (int i = t; i < particles; i += blockDim.x)
#pragma unroll 1
			for (int j = from; j < from + particles; j++) {
				float r2 = mine[i].v + place[j].v - (mine[i].x * place[j].x + mine[i].y * place[j].y + mine[i].z * place[j].z);
				float v = expf(-a2 * r2), f = 2 * v;
				force[first + i].v += charge[j] * v;
				force[first + i].x += charge[j] * (f * (mine[i].x - place[j].x));
				force[first + i].y += charge[j] * (f * (mine[i].y - place[j].y));
				force[first + i].z += charge[j] * (f * (mine[i].z - place[j].z));
			}
	}
}
