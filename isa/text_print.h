/* Prints modules as text without initial data, as object files need it. */
#ifndef GSIM_TEXT_PRINT_H
#define GSIM_TEXT_PRINT_H
#include "isa/ir.h"
#include "lib/strbuf.h"

void ir_print_without_data(const Module *, StrBuf *); /* as ir_print, but no variable has initial data */
#endif
