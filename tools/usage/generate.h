/* What is made of the tables of programs when gsim is built: manuals, and completion for shells. */
#ifndef GSIM_USAGE_GENERATE_H
#define GSIM_USAGE_GENERATE_H
#include "tools/usage.h"

/* Where what is named in the texts is installed, and what the pages are of. */
typedef struct UsagePlaces { const char *datadir, *docdir, *version; } UsagePlaces;

extern const UsageProgram *const usage_programs[];    /* all that are installed; ends with NULL */
void usage_man(const UsageProgram *, const UsagePlaces *, StrBuf *);
void usage_bash(const UsageProgram *, const UsagePlaces *, StrBuf *);
void usage_zsh(const UsageProgram *, const UsagePlaces *, StrBuf *);
void usage_fish(const UsageProgram *, const UsagePlaces *, StrBuf *);
#endif
