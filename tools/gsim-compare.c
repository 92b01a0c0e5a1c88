/* gsim-compare A.json B.json ...: reports side by side, what differs between the runs first, then every
   figure with its ratio; with --fail-if a gate. */
#include "lib/file.h"
#include "lib/output.h"
#include "sim/report/condition.h"
#include "sim/report/many.h"
#include "sim/report/sheet.h"
#include "tools/usage/compare.h"
#include "tools/user.h"

enum { MAX_REPORT = 1 << 30, MAX_RUNS = 4096 };

typedef struct Compare {
	Arena arena;
	UserConfig user;
	Diag diag;
	const char *path[2];           /* path[1] NULL: one file */
	int npaths; char **paths;      /* all files */
	const char *row[2];            /* of what has several runs; NULL: none is picked */
	ReportForm form;
	Annotate annotate;
	const char *source;            /* of --source; NULL: none is read */
	Vec(Condition) condition;
	Vec(GridPair) pair;                /* what was compared */
	bool named;                    /* they are runs of grids */
	/* pairs of runs that have ended well, whose results differ, are not known to be equal or not, and
	   are equal, but of which not all was compared */
	int differ, unknown, partly;
	bool allow_unknown;            /* of --allow-unknown */
	const char *by;                /* of --by; NULL: it is not given */
	const char *export;            /* --csv or --json; NULL: text */
	PlaceKind by_kind; int by_figure;
	Many many;                     /* the runs, where they are many */
} Compare;

static const JsonValue *read_report(Compare *c, const char *path)
{
	size_t n;
	const char *why;
	char *text = file_read(path, MAX_REPORT, &n, &why);
	if (!text) {
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "cannot read it: %s", why);
		return NULL;
	}
	const JsonValue *v = json_read(&c->arena, text, n, path, &c->diag);
	const JsonValue *version = v ? json_get(v, "schema_version") : NULL;
	if (version && (version->kind != JSON_NUMBER || version->number > REPORT_SCHEMA))
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "the report is of a newer gsim: expected "
			"schema_version %d or less", REPORT_SCHEMA);
	free(text);
	return c->diag.errors ? NULL : v;
}

static bool is_report(const JsonValue *v)
{
	const JsonValue *total = json_get(v, "total");
	return total && total->kind == JSON_OBJECT;
}

static bool is_both(const JsonValue *v)
{
	return is_report(json_get(v, "before")) && is_report(json_get(v, "after"));
}

/* The runs before and after of each mechanism. */
static const JsonValue *runs_of_comparisons(Compare *c, const JsonValue *list, const char *path)
{
	JsonValue *runs = arena_new(&c->arena, JsonValue);
	*runs = (JsonValue){ .kind = JSON_ARRAY, .n = 2 * list->n,
		.item = arena_array(&c->arena, JsonValue, 2 * list->n + 1) };
	for (int i = 0; i < list->n; i++) {
		if (!is_both(&list->item[i])) {
			diag_error(&c->diag, (Loc){ path, 0, 0 }, "comparison %d has no reports before and "
				"after", i + 1);
			return NULL;
		}
		runs->item[2 * i] = *json_get(&list->item[i], "before");
		runs->item[2 * i + 1] = *json_get(&list->item[i], "after");
	}
	return runs;
}

/* The comparisons of two modules under several mechanisms; NULL: these are none. */
static const JsonValue *comparisons_in(const JsonValue *v)
{
	const JsonValue *list = json_get(v, "comparisons");
	return list && list->kind == JSON_ARRAY && list->n && list->n <= MAX_RUNS / 2 ? list : NULL;
}

/* The runs of a grid, or the two of --before-after as a list; NULL: there is one alone, or none. */
static const JsonValue *runs_of(Compare *c, const JsonValue *v, const char *path)
{
	const JsonValue *runs = json_get(v, "runs");
	if (runs && runs->kind == JSON_ARRAY && runs->n > MAX_RUNS)
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "more than %d runs", MAX_RUNS);
	if (runs && runs->kind == JSON_ARRAY)
		return runs;
	if (comparisons_in(v))
		return runs_of_comparisons(c, comparisons_in(v), path);
	if (!is_both(v))
		return NULL;
	JsonValue *list = arena_new(&c->arena, JsonValue);
	*list = (JsonValue){ .kind = JSON_ARRAY, .n = 2, .item = arena_array(&c->arena, JsonValue, 2) };
	list->item[0] = *json_get(v, "before");
	list->item[1] = *json_get(v, "after");
	return list;
}

/* ---- one run of several ---- */

/* The run that --rows names: before or after, by its number, else the first of that mechanism, with or
   without its parameters. */
static const JsonValue *pick(Compare *c, const JsonValue *v, const JsonValue *runs, const char *row,
	const char *path)
{
	char *end;
	long k = strtol(row, &end, 10);
	if (is_both(v) && (!strcmp(row, "before") || !strcmp(row, "after")))
		return json_get(v, row);
	if (*row && !*end && k >= 1 && k <= runs->n)
		return &runs->item[k - 1];
	for (int i = 0; i < runs->n; i++) {
		const char *model = json_string(&runs->item[i], "model");
		if (!strcmp(model, row) || (strcspn(model, "(") == strlen(row) &&
			!strncmp(model, row, strlen(row))))
			return &runs->item[i];
	}
	if (is_both(v))
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "there is no run '%s': this is a report of "
			"--before-after; expected before or after", row);
	else
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "the grid has no run '%s': it has %d, which --rows "
			"takes by number or mechanism", row, runs->n);
	return NULL;
}

/* The report that is to be compared: the file's only one, or the one that the row names. */
static const JsonValue *report_in(Compare *c, const JsonValue *v, const char *row, const char *path)
{
	const JsonValue *runs = runs_of(c, v, path), *r = v;
	if (c->diag.errors)
		return NULL;
	if (runs && !row && is_both(v))
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "this is a report of --before-after, the other of "
			"one run: --rows before or --rows after picks one");
	else if (runs && !row)
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "this is a grid of %d runs, the other a report of "
			"one: --rows picks one", runs->n);
	else if (runs && (r = pick(c, v, runs, row, path)) && !is_report(r))
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "the run '%s' of the grid could not begin: %.200s",
			row, json_string(r, "error"));
	else if (!runs && !is_report(r))
		diag_error(&c->diag, (Loc){ path, 0, 0 }, "this is no report of gsim: there is no \"total\"");
	return c->diag.errors ? NULL : r;
}

/* ---- what is compared with what ---- */

/* Counts what is known of the results of two runs, as long as both have ended well. */
static void note_results(Compare *c, const JsonValue *a, const JsonValue *b, const char *results,
	const RunCompared *compared)
{
	Arena names = { 0 };
	bool well = a && b && !*run_outcome(&names, a) && !*run_outcome(&names, b);
	c->differ += !strcmp(results, "differ");
	c->unknown += well && (!*results || !strcmp(results, "unknown"));
	c->partly += well && !strcmp(results, "equal") && report_left_out(compared) > 0;
	arena_free(&names);
}

/* Two reports with the comparison of their results; both NULL: that is made of the reports. */
static void two_runs(Compare *c, const JsonValue *a, const JsonValue *b, const JsonValue *both, StrBuf *out)
{
	both = both ? both : report_both(&c->arena, a, b);
	report_compare(a, b, both, c->form, out);
	vec_push(&c->pair, ((GridPair){ { a, b }, NULL }));
	RunCompared compared = report_read_compared(both);
	note_results(c, a, b, report_results_of(both), &compared);
}

static void two_reports(Compare *c, const JsonValue *x, const JsonValue *y, StrBuf *out)
{
	const char *second = c->path[1] ? c->path[1] : c->path[0];
	const JsonValue *a = report_in(c, x, c->row[0], c->path[0]);
	const JsonValue *b = a ? report_in(c, y, c->row[1], second) : NULL;
	if (b)
		two_runs(c, a, b, NULL, out);
}

/* The runs before and after of two modules may have one mechanism and passes: their side tells them apart. */
static void name_modules(Compare *c, Pairs *pairs, const JsonValue *a, const JsonValue *b)
{
	const bool several = comparisons_in(a) || comparisons_in(b);
	bool named = (is_both(a) || comparisons_in(a)) && (is_both(b) || comparisons_in(b));
	for (int i = 0; i < pairs->n && named; i++)
		named = pairs->v[i].of[0] && pairs->v[i].of[1];
	if (!named || pairs->n < 2 || strcmp(run_passes(pairs->v[0].of[0]), run_passes(pairs->v[1].of[0])))
		return;
	for (int i = 0; i < pairs->n; i++) {
		const char *side = i % 2 ? "the runs after" : "the runs before";
		pairs->v[i].name = several ? arena_printf(&c->arena, "%s under %s", side,
			json_string(pairs->v[i].of[0], "model")) : side;
	}
}

/* Says that a report of two runs, or of two for each mechanism, has itself found results that differ. */
static void tell_differ_in(Compare *c, const JsonValue *file, const char *which, StrBuf *out)
{
	const JsonValue *list = comparisons_in(file);
	for (int i = 0; i < (list ? list->n : is_both(file)); i++) {
		const JsonValue *both = list ? &list->item[i] : file;
		if (strcmp(report_results_of(both), "differ"))
			continue;
		sheet_line(out, c->form, arena_printf(&c->arena, "RESULTS DIFFER in the report %s%s%s: its "
			"run after has others than its run before", which, list ? " under " : "",
			list ? json_string(json_get(both, "before"), "model") : ""));
		c->differ++;
	}
}

static void two_grids(Compare *c, const JsonValue *a, const JsonValue *b, const JsonValue *before,
	const JsonValue *after, StrBuf *out)
{
	Pairs pairs = pairs_of(a, b);
	tell_differ_in(c, before, "before", out);
	tell_differ_in(c, after, "after", out);
	name_modules(c, &pairs, before, after);
	report_compare_pairs(&pairs, c->form, out);
	for (int i = 0; i < pairs.n; i++) {
		RunCompared compared;
		const JsonValue *const *of = pairs.v[i].of;
		vec_push(&c->pair, pairs.v[i]);
		if (of[0] && of[1])
			note_results(c, of[0], of[1], report_compare_results(of[0], of[1], &compared),
				&compared);
	}
	c->named = true;
	if (is_both(before) && is_both(after) && !(pairs.v[1].of[0] && pairs.v[1].of[1]))
		output_puts(stderr, "the runs after have different passes or mechanisms; --rows after "
			"compares them\n");
	vec_free(&pairs);
}

/* Two modules under several mechanisms, as gsim -b A B wrote them. */
static void show_comparisons(Compare *c, const JsonValue *list, StrBuf *out)
{
	report_comparisons(list, c->form, out);
	for (int i = 0; i < list->n; i++) {
		const JsonValue *both = &list->item[i], *before = json_get(both, "before");
		vec_push(&c->pair, ((GridPair){ { before, json_get(both, "after") },
			json_string(before, "model") }));
		RunCompared compared = report_read_compared(both);
		note_results(c, before, json_get(both, "after"), report_results_of(both), &compared);
	}
}

static void one_file(Compare *c, const JsonValue *x, StrBuf *out)
{
	const JsonValue *comparisons = json_get(x, "comparisons");
	const JsonValue *runs = runs_of(c, x, c->path[0]);
	if (c->diag.errors)
		return;
	if (is_both(x))
		two_runs(c, json_get(x, "before"), json_get(x, "after"), x, out);
	else if (comparisons && comparisons->kind == JSON_ARRAY && comparisons->n)
		show_comparisons(c, comparisons, out);
	else if (runs && c->condition.n)
		diag_error(&c->diag, (Loc){ c->path[0], 0, 0 },
			"--fail-if compares runs: expected a second report, or --rows for two runs of this "
			"grid");
	else if (runs)
		report_grid_text(runs, c->form, out);
	else
		diag_error(&c->diag, (Loc){ c->path[0], 0, 0 },
			is_report(x) ? "expected a second report to compare with"
			: "this is no report of gsim: there is no \"total\"");
}

static void compare(Compare *c, StrBuf *out)
{
	const JsonValue *x = read_report(c, c->path[0]),
		*y = x && c->path[1] ? read_report(c, c->path[1]) : x;
	if (!x || !y)
		return;
	const JsonValue *grid = runs_of(c, x, c->path[0]),
		*other = runs_of(c, y, c->path[1] ? c->path[1] : c->path[0]);
	if (c->diag.errors)
		return;
	if (c->row[0] && !c->row[1] && !c->path[1]) {
		diag_error(&c->diag, (Loc){ c->path[0], 0, 0 },
			"--rows: expected two runs of the file, as in 1,2 or ipdom,token");
	} else if (c->row[0]) {
		if (!c->row[1])
			c->row[1] = c->row[0];
		if (!grid && !other)
			diag_error(&c->diag, (Loc){ c->path[0], 0, 0 },
				"--rows is for grids and reports of --before-after; this is a report of one "
				"run");
		else
			two_reports(c, x, y, out);
	} else if (!c->path[1]) {
		one_file(c, x, out);
	} else if (grid && other) {
		two_grids(c, grid, other, x, y, out);
	} else {
		two_reports(c, x, y, out);
	}
}

/* ---- many runs ---- */

/* Each run of each file beside the first. */
static void compare_many(Compare *c, StrBuf *out)
{
	for (int i = 0; i < c->npaths; i++) {
		const JsonValue *v = read_report(c, c->paths[i]);
		if (v && !many_add_file(&c->many, v, c->paths[i]))
			diag_error(&c->diag, (Loc){ c->paths[i], 0, 0 },
				"this is no report of gsim: there is no \"total\"");
		if (c->many.run.n > MANY_MOST)
			diag_error(&c->diag, (Loc){ c->paths[i], 0, 0 }, "more than %d runs to compare",
				MANY_MOST);
		if (c->diag.errors)
			return;
	}
	many_settle(&c->many);
	for (int i = 1; i < c->many.run.n; i++) {
		const ManyRun *r = &c->many.run.v[i];
		vec_push(&c->pair, ((GridPair){ { c->many.run.v[0].report, r->report }, r->name }));
	}
	if (c->export)
		(!strcmp(c->export, "--csv") ? many_csv : many_json)(&c->many, out);
	else if (c->by)
		many_text_by(&c->many, c->by_kind, c->by_figure, c->form, out);
	else
		many_text(&c->many, c->form, out);
}

/* What --fail-if says of runs whose results are not the baseline's, or not known to be. */
static void tell_results(Compare *c, StrBuf *said)
{
	if (c->differ)
		sb_puts(said, "results differ\n");
	for (int i = 1; i < c->many.run.n; i++) {
		const ManyRun *r = &c->many.run.v[i];
		if (!strcmp(r->results, "differ"))
			sb_printf(said, "%s: results differ from the baseline's\n", r->name);
		note_results(c, c->many.run.v[0].report, r->report, r->results, &r->compared);
	}
	if (c->partly)
		sb_printf(said, "results are equal where they were compared, which was not in all buffers, "
			"in %d comparison%s\n", c->partly, c->partly == 1 ? "" : "s");
	if (c->unknown)
		sb_printf(said, "%sresults are not known to be equal in %d comparison%s%s\n",
			c->allow_unknown ? "" : "error: ", c->unknown, c->unknown == 1 ? "" : "s",
			c->allow_unknown ? "" : ", so that a good figure says nothing; --allow-unknown "
			"judges figures alone");
}

/* Says on standard error what came of --fail-if; an exit status. */
static int judge(Compare *c)
{
	StrBuf said = { 0 };
	Judgement sum = conditions_judge(c->condition.v, c->condition.n, c->pair.v, c->pair.n, c->named,
		&said);
	tell_results(c, &said);
	output_puts(stderr, said.s);
	output_printf(stderr, "--fail-if: %d of %d comparison%s", sum.holds, sum.judged,
		sum.judged == 1 ? " holds" : "s hold");
	if (sum.failed)
		output_printf(stderr, "; %d run%s failed", sum.failed, sum.failed == 1 ? "" : "s");
	if (sum.open)
		output_printf(stderr, "; %d could not be made", sum.open);
	fputs("\n", stderr);
	sb_free(&said);
	bool bad = sum.holds || sum.failed || c->differ;
	return sum.open ? 2 : bad ? 1 : c->unknown && !c->allow_unknown ? 2 : 0;
}

/* ---- the command line ---- */

static int wrong(const char *what) { return usage_wrong("gsim-compare", what, ""); }

/* "A,B", or "A" for both files: a mechanism's parameters may have commas of their own. */
static bool parse_rows(Compare *c, const char *text)
{
	int depth = 0;
	for (const char *p = text; *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (*p != ',' || depth)
			continue;
		c->row[0] = arena_strndup(&c->arena, text, (size_t)(p - text));
		c->row[1] = p + 1;
		return *c->row[0] && *c->row[1];
	}
	c->row[0] = text;
	return *text;
}

static bool parse_condition(Compare *c, const char *text)
{
	Condition condition;
	const char *error;
	int column;
	bool good = condition_parse(&c->arena, text, &condition, &error, &column);
	if (good) {
		vec_push(&c->condition, condition);
	} else {
		const char *rest = text + column - 1;
		output_printf(stderr, "error: --fail-if '%s', column %d: expected %s%s%s%s; see gsim-compare "
			"--help\n", text, column, error, *rest ? ", not '" : "", rest, *rest ? "'" : "");
	}
	return good;
}

/* Are the runs shown in a column each? Two reports have a verdict and figures that are better or worse. */
static bool is_many(const Compare *c) { return c->npaths > 2 || c->by || c->export; }

/* What does not go together, or NULL. */
static const char *wrong_together(const Compare *c)
{
	return c->export && c->form.markdown ? "--markdown is text; --csv and --json are not"
		: c->export && c->by ? "--by is a table of the text; --csv and --json have all figures"
		: is_many(c) && c->row[0] ? "--rows is for one or two reports, not for many, --by, --csv or "
		"--json"
		: is_many(c) && c->annotate ? "--annotate is for one or two reports, not for many, --by, "
		"--csv or --json" : NULL;
}

static void show_help(void)
{
	StrBuf s = { 0 };
	usage_help(&usage_compare, &s);
	output_puts(stdout, s.s);
	sb_free(&s);
}

/* The exit status when there is nothing to compare, else -1. */
static int options(Compare *c, int argc, char **argv)
{
	char letters[3 * USAGE_ROWS_MOST + 2];
	struct option longs[USAGE_ROWS_MOST + 1];
	int letter;
	uint64_t given = 0;
	const char *form = NULL;
	usage_tables(&usage_compare, letters, longs);
	opterr = 0;
	while ((letter = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (letter != 'f' && usage_twice("gsim-compare", longs, letter, &given))
			return 2;
		if (user_option(&c->user, letter, optarg))
			continue;
		switch (letter) {
		case OPT_BRIEF: case 'a':
			if (usage_two_forms("gsim-compare", &form, letter == 'a' ? "--all" : "--brief"))
				return 2;
			c->form.full = letter == 'a';
			break;
		case OPT_ROWS:
			if (!parse_rows(c, optarg))
				return wrong("--rows: expected runs, as in 1,2 or ipdom,token");
			break;
		case OPT_MARKDOWN: c->form.markdown = true; break;
		case OPT_CSV: case OPT_JSON:
			if (usage_two_forms("gsim-compare", &c->export, letter == OPT_CSV ? "--csv"
				: "--json"))
				return 2;
			break;
		case OPT_BY:
			if (!many_by_named(c->by = optarg, &c->by_kind, &c->by_figure))
				return usage_wrong("gsim-compare", "--by: expected " MANY_BY ", not ",
					optarg);
			break;
		case 'f':
			if (!parse_condition(c, optarg))
				return 2;
			break;
		case OPT_ALLOW_UNKNOWN: c->allow_unknown = true; break;
		case OPT_ANNOTATE:
			c->annotate = annotate_named(optarg);
			if (c->annotate == ANNOTATE_NONE)
				return usage_wrong("gsim-compare", "--annotate: expected source or code, "
					"not ", optarg);
			break;
		case OPT_SOURCE:
			if (!usage_folder("--source", c->source = optarg))
				return 2;
			break;
		case 'h': show_help(); return 0;
		case OPT_VERSION: puts("gsim-compare " GSIM_RELEASE); return 0;
		default: return usage_option("gsim-compare", argv, longs, letter);
		}
	}
	if (!user_read(&c->user))
		return 2;
	c->npaths = argc - optind;
	c->paths = argv + optind;
	if (c->npaths < 1)
		return wrong("expected one or more reports");
	if (c->allow_unknown && !c->condition.n)
		return wrong("--allow-unknown goes with --fail-if");
	if (wrong_together(c))
		return wrong(wrong_together(c));
	c->path[0] = argv[optind];
	c->path[1] = optind + 1 < argc ? argv[optind + 1] : NULL;
	return -1;
}

static void annotate(Compare *c, StrBuf *out)
{
	if (!c->annotate || c->diag.errors)
		return;
	if (c->pair.n != 1 || !c->pair.v[0].of[0] || !c->pair.v[0].of[1]) {
		diag_error(&c->diag, (Loc){ c->path[0], 0, 0 },
			c->pair.n > 1 ? "--annotate shows two runs beside each other, and these are %d "
			"pairs: --rows picks one" : "--annotate shows two runs beside each other: --rows "
			"picks them", c->pair.n);
		return;
	}
	SourceRoot sources = source_root(&c->arena, NULL, c->source);
	if (c->form.markdown)
		sb_puts(out, "\n```\n");
	report_annotate(c->pair.v[0].of[0], c->pair.v[0].of[1], c->annotate, &sources, out);
	if (c->form.markdown)
		sb_puts(out, "```\n");
}

static int program(int argc, char **argv)
{
	Compare c = { .form = { .full = true } };
	StrBuf out = { 0 };
	int status = options(&c, argc, argv);
	if (status < 0) {
		if (is_many(&c))
			compare_many(&c, &out);
		else
			compare(&c, &out);
		if (!is_many(&c))
			annotate(&c, &out);
		output_report(stdout, out.s);
		fflush(stdout);
		diag_print(&c.diag, stderr);
		status = c.diag.errors ? 2 : c.condition.n ? judge(&c) : 0;
	}
	sb_free(&out);
	vec_free(&c.condition);
	vec_free(&c.pair);
	diag_free(&c.diag);
	many_free(&c.many);
	user_free(&c.user);
	arena_free(&c.arena);
	return status;
}

int main(int argc, char **argv) { return output_end(program(argc, argv)); }
