/* Judges launches, and keeps the fused kernels with what they are made of, so that none is made twice. */
#include "passes/analysis/limits.h"
#include "passes/constants.h"
#include "passes/options.h"
#include "passes/transform/fusion/own.h"

const char *const fusion_between[] = { "nothing", "a block barrier", "a barrier of the grid" };

typedef struct MadeKernel {              /* a fused kernel, and what it was made of (as in Couple) */
	const Function *kernel[2];
	int *param[2];
	uint32_t begin;
	bool begin_given;
	FusionBetween between;
	int barrier;
	Fused fused;
} MadeKernel;

struct Fusion {
	PassRun *r;
	FusionOptions o;
	Arena arena;
	Vec(MadeKernel) made;
};

Fusion *fusion_open(PassRun *r, const FusionOptions *o)
{
	Fusion *f = xcalloc(1, sizeof *f);
	f->r = r;
	f->o = *o;
	return f;
}

void fusion_close(Fusion *f)
{
	vec_free(&f->made);
	arena_free(&f->arena);
	free(f);
}

/* ---- what the host says ---- */

/* Compares operand k of the two launches. NULL: both have the same value; else words for a remark. */
static const char *operands_differ(const HostPlace *p, const Ins *a, const Ins *b, int k, Type t)
{
	HostValue x = host_value(p, ins_src(a, k), t), y = host_value(p, ins_src(b, k), t);
	return host_same(x, y) ? NULL : x.kind == VALUE_NUMBER && y.kind == VALUE_NUMBER ? "differ"
		: "are not known to be equal";
}

static const char *launches_differ(const Couple *c, Arena *a)
{
	static const char *const what[] = { "grids", "grids", "grids", "blocks", "blocks", "blocks", NULL,
		"streams" };
	for (int k = 1; k <= LAUNCH_STREAM; k++) {
		const char *how = what[k - 1] ? operands_differ(&c->place, c->launch[0], c->launch[1], k,
			T_U32) : NULL;
		if (how)
			return arena_printf(a, "the %s of %s and %s %s", what[k - 1], c->kernel[0]->name,
				c->kernel[1]->name, how);
	}
	const uint32_t *x = c->kernel[0]->reqntid, *y = c->kernel[1]->reqntid;
	for (int k = 0; k < 3 && x[0] && y[0]; k++)
		if ((x[k] ? x[k] : 1) != (y[k] ? y[k] : 1))
			return arena_printf(a, "%s and %s ask for different extents of a block",
				c->kernel[0]->name, c->kernel[1]->name);
	return NULL;
}

static void find_launch_facts(Couple *c)
{
	for (int k = 0; k < 6; k++) {
		HostValue v = host_value(&c->place, ins_src(c->launch[0], 1 + k), T_U32);
		uint32_t *to = k < 3 ? &c->facts.grid[k] : &c->facts.block[k - 3];
		*to = v.kind == VALUE_NUMBER ? (uint32_t)v.number : 0;
	}
}

/* what a parameter of the fused kernel gets */
typedef struct GivenParam { HostValue value; uint32_t size, align; } GivenParam;

/* Gives numbers to the parameters of the fused kernel: parameters of both kernels that get the same value
   share one. */
static void find_params(Couple *c, Arena *a)
{
	GivenParam *given = arena_array(a, GivenParam, c->kernel[0]->param.n + c->kernel[1]->param.n + 1);
	for (int s = 0; s < 2; s++) {
		c->param[s] = arena_array(a, int, c->kernel[s]->param.n + 1);
		for (int k = 0; k < c->kernel[s]->param.n; k++) {
			const Param *p = &c->kernel[s]->param.v[k];
			HostValue v = host_value(&c->place, ins_src(c->launch[s], LAUNCH_ARGS + k),
				(Type)p->type);
			int j = 0;
			while (j < c->nparam && !(given[j].size == p->size && given[j].align == p->align &&
				host_same(given[j].value, v)))
				j++;
			c->param[s][k] = j;
			if (j == c->nparam)
				given[c->nparam++] = (GivenParam){ v, p->size, p->align };
		}
	}
}

static Couple couple_of(Fusion *f, Analyses *host, int block, int ins, const Ins *first, const Ins *second)
{
	const Module *m = f->r->m;
	Couple c = { .launch = { first, second }, .place = host_place(host, block, ins),
		.warp_size = limits_of(f->r->limits)->warp_size };
	c.kernel[0] = m->func.v[ins_src(first, 0)->id];
	c.kernel[1] = m->func.v[ins_src(second, 0)->id];
	return c;
}

static int instructions(const Function *f)
{
	int n = 0;
	for (int k = 0; k < f->block.n; k++)
		n += f->block.v[k]->ins.n;
	return n;
}

/* The number of kernels of the source of which the kernel is made. */
static int bodies_of(const Fusion *f, const Function *kernel)
{
	int n = f->o.bodies ? strmap_get(f->o.bodies, kernel->name) : 1;
	return n < 0 ? 1 : n;
}

/* Returns why the launches are not fused, whatever global memory the kernels touch; NULL: nothing speaks
   against it. */
static const char *refuse_couple(Fusion *f, Couple *c, EffectCache *effects)
{
	/* the most bytes of parameters of doc/ir.md, less room for alignment and for one more parameter */
	enum { PARAM_BYTES = 32764 - 16 };
	if (c->launch[0]->guard >= 0 || c->launch[1]->guard >= 0)
		return "a launch is guarded";
	if ((c->launch[0]->flags | c->launch[1]->flags) & INSF_COOPERATIVE)
		/* blocks of a cooperative launch may wait for each other, in a workspace that the launch
		   has */
		return "a launch is cooperative";
	if (c->kernel[0] == c->kernel[1] && !f->o.same_kernel)
		return arena_printf(&f->arena, "both launch %s", c->kernel[0]->name);
	const char *why = launches_differ(c, &f->arena);
	if (why)
		return why;
	if (c->kernel[0]->param_bytes + c->kernel[1]->param_bytes > PARAM_BYTES)
		return "both together have too many parameters";
	if (instructions(c->kernel[0]) + instructions(c->kernel[1]) > FUSION_INSTRUCTIONS)
		return arena_printf(&f->arena, "%s and %s have more than %d instructions together",
			c->kernel[0]->name, c->kernel[1]->name, FUSION_INSTRUCTIONS);
	if (bodies_of(f, c->kernel[0]) + bodies_of(f, c->kernel[1]) > FUSION_BODIES)
		return arena_printf(&f->arena, "%s and %s are made of more than %d kernels",
			c->kernel[0]->name, c->kernel[1]->name, FUSION_BODIES);
	find_launch_facts(c);
	return bodies_refuse(c, f->r->m, effects, &f->arena);
}

/* ---- which buffers parameters lead to ---- */

static void find_leads(Couple *c, Analyses *host, const Fused *to, const Module *m, Arena *a)
{
	const Buffers *b = analysis_buffers(host);
	BitSet *param = arena_array(a, BitSet, to->f->param.n + 1),
		*symbol = arena_array(a, BitSet, m->symbol.n + 1);
	int n = 0, most = c->kernel[0]->param.n + c->kernel[1]->param.n;
	const Opd **given = arena_array(a, const Opd *, most + 1);
	BitSet *lead = arena_array(a, BitSet, most + 1);
	for (int s = 0; s < 2; s++)
		for (int k = 0; k < c->kernel[s]->param.n; k++) {
			int p = c->param[s][k];
			if (c->kernel[s]->param.v[k].size != 8)
				continue;
			param[p] = param[p].w ? param[p] : bs_new(a, b->n);
			lead[n] = param[p];
			given[n++] = ins_src(c->launch[s], LAUNCH_ARGS + k);
		}
	buffers_lead(b, c->place.c, m, c->place.block, c->place.ins, given, n, lead);
	for (int k = 0; k < b->n; k++)
		if (b->buffer[k].symbol >= 0) {
			symbol[b->buffer[k].symbol] = bs_new(a, b->n);
			bs_add(symbol[b->buffer[k].symbol], k);
		}
	c->facts.param_leads = param;
	c->facts.symbol_leads = symbol;
}

/* ---- verdicts ---- */

static bool refuse_fusion(FusionVerdict *v, const char *why)
{
	v->may = false;
	v->why = why;
	return false;
}

/* blocks: how many blocks of the fused kernel are certain to be resident at once. known: it is known how many
   bytes of dynamic shared memory the launches are given; if not, `blocks` leaves these bytes out. grows: the
   fused kernel needs more shared memory than one of the two kernels, which may have been given as much as the
   machine has. */
typedef struct FusionRoom { int64_t blocks; bool known, grows; } FusionRoom;

static FusionRoom room_of(const Fusion *f, const Couple *c, const EffectTable *effects, const Fused *to)
{
	FusionRoom r = { .known = true, .grows = c->dynamic[0] && c->dynamic[1] };
	int64_t *offset = xcalloc((size_t)effects->m->symbol.n + 1, sizeof *offset);
	uint64_t dynamic = c->begin;
	for (int k = 0; k < 2; k++) {
		HostValue bytes = host_value(&c->place, ins_src(c->launch[k], LAUNCH_ARGS - 2), T_U32);
		if (!c->dynamic[k])
			continue;
		r.known &= bytes.kind == VALUE_NUMBER;
		r.grows |= layout_shared(effects->m, to->f, offset) > layout_shared(effects->m, c->kernel[k],
			offset);
		dynamic += k || !c->dynamic[1] ? bytes.number : 0;
	}
	free(offset);
	dynamic = r.known ? dynamic : 0;
	if (dynamic <= UINT32_MAX)
		r.blocks = limits_resident(limits_of(f->r->limits), effects, to->f, c->facts.block,
			(uint32_t)dynamic);
	return r;
}

static bool all_resident(const Couple *c, const FusionRoom *r)
{
	const uint32_t *g = c->facts.grid;
	HostValue stream = host_value(&c->place, ins_src(c->launch[0], LAUNCH_STREAM), T_U32);
	/* while a launch of the default stream runs, no other grid takes room */
	bool alone = stream.kind == VALUE_NUMBER && !stream.number;
	return alone && r->known && g[0] && g[1] && g[2] && (MemWide)g[0] * g[1] * g[2] <= r->blocks;
}

static bool weigh_fusion(Fusion *f, const Couple *c, const Dependence *x, const FusionRoom *r,
	FusionVerdict *v)
{
	v->between = x->in_block || x->between_blocks ? FUSION_BLOCK : FUSION_NOTHING;
	v->assumed = x->assumed;
	v->dependence = x->between_blocks;
	v->why = x->why;
	v->at[0] = x->at[0];
	v->at[1] = x->at[1];
	v->unmeasured = !r->known && r->grows && f->o.assume_no_grid_sync;
	if (!r->blocks)
		return refuse_fusion(v, "a block of both together may take more shared memory or registers "
			"than there are");
	if (!r->known && r->grows && !v->unmeasured)
		return refuse_fusion(v, "how much shared memory both together take is not known");
	v->no_grid_sync = c->waits && !all_resident(c, r);
	if (v->no_grid_sync && !f->o.assume_no_grid_sync)
		return refuse_fusion(v, arena_printf(&f->arena,
			"%s may wait for other blocks, and not all are certain to be resident at once",
			c->waits->name));
	if (x->between_blocks && f->o.grid_barrier && all_resident(c, r)) {
		v->between = FUSION_GRID;
		return v->may = true;
	}
	if (x->between_blocks && !f->o.assume_no_grid_sync)
		return refuse_fusion(v, x->why);
	v->no_grid_sync |= x->between_blocks;
	return v->may = true;
}

bool fusion_judge(Fusion *f, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
	FusionVerdict *v)
{
	*v = (FusionVerdict){ 0 };
	Couple c = couple_of(f, host, block, ins, first, second);
	const char *why = refuse_couple(f, &c, host->effects);
	if (why)
		return refuse_fusion(v, why);
	Arena tmp = { 0 };
	find_params(&c, &tmp);
	Module *view = module_view(f->r->m);
	Fused to = fusion_build(view, f->r->origin, &c, &tmp);
	find_leads(&c, host, &to, f->r->m, &tmp);
	EffectTable effects = { view, analysis_effects(host)->function };
	Dependence x;
	depend_find(view, &effects, &c, &to, MEM_IN_BOUNDS | (f->o.assume_no_wrap ? MEM_NO_WRAP : 0), &x,
		&f->arena);
	for (int k = 0; k < 2; k++)
		x.at[k].file = x.at[k].file ? arena_strdup(&f->arena, x.at[k].file) : NULL;
	FusionRoom room = room_of(f, &c, &effects, &to);
	bool may = weigh_fusion(f, &c, &x, &room, v);
	module_free(view);
	arena_free(&tmp);
	return may;
}

/* ---- making ---- */

static const MadeKernel *find_made(const Fusion *f, const Couple *c)
{
	for (int k = 0; k < f->made.n; k++) {
		const MadeKernel *x = &f->made.v[k];
		if (x->kernel[0] == c->kernel[0] && x->kernel[1] == c->kernel[1] && x->begin == c->begin &&
			x->begin_given == c->begin_given && x->between == c->between &&
			x->barrier == c->barrier && !memcmp(x->param[0], c->param[0],
			sizeof *c->param[0] * (size_t)c->kernel[0]->param.n) &&
			!memcmp(x->param[1], c->param[1], sizeof *c->param[1] *
			(size_t)c->kernel[1]->param.n))
			return x;
	}
	return NULL;
}

static const MadeKernel *make_fused(Fusion *f, const Couple *c)
{
	const MadeKernel *old = find_made(f, c);
	if (old)
		return old;
	vec_push(&f->made, ((MadeKernel){ { c->kernel[0], c->kernel[1] }, { c->param[0], c->param[1] },
		c->begin,
		c->begin_given, c->between, c->barrier, fusion_build(f->r->m, f->r->origin, c, &f->arena) }));
	pass_count(f->r, "kernels made", 1);
	const MadeKernel *new = &vec_last(&f->made);
	if (f->o.bodies)
		strmap_put(f->o.bodies, new->fused.f->name,
			bodies_of(f, c->kernel[0]) + bodies_of(f, c->kernel[1]));
	return new;
}

static Opd put_host_alu(Edit *host, Block *b, int *ins, const Ins *like, Op op, Opd x, Opd y)
{
	Ins i = edit_new(host, like, op, op == OP_AND ? T_B32 : T_U32, 1, 2);
	i.opd[0] = opd_reg(edit_temp(host, T_U32));
	i.opd[1] = x;
	i.opd[2] = y;
	edit_insert(host, b, (*ins)++, i);
	return opd_reg(i.opd[0].id);
}

/* The operand of the fused launch that gives the bytes of dynamic shared memory: the first kernel's, and
   behind them the second one's. *begin becomes the offset, in bytes, at which the second one's begin. Host
   code that computes these is inserted before instruction `ins` of the block. */
static Opd shared_bytes(const Couple *c, Edit *host, Block *b, int ins, const Ins *like, Opd *begin)
{
	const Opd *bytes[2] = { ins_src(c->launch[0], LAUNCH_ARGS - 2),
		ins_src(c->launch[1], LAUNCH_ARGS - 2) };
	*begin = opd_imm(c->begin);
	if (!c->dynamic[0] || !c->dynamic[1])
		return c->dynamic[0] ? *bytes[0] : c->dynamic[1] ? *bytes[1] : opd_imm(0);
	if (c->begin_given) {
		*begin = put_host_alu(host, b, &ins, like, OP_ADD, *bytes[0], opd_imm(c->begin_align - 1));
		*begin = put_host_alu(host, b, &ins, like, OP_AND, *begin, opd_imm(-(int64_t)c->begin_align));
	}
	HostValue second = host_value(&c->place, bytes[1], T_U32);
	if (!c->begin_given && second.kind == VALUE_NUMBER)
		return opd_imm((int64_t)(second.number + c->begin));
	return put_host_alu(host, b, &ins, like, OP_ADD, *bytes[1], *begin);
}

Ins fusion_make(Fusion *f, Analyses *host, Edit *e, Block *b, int ins, const Ins *first, const Ins *second,
	const FusionVerdict *v)
{
	Couple c = couple_of(f, host, b->id, ins, first, second);
	must(v->may && !refuse_couple(f, &c, host->effects));
	find_params(&c, &f->arena);
	c.between = v->between;
	const Fused *to = &make_fused(f, &c)->fused;
	Ins launch = edit_new(e, first, OP_LAUNCH, T_NONE, 0, LAUNCH_ARGS + to->f->param.n);
	for (int k = 1; k < LAUNCH_ARGS; k++)
		launch.opd[k] = *ins_src(first, k);
	launch.opd[0] = (Opd){ OPD_FUNC, 0, to->f->id, 0 };
	for (int s = 1; s >= 0; s--)
		for (int k = 0; k < c.kernel[s]->param.n; k++)
			launch.opd[LAUNCH_ARGS + c.param[s][k]] = *ins_src(c.launch[s], LAUNCH_ARGS + k);
	Opd begin;
	launch.opd[LAUNCH_ARGS - 2] = shared_bytes(&c, e, b, ins, first, &begin);
	if (c.begin_given)
		launch.opd[LAUNCH_ARGS + c.nparam] = begin;
	if (v->unmeasured)
		pass_assumption(f->r, "shared-memory-fits", 1);
	int64_t once[MEM_ASSUMPTIONS];
	for (int k = 0; k < MEM_ASSUMPTIONS; k++)
		once[k] = v->assumed >> k & 1;
	pass_assumptions(f->r, once);
	if (v->no_grid_sync)
		pass_assumption(f->r, "no-grid-sync", 1);
	return launch;
}
