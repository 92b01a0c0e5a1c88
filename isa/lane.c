#include "isa/ir.h"
#include "isa/lane_kernel.h"
#include "isa/softmath.h"

/* Hosts with AVX2, FMA and BMI2 use the functions compiled for them, where configure had these built. */
#ifdef HAVE_LANE_V3
static bool host_is_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		__builtin_cpu_supports("bmi2");
}
#define BEST(NAME, ...) (host_is_v3() ? NAME##_v3(__VA_ARGS__) : NAME##_base(__VA_ARGS__))
#else
#define BEST(NAME, ...) NAME##_base(__VA_ARGS__)
#endif

bool lane_consecutive(const Lanes *L, uint32_t row, bool wide, Mask m, unsigned size)
{
	return BEST(lane_consecutive, L, row, wide, m, size);
}

void lane_load(const Lanes *L, uint32_t row, bool wide, Mask m, const void *at)
{
	BEST(lane_load, L, row, wide, m, at);
}

bool lane_store(const Lanes *L, uint32_t row, bool wide, Mask m, void *at)
{
	return BEST(lane_store, L, row, wide, m, at);
}

bool lane_gather(const Lanes *L, const LaneArea *x, Mask m) { return BEST(lane_gather, L, x, m); }

bool lane_scatter(const Lanes *L, const LaneArea *x, Mask m, bool *changed)
{
	return BEST(lane_scatter, L, x, m, changed);
}

LaneFn *lane_fn(const Ins *i)
{
	LaneFn *fn = NULL;
	const OpInfo *op = &op_info[i->op];
	if (op->kind != K_ALU || (op->types && !(op->types >> i->type & 1)))
		return NULL;
#ifdef HAVE_LANE_V3
	if (host_is_v3()) {
#define X(SET) if (!fn) fn = SET##_v3(i);
		LANE_SETS(X)
#undef X
		return fn;
	}
#endif
#define X(SET) if (!fn) fn = SET##_base(i);
	LANE_SETS(X)
#undef X
	return fn;
}

/* ---- registers wider than the operands: mov and cvt ---- */

/* Runs i->inner on copies of the low halves (rows of 64-bit registers that hold narrower operands), then
   extends the result to the destination's 64 bits. */
static void narrowed(const LaneIns *i, Lanes *L, Mask m)
{
	uint32_t bank[2 * 64 * 2];
	LaneIns in = *i;
	Lanes tmp = { { bank, bank }, L->pred, L->cc, 64 };
	bool wide_a = i->wide & 4, wide_value = type_bits[i->op == OP_CVT ? i->type2 : i->type] == 64;
	for (Mask k = m; k; k &= k - 1) {
		int l = __builtin_ctzll(k);
		if (wide_value)
			((Row64u *)(void *)bank)[l] = ((const Row64u *)lane_row(L, i->a))[l];
		else
			bank[l] = wide_a ? (uint32_t)((const Row64u *)lane_row(L, i->a))[l]
				: row32(L, i->a)[l];
	}
	in.a = 0;
	in.d = 128;
	i->inner(&in, &tmp, m);
	for (Mask k = m; k; k &= k - 1) {
		int l = __builtin_ctzll(k);
		if (type_bits[i->type] == 64)
			((Row64u *)lane_row(L, i->d))[l] = ((Row64u *)(void *)(bank + 128))[l];
		else if (!(i->wide & 1))
			row32(L, i->d)[l] = bank[128 + l];
		else
			((Row64u *)lane_row(L, i->d))[l] = lane_extend((Type)i->type, bank[128 + l]);
	}
}

static bool wider(const Function *f, const Opd *o, Type t)
{
	return f && o->kind == OPD_REG && type_bits[f->reg.v[o->id].type] == 64 && type_bits[t] < 64;
}

static void lane_nothing(const LaneIns *i, Lanes *L, Mask m) { }

bool lane_bind(const Function *f, const Ins *i, LaneIns *out)
{
	*out = (LaneIns){ .fn = lane_fn(i), .d = NO_ROW, .d2 = NO_ROW, .a = NO_ROW, .b = NO_ROW, .c = NO_ROW,
		.e = NO_ROW,
		.mode = i->mode, .mode2 = i->mode2, .type = i->type, .type2 = i->type2, .ftz = i->ftz,
		.sat = i->sat,
		.rnd = i->rnd, .op = i->op };
	if (!out->fn)
		return false;
	bool sink = i->ndst == 1 && ins_dst(i, 0)->kind == OPD_NONE && i->op != OP_UNPACK;
	if (sink && f && !i->cc)
		out->fn = lane_nothing;
	if (i->op == OP_SETP)
		out->mode = i->boolop;
	if (op_info[i->op].suffixes && strchr(op_info[i->op].suffixes, 'C'))
		out->mode2 = i->cc;
	for (int k = 0; k < i->nsrc && k < 3; k++)
		if (ins_src(i, k)->neg)
			out->neg |= (uint8_t)(NEG_A << k);
	if ((i->op == OP_MOV || i->op == OP_CVT) && i->type != T_PRED) {
		if (wider(f, ins_dst(i, 0), (Type)i->type))
			out->wide |= 1;
		if (wider(f, ins_src(i, 0), (Type)(i->op == OP_CVT ? i->type2 : i->type)))
			out->wide |= 4;
		if (out->wide) {
			out->inner = out->fn;
			out->fn = narrowed;
		}
	}
	return true;
}

/* ---- one value at a time ---- */

enum { MOST_PARTS = 8 };

/* Computes one instruction on rows of width 1: source k stands in row 2k, or in bit 0 of predicate k;
   destinations stand behind the sources. */
bool lane_fold(const Ins *i, const uint64_t *src, uint64_t *dst)
{
	uint32_t bank[4 * MOST_PARTS] __attribute__((aligned(8))) = { 0 }, rows[MOST_PARTS];
	Mask pred[2 * MOST_PARTS] = { 0 };
	LaneIns li;
	if (i->nsrc > MOST_PARTS || i->ndst > MOST_PARTS || i->cc || op_info[i->op].flags & OPF_CARRY)
		return false;
	if (!lane_bind(NULL, i, &li))
		return false;
	uint32_t *from[4] = { &li.a, &li.b, &li.c, &li.e };
	for (int k = 0; k < i->nsrc; k++) {
		bool is_pred = i->op != OP_PACK && ins_src_type(i, k) == T_PRED;
		memcpy(bank + 2 * k, &src[k], 8);
		pred[k] = src[k] & 1;
		if (k < 4)
			*from[k] = is_pred ? (uint32_t)k : 2 * (uint32_t)k;
		rows[k] = 2 * (uint32_t)k;
	}
	bool to_pred = i->op != OP_UNPACK && ins_dst_type(i, 0) == T_PRED;
	li.d = to_pred ? MOST_PARTS : 2 * MOST_PARTS;
	li.d2 = to_pred && i->ndst > 1 ? MOST_PARTS + 1 : NO_ROW;
	for (int k = 0; k < i->ndst && i->op == OP_UNPACK; k++)
		rows[k] = 2 * (uint32_t)(MOST_PARTS + k);
	li.rows = rows;
	li.nrows = i->op == OP_PACK ? i->nsrc : i->ndst;
	Lanes lanes = { { bank, bank }, pred, 0, 1 };
	li.fn(&li, &lanes, 1);
	for (int k = 0; k < i->ndst; k++) {
		if (to_pred)
			dst[k] = pred[MOST_PARTS + k] & 1;
		else
			memcpy(&dst[k], bank + 2 * (MOST_PARTS + k), 8);
	}
	return true;
}

uint64_t lane_extend(Type t, uint64_t bits)
{
	switch (t) {
	case T_S8: return (uint64_t)(int64_t)(int8_t)bits;
	case T_S16: return (uint64_t)(int64_t)(int16_t)bits;
	case T_S32: return (uint64_t)(int64_t)(int32_t)bits;
	case T_B8: case T_U8: return (uint8_t)bits;
	case T_B16: case T_U16: case T_F16: return (uint16_t)bits;
	case T_B32: case T_U32: case T_F32: return (uint32_t)bits;
	default: return bits;
	}
}

static uint64_t add_float(Type t, Space space, uint64_t old, uint64_t b)
{
	bool flush = t == T_F32 && space == SP_GLOBAL;
	uint64_t sum = soft_add(t, flush ? soft_flush(t, old) : old, flush ? soft_flush(t, b) : b, RND_RN);
	return flush ? soft_flush(t, sum) : sum;
}

static bool less_typed(Type t, uint64_t x, uint64_t y)
{
	switch (t) {
	case T_S32: return (int32_t)x < (int32_t)y;
	case T_S64: return (int64_t)x < (int64_t)y;
	case T_F32: return bits_f32((uint32_t)x) < bits_f32((uint32_t)y);
	case T_F64: return bits_f64(x) < bits_f64(y);
	default: return x < y;
	}
}

uint64_t lane_atomic(AtomOp op, Type t, Space space, uint64_t old, uint64_t b, uint64_t c)
{
	uint64_t all = type_bits[t] == 64 ? ~(uint64_t)0 : ((uint64_t)1 << type_bits[t]) - 1;
	old &= all, b &= all, c &= all;
	uint64_t v;
	switch (op) {
	case AOP_ADD: v = type_kind[t] == 'F' ? add_float(t, space, old, b) : old + b; break;
	case AOP_MIN: v = less_typed(t, b, old) ? b : old; break;
	case AOP_MAX: v = less_typed(t, old, b) ? b : old; break;
	case AOP_AND: v = old & b; break;
	case AOP_OR: v = old | b; break;
	case AOP_XOR: v = old ^ b; break;
	case AOP_EXCH: v = b; break;
	case AOP_CAS: v = old == b ? c : old; break;
	case AOP_INC: v = old >= b ? 0 : old + 1; break;
	case AOP_DEC: v = old == 0 || old > b ? b : old - 1; break;
	default: v = old; break;
	}
	return v & all;
}

/* PTX ISA, shfl.sync: c holds the clamp value in bits 4..0 and the segment mask in bits 12..8. */
int lane_shfl_source(Mode mode, int lane, uint32_t b, uint32_t c, bool *in_range)
{
	int clamp = c & 31, segment = c >> 8 & 31, offset = b & 31;
	int warp = lane & ~(PTX_WARP - 1), l = lane % PTX_WARP, last = (l & segment) | (clamp & ~segment),
		first = l & segment, from;
	switch (mode) {
	case MODE_UP: from = l - offset; *in_range = from >= last; break;
	case MODE_DOWN: from = l + offset; *in_range = from <= last; break;
	case MODE_BFLY: from = l ^ offset; *in_range = from <= last; break;
	default: from = first | (offset & ~segment); *in_range = from <= last; break;
	}
	return warp + (*in_range ? from : l);
}
