/* What lanes do while they are watched: at each branch, and where they exchange values, a lane's state is
   compared with an earlier one. sim/stuck/livelock.c says why, and when a watch begins and ends. */
#include "sim/stuck/state.h"

enum {
	/* a warp's lanes come to branches so many times in a row without a watched lane among them; then one
	   more lane is watched */
	MOST_UNSEEN = 64
};

/* ---- coming back ---- */

static void note_choice(Round *r, const MIns *i, uint32_t to)
{
	for (int k = 0; k < r->nchoices; k++)
		if (r->choice[k].ins == i) {
			r->choice[k].both |= r->choice[k].to != to;
			return;
		}
	if (r->nchoices < ROUND_CHOICES)
		r->choice[r->nchoices++] = (WatchedChoice){ i, to, false };
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
	StatePlaces places = state_places_behind(w, i, lane);
	if (state_in_flight(w, &places, lane))
		return;
	WatchWords now = state_compare_with(&x->state);
	if (x->power && !x->with)
		state_add_lane(w, to, i->live, &places, lane, &now);
	if (x->power && !x->with && state_is_same(&now)) {
		came_back(x);
	} else if (++x->steps >= x->power) {
		WatchWords save = state_write_into(w->sm, &x->state, state_most_words(w, &places, lane));
		state_add_lane(w, to, i->live, &places, lane, &save);
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

static void joint_words(const Warp *w, Mask m, WatchWords *x)
{
	StatePlaces places = state_all_places(w);
	int l;
	each_lane(m, l)
		state_add_lane(w, homes_split(w, l)->pc, -1, &places, l, x);
}

/* Saves the joint state of all lanes of m, at the operation in which they exchange values. */
static void save_joint(Warp *w, Joint *j, Mask m)
{
	StatePlaces places = state_all_places(w);
	int room = 0, l;
	each_lane(m, l)
		room += state_most_words(w, &places, l);
	WatchWords save = state_write_into(w->sm, &j->state, room);
	joint_words(w, m, &save);
	j->state.n = (int)(save.at - j->state.word);
	j->lanes = m;
	j->number = ++w->watch->saves;
}

static bool same_joint(const Warp *w, const Joint *j, Mask m)
{
	WatchWords now = state_compare_with(&j->state);
	if (j->lanes != m)
		return false;
	joint_words(w, m, &now);
	return state_is_same(&now);
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
	StatePlaces places = state_all_places(w);
	bool moving = false;
	int l;
	if (!lanes)
		return;
	each_lane(m, l)
		moving |= state_in_flight(w, &places, l);
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
