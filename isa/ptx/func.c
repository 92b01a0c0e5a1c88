/* Bodies of functions: scopes and the names in them, declarations, labels, statements. */
#include "isa/ptx/ptx.h"

enum { DEEPEST_SCOPE = 500 };

/* ---- names ---- */

static bool reg_is_taken(const Ptx *p, const char *name)
{
	return edit_find_reg(&p->b->edit, name, strlen(name)) >= 0 || sreg_lookup(name, strlen(name)) >= 0;
}

const char *ptx_rename(Ptx *p, Arena *a, const char *name, int least,
	bool (*taken)(const Ptx *, const char *))
{
	int k = p->b->suffix > least ? p->b->suffix : least;
	const char *own = arena_printf(a, "%s_%d", name, k);
	while (taken(p, own)) {
		own = arena_printf(a, "%s_%d", name, ++k);
		p->b->suffix = k;
	}
	return own;
}

/* Makes a register. Its name is the PTX name, with a %, made unique among those of the function. */
int ptx_new_reg(Ptx *p, const char *name, Type type)
{
	Body *b = p->b;
	const char *base = !name ? "%t" : *name == '%' ? name : arena_printf(&p->arena, "%%%s", name);
	const char *own = name ? base : arena_printf(&p->arena, "%%t_%d", b->edit.f->reg.n);
	if (reg_is_taken(p, own))
		own = ptx_rename(p, &p->arena, base, b->edit.f->reg.n + !name, reg_is_taken);
	return edit_add_reg(&b->edit, own, strlen(own), type);
}

bool ptx_declare(Ptx *p, const char *name, Entity e, Loc loc)
{
	Body *b = p->b;
	NameScope *s = &b->scope.v[b->here];
	if (strmap_get(&s->name, name) >= 0)
		return ptx_error(p, loc, "'%s' is declared twice", name);
	strmap_put(&s->name, name, b->entity.n);
	vec_push(&b->entity, e);
	return true;
}

/* If the name is that of a register of one of these ranges, as %r7 is of %r<9>, returns the type of the
   range; else T_NONE. */
static Type find_reg_range(const Ptx *p, const StrMap *ranges, const char *name)
{
	size_t n = strlen(name), k = n;
	uint64_t number = 0, power = 1;
	while (k > 1 && n - k < 9 && name[k - 1] >= '0' && name[k - 1] <= '9') {
		number += power * (uint64_t)(name[--k] - '0');
		power *= 10;
		if (name[k] == '0' && n - k > 1)
			continue; /* the number has no leading zeros */
		int r = strmap_getn(ranges, name, k);
		if (r >= 0 && number < p->range.v[r].count)
			return (Type)p->range.v[r].type;
	}
	return T_NONE;
}

/* Adds the entity of a register. The register itself is made when it is used for the first time. */
static int add_reg_entity(Ptx *p, int scope, const char *name, Type type)
{
	Body *b = p->b;
	vec_push(&b->entity, ((Entity){ ENT_REG, (uint8_t)type, -1 }));
	strmap_put(&b->scope.v[scope].name, arena_strdup(&p->arena, name), b->entity.n - 1);
	return b->entity.n - 1;
}

/* Looks for a register of module scope. If there is one, the function being read gets a register of its own
   for it. NULL: there is none. */
static Entity *find_module_reg(Ptx *p, const char *name)
{
	int id = strmap_get(&p->reg_name, name);
	Type t = id < 0 ? find_reg_range(p, &p->reg_range, name) : (Type)p->module_reg.v[id].type;
	if (!t || (id < 0 && !ptx_module_reg(p, arena_strdup(&p->arena, name), t, tok_here(p))))
		return NULL;
	id = strmap_get(&p->reg_name, name);
	int k = add_reg_entity(p, 0, name, t);
	Entity *e = &p->b->entity.v[k];
	e->id = ptx_new_reg(p, name, t);
	ptx_use_module_reg(p, id, e->id);
	return e;
}

Entity *ptx_find(Ptx *p, const char *name)
{
	Body *b = p->b;
	for (int s = b->here; s >= 0; s = b->scope.v[s].parent) {
		int id = strmap_get(&b->scope.v[s].name, name);
		Type t = id < 0 ? find_reg_range(p, &b->scope.v[s].range, name) : T_NONE;
		if (t)
			id = add_reg_entity(p, s, name, t);
		if (id < 0)
			continue;
		Entity *e = &b->entity.v[id];
		if (e->kind == ENT_REG && e->id < 0)
			e->id = ptx_new_reg(p, name, (Type)e->type);
		return e;
	}
	return find_module_reg(p, name);
}

bool body_scope(Ptx *p)
{
	Body *b = p->b;
	int depth = b->scope.n ? b->scope.v[b->here].depth + 1 : 0;
	if (depth > DEEPEST_SCOPE)
		return ptx_error(p, tok_here(p), "scopes are nested too deeply");
	NameScope s = { .parent = b->scope.n ? b->here : -1, .depth = depth };
	b->here = b->scope.n;
	vec_push(&b->scope, s);
	return true;
}

void body_free(Body *b)
{
	for (int i = 0; i < b->scope.n; i++) {
		strmap_free(&b->scope.v[i].name);
		strmap_free(&b->scope.v[i].label);
		strmap_free(&b->scope.v[i].range);
	}
	for (int i = 0; i < b->targets.n; i++) {
		vec_free(&b->targets.v[i].label);
		vec_free(&b->targets.v[i].loc);
	}
	edit_close(&b->edit);
	strmap_free(&b->symbol_names);
	vec_free(&b->scope);
	vec_free(&b->entity);
	vec_free(&b->pvar);
	vec_free(&b->targets);
	vec_free(&b->ref);
	vec_free(&b->brx);
}

/* ---- registers ---- */

static bool one_reg(Ptx *p, const Decl *d)
{
	Loc loc = tok_here(p);
	char *name = tok_name(p);
	if (!name)
		return false;
	if (!tok_accept(p, '<'))
		return p->b ? ptx_declare(p, name, (Entity){ ENT_REG, (uint8_t)d->type, -1 }, loc)
			: ptx_module_reg(p, name, d->type, loc);
	const PtxToken *t = tok(p);
	if (t->kind != TK_INT || t->bits > 1000000)
		return ptx_error(p, tok_here(p), "expected a number of registers up to 1000000, not %s",
			tok_text(p, t));
	tok_next(p);
	StrMap *ranges = p->b ? &p->b->scope.v[p->b->here].range : &p->reg_range;
	if (strmap_get(ranges, name) >= 0)
		return ptx_error(p, loc, "'%s' is declared twice", name);
	strmap_put(ranges, name, p->range.n);
	vec_push(&p->range, ((RegRange){ (uint32_t)t->bits, (uint8_t)d->type }));
	return tok_expect(p, '>', "behind a number of registers");
}

bool ptx_registers(Ptx *p)
{
	Decl d = { 0 };
	if (!ptx_type(p, &d) || !ptx_usable(p, &d))
		return false;
	if (d.vec)
		return ptx_refuse(p, tok_here(p), "vector registers are not supported by gsim");
	do
		if (!one_reg(p, &d))
			return false;
	while (tok_accept(p, ','));
	return tok_expect(p, ';', "behind a register declaration");
}

/* ---- bodies ---- */

/* Reads declarations behind .param inside a body: variables that pass arguments and results of calls. */
static bool call_params(Ptx *p)
{
	Decl d = { 0 };
	if (!ptx_type(p, &d) || !ptx_usable(p, &d))
		return false;
	uint32_t align = d.align;
	do {
		d.align = align;
		if (!ptx_declarator(p, &d) || ptx_pvar(p, PV_CALL, &d) < 0)
			return false;
	} while (tok_accept(p, ','));
	return tok_expect(p, ';', "behind a declaration");
}

static bool body_directive(Ptx *p)
{
	static const struct { const char *name; Space space; } spaces[] = {
		{ ".shared", SP_SHARED }, { ".local", SP_LOCAL }, { ".global", SP_GLOBAL },
		{ ".const", SP_CONST }
	};
	bool external = tok_accept_directive(p, ".extern");
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (tok_accept_directive(p, spaces[i].name))
			return ptx_variable(p, spaces[i].space, external);
	if (tok_accept_directive(p, ".reg"))
		return ptx_registers(p);
	if (tok_accept_directive(p, ".param"))
		return call_params(p);
	if (tok_is_directive(p, ".loc"))
		return ptx_loc(p);
	if (tok_is_directive(p, ".pragma"))
		return flow_pragma(p);
	return ptx_error(p, tok_here(p), "%s is not supported inside a function", tok_text(p, tok(p)));
}

/* Reads `label:`, or `label: .branchtargets a, b;` and its like. */
static bool read_ptx_label(Ptx *p)
{
	Loc loc = tok_here(p);
	char *name = tok_name(p);
	tok_next(p);
	if (tok_accept_directive(p, ".branchtargets"))
		return flow_targets(p, name, loc);
	if (tok_is_directive(p, ".callprototype") || tok_is_directive(p, ".calltargets")) {
		tok_skip_statement(p); /* the call itself says what it passes */
		return ptx_declare(p, name, (Entity){ .kind = ENT_PROTO }, loc);
	}
	flow_label(p, name, loc);
	return true;
}

static bool statement(Ptx *p)
{
	const PtxToken *t = tok(p), *next = tok_ahead(p, 1);
	p->b->line = t->line;
	p->b->col = t->col;
	if (tok_accept(p, ';'))
		return true;
	if (t->kind == TK_DIRECTIVE)
		return body_directive(p);
	if (t->kind == TK_WORD && next->kind == TK_PUNCT && next->punct == ':')
		return read_ptx_label(p);
	return ptx_statement(p);
}

/* Reads all statements of a body. Stops where the function is refused. False (reported): the body has no
   end. */
static bool statements(Ptx *p)
{
	Body *b = p->b;
	int depth = 0;
	do {
		int at = p->at;
		if (tok(p)->kind == TK_EOF)
			return ptx_error(p, tok_here(p), "the body of '%s' has no end", b->edit.f->name);
		if (tok_accept(p, '{')) {
			if (depth++ && !body_scope(p))
				return false;
		} else if (tok_accept(p, '}')) {
			if (--depth)
				b->here = b->scope.v[b->here].parent;
		} else {
			bool ok = statement(p);
			b->word = NULL;
			if (b->refused.what)
				return true;
			if (!ok && p->at == at)
				tok_next(p);
			if (!ok)
				tok_skip_statement(p);
		}
	} while (depth);
	return true;
}

/* what there was before the body: the token, numbers of registers, symbols, fixes */
typedef struct BodyStart { int at, regs, symbols, fixes; } BodyStart;

/* Takes back what a refused body has added to the function and the module. The function keeps the reason.
   Goes on behind the body. */
static bool refuse_body(Ptx *p, const BodyStart *s)
{
	Module *m = p->m;
	Function *f = p->b->edit.f;
	f->refused = p->b->refused;
	f->reg.n = s->regs;
	for (int k = 0; k < f->block.n; k++)
		vec_free(&f->block.v[k]->ins);
	f->block.n = 0;
	for (int k = s->symbols; k < m->symbol.n; k++)
		vec_free(&m->symbol.v[k]->reloc);
	m->symbol.n = s->symbols;
	p->fix.n = s->fixes;
	p->at = s->at;
	return tok_skip_braces(p) || ptx_error(p, tok_here(p), "the body of '%s' has no end", f->name);
}

bool body_read(Ptx *p)
{
	Body *b = p->b;
	BodyStart s = { p->at, b->edit.f->reg.n, p->m->symbol.n, p->fix.n };
	if (!b->refused.what && !statements(p))
		return false;
	if (b->refused.what)
		return refuse_body(p, &s);
	flow_finish(p);
	return true;
}
