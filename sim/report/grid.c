/* The grid as text and as CSV: a row for each run. */
#include "sim/report/compare.h"
#include "sim/report/grid.h"
#include "lib/output.h"
#include "sim/report/filled.h"
#include "sim/report/pairs.h"
#include "sim/report/sheet.h"
#include "sim/report/ties.h"

static const struct { const char *name, *path; bool max; } figure[STALLS_FIRST] = {
	[CYCLES] = { "cycles", "cycles", false },
	[WARP_INSTRUCTIONS] = { "warp_instructions", "warp_instructions", false },
	[THREAD_INSTRUCTIONS] = { "thread_instructions", "thread_instructions", false },
	[OVERHEAD] = { "overhead", "overhead.warp_instructions", false },
	[INSERTED] = { "inserted", "inserted.warp_instructions", false },
	[DIVERGENT] = { "divergent_branches", "divergence.divergent_branches", false },
	[MAX_DEPTH] = { "max_depth", "divergence.max_depth", true },
	[DEPTH_SUM] = { NULL, "divergence.depth_sum", false },
	[PUSHES] = { "pushes", "divergence.pushes", false },
	[SPILLS] = { "spills", "divergence.spills", false },
	[FILLS] = { "fills", "divergence.fills", false },
	[MERGES] = { "reconvergences", "divergence.reconvergences", false },
	[NOOPS] = { "noop_fetches", "divergence.noop_fetches", false },
	[SLOTS] = { "slots", "issue.slots", false },
	[ISSUED] = { "issued", "issue.issued", false },
	[NONFAULTING] = { "nonfaulting_loads", "memory.nonfaulting.loads", false },
	[ZERO_LOADS] = { "zero_loads", "memory.nonfaulting.zero_loads", false },
};

/* ---- gathering ---- */

static void add_figure(Cell *c, int f, const JsonValue *v, bool max)
{
	c->known[f] &= json_is_number(v);
	if (c->known[f] && max)
		c->v[f] = v->number > c->v[f] ? v->number : c->v[f];
	else if (c->known[f])
		c->v[f] += v->number;
}

/* Adds what the launch's cycles may be. */
static void add_interval(Cell *c, const JsonValue *l)
{
	const JsonValue *s = json_get(l, "sampled"), *low = s ? json_get(s, "cycles_low") : NULL,
		*high = s ? json_get(s, "cycles_high") : NULL;
	double cycles = json_number(l, "cycles");
	c->sampled |= s && json_number(s, "launches") > 0;
	c->low += json_is_number(low) ? low->number : cycles;
	c->high += json_is_number(high) ? high->number : cycles;
}

static void add_to_cell(Cell *c, const JsonValue *l)
{
	const JsonValue *blocks = json_get(l, "blocks"), *lanes = json_get(l, "active_lanes"),
		*done = json_get(l, "completed");
	char path[64];
	for (int f = 0; f < FIGURES && !c->launches; f++)
		c->known[f] = true;
	for (int f = 0; f < STALLS_FIRST; f++)
		add_figure(c, f, json_path(l, figure[f].path), figure[f].max);
	for (int k = 0; k < STALL_COUNT; k++) {
		snprintf(path, sizeof path, "issue.stalls.%s", stall_name[k]);
		add_figure(c, STALLS_FIRST + k, json_path(l, path), false);
	}
	for (int k = 0; k < LEVEL_COUNT; k++) {
		snprintf(path, sizeof path, "issue.memory_stalls.%s", level_name[k]);
		add_figure(c, LEVELS_FIRST + k, json_path(l, path), false);
	}
	add_interval(c, l);
	c->known[FETCHES] &= blocks && c->known[WARP_INSTRUCTIONS];
	for (int i = 0; blocks && i < blocks->n; i++)
		c->v[FETCHES] += json_number(&blocks->item[i], "fetches");
	double width = lanes && lanes->n > 1 ? lanes->n - 1 : 1, issues = c->v[WARP_INSTRUCTIONS],
		all = issues + c->v[OVERHEAD];
	c->known[UTILIZATION] &= json_is_number(json_get(l, "simd_utilization"));
	c->v[UTILIZATION] = issues > 0 ? c->v[THREAD_INSTRUCTIONS] / (width * issues) : 0;
	c->known[MEAN_DEPTH] &= c->known[DEPTH_SUM];
	c->v[MEAN_DEPTH] = all > 0 ? c->v[DEPTH_SUM] / all : 0;
	c->completed = (c->completed || !c->launches) && done && done->number != 0;
	c->launches++;
}

static GridTable make_grid_table(const JsonValue *runs, const char *kernel)
{
	GridTable t = { .kernel = kernel, .n = runs->n, .cell = xcalloc((size_t)runs->n, sizeof(Cell)),
		.base = -1 };
	for (int i = 0; i < runs->n; i++) {
		const JsonValue *launches = json_get(&runs->item[i], "launches");
		t.cell[i].run = &runs->item[i];
		for (int k = 0; kernel && launches && k < launches->n; k++)
			if (!strcmp(json_string(&launches->item[k], "kernel"), kernel))
				add_to_cell(&t.cell[i], &launches->item[k]);
		t.cell[i].well = t.cell[i].completed && !*run_ending(&runs->item[i]);
		if (t.base < 0 && t.cell[i].well)
			t.base = i;
	}
	return t;
}

void grid_each(const JsonValue *runs, void (*put)(const GridTable *, void *), void *self)
{
	Vec(const char *) kernel = { 0 };
	for (int i = 0; i < runs->n; i++) {
		const JsonValue *launches = json_get(&runs->item[i], "launches");
		for (int k = 0; launches && k < launches->n; k++) {
			const char *name = json_string(&launches->item[k], "kernel");
			int j = 0;
			while (j < kernel.n && strcmp(kernel.v[j], name))
				j++;
			if (j == kernel.n)
				vec_push(&kernel, name);
		}
	}
	if (!kernel.n)
		vec_push(&kernel, NULL);
	for (int k = 0; k < kernel.n && runs->n; k++) {
		GridTable t = make_grid_table(runs, kernel.v[k]);
		put(&t, self);
		free(t.cell);
	}
	vec_free(&kernel);
}

const char *grid_outcome(Arena *a, const Cell *c)
{
	const char *why = run_outcome(a, c->run);
	return *why || c->launches ? why : "not launched";
}

/* What is said behind a row: how the run ended, if not well; else within which share sampled cycles are. */
static const char *grid_note(Arena *a, const Cell *c)
{
	const char *outcome = grid_outcome(a, c);
	return *outcome || !c->sampled || c->v[CYCLES] <= 0 ? outcome
		: arena_printf(a, "cycles sampled, +-%.1f %%", 50 * (c->high - c->low) / c->v[CYCLES]);
}

const char *grid_passes(const Cell *c) { return run_passes(c->run); }

const char *grid_model(const Cell *c) { return json_string(c->run, "model"); }

static bool several_pipelines(const GridTable *t)
{
	for (int i = 1; i < t->n; i++)
		if (strcmp(grid_passes(&t->cell[i]), grid_passes(&t->cell[0])))
			return true;
	return false;
}

bool grid_measured(const GridTable *t, int f)
{
	for (int i = 0; i < t->n; i++)
		if (t->cell[i].completed && t->cell[i].known[f])
			return true;
	return false;
}

/* Returns what the command line changed of the machine file. */
static const JsonValue *changed_of(const JsonValue *run) { return json_path(run, "configuration.changed"); }

/* ---- text ---- */

enum { LONGEST_PASSES = 24, LONGEST_MODEL = 40 };

static void put_grid_cell(Sheet *s, const Cell *c, int f)
{
	if (!c->known[f])
		sheet_put(s, "n/a");
	else if (f == UTILIZATION)
		sheet_put(s, "%s", PERCENT(c->v[f]));
	else
		sheet_put(s, "%.0f", c->v[f]);
}

/* A run that was interrupted, or whose results are wrong, has no ratio, and is nobody's base. */
static void put_ratio(Sheet *s, const GridTable *t, const Cell *c)
{
	int f = grid_measured(t, CYCLES) ? CYCLES : WARP_INSTRUCTIONS;
	const Cell *base = t->base < 0 ? NULL : &t->cell[t->base];
	if (c->well && base && c->known[f] && base->known[f] && base->v[f] > 0)
		sheet_put(s, "%.3f", c->v[f] / base->v[f]);
	else
		sheet_put(s, "-");
}

/* Puts the share of the scheduler-cycles with a warp in which nothing issued, and the reason that took most
   of these. */
static void put_stalls(Sheet *s, const Cell *c)
{
	double busy = c->v[SLOTS] - c->v[STALLS_FIRST + STALL_EMPTY];
	int most = -1;
	for (int k = 0; k < STALL_COUNT; k++)
		if (k != STALL_EMPTY && c->v[STALLS_FIRST + k] > (most < 0 ? 0 : c->v[STALLS_FIRST + most]))
			most = k;
	sheet_put(s, "%7s%s%s", PERCENT(busy > 0 ? (busy - c->v[ISSUED]) / busy : 0), most < 0 ? "" : " ",
		most < 0 ? "" : report_reason(most, &c->v[LEVELS_FIRST]));
}

/* Puts changes of the machine that all runs have. Changes of one run stand in its row, with the mechanism. */
static void put_changes(const GridTable *t, ReportForm form, size_t start, StrBuf *out)
{
	const JsonValue *changed = changed_of(t->cell[0].run), *other;
	Arena a = { 0 };
	for (int i = 0; changed && changed->kind == JSON_OBJECT && i < changed->n; i++) {
		bool all = strcmp(changed->key[i], "divergence.model") != 0;
		for (int k = 1; k < t->n && all; k++)
			all = (other = json_get(changed_of(t->cell[k].run), changed->key[i]))
				&& !strcmp(json_shown(other), json_shown(&changed->item[i]));
		if (!all)
			continue;
		const char *text = arena_printf(&a, "%s=%s", changed->key[i], json_shown(&changed->item[i]));
		size_t n = strlen(text) + 3;
		bool next = out->n + n > start + SHEET_SCREEN && !form.markdown;
		sb_puts(out, form.markdown ? ", " : next ? "\n   " : "   ");
		sheet_code(out, form, text);
		start = next ? out->n - n : start;
	}
	arena_free(&a);
}

/* Puts what all rows have in common: the module, the machine, the kernel. */
static void put_grid_title(const GridTable *t, bool passes, ReportForm form, StrBuf *out)
{
	const JsonValue *first = t->cell[0].run;
	const char *sep = form.markdown ? ", " : "   ", *machine = json_string(first, "config");
	if (out->n)
		sb_putc(out, '\n');
	size_t start = out->n;
	sheet_code(out, form, json_string(first, "module"));
	sb_printf(out, "%smachine ", sep);
	sheet_code(out, form, *machine ? machine : "(defaults)");
	sb_printf(out, "%skernel ", sep);
	sheet_code(out, form, t->kernel ? t->kernel : "(none was launched)");
	if (t->base >= 0 && t->cell[t->base].launches > 1)
		sb_printf(out, " (%d launches)", t->cell[t->base].launches);
	if (!passes) {
		sb_printf(out, "%spasses ", sep);
		sheet_code(out, form, grid_passes(&t->cell[0]));
	}
	put_changes(t, form, start, out);
	sb_putc(out, '\n');
}

static Sheet begin_grid_sheet(ReportForm form, bool passes, bool timed)
{
	static const Column mechanism = { .heading = "mechanism", .most = LONGEST_MODEL, .left = true,
		.code = true },
		pipeline = { .heading = "passes", .most = LONGEST_PASSES, .gap = 1, .left = true,
		.code = true }, cycles = { .heading = "cycles", .least = 10, .gap = 1 },
		rest[] = { { .heading = "ratio", .least = 7, .gap = 1 },
		{ .heading = "instr.", .least = 9, .gap = 1 }, { .heading = "fetches", .least = 8, .gap = 1 },
			{ .heading = "SIMD", .least = 7, .gap = 1 },
			{ .heading = "depth", .least = 5, .gap = 1 },
			{ .heading = "spills", .least = 6, .gap = 1 } },
		stalls = { .heading = "  stalls", .gap = 1, .left = true };
	Column column[SHEET_COLUMNS];
	Sheet s;
	int n = 0;
	column[n++] = mechanism;
	if (passes)
		column[n++] = pipeline;
	if (timed)
		column[n++] = cycles;
	for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
		column[n++] = rest[k];
	if (timed)
		column[n++] = stalls;
	sheet_begin(&s, form, column, n);
	return s;
}

typedef struct Text { StrBuf *out; ReportForm form; } Text;

/* Puts a row. first: which rows tie, this row with none before it. */
static void put_grid_row(Sheet *s, const GridTable *t, int row, const int *first, bool passes, bool timed)
{
	const Cell *c = &t->cell[row];
	Arena a = { 0 };
	sheet_row(s);
	sheet_put(s, "%s", first ? ties_model(&a, t, first, row, passes) : grid_model(c));
	if (passes)
		sheet_put(s, "%s", first ? ties_passes(&a, t, first, row) : grid_passes(c));
	if (c->completed) {
		if (timed)
			put_grid_cell(s, c, CYCLES);
		put_ratio(s, t, c);
		put_grid_cell(s, c, WARP_INSTRUCTIONS);
		put_grid_cell(s, c, FETCHES);
		put_grid_cell(s, c, UTILIZATION);
		put_grid_cell(s, c, MAX_DEPTH);
		put_grid_cell(s, c, SPILLS);
		if (timed)
			put_stalls(s, c);
	}
	sheet_note(s, grid_note(&a, c));
	arena_free(&a);
}

/* Puts the table: a row for rows that tie, or in full a row for each run. */
static void put_grid_text(const GridTable *t, void *self)
{
	const Text *text = self;
	bool passes = several_pipelines(t), timed = grid_measured(t, CYCLES), full = text->form.full;
	Sheet s = begin_grid_sheet(text->form, passes, timed);
	int *first = ties_find(t);
	put_grid_title(t, passes, text->form, text->out);
	for (int i = 0; i < t->n; i++)
		if (full || first[i] == i)
			put_grid_row(&s, t, i, full ? NULL : first, passes, timed);
	sheet_end(&s, NULL, true, text->out);
	ties_put(t, first, passes, text->form, text->out);
	free(first);
}

/* Puts which passes changed nothing: the line of each run, unless the line of another run says the same. */
static void put_grid_idle(const JsonValue *runs, StrBuf *out)
{
	for (int i = 0; i < runs->n; i++) {
		StrBuf line = { 0 };
		if (compare_idle(&runs->item[i], &line) && (!out->s || !strstr(out->s, line.s)))
			sb_puts(out, line.s);
		sb_free(&line);
	}
}

static void put_grid_filled(const JsonValue *runs, ReportForm form, StrBuf *out)
{
	const JsonValue **run = xcalloc((size_t)runs->n + 1, sizeof *run);
	for (int i = 0; i < runs->n; i++)
		run[i] = &runs->item[i];
	filled_compare(run, runs->n, form, out);
	free(run);
}

void report_grid_text(const JsonValue *runs, ReportForm form, StrBuf *out)
{
	grid_each(runs, put_grid_text, &(Text){ out, form });
	put_grid_idle(runs, out);
	put_grid_filled(runs, form, out);
}

/* ---- CSV ---- */

/* Puts the first line of s. */
static void put_first_line(StrBuf *out, const char *s)
{
	char *line = xstrdup(s);
	line[strcspn(line, "\r\n")] = 0;
	output_csv(out, line);
	free(line);
}

typedef struct Csv { StrBuf *out; bool nonfaulting, sampled; } Csv;

/* Does the table have a column for the figure? Columns for nonfaulting loads are there only if some run has
   such loads. */
static bool in_csv(const Csv *csv, int f)
{
	return f == NONFAULTING || f == ZERO_LOADS ? csv->nonfaulting : f != DEPTH_SUM;
}

static void look_for_nonfaulting(const GridTable *t, void *self)
{
	((Csv *)self)->nonfaulting |= grid_measured(t, NONFAULTING);
}

static void look_for_sampled(const GridTable *t, void *self)
{
	for (int i = 0; i < t->n; i++)
		((Csv *)self)->sampled |= t->cell[i].sampled;
}

static const char *figure_name(int f)
{
	return f < STALLS_FIRST ? figure[f].name : f < LEVELS_FIRST ? stall_name[f - STALLS_FIRST]
		: f < COUNTED ? level_name[f - LEVELS_FIRST]
		: f == FETCHES ? "fetches" : f == UTILIZATION ? "simd_utilization" : "mean_depth";
}

/* Puts the hash of the run's machine, and what the command line changed of the machine file. */
static void put_settings(StrBuf *out, const JsonValue *run)
{
	const JsonValue *changed = changed_of(run);
	StrBuf all = { 0 };
	sb_putc(out, ',');
	put_first_line(out, json_string(json_get(run, "configuration"), "hash"));
	for (int i = 0; changed && changed->kind == JSON_OBJECT && i < changed->n; i++)
		sb_printf(&all, "%s%s=%s", i ? " " : "", changed->key[i], json_shown(&changed->item[i]));
	sb_putc(out, ',');
	put_first_line(out, all.s ? all.s : "");
	sb_free(&all);
}

/* Puts the values of these keys in a run's report. */
static void put_keys(StrBuf *out, const JsonValue *run, const char *const *keys, int n)
{
	for (int k = 0; k < n; k++) {
		sb_putc(out, ',');
		put_first_line(out, json_string(run, keys[k]));
	}
}

static void put_csv(const GridTable *t, void *self)
{
	const Csv *csv = self;
	StrBuf *out = csv->out;
	static const char *const machine[] = { "module", "config" },
		*const run[] = { "model", "passes", "mode", "status", "error" };
	int *first = ties_find(t);
	for (int i = 0; i < t->n; i++) {
		const Cell *c = &t->cell[i];
		output_csv(out, t->kernel ? t->kernel : "");
		put_keys(out, c->run, machine, 2);
		put_settings(out, c->run);
		put_keys(out, c->run, run, 5);
		sb_printf(out, ",%d,%d", c->launches, c->completed);
		for (int f = 0; f < FIGURES; f++) {
			if (!in_csv(csv, f))
				continue;
			sb_putc(out, ',');
			if (c->launches && c->known[f] && f < UTILIZATION)
				sb_printf(out, "%.0f", c->v[f]);
			else if (c->launches && c->known[f])
				sb_printf(out, "%.6f", c->v[f]);
		}
		sb_putc(out, ',');
		if (first[i] != i)
			sb_printf(out, "%d", first[i] + 1);
		if (csv->sampled && c->launches && c->known[CYCLES])
			sb_printf(out, ",%.0f,%.0f", c->low, c->high);
		else if (csv->sampled)
			sb_puts(out, ",,");
		sb_putc(out, '\n');
	}
	free(first);
}

void report_grid_csv(const JsonValue *runs, StrBuf *out)
{
	Csv csv = { .out = out };
	grid_each(runs, look_for_nonfaulting, &csv);
	grid_each(runs, look_for_sampled, &csv);
	sb_puts(out, "kernel,module,config,configuration,changed,model,passes,mode,status,error,launches,"
		"completed");
	for (int f = 0; f < FIGURES; f++)
		if (in_csv(&csv, f))
			sb_printf(out, ",%s%s", f >= LEVELS_FIRST && f < COUNTED ? "stall_memory_"
				: f >= STALLS_FIRST && f < COUNTED ? "stall_" : "",
				figure_name(f));
	sb_printf(out, ",tied_with%s\n", csv.sampled ? ",cycles_low,cycles_high" : "");
	grid_each(runs, put_csv, &csv);
}
