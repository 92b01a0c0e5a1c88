/* gsim --sensitivity: whether an answer hangs on figures of the machine that nobody has measured. */
#ifndef GSIM_SENSITIVITY_H
#define GSIM_SENSITIVITY_H
#include "tools/job.h"

/* Runs the module with one parameter of the machine changed at a time, halved, doubled or with another
   choice: each assumption of the machine file, or the parameters that --sensitivity names. Of two mechanisms,
   or without and with passes, both run each time, and the report says how often the better one stays it.
   Returns the exit status. */
int sensitivity_run(Session *);
#endif
