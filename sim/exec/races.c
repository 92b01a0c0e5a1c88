/* Races between blocks: each access to global memory is noted before its data move (isa/races.h). */
#include "sim/exec/internal.h"
#include "isa/races.h"

/* The module's instruction for i. It is found by its operands: lowering adds no access to global memory, and
   an instruction that lowering has moved still has its operands. */
static const Ins *source_ins(const Code *c, const MIns *i)
{
	for (int k = 0; k < c->nsource; k++)
		if (i->src && c->source[k].opd == i->src->opd && c->source[k].ins->op == i->src->op)
			return c->source[k].ins;
	bug("an access to global memory that is none of the module");
}

int races_site(const Grid *x, const MIns *i)
{
	RaceLog *l = x->launch->races;
	int site = race_site(l, i);
	return site < 0 ? race_site_add(l, i, source_ins(x->code, i)) : site;
}

void races_note(Sm *sm, RaceLog *l, int site, uint64_t block, const MIns *i, Mask m, const uint64_t *addr,
	const uint64_t *v, int n)
{
	unsigned size = (unsigned)i->bytes * i->vec;
	int lane;
	each_lane(m, lane) {
		const Alloc *al = i->kind == K_LD ? NULL : memory_find(sm->gpu->memory, addr[lane], size,
			&sm->hint);
		uint8_t now[MOST_BYTES];
		for (int k = 0; k < i->x.nrows && i->kind == K_ST; k++)
			memcpy(now + k * i->bytes, &v[k], i->bytes);
		race_note(l, site, block, addr[lane], size, al ? al->data + (addr[lane] - al->addr) : NULL,
			i->kind == K_ST ? now : NULL);
		v += n;
	}
}
