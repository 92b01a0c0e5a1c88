/* Straight code: instructions that are executed one behind the other, whatever they compute. */
#include "sim/code/lower.h"

/* Instructions that read a clock are left out: they need the cycle of their own issue. */
static bool goes_straight_on(const MIns *i)
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

/* The instruction may be the last one of straight code: it sends its lanes elsewhere, or they end. */
static bool ends_straight(const MIns *i)
{
	return i->kind == K_BRA || i->kind == K_BRX || i->kind == K_CALL || i->kind == K_RET ||
		i->kind == K_EXIT || i->kind == K_RECONV;
}

/* Fills in Code.straight and Code.added, from the end on. */
void lower_straight(Code *c)
{
	c->straight = arena_array(&c->arena, uint32_t, c->n + 1);
	c->added = arena_array(&c->arena, uint32_t, c->n + 1);
	for (int pc = 0; pc < c->n; pc++)
		c->added[pc + 1] = c->added[pc] + ((c->ins[pc].flags & MI_OVERHEAD) != 0);
	for (int pc = c->n - 1; pc >= 0; pc--) {
		const MIns *i = &c->ins[pc];
		if (i->mark >= 0)
			continue;
		if (goes_straight_on(i))
			c->straight[pc] = 1 + (pc + 1 < c->n && !(i[1].flags & MI_REACH) ? c->straight[pc + 1]
				: 0);
		else
			c->straight[pc] = ends_straight(i);
	}
}
