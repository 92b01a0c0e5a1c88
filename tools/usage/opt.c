/* The command line of gsim-opt, and what its manual says. */
#include "tools/usage/opt.h"

static const UsageRow rows[] = {
	{ 'p', "passes", "LIST", "passes to run: 'linearize,dce'; none is the default", ",@passes" },
	{ 'o', "output", "FILE", "where the module goes: an ELF object when FILE ends in .gso, else IR "
		"('-' = "
		"standard output, the default)", "*.ir *.gso" },
	{ 'c', "config", "FILE", "the machine whose latencies passes go by; as given, then in "
		"$GSIM_PATH, then "
		"in the data directory", "@machines *.lua" },
	{ OPT_LOAD, "load", "FILE", "a plug-in: its passes can be named as those of gsim-opt; repeatable",
		"*.so" },
	{ OPT_SOURCE, "source", "DIR", "the module imports files of this folder and below; default: its own "
		"folder" },
	{ OPT_CFG, "cfg", "FUNCTION", "write that function's graph for Graphviz instead of the module" },
	{ OPT_PRINT, "print", "NAME", "write the result of an analysis of each function instead of the "
		"module, "
		"or what a pass does to it, such as 'meld(swap=1)', behind those of --passes: --list names "
		"them", "@analyses" },
	{ OPT_FILTER, "filter", "NAME", "passes, --print and dumps take this function alone; module "
		"passes do "
		"not run" },
	{ OPT_PROFILE, "profile", "FILE", "a report of gsim (--stats FILE.json) about the module: how often "
		"blocks were executed, for passes that ask, for --cfg and for --print costs; and how often "
		"lanes parted, for --print uniformity", "*.json" },
	{ OPT_DUMP, "dump", NULL, "print the module after each pass on standard error" },
	{ OPT_CHANGED, "print-changed", NULL, "print what each pass changed, as a diff, on standard error" },
	{ OPT_BISECT, "bisect", "N", "passes make their first N changes and no others; the last one is "
		"named, with --remarks each" },
	{ OPT_REMARKS, "remarks", NULL, "say what passes did and what they left alone, and why" },
	{ OPT_STATS, "pass-stats", NULL, "print what passes did, in numbers, on standard error" },
	{ OPT_LIST, "list", NULL, "the passes with their options, and the analyses" },
	USAGE_USER_ROWS,
	{ OPT_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] MODULE", NULL },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "" },
	{ "2", "usage, bad input or a pass that failed" },
	{ NULL },
};
static const UsageText files[] = {
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
	{ "gsim-opt kernel.ptx", "The kernel as IR." },
	{ "gsim-opt -p structurize,linearize --remarks -o out.ir kernel.ptx",
		"Two passes, and what they did." },
	{ "gsim-opt --cfg main kernel.ir | dot -Tsvg",
		"A picture of the control flow graph." },
	{ "gsim-opt --print uniformity kernel.ptx",
		"What is the same in all threads of a warp?" },
	{ NULL },
};

const UsageProgram usage_opt = {
	.name = "gsim-opt",
	.does = "transform a GPU kernel module and show what passes and analyses do",
	.form = forms,
	.about = "Reads a module, runs passes and writes the module as IR or as an ELF object. "
		"MODULE: .ir, .ptx, or an ELF object (.gso), or a kernel's name as "
		"gsim --list kernels shows them; - is standard input.",
	.more = "Without passes the module is written as it was read, so that PTX becomes IR. A "
		"pass with options has them in parentheses; steps have commas between.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.ir *.ptx *.gso @kernels",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim(1), dot(1)",
};
