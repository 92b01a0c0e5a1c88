#include "tools/sweep/plot.h"
#include "lib/names.h"
#include "sim/report/svg.h"
#include "tools/sweep/plot_data.h"
#include <math.h>

const char *const plot_kind_name[PLOT_KINDS] = { "lines", "bars", "heat" };

/* A panel's frame, within which values are drawn, has margins for the marks of its axes. All in pixels. */
enum { PANEL_W = 400, PANEL_H = 270, LEFT = 76, RIGHT = 16, ABOVE = 30, BELOW = 46, ACROSS = 3, TOP = 48,
	LETTER = 7, ROW = 16, MARGIN = 16, TITLE_LETTER = 8, TITLE_ROW = 20 };
enum { FRAME_W = PANEL_W - LEFT - RIGHT, FRAME_H = PANEL_H - ABOVE - BELOW };
/* Letters of a name beside a row of a heat map: those for which LEFT has room, and the most that get room. */
enum { SHORT_NAME = 10, LONG_NAME = 36 };
static const char *const colour[] = { "#1f5fa8", "#c8501e", "#2b8a3e", "#8a2b85", "#7a6a00", "#444444",
	"#d0436f", "#0b8f8f" };
enum { COLOURS = sizeof colour / sizeof *colour };

typedef struct Panel { const PlotData *data; StrBuf *out; int number, x, y; double low, high; } Panel;

static void put_number(char text[32], double v)
{
	snprintf(text, 32, fabs(v) < 1e7 && v == floor(v) ? "%.0f" : "%.4g", v);
}

/* A step of 1, 2 or 5 times a power of ten that divides the range into at most `most` parts. */
static double nice_step(double range, int most)
{
	double power = pow(10, floor(log10(range / most)));
	static const int factor[] = { 1, 2, 5, 10 };
	for (int i = 0; i < 4; i++)
		if (range / (factor[i] * power) <= most)
			return factor[i] * power;
	return 10 * power;
}

static const char *name_of_series(const PlotData *d, int k)
{
	const char *name = d->series ? plot_shown(d->series, k) : "";
	return *name ? name : d->series && !strcmp(d->series->name, "passes") ? "no passes" : name;
}

/* A star where the best value stands. */
static void put_star(StrBuf *out, double x, double y)
{
	sb_puts(out, "<path d=\"");
	for (int i = 0; i < 10; i++) {
		double angle = i * 3.14159265358979 / 5, r = i % 2 ? 3 : 7;
		sb_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', x + r * sin(angle), y - r * cos(angle));
	}
	sb_puts(out, "Z\" fill=\"#e7b416\" stroke=\"#333\" "
		"stroke-width=\"0.8\"><title>best</title></path>\n");
}

/* ---- axes ---- */

static double y_of(const Panel *p, double v)
{
	return p->y + ABOVE + FRAME_H - (v - p->low) / (p->high - p->low) * FRAME_H;
}

/* Are numbers spread so that their logarithms are more even? */
static bool is_logarithmic(const PlotColumn *x)
{
	double first = strtod(x->value.v[0], NULL), low = first, high = first;
	for (int i = 0; i < x->value.n; i++) {
		double v = strtod(x->value.v[i], NULL);
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	return low > 0 && high / low >= 16 && x->value.n < high / low / 2;
}

static double x_of(const Panel *p, int i)
{
	const PlotColumn *x = p->data->x;
	int n = x->value.n;
	double low = INFINITY, high = -INFINITY;
	if (!x->numeric || p->data->kind != PLOT_LINES)
		return p->x + LEFT + (i + 0.5) * FRAME_W / n;
	bool logarithmic = is_logarithmic(x);
	double at = 0;
	for (int k = 0; k < n; k++) {
		double v = strtod(x->value.v[k], NULL);
		v = logarithmic ? log2(v) : v;
		low = v < low ? v : low;
		high = v > high ? v : high;
		at = k == i ? v : at;
	}
	return p->x + LEFT + 8 + (high > low ? (at - low) / (high - low) : 0.5) * (FRAME_W - 16);
}

/* Where the first line of a panel's name ends, which has commas between its parts: as many parts share the
   line as have room. */
static const char *end_of_line(const char *name)
{
	const int room = (FRAME_W + RIGHT) / LETTER;
	const char *end = NULL;
	if (strlen(name) <= (size_t)room)
		return name + strlen(name);
	for (const char *at = name; (at = strstr(at, ", ")) && (!end || at - name <= room); at += 2)
		end = at;
	return end ? end : name + strlen(name);
}

/* How many lines the names of panels take at most. */
static int lines_of_names(const PlotData *d)
{
	int most = 1;
	for (int i = 0; i < d->panel.value.n; i++) {
		int lines = 0;
		for (const char *end, *name = d->panel.value.v[i]; *name; name = *end ? end + 2 : end,
			lines++)
			end = end_of_line(name);
		most = lines > most ? lines : most;
	}
	return most;
}

/* Names of several lines have more room above their panels, which begin lower for that. */
static void put_panel_name(const Panel *p)
{
	char line[256];
	int y = p->y + ABOVE - 8 - (lines_of_names(p->data) - 1) * ROW;
	for (const char *end, *name = p->data->panel.value.v[p->number]; *name; name = *end ? end + 2 : end) {
		end = end_of_line(name);
		snprintf(line, sizeof line, "%.*s", (int)(end - name), name);
		svg_label(p->out, p->x + LEFT, y, "", line);
		y += ROW;
	}
}

static void put_frame(const Panel *p)
{
	sb_printf(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"#999\"/>\n", p->x + LEFT, p->y + ABOVE, FRAME_W, FRAME_H);
	put_panel_name(p);
}

static void put_y_marks(const Panel *p)
{
	double step = nice_step(p->high - p->low, 6);
	char text[32];
	for (double v = ceil(p->low / step - 1e-9) * step; v <= p->high + step * 1e-9; v += step) {
		put_number(text, fabs(v) < step * 1e-9 ? 0 : v);
		sb_printf(p->out, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", p->x + LEFT, y_of(p, v),
			FRAME_W);
		svg_label(p->out, p->x + LEFT - 5, y_of(p, v) + 4, " text-anchor=\"end\" fill=\"#555\"",
			text);
	}
}

/* The values along x, as many as have room; a name that is too long is cut. */
static void put_x_marks(const Panel *p)
{
	const PlotColumn *x = p->data->x;
	double last = -1e9;
	int room = x->numeric ? 12 : FRAME_W / x->value.n / LETTER;
	for (int i = 0; i < x->value.n; i++) {
		char text[40];
		const char *v = plot_shown(x, i);
		int n = (int)strlen(v);
		if (!n)
			v = "(none)";
		/* of paths, the end tells more */
		if (n > room && room >= 4)
			snprintf(text, sizeof text, "..%s", v + n - (room - 2));
		else
			snprintf(text, sizeof text, "%.36s", v);
		double half = (double)strlen(text) * LETTER / 2;
		if (x_of(p, i) - half < last)
			continue;
		last = x_of(p, i) + half + 4;
		svg_label(p->out, x_of(p, i), p->y + ABOVE + FRAME_H + 15,
			" text-anchor=\"middle\" fill=\"#555\"", text);
	}
	svg_label(p->out, p->x + LEFT + FRAME_W / 2, p->y + ABOVE + FRAME_H + 32, " text-anchor=\"middle\"",
		x->name);
}

/* ---- lines, bars, heat ---- */

static void draw_lines(const Panel *p)
{
	const PlotData *d = p->data;
	for (int k = 0; k < plot_series(d); k++) {
		bool open = false;
		const char *fill = colour[k % COLOURS];
		sb_puts(p->out, "<path d=\"");
		for (int i = 0; i < d->x->value.n; i++) {
			double v = plot_value(d, p->number, k, i);
			if (!isnan(v))
				sb_printf(p->out, "%c%.1f %.1f", open ? 'L' : 'M', x_of(p, i), y_of(p, v));
			open = !isnan(v);
		}
		sb_printf(p->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n", fill,
			k < COLOURS ? "" : k < 2 * COLOURS ? " stroke-dasharray=\"6 3\""
			: " stroke-dasharray=\"2 3\"");
		for (int i = 0; i < d->x->value.n && d->x->value.n <= 60; i++) {
			double v = plot_value(d, p->number, k, i);
			if (!isnan(v))
				sb_printf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"%s\"/>\n",
					x_of(p, i), y_of(p, v), fill);
		}
	}
}

static void draw_bars(const Panel *p)
{
	const PlotData *d = p->data;
	double room = (double)FRAME_W / d->x->value.n * 0.8, width = room / plot_series(d);
	for (int i = 0; i < d->x->value.n; i++)
		for (int k = 0; k < plot_series(d); k++) {
			double v = plot_value(d, p->number, k, i), top = y_of(p, v);
			if (!isnan(v))
				sb_printf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
					"height=\"%.1f\" fill=\"%s\"%s/>\n",
					x_of(p, i) - room / 2 + k * width, top, width > 3 ? width - 1 : width,
					p->y + ABOVE + FRAME_H - top, colour[k % COLOURS],
					k < COLOURS ? "" : " fill-opacity=\"0.5\"");
		}
}

/* The names of series as they stand beside the rows of a heat map: long ones are cut, so that they still
   differ. */
static const char **names_of_rows(Arena *a, const PlotData *d)
{
	const char **name = arena_array(a, const char *, plot_series(d));
	for (int k = 0; k < plot_series(d); k++)
		name[k] = name_of_series(d, k);
	names_shown(a, name, plot_series(d), LONG_NAME, name);
	return name;
}

/* What these names need beside the panel beyond LEFT. */
static int room_of_rows(const PlotData *d)
{
	Arena a = { 0 };
	size_t most = SHORT_NAME;
	const char **name = names_of_rows(&a, d);
	for (int k = 0; k < plot_series(d) && d->kind == PLOT_HEAT; k++)
		most = strlen(name[k]) > most ? strlen(name[k]) : most;
	arena_free(&a);
	return (int)(most - SHORT_NAME) * LETTER;
}

static void draw_heat(const Panel *p)
{
	const PlotData *d = p->data;
	Arena a = { 0 };
	const char **name = names_of_rows(&a, d);
	double width = (double)FRAME_W / d->x->value.n, height = (double)FRAME_H / plot_series(d);
	for (int k = 0; k < plot_series(d); k++) {
		double y = p->y + ABOVE + k * height;
		for (int i = 0; i < d->x->value.n; i++) {
			double v = plot_value(d, p->number, k, i), share = (v - p->low) / (p->high - p->low);
			char text[32];
			if (isnan(v))
				continue;
			sb_printf(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"fill=\"hsl(%.0f,65%%,%.0f%%)\"/>\n", p->x + LEFT + i * width, y, width,
				height,
				210 - 190 * share, 92 - 42 * share);
			put_number(text, v);
			if (width > (double)strlen(text) * LETTER + 4 && height > 13)
				svg_label(p->out, p->x + LEFT + (i + 0.5) * width, y + height / 2 + 4,
					" text-anchor=\"middle\" font-size=\"10\"", text);
		}
		if (height >= 11)
			svg_label(p->out, p->x + LEFT - 5, y + height / 2 + 4,
				" text-anchor=\"end\" fill=\"#555\"", name[k]);
	}
	arena_free(&a);
}

static void mark_best(const Panel *p)
{
	const PlotData *d = p->data;
	double best = plot_best(d, p->number);
	for (int k = 0; k < plot_series(d); k++)
		for (int i = 0; i < d->x->value.n; i++) {
			if (plot_value(d, p->number, k, i) != best)
				continue;
			double x = x_of(p, i), y = y_of(p, best);
			if (d->kind == PLOT_BARS) {
				x += ((k + 0.5) / plot_series(d) - 0.5) * FRAME_W / d->x->value.n * 0.8;
				y -= 9;
			} else if (d->kind == PLOT_HEAT) {
				y = p->y + ABOVE + (k + 0.2) * FRAME_H / plot_series(d);
			}
			put_star(p->out, x, y);
		}
}

/* The values of a panel from least to most; from 0 if they reach near it, and always for bars. */
static void choose_scale(Panel *p)
{
	if (!plot_range(p->data, p->number, &p->low, &p->high))
		p->low = p->high = 0;
	double range = p->high - p->low;
	if (p->data->kind != PLOT_HEAT) {
		if (p->data->kind == PLOT_BARS || (p->low >= 0 && p->low < 0.5 * p->high))
			p->low = p->low < 0 ? p->low : 0;
		else
			p->low -= 0.06 * range;
		p->high += 0.1 * (p->high - p->low);
	}
	if (!(p->high > p->low))
		p->high = p->low + (p->low ? fabs(p->low) : 1);
}

static void draw_panel(const PlotData *d, int number, int x, int y, StrBuf *out)
{
	Panel p = { .data = d, .out = out, .number = number, .x = x, .y = y };
	choose_scale(&p);
	if (d->kind != PLOT_HEAT)
		put_y_marks(&p);
	if (d->kind == PLOT_LINES)
		draw_lines(&p);
	else if (d->kind == PLOT_BARS)
		draw_bars(&p);
	else
		draw_heat(&p);
	put_frame(&p);
	put_x_marks(&p);
	mark_best(&p);
}

/* ---- the whole ---- */

/* Names of series beside their colours; returns the height that they take. */
static int put_legend(const PlotData *d, int width, int top, StrBuf *out)
{
	int x = 16, y = top;
	if (!d->series || d->kind == PLOT_HEAT)
		return 0;
	for (int k = 0; k < plot_series(d); k++) {
		const char *name = name_of_series(d, k);
		int needs = 34 + (int)strlen(name) * LETTER;
		if (x > 16 && x + needs > width) {
			x = 16;
			y += ROW;
		}
		sb_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"%s/>\n", x,
			y - 9, colour[k % COLOURS], k < COLOURS ? "" : " fill-opacity=\"0.5\"");
		svg_label(out, x + 14, y, "", name);
		x += needs;
	}
	return y - top + ROW + 4;
}

/* How many bytes of the text stand in a line of `room` letters: up to a space, or, in a word that is longer
   than a line, up to the end of a letter. */
static size_t length_of_line(const char *text, size_t room)
{
	size_t n = strlen(text), end;
	if (n <= room)
		return n;
	for (end = room; end && text[end] != ' ';)
		end--;
	if (end)
		return end;
	for (end = room; end > 1 && ((unsigned char)text[end] & 0xc0) == 0x80;)
		end--;
	return end;
}

/* Puts the text in lines that the picture has room for; returns the height of those behind the first. */
static int put_lines(const char *text, int width, StrBuf *out)
{
	Arena a = { 0 };
	int y = 26;
	for (size_t n; *text; text += n, text += *text == ' ', y += TITLE_ROW) {
		n = length_of_line(text, (size_t)(width - 2 * MARGIN) / TITLE_LETTER);
		svg_label(out, MARGIN, y, " font-size=\"15\"", arena_strndup(&a, text, n));
	}
	arena_free(&a);
	return y - 26 - TITLE_ROW;
}

/* Puts what the picture shows; returns the height that it takes beyond one line. */
static int put_title(const Sweep *s, const PlotData *d, int width, StrBuf *out)
{
	StrBuf title = { 0 };
	sb_printf(&title, "%s", d->y);
	for (int i = 0; i < s->plan->axis.n; i++)
		if (d->column[i].value.n == 1 && *d->column[i].value.v[0] &&
			s->plan->axis.v[i].kind < AXIS_PARAMETER)
			sb_printf(&title, ", %s", plot_shown(&d->column[i], 0));
	if (d->better)
		sb_printf(&title, "; a star marks the %s", d->better > 0 ? "highest" : "lowest");
	if (d->kind == PLOT_LINES)
		sb_puts(&title, "; each panel has axes of its own");
	else if (d->kind == PLOT_HEAT)
		sb_puts(&title, "; colours from the least of a panel (blue) to its most (red)");
	int height = put_lines(title.s, width, out);
	sb_free(&title);
	return height;
}

bool sweep_plot(const Sweep *s, const PlotChoice *choice, StrBuf *out, Diag *diag)
{
	PlotData d;
	bool ok = plot_collect(&d, s, choice, diag);
	if (ok) {
		StrBuf body = { 0 };
		int n = d.panel.value.n, across = n < ACROSS ? n : ACROSS, rows = room_of_rows(&d),
			panel = PANEL_W + rows, width = across * panel > 700 ? across * panel : 700;
		int more = (lines_of_names(&d) - 1) * ROW, y = TOP + put_title(s, &d, width, &body) + more;
		y += put_legend(&d, width, y - more, &body);
		for (int i = 0; i < n; i++)
			draw_panel(&d, i, i % across * panel + rows, y + i / across * (PANEL_H + more),
				&body);
		int height = y - more + (n + across - 1) / across * (PANEL_H + more) + 8;
		sb_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
			"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
			"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n%s</svg>\n", width, height, width,
			height, width, height, body.s);
		sb_free(&body);
	}
	plot_data_free(&d, s->plan->axis.n);
	return ok;
}
