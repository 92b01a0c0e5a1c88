/* Integer constant expressions: C's operators on 64-bit values, as in array sizes, offsets and initialisers. */
#include "isa/ptx/ptx.h"

enum { DEEPEST = 100 };

static bool ternary(Ptx *p, int64_t *v, int depth);

static bool primary(Ptx *p, int64_t *v, int depth)
{
	const Token *t = tok(p);
	if (depth > DEEPEST)
		return ptx_error(p, tok_here(p), "constant expression is nested too deeply");
	if (tok_accept(p, '('))
		return ternary(p, v, depth + 1) && tok_expect(p, ')', "in a constant expression");
	if (t->kind == TK_INT) {
		*v = (int64_t)t->bits;
		tok_next(p);
		return true;
	}
	if (t->kind == TK_PUNCT && t->punct && strchr("-+~!", t->punct)) {
		tok_next(p);
		if (!primary(p, v, depth + 1))
			return false;
		switch (t->punct) {
		case '-': *v = (int64_t)-(uint64_t)*v; break;
		case '~': *v = ~*v; break;
		case '!': *v = !*v; break;
		}
		return true;
	}
	return ptx_error(p, tok_here(p), "expected an integer constant, not %s", tok_text(p, t));
}

/* Operators of one or two characters by precedence, tightest last. */
static const char *const level[] = { "||", "&&", "|", "^", "&", "== !=", "<= >= < >", "<< >>", "+ -", "* / %" };
enum { LEVELS = sizeof level / sizeof *level };

/* The operator at hand when it is in the list: its characters in op[], the count returned; else 0. */
static int operator_at(const Ptx *p, const char *list, char op[2])
{
	const Token *a = tok(p), *b = tok_ahead(p, 1);
	if (a->kind != TK_PUNCT)
		return 0;
	op[0] = a->punct;
	op[1] = b->kind == TK_PUNCT && b->line == a->line && b->col == a->col + 1 ? b->punct : 0;
	if (op[1] && strchr("|&=<>", op[1]) && strchr("|&=!<>", op[0])) {
		char two[3] = { op[0], op[1], 0 };
		const char *at = strstr(list, two);
		return at && (at == list || at[-1] == ' ') ? 2 : 0;
	}
	op[1] = 0;
	for (const char *s = list; *s; s++)
		if (*s == op[0] && (s[1] == 0 || s[1] == ' ') && (s == list || s[-1] == ' '))
			return 1;
	return 0;
}

static bool apply(Ptx *p, Loc loc, const char op[2], int64_t *a, int64_t b)
{
	uint64_t x = (uint64_t)*a, y = (uint64_t)b;
	switch (op[0] | (op[1] << 8)) {
	case '|' | '|' << 8: *a = *a || b; break;
	case '&' | '&' << 8: *a = *a && b; break;
	case '|': *a = *a | b; break;
	case '^': *a = *a ^ b; break;
	case '&': *a = *a & b; break;
	case '=' | '=' << 8: *a = *a == b; break;
	case '!' | '=' << 8: *a = *a != b; break;
	case '<' | '=' << 8: *a = *a <= b; break;
	case '>' | '=' << 8: *a = *a >= b; break;
	case '<': *a = *a < b; break;
	case '>': *a = *a > b; break;
	case '<' | '<' << 8: *a = y > 63 ? 0 : (int64_t)(x << y); break;
	case '>' | '>' << 8: *a = y > 63 ? (*a < 0 ? -1 : 0) : *a >> y; break;
	case '+': *a = (int64_t)(x + y); break;
	case '-': *a = (int64_t)(x - y); break;
	case '*': *a = (int64_t)(x * y); break;
	default:
		if (b == 0)
			return ptx_error(p, loc, "division by zero in a constant expression");
		if (b == -1)
			*a = op[0] == '/' ? (int64_t)(0 - x) : 0;
		else
			*a = op[0] == '/' ? *a / b : *a % b;
	}
	return true;
}

static bool binary(Ptx *p, int64_t *v, int l, int depth)
{
	if (l == LEVELS)
		return primary(p, v, depth);
	if (!binary(p, v, l + 1, depth))
		return false;
	char op[2];
	int n;
	while ((n = operator_at(p, level[l], op)) != 0) {
		Loc loc = tok_here(p);
		int64_t right;
		while (n--)
			tok_next(p);
		if (!binary(p, &right, l + 1, depth) || !apply(p, loc, op, v, right))
			return false;
	}
	return true;
}

static bool ternary(Ptx *p, int64_t *v, int depth)
{
	if (depth > DEEPEST)
		return ptx_error(p, tok_here(p), "constant expression is nested too deeply");
	if (!binary(p, v, 0, depth))
		return false;
	if (!tok_accept(p, '?'))
		return true;
	int64_t yes, no;
	if (!ternary(p, &yes, depth + 1) || !tok_expect(p, ':', "in a constant expression") || !ternary(p, &no, depth + 1))
		return false;
	*v = *v ? yes : no;
	return true;
}

bool ptx_const(Ptx *p, int64_t *v) { return ternary(p, v, 0); }

bool ptx_const_small(Ptx *p, uint64_t limit, uint32_t *value, const char *what)
{
	Loc loc = tok_here(p);
	int64_t v;
	if (!ptx_const(p, &v))
		return false;
	if (v < 0 || (uint64_t)v > limit)
		return ptx_error(p, loc, "%s must be 0 to %llu, not %lld", what, (unsigned long long)limit, (long long)v);
	*value = (uint32_t)v;
	return true;
}
