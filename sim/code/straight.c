/* Straight code: instructions that are executed one behind the other, whatever they compute. */
#include "sim/code/lower.h"

/* Instructions that read a clock are left out: they need the cycle of their own issue. */
static bool computes(const MIns *i)
{
	switch (i->kind) {
	case K_ALU: case K_LD: case K_ST: case K_ATOM: case K_NOP:
		return true;
	case KM_SREG:
		return i->sreg < SREG_CLOCK || i->sreg > SREG_GLOBALTIMER_HI;
	default:
		return false;
	}
}

/* Does the instruction send its lanes elsewhere, or do they end there, or has the mechanism something to do
   there? */
static bool sends_lanes(const MIns *i)
{
	return (i->kind >= K_BRA && i->kind <= K_EXIT) || i->kind == K_RECONV;
}

/* Fills in Code.straight and Code.plain. */
void lower_straight(Code *c)
{
	Straight *x = c->straight = arena_array(&c->arena, Straight, c->n + 1);
	c->plain = arena_array(&c->arena, LaneFn *, c->n + 1);
	for (int pc = 0; pc < c->n; pc++)
		x[pc + 1].added = x[pc].added + ((c->ins[pc].flags & MI_OVERHEAD) != 0);
	for (int pc = c->n - 1; pc >= 0; pc--) {
		const MIns *i = &c->ins[pc];
		c->plain[pc] = i->kind == K_ALU && i->guard < 0 ? i->x.fn : NULL;
		if (i->mark >= 0) /* an issue counts for each of its marks */
			continue;
		x[pc].sends = sends_lanes(i);
		if (!computes(i))
			continue;
		bool ends = pc + 1 == c->n || i[1].flags & MI_REACH;
		x[pc].n = 1 + (ends ? 0 : x[pc + 1].n);
		x[pc].sends = !ends && x[pc + 1].sends;
	}
}
