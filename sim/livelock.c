/* Deadlock and livelock.
 *
 * When no memory word has changed, no lane has ended and no barrier has been released for limits.progress_cycles, every
 * split is watched at its branches: Brent's cycle detection on (pc, lanes, live registers). Once all splits that can run
 * have come back to an earlier state, with memory unchanged all the while, nothing can ever change: proven. Watching
 * stops after a while and is taken up again later, so that long computations are slowed down by a bounded share. */
#include "sim/machine.h"
#include <stdio.h>

typedef struct Watch {             /* of one split, by its lowest lane */
	uint64_t saved;            /* hash of a state it was in */
	uint64_t steps, power;
	bool cycling;
	Mask mask;
	const MIns *at;            /* the branch it comes back to */
	uint64_t addr;             /* last memory address */
} Watch;

/* Behind the branch: where which lanes go, and all that lives there. */
static uint64_t state_hash(const Warp *w, const Split *s, const MIns *i, const Path *p, int n, const Code *c)
{
	uint64_t h = s->mask;
	for (int k = 0; k < n; k++)
		h = ((h ^ p[k].pc) * 0x9e3779b97f4a7c15u ^ p[k].mask) * 0x9e3779b97f4a7c15u;
	int l, W = w->lanes.width;
	const uint16_t *live = c->live[i->live];
	for (int k = 0; k < c->nlive[i->live]; k++) {
		if (live[k] >= c->regs) {
			Mask p = w->lanes.pred[live[k] - c->regs] & s->mask;
			h = (h ^ p) * 0x9e3779b97f4a7c15u;
		} else {
			const uint32_t *row = w->lanes.base[0] + (size_t)live[k] * (size_t)W;
			each_lane(s->mask, l)
				h = (h ^ row[l]) * 0x9e3779b97f4a7c15u + (h >> 29);
		}
	}
	return h;
}

void livelock_watch(Sm *sm, Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	if (!w->watch)
		w->watch = arena_array(&sm->arena, Watch, w->lanes.width);
	Watch *x = &w->watch[__builtin_ctzll(s->mask)];
	uint64_t h = state_hash(w, s, i, p, n, sm->gpu->cur);
	if (x->mask != s->mask || !x->power) {
		*x = (Watch){ .saved = h, .power = 1, .mask = s->mask };
		return;
	}
	if (h == x->saved) {
		x->cycling = true;
		x->at = i;
		x->addr = w->last_addr;
		return;
	}
	if (++x->steps >= x->power) {
		x->saved = h;
		x->power *= 2;
		x->steps = 0;
		x->cycling = false;
	}
}

static Cycle last_progress(const Gpu *g)
{
	Cycle t = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->sm[i].last_progress > t)
			t = g->sm[i].last_progress;
	return t;
}

static void forget(Gpu *g)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			g->sm[i].warp[k].watch = NULL;
}

/* Every split that can run is cycling, and there is one. */
static bool all_cycle(const Gpu *g, const Warp **who, const Split **split)
{
	bool any = false;
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			if (!w->used || w->ending)
				continue;
			for (int s = 0; s < w->nsplit; s++) {
				const Split *x = &w->split[s];
				if (x->state != SPLIT_RUN)
					continue;
				const Watch *y = w->watch ? &w->watch[__builtin_ctzll(x->mask)] : NULL;
				if (x->released || !y || !y->cycling || y->mask != x->mask)
					return false;
				if (!any) {
					*who = w;
					*split = x;
				}
				any = true;
			}
		}
	return any;
}

static int put_lanes(char *out, size_t n, Mask m)
{
	int used = snprintf(out, n, "lanes");
	const char *sep = " ";
	for (int l = 0; l < 64 && used < (int)n; l++) {
		if (!(m >> l & 1))
			continue;
		int to = l;
		while (to < 63 && m >> (to + 1) & 1)
			to++;
		used += snprintf(out + used, n - (size_t)used, to > l ? "%s%d-%d" : "%s%d", sep, l, to);
		sep = ",";
		l = to;
	}
	return used;
}

static void describe(Gpu *g, const Warp *w, const Split *s, Fault *fault)
{
	const Watch *x = &w->watch[__builtin_ctzll(s->mask)];
	char lanes[160], others[400] = "", place[128] = "", word[160];
	Loc loc = x->at->src ? ins_loc(g->cur->module, x->at->src) : (Loc){ 0 };
	put_lanes(lanes, sizeof lanes, s->mask);
	if (loc.line)
		snprintf(place, sizeof place, " (%s:%d)", loc.file ? loc.file : "", loc.line);
	const Alloc *a = memory_nearest(g->memory, x->addr);
	if (a && x->addr - a->addr < a->size)
		snprintf(word, sizeof word, "%#llx (byte %llu of %s)", (unsigned long long)x->addr,
			(unsigned long long)(x->addr - a->addr), a->name ? a->name : "a buffer");
	else
		snprintf(word, sizeof word, "%#llx", (unsigned long long)x->addr);
	Mask rest = w->live & ~s->mask, spinning = 0;
	for (int i = 0; i < w->nsplit; i++)
		if (w->split[i].state == SPLIT_RUN)
			spinning |= w->split[i].mask;
	if (rest & spinning) {  /* every split that can run comes back: all_cycle */
		int n = snprintf(others, sizeof others, "; so do ");
		put_lanes(others + n, sizeof others - (size_t)n, rest & spinning);
		rest &= ~spinning;
	}
	if (rest) {
		size_t used = strlen(others);
		snprintf(others + used, sizeof others - used, "; of the same warp, ");
		used = strlen(others);
		put_lanes(others + used, sizeof others - used, rest);
		used = strlen(others);
		snprintf(others + used, sizeof others - used, " cannot run: mechanism %s does not schedule them before", g->model->name);
	}
	fault->loc = loc;
	fault_text(fault, FAULT_LIVELOCK, "livelock in kernel %s, block (%u, %u, %u), warp %d: %s come back to the branch of block "
		"%s%s with the same registers, and no memory has changed; they wait on the memory word at %s%s",
		g->launch->kernel->name, w->cta->id[0], w->cta->id[1], w->cta->id[2], w->index, lanes, x->at->from->label, place,
		word, others);
}

bool livelock_check(Gpu *g, Fault *fault)
{
	Cycle last = last_progress(g);
	const Warp *w;
	const Split *s;
	if (!g->watching) {
		Cycle since = last > g->watch_since ? last : g->watch_since;
		if (last > g->watch_since)
			g->watch_length = (Cycle)g->config.progress_cycles;
		if (g->now <= since + g->watch_length)
			return false;
		forget(g);
		g->watching = true;
		g->watch_since = g->now;
		return false;
	}
	if (last >= g->watch_since || g->now > g->watch_since + g->watch_length) {
		g->watch_length = last >= g->watch_since ? (Cycle)g->config.progress_cycles : g->watch_length * 2;
		g->watch_since = g->now;
		g->watching = false;
		return false;
	}
	if (!all_cycle(g, &w, &s))
		return false;
	describe(g, w, s, fault);
	return true;
}

void deadlock_report(Gpu *g, Fault *fault)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			if (!w->used || !w->nsplit)
				continue;
			const Split *s = &w->split[0];
			const MIns *at = &g->cur->ins[s->pc];
			char lanes[160];
			put_lanes(lanes, sizeof lanes, s->mask);
			const Barrier *b = &w->cta->barrier[s->barrier & (BARRIERS - 1)];
			if (at->src)
				fault->loc = ins_loc(g->cur->module, at->src);
			fault_text(fault, FAULT_BARRIER, "deadlock in kernel %s, block (%u, %u, %u): warp %d, %s wait at %s in block %s, "
				"line %d, which can never complete: %u of %u threads have arrived and no other can come",
				g->launch->kernel->name, w->cta->id[0], w->cta->id[1], w->cta->id[2], w->index, lanes,
				s->state == SPLIT_WARPSYNC ? "a warp-level operation" : "a barrier", at->from->label,
				at->src ? at->src->line : 0, b->arrived, b->expected ? b->expected : w->cta->live);
			return;
		}
	fault_text(fault, FAULT_BARRIER, "deadlock in kernel %s", g->launch->kernel->name);
}
