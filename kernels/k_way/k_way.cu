// A warp whose lanes take k different ways of equal length: lane t takes way t mod k. The cost of divergence is linear,
// T(k) = s k, and an instruction runs for 32 / k lanes ("Characterizing Warp Divergence from Pascal to Blackwell",
// arXiv 2607.23402). Each way multiplies `rounds` times, each with a constant of its own so that no two become one. The
// ways are run twice, the first time for the caches; the clock is read around them.
#define WAY(N) \
	case N: \
		_Pragma("unroll 1") for (unsigned r = rounds; r; r--) \
			asm volatile("mad.lo.u32 %0, %0, 3, " #N ";" : "+r"(x)); \
		break;

extern "C" __global__ void k_way(unsigned *out, long long *timer, unsigned k, unsigned rounds)
{
	unsigned lane = threadIdx.x, way = lane % k, x = lane;
	long long start, stop;

#pragma unroll 1
	for (int turn = 0; turn < 2; turn++) {
		start = clock64();
		switch (way) {
			WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7)
			WAY(8) WAY(9) WAY(10) WAY(11) WAY(12) WAY(13) WAY(14) WAY(15)
			WAY(16) WAY(17) WAY(18) WAY(19) WAY(20) WAY(21) WAY(22) WAY(23)
			WAY(24) WAY(25) WAY(26) WAY(27) WAY(28) WAY(29) WAY(30) WAY(31)
		}
		stop = clock64();
	}
	out[lane] = x;
	timer[lane] = stop - start;
}
