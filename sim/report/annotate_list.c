/* Prints a listing: columns as wide as their figures, those of two runs beside each other. */
#include "sim/report/annotate.h"

typedef enum { ISSUED, LANES, LOST, INSERTED, OVERHEAD, STALLS, COLUMNS } ListColumn;
static const char *const column_name[COLUMNS] = { "issued", "lanes", "lost", "inserted", "overhead",
	"stalled" };
enum { REASONS = 64, FIGURE = 24 };

/* widths of the columns in characters; 0: the column is left out */
typedef struct ListShape { int runs, width[COLUMNS], reasons; } ListShape;

LineCost cost_of(const JsonValue *row)
{
	LineCost c = { .known = row != NULL, .issued = json_number(row, "warp_instructions"),
		.lanes = json_number(row, "thread_instructions"),
		.inserted = json_number(row, "inserted.warp_instructions"),
		.overhead = json_number(row, "overhead.warp_instructions"),
		.lost = json_number(row, "lost") };
	const JsonValue *stalls = json_get(row, "stalls"), *levels = json_get(row, "memory_stalls");
	for (int k = 0; stalls && k < STALL_COUNT; k++)
		c.stall[k] = json_number(stalls, stall_name[k]);
	for (int k = 0; levels && k < LEVEL_COUNT; k++)
		c.level[k] = json_number(levels, level_name[k]);
	return c;
}

void cost_add(LineCost *to, const LineCost *c)
{
	to->known |= c->known;
	to->issued += c->issued;
	to->lanes += c->lanes;
	to->inserted += c->inserted;
	to->overhead += c->overhead;
	to->lost += c->lost;
	for (int k = 0; k < STALL_COUNT; k++)
		to->stall[k] += c->stall[k];
	for (int k = 0; k < LEVEL_COUNT; k++)
		to->level[k] += c->level[k];
}

double cost_stalls(const LineCost *c)
{
	double sum = 0;
	for (int k = 0; k < STALL_COUNT; k++)
		sum += c->stall[k];
	return sum;
}

void list_cost(Listing *l, const LineCost cost[2], int line, const char *text)
{
	ListLine x = { .line = line, .text = text };
	for (int k = 0; k < 2; k++) {
		x.cost[k] = cost[k];
		cost_add(&l->sum[k], &cost[k]);
	}
	vec_push(&l->line, x);
}

void list_note(Listing *l, const char *fmt, ...)
{
	StrBuf text = { 0 };
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(&text, fmt, ap);
	va_end(ap);
	vec_push(&l->line, ((ListLine){ .note = true, .text = arena_strdup(&l->arena,
		text.s ? text.s : "") }));
	sb_free(&text);
}

/* Prints a figure. Figures that are 0 are left out, but for issues. */
static void print_figure(char text[FIGURE], const LineCost *c, ListColumn column)
{
	const double figure[COLUMNS] = { c->issued, c->issued > 0 ? c->lanes / c->issued : 0, c->lost,
		c->inserted, c->overhead, cost_stalls(c) };
	*text = 0;
	if (c->known && (column == ISSUED || figure[column] > 0))
		snprintf(text, FIGURE, column == LANES ? "%.1f" : "%.0f", figure[column]);
}

/* The reason with the most stalls, reason `but` left out (-1: none left out); -1: there are no stalls. */
static int most_stalls(const LineCost *c, int but)
{
	int best = -1;
	for (int i = 0; i < STALL_COUNT; i++)
		if (i != but && c->stall[i] > 0 && (best < 0 || c->stall[i] > c->stall[best]))
			best = i;
	return best;
}

/* Names the reasons with the most stalls: of one run the first two, of two runs the first one of each. */
static void put_reasons(int runs, const LineCost cost[2], char text[REASONS])
{
	int first = most_stalls(&cost[0], -1), second = runs == 2 ? most_stalls(&cost[1], -1) : first < 0 ? -1
		: most_stalls(&cost[0], first);
	double all = cost_stalls(&cost[0]);
	*text = 0;
	/* a smaller share would be shown as 0 % */
	if (runs == 1 && second >= 0 && cost[0].stall[second] >= all / 200)
		snprintf(text, REASONS, "%s %.0f%%, %s %.0f%%", report_reason(first, cost[0].level),
			100 * cost[0].stall[first] / all, report_reason(second, cost[0].level),
			100 * cost[0].stall[second] / all);
	else if (runs == 2 && first >= 0 && second >= 0 && first != second)
		snprintf(text, REASONS, "%s, %s", report_reason(first, cost[0].level),
			report_reason(second, cost[1].level));
	else if (first >= 0 || second >= 0)
		snprintf(text, REASONS, "%s", first >= 0 ? report_reason(first, cost[0].level)
			: report_reason(second, cost[1].level));
}

static void widen_columns(ListShape *s, const ListLine *x)
{
	char text[FIGURE], reasons[REASONS];
	put_reasons(s->runs, x->cost, reasons);
	if ((int)strlen(reasons) > s->reasons)
		s->reasons = (int)strlen(reasons);
	for (int c = 0; c < COLUMNS; c++)
		for (int k = 0; k < s->runs; k++) {
			print_figure(text, &x->cost[k], (ListColumn)c);
			int n = (int)strlen(text);
			s->width[c] = n > s->width[c] ? n : s->width[c];
		}
}

/* Finds the widths of the columns. A column in which every figure is 0 is left out. The name of a column
   stands above the figures of all runs. */
static ListShape listing_shape(const Listing *l)
{
	ListShape s = { .runs = l->run[1] ? 2 : 1 };
	widen_columns(&s, &(ListLine){ .cost = { l->sum[0], l->sum[1] } });
	for (int i = 0; i < l->line.n; i++)
		widen_columns(&s, &l->line.v[i]);
	if (s.reasons && s.reasons < (int)strlen("mostly by"))
		s.reasons = (int)strlen("mostly by");
	for (int c = 0; c < COLUMNS; c++) {
		int least = s.runs == 2 ? (int)strlen("before") : (int)strlen(column_name[c]);
		if (s.width[c] && s.width[c] < least)
			s.width[c] = least;
	}
	return s;
}

static void print_list_line(const ListShape *s, const ListLine *x, StrBuf *out)
{
	size_t start = out->n;
	char text[FIGURE], reasons[REASONS];
	for (int c = 0; c < COLUMNS; c++)
		for (int k = 0; k < s->runs && s->width[c]; k++) {
			print_figure(text, &x->cost[k], (ListColumn)c);
			sb_printf(out, " %*s", s->width[c] + (k == 0), x->note ? "" : text);
		}
	if (s->reasons) {
		put_reasons(s->runs, x->cost, reasons);
		sb_printf(out, "  %-*s", s->reasons, reasons);
	}
	if (x->line)
		sb_printf(out, "%6d  %s", x->line, x->text);
	else
		sb_printf(out, "%6s  %s", "", x->text);
	while (out->n > start && out->s[out->n - 1] == ' ')
		out->s[--out->n] = 0;
	sb_putc(out, '\n');
}

static void print_heading(const ListShape *s, StrBuf *out)
{
	for (int c = 0; c < COLUMNS; c++)
		if (s->width[c])
			sb_printf(out, " %*s", s->runs * (s->width[c] + 1), column_name[c]);
	sb_puts(out, s->reasons ? "  mostly by\n" : "\n");
	for (int c = 0; c < COLUMNS && s->runs == 2; c++)
		if (s->width[c])
			sb_printf(out, " %*s %*s", s->width[c] + 1, "before", s->width[c], "after");
	if (s->runs == 2)
		sb_putc(out, '\n');
}

void list_print(Listing *l, StrBuf *out)
{
	ListShape s = listing_shape(l);
	print_heading(&s, out);
	for (int i = 0; i < l->line.n; i++)
		print_list_line(&s, &l->line.v[i], out);
	vec_clear(&l->line);
}

/* The totals of the report, of those figures that lines have. */
static LineCost listed_total(const JsonValue *report)
{
	const JsonValue *t = json_get(report, "total"), *stalls = json_path(t, "issue.stalls");
	LineCost c = { .known = t != NULL, .issued = json_number(t, "warp_instructions"),
		.lanes = json_number(t, "thread_instructions"),
		.inserted = json_number(t, "inserted.warp_instructions"),
		.overhead = json_number(t, "overhead.warp_instructions"),
		.lost = json_number(t, "lanes.parted") };
	for (int k = 0; stalls && k < STALL_COUNT; k++)
		c.stall[k] = json_number(stalls, stall_name[k]);
	return c;
}

static bool same_cost(const LineCost *a, const LineCost *b)
{
	for (int k = 0; k < STALL_COUNT; k++)
		if (a->stall[k] != b->stall[k])
			return false;
	return a->issued == b->issued && a->lanes == b->lanes && a->inserted == b->inserted &&
		a->overhead == b->overhead && a->lost == b->lost;
}

void list_print_sum(Listing *l, StrBuf *out)
{
	LineCost total[2] = { listed_total(l->run[0]), listed_total(l->run[1]) },
		sum[2] = { l->sum[0], l->sum[1] };
	list_cost(l, sum, 0, "sum of the lines");
	if (!same_cost(&total[0], &sum[0]) || !same_cost(&total[1], &sum[1]))
		list_cost(l, total, 0, "the whole run");
	list_print(l, out);
}
