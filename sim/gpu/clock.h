/* The machine's clock is turned back where launches run more than once: warm-up runs, sampled launches. */
#ifndef GSIM_GPU_CLOCK_H
#define GSIM_GPU_CLOCK_H
#include "sim/machine/gpu.h"

/* what launches change of the machine's clock, beside its memory and caches */
typedef struct MachineClock { Cycle host, ended, last_gone, busy, busy_until; uint64_t empty; } MachineClock;
MachineClock machine_clock(const Gpu *);
/* Turns the clock back; nothing may be under way. Caches keep what they have. */
void machine_turn_back(Gpu *, const MachineClock *);
#endif
