/* What a profile (passes/analysis/cost.h) can say of a module. */
#ifndef GSIM_PROFILE_H
#define GSIM_PROFILE_H
#include "passes/analysis/cost.h"

/* Sets other_code if the profile is of another file than the module; warns of that, and of whatever else
   makes its counts say less. path: where the profile comes from; module_hash NULL: nobody knows it. */
void profile_check(Profile *, const char *path, const char *module, const char *module_hash, Diag *);
/* Does a run under this mechanism say how many lanes of a warp are idle? Under mimd each lane runs by
   itself, and none waits for others. */
bool profile_tells_idle(const char *model);
#endif
