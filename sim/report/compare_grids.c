/* Two grids: what differs between their runs, and a row for each run. */
#include "sim/report/compare.h"
#include "sim/report/differ.h"
#include "sim/report/filled.h"
#include "sim/report/pairs.h"

enum { LONGEST_MODEL = 36, LONGEST_PASSES = 24 };

/* The figures of a run. NULL: the run has failed, so that its figures are only those of a part of it. */
static const JsonValue *completed_total(const JsonValue *run)
{
	Arena a = { 0 };
	bool well = !*run_outcome(&a, run);
	arena_free(&a);
	return well ? json_get(run, "total") : NULL;
}

/* The figure by which runs are compared: cycles; where no run has timing, warp instructions. */
static const char *measure(const Pairs *pairs)
{
	for (int i = 0; i < pairs->n; i++)
		for (int k = 0; k < 2; k++)
			if (json_is_number(json_get(completed_total(pairs->v[i].of[k]), "cycles")))
				return "cycles";
	return "warp_instructions";
}

static const char *figure_words(const char *figure)
{
	return strcmp(figure, "cycles") ? "warp instructions" : figure;
}

/* Puts the verdict: in how many of the runs that both grids have the figure is less, in how many it is more,
   and in how many it is the same. */
static void put_tally(const Pairs *pairs, ReportForm form, StrBuf *out)
{
	int less = 0, more = 0, same = 0;
	const char *figure = measure(pairs), *strong = form.markdown ? "**" : "";
	for (int i = 0; i < pairs->n; i++) {
		const GridPair *p = &pairs->v[i];
		const JsonValue *x = json_get(completed_total(p->of[0]), figure),
			*y = json_get(completed_total(p->of[1]), figure);
		if (!json_is_number(x) || !json_is_number(y))
			continue;
		less += y->number < x->number;
		more += y->number > x->number;
		same += y->number == x->number;
	}
	int n = less + more + same;
	if (n)
		sb_printf(out, "%s%d run%s: fewer %s in %d, more in %d, as many in %d%s\n", strong, n,
			n == 1 ? "" : "s", figure_words(figure), less, more, same, strong);
}

static void put_run_pair(Sheet *s, const GridPair *p, const char *figure)
{
	Arena a = { 0 };
	const JsonValue *run = p->of[!p->of[0]], *of[2] =
		{ completed_total(p->of[0]), completed_total(p->of[1]) };
	const char *outcome[2] = { run_outcome(&a, p->of[0]), run_outcome(&a, p->of[1]) };
	sheet_row(s);
	sheet_put(s, "%s", json_string(run, "model"));
	sheet_put(s, "%s", run_passes(run));
	for (int k = 0; k < 2 && (of[0] || of[1]); k++)
		compare_put_value(s, json_get(of[k], figure), figure);
	if (of[0] || of[1])
		compare_put_ratio(s, json_get(of[0], figure), json_get(of[1], figure));
	for (int k = 0; k < 2 && (of[0] || of[1]); k++)
		compare_put_value(s, json_get(of[k], "simd_utilization"), "simd_utilization");
	if (*outcome[0] && !strcmp(outcome[0], outcome[1]))
		sheet_note(s, arena_printf(&a, "both %s", outcome[0]));
	else if (*outcome[0] || *outcome[1])
		sheet_note(s, arena_printf(&a, "%s%s%s%s%s", *outcome[0] ? "before " : "", outcome[0],
			*outcome[0] && *outcome[1] ? "; " : "", *outcome[1] ? "after " : "", outcome[1]));
	arena_free(&a);
}

static void put_pairs_filled(const Pairs *p, ReportForm form, StrBuf *out)
{
	const JsonValue **report = xcalloc(2 * (size_t)p->n + 1, sizeof *report);
	for (int i = 0; i < 2 * p->n; i++)
		report[i] = p->v[i / 2].of[i % 2];
	filled_compare(report, 2 * p->n, form, out);
	free(report);
}

void report_compare_grids(const JsonValue *before, const JsonValue *after, ReportForm form, StrBuf *out)
{
	Column column[] = { { .heading = "mechanism", .most = LONGEST_MODEL, .left = true, .code = true },
		{ .heading = "passes", .most = LONGEST_PASSES, .gap = 2, .left = true, .code = true },
		{ .heading = "before", .least = 12, .gap = 1 }, { .heading = "after", .least = 12, .gap = 1 },
		{ .heading = "ratio", .least = 7, .gap = 1 },
		{ .group = "SIMD", .heading = "before", .least = 7, .gap = 1 },
		{ .group = "SIMD", .heading = "after", .least = 7, .gap = 1 } };
	Pairs pairs = pairs_of(before, after);
	const GridPair *both = NULL;
	const char *figure = measure(&pairs);
	Sheet s;
	for (int i = 0; i < pairs.n && !both; i++)
		both = pairs.v[i].of[0] && pairs.v[i].of[1] ? &pairs.v[i] : NULL;
	if (form.markdown)
		put_tally(&pairs, form, out);
	if (both)
		report_differ(both->of[0], both->of[1], NULL, form, out);
	else
		sheet_line(out, form, "no run of the one has the mechanism and passes of a run of the other");
	if (!form.markdown)
		put_tally(&pairs, form, out);
	put_pairs_filled(&pairs, form, out);
	column[2].group = column[3].group = figure_words(figure);
	sheet_begin(&s, form, column, sizeof column / sizeof *column);
	for (int i = 0; i < pairs.n; i++)
		put_run_pair(&s, &pairs.v[i], figure);
	sb_puts(out, form.markdown ? "" : "\n");
	sheet_end(&s, NULL, true, out);
	vec_free(&pairs);
}
