// Figure 1 of Anantpur and Govindarajan, "Taming control divergence in GPUs through control flow linearization"
// (CC 2014): if (c1 || (c2)) ... with a shared inner block, written with goto so that the edges stay as in the paper:
//   B1: c1 ? B3 : B2   B2: c2 ? B3 : B5   B3: c3 ? B4 : B5   B4, B5 -> B6
// c1, c2, c3: one bit per lane of four. trail[tid] collects the blocks that the thread went through, in order.
extern "C" __global__ void short_circuit(unsigned *trail, const unsigned *c1, const unsigned *c2, const unsigned *c3)
{
	unsigned tid = threadIdx.x, t = 1;

	if (c1[tid])
		goto B3;
	t = t * 8 + 2;
	if (!c2[tid])
		goto B5;
B3:
	t = t * 8 + 3;
	if (!c3[tid])
		goto B5;
	t = t * 8 + 4;
	asm volatile("" : "+r"(t));
	goto B6;
B5:
	t = t * 8 + 5;
	asm volatile("" : "+r"(t));
B6:
	trail[tid] = t * 8 + 6;
}
