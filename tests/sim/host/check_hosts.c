/* Random host programs, each written as a workload and as a host function: both run and leave the same memory
 * after the same launches; but for what the host function frees, as a workload frees nothing. What
 * --record-host makes of the workload does, too, and its text comes back. */
#include "lib/strbuf.h"
#include "sim/host/record.h"
#include "sim/host/run.h"
#include "tests/random.h"
#include "tests/check.h"

static uint64_t rng;
static int pick(int n) { return (int)(random_next(&rng) % (unsigned)n); }

static const char kernels[] =
	"global u32 word[64]\n"
	"kernel add(u64 a, u64 b, u32 k) {\n\t%t = mov.u32 %tid.x\n\t%c = mov.u32 %ctaid.x\n"
	"\t%n = mov.u32 %ntid.x\n\t%i = mad.lo.u32 %c, %n, %t\n"
	"\t%out = setp.ge.u32 %i, 64\n\tbra %out, OUT, IN\nIN:\n\t%a = ld.param.u64 [a]\n"
	"\t%b = ld.param.u64 [b]\n\t%k = ld.param.u32 [k]\n"
	"\t%a = mad.wide.u32 %i, 4, %a\n\t%b = mad.wide.u32 %i, 4, %b\n\t%v = ld.global.u32 [%a]\n"
	"\t%w = ld.global.u32 [%b]\n"
	"\t%v = mad.lo.u32 %v, 3, %w\n\t%v = add.u32 %v, %k\n\tst.global.u32 [%a], %v\n\tbra OUT\nOUT:\n"
	"\texit\n}\n"
	/* adds one to what a pointer in memory leads to */
	"kernel follow(u64 p) {\n\t%p = ld.param.u64 [p]\n\t%q = ld.global.u64 [%p]\n"
		"\t%v = ld.global.u32 [%q]\n\t%v = add.u32 %v, 1\n\tst.global.u32 [%q], %v\n\texit\n}\n";
static const char lua_functions[] = "function mix(a, b, n) a:set(n % 64, (b:get(0) + n) % 4294967296) return "
	"b:get(1) % 256 end\n";
static const char declarations[] = "extern host mix(u64 %a, u64 %b, u32 %n) -> (u32 %r) reads(u32 %b) "
	"writes(u32 %a)\n";

/* ---- the two texts of a program ---- */

enum { BUFFERS = 4 };
typedef struct Program { StrBuf lua, ir; int labels; bool calls; } Program;

#define BOTH(LUA, IR, ...) do { sb_printf(&p->lua, LUA, __VA_ARGS__); sb_printf(&p->ir, IR, __VA_ARGS__); \
	} while (0)

static void statements(Program *p, int n, int depth);

static void loop(Program *p, int depth)
{
	int times = 1 + pick(6), label = p->labels++;
	sb_printf(&p->lua, "for _ = 1, %d do\n", times);
	sb_printf(&p->ir, "\t%%i%d = mov.u32 0\nL%d:\n", label, label);
	statements(p, 1 + pick(3), depth + 1);
	sb_puts(&p->lua, "end\n");
	sb_printf(&p->ir, "\t%%i%d = add.u32 %%i%d, 1\n\t%%p = setp.lt.u32 %%i%d, %d\n\tbra %%p, L%d, E%d\n"
		"E%d:\n", label, label, label, times, label, label, label);
}

static void choice(Program *p, int depth)
{
	int b = pick(BUFFERS), i = pick(64), label = p->labels++;
	sb_printf(&p->lua, "if b%d:get(%d) %% 2 == 1 then\n", b, i);
	sb_printf(&p->ir, "\t%%v = ld.global.u32 [%%b%d+%d]\n\t%%v = and.b32 %%v, 1\n"
		"\t%%p = setp.eq.u32 %%v, 1\n\tbra %%p, L%d, E%d\nL%d:\n", b, 4 * i, label, label, label);
	statements(p, 1 + pick(2), depth + 1);
	sb_puts(&p->lua, "else\n");
	sb_printf(&p->ir, "\tbra J%d\nE%d:\n", label, label);
	statements(p, pick(3), depth + 1);
	sb_puts(&p->lua, "end\n");
	sb_printf(&p->ir, "\tbra J%d\nJ%d:\n", label, label);
}

static void launch(Program *p)
{
	int a = pick(BUFFERS), b = pick(BUFFERS), k = pick(100), stream = pick(3), threads = 1 + pick(40),
		g = pick(BUFFERS);
	if (pick(2)) {
		sb_printf(&p->lua, "gpu.launch { kernel = 'add', grid = %d, block = %d, args = { b%d, b%d, "
			"%d }, stream = %d }\n", 1 + k % 3, threads, a, b, k, stream);
		sb_printf(&p->ir, "\tlaunch add, %d, %d, 0, %d, (%%b%d, %%b%d, %d)\n", 1 + k % 3, threads,
			stream, a, b, k);
	} else {
		sb_printf(&p->lua, "gpu.launch { kernel = 'add', grid = b%d:get(0) %% 3 + 1, block = %d, "
			"args = { b%d, b%d, %d }, stream = %d }\n", g, threads, a, b, k, stream);
		sb_printf(&p->ir, "\t%%v = ld.global.u32 [%%b%d]\n\t%%v = rem.u32 %%v, 3\n"
			"\t%%v = add.u32 %%v, 1\n\tlaunch add, %%v, %d, 0, %d, (%%b%d, %%b%d, %d)\n", g,
			threads, stream, a, b, k);
	}
}

/* A buffer of its own, which launches in streams still use when it is freed. */
static void temporary(Program *p)
{
	/* the register's, too */
	int a = pick(BUFFERS), v = pick(1000), stream = pick(3), label = p->labels++;
	sb_printf(&p->lua, "do local t = gpu.buffer('u32', 64)\nt:fill(%d)\n", v);
	sb_printf(&p->ir, "\t%%t%d = alloc.u64 256\n\tfill.u32 %%t%d, %d, 64\n", label, label, v);
	for (int k = 0; k < 2; k++) {
		sb_printf(&p->lua, k ? "gpu.launch { kernel = 'add', grid = 2, block = 32, args = { b%d, t, "
			"%d }, stream = %d }\n" : "gpu.launch { kernel = 'add', grid = 2, block = 32, args = "
			"{ t, b%d, %d }, stream = %d }\n", a, v, stream);
		sb_printf(&p->ir, "\tlaunch add, 2, 32, 0, %d, (%%%c%d, %%%c%d, %d)\n", stream, k ? 'b' : 't',
			k ? a : label, k ? 't' : 'b', k ? label : a, v);
	}
	sb_puts(&p->lua, "end\n");
	sb_printf(&p->ir, "\tfree %%t%d\n", label);
}

static void statement(Program *p, int depth)
{
	int a = pick(BUFFERS), b = pick(BUFFERS), i = pick(64), v = pick(1000);
	switch (pick(depth < 3 ? 12 : 10)) {
	case 0: BOTH("b%d:fill(%d)\n", "\tfill.u32 %%b%d, %d, 64\n", a, v); break;
	case 1:
		sb_printf(&p->lua, "b%d:set(%d, %d)\n", a, i, v);
		sb_printf(&p->ir, "\tst.global.u32 [%%b%d+%d], %d\n", a, 4 * i, v);
		break;
	case 2:
		sb_printf(&p->lua, "for i = 0, 63 do b%d:set(i, b%d:get(i)) end\n", a, b);
		sb_printf(&p->ir, "\tcopy %%b%d, %%b%d, 256\n", a, b);
		break;
	case 3:
		sb_printf(&p->lua, "b%d:set(5, mix(b%d, b%d, %d))\n", a, b, a, v);
		sb_printf(&p->ir, "\t(%%v) = call mix, (%%b%d, %%b%d, %d)\n\tst.global.u32 [%%b%d+20], %%v\n",
			b, a, v, a);
		p->calls = true;
		break;
	case 4: BOTH("gpu.record(%d, %d)\n", "\trecord %d, %d\n", i % 4, v % 3); break;
	case 5: BOTH("gpu.wait(%d, %d)\n", "\twait %d, %d\n", v % 3, i % 4); break;
	case 6:
		sb_puts(&p->lua, "gpu.sync()\n");
		sb_puts(&p->ir, "\tsynchronize\n");
		break;
	case 7:
		sb_printf(&p->lua, "pointer:set(0, b%d + %d)\n"
			"gpu.launch { kernel = 'follow', grid = 1, block = 1, args = { pointer } }\n", a, i);
		sb_printf(&p->ir, "\t%%q = add.u64 %%b%d, %d\n\tst.global.u64 [%%pointer], %%q\n"
			"\tlaunch follow, 1, 1, 0, (%%pointer)\n", a, 4 * i);
		break;
	case 8: launch(p); break;
	case 9: temporary(p); break;
	case 10: loop(p, depth); break;
	default: choice(p, depth); break;
	}
}

static void statements(Program *p, int n, int depth)
{
	for (int k = 0; k < n; k++)
		statement(p, depth);
}

static void invent(Program *p)
{
	*p = (Program){ { 0 }, { 0 }, 0, false };
	sb_puts(&p->lua, lua_functions);
	sb_printf(&p->ir, "%s%shost main() {\n\treg u32 %%v\n\treg pred %%p\n", kernels, declarations);
	for (int b = 0; b < BUFFERS - 1; b++) {
		sb_printf(&p->lua, "local b%d = gpu.buffer('u32', 64)\n", b);
		sb_printf(&p->ir, "\t%%b%d = alloc.u64 256\n", b);
	}
	sb_puts(&p->lua, "local b3 = gpu.symbol('word')\nlocal pointer = gpu.buffer('u64', 1)\n");
	sb_puts(&p->ir, "\t%b3 = mov.u64 word\n\t%pointer = alloc.u64 8\n");
	statements(p, 4 + pick(10), 0);
	sb_puts(&p->ir, "\texit\n}\n");
}

/* ---- runs ---- */

static Run *run(const Module *m, const char *lua, bool reference, bool record, Diag *d)
{
	static Config c;
	config_defaults(&c);
	RunOptions o = { .gpu = { .functional = true }, .reference = reference, .record = record,
		.workload_text = lua, .workload = lua ? "random.lua" : NULL };
	Run *r = run_new(&c, m, &o, d);
	ck_assert_ptr_nonnull(r);
	run_module(r);
	diag_print(d, stderr);
	return r;
}

/* The buffer after k that is no constant; -1. A recording has constants of its own. */
static int next_buffer(const Run *r, int k)
{
	for (k++; k < r->buffer.n; k++)
		if (!r->buffer.v[k].symbol || r->buffer.v[k].how != COMPARE_IGNORE)
			return k;
	return -1;
}

/* Pointers differ where the buffers lie elsewhere: the first buffer of 8 bytes is not compared. */
static bool is_pointer(const RunBuffer *b) { return !b->symbol && b->n * (uint64_t)type_bytes(b->type) == 8; }

/* The texts may be long: they go to standard error. */
static void hold(bool ok, const char *what, int k, const Program *p, const char *text)
{
	if (!ok)
		fprintf(stderr, "%s\n%s\n", p->lua.s, text);
	ck_assert_msg(ok, "%s (%d)", what, k);
}

/* a: of the workload. How many buffers b has freed. */
static int same_run(const Run *a, const Run *b, const Program *p, const char *text)
{
	int gone = 0;
	hold(a->status == RUN_OK && b->status == RUN_OK, "a run fails", 0, p, text);
	hold(a->launch.n == b->launch.n, "other launches", b->launch.n - a->launch.n, p, text);
	for (int k = 0; k < a->launch.n; k++) {
		const LaunchStats *x = a->launch.v[k], *y = b->launch.v[k];
		hold(!strcmp(x->kernel, y->kernel) && !memcmp(x->grid, y->grid, sizeof x->grid) &&
			!memcmp(x->block, y->block, sizeof x->block) && x->stream == y->stream,
			"a launch differs", k, p, text);
	}
	int i = next_buffer(a, -1), j = next_buffer(b, -1);
	for (; i >= 0 && j >= 0; i = next_buffer(a, i), j = next_buffer(b, j)) {
		const RunBuffer *x = &a->buffer.v[i], *y = &b->buffer.v[j];
		uint64_t n = x->n * (uint64_t)type_bytes(x->type);
		hold(n == y->n * (uint64_t)type_bytes(y->type), "a buffer has another size", i, p, text);
		const uint8_t *v = run_data(a, x), *w = run_data(b, y);
		hold(v != NULL, "a workload's buffer is gone", i, p, text);
		gone += !w;
		hold(!w || is_pointer(x) || !memcmp(v, w, n), "a buffer differs", i, p, text);
	}
	hold(i < 0 && j < 0, "other buffers", 0, p, text);
	return gone;
}

static Module *read(const char *text, Diag *d)
{
	Module *m = ir_read(text, strlen(text), "random.ir", d);
	diag_print(d, stderr);
	ck_assert_msg(m != NULL, "%s", text);
	return m;
}

static void round_trip(const Module *m)
{
	StrBuf text = { 0 }, again = { 0 };
	Diag d = { 0 };
	ir_print(m, &text);
	Module *back = read(text.s, &d);
	ck_assert(module_equal(m, back));
	ir_print(back, &again);
	ck_assert_str_eq(text.s, again.s);
	Module *copy = module_copy(m);
	ck_assert(module_equal(m, copy));
	module_free(copy);
	module_free(back);
	diag_free(&d);
	sb_free(&text);
	sb_free(&again);
}

START_TEST(programs)
{
	int launched = 0, rolled = 0, freed = 0;
	for (int round = 0; round < 30; round++) {
		Program p;
		StrBuf recorded = { 0 };
		Diag d = { 0 };
		rng = (uint64_t)_i * 1000 + (uint64_t)round;
		invent(&p);
		Module *plain = read(kernels, &d), *host = read(p.ir.s, &d);
		round_trip(host);
		bool reference = round % 2;
		Run *a = run(plain, p.lua.s, reference, true, &d),
			*b = run(host, p.calls ? lua_functions : NULL, reference, false, &d);
		freed += same_run(a, b, &p, p.ir.s);
		ck_assert(record_finish(a->recorder, &recorded, &d));
		Module *again = read(recorded.s, &d);
		round_trip(again);
		Run *c = run(again, NULL, !reference, false, &d);
		ck_assert_int_eq(same_run(a, c, &p, recorded.s), 0);
		launched += a->launch.n;
		rolled += strstr(recorded.s, "loop0:") != NULL;
		run_free(a);
		run_free(b);
		run_free(c);
		module_free(plain);
		module_free(host);
		module_free(again);
		diag_free(&d);
		sb_free(&recorded);
		sb_free(&p.lua);
		sb_free(&p.ir);
	}
	ck_assert_int_gt(launched, 30);
	ck_assert_int_gt(freed, 0);
	ck_assert_int_gt(rolled, 0);
}
END_TEST

/* A buffer that one run alone has freed is a difference, whichever run that is; one that both have freed is
   no result. */
START_TEST(freed_buffers)
{
	static const char *const text[2] = {
		"kernel k() {\nA: exit\n}\nhost main() {\n reg u64 %b\nH: %b = alloc.u64 64\n exit\n}\n",
		"kernel k() {\nA: exit\n}\nhost main() {\n reg u64 %b\nH: %b = alloc.u64 64\n free %b\n"
		" exit\n}\n"
	};
	Diag d = { 0 };
	Module *m[2];
	Run *r[2];
	for (int k = 0; k < 2; k++) {
		m[k] = read(text[k], &d);
		r[k] = run(m[k], NULL, true, false, &d);
	}
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			RunCompared n = { 0 };
			Diag told = { 0 };
			ck_assert_int_eq(run_same(r[a], r[b], "here", "there", &n, &told), a == b);
			ck_assert_int_eq(n.freed, a || b);
			ck_assert_int_eq(told.errors, a != b);
			if (a != b)
				ck_assert_msg(strstr(told.item.v[0].text, a ? "freed here, not there"
					: "freed there, not here"), "%s", told.item.v[0].text);
			diag_free(&told);
		}
	for (int k = 0; k < 2; k++) {
		run_free(r[k]);
		module_free(m[k]);
	}
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hosts");
	TCase *t = tcase_create("programs");
	tcase_add_loop_test(t, programs, 0, 8);
	tcase_add_test(t, freed_buffers);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
