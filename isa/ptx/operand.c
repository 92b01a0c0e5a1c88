/* Operands as they stand in the text: registers, numbers, names, addresses, vectors and pairs. */
#include "isa/ptx/ptx.h"

void args_free(Args *a)
{
	vec_free(&a->arg);
	vec_free(&a->group);
}

/* Special registers that PTX has and gsim does not, by the beginning of their names. */
static const struct { const char *prefix, *what; } no_sreg[] = {
	{ "%pm", "a performance counter" }, { "%cluster", "thread block clusters" },
	{ "%nclusterid", "thread block clusters" }, { "%is_explicit_cluster", "thread block clusters" },
	{ "%current_graph_exec", "CUDA graphs" },
	{ "%aggr_smem_size", "thread block clusters" }
};

static bool fail_undeclared(Ptx *p, const char *name, Loc loc)
{
	for (size_t i = 0; i < sizeof no_sreg / sizeof *no_sreg; i++)
		if (!strncmp(name, no_sreg[i].prefix, strlen(no_sreg[i].prefix)))
			return ptx_refuse(p, loc, "special register %s is not supported by gsim (%s)", name,
				no_sreg[i].what);
	return ptx_error(p, loc, "'%s' is not declared", name);
}

static bool resolve(Ptx *p, const char *name, Arg *a)
{
	static const uint8_t kind_of[] = { [ENT_REG] = A_REG, [ENT_SYMBOL] = A_SYM, [ENT_KPARAM] = A_KPARAM,
		[ENT_PVAR] = A_PVAR };
	const Entity *e = ptx_find(p, name);
	if (e && e->kind <= ENT_PVAR) {
		a->kind = kind_of[e->kind];
		a->id = e->id;
	} else if ((a->id = sreg_lookup(name, strlen(name))) >= 0) {
		a->kind = A_SREG;
	} else if ((a->id = strmap_get(&p->symbols, name)) >= 0) {
		a->kind = A_SYM;
	} else if ((a->id = strmap_get(&p->funcs, name)) >= 0) {
		a->kind = A_FUNC;
	} else {
		return fail_undeclared(p, name, a->loc);
	}
	return true;
}

/* Reads an offset behind the name of a variable: [index] counts elements, + and - count bytes. */
static bool offset(Ptx *p, Arg *a)
{
	int64_t v;
	if (a->kind == A_SYM && tok_accept(p, '[')) {
		if (!ptx_const(p, &v) || !tok_expect(p, ']', "behind an index"))
			return false;
		a->imm = (int64_t)((uint64_t)v * (uint64_t)type_bytes(p->m->symbol.v[a->id]->type));
	}
	if (tok_is(p, '+') || tok_is(p, '-')) {
		if (!ptx_const(p, &v))
			return false;
		a->imm = (int64_t)((uint64_t)a->imm + (uint64_t)v);
	}
	return true;
}

static bool read_number_operand(Ptx *p, Arg *a)
{
	Const v;
	if (!ptx_constant(p, &v))
		return false;
	a->kind = v.type == T_F32 ? A_F32 : v.type == T_F64 ? A_F64 : A_INT;
	a->imm = (int64_t)v.bits;
	return true;
}

bool ptx_arg(Ptx *p, Arg *a)
{
	*a = (Arg){ .loc = tok_here(p) };
	a->neg = tok_is(p, '!') && tok_ahead(p, 1)->kind == TK_WORD && tok_accept(p, '!');
	const PtxToken *next = tok_ahead(p, 1);
	bool expression = tok_is_word(p, "WARP_SZ") &&
		!(next->kind == TK_PUNCT && strchr(",;}]", next->punct));
	if (tok(p)->kind != TK_WORD || expression)
		return read_number_operand(p, a);
	const char *name = tok_name(p);
	if (!strcmp(name, "_")) {
		a->kind = A_SINK;
		return true;
	}
	if (!resolve(p, name, a))
		return false;
	if (a->neg && (a->kind != A_REG || p->b->edit.f->reg.v[a->id].type != T_PRED))
		return ptx_error(p, a->loc, "'!' stands before predicates only");
	return a->kind == A_REG || a->kind == A_SREG || offset(p, a);
}

/* Reads an address, behind '['. */
static bool read_address(Ptx *p, Arg *a)
{
	if (!ptx_arg(p, a))
		return false;
	if (a->kind == A_REG && (tok_is(p, '+') || tok_is(p, '-')) && !ptx_const(p, &a->imm))
		return false;
	if (a->neg || (a->kind != A_REG && a->kind != A_INT && a->kind != A_SYM && a->kind != A_KPARAM &&
		a->kind != A_PVAR))
		return ptx_error(p, a->loc, "an address is a register, a variable or a number, with an "
			"offset");
	a->base = a->kind;
	a->kind = A_ADDR;
	return tok_expect(p, ']', "behind an address");
}

static bool vector(Ptx *p, Args *args, ArgGroup *g)
{
	g->vector = true;
	do {
		Arg a;
		if (!ptx_arg(p, &a))
			return false;
		vec_push(&args->arg, a);
		g->n++;
	} while (tok_accept(p, ',') && g->n < 8);
	return tok_expect(p, '}', "behind a vector");
}

static bool group(Ptx *p, Args *args)
{
	ArgGroup g = { .first = args->arg.n, .loc = tok_here(p) };
	Arg a = { .loc = g.loc };
	if (tok_accept(p, '{')) {
		if (!vector(p, args, &g))
			return false;
	} else {
		if (!(tok_accept(p, '[') ? read_address(p, &a) : ptx_arg(p, &a)))
			return false;
		vec_push(&args->arg, a);
		g.n = 1;
		if (tok_accept(p, '|')) {
			if (!ptx_arg(p, &a))
				return false;
			vec_push(&args->arg, a);
			g.n = 2;
			g.dual = true;
		}
	}
	vec_push(&args->group, g);
	return true;
}

bool ptx_args(Ptx *p, Args *args)
{
	if (tok_is(p, ';'))
		return true;
	do
		if (!group(p, args))
			return false;
	while (tok_accept(p, ',') && args->group.n < 16);
	return tok_is(p, ';') || ptx_error(p, tok_here(p), "expected ';' behind an instruction, not %s",
		tok_text(p, tok(p)));
}
