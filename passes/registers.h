/* Passes that make values live longer keep to the registers of the machine (Pass.keeps_registers).

   Such a pass runs on a copy of the function first. The function stays as it is, with a remark, in two cases:
   a thread would need more registers than it can have, so that values would be spilled; or fewer warps would
   be resident, and what the pass saves is not worth that. To decide the second case: the time of a warp that
   is alone grows with the cost of the code; the time of a machine full of warps grows with the cost divided
   by the number of warps; the machine takes something between the two, so the geometric mean of both has to
   fall (as in meld). Before a pass that has the option max-pressure is given up, it is tried once more with
   the limit that leaves the number of warps as it is. */
#ifndef GSIM_REGISTERS_H
#define GSIM_REGISTERS_H
#include "passes/pass.h"

/* Returns true when the pass may run on the function, with the options in r. r->option may point to `values`
   from then on, which has a limit for max-pressure of its own. */
bool registers_allow(PassRun *r, PassValue values[PASS_OPTIONS]);
/* For passes that run however many registers they need: makes a remark when values will be spilled because of
   the pass. before: what limits_words said of the function before the pass. */
void registers_tell(PassRun *r, int64_t before);
#endif
