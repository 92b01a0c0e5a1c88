// nvcc: -fmad=false
// Photon transport in a medium of voxels by Monte Carlo, as MCML and MCX do it: a photon flies through the voxels to its next
// scattering, leaves weight in each, scatters by the function of Henyey and Greenstein, is reflected or escapes at the border,
// and ends by Russian roulette. Integers for random numbers and for what all add up, correctly rounded operations and no
// contraction, so that results are exact: logarithms come from a table, directions from a disc by rejection.
// Two kernels with the same results: photons_nest has a thread for each photon, and a loop over voxels in one over scatterings;
// photons_loop, as MCX, one loop in which a thread flies from voxel to voxel, scatters, and begins its next photon.
struct Medium {
	float absorb, scatter, g, index; // per voxel's edge, per voxel's edge, mean cosine, refractive index
};

// kind[voxel]: its medium, 1 to 5, or 0, which lies outside. logarithm[i] = -log((i + 0.5) / 1024). left[voxel]: weight that
// stayed there, in 2^-20; escaped[0]: what left through the top, [1]: through the other sides, [2]: what roulette took, less
// what it gave; path[photon][medium - 1]: length in each medium, of photons that leave through the top.
struct World {
	const unsigned char *kind;
	int nx, ny, nz;
	const Medium *media;
	const float *logarithm;
	unsigned photons, seed;
	unsigned *left;
	int *escaped;
	float *path;
};

struct Photon {
	unsigned a, b, c, d; // xorshift128
	float x, y, z, ux, uy, uz, weight, free, path1, path2, path3, path4, path5; // free: mean free paths to the next scattering
	int ix, iy, iz;
};

#define INLINE __device__ __forceinline__
#define UNIT 1048576.0f

INLINE unsigned draw(Photon &p)
{
	unsigned t = p.a ^ p.a << 11;

	p.a = p.b;
	p.b = p.c;
	p.c = p.d;
	p.d = p.d ^ p.d >> 19 ^ t ^ t >> 8;
	return p.d >> 8;
}

INLINE float uniform(Photon &p) { return (float)(draw(p) + 1) * (1.0f / 16777216.0f); } // in ]0, 1]

INLINE void start(Photon &p, const World &w, unsigned photon)
{
	p.a = w.seed + photon * 2654435769u;
	p.b = p.a ^ 362436069;
	p.c = 521288629;
	p.d = photon + 88675123;
#pragma unroll 1
	for (int i = 0; i < 8; i++)
		draw(p);
	p.x = 0.5f * w.nx;
	p.y = 0.5f * w.ny;
	p.ix = (int)p.x;
	p.iy = (int)p.y;
	p.iz = 0;
	p.z = p.ux = p.uy = p.path1 = p.path2 = p.path3 = p.path4 = p.path5 = 0;
	p.uz = p.weight = 1;
	p.free = w.logarithm[draw(p) >> 14];
}

INLINE float reflected(float cosine, float index) // Fresnel's law
{
	float sine2 = (1 - cosine * cosine) * (index * index);

	if (sine2 >= 1)
		return 1;
	float beyond = sqrtf(1 - sine2);
	float s = (index * cosine - beyond) / (index * cosine + beyond);
	float p = (index * beyond - cosine) / (index * beyond + cosine);
	return 0.5f * (s * s + p * p);
}

INLINE float ahead(float x, float u, int i) // distance to the border of voxel i in one direction
{
	return u > 0 ? ((float)(i + 1) - x) / u : u < 0 ? ((float)i - x) / u : 1e9f;
}

enum Event { MOVED, SCATTERED, OUT };

// To the border of the voxel, or to the place of the next scattering if that is nearer.
INLINE Event fly(Photon &p, const World &w)
{
	int voxel = (p.iz * w.ny + p.iy) * w.nx + p.ix, medium = w.kind[voxel];
	float scatter = w.media[medium].scatter, dx = ahead(p.x, p.ux, p.ix), dy = ahead(p.y, p.uy, p.iy), dz = ahead(p.z, p.uz, p.iz);
	float step = dx < dy ? dx : dy;
	bool scattered = false;

	if (dz < step)
		step = dz;
	if (step < 0) // a coordinate rounded beyond the border
		step = 0;
	if (p.free < step * scatter) {
		step = p.free / scatter;
		scattered = true;
	}
	float lost = p.weight * (w.media[medium].absorb * step);
	if (lost > p.weight)
		lost = p.weight;
	p.weight -= lost;
	atomicAdd(&w.left[voxel], (unsigned)(lost * UNIT));
	if (medium == 1)
		p.path1 += step;
	else if (medium == 2)
		p.path2 += step;
	else if (medium == 3)
		p.path3 += step;
	else if (medium == 4)
		p.path4 += step;
	else
		p.path5 += step;
	p.x += p.ux * step;
	p.y += p.uy * step;
	p.z += p.uz * step;
	if (scattered)
		return SCATTERED;
	p.free -= step * scatter;

	// Into the next voxel; the coordinate is put onto the border.
	int ix = p.ix, iy = p.iy, iz = p.iz;
	if (dx <= dy && dx <= dz) {
		p.x = (float)(p.ux > 0 ? ix + 1 : ix);
		ix += p.ux > 0 ? 1 : -1;
	} else if (dy <= dz) {
		p.y = (float)(p.uy > 0 ? iy + 1 : iy);
		iy += p.uy > 0 ? 1 : -1;
	} else {
		p.z = (float)(p.uz > 0 ? iz + 1 : iz);
		iz += p.uz > 0 ? 1 : -1;
	}
	if (ix < 0 || ix >= w.nx || iy < 0 || iy >= w.ny || iz < 0 || iz >= w.nz || w.kind[(iz * w.ny + iy) * w.nx + ix] == 0) {
		float in = ix != p.ix ? p.ux : iy != p.iy ? p.uy : p.uz;
		if (uniform(p) > reflected(in < 0 ? -in : in, w.media[medium].index)) {
			p.iz = iz;
			return OUT;
		}
		if (ix != p.ix)
			p.ux = -p.ux;
		else if (iy != p.iy)
			p.uy = -p.uy;
		else
			p.uz = -p.uz;
		return MOVED;
	}
	p.ix = ix;
	p.iy = iy;
	p.iz = iz;
	return MOVED;
}

INLINE bool roulette(Photon &p, const World &w) // does the photon go on?
{
	if (p.weight >= 0.05f)
		return true;
	if (draw(p) & 7) {
		atomicAdd(&w.escaped[2], (int)(p.weight * UNIT));
		return false;
	}
	atomicAdd(&w.escaped[2], -(int)(p.weight * 7 * UNIT));
	p.weight *= 8;
	return true;
}

// The angle from g, the plane from a point in the unit disc.
INLINE void scatter(Photon &p, const World &w)
{
	float g = w.media[w.kind[(p.iz * w.ny + p.iy) * w.nx + p.ix]].g, u = uniform(p), c;

	if (g == 0)
		c = 2 * u - 1;
	else {
		float t = (1 - g * g) / ((1 - g) + 2 * g * u);
		c = ((1 + g * g) - t * t) / (2 * g);
	}
	float s = sqrtf(fmaxf(1 - c * c, 0.0f)), px, py, r2;
	do {
		px = 2 * uniform(p) - 1;
		py = 2 * uniform(p) - 1;
		r2 = px * px + py * py;
	} while (r2 > 1 || r2 < 1e-6f);
	float r = sqrtf(r2), vx, vy, vz;
	px = px / r;
	py = py / r;
	if (p.uz > 0.99999f || p.uz < -0.99999f) {
		vx = s * px;
		vy = s * py;
		vz = p.uz > 0 ? c : -c;
	} else {
		float q = sqrtf(1 - p.uz * p.uz);
		vx = s * (p.ux * p.uz * px - p.uy * py) / q + p.ux * c;
		vy = s * (p.uy * p.uz * px + p.ux * py) / q + p.uy * c;
		vz = p.uz * c - s * px * q;
	}
	float length = sqrtf(vx * vx + vy * vy + vz * vz);
	p.ux = vx / length;
	p.uy = vy / length;
	p.uz = vz / length;
	p.free = w.logarithm[draw(p) >> 14];
}

INLINE void leave(const Photon &p, const World &w, unsigned photon)
{
	if (p.iz >= 0) {
		atomicAdd(&w.escaped[1], (int)(p.weight * UNIT));
		return;
	}
	atomicAdd(&w.escaped[0], (int)(p.weight * UNIT));
	float *path = w.path + 5 * photon;
	path[0] = p.path1;
	path[1] = p.path2;
	path[2] = p.path3;
	path[3] = p.path4;
	path[4] = p.path5;
}

extern "C" __global__ void photons_nest(World w)
{
	unsigned photon = blockIdx.x * blockDim.x + threadIdx.x;
	Photon p;

	if (photon >= w.photons)
		return;
	start(p, w, photon);
	for (;;) {
		Event e;
		while ((e = fly(p, w)) == MOVED)
			;
		if (e == OUT)
			break;
		if (!roulette(p, w))
			return;
		scatter(p, w);
	}
	leave(p, w, photon);
}

extern "C" __global__ void photons_loop(World w)
{
	unsigned photon = blockIdx.x * blockDim.x + threadIdx.x;
	Photon p;

	if (photon >= w.photons)
		return;
	start(p, w, photon);
	for (;;) {
		Event e = fly(p, w);
		if (e == MOVED)
			continue;
		if (e == OUT || !roulette(p, w)) {
			if (e == OUT)
				leave(p, w, photon);
			photon += gridDim.x * blockDim.x;
			if (photon >= w.photons)
				break;
			start(p, w, photon);
			continue;
		}
		scatter(p, w);
	}
}
