#include "isa/text_reader.h"
#include <string.h>

int rd_register(Reader *r, const Token *t)
{
	int id = edit_find_reg(&r->edit, t->s, t->n);
	if (id >= 0)
		return id;
	int n = r->f->reg.n > 2000 ? 2000 : r->f->reg.n;
	const char **names = xcalloc((size_t)(n + SREG_COUNT), sizeof *names);
	for (int k = 0; k < n; k++)
		names[k] = r->f->reg.v[k].name;
	memcpy(names + n, sreg_name, sizeof sreg_name);
	rd_unknown(r, t, "register", names, n + SREG_COUNT);
	free(names);
	return -1;
}

bool rd_predicate(Reader *r, Opd *o)
{
	bool neg = rd_accept(r, '!');
	Token t = r->tok;
	if (!rd_expect(r, TK_REG, "a predicate register, %p"))
		return false;
	int id = rd_register(r, &t);
	*o = opd_reg(id);
	o->neg = neg;
	if (id >= 0 && r->f->reg.v[id].type != T_PRED && r->f->reg.v[id].type != T_NONE)
		return rd_fail(r, &t, "%.*s is no predicate but %s", t.n > 60 ? 60 : (int)t.n, t.s,
			type_name[r->f->reg.v[id].type]);
	return id >= 0;
}

bool rd_operands_end(const Reader *r)
{
	return rd_at(r, TK_NL) || rd_at(r, TK_END) || rd_at(r, '}') || rd_at_mark(r);
}

/* ---- one operand ---- */

static bool fail_unknown_name(Reader *r, const Token *t)
{
	const char **names = NULL;
	int n = 0, most = r->f->param.n + r->m->symbol.n + r->m->func.n;
	names = xcalloc((size_t)most, sizeof *names);
	for (int k = 0; k < r->f->param.n; k++)
		names[n++] = r->f->param.v[k].name;
	for (int k = 0; k < r->m->symbol.n; k++)
		if (r->m->symbol.v[k]->owner < 0 || r->m->symbol.v[k]->owner == r->f->id)
			names[n++] = r->m->symbol.v[k]->name;
	for (int k = 0; k < r->m->func.n; k++)
		names[n++] = r->m->func.v[k]->name;
	rd_unknown(r, t, "parameter, variable or function", names, n);
	free(names);
	return false;
}

static bool read_named(Reader *r, Opd *o)
{
	Token t = r->tok;
	*o = rd_find_name(r, t.s, t.n);
	if (o->kind == OPD_NONE)
		return fail_unknown_name(r, &t);
	rd_next(r);
	return o->kind == OPD_FUNC || rd_offset(r, &o->imm);
}

static bool register_or_special(Reader *r, Opd *o)
{
	Token t = r->tok;
	int special = t.quoted ? -1 : sreg_lookup(t.s, t.n);
	rd_next(r);
	if (special >= 0) {
		*o = (Opd){ OPD_SREG, 0, special, 0 };
		return true;
	}
	int id = rd_register(r, &t);
	*o = opd_reg(id);
	return id >= 0;
}

static bool read_operand(Reader *r, Type type, Opd *o)
{
	*o = (Opd){ 0 };
	switch (r->tok.kind) {
	case '!':
		return rd_predicate(r, o);
	case TK_REG:
		return register_or_special(r, o);
	case TK_STRING: {
		*o = (Opd){ OPD_STR, 0, rd_string(r, arena_strndup(&r->m->arena, r->tok.s, r->tok.n)), 0 };
		rd_next(r);
		return true;
	}
	case TK_NAME:
		if (rd_accept_word(r, "_"))
			return true;
		if (rd_accept_word(r, "WARP_SZ")) {
			*o = (Opd){ OPD_SREG, 0, SREG_WARP_SZ, 0 };
			return true;
		}
		if (!rd_word(r, "inf") && !rd_word(r, "nan"))
			return read_named(r, o);
	}
	o->kind = OPD_IMM;
	return rd_immediate(r, type, &o->imm);
}

static bool read_address_opd(Reader *r, Opd *o)
{
	if (!rd_expect(r, '[', "'[' and an address"))
		return false;
	Token t = r->tok;
	bool ok;
	if (rd_at(r, TK_REG))
		ok = register_or_special(r, o) && rd_offset(r, &o->imm);
	else
		ok = read_operand(r, T_U64, o);
	if (ok && o->kind != OPD_REG && o->kind != OPD_SYM && o->kind != OPD_PARAM && o->kind != OPD_IMM)
		return rd_fail(r, &t, "an address is a register, variable, parameter or number, each with an "
			"offset");
	return ok && rd_expect(r, ']', "']'");
}

/* ---- sources ---- */

static bool push_opd(Reader *r, Opd o)
{
	if (r->opd.n >= OPERAND_LIMIT)
		return rd_fail(r, &r->tok, "more than %d operands", OPERAND_LIMIT);
	vec_push(&r->opd, o);
	return true;
}

/* Reads the next source; its place among the sources gives a number its type. */
static bool next_source(Reader *r, Ins *i)
{
	Opd o;
	i->opd = r->opd.v;
	return read_operand(r, ins_value_type(r->m, i, r->opd.n - i->ndst), &o) && push_opd(r, o);
}

static bool read_opd_list(Reader *r, Ins *i, int open, int close, const char *what)
{
	if (!rd_expect(r, open, what))
		return false;
	for (int n = 0; rd_skip_lines(r), !rd_accept(r, close); n++) {
		if (n && !rd_expect(r, ',', close == ')' ? "',' or ')'" : "',' or '}'"))
			return false;
		rd_skip_lines(r);
		if (!next_source(r, i))
			return false;
	}
	return true;
}

/* Reads three sources: (x, y, z), or fewer in parentheses, or x alone; those that are missing are 1. */
static bool three(Reader *r, Ins *i)
{
	int before = r->opd.n;
	if (rd_at(r, '(') ? !read_opd_list(r, i, '(', ')', "'('") : !next_source(r, i))
		return false;
	if (r->opd.n == before || r->opd.n > before + 3)
		return rd_wanted(r, "one to three numbers before");
	while (r->opd.n < before + 3)
		if (!push_opd(r, opd_imm(1)))
			return false;
	return true;
}

/* Reads the sources of launch behind the kernel: grid, block, shared bytes, the stream if it is not 0, and
   the arguments. */
static bool launch_rest(Reader *r, Ins *i)
{
	if (!three(r, i) || !rd_expect(r, ',', "','") || !three(r, i) ||
		!rd_expect(r, ',', "',' and the shared bytes"))
		return false;
	if (!next_source(r, i))
		return false;
	bool end = rd_operands_end(r);
	if (!end && !rd_expect(r, ',', "','"))
		return false;
	if (end || rd_at(r, '('))
		return push_opd(r, opd_imm(0)) && (end || read_opd_list(r, i, '(', ')',
			"'(' and the arguments"));
	if (!next_source(r, i))
		return false;
	return rd_operands_end(r) || (rd_expect(r, ',', "','") &&
		read_opd_list(r, i, '(', ')', "'(' and the arguments"));
}

static bool one_source(Reader *r, Ins *i, char letter)
{
	Opd o = { 0 };
	switch (letter) {
	case 'a':
		return read_address_opd(r, &o) && push_opd(r, o);
	case 'v':
		return i->vec ? read_opd_list(r, i, '{', '}', "'{' and the vector's values")
			: next_source(r, i);
	case '*':
		return i->op == OP_LAUNCH ? launch_rest(r, i)
			: i->op == OP_CALL ? read_opd_list(r, i, '(', ')', "'(' and the arguments")
			: i->op == OP_RET ? read_opd_list(r, i, '(', ')', "'(' and the results")
				: read_opd_list(r, i, '{', '}', "'{' and the parts");
	default:
		return next_source(r, i);
	}
}

static bool at_predicate(Reader *r)
{
	if (r->tok.kind == '!')
		return true;
	int id = r->tok.kind == TK_REG ? edit_find_reg(&r->edit, r->tok.s, r->tok.n) : -1;
	return id >= 0 && r->f->reg.v[id].type == T_PRED;
}

static const char *operand_words(char letter)
{
	switch (letter) {
	case 'a': return "an address in brackets";
	case 'f': return "a function";
	case 'p': return "a predicate";
	case 's': return "a string";
	case 'v': return "a value or vector";
	default: return "a value";
	}
}

bool rd_sources(Reader *r, Ins *i)
{
	const char *s = strchr(op_info[i->op].operands, ':') + 1;
	for (bool first = true; *s; s++) {
		bool optional = s[1] == '?', rest = *s == '*' && (i->op == OP_CALL || i->op == OP_RET);
		if (rd_operands_end(r) || (i->op == OP_BRA && r->tok.kind == TK_NAME)) {
			if (!optional && !rest)
				return rd_wanted(r, operand_words(*s));
			for (int k = 0; i->op == OP_RET && k < r->f->ret.n; k++)
				if (!push_opd(r, opd_reg(r->f->ret.v[k])))
					return false;
			/* Whatever else is missing is optional, too: in the table optional operands come
			   last, but for one operation. */
			break;
		}
		if (!first && !rd_expect(r, ',', "',' or the end of the line"))
			return false;
		first = false;
		if (optional && s[2] && at_predicate(r)) { /* that operation: bar.red a[, b], p */
			if (!push_opd(r, (Opd){ 0 }))
				return false;
			first = true;
		} else if (!one_source(r, i, *s)) {
			return false;
		}
		s += optional;
	}
	i->nsrc = (uint16_t)(r->opd.n - i->ndst);
	return true;
}

/* ---- destinations ---- */

static bool destination(Reader *r)
{
	if (!rd_at(r, TK_REG) && !rd_word(r, "_"))
		return rd_wanted(r, "a destination register or _");
	if (r->dst.n >= OPERAND_LIMIT)
		return rd_fail(r, &r->tok, "more than %d operands", OPERAND_LIMIT);
	vec_push(&r->dst, r->tok);
	rd_next(r);
	return true;
}

bool rd_destinations(Reader *r)
{
	vec_clear(&r->dst);
	r->shape = 0;
	if (!rd_at(r, '{') && !rd_at(r, '('))
		return destination(r) && (!rd_accept(r, '|') || destination(r)) &&
			rd_expect(r, '=', "'=' or '|'");
	Token open = r->tok;
	r->shape = (char)open.kind;
	int close = r->shape == '{' ? '}' : ')';
	rd_next(r);
	if (r->shape == '{' && rd_at(r, TK_NL))
		return rd_fail(r, &open, "a body has no blocks in braces; a label begins a block");
	while (!rd_accept(r, close))
		if ((r->dst.n && !rd_expect(r, ',', close == '}' ? "',' or '}'" : "',' or ')'")) ||
			!destination(r))
			return false;
	return rd_expect(r, '=', "'='");
}

static Type destination_type(const Reader *r, const Ins *i, int k)
{
	if (i->op == OP_UNPACK) {
		int bits = type_bits[i->type] / (i->ndst ? i->ndst : 1);
		return bits == 32 ? T_B32 : bits == 16 ? T_B16 : bits == 8 ? T_B8 : T_NONE;
	}
	const Opd *f = ins_src(i, 0);
	if (i->op != OP_CALL)
		return ins_dst_type(i, k);
	const Function *callee = f->kind == OPD_FUNC ? r->m->func.v[f->id] : NULL;
	return callee && k < callee->ret.n ? (Type)callee->reg.v[callee->ret.v[k]].type : T_NONE;
}

bool rd_set_destinations(Reader *r, Ins *i)
{
	bool braces = i->op == OP_UNPACK || i->vec;
	char want = i->op == OP_CALL ? '(' : braces ? '{' : 0;
	if (r->dst.n && r->shape != want && !(i->op == OP_CALL && r->dst.n == 1))
		return rd_fail(r, &r->dst.v[0], "the destinations of %s stand %s", op_info[i->op].name,
			want == '(' ? "in parentheses" : want ? "in braces" : "alone or as %a|%p");
	for (int k = 0; k < r->dst.n; k++) {
		const Token *t = &r->dst.v[k];
		if (t->kind == TK_NAME) /* `_`, which drops the result */
			continue;
		int id = edit_find_reg(&r->edit, t->s, t->n);
		Type type = id < 0 ? destination_type(r, i, k) : T_NONE;
		if (id < 0 && type == T_NONE)
			return rd_fail(r, t, "declare %.*s with reg: %s does not say its type",
				t->n > 60 ? 60 : (int)t->n, t->s, op_info[i->op].name);
		if (id < 0 && (id = rd_declare(r, t, type)) < 0)
			return false;
		i->opd[k] = opd_reg(id);
	}
	return true;
}
