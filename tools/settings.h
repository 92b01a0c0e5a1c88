/* What -D sets, and whether it makes any difference. */
#ifndef GSIM_SETTINGS_H
#define GSIM_SETTINGS_H
#include "tools/job.h"

/* Can the parameter change anything under some mechanism of the command line? False: it cannot, and why,
   empty before, has the reason, if not NULL. */
bool settings_matter(const Session *, const ConfigKey *, StrBuf *why);
/* Warns of each -D, and of each parameter of a --model, that makes no difference to what is about to run. */
void settings_warn(Session *);
#endif
