#ifndef GSIM_NUMBERING_H
#define GSIM_NUMBERING_H
#include "passes/analysis/values.h"

enum { KEY_MOST = 64 };
int ins_key(const Function *, const Ins *, const int *number, int64_t *key);
#endif
