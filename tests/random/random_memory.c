/* Random memory accesses without races, and what threads do together. */
#include "tests/random/random_gen.h"
#include "isa/launch.h"
#include "lib/strbuf.h"

static Opd at(int reg, int64_t offset) { return (Opd){ OPD_REG, 0, reg, offset }; }
static Opd sym(int id) { return (Opd){ OPD_SYM, 0, id, 0 }; }

/* Makes a mnemonic from parts. */
static Ins opf(Gen *g, int ndst, int nsrc, const char *fmt, ...)
{
	char text[64];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return op(g, text, ndst, nsrc);
}

static const Type types[] = { T_U32, T_S32, T_B32, T_U8, T_S8, T_B8, T_U16, T_S16, T_B16, T_U64, T_S64, T_B64,
	T_F32, T_F64 };

Type memory_type(Gen *g)
{
	for (;;) {
		Type t = types[rnd(g, sizeof types / sizeof *types)];
		if (t == T_F32 ? has(g, RF_FLOAT) : t == T_F64 ? has(g, RF_DOUBLE)
			: type_bits[t] < 64 || has(g, RF_WIDE))
			return t;
	}
}

/* A pool that holds what is loaded or stored as the type: narrow integers may live in wider registers. */
static int pool_for(Gen *g, Type t)
{
	if (type_bits[t] == 16 && chance(g, 40))
		return POOL_32;
	return pool_of(g, t);
}

static int vector(Gen *g, Type t)
{
	if (!has(g, RF_VECTOR) || type_bits[t] < 16 || !chance(g, 25))
		return 1;
	used(g, RF_VECTOR);
	return type_bits[t] < 64 && rnd(g, 2) ? 4 : 2;
}

static const char *vector_suffix(int n) { return n == 4 ? ".v4" : n == 2 ? ".v2" : ""; }

/* A u64 register: base + a random offset that keeps an access of `bytes` bytes inside `room` (a power of
   2). */
static int address(Gen *g, int base, unsigned room, unsigned bytes)
{
	int x = small(g, (room - 1) & ~(bytes - 1));
	int wide = emit1(g, "cvt.u64.u32", T_U64, opd_reg(x));
	return emit2(g, "add.u64", T_U64, opd_reg(base), opd_reg(wide));
}

static void load(Gen *g, const char *space, Opd address, Type t, int n)
{
	static const char *const ops[] = { "", "", ".ca", ".cg", ".cv", ".volatile" };
	const char *extra = !strcmp(space, ".global") ? ops[rnd(g, 6)] : "";
	bool first = !strcmp(extra, ".volatile");
	Ins i = opf(g, n, 1, "ld%s%s%s%s.%s", first ? extra : "", space, first ? "" : extra, vector_suffix(n),
		type_name[t]);
	int pool = n > 1 ? pool_of(g, t) : pool_for(g, t), start = (int)rnd(g, (uint32_t)g->npool[pool]);
	for (int k = 0; k < n; k++)
		if (k < g->npool[pool])
			i.opd[k] = opd_reg(g->pool[pool][(start + k) % g->npool[pool]]);
	*ins_src(&i, 0) = address;
	nonfaulting_load(g, &i);
	guard(g, &i);
	emit(g, i);
}

static void store(Gen *g, const char *space, Opd address, Type t, int n)
{
	Ins i = opf(g, 0, 1 + n, "st%s%s.%s", space, vector_suffix(n), type_name[t]);
	i.opd[0] = address;
	for (int k = 1; k <= n; k++) {
		int pool = pool_for(g, t);
		i.opd[k] = chance(g, 15) ? value(g, t) : opd_reg(pick(g, pool));
	}
	guard(g, &i);
	emit(g, i);
}

void memory_access(Gen *g, const char *space, Opd address, Type t, int n, bool write)
{
	if (write)
		store(g, space, address, t, n);
	else
		load(g, space, address, t, n);
}

static void read_input(Gen *g)
{
	Type t = memory_type(g);
	int n = vector(g, t);
	unsigned bytes = (unsigned)(type_bytes(t) * n);
	if (chance(g, 25)) {
		load(g, ".global", at(g->in, (int64_t)(rnd(g, RANDOM_IN_BYTES / bytes) * bytes)), t, n);
	} else {
		int a = address(g, g->in, RANDOM_IN_BYTES, bytes);
		load(g, chance(g, 15) ? "" : ".global", at(a, 0), t, n);
	}
}

static void own_slot(Gen *g, bool write)
{
	Type t = memory_type(g);
	int n = vector(g, t);
	unsigned bytes = (unsigned)(type_bytes(t) * n);
	if (chance(g, 60)) {
		memory_access(g, ".global", at(g->slot, (int64_t)(rnd(g, SCRATCH_BYTES / bytes) * bytes)), t,
			n, write);
	} else {
		int a = address(g, g->slot, SCRATCH_BYTES, bytes);
		memory_access(g, chance(g, 15) ? "" : ".global", at(a, 0), t, n, write);
	}
}

/* Address of a symbol in its space, or, sometimes, its generic one; *space tells. */
int symbol_address(Gen *g, int symbol, const char **space)
{
	static const char *const names[] = { [SP_GLOBAL] = ".global", [SP_SHARED] = ".shared",
		[SP_LOCAL] = ".local", [SP_CONST] = ".const" };
	int a = emit1(g, "mov.u64", T_U64, sym(symbol));
	*space = names[g->m->symbol.v[symbol]->space];
	if (!chance(g, 20))
		return a;
	char text[32];
	snprintf(text, sizeof text, "cvta%s.u64", *space);
	*space = "";
	return emit1(g, text, T_U64, opd_reg(a));
}

/* The address of some element of an array: a register's, or, where the kernel names variables in its
   accesses, the variable with an offset. Which one takes no random number, so that the kernel's other choices
   stay. */
static Opd element_address(Gen *g, int symbol, int base, const char *space, unsigned room, unsigned bytes)
{
	uint64_t bits = g->state >> 20;
	int a = address(g, base, room, bytes);
	if (!has(g, RF_NAMED) || !*space || bits % 2)
		return at(a, 0);
	used(g, RF_NAMED);
	return (Opd){ OPD_SYM, 0, symbol, (int64_t)(bits / 2 % room & ~(uint64_t)(bytes - 1)) };
}

/* What it prints may come in any order; the result is the same for all. */
static void print_into(Gen *g, int result, bool guarded)
{
	int format = emit1(g, "mov.u64", T_U64, sym(g->format)),
		words = emit1(g, "mov.u64", T_U64, sym(g->local));
	int generic = emit1(g, "cvta.local.u64", T_U64, opd_reg(words));
	Ins i = op(g, "vprintf", 1, 2);
	i.opd[0] = opd_reg(result);
	i.opd[1] = opd_reg(format);
	i.opd[2] = opd_reg(generic);
	if (guarded)
		guard(g, &i);
	emit(g, i);
}

int late_result(Gen *g) { return g->local >= 0 && chance(g, 30) ? pick(g, POOL_32) : -1; }

void give_late(Gen *g, int result)
{
	if (result >= 0 && chance(g, 50))
		print_into(g, result, false);
}

void take_late(Gen *g, int result)
{
	if (result < 0)
		return;
	int sum = emit2(g, "add.u32", T_U32, opd_reg(result), opd_reg(pick(g, POOL_32)));
	Ins i = op(g, "xor.b32", 1, 2);
	i.opd[0] = i.opd[1] = opd_reg(pick(g, POOL_32));
	i.opd[2] = opd_reg(sum);
	emit(g, i);
	used(g, RF_LOCAL);
}

static void local_array(Gen *g)
{
	const char *space;
	if (chance(g, 15)) {
		print_into(g, pick(g, POOL_32), true);
		return;
	}
	Type t = memory_type(g);
	unsigned bytes = (unsigned)type_bytes(t);
	int base = symbol_address(g, g->local, &space);
	bool write = rnd(g, 2);
	memory_access(g, space, element_address(g, g->local, base, space, LOCAL_WORDS * 4, bytes), t, 1,
		write);
	used(g, RF_LOCAL);
}

static int word_address(Gen *g, int base, int index, int bytes)
{
	int wide = emit2(g, "mul.wide.u32", T_U64, opd_reg(index), opd_imm(bytes));
	return emit2(g, "add.u64", T_U64, opd_reg(base), opd_reg(wide));
}

int thread_address(Gen *g, int symbol, int index)
{
	int base = emit1(g, "mov.u64", T_U64, sym(symbol));
	return word_address(g, base, index, type_bytes(g->m->symbol.v[symbol]->type));
}

static void own_shared(Gen *g)
{
	const char *space;
	int base = symbol_address(g, g->mine, &space);
	memory_access(g, space, at(word_address(g, base, g->tid, 4), 0), T_U32, 1, rnd(g, 2));
	used(g, RF_SHARED);
}

static void constant(Gen *g)
{
	const char *space;
	Type t = rnd(g, 2) ? T_U32 : T_U16;
	int base = symbol_address(g, g->table, &space);
	load(g, space, element_address(g, g->table, base, space, TABLE_WORDS * 4, (unsigned)type_bytes(t)), t,
		1);
}

int load_function(Gen *g, int index)
{
	const char *space;
	int base = symbol_address(g, g->functions, &space), r = fresh(g, T_U64);
	Ins i = opf(g, 1, 1, "ld%s.u64", space);
	i.opd[0] = opd_reg(r);
	i.opd[1] = at(word_address(g, base, index, 8), 0);
	emit(g, i);
	return r;
}

static void parameter(Gen *g)
{
	Ins i = op(g, rnd(g, 2) ? "ld.param.u32" : "ld.param.u16", 1, 1);
	i.opd[0] = opd_reg(pick(g, POOL_32));
	i.opd[1] = (Opd){ OPD_PARAM, 0, 3, 0 };
	nonfaulting_load(g, &i);
	guard(g, &i);
	emit(g, i);
}

void memory_statement(Gen *g)
{
	switch (rnd(g, 10)) {
	case 0: case 1: case 2: read_input(g); break;
	case 3: case 4: own_slot(g, true); break;
	case 5: own_slot(g, false); break;
	case 6:
		if (g->mine >= 0)
			own_shared(g);
		break;
	case 7: constant(g); break;
	case 8:
		if (!g->device)
			parameter(g);
		break;
	default:
		if (g->local >= 0)
			local_array(g);
		break;
	}
}

void own_words(Gen *g)
{
	for (int k = 0; g->local >= 0 && k < LOCAL_WORDS; k++) {
		Ins i = op(g, "st.local.u32", 0, 2);
		i.opd[0] = (Opd){ OPD_SYM, 0, g->local, 4 * k };
		i.opd[1] = value(g, T_U32);
		emit(g, i);
	}
	if (g->mine < 0 || g->device)
		return;
	Ins i = op(g, "st.shared.u32", 0, 2);
	i.opd[0] = at(thread_address(g, g->mine, g->tid), 0);
	i.opd[1] = opd_reg(g->tid);
	emit(g, i);
}

/* ---- atomic operations ---- */

/* Word number op + 8k of acc only ever meets operation number op, so that the order does not matter. */
void accumulate(Gen *g)
{
	static const char *const ops32[8] = { "add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32",
		"inc.u32", "dec.u32" };
	static const char *const ops64[8] = { "add.u64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64",
		"add.u64", "min.s64" };
	bool wide = has(g, RF_WIDE) && chance(g, 30);
	int which = (int)rnd(g, 8);
	int word = small(g, wide ? 8 : 24); /* u32: words 0..31; u64: words 0..15 behind them */
	int base = word_address(g, g->acc, word, wide ? 8 : 4);
	bool returns = rnd(g, 2); /* what it returns depends on the order: nothing reads it */
	Ins i = opf(g, returns, 2, "%s.global.%s", returns ? "atom" : "red",
		wide ? ops64[which] : ops32[which]);
	if (returns)
		i.opd[0] = opd_reg(fresh(g, wide ? T_U64 : T_U32));
	*ins_src(&i, 0) = at(base, wide ? 128 + 8 * which : 4 * which);
	*ins_src(&i, 1) = which >= 6 && !wide ? opd_imm(100 + which)
		: opd_reg(pick(g, wide ? POOL_64 : POOL_32));
	guard(g, &i);
	emit(g, i);
}

/* On the thread's own words everything is in order. */
static void own_atomic(Gen *g)
{
	static const char *const ops[] = { "exch.b32", "cas.b32", "add.u32", "min.s32", "max.u32", "and.b32",
		"inc.u32", "dec.u32",
		"exch.b64", "cas.b64", "add.u64", "add.f32" };
	int k = (int)rnd(g, 12);
	if ((k >= 8 && k < 11 && !has(g, RF_WIDE)) || (k == 11 && !has(g, RF_FLOAT)))
		return;
	Type t = k == 11 ? T_F32 : k >= 8 ? T_U64 : T_U32;
	bool cas = k == 1 || k == 9, shared = g->mine >= 0 && t == T_U32 && chance(g, 30);
	int addr = shared ? thread_address(g, g->mine, g->tid) : g->slot;
	Ins i = opf(g, 1, cas ? 3 : 2, "atom.%s.%s", shared ? "shared" : "global", ops[k]);
	i.opd[0] = opd_reg(pick(g, t == T_F32 ? POOL_F32 : k >= 8 ? POOL_64 : POOL_32));
	i.opd[1] = at(addr, shared ? 0 : (int64_t)rnd(g, 8) * 8);
	for (int s = 2; s < 2 + 1 + cas; s++)
		i.opd[s] = value(g, t);
	guard(g, &i);
	emit(g, i);
}

void atomic_statement(Gen *g)
{
	used(g, RF_ATOMIC);
	if (chance(g, 60))
		accumulate(g);
	else
		own_atomic(g);
}

/* ---- threads of a block ---- */

/* All threads name the same. */
static Opd barrier_number(Gen *g)
{
	if (chance(g, 20))
		return opd_reg(emit2(g, "and.b32", T_U32, opd_reg(pick(g, POOL_UNIFORM)),
			opd_imm(BARRIERS - 1)));
	return opd_imm(rnd(g, 3) ? 0 : rnd(g, BARRIERS));
}

/* The block's threads as PTX counts them. */
static uint32_t whole_warps(const Gen *g)
{
	uint32_t threads = g->k->block[0] * g->k->block[1], size = (uint32_t)ptx_warp(g->p->warp_size);
	return (threads + size - 1) / size * size;
}

void block_barrier(Gen *g)
{
	bool counted = chance(g, 30);
	Opd number = barrier_number(g), count = opd_imm(whole_warps(g));
	if (counted && chance(g, 30))
		count = opd_reg(emit1(g, "mov.u32", T_U32, count));
	Ins i = op(g, "bar.sync", 0, 1 + counted);
	i.opd[0] = number;
	if (counted)
		i.opd[1] = count;
	emit(g, i);
}

/* Number of another thread of the block: (tid + k) mod threads. */
static int other_thread(Gen *g)
{
	uint32_t threads = g->k->block[0] * g->k->block[1];
	int shift = chance(g, 50) ? small(g, 63) : g->tid;
	int sum = emit2(g, "add.u32", T_U32, opd_reg(g->tid), opd_reg(shift));
	int more = emit2(g, "add.u32", T_U32, opd_reg(sum), opd_imm(rnd(g, threads)));
	return emit2(g, "rem.u32", T_U32, opd_reg(more), opd_imm(threads));
}

static void put(Gen *g, const char *mnemonic, int addr, Opd v)
{
	Ins i = op(g, mnemonic, 0, 2);
	i.opd[0] = at(addr, 0);
	i.opd[1] = v;
	emit(g, i);
}

static void take(Gen *g, const char *mnemonic, int addr, int pool)
{
	Ins i = op(g, mnemonic, 1, 1);
	i.opd[0] = opd_reg(pick(g, pool));
	i.opd[1] = at(addr, 0);
	emit(g, i);
}

static void exchange(Gen *g)
{
	bool wide = has(g, RF_WIDE) && rnd(g, 2);
	put(g, wide ? "st.shared.u64" : "st.shared.u32", thread_address(g, g->shared_in, g->tid),
		opd_reg(pick(g, wide ? POOL_64 : POOL_32)));
	straight(g, (int)rnd(g, 3));
	block_barrier(g);
	take(g, wide ? "ld.shared.u64" : "ld.shared.u32", thread_address(g, g->shared_in, other_thread(g)),
		wide ? POOL_64 : POOL_32);
	block_barrier(g);
}

/* Threads count into the first words; everyone reads one. */
static void histogram(Gen *g)
{
	static const char *const ops[] = { "red.shared.add.u32", "red.shared.max.u32", "red.shared.xor.b32",
		"red.shared.min.s32" };
	uint32_t mask = g->k->block[0] * g->k->block[1] >= 8 ? 7 : 0; /* of words that some thread has set */
	put(g, "st.shared.u64", thread_address(g, g->shared_in, g->tid), opd_imm(0));
	block_barrier(g);
	Ins i = op(g, ops[rnd(g, 4)], 0, 2);
	i.opd[0] = at(thread_address(g, g->shared_in, small(g, mask)), 0);
	i.opd[1] = opd_reg(pick(g, POOL_32));
	guard(g, &i);
	emit(g, i);
	block_barrier(g);
	take(g, "ld.shared.u32", thread_address(g, g->shared_in, small(g, mask)), POOL_32);
	block_barrier(g);
}

static void barrier_reduction(Gen *g)
{
	bool count = rnd(g, 2);
	Opd number = barrier_number(g);
	Ins i = op(g, count ? "bar.red.popc.u32" : rnd(g, 2) ? "bar.red.and.pred" : "bar.red.or.pred", 1, 3);
	i.opd[0] = opd_reg(pick(g, count ? POOL_UNIFORM : POOL_PRED));
	i.opd[1] = number;
	if (chance(g, 20)) /* else the number of threads is absent */
		i.opd[2] = opd_imm(whole_warps(g));
	i.opd[3] = predicate(g);
	emit(g, i);
}

void exchange_statement(Gen *g)
{
	used(g, RF_SHARED);
	switch (rnd(g, 5)) {
	case 0: case 1: exchange(g); break;
	case 2: histogram(g); break;
	case 3: barrier_reduction(g); break;
	default: block_barrier(g); break;
	}
}

/* ---- lanes of a warp ---- */

Opd all_lanes(const Gen *g)
{
	return opd_imm((int64_t)(int32_t)(~0u >> (PTX_WARP - ptx_warp(g->p->warp_size))));
}

/* The lanes of an operation: all, or those for which the guard holds, which is a predicate, their mask a
   register. */
typedef struct Group { int guard, mask; } Group;
static const Group everyone = { -1, -1 };

static Opd lanes_of(const Gen *g, const Group *x) { return x->mask < 0 ? all_lanes(g) : opd_reg(x->mask); }

static void emit_of(Gen *g, const Group *x, Ins i)
{
	i.guard = x->guard;
	overwrite_guard(g, &i);
	emit(g, i);
}

static void shuffle(Gen *g, const Group *x)
{
	static const char *const modes[] = { "up", "down", "bfly", "idx" };
	int mode = (int)rnd(g, 4), ws = ptx_warp(g->p->warp_size);
	bool second = chance(g, 40);
	Ins i = opf(g, 1 + second, 4, "shfl.sync.%s.b32", modes[mode]);
	i.opd[0] = opd_reg(pick(g, POOL_32));
	if (second)
		i.opd[1] = opd_reg(pick(g, POOL_PRED));
	*ins_src(&i, 0) = opd_reg(pick(g, POOL_32));
	*ins_src(&i, 1) = chance(g, 50) ? opd_imm(rnd(g, (uint32_t)ws)) : opd_reg(small(g, (uint32_t)ws - 1));
	*ins_src(&i, 2) = opd_imm((32 - ws) << 8 | (mode ? ws - 1 : 0));
	*ins_src(&i, 3) = lanes_of(g, x);
	emit_of(g, x, i);
}

static void vote(Gen *g, const Group *x)
{
	static const char *const ops[] = { "vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred",
		"vote.sync.ballot.b32" };
	int k = (int)rnd(g, 4);
	Ins i = op(g, ops[k], 1, 2);
	i.opd[0] = opd_reg(pick(g, k == 3 ? POOL_32 : POOL_PRED));
	i.opd[1] = predicate(g);
	i.opd[2] = lanes_of(g, x);
	emit_of(g, x, i);
}

static void match(Gen *g, const Group *x)
{
	bool all = rnd(g, 2), wide = has(g, RF_WIDE) && chance(g, 30);
	int few = wide ? emit1(g, "cvt.u64.u32", T_U64, opd_reg(small(g, 3))) : small(g, 3);
	Ins i = opf(g, 1 + all, 2, "match.%s.sync.%s", all ? "all" : "any", wide ? "b64" : "b32");
	i.opd[0] = opd_reg(pick(g, POOL_32));
	if (all)
		i.opd[1] = opd_reg(pick(g, POOL_PRED));
	*ins_src(&i, 0) = opd_reg(few);
	*ins_src(&i, 1) = lanes_of(g, x);
	emit_of(g, x, i);
}

static void reduce(Gen *g, const Group *x)
{
	static const char *const ops[] = { "add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32" };
	Ins i = opf(g, 1, 2, "redux.sync.%s", ops[rnd(g, 6)]);
	i.opd[0] = opd_reg(pick(g, POOL_32));
	i.opd[1] = opd_reg(pick(g, POOL_32));
	i.opd[2] = lanes_of(g, x);
	emit_of(g, x, i);
}

static void elect(Gen *g, const Group *x)
{
	Ins i = op(g, "elect.sync", 2, 1);
	i.opd[0] = opd_reg(pick(g, POOL_32));
	i.opd[1] = opd_reg(pick(g, POOL_PRED));
	i.opd[2] = lanes_of(g, x);
	emit_of(g, x, i);
}

static void warp_sync(Gen *g, Opd lanes)
{
	Ins i = op(g, "bar.warp.sync", 0, 1);
	i.opd[0] = lanes;
	emit(g, i);
}

/* Shared memory between lanes of one warp, without a block barrier. */
static void warp_exchange(Gen *g)
{
	int ws = ptx_warp(g->p->warp_size);
	put(g, "st.shared.u32", thread_address(g, g->shared_out, g->tid), opd_reg(pick(g, POOL_32)));
	warp_sync(g, all_lanes(g));
	int shifted = emit2(g, "add.u32", T_U32, opd_reg(g->tid), opd_imm(rnd(g, (uint32_t)ws)));
	int lane = emit2(g, "and.b32", T_U32, opd_reg(shifted), opd_imm(ws - 1));
	int first = emit2(g, "and.b32", T_U32, opd_reg(g->tid),
		opd_imm((int64_t)(int32_t)~(uint32_t)(ws - 1)));
	int other = emit2(g, "or.b32", T_U32, opd_reg(first), opd_reg(lane));
	take(g, "ld.shared.u32", thread_address(g, g->shared_out, other), POOL_32);
	warp_sync(g, all_lanes(g));
}

void warp_statement(Gen *g)
{
	used(g, RF_WARP);
	switch (rnd(g, 8)) {
	case 0: case 1: shuffle(g, &everyone); break;
	case 2: vote(g, &everyone); break;
	case 3: match(g, &everyone); break;
	case 4: reduce(g, &everyone); break;
	case 5: elect(g, &everyone); break;
	case 6: warp_sync(g, all_lanes(g)); break;
	default:
		if (g->shared_out >= 0)
			warp_exchange(g);
		break;
	}
}

/* ---- lanes of a part of a warp ---- */

int ballot(Gen *g, int pred, bool neg)
{
	Ins i = op(g, "vote.sync.ballot.b32", 1, 2);
	int r = fresh(g, T_U32);
	i.opd[0] = opd_reg(r);
	i.opd[1] = opd_reg(pred);
	i.opd[1].neg = neg;
	i.opd[2] = all_lanes(g);
	emit(g, i);
	return r;
}

void guarded_group(Gen *g)
{
	static void (*const make[])(Gen *, const Group *) = { shuffle, vote, match, reduce, elect };
	int p = condition(g);
	make[rnd(g, 5)](g, &(Group){ p, ballot(g, p, false) });
	used(g, RF_WARP | RF_GROUP | RF_GUARD);
}

/* The first or the last lane of the group. */
static int leader(Gen *g, int mask)
{
	if (rnd(g, 2))
		return emit1(g, "bfind.u32", T_U32, opd_reg(mask));
	int turned = emit1(g, "brev.b32", T_U32, opd_reg(mask));
	return emit1(g, "clz.b32", T_U32, opd_reg(turned));
}

static void group_shuffle(Gen *g, int mask)
{
	int ws = ptx_warp(g->p->warp_size);
	Ins i = op(g, "shfl.sync.idx.b32", 1, 4);
	int lane = leader(g, mask);
	i.opd[0] = opd_reg(pick(g, POOL_32));
	i.opd[1] = opd_reg(pick(g, POOL_32));
	i.opd[2] = opd_reg(lane);
	i.opd[3] = opd_imm((32 - ws) << 8 | (ws - 1));
	i.opd[4] = opd_reg(mask);
	emit(g, i);
}

/* What the leader has written to shared memory, everyone of the group reads. */
static void group_exchange(Gen *g, int mask)
{
	int lane = leader(g, mask);
	put(g, "st.shared.u32", thread_address(g, g->shared_out, g->tid), opd_reg(pick(g, POOL_32)));
	warp_sync(g, opd_reg(mask));
	int first = emit2(g, "and.b32", T_U32, opd_reg(g->tid),
		opd_imm((int64_t)(int32_t)~(uint32_t)(ptx_warp(g->p->warp_size) - 1)));
	take(g, "ld.shared.u32", thread_address(g, g->shared_out,
		emit2(g, "or.b32", T_U32, opd_reg(first), opd_reg(lane))), POOL_32);
	warp_sync(g, opd_reg(mask));
}

/* %pool = mnemonic of a register of the pool `from`, mask */
static void group_value(Gen *g, const char *mnemonic, int mask, int to, int from)
{
	Ins i = op(g, mnemonic, 1, 2);
	i.opd[0] = opd_reg(pick(g, to));
	i.opd[1] = opd_reg(pick(g, from));
	i.opd[2] = opd_reg(mask);
	emit(g, i);
}

void group_operation(Gen *g, int mask)
{
	static const char *const votes[] = { "vote.sync.all.pred", "vote.sync.any.pred",
		"vote.sync.uni.pred" };
	used(g, RF_GROUP);
	switch (rnd(g, 7)) {
	case 0: group_value(g, votes[rnd(g, 3)], mask, POOL_PRED, POOL_PRED); break;
	case 1: group_value(g, "vote.sync.ballot.b32", mask, POOL_32, POOL_PRED); break;
	case 2:
		group_value(g, rnd(g, 2) ? "redux.sync.add.u32" : "redux.sync.min.u32", mask, POOL_32,
			POOL_32);
		break;
	case 3: group_value(g, "match.any.sync.b32", mask, POOL_32, POOL_32); break;
	case 4: group_shuffle(g, mask); break;
	case 5: warp_sync(g, opd_reg(mask)); break;
	default:
		if (g->shared_out >= 0)
			group_exchange(g, mask);
		break;
	}
}
