/* Parameters that make no difference. */
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
		if (!has_effect(s, value, i, &pairs) && pairs)
			diag_warning(diag, (Loc){ 0 }, "%s has no effect: none of its %d values changes %s "
				"anywhere", axis->name, axis->value.n, statistic);
	}
	free(value);
}
