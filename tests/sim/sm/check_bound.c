/* mimd is a bound: of kernels that access no memory but their parameters, shared memory and, for their
 * results, global memory, no mechanism has fewer cycles, on any machine (sim/sm/lanes.c says why). */
#include "sim/launcher.h"
#include "isa/launch.h"
#include "tests/random/random_text.h"
#include "tests/check.h"
#include "tests/machines.h"
#include <stdlib.h>

enum { SEEDS = 2 };

/* Lanes that go different ways through units of every kind, exchange values by warp operations, shared memory
   and barriers, and take turns in a loop. The thread's number decides. */
static const char everything[] =
	"shared u32 word[1024]\n"
	"func f(u32 %n) -> (u32 %r) {\n reg pred %p\nA: %p = setp.lt.u32 %n, 9\n bra %p, B, C\n"
	"B: %r = mul.lo.u32 %n, 3\n ret\nC: %r = sub.u32 %n, 9\n ret\n}\n"
	"kernel k(u64 out) {\n reg u32 %t, %a, %x, %i\n reg u64 %o, %w\n reg f32 %f, %g\n reg f64 %d\n"
	" reg pred %p\n"
	"A: %t = mov.u32 %tid.x\n %x = mul.lo.u32 %t, 2654435761\n %i = shr.b32 %x, 28\n %w = mov.u64 word\n"
	" %w = mad.wide.u32 %t, 4, %w\n"
	"L: %a = and.b32 %x, 3\n %p = setp.eq.u32 %a, 0\n bra %p, F, M\n"
	"F: %f = cvt.rn.f32.u32 %x\n %f = sqrt.approx.f32 %f\n %g = rcp.approx.f32 %f\n"
	" %f = fma.rn.f32 %f, %g, %g\n %a = mov.b32 %f\n"
	" %x = xor.b32 %x, %a\n bra N\n"
	"M: %p = setp.eq.u32 %a, 1\n bra %p, D, G\nD: %d = cvt.rn.f64.u32 %x\n %d = mul.rn.f64 %d, %d\n"
	" %a = cvt.rzi.u32.f64 %d\n %x = add.u32 %x, %a\n bra N\n"
	"G: (%a) = call f, (%i)\n %x = mad.lo.u32 %x, 1664525, %a\n"
	"N: %i = sub.u32 %i, 1\n %p = setp.gt.s32 %i, 0\n bra %p, L, S\n"
	"S: %a = shfl.sync.bfly.b32 %x, 1, 31, 4294967295\n %x = add.u32 %x, %a\n st.shared.u32 [%w], %x\n"
	" bar.sync 0\n"
	" %w = mov.u64 word\n %a = xor.b32 %t, 64\n %w = mad.wide.u32 %a, 4, %w\n %a = ld.shared.u32 [%w]\n"
	" %x = add.u32 %x, %a\n"
	" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n}\n";

/* With two SMs, so that blocks wait for places. */
static Config machine(const char *name)
{
	Config c;
	Diag d = { 0 };
	char path[512];
	snprintf(path, sizeof path, "%s/configs", getenv("srcdir") ? getenv("srcdir") : "..");
	setenv("GSIM_PATH", path, 1);
	config_defaults(&c);
	ck_assert_msg(config_load(&c, name, &d), "%s does not load", name);
	diag_free(&d);
	c.sm_count = c.sm_max_blocks = 2;
	c.bar_partial = BAR_PER_LANE;
	return c;
}

static uint64_t cycles(const Module *m, const Config *c, unsigned blocks, unsigned threads)
{
	const char *model = model_keys((int)c->model)->name;
	Memory *memory = memory_new(1 << 26);
	uint64_t *symbol = xcalloc((size_t)m->symbol.n + 1, sizeof *symbol), out;
	ck_assert(memory_load_module(memory, m, symbol));
	out = memory_alloc(memory, 4096, "out", false);
	Launch l = { .module = m, .kernel = module_find_function(m, "k"), .grid = { blocks, 1, 1 },
		.block = { threads, 1, 1 },
		.params = (const uint8_t *)&out, .memory = memory, .symbol_address = symbol };
	Diag d = { 0 };
	Arena a = { 0 };
	LaunchStats s;
	Fault fault;
	Gpu *g = gpu_new(c, m, memory, symbol, &(GpuOptions){ 0 }, &d);
	bool ok = gpu_launch(g, &l, &a, &s, &fault);
	ck_assert_msg(ok, "%s: %s", model, fault.text);
	ck_assert_msg(!stats_conservation(&s, c), "%s: %s", model, stats_conservation(&s, c));
	uint64_t n = s.totals.cycles;
	gpu_free(g);
	arena_free(&a);
	diag_free(&d);
	memory_free(memory);
	free(symbol);
	return n;
}

static int model_index(const char *name)
{
	int k = 0;
	while (strcmp(model_keys(k)->name, name))
		k++;
	return k;
}

static void bounds(const char *text, const char *what, Config *c, const char *where, unsigned blocks,
	unsigned threads)
{
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "k.ir", &d);
	ck_assert_msg(m && ir_verify(m, &d), "%s", d.item.n ? d.item.v[0].text : text);
	c->model = model_index("mimd");
	uint64_t least = cycles(m, c, blocks, threads);
	for (int k = 0; model_keys(k); k++) {
		c->model = k;
		uint64_t n = cycles(m, c, blocks, threads);
		ck_assert_msg(n >= least, "%s on %s, %u blocks of %u threads: %llu cycles under mimd, %llu "
			"under %s", what, where, blocks, threads, (unsigned long long)least,
			(unsigned long long)n, model_keys(k)->name);
	}
	module_free(m);
	diag_free(&d);
}

START_TEST(random_graphs)
{
	static const unsigned kinds[] = { 0, GRAPH_ACYCLIC, GRAPH_INDEXED, GRAPH_POINTS };
	Config c = machine(machine_files[_i]);
	for (int seed = 0; seed < SEEDS; seed++) {
		char what[64];
		unsigned kind = kinds[(SEEDS * _i + seed) % 4];
		snprintf(what, sizeof what, "random graph %d, kind %u", seed * MACHINE_FILES + _i, kind);
		char *text = random_graph_text((uint64_t)(seed * MACHINE_FILES + _i), kind, "u64 out");
		c.sched_policy = (_i + seed) % SCHED_COUNT;
		unsigned threads = seed % 2 ? 80 : 384, most = (unsigned)c.sm_max_block;
		bounds(text, what, &c, machine_files[_i], seed % 2 ? 10 : 5, threads < most ? threads : most);
		free(text);
	}
}
END_TEST

START_TEST(units_barriers_and_warp_operations)
{
	Config c = machine(machine_files[_i]);
	bounds(everything, "a kernel of everything", &c, machine_files[_i], 5,
		c.sm_max_block < 256 ? (unsigned)c.sm_max_block : 256);
}
END_TEST

/* Loads one of which needs the other's result: most of them find a line in L1 that all lanes read, the lane's
   number says which do not. */
static const char chase[] =
	"global u32 table[262144]\n"
	"kernel k(u64 out) {\n reg u32 %t, %h, %r, %i, %s, %k, %m\n reg u64 %a, %b, %o\n reg pred %p\n"
	"A: %t = mov.u32 %tid.x\n %h = mad.lo.u32 %t, 2654435761, 1\n %s = mov.u32 0\n %k = mov.u32 40\n"
	" %b = mov.u64 table\n"
	"L: %h = mad.lo.u32 %h, 1664525, 1013904223\n %h = add.u32 %h, %s\n %r = shr.b32 %h, 8\n"
	" %m = and.b32 %r, 31\n %p = setp.eq.u32 %m, 0\n"
	" %m = mul.lo.u32 %r, 977\n %m = and.b32 %m, 262143\n %i = selp.b32 %m, %t, %p\n"
	" %a = mad.wide.u32 %i, 4, %b\n %s = ld.global.u32 [%a]\n"
	" %k = sub.u32 %k, 1\n %p = setp.gt.u32 %k, 0\n bra %p, L, E\n"
	"E: %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n %s = add.u32 %s, %h\n"
	" st.global.u32 [%o], %s\n exit\n}\n";

/* No lane waits for the data of others. With one warp the memory beyond L1 has little else to do: what its
   order costs elsewhere is not seen here. */
START_TEST(lanes_wait_for_their_own_data)
{
	Config c = machine(machine_files[_i]);
	Diag d = { 0 };
	ck_assert(config_set(&c, "l1.global", "true", &d) && config_set(&c, "dws.memory", "aggressive", &d));
	bounds(chase, "a chase", &c, machine_files[_i], 1, (unsigned)c.warp_size);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("bound");
	TCase *t = tcase_create("mimd");
	tcase_add_loop_test(t, random_graphs, 0, MACHINE_FILES);
	tcase_add_loop_test(t, units_barriers_and_warp_operations, 0, MACHINE_FILES);
	tcase_add_loop_test(t, lanes_wait_for_their_own_data, 0, MACHINE_FILES);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
