/* The module that is reduced, with its workload as a host function. */
#ifndef GSIM_REDUCE_RECORD_H
#define GSIM_REDUCE_RECORD_H
#include "isa/ir.h"
#include <signal.h>

typedef struct RecordOptions {
	const char *source;            /* imports are read below this folder; NULL: MODULE's */
	const char *workload;          /* in Lua; NULL: MODULE's name with .lua, if it has no main */
	bool bare;                     /* no workload is looked for */
	const char *output;            /* none of the files that MODULE imports */
	volatile sig_atomic_t *interrupted;
} RecordOptions;

/* Reads a module. If there is a workload in Lua, it runs, and what it did becomes the module's host function
   main (gsim --record-host). NULL with errors in diag. */
Module *record_module(const char *path, const RecordOptions *, Diag *);
bool is_same_file(const char *a, const char *b);       /* are both there, and one file? */
#endif
