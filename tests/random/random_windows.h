/* What a launch is measured to be depends neither on windows nor on what schedulers leave out because it
   would be in vain, under any mechanism with any of its options. */
#ifndef GSIM_RANDOM_WINDOWS_H
#define GSIM_RANDOM_WINDOWS_H
#include "lib/strbuf.h"
#include "tests/random/differential.h"

/* Changes what the seed chooses: the mechanism's options, drawn from its table, how its entries are spilled,
   and how warps are scheduled. said: what gives gsim the same machine, from *c on. */
void random_machine(Config *c, int model, uint64_t seed, StrBuf *said);

/* Runs the job with windows of one cycle, of three, and the longest ones, and with these once more and
   try_all. RAN_BADLY: text says why, or what of the statistics differs. */
Ran windows_agree(const Job *, const Config *, int model, char *text, size_t n);
enum { WINDOW_RUNS = 4 };
#endif
