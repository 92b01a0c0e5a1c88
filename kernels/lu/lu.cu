// nvcc: -fmad=false
// LU decomposition in place, without pivots, in square tiles of half as many columns as a block has threads. For each tile on the diagonal three
// launches: `diagonal` decomposes it, `perimeter` the tiles to its right (L X = A) and below it (X U = A), `internal` takes their products from what
// remains. Products are subtracted one by one in the order of elimination: results are the same, bit for bit, as without tiles.

extern "C" __global__ void diagonal(float *a, int n, int at)
{
	extern __shared__ float s[];
	int size = blockDim.x, t = threadIdx.x;

	a += (size_t)at * n + at;
#pragma unroll 1
	for (int i = 0; i < size; i++)
		s[i * size + t] = a[i * n + t];
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < size - 1; k++) { // thread t has row t
		if (t > k) {
			float l = s[t * size + k] / s[k * size + k];
			s[t * size + k] = l;
#pragma unroll 1
			for (int j = k + 1; j < size; j++)
				s[t * size + j] -= l * s[k * size + j];
		}
		__syncthreads();
	}
#pragma unroll 1
	for (int i = 0; i < size; i++)
		a[i * n + t] = s[i * size + t];
}

// A block solves for one tile to the right with the first half of its threads, a column each, and for one below with the second half, a row each; this
// one stands transposed in shared memory. The halves are the arms of a branch, at which warps of more than half a block diverge. SIZE: columns of a tile,
// whose loops are unrolled then; 0: as many as half a block has threads.
template <int SIZE> __device__ __forceinline__ void solve(float *a, int n, int at, float *s)
{
	constexpr int UNROLL = SIZE ? SIZE : 1;
	int size = SIZE ? SIZE : blockDim.x / 2, t = threadIdx.x, away = size * (blockIdx.x + 1);
	float *corner = s, *right = corner + size * size, *below = right + size * size;

	a += (size_t)at * n + at;
	if (t < size) {
#pragma unroll UNROLL
		for (int i = 0; i < size / 2; i++)
			corner[i * size + t] = a[i * n + t];
#pragma unroll UNROLL
		for (int i = 0; i < size; i++)
			right[i * size + t] = a[i * n + away + t];
	} else {
		int u = t - size;
#pragma unroll UNROLL
		for (int i = size / 2; i < size; i++)
			corner[i * size + u] = a[i * n + u];
#pragma unroll UNROLL
		for (int i = 0; i < size; i++)
			below[u * size + i] = a[(away + i) * n + u];
	}
	__syncthreads();
	if (t < size) {
#pragma unroll UNROLL
		for (int i = 0; i < size; i++) {
			float x = right[i * size + t];
#pragma unroll UNROLL
			for (int j = 0; j < i; j++)
				x -= corner[i * size + j] * right[j * size + t];
			right[i * size + t] = x;
		}
	} else {
		int u = t - size;
#pragma unroll UNROLL
		for (int i = 0; i < size; i++) {
			float x = below[i * size + u];
#pragma unroll UNROLL
			for (int j = 0; j < i; j++)
				x -= corner[j * size + i] * below[j * size + u];
			below[i * size + u] = x / corner[i * size + i];
		}
	}
	__syncthreads();
	if (t < size) {
#pragma unroll UNROLL
		for (int i = 0; i < size; i++)
			a[i * n + away + t] = right[i * size + t];
	} else {
		int u = t - size;
#pragma unroll UNROLL
		for (int i = 0; i < size; i++)
			a[(away + i) * n + u] = below[u * size + i];
	}
}

extern "C" __global__ void perimeter(float *a, int n, int at)
{
	extern __shared__ float s[];
	solve<0>(a, n, at, s);
}

extern "C" __global__ void perimeter_16(float *a, int n, int at) // blocks of 32 threads
{
	extern __shared__ float s[];
	solve<16>(a, n, at, s);
}

extern "C" __global__ void internal(float *a, int n, int at)
{
	extern __shared__ float s[];
	int size = blockDim.x / 2, t = threadIdx.x % size, first = threadIdx.x / size;
	int x = size * (blockIdx.x + 1), y = size * (blockIdx.y + 1);
	float *right = s, *below = s + size * size;

	a += (size_t)at * n + at;
#pragma unroll 1
	for (int i = first; i < size; i += 2) {
		right[i * size + t] = a[i * n + x + t];
		below[i * size + t] = a[(y + i) * n + t];
	}
	__syncthreads();
#pragma unroll 1
	for (int i = first; i < size; i += 2) {
		float v = a[(y + i) * n + x + t];
#pragma unroll 4
		for (int j = 0; j < size; j++)
			v -= below[i * size + j] * right[j * size + t];
		a[(y + i) * n + x + t] = v;
	}
}
