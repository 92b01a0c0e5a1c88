/* Memory, faults, the reference interpreter and host functions: small modules as text, with what they must
   do. */
#include "isa/launch.h"
#include "lib/strbuf.h"
#include "tests/check.h"
#include <signal.h>
#include <time.h>

typedef struct Outcome { Fault fault; bool ok; uint64_t instructions; int launches; } Outcome;

static bool launch(void *self, const Launch *l, int stream, Loc where, Fault *f)
{
	Outcome *o = self;
	uint64_t n = 0;
	(void)stream;
	(void)where;
	InterpOptions options = { .warp_size = 32, .max_steps = 1000000, .thread_instructions = &n };
	bool ok = interp_launch(l, &options, f);
	o->instructions += n;
	o->launches++;
	return ok;
}

/* Reads the text and runs its host function main. */
static Outcome run(const char *text)
{
	Outcome o = { { 0 } };
	Diag diag = { 0 };
	Module *m = ir_read(text, strlen(text), "test.ir", &diag);
	if (!m)
		diag_print(&diag, stderr);
	ck_assert_ptr_nonnull(m);
	Memory *mem = memory_new(1 << 28);
	uint64_t *address = calloc((size_t)m->symbol.n + 1, sizeof *address);
	ck_assert(memory_load_module(mem, m, address));
	uint64_t before = memory_count(mem);
	HostHooks hooks = { .self = &o, .launch = launch, .max_steps = 1000000 };
	const Function *host = module_find_function(m, "main");
	ck_assert_ptr_nonnull(host);
	o.ok = host_run(m, host, mem, address, &hooks, &o.fault);
	ck_assert_uint_ge(memory_count(mem), before);
	for (uint64_t k = 0; k < memory_count(mem); k++)
		ck_assert_str_ne(memory_nth(mem, k)->name, "kernel parameters");
	memory_free(mem);
	free(address);
	module_free(m);
	diag_free(&diag);
	return o;
}

static void passes(const char *text)
{
	Outcome o = run(text);
	ck_assert_msg(o.ok && o.fault.kind == FAULT_NONE, "%s", o.fault.text);
}

static void fails(const char *text, FaultKind kind, const char *const *parts)
{
	Outcome o = run(text);
	ck_assert(!o.ok);
	ck_assert_msg(o.fault.kind == kind, "fault %d, not %d: %s", o.fault.kind, kind, o.fault.text);
	for (; *parts; parts++)
		ck_assert_msg(strstr(o.fault.text, *parts) != NULL, "no '%s' in: %s", *parts, o.fault.text);
}
#define FAILS(TEXT, KIND, ...) fails(TEXT, KIND, (const char *const[]){ __VA_ARGS__, NULL })

/* A host function that launches k with a buffer of 64-bit words and checks word i against want[i], i < 32;
   `want` is a global array of the text. */
#define MAIN(SHAPE, SHARED) \
	"host main() {\n" \
	"	reg u64 %buf, %at, %w, %x, %y\n	reg u32 %i\n	reg pred %p\n" \
	"H0:	%buf = alloc.u64 4096\n" \
	"	launch k, " SHAPE ", " SHARED ", (%buf)\n" \
	"	%i = mov.u32 0\n	bra H1\n" \
	"H1:	%at = mad.wide.u32 %i, 8, %buf\n	%x = ld.global.u64 [%at]\n" \
	"	%w = mov.u64 want\n	%at = mad.wide.u32 %i, 8, %w\n	%y = ld.global.u64 [%at]\n" \
	"	%p = setp.eq.u64 %x, %y\n" \
	"	check %p, \"word differs\"\n	%i = add.u32 %i, 1\n	%p = setp.lt.u32 %i, 32\n" \
		"	bra %p, H1, H3\n" \
	"H3:	exit\n}\n"
#define ONE_WARP MAIN("(1, 1, 1), (32, 1, 1)", "0")
/* The address of the thread's word. */
#define MINE "	%t = mov.u32 %tid.x\n	%a = ld.param.u64 [out]\n	%a = mad.wide.u32 %t, 8, %a\n"
#define REGS "	reg u32 %t, %u, %v, %w\n	reg u64 %a, %x, %y\n	reg pred %p, %q\n"
/* Threads for which %p holds end here; the kernel's last block is EX. */
#define EXIT_IF(N) "	bra %p, EX, C" N "\nC" N ":\n"
#define KERNEL "kernel k(u64 out) {\n" REGS

/* ---- memory ---- */

START_TEST(memory_places)
{
	Memory *m = memory_new(100000);
	uint64_t a = memory_alloc(m, 1000, "a", false), b = memory_alloc(m, 1, "b", true),
		c = memory_alloc(m, 50000, "c", false);
	ck_assert(a && b && c);
	ck_assert_uint_eq(a % 256, 0);
	ck_assert_uint_eq(b % 256, 0);
	ck_assert_uint_ge(b - (a + 1000), 256); /* unmapped space between them */
	ck_assert_uint_eq(memory_alloc(m, 60000, "too much", false), 0);
	const Alloc *hint = NULL, *f = memory_find(m, a + 992, 8, &hint);
	ck_assert_ptr_nonnull(f);
	ck_assert_str_eq(f->name, "a");
	for (int k = 0; k < 1000; k++)
		ck_assert_uint_eq(f->data[k], 0);
	ck_assert_ptr_eq(hint, f);
	ck_assert_ptr_null(memory_find(m, a + 993, 8, &hint));
	ck_assert_ptr_null(memory_find(m, a - 1, 1, &hint));
	ck_assert_ptr_null(memory_find(m, a, UINT64_MAX, &hint));
	ck_assert_ptr_null(memory_find(m, 0, 1, NULL));
	ck_assert(memory_find(m, b, 1, &hint)->read_only);
	ck_assert_str_eq(memory_nearest(m, a + 1001)->name, "a");
	ck_assert_str_eq(memory_nearest(m, b - 1)->name, "b");
	ck_assert_str_eq(memory_nearest(m, UINT64_MAX)->name, "c");
	ck_assert_uint_eq(memory_count(m), 3);
	ck_assert_uint_eq(memory_nth(m, 2)->addr, c);
	unsigned long long h = memory_hash(m);
	f->data[999] = 1;
	ck_assert(memory_hash(m) != h);
	hint = f;
	ck_assert(memory_release(m, a));
	ck_assert(!memory_release(m, a));
	ck_assert_ptr_null(memory_find(m, a, 1, &hint)); /* a stale hint is not believed */
	ck_assert_uint_ne(memory_alloc(m, 49000, "d", false), 0);
	memory_free(m);
}
END_TEST

START_TEST(memory_large)
{
	Memory *m = memory_new((uint64_t)1 << 40);
	uint64_t a = memory_alloc(m, (uint64_t)1 << 32, "big", false);
	ck_assert_uint_ne(a, 0);
	const Alloc *f = memory_find(m, a + UINT32_MAX - 7, 8, NULL);
	ck_assert_ptr_nonnull(f);
	f->data[UINT32_MAX] = 7;
	memory_free(m);
}
END_TEST

START_TEST(module_data)
{
	passes("global u32 table[4] align 16 = { 1, 2, 3, 4 }\n"
		"global u64 pointers[3] = { table, table+8, f }\n"
		"func f(u32 %x) -> (u32 %r) {\n%r = add.u32 %x, 1\nret\n}\n"
		"const u32 c[2] = { 7, 8 }\n"
		"host main() {\n	reg u64 %a, %b\n	reg u32 %v\n	reg pred %p\n"
		"	%a = mov.u64 pointers\n	%b = ld.global.u64 [%a+8]\n	%v = ld.global.u32 [%b]\n"
		"	%p = setp.eq.u32 %v, 3\n	check %p, \"table[2]\"\n"
		"	%b = ld.global.u64 [%a+16]\n	%p = setp.eq.u64 %b, 0x100\n"
		"	check %p, \"address of f\"\n"
		"	%v = ld.const.u32 [c+4]\n	%p = setp.eq.u32 %v, 8\n	check %p, \"c[1]\"\n"
		"	exit\n}\n");
}
END_TEST

/* ---- faults ---- */
#define BUFFER_MAIN \
	"host main() {\n	reg u64 %buf\n	%buf = alloc.u64 256\n" \
	"	launch k, (2, 1, 1), (4, 1, 1), 0, (%buf)\n	exit\n}\n"

START_TEST(fault_messages)
{
	FAILS(KERNEL "B1:	%a = ld.param.u64 [out]\n	%t = ld.global.u32 [%a+260]\n	exit\n"
		"}\n" BUFFER_MAIN, FAULT_BOUNDS, "k: ", "block B1", "ld.global.u32", "test.ir:6",
		"thread block (0,0,0)", "thread (0,0,0)", "4 bytes",
		"4 bytes past the end of '%buf' (256 bytes");
	FAILS(KERNEL MINE "	st.global.u32 [%a+-8], 1\n	exit\n}\n"
		"host main() {\n	reg u64 %buf\n	%buf = alloc.u64 8\n"
		"	launch k, (1, 1, 1), (1, 1, 1), 0, (%buf)\n	exit\n}\n",
		FAULT_BOUNDS, "8 bytes before '%buf'");
	FAILS(KERNEL MINE "	%u = ld.global.u32 [%a+2]\n	exit\n}\n" BUFFER_MAIN, FAULT_MISALIGNED,
		"misaligned", "at offset 2 of");
	FAILS(KERNEL MINE "	{%u, %v} = ld.global.v2.u32 [%a+4]\n	exit\n}\n" BUFFER_MAIN,
		FAULT_MISALIGNED, "8 bytes at global");
	FAILS("const u32 c = { 1 }\n" KERNEL "	%x = mov.u64 c\n	st.u32 [%x], 1\n	exit\n"
		"}\n" BUFFER_MAIN, FAULT_READ_ONLY, "read-only", "'c'");
	FAILS("shared u32 s[4]\n" KERNEL "	%t = mov.u32 %tid.x\n	%t = mul.lo.u32 %t, 8\n"
		"	%x = cvt.u64.u32 %t\n"
		"	st.shared.u32 [%x], 1\n	%u = ld.shared.u32 [s]\n	exit\n}\n" BUFFER_MAIN,
		FAULT_BOUNDS, "thread (2,0,0)",
		"shared address 0x10");
	FAILS(KERNEL "	local u32 s[4]\n	%u = ld.local.u32 [s+16]\n	exit\n}\n" BUFFER_MAIN,
		FAULT_BOUNDS, "local address 0x10");
	FAILS(KERNEL "	%t = mov.u32 %ctaid.x\n	%p = setp.eq.u32 %t, 1\n	@%p trap\n	exit\n"
		"}\n" BUFFER_MAIN, FAULT_TRAP, "thread block (1,0,0)");
	FAILS(KERNEL "B:	%t = mov.u32 2\n	brx %t, [B, C]\nC:	exit\n}\n" BUFFER_MAIN,
		FAULT_BRANCH, "index 2 of 2");
	FAILS(KERNEL "B:	bra B\n}\n" BUFFER_MAIN, FAULT_LIVELOCK,
		"livelock: the thread and 3 others of the block");
	FAILS(KERNEL "B:	%t = add.u32 %t, 1\n	bra B\n}\n" BUFFER_MAIN, FAULT_LIMIT,
		"1000000 instructions");
	FAILS(KERNEL "B:	%t = mov.u32 %clock\n	bra B\n}\n" BUFFER_MAIN, FAULT_LIMIT,
		"1000000 instructions");
	FAILS("func f() {\n	local u8 big[1024]\n	%x = mov.u64 big\n	call f, ()\n	ret\n}\n"
		KERNEL "	call f, ()\n	exit\n}\n" BUFFER_MAIN, FAULT_LOCAL, "in function f",
		"512 calls deep");
	FAILS("func f() {\n	call f, ()\n	ret\n}\n"
		KERNEL "	call f, ()\n	exit\n}\n" BUFFER_MAIN, FAULT_LOCAL, "4095 calls deep");
	FAILS("extern func f(u32 %x)\n" KERNEL "	call f, (1)\n	exit\n}\n" BUFFER_MAIN,
		FAULT_UNSUPPORTED, "kernel k: its calls lead to function f: it has no body in this module");
	FAILS("func f(u32 %x) refused \"tex is missing\"\n"
		KERNEL "	@%q call f, (1)\n	exit\n}\n" BUFFER_MAIN, FAULT_UNSUPPORTED,
		"kernel k: its calls lead to function f: tex is missing");
	FAILS("global b64 t refused \"tex is missing\"\n"
		KERNEL "	%d = mov.u64 t\n	exit\n}\n" BUFFER_MAIN, FAULT_UNSUPPORTED,
		"kernel k: variable t: tex is missing");
	FAILS("func f(u32 %x) refused \"tex is missing\"\n"
		KERNEL "	%d = mov.u64 f\n	call %d, (1)\n	exit\n}\n" BUFFER_MAIN, FAULT_REFUSED,
		"call %d", "thread (0,0,0): function f: tex is missing");
}
END_TEST

START_TEST(host_faults)
{
#define HOST(BODY) "host main() {\n	reg u64 %a, %b\n	reg pred %p\n" BODY "	exit\n}\n"
#define CHECK_FAILS HOST("	%p = setp.eq.u32 1, 2\n	check %p, \"one is two\"\n")
	FAILS(CHECK_FAILS, FAULT_TRAP, "one is two");
	ck_assert_int_eq(run(CHECK_FAILS).fault.loc.line, 5);
	FAILS(HOST("	%a = alloc.u64 0x100000000\n"), FAULT_LIMIT, "4294967296 bytes");
	FAILS(HOST("	%a = alloc.u64 16\n	fill.u32 %a, 1, 5\n"), FAULT_BOUNDS, "20 bytes");
	FAILS(HOST("	%a = alloc.u64 16\n	%b = alloc.u64 8\n	copy %b, %a, 9\n"), FAULT_BOUNDS,
		"9 bytes");
	FAILS("kernel k(u64 out) {\n	exit\n}\n" HOST("	launch k, (0, 1, 1), (1, 1, 1), 0, (%a)\n"),
		FAULT_UNSUPPORTED, "no extent");
	FAILS("kernel k(u64 out) {\n	exit\n}\n" HOST("	launch k, (1, 1, 1), (64, 64, 64), 0, "
		"(%a)\n"), FAULT_UNSUPPORTED, "(64,64,64) threads");
	FAILS(HOST("H:	bra H\nI:\n"), FAULT_LIMIT, "main: ");
	passes(HOST("	%a = alloc.u64 64\n	%b = alloc.u64 64\n	fill.u16 %a, 0x1234, 32\n"
		"	copy %b, %a, 64\n"
		"	%a = ld.global.u64 [%b+56]\n	%p = setp.eq.u64 %a, 0x1234123412341234\n"
		"	check %p, \"copied\"\n"));
}
END_TEST

/* ---- threads by themselves ---- */

START_TEST(special_registers)
{
	passes("global u64 want[32] = { 0x3020100, 0x3020101, 0x3020102, 0x3020110, 0x3020111, 0x3020112, "
		"0x4030200 }\n"
		"kernel k(u64 out) {\n" REGS
		"	%t = mov.u32 %ctaid.x\n	%u = mov.u32 %nctaid.x\n	%p = setp.ne.u32 %t, 1\n"
		EXIT_IF("1")
		"	%t = mov.u32 %tid.y\n	%t = mul.lo.u32 %t, 3\n	%u = mov.u32 %tid.x\n"
			"	%t = add.u32 %t, %u\n"
		"	%a = ld.param.u64 [out]\n	%a = mad.wide.u32 %t, 8, %a\n"
		"	%v = mov.u32 %tid.y\n	%v = mad.lo.u32 %v, 16, %u\n	%u = mov.u32 %ctaid.x\n"
		"	%v = mad.lo.u32 %u, 256, %v\n"
		"	%u = mov.u32 %ntid.y\n	%v = mad.lo.u32 %u, 0x10000, %v\n"
		"	%u = mov.u32 %ntid.x\n"
		"	%v = mad.lo.u32 %u, 0x1000000, %v\n	%x = cvt.u64.u32 %v\n"
		"	st.global.u64 [%a], %x\n"
		"	%t = mov.u32 %laneid\n	%p = setp.ne.u32 %t, 0\n" EXIT_IF("2")
		"	%a = ld.param.u64 [out]\n	st.global.u64 [%a+48], 0x4030200\nEX:	exit\n}\n"
		MAIN("(2, 1, 1), (3, 2, 1)", "0"));
}
END_TEST

START_TEST(calls_and_recursion)
{
	/* Fibonacci numbers by recursion, each call with a local variable of its own; a table of
	   functions. */
	passes("global u64 want[32] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34 }\n"
		"func fib(u32 %n) -> (u32 %r) {\n	local u32 keep[1]\n	reg u32 %m, %s\n"
		"	reg pred %p\n"
		"F0:	st.local.u32 [keep], %n\n	%r = mov.u32 %n\n	%p = setp.lt.u32 %n, 2\n"
		"	bra %p, F2, F1\n"
		"F1:	%m = sub.u32 %n, 1\n	(%s) = call fib, (%m)\n	%m = ld.local.u32 [keep]\n"
		"	%m = sub.u32 %m, 2\n"
		"	(%r) = call fib, (%m)\n	%r = add.u32 %r, %s\n	bra F2\nF2:	ret\n}\n"
		"global u64 functions[1] = { fib }\n"
		KERNEL MINE "	%x = mov.u64 functions\n	%x = ld.global.u64 [%x]\n"
		"	(%u) = call %x, (%t)\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a], %x\n	exit\n}\n" MAIN("(1, 1, 1), (10, 1, 1)", "0"));
}
END_TEST

START_TEST(memory_spaces)
{
	/* local, shared and global memory through generic addresses; narrow loads extend */
	passes("global u64 want[32] = { 0xfffffffffffffffe, 0xfe, 0x1122, 5, 9, 1 }\n"
		"extern shared b8 dyn[] align 8\nshared u16 tile[4]\n"
		KERNEL "	local u64 stack[2]\n	reg pred %z\n"
		"	%a = ld.param.u64 [out]\n"
		"	%x = mov.u64 stack\n	%x = cvta.local.u64 %x\n	st.u8 [%x+9], 0xfe\n"
		"	%y = ld.s8 [%x+9]\n	st.global.u64 [%a], %y\n	%y = ld.local.u8 [stack+9]\n"
		"	st.global.u64 [%a+8], %y\n"
		"	%x = mov.u64 tile\n	%x = cvta.shared.u64 %x\n	st.u16 [%x+2], 0x1122\n"
		"	%y = ld.shared.u16 [tile+2]\n"
		"	st.global.u64 [%a+16], %y\n"
		"	%x = mov.u64 dyn\n	st.shared.u32 [%x+12], 5\n"
		"	%u = atom.shared.add.u32 [dyn+12], 4\n	%y = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a+24], %y\n	%u = ld.shared.u32 [dyn+12]\n	%y = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a+32], %y\n"
		"	%x = mov.u64 stack\n	%x = cvta.local.u64 %x\n	%z = isspacep.local %x\n"
		"	%y = selp.u64 1, 0, %z\n"
		"	st.global.u64 [%a+40], %y\n	exit\n}\n" MAIN("(1, 1, 1), (1, 1, 1)", "16"));
	FAILS("extern shared b8 dyn[] align 8\n" KERNEL
		"	%u = ld.shared.u32 [dyn+16]\n	exit\n}\nglobal u64 want[32]\n"
		MAIN("(1, 1, 1), (1, 1, 1)", "16"), FAULT_BOUNDS, "shared");
}
END_TEST

START_TEST(wide_registers)
{
	/* cvt between registers wider than its types */
	passes("global u64 want[32] = { 0xffffffffffffff80, 0x80, 0xfffffffffffff080 }\n" KERNEL
		"	%a = ld.param.u64 [out]\n	%x = mov.u64 0x123456789abcf080\n"
		"	%y = cvt.s64.s8 %x\n	st.global.u64 [%a], %y\n"
		"	%y = cvt.u64.u8 %x\n	st.global.u64 [%a+8], %y\n	%x = cvt.s64.s16 %x\n"
		"	st.global.u64 [%a+16], %x\n	exit\n}\n"
		MAIN("(1, 1, 1), (1, 1, 1)", "0"));
}
END_TEST

START_TEST(guards_and_counts)
{
	Outcome o = run(KERNEL "	%t = mov.u32 %tid.x\n	%p = setp.lt.u32 %t, 3\n"
		"	@%p %t = add.u32 %t, 1\n	@!%p %u = add.u32 %t, 2\n	@!%p nop\n"
		"	exit\n}\n"
		"host main() {\n	reg u64 %b\n	%b = mov.u64 0\n"
		"	launch k, (1, 1, 1), (10, 1, 1), 0, (%b)\n	exit\n}\n");
	ck_assert_msg(o.ok, "%s", o.fault.text);
	ck_assert_uint_eq(o.instructions, 10 * 3 + 3 + 2 * 7); /* only those whose guard holds count */
}
END_TEST

/* ---- threads together ---- */

START_TEST(block_barrier)
{
	/* every thread reads what its neighbour wrote before the barrier, over 64 threads */
	passes("global u64 want[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, "
		"20, 21, 22, 23, 24, 25, 26,"
		" 27, 28, 29, 30, 31, 32 }\nshared u32 s[64]\n" KERNEL MINE
		"	%u = mul.lo.u32 %t, 4\n	%x = cvt.u64.u32 %u\n	st.shared.u32 [%x], %t\n"
		"	bar.sync 0\n"
		"	%u = add.u32 %t, 1\n	%u = and.b32 %u, 63\n	%u = mul.lo.u32 %u, 4\n"
		"	%x = cvt.u64.u32 %u\n"
		"	%v = ld.shared.u32 [%x]\n	%w = ld.shared.u32 [s]\n	%y = cvt.u64.u32 %v\n"
		"	st.global.u64 [%a], %y\n	exit\n}\n"
		MAIN("(1, 1, 1), (64, 1, 1)", "0"));
}
END_TEST

START_TEST(barrier_kinds)
{
	/* an exited thread is not waited for; bar.red; producers arrive without waiting at a counted
	   barrier */
	passes("global u64 want[32] = { 20, 1, 0, 7 }\nshared u32 s[1]\n" KERNEL
		"	reg u32 %n\n	reg pred %all, %any\n"
		"B0:	%t = mov.u32 %tid.x\n	%p = setp.ge.u32 %t, 40\n" EXIT_IF("1")
		"	%q = setp.lt.u32 %t, 20\n	%n = bar.red.popc.u32 0, %q\n"
			"	%any = bar.red.or.pred 0, %q\n	%all = bar.red.and.pred 0, %q\n"
		"	%p = setp.ge.u32 %t, 24\n	bra %p, B2, B1\n"
		"B1:	st.shared.u32 [s], 7\n	bar.arrive 3, 32\n	exit\n"
		"B2:	%p = setp.ge.u32 %t, 32\n" EXIT_IF("2")
		"	bar.sync 3, 32\n	%a = ld.param.u64 [out]\n"
		"	%x = cvt.u64.u32 %n\n	st.global.u64 [%a], %x\n	%x = selp.u64 1, 0, %any\n"
		"	st.global.u64 [%a+8], %x\n"
		"	%x = selp.u64 1, 0, %all\n	st.global.u64 [%a+16], %x\n"
		"	%u = ld.shared.u32 [s]\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a+24], %x\nEX:	exit\n}\n" MAIN("(1, 1, 1), (64, 1, 1)", "0"));
	FAILS(KERNEL "B0:	%t = mov.u32 %tid.x\n	%p = setp.eq.u32 %t, 0\n	bra %p, B1, B2\n"
		"B1:	bar.sync 1\n	exit\nB2:	bar.sync 2\n	exit\n}\n" BUFFER_MAIN, FAULT_BARRIER,
		"4 of 4 threads", "thread (0,0,0) waits at bar.sync 1", "thread (1,0,0) waits at bar.sync 2");
	FAILS(KERNEL "	bar.sync 16\n	exit\n}\n" BUFFER_MAIN, FAULT_OPERAND, "barrier 16");
	FAILS(KERNEL "	bar.sync 0, 64\n	exit\n}\n" BUFFER_MAIN, FAULT_OPERAND, "the block has 4");
}
END_TEST

START_TEST(grid_barrier)
{
	/* 8 blocks of 4 threads: each of 3 rounds adds what the thread of the next block but one wrote in the
	   round before; shared memory, registers and the barriers of a block are kept from round to round;
	   one thread of each block has ended */
	passes("global u64 want[32] = { 27, 27, 27, 0, 27, 27, 27, 0, 27, 27, 27, 0, 27, 27, 27, 0, 27, 27, "
		"27, 0, 27, 27, 27, 0, 27, 27, 27, 0, 27, 27, 27, 0 }\n"
		"shared u64 kept[4]\n" KERNEL
		"	reg u64 %b, %from, %s\n	reg u32 %n\n	%t = mov.u32 %tid.x\n"
		"	%u = mov.u32 %ctaid.x\n	%p = setp.eq.u32 %t, 3\n" EXIT_IF("G")
		"	%a = ld.param.u64 [out]\n	%w = mad.lo.u32 %u, 4, %t\n	%x = cvt.u64.u32 %w\n"
			"	%x = shl.b64 %x, 3\n	%b = add.u64 %a, %x\n"
		"	%w = add.u32 %w, 8\n	%w = and.b32 %w, 31\n	%x = cvt.u64.u32 %w\n"
			"	%x = shl.b64 %x, 3\n	%from = add.u64 %a, %x\n"
		"	%s = cvt.u64.u32 %t\n	%s = shl.b64 %s, 3\n	%y = mov.u64 kept\n"
			"	%s = add.u64 %s, %y\n	%y = mov.u64 1\n	st.global.u64 [%b], %y\n"
			"	%n = mov.u32 0\n"
		"	bar.sync 0\n	st.shared.u64 [%s], %y\n	barrier.grid\n"
		"L:	%y = ld.global.u64 [%from]\n	barrier.grid\n	%x = ld.shared.u64 [%s]\n"
		"	%x = add.u64 %x, %x\n	%y = add.u64 %x, %y\n	st.shared.u64 [%s], %y\n"
		"	st.global.u64 [%b], %y\n	barrier.grid\n	%n = add.u32 %n, 1\n"
		"	%q = setp.lt.u32 %n, 3\n	bra %q, L, EX\nEX:	exit\n}\n"
		MAIN("(8, 1, 1), (4, 1, 1)", "0"));
	/* a block that has ended is not waited for; a function's barrier */
	passes("global u64 want[32] = { 0, 5, 5, 5, 5 }\nglobal u32 done\nfunc meet() { m: barrier.grid\n"
		" ret }\n" KERNEL
		"	%u = mov.u32 %ctaid.x\n	%p = setp.eq.u32 %u, 0\n" EXIT_IF("E")
		"	red.global.add.u32 [done], 1\n	call meet, ()\n	%v = ld.global.u32 [done]\n"
			"	%y = cvt.u64.u32 %v\n	%y = add.u64 %y, 1\n"
		"	%a = ld.param.u64 [out]\n	%x = cvt.u64.u32 %u\n	%x = shl.b64 %x, 3\n"
			"	%a = add.u64 %a, %x\n	st.global.u64 [%a], %y\nEX:	exit\n}\n"
		MAIN("(5, 1, 1), (1, 1, 1)", "0"));
	FAILS(KERNEL "B0:	%t = mov.u32 %tid.x\n	%p = setp.eq.u32 %t, 0\n	bra %p, B1, B2\n"
		"B1:	bar.sync 1\n	exit\nB2:	barrier.grid\n	exit\n}\n" BUFFER_MAIN, FAULT_BARRIER,
		"4 of 4 threads", "thread (0,0,0) waits at bar.sync 1",
		"thread (1,0,0) waits at barrier.grid in line");
	FAILS(KERNEL "	barrier.grid\n	exit\n}\nhost main() {\n"
		"	launch k, (2147483647, 1, 1), (1024, 1, 1), 0, (0)\n	exit\n}\n", FAULT_UNSUPPORTED,
		"the kernel has a barrier of the whole grid: 2147483647 blocks");
}
END_TEST

START_TEST(shuffles)
{
	/* down by one: lane 31 keeps its own value and its predicate is false; lanes whose source has exited
	   keep theirs */
	passes("global u64 want[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, "
		"20, 21, 22, 23, 24, 25, 26,"
		" 27, 28, 29, 30, 31, 131 }\n" KERNEL MINE
		"	%u|%p = shfl.sync.down.b32 %t, 1, 31, 0xffffffff\n	@!%p %u = add.u32 %u, 100\n"
		"	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a], %x\n	exit\n}\n" ONE_WARP);
	passes("global u64 want[32] = { 3, 2, 1, 0, 4, 5 }\n" KERNEL MINE
		"	%p = setp.ge.u32 %t, 6\n" EXIT_IF("1")
		"	%u = shfl.sync.bfly.b32 %t, 3, 31, 0xffffffff\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a], %x\nEX:	exit\n}\n" ONE_WARP);
	passes("global u64 want[32] = { 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 24, 24, 24, 24, 24, "
		"24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24 }\n"
		KERNEL MINE "	%u = shfl.sync.idx.b32 %t, 8, 0x101f, 0xffffffff\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a], %x\n	exit\n}\n" ONE_WARP);
}
END_TEST

START_TEST(votes)
{
	passes("global u64 want[32] = { 0xf, 1, 0, 0x55555555, 6, 496, 31, 0, 0x10, 0xffffffff }\n"
		KERNEL "	reg pred %r\n	%t = mov.u32 %tid.x\n	%a = ld.param.u64 [out]\n"
		"	%q = setp.lt.u32 %t, 4\n"
		"	%u = vote.sync.ballot.b32 %q, 0xffffffff\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a], %x\n"
		"	%p = vote.sync.any.pred %q, 0xffffffff\n	%x = selp.u64 1, 0, %p\n"
		"	st.global.u64 [%a+8], %x\n"
		"	%p = vote.sync.all.pred %q, 0xffffffff\n	%x = selp.u64 1, 0, %p\n"
		"	st.global.u64 [%a+16], %x\n"
		"	%v = and.b32 %t, 1\n	%u = match.any.sync.b32 %v, 0xffffffff\n"
		"	%p = setp.eq.u32 %t, 2\n"
		"	%x = cvt.u64.u32 %u\n	@%p st.global.u64 [%a+24], %x\n"
		"	%u = redux.sync.add.u32 %t, 0xffffffff\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a+40], %x\n"
		"	%u = redux.sync.max.s32 %t, 0xffffffff\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a+48], %x\n"
		"	%u|%r = match.all.sync.b32 %t, 0xffffffff\n	%x = cvt.u64.u32 %u\n"
		"	st.global.u64 [%a+56], %x\n"
		"	%p = setp.ge.u32 %t, 16\n	bra %p, B2, B1\n"
		"B1:	%p = setp.lt.u32 %t, 4\n" EXIT_IF("1")
		"	%u|%q = elect.sync 0x0000fff0\n	%v = mov.u32 %lanemask_eq\n"
		"	%x = cvt.u64.u32 %v\n	@%q st.global.u64 [%a+64], %x\n	exit\n"
		"B2:	%u = match.all.sync.b32 7, 0xffff0000\n	%v = or.b32 %u, 0xffff\n"
		"	%x = cvt.u64.u32 %v\n	st.global.u64 [%a+72], %x\n"
		"	st.global.u64 [%a+32], 6\n	bar.warp.sync 0xffff0000\nEX:	exit\n}\n" ONE_WARP);
	FAILS("global u64 want[32]\n" KERNEL "B0:	%t = mov.u32 %tid.x\n	%p = setp.lt.u32 %t, 16\n"
		"	bra %p, B1, B2\n"
		"B1:	bar.warp.sync 0xffffffff\n	exit\nB2:	bar.sync 0\n	exit\n}\n" ONE_WARP,
		FAULT_BARRIER, "32 of 32 threads",
		"waits at bar.warp.sync for lanes 0xffffffff", "28 more");
}
END_TEST

START_TEST(spin_locks)
{
	/* all threads of a block take a lock in turns; a thread that spins gives the others their chance */
	passes("global u64 want[32] = { 0x4000000000 }\nglobal u32 lock\n"
		KERNEL "B0:	%x = mov.u64 lock\n	%a = ld.param.u64 [out]\n	bra B1\n"
		"B1:	%u = atom.global.cas.b32 [%x], 0, 1\n	%p = setp.ne.u32 %u, 0\n"
		"	bra %p, B1, B2\n"
		"B2:	%v = ld.global.u32 [%a+4]\n	%v = add.u32 %v, 1\n	st.global.u32 [%a+4], %v\n"
		"	%u = atom.global.exch.b32 [%x], 0\n	exit\n}\n"
		MAIN("(1, 1, 1), (64, 1, 1)", "0"));
}
END_TEST

/* ---- what a host function costs ---- */

static volatile sig_atomic_t stop;
static void stop_now(void *self, uint64_t addr, uint64_t size) { stop = addr && size && self; }

/* Runs main with that many steps. heard: the user interrupts it when it makes a buffer. */
static bool run_limited(const char *text, uint64_t steps, bool heard, Fault *fault, Memory *mem)
{
	Diag diag = { 0 };
	Module *m = ir_read(text, strlen(text), "test.ir", &diag);
	uint64_t none = 0;
	ck_assert_ptr_nonnull(m);
	stop = 0;
	HostHooks hooks = { .self = fault, .launch = launch, .max_steps = steps,
		.allocated = heard ? stop_now : NULL, .interrupted = &stop };
	bool ok = host_run(m, module_find_function(m, "main"), mem, &none, &hooks, fault);
	module_free(m);
	diag_free(&diag);
	return ok;
}

#define LOOP(WORK) "host main() {\n%a = alloc.u64 8000000\nbra L\nL:\n" WORK "\nbra L\n}\n"

/* A million steps are 64 million bytes: eight rounds. One more may be under way. */
START_TEST(bytes_count)
{
	static const char *const loops[] = { LOOP("fill.u8 %a, 1, 8000000"), LOOP("fill.u64 %a, 1, 1000000"),
		LOOP("%b = add.u64 %a, 4000000\ncopy %b, %a, 4000000") };
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
		Memory *mem = memory_new(1 << 28);
		Fault fault = { 0 };
		clock_t start = clock();
		ck_assert(!run_limited(loops[i], 1000000, false, &fault, mem));
		ck_assert_msg(fault.kind == FAULT_LIMIT && strstr(fault.text, "1000000 steps"), "%s",
			fault.text);
		ck_assert_msg(clock() - start < 2 * CLOCKS_PER_SEC, "%s", loops[i]);
		memory_free(mem);
	}
}
END_TEST

START_TEST(a_fill_hears_the_user)
{
	static const char *const work[] = { "fill.u8 %a, 1, 8000000",
		"%b = add.u64 %a, 4000000\ncopy %b, %a, 4000000" };
	for (int i = 0; i < 2; i++) {
		Memory *mem = memory_new(1 << 28);
		Fault fault = { 0 };
		char text[200];
		snprintf(text, sizeof text, "host main() {\n%%a = alloc.u64 8000000\n%s\nexit\n}\n", work[i]);
		ck_assert(!run_limited(text, 0, true, &fault, mem));
		ck_assert_int_eq(fault.kind, FAULT_NONE);
		ck_assert_uint_eq(memory_nth(mem, 0)->data[7999999], 0);
		memory_free(mem);
	}
}
END_TEST

/* More than is done in one piece, from a place on that is no multiple of it, up and down, into itself. */
START_TEST(long_copies_overlap)
{
	static const char text[] = "host main() {\n%a = alloc.u64 8000000\n%n = mov.u64 0\nbra L\n"
		"L:\n%x = add.u64 %a, %n\n%v = cvt.u32.u64 %n\nfill.u32 %x, %v, 16\n%n = add.u64 %n, 65536\n"
		"%p = setp.lt.u64 %n, 7900000\nbra %p, L, M\n"
		"M:\n%x = add.u64 %a, 8\ncopy %x, %a, 7000000\ncopy %a, %x, 5000000\nexit\n}\n";
	Memory *mem = memory_new(1 << 28);
	Fault fault = { 0 };
	ck_assert_msg(run_limited(text, 0, false, &fault, mem), "%s", fault.text);
	const uint8_t *data = memory_nth(mem, 0)->data;
	for (uint32_t at = 0; at < 7900000; at += 4) {
		uint32_t was = at < 5000000 ? at : at < 7000008 ? at - 8 : at, v,
			want = was % 65536 < 64 ? was / 65536 * 65536 : 0;
		memcpy(&v, data + at, 4);
		ck_assert_msg(v == want, "byte %u: %u, not %u", at, v, want);
	}
	memory_free(mem);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("interp");
	TCase *m = tcase_create("memory"), *f = tcase_create("faults"), *a = tcase_create("alone"),
		*t = tcase_create("together");
	tcase_add_test(m, memory_places);
	tcase_add_test(m, memory_large);
	tcase_add_test(m, module_data);
	tcase_add_test(f, fault_messages);
	tcase_add_test(f, host_faults);
	tcase_add_test(a, special_registers);
	tcase_add_test(a, calls_and_recursion);
	tcase_add_test(a, memory_spaces);
	tcase_add_test(a, wide_registers);
	tcase_add_test(a, guards_and_counts);
	tcase_add_test(t, block_barrier);
	tcase_add_test(t, barrier_kinds);
	tcase_add_test(t, grid_barrier);
	tcase_add_test(t, shuffles);
	tcase_add_test(t, votes);
	tcase_add_test(t, spin_locks);
	tcase_add_test(a, bytes_count);
	tcase_add_test(a, a_fill_hears_the_user);
	tcase_add_test(a, long_copies_overlap);
	suite_add_tcase(s, m);
	suite_add_tcase(s, f);
	suite_add_tcase(s, a);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
