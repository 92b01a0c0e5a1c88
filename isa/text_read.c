#include "isa/mnemonic.h"
#include "isa/text_reader.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

void rd_next(Reader *r)
{
	if (r->diag->errors - r->errors_before >= ERROR_LIMIT) /* enough is known; hostile text costs no more */
		r->lex.at = r->lex.end;
	r->tok = lex_next(&r->lex);
}

bool rd_at(const Reader *r, int kind) { return r->tok.kind == kind; }

bool rd_word(const Reader *r, const char *word)
{
	return r->tok.kind == TK_NAME && !r->tok.quoted && r->tok.n == strlen(word) && !memcmp(r->tok.s, word, r->tok.n);
}

bool rd_accept(Reader *r, int kind)
{
	if (r->tok.kind != kind)
		return false;
	rd_next(r);
	return true;
}

bool rd_accept_word(Reader *r, const char *word)
{
	if (!rd_word(r, word))
		return false;
	rd_next(r);
	return true;
}

Loc rd_loc(const Reader *r, const Token *t) { return (Loc){ r->lex.path, t->line, t->col }; }

bool rd_fail(Reader *r, const Token *t, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_error(r->diag, rd_loc(r, t), "%s", text);
	return false;
}

bool rd_wanted(Reader *r, const char *what)
{
	char buf[64];
	if (r->tok.kind == TK_BAD) /* reported by the lexer */
		return false;
	return rd_fail(r, &r->tok, "expected %s, found %s", what, token_text(&r->tok, buf, sizeof buf));
}

bool rd_expect(Reader *r, int kind, const char *what) { return rd_accept(r, kind) || rd_wanted(r, what); }

bool rd_unknown(Reader *r, const Token *t, const char *what, const char *const *names, int n)
{
	char word[64];
	int len = t->n < sizeof word ? (int)t->n : (int)sizeof word - 1;
	snprintf(word, sizeof word, "%.*s", len, t->s);
	const char *near = nearest_name(word, names, n > 2000 ? 2000 : n);
	return near ? rd_fail(r, t, "no %s '%s'; did you mean '%s'?", what, word, near) : rd_fail(r, t, "no %s '%s'", what, word);
}

void rd_skip_lines(Reader *r)
{
	while (r->tok.kind == TK_NL)
		rd_next(r);
}

void rd_recover(Reader *r)
{
	if (r->tok.kind == TK_NL || r->tok.kind == TK_END)
		return;
	const char *nl = memchr(r->lex.at, '\n', (size_t)(r->lex.end - r->lex.at));
	r->lex.at = nl ? nl : r->lex.end;
	rd_next(r);
}

/* ---- small parts ---- */

char *rd_name(Reader *r, const char *what)
{
	if (r->tok.kind != TK_NAME) {
		rd_wanted(r, what);
		return NULL;
	}
	char *name = arena_strndup(&r->m->arena, r->tok.s, r->tok.n);
	rd_next(r);
	return name;
}

bool rd_count(Reader *r, uint64_t most, uint64_t *v, const char *what)
{
	if (r->tok.kind != TK_INT)
		return rd_wanted(r, what);
	if (r->tok.value > most)
		return rd_fail(r, &r->tok, "%s is at most %llu", what, (unsigned long long)most);
	*v = r->tok.value;
	rd_next(r);
	return true;
}

Type rd_type(Reader *r)
{
	Type t = r->tok.kind == TK_NAME && !r->tok.quoted ? type_lookup(r->tok.s, r->tok.n) : T_NONE;
	if (t != T_NONE)
		rd_next(r);
	else if (r->tok.kind == TK_NAME)
		rd_unknown(r, &r->tok, "type", type_name + 1, T_COUNT - 1);
	else
		rd_wanted(r, "a type");
	return t;
}

int rd_string(Reader *r, const char *s)
{
	int id = strmap_get(&r->string, s);
	if (id < 0) {
		id = r->m->string.n;
		vec_push(&r->m->string, s);
		strmap_put(&r->string, s, id);
	}
	return id;
}

Opd rd_find_name(Reader *r, const char *s, size_t n)
{
	int id = strmap_getn(&r->local, s, n);
	if (id >= 0)
		return (Opd){ id & 1 ? OPD_SYM : OPD_PARAM, 0, id >> 1, 0 };
	if ((id = strmap_getn(&r->global, s, n)) >= 0)
		return (Opd){ OPD_SYM, 0, id, 0 };
	if ((id = strmap_getn(&r->func, s, n)) >= 0)
		return (Opd){ OPD_FUNC, 0, id, 0 };
	return (Opd){ OPD_NONE, 0, -1, 0 };
}

/* ---- marks: !loc 1:12:5 !origin dce !auto !reconverge L ---- */

bool rd_at_mark(const Reader *r)
{
	if (r->tok.kind != '!' || r->lex.at == r->lex.end)
		return false;
	int c = *r->lex.at | 32;
	return c >= 'a' && c <= 'z';
}

static int file_index(Reader *r, uint64_t number)
{
	for (int k = 0; k < r->file.n; k++)
		if (r->file.v[k].file == (int)number)
			return r->file.v[k].line;
	return number ? -1 : 0;
}

static bool read_place(Reader *r, Place *p)
{
	uint64_t file, line, col = 0;
	Token at = r->tok;
	if (!rd_count(r, INT32_MAX, &file, "a file number") || !rd_expect(r, ':', "':' and a line") ||
	    !rd_count(r, INT32_MAX, &line, "a line"))
		return false;
	if (rd_accept(r, ':') && !rd_count(r, INT32_MAX, &col, "a column"))
		return false;
	*p = (Place){ file_index(r, file), (int)line, (int)col };
	return p->file >= 0 || rd_fail(r, &at, "no file %llu; write: file %llu \"name\"", (unsigned long long)file, (unsigned long long)file);
}

static bool one_mark(Reader *r, Marks *marks)
{
	if (rd_accept_word(r, "loc"))
		return marks->has_loc = read_place(r, &marks->loc);
	if (rd_accept_word(r, "auto"))
		return marks->is_auto = true;
	if (rd_accept_word(r, "reconverge"))
		return (marks->reconverge = rd_name(r, "a label")) != NULL;
	if (!rd_accept_word(r, "origin"))
		return rd_wanted(r, "loc, origin, auto or reconverge after '!'");
	Token at = r->tok;
	char *name = rd_name(r, "the name of a pass");
	if (!name)
		return false;
	int origin = module_origin(r->m, name);
	if (strcmp(r->m->origin.v[origin], name))
		return rd_fail(r, &at, "more than 254 different origins");
	marks->origin = (uint8_t)origin;
	return true;
}

bool rd_marks(Reader *r, Marks *marks)
{
	*marks = (Marks){ .at = r->tok };
	while (rd_accept(r, '!'))
		if (!one_mark(r, marks))
			return false;
	return true;
}

static void later_loc(Reader *r, Loc *loc, const Marks *marks)
{
	if (marks->has_loc)
		vec_push(&r->fix, ((Fix){ NULL, 0, loc, marks->loc }));
}

/* ---- variables ---- */

static Space space_of_word(const Reader *r)
{
	for (int s = SP_GLOBAL; s <= SP_CONST; s++)
		if (rd_word(r, space_name[s]))
			return (Space)s;
	return SP_GENERIC;
}

/* Element type, name and size, as in "u32 x[4] align 8"; count 0 for empty brackets. */
typedef struct Shape { Type type; const char *name; uint64_t count; uint32_t align; bool array; Token at; } Shape;

static bool read_shape(Reader *r, Shape *s, const char *what)
{
	*s = (Shape){ .type = rd_type(r) };
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

static bool duplicate(Reader *r, const Shape *s, int owner)
{
	int old = owner < 0 ? strmap_get(&r->global, s->name) : strmap_get(&r->local, s->name);
	int func = owner < 0 ? strmap_get(&r->func, s->name) : -1;
	if (old < 0 && func < 0)
		return false;
	const Symbol *o = owner < 0 && old >= 0 ? r->m->symbol.v[old] : NULL;
	if (o || func >= 0)
		rd_fail(r, &s->at, "'%.100s' stands in line %d already", s->name, o ? o->loc.line : r->m->func.v[func]->loc.line);
	else
		rd_fail(r, &s->at, "'%.100s' is declared in this function already", s->name);
	return true;
}

/* Initial data may name what is declared further down: remembered at module level, read at once inside bodies. */
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

bool rd_symbol(Reader *r, int owner)
{
	bool external = rd_accept_word(r, "extern");
	Space space = space_of_word(r);
	if (space == SP_GENERIC)
		return rd_wanted(r, "global, const, shared or local");
	rd_next(r);
	Shape shape;
	if (!read_shape(r, &shape, "the variable's name"))
		return false;
	if (duplicate(r, &shape, owner))
		return false;
	Symbol *s = arena_new(&r->m->arena, Symbol);
	*s = (Symbol){ .name = shape.name, .space = (uint8_t)space, .type = (uint8_t)shape.type, .count = shape.count,
		.align = shape.align, .size = shape.count * (uint64_t)type_bytes(shape.type), .array = shape.array,
		.external = external, .owner = owner, .loc = rd_loc(r, &shape.at) };
	int id = r->m->symbol.n;
	vec_push(&r->m->symbol, s);
	strmap_put(owner < 0 ? &r->global : &r->local, s->name, owner < 0 ? id : id << 1 | 1);
	if (rd_at(r, '=') && !data_clause(r, s))
		return false;
	Marks marks;
	if (!rd_marks(r, &marks))
		return false;
	later_loc(r, &s->loc, &marks);
	return true;
}

/* ---- headers of functions ---- */

static bool kernel_params(Reader *r, Function *f)
{
	uint64_t at = 0;
	while (rd_skip_lines(r), !rd_accept(r, ')')) {
		if (f->param.n && !rd_expect(r, ',', "',' or ')'"))
			return false;
		rd_skip_lines(r);
		Shape s;
		if (!read_shape(r, &s, "the parameter's name"))
			return false;
		if (s.count > 1 << 16 || f->param.n == OPERAND_LIMIT)
			return rd_fail(r, &s.at, "too many parameters or elements");
		for (int k = 0; k < f->param.n; k++)
			if (!strcmp(f->param.v[k].name, s.name))
				return rd_fail(r, &s.at, "a second parameter '%.100s'", s.name);
		at = s.align > 1 ? (at + s.align - 1) / s.align * s.align : at;
		Param p = { s.name, (uint8_t)s.type, (uint32_t)s.count, s.align, (uint32_t)at,
			(uint32_t)s.count * (uint32_t)type_bytes(s.type), s.array };
		at += p.size;
		vec_push(&f->param, p);
		rd_skip_lines(r);
	}
	f->param_bytes = (uint32_t)at;
	return true;
}

/* "(type %reg, ...)" of device functions, behind the parenthesis. */
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

static bool dimensions(Reader *r, uint32_t *v, int least, int most)
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

static bool attributes(Reader *r, Function *f)
{
	for (;;) {
		rd_skip_lines(r);
		if (rd_accept_word(r, "maxntid")) {
			if (!dimensions(r, f->maxntid, 1, 3))
				return false;
		} else if (rd_accept_word(r, "reqntid")) {
			if (!dimensions(r, f->reqntid, 1, 3))
				return false;
		} else if (rd_accept_word(r, "minnctapersm")) {
			if (!dimensions(r, &f->minnctapersm, 1, 1))
				return false;
		} else {
			return true;
		}
	}
}

/* Finds the end of a body whose '{' is the current token; what is wrong inside it is said when it is read. A line that
   begins another function ends it too, so that one missing brace does not hide the rest. */
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
		bool begins = last.kind == TK_NAME && !last.quoted && before.kind == TK_NL && t.kind == TK_NAME &&
			((last.n == 6 && !memcmp(last.s, "kernel", 6)) || (last.n == 4 && !memcmp(last.s, "func", 4)) ||
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

/* A new function, or the one declared before that this text defines; NULL: reported. */
static Function *introduce(Reader *r, const Token *at, FuncKind kind, const char *name, bool external)
{
	int old = strmap_get(&r->func, name), var = strmap_get(&r->global, name);
	Function *f = old < 0 ? NULL : r->m->func.v[old];
	if (var >= 0 || (f && (!f->declared_only || f->kind != kind))) {
		int line = f ? f->loc.line : r->m->symbol.v[var]->loc.line;
		rd_fail(r, at, "'%.100s' stands in line %d already", name, line);
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
	vec_clear(&f->param);
	return f;
}

static bool function_rest(Reader *r, Function *f, bool external)
{
	Marks marks;
	if (!rd_expect(r, '(', "'('"))
		return false;
	if (f->kind == FN_KERNEL ? !kernel_params(r, f) : !register_list(r, f, false))
		return false;
	if (f->kind == FN_DEVICE && rd_accept(r, TK_ARROW) && (!rd_expect(r, '(', "'('") || !register_list(r, f, true)))
		return false;
	if (!external && !attributes(r, f))
		return false;
	if (!rd_marks(r, &marks))
		return false;
	later_loc(r, &f->loc, &marks);
	if (external)
		return true;
	rd_skip_lines(r);
	if (!rd_at(r, '{'))
		return rd_wanted(r, "'{' or an attribute");
	Later later;
	r->f = f;
	skip_body(r, &later);
	vec_push(&r->later, later);
	return true;
}

static bool read_function(Reader *r, bool external)
{
	bool is;
	FuncKind kind = kind_of_word(r, &is);
	if (!is)
		return rd_wanted(r, "kernel, func, host, global, const, shared, extern or file");
	Token at = r->tok;
	char *name = rd_name(r, "the function's name");
	Function *f = name ? introduce(r, &at, kind, name, external) : NULL;
	if (!f)
		return false;
	strmap_free(&r->reg);
	r->f = f;
	bool ok = function_rest(r, f, external);
	r->f = NULL;
	return ok;
}

/* ---- the module ---- */

static bool read_file_line(Reader *r)
{
	uint64_t number = 0;
	Token at = r->tok;
	if (!rd_count(r, INT32_MAX, &number, "a file number"))
		return false;
	Token path = r->tok;
	if (!rd_expect(r, TK_STRING, "the file's name in quotes"))
		return false;
	for (int k = 0; k < r->file.n; k++)
		if (r->file.v[k].file == (int)number)
			return rd_fail(r, &at, "file %d is declared already", (int)number);
	if (r->file.n == FILE_LIMIT)
		return rd_fail(r, &at, "more than %d files", FILE_LIMIT);
	int index = 0;
	if (number == 0) {
		r->own_file = strcmp(path.s, r->m->name) ? -1 : 0;
		r->m->file.v[0] = path.s;
	} else {
		index = module_file(r->m, path.s);
	}
	vec_push(&r->file, ((Place){ (int)number, index, 0 }));
	return true;
}

static bool starts_function(const Reader *r)
{
	return rd_word(r, "kernel") || rd_word(r, "func") || rd_word(r, "host");
}

static bool read_item(Reader *r)
{
	if (rd_accept_word(r, "file"))
		return read_file_line(r);
	if (space_of_word(r) != SP_GENERIC)
		return rd_symbol(r, -1);
	if (!rd_word(r, "extern"))
		return read_function(r, false);
	Lexer saved = r->lex;
	Token tok = r->tok;
	rd_next(r);
	if (starts_function(r))
		return read_function(r, true);
	r->lex = saved;
	r->tok = tok;
	return rd_symbol(r, -1);
}

static void first_pass(Reader *r)
{
	for (;;) {
		rd_skip_lines(r);
		if (rd_at(r, TK_END))
			return;
		if (!read_item(r) || (!rd_at(r, TK_NL) && !rd_at(r, TK_END) && !rd_wanted(r, "the end of the line")))
			rd_recover(r);
	}
}

static void second_pass(Reader *r)
{
	for (int k = 0; k < r->later.n; k++) {
		Later *l = &r->later.v[k];
		r->lex = l->lex;
		if (l->f) {
			rd_body(r, l->f);
			continue;
		}
		r->tok = l->tok;
		rd_data(r, l->symbol);
	}
}

/* From now on places are what !loc says, not where the text has them. */
static void set_places(Reader *r)
{
	for (int k = 0; k < r->fix.n; k++) {
		const Fix *x = &r->fix.v[k];
		if (x->loc) {
			*x->loc = (Loc){ r->m->file.v[x->place.file], x->place.line, x->place.col };
			continue;
		}
		Ins *i = &x->block->ins.v[x->index];
		i->file = (uint16_t)x->place.file;
		i->line = x->place.line;
		i->col = x->place.col;
	}
}

/* The text's own path is no file of the module when every instruction says that it comes from elsewhere. */
static void drop_unused_own_file(Reader *r)
{
	if (r->own_file <= 0 || r->own_file != r->m->file.n - 1)
		return;
	for (int k = 0; k < r->m->func.n; k++) {
		const Function *f = r->m->func.v[k];
		for (int b = 0; b < f->block.n; b++)
			for (int i = 0; i < f->block.v[b]->ins.n; i++)
				if (f->block.v[b]->ins.v[i].file == r->own_file)
					return;
	}
	r->m->file.n--;
}

static void free_reader(Reader *r)
{
	strmap_free(&r->func);
	strmap_free(&r->global);
	strmap_free(&r->string);
	strmap_free(&r->reg);
	strmap_free(&r->label);
	strmap_free(&r->local);
	vec_free(&r->file);
	vec_free(&r->later);
	vec_free(&r->fix);
	vec_free(&r->jump);
	vec_free(&r->dst);
	vec_free(&r->opd);
}

Module *ir_read(const char *text, size_t n, const char *path, Diag *diag)
{
	Module *m = module_new(path);
	Reader r = { .m = m, .diag = diag, .errors_before = diag->errors };
	r.lex = (Lexer){ text, text, text + n, text, 1, m->name, &m->arena, diag };
	rd_next(&r);
	first_pass(&r);
	second_pass(&r);
	bool ok = diag->errors == r.errors_before && ir_verify(m, diag);
	if (ok) {
		set_places(&r);
		drop_unused_own_file(&r);
	}
	free_reader(&r);
	if (ok)
		return m;
	module_free(m);
	return NULL;
}
