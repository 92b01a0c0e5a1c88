/* Operations of NaNs with different payloads, computed twice, the second time with the first two operands the
 * other way around: in one block, behind a jump, in the arms of a branch, on one way to a second time, before
 * a loop and in it. What a pass takes for the same must give the same bits. */
#include "tests/random/random_gen.h"
#include "tests/random.h"

static bool threefold(const char *mnemonic)
{
	return !strncmp(mnemonic, "fma", 3) || !strncmp(mnemonic, "mad", 3);
}

static Ins operation(Gen *g, const char *mnemonic, Type t, int d, const Opd *source, bool swapped)
{
	char text[32];
	int n = threefold(mnemonic) ? 3 : 2;
	snprintf(text, sizeof text, "%s.%s", mnemonic, type_name[t]);
	Ins i = op(g, text, 1, n);
	i.opd[0] = opd_reg(d);
	for (int k = 0; k < n; k++)
		*ins_src(&i, k) = source[swapped && k < 2 ? 1 - k : k];
	return i;
}

static int64_t nan_bits(Gen *g, Type t)
{
	static const int64_t quiet[] = { 0x7ff8000000000000, -0x8000000000000, 0x7ff0000000000000 },
		narrow[] = { 0x7fc00000, 0xffc00000, 0x7f800000 };
	return (t == T_F64 ? quiet : narrow)[rnd(g, 3)] | (1 + (int64_t)rnd(g, 1000));
}

/* A NaN whose payload is the lane's own, the same for all lanes, or only for some of them; or a number
   written out. */
static Opd operand(Gen *g, Type t)
{
	bool wide = t == T_F64;
	Opd bits = opd_imm(nan_bits(g, t));
	int r = fresh(g, t);
	uint32_t how = rnd(g, 8);
	if (how == 0)
		return rnd(g, 2) ? bits : opd_imm(wide ? 0x4000000000000000 : 0x40000000);
	if (how < 4) {
		int own = wide ? emit1(g, "cvt.u64.u32", T_U64, opd_reg(g->tid)) : g->tid;
		Ins i = op(g, wide ? "or.b64" : "or.b32", 1, 2);
		i.opd[0] = opd_reg(r);
		i.opd[1] = opd_reg(own);
		i.opd[2] = bits;
		emit(g, i);
	} else {
		Ins i = op(g, wide ? "selp.f64" : "selp.f32", 1, 3);
		i.opd[0] = opd_reg(r);
		i.opd[1] = bits;
		i.opd[2] = opd_reg(emit1(g, wide ? "cvt.rn.f64.s32" : "cvt.rn.f32.s32", t,
			opd_reg(pick(g, POOL_32))));
		i.opd[3] = opd_reg(condition(g));
		emit(g, i);
	}
	return opd_reg(r);
}

/* The thread goes on with the bits in one of its registers. */
static void keep(Gen *g, Type t, int d)
{
	Ins i = op(g, t == T_F64 ? "xor.b64" : "xor.b32", 1, 2);
	i.opd[0] = i.opd[1] = opd_reg(pick(g, t == T_F64 ? POOL_64 : POOL_32));
	i.opd[2] = opd_reg(d);
	emit(g, i);
}

static Block *next_block(Gen *g)
{
	Block *b = block(g);
	block_jump(g->m, g->b, b);
	open_block(g, b);
	return b;
}

/* two: both arms compute it; else one does. */
static void in_arms(Gen *g, const Ins *first, const Ins *second, bool two)
{
	Block *arm[2] = { block(g), block(g) }, *end = block(g);
	branch_if(g, condition(g), arm[0], arm[1]);
	for (int k = 0; k < 2; k++) {
		open_block(g, arm[k]);
		if (k == 0 || two)
			emit(g, k ? *second : *first);
		block_jump(g->m, g->b, end);
	}
	open_block(g, end);
}

/* Two rounds. */
static void in_loop(Gen *g, const Ins *i)
{
	int n = emit1(g, "mov.u32", T_U32, opd_imm(2));
	Block *body = next_block(g), *end = block(g);
	emit(g, *i);
	Ins less = op(g, "sub.u32", 1, 2);
	less.opd[0] = less.opd[1] = opd_reg(n);
	less.opd[2] = opd_imm(1);
	emit(g, less);
	branch_if(g, emit2(g, "setp.ne.u32", T_PRED, opd_reg(n), opd_imm(0)), body, end);
	open_block(g, end);
}

static void twice(Gen *g)
{
	static const char *const wide[] = { "add.rn", "add.rz", "mul.rn", "mul.rp", "fma.rn", "fma.rm",
		"mad.rn", "min", "max" };
	static const char *const narrow[] = { "add.rn", "add.rz", "add.ftz", "mul.rn", "mul.rm", "fma.rn",
		"fma.rz", "mad.rn", "min", "max", "min.ftz", "max.ftz" };
	Type t = rnd(g, 3) ? T_F64 : T_F32;
	const char *mnemonic = t == T_F64 ? wide[rnd(g, sizeof wide / sizeof *wide)]
		: narrow[rnd(g, sizeof narrow / sizeof *narrow)];
	Opd source[3];
	for (int k = 0; k < (threefold(mnemonic) ? 3 : 2); k++)
		source[k] = operand(g, t);
	int d[2] = { fresh(g, t), fresh(g, t) }, level = g->level;
	uint32_t how = rnd(g, 6);
	if (how >= 4 && rnd(g, 2)) /* the arms, or the two times, write one register */
		d[1] = d[0];
	for (int k = 0; k < 2 && how >= 3 && d[0] != d[1]; k++) { /* arms may not write it */
		Ins i = op(g, t == T_F64 ? "mov.f64" : "mov.f32", 1, 1);
		i.opd[0] = opd_reg(d[k]);
		i.opd[1] = opd_imm(0);
		emit(g, i);
	}
	bool swapped = rnd(g, 4) != 0;
	Ins first = operation(g, mnemonic, t, d[0], source, false),
		second = operation(g, mnemonic, t, d[1], source, swapped);
	g->level = 0;
	switch (how) {
	case 0: emit(g, first); emit(g, second); break;
	case 1: emit(g, first); next_block(g); emit(g, second); break;
	case 2: emit(g, first); in_loop(g, &second); break;
	case 3: in_arms(g, &first, &second, false); emit(g, second); break;
	default: in_arms(g, &first, &second, true); break;
	}
	g->level = level;
	keep(g, t, d[0]);
	if (d[1] != d[0])
		keep(g, t, d[1]);
}

void nan_statement(Gen *g)
{
	uint64_t state = g->state;
	size_t chosen = g->chosen;
	int cost = g->cost, unlike = g->unlike;
	g->state = g->nans;
	g->chosen = g->p->nchoices;
	g->unlike = 0;
	if (has(g, RF_NAN) && chance(g, 20)) {
		twice(g);
		used(g, RF_NAN);
	}
	g->nans = g->state;
	g->state = state;
	g->chosen = chosen;
	g->cost = cost;
	g->unlike = unlike;
}
