/* The module that is reduced, with its workload as a host function. */
#ifndef GSIM_REDUCE_RECORD_H
#define GSIM_REDUCE_RECORD_H
#include "isa/ir.h"
#include <signal.h>

/* Reads a module. Where there is a workload in Lua - `workload`, or else, if the module has no host function
   main, MODULE's name with .lua - it runs, and what it did becomes the module's host function main (gsim
   --record-host). bare: it is not looked for. NULL with errors in diag. */
Module *record_module(const char *path, const char *source, const char *workload, bool bare,
	volatile sig_atomic_t *interrupted, Diag *);
#endif
