/* The random numbers of all tests: the same on every host. */
#ifndef GSIM_TEST_RANDOM_H
#define GSIM_TEST_RANDOM_H
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) /* splitmix64; any state will do */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
#endif
