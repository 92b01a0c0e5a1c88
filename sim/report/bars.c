/* The grid as a picture (SVG): bars for cycles (without timing: instructions), fetches and utilisation,
   kernel by kernel. */
#include "lib/names.h"
#include "sim/report/grid.h"
#include "sim/report/svg.h"

enum { PANELS = 3, PANEL = 250, VALUE = 62, BAR = 11, GAP = 7, TOP = 46, MOST_LABEL = 90,
	MOST_OUTCOME = 100 };
static const char *const colour[] = { "#1f5fa8", "#c8501e", "#2b8a3e", "#8a2b85", "#7a6a00", "#444444" };
enum { COLOURS = sizeof colour / sizeof *colour };

typedef struct BarPicture {
	StrBuf body;
	int y, width;
} BarPicture;

/* Pixels that a text may take in letters of that size: those of the widest of the usual sans-serif fonts
   (DejaVu Sans: 0.64 of the size for most, 1 for m, W and the like). */
static int pixels(const char *text, int size)
{
	int twelfths = 0;
	for (; *text; text++)
		if (((unsigned char)*text & 0xC0) != 0x80)
			twelfths += (unsigned char)*text >= 0x80 || strchr("mwMWQO@%&<>+=", *text) ? 12 : 8;
	return (twelfths * size + 11) / 12;
}

/* Makes the picture at least as wide as the text at x needs. */
static void widen_picture(BarPicture *p, int x, const char *text, int size)
{
	if (x + pixels(text, size) + 12 > p->width)
		p->width = x + pixels(text, size) + 12;
}

/* Returns the number of the pipeline of row i. Pipelines are numbered in the order of their first rows.
   *count: how many there are. */
static int pipeline(const GridTable *t, int i, int *count)
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

/* Is the figure comparable? Where each lane has issue slots of its own, fetches are not those of warps and
   the utilisation is not defined. */
static bool is_comparable(const Cell *c, int f)
{
	return c->known[f] && (f != FETCHES || c->known[UTILIZATION]);
}

static double largest_figure(const GridTable *t, int f)
{
	double most = 0;
	for (int i = 0; i < t->n; i++)
		if (t->cell[i].well && is_comparable(&t->cell[i], f) && t->cell[i].v[f] > most)
			most = t->cell[i].v[f];
	return most;
}

/* If there are more pipelines than colours, the colours are used again, paler. */
static void put_fill(StrBuf *out, int pipeline)
{
	sb_printf(out, " fill=\"%s\"", colour[pipeline % COLOURS]);
	if (pipeline >= COLOURS)
		sb_printf(out, " fill-opacity=\"%.2f\"", 1.2 / (1.0 + pipeline / COLOURS));
}

static void put_bar(StrBuf *out, const Cell *c, int f, double most, int x, int y, int pipeline)
{
	char text[40];
	if (!c->well)
		return;
	if (!is_comparable(c, f)) {
		svg_label(out, x + 4, y + BAR - 2, " font-size=\"10\" fill=\"#555\"", "n/a");
		return;
	}
	double width = c->v[f] > 0 && c->v[f] <= most && most < 1e300 ? c->v[f] / most * (PANEL - VALUE) : 0;
	sb_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"", x, y, width, BAR - 1);
	put_fill(out, pipeline);
	sb_puts(out, "/>\n");
	if (f == UTILIZATION)
		report_percent(text, c->v[f]);
	else
		snprintf(text, sizeof text, "%.0f", c->v[f]);
	svg_label(out, x + (int)width + 4, y + BAR - 2, " font-size=\"10\"", text);
}

static void draw_heading(BarPicture *p, const GridTable *t, int label, const int *shown, int npipelines)
{
	static const char *const name[] = { [CYCLES] = "cycles", [WARP_INSTRUCTIONS] = "warp instructions",
		[FETCHES] = "fetches of blocks",
		[UTILIZATION] = "SIMD utilisation" };
	StrBuf title = { 0 };
	sb_printf(&title, "kernel %s", t->kernel ? t->kernel : "(none was launched)");
	svg_label(&p->body, 12, p->y, " font-size=\"14\"", title.s);
	widen_picture(p, 12, title.s, 14);
	int right = 12 + pixels(title.s, 14) + 24;
	sb_free(&title);
	for (int i = 0, x = right > label + PANEL ? right : label + PANEL; npipelines > 1 && i < t->n; i++) {
		int n, k = pipeline(t, i, &n);
		bool first = true;
		for (int j = 0; j < i; j++)
			first &= strcmp(grid_passes(&t->cell[j]), grid_passes(&t->cell[i])) != 0;
		if (!first)
			continue;
		sb_printf(&p->body, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\"", x, p->y - 9);
		put_fill(&p->body, k);
		sb_puts(&p->body, "/>\n");
		svg_label(&p->body, x + 14, p->y, "", grid_passes(&t->cell[i]));
		widen_picture(p, x + 14, grid_passes(&t->cell[i]), 12);
		x += 34 + pixels(grid_passes(&t->cell[i]), 12);
	}
	p->y += 22;
	for (int k = 0; k < PANELS; k++)
		svg_label(&p->body, label + k * PANEL, p->y, " fill=\"#555\"", name[shown[k]]);
	p->y += 8;
}

static void draw_table(const GridTable *t, void *self)
{
	BarPicture *p = self;
	const int shown[PANELS] = { grid_measured(t, CYCLES) ? CYCLES : WARP_INSTRUCTIONS, FETCHES,
		UTILIZATION };
	int wide = 0, n = 1, top;
	Arena a = { 0 };
	const char **model = arena_array(&a, const char *, t->n);
	for (int i = 0; i < t->n; i++)
		model[i] = grid_model(&t->cell[i]);
	names_shown(&a, model, t->n, MOST_LABEL, model);
	for (int i = 0; i < t->n; i++)
		wide = pixels(model[i], 12) > wide ? pixels(model[i], 12) : wide;
	int label = 24 + wide;
	pipeline(t, 0, &n);
	draw_heading(p, t, label, shown, n);
	top = p->y;
	for (int i = 0; i < t->n; i++) {
		const Cell *c = &t->cell[i];
		bool first = !i || strcmp(grid_model(c), grid_model(&t->cell[i - 1]));
		p->y += first ? GAP : 0;
		if (first)
			svg_label(&p->body, label - 8, p->y + BAR, " text-anchor=\"end\"", model[i]);
		for (int k = 0; k < PANELS; k++)
			put_bar(&p->body, c, shown[k], shown[k] == UTILIZATION ? 1
				: largest_figure(t, shown[k]), label + k * PANEL, p->y, pipeline(t, i, &n));
		if (!c->well) {
			const char *why = grid_outcome(&a, c);
			names_shown(&a, &why, 1, MOST_OUTCOME, &why);
			svg_label(&p->body, label + 4, p->y + BAR - 2, " font-size=\"10\" fill=\"#b00020\"",
				why);
			widen_picture(p, label + 4, why, 10);
		}
		p->y += n > 1 ? BAR : BAR + 1;
	}
	for (int k = 0; k < PANELS; k++)
		sb_printf(&p->body, "<path d=\"M%d %d V%d\" stroke=\"#888\"/>\n", label + k * PANEL,
			top + GAP - 2, p->y + 2);
	if (label + PANELS * PANEL > p->width)
		p->width = label + PANELS * PANEL;
	p->y += 34;
	arena_free(&a);
}

void report_grid_svg(const JsonValue *runs, StrBuf *out)
{
	BarPicture p = { .y = TOP + 12, .width = 600 };
	StrBuf title = { 0 };
	const JsonValue *first = runs->n ? &runs->item[0] : NULL;
	grid_each(runs, draw_table, &p);
	const char *machine = json_string(first, "config");
	sb_printf(&title, "%s on %s", json_string(first, "module"),
		*machine ? machine : "the machine of the defaults");
	widen_picture(&p, 12, title.s, 15);
	sb_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
		"%d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", p.width, p.y, p.width, p.y, p.width,
		p.y);
	svg_label(out, 12, 24, " font-size=\"15\"", title.s);
	sb_puts(out, p.body.s ? p.body.s : "");
	sb_puts(out, "</svg>\n");
	sb_free(&title);
	sb_free(&p.body);
}
