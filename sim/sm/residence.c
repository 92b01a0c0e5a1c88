/* Residence: thread blocks and their warps take slots and resources of an SM, and give them back. */
#include "sim/machine/levels.h"
#include "sim/sm/internal.h"
#include "sim/stuck/stuck.h"

void sm_share(Sm *sm, Grid *grid)
{
	const Gpu *g = sm->gpu;
	Share *x = grid->share[sm->id] = arena_new(&grid->arena, Share);
	x->grid = grid;
	if (g->model->blocks.sm_state_size)
		x->model_state = arena_alloc(&grid->arena, g->model->blocks.sm_state_size(&g->config));
	if (tracing(sm))
		tracer_open(sm, x);
}

const uint32_t *threads_in_warps(Arena *a, const uint32_t block[3], int warps, int width)
{
	uint32_t *all = arena_array(a, uint32_t, warps * 3 * width), x = 0, y = 0, z = 0;
	for (int k = 0; k < warps * width; k++) {
		uint32_t *to = all + k / width * 3 * width + k % width;
		to[0] = x;
		to[width] = y;
		to[2 * width] = z;
		if (++x < block[0])
			continue;
		x = 0;
		if (++y < block[1])
			continue;
		y = 0;
		z++;
	}
	return all;
}

/* Makes the counters by instruction when the SM gets its first block of the grid: other SMs need none. */
static void start_counting(const Sm *sm, Share *x)
{
	const Code *c = x->grid->code;
	x->count = xcalloc((size_t)c->n, sizeof *x->count);
	if (sm->gpu->options.functional)
		x->straight = xcalloc((size_t)c->n + 1, sizeof *x->straight);
	x->parted = xcalloc((size_t)c->n, sizeof *x->parted);
	x->met_at = xcalloc((size_t)c->n, sizeof *x->met_at);
	x->branch = xcalloc((size_t)c->nbranch + 1, sizeof *x->branch);
	x->marked = xcalloc((size_t)c->ncounted + 1, sizeof *x->marked);
	x->stalls = xcalloc((size_t)c->n + 1, sizeof *x->stalls * STALL_FIGURES);
	if (sm->gpu->options.intervals)
		x->sampled = xcalloc(1, sizeof *x->sampled);
}

void share_free(Share *x)
{
	free(x->count);
	free(x->straight);
	free(x->parted);
	free(x->met_at);
	vec_free(&x->met);
	free(x->branch);
	free(x->marked);
	free(x->stalls);
	free(x->sampled);
	vec_free(&x->events);
	tracer_close(x);
}

static void start_resident_warp(Sm *sm, Warp *w, Cta *cta, int index)
{
	Gpu *g = sm->gpu;
	const Code *c = cta->share->grid->code;
	int W = warp_width(g);
	uint32_t first = (uint32_t)(index * W), threads = cta->threads;
	Mask lanes = lanes_below(threads - first < (uint32_t)W ? (int)(threads - first) : W);
	w->share = cta->share;
	w->ins = c->ins;
	w->lanes.base[1] = c->constants;
	memset(w->lanes.base[0], 0, sizeof(uint32_t) * (size_t)c->rows * (size_t)W);
	memset(w->lanes.pred, 0, sizeof(Mask) * (size_t)(c->preds + 1));
	memset(w->ready, 0, sizeof *w->ready * (size_t)scoreboard_names(c));
	if (w->mixed)
		memset(w->mixed, 0, sizeof *w->mixed * (size_t)scoreboard_names(c));
	if (w->ret_cap) {
		memset(w->sp, 0, sizeof *w->sp * (size_t)W);
		memset(w->depth, 0, sizeof *w->depth * (size_t)W);
	}
	if (w->local)
		memset(w->local, 0, (size_t)W * w->local_cap);
	w->lanes.cc = 0;
	w->tid = cta->share->grid->tid + index * 3 * W;
	w->used = true;
	slots_add(&sm->used, w->slot);
	slots_add(&cta->slots, w->slot);
	sm->stay -= sm->now;
	w->ending = w->ended = false;
	w->drain = 0;
	w->next.computed = NEVER;
	w->outstanding = w->queued = 0;
	fence_warp_begins(sm, w);
	w->live = lanes;
	w->missed = 0;
	w->cta = cta;
	w->index = index;
	livelock_forget(w);
	w->nsplit = 0;
	w->turns = 0;
	w->take_turns = TURNS_LIST;
	w->last = 0;
	splits_changed(w);
	w->alarm = NO_ALARM;
	g->model->launch(w, lanes, c->entry[c->kernel->id]);
	partings_start(w, lanes, c->entry[c->kernel->id]);
	note_depth(sm, w);
	if (tracing(sm))
		sm_trace(sm, w, NULL, TR_WARP_START, lanes, cta->number, (uint64_t)index);
	for (int k = 0; k < w->nsplit; k++)
		w->split[k].wait = wait_until(sm->now, STALL_FETCH);
	Sched *s = w->sched = &sm->sched[w->slot % g->config.sched_count];
	w->place = s->n++;
	s->order[w->place] = w->slot;
	s->share = ONE_EACH / (uint32_t)s->n;
	s->wake[w->place] = sm->now;
	s->wake_why[w->place] = STALL_FETCH;
	s->wanted[w->place] = 0;
	w->waits_at = NO_PC;
	s->sleep = 0;
}

static int64_t room_in(int64_t blocks, int64_t warps, int64_t regs, int64_t shared, const Grid *g,
	const char **what)
{
	struct { const char *what; int64_t blocks; } by[] = {
		{ "blocks", blocks },
		{ "warps", warps / g->warps_per_cta },
		{ "registers", regs / (g->regs_per_warp * g->warps_per_cta) },
		{ "shared memory", g->shared_per_cta ? shared / g->shared_per_cta : INT64_MAX },
	};
	int least = 0;
	for (int i = 1; i < 4; i++)
		if (by[i].blocks < by[least].blocks)
			least = i;
	*what = by[least].what;
	return by[least].blocks;
}

int64_t sm_capacity(const Config *c, const Grid *g, const char **what)
{
	return room_in(c->sm_max_blocks, c->sm_max_warps, c->sm_registers, c->sm_shared, g, what);
}

int64_t sm_room(const Sm *sm, const Grid *g)
{
	const char *what;
	return room_in(sm->free_ctas, sm->free_warps, sm->free_regs, sm->free_shared, g, &what);
}

bool sm_reserve(Sm *sm, const Grid *g)
{
	if (sm->free_ctas <= 0 || sm->free_warps < g->warps_per_cta ||
		sm->free_regs < g->regs_per_warp * g->warps_per_cta || sm->free_shared < g->shared_per_cta)
		return false;
	sm->free_ctas--;
	sm->free_warps -= g->warps_per_cta;
	sm->free_regs -= g->regs_per_warp * g->warps_per_cta;
	sm->free_shared -= g->shared_per_cta;
	return true;
}

void sm_give_back(Sm *sm, const Grid *g)
{
	sm->free_ctas++;
	sm->free_warps += g->warps_per_cta;
	sm->free_regs += g->regs_per_warp * g->warps_per_cta;
	sm->free_shared += g->shared_per_cta;
}

void sm_place(Sm *sm, const Arrival *a)
{
	Gpu *g = sm->gpu;
	const Grid *grid = a->grid;
	const Launch *L = grid->launch;
	uint64_t number = a->block;
	int k = 0;
	while (sm->cta[k].used)
		k++;
	Cta *cta = &sm->cta[k];
	slot_for_block(sm, cta);
	*cta = (Cta){ .shared = cta->shared, .shared_room = cta->shared_room,
		.model_state = cta->model_state, .share = grid->share[sm->id], .used = true, .number = number,
		.warps = grid->warps_per_cta, .warps_left = grid->warps_per_cta,
		.threads = L->block[0] * L->block[1] * L->block[2] };
	cta->live = cta->threads;
	cta->id[0] = (uint32_t)(number % L->grid[0]);
	cta->id[1] = (uint32_t)(number / L->grid[0] % L->grid[1]);
	cta->id[2] = (uint32_t)(number / L->grid[0] / L->grid[1]);
	cta->shared_bytes = grid->code->shared_static + L->dynamic_shared;
	memset(cta->shared, 0, cta->shared_bytes);
	if (cta->model_state)
		memset(cta->model_state, 0, g->model->blocks.block_state_size(&g->config));
	if (!cta->share->count)
		start_counting(sm, cta->share);
	sm->resident++;
	cta->share->resident++;
	if (tracing(sm))
		sm_trace_block(sm, cta, TR_BLOCK_START, cta->threads);
	for (int index = 0, slot = 0; index < cta->warps; slot++) {
		Warp *w = &sm->warp[slot];
		if (w->used)
			continue;
		slot_for_warp(sm, w, grid->code);
		start_resident_warp(sm, w, cta, index++);
	}
}

void warp_retire(Sm *sm, Warp *w)
{
	Cta *cta = w->cta;
	Sched *s = w->sched;
	int k = w->place;
	size_t behind = (size_t)(--s->n - k);
	s->share = s->n ? ONE_EACH / (uint32_t)s->n : 0;
	memmove(s->order + k, s->order + k + 1, sizeof *s->order * behind);
	memmove(s->wake + k, s->wake + k + 1, sizeof *s->wake * behind);
	memmove(s->wake_why + k, s->wake_why + k + 1, sizeof *s->wake_why * behind);
	memmove(s->wanted + k, s->wanted + k + 1, sizeof *s->wanted * behind);
	for (; k < s->n; k++)
		sm->warp[s->order[k]].place = k;
	for (k = 0; k < s->nactive; k++)
		if (s->active[k] == w->slot) {
			sched_leave_active(s, k);
			break;
		}
	if (s->last == w->slot) {
		s->last = -1;
		s->place_left = w->place;
	} else if (w->place < s->place_left) {
		s->place_left--;
	}
	partings_close(w);
	w->used = false;
	slots_drop(&sm->used, w->slot);
	slots_drop(&cta->slots, w->slot);
	sm->stay += sm->now + 1;
	if (tracing(sm))
		sm_trace(sm, w, NULL, TR_WARP_END, 0, cta->number, (uint64_t)w->index);
	if (--cta->warps_left)
		return;
	cta->used = false;
	vec_push(&sm->freed, ((Freed){ sm->now, cta->share->grid }));
	sm->resident--;
	cta->share->resident--;
	if (tracing(sm))
		sm_trace_block(sm, cta, TR_BLOCK_END, 0);
}
