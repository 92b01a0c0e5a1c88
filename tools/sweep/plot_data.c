#include "tools/sweep/plot_data.h"
#include <math.h>

static bool is_number(const char *s, double *v)
{
	char *end;
	*v = strtod(s, &end);
	return *s && !*end && isfinite(*v);
}

static int column_place(Arena *a, PlotColumn *c, const char *value)
{
	int i = strmap_get(&c->at, value);
	double v;
	if (i >= 0)
		return i;
	value = arena_strdup(a, value);
	c->numeric = (!c->value.n || c->numeric) && is_number(value, &v);
	vec_push(&c->value, value);
	strmap_put(&c->at, value, c->value.n - 1);
	return c->value.n - 1;
}

/* Calls the function with every point of the sweep. */
typedef void OnPoint(PlotData *, const Sweep *, const Task *, const Point *);
static bool each_point(PlotData *p, const Sweep *s, OnPoint *function, Diag *diag)
{
	bool ok = true;
	for (int i = 0; i < s->ntasks && ok; i++) {
		Arena a = { 0 };
		Point point;
		bool wanted;
		ok = plan_point(s->plan, s->task[i].number, &a, &point, &wanted, diag);
		if (ok)
			function(p, s, &s->task[i], &point);
		arena_free(&a);
	}
	return ok;
}

static void note_values(PlotData *p, const Sweep *s, const Task *t, const Point *point)
{
	Arena a = { 0 };
	for (int i = 0; i < s->plan->axis.n; i++)
		column_place(&p->arena, &p->column[i], plan_shown(&a, &s->plan->axis.v[i], point->value[i]));
	arena_free(&a);
}

/* Notes of a column of files which folders all of them are in. */
static void find_common_folder(PlotColumn *c)
{
	const char *first = c->value.n ? c->value.v[0] : "", *end = strrchr(first, '/');
	size_t n = end ? (size_t)(end - first) + 1 : 0;
	for (int i = 1; i < c->value.n; i++)
		while (n && strncmp(first, c->value.v[i], n))
			for (n--; n && first[n - 1] != '/';)
				n--;
	c->folder = n;
}

static bool varies(const PlotColumn *c) { return c->value.n > 1; }

static const PlotColumn *named_column(const PlotData *p, const Plan *plan, const char *option,
	const char *name, Diag *d)
{
	for (int i = 0; i < plan->axis.n; i++)
		if (!strcmp(p->column[i].name, name))
			return &p->column[i];
	diag_error(d, (Loc){ 0 }, "%s %s: there is no such column; expected module, machine, mechanism, "
		"passes, arguments or what varies", option, name);
	return NULL;
}

/* The last column of numbers that varies, else the last that varies. */
static const PlotColumn *choose_x(const PlotData *p, const Plan *plan)
{
	const PlotColumn *x = NULL;
	for (int i = 0; i < plan->axis.n; i++)
		if (varies(&p->column[i]) && (!x || p->column[i].numeric || !x->numeric))
			x = &p->column[i];
	return x;
}

/* Of what else varies: mechanisms, pipelines, machines, then the first. */
static const PlotColumn *choose_series(const PlotData *p, const Plan *plan)
{
	static const AxisKind first[] = { AXIS_MECHANISM, AXIS_PASSES, AXIS_MACHINE };
	for (int k = 0; k < 3; k++)
		if (varies(&p->column[first[k]]) && &p->column[first[k]] != p->x)
			return &p->column[first[k]];
	for (int i = plan->axis.n - 1; i >= 0; i--)
		if (varies(&p->column[i]) && &p->column[i] != p->x)
			return &p->column[i];
	return NULL;
}

/* The panel of a point: its values in all columns that vary but x and series. */
static const char *panel_name(PlotData *p, const Plan *plan, const Point *point, Arena *a)
{
	StrBuf b = { 0 };
	for (int i = 0; i < plan->axis.n; i++) {
		const PlotColumn *c = &p->column[i];
		if (!varies(c) || c == p->x || c == p->series)
			continue;
		const char *value = plan_shown(a, &plan->axis.v[i], point->value[i]) + c->folder;
		sb_printf(&b, plan->axis.v[i].kind < AXIS_ARGUMENTS ? "%s%s%s" : "%s%s=%s", b.n ? ", " : "",
			plan->axis.v[i].kind < AXIS_ARGUMENTS ? "" : c->name, *value ? value : "no passes");
	}
	const char *name = arena_strdup(a, b.s ? b.s : "");
	sb_free(&b);
	return name;
}

static void note_panel(PlotData *p, const Sweep *s, const Task *t, const Point *point)
{
	Arena a = { 0 };
	column_place(&p->arena, &p->panel, panel_name(p, s->plan, point, &a));
	arena_free(&a);
}

int plot_series(const PlotData *p) { return p->series ? p->series->value.n : 1; }

static size_t cell_of(const PlotData *p, int panel, int series, int x)
{
	return ((size_t)panel * (size_t)plot_series(p) + (size_t)series) * (size_t)p->x->value.n + (size_t)x;
}

double plot_value(const PlotData *p, int panel, int series, int x)
{
	return p->value[cell_of(p, panel, series, x)];
}

static int place_in(const PlotData *p, const Plan *plan, const PlotColumn *c, const Point *point, Arena *a)
{
	int i = (int)(c - p->column);
	return strmap_get(&c->at, plan_shown(a, &plan->axis.v[i], point->value[i]));
}

static void note_value(PlotData *p, const Sweep *s, const Task *t, const Point *point)
{
	Arena a = { 0 };
	const JsonValue *v = sweep_record(s, t, &a);
	const JsonValue *y = json_path(json_get(v, "statistics"), p->y);
	size_t cell = cell_of(p, strmap_get(&p->panel.at, panel_name(p, s->plan, point, &a)),
		p->series ? place_in(p, s->plan, p->series, point, &a) : 0,
		place_in(p, s->plan, p->x, point, &a));
	if (!strcmp(json_string(v, "status"), "ok") && json_is_number(y))
		p->value[cell] = y->number;
	arena_free(&a);
}

static bool choose_columns_of(PlotData *p, const Sweep *s, const PlotChoice *choice, Diag *d)
{
	p->x = choice->x ? named_column(p, s->plan, "--plot-x", choice->x, d) : choose_x(p, s->plan);
	if (!p->x) {
		if (!choice->x)
			diag_error(d, (Loc){ 0 }, "--plot: nothing varies; expected at least one column with "
				"two values");
		return false;
	}
	p->series = choice->series ? named_column(p, s->plan, "--plot-series", choice->series, d)
		: choose_series(p, s->plan);
	if (choice->series && !p->series)
		return false;
	if (p->series == p->x) {
		diag_error(d, (Loc){ 0 }, "--plot-x and --plot-series: expected two columns");
		return false;
	}
	p->kind = choice->given ? choice->kind : p->x->numeric ? PLOT_LINES : PLOT_BARS;
	return true;
}

static bool check_sizes(const PlotData *p, Diag *d)
{
	if (p->panel.value.n > PLOT_MOST_PANELS) {
		diag_error(d, (Loc){ 0 }, "--plot: %d combinations of what varies besides %s and %s; "
			"expected at most %d", p->panel.value.n, p->x->name,
			p->series ? p->series->name : "x", PLOT_MOST_PANELS);
		return false;
	}
	if (p->kind != PLOT_HEAT && plot_series(p) > PLOT_MOST_SERIES) {
		diag_error(d, (Loc){ 0 }, "--plot: %d series (%s); expected at most %d, or --plot-kind heat",
			plot_series(p), p->series->name, PLOT_MOST_SERIES);
		return false;
	}
	size_t cells = (size_t)p->panel.value.n * (size_t)plot_series(p) * (size_t)p->x->value.n;
	if (cells > PLOT_MOST_CELLS)
		diag_error(d, (Loc){ 0 }, "--plot: %zu values; expected at most %d", cells, PLOT_MOST_CELLS);
	return cells <= PLOT_MOST_CELLS;
}

bool plot_collect(PlotData *p, const Sweep *s, const PlotChoice *choice, Diag *d)
{
	*p = (PlotData){ .y = choice->y ? choice->y : s->plan->functional ? "warp_instructions" : "cycles" };
	p->better = stat_better(p->y);
	p->column = xcalloc((size_t)s->plan->axis.n, sizeof *p->column);
	for (int i = 0; i < s->plan->axis.n; i++)
		p->column[i].name = s->plan->axis.v[i].name;
	if (!each_point(p, s, note_values, d) || !choose_columns_of(p, s, choice, d))
		return false;
	find_common_folder(&p->column[AXIS_MODULE]);
	find_common_folder(&p->column[AXIS_MACHINE]);
	if (!each_point(p, s, note_panel, d) || !check_sizes(p, d))
		return false;
	size_t cells = (size_t)p->panel.value.n * (size_t)plot_series(p) * (size_t)p->x->value.n;
	p->value = xmalloc(cells * sizeof *p->value);
	for (size_t i = 0; i < cells; i++)
		p->value[i] = NAN;
	return each_point(p, s, note_value, d);
}

static void column_free(PlotColumn *c)
{
	vec_free(&c->value);
	strmap_free(&c->at);
}

void plot_data_free(PlotData *p, int naxes)
{
	for (int i = 0; p->column && i < naxes; i++)
		column_free(&p->column[i]);
	column_free(&p->panel);
	free(p->column);
	free(p->value);
	arena_free(&p->arena);
}

double plot_best(const PlotData *p, int panel)
{
	double best = NAN;
	for (int k = 0; k < plot_series(p) && p->better; k++)
		for (int i = 0; i < p->x->value.n; i++) {
			double v = plot_value(p, panel, k, i);
			if (isnan(best) || (p->better > 0 ? v > best : v < best))
				best = v;
		}
	return best;
}

bool plot_range(const PlotData *p, int panel, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (int m = panel < 0 ? 0 : panel; m < (panel < 0 ? p->panel.value.n : panel + 1); m++)
		for (int k = 0; k < plot_series(p); k++)
			for (int i = 0; i < p->x->value.n; i++) {
				double v = plot_value(p, m, k, i);
				*least = isnan(v) || v > *least ? *least : v;
				*most = isnan(v) || v < *most ? *most : v;
			}
	return *least <= *most;
}
