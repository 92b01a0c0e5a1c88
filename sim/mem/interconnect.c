/* The interconnect: a crossbar. What takes time is each SM's port, in each direction, and the way. */
#include "sim/mem/internal.h"

void icnt_init(Interconnect *x, const Config *c)
{
	*x = (Interconnect){ .n = (int)c->sm_count, .latency = (Cycle)c->icnt_latency, .width = (uint64_t)c->icnt_width,
		.sector = (uint64_t)c->l2_sector };
	x->up = xcalloc((size_t)x->n, sizeof *x->up);
	x->down = xcalloc((size_t)x->n, sizeof *x->down);
}

void icnt_rewind(Interconnect *x)
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
	return timeline_book(&x->up[sm], floor, at, x->width, HEADER_BYTES + sectors * x->sector) + x->latency;
}

/* Without data it is an acknowledgement, which takes no place on the port. */
Cycle icnt_down(Interconnect *x, int sm, Cycle floor, Cycle at, unsigned sectors)
{
	if (sectors)
		at = timeline_book(&x->down[sm], floor, at, x->width, sectors * x->sector);
	return at + x->latency;
}

Cycle icnt_free_trip(const Interconnect *x, unsigned sectors)
{
	return ceil_div(HEADER_BYTES, x->width) + 2 * x->latency + ceil_div(sectors * x->sector, x->width);
}
