/* Random straight-line code over pools of registers. */
#include "tests/random/random_gen.h"
#include "isa/lane.h"
#include "isa/mnemonic.h"

/* The operations, with alternatives in braces. Each row is as likely as any other. */
#define INT "{u16,s16,u32,s32,u64,s64}"
#define I32 "{u32,s32}"
#define CVT_INT "{u8,s8,u16,s16,u32,s32,u64,s64}"
static const char *const rows[] = {
	"add." INT, "add.sat.s32", "sub." INT, "sub.sat.s32", "mul.{lo,hi}." INT, "mul.lo." I32,
	"mul.wide.{u16,s16,u32,s32}",
	"mad.{lo,hi}." INT, "mad.wide.{u16,s16,u32,s32}", "mad.hi.sat.s32", "mul24.{lo,hi}." I32,
	"mad24.{lo,hi}." I32,
	"sad." INT, "div." INT, "rem." INT, "abs.{s16,s32,s64}", "neg.{s16,s32,s64}", "min." INT, "max." INT,
	"add." I32, "sub." I32, "xor.b32", "add.u64",
	"popc.{b32,b64}", "clz.{b32,b64}", "bfind.{u32,s32,u64,s64}", "bfind.shiftamt.{u32,s32,u64,s64}",
	"brev.{b32,b64}",
	"bfe.{u32,s32,u64,s64}", "bfi.{b32,b64}", "prmt.b32", "prmt.b32.{f4e,b4e,rc8,ecl,ecr,rc16}",
	"and.{b16,b32,b64,pred}", "or.{b16,b32,b64,pred}", "xor.{b16,b32,b64,pred}", "not.{b16,b32,b64,pred}",
	"cnot.{b16,b32,b64}",
	"lop3.b32", "shl.{b16,b32,b64}", "shr." INT, "shr.{b16,b32,b64}", "shf.{l,r}.{wrap,clamp}.b32",
	"dp4a." I32 "." I32,
	"dp2a.{lo,hi}." I32 "." I32, "szext.{wrap,clamp}." I32, "fns.b32", "bmsk.{wrap,clamp}.b32",
	"mov.{u16,b32,u64,pred}", "selp.{b16,b32,b64,u32,s64}", "slct.{b32,u64,s32}.s32",
	"setp.{eq,ne,lt,le,gt,ge}." INT, "setp.{lo,ls,hi,hs}.{u32,u64}",
	"setp.{eq,ne,lt,gt}.{and,or,xor}." I32,
	"setp.{eq,ne}.{b16,b32,b64}", "set.{eq,ne,lt,ge}." I32 "." I32, "set.{lo,hs}.u32.u64",
	"cvt." CVT_INT "." CVT_INT, "cvt.sat.{u8,s8,u16,s16}.{u32,s32,s64}",
	"add.{rn,rz,rm,rp}.f32", "add.ftz.sat.f32", "sub.{rn,rz}.f32", "mul.{rn,rz,rm,rp}.f32", "mul.ftz.f32",
	"fma.{rn,rz,rm,rp}.f32",
	"fma.rn.ftz.sat.f32", "div.{rn,rz,rm,rp}.f32", "div.{approx,full}.f32", "abs.f32", "neg.f32",
	"min.f32", "max.ftz.f32",
	"mov.f32", "selp.f32", "slct.f32.s32", "slct.s32.f32",
	"setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.f32",
	"setp.{lt,ge}.{and,or,xor}.f32", "set.{lt,neu}.{u32,f32}.f32",
	"testp.{finite,infinite,number,notanumber,normal,subnormal}.f32",
	"copysign.f32", "rcp.{rn,rz}.f32", "rcp.approx.f32", "sqrt.{rn,rm}.f32", "sqrt.approx.f32",
	"rsqrt.approx.f32",
	"sin.approx.f32", "cos.approx.f32", "lg2.approx.f32", "ex2.approx.f32", "tanh.approx.f32",
	"cvt.{rn,rz,rm,rp}.{f16,f32}." CVT_INT, "cvt.{rni,rzi,rmi,rpi}." CVT_INT ".{f16,f32}",
	"cvt.{rni,rzi,rmi,rpi}.ftz." CVT_INT ".f32",
	"cvt.{rni,rzi,rmi,rpi}.f32.f32", "cvt.{rni,rzi,rmi,rpi}.f16.f16", "cvt.sat.f32.f32",
	"cvt.ftz.f32.f32", "cvt.{rn,rz,rm,rp}.f16.f32",
	"cvt.f32.f16", "mov.b32",
	"add.{rn,rz,rm,rp}.f64", "sub.rn.f64", "mul.{rn,rp}.f64", "fma.{rn,rz,rm,rp}.f64", "div.{rn,rm}.f64",
	"abs.f64", "neg.f64",
	"min.f64", "max.f64", "selp.f64", "setp.{eq,lt,gtu,nan}.f64", "testp.{finite,normal}.f64",
	"copysign.f64", "rcp.rn.f64",
	"sqrt.rn.f64", "cvt.{rn,rz,rm,rp}.f64." CVT_INT, "cvt.f64.{f16,f32}",
	"cvt.{rni,rzi,rmi,rpi}." CVT_INT ".f64",
	"cvt.{rn,rz,rm,rp}.{f16,f32}.f64", "cvt.{rni,rzi,rmi,rpi}.f64.f64", "cvt.rn.ftz.f32.f64",
	"cvt.ftz.f64.f32",
};
enum { NROWS = sizeof rows / sizeof *rows };

/* Writes alternative number *k of the pattern; *k is divided by the number of alternatives on the way. */
static void expand(const char *pattern, uint32_t *k, char *out)
{
	while (*pattern) {
		if (*pattern != '{') {
			*out++ = *pattern++;
			continue;
		}
		uint32_t n = 1;
		for (const char *p = ++pattern; *p != '}'; p++)
			n += *p == ',';
		uint32_t which = *k % n;
		*k /= n;
		for (; which; pattern++)
			which -= *pattern == ',';
		while (*pattern != ',' && *pattern != '}')
			*out++ = *pattern++;
		while (*pattern++ != '}')
			;
	}
	*out = 0;
}

const char *random_mnemonic(int i)
{
	static _Thread_local char text[64];
	for (int r = 0; r < NROWS; r++) {
		uint32_t n = 1, k;
		for (const char *p = rows[r], *open = p; *p; p++) {
			if (*p == '{')
				open = p;
			if (*p != '}')
				continue;
			uint32_t m = 1;
			for (; open < p; open++)
				m += *open == ',';
			n *= m;
		}
		if ((uint32_t)i < n) {
			k = (uint32_t)i;
			expand(rows[r], &k, text);
			return text;
		}
		i -= (int)n;
	}
	return NULL;
}

/* ---- instructions ---- */

Ins *emit(Gen *g, Ins i)
{
	i.file = (uint16_t)g->file;
	i.line = ++g->line;
	g->cost += g->weight;
	vec_push(&g->b->ins, i);
	return &vec_last(&g->b->ins);
}

Ins op(Gen *g, const char *mnemonic, int ndst, int nsrc)
{
	Ins i = { .guard = -1 };
	MnemonicError e;
	if (!mnemonic_parse(mnemonic, strlen(mnemonic), &i, &e))
		bug(mnemonic);
	i.ndst = (uint16_t)ndst;
	i.nsrc = (uint16_t)nsrc;
	i.opd = arena_array(&g->m->arena, Opd, ndst + nsrc + 1);
	return i;
}

int fresh(Gen *g, Type t)
{
	char name[32];
	snprintf(name, sizeof name, "%%%s_%d", type_name[t], g->f->reg.n);
	return function_reg(g->m, g->f, name, t);
}

Loc here(Gen *g) { return (Loc){ g->m->file.v[g->file], ++g->line, 1 }; }

Block *block(Gen *g)
{
	char name[32];
	snprintf(name, sizeof name, "B%d", g->nblock++);
	Block *b = function_block(g->m, g->f, name);
	b->user = rnd(g, 4) != 0;
	b->loc = here(g);
	return b;
}

void guard(Gen *g, Ins *i)
{
	if (!has(g, RF_GUARD) || !chance(g, 12))
		return;
	i->guard = pick(g, POOL_PRED);
	i->guard_neg = (uint8_t)rnd(g, 2);
	used(g, RF_GUARD);
}

void overwrite_guard(Gen *g, Ins *i)
{
	int n = 0, at[2];
	for (int k = 0; k < i->ndst && k < 2; k++)
		if (ins_dst(i, k)->kind == OPD_REG && g->f->reg.v[ins_dst(i, k)->id].type == T_PRED)
			at[n++] = k;
	if (i->guard < 0 || !n || !has(g, RF_OVERWRITE) || !chance(g, 60))
		return;
	int k = at[rnd(g, (uint32_t)n)];
	if (i->ndst == 2 && ins_dst(i, 1 - k)->kind == OPD_REG && ins_dst(i, 1 - k)->id == i->guard)
		return; /* it does already */
	ins_dst(i, k)->id = i->guard;
	used(g, RF_OVERWRITE);
}

int emit1(Gen *g, const char *mnemonic, Type t, Opd a)
{
	Ins i = op(g, mnemonic, 1, 1);
	int r = fresh(g, t);
	i.opd[0] = opd_reg(r);
	i.opd[1] = a;
	emit(g, i);
	return r;
}

int emit2(Gen *g, const char *mnemonic, Type t, Opd a, Opd b)
{
	Ins i = op(g, mnemonic, 1, 2);
	int r = fresh(g, t);
	i.opd[0] = opd_reg(r);
	i.opd[1] = a;
	i.opd[2] = b;
	emit(g, i);
	return r;
}

/* ---- operands ---- */

int pick(Gen *g, int pool) { return g->pool[pool][rnd(g, (uint32_t)g->npool[pool])]; }

int pool_of(Gen *g, Type t)
{
	bool flt = type_kind[t] == 'F';
	if (chance(g, 4) && type_kind[t] == 'B') /* untyped operations also see the bits of floats */
		flt = true;
	switch (type_bits[t]) {
	case 1: return POOL_PRED;
	case 8: return rnd(g, 2) ? POOL_16 : POOL_32;
	case 16: return POOL_16;
	case 32: return flt && has(g, RF_FLOAT) ? POOL_F32 : POOL_32;
	default: return flt && has(g, RF_DOUBLE) ? POOL_F64 : POOL_64;
	}
}

static int64_t float_constant(Gen *g, Type t)
{
	/* numbers, then NaNs (quiet, signalling, with payloads), subnormals and the ends of ranges */
	static const uint64_t f16[] = { 0x3c00, 0xb800, 0x7c00, 0x8000, 0x7e00, 0x7c01, 0xfe12, 1, 0x83ff,
		0x7bff };
	static const uint64_t f32[] = { 0, 0x3f800000, 0xbf000000, 0x40490fdb, 0x80000000, 0x7f800000,
		0x4f000000, 0xdf000000, 0x7fc00000,
		0x7f800001, 0xffc01234, 1, 0x80400000, 0x007fffff, 0x00800000, 0x7f7fffff };
	static const uint64_t f64[] = { 0, 0x3ff0000000000000, 0xc008000000000000, 0x3fb999999999999a,
		0x8000000000000000,
		0x7ff0000000000000, 0x43e0000000000000, 0xc1e0000000200000, 0x7ff8000000000000,
		0x7ff0000000000001, 0xfff8000012345678, 1,
		0x8008000000000000, 0x000fffffffffffff, 0x36a8000000000000, 0x7fefffffffffffff };
	if (t == T_F16)
		return (int64_t)f16[rnd(g, sizeof f16 / sizeof *f16)];
	if (t == T_F32)
		return (int64_t)f32[rnd(g, sizeof f32 / sizeof *f32)];
	return (int64_t)f64[rnd(g, sizeof f64 / sizeof *f64)];
}

static int64_t int_constant(Gen *g, Type t)
{
	int bits = type_bits[t];
	int64_t v;
	switch (rnd(g, 6)) {
	case 0: v = (int64_t)rnd64(g); break;
	case 1: v = -(int64_t)rnd(g, 5); break;
	case 2: v = (int64_t)((uint64_t)1 << rnd(g, (uint32_t)bits)); break;
	case 3: v = (int64_t)(((uint64_t)1 << (bits - 1)) - rnd(g, 2)); break;
	default: v = rnd(g, 33); break;
	}
	return bits < 64 ? (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits) : v;
}

Opd constant_predicate(Gen *g)
{
	used(g, RF_CONSTANT);
	return opd_imm(rnd(g, 2));
}

Opd predicate(Gen *g)
{
	if (has(g, RF_CONSTANT) && chance(g, 8))
		return constant_predicate(g);
	uint8_t neg = (uint8_t)rnd(g, 2);
	return (Opd){ OPD_REG, neg, pick(g, POOL_PRED), 0 };
}

Opd value(Gen *g, Type t)
{
	if (t == T_PRED && has(g, RF_CONSTANT) && chance(g, 8))
		return constant_predicate(g);
	if (t != T_PRED && chance(g, type_kind[t] == 'F' ? 30 : 18))
		return opd_imm(type_kind[t] == 'F' ? float_constant(g, t) : int_constant(g, t));
	int pool = pool_of(g, t);
	if (pool == POOL_32 && chance(g, 10))
		return opd_reg(pick(g, POOL_UNIFORM));
	return opd_reg(pick(g, pool));
}

int small(Gen *g, uint32_t mask)
{
	return emit2(g, "and.b32", T_U32, opd_reg(pick(g, POOL_32)), opd_imm(mask));
}

int condition(Gen *g)
{
	if (chance(g, 25))
		return pick(g, POOL_PRED);
	if (chance(g, 40)) { /* of the thread's number: regular patterns */
		int bit = emit2(g, "and.b32", T_U32, opd_reg(g->tid), opd_imm(1 << rnd(g, 5)));
		return emit2(g, "setp.ne.u32", T_PRED, opd_reg(bit), opd_imm(0));
	}
	int x = small(g, 15);
	return emit2(g, "setp.lt.u32", T_PRED, opd_reg(x), opd_imm(2 + rnd(g, 12)));
}

int uniform_condition(Gen *g)
{
	int x = emit2(g, "and.b32", T_U32, opd_reg(pick(g, POOL_UNIFORM)), opd_imm(7));
	return emit2(g, "setp.lt.u32", T_PRED, opd_reg(x), opd_imm(1 + rnd(g, 7)));
}

/* ---- one random operation ---- */

static int letters(const char *side, bool optional)
{
	int n = 0;
	for (; *side && *side != ':'; side++)
		if (*side != '?' && (side[1] != '?' || optional))
			n++;
	return n;
}

static bool allowed(const Gen *g, const Ins *i)
{
	for (int k = 0; k < 2; k++) {
		int t = k ? i->type2 : i->type;
		if ((t == T_F32 || t == T_F16) && !has(g, RF_FLOAT))
			return false;
		if (t == T_F64 && !has(g, RF_DOUBLE))
			return false;
		if (type_bits[t] == 64 && t != T_F64 && !has(g, RF_WIDE))
			return false;
	}
	return i->hilo != HILO_WIDE || i->type == T_U16 || i->type == T_S16 || has(g, RF_WIDE);
}

static void set_source(Gen *g, Ins *i, int k, Type t)
{
	Opd *o = ins_src(i, k);
	if (i->op == OP_LOP3 && k == 3)
		*o = opd_imm(rnd(g, 256));
	else if ((i->op == OP_SHL || i->op == OP_SHR) && k == 1 && chance(g, 70))
		*o = opd_imm(rnd(g, type_bits[i->type]));
	else if ((i->op == OP_BFE && k >= 1) || (i->op == OP_BFI && k >= 2))
		*o = chance(g, 80) ? opd_imm(rnd(g, type_bits[i->type])) : opd_reg(pick(g, POOL_32));
	else
		*o = value(g, t);
	if (o->kind == OPD_REG && t == T_PRED && (i->op == OP_SETP || i->op == OP_AND || i->op == OP_OR ||
		i->op == OP_SELP))
		o->neg = chance(g, 20);
}

static void one(Gen *g)
{
	char text[64];
	uint32_t k;
	Ins i;
	do {
		k = rnd(g, 1u << 30);
		expand(rows[rnd(g, NROWS)], &k, text);
		i = op(g, text, 2, 5);
	} while (!allowed(g, &i));
	const char *s = op_info[i.op].operands;
	i.ndst = (uint16_t)letters(s, i.op == OP_SETP && chance(g, 30));
	i.nsrc = (uint16_t)letters(strchr(s, ':') + 1, i.op == OP_SETP && i.boolop);
	for (int d = 0; d < i.ndst; d++)
		*ins_dst(&i, d) = opd_reg(pick(g, pool_of(g, ins_dst_type(&i, d))));
	if (i.ndst == 2 && ins_dst(&i, 1)->id == ins_dst(&i, 0)->id)
		i.ndst = 1;
	for (int s1 = 0; s1 < i.nsrc; s1++)
		set_source(g, &i, s1, ins_src_type(&i, s1));
	guard(g, &i);
	overwrite_guard(g, &i);
	Type wide = ins_dst_type(&i, 0);
	if (wide == T_F32 || wide == T_F16)
		used(g, RF_FLOAT);
	else if (wide == T_F64)
		used(g, RF_DOUBLE);
	else if (type_bits[wide] == 64)
		used(g, RF_WIDE);
	emit(g, i);
}

/* One operation with the carry flag: it meets whatever the last one left, here or in another block. */
static void loose_carry(Gen *g)
{
	static const char *const ops[] = { "add.cc", "addc.cc", "addc", "sub.cc", "subc.cc", "subc",
		"mad.lo.cc", "madc.lo.cc", "madc.hi" };
	static const Type types[] = { T_U32, T_S32, T_U64, T_S64 };
	char text[32];
	int which = (int)rnd(g, 9);
	Type t = types[rnd(g, has(g, RF_WIDE) ? 4 : 2)];
	snprintf(text, sizeof text, "%s.%s", ops[which], type_name[t]);
	Ins i = op(g, text, 1, which >= 6 ? 3 : 2);
	i.opd[0] = opd_reg(pick(g, pool_of(g, t)));
	for (int s = 1; s <= i.nsrc; s++)
		i.opd[s] = value(g, t);
	guard(g, &i);
	emit(g, i);
	used(g, RF_CARRY);
}

/* A chain through the carry flag. */
static void carry(Gen *g)
{
	static const char *const first[] = { "add.cc.u32", "sub.cc.u32", "mad.lo.cc.u32" };
	static const char *const next[] = { "addc.cc.u32", "subc.cc.u32", "madc.hi.cc.u32" };
	static const char *const last[] = { "addc.u32", "subc.u32", "madc.hi.u32" };
	int which = (int)rnd(g, 3), n = 2 + (int)rnd(g, 2);
	for (int k = 0; k < n; k++) {
		Ins i = op(g, k == 0 ? first[which] : k == n - 1 ? last[which] : next[which], 1,
			which == 2 ? 3 : 2);
		i.opd[0] = opd_reg(pick(g, POOL_32));
		for (int s = 1; s <= i.nsrc; s++)
			i.opd[s] = value(g, T_U32);
		emit(g, i);
	}
}

/* Wide values in parts, and put together again. */
static void parts(Gen *g)
{
	bool wide = has(g, RF_WIDE) && chance(g, 60), four = wide && chance(g, 30);
	int pool = wide ? POOL_64 : POOL_32, part = wide && !four ? POOL_32 : POOL_16, n = four ? 4 : 2;
	bool join = rnd(g, 2);
	Ins i = op(g, join ? wide ? "pack.b64" : "pack.b32" : wide ? "unpack.b64" : "unpack.b32",
		join ? 1 : n, join ? n : 1);
	for (int k = 0; k < n; k++)
		(join ? ins_src(&i, k) : ins_dst(&i, k))[0] = opd_reg(g->pool[part][k % g->npool[part]]);
	(join ? ins_dst(&i, 0) : ins_src(&i, 0))[0] = opd_reg(pick(g, pool));
	if (!join && four) /* no two destinations alike */
		for (int k = 2; k < n; k++)
			*ins_dst(&i, k) = (Opd){ 0 };
	guard(g, &i);
	emit(g, i);
}

static void special(Gen *g)
{
	static const int sregs[] = { SREG_TID_X, SREG_TID_Y, SREG_NTID_X, SREG_NTID_Y, SREG_CTAID_X,
		SREG_CTAID_Y, SREG_NCTAID_X,
		SREG_LANEID, SREG_LANEMASK_LT, SREG_LANEMASK_GE, SREG_WARP_SZ };
	Ins i = op(g, "mov.u32", 1, 1);
	i.opd[0] = opd_reg(pick(g, POOL_32));
	i.opd[1] = (Opd){ OPD_SREG, 0, sregs[rnd(g, sizeof sregs / sizeof *sregs)], 0 };
	guard(g, &i);
	emit(g, i);
}

/* A register that all threads of the block agree on goes on agreeing: all execute this together, on such
   registers. */
static void uniform(Gen *g)
{
	static const char *const ops[] = { "add.u32", "xor.b32", "mul.lo.u32", "sub.u32", "max.u32" };
	Ins i = op(g, ops[rnd(g, 5)], 1, 2);
	i.opd[0] = opd_reg(pick(g, POOL_UNIFORM));
	i.opd[1] = opd_reg(pick(g, POOL_UNIFORM));
	i.opd[2] = rnd(g, 2) ? opd_reg(pick(g, POOL_UNIFORM)) : opd_imm(rnd(g, 1000));
	emit(g, i);
}

void straight(Gen *g, int n)
{
	Steps s = { 0 };
	for (int k = 0; k < n; k++) {
		step_begin(g, &s);
		uint32_t r = rnd(g, 40);
		if (r <= 5 && has(g, RF_CARRY) && rnd(g, 2))
			loose_carry(g);
		else if (r == 0)
			carry(g);
		else if (r == 1)
			parts(g);
		else if (r == 2)
			special(g);
		else if (r <= 4 && g->level == 2)
			uniform(g);
		else
			one(g);
		step_end(g, &s);
	}
}
