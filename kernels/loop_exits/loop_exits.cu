// A loop with three exits to two blocks that share them, written with goto so that the edges stay:
//   H: last turn? X2 : B   B: found? X1 : L   L: found? X1 : H   X1: flag? X2 : J   X2 -> J
// loop_exits.ir says more. The trail stands in memory so that no two blocks can become one.
__device__ __forceinline__ void block(volatile unsigned long long *trail, unsigned k) { *trail = *trail * 8 + k; }

extern "C" __global__ void loop_exits(unsigned long long *out, const unsigned *leave, const volatile unsigned *flag)
{
	unsigned t = threadIdx.x, i = 0, end = leave[t];
	volatile unsigned long long *trail = out + t;

	*trail = 1;
	for (;;) {
		block(trail, 1);
		if (end == i++)
			goto X2;
		block(trail, 2);
		if (end == i++)
			goto X1;
		block(trail, 3);
		if (end == i++)
			goto X1;
	}
X1:
	block(trail, 4);
	if (!flag[t])
		goto J;
X2:
	block(trail, 5);
J:
	block(trail, 6);
}
