/* The grid as text and as CSV: a row for each run. */
#include "sim/report/grid.h"

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

static void put_figure(Cell *c, int f, const JsonValue *v, bool max)
{
	c->known[f] &= json_is_number(v);
	if (c->known[f] && max)
		c->v[f] = v->number > c->v[f] ? v->number : c->v[f];
	else if (c->known[f])
		c->v[f] += v->number;
}

static void add_launch(Cell *c, const JsonValue *l)
{
	const JsonValue *blocks = json_get(l, "blocks"), *lanes = json_get(l, "active_lanes"), *done = json_get(l, "completed");
	char path[64];
	for (int f = 0; f < FIGURES && !c->launches; f++)
		c->known[f] = true;
	for (int f = 0; f < STALLS_FIRST; f++)
		put_figure(c, f, json_path(l, figure[f].path), figure[f].max);
	for (int k = 0; k < STALL_COUNT; k++) {
		snprintf(path, sizeof path, "issue.stalls.%s", stall_name[k]);
		put_figure(c, STALLS_FIRST + k, json_path(l, path), false);
	}
	c->known[FETCHES] &= blocks && c->known[WARP_INSTRUCTIONS];
	for (int i = 0; blocks && i < blocks->n; i++)
		c->v[FETCHES] += json_number(&blocks->item[i], "fetches");
	double width = lanes && lanes->n > 1 ? lanes->n - 1 : 1, issues = c->v[WARP_INSTRUCTIONS], all = issues + c->v[OVERHEAD];
	c->known[UTILIZATION] &= json_is_number(json_get(l, "simd_utilization"));
	c->v[UTILIZATION] = issues > 0 ? c->v[THREAD_INSTRUCTIONS] / (width * issues) : 0;
	c->known[MEAN_DEPTH] &= c->known[DEPTH_SUM];
	c->v[MEAN_DEPTH] = all > 0 ? c->v[DEPTH_SUM] / all : 0;
	c->completed = (c->completed || !c->launches) && done && done->number != 0;
	c->launches++;
}

static Table table_of(const JsonValue *runs, const char *kernel)
{
	Table t = { .kernel = kernel, .n = runs->n, .cell = xcalloc((size_t)runs->n, sizeof(Cell)), .base = -1 };
	for (int i = 0; i < runs->n; i++) {
		const JsonValue *launches = json_get(&runs->item[i], "launches");
		t.cell[i].run = &runs->item[i];
		for (int k = 0; kernel && launches && k < launches->n; k++)
			if (!strcmp(json_string(&launches->item[k], "kernel"), kernel))
				add_launch(&t.cell[i], &launches->item[k]);
		if (t.base < 0 && t.cell[i].completed)
			t.base = i;
	}
	return t;
}

void grid_each(const JsonValue *runs, void (*put)(const Table *, void *), void *self)
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
		Table t = table_of(runs, kernel.v[k]);
		put(&t, self);
		free(t.cell);
	}
	vec_free(&kernel);
}

static bool status_is(const Cell *c, const char *status) { return !strcmp(json_string(c->run, "status"), status); }

const char *grid_outcome(const Cell *c)
{
	return status_is(c, "ok") ? c->launches ? "" : "not launched" : status_is(c, "bad_input") ? "refused"
		: status_is(c, "interrupted") ? "interrupted" : "failed";
}

const char *grid_passes(const Cell *c)
{
	const char *p = json_string(c->run, "passes");
	return *p ? p : "none";
}

const char *grid_model(const Cell *c) { return json_string(c->run, "model"); }

static bool several_pipelines(const Table *t)
{
	for (int i = 1; i < t->n; i++)
		if (strcmp(grid_passes(&t->cell[i]), grid_passes(&t->cell[0])))
			return true;
	return false;
}

bool grid_measured(const Table *t, int f)
{
	for (int i = 0; i < t->n; i++)
		if (t->cell[i].completed && t->cell[i].known[f])
			return true;
	return false;
}

/* What the command line changed of the machine file. */
static const JsonValue *changed_of(const JsonValue *run) { return json_path(run, "configuration.changed"); }

/* ---- text ---- */

enum { WIDTH = 100, LONGEST_PASSES = 24, LONGEST_MODEL = 40 };

/* The width of a column: that of its longest name, but at most `most`, unless different names would then look alike. */
static int column_width(const Table *t, const char *heading, const char *(*name)(const Cell *), int most)
{
	size_t n = strlen(heading);
	bool alike = false;
	for (int i = 0; i < t->n; i++) {
		const char *a = name(&t->cell[i]);
		n = strlen(a) > n ? strlen(a) : n;
		for (int k = 0; k < i && !alike && strlen(a) > (size_t)most; k++) {
			const char *b = name(&t->cell[k]);
			alike = strlen(b) > (size_t)most && !strncmp(a, b, (size_t)most - 3) && strcmp(a, b);
		}
	}
	return n > (size_t)most && !alike ? most : (int)n;
}

static void put_name(StrBuf *out, const char *name, int width)
{
	bool whole = strlen(name) <= (size_t)width;
	sb_printf(out, "%-*.*s%s", whole ? width : width - 3, whole ? width : width - 3, name, whole ? "" : "...");
}

static void put_cell(StrBuf *out, const Cell *c, int f, int width)
{
	if (!c->known[f])
		sb_printf(out, " %*s", width, "n/a");
	else if (f == UTILIZATION)
		sb_printf(out, " %*s", width, PERCENT(c->v[f]));
	else
		sb_printf(out, " %*.0f", width, c->v[f]);
}

static void put_ratio(StrBuf *out, const Table *t, const Cell *c)
{
	int f = grid_measured(t, CYCLES) ? CYCLES : WARP_INSTRUCTIONS;
	double base = t->cell[t->base].v[f];
	if (c->known[f] && t->cell[t->base].known[f] && base > 0)
		sb_printf(out, " %7.3f", c->v[f] / base);
	else
		sb_printf(out, " %7s", "-");
}

/* The share of the scheduler-cycles with a warp in which nothing issued, and the reason that took most of them. */
static void put_stalls(StrBuf *out, const Cell *c)
{
	double busy = c->v[SLOTS] - c->v[STALLS_FIRST + STALL_EMPTY];
	int most = -1;
	for (int k = 0; k < STALL_COUNT; k++)
		if (k != STALL_EMPTY && c->v[STALLS_FIRST + k] > (most < 0 ? 0 : c->v[STALLS_FIRST + most]))
			most = k;
	sb_printf(out, " %7s%s%s", PERCENT(busy > 0 ? (busy - c->v[ISSUED]) / busy : 0), most < 0 ? "" : " ",
		most < 0 ? "" : stall_name[most]);
}

/* Puts what went wrong, in place of figures or behind them, cut to the screen. */
static void put_outcome(StrBuf *out, const Cell *c, size_t start)
{
	const char *error = json_string(c->run, "error"), *word = grid_outcome(c);
	if (!*word)
		return;
	sb_printf(out, "  %s", word);
	int room = WIDTH - (int)(out->n - start) - 2, n = (int)strcspn(error, "\n");
	if (!*error || room < 20)
		return;
	sb_printf(out, ": %.*s%s", n > room ? room - 3 : n, error, n > room ? "..." : "");
}

/* Puts changes of the machine that all runs have. Changes of one run stand in its row, with the mechanism. */
static void put_changes(const Table *t, size_t start, StrBuf *out)
{
	const JsonValue *changed = changed_of(t->cell[0].run), *other;
	for (int i = 0; changed && changed->kind == JSON_OBJECT && i < changed->n; i++) {
		bool all = strcmp(changed->key[i], "divergence.model") != 0;
		for (int k = 1; k < t->n && all; k++)
			all = (other = json_get(changed_of(t->cell[k].run), changed->key[i]))
				&& !strcmp(json_shown(other), json_shown(&changed->item[i]));
		if (!all)
			continue;
		size_t n = strlen(changed->key[i]) + strlen(json_shown(&changed->item[i])) + 4;
		bool full = out->n + n > start + WIDTH;
		sb_printf(out, "%s   %s=%s", full ? "\n" : "", changed->key[i], json_shown(&changed->item[i]));
		start = full ? out->n - n : start;
	}
}

static void put_text(const Table *t, void *self)
{
	StrBuf *out = self;
	bool passes = several_pipelines(t), timed = grid_measured(t, CYCLES);
	int wide = column_width(t, "mechanism", grid_model, LONGEST_MODEL), pass = column_width(t, "passes", grid_passes, LONGEST_PASSES);
	const JsonValue *first = t->cell[0].run;
	if (out->n)
		sb_putc(out, '\n');
	size_t title = out->n;
	sb_printf(out, "%s   machine %s   kernel %s", json_string(first, "module"), *json_string(first, "config")
		? json_string(first, "config") : "(defaults)", t->kernel ? t->kernel : "(none was launched)");
	if (t->base >= 0 && t->cell[t->base].launches > 1)
		sb_printf(out, " (%d launches)", t->cell[t->base].launches);
	if (!passes)
		sb_printf(out, "   passes %s", grid_passes(&t->cell[0]));
	put_changes(t, title, out);
	sb_printf(out, "\n%-*s", wide, "mechanism");
	if (passes)
		sb_printf(out, " %-*s", pass, "passes");
	sb_printf(out, "%s %9s %8s %7s %5s %6s%s\n", timed ? "     cycles   ratio" : "   ratio", "instr.", "fetches", "SIMD", "depth",
		"spills", timed ? "   stalls" : "");
	for (int i = 0; i < t->n; i++) {
		const Cell *c = &t->cell[i];
		size_t start = out->n;
		put_name(out, grid_model(c), wide);
		if (passes) {
			sb_putc(out, ' ');
			put_name(out, grid_passes(c), pass);
		}
		if (c->completed) {
			if (timed)
				put_cell(out, c, CYCLES, 10);
			put_ratio(out, t, c);
			put_cell(out, c, WARP_INSTRUCTIONS, 9);
			put_cell(out, c, FETCHES, 8);
			put_cell(out, c, UTILIZATION, 7);
			put_cell(out, c, MAX_DEPTH, 5);
			put_cell(out, c, SPILLS, 6);
			if (timed)
				put_stalls(out, c);
		}
		put_outcome(out, c, start);
		sb_putc(out, '\n');
	}
}

void report_grid_text(const JsonValue *runs, StrBuf *out) { grid_each(runs, put_text, out); }

/* ---- CSV ---- */

/* Puts the first line of s. */
static void put_field(StrBuf *out, const char *s)
{
	size_t n = strcspn(s, "\r\n");
	bool quote = strcspn(s, ",\"") < n;
	if (quote)
		sb_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			sb_putc(out, '"');
		sb_putc(out, s[i]);
	}
	if (quote)
		sb_putc(out, '"');
}

typedef struct Csv { StrBuf *out; bool nonfaulting; } Csv;

/* Columns of loads marked nonfaulting are there where some run has such loads. */
static bool in_csv(const Csv *csv, int f) { return f == NONFAULTING || f == ZERO_LOADS ? csv->nonfaulting : f != DEPTH_SUM; }

static void look_for_nonfaulting(const Table *t, void *self) { ((Csv *)self)->nonfaulting |= grid_measured(t, NONFAULTING); }

static const char *figure_name(int f)
{
	return f < STALLS_FIRST ? figure[f].name : f < COUNTED ? stall_name[f - STALLS_FIRST]
		: f == FETCHES ? "fetches" : f == UTILIZATION ? "simd_utilization" : "mean_depth";
}

/* Puts the hash of the run's machine, and what the command line changed of the machine file. */
static void put_settings(StrBuf *out, const JsonValue *run)
{
	const JsonValue *changed = changed_of(run);
	StrBuf all = { 0 };
	sb_putc(out, ',');
	put_field(out, json_string(json_get(run, "configuration"), "hash"));
	for (int i = 0; changed && changed->kind == JSON_OBJECT && i < changed->n; i++)
		sb_printf(&all, "%s%s=%s", i ? " " : "", changed->key[i], json_shown(&changed->item[i]));
	sb_putc(out, ',');
	put_field(out, all.s ? all.s : "");
	sb_free(&all);
}

/* Puts the values of these keys in a run's report. */
static void put_keys(StrBuf *out, const JsonValue *run, const char *const *keys, int n)
{
	for (int k = 0; k < n; k++) {
		sb_putc(out, ',');
		put_field(out, json_string(run, keys[k]));
	}
}

static void put_csv(const Table *t, void *self)
{
	const Csv *csv = self;
	StrBuf *out = csv->out;
	static const char *const machine[] = { "module", "config" }, *const run[] = { "model", "passes", "mode", "status", "error" };
	for (int i = 0; i < t->n; i++) {
		const Cell *c = &t->cell[i];
		put_field(out, t->kernel ? t->kernel : "");
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
		sb_putc(out, '\n');
	}
}

void report_grid_csv(const JsonValue *runs, StrBuf *out)
{
	Csv csv = { out, false };
	grid_each(runs, look_for_nonfaulting, &csv);
	sb_puts(out, "kernel,module,config,configuration,changed,model,passes,mode,status,error,launches,completed");
	for (int f = 0; f < FIGURES; f++)
		if (in_csv(&csv, f))
			sb_printf(out, ",%s%s", f >= STALLS_FIRST && f < COUNTED ? "stall_" : "", figure_name(f));
	sb_putc(out, '\n');
	grid_each(runs, put_csv, &csv);
}
