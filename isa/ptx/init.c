/* Initial values of variables: numbers, and addresses of variables and functions. */
#include "isa/ptx/ptx.h"

typedef struct Init { Symbol *s; int id; const Decl *d; } Init;

static bool put_init_value(Ptx *p, Init *in, uint64_t index, uint64_t bits, Loc loc)
{
	int n = type_bytes(in->s->type);
	if ((index + 1) * (uint64_t)n > in->s->size)
		return ptx_error(p, loc, "'%s' has %llu elements; this value is one too many", in->s->name,
				 (unsigned long long)in->s->count);
	for (int i = 0; i < n; i++)
		in->s->init[index * (uint64_t)n + (uint64_t)i] = (uint8_t)(bits >> (8 * i));
	return true;
}

/* Gives the bits of a constant in the element type. */
static bool constant_bits(Ptx *p, Const v, Type type, uint64_t *bits, Loc loc)
{
	bool is_int = v.type == T_S64 || v.type == T_U64;
	float f;
	double d;
	uint32_t w = (uint32_t)v.bits;
	*bits = v.bits;
	if (is_int && type_kind[type] != 'F')
		return true;
	if (type_bits[type] < 32)
		return ptx_error(p, loc, "a floating-point value does not fit .%s", type_name[type]);
	memcpy(&f, &w, sizeof f);
	memcpy(&d, &v.bits, sizeof d);
	if (v.type != T_F64)
		d = v.type == T_F32 ? (double)f : v.type == T_S64 ? (double)(int64_t)v.bits : (double)v.bits;
	if (type_bits[type] == 64) {
		memcpy(bits, &d, sizeof d);
	} else if (v.type != T_F32) {
		f = (float)d;
		memcpy(&w, &f, sizeof f);
		*bits = w;
	}
	return true;
}

/* Reads [generic(]name[)] [+- constant], and records the address, which is resolved when all of the module is
   known. at: offset in the variable; part: which byte of the address a byte element takes, 0: the lowest, or
   all. */
static bool read_init_address(Ptx *p, Init *in, uint64_t at, int part)
{
	Loc loc = tok_here(p);
	bool generic = tok_is_word(p, "generic") && tok_ahead(p, 1)->kind == TK_PUNCT &&
		tok_ahead(p, 1)->punct == '(';
	if (generic)
		tok_next(p);
	if (generic && !tok_expect(p, '(', "behind generic"))
		return false;
	const char *name = tok_name(p);
	int64_t addend = 0;
	if (!name || (generic && !tok_expect(p, ')', "behind generic(name")))
		return false;
	if ((tok_is(p, '+') || tok_is(p, '-')) && !ptx_const(p, &addend))
		return false;
	/* a later byte: the address is recorded already, if it is the one that was begun last */
	if (part > 0)
		return (p->fix.n && vec_last(&p->fix).symbol == in->id &&
			!strcmp(vec_last(&p->fix).name, name) &&
			vec_last(&in->s->reloc).offset == at - (uint64_t)part) ||
			ptx_error(p, loc, "bytes of an address must follow each other, lowest first");
	if (at > UINT32_MAX)
		return ptx_error(p, loc, "address too far inside '%s'", in->s->name);
	Reloc r = { .offset = (uint32_t)at, .generic = generic, .addend = addend };
	vec_push(&p->fix, ((RelocFix){ in->id, in->s->reloc.n, name, loc }));
	vec_push(&in->s->reloc, r);
	return true;
}

/* Reads 0xff00(name): one byte of an address, as the initial value of a .b8 element. */
static bool masked(Ptx *p, Init *in, uint64_t index)
{
	uint64_t mask = tok(p)->bits;
	Loc loc = tok_here(p);
	tok_next(p);
	tok_next(p);
	int part = mask ? __builtin_ctzll(mask) / 8 : 0;
	if (mask != (uint64_t)0xff << (8 * part) || type_bits[in->s->type] != 8)
		return ptx_error(p, loc, "a masked address must be one byte: 0xff, 0xff00, ... of a .b8 "
			"element");
	return read_init_address(p, in, index, part) && tok_expect(p, ')', "behind a masked address");
}

static bool read_init_element(Ptx *p, Init *in, uint64_t index)
{
	const PtxToken *t = tok(p), *next = tok_ahead(p, 1);
	Loc loc = tok_here(p);
	if (index >= in->s->count)
		return put_init_value(p, in, index, 0, loc);
	if (t->kind == TK_INT && next->kind == TK_PUNCT && next->punct == '(')
		return masked(p, in, index);
	if (t->kind == TK_WORD) {
		if (type_bits[in->s->type] != 64)
			return ptx_error(p, loc, "an address needs an element of 64 bits, not .%s",
				type_name[in->s->type]);
		return read_init_address(p, in, index * 8, 0);
	}
	Const v;
	uint64_t bits;
	return ptx_constant(p, &v) && constant_bits(p, v, (Type)in->s->type, &bits, loc) &&
		put_init_value(p, in, index, bits, loc);
}

/* Reads { a, { b, c }, ... }. The values of a nested list begin at the next multiple of the size of its
   dimension. */
static bool read_init_list(Ptx *p, Init *in, int dim, uint64_t *index)
{
	if (!tok_accept(p, '{'))
		return read_init_element(p, in, (*index)++);
	if (dim >= in->d->ndim)
		return ptx_error(p, tok_here(p), "the value of '%s' has too many nested braces", in->s->name);
	uint64_t part = 1, from = *index;
	for (int i = dim + 1; i < in->d->ndim; i++)
		part *= in->d->dim[i];
	while (!tok_is(p, '}')) {
		bool nested = tok_is(p, '{');
		uint64_t first = *index;
		if (!read_init_list(p, in, dim + 1, index))
			return false;
		if (nested && *index - first > part)
			return ptx_error(p, tok_here(p), "too many values for one part of '%s'", in->s->name);
		if (nested)
			*index = first + part;
		if (!tok_accept(p, ','))
			break;
	}
	if (dim && *index - from > part * in->d->dim[dim])
		return ptx_error(p, tok_here(p), "too many values for one part of '%s'", in->s->name);
	return tok_expect(p, '}', "at the end of a list of values");
}

/* Counts the values at the outer level of a list: they are the size of an array declared as []. */
static uint64_t count_outer(const Ptx *p)
{
	int depth = 0;
	uint64_t n = 0;
	for (int k = 0;; k++) {
		const PtxToken *t = tok_ahead(p, k);
		char c = t->kind == TK_PUNCT ? t->punct : 0;
		if (t->kind == TK_EOF || c == ';')
			return n;
		if (depth == 1 && !n && c != '}')
			n = 1;
		depth += (c == '{' || c == '(') - (c == '}' || c == ')');
		if (!depth)
			return n;
		if (c == ',' && depth == 1 && !(tok_ahead(p, k + 1)->kind == TK_PUNCT &&
			tok_ahead(p, k + 1)->punct == '}'))
			n++;
	}
}

bool ptx_init(Ptx *p, Symbol *s, int id, const Decl *decl)
{
	Decl d = *decl;
	uint64_t index = 0;
	if (s->count == 0) {
		d.dim[0] = count_outer(p);
		s->count = d.dim[0];
		for (int i = 1; i < d.ndim; i++)
			s->count *= d.dim[i];
		s->size = s->count * (uint64_t)type_bytes(s->type);
		if (!s->count)
			return ptx_error(p, d.loc, "'%s' needs a size or values", s->name);
	}
	if (s->size > DATA_LIMIT - p->init_bytes)
		return ptx_error(p, d.loc, "more than %d bytes of initial data", DATA_LIMIT);
	p->init_bytes += s->size;
	s->init = arena_alloc(&p->m->arena, s->size);
	Init in = { s, id, &d };
	return read_init_list(p, &in, 0, &index);
}

void ptx_resolve_inits(Ptx *p)
{
	for (int i = 0; i < p->fix.n; i++) {
		const RelocFix *x = &p->fix.v[i];
		Reloc *r = &p->m->symbol.v[x->symbol]->reloc.v[x->reloc];
		int f = strmap_get(&p->funcs, x->name), s = strmap_get(&p->symbols, x->name);
		r->func = f >= 0;
		r->id = f >= 0 ? f : s;
		if (r->id < 0)
			ptx_error(p, x->loc, "'%s' is not declared", x->name);
	}
}
