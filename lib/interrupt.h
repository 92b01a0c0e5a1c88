/* A flag with which a signal handler or another thread asks a run to stop. */
#ifndef GSIM_INTERRUPT_H
#define GSIM_INTERRUPT_H
#include <signal.h>
#include <stdbool.h>

/* flag NULL: nobody can ask */
static inline bool is_interrupted(const volatile sig_atomic_t *flag)
{
	return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static inline void interrupt(volatile sig_atomic_t *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELAXED); }
#endif
