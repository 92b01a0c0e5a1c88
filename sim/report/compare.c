/* Reports side by side. They come as JSON values, so that gsim and gsim-compare show the same. */
#include "lib/hash.h"
#include "sim/report/differ.h"
#include "sim/report/kernels.h"

enum { BRIEF_ROWS = 7 };

static const JsonValue *total_of(const JsonValue *report) { return json_get(report, "total"); }

static bool is_share(const char *path) { return path && (!strcmp(path, "simd_utilization") || !strcmp(path, "static.occupancy")); }

static void put_value(StrBuf *out, const JsonValue *v, bool share)
{
	if (!v)
		sb_printf(out, " %16s", "-");
	else if (!json_is_number(v))
		sb_printf(out, " %16s", "n/a");
	else if (share)
		sb_printf(out, " %16s", PERCENT(v->number));
	else if (strpbrk(v->text, ".eE") || strlen(v->text) > 16)
		sb_printf(out, " %16.5g", v->number);
	else
		sb_printf(out, " %16s", v->text);
}

static void put_ratio(StrBuf *out, const JsonValue *a, const JsonValue *b)
{
	if (!json_is_number(a) || !json_is_number(b) || (a->number == 0 && b->number != 0))
		sb_printf(out, " %9s", "-");
	else
		sb_printf(out, " %9.3f", a->number == 0 ? 1.0 : b->number / a->number);
}

/* better: 1 when more is better, -1 when less is, 0: neither. */
static void put_values(StrBuf *out, const char *name, bool share, int better, const JsonValue *a, const JsonValue *b)
{
	sb_printf(out, "%-40.56s", name);
	put_value(out, a, share);
	put_value(out, b, share);
	put_ratio(out, a, b);
	if (better && json_is_number(a) && json_is_number(b) && a->number != b->number)
		sb_puts(out, (b->number > a->number) == (better > 0) ? "  better" : "  worse");
	sb_putc(out, '\n');
}

static void put_row(StrBuf *out, const char *name, int better, const JsonValue *a, const JsonValue *b)
{
	put_values(out, name, false, better, a, b);
}

void compare_put(StrBuf *out, const char *name, const char *path, const JsonValue *a, const JsonValue *b)
{
	put_values(out, name, is_share(path), stat_better(path), a, b);
}

/* ---- figures ---- */

static const char *const leading[] = { "cycles", "simd_utilization", "warp_instructions", "thread_instructions",
	"inserted.warp_instructions", "inserted.thread_instructions", "overhead.warp_instructions", "divergence.branches",
	"divergence.divergent_branches", "divergence.max_depth", "divergence.mean_depth", "divergence.pushes",
	"divergence.spills", "memory.transactions", "memory.nonfaulting.loads", "memory.nonfaulting.zero_loads", "memory.shared_conflicts", "memory.dram.reads" };

static void put_leading(const JsonValue *a, const JsonValue *b, StrBuf *out)
{
	for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
		const JsonValue *x = json_path(a, leading[i]), *y = json_path(b, leading[i]);
		if (json_is_number(x) || json_is_number(y))
			compare_put(out, leading[i], leading[i], x, y);
	}
}

static void put_causes(const JsonValue *a, const JsonValue *b, StrBuf *out)
{
	const JsonValue *x = json_path(a, "issue.stalls"), *y = json_path(b, "issue.stalls");
	if (!x || !y || x->kind != JSON_OBJECT)
		return;
	char path[128];
	int n = 0;
	for (int i = 0; i < x->n; i++) {
		const JsonValue *after = json_get(y, x->key[i]);
		if (!(json_is_number(&x->item[i]) && x->item[i].number) && !(json_is_number(after) && after->number))
			continue;
		if (!n++) {
			sb_puts(out, "\nwhere the scheduler-cycles went\n");
			put_row(out, "  issued", 0, json_path(a, "issue.issued"), json_path(b, "issue.issued"));
		}
		snprintf(path, sizeof path, "issue.stalls.%.80s", x->key[i]);
		char name[64];
		snprintf(name, sizeof name, "  %.50s", x->key[i]);
		compare_put(out, name, path, &x->item[i], after);
	}
}

static bool is_table(const char *key)
{
	static const char *const table[] = { "blocks", "branches", "partings", "lines" };
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(key, table[i]))
			return true;
	return false;
}

/* Puts every number below a and b: in a's order, then those that only b has. `path`: the path so far. */
static void put_all(const JsonValue *a, const JsonValue *b, char *path, size_t room, StrBuf *out)
{
	size_t n = strlen(path);
	const JsonValue *of[2] = { a, b };
	for (int k = 0; k < 2; k++)
		for (int i = 0; of[k] && i < of[k]->n; i++) {
			const JsonValue *v = &of[k]->item[i];
			bool array = of[k]->kind == JSON_ARRAY;
			const JsonValue *x = array ? (a && i < a->n ? &a->item[i] : NULL) : json_get(a, of[k]->key[i]);
			const JsonValue *y = array ? (b && i < b->n ? &b->item[i] : NULL) : json_get(b, of[k]->key[i]);
			if ((k && x) || (!array && is_table(of[k]->key[i])))
				continue;
			if (array)
				snprintf(path + n, room - n, "[%d]", i);
			else
				snprintf(path + n, room - n, "%s%s", n ? "." : "", of[k]->key[i]);
			bool nested = v->kind == JSON_OBJECT || v->kind == JSON_ARRAY;
			if (nested && (!x || x->kind == v->kind) && (!y || y->kind == v->kind))
				put_all(x, y, path, room, out);
			else if (v->kind == JSON_NUMBER)
				compare_put(out, path, path, x, y);
			path[n] = 0;
		}
}

/* ---- tables by label ---- */

/* The rows of a table by function and label, those of lines by their place; of several equal ones the first. */
typedef struct Index { Arena arena; StrMap map; const JsonValue *table; } Index;

static int rows_of(const JsonValue *table) { return table && table->kind == JSON_ARRAY ? table->n : 0; }

static const char *row_key(Arena *a, const JsonValue *row)
{
	if (json_get(row, "label"))
		return arena_printf(a, "%s\n%s", json_string(row, "function"), json_string(row, "label"));
	return arena_printf(a, "%s\n%s\n%.0f", json_string(row, "function"), json_string(row, "file"), json_number(row, "line"));
}

static Index index_rows(const JsonValue *table)
{
	Index x = { .table = table };
	for (int i = 0; i < rows_of(table); i++) {
		const char *key = row_key(&x.arena, &table->item[i]);
		if (strmap_get(&x.map, key) < 0)
			strmap_put(&x.map, key, i);
	}
	return x;
}

static const JsonValue *same_label(Index *x, const JsonValue *row)
{
	int i = strmap_get(&x->map, row_key(&x->arena, row));
	return i < 0 ? NULL : &x->table->item[i];
}

static void index_free(Index *x)
{
	strmap_free(&x->map);
	arena_free(&x->arena);
}

static void row_name(char name[160], const JsonValue *row, bool line)
{
	int n = snprintf(name, 160, "  %.40s %.40s", json_string(row, "function"), json_string(row, "label"));
	if (line && n < 140 && json_get(row, "line"))
		snprintf(name + n, 160 - (size_t)n, " (line %.0f)", json_number(row, "line"));
}

/* Puts one figure of the rows of two tables. Unless full, rows in which it is 0 or missing in both are left out. */
static void put_figure(Index of[2], const char *table, const char *figure, int better, bool full, StrBuf *out)
{
	int rows = 0, hidden = 0;
	char name[160];
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < rows_of(of[k].table); i++) {
			const JsonValue *row = &of[k].table->item[i], *other = same_label(&of[!k], row);
			const JsonValue *x = json_get(k ? other : row, figure), *y = json_get(k ? row : other, figure);
			if ((k && other) || (!json_is_number(x) && !json_is_number(y)))
				continue;
			if (!full && (!json_is_number(x) || !x->number) && (!json_is_number(y) || !y->number))
				continue;
			if (!full && rows >= BRIEF_ROWS) {
				hidden++;
				continue;
			}
			if (!rows++)
				sb_printf(out, "\n%s: %s\n", table, figure);
			row_name(name, row, strcmp(table, "blocks") != 0);
			put_row(out, name, better, x, y);
		}
	if (hidden)
		sb_printf(out, "  %d more " REPORT_ALL "\n", hidden);
}

/* Puts the table's figure that tells of divergence, and one more when full. */
static void put_table(const JsonValue *a, const JsonValue *b, const char *table, const char *figure, const char *more, bool full,
	StrBuf *out)
{
	Index of[2] = { index_rows(json_get(a, table)), index_rows(json_get(b, table)) };
	put_figure(of, table, figure, -1, full, out);
	if (full)
		put_figure(of, table, more, 0, full, out);
	index_free(&of[0]);
	index_free(&of[1]);
}

/* Puts in what results were compared, and how they came out. */
static void put_results(const JsonValue *c, StrBuf *out)
{
	static const struct { const char *key, *text; } row[] = { { "alike", "equal as the workload asks" }, { "different", "different" },
		{ "freed", "freed by the host, not compared" }, { "ignored", "that the workload asks not to compare" } };
	if (!c)
		return;
	sb_printf(out, "results: identical in %s buffers, %s bytes", json_shown(json_get(c, "identical")), json_shown(json_get(c, "bytes")));
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (json_number(c, row[i].key) > 0)
			sb_printf(out, "; %s %s", json_shown(json_get(c, row[i].key)), row[i].text);
	sb_putc(out, '\n');
}

void report_compare(const JsonValue *before, const JsonValue *after, const JsonValue *both, bool full, StrBuf *out)
{
	const JsonValue *a = total_of(before), *b = total_of(after);
	char path[512] = "";
	report_differ(before, after, json_string(both, "results"), full, out);
	put_results(json_get(both, "compared"), out);
	kernels_compare(before, after, full, out);
	sb_printf(out, "\n%-40s %16s %16s %9s\n", "", "before", "after", "ratio");
	if (full) {
		put_all(a, b, path, sizeof path, out);
	} else {
		put_leading(a, b, out);
		put_causes(a, b, out);
	}
	kernels_compare_takes(before, after, full, out);
	put_table(a, b, "branches", "divergent", "executed", full, out);
	put_table(a, b, "branches", "lost", "cycles", full, out);
	if (full)
		put_table(a, b, "lines", "lost", "warp_instructions", full, out);
	put_table(a, b, "blocks", "fetches", "threads", full, out);
}

/* ---- grids ---- */

static bool same_run(const JsonValue *a, const JsonValue *b)
{
	return !strcmp(json_string(a, "model"), json_string(b, "model")) && !strcmp(json_string(a, "passes"), json_string(b, "passes"));
}

/* How many runs before this one have its mechanism and passes? */
static int occurrence(const JsonValue *runs, int i)
{
	int n = 0;
	for (int k = 0; k < i; k++)
		n += same_run(&runs->item[k], &runs->item[i]);
	return n;
}

static const JsonValue *counterpart_run(const JsonValue *runs, const JsonValue *run, int nth)
{
	for (int i = 0; i < rows_of(runs); i++)
		if (same_run(&runs->item[i], run) && !nth--)
			return &runs->item[i];
	return NULL;
}

/* The figure by which runs are compared: cycles; without timing, warp instructions. */
static const char *measure(const JsonValue *a, const JsonValue *b)
{
	return json_is_number(json_get(a, "cycles")) || json_is_number(json_get(b, "cycles")) ? "cycles" : "warp_instructions";
}

/* The verdict: in how many of the runs that both grids have that figure is less, and in how many it is more. */
static void put_tally(const JsonValue *before, const JsonValue *after, StrBuf *out)
{
	int less = 0, more = 0, same = 0;
	const char *figure = "cycles";
	for (int i = 0; i < rows_of(before); i++) {
		const JsonValue *a = total_of(&before->item[i]), *b = total_of(counterpart_run(after, &before->item[i], occurrence(before, i)));
		figure = measure(a, b);
		const JsonValue *x = json_get(a, figure), *y = json_get(b, figure);
		if (!json_is_number(x) || !json_is_number(y))
			continue;
		less += y->number < x->number;
		more += y->number > x->number;
		same += y->number == x->number;
	}
	sb_printf(out, "%d run%s: fewer %s in %d, more in %d, as many in %d\n", less + more + same,
		less + more + same == 1 ? "" : "s",
		strcmp(figure, "cycles") ? "warp instructions" : figure, less, more, same);
}

static void put_run(StrBuf *out, const JsonValue *run, const JsonValue *a, const JsonValue *b)
{
	const char *passes = json_string(run, "passes");
	const JsonValue *x = total_of(a), *y = total_of(b);
	const char *figure = measure(x, y);
	char name[160];
	snprintf(name, sizeof name, "%.80s%s%.70s", json_string(run, "model"), *passes ? "  " : "", passes);
	sb_printf(out, "%-40.56s", name);
	for (int k = 0; k < 2; k++)
		put_value(out, json_get(k ? y : x, figure), false);
	put_ratio(out, json_get(x, figure), json_get(y, figure));
	for (int k = 0; k < 2; k++) {
		const JsonValue *v = json_get(k ? y : x, "simd_utilization");
		sb_printf(out, " %8s", json_is_number(v) ? PERCENT(v->number) : v ? "n/a" : "-");
	}
	for (int k = 0; k < 2; k++) {
		const char *status = json_string(k ? b : a, "status");
		if (*status && strcmp(status, "ok"))
			sb_printf(out, "  %s %.20s", k ? "after" : "before", status);
	}
	sb_putc(out, '\n');
}

void report_compare_grids(const JsonValue *before, const JsonValue *after, bool full, StrBuf *out)
{
	const JsonValue *first = NULL, *other = NULL;
	for (int i = 0; i < rows_of(before) && !other; i++)
		if ((other = counterpart_run(after, first = &before->item[i], 0)))
			report_differ(first, other, NULL, full, out);
	if (!other)
		sb_puts(out, "no run of the one grid has the mechanism and passes of one of the other\n");
	put_tally(before, after, out);
	sb_printf(out, "\n%-40s %16s %16s %9s %8s %8s\n", "mechanism, passes", "before", "after", "ratio", "SIMD", "after");
	for (int i = 0; i < rows_of(before); i++) {
		const JsonValue *run = &before->item[i];
		put_run(out, run, run, counterpart_run(after, run, occurrence(before, i)));
	}
	for (int i = 0; i < rows_of(after); i++)
		if (!counterpart_run(before, &after->item[i], occurrence(after, i)))
			put_run(out, &after->item[i], NULL, &after->item[i]);
}
