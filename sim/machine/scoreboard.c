#include "sim/machine/scoreboard.h"

/* Cycles from the issue of an instruction of the unit until a reader of this kind may be issued. */
static int64_t latency_to(const UnitConfig *c, int reader)
{
	switch (reader) {
	case READ_FMA: return c->fma_latency;
	case READ_GUARD: return c->guard_latency;
	case READ_DECOUPLED: return c->decoupled_latency;
	default: return c->latency;
	}
}

static int64_t first_latency(const UnitConfig *c)
{
	int64_t first = c->latency;
	for (int r = 0; r < READ_OVERWRITTEN; r++)
		first = latency_to(c, r) < first ? latency_to(c, r) : first;
	return first;
}

/* What is written anew comes behind the earlier result, so the instruction may be issued as long before that
   one is there as it takes itself. No such thing is known of a value that memory brings. */
static void fill_overwritten(Latencies *t, int unit)
{
	for (int v = 0; v < UNIT_COUNT; v++)
		t->later[READ_OVERWRITTEN + unit][v] = (int16_t)(1 - t->first[unit]);
}

Latencies *latencies_build(Arena *a, const Config *c)
{
	Latencies *t = arena_new(a, Latencies);
	for (int u = 0; u < UNIT_COUNT; u++)
		t->first[u] = (uint16_t)first_latency(&c->unit[u]);
	for (int r = 0; r < READ_OVERWRITTEN; r++)
		for (int u = 0; u < UNIT_COUNT; u++) {
			int16_t *later = t->later[r];
			later[u] = (int16_t)(latency_to(&c->unit[u], r) - t->first[u]);
			later[WRITER_MIXED] = later[u] > later[WRITER_MIXED] ? later[u] : later[WRITER_MIXED];
		}
	for (int u = 0; u < UNIT_COUNT; u++)
		fill_overwritten(t, u);
	return t;
}

void scoreboard_mix(Warp *w, int name, Mask m, Cycle entry)
{
	int W = w->lanes.width, l;
	Cycle *lane = w->lane_ready + name * W, before = w->ready[name], latest = entry_cycle(before);
	bool last = false;
	for (l = 0; !w->mixed[name] && l < W; l++)
		lane[l] = before;
	w->mixed[name] = true;
	each_lane(m, l) {
		last |= entry_cycle(lane[l]) == latest;
		lane[l] = entry;
	}
	for (l = 0, latest = last ? 0 : latest; last && l < W; l++)
		latest = entry_cycle(lane[l]) > latest ? entry_cycle(lane[l]) : latest;
	latest = entry_cycle(entry) > latest ? entry_cycle(entry) : latest;
	w->ready[name] = latest << WRITER_BITS | WRITER_MIXED;
}
