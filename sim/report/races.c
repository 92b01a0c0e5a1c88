/* Races between blocks, in the report for people. */
#include "sim/report/races.h"
#include <limits.h>

enum { MOST_PAIRS = 5 };

static void put_race_end(const RaceEnd *e, bool line_end, StrBuf *out)
{
	const char *file = e->file ? strrchr(e->file, '/') : NULL;
	char place[64], name[80];
	snprintf(place, sizeof place, "%.40s:%d", file ? file + 1 : e->file ? e->file : "?", e->line);
	snprintf(name, sizeof name, "%.24s %.24s", e->function, e->label);
	sb_printf(out, "  %-22.22s %-32.32s %-7s block %llu", place, name, e->access,
		(unsigned long long)e->block);
	places_print_inlined(e->file, e->line, e->inlined.v, e->inlined.n, out);
	sb_puts(out, line_end ? "\n" : "");
}

static void put_pair(const RaceStats *r, bool same, StrBuf *out)
{
	put_race_end(&r->end[0], true, out);
	put_race_end(&r->end[1], false, out);
	sb_printf(out, "\n    %llu bytes", (unsigned long long)r->bytes);
	if (same && r->same == r->bytes)
		sb_puts(out, ", the same value written");
	else if (same && r->same)
		sb_printf(out, ", the same value written in %llu", (unsigned long long)r->same);
	sb_printf(out, "; first at %.40s + %llu\n", r->buffer ? r->buffer : "?",
		(unsigned long long)r->offset);
}

static void put_race_pairs(const RaceStats *r, int n, bool same, int most, StrBuf *out)
{
	for (int k = 0; k < n; k++) {
		if (k == most) {
			sb_printf(out, "  %d more " REPORT_ALL "\n", n - k);
			break;
		}
		put_pair(&r[k], same, out);
	}
}

void report_races(const Run *run, const LaunchStats *total, bool all, StrBuf *out)
{
	int behind = 0, dependent = 0;
	if (total->races_checked) {
		sb_printf(out, "\nraces between blocks: %d pair%s of accesses, in %d of %d launches\n",
			total->tables.races.n, total->tables.races.n == 1 ? "" : "s", run->racing,
			run->launch.n);
		put_race_pairs(total->tables.races.v, total->tables.races.n, true, all ? INT_MAX : MOST_PAIRS,
			out);
	}
	for (int i = 0; i < run->launch.n; i++) {
		behind += run->launch.v[i]->behind > 0;
		dependent += run->launch.v[i]->nbetween > 0;
	}
	if (!run->options.race_launches)
		return;
	sb_printf(out, "\nlaunches and those before them: %d of %d dependent between blocks\n", dependent,
		behind);
	for (int i = 0, n = 0; i < run->launch.n; i++) {
		const LaunchStats *s = run->launch.v[i];
		if (!s->behind)
			continue;
		if (!all && n++ == MOST_PAIRS) {
			sb_printf(out, "  the others " REPORT_ALL "\n");
			break;
		}
		sb_printf(out, "  %d %.36s behind %d %.36s: %s\n", i + 1, s->kernel, s->behind,
			run->launch.v[s->behind - 1]->kernel, s->nbetween ? "dependent between blocks"
			: "no dependence between blocks");
		put_race_pairs(s->between_stats, s->nbetween, false, all ? INT_MAX : 1, out);
	}
}
