/* The interconnect: a crossbar. What takes time is each SM's port, in each direction, and the way. */
#include "sim/mem/internal.h"

void icnt_init(Interconnect *x, const Config *c)
{
	uint64_t width = (uint64_t)c->icnt_width;
	*x = (Interconnect){ .n = (int)c->sm_count, .latency = (Cycle)c->icnt_latency };
	for (uint64_t n = 0; n <= MAX_SECTORS; n++) {
		x->up_cycles[n] = (uint32_t)ceil_div(HEADER_BYTES + n * (uint64_t)c->l2_sector, width);
		x->down_cycles[n] = (uint32_t)ceil_div(n * (uint64_t)c->l2_sector, width);
	}
	x->up = xcalloc((size_t)x->n, sizeof *x->up);
	x->down = xcalloc((size_t)x->n, sizeof *x->down);
}

void icnt_reset(Interconnect *x)
{
	memset(x->up, 0, (size_t)x->n * sizeof *x->up);
	memset(x->down, 0, (size_t)x->n * sizeof *x->down);
}

void icnt_free(Interconnect *x)
{
	free(x->up);
	free(x->down);
}

Cycle icnt_up(Interconnect *x, int sm, Cycle floor, Cycle at, unsigned sectors)
{
	return timeline_book(&x->up[sm], floor, at, x->up_cycles[sectors]) + x->latency;
}

/* Without data it is an acknowledgement, which takes no place on the port. */
Cycle icnt_down(Interconnect *x, int sm, Cycle floor, Cycle at, unsigned sectors)
{
	if (sectors)
		at = timeline_book(&x->down[sm], floor, at, x->down_cycles[sectors]);
	return at + x->latency;
}
