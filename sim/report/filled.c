#include "sim/report/filled.h"
#include "sim/report/sheet.h"

/* More than this share of scheduler-cycles without a warp is a mostly empty machine. */
static const double mostly = 0.8;

static const char *const why_name[] = { [FILLED_SMALL_GRID] = "grid", [FILLED_SHORT_TIME] = "time" };

/* Conclusions that do not carry over from a mostly empty machine to a full one. */
static const char *const says_nothing_of[] = { "caches", "bandwidth", "scheduler", "occupancy" };

static double share_of_slots(const Totals *t, uint64_t part)
{
	double share = (double)part / (double)t->slots;
	return share < 1 ? share : 1;
}

/* The grids are why the machine is mostly empty if they account for half of what is empty, at least. */
static FilledWhy why_empty(const Totals *t, const Filled *f)
{
	if (f->sms < 2 || f->no_warp <= mostly)
		return FILLED_WELL;
	return 1 - share_of_slots(t, t->reached_slots) > f->no_warp / 2 ? FILLED_SMALL_GRID
		: FILLED_SHORT_TIME;
}

bool run_filled(Run *run, Filled *f)
{
	const LaunchStats *s = run_total(run);
	const Totals *t = &s->totals;
	if (!s->timed || !t->slots)
		return false;
	*f = (Filled){ .no_warp = share_of_slots(t, t->stalls[STALL_EMPTY]),
		.grid = share_of_slots(t, t->room_slots),
		.sms = (int)run->config->sm_count, .sms_used = (int)t->sms_used,
		.several = t->launches > 1 };
	f->why = why_empty(t, f);
	return true;
}

void filled_text(Run *run, StrBuf *out)
{
	Filled f;
	if (!run_filled(run, &f) || f.why == FILLED_WELL)
		return;
	sb_printf(out, "mostly empty: schedulers had no warp in %s of their cycles",
		PERCENT(f.no_warp));
	if (f.sms_used < f.sms)
		sb_printf(out, ", and %d of %d SMs had no block", f.sms - f.sms_used, f.sms);
	sb_printf(out, ";\n  the grid%s threads for %s of the machine%s.\n", f.several ? "s have" : " has",
		PERCENT(f.grid), f.why == FILLED_SHORT_TIME ? ", but not for long" : "");
	bool grows = run->sized.grows && (run->options.size < SIZE_L || run->sized.overridden);
	sb_printf(out,
		"  So cycles say little of caches, bandwidth, scheduler and occupancy on a full machine;\n"
		"  counts and SIMD utilisation hold. A fuller machine: %s\n",
		!grows ? "-D sm.count=1" : run->sized.overridden ? "--size L without arguments of your own"
		: "--size L");
}

void filled_json(Run *run, JsonSink *j)
{
	Filled f;
	j->key(j, "filled");
	if (!run_filled(run, &f)) {
		j->text(j, NULL);
		return;
	}
	j->begin(j, '{', true);
	json_put_real(j, "no_warp", true, f.no_warp);
	json_put_real(j, "grid", true, f.grid);
	json_put_count(j, "sms", (uint64_t)f.sms);
	json_put_count(j, "sms_used", (uint64_t)f.sms_used);
	j->key(j, "mostly_empty");
	j->boolean(j, f.why != FILLED_WELL);
	json_put_text(j, "why", why_name[f.why]);
	j->key(j, "says_nothing_of");
	j->begin(j, '[', true);
	for (size_t i = 0; f.why && i < sizeof says_nothing_of / sizeof *says_nothing_of; i++)
		j->text(j, says_nothing_of[i]);
	j->end(j);
	j->end(j);
}

bool filled_is_empty(const JsonValue *report)
{
	const JsonValue *v = json_path(report, "filled.mostly_empty");
	return v && v->kind == JSON_BOOL && v->number != 0;
}

void filled_compare(const JsonValue *const *report, int n, ReportForm form, StrBuf *out)
{
	int runs = 0, empty = 0;
	double least = 1, most = 0;
	char share[REPORT_PERCENT];
	StrBuf line = { 0 };
	for (int i = 0; i < n; i++) {
		runs += report[i] != NULL;
		if (!filled_is_empty(report[i]))
			continue;
		double no_warp = json_number(json_get(report[i], "filled"), "no_warp");
		least = no_warp < least ? no_warp : least;
		most = no_warp > most ? no_warp : most;
		empty++;
	}
	if (!empty)
		return;
	report_percent(share, least);
	sb_printf(&line, "remark: mostly empty in %s",
		empty < runs ? "some runs" : runs == 2 ? "both runs" : "all runs");
	sb_printf(&line, " (%s", share);
	if (strcmp(share, PERCENT(most)))
		sb_printf(&line, " to %s", PERCENT(most));
	sb_puts(&line, " without a warp): cycles need not compare so on a full machine");
	sheet_line(out, form, line.s);
	sb_free(&line);
}
