/* Adds up the statistics of many launches: of a run, and of each kernel. If reports need sums only
   (RunOptions.sums), launches are added up when others follow them, and forgotten. */
#include "sim/host/run.h"
#include "sim/host/races.h"

/* Tables of rows that are added up. Rows of the same place become one: blocks and partings of the same
   function and label, partings also of the same line and kind; lines of the same function, file and line. */
typedef struct Tables {
	Vec(BlockStats) block;
	Vec(BranchStats) branch, parting;
	Vec(LineStats) line;
	StrMap block_at, branch_at, parting_at, line_at;
	Arena keys;
	Arena *kept;                   /* for texts and lists to which rows point */
} Tables;

/* The number of the key's row. If there is none yet, this is n, the number that the new row must get. */
static int row_of(StrMap *at, const char *key, int n)
{
	int i = strmap_get(at, key);
	if (i < 0)
		strmap_put(at, key, i = n);
	return i;
}

static const char *copy(Tables *t, const char *s) { return s ? arena_strdup(t->kept, s) : NULL; }

static bool same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* Adds a block's row to the table. likely, here and in the next two functions: the number that the row
   probably has in the table, since launches of one kernel have the same rows; this number is tried first. */
static void add_block(Tables *t, const BlockStats *b, int likely)
{
	const BlockStats *x = likely < t->block.n ? &t->block.v[likely] : NULL;
	int i = x && same(x->function, b->function) && same(x->label, b->label) ? likely
		: row_of(&t->block_at, arena_printf(&t->keys, "%s\n%s", b->function, b->label), t->block.n);
	if (i == t->block.n) {
		BlockStats row = *b;
		row.function = copy(t, b->function);
		row.label = copy(t, b->label);
		row.file = copy(t, b->file);
		vec_push(&t->block, row);
		return;
	}
	t->block.v[i].fetches += b->fetches;
	t->block.v[i].threads += b->threads;
}

static void new_parting(Tables *t, const BranchStats *b, bool branch)
{
	BranchStats row = *b;
	row.function = copy(t, b->function);
	row.label = copy(t, b->label);
	row.file = copy(t, b->file);
	row.inlined = place_list_copy(t->kept, b->inlined);
	row.met = (Meets){ 0 };
	if (branch)
		vec_push(&t->branch, row);
	else
		vec_push(&t->parting, row);
}

static void add_parting(Tables *t, const BranchStats *b, bool branch, int likely)
{
	int n = branch ? t->branch.n : t->parting.n;
	const BranchStats *x = likely >= n ? NULL : branch ? &t->branch.v[likely] : &t->parting.v[likely];
	int i = x && same(x->function, b->function) && same(x->label, b->label) && x->line == b->line &&
		x->kind == b->kind && x->source == b->source ? likely
		: row_of(branch ? &t->branch_at : &t->parting_at,
		arena_printf(&t->keys, "%s\n%s\n%d\n%d", b->function, b->label, b->line,
		b->kind * 2 + b->source), n);
	if (i == n)
		new_parting(t, b, branch);
	BranchStats *sum = branch ? &t->branch.v[i] : &t->parting.v[i];
	meets_add(t->kept, &sum->met, &b->met);
	if (i == n)
		return;
	sum->executed += b->executed;
	sum->divergent += b->divergent;
	sum->lanes += b->lanes;
	sum->lanes_taken += b->lanes_taken;
	part_count_add(&sum->parted, &b->parted);
}

static void add_line(Tables *t, const LineStats *l, int likely)
{
	const LineStats *x = likely < t->line.n ? &t->line.v[likely] : NULL;
	int i = x && same(x->function, l->function) && same(x->file, l->file) && x->line == l->line ? likely
		: row_of(&t->line_at, arena_printf(&t->keys, "%s\n%s\n%d", l->function ? l->function : "",
		l->file ? l->file : "", l->line), t->line.n);
	if (i == t->line.n) {
		LineStats row = *l;
		row.function = copy(t, l->function);
		row.file = copy(t, l->file);
		row.inlined = place_list_copy(t->kept, l->inlined);
		vec_push(&t->line, row);
		return;
	}
	LineStats *sum = &t->line.v[i];
	for (int k = 0; k < 2; k++)
		ins_count_add(&sum->count[k], &l->count[k]);
	ins_count_add(&sum->inserted, &l->inserted);
	part_count_add(&sum->parted, &l->parted);
	for (int k = 0; k < STALL_COUNT; k++)
		sum->stalls[k] += l->stalls[k];
}

static void add_tables(Tables *t, const LaunchStats *s)
{
	for (int i = 0; i < s->nblocks; i++)
		add_block(t, &s->block_stats[i], i);
	for (int i = 0; i < s->nbranches; i++)
		add_parting(t, &s->branch_stats[i], true, i);
	for (int i = 0; i < s->npartings; i++)
		add_parting(t, &s->parting_stats[i], false, i);
	for (int i = 0; i < s->nlines; i++)
		add_line(t, &s->line_stats[i], i);
}

static void point_to_tables(LaunchStats *total, const Tables *t)
{
	total->nblocks = t->block.n;
	total->block_stats = t->block.v;
	total->nbranches = t->branch.n;
	total->branch_stats = t->branch.v;
	total->npartings = t->parting.n;
	total->parting_stats = t->parting.v;
	total->nlines = t->line.n;
	total->line_stats = t->line.v;
}

static void tables_free(Tables *t)
{
	vec_free(&t->block);
	vec_free(&t->branch);
	vec_free(&t->parting);
	vec_free(&t->line);
	strmap_free(&t->block_at);
	strmap_free(&t->branch_at);
	strmap_free(&t->parting_at);
	strmap_free(&t->line_at);
	arena_free(&t->keys);
}

static void *kept(Run *run, const void *v, size_t bytes)
{
	void *p = arena_alloc(&run->arena, bytes + 1);
	if (bytes)
		memcpy(p, v, bytes);
	return p;
}

/* Moves the tables into the total, where they live as long as the run. */
static void keep_tables(Run *run, LaunchStats *total, Tables *t)
{
	point_to_tables(total, t);
	total->block_stats = kept(run, t->block.v, sizeof *t->block.v * (size_t)t->block.n);
	total->branch_stats = kept(run, t->branch.v, sizeof *t->branch.v * (size_t)t->branch.n);
	total->parting_stats = kept(run, t->parting.v, sizeof *t->parting.v * (size_t)t->parting.n);
	total->line_stats = kept(run, t->line.v, sizeof *t->line.v * (size_t)t->line.n);
	tables_free(t);
}

/* Sets no_warp in the total's row of no instruction. A launch that ran beside others counts as no_warp also
   the cycles that went to the others; the total counts only the cycles for which no launch had a warp. */
static void without_warp(LaunchStats *total)
{
	for (int i = 0; i < total->nlines; i++)
		if (!total->line_stats[i].function)
			total->line_stats[i].stalls[STALL_EMPTY] = total->stalls[STALL_EMPTY];
}

struct RunSum { LaunchStats stats; Tables tables; };

static void add_launch(LaunchStats *sum, Tables *tables, const LaunchStats *s)
{
	stats_add(sum, s);
	sum->own_slots |= s->own_slots;
	add_tables(tables, s);
}

/* ---- launches that are forgotten ---- */

/* Makes the sum of a kernel's forgotten launches, from the first one. Members that are not added up keep the
   values of that launch. */
static RunSum *new_sum(Run *run, const LaunchStats *first)
{
	RunSum *sum = xcalloc(1, sizeof *sum);
	sum->tables.kept = &run->arena;
	sum->stats = *first;
	sum->stats.kernel = arena_strdup(&run->arena, first->kernel);
	add_tables(&sum->tables, first);
	strmap_put(&run->sum_at, sum->stats.kernel, run->sum.n);
	vec_push(&run->sum, sum);
	return sum;
}

static void forget(Run *run, const LaunchStats *s)
{
	int at = strmap_get(&run->sum_at, s->kernel);
	RunSum *sum = at < 0 ? new_sum(run, s) : run->sum.v[at];
	if (at >= 0) {
		add_launch(&sum->stats, &sum->tables, s);
		sum->stats.completed &= s->completed;
		sum->stats.started = s->started < sum->stats.started ? s->started : sum->stats.started;
	}
	point_to_tables(&sum->stats, &sum->tables);
}

static bool forgets(const Run *run)
{
	const RunOptions *o = &run->options;
	return o->sums && !o->races && !o->race_launches && !run->intervals;
}

Arena *run_launch_arena(Run *run)
{
	return forgets(run) && run->launch.n >= LISTED_LAUNCHES ? &run->passing : &run->arena;
}

void run_forget(Run *run)
{
	if (!forgets(run) || run->status != RUN_OK || run->launch.n <= LISTED_LAUNCHES)
		return;
	for (int i = LISTED_LAUNCHES; i < run->launch.n; i++)
		forget(run, run->launch.v[i]);
	run->launch.n = LISTED_LAUNCHES;
	arena_free(&run->passing);
}

void run_sums_free(Run *run)
{
	for (int i = 0; i < run->sum.n; i++) {
		tables_free(&run->sum.v[i]->tables);
		free(run->sum.v[i]);
	}
	vec_free(&run->sum);
	strmap_free(&run->sum_at);
	arena_free(&run->passing);
}

/* ---- totals ---- */

int run_measured(const Run *run) { return run->launch.n + run->sum.n; }

const LaunchStats *run_stats(const Run *run, int i)
{
	int first = run->sum.n ? LISTED_LAUNCHES : run->launch.n;
	if (i < first)
		return run->launch.v[i];
	return i < first + run->sum.n ? &run->sum.v[i - first]->stats : run->launch.v[i - run->sum.n];
}

uint64_t run_launches(const Run *run)
{
	uint64_t n = 0;
	for (int i = 0; i < run_measured(run); i++)
		n += run_stats(run, i)->launches;
	return n;
}

/* Adds up all launches of the kernel; NULL: of all kernels. */
static LaunchStats *add_launches(Run *run, const char *kernel)
{
	LaunchStats *total = arena_new(&run->arena, LaunchStats);
	Tables tables = { .kept = &run->arena };
	total->timed = !run->options.gpu.functional && !run->options.reference;
	total->reference = run->options.reference;
	total->warp_size = (int)run->config->warp_size;
	total->completed = run->status == RUN_OK;
	for (int i = 0; i < run_measured(run); i++)
		if (!kernel || !strcmp(run_stats(run, i)->kernel, kernel))
			add_launch(total, &tables, run_stats(run, i));
	keep_tables(run, total, &tables);
	return total;
}

LaunchStats *run_sum(Run *run, const char *kernel) { return add_launches(run, kernel); }

LaunchStats *run_total(Run *run)
{
	LaunchStats *total = add_launches(run, NULL);
	if (total->timed && run->gpu)
		gpu_busy(run->gpu, total);
	run_races_total(run, total);
	without_warp(total);
	return total;
}
