/* Options of gsim-opt that have no letter. */
#ifndef GSIM_USAGE_OPT_H
#define GSIM_USAGE_OPT_H
#include "tools/usage.h"

enum { OPT_CFG = 256, OPT_SOURCE, OPT_PRINT, OPT_FILTER, OPT_PROFILE, OPT_CHANGED, OPT_REMARKS, OPT_STATS,
	OPT_DUMP, OPT_LIST, OPT_LOAD, OPT_BISECT, OPT_VERSION };
extern const UsageProgram usage_opt;
#endif
