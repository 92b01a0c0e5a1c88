/* Options that several passes have, each a row of their tables, and what reports say of them. */
#ifndef GSIM_PASS_OPTIONS_H
#define GSIM_PASS_OPTIONS_H
#include "passes/analysis/memdep.h"
#include "passes/pass.h"

#define OPTION_ROW_RESTRICT { .name = "assume-restrict", .value = 0, .least = 0, .most = 1, \
	.help = "take it that pointer parameters lead to arrays of their own, in which addresses stay; " \
	"reports say so" }
#define OPTION_ROW_PRESSURE { .name = "max-pressure", .value = -1, .least = -1, .most = 1000000, \
	.help = "at most so many registers of 32 bits live at once afterwards, or as many as before; 0: " \
	"any number; -1: as the machine has room for" }
#define OPTION_ROW_NONFAULTING { .name = "nonfaulting", .value = 0, .least = 0, .most = 1, \
	.help = "loads may come where the program has none; those that may fault there are marked so that " \
	"they do not" }

/* What answers about memory may assume, by the value of assume-restrict. */
static inline unsigned option_restrict(int64_t value) { return value ? MEM_RESTRICT : 0; }
/* Reports list each assumption on which answers have rested. count: by assumption, how many have. */
void pass_assumptions(PassRun *, const int64_t count[MEM_ASSUMPTIONS]);
#endif
