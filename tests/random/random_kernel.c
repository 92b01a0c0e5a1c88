/* Random kernels: the frame around what random_flow.c and its neighbours fill in. */
#include "tests/random/random_gen.h"
#include "lib/strbuf.h"
#include "tests/random.h"

uint64_t rnd64(Gen *g) { return random_next(&g->state); }
/* data: never a choice */
static uint32_t noise(Gen *g, uint32_t n) { return (uint32_t)((rnd64(g) >> 32) * n >> 32); }

uint32_t rnd(Gen *g, uint32_t n)
{
	size_t bytes = n <= 256 ? 1 : 4;
	uint32_t v = 0;
	if (n < 2 || g->chosen + bytes > g->p->nchoices) {
		v = noise(g, n);
	} else {
		memcpy(&v, g->p->choices + g->chosen, bytes);
		g->chosen += bytes;
		v %= n;
	}
	bool anew = g->unlike && random_next(&g->anew) % 1000 < (uint64_t)g->unlike;
	return anew && n ? (uint32_t)(random_next(&g->anew) % n) : v;
}

bool chance(Gen *g, int percent) { return rnd(g, 100) < (uint32_t)percent; }
void used(Gen *g, Features feature) { g->k->features |= feature; }

/* ---- parameters of the kernel, its shape, its data ---- */

static Features choose_features(Gen *g)
{
	static const uint8_t likely[RF_COUNT] = { [RF_PARTIAL_BIT] = 15, [RF_RECURSION_BIT] = 35,
		[RF_INDIRECT_BIT] = 65,
		[RF_EXIT_BIT] = 50, [RF_CALL_BIT] = 60, [RF_DOUBLE_BIT] = 50, [RF_DEEP_BIT] = 10 };
	Features on = 0;
	for (int k = 0; k < RF_POINT_BIT; k++) /* points are chosen when the rest is made */
		if (chance(g, likely[k] ? likely[k] : 75))
			on |= (Features)1 << k;
	on &= g->p->features;
	if (g->p->apart)
		on = (on & ~RF_PARTIAL) | RF_WARP;
	if (g->p->ends)
		on |= RF_EXIT | RF_SHARED;
	if (on & RF_PARTIAL || g->p->warp_size & (g->p->warp_size - 1))
		on &= ~RF_WARP;
	return on;
}

static void choose_shape(Gen *g)
{
	RandomKernel *k = g->k;
	uint32_t warps = rnd(g, 8) ? 1 + rnd(g, 2) : 3, ws = (uint32_t)g->p->warp_size;
	uint32_t threads = warps * ws;
	k->block[0] = threads;
	k->block[1] = 1;
	if (has(g, RF_PARTIAL)) {
		k->block[0] = 1 + rnd(g, threads);
		if (k->block[0] % ws)
			used(g, RF_PARTIAL);
	} else if (threads % 2 == 0 && chance(g, 20)) {
		k->block[0] = threads / 2;
		k->block[1] = 2;
	}
	k->block[2] = 1;
	k->grid[0] = rnd(g, 4) ? 1 + rnd(g, 2) : 3;
	k->grid[1] = k->grid[2] = 1;
	k->threads = k->block[0] * k->block[1] * k->grid[0];
	k->out_bytes = k->threads * (RANDOM_SLOT_BYTES + RANDOM_FINALS * 8);
	k->n = rnd(g, 1000);
	for (int i = 0; i < RANDOM_IN_BYTES; i++)
		k->in[i] = (uint8_t)noise(g, 256);
	for (int i = 0; i + 4 <= RANDOM_IN_BYTES / 4; i += 4) { /* some floats of ordinary size */
		k->in[i + 3] = 0x3f + (k->in[i + 3] & 0x81);
		k->in[i + 2] &= 0x7f;
	}
	for (int i = 0; i < RANDOM_ACC_BYTES; i++)
		k->acc[i] = (uint8_t)noise(g, 256);
}

static int symbol(Gen *g, const char *name, Space space, Type t, uint64_t count, int owner)
{
	Symbol *s = arena_new(&g->m->arena, Symbol);
	s->name = arena_strdup(&g->m->arena, name);
	s->space = (uint8_t)space;
	s->type = (uint8_t)t;
	s->count = count;
	s->align = (uint32_t)type_bytes(t) < 8 && space == SP_LOCAL ? 8 : (uint32_t)type_bytes(t);
	s->size = count * (uint64_t)type_bytes(t);
	s->array = true;
	s->external = count == 0;
	s->owner = owner;
	s->loc = here(g);
	vec_push(&g->m->symbol, s);
	return g->m->symbol.n - 1;
}

static void make_data(Gen *g)
{
	uint64_t threads = g->k->block[0] * g->k->block[1];
	uint64_t words = threads < 8 ? 8 : threads;
	g->table = symbol(g, "table", SP_CONST, T_U32, TABLE_WORDS, -1);
	uint8_t *init = arena_alloc(&g->m->arena, TABLE_WORDS * 4);
	for (int i = 0; i < TABLE_WORDS * 4; i++)
		init[i] = (uint8_t)noise(g, 256);
	g->m->symbol.v[g->table]->init = init;
	static const char text[] = "%d %#x|%5u %-4x %c %.3o %hd %08X\n"; /* LOCAL_WORDS words */
	g->format = symbol(g, "format", SP_GLOBAL, T_B8, sizeof text, -1);
	g->m->symbol.v[g->format]->init = arena_alloc(&g->m->arena, sizeof text);
	memcpy(g->m->symbol.v[g->format]->init, text, sizeof text);
	g->functions = -1;
	if (has(g, RF_CALL) && has(g, RF_INDIRECT)) {
		g->functions = symbol(g, "functions", rnd(g, 2) ? SP_CONST : SP_GLOBAL, T_U64, FUNCS_MOST,
			-1);
		g->m->symbol.v[g->functions]->init = arena_alloc(&g->m->arena, FUNCS_MOST * 8);
	}
	g->mine = g->shared_in = g->shared_out = -1;
	if (!has(g, RF_SHARED))
		return;
	g->shared_in = symbol(g, "exchanged", SP_SHARED, T_U64, words, -1);
	g->shared_out = symbol(g, "of_warp", SP_SHARED, T_U32, words, -1);
	bool dynamic = chance(g, 30);
	g->mine = symbol(g, "mine", SP_SHARED, T_U32, dynamic ? 0 : words, -1);
	g->k->dynamic_shared = dynamic ? (uint32_t)words * 4 : 0;
}

/* ---- functions ---- */

static void make_pools(Gen *g)
{
	static const struct { Type type; int least, more; } pools[POOL_COUNT] = {
		[POOL_16] = { T_U16, 2, 2 }, [POOL_32] = { T_U32, 4, 5 }, [POOL_64] = { T_U64, 2, 3 },
		[POOL_F32] = { T_F32, 3, 3 },
		[POOL_F64] = { T_F64, 2, 2 }, [POOL_PRED] = { T_PRED, 3, 3 },
		[POOL_UNIFORM] = { T_U32, 2, 2 },
	};
	for (int p = 0; p < POOL_COUNT; p++) {
		bool off = (p == POOL_F32 && !has(g, RF_FLOAT)) || (p == POOL_F64 && !has(g, RF_DOUBLE));
		g->npool[p] = off ? 0 : g->device ? 2 : pools[p].least + (int)rnd(g, (uint32_t)pools[p].more);
		for (int k = 0; k < g->npool[p]; k++)
			g->pool[p][k] = fresh(g, pools[p].type);
	}
}

static void set(Gen *g, int reg, const char *mnemonic, Opd a)
{
	Ins i = op(g, mnemonic, 1, 1);
	i.opd[0] = opd_reg(reg);
	i.opd[1] = a;
	emit(g, i);
}

static Opd in_word(Gen *g, int bytes)
{
	return (Opd){ OPD_REG, 0, g->in, (int64_t)(rnd(g, (uint32_t)(RANDOM_IN_BYTES / bytes))) * bytes };
}

/* Word number (tid + k) of the input, in a register of the pool: threads begin with different data. */
static void load_own(Gen *g, int reg, const char *mnemonic, int bytes)
{
	int index = emit2(g, "add.u32", T_U32, opd_reg(g->tid), opd_imm(rnd(g, 256)));
	int wrapped = emit2(g, "and.b32", T_U32, opd_reg(index), opd_imm(RANDOM_IN_BYTES / bytes - 1));
	int wide = emit2(g, "mul.wide.u32", T_U64, opd_reg(wrapped), opd_imm(bytes));
	int addr = emit2(g, "add.u64", T_U64, opd_reg(g->in), opd_reg(wide));
	set(g, reg, mnemonic, opd_reg(addr));
}

static void set_pools(Gen *g)
{
	for (int k = 0; k < g->npool[POOL_UNIFORM]; k++)
		if (!g->device && rnd(g, 2))
			set(g, g->pool[POOL_UNIFORM][k], "ld.global.u32", in_word(g, 4));
		else
			set(g, g->pool[POOL_UNIFORM][k], "mov.u32",
				rnd(g, 2) ? opd_imm(rnd(g, 64)) : (Opd){ OPD_SREG, 0, SREG_CTAID_X, 0 });
	for (int k = 0; k < g->npool[POOL_32]; k++)
		if (k == 0 || (!g->device && k < 3 && rnd(g, 2)))
			load_own(g, g->pool[POOL_32][k], "ld.global.u32", 4);
		else
			set(g, g->pool[POOL_32][k], "mov.u32", rnd(g, 2) ? opd_reg(g->tid)
				: opd_imm((int32_t)rnd64(g)));
	for (int k = 0; k < g->npool[POOL_16]; k++)
		set(g, g->pool[POOL_16][k], "cvt.u16.u32", opd_reg(g->pool[POOL_32][k % g->npool[POOL_32]]));
	for (int k = 0; k < g->npool[POOL_64]; k++)
		set(g, g->pool[POOL_64][k], "ld.global.u64", in_word(g, 8));
	for (int k = 0; k < g->npool[POOL_F32]; k++)
		if (k)
			set(g, g->pool[POOL_F32][k], "cvt.rn.f32.s32",
				opd_reg(g->pool[POOL_32][k % g->npool[POOL_32]]));
		else
			set(g, g->pool[POOL_F32][k], "ld.global.f32",
				(Opd){ OPD_REG, 0, g->in, 4 * (int64_t)rnd(g, 64) });
	for (int k = 0; k < g->npool[POOL_F64]; k++)
		set(g, g->pool[POOL_F64][k], "cvt.rn.f64.s32",
			opd_reg(g->pool[POOL_32][k % g->npool[POOL_32]]));
	for (int k = 0; k < g->npool[POOL_PRED]; k++) {
		Ins i = op(g, "setp.lt.u32", 1, 2);
		i.opd[0] = opd_reg(g->pool[POOL_PRED][k]);
		i.opd[1] = opd_reg(g->pool[POOL_32][k % g->npool[POOL_32]]);
		i.opd[2] = opd_imm(k == 0 ? 8 : (int64_t)(int32_t)rnd64(g));
		emit(g, i);
	}
}

/* %tid: the thread's number in its block */
static void set_tid(Gen *g)
{
	int x = emit1(g, "mov.u32", T_U32, (Opd){ OPD_SREG, 0, SREG_TID_X, 0 });
	if (g->k->block[1] == 1) {
		g->tid = x;
		return;
	}
	int y = emit1(g, "mov.u32", T_U32, (Opd){ OPD_SREG, 0, SREG_TID_Y, 0 });
	int width = emit1(g, "mov.u32", T_U32, (Opd){ OPD_SREG, 0, SREG_NTID_X, 0 });
	int row = emit2(g, "mul.lo.u32", T_U32, opd_reg(y), opd_reg(width));
	g->tid = emit2(g, "add.u32", T_U32, opd_reg(row), opd_reg(x));
}

/* Blocks in another order than control flow suggests; the entry stays first. */
static void shuffle_blocks(Gen *g)
{
	if (!chance(g, 25))
		return;
	for (int k = g->f->block.n - 1; k > 1; k--) {
		int j = 1 + (int)rnd(g, (uint32_t)k);
		Block *b = g->f->block.v[k];
		g->f->block.v[k] = g->f->block.v[j];
		g->f->block.v[j] = b;
	}
	function_number(g->f);
}

static void start_function(Gen *g, FuncKind kind, const char *name)
{
	g->f = function_new(g->m, kind, name);
	g->f->loc = here(g);
	g->device = kind == FN_DEVICE;
	g->nblock = g->nnest = 0;
	g->weight = 16;
	g->cost = 0;
	g->local = has(g, RF_LOCAL) && chance(g, 70) ? symbol(g, "array", SP_LOCAL, T_U32, LOCAL_WORDS,
		g->f->id) : -1;
}

enum { PROLOGUE = 24 };            /* instructions that a device function begins with, roughly */

static int argument(Gen *g, Type t)
{
	int r = fresh(g, t);
	vec_push(&g->f->arg, r);
	return r;
}

/* Predicates among the registers of the function: arguments, and results, which begin as some predicate. */
static void add_predicates(Gen *g, const int *arg)
{
	int *n = &g->npool[POOL_PRED];
	for (int k = 0; k < g->pred_args; k++)
		g->pool[POOL_PRED][(*n)++] = arg[k];
	for (int k = 0; k < g->pred_results; k++) {
		int r = g->f->ret.v[1 + k], of = pick(g, POOL_PRED);
		set(g, r, rnd(g, 2) ? "mov.pred" : "not.pred", opd_reg(of));
		g->pool[POOL_PRED][(*n)++] = r;
	}
}

static void make_device(Gen *g, int number)
{
	char name[16];
	snprintf(name, sizeof name, "f%d", number);
	Gen saved = *g;
	start_function(g, FN_DEVICE, name);
	g->limit = 16 * (8 + (int)rnd(g, 12));
	g->level = 0;
	g->may_exit = has(g, RF_EXIT) && chance(g, 30);
	open_block(g, block(g));
	int x = argument(g, T_U32), y = argument(g, T_F32), pred[PREDS_MOST];
	for (int k = 0; k < g->pred_args; k++)
		pred[k] = argument(g, T_PRED);
	g->in = argument(g, T_U64);
	g->slot = argument(g, T_U64);
	g->acc = argument(g, T_U64);
	g->depth = argument(g, T_U32);
	int r = fresh(g, T_U32), s = fresh(g, T_F32);
	vec_push(&g->f->ret, r);
	for (int k = 0; k < g->pred_results; k++)
		vec_push(&g->f->ret, fresh(g, T_PRED));
	vec_push(&g->f->ret, s);
	set(g, r, "mov.u32", opd_reg(x));
	set(g, s, "mov.f32", opd_reg(y));
	set_tid(g);
	make_pools(g);
	set_pools(g);
	add_predicates(g, pred);
	own_words(g);
	g->cost = 0;
	g->pool[POOL_32][0] = x; /* what was loaded there is dead */
	if (has(g, RF_FLOAT))
		g->pool[POOL_F32][0] = y;
	g->pool[POOL_32][1] = r;
	bool recursive = has(g, RF_RECURSION) && rnd(g, 2);
	if (recursive) { /* one call of itself, outside loops: the number of frames stays small */
		Block *base = block(g), *deeper = block(g);
		branch_if(g, emit2(g, "setp.eq.u32", T_PRED, opd_reg(g->depth), opd_imm(0)), base, deeper);
		open_block(g, base);
		return_here(g);
		open_block(g, deeper);
		recursive_call(g);
	}
	do
		sequence(g, 2);
	while (g->cost < g->limit);
	end_device(g);
	shuffle_blocks(g);
	if (g->functions >= 0)
		vec_push(&g->m->symbol.v[g->functions]->reloc,
			((Reloc){ .offset = 8 * (uint32_t)saved.nfunc, .func = true, .id = g->f->id }));
	saved.func[saved.nfunc] = g->f;
	saved.func_exits[saved.nfunc] = g->may_exit;
	saved.func_cost[saved.nfunc++] = (recursive ? (RECURSION_MOST + 2) / 2 : 1) *
		(g->cost + 16 * PROLOGUE);
	saved.state = g->state;
	saved.chosen = g->chosen;
	saved.returns = g->returns;
	saved.spaces = g->spaces;
	saved.chases = g->chases;
	saved.line = g->line;
	*g = saved;
}

/* ---- the kernel ---- */

static int parameter(Gen *g, const char *name, Type t)
{
	Function *f = g->f;
	uint32_t size = (uint32_t)type_bytes(t), offset = (f->param_bytes + size - 1) / size * size;
	vec_push(&f->param, ((Param){ .name = arena_strdup(&g->m->arena, name), .type = (uint8_t)t,
		.count = 1, .align = size,
		.offset = offset, .size = size }));
	f->param_bytes = offset + size;
	return f->param.n - 1;
}

static void prologue(Gen *g)
{
	int in = parameter(g, "in", T_U64), out = parameter(g, "out", T_U64),
		acc = parameter(g, "acc", T_U64);
	parameter(g, "n", T_U32);
	g->in = emit1(g, "ld.param.u64", T_U64, (Opd){ OPD_PARAM, 0, in, 0 });
	g->acc = emit1(g, "ld.param.u64", T_U64, (Opd){ OPD_PARAM, 0, acc, 0 });
	int base = emit1(g, "ld.param.u64", T_U64, (Opd){ OPD_PARAM, 0, out, 0 });
	set_tid(g);
	int cta = emit1(g, "mov.u32", T_U32, (Opd){ OPD_SREG, 0, SREG_CTAID_X, 0 });
	int before = emit2(g, "mul.lo.u32", T_U32, opd_reg(cta), opd_imm(g->k->block[0] * g->k->block[1]));
	int number = emit2(g, "add.u32", T_U32, opd_reg(before), opd_reg(g->tid));
	int wide = emit2(g, "mul.wide.u32", T_U64, opd_reg(number), opd_imm(RANDOM_SLOT_BYTES));
	g->slot = emit2(g, "add.u64", T_U64, opd_reg(base), opd_reg(wide));
	int eighth = emit2(g, "mul.wide.u32", T_U64, opd_reg(number), opd_imm(8));
	g->finals = emit2(g, "add.u64", T_U64, opd_reg(base), opd_reg(eighth));
	make_pools(g);
	set_pools(g);
	own_words(g);
}

/* Leaves most registers in `out`; the others leave some code dead. */
static void epilogue(Gen *g)
{
	static const char *const stores[POOL_COUNT] = { "st.global.u16", "st.global.u32", "st.global.u64",
		"st.global.f32",
		"st.global.f64", "st.global.u32", "st.global.u32" };
	int row = 0;
	for (int p = 0; p < POOL_COUNT; p++)
		for (int k = 0; k < g->npool[p]; k++) {
			int r = g->pool[p][k];
			if (chance(g, 35))
				continue;
			if (p == POOL_PRED) {
				Ins i = op(g, "selp.u32", 1, 3);
				int x = fresh(g, T_U32);
				i.opd[0] = opd_reg(x);
				i.opd[1] = opd_imm(1);
				i.opd[2] = opd_imm(2);
				i.opd[3] = opd_reg(r);
				emit(g, i);
				r = x;
			}
			Ins i = op(g, stores[p], 0, 2);
			i.opd[0] = (Opd){ OPD_REG, 0, g->finals,
				(int64_t)g->k->threads * (RANDOM_SLOT_BYTES + 8 * row++) };
			i.opd[1] = opd_reg(r);
			emit(g, i);
		}
	must(row <= RANDOM_FINALS);
}

static void make_kernel(Gen *g)
{
	start_function(g, FN_KERNEL, "random");
	g->k->kernel = g->f;
	open_block(g, block(g));
	g->level = 2;
	prologue(g);
	g->limit = g->cost + 16 * (g->p->size / 4 + (int)rnd(g, (uint32_t)g->p->size));
	do {
		sequence(g, 0);
		grid_statement(g);
	} while (g->cost < g->limit);
	if (has(g, RF_CALL))
		call_statement(g);
	if (has(g, RF_DEEP))
		deep_statement(g);
	early_statement(g);
	g->limit += 16 * (g->p->size / 4);
	g->level = 0; /* from here on threads may end */
	g->may_exit = has(g, RF_EXIT) && !g->end;
	while (g->cost < g->limit)
		sequence(g, 1);
	epilogue(g);
	last_accesses(g);
	if (g->end) {
		jump(g, g->end);
		open_block(g, g->end);
	}
	emit(g, op(g, "exit", 0, 0));
	shuffle_blocks(g);
}

RandomKernel *random_kernel_new(const RandomParams *p)
{
	must(p->warp_size >= 1 && p->warp_size <= 64 && p->size >= 1);
	Gen *g = xcalloc(1, sizeof *g);
	RandomKernel *k = xcalloc(1, sizeof *k);
	char name[64];
	snprintf(name, sizeof name, "random-%llu.ir", (unsigned long long)p->seed);
	g->p = p;
	g->k = k;
	g->state = p->seed * 0x2545f4914f6cdd1du;
	g->m = k->module = module_new(name);
	g->file = module_file(g->m, "random.cu");
	g->on = choose_features(g);
	g->idle = ~g->state;
	g->on |= p->seed % 2 ? p->features & RF_IDLE : 0;
	g->unfaulted = g->idle ^ 0x5851f42d4c957f2du;
	g->meeting = g->idle ^ 0x9e3779b97f4a7c15u;
	g->last = g->idle ^ 0x14057b7ef767814fu;
	g->early = g->idle ^ 0x2127599bf4325c37u;
	g->nans = g->idle ^ 0x2545f4914f6cdd1du;
	g->returns = g->idle ^ 0x6a09e667f3bcc909u;
	g->spaces = g->idle ^ 0xbb67ae8584caa73bu;
	g->chases = g->idle ^ 0x3c6ef372fe94f82bu;
	g->on |= p->seed / 8 % 2 ? p->features & RF_LAST : 0;
	g->on |= p->seed / 32 % 2 ? p->features & RF_NAN : 0;
	g->on |= p->seed / 64 % 2 ? p->features & RF_RETURNS : 0;
	g->on |= p->seed / 128 % 4 == 2 ? p->features & RF_SPACES : 0;
	g->on |= p->seed / 256 % 4 == 3 ? p->features & RF_CHASE : 0;
	g->on |= p->seed / 16 % 4 == 1 ? p->features & RF_GRID : 0;
	g->on |= p->seed / 2 % 2 ? p->features & RF_NONFAULTING : 0;
	g->on |= p->seed / 4 % 4 == 0 ? p->features & RF_NAMED : 0;
	g->on |= p->arms || p->seed % 4 == 3 ? p->features & RF_ARMS : 0;
	choose_shape(g);
	make_data(g);
	if (has(g, RF_PREDICATE)) {
		g->pred_args = 1 + (int)rnd(g, PREDS_MOST);
		g->pred_results = (int)rnd(g, PREDS_MOST);
	}
	for (int i = 0, n = has(g, RF_CALL) ? 1 + has(g, RF_INDIRECT) +
		(int)rnd(g, FUNCS_MOST - has(g, RF_INDIRECT)) : 0; i < n; i++)
		make_device(g, i);
	make_kernel(g);
	if (p->features & RF_POINT && chance(g, 25))
		reconvergence_points(g);
	free(g);
	return k;
}

void random_kernel_free(RandomKernel *k)
{
	if (!k)
		return;
	module_free(k->module);
	free(k);
}
