#ifndef GSIM_BACKSTOP_H
#define GSIM_BACKSTOP_H
#include <stdbool.h>

/* For programs: from now on, the process ends with a message and status 2 when the Lua code of a workload or
   machine file is more than 2 s over its limit of processor time. This catches a single operation of Lua that
   takes that long, which nothing else can interrupt. The function takes the signal SIGXCPU for it. False: the
   system has no such timers, or the signal cannot be taken. */
bool sandbox_backstop(void);
#endif
