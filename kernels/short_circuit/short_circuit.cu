// Figure 1 of Anantpur and Govindarajan, "Taming control divergence in GPUs through control flow linearization"
// (CC 2014): a short circuit, written with goto so that the edges stay as in the paper:
//   B1: c1 ? B3 : B2   B2: c2 ? B3 : B5   B3: c3 ? B4 : B5   B4, B5 -> B6
// c1, c2, c3: one word per thread. trail[thread] collects the blocks that the thread went through, in order.
__device__ __forceinline__ void block(volatile unsigned *trail, unsigned k) { *trail = *trail * 8 + k; }

extern "C" __global__ void short_circuit(unsigned *out, const volatile unsigned *c1, const volatile unsigned *c2,
	const volatile unsigned *c3)
{
	unsigned tid = threadIdx.x;
	volatile unsigned *trail = out + tid;

	*trail = 1;
	if (c1[tid])
		goto B3;
	block(trail, 2);
	if (!c2[tid])
		goto B5;
B3:
	block(trail, 3);
	if (!c3[tid])
		goto B5;
	block(trail, 4);
	goto B6;
B5:
	block(trail, 5);
B6:
	block(trail, 6);
}
