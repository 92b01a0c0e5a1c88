/* Livelock: the proof that a launch can never end. sim/stuck/diagnose.c makes the report of it.
 *
 * Progress is a change of a memory word, the end of a lane, or the arrival at or release from a block
 * barrier. After limits.progress_cycles without any, every lane is watched at its branches: Brent's cycle
 * detection is applied to the lane's state. Once all lanes that run have come back to an earlier state,
 * without any progress in between, nothing can ever change, and the livelock is proven. Progress ends the
 * watch; another one begins later.
 *
 * What a lane does next follows from its state and from what is constant without progress:
 *   place      The state has where the branch goes and which branch it was, the call depth and the addresses
 *              to return to; local frames follow from these.
 *   registers  The state has the registers and predicates that live behind the branch and the carry flag;
 *              inside a call it has all registers, since it is not known what lives in the callers. States
 *              with a load on its way to one of these registers are not compared.
 *   memory     A store or atomic operation of any thread that changes a word of global, shared or local
 *              memory is progress; parameters and constants never change.
 *   barriers   Arrivals and releases are progress; so are ends of lanes.
 *   others     Other lanes act on this one through memory, barriers and warp-level operations only. Lanes
 *              that exchange values in a warp-level operation have a joint state there, of all their
 *              registers; activemask is such an exchange.
 *   clocks     A lane that reads a clock proves nothing.
 *   mechanism  The mechanism may delay a lane, but cannot change what the lane does. If it may let lanes run
 *              which it has held, after time-outs or in turns, it says how long that takes at most
 *              (StuckHooks.patience). A warp with lanes that are held is watched for that long, and proves
 *              nothing if one of these lanes has gone to another place since the watch began. A turn that
 *              begins in one span of time and branches ends in the next, so n turns take n + 1 spans at most.
 * States are compared word by word.
 *
 * A watch ends after a while, and a longer one begins later, so that long computations are slowed down by a
 * bounded share. One lane that does not come back to a state is enough to know that its warp is in no
 * livelock: so one lane of a warp is watched first, and all of them only when this lane has come back. Then
 * the watch may last twice as long. */
#include "sim/stuck/watch.h"

enum {
	/* cycles that a watch takes at least, or limits.progress_cycles if that is less: enough for several
	   turns of every warp of a functional run */
	LEAST_WATCH = 10000,
	/* a warp's lanes come to branches so many times in a row without a watched lane among them; then one
	   more lane is watched */
	MOST_UNSEEN = 64
};

/* ---- states ---- */

static bool is_pair(const Code *c, int place) { return place >= c->narrow && place < c->rows; }

/* The registers of a state, as places in Code.name; a pair of registers has two. list: these n places; NULL:
   the first n. */
typedef struct Places { const uint16_t *list; int n; } Places;

static int nth_place(const Places *x, int k) { return x->list ? x->list[k] : k; }
static Places all_places(const Warp *w) { return (Places){ NULL, code_of(w)->rows + code_of(w)->preds }; }

/* The registers of a lane's state at branch i: those that live where the lane goes. Inside a call these are
   all registers, since it is not known what lives in the callers. */
static Places places_behind(const Warp *w, const MIns *i, int lane)
{
	const Code *c = code_of(w);
	return w->depth[lane] ? all_places(w) : (Places){ c->live[i->live], c->nlive[i->live] };
}

/* Goes through the words of a state in order, from `at` to `end`. write: add_word stores each word there;
   else it compares the word with the one that is there, and sets `same` to false if they differ. */
typedef struct Words { uint64_t *at, *end; bool write, same; } Words;

static inline void add_word(Words *x, uint64_t v)
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

/* Adds the words of a lane's state. The lane goes to pc; `from` stands for the branch that it comes from. */
static void lane_words(const Warp *w, uint32_t pc, int32_t from, const Places *places, int lane, Words *x)
{
	add_word(x, (uint64_t)pc << 32 | (uint32_t)from);
	add_word(x, (uint64_t)w->depth[lane] << 1 | (w->lanes.cc >> lane & 1));
	for (int k = 0; k < places->n && x->same; k += 1 + is_pair(code_of(w), nth_place(places, k)))
		add_word(x, state_word(w, nth_place(places, k), lane));
	for (uint32_t d = 0; d < w->depth[lane] && x->same; d++)
		add_word(x, w->ret[(size_t)(d * 2) * (size_t)w->lanes.width + (size_t)lane]);
}

static int most_words(const Warp *w, const Places *places, int lane)
{
	return 2 + places->n + (int)w->depth[lane];
}

static Words write_into(Sm *sm, SavedState *s, int room)
{
	if (s->room < room) {
		s->room = room;
		s->word = arena_array(&sm->arena, uint64_t, room);
	}
	return (Words){ s->word, s->word + s->room, true, true };
}

static Words compare_with(const SavedState *s)
{
	return (Words){ s->word, s->n ? s->word + s->n : s->word, false, true };
}
static bool is_same(const Words *x) { return x->same && x->at == x->end; }

/* True if a load is on its way to a register of the state, which still has its old value. */
static bool in_flight(const Warp *w, const Places *places, int lane)
{
	const Sm *sm = w->sm;
	for (int k = 0; k < places->n && !sm->gpu->options.functional; k++) {
		Cycle ready = scoreboard_read(w, code_of(w)->name[nth_place(places, k)], lane);
		if (ready & 1 && ready >> 1 > sm->now)
			return true;
	}
	return false;
}

/* ---- coming back ---- */

static void note_choice(Round *r, const MIns *i, uint32_t to)
{
	for (int k = 0; k < r->nchoices; k++)
		if (r->choice[k].ins == i) {
			r->choice[k].both |= r->choice[k].to != to;
			return;
		}
	if (r->nchoices < ROUND_CHOICES)
		r->choice[r->nchoices++] = (Choice){ i, to, false };
}

static void came_back(Watch *x)
{
	x->cycling = !x->clock;
	x->clock = false;
	x->last = x->now;
	x->now = (Round){ 0 };
}

/* From now on the lane is expected to come back to the state that has just been saved. */
static void begin_anew(Watch *x, uint64_t power, Mask with, uint64_t saved)
{
	*x = (Watch){ .state = x->state, .power = power, .with = with, .saved = saved };
}

static uint64_t next_power(const Watch *x) { return x->power ? x->power * 2 : 1; }

static void step_lane(Warp *w, const MIns *i, uint32_t to, int lane)
{
	Watch *x = w->watch->lane[lane];
	Places places = places_behind(w, i, lane);
	if (in_flight(w, &places, lane))
		return;
	Words now = compare_with(&x->state);
	if (x->power && !x->with)
		lane_words(w, to, i->live, &places, lane, &now);
	if (x->power && !x->with && is_same(&now)) {
		came_back(x);
	} else if (++x->steps >= x->power) {
		Words save = write_into(w->sm, &x->state, most_words(w, &places, lane));
		lane_words(w, to, i->live, &places, lane, &save);
		x->state.n = (int)(save.at - x->state.word);
		begin_anew(x, next_power(x), 0, 0);
	}
}

/* ---- lanes that exchange values ---- */

static Joint *joint_of(Warp *w, Mask m)
{
	Joint **j = &w->watch->joint[lowest_lane(m)];
	if (!*j)
		*j = arena_new(&w->sm->arena, Joint);
	return *j;
}

static void joint_words(const Warp *w, Mask m, Words *x)
{
	Places places = all_places(w);
	int l;
	each_lane(m, l)
		lane_words(w, homes_split(w, l)->pc, -1, &places, l, x);
}

/* Saves the joint state of all lanes of m, at the operation in which they exchange values. */
static void save_joint(Warp *w, Joint *j, Mask m)
{
	Places places = all_places(w);
	int room = 0, l;
	each_lane(m, l)
		room += most_words(w, &places, l);
	Words save = write_into(w->sm, &j->state, room);
	joint_words(w, m, &save);
	j->state.n = (int)(save.at - j->state.word);
	j->lanes = m;
	j->number = ++w->watch->saves;
}

static bool same_joint(const Warp *w, const Joint *j, Mask m)
{
	Words now = compare_with(&j->state);
	if (j->lanes != m)
		return false;
	joint_words(w, m, &now);
	return is_same(&now);
}

/* Lanes m exchange values; `lanes` are those of m that are watched. What a lane does from here follows from
   the joint state of m: not from its own state alone, nor from its joint state with other lanes with which it
   exchanged values before. So the joint state of m is compared and saved for all watched lanes together. */
static void step_together(Warp *w, Mask m, Mask lanes)
{
	Joint *j = joint_of(w, m);
	bool same = same_joint(w, j, m), save = false;
	uint64_t power = 1;
	int l;
	each_lane(lanes, l) {
		Watch *x = w->watch->lane[l];
		if (same && x->with == m && x->saved == j->number) {
			came_back(x);
			continue;
		}
		bool alone = x->power && !x->with, full = !alone && ++x->steps >= x->power;
		x->clock |= x->with != m;
		save |= alone || full;
		if (x->power > power)
			power = x->power;
		if (full && next_power(x) > power)
			power = next_power(x);
	}
	if (!save)
		return;
	save_joint(w, j, m);
	each_lane(lanes, l)
		begin_anew(w->watch->lane[l], power, m, j->number);
}

/* Lanes m have come to a branch or an exchange. Returns those of them that are watched, some perhaps from now
   on. */
static Mask watched_of(Warp *w, Mask m)
{
	if (!w->watch)
		w->watch = arena_new(&w->sm->arena, WarpWatch);
	WarpWatch *x = w->watch;
	Mask more = 0;
	int l;
	x->ran |= m;
	if (x->all)
		more = m & ~x->lanes;
	else if (m & x->lanes)
		x->unseen = 0;
	else if (!x->lanes || ++x->unseen > MOST_UNSEEN)
		more = m & -m;
	each_lane(more, l) {
		if (!x->lane[l])
			x->lane[l] = arena_new(&w->sm->arena, Watch);
		begin_anew(x->lane[l], x->steps, 0, 0);
		x->lane[l]->steps = x->steps;
		x->lane[l]->state.n = 0;
		x->unseen = 0;
	}
	x->lanes |= more;
	return m & x->lanes;
}

/* When the first watched lane has come back to its saved state, all lanes of the warp are watched, each from
   the next branch or exchange to which it comes: so lanes of one loop begin at one place. It is likely that
   each of them comes back after as many steps as the first one. */
static void watch_all_if_one_came_back(WarpWatch *x)
{
	int l;
	if (x->all)
		return;
	each_lane(x->lanes, l)
		if (x->lane[l]->cycling) {
			x->all = true;
			x->steps = x->lane[l]->power;
		}
	if (x->all)
		x->lanes = 0;
}

static void watch_lanes(Warp *w, const MIns *i, Mask m, uint32_t to)
{
	int l;
	m = watched_of(w, m);
	if (!m)
		return;
	each_lane(m, l) {
		if (i->flags & MI_COND)
			note_choice(&w->watch->lane[l]->now, i, to);
		step_lane(w, i, to, l);
	}
	watch_all_if_one_came_back(w->watch);
}

void livelock_exchange(Warp *w, Mask m)
{
	Mask lanes = watched_of(w, m);
	Places places = all_places(w);
	bool moving = false;
	int l;
	if (!lanes)
		return;
	each_lane(m, l)
		moving |= in_flight(w, &places, l);
	if (!moving)
		step_together(w, m, lanes);
	else
		each_lane(lanes, l)
			w->watch->lane[l]->clock = true;
	watch_all_if_one_came_back(w->watch);
}

/* Counts a branch of the warp: the current span, of so much time and then so many branches (Patience), may
   end here. */
static void count_span(Warp *w)
{
	Spans *x = &w->spans;
	const Patience *p = &w->share->grid->patience;
	if (w->sm->now >= x->since + p->time && ++x->branches >= p->branches)
		*x = (Spans){ .n = x->n + 1, .since = w->sm->now };
}

void livelock_watch(Sm *sm, Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Part part[64];
	int nparts = reconv_parts(w, s, part);
	count_span(w);
	for (int k = 0; k < n; k++)
		for (int q = 0; q < nparts; q++)
			watch_lanes(part[q].home, i, part[q].mask & p[k].mask, p[k].pc);
}

void livelock_read(Warp *w, const MIns *i, Mask m, Space space, const uint64_t *addr)
{
	int l, k;
	if (!w->watch || (space != SP_GLOBAL && space != SP_SHARED))
		return;
	each_lane(m & w->watch->lanes, l) {
		Round *r = &w->watch->lane[l]->now;
		for (k = 0; k < r->nreads && r->read[k].ins != i; k++)
			;
		if (k == ROUND_READS)
			continue;
		r->read[k] = (Read){ i, addr[l], space };
		r->nreads += k == r->nreads;
	}
}

void livelock_clock(Warp *w, Mask m)
{
	int l;
	if (w->watch)
		each_lane(m & w->watch->lanes, l)
			w->watch->lane[l]->clock = true;
}

void livelock_forget(Warp *w)
{
	if (w->watch) {
		w->watch->ran = w->watch->lanes = w->watch->steps = 0;
		w->watch->all = false;
	}
}

/* The pc at which the lane is, or at which it goes on when the mechanism lets it run again; NO_PC:
   unknown. */
static uint32_t lane_place(const Warp *w, int lane)
{
	const ReconvModel *m = w->sm->gpu->model;
	const Split *s = homes_split(w, lane);
	Held h = { .pc = NO_PC };
	if (!s && m->stuck.held)
		m->stuck.held(w, lane, &h);
	return s ? s->pc : h.pc;
}

static void begin_watch(Sm *sm, Warp *w)
{
	const Gpu *g = sm->gpu;
	int l;
	livelock_forget(w);
	if (!g->model->stuck.patience || !w->used)
		return;
	w->spans = (Spans){ .since = g->now + w->share->grid->patience.first };
	if (!w->stood)
		w->stood = arena_array(&sm->arena, uint32_t, w->lanes.width);
	each_lane(w->live, l)
		w->stood[l] = lane_place(w, l);
}

static Cycle last_progress(const Gpu *g)
{
	Cycle t = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->sm[i].last_progress > t)
			t = g->sm[i].last_progress;
	return t;
}

static void begin_watches(Gpu *g)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			begin_watch(&g->sm[i], &g->sm[i].warp[k]);
}

/* Lanes of the warp that have run since the watch began and wait at no barrier or warp-level operation.
   *cycling: lanes that have come back to a state. */
static Mask lanes_that_run(const Warp *w, Mask *cycling)
{
	int l;
	*cycling = 0;
	if (!w->watch)
		return 0;
	each_lane(w->live & w->watch->lanes, l)
		*cycling |= (Mask)w->watch->lane[l]->cycling << l;
	return w->live & w->watch->ran & ~homes_in(w, 1 << SPLIT_BARRIER | 1 << SPLIT_WARPSYNC);
}

Mask livelock_spinning(const Warp *w)
{
	Mask cycling, ran = lanes_that_run(w, &cycling);
	return ran & cycling;
}

/* True if the lanes that the mechanism holds stay where they are for ever: it has had the time in which it
   would let them run if it ever did (Patience), and none of them has gone to another place. */
static bool held_for_ever(const Warp *w, Mask ran)
{
	const Patience *p = &w->share->grid->patience;
	Mask in_none = w->live & ~homes_in(w, ~0u), m =
		(homes_in(w, 1 << SPLIT_PARKED) | (p->first ? in_none : 0)) & ~ran;
	int l;
	if (!m || !w->sm->gpu->model->stuck.patience)
		return true;
	if (!w->stood || w->spans.n <= p->turns)
		return false;
	each_lane(m, l)
		if (lane_place(w, l) != w->stood[l])
			return false;
	return true;
}

/* Every lane that can run, or has run since the watch began, comes back to the same state again and again.
   *n: how many lanes. */
static bool warp_cycles(const Warp *w, unsigned *n)
{
	Mask cycling, ran = lanes_that_run(w, &cycling) | homes_in(w, 1 << SPLIT_RUN);
	if (w->alarm != NO_ALARM && !w->sm->gpu->model->stuck.patience)
		return false;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].state == SPLIT_RUN && w->split[k].released)
			return false;
	*n = lane_count(ran);
	return !(ran & ~cycling) && held_for_ever(w, ran);
}

/* True if the barrier of some grid is still to open; its threads may change memory after that. */
static bool some_go_on(const Gpu *g)
{
	for (int i = 0; i < g->running.n && !g->options.functional; i++)
		if (g->running.v[i]->meetings && g->running.v[i]->opens >= g->now)
			return true;
	return false;
}

static bool all_cycle(const Gpu *g, const Warp **who, uint64_t *lanes)
{
	*lanes = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			unsigned n;
			if (!w->used || w->ending)
				continue;
			if (!warp_cycles(w, &n))
				return false;
			if (n && !*lanes)
				*who = w;
			*lanes += n;
		}
	return *lanes > 0;
}

static Cycle first_length(const Gpu *g) { return (Cycle)g->config.progress_cycles; }

static bool some_watched_whole(const Gpu *g)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			if (g->sm[i].warp[k].watch && g->sm[i].warp[k].watch->all)
				return true;
	return false;
}

/* The most cycles for which the mechanism may hold lanes of a grid that runs. The branches that Patience
   counts besides are left out. */
static Cycle longest_wait(const Gpu *g)
{
	Cycle longest = 0;
	for (int i = 0; i < g->running.n; i++) {
		const Patience *p = &g->running.v[i]->patience;
		Cycle n = p->first + (p->turns + 1) * p->time;
		longest = n > longest ? n : longest;
	}
	return longest;
}

void livelock_start(Gpu *g)
{
	g->watching = false;
	g->watch_since = g->begin;
	g->watch_length = first_length(g);
}

void livelock_grid(const Gpu *g, Grid *grid)
{
	grid->patience = g->model->stuck.patience ? g->model->stuck.patience(&g->config, grid->code)
		: (Patience){ 0 };
	/* a functional run looks for a time-out of the mechanism only once in each turn of the warp */
	if (g->options.functional && g->model->times.alarm)
		grid->patience.branches += (uint64_t)g->options.turn;
}

bool livelock_check(Gpu *g, Fault *fault, Grid **grid)
{
	Cycle last = last_progress(g);
	const Warp *w = NULL;
	uint64_t lanes;
	if (!g->watching) {
		Cycle since = last > g->watch_since ? last : g->watch_since;
		if (last > g->watch_since)
			g->watch_length = first_length(g);
		if (g->now <= since + g->watch_length)
			return false;
		begin_watches(g);
		g->watching = true;
		g->watch_since = g->now;
		return false;
	}
	Cycle most = g->watch_length + LEAST_WATCH + longest_wait(g), spent = g->now - g->watch_since;
	if (last >= g->watch_since || spent > 2 * most || (spent > most && !some_watched_whole(g))) {
		g->watch_length = last >= g->watch_since ? first_length(g) : g->watch_length * 2;
		g->watch_since = g->now;
		g->watching = false;
		return false;
	}
	Cycle least = g->config.progress_cycles < LEAST_WATCH ? (Cycle)g->config.progress_cycles
		: LEAST_WATCH;
	/* a grid that is still to begin may change memory */
	if (g->now < g->watch_since + least || g->next_grid != NEVER || some_go_on(g) ||
		!all_cycle(g, &w, &lanes))
		return false;
	*grid = w->share->grid;
	livelock_report(g, w, lanes, fault);
	return true;
}
