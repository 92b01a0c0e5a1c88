#include "sim/report/many.h"
#include "lib/names.h"
#include "sim/report/pairs.h"

/* ---- the runs ---- */

void many_add(Many *m, const JsonValue *report, const char *file, const char *label)
{
	vec_push(&m->run, ((ManyRun){ .report = report, .file = file, .label = label ? label : "" }));
}

static bool has_total(const JsonValue *report)
{
	const JsonValue *total = json_get(report, "total");
	return total && total->kind == JSON_OBJECT;
}

static bool is_run(const JsonValue *v) { return has_total(v) || *json_string(v, "status"); }

/* Adds before and after, if the value has them. */
static bool add_both(Many *m, const JsonValue *v, const char *file, const char *under)
{
	static const char *const side[2] = { "before", "after" };
	if (!has_total(json_get(v, side[0])) || !has_total(json_get(v, side[1])))
		return false;
	for (int k = 0; k < 2; k++)
		many_add(m, json_get(v, side[k]), file, *under
			? arena_printf(&m->arena, "%s, %s", side[k], under) : side[k]);
	return true;
}

bool many_add_file(Many *m, const JsonValue *v, const char *file)
{
	const JsonValue *runs = json_get(v, "runs"), *comparisons = json_get(v, "comparisons");
	bool good = true;
	if (runs && runs->kind == JSON_ARRAY) {
		for (int i = 0; i < runs->n && good; i++)
			if ((good = is_run(&runs->item[i])))
				many_add(m, &runs->item[i], file, run_name(&m->arena, &runs->item[i]));
		return good && runs->n;
	}
	if (comparisons && comparisons->kind == JSON_ARRAY) {
		for (int i = 0; i < comparisons->n && good; i++)
			good = add_both(m, &comparisons->item[i], file, json_string(
				json_get(&comparisons->item[i], "before"), "model"));
		return good && comparisons->n;
	}
	if (add_both(m, v, file, ""))
		return true;
	if (has_total(v))
		many_add(m, v, file, NULL);
	return has_total(v);
}

void many_free(Many *m)
{
	vec_free(&m->run);
	arena_free(&m->arena);
}

/* ---- names ---- */

/* The file's own name, without .json. */
static const char *short_name(Arena *a, const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	size_t n = strlen(base);
	bool json = n > 5 && !strcmp(base + n - 5, ".json");
	return arena_strndup(a, base, json ? n - 5 : n);
}

static bool all_same(const Many *m, const char *key)
{
	for (int i = 1; i < m->run.n; i++)
		if (strcmp(json_string(m->run.v[i].report, key), json_string(m->run.v[0].report, key)))
			return false;
	return true;
}

/* The runs of one grid are told apart by what they do not have in common. */
static const char *label_of_grid(Many *m, const ManyRun *r)
{
	const char *model = json_string(r->report, "model");
	return all_same(m, "model") ? run_passes(r->report) : all_same(m, "passes") ? model
		: arena_printf(&m->arena, "%s, %s", model, run_passes(r->report));
}

static bool one_file(const Many *m)
{
	for (int i = 1; i < m->run.n; i++)
		if (!m->run.v[i].file != !m->run.v[0].file || (m->run.v[i].file &&
			strcmp(m->run.v[i].file, m->run.v[0].file)))
			return false;
	return true;
}

/* Gives names that came before a number. */
static void make_unique(Many *m)
{
	StrMap seen = { 0 };
	for (int i = 0; i < m->run.n; i++) {
		const char *name = m->run.v[i].name;
		for (int n = 2; strmap_get(&seen, m->run.v[i].name) >= 0; n++)
			m->run.v[i].name = arena_printf(&m->arena, "%s (%d)", name, n);
		strmap_put(&seen, m->run.v[i].name, i);
	}
	strmap_free(&seen);
}

static void name_runs(Many *m)
{
	bool one = one_file(m);
	for (int i = 0; i < m->run.n; i++) {
		ManyRun *r = &m->run.v[i];
		bool side = !strncmp(r->label, "before", 6) || !strncmp(r->label, "after", 5);
		const char *label = !*r->label || side ? r->label : label_of_grid(m, r);
		if (one && *label)
			r->name = label;
		else if (*label)
			r->name = arena_printf(&m->arena, "%s: %s", short_name(&m->arena, r->file), label);
		else
			r->name = r->file ? short_name(&m->arena, r->file) : "";
	}
	make_unique(m);
}

void many_settle(Many *m)
{
	for (int i = 0; i < m->run.n; i++) {
		ManyRun *r = &m->run.v[i];
		const JsonValue *first = m->run.v[0].report;
		r->outcome = run_outcome(&m->arena, r->report);
		r->results = !i ? "baseline" : report_compare_results(first, r->report, &r->compared);
	}
	name_runs(m);
}

/* ---- figures ---- */

static const JsonValue *usable(const ManyRun *r) { return *r->outcome ? NULL : r->report; }

static bool is_row_table(const char *key)
{
	static const char *const table[] = { "blocks", "branches", "partings", "lines", "races", "code" };
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(key, table[i]))
			return true;
	return false;
}

/* A member by its number in an array, or by the key, which reports mostly have in the same order. */
static const JsonValue *member(const JsonValue *of, const char *key, int i)
{
	if (!of)
		return NULL;
	if (i < of->n && (of->kind == JSON_ARRAY || !strcmp(of->key[i], key)))
		return &of->item[i];
	return of->kind == JSON_OBJECT ? json_get(of, key) : NULL;
}

static const char *path_of_member(Arena *a, const char *path, const JsonValue *of, int i)
{
	return of->kind == JSON_ARRAY ? arena_printf(a, "%s[%d]", path, i)
		: arena_printf(a, "%s%s%s", path, *path ? "." : "", of->key[i]);
}

static bool has_earlier(const JsonValue *const *of, int run, const char *key, int i)
{
	for (int k = 0; k < run; k++)
		if (member(of[k], key, i))
			return true;
	return false;
}

/* Collects the numbers below values of the same place in all reports. */
static void collect_figures(Many *m, const JsonValue *const *of, const char *kernel, const char *path,
	ManyFigures *to)
{
	for (int run = 0; run < m->run.n; run++)
		for (int i = 0; of[run] && i < of[run]->n; i++) {
			const JsonValue *v = &of[run]->item[i];
			const char *key = of[run]->kind == JSON_OBJECT ? of[run]->key[i] : "";
			bool nested = v->kind == JSON_OBJECT || v->kind == JSON_ARRAY;
			if (is_row_table(key) || has_earlier(of, run, key, i) ||
				!(nested || v->kind == JSON_NUMBER))
				continue;
			const JsonValue **all = arena_array(&m->arena, const JsonValue *, m->run.n);
			for (int k = 0; k < m->run.n; k++) {
				const JsonValue *x = member(of[k], key, i);
				all[k] = x && (!nested || x->kind == v->kind) ? x : NULL;
			}
			const char *name = path_of_member(&m->arena, path, of[run], i);
			if (nested)
				collect_figures(m, all, kernel, name, to);
			else
				vec_push(to, ((ManyFigure){ kernel, name, all }));
		}
}

void many_figures(Many *m, ManyFigures *to)
{
	const JsonValue **total = arena_array(&m->arena, const JsonValue *, m->run.n + 1);
	for (int k = 0; k < m->run.n; k++)
		total[k] = json_get(usable(&m->run.v[k]), "total");
	collect_figures(m, total, NULL, "", to);
}

static const JsonValue *kernel_of(const JsonValue *report, const char *name)
{
	const JsonValue *rows = json_get(report, "kernels");
	for (int i = 0; rows && rows->kind == JSON_ARRAY && i < rows->n; i++)
		if (!strcmp(json_string(&rows->item[i], "kernel"), name))
			return &rows->item[i];
	return NULL;
}

void many_kernel_figures(Many *m, ManyFigures *to)
{
	StrMap seen = { 0 };
	for (int run = 0; run < m->run.n; run++) {
		const JsonValue *rows = json_get(usable(&m->run.v[run]), "kernels");
		for (int i = 0; rows && rows->kind == JSON_ARRAY && i < rows->n; i++) {
			const char *name = json_string(&rows->item[i], "kernel");
			if (strmap_get(&seen, name) >= 0)
				continue;
			strmap_put(&seen, name, i);
			const JsonValue **of = arena_array(&m->arena, const JsonValue *, m->run.n);
			for (int k = 0; k < m->run.n; k++)
				of[k] = kernel_of(usable(&m->run.v[k]), name);
			collect_figures(m, of, name, "", to);
		}
	}
	strmap_free(&seen);
}

bool many_ratio(const JsonValue *a, const JsonValue *b, double *ratio)
{
	if (!json_is_number(a) || !json_is_number(b) || (a->number == 0 && b->number != 0))
		return false;
	*ratio = a->number == 0 ? 1 : b->number / a->number;
	return true;
}

void many_places(Many *m, PlaceTable *t, PlaceKind kind)
{
	const JsonValue **report = arena_array(&m->arena, const JsonValue *, m->run.n + 1);
	for (int k = 0; k < m->run.n; k++)
		report[k] = usable(&m->run.v[k]);
	place_table(t, report, m->run.n, kind);
}

bool many_by_named(const char *text, PlaceKind *kind, int *figure)
{
	static const char *const table[2] = { [PLACE_BRANCHES] = "branches", [PLACE_LINES] = "lines" };
	static const int usual[2] = { [PLACE_BRANCHES] = 2, [PLACE_LINES] = 0 };
	for (int k = 0; k < 2; k++) {
		size_t n = strlen(table[k]);
		if (strncmp(text, table[k], n) || (text[n] && text[n] != '.'))
			continue;
		*kind = (PlaceKind)k;
		*figure = usual[k];
		for (int f = 0; text[n] && f < PLACE_FIGURES; f++)
			if (!strcmp(text + n + 1, place_figure_name(*kind, f))) {
				*figure = f;
				return true;
			}
		return !text[n];
	}
	return false;
}
