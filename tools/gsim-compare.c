/* gsim-compare A.json B.json: two reports side by side, every figure with its ratio. One file with before and after does too. */
#include "lib/file.h"
#include "sim/report.h"
#include <getopt.h>

enum { MAX_REPORT = 64 << 20, MAX_ROWS = 20000 };

static const char usage[] =
	"gsim-compare [options] A.json B.json      two reports of gsim --stats\n"
	"gsim-compare [options] BOTH.json          a report of gsim --before-after --stats\n"
	"  -b, --brief   a screen instead of every figure\n"
	"      --help    show this\n"
	"      --version show the version\n"
	"Status: 0; 2 usage or bad input.\n";

static const JsonValue *read_report(Arena *a, const char *path, Diag *diag)
{
	size_t n;
	const char *why;
	char *text = file_read(path, MAX_REPORT, &n, &why);
	if (!text) {
		diag_error(diag, (Loc){ path, 0, 0 }, "cannot read it: %s", why);
		return NULL;
	}
	const JsonValue *v = json_read(a, text, n, path, diag);
	free(text);
	return v;
}

/* A report, or what stands before / after in one of two. */
static const JsonValue *report_in(const JsonValue *v, const char *half, const char *path, Diag *diag)
{
	const JsonValue *r = json_get(v, half);
	if (!r)
		r = v;
	const JsonValue *total = json_get(r, "total"), *blocks = json_get(total, "blocks"), *branches = json_get(total, "branches");
	if ((blocks && blocks->n > MAX_ROWS) || (branches && branches->n > MAX_ROWS)) {
		diag_error(diag, (Loc){ path, 0, 0 }, "more than %d blocks or branches", MAX_ROWS);
		return NULL;
	}
	if (total && total->kind == JSON_OBJECT)
		return r;
	diag_error(diag, (Loc){ path, 0, 0 }, json_get(v, "runs") ? "this is a grid of runs; expected one report"
		: "this is no report of gsim: there is no \"total\"");
	return NULL;
}

static int compare(const char *path_a, const char *path_b, bool full)
{
	Arena a = { 0 };
	Diag diag = { 0 };
	StrBuf out = { 0 };
	const JsonValue *x = read_report(&a, path_a, &diag), *y = path_b ? read_report(&a, path_b, &diag) : x;
	if (x && !path_b && !json_get(x, "before")) {
		diag_error(&diag, (Loc){ path_a, 0, 0 }, "expected a second report to compare with");
		x = NULL;
	}
	x = x ? report_in(x, "before", path_a, &diag) : NULL;
	y = x && y ? report_in(y, "after", path_b ? path_b : path_a, &diag) : NULL;
	if (x && y) {
		report_compare(x, y, full, &out);
		fputs(out.s, stdout);
	}
	diag_print(&diag, stderr);
	sb_free(&out);
	diag_free(&diag);
	arena_free(&a);
	return x && y ? 0 : 2;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "brief", no_argument, NULL, 'b' }, { "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, { 0 }
	};
	bool full = true;
	int letter;
	while ((letter = getopt_long(argc, argv, "b", longs, NULL)) != -1) {
		if (letter == 'b') {
			full = false;
		} else if (letter == 'h') {
			fputs(usage, stdout);
			return 0;
		} else if (letter == 'V') {
			puts("gsim-compare " GSIM_VERSION);
			return 0;
		} else {
			return 2;
		}
	}
	if (argc - optind < 1 || argc - optind > 2) {
		fprintf(stderr, "error: expected one or two reports; see gsim-compare --help\n");
		return 2;
	}
	return compare(argv[optind], optind + 1 < argc ? argv[optind + 1] : NULL, full);
}
