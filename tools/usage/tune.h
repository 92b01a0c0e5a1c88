/* Options of gsim-tune that have no letter. */
#ifndef GSIM_USAGE_TUNE_H
#define GSIM_USAGE_TUNE_H
#include "tools/usage.h"

enum { OPT_BASE = 256, OPT_CHIP, OPT_ROUNDS, OPT_VERSION };
extern const UsageProgram usage_tune;
#endif
