/* Options of gsim-reduce that have no letter. */
#ifndef GSIM_USAGE_REDUCE_H
#define GSIM_USAGE_REDUCE_H
#include "tools/usage.h"

enum { O_PASS = 256, O_SECONDS, O_VERBOSE, O_NO_WORKLOAD, O_UNDEFINED, O_SOURCE, O_LOAD, O_VERSION };
extern const UsageProgram usage_reduce;
#endif
