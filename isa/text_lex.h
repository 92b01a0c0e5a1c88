/* Words of the text form of the IR. The text is hostile: any bytes, any length. */
#ifndef GSIM_TEXT_LEX_H
#define GSIM_TEXT_LEX_H
#include "isa/ir.h"
#include "lib/strbuf.h"

typedef enum { /* a token of one character has this character as its kind */
	TK_END = 256,
	TK_NL,      /* end of a line; a comment that spans lines does not end one */
	TK_NAME,    /* identifier or mnemonic, or any name in back quotes */
	TK_REG,     /* %name; text includes the % */
	TK_INT,     /* a whole number: value */
	TK_FLOAT,   /* decimal; text is what strtod takes */
	TK_BITS,    /* 0h 0f 0d with 4, 8, 16 digits: value, width */
	TK_STRING,  /* text decoded */
	TK_ARROW,   /* -> */
	TK_BAD      /* a faulty word, which has been reported */
} TokenKind;

typedef struct Token {
	int kind;
	const char *s; /* not terminated unless decoded */
	size_t n;
	uint64_t value;
	int width;     /* TK_BITS: 16, 32, 64 */
	bool quoted;   /* name or register in back quotes: never a keyword, mnemonic or special register */
	int line, col;
} Token;

typedef struct Lexer {
	const char *start, *at, *end;
	const char *line_start;
	int line;
	const char *path;
	Arena *arena;  /* for decoded strings */
	Diag *diag;
} Lexer;

enum { NAME_LIMIT = 65535, NUMBER_LIMIT = 100 };

Token lex_next(Lexer *);
/* may the name be written without back quotes, as far as its characters go? */
bool name_is_plain(const char *name);
bool register_is_plain(const char *name); /* the same for a name with its % */
const char *token_text(const Token *, char *buf, size_t n); /* for messages: "'add'", "the end of the line" */
/* text_habits.c: prints what to say of a word of n characters with a '.' in front of it */
void habit_dot(const char *s, size_t n, StrBuf *);
#endif
