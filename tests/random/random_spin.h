/* Random kernels whose threads wait for each other. */
#ifndef GSIM_RANDOM_SPIN_H
#define GSIM_RANDOM_SPIN_H
#include "tests/random/random_kernel.h"

/* The reference interpreter ends with each of them, for it lets all threads of a block go on by turns; a
   mechanism need not. idle: 0, or the seed of idle instructions and branches that are strewn in. */
RandomKernel *random_spin_kernel(uint64_t seed, uint64_t idle);
#endif
