/* Options of gsim-trace that have no letter. */
#ifndef GSIM_USAGE_TRACE_H
#define GSIM_USAGE_TRACE_H
#include "tools/usage.h"

enum { OPT_TEXT = 256, OPT_CSV, OPT_PERFETTO, OPT_SUMMARY, OPT_KERNEL, OPT_SM, OPT_WARP, OPT_CYCLES,
		OPT_EVENTS,
	OPT_LAUNCH, OPT_STACK, OPT_HTML, OPT_SOURCE, OPT_VERSION };
extern const UsageProgram usage_trace;
#endif
