/* The command line of gsim-reduce, and what its manual says. */
#include "tools/usage/reduce.h"

static const UsageRow rows[] = {
	{ O_PASS, "pass", NULL, "find the first pass of --passes, and the first of its changes, that makes "
		"results wrong; then make MODULE smaller as long as that pass does" },
	{ 'p', "passes", "LIST", "with --pass: the pipeline",
		",none @passes" },
	{ 'c', "config", "FILE", "with --pass: the machine by whose costs and limits passes go",
		"@machines" },
	{ 'o', "output", "FILE", "where the smaller module goes; default: MODULE's name with .reduced.ir",
		"*.ir" },
	{ 'w', "workload", "FILE", "the workload in Lua, which is recorded as the module's host function "
		"main; default: MODULE's name with .lua, if there is such a file and the module has no main",
		"*.lua" },
	{ O_NO_WORKLOAD, "no-workload", NULL, "record no workload: COMMAND has its own way to run the "
		"module" },
	{ O_SOURCE, "source", "DIR", "imports are read here and below; default: MODULE's folder" },
	{ O_LOAD, "load", "FILE", "a plug-in with passes and mechanisms; repeatable",
		"*.so" },
	{ O_SECONDS, "seconds", "N", "a candidate that takes longer is not interesting; default: ten times "
		"what MODULE takes, at least 5" },
	{ 'j', "processes", "N", "candidates that are tried at the same time; default: the number of "
		"cores" },
	{ O_UNDEFINED, "undefined", NULL, "candidates may read registers that nothing writes; default: only "
		"if MODULE does" },
	{ O_VERBOSE, "verbose", NULL, "show what COMMAND writes" },
	{ 'q', "quiet", NULL, "no sums and no progress; errors stay" },
	USAGE_USER_ROWS,
	{ O_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] MODULE -- COMMAND...", NULL },
	{ "--pass -p LIST [options] MODULE [-- COMMAND...]", "the guilty pass, and a smaller module" },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "the smaller module is written" },
	{ "1", "COMMAND does not find MODULE itself interesting, or the passes leave results as they are" },
	{ "2", "usage, bad input, or output that cannot be written" },
	{ "a signal", "it ended the program, once the smallest module so far was written" },
	{ NULL },
};
static const UsageText files[] = {
	{ "MODULE.reduced.ir", "what comes out, unless --output names another file" },
	USAGE_USER_FILES,
	{ NULL },
};
static const UsageText environment[] = {
	{ "TMPDIR", "the folder in which candidates are written; /tmp otherwise" },
	USAGE_USER_ENVIRONMENT,
	{ NULL },
};
static const UsageText examples[] = {
	{ "gsim-reduce kernel.ptx -- sh -c 'gsim --reference -q \"$0\" && ! gsim -q -m ipdom --verify "
		"\"$0\"'",
		"The smallest kernel that ends well in the reference interpreter, and not under ipdom." },
	{ "gsim-reduce --pass -p gcse,unroll,dce kernel.ptx",
		"The pass and its change that make results differ, and the smallest kernel that shows it." },
	{ NULL },
};

const UsageProgram usage_reduce = {
	.name = "gsim-reduce",
	.does = "make a GPU module smaller while it stays interesting",
	.form = forms,
	.about = "Makes MODULE smaller while COMMAND ends with status 0. COMMAND gets a candidate's name "
		"(IR) where {} stands, else as its last word. With --pass it gets what the passes make of "
		"it, and the candidate itself where {before} stands; without COMMAND, results in the "
		"reference interpreter without and with passes are compared.",
	.more = "Functions, blocks, instructions, operands, parameters, launches, variables and their "
		"contents go or become simpler, many at once at first, then fewer and fewer. Every "
		"candidate is a valid module.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.ir *.ptx *.gso @kernels",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim(1), gsim-opt(1)",
};
