#include "lib/json.h"
#include <math.h>
#include <stdio.h>

void json_put_count(JsonSink *j, const char *key, uint64_t v)
{
	j->key(j, key);
	j->count(j, v);
}

void json_put_real(JsonSink *j, const char *key, bool known, double v)
{
	j->key(j, key);
	if (known)
		j->real(j, v);
	else
		j->text(j, NULL);
}

void json_put_text(JsonSink *j, const char *key, const char *v)
{
	j->key(j, key);
	j->text(j, v);
}

/* ---- text ---- */

static void separate(JsonText *t)
{
	if (t->keyed) {
		t->keyed = false;
		return;
	}
	if (!t->depth)
		return;
	if (t->some[t->depth - 1])
		sb_putc(t->out, ',');
	if (t->flat)
		sb_puts(t->out, t->some[t->depth - 1] ? " " : "");
	else
		sb_printf(t->out, "\n%*s", t->depth * 2, "");
	t->some[t->depth - 1] = true;
}

static void text_begin(JsonSink *s, char bracket, bool flat)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	must(t->depth < JSON_DEPTH);
	sb_putc(t->out, bracket);
	t->some[t->depth] = false;
	t->close[t->depth++] = bracket == '{' ? '}' : ']';
	if (flat && !t->flat)
		t->flat = t->depth;
}

static void text_end(JsonSink *s)
{
	JsonText *t = (JsonText *)s;
	must(t->depth > 0);
	bool flat = t->flat || !t->some[t->depth - 1];
	if (t->flat == t->depth)
		t->flat = 0;
	t->depth--;
	if (!flat)
		sb_printf(t->out, "\n%*s", t->depth * 2, "");
	sb_putc(t->out, t->close[t->depth]);
	if (!t->depth)
		sb_putc(t->out, '\n');
}

static void write_quoted(StrBuf *out, const char *s)
{
	sb_putc(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			sb_putc(out, '\\');
		if (c < 32 || c == 127)
			sb_printf(out, "\\u%04x", c);
		else
			sb_putc(out, (char)c);
	}
	sb_putc(out, '"');
}

static void text_key(JsonSink *s, const char *key)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	write_quoted(t->out, key);
	sb_puts(t->out, ": ");
	t->keyed = true;
}

static void text_count(JsonSink *s, uint64_t v)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	sb_count(t->out, v);
}

static void text_integer(JsonSink *s, int64_t v)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	sb_integer(t->out, v);
}

void json_print_real(StrBuf *out, double v)
{
	char text[40];
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	sb_puts(out, text);
}

static void text_real(JsonSink *s, double v)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	if (isfinite(v))
		json_print_real(t->out, v);
	else
		sb_puts(t->out, "null");
}

static void text_text(JsonSink *s, const char *v)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	if (v)
		write_quoted(t->out, v);
	else
		sb_puts(t->out, "null");
}

static void text_boolean(JsonSink *s, bool v)
{
	JsonText *t = (JsonText *)s;
	separate(t);
	sb_puts(t->out, v ? "true" : "false");
}

void json_text(JsonText *t, StrBuf *out)
{
	*t = (JsonText){ .sink = { text_begin, text_end, text_key, text_count, text_integer, text_real,
		text_text, text_boolean }, .out = out };
}

/* ---- reading ---- */

typedef struct JsonReader {
	Arena *arena;
	const char *path, *start, *p, *end;
	Diag *diag;
	int depth;
} JsonReader;

static bool fail_json(JsonReader *r, const char *what)
{
	int line = 1, col = 1;
	for (const char *p = r->start; p < r->p; p++) {
		col = *p == '\n' ? 1 : col + 1;
		line += *p == '\n';
	}
	diag_error(r->diag, (Loc){ r->path, line, col }, "%s", what);
	return false;
}

static void skip_white(JsonReader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

static bool next_is(JsonReader *r, char c) { return r->p < r->end && *r->p == c; }

static int hex4(const JsonReader *r)
{
	int v = 0;
	if (r->end - r->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = r->p[i], d = c >= '0' && c <= '9' ? c - '0'
			: (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
		if (d < 0)
			return -1;
		v = v * 16 + d;
	}
	return v;
}

static void put_utf8(StrBuf *b, unsigned c)
{
	if (c < 0x80) {
		sb_putc(b, (char)c);
	} else if (c < 0x800) {
		sb_putc(b, (char)(0xc0 | c >> 6));
		sb_putc(b, (char)(0x80 | (c & 63)));
	} else {
		if (c >= 0x10000) {
			sb_putc(b, (char)(0xf0 | c >> 18));
			sb_putc(b, (char)(0x80 | (c >> 12 & 63)));
		} else {
			sb_putc(b, (char)(0xe0 | c >> 12));
		}
		sb_putc(b, (char)(0x80 | (c >> 6 & 63)));
		sb_putc(b, (char)(0x80 | (c & 63)));
	}
}

/* Reads the digits after \u. Two such escapes that are a pair of surrogates are read as one character. */
static bool read_unicode(JsonReader *r, StrBuf *b)
{
	int c = hex4(r);
	if (c <= 0)
		return fail_json(r, "expected four hexadecimal digits that are not 0000");
	r->p += 4;
	if (c >= 0xd800 && c < 0xdc00) {
		int d = -1;
		if (r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
			r->p += 2;
			d = hex4(r);
		}
		if (d < 0xdc00 || d > 0xdfff)
			return fail_json(r, "half of a surrogate pair");
		r->p += 4;
		c = 0x10000 + ((c - 0xd800) << 10) + (d - 0xdc00);
	} else if (c >= 0xdc00 && c < 0xe000) {
		return fail_json(r, "half of a surrogate pair");
	}
	put_utf8(b, (unsigned)c);
	return true;
}

static bool read_chars(JsonReader *r, StrBuf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	for (r->p++; !next_is(r, '"'); ) {
		if (r->p >= r->end)
			return fail_json(r, "a string without its closing quote");
		unsigned char c = (unsigned char)*r->p++;
		if (c < 32) {
			r->p--;
			return fail_json(r, "a control character in a string");
		}
		if (c != '\\') {
			sb_putc(b, (char)c);
			continue;
		}
		const char *at = r->p < r->end && *r->p ? strchr(from, *r->p) : NULL;
		if (next_is(r, 'u')) {
			r->p++;
			if (!read_unicode(r, b))
				return false;
		} else if (at) {
			sb_putc(b, to[at - from]);
			r->p++;
		} else {
			return fail_json(r, "an unknown escape in a string");
		}
	}
	r->p++;
	return true;
}

static bool read_json_string(JsonReader *r, const char **s)
{
	StrBuf b = { 0 };
	bool ok = read_chars(r, &b);
	if (ok)
		*s = arena_strndup(r->arena, b.n ? b.s : "", b.n);
	sb_free(&b);
	return ok;
}

static int skip_digits(JsonReader *r)
{
	int n = 0;
	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; n++)
		r->p++;
	return n;
}

static bool read_number(JsonReader *r, JsonValue *v)
{
	const char *start = r->p;
	r->p += next_is(r, '-');
	bool zero = next_is(r, '0');
	int n = skip_digits(r);
	if (!n || (zero && n > 1))
		return fail_json(r, "expected a value");
	if (next_is(r, '.')) {
		r->p++;
		if (!skip_digits(r))
			return fail_json(r, "expected digits after the point");
	}
	if (next_is(r, 'e') || next_is(r, 'E')) {
		r->p++;
		r->p += next_is(r, '+') || next_is(r, '-');
		if (!skip_digits(r))
			return fail_json(r, "expected digits of an exponent");
	}
	v->kind = JSON_NUMBER;
	v->text = arena_strndup(r->arena, start, (size_t)(r->p - start));
	v->number = strtod(v->text, NULL);
	if (isfinite(v->number))
		return true;
	r->p = start;
	return fail_json(r, "the number is too large");
}

static bool read_value(JsonReader *, JsonValue *);

static bool read_members(JsonReader *r, JsonValue *v, bool keys)
{
	Vec(JsonValue) items = { 0 };
	Vec(const char *) names = { 0 };
	char close = keys ? '}' : ']';
	bool ok = true;
	r->p++;
	skip_white(r);
	while (ok && !next_is(r, close)) {
		JsonValue item = { 0 };
		const char *name = NULL;
		if (keys) {
			ok = next_is(r, '"') ? read_json_string(r, &name)
				: fail_json(r, "expected a name in quotes");
			skip_white(r);
			if (ok && !next_is(r, ':'))
				ok = fail_json(r, "expected ':'");
			r->p++;
		}
		if (!ok || !(ok = read_value(r, &item)))
			break;
		vec_push(&items, item);
		if (keys)
			vec_push(&names, name);
		if (names.n > JSON_MEMBERS)
			ok = fail_json(r, "an object with too many members");
		skip_white(r);
		if (ok && next_is(r, ',')) {
			r->p++;
			skip_white(r);
			if (next_is(r, close))
				ok = fail_json(r, "expected another member after ','");
		} else if (ok && !next_is(r, close)) {
			ok = fail_json(r, keys ? "expected ',' or '}'" : "expected ',' or ']'");
		}
	}
	r->p++;
	v->n = items.n;
	v->item = arena_array(r->arena, JsonValue, items.n);
	if (items.n)
		memcpy(v->item, items.v, sizeof *items.v * (size_t)items.n);
	v->key = keys ? arena_array(r->arena, const char *, items.n) : NULL;
	if (keys && items.n)
		memcpy(v->key, names.v, sizeof *names.v * (size_t)items.n);
	vec_free(&items);
	vec_free(&names);
	return ok;
}

static bool accept_word(JsonReader *r, const char *w)
{
	size_t n = strlen(w);
	if ((size_t)(r->end - r->p) < n || memcmp(r->p, w, n))
		return false;
	r->p += n;
	return true;
}

static bool read_value(JsonReader *r, JsonValue *v)
{
	bool ok;
	skip_white(r);
	if (r->p >= r->end)
		return fail_json(r, "the text ends where a value is expected");
	if (*r->p == '{' || *r->p == '[') {
		if (r->depth == JSON_DEPTH)
			return fail_json(r, "too many values inside each other");
		v->kind = *r->p == '{' ? JSON_OBJECT : JSON_ARRAY;
		r->depth++;
		ok = read_members(r, v, v->kind == JSON_OBJECT);
		r->depth--;
		return ok;
	}
	if (*r->p == '"') {
		v->kind = JSON_STRING;
		return read_json_string(r, &v->text);
	}
	if (accept_word(r, "null"))
		return true;
	bool yes = accept_word(r, "true");
	if (yes || accept_word(r, "false")) {
		v->kind = JSON_BOOL;
		v->number = yes;
		return true;
	}
	return read_number(r, v);
}

const JsonValue *json_read(Arena *a, const char *text, size_t n, const char *path, Diag *diag)
{
	JsonReader r = { a, path, text, text, text + n, diag, 0 };
	JsonValue *v = arena_new(a, JsonValue);
	if (!read_value(&r, v))
		return NULL;
	skip_white(&r);
	if (r.p == r.end)
		return v;
	fail_json(&r, "expected the end of the text");
	return NULL;
}

const JsonValue *json_get(const JsonValue *v, const char *key)
{
	if (v && v->kind == JSON_OBJECT)
		for (int i = 0; i < v->n; i++)
			if (!strcmp(v->key[i], key))
				return &v->item[i];
	return NULL;
}

const JsonValue *json_path(const JsonValue *v, const char *path)
{
	char key[64];
	while (v && *path) {
		size_t n = strcspn(path, ".");
		snprintf(key, sizeof key, "%.*s", (int)n, path);
		v = json_get(v, key);
		path += n + (path[n] == '.');
	}
	return v;
}

bool json_is_number(const JsonValue *v) { return v && v->kind == JSON_NUMBER; }

double json_number(const JsonValue *object, const char *path)
{
	const JsonValue *v = json_path(object, path);
	return json_is_number(v) ? v->number : 0;
}

const char *json_string(const JsonValue *object, const char *key)
{
	const JsonValue *v = json_get(object, key);
	return v && v->kind == JSON_STRING ? v->text : "";
}

const char *json_shown(const JsonValue *v)
{
	switch (v ? v->kind : JSON_ARRAY) {
	case JSON_NULL: return "null";
	case JSON_BOOL: return v->number != 0 ? "true" : "false";
	case JSON_NUMBER: case JSON_STRING: return v->text;
	default: return "";
	}
}
