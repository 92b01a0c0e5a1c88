// Reductions and an inclusive scan within warps, by shuffles (down, bfly, up, idx); votes of every kind.
// Results are one word per thread or warp, of 32 lanes; the block is a multiple of 32 threads.
#define ALL 0xffffffffu
extern "C" __global__ void warp_reduce(const int *in, int *sum, int *most, int *scan, int *turned, unsigned *vote)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = i >> 5, v = in[i], s = v, m = v, p = v;

	for (int d = 16; d > 0; d /= 2)
		s += __shfl_down_sync(ALL, s, d);
	for (int d = 16; d > 0; d /= 2)
		m = max(m, __shfl_xor_sync(ALL, m, d));
	for (int d = 1; d < 32; d *= 2) {
		int t = __shfl_up_sync(ALL, p, d);
		if (lane >= d)
			p += t;
	}
	if (lane == 0)
		sum[warp] = s;
	most[i] = m;
	scan[i] = p;
	turned[i] = __shfl_sync(ALL, v, (lane * 7 + 3) & 31);
	unsigned odd = __ballot_sync(ALL, v & 1);
	unsigned flags = (__all_sync(ALL, v > 0) ? 1 : 0) | (__any_sync(ALL, v > 900) ? 2 : 0);
	if (lane == 0) {
		vote[2 * warp] = odd;
		vote[2 * warp + 1] = flags;
	}
}
