/* The command line of gsim-sweep, and what its manual says. */
#include "tools/usage/sweep.h"

static const UsageRow rows[] = {
	{ 'c', "config", "FILES", "machine files, with commas between; repeatable",
		",@machines *.lua" },
	{ 'D', "set", "KEY=VALUES", "values of a parameter of the machine: a,b,c or from:to:step or "
		"from:to:*factor; repeatable",
		"@parameters" },
	{ 'm', "model", "NAMES", "divergence mechanisms, with their parameters if need be; all: each; "
		"repeatable",
		",all @mechanisms" },
	{ 'p', "passes", "LIST", "a pipeline of front-end passes; none: the module as it is; repeatable",
		",none @passes" },
	{ O_VARY, "vary", "NAME=VALUES", "a variable: {NAME} stands for its value in modules, arguments and "
		"the options above; repeatable" },
	{ O_SIZE, "size", "SIZES", "how large the workloads are: S, M, L or XL, with commas between; "
		"repeatable", ",S M L XL" },
	{ O_WHEN, "when", "CONDITION", "only points for which it holds, in Lua: 'n > 64 or mechanism ~= "
		"\"its\"'" },
	{ O_PLAN, "plan", "FILE", "a plan in Lua, to which the options add",
		"*.lua" },
	{ 'w', "workload", "FILE", "host side in Lua; default: each MODULE's name with .lua, else its host "
		"function main",
		"*.lua" },
	{ O_FILES, "files", "DIR", "the workload loads files here, too; repeatable" },
	{ O_SOURCE, "source", "DIR", "imports are read here and below; default: MODULE's folder" },
	{ O_LOAD, "load", "FILE", "a plug-in with passes and mechanisms; repeatable",
		"*.so" },
	{ O_FUNCTIONAL, "functional", NULL, "results and divergence statistics without timing" },
	{ 'o', "output", "DIR", "the folder of results, from which a sweep goes on; default: sweep.results" },
	{ O_STATISTICS, "statistics", "NAMES", "columns of the table, with commas between; all: each that "
		"gsim --list statistics has for a whole run",
		",all @statistics" },
	{ O_CSV, "csv", "FILE", "the table, in place of results.csv in the folder of results; - is standard "
		"output",
		"*.csv" },
	{ O_LINES, "json-lines", "FILE", "the records of all points, a line each; - is standard output",
		"*.jsonl" },
	{ O_PLOT, "plot", "FILE", "a picture, SVG: a statistic over what varies; repeatable, with the "
		"options "
		"below before each",
		"*.svg" },
	{ O_KIND, "plot-kind", "KIND", "lines, bars or heat; default: lines over numbers, else bars",
		"lines bars heat" },
	{ O_X, "plot-x", "COLUMN", "what goes along x; default: the last column of numbers that varies" },
	{ O_SERIES, "plot-series", "COLUMN", "what has a colour each; default: mechanisms, pipelines, "
		"machines or what else varies" },
	{ O_Y, "plot-y", "STATISTIC", "default: cycles",
		"@statistics" },
	{ 'j', "processes", "N", "points that run at the same time; default: the number of cores" },
	{ O_SHARD, "shard", "I/N", "run every N-th point, from the I-th on, and make no table" },
	{ O_PRINT_JOBS, "print-jobs", "N", "show N commands, one a line, that together run all points; run "
		"nothing" },
	{ O_SLURM, "slurm", NULL, "run the points as an array job of Slurm, and wait for it" },
	{ O_TASKS, "tasks", "N", "with --slurm: tasks of the array job; default: one for 50 points" },
	{ O_SBATCH, "sbatch", "OPTIONS", "with --slurm: options for sbatch, '--partition=long --time=60'" },
	{ O_NO_WAIT, "no-wait", NULL, "with --slurm: submit the job and end; the same command again goes "
		"on" },
	{ O_INPUTS, "inputs", "DIR", "read the copies of modules, workloads and machine files that --slurm "
		"made" },
	{ O_DRY_RUN, "dry-run", NULL, "show the points, each as a command; run nothing" },
	{ O_RETRY, "retry", NULL, "run points again that have failed" },
	{ O_SECONDS, "seconds", "N", "a point that takes longer is ended, and has timed out; default: none" },
	{ 'q', "quiet", NULL, "no sums and no progress; errors stay" },
	USAGE_USER_ROWS,
	{ O_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] MODULE... [-- workload arguments]", NULL },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "all points are ok" },
	{ "1", "a point failed" },
	{ "2", "usage, bad input, or output that cannot be written" },
	{ "a signal", "it ended the program, with a report of what was measured so far" },
	{ NULL },
};
static const UsageText files[] = {
	{ "sweep.results/",
		"the folder of results, unless --output names another: records, results-*.jsonl, "
		"and the table, results.csv" },
	{ "@DATADIR@/configs/*.lua", "machine files, found by their names" },
	USAGE_USER_FILES,
	{ NULL },
};
static const UsageText environment[] = {
	{ "GSIM_PATH",
		"folders, with colons between, where machine files are looked for before the "
		"data directory" },
	USAGE_USER_ENVIRONMENT,
	{ NULL },
};
static const UsageText examples[] = {
	{ "gsim-sweep -c volta.lua -m all -D l1.bytes=16384:131072:*2 kernel.ptx",
		"Every mechanism with four sizes of the L1 cache." },
	{ "gsim-sweep --print-jobs 64 -c volta.lua -m all kernel.ptx | parallel",
		"The same points, by GNU parallel." },
	{ "gsim-sweep --slurm --tasks 20 -c volta.lua -m all *.ptx",
		"The same on a cluster." },
	{ NULL },
};

const UsageProgram usage_sweep = {
	.name = "gsim-sweep",
	.does = "run GPU kernels at every point of a plan and make one table",
	.form = forms,
	.about = "Runs every combination of modules, machines, mechanisms, pipelines, arguments "
		"and parameters, and makes one table of what was measured.",
	.more = "Results are kept in a folder, in files that are only appended to, and each "
		"point is known by a key: a hash of the module, the workload, arguments, the "
		"effective configuration, passes, and the version of gsim. A sweep that was "
		"ended goes on where it was; points that are there do not run again.\n\n"
		"Points can "
		"be shared out to processes, to the tasks of an array job of Slurm, or to "
		"whatever runs one command a line. The table is the same, byte for byte, "
		"wherever they ran.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.ir *.ptx *.gso @kernels",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim(1), gsim-compare(1), sbatch(1)",
};
