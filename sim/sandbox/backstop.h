#ifndef GSIM_BACKSTOP_H
#define GSIM_BACKSTOP_H
#include <stdbool.h>

/* For programs: from now on a workload or machine file that passes its time by 2 s inside one operation of
   Lua, which nothing else can interrupt, ends the process with a message and status 2. Takes SIGXCPU. False
   where the system has no such timers. */
bool sandbox_backstop(void);
#endif
