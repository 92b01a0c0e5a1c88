/* Figures by kernel. A kernel's cycles are the sum of its launches' own: where launches run side by side,
   sums are more than the cycles in which some launch ran. */
#include "lib/hash.h"
#include "lib/names.h"
#include "sim/report/compare.h"
#include "sim/report/kernels.h"
#include "sim/report/text.h"
#include <limits.h>

enum { BRIEF_KERNELS = 8, BRIEF_TAKES = 3, KERNEL_NAME = 28 };

/* ---- the kernels of a run ---- */

static uint64_t function_size(const Function *f)
{
	uint64_t n = 0;
	for (int b = 0; f && b < f->block.n; b++)
		n += (uint64_t)f->block.v[b]->ins.n;
	return n;
}

/* The instructions of the kernel in the module that ran; functions that it calls are left out. */
static uint64_t size_of_kernel(const Run *run, const LaunchStats *s)
{
	return function_size(module_find_function(run->module, s->kernel));
}

static bool is_timed_run(const Run *run) { return !run->options.gpu.functional && !run->options.reference; }

static void put_known(JsonSink *j, const char *key, bool known, uint64_t v)
{
	j->key(j, key);
	if (known)
		j->count(j, v);
	else
		j->text(j, NULL);
}

static void put_code(JsonSink *j, const Module *m)
{
	uint64_t kernels = 0, functions = 0, instructions = 0;
	for (int i = 0; i < m->func.n; i++) {
		const Function *f = m->func.v[i];
		if (f->kind == FN_HOST || !f->block.n)
			continue;
		kernels += f->kind == FN_KERNEL;
		functions += f->kind == FN_DEVICE;
		instructions += function_size(f);
	}
	j->key(j, "code");
	j->begin(j, '{', true);
	json_put_count(j, "kernels", kernels);
	json_put_count(j, "functions", functions);
	json_put_count(j, "instructions", instructions);
	j->end(j);
}

void kernels_json(const Run *run, JsonSink *j)
{
	bool timed = is_timed_run(run);
	j->key(j, "kernels");
	j->begin(j, '[', false);
	for (int i = 0; i < run_kernels(run); i++) {
		const LaunchStats *s = run_kernel(run, i);
		j->begin(j, '{', true);
		json_put_text(j, "kernel", s->kernel);
		json_put_count(j, "launches", s->totals.launches);
		j->key(j, "completed");
		j->boolean(j, s->completed);
		put_known(j, "cycles", timed, s->totals.cycles);
		put_known(j, "started", timed, s->started);
		put_known(j, "ended", timed, s->totals.program_cycles);
		put_known(j, "warp_instructions", !run->options.reference, s->totals.warp_instructions);
		json_put_count(j, "thread_instructions", s->totals.thread_instructions);
		json_put_count(j, "instructions", size_of_kernel(run, s));
		stats_json_static(s, j);
		const InsTable *t = ins_tables_find(&run->instructions, s->kernel);
		if (t) {
			j->key(j, "code");
			ins_table_json(t, s, j);
		}
		j->end(j);
	}
	j->end(j);
	put_code(j, run->module);
}

void kernels_text(const Run *run, bool all, StrBuf *out)
{
	bool timed = is_timed_run(run);
	int n = run_kernels(run), most = all ? INT_MAX : BRIEF_KERNELS;
	uint64_t cycles = 0;
	Arena names = { 0 };
	if (n < 2)
		return;
	sb_printf(out, timed ? "\n%-30s %9s %13s %8s %13s %13s %8s\n" : "\n%-30s %9s %20s %8s\n", "kernels",
		"launches", timed ? "cycles" : "thread instructions", timed ? "of all" : "size",
		"first start", "last end", "size");
	const char **name = arena_array(&names, const char *, n + 1);
	for (int i = 0; i < n; i++) {
		cycles += run_kernel(run, i)->totals.cycles;
		name[i] = run_kernel(run, i)->kernel;
	}
	names_shown(&names, name, n, KERNEL_NAME, name);
	for (int i = 0; i < n; i++) {
		const LaunchStats *s = run_kernel(run, i);
		if (i == most - 1 && n > most) {
			sb_printf(out, "  %d more " REPORT_ALL "\n", n - i);
			break;
		}
		sb_printf(out, "  %-*s %9llu", KERNEL_NAME + (int)strlen(name[i]) - names_columns(name[i]),
			name[i], (unsigned long long)s->totals.launches);
		if (timed)
			sb_printf(out, " %13llu %8s %13llu %13llu", (unsigned long long)s->totals.cycles,
				PERCENT(text_share(s->totals.cycles, cycles)),
				(unsigned long long)s->started, (unsigned long long)s->totals.program_cycles);
		else
			sb_printf(out, " %20llu", (unsigned long long)s->totals.thread_instructions);
		sb_printf(out, " %8llu\n", (unsigned long long)size_of_kernel(run, s));
	}
	arena_free(&names);
}

/* ---- two reports ---- */

/* A kernel of one report or of both; NULL: it was not launched there. */
typedef struct KernelPair { const char *name; const JsonValue *of[2]; } KernelPair;

/* Kernels by name: those that the first report has, in its order, then those that only the second has. */
typedef Vec(KernelPair) KernelPairs;

static const JsonValue *list_of(const JsonValue *report, const char *key)
{
	const JsonValue *v = json_get(report, key);
	return v && v->kind == JSON_ARRAY ? v : NULL;
}

/* Finds, for each kernel, its first row in the list `key` of each report. */
static KernelPairs boths_of(const JsonValue *before, const JsonValue *after, const char *key)
{
	const JsonValue *list[2] = { list_of(before, key), list_of(after, key) };
	KernelPairs boths = { 0 };
	StrMap at = { 0 };
	for (int k = 0; k < 2; k++)
		for (int i = 0; list[k] && i < list[k]->n; i++) {
			const char *name = json_string(&list[k]->item[i], "kernel");
			int row = strmap_get(&at, name);
			if (row < 0) {
				strmap_put(&at, name, row = boths.n);
				vec_push(&boths, ((KernelPair){ .name = name }));
			}
			if (!boths.v[row].of[k])
				boths.v[row].of[k] = &list[k]->item[i];
		}
	strmap_free(&at);
	return boths;
}

static void put_both(Sheet *s, const KernelPair *b, const char *key)
{
	for (int k = 0; k < 2; k++)
		compare_put_value(s, json_get(b->of[k], key), key);
}

enum { NAME = 26, LONGEST_NAME = 48, MOST_COLUMNS = 8 };

static int shown_of(const KernelPairs *boths, ReportForm form)
{
	return form.full || boths->n <= BRIEF_KERNELS ? boths->n : BRIEF_KERNELS - 1;
}

/* The width of the column of names. */
static int name_width(const KernelPairs *boths, ReportForm form)
{
	int width = NAME;
	for (int i = 0; i < shown_of(boths, form); i++)
		width = names_columns(boths->v[i].name) > width ? names_columns(boths->v[i].name) : width;
	return width < LONGEST_NAME ? width : LONGEST_NAME;
}

/* Puts a table with a row for each kernel: its name, then these columns. */
static void put_rows(const KernelPairs *boths, ReportForm form, const char *group, const Column *column,
	int ncolumns, StrBuf *out, void (*put)(Sheet *, const KernelPair *))
{
	Column all[MOST_COLUMNS + 1] = { { .group = group, .heading = "", .least = name_width(boths, form),
		.most = LONGEST_NAME, .gap = 2, .left = true, .code = true } };
	Sheet s;
	must(ncolumns <= MOST_COLUMNS);
	memcpy(all + 1, column, (size_t)ncolumns * sizeof *column);
	sheet_begin(&s, form, all, ncolumns + 1);
	for (int i = 0; i < shown_of(boths, form); i++) {
		sheet_row(&s);
		sheet_put(&s, "%s", boths->v[i].name);
		put(&s, &boths->v[i]);
	}
	sb_puts(out, form.markdown ? "" : "\n");
	sheet_end(&s, NULL, true, out);
	sheet_hidden(boths->n - shown_of(boths, form), form, out);
}

static void put_sums(Sheet *s, const KernelPair *b)
{
	put_both(s, b, "launches");
	put_both(s, b, "cycles");
	compare_put_ratio(s, json_get(b->of[0], "cycles"), json_get(b->of[1], "cycles"));
	put_both(s, b, "instructions");
}

static void put_when(Sheet *s, const KernelPair *b)
{
	for (int k = 0; k < 2; k++) {
		compare_put_value(s, json_get(b->of[k], "started"), "started");
		compare_put_value(s, json_get(b->of[k], "ended"), "ended");
	}
}

/* The sum of a figure over the kernels of report k; NULL: a kernel of the report does not have it. */
static const JsonValue *sum_of_kernels(Arena *a, const KernelPairs *boths, int k, const char *key)
{
	double sum = 0;
	JsonValue *v = arena_new(a, JsonValue);
	for (int i = 0; i < boths->n; i++) {
		const JsonValue *x = json_get(boths->v[i].of[k], key);
		if (boths->v[i].of[k] && !json_is_number(x))
			return NULL;
		sum += x ? x->number : 0;
	}
	*v = (JsonValue){ .kind = JSON_NUMBER, .number = sum, .text = arena_printf(a, "%.0f", sum) };
	return v;
}

/* Puts the figures of the whole program, below those of the kernels. */
static void put_program(const JsonValue *before, const JsonValue *after, const JsonValue *sum[2], int width,
	ReportForm form, StrBuf *out)
{
	static const struct { const char *name, *path; } row[] =
		{ { "launches in all", "total.launches" }, { "cycles of all launches, added up", NULL },
		{ "cycles in which some launch ran", "total.cycles" },
		{ "program's cycles, first call to last end", "total.program_cycles" },
		{ "instructions of all kernels and functions", "code.instructions" } };
	const Column column[] = { { .heading = "program", .least = width, .left = true },
		{ .heading = "before", .least = 13, .gap = 1 },
		{ .heading = "after", .least = 13, .gap = 1 }, { .heading = "ratio", .least = 8, .gap = 1 } };
	Sheet s;
	sheet_begin(&s, form, column, sizeof column / sizeof *column);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const JsonValue *a = row[i].path ? json_path(before, row[i].path) : sum[0],
			*b = row[i].path ? json_path(after, row[i].path) : sum[1];
		sheet_row(&s);
		sheet_put(&s, "%s", row[i].name);
		compare_put_value(&s, a, "");
		compare_put_value(&s, b, "");
		compare_put_ratio(&s, a, b);
	}
	sheet_end(&s, NULL, false, out);
}

void kernels_compare(const JsonValue *before, const JsonValue *after, ReportForm form, StrBuf *out)
{
#define NUMBER(GROUP, HEADING, WIDTH) { .group = (GROUP), .heading = (HEADING), .least = (WIDTH), .gap = 1 }
	static const Column sums[] = { NUMBER("launches", "before", 7), NUMBER("launches", "after", 7),
		NUMBER("cycles", "before", 13), NUMBER("cycles", "after", 13),
		NUMBER("", "ratio", 8), NUMBER("instructions", "before", 7),
		NUMBER("instructions", "after", 7) };
	static const Column when[] = { NUMBER("before", "first start", 15), NUMBER("before", "last end", 15),
		NUMBER("after", "first start", 15),
		NUMBER("after", "last end", 15) };
#undef NUMBER
	KernelPairs boths = boths_of(before, after, "kernels");
	const JsonValue *sum[2];
	Arena a = { 0 };
	if (boths.n && (json_number(before, "total.launches") > 1 ||
		json_number(after, "total.launches") > 1)) {
		if (form.markdown)
			sheet_title(out, form, "kernels");
		put_rows(&boths, form, form.markdown ? "kernel" : "kernels", sums, sizeof sums / sizeof *sums,
			out, put_sums);
		for (int k = 0; k < 2; k++)
			sum[k] = sum_of_kernels(&a, &boths, k, "cycles");
		put_program(before, after, sum, 2 + name_width(&boths, form) + 16, form, out);
		if (sum[0] && sum[1])
			put_rows(&boths, form, form.markdown ? "kernel" : "kernels", when,
				sizeof when / sizeof *when, out, put_when);
	}
	arena_free(&a);
	vec_free(&boths);
}

void kernels_compare_takes(const JsonValue *before, const JsonValue *after, ReportForm form, StrBuf *out)
{
	static const struct { const char *path, *name; } row[] = {
		{ "static.registers", "registers" }, { "static.uniform_registers", "uniform registers" },
		{ "static.spilled", "bytes of registers spilled" },
		{ "static.occupancy", "occupancy" } };
	/* older reports have only the list of launches */
	KernelPairs boths = boths_of(before, after, list_of(before, "kernels") && list_of(after, "kernels")
		? "kernels" : "launches");
	int kernels = 0, left = 0;
	StrBuf name = { 0 };
	Sheet s;
	compare_begin(&s, form, true);
	for (int i = 0; i < boths.n; i++) {
		const KernelPair *b = &boths.v[i];
		if (!json_path(b->of[0], "static") && !json_path(b->of[1], "static"))
			continue;
		if (kernels++ >= BRIEF_TAKES && !form.full) {
			left++;
			continue;
		}
		for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
			const JsonValue *x = json_path(b->of[0], row[k].path),
				*y = json_path(b->of[1], row[k].path);
			if (!json_is_number(x) && !json_is_number(y))
				continue;
			name.n = 0;
			sb_printf(&name, "%s %s", b->name, row[k].name);
			compare_row(&s, name.s, row[k].path, x, y);
		}
	}
	sheet_end(&s, "what a thread takes, and the occupancy of the first launch", false, out);
	sheet_hidden(left, form, out);
	sb_free(&name);
	vec_free(&boths);
}
