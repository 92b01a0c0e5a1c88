#include "lib/output.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

void output_printf(FILE *f, const char *fmt, ...)
{
	StrBuf b = { 0 };
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(&b, fmt, ap);
	va_end(ap);
	output_write(f, b.s, b.n);
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
