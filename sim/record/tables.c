#include "sim/record/tables.h"
#include "lib/number.h"

const char *const part_name[PART_COUNT] = { "branch", "indexed branch", "call", "return", "load", "yield",
	"decision" };

void ins_count_add(InsCount *to, const InsCount *c)
{
	to->issues += c->issues;
	to->useful += c->useful;
	to->off += c->off;
}

void part_count_add(PartCount *to, const PartCount *p)
{
	to->partings += p->partings;
	to->lost[0] += p->lost[0];
	to->lost[1] += p->lost[1];
	to->cycles += p->cycles;
}

static void add_meet(Arena *a, Meets *to, const MeetStats *m)
{
	int k = 0;
	while (k < to->n && !(same_text(to->v[k].label, m->label) &&
		same_text(to->v[k].function, m->function)))
		k++;
	if (k == to->n) {
		MeetStats *v = arena_array(a, MeetStats, to->n + 1);
		if (to->n)
			memcpy(v, to->v, sizeof *v * (size_t)to->n);
		v[to->n++] = (MeetStats){ m->function ? arena_strdup(a, m->function) : NULL,
			m->label ? arena_strdup(a, m->label) : NULL,
			m->file ? arena_strdup(a, m->file) : NULL, m->line, 0 };
		to->v = v;
	}
	MeetStats sum = to->v[k];
	sum.times += m->times;
	for (; k && to->v[k - 1].times < sum.times; k--)
		to->v[k] = to->v[k - 1];
	to->v[k] = sum;
}

void meets_add(Arena *a, Meets *to, const Meets *from)
{
	for (int k = 0; k < from->n; k++)
		add_meet(a, to, &from->v[k]);
}


/* ---- rows of each kind ---- */

/* How the rows of a table are merged. */
typedef struct RowKind {
	size_t size;
	bool (*same)(const void *, const void *);      /* are the rows of the same place? */
	/* a text in the arena that is equal for two rows if `same` is true of them, and only then */
	const char *(*key)(const void *, Arena *);
	void (*keep)(void *, Arena *);         /* copies into the arena what a new row points to */
	void (*add)(void *to, const void *,
		Arena *); /* adds the counts of the second row, of the same place */
} RowKind;

static const char *keep_row_text(Arena *a, const char *s) { return s ? arena_strdup(a, s) : NULL; }
static const char *text_or_empty(const char *s) { return s ? s : ""; }

static bool same_block_row(const void *a, const void *b)
{
	const BlockStats *x = a, *y = b;
	return same_text(x->function, y->function) && same_text(x->label, y->label);
}

static const char *block_key(const void *row, Arena *a)
{
	const BlockStats *b = row;
	return arena_printf(a, "%s\n%s", b->function, b->label);
}

static void keep_block(void *row, Arena *a)
{
	BlockStats *b = row;
	b->function = keep_row_text(a, b->function);
	b->label = keep_row_text(a, b->label);
	b->file = keep_row_text(a, b->file);
}

static void add_block_row(void *to, const void *row, Arena *a)
{
	BlockStats *sum = to;
	const BlockStats *b = row;
	(void)a;
	sum->fetches += b->fetches;
	sum->threads += b->threads;
}

static const RowKind block_rows = { sizeof(BlockStats), same_block_row, block_key, keep_block,
	add_block_row };

/* Branches and other partings of the same function, label, line and kind are one. */
static bool same_branch(const void *a, const void *b)
{
	const BranchStats *x = a, *y = b;
	return same_text(x->function, y->function) && same_text(x->label, y->label) && x->line == y->line &&
		x->kind == y->kind && x->source == y->source;
}

static const char *branch_key(const void *row, Arena *a)
{
	const BranchStats *b = row;
	return arena_printf(a, "%s\n%s\n%d\n%d", b->function, b->label, b->line, b->kind * 2 + b->source);
}

static void keep_branch(void *row, Arena *a)
{
	BranchStats *b = row;
	Meets met = b->met;
	b->function = keep_row_text(a, b->function);
	b->label = keep_row_text(a, b->label);
	b->file = keep_row_text(a, b->file);
	b->inlined = place_list_copy(a, b->inlined);
	b->met = (Meets){ 0 };
	meets_add(a, &b->met, &met);
}

static void add_branch(void *to, const void *row, Arena *a)
{
	BranchStats *sum = to;
	const BranchStats *b = row;
	sum->executed += b->executed;
	sum->divergent += b->divergent;
	sum->lanes += b->lanes;
	sum->lanes_taken += b->lanes_taken;
	part_count_add(&sum->parted, &b->parted);
	meets_add(a, &sum->met, &b->met);
}

static const RowKind branch_rows = { sizeof(BranchStats), same_branch, branch_key, keep_branch, add_branch };

static bool same_line(const void *a, const void *b)
{
	const LineStats *x = a, *y = b;
	return same_text(x->function, y->function) && same_text(x->file, y->file) && x->line == y->line;
}

static const char *line_key(const void *row, Arena *a)
{
	const LineStats *l = row;
	return arena_printf(a, "%s\n%s\n%d", text_or_empty(l->function), text_or_empty(l->file), l->line);
}

static void keep_line(void *row, Arena *a)
{
	LineStats *l = row;
	l->function = keep_row_text(a, l->function);
	l->file = keep_row_text(a, l->file);
	l->inlined = place_list_copy(a, l->inlined);
}

static void add_line(void *to, const void *row, Arena *a)
{
	LineStats *sum = to;
	const LineStats *l = row;
	(void)a;
	for (int k = 0; k < 2; k++)
		ins_count_add(&sum->count[k], &l->count[k]);
	ins_count_add(&sum->inserted, &l->inserted);
	part_count_add(&sum->parted, &l->parted);
	for (int k = 0; k < STALL_FIGURES; k++)
		sum->stalls[k] += l->stalls[k];
}

static const RowKind line_rows = { sizeof(LineStats), same_line, line_key, keep_line, add_line };

static bool same_end(const RaceEnd *a, const RaceEnd *b)
{
	return same_text(a->function, b->function) && same_text(a->label, b->label) &&
		same_text(a->file, b->file) && a->line == b->line && same_text(a->access, b->access);
}

static bool same_race(const void *a, const void *b)
{
	const RaceStats *x = a, *y = b;
	return same_end(&x->end[0], &y->end[0]) && same_end(&x->end[1], &y->end[1]);
}

static const char *race_key(const void *row, Arena *a)
{
	const RaceEnd *e = ((const RaceStats *)row)->end;
	return arena_printf(a, "%s\n%s\n%s\n%d\n%s\n%s\n%s\n%s\n%d\n%s", e[0].function, e[0].label,
		text_or_empty(e[0].file), e[0].line, e[0].access, e[1].function, e[1].label,
		text_or_empty(e[1].file), e[1].line, e[1].access);
}

/* The thread blocks and the first byte are those of the launch that brought the row. */
static void keep_race(void *row, Arena *a)
{
	RaceStats *r = row;
	for (int k = 0; k < 2; k++) {
		r->end[k].function = keep_row_text(a, r->end[k].function);
		r->end[k].label = keep_row_text(a, r->end[k].label);
		r->end[k].file = keep_row_text(a, r->end[k].file);
		r->end[k].inlined = place_list_copy(a, r->end[k].inlined);
	}
	r->buffer = keep_row_text(a, r->buffer);
}

static void add_race(void *to, const void *row, Arena *a)
{
	RaceStats *sum = to;
	const RaceStats *r = row;
	(void)a;
	sum->bytes += r->bytes;
	sum->same += r->same;
}

static const RowKind race_rows = { sizeof(RaceStats), same_race, race_key, keep_race, add_race };

/* ---- tables ---- */

/* Row i of an array of rows of that kind. */
static const void *row_of_kind(const RowKind *kind, const void *rows, int i)
{
	return (const char *)rows + kind->size * (size_t)i;
}

/* Adds a row. likely: the number that the row probably has in the sum, since launches of one kernel have the
   same rows; this number is tried first. Returns the number that it has. */
static int add_row(TableSums *t, RowSum *sum, const RowKind *kind, const void *row, int likely,
	uint64_t since)
{
	int i = likely;
	if (i >= sum->n || !kind->same(row_of_kind(kind, sum->v, i), row)) {
		const char *key = kind->key(row, &t->keys);
		i = strmap_get(&sum->at, key);
		if (i < 0)
			strmap_put(&sum->at, key, sum->n);
	}
	if (i >= 0) {
		kind->add((char *)sum->v + kind->size * (size_t)i, row, t->arena);
		return i;
	}
	if (sum->n == sum->cap)
		vec_grow_(&sum->v, &sum->cap, sum->n + 1, kind->size);
	void *new = (char *)sum->v + kind->size * (size_t)sum->n;
	memcpy(new, row, kind->size);
	kind->keep(new, t->arena);
	vec_push(&sum->since, since);
	return sum->n++;
}

static void add_rows(TableSums *t, RowSum *sum, const RowKind *kind, const void *rows, int n, uint64_t launch)
{
	for (int i = 0; i < n; i++)
		add_row(t, sum, kind, row_of_kind(kind, rows, i), i, launch);
}

void tables_add(TableSums *t, const Tables *from, uint64_t launch)
{
#define T(NAME, ROW, KIND) add_rows(t, &t->NAME, &KIND, from->NAME.v, from->NAME.n, launch);
	TABLES(T)
#undef T
}

/* One of the sums that are joined: its row `next` is the first that is not joined yet; likely: the number
   that this row probably gets. */
typedef struct Joined { const RowSum *from; int next, likely; } Joined;

/* The sum whose next row was brought first; NULL: no sum has a row left. A launch has brought rows to one sum
   alone, so no two can be the first. */
static Joined *first_brought(Joined *j, int n)
{
	Joined *first = NULL;
	for (int k = 0; k < n; k++)
		if (j[k].next < j[k].from->n && (!first || j[k].from->since.v[j[k].next] <
			first->from->since.v[first->next]))
			first = &j[k];
	return first;
}

static void join_rows(TableSums *t, RowSum *to, const RowKind *kind, Joined *j, int n)
{
	for (Joined *x; (x = first_brought(j, n));) {
		uint64_t launch = x->from->since.v[x->next];
		for (; x->next < x->from->n && x->from->since.v[x->next] == launch; x->next++)
			x->likely = 1 + add_row(t, to, kind, row_of_kind(kind, x->from->v, x->next),
				x->likely, launch);
	}
}

void tables_join(TableSums *to, TableSums *const *from, int n)
{
	Joined *j = xcalloc((size_t)n + 1, sizeof *j);
#define T(NAME, ROW, KIND) \
	for (int k = 0; k < n; k++) \
		j[k] = (Joined){ .from = &from[k]->NAME }; \
	join_rows(to, &to->NAME, &KIND, j, n);
	TABLES(T)
#undef T
	free(j);
}

Tables tables_of(const TableSums *t)
{
	return (Tables){
#define T(NAME, ROW, KIND) .NAME = { t->NAME.v, t->NAME.n },
		TABLES(T)
#undef T
	};
}

static void free_rows(RowSum *sum)
{
	free(sum->v);
	vec_free(&sum->since);
	strmap_free(&sum->at);
}

void tables_free(TableSums *t)
{
#define T(NAME, ROW, KIND) free_rows(&t->NAME);
	TABLES(T)
#undef T
	arena_free(&t->keys);
}
