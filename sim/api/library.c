/* Functions of gsim.h that take no module, machine, run or report: the version, names, lists. */
#include "sim/api/api.h"

const char *gsim_version(void) { return GSIM_VERSION; }

const char *gsim_status_name(GsimStatus status)
{
	switch (status) {
	case GSIM_OK: return "ok";
	case GSIM_FAILED: return "failed";
	case GSIM_BAD_INPUT: return "bad input";
	case GSIM_INTERRUPTED: return "interrupted";
	case GSIM_MISUSE: return "misuse";
	case GSIM_NOT_MEASURED: return "not measured";
	}
	return "unknown";
}

void gsim_free(void *text) { free(text); }

int gsim_backstop(void) { return sandbox_backstop(); }

const char *gsim_statistic(int i, const char **unit, const char **meaning)
{
	const StatInfo *f = figure_info(i);
	if (f && unit)
		*unit = f->unit;
	if (f && meaning)
		*meaning = f->help;
	return f ? f->path : NULL;
}
