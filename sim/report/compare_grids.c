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

/* What is known of the results of a pair: as report_compare_results says, NULL: one grid alone has it, or a
   run has not ended well. */
static const char *pair_results(const GridPair *p)
{
	RunCompared compared;
	return completed_total(p->of[0]) && completed_total(p->of[1])
		? report_compare_results(p->of[0], p->of[1], &compared) : NULL;
}

static const char *pair_name(Arena *a, const GridPair *p)
{
	return p->name ? p->name : run_name(a, p->of[!p->of[0]]);
}

/* Says first in which runs results differ. */
static void put_different_pairs(const Pairs *pairs, ReportForm form, StrBuf *out)
{
	Arena a = { 0 };
	for (int i = 0; i < pairs->n; i++) {
		const char *results = pair_results(&pairs->v[i]);
		if (results && !strcmp(results, "differ"))
			sheet_line(out, form, arena_printf(&a, "RESULTS DIFFER for %s: one of the two is "
				"wrong, so no figure of it speaks for either", pair_name(&a, &pairs->v[i])));
	}
	arena_free(&a);
}

/* Says of how many runs the results are equal, differ, or are not known to be either. */
static void put_results_tally(const Pairs *pairs, ReportForm form, StrBuf *out)
{
	int equal = 0, differ = 0, unknown = 0;
	StrBuf line = { 0 };
	for (int i = 0; i < pairs->n; i++) {
		const char *results = pair_results(&pairs->v[i]);
		equal += results && !strcmp(results, "equal");
		differ += results && !strcmp(results, "differ");
		unknown += results && strcmp(results, "equal") && strcmp(results, "differ");
	}
	sb_printf(&line, "results: equal in %d of %d run%s", equal, equal + differ + unknown,
		equal + differ + unknown == 1 ? "" : "s");
	if (differ)
		sb_printf(&line, "; different in %d, not counted above", differ);
	if (unknown)
		sb_printf(&line, "; not compared in %d", unknown);
	if (equal + differ + unknown)
		sheet_line(out, form, line.s);
	sb_free(&line);
}

/* Puts the verdict: in how many of the runs that both grids have the figure is less, in how many it is more,
   and in how many it is the same. Runs whose results differ do not count. */
static void put_tally(const Pairs *pairs, ReportForm form, StrBuf *out)
{
	int less = 0, more = 0, same = 0;
	const char *figure = measure(pairs), *strong = form.markdown ? "**" : "";
	for (int i = 0; i < pairs->n; i++) {
		const GridPair *p = &pairs->v[i];
		const JsonValue *x = json_get(completed_total(p->of[0]), figure),
			*y = json_get(completed_total(p->of[1]), figure);
		const char *results = pair_results(p);
		if (!json_is_number(x) || !json_is_number(y) || (results && !strcmp(results, "differ")))
			continue;
		less += y->number < x->number;
		more += y->number > x->number;
		same += y->number == x->number;
	}
	int n = less + more + same;
	if (n)
		sb_printf(out, "%s%d run%s: fewer %s in %d, more in %d, as many in %d%s\n", strong, n,
			n == 1 ? "" : "s", figure_words(figure), less, more, same, strong);
	if (n && form.markdown)
		sb_putc(out, '\n');
	put_results_tally(pairs, form, out);
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
	const char *results = pair_results(p);
	if (results && !strcmp(results, "differ"))
		sheet_note(s, arena_printf(&a, "%s%sRESULTS DIFFER", p->name ? p->name : "",
			p->name ? ": " : ""));
	else if (p->name && !*outcome[0] && !*outcome[1])
		sheet_note(s, p->name);
	else if (*outcome[0] && !strcmp(outcome[0], outcome[1]))
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

/* Puts what differs between the runs of a pair. As a rule it is the same for all; where it is not, as for two
   modules, it stands for each pair that is not like the first. */
static void put_differences(const Pairs *pairs, ReportForm form, StrBuf *out)
{
	Arena a = { 0 };
	const GridPair *first = NULL;
	bool several = false;
	for (int i = 0; i < pairs->n; i++) {
		const GridPair *p = &pairs->v[i];
		if (!p->of[0] || !p->of[1])
			continue;
		several |= first && !report_differ_alike(first->of, p->of);
		first = first ? first : p;
	}
	for (int i = 0; i < pairs->n && several; i++) {
		const GridPair *p = &pairs->v[i];
		if (!p->of[0] || !p->of[1] || (p != first && report_differ_alike(first->of, p->of)))
			continue;
		sheet_line(out, form, arena_printf(&a, "%s:", pair_name(&a, p)));
		report_differ(p->of[0], p->of[1], NULL, NULL, form, out);
	}
	if (first && !several)
		report_differ(first->of[0], first->of[1], NULL, NULL, form, out);
	else if (!first)
		sheet_line(out, form, "no run of the one has the mechanism and passes of a run of the other");
	arena_free(&a);
}

void report_compare_pairs(const Pairs *pairs, ReportForm form, StrBuf *out)
{
	Column column[] = { { .heading = "mechanism", .most = LONGEST_MODEL, .left = true, .code = true },
		{ .heading = "passes", .most = LONGEST_PASSES, .gap = 2, .left = true, .code = true },
		{ .heading = "before", .least = 12, .gap = 1 }, { .heading = "after", .least = 12, .gap = 1 },
		{ .heading = "ratio", .least = 7, .gap = 1 },
		{ .group = "SIMD", .heading = "before", .least = 7, .gap = 1 },
		{ .group = "SIMD", .heading = "after", .least = 7, .gap = 1 } };
	const char *figure = measure(pairs);
	Sheet s;
	put_different_pairs(pairs, form, out);
	if (form.markdown)
		put_tally(pairs, form, out);
	put_differences(pairs, form, out);
	if (!form.markdown)
		put_tally(pairs, form, out);
	put_pairs_filled(pairs, form, out);
	column[2].group = column[3].group = figure_words(figure);
	sheet_begin(&s, form, column, sizeof column / sizeof *column);
	for (int i = 0; i < pairs->n; i++)
		put_run_pair(&s, &pairs->v[i], figure);
	sb_puts(out, form.markdown ? "" : "\n");
	sheet_end(&s, NULL, true, out);
}
