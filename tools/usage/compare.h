/* Options of gsim-compare that have no letter. */
#ifndef GSIM_USAGE_COMPARE_H
#define GSIM_USAGE_COMPARE_H
#include "tools/usage.h"

enum { OPT_BRIEF = 256, OPT_ROWS, OPT_MARKDOWN, OPT_ANNOTATE, OPT_SOURCE, OPT_VERSION };
extern const UsageProgram usage_compare;
#endif
