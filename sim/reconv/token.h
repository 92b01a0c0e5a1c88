/* The token stack's compile time. */
#ifndef GSIM_TOKEN_H
#define GSIM_TOKEN_H
#include "sim/reconv.h"

enum { TOKEN_SSY_DIV, TOKEN_PBK_BRK };
/* Inserts SSY, SYNC (and PBK, PCNT, BRK, CONT) into the function. */
bool token_place(LowerFn *, int codegen, Diag *);
#endif
