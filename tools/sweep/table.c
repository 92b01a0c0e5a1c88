#include "tools/sweep/table.h"
#include "lib/output.h"
#include "sim/record/totals.h"
#include <math.h>

typedef Vec(const char *) Names;

/* The columns of statistics if none are named. */
static const char *const usual[] = { "cycles", "warp_instructions", "thread_instructions",
	"simd_utilization", "divergence.divergent_branches", "divergence.max_depth", "issue.issued",
	"memory.transactions", "memory.dram.reads" };
enum { USUAL = sizeof usual / sizeof *usual };

/* Names that are no rows of figure_info. */
static const char *const derived[] = { "launches", "simd_utilization", "divergence.mean_depth" };
enum { DERIVED = sizeof derived / sizeof *derived, SHOWN_FAILURES = 5 };

bool sweep_has_statistic(const char *name)
{
	const StatInfo *f;
	for (int i = 0; (f = figure_info(i)); i++)
		if (!strcmp(name, f->path))
			return true;
	for (int i = 0; i < DERIVED; i++)
		if (!strcmp(name, derived[i]))
			return true;
	return !strncmp(name, "divergence.", 11) || !strcmp(name, "all");
}

static void add_all(Names *names)
{
	const StatInfo *f;
	for (int i = 0; i < DERIVED; i++)
		vec_push(names, derived[i]);
	for (int i = 0; (f = figure_info(i)); i++)
		vec_push(names, f->path);
}

static void choose_columns(const Plan *p, Names *names)
{
	for (int i = 0; i < p->statistic.n; i++)
		if (!strcmp(p->statistic.v[i], "all"))
			add_all(names);
		else
			vec_push(names, p->statistic.v[i]);
	for (int i = 0; i < USUAL && !p->statistic.n; i++)
		vec_push(names, usual[i]);
}

static void put_row(const Sweep *s, const Point *point, const JsonValue *record, const Names *names, Arena *a,
	StrBuf *out)
{
	for (int i = 0; i < s->plan->axis.n; i++) {
		const Axis *axis = &s->plan->axis.v[i];
		output_csv(out, plan_shown(a, axis, point->value[i]));
		sb_putc(out, ',');
	}
	output_csv(out, record ? json_string(record, "status") : "not run");
	sb_printf(out, ",%s", json_string(record, "results"));
	const JsonValue *statistics = json_get(record, "statistics");
	for (int i = 0; i < names->n; i++) {
		const JsonValue *v = json_path(statistics, names->v[i]);
		sb_putc(out, ',');
		sb_puts(out, json_is_number(v) ? json_shown(v) : "");
	}
	sb_putc(out, ',');
	output_csv(out, record ? json_string(record, "message") : "");
	sb_putc(out, '\n');
}

const JsonValue *sweep_record(const Sweep *s, const Task *t, Arena *a)
{
	Diag none = { 0 };
	const RecordPlace *place = results_find(&s->results, t->key);
	char *line = place ? results_read(&s->results, place) : NULL;
	const JsonValue *v = line ? json_read(a, line, place->bytes, "record", &none) : NULL;
	free(line);
	diag_free(&none);
	return v;
}

bool sweep_csv(const Sweep *s, FILE *f, Diag *diag)
{
	Names names = { 0 };
	StrBuf out = { 0 };
	bool ok = true;
	choose_columns(s->plan, &names);
	for (int i = 0; i < s->plan->axis.n; i++) {
		output_csv(&out, s->plan->axis.v[i].name);
		sb_putc(&out, ',');
	}
	sb_puts(&out, "status,results");
	for (int i = 0; i < names.n; i++)
		sb_printf(&out, ",%s", names.v[i]);
	sb_puts(&out, ",message\n");
	for (int i = 0; i < s->ntasks && ok; i++) {
		Arena a = { 0 };
		Point point;
		bool wanted;
		ok = plan_point(s->plan, s->task[i].number, &a, &point, &wanted, diag);
		if (ok)
			put_row(s, &point, sweep_record(s, &s->task[i], &a), &names, &a, &out);
		output_write(f, out.s, out.n);
		out.n = 0;
		arena_free(&a);
	}
	sb_free(&out);
	vec_free(&names);
	return ok;
}

/* The program that the point runs: its module and arguments; with a size, also the machine that it depends
   on. */
static const char *program_of(const Sweep *s, const Point *point, Arena *a)
{
	const Axis *arguments = &s->plan->axis.v[AXIS_ARGUMENTS];
	const char *program = arena_printf(a, "%s -- %s", point->value[AXIS_MODULE],
		plan_shown(a, arguments, point->value[AXIS_ARGUMENTS]));
	if (point->size <= SIZE_S)
		return program;
	program = arena_printf(a, "%s --size %s -c %s", program, run_size_name[point->size], point->machine);
	for (int i = 0; i < s->plan->axis.n; i++) {
		const Axis *axis = &s->plan->axis.v[i];
		if (axis->kind == AXIS_PARAMETER && (!strncmp(axis->name, "sm.", 3) ||
			!strcmp(axis->name, "warp_size")))
			program = arena_printf(a, "%s -D %s=%s", program, axis->name, point->value[i]);
	}
	return program;
}

void sweep_warn_results(const Sweep *s, Diag *diag)
{
	StrMap seen = { 0 };
	Arena kept = { 0 };
	Vec(const char *) first = { 0 };
	int different = 0;
	for (int i = 0; i < s->ntasks; i++) {
		Arena a = { 0 };
		Point point;
		bool wanted;
		const char *results = json_string(sweep_record(s, &s->task[i], &a), "results");
		if (*results && plan_point(s->plan, s->task[i].number, &a, &point, &wanted, diag)) {
			const char *program = program_of(s, &point, &a);
			int k = strmap_get(&seen, program);
			if (k < 0) {
				strmap_put(&seen, arena_strdup(&kept, program), first.n);
				vec_push(&first, arena_strdup(&kept, results));
			} else if (strcmp(first.v[k], results) && !different++) {
				diag_warning(diag, (Loc){ 0 }, "results differ: points of %s have different "
					"ones (column results)", program);
			}
		}
		arena_free(&a);
	}
	if (different > 1)
		diag_warning(diag, (Loc){ 0 }, "%d points have other results than the first of their program",
			different);
	vec_free(&first);
	strmap_free(&seen);
	arena_free(&kept);
}

double *sweep_values(const Sweep *s, const char *statistic)
{
	double *value = xcalloc((size_t)s->ntasks + 1, sizeof *value);
	for (int i = 0; i < s->ntasks; i++) {
		Arena a = { 0 };
		const JsonValue *v = json_path(json_get(sweep_record(s, &s->task[i], &a), "statistics"),
			statistic);
		value[i] = json_is_number(v) ? v->number : NAN;
		arena_free(&a);
	}
	return value;
}

void sweep_json_lines(const Sweep *s, FILE *f)
{
	for (int i = 0; i < s->ntasks; i++) {
		const RecordPlace *place = results_find(&s->results, s->task[i].key);
		char *line = place ? results_read(&s->results, place) : NULL;
		if (line) {
			output_write(f, line, place->bytes);
			output_write(f, "\n", 1);
		}
		free(line);
	}
}

SweepCount sweep_count(const Sweep *s)
{
	SweepCount n = { 0 };
	for (int i = 0; i < s->ntasks; i++) {
		const RecordPlace *place = results_find(&s->results, s->task[i].key);
		n.ok += place && place->ok;
		n.failed += place && !place->ok;
		n.missing += !place;
	}
	return n;
}

/* Says of the first points that failed which they are and why. */
static void put_failures(const Sweep *s, StrBuf *out)
{
	int shown = 0;
	for (int i = 0; i < s->ntasks && shown < SHOWN_FAILURES; i++) {
		const RecordPlace *place = results_find(&s->results, s->task[i].key);
		Arena a = { 0 };
		Diag none = { 0 };
		Point point;
		bool wanted;
		if (place && !place->ok && plan_point(s->plan, s->task[i].number, &a, &point, &wanted,
			&none)) {
			const JsonValue *v = sweep_record(s, &s->task[i], &a);
			shown++;
			sb_printf(out, "%s: ", json_string(v, "status"));
			plan_command(s->plan, &point, out);
			sb_printf(out, "\n\t%s\n", json_string(v, "message"));
		}
		diag_free(&none);
		arena_free(&a);
	}
}

void sweep_summary(const Sweep *s, StrBuf *out)
{
	SweepCount n = sweep_count(s);
	sb_printf(out, "%d point%s: %d ok", s->ntasks, s->ntasks == 1 ? "" : "s", n.ok);
	if (n.failed)
		sb_printf(out, ", %d failed", n.failed);
	if (n.missing)
		sb_printf(out, ", %d not run", n.missing);
	sb_puts(out, "\n");
	put_failures(s, out);
	if (n.failed > SHOWN_FAILURES)
		sb_printf(out, "%d more failed; the table has them\n", n.failed - SHOWN_FAILURES);
}
