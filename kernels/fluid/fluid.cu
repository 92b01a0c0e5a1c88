// nvcc: -fmad=false
// A compressible fluid on a mesh without structure (Euler's equations, finite volumes), as cfd of Rodinia: for each step a step's length for each
// cell, then three times the flux through each cell's four faces and what comes of it. Behind a face is a cell, a wall, or the flow far away:
// chains of branches that differ by lane, with the same places and products in their arms.
#define FACES 4
#define GAMMA 1.4f
#define WALL -1
#define FAR -2
enum { DENSITY, MX, MY, MZ, ENERGY, VARIABLES }; // variable v of cell i is at v * cells + i
__constant__ float far_away[VARIABLES];

__device__ __forceinline__ float pressure_of(float density, float energy, float speed2)
{
	return (GAMMA - 1) * (energy - 0.5f * density * speed2);
}

extern "C" __global__ void step_length(const float *v, const float *area, float *length, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float density = v[i + DENSITY * n], x = v[i + MX * n] / density, y = v[i + MY * n] / density, z = v[i + MZ * n] / density;
	float speed2 = x * x + y * y + z * z, pressure = pressure_of(density, v[i + ENERGY * n], speed2);
	length[i] = 0.5f / (sqrtf(area[i]) * (sqrtf(speed2) + sqrtf(GAMMA * pressure / density)));
}

extern "C" __global__ void compute_flux(const int *neighbour, const float *normals, const float *v, float *flux, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float density = v[i + DENSITY * n], mx = v[i + MX * n], my = v[i + MY * n], mz = v[i + MZ * n], energy = v[i + ENERGY * n];
	float ux = mx / density, uy = my / density, uz = mz / density, speed2 = ux * ux + uy * uy + uz * uz, speed = sqrtf(speed2);
	float pressure = pressure_of(density, energy, speed2), sound = sqrtf(GAMMA * pressure / density);
	float f_density = 0, f_mx = 0, f_my = 0, f_mz = 0, f_energy = 0;

#pragma unroll 1
	for (int j = 0; j < FACES; j++) {
		int b = neighbour[i + j * n];
		float nx = normals[i + 3 * j * n], ny = normals[i + (3 * j + 1) * n], nz = normals[i + (3 * j + 2) * n];
		float from = ux * nx + uy * ny + uz * nz;
		if (b >= 0) {
			float other = v[b + DENSITY * n], ox = v[b + MX * n], oy = v[b + MY * n], oz = v[b + MZ * n], e = v[b + ENERGY * n];
			float wx = ox / other, wy = oy / other, wz = oz / other, w2 = wx * wx + wy * wy + wz * wz, p = pressure_of(other, e, w2);
			float to = wx * nx + wy * ny + wz * nz;
			// What evens out differences, so that shocks do not swing.
			float smooth = 0.1f * sqrtf(nx * nx + ny * ny + nz * nz) * (speed + sqrtf(w2) + sound + sqrtf(GAMMA * p / other));
			f_density += smooth * (density - other) + 0.5f * (density * from + other * to);
			f_energy += smooth * (energy - e) + 0.5f * ((energy + pressure) * from + (e + p) * to);
			f_mx += smooth * (mx - ox) + 0.5f * (mx * from + ox * to + (pressure + p) * nx);
			f_my += smooth * (my - oy) + 0.5f * (my * from + oy * to + (pressure + p) * ny);
			f_mz += smooth * (mz - oz) + 0.5f * (mz * from + oz * to + (pressure + p) * nz);
		} else if (b == WALL) {
			f_mx += nx * pressure;
			f_my += ny * pressure;
			f_mz += nz * pressure;
		} else if (b == FAR) {
			float other = far_away[DENSITY], ox = far_away[MX], oy = far_away[MY], oz = far_away[MZ], e = far_away[ENERGY];
			float wx = ox / other, wy = oy / other, wz = oz / other, p = pressure_of(other, e, wx * wx + wy * wy + wz * wz);
			float to = wx * nx + wy * ny + wz * nz;
			f_density += 0.5f * (density * from + other * to);
			f_energy += 0.5f * ((energy + pressure) * from + (e + p) * to);
			f_mx += 0.5f * (mx * from + ox * to + (pressure + p) * nx);
			f_my += 0.5f * (my * from + oy * to + (pressure + p) * ny);
			f_mz += 0.5f * (mz * from + oz * to + (pressure + p) * nz);
		}
	}
	flux[i + DENSITY * n] = f_density;
	flux[i + MX * n] = f_mx;
	flux[i + MY * n] = f_my;
	flux[i + MZ * n] = f_mz;
	flux[i + ENERGY * n] = f_energy;
}

// `part` is the part of a step, 1 of 3, of 2 and of 1.
extern "C" __global__ void advance(int part, const float *old, float *v, const float *length, const float *flux, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float factor = length[i] / part;
	v[i + DENSITY * n] = old[i + DENSITY * n] - factor * flux[i + DENSITY * n];
	v[i + MX * n] = old[i + MX * n] - factor * flux[i + MX * n];
	v[i + MY * n] = old[i + MY * n] - factor * flux[i + MY * n];
	v[i + MZ * n] = old[i + MZ * n] - factor * flux[i + MZ * n];
	v[i + ENERGY * n] = old[i + ENERGY * n] - factor * flux[i + ENERGY * n];
}
