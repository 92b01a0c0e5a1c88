/* gsim-trace: what a recorded trace says, as text, table, time line or sums. */
#include "config.h"
#include "lib/output.h"
#include "tools/usage/trace.h"
#include "tools/user.h"
#include "traces/export.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_help(void)
{
	StrBuf s = { 0 };
	usage_help(&usage_trace, &s);
	output_puts(stdout, s.s);
	sb_free(&s);
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
	UserConfig user = { 0 };
	char letters[3 * USAGE_ROWS_MOST + 2];
	struct option options[USAGE_ROWS_MOST + 1];
	usage_tables(&usage_trace, letters, options);
	opterr = 0;
	for (int c; ok && (c = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
		if (usage_twice("gsim-trace", options, c, &given))
			return 2;
		if (user_option(&user, c, optarg))
			continue;
		switch (c) {
		case OPT_TEXT: x = &trace_text;
			two = usage_two_forms("gsim-trace", &form, "--text");
			break;
		case OPT_CSV: x = &trace_csv;
			two = usage_two_forms("gsim-trace", &form, "--csv");
			break;
		case OPT_PERFETTO: x = &trace_perfetto;
			two = usage_two_forms("gsim-trace", &form, "--perfetto");
			break;
		case OPT_SUMMARY: x = &trace_summary;
			two = usage_two_forms("gsim-trace", &form, "--summary");
			break;
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
	ok = ok && user_read(&user);
	user_free(&user);
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
