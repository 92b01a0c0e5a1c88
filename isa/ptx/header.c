/* Headers of functions: results, parameters, performance directives; declarations and definitions of one
   function. */
#include "isa/ptx/ptx.h"

enum { MOST_PARAM_BYTES = 32764 };

/* ---- parameters ---- */

static bool kernel_param(Ptx *p, const Decl *d)
{
	Function *f = p->b->edit.f;
	uint64_t at = ((uint64_t)f->param_bytes + d->align - 1) / d->align * d->align;
	if (d->type == T_PRED || !d->count || at + d->size > MOST_PARAM_BYTES)
		return ptx_error(p, d->loc, d->type == T_PRED || !d->count ? "'%s' cannot be a parameter" :
				 "'%s' is past the limit of 32764 bytes of parameters", d->name);
	Param x = { .name = arena_strdup(&p->m->arena, d->name), .type = (uint8_t)d->type,
		.count = (uint32_t)d->count,
		.align = d->align, .offset = (uint32_t)at, .size = (uint32_t)d->size,
		.array = d->array || d->vec,
		.pointer = d->pointer, .space = d->space, .points_align = d->points_align };
	f->param_bytes = x.offset + x.size;
	strmap_put(&p->b->symbol_names, x.name, 1);
	if (!ptx_declare(p, d->name, (Entity){ .kind = ENT_KPARAM, .id = f->param.n }, d->loc))
		return false;
	vec_push(&f->param, x);
	return true;
}

static bool device_param(Ptx *p, const Decl *d, PvarRole role)
{
	Function *f = p->b->edit.f;
	int id = ptx_pvar(p, role, d);
	if (id < 0)
		return false;
	for (int k = 0; k < p->b->pvar.v[id].nword; k++) {
		int r = pvar_word(p, &p->b->pvar.v[id], k);
		if (role == PV_IN)
			vec_push(&f->arg, r);
		else
			vec_push(&f->ret, r);
	}
	return true;
}

/* Reads a list of parameters or of results: (.param .b32 a, .reg .f32 %f, ...) */
static bool params(Ptx *p, PvarRole role)
{
	if (!tok_expect(p, '(', "before a parameter list"))
		return false;
	while (!tok_is(p, ')')) {
		Decl d = { 0 };
		bool in_reg = tok_accept_directive(p, ".reg");
		if (!in_reg && !tok_accept_directive(p, ".param"))
			return ptx_error(p, tok_here(p), "expected .param, not %s", tok_text(p, tok(p)));
		if (!ptx_type(p, &d) || !ptx_declarator(p, &d))
			return false;
		ptx_usable(p, &d); /* if not, the function is refused; its header is read to the end */
		if (in_reg) {
			int r = ptx_new_reg(p, d.name, d.type);
			if (p->b->edit.f->kind == FN_KERNEL || d.array || d.vec)
				return ptx_error(p, d.loc, "'%s' cannot be a register parameter", d.name);
			if (role == PV_IN)
				vec_push(&p->b->edit.f->arg, r);
			else
				vec_push(&p->b->edit.f->ret, r);
			if (!ptx_declare(p, d.name, (Entity){ .kind = ENT_REG, .id = r }, d.loc))
				return false;
		} else if (!(p->b->edit.f->kind == FN_KERNEL ? kernel_param(p, &d)
			: device_param(p, &d, role))) {
			return false;
		}
		if (!tok_accept(p, ','))
			break;
	}
	return tok_expect(p, ')', "behind a parameter list");
}

/* ---- directives between header and body ---- */

static bool triple(Ptx *p, uint32_t *v)
{
	for (int i = 0; i < 3; i++)
		v[i] = 1;
	for (int i = 0; i < 3; i++) {
		if (!ptx_const_small(p, 1 << 30, &v[i], "a dimension"))
			return false;
		if (!tok_accept(p, ','))
			break;
	}
	return true;
}

static bool block_shape(Ptx *p, uint32_t *v)
{
	Loc loc = tok_here(p);
	return triple(p, v) && ((v[0] && v[1] && v[2]) || ptx_error(p, loc, "a dimension is at least 1"));
}

static bool performance(Ptx *p)
{
	Function *f = p->b->edit.f;
	uint32_t v[3];
	if (tok_accept_directive(p, ".maxntid"))
		return block_shape(p, f->maxntid);
	if (tok_accept_directive(p, ".reqntid"))
		return block_shape(p, f->reqntid);
	if (tok_accept_directive(p, ".minnctapersm"))
		return ptx_const_small(p, 1 << 20, &f->minnctapersm, ".minnctapersm");
	if (tok_accept_directive(p, ".noreturn") || tok_accept_directive(p, ".explicitcluster") ||
		tok_accept_directive(p, ".blocksareclusters"))
		return true;
	if (tok_accept_directive(p, ".maxnreg") || tok_accept_directive(p, ".maxnctapersm") ||
		tok_accept_directive(p, ".maxclusterrank") || tok_accept_directive(p, ".abi_preserve") ||
		tok_accept_directive(p, ".abi_preserve_control") ||
		tok_accept_directive(p, ".reqnctapercluster"))
		return triple(p, v);
	if (tok_is_directive(p, ".loc"))
		return ptx_loc(p);
	if (tok_is_directive(p, ".pragma")) {
		tok_skip_statement(p);
		return true;
	}
	return ptx_error(p, tok_here(p), "unexpected %s before the body of a function", tok_text(p, tok(p)));
}

/* ---- headers ---- */

/* Returns the token of the name, which stands behind an optional list of results. Takes no token. */
static const PtxToken *header_name(Ptx *p)
{
	int at = p->at;
	if (tok_is(p, '('))
		while (!tok_is(p, ')') && tok(p)->kind != TK_EOF)
			tok_next(p);
	tok_accept(p, ')');
	const PtxToken *t = tok(p);
	p->at = at;
	return t;
}

/* Sets p->b->edit.f: to a new function of the module, or if the module has one of that name, to a function
   outside of the module for the second header, which `merge_headers` compares with the first. */
static bool choose_function(Ptx *p, const char *name, FuncKind kind, Loc loc)
{
	Module *m = p->m;
	int id = strmap_get(&p->funcs, name);
	if (strmap_get(&p->symbols, name) >= 0)
		return ptx_error(p, loc, "'%s' is a variable already", name);
	if (id < 0) {
		p->b->edit = edit_open(m, function_new(m, kind, name), 0);
		p->b->edit.f->loc = loc;
		p->b->edit.f->declared_only = true;
		strmap_put(&p->funcs, p->b->edit.f->name, p->b->edit.f->id);
		return true;
	}
	Function *old = m->func.v[id];
	if (old->kind != kind)
		return ptx_error(p, loc, "'%s' is both a kernel and a function", name);
	p->b->edit = edit_open(m, arena_new(&p->arena, Function), 0);
	p->b->edit.f->name = old->name;
	p->b->edit.f->kind = kind;
	p->b->edit.f->id = old->id;
	p->b->edit.f->loc = loc;
	return true;
}

static bool same_words(const Function *a, const Function *b, bool args)
{
	int n = args ? a->arg.n : a->ret.n;
	if (n != (args ? b->arg.n : b->ret.n))
		return false;
	for (int i = 0; i < n; i++)
		if (type_bits[a->reg.v[args ? a->arg.v[i] : a->ret.v[i]].type] !=
		type_bits[b->reg.v[args ? b->arg.v[i] : b->ret.v[i]].type])
			return false;
	return true;
}

static void drop_vectors(Function *f)
{
	vec_free(&f->reg);
	vec_free(&f->param);
	vec_free(&f->arg);
	vec_free(&f->ret);
	for (int i = 0; i < f->block.n; i++)
		vec_free(&f->block.v[i]->ins);
	vec_free(&f->block);
}

bool ptx_same_prototype(const Function *a, const Function *b)
{
	return same_words(a, b, true) && same_words(a, b, false) && a->param_bytes == b->param_bytes &&
		a->param.n == b->param.n;
}

/* If the header is the second one of a function, compares it with the first. A definition replaces what a
   declaration gave. */
static bool merge_headers(Ptx *p, bool define, Loc loc)
{
	Function *f = p->b->edit.f, *old = p->m->func.v[f->id];
	if (f == old)
		return true;
	bool same = ptx_same_prototype(f, old);
	bool twice = define && !old->declared_only;
	if (!same || twice || !define) {
		drop_vectors(f);
		p->b->edit.f = old;
		return same && !twice ? true : ptx_error(p, loc, twice ? "'%s' is defined twice" :
			"'%s' was declared with other parameters", f->name);
	}
	drop_vectors(old);
	*old = *f;
	p->b->edit.f = old;
	return true;
}

/* Does the declaration of a function end here without a ';', which old compilers left out? Then the next
   declaration begins here, or the file ends. */
static bool bare_end(const Ptx *p)
{
	static const char *const next[] = { ".extern", ".visible", ".weak", ".common", ".func", ".entry",
		".global", ".const",
		".shared", ".local", ".reg", ".section", ".file", ".alias" };
	for (size_t i = 0; i < sizeof next / sizeof *next; i++)
		if (tok_is_directive(p, next[i]))
			return true;
	return tok(p)->kind == TK_EOF;
}

static bool read_header(Ptx *p, bool entry, Loc *loc)
{
	const PtxToken *t = header_name(p);
	*loc = tok_loc(p, t);
	if (t->kind != TK_WORD)
		return ptx_error(p, *loc, "expected the name of a function, not %s", tok_text(p, t));
	if (!choose_function(p, arena_strndup(&p->arena, t->s, t->n), entry ? FN_KERNEL : FN_DEVICE, *loc))
		return false;
	if (tok_is(p, '(') && entry)
		return ptx_error(p, tok_here(p), "a kernel has no results");
	if (tok_is(p, '(') && !params(p, PV_OUT))
		return false;
	tok_next(p);
	if (tok_is(p, '(') && !params(p, PV_IN))
		return false;
	while (!tok_is(p, '{') && !tok_is(p, ';') && (entry || !bare_end(p)))
		if (!performance(p))
			return false;
	return true;
}

bool ptx_function(Ptx *p, bool entry)
{
	Body b = { .nauto = 1 };
	Loc loc;
	p->b = &b;
	body_scope(p);
	bool ok = read_header(p, entry, &loc);
	bool define = ok && tok_is(p, '{');
	if (!ok && b.edit.f && b.edit.f != p->m->func.v[b.edit.f->id])
		drop_vectors(b.edit.f);
	if (!ok) { /* after an error in the header, skip the body, whose names are unknown */
		while (!tok_is(p, '{') && !tok_is(p, ';') && tok(p)->kind != TK_EOF)
			tok_next(p);
		if (tok_is(p, '{'))
			tok_skip_braces(p);
		else
			tok_next(p);
	} else if (merge_headers(p, define, loc) && define) {
		b.edit.f->declared_only = false;
		ok = body_read(p);
	} else {
		ok = !define;
		if (define)
			tok_skip_braces(p);
	}
	if (ok && !define)
		tok_accept(p, ';');
	body_free(&b);
	p->b = NULL;
	p->loc_line = p->loc_inlined = 0;
	strmap_free(&p->call_at);
	return true;
}
