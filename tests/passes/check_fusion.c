/* Fusion of two kernels: pairs that may be one and pairs that may not, and that memory is what it was, under
   the reference interpreter and three mechanisms. */
#include "tests/passes/fuse_pair.h"

static const char *const models[] = { NULL, "ipdom", "its", "tf_stack" };
enum { MODELS = sizeof models / sizeof *models };

#define INDEX "\t%t = mov.u32 %tid.x\n\t%c = mov.u32 %ctaid.x\n\t%n = mov.u32 %ntid.x\n" \
	"\t%i = mad.lo.u32 %c, %n, %t\n"
/* a[i] = f(b[i]) */
#define MAP(NAME, OP) "kernel " NAME "(u64 a, u64 b) {\n" \
	INDEX "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%a = mad.wide.u32 %i, 4, %a\n" \
	"\t%b = mad.wide.u32 %i, 4, %b\n\t%v = ld.global.u32 [%b]\n" \
	OP "\tst.global.u32 [%a], %v\n\texit\n}\n"
#define DOUBLE MAP("double", "\t%v = mad.lo.u32 %v, 2, %i\n")
#define THRICE MAP("thrice", "\t%v = mad.lo.u32 %v, 3, 1\n")

#define HOST(BODY) "host main() {\n\t%x = alloc.u64 4096\n\t%y = alloc.u64 4096\n\t%z = alloc.u64 4096\n" \
	"\tfill.u32 %x, 7, 1024\n" BODY "\texit\n}\n"

/* a[i] of b's elements, reversed within the block, through shared memory; threads beyond n return early */
#define REVERSE(NAME, EXTENT, DECL) "kernel " NAME "(u64 a, u64 b) {\n" \
	DECL INDEX "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%a = mad.wide.u32 %i, 4, %a\n" \
	"\t%b = mad.wide.u32 %i, 4, %b\n\t%v = ld.global.u32 [%b]\n\t%v = add.u32 %v, %t\n" \
		"\t%s = mov.u64 buf\n\t%o = mul.wide.u32 %t, 4\n\t%p = add.u64 %s, %o\n" \
		"\tst.shared.u32 [%p], %v\n" \
	"\tbar.sync 0\n\t%r = sub.u32 " EXTENT ", %t\n\t%o = mul.wide.u32 %r, 4\n\t%p = add.u64 %s, %o\n" \
	"\t%v = ld.shared.u32 [%p]\n\tst.global.u32 [%a], %v\n\texit\n}\n"
#define STATIC "\tshared u32 buf[128]\n"
#define DYNAMIC "\textern shared u32 buf[]\n"

/* a[i] = the sum of b[i] by turns, for i below n; the others return at once */
#define EARLY(NAME) "kernel " NAME "(u64 a, u64 b, u32 n) {\n" \
	INDEX "\t%m = ld.param.u32 [n]\n\t%p = setp.ge.u32 %i, %m\n\tbra %p, OUT, IN\nIN:\n" \
	"\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n" \
	"\t%a = mad.wide.u32 %i, 4, %a\n\t%b = mad.wide.u32 %i, 4, %b\n\t%k = mov.u32 0\n\t%s = mov.u32 0\n" \
		"\tbra LOOP\nLOOP:\n\t%v = ld.global.u32 [%b]\n\t%s = add.u32 %s, %v\n" \
	"\t%k = add.u32 %k, 1\n\t%l = and.b32 %t, 7\n\t%p = setp.le.u32 %k, %l\n\tbra %p, LOOP, DONE\n" \
	"DONE:\n\tst.global.u32 [%a], %s\n\tret\nOUT:\n\texit\n}\n"

/* body with registers %t %c %n %i %a %b for the thread, its block, how many threads that has, the thread's
   number, and where a and b are */
#define KERNEL(NAME, BODY) "kernel " NAME "(u64 a, u64 b, u32 n) {\n" \
	INDEX "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%m = ld.param.u32 [n]\n" BODY "}\n"
#define AT(REG, BASE, INDEX) "\t" REG " = mad.wide.u32 " INDEX ", 4, " BASE "\n"
#define LOAD "\t%v = ld.global.u32 [%q]\n"
#define STORE "\tst.global.u32 [%p], %v\n\texit\n"
#define COPY(NAME) KERNEL(NAME, AT("%p", "%a", "%i") AT("%q", "%b", "%i") LOAD STORE)
#define BACKWARDS(NAME) KERNEL(NAME, AT("%p", "%a", "%i") "\t%k = sub.u32 511, %i\n" \
	AT("%q", "%b", "%k") LOAD STORE)
#define IN_BLOCK(NAME) KERNEL(NAME, AT("%p", "%a", "%i") \
	"\t%k = sub.u32 127, %t\n\t%k = mad.lo.u32 %c, 128, %k\n" AT("%q", "%b", "%k") LOAD STORE)
#define BY_BLOCK(NAME) KERNEL(NAME, AT("%p", "%a", "%c") AT("%q", "%b", "%c") LOAD STORE)
#define CALLS(NAME, CALLEE) KERNEL(NAME, AT("%p", "%a", "%i") AT("%q", "%b", "%i") LOAD "\t(%v) = call " \
	CALLEE ", (%v)\n" STORE)
#define PARTING(NAME, CONDITION, MEETING) KERNEL(NAME, \
	AT("%p", "%a", "%i") "\t%v = mov.u32 1\n" CONDITION "\tbra %s, OUT, IN\nIN:\n" \
	MEETING "\tst.global.u32 [%p], %v\n\texit\nOUT:\n\texit\n")
#define BY_THREAD "\t%s = setp.ge.u32 %i, %m\n"
#define BY_PARAM "\t%s = setp.ge.u32 %c, %m\n"
#define SHUFFLE "\t%v = add.u32 %v, %t\n\t%v = shfl.sync.down.b32 %v, 1, 31, 0xffffffff\n"
/* y[block] = the sum of x over the block, by halves */
#define HALVES(NAME) "kernel " NAME "(u64 a, u64 b, u32 n) {\n\tshared u32 s[128]\n" \
	INDEX "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n" \
	AT("%q", "%b", "%i") LOAD "\t%s = mov.u64 s\n" \
	AT("%own", "%s", "%t") "\tst.shared.u32 [%own], %v\n\t%h = shr.u32 %n, 1\n\tbar.sync 0\n" \
		"\tbra LOOP\nLOOP:\n\t%g = setp.lt.u32 %t, %h\n\tbra %g, ADD, NEXT\nADD:\n" \
		"\t%k = add.u32 %t, %h\n" \
	AT("%o", "%s", "%k") "\t%v = ld.shared.u32 [%own]\n\t%w = ld.shared.u32 [%o]\n" \
		"\t%v = add.u32 %v, %w\n\tst.shared.u32 [%own], %v\n\tbra NEXT\nNEXT:\n\tbar.sync 0\n" \
		"\t%h = shr.u32 %h, 1\n" \
	"\t%g = setp.gt.u32 %h, 0\n\tbra %g, LOOP, LAST\nLAST:\n\t%g = setp.eq.u32 %t, 0\n" \
	"\tbra %g, OUT, END\nOUT:\n" AT("%p", "%a", "%c") \
	"\t%v = ld.shared.u32 [%s]\n\tst.global.u32 [%p], %v\n\tbra END\nEND:\n\texit\n}\n"
#define PAIR(GRID, FIRST, A, SECOND, B) HOST("\tlaunch " FIRST ", " GRID ", 0, " A "\n\tlaunch " SECOND ", " \
	GRID ", 0, " B "\n")

/* why: a part of the reason; holds: what the text holds behind it */
typedef struct Case {
	const char *name, *text;
	int fused;
	const char *why;
	FusionBetween between;
	FusionOptions options;
	const char *holds;
} Case;
static const Case cases[] = {
	{ "one reads what the other has written, thread by thread", DOUBLE THRICE HOST(
		"\tlaunch double, 8, 128, 0, (%y, %x)\n\tlaunch thrice, 8, 128, 0, (%z, %y)\n"), 1, NULL,
		FUSION_NOTHING },
	{ "in place", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%x, %x)\n"
		"\tlaunch thrice, 8, 128, 0, (%x, %x)\n"), 1, NULL, FUSION_NOTHING },
	{ "other grids", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n"
		"\tlaunch thrice, 4, 128, 0, (%z, %y)\n"), 0, "grids", 0 },
	{ "other streams", DOUBLE THRICE HOST("\tlaunch double, 8, 128, 0, (%y, %x)\n"
		"\tlaunch thrice, 8, 128, 0, 1, (%z, %y)\n"), 0, "streams", 0 },
	{ "a parameter moved by the host", DOUBLE THRICE HOST("\t%w = add.u64 %y, 4\n"
		"\tlaunch double, 8, 127, 0, (%y, %x)\n\tlaunch thrice, 8, 127, 0, (%z, %w)\n"), 0,
		"another block of thrice may read through `b`", 0 },
	{ "early returns, and the same labels", EARLY("sum") EARLY("sums") HOST(
		"\tlaunch sum, 8, 128, 0, (%y, %x, 1000)\n\tlaunch sums, 8, 128, 0, (%z, %y, 777)\n"), 1,
		NULL, FUSION_NOTHING },
	{ "three in a row", EARLY("sum") DOUBLE HOST(
		"\tlaunch sum, 8, 128, 0, (%y, %x, 1000)\n\tlaunch double, 8, 128, 0, (%z, %y)\n"
		"\tlaunch sum, 8, 128, 0, (%x, %z, 600)\n"), 2, NULL, FUSION_NOTHING },
	{ "static shared memory", REVERSE("rev", "127", STATIC) REVERSE("rev2", "127", STATIC) HOST(
		"\tlaunch rev, 8, 128, 0, (%y, %x)\n\tlaunch rev2, 8, 128, 0, (%z, %y)\n"), 1, NULL,
		FUSION_NOTHING },
	{ "dynamic shared memory", REVERSE("rev", "127", DYNAMIC) REVERSE("rev2", "127", DYNAMIC) HOST(
		"\tlaunch rev, 8, 128, 512, (%y, %x)\n\tlaunch rev2, 8, 128, 512, (%z, %y)\n"), 1, NULL,
		FUSION_BLOCK, { 0 }, "rev2_buf+512" },
	{ "dynamic shared memory that the host computes, in two kernels",
		REVERSE("rev", "127", DYNAMIC) REVERSE("rev2", "127",
		DYNAMIC) HOST("\tst.global.u32 [%z], 516\n\t%bytes = ld.global.u32 [%z]\n"
		"\tlaunch rev, 8, 128, %bytes, (%y, %x)\n\tlaunch rev2, 8, 128, 512, (%z, %y)\n"), 0,
		"how much shared memory", 0 },
	{ "the same, taken for granted", REVERSE("rev", "127", DYNAMIC) REVERSE("rev2", "127",
		DYNAMIC) HOST("\tst.global.u32 [%z], 516\n\t%bytes = ld.global.u32 [%z]\n"
		"\tlaunch rev, 8, 128, %bytes, (%y, %x)\n\tlaunch rev2, 8, 128, %bytes, (%z, %y)\n"), 1, NULL,
		FUSION_BLOCK, { .assume_no_grid_sync = true }, "add.u64 %t24, %shared_begin2" },
	{ "backwards through the grid", COPY("one") BACKWARDS("two") PAIR("4, 128", "one", "(%y, %x, 0)",
		"two", "(%z, %y, 0)"), 0,
		"one writes through `a` (test.ir:12) what another block of two may read through `b` "
		"(test.ir:26)", 0 },
	{ "backwards through the grid, with its barrier",
		COPY("one") BACKWARDS("two") PAIR("4, 128", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"), 1,
		NULL, FUSION_GRID, { .grid_barrier = true } },
	{ "no barrier of a grid that is not resident",
		COPY("one") BACKWARDS("two") PAIR("512, 1", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"), 0,
		"another block", 0, { .grid_barrier = true } },
	{ "a grid of one block", COPY("one") BACKWARDS("two") PAIR("1, 512", "one", "(%y, %x, 0)", "two",
		"(%z, %y, 0)"), 1, NULL, FUSION_BLOCK },
	{ "the host computes one block", COPY("one") BACKWARDS("two") HOST("\t%n = mov.u32 100\n"
		"\t%n = add.u32 %n, 255\n\t%g = div.u32 %n, 256\n\t%h = mov.u32 %g\n"
		"\tlaunch one, %g, 512, 0, (%y, %x, 0)\n\tlaunch two, (%h, 1, 1), 512, 0, (%z, %y, 0)\n"), 1,
		NULL, FUSION_BLOCK },
	{ "backwards in the block", COPY("one") IN_BLOCK("two") PAIR("4, 128", "one", "(%y, %x, 0)", "two",
		"(%z, %y, 0)"), 1, NULL, FUSION_BLOCK },
	{ "a number of each block", BY_BLOCK("one") BY_BLOCK("two") PAIR("4, 128", "one", "(%y, %x, 0)",
		"two", "(%z, %y, 0)"), 1, NULL, FUSION_BLOCK },
	{ "a number of each block, of blocks in two dimensions",
		BY_BLOCK("one") BY_BLOCK("two") PAIR("(4, 2, 1), 16", "one", "(%y, %x, 0)", "two",
		"(%z, %y, 0)"), 0, "another block", 0 },
	{ "atomics on one word", KERNEL("one", "\tred.global.add.u32 [%a], 1\n\texit\n") KERNEL("two",
		"\tred.global.add.u32 [%a], 3\n\texit\n") PAIR("4, 64", "one", "(%y, %x, 0)", "two",
		"(%y, %x, 0)"), 0,
		"one updates through `a` (test.ir:9) what another block of two may update", 0 },
	{ "atomics on different buffers", KERNEL("one",
		"\tred.global.add.u32 [%a], 1\n\texit\n") KERNEL("two",
		"\tred.global.add.u32 [%a], 3\n\texit\n") PAIR("4, 64", "one", "(%y, %x, 0)", "two",
		"(%z, %x, 0)"),
		1, NULL, FUSION_NOTHING },
	{ "a variable of the module", "global u32 counter = 5\n"
		KERNEL("one", "\tst.global.u32 [counter], %m\n\texit\n") KERNEL("two",
		AT("%p", "%a", "%i") "\t%v = ld.global.u32 [counter]\n" STORE)
		PAIR("4, 64", "one", "(%y, %x, 9)", "two", "(%z, %x, 9)"), 0,
			"one writes `counter` (test.ir:10) what another block of two may read `counter` "
			"(test.ir:22)", 0 },
	{ "a variable of the module against a buffer",
		"global u32 counter = 5\n" KERNEL("one", "\tst.global.u32 [counter], %m\n"
		"\texit\n") COPY("two") PAIR("4, 64", "one", "(%y, %x, 9)", "two", "(%z, %x, 9)"), 1, NULL,
		FUSION_NOTHING },
	{ "a variable of the module that the host passes",
		"global u32 counter[1024]\n" KERNEL("one", "\tst.global.u32 [counter], %m\n"
		"\texit\n") COPY("two")
		HOST("\t%w = mov.u64 counter\n\tlaunch one, 4, 64, 0, (%y, %x, 9)\n"
			"\tlaunch two, 4, 64, 0, (%z, %w, 9)\n"), 0, "another block", 0 },
	{ "a barrier behind an early return", PARTING("one", BY_THREAD,
		"\tbar.sync 0\n") COPY("two") PAIR("4, 64", "one", "(%y, %x, 130)", "two", "(%z, %y, 0)"), 0,
		"not all threads need come to the bar.sync of one in line 14", 0 },
	{ "a barrier behind a return of whole blocks",
		PARTING("one", BY_PARAM, "\tbar.sync 0\n") COPY("two") PAIR("4, 64", "one", "(%y, %x, 2)",
		"two", "(%z, %y, 0)"), 1, NULL, FUSION_NOTHING },
	{ "a shuffle behind an early return", PARTING("one", BY_THREAD, SHUFFLE) COPY("two") PAIR("4, 64",
		"one", "(%y, %x, 130)", "two", "(%z, %y, 0)"), 0, "shfl", 0 },
	{ "a shuffle in the second kernel", COPY("two") PARTING("one", BY_PARAM, SHUFFLE) PAIR("4, 64", "two",
		"(%y, %x, 2)", "one", "(%z, %y, 2)"), 1, NULL, FUSION_NOTHING },
	{ "barriers in a loop, and early returns in the second kernel",
		HALVES("one") EARLY("two") PAIR("4, 128", "one", "(%y, %x, 0)", "two", "(%z, %x, 300)"), 1,
		NULL, FUSION_NOTHING },
	{ "barriers in loops, of what each block has summed",
		HALVES("one") KERNEL("two", AT("%p", "%a", "%i") AT("%q", "%b",
		"%c") LOAD STORE) PAIR("4, 128", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"), 1, NULL,
		FUSION_BLOCK },
	{ "barriers in loops of both", HALVES("one") HALVES("two") PAIR("4, 128", "one", "(%y, %x, 0)", "two",
		"(%z, %x, 0)"), 1, NULL, FUSION_NOTHING },
	{ "a barrier of some threads that both use", KERNEL("one", "\tbar.sync 1, 64\n\texit\n") KERNEL("two",
		"\tbar.sync 1, 64\n\texit\n") PAIR("4, 64", "one", "(%y, %x, 0)", "two", "(%z, %x, 0)"), 0,
		"same barrier", 0 },
	{ "a barrier of some threads, and a join that has another number",
		KERNEL("one", AT("%p", "%a", "%c") "\tbar.sync 0, 64\n\t%v = mov.u32 7\n"
		STORE) BY_BLOCK("two")
		PAIR("4, 64", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"), 1, NULL, FUSION_BLOCK },
	{ "a call", "func f(u32 %x) -> (u32 %y) {\n\t%y = mul.lo.u32 %x, 3\n\tret\n}\n"
		CALLS("one", "f") CALLS("two", "f") PAIR("4, 64", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"),
		1, NULL, FUSION_NOTHING },
	{ "a call in which threads end", "func f(u32 %x) -> (u32 %y) {\n\t%y = mul.lo.u32 %x, 3\n"
		"\t%p = setp.gt.u32 %x, 9\n\tbra %p, E, R\nE:\n\texit\nR:\n\tret\n}\n"
		CALLS("one", "f") COPY("two")
		PAIR("4, 64", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"), 0, "may end in a function", 0 },
	{ "kernels that wait for other blocks", KERNEL("one",
		"\tbra LOOP\nLOOP:\n\t%v = ld.volatile.global.u32 [%b]\n\t%s = setp.eq.u32 %v, 0\n"
		"\tbra %s, LOOP, END\nEND:\n\texit\n") COPY("two")
		PAIR("64, 32", "one", "(%y, %x, 0)", "two", "(%z, %x, 0)"), 0,
			"one may wait for other blocks", 0 },
	{ "a kernel that waits for other blocks by plain loads", KERNEL("one", AT("%p", "%a", "%i")
		"\t%v = mov.u32 1\n\tst.global.u32 [%p], %v\n\tbra LOOP\nLOOP:\n\t%v = ld.global.u32 [%b]\n"
		"\t%s = setp.eq.u32 %v, 0\n\tbra %s, LOOP, END\nEND:\n\texit\n") COPY("two")
		PAIR("64, 32", "one", "(%y, %x, 0)", "two", "(%z, %x, 0)"), 0,
			"one may wait for other blocks", 0 },
	{ "a kernel whose loop takes numbers, and waits for nobody", KERNEL("one", "\t%k = mov.u32 0\n"
		"\t%v = mov.u32 0\n\tbra LOOP\nLOOP:\n\t%w = atom.global.add.u32 [%a], 1\n"
		"\t%v = max.u32 %v, %w\n\t%k = add.u32 %k, 1\n\t%s = setp.lt.u32 %k, 3\n"
		"\tbra %s, LOOP, END\nEND:\n\t%s = setp.gt.u32 %v, 99999\n\tbra %s, BAD, GOOD\n"
		"BAD:\n\ttrap\nGOOD:\n\texit\n") COPY("two")
		PAIR("16, 64", "one", "(%y, %x, 0)", "two", "(%z, %x, 0)"), 1, NULL, FUSION_NOTHING },
	{ "a barrier in a loop whose turns are in memory that nobody writes", KERNEL("one",
		"\t%k = mov.u32 0\n\t%w = ld.global.nc.u32 [%b]\n" AT("%p", "%a", "%i") "\t%v = mov.u32 5\n"
		"\tbra LOOP\nLOOP:\n\tbar.sync 0\n\t%k = add.u32 %k, 1\n\t%s = setp.lt.u32 %k, %w\n"
		"\tbra %s, LOOP, END\nEND:\n" STORE) COPY("two")
		PAIR("4, 64", "one", "(%y, %x, 0)", "two", "(%z, %y, 0)"), 1, NULL, FUSION_NOTHING },
	{ "the number of the launch", KERNEL("one", AT("%p", "%a", "%i")
		"\t%w = mov.u64 %gridid\n\t%v = cvt.u32.u64 %w\n" STORE) COPY("two") PAIR("4, 64", "one",
		"(%y, %x, 0)", "two", "(%z, %x, 0)"), 0, "what its launch", 0 },
	{ "one kernel twice", COPY("one") PAIR("4, 64", "one", "(%y, %x, 0)", "one", "(%z, %y, 0)"), 0,
		"both launch one", 0 },
	{ "one kernel twice, as asked for", COPY("one") PAIR("4, 64", "one", "(%y, %x, 0)", "one",
		"(%z, %y, 0)"), 1, NULL, FUSION_NOTHING, { .same_kernel = true } },
	{ "a variable that is called like what the other kernel calls",
		"func s(u32 %x) -> (u32 %y) {\n\t%y = mul.lo.u32 %x, 3\n\tret\n}\n"
		HALVES("one") CALLS("two", "s")
		PAIR("4, 128", "one", "(%y, %x, 0)", "two", "(%z, %x, 0)"), 1, NULL, FUSION_NOTHING },
	{ "a parameter that is called like what the other kernel calls",
		"func n(u32 %x) -> (u32 %y) {\n\t%y = mul.lo.u32 %x, 3\n\tret\n}\n" COPY("one")
		"kernel two(u64 d, u64 e) {\n" INDEX "\t%a = ld.param.u64 [d]\n\t%b = ld.param.u64 [e]\n"
		AT("%p", "%a", "%i") AT("%q", "%b", "%i") LOAD "\t(%v) = call n, (%v)\n" STORE "}\n"
		PAIR("4, 128", "one", "(%y, %x, 0)", "two", "(%z, %x)"), 1, NULL, FUSION_NOTHING },
	{ "both kinds of shared memory", REVERSE("rev", "127", STATIC) REVERSE("rev2", "127", DYNAMIC) HOST(
		"\t%bytes = mov.u32 512\n\tlaunch rev, 8, 128, 0, (%y, %x)\n"
		"\tlaunch rev2, 8, 128, %bytes, (%z, %y)\n"), 1, NULL, FUSION_BLOCK },
};

START_TEST(pairs)
{
	const Case *c = &cases[_i];
	FusedPair p;
	Module *m = read_text(c->text), *f = module_copy(m);
	fuse_adjacent(f, c->options, &p);
	ck_assert_msg(p.fused == c->fused, "%s: %d fused; %s", c->name, p.fused, p.why);
	ck_assert_msg(!c->why || strstr(p.why, c->why), "%s: %s", c->name, p.why);
	ck_assert_msg(!c->fused || p.verdict.between == c->between, "%s: %s between", c->name,
		fusion_between[p.verdict.between]);
	StrBuf s = { 0 };
	ir_print(f, &s);
	ck_assert_msg(!c->holds || strstr(s.s, c->holds), "%s: `%s` is not there", c->name, c->holds);
	Module *again = read_text(s.s);
	/* for what nobody writes; what tf_stack does not run */
	bool waits = strstr(p.why, "may wait"), parts = strstr(p.why, "not all threads");
	for (int k = 0; k < (waits ? 0 : parts ? MODELS - 1 : MODELS); k++) {
		unsigned long long old = run_text(m, models[k], c->name);
		ck_assert_msg(run_text(f, models[k], c->name) == old, "%s: other memory under %s\n%s",
			c->name, models[k] ? models[k] : "the reference", s.s);
		ck_assert(run_text(again, models[k], c->name) == old);
	}
	sb_free(&s);
	module_free(again);
	module_free(f);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fusion");
	TCase *t = tcase_create("pairs");
	tcase_add_loop_test(t, pairs, 0, (int)(sizeof cases / sizeof *cases));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
