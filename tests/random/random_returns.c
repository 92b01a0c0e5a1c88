/* Where device functions return, and with what: in arms that do alike with other registers and return apart,
 * with results in the registers of the function's head or in any others. It has random numbers of its own, so
 * that the rest of a function is the same with and without it. */
#include "tests/random/random_gen.h"

typedef struct Stream { uint64_t state; size_t chosen; int unlike; bool alike; } Stream; /* of the rest */

static Stream begin(Gen *g)
{
	Stream s = { g->state, g->chosen, g->unlike, g->alike };
	g->state = g->returns;
	g->chosen = g->p->nchoices;
	g->unlike = 0;
	g->alike = false;
	return s;
}

static void end(Gen *g, const Stream *s)
{
	g->returns = g->state;
	g->state = s->state;
	g->chosen = s->chosen;
	g->unlike = s->unlike;
	g->alike = s->alike;
}

static int register_like(Gen *g, int own)
{
	Type t = (Type)g->f->reg.v[own].type;
	int pool = t == T_PRED ? POOL_PRED : t == T_F32 ? POOL_F32 : POOL_32;
	return has(g, RF_RETURNS) && g->npool[pool] && chance(g, 30) ? pick(g, pool) : own;
}

static void put_return(Gen *g)
{
	Ins i = op(g, "ret", 0, g->f->ret.n);
	for (int k = 0; k < i.nsrc; k++)
		i.opd[k] = opd_reg(register_like(g, g->f->ret.v[k]));
	emit(g, i);
}

void return_here(Gen *g)
{
	Stream s = begin(g);
	put_return(g);
	end(g, &s);
}

/* The first result is computed last, from what the arm has. */
static void arm(Gen *g)
{
	static const char *const ops[] = { "add.u32", "xor.b32", "mul.lo.u32" };
	straight(g, (int)rnd(g, 3));
	memory_statement(g);
	straight(g, 1 + (int)rnd(g, 3));
	Ins i = op(g, ops[rnd(g, 3)], 1, 2);
	i.opd[0] = opd_reg(g->f->ret.v[0]);
	i.opd[1] = opd_reg(pick(g, POOL_32));
	i.opd[2] = opd_imm(rnd(g, 100));
	if (rnd(g, 3))
		emit(g, i);
	put_return(g);
}

/* The second arm has the same choices, most often, and its registers in another order. */
static void apart(Gen *g)
{
	Block *side[2] = { block(g), block(g) };
	branch_if(g, condition(g), side[0], side[1]);
	uint64_t first = rnd64(g), other = rnd(g, 4) ? first : rnd64(g);
	for (int k = 0; k < 2; k++) {
		open_block(g, side[k]);
		g->state = k ? other : first;
		arm(g);
		for (int p = 0; p < POOL_COUNT; p++) {
			int n = g->npool[p], kept = n ? g->pool[p][0] : 0;
			for (int r = 0; r + 1 < n; r++)
				g->pool[p][r] = g->pool[p][r + 1];
			if (n)
				g->pool[p][n - 1] = kept;
		}
	}
	used(g, RF_RETURNS);
}

void end_device(Gen *g)
{
	Stream s = begin(g);
	if (has(g, RF_RETURNS) && chance(g, 60))
		apart(g);
	else
		put_return(g);
	end(g, &s);
}
