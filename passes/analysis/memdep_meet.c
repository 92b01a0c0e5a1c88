/* May two accesses meet? The difference of their addresses is written as a sum over unknowns; they may meet
   if this sum can be small enough. */
#include "passes/analysis/memdep_own.h"

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
static bool reaches(AccessPair *p, int from, Wide at, Wide lo, Wide hi, bool differ)
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
static bool sum_meets(AccessPair *p, bool differ)
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

static void put_unknown(AccessPair *p, Wide k, Wide lo, Wide hi, bool apart)
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
static bool block_fixed(const AccessPair *p, int block)
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

bool pair_fixed(const AccessPair *p, int atom)
{
	const MemAtom *x = &p->d->atom[atom];
	if (p->within == MEM_MOMENT)
		return true;
	switch (x->kind) {
	case ATOM_VERSION:
		return p->d->ssa->version[x->id].ins == SSA_ENTRY ||
			block_fixed(p, p->d->ssa->version[x->id].block);
	case ATOM_TURN: return block_fixed(p, p->d->c->nest->header[x->id]);
	case ATOM_PRODUCT: return pair_fixed(p, x->id) && pair_fixed(p, x->sub);
	case ATOM_SIGNED: case ATOM_ZERO: {
		const MemForm *f = &p->d->form[x->id];
		for (int k = 0; k < f->n; k++)
			if (!pair_fixed(p, f->term[k].atom))
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

static void difference(AccessPair *p, int atom, Wide k, Wide j)
{
	const MemAtom *x = &p->d->atom[atom];
	int tid = index_dimension(x, SREG_TID_X), block = index_dimension(x, SREG_CTAID_X),
		start = start_dimension(p->d, x);
	bool one = p->who == ONE_THREAD ? pair_fixed(p, atom)
		: x->share == SHARE_GRID || (p->who == OTHER_THREAD && x->share == SHARE_BLOCK);
	if (x->kind == ATOM_WINDOW && p->assume & MEM_IN_BOUNDS && p->a->generic != p->b->generic)
		/* both are in the same space, of whose addresses one counts from the space's beginning */
		return;
	if (one) {
		put_unknown(p, k - j, x->lo, x->hi, false);
		return;
	}
	int dim = p->who == OTHER_THREAD ? tid : p->who == OTHER_BLOCK ? (block >= 0 ? block : start) : -1;
	/* the two accesses have values of their own */
	if ((tid < 0 || p->who == ONE_THREAD || k != j) && dim < 0) {
		put_unknown(p, k, x->lo, x->hi, false);
		put_unknown(p, -j, x->lo, x->hi, false);
		return;
	}
	if (dim >= 0 && k)
		p->covered[dim] = true;
	if (dim >= 0 && k && p->assume & MEM_ONE_DIMENSION && dim)
		return;                /* the threads do not differ in this dimension, and their index is 0 */
	put_unknown(p, k, x->lo - x->hi, x->hi - x->lo, dim >= 0);
	put_unknown(p, k - j, x->lo, x->hi, false);
}

/* An atom of either form, with its coefficients k in the first and j in the second form, 0 where it is not in
   the form. */
typedef struct BothTerms { int atom; int64_t k, j; } BothTerms;

static int join_terms(const MemForm *f, const MemForm *g, BothTerms *t)
{
	int n = 0;
	for (int i = 0, j = 0; i < f->n || j < g->n; n++) {
		bool first = i < f->n && (j == g->n || f->term[i].atom <= g->term[j].atom),
			second = j < g->n && (i == f->n || g->term[j].atom <= f->term[i].atom);
		t[n] = (BothTerms){ first ? f->term[i].atom : g->term[j].atom, first ? f->term[i].k : 0,
			second ? g->term[j].k : 0 };
		i += first;
		j += second;
	}
	return n;
}

/* Where both forms contain k * (ctaid * ntid + tid), takes this sum as one unknown: the number of a thread
   along the dimension, which differs when ctaid or tid does. */
static void join_indices(AccessPair *p, BothTerms *t, int n)
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
					put_unknown(p, t[s].k, -x->hi - 1024, x->hi + 1024, true);
				t[s].k = t[s].j = t[i].k = t[i].j = 0;
			}
	}
}

/* May the threads differ along this dimension although no unknown shows it? Not if its extent is 1. */
static bool dimension_open(const AccessPair *p, int dim)
{
	uint32_t extent = p->who == OTHER_THREAD ? p->d->block[dim] : p->d->grid[dim];
	return !p->covered[dim] && extent != 1 && !(dim && p->assume & MEM_ONE_DIMENSION);
}

bool pair_may_meet(AccessPair *p, int f, int g)
{
	BothTerms t[2 * MEMORY_TERMS];
	const MemForm *x = &p->d->form[f], *y = &p->d->form[g];
	int n = join_terms(x, y, t);
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
	return sum_meets(p, open);
}
