/* The verifier, between its files. */
#ifndef GSIM_VERIFY_H
#define GSIM_VERIFY_H
#include "isa/ir.h"
#include "isa/mnemonic.h"

typedef struct Verifier {
	const Module *m;
	Diag *d;
	int errors;            /* found so far; enough of them end the work */
	StrBuf *why;           /* of one instruction: gets the text alone; NULL: d gets it, with its place */

	const Function *f;     /* what is looked at */
	const Block *b;
	const Ins *i;
	StrMap local;          /* names of the function's parameters and variables */
} Verifier;

enum { VERIFY_LIMIT = 50 };

/* Reports what is wrong with the instruction (v->i), else the block, the function, the module. Returns
   false. */
bool vf_fail(Verifier *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* verify_lua.c: the header of a function of Lua; verify_rules.c: types and modifiers; verify_ins.c: operands;
   false: reported */
bool vf_lua(Verifier *, const Function *);
bool vf_modifiers(Verifier *);
bool vf_operands(Verifier *);
#endif
