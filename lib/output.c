#include "lib/output.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t output_plain(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	if (*s < 0x80)
		return (*s >= ' ' && *s != 127) || *s == '\n' || *s == '\t';
	size_t k = *s >= 0xf0 && *s < 0xf8 ? 4 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xc0 && *s < 0xe0 ? 2
		: 0;
	uint32_t c = k ? *s & (0xffu >> (k + 1)) : 0;
	if (!k || k > n)
		return 0;
	for (size_t i = 1; i < k; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* 0x80 to 0x9f are controls, too */
	return c >= least[k] && c >= 0xa0 && c <= 0x10ffff && !(c >= 0xd800 && c < 0xe000) ? k : 0;
}

void output_clean(StrBuf *out, const char *s, size_t n)
{
	size_t from = 0;
	if (!n)
		return;
	for (size_t i = 0, k; i < n; i += k) {
		k = output_plain(s + i, n - i);
		if (k)
			continue;
		k = 1;
		sb_write(out, s + from, i - from);
		if (s[i] != '\r' || i + 1 == n || s[i + 1] != '\n')
			sb_putc(out, '?');
		from = i + 1;
	}
	sb_write(out, s + from, n - from);
}

void output_csv(StrBuf *out, const char *s)
{
	StrBuf text = { 0 };
	bool formula = *s && strchr("=+-@\t", *s);
	output_clean(&text, s, strlen(s));
	bool quoted = text.s && strpbrk(text.s, ",\"\r\n");
	sb_puts(out, quoted ? "\"" : "");
	sb_puts(out, formula ? "'" : "");
	for (const char *p = text.s; p && *p; p++) {
		if (*p == '"')
			sb_putc(out, '"');
		sb_putc(out, *p);
	}
	sb_puts(out, quoted ? "\"" : "");
	sb_free(&text);
}

static int error;                      /* errno of the last write that failed */

void output_write(FILE *f, const char *s, size_t n)
{
	StrBuf b = { 0 };
	output_clean(&b, s, n);
	if (b.n && fwrite(b.s, 1, b.n, f) < b.n)
		error = errno;
	sb_free(&b);
}

void output_puts(FILE *f, const char *s)
{
	if (s)
		output_write(f, s, strlen(s));
}

/* ---- colours ---- */

static Colors colors;

void output_colors(Colors c) { colors = c; }

static bool has_colors(FILE *f)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	if (colors != COLORS_AUTO)
		return colors == COLORS_ALWAYS;
	return isatty(fileno(f)) && term && *term && strcmp(term, "dumb") && !(none && *none);
}

/* A word that is shown in colour, by the number that terminals know it by. */
typedef struct ColoredWord { const char *word, *number; } ColoredWord;
static const ColoredWord begins[] = { { "error:", "1;31" }, { "warning:", "1;35" }, { "remark:", "1;36" } };
static const ColoredWord ends[] = { { "  better", "32" }, { "  worse", "31" } };

/* Writes the word in colour, n bytes of it. */
static void write_colored(FILE *f, const ColoredWord *w, size_t n)
{
	fprintf(f, "\033[%sm%.*s\033[m", w->number, (int)n, w->word);
}

/* Writes a message without the word that begins it, which stands there in colour. Returns the rest. */
static size_t write_severity(FILE *f, const char *s)
{
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
		size_t n = strlen(begins[i].word);
		if (!strncmp(s, begins[i].word, n) && has_colors(f)) {
			write_colored(f, &begins[i], n);
			return n;
		}
	}
	return 0;
}

/* The verdict that ends the line of n bytes, or NULL. */
static const ColoredWord *verdict_of(const char *line, size_t n)
{
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t w = strlen(ends[i].word);
		if (n > w && !memcmp(line + n - w, ends[i].word, w))
			return &ends[i];
	}
	return NULL;
}

void output_report(FILE *f, const char *s)
{
	if (!s || !has_colors(f)) {
		output_puts(f, s);
		return;
	}
	for (size_t n; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		const ColoredWord *w = verdict_of(s, n);
		output_write(f, s, n - (w ? strlen(w->word) : 0));
		if (w)
			write_colored(f, w, strlen(w->word));
		output_write(f, s + n, s[n] == '\n');
	}
}

void output_printf(FILE *f, const char *fmt, ...)
{
	StrBuf b = { 0 };
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(&b, fmt, ap);
	va_end(ap);
	size_t shown = f == stderr && b.n ? write_severity(f, b.s) : 0;
	output_write(f, b.s + shown, b.n - shown);
	sb_free(&b);
}

int output_end(int status)
{
	if (fflush(stdout))
		error = errno;
	bool failed = ferror(stdout);
	/* some file systems report only here that they are full; EBADF: standard output was closed from the
	   start, which is no error */
	if (!failed && fclose(stdout)) {
		error = errno;
		failed = errno != EBADF;
	}
	if (failed)
		fprintf(stderr, "error: standard output cannot be written%s%s\n", error ? ": " : "",
			error ? strerror(error) : "");
	return failed ? 2 : status;
}
