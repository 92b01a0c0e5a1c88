/* Numbers for forms, and arithmetic on them. Each distinct form and atom is stored once. */
#include "passes/analysis/memform.h"
#include "passes/constants.h"
#include "lib/diag.h"
#include "lib/hash.h"

typedef MemWide Wide;

/* ---- numbers of forms and atoms ---- */

static int *table_find(MemTable *t, const void *thing, size_t size, const void *all, size_t stride)
{
	unsigned long long at = hash_bytes(thing, size, 0);
	for (;; at++) {
		int *s = &t->slot[at & (unsigned)(t->cap - 1)];
		if (!*s || !memcmp((const char *)all + stride * (size_t)(*s - 1), thing, size))
			return s;
	}
}

static void table_grow(MemTable *t, size_t size, const void *all, size_t stride)
{
	if (2 * t->n < t->cap)
		return;
	free(t->slot);
	t->cap = t->cap ? 2 * t->cap : 64;
	t->slot = xcalloc((size_t)t->cap, sizeof *t->slot);
	for (int k = 0; k < t->n; k++)
		*table_find(t, (const char *)all + stride * (size_t)k, size, all, stride) = k + 1;
}

static int64_t narrow(uint64_t v, int bits)
{
	return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* Returns the number of the form, with its coefficients reduced modulo 2^bits. A copy is made with all unused
   bytes 0, so that equal forms have equal bytes. */
int memform_number(MemForms *x, const MemForm *f)
{
	MemForm y;
	memset(&y, 0, sizeof y);
	y.bits = f->bits;
	y.constant = narrow((uint64_t)f->constant, f->bits);
	for (int k = 0; k < f->n; k++) {
		int64_t c = narrow((uint64_t)f->term[k].k, f->bits);
		if (c)
			y.term[y.n].k = c, y.term[y.n++].atom = f->term[k].atom;
	}
	table_grow(&x->forms, sizeof y, x->form.v, sizeof y);
	int *s = table_find(&x->forms, &y, sizeof y, x->form.v, sizeof y);
	if (!*s) {
		vec_push(&x->form, y);
		*s = ++x->forms.n;
	}
	return *s - 1;
}

int mematom_number(MemForms *x, const MemAtom *a)
{
	MemAtom y;
	memset(&y, 0, sizeof y);
	y.kind = a->kind, y.share = a->share, y.level = a->level, y.id = a->id, y.sub = a->sub, y.lo = a->lo,
		y.hi = a->hi;
	table_grow(&x->atoms, sizeof y, x->atom.v, sizeof y);
	int *s = table_find(&x->atoms, &y, sizeof y, x->atom.v, sizeof y);
	if (!*s) {
		vec_push(&x->atom, y);
		*s = ++x->atoms.n;
	}
	return *s - 1;
}

int memform_constant(MemForms *x, int64_t v, int bits)
{
	return memform_number(x, &(MemForm){ .constant = v, .bits = bits });
}
int memform_atom(MemForms *x, int atom, int bits)
{
	return memform_number(x, &(MemForm){ .bits = bits, .n = 1, .term = { { 1, atom, 0 } } });
}

/* ---- arithmetic; -1: not known ---- */

int memform_resize(MemForms *x, int f, int bits)
{
	MemForm y = x->form.v[f];
	y.bits = bits;
	return memform_number(x, &y);
}

/* f + k * g */
int memform_add(MemForms *x, int f, int g, int64_t k)
{
	if (f < 0 || g < 0)
		return -1;
	MemForm a = x->form.v[f], b = x->form.v[g], y = { .bits = a.bits };
	y.constant = (int64_t)((uint64_t)a.constant + (uint64_t)k * (uint64_t)b.constant);
	for (int i = 0, j = 0; i < a.n || j < b.n;) {
		bool first = i < a.n && (j == b.n || a.term[i].atom <= b.term[j].atom),
			second = j < b.n && (i == a.n || b.term[j].atom <= a.term[i].atom);
		uint64_t c = (first ? (uint64_t)a.term[i].k : 0) +
			(second ? (uint64_t)k * (uint64_t)b.term[j].k : 0);
		int atom = first ? a.term[i].atom : b.term[j].atom;
		i += first;
		j += second;
		if (!narrow(c, y.bits))
			continue;
		if (y.n == MEMORY_TERMS)
			return -1;
		y.term[y.n].k = (int64_t)c;
		y.term[y.n++].atom = atom;
	}
	return memform_number(x, &y);
}

int memform_scale(MemForms *x, int f, int64_t k)
{
	return f < 0 ? -1 : memform_add(x, memform_constant(x, 0, x->form.v[f].bits), f, k);
}

static int product_atom(MemForms *x, int a, int b)
{
	const MemAtom *p = &x->atom.v[a < b ? a : b], *q = &x->atom.v[a < b ? b : a];
	MemAtom y = { .kind = ATOM_PRODUCT, .id = a < b ? a : b, .sub = a < b ? b : a,
		.share = p->share > q->share ? p->share : q->share,
		.level = (uint8_t)((p->level > q->level ? p->level : q->level) + 1) };
	const Wide limit = (Wide)1 << 48;
	bool small_p = p->lo >= -limit && p->hi <= limit, small_q = q->lo >= -limit && q->hi <= limit;
	if (y.level > MEMORY_LEVELS || (!small_p && (p->kind != ATOM_TURN || !small_q)) ||
		(!small_q && (q->kind != ATOM_TURN || !small_p)))
		return -1;
	Wide v[4] = { p->lo * q->lo, p->lo * q->hi, p->hi * q->lo, p->hi * q->hi };
	y.lo = y.hi = v[0];
	for (int k = 1; k < 4; k++) {
		y.lo = v[k] < y.lo ? v[k] : y.lo;
		y.hi = v[k] > y.hi ? v[k] : y.hi;
	}
	return mematom_number(x, &y);
}

int memform_multiply(MemForms *x, int f, int g)
{
	if (f < 0 || g < 0)
		return -1;
	MemForm a = x->form.v[f], b = x->form.v[g];
	if (!a.n || !b.n)
		return a.n ? memform_scale(x, f, b.constant) : memform_scale(x, g, a.constant);
	if (a.n * b.n > MEMORY_TERMS)
		return -1;
	MemForm rest = b;
	rest.constant = 0;
	int sum = memform_add(x, memform_scale(x, f, b.constant), memform_number(x, &rest), a.constant);
	for (int i = 0; i < a.n && sum >= 0; i++)
		for (int j = 0; j < b.n && sum >= 0; j++) {
			int atom = product_atom(x, a.term[i].atom, b.term[j].atom);
			sum = atom < 0 ? -1 : memform_add(x, sum, memform_atom(x, atom, a.bits),
				(int64_t)((uint64_t)a.term[i].k * (uint64_t)b.term[j].k));
		}
	return sum;
}

static void range_of_form(const MemForms *x, const MemForm *f, Wide *lo, Wide *hi)
{
	*lo = *hi = f->constant;
	/* no overflow: coefficients of a form of 32 bits have as many, ranges of atoms at most 97 or so */
	for (int k = 0; k < f->n; k++) {
		const MemAtom *a = &x->atom.v[f->term[k].atom];
		Wide p = (Wide)f->term[k].k;
		if (a->hi > (Wide)1 << 80 || a->lo < -((Wide)1 << 80)) {
			*lo = -((Wide)1 << 120), *hi = (Wide)1 << 120;
			return;
		}
		*lo += p * (p > 0 ? a->lo : a->hi);
		*hi += p * (p > 0 ? a->hi : a->lo);
	}
}

static int extension_atom(MemForms *x, int f, bool is_signed)
{
	const MemForm *y = &x->form.v[f];
	MemAtom a = { .kind = is_signed ? ATOM_SIGNED : ATOM_ZERO, .id = f };
	for (int k = 0; k < y->n; k++) {
		const MemAtom *t = &x->atom.v[y->term[k].atom];
		a.share = t->share > a.share ? t->share : a.share;
		a.level = t->level + 1 > a.level ? (uint8_t)(t->level + 1) : a.level;
	}
	a.lo = is_signed ? -((Wide)1 << (y->bits - 1)) : 0;
	a.hi = ((Wide)1 << (is_signed ? y->bits - 1 : y->bits)) - 1;
	return a.level > MEMORY_LEVELS ? -1 : mematom_number(x, &a);
}

static bool of_indices(const MemForms *x, int atom)
{
	const MemAtom *a = &x->atom.v[atom];
	return a->kind == ATOM_SREG || a->kind == ATOM_TURN ||
		(a->kind == ATOM_PRODUCT && of_indices(x, a->id) && of_indices(x, a->sub));
}

static bool fits_bits(Wide lo, Wide hi, int bits, bool is_signed)
{
	return is_signed ? lo >= -((Wide)1 << (bits - 1)) && hi < (Wide)1 << (bits - 1)
		: lo >= 0 && hi < (Wide)1 << bits;
}

/* Are all atoms of the form numbers of turns? Then its value in the first turn is its constant. */
static bool of_turns(const MemForms *x, const MemForm *f)
{
	for (int k = 0; k < f->n; k++)
		if (x->atom.v[f->term[k].atom].kind != ATOM_TURN)
			return false;
	return true;
}

/* Extends a form to more bits. A form that may wrap becomes an atom; in mode 1 it is taken not to wrap, and
   each term is extended by itself. In an unsigned sum, too, the constant is a negative number then, since it
   may count down; but not where it is the whole sum in some turn. */
int memform_extend(MemForms *x, int f, int bits, bool is_signed)
{
	if (f < 0)
		return -1;
	MemForm y = x->form.v[f];
	Wide lo, hi;
	if (!y.n)
		return memform_constant(x, is_signed ? y.constant
			: (int64_t)((uint64_t)y.constant & (~0ull >> (64 - y.bits))), bits);
	range_of_form(x, &y, &lo, &hi);
	if (fits_bits(lo, hi, y.bits, is_signed))
		return memform_resize(x, f, bits);
	bool alone = y.n == 1 && !y.constant && y.term[0].k == 1 && !of_indices(x, y.term[0].atom);
	if (!x->mode || alone) {
		int a = extension_atom(x, f, is_signed);
		return a < 0 ? -1 : memform_atom(x, a, bits);
	}
	int64_t constant = is_signed || !of_turns(x, &y) ? y.constant
		: (int64_t)((uint64_t)y.constant & (~0ull >> (64 - y.bits)));
	int sum = memform_constant(x, constant, bits);
	for (int k = 0; k < y.n && sum >= 0; k++) {
		int one = memform_atom(x, y.term[k].atom, y.bits);
		sum = memform_add(x, sum, of_indices(x, y.term[k].atom) ? memform_resize(x, one, bits)
			: memform_extend(x, one, bits, is_signed), y.term[k].k);
	}
	return sum;
}

/* ---- tables ---- */

void memforms_copy(MemForms *x, const MemForm *form, int nform, const MemAtom *atom, int natom)
{
	*x = (MemForms){ 0 };
	for (int k = 0; k < natom; k++)
		must(mematom_number(x, &atom[k]) == k);
	for (int k = 0; k < nform; k++)
		must(memform_number(x, &form[k]) == k);
}

void memforms_free(MemForms *x)
{
	free(x->forms.slot);
	free(x->atoms.slot);
	vec_free(&x->form);
	vec_free(&x->atom);
}

/* ---- other forms in place of atoms ---- */

static int substitute_atom(MemForms *x, int atom, int bits, int (*of)(void *, int, int), void *self)
{
	const MemAtom a = x->atom.v[atom];
	int f = of(self, atom, bits);
	if (f != MEMFORM_STAYS)
		return f;
	if (a.kind == ATOM_SIGNED || a.kind == ATOM_ZERO) {
		int g = memform_substitute(x, a.id, of, self);
		return g == a.id ? memform_atom(x, atom, bits)
			: memform_extend(x, g, bits, a.kind == ATOM_SIGNED);
	}
	if (a.kind == ATOM_PRODUCT)
		return memform_multiply(x, substitute_atom(x, a.id, bits, of, self),
			substitute_atom(x, a.sub, bits, of, self));
	return memform_atom(x, atom, bits);
}

int memform_substitute(MemForms *x, int form, int (*of)(void *self, int atom, int bits), void *self)
{
	const MemForm f = x->form.v[form];
	int sum = memform_constant(x, f.constant, f.bits);
	for (int k = 0; k < f.n && sum >= 0; k++) {
		int one = substitute_atom(x, f.term[k].atom, f.bits, of, self);
		sum = one < 0 ? -1 : memform_add(x, sum, one, f.term[k].k);
	}
	return sum;
}

static bool atom_mentions(const MemForms *x, int atom, bool (*is)(void *, const MemAtom *), void *self)
{
	const MemAtom *a = &x->atom.v[atom];
	if (is(self, a))
		return true;
	if (a->kind == ATOM_SIGNED || a->kind == ATOM_ZERO)
		return memform_mentions(x, a->id, is, self);
	return a->kind == ATOM_PRODUCT && (atom_mentions(x, a->id, is, self) ||
		atom_mentions(x, a->sub, is, self));
}

bool memform_mentions(const MemForms *x, int form, bool (*is)(void *self, const MemAtom *), void *self)
{
	const MemForm *f = &x->form.v[form];
	for (int k = 0; k < f->n; k++)
		if (atom_mentions(x, f->term[k].atom, is, self))
			return true;
	return false;
}
