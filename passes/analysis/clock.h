/* How long a warp takes through code to which all its threads come. Instructions are issued in order, each
   waits until every register that it reads or writes is ready (stall on use), and accesses to memory take as
   long as the table of costs says. A register is ready for all lanes at once: lanes on both sides of a branch
   share it. */
#ifndef GSIM_CLOCK_H
#define GSIM_CLOCK_H
#include "passes/analysis/cost.h"

typedef struct RegTime { int reg; int64_t at; } RegTime;
/* The timing of a piece of code, in cycles from its start. Code of several instructions waits for all
   registers that it needs before the first one is issued */
typedef struct Span {
	/* need: registers that the code reads or writes before it has written them itself, and when they must
	   be ready; give: registers that it writes, and when these can be read */
	const RegTime *need, *give;
	int nneed, ngive;
	int64_t time;              /* cycles until what follows can be issued */
} Span;

typedef struct Clock Clock;
/* The clock knows the registers that the function has now; numbers below 0 stand for registers that it may
   get. All others, and the carry flag, count as ready at once. */
Clock *clock_new(const Function *, const CostTable *);
void clock_free(Clock *);                               /* NULL: does nothing */
void clock_reset(Clock *);
int64_t clock_now(const Clock *);
int64_t clock_wait(const Clock *, const Span *);    /* cycles for which the code would wait if it came next */
void clock_add(Clock *, const Span *);
/* the cycle from which all that has been written can be read and what follows can be issued */
int64_t clock_done(const Clock *);
Span clock_span(const Clock *, Arena *);                /* all code since clock_reset, as one span */
/* The span of one instruction, valid until the next call. alias: NULL, or by register the number of the
   register in whose place it counts, 0: its own. */
Span clock_ins(Clock *, const Ins *, const int *alias);
/* The cycles that one execution of the function takes a warp: each block from when all that it reads is there
   until all that it writes is; loops have LOOP_TURNS turns, calls cost what the instruction costs, and all
   branches jump. Adds what that asks of the machine to *load. */
int64_t clock_function(Function *, const CostTable *, Load *load);
Span span_copy(Arena *, const Span *);                  /* a copy of the span in the arena */
/* The span of a loop with `turns` turns, at least two, each of which consists of these n spans. Two turns are
   computed; all further ones are taken to last as long as the second. Sets the clock back. */
Span clock_turns(Clock *, Arena *, const Span *, int n, int turns);
#endif
