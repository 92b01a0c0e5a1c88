/* What the files of the verifier share. */
#ifndef GSIM_VERIFY_H
#define GSIM_VERIFY_H
#include "isa/ir.h"
#include "isa/mnemonic.h"

typedef struct Verifier {
	const Module *m;
	Diag *d;
	int errors;            /* errors found so far; the verifier stops at VERIFY_LIMIT */
	/* if one instruction alone is checked: gets the text of the error; NULL: d gets it, with its place */
	StrBuf *why;

	const Function *f;     /* the function, block and instruction that are being checked; NULL: none is */
	const Block *b;
	const Ins *i;
	StrMap local;          /* names of the function's parameters and variables */
} Verifier;

enum { VERIFY_LIMIT = 50 };

/* Reports what is wrong with the instruction v->i, if that is NULL with the block, else the function, else
   the module. Returns false. */
bool vf_fail(Verifier *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* verify_lua.c checks the header of a function of Lua, verify_rules.c types and modifiers, verify_ins.c
   operands. false: an error was reported. */
bool vf_lua(Verifier *, const Function *);
bool vf_modifiers(Verifier *);
bool vf_operands(Verifier *);
#endif
