/* What all programs say of a wrong command line. */
#ifndef GSIM_USAGE_H
#define GSIM_USAGE_H
#include <getopt.h>

/* "error: what which; see PROGRAM --help" on standard error. Returns the exit status. */
int usage_wrong(const char *program, const char *what, const char *which);
/* Says what was wrong with the option at which getopt_long, with opterr = 0 and letters that begin with ':', returned letter: '?'
   or ':'. */
int usage_option(const char *program, char *const *argv, const struct option *, int letter);
#endif
