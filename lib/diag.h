/* Messages about errors in the user's input: collected with their places, printed as
   `file:line:column: error: ...`. */
#ifndef GSIM_DIAG_H
#define GSIM_DIAG_H
#include "lib/arena.h"
#include "lib/vec.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct Loc { const char *file; int line, col; } Loc; /* line, col from 1; 0 = unknown */

/* neither flag: error */
typedef struct DiagItem { Loc loc; const char *text; bool warning, remark; } DiagItem;
typedef struct Diag {
	Arena arena;
	Vec(DiagItem) item;
	int errors;      /* all errors, also those over the limit, whose texts are dropped */
	int limit;       /* texts of errors and warnings kept; 0 = 20 */
	int remarks;
} Diag;              /* zero-initialise */

void diag_error(Diag *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(Diag *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* a message for which the user has asked; all of these are kept, whatever the limit */
void diag_remark(Diag *, Loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_print(const Diag *, FILE *);
const char *diag_first(const Diag *); /* the first error's text, without its place; NULL when there is none */
void diag_free(Diag *);

/* Reports a bug of this program, with its place in the source, and aborts. */
void bug_(const char *file, int line, const char *what) __attribute__((noreturn));
#define bug(WHAT) bug_(__FILE__, __LINE__, (WHAT))
#define must(COND) ((COND) ? (void)0 : bug_(__FILE__, __LINE__, #COND))
#endif
