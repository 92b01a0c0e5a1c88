/* The reader of the text form, shared between its files. It reads in two passes: the first takes names,
 * headers and variables and remembers where initial data and bodies stand; the second reads those, when every
 * name is known. */
#ifndef GSIM_TEXT_READER_H
#define GSIM_TEXT_READER_H
#include "isa/edit.h"
#include "isa/text_lex.h"

typedef struct Place { int file, line, col; } Place;

/* a !loc, set when the module is verified; inlined: 0, or the list */
typedef struct Fix { Block *block; int index; Loc *loc; Place place; int inlined; } Fix;

/* a body or initial data, for the second pass */
typedef struct Later { Lexer lex; Token tok; Function *f; Symbol *symbol; } Later;

/* slot -1: reconvergence point */
typedef struct Jump { Block *from; int slot; const char *label; Loc loc; } Jump;

/* where a mark first names a block of the source that has not been seen yet */
typedef struct Named { Token at; const char *label; } Named;

typedef struct Unnamed { Block *b; int source; } Unnamed; /* index into f->source */

typedef struct Reader {
	Lexer lex;
	Token tok;                     /* the current one */
	Module *m;
	Diag *diag;
	const struct Source *from;     /* the file that the text was read from; NULL: none */
	/* an import stands before; one has failed, so names are unknown that it would have brought */
	bool imported, lacks;
	int errors_before;
	int own_file;               /* file index of the text itself; -1: file 0 was declared to be another */
	uint64_t data_bytes;           /* initial data so far */
	StrMap func, global, string;
	Vec(Place) file;               /* file: number in the text, ascending, line: index in the module */
	Vec(Later) later;
	Vec(Fix) fix;

	Function *f;                   /* the function being read */
	Edit edit;                     /* of it */
	Block *b;                      /* the block being filled; NULL: none yet, or the last one has ended */
	Block *falls;                  /* ended by a guarded branch: its second target is the next block */
	StrMap source;                 /* by label: index into f->source */
	Vec(Named) named;              /* they must turn up as labels */
	Vec(Unnamed) unnamed;          /* blocks without label, which get one when all labels are known */
	bool at_instruction;           /* marks that come now are an instruction's */
	StrMap local;            /* parameters and the function's variables (bit 0: a variable; index << 1) */
	Vec(Jump) jump;

	Vec(Token) dst;                /* of the instruction being read */
	char shape;                    /* how they were written: '{' '(' or 0 */
	Vec(Opd) opd;
	/* of the instruction whose marks are read; inlined: !inlined_at, as they stand there */
	Vec(SourcePlace) melded, inlined;
} Reader;

enum { ERROR_LIMIT = 50 };

/* text_part.c */
void rd_next(Reader *);
bool rd_at(const Reader *, int kind);
bool rd_word(const Reader *, const char *);        /* the current token is this unquoted name */
bool rd_accept(Reader *, int kind);
bool rd_accept_word(Reader *, const char *);
bool rd_expect(Reader *, int kind, const char *what); /* false: reported "expected <what>" */
bool rd_fail(Reader *, const Token *, const char *fmt, ...) __attribute__((format(printf, 3, 4))); /* false */
bool rd_wanted(Reader *, const char *what);        /* "expected <what>, found ..."; false */
void rd_skip_lines(Reader *);
void rd_recover(Reader *);                         /* to the end of the line */
Loc rd_loc(const Reader *, const Token *);
char *rd_name(Reader *, const char *what);         /* NULL: reported */
bool rd_at_mark(const Reader *);
/* !loc, !origin and the flag words that the caller takes (may be NULL). */
/* mark: of an instruction, last to first */
typedef struct Marks {
	bool has_loc, is_auto, is_marked;
	Place loc;
	uint8_t origin;
	const char *reconverge;
	int mark;
	Token at;
} Marks;
bool rd_marks(Reader *, Marks *);
int rd_source(Reader *, const char *label);        /* its index in the function's list */
int rd_file(const Reader *, uint64_t number);      /* where it stands in r->file, or would */
void rd_later_loc(Reader *, Loc *, const Marks *); /* it becomes what !loc says when the module is verified */
bool rd_count(Reader *, uint64_t most, uint64_t *, const char *what);
Type rd_type(Reader *);                            /* T_NONE: reported */
int rd_string(Reader *, const char *);             /* index in module->string */
/* function, variable or parameter; OPD_NONE when there is none */
Opd rd_find_name(Reader *, const char *, size_t);
/* with a suggestion */
bool rd_unknown(Reader *, const Token *, const char *what, const char *const *names, int n);

/* text_decl.c */
Space rd_space(const Reader *);                    /* that the current token names; SP_GENERIC: none */
bool rd_symbol(Reader *, int owner);               /* one variable's declaration */
bool rd_function(Reader *, bool external);         /* its header; the body is for later */

/* text_touch.c */
bool rd_touched(Reader *, Function *);             /* reads(...) or writes(...), at which the reader is */

/* text_data.c */
bool rd_immediate(Reader *, Type, int64_t *);      /* a literal of the type; T_NONE: 64-bit */
bool rd_data(Reader *, Symbol *);                  /* behind '=' */

bool rd_offset(Reader *, int64_t *);               /* "+4", "-4" or nothing: 0 */

/* text_body.c */
void rd_body(Reader *, Function *);
void rd_open(Reader *, Function *);                /* is read from now on */
int rd_declare(Reader *, const Token *, Type);     /* a register; -1: reported */

/* text_opd.c: operands gather in r->opd, destinations first */
bool rd_predicate(Reader *, Opd *);                /* [!]%p */
bool rd_destinations(Reader *);                    /* fills r->dst and r->shape; up to and with '=' */
bool rd_sources(Reader *, Ins *);
bool rd_set_destinations(Reader *, Ins *);         /* declares what the operation gives a type */
bool rd_operands_end(const Reader *);
int rd_register(Reader *, const Token *);          /* -1: reported */

/* text_habits.c */
/* what is written for an operation that is spelt otherwise; NULL: nothing known */
const char *habit_mnemonic(const char *s, size_t n);
/* Behind a mnemonic without destinations: false when the first operand is one, as in PTX; reported with what
   to write. */
bool habit_operands(Reader *, const Token *start, const Token *mnemonic, const Ins *);
#endif
