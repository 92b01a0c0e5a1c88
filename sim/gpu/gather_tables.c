/* Makes the tables of a launch's statistics from the counts of its instructions and marks. */
#include "sim/gpu/gather.h"

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
static MarkCount mark_count(const Counts *all, const CodeMark *x)
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

static void set_block_place(BlockStats *b, const Code *c, const MIns *first, Arena *a)
{
	Loc loc = first->src ? ins_loc(c->module, first->src) : (Loc){ 0 };
	b->file = loc.file && loc.line > 0 ? arena_strdup(a, loc.file) : NULL;
	b->line = b->file ? loc.line : 0;
}

/* Makes the rows of the source's blocks, in the order of the source. Marks in the code say where each block
   begins. */
static void gather_block_rows(const Counts *all, Arena *a, Tables *t)
{
	const Code *c = all->code;
	Arena tmp = { 0 };
	int *first = first_rows(c, &tmp, &t->blocks.n), n = 0;
	t->blocks.v = arena_array(a, BlockStats, t->blocks.n + 1);
	for (int k = 0; k < c->nfunction; k++)
		for (int b = 0; b < c->function[k]->source.n; b++)
			t->blocks.v[n++] = (BlockStats){ .function = arena_strdup(a,
				c->function[k]->name), .label = arena_strdup(a,
				c->function[k]->source.v[b]) };
	for (int k = 0; k < c->nmark; k++) {
		const CodeMark *x = &c->mark[k];
		BlockStats *b = &t->blocks.v[first[x->function->id] + x->mark.source];
		MarkCount count = mark_count(all, x);
		if (x->mark.kind != MARK_BEGINS)
			continue;
		b->fetches += count.issues;
		b->threads += count.lanes;
		if (!b->line)
			set_block_place(b, c, &c->ins[x->pc], a);
	}
	arena_free(&tmp);
}

static PartKind part_kind(const MIns *m)
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
	return (BranchStats){ .inlined = inlined, .kind = part_kind(m),
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
		return &w->st->tables.branches.v[*row - 1];
	BranchStats *b = &w->st->tables.branches.v[w->st->tables.branches.n++];
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
		*row = w->st->tables.branches.n;
	return b;
}

static void add_branch_row(Branches *w, int k, const CodeMark *x)
{
	int pc = w->all->code->branch_ins[k];
	const InsCount *count = &w->all->count[pc];
	BranchStats *b = branch_row(w, pc, x, false);
	b->executed += count->issues;
	b->divergent += w->all->branch[k].divergent;
	b->lanes += count->useful + count->off;
	b->lanes_taken += w->all->branch[k].taken;
	if (w->all->code->ins[pc].op == OP_EXITIF)
		w->st->totals.ended_at_branches += w->all->code->ins[pc].x.mode == EXIT_TAKEN
			? w->all->branch[k].taken : count->useful + count->off - w->all->branch[k].taken;
	part_count_add(&b->parted, &w->all->parted[pc]);
	meets_add(w->a, &b->met, &w->all->met[pc]);
}

static void add_decision(Branches *w, const CodeMark *x)
{
	BranchStats *b = branch_row(w, x->pc, x, true);
	MarkCount count = mark_count(w->all, x);
	b->executed += count.issues;
	b->lanes += count.lanes;
	b->divergent += count.divergent;
	b->lanes_taken += count.taken;
}

static void gather_branch_rows(const Counts *all, Arena *a, LaunchStats *st)
{
	const Code *c = all->code;
	Arena tmp = { 0 };
	int rows;
	Branches w = { .all = all, .a = a, .st = st, .first = first_rows(c, &tmp, &rows) };
	/* for each branch: the mark that says which branch of the source it is; NULL: it is none */
	const CodeMark **of = arena_array(&tmp, const CodeMark *, c->nbranch + 1);
	for (int k = 0; k < 2; k++)
		w.row[k] = arena_array(&tmp, int, rows + 1);
	st->tables.branches.v = arena_array(a, BranchStats, c->nbranch + c->nmark + 1);
	for (int k = 0; k < c->nmark; k++) {
		int branch = c->ins[c->mark[k].pc].branch;
		if (c->mark[k].mark.kind == MARK_DECIDES && !c->mark[k].nlanes &&
			c->mark[k].mark.value.kind == OPD_NONE && branch >= 0 && !of[branch])
			of[branch] = &c->mark[k];
	}
	for (int k = 0; k < c->nbranch; k++)
		add_branch_row(&w, k, of[k]);
	for (int k = 0; k < c->nmark; k++) {
		int branch = c->ins[c->mark[k].pc].branch;
		if (c->mark[k].mark.kind == MARK_DECIDES && (branch < 0 || of[branch] != &c->mark[k]))
			add_decision(&w, &c->mark[k]);
	}
	arena_free(&tmp);
}

static void gather_partings(const Counts *all, Arena *a, Tables *t)
{
	const Code *c = all->code;
	int n = 0;
	for (int pc = 0; pc < c->n; pc++)
		n += parts_lanes(all, pc);
	t->partings.v = arena_array(a, BranchStats, n + 1);
	for (int pc = 0; pc < c->n; pc++)
		if (parts_lanes(all, pc))
			t->partings.v[t->partings.n++] = parting_at(all, pc, a);
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

static void gather_lines(const Counts *all, Arena *a, Tables *t)
{
	const Code *c = all->code;
	int n = 0, ninlined, next = 0;
	InlinedIn *inlined = find_inlined(c, &ninlined);
	LineStats *row = arena_array(a, LineStats, c->nline + 1); /* last row: stalls of no instruction */
	for (int k = 0; k < (c->n + 1) * STALL_FIGURES; k++)
		row[k / STALL_FIGURES < c->n ? c->line_of[k / STALL_FIGURES]
			: c->nline].stalls[k % STALL_FIGURES] += all->stalls[k];
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
	t->lines.v = row;
	t->lines.n = n;
	free(inlined);
}

void gather_tables(const Counts *all, Arena *a, LaunchStats *st)
{
	gather_block_rows(all, a, &st->tables);
	gather_branch_rows(all, a, st);
	gather_partings(all, a, &st->tables);
	gather_lines(all, a, &st->tables);
}
