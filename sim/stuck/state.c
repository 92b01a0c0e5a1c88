/* The state of a lane, as words that are saved and compared with saved ones. */
#include "sim/machine/scoreboard.h"
#include "sim/stuck/state.h"

static bool is_pair(const Code *c, int place) { return place >= c->narrow && place < c->rows; }

static int nth_place(const StatePlaces *x, int k) { return x->list ? x->list[k] : k; }

StatePlaces state_all_places(const Warp *w)
{
	return (StatePlaces){ NULL, code_of(w)->rows + code_of(w)->preds };
}

StatePlaces state_places_behind(const Warp *w, const MIns *i, int lane)
{
	const Code *c = code_of(w);
	return w->depth[lane] ? state_all_places(w) : (StatePlaces){ c->live[i->live], c->nlive[i->live] };
}

static inline void add_word(WatchWords *x, uint64_t v)
{
	if (x->at == x->end)
		x->same = false;
	else if (x->write)
		*x->at++ = v;
	else
		x->same &= *x->at++ == v;
}

static uint64_t state_word(const Warp *w, int place, int lane)
{
	const Code *c = code_of(w);
	const uint32_t *row = w->lanes.base[0] + (size_t)place * (size_t)w->lanes.width;
	uint64_t v;
	if (place >= c->rows)
		return w->lanes.pred[place - c->rows] >> lane & 1;
	if (place < c->narrow)
		return row[lane];
	memcpy(&v, row + 2 * lane, sizeof v);
	return v;
}

void state_add_lane(const Warp *w, uint32_t pc, int32_t from, const StatePlaces *places, int lane,
	WatchWords *x)
{
	add_word(x, (uint64_t)pc << 32 | (uint32_t)from);
	add_word(x, (uint64_t)w->depth[lane] << 1 | (w->lanes.cc >> lane & 1));
	for (int k = 0; k < places->n && x->same; k += 1 + is_pair(code_of(w), nth_place(places, k)))
		add_word(x, state_word(w, nth_place(places, k), lane));
	for (uint32_t d = 0; d < w->depth[lane] && x->same; d++)
		add_word(x, w->ret[(size_t)(d * 2) * (size_t)w->lanes.width + (size_t)lane]);
}

int state_most_words(const Warp *w, const StatePlaces *places, int lane)
{
	return 2 + places->n + (int)w->depth[lane];
}

WatchWords state_write_into(Sm *sm, SavedState *s, int room)
{
	if (s->room < room) {
		s->room = room;
		s->word = arena_array(&sm->arena, uint64_t, room);
	}
	return (WatchWords){ s->word, s->word + s->room, true, true };
}

WatchWords state_compare_with(const SavedState *s)
{
	return (WatchWords){ s->word, s->n ? s->word + s->n : s->word, false, true };
}
bool state_is_same(const WatchWords *x) { return x->same && x->at == x->end; }

bool state_in_flight(const Warp *w, const StatePlaces *places, int lane)
{
	const Sm *sm = w->sm;
	for (int k = 0; k < places->n && !sm->gpu->options.functional; k++) {
		Cycle entry = scoreboard_read(w, code_of(w)->name[nth_place(places, k)], lane);
		if (entry_loaded(entry) && entry_cycle(entry) > sm->now)
			return true;
	}
	return false;
}
