/* Parameters that make no difference. */
#include "tools/sweep/runner.h"
#include "tools/sweep/table.h"
#include <math.h>

/* How far apart points are that differ in the axis alone, by one value. */
static uint64_t stride_of(const Plan *p, int axis)
{
	uint64_t stride = 1;
	for (int i = axis + 1; i < p->axis.n; i++)
		stride *= p->axis.v[i].function ? 1 : (uint64_t)p->axis.v[i].value.n;
	return stride;
}

static int by_number(const void *a, const void *b)
{
	const Task *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* The measured value of a point; NAN: it is not in the sweep, or has none. */
static double value_at(const Sweep *s, const double *value, uint64_t number)
{
	Task key = { .number = number };
	const Task *t = bsearch(&key, s->task, (size_t)s->ntasks, sizeof *s->task, by_number);
	return t ? value[t - s->task] : NAN;
}

/* Do any two points that differ in the axis alone have different values? *pairs: how many were compared. */
static bool has_effect(const Sweep *s, const double *value, int axis, int *pairs)
{
	uint64_t stride = stride_of(s->plan, axis), n = (uint64_t)s->plan->axis.v[axis].value.n;
	for (int i = 0; i < s->ntasks; i++) {
		uint64_t number = s->task[i].number;
		if (number / stride % n == 0)
			continue;
		double before = value_at(s, value, number - stride);
		if (isnan(before) || isnan(value[i]))
			continue;
		++*pairs;
		if (before != value[i])
			return true;
	}
	return false;
}

/* ---- why ---- */

/* A number that points share which differ in the axis that makes no difference, and in their module,
   arguments and size: they have the same machine, as far as it matters here. Where values may follow from
   these, points that differ in them share none. */
static uint64_t number_of_machine(const Plan *p, int idle, uint64_t number)
{
	bool follows = p->lua.L != NULL;
	uint64_t n = number;
	for (int i = 0; i < p->axis.n; i++)
		follows |= p->axis.v[i].kind == AXIS_VARIABLE;
	for (int i = 0; i < p->axis.n; i++) {
		const Axis *axis = &p->axis.v[i];
		AxisKind kind = axis->kind;
		bool apart = kind != AXIS_MODULE && kind != AXIS_ARGUMENTS && kind != AXIS_SIZE;
		if (axis->function || (i != idle && (apart || follows)))
			continue;
		uint64_t stride = stride_of(p, i);
		n -= number / stride % (uint64_t)axis->value.n * stride;
	}
	return n;
}

/* Can the parameter change anything in this point? What cannot be said counts as "it can". */
static bool matters_in(Runner *r, Plan *p, uint64_t number, const ConfigKey *key, StrBuf *why)
{
	Arena a = { 0 };
	Diag d = { 0 };
	Point point;
	Config c;
	bool wanted, matters = !plan_point(p, number, &a, &point, &wanted, &d) ||
		!runner_config(r, &point, &c, &d) || config_has_effect(&c, key, *point.passes ? MACHINE_ANY
		: p->functional ? MACHINE_FUNCTIONAL : MACHINE_TIMED, why);
	diag_free(&d);
	arena_free(&a);
	return matters;
}

/* Puts why no point of the sweep can depend on the parameter; nothing, if one can. */
static void put_reason(const Sweep *s, int axis, StrBuf *out)
{
	Runner r = { .plan = s->plan };
	Arena a = { 0 };
	StrMap seen = { 0 };
	StrBuf first = { 0 };
	ConfigKey key;
	bool matters = !config_find(s->plan->axis.v[axis].name, &key), several = false;
	for (int i = 0; i < s->ntasks && !matters; i++) {
		StrBuf why = { 0 };
		uint64_t number = number_of_machine(s->plan, axis, s->task[i].number);
		const char *name = arena_printf(&a, "%llu", (unsigned long long)number);
		if (strmap_get(&seen, name) >= 0)
			continue;
		strmap_put(&seen, name, 0);
		matters = matters_in(&r, s->plan, s->task[i].number, &key, &why);
		several |= first.n && !matters && strcmp(first.s, why.s);
		if (!first.n && !matters)
			sb_puts(&first, why.s);
		sb_free(&why);
	}
	if (!matters && first.n)
		sb_printf(out, " %s%s", first.s, several ? ", nor elsewhere in this sweep" : "");
	sb_free(&first);
	strmap_free(&seen);
	arena_free(&a);
	runner_free(&r);
}

void sweep_warn_idle(const Sweep *s, Diag *diag)
{
	const char *statistic = s->plan->functional ? "warp_instructions" : "cycles";
	double *value = NULL;
	for (int i = 0; i < s->plan->axis.n; i++) {
		const Axis *axis = &s->plan->axis.v[i];
		int pairs = 0;
		if (axis->kind != AXIS_PARAMETER || axis->function || axis->value.n < 2)
			continue;
		value = value ? value : sweep_values(s, statistic);
		if (has_effect(s, value, i, &pairs) || !pairs)
			continue;
		StrBuf why = { 0 };
		put_reason(s, i, &why);
		diag_warning(diag, (Loc){ 0 }, "%s has no effect%s: none of its %d values changes %s "
			"anywhere", axis->name, why.n ? why.s : "", axis->value.n, statistic);
		sb_free(&why);
	}
	free(value);
}
