#include "tests/lane_reference.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

__extension__ typedef __int128 Int;
__extension__ typedef unsigned __int128 UInt;
#define WINDOW_SHARED ((uint64_t)1 << 40)
#define WINDOW_LOCAL ((uint64_t)2 << 40)

static int bits_of(int t) { return type_bits[t]; }
static bool is_signed(int t) { return type_kind[t] == 'S'; }
static bool is_float(int t) { return type_kind[t] == 'F'; }
static uint64_t low(uint64_t v, int bits) { return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1); }

static Int integer(int t, uint64_t v)
{
	v = low(v, bits_of(t));
	return is_signed(t) && v >> (bits_of(t) - 1) ? (Int)v - ((Int)1 << bits_of(t)) : (Int)v;
}
/* An integer as a register of the type keeps it. */
static uint64_t kept(int t, Int v)
{
	uint64_t r = (uint64_t)integer(t, (uint64_t)v);
	return bits_of(t) == 64 ? r : low(r, 32);
}

static double number(int t, uint64_t v)
{
	if (t == T_F64) {
		double d;
		memcpy(&d, &v, 8);
		return d;
	}
	if (t == T_F32) {
		uint32_t u = (uint32_t)v;
		float f;
		memcpy(&f, &u, 4);
		return f;
	}
	int e = (int)(v >> 10 & 31), m = (int)(v & 1023);
	double d = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
	return v & 0x8000 ? -d : d;
}

/* The f16 next to d in the direction of the rounding mode, found among all of them. */
static uint64_t half(double d, Rnd r)
{
	int lo = 0, hi = 0x7c00;
	double m = fabs(d);
	uint64_t sign = signbit(d) ? 0x8000 : 0;
	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;
		if (number(T_F16, (uint64_t)mid) <= m)
			lo = mid;
		else
			hi = mid;
	}
	double below = number(T_F16, (uint64_t)lo), above = hi == 0x7c00 ? 65536 : number(T_F16, (uint64_t)hi);
	if (m == INFINITY)
		return sign | 0x7c00;
	bool up;
	if (m == below)
		return sign | (uint64_t)lo;
	if (r == RND_RZ || (r == RND_RM && !sign) || (r == RND_RP && sign))
		up = false;
	else if (r == RND_RM || r == RND_RP)
		up = true;
	else
		up = m - below > above - m || (m - below == above - m && (lo & 1));
	return sign | (uint64_t)(up ? hi : lo);
}

static uint64_t bits(int t, double d, Rnd r)
{
	if (d != d)
		return t == T_F16 ? 0x7fff : t == T_F32 ? 0x7fffffff : 0xfff8000000000000;
	if (t == T_F16)
		return half(d, r);
	uint64_t v = 0;
	if (t == T_F32) {
		volatile float f = (float)d;
		float g = f;
		memcpy(&v, &g, 4);
	} else {
		memcpy(&v, &d, 8);
	}
	return v;
}

static int fenv_mode(int r)
{
	return r == RND_RZ || r == RND_RZI ? FE_TOWARDZERO : r == RND_RM || r == RND_RMI ? FE_DOWNWARD
		: r == RND_RP || r == RND_RPI ? FE_UPWARD : FE_TONEAREST;
}

static double flushed(const Ins *i, int t, double d)
{
	return i->ftz && t == T_F32 && fabs(d) < 0x1p-126 ? copysign(0, d) : d;
}
static double input(const Ins *i, int t, uint64_t v) { return flushed(i, t, number(t, v)); }
/* .ftz and .sat of a result, then its bits */
static uint64_t output(const Ins *i, int t, double d, Rnd r)
{
	volatile double v = d;
	if (t == T_F32) {
		volatile float f = (float)d;
		v = f;
	}
	v = flushed(i, t, v);
	if (i->sat)
		v = v > 0 ? (v < 1 ? v : 1) : 0;
	return bits(t, v, r);
}

static double compute(const Ins *i, volatile double x, volatile double y, volatile double z)
{
	volatile float a = (float)x, b = (float)y, c = (float)z, f;
	bool wide = i->type == T_F64;
	switch (i->op) {
	case OP_ADD: if (wide) return x + y; f = a + b; return f;
	case OP_SUB: if (wide) return x - y; f = a - b; return f;
	case OP_MUL: if (wide) return x * y; f = a * b; return f;
	case OP_FMA: case OP_MAD: if (wide) return fma(x, y, z); f = fmaf(a, b, c); return f;
	case OP_DIV:
		if (wide) return x / y;
		if (i->approx == APPROX_APPROX) { f = 1.0f / b; f = a * f; return f; }
		f = a / b; return f;
	case OP_RCP: if (wide) return 1 / x; f = 1.0f / a; return f;
	case OP_SQRT: if (wide) return sqrt(x); f = sqrtf(a); return f;
	case OP_RSQRT: if (wide) return 1 / sqrt(x); return 1 / sqrt((double)a);
	case OP_SIN: return sin((double)a);
	case OP_COS: return cos((double)a);
	case OP_EX2: return exp2((double)a);
	case OP_LG2: return log2((double)a);
	case OP_TANH: return tanh((double)a);
	case OP_MIN: case OP_MAX:
		if (x != x) return y;
		if (y != y) return x;
		if (x == y) return (i->op == OP_MIN) == (bool)signbit(x) ? x : y;
		return (i->op == OP_MIN) == (x < y) ? x : y;
	default: return NAN;
	}
}

static bool coarse(const Ins *i, uint64_t v, Expected *e)
{
	double x = number(T_F64, v & ~(uint64_t)0xffffffff);
	if (number(T_F64, v) != number(T_F64, v)) {
		e->d[0] = 0xfff8000000000000;
		return true;
	}
	if (fabs(number(T_F64, v)) < 0x1p-1022)
		x = copysign(0, x);
	double y = i->op == OP_RCP ? 1 / x : 1 / sqrt(x);
	if (fabs(y) < 0x1p-1022)
		y = copysign(0, y);
	e->d[0] = y != y ? 0xfff8000000000000 : bits(T_F64, y, RND_RN) & ~(uint64_t)0xffffffff;
	return true;
}

static bool floating(const Ins *i, const uint64_t *s, Expected *e)
{
	int t = i->type, n = bits_of(t);
	uint64_t top = (uint64_t)1 << (n - 1), a = low(s[0], n), flat = a;
	if (i->ftz && t == T_F32 && !(a & 0x7f800000))
		flat = a & top;
	switch (i->op) {
	case OP_ABS: e->d[0] = flat & ~top; return true;
	case OP_NEG: e->d[0] = flat ^ top; return true;
	case OP_COPYSIGN: e->d[0] = (a & top) | (low(s[1], n) & ~top); return true;
	case OP_RCP: case OP_RSQRT:
		if (t == T_F64 && i->ftz)
			return coarse(i, a, e);
		break;
	case OP_SIN: case OP_COS: case OP_EX2: case OP_LG2: case OP_TANH: e->ulps = 1; break;
	default: break;
	}
	fesetround(fenv_mode(i->rnd));
	volatile double v = compute(i, input(i, t, s[0]), input(i, t, s[1]), input(i, t, s[2]));
	fesetround(FE_TONEAREST);
	e->d[0] = output(i, t, v, RND_RN);
	return true;
}

static Int clamp(int t, Int v)
{
	Int most = is_signed(t) ? ((Int)1 << (bits_of(t) - 1)) - 1 : ((Int)1 << bits_of(t)) - 1;
	Int least = is_signed(t) ? -most - 1 : 0;
	return v < least ? least : v > most ? most : v;
}

static double rounded_integral(double x, Rnd r)
{
	switch (r) {
	case RND_RN: case RND_RNI: return nearbyint(x);
	case RND_RM: case RND_RMI: return floor(x);
	case RND_RP: case RND_RPI: return ceil(x);
	default: return trunc(x);
	}
}

static bool convert(const Ins *i, const uint64_t *s, Expected *e)
{
	int t = i->type, from = i->type2;
	if (!is_float(from)) {
		Int v = integer(from, s[0]);
		if (!is_float(t)) {
			e->d[0] = kept(t, i->sat ? clamp(t, v) : v);
			return true;
		}
		volatile double d;
		fesetround(fenv_mode(i->rnd));
		if (t == T_F32) {
			volatile int64_t sv = (int64_t)v;
			volatile uint64_t uv = (uint64_t)v;
			volatile float f = is_signed(from) ? (float)sv : (float)uv;
			d = f;
		} else if (t == T_F64) {
			volatile int64_t sv = (int64_t)v;
			volatile uint64_t uv = (uint64_t)v;
			d = is_signed(from) ? (double)sv : (double)uv;
		} else {
			d = v > 70000 ? 70000 : v < -70000 ? -70000 : (double)(int64_t)v;
		}
		fesetround(FE_TONEAREST);
		if (t == T_F16) { /* overflow goes to infinity or the largest number */
			uint64_t h = half(d, i->rnd);
			d = number(T_F16, h);
		}
		e->d[0] = output(i, t, d, RND_RN);
		return true;
	}
	double x = input(i, from, low(s[0], bits_of(from)));
	if (!is_float(t)) {
		if (x != x)
			x = 0;
		x = rounded_integral(x, i->rnd);
		e->d[0] = kept(t, x >= 0x1p65 ? clamp(t, (Int)1 << 66) : x <= -0x1p65 ? clamp(t, -((Int)1 << 66)) : clamp(t, (Int)x));
		return true;
	}
	if (i->rnd >= RND_RNI)
		x = rounded_integral(x, i->rnd);
	Rnd r = i->rnd >= RND_RNI ? RND_RN : i->rnd;
	if (t == T_F16) {
		if (i->sat)
			x = x > 0 ? (x < 1 ? x : 1) : 0;
		e->d[0] = bits(T_F16, x, r);
		return true;
	}
	volatile double v = x;
	if (t == T_F32) {
		fesetround(fenv_mode(r));
		volatile float f = (float)v;
		v = f;
		fesetround(FE_TONEAREST);
	}
	e->d[0] = output(i, t, v, RND_RN);
	return true;
}

static bool compare(int cmp, int t, const Ins *i, uint64_t a, uint64_t b)
{
	if (is_float(t)) {
		double x = input(i, t, low(a, bits_of(t))), y = input(i, t, low(b, bits_of(t)));
		bool nan = x != x || y != y;
		switch (cmp) {
		case CMP_EQ: return !nan && x == y;
		case CMP_NE: return !nan && x != y;
		case CMP_LT: return !nan && x < y;
		case CMP_LE: return !nan && x <= y;
		case CMP_GT: return !nan && x > y;
		case CMP_GE: return !nan && x >= y;
		case CMP_EQU: return nan || x == y;
		case CMP_NEU: return nan || x != y;
		case CMP_LTU: return nan || x < y;
		case CMP_LEU: return nan || x <= y;
		case CMP_GTU: return nan || x > y;
		case CMP_GEU: return nan || x >= y;
		case CMP_NUM: return !nan;
		default: return nan;
		}
	}
	Int x = integer(t, a), y = integer(t, b);
	uint64_t u = low(a, bits_of(t)), v = low(b, bits_of(t));
	switch (cmp) {
	case CMP_EQ: return x == y;
	case CMP_NE: return x != y;
	case CMP_LT: return x < y;
	case CMP_LE: return x <= y;
	case CMP_GT: return x > y;
	case CMP_GE: return x >= y;
	case CMP_LO: return u < v;
	case CMP_LS: return u <= v;
	case CMP_HI: return u > v;
	default: return u >= v;
	}
}

static bool comparison(const Ins *i, const uint64_t *s, Expected *e)
{
	if (i->op == OP_SET) {
		bool yes = compare(i->cmp, i->type2, i, s[0], s[1]);
		e->d[0] = !yes ? 0 : i->type == T_F32 ? 0x3f800000 : 0xffffffff;
		return true;
	}
	if (i->op == OP_TESTP) {
		double x = number(i->type, low(s[0], bits_of(i->type)));
		int c = fpclassify(x);
		if (i->type == T_F32 && c == FP_NORMAL && fabs(x) < 0x1p-126)
			c = FP_SUBNORMAL;
		bool r[] = { c != FP_NAN && c != FP_INFINITE, c == FP_INFINITE, c != FP_NAN, c == FP_NAN,
			c == FP_NORMAL || c == FP_ZERO, c == FP_SUBNORMAL };
		e->d[0] = r[i->mode - MODE_FINITE];
		return true;
	}
	bool p = compare(i->cmp, i->type, i, s[0], s[1]), q = !p, c = s[2] & 1;
	if (i->boolop == BOOL_AND)
		p = p && c, q = q && c;
	else if (i->boolop == BOOL_OR)
		p = p || c, q = q || c;
	else if (i->boolop == BOOL_XOR)
		p = p != c, q = q != c;
	e->d[0] = p;
	e->d[1] = q;
	return true;
}

static Int half_of(const Ins *i, Int product)
{
	return i->hilo == HILO_HI ? product >> bits_of(i->type) : product;
}

static void chain(int t, UInt a, UInt b, int in, bool minus, Expected *e)
{
	UInt sum = minus ? a - b - (unsigned)in : a + b + (unsigned)in;
	e->carry = sum >> bits_of(t) & 1;
	e->d[0] = kept(t, (Int)(uint64_t)sum);
}

static Int low24(int t, Int a) { a &= 0xffffff; return is_signed(t) && a >> 23 ? a - (1 << 24) : a; }
static Int product24(const Ins *i, Int a, Int b)
{
	Int p = low24(i->type, a) * low24(i->type, b);
	return i->hilo == HILO_HI ? p >> 16 : p;
}

static bool arithmetic(const Ins *i, const uint64_t *s, bool in, Expected *e)
{
	int t = i->type;
	Int a = integer(t, s[0]), b = integer(t, s[1]), c = integer(t, s[2]), v;
	UInt ua = low(s[0], bits_of(t)), ub = low(s[1], bits_of(t)), uc = low(s[2], bits_of(t));
	UInt uhalf = low((uint64_t)half_of(i, t == T_U64 ? (Int)0 : a * b), bits_of(t));
	if (t == T_U64)
		uhalf = i->hilo == HILO_HI ? (ua * ub) >> 64 : (UInt)(uint64_t)(ua * ub);
	int wide = i->hilo == HILO_WIDE ? (int)type_widened((Type)t) : t;
	switch (i->op) {
	case OP_ADD: if (i->cc) { chain(t, ua, ub, 0, false, e); return true; } v = a + b; break;
	case OP_SUB: if (i->cc) { chain(t, ua, ub, 0, true, e); return true; } v = a - b; break;
	case OP_ADDC: chain(t, ua, ub, in, false, e); return true;
	case OP_SUBC: chain(t, ua, ub, in, true, e); return true;
	case OP_MADC: chain(t, uhalf, uc, in, false, e); return true;
	case OP_MUL: v = t == T_U64 ? (Int)uhalf : half_of(i, a * b); break;
	case OP_MAD:
		if (i->cc) { chain(t, uhalf, uc, 0, false, e); return true; }
		v = (t == T_U64 ? (Int)uhalf : half_of(i, a * b)) + integer(wide, s[2]);
		break;
	case OP_MUL24: v = product24(i, a, b); break;
	case OP_MAD24: v = product24(i, a, b) + c; break;
	case OP_SAD: v = c + (a > b ? a - b : b - a); break;
	case OP_DIV: v = b ? a / b : -1; break;
	case OP_REM: v = b ? a % b : a; break;
	case OP_ABS: v = a < 0 ? -a : a; break;
	case OP_NEG: v = -a; break;
	case OP_MIN: v = a < b ? a : b; break;
	case OP_MAX: v = a > b ? a : b; break;
	default: return false;
	}
	e->d[0] = kept(wide, i->sat ? clamp(t, v) : v);
	return true;
}

static uint64_t field(int t, uint64_t a, unsigned pos, unsigned len)
{
	int n = bits_of(t), msb = n - 1;
	unsigned top = pos + len - 1;
	uint64_t d = 0, sign = !is_signed(t) || !len ? 0 : a >> (top < (unsigned)msb ? top : (unsigned)msb) & 1;
	for (unsigned k = 0; k < (unsigned)n; k++)
		d |= (k < len && pos + k <= (unsigned)msb ? a >> (pos + k) & 1 : sign) << k;
	return d;
}

static uint64_t merged(int n, uint64_t a, uint64_t b, unsigned pos, unsigned len)
{
	for (unsigned k = 0; k < len && pos + k < (unsigned)n; k++)
		b = (b & ~((uint64_t)1 << (pos + k))) | (a >> k & 1) << (pos + k);
	return b;
}

static uint64_t permuted(const Ins *i, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t both = (uint64_t)b << 32 | a, d = 0;
	for (int k = 0; k < 4; k++) {
		int m = (int)(c & 3), n;
		switch (i->mode) { /* PTX ISA, prmt: what each mode picks for byte k */
		case MODE_F4E: n = m + k; break;
		case MODE_B4E: n = (m - k) & 7; break;
		case MODE_RC8: n = m; break;
		case MODE_ECL: n = k > m ? k : m; break;
		case MODE_ECR: n = k < m ? k : m; break;
		case MODE_RC16: n = (m & 1) * 2 + (k & 1); break;
		default: n = (int)(c >> (4 * k) & 15); break;
		}
		uint64_t byte = both >> (8 * (n & 7)) & 255;
		if (n & 8)
			byte = byte & 128 ? 255 : 0;
		d |= byte << (8 * k);
	}
	return d;
}

static bool bit_op(const Ins *i, const uint64_t *s, Expected *e)
{
	int t = i->type, n = bits_of(t), k;
	uint64_t a = low(s[0], n), b = low(s[1], n), d = 0, both = (s[1] & 0xffffffff) << 32 | (s[0] & 0xffffffff);
	uint32_t amount = (uint32_t)s[1], third = (uint32_t)s[2];
	switch (i->op) {
	case OP_AND: d = a & b; break;
	case OP_OR: d = a | b; break;
	case OP_XOR: d = a ^ b; break;
	case OP_NOT: d = ~a; break;
	case OP_CNOT: d = !a; break;
	case OP_POPC: for (k = 0; k < n; k++) d += a >> k & 1; break;
	case OP_CLZ: for (k = n - 1; k >= 0 && !(a >> k & 1); k--) d++; break;
	case OP_BREV: for (k = 0; k < n; k++) d |= (a >> k & 1) << (n - 1 - k); break;
	case OP_BFIND:
		if (is_signed(t) && a >> (n - 1))
			a = low(~a, n);
		for (k = n - 1; k >= 0 && !(a >> k & 1); k--)
			;
		e->d[0] = k < 0 ? 0xffffffff : i->mode2 == MODE2_SHIFTAMT ? (uint64_t)(n - 1 - k) : (uint64_t)k;
		return true;
	case OP_SHL: d = amount < (uint32_t)n ? a << amount : 0; break;
	case OP_SHR: d = (uint64_t)(integer(t, a) >> (amount < (uint32_t)n ? amount : (uint32_t)n)); break;
	case OP_BFE: d = field(t, a, amount & 255, third & 255); break;
	case OP_BFI: d = merged(n, a, b, third & 255, s[3] & 255); break;
	case OP_PRMT: d = permuted(i, (uint32_t)s[0], (uint32_t)s[1], third); break;
	case OP_LOP3: for (k = 0; k < 32; k++) d |= (s[3] >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (third >> k & 1)) & 1) << k; break;
	case OP_SHF:
		k = i->mode2 == MODE2_WRAP ? (int)(third & 31) : third < 32 ? (int)third : 32;
		d = i->mode == MODE_L ? (uint64_t)(((UInt)both << k) >> 32) : both >> k;
		d = (uint32_t)d;
		break;
	default: return false;
	}
	e->d[0] = t == T_PRED ? d & 1 : i->op == OP_POPC || i->op == OP_CLZ ? d : kept(t, (Int)low(d, n));
	return true;
}

static bool move(const Ins *i, const uint64_t *s, Expected *e)
{
	int t = i->type, n = bits_of(t);
	uint64_t a = s[0];
	switch (i->op) {
	case OP_MOV: break;
	case OP_SELP: a = s[2] & 1 ? s[0] : s[1]; break;
	case OP_SLCT: {
		bool yes = i->type2 == T_S32 ? (int32_t)s[2] >= 0 : input(i, T_F32, low(s[2], 32)) >= 0;
		a = yes ? s[0] : s[1];
		break;
	}
	case OP_PACK:
		a = 0;
		for (int k = 0; k < i->nsrc; k++)
			a |= low(s[k], n / i->nsrc) << (k * (n / i->nsrc));
		break;
	case OP_UNPACK:
		for (int k = 0; k < i->ndst; k++)
			e->d[k] = low(s[0] >> (k * (n / i->ndst)), n / i->ndst);
		return true;
	case OP_CVTA: {
		uint64_t window = i->space == SP_SHARED ? WINDOW_SHARED : i->space == SP_LOCAL ? WINDOW_LOCAL : 0;
		a = i->flags & INSF_TO ? s[0] - window : s[0] + window;
		break;
	}
	case OP_ISSPACEP: {
		bool shared = s[0] >> 32 == WINDOW_SHARED >> 32, local = s[0] >> 32 == WINDOW_LOCAL >> 32;
		e->d[0] = i->space == SP_SHARED ? shared : i->space == SP_LOCAL ? local : !shared && !local;
		return true;
	}
	case OP_DP4A: {
		Int sum = (uint32_t)s[2];
		int ta = is_signed(i->type) ? T_S8 : T_U8, tb = is_signed(i->type2) ? T_S8 : T_U8;
		for (int k = 0; k < 4; k++)
			sum += integer(ta, s[0] >> (8 * k)) * integer(tb, s[1] >> (8 * k));
		e->d[0] = (uint32_t)sum;
		return true;
	}
	default: return false;
	}
	e->d[0] = t == T_PRED ? a & 1 : is_float(t) ? low(a, n) : kept(t, (Int)low(a, n));
	return true;
}

bool lane_expect(const Ins *i, const uint64_t s[8], bool carry_in, Expected *e)
{
	*e = (Expected){ .carry = carry_in };
	switch (i->op) {
	case OP_CVT: return convert(i, s, e);
	case OP_SETP: case OP_SET: case OP_TESTP: return comparison(i, s, e);
	default: break;
	}
	if (move(i, s, e) || bit_op(i, s, e))
		return true;
	return is_float(i->type) ? floating(i, s, e) : arithmetic(i, s, carry_in, e);
}
