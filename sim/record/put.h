/* Groups of keys that several tables of a report have: sim/record/json.c. */
#ifndef GSIM_PUT_H
#define GSIM_PUT_H
#include "lib/json.h"
#include "sim/record/stats.h"

/* issues and their lanes; of: whether idle lanes are defined */
void put_ins_count(JsonSink *, const InsCount *, const LaunchStats *of);
/* partings and what they cost; only timed runs know cycles */
void put_part_count(JsonSink *, const PartCount *, bool timed);
/* the key `stalls`, reasons that are 0 left out; nothing if all are */
void put_some_stalls(JsonSink *, const uint64_t stalls[STALL_COUNT]);
#endif
