/* Builds the fused kernel: one function with both bodies. Registers, labels, parameters and variables get new
   names where both kernels use the same one. */
#include "passes/transform/fusion/own.h"
#include "lib/number.h"

typedef struct Builder {
	Module *m;
	Edit e;
	Function *f;
	const Couple *c;
	Fused *to;
	int side;                      /* the body at hand: 0 = the first one, 1 = the second one */
	const Function *from;          /* the kernel whose body that is */
	/* number in the fused kernel at which the body's registers, marks, and sets of lanes of marks
	   begin */
	int reg, mark, lanes;
	/* by block of the source that the body's labels name, by variable: its number in the fused kernel */
	int *source, *symbol;
	/* the registers of 32 and of 64 bits that hold where the second kernel's dynamic shared memory
	   begins */
	int begin[2];
	Block **block;                 /* by block of the body: its copy in the fused kernel */
	Arena *arena;
} Builder;

/* ---- names ---- */

static const char prefix[] = "fused_";

/* The kernel's name without `fused_`: so the name of a kernel that is fused again grows by the other kernel's
   name alone. */
static const char *without_prefix(const Function *f)
{
	return !strncmp(f->name, prefix, sizeof prefix - 1) ? f->name + sizeof prefix - 1 : f->name;
}

static const char *kernel_name(const Module *m, const Couple *c, Arena *a)
{
	const char *first = arena_printf(a, "%s%s_%s", prefix, without_prefix(c->kernel[0]),
		without_prefix(c->kernel[1])), *name = first;
	for (int k = 2; module_find_function(m, name) || module_find_symbol(m, name, -1); k++)
		name = arena_printf(a, "%s_%d", first, k);
	return name;
}

/* A parameter or a variable of the fused kernel has the name, or a function or a variable of the module,
   which the other body may mean by it. */
static bool name_taken(const Builder *b, const char *name)
{
	if (module_find_function(b->m, name))
		return true;
	for (int k = 0; k < b->f->param.n; k++)
		if (!strcmp(b->f->param.v[k].name, name))
			return true;
	return module_find_symbol(b->m, name, b->f->id) != NULL;
}

/* A name for a parameter or a variable of the fused kernel: the one that it had, if nothing else has it. */
static const char *fresh_name(const Builder *b, const char *name)
{
	const char *first = arena_printf(&b->m->arena, "%s_%s", b->from->name, name);
	if (!name_taken(b, name))
		return arena_strdup(&b->m->arena, name);
	const char *fresh = first;
	for (int k = 2; name_taken(b, fresh); k++)
		fresh = arena_printf(&b->m->arena, "%s_%d", first, k);
	return fresh;
}

/* ---- headers ---- */

static void add_param(Builder *b, const Param *p)
{
	Param q = *p;
	q.name = fresh_name(b, p->name);
	q.offset = (uint32_t)align_up(b->f->param_bytes, q.align);
	b->f->param_bytes = q.offset + q.size;
	vec_push(&b->f->param, q);
}

/* Two parameters become one: q's statements on where the value points to join those of p. Both are right, so
   a space that is known goes before the generic one, and the larger alignment counts. */
static void join_param(Param *p, const Param *q)
{
	if (!q->pointer)
		return;
	p->space = !p->pointer ? q->space : p->space == SP_GENERIC || p->space == q->space ? q->space
		: q->space == SP_GENERIC ? p->space : SP_GENERIC;
	p->points_align = p->pointer && p->points_align > q->points_align ? p->points_align : q->points_align;
	p->pointer = true;
}

static void add_params(Builder *b)
{
	for (int k = 0; k < b->from->param.n; k++) {
		int to = b->c->param[b->side][k];
		if (to < b->f->param.n)
			join_param(&b->f->param.v[to], &b->from->param.v[k]);
		else
			add_param(b, &b->from->param.v[k]);
	}
}

static uint64_t block_volume(const uint32_t *n)
{
	return n[0] ? (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1) : UINT64_MAX;
}

static void join_headers(Function *f, const Couple *c)
{
	const Function *a = c->kernel[0], *b = c->kernel[1];
	memcpy(f->reqntid, a->reqntid[0] ? a->reqntid : b->reqntid, sizeof f->reqntid);
	memcpy(f->maxntid, block_volume(a->maxntid) <= block_volume(b->maxntid) ? a->maxntid : b->maxntid,
		sizeof f->maxntid);
	f->minnctapersm = a->minnctapersm > b->minnctapersm ? a->minnctapersm : b->minnctapersm;
	f->loc = a->loc;
}

static void add_registers(Builder *b)
{
	b->reg = b->f->reg.n;
	for (int k = 0; k < b->from->reg.n; k++) {
		const Reg *r = &b->from->reg.v[k];
		if (edit_find_reg(&b->e, r->name, strlen(r->name)) < 0)
			edit_add_reg(&b->e, r->name, strlen(r->name), (Type)r->type);
		else
			edit_reg(&b->e, r->name + 1, (Type)r->type);
	}
}

/* The kernel's own variables in shared and local memory get a copy for this body. A variable of the module is
   the same for both bodies; one in shared memory then begins the second body with what the first one has left
   in it, but programs must not rely on what is there at first. */
static void add_own_symbols(Builder *b)
{
	b->symbol = arena_array(b->arena, int, b->m->symbol.n + 1);
	int n = b->m->symbol.n;
	for (int k = 0; k < n; k++) {
		const Symbol *s = b->m->symbol.v[k];
		b->symbol[k] = k;
		if (s->owner != b->from->id)
			continue;
		Symbol *own = arena_new(&b->m->arena, Symbol);
		*own = *s;
		own->owner = b->f->id;
		own->name = fresh_name(b, s->name);
		memset(&own->reloc, 0, sizeof own->reloc);
		b->symbol[k] = b->m->symbol.n;
		vec_push(&b->m->symbol, own);
	}
}

/* ---- marks ---- */

static int some_lanes(const Builder *b, int k) { return k ? b->lanes + k - 1 : 0; }
static int some_mark(const Builder *b, int k) { return k ? b->mark + k - 1 : 0; }

static bool is_source_label(const Function *f, const char *label)
{
	for (int k = 0; k < f->source.n; k++)
		if (!strcmp(f->source.v[k], label))
			return true;
	return false;
}

/* A label that no block has and that no block of the source had, not even one that is no longer there. */
static const char *fresh_source(Builder *b, const char *first)
{
	const char *label = first;
	for (int k = 2; is_source_label(b->f, label) || edit_find_block(&b->e, label); k++)
		label = arena_printf(&b->m->arena, "%s_%d", first, k);
	return label;
}

static Block *body_block(Builder *b, const char *base, const char *label)
{
	Block *d = edit_block(&b->e, spot_last(), base, label);
	if (is_source_label(b->f, d->label))
		edit_label(&b->e, d, fresh_source(b, d->label));
	return d;
}

static void add_fused_sources(Builder *b)
{
	b->source = arena_array(b->arena, int, b->from->source.n + 1);
	for (int k = 0; k < b->from->source.n; k++) {
		const char *label = NULL;
		for (int at = 0; at < b->from->block.n; at++)
			if (b->from->block.v[at]->user && !strcmp(b->from->block.v[at]->label,
				b->from->source.v[k]))
				label = b->block[at]->label;
		label = label ? label : fresh_source(b, arena_printf(&b->m->arena, "%s_%s", b->from->name,
			b->from->source.v[k]));
		b->source[k] = b->f->source.n;
		vec_push(&b->f->source, label);
	}
}

static void add_fused_marks(Builder *b)
{
	if (!b->f->lanes.n)
		vec_push(&b->f->lanes, (SomeLanes){ 0 });
	if (!b->f->mark.n)
		vec_push(&b->f->mark, (Mark){ 0 });
	b->lanes = b->f->lanes.n;
	b->mark = b->f->mark.n;
	for (int k = 1; k < b->from->lanes.n; k++) {
		SomeLanes s = b->from->lanes.v[k];
		s.reg += b->reg;
		s.next = some_lanes(b, s.next);
		vec_push(&b->f->lanes, s);
	}
	for (int k = 1; k < b->from->mark.n; k++) {
		Mark x = b->from->mark.v[k];
		x.source = b->source[x.source];
		x.lanes = some_lanes(b, x.lanes);
		x.next = some_mark(b, x.next);
		if (x.value.kind == OPD_REG)
			x.value.id += b->reg;
		vec_push(&b->f->mark, x);
	}
}

/* ---- bodies ---- */

static bool moves(const Builder *b, const Opd *o)
{
	return b->side && o->kind == OPD_SYM && b->m->symbol.v[o->id]->space == SP_SHARED &&
		!b->m->symbol.v[o->id]->count;
}

static Opd fused_operand(const Builder *b, Opd o)
{
	switch ((OpdKind)o.kind) {
	case OPD_REG: o.id += b->reg; break;
	case OPD_PARAM: o.id = b->c->param[b->side][o.id]; break;
	case OPD_SYM:
		if (moves(b, &o))
			o.imm += b->c->begin;
		o.id = b->symbol[o.id];
		break;
	default: break;
	}
	return o;
}

/* Inserts code that computes the operand, an address in the second kernel's dynamic shared memory, whose
   begin the launch gives. Returns the register with the address. */
static Opd given_address(Builder *b, Block *d, const Ins *like, const Opd *o, Type t)
{
	bool wide = type_bits[t] == 64;
	int reg = edit_temp(&b->e, wide ? T_U64 : T_U32);
	Ins *i = edit_ins(&b->e, d, like, OP_MOV, wide ? T_U64 : T_U32, 1, 1);
	i->opd[0] = opd_reg(reg);
	i->opd[1] = fused_operand(b, *o);
	i = edit_ins(&b->e, d, like, OP_ADD, wide ? T_U64 : T_U32, 1, 2);
	i->opd[0] = i->opd[1] = opd_reg(reg);
	i->opd[2] = opd_reg(b->begin[wide]);
	return opd_reg(reg);
}

static void add_ins(Builder *b, Block *d, const Ins *from)
{
	int kind = op_info[from->op].kind;
	bool leaves = !b->side && (kind == K_EXIT || kind == K_RET);
	Ins i = leaves ? edit_new(&b->e, from, OP_BRA, T_NONE, 0, 0) : edit_copy(&b->e, from);
	for (int k = 0; k < i.ndst + i.nsrc; k++)
		i.opd[k] = k >= i.ndst && b->c->begin_given && moves(b, &i.opd[k])
			? given_address(b, d, from, &i.opd[k], ins_value_type(b->m, from, k - i.ndst))
			: fused_operand(b, i.opd[k]);
	if (i.guard >= 0)
		i.guard += b->reg;
	/* a load .nc says that nobody writes there while its kernel runs; now the other body may do so */
	if (i.op == OP_LD && i.cop == COP_NC)
		i.cop = COP_NONE;
	i.mark = some_mark(b, from->mark);
	vec_push(&d->ins, i);
	if (leaves)
		edit_targets(&b->e, d, &b->to->join, 1);
}

static void add_fused_block(Builder *b, Block *d, const Block *s)
{
	d->user = s->user;
	d->origin = s->origin;
	d->loc = s->loc;
	edit_targets(&b->e, d, NULL, s->nsucc);
	for (int k = 0; k < s->nsucc; k++)
		d->succ[k] = b->block[s->succ[k]->id];
	d->reconverge = s->reconverge ? b->block[s->reconverge->id] : NULL;
	for (int k = 0; k < s->ins.n; k++)
		add_ins(b, d, &s->ins.v[k]);
}

/* Adds a parameter that says where the second body's dynamic shared memory begins, and at the join the loads
   of it into the registers `begin`. */
static void add_begin(Builder *b)
{
	const Ins *like = &b->from->block.v[0]->ins.v[0];
	add_param(b, &(Param){ .name = "shared_begin", .type = T_U32, .count = 1, .align = 4, .size = 4 });
	b->begin[0] = edit_reg(&b->e, "shared_begin", T_U32);
	b->begin[1] = edit_reg(&b->e, "shared_begin", T_U64);
	Ins *i = edit_ins(&b->e, b->to->join, like, OP_LD, T_U32, 1, 1);
	i->space = SP_PARAM;
	i->opd[0] = opd_reg(b->begin[0]);
	i->opd[1] = (Opd){ OPD_PARAM, 0, b->f->param.n - 1, 0 };
	i = edit_ins(&b->e, b->to->join, like, OP_CVT, T_U64, 1, 1);
	i->type2 = T_U32;
	i->opd[0] = opd_reg(b->begin[1]);
	i->opd[1] = opd_reg(b->begin[0]);
}

static void add_body(Builder *b, int side)
{
	b->side = side;
	b->from = b->c->kernel[side];
	add_params(b);
	add_registers(b);
	add_own_symbols(b);
	const char *base = without_prefix(b->from) == b->from->name
		? arena_printf(b->arena, "%s_", b->from->name) : "";
	b->block = arena_array(b->arena, Block *, b->from->block.n + 1);
	for (int k = 0; k < b->from->block.n; k++)
		b->block[k] = body_block(b, base, b->from->block.v[k]->label);
	add_fused_sources(b);
	add_fused_marks(b);
	if (!side)
		b->to->join = edit_block(&b->e, spot_last(), "join", "");
	if (side && b->c->begin_given)
		add_begin(b);
	for (int k = 0; k < b->from->block.n; k++)
		add_fused_block(b, b->block[k], b->from->block.v[k]);
}

static void add_join(Builder *b)
{
	Block *join = b->to->join;
	const Ins *like = &b->c->kernel[1]->block.v[0]->ins.v[0];
	join->loc = b->c->kernel[1]->loc;
	if (b->c->between == FUSION_BLOCK) {
		Ins *i = edit_ins(&b->e, join, like, OP_BARSYNC, T_NONE, 0, 1);
		i->opd[0] = opd_imm(b->c->barrier);
	}
	if (b->c->between == FUSION_GRID)
		edit_ins(&b->e, join, like, OP_BARGRID, T_NONE, 0, 0);
	edit_jump(&b->e, join, like, b->block[0]);
}

Fused fusion_build(Module *m, uint8_t origin, const Couple *c, Arena *a)
{
	Fused to = { 0 };
	to.f = function_new(m, FN_KERNEL, kernel_name(m, c, a));
	Builder b = { .m = m, .e = edit_open(m, to.f, origin), .f = to.f, .c = c, .to = &to, .arena = a };
	for (int k = 0; k < 2; k++)
		for (int at = 0; at < c->kernel[k]->block.n; at++)
			c->kernel[k]->block.v[at]->id = at;
	join_headers(to.f, c);
	add_body(&b, 0);
	add_body(&b, 1);
	add_join(&b);
	function_number(to.f);
	edit_touch_graph(to.f);
	edit_close(&b.e);
	return to;
}
