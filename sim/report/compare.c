/* Compares two reports. They come as JSON values, so that gsim and gsim-compare show the same. */
#include "lib/hash.h"
#include "sim/report/compare.h"
#include "sim/report/differ.h"
#include "sim/report/filled.h"
#include "sim/report/kernels.h"
#include "sim/report/pairs.h"

enum { BRIEF_ROWS = 7, LONGEST = 48, LONGEST_FULL = 96 };

static const JsonValue *report_total(const JsonValue *report) { return json_get(report, "total"); }

/* ---- cells ---- */

static bool is_share(const char *path)
{
	return !strcmp(path, "simd_utilization") || !strcmp(path, "static.occupancy");
}

const char *compare_value(char text[COMPARE_VALUE], const JsonValue *v, const char *path)
{
	if (!v)
		snprintf(text, COMPARE_VALUE, "-");
	else if (!json_is_number(v))
		snprintf(text, COMPARE_VALUE, "n/a");
	else if (is_share(path))
		report_percent(text, v->number);
	else if (strpbrk(v->text, ".eE") || strlen(v->text) > 16)
		snprintf(text, COMPARE_VALUE, "%.5g", v->number);
	else
		snprintf(text, COMPARE_VALUE, "%s", v->text);
	return text;
}

void compare_put_value(Sheet *s, const JsonValue *v, const char *path)
{
	sheet_put(s, "%s", compare_value((char[COMPARE_VALUE]){ 0 }, v, path));
}

void compare_put_ratio(Sheet *s, const JsonValue *a, const JsonValue *b)
{
	if (!json_is_number(a) || !json_is_number(b) || (a->number == 0 && b->number != 0))
		sheet_put(s, "-");
	else
		sheet_put(s, "%.3f", a->number == 0 ? 1.0 : b->number / a->number);
}

void compare_begin(Sheet *s, ReportForm form, bool within)
{
	const Column column[] = { { .heading = "", .least = within ? 38 : 40,
		.most = form.full ? LONGEST_FULL : LONGEST, .gap = within ? 2 : 0, .left = true,
		.code = true },
		{ .heading = "before", .least = 16, .gap = 1 }, { .heading = "after", .least = 16, .gap = 1 },
		{ .heading = "ratio", .least = 9, .gap = 1 },
		{ .heading = "", .gap = 2, .left = true } };
	sheet_begin(s, form, column, sizeof column / sizeof *column);
}

void compare_row(Sheet *s, const char *name, const char *path, const JsonValue *a, const JsonValue *b)
{
	int better = stat_better(path);
	sheet_row(s);
	sheet_put(s, "%s", name);
	compare_put_value(s, a, path);
	compare_put_value(s, b, path);
	compare_put_ratio(s, a, b);
	if (better && !s->form.unjudged && json_is_number(a) && json_is_number(b) && a->number != b->number)
		sheet_put(s, (b->number > a->number) == (better > 0) ? "better" : "worse");
}

/* ---- figures ---- */

const char *const compare_leading[] = { "cycles", "simd_utilization", "warp_instructions",
	"thread_instructions",
	"inserted.warp_instructions", "inserted.thread_instructions", "overhead.warp_instructions",
	"divergence.branches",
	"divergence.divergent_branches", "divergence.max_depth", "divergence.mean_depth", "divergence.pushes",
	"divergence.spills", "memory.transactions", "memory.nonfaulting.loads",
	"memory.nonfaulting.zero_loads", "memory.shared_conflicts", "memory.dram.reads", NULL };

static void put_leading(const JsonValue *a, const JsonValue *b, Sheet *s)
{
	for (const char *const *path = compare_leading; *path; path++) {
		const JsonValue *x = json_path(a, *path), *y = json_path(b, *path);
		if (json_is_number(x) || json_is_number(y))
			compare_row(s, *path, *path, x, y);
	}
}

/* Below the row of the stalls for memory: those of each level. */
static void compare_levels(const JsonValue *a, const JsonValue *b, Sheet *s)
{
	for (int k = 0; k < LEVEL_COUNT; k++) {
		char path[64], name[64];
		snprintf(path, sizeof path, "issue.memory_stalls.%s", level_name[k]);
		snprintf(name, sizeof name, "memory:%s", level_name[k]);
		const JsonValue *x = json_path(a, path), *y = json_path(b, path);
		if ((json_is_number(x) && x->number) || (json_is_number(y) && y->number))
			compare_row(s, name, path, x, y);
	}
}

static void compare_causes(const JsonValue *a, const JsonValue *b, ReportForm form, StrBuf *out)
{
	const JsonValue *x = json_path(a, "issue.stalls"), *y = json_path(b, "issue.stalls");
	if (!x || !y || x->kind != JSON_OBJECT)
		return;
	Sheet s;
	char path[128];
	compare_begin(&s, form, true);
	for (int i = 0; i < x->n; i++) {
		const JsonValue *after = json_get(y, x->key[i]);
		if (!(json_is_number(&x->item[i]) && x->item[i].number) &&
			!(json_is_number(after) && after->number))
			continue;
		if (sheet_empty(&s))
			compare_row(&s, "issued", "issue.issued", json_path(a, "issue.issued"),
				json_path(b, "issue.issued"));
		snprintf(path, sizeof path, "issue.stalls.%.80s", x->key[i]);
		compare_row(&s, x->key[i], path, &x->item[i], after);
		if (!strcmp(x->key[i], stall_name[STALL_MEMORY]))
			compare_levels(a, b, &s);
	}
	sheet_end(&s, "where the scheduler-cycles went", false, out);
}

void compare_other_work(const JsonValue *a, const JsonValue *b, const char *who, ReportForm form,
	StrBuf *out)
{
	const JsonValue *x = json_get(a, "thread_instructions"), *y = json_get(b, "thread_instructions");
	StrBuf line = { 0 };
	if (!json_is_number(x) || !json_is_number(y) || x->number == 0 ||
		(y->number >= 0.5 * x->number && y->number <= 1.5 * x->number))
		return;
	sb_printf(&line, "remark: %s%sthe threads did %s work, %.0f instructions for %.0f: is it the same "
		"program?", who, *who ? ": " : "", y->number < x->number ? "less than half the"
		: "more than one and a half times the", y->number, x->number);
	sheet_line(out, form, line.s);
	sb_free(&line);
}

static double grown(const JsonValue *a, const JsonValue *b)
{
	return json_is_number(a) && json_is_number(b) ? b->number - a->number : 0;
}

/* If the run after takes more than a tenth longer, says for what most of its additional scheduler-cycles
   went. */
static void put_slower(const JsonValue *a, const JsonValue *b, ReportForm form, StrBuf *out)
{
	const JsonValue *x = json_get(a, "cycles"), *y = json_get(b, "cycles"),
		*stalls = json_path(a, "issue.stalls");
	if (!(json_is_number(x) && x->number > 0 && grown(x, y) > x->number / 10) || !stalls ||
		stalls->kind != JSON_OBJECT)
		return;
	double most = grown(json_path(a, "issue.issued"), json_path(b, "issue.issued"));
	const char *why = "instructions that were issued";
	for (int i = 0; i < stalls->n; i++) {
		double more = grown(&stalls->item[i], json_get(json_path(b, "issue.stalls"), stalls->key[i]));
		if (strcmp(stalls->key[i], "no_warp") && more > most) {
			most = more;
			why = stalls->key[i];
		}
	}
	char line[200];
	snprintf(line, sizeof line, "slower above all by scheduler-cycles that went for %.60s: %.0f more",
		why, most);
	if (most > 0)
		sheet_line(out, form, line);
}

/* If cycles were estimated, says between which bounds they are, and whether the difference is beyond them. */
static void put_bounds(const JsonValue *a, const JsonValue *b, ReportForm form, StrBuf *out)
{
	const JsonValue *of[] = { a, b };
	double low[2], high[2];
	bool sampled = false;
	for (int k = 0; k < 2; k++) {
		const JsonValue *s = json_get(of[k], "sampled");
		bool is = s && json_number(s, "launches") > 0;
		sampled |= is;
		low[k] = is ? json_number(s, "cycles_low") : json_number(of[k], "cycles");
		high[k] = is ? json_number(s, "cycles_high") : json_number(of[k], "cycles");
	}
	if (!sampled)
		return;
	char line[240];
	snprintf(line, sizeof line, "sampled cycles: %.0f to %.0f before, %.0f to %.0f after (95 %%): %s",
		low[0], high[0], low[1], high[1], low[0] <= high[1] && low[1] <= high[0]
		? "which are fewer is not known" : "the difference is beyond what sampling leaves open");
	sheet_line(out, form, line);
}

static bool is_table(const char *key)
{
	static const char *const table[] = { "blocks", "branches", "partings", "lines" };
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(key, table[i]))
			return true;
	return false;
}

/* Puts every number in a and b: first in the order of a, then those that only b has. path: the path of a and
   b in their reports. */
static void compare_numbers(const JsonValue *a, const JsonValue *b, char *path, size_t room, Sheet *s)
{
	size_t n = strlen(path);
	const JsonValue *of[2] = { a, b };
	for (int k = 0; k < 2; k++)
		for (int i = 0; of[k] && i < of[k]->n; i++) {
			const JsonValue *v = &of[k]->item[i];
			bool array = of[k]->kind == JSON_ARRAY;
			const JsonValue *x = array ? (a && i < a->n ? &a->item[i] : NULL)
				: json_get(a, of[k]->key[i]);
			const JsonValue *y = array ? (b && i < b->n ? &b->item[i] : NULL)
				: json_get(b, of[k]->key[i]);
			if ((k && x) || (!array && is_table(of[k]->key[i])))
				continue;
			if (array)
				snprintf(path + n, room - n, "[%d]", i);
			else
				snprintf(path + n, room - n, "%s%s", n ? "." : "", of[k]->key[i]);
			bool nested = v->kind == JSON_OBJECT || v->kind == JSON_ARRAY;
			if (nested && (!x || x->kind == v->kind) && (!y || y->kind == v->kind))
				compare_numbers(x, y, path, room, s);
			else if (v->kind == JSON_NUMBER)
				compare_row(s, path, path, x, y);
			path[n] = 0;
		}
}

/* ---- tables by label ---- */

/* Finds the rows of a table by function and label, those of lines by their place. Of several with the same
   key the first is found. */
typedef struct Index { Arena arena; StrMap map; const JsonValue *table; } Index;

static int table_rows(const JsonValue *table) { return table && table->kind == JSON_ARRAY ? table->n : 0; }

static const char *row_key(Arena *a, const JsonValue *row)
{
	if (json_get(row, "label"))
		return arena_printf(a, "%s\n%s", json_string(row, "function"), json_string(row, "label"));
	return arena_printf(a, "%s\n%s\n%.0f", json_string(row, "function"), json_string(row, "file"),
		json_number(row, "line"));
}

static Index index_rows(const JsonValue *table)
{
	Index x = { .table = table };
	for (int i = 0; i < table_rows(table); i++) {
		const char *key = row_key(&x.arena, &table->item[i]);
		if (strmap_get(&x.map, key) < 0)
			strmap_put(&x.map, key, i);
	}
	return x;
}

static const JsonValue *row_of_same_label(Index *x, const JsonValue *row)
{
	int i = strmap_get(&x->map, row_key(&x->arena, row));
	return i < 0 ? NULL : &x->table->item[i];
}

static void index_free(Index *x)
{
	strmap_free(&x->map);
	arena_free(&x->arena);
}

/* The name of the file of a row, without folders. */
static const char *row_file_name(const JsonValue *row)
{
	const char *file = json_string(row, "file"), *slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}

/* Puts function and label of a row, and the place unless it is a block; of a line the function and the
   place. */
static void put_compared_name(StrBuf *name, const JsonValue *row, bool block)
{
	name->n = 0;
	sb_printf(name, "%s ", json_string(row, "function"));
	if (!json_get(row, "label") && !*json_string(row, "file"))
		sb_puts(name, *json_string(row, "function") ? "(added)" : "(no instruction)");
	else if (!json_get(row, "label"))
		sb_printf(name, "%s:%.0f", json_string(row, "file"), json_number(row, "line"));
	else if (block || !json_get(row, "line"))
		sb_puts(name, json_string(row, "label"));
	else if (*row_file_name(row))
		sb_printf(name, "%s (%s:%.0f)", json_string(row, "label"), row_file_name(row),
			json_number(row, "line"));
	else
		sb_printf(name, "%s (line %.0f)", json_string(row, "label"), json_number(row, "line"));
}

/* Puts one figure of the rows of two tables. Unless the form is full, rows in which it is 0 or missing in
   both are left out. */
static void compare_figure(Index of[2], const char *table, const char *figure, ReportForm form, StrBuf *out)
{
	int rows = 0, hidden = 0;
	char path[40], title[40];
	Sheet s;
	StrBuf name = { 0 };
	snprintf(path, sizeof path, "%s.%s", table, figure);
	snprintf(title, sizeof title, "%s: %s", table, figure);
	compare_begin(&s, form, true);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < table_rows(of[k].table); i++) {
			const JsonValue *row = &of[k].table->item[i],
				*other = row_of_same_label(&of[!k], row);
			const JsonValue *x = json_get(k ? other : row, figure),
				*y = json_get(k ? row : other, figure);
			if ((k && other) || (!json_is_number(x) && !json_is_number(y)))
				continue;
			if (!form.full && (!json_is_number(x) || !x->number) &&
				(!json_is_number(y) || !y->number))
				continue;
			if (!form.full && rows >= BRIEF_ROWS) {
				hidden++;
				continue;
			}
			rows++;
			name.n = 0;
			put_compared_name(&name, row, !strcmp(table, "blocks"));
			compare_row(&s, name.s, path, x, y);
		}
	sheet_end(&s, title, false, out);
	sheet_hidden(hidden, form, out);
	sb_free(&name);
}

/* Writes to out how the figure of that name has changed in each row of a table of the two reports; a full
   report (form.full) has the figures named in `more`, too. */
static void compare_table(const JsonValue *a, const JsonValue *b, const char *table, const char *figure,
	const char *more, ReportForm form, StrBuf *out)
{
	Index of[2] = { index_rows(json_get(a, table)), index_rows(json_get(b, table)) };
	compare_figure(of, table, figure, form, out);
	if (form.full)
		compare_figure(of, table, more, form, out);
	index_free(&of[0]);
	index_free(&of[1]);
}

void report_results(const RunCompared *c, const char *whose, ReportForm form, StrBuf *out)
{
	const struct { int n; const char *text; } row[] =
		{ { c->alike, "equal as the workload asks" }, { c->different, "different" },
		{ c->freed, "freed by the host, not compared" },
		{ c->ignored, "that the workload asks not to compare" },
		{ c->alone, "that one of the two alone has, not compared" } };
	StrBuf line = { 0 };
	if (c->identical + c->alike + c->different)
		sb_printf(&line, "results: identical%s in %d buffer%s, %llu bytes", whose, c->identical,
			c->identical == 1 ? "" : "s", (unsigned long long)c->bytes);
	else
		sb_puts(&line, "results: nothing was compared");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].n > 0)
			sb_printf(&line, "; %d %s", row[i].n, row[i].text);
	sheet_line(out, form, line.s);
	sb_free(&line);
}

bool compare_idle(const JsonValue *run, StrBuf *out)
{
	const JsonValue *idle = json_get(run, "idle_passes");
	int n = idle && idle->kind == JSON_ARRAY ? idle->n : 0;
	for (int k = 0; k < n; k++)
		sb_printf(out, "%s%s changed nothing: %s", k ? "; " : "", json_string(&idle->item[k], "pass"),
			json_string(&idle->item[k], "why"));
	sb_puts(out, n ? "\n" : "");
	return n > 0;
}

void report_compare(const JsonValue *before, const JsonValue *after, const JsonValue *both, ReportForm form,
	StrBuf *out)
{
	const JsonValue *a = report_total(before), *b = report_total(after);
	const char *results = report_results_of(both);
	RunCompared compared = report_read_compared(both);
	Arena words = { 0 };
	char path[512] = "";
	Sheet s;
	report_differ(before, after, results, report_results_words(&words, results, &compared), form, out);
	arena_free(&words);
	bool told = strcmp(results, "differ") && !*run_ending(before) && !*run_ending(after);
	form.unjudged = !told || strcmp(results, "equal");
	if (json_get(both, "compared"))
		report_results(&compared, "", form, out);
	compare_idle(after, out);
	compare_other_work(a, b, "", form, out);
	filled_compare((const JsonValue *const[]){ before, after }, 2, form, out);
	if (told) {
		put_slower(a, b, form, out);
		put_bounds(a, b, form, out);
	}
	kernels_compare(before, after, form, out);
	compare_begin(&s, form, false);
	if (form.full)
		compare_numbers(a, b, path, sizeof path, &s);
	else
		put_leading(a, b, &s);
	if (!form.markdown)
		sb_putc(out, '\n');
	sheet_end(&s, form.markdown ? "figures" : NULL, true, out);
	if (!form.full)
		compare_causes(a, b, form, out);
	kernels_compare_takes(before, after, form, out);
	if (place_other_module(before, after)) {
		/* labels of different modules that have one source mean nothing to each other */
		if (compare_places(before, after, form, out) != MATCHED_BY_PLACE)
			compare_table(a, b, "blocks", "fetches", "threads", form, out);
		return;
	}
	compare_table(a, b, "branches", "divergent", "executed", form, out);
	compare_table(a, b, "branches", "lost", "cycles", form, out);
	if (form.full)
		compare_table(a, b, "lines", "lost", "warp_instructions", form, out);
	compare_table(a, b, "blocks", "fetches", "threads", form, out);
}

/* Puts what came out under each mechanism in a line. */
static void put_mechanisms(const JsonValue *list, ReportForm form, StrBuf *out)
{
	const Column column[] = { { .heading = "mechanism", .most = LONGEST, .left = true, .code = true },
		{ .group = "cycles", .heading = "before", .least = 12, .gap = 1 },
		{ .group = "cycles", .heading = "after", .least = 12, .gap = 1 },
		{ .heading = "ratio", .least = 7, .gap = 1 },
		{ .group = "SIMD", .heading = "before", .least = 7, .gap = 1 },
		{ .group = "SIMD", .heading = "after", .least = 7, .gap = 1 },
		{ .heading = "results", .gap = 2, .left = true } };
	Sheet s;
	sheet_begin(&s, form, column, sizeof column / sizeof *column);
	for (int i = 0; i < list->n; i++) {
		const JsonValue *both = &list->item[i], *before = json_get(both, "before");
		const JsonValue *of[2] = { report_total(before), report_total(json_get(both, "after")) };
		const char *results = report_results_of(both);
		sheet_row(&s);
		sheet_put(&s, "%s", json_string(before, "model"));
		for (int k = 0; k < 2; k++)
			compare_put_value(&s, json_get(of[k], "cycles"), "cycles");
		compare_put_ratio(&s, json_get(of[0], "cycles"), json_get(of[1], "cycles"));
		for (int k = 0; k < 2; k++)
			compare_put_value(&s, json_get(of[k], "simd_utilization"), "simd_utilization");
		sheet_put(&s, "%s", !*results ? "not compared" : strcmp(results, "differ") ? results
			: "DIFFER");
	}
	sheet_end(&s, NULL, true, out);
}

void report_comparisons(const JsonValue *list, ReportForm form, StrBuf *out)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(json_string(&list->item[i], "results"), "differ")) {
			StrBuf line = { 0 };
			sb_printf(&line, "RESULTS DIFFER under %s: one of the two is wrong, so no figure "
				"below speaks for either",
				json_string(json_get(&list->item[i], "before"), "model"));
			sheet_line(out, form, line.s);
			sb_free(&line);
		}
	put_mechanisms(list, form, out);
	for (int i = 0; i < list->n; i++) {
		const JsonValue *both = &list->item[i];
		char title[160];
		snprintf(title, sizeof title, "mechanism %.120s",
			json_string(json_get(both, "before"), "model"));
		sb_puts(out, form.markdown ? "" : "\n");
		sheet_title(out, form, title);
		report_compare(json_get(both, "before"), json_get(both, "after"), both, form, out);
	}
}
