/* Write groups of keys that several tables of a report have: sim/record/json.c. */
#ifndef GSIM_PUT_H
#define GSIM_PUT_H
#include "lib/json.h"
#include "sim/record/stats.h"

/* the issues of an instruction and their lanes; of: the launch, which says whether it has inactive lanes at
   all */
void put_ins_count(JsonSink *, const InsCount *, const LaunchStats *of);
/* partings and what they cost; only timed runs know cycles */
void put_part_count(JsonSink *, const PartCount *, bool timed);
/* the key `stalls` with the reasons whose count is not 0, and the key `memory_stalls` with levels likewise;
   nothing if all counts are 0 */
void put_some_stalls(JsonSink *, const uint64_t stalls[STALL_FIGURES]);
#endif
