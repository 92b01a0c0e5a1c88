/* Questions about two accesses: their spaces, the objects that they lie in, and whether they may meet there
   (memdep_meet.c). */
#include "passes/analysis/memdep_own.h"

const char *const mem_assumption[MEM_ASSUMPTIONS] = { "in-bounds", "restrict", "no-wrap", "one-dimension" };

/* ---- spaces and bases ---- */

/* The base is the symbol in the form; else the one parameter that is declared to be a pointer; else the one
   term of 64 bits, if that is a parameter. */
int memdep_base(const MemDep *d, int form)
{
	int found = -1, pointers = 0, candidates = 0, symbol = -1, pointer = -1;
	const MemForm *f = form < 0 ? NULL : &d->form[form];
	for (int k = 0; f && k < f->n; k++) {
		const MemAtom *x = &d->atom[f->term[k].atom];
		if (x->kind == ATOM_SYMBOL && f->term[k].k == 1 && symbol < 0)
			symbol = f->term[k].atom;
		else if (x->kind == ATOM_SYMBOL)
			return -1;
		candidates += x->kind == ATOM_VERSION && x->hi >> 32;
		if (x->kind != ATOM_PARAM || f->term[k].k != 1 || x->hi >> 32 == 0)
			continue;
		candidates++;
		found = f->term[k].atom;
		if (d->c->f->param.v[x->id].pointer)
			pointers++, pointer = f->term[k].atom;
	}
	return symbol >= 0 ? symbol : pointers == 1 ? pointer : candidates == 1 ? found : -1;
}

static int form_of(const MemAccess *a, unsigned assume) { return a->form[assume & MEM_NO_WRAP ? 1 : 0]; }

static uint8_t access_spaces(const MemDep *d, const MemAccess *a, unsigned assume)
{
	uint8_t all = a->reads | a->writes;
	int f = form_of(a, assume), base = memdep_base(d, f);
	if (!a->generic || !(assume & (MEM_IN_BOUNDS | MEM_RESTRICT)) || f < 0)
		return all;
	for (int k = 0; k < d->form[f].n; k++)
		if (d->atom[d->form[f].term[k].atom].kind == ATOM_WINDOW)
			return d->form[f].term[k].k == 1 ? SPACE_BIT(d->atom[d->form[f].term[k].atom].id) &
				all : all;
	if (base < 0)
		return all;
	if (d->atom[base].kind == ATOM_SYMBOL) {
		uint8_t space = d->m->symbol.v[d->atom[base].id]->space;
		return space == SP_GLOBAL || space == SP_CONST ? SPACE_BIT(space) & all : all;
	}
	const Param *q = &d->c->f->param.v[d->atom[base].id];
	return q->pointer && q->space != SP_GENERIC ? SPACE_BIT(q->space) & all : all;
}

/* Can the two addresses be subtracted? Both must be of one space, or generic; addresses of global and
   constant memory are generic addresses, too. */
static bool are_comparable(const MemAccess *a, const MemAccess *b, unsigned sa, unsigned sb, unsigned assume)
{
	const unsigned flat = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_CONST);
	if (a->generic == b->generic)
		return a->generic || sa == sb || !((sa | sb) & ~flat);
	unsigned direct = a->generic ? sb : sa, other = a->generic ? sa : sb;
	return !(direct & ~flat) || (assume & MEM_IN_BOUNDS && direct == other);
}

/* Does the symbol hold all bytes that the access can touch, by the range of its offset? */
static bool in_symbol(const MemDep *d, const MemAccess *a, int f, int base)
{
	const Symbol *s = d->m->symbol.v[d->atom[base].id];
	Wide lo = d->form[f].constant, hi = lo;
	for (int k = 0; k < d->form[f].n; k++) {
		const MemAtom *x = &d->atom[d->form[f].term[k].atom];
		Wide c = d->form[f].term[k].k;
		if (d->form[f].term[k].atom == base || x->kind == ATOM_WINDOW)
			continue;
		if (x->hi >= (Wide)1 << 48 || x->lo <= -((Wide)1 << 48))
			return false;
		lo += c * (c > 0 ? x->lo : x->hi);
		hi += c * (c > 0 ? x->hi : x->lo);
	}
	return lo >= 0 && hi + a->size <= (Wide)s->size;
}

/* Does the access go to the space in which the symbol lies, by a generic address or one of that space? */
static bool at_symbol(const MemDep *d, const MemAccess *a, int f, int base)
{
	int space = d->m->symbol.v[d->atom[base].id]->space, window = -1;
	for (int k = 0; k < d->form[f].n; k++)
		if (d->atom[d->form[f].term[k].atom].kind == ATOM_WINDOW)
			window = window < 0 && d->form[f].term[k].k == 1 ? d->atom[d->form[f].term[k].atom].id
				: SP_COUNT;
	bool flat = space == SP_GLOBAL || space == SP_CONST;
	if (a->generic)
		return window == (flat ? -1 : space);
	return window < 0 && (flat ? !((a->reads | a->writes) & ~(SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_CONST)))
		: (a->reads | a->writes) == SPACE_BIT(space));
}

/* The buffers that the parameter or symbol may lead to; NULL: unknown. */
static const BitSet *leads_of(const MemDep *d, const MemAtom *x)
{
	const BitSet *all = x->kind == ATOM_PARAM ? d->param_leads : d->symbol_leads;
	return all && all[x->id].w && !x->sub ? &all[x->id] : NULL;
}

static bool lead_apart(const MemDep *d, const MemAtom *x, const MemAtom *y)
{
	const BitSet *a = leads_of(d, x), *b = leads_of(d, y);
	bool meet = !a || !b || bs_next(*a, 0) < 0 || bs_next(*b, 0) < 0;
	for (int k = 0; !meet && k < a->n; k++)
		meet = a->w[k] & b->w[k];
	return !meet;
}

static bool objects_differ(const AccessPair *p, int f, int g)
{
	const MemDep *d = p->d;
	int x = memdep_base(d, f), y = memdep_base(d, g);
	if (x < 0 || y < 0 || x == y)
		return false;
	const MemAtom *s = &d->atom[x], *t = &d->atom[y];
	if (s->kind == ATOM_PARAM || t->kind == ATOM_PARAM) {
		bool lead = s->kind != t->kind || s->id != t->id || s->sub != t->sub;
		return (lead && p->assume & MEM_RESTRICT) ||
			(p->assume & MEM_IN_BOUNDS && lead_apart(d, s, t));
	}
	const Symbol *v = d->m->symbol.v[s->id], *w = d->m->symbol.v[t->id];
	if (!v->size || !w->size || v->external || w->external || !at_symbol(d, p->a, f, x) ||
		!at_symbol(d, p->b, g, y))
		return false; /* memory whose size the launch gives begins at one place for all its symbols */
	return p->assume & MEM_IN_BOUNDS || (in_symbol(d, p->a, f, x) && in_symbol(d, p->b, g, y));
}

static bool alias_assuming(AccessPair *p)
{
	const unsigned sa = access_spaces(p->d, p->a, p->assume), sb = access_spaces(p->d, p->b, p->assume);
	int f = form_of(p->a, p->assume), g = form_of(p->b, p->assume);
	if (!(sa & sb))
		return false;
	if (p->who != ONE_THREAD && p->d->c->f->kind != FN_KERNEL)
		return true;
	if ((p->who != ONE_THREAD && !((sa & sb) & ~SPACE_BIT(SP_LOCAL))) ||
		(p->who == OTHER_BLOCK && !((sa & sb) & ~(SPACE_BIT(SP_LOCAL) | SPACE_BIT(SP_SHARED)))))
		return false;
	if (f < 0 || g < 0 || !p->a->size || !p->b->size)
		return true;
	if (objects_differ(p, f, g))
		return false;
	return !are_comparable(p->a, p->b, sa, sb, p->assume) || pair_may_meet(p, f, g);
}

/* ---- what callers ask ---- */

/* sets of assumptions, small ones first */
static const uint8_t tries[1 << MEM_ASSUMPTIONS] = { 0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15 };

static void rest_on(MemAsk *q, unsigned assume)
{
	q->rests = assume;
	for (int k = 0; k < MEM_ASSUMPTIONS; k++)
		q->count[k] += assume >> k & 1;
}

static bool may(const MemDep *d, MemAsk *q, const MemAccess *a, const MemAccess *b, WhichThread who)
{
	q->rests = 0;
	for (int k = 0; k < 1 << MEM_ASSUMPTIONS; k++) {
		AccessPair p = { .d = d, .a = a, .b = b, .assume = tries[k], .within = q->within,
			.who = who };
		if (tries[k] & ~q->allow || alias_assuming(&p))
			continue;
		rest_on(q, tries[k]);
		return false;
	}
	return true;
}

bool memdep_may_alias(const MemDep *d, MemAsk *q, int a, int b)
{
	return may(d, q, &d->access[a], &d->access[b], ONE_THREAD);
}
bool memdep_block_may_alias(const MemDep *d, MemAsk *q, int a, int b)
{
	return may(d, q, &d->access[a], &d->access[b], OTHER_THREAD);
}
bool memdep_grid_may_alias(const MemDep *d, MemAsk *q, int a, int b)
{
	return may(d, q, &d->access[a], &d->access[b], OTHER_BLOCK);
}

bool memdep_must_alias(const MemDep *d, MemAsk *q, int a, int b)
{
	const MemAccess *x = &d->access[a], *y = &d->access[b];
	q->rests = 0;
	if (!x->size || x->size != y->size || x->generic != y->generic ||
		(!x->generic && (x->reads | x->writes) != (y->reads | y->writes)))
		return false;
	for (int mode = 0; mode < (q->allow & MEM_NO_WRAP ? 2 : 1); mode++) {
		AccessPair p = { .d = d, .a = x, .b = y, .within = q->within, .who = ONE_THREAD };
		int f = x->form[mode];
		bool same = f >= 0 && f == y->form[mode];
		for (int k = 0; same && k < d->form[f].n; k++)
			same = pair_fixed(&p, d->form[f].term[k].atom);
		if (!same)
			continue;
		rest_on(q, mode ? MEM_NO_WRAP : 0);
		return true;
	}
	return false;
}

bool memdep_same_thread(const MemDep *d, MemAsk *q, int a, int b)
{
	bool met = memdep_block_may_alias(d, q, a, b);
	unsigned rests = q->rests;
	met = met || memdep_grid_may_alias(d, q, a, b);
	q->rests |= rests;
	return !met;
}

bool memdep_same_thread_only(const MemDep *d, MemAsk *q, int a)
{
	unsigned rests = 0;
	for (int b = 0; b < d->naccess; b++) {
		if (!d->access[b].reads && !d->access[b].writes)
			continue;
		if (!memdep_same_thread(d, q, a, b))
			return q->rests = 0, false;
		rests |= q->rests;
	}
	q->rests = rests;
	return true;
}

bool memdep_orders_access(const MemDep *d, MemAsk *q, const MemAccess *x, int b)
{
	const MemAccess *y = &d->access[b];
	q->rests = 0;
	if (x->ordered || y->ordered)
		return true;
	return (x->writes || y->writes) && may(d, q, x, y, ONE_THREAD);
}

bool memdep_orders(const MemDep *d, MemAsk *q, int a, int b)
{
	return memdep_orders_access(d, q, &d->access[a], b);
}

int memdep_find(const MemDep *d, int block, int ins)
{
	int lo = d->first[block], hi = lo + d->count[block];
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (d->access[mid].ins < ins)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->first[block] + d->count[block] && d->access[lo].ins == ins ? lo : -1;
}
