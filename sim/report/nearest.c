/* The nearest place in the source of instructions to which the compiler gave none (line 0 of .loc). */
#include "sim/report/by_place.h"

/* An instruction without a place in the source, and the one whose place is taken for it. */
typedef struct Near { const Ins *ins, *near; int order; } Near;

/* source: for each file of the module whether it is one that a compiler read; not the module's own text, nor
   that of another module of which it was made. */
typedef struct Nearest { Vec(Near) v; bool *source; } Nearest;

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && !strcmp(name + n - m, end);
}

/* Notes which files are sources. False: none is. */
static bool note_sources(Nearest *n, const Module *m)
{
	bool any = false;
	n->source = xcalloc((size_t)m->file.n + 1, sizeof *n->source);
	for (int k = 1; k < m->file.n; k++) {
		n->source[k] = !ends_with(m->file.v[k], ".ptx") && !ends_with(m->file.v[k], ".ir");
		any |= n->source[k];
	}
	return any;
}

static bool in_source(const Nearest *n, const Ins *i) { return n->source[i->file] && i->line > 0; }

static const Ins *first_in_source(const Nearest *n, const Block *b)
{
	for (int k = 0; k < b->ins.n; k++)
		if (in_source(n, &b->ins.v[k]))
			return &b->ins.v[k];
	return NULL;
}

static const Ins *first_placed(const Nearest *n, const Function *f)
{
	const Ins *first = NULL;
	for (int b = 0; b < f->block.n && !first; b++)
		first = first_in_source(n, f->block.v[b]);
	return first;
}

/* Within a block the instruction before is the nearest, else the one behind; then those of the blocks
   around. */
static void find_nearest(Nearest *n, const Function *f)
{
	const Ins *before = NULL, *first = first_placed(n, f);
	for (int b = 0; first && b < f->block.n; b++) {
		const Block *x = f->block.v[b];
		const Ins *last = NULL, *behind = first_in_source(n, x);
		for (int k = 0; k < x->ins.n; k++) {
			const Ins *i = &x->ins.v[k];
			last = in_source(n, i) ? i : last;
			before = last ? last : before;
			int order = n->v.n;
			if (!in_source(n, i) && i->line > 0)
				vec_push(&n->v, ((Near){ i, last ? last : behind ? behind : before ? before
					: first, order }));
		}
	}
}

static int by_own_line(const void *a, const void *b)
{
	const Near *x = a, *y = b;
	return x->ins->file != y->ins->file ? x->ins->file - y->ins->file
		: x->ins->line != y->ins->line ? (x->ins->line > y->ins->line) - (x->ins->line < y->ins->line)
		: x->order - y->order;
}

void nearest_json(const Module *m, JsonSink *j)
{
	Nearest n = { 0 };
	bool sources = note_sources(&n, m);
	for (int f = 0; sources && f < m->func.n; f++)
		find_nearest(&n, m->func.v[f]);
	free(n.source);
	if (!n.v.n)
		return;
	qsort(n.v.v, (size_t)n.v.n, sizeof *n.v.v, by_own_line);
	j->key(j, "nearest");
	j->begin(j, '[', false);
	for (int k = 0; k < n.v.n; k++) {
		const Near *x = &n.v.v[k];
		if (k && x->ins->line == (x - 1)->ins->line && x->ins->file == (x - 1)->ins->file)
			continue;
		j->begin(j, '{', true);
		json_put_text(j, "file", m->file.v[x->ins->file]);
		json_put_count(j, "line", (uint64_t)x->ins->line);
		json_put_text(j, "source", m->file.v[x->near->file]);
		json_put_count(j, "source_line", (uint64_t)x->near->line);
		j->end(j);
	}
	j->end(j);
	vec_free(&n.v);
}
