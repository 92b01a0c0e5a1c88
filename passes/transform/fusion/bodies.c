/* Looks at what the two bodies do besides accessing global memory, and tells whether one kernel may do
   both. */
#include "passes/transform/fusion/own.h"
#include "passes/analyses.h"
#include "isa/launch.h"

/* The barriers in some code. */
typedef struct BodyBarriers {
	bool any, all;                 /* there is a barrier; a block barrier for all threads of the block */
	/* there is a block barrier for a given number of threads; one of which the barrier's number is not
	   known */
	bool counted, unknown;
	/* bit n: there is block barrier n; block barrier n for a given number of threads */
	unsigned numbers, counted_numbers;
} BodyBarriers;

typedef struct FusionBody {
	const Module *m;
	const Function *kernel;
	Arena *arena;
	BitSet func, symbol;           /* functions and variables that it uses, by number */
	BodyBarriers barriers, called;     /* in the kernel itself; in functions that it calls */
	/* what the kernel, or a function that it calls, has or does: */
	bool warps;                    /* warp-level operations: shuffles, votes and the like */
	bool grid;                     /* barriers of the whole grid */
	bool waits;                    /* it may wait for what another block does */
	/* a thread may end in a called function; something is printed; shared memory is accessed at an
	   address that is a number; a special register is read that says something of the launch
	   (reads_launch) */
	bool ends_below, prints, shared_number, special;
} FusionBody;

static void note_barrier(BodyBarriers *b, const Ins *i)
{
	b->any = true;
	if (i->op == OP_BARGRID)
		return;
	const Opd *number = ins_src(i, 0);
	bool counted = i->nsrc - (i->op == OP_BARRED) > 1 && ins_src(i, 1)->kind != OPD_NONE;
	unsigned bit = number->kind == OPD_IMM && number->imm >= 0 && number->imm < BARRIERS
		? 1u << number->imm : 0;
	b->all |= !counted;
	b->counted |= counted;
	b->unknown |= !bit;
	b->numbers |= bit;
	b->counted_numbers |= counted ? bit : 0;
}

/* The operand is a special register that says something of the launch, as its number or its dynamic shared
   memory. In the fused launch it would hold another value. */
static bool reads_launch(const Opd *o)
{
	return o->kind == OPD_SREG && (o->id == SREG_GRIDID ||
		(o->id >= SREG_DYNAMIC_SMEM_SIZE && o->id <= SREG_RESERVED_1));
}

static bool is_warp_level(int kind)
{
	return kind == K_WARPSYNC || kind == K_SHFL || kind == K_VOTE || kind == K_MATCH ||
		kind == K_ACTIVE || kind == K_REDUX || kind == K_ELECT;
}

static void note_body_ins(FusionBody *b, const Function *f, const Ins *i)
{
	int kind = op_info[i->op].kind;
	bool inner = f != b->kernel, memory = kind == K_LD || kind == K_ST || kind == K_ATOM;
	if (kind == K_BAR)
		note_barrier(inner ? &b->called : &b->barriers, i);
	b->grid |= i->op == OP_BARGRID;
	b->warps |= is_warp_level(kind);
	b->prints |= kind == K_PRINT;
	b->ends_below |= inner && kind == K_EXIT;
	b->ends_below |= kind == K_CALL && ins_src(i, 0)->kind != OPD_FUNC;
	b->shared_number |= memory && i->space == SP_SHARED && ins_src(i, 0)->kind == OPD_IMM;
	for (int k = 0; k < i->nsrc; k++)
		b->special |= reads_launch(ins_src(i, k));
}

static bool waits_for_blocks(Module *m, Function *f, EffectCache *effects)
{
	Arena tmp = { 0 };
	Analyses *an = analyses_open(m, f, effects, NULL, NULL);
	const Waits *w = waits_build(&tmp, analysis_cfg(an), analysis_dom(an), analysis_loops(an),
		analysis_control(an), analysis_ssa(an), analysis_effects(an), WAITS_FOR_BLOCKS);
	bool is = waits_any(w, &(WaitPlace){ 0 });
	analyses_close(an);
	arena_free(&tmp);
	return is;
}

static FusionBody body_of(Module *m, const Function *kernel, EffectCache *effects, Arena *a)
{
	FusionBody b = { .m = m, .kernel = kernel, .arena = a, .func = bs_new(a, m->func.n),
		.symbol = bs_new(a, m->symbol.n) };
	module_uses(m, kernel->id, b.func, b.symbol);
	b.waits = waits_for_blocks(m, m->func.v[kernel->id], effects);
	bs_each(b.func, k)
		for (int at = 0; at < m->func.v[k]->block.n; at++)
			for (int i = 0; i < m->func.v[k]->block.v[at]->ins.n; i++)
				note_body_ins(&b, m->func.v[k], &m->func.v[k]->block.v[at]->ins.v[i]);
	return b;
}

/* ---- barriers ---- */

/* May threads of the scope be apart in a block where they meet? By block. */
static BitSet apart_in(const Couple *k, Arena *a, const Cfg *c, UniScope scope)
{
	UniformityOptions o = { .scope = scope, .warp_size = k->warp_size };
	memcpy(o.block, k->facts.block, sizeof o.block);
	memcpy(o.grid, k->facts.grid, sizeof o.grid);
	return uniformity_apart(a, c, uniformity_build_for(a, c, o));
}

/* Of which threads must all come to the instruction, if some do? Returns false where there are none. */
static bool scope_of(const FusionBody *b, const Ins *i, UniScope *scope)
{
	int kind = op_info[i->op].kind;
	bool counted = i->nsrc - (i->op == OP_BARRED) > 1 && ins_src(i, 1)->kind != OPD_NONE;
	*scope = i->op == OP_BARGRID ? UNI_GRID : kind == K_BAR || kind == K_CALL ? UNI_BLOCK : UNI_WARP;
	return i->op == OP_BARGRID || (kind == K_BAR && !counted) || is_warp_level(kind) ||
		(kind == K_CALL && (b->called.any || b->warps));
}

/* Looks in the first body for barriers, warp-level operations, and calls of functions with such, to which not
   all threads need come. Threads that do not come would wait at the join meanwhile: the operation would miss
   them, or would take them to have come. Returns a clause about the first one found, or NULL. */
static const char *meeting_apart(const Couple *couple, const FusionBody *b)
{
	Arena tmp = { 0 };
	const char *why = NULL;
	const Cfg *c = cfg_build(&tmp, b->m->func.v[b->kernel->id]);
	BitSet apart[3];
	for (UniScope s = UNI_WARP; s <= UNI_GRID; s++)
		apart[s] = apart_in(couple, &tmp, c, s);
	for (int k = 0; k < c->nreach && !why; k++)
		for (int at = 0; at < c->rpo[k]->ins.n && !why; at++) {
			const Ins *i = &c->rpo[k]->ins.v[at];
			UniScope scope;
			if (scope_of(b, i, &scope) && (i->guard >= 0 || bs_has(apart[scope], c->rpo[k]->id)))
				why = arena_printf(b->arena, "not all threads need come to the %s of %s in "
					"line %d, and those that do not would wait behind %s's body",
					op_info[i->op].name, b->kernel->name, i->line, b->kernel->name);
		}
	arena_free(&tmp);
	return why;
}

static const char *barriers_refuse(Couple *c, const FusionBody *b, Arena *a)
{
	BodyBarriers x = b[0].barriers, y = b[1].barriers;
	if (b[0].called.any)
		return arena_printf(a, "%s waits at a barrier in a function that it calls",
			b[0].kernel->name);
	if (x.counted && (x.unknown || y.unknown || b[1].called.unknown))
		return arena_printf(a, "the number of a barrier in %s is not known, and warps may run ahead",
			b[x.unknown ? 0 : 1].kernel->name);
	if (x.counted_numbers & (y.numbers | b[1].called.numbers))
		return arena_printf(a, "%s and %s wait at the same barrier, and in %s for some threads of "
			"the block", b[0].kernel->name, b[1].kernel->name, b[0].kernel->name);
	c->barrier = __builtin_ctz(~x.counted_numbers);
	return c->barrier < BARRIERS ? NULL : "no barrier is left for the join";
}

/* ---- memory of the launch ---- */

static bool uses_dynamic(const FusionBody *b)
{
	bs_each(b->symbol, k)
		if (b->m->symbol.v[k]->space == SP_SHARED && !b->m->symbol.v[k]->count)
			return true;
	return false;
}

/* A function that the kernel calls names dynamic shared memory. The second kernel's is moved behind the first
   one's, which is done for addresses in the kernel itself alone. */
static bool dynamic_below(const FusionBody *b)
{
	bool found = false;
	bs_each(b->func, k)
		if (k != b->kernel->id)
			for (int at = 0; at < b->m->func.v[k]->block.n; at++)
				for (int n = 0; n < b->m->func.v[k]->block.v[at]->ins.n; n++) {
					const Ins *i = &b->m->func.v[k]->block.v[at]->ins.v[n];
					for (int o = 0; o < i->nsrc; o++)
						found |= ins_src(i, o)->kind == OPD_SYM &&
							b->m->symbol.v[ins_src(i, o)->id]->space ==
							SP_SHARED && !b->m->symbol.v[ins_src(i,
							o)->id]->count;
				}
	return found;
}

static const char *shared_refuses(Couple *c, const FusionBody *b, Arena *a)
{
	for (int k = 0; k < 2; k++) {
		c->dynamic[k] = uses_dynamic(&b[k]);
		if (b[k].shared_number)
			return arena_printf(a, "%s uses shared memory at an address that is a number",
				b[k].kernel->name);
	}
	if (!c->dynamic[0] || !c->dynamic[1])
		return NULL;
	if (dynamic_below(&b[1]))
		return arena_printf(a, "a function that %s calls uses the shared memory that is given at the "
			"launch", b[1].kernel->name);
	uint32_t align = 16;
	for (int s = 0; s < b[0].m->symbol.n; s++)
		if (b[0].m->symbol.v[s]->space == SP_SHARED && !b[0].m->symbol.v[s]->count &&
			b[0].m->symbol.v[s]->align > align)
			align = b[0].m->symbol.v[s]->align;
	HostValue bytes = host_value(&c->place, ins_src(c->launch[0], LAUNCH_ARGS - 2), T_U32);
	c->begin_align = align;
	c->begin_given = bytes.kind != VALUE_NUMBER;
	if (!c->begin_given && bytes.number > INT32_MAX / 2)
		return arena_printf(a, "%s is given more shared memory than there can be", b[0].kernel->name);
	c->begin = c->begin_given ? 0 : ((uint32_t)bytes.number + align - 1) / align * align;
	return NULL;
}

/* Returns a clause about a variable in global or constant memory that only the kernel can name; NULL: it has
   none. */
static const char *own_variable(const FusionBody *b)
{
	bs_each(b->symbol, k) {
		const Symbol *s = b->m->symbol.v[k];
		if (s->owner == b->kernel->id && s->space != SP_SHARED && s->space != SP_LOCAL)
			return arena_printf(b->arena, "%s has the variable %s to itself", b->kernel->name,
				s->name);
	}
	return NULL;
}

static const char *kernel_refuses(const FusionBody *b)
{
	const Function *f = b->kernel;
	Loc where;
	StrBuf text = { 0 };
	const char *why = NULL;
	if (kernel_refused(b->m, f, &where, &text))
		why = arena_printf(b->arena, "%s cannot run", f->name);
	sb_free(&text);
	for (int k = 0; k < f->param.n && !why; k++)
		if (f->param.v[k].count != 1)
			why = arena_printf(b->arena, "%s takes a structure", f->name);
	if (!why && b->special)
		why = arena_printf(b->arena, "%s asks for what its launch is given", f->name);
	return why ? why : own_variable(b);
}

const char *bodies_refuse(Couple *c, Module *m, EffectCache *effects, Arena *a)
{
	for (int k = 0; k < 2; k++)
		if (c->kernel[k]->declared_only || !c->kernel[k]->block.n || c->kernel[k]->refused.what)
			return arena_printf(a, "%s has no body", c->kernel[k]->name);
	FusionBody b[2] = { body_of(m, c->kernel[0], effects, a), body_of(m, c->kernel[1], effects, a) };
	const char *why = kernel_refuses(&b[0]);
	why = why ? why : kernel_refuses(&b[1]);
	if (!why && b[0].ends_below)
		why = arena_printf(a, "threads of %s may end in a function that it calls",
			c->kernel[0]->name);
	if (!why && b[0].prints && b[1].prints)
		why = "both kernels print";
	why = why ? why : barriers_refuse(c, b, a);
	why = why ? why : shared_refuses(c, b, a);
	if (!why && (b[0].barriers.all || b[0].grid || b[0].warps))
		why = meeting_apart(c, &b[0]);
	for (int k = 1; k >= 0; k--)
		if (b[k].grid || b[k].waits)
			c->waits = c->kernel[k];
	return why;
}
