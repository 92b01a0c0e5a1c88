/* Seeds from the source tree, and mutations of them: the same for the same numbers, on every host. */
#include "tests/fuzz/fuzz.h"
#include "lib/file.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_MUTATIONS = 4, MOST_DEPTH = 4 };

/* ---- the corpus ---- */

static void add_file(Corpus *c, const Target *t, const char *path)
{
	const char *why;
	Bytes b;
	b.p = file_read(path, MOST_BYTES, &b.n, &why);
	if (!b.p)
		fprintf(stderr, "%s: %s\n", path, why);
	else if (!t->prepare || t->prepare(&b, path))
		vec_push(c, b);
	else
		free(b.p);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && !strcmp(s + n - m, end);
}

static void add_folder(Corpus *c, const Target *t, const char *path, int depth)
{
	struct dirent **list = NULL;
	struct stat st;
	int n = scandir(path, &list, NULL, alphasort);
	for (int k = 0; k < n; k++) {
		StrBuf full = { 0 };
		sb_printf(&full, "%s/%s", path, list[k]->d_name);
		if (list[k]->d_name[0] != '.' && !stat(full.s, &st)) {
			if (S_ISDIR(st.st_mode) && depth < MOST_DEPTH)
				add_folder(c, t, full.s, depth + 1);
			else if (S_ISREG(st.st_mode) && ends_with(full.s, t->extension))
				add_file(c, t, full.s);
		}
		sb_free(&full);
		free(list[k]);
	}
	free(list);
}

void corpus_read(Corpus *c, const Target *t, const char *srcdir)
{
	for (int k = 0; t->seeds[k]; k++) {
		StrBuf path = { 0 };
		sb_printf(&path, "%s/%s", srcdir, t->seeds[k]);
		add_folder(c, t, path.s, 0);
		sb_free(&path);
	}
	if (t->make)
		t->make(c);
}

void corpus_free(Corpus *c)
{
	for (int k = 0; k < c->n; k++)
		free(c->v[k].p);
	vec_free(c);
}

/* ---- mutations ---- */

static size_t below(uint64_t *r, size_t n) { return n ? random_next(r) % n : 0; }

/* Replaces cut bytes at a place with others. */
static void splice(Bytes *b, size_t at, size_t cut, const char *with, size_t n)
{
	if (b->n - cut + n > MOST_BYTES)
		return;
	char *p = xmalloc(b->n - cut + n + 1);
	memcpy(p, b->p, at);
	memcpy(p + at, with, n);
	memcpy(p + at + n, b->p + at + cut, b->n - at - cut);
	b->n = b->n - cut + n;
	p[b->n] = 0;
	free(b->p);
	b->p = p;
}

typedef struct Span { size_t at, n; } Span;

static Span any_span(uint64_t *r, const Bytes *b, size_t most)
{
	size_t at = below(r, b->n + 1);
	return (Span){ at, below(r, (b->n - at < most ? b->n - at : most) + 1) };
}

/* A line with its end. */
static Span any_line(uint64_t *r, const Bytes *b)
{
	size_t at = below(r, b->n), end;
	while (at > 0 && b->p[at - 1] != '\n')
		at--;
	for (end = at; end < b->n && b->p[end] != '\n'; end++)
		;
	return (Span){ at, end < b->n ? end + 1 - at : end - at };
}

static bool word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
		c == '%' || c == '.' || c == '$';
}

/* A word or a single other character. */
static Span any_token(uint64_t *r, const Bytes *b)
{
	size_t at = below(r, b->n), end = at;
	while (at > 0 && word_char(b->p[at - 1]))
		at--;
	while (end < b->n && word_char(b->p[end]))
		end++;
	return (Span){ at, end > at ? end - at : at < b->n };
}

static void mutate_byte(uint64_t *r, Bytes *b)
{
	static const unsigned char odd[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', '"', '`', '{', '}', '(', ')', '[',
		']', '%', '@', '!', '\\', '/', '-' };
	if (!b->n)
		return;
	size_t at = below(r, b->n);
	b->p[at] = random_next(r) & 1 ? (char)odd[below(r, sizeof odd)] : (char)(b->p[at] ^ 1 << below(r, 8));
}

static void mutate_number(uint64_t *r, Bytes *b)
{
	static const char *const numbers[] = { "0", "1", "-1", "31", "32", "64", "65535", "65536",
		"2147483647", "2147483648", "4294967295",
		"4294967296", "9223372036854775807", "18446744073709551615", "99999999999999999999999", "0x",
		"0xffffffff", "0f7fc00001",
		"0d7ff0000000000001", "1e400", "1.", "nan", "-inf" };
	const char *with = numbers[below(r, sizeof numbers / sizeof *numbers)];
	for (int tries = 0; tries < 20; tries++) {
		Span s = any_token(r, b);
		if (s.n && b->p[s.at] >= '0' && b->p[s.at] <= '9') {
			splice(b, s.at, s.n, with, strlen(with));
			return;
		}
	}
}

/* Four or eight bytes that count or point somewhere, in binary forms. */
static void mutate_word(uint64_t *r, Bytes *b)
{
	static const uint64_t values[] = { 0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		UINT64_MAX, INT64_MAX, 64, 4096 };
	size_t n = random_next(r) & 1 ? 4 : 8;
	if (b->n < n)
		return;
	uint64_t v = random_next(r) & 1 ? values[below(r, sizeof values / sizeof *values)]
		: below(r, b->n * 2);
	size_t at = below(r, b->n - n + 1);
	memcpy(b->p + (at & ~(size_t)3), &v, n);
}

static void mutate(uint64_t *r, Bytes *b, const Corpus *c)
{
	const Bytes *other = &c->v[below(r, (size_t)c->n)];
	Span s, t;
	switch (below(r, 11)) {
	case 0: case 1:
		mutate_byte(r, b);
		break;
	case 2: /* a range goes */
		s = any_span(r, b, 64);
		splice(b, s.at, s.n, "", 0);
		break;
	case 3: /* a range from somewhere comes in */
		s = any_span(r, other, 256);
		splice(b, below(r, b->n + 1), 0, other->p + s.at, s.n);
		break;
	case 4: /* a line replaces another, or stands twice */
		s = any_line(r, b);
		t = any_line(r, other);
		splice(b, s.at, random_next(r) & 1 ? s.n : 0, other->p + t.at, t.n);
		break;
	case 5:
		s = any_line(r, b);
		splice(b, s.at, s.n, "", 0);
		break;
	case 6: case 7: /* a word replaces another */
		s = any_token(r, b);
		t = any_token(r, other);
		splice(b, s.at, s.n, other->p + t.at, t.n);
		break;
	case 8:
		mutate_number(r, b);
		break;
	case 9:
		mutate_word(r, b);
		break;
	default: /* the end is missing */
		if (below(r, 4) == 0)
			b->n = below(r, b->n + 1);
		else
			mutate_byte(r, b);
	}
}

Bytes mutant(const Corpus *c, uint64_t seed, uint64_t number)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15u + number, *r = &state;
	bool itself = number < (uint64_t)c->n;
	const Bytes *from = &c->v[itself ? (size_t)number : below(r, (size_t)c->n)];
	Bytes b = { xmalloc(from->n + 1), from->n };
	memcpy(b.p, from->p, from->n);
	b.p[b.n] = 0;
	for (size_t k = itself ? 0 : 1 + below(r, MOST_MUTATIONS); k > 0; k--)
		mutate(r, &b, c);
	return b;
}
