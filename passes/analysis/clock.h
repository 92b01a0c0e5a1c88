/* How long a warp takes through code whose threads all come along: instructions are issued in order, each
   waits until every register it reads or writes is there (stall on use), and memory is as far away as the
   table of costs says. Lanes of both sides of a branch share registers. */
#ifndef GSIM_CLOCK_H
#define GSIM_CLOCK_H
#include "passes/analysis/cost.h"

typedef struct When { int reg; int64_t at; } When;
/* of code, from its start; code of several instructions waits for all that it needs before the first one is
   issued */
typedef struct Span {
	/* registers that it touches first, and from when on; those that it writes, and when they can be
	   read */
	const When *need, *give;
	int nneed, ngive;
	int64_t time;              /* until what follows can be issued */
} Span;

typedef struct Clock Clock;
/* Registers that the function has now are known; numbers below 0 stand for some that it may get; others, and
   the carry flag, are there soon. */
Clock *clock_new(const Function *, const CostTable *);
void clock_free(Clock *);                               /* NULL: nothing */
void clock_reset(Clock *);
int64_t clock_now(const Clock *);
int64_t clock_wait(const Clock *, const Span *);        /* how long it would wait if it came next */
void clock_add(Clock *, const Span *);
/* when all that has been written can be read, and what follows can be issued */
int64_t clock_done(const Clock *);
Span clock_span(const Clock *, Arena *);                /* all since it was set back */
/* alias NULL, or by register: the number that it counts under, or 0; until the next one */
Span clock_ins(Clock *, const Ins *, const int *alias);
Span span_copy(Arena *, const Span *);                  /* that lasts */
/* A loop whose turn is these spans, of `turns` turns, at least two: the second one says how long those behind
   it take. Sets the clock back. */
Span clock_turns(Clock *, Arena *, const Span *, int n, int turns);
#endif
