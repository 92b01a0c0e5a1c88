// nvcc: -fmad=false
// Light through a scene of spheres, path by path, as the program that regenerates paths in GPU Computing Gems: a thread keeps one path, each launch takes all
// paths a step further, and a path that has ended begins anew with the thread's next sample. Light is added up in integers, so that the
// order does not matter; correctly rounded operations and no contraction, so that results are exact.
#define MOST 4 // segments of a path

struct Sphere {
	float x, y, z, radius2, shade, light; // what it sends back, what it sends by itself
};

struct Path {
	float x, y, z, dx, dy, dz, weight, distance;
	int hit, sample, segments; // segments: 0 when the path has ended
	unsigned random;
};

__device__ __forceinline__ float jitter(unsigned &state) // in [-1, 1[
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (float)(state >> 8) * (1.0f / 8388608.0f) - 1;
}

__device__ __forceinline__ void normalise(Path &p)
{
	float length = sqrtf(p.dx * p.dx + p.dy * p.dy + p.dz * p.dz);

	p.dx /= length;
	p.dy /= length;
	p.dz /= length;
}

// Paths that have ended begin with the next sample, until there is none.
extern "C" __global__ void regenerate(Path *paths, int n, int samples, int w, int h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n || paths[i].segments > 0 || paths[i].sample >= samples)
		return;
	int sample = paths[i].sample + n;
	paths[i].sample = sample;
	if (sample >= samples)
		return;
	Path p;
	p.random = (sample + 1) * 2654435761u;
	for (int k = 0; k < 4; k++)
		jitter(p.random);
	p.x = p.y = 0;
	p.z = -4;
	p.dx = (sample % w + 0.5f * jitter(p.random)) / w - 0.5f;
	p.dy = (sample / w % h + 0.5f * jitter(p.random)) / h - 0.5f;
	p.dz = 1;
	normalise(p);
	p.weight = 1;
	p.distance = 0;
	p.hit = -1;
	p.sample = sample;
	p.segments = 1;
	paths[i] = p;
}

// The nearest sphere on the way.
extern "C" __global__ void extend(Path *paths, int n, const Sphere *spheres, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, hit = -1;

	if (i >= n || paths[i].segments == 0)
		return;
	float near = 1e9f;
#pragma unroll 1
	for (int k = 0; k < count; k++) {
		float x = spheres[k].x - paths[i].x, y = spheres[k].y - paths[i].y, z = spheres[k].z - paths[i].z;
		float along = x * paths[i].dx + y * paths[i].dy + z * paths[i].dz;
		float under = along * along - (x * x + y * y + z * z - spheres[k].radius2);
		if (under > 0) {
			float root = sqrtf(under), t = along - root;
			if (t < 0.001f)
				t = along + root;
			if (t >= 0.001f && t < near) {
				near = t;
				hit = k;
			}
		}
	}
	paths[i].distance = near;
	paths[i].hit = hit;
}

// Light where a path meets it or leaves the scene; elsewhere it goes on in about the direction of a mirror.
extern "C" __global__ void shade(Path *paths, int n, const Sphere *spheres, unsigned *light, int pixels)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n || paths[i].segments == 0)
		return;
	Path p = paths[i];
	float found = 0;
	bool ends = true;
	if (p.hit < 0)
		found = p.weight * (0.75f + 0.25f * p.dy);
	else if (spheres[p.hit].light > 0)
		found = p.weight * spheres[p.hit].light;
	else if (p.segments < MOST) {
		ends = false;
		p.x += p.distance * p.dx;
		p.y += p.distance * p.dy;
		p.z += p.distance * p.dz;
		float r = sqrtf(spheres[p.hit].radius2), nx = (p.x - spheres[p.hit].x) / r, ny = (p.y - spheres[p.hit].y) / r;
		float nz = (p.z - spheres[p.hit].z) / r, twice = 2 * (p.dx * nx + p.dy * ny + p.dz * nz);
		p.dx = p.dx - twice * nx + 0.25f * jitter(p.random);
		p.dy = p.dy - twice * ny + 0.25f * jitter(p.random);
		p.dz = p.dz - twice * nz + 0.25f * jitter(p.random);
		normalise(p);
		p.weight *= spheres[p.hit].shade;
		p.segments++;
		paths[i] = p;
	}
	if (ends) {
		atomicAdd(&light[p.sample % pixels], (unsigned)(found * 65536));
		paths[i].segments = 0;
	}
}

extern "C" __global__ void count_paths(const Path *paths, int n, unsigned *active)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n && paths[i].segments > 0)
		atomicAdd(active, 1);
}
