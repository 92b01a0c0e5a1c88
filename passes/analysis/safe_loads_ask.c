/* The questions of safe_loads.h: which address operands make at a place, whether the address lies in a
   variable, and which facts there are about it. */
#include "isa/memory.h"
#include "passes/analysis/print.h"
#include "passes/analysis/safe_loads_own.h"
#include "passes/constants.h"

typedef MemWide Wide;
enum { MOST_BYTES = 16 };

const char *const safe_name[SAFE_BETWEEN + 1] = { "may fault", "in bounds", "accessed before",
	"accessed later", "between what is accessed" };

/* ---- the address at a place ---- */

/* Writes to *lo and *hi the range of the form's value, without atom `but` and without windows. Returns false
   when an atom may have a size of 2^48 or more. */
static bool form_range(const SafeLoads *s, const MemForm *f, int but, Wide *lo, Wide *hi)
{
	*lo = *hi = f->constant;
	for (int k = 0; k < f->n; k++) {
		const MemAtom *a = &s->d->atom[f->term[k].atom];
		Wide c = f->term[k].k;
		if (f->term[k].atom == but || a->kind == ATOM_WINDOW)
			continue;
		if (a->hi >= (Wide)1 << 48 || a->lo <= -((Wide)1 << 48))
			return false;
		*lo += c * (c > 0 ? a->lo : a->hi);
		*hi += c * (c > 0 ? a->hi : a->lo);
	}
	return true;
}

static bool register_form(const SafeLoads *s, const Opd *o, int block, int ins, MemForm *f)
{
	int bits = type_bits[s->c->f->reg.v[o->id].type], v = version_at(s->versions, o->id, block, ins);
	if (v < 0 || (bits != 64 && bits != 32))
		return false;
	if (s->d->value[0][v])
		*f = s->d->form[s->d->value[0][v] - 1];
	else if (s->atom_of[v] >= 0)
		*f = (MemForm){ .bits = bits, .n = 1, .term = { { 1, s->atom_of[v], 0 } } };
	else
		return false;
	Wide lo, hi;
	if (f->bits != bits)
		return false;
	f->constant = (int64_t)((uint64_t)f->constant + (uint64_t)o->imm);
	if (bits == 64)
		return true;
	f->constant = (int32_t)f->constant;
	f->bits = 64;                  /* memory dependence extends such addresses with zeros */
	return form_range(s, f, -1, &lo, &hi) && lo >= 0 && hi < (Wide)1 << 32;
}

/* Writes the form of the address at the place to *f. Returns false when nothing is known of the address. */
static bool address_form_at(const SafeLoads *s, const Opd *o, int block, int ins, MemForm *f)
{
	switch (o->kind) {
	case OPD_REG: return register_form(s, o, block, ins, f);
	case OPD_IMM:
		*f = (MemForm){ .constant = o->imm, .bits = 64 };
		return true;
	case OPD_SYM:
		if (s->symbol_atom[o->id] < 0)
			return false;
		*f = (MemForm){ .constant = o->imm, .bits = 64, .n = 1,
			.term = { { 1, s->symbol_atom[o->id], 0 } } };
		return true;
	default: return false;
	}
}

/* ---- bounds ---- */

static bool flat(int space) { return space == SP_GLOBAL || space == SP_CONST; }

/* Do accesses of `size` bytes at all multiples of the size from lo to hi lie in the variable, and are they
   aligned? */
static bool fits_variable(const Symbol *v, Wide lo, Wide hi, int size)
{
	return v->size && !v->external && !v->refused && lo >= 0 && hi + size <= (Wide)v->size &&
		v->align % (unsigned)size == 0;
}

static bool in_variable(const SafeLoads *s, Space space, const MemForm *f, int size)
{
	int symbol = -1, window = -1;
	bool aligned = !(f->constant & (size - 1));
	for (int k = 0; k < f->n; k++) {
		const MemAtom *a = &s->d->atom[f->term[k].atom];
		bool whole = f->term[k].k == 1;
		if (a->kind == ATOM_SYMBOL && whole && symbol < 0)
			symbol = f->term[k].atom;
		else if (a->kind == ATOM_WINDOW && whole && window < 0)
			window = a->id;
		else if (a->kind == ATOM_SYMBOL || a->kind == ATOM_WINDOW)
			return false;
		else
			aligned &= !(f->term[k].k & (size - 1));
	}
	Wide lo, hi;
	if (symbol < 0 || !aligned || !form_range(s, f, symbol, &lo, &hi))
		return false;
	const Symbol *v = s->d->m->symbol.v[s->d->atom[symbol].id];
	bool same = space == SP_GENERIC ? (flat(v->space) ? window < 0 : window == v->space)
		: window < 0 && space == v->space;
	return same && fits_variable(v, lo, hi, size);
}

/* Does the access lie in a symbol or parameter that is named in the instruction itself? */
static bool named_in_bounds(const SafeLoads *s, Space space, const Opd *o, int size)
{
	if (o->kind == OPD_PARAM) {
		const Param *p = &s->c->f->param.v[o->id];
		return (space == SP_PARAM || space == SP_GENERIC) && o->imm >= 0 &&
			o->imm + size <= p->size && !((p->offset + (uint64_t)o->imm) & (unsigned)(size - 1));
	}
	const Symbol *v = o->kind == OPD_SYM ? s->d->m->symbol.v[o->id] : NULL;
	return v && (space == v->space || (space == SP_GENERIC && flat(v->space))) &&
		!(o->imm & (size - 1)) && fits_variable(v, o->imm, o->imm, size);
}

/* ---- questions ---- */

static int first_fact(const SafeLoads *s, const MemForm *f, Wide least)
{
	int lo = 0, hi = s->nfact;
	while (lo < hi) {
		int mid = (lo + hi) / 2, c = safe_compare_terms(s->fact[mid].form, f);
		if (c < 0 || (!c && s->fact[mid].form->constant < least))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* before: accesses in front of the place count, too */
typedef struct Query {
	const SafeLoads *s;
	const MemForm *f;
	Space space;
	int size, block, ins;
	bool before;
} Query;

/* Is the fact's address the one that is asked about, except for the constant of its form? */
static bool speaks_of(const Query *q, int fact) { return !safe_compare_terms(q->s->fact[fact].form, q->f); }

static SafeKind certain(const Query *q, int fact)
{
	const Fact *x = &q->s->fact[fact];
	if (x->space != q->space && !(q->space == SP_GENERIC && flat(x->space)))
		return SAFE_NOT;
	if (q->before && safe_accessed_before(q->s, fact, q->block, q->ins))
		return SAFE_BEFORE;
	return safe_accessed_after(q->s, fact, q->block, q->ins) ? SAFE_AFTER : SAFE_NOT;
}

/* Does the fact show that the address is a multiple of the size? */
static bool aligns(const Query *q, const Fact *x)
{
	return x->size >= q->size && !(((uint64_t)q->f->constant - (uint64_t)x->form->constant) &
		(unsigned)(q->size - 1));
}

/* Are both a lower and a higher address accessed, so close together that no gap between allocations lies
 * between them? On each side the first of the nearest facts that is certain is taken. */
static bool between_accesses(const Query *q)
{
	const SafeLoads *s = q->s;
	int above = first_fact(s, q->f, (Wide)q->f->constant + 1);
	const Fact *low = NULL, *high = NULL;
	for (int k = above, tries = 0; k-- > 0 && tries < SAFE_NEAREST && !low && speaks_of(q, k); tries++)
		low = certain(q, k) ? &s->fact[k] : NULL;
	for (int k = above, tries = 0;
		low && k < s->nfact && tries < SAFE_NEAREST && !high && speaks_of(q, k); k++) {
		const Fact *x = &s->fact[k];
		if ((Wide)x->form->constant + x->size < (Wide)q->f->constant + q->size)
			continue;
		high = certain(q, k) ? x : NULL;
		tries++;
	}
	return high && (aligns(q, low) || aligns(q, high)) &&
		(Wide)high->form->constant + high->size - low->form->constant <= MEMORY_GAP;
}

static bool asked_size(const SafeLoads *s, int size, int block)
{
	return size > 0 && !(size & (size - 1)) && size <= MOST_BYTES && bs_has(s->c->reach, block);
}

static SafeKind ask_form(const SafeLoads *s, Space space, const MemForm *f, int size, int block, int ins,
	bool before)
{
	if (in_variable(s, space, f, size))
		return SAFE_BOUNDS;
	Query q = { s, f, space, size, block, ins, before };
	for (int k = first_fact(s, f, (Wide)f->constant + size - MOST_BYTES);
		k < s->nfact && speaks_of(&q, k) && s->fact[k].form->constant <= f->constant; k++) {
		Wide from = (Wide)f->constant - s->fact[k].form->constant;
		SafeKind how = from + size <= s->fact[k].size && !(from & (size - 1)) ? certain(&q, k)
			: SAFE_NOT;
		if (how)
			return how;
	}
	return between_accesses(&q) ? SAFE_BETWEEN : SAFE_NOT;
}

static SafeKind ask_place(const SafeLoads *s, Space space, const Opd *address, int size, int block, int ins,
	bool before)
{
	MemForm f;
	if (!asked_size(s, size, block))
		return SAFE_NOT;
	if (named_in_bounds(s, space, address, size))
		return SAFE_BOUNDS;
	return address_form_at(s, address, block, ins, &f) ? ask_form(s, space, &f, size, block, ins, before)
		: SAFE_NOT;
}

SafeKind safe_form(const SafeLoads *s, Space space, const MemForm *f, int size, int block, int ins)
{
	bool known = f->bits == 64 && asked_size(s, size, block);
	for (int k = 0; k < f->n; k++)
		known &= f->term[k].atom < s->d->natom;
	return known ? ask_form(s, space, f, size, block, ins, true) : SAFE_NOT;
}

SafeKind safe_address(const SafeLoads *s, Space space, const Opd *address, int size, int block, int ins)
{
	return ask_place(s, space, address, size, block, ins, true);
}

static int loaded_bytes(const Ins *load) { return type_bytes(load->type) * (load->vec ? load->vec : 1); }

SafeKind safe_load(const SafeLoads *s, const Ins *load, int block, int ins)
{
	return safe_address(s, (Space)load->space, ins_src(load, 0), loaded_bytes(load), block, ins);
}

/* ---- text ---- */

void safe_print(const Cfg *c, const SafeLoads *s, StrBuf *out)
{
	for (int b = 0; b < c->nreach; b++)
		for (int k = 0; k < c->rpo[b]->ins.n; k++) {
			const Ins *i = &c->rpo[b]->ins.v[k];
			if (i->op != OP_LD)
				continue;
			SafeKind how = safe_load(s, i, c->rpo[b]->id, k);
			const Opd *at = ins_src(i, 0);
			if (how == SAFE_AFTER && at->kind == OPD_REG && ins_writes(c->f, i, at->id))
				how = SAFE_NOT;
			else if (how == SAFE_AFTER)    /* the load does not prove itself safe */
				how = ask_place(s, (Space)i->space, at, loaded_bytes(i), c->rpo[b]->id, k + 1,
					false);
			sb_printf(out, "  %s:%d %s%s: %s\n", c->rpo[b]->label, k, i->space ? "" : "generic ",
				i->space ? space_name[i->space] : "",
				i->flags & INSF_NONFAULTING ? "nonfaulting" : safe_name[how]);
		}
}
