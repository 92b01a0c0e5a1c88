/* The grid as a picture (SVG): bars for cycles (without timing: instructions), fetches and utilisation, kernel by kernel. */
#include "sim/report/grid.h"

enum { PANELS = 3, PANEL = 250, VALUE = 62, BAR = 11, GAP = 7, TOP = 46, LETTER = 7, MOST_LABEL = 90 };
static const char *const colour[] = { "#1f5fa8", "#c8501e", "#2b8a3e", "#8a2b85", "#7a6a00", "#444444" };
enum { COLOURS = sizeof colour / sizeof *colour };

typedef struct Picture {
	StrBuf body;
	int y, width;
} Picture;

static void put_escaped(StrBuf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
			sb_printf(out, "&#%d;", *s);
		else if ((unsigned char)*s >= ' ')
			sb_putc(out, *s);
	}
}

static void put_label(StrBuf *out, int x, int y, const char *style, const char *text)
{
	sb_printf(out, "<text x=\"%d\" y=\"%d\"%s>", x, y, style);
	put_escaped(out, text);
	sb_puts(out, "</text>\n");
}

/* Puts a mechanism's name so that it ends at x; of a very long name the beginning. */
static void put_cut_label(StrBuf *out, int x, int y, const char *name)
{
	StrBuf text = { 0 };
	if (strlen(name) > MOST_LABEL)
		sb_printf(&text, "%.*s...", MOST_LABEL - 3, name);
	else
		sb_puts(&text, name);
	put_label(out, x, y, " text-anchor=\"end\"", text.s ? text.s : "");
	sb_free(&text);
}

/* Which of the table's pipelines this is, by first appearance. */
static int pipeline(const Table *t, int i, int *count)
{
	int n = 0, mine = 0;
	for (int k = 0; k < t->n; k++) {
		int j = 0;
		while (j < k && strcmp(grid_passes(&t->cell[j]), grid_passes(&t->cell[k])))
			j++;
		n += j == k;
		if (!strcmp(grid_passes(&t->cell[k]), grid_passes(&t->cell[i])) && j == k)
			mine = n - 1;
	}
	*count = n;
	return mine;
}

/* Is the figure comparable? Where each lane has issue slots of its own, fetches are not those of warps and the utilisation is not defined. */
static bool comparable(const Cell *c, int f) { return c->known[f] && (f != FETCHES || c->known[UTILIZATION]); }

static double largest(const Table *t, int f)
{
	double most = 0;
	for (int i = 0; i < t->n; i++)
		if (t->cell[i].completed && comparable(&t->cell[i], f) && t->cell[i].v[f] > most)
			most = t->cell[i].v[f];
	return most;
}

static void put_bar(StrBuf *out, const Cell *c, int f, double most, int x, int y, const char *fill)
{
	char text[40];
	if (!c->completed)
		return;
	if (!comparable(c, f)) {
		put_label(out, x + 4, y + BAR - 2, " font-size=\"10\" fill=\"#555\"", "n/a");
		return;
	}
	double width = c->v[f] > 0 && c->v[f] <= most && most < 1e300 ? c->v[f] / most * (PANEL - VALUE) : 0;
	sb_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y, width, BAR - 1, fill);
	if (f == UTILIZATION)
		report_percent(text, c->v[f]);
	else
		snprintf(text, sizeof text, "%.0f", c->v[f]);
	put_label(out, x + (int)width + 4, y + BAR - 2, " font-size=\"10\"", text);
}

static void put_heading(Picture *p, const Table *t, int label, const int *shown, int npipelines)
{
	static const char *const name[] = { [CYCLES] = "cycles", [WARP_INSTRUCTIONS] = "warp instructions", [FETCHES] = "fetches of blocks",
		[UTILIZATION] = "SIMD utilisation" };
	StrBuf title = { 0 };
	sb_printf(&title, "kernel %.40s", t->kernel ? t->kernel : "(none was launched)");
	put_label(&p->body, 12, p->y, " font-size=\"14\"", title.s);
	sb_free(&title);
	for (int i = 0, x = label + PANEL; npipelines > 1 && i < t->n; i++) {
		int n, k = pipeline(t, i, &n);
		bool first = true;
		for (int j = 0; j < i; j++)
			first &= strcmp(grid_passes(&t->cell[j]), grid_passes(&t->cell[i])) != 0;
		if (!first)
			continue;
		sb_printf(&p->body, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x, p->y - 9, colour[k % COLOURS]);
		put_label(&p->body, x + 14, p->y, "", grid_passes(&t->cell[i]));
		x += 34 + LETTER * (int)strlen(grid_passes(&t->cell[i]));
		p->width = x > p->width ? x : p->width;
	}
	p->y += 22;
	for (int k = 0; k < PANELS; k++)
		put_label(&p->body, label + k * PANEL, p->y, " fill=\"#555\"", name[shown[k]]);
	p->y += 8;
}

static void put_table(const Table *t, void *self)
{
	Picture *p = self;
	const int shown[PANELS] = { grid_measured(t, CYCLES) ? CYCLES : WARP_INSTRUCTIONS, FETCHES, UTILIZATION };
	int letters = 0, n = 1, top;
	for (int i = 0; i < t->n; i++)
		if ((int)strlen(grid_model(&t->cell[i])) > letters)
			letters = (int)strlen(grid_model(&t->cell[i]));
	int label = 24 + LETTER * (letters > MOST_LABEL ? MOST_LABEL : letters);
	pipeline(t, 0, &n);
	put_heading(p, t, label, shown, n);
	top = p->y;
	for (int i = 0; i < t->n; i++) {
		const Cell *c = &t->cell[i];
		bool first = !i || strcmp(grid_model(c), grid_model(&t->cell[i - 1]));
		p->y += first ? GAP : 0;
		if (first)
			put_cut_label(&p->body, label - 8, p->y + BAR, grid_model(c));
		for (int k = 0; k < PANELS; k++)
			put_bar(&p->body, c, shown[k], shown[k] == UTILIZATION ? 1 : largest(t, shown[k]), label + k * PANEL, p->y,
				colour[pipeline(t, i, &n) % COLOURS]);
		if (!c->completed)
			put_label(&p->body, label + 4, p->y + BAR - 2, " font-size=\"10\" fill=\"#b00020\"", grid_outcome(c));
		p->y += n > 1 ? BAR : BAR + 1;
	}
	for (int k = 0; k < PANELS; k++)
		sb_printf(&p->body, "<path d=\"M%d %d V%d\" stroke=\"#888\"/>\n", label + k * PANEL, top + GAP - 2, p->y + 2);
	if (label + PANELS * PANEL > p->width)
		p->width = label + PANELS * PANEL;
	p->y += 34;
}

void report_grid_svg(const JsonValue *runs, StrBuf *out)
{
	Picture p = { .y = TOP + 12, .width = 600 };
	StrBuf title = { 0 };
	const JsonValue *first = runs->n ? &runs->item[0] : NULL;
	grid_each(runs, put_table, &p);
	const char *machine = json_string(first, "config");
	sb_printf(&title, "%s on %s", json_string(first, "module"), *machine ? machine : "the machine of the defaults");
	if (24 + 9 * (int)title.n > p.width) /* letters of 15 pixels */
		p.width = 24 + 9 * (int)title.n;
	sb_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", p.width, p.y, p.width,
		p.y, p.width, p.y);
	put_label(out, 12, 24, " font-size=\"15\"", title.s);
	sb_puts(out, p.body.s ? p.body.s : "");
	sb_puts(out, "</svg>\n");
	sb_free(&title);
	sb_free(&p.body);
}
