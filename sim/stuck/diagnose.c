/* Makes the diagnosis of a livelock or deadlock: which lanes spin, where and on which word; which thread
 * changed that word last and where that thread is now; which lanes wait; and why the mechanism may hold lanes
 * for ever. */
#include "sim/code/lower_fn.h"
#include "sim/stuck/watch.h"
#include "passes/analysis/analysis.h"
#include "lib/strbuf.h"
#include "lib/number.h"

/* ---- who changed a word last ---- */

/* The thread and the instruction (pc) that changed a word of memory last. Each SM has a table of WRITERS such
   entries, at a hash of the address, for changes by atomic operations and by stores that others are meant to
   see. A change replaces an entry with the same hash: so some changes are forgotten, but every entry is
   right. grid NULL: the entry is empty. when: the cycle; in functional runs a number that grows with each
   change. */
typedef struct LastWriter {
	const Grid *grid;
	uint64_t address, block;
	Cycle when;
	uint32_t thread, pc;
} LastWriter;
enum { WRITERS = 1024 };

static LastWriter *writer_slot(const Sm *sm, uint64_t address)
{
	return &sm->writers[(address >> 2) * 0x9e3779b97f4a7c15u >> 54 & (WRITERS - 1)];
}

static uint64_t writer_key(Space space, uint64_t address)
{
	return space == SP_SHARED ? SHARED_WINDOW + address : address;
}

void writer_note(Sm *sm, const WarpOrigin *o, Space space, int lane, uint64_t address, Cycle when)
{
	if (space != SP_GLOBAL && space != SP_SHARED)
		return;
	if (!sm->writers)
		sm->writers = arena_array(&sm->arena, LastWriter, WRITERS);
	uint64_t key = writer_key(space, address);
	*writer_slot(sm, key) = (LastWriter){ .grid = o->grid, .address = key, .block = o->block,
		.when = sm->gpu->options.functional ? ++sm->gpu->writes : when,
		.thread = o->warp * (uint32_t)warp_width(sm->gpu) + (uint32_t)lane, .pc = o->pc };
}

/* Who changed the word last; NULL: not known. A word of shared memory is one of the block of warp w. */
static const LastWriter *writer_find(const Gpu *g, const Warp *w, Space space, uint64_t address)
{
	const LastWriter *best = NULL;
	uint64_t key = writer_key(space, address);
	for (int i = 0; i < g->config.sm_count; i++) {
		if (!g->sm[i].writers)
			continue;
		const LastWriter *x = writer_slot(&g->sm[i], key);
		bool here = space != SP_SHARED || (x->grid == w->share->grid && x->block == w->cta->number);
		if (x->grid && x->address == key && here && (!best || x->when >= best->when))
			best = x;
	}
	return best;
}

/* ---- where lanes are ---- */

/* If instruction m stands in a block that lowering added: the first instruction in a block of the source that
   follows on it by jumps, or m itself if there is none. */
static const MIns *in_source(const Code *c, const MIns *m)
{
	const MIns *i = m;
	for (int n = 0; n < 64 && i->from->origin == ORIGIN_LOWER; n++)
		if (i->kind == K_BRA && !(i->flags & MI_COND))
			i = &c->ins[i->target];
		else if (op_info[i->op].flags & OPF_TERM || (i->op == OP_OWN && c->own[i->own].leaves) ||
			i + 1 == c->ins + c->n)
			return m;
		else
			i++;
	return i->from->origin == ORIGIN_LOWER ? m : i;
}

static CodePlace code_place(const Gpu *g, const Code *c, const MIns *m)
{
	m = in_source(c, m);
	Loc loc = m->src ? ins_loc(c->module, m->src) : (Loc){ 0 };
	const MIns *placed = m;
	for (const MIns *i = m; !loc.line && i + 1 < c->ins + c->n && i->from == m->from; i++) {
		loc = i->src ? ins_loc(c->module, i->src) : (Loc){ 0 };
		placed = i;
	}
	PlaceList inlined = placed->src ? place_list_of(c->module, placed->src->inlined, g->out)
		: (PlaceList){ 0 };
	const char *label = m->from->origin == ORIGIN_LOWER
		? arena_printf(g->out, "%s, which lowering added", m->from->label)
		: arena_strdup(g->out, m->from->label);
	return (CodePlace){ arena_strdup(g->out, m->function->name), label,
		loc.file ? arena_strdup(g->out, loc.file) : NULL, loc.line, inlined };
}

static CodePlace code_place_at(const Gpu *g, const Code *c, uint32_t pc)
{
	return pc == NO_PC ? (CodePlace){ 0 } : code_place(g, c, &c->ins[pc]);
}

static StuckLanes where_in_warp(const Gpu *g, const Warp *w, int lane)
{
	static const StuckHow how[] = { [SPLIT_RUN] = STUCK_RUNS, [SPLIT_BARRIER] = STUCK_BARRIER,
		[SPLIT_WARPSYNC] = STUCK_WARPSYNC, [SPLIT_PARKED] = STUCK_HELD };
	const Split *s = homes_split(w, lane);
	StuckLanes x = { .block = { w->cta->id[0], w->cta->id[1], w->cta->id[2] }, .warp = w->index,
		.lanes = (Mask)1 << lane };
	Held h = { .pc = s ? s->pc : NO_PC, .until = NO_PC };
	x.how = !s ? STUCK_HELD : s->state == SPLIT_BARRIER && s->barrier == GRID_BARRIER ? STUCK_GRID
		: how[s->state];
	if (!(w->live >> lane & 1)) {
		x.how = STUCK_ENDED;
		return x;
	}
	if (x.how == STUCK_HELD && g->model->stuck.held && g->model->stuck.held(w, lane, &h)) {
		x.in = h.in;
		x.others = h.others & w->live;
		x.waits = h.until != NO_PC;
		x.until = code_place_at(g, code_of(w), h.until);
	}
	x.at = code_place_at(g, code_of(w), h.pc);
	return x;
}

static bool same_code_place(const CodePlace *a, const CodePlace *b)
{
	return same_text(a->function, b->function) && same_text(a->block, b->block) && a->line == b->line;
}

static bool same_stuck_lanes(const StuckLanes *a, const StuckLanes *b)
{
	return a->warp == b->warp && !memcmp(a->block, b->block, sizeof a->block) && a->how == b->how &&
		same_text(a->in, b->in) && a->others == b->others && same_code_place(&a->at, &b->at) &&
		same_code_place(&a->until, &b->until);
}

static void add_held(Diagnosis *d, const StuckLanes *x)
{
	for (int k = 0; k < d->nheld; k++)
		if (same_stuck_lanes(&d->held[k], x)) {
			d->held[k].lanes |= x->lanes;
			return;
		}
	if (d->nheld < STUCK_MOST)
		d->held[d->nheld++] = *x;
	else
		d->more++;
}

/* ---- what a lane waits for ---- */

static bool is_reg_of_set(const Opd *o, BitSet set) { return o->kind == OPD_REG && bs_has(set, o->id); }

/* True if the branch's condition may depend on the value that the load reads. All definitions of a register
   in the function count, whatever their order. */
static bool feeds(const MIns *branch, const MIns *load)
{
	const Function *f = branch->function;
	Arena tmp = { 0 };
	bool found = false;
	if (load->function != f || !branch->src || !load->src)
		return false;
	BitSet set = bs_new(&tmp, f->reg.n + 1);
	for (int k = 0; k < branch->src->nsrc; k++)
		if (ins_src(branch->src, k)->kind == OPD_REG)
			bs_add(set, ins_src(branch->src, k)->id);
	for (bool changed = true; changed;) {
		changed = false;
		for (int b = 0; b < f->block.n; b++)
			for (int n = 0; n < f->block.v[b]->ins.n; n++) {
				const Ins *i = &f->block.v[b]->ins.v[n];
				bool defines = false;
				for (int k = 0; k < i->ndst; k++)
					defines |= is_reg_of_set(ins_dst(i, k), set);
				for (int k = 0; defines && k < i->nsrc; k++)
					if (ins_src(i, k)->kind == OPD_REG &&
						!bs_has(set, ins_src(i, k)->id)) {
						bs_add(set, ins_src(i, k)->id);
						changed = true;
					}
			}
	}
	for (int k = 0; k < load->src->ndst; k++)
		found |= is_reg_of_set(ins_dst(load->src, k), set);
	arena_free(&tmp);
	return found;
}

/* The branch by which the lane would leave its loop, and the read that decides this branch; either may be
   NULL. The branch is one that went the same way every time in the lane's last round, if there is such a
   one. */
static const WatchedChoice *way_out_of_loop(const Watch *x, const Read **read)
{
	const Round *r = &x->last;
	const WatchedChoice *out = NULL;
	*read = NULL;
	for (int k = 0; k < r->nchoices; k++) {
		if (r->choice[k].both)
			continue;
		out = out ? out : &r->choice[k];
		for (int n = 0; n < r->nreads; n++)
			if (feeds(r->choice[k].ins, r->read[n].ins)) {
				*read = &r->read[n];
				return &r->choice[k];
			}
	}
	if (r->nreads)
		*read = &r->read[r->nreads - 1];
	return out ? out : r->nchoices ? &r->choice[0] : NULL;
}

/* Where the lane is, and what it waits for. The place of a lane that spins is the branch by which it would
   leave its loop. */
static StuckLanes whereabouts(const Gpu *g, const Warp *w, int lane)
{
	StuckLanes x = where_in_warp(g, w, lane);
	const Read *read;
	if (g->diagnosis->kind != FAULT_LIVELOCK || !(livelock_spinning(w) >> lane & 1))
		return x;
	const WatchedChoice *out = way_out_of_loop(w->watch->lane[lane], &read);
	return (StuckLanes){ .block = { w->cta->id[0], w->cta->id[1], w->cta->id[2] }, .warp = w->index,
		.lanes = x.lanes,
		.how = STUCK_RUNS, .at = out ? code_place(g, code_of(w), out->ins) : x.at };
}

static uint64_t word_value(const Gpu *g, const Warp *w, const StuckWord *x)
{
	uint64_t v = 0;
	const Alloc *hint = NULL, *a;
	if (x->space == SP_SHARED) {
		if (x->address + x->bytes <= w->cta->shared_bytes)
			memcpy(&v, w->cta->shared + x->address, x->bytes);
	} else if ((a = memory_find(g->memory, x->address, x->bytes, &hint))) {
		memcpy(&v, a->data + (x->address - a->addr), x->bytes);
	}
	return v;
}

/* Fills in the shared variable that holds the word's address in the block's shared memory, if there is
   one. */
static void shared_variable(const Gpu *g, const Code *c, StuckWord *x)
{
	const Module *m = c->module;
	int64_t *offset = xcalloc((size_t)m->symbol.n + 1, sizeof *offset);
	layout_shared(m, c->kernel, offset);
	for (int i = 0; i < m->symbol.n; i++) {
		const Symbol *s = m->symbol.v[i];
		if (s->space == SP_SHARED && offset[i] >= 0 && x->address - (uint64_t)offset[i] < s->size) {
			x->buffer = arena_strdup(g->out, s->name);
			x->offset = x->address - (uint64_t)offset[i];
		}
	}
	free(offset);
}

static void describe_word(const Gpu *g, const Warp *w, const Read *r, Diagnosis *d)
{
	StuckWord *x = &d->word;
	d->reads = true;
	*x = (StuckWord){ .space = (Space)r->space, .address = r->addr, .offset = r->addr,
		.bytes = r->ins->bytes,
		.different = 1 };
	const Alloc *a = x->space == SP_GLOBAL ? memory_nearest(g->memory, r->addr) : NULL;
	if (a && r->addr - a->addr < a->size) {
		x->offset = r->addr - a->addr;
		x->buffer = arena_strdup(g->out, a->name ? a->name : "a buffer");
	}
	if (x->space == SP_SHARED)
		shared_variable(g, code_of(w), x);
	x->value = word_value(g, w, x);
}

static const Warp *warp_of(const Gpu *g, const Grid *grid, uint64_t block, int index)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			if (w->used && w->share->grid == grid && w->cta->number == block && w->index == index)
				return w;
		}
	return NULL;
}

static void describe_writer(const Gpu *g, const Warp *w, Diagnosis *d)
{
	const LastWriter *x = writer_find(g, w, d->word.space, d->word.address);
	if (!x)
		return;
	const uint32_t *n = x->grid->launch->block, *grid = x->grid->launch->grid;
	int W = warp_width(g), index = (int)(x->thread / (uint32_t)W);
	d->written = true;
	d->thread[0] = x->thread % n[0];
	d->thread[1] = x->thread / n[0] % n[1];
	d->thread[2] = x->thread / n[0] / n[1];
	d->by = code_place_at(g, x->grid->code, x->pc);
	const Warp *home = warp_of(g, x->grid, x->block, index);
	if (home) {
		d->writer = whereabouts(g, home, (int)(x->thread % (uint32_t)W));
		return;
	}
	d->writer = (StuckLanes){ .how = STUCK_ENDED, .warp = index,
		.lanes = (Mask)1 << x->thread % (uint32_t)W,
		.block = { (uint32_t)(x->block % grid[0]), (uint32_t)(x->block / grid[0] % grid[1]),
			(uint32_t)(x->block / grid[0] / grid[1]) } };
}

/* Adds all lanes of a warp that wait: at a barrier, for other lanes, or because the mechanism holds them.
   Lanes that have ended are not among them. */
static void add_waiting(const Gpu *g, const Warp *w, Diagnosis *d)
{
	int l;
	each_lane(w->live, l) {
		StuckLanes x = whereabouts(g, w, l);
		if (x.how != STUCK_RUNS)
			add_held(d, &x);
	}
}

static void add_all_waiting(const Gpu *g, const Warp *first, Diagnosis *d)
{
	add_waiting(g, first, d);
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			if (w->used && !w->ending && w != first)
				add_waiting(g, w, d);
		}
}

/* ---- the reports ---- */

static Diagnosis *begin_diagnosis(Gpu *g, const Warp *w, Grid *grid, FaultKind kind)
{
	Diagnosis *d = arena_new(g->out, Diagnosis);
	d->kind = kind;
	d->model = g->model->name;
	d->holds = g->model->stuck.holds;
	if (w)
		d->who = (StuckLanes){ .block = { w->cta->id[0], w->cta->id[1], w->cta->id[2] },
			.warp = w->index,
			.how = STUCK_RUNS };
	d->blocks = grid->ctas;
	d->unbegun = grid->ctas - grid->next_cta;
	d->resident = grid->begun ? grid->next_cta - (grid->ctas - grid->left) : 0;
	d->limit = grid->limit;
	g->diagnosis = grid->diagnosis = d;
	return d;
}

static void finish_diagnosis(const Grid *grid, const Diagnosis *d, Fault *fault)
{
	StrBuf b = { 0 };
	diagnosis_text(d, grid->launch->kernel->name, &b);
	fault->loc = (Loc){ d->who.at.file, d->who.at.line, 0 };
	fault_text(fault, d->kind, "%s", b.s);
	sb_free(&b);
}

/* Reports the first lane of warp w that spins, together with the lanes of this warp that would leave their
   loop by the same branch. lanes: how many lanes of the machine spin. */
void livelock_report(Gpu *g, const Warp *w, uint64_t lanes, Fault *fault)
{
	Grid *grid = w->share->grid;
	Diagnosis *d = begin_diagnosis(g, w, grid, FAULT_LIVELOCK);
	const WatchedChoice *out = NULL, *other;
	const Read *read = NULL, *its;
	Mask spin = livelock_spinning(w);
	int l;
	d->spinning = lanes;
	each_lane(spin, l) {
		other = way_out_of_loop(w->watch->lane[l], &its);
		if (!d->who.lanes) {
			out = other;
			read = its;
			if (read)
				describe_word(g, w, read, d);
		} else if ((other ? other->ins : NULL) != (out ? out->ins : NULL)) {
			continue;
		}
		d->who.lanes |= (Mask)1 << l;
		d->word.different += read && its && its->addr != read->addr;
	}
	d->who.at = out ? code_place(g, code_of(w), out->ins) : whereabouts(g, w, lowest_lane(spin)).at;
	if (read)
		describe_writer(g, w, d);
	add_all_waiting(g, w, d);
	finish_diagnosis(grid, d, fault);
}

/* The first warp that has splits left. A warp of a block whose threads do not all wait at the barrier of the
   grid is preferred: threads at that barrier only wait for others. NULL: there is none. */
static const Warp *first_stuck(const Gpu *g)
{
	const Warp *first = NULL;
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++) {
			const Warp *w = &g->sm[i].warp[k];
			if (w->used && w->nsplit && (!first || (first->cta->meets && !w->cta->meets)))
				first = w;
		}
	return first;
}

/* Threads of the grid that have come to its barrier, and all that have not ended. */
static void count_grid_barrier(const Gpu *g, const Grid *grid, Diagnosis *d)
{
	d->arrived = d->expected = 0;
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nctas; k++)
			if (g->sm[i].cta[k].used && g->sm[i].cta[k].share->grid == grid) {
				d->arrived += g->sm[i].cta[k].barrier[GRID_BARRIER].arrived;
				d->expected += g->sm[i].cta[k].live;
			}
}

void deadlock_report(Gpu *g, Fault *fault, Grid **in)
{
	const Warp *first = first_stuck(g);
	Grid *grid = *in = first ? first->share->grid : g->queue.v[g->queue.n - 1];
	Diagnosis *d = begin_diagnosis(g, first, grid, FAULT_BARRIER);
	if (first) {
		const Split *s = &first->split[0];
		for (int k = 1; k < first->nsplit && s->state == SPLIT_PARKED; k++)
			s = &first->split[k];
		d->who = whereabouts(g, split_home((Warp *)first, s, lowest_lane(s->mask)),
			lowest_lane(s->mask));
		d->who.lanes = s->mask;
		if (s->state == SPLIT_BARRIER) {
			const Barrier *b = &first->cta->barrier[s->barrier];
			d->arrived = b->arrived;
			d->expected = b->expected ? b->expected : first->cta->live;
			if (s->barrier == GRID_BARRIER)
				count_grid_barrier(g, first->share->grid, d);
		} else if (s->state == SPLIT_WARPSYNC) {
			Mask here = 0;
			for (int k = 0; k < first->nsplit; k++)
				if (first->split[k].state == SPLIT_WARPSYNC &&
					first->split[k].sync_mask == s->sync_mask)
					here |= first->split[k].mask;
			d->arrived = lane_count(here & s->sync_mask);
			d->expected = lane_count(s->sync_mask & first->live);
		}
		add_all_waiting(g, first, d);
		for (int k = 0; k < d->nheld; k++)
			if (same_stuck_lanes(&d->held[k], &d->who))
				d->who.lanes = d->held[k].lanes;
	}
	finish_diagnosis(grid, d, fault);
}
