#include "sim/report/by_place.h"

enum { FAR = 1 << 30 };

static const char *const figures[2][PLACE_FIGURES] = {
	[PLACE_BRANCHES] = { "executed", "divergent", "lost", "cycles" },
	[PLACE_LINES] = { "warp_instructions", "thread_instructions", "lost", "stalls" },
};
static const char *const tables[2] = { [PLACE_BRANCHES] = "branches", [PLACE_LINES] = "lines" };

const char *place_figure_name(PlaceKind k, int figure) { return figures[k][figure]; }

const char *place_match_note(PlaceMatch m)
{
	return m == MATCHED_BY_LABEL ? "the modules name no source that both have: branches are matched by "
		"function and label, lines not at all"
		: m == MATCHED_BY_ORDER ? "the modules name no source that both have: branches are matched "
		"by function and their order in it, lines not at all" : NULL;
}

bool place_other_module(const JsonValue *a, const JsonValue *b)
{
	const char *hash[2] = { json_string(a, "module_hash"), json_string(b, "module_hash") };
	return *hash[0] && *hash[1] ? strcmp(hash[0], hash[1]) != 0
		: strcmp(json_string(a, "module"), json_string(b, "module")) != 0;
}

/* ---- reports ---- */

/* A report, with the numbers of its files and its lines without a source. */
typedef struct Part {
	const JsonValue *report;
	const char *module;            /* the file of the module's own text */
	StrMap file;                   /* numbers in Places.file */
	StrMap near;                   /* rows of `nearest`, by the line of a module's text */
} Part;

/* A file of the source, as the first report that has it names it, and how many reports have it. */
typedef struct SourceFile { const char *name; int reports; } SourceFile;

typedef struct Places {
	PlaceTable *t;
	int n;
	Part *part;
	bool own;                      /* all reports are of one module, whose own text is a source, too */
	Vec(SourceFile) file;          /* each file once */
	StrMap at;                     /* rows of the table by their keys */
} Places;

static const JsonValue *rows_of(const JsonValue *report, const char *table)
{
	const JsonValue *v = json_get(json_get(report, "total"), table);
	return v && v->kind == JSON_ARRAY ? v : NULL;
}

static const char *line_key(Arena *a, const JsonValue *place)
{
	return arena_printf(a, "%s\n%.0f", json_string(place, "file"), json_number(place, "line"));
}

/* The row of `nearest` for a row that stands in the text of a module; NULL: there is none. */
static const JsonValue *nearest_of(const Part *x, const JsonValue *row)
{
	Arena a = { 0 };
	int k = x->near.n ? strmap_get(&x->near, line_key(&a, row)) : -1;
	arena_free(&a);
	return k < 0 ? NULL : &json_get(x->report, "nearest")->item[k];
}

/* The place of a row in the source. False: it has none. */
static bool source_of(const Places *p, const Part *x, const JsonValue *row, const char **file, int *line)
{
	const JsonValue *near = nearest_of(x, row);
	double n = near ? json_number(near, "source_line") : json_number(row, "line");
	*file = near ? json_string(near, "source") : json_string(row, "file");
	*line = n >= 1 && n < FAR ? (int)n : 0;
	return **file && *line && (p->own || strcmp(*file, x->module));
}

static void index_nearest(Places *p, Part *x)
{
	const JsonValue *list = json_get(x->report, "nearest");
	for (int i = list && list->kind == JSON_ARRAY ? list->n - 1 : -1; i >= 0; i--)
		strmap_put(&x->near, line_key(&p->t->arena, &list->item[i]), i);
}

/* ---- names of files ---- */

/* How many parts of two names are the same, from the end; 0: the files' own names differ. */
static int common_parts(const char *a, const char *b)
{
	const char *x = a + strlen(a), *y = b + strlen(b);
	int n = 0;
	while (x > a && y > b && x[-1] == y[-1]) {
		x--;
		y--;
		n += *x == '/';
	}
	return n + ((x == a || x[-1] == '/') && (y == b || y[-1] == '/') && *x != '/');
}

/* Is it the same file, by its whole name or as the text of the one module? */
static bool is_file(const Places *p, const Part *x, const char *name, int k)
{
	const char *known = p->file.v[k].name;
	return !strcmp(known, name) || (p->own && !strcmp(name, x->module) &&
		!strcmp(known, p->part[0].module));
}

/* The number of the file that is most alike among those that no file of this report has yet; -1: no file has
   that name in any folder. */
static int most_alike(const Places *p, const char *name, const bool *taken, int n)
{
	int best = -1, most = 0;
	for (int i = 0; i < n; i++) {
		int same = taken[i] ? 0 : common_parts(p->file.v[i].name, name);
		best = same > most ? i : best;
		most = same > most ? same : most;
	}
	return best;
}

typedef Vec(const char *) FileNames;

/* The files that rows of the report name, each once. */
static void collect_files(const Places *p, const Part *x, FileNames *names)
{
	StrMap seen = { 0 };
	for (int t = 0; t < 2; t++) {
		const JsonValue *rows = rows_of(x->report, tables[t]);
		for (int i = 0; rows && i < rows->n; i++) {
			const char *file;
			int line;
			if (!source_of(p, x, &rows->item[i], &file, &line) || strmap_get(&seen, file) >= 0)
				continue;
			strmap_put(&seen, file, 0);
			vec_push(names, file);
		}
	}
	strmap_free(&seen);
}

/* Numbers the files of a report: first those whose whole names are known already, then those whose names
   differ by their folders. */
static void number_files(Places *p, Part *x)
{
	FileNames own = { 0 };
	int known = p->file.n;
	bool *taken = arena_array(&p->t->arena, bool, known + 1);
	collect_files(p, x, &own);
	for (int i = 0; i < own.n; i++)
		for (int k = 0; k < known; k++)
			if (!taken[k] && is_file(p, x, own.v[i], k)) {
				strmap_put(&x->file, own.v[i], k);
				taken[k] = true;
				break;
			}
	for (int i = 0; i < own.n; i++) {
		int k = strmap_get(&x->file, own.v[i]);
		if (k < 0 && (k = most_alike(p, own.v[i], taken, known)) >= 0)
			taken[k] = true;
		if (k < 0) {
			vec_push(&p->file, ((SourceFile){ own.v[i], 0 }));
			k = p->file.n - 1;
		}
		strmap_put(&x->file, own.v[i], k);
		p->file.v[k].reports++;
	}
	vec_free(&own);
}

/* ---- how rows are matched ---- */


static const char *label_key(Arena *a, const JsonValue *row)
{
	return arena_printf(a, "%s\n%s", json_string(row, "function"), json_string(row, "label"));
}

/* Are all labels of the branches of one report those of the other? */
static bool has_labels(const JsonValue *of, const JsonValue *in)
{
	Arena a = { 0 };
	StrMap labels = { 0 };
	bool all = true;
	const JsonValue *rows = rows_of(in, "branches");
	for (int i = 0; rows && i < rows->n; i++)
		strmap_put(&labels, label_key(&a, &rows->item[i]), i);
	rows = rows_of(of, "branches");
	for (int i = 0; rows && i < rows->n && all; i++)
		all = strmap_get(&labels, label_key(&a, &rows->item[i])) >= 0;
	strmap_free(&labels);
	arena_free(&a);
	return all;
}

/* A run that failed, or that measured nothing of places, has no rows. */
static bool has_rows(const Part *x)
{
	const JsonValue *lines = rows_of(x->report, "lines"), *branches = rows_of(x->report, "branches");
	return (lines && lines->n) || (branches && branches->n);
}

static PlaceMatch match_of(Places *p)
{
	PlaceMatch m = MATCHED_BY_PLACE;
	for (int i = 0; i < p->n; i++)
		m = p->part[i].file.n || !has_rows(&p->part[i]) ? m : MATCHED_BY_LABEL;
	bool shared = p->n < 2 || p->own;
	for (int k = 0; k < p->file.n; k++)
		shared |= p->file.v[k].reports > 1;
	m = shared ? m : MATCHED_BY_LABEL;
	for (int i = 1; i < p->n && m == MATCHED_BY_LABEL; i++)
		if (!has_labels(p->part[i].report, p->part[0].report) &&
			!has_labels(p->part[0].report, p->part[i].report))
			m = MATCHED_BY_ORDER;
	return m;
}

/* ---- rows ---- */

static PlaceRow *row_at(Places *p, const char *key)
{
	PlaceTable *t = p->t;
	int k = strmap_get(&p->at, key);
	if (k < 0) {
		PlaceRow r = { .function = "", .file = "", .copies = arena_array(&t->arena, int, p->n),
			.figure = arena_array(&t->arena, PlaceFigure, p->n * PLACE_FIGURES) };
		k = t->row.n;
		strmap_put(&p->at, key, k);
		vec_push(&t->row, r);
	}
	return &t->row.v[k];
}

/* The sum of the row's stalls, or a figure of the row. What a row leaves out is 0. */
static PlaceFigure read_figure(const JsonValue *row, const char *name, bool timed)
{
	const JsonValue *v = json_get(row, name);
	PlaceFigure f = { .known = json_is_number(v), .v = json_is_number(v) ? v->number : 0 };
	if (!v)
		f.known = timed || (strcmp(name, "stalls") && strcmp(name, "cycles"));
	for (int i = 0; v && v->kind == JSON_OBJECT && i < v->n; i++) {
		f.known = true;
		f.v += json_is_number(&v->item[i]) ? v->item[i].number : 0;
	}
	return f;
}

static void add_to_row(const Places *p, PlaceRow *r, int report, const JsonValue *row)
{
	bool timed = json_is_number(json_path(p->part[report].report, "total.cycles"));
	for (int k = 0; k < PLACE_FIGURES; k++) {
		PlaceFigure f = read_figure(row, figures[p->t->kind][k], timed),
			*sum = &r->figure[report * PLACE_FIGURES + k];
		sum->known = f.known && (sum->known || !r->copies[report]);
		sum->v += f.v;
	}
	r->copies[report]++;
}

/* The key of a row that has a place in the source, with its name; NULL: it has none. */
static const char *place_key(Places *p, int report, const JsonValue *row, PlaceRow *named)
{
	const char *file;
	int line;
	Arena *a = &p->t->arena;
	if (p->t->match != MATCHED_BY_PLACE || !source_of(p, &p->part[report], row, &file, &line))
		return NULL;
	int k = strmap_get(&p->part[report].file, file);
	*named = (PlaceRow){ .file = p->file.v[k].name, .line = line };
	return arena_printf(a, "%d\n%d", k, line);
}

/* The key of another row: by function, and by label or order. ordinal: how many rows of each function the
   report has had. */
static const char *other_key(Places *p, StrMap *ordinal, const JsonValue *row, PlaceRow *named)
{
	Arena *a = &p->t->arena;
	const char *function = json_string(row, "function"), *label = json_string(row, "label");
	named->function = function;
	if (p->t->match == MATCHED_BY_PLACE || p->t->kind == PLACE_LINES) {
		named->name = *function ? arena_printf(a, "%s (no place in the source)", function)
			: "(no instruction)";
		return arena_printf(a, "-%s", function);
	}
	if (p->t->match == MATCHED_BY_LABEL) {
		named->name = arena_printf(a, "%s %s", function, label);
		return label_key(a, row);
	}
	int n = strmap_get(ordinal, function);
	n = n < 0 ? 1 : n + 1;
	strmap_put(ordinal, function, n);
	named->name = arena_printf(a, "%s, branch %d", function, n);
	return arena_printf(a, "%s\n%d", function, n);
}

static void add_rows(Places *p, int report)
{
	const JsonValue *rows = rows_of(p->part[report].report, tables[p->t->kind]);
	StrMap ordinal = { 0 };
	for (int i = 0; rows && i < rows->n; i++) {
		PlaceRow named = { .function = "", .file = "", .name = "" };
		const char *key = place_key(p, report, &rows->item[i], &named);
		if (!key)
			key = other_key(p, &ordinal, &rows->item[i], &named);
		PlaceRow *r = row_at(p, key);
		if (!r->name) {
			r->name = named.name;
			r->function = named.function ? named.function : "";
			r->file = named.file;
			r->line = named.line;
		}
		add_to_row(p, r, report, &rows->item[i]);
	}
	strmap_free(&ordinal);
}

/* ---- the table ---- */

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}

/* Names rows by the files' own names; of files that have the same in several folders, by the whole ones. */
static void name_rows(Places *p)
{
	StrMap seen = { 0 };
	for (int k = 0; k < p->file.n; k++) {
		const char *base = base_name(p->file.v[k].name);
		strmap_put(&seen, base, strmap_get(&seen, base) < 0 ? 0 : 1);
	}
	for (int i = 0; i < p->t->row.n; i++) {
		PlaceRow *r = &p->t->row.v[i];
		const char *base = base_name(r->file);
		if (r->line)
			r->name = arena_printf(&p->t->arena, "%s:%d", strmap_get(&seen, base) > 0 ? r->file
				: base, r->line);
	}
	strmap_free(&seen);
}

/* A row with the number of its file, for sorting. */
typedef struct Placed { PlaceRow row; int file, order; } Placed;

static int by_file_and_line(const void *a, const void *b)
{
	const Placed *x = a, *y = b;
	return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
		: x->row.line != y->row.line ? (x->row.line > y->row.line) - (x->row.line < y->row.line)
		: x->order - y->order;
}

static void sort_rows(Places *p)
{
	PlaceTable *t = p->t;
	StrMap number = { 0 };
	Placed *all = xcalloc((size_t)t->row.n + 1, sizeof *all);
	for (int k = 0; k < p->file.n; k++)
		strmap_put(&number, p->file.v[k].name, k);
	for (int i = 0; i < t->row.n; i++)
		all[i] = (Placed){ t->row.v[i], t->row.v[i].line
			? strmap_get(&number, t->row.v[i].file) : FAR, i };
	qsort(all, (size_t)t->row.n, sizeof *all, by_file_and_line);
	for (int i = 0; i < t->row.n; i++)
		t->row.v[i] = all[i].row;
	free(all);
	strmap_free(&number);
}

/* Begins with the files of all reports. A report NULL has no rows. */
static Places begin_places(PlaceTable *t, const JsonValue *const *report, int n)
{
	Places p = { .t = t, .n = n, .own = true };
	const JsonValue *first = NULL;
	p.part = arena_array(&t->arena, Part, n + 1);
	for (int i = 0; i < n; i++) {
		p.part[i] = (Part){ .report = report[i], .module = json_string(report[i], "module") };
		first = first ? first : report[i];
		p.own &= !report[i] || !place_other_module(first, report[i]);
		index_nearest(&p, &p.part[i]);
	}
	for (int i = 0; i < n; i++)
		number_files(&p, &p.part[i]);
	return p;
}

static void end_places(Places *p)
{
	for (int i = 0; i < p->n; i++) {
		strmap_free(&p->part[i].file);
		strmap_free(&p->part[i].near);
	}
	strmap_free(&p->at);
	vec_free(&p->file);
}

void place_table(PlaceTable *t, const JsonValue *const *report, int n, PlaceKind kind)
{
	*t = (PlaceTable){ .kind = kind, .reports = n };
	Places p = begin_places(t, report, n);
	t->match = match_of(&p);
	for (int i = 0; i < n && (kind == PLACE_BRANCHES || t->match == MATCHED_BY_PLACE); i++)
		add_rows(&p, i);
	name_rows(&p);
	if (t->match == MATCHED_BY_PLACE && t->row.n)
		sort_rows(&p);
	end_places(&p);
}

/* Copies a value; each object that has a place in the source gets the place by which it is matched. */
static JsonValue with_places(const Places *p, const Part *x, Arena *a, const JsonValue *v)
{
	JsonValue copy = *v;
	const char *file;
	int line;
	copy.item = v->n ? arena_array(a, JsonValue, v->n) : NULL;
	for (int i = 0; i < v->n; i++)
		copy.item[i] = with_places(p, x, a, &v->item[i]);
	if (v->kind != JSON_OBJECT || !source_of(p, x, v, &file, &line))
		return copy;
	int k = strmap_get(&x->file, file);
	for (int i = 0; i < v->n && k >= 0; i++)
		if (!strcmp(v->key[i], "file"))
			copy.item[i] = (JsonValue){ .kind = JSON_STRING, .text = p->file.v[k].name };
		else if (!strcmp(v->key[i], "line"))
			copy.item[i] = (JsonValue){ .kind = JSON_NUMBER, .number = line,
				.text = arena_printf(a, "%d", line) };
	return copy;
}

void place_unite(Arena *a, const JsonValue *report[2])
{
	PlaceTable t = { 0 };
	Places p = begin_places(&t, report, 2);
	for (int k = 0; k < 2; k++) {
		JsonValue *v = arena_new(a, JsonValue);
		*v = with_places(&p, &p.part[k], a, report[k]);
		report[k] = v;
	}
	end_places(&p);
	place_table_free(&t);
}

void place_table_free(PlaceTable *t)
{
	vec_free(&t->row);
	arena_free(&t->arena);
}
