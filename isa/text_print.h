/* Prints modules as text. */
#ifndef GSIM_TEXT_PRINT_H
#define GSIM_TEXT_PRINT_H
#include "isa/ir.h"
#include "lib/strbuf.h"

/* isa/text_print.c: as object files need it */
void ir_print_without_data(const Module *, StrBuf *); /* as ir_print, but no variable has initial data */
/* isa/text_print_ins.c: what the parts of the text have in common. A name or register that the reader would
   not take as it is, is put in quotes. */
void text_put_name(const char *, StrBuf *);
void text_put_register(const char *, StrBuf *);
void text_put_quoted(const char *, char quote, StrBuf *);
void text_put_value(Type, int64_t, StrBuf *);  /* the low bits of the value count, as many as the type has */
void text_put_offset(int64_t, StrBuf *);       /* with its sign; nothing if it is 0 */
#endif
