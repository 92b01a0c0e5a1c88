// nvcc: -fmad=false
// A ray tracer: spheres over a chequered plane, a light with shadows, mirrors up to a given depth. A thread per pixel; rays end
// early where they see the sky, where a surface mirrors nothing, and in shadow. Correctly rounded operations and no contraction:
// results are exact.
struct Sphere {
	float x, y, z, r, mirror, shade; // mirror: the part of light that it reflects, 0 to 1
};


#define INLINE __device__ __forceinline__
#define FAR 1e6f

// The distance to a sphere along a ray with a unit direction, or FAR.
INLINE float meet(const Sphere &s, float ox, float oy, float oz, float dx, float dy, float dz)
{
	float x = s.x - ox, y = s.y - oy, z = s.z - oz, b = x * dx + y * dy + z * dz;

	if (b < 0)
		return FAR;
	float q = s.r * s.r - (x * x + y * y + z * z - b * b);
	if (q < 0)
		return FAR;
	float t = b - sqrtf(q);
	return t > 0.001f ? t : FAR;
}

// Is there something between a place and the light? The first sphere decides.
INLINE bool shadowed(const Sphere *sphere, int spheres, float x, float y, float z, float lx, float ly, float lz, float distance)
{
#pragma unroll 1
	for (int k = 0; k < spheres; k++)
		if (meet(sphere[k], x, y, z, lx, ly, lz) < distance)
			return true;
	return false;
}

extern "C" __global__ void ray_tracer(const Sphere *sphere, int spheres, float lightx, float lighty, float lightz, int w, int h, int depth,
	float *out)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px >= w || py >= h)
		return;
	float ox = 0, oy = 1, oz = -4, dx = (2 * px + 1 - w) / (float)w, dy = (h - 2 * py - 1) / (float)w, dz = 1, part = 1, seen = 0;
	float length = sqrtf(dx * dx + dy * dy + dz * dz);

	dx = dx / length;
	dy = dy / length;
	dz = dz / length;
#pragma unroll 1
	for (int level = 0; level <= depth; level++) {
		float t = FAR, mirror = 0, shade = 0, nx = 0, ny = 1, nz = 0;
		int which = -1;

#pragma unroll 1
		for (int k = 0; k < spheres; k++) {
			float d = meet(sphere[k], ox, oy, oz, dx, dy, dz);
			if (d < t) {
				t = d;
				which = k;
			}
		}
		if (dy < -0.001f && -oy / dy < t) {
			t = -oy / dy;
			which = spheres;
		}
		if (which < 0) { // the sky
			seen += part * (0.25f + 0.5f * (dy > 0 ? dy : 0));
			break;
		}
		float x = ox + t * dx, y = oy + t * dy, z = oz + t * dz;
		if (which == spheres) {
			int square = (int)floorf(x) + (int)floorf(z);
			if (x * x + z * z > 400) { // beyond the plane's edge
				seen += part * 0.125f;
				break;
			}
			shade = square & 1 ? 0.75f : 0.25f;
			mirror = square & 1 ? 0.25f : 0;
		} else {
			nx = (x - sphere[which].x) / sphere[which].r;
			ny = (y - sphere[which].y) / sphere[which].r;
			nz = (z - sphere[which].z) / sphere[which].r;
			shade = sphere[which].shade;
			mirror = sphere[which].mirror;
		}
		float lx = lightx - x, ly = lighty - y, lz = lightz - z, distance = sqrtf(lx * lx + ly * ly + lz * lz);
		lx = lx / distance;
		ly = ly / distance;
		lz = lz / distance;
		float cosine = nx * lx + ny * ly + nz * lz, light = 0.125f;
		if (cosine > 0 && !shadowed(sphere, spheres, x, y, z, lx, ly, lz, distance))
			light += cosine;
		seen += part * (1 - mirror) * shade * light;
		part *= mirror;
		if (part < 0.02f)
			break;
		float twice = 2 * (dx * nx + dy * ny + dz * nz);
		dx -= twice * nx;
		dy -= twice * ny;
		dz -= twice * nz;
		ox = x;
		oy = y;
		oz = z;
	}
	out[py * w + px] = seen;
}
