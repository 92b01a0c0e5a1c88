/* Values on their way to and from memory: every variant of atom, red, redux, ld and st, in every space and
 * through generic addresses, by the reference interpreter and by the machine with and without time, against
 * tests/isa/reference.h. */
#include "tests/isa/reference.h"
#include "tests/sim/sm/sim_rig.h"
#include "tests/isa/variants.h"
#include "isa/mnemonic.h"
#include <stdio.h>

enum { THREADS = 64, BLOCKS = 16, SETS = THREADS * BLOCKS, SET_BYTES = 32 };
typedef union Slot { uint64_t word[4]; uint8_t byte[SET_BYTES]; } Slot;
typedef struct Count { int variants; uint64_t sets; } Count;

static uint64_t state;

/* ---- kernels ---- */

typedef struct Place { const char *name, *address, *suffix; int space; bool generic; } Place;
/* How a place's address for the thread comes into %w. */
static const Place places[] = {
	{ "global memory", "%w = mov.u64 %g\n", ".global", SP_GLOBAL, false },
	{ "shared memory", "%w = mov.u64 word\n %w = mad.wide.u32 %t, 32, %w\n", ".shared", SP_SHARED,
		false },
	{ "local memory", "%w = mov.u64 own\n", ".local", SP_LOCAL, false },
	{ "constant memory", "%w = mov.u64 table\n %w = mad.wide.u32 %t, 32, %w\n", ".const", SP_CONST,
		false },
	{ "a parameter", "%w = mov.u64 p\n %w = mad.wide.u32 %t, 32, %w\n", ".param", SP_PARAM, false },
	{ "global memory, generic", "%w = mov.u64 %g\n", "", SP_GLOBAL, true },
	{ "shared memory, generic", "%w = mov.u64 word\n %w = cvta.shared.u64 %w\n"
		" %w = mad.wide.u32 %t, 32, %w\n", "", SP_SHARED, true },
	{ "local memory, generic", "%w = mov.u64 own\n %w = cvta.local.u64 %w\n", "", SP_LOCAL, true },
};
enum { NPLACES = sizeof places / sizeof *places };

static bool lies_in(const Ins *i, const Place *p)
{
	bool readable_only = p->space == SP_CONST || p->space == SP_PARAM;
	if (p->generic ? i->space != SP_GENERIC : i->space != p->space)
		return false;
	/* "atom may be used only with .global and .shared spaces and with generic addressing" */
	if (op_info[i->op].kind == K_ATOM)
		return p->space == SP_GLOBAL || p->space == SP_SHARED;
	return i->op == OP_LD || !readable_only;
}

/* %g: where the thread may write in global memory, %i: its operands, %o: its results. */
static void head(StrBuf *b, const char *registers, const char *place)
{
	sb_printf(b, "const u64 table[%d]\nkernel k(u64 out, u64 in, u64 p[%d]) {\n shared u64 word[%d]\n"
		" local u64 own[4]\n"
		" reg u32 %%t, %%n\n reg u64 %%g, %%i, %%o, %%w\n reg b64 %%x\n%s"
		" %%t = mov.u32 %%tid.x\n %%n = mov.u32 %%ctaid.x\n %%n = mad.lo.u32 %%n, %d, %%t\n"
		" %%i = ld.param.u64 [in]\n %%i = mad.wide.u32 %%n, 32, %%i\n %%o = ld.param.u64 [out]\n"
		" %%o = mad.wide.u32 %%n, 32, %%o\n"
		" %%g = mov.u64 %%o\n %s", THREADS * 4, THREADS * 4, THREADS * 4, registers, THREADS, place);
}

static void list(StrBuf *b, int n) /* of registers */
{
	sb_puts(b, n == 1 ? "%a0" : n == 2 ? "{%a0, %a1}" : "{%a0, %a1, %a2, %a3}");
}

/* ---- running ---- */

typedef struct Job {
	Module *m;
	RigMemory x;
	uint8_t params[16 + THREADS * SET_BYTES];
	uint8_t *out;
} Job;

static void job_start(Job *j, const char *text, const Slot *in)
{
	const Alloc *hint = NULL;
	j->m = rig_read(text);
	Memory *mem = j->x.memory = memory_new(1 << 28);
	j->x.symbol = xcalloc((size_t)j->m->symbol.n + 1, sizeof *j->x.symbol);
	ck_assert(memory_load_module(mem, j->m, j->x.symbol));
	uint64_t out = memory_alloc(mem, SETS * SET_BYTES, "out", false),
		from = memory_alloc(mem, SETS * SET_BYTES, "in", false);
	memcpy(memory_find(mem, from, 1, &hint)->data, in, SETS * SET_BYTES);
	memcpy(memory_find(mem, j->x.symbol[0], 1, &hint)->data, in, THREADS * SET_BYTES); /* table */
	j->out = memory_find(mem, out, 1, &hint)->data;
	memcpy(j->params, &out, 8);
	memcpy(j->params + 8, &from, 8);
	memcpy(j->params + 16, in, THREADS * SET_BYTES);
	j->x.l = (Launch){ .module = j->m, .kernel = module_find_function(j->m, "k"),
		.grid = { BLOCKS, 1, 1 }, .block = { THREADS, 1, 1 },
		.params = j->params, .memory = mem, .symbol_address = j->x.symbol };
}

static void job_end(Job *j)
{
	rig_memory_free(&j->x);
	module_free(j->m);
}

enum { INTERPRETER, FUNCTIONAL, TIMED, EXECUTORS };
static const char *const executor_name[] = { "the reference interpreter", "the machine without time",
	"the machine" };

static bool execute(Job *j, int executor, Fault *f)
{
	static Config c;
	static bool ready;
	if (executor == INTERPRETER)
		return interp_launch(&j->x.l, &(InterpOptions){ .warp_size = 32, .max_steps = 1000000 }, f);
	if (!ready) {
		Rig *r = rig_new("warp_size=32 limits.max_cycles=10000000");
		c = r->c;
		rig_free(r);
		ready = true;
	}
	Diag d = { 0 };
	Arena arena = { 0 };
	LaunchStats s;
	Gpu *g = gpu_new(&c, j->m, j->x.memory, j->x.symbol,
		&(GpuOptions){ .functional = executor == FUNCTIONAL }, &d);
	ck_assert_ptr_nonnull(g);
	bool ok = gpu_launch(g, &j->x.l, &arena, &s, f);
	gpu_free(g);
	arena_free(&arena);
	return ok;
}

/* Every executor leaves what is wanted. */
static void same_everywhere(const char *text, const Ins *variant, const char *where, const Slot *in,
	const Slot *want, Count *n)
{
	for (int e = 0; e < EXECUTORS; e++) {
		Job j;
		Fault f = { 0 };
		job_start(&j, text, in);
		if (!execute(&j, e, &f))
			ck_abort_msg("%s, %s: %s", variant_name(variant), where, f.text);
		for (int k = 0; k < SETS; k++)
			if (memcmp(j.out + k * SET_BYTES, &want[k], SET_BYTES)) {
				uint64_t got[4];
				memcpy(got, j.out + k * SET_BYTES, sizeof got);
				ck_abort_msg("%s, %s, by %s: of %#llx %#llx %#llx: %#llx %#llx, not %#llx "
					"%#llx", variant_name(variant), where, executor_name[e],
					(unsigned long long)in[k].word[0], (unsigned long long)in[k].word[1],
					(unsigned long long)in[k].word[2], (unsigned long long)got[0],
					(unsigned long long)got[1], (unsigned long long)want[k].word[0],
					(unsigned long long)want[k].word[1]);
			}
		job_end(&j);
	}
	n->sets += SETS;
}

static Slot in[SETS], want[SETS];
static StrBuf text;

static void draw(Type t)
{
	for (int k = 0; k < SETS; k++)
		for (int w = 0; w < 4; w++) {
			in[k].word[w] = random_value(&state, t);
			if (type_bits[t] < 64)
				in[k].word[w] = low_of(in[k].word[w], type_bits[t]) |
					random_next(&state) << type_bits[t];
		}
	memset(want, 0, sizeof want);
	text.n = 0;
}

/* ---- atom, red, redux ---- */

static void check_atomic(const Ins *i, void *arg)
{
	const char *op = suffix_name('A', i->aop), *t = type_name[i->type];
	bool cas = i->aop == AOP_CAS, returns = i->op == OP_ATOM;
	Count *n = arg;
	n->variants++;
	for (int p = 0; p < NPLACES; p++) {
		char registers[64];
		if (!lies_in(i, &places[p]))
			continue;
		draw(i->type);
		for (int k = 0; k < SETS; k += 3) /* equal values for cas, and for floats that cancel */
			in[k].word[1] = in[k].word[0] ^ (type_kind[i->type] == 'F'
				? (uint64_t)1 << (type_bits[i->type] - 1) : 0);
		snprintf(registers, sizeof registers, " reg %s %%a, %%b, %%c, %%d\n", t);
		head(&text, registers, places[p].address);
		sb_printf(&text, " %%a = ld.global.%s [%%i]\n %%b = ld.global.%s [%%i+8]\n"
			" %%c = ld.global.%s [%%i+16]\n st%s.%s [%%w+8], %%a\n", t, t, t, places[p].suffix,
			t);
		sb_printf(&text, " %s%s [%%w+8], %%b%s\n", returns ? "%d = " : "", variant_name(i),
			cas ? ", %c" : "");
		if (returns)
			sb_printf(&text, " st.global.%s [%%o], %%d\n", t);
		sb_printf(&text, " %%a = ld%s.%s [%%w+8]\n st.global.%s [%%o+8], %%a\n exit\n}\n",
			places[p].suffix, t, t);
		for (int k = 0; k < SETS; k++) {
			want[k].word[0] = returns ? low_of(in[k].word[0], type_bits[i->type]) : 0;
			want[k].word[1] = reference_atomic(op, i->type, places[p].space, in[k].word[0],
				in[k].word[1], in[k].word[2]);
		}
		same_everywhere(text.s, i, places[p].name, in, want, n);
	}
}

static void check_redux(const Ins *i, void *arg)
{
	const char *t = type_name[i->type];
	char registers[64];
	Count *n = arg;
	n->variants++;
	draw(i->type);
	snprintf(registers, sizeof registers, " reg %s %%a, %%d\n", t);
	head(&text, registers, "");
	sb_printf(&text, " %%a = ld.global.%s [%%i]\n %%d = %s %%a, 0xffffffff\n st.global.%s [%%o], %%d\n"
		" exit\n}\n", t, variant_name(i), t);
	for (int k = 0; k < SETS; k += PTX_WARP) {
		uint64_t v = in[k].word[0];
		for (int l = 1; l < PTX_WARP; l++)
			v = reference_atomic(suffix_name('A', i->aop), i->type, SP_GENERIC, v,
				in[k + l].word[0], 0);
		for (int l = 0; l < PTX_WARP; l++)
			want[k + l].word[0] = low_of(v, 32);
	}
	same_everywhere(text.s, i, "a warp", in, want, n);
}

/* ---- ld, st: registers as wide as the type or wider ---- */

static const Type registers[] = { T_B8, T_U8, T_S8, T_B16, T_U16, T_S16, T_F16, T_B32, T_U32, T_S32, T_F32,
	T_B64, T_U64, T_S64, T_F64 };

/* 9.4.1: bits and integers may live in any wider register that is not of floating point, floats in their own
   or in bits. */
static bool may_hold(Type reg, Type t)
{
	if (reg == t)
		return true;
	if (type_kind[reg] == 'F' || (type_kind[t] == 'F' && type_kind[reg] != 'B'))
		return false;
	return type_bits[reg] == type_bits[t] || (type_bits[reg] > type_bits[t] && type_kind[t] != 'F');
}

static void load_kernel(const Ins *i, const Place *p, Type reg)
{
	int elements = i->vec ? i->vec : 1;
	char r[64];
	snprintf(r, sizeof r, " reg %s %%a0, %%a1, %%a2, %%a3\n", type_name[reg]);
	head(&text, r, p->address);
	if (p->space == SP_GLOBAL)
		sb_puts(&text, " %w = mov.u64 %i\n");
	for (int k = 0; k < 2 && p->space != SP_GLOBAL && p->space != SP_CONST && p->space != SP_PARAM; k++)
		sb_printf(&text, " %%x = ld.global.b64 [%%i+%d]\n st%s.b64 [%%w+%d], %%x\n", 8 * k, p->suffix,
			8 * k);
	sb_putc(&text, ' ');
	list(&text, elements);
	sb_printf(&text, " = %s [%%w]\n", variant_name(i));
	for (int k = 0; k < elements; k++)
		sb_printf(&text, " st.global.b%d [%%o+%d], %%a%d\n", type_bits[reg], 8 * k, k);
	sb_puts(&text, " exit\n}\n");
}

static void store_kernel(const Ins *i, const Place *p, Type reg)
{
	int elements = i->vec ? i->vec : 1;
	char r[64];
	snprintf(r, sizeof r, " reg %s %%a0, %%a1, %%a2, %%a3\n", type_name[reg]);
	head(&text, r, p->address);
	for (int k = 0; k < elements; k++)
		sb_printf(&text, " %%a%d = ld.global.b%d [%%i+%d]\n", k, type_bits[reg], 8 * k);
	for (int k = 0; k < 2; k++)
		sb_printf(&text, " st%s.b64 [%%w+%d], 0\n", p->suffix, 8 * k);
	sb_printf(&text, " %s [%%w], ", variant_name(i));
	list(&text, elements);
	for (int k = 0; k < 2; k++)
		sb_printf(&text, "\n %%x = ld%s.b64 [%%w+%d]\n st.global.b64 [%%o+%d], %%x\n", p->suffix,
			8 * k, 8 * k);
	sb_puts(&text, " exit\n}\n");
}

static void expect_access(const Ins *i, const Place *p, Type reg)
{
	int elements = i->vec ? i->vec : 1, bytes = type_bytes(i->type);
	for (int k = 0; k < SETS; k++)
		for (int e = 0; e < elements; e++) {
			const Slot *from = p->space == SP_CONST || p->space == SP_PARAM ? &in[k % THREADS]
				: &in[k];
			uint64_t v = 0;
			if (i->op == OP_ST)
				/* the lower bits of the register */
				memcpy(want[k].byte + e * bytes, &in[k].word[e], (size_t)bytes);
			else
				memcpy(&v, from->byte + e * bytes, (size_t)bytes);
			if (i->op == OP_LD)
				want[k].word[e] = reference_load(i->type, reg, v);
		}
}

static void check_access(const Ins *i, void *arg)
{
	Count *n = arg;
	n->variants++;
	for (int p = 0; p < NPLACES; p++)
		for (size_t r = 0; r < sizeof registers / sizeof *registers; r++) {
			Type reg = registers[r];
			if (!lies_in(i, &places[p]) || !may_hold(reg, i->type) ||
				(i->vec && reg != i->type && type_kind[reg] != 'B'))
				continue;
			draw(type_kind[i->type] == 'F' ? i->type : T_B64);
			(i->op == OP_LD ? load_kernel : store_kernel)(i, &places[p], reg);
			expect_access(i, &places[p], reg);
			same_everywhere(text.s, i, places[p].name, in, want, n);
		}
}

/* Cache operators, orderings and scopes say nothing about values. */
static void every(Op op, void f(const Ins *, void *))
{
	Count n = { 0, 0 };
	state = 88172645463325252u + (uint64_t)op;
	each_variant(op, "OEP", f, &n);
	ck_assert_int_gt(n.variants, 0);
	printf("%s: %d variants agree with the manual on %llu operand sets\n", op_info[op].name, n.variants,
		(unsigned long long)n.sets);
	fflush(stdout);
}

START_TEST(atomics) { every(OP_ATOM, check_atomic); } END_TEST
START_TEST(reductions) { every(OP_RED, check_atomic); } END_TEST
START_TEST(warp_reductions) { every(OP_REDUX, check_redux); } END_TEST
START_TEST(loads) { every(OP_LD, check_access); } END_TEST
START_TEST(stores) { every(OP_ST, check_access); } END_TEST

int main(void)
{
	const TTest *const tests[] = { atomics, reductions, warp_reductions, loads, stores };
	return rig_suite("values in memory", tests, sizeof tests / sizeof *tests);
}
