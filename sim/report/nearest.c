/* The nearest place in the source of instructions to which the compiler gave none (line 0 of .loc). */
#include "sim/report/by_place.h"

/* An instruction without a place in the source, and the one whose place is taken for it. */
typedef struct Near { const Ins *ins, *near; int order; } Near;
typedef struct Nearest { Vec(Near) v; } Nearest;

static bool in_source(const Ins *i) { return i->file && i->line > 0; }

static const Ins *first_in_source(const Ins *i, int n)
{
	for (int k = 0; k < n; k++)
		if (in_source(&i[k]))
			return &i[k];
	return NULL;
}

static const Ins *first_placed(const Function *f)
{
	const Ins *first = NULL;
	for (int b = 0; b < f->block.n && !first; b++)
		first = first_in_source(f->block.v[b]->ins.v, f->block.v[b]->ins.n);
	return first;
}

/* Within a block the instruction before is the nearest, else the one behind; then those of the blocks
   around. */
static void find_nearest(Nearest *n, const Function *f)
{
	const Ins *before = NULL, *first = first_placed(f);
	for (int b = 0; first && b < f->block.n; b++) {
		const Block *x = f->block.v[b];
		const Ins *last = NULL, *behind = first_in_source(x->ins.v, x->ins.n);
		for (int k = 0; k < x->ins.n; k++) {
			const Ins *i = &x->ins.v[k];
			last = in_source(i) ? i : last;
			before = last ? last : before;
			int order = n->v.n;
			if (!in_source(i) && i->line > 0)
				vec_push(&n->v, ((Near){ i, last ? last : behind ? behind : before ? before
					: first, order }));
		}
	}
}

static int by_own_line(const void *a, const void *b)
{
	const Near *x = a, *y = b;
	return x->ins->line != y->ins->line ? (x->ins->line > y->ins->line) - (x->ins->line < y->ins->line)
		: x->order - y->order;
}

void nearest_json(const Module *m, JsonSink *j)
{
	Nearest n = { 0 };
	for (int f = 0; m->file.n > 1 && f < m->func.n; f++)
		find_nearest(&n, m->func.v[f]);
	if (!n.v.n)
		return;
	qsort(n.v.v, (size_t)n.v.n, sizeof *n.v.v, by_own_line);
	j->key(j, "nearest");
	j->begin(j, '[', false);
	for (int k = 0; k < n.v.n; k++) {
		const Near *x = &n.v.v[k];
		if (k && x->ins->line == (x - 1)->ins->line)
			continue;
		j->begin(j, '{', true);
		json_put_count(j, "line", (uint64_t)x->ins->line);
		json_put_text(j, "source", m->file.v[x->near->file]);
		json_put_count(j, "source_line", (uint64_t)x->near->line);
		j->end(j);
	}
	j->end(j);
	vec_free(&n.v);
}
