/* What programs show. Names and texts in it may be a stranger's, and a terminal obeys control characters:
   they are never sent. */
#ifndef GSIM_OUTPUT_H
#define GSIM_OUTPUT_H
#include "lib/strbuf.h"
#include <stdio.h>

/* Adds n bytes of text as they may be shown: a question mark in place of each byte of control characters but
   newline and tab, and of what is no UTF-8. The '\r' of a line that ends in "\r\n" is left out. */
void output_clean(StrBuf *out, const char *s, size_t n);
/* Bytes of the character that begins here, if it may be shown as it is; else 0. n > 0 */
size_t output_plain(const char *s, size_t n);
/* Adds a text as a field of CSV (RFC 4180). A spreadsheet would compute what begins with = + - or @: an
   apostrophe stands in front of it. */
void output_csv(StrBuf *out, const char *s);
/* Write text so. Text that a program reads again (reports in JSON, modules) goes through here, too: it has no
   such bytes. */
void output_write(FILE *, const char *s, size_t n);
void output_puts(FILE *, const char *s);       /* s may be NULL: nothing */
void output_printf(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The last thing of a program: what is left for standard output goes out. Returns its exit status, or 2, with
   a message, when standard output could not be written. */
int output_end(int status);
#endif
