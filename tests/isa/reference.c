/* Which part of the reference describes which operation, and how results are compared. */
#include "tests/isa/reference.h"

#define INT "9.7.1 Integer Arithmetic Instructions: "
#define EXT "9.7.2 Extended-Precision Integer Arithmetic Instructions: "
#define FLT "9.7.3 Floating-Point Instructions: "
#define CMP "9.7.6 Comparison and Selection Instructions: "
#define BIT "9.7.8 Logic and Shift Instructions: "
#define DAT "9.7.9 Data Movement and Conversion Instructions: "

/* By mnemonic. A row serves integer and untyped forms, floating-point forms, or both. */
static const struct { const char *name; RefFn *integer, *floating; const char *section; } rows[] = {
	{ "add", ref_int_arith, ref_float_arith, INT "add; " EXT "add.cc; " FLT "add" },
	{ "sub", ref_int_arith, ref_float_arith, INT "sub; " EXT "sub.cc; " FLT "sub" },
	{ "mul", ref_int_arith, ref_float_arith, INT "mul; " FLT "mul" },
	{ "mad", ref_int_arith, ref_float_arith, INT "mad; " EXT "mad.cc; " FLT "mad" },
	{ "fma", NULL, ref_float_arith, FLT "fma" },
	{ "mul24", ref_mad24, NULL, INT "mul24" }, { "mad24", ref_mad24, NULL, INT "mad24" },
	{ "sad", ref_sad, NULL, INT "sad" },
	{ "div", ref_div_int, ref_float_div, INT "div; " FLT "div" }, { "rem", ref_div_int, NULL, INT "rem" },
	{ "abs", ref_sign_int, ref_sign_float, INT "abs; " FLT "abs" },
	{ "neg", ref_sign_int, ref_sign_float, INT "neg; " FLT "neg" },
	{ "min", ref_minmax_int, ref_minmax_float, INT "min; " FLT "min" },
	{ "max", ref_minmax_int, ref_minmax_float, INT "max; " FLT "max" },
	{ "addc", ref_chain, NULL, EXT "addc" }, { "subc", ref_chain, NULL, EXT "subc" },
	{ "madc", ref_chain, NULL, EXT "madc" },
	{ "popc", ref_popc, NULL, INT "popc" }, { "clz", ref_clz, NULL, INT "clz" },
	{ "bfind", ref_bfind, NULL, INT "bfind" },
	{ "fns", ref_fns, NULL, INT "fns" }, { "brev", ref_brev, NULL, INT "brev" },
	{ "bfe", ref_bfe, NULL, INT "bfe" },
	{ "bfi", ref_bfi, NULL, INT "bfi" }, { "szext", ref_szext, NULL, INT "szext" },
	{ "bmsk", ref_bmsk, NULL, INT "bmsk" },
	{ "dp4a", ref_dp, NULL, INT "dp4a" }, { "dp2a", ref_dp, NULL, INT "dp2a" },
	{ "rcp", NULL, ref_rcp, FLT "rcp, rcp.approx.ftz.f64" }, { "sqrt", NULL, ref_sqrt, FLT "sqrt" },
	{ "rsqrt", NULL, ref_rsqrt, FLT "rsqrt, rsqrt.approx.ftz.f64" },
	{ "sin", NULL, ref_function, FLT "sin" },
	{ "cos", NULL, ref_function, FLT "cos" }, { "lg2", NULL, ref_function, FLT "lg2" },
	{ "ex2", NULL, ref_function, FLT "ex2" },
	{ "tanh", NULL, ref_function, FLT "tanh" }, { "testp", NULL, ref_testp, FLT "testp" },
	{ "copysign", NULL, ref_copysign, FLT "copysign" },
	{ "set", ref_set, ref_set, CMP "set" }, { "setp", ref_setp, ref_setp, CMP "setp" },
	{ "selp", ref_selp, ref_selp, CMP "selp" },
	{ "slct", ref_slct, ref_slct, CMP "slct" },
	{ "and", ref_logic, NULL, BIT "and" }, { "or", ref_logic, NULL, BIT "or" },
	{ "xor", ref_logic, NULL, BIT "xor" },
	{ "not", ref_logic, NULL, BIT "not" }, { "cnot", ref_cnot, NULL, BIT "cnot" },
	{ "lop3", ref_lop3, NULL, BIT "lop3" },
	{ "shl", ref_shift, NULL, BIT "shl" }, { "shr", ref_shift, NULL, BIT "shr" },
	{ "shf", ref_shf, NULL, BIT "shf" },
	{ "mov", ref_mov, ref_mov, DAT "mov" }, { "pack", ref_pack, NULL,
		DAT "mov (of a vector to a scalar)" },
	{ "unpack", ref_unpack, NULL, DAT "mov (of a scalar to a vector)" },
	{ "prmt", ref_prmt, NULL, DAT "prmt" },
	{ "cvt", ref_cvt, ref_cvt, DAT "cvt" }, { "cvta", ref_cvta, NULL, DAT "cvta" },
	{ "isspacep", ref_isspacep, NULL, DAT "isspacep" },
};

static int row_of(const Ins *i)
{
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (!strcmp(rows[k].name, op_info[i->op].name) &&
			(float_type(i->type) ? rows[k].floating : rows[k].integer))
			return (int)k;
	return -1;
}

const char *reference_section(const Ins *i)
{
	int k = row_of(i);
	return k < 0 ? NULL : rows[k].section;
}

void reference_alu(const Ins *i, const uint64_t src[8], bool carry_in, Expected *e)
{
	int k = row_of(i);
	*e = (Expected){ .carry = carry_in };
	(float_type(i->type) ? rows[k].floating : rows[k].integer)(&(Ref){ i, src, carry_in, e });
}

bool reference_accepts(const Ins *i, const Expected *e, int k, uint64_t got)
{
	if (!e->approximate)
		return got == e->d[k];
	double x = reference_number(i->type, got);
	if (isinf(x) && i->type == T_F32)
		x = copysign(0x1p128, x); /* what overflows would be no less */
	if (got & (((uint64_t)1 << e->zeros) - 1))
		return false;
	if (e->may_flush && x == 0)
		return signbit(x) == signbit(e->exact);
	return x == e->exact || fabs(x - e->exact) <= e->error;
}
