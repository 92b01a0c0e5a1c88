/* Plug-ins: --load FILE. */
#ifndef GSIM_PLUGINS_H
#define GSIM_PLUGINS_H
#include "lib/diag.h"
#include "sim/report/report.h"

/* Loads a plug-in for as long as the program runs, and adds its passes and mechanisms to the lists of those
   that there are. To be called before anything looks at these lists, and by one thread. False, with one
   error: the program cannot go on, since some may have been added. */
bool plugin_load(const char *file, Diag *);
/* loads all, in order, up to the first that cannot be loaded */
bool plugins_load(const char *const *files, int n, Diag *);
/* those that are loaded, for reports; *n: their number */
const ReportPlugin *plugins_loaded(int *n);
#endif
