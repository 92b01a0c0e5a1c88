/* Runs passes with what they may know of the machine. */
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "passes/pass.h"
#include "sim/config/config.h"

bool config_transform(const Config *c, Module *m, const char *passes, const struct Profile *profile,
	struct PassLog *log, Diag *d)
{
	CostTable cost = config_costs(c);
	MachineLimits limits = config_limits(c);
	return pipeline_run(m, passes, &(PassHost){ .cost = &cost, .limits = &limits, .profile = profile,
		.log = log }, d);
}
