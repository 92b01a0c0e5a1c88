/* Makes tokens of PTX text. A word keeps its dots (ld.global.u32, %tid.x) and double colons
 * (L1::no_allocate); a directive is one dot and one name. */
#include "isa/ptx/ptx.h"

typedef struct PtxLexer { Ptx *p; const char *s, *end, *line_start; int line; } PtxLexer;

static bool is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_name_char(int c) { return is_alpha(c) || is_digit(c); }
static int lex_peek(const PtxLexer *l, int k) { return l->end - l->s > k ? (unsigned char)l->s[k] : 0; }

static PtxToken lex_start(const PtxLexer *l, PtxTokenKind kind)
{
	return (PtxToken){ .kind = (uint8_t)kind, .line = l->line, .col = (int)(l->s - l->line_start) + 1,
		.s = l->s };
}

static void lex_finish(PtxLexer *l, PtxToken *t)
{
	t->n = (uint32_t)(l->s - t->s);
	vec_push(&l->p->tok, *t);
}

static bool lex_error(PtxLexer *l, const PtxToken *t, const char *what)
{
	return ptx_error(l->p, tok_loc(l->p, t), "%s", what);
}

/* Skips blanks and comments; false on an unclosed comment. */
static bool skip_blank(PtxLexer *l)
{
	while (l->s < l->end) {
		int c = *l->s;
		if (c == '\n') {
			l->line++;
			l->line_start = ++l->s;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			l->s++;
		} else if ((c == '/' && lex_peek(l, 1) == '/') || (c == '@' && lex_peek(l, 1) == '@')) {
			/* @@DWARF: lines with debugging information, from old compilers */
			while (l->s < l->end && *l->s != '\n')
				l->s++;
		} else if (c == '/' && lex_peek(l, 1) == '*') {
			PtxToken t = lex_start(l, TK_EOF);
			for (l->s += 2; l->s < l->end && !(*l->s == '*' && lex_peek(l, 1) == '/'); l->s++)
				if (*l->s == '\n') {
					l->line++;
					l->line_start = l->s + 1;
				}
			if (l->s >= l->end)
				return lex_error(l, &t, "comment without an end");
			l->s += 2;
		} else {
			break;
		}
	}
	return true;
}

static int digit_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Reads digits of the base. False: the value needs more than 64 bits, or there is no digit. */
static bool lex_digits(PtxLexer *l, int base, uint64_t *value)
{
	uint64_t v = 0;
	const char *from = l->s;
	for (; digit_value(lex_peek(l, 0)) < base; l->s++) {
		if (v > (UINT64_MAX - (uint64_t)digit_value(*l->s)) / (uint64_t)base)
			return false;
		v = v * (uint64_t)base + (uint64_t)digit_value(*l->s);
	}
	*value = v;
	return l->s > from;
}

/* Reads a literal 0f or 0d, with exactly 8 or 16 hexadecimal digits. */
static bool hex_float(PtxLexer *l, PtxToken *t)
{
	bool wide = l->s[1] == 'd' || l->s[1] == 'D';
	l->s += 2;
	const char *from = l->s;
	bool ok = lex_digits(l, 16, &t->bits) && l->s - from == (wide ? 16 : 8);
	t->kind = wide ? TK_F64 : TK_F32;
	return ok || lex_error(l, t, wide ? "0d needs 16 hexadecimal digits"
		: "0f needs 8 hexadecimal digits");
}

static bool decimal_float(PtxLexer *l, PtxToken *t)
{
	char text[64];
	size_t n = 0;
	while (is_digit(lex_peek(l, 0)) || lex_peek(l, 0) == '.' || lex_peek(l, 0) == 'e' ||
		lex_peek(l, 0) == 'E' || ((lex_peek(l, 0) == '+' || lex_peek(l, 0) == '-') &&
		(l->s[-1] == 'e' || l->s[-1] == 'E'))) {
		if (n + 1 == sizeof text)
			return lex_error(l, t, "number is too long");
		text[n++] = *l->s++;
	}
	text[n] = 0;
	char *rest;
	double d = strtod(text, &rest);
	if (*rest)
		return lex_error(l, t, "malformed floating-point number");
	memcpy(&t->bits, &d, sizeof d);
	t->kind = TK_F64;
	return true;
}

static bool is_decimal_float(const PtxLexer *l)
{
	int k = 0;
	while (is_digit(lex_peek(l, k)))
		k++;
	if (lex_peek(l, k) == '.')
		return true;
	if (lex_peek(l, k) != 'e' && lex_peek(l, k) != 'E')
		return false;
	k += lex_peek(l, k + 1) == '+' || lex_peek(l, k + 1) == '-' ? 2 : 1;
	return is_digit(lex_peek(l, k));
}

static bool lex_number(PtxLexer *l)
{
	PtxToken t = lex_start(l, TK_INT);
	int c = lex_peek(l, 1) | 32, base = 10;
	if (*l->s == '0' && (c == 'f' || c == 'd')) {
		if (!hex_float(l, &t))
			return false;
	} else if (*l->s == '0' && (c == 'x' || c == 'b')) {
		base = c == 'x' ? 16 : 2;
		l->s += 2;
	} else if (is_decimal_float(l)) {
		if (!decimal_float(l, &t))
			return false;
	} else if (*l->s == '0' && is_digit(c)) {
		base = 8;
	}
	if (t.kind == TK_INT) {
		if (!lex_digits(l, base, &t.bits))
			return lex_error(l, &t, "malformed integer, or one of more than 64 bits");
		t.is_unsigned = t.bits > INT64_MAX;
		if (lex_peek(l, 0) == 'U' || lex_peek(l, 0) == 'u') {
			t.is_unsigned = true;
			l->s++;
		}
	}
	if (is_name_char(lex_peek(l, 0)))
		return lex_error(l, &t, "malformed number");
	lex_finish(l, &t);
	return true;
}

static void lex_word(PtxLexer *l)
{
	PtxToken t = lex_start(l, TK_WORD);
	l->s++;
	for (;;) {
		if (is_name_char(lex_peek(l, 0)))
			l->s++;
		else if (lex_peek(l, 0) == '.' && is_name_char(lex_peek(l, 1)))
			l->s += 2;
		else if (lex_peek(l, 0) == ':' && lex_peek(l, 1) == ':' && is_name_char(lex_peek(l, 2)))
			l->s += 3;
		else
			break;
	}
	lex_finish(l, &t);
}

static bool lex_string(PtxLexer *l)
{
	PtxToken t = lex_start(l, TK_STRING);
	t.s = ++l->s;
	while (l->s < l->end && *l->s != '"' && *l->s != '\n')
		l->s += *l->s == '\\' && lex_peek(l, 1) != '\n' && l->end - l->s > 1 ? 2 : 1;
	if (lex_peek(l, 0) != '"')
		return lex_error(l, &t, "string without an end");
	lex_finish(l, &t);
	l->s++;
	return true;
}

static bool one_token(PtxLexer *l)
{
	int c = (unsigned char)*l->s;
	if (is_digit(c))
		return lex_number(l);
	if (is_alpha(c) || (c == '%' && is_name_char(lex_peek(l, 1)) && !is_digit(lex_peek(l, 1)))) {
		lex_word(l);
	} else if (c == '"') {
		return lex_string(l);
	} else if (c == '.' && is_name_char(lex_peek(l, 1))) {
		PtxToken t = lex_start(l, TK_DIRECTIVE);
		for (l->s++; is_name_char(lex_peek(l, 0)); l->s++)
			;
		lex_finish(l, &t);
	} else if (strchr("{}()[],;:=<>+-*/%!@|&^~?", c) && c) {
		PtxToken t = lex_start(l, TK_PUNCT);
		t.punct = (char)c;
		l->s++;
		lex_finish(l, &t);
	} else {
		PtxToken t = lex_start(l, TK_EOF);
		l->s++;
		if (c >= 32 && c < 127)
			return ptx_error(l->p, tok_loc(l->p, &t), "unexpected character '%c'", c);
		return ptx_error(l->p, tok_loc(l->p, &t), "unexpected byte 0x%02x", (unsigned)c);
	}
	return true;
}

bool ptx_lex(Ptx *p, const char *text, size_t n)
{
	PtxLexer l = { p, text, text + n, text, 1 };
	int bad = 0;
	while (bad < 20) {
		if (!skip_blank(&l)) {
			bad++;
			break;
		}
		if (l.s >= l.end)
			break;
		bad += !one_token(&l);
	}
	PtxToken t = lex_start(&l, TK_EOF);
	vec_push(&p->tok, t);
	return !bad;
}

/* ---- the parser's view ---- */

const PtxToken *tok_ahead(const Ptx *p, int k)
{
	return &p->tok.v[p->at + k < p->tok.n ? p->at + k : p->tok.n - 1];
}

void tok_next(Ptx *p)
{
	if (p->at < p->tok.n - 1)
		p->at++;
}

Loc tok_loc(const Ptx *p, const PtxToken *t) { return (Loc){ p->m->name, t->line, t->col }; }
Loc tok_here(const Ptx *p) { return tok_loc(p, tok(p)); }
bool tok_is(const Ptx *p, char c) { return tok(p)->kind == TK_PUNCT && tok(p)->punct == c; }

static bool is_text(const PtxToken *t, PtxTokenKind kind, const char *s)
{
	return t->kind == kind && t->n == strlen(s) && !memcmp(t->s, s, t->n);
}

bool tok_is_directive(const Ptx *p, const char *s) { return is_text(tok(p), TK_DIRECTIVE, s); }
bool tok_is_word(const Ptx *p, const char *s) { return is_text(tok(p), TK_WORD, s); }

bool tok_accept(Ptx *p, char c)
{
	if (!tok_is(p, c))
		return false;
	tok_next(p);
	return true;
}

bool tok_accept_directive(Ptx *p, const char *s)
{
	if (!tok_is_directive(p, s))
		return false;
	tok_next(p);
	return true;
}

const char *tok_text(const Ptx *p, const PtxToken *t)
{
	if (t->kind == TK_EOF)
		return "the end of the file";
	return arena_printf((Arena *)&p->diag->arena, "'%.*s%s'", t->n > 40 ? 40 : (int)t->n, t->s,
		t->n > 40 ? "..." : "");
}

bool tok_expect(Ptx *p, char c, const char *where)
{
	if (tok_accept(p, c))
		return true;
	return ptx_error(p, tok_here(p), "expected '%c' %s, not %s", c, where, tok_text(p, tok(p)));
}

char *tok_name(Ptx *p)
{
	const PtxToken *t = tok(p);
	if (t->kind != TK_WORD) {
		ptx_error(p, tok_here(p), "expected a name, not %s", tok_text(p, t));
		return NULL;
	}
	tok_next(p);
	return arena_strndup(&p->arena, t->s, t->n);
}

bool tok_skip_braces(Ptx *p)
{
	int depth = 0;
	do {
		depth += tok_is(p, '{');
		depth -= tok_is(p, '}');
		tok_next(p);
	} while (depth && tok(p)->kind != TK_EOF);
	return !depth;
}

void tok_skip_statement(Ptx *p)
{
	while (tok(p)->kind != TK_EOF && !tok_is(p, '}')) {
		if (tok_accept(p, ';'))
			return;
		if (tok_is(p, '{')) /* vector operand, or the next scope when a ';' is missing */
			tok_skip_braces(p);
		else
			tok_next(p);
	}
}
