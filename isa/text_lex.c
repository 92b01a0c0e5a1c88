#include "isa/text_lex.h"
#include <stdio.h>
#include <string.h>

static bool name_start(int c) { return (unsigned)(c | 32) - (unsigned)'a' < 26u || c == '_' || c == '$'; }
static bool digit(int c) { return (unsigned)c - (unsigned)'0' < 10u; }
static bool name_char(int c) { return name_start(c) || digit(c) || c == '.'; }

static int hex_value(int c)
{
	if (digit(c))
		return c - '0';
	return (unsigned)(c | 32) - (unsigned)'a' < 6u ? (c | 32) - 'a' + 10 : -1;
}

bool name_is_plain(const char *s)
{
	if (!name_start((unsigned char)*s))
		return false;
	while (name_char((unsigned char)*s))
		s++;
	return !*s;
}

bool register_is_plain(const char *s)
{
	if (*s++ != '%' || !*s)
		return false;
	while (name_char((unsigned char)*s))
		s++;
	return !*s;
}

static int peek_char(const Lexer *x, int k) { return x->end - x->at > k ? (unsigned char)x->at[k] : -1; }

static Loc token_loc(const Lexer *x, const Token *t) { return (Loc){ x->path, t->line, t->col }; }

static Token bad(Lexer *x, Token t, const char *what)
{
	diag_error(x->diag, token_loc(x, &t), "%s", what);
	t.kind = TK_BAD;
	return t;
}

static void new_line(Lexer *x)
{
	x->line++;
	x->line_start = x->at;
}

/* Skips white space and comments; a comment that spans lines does not end the line. false: a comment has no
   end. */
static bool skip_blanks(Lexer *x)
{
	for (;;) {
		int c = peek_char(x, 0);
		if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			x->at++;
		} else if (c == '/' && peek_char(x, 1) == '/') {
			const char *nl = memchr(x->at, '\n', (size_t)(x->end - x->at));
			x->at = nl ? nl : x->end;
		} else if (c == '/' && peek_char(x, 1) == '*') {
			x->at += 2;
			while (peek_char(x, 0) >= 0 && !(peek_char(x, 0) == '*' && peek_char(x, 1) == '/'))
				if (*x->at++ == '\n')
					new_line(x);
			if (peek_char(x, 0) < 0)
				return false;
			x->at += 2;
		} else {
			return true;
		}
	}
}

/* ---- strings and quoted names ---- */

static int escape(Lexer *x)
{
	int c = peek_char(x, 0);
	x->at++;
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case '"': case '\\': case '`': case '\'': return c;
	case 'x': {
		int hi = hex_value(peek_char(x, 0)), lo = hi < 0 ? -1 : hex_value(peek_char(x, 1));
		if (lo < 0)
			return -1;
		x->at += 2;
		return hi * 16 + lo;
	}
	default: return -1;
	}
}

/* Where the closing quote stands in this line, or NULL. */
static const char *closing(const Lexer *x, int quote)
{
	for (const char *p = x->at; p < x->end && *p != '\n' && p - x->at <= NAME_LIMIT; p++)
		if (*p == quote)
			return p;
		else if (*p == '\\' && (++p == x->end || *p == '\n'))
			return NULL;
	return NULL;
}

/* Decodes up to the closing quote into fresh memory, behind a prefix. */
static Token read_quoted_token(Lexer *x, Token t, int quote, const char *prefix)
{
	const char *close = closing(x, quote);
	if (!close)
		return bad(x, t, quote == '"' ? "the string has no closing '\"' in its line"
			: "the name has no closing '`' in its line");
	size_t used = strlen(prefix);
	char *buf = arena_alloc(x->arena, used + (size_t)(close - x->at) + 1);
	memcpy(buf, prefix, used);
	while (x->at < close) {
		int c = (unsigned char)*x->at++;
		if (c == '\\' && (c = escape(x)) < 0)
			return bad(x, t, "unknown escape; expected \\n \\t \\r \\\\ \\\" \\` or \\x and two "
				"digits");
		if (c == 0)
			return bad(x, t, "a zero byte inside quotes");
		buf[used++] = (char)c;
	}
	x->at++;
	t.s = buf;
	t.n = used;
	t.quoted = true;
	return t.kind != TK_STRING && used == strlen(prefix) ? bad(x, t, "an empty name") : t;
}

/* ---- numbers ---- */

static Token read_digits_token(Lexer *x, Token t, const char *s, size_t n, unsigned base)
{
	t.kind = TK_INT;
	if (!n)
		return bad(x, t, "a number without digits");
	for (size_t k = 0; k < n; k++) {
		int d = hex_value((unsigned char)s[k]);
		if (d < 0 || (unsigned)d >= base)
			return bad(x, t, base == 10 ? "not a number: names begin with a letter"
				: "a digit that the number's base does not have");
		if (__builtin_mul_overflow(t.value, (uint64_t)base, &t.value) ||
			__builtin_add_overflow(t.value, (uint64_t)d, &t.value))
			return bad(x, t, "the number does not fit 64 bits");
	}
	return t;
}

static Token read_bits_token(Lexer *x, Token t, const char *s, size_t n, int width)
{
	t = read_digits_token(x, t, s, n, 16);
	if (t.kind == TK_INT && n != (size_t)width / 4)
		return bad(x, t, "expected 4 hexadecimal digits after 0h, 8 after 0f, 16 after 0d");
	if (t.kind == TK_INT)
		t.kind = TK_BITS;
	t.width = width;
	return t;
}

static bool exponent_sign(const Lexer *x, const char *s)
{
	int c = peek_char(x, 0);
	if ((c != '-' && c != '+') || x->at == s || (x->at[-1] | 32) != 'e' || !digit(peek_char(x, 1)))
		return false;
	/* an exponent's sign stands behind decimal digits only: 0x1e-3 is a difference */
	for (; s < x->at - 1; s++)
		if (!digit((unsigned char)*s) && *s != '.')
			return false;
	return true;
}

static Token read_number_token(Lexer *x, Token t)
{
	const char *s = x->at;
	while (name_char(peek_char(x, 0)) || exponent_sign(x, s))
		x->at++;
	size_t n = t.n = (size_t)(x->at - s);
	if (n > NUMBER_LIMIT)
		return bad(x, t, "the number is too long");
	if (n > 1 && s[0] == '0')
		switch (s[1]) {
		case 'x': case 'X': return read_digits_token(x, t, s + 2, n - 2, 16);
		case 'b': case 'B': return read_digits_token(x, t, s + 2, n - 2, 2);
		case 'h': case 'H': return read_bits_token(x, t, s + 2, n - 2, 16);
		case 'f': case 'F': return read_bits_token(x, t, s + 2, n - 2, 32);
		case 'd': case 'D': return read_bits_token(x, t, s + 2, n - 2, 64);
		}
	if (!memchr(s, '.', n) && !memchr(s, 'e', n) && !memchr(s, 'E', n))
		return read_digits_token(x, t, s, n, 10);
	for (size_t k = 0, e = 0; k < n; k++)
		if (!digit(s[k]) && s[k] != '+' && s[k] != '-' && !(s[k] == '.' && !e) &&
			!((s[k] | 32) == 'e' && !e++ && k + 1 < n))
			return bad(x, t, "not a number");
	t.kind = TK_FLOAT;
	return t;
}

/* ---- words ---- */

static Token read_word_token(Lexer *x, Token t)
{
	t.kind = *x->at == '%' ? TK_REG : TK_NAME;
	if (t.kind == TK_REG)
		x->at++;
	while (name_char(peek_char(x, 0)))
		x->at++;
	t.n = (size_t)(x->at - t.s);
	if (t.n > NAME_LIMIT)
		return bad(x, t, "the name is too long");
	if (t.kind == TK_REG && t.n == 1)
		return bad(x, t, "expected a register's name after '%'");
	return t;
}

/* Reports a word with a '.' in front of it, which may be a directive or a type of PTX. */
static Token dotted(Lexer *x, Token t)
{
	const char *s = x->at;
	while (name_char(peek_char(x, 0)))
		x->at++;
	StrBuf sb = { 0 };
	habit_dot(s, (size_t)(x->at - s), &sb);
	t = bad(x, t, sb.s);
	sb_free(&sb);
	return t;
}

Token lex_next(Lexer *x)
{
	bool closed = skip_blanks(x);
	Token t = { .s = x->at, .n = 1, .line = x->line, .col = 1 + (int)(x->at - x->line_start) };
	if (!closed)
		return bad(x, t, "the comment has no closing '*/'");
	int c = peek_char(x, 0), d = peek_char(x, 1);
	if (c < 0) {
		t.kind = TK_END;
		return t;
	}
	if (name_start(c) || (c == '%' && d != '`'))
		return read_word_token(x, t);
	if (digit(c))
		return read_number_token(x, t);
	x->at++;
	t.kind = c;
	switch (c) {
	case '\n':
		new_line(x);
		t.kind = TK_NL;
		return t;
	case '%':
		x->at++;
		t.kind = TK_REG;
		return read_quoted_token(x, t, '`', "%");
	case '`':
		t.kind = TK_NAME;
		return read_quoted_token(x, t, '`', "");
	case '"':
		t.kind = TK_STRING;
		return read_quoted_token(x, t, '"', "");
	case '-':
		if (d == '>') {
			x->at++;
			t.n = 2;
			t.kind = TK_ARROW;
		}
		return t;
	case '.':
		return dotted(x, t);
	case ';':
		return bad(x, t, "unexpected ';': the end of the line ends an instruction");
	case '<':
		return bad(x, t, "unexpected '<': there are no ranges of registers; each destination "
			"declares its register");
	case '@': case '!': case '=': case ',': case ':': case '|': case '+': case '(': case ')': case '[':
	case ']':
	case '{': case '}':
		return t;
	}
	char what[64];
	snprintf(what, sizeof what, c > 32 && c < 127 ? "unexpected character '%c'"
		: "unexpected byte 0x%02x", c);
	return bad(x, t, what);
}

const char *token_text(const Token *t, char *buf, size_t n)
{
	switch (t->kind) {
	case TK_END: return "the end of the text";
	case TK_NL: return "the end of the line";
	case TK_STRING: return "a string";
	}
	snprintf(buf, n, "'%.*s'", t->n > 40 ? 40 : (int)t->n, t->s);
	return buf;
}
