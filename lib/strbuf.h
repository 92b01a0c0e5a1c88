/* A text that grows; it always ends with a 0 byte. */
#ifndef GSIM_STRBUF_H
#define GSIM_STRBUF_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct StrBuf { char *s; size_t n, cap; } StrBuf; /* zero-initialise; s is NULL while empty */

void sb_putc(StrBuf *, char);
void sb_puts(StrBuf *, const char *);
void sb_write(StrBuf *, const void *, size_t);
void sb_count(StrBuf *, uint64_t);          /* writes the number with its digits, as %llu does, but faster */
void sb_integer(StrBuf *, int64_t);
void sb_printf(StrBuf *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sb_vprintf(StrBuf *, const char *fmt, va_list);
void sb_free(StrBuf *);
#endif
