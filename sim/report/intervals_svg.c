/* Figures over time as a picture (SVG): below each other the launches, lane-slots, scheduler-cycles, traffic
 * with memory and resident warps. A column is an interval, or several that are shown as one where there are
 * more of them than the picture has room for. Where nothing ran between two columns, the axis is broken. */
#include "lib/hash.h"
#include "sim/report/intervals.h"
#include "sim/report/svg.h"
#include <stddef.h>

enum {
	LEFT = 76, PLOT = 900, LEGEND = 196, TOP = 44,     /* pixels */
	MOST_COLUMNS = 720, BREAK = 12, STRIP = 14, STRIPS = 6, BETWEEN = 34, LETTER = 7, TICKS = 90,
};

#define AT(FIELD) (int)(offsetof(Interval, FIELD) / sizeof(uint64_t))
/* a layer of a panel: its value is the sum of n figures */
typedef struct Layer { const char *name, *colour; int n, figure[2]; } Layer;
typedef enum { STACK, SHARES, LINES } PanelKind;
typedef struct Panel {
	const char *title;
	PanelKind kind;
	int height, nlayer;
	Layer layer[STALL_COUNT + 1];
	bool by_sm;                    /* the values are divided by the number of SMs */
} Panel;

static const Panel panels[] = {
	{ "lane-slots a cycle", STACK, 150, 6, {
		{ "useful", "#1f5fa8", 1, { AT(lanes_useful) } },
		{ "overhead", "#7fb0dd", 1, { AT(overhead_thread) } },
		{ "guard false", "#d9a520", 2, { AT(lanes_predicated_off), AT(overhead_off) } },
		{ "parted", "#c8501e", 2, { AT(lanes_parted), AT(overhead_parted) } },
		{ "ended", "#9a9a9a", 2, { AT(lanes_ended), AT(overhead_ended) } },
		{ "no thread", "#d0d0d0", 2, { AT(lanes_no_thread), AT(overhead_no_thread) } } }, false },
	{ "scheduler-cycles", SHARES, 150, STALL_COUNT + 1, {
		{ "issued", "#1f5fa8", 1, { AT(issued) } },
#define S(ID, NAME, RANK, COLOUR, HELP) [RANK] = { NAME, COLOUR, 1, { AT(stalls) + STALL_##ID } },
		STALLS(S)
#undef S
		}, false },
	{ "sectors a cycle", LINES, 120, 4, {
		{ "asked by warps", "#1f5fa8", 1, { AT(transactions) } },
		{ "found in L1", "#7fb0dd", 1, { AT(l1_hits) } },
		{ "at L2", "#c8501e", 1, { AT(l2_requests) } },
		{ "at DRAM", "#2b2b2b", 2, { AT(dram_reads), AT(dram_writes) } } }, false },
	{ "resident warps of an SM", STACK, 70, 1, { { "warps", "#6b8e4e", 1, { AT(resident) } } }, true },
};
enum { PANELS = sizeof panels / sizeof *panels };

/* What is drawn of a run. */
typedef struct Chart {
	const Timed *timed;
	Intervals *intervals;          /* the intervals of the run, merged to the length of a column */
	int ncolumns, nbreaks;
	int *column;                   /* indices of the intervals that have a column, in order */
	double *x;                     /* by column: its left edge, in pixels */
} Chart;

typedef struct ChartPicture {
	StrBuf *out;
	Chart chart[2];
	int n;
	StrMap kernel;                 /* kernel that was launched -> its number */
	double wide, gap;              /* widths in pixels, of a column and of a break */
	double most[PANELS];           /* by panel: the value at the end of its axis */
	int y;
} ChartPicture;

/* ---- columns ---- */

static Intervals *lengthened(const Intervals *v, Cycle cycles)
{
	Intervals *longer = intervals_new(cycles);
	intervals_merge(longer, v);
	return longer;
}

static void find_columns(Chart *c)
{
	const Intervals *v = c->intervals;
	c->column = xcalloc((size_t)v->n + 1, sizeof *c->column);
	c->x = xcalloc((size_t)v->n + 1, sizeof *c->x);
	for (int k = 0; k < v->n; k++) {
		if (!interval_any(&v->row[k]))
			continue;
		c->nbreaks += c->ncolumns && c->column[c->ncolumns - 1] != k - 1;
		c->column[c->ncolumns++] = k;
	}
}

static void forget_columns(Chart *c)
{
	intervals_free(c->intervals);
	free(c->column);
	free(c->x);
	*c = (Chart){ .timed = c->timed };
}

/* The number behind n in the series 1, 2, 5, 10, 20, 50, ... */
static Cycle next_round(Cycle n)
{
	Cycle power = 1;
	while (power * 10 <= n)
		power *= 10;
	return n == power ? 2 * power : n == 2 * power ? 5 * power : 10 * power;
}

/* Columns of all runs are equally long: one interval, or 2, 5, 10, 20, 50, ... of them. */
static void choose_columns(ChartPicture *p)
{
	Cycle base = 1;
	for (int i = 0; i < p->n; i++)
		base = p->chart[i].timed->run->intervals->cycles > base
			? p->chart[i].timed->run->intervals->cycles : base;
	for (Cycle times = 1;; times = next_round(times)) {
		int most = 0, breaks = 0;
		for (int i = 0; i < p->n; i++) {
			Chart *c = &p->chart[i];
			forget_columns(c);
			c->intervals = lengthened(c->timed->run->intervals, times * base);
			find_columns(c);
			most = c->ncolumns > most ? c->ncolumns : most;
			breaks = c->nbreaks > breaks ? c->nbreaks : breaks;
		}
		if (most > MOST_COLUMNS)
			continue;
		p->gap = breaks * BREAK > PLOT / 4 ? PLOT / 4.0 / breaks : BREAK;
		p->wide = (PLOT - breaks * p->gap) / (most ? most : 1);
		return;
	}
}

static void place_columns(const ChartPicture *p, Chart *c)
{
	double x = LEFT;
	for (int k = 0; k < c->ncolumns; k++) {
		x += k && c->column[k] != c->column[k - 1] + 1 ? p->gap : 0;
		c->x[k] = x;
		x += p->wide;
	}
}

static const Interval *column_count(const Chart *c, int k) { return &c->intervals->row[c->column[k]]; }
static Cycle begin_of(const Chart *c, int k)
{
	return (c->intervals->first + (uint64_t)c->column[k]) * c->intervals->cycles;
}
static bool column_goes_on(const Chart *c, int k)
{
	return k + 1 < c->ncolumns && c->column[k + 1] == c->column[k] + 1;
}

/* ---- values ---- */

static double layer_count(const Interval *x, const Layer *l)
{
	double sum = 0;
	for (int i = 0; i < l->n; i++)
		sum += (double)interval_get(x, l->figure[i]);
	return sum;
}

/* By what the panel divides counts: cycles in which a launch ran, or scheduler-cycles. */
static double panel_divisor(const Chart *c, const Panel *panel, const Interval *x)
{
	double n = panel->kind == SHARES ? (double)x->slots
		: (double)x->cycles * (panel->by_sm ? (double)c->timed->run->config->sm_count : 1);
	return n > 0 ? n : (double)c->intervals->cycles;
}

static double layer_value(const Chart *c, const Panel *panel, int k, int layer)
{
	return layer_count(column_count(c, k), &panel->layer[layer]) / panel_divisor(c, panel,
		column_count(c, k));
}

/* The first of 1, 2, 2.5, 5, 10, 20, ... times a power of ten that is not less. */
static double round_axis(double v)
{
	static const double step[] = { 1, 2, 2.5, 5, 10 };
	double power = 1;
	while (power * 10 < v)
		power *= 10;
	while (power >= v && power > 1e-9)
		power /= 10;
	for (int i = 0; i < 5; i++)
		if (power * step[i] >= v)
			return power * step[i];
	return power * 10;
}

static double end_of_axis(const ChartPicture *p, const Panel *panel)
{
	double most = 0;
	for (int i = 0; i < p->n && panel->kind != SHARES; i++)
		for (int k = 0; k < p->chart[i].ncolumns; k++) {
			double sum = 0;
			for (int l = 0; l < panel->nlayer; l++) {
				double v = layer_value(&p->chart[i], panel, k, l);
				sum = panel->kind == STACK ? sum + v : v > sum ? v : sum;
			}
			most = sum > most ? sum : most;
		}
	return panel->kind == SHARES ? 1 : most > 0 ? round_axis(most) : 1;
}

/* ---- drawing ---- */

static bool in_run(const Chart *c, const Layer *l)
{
	double sum = 0;
	for (int k = 0; k < c->ncolumns; k++)
		sum += layer_count(column_count(c, k), l);
	return sum > 0;
}

static bool in_picture(const ChartPicture *p, const Layer *l)
{
	bool any = false;
	for (int i = 0; i < p->n; i++)
		any |= in_run(&p->chart[i], l);
	return any;
}

/* Draws the area between `low` and `high`, which have a value for each column. Each stretch without a break
   is one shape. */
static void put_area(const ChartPicture *p, const Chart *c, const char *colour, const double *low,
	const double *high)
{
	sb_printf(p->out, "<path fill=\"%s\" d=\"", colour);
	for (int k = 0, begin = 0; k < c->ncolumns; k++) {
		sb_printf(p->out, k == begin ? "M%.1f %.1f" : "V%.1f", k == begin ? c->x[k] : high[k],
			high[k]);
		sb_printf(p->out, "H%.1f", c->x[k] + p->wide);
		if (column_goes_on(c, k))
			continue;
		for (int i = k; i >= begin; i--)
			sb_printf(p->out, "V%.1fH%.1f", low[i], c->x[i]);
		sb_putc(p->out, 'Z');
		begin = k + 1;
	}
	sb_puts(p->out, "\"/>\n");
}

static void draw_line(const ChartPicture *p, const Chart *c, const char *colour, const double *high)
{
	sb_printf(p->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colour);
	for (int k = 0; k < c->ncolumns; k++) {
		bool begins = !k || !column_goes_on(c, k - 1);
		sb_printf(p->out, begins ? "M%.1f %.1f" : "V%.1f", begins ? c->x[k] : high[k], high[k]);
		sb_printf(p->out, "H%.1f", c->x[k] + p->wide);
	}
	sb_puts(p->out, "\"/>\n");
}

static void put_layers(const ChartPicture *p, const Chart *c, const Panel *panel, double most)
{
	double *low = xcalloc((size_t)c->ncolumns + 1, sizeof *low),
		*high = xcalloc((size_t)c->ncolumns + 1, sizeof *high), bottom = p->y + panel->height;
	for (int k = 0; k < c->ncolumns; k++)
		low[k] = bottom;
	for (int l = 0; l < panel->nlayer; l++) {
		if (!in_run(c, &panel->layer[l]))
			continue;
		for (int k = 0; k < c->ncolumns; k++)
			high[k] = (panel->kind == LINES ? bottom : low[k]) -
				layer_value(c, panel, k, l) / most *
				panel->height;
		if (panel->kind == LINES) {
			draw_line(p, c, panel->layer[l].colour, high);
			continue;
		}
		put_area(p, c, panel->layer[l].colour, low, high);
		memcpy(low, high, sizeof *low * (size_t)c->ncolumns);
	}
	free(low);
	free(high);
}

/* Puts the names of a panel's layers, from the top one down, each with its share in the whole run, or its
   mean. */
static void put_legend(const ChartPicture *p, const Chart *c, const Panel *panel)
{
	Interval all = { 0 };
	double sum = 0, y = p->y + 9, x = LEFT + PLOT + 14;
	int rows = 0;
	for (int k = 0; k < c->ncolumns; k++)
		interval_add(&all, column_count(c, k));
	for (int l = 0; l < panel->nlayer; l++) {
		sum += layer_count(&all, &panel->layer[l]);
		rows += in_picture(p, &panel->layer[l]);
	}
	double step = rows > 1 && (rows - 1) * 14 > panel->height - 9 ? (panel->height - 9.0) / (rows - 1)
		: 14;
	for (int i = 0; i < panel->nlayer; i++) {
		const Layer *layer = &panel->layer[panel->kind == LINES ? i : panel->nlayer - 1 - i];
		char text[80];
		if (!in_picture(p, layer))
			continue;
		if (panel->kind == LINES || panel->nlayer == 1)
			snprintf(text, sizeof text, "%s: %.4g", layer->name,
				layer_count(&all, layer) / panel_divisor(c, panel, &all));
		else
			snprintf(text, sizeof text, "%s: %s", layer->name,
				PERCENT(sum > 0 ? layer_count(&all, layer) / sum : 0));
		sb_printf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\" fill=\"%s\"/>\n", x,
			y - 8.5, layer->colour);
		svg_label(p->out, x + 14, y, " font-size=\"11\"", text);
		y += step;
	}
}

/* The distance of marks on the axis, in cycles: a round number, with room for the numbers at the marks. */
static Cycle tick_step(const ChartPicture *p, const Chart *c)
{
	double cycles = TICKS / p->wide * (double)c->intervals->cycles;
	Cycle step = (Cycle)round_axis(cycles), length = c->intervals->cycles;
	return (step + length - 1) / length * length;
}

/* Puts lines through the panel, which is `height` high, at round cycles and behind breaks; or below it the
   numbers of these cycles. */
static void put_ticks(const ChartPicture *p, const Chart *c, int height, bool numbers)
{
	Cycle step = tick_step(p, c);
	double last = 0;
	for (int k = 0; k < c->ncolumns; k++) {
		Cycle at = begin_of(c, k);
		bool begins = !k || !column_goes_on(c, k - 1);
		char text[32];
		if (begins && k && !numbers)
			sb_printf(p->out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
				"fill=\"url(#break)\"/>\n", c->x[k] - p->gap, p->y, p->gap, height);
		if ((!begins && at % step) || (last > 0 && c->x[k] - last < TICKS * 0.75))
			continue;
		last = c->x[k];
		snprintf(text, sizeof text, "%llu", (unsigned long long)at);
		if (numbers)
			svg_label(p->out, c->x[k], p->y + 16, " font-size=\"10\" text-anchor=\"middle\" "
				"fill=\"#555\"", text);
		else
			sb_printf(p->out, "<path d=\"M%.1f %dv%d\" stroke=\"#000\" stroke-opacity=\"0.18\" "
				"stroke-width=\"0.7\"/>\n", c->x[k], p->y, height + 4);
	}
}

static void put_axis(const ChartPicture *p, const Panel *panel, double most)
{
	static const double mark[] = { 0, 0.5, 1 };
	for (int i = 0; i < 3; i++) {
		double y = p->y + panel->height * (1 - mark[i]);
		char text[32];
		if (panel->kind == SHARES)
			snprintf(text, sizeof text, "%.0f %%", mark[i] * 100);
		else
			snprintf(text, sizeof text, "%.4g", mark[i] * most);
		sb_printf(p->out, "<path d=\"M%d %.1fh%d\" stroke=\"#000\" stroke-opacity=\"0.18\" "
			"stroke-width=\"0.7\"/>\n", LEFT - 4, y, PLOT + 4);
		svg_label(p->out, LEFT - 7, y + 4, " font-size=\"10\" text-anchor=\"end\" fill=\"#555\"",
			text);
	}
	svg_label(p->out, LEFT, p->y - 6, " font-size=\"12\"", panel->title);
}

/* ---- launches ---- */

/* The x of a cycle. A cycle in a break lies at the end of the column before the break. */
static double x_of_cycle(const ChartPicture *p, const Chart *c, Cycle at)
{
	int low = 0, high = c->ncolumns;
	while (low < high) { /* finds the last column that begins at cycle `at` or before */
		int middle = (low + high) / 2;
		if (begin_of(c, middle) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return LEFT;
	double in = (double)(at - begin_of(c, low - 1)) / (double)c->intervals->cycles;
	return c->x[low - 1] + (in < 1 ? in : 1) * p->wide;
}

/* The row of the launches of a stream, from 0. If there are more than STRIPS streams, the others share the
   last row. */
static int strip_of(int stream, int *streams, int *n)
{
	int k = 0;
	while (k < *n && streams[k] != stream)
		k++;
	if (k == *n && *n < STRIPS)
		streams[(*n)++] = stream;
	return k < STRIPS ? k : STRIPS - 1;
}

static const char *const kernel_colours[] = { "#b9d3ec", "#f3c4a8", "#bfe3b8", "#dfb9dc", "#e9dd92",
	"#c9c9c9", "#9ad9d9", "#f0b6c6", "#c8b28f", "#a9b8e8", "#d3d68a", "#8fc7a4" };

/* Numbers the kernels in the order of their first launches, in both runs together. */
static void number_kernels(ChartPicture *p)
{
	for (int k = 0; k < p->n; k++) {
		const Run *run = p->chart[k].timed->run;
		for (int i = 0; i < run->launch.n; i++)
			if (strmap_get(&p->kernel, run->launch.v[i]->kernel) < 0)
				strmap_put(&p->kernel, run->launch.v[i]->kernel, p->kernel.n);
	}
}

static const char *colour_of(const ChartPicture *p, const char *kernel)
{
	return kernel_colours[strmap_get(&p->kernel,
		kernel) % (int)(sizeof kernel_colours / sizeof *kernel_colours)];
}

/* Puts, in a row, the names of the kernels that were launched, as far as there is room, and how many are left
   out. */
static void put_kernels(ChartPicture *p, const Run *run)
{
	double x = LEFT;
	int left_out = 0;
	StrMap seen = { 0 };
	char more[40];
	for (int i = 0; i < run->launch.n; i++) {
		const char *kernel = run->launch.v[i]->kernel;
		if (strmap_get(&seen, kernel) >= 0)
			continue;
		strmap_put(&seen, kernel, 0);
		double end = x + 30 + LETTER * (double)strlen(kernel);
		if (left_out || (end > LEFT + PLOT && x > LEFT)) {
			left_out++;
			continue;
		}
		sb_printf(p->out, "<rect x=\"%.1f\" y=\"%d\" width=\"9\" height=\"9\" fill=\"%s\"/>\n", x,
			p->y - 8, colour_of(p, kernel));
		svg_label(p->out, x + 13, p->y, " font-size=\"11\"", kernel);
		x = end;
	}
	snprintf(more, sizeof more, "and %d more", left_out);
	if (left_out)
		svg_label(p->out, x, p->y, " font-size=\"11\" fill=\"#555\"", more);
	strmap_free(&seen);
	p->y += 8;
}

/* Puts a bar for each launch, a row for each stream. */
static void draw_launches(ChartPicture *p, const Chart *c)
{
	const Run *run = c->timed->run;
	int streams[STRIPS], n = 0, most = 0;
	double right[STRIPS] = { 0 };
	for (int i = 0; i < run->launch.n; i++) {
		const LaunchStats *l = run->launch.v[i];
		int row = strip_of(l->stream, streams, &n);
		double from = x_of_cycle(p, c, l->started),
			to = x_of_cycle(p, c, l->started + l->totals.cycles),
			y = p->y + row * STRIP;
		most = row + 1 > most ? row + 1 : most;
		if (!l->totals.cycles || to < right[row] + 0.5) /* no pixel of the bar would be seen */
			continue;
		right[row] = to;
		sb_printf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
			"stroke=\"#888\" stroke-width=\"0.5\"/>\n", from, y, to - from, STRIP - 2,
			colour_of(p, l->kernel));
	}
	svg_label(p->out, LEFT - 7, p->y + 9, " font-size=\"10\" text-anchor=\"end\" fill=\"#555\"",
		most > 1 ? "streams" : "launches");
	p->y += most * STRIP;
}

/* ---- the whole ---- */

static void put_chart(ChartPicture *p, Chart *c)
{
	place_columns(p, c);
	if (c->timed->name) {
		StrBuf title = { 0 };
		sb_printf(&title, "%s: passes %s", c->timed->name,
			*c->timed->title->passes ? c->timed->title->passes : "none");
		svg_label(p->out, 12, p->y, " font-size=\"14\"", title.s);
		sb_free(&title);
		p->y += 18;
	}
	put_kernels(p, c->timed->run);
	draw_launches(p, c);
	for (int i = 0; i < PANELS; i++) {
		p->y += BETWEEN - (i ? 0 : 8);
		put_layers(p, c, &panels[i], p->most[i]);
		put_ticks(p, c, panels[i].height, false);
		put_axis(p, &panels[i], p->most[i]);
		put_legend(p, c, &panels[i]);
		p->y += panels[i].height;
	}
	put_ticks(p, c, 0, true);
	svg_label(p->out, LEFT + PLOT + 44, p->y + 16, " font-size=\"10\" fill=\"#555\"", "cycle");
	p->y += 50;
}

static void put_chart_title(const ChartPicture *p, StrBuf *title)
{
	const Title *t = p->chart[0].timed->title;
	Cycle length = p->chart[0].intervals->cycles, own = p->chart[0].timed->run->intervals->cycles;
	sb_printf(title, "%s on %s, %s", t->module, t->config ? t->config : "the machine of the defaults",
		title_model(t));
	if (p->n == 1 && *t->passes)
		sb_printf(title, ", passes %s", t->passes);
	sb_printf(title, ": %llu cycle%s a column", (unsigned long long)length, length == 1 ? "" : "s");
	if (length != own)
		sb_printf(title, " (%llu intervals)", (unsigned long long)(length / own));
}

void report_intervals_svg(const Timed *timed, int n, StrBuf *out)
{
	StrBuf body = { 0 }, title = { 0 };
	ChartPicture p = { .out = &body, .n = n, .y = TOP };
	must(n <= 2);
	for (int i = 0; i < n; i++)
		p.chart[i].timed = &timed[i];
	number_kernels(&p);
	choose_columns(&p);
	for (int i = 0; i < PANELS; i++)
		p.most[i] = end_of_axis(&p, &panels[i]);
	put_chart_title(&p, &title);
	for (int i = 0; i < n; i++)
		put_chart(&p, &p.chart[i]);
	int width = LEFT + PLOT + LEGEND;
	if (24 + 8 * (int)title.n > width) /* the letters of the title have 15 pixels */
		width = 24 + 8 * (int)title.n;
	sb_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
		"%d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<defs><pattern id=\"break\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
		"patternTransform=\"rotate(45)\"><rect width=\"4\" height=\"4\" fill=\"white\"/>"
		"<path d=\"M0 0V4\" stroke=\"#bbb\"/></pattern></defs>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", width, p.y, width, p.y, width, p.y);
	svg_label(out, 12, 24, " font-size=\"15\"", title.s);
	sb_puts(out, body.s ? body.s : "");
	sb_puts(out, "</svg>\n");
	for (int i = 0; i < n; i++)
		forget_columns(&p.chart[i]);
	strmap_free(&p.kernel);
	sb_free(&title);
	sb_free(&body);
}
