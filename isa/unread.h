/* Counts values that instructions inserted by passes compute for nothing: those that their thread overwrites,
   or ends with, without having read them. Code motion that speculates makes such values. They are found by
   running: the reference interpreter calls unread_watch for each instruction. */
#ifndef GSIM_UNREAD_H
#define GSIM_UNREAD_H
#include "isa/launch.h"

/* The counts of one launch. Instructions of the kernel itself count, not those of functions that it calls;
   moves hand values on and compute none. */
typedef struct Unread {
	const Function *kernel;
	/* by thread (as InterpOptions.watch numbers it) and register: the register holds a value that counts
	   and has not been read */
	bool *waits;
	uint64_t values, unread;       /* values computed, and of these those never read */

	size_t thread;                 /* the thread whose instruction is looked at */
} Unread;

/* false: no pass has inserted an instruction that counts, or the kernel's blocks are kept at once and are too
   many; then there is nothing to watch or close */
bool unread_open(Unread *, const Launch *);
void unread_watch(void *unread, uint32_t thread, const Function *, const Ins *); /* InterpOptions.watch */
void unread_close(Unread *);                    /* the two counts stay */
#endif
