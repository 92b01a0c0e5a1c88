/* A fact is an access that is certain to take place once control comes to it: space, affine form of its
 * address, size. It holds until an atom of its form gets a new value: a version where it is written, the
 * number of a cycle's turn at the cycle's header. Two problems of dataflow, forward and backward, say where
 * facts hold. They are solved for 64 facts at a time, and only for those that somebody asks about. */
#include "passes/analysis/flow.h"
#include "passes/analysis/safe_loads_own.h"

enum { WINDOW = 64 };

/* ---- building ---- */

int safe_compare_terms(const MemForm *a, const MemForm *b)
{
	if (a->bits != b->bits || a->n != b->n)
		return a->bits != b->bits ? a->bits - b->bits : a->n - b->n;
	for (int k = 0; k < a->n; k++) {
		if (a->term[k].atom != b->term[k].atom)
			return a->term[k].atom - b->term[k].atom;
		if (a->term[k].k != b->term[k].k)
			return a->term[k].k < b->term[k].k ? -1 : 1;
	}
	return 0;
}

static int by_form(const void *x, const void *y)
{
	const Fact *a = x, *b = y;
	int c = safe_compare_terms(a->form, b->form);
	if (!c && a->form->constant != b->form->constant)
		return a->form->constant < b->form->constant ? -1 : 1;
	if (!c)
		c = a->space != b->space ? (int)a->space - (int)b->space : a->size - b->size;
	return c ? c : a->first - b->first;
}

static int by_event_place(const void *x, const void *y)
{
	const FactEvent *a = x, *b = y;
	if (a->block != b->block || a->ins != b->ins)
		return a->block != b->block ? a->block - b->block : a->ins - b->ins;
	return b->access - a->access;
}

typedef Vec(FactEvent) FactEvents;

static void form_ends(const SafeLoads *s, const MemForm *, FactEvents *);

/* Adds to the list the places at which the atom gets a new value. */
static void atom_ends(const SafeLoads *s, int atom, FactEvents *list)
{
	const MemAtom *a = &s->d->atom[atom];
	const SsaVersion *v = a->kind == ATOM_VERSION ? &s->ssa->version[a->id] : NULL;
	switch (a->kind) {
	case ATOM_VERSION:
		if (v->ins != SSA_ENTRY)
			vec_push(list, ((FactEvent){ v->block, v->ins == SSA_PHI ? -1 : v->ins, false }));
		break;
	case ATOM_TURN: vec_push(list, ((FactEvent){ s->c->nest->header[a->id], -1, false })); break;
	case ATOM_PRODUCT:
		atom_ends(s, a->id, list);
		atom_ends(s, a->sub, list);
		break;
	case ATOM_SIGNED: case ATOM_ZERO: form_ends(s, &s->d->form[a->id], list); break;
	default: break;
	}
}

static void form_ends(const SafeLoads *s, const MemForm *f, FactEvents *list)
{
	for (int k = 0; k < f->n; k++)
		atom_ends(s, f->term[k].atom, list);
}

/* Does the access prove that its address is mapped? */
static bool proves(const SafeLoads *s, const MemAccess *a)
{
	const Ins *i = &s->c->f->block.v[a->block]->ins.v[a->ins];
	return a->form[0] >= 0 && a->size > 0 && i->guard < 0 && !(i->flags & INSF_NONFAULTING);
}

static void find_access_facts(SafeLoads *s)
{
	const MemDep *d = s->d;
	Vec(Fact) list = { 0 };
	FactEvents all = { 0 }, one = { 0 };
	for (int k = 0; k < d->naccess; k++)
		if (proves(s, &d->access[k])) {
			const MemAccess *a = &d->access[k];
			Space space = (Space)s->c->f->block.v[a->block]->ins.v[a->ins].space;
			vec_push(&list, ((Fact){ .form = &d->form[a->form[0]], .space = space,
				.size = a->size, .first = k }));
		}
	if (list.n)
		qsort(list.v, (size_t)list.n, sizeof *list.v, by_form);
	s->fact = arena_array(s->arena, Fact, list.n + 1);
	for (int k = 0; k < list.n;) {
		Fact f = list.v[k];
		vec_clear(&one);
		form_ends(s, f.form, &one);
		for (; k < list.n && list.v[k].form == f.form && list.v[k].space == f.space &&
			list.v[k].size == f.size; k++) {
			const MemAccess *a = &d->access[list.v[k].first];
			vec_push(&one, ((FactEvent){ a->block, a->ins, true }));
		}
		qsort(one.v, (size_t)one.n, sizeof *one.v, by_event_place);
		f.first = all.n;
		f.n = one.n;
		for (int e = 0; e < one.n; e++)
			vec_push(&all, one.v[e]);
		s->fact[s->nfact++] = f;
	}
	s->nevent = all.n;
	s->event = arena_array(s->arena, FactEvent, all.n + 1);
	if (all.n)
		memcpy(s->event, all.v, sizeof *all.v * (size_t)all.n);
	vec_free(&list);
	vec_free(&all);
	vec_free(&one);
}

/* Finds the places within blocks at which threads may end, and the blocks from which no way leads to an
   end. */
static void find_thread_ends(SafeLoads *s, const EffectTable *effects)
{
	Vec(InsPlace) list = { 0 };
	const Cfg *c = s->c;
	int *todo = xcalloc((size_t)c->n + 1, sizeof *todo), n = 0;
	s->endless = bs_new(s->arena, c->n + 1);
	for (int b = 0; b < c->n; b++) {
		const Block *x = c->f->block.v[b];
		bs_add(s->endless, b);
		for (int k = 0; k < x->ins.n - 1; k++)
			if (ins_effects(effects, &x->ins.v[k]).ends)
				vec_push(&list, ((InsPlace){ b, k }));
		if (bs_has(c->reach, b) && !x->nsucc)
			todo[n++] = b;
	}
	for (int k = 0; k < n; k++)
		bs_del(s->endless, todo[k]);
	while (n > 0)
		for (int b = todo[--n], k = 0; k < c->npred[b]; k++) {
			int p = c->pred[b][k]->id;
			if (bs_has(s->endless, p)) {
				bs_del(s->endless, p);
				todo[n++] = p;
			}
		}
	free(todo);
	s->nend = list.n;
	s->end = arena_array(s->arena, InsPlace, list.n + 1);
	if (list.n)
		memcpy(s->end, list.v, sizeof *list.v * (size_t)list.n);
	vec_free(&list);
}

static void list_atoms(SafeLoads *s)
{
	s->atom_of = arena_array(s->arena, int, s->ssa->n + 1);
	s->symbol_atom = arena_array(s->arena, int, s->d->m->symbol.n + 1);
	for (int v = 0; v < s->ssa->n; v++)
		s->atom_of[v] = -1;
	for (int k = 0; k < s->d->m->symbol.n; k++)
		s->symbol_atom[k] = -1;
	for (int a = 0; a < s->d->natom; a++) {
		const MemAtom *x = &s->d->atom[a];
		if (x->kind == ATOM_VERSION)
			s->atom_of[x->id] = a;
		else if (x->kind == ATOM_SYMBOL)
			s->symbol_atom[x->id] = a;
	}
}

SafeLoads *safe_loads_build(Arena *a, const Cfg *c, const Dom *dom, const Ssa *ssa, const Liveness *live,
	const MemDep *d, const EffectTable *effects)
{
	must(cfg_fresh(c));
	SafeLoads *s = arena_new(a, SafeLoads);
	*s = (SafeLoads){ .arena = a, .c = c, .ssa = ssa, .d = d,
		.versions = versions_build(a, c, dom, ssa, live) };
	find_access_facts(s);
	find_thread_ends(s, effects);
	list_atoms(s);
	s->solved = arena_array(a, Solved, s->nfact / WINDOW + 1);
	return s;
}

/* ---- data flow ---- */

/* Finds the fact's events in a block: their indices are *from up to, not including, the number returned. */
static int events_of(const SafeLoads *s, const Fact *f, int block, int *from)
{
	int lo = f->first, hi = f->first + f->n;
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (s->event[mid].block < block)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*from = lo; lo < f->first + f->n && s->event[lo].block == block;)
		lo++;
	return lo;
}

/* The first place at or behind the instruction at which threads may end; the block's length when there is
   none. */
static int next_end(const SafeLoads *s, int block, int ins)
{
	int lo = 0, hi = s->nend;
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (s->end[mid].block < block || (s->end[mid].block == block && s->end[mid].ins < ins))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nend && s->end[lo].block == block ? s->end[lo].ins : s->c->f->block.v[block]->ins.n;
}

/* by block; [0] of the forward problem, [1] of the backward one */
typedef struct Sets { BitSet *gen[2], *kill[2]; } Sets;

static void fill_sets(const SafeLoads *s, int window, Sets *x)
{
	int last = (window + 1) * WINDOW < s->nfact ? (window + 1) * WINDOW : s->nfact;
	for (int b = 0; b < s->c->n; b++)
		if (bs_has(s->endless, b) || next_end(s, b, 0) < s->c->f->block.v[b]->ins.n)
			x->kill[1][b].w[0] = ~(uint64_t)0;
	for (int k = window * WINDOW; k < last; k++) {
		const Fact *f = &s->fact[k];
		for (int e = f->first; e < f->first + f->n;) {
			int b = s->event[e].block, to = e;
			while (to < f->first + f->n && s->event[to].block == b)
				to++;
			const FactEvent *first = &s->event[e], *end = &s->event[to - 1];
			bs_add(end->access ? x->gen[0][b] : x->kill[0][b], k % WINDOW);
			bs_add(first->access && first->ins < next_end(s, b, 0) ? x->gen[1][b] : x->kill[1][b],
				k % WINDOW);
			e = to;
		}
	}
}

static const Solved *solve_window(const SafeLoads *s, int window)
{
	Solved *of = &s->solved[window];
	if (of->in)
		return of;
	Arena tmp = { 0 };
	const Cfg *c = s->c;
	int *order = arena_array(&tmp, int, c->nreach + 1);
	Sets x;
	for (int k = 0; k < 2; k++) {
		x.gen[k] = flow_sets(&tmp, c->n, WINDOW);
		x.kill[k] = flow_sets(&tmp, c->n, WINDOW);
	}
	fill_sets(s, window, &x);
	for (int k = 0; k < c->nreach; k++)
		order[k] = c->rpo[k]->id;
	for (int k = 0; k < 2; k++) {
		Flow f = { .g = c->graph, .order = order, .norder = c->nreach, .bits = WINDOW,
			.backward = k == 1, .all = true, .greatest = true,
			.gen = x.gen[k], .kill = x.kill[k] };
		flow_solve(&tmp, &f);
		BitSet *keep = flow_sets(s->arena, c->n, WINDOW);
		for (int b = 0; b < c->n; b++)
			bs_copy(keep[b], f.before[b]);
		*(k ? &of->out : &of->in) = keep;
	}
	arena_free(&tmp);
	return of;
}

bool safe_accessed_before(const SafeLoads *s, int fact, int block, int ins)
{
	const Fact *f = &s->fact[fact];
	int from, to = events_of(s, f, block, &from);
	while (to > from && s->event[to - 1].ins >= ins)
		to--;
	return to > from ? s->event[to - 1].access : bs_has(solve_window(s, fact / WINDOW)->in[block],
		fact % WINDOW);
}

bool safe_accessed_after(const SafeLoads *s, int fact, int block, int ins)
{
	const Fact *f = &s->fact[fact];
	int from, to = events_of(s, f, block, &from), end = next_end(s, block, ins);
	while (from < to && s->event[from].ins < ins)
		from++;
	if (from < to && s->event[from].ins < end)
		return s->event[from].access;
	return end == s->c->f->block.v[block]->ins.n &&
		bs_has(solve_window(s, fact / WINDOW)->out[block], fact % WINDOW);
}
