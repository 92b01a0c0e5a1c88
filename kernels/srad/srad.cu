// nvcc: -fmad=false
// Speckle reducing anisotropic diffusion (Yu and Acton, "Speckle reducing anisotropic diffusion", 2002): noise that multiplies an image is smoothed away,
// but not across edges. `coefficients` says how much flows at each pixel, from the differences to its neighbours and the variation `q` of the
// noise; `diffuse` lets it flow. Blocks and their tiles are squares; the image consists of whole tiles, and beyond its border it goes on as at it.

// Three chains of branches: which threads of a tile fetch its neighbours, where a pixel's neighbours stand, and what becomes of a coefficient below 0
// or above 1: this one is up to the data, and at most pixels one of two ways.
extern "C" __global__ void coefficients(const float *image, float *coefficient, int w, int h, float q)
{
	extern __shared__ float s[];
	int size = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * size + tx, y = blockIdx.y * size + ty, at = y * w + x, mine = ty * size + tx;
	float *tile = s, *north = tile + size * size, *south = north + size, *west = south + size, *east = west + size, *result = east + size;

	tile[mine] = image[at];
	if (ty == 0)
		north[tx] = image[y > 0 ? at - w : at];
	else if (ty == size - 1)
		south[tx] = image[y < h - 1 ? at + w : at];
	if (tx == 0)
		west[ty] = image[x > 0 ? at - 1 : at];
	else if (tx == size - 1)
		east[ty] = image[x < w - 1 ? at + 1 : at];
	__syncthreads();

	float centre = tile[mine], dn, ds, dw, de;
	if (ty == 0) {
		dn = north[tx] - centre;
		ds = tile[mine + size] - centre;
	} else if (ty == size - 1) {
		dn = tile[mine - size] - centre;
		ds = south[tx] - centre;
	} else {
		dn = tile[mine - size] - centre;
		ds = tile[mine + size] - centre;
	}
	if (tx == 0) {
		dw = west[ty] - centre;
		de = tile[mine + 1] - centre;
	} else if (tx == size - 1) {
		dw = tile[mine - 1] - centre;
		de = east[ty] - centre;
	} else {
		dw = tile[mine - 1] - centre;
		de = tile[mine + 1] - centre;
	}
	float gradient = (dn * dn + ds * ds + dw * dw + de * de) / (centre * centre), laplacian = (dn + ds + dw + de) / centre;
	float below = 1 + 0.25f * laplacian, variation = (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (below * below);
	float c = 1 / (1 + (variation - q) / (q * (1 + q)));
	if (c < 0)
		result[mine] = 0;
	else if (c > 1)
		result[mine] = 1;
	else
		result[mine] = c;
	__syncthreads();
	coefficient[at] = result[mine];
}

extern "C" __global__ void diffuse(const float *image, const float *coefficient, float *next, int w, int h, float rate)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * w + x;
	int north = y > 0 ? at - w : at, south = y < h - 1 ? at + w : at, west = x > 0 ? at - 1 : at, east = x < w - 1 ? at + 1 : at;
	float centre = image[at], c = coefficient[at];

	next[at] = centre + 0.25f * rate * (c * (image[north] - centre) + coefficient[south] * (image[south] - centre) +
		c * (image[west] - centre) + coefficient[east] * (image[east] - centre));
}
