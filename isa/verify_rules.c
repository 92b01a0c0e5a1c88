/* Checks which modifiers an operation carries: which it can carry, and which it cannot do without. */
#include "isa/verify.h"
#include "isa/lane.h"

/* A RULE of isa/ops.def: values: the values that modifiers of the group may have where the operation's type
   is in `types`. */
typedef struct OpRule { uint8_t op; char group; uint32_t types, values; } OpRule;

#define V(X) (1u << (X))
enum {
	NONE = 1, SET = NONE | V(1), ANY_TYPE = 0xffffffffu,
	TS_16_32 = TSET(U16) | TSET(S16) | TSET(U32) | TSET(S32), TS_64 = TSET(U64) | TSET(S64),
	EQUAL = V(CMP_EQ) | V(CMP_NE), ORDER = EQUAL | V(CMP_LT) | V(CMP_LE) | V(CMP_GT) | V(CMP_GE),
	UORDER = ORDER | V(CMP_LO) | V(CMP_LS) | V(CMP_HI) | V(CMP_HS),
	FORDER = ORDER | V(CMP_EQU) | V(CMP_NEU) | V(CMP_LTU) | V(CMP_LEU) | V(CMP_GTU) | V(CMP_GEU) |
	V(CMP_NUM) | V(CMP_NAN),
	HALVES = V(HILO_LO) | V(HILO_HI),
	SPACES = V(SP_GLOBAL) | V(SP_SHARED) | V(SP_LOCAL) | V(SP_CONST) | V(SP_PARAM),
	SCOPES = NONE | V(SCOPE_CTA) | V(SCOPE_CLUSTER) | V(SCOPE_GPU) | V(SCOPE_SYS),
	BITWISE = V(AOP_AND) | V(AOP_OR) | V(AOP_XOR), SWAP = V(AOP_EXCH) | V(AOP_CAS),
	ARITH = V(AOP_ADD) | V(AOP_MIN) | V(AOP_MAX), WRAPPING = V(AOP_INC) | V(AOP_DEC)
};

static const OpRule rules[] = {
#define OP(...)
#define RULE(ID, GROUP, TYPES, VALUES) { OP_##ID, GROUP, TYPES, VALUES },
#include "isa/ops.def"
#undef OP
};
enum { NRULES = sizeof rules / sizeof *rules };

/* The rule for a group of modifiers of an operation with this type, or NULL. *any: the operation has rules
   for the group; if NULL is returned, they are for other types. */
static const OpRule *find_rule(int op, char group, int type, bool *any)
{
	*any = false;
	for (int k = 0; k < NRULES; k++) {
		if (rules[k].op != op || rules[k].group != group)
			continue;
		*any = true;
		if (rules[k].types >> type & 1)
			return &rules[k];
	}
	return NULL;
}

static void list_values(char group, uint32_t values, StrBuf *out)
{
	for (int v = 1; v < 32; v++)
		if (values >> v & 1 && suffix_name(group, v))
			sb_printf(out, " .%s", suffix_name(group, v));
}

static bool flag_group(char group) { return strchr("YLUTNB", group) != NULL; }

/* The type that decides which modifiers of a group are possible: for comparisons of set and .ftz it is that
   of the operands. */
static int deciding_type(const Ins *i, char group)
{
	return (i->op == OP_SET || i->op == OP_SLCT) && (group == 'c' || group == 'f') ? i->type2 : i->type;
}

static bool check_group(Verifier *v, char group)
{
	const Ins *i = v->i;
	bool any;
	int value = ins_modifier(i, group), type = deciding_type(i, group);
	const OpRule *r = find_rule(i->op, group, type, &any);
	if (!any)
		r = find_rule(OP_NONE, group, type, &any);
	if (value && !suffix_name(group, value))
		return vf_fail(v, "has a modifier of a value that there is not");
	if (!any)
		return true;
	uint32_t values = r ? r->values : NONE;
	if (value < 32 && values >> value & 1)
		return true;
	StrBuf sb = { 0 };
	const char *name = suffix_name(group, value);
	if (!value)
		sb_puts(&sb, "needs one of");
	else if (values == NONE)
		sb_printf(&sb, "cannot be .%s with type %s", name ? name : "?",
			type ? type_name[type] : "none");
	else
		sb_printf(&sb, "cannot be .%s here, but%s", name ? name : "?",
			values & NONE ? " nothing or one of" : " one of");
	list_values(group, values & ~1u, &sb);
	vf_fail(v, "%s", sb.s);
	sb_free(&sb);
	return false;
}

static bool list_types(StrBuf *why, const char *what, uint32_t types)
{
	sb_printf(why, "%s one of", what);
	for (int t = 1; t < T_COUNT; t++)
		if (types >> t & 1)
			sb_printf(why, " .%s", type_name[t]);
	return false;
}

static const uint32_t second_types[OP_COUNT] = {
#define OP(...)
#define TYPE2(ID, TYPES) [OP_##ID] = TYPES,
#include "isa/ops.def"
#undef OP
};

bool mnemonic_types(const Ins *i, StrBuf *why)
{
	const char *s = op_info[i->op].suffixes;
	uint32_t types = op_info[i->op].types, second = types;
	if (!strchr(s, '1') ? i->type != T_NONE : !(types >> i->type & 1))
		return list_types(why, i->type ? "has a type that it cannot take; expected" : "needs a type:",
			types);
	if (second_types[i->op])
		second = second_types[i->op];
	if (!strchr(s, '2') ? i->type2 != T_NONE : !(second >> i->type2 & 1))
		return list_types(why, i->type2 ? "has a second type that it cannot take; expected"
			: "needs a second type:", second);
	return true;
}

static bool check_mnemonic_types(Verifier *v)
{
	if (v->i->type >= T_COUNT || v->i->type2 >= T_COUNT)
		return vf_fail(v, "has a type that there is not");
	StrBuf why = { 0 };
	bool ok = mnemonic_types(v->i, &why) || vf_fail(v, "%s", why.s);
	sb_free(&why);
	return ok;
}

/* Checks the rounding of cvt (PTX ISA, cvt). A rounding to an integer belongs to conversions from floating
   point to integer types and may stand in one within one floating-point type; a rounding of the result
   belongs to conversions whose result may be inexact; all others take none. */
static bool check_conversion(Verifier *v)
{
	const Ins *i = v->i;
	bool to = type_kind[i->type] == 'F', from = type_kind[i->type2] == 'F';
	bool integral = i->rnd >= RND_RNI, result = i->rnd && !integral;
	if (i->ftz && i->type != T_F32 && i->type2 != T_F32)
		return vf_fail(v, "cannot be .ftz: neither type is f32");
	if (from && !to)
		return integral || vf_fail(v, "needs one of .rni .rzi .rmi .rpi");
	if ((to && !from) || (to && type_bits[i->type] < type_bits[i->type2]))
		return result || vf_fail(v, "needs one of .rn .rz .rm .rp");
	if (to && i->type == i->type2)
		return !result || vf_fail(v, "rounds to an integer, if at all: .rni .rzi .rmi .rpi");
	return !i->rnd || vf_fail(v, "is exact: it takes no rounding");
}

static bool check_special(Verifier *v)
{
	const Ins *i = v->i;
	if (i->op == OP_CVT && !check_conversion(v))
		return false;
	if (i->sat && (i->op == OP_MAD || i->op == OP_MAD24) && i->type == T_S32 && i->hilo != HILO_HI)
		return vf_fail(v, "can only be .sat with .hi");
	if (i->vec && i->vec * type_bytes(i->type) > 16)
		return vf_fail(v, "accesses more than 16 bytes");
	if (i->op == OP_MATCH && i->mode == MODE_ANY && i->ndst > 1)
		return vf_fail(v, "has a second destination only with .all");
	return true;
}

/* Checks that the instruction has no modifier that is none of its operation's suffixes: text would lose
   it. */
static bool check_foreign(Verifier *v)
{
	if (v->i->flags & ~(INSF_SYNC | INSF_ALIGNED | INSF_UNI | INSF_TO | INSF_NONFAULTING |
		INSF_COOPERATIVE))
		return vf_fail(v, "has a flag that there is not");
	char group = ins_foreign(v->i);
	const char *name = group ? suffix_name(group, ins_modifier(v->i, group)) : NULL;
	return !group || vf_fail(v, "does not take the suffix .%s", name ? name : "?");
}

bool vf_modifiers(Verifier *v)
{
	if (!check_mnemonic_types(v) || !check_foreign(v))
		return false;
	for (const char *g = op_info[v->i->op].suffixes; *g; g++)
		if (*g != '1' && *g != '2' && !flag_group(*g) && !check_group(v, *g))
			return false;
	if (!check_special(v))
		return false;
	if (op_info[v->i->op].kind == K_ALU && !lane_fn(v->i))
		return vf_fail(v, "is not a combination of operation, types and modifiers that gsim can "
			"execute");
	return true;
}
