#include "sim/machine/scoreboard.h"

/* Cycles from the issue of an instruction of the unit until a reader of this kind may be issued. */
static int64_t latency_to(const Config *config, int unit, int reader)
{
	const UnitConfig *c = &config->unit[unit];
	switch (reader) {
	case READ_UNIFORM: return unit == UNIT_UNIFORM && config->uniform_latency ? config->uniform_latency
		: c->latency;
	case READ_FMA: return c->fma_latency;
	case READ_GUARD: return c->guard_latency;
	case READ_DECOUPLED: return c->decoupled_latency;
	default: return c->latency;
	}
}

/* Can a reader of this kind read what the writer has written? */
static bool may_read(int reader, int writer)
{
	return reader != READ_GUARD || writer >= WRITER_OF_PREDICATES;
}

/* Cycles from the issue until the first of all readers has the result, guards included. */
static int64_t first_latency(const Config *c, int unit)
{
	int64_t first = c->unit[unit].latency;
	for (int r = 0; r < READ_OVERWRITTEN; r++)
		first = latency_to(c, unit, r) < first ? latency_to(c, unit, r) : first;
	return first;
}

static int64_t last_latency(const Config *c, int unit, int writer)
{
	int64_t last = c->unit[unit].latency;
	for (int r = 0; r < READ_OVERWRITTEN; r++)
		if (may_read(r, writer))
			last = latency_to(c, unit, r) > last ? latency_to(c, unit, r) : last;
	return last;
}

/* Fills in what there is of the writer, which is one of the unit. What is written anew comes behind the
   earlier result, so an instruction of unit u may be issued as long before that one is there as it takes
   itself. No such thing is known of a value that memory brings. */
static void fill_writer(Latencies *t, const Config *c, int unit, int writer)
{
	int64_t last = last_latency(c, unit, writer);
	t->last[writer] = (uint16_t)last;
	for (int r = 0; r < READ_OVERWRITTEN; r++)
		t->earlier[r][writer] = (uint16_t)(may_read(r, writer) ? last - latency_to(c, unit, r) : 0);
	for (int u = 0; u < UNIT_COUNT; u++)
		t->earlier[READ_OVERWRITTEN + u][writer] =
			(uint16_t)(last - first_latency(c, unit) + first_latency(c, u) - 1);
}

Latencies *latencies_build(Arena *a, const Config *c)
{
	Latencies *t = arena_new(a, Latencies);
	for (int u = 0; u < UNIT_COUNT; u++) {
		fill_writer(t, c, u, u);
		fill_writer(t, c, u, WRITER_OF_PREDICATES + u);
	}
	return t;
}

void scoreboard_mix(Warp *w, int name, Mask m, Cycle entry)
{
	int W = w->lanes.width, l;
	Cycle *lane = w->lane_ready + name * W, before = w->ready[name], latest = entry_cycle(before);
	Cycle most = 0;
	bool last = false;
	for (l = 0; !w->mixed[name] && l < W; l++)
		lane[l] = before;
	w->mixed[name] = true;
	each_lane(m, l) {
		last |= entry_cycle(lane[l]) == latest;
		lane[l] = entry;
	}
	for (l = 0; last && l < W; l++)
		most = lane[l] > most ? lane[l] : most;
	latest = last ? entry_cycle(most) : latest;
	latest = entry_cycle(entry) > latest ? entry_cycle(entry) : latest;
	w->ready[name] = latest << WRITER_BITS | WRITER_MIXED;
}
