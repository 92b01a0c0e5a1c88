/* The interconnect: a crossbar. What takes time is each SM's port, in each direction, and the way. */
#include "sim/mem/internal.h"

void icnt_init(Interconnect *x, const Config *c)
{
	*x = (Interconnect){ .n = (int)c->sm_count, .latency = (Cycle)c->icnt_latency, .width = (uint64_t)c->icnt_width };
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

Cycle icnt_up(Interconnect *x, int sm, Cycle floor, Cycle at, uint64_t data_bytes)
{
	return timeline_book(&x->up[sm], floor, at, ceil_div(HEADER_BYTES + data_bytes, x->width)) + x->latency;
}

/* Without data it is an acknowledgement, which takes no place on the port. */
Cycle icnt_down(Interconnect *x, int sm, Cycle floor, Cycle at, uint64_t data_bytes)
{
	if (data_bytes)
		at = timeline_book(&x->down[sm], floor, at, ceil_div(data_bytes, x->width));
	return at + x->latency;
}
