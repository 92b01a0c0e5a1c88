/* gsim-trace: what a recorded trace says, as text, table, time line or sums. */
#include "config.h"
#include "lib/output.h"
#include "tools/usage.h"
#include "traces/export.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { OPT_KERNEL = 256, OPT_SM, OPT_WARP, OPT_CYCLES, OPT_EVENTS, OPT_LAUNCH, OPT_STACK, OPT_HTML,
	OPT_SOURCE, OPT_VERSION };

static const struct option options[] = {
	{ "text", no_argument, NULL, 't' }, { "csv", no_argument, NULL, 'c' },
	{ "perfetto", no_argument, NULL, 'p' },
	{ "summary", no_argument, NULL, 's' }, { "output", required_argument, NULL, 'o' },
	{ "html", no_argument, NULL, OPT_HTML }, { "source", required_argument, NULL, OPT_SOURCE },
	{ "stack", required_argument, NULL, OPT_STACK }, { "launch", required_argument, NULL, OPT_LAUNCH },
	{ "kernel", required_argument, NULL, OPT_KERNEL }, { "sm", required_argument, NULL, OPT_SM },
	{ "warp", required_argument, NULL, OPT_WARP }, { "cycles", required_argument, NULL, OPT_CYCLES },
	{ "events", required_argument, NULL, OPT_EVENTS }, { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION }, { NULL, 0, NULL, 0 }
};

static const char help[] =
	"usage: gsim-trace [options] FILE\n"
	"  -t, --text            one event a line (default)\n"
	"  -c, --csv             comma-separated values\n"
	"  -p, --perfetto        JSON for ui.perfetto.dev and chrome://tracing\n"
	"  -s, --summary         sums of each launch, as the report of the run counts them\n"
	"      --stack CYCLE     what the mechanism holds for each warp at the end of that cycle: stack, "
	"splits, barriers\n"
	"      --html            a page for the browser that holds the trace and steps through it; of two "
	"traces: side by side, in step\n"
	"      --source DIR      the folder where --html reads the sources that it shows, and below; without "
	"it there are none\n"
	"  -o, --output FILE     write there instead of to standard output\n"
	"      --launch N        only this launch, counted from 0\n"
	"      --kernel NAME     only launches of this kernel\n"
	"      --sm N            only this SM\n"
	"      --warp N          only this warp of each SM\n"
	"      --cycles A:B      only cycles A to B; either may be left out\n"
	"      --events LIST     only these kinds, or all; by default --text and --csv show those of the "
	"first two lines:\n"
	"                        ";

static void print_help(void)
{
	fputs(help, stdout);
	for (int k = 0; k < TR_COUNT; k++)
		printf("%s%s", k == 0 ? "" : k % 6 == 0 ? ",\n                        " : ",",
			trace_kind_name[k]);
	puts("\n  -h, --help            this text\n      --version         the version\n"
		"Exit status: 0, or 2 after a wrong argument or a damaged trace.");
}

static bool number(const char *s, const char *end, uint64_t most, uint64_t *out)
{
	uint64_t v = 0;
	if (s == end)
		return false;
	for (; s < end; s++) {
		if (*s < '0' || *s > '9' || v > (UINT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (uint64_t)(*s - '0');
	}
	*out = v;
	return v <= most;
}

static bool parse_index(const char *option, const char *s, int *out, Diag *d)
{
	uint64_t v;
	if (!number(s, s + strlen(s), UINT16_MAX, &v)) {
		diag_error(d, (Loc){ 0 }, "%s: expected a number from 0 to 65535, found '%s'", option, s);
		return false;
	}
	*out = (int)v;
	return true;
}

static bool parse_long(const char *option, const char *s, uint64_t most, uint64_t *out, Diag *d)
{
	if (number(s, s + strlen(s), most, out))
		return true;
	diag_error(d, (Loc){ 0 }, "%s: expected a number, found '%s'", option, s);
	return false;
}

static bool parse_cycles(const char *s, TraceFilter *f, Diag *d)
{
	const char *colon = strchr(s, ':'), *end = s + strlen(s);
	const char *first_end = colon ? colon : end, *last = colon ? colon + 1 : s;
	bool ok = (colon == s || number(s, first_end, UINT64_MAX, &f->from))
		&& ((colon && last == end) || number(last, end, UINT64_MAX, &f->to)) && f->from <= f->to;
	if (!ok)
		diag_error(d, (Loc){ 0 }, "--cycles: expected A:B with A <= B, found '%s'", s);
	return ok;
}

static bool parse_events(const char *s, TraceFilter *f, Diag *d)
{
	f->kinds = 0;
	if (!strcmp(s, "all")) {
		f->kinds = TRACE_EVERYTHING.kinds;
		return true;
	}
	for (;;) {
		size_t n = strcspn(s, ",");
		int k = trace_kind(s, n);
		if (k < 0) {
			diag_error(d, (Loc){ 0 }, "--events: there is no kind of event '%.*s'; --help lists "
				"them", (int)n, s);
			return false;
		}
		f->kinds |= 1u << k;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

/* other: the last option given that says which events to show, filter: which launches, SMs and warps; or
   NULL. */
static bool arguments(bool stack, bool html, const char *other, const char *filter, int traces, Diag *d)
{
	int most = html ? TRACE_HTML_MOST : 1;
	if (traces < 1 || traces > most)
		diag_error(d, (Loc){ 0 }, "expected %s, found %d arguments; gsim-trace --help says more",
			html ? "one or two traces" : "one trace", traces);
	if (stack && other)
		diag_error(d, (Loc){ 0 }, "--stack shows the state at one cycle and no events; %s cannot "
			"stand beside it", other);
	if (html && (other || filter))
		diag_error(d, (Loc){ 0 }, "--html holds the whole trace, and the page filters; %s cannot "
			"stand beside it", other ? other : filter);
	return !d->errors;
}

/* x: NULL for the state at the cycle. */
static bool export(const char *path, const char *output, const TraceExporter *x, uint64_t cycle,
	const TraceFilter *f, Diag *d)
{
	TraceReader *r = trace_open(path, d);
	if (!r)
		return false;
	FILE *out = output ? fopen(output, "w") : stdout;
	bool ok = out;
	if (!out)
		diag_error(d, (Loc){ output, 0, 0 }, "cannot write: %s", strerror(errno));
	else
		ok = x ? trace_export(r, x, f, out, d) : trace_stack(r, f, cycle, out, d);
	if (output && out && (ferror(out) | fclose(out))) {
		diag_error(d, (Loc){ output, 0, 0 }, "cannot write: %s", strerror(errno));
		ok = false;
	}
	trace_reader_free(r);
	return ok;
}

static int program(int argc, char **argv)
{
	Diag d = { 0 };
	const TraceExporter *x = &trace_text;
	TraceFilter f = TRACE_EVERYTHING;
	const char *output = NULL, *form = NULL, *other = NULL, *filter = NULL, *source = NULL;
	uint64_t cycle = 0, launch, given = 0;
	bool ok = true, kinds = false, stack = false, html = false, two = false;
	opterr = 0;
	for (int c; ok && (c = getopt_long(argc, argv, ":tcpso:h", options, NULL)) != -1;) {
		if (usage_twice("gsim-trace", options, c, &given))
			return 2;
		switch (c) {
		case 't': x = &trace_text; two = usage_two_forms("gsim-trace", &form, "--text"); break;
		case 'c': x = &trace_csv; two = usage_two_forms("gsim-trace", &form, "--csv"); break;
		case 'p': x = &trace_perfetto; two = usage_two_forms("gsim-trace", &form, "--perfetto");
			break;
		case 's': x = &trace_summary; two = usage_two_forms("gsim-trace", &form, "--summary"); break;
		case 'o': output = optarg; break;
		case OPT_HTML: html = true; two = usage_two_forms("gsim-trace", &form, "--html"); break;
		case OPT_SOURCE: source = optarg; ok = usage_folder("--source", source); break;
		case OPT_STACK:
			stack = true;
			two = usage_two_forms("gsim-trace", &form, "--stack");
			ok = parse_long("--stack", optarg, UINT64_MAX, &cycle, &d);
			break;
		case OPT_LAUNCH:
			filter = "--launch";
			ok = parse_long("--launch", optarg, INT64_MAX, &launch, &d);
			f.launch = (int64_t)launch;
			break;
		case OPT_KERNEL: filter = "--kernel"; f.kernel = optarg; break;
		case OPT_SM: filter = "--sm"; ok = parse_index("--sm", optarg, &f.sm, &d); break;
		case OPT_WARP: filter = "--warp"; ok = parse_index("--warp", optarg, &f.warp, &d); break;
		case OPT_CYCLES: other = "--cycles"; ok = parse_cycles(optarg, &f, &d); break;
		case OPT_EVENTS: other = "--events"; ok = kinds = parse_events(optarg, &f, &d); break;
		case 'h': print_help(); return 0;
		case OPT_VERSION: puts("gsim-trace (" PACKAGE_NAME ") " PACKAGE_VERSION); return 0;
		default: return usage_option("gsim-trace", argv, options, c);
		}
		if (two)
			return 2;
	}
	ok = ok && arguments(stack, html, other, filter, argc - optind, &d);
	if (!kinds && (x == &trace_text || x == &trace_csv))
		f.kinds = TRACE_PLAIN_KINDS;
	if (ok && html) {
		SourceRoot sources = source_root(&d.arena, NULL, source);
		ok = trace_html_file((const char *const *)argv + optind, (const char *const *)argv + optind,
			argc - optind, &sources, output, &d);
	} else if (ok) {
		ok = export(argv[optind], output, stack ? NULL : x, cycle, &f, &d);
	}
	diag_print(&d, stderr);
	diag_free(&d);
	return ok ? 0 : 2;
}

int main(int argc, char **argv) { return output_end(program(argc, argv)); }
