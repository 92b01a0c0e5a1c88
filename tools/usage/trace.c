/* The command line of gsim-trace, and what its manual says. */
#include "tools/usage/trace.h"
#include "traces/trace.h"

/* kinds of events, with blanks between */
#define X(ID, NAME, HELP) NAME " "
#define TRACE_WORDS TRACE_EVENTS(X)

static const UsageRow rows[] = {
	{ OPT_TEXT, "text", NULL, "one event a line (default)" },
	{ OPT_CSV, "csv", NULL, "comma-separated values" },
	{ OPT_PERFETTO, "perfetto", NULL, "JSON for ui.perfetto.dev and chrome://tracing" },
	{ OPT_SUMMARY, "summary", NULL, "sums of each launch, as the report of the run counts them" },
	{ OPT_STACK, "stack", "CYCLE", "what the mechanism holds for each warp at the end of that cycle: "
		"stack, splits, barriers" },
	{ OPT_HTML, "html", NULL, "a page for the browser that holds the trace and steps through it; of two "
		"traces: side by side, in step" },
	{ OPT_SOURCE, "source", "DIR", "the folder where --html reads the sources that it shows, and below; "
		"without it there are none" },
	{ 'o', "output", "FILE", "write there instead of to standard output" },
	{ OPT_LAUNCH, "launch", "N", "only this launch, counted from 0" },
	{ OPT_KERNEL, "kernel", "NAME", "only launches of this kernel" },
	{ OPT_SM, "sm", "N", "only this SM" },
	{ OPT_WARP, "warp", "N", "only this warp of each SM" },
	{ OPT_CYCLES, "cycles", "A:B", "only cycles A to B; either may be left out" },
	{ OPT_EVENTS, "events", "LIST", "only these kinds, with commas between, or all; by default "
		"--text and "
		"--csv show those up to exit: " TRACE_WORDS, ",all " TRACE_WORDS },
	USAGE_USER_ROWS,
	{ OPT_VERSION, "version", NULL, "show the version" },
	{ 'h', "help", NULL, "show this" },
};

static const UsageText forms[] = {
	{ "[options] FILE", NULL },
	{ "--html [options] A B", "a page of two traces" },
	{ NULL },
};
static const UsageText statuses[] = {
	{ "0", "" },
	{ "2", "a wrong argument or a damaged trace" },
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
	{ "gsim-trace --summary run.trace", "Sums of each launch." },
	{ "gsim-trace --stack 1200 --warp 0 run.trace",
		"What the mechanism holds for warp 0 at cycle 1200." },
	{ "gsim-trace --html -o both.html before.trace after.trace",
		"Two runs side by side." },
	{ NULL },
};

const UsageProgram usage_trace = {
	.name = "gsim-trace",
	.does = "show what a trace of gsim says",
	.form = forms,
	.about = "Shows a trace, which gsim --trace has recorded, as text, a table, a time line "
		"or a page.",
	.row = rows,
	.nrows = sizeof rows / sizeof *rows,
	.operands = "*.trace",
	.status = statuses,
	.files = files,
	.environment = environment,
	.examples = examples,
	.see = "gsim(1)",
};
