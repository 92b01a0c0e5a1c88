/* Two reports of different modules, by the places of one source. */
#include "sim/report/by_place.h"
#include "sim/report/compare.h"

enum { BRIEF_PLACES = 7 };

/* A figure as JSON has it; NULL: the report has no such row, or has not measured it. */
static const JsonValue *figure_value(Arena *a, PlaceFigure f, bool row)
{
	JsonValue *v = arena_new(a, JsonValue);
	*v = (JsonValue){ .kind = f.known ? JSON_NUMBER : JSON_NULL, .number = f.v,
		.text = f.known ? arena_printf(a, "%.0f", f.v) : NULL };
	return row ? v : NULL;
}

/* Names the row, with the numbers of copies that were added up, if there is more than one. */
static const char *name_with_copies(PlaceTable *t, const PlaceRow *r)
{
	if (t->kind != PLACE_BRANCHES || (r->copies[0] <= 1 && r->copies[1] <= 1))
		return r->name;
	return arena_printf(&t->arena, "%s (%d -> %d branches)", r->name, r->copies[0], r->copies[1]);
}

static double largest(const PlaceRow *r, int figure)
{
	double a = place_figure(r, 0, figure).v, b = place_figure(r, 1, figure).v;
	return a > b ? a : b;
}

/* The rows in which the figure is not 0, as numbers; a report of one screen has the largest ones. */
typedef struct Shown { int *row, n, hidden; } Shown;

static Shown shown_rows(PlaceTable *t, int figure, bool full)
{
	Shown s = { .row = arena_array(&t->arena, int, t->row.n + 1) };
	for (int i = 0; i < t->row.n; i++) {
		const PlaceRow *r = &t->row.v[i];
		double size = largest(r, figure);
		bool known = place_figure(r, 0, figure).known || place_figure(r, 1, figure).known;
		int k = s.n;
		if (!known || (!full && size == 0))
			continue;
		s.row[s.n++] = i;
		for (; !full && k && largest(&t->row.v[s.row[k - 1]], figure) < size; k--) {
			s.row[k] = s.row[k - 1];
			s.row[k - 1] = i;
		}
		if (!full && s.n > BRIEF_PLACES) {
			s.n--;
			s.hidden++;
		}
	}
	return s;
}

static void put_place_figure(PlaceTable *t, int figure, ReportForm form, StrBuf *out)
{
	char path[64], title[96];
	const char *table = t->kind == PLACE_LINES ? "lines" : "branches";
	Shown shown = shown_rows(t, figure, form.full);
	Sheet s;
	snprintf(path, sizeof path, "%s.%s", table, place_figure_name(t->kind, figure));
	snprintf(title, sizeof title, t->match == MATCHED_BY_PLACE ? "%s of the source: %s" : "%s: %s", table,
		place_figure_name(t->kind, figure));
	compare_begin(&s, form, true);
	for (int i = 0; i < shown.n; i++) {
		const PlaceRow *r = &t->row.v[shown.row[i]];
		compare_row(&s, name_with_copies(t, r), path,
			figure_value(&t->arena, place_figure(r, 0, figure), r->copies[0]),
			figure_value(&t->arena, place_figure(r, 1, figure), r->copies[1]));
	}
	sheet_end(&s, title, false, out);
	sheet_hidden(shown.hidden, form, out);
}

/* The order in which figures are shown: those of one screen first. */
static const int order[2][PLACE_FIGURES] = {
	[PLACE_BRANCHES] = { 1, 2, 0, 3 },
	[PLACE_LINES] = { 0, 3, 1, 2 },
};
enum { BRIEF_FIGURES = 2 };

PlaceMatch compare_places(const JsonValue *before, const JsonValue *after, ReportForm form, StrBuf *out)
{
	const JsonValue *report[2] = { before, after };
	PlaceMatch match = MATCHED_BY_PLACE;
	for (int k = PLACE_LINES; k >= PLACE_BRANCHES; k--) {
		PlaceTable t;
		place_table(&t, report, 2, (PlaceKind)k);
		match = t.match;
		if (k == PLACE_BRANCHES && t.row.n && place_match_note(match)) {
			sb_puts(out, form.markdown ? "" : "\n");
			sheet_line(out, form, place_match_note(match));
		}
		for (int f = 0; f < (form.full ? PLACE_FIGURES : BRIEF_FIGURES); f++)
			put_place_figure(&t, order[k][f], form, out);
		place_table_free(&t);
	}
	return match;
}
