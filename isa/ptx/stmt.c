/* One instruction: guard, mnemonic, operands. PTX's spellings are brought to the operation table's first. */
#include "isa/ptx/ptx.h"
#include "isa/mnemonic.h"

enum { LONGEST = 127 };

typedef struct Mnemonic {
	char s[LONGEST + 1];     /* in the table's spelling */
	size_t n;
	bool policy;             /* .L2::cache_hint: the last operand is a cache policy */
	Loc loc;
	const Token *token;
} Mnemonic;

/* First parts of mnemonics that have another name in the table. */
static const struct { const char *ptx, *op; } renamed[] = {
	{ "barrier", "bar" }, { "ldu", "ld" }, { "prefetchu", "prefetch" }, { "brkpt", "nop" }, { "pmevent", "nop" }
};

/* Parts that change nothing that gsim models, or say again what is meant anyway. */
static const struct { const char *op, *part; } dropped[] = {
	{ "bar", "cta" }, { "nop", "mask" }, { NULL, "unified" }, { "ld", "mmio" }, { "st", "mmio" }, { NULL, "L1::evict_normal" },
	{ NULL, "L1::evict_unchanged" }, { NULL, "L1::evict_first" }, { NULL, "L1::evict_last" }, { NULL, "L1::no_allocate" },
	{ NULL, "L2::evict_normal" }, { NULL, "L2::evict_first" }, { NULL, "L2::evict_last" }, { NULL, "L2::64B" },
	{ NULL, "L2::128B" }, { NULL, "L2::256B" }, { NULL, "L2::cache_hint" }
};

static const struct { const char *part, *as; } respelled[] = {
	{ "shared::cta", "shared" }, { "param::entry", "param" }, { "param::func", "param" }
};

static bool same(const char *s, size_t n, const char *what) { return strlen(what) == n && !memcmp(s, what, n); }

static bool is_dropped(const Mnemonic *m, const char *s, size_t n)
{
	const char *dot = memchr(m->s, '.', m->n);
	size_t k = dot ? (size_t)(dot - m->s) : m->n;
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (same(s, n, dropped[i].part) && (!dropped[i].op || same(m->s, k, dropped[i].op)))
			return true;
	return false;
}

static void add_part(Mnemonic *m, const char *s, size_t n)
{
	if (m->n)
		m->s[m->n++] = '.';
	memcpy(m->s + m->n, s, n);
	m->n += n;
}

/* The word at hand in the table's spelling. */
static bool respell(Ptx *p, Mnemonic *m)
{
	const Token *t = tok(p);
	const char *s = t->s, *end = t->s + t->n;
	*m = (Mnemonic){ .loc = tok_here(p), .token = t };
	if (t->kind != TK_WORD || t->n > LONGEST - 8)
		return ptx_error(p, m->loc, "expected an instruction, not %s", tok_text(p, t));
	tok_next(p);
	while (s < end) {
		const char *dot = memchr(s, '.', (size_t)(end - s)), *part = s;
		size_t n = (size_t)((dot ? dot : end) - s), k = n;
		for (size_t i = 0; !m->n && i < sizeof renamed / sizeof *renamed; i++)
			if (same(s, n, renamed[i].ptx))
				k = strlen(part = renamed[i].op);
		for (size_t i = 0; i < sizeof respelled / sizeof *respelled; i++)
			if (same(s, n, respelled[i].part))
				k = strlen(part = respelled[i].as);
		m->policy |= same(s, n, "L2::cache_hint");
		if (!m->n || !is_dropped(m, s, n))
			add_part(m, part, k);
		s += n + 1;
	}
	return true;
}

/* What follows computes with the types. */
static bool check_types(Ptx *p, const Mnemonic *m, const Ins *i)
{
	StrBuf why = { 0 };
	bool ok = mnemonic_types(i, &why) || ptx_error(p, m->loc, "%.*s %s", (int)m->token->n, m->token->s, why.s);
	sb_free(&why);
	return ok;
}

static bool parse(Ptx *p, const Mnemonic *m, Ins *i)
{
	MnemonicError e;
	StrBuf text = { 0 };
	*i = (Ins){ .guard = -1 };
	bool host = false;
	if (mnemonic_parse(m->s, m->n, i, &e)) {
		host = op_info[i->op].flags & (OPF_HOST | OPF_MACH) || i->op == OP_PACK || i->op == OP_UNPACK;
		const char *what = host ? NULL : ptx_unsupported(m->s, m->n);
		if (!host && (!what || i->op == OP_CVT))
			return check_types(p, m, i);
	}
	const char *what = ptx_unsupported(m->token->s, m->token->n);
	if (what) {
		ptx_refuse(p, m->loc, "%.*s: %s %s not supported by gsim", (int)m->token->n, m->token->s, what,
			  what[strlen(what) - 1] == 's' ? "are" : "is");
	} else if (host) {
		ptx_error(p, m->loc, "unknown operation '%.*s'", (int)m->token->n, m->token->s);
	} else {
		mnemonic_explain(&e, &text);
		ptx_error(p, m->loc, "%s", text.s);
	}
	sb_free(&text);
	return false;
}

/* ---- instructions that need more than the table ---- */

static const ArgGroup *group_at(const Args *a, int k) { return k < a->group.n ? &a->group.v[k] : NULL; }

/* mov with a vector on one side packs or unpacks: the parts fill the value. */
static bool choose_pack(Ptx *p, Ins *i, const Args *a)
{
	const ArgGroup *d = group_at(a, 0), *s = group_at(a, 1);
	if (i->op != OP_MOV || !d || !s || d->vector == s->vector)
		return true;
	const ArgGroup *v = d->vector ? d : s;
	int bits = type_bits[i->type];
	if (bits < 16 || (v->n != 2 && v->n != 4))
		return ptx_error(p, v->loc, "mov.%s of a vector of %d parts does not exist", type_name[i->type], v->n);
	Type part = bits / v->n == 32 ? T_B32 : bits / v->n == 16 ? T_B16 : T_B8;
	for (int k = 0; k < v->n; k++)
		if (!bind_width(p, &a->arg.v[v->first + k], part, part == T_B8))
			return false;
	i->op = d->vector ? OP_UNPACK : OP_PACK;
	i->type = bits == 64 ? T_B64 : bits == 32 ? T_B32 : T_B16;
	return true;
}

static bool to_param_variable(const Ins *i, const Args *a)
{
	const ArgGroup *g = group_at(a, i->op == OP_LD);
	return (i->op == OP_LD || i->op == OP_ST) && a->group.n == 2 && g->n == 1 && a->arg.v[g->first].kind == A_ADDR &&
	       a->arg.v[g->first].base == A_PVAR;
}

/* Addresses of parameters of device functions point to their copies in local memory. */
static void choose_space(Ptx *p, Ins *i)
{
	if (p->b->f->kind == FN_DEVICE && i->space == SP_PARAM)
		i->space = SP_LOCAL;
}

static bool bind(Ptx *p, Ins *i, Args *a, const Mnemonic *m, Guard g)
{
	if (m->policy && a->group.n) {
		a->arg.n -= vec_last(&a->group).n;
		a->group.n--;
	}
	if (to_param_variable(i, a)) {
		if (i->space != SP_PARAM && i->space != SP_GENERIC)
			return ptx_error(p, m->loc, "a parameter is not in .%s memory", space_name[i->space]);
		return i->op == OP_LD ? pvar_load(p, i, a, g) : pvar_store(p, i, a, g);
	}
	if (i->op == OP_NOP)
		a->arg.n = a->group.n = 0;
	choose_space(p, i);
	return choose_pack(p, i, a) && bind_ins(p, i, a, g);
}

/* ---- control ---- */

static bool target(Ptx *p, Guard g, int flags)
{
	Loc loc = tok_here(p);
	const char *name = tok_name(p);
	if (name)
		flow_branch(p, g, name, loc, flags);
	return name != NULL;
}

static bool indexed(Ptx *p, Guard g, int flags)
{
	Arg a;
	Opd o;
	if (!ptx_arg(p, &a) || !bind_width(p, &a, T_B32, false) || !bind_opd(p, &a, T_U32, &o) ||
	    !tok_expect(p, ',', "behind the index"))
		return false;
	if (o.kind != OPD_REG && o.kind != OPD_IMM)
		return ptx_error(p, a.loc, "the index is a register");
	Loc loc = tok_here(p);
	const char *list = tok_name(p);
	if (list)
		flow_brx(p, g, o, list, loc, flags);
	return list != NULL;
}

/* true when the word is a control instruction; *ok = whether it was read. */
static bool control(Ptx *p, const Mnemonic *m, Guard g, bool *ok)
{
	const char *s = m->s;
	int uni = m->n > 4 && !memcmp(s + m->n - 4, ".uni", 4) ? INSF_UNI : 0;
	size_t n = uni ? m->n - 4 : m->n;
	*ok = true;
	if (same(s, n, "bra"))
		*ok = target(p, g, uni);
	else if (same(s, n, "brx.idx"))
		*ok = indexed(p, g, uni);
	else if (same(s, n, "call"))
		*ok = ptx_call(p, g, uni);
	else if (same(s, n, "ret"))
		flow_end(p, OP_RET, g, uni);
	else if (same(s, n, "exit") && !uni)
		flow_end(p, OP_EXIT, g, 0);
	else
		return false;
	return true;
}

static bool guard(Ptx *p, Guard *g)
{
	*g = (Guard){ -1, false };
	if (!tok_accept(p, '@'))
		return true;
	g->neg = tok_accept(p, '!');
	Arg a;
	if (!ptx_arg(p, &a))
		return false;
	if (a.kind != A_REG || p->b->f->reg.v[a.id].type != T_PRED)
		return ptx_error(p, a.loc, "a guard is a predicate register");
	g->reg = a.id;
	return true;
}

bool ptx_statement(Ptx *p)
{
	Guard g;
	Mnemonic m;
	Ins i;
	bool ok;
	if (!guard(p, &g) || !respell(p, &m))
		return false;
	if (!control(p, &m, g, &ok) && !ptx_expand(p, m.s, m.n, g, &ok)) {
		Args a = { 0 };
		ok = parse(p, &m, &i) && ptx_args(p, &a) && bind(p, &i, &a, &m, g);
		args_free(&a);
	}
	return ok && tok_expect(p, ';', "behind an instruction");
}
