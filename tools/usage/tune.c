/* The command line of gsim-tune, and what its manual says. */
#include "tools/usage/tune.h"

static const UsageRow rows[] = {
	{ OPT_BASE, "base", "FILE", "derive from this machine file, not from the nearest",
		"@machines *.lua" },
	{ OPT_CHIP, "chip", "NAME", "the figures of this chip or machine, of those in the CSV" },
	{ 'o', "output", "FILE", "write here; default: standard output. An existing file is not written over",
		"*.lua" },
	{ OPT_ROUNDS, "rounds", "N", "runs of the micro-benchmarks that correct what was set: 3; 0: "
		"nothing is "
		"run" },
	{ OPT_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] CSV", NULL },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "" },
	{ "1", "gsim failed on the machine" },
	{ "2", "usage or bad input" },
	{ NULL },
};
static const UsageText files[] = {
	{ "@DATADIR@/configs/*.lua", "machine files, found by their names" },
	{ NULL },
};
static const UsageText environment[] = {
	{ "GSIM_PATH",
		"folders, with colons between, where machine files are looked for before the "
		"data directory" },
	{ NULL },
};
static const UsageText examples[] = {
	{ "gsim-tune -o card.lua rows.csv",
		"A machine file for the card that was measured." },
	{ NULL },
};

const UsageProgram usage_tune = {
	.name = "gsim-tune",
	.does = "write a machine file for gsim from measured figures",
	.form = forms,
	.about = "Writes a machine file that derives from the nearest one shipped, in which each "
		"parameter that a figure of the CSV speaks of is set so that gsim measures that "
		"figure. The CSV has a header, columns figure (as latency/add.u32) and value, "
		"and chip, machine, unit, seen where they are there. On standard error: what was "
		"nearest, which figures agree, which do not, and what the figures do not say.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.csv",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim(1)",
};
