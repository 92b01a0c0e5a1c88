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

/* entries of a name for which there is room at first */
enum { FEW_APART = 4 };

/* Does the entry keep no lane back, now or later, and was it no load? Nobody asks then which one it was. */
static inline bool is_history(Cycle entry, Cycle now)
{
	return entry_cycle(entry) <= now && !entry_loaded(entry);
}

/* Makes room for more entries of each name. Lanes have few different ones most often. */
static __attribute__((noinline)) void widen_apart(Warp *w)
{
	int each = w->apart_each ? 2 * w->apart_each : FEW_APART, width = w->lanes.width;
	each = each < width ? each : width;
	LanesReady *wide = xmalloc(sizeof *wide * (size_t)(w->room.names * each));
	for (int k = 0; k < w->room.names && w->apart; k++)
		memcpy(wide + k * each, w->apart + k * w->apart_each, sizeof *wide * (size_t)w->apart_each);
	free(w->apart);
	w->apart = wide;
	w->apart_each = each;
}

/* As scoreboard_mix, where all lanes have had one entry, or exactly these lanes are one of two groups or have
   written last; false: neither, and nothing has been done. Groups that take turns write the same registers
   again and again. */
static inline bool mix_quick(Warp *w, int name, Mask m, Cycle entry)
{
	int n = w->mixed[name];
	LanesReady *x = w->apart + name * w->apart_each, *mine;
	Cycle latest = entry_cycle(entry);
	if (!n && w->apart_each) {
		x[0] = (LanesReady){ lanes_below(w->lanes.width) & ~m, w->ready[name] };
		w->mixed[name] = 2;
		n = 2;
		mine = x + 1;
		mine->lanes = m;
	} else if (n && x[n - 1].lanes == m) {
		mine = x + n - 1;
	} else if (n == 2 && x->lanes == m) {
		mine = x;
	} else {
		return false;
	}
	mine->entry = entry;
	for (LanesReady *end = x + n; x < end; x++)
		latest = entry_cycle(x->entry) > latest ? entry_cycle(x->entry) : latest;
	w->ready[name] = latest << WRITER_BITS | WRITER_MIXED;
	return true;
}

void scoreboard_mix(Warp *w, int name, Mask m, Cycle entry)
{
	if (mix_quick(w, name, m, entry))
		return;
	/* so many entries may stand there before the one that comes last */
	if (w->mixed[name] + 2 > w->apart_each && w->apart_each < w->lanes.width)
		widen_apart(w);
	LanesReady *apart = w->apart + name * w->apart_each;
	LanesReady history = { 0, 0 }; /* one entry for all lanes that have one of that kind */
	Cycle latest = entry_cycle(entry), now = w->sm->now;
	int n = w->mixed[name], kept = 0;
	if (!n)
		apart[n++] = (LanesReady){ lanes_below(w->lanes.width), w->ready[name] };
	for (int k = 0; k < n; k++) {
		LanesReady x = { apart[k].lanes & ~m, apart[k].entry };
		if (x.entry == entry) /* one with these lanes stands behind all others */
			m |= x.lanes;
		else if (x.lanes && is_history(x.entry, now))
			history = (LanesReady){ history.lanes | x.lanes, x.entry };
		else if (x.lanes)
			apart[kept++] = x;
		if (x.lanes && entry_cycle(x.entry) > latest)
			latest = entry_cycle(x.entry);
	}
	if (history.lanes)
		apart[kept++] = history;
	apart[kept++] = (LanesReady){ m, entry };
	w->mixed[name] = (uint8_t)kept;
	w->ready[name] = latest << WRITER_BITS | WRITER_MIXED;
}
