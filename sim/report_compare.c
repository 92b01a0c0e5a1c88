/* Reports side by side. They come as JSON values, so that gsim and gsim-compare show the same. */
#include "sim/report.h"

enum { BRIEF_ROWS = 7 };

static const JsonValue *total_of(const JsonValue *report) { return json_get(report, "total"); }

static void put_value(StrBuf *out, const JsonValue *v)
{
	if (!v)
		sb_printf(out, " %16s", "-");
	else if (!json_is_number(v))
		sb_printf(out, " %16s", "n/a");
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

static void put_row(StrBuf *out, const char *name, const char *path, const JsonValue *a, const JsonValue *b)
{
	int better = path ? stat_better(path) : 0;
	sb_printf(out, "%-40.56s", name);
	put_value(out, a);
	put_value(out, b);
	put_ratio(out, a, b);
	if (better && json_is_number(a) && json_is_number(b) && a->number != b->number)
		sb_puts(out, (b->number > a->number) == (better > 0) ? "  better" : "  worse");
	sb_putc(out, '\n');
}

/* ---- figures ---- */

static const char *const leading[] = { "cycles", "simd_utilization", "warp_instructions", "thread_instructions",
	"inserted.warp_instructions", "inserted.thread_instructions", "overhead.warp_instructions", "divergence.branches",
	"divergence.divergent_branches", "divergence.max_depth", "divergence.mean_depth", "divergence.pushes",
	"divergence.spills", "memory.transactions", "memory.shared_conflicts", "memory.dram.reads" };

static void put_leading(const JsonValue *a, const JsonValue *b, StrBuf *out)
{
	for (size_t i = 0; i < sizeof leading / sizeof *leading; i++) {
		const JsonValue *x = json_path(a, leading[i]), *y = json_path(b, leading[i]);
		if (json_is_number(x) || json_is_number(y))
			put_row(out, leading[i], leading[i], x, y);
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
			put_row(out, "  issued", NULL, json_path(a, "issue.issued"), json_path(b, "issue.issued"));
		}
		snprintf(path, sizeof path, "issue.stalls.%.80s", x->key[i]);
		StrBuf name = { 0 };
		sb_printf(&name, "  %.50s", x->key[i]);
		put_row(out, name.s, path, &x->item[i], after);
		sb_free(&name);
	}
}

/* Every number below a and b, in a's order and then what only b has. The path so far stands in `path`. */
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
			if ((k && x) || (!array && (!strcmp(of[k]->key[i], "blocks") || !strcmp(of[k]->key[i], "branches"))))
				continue;
			if (array)
				snprintf(path + n, room - n, "[%d]", i);
			else
				snprintf(path + n, room - n, "%s%s", n ? "." : "", of[k]->key[i]);
			bool nested = v->kind == JSON_OBJECT || v->kind == JSON_ARRAY;
			if (nested && (!x || x->kind == v->kind) && (!y || y->kind == v->kind))
				put_all(x, y, path, room, out);
			else if (v->kind == JSON_NUMBER)
				put_row(out, path, path, x, y);
			path[n] = 0;
		}
}

/* ---- tables by label ---- */

static const JsonValue *same_label(const JsonValue *table, const JsonValue *row)
{
	for (int i = 0; table && table->kind == JSON_ARRAY && i < table->n; i++)
		if (!strcmp(json_string(&table->item[i], "label"), json_string(row, "label"))
			&& !strcmp(json_string(&table->item[i], "function"), json_string(row, "function")))
			return &table->item[i];
	return NULL;
}

static void row_name(char name[160], const JsonValue *row, bool line)
{
	int n = snprintf(name, 160, "  %.40s %.40s", json_string(row, "function"), json_string(row, "label"));
	if (line && n < 140 && json_get(row, "line"))
		snprintf(name + n, 160 - (size_t)n, " (line %.0f)", json_number(row, "line"));
}

/* One figure of the rows of a table, matched by label; rows without the figure in both are left out when brief. */
static void put_table(const JsonValue *a, const JsonValue *b, const char *table, const char *figure, int better, bool full,
	StrBuf *out)
{
	const JsonValue *of[2] = { json_get(a, table), json_get(b, table) };
	int rows = 0, hidden = 0;
	char name[160];
	for (int k = 0; k < 2; k++)
		for (int i = 0; of[k] && of[k]->kind == JSON_ARRAY && i < of[k]->n; i++) {
			const JsonValue *row = &of[k]->item[i], *other = same_label(of[!k], row);
			const JsonValue *x = json_get(k ? other : row, figure), *y = json_get(k ? row : other, figure);
			if (k && other)
				continue;
			if (!full && (!json_is_number(x) || !x->number) && (!json_is_number(y) || !y->number))
				continue;
			if (!full && rows >= BRIEF_ROWS) {
				hidden++;
				continue;
			}
			if (!rows++)
				sb_printf(out, "\n%s: %s\n", table, figure);
			row_name(name, row, !strcmp(table, "branches"));
			put_row(out, name, better < 0 ? "cycles" : NULL, x, y);
		}
	if (hidden)
		sb_printf(out, "  %d more\n", hidden);
}

static void put_title(const JsonValue *a, const JsonValue *b, StrBuf *out)
{
	static const char *const keys[] = { "module", "config", "model", "passes", "mode", "status" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *x = json_string(a, keys[i]), *y = json_string(b, keys[i]);
		if (!strcmp(x, y) && *x && i < 5)
			sb_printf(out, "%s%s %.200s", out->n && out->s[out->n - 1] != '\n' ? "   " : "", keys[i], x);
	}
	sb_putc(out, '\n');
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *x = json_string(a, keys[i]), *y = json_string(b, keys[i]);
		if (strcmp(x, y))
			sb_printf(out, "%s: %.200s -> %.200s\n", keys[i], *x ? x : "none", *y ? y : "none");
	}
}

void report_compare(const JsonValue *before, const JsonValue *after, bool full, StrBuf *out)
{
	const JsonValue *a = total_of(before), *b = total_of(after);
	char path[512] = "";
	put_title(before, after, out);
	sb_printf(out, "%-40s %16s %16s %9s\n", "", "before", "after", "ratio");
	if (full) {
		put_all(a, b, path, sizeof path, out);
	} else {
		put_leading(a, b, out);
		put_causes(a, b, out);
	}
	put_table(a, b, "branches", "divergent", -1, full, out);
	if (full)
		put_table(a, b, "branches", "executed", 0, full, out);
	put_table(a, b, "blocks", "fetches", -1, full, out);
	if (full)
		put_table(a, b, "blocks", "threads", 0, full, out);
}
