/* Lists of places in the source: of melded instructions, and of inlined ones (isa/ir.h). */
#include "isa/ir.h"
#include <string.h>

bool place_next(const Module *m, int *at, Loc *loc)
{
	if (!*at)
		return false;
	const SourcePlace *p = &m->place.v[*at];
	*loc = p->line ? (Loc){ m->file.v[p->file], p->line, p->col } : (Loc){ 0 };
	*at = p->next;
	return true;
}

static int add_place(Module *m, SourcePlace p)
{
	if (!m->place.n)
		vec_push(&m->place, (SourcePlace){ 0 });
	vec_push(&m->place, p);
	return m->place.n - 1;
}

/* ---- melded instructions ---- */

typedef struct NamedPlace { const char *file; SourcePlace p; } NamedPlace;

/* Orders places by file, line and column; the unknown place comes first. */
static int by_source_place(const void *a, const void *b)
{
	const NamedPlace *x = a, *y = b;
	int c = x->p.line && y->p.line ? strcmp(x->file, y->file) : 0;
	return c ? c : x->p.line != y->p.line ? (x->p.line > y->p.line) - (x->p.line < y->p.line)
		: (x->p.col > y->p.col) - (x->p.col < y->p.col);
}

int module_melded(Module *m, const SourcePlace *place, int n)
{
	int list = 0;
	if (!n)
		return 0;
	NamedPlace *all = xcalloc((size_t)n, sizeof *all);
	for (int k = 0; k < n; k++) {
		bool known = place[k].line;
		all[k] = (NamedPlace){ known ? m->file.v[place[k].file] : "",
			{ known ? place[k].file : 0, place[k].line, known ? place[k].col : 0, 0 } };
	}
	qsort(all, (size_t)n, sizeof *all, by_source_place);
	for (int k = n - 1; k >= 0; k--) {
		if (k + 1 < n && !by_source_place(&all[k], &all[k + 1]))
			continue;
		all[k].p.next = list;
		list = add_place(m, all[k].p);
	}
	free(all);
	return list;
}

typedef Vec(SourcePlace) PlaceVec;

static void add_list(const Module *m, PlaceVec *to, const Ins *i)
{
	for (int k = i->melded; k; k = m->place.v[k].next)
		vec_push(to, m->place.v[k]);
}

void ins_meld(Module *m, Ins *i, const Ins *const *others, int n)
{
	PlaceVec all = { 0 };
	const Ins old = *i, *own = i;
	/* if one of them stands in the source, the result stands there */
	for (int k = 0; k < n && own->origin; k++)
		own = others[k]->origin ? own : others[k];
	for (int k = -1; k < n; k++) {
		const Ins *x = k < 0 ? &old : others[k];
		if (x != (own == i ? &old : own))
			vec_push(&all, ((SourcePlace){ x->file, x->line, x->col, 0 }));
		add_list(m, &all, x);
	}
	ins_instead(i, own);
	i->melded = module_melded(m, all.v, all.n);
	vec_free(&all);
}

void ins_instead(Ins *i, const Ins *old)
{
	i->origin = old->origin;
	i->melded = old->melded;
	ins_place(i, old);
}

void ins_place(Ins *i, const Ins *like)
{
	i->file = like->file;
	i->line = like->line;
	i->col = like->col;
	i->inlined = like->inlined;
}

/* ---- inlined instructions ---- */

int module_inlined(Module *m, SourcePlace inner, int list)
{
	inner.next = list;
	return add_place(m, inner);
}

SourcePlace places_own(const Module *m, int list)
{
	const SourcePlace *p = &m->place.v[list], *last = p;
	while (last->next)
		last = &m->place.v[last->next];
	while (p->file != last->file)
		p = &m->place.v[p->next];
	return *p;
}

void ins_place_inlined(const Module *m, Ins *i, int list)
{
	SourcePlace own = places_own(m, list), *p = &own;
	i->file = p->file;
	i->line = p->line;
	i->col = p->col;
	i->inlined = list;
}

Loc *places_list(const Module *m, int list, Arena *a, int *n)
{
	Loc loc;
	*n = 0;
	for (int at = list; place_next(m, &at, &loc);)
		*n += loc.line > 0;
	Loc *v = arena_array(a, Loc, *n + 1), *p = v;
	for (int at = list; place_next(m, &at, &loc);)
		if (loc.line > 0)
			*p++ = loc;
	return v;
}

void place_print(Loc l, StrBuf *out)
{
	const char *slash = strrchr(l.file, '/');
	sb_printf(out, "%.60s:%d", slash ? slash + 1 : l.file, l.line);
}

/* Where there are more than two calls outside, only the first and the last are printed. */
void places_print_inlined(const char *file, int line, const Loc *v, int n, StrBuf *out)
{
	int own = 0;
	while (own < n && !(v[own].line == line && !strcmp(v[own].file, file ? file : "")))
		own++;
	if (n < 2 || own == n)
		return;
	sb_puts(out, own ? " (inlined " : " (inlined");
	if (own)
		place_print(v[0], out);
	for (int k = own + 1; k < n; k++)
		if (k == own + 1 || k == n - 1) {
			sb_puts(out, own || k > own + 1 ? ", at " : " at ");
			place_print(v[k], out);
		}
	sb_putc(out, ')');
}

void ins_print_inlined(const Module *m, const Ins *i, StrBuf *out)
{
	Arena a = { 0 };
	int n;
	const Loc own = ins_loc(m, i), *v = places_list(m, i->inlined, &a, &n);
	places_print_inlined(own.file, own.line, v, n, out);
	arena_free(&a);
}
