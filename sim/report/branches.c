/* Parts of the text report: the places where lanes part, ranked by the lane-slots lost, with the block in
   which the lanes met; and the lines of the source. */
#include "lib/names.h"
#include "sim/report/text.h"

enum { MOST_BRANCHES = 5, MOST_INLINED = 4, NAME = 35, MET = 10 };  /* NAME, MET: columns */

static int by_lost(const void *a, const void *b)
{
	const BranchStats *x = *(const BranchStats *const *)a, *y = *(const BranchStats *const *)b;
	if (x->parted.lost[0] != y->parted.lost[0])
		return x->parted.lost[0] < y->parted.lost[0] ? 1 : -1;
	if (x->divergent != y->divergent)
		return x->divergent < y->divergent ? 1 : -1;
	if (x->executed != y->executed)
		return x->executed < y->executed ? 1 : -1;
	return x < y ? -1 : x > y; /* else in the order of the table */
}

typedef struct BranchTable {
	const LaunchStats *s;
	Arena arena;
	Vec(const BranchStats *) branch;
	const char **name;             /* by index in branch */
	uint64_t slots;                /* lane-slots of the module's issues */
	bool all;
} BranchTable;

static bool is_branch(const BranchStats *b)
{
	return b->kind == PART_BRANCH || b->kind == PART_INDEXED || b->kind == PART_DECISION;
}

/* Names a row: its place, what parts lanes there unless it is a branch, and the block; also the function, if
   the table has several. */
static const char *row_name(BranchTable *t, const BranchStats *b, bool several)
{
	const char *file = b->file ? strrchr(b->file, '/') : NULL;
	return arena_printf(&t->arena, "%s:%d %s%s%s%s%s", file ? file + 1 : b->file ? b->file : "?", b->line,
		is_branch(b) ? "" : part_name[b->kind], is_branch(b) ? "" : ": ", several ? b->function : "",
		several ? " " : "", b->label);
}

static void collect_branches(BranchTable *t)
{
	const LaunchStats *s = t->s;
	for (int i = 0; i < s->tables.branches.n; i++)
		if (s->tables.branches.v[i].executed)
			vec_push(&t->branch, &s->tables.branches.v[i]);
	for (int i = 0; i < s->tables.partings.n; i++)
		if (s->tables.partings.v[i].parted.lost[0])
			vec_push(&t->branch, &s->tables.partings.v[i]);
	if (t->branch.n)
		qsort(t->branch.v, (size_t)t->branch.n, sizeof *t->branch.v, by_lost);
	bool several = false;
	for (int i = 1; i < t->branch.n; i++)
		several |= strcmp(t->branch.v[i]->function, t->branch.v[0]->function) != 0;
	t->name = arena_array(&t->arena, const char *, t->branch.n + 1);
	for (int i = 0; i < t->branch.n; i++)
		t->name[i] = row_name(t, t->branch.v[i], several);
	names_shown(&t->arena, t->name, t->branch.n, NAME, t->name);
}

/* The block in which lanes met most often after these partings; +N: they also met in N other places. If the
   label is too long, its line stands for it. */
static const char *met_in(BranchTable *t, const BranchStats *b)
{
	const MeetStats *m = b->met.v;
	if (!b->met.n)
		return "-";
	const char *where = m->label ? m->label : "(ended)";
	if (names_columns(where) > MET && m->line)
		where = arena_printf(&t->arena, "line %d", m->line);
	return b->met.n > 1 ? arena_printf(&t->arena, "%s +%d", where, b->met.n - 1) : where;
}

/* Puts the lane-slots that partings lost, their share of all, and the cycles they took. Where every lane has
   issue slots of its own, no lane waits for others. */
static void put_parting(const BranchTable *t, const PartCount *p, StrBuf *out)
{
	char cycles[32];
	if (t->s->own_slots) {
		sb_printf(out, " %11s %8s %10s", "n/a", "n/a", "n/a");
		return;
	}
	snprintf(cycles, sizeof cycles, "%llu", (unsigned long long)p->cycles);
	sb_printf(out, " %11llu %8s %10s", (unsigned long long)p->lost[0],
		PERCENT(text_share(p->lost[0], t->slots)), t->s->timed ? cycles : "n/a");
}

/* Puts, below a row, which functions are inlined at its place. */
static void put_inlined(const char *file, int line, PlaceList inlined, StrBuf *out)
{
	StrBuf text = { 0 };
	places_print_inlined(file, line, inlined.v, inlined.n, &text);
	if (text.n)
		sb_printf(out, "   %s\n", text.s);
	sb_free(&text);
}

static void put_branch(BranchTable *t, int i, StrBuf *out)
{
	const BranchStats *b = t->branch.v[i];
	char executed[24] = "", taken[REPORT_PERCENT] = "";
	if (is_branch(b)) {
		snprintf(executed, sizeof executed, "%llu", (unsigned long long)b->executed);
		report_percent(taken, text_share(b->lanes_taken, b->lanes));
	}
	sb_printf(out, "  %-*s", NAME + (int)strlen(t->name[i]) - names_columns(t->name[i]), t->name[i]);
	sb_printf(out, " %9s %9llu", executed, (unsigned long long)(is_branch(b) ? b->divergent
		: b->parted.partings));
	if (t->all)
		sb_printf(out, " %8s", taken);
	put_parting(t, &b->parted, out);
	sb_printf(out, "  %s\n", t->s->own_slots ? "" : met_in(t, b));
	put_inlined(b->file, b->line, b->inlined, out);
}

/* Puts the sums of the rows that are left out, as one row. */
static void put_rest_row(const BranchTable *t, int from, StrBuf *out)
{
	BranchStats rest = { 0 };
	char name[64];
	for (int i = from; i < t->branch.n; i++) {
		rest.executed += t->branch.v[i]->executed;
		rest.divergent += t->branch.v[i]->divergent;
		part_count_add(&rest.parted, &t->branch.v[i]->parted);
	}
	snprintf(name, sizeof name, "%d more " REPORT_ALL, t->branch.n - from);
	sb_printf(out, "  %-*s %9llu %9llu", NAME, name, (unsigned long long)rest.executed,
		(unsigned long long)rest.divergent);
	put_parting(t, &rest.parted, out);
	sb_putc(out, '\n');
}

void text_branches(const LaunchStats *s, bool all, StrBuf *out)
{
	BranchTable t = { .s = s, .slots = s->totals.warp_instructions * (uint64_t)s->warp_size, .all = all };
	char name[64];
	collect_branches(&t);
	int shown = all || t.branch.n < MOST_BRANCHES ? t.branch.n : MOST_BRANCHES;
	snprintf(name, sizeof name, s->own_slots ? "branches" : "branches by lanes lost (%s of all)",
		PERCENT(text_share(s->totals.lanes_parted, t.slots)));
	sb_printf(out, "\n%-*s %9s %9s", NAME + 2, name, "executed", "divergent");
	if (all)
		sb_printf(out, " %8s", "taken");
	sb_printf(out, " %11s %8s %10s  %s\n", "lanes lost", "of all", "cycles",
		s->own_slots ? "" : "met in");
	for (int i = 0; i < shown; i++)
		put_branch(&t, i, out);
	if (shown < t.branch.n)
		put_rest_row(&t, shown, out);
	if (!t.branch.n)
		sb_puts(out, "  (none was executed)\n");
	vec_free(&t.branch);
	arena_free(&t.arena);
}

/* Names a line: its place and its function. */
static const char *line_name(Arena *a, const LineStats *l)
{
	const char *file = l->file ? strrchr(l->file, '/') : NULL, *function = l->function ? l->function : "";
	if (!l->line)
		return l->function ? arena_printf(a, "(added) %s", function) : "(no instruction)";
	return arena_printf(a, "%s:%d %s", file ? file + 1 : l->file, l->line, function);
}

static void put_line_row(const LaunchStats *s, const LineStats *l, const char *name, StrBuf *out)
{
	uint64_t stalls = 0, slots = l->count[0].issues * (uint64_t)s->warp_size;
	int most = 0;
	double level[LEVEL_COUNT];
	for (int i = 0; i < STALL_COUNT; i++) {
		stalls += l->stalls[i];
		most = l->stalls[i] > l->stalls[most] ? i : most;
	}
	for (int k = 0; k < LEVEL_COUNT; k++)
		level[k] = (double)l->stalls[STALL_COUNT + k];
	sb_printf(out, "  %-*s %9llu %9llu %8s %11llu %11llu%s%s\n",
		NAME + (int)strlen(name) - names_columns(name), name, (unsigned long long)l->count[0].issues,
		(unsigned long long)l->count[1].issues, slots && !s->own_slots
		? PERCENT(text_share(l->count[0].useful, slots)) : "", (unsigned long long)l->parted.lost[0],
		(unsigned long long)stalls, stalls ? "  " : "", stalls ? report_reason(most, level) : "");
}

/* Puts, below a line, where the code stands that is inlined there; of many places, the first ones. */
static void put_inlined_lines(PlaceList inlined, StrBuf *out)
{
	for (int k = 0; k < inlined.n && k < MOST_INLINED; k++) {
		sb_puts(out, k ? ", " : "    (inlined ");
		place_print(inlined.v[k], out);
	}
	if (inlined.n > MOST_INLINED)
		sb_printf(out, ", %d more", inlined.n - MOST_INLINED);
	sb_puts(out, inlined.n ? ")\n" : "");
}

void text_lines(const LaunchStats *s, StrBuf *out)
{
	Arena names = { 0 };
	const char **name = arena_array(&names, const char *, s->tables.lines.n + 1);
	for (int i = 0; i < s->tables.lines.n; i++)
		name[i] = line_name(&names, &s->tables.lines.v[i]);
	names_shown(&names, name, s->tables.lines.n, NAME, name);
	sb_printf(out, "\n%-*s %9s %9s %8s %11s %11s  %s\n", NAME + 2, "lines", "issued", "overhead", "SIMD",
		"lanes lost", "stalls", "most of them");
	for (int i = 0; i < s->tables.lines.n; i++) {
		put_line_row(s, &s->tables.lines.v[i], name[i], out);
		put_inlined_lines(s->tables.lines.v[i].inlined, out);
	}
	arena_free(&names);
}
