/* Loads that may not fault, of addresses where something is, where nothing is, and that are misaligned. They
   change no choice of the others. */
#include "tests/random/random_gen.h"

/* In some threads the address lies where no memory has anything: nothing is 2^30 bytes behind a buffer, a
   variable or a window. */
static Opd far_in_some(Gen *g, Opd address)
{
	int t = emit1(g, "mov.u32", T_U32, (Opd){ OPD_SREG, 0, SREG_TID_X, 0 });
	int bit = emit2(g, "and.b32", T_U32, opd_reg(t), opd_imm(1 << rnd(g, 6)));
	int by = emit2(g, "mul.wide.u32", T_U64, opd_reg(bit), opd_imm(1 << 30));
	address.id = emit2(g, "add.u64", T_U64, opd_reg(address.id), opd_reg(by));
	return address;
}

/* The first address that is no multiple of the size of the access; an odd one is no byte of another thread's,
   because nothing is loaded. */
static Opd misaligned(const Ins *i, Opd address)
{
	address.imm += type_bytes(i->type) * (i->vec ? i->vec : 1) > 1;
	return address;
}

void nonfaulting_load(Gen *g, Ins *i)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost;
	Opd *address = ins_src(i, 0);
	g->state = g->unfaulted;
	g->chosen = g->p->nchoices;
	if (has(g, RF_NONFAULTING) && chance(g, 25)) {
		i->flags |= INSF_NONFAULTING;
		if (address->kind == OPD_REG && chance(g, 60))
			*address = chance(g, 60) ? far_in_some(g, *address) : misaligned(i, *address);
		used(g, RF_NONFAULTING);
	}
	g->unfaulted = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
}
