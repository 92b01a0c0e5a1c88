/* Questions about two accesses. The difference of their addresses is written as a sum over unknowns; the
   accesses may meet if this sum can be small enough. */
#include "passes/analysis/memdep.h"
#include "passes/constants.h"
#include "lib/diag.h"

typedef MemWide Wide;

const char *const mem_assumption[MEM_ASSUMPTIONS] = { "in-bounds", "restrict", "no-wrap", "one-dimension" };

enum { UNKNOWNS = 4 * MEMORY_TERMS };
typedef enum { ONE_THREAD, OTHER_THREAD, OTHER_BLOCK } Who;

/* A term k * x with lo <= x <= hi. apart: x is a difference between two threads; as the threads are
   different, not all such x are 0. */
typedef struct Unknown { Wide k, lo, hi; bool apart; } Unknown;

typedef struct Pair {
	const MemDep *d;
	const MemAccess *a, *b;
	unsigned assume;
	int within;
	Who who;
	Unknown u[UNKNOWNS + 1];
	int n, steps;
	Wide at, period;           /* at: the constant; period: addresses count modulo this */
	bool covered[3];      /* dimensions in which a difference between the threads is among the unknowns */
} Pair;

/* ---- can a sum of unknowns lie within [lo, hi]? ---- */

static Wide floor_div(Wide a, Wide b) { return a / b - (a % b && (a < 0) != (b < 0)); }

static Wide gcd(Wide a, Wide b)
{
	for (a = a < 0 ? -a : a, b = b < 0 ? -b : b; b;) {
		Wide t = a % b;
		a = b, b = t;
	}
	return a;
}

/* Can `at` plus the terms from number `from` on lie within [lo, hi]? differ: a term chosen before shows
   already that the threads differ. Largest coefficients come first: they leave the fewest values to try.
   Returns true when in doubt. */
static bool reaches(Pair *p, int from, Wide at, Wide lo, Wide hi, bool differ)
{
	Wide low = at, high = at, common = 0;
	bool may_differ = differ;
	for (int k = from; k < p->n; k++) {
		const Unknown *u = &p->u[k];
		low += u->k * (u->k > 0 ? u->lo : u->hi);
		high += u->k * (u->k > 0 ? u->hi : u->lo);
		common = gcd(common, u->k);
		may_differ |= u->apart && (u->lo || u->hi);
	}
	if (!may_differ || low > hi || high < lo || (common && floor_div(hi - at, common) * common + at < lo))
		return false;
	if (from == p->n || ++p->steps > MEMORY_STEPS)
		return true;
	const Unknown *u = &p->u[from];
	Wide k = u->k > 0 ? u->k : -u->k, ulo = u->k > 0 ? u->lo : -u->hi, uhi = u->k > 0 ? u->hi : -u->lo;
	Wide rest_low = low - at - k * ulo, rest_high = high - at - k * uhi;
	Wide first = -floor_div(-(lo - at - rest_high), k), last = floor_div(hi - at - rest_low, k);
	first = first < ulo ? ulo : first;
	last = last > uhi ? uhi : last;
	if (last - first >= MEMORY_VALUES)
		return true;
	for (Wide v = first; v <= last; v++)
		if (reaches(p, from + 1, at + k * v, lo, hi, differ || (u->apart && v)))
			return true;
	return false;
}

static int by_coefficient(const void *x, const void *y)
{
	const Unknown *a = x, *b = y;
	Wide j = a->k < 0 ? -a->k : a->k, k = b->k < 0 ? -b->k : b->k;
	return j > k ? -1 : j < k;
}

/* May the two accesses share a byte? Terms with the same coefficient are made one, and the period becomes a
   further term. */
static bool meets(Pair *p, bool differ)
{
	Wide low = p->at, high = p->at;
	qsort(p->u, (size_t)p->n, sizeof *p->u, by_coefficient);
	int n = 0;
	for (int k = 0; k < p->n; k++) {
		Unknown u = p->u[k], *v = n ? &p->u[n - 1] : NULL;
		if (v && !u.apart && !v->apart && (u.k == v->k || u.k == -v->k)) {
			v->lo += u.k == v->k ? u.lo : -u.hi;
			v->hi += u.k == v->k ? u.hi : -u.lo;
			continue;
		}
		p->u[n++] = u;
	}
	p->n = n;
	for (int k = 0; k < n; k++) {
		const Unknown *u = &p->u[k];
		low += u->k * (u->k > 0 ? u->lo : u->hi);
		high += u->k * (u->k > 0 ? u->hi : u->lo);
	}
	p->u[p->n++] = (Unknown){ p->period, -floor_div(high, p->period) - 2, -floor_div(low, p->period) + 2,
		false };
	qsort(p->u, (size_t)p->n, sizeof *p->u, by_coefficient);
	return reaches(p, 0, p->at, 1 - (Wide)p->a->size, (Wide)p->b->size - 1, differ);
}

/* ---- the unknowns of a difference ---- */

static void put(Pair *p, Wide k, Wide lo, Wide hi, bool apart)
{
	const Wide limit = (Wide)1 << 100;
	Wide most = -lo > hi ? -lo : hi, size = k < 0 ? -k : k;
	if (!k || (lo == hi && !lo))
		return;
	/* k * x may be any multiple of the power of 2 in k, modulo 2^64 */
	if ((most >> 62 || most > limit / size) && !apart) {
		Wide g = k & -k;
		p->period = g < p->period ? g : p->period;
		return;
	}
	must(p->n < UNKNOWNS);
	p->u[p->n++] = (Unknown){ k, lo, hi, apart };
}

/* Does a version that is written in the block, or a turn that is counted there, have the same value when both
   accesses execute? A cycle around the block and one of the accesses may write it anew in between. */
static bool block_fixed(const Pair *p, int block)
{
	const Nest *n = p->d->c->nest;
	for (int l = n->of[block]; l >= 0; l = n->parent[l]) {
		if (p->within >= 0 && nest_within(n, p->within, l))
			return true;
		if (nest_within(n, n->of[p->a->block], l) || nest_within(n, n->of[p->b->block], l))
			return false;
	}
	return true;
}

static bool fixed(const Pair *p, int atom)
{
	const MemAtom *x = &p->d->atom[atom];
	if (p->within == MEM_MOMENT)
		return true;
	switch (x->kind) {
	case ATOM_VERSION:
		return p->d->ssa->version[x->id].ins == SSA_ENTRY ||
			block_fixed(p, p->d->ssa->version[x->id].block);
	case ATOM_TURN: return block_fixed(p, p->d->c->nest->header[x->id]);
	case ATOM_PRODUCT: return fixed(p, x->id) && fixed(p, x->sub);
	case ATOM_SIGNED: case ATOM_ZERO: {
		const MemForm *f = &p->d->form[x->id];
		for (int k = 0; k < f->n; k++)
			if (!fixed(p, f->term[k].atom))
				return false;
		return true;
	}
	default: return true;
	}
}

static int index_dimension(const MemAtom *x, int first)
{
	return x->kind == ATOM_SREG && x->id >= first && x->id <= first + 2 ? x->id - first : -1;
}

/* If the atom is ctaid * ntid of one dimension, the index at which a block begins: that dimension; else
   -1. */
static int start_dimension(const MemDep *d, const MemAtom *x)
{
	if (x->kind != ATOM_PRODUCT)
		return -1;
	const MemAtom *a = &d->atom[x->id], *b = &d->atom[x->sub];
	int i = index_dimension(a, SREG_CTAID_X), j = index_dimension(b, SREG_NTID_X);
	if (i < 0)
		i = index_dimension(b, SREG_CTAID_X), j = index_dimension(a, SREG_NTID_X);
	return i == j ? i : -1;
}

static void difference(Pair *p, int atom, Wide k, Wide j)
{
	const MemAtom *x = &p->d->atom[atom];
	int tid = index_dimension(x, SREG_TID_X), block = index_dimension(x, SREG_CTAID_X),
		start = start_dimension(p->d, x);
	bool one = p->who == ONE_THREAD ? fixed(p, atom)
		: x->share == SHARE_GRID || (p->who == OTHER_THREAD && x->share == SHARE_BLOCK);
	if (x->kind == ATOM_WINDOW && p->assume & MEM_IN_BOUNDS && p->a->generic != p->b->generic)
		/* both are in the same space, of whose addresses one counts from the space's beginning */
		return;
	if (one) {
		put(p, k - j, x->lo, x->hi, false);
		return;
	}
	int dim = p->who == OTHER_THREAD ? tid : p->who == OTHER_BLOCK ? (block >= 0 ? block : start) : -1;
	/* the two accesses have values of their own */
	if ((tid < 0 || p->who == ONE_THREAD || k != j) && dim < 0) {
		put(p, k, x->lo, x->hi, false);
		put(p, -j, x->lo, x->hi, false);
		return;
	}
	if (dim >= 0 && k)
		p->covered[dim] = true;
	if (dim >= 0 && k && p->assume & MEM_ONE_DIMENSION && dim)
		return;                /* the threads do not differ in this dimension, and their index is 0 */
	put(p, k, x->lo - x->hi, x->hi - x->lo, dim >= 0);
	put(p, k - j, x->lo, x->hi, false);
}

/* An atom of either form, with its coefficients k in the first and j in the second form, 0 where it is not in
   the form. */
typedef struct Both { int atom; int64_t k, j; } Both;

static int join(const MemForm *f, const MemForm *g, Both *t)
{
	int n = 0;
	for (int i = 0, j = 0; i < f->n || j < g->n; n++) {
		bool first = i < f->n && (j == g->n || f->term[i].atom <= g->term[j].atom),
			second = j < g->n && (i == f->n || g->term[j].atom <= f->term[i].atom);
		t[n] = (Both){ first ? f->term[i].atom : g->term[j].atom, first ? f->term[i].k : 0,
			second ? g->term[j].k : 0 };
		i += first;
		j += second;
	}
	return n;
}

/* Where both forms contain k * (ctaid * ntid + tid), takes this sum as one unknown: the number of a thread
   along the dimension, which differs when ctaid or tid does. */
static void join_indices(Pair *p, Both *t, int n)
{
	if (p->who != OTHER_BLOCK)
		return;
	for (int s = 0; s < n; s++) {
		int dim = start_dimension(p->d, &p->d->atom[t[s].atom]);
		for (int i = 0; i < n && dim >= 0; i++)
			if (index_dimension(&p->d->atom[t[i].atom], SREG_TID_X) == dim && t[i].k == t[s].k &&
				t[i].j == t[i].k && t[s].j == t[s].k && t[i].k) {
				const MemAtom *x = &p->d->atom[t[s].atom];
				p->covered[dim] = true;
				if (!(p->assume & MEM_ONE_DIMENSION && dim))
					put(p, t[s].k, -x->hi - 1024, x->hi + 1024, true);
				t[s].k = t[s].j = t[i].k = t[i].j = 0;
			}
	}
}

/* May the threads differ along this dimension although no unknown shows it? Not if its extent is 1. */
static bool dimension_open(const Pair *p, int dim)
{
	uint32_t extent = p->who == OTHER_THREAD ? p->d->block[dim] : p->d->grid[dim];
	return !p->covered[dim] && extent != 1 && !(dim && p->assume & MEM_ONE_DIMENSION);
}

static bool may_meet(Pair *p, int f, int g)
{
	Both t[2 * MEMORY_TERMS];
	const MemForm *x = &p->d->form[f], *y = &p->d->form[g];
	int n = join(x, y, t);
	p->n = p->steps = 0;
	p->period = (Wide)1 << 64;
	p->at = (Wide)x->constant - y->constant;
	memset(p->covered, 0, sizeof p->covered);
	join_indices(p, t, n);
	for (int k = 0; k < n; k++)
		if (t[k].k || t[k].j)
			difference(p, t[k].atom, t[k].k, t[k].j);
	bool open = p->who == ONE_THREAD || dimension_open(p, 0) || dimension_open(p, 1) ||
		dimension_open(p, 2);
	/* the threads may differ where no address shows it: all x may be 0 */
	for (int k = 0; k < p->n && open; k++)
		p->u[k].apart = false;
	return meets(p, open);
}

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

static uint8_t spaces(const MemDep *d, const MemAccess *a, unsigned assume)
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
static bool comparable(const MemAccess *a, const MemAccess *b, unsigned sa, unsigned sb, unsigned assume)
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

static bool objects_differ(const Pair *p, int f, int g)
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

static bool alias_assuming(Pair *p)
{
	const unsigned sa = spaces(p->d, p->a, p->assume), sb = spaces(p->d, p->b, p->assume);
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
	return !comparable(p->a, p->b, sa, sb, p->assume) || may_meet(p, f, g);
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

static bool may(const MemDep *d, MemAsk *q, const MemAccess *a, const MemAccess *b, Who who)
{
	q->rests = 0;
	for (int k = 0; k < 1 << MEM_ASSUMPTIONS; k++) {
		Pair p = { .d = d, .a = a, .b = b, .assume = tries[k], .within = q->within, .who = who };
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
		Pair p = { .d = d, .a = x, .b = y, .within = q->within, .who = ONE_THREAD };
		int f = x->form[mode];
		bool same = f >= 0 && f == y->form[mode];
		for (int k = 0; same && k < d->form[f].n; k++)
			same = fixed(&p, d->form[f].term[k].atom);
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

/* ---- text ---- */

static void atom_text(const MemDep *d, int atom, StrBuf *s)
{
	const MemAtom *x = &d->atom[atom];
	const SsaVersion *v = x->kind == ATOM_VERSION ? &d->ssa->version[x->id] : NULL;
	switch (x->kind) {
	case ATOM_SREG: sb_puts(s, sreg_name[x->id]); break;
	case ATOM_PARAM:
		sb_puts(s, d->c->f->param.v[x->id].name);
		if (x->sub)
			sb_printf(s, "[%d]", x->sub);
		break;
	case ATOM_SYMBOL: sb_puts(s, d->m->symbol.v[x->id]->name); break;
	case ATOM_WINDOW: sb_printf(s, "generic(%s)", space_name[x->id]); break;
	case ATOM_VERSION: sb_printf(s, "%s.%d", function_value_name(d->c->f, v->reg), x->id); break;
	case ATOM_SIGNED: case ATOM_ZERO:
		sb_printf(s, "%c%d(", x->kind == ATOM_SIGNED ? 's' : 'u', d->form[x->id].bits);
		memdep_form_text(d, x->id, s);
		sb_putc(s, ')');
		break;
	case ATOM_PRODUCT:
		atom_text(d, x->id, s);
		sb_putc(s, '*');
		atom_text(d, x->sub, s);
		break;
	case ATOM_TURN: sb_printf(s, "turn(%s)", d->c->f->block.v[d->c->nest->header[x->id]]->label); break;
	}
}

void memdep_form_text(const MemDep *d, int form, StrBuf *s)
{
	const MemForm *f = &d->form[form];
	for (int k = 0; k < f->n; k++) {
		int64_t c = f->term[k].k;
		sb_puts(s, k ? (c < 0 ? " - " : " + ") : c < 0 ? "-" : "");
		if (c != 1 && c != -1)
			sb_printf(s, "%llu*", c < 0 ? -(unsigned long long)c : (unsigned long long)c);
		atom_text(d, f->term[k].atom, s);
	}
	if (f->constant || !f->n)
		sb_printf(s, "%s%llu", f->n ? (f->constant < 0 ? " - " : " + ") : f->constant < 0 ? "-" : "",
			f->constant < 0 ? -(unsigned long long)f->constant : (unsigned long long)f->constant);
}

void memdep_print(const Cfg *c, const MemDep *d, StrBuf *s)
{
	for (int k = 0; k < d->naccess; k++) {
		const MemAccess *a = &d->access[k];
		const Block *b = c->f->block.v[a->block];
		sb_printf(s, "  %s:%d %s", b->label, a->ins, op_info[b->ins.v[a->ins].op].name);
		if (a->generic)
			sb_puts(s, " generic");
		else
			for (int x = 0; x < SP_COUNT; x++)
				if ((a->reads | a->writes) & SPACE_BIT(x))
					sb_printf(s, " %s", space_name[x]);
		if (a->size)
			sb_printf(s, ", %d byte%s", a->size, a->size == 1 ? "" : "s");
		sb_puts(s, a->ordered ? ", ordered: " : ": ");
		if (a->form[0] >= 0)
			memdep_form_text(d, a->form[0], s);
		else
			sb_puts(s, a->reads || a->writes ? "anywhere" : "no address");
		if (a->form[1] >= 0 && a->form[1] != a->form[0]) {
			sb_puts(s, "; no-wrap: ");
			memdep_form_text(d, a->form[1], s);
		}
		sb_putc(s, '\n');
	}
}
