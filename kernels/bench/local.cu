// Bench: an array of every thread in local memory, walked again and again: forward rates of which each step of a path changes all
// that have not ended, by a drift that adds up along the curve. Fixed point, 16 bits behind the point.
#define RATES 80

extern "C" __global__ void local(unsigned *out, unsigned steps)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, random = i * 2654435761u + 12345, rate[RATES];

#pragma unroll 1
	for (unsigned k = 0; k < RATES; k++)
		rate[k] = 3277 + k * 16;
#pragma unroll 1
	for (unsigned step = 0; step < steps; step++) {
		unsigned drift = 0;
		random = random * 1664525 + 1013904223;
		unsigned shock = random >> 20;
#pragma unroll 1
		for (unsigned k = step; k < RATES; k++) {
			drift += rate[k] >> 7;
			rate[k] += (rate[k] >> 4) * (drift + shock) >> 16;
		}
	}
	unsigned value = 0, discount = 65536;
#pragma unroll 1
	for (unsigned k = steps; k < RATES; k++) {
		discount -= (discount >> 8) * (rate[k] >> 8) >> 4;
		value += discount;
	}
	out[i] = value;
}
