#include "sim/record/intervals.h"
#include <stdio.h>
#include <string.h>

#define S(...) + 1
_Static_assert(INTERVAL_FIGURES == 0 STATS(S) + STALL_COUNT + 1, "an interval is figures and nothing else");
#undef S

Intervals *intervals_new(Cycle asked)
{
	Intervals *v = xcalloc(1, sizeof *v);
	must(asked > 0);
	v->asked = v->cycles = asked;
	return v;
}

void intervals_free(Intervals *v)
{
	if (v)
		free(v->row);
	free(v);
}

/* ---- one interval ---- */

static uint64_t *figures(Interval *x) { return (uint64_t *)(void *)x; }

void interval_add(Interval *to, const Interval *x)
{
	for (int i = 0; i < INTERVAL_FIGURES; i++)
		figures(to)[i] += interval_get(x, i);
}

void interval_take(Interval *from, const Interval *x)
{
	for (int i = 0; i < INTERVAL_FIGURES; i++)
		figures(from)[i] -= interval_get(x, i);
}

bool interval_any(const Interval *x)
{
	uint64_t any = 0;
	for (int i = 0; i < INTERVAL_FIGURES; i++)
		any |= interval_get(x, i);
	return any != 0;
}

void interval_of_totals(Interval *x, const Totals *s)
{
	uint64_t busy = s->issued;
	*x = (Interval){ 0 };
	for (int i = 0; i < stat_count; i++)
		figures(x)[i] = stat_info[i].max || stat_info[i].known >= STAT_L2 ? 0 : stat_get(s, i);
	for (int i = 0; i < STALL_COUNT; i++) {
		x->stalls[i] = i == STALL_EMPTY ? 0 : s->stalls[i];
		busy += x->stalls[i];
	}
	x->stalls[STALL_EMPTY] = -busy;
}

bool interval_figure(const LaunchStats *total, int i, FigurePath *path)
{
	bool stat = i < stat_count;
	if (stat)
		snprintf(path->text, sizeof path->text, "%s", stat_info[i].path);
	else if (i < stat_count + STALL_COUNT)
		snprintf(path->text, sizeof path->text, "issue.stalls.%s", stall_name[i - stat_count]);
	else
		snprintf(path->text, sizeof path->text, "resident_warps");
	if (stat && !strncmp(path->text, "memory.nonfaulting.", 19) && !total->totals.nonfaulting_loads)
		return false;
	if (stat && !strncmp(path->text, "uniform.", 8) && !total->totals.uniform_warp)
		return false;
	return !stat || (!stat_info[i].max && stat_known(total, i));
}

/* ---- all ---- */

/* Doubles the length of intervals: the counts of old interval k become part of new interval k / 2. */
void intervals_double(Intervals *v)
{
	uint64_t first = v->first / 2;
	int n = v->n ? (int)((v->first + (uint64_t)v->n - 1) / 2 - first) + 1 : 0;
	for (int k = 0; k < n; k++) {
		uint64_t from = 2 * (first + (uint64_t)k);
		Interval both = { 0 };
		for (uint64_t old = from; old < from + 2; old++)
			if (old >= v->first && old - v->first < (uint64_t)v->n)
				interval_add(&both, &v->row[old - v->first]);
		v->row[k] = both;
	}
	v->first = first;
	v->n = n;
	v->cycles *= 2;
}

static void room_for_intervals(Intervals *v, int n)
{
	if (n <= v->cap)
		return;
	v->cap = n < INTERVALS_MOST / 2 ? 2 * n : INTERVALS_MOST;
	v->row = xrealloc(v->row, sizeof *v->row * (size_t)v->cap);
}

/* Widens the span of intervals, with zeros, until it holds interval k. */
static void reach_interval(Intervals *v, uint64_t k)
{
	int before = v->n && k < v->first ? (int)(v->first - k) : 0;
	int n = !v->n ? 1 : before ? v->n + before : k - v->first >= (uint64_t)v->n ? (int)(k - v->first) + 1
		: v->n;
	room_for_intervals(v, n);
	if (before)
		memmove(v->row + before, v->row, sizeof *v->row * (size_t)v->n);
	memset(before ? v->row : v->row + v->n, 0, sizeof *v->row * (size_t)(n - v->n));
	if (!v->n || before)
		v->first = k;
	v->n = n;
}

static bool too_far(const Intervals *v, uint64_t k)
{
	uint64_t last = v->first + (uint64_t)v->n - 1;
	return v->n && (k < v->first ? last - k : k - v->first) >= INTERVALS_MOST;
}

Interval *intervals_at(Intervals *v, Cycle cycle)
{
	while (too_far(v, cycle / v->cycles))
		intervals_double(v);
	uint64_t k = cycle / v->cycles;
	if (!v->n || k < v->first || k - v->first >= (uint64_t)v->n)
		reach_interval(v, k);
	return &v->row[k - v->first];
}

void intervals_run(Intervals *v, Cycle from, Cycle to, uint64_t schedulers)
{
	if (from >= to)
		return;
	intervals_at(v, from);
	intervals_at(v, to - 1);       /* these cycles do not make the intervals longer any more */
	for (Cycle at = from, next; at < to; at = next) {
		Interval *x = intervals_at(v, at);
		next = (at / v->cycles + 1) * v->cycles;
		next = next < to ? next : to;
		x->cycles += next - at;
		x->slots += (next - at) * schedulers;
		x->stalls[STALL_EMPTY] += (next - at) * schedulers;
	}
}

void intervals_merge(Intervals *v, const Intervals *other)
{
	while (v->cycles < other->cycles)
		intervals_double(v);
	for (int k = 0; k < other->n; k++)
		if (interval_any(&other->row[k]))
			interval_add(intervals_at(v, (other->first + (uint64_t)k) * other->cycles),
				&other->row[k]);
}
