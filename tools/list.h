#ifndef GSIM_LIST_H
#define GSIM_LIST_H
#include "lib/strbuf.h"
#include <stdbool.h>

bool list_table(const char *what, StrBuf *);   /* false: there is no such table */
#endif
