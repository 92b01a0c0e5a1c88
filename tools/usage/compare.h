/* Options of gsim-compare that have no letter. */
#ifndef GSIM_USAGE_COMPARE_H
#define GSIM_USAGE_COMPARE_H
#include "tools/usage.h"

enum { OPT_BRIEF = 256, OPT_ROWS, OPT_MARKDOWN, OPT_ANNOTATE, OPT_SOURCE, OPT_VERSION, OPT_CSV,
	OPT_JSON, OPT_BY, OPT_ALLOW_UNKNOWN };
extern const UsageProgram usage_compare;
#endif
