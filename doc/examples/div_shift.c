/* A plug-in with a pass. div-shift: an unsigned division by a power of two becomes a shift, and the remainder
 * of one an `and`, both of which the machine does in a fraction of the time.
 *
 * requires  nothing
 * keeps     blocks and edges, and what each thread computes: the two are equal for every value
 * breaks    nothing
 *
 *	cc $(pkg-config --cflags gsim-internal) -shared -o div_shift.so div_shift.c
 *	gsim --load ./div_shift.so -b -p div-shift kernel.ptx */
#include "gsim-plugin.h"

static bool is_unsigned(Type t) { return t == T_U16 || t == T_U32 || t == T_U64; }

/* The k of an operand that is the number 2^k in that type; -1: it is no such number. */
static int power_of_two(const Opd *o, Type t)
{
	uint64_t v = (uint64_t)o->imm & (t == T_U64 ? ~0ull : t == T_U32 ? 0xffffffff : 0xffff);
	return o->kind == OPD_IMM && v && !(v & (v - 1)) ? __builtin_ctzll(v) : -1;
}

/* Makes in *to what does the same as the instruction in less time. False: there is nothing to gain. */
static bool cheaper(const PassRun *r, const Edit *e, const Ins *i, Ins *to)
{
	if ((i->op != OP_DIV && i->op != OP_REM) || !is_unsigned(i->type))
		return false;
	int k = power_of_two(ins_src(i, 1), i->type);
	if (k < 0)
		return false;
	*to = edit_copy(e, i);
	to->op = i->op == OP_DIV ? OP_SHR : OP_AND;
	if (i->op == OP_REM)
		to->type = i->type == T_U16 ? T_B16 : i->type == T_U32 ? T_B32 : T_B64;
	*ins_src(to, 1) = opd_imm(i->op == OP_DIV ? k : ((int64_t)1 << k) - 1);
	return ins_allowed(r->m, r->f, to);
}

static bool run(PassRun *r)
{
	int divisions = 0, remainders = 0;
	Edit e = edit_open(r->m, r->f, r->origin);
	for (int b = 0; b < r->f->block.n; b++) {
		Rewrite w;
		Ins to;
		for (const Ins *i = edit_rewrite(&w, &e, r->f->block.v[b]); i; i = edit_next(&w)) {
			bool gain = cheaper(r, &e, i, &to);
			divisions += gain && i->op == OP_DIV;
			remainders += gain && i->op == OP_REM;
			if (gain)
				edit_put_instead(&w, to);
			else
				edit_put(&w, *i);
		}
	}
	edit_close(&e);
	pass_count(r, "divisions made shifts", divisions);
	pass_count(r, "remainders made masks", remainders);
	return divisions + remainders > 0;
}

static const Pass pass_div_shift = {
	.name = "div-shift",
	.help = "unsigned division and remainder by a power of two become shift and mask",
	.idle = "nothing is divided by a power of two",
	.function = run,
	.keeps_graph = true,
};

GSIM_PLUGIN("div-shift", .passes = { &pass_div_shift });
