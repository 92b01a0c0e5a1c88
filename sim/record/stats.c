#include "sim/record/stats.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool stat_known(const LaunchStats *s, int i)
{
	StatKnown known = stat_info[i].known;
	if (s->reference || known == STAT_VALUES)
		return s->reference && (known == STAT_VALUES || known == STAT_ANY);
	return known == STAT_GROUPS ? !s->own_slots : s->timed || known < STAT_TIMED;
}

double stats_within(const Totals *t) { return sqrt(t->sample_squares) + t->sample_bias; }

uint64_t stats_low(const Totals *t)
{
	double low = (double)t->cycles - stats_within(t);
	return low > 0 ? (uint64_t)low : 0;
}

double stats_utilization(const LaunchStats *s)
{
	double slots = (double)s->warp_size * (double)s->totals.warp_instructions;
	return slots > 0 ? (double)s->totals.thread_instructions / slots : 0;
}

double stats_mean_depth(const LaunchStats *s)
{
	double issues = (double)s->totals.warp_instructions + (double)s->totals.overhead_warp;
	return issues > 0 ? (double)s->totals.depth_sum / issues : 0;
}

/* Figures of rows, in the order in which json.c writes them. Not all of them are listed. */
const RowStat row_stats[] = {
	{ "blocks[].fetches", "issues", "at which the source's block begins, once for each group of lanes" },
	{ "blocks[].threads", "lanes", "in these issues" },
	{ "branches[].executed", "issues", "of the branch, or of what decides in its place" },
	{ "branches[].divergent", "issues", "of them: lanes went different ways" },
	{ "branches[].lanes", "lanes", "in all of these issues" },
	{ "branches[].lanes_taken", "lanes", "of them: they took the branch" },
	{ "branches[].partings", "partings", "times that lanes of a warp have parted there" },
	{ "branches[].lost", "lane-slots", "of the module's instructions, that these partings have cost "
		"until the lanes were together again" },
	{ "branches[].overhead_lost", "lane-slots", "the same, of issues of what lowering or the mechanism "
		"added" },
	{ "branches[].cycles", "cycles", "from each parting to the issue that has all its lanes together "
		"that have not ended; null without timing" },
	{ "partings[].lost", "lane-slots", "the same of other instructions at which lanes have parted; so "
		"partings[].partings, .overhead_lost, .cycles" },
	{ "lines[].warp_instructions", "instructions", "issued of this line, once for each group of lanes" },
	{ "lines[].thread_instructions", "instructions",
		"the same, counted for each lane whose guard holds" },
	{ "lines[].predicated_off", "lanes", "active lanes whose guard was false" },
	{ "lines[].inactive", "lanes", "of the warp that were not in the groups issued" },
	{ NULL, NULL, NULL }
};

/* +1: more is better, -1: less is better. A figure has a direction if it is time or a loss of the machine:
   cycles, cycles in which a scheduler had a warp and issued nothing, lanes lost because threads had parted,
   and entries or values that did not fit on the chip. All other figures are means to these, or amounts of
   work: fewer instructions, branches, pushes or sectors are good only as far as they take time. `no_warp` has
   no direction, since a scheduler without a warp had nothing to lose, nor has `sleep`, for which the program
   asks. */
static const struct { const char *path; int better; } directions[] = {
	{ "cycles", -1 }, { "program_cycles", -1 }, { "simd_utilization", 1 }, { "lanes.parted", -1 },
	{ "branches.lost", -1 }, { "lines.lost", -1 },
	{ "divergence.spills", -1 }, { "static.spilled", -1 }, { "issue.stalls.no_warp", 0 },
	{ "issue.stalls.sleep", 0 }, { "issue.stalls.", -1 }, { "issue.memory_stalls.", -1 },
};

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

int stat_better(const char *path)
{
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
		const char *p = directions[i].path;
		if (p[strlen(p) - 1] == '.' ? starts(path, p) : !strcmp(path, p))
			return directions[i].better;
	}
	return 0;
}
