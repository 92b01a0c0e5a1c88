/* Gathers what a launch measured: adds up the counters of its SMs. All totals of issues and lanes are sums of
   the counts of single instructions. */
#include "sim/gpu/gather.h"
#include "sim/sm/sm.h"

static bool same_place(const MIns *a, const MIns *b)
{
	return b->src && a->function == b->function && a->src->file == b->src->file &&
		a->src->line == b->src->line && a->src->col == b->src->col &&
		a->src->inlined == b->src->inlined;
}

/* The instruction to which partings at pc are charged. If pc has an operation that the mechanism added and
   gave the source place of a branch or a call, this is the nearest branch or call with that place; else pc
   itself. */
static int charged_to(const Code *c, int pc)
{
	const MIns *m = &c->ins[pc];
	if (m->kind != K_RECONV || m->branch >= 0 || m->src->line <= 0)
		return pc;
	for (int d = 1; d < c->n; d++)
		for (int k = pc - d; k <= pc + d; k += 2 * d)
			if (k >= 0 && k < c->n && (c->ins[k].branch >= 0 || c->ins[k].kind == K_CALL) &&
				same_place(m, &c->ins[k]))
				return k;
	return pc;
}

static MeetStats meeting_at(const Code *c, const MeetCount *m)
{
	if (m->pc == NO_PC)
		return (MeetStats){ .times = m->times };
	const MIns *i = &c->ins[m->pc];
	Loc loc = i->src ? ins_loc(c->module, i->src) : (Loc){ 0 };
	bool placed = loc.file && loc.line > 0;
	return (MeetStats){ i->function->name, i->from->label, placed ? loc.file : NULL,
		placed ? loc.line : 0, m->times };
}

/* Adds to `all` the blocks in which lanes that parted at pc met again, as the SM has counted them. */
static void add_meetings(Counts *all, const Share *h, int pc, Arena *a)
{
	Meets *to = h->met_at[pc] ? &all->met[charged_to(all->code, pc)] : NULL;
	for (int k = h->met_at[pc]; k; k = h->met.v[k - 1].next) {
		MeetStats m = meeting_at(all->code, &h->met.v[k - 1]);
		meets_add(a, to, &(Meets){ &m, 1 });
	}
}

/* Adds up the counters of all SMs. Texts that the tables keep are copied into arena a. */
static Counts add_up(const Gpu *g, Grid *x, Arena *a)
{
	const Code *c = x->code;
	Counts all = { c, arena_array(&x->arena, InsCount, c->n + 1),
		arena_array(&x->arena, PartCount, c->n + 1),
		arena_array(&x->arena, Meets, c->n + 1), arena_array(&x->arena, BranchCount, c->nbranch + 1),
		arena_array(&x->arena, MarkCount, c->ncounted + 1),
		arena_array(&x->arena, uint64_t, (c->n + 1) * STALL_COUNT) };
	for (int i = 0; i < g->config.sm_count; i++) {
		const Share *h = &x->share[i];
		for (int pc = 0; h->count && pc < c->n; pc++) {
			if (!h->count[pc].issues) /* so no lanes have parted there either */
				continue;
			ins_count_add(&all.count[pc], &h->count[pc]);
			if (parted_any(&h->parted[pc]))
				part_count_add(&all.parted[charged_to(c, pc)], &h->parted[pc]);
			add_meetings(&all, h, pc, a);
		}
		for (int k = 0; h->count && k < (c->n + 1) * STALL_COUNT; k++)
			all.stalls[k] += h->stalls[k];
		for (int k = 0; h->count && k < c->nbranch; k++) {
			all.branch[k].divergent += h->branch[k].divergent;
			all.branch[k].taken += h->branch[k].taken;
		}
		for (int k = 0; h->count && k < c->ncounted; k++) {
			all.marked[k].issues += h->marked[k].issues;
			all.marked[k].lanes += h->marked[k].lanes;
			all.marked[k].divergent += h->marked[k].divergent;
			all.marked[k].taken += h->marked[k].taken;
		}
	}
	return all;
}

/* ---- totals ---- */

/* Adds all SMs' counts, by instruction and others, to those in st. */
static void sum_shares(const Gpu *g, Grid *x, const Counts *all, LaunchStats *st)
{
	Share sum = { .grid = x, .stats = *st, .count = all->count, .parted = all->parted,
		.branch = all->branch, .stalls = all->stalls };
	for (int i = 0; i < g->config.sm_count; i++) {
		const Share *h = &x->share[i];
		stats_add(&sum.stats, &h->stats);
		for (int n = 0; n <= warp_width(g); n++)
			sum.active_lanes[0][n] += h->active_lanes[0][n];
		for (int k = 0; k < 2; k++) {
			sum.nobody[k].no_thread += h->nobody[k].no_thread;
			sum.nobody[k].ended += h->nobody[k].ended;
		}
	}
	share_totals(&sum, warp_width(g), st);
}

/* ---- tables ---- */

/* Each function has a row for each of its blocks in the source. Returns the number of each function's first
   row, by Function.id; *n: how many rows all functions have together. */
static int *first_rows(const Code *c, Arena *a, int *n)
{
	int *first = arena_array(a, int, c->module->func.n + 1);
	*n = 0;
	for (int k = 0; k < c->nfunction; k++) {
		first[c->function[k]->id] = *n;
		*n += c->function[k]->source.n;
	}
	return first;
}

/* What the mark has counted. Only a mark that depends on a predicate has a counter of its own
   (CodeMark.counted); any other has the issues and lanes of its instruction. If that instruction is no
   branch, all lanes decide alike. */
static MarkCount count_of(const Counts *all, const CodeMark *x)
{
	const InsCount *i = &all->count[x->pc];
	int branch = all->code->ins[x->pc].branch;
	if (x->counted >= 0)
		return all->marked[x->counted];
	MarkCount m = { .issues = i->issues, .lanes = i->useful + i->off };
	if (x->mark.value.kind == OPD_NONE && branch >= 0) {
		m.divergent = all->branch[branch].divergent;
		m.taken = all->branch[branch].taken;
	} else {
		m.taken = x->value.neg ? 0 : m.lanes;
	}
	return m;
}

static void place_block(BlockStats *b, const Code *c, const MIns *first, Arena *a)
{
	Loc loc = first->src ? ins_loc(c->module, first->src) : (Loc){ 0 };
	b->file = loc.file && loc.line > 0 ? arena_strdup(a, loc.file) : NULL;
	b->line = b->file ? loc.line : 0;
}

/* Makes the rows of the source's blocks, in the order of the source. Marks in the code say where each block
   begins. */
static void gather_blocks(const Counts *all, Arena *a, LaunchStats *st)
{
	const Code *c = all->code;
	Arena tmp = { 0 };
	int *first = first_rows(c, &tmp, &st->nblocks), n = 0;
	st->block_stats = arena_array(a, BlockStats, st->nblocks + 1);
	for (int k = 0; k < c->nfunction; k++)
		for (int b = 0; b < c->function[k]->source.n; b++)
			st->block_stats[n++] = (BlockStats){ .function = arena_strdup(a,
				c->function[k]->name), .label = arena_strdup(a,
				c->function[k]->source.v[b]) };
	for (int k = 0; k < c->nmark; k++) {
		const CodeMark *x = &c->mark[k];
		BlockStats *b = &st->block_stats[first[x->function->id] + x->mark.source];
		MarkCount count = count_of(all, x);
		if (x->mark.kind != MARK_BEGINS)
			continue;
		b->fetches += count.issues;
		b->threads += count.lanes;
		if (!b->line)
			place_block(b, c, &c->ins[x->pc], a);
	}
	arena_free(&tmp);
}

static PartKind kind_of(const MIns *m)
{
	switch (m->kind) {
	case K_BRX: return PART_INDEXED;
	case K_CALL: return PART_CALL;
	case K_RET: return PART_RETURN;
	case K_LD: case K_ATOM: return PART_LOAD;
	default: return m->branch >= 0 ? PART_BRANCH : PART_YIELD;
	}
}

static BranchStats parting_at(const Counts *all, int pc, Arena *a)
{
	const MIns *m = &all->code->ins[pc];
	Loc loc = m->src ? ins_loc(all->code->module, m->src) : (Loc){ 0 };
	PlaceList inlined = m->src ? place_list_of(all->code->module, m->src->inlined, a) : (PlaceList){ 0 };
	return (BranchStats){ .inlined = inlined, .kind = kind_of(m),
		.function = arena_strdup(a, m->function->name), .label = arena_strdup(a, m->from->label),
		.file = loc.file ? arena_strdup(a, loc.file) : NULL, .line = loc.line,
		.parted = all->parted[pc], .met = all->met[pc] };
}

/* True if the instruction at pc is no branch of the module, and partings are charged to it: those of lanes
   that parted there, or of another instruction (charged_to). */
static bool parts_lanes(const Counts *all, int pc)
{
	return all->code->ins[pc].branch < 0 && parted_any(&all->parted[pc]);
}

/* Rows of branches while they are gathered. All copies of a branch of one block of the source are one row.
   row[0], row[1]: for each block of the source, 1 + the number of the row of its branch, and of the decision
   in place of a branch; 0: it has no such row yet. */
typedef struct Branches { const Counts *all; Arena *a; LaunchStats *st; int *first, *row[2]; } Branches;

/* The row for the branch or decision at pc; a new one if the source's block of mark x has none yet. x NULL:
   no block of the source has this branch; the row is always a new one. */
static BranchStats *branch_row(Branches *w, int pc, const CodeMark *x, bool decision)
{
	int *row = x ? &w->row[decision][w->first[x->function->id] + x->mark.source] : NULL;
	if (row && *row)
		return &w->st->branch_stats[*row - 1];
	BranchStats *b = &w->st->branch_stats[w->st->nbranches++];
	*b = parting_at(w->all, pc, w->a);
	b->parted = (PartCount){ 0 };
	b->met = (Meets){ 0 };
	b->source = x != NULL;
	if (decision)
		b->kind = PART_DECISION;
	/* the mark names the block, since the instruction at pc may be one that moves a callee's result */
	if (x) {
		b->function = arena_strdup(w->a, x->function->name);
		b->label = arena_strdup(w->a, x->function->source.v[x->mark.source]);
	}
	if (row)
		*row = w->st->nbranches;
	return b;
}

static void add_branch(Branches *w, int k, const CodeMark *x)
{
	int pc = w->all->code->branch_ins[k];
	const InsCount *count = &w->all->count[pc];
	BranchStats *b = branch_row(w, pc, x, false);
	b->executed += count->issues;
	b->divergent += w->all->branch[k].divergent;
	b->lanes += count->useful + count->off;
	b->lanes_taken += w->all->branch[k].taken;
	if (w->all->code->ins[pc].op == OP_EXITIF)
		w->st->ended_at_branches += w->all->code->ins[pc].x.mode == EXIT_TAKEN
			? w->all->branch[k].taken : count->useful + count->off - w->all->branch[k].taken;
	part_count_add(&b->parted, &w->all->parted[pc]);
	meets_add(w->a, &b->met, &w->all->met[pc]);
}

static void add_decision(Branches *w, const CodeMark *x)
{
	BranchStats *b = branch_row(w, x->pc, x, true);
	MarkCount count = count_of(w->all, x);
	b->executed += count.issues;
	b->lanes += count.lanes;
	b->divergent += count.divergent;
	b->lanes_taken += count.taken;
}

static void gather_branches(const Counts *all, Arena *a, LaunchStats *st)
{
	const Code *c = all->code;
	Arena tmp = { 0 };
	int rows;
	Branches w = { .all = all, .a = a, .st = st, .first = first_rows(c, &tmp, &rows) };
	/* for each branch: the mark that says which branch of the source it is; NULL: it is none */
	const CodeMark **of = arena_array(&tmp, const CodeMark *, c->nbranch + 1);
	for (int k = 0; k < 2; k++)
		w.row[k] = arena_array(&tmp, int, rows + 1);
	st->branch_stats = arena_array(a, BranchStats, c->nbranch + c->nmark + 1);
	for (int k = 0; k < c->nmark; k++) {
		int branch = c->ins[c->mark[k].pc].branch;
		if (c->mark[k].mark.kind == MARK_DECIDES && !c->mark[k].nlanes &&
			c->mark[k].mark.value.kind == OPD_NONE && branch >= 0 && !of[branch])
			of[branch] = &c->mark[k];
	}
	for (int k = 0; k < c->nbranch; k++)
		add_branch(&w, k, of[k]);
	for (int k = 0; k < c->nmark; k++) {
		int branch = c->ins[c->mark[k].pc].branch;
		if (c->mark[k].mark.kind == MARK_DECIDES && (branch < 0 || of[branch] != &c->mark[k]))
			add_decision(&w, &c->mark[k]);
	}
	arena_free(&tmp);
}

static void gather_partings(const Counts *all, Arena *a, LaunchStats *st)
{
	const Code *c = all->code;
	int n = 0;
	for (int pc = 0; pc < c->n; pc++)
		n += parts_lanes(all, pc);
	st->parting_stats = arena_array(a, BranchStats, n + 1);
	for (int pc = 0; pc < c->n; pc++)
		if (parts_lanes(all, pc))
			st->parting_stats[st->npartings++] = parting_at(all, pc, a);
}

static bool any_stall(const LineStats *l)
{
	uint64_t any = 0;
	for (int k = 0; k < STALL_COUNT; k++)
		any |= l->stalls[k];
	return any != 0;
}

/* An instruction that was inlined into a line. line: that line's number in Code.line; at: the instruction's
   innermost place, its own line in the inlined function. */
typedef struct InlinedIn { int line; Loc at; } InlinedIn;

static int by_line(const void *a, const void *b)
{
	const InlinedIn *x = a, *y = b;
	int files = x->line == y->line ? strcmp(x->at.file, y->at.file) : 0;
	return x->line != y->line ? x->line - y->line : files ? files
		: x->at.line != y->at.line ? (x->at.line > y->at.line) - (x->at.line < y->at.line) : 0;
}

/* Finds the inlined places of all lines: in the order of lines, each place once. *n: how many there are. */
static InlinedIn *find_inlined(const Code *c, int *n)
{
	InlinedIn *v = xcalloc((size_t)c->n + 1, sizeof *v);
	int m = 0;
	*n = 0;
	for (int pc = 0; pc < c->n; pc++) {
		const Ins *i = c->ins[pc].src;
		int at = i ? i->inlined : 0;
		Loc own = i ? ins_loc(c->module, i) : (Loc){ 0 }, inner;
		if (place_next(c->module, &at, &inner) && inner.file &&
			(inner.line != own.line || strcmp(inner.file, own.file)))
			v[m++] = (InlinedIn){ c->line_of[pc], inner };
	}
	if (m)
		qsort(v, (size_t)m, sizeof *v, by_line);
	for (int k = 0; k < m; k++)
		if (!k || by_line(&v[k - 1], &v[k]))
			v[(*n)++] = v[k];
	return v;
}

/* Copies the places of v that belong to the line. The search begins at *next, which then moves behind
   them. */
static PlaceList inlined_in(const InlinedIn *v, int n, int *next, int line, Arena *a)
{
	while (*next < n && v[*next].line < line)
		++*next;
	int first = *next;
	while (*next < n && v[*next].line == line)
		++*next;
	Loc *at = arena_array(a, Loc, *next - first + 1);
	for (int k = first; k < *next; k++)
		at[k - first] = v[k].at;
	return place_list_copy(a, (PlaceList){ at, *next - first });
}

static void gather_lines(const Counts *all, Arena *a, LaunchStats *st)
{
	const Code *c = all->code;
	int n = 0, ninlined, next = 0;
	InlinedIn *inlined = find_inlined(c, &ninlined);
	LineStats *row = arena_array(a, LineStats, c->nline + 1); /* last row: stalls of no instruction */
	for (int k = 0; k < (c->n + 1) * STALL_COUNT; k++)
		row[k / STALL_COUNT < c->n ? c->line_of[k / STALL_COUNT]
			: c->nline].stalls[k % STALL_COUNT] += all->stalls[k];
	for (int pc = 0; pc < c->n; pc++) {
		LineStats *l = &row[c->line_of[pc]];
		bool added = c->ins[pc].flags & MI_OVERHEAD;
		ins_count_add(&l->count[added], &all->count[pc]);
		if (!added && c->ins[pc].flags & MI_INSERTED)
			ins_count_add(&l->inserted, &all->count[pc]);
		part_count_add(&l->parted, &all->parted[pc]);
	}
	for (int k = 0; k < c->nline; k++) {
		if (!row[k].count[0].issues && !row[k].count[1].issues && !any_stall(&row[k]))
			continue;
		row[n] = row[k];
		row[n].function = arena_strdup(a, c->line[k].function->name);
		row[n].file = c->line[k].file ? arena_strdup(a, c->line[k].file) : NULL;
		row[n].inlined = inlined_in(inlined, ninlined, &next, k, a);
		row[n++].line = c->line[k].line;
	}
	if (any_stall(&row[c->nline]))
		row[n++] = row[c->nline];
	st->line_stats = row;
	st->nlines = n;
	free(inlined);
}

/* Computes the occupancy: resident warps / most warps that an SM can hold; and names what limits it. */
static void occupancy(const Config *c, const Grid *x, LaunchStats *st)
{
	int64_t blocks = sm_capacity(c, x, &st->occupancy_limit),
		most = (int64_t)((x->ctas + (uint64_t)c->sm_count - 1) / (uint64_t)c->sm_count);
	if (most < blocks) {
		blocks = most;
		st->occupancy_limit = "grid";
	}
	st->occupancy = (double)(blocks * x->warps_per_cta) / (double)c->sm_max_warps;
}

/* Scheduler-cycles, while the grid ran, in which none of its warps issued and none was nearest to an issue.
   If the grid ran alone these cycles have been counted. If others ran beside it, they are what is left of all
   scheduler-cycles; in some of them warps of the other grids issued or stalled. */
static uint64_t without_warp(const Grid *x, const Counts *all, const LaunchStats *st)
{
	uint64_t own = st->issued;
	for (int k = 0; k < (x->code->n + 1) * STALL_COUNT; k++)
		own += all->stalls[k];
	return x->completed && x->alone ? x->empty : st->slots - own;
}

/* Charges the issues that are not charged to a parting yet, for the warps of the grid that have not ended. */
static void close_partings(const Gpu *g, const Grid *x)
{
	for (int i = 0; i < g->config.sm_count; i++)
		for (int k = 0; k < g->sm[i].nwarps; k++)
			if (g->sm[i].warp[k].used && g->sm[i].warp[k].share->grid == x)
				partings_close(&g->sm[i].warp[k]);
}

void gather(const Gpu *g, Grid *x, Arena *a)
{
	const Config *c = &g->config;
	LaunchStats *st = x->stats;
	*st = (LaunchStats){ .timed = !g->options.functional, .completed = x->completed,
		.own_slots = g->model->own_slots,
		.warp_size = warp_width(g), .stream = x->stream, .launches = 1 };
	if (!x->completed)
		close_partings(g, x);
	Counts all = add_up(g, x, a);
	sum_shares(g, x, &all, st);
	if (st->timed) {
		st->cycles = x->end - x->begin;
		st->slots = st->cycles * (Cycle)c->sched_count * (Cycle)c->sm_count;
		all.stalls[x->code->n * STALL_COUNT + STALL_EMPTY] = st->stalls[STALL_EMPTY] =
			without_warp(x, &all, st);
		st->program_cycles = x->gone;
		st->called = x->called;
		st->started = x->begin;
	}
	const Launch *l = x->launch;
	st->kernel = arena_strdup(a, l->kernel->name);
	memcpy(st->grid, l->grid, sizeof st->grid);
	memcpy(st->block, l->block, sizeof st->block);
	st->grid_barriers = x->meetings;
	st->diagnosis = x->diagnosis;
	st->static_instructions = (uint64_t)x->code->n;
	st->static_blocks = (uint64_t)x->code->nblock;
	st->registers = (uint64_t)x->code->regs;
	st->spilled = x->code->spilled;
	occupancy(c, x, st);
	gather_blocks(&all, a, st);
	gather_branches(&all, a, st);
	gather_partings(&all, a, st);
	gather_lines(&all, a, st);
	if (g->options.instructions)
		gather_instructions(&all, g->options.instructions);
}

