/* The reports of gsim --check-machine: text, CSV, JSON. */
#include "lib/json.h"
#include "lib/output.h"
#include "sim/report/sheet.h"
#include "tools/check_machine.h"
#include <math.h>

static void put_number(Sheet *sheet, bool known, double v)
{
	sheet_put(sheet, known ? "%.4g" : "", v);
}

/* Measured by published, to four digits behind the point; false: there is no such ratio. */
static bool ratio_of(const CheckedFigure *f, const PublishedFigure *p, double *ratio)
{
	*ratio = f->measured && p->value != 0 ? round(1e4 * f->value / p->value) / 1e4 : 0;
	return f->measured && p->value != 0;
}

/* ---- text ---- */

typedef Vec(const PublishedFigure *) Sources;

/* The number of the source of the figure, from 1, in the list of all; it is added if it is new. */
static int number_of(Sources *all, const PublishedFigure *p)
{
	for (int i = 0; i < all->n; i++)
		if (!strcmp(all->v[i]->source, p->source) && !strcmp(all->v[i]->chip, p->chip))
			return i + 1;
	vec_push(all, p);
	return all->n;
}

static void put_published(Sheet *sheet, const CheckedFigure *f, const PublishedFigure *p, Sources *sources)
{
	double ratio;
	bool has = ratio_of(f, p, &ratio);
	sheet_put(sheet, "%.4g", p->value);
	sheet_put(sheet, "%s", *p->seen == 'a' ? "a" : p->seen);
	sheet_put(sheet, has ? "%.2f" : "", ratio);
	sheet_put(sheet, "[%d]", number_of(sources, p));
}

/* A parameter and its value, with its unit where the figure has another kind of time. */
static void put_key(Sheet *sheet, const CheckedFigure *f, int i)
{
	bool unit = i < f->key.n && !strcmp(f->unit, "ns");
	sheet_put(sheet, "%s", i < f->key.n ? f->key.v[i].name : "");
	sheet_put(sheet, unit ? "%s %s" : "%s", i < f->key.n ? f->key.v[i].value : "",
		unit ? f->key.v[i].unit : "");
}

/* A figure takes as many rows as it has parameters, or figures that are published; a unit that is not cycles
   stands in the second. */
static void put_figure(Sheet *sheet, const CheckedFigure *f, Sources *sources)
{
	bool unit = strcmp(f->unit, "cycles") != 0;
	for (int i = 0; i < 1 + unit || i < f->key.n || i < f->published.n; i++) {
		sheet_row(sheet);
		if (i == 1 && unit)
			sheet_put(sheet, "  %s", f->unit);
		else
			sheet_put(sheet, "%s", i ? "" : f->name);
		put_key(sheet, f, i);
		put_number(sheet, !i && f->has_asked, f->asked);
		if (!i && !f->measured)
			sheet_put(sheet, "-");
		else
			put_number(sheet, !i, f->value);
		if (i < f->published.n) {
			put_published(sheet, f, &f->published.v[i], sources);
			continue;
		}
		for (int k = 0; k < 4; k++)
			sheet_put(sheet, "%s", "");
	}
}

static void put_heading(const CheckedMachine *m, StrBuf *out)
{
	sb_printf(out, "machine: %s\n", m->config ? m->config : "gsim's defaults");
	if (m->published_of)
		sb_printf(out, "published figures: those of %s\n", m->published_of);
	if (m->rates_of)
		sb_printf(out, "published rates: the CUDA guide's for compute capability %s, that of %s\n",
			m->capability, m->rates_of);
	if (!m->published_of && !m->rates_of)
		sb_puts(out, "published figures: none\n");
	sb_putc(out, '\n');
}

enum { WIDTH = 100 };

/* Puts a word of a list into a line that has so many columns already, or begins a new one. Returns the
   columns. */
static int put_in_list(StrBuf *out, const char *word, int columns)
{
	int n = (int)strlen(word) + 2;
	bool breaks = columns + n > WIDTH;
	sb_printf(out, "%s%s", !columns ? "    " : breaks ? ";\n    " : "; ", word);
	return (!columns || breaks ? 4 : columns) + n;
}

static bool has_reason(const CheckedFigure *f) { return !f->measured && f->why; }

/* Each reason once, with all figures that have it. */
static void put_reasons(const CheckedMachine *m, StrBuf *out)
{
	for (int i = 0; i < m->figure.n; i++) {
		const CheckedFigure *f = &m->figure.v[i];
		bool told = !has_reason(f);
		int columns = 0;
		for (int k = 0; k < i && !told; k++)
			told = has_reason(&m->figure.v[k]) && !strcmp(m->figure.v[k].why, f->why);
		if (told)
			continue;
		sb_printf(out, "\n%s: %s\n", f->failed ? "failed" : "not measured", f->why);
		for (int k = i; k < m->figure.n; k++)
			if (has_reason(&m->figure.v[k]) && !strcmp(m->figure.v[k].why, f->why))
				columns = put_in_list(out, m->figure.v[k].name, columns);
		sb_putc(out, '\n');
	}
}

static void put_footing(const CheckedMachine *m, const Sources *sources, StrBuf *out)
{
	int left = 0;
	for (int i = 0; i < sources->n; i++)
		sb_printf(out, "%s[%d] %s: %s\n", i ? "" : "\n", i + 1, sources->v[i]->chip,
			sources->v[i]->source);
	put_reasons(m, out);
	for (int i = 0; i < m->figure.n; i++)
		left += !m->figure.v[i].measured && !m->figure.v[i].why;
	sb_printf(out, "\n%d of %d figures measured", m->measured, m->figure.n);
	if (left)
		sb_printf(out, "; interrupted before %d", left);
	sb_puts(out, "\nunits stand below names; figures without one are in cycles\nset: the parameter's "
		"value; asked: what follows for the figure, of a bandwidth at most; ratio: measured by "
		"published\n"
		"mark: P was read in the source, S is quoted by others, a is as remembered\n");
}

void check_machine_text(const CheckedMachine *m, StrBuf *out)
{
	Sheet sheet;
	Sources sources = { 0 };
	const Column column[9] = { { .heading = "figure", .left = true },
		{ .heading = "parameter", .gap = 1, .left = true, .code = true },
		{ .heading = "set", .gap = 1 }, { .heading = "asked", .gap = 1 },
		{ .heading = "measured", .gap = 1 }, { .heading = "published", .gap = 1 },
		{ .heading = "mark", .gap = 1, .left = true },
		{ .heading = "ratio", .gap = 1 }, { .heading = "source", .gap = 2, .left = true } };
	put_heading(m, out);
	sheet_begin(&sheet, (ReportForm){ 0 }, column, 9);
	for (int i = 0; i < m->figure.n; i++)
		put_figure(&sheet, &m->figure.v[i], &sources);
	sheet_end(&sheet, NULL, true, out);
	put_footing(m, &sources, out);
	vec_free(&sources);
}

/* ---- CSV: a row for each published figure, and one for a figure of which nothing is published ---- */

static const char *status_of(const CheckedFigure *f)
{
	return f->measured ? "measured" : f->failed ? "failed" : f->why ? "not measured" : "interrupted";
}

static void put_csv_number(StrBuf *out, bool known, double v)
{
	sb_putc(out, ',');
	if (known)
		json_print_real(out, v);
}

static void put_csv_row(const CheckedFigure *f, const PublishedFigure *p, StrBuf *out)
{
	StrBuf keys = { 0 };
	double ratio = 0;
	bool has = p && ratio_of(f, p, &ratio);
	for (int i = 0; i < f->key.n; i++)
		sb_printf(&keys, "%s%s=%s", i ? " " : "", f->key.v[i].name, f->key.v[i].value);
	output_csv(out, f->name);
	sb_printf(out, ",%s,%s,", f->unit, status_of(f));
	output_csv(out, keys.s ? keys.s : "");
	put_csv_number(out, f->has_asked, f->asked);
	put_csv_number(out, f->measured, f->value);
	put_csv_number(out, p != NULL, p ? p->value : 0);
	sb_printf(out, ",%s", p ? p->seen : "");
	put_csv_number(out, has, ratio);
	sb_putc(out, ',');
	output_csv(out, p ? p->chip : "");
	sb_putc(out, ',');
	output_csv(out, p ? p->source : "");
	sb_putc(out, ',');
	output_csv(out, !f->measured && f->why ? f->why : "");
	sb_putc(out, '\n');
	sb_free(&keys);
}

void check_machine_csv(const CheckedMachine *m, StrBuf *out)
{
	sb_puts(out, "figure,unit,status,parameters,asked,measured,published,seen,ratio,chip,source,why\n");
	for (int i = 0; i < m->figure.n; i++) {
		const CheckedFigure *f = &m->figure.v[i];
		for (int k = 0; k == 0 || k < f->published.n; k++)
			put_csv_row(f, f->published.n ? &f->published.v[k] : NULL, out);
	}
}

/* ---- JSON ---- */

static void put_json_published(const CheckedFigure *f, JsonSink *j)
{
	j->key(j, "published");
	j->begin(j, '[', false);
	for (int i = 0; i < f->published.n; i++) {
		const PublishedFigure *p = &f->published.v[i];
		double ratio;
		bool has = ratio_of(f, p, &ratio);
		j->begin(j, '{', true);
		json_put_real(j, "value", true, p->value);
		json_put_text(j, "seen", p->seen);
		json_put_real(j, "ratio", has, ratio);
		json_put_text(j, "chip", p->chip);
		json_put_text(j, "source", p->source);
		j->end(j);
	}
	j->end(j);
}

static void put_json_figure(const CheckedFigure *f, JsonSink *j)
{
	j->begin(j, '{', false);
	json_put_text(j, "figure", f->name);
	json_put_text(j, "unit", f->unit);
	json_put_text(j, "status", status_of(f));
	json_put_text(j, "why", f->measured ? NULL : f->why);
	j->key(j, "parameters");
	j->begin(j, '[', true);
	for (int i = 0; i < f->key.n; i++) {
		j->begin(j, '{', true);
		json_put_text(j, "name", f->key.v[i].name);
		json_put_text(j, "value", f->key.v[i].value);
		j->end(j);
	}
	j->end(j);
	json_put_real(j, "asked", f->has_asked, f->asked);
	json_put_real(j, "measured", f->measured, f->value);
	put_json_published(f, j);
	j->end(j);
}

void check_machine_json(const CheckedMachine *m, StrBuf *out)
{
	JsonText t;
	json_text(&t, out);
	JsonSink *j = &t.sink;
	j->begin(j, '{', false);
	json_put_count(j, "schema_version", REPORT_SCHEMA);
	json_put_text(j, "config", m->config);
	json_put_text(j, "published_of", m->published_of);
	json_put_text(j, "rates_of", m->rates_of);
	json_put_text(j, "compute_capability", m->capability);
	j->key(j, "figures");
	j->begin(j, '[', false);
	for (int i = 0; i < m->figure.n; i++)
		put_json_figure(&m->figure.v[i], j);
	j->end(j);
	j->end(j);
}
