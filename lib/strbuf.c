#include "lib/strbuf.h"
#include "lib/arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve_room(StrBuf *b, size_t more)
{
	if (b->n + more + 1 <= b->cap)
		return;
	b->cap = (b->n + more + 1) * 2;
	b->s = xrealloc(b->s, b->cap);
}

void sb_write(StrBuf *b, const void *p, size_t n)
{
	reserve_room(b, n);
	memcpy(b->s + b->n, p, n);
	b->n += n;
	b->s[b->n] = 0;
}

void sb_putc(StrBuf *b, char c) { sb_write(b, &c, 1); }
void sb_puts(StrBuf *b, const char *s) { sb_write(b, s, strlen(s)); }

void sb_count(StrBuf *b, uint64_t v)
{
	char digits[20], *first = digits + sizeof digits;
	do
		*--first = (char)('0' + v % 10);
	while (v /= 10);
	sb_write(b, first, (size_t)(digits + sizeof digits - first));
}

void sb_integer(StrBuf *b, int64_t v)
{
	if (v < 0)
		sb_putc(b, '-');
	sb_count(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void sb_vprintf(StrBuf *b, const char *fmt, va_list ap)
{
	va_list aq;
	va_copy(aq, ap);
	int n = vsnprintf(NULL, 0, fmt, aq);
	va_end(aq);
	reserve_room(b, (size_t)n);
	vsnprintf(b->s + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void sb_printf(StrBuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(b, fmt, ap);
	va_end(ap);
}

void sb_free(StrBuf *b)
{
	free(b->s);
	*b = (StrBuf){ 0 };
}
