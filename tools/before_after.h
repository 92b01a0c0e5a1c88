/* gsim --before-after: one module without and with passes, or two modules, run with one workload, and their
   results compared. */
#ifndef GSIM_BEFORE_AFTER_H
#define GSIM_BEFORE_AFTER_H
#include "tools/job.h"

/* Reads the second module of the command line, and settles which workload both run. False: bad input, with
   errors in the session's diag. */
bool before_after_read_second(Session *);
/* The passes of a side, 0 or 1. Of two modules one list is for both, or each has its own. */
const char *before_after_passes(const Options *, int side);
/* Runs both under each mechanism of the command line, compares their results and shows both; returns the exit
   status. */
int before_after_run(Session *);

/* tools/two_modules.c. After a run of the first module: has the second one all kernels that the workload
   launched, with the same parameters? False: it has not, with errors in diag. What one module alone has, and
   the workload does not launch, gets a warning. */
bool two_modules_fit(const Session *, const Job *first, Diag *);
#endif
