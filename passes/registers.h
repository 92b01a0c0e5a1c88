/* Passes that make values live longer keep to the registers of the machine (Pass.keeps_registers).

   What such a pass makes of a function is looked at on a copy first. The function stays as it is, with a
   remark, where a thread would need more registers than it can have, so that values would be spilled, and
   where fewer warps would be resident and what the pass saves is not worth that. Whether it is: the time of a
   warp that is alone grows as the cost of the code, that of a machine full of warps as the cost by their
   number, and the machine takes something between the two; as in meld, the geometric mean of both has to
   fall. A pass that has the option max-pressure is run with what leaves the number of warps as it is before
   it is given up. */
#ifndef GSIM_REGISTERS_H
#define GSIM_REGISTERS_H
#include "passes/pass.h"

/* True: the pass may run on the function, with the options in r, which values may hold from now on. */
bool registers_allow(PassRun *r, PassValue values[PASS_OPTIONS]);
/* For passes that run whatever registers they need: says so, where values will be spilled for it. before: of
   the function, words as limits_words has them. */
void registers_tell(PassRun *r, int64_t before);
#endif
