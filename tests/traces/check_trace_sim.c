/* Recorded traces of simulated runs: what gsim-trace adds up from the events is what the run's own counters
   say. */
#include "tests/random/differential.h"
#include "tests/temporary.h"
#include "traces/export.h"

static char path[] = "/tmp/gsim-check-trace-sim-XXXXXX";
static void setup(void)
{
	temporary_file(path);
}
static void teardown(void) { unlink(path); }

static void same(const char *what, uint64_t trace, uint64_t stats, const char *where)
{
	ck_assert_msg(trace == stats, "%s: %s: %llu in the trace, %llu in the statistics", where, what,
		(unsigned long long)trace, (unsigned long long)stats);
}

/* Fetches of a source block, wherever lowering put it. */
static void same_blocks(const TraceSum *sum, const LaunchStats *s, const char *where)
{
	for (int k = 0; k < s->tables.blocks.n; k++) {
		const BlockStats *b = &s->tables.blocks.v[k];
		uint64_t fetches = 0, lanes = 0;
		for (int i = 0; i < sum->nblocks; i++)
			if (!strcmp(sum->block[i].label, b->label) &&
				!strcmp(sum->block[i].function, b->function)) {
				fetches += sum->block[i].fetches;
				lanes += sum->block[i].lanes;
			}
		ck_assert_msg(fetches == b->fetches && lanes == b->threads,
			"%s: block %s of %s: %llu fetches of %llu lanes in the trace, %llu of %llu in the "
			"statistics", where, b->label,
			b->function, (unsigned long long)fetches, (unsigned long long)lanes,
			(unsigned long long)b->fetches,
			(unsigned long long)b->threads);
	}
}

static void compare(const TraceSum *sum, const LaunchStats *s, const char *where)
{
	same("warp instructions", sum->issues, s->totals.warp_instructions, where);
	same("lanes", sum->lanes, s->totals.lanes_useful + s->totals.lanes_predicated_off, where);
	same("inserted instructions", sum->inserted, s->totals.inserted_warp, where);
	same("overhead", sum->overhead, s->totals.overhead_warp, where);
	same("no-operation fetches", sum->empty, s->totals.noop_fetches, where);
	same("pushes", sum->of_kind[TR_PUSH], s->totals.pushes, where);
	same("pops", sum->of_kind[TR_POP], s->totals.pops, where);
	same("greatest depth", sum->max_depth, s->totals.max_depth, where);
	same("sum of depths", sum->depth_sum, s->totals.depth_sum, where);
	same("spills", sum->of_kind[TR_SPILL], s->totals.spills, where);
	same("fills", sum->of_kind[TR_FILL], s->totals.fills, where);
	same("merges", sum->of_kind[TR_RECONVERGE], s->totals.merges, where);
	same_blocks(sum, s, where);
	if (s->timed)
		ck_assert_msg(sum->last_cycle < s->totals.cycles, "%s: an event after the end", where);
}

/* Exited lanes and thread blocks: every one once. */
static void check_ends(const TraceSum *sum, uint64_t exited, const RandomKernel *k, const char *where)
{
	same("thread blocks begun", sum->of_kind[TR_BLOCK_START], k->grid[0], where);
	same("thread blocks ended", sum->of_kind[TR_BLOCK_END], k->grid[0], where);
	same("lanes that exited", exited, k->threads, where);
}

static void read_back(const Probe *p, const RandomKernel *k, const char *where)
{
	Diag d = { 0 };
	Arena arena = { 0 };
	TraceReader *r = trace_open(path, &d);
	ck_assert_ptr_nonnull(r);
	TraceEvent e;
	const TraceLaunch *l;
	ck_assert_int_eq(trace_next(r, &e, &l), 2);
	TraceSum *sum = trace_sum_new(&arena, l);
	uint64_t cycle = 0, exited = 0;
	int n;
	while ((n = trace_next(r, &e, &l)) == 1) {
		/* else each SM has its own count */
		ck_assert_msg(!p->stats.timed || e.cycle >= cycle, "%s: events out of order", where);
		cycle = e.cycle;
		ck_assert_msg(e.kind >= TR_ENTER || e.split < 2 * l->warp_size + 2, "%s: %s of split %d",
			where, trace_kind_name[e.kind], e.split);
		if (e.kind == TR_EXIT)
			exited += (uint64_t)__builtin_popcountll(e.mask);
		trace_sum_event(sum, l, &e);
	}
	ck_assert_int_eq(n, 0);
	compare(sum, &p->stats, where);
	check_ends(sum, exited, k, where);
	trace_reader_free(r);
	arena_free(&arena);
}

static void one(uint64_t seed, int model, bool functional, const Config *c, const char *passes)
{
	char where[128], text[256];
	snprintf(where, sizeof where, "seed %llu, %s, %s", (unsigned long long)seed, model_keys(model)->name,
		functional ? "functional" : "timed");
	RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
	Module *m = transformed(k->module, passes, text, sizeof text);
	ck_assert_msg(m != NULL, "%s: %s", where, text);
	Job job = { k, m, { k->grid[0], 1, 1 } };
	Way way = { .model = model, .passes = passes, .functional = functional };
	Diag d = { 0 };
	Probe probe = { .trace = trace_create(path, &d) };
	Outcome o;
	ck_assert_ptr_nonnull(probe.trace);
	outcome_machine(&job, c, &way, &probe, &o);
	ck_assert(trace_close(probe.trace, &d));
	ck_assert_msg(o.how != RAN_BADLY, "%s: %s", where, o.text);
	if (o.how == RAN_WELL)
		read_back(&probe, k, where);
	outcome_free(&o);
	arena_free(&probe.arena);
	module_free(m);
	random_kernel_free(k);
}

enum { SEEDS = 12 };

static void all_models(const Config *c, const char *passes, uint64_t first)
{
	for (int model = 0; model_keys(model); model++)
		for (uint64_t seed = first; seed < first + SEEDS; seed++) {
			one(seed, model, true, c, passes);
			if (seed < first + SEEDS / 3)
				one(seed, model, false, c, passes);
		}
}

START_TEST(sums_equal_statistics)
{
	Config c;
	config_defaults(&c);
	all_models(&c, NULL, 1);
}
END_TEST

START_TEST(sums_equal_statistics_after_passes)
{
	Config c;
	config_defaults(&c);
	all_models(&c, "linearize", 101);
}
END_TEST

/* A structure of two entries spills all the time; two SMs. */
START_TEST(sums_equal_statistics_on_a_small_machine)
{
	Config c;
	Diag d = { 0 };
	config_defaults(&c);
	ck_assert(config_set(&c, "divergence.depth", "2", &d));
	ck_assert(config_set(&c, "divergence.chunk", "1", &d));
	ck_assert(config_set(&c, "sm.count", "2", &d));
	all_models(&c, NULL, 201);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("recorded traces");
	TCase *t = tcase_create("runs");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, sums_equal_statistics);
	tcase_add_test(t, sums_equal_statistics_after_passes);
	tcase_add_test(t, sums_equal_statistics_on_a_small_machine);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
