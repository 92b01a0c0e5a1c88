/* The command line of gsim, and what its manual says. */
#include "tools/usage/gsim.h"

static const UsageRow rows[] = {
	{ 'c', "config", "FILE", "machine description; as given, then in $GSIM_PATH, then in the data "
		"directory",
		"@machines *.lua" },
	{ 'D', "set", "KEY=VALUE", "override one parameter of the machine; repeatable",
		"@parameters" },
	{ 'm', "model", "NAME", "divergence mechanism, and its parameters if need be: ipdom, "
		"'ipdom(push_order=fall_top)'",
		",@mechanisms" },
	{ 'p', "passes", "LIST", "front-end passes: 'linearize(opt=4),dce'; none: the module as it is",
		",none @passes" },
	{ O_LOAD, "load", "FILE", "a plug-in: its passes and mechanisms can be named as those of gsim; "
		"repeatable",
		"*.so" },
	{ O_PROFILE, "profile", "FILE", "an earlier report of MODULE (--stats FILE): how often blocks were "
		"executed, for passes that ask",
		"*.json" },
	{ O_NO_PROFILE, "no-profile", NULL, "passes that ask for a profile get none; else a functional run "
		"of the same workload makes one first" },
	{ O_REMARKS, "remarks", NULL, "passes say what they did and what they left alone, and why" },
	{ O_STATS, "pass-stats", NULL, "what passes did, in numbers, on standard error; the JSON report "
		"always has it" },
	{ 'w', "workload", "FILE", "host side in Lua; default: MODULE's name with .lua, else its host "
		"function main",
		"*.lua" },
	{ O_SIZE, "size", "SIZE", "how large the workload is: S as for tests, M fills one SM, L the machine, "
		"XL ten times the machine; arguments behind -- win", "S M L XL" },
	{ O_RECORD, "record-host", "FILE", "write MODULE with what the workload does as its host function "
		"main, IR; - is standard output",
		"*.ir" },
	{ O_FILES, "files", "DIR", "the workload loads and saves files here too, also over old ones, before "
		"its own folder; repeatable" },
	{ O_SOURCE, "source", "DIR", "imports and sources to show are read here and below; default: MODULE's "
		"folder" },
	{ 'b', "before-after", NULL, "run without and with --passes, or two modules A and B with one "
		"workload: compare results, show both side by side" },
	{ O_GRID, "grid", NULL, "mechanisms (all, or each --model) x pipelines (each --passes): a table for "
		"each kernel" },
	{ O_BY, "by", "WHAT", "with --grid also a table by places of the source: a row for each of its "
		"branches or lines, or a figure of these, as branches.lost; a column for each run",
		"branches lines branches.executed branches.divergent branches.lost branches.cycles "
		"lines.warp_instructions lines.thread_instructions lines.lost lines.stalls" },
	{ 's', "stats", "FILE", "JSON report, .txt: as text; - is standard output, in place of the text; "
		"with --grid or --interval also .csv, .svg; repeatable",
		"*.json *.txt *.csv *.svg -" },
	{ O_SENSITIVITY, "sensitivity", "[=KEYS]", "halve and double each assumption of the machine file, or "
		"these parameters and groups: what moves cycles, and whether the better of two --model, or "
		"of "
		"-b, stays it",
		",@keys" },
	{ O_CHECK_MACHINE, "check-machine", "[=NAMES]", "no MODULE: measure latencies and bandwidths of the "
		"machine by kernels made for it, beside what has been published; =latency,dram.latency: "
		"these figures, or those of these parameters",
		",latency rate bandwidth barrier fence predicate launch atomics @keys" },
	{ O_INTERVAL, "interval", "N", "figures over time: each counter in every N cycles of the run's "
		"clock, in the files of --stats" },
	{ O_SUMS, "sums", NULL, "the JSON report leaves single launches out, of which there may be very "
		"many: sums by kernel and in all stay" },
	{ O_ALL, "all", NULL, "the text report leaves nothing out: every launch, branch, block, line and "
		"figure" },
	{ O_ALL, "full", NULL, "the same as --all" },
	{ O_ANNOTATE, "annotate", "[=WHAT]", "also the source, line by line, with what each did; =code: the "
		"instructions as they ran, with what passes changed",
		"source code" },
	{ 't', "trace", "FILE", "record a trace of every launch (of each run, with -b and --grid)",
		"*.trace" },
	{ O_HTML, "html", "FILE", "a page for the browser that holds a trace of every launch and steps "
		"through it; with -b both runs, in step",
		"*.html" },
	{ O_FUNCTIONAL, "functional", NULL, "results and divergence statistics without timing" },
	{ O_SAMPLE, "sample", "[=PERCENT]", "time parts of large launches and estimate their cycles, until "
		"the truth is within so many percent with a probability of 95 % (default: 2); counts stay "
		"exact",
		",1 2 5" },
	{ O_SAMPLE_SEED, "sample-seed", "N", "with --sample: another choice of what is timed; default: 1" },
	{ O_REFERENCE, "reference", NULL, "run in the reference interpreter: results only" },
	{ O_ON, "on", "WHERE", "gpu: run MODULE, which is PTX, on this computer's GPU too, and compare "
		"results; gpu-alone: there only",
		"gpu gpu-alone" },
	{ O_LAUNCH_SECONDS, "launch-seconds", "N", "with --on: a launch on the GPU that takes longer ends "
		"the run; default: 2" },
	{ O_VERIFY, "verify", NULL, "compare results with the reference interpreter's; status 1 when they "
		"differ" },
	{ O_BISECT, "bisect", "N", "passes make their first N changes and no others; gsim-reduce --pass "
		"finds the first that makes results wrong" },
	{ O_EACH, "verify-each", NULL, "--verify, and a run in the reference interpreter after each pass: "
		"the first that changes results is named" },
	{ O_LAWS, "laws", NULL, "check the conservation laws after every launch; status 1 when one is "
		"broken" },
	{ O_RACES, "race-check", NULL, "look for races between blocks of a launch in global memory; status 1 "
		"when there is one" },
	{ O_RACE_LAUNCHES, "race-launches", NULL, "say of each launch whether its blocks depend on other "
		"blocks of the launch before it" },
	{ O_ALONE, "alone", NULL, "a livelock's or deadlock's report does not try the other mechanisms" },
	{ O_DISASSEMBLE, "disassemble", NULL, "show the machine code of every kernel, run nothing" },
	{ 'j', "threads", "N", "host threads; results do not depend on it" },
	{ O_WINDOW, "window", "N", "cycles that SMs run side by side, at most; results do not depend on it: "
		"a check of the simulator" },
	{ O_LIST, "list", "WHAT", "models, passes, configs, machines, parameters, statistics, operations, "
		"options; figures: --config's, and their sources; kernels: MODULE's, and which can run, "
		"or, without one, those that gsim finds by name; sizes: MODULE's arguments for each --size",
		"models passes configs machines parameters statistics operations options figures kernels "
		"sizes" },
	{ O_NEW, "new-workload", NULL, "show a first workload for a kernel: gsim --new-workload MODULE "
		"[KERNEL]" },
	{ O_PRINT, "print-config", NULL, "show the whole effective configuration as a machine file" },
	{ 'q', "quiet", NULL, "no report and no progress; errors stay" },
	{ 'v', "verbose", NULL, "tell of each run as it ends, and of each livelock and deadlock of a grid at "
		"length" },
	USAGE_USER_ROWS,
	{ O_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] MODULE [-- workload arguments]", NULL },
	{ "-b [options] A B [-- workload arguments]", "two modules, with one workload" },
	{ "--check-machine [options]", "what the machine itself does" },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "the run ended, and its results are right as far as they were checked" },
	{ "1", "the simulated program failed or results differ" },
	{ "2", "usage, bad input, or output that cannot be written" },
	{ "a signal", "it ended the program, with a report of what was measured so far" },
	{ NULL },
};
static const UsageText files[] = {
	{ "MODULE with .lua in place of its ending",
		"the workload, unless --workload names another" },
	{ "@DATADIR@/configs/*.lua", "machine files, found by their names" },
	{ "@DATADIR@/kernels/", "kernels with workloads, found by their names" },
	USAGE_USER_FILES,
	{ NULL },
};
static const UsageText environment[] = {
	{ "GSIM_PATH",
		"folders, with colons between, where machine files and kernels are looked for "
		"before the data directory" },
	USAGE_USER_ENVIRONMENT,
	{ NULL },
};
static const UsageText examples[] = {
	{ "gsim -c kepler.lua -b -p linearize kernel.ptx",
		"What does the pass linearize do to the kernel on this machine?" },
	{ "gsim -c volta.lua --grid -m ipdom -m its kernel.ptx",
		"Two mechanisms in one table." },
	{ "gsim -c volta.lua -D dram.latency=300 -s run.json kernel.ptx -- 1024",
		"One parameter changed; the report as JSON; the workload is told 1024." },
	{ "gsim -c volta.lua --html run.html kernel.ptx",
		"A page for the browser that steps through the run." },
	{ NULL },
};

const UsageProgram usage_gsim = {
	.name = "gsim",
	.does = "run a GPU kernel on a simulated machine and report what divergence costs",
	.form = forms,
	.about = "Runs a kernel module (.ir, .ptx or an ELF object) on a simulated GPU and "
		"reports what was measured.",
	.more = "The machine is a file of --config, the hardware mechanism that lets diverged "
		"threads meet again one of --model, and what a compiler could do about "
		"divergence a pipeline of --passes. The workload, a file in Lua, plays the host: "
		"it makes buffers, launches kernels and checks results.\n\n"
		"Results are those of "
		"the reference interpreter under every mechanism and after every pass; what "
		"differs is time. The report says where cycles and lanes went, by branch, by "
		"line and by reason.\n\n"
		"A module, a workload and a machine file may come from a "
		"stranger: they read and write nothing but what lies below the folder of the "
		"file that the user named.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.ir *.ptx *.gso @kernels",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim-compare(1), gsim-opt(1), gsim-sweep(1), gsim-trace(1), gsim-tune(1)",
};
