/* Several reports beside each other, as CSV and JSON for other programs. */
#include "lib/output.h"
#include "sim/report/many.h"
#include "sim/report/pairs.h"

/* ---- CSV ---- */

static void put_field(StrBuf *out, const char *text, char behind)
{
	output_csv(out, text);
	sb_putc(out, behind);
}

static void put_number(StrBuf *out, const JsonValue *v)
{
	if (json_is_number(v))
		sb_puts(out, v->text);
	sb_putc(out, ',');
}

/* Puts a row: the run, what the figure is of, the figure. */
static void put_csv_row(Many *m, int run, const char *scope, const char *name, const PlaceRow *place,
	const char *figure, const JsonValue *const *v, StrBuf *out)
{
	const ManyRun *r = &m->run.v[run];
	double ratio;
	put_field(out, r->name, ',');
	put_field(out, json_string(r->report, "module"), ',');
	put_field(out, json_string(r->report, "config"), ',');
	put_field(out, json_string(r->report, "model"), ',');
	put_field(out, run_passes(r->report), ',');
	put_field(out, *r->results ? r->results : "unknown", ',');
	put_field(out, scope, ',');
	put_field(out, name, ',');
	put_field(out, place ? place->file : "", ',');
	if (place && place->line)
		sb_printf(out, "%d", place->line);
	sb_putc(out, ',');
	put_field(out, figure, ',');
	put_number(out, v[run]);
	if (many_ratio(v[0], v[run], &ratio))
		json_print_real(out, ratio);
	sb_putc(out, '\n');
}

static const JsonValue *number_value(Arena *a, double n, bool known)
{
	JsonValue *v = arena_new(a, JsonValue);
	*v = (JsonValue){ .kind = JSON_NUMBER, .number = n, .text = arena_printf(a, "%.0f", n) };
	return known ? v : NULL;
}

/* The values that all runs have of a figure of a place; figure PLACE_FIGURES: of its copies. */
static const JsonValue **place_values(Many *m, const PlaceRow *r, int figure)
{
	const JsonValue **v = arena_array(&m->arena, const JsonValue *, m->run.n);
	for (int k = 0; k < m->run.n; k++)
		v[k] = figure == PLACE_FIGURES ? number_value(&m->arena, r->copies[k], true)
			: number_value(&m->arena, place_figure(r, k, figure).v, r->copies[k] &&
			place_figure(r, k, figure).known);
	return v;
}

static const char *figure_of_place(PlaceKind kind, int figure)
{
	return figure == PLACE_FIGURES ? "copies" : place_figure_name(kind, figure);
}

/* Of lines it tells nothing how many rows were added up. */
static int figures_of(PlaceKind kind) { return kind == PLACE_BRANCHES ? PLACE_FIGURES + 1 : PLACE_FIGURES; }

void many_csv(Many *m, StrBuf *out)
{
	ManyFigures rows = { 0 };
	many_figures(m, &rows);
	many_kernel_figures(m, &rows);
	sb_puts(out, "report,module,config,model,passes,results,scope,name,file,line,figure,value,ratio\n");
	for (int run = 0; run < m->run.n; run++)
		for (int i = 0; i < rows.n; i++)
			if (json_is_number(rows.v[i].v[run]))
				put_csv_row(m, run, rows.v[i].kernel ? "kernel" : "total", rows.v[i].kernel
					? rows.v[i].kernel : "", NULL, rows.v[i].path, rows.v[i].v, out);
	for (int k = PLACE_BRANCHES; k <= PLACE_LINES; k++) {
		PlaceTable t;
		many_places(m, &t, (PlaceKind)k);
		for (int i = 0; i < t.row.n; i++)
			for (int f = 0; f < figures_of(t.kind); f++) {
				const JsonValue **v = place_values(m, &t.row.v[i], f);
				for (int run = 0; run < m->run.n; run++)
					if (v[run])
						put_csv_row(m, run, k == PLACE_LINES ? "line" : "branch",
							t.row.v[i].name, &t.row.v[i],
							figure_of_place(t.kind, f), v, out);
			}
		place_table_free(&t);
	}
	vec_free(&rows);
}

/* ---- JSON ---- */

static void put_list(const Many *m, JsonSink *j, const char *key, const JsonValue *const *v, bool ratios)
{
	double ratio;
	j->key(j, key);
	j->begin(j, '[', true);
	for (int k = 0; k < m->run.n; k++) {
		bool whole = json_is_number(v[k]) && !strpbrk(v[k]->text, ".eE-") && strlen(v[k]->text) < 19;
		if (ratios && many_ratio(v[0], v[k], &ratio))
			j->real(j, ratio);
		else if (ratios || !json_is_number(v[k]))
			j->text(j, NULL);
		else if (whole)
			j->count(j, strtoull(v[k]->text, NULL, 10));
		else
			j->real(j, v[k]->number);
	}
	j->end(j);
}

static void put_runs_json(const Many *m, JsonSink *j)
{
	static const char *const key[] = { "module", "config", "model", "passes", "workload", "mode",
		"status" };
	j->key(j, "reports");
	j->begin(j, '[', false);
	for (int i = 0; i < m->run.n; i++) {
		const ManyRun *r = &m->run.v[i];
		j->begin(j, '{', false);
		json_put_text(j, "name", r->name);
		json_put_text(j, "file", r->file);
		for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
			const JsonValue *v = json_get(r->report, key[k]);
			json_put_text(j, key[k], v && v->kind == JSON_STRING ? v->text : NULL);
		}
		json_put_text(j, "outcome", *r->outcome ? r->outcome : NULL);
		json_put_text(j, "results", *r->results ? r->results : "unknown");
		if (*r->results && i)
			report_compared(&r->compared, j);
		j->end(j);
	}
	j->end(j);
}

static void put_figures_json(const Many *m, const ManyFigures *rows, const char *key, JsonSink *j)
{
	j->key(j, key);
	j->begin(j, '[', false);
	for (int i = 0; i < rows->n; i++) {
		j->begin(j, '{', true);
		if (rows->v[i].kernel)
			json_put_text(j, "kernel", rows->v[i].kernel);
		json_put_text(j, "figure", rows->v[i].path);
		put_list(m, j, "values", rows->v[i].v, false);
		put_list(m, j, "ratios", rows->v[i].v, true);
		j->end(j);
	}
	j->end(j);
}

static void put_places_json(Many *m, PlaceKind kind, JsonSink *j)
{
	static const char *const match[] = { [MATCHED_BY_PLACE] = "place", [MATCHED_BY_LABEL] = "label",
		[MATCHED_BY_ORDER] = "order" };
	PlaceTable t;
	many_places(m, &t, kind);
	if (kind == PLACE_BRANCHES)
		json_put_text(j, "matched_by", match[t.match]);
	j->key(j, kind == PLACE_LINES ? "lines" : "branches");
	j->begin(j, '[', false);
	for (int i = 0; i < t.row.n; i++) {
		const PlaceRow *r = &t.row.v[i];
		j->begin(j, '{', true);
		json_put_text(j, "name", r->name);
		json_put_text(j, "file", *r->file ? r->file : NULL);
		json_put_count(j, "line", (uint64_t)r->line);
		for (int f = 0; f < figures_of(kind); f++)
			put_list(m, j, figure_of_place(kind, f), place_values(m, r, f), false);
		j->end(j);
	}
	j->end(j);
	place_table_free(&t);
}

void many_json(Many *m, StrBuf *out)
{
	JsonText t;
	JsonSink *j = &t.sink;
	ManyFigures figures = { 0 }, kernels = { 0 };
	json_text(&t, out);
	many_figures(m, &figures);
	many_kernel_figures(m, &kernels);
	j->begin(j, '{', false);
	json_put_count(j, "schema_version", MANY_SCHEMA);
	json_put_text(j, "gsim", GSIM_RELEASE);
	put_runs_json(m, j);
	put_figures_json(m, &figures, "figures", j);
	put_figures_json(m, &kernels, "kernels", j);
	put_places_json(m, PLACE_BRANCHES, j);
	put_places_json(m, PLACE_LINES, j);
	j->end(j);
	vec_free(&figures);
	vec_free(&kernels);
}

void report_places_json(const JsonValue *before, const JsonValue *after, JsonSink *j)
{
	Many m = { 0 };
	many_add(&m, before, NULL, "before");
	many_add(&m, after, NULL, "after");
	many_settle(&m);
	put_places_json(&m, PLACE_BRANCHES, j);
	put_places_json(&m, PLACE_LINES, j);
	many_free(&m);
}
