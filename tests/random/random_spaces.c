/* Generic accesses whose lanes lie in several spaces: each thread comes to a word of its own, of global,
 * shared or local memory, or of a table of constants. It has random numbers of its own, so that the rest of a
 * kernel is the same with and without it. */
#include "tests/random/random_gen.h"

static int generic(Gen *g, const char *cvta, int symbol, uint32_t words)
{
	int base = emit1(g, "mov.u64", T_U64, (Opd){ OPD_SYM, 0, symbol, 4 * (int64_t)rnd(g, words) });
	return emit1(g, cvta, T_U64, opd_reg(base));
}

/* The generic address of a word in one of the spaces that the function has; constants are not written. */
static int own_word(Gen *g, bool write)
{
	switch (rnd(g, write ? 3 : 4)) {
	case 0:
		return g->mine < 0 ? own_word(g, write) : emit1(g, "cvta.shared.u64", T_U64,
			opd_reg(thread_address(g, g->mine, g->tid)));
	case 1:
		return g->local < 0 ? own_word(g, write) : generic(g, "cvta.local.u64", g->local,
			LOCAL_WORDS);
	case 2: return emit2(g, "add.u64", T_U64, opd_reg(g->slot), opd_imm(4 * rnd(g, SCRATCH_BYTES / 4)));
	default: return generic(g, "cvta.const.u64", g->table, TABLE_WORDS);
	}
}

static int one_of(Gen *g, int a, int b)
{
	Ins i = op(g, "selp.b64", 1, 3);
	int r = fresh(g, T_U64);
	i.opd[0] = opd_reg(r);
	i.opd[1] = opd_reg(a);
	i.opd[2] = opd_reg(b);
	i.opd[3] = opd_reg(condition(g));
	emit(g, i);
	return r;
}

static void access_spaces(Gen *g)
{
	bool write = rnd(g, 3) == 0;
	int address = own_word(g, write);
	for (int n = 1 + (int)rnd(g, 2); n; n--)
		address = one_of(g, address, own_word(g, write));
	Ins i = op(g, write ? "st.u32" : "ld.u32", !write, 1 + write);
	*ins_src(&i, 0) = opd_reg(address);
	*(write ? ins_src(&i, 1) : ins_dst(&i, 0)) = opd_reg(pick(g, POOL_32));
	guard(g, &i);
	emit(g, i);
	used(g, RF_SPACES);
}

void spaces_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost, unlike = g->unlike;
	g->state = g->spaces;
	g->chosen = g->p->nchoices;
	g->unlike = 0;
	if (has(g, RF_SPACES) && chance(g, 20))
		access_spaces(g);
	g->spaces = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
	g->unlike = unlike;
}
