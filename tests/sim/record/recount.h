/* Whom lost lanes are charged to, counted again from a trace: slowly, lane by lane, from what doc/reconvergence.md says. Each lane has the
 * list of partings that it has come through and on which side; lanes with the same list are a group. */
#ifndef TEST_RECOUNT_H
#define TEST_RECOUNT_H
#include "lib/arena.h"
#include "traces/trace.h"

enum { RECOUNT_PCS = 4096, RECOUNT_WARPS = 256, RECOUNT_DEPTH = 200, RECOUNT_LANES = 64 };

typedef struct Recount Recount;
Recount *recount_new(const TraceLaunch *);       /* the launch stays */
void recount_event(Recount *, const TraceEvent *);
void recount_free(Recount *);

typedef struct RecountPc { uint64_t partings, lost[2], cycles; } RecountPc;
const RecountPc *recount_at(const Recount *, int pc);
typedef struct RecountSum { uint64_t no_thread[2], ended[2], meetings; } RecountSum;
const RecountSum *recount_sum(const Recount *);
#endif
