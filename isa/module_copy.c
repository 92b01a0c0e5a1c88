#include "isa/ir.h"
#include "lib/number.h"
#include <string.h>

/* ---- copy ---- */

static const char *copy_text(Module *m, const char *s)
{
	return s && !m->of ? arena_strdup(&m->arena, s) : s;
}

static Loc copy_loc(Module *m, Loc l)
{
	return (Loc){ copy_text(m, l.file), l.line, l.col };
}

static void copy_block(Module *m, Function *f, Block *d, const Block *s, Block *const *to)
{
	d->label = copy_text(m, s->label);
	d->user = s->user;
	d->origin = s->origin;
	d->loc = copy_loc(m, s->loc);
	d->reconverge = s->reconverge ? to[s->reconverge->id] : NULL;
	d->nsucc = s->nsucc;
	d->succ = arena_array(&m->arena, Block *, s->nsucc ? s->nsucc : 1);
	for (int k = 0; k < s->nsucc; k++)
		d->succ[k] = to[s->succ[k]->id];
	vec_reserve(&d->ins, s->ins.n);
	for (int k = 0; k < s->ins.n; k++) {
		Ins i = s->ins.v[k];
		int n = i.ndst + i.nsrc;
		i.opd = arena_array(&m->arena, Opd, n ? n : 1);
		if (n)
			memcpy(i.opd, s->ins.v[k].opd, sizeof *i.opd * (size_t)n);
		vec_push(&d->ins, i);
	}
}

static void copy_function(Module *m, Function *d, const Function *s)
{
	/* passes may leave wrong ids, which are set here; a module whose ids are right is not written */
	for (int k = 0; k < s->block.n; k++)
		if (s->block.v[k]->id != k)
			s->block.v[k]->id = k;
	d->declared_only = s->declared_only;
	d->refused = (Refusal){ copy_text(m, s->refused.what), copy_loc(m, s->refused.loc) };
	d->param_bytes = s->param_bytes;
	memcpy(d->maxntid, s->maxntid, sizeof d->maxntid);
	memcpy(d->reqntid, s->reqntid, sizeof d->reqntid);
	d->minnctapersm = s->minnctapersm;
	d->loc = copy_loc(m, s->loc);
	for (int k = 0; k < s->reg.n; k++)
		vec_push(&d->reg, ((Reg){ copy_text(m, s->reg.v[k].name), s->reg.v[k].type }));
	for (int k = 0; k < s->param.n; k++) {
		Param p = s->param.v[k];
		p.name = copy_text(m, p.name);
		vec_push(&d->param, p);
	}
	for (int k = 0; k < s->arg.n; k++)
		vec_push(&d->arg, s->arg.v[k]);
	for (int k = 0; k < s->ret.n; k++)
		vec_push(&d->ret, s->ret.v[k]);
	for (int k = 0; k < s->touch.n; k++)
		vec_push(&d->touch, s->touch.v[k]);
	for (int k = 0; k < s->source.n; k++)
		vec_push(&d->source, copy_text(m, s->source.v[k]));
	for (int k = 0; k < s->mark.n; k++)
		vec_push(&d->mark, s->mark.v[k]);
	for (int k = 0; k < s->lanes.n; k++)
		vec_push(&d->lanes, s->lanes.v[k]);
	for (int k = 0; k < s->block.n; k++) {
		vec_push(&d->block, arena_new(&m->arena, Block));
		vec_last(&d->block)->id = k;
	}
	for (int k = 0; k < s->block.n; k++)
		copy_block(m, d, d->block.v[k], s->block.v[k], d->block.v);
}

static void copy_symbol(Module *m, const Symbol *s)
{
	Symbol *d = arena_new(&m->arena, Symbol);
	*d = *s;
	d->name = arena_strdup(&m->arena, s->name);
	d->refused = copy_text(m, s->refused);
	d->loc = copy_loc(m, s->loc);
	if (s->init) {
		d->init = arena_alloc(&m->arena, s->size ? s->size : 1);
		memcpy(d->init, s->init, s->size);
	}
	memset(&d->reloc, 0, sizeof d->reloc);
	for (int k = 0; k < s->reloc.n; k++)
		vec_push(&d->reloc, s->reloc.v[k]);
	vec_push(&m->symbol, d);
}

Module *module_copy(const Module *s)
{
	Module *m = module_new(s->name);
	m->file.v[0] = arena_strdup(&m->arena, s->file.v[0]);
	for (int k = 1; k < s->file.n; k++)
		vec_push(&m->file, arena_strdup(&m->arena, s->file.v[k]));
	for (int k = 1; k < s->origin.n; k++)
		vec_push(&m->origin, arena_strdup(&m->arena, s->origin.v[k]));
	for (int k = 0; k < s->string.n; k++)
		vec_push(&m->string, arena_strdup(&m->arena, s->string.v[k]));
	for (int k = 0; k < s->place.n; k++)
		vec_push(&m->place, s->place.v[k]);
	for (int k = 0; k < s->symbol.n; k++)
		copy_symbol(m, s->symbol.v[k]);
	for (int k = 0; k < s->func.n; k++)
		copy_function(m, function_new(m, s->func.v[k]->kind, s->func.v[k]->name), s->func.v[k]);
	return m;
}

/* ---- view ---- */

#define SHARE(LIST, FROM) do { \
	for (int k = (FROM); k < s->LIST.n; k++) \
		vec_push(&m->LIST, s->LIST.v[k]); \
} while (0)

Module *module_view(const Module *s)
{
	Module *m = module_new(s->name);
	m->of = s;
	m->file.v[0] = s->file.v[0];
	SHARE(file, 1);
	SHARE(origin, 1);
	SHARE(string, 0);
	SHARE(place, 0);
	SHARE(symbol, 0);
	SHARE(func, 0);
	return m;
}

Function *view_function(Module *m, int id)
{
	const Function *s = m->of->func.v[id];
	Function *d = arena_new(&m->arena, Function);
	must(m->func.v[id] == s);
	d->name = s->name;
	d->kind = s->kind;
	d->id = id;
	copy_function(m, d, s);
	m->func.v[id] = d;
	return d;
}

/* ---- comparison ---- */

/* Two modules, with the second one's number for each of the first one's registers and symbols. Numbers may
   differ where names agree, for the text form orders variables by owner and declares arguments first. */
typedef struct ModulePair { const Module *a, *b; int *symbol; int *reg; const Function *fa, *fb; } ModulePair;

static bool same_loc(Loc a, Loc b)
{
	if (!a.file || !b.file || !a.line || !b.line)
		return (!a.file || !a.line) == (!b.file || !b.line);
	return a.line == b.line && a.col == b.col && same_text(a.file, b.file);
}

static bool same_ins_place(const ModulePair *p, const Ins *a, const Ins *b)
{
	if (!a->line || !b->line)
		return a->line == b->line;
	return a->line == b->line && a->col == b->col &&
		!strcmp(p->a->file.v[a->file], p->b->file.v[b->file]);
}

static bool same_places(const ModulePair *p, int i, int j)
{
	Loc x, y;
	while (place_next(p->a, &i, &x))
		if (!place_next(p->b, &j, &y) || !same_loc(x, y))
			return false;
	return !j;
}

static bool same_origin(const ModulePair *p, int a, int b)
{
	return !a || !b ? a == b : !strcmp(p->a->origin.v[a], p->b->origin.v[b]);
}

static bool same_value(Type t, int64_t a, int64_t b)
{
	int width = t == T_NONE ? 64 : type_bits[t];
	return !((uint64_t)(a ^ b) << (64 - width));
}

static bool same_operand(const ModulePair *p, const Opd *a, const Opd *b, Type t)
{
	if (a->kind != b->kind || a->neg != b->neg)
		return false;
	switch ((OpdKind)a->kind) {
	case OPD_NONE: return true;
	case OPD_REG: return p->reg[a->id] == b->id && a->imm == b->imm;
	case OPD_IMM: return same_value(t, a->imm, b->imm);
	case OPD_SREG: return a->id == b->id;
	case OPD_SYM: return p->symbol[a->id] == b->id && a->imm == b->imm;
	case OPD_PARAM: return a->id == b->id && a->imm == b->imm;
	case OPD_FUNC: return a->id == b->id;
	case OPD_STR: return !strcmp(p->a->string.v[a->id], p->b->string.v[b->id]);
	}
	return false;
}

static bool same_lanes(const ModulePair *p, int a, int b)
{
	while (a && b) {
		const SomeLanes *x = &p->fa->lanes.v[a], *y = &p->fb->lanes.v[b];
		if (p->reg[x->reg] != y->reg || x->neg != y->neg)
			return false;
		a = x->next;
		b = y->next;
	}
	return !a && !b;
}

static bool same_marks(const ModulePair *p, int a, int b)
{
	while (a && b) {
		const Mark *x = &p->fa->mark.v[a], *y = &p->fb->mark.v[b];
		if (x->kind != y->kind || strcmp(p->fa->source.v[x->source], p->fb->source.v[y->source]) ||
			!same_lanes(p, x->lanes, y->lanes) || !same_operand(p, &x->value, &y->value, T_PRED))
			return false;
		a = x->next;
		b = y->next;
	}
	return !a && !b;
}

static bool same_ins(const ModulePair *p, const Ins *a, const Ins *b)
{
	if (!ins_same_form(a, b) || !same_ins_place(p, a, b) || !same_places(p, a->melded, b->melded) ||
		!same_places(p, a->inlined, b->inlined) || !same_origin(p, a->origin, b->origin) ||
		(a->guard < 0) != (b->guard < 0))
		return false;
	if (a->guard >= 0 && (p->reg[a->guard] != b->guard || a->guard_neg != b->guard_neg))
		return false;
	if (!same_marks(p, a->mark, b->mark))
		return false;
	for (int k = 0; k < a->ndst; k++)
		if (!same_operand(p, ins_dst(a, k), ins_dst(b, k), T_NONE))
			return false;
	for (int k = 0; k < a->nsrc; k++)
		if (!same_operand(p, ins_src(a, k), ins_src(b, k), ins_value_type(p->a, a, k)))
			return false;
	return true;
}

static bool same_block(const ModulePair *p, const Block *a, const Block *b)
{
	if (strcmp(a->label, b->label) || a->user != b->user || !same_origin(p, a->origin, b->origin) ||
		!same_loc(a->loc, b->loc) || a->nsucc != b->nsucc || a->ins.n != b->ins.n ||
		!a->reconverge != !b->reconverge)
		return false;
	if (a->reconverge && strcmp(a->reconverge->label, b->reconverge->label))
		return false;
	for (int k = 0; k < a->nsucc; k++)
		if (strcmp(a->succ[k]->label, b->succ[k]->label))
			return false;
	for (int k = 0; k < a->ins.n; k++)
		if (!same_ins(p, &a->ins.v[k], &b->ins.v[k]))
			return false;
	return true;
}

/* Fills p->reg with the registers of the same names. false: the functions have other registers. */
static bool pair_registers(ModulePair *p)
{
	const Function *a = p->fa, *b = p->fb;
	StrMap names = { 0 };
	bool ok = a->reg.n == b->reg.n;
	for (int k = 0; ok && k < b->reg.n; k++)
		strmap_put(&names, b->reg.v[k].name, k);
	for (int k = 0; ok && k < a->reg.n; k++) {
		p->reg[k] = strmap_get(&names, a->reg.v[k].name);
		ok = p->reg[k] >= 0 && a->reg.v[k].type == b->reg.v[p->reg[k]].type;
	}
	strmap_free(&names);
	return ok;
}

static bool same_header(const ModulePair *p)
{
	const Function *a = p->fa, *b = p->fb;
	if (strcmp(a->name, b->name) || a->kind != b->kind || a->declared_only != b->declared_only ||
		a->arg.n != b->arg.n || a->ret.n != b->ret.n || a->touch.n != b->touch.n ||
		a->param.n != b->param.n || a->block.n != b->block.n || a->param_bytes != b->param_bytes ||
		memcmp(a->maxntid, b->maxntid, sizeof a->maxntid) ||
		memcmp(a->reqntid, b->reqntid, sizeof a->reqntid) || a->minnctapersm != b->minnctapersm ||
		!same_loc(a->loc, b->loc) || !same_text(a->refused.what, b->refused.what) ||
		(a->refused.what && !same_loc(a->refused.loc, b->refused.loc)))
		return false;
	for (int k = 0; k < a->param.n; k++) {
		const Param *x = &a->param.v[k], *y = &b->param.v[k];
		if (strcmp(x->name, y->name) || x->type != y->type || x->count != y->count ||
			x->align != y->align || x->offset != y->offset || x->size != y->size ||
			x->array != y->array || x->pointer != y->pointer || x->space != y->space ||
			x->points_align != y->points_align)
			return false;
	}
	for (int k = 0; k < a->touch.n; k++) {
		const LuaTouch *x = &a->touch.v[k], *y = &b->touch.v[k];
		if (x->arg != y->arg || x->type != y->type || x->reads != y->reads || x->writes != y->writes)
			return false;
	}
	return true;
}

static bool same_function(ModulePair *p)
{
	const Function *a = p->fa, *b = p->fb;
	if (!same_header(p) || !pair_registers(p) || a->source.n != b->source.n)
		return false;
	for (int k = 0; k < a->source.n; k++)
		if (strcmp(a->source.v[k], b->source.v[k]))
			return false;
	for (int k = 0; k < a->arg.n; k++)
		if (p->reg[a->arg.v[k]] != b->arg.v[k])
			return false;
	for (int k = 0; k < a->ret.n; k++)
		if (p->reg[a->ret.v[k]] != b->ret.v[k])
			return false;
	for (int k = 0; k < a->block.n; k++)
		if (!same_block(p, a->block.v[k], b->block.v[k]))
			return false;
	return true;
}

/* ---- variables ---- */

static const uint8_t zeros[4096];

/* Are the bytes from..to of the initial data the same? A variable without initial data is all zero. */
static bool same_bytes(const Symbol *a, const Symbol *b, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t n = to - from < sizeof zeros ? to - from : sizeof zeros;
		if ((a->init || b->init) && memcmp(a->init ? a->init + from : zeros,
			b->init ? b->init + from : zeros, n))
			return false;
		from += n;
	}
	return true;
}

static bool same_data(const ModulePair *p, const Symbol *a, const Symbol *b)
{
	uint64_t from = 0;
	if (a->reloc.n != b->reloc.n)
		return false;
	if (!a->init && !b->init)
		return true;
	for (int k = 0; k < a->reloc.n; k++) { /* bytes whose place an address takes do not count */
		const Reloc *x = &a->reloc.v[k], *y = &b->reloc.v[k];
		int id = x->func ? x->id : p->symbol[x->id];
		if (x->offset != y->offset || x->func != y->func || x->generic != y->generic || id != y->id ||
			x->addend != y->addend)
			return false;
		if (!same_bytes(a, b, from, x->offset))
			return false;
		from = (uint64_t)x->offset + 8;
	}
	return same_bytes(a, b, from, a->size);
}

static bool same_symbol(const ModulePair *p, const Symbol *a, const Symbol *b)
{
	return !strcmp(a->name, b->name) && a->space == b->space && a->type == b->type &&
		a->count == b->count &&
		a->align == b->align && a->size == b->size && a->array == b->array &&
		a->external == b->external &&
		same_text(a->refused, b->refused) &&
		a->owner == b->owner && same_loc(a->loc, b->loc) && same_data(p, a, b);
}

static void pair_symbols(ModulePair *p)
{
	SymbolOrder a = symbol_order(p->a), b = symbol_order(p->b);
	for (int k = 0; k < p->a->symbol.n; k++)
		p->symbol[a.id[k]] = b.id[k];
	symbol_order_free(&a);
	symbol_order_free(&b);
}

bool module_equal(const Module *a, const Module *b)
{
	if (a->func.n != b->func.n || a->symbol.n != b->symbol.n)
		return false;
	int most = 0;
	for (int k = 0; k < a->func.n; k++)
		most = a->func.v[k]->reg.n > most ? a->func.v[k]->reg.n : most;
	ModulePair p = { .a = a, .b = b, .symbol = xcalloc((size_t)a->symbol.n, sizeof(int)),
		.reg = xcalloc((size_t)most, sizeof(int)) };
	pair_symbols(&p);
	bool ok = true;
	for (int k = 0; ok && k < a->symbol.n; k++)
		ok = same_symbol(&p, a->symbol.v[k], b->symbol.v[p.symbol[k]]);
	for (int k = 0; ok && k < a->func.n; k++) {
		p.fa = a->func.v[k];
		p.fb = b->func.v[k];
		ok = same_function(&p);
	}
	free(p.symbol);
	free(p.reg);
	return ok;
}
