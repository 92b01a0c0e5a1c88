/* Declarations of the text form: variables, and the headers of functions. */
#include "isa/text_reader.h"
#include <string.h>

/* ---- variables ---- */

Space rd_space(const Reader *r)
{
	for (int s = SP_GLOBAL; s <= SP_CONST; s++)
		if (rd_word(r, space_name[s]))
			return (Space)s;
	return SP_GENERIC;
}

/* Element type, name, size and alignment, as in "u32 x[4] align 8"; count 0 for empty brackets. */
typedef struct DeclShape {
	Type type;
	const char *name;
	uint64_t count;
	uint32_t align;
	bool array;
	Token at;
} DeclShape;

static bool read_shape(Reader *r, DeclShape *s, const char *what)
{
	*s = (DeclShape){ .type = rd_type(r) };
	if (!s->type)
		return false;
	s->at = r->tok;
	s->count = 1;
	s->align = (uint32_t)type_bytes(s->type);
	if (!(s->name = rd_name(r, what)))
		return false;
	if (rd_accept(r, '[')) {
		s->array = true;
		s->count = 0;
		if (!rd_at(r, ']') && !rd_count(r, (uint64_t)1 << 40, &s->count, "the number of elements"))
			return false;
		if (!rd_expect(r, ']', "']'"))
			return false;
	}
	uint64_t align;
	if (rd_accept_word(r, "align")) {
		if (!rd_count(r, 1 << 16, &align, "the alignment"))
			return false;
		s->align = (uint32_t)align;
	}
	return true;
}

static bool stands_already(Reader *r, const Token *at, const char *name, Loc old)
{
	if (old.file && strcmp(old.file, r->lex.path)) /* the other declaration stands in an imported file */
		return rd_fail(r, at, "'%.100s' stands in %.200s:%d already", name, old.file, old.line);
	return rd_fail(r, at, "'%.100s' stands in line %d already", name, old.line);
}

static bool duplicate(Reader *r, const DeclShape *s, int owner)
{
	int old = owner < 0 ? strmap_get(&r->global, s->name) : strmap_get(&r->local, s->name);
	int func = owner < 0 ? strmap_get(&r->func, s->name) : -1;
	if (old < 0 && func < 0)
		return false;
	const Symbol *o = owner < 0 && old >= 0 ? r->m->symbol.v[old] : NULL;
	if (o || func >= 0)
		stands_already(r, &s->at, s->name, o ? o->loc : r->m->func.v[func]->loc);
	else
		rd_fail(r, &s->at, "'%.100s' is declared in this function already", s->name);
	return true;
}

/* Reads initial data inside bodies. At module level it may name what is declared further down, so its place
   is only remembered, for the second pass. */
static bool data_clause(Reader *r, Symbol *s)
{
	if (s->owner >= 0)
		return rd_data(r, s);
	vec_push(&r->later, ((Later){ r->lex, r->tok, NULL, s }));
	for (int depth = 0; r->tok.kind != TK_END && r->tok.kind != TK_BAD; rd_next(r)) {
		depth += r->tok.kind == '{';
		depth -= r->tok.kind == '}';
		if (depth <= 0 && (r->tok.kind == TK_NL || r->tok.kind == '!'))
			return true;
	}
	return r->tok.kind == TK_END;
}

/* Reads the reason in quotes behind "refused". NULL: reported. */
static const char *refusal_text(Reader *r)
{
	const char *what = r->tok.s;
	return rd_expect(r, TK_STRING, "the reason in quotes") ? what : NULL;
}

bool rd_symbol(Reader *r, int owner)
{
	bool external = rd_accept_word(r, "extern");
	Space space = rd_space(r);
	if (space == SP_GENERIC)
		return rd_wanted(r, "global, const, shared or local");
	rd_next(r);
	DeclShape shape;
	if (!read_shape(r, &shape, "the variable's name"))
		return false;
	if (duplicate(r, &shape, owner))
		return false;
	Symbol *s = arena_new(&r->m->arena, Symbol);
	*s = (Symbol){ .name = shape.name, .space = (uint8_t)space, .type = (uint8_t)shape.type,
		.count = shape.count,
		.align = shape.align, .size = shape.count * (uint64_t)type_bytes(shape.type),
		.array = shape.array,
		.external = external, .owner = owner, .loc = rd_loc(r, &shape.at) };
	int id = r->m->symbol.n;
	vec_push(&r->m->symbol, s);
	strmap_put(owner < 0 ? &r->global : &r->local, s->name, owner < 0 ? id : id << 1 | 1);
	if (rd_at(r, '=') && !data_clause(r, s))
		return false;
	if (rd_accept_word(r, "refused") && !(s->refused = refusal_text(r)))
		return false;
	Marks marks;
	if (!rd_marks(r, &marks))
		return false;
	rd_later_loc(r, &s->loc, &marks);
	return true;
}

/* ---- headers of functions ---- */

/* Reads "ptr(global, 4)", if it stands there: the space that a parameter points to, and the alignment. */
static bool points_to(Reader *r, Param *p)
{
	uint64_t align;
	Token at;
	if (!rd_accept_word(r, "ptr"))
		return true;
	if (!rd_expect(r, '(', "'(' behind ptr"))
		return false;
	p->space = (uint8_t)rd_space(r);
	if (p->space == SP_GENERIC && !rd_word(r, "generic"))
		return rd_wanted(r, "global, const, shared, local or generic");
	rd_next(r);
	if (!rd_expect(r, ',', "','"))
		return false;
	at = r->tok;
	if (!rd_count(r, 1u << 16, &align, "the alignment"))
		return false;
	if (!align || align & (align - 1))
		return rd_fail(r, &at, "the alignment must be a power of two");
	p->pointer = true;
	p->points_align = (uint32_t)align;
	return rd_expect(r, ')', "')'");
}

static bool kernel_params(Reader *r, Function *f)
{
	uint64_t at = 0;
	strmap_free(&r->local);
	while (rd_skip_lines(r), !rd_accept(r, ')')) {
		if (f->param.n && !rd_expect(r, ',', "',' or ')'"))
			return false;
		rd_skip_lines(r);
		DeclShape s;
		if (!read_shape(r, &s, "the parameter's name"))
			return false;
		if (s.count > 1 << 16 || f->param.n == OPERAND_LIMIT)
			return rd_fail(r, &s.at, "too many parameters or elements");
		if (strmap_get(&r->local, s.name) >= 0)
			return rd_fail(r, &s.at, "a second parameter '%.100s'", s.name);
		strmap_put(&r->local, s.name, f->param.n << 1);
		at = s.align > 1 ? (at + s.align - 1) / s.align * s.align : at;
		Param p = { s.name, (uint8_t)s.type, (uint32_t)s.count, s.align, (uint32_t)at,
			(uint32_t)s.count * (uint32_t)type_bytes(s.type), s.array, false, SP_GENERIC, 0 };
		if (!points_to(r, &p))
			return false;
		at += p.size;
		vec_push(&f->param, p);
		rd_skip_lines(r);
	}
	f->param_bytes = (uint32_t)at;
	return true;
}

/* Reads "type %reg, ...)" of a function that is no kernel, behind the parenthesis that opens the list. */
static bool register_list(Reader *r, Function *f, bool results)
{
	for (int n = 0; rd_skip_lines(r), !rd_accept(r, ')'); n++) {
		if (n && !rd_expect(r, ',', "',' or ')'"))
			return false;
		rd_skip_lines(r);
		Type t = rd_type(r);
		Token at = r->tok;
		if (!t || !rd_expect(r, TK_REG, "a register's name"))
			return false;
		if (n == OPERAND_LIMIT)
			return rd_fail(r, &at, "too many arguments");
		int id = rd_declare(r, &at, t);
		if (id < 0)
			return false;
		if (results)
			vec_push(&f->ret, id);
		else
			vec_push(&f->arg, id);
		rd_skip_lines(r);
	}
	return true;
}

static bool read_dimensions(Reader *r, uint32_t *v, int least, int most)
{
	if (!rd_expect(r, '(', "'('"))
		return false;
	for (int k = 0; k < most; k++) {
		uint64_t n = 0;
		if (k && k >= least && rd_at(r, ')')) {
			v[k] = 1;
			continue;
		}
		if (k && !rd_expect(r, ',', "','"))
			return false;
		Token at = r->tok;
		if (!rd_count(r, 1 << 30, &n, "a number of threads or blocks"))
			return false;
		if (!n)
			return rd_fail(r, &at, "a dimension is at least 1");
		v[k] = (uint32_t)n;
	}
	return rd_expect(r, ')', "')'");
}

/* Reads attributes of a function; lines: they may stand on lines of their own, because a body follows. */
static bool attributes(Reader *r, Function *f, bool lines)
{
	for (;;) {
		if (lines)
			rd_skip_lines(r);
		if (rd_accept_word(r, "maxntid")) {
			if (!read_dimensions(r, f->maxntid, 1, 3))
				return false;
		} else if (rd_accept_word(r, "reqntid")) {
			if (!read_dimensions(r, f->reqntid, 1, 3))
				return false;
		} else if (rd_accept_word(r, "minnctapersm")) {
			if (!read_dimensions(r, &f->minnctapersm, 1, 1))
				return false;
		} else if (f->kind == FN_HOST && (rd_word(r, "reads") || rd_word(r, "writes"))) {
			if (!rd_touched(r, f))
				return false;
		} else {
			return true;
		}
	}
}

/* Finds the end of a body whose '{' is the current token; errors inside the body are reported when it is
   read. A line that begins another function ends the body, too, so that one missing brace does not hide the
   rest. */
static void skip_body(Reader *r, Later *later)
{
	Diag mute = { .limit = 1 };
	Arena scratch = { 0 };
	Lexer x = r->lex;
	x.diag = &mute;
	x.arena = &scratch;
	*later = (Later){ r->lex, r->tok, r->f, NULL };
	Token last = { .kind = '{' }, before = last;
	Lexer line_end = x;
	int depth = 1;
	while (depth > 0) {
		Lexer here = x;
		Token t = lex_next(&x);
		if (t.kind == TK_END)
			break;
		if (t.kind == TK_BAD) {
			const char *nl = memchr(x.at, '\n', (size_t)(x.end - x.at));
			x.at = nl ? nl : x.end;
		}
		if (t.kind == TK_NL)
			line_end = here;
		depth += t.kind == '{';
		depth -= t.kind == '}';
		bool begins = last.kind == TK_NAME && !last.quoted && before.kind == TK_NL &&
			t.kind == TK_NAME &&
			((last.n == 6 && !memcmp(last.s, "kernel", 6)) ||
			(last.n == 4 && !memcmp(last.s, "func", 4)) ||
			(last.n == 4 && !memcmp(last.s, "host", 4)));
		if (begins) {
			x = line_end;
			break;
		}
		before = last;
		last = t;
	}
	later->lex.end = x.at;
	x.diag = r->diag;
	x.arena = r->lex.arena;
	r->lex = x;
	diag_free(&mute);
	arena_free(&scratch);
	rd_next(r);
}

static FuncKind kind_of_word(Reader *r, bool *is)
{
	static const char *const words[] = { "kernel", "func", "host" };
	for (int k = 0; k < 3; k++)
		if (rd_accept_word(r, words[k])) {
			*is = true;
			return (FuncKind)k;
		}
	*is = false;
	return FN_KERNEL;
}

/* Makes a function, or takes the one that was declared before and that this text defines; NULL: reported. */
static Function *introduce(Reader *r, const Token *at, FuncKind kind, const char *name, bool external)
{
	int old = strmap_get(&r->func, name), var = strmap_get(&r->global, name);
	Function *f = old < 0 ? NULL : r->m->func.v[old];
	if (var >= 0 || (f && (!f->declared_only || f->kind != kind))) {
		stands_already(r, at, name, f ? f->loc : r->m->symbol.v[var]->loc);
		return NULL;
	}
	if (!f) {
		f = function_new(r->m, kind, name);
		strmap_put(&r->func, f->name, f->id);
	}
	f->declared_only = external;
	f->loc = rd_loc(r, at);
	vec_clear(&f->reg);
	vec_clear(&f->arg);
	vec_clear(&f->ret);
	vec_clear(&f->touch);
	vec_clear(&f->param);
	return f;
}

/* Reads what stands in the place of a body behind "refused": what the function needs that gsim does not have,
   and where this stands. */
static bool refusal(Reader *r, Function *f, const Token *at)
{
	Marks marks;
	f->refused = (Refusal){ refusal_text(r), rd_loc(r, at) };
	if (!f->refused.what || !rd_marks(r, &marks))
		return false;
	rd_later_loc(r, &f->refused.loc, &marks);
	return true;
}

static bool function_rest(Reader *r, Function *f, bool external)
{
	Marks marks;
	if (!rd_expect(r, '(', "'('"))
		return false;
	if (f->kind == FN_KERNEL ? !kernel_params(r, f) : !register_list(r, f, false))
		return false;
	if (f->kind != FN_KERNEL && rd_accept(r, TK_ARROW) &&
		(!rd_expect(r, '(', "'('") || !register_list(r, f, true)))
		return false;
	if (!attributes(r, f, !external))
		return false;
	if (!rd_marks(r, &marks))
		return false;
	rd_later_loc(r, &f->loc, &marks);
	if (external)
		return true;
	rd_skip_lines(r);
	Token at = r->tok;
	if (rd_accept_word(r, "refused"))
		return refusal(r, f, &at);
	if (!rd_at(r, '{'))
		return rd_wanted(r, "'{', refused or an attribute");
	Later later;
	r->f = f;
	skip_body(r, &later);
	vec_push(&r->later, later);
	return true;
}

bool rd_function(Reader *r, bool external)
{
	bool is;
	FuncKind kind = kind_of_word(r, &is);
	if (!is)
		return rd_wanted(r, "kernel, func, host, global, const, shared, extern, file or import");
	Token at = r->tok;
	char *name = rd_name(r, "the function's name");
	Function *f = name ? introduce(r, &at, kind, name, external) : NULL;
	if (!f)
		return false;
	rd_open(r, f);
	bool ok = function_rest(r, f, external);
	r->f = NULL;
	return ok;
}
