#ifndef GSIM_LIST_H
#define GSIM_LIST_H
#include "sim/config/config.h"
#include "lib/strbuf.h"
#include <stdbool.h>

extern const char *const list_machine_folders; /* where machine files are looked for, for messages */
bool list_table(const char *what, StrBuf *);   /* false: there is no such table */
/* the machine files that are found: the card of each, and from what kinds of sources its figures are */
void list_configs(StrBuf *);
void list_machines(StrBuf *);             /* their names alone, which takes less time */
/* The figures that the machine file and those from which it derives give, one a line: name, value, kind of
   source, where it stands, what the comment there says. used: the configuration with what the command line
   has set; chosen(name): has it set that parameter? Then the kind is "given". False: the file is wrong, and
   diag says why. */
bool list_figures(const char *machine, const Config *used, bool (*chosen)(const void *, const char *name),
	const void *context, StrBuf *, Diag *);
/* two lines when something keeps it from running */
bool list_refused(const Module *, const Function *kernel, StrBuf *);
/* in the order of the source: signatures, and what keeps a kernel from running */
void list_kernels(const Module *, StrBuf *);
#endif
