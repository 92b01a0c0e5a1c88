/* Changes are fitted to the registers by trial: they are made on a copy of the function, and the copy says
   how many registers live at once. */
#ifndef GSIM_FIT_H
#define GSIM_FIT_H
#include "passes/pass.h"

/* Like the run that it was opened with, but for a copy of the function, and it tells nobody anything. Its
   analyses are still those of the function itself. */
typedef struct Trial { PassRun run; Diag none; } Trial;
void trial_open(Trial *, const PassRun *);
void trial_close(Trial *);

/* Of n changes in a row: makes the first k of them in the trial's function. */
typedef void FitChanges(void *self, PassRun *trial, int k);
/* Returns how many of the n changes can be made, the first ones, so that at most `limit` registers live at
   once afterwards: all of them, or as many as a search by halves finds. Copies count as propagated. */
int fit_changes(const PassRun *, int n, int limit, FitChanges *, void *self);
#endif
