/* Speculative reconvergence (Damani et al., Speculative Reconvergence for Improved SIMT Efficiency, CGO 2020;
 * US patents 11442795 and 11847508) on convergence barriers: lanes meet where they are predicted to come,
 * though not all of them may.
 *
 * A branch with !reconverge L whose L lies behind it and does not post-dominate it predicts L. Lanes join a
 * barrier where they enter the region from which they may still come to L, wait in front of L, rejoin, and
 * cancel where they leave the region. Barriers that would wait for lanes that wait at L are not placed. */
#include "sim/reconv/its/its.h"

static const ConfigKey params[] = {
	ITS_KEYS,
	{ NULL, "threshold", CT_INT, 0, 0, 0, 64, NULL, "lanes",
		"at a predicted point, as many lanes go on without the others; 0 = all that take part (soft "
		"barriers: CGO 2020)" },
};

const ReconvModel reconv_spec_reconv = {
	.name = "spec_reconv",
	.help = "speculative reconvergence: convergence barriers at predicted points, which `!reconverge` "
	"names",
	.spills = SPILLS_NOTHING,
	.source = "Damani et al., Speculative Reconvergence for Improved SIMT Efficiency, CGO 2020; US "
	"patents 11442795 and 11847508",
	.params = params, .nparams = sizeof params / sizeof *params,
	.fair = "timer=300,barrier_timeout=300",
	.lower = its_lower_predicted,
	ITS_HOOKS,
};
