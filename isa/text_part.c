/* Reads the parts of the text form that stand everywhere: tokens, names, numbers, types, marks. */
#include "isa/mnemonic.h"
#include "isa/text_reader.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- tokens ---- */

void rd_next(Reader *r)
{
	/* after ERROR_LIMIT errors the rest is not read, so that hostile text costs no more time */
	if (r->diag->errors - r->errors_before >= ERROR_LIMIT)
		r->lex.at = r->lex.end;
	r->tok = lex_next(&r->lex);
}

bool rd_at(const Reader *r, int kind) { return r->tok.kind == kind; }

bool rd_word(const Reader *r, const char *word)
{
	return r->tok.kind == TK_NAME && !r->tok.quoted && r->tok.n == strlen(word) &&
		!memcmp(r->tok.s, word, r->tok.n);
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
	if (r->tok.kind == TK_BAD) /* the lexer has reported it */
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
	return near ? rd_fail(r, t, "no %s '%s'; did you mean '%s'?", what, word, near)
		: rd_fail(r, t, "no %s '%s'", what, word);
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

/* ---- marks: !loc 1:12:5 !inlined_at 2:30:1 !melded 1:15:5 !origin dce !auto !reconverge L !begins B for %p,
   !%q !decides B by %v for %p ---- */

int rd_source(Reader *r, const char *label)
{
	int k = strmap_get(&r->source, label);
	if (k >= 0)
		return k;
	vec_push(&r->f->source, label);
	strmap_put(&r->source, label, r->f->source.n - 1);
	return r->f->source.n - 1;
}

/* Reads the predicates behind `for`; the mark's lanes keep the order in which they are written. false:
   reported. */
static bool read_lanes(Reader *r, Mark *x)
{
	Vec(Opd) list = { 0 };
	Opd p;
	bool ok;
	do {
		ok = rd_predicate(r, &p);
		vec_push(&list, p);
	} while (ok && rd_accept(r, ','));
	while (ok && list.n && x->lanes >= 0) {
		p = vec_pop(&list);
		x->lanes = function_lanes(r->f, x->lanes, p.id, p.neg);
	}
	vec_free(&list);
	return ok;
}

/* Reads what stands behind `by`: a predicate, 0 or 1. */
static bool read_decision(Reader *r, Mark *x)
{
	if (!rd_at(r, TK_INT))
		return rd_predicate(r, &x->value);
	x->value.kind = OPD_IMM;
	return rd_immediate(r, T_PRED, &x->value.imm);
}

/* Reads a mark behind its first word: "B", "B for %p, !%q", "B by %v", "B by %v for %p, !%q". */
static bool read_source_mark(Reader *r, MarkKind kind, Marks *marks)
{
	Token first = r->tok;
	char *label = rd_name(r, "the label of a block of the source");
	Mark x = { .kind = (uint8_t)kind };
	if (!label)
		return false;
	if (strmap_get(&r->source, label) < 0)
		vec_push(&r->named, ((NamedSource){ first, label }));
	x.source = rd_source(r, label);
	if (kind == MARK_DECIDES && rd_accept_word(r, "by") && !read_decision(r, &x))
		return false;
	Token at = r->tok;
	if (rd_accept_word(r, "for") && !read_lanes(r, &x))
		return false;
	if (x.lanes < 0)
		return rd_fail(r, &at, "a predicate stands there and its opposite: no lane is meant");
	x.next = marks->mark;
	marks->mark = function_mark(r->f, x);
	return true;
}

bool rd_at_mark(const Reader *r)
{
	if (r->tok.kind != '!' || r->lex.at == r->lex.end)
		return false;
	int c = *r->lex.at | 32;
	return c >= 'a' && c <= 'z';
}

int rd_file(const Reader *r, uint64_t number)
{
	int low = 0, high = r->file.n;
	while (low < high) {
		int mid = (low + high) / 2;
		if ((uint64_t)r->file.v[mid].file < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int file_index(const Reader *r, uint64_t number)
{
	int k = rd_file(r, number);
	return k < r->file.n && r->file.v[k].file == (int)number ? r->file.v[k].line : number ? -1 : 0;
}

static bool read_place(Reader *r, TextPlace *p)
{
	uint64_t file, line, col = 0;
	Token at = r->tok;
	if (!rd_count(r, INT32_MAX, &file, "a file number") || !rd_expect(r, ':', "':' and a line") ||
		!rd_count(r, INT32_MAX, &line, "a line"))
		return false;
	if (rd_accept(r, ':') && !rd_count(r, INT32_MAX, &col, "a column"))
		return false;
	*p = (TextPlace){ file_index(r, file), (int)line, (int)col };
	return p->file >= 0 || rd_fail(r, &at, "no file %llu; write: file %llu \"name\"",
		(unsigned long long)file, (unsigned long long)file);
}

/* Reads one place of a list of the instruction: behind !melded or !inlined_at. */
static bool read_listed(Reader *r, const char *word, SourcePlace *to)
{
	TextPlace p;
	if (!r->at_instruction)
		return rd_fail(r, &r->tok, "!%s belongs to instructions", word);
	rd_next(r);
	if (!read_place(r, &p))
		return false;
	*to = (SourcePlace){ .file = (uint16_t)p.file, .line = p.line, .col = p.col };
	return true;
}

static bool read_melded(Reader *r)
{
	SourcePlace p;
	if (!read_listed(r, "melded", &p))
		return false;
	vec_push(&r->melded, p);
	return true;
}

static bool read_inlined(Reader *r)
{
	SourcePlace p;
	Token at = r->tok;
	if (!read_listed(r, "inlined_at", &p))
		return false;
	if (!p.line)
		return rd_fail(r, &at, "!inlined_at gives a line of a file");
	vec_push(&r->inlined, p);
	return true;
}

static bool one_mark(Reader *r, Marks *marks)
{
	if (rd_accept_word(r, "loc"))
		return marks->has_loc = read_place(r, &marks->loc);
	if (rd_word(r, "melded"))
		return read_melded(r);
	if (rd_word(r, "inlined_at"))
		return read_inlined(r);
	if (rd_accept_word(r, "auto"))
		return marks->is_auto = true;
	if (rd_accept_word(r, "reconverge"))
		return (marks->reconverge = rd_name(r, "a label")) != NULL;
	if (rd_accept_word(r, "marked"))
		return marks->is_marked = true;
	bool begins = rd_word(r, "begins");
	if (begins || rd_word(r, "decides")) {
		if (!r->at_instruction)
			return rd_fail(r, &r->tok, "!begins and !decides belong to instructions");
		rd_next(r);
		return read_source_mark(r, begins ? MARK_BEGINS : MARK_DECIDES, marks);
	}
	if (!rd_accept_word(r, "origin"))
		return rd_wanted(r, "loc, inlined_at, melded, origin, auto, marked, reconverge, begins or "
			"decides after '!'");
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
	vec_clear(&r->melded);
	vec_clear(&r->inlined);
	while (rd_accept(r, '!'))
		if (!one_mark(r, marks))
			return false;
	return true;
}

void rd_later_loc(Reader *r, Loc *loc, const Marks *marks)
{
	if (marks->has_loc)
		vec_push(&r->fix, ((LocFix){ NULL, 0, loc, marks->loc }));
}
