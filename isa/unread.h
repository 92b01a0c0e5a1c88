/* Values that instructions made by passes compute for nothing, found by running: those that their thread
   overwrites, or ends with, without having read them. Code motion that speculates makes such. The reference
   interpreter tells of each instruction. */
#ifndef GSIM_UNREAD_H
#define GSIM_UNREAD_H
#include "isa/launch.h"

/* Of one launch. Instructions of the kernel itself count, not those of functions that it calls; moves hand
   values on and compute none. */
typedef struct Unread {
	const Function *kernel;
	/* by thread (InterpOptions.watch) and register: holds a value that counts and has not been read */
	bool *waits;
	uint64_t values, unread;       /* values computed, and of these those never read */

	size_t thread;                 /* at the instruction */
} Unread;

/* false: no pass has made anything of the kernel, or its blocks are kept at once and are too many, so there
   is nothing to watch or close */
bool unread_open(Unread *, const Launch *);
void unread_watch(void *unread, uint32_t thread, const Function *, const Ins *); /* InterpOptions.watch */
void unread_close(Unread *);                    /* leaves the two counts */
#endif
