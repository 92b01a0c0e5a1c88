// Histogram with one atomic for each different key of a warp: match.any finds the lanes with the same key.
// agree[warp] tells whether all lanes have the same key (match.all).
extern "C" __global__ void match_count(const unsigned *key, unsigned *hist, unsigned *agree)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane, k = key[i];
	int all;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	unsigned same = __match_any_sync(0xffffffffu, k);
	if (lane == __ffs(same) - 1)
		atomicAdd(&hist[k], __popc(same));
	__match_all_sync(0xffffffffu, k, &all);
	if (lane == 0)
		agree[i / warpSize] = all;
}
