/* What all programs say of a wrong command line. */
#ifndef GSIM_USAGE_H
#define GSIM_USAGE_H
#include "lib/strbuf.h"
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* An option: --help, the parser and the manual come from a table of these. letter > 127: there is no short
   form; argument: its name, "[=WHAT]" if it may be left out, or NULL. */
typedef struct UsageRow { int letter; const char *name, *argument, *help; } UsageRow;
/* Writes the table as --help shows it. */
void usage_list(const UsageRow *, int n, StrBuf *);
/* Fills in what getopt_long wants: letters has room for 3 n + 2 characters, the other for n + 1 options. */
void usage_tables(const UsageRow *, int n, char *letters, struct option *);

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
/* A program has one form at a time: says so when *form is another one; else *form is this one ("--csv"). */
bool usage_two_forms(const char *program, const char **form, const char *name);
#endif
