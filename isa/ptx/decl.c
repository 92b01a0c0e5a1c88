/* Declarations of variables: types, names with dimensions, symbols of the module and of functions. */
#include "isa/ptx/ptx.h"
#include <stdio.h>

static const struct { const char *name; uint8_t type; } type_table[] = {
#define X(ID, NAME, BITS, KIND) { "." NAME, T_##ID },
	TYPES(X)
#undef X
	{ ".f16x2", T_B32 }, { ".bf16", T_B16 }, { ".bf16x2", T_B32 }, { ".tf32", T_B32 }
};

Type ptx_type_directive(const PtxToken *t)
{
	if (t->kind == TK_DIRECTIVE)
		for (size_t i = 0; i < sizeof type_table / sizeof *type_table; i++)
			if (strlen(type_table[i].name) == t->n && !memcmp(type_table[i].name, t->s, t->n))
				return type_table[i].type;
	return T_NONE;
}

static bool parse_align(Ptx *p, uint32_t *align)
{
	Loc loc = tok_here(p);
	if (!ptx_const_small(p, 1u << 16, align, "the alignment"))
		return false;
	if (!*align || (*align & (*align - 1)))
		return ptx_error(p, loc, "the alignment must be a power of two, not %u", *align);
	return true;
}

static bool skip_parens(Ptx *p)
{
	if (!tok_expect(p, '(', "behind .attribute"))
		return false;
	while (!tok_is(p, ')') && !tok_is(p, ';') && tok(p)->kind != TK_EOF)
		tok_next(p);
	return tok_expect(p, ')', "at the end of .attribute");
}

/* Reads [.space] [.align n] behind .ptr: the memory to which a parameter points. It is aligned to 4 bytes
   unless .align says otherwise. .param counts as .generic, which says nothing of the space. */
static bool parse_ptr(Ptx *p, Decl *d)
{
	static const struct { const char *name; Space space; } spaces[] =
		{ { ".const", SP_CONST }, { ".global", SP_GLOBAL }, { ".local", SP_LOCAL },
		{ ".shared", SP_SHARED }, { ".param", SP_GENERIC }, { ".generic", SP_GENERIC } };
	d->pointer = true;
	d->space = SP_GENERIC;
	d->points_align = 4;
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (tok_accept_directive(p, spaces[i].name)) {
			d->space = spaces[i].space;
			break;
		}
	return !tok_accept_directive(p, ".align") || parse_align(p, &d->points_align);
}

/* Is the type one that PTX has and gsim does not? Then the declaration is refused, and b64 stands for the
   type, so that the rest of a header can be read. */
static bool refused_type(Ptx *p, Decl *d)
{
	static const struct { const char *name, *what; int n; } types[] = {
		{ ".texref", "textures", 0 }, { ".surfref", "surfaces", 0 }, { ".samplerref", "samplers", 0 },
		{ ".b128", "128-bit values", 2 }
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (!tok_is_directive(p, types[i].name))
			continue;
		const char *what = arena_printf(&p->arena, "%s: %s are not supported by gsim", types[i].name,
			types[i].what);
		d->refused = (Refusal){ what, tok_here(p) };
		d->type = T_B64;
		d->vec = types[i].n;
		tok_next(p);
		return true;
	}
	return false;
}

bool ptx_usable(Ptx *p, const Decl *d)
{
	return !d->refused.what || ptx_refuse(p, d->refused.loc, "%s", d->refused.what);
}

bool ptx_type(Ptx *p, Decl *d)
{
	for (; tok(p)->kind == TK_DIRECTIVE; ) {
		Type t = ptx_type_directive(tok(p));
		if (t) {
			d->type = t;
			tok_next(p);
		} else if (tok_accept_directive(p, ".align")) {
			if (!parse_align(p, &d->align))
				return false;
		} else if (tok_is_directive(p, ".v2") || tok_is_directive(p, ".v4")) {
			d->vec = tok(p)->s[2] - '0';
			tok_next(p);
		} else if (tok_accept_directive(p, ".ptr")) {
			if (!parse_ptr(p, d))
				return false;
		} else if (tok_accept_directive(p, ".attribute")) {
			if (!skip_parens(p))
				return false;
		} else if (!refused_type(p, d)) {
			return ptx_error(p, tok_here(p), "%s is not a type that gsim supports",
				tok_text(p, tok(p)));
		}
	}
	return d->type || ptx_error(p, tok_here(p), "expected a type, not %s", tok_text(p, tok(p)));
}

static bool parse_dimension(Ptx *p, Decl *d)
{
	Loc loc = tok_here(p);
	int64_t v = 0;
	if (d->ndim == 7)
		return ptx_error(p, loc, "more than 7 dimensions");
	if (!tok_is(p, ']')) {
		if (!ptx_const(p, &v))
			return false;
		if (v <= 0 || v > (int64_t)1 << 40)
			return ptx_error(p, loc, "an array cannot have %lld elements", (long long)v);
	} else if (d->ndim) {
		return ptx_error(p, loc, "only the first dimension may be left out");
	}
	d->dim[d->ndim++] = (uint64_t)v;
	return tok_expect(p, ']', "behind an array size");
}

bool ptx_declarator(Ptx *p, Decl *d)
{
	d->loc = tok_here(p);
	d->ndim = 0;
	if (!(d->name = tok_name(p)))
		return false;
	while (tok_accept(p, '['))
		if (!parse_dimension(p, d))
			return false;
	d->array = d->ndim > 0;
	if (d->vec)
		d->dim[d->ndim++] = (uint64_t)d->vec;
	d->count = 1;
	for (int i = 0; i < d->ndim; i++)
		if (__builtin_mul_overflow(d->count, d->dim[i], &d->count) || d->count > (uint64_t)1 << 40)
			return ptx_error(p, d->loc, "'%s' is too large", d->name);
	d->size = d->count * (uint64_t)type_bytes(d->type);
	if (!d->align)
		d->align = (uint32_t)type_bytes(d->type) * (d->vec ? (uint32_t)d->vec : 1);
	return true;
}

/* ---- symbols ---- */

static void fill_symbol(Symbol *s, const Decl *d, Space space, bool external)
{
	s->space = (uint8_t)space;
	s->type = (uint8_t)d->type;
	s->count = d->count;
	s->align = d->align;
	s->size = d->size;
	s->array = d->array || d->vec;
	s->external = external;
	s->loc = d->loc;
}

static bool symbol_is_taken(const Ptx *p, const char *name)
{
	return strmap_get(&p->b->symbol_names, name) >= 0 || strmap_get(&p->symbols, name) >= 0 ||
		strmap_get(&p->funcs, name) >= 0;
}

/* Returns a name that is unique among those of the function and of the module so far. */
static const char *unique_symbol(Ptx *p, const char *name)
{
	const char *own = symbol_is_taken(p, name) ? ptx_rename(p, &p->arena, name, p->m->symbol.n,
		symbol_is_taken)
		: arena_strdup(&p->arena, name);
	strmap_put(&p->b->symbol_names, own, 1);
	return own;
}

int ptx_local_bytes(Ptx *p, const char *name, uint32_t size, uint32_t align)
{
	Symbol *s = arena_new(&p->m->arena, Symbol);
	s->name = arena_strdup(&p->m->arena, unique_symbol(p, name));
	s->owner = p->b->edit.f->id;
	Decl d = { .type = T_B8, .align = align, .array = true, .count = size, .size = size,
		.loc = { p->m->name, p->b->line, p->b->col } };
	fill_symbol(s, &d, SP_LOCAL, false);
	vec_push(&p->m->symbol, s);
	return p->m->symbol.n - 1;
}

static bool check_size(Ptx *p, const Decl *d, Space space, bool external)
{
	static const uint64_t limit[SP_COUNT] = {
		[SP_GLOBAL] = (uint64_t)1 << 40, [SP_CONST] = 1 << 30, [SP_SHARED] = 1 << 30,
		[SP_LOCAL] = 1 << 26
	};
	if (d->type == T_PRED)
		return ptx_error(p, d->loc, "'%s': predicates live in registers only", d->name);
	if (d->count == 0 && !(space == SP_SHARED && external) && !tok_is(p, '='))
		return ptx_error(p, d->loc, "'%s' needs a size", d->name);
	if (d->size > limit[space])
		return ptx_error(p, d->loc, "'%s' is too large: %llu bytes", d->name,
			(unsigned long long)d->size);
	return true;
}

/* The symbol to fill: a new one, or the external one that this declaration completes; NULL when the name is
   taken. */
static Symbol *new_symbol(Ptx *p, const Decl *d, Space space, bool external, int *id)
{
	Module *m = p->m;
	if (!p->b) {
		if (strmap_get(&p->funcs, d->name) >= 0) {
			ptx_error(p, d->loc, "'%s' is a function already", d->name);
			return NULL;
		}
		if ((*id = strmap_get(&p->symbols, d->name)) >= 0) {
			Symbol *s = m->symbol.v[*id];
			if (s->space != space || !(s->external || external)) {
				ptx_error(p, d->loc, "'%s' is declared twice", d->name);
				return NULL;
			}
			if (s->external)
				fill_symbol(s, d, space, external);
			return s;
		}
	}
	Symbol *s = arena_new(&m->arena, Symbol);
	s->name = arena_strdup(&m->arena, p->b ? unique_symbol(p, d->name) : d->name);
	s->owner = p->b ? p->b->edit.f->id : -1;
	fill_symbol(s, d, space, external);
	*id = m->symbol.n;
	vec_push(&m->symbol, s);
	if (p->b)
		return ptx_declare(p, d->name, (Entity){ .kind = ENT_SYMBOL, .id = *id }, d->loc) ? s : NULL;
	strmap_put(&p->symbols, s->name, *id);
	return s;
}

/* Skips the initial value of a refused variable, behind '='. */
static bool skip_value(Ptx *p)
{
	if (tok_is(p, '{'))
		return tok_skip_braces(p) || ptx_error(p, tok_here(p),
			"expected '}' at the end of a list of values");
	while (!tok_is(p, ',') && !tok_is(p, ';') && tok(p)->kind != TK_EOF)
		tok_next(p);
	return true;
}

static bool initial_value(Ptx *p, Symbol *s, int id, const Decl *d)
{
	if (s->space != SP_GLOBAL && s->space != SP_CONST)
		return ptx_error(p, tok_here(p), "only .global and .const variables may have initial values");
	tok_next(p);
	return s->refused ? skip_value(p) : ptx_init(p, s, id, d);
}

/* Reads a declaration from behind its type: names, dimensions and initial values. */
static bool variables(Ptx *p, Decl *d, Space space, bool external)
{
	uint32_t align = d->align;
	if (p->b && !ptx_usable(p, d))
		return false;
	do {
		int id;
		d->align = align;
		if (!ptx_declarator(p, d) || !check_size(p, d, space, external))
			return false;
		Symbol *s = new_symbol(p, d, space, external, &id);
		if (!s)
			return false;
		if (d->refused.what)
			s->refused = arena_strdup(&p->m->arena, d->refused.what);
		if (tok_is(p, '=') && !initial_value(p, s, id, d))
			return false;
	} while (tok_accept(p, ','));
	return tok_expect(p, ';', "behind a declaration");
}

bool ptx_variable(Ptx *p, Space space, bool external)
{
	Decl d = { 0 };
	return ptx_type(p, &d) && variables(p, &d, space, external);
}

bool ptx_texture(Ptx *p, bool external)
{
	Decl d = { 0 };
	if (!ptx_type(p, &d))
		return false;
	d.refused = (Refusal){ ".tex: textures are not supported by gsim", { 0 } };
	return variables(p, &d, SP_GLOBAL, external);
}
