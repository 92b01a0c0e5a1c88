/* The command line of gsim-compare, and what its manual says. */
#include "tools/usage/compare.h"

static const UsageRow rows[] = {
	{ OPT_BRIEF, "brief", NULL, "a screen instead of every figure" },
	{ 'a', "all", NULL, "every figure, branch and block (default)" },
	{ OPT_ROWS, "rows", "A,B", "runs of a grid, by number, from 1, or by mechanism; of --before-after: "
		"before or after. With two files one of each" },
	{ OPT_BY, "by", "WHAT", "only a table by places of the source, a row for each: branches, lines, or a "
		"figure of these, as branches.lost, with a column for each run",
		"branches lines branches.executed branches.divergent branches.lost branches.cycles "
		"lines.warp_instructions lines.thread_instructions lines.lost lines.stalls" },
	{ OPT_CSV, "csv", NULL, "as CSV: a row for each figure of each run" },
	{ OPT_JSON, "json", NULL, "as JSON, with schema_version 1" },
	{ OPT_MARKDOWN, "markdown", NULL, "as Markdown, with tables, for code-hosting sites" },
	{ 'f', "fail-if", "C", "status 1 when condition C holds: 'cycles > 1.02' of the ratio after / "
		"before, "
		"'after.cycles > 5000', 'change.divergence.spills > 0', 'kernel axpy: cycles > 1.02', "
		"'kernel *: static.spilled > 1'; repeatable" },
	{ OPT_ALLOW_UNKNOWN, "allow-unknown", NULL, "--fail-if: judge figures though it is not known "
		"whether results are equal" },
	{ OPT_ANNOTATE, "annotate", "[=WHAT]", "also the source line by line, with what each did in both; "
		"=code: the code, of reports of gsim --annotate", "source code" },
	{ OPT_SOURCE, "source", "DIR", "the folder where --annotate reads the source, and below; without it "
		"the lines stand without their text" },
	USAGE_USER_ROWS,
	{ OPT_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] A.json B.json",
		"two reports of gsim --stats; two of --grid or of --before-after run by run" },
	{ "[options] A.json B.json C.json ...",
		"many, side by side; the first is the baseline, to which ratios refer" },
	{ "[options] BOTH.json", "a report of gsim --before-after --stats, also of several mechanisms" },
	{ "[options] --rows A,B GRID.json", "two runs of gsim --grid --stats" },
	{ "[options] --rows A X.json GRID.json",
		"a report and a run of a grid, or one of each of two grids" },
	{ "[options] GRID.json", "the table of a grid" },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "" },
	{ "1",
		"a condition of --fail-if holds, or with --fail-if a run has failed or results "
		"differ" },
	{ "2",
		"usage, bad input, a condition that cannot be judged, or with --fail-if results "
		"that are not known to be equal" },
	{ NULL },
};
static const UsageText files[] = {
	USAGE_USER_FILES,
	{ NULL },
};
static const UsageText environment[] = {
	USAGE_USER_ENVIRONMENT,
	{ NULL },
};
static const UsageText examples[] = {
	{ "gsim-compare old.json new.json", "Everything that changed." },
	{ "gsim-compare --brief --fail-if 'cycles > 1.02' old.json new.json",
		"A gate: status 1 where cycles rose by more than two percent." },
	{ NULL },
};

const UsageProgram usage_compare = {
	.name = "gsim-compare",
	.does = "compare reports of gsim",
	.form = forms,
	.about = "Shows what differs between runs first, then every figure with its ratio; with "
		"--fail-if it is a gate.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.json",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim(1), gsim-sweep(1)",
};
