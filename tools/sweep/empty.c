/* Points that left the machine mostly empty: what a sweep finds there need not hold where it is full. */
#include "lib/hash.h"
#include "sim/report/filled.h"
#include "tools/sweep/table.h"

enum { SHOWN_PROGRAMS = 5 };

/* What of a point decides how much of the machine is filled, first of all. */
static const char *put_on_machine(const Sweep *s, const Point *point, Arena *a)
{
	const char *arguments = plan_shown(a, &s->plan->axis.v[AXIS_ARGUMENTS], point->value[AXIS_ARGUMENTS]);
	return arena_printf(a, "%s%s%s%s%s", point->value[AXIS_MODULE], *arguments ? " -- " : "", arguments,
		*point->machine ? " on " : "", point->machine);
}

void sweep_warn_empty(const Sweep *s, Diag *diag)
{
	StrMap seen = { 0 };
	Arena kept = { 0 };
	StrBuf names = { 0 };
	int empty = 0, programs = 0;
	for (int i = 0; i < s->ntasks; i++) {
		Arena a = { 0 };
		Point point;
		bool wanted;
		if (filled_is_empty(sweep_record(s, &s->task[i], &a)) &&
			plan_point(s->plan, s->task[i].number, &a, &point, &wanted, diag)) {
			const char *name = put_on_machine(s, &point, &a);
			empty++;
			if (strmap_get(&seen, name) < 0) {
				strmap_put(&seen, arena_strdup(&kept, name), programs);
				if (programs++ < SHOWN_PROGRAMS)
					sb_printf(&names, "%s%s", programs > 1 ? ", " : "", name);
			}
		}
		arena_free(&a);
	}
	if (programs > SHOWN_PROGRAMS)
		sb_printf(&names, " and %d more", programs - SHOWN_PROGRAMS);
	if (empty)
		diag_warning(diag, (Loc){ 0 }, "the machine was mostly empty in %d of %d points (%s): on a "
			"full one caches, bandwidth, scheduler and occupancy may matter otherwise", empty,
			s->ntasks, names.s);
	sb_free(&names);
	strmap_free(&seen);
	arena_free(&kept);
}
