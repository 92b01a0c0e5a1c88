/* The memory of an SM. It is made when the first block needs it, as large as the kernels need that have run
   so far, and is kept for the blocks of later launches: an SM without a block takes none. */
#include "sim/machine/levels.h"
#include "sim/sm/internal.h"

/* bytes of an SM's slots that are kept from run to run. A mechanism may make new memory in each launch, which
   is freed with the slots. */
enum { MOST_KEPT = 4 << 20 };
/* room for the only split that a warp has, and for one more to be safe */
enum { ONE_SPLIT = 2 };

/* Gives each scheduler the copies of a unit that instructions of its warps may take. */
static void equip_unit(Gpu *g, Sm *sm, int u)
{
	const UnitConfig *c = &g->config.unit[u];
	for (int i = 0; i < g->config.sched_count; i++) {
		UnitCopies *k = &sm->sched[i].unit[u];
		k->n = (int)c->count;
		k->interval = (Cycle)c->interval;
		if (c->shares || (i > 0 && c->per != PER_SCHEDULER)) {
			const UnitCopies *of = c->shares ? &sm->sched[i].unit[c->shares - 1]
				: &sm->sched[0].unit[u];
			k->copy = of->copy;
			k->had = c->shares ? of->had : of->had + i;
		} else {
			k->copy = arena_array(&sm->arena, UnitCopy, c->count);
			k->had = (uint64_t *)arena_array(&sm->arena, uint64_t, g->config.sched_count) + i;
		}
	}
}

/* What of the machine's description the SM asks for again and again. */
static void read_machine(const Gpu *g, Sm *sm)
{
	const Config *c = &g->config;
	sm->lane_scoreboard = g->model->lane_scoreboard && !g->options.functional &&
		!(g->model->warp_scoreboard && g->model->warp_scoreboard(c));
	sm->try_all = g->options.try_all;
	sm->single = !sm->try_all && !g->model->own_slots && !g->model->regroups &&
		!g->model->pairs.partner &&
		(!g->model->times.stall || g->model->stall_needs_choice);
	sm->unasked_pairs = !sm->try_all && g->model->pairs_need_choice && !g->model->times.stall &&
		!g->model->times.alarm && c->sched_policy != SCHED_TWO_LEVEL;
	bool regroups = g->model->regroups && !sm->try_all && !g->model->blocks.order &&
		!g->model->times.stall && !g->model->times.alarm && !g->model->pairs.partner;
	sm->unasked = ((sm->single || regroups) && c->sched_policy != SCHED_TWO_LEVEL) || sm->unasked_pairs;
	sm->unasked_among_parked = sm->single && sm->unasked && (!g->model->times.stall ||
		(g->model->stall_of_sleep_only && g->model->stall_of_sleep_only(c)));
	sm->quick = sm->single && sm->unasked && !tracing(sm);
	sm->single &= !g->model->times.alarm;
	sm->knows_meeting = g->model->meets_at && !sm->try_all;
	sm->all_branches = g->model->all_branches;
	sm->width = (int)c->sched_width;
	sm->free_warps = sm->nwarps;
	sm->free_ctas = sm->nctas;
	sm->free_regs = c->sm_registers;
	sm->free_shared = c->sm_shared;
	sm->latencies = g->latencies;
	sm->pick = sched_pick(g);
}

static void make_schedulers(Gpu *g, Sm *sm)
{
	const Config *c = &g->config;
	sm->sched = arena_array(&sm->arena, Sched, c->sched_count);
	int most = (sm->nwarps + (int)c->sched_count - 1) / (int)c->sched_count; /* warps of a scheduler */
	for (int i = 0; i < c->sched_count; i++) {
		sm->sched[i].order = arena_array(&sm->arena, int, most);
		sm->sched[i].wake = arena_array(&sm->arena, Cycle, most);
		sm->sched[i].wake_why = arena_array(&sm->arena, uint8_t, most);
		sm->sched[i].wanted = arena_array(&sm->arena, uint8_t, most);
		sm->sched[i].active = arena_array(&sm->arena, int, most);
		sm->sched[i].waited.part = arena_array(&sm->arena, Part,
			g->model->regroups ? warp_width(g) : 1);
		sm->sched[i].last = -1;
		sm->sched[i].index = sm->turn[i] = (uint8_t)i;
		sm->sched[i].idle = &sm->empty;
	}
	/* a unit that shares takes copies of a unit that has copies of its own, so it comes second */
	for (int sharing = 0; sharing < 2; sharing++)
		for (int u = 0; u < UNIT_COUNT; u++)
			if (!c->unit[u].shares == !sharing)
				equip_unit(g, sm, u);
}

void sm_create(Gpu *g, Sm *sm, int id)
{
	const Config *c = &g->config;
	*sm = (Sm){ .gpu = g, .id = id, .now = g->begin, .last_progress = g->begin, .sample_at = NEVER,
		.slots = sm->slots, .nslots = (int)c->sm_max_warps, .warp = sm->warp, .cta = sm->cta,
		.lsu = sm->lsu };
	if (g->options.intervals)
		sm->sample_at = (g->begin / g->options.intervals->cycles + 1) * g->options.intervals->cycles;
	sm->nwarps = sm->nslots;
	sm->nctas = (int)c->sm_max_blocks;
	if (!sm->warp) {
		sm->warp = arena_array(&sm->slots, Warp, sm->nwarps);
		sm->cta = arena_array(&sm->slots, Cta, sm->nctas);
		sm->lsu = arena_array(&sm->slots, Warp *, sm->nwarps);
	}
	read_machine(g, sm);
	make_schedulers(g, sm);
	if (!g->smmem)
		return;
	if (!g->smmem[id])
		g->smmem[id] = smmem_new(c, id);
	sm->mem = g->smmem[id];
}

/* Frees what the SM has for one run of the machine, and makes its slots forget it. */
static void end_run(Sm *sm)
{
	levels_free(sm);
	vec_free(&sm->deferred);
	vec_free(&sm->awaited.member);
	vec_free(&sm->renewed.member);
	vec_free(&sm->data);
	vec_free(&sm->origins);
	vec_free(&sm->tickets);
	vec_free(&sm->wholes);
	vec_free(&sm->freed);
	vec_free(&sm->arrival);
	vec_free(&sm->sampled);
	arena_free(&sm->arena);
	for (int i = 0; i < sm->nwarps; i++) {
		Warp *w = &sm->warp[i];
		w->lsu = (LsuPlace){ 0 };
		w->watch = NULL;
		w->stood = NULL;
	}
}

static void free_slot(Warp *w)
{
	free(w->local);
	free(w->apart);
	if (w->ret_cap) {
		free(w->ret);
		free(w->sp);
		free(w->depth);
	}
}

void sm_destroy(Sm *sm)
{
	if (sm->nwarps)
		end_run(sm);
	for (int i = 0; i < sm->nslots; i++)
		free_slot(&sm->warp[i]);
	arena_free(&sm->slots);
	*sm = (Sm){ 0 };
}

void sm_rest(Sm *sm)
{
	if (sm->slots.total > MOST_KEPT) {
		sm_destroy(sm);
		return;
	}
	end_run(sm);
	*sm = (Sm){ .slots = sm->slots, .nslots = sm->nslots, .warp = sm->warp, .cta = sm->cta,
		.lsu = sm->lsu };
}

int scoreboard_names(const Code *c) { return c->regs + c->uniform_regs + c->preds + 1; }

/* May a warp that runs the code have more than one split, under a mechanism with parts_at_branches? */
static bool may_part(const Code *c)
{
	for (const MIns *i = c->ins; i < c->ins + c->n; i++)
		if (i->flags & MI_COND || i->kind == K_BRX || i->kind == K_CALL || i->kind == K_RECONV)
			return true;
	return false;
}

void room_for(Room *r, const Grid *grid, const ReconvModel *model)
{
	const Code *c = grid->code;
	uint32_t shared = c->shared_static + grid->launch->dynamic_shared;
	r->rows = c->rows > r->rows ? c->rows : r->rows;
	r->preds = c->preds > r->preds ? c->preds : r->preds;
	r->names = scoreboard_names(c) > r->names ? scoreboard_names(c) : r->names;
	r->shared = shared > r->shared ? shared : r->shared;
	r->many_splits |= !model->parts_at_branches || may_part(c);
}

/* The most splits that a warp of the grids that are queued can have. */
static int most_splits(const Gpu *g)
{
	int width = warp_width(g);
	return !g->room.many_splits ? ONE_SPLIT : g->model->regroups ? 2 * width + 2 : width + 2;
}

/* Has the slot room for warps of the grid? A functional run has made it without the scoreboard of lanes. */
static bool slot_has_room(const Sm *sm, const Warp *w, const Code *c, int splits)
{
	return (!sm->lane_scoreboard || w->mixed) && w->room.splits >= splits && w->room.rows >= c->rows &&
		w->room.preds >= c->preds && w->room.names >= scoreboard_names(c);
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Makes the part of a slot's memory whose size depends on the kernel: for all grids that are queued, and
   those that were there before. */
static void size_slot(Sm *sm, Warp *w, int splits)
{
	const Gpu *g = sm->gpu;
	size_t width = (size_t)w->lanes.width;
	w->room.rows = larger(w->room.rows, g->room.rows);
	w->room.preds = larger(w->room.preds, g->room.preds);
	w->room.names = larger(w->room.names, g->room.names);
	w->lanes.base[0] = arena_alloc(&sm->slots, sizeof(uint32_t) * (size_t)(w->room.rows + 2) * width +
		64);
	w->lanes.pred = arena_alloc(&sm->slots, sizeof(Mask) * (size_t)(w->room.preds + 1) + 64);
	w->ready = arena_array(&sm->slots, Cycle, w->room.names);
	if (splits > w->room.splits) {
		w->room.splits = splits;
		w->split = arena_array(&sm->slots, Split, splits);
	}
	w->mixed = sm->lane_scoreboard ? arena_array(&sm->slots, uint8_t, w->room.names) : NULL;
	free(w->apart);
	w->apart = NULL;
	w->apart_each = 0;
}

void slot_for_warp(Sm *sm, Warp *w, const Code *c)
{
	Gpu *g = sm->gpu;
	int width = warp_width(g);
	if (!w->sm) {
		w->sm = sm;
		w->slot = (int)(w - sm->warp);
		w->config = &g->config;
		w->param = g->config.model_param[g->config.model];
		w->clock = &sm->now;
		w->changed = sm->try_all ? CHANGED_ALWAYS : 0;
		w->lanes.width = width;
		w->state = arena_alloc(&sm->slots, g->model->state_size(&g->config));
		w->sp = w->depth = g->no_calls;
		partings_equip(w);
	}
	int splits = most_splits(g);
	if (!slot_has_room(sm, w, c, splits))
		size_slot(sm, w, splits);
}

void slot_for_block(Sm *sm, Cta *cta)
{
	uint32_t need = sm->gpu->room.shared;
	size_t (*state)(const Config *) = sm->gpu->model->blocks.block_state_size;
	if (!cta->shared || cta->shared_room < need) {
		cta->shared = arena_alloc(&sm->slots, need + 16);
		cta->shared_room = need;
	}
	if (state && !cta->model_state)
		cta->model_state = arena_alloc(&sm->slots, state(&sm->gpu->config));
}
