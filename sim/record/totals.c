#include "sim/record/totals.h"
#include <stdio.h>
#include <string.h>

enum { SUM = 0, MAX = 1 };

const StatInfo stat_info[] = {
#define S(FIELD, PATH, HOW, KNOWN, UNIT, HELP) \
	{ PATH, offsetof(Totals, FIELD), HOW, STAT_##KNOWN, UNIT, HELP },
	STATS(S)
#undef S
};
const int stat_count = sizeof stat_info / sizeof *stat_info;

static const StatInfo stall_info[STALL_FIGURES] = {
#define S(ID, NAME, RANK, COLOUR, HELP) \
	[STALL_##ID] = { "issue.stalls." NAME, offsetof(Totals, stalls[STALL_##ID]), SUM, STAT_TIMED, \
		"cycles", HELP },
	STALLS(S)
#undef S
#define L(ID, NAME, HELP) \
	[STALL_COUNT + LEVEL_##ID] = { "issue.memory_stalls." NAME, \
		offsetof(Totals, stalls[STALL_COUNT + LEVEL_##ID]), SUM, STAT_TIMED, "cycles", \
		"of issue.stalls.memory: " HELP },
	STALL_LEVELS(L)
#undef L
};

const StatInfo *figure_info(int i)
{
	return i < 0 || i >= stat_count + STALL_FIGURES ? NULL : i < stat_count ? &stat_info[i]
		: &stall_info[i - stat_count];
}

const char *const stall_name[STALL_COUNT] = {
#define S(ID, NAME, RANK, COLOUR, HELP) [STALL_##ID] = NAME,
	STALLS(S)
#undef S
};
const char *const level_name[LEVEL_COUNT] = {
#define L(ID, NAME, HELP) [LEVEL_##ID] = NAME,
	STALL_LEVELS(L)
#undef L
};
const char *const level_help[LEVEL_COUNT] = {
#define L(ID, NAME, HELP) [LEVEL_##ID] = HELP,
	STALL_LEVELS(L)
#undef L
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
#define S(ID, NAME, RANK, COLOUR, HELP) + (STALL_##ID == STALL_EMPTY && RANK == STALL_COUNT)
_Static_assert(0 STALLS(S) == 1, "no_warp is the reason farthest from an issue");
#undef S

uint64_t stat_get(const Totals *s, int i)
{
	uint64_t v;
	memcpy(&v, (const char *)s + stat_info[i].offset, sizeof v);
	return v;
}

static void add_model(Totals *total, const ModelStat *m)
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

void totals_add(Totals *total, const Totals *s)
{
	for (int i = 0; i < stat_count; i++) {
		uint64_t *sum = (uint64_t *)(void *)((char *)total + stat_info[i].offset), v = stat_get(s, i);
		if (!stat_info[i].max)
			*sum += v;
		else if (v > *sum)
			*sum = v;
	}
	for (int i = 0; i < STALL_FIGURES; i++)
		total->stalls[i] += s->stalls[i];
	for (size_t i = 0; i < sizeof s->active_lanes / sizeof *s->active_lanes; i++)
		total->active_lanes[i] += s->active_lanes[i];
	for (int i = 0; i < s->nmodel; i++)
		add_model(total, &s->model[i]);
	if (s->quiet > total->quiet)
		total->quiet = s->quiet;
	total->ended_at_branches += s->ended_at_branches;
	total->sms_used = s->sms_used > total->sms_used ? s->sms_used : total->sms_used;
	total->room_slots += s->room_slots;
	total->reached_slots += s->reached_slots;
	total->seconds += s->seconds;
	total->launches += s->launches;
	total->sampled += s->sampled;
	total->sampled_blocks += s->sampled_blocks;
	total->timed_blocks += s->timed_blocks;
	total->sample_squares += s->sample_squares;
	total->sample_bias += s->sample_bias;
}
