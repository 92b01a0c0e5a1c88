/* A module of which only some kernels can run: textures, matrix and half-precision operations, device functions with them,
 * called, called through a table, or not at all, and functions that another module defines. */
#include <cuda_fp16.h>
#include <mma.h>

__device__ cudaTextureObject_t pictures[2];
extern __device__ float elsewhere(float);

__device__ __noinline__ float sample(cudaTextureObject_t t, float x) { return tex2D<float>(t, x, 0.5f); }
__device__ __noinline__ float scale(cudaTextureObject_t t, float x) { return 2 * x + (float)t; }
__device__ __noinline__ float indirectly(float x) { return sample(pictures[1], x) + 1; }
__device__ float (*const table[2])(cudaTextureObject_t, float) = { scale, sample };

extern "C" {

__global__ void plain(float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = 2 * i;
}

__global__ void __launch_bounds__(64, 2) textured(float *out, int n)
{
	__shared__ float tile[64];
	tile[threadIdx.x] = tex2D<float>(pictures[0], threadIdx.x, 0.5f);
	__syncthreads();
	out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

__global__ void calls_texture(float *out, int n) { out[threadIdx.x] = indirectly(n); }

/* Only what == 1 leads to the texture. */
__global__ void chooses(float *out, int n, int what) { out[threadIdx.x] = table[what & 1](7, n + threadIdx.x); }

__global__ void matrix(const half *a, const half *b, float *c)
{
	using namespace nvcuda;
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
	wmma::fill_fragment(fc, 0.0f);
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void halves(half *a, half b) { a[threadIdx.x] = __hadd(a[threadIdx.x], b); }

__global__ void external(float *out) { out[threadIdx.x] = elsewhere(1); }

}
