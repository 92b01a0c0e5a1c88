#include "tests/isa/variants.h"
#include "tests/isa/reference.h"
#include "isa/verify.h"
#include "lib/strbuf.h"

/* ---- enumeration: suffixes are tried group by group, as text ---- */

typedef struct Walk {
	Op op;
	const char *without;
	void (*f)(const Ins *, void *);
	void *arg;
	char text[128];
	int n;
} Walk;

static bool accepted(const Ins *i)
{
	Diag d = { 0 };
	Verifier v = { .d = &d, .f = &(Function){ .name = "f" }, .b = &(Block){ .label = "b" }, .i = i,
		.m = &(Module){ .name = "m" } };
	bool ok = vf_modifiers(&v);
	diag_free(&d);
	return ok;
}

/* Operands of one side, of which those marked '?' may be left out. */
static int count(const char *side, bool optional)
{
	int n = 0;
	for (; *side && *side != ':'; side++)
		n += *side != '?' && *side != '*' && (side[1] != '?' || optional);
	return n;
}

static void found(Walk *w)
{
	Opd opd[16] = { { 0 } };
	Ins i = { .guard = -1, .opd = opd };
	MnemonicError e;
	if (!mnemonic_parse(w->text, strlen(w->text), &i, &e))
		bug(w->text);
	if (i.op != w->op)
		return;
	const char *s = op_info[w->op].operands;
	i.ndst = (uint16_t)count(s, true);
	i.nsrc = (uint16_t)count(strchr(s, ':') + 1, i.boolop != BOOL_NONE || i.aop == AOP_CAS);
	bool in_parts = op_info[w->op].kind == K_ALU && strchr(s, '*');
	for (int parts = in_parts ? 2 : 1; parts <= (in_parts ? type_bits[i.type] / 8 : 1); parts *= 2) {
		if (in_parts) /* pack, unpack */
			*(s[0] == '*' ? &i.ndst : &i.nsrc) = (uint16_t)parts;
		if (!accepted(&i))
			continue;
		w->f(&i, w->arg);
		w->n++;
	}
}

static void try(Walk *w, const char *groups);
static void with(Walk *w, const char *groups, const char *suffix)
{
	size_t n = strlen(w->text);
	snprintf(w->text + n, sizeof w->text - n, ".%s", suffix);
	try(w, groups);
	w->text[n] = 0;
}

static void try(Walk *w, const char *groups)
{
	if (!*groups) {
		found(w);
		return;
	}
	char group = *groups++;
	if (group == '1' || group == '2') {
		for (int t = 1; t < T_COUNT; t++)
			if (group == '2' || op_info[w->op].types >> t & 1)
				with(w, groups, type_name[t]);
		return;
	}
	try(w, groups);
	for (const Suffix *x = suffix_table; x->name && !strchr(w->without, group); x++)
		if (x->group == group)
			with(w, groups, x->name);
}

int each_variant(Op op, const char *without, void f(const Ins *, void *), void *arg)
{
	Walk w = { .op = op, .without = without, .f = f, .arg = arg };
	snprintf(w.text, sizeof w.text, "%s", op_info[op].name);
	try(&w, op_info[op].suffixes);
	return w.n;
}

const char *variant_name(const Ins *i)
{
	static StrBuf sb;
	sb.n = 0;
	mnemonic_print(i, &sb);
	return sb.s;
}

static Type part(int bits) { return bits == 32 ? T_B32 : bits == 16 ? T_B16 : T_B8; }
Type variant_src(const Ins *i, int k)
{
	return strchr(strchr(op_info[i->op].operands, ':'), '*') ? part(type_bits[i->type] / i->nsrc)
		: ins_src_type(i, k);
}
Type variant_dst(const Ins *i, int k)
{
	return op_info[i->op].operands[0] == '*' ? part(type_bits[i->type] / i->ndst) : ins_dst_type(i, k);
}

/* ---- operands ---- */

static uint64_t below(uint64_t *s, uint64_t n) { return random_next(s) % n; }
static uint64_t bit(int n) { return (uint64_t)1 << n; }

static uint64_t random_int(uint64_t *s, int bits)
{
	uint64_t r = random_next(s);
	switch (below(s, 8)) {
	/* powers of two and their neighbours */
	case 0: return bit((int)(r % (unsigned)bits)) + below(s, 3) - 1;
	case 1: return 0 - bit((int)(r % (unsigned)bits)) + below(s, 3) - 1;
	case 2: return bit(bits - 1) + below(s, 5) - 2;                          /* the signed limits */
	case 3: return below(s, 5) - 2;                                    /* the unsigned limits, -1, 0, 1 */
	case 4: return below(s, 300);                                        /* amounts, positions, lengths */
	case 5: return r >> below(s, 64);
	default: return r;
	}
}

/* A float of the type: fraction bits f, exponent bits e. */
static uint64_t random_float(uint64_t *s, Type t)
{
	int f = t == T_F16 ? 10 : t == T_F32 ? 23 : 52, e = type_bits[t] - 1 - f, bias = (1 << (e - 1)) - 1;
	uint64_t sign = (random_next(s) & 1) << (f + e), fraction = random_next(s) & (bit(f) - 1),
		inf = (bit(e) - 1) << f;
	switch (below(s, 16)) {
	case 0: return sign;
	case 1: return sign | inf;
	case 2: return sign | inf | bit(f - 1) | fraction;                       /* quiet NaN */
	case 3: return sign | inf | (fraction & (bit(f - 1) - 1)) | 1;           /* signalling NaN */
	case 4: return sign | fraction;                                          /* subnormal */
	/* the ends of the subnormals */
	case 5: return sign | (below(s, 2) ? below(s, 3) + 1 : bit(f) + below(s, 3) - 1);
	case 6: return sign | (inf - 1 - below(s, 2));                           /* the largest */
	case 7: return sign | (uint64_t)(bias + (int)below(s, 4) - 2) << f;      /* 1/4 to 2 */
	case 8: return sign | (uint64_t)bias << f | (below(s, 2) ? 1 : bit(f) - 1);
	case 9: return sign | (uint64_t)(1 + below(s, 2 * (uint64_t)bias)) << f; /* powers of two */
	case 10: return random_next(s);
	default: /* near 1, so that sums cancel and functions are in their primary ranges */
		return sign | fraction | (uint64_t)(bias + (int)below(s, e < 8 ? 12 : 40) -
			(e < 8 ? 6 : 20)) << f;
	}
}

uint64_t random_value(uint64_t *s, Type t)
{
	return type_kind[t] == 'F' ? random_float(s, t) : t == T_PRED ? random_next(s) & 1
		: random_int(s, type_bits[t]);
}

static uint64_t float_bits(Type t, double x) /* exact in the type */
{
	uint64_t u = 0;
	float f = (float)x;
	if (t == T_F64)
		memcpy(&u, &x, 8);
	else
		memcpy(&u, &f, 4);
	return u;
}

/* Half way between two neighbours of the narrower format, and next to it. */
static uint64_t half_way(uint64_t *s, Type to, Type from)
{
	uint64_t d = random_float(s, to) & (bit(type_bits[to]) - 1);
	double x = reference_number(to, d), y = reference_number(to, d + 1);
	if (x != x || y != y || isinf(x) || isinf(y) ||
		(from == T_F32 && fabs(x + y) < 0x1p-120 && to != T_F16))
		return random_float(s, from);
	return float_bits(from, x / 2 + y / 2) + below(s, 3) - 1;
}

/* Integers, halves between them and limits of the type as a float; what f16 cannot hold is random. */
static uint64_t near_integer(uint64_t *s, Type to, Type from)
{
	int n = below(s, 3) ? type_bits[to] - (int)below(s, 2) : (int)below(s, 24);
	double x = ldexp((double)(below(s, 5)) - 2, -2) +
		(below(s, 4) ? ldexp(1, n) : (double)below(s, 1000));
	if (from == T_F16)
		return random_float(s, from);
	return float_bits(from, below(s, 2) ? -x : x) + (below(s, 4) ? 0 : below(s, 3) - 1);
}

/* One bit more than the format holds, or next to that. */
static uint64_t tied_integer(uint64_t *s, Type to, Type from)
{
	int precision = to == T_F16 ? 11 : to == T_F32 ? 24 : 53, room = type_bits[from] - precision - 1;
	if (room <= 0)
		return random_int(s, type_bits[from]);
	uint64_t m = (random_next(s) >> (64 - precision) | bit(precision - 1)) << 1 | 1;
	m = (m << below(s, (uint64_t)room)) + below(s, 3) - 1;
	return below(s, 2) ? m : 0 - m;
}

uint64_t random_operand(uint64_t *s, const Ins *i, int k)
{
	static const uint64_t addresses[] = { 0, 0x10000000000, 0x10000000008, 0x100ffffffff, 0x10100000000,
		0x20000000000, 0x200ffffffff,
		0x20100000000, 0x100000000000, 0xffffffffff };
	Type t = variant_src(i, k);
	bool from_float = type_kind[t] == 'F', to_float = type_kind[i->type] == 'F';
	uint64_t v = random_value(s, t);
	if (i->op == OP_LOP3 && k == 3)
		return v & 255;
	if ((i->op == OP_CVTA || i->op == OP_ISSPACEP) && below(s, 2))
		v = addresses[below(s, sizeof addresses / sizeof *addresses)];
	else if (i->op == OP_CVT && below(s, 2) && (from_float || to_float))
		v = !from_float ? tied_integer(s, i->type, t)
			: !to_float || i->rnd >= RND_RNI ? near_integer(s, i->type, t)
			: type_bits[i->type] < type_bits[t] ? half_way(s, i->type, t) : v;
	return t == T_PRED || type_bits[t] == 64 ? v : (v & (bit(type_bits[t]) - 1)) |
		random_next(s) << type_bits[t];
}
