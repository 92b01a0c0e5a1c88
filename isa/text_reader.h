/* The reader of the text form, shared between its files. It reads in two passes: the first takes names,
 * headers and variables and remembers where initial data and bodies stand; the second reads those, when every
 * name is known. */
#ifndef GSIM_TEXT_READER_H
#define GSIM_TEXT_READER_H
#include "isa/edit.h"
#include "isa/text_lex.h"

typedef struct TextPlace { int file, line, col; } TextPlace;

/* a !loc that takes effect when the module has been verified: for *loc, or if it is NULL, for instruction
   `index` of the block; inlined: 0, or the instruction's list of inlined places */
typedef struct LocFix { Block *block; int index; Loc *loc; TextPlace place; int inlined; } LocFix;

/* a body or initial data, for the second pass */
typedef struct Later { Lexer lex; Token tok; Function *f; Symbol *symbol; } Later;

/* a label that is looked for when the body has been read: of successor `slot` of block `from`; slot -1: of
   its reconvergence point */
typedef struct Jump { Block *from; int slot; const char *label; Loc loc; } Jump;

/* where a mark first names a block of the source that has not been seen yet */
typedef struct NamedSource { Token at; const char *label; } NamedSource;

/* a block that has no label yet; source: its index into f->source */
typedef struct Unnamed { Block *b; int source; } Unnamed;

typedef struct Reader {
	Lexer lex;
	Token tok;                     /* the current token */
	Module *m;
	Diag *diag;
	/* the file from which the text was read; NULL: it comes from no file */
	const struct ImportSource *from;
	/* imported: an import stands before; lacks: an import has failed, so names that it would have brought
	   are unknown */
	bool imported, lacks;
	int errors_before;
	int own_file;               /* file index of the text itself; -1: file 0 was declared to be another */
	uint64_t data_bytes;           /* initial data so far */
	StrMap func, global, string;
	/* by file line: TextPlace.file is its number in the text, ascending, TextPlace.line its index into
	   module->file */
	Vec(TextPlace) file;
	Vec(Later) later;
	Vec(LocFix) fix;

	Function *f;                   /* the function being read */
	Edit edit;                     /* of f */
	Block *b;                      /* the block being filled; NULL: none yet, or the last one has ended */
	/* the block that a guarded branch has ended, whose second target is the next block; NULL: there is
	   none */
	Block *falls;
	StrMap source;                 /* by label: index into f->source */
	Vec(NamedSource) named;              /* names in marks that must turn out to be labels */
	Vec(Unnamed) unnamed;          /* blocks without label, which get one when all labels are known */
	bool at_instruction;           /* the marks that are read belong to an instruction */
	/* names of parameters and of the function's variables; number: index << 1, and bit 0 set for a
	   variable */
	StrMap local;
	Vec(Jump) jump;

	Vec(Token) dst;                /* destinations of the instruction being read */
	char shape;                    /* what encloses the destinations in the text: '{', '(' or 0 */
	Vec(Opd) opd;
	/* places behind !melded and !inlined_at of the instruction whose marks are read, in the order of the
	   text */
	Vec(SourcePlace) melded, inlined;
} Reader;

enum { ERROR_LIMIT = 50 };

/* text_part.c */
void rd_next(Reader *);
bool rd_at(const Reader *, int kind);
bool rd_word(const Reader *, const char *);        /* is the current token this name without quotes? */
bool rd_accept(Reader *, int kind);
bool rd_accept_word(Reader *, const char *);
/* takes a token of this kind; false: there is none, and "expected <what>" is reported */
bool rd_expect(Reader *, int kind, const char *what);
/* reports; returns false */
bool rd_fail(Reader *, const Token *, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* reports "expected <what>, found ..." and returns false */
bool rd_wanted(Reader *, const char *what);
void rd_skip_lines(Reader *);
void rd_recover(Reader *);                         /* skips the rest of the line */
Loc rd_loc(const Reader *, const Token *);
char *rd_name(Reader *, const char *what);         /* NULL: reported */
bool rd_at_mark(const Reader *);
/* What rd_marks has read: !loc, !origin, words that are flags, and so on. mark: the list of !begins and
   !decides of an instruction, the last one first. */
typedef struct Marks {
	bool has_loc, is_auto, is_marked;
	TextPlace loc;
	uint8_t origin;
	const char *reconverge;
	int mark;
	Token at;
} Marks;
bool rd_marks(Reader *, Marks *);
/* index into r->f->source of the label, which is added if it is new */
int rd_source(Reader *, const char *label);
/* where the file of this number stands in r->file, or would stand */
int rd_file(const Reader *, uint64_t number);
/* *loc becomes what !loc says when the module has been verified */
void rd_later_loc(Reader *, Loc *, const Marks *);
bool rd_count(Reader *, uint64_t most, uint64_t *, const char *what);
Type rd_type(Reader *);                            /* T_NONE: reported */
int rd_string(Reader *, const char *);             /* index in module->string */
/* an operand for the function, variable or parameter of this name; OPD_NONE when there is none */
Opd rd_find_name(Reader *, const char *, size_t);
/* reports that there is no `what` of the token's name, and suggests one of the n names; false */
bool rd_unknown(Reader *, const Token *, const char *what, const char *const *names, int n);

/* text_decl.c */
/* the space that the current token names; SP_GENERIC: it names none */
Space rd_space(const Reader *);
bool rd_symbol(Reader *, int owner);               /* reads one variable's declaration */
/* reads a function's header, and remembers its body for the second pass */
bool rd_function(Reader *, bool external);

/* text_touch.c */
/* reads "reads(...)" or "writes(...)", whose first word is the current token */
bool rd_touched(Reader *, Function *);

/* text_data.c */
bool rd_immediate(Reader *, Type, int64_t *);      /* reads a literal of the type; T_NONE: of 64 bits */
bool rd_data(Reader *, Symbol *);                  /* reads initial data; the current token is '=' */

bool rd_offset(Reader *, int64_t *);               /* reads "+4", "-4" or nothing, which is 0 */

/* text_body.c */
void rd_body(Reader *, Function *);
void rd_open(Reader *, Function *);                /* this function is read from now on */
/* declares a register and returns its number; -1: reported */
int rd_declare(Reader *, const Token *, Type);

/* text_opd.c: operands are collected in r->opd, destinations first */
bool rd_predicate(Reader *, Opd *);                /* reads [!]%p */
/* reads destinations and the '=' into r->dst and r->shape */
bool rd_destinations(Reader *);
bool rd_sources(Reader *, Ins *);
/* fills the destinations; declares those that are new, with the types that the operation gives them */
bool rd_set_destinations(Reader *, Ins *);
bool rd_operands_end(const Reader *);
int rd_register(Reader *, const Token *);          /* -1: reported */

/* text_habits.c */
/* what to write for an operation of PTX that is spelt otherwise here; NULL: nothing is known */
const char *habit_mnemonic(const char *s, size_t n);
/* Looks behind a mnemonic that has no destinations in front of it. false: the first operand is a destination,
   as in PTX; what to write instead is reported. */
bool habit_operands(Reader *, const Token *start, const Token *mnemonic, const Ins *);
#endif
