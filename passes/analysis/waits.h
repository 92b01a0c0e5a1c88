/* Where a thread may wait for what another one does. Whoever makes lanes wait for each other in a new
 * place, or changes which of them goes first, asks this: what one lane waits for in front of that place must
 * not stand behind it.
 *
 * A loop waits when a thread may make turn after turn until another thread writes something. That is so
 * when both hold:
 *
 *   - whether threads leave it depends, by values or by the branches that decide which of them come about,
 *     on what a turn reads anew: an atomic that returns something, a volatile, relaxed, acquire or .cv load,
 *     a call that has such; or a plain load of memory that the function writes, where it depends on nothing
 *     else that the thread makes other from turn to turn. (Loops that go through an array, along a chain or
 *     down a tree by plain loads have such a thing. Two threads that meet by plain loads and stores have a
 *     race; compilers may keep what was loaded.) Memory that nobody may write to (.nc, .const, .param)
 *     gives nothing anew.
 *   - no exit that every turn comes to comes about by the thread's own doing (waits_progress.c): it counts
 *     in a register towards a bound; it takes work from a counter in memory, to which it adds itself; or it
 *     tries a compare-and-swap with what it has read there last, which fails only where another one
 *     succeeded.
 *
 * Where loops lie in each other so deep that the search would take more than some steps for each instruction
 * of the function, those that are left are taken to wait if they read something anew.
 *
 * Asked of the threads of other blocks alone, only global memory counts.
 *
 * A call waits when the function, or one that it calls, has both a cycle and ordered accesses that read:
 * there may be such a loop. Barriers and warp-level operations wait, too, but say so themselves
 * (Effects.convergent). */
#ifndef GSIM_WAITS_H
#define GSIM_WAITS_H
#include "passes/analysis/control.h"
#include "passes/analysis/ssa.h"

typedef struct WaitPlace {
	const Block *header;           /* header of the loop that waits; NULL: a call waits */
	const Ins *by;                 /* the instruction by which the loop reads anew; the call */
} WaitPlace;

typedef struct Waits {
	const Module *m;
	const Cfg *c;
	const Loops *loops;
	int n;                         /* number of loops, and of blocks with calls, that wait */
	/* loop: by loop, call: by block: the instruction by which it waits, as WaitPlace.by; NULL: it does
	   not wait */
	const Ins **loop, **call;
	/* by loop: what waits there, be it the loop, one inside it, or a call; by NULL: nothing does */
	WaitPlace *within;
	int *around;    /* by loop: the innermost loop around it that waits, itself included; -1: none does */
} Waits;

/* For whom threads wait: the spaces in which they read what those write. */
enum { WAITS_FOR_BLOCKS = SPACE_BIT(SP_GLOBAL), WAITS_FOR_THREADS = WAITS_FOR_BLOCKS | SPACE_BIT(SP_SHARED) };
/* spaces: WAITS_FOR_THREADS, or WAITS_FOR_BLOCKS: those of other blocks */
Waits *waits_build(Arena *, const Cfg *, const Dom *, const Loops *, const Control *, const Ssa *,
	const EffectTable *, uint8_t spaces);
/* May threads wait in the block? Writes where: in the innermost loop around the block that waits, or in a
   call. A loop around block `outside` as well does not count; outside -1: all loops count. */
bool waits_in(const Waits *, int block, int outside, WaitPlace *);
/* May threads wait in that loop, in a loop inside it, or in a call there? */
bool waits_within(const Waits *, int loop, WaitPlace *);
bool waits_any(const Waits *, WaitPlace *); /* May threads wait anywhere in the function? */
/* May an instruction with these effects let a thread go on that waits in a loop or a call? */
bool waits_for(const Effects *);
Loc waits_loc(const Waits *, const WaitPlace *);
/* A text such as "the loop at B, by its ld in line 7, may wait for what other threads do". */
const char *waits_text(Arena *, const WaitPlace *);
void waits_print(const Cfg *, const Waits *, StrBuf *);
#endif
