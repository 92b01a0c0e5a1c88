/* Writes what programs show. Names and texts that they show may come from a stranger, and a terminal obeys
   control characters: these are never written. */
#ifndef GSIM_OUTPUT_H
#define GSIM_OUTPUT_H
#include "lib/strbuf.h"
#include <stdio.h>

/* Adds n bytes of text as they may be shown: a question mark in place of each byte of control characters but
   newline and tab, and of what is no UTF-8. The '\r' of a line that ends in "\r\n" is left out. */
void output_clean(StrBuf *out, const char *s, size_t n);
/* Number of bytes of the character at s, if it may be shown as it is; else 0. n: bytes of the text from s on,
   > 0. */
size_t output_plain(const char *s, size_t n);
/* Adds a text as a field of CSV (RFC 4180). A text that begins with = + - @ or a tab gets an apostrophe in
   front, since a spreadsheet would take it for a formula. */
void output_csv(StrBuf *out, const char *s);
/* Write text as output_clean makes it. Text that a program reads again (reports in JSON, modules) is written
   by these functions, too: it has no bytes that output_clean would change. */
void output_write(FILE *, const char *s, size_t n);
void output_puts(FILE *, const char *s);       /* s may be NULL: nothing */
/* On standard error, "error:", "warning:" and "remark:" are in colour where they begin the text. */
void output_printf(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Words that tell errors and verdicts are in colour: on terminals, if TERM and NO_COLOR do not say otherwise,
   until output_colors chooses. */
typedef enum { COLORS_AUTO, COLORS_ALWAYS, COLORS_NEVER } Colors;
void output_colors(Colors);
/* Writes as output_puts does; verdicts ("better", "worse") that end a line are in colour. */
void output_report(FILE *, const char *s);
/* Must be called last in a program: writes what is left for standard output. Returns `status`, or 2, with a
   message, when standard output could not be written. */
int output_end(int status);
#endif
