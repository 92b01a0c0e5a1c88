/* The scoreboard of a warp: when each register and predicate is ready, which depends on who reads it. A
 * result reaches some readers earlier than others (READ_..., sim/code/code.h): a predicate, for instance, is
 * there for the next comparison after 4 cycles and for the guard of an instruction after 12 or 13. An entry
 * therefore says when the result is there for the reader that gets it last, and who has written it; a table
 * (Latencies) says how much earlier other readers have it. So the table is read only for results that are not
 * there for everybody yet. */
#ifndef GSIM_SCOREBOARD_H
#define GSIM_SCOREBOARD_H
#include "sim/machine/gpu.h"

/* An entry (Warp.ready) is a cycle << WRITER_BITS, plus its writer. That is MIns.writer of the instruction
   that has computed the value: its unit, plus WRITER_OF_PREDICATES where the value may be a predicate, since
   no guard reads a register. WRITER_LOADED and beyond: the value comes from memory, from the MemoryLevel that
   is added; WRITER_MIXED: lanes have entries of their own, and the cycle is the latest of theirs. */
enum { WRITER_BITS = 7, WRITER_COUNT = 1 << WRITER_BITS, WRITER_LOADED = WRITER_COUNT - (int)LEVEL_COUNT,
	WRITER_MIXED = WRITER_LOADED - 1 };
_Static_assert(2 * (int)UNIT_COUNT <= (int)WRITER_MIXED, "an entry has room for the number of its writer");

typedef struct Latencies {
	/* by writer: cycles from the issue until the last of all readers has the result; by reader (READ_...)
	   and writer: cycles by which this one has it earlier */
	uint16_t last[WRITER_COUNT];
	uint16_t earlier[READ_OVERWRITTEN + UNIT_COUNT][WRITER_COUNT];
} Latencies;
/* The configuration has all latencies (config_complete_units). */
Latencies *latencies_build(Arena *, const Config *);

static inline Cycle entry_cycle(Cycle entry) { return entry >> WRITER_BITS; }
static inline int entry_writer(Cycle entry) { return (int)(entry & (WRITER_COUNT - 1)); }
static inline bool entry_loaded(Cycle entry) { return entry_writer(entry) >= WRITER_LOADED; }

/* The cycle from which on the entry keeps an instruction no longer that needs it so; it may lie before cycle
   0. */
static inline int64_t needed_ready(const Sm *sm, const Needed *n, Cycle entry)
{
	return (int64_t)entry_cycle(entry) - sm->latencies->earlier[n->reader][entry_writer(entry)];
}

/* In the lanes of the mask the register or predicate `name` becomes ready at another time than in its other
   lanes. The last argument is an entry of the scoreboard. */
void scoreboard_mix(Warp *, int name, Mask, Cycle);

/* Writes the entry of lanes m for what the instruction writes. */
static inline void scoreboard_put(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle entry)
{
	const Needed *end = i->sb + i->nchk, *wr = end - i->nwr;
	if (!sm->lane_scoreboard) {
		for (; wr < end; wr++)
			w->ready[wr->name] = entry;
		return;
	}
	bool all = !(w->live & ~m);
	for (; wr < end && (all || m); wr++) {
		if (!all) {
			scoreboard_mix(w, wr->name, m, entry);
			continue;
		}
		w->ready[wr->name] = entry;
		w->mixed[wr->name] = 0;
	}
}
/* Lanes m have the results of an instruction that is issued now, `late` cycles later than its unit says. */
static inline void scoreboard_computed(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle late)
{
	Cycle ready = sm->now + sm->latencies->last[i->writer] + late;
	scoreboard_put(sm, w, i, m, ready << WRITER_BITS | i->writer);
}
/* Lanes m have the results at cycle `ready`; they come from that level of memory. PENDING: neither is known
   yet. */
static inline void scoreboard_loaded(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready,
	MemoryLevel level)
{
	scoreboard_put(sm, w, i, m, ready << WRITER_BITS | (Cycle)(WRITER_LOADED + (int)level));
}
static inline MemoryLevel entry_level(Cycle entry)
{
	return (MemoryLevel)(entry_writer(entry) - WRITER_LOADED);
}
/* As scoreboard_loaded, where `ready` is known now. The warp may end before that cycle, but keeps its slot
   until then. */
static inline void write_loaded(const Sm *sm, Warp *w, const MIns *i, Mask m, Cycle ready, MemoryLevel level)
{
	scoreboard_loaded(sm, w, i, m, ready, level);
	if (m && comes_back(i) && ready > w->drain)
		w->drain = ready;
}
/* Runs the statement behind it for each entry that lanes have of their own. */
#define each_entry_apart(W, NAME, X) \
	for (const LanesReady *X = (W)->apart + (NAME) * (W)->apart_each, *end_##X = X + (W)->mixed[NAME]; \
		X < end_##X; X++)
static inline Cycle scoreboard_read(const Warp *w, int name, int lane)
{
	if (!w->mixed || !w->mixed[name])
		return w->ready[name];
	const LanesReady *x = w->apart + name * w->apart_each + w->mixed[name] - 1;
	while (!(x->lanes >> lane & 1)) /* the one written last is often the last */
		x--;
	return x->entry;
}
#endif
