// Keeps the elements that are multiples of 3: ballot, rank below the lane, one atomic per warp by its leader.
// The order between warps is that of the atomics: compared as a set.
extern "C" __global__ void compaction(const unsigned *in, unsigned n, unsigned *out, unsigned *count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane, v = 0, base = 0;
	bool keep = false;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	if (i < n) {
		v = in[i];
		keep = v % 3 == 0;
	}
	unsigned mask = __ballot_sync(0xffffffffu, keep);
	if (mask == 0)
		return;
	int leader = __ffs(mask) - 1;
	if (lane == leader)
		base = atomicAdd(count, __popc(mask));
	base = __shfl_sync(0xffffffffu, base, leader);
	if (keep) {
		unsigned below;
		asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
		out[base + __popc(mask & below)] = v;
	}
}
