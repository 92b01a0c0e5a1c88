/* The interconnect: a crossbar. A message takes time at the SM's port, of which there is one for each
   direction, and on the way between port and L2. */
#include "sim/mem/internal.h"

void icnt_init(Interconnect *x, const Config *c)
{
	*x = (Interconnect){ .n = (int)c->sm_count, .latency = (Cycle)c->icnt_latency,
		.width = (uint64_t)c->icnt_width,
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

void icnt_up(Interconnect *x, int sm, Cycle floor, const Piece *p, int n, bool data, Cycle *at)
{
	Timeline *port = &x->up[sm];
	uint64_t width = x->width, sector = data ? x->sector : 0;
	for (int k = 0; k < n; k++)
		at[k] = timeline_book(port, floor, at[k], width,
			HEADER_BYTES + count_bits(p[k].sectors) * sector) +
			x->latency;
}

/* Without data a reply is an acknowledgement, which takes no time at the port. */
void icnt_down(Interconnect *x, int sm, Cycle floor, const Piece *p, int n, bool data, Cycle *at)
{
	Timeline *port = &x->down[sm];
	uint64_t width = x->width, sector = x->sector;
	for (int k = 0; k < n; k++)
		at[k] = (data ? timeline_book(port, floor, at[k], width, count_bits(p[k].sectors) * sector)
			: at[k]) + x->latency;
}

Cycle icnt_free_trip(const Interconnect *x, unsigned sectors)
{
	return ceil_div(HEADER_BYTES, x->width) + 2 * x->latency + ceil_div(sectors * x->sector, x->width);
}
