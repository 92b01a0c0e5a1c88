/* A machine to compute by hand, one launch on it, and what it did cycle by cycle. Each program that includes
 * this is one process; Check runs every test in a fork. */
#ifndef TEST_SIM_RIG_H
#define TEST_SIM_RIG_H
#include "sim/launcher.h"
#include "isa/launch.h"
#include "isa/print.h"
#include "lib/strbuf.h"
#include "tests/check.h"
#include <stdlib.h>
#include <unistd.h>

/* One SM, one scheduler, warps of four lanes; every unit takes and gives one value a cycle; no caches. Memory
   answers at once, so that a window is one cycle. */
static const char *const rig_machine[] = {
	"launch.overhead_cycles=0", "launch.latency_cycles=0", "divergence.guarded_exits=false",
	"code.layout=source",
	"warp_size=4", "sm.max_warps=16", "sm.max_blocks=8", "sm.max_threads_per_block=64",
	"sm.registers=4096",
	"sm.register_unit=4", "sm.shared_bytes=16384", "sm.shared_unit=4", "sm.max_shared_per_block=16384",
	"scheduler.count=1", "scheduler.policy=lrr", "fetch.cache_bytes=0", "fetch.redirect_cycles=0",
	"units.alu.count=1", "units.alu.latency=1", "units.imul.count=1", "units.imul.latency=1",
	"units.fp32.count=1",
	"units.fp32.latency=1", "units.fp64.count=1", "units.fp64.latency=1", "units.fp64.interval=1",
	"units.sfu.latency=1",
	"units.sfu.interval=1", "units.cvt.latency=1", "units.cvt.interval=1", "units.ctl.count=1",
	"shared.banks=4", "shared.latency=1", "l1.global=false", "l1.bytes=0", "l1.latency=1",
	"constant.bytes=0",
	"constant.latency=1", "interconnect.latency=0", "interconnect.bytes_per_cycle=1024", "l2.slices=1",
	"l2.latency=1",
	"l2.bytes_per_cycle=1024", "l2.atomic_cycles=1", "dram.channels=1", "dram.row_hit=1",
	"dram.row_miss=1",
	"dram.latency=0", "dram.bytes_per_cycle=1024", "limits.max_cycles=100000", NULL
};

enum { RIG_WORDS = 4096, RIG_EVENTS = 60000, RIG_CODE = 900 };
typedef struct Rig {
	Config c;
	bool clocks;                 /* results depend on time: not compared with the reference interpreter */
	bool functional;               /* run without time */
	Intervals *intervals;          /* figures over time are added here; may be NULL */
	uint32_t shared;               /* dynamic, of a block */
	Arena arena;
	LaunchStats s;
	Fault fault;
	bool ok;
	uint32_t out[RIG_WORDS];
	int n;                         /* events */
	TraceEvent e[RIG_EVENTS];
	char block[RIG_CODE][32], text[RIG_CODE][64]; /* of the code, by pc */
	bool start[RIG_CODE], overhead[RIG_CODE]; /* start: first instruction of a block of the source */
	void (*prepare)(Gpu *);    /* done to the GPU before the launch; may be NULL */
	PrintBuffer print;         /* what the kernel prints, with a limit */
} Rig;

static inline void rig_set(Rig *r, const char *assignments)
{
	char key[96], value[64];
	Diag d = { 0 };
	for (int used; sscanf(assignments, " %95[^= ]=%63[^ ]%n", key, value, &used) == 2;
		assignments += used)
		ck_assert_msg(config_set(&r->c, key, value, &d), "%s=%s: %s", key, value,
			d.item.n ? d.item.v[0].text : "?");
	ck_assert_msg(config_check(&r->c, &d), "%s", d.item.n ? d.item.v[0].text : "?");
}

static inline Rig *rig_new(const char *assignments)
{
	Rig *r = xcalloc(1, sizeof *r);
	config_defaults(&r->c);
	Diag d = { 0 };
	for (int i = 0; rig_machine[i]; i++) {
		char key[96], value[64];
		ck_assert_int_eq(sscanf(rig_machine[i], "%95[^=]=%63s", key, value), 2);
		ck_assert_msg(config_set(&r->c, key, value, &d), "%s", rig_machine[i]);
	}
	rig_set(r, assignments);
	return r;
}

static inline void rig_free(Rig *r)
{
	arena_free(&r->arena);
	sb_free(&r->print.text);
	free(r);
}

static inline Module *rig_read(const char *text)
{
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "test.ir", &d);
	if (!m)
		diag_print(&d, stderr);
	ck_assert_ptr_nonnull(m);
	ck_assert(ir_verify(m, &d));
	return m;
}

typedef struct RigMemory { Memory *memory; uint64_t *symbol, out; uint8_t params[8]; Launch l; } RigMemory;

static inline void rig_memory(Rig *r, const Module *m, RigMemory *x, unsigned grid, unsigned block)
{
	x->memory = memory_new(1 << 28);
	x->symbol = xcalloc((size_t)m->symbol.n + 1, sizeof *x->symbol);
	ck_assert(memory_load_module(x->memory, m, x->symbol));
	x->out = memory_alloc(x->memory, sizeof r->out, "out", false);
	memcpy(x->params, &x->out, 8);
	x->l = (Launch){ .module = m, .kernel = module_find_function(m, "k"), .grid = { grid, 1, 1 },
		.block = { block, 1, 1 },
		.dynamic_shared = r->shared, .params = x->params, .memory = x->memory,
		.symbol_address = x->symbol };
	ck_assert_ptr_nonnull(x->l.kernel);
}

static inline void rig_take(const RigMemory *x, uint32_t out[RIG_WORDS])
{
	const Alloc *hint = NULL, *a = memory_find(x->memory, x->out, 4 * RIG_WORDS, &hint);
	memcpy(out, a->data, 4 * RIG_WORDS);
}

static inline void rig_memory_free(RigMemory *x)
{
	memory_free(x->memory);
	free(x->symbol);
}

static inline void rig_events(Rig *r, const char *path)
{
	Diag d = { 0 };
	const TraceLaunch *l;
	TraceReader *t = trace_open(path, &d);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(trace_next(t, &r->e[0], &l), 2);
	ck_assert_int_le(l->nins, RIG_CODE);
	for (int i = 0; i < l->nins; i++) {
		snprintf(r->block[i], sizeof r->block[i], "%s", l->ins[i].block ? l->ins[i].block : "");
		snprintf(r->text[i], sizeof r->text[i], "%s", l->ins[i].text);
		r->start[i] = l->ins[i].block_start;
		r->overhead[i] = l->ins[i].overhead;
	}
	r->n = 0;
	while (r->n < RIG_EVENTS && trace_next(t, &r->e[r->n], &l) == 1)
		/* how the mechanism's state changes is tests/traces/check_trace_state.c's */
		r->n += r->e[r->n].kind < TR_ENTER;
	ck_assert_int_lt(r->n, RIG_EVENTS);
	trace_reader_free(t);
}

/* Runs kernel k(u64 out). Fills in everything; the fault is the caller's to look at. */
static inline void rig_try(Rig *r, const char *text, unsigned grid, unsigned block)
{
	char path[] = "/tmp/gsim-check-sim-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	Diag d = { 0 };
	Module *m = rig_read(text);
	RigMemory x;
	rig_memory(r, m, &x, grid, block);
	x.l.print = &r->print;
	GpuOptions o = { .functional = r->functional, .intervals = r->intervals,
		.trace = trace_create(path, &d) };
	Gpu *g = gpu_new(&r->c, m, x.memory, x.symbol, &o, &d);
	ck_assert_ptr_nonnull(g);
	if (r->prepare)
		r->prepare(g);
	r->ok = gpu_launch(g, &x.l, &r->arena, &r->s, &r->fault);
	rig_take(&x, r->out);
	gpu_free(g);
	ck_assert(trace_close(o.trace, &d));
	if (r->ok)
		rig_events(r, path);
	unlink(path);
	rig_memory_free(&x);
	module_free(m);
}

/* The reference interpreter leaves the same in `out`, and executes as many thread instructions. */
static inline void rig_reference(Rig *r, const char *text, unsigned grid, unsigned block)
{
	static uint32_t want[RIG_WORDS];
	Module *m = rig_read(text);
	RigMemory x;
	uint64_t n = 0;
	Fault f = { 0 };
	InterpOptions o = { .warp_size = (int)r->c.warp_size, .max_steps = 10000000,
		.thread_instructions = &n };
	rig_memory(r, m, &x, grid, block);
	ck_assert_msg(interp_launch(&x.l, &o, &f), "%s", f.text);
	rig_take(&x, want);
	for (int i = 0; i < RIG_WORDS; i++)
		ck_assert_msg(want[i] == r->out[i], "out[%d] = %u, the reference interpreter says %u", i,
			r->out[i], want[i]);
	ck_assert_uint_eq(n, r->s.totals.thread_instructions + r->s.totals.ended_at_branches);
	rig_memory_free(&x);
	module_free(m);
}

static inline void rig_laws(const Rig *r)
{
	ck_assert_msg(r->ok, "%s", r->fault.text);
	const char *law = stats_conservation(&r->s, &r->c);
	ck_assert_msg(!law, "%s", law);
	ck_assert_uint_eq(r->s.totals.pushes, r->s.totals.pops);
	if (!r->c.fetch_redirect) /* no jump takes time: whoever waits waits for something else */
		ck_assert_msg(!r->s.totals.stalls[STALL_BRANCH], "%s: branches take %llu cycles",
			model_keys((int)r->c.model)->name,
			(unsigned long long)r->s.totals.stalls[STALL_BRANCH]);
}

static inline void rig_run(Rig *r, const char *text, unsigned grid, unsigned block)
{
	rig_try(r, text, grid, block);
	rig_laws(r);
	if (!r->clocks)
		rig_reference(r, text, grid, block);
}

/* ---- what happened, as text ---- */

/* Cycles at which the warp issued: "0 1 5". */
static inline void rig_issues(const Rig *r, int warp, const char *want)
{
	char got[2000] = "";
	size_t at = 0;
	for (int i = 0; i < r->n && at < sizeof got - 30; i++)
		if (r->e[i].kind == TR_ISSUE && r->e[i].warp == warp)
			at += (size_t)snprintf(got + at, sizeof got - at, "%s%llu", at ? " " : "",
				(unsigned long long)r->e[i].cycle);
	ck_assert_msg(!strcmp(got, want), "warp %d issues at %s; expected %s", warp, got, want);
}

/* The warp of each issue, in order: "0 1 0". */
static inline void rig_order(const Rig *r, const char *want)
{
	char got[2000] = "";
	size_t at = 0;
	for (int i = 0; i < r->n && at < sizeof got - 30; i++)
		if (r->e[i].kind == TR_ISSUE)
			at += (size_t)snprintf(got + at, sizeof got - at, "%s%u", at ? " " : "",
				r->e[i].warp);
	ck_assert_msg(!strcmp(got, want), "warps issue in the order %s; expected %s", got, want);
}

/* The source's blocks as the warp enters them, with its lanes: "A:f B:3". */
static inline void rig_path(const Rig *r, int warp, const char *want)
{
	char got[4000] = "";
	size_t at = 0;
	for (int i = 0; i < r->n && at < sizeof got - 60; i++)
		if (r->e[i].kind == TR_ISSUE && r->e[i].warp == warp && r->start[r->e[i].a])
			at += (size_t)snprintf(got + at, sizeof got - at, "%s%s:%llx", at ? " " : "",
				r->block[r->e[i].a], (unsigned long long)r->e[i].mask);
	ck_assert_msg(!strcmp(got, want), "warp %d runs through %s; expected %s", warp, got, want);
}

/* One block of four threads has run; path: what warp 0 has fetched, or NULL. */
static inline Rig *rig_four(const char *assignments, const char *text, const char *path)
{
	Rig *r = rig_new(assignments);
	rig_run(r, text, 1, 4);
	if (path)
		rig_path(r, 0, path);
	return r;
}

static inline void rig_counts(const Rig *r, uint64_t pushes, uint64_t depth, uint64_t merges)
{
	ck_assert_uint_eq(r->s.totals.pushes, pushes);
	ck_assert_uint_eq(r->s.totals.max_depth, depth);
	ck_assert_uint_eq(r->s.totals.merges, merges);
}

static inline void rig_four_counts(const char *assignments, const char *text, const char *path,
	uint64_t pushes, uint64_t depth, uint64_t merges)
{
	Rig *r = rig_four(assignments, text, path);
	rig_counts(r, pushes, depth, merges);
	rig_free(r);
}

static inline uint64_t rig_fetches(const Rig *r, const char *label)
{
	for (int i = 0; i < r->s.tables.blocks.n; i++)
		if (!strcmp(r->s.tables.blocks.v[i].label, label))
			return r->s.tables.blocks.v[i].fetches;
	ck_abort_msg("no block %s", label);
}

static inline int rig_suite(const char *name, const TTest *const *tests, int n)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("all");
	for (int i = 0; i < n; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
#endif
