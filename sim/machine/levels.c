#include "sim/machine/levels.h"
#include "sim/machine/scoreboard.h"

/* Returns the entry of what comes last of the two. Of two that come at once it is the one with the greater
   level, so that their order does not matter. */
static inline Cycle later_entry(Cycle last, Cycle entry)
{
	return entry > last && entry_loaded(entry) ? entry : last;
}

/* Adds what lanes m, whose entries of the register are their own, have of it. */
static Cycle latest_of_lanes(Cycle last, const Warp *w, Mask m, int name)
{
	each_entry_apart(w, name, x)
		if (x->lanes & m)
			last = later_entry(last, x->entry);
	return last;
}

/* Returns the latest entry of what lanes m need from memory, of those later than `last`; else `last`. */
static Cycle latest_entry(const Waited *x, const Warp *w, Mask m, Cycle last)
{
	for (int k = 0; k < x->ins->nchk && last < PENDING << WRITER_BITS; k++) {
		int name = x->ins->sb[k].name;
		if (entry_cycle(w->ready[name]) < entry_cycle(last))
			continue;
		last = w->mixed && w->mixed[name] ? latest_of_lanes(last, w, m, name)
			: later_entry(last, w->ready[name]);
	}
	return last;
}

/* Returns the lanes of the warp that need something from memory of which it is not known when it comes. */
static Mask unknown_lanes(const Waited *x, const Warp *w)
{
	Mask lanes = 0;
	for (int k = 0; k < x->ins->nchk; k++) {
		int name = x->ins->sb[k].name;
		if (w->ready[name] < PENDING << WRITER_BITS)
			continue;
		if (entry_loaded(w->ready[name]))
			return ~(Mask)0;
		if (!w->mixed || !w->mixed[name])
			continue;
		each_entry_apart(w, name, e)
			if (e->entry >= PENDING << WRITER_BITS && entry_loaded(e->entry))
				lanes |= e->lanes;
	}
	return lanes;
}

/* Takes the lanes out of the part that have all they need, or know when they have it: x->last is the latest
   entry of all that are out. Lanes do not go on before it is known, but then they may, each by itself. */
static void take_known(Waited *x, Part *p)
{
	Mask left = p->mask & unknown_lanes(x, p->home);
	if (left != p->mask)
		x->last = latest_entry(x, p->home, p->mask & ~left, x->last);
	p->mask = left;
}

/* Finds the level, if it is known by now: that of the latest entry. */
static void find_level(Waited *x)
{
	x->known = true;
	for (int k = 0; k < x->n; k++) {
		if (x->part[k].mask)
			take_known(x, &x->part[k]);
		x->known &= !x->part[k].mask;
	}
	if (x->known)
		x->level = entry_loaded(x->last) ? (uint8_t)entry_level(x->last) : LEVEL_L1;
}

/* Takes for the wait the first split that waits at pc, if there is one: for data from memory. whole: no
   mechanism takes splits apart that wait. False: lanes that print wait, without operands. */
static bool choose_split(Waited *x, Warp *w, uint32_t pc, Cycle now, bool whole)
{
	x->n = 0;
	x->known = false;
	for (int k = 0; k < w->nsplit; k++) {
		const Split *s = &w->split[k];
		if (s->state != SPLIT_RUN || s->pc != pc || !wait_over(&s->wait, now))
			continue;
		x->ins = &w->ins[pc];
		x->n = reconv_parts(w, s, x->part);
		x->last = (now + 1) << WRITER_BITS;    /* nothing that was there before keeps anybody */
		/* it is not known yet when the data of a warp's only split come, which stays whole */
		if (whole && w->nsplit == 1 && w->sched->wake[w->place] >= PENDING)
			return true;
		find_level(x);
		if (!x->known || x->last > (now + 1) << WRITER_BITS)
			return true;
	}
	/* where lanes go from warp to warp, those for which the warp has fallen asleep may have left it: the
	   others have got what they need */
	return x->n > 0;
}

uint64_t *levels_begin(Sm *sm, Sched *d, Warp *w, uint32_t pc)
{
	Waited *x = &d->waited;
	x->cycles = 0;
	x->share = w->share;
	x->pc = pc == NO_PC ? (uint32_t)code_of(w)->n : pc;
	const ReconvModel *model = sm->gpu->model;
	if (!choose_split(x, w, pc, sm->now, !model->times.loaded && !model->regroups)) {
		x->known = true;
		x->level = LEVEL_STORE;
	}
	sm->level_unknown |= !x->known;
	return &x->cycles;
}

static void count_waited(const Waited *x)
{
	uint64_t *row = &x->share->stalls[(size_t)x->pc * STALL_FIGURES];
	if (x->known)
		row[STALL_COUNT + x->level] += x->cycles;
}

/* Keeps what the scheduler has waited for an unknown level. */
static void keep_waited(Sm *sm, const Waited *x)
{
	size_t bytes = (size_t)x->n * sizeof *x->part;
	for (int k = 0; k < sm->owed.n; k++) {
		Waited *y = &sm->owed.v[k];
		if (y->share == x->share && y->pc == x->pc && y->n == x->n && y->last == x->last &&
			!memcmp(y->part, x->part, bytes)) {
			y->cycles += x->cycles;
			return;
		}
	}
	Waited copy = *x;
	copy.part = xmalloc(bytes + 1);
	memcpy(copy.part, x->part, bytes);
	vec_push(&sm->owed, copy);
}

static void count_scheduler(Sm *sm, Sched *d)
{
	Waited *x = &d->waited;
	if (!x->share || !x->cycles)
		return;
	x->share->stalls[(size_t)x->pc * STALL_FIGURES + STALL_MEMORY] += x->cycles;
	if (x->known)
		count_waited(x);
	else
		keep_waited(sm, x);
	x->cycles = 0;
}

void levels_end(Sm *sm, Sched *d)
{
	count_scheduler(sm, d);
	d->waited.share = NULL;
}

void levels_count(Sm *sm)
{
	for (int64_t k = 0; k < sm->gpu->config.sched_count; k++)
		count_scheduler(sm, &sm->sched[k]);
}

void levels_resolve(Sm *sm)
{
	int left = 0;
	sm->level_unknown = false;
	for (int64_t k = 0; k < sm->gpu->config.sched_count; k++) {
		Waited *x = &sm->sched[k].waited;
		if (x->share && !x->known)
			find_level(x);
		sm->level_unknown |= x->share && !x->known;
	}
	for (int k = 0; k < sm->owed.n; k++) {
		Waited *x = &sm->owed.v[k];
		find_level(x);
		count_waited(x);
		if (x->known)
			free(x->part);
		else
			sm->owed.v[left++] = *x;
	}
	sm->owed.n = left;
	sm->level_unknown |= left > 0;
}

void levels_forget(Sm *sm, const Share *share)
{
	int left = 0;
	for (int64_t k = 0; k < sm->gpu->config.sched_count; k++)
		if (sm->sched[k].waited.share == share)
			sm->sched[k].waited.share = NULL;
	for (int k = 0; k < sm->owed.n; k++)
		if (sm->owed.v[k].share == share)
			free(sm->owed.v[k].part);
		else
			sm->owed.v[left++] = sm->owed.v[k];
	sm->owed.n = left;
}

void levels_free(Sm *sm)
{
	for (int k = 0; k < sm->owed.n; k++)
		free(sm->owed.v[k].part);
	vec_free(&sm->owed);
}
