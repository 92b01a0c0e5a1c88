/* Mnemonics with their suffixes, "setp.lt.and.s32": the fields of an instruction as text. Shared by the
 * readers and printers of every text form; all names come from op_info[] and suffix_table. */
#ifndef GSIM_MNEMONIC_H
#define GSIM_MNEMONIC_H
#include "isa/ins.h"
#include "lib/strbuf.h"

typedef enum {
	MNERR_NONE,
	MNERR_OP,      /* no such operation */
	MNERR_SUFFIX,  /* no suffix or type has this name */
	MNERR_FOREIGN, /* a suffix or type that this operation does not take */
	MNERR_TWICE    /* a second suffix of the same group */
} MnemonicFault;

typedef struct MnemonicError {
	MnemonicFault fault;
	Op op;             /* OP_NONE for MNERR_OP */
	const char *at;    /* the offending part inside the text given, without its dot */
	size_t n;
	const char *near;  /* the most similar name that would be right here, or NULL */
} MnemonicError;

/* Fills op, type, type2 and the modifier fields of *i, which must be 0; other fields may have any value. The
   longest name of an operation that fits, dots included, wins ("bar.warp.sync" over "bar.sync"); suffixes may
   come in any order. The verifier checks which suffixes an operation cannot do without. false: *error says
   what is wrong, and the fields are undefined. */
bool mnemonic_parse(const char *text, size_t n, Ins *i, MnemonicError *error);
/* Reads one suffix, given without its dot. */
bool mnemonic_suffix(const char *text, size_t n, Ins *i, MnemonicError *error);
/* The operation that the text begins with, up to a dot or the end; *used = its length. OP_NONE when there is
   none. */
Op mnemonic_op(const char *text, size_t n, size_t *used);
/* Prints what is wrong as a sentence without a full stop: "unknown operation 'ad'; did you mean 'add'?" */
void mnemonic_explain(const MnemonicError *, StrBuf *);

/* Prints the mnemonic in its canonical form: suffixes in the order of ops.def. */
void mnemonic_print(const Ins *, StrBuf *);
/* The text of a suffix value of a group of ops.def, e.g. ('c', CMP_LT) gives "lt"; NULL for 0 and unknown
   values. */
const char *suffix_name(char group, int value);
/* The value that the instruction has for a group of suffixes: for 'Y' 'L' 'U' 'T' 'N' 'B' the flag or 0, for
   '1' and '2' the types. */
int ins_modifier(const Ins *, char group);
/* A group of suffixes for which the instruction has a value though its operation does not take the group; 0
   when there is none. */
char ins_foreign(const Ins *);
/* verify_rules.c: has the instruction the types that its operation takes, neither more nor less? false: *why
   gets the rest of a sentence about the instruction. */
bool mnemonic_types(const Ins *, StrBuf *why);

Type type_lookup(const char *name, size_t n); /* T_NONE when there is none */
#endif
