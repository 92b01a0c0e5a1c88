// nvcc: -fmad=false
// One step of an all-pairs gravitation in double precision; the bodies pass through shared memory in tiles.
// Compiled without contraction, so that every operation is rounded once and the order is fixed.
#define TILE 64
extern "C" __global__ void __launch_bounds__(TILE) nbody(const double *pos, double *vel, int n, double dt)
{
	__shared__ double p[TILE][4];
	int i = blockIdx.x * TILE + threadIdx.x;
	double x = pos[4 * i], y = pos[4 * i + 1], z = pos[4 * i + 2], ax = 0, ay = 0, az = 0;

	for (int t = 0; t < n; t += TILE) {
		for (int k = 0; k < 4; k++)
			p[threadIdx.x][k] = pos[4 * (t + threadIdx.x) + k];
		__syncthreads();
#pragma unroll 1
		for (int j = 0; j < TILE; j++) {
			double dx = p[j][0] - x, dy = p[j][1] - y, dz = p[j][2] - z;
			double r2 = dx * dx + dy * dy + dz * dz + 0.01;
			double f = p[j][3] / (r2 * sqrt(r2));
			ax += f * dx;
			ay += f * dy;
			az += f * dz;
		}
		__syncthreads();
	}
	vel[3 * i] += ax * dt;
	vel[3 * i + 1] += ay * dt;
	vel[3 * i + 2] += az * dt;
}
