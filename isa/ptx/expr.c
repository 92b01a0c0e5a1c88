/* Constant expressions, as in array sizes, offsets, operands and initialisers: C's operators on s64, u64 and
 * f64.
 *
 * A number is s64, or u64 with the suffix U or from 2^63 on. Types go as in PTX ISA, "Constant Expressions";
 * where its table says otherwise than ptxas does, this is what ptxas does, since the values are what a GPU
 * would get:
 *
 * 	operator              operands                       result
 * 	+a -a                 any                            a's type
 * 	!a                    integer                        s64
 * 	~a                    integer                        u64
 * 	(.s64)a (.u64)a       integer                        as named
 * 	a * b, / + -          both f64, or integers *        their type
 * 	a % b                 integers, both as u64          u64
 * 	a << b, >>            integers, b modulo 64          a's type: >> of an s64 copies the sign
 * 	a < b, <= > >= == !=  both f64, or integers *        s64
 * 	a & b, ^ |            integers *                     their type
 * 	a && b, ||            integers                       s64
 * 	a ? b : c             a an integer; b and c both     the type of the one that is chosen
 * 	                      f64, or integers
 *
 * Integers *: when one of them is u64, the other is taken as u64. All operands count, evaluated or not: 0 &&
 * 1 / 0 is an error. A 0f literal stands alone, but for signs and parentheses. */
#include "isa/ptx/ptx.h"

enum { DEEPEST = 100 };

static bool ternary(Ptx *p, Const *v, int depth);

static double f64_of(Const v)
{
	double d;
	memcpy(&d, &v.bits, sizeof d);
	return d;
}

static void set_f64(Const *v, double d)
{
	v->type = T_F64;
	memcpy(&v->bits, &d, sizeof d);
}

static void set_int(Const *v, Type t, uint64_t bits) { *v = (Const){ (uint8_t)t, bits }; }

static bool is_int(Const v) { return v.type == T_S64 || v.type == T_U64; }

static bool need_int(Ptx *p, Loc loc, Const v)
{
	return is_int(v) || ptx_error(p, loc, "expected an integer constant, not a floating-point number");
}

/* ---- unary operators ---- */

/* The type of the cast at hand, (.s64) or (.u64); T_NONE: there is no cast. */
static Type cast_at(const Ptx *p)
{
	const PtxToken *t = tok_ahead(p, 1), *end = tok_ahead(p, 2);
	Type type = tok_is(p, '(') && end->kind == TK_PUNCT && end->punct == ')' ? ptx_type_directive(t)
		: T_NONE;
	return type == T_S64 || type == T_U64 ? type : T_NONE;
}

static bool unary(Ptx *p, Loc loc, char op, Const *v)
{
	switch (op) {
	case '+':
		return true;
	case '-':
		if (is_int(*v))
			v->bits = -v->bits;
		else
			v->bits ^= (uint64_t)1 << (type_bits[v->type] - 1);
		return true;
	}
	if (!need_int(p, loc, *v))
		return false;
	if (op == '~')
		set_int(v, T_U64, ~v->bits);
	else
		set_int(v, T_S64, !v->bits);
	return true;
}

static bool literal(Ptx *p, Const *v)
{
	const PtxToken *t = tok(p);
	switch (t->kind) {
	case TK_INT: set_int(v, t->is_unsigned ? T_U64 : T_S64, t->bits); break;
	case TK_F32: *v = (Const){ T_F32, t->bits }; break;
	case TK_F64: *v = (Const){ T_F64, t->bits }; break;
	default:
		if (tok_is_word(p, "WARP_SZ"))
			return ptx_refuse(p, tok_here(p), "WARP_SZ in a constant expression is not supported "
				"by gsim: it is the machine's");
		return ptx_error(p, tok_here(p), "expected a constant, not %s", tok_text(p, t));
	}
	tok_next(p);
	return true;
}

static bool parse_primary(Ptx *p, Const *v, int depth)
{
	const PtxToken *t = tok(p);
	Loc loc = tok_here(p);
	if (depth > DEEPEST)
		return ptx_error(p, loc, "constant expression is nested too deeply");
	Type cast = cast_at(p);
	if (cast) {
		p->at += 3;
		if (!parse_primary(p, v, depth + 1) || !need_int(p, loc, *v))
			return false;
		v->type = (uint8_t)cast;
		return true;
	}
	if (tok_accept(p, '('))
		return ternary(p, v, depth + 1) && tok_expect(p, ')', "in a constant expression");
	if (t->kind == TK_PUNCT && t->punct && strchr("-+~!", t->punct)) {
		tok_next(p);
		return parse_primary(p, v, depth + 1) && unary(p, loc, t->punct, v);
	}
	return literal(p, v);
}

/* ---- binary operators ---- */

/* Operators of one or two characters by precedence, tightest last. */
static const char *const level[] = { "||", "&&", "|", "^", "&", "== !=", "<= >= < >", "<< >>", "+ -",
	"* / %" };
enum { LEVELS = sizeof level / sizeof *level };
#define TWO(A, B) ((A) | (B) << 8) /* the number of an operator of characters A and B, B is 0 if it has one */

/* If the operator at hand is in the list, returns its number, else 0. */
static int operator_at(const Ptx *p, const char *list)
{
	const PtxToken *a = tok(p), *b = tok_ahead(p, 1);
	if (a->kind != TK_PUNCT || !a->punct)
		return 0;
	char op[3] = { a->punct };
	if (b->kind == TK_PUNCT && b->punct && b->line == a->line && b->col == a->col + 1 &&
		strchr("|&=<>", b->punct) && strchr("|&=!<>", a->punct))
		op[1] = b->punct;
	size_t n = strlen(op);
	for (const char *s = list; *s; s += strcspn(s, " "), s += *s == ' ')
		if (!strncmp(s, op, n) && (s[n] == 0 || s[n] == ' '))
			return TWO(op[0], op[1]);
	return 0;
}

/* Applies an operator to floating-point numbers; false: there is no such operator for them. */
static bool apply_f64(int op, Const *v, double a, double b)
{
	switch (op) {
	case '*': set_f64(v, a * b); break;
	case '/': set_f64(v, a / b); break;
	case '+': set_f64(v, a + b); break;
	case '-': set_f64(v, a - b); break;
	case '<': set_int(v, T_S64, a < b); break;
	case '>': set_int(v, T_S64, a > b); break;
	case TWO('<', '='): set_int(v, T_S64, a <= b); break;
	case TWO('>', '='): set_int(v, T_S64, a >= b); break;
	case TWO('=', '='): set_int(v, T_S64, a == b); break;
	case TWO('!', '='): set_int(v, T_S64, a != b); break;
	default: return false;
	}
	return true;
}

static uint64_t quotient(bool is_signed, uint64_t x, uint64_t y)
{
	if (is_signed && y == UINT64_MAX) /* the quotient of -2^63 does not fit */
		return -x;
	return is_signed ? (uint64_t)((int64_t)x / (int64_t)y) : x / y;
}

/* x >> n with copies of the sign, whatever the host's shift does. */
static uint64_t shift_right(bool is_signed, uint64_t x, unsigned n)
{
	return is_signed && x >> 63 ? ~(~x >> n) : x >> n;
}

static void apply_int(int op, Const *v, Const b)
{
	Type t = v->type == T_U64 || b.type == T_U64 ? T_U64 : T_S64, left = (Type)v->type;
	uint64_t x = v->bits, y = b.bits;
	bool s = t == T_S64, less = s ? (int64_t)x < (int64_t)y : x < y;
	switch (op) {
	case '*': set_int(v, t, x * y); break;
	case '/': set_int(v, t, quotient(s, x, y)); break;
	case '%': set_int(v, T_U64, x % y); break;
	case '+': set_int(v, t, x + y); break;
	case '-': set_int(v, t, x - y); break;
	case '&': set_int(v, t, x & y); break;
	case '^': set_int(v, t, x ^ y); break;
	case '|': set_int(v, t, x | y); break;
	case '<': set_int(v, T_S64, less); break;
	case '>': set_int(v, T_S64, !less && x != y); break;
	case TWO('<', '='): set_int(v, T_S64, less || x == y); break;
	case TWO('>', '='): set_int(v, T_S64, !less); break;
	case TWO('=', '='): set_int(v, T_S64, x == y); break;
	case TWO('!', '='): set_int(v, T_S64, x != y); break;
	case TWO('&', '&'): set_int(v, T_S64, x && y); break;
	case TWO('|', '|'): set_int(v, T_S64, x || y); break;
	case TWO('<', '<'): set_int(v, left, x << (y & 63)); break;
	case TWO('>', '>'): set_int(v, left, shift_right(left == T_S64, x, y & 63)); break;
	}
}

static bool apply_operator(Ptx *p, Loc loc, int op, Const *v, Const b)
{
	char text[3] = { (char)(op & 255), (char)(op >> 8) };
	bool ints = is_int(*v) && is_int(b);
	if ((op == '/' || op == '%') && (ints ? !b.bits : b.type == T_F64 && f64_of(b) == 0))
		return ptx_error(p, loc, "division by zero in a constant expression");
	if (ints)
		apply_int(op, v, b);
	else if (v->type == T_F32 || b.type == T_F32)
		return ptx_error(p, loc, "a 0f number cannot be an operand of '%s'; a decimal or 0d number "
			"can", text);
	else if (v->type != b.type)
		return ptx_error(p, loc, "the operands of '%s' are an integer and a floating-point number",
			text);
	else if (!apply_f64(op, v, f64_of(*v), f64_of(b)))
		return ptx_error(p, loc, "the operands of '%s' must be integers", text);
	return true;
}

static bool binary(Ptx *p, Const *v, int l, int depth)
{
	if (l == LEVELS)
		return parse_primary(p, v, depth);
	if (!binary(p, v, l + 1, depth))
		return false;
	for (int op; (op = operator_at(p, level[l])) != 0; ) {
		Loc loc = tok_here(p);
		Const right;
		p->at += op >> 8 ? 2 : 1;
		if (!binary(p, &right, l + 1, depth) || !apply_operator(p, loc, op, v, right))
			return false;
	}
	return true;
}

static bool ternary(Ptx *p, Const *v, int depth)
{
	Const yes, no;
	if (depth > DEEPEST)
		return ptx_error(p, tok_here(p), "constant expression is nested too deeply");
	if (!binary(p, v, 0, depth))
		return false;
	Loc loc = tok_here(p);
	if (!tok_accept(p, '?'))
		return true;
	if (!need_int(p, loc, *v) || !ternary(p, &yes, depth + 1) ||
		!tok_expect(p, ':', "in a constant expression") || !ternary(p, &no, depth + 1))
		return false;
	if (is_int(yes) != is_int(no) || (!is_int(yes) && yes.type != no.type))
		return ptx_error(p, loc, "the operands of '?:' are of different types");
	*v = v->bits ? yes : no;
	return true;
}

bool ptx_constant(Ptx *p, Const *v) { return ternary(p, v, 0); }

bool ptx_const(Ptx *p, int64_t *value)
{
	Const v;
	Loc loc = tok_here(p);
	if (!ptx_constant(p, &v) || !need_int(p, loc, v))
		return false;
	*value = (int64_t)v.bits;
	return true;
}

bool ptx_const_small(Ptx *p, uint64_t limit, uint32_t *value, const char *what)
{
	Const v;
	Loc loc = tok_here(p);
	if (!ptx_constant(p, &v) || !need_int(p, loc, v))
		return false;
	bool negative = v.type == T_S64 && v.bits >> 63;
	if (negative || v.bits > limit)
		return ptx_error(p, loc, "%s must be 0 to %llu, not %s%llu", what, (unsigned long long)limit,
			negative ? "-" : "", (unsigned long long)(negative ? -v.bits : v.bits));
	*value = (uint32_t)v.bits;
	return true;
}
