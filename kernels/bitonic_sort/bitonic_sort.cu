// Each block sorts 256 keys in shared memory; odd blocks sort downwards.
#define N 256
extern "C" __global__ void __launch_bounds__(N) bitonic_sort(unsigned *key)
{
	__shared__ unsigned s[N];
	unsigned tid = threadIdx.x, down = blockIdx.x & 1;

	s[tid] = key[blockIdx.x * N + tid];
	__syncthreads();
#pragma unroll 1
	for (unsigned k = 2; k <= N; k *= 2)
#pragma unroll 1
		for (unsigned j = k / 2; j > 0; j /= 2) {
			unsigned other = tid ^ j;
			if (other > tid) {
				unsigned a = s[tid], b = s[other];
				if (((tid & k) == 0) != (down != 0)) {
					if (a > b) {
						s[tid] = b;
						s[other] = a;
					}
				} else {
					if (a < b) {
						s[tid] = b;
						s[other] = a;
					}
				}
			}
			__syncthreads();
		}
	key[blockIdx.x * N + tid] = s[tid];
}
