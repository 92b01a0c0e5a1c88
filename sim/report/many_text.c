/* Several reports beside each other, as text and as Markdown. */
#include "lib/names.h"
#include "sim/report/filled.h"
#include "sim/report/compare.h"
#include "sim/report/many.h"
#include "sim/report/pairs.h"

enum { NAMED_COLUMN = 16, LEAST_NAME = 28, MOST_NAME = 40, TEXT_RUNS = 3, MARKDOWN_RUNS = 6,
	BRIEF_PLACES = 7 };

/* ---- what was run ---- */

/* A setting of runs, by its key in reports. */
static const struct { const char *key, *heading; } setting[] = { { "module", "module" },
	{ "config", "machine" }, { "model", "mechanism" }, { "passes", "passes" }, { "workload", "workload" },
	{ "arguments", "arguments" }, { "mode", "mode" }, { "gsim", "gsim" },
	{ "workload_hash", "workload's content" }, { "module_hash", "module's content" } };
enum { SETTINGS = sizeof setting / sizeof *setting };

static const char *setting_of(Many *m, const ManyRun *r, int k)
{
	const JsonValue *v = json_get(r->report, setting[k].key);
	StrBuf b = { 0 };
	if (!strcmp(setting[k].key, "passes"))
		return run_passes(r->report);
	if (!v || v->kind != JSON_ARRAY)
		return json_string(r->report, setting[k].key);
	for (int i = 0; i < v->n; i++)
		sb_printf(&b, "%s%s", i ? " " : "", json_shown(&v->item[i]));
	const char *text = arena_strdup(&m->arena, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

static bool setting_differs(Many *m, int k)
{
	for (int i = 1; i < m->run.n; i++)
		if (strcmp(setting_of(m, &m->run.v[i], k), setting_of(m, &m->run.v[0], k)))
			return true;
	return false;
}

/* The name that the content belongs to, or NULL: the setting is no content. */
static const char *name_of_content(const char *key)
{
	return !strcmp(key, "workload_hash") ? "workload_file"
		: !strcmp(key, "module_hash") ? "module" : NULL;
}

/* Has the setting a column? A content has one where runs have it under the same name, and it differs. */
static bool setting_shown(Many *m, int k)
{
	const char *name = name_of_content(setting[k].key);
	bool shown = setting_differs(m, k) && !name;
	for (int i = 1; i < m->run.n && name && !shown; i++)
		for (int j = 0; j < i && !shown; j++) {
			const ManyRun *a = &m->run.v[i], *b = &m->run.v[j];
			shown = !strcmp(json_string(a->report, name), json_string(b->report, name)) &&
				strcmp(setting_of(m, a, k), setting_of(m, b, k));
		}
	return shown;
}

static bool is_common(const char *key) { return strcmp(key, "gsim") && !name_of_content(key); }

/* The value that another run has of the parameter that this run's command line or file sets. */
static bool all_have(const Many *m, const char *key, const JsonValue *value)
{
	for (int i = 0; i < m->run.n; i++) {
		const JsonValue *v = json_get(json_path(m->run.v[i].report, "configuration.changed"), key);
		if (!v || strcmp(json_shown(v), json_shown(value)))
			return false;
	}
	return true;
}

/* The parameters that the command line of this run set, and not that of every other. */
static const char *parameters_of(Many *m, const ManyRun *r)
{
	const JsonValue *changed = json_path(r->report, "configuration.changed");
	StrBuf b = { 0 };
	for (int i = 0; changed && changed->kind == JSON_OBJECT && i < changed->n; i++)
		if (strcmp(changed->key[i], "divergence.model") && !all_have(m, changed->key[i],
			&changed->item[i]))
			sb_printf(&b, "%s%s=%s", b.n ? " " : "", changed->key[i],
				json_shown(&changed->item[i]));
	const char *text = arena_strdup(&m->arena, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

/* The heading of a run's column: its name; where some name is too long for a column, its number. */
static const char *heading(Many *m, int run)
{
	bool fits = true;
	for (int i = 0; i < m->run.n; i++)
		fits &= names_columns(m->run.v[i].name) <= NAMED_COLUMN;
	return fits ? m->run.v[run].name : arena_printf(&m->arena, "#%d", run + 1);
}

static const char *results_text(Many *m, const ManyRun *r)
{
	return *r->outcome ? r->outcome : !*r->results ? "not compared" : !strcmp(r->results, "differ")
		? "DIFFER" : !strcmp(r->results, "equal")
		? report_results_words(&m->arena, r->results, &r->compared) : r->results;
}

/* Puts a row for each run: its name, its results, and the settings that not all have in common. */
static void put_runs(Many *m, ReportForm form, StrBuf *out)
{
	Column column[SETTINGS + 4] = { { .heading = "", .left = true },
		{ .heading = "report", .left = true, .most = MOST_NAME, .gap = 1, .code = true },
		{ .heading = "results", .left = true, .gap = 2, .most = MOST_NAME } };
	int shown[SETTINGS], n = 3;
	bool parameters = false;
	Sheet s;
	for (int k = 0; k < SETTINGS; k++)
		if (setting_shown(m, k)) {
			shown[n - 3] = k;
			column[n++] = (Column){ .heading = setting[k].heading, .left = true, .gap = 2,
				.most = MOST_NAME, .code = true };
		}
	for (int i = 0; i < m->run.n; i++)
		parameters |= *parameters_of(m, &m->run.v[i]) != 0;
	if (parameters)
		column[n] = (Column){ .heading = "parameters", .left = true, .gap = 2, .code = true };
	sheet_begin(&s, form, column, n + parameters);
	for (int i = 0; i < m->run.n; i++) {
		const ManyRun *r = &m->run.v[i];
		sheet_row(&s);
		sheet_put(&s, "#%d", i + 1);
		sheet_put(&s, "%s", r->name);
		sheet_put(&s, "%s", results_text(m, r));
		for (int k = 3; k < n; k++)
			sheet_put(&s, "%s", setting_of(m, r, shown[k - 3]));
		if (parameters)
			sheet_put(&s, "%s", parameters_of(m, r));
	}
	sheet_end(&s, NULL, true, out);
}

/* Puts what all runs have in common. */
static void put_common(Many *m, ReportForm form, StrBuf *out)
{
	int n = 0;
	for (int k = 0; k < SETTINGS; k++) {
		const char *value = setting_of(m, &m->run.v[0], k);
		if (setting_differs(m, k) || !*value || !is_common(setting[k].key))
			continue;
		sb_puts(out, n++ ? form.markdown ? ", " : "   " : form.markdown ? "\nthe same in all: " : "");
		sb_printf(out, "%s ", setting[k].heading);
		sheet_code(out, form, value);
	}
	sb_puts(out, n ? "\n" : "");
}

/* Says first whose results are others than the baseline's. */
static void put_different(const Many *m, ReportForm form, StrBuf *out)
{
	StrBuf line = { 0 };
	int n = 0;
	for (int i = 1; i < m->run.n; i++)
		if (!strcmp(m->run.v[i].results, "differ"))
			sb_printf(&line, "%s%s", n++ ? ", " : "RESULTS DIFFER from the baseline's: ",
				m->run.v[i].name);
	if (n)
		sb_puts(&line, ": one of the two is wrong, so no figure below speaks for either");
	if (n)
		sheet_line(out, form, line.s);
	sb_free(&line);
}

/* ---- tables with a column for each run ---- */

/* A part of the runs that fits the screen: the baseline and runs from..to-1. */
typedef struct Part { int from, to; } Part;

static Part next_part(const Many *m, ReportForm form, int from)
{
	int most = form.markdown ? MARKDOWN_RUNS : TEXT_RUNS, to = from + most;
	return (Part){ from, to < m->run.n ? to : m->run.n };
}

static void begin_part(Many *m, Part p, ReportForm form, Sheet *s)
{
	Column column[2 + 2 * MARKDOWN_RUNS] = { { .heading = "", .least = LEAST_NAME, .most = MOST_NAME,
		.left = true, .code = true }, { .heading = heading(m, 0), .least = 11, .gap = 1 } };
	int n = 2;
	for (int i = p.from; i < p.to; i++) {
		column[n++] = (Column){ .heading = heading(m, i), .least = 11, .gap = 1 };
		column[n++] = (Column){ .heading = "ratio", .least = 7, .gap = 1 };
	}
	sheet_begin(s, form, column, n);
}

static void put_values(Part p, Sheet *s, const char *path, const JsonValue *const *v)
{
	double ratio;
	compare_put_value(s, v[0], path);
	for (int i = p.from; i < p.to; i++) {
		compare_put_value(s, v[i], path);
		if (many_ratio(v[0], v[i], &ratio))
			sheet_put(s, "%.3f", ratio);
		else
			sheet_put(s, "-");
	}
}

/* Puts the rows, in as many tables as the runs need. */
static void put_figure_rows(Many *m, const ManyFigure *row, int n, const char *title, ReportForm form,
	StrBuf *out)
{
	Part p = { 1, 1 };
	do {
		Sheet s;
		p = next_part(m, form, p.to);
		begin_part(m, p, form, &s);
		for (int i = 0; i < n; i++) {
			sheet_row(&s);
			sheet_put(&s, "%s", row[i].kernel ? row[i].kernel : row[i].path);
			put_values(p, &s, row[i].path, row[i].v);
		}
		sb_puts(out, form.markdown || title ? "" : "\n");
		sheet_end(&s, title, true, out);
	} while (p.to < m->run.n);
}

static bool is_leading(const char *path)
{
	for (const char *const *l = compare_leading; *l; l++)
		if (!strcmp(*l, path))
			return true;
	return false;
}

static void put_figures(Many *m, ReportForm form, StrBuf *out)
{
	ManyFigures all = { 0 }, shown = { 0 };
	many_figures(m, &all);
	for (int i = 0; i < all.n; i++)
		if (form.full || is_leading(all.v[i].path))
			vec_push(&shown, all.v[i]);
	put_figure_rows(m, shown.v, shown.n, form.markdown ? "figures" : NULL, form, out);
	vec_free(&all);
	vec_free(&shown);
}

/* Of several kernels the cycles of each. */
static void put_kernels(Many *m, ReportForm form, StrBuf *out)
{
	ManyFigures all = { 0 }, shown = { 0 };
	many_kernel_figures(m, &all);
	for (int i = 0; i < all.n; i++)
		if (!strcmp(all.v[i].path, "cycles"))
			vec_push(&shown, all.v[i]);
	if (shown.n > 1)
		put_figure_rows(m, shown.v, shown.n, "kernels: cycles", form, out);
	vec_free(&all);
	vec_free(&shown);
}

/* ---- places ---- */

static const JsonValue *place_value(Arena *a, const PlaceRow *r, int run, int figure)
{
	PlaceFigure f = place_figure(r, run, figure);
	JsonValue *v = arena_new(a, JsonValue);
	*v = (JsonValue){ .kind = f.known ? JSON_NUMBER : JSON_NULL, .number = f.v,
		.text = f.known ? arena_printf(a, "%.0f", f.v) : NULL };
	return r->copies[run] ? v : NULL;
}

/* Names the row, with how many branches each run has there, unless all have one. */
static const char *row_name(Many *m, const PlaceTable *t, const PlaceRow *r)
{
	StrBuf b = { 0 };
	bool several = false;
	for (int i = 0; i < m->run.n && t->kind == PLACE_BRANCHES; i++) {
		several |= r->copies[i] > 1;
		sb_printf(&b, "%s%d", i ? " " : " x ", r->copies[i]);
	}
	const char *name = several && m->run.n <= MARKDOWN_RUNS
		? arena_printf(&m->arena, "%s%s", r->name, b.s) : r->name;
	sb_free(&b);
	return name;
}

static double largest(const Many *m, const PlaceRow *r, int figure)
{
	double most = 0;
	for (int i = 0; i < m->run.n; i++)
		most = place_figure(r, i, figure).v > most ? place_figure(r, i, figure).v : most;
	return most;
}

typedef struct Ranked { const PlaceRow *row; double size; int order; } Ranked;

static int by_size(const void *a, const void *b)
{
	const Ranked *x = a, *y = b;
	return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->order - y->order;
}

/* Puts a figure by places; a report of one screen has the rows with the largest values. */
static void put_places(Many *m, const PlaceTable *t, int figure, ReportForm form, StrBuf *out)
{
	ManyFigures rows = { 0 };
	Ranked *rank = arena_array(&m->arena, Ranked, t->row.n + 1);
	const char *table = t->kind == PLACE_LINES ? "lines" : "branches",
		*path = arena_printf(&m->arena, "%s.%s", table, place_figure_name(t->kind, figure));
	int n = 0, shown;
	for (int i = 0; i < t->row.n; i++) {
		double size = largest(m, &t->row.v[i], figure);
		if (form.full || size > 0)
			rank[n++] = (Ranked){ &t->row.v[i], size, i };
	}
	if (!form.full && n)
		qsort(rank, (size_t)n, sizeof *rank, by_size);
	shown = form.full || n <= BRIEF_PLACES ? n : BRIEF_PLACES;
	for (int i = 0; i < shown; i++) {
		const JsonValue **v = arena_array(&m->arena, const JsonValue *, m->run.n);
		for (int k = 0; k < m->run.n; k++)
			v[k] = place_value(&m->arena, rank[i].row, k, figure);
		vec_push(&rows, ((ManyFigure){ row_name(m, t, rank[i].row), path, v }));
	}
	if (rows.n)
		put_figure_rows(m, rows.v, rows.n, arena_printf(&m->arena, t->match == MATCHED_BY_PLACE
			? "%s of the source: %s" : "%s: %s", table, place_figure_name(t->kind, figure)), form,
			out);
	sheet_hidden(n - shown, form, out);
	vec_free(&rows);
}

/* ---- the whole ---- */

static void put_filled(const Many *m, ReportForm form, StrBuf *out)
{
	const JsonValue **report = xcalloc((size_t)m->run.n + 1, sizeof *report);
	for (int i = 0; i < m->run.n; i++)
		report[i] = m->run.v[i].report;
	filled_compare(report, m->run.n, form, out);
	free(report);
}

static void put_head(Many *m, ReportForm form, StrBuf *out)
{
	const JsonValue *base = json_get(m->run.v[0].report, "total");
	put_different(m, form, out);
	put_runs(m, form, out);
	put_common(m, form, out);
	for (int i = 1; i < m->run.n; i++)
		if (!*m->run.v[0].outcome && !*m->run.v[i].outcome)
			compare_other_work(base, json_get(m->run.v[i].report, "total"), m->run.v[i].name,
				form, out);
	put_filled(m, form, out);
}

static void put_match(const PlaceTable *t, ReportForm form, StrBuf *out)
{
	if (!t->row.n || !place_match_note(t->match))
		return;
	sb_puts(out, form.markdown ? "" : "\n");
	sheet_line(out, form, place_match_note(t->match));
}

void many_text(Many *m, ReportForm form, StrBuf *out)
{
	static const int brief[2][2] = { [PLACE_BRANCHES] = { 1, 2 }, [PLACE_LINES] = { 0, 3 } };
	put_head(m, form, out);
	put_figures(m, form, out);
	put_kernels(m, form, out);
	for (int k = PLACE_LINES; k >= PLACE_BRANCHES; k--) {
		PlaceTable t;
		many_places(m, &t, (PlaceKind)k);
		if (k == PLACE_BRANCHES)
			put_match(&t, form, out);
		for (int f = 0; f < (form.full ? PLACE_FIGURES : 2); f++)
			put_places(m, &t, form.full ? f : brief[k][f], form, out);
		place_table_free(&t);
	}
}

void many_text_by(Many *m, PlaceKind kind, int figure, ReportForm form, StrBuf *out)
{
	PlaceTable t;
	put_head(m, form, out);
	many_places(m, &t, kind);
	put_match(&t, form, out);
	put_places(m, &t, figure, form, out);
	place_table_free(&t);
}

void report_grid_by(const JsonValue *runs, const char *by, StrBuf *out)
{
	Many m = { 0 };
	PlaceKind kind;
	int figure;
	must(many_by_named(by, &kind, &figure));
	for (int i = 0; i < runs->n; i++)
		many_add(&m, &runs->item[i], NULL, run_name(&m.arena, &runs->item[i]));
	many_settle(&m);
	sb_putc(out, '\n');
	if (runs->n)
		many_text_by(&m, kind, figure, (ReportForm){ .full = true }, out);
	many_free(&m);
}
