/* Reads one instruction: guard, mnemonic, operands. First of all the mnemonic gets the spelling of the
   operation table. */
#include "isa/ptx/ptx.h"
#include "isa/mnemonic.h"

enum { LONGEST = 255 };

typedef struct Mnemonic {
	char s[LONGEST + 1];     /* as the operation table spells it */
	size_t n;
	bool policy;             /* .L2::cache_hint: the last operand is a cache policy */
	Loc loc;
	const PtxToken *token;
} Mnemonic;

/* first parts of mnemonics that have another name in the table */
static const struct { const char *ptx, *op; } renamed[] = {
	{ "barrier", "bar" }, { "ldu", "ld" }, { "prefetchu", "prefetch" }, { "brkpt", "nop" },
	{ "pmevent", "nop" }
};

/* Parts of a mnemonic that are left out, since they change nothing that gsim models, or say what is meant
   anyway. op: only in this operation, NULL: in all; next: only in front of this part, NULL: everywhere. */
static const struct { const char *op, *part, *next; } dropped[] = {
	{ "ld", "ca", "nc" }, { "ld", "cg", "nc" }, { "ld", "cs", "nc" }, { "bar", "cta", NULL },
	{ "nop", "mask", NULL },
	{ NULL, "unified", NULL }, { "ld", "mmio", NULL }, { "st", "mmio", NULL },
	{ NULL, "L1::evict_normal", NULL },
	{ NULL, "L1::evict_unchanged", NULL }, { NULL, "L1::evict_first", NULL },
	{ NULL, "L1::evict_last", NULL },
	{ NULL, "L1::no_allocate", NULL }, { NULL, "L2::evict_normal", NULL },
	{ NULL, "L2::evict_first", NULL },
	{ NULL, "L2::evict_last", NULL }, { NULL, "L2::64B", NULL }, { NULL, "L2::128B", NULL },
	{ NULL, "L2::256B", NULL },
	{ NULL, "L2::cache_hint", NULL }
};

static const struct { const char *op, *part, *as; } respelled[] = {
	{ NULL, "shared::cta", "shared" }, { NULL, "param::entry", "param" },
	{ NULL, "param::func", "param" },
	{ "prefetch", "L2::evict_last", "L2" }, { "prefetch", "L2::evict_normal", "L2" }
};

static bool spells(const char *s, size_t n, const char *what)
{
	return strlen(what) == n && !memcmp(s, what, n);
}

static size_t part_length(const char *s, const char *end)
{
	const char *dot = memchr(s, '.', (size_t)(end - s));
	return (size_t)((dot ? dot : end) - s);
}

static bool is_of(const Mnemonic *m, const char *op)
{
	return !op || spells(m->s, part_length(m->s, m->s + m->n), op);
}

static bool is_dropped(const Mnemonic *m, const char *s, size_t n, const char *end)
{
	const char *next = s + n < end ? s + n + 1 : end;
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
		if (spells(s, n, dropped[i].part) && is_of(m, dropped[i].op) &&
		(!dropped[i].next || spells(next, part_length(next, end), dropped[i].next)))
			return true;
	return false;
}

static void add_mnemonic_part(Mnemonic *m, const char *s, size_t n)
{
	if (m->n)
		m->s[m->n++] = '.';
	memcpy(m->s + m->n, s, n);
	m->n += n;
}

/* Reads the mnemonic, and gives it the spelling of the table. */
static bool respell(Ptx *p, Mnemonic *m)
{
	const PtxToken *t = tok(p);
	const char *s = t->s, *end = t->s + t->n;
	*m = (Mnemonic){ .loc = tok_here(p), .token = t };
	if (t->kind != TK_WORD || t->n > LONGEST - 8)
		return ptx_error(p, m->loc, "expected an instruction, not %s", tok_text(p, t));
	p->b->word = t;
	tok_next(p);
	while (s < end) {
		const char *part = s;
		size_t n = part_length(s, end), k = n;
		for (size_t i = 0; !m->n && i < sizeof renamed / sizeof *renamed; i++)
			if (spells(s, n, renamed[i].ptx))
				k = strlen(part = renamed[i].op);
		for (size_t i = 0; i < sizeof respelled / sizeof *respelled; i++)
			if (m->n && spells(s, n, respelled[i].part) && is_of(m, respelled[i].op))
				k = strlen(part = respelled[i].as);
		m->policy |= spells(s, n, "L2::cache_hint");
		if (!m->n || part != s || !is_dropped(m, s, n, end))
			add_mnemonic_part(m, part, k);
		s += n + 1;
	}
	return true;
}

/* Checks the types first, since the steps that follow compute with them. All else is checked when the
   instruction is complete (flow_emit). */
static bool check_ins_types(Ptx *p, const Ins *i)
{
	StrBuf why = { 0 };
	bool ok = mnemonic_types(i, &why) || ptx_refuse_ins(p, "%s", why.s);
	sb_free(&why);
	return ok;
}

/* In PTX bar.sync, bar.arrive and bar.red mean barrier.sync.aligned and so on: sets the flag for them. */
static void align_barrier(const Mnemonic *m, Ins *i)
{
	bool barrier = i->op == OP_BARSYNC || i->op == OP_BARARRIVE || i->op == OP_BARRED;
	if (barrier && part_length(m->token->s, m->token->s + m->token->n) == strlen("bar"))
		i->flags |= INSF_ALIGNED;
}

/* Parses the mnemonic. A name that PTX does not have is an error of the module, whatever stands behind it; an
   operation or a form that gsim does not have refuses the function. */
static bool parse_mnemonic(Ptx *p, const Mnemonic *m, Ins *i)
{
	MnemonicError e = { 0 };
	StrBuf text = { 0 };
	*i = (Ins){ .guard = -1 };
	bool read = mnemonic_parse(m->s, m->n, i, &e);
	Op op = read ? (Op)i->op : e.op;
	bool ours = op_info[op].flags & (OPF_HOST | OPF_MACH) || op == OP_PACK || op == OP_UNPACK ||
		op == OP_BARGRID;
	if (read && i->flags & INSF_NONFAULTING)
		return ptx_refuse_ins(p, "'.nonfaulting' is a suffix of gsim's IR, none of PTX");
	if (read && !ours && (op == OP_CVT || !ptx_unsupported(m->s, m->n))) {
		align_barrier(m, i);
		return check_ins_types(p, i);
	}
	const char *what = ptx_unsupported(m->token->s, m->token->n);
	mnemonic_explain(&e, &text);
	if (what)
		ptx_refuse(p, m->loc, "%.*s: %s %s not supported by gsim", (int)m->token->n, m->token->s,
			what,
		what[strlen(what) - 1] == 's' ? "are" : "is");
	else if (ours)
		ptx_error(p, m->loc, "unknown operation '%.*s'", (int)m->token->n, m->token->s);
	else if (e.fault == MNERR_OP)
		ptx_error(p, m->loc, "%s", text.s);
	else
		ptx_refuse_ins(p, "%s", text.s);
	sb_free(&text);
	return false;
}

/* ---- instructions that need more than the table ---- */

static const ArgGroup *group_at(const Args *a, int k) { return k < a->group.n ? &a->group.v[k] : NULL; }

/* A single register may stand in braces as the data of ld and st, and on one side of a mov of bits: takes
   {%r1} for %r1. */
static void unwrap(const Ins *i, Args *a)
{
	const ArgGroup *d = group_at(a, 0), *s = group_at(a, 1);
	bool takes = i->op == OP_MOV ? type_kind[i->type] == 'B' && d && s && d->vector != s->vector
		: (i->op == OP_LD || i->op == OP_ST) && !i->vec;
	for (int k = 0; k < a->group.n && takes; k++) {
		ArgGroup *g = &a->group.v[k];
		g->vector &= g->n != 1 || a->arg.v[g->first].kind == A_SINK;
	}
}

/* A mov with a vector on one side packs or unpacks: its parts together have the width of the value. */
static bool choose_pack(Ptx *p, Ins *i, const Args *a)
{
	const ArgGroup *d = group_at(a, 0), *s = group_at(a, 1);
	if (i->op != OP_MOV || !d || !s || d->vector == s->vector)
		return true;
	const ArgGroup *v = d->vector ? d : s;
	int bits = type_bits[i->type];
	if (bits < 16 || (v->n != 2 && v->n != 4))
		return ptx_error(p, v->loc, "mov.%s of a vector of %d parts does not exist",
			type_name[i->type], v->n);
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
	return (i->op == OP_LD || i->op == OP_ST) && a->group.n == 2 && g->n == 1 &&
		a->arg.v[g->first].kind == A_ADDR &&
		a->arg.v[g->first].base == A_PVAR;
}

/* In device functions an address of a parameter is that of its copy in local memory. */
static void choose_space(Ptx *p, Ins *i)
{
	if (p->b->edit.f->kind == FN_DEVICE && i->space == SP_PARAM)
		i->space = SP_LOCAL;
}

static bool bind(Ptx *p, Ins *i, Args *a, const Mnemonic *m, Guard g)
{
	if (m->policy && a->group.n) {
		a->arg.n -= vec_last(&a->group).n;
		a->group.n--;
	}
	unwrap(i, a);
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

static bool read_branch(Ptx *p, Guard g, int flags)
{
	Loc loc = tok_here(p);
	const char *name = tok_name(p);
	if (name)
		flow_branch(p, g, name, loc, flags);
	return name != NULL;
}

static bool read_indexed_branch(Ptx *p, Guard g, int flags)
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

/* True: the mnemonic is that of a control instruction; *ok: the instruction was read without an error. */
static bool control(Ptx *p, const Mnemonic *m, Guard g, bool *ok)
{
	const char *s = m->s;
	int uni = m->n > 4 && !memcmp(s + m->n - 4, ".uni", 4) ? INSF_UNI : 0;
	size_t n = uni ? m->n - 4 : m->n;
	*ok = true;
	if (spells(s, n, "bra"))
		*ok = read_branch(p, g, uni);
	else if (spells(s, n, "brx.idx"))
		*ok = read_indexed_branch(p, g, uni);
	else if (spells(s, n, "call"))
		*ok = ptx_call(p, g, uni);
	else if (spells(s, n, "ret"))
		flow_end(p, OP_RET, g, uni);
	else if (spells(s, n, "exit") && !uni)
		flow_end(p, OP_EXIT, g, 0);
	else if (spells(s, n, "trap") && !uni && g.reg < 0)
		flow_end(p, OP_TRAP, g, 0);
	else
		return false;
	return true;
}

static bool read_guard(Ptx *p, Guard *g)
{
	*g = (Guard){ -1, false };
	if (!tok_accept(p, '@'))
		return true;
	g->neg = tok_accept(p, '!');
	Arg a;
	if (!ptx_arg(p, &a))
		return false;
	if (a.kind != A_REG || p->b->edit.f->reg.v[a.id].type != T_PRED)
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
	if (!read_guard(p, &g) || !respell(p, &m))
		return false;
	if (!control(p, &m, g, &ok) && !ptx_expand(p, m.s, m.n, g, &ok)) {
		Args a = { 0 };
		ok = parse_mnemonic(p, &m, &i) && ptx_args(p, &a) && bind(p, &i, &a, &m, g);
		args_free(&a);
	}
	return ok && tok_expect(p, ';', "behind an instruction");
}
