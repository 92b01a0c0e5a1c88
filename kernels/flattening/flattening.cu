// The benchmark of Bulavintsev, "Flattening of data-dependent nested loops for compile-time optimization of GPU programs"
// (2019), written from its description: a two-level work queue. Loop A takes `outer` items; a random number, the same for
// all lanes, says for which `k` of 32 lanes loop B ends after its first turn. The other lanes make `most` turns of it.
// Both loops work on linear feedback shift registers of 16 bits (taps 16, 14, 13, 11); the kernel counts odd states.
__device__ __forceinline__ unsigned step(unsigned state)
{
	unsigned bit = (state ^ state >> 2 ^ state >> 3 ^ state >> 5) & 1;
	return state >> 1 | bit << 15;
}

template <int n> __device__ __forceinline__ unsigned steps(unsigned state)
{
#pragma unroll
	for (int i = 0; i < n; i++)
		state = step(state);
	return state;
}

// A turn of A makes A steps, four of them for its random numbers; a turn of B makes B steps, TIMES over, or, where B is 0,
// `turn` steps in a loop of its own.
template <int A, int B, int TIMES>
__device__ __forceinline__ void nest(unsigned *out, unsigned *work, unsigned seed, int outer, int k, int most, int repeat,
	int turn)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, count = 0, other = thread + 1;
	unsigned narrow = k == 0 ? 0 : 0xffffffffu >> (32 - k);

	if (outer <= 0 || repeat <= 0)
		return;
	do {
		unsigned common = seed + 3457 & 0xffff;
#pragma unroll 1
		for (int i = 0; i < 100; i++)
			common = step(common);
		int a = 0;
#pragma unroll 1
		do {
			common = step(common);
			unsigned leave = __funnelshift_l(narrow, narrow, common) >> lane & 1;
			unsigned state = steps<3>((common ^ thread + 321) & 0xffff);
			other = steps<A - 4>(other & 0xffff);
			int b = 0;
#pragma unroll 1
			do {
				count += state & 1;
				if (TIMES == 1)
					state = steps<B>(state);
				else {
#pragma unroll 1
					for (int i = 0; i < (B == 0 ? turn : TIMES); i++)
						state = steps<B == 0 ? 1 : B>(state);
				}
			} while (!leave && ++b < most);
		} while (++a < outer);
	} while (--repeat > 0);
	out[thread] = count;
	work[thread] = other;
}

#define NEST(name, A, B, TIMES) \
	extern "C" __global__ void name(unsigned *out, unsigned *work, unsigned seed, int outer, int k, int most, int repeat, int turn) \
	{ \
		nest<A, B, TIMES>(out, work, seed, outer, k, most, repeat, turn); \
	}
NEST(flattening, 4, 0, 0)         // any number of steps in B, as in the program that the paper published
NEST(flattening_2, 4, 2, 1)       // that program at two steps, without a loop in B
NEST(flattening_10_1, 20, 2, 1)   // A/B = 10/1
NEST(flattening_1_1, 4, 4, 1)     // A/B = 1/1
NEST(flattening_1_10, 4, 40, 1)   // A/B = 1/10
NEST(flattening_1_100, 4, 40, 10) // A/B = 1/100
