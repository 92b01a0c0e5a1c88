#include "sim/record/stats.h"
#include <stdio.h>
#include <string.h>

enum { SUM = 0, MAX = 1 };

const StatInfo stat_info[] = {
#define S(FIELD, PATH, HOW, UNIT, HELP) { PATH, offsetof(LaunchStats, FIELD), HOW, UNIT, HELP },
	STATS(S)
#undef S
};
const int stat_count = sizeof stat_info / sizeof *stat_info;

const char *const stall_name[STALL_COUNT] = {
#define S(ID, NAME, RANK, COLOUR, HELP) [STALL_##ID] = NAME,
	STALLS(S)
#undef S
};
const char *const stall_help[STALL_COUNT] = {
#define S(ID, NAME, RANK, COLOUR, HELP) [STALL_##ID] = HELP,
	STALLS(S)
#undef S
};
/* The sum of 2^rank over all reasons has one bit for each reason only if no two ranks are equal. */
#define S(ID, NAME, RANK, COLOUR, HELP) + (1u << RANK)
_Static_assert(0 STALLS(S) == (2u << STALL_COUNT) - 2,
	"ranks of stall reasons are 1 to STALL_COUNT, each once");
#undef S

const char *const part_name[PART_COUNT] = { "branch", "indexed branch", "call", "return", "load", "yield",
	"decision" };

void ins_count_add(InsCount *to, const InsCount *c)
{
	to->issues += c->issues;
	to->useful += c->useful;
	to->off += c->off;
}

void part_count_add(PartCount *to, const PartCount *p)
{
	to->partings += p->partings;
	to->lost[0] += p->lost[0];
	to->lost[1] += p->lost[1];
	to->cycles += p->cycles;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void add_meet(Arena *a, Meets *to, const MeetStats *m)
{
	int k = 0;
	while (k < to->n && !(same_text(to->v[k].label, m->label) &&
		same_text(to->v[k].function, m->function)))
		k++;
	if (k == to->n) {
		MeetStats *v = arena_array(a, MeetStats, to->n + 1);
		if (to->n)
			memcpy(v, to->v, sizeof *v * (size_t)to->n);
		v[to->n++] = (MeetStats){ m->function ? arena_strdup(a, m->function) : NULL,
			m->label ? arena_strdup(a, m->label) : NULL,
			m->file ? arena_strdup(a, m->file) : NULL, m->line, 0 };
		to->v = v;
	}
	MeetStats sum = to->v[k];
	sum.times += m->times;
	for (; k && to->v[k - 1].times < sum.times; k--)
		to->v[k] = to->v[k - 1];
	to->v[k] = sum;
}

void meets_add(Arena *a, Meets *to, const Meets *from)
{
	for (int k = 0; k < from->n; k++)
		add_meet(a, to, &from->v[k]);
}

uint64_t stat_get(const LaunchStats *s, int i)
{
	uint64_t v;
	memcpy(&v, (const char *)s + stat_info[i].offset, sizeof v);
	return v;
}

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* Does only a timed run measure the figure? */
static bool needs_time(const char *path)
{
	static const char *const timed[] = { "cycles", "program_cycles", "issue.", "memory.transactions",
		"memory.shared_conflicts",
		"memory.constant_misses", "memory.fetch_misses", "memory.l1.", "memory.l2.", "memory.dram." };
	for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
		if (starts(path, timed[i]))
			return true;
	return false;
}

/* Is it a figure about lanes that an issue of their warp leaves out? Such figures are not defined under a
   mechanism that gives every lane issue slots of its own (own_slots). */
static bool needs_groups(const char *path)
{
	static const char *const warps[] = { "lanes.inactive", "lanes.no_thread", "lanes.ended",
		"lanes.parted", "overhead.no_thread", "overhead.ended",
		"overhead.parted", "divergence.reconvergences" };
	for (size_t i = 0; i < sizeof warps / sizeof *warps; i++)
		if (!strcmp(path, warps[i]))
			return true;
	return false;
}

bool stat_known(const LaunchStats *s, int i)
{
	const char *path = stat_info[i].path;
	bool values = !strcmp(path, "inserted.values") || !strcmp(path, "inserted.unread");
	if (s->reference)
		return values || !strcmp(path, "thread_instructions");
	return !values && (s->timed || !needs_time(path)) && !(s->own_slots && needs_groups(path));
}

static void add_model(LaunchStats *total, const ModelStat *m)
{
	for (int i = 0; i < total->nmodel; i++)
		if (!strcmp(total->model[i].key, m->key)) {
			total->model[i].value = m->max && total->model[i].value > m->value
				? total->model[i].value
				: m->max ? m->value : total->model[i].value + m->value;
			return;
		}
	must(total->nmodel < MODEL_STATS);
	total->model[total->nmodel++] = *m;
}

void stats_add(LaunchStats *total, const LaunchStats *s)
{
	for (int i = 0; i < stat_count; i++) {
		uint64_t *sum = (uint64_t *)(void *)((char *)total + stat_info[i].offset), v = stat_get(s, i);
		if (!stat_info[i].max)
			*sum += v;
		else if (v > *sum)
			*sum = v;
	}
	for (int i = 0; i < STALL_COUNT; i++)
		total->stalls[i] += s->stalls[i];
	for (size_t i = 0; i < sizeof s->active_lanes / sizeof *s->active_lanes; i++)
		total->active_lanes[i] += s->active_lanes[i];
	for (int i = 0; i < s->nmodel; i++)
		add_model(total, &s->model[i]);
	if (s->quiet > total->quiet)
		total->quiet = s->quiet;
	if (s->warp_size)
		total->warp_size = s->warp_size;
	total->seconds += s->seconds;
	total->launches += s->launches;
}

double stats_utilization(const LaunchStats *s)
{
	double slots = (double)s->warp_size * (double)s->warp_instructions;
	return slots > 0 ? (double)s->thread_instructions / slots : 0;
}

double stats_mean_depth(const LaunchStats *s)
{
	double issues = (double)s->warp_instructions + (double)s->overhead_warp;
	return issues > 0 ? (double)s->depth_sum / issues : 0;
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
	{ "issue.stalls.sleep", 0 }, { "issue.stalls.", -1 },
};

int stat_better(const char *path)
{
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
		const char *p = directions[i].path;
		if (p[strlen(p) - 1] == '.' ? starts(path, p) : !strcmp(path, p))
			return directions[i].better;
	}
	return 0;
}
