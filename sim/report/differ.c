/* The differences between two runs, and in one line their effect. The runs come as JSON values, from any
   version of gsim. */
#include "sim/report/differ.h"
#include "sim/report/pairs.h"
#include "sim/report/sheet.h"

enum { BRIEF_LINES = 12, LONGEST_NAME = 60, LONGEST_VALUE = 120 };

/* ---- what differs ---- */

typedef struct DifferLine { const char *name, *a, *b; bool thing; int number; } DifferLine;
typedef struct Same { const char *name, *value; } Same;

typedef struct Differ {
	Arena arena;
	ReportForm form;
	bool grid;
	const JsonValue *run[2];
	const char *mechanism[2];  /* names of the mechanisms, without parameters */
	Vec(DifferLine) line;
	const char *unrecorded;    /* which report does not say what the configuration was; NULL: both do */
	const char *results;       /* what the verdict says of them */
	bool workload_unknown;     /* a report does not say which workload ran */
	int things;                /* number of differences that are no consequence of others */
	Vec(Same) same;            /* settings that do not differ */
} Differ;

static void note_difference(Differ *d, const char *name, const char *a, const char *b, bool thing)
{
	vec_push(&d->line, ((DifferLine){ name, *a ? a : "none", *b ? b : "none", thing, d->line.n }));
	d->things += thing;
}

/* Notes a setting of the two runs; true when it differs. */
static bool setting(Differ *d, const char *name, const char *a, const char *b)
{
	if (strcmp(a, b))
		note_difference(d, name, a, b, true);
	else if (*a)
		vec_push(&d->same, ((Same){ name, a }));
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

static const JsonValue *launch_at(const JsonValue *run, int i)
{
	const JsonValue *launches = json_get(run, "launches");
	return launches && launches->kind == JSON_ARRAY && i < launches->n ? &launches->item[i] : NULL;
}

/* Do both reports have a list of launches? A report made with --sums has none. */
static bool have_launches(const Differ *d)
{
	return json_get(d->run[0], "launches") && json_get(d->run[1], "launches");
}

/* The names of the kernels launched, in order. A kernel that is launched several times in a row is named
   once; if one of the reports has no list of launches, each kernel is named once in all. */
static const char *kernels(Differ *d, const JsonValue *run)
{
	StrBuf b = { 0 };
	const char *last = "";
	const JsonValue *sums = have_launches(d) ? NULL : json_get(run, "kernels");
	for (int i = 0; sums && sums->kind == JSON_ARRAY && i < sums->n; i++)
		sb_printf(&b, "%s%s", i ? ", " : "", json_string(&sums->item[i], "kernel"));
	for (int i = 0; !sums && launch_at(run, i); i++) {
		const char *name = json_string(launch_at(run, i), "kernel");
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
	return l ? arena_printf(&d->arena, "%d: %s <%s> <%s>", i + 1, json_string(l, "kernel"),
		joined(d, json_get(l, "grid")), joined(d, json_get(l, "block"))) : "none";
}

/* Notes the first launch whose sizes differ. */
static void note_launches(Differ *d, bool thing)
{
	for (int i = 0; have_launches(d) && (launch_at(d->run[0], i) || launch_at(d->run[1], i)); i++) {
		const char *a = launch_text(d, launch_at(d->run[0], i), i),
			*b = launch_text(d, launch_at(d->run[1], i), i);
		if (!strcmp(a, b))
			continue;
		note_difference(d, "launch", a, b, thing);
		return;
	}
}

/* ---- the configuration ---- */

static bool belongs(const char *key, const char *mechanism)
{
	size_t n = strlen(mechanism);
	return n && !strncmp(key, mechanism, n) && key[n] == '.';
}

/* Does a plug-in that a run could use have the mechanism whose parameter this is? */
static bool of_a_plugin(const JsonValue *run, const char *key)
{
	const JsonValue *plugin = json_get(run, "plug_ins"), *names;
	for (int i = 0; plugin && plugin->kind == JSON_ARRAY && i < plugin->n; i++) {
		names = json_get(&plugin->item[i], "mechanisms");
		for (int k = 0; names && names->kind == JSON_ARRAY && k < names->n; k++)
			if (names->item[k].kind == JSON_STRING && belongs(key, names->item[k].text))
				return true;
	}
	return false;
}

static bool of_a_mechanism(const Differ *d, const char *key)
{
	const ModelKeys *m;
	for (int i = 0; (m = model_keys(i)); i++)
		if (belongs(key, m->name))
			return true;
	return of_a_plugin(d->run[0], key) || of_a_plugin(d->run[1], key);
}

static bool was_changed(const Differ *d, const char *key)
{
	for (int k = 0; k < 2; k++)
		if (json_get(json_path(d->run[k], "configuration.changed"), key))
			return true;
	return false;
}

/* Does the specification of run k's mechanism name the parameter already? */
static bool is_in_spec(const Differ *d, const char *key, int k)
{
	const char *leaf = strrchr(key, '.') + 1;
	for (const char *p = json_string(d->run[k], "model"); (p = strstr(p, leaf)); p += strlen(leaf))
		if (p[strlen(leaf)] == '=')
			return true;
	return false;
}

/* Notes a parameter. Those of mechanisms that did not run have no effect; those of a mechanism that ran in
 * one run alone belong to the mechanism, and those that come with another machine file belong to the file. */
static void note_parameter(Differ *d, const char *key, const char *a, const char *b, bool same_file)
{
	bool in_a = !of_a_mechanism(d, key) || belongs(key, d->mechanism[0]);
	bool in_b = !of_a_mechanism(d, key) || belongs(key, d->mechanism[1]);
	if (!strcmp(key, "divergence.model") || !strcmp(a, b) || (!in_a && !in_b))
		return;
	if (in_a && in_b)
		note_difference(d, key, a, b, same_file || was_changed(d, key));
	else if (was_changed(d, key) && !is_in_spec(d, key, in_b))
		note_difference(d, key, in_a ? a : "-", in_b ? b : "-", false);
}

static void configuration(Differ *d, bool same_file)
{
	const JsonValue *v[2] = { json_path(d->run[0], "configuration.values"),
		json_path(d->run[1], "configuration.values") };
	bool has[2] = { v[0] && v[0]->kind == JSON_OBJECT, v[1] && v[1]->kind == JSON_OBJECT };
	d->unrecorded = has[0] && has[1] ? NULL : has[0] ? "the report after" : has[1] ? "the report before"
		: "neither report";
	if (d->unrecorded)
		return;
	for (int i = 0; i < v[0]->n; i++) {
		const JsonValue *b = json_get(v[1], v[0]->key[i]);
		note_parameter(d, v[0]->key[i], json_shown(&v[0]->item[i]),
			b ? json_shown(b) : "not recorded", same_file);
	}
	for (int i = 0; i < v[1]->n; i++)
		if (!json_get(v[0], v[1]->key[i]))
			note_parameter(d, v[1]->key[i], "not recorded", json_shown(&v[1]->item[i]),
				same_file);
}

static bool texts(Differ *d, const char *name, const char *key)
{
	return setting(d, name, json_string(d->run[0], key), json_string(d->run[1], key));
}

/* Notes the mechanism, with its parameters if mechanisms differ; else the parameters stand among those of the
   machine. */
static void mechanism(Differ *d)
{
	const char *spec[2] = { json_string(d->run[0], "model"), json_string(d->run[1], "model") };
	bool bare = !strcmp(d->mechanism[0], d->mechanism[1]) && strcmp(spec[0], spec[1]);
	setting(d, "mechanism", bare ? d->mechanism[0] : spec[0], bare ? d->mechanism[1] : spec[1]);
}

/* Notes the module. Two files may have the same content, and the same file may have another content now.
   True: the content differs, or it is not known and the names differ. */
static bool module(Differ *d)
{
	const char *name[2] = { json_string(d->run[0], "module"), json_string(d->run[1], "module") };
	const char *hash[2] = { json_string(d->run[0], "module_hash"),
		json_string(d->run[1], "module_hash") };
	bool known = *hash[0] && *hash[1], same = known && !strcmp(hash[0], hash[1]);
	if (same && strcmp(name[0], name[1])) {
		note_difference(d, "name of the module", name[0], name[1], false);
		return false;
	}
	bool renamed = setting(d, "module", name[0], name[1]);
	if (known && !same && !renamed)
		note_difference(d, "content of the module", hash[0], hash[1], true);
	return renamed || (known && !same);
}

/* The workload that ran, as people name it. */
static const char *name_workload(const JsonValue *run)
{
	const char *file = json_string(run, "workload_file");
	return *file ? file : *json_string(run, "workload_hash") ? "host function main"
		: json_string(run, "workload");
}

/* Notes the workload, and its content, as the module's. other: the modules differ, which have host functions
   of their own. True: it is another one. */
static bool workload(Differ *d, bool other)
{
	const char *name[2] = { name_workload(d->run[0]), name_workload(d->run[1]) };
	const char *hash[2] = { json_string(d->run[0], "workload_hash"),
		json_string(d->run[1], "workload_hash") };
	const char *asked[2] = { json_string(d->run[0], "workload"), json_string(d->run[1], "workload") };
	bool same = !strcmp(hash[0], hash[1]), own = other && !*json_string(d->run[0], "workload_file");
	d->workload_unknown = !*hash[0] || !*hash[1];
	if (d->workload_unknown)
		return texts(d, "workload", "workload");
	if (strcmp(name[0], name[1]))
		note_difference(d, same ? "name of the workload" : "workload", name[0], name[1], !same);
	else if (!same)
		note_difference(d, "content of the workload", hash[0], hash[1], !own);
	else if (*asked[0] && !strcmp(asked[0], asked[1]))
		vec_push(&d->same, ((Same){ "workload", asked[0] }));
	return !same;
}

/* Another version may have another model of the machine, or other passes. */
static void version(Differ *d)
{
	const char *v[2] = { json_string(d->run[0], "gsim"), json_string(d->run[1], "gsim") };
	if (strcmp(v[0], v[1]))
		note_difference(d, "version of gsim", v[0], v[1], true);
}

/* Notes plug-ins of one name whose files differ. One that a single run could use makes no difference by
   itself: what it adds has to be named to have an effect. */
static void plugins(Differ *d)
{
	const JsonValue *list[2] = { json_get(d->run[0], "plug_ins"), json_get(d->run[1], "plug_ins") };
	for (int i = 0; list[0] && list[0]->kind == JSON_ARRAY && i < list[0]->n; i++)
		for (int k = 0; list[1] && list[1]->kind == JSON_ARRAY && k < list[1]->n; k++) {
			const JsonValue *a = &list[0]->item[i], *b = &list[1]->item[k];
			const char *name = json_string(a, "name"), *hash[2] = { json_string(a, "hash"),
				json_string(b, "hash") };
			if (!strcmp(name, json_string(b, "name")) && strcmp(hash[0], hash[1]))
				note_difference(d, arena_printf(&d->arena, "content of the plug-in %s", name),
					hash[0], hash[1], true);
		}
}

static void collect_differences(Differ *d)
{
	for (int k = 0; k < 2; k++) {
		const char *spec = json_string(d->run[k], "model");
		d->mechanism[k] = arena_strndup(&d->arena, spec, strcspn(spec, "("));
	}
	bool program = module(d);
	/* other kernels are only a consequence then: passes may fuse kernels */
	bool changed = strcmp(json_string(d->run[0], "passes"), json_string(d->run[1], "passes")) != 0;
	const char *kernel[2] = { kernels(d, d->run[0]), kernels(d, d->run[1]) };
	if (changed && strcmp(kernel[0], kernel[1]))
		note_difference(d, "kernel", kernel[0], kernel[1], false);
	else
		program |= setting(d, "kernel", kernel[0], kernel[1]);
	plugins(d);
	program |= workload(d, program);
	program |= setting(d, "arguments", joined(d, json_get(d->run[0], "arguments")),
		joined(d, json_get(d->run[1], "arguments")));
	note_launches(d, !program && !changed);
	version(d);
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
	sb_puts(out, out->n ? ", " : "");
	if (a->number == b->number)
		sb_printf(out, "as many %s", what);
	else if (a->number == 0)
		sb_printf(out, "%s %s, none before", b->text, what);
	else
		sb_printf(out, "%s %s %s", report_percent(text,
			(b->number > a->number ? b->number - a->number : a->number - b->number) / a->number),
			b->number < a->number ? "fewer" : "more", what);
}

static void put_points(StrBuf *out, const JsonValue *a, const JsonValue *b)
{
	if (!json_is_number(a) || !json_is_number(b))
		return;
	double points = 100 * (b->number - a->number);
	if (points == 0)
		sb_puts(out, ", the same SIMD utilisation");
	else
		sb_printf(out, ", %.1f points %s SIMD utilisation", points < 0 ? -points : points,
			points < 0 ? "less" : "more");
}

/* The subject of the verdict: the one thing that differs, named by its value where that is enough. */
static const char *subject(Differ *d)
{
	const DifferLine *l = d->line.v;
	if (d->things != 1)
		return "after";
	while (!l->thing)
		l++;
	if ((!strcmp(l->name, "passes") || !strcmp(l->name, "mechanism")) && strcmp(l->b, "none"))
		return l->b;
	return arena_printf(&d->arena, "%s %s", l->name, l->b);
}

/* Puts the verdict, or why there is none; in Markdown in bold, in front of everything else. */
static void put_verdict(Differ *d, const char *results, StrBuf *out)
{
	const JsonValue *total[2] = { json_get(d->run[0], "total"), json_get(d->run[1], "total") };
	const char *strong = d->form.markdown ? "**" : "", *shown[2];
	StrBuf line = { 0 };
	for (int k = 0; k < 2; k++) {
		const char *ending = run_ending(d->run[k]);
		if (*ending) {
			sb_printf(out, "%sno verdict: the run %s ended as: ", strong, k ? "after" : "before");
			sheet_code(out, d->form, ending);
			sb_printf(out, "%s\n", strong);
			return;
		}
	}
	if (!strcmp(results, "differ")) {
		sb_printf(out, "%sno verdict: results differ%s\n", strong, strong);
		return;
	}
	put_change(&line, json_get(total[0], "cycles"), json_get(total[1], "cycles"), "cycles");
	put_change(&line, json_get(total[0], "warp_instructions"), json_get(total[1], "warp_instructions"),
		"warp instructions");
	put_points(&line, json_get(total[0], "simd_utilization"), json_get(total[1], "simd_utilization"));
	sb_puts(out, strong);
	const char *which = subject(d);
	sheet_names(&d->arena, LONGEST_VALUE, which, which, shown);
	if (strcmp(which, "after"))
		sheet_code(out, d->form, shown[0]);
	else
		sb_puts(out, which);
	sb_printf(out, ": %s; results %s%s\n", line.s ? line.s : "no figures", d->results, strong);
	if (json_number(total[0], "launches") > 1 || json_number(total[1], "launches") > 1) {
		line.n = 0;
		put_change(&line, json_get(total[0], "launches"), json_get(total[1], "launches"), "launches");
		put_change(&line, json_get(total[0], "program_cycles"), json_get(total[1], "program_cycles"),
			"cycles from the first call to the last end");
		if (line.n)
			sb_printf(out, "%sthe program: %s\n", d->form.markdown ? "\n" : "", line.s);
	}
	sb_free(&line);
}

/* ---- both ---- */

/* Orders things before consequences, and both as they were found. */
static int things_first(const void *a, const void *b)
{
	const DifferLine *x = a, *y = b;
	return x->thing != y->thing ? y->thing - x->thing : x->number - y->number;
}

/* Puts the differences, a row each. */
static void put_difference_rows(Differ *d, StrBuf *out)
{
	const Column column[] = { { .heading = "", .gap = 2, .most = LONGEST_NAME, .left = true },
		{ .heading = "before", .gap = 2, .left = true, .code = true },
		{ .heading = "after", .left = true, .code = true } };
	int shown = d->form.full || d->line.n <= BRIEF_LINES ? d->line.n : BRIEF_LINES - 1;
	const char *value[2];
	Sheet s;
	qsort(d->line.v, (size_t)d->line.n, sizeof *d->line.v, things_first);
	sheet_begin(&s, d->form, column, sizeof column / sizeof *column);
	for (int i = 0; i < shown; i++) {
		sheet_names(&d->arena, LONGEST_VALUE, d->line.v[i].a, d->line.v[i].b, value);
		sheet_row(&s);
		sheet_put(&s, "%s", d->line.v[i].name);
		if (d->form.markdown) {
			sheet_put(&s, "%s", value[0]);
			sheet_put(&s, "%s", value[1]);
		} else {
			sheet_put(&s, "%s -> %s", value[0], value[1]);
		}
	}
	sheet_end(&s, NULL, false, out);
	sheet_hidden(d->line.n - shown, d->form, out);
}

/* Puts what does not differ: "module k.ir   kernel k", in lines that fit the screen. */
static void put_same(Differ *d, StrBuf *out)
{
	size_t start = out->n;
	const char *value[2];
	if (d->form.markdown && d->same.n)
		sb_puts(out, "\nthe same in both: ");
	for (int i = 0; i < d->same.n; i++) {
		const Same *same = &d->same.v[i];
		sheet_names(&d->arena, LONGEST_VALUE, same->value, same->value, value);
		size_t n = strlen(same->name) + strlen(value[0]) + 4;
		bool next = !d->form.markdown && i && out->n - start + n > SHEET_SCREEN;
		sb_puts(out, !i ? "" : d->form.markdown ? ", " : next ? "\n" : "   ");
		start = next ? out->n : start;
		sb_printf(out, "%s ", same->name);
		sheet_code(out, d->form, value[0]);
	}
	sb_puts(out, d->same.n ? "\n" : "");
}

/* Puts how many things differ, and which if it is one. */
static void put_things(Differ *d, StrBuf *out)
{
	const DifferLine *l = d->line.v;
	const char *value[2];
	sb_puts(out, d->form.markdown ? "\n" : "");
	if (d->things == 1 && d->line.n == 1) {
		sheet_names(&d->arena, LONGEST_VALUE, l->a, l->b, value);
		sb_printf(out, "one thing differs: %s ", l->name);
		sheet_code(out, d->form, value[0]);
		sb_puts(out, " -> ");
		sheet_code(out, d->form, value[1]);
		sb_putc(out, '\n');
	} else if (d->things == 1) {
		sb_puts(out, "one thing differs, with what comes with it:\n");
	} else if (d->things) {
		sb_printf(out, "%d things differ, so no figure below shows what one of them does:\n",
			d->things);
	} else {
		sb_puts(out, "nothing differs in what was run\n");
	}
	if (d->unrecorded)
		sheet_line(out, d->form, arena_printf(&d->arena,
			"%s records %s configuration: parameters may differ", d->unrecorded,
			*d->unrecorded == 'n' ? "a" : "no"));
	if (d->workload_unknown)
		sheet_line(out, d->form, "which workload ran is not in both reports: results are not "
			"compared");
	if (d->line.n && !(d->things == 1 && d->line.n == 1))
		put_difference_rows(d, out);
}

void report_differ(const JsonValue *before, const JsonValue *after, const char *results, const char *words,
	ReportForm form, StrBuf *out)
{
	Differ d = { .form = form, .grid = !results, .run = { before, after }, .results = words };
	collect_differences(&d);
	if (results && !strcmp(results, "differ"))
		sheet_line(out, form, "RESULTS DIFFER: one of the two is wrong, so no figure below speaks "
			"for either");
	if (form.markdown && results)
		put_verdict(&d, results, out);
	put_same(&d, out);
	put_things(&d, out);
	if (!form.markdown && results)
		put_verdict(&d, results, out);
	vec_free(&d.line);
	vec_free(&d.same);
	arena_free(&d.arena);
}

bool report_differ_alike(const JsonValue *const a[2], const JsonValue *const b[2])
{
	Differ x = { .grid = true, .run = { a[0], a[1] } }, y = { .grid = true, .run = { b[0], b[1] } };
	collect_differences(&x);
	collect_differences(&y);
	bool alike = x.line.n == y.line.n;
	for (int i = 0; i < x.line.n && alike; i++)
		alike = !strcmp(x.line.v[i].name, y.line.v[i].name) &&
			!strcmp(x.line.v[i].a, y.line.v[i].a) && !strcmp(x.line.v[i].b, y.line.v[i].b);
	Differ *d[2] = { &x, &y };
	for (int k = 0; k < 2; k++) {
		vec_free(&d[k]->line);
		vec_free(&d[k]->same);
		arena_free(&d[k]->arena);
	}
	return alike;
}
