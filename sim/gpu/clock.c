#include "sim/gpu/clock.h"
#include "sim/mem/mem.h"

MachineClock machine_clock(const Gpu *g)
{
	return (MachineClock){ g->host, g->ended, g->last_gone, g->busy, g->busy_until, g->empty };
}

void machine_turn_back(Gpu *g, const MachineClock *c)
{
	g->host = c->host;
	g->ended = c->ended;
	g->last_gone = c->last_gone;
	g->busy = c->busy;
	g->busy_until = c->busy_until;
	g->empty = c->empty;
	mem_rewind(g->mem);
	for (int i = 0; i < g->config.sm_count; i++)
		if (g->smmem[i])
			smmem_rewind(g->smmem[i]);
}
