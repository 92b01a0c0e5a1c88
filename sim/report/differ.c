/* The differences between two runs, and in one line their effect. The runs come as JSON values, from any version of gsim. */
#include "sim/report/differ.h"

enum { BRIEF_LINES = 12, LONGEST = 60, WIDTH = 100 };

/* ---- what differs ---- */

typedef struct Line { const char *name, *a, *b; bool thing; int number; } Line;

typedef struct Differ {
	Arena arena;
	bool grid;
	const JsonValue *run[2];
	const char *mechanism[2];  /* without parameters */
	Vec(Line) line;
	const char *unrecorded;    /* which report does not say what the configuration was */
	int things;                /* number of differences that are no consequence of others */
	StrBuf same;               /* text: the things that do not differ */
	size_t same_line;          /* where the last line of `same` begins */
} Differ;

static void differs(Differ *d, const char *name, const char *a, const char *b, bool thing)
{
	vec_push(&d->line, ((Line){ name, *a ? a : "none", *b ? b : "none", thing, d->line.n }));
	d->things += thing;
}

static void put_same(Differ *d, const char *name, const char *value)
{
	size_t n = strlen(name) + strlen(value) + 4;
	bool full = d->same.n && d->same.n - d->same_line + n > WIDTH;
	sb_printf(&d->same, "%s%s %.200s", full ? "\n" : d->same.n ? "   " : "", name, value);
	if (full)
		d->same_line = d->same.n - n + 4;
}

/* Notes a setting of the two runs; true when it differs. */
static bool setting(Differ *d, const char *name, const char *a, const char *b)
{
	if (strcmp(a, b))
		differs(d, name, a, b, true);
	else if (*a)
		put_same(d, name, a);
	return strcmp(a, b) != 0;
}

static const char *joined(Differ *d, const JsonValue *list)
{
	StrBuf b = { 0 };
	for (int i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
		sb_printf(&b, "%s%s", i ? " " : "", json_shown(&list->item[i]));
	const char *text = arena_strdup(&d->arena, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

static const JsonValue *launch_of(const JsonValue *run, int i)
{
	const JsonValue *launches = json_get(run, "launches");
	return launches && launches->kind == JSON_ARRAY && i < launches->n ? &launches->item[i] : NULL;
}

/* The names of the kernels launched, in order; a kernel launched several times in a row is named once. */
static const char *kernels(Differ *d, const JsonValue *run)
{
	StrBuf b = { 0 };
	const char *last = "";
	const JsonValue *sums = launch_of(run, 0) ? NULL : json_get(run, "kernels"); /* --sums leaves launches out */
	for (int i = 0; sums && sums->kind == JSON_ARRAY && i < sums->n && b.n < LONGEST; i++)
		sb_printf(&b, "%s%s", i ? ", " : "", json_string(&sums->item[i], "kernel"));
	for (int i = 0; launch_of(run, i) && b.n < LONGEST; i++) {
		const char *name = json_string(launch_of(run, i), "kernel");
		if (strcmp(name, last))
			sb_printf(&b, "%s%s", b.n ? ", " : "", name);
		last = name;
	}
	const char *text = arena_strdup(&d->arena, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

static const char *launch_text(Differ *d, const JsonValue *l, int i)
{
	return l ? arena_printf(&d->arena, "%d: %.40s <%s> <%s>", i + 1, json_string(l, "kernel"), joined(d, json_get(l, "grid")),
		joined(d, json_get(l, "block"))) : "none";
}

/* Notes the first launch whose sizes differ. */
static void launches(Differ *d, bool thing)
{
	for (int i = 0; launch_of(d->run[0], i) || launch_of(d->run[1], i); i++) {
		const char *a = launch_text(d, launch_of(d->run[0], i), i), *b = launch_text(d, launch_of(d->run[1], i), i);
		if (!strcmp(a, b))
			continue;
		differs(d, "launch", a, b, thing);
		return;
	}
}

/* ---- the configuration ---- */

static bool belongs(const char *key, const char *mechanism)
{
	size_t n = strlen(mechanism);
	return n && !strncmp(key, mechanism, n) && key[n] == '.';
}

static bool of_a_mechanism(const char *key)
{
	const ModelKeys *m;
	for (int i = 0; (m = model_keys(i)); i++)
		if (belongs(key, m->name))
			return true;
	return false;
}

static bool was_changed(const Differ *d, const char *key)
{
	for (int k = 0; k < 2; k++)
		if (json_get(json_path(d->run[k], "configuration.changed"), key))
			return true;
	return false;
}

/* Does the parameter stand in the mechanism's specification already? */
static bool is_in_spec(const Differ *d, const char *key, int k)
{
	const char *leaf = strrchr(key, '.') + 1;
	for (const char *p = json_string(d->run[k], "model"); (p = strstr(p, leaf)); p += strlen(leaf))
		if (p[strlen(leaf)] == '=')
			return true;
	return false;
}

/* Notes a parameter. Those of mechanisms that did not run have no effect; those of a mechanism that ran in one run alone belong to the mechanism, and
 * those that come with another machine file belong to the file. */
static void parameter(Differ *d, const char *key, const char *a, const char *b, bool same_file)
{
	bool in_a = !of_a_mechanism(key) || belongs(key, d->mechanism[0]);
	bool in_b = !of_a_mechanism(key) || belongs(key, d->mechanism[1]);
	if (!strcmp(key, "divergence.model") || !strcmp(a, b) || (!in_a && !in_b))
		return;
	if (in_a && in_b)
		differs(d, key, a, b, same_file || was_changed(d, key));
	else if (was_changed(d, key) && !is_in_spec(d, key, in_b))
		differs(d, key, in_a ? a : "-", in_b ? b : "-", false);
}

static void configuration(Differ *d, bool same_file)
{
	const JsonValue *v[2] = { json_path(d->run[0], "configuration.values"), json_path(d->run[1], "configuration.values") };
	bool has[2] = { v[0] && v[0]->kind == JSON_OBJECT, v[1] && v[1]->kind == JSON_OBJECT };
	d->unrecorded = has[0] && has[1] ? NULL : has[0] ? "the report after" : has[1] ? "the report before" : "neither report";
	if (d->unrecorded)
		return;
	for (int i = 0; i < v[0]->n; i++) {
		const JsonValue *b = json_get(v[1], v[0]->key[i]);
		parameter(d, v[0]->key[i], json_shown(&v[0]->item[i]), b ? json_shown(b) : "not recorded", same_file);
	}
	for (int i = 0; i < v[1]->n; i++)
		if (!json_get(v[0], v[1]->key[i]))
			parameter(d, v[1]->key[i], "not recorded", json_shown(&v[1]->item[i]), same_file);
}

static bool texts(Differ *d, const char *name, const char *key)
{
	return setting(d, name, json_string(d->run[0], key), json_string(d->run[1], key));
}

/* Notes the mechanism, with its parameters if mechanisms differ; else the parameters stand among those of the machine. */
static void mechanism(Differ *d)
{
	const char *spec[2] = { json_string(d->run[0], "model"), json_string(d->run[1], "model") };
	bool bare = !strcmp(d->mechanism[0], d->mechanism[1]) && strcmp(spec[0], spec[1]);
	setting(d, "mechanism", bare ? d->mechanism[0] : spec[0], bare ? d->mechanism[1] : spec[1]);
}

/* Notes the module: another file may have the same content, or the same file another one. */
static bool module(Differ *d)
{
	const char *name[2] = { json_string(d->run[0], "module"), json_string(d->run[1], "module") };
	const char *hash[2] = { json_string(d->run[0], "module_hash"), json_string(d->run[1], "module_hash") };
	bool known = *hash[0] && *hash[1], same = known && !strcmp(hash[0], hash[1]);
	if (same && strcmp(name[0], name[1])) {
		differs(d, "name of the module", name[0], name[1], false);
		return false;
	}
	bool renamed = setting(d, "module", name[0], name[1]);
	if (known && !same && !renamed)
		differs(d, "content of the module", hash[0], hash[1], true);
	return renamed || (known && !same);
}

static void collect(Differ *d)
{
	for (int k = 0; k < 2; k++) {
		const char *spec = json_string(d->run[k], "model");
		d->mechanism[k] = arena_strndup(&d->arena, spec, strcspn(spec, "("));
	}
	bool program = module(d);
	bool changed = strcmp(json_string(d->run[0], "passes"), json_string(d->run[1], "passes")) != 0; /* passes may fuse kernels */
	const char *kernel[2] = { kernels(d, d->run[0]), kernels(d, d->run[1]) };
	if (changed && strcmp(kernel[0], kernel[1]))
		differs(d, "kernel", kernel[0], kernel[1], false);
	else
		program |= setting(d, "kernel", kernel[0], kernel[1]);
	program |= texts(d, "workload", "workload");
	program |= setting(d, "arguments", joined(d, json_get(d->run[0], "arguments")), joined(d, json_get(d->run[1], "arguments")));
	launches(d, !program && !changed);
	bool same_file = !texts(d, "machine", "config");
	if (!d->grid)
		mechanism(d);
	configuration(d, same_file);
	if (!d->grid)
		texts(d, "passes", "passes");
	texts(d, "mode", "mode");
}

/* ---- the verdict ---- */

static void put_change(StrBuf *out, const JsonValue *a, const JsonValue *b, const char *what)
{
	char text[REPORT_PERCENT];
	if (!json_is_number(a) || !json_is_number(b))
		return;
	sb_puts(out, out->n && out->s[out->n - 1] != ' ' ? ", " : "");
	if (a->number == b->number)
		sb_printf(out, "as many %s", what);
	else if (a->number == 0)
		sb_printf(out, "%s %s, none before", b->text, what);
	else
		sb_printf(out, "%s %s %s", report_percent(text, (b->number > a->number ? b->number - a->number : a->number - b->number)
			/ a->number), b->number < a->number ? "fewer" : "more", what);
}

static void put_points(StrBuf *out, const JsonValue *a, const JsonValue *b)
{
	if (!json_is_number(a) || !json_is_number(b))
		return;
	double points = 100 * (b->number - a->number);
	if (points == 0)
		sb_puts(out, ", the same SIMD utilisation");
	else
		sb_printf(out, ", %.1f points %s SIMD utilisation", points < 0 ? -points : points, points < 0 ? "less" : "more");
}

/* The subject of the verdict: the one thing that differs, named by its value where that is enough. */
static const char *subject(Differ *d)
{
	const Line *l = d->line.v;
	if (d->things != 1)
		return "after";
	while (!l->thing)
		l++;
	if ((!strcmp(l->name, "passes") || !strcmp(l->name, "mechanism")) && strcmp(l->b, "none"))
		return l->b;
	return arena_printf(&d->arena, "%s %s", l->name, l->b);
}

static void put_verdict(Differ *d, const char *results, StrBuf *out)
{
	const JsonValue *total[2] = { json_get(d->run[0], "total"), json_get(d->run[1], "total") };
	StrBuf line = { 0 };
	for (int k = 0; k < 2; k++) {
		const char *status = json_string(d->run[k], "status");
		if (*status && strcmp(status, "ok")) {
			sb_printf(out, "no verdict: the run %s ended as: %s\n", k ? "after" : "before", status);
			return;
		}
	}
	sb_printf(&line, "%.200s: ", subject(d));
	put_change(&line, json_get(total[0], "cycles"), json_get(total[1], "cycles"), "cycles");
	put_change(&line, json_get(total[0], "warp_instructions"), json_get(total[1], "warp_instructions"), "warp instructions");
	put_points(&line, json_get(total[0], "simd_utilization"), json_get(total[1], "simd_utilization"));
	sb_printf(out, "%s; results %s\n", line.s, *results ? results : "not compared");
	if (json_number(total[0], "launches") > 1 || json_number(total[1], "launches") > 1) {
		line.n = 0;
		sb_puts(&line, "the program: ");
		put_change(&line, json_get(total[0], "launches"), json_get(total[1], "launches"), "launches");
		put_change(&line, json_get(total[0], "program_cycles"), json_get(total[1], "program_cycles"), "cycles from the first call to the last end");
		sb_printf(out, "%s\n", line.s);
	}
	sb_free(&line);
}

/* ---- both ---- */

/* Things before consequences, each in the order in which they were found. */
static int things_first(const void *a, const void *b)
{
	const Line *x = a, *y = b;
	return x->thing != y->thing ? y->thing - x->thing : x->number - y->number;
}

static void put_lines(Differ *d, bool full, StrBuf *out)
{
	int wide = 0, shown = full || d->line.n <= BRIEF_LINES ? d->line.n : BRIEF_LINES - 1;
	qsort(d->line.v, (size_t)d->line.n, sizeof *d->line.v, things_first);
	for (int i = 0; i < shown; i++)
		wide = (int)strlen(d->line.v[i].name) > wide ? (int)strlen(d->line.v[i].name) : wide;
	for (int i = 0; i < shown; i++)
		sb_printf(out, "  %-*s  %.200s -> %.200s\n", wide, d->line.v[i].name, d->line.v[i].a, d->line.v[i].b);
	if (shown < d->line.n)
		sb_printf(out, "  %d more " REPORT_ALL "\n", d->line.n - shown);
}

void report_differ(const JsonValue *before, const JsonValue *after, const char *results, bool full, StrBuf *out)
{
	Differ d = { .grid = !results, .run = { before, after } };
	collect(&d);
	if (d.same.n)
		sb_printf(out, "%s\n", d.same.s);
	if (d.things == 1 && d.line.n == 1)
		sb_printf(out, "one thing differs: %s %.200s -> %.200s\n", d.line.v[0].name, d.line.v[0].a, d.line.v[0].b);
	else if (d.things == 1)
		sb_puts(out, "one thing differs, with what comes with it:\n");
	else if (d.things)
		sb_printf(out, "%d things differ, so no figure below shows what one of them does:\n", d.things);
	else
		sb_puts(out, "nothing differs in what was run\n");
	if (d.unrecorded)
		sb_printf(out, "%s records %s configuration: parameters may differ\n", d.unrecorded, *d.unrecorded == 'n' ? "a" : "no");
	if (d.line.n && !(d.things == 1 && d.line.n == 1))
		put_lines(&d, full, out);
	if (results)
		put_verdict(&d, results, out);
	vec_free(&d.line);
	sb_free(&d.same);
	arena_free(&d.arena);
}
