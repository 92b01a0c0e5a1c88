/* Melded instructions: the places of those of which passes have made one (isa/ir.h). */
#include "isa/ir.h"

bool melded_next(const Module *m, int *at, Loc *loc)
{
	if (!*at)
		return false;
	const MeldedPlace *p = &m->melded.v[*at];
	*loc = p->line ? (Loc){ m->file.v[p->file], p->line, p->col } : (Loc){ 0 };
	*at = p->next;
	return true;
}

/* ---- lists ---- */

typedef struct Named { const char *file; MeldedPlace p; } Named;

/* The unknown place comes first. */
static int by_place(const void *a, const void *b)
{
	const Named *x = a, *y = b;
	int c = x->p.line && y->p.line ? strcmp(x->file, y->file) : 0;
	return c ? c : x->p.line != y->p.line ? (x->p.line > y->p.line) - (x->p.line < y->p.line) : (x->p.col > y->p.col) - (x->p.col < y->p.col);
}

int module_melded(Module *m, const MeldedPlace *place, int n)
{
	int list = 0;
	if (!n)
		return 0;
	if (!m->melded.n)
		vec_push(&m->melded, (MeldedPlace){ 0 });
	Named *all = xcalloc((size_t)n, sizeof *all);
	for (int k = 0; k < n; k++) {
		bool known = place[k].line;
		all[k] = (Named){ known ? m->file.v[place[k].file] : "", { known ? place[k].file : 0, place[k].line, known ? place[k].col : 0, 0 } };
	}
	qsort(all, (size_t)n, sizeof *all, by_place);
	for (int k = n - 1; k >= 0; k--) {
		if (k + 1 < n && !by_place(&all[k], &all[k + 1]))
			continue;
		all[k].p.next = list;
		vec_push(&m->melded, all[k].p);
		list = m->melded.n - 1;
	}
	free(all);
	return list;
}

typedef Vec(MeldedPlace) Places;

static void add_list(const Module *m, Places *to, const Ins *i)
{
	for (int k = i->melded; k; k = m->melded.v[k].next)
		vec_push(to, m->melded.v[k]);
}

void ins_meld(Module *m, Ins *i, const Ins *const *others, int n)
{
	Places all = { 0 };
	const Ins old = *i, *own = i;
	for (int k = 0; k < n && own->origin; k++) /* what is the source's for one of them is the source's */
		own = others[k]->origin ? own : others[k];
	for (int k = -1; k < n; k++) {
		const Ins *x = k < 0 ? &old : others[k];
		if (x != (own == i ? &old : own))
			vec_push(&all, ((MeldedPlace){ x->file, x->line, x->col, 0 }));
		add_list(m, &all, x);
	}
	ins_instead(i, own);
	i->melded = module_melded(m, all.v, all.n);
	vec_free(&all);
}

void ins_instead(Ins *i, const Ins *old)
{
	i->origin = old->origin;
	i->file = old->file;
	i->line = old->line;
	i->col = old->col;
	i->melded = old->melded;
}
