/* The state of a lane: what decides, without progress, what the lane does next (sim/stuck/livelock.c). */
#ifndef GSIM_STATE_H
#define GSIM_STATE_H
#include "sim/stuck/watch.h"

/* The registers of a state, as places in Code.name; a pair of registers has two. list: these n places; NULL:
   the first n. */
typedef struct StatePlaces { const uint16_t *list; int n; } StatePlaces;
/* The registers of a lane's state at branch i: those that live where the lane goes. Inside a call these are
   all registers, since it is not known what lives in the callers. */
StatePlaces state_places_behind(const Warp *, const MIns *i, int lane);
StatePlaces state_all_places(const Warp *);
/* True if a load is on its way to a register of the state, which still has its old value. */
bool state_in_flight(const Warp *, const StatePlaces *, int lane);

/* Goes through the words of a state in order, from `at` to `end`. write: each word is stored there; else it
   is compared with the one that is there, and `same` becomes false if they differ. */
typedef struct WatchWords { uint64_t *at, *end; bool write, same; } WatchWords;
WatchWords state_write_into(Sm *, SavedState *, int room);  /* room: words, state_most_words of each lane */
WatchWords state_compare_with(const SavedState *);
bool state_is_same(const WatchWords *); /* all words of the saved state have been compared, and are equal */
int state_most_words(const Warp *, const StatePlaces *, int lane);
/* Adds the words of a lane's state. The lane goes to pc; `from` stands for the branch that it comes from. */
void state_add_lane(const Warp *, uint32_t pc, int32_t from, const StatePlaces *, int lane, WatchWords *);
#endif
