/* What all programs say of their command lines, and of wrong ones. */
#ifndef GSIM_USAGE_H
#define GSIM_USAGE_H
#include "lib/strbuf.h"
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* An option: --help, the parser, the manuals and completion in shells come from a table of these.
   letter > 127: there is no short form, and one letter means the same in every program; argument: its name,
   "[=WHAT]" if it may be left out, or NULL. values is what completion offers for the argument: a list of
   words, of patterns of files ("*.json"), of * for any file, / for folders, and of @KIND for what gsim knows
   by name (tools/usage/names.sh); behind a comma, several with commas between. NULL: a folder for DIR, a file
   for FILE, else nothing. */
typedef struct UsageRow { int letter; const char *name, *argument, *help, *values; } UsageRow;
typedef struct UsageText { const char *term, *text; } UsageText;

/* All that is said of a program. The lists of texts end with a term NULL. */
typedef struct UsageProgram {
	const char *name, *does;         /* does: in a line, without its name */
	const UsageText *form;           /* what follows the name, and what that form is for, or NULL */
	const char *about;               /* a sentence or two; they stand in --help, too */
	const char *more;                /* paragraphs of the manual, an empty line between them; or NULL */
	const UsageRow *row;
	int nrows;
	const char *operands;            /* what completion offers as what is no option, as in UsageRow */
	const UsageText *status;         /* exit statuses */
	const UsageText *files, *environment, *examples; /* examples: the command, what it does; or NULL */
	const char *see;                 /* other pages, with commas between; or NULL */
} UsageProgram;

/* Options of all programs in C: tools/user.h. */
enum { USAGE_COLOR = 1000, USAGE_NO_USER };
#define USAGE_USER_ROWS \
	{ USAGE_COLOR, "color", "WHEN", "messages and verdicts in colour: auto (on a terminal, the " \
		"default), always or never", "auto always never" }, \
	{ USAGE_NO_USER, "no-user-config", NULL, "read no configuration of the user" }
/* Environment of all programs in C. */
#define USAGE_USER_ENVIRONMENT \
	{ "GSIM_USER_CONFIG", "the user's configuration, in place of ~/.config/gsim/config.lua; empty: " \
		"there is none" }, \
	{ "XDG_CONFIG_HOME", "the folder of gsim/config.lua, in place of ~/.config" }, \
	{ "NO_COLOR", "not empty: no colours, unless --color asks for them" }
#define USAGE_USER_FILES \
	{ "~/.config/gsim/config.lua", "the user's configuration: a default machine, colours" }

/* Writes the table as --help shows it. */
void usage_list(const UsageRow *, int n, StrBuf *);
/* What --help shows. */
void usage_help(const UsageProgram *, StrBuf *);
enum { USAGE_ROWS_MOST = 80 };
/* Fills in what getopt_long wants: letters has room for 3 USAGE_ROWS_MOST + 2 characters, the other for
   USAGE_ROWS_MOST + 1 options. */
void usage_tables(const UsageProgram *, char *letters, struct option *);

/* "error: what which; see PROGRAM --help" on standard error. Returns the exit status. */
int usage_wrong(const char *program, const char *what, const char *which);
/* Says what was wrong with the option at which getopt_long, with opterr = 0 and letters that begin with ':',
   returned letter: '?' or ':'. */
int usage_option(const char *program, char *const *argv, const struct option *, int letter);
/* The option, which takes an argument, has come before: says so. given: 0 before the first; options that may
   be repeated are not asked about. */
bool usage_twice(const char *program, const struct option *, int letter, uint64_t *given);
/* The argument of an option that wants a folder, or NULL; says so when it is none. */
bool usage_folder(const char *option, const char *path);
/* Reads a whole number from 1 to most, the whole text. False: it is none. */
bool usage_number(const char *text, long most, int *out);
/* The same from 0 on. */
bool usage_count(const char *text, long most, int *out);
/* A program has one form at a time: says so when *form is another one; else *form is this one ("--csv"). */
bool usage_two_forms(const char *program, const char **form, const char *name);
#endif
