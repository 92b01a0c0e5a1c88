/* The state that is redrawn from a trace is the mechanism's own, after every cycle of a run: what each warp's
 * mechanism shows is noted while the kernel runs, of every warp and not only of those that the tracer thinks
 * have changed, and compared with what a reader of the trace has at the same place. What a mechanism shows is
 * compared with what it tells diagnoses of the same lanes. Stalls that the trace tells add up to those of the
 * statistics. */
#include "sim/machine/machine.h"
#include "tests/random/differential.h"
#include "tests/temporary.h"
#include "traces/format.h"
#include "traces/state.h"

static char path[] = "/tmp/gsim-check-trace-state-XXXXXX";
static void setup(void)
{
	temporary_file(path);
}
static void teardown(void) { unlink(path); }

/* ck_assert writes a file each time; these are too many. */
#define demand(CONDITION, ...) do { if (!(CONDITION)) ck_abort_msg(__VA_ARGS__); } while (0)

/* ---- what the machine shows ---- */

typedef struct Shown {                 /* a warp after a cycle: its rows, tables in order */
	uint64_t cycle, block;
	int sm, slot, first, n;
} Shown;

static struct {
	const char *where;
	Vec(Shown) shown;
	Vec(TraceRow) row;
	uint64_t lanes;                /* that were in no split and looked at */
	uint64_t loads;                /* whose data came back */
	uint64_t read, read_sought;    /* events read to come to a state, from the begin and by the index */
} seen;

static const TraceRow *row_with(const TraceRowVec *table, int lane, uint32_t pc)
{
	for (int t = 0; t < TABLE_COUNT; t++)
		for (int k = 0; k < table[t].n; k++) {
			const TraceRow *r = &table[t].v[k];
			if (t != TABLE_SPLITS && (r->mask | r->other) >> lane & 1 &&
				(pc == NO_PC || r->pc == pc))
				return r;
		}
	return NULL;
}

/* A lane that has not ended is in a split, or the tables say where it goes on; the diagnoses say the same. */
static void check_lanes(Sm *sm, const Warp *w, const TraceRowVec *table)
{
	int l;
	each_lane(w->live, l) {
		Held h = { .pc = NO_PC, .until = NO_PC };
		if (homes_split(w, l))
			continue;
		seen.lanes++;
		const ReconvModel *m = sm->gpu->model;
		demand(row_with(table, l, NO_PC), "%s: cycle %llu, warp %d: lane %d is nowhere", seen.where,
			(unsigned long long)sm->now, w->slot, l);
		if (!m->stuck.held || !m->stuck.held(w, l, &h) || h.pc == NO_PC)
			continue;
		demand(row_with(table, l, h.pc), "%s: cycle %llu, warp %d: lane %d goes on at %u, which no "
			"row shows", seen.where, (unsigned long long)sm->now, w->slot, l, h.pc);
	}
}

static void watch(Sm *sm)
{
	for (int k = 0; k < sm->nwarps; k++) {
		const Warp *w = &sm->warp[k];
		if (!w->used)
			continue;
		const TraceRowVec *table = tracer_rows(sm, w);
		if (!sm->fault.kind)
			check_lanes(sm, w, table);
		Shown s = { sm->now - sm->gpu->begin, w->cta->number, sm->id, k, seen.row.n, 0 };
		for (int t = 0; t < TABLE_COUNT; t++)
			for (int i = 0; i < table[t].n; i++) {
				demand(trace_row_info[table[t].v[i].kind].table == t,
					"a row in another table");
				vec_push(&seen.row, table[t].v[i]);
				s.n++;
			}
		vec_push(&seen.shown, s);
	}
}

/* ---- what the trace says ---- */

static void same_rows(TraceState *t, const Shown *s)
{
	const TraceWarp *w = trace_state_warp(t, (unsigned)s->sm, (unsigned)s->slot);
	int at = 0;
	demand(w->used && w->block == s->block, "%s: cycle %llu: warp %d is not there", seen.where,
		(unsigned long long)s->cycle, s->slot);
	for (int k = 0; k < TABLE_COUNT; k++)
		for (int i = 0; i < w->table[k].n; i++, at++) {
			const TraceRow *a = &w->table[k].v[i], *b = at < s->n ? &seen.row.v[s->first + at]
				: NULL;
			demand(b && trace_row_equal(a, b),
				"%s: cycle %llu, SM %d, warp %d, %s, row %d: %s at %u, lanes %llx in the "
				"trace; the machine has %s at %u, lanes %llx", seen.where,
				(unsigned long long)s->cycle, s->sm, s->slot, trace_table_title[k], i,
				trace_row_info[a->kind].name, a->pc,
				(unsigned long long)a->mask, b ? trace_row_info[b->kind].name : "nothing",
				b ? b->pc : 0, b ? (unsigned long long)b->mask : 0);
		}
	demand(at == s->n, "%s: cycle %llu, warp %d: %d rows in the trace, %d in the machine", seen.where,
		(unsigned long long)s->cycle, s->slot, at, s->n);
}

typedef struct Idle { uint64_t stalls[STALL_COUNT], last; } Idle;

/* The schedulers' time up to the event's cycle, by reason. */
static void pass_time(const TraceState *t, Idle *x, uint64_t until)
{
	for (int k = 0; k < t->scheduler.n; k++)
		if (t->scheduler.v[k].why != WHY_ISSUES)
			x->stalls[t->scheduler.v[k].why] += until - x->last;
		else /* the cycle of an issue; what follows it has a reason, or is one */
			demand(until == x->last + 1 && t->scheduler.v[k].since == x->last,
				"%s: cycle %llu: nothing is said of scheduler %d", seen.where,
				(unsigned long long)x->last, k);
	x->last = until;
}

/* Accesses whose data have not all come. A load's come back once for every lane; a store's do not. */
/* warp: -1 where others may be the homes of its lanes */
typedef struct Flight { uint64_t cycle, mask, left; int sm, warp; } Flight;
typedef Vec(Flight) Flights;

static void access_made(Flights *f, const TraceEvent *e, bool regroups)
{
	vec_push(f, ((Flight){ e->cycle, e->mask, e->mask, e->sm, regroups ? -1 : e->warp }));
}

static void data_come(Flights *f, const TraceEvent *e)
{
	for (int k = f->n - 1; k >= 0 && f->v[k].cycle >= e->b; k--)
		if (f->v[k].cycle == e->b && f->v[k].sm == e->sm &&
			(f->v[k].warp < 0 || f->v[k].warp == e->warp) && !(e->mask & ~f->v[k].left)) {
			f->v[k].left &= ~e->mask;
			return;
		}
	ck_abort_msg("%s: cycle %llu: data of an access that nobody made in cycle %llu", seen.where,
		(unsigned long long)e->cycle, (unsigned long long)e->b);
}

static void all_come(const Flights *f)
{
	for (int k = 0; k < f->n; k++) {
		demand(!f->v[k].left || f->v[k].left == f->v[k].mask,
			"%s: part of the data of an access in cycle %llu never came", seen.where,
			(unsigned long long)f->v[k].cycle);
		seen.loads += !f->v[k].left;
	}
}

/* Events of a cycle of all SMs come together in timed runs: what was noted of the cycle is compared behind
   them. */
static void redraw(const LaunchStats *stats)
{
	Diag d = { 0 };
	TraceState t = { 0 };
	TraceReader *r = trace_open(path, &d);
	TraceEvent e;
	const TraceLaunch *l;
	int at = 0;
	Idle x = { 0 };
	Flights flights = { 0 };
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(trace_next(r, &e, &l), 2);
	t.schedulers = l->schedulers;
	bool regroups = !strcmp(l->model, "tbc") || !strcmp(l->model, "dwf");
	for (int k; (k = trace_next(r, &e, &l)) >= 0;) {
		for (; at < seen.shown.n && (k == 0 || seen.shown.v[at].cycle < e.cycle); at++)
			same_rows(&t, &seen.shown.v[at]);
		if (k == 0)
			break;
		if (stats->timed && e.cycle > x.last)
			pass_time(&t, &x, e.cycle);
		demand(trace_state_event(&t, &e), "%s: cycle %llu: an event that contradicts the state",
			seen.where, (unsigned long long)e.cycle);
		/* whose lanes make several accesses in one cycle */
		if (e.kind == TR_MEMORY && !stats->own_slots)
			access_made(&flights, &e, regroups);
		if (e.kind == TR_RETURN && !stats->own_slots)
			data_come(&flights, &e);
	}
	ck_assert_int_eq(d.errors, 0);
	if (stats->timed && stats->completed) {
		all_come(&flights);
		pass_time(&t, &x, stats->totals.cycles);
		for (int k = 0; k < STALL_COUNT; k++)
			ck_assert_msg(x.stalls[k] == stats->totals.stalls[k],
				"%s: %s: %llu scheduler-cycles in the trace, %llu in the statistics",
				seen.where, stall_name[k], (unsigned long long)x.stalls[k],
				(unsigned long long)stats->totals.stalls[k]);
	}
	for (int k = 0; stats->completed && k < t.warp.n; k++)
		ck_assert_msg(!t.warp.v[k].used, "%s: a warp has not ended", seen.where);
	vec_free(&flights);
	trace_state_free(&t);
	trace_reader_free(r);
}

/* ---- the index ---- */

/* The state at the cycle: read from the begin of the launch, or from where the index leads. Events read. */
static uint64_t state_at(TraceState *t, uint64_t cycle, bool seek)
{
	Diag d = { 0 };
	TraceReader *r = trace_open(path, &d);
	TraceEvent e;
	const TraceLaunch *l;
	uint64_t n = 0, reached;
	ck_assert_ptr_nonnull(r);
	if (seek) {
		ck_assert_int_eq(trace_launches(r), 1);
		ck_assert_ptr_nonnull(l = trace_seek(r, 0, cycle, &reached));
		demand(reached <= cycle, "%s: sought cycle %llu, reached %llu", seen.where,
			(unsigned long long)cycle, (unsigned long long)reached);
	} else {
		ck_assert_int_eq(trace_next(r, &e, &l), 2);
	}
	t->schedulers = l->schedulers;
	for (; trace_next(r, &e, &l) == 1 && e.cycle <= cycle; n++)
		demand(trace_state_event(t, &e), "%s: cycle %llu: an event that contradicts the state",
			seen.where, (unsigned long long)e.cycle);
	ck_assert_msg(d.errors == 0, "%s", d.item.v[0].text);
	trace_reader_free(r);
	return n;
}

static void same_warp(const TraceWarp *a, const TraceWarp *b)
{
	demand(b->used && a->block == b->block && a->index == b->index && a->since == b->since &&
		a->lanes == b->lanes && a->ended == b->ended && a->depth == b->depth,
		"%s: warp %d is another one by the index", seen.where, a->slot);
	for (int t = 0; t < TABLE_COUNT; t++) {
		demand(a->table[t].n == b->table[t].n, "%s: warp %d: %d rows, %d by the index", seen.where,
			a->slot, a->table[t].n, b->table[t].n);
		for (int k = 0; k < a->table[t].n; k++)
			demand(trace_row_equal(&a->table[t].v[k], &b->table[t].v[k]),
				"%s: warp %d: another row by the index", seen.where, a->slot);
	}
}

static void sought(uint64_t cycle)
{
	TraceState a = { 0 }, b = { 0 };
	seen.read += state_at(&a, cycle, false);
	seen.read_sought += state_at(&b, cycle, true);
	for (int k = 0; k < a.warp.n; k++)
		if (a.warp.v[k].used)
			same_warp(&a.warp.v[k], trace_state_warp(&b, a.warp.v[k].sm, a.warp.v[k].slot));
	for (int k = 0; k < a.scheduler.n; k++) {
		const TraceScheduler *x = &a.scheduler.v[k],
			*y = k < b.scheduler.n ? &b.scheduler.v[k] : NULL;
		demand(x->why == (y ? y->why : WHY_ISSUES) && (x->why == WHY_ISSUES || x->since == y->since),
			"%s: scheduler %d by the index", seen.where, k);
	}
	trace_state_free(&a);
	trace_state_free(&b);
}

static int by_cycle(const void *p, const void *q)
{
	const Shown *a = p, *b = q;
	return a->cycle != b->cycle ? (a->cycle < b->cycle ? -1 : 1) : a->sm != b->sm ? a->sm - b->sm
		: a->slot - b->slot;
}

static void one(const char *spec, uint64_t seed, bool functional, Config c)
{
	char where[128];
	Diag d = { 0 };
	ck_assert_msg(config_set_model(&c, spec, &d), "%s", spec);
	snprintf(where, sizeof where, "seed %llu, %s, %s", (unsigned long long)seed, spec,
		functional ? "functional" : "timed");
	seen.where = where;
	vec_clear(&seen.shown);
	vec_clear(&seen.row);
	RandomKernel *k = random_kernel_new(&RANDOM_DEFAULTS(seed));
	Job job = { k, k->module, { k->grid[0], 1, 1 } };
	Way way = { .model = (int)c.model, .functional = functional, .config = &c };
	Probe probe = { .trace = trace_create(path, &d) };
	Outcome o;
	ck_assert_ptr_nonnull(probe.trace);
	trace_states(probe.trace, 2 * EVENT_BYTES, seed % 3 * 500);
	tracer_watch = watch;
	outcome_machine(&job, &c, &way, &probe, &o);
	tracer_watch = NULL;
	ck_assert(trace_close(probe.trace, &d));
	ck_assert_msg(o.how != RAN_BADLY, "%s: %s", where, o.text);
	qsort(seen.shown.v, (size_t)seen.shown.n, sizeof *seen.shown.v, by_cycle);
	if (o.how == RAN_WELL) {
		redraw(&probe.stats);
		for (int n = 0; n < 4; n++)
			sought(seen.shown.n ? seen.shown.v[(uint64_t)seen.shown.n * (uint64_t)n / 4].cycle
				: 0);
	}
	outcome_free(&o);
	arena_free(&probe.arena);
	random_kernel_free(k);
	diag_free(&d);
}

/* One SM in functional runs: each has its own clock. */
static void all(Config c, uint64_t first, int seeds)
{
	for (int model = 0; model_keys(model); model++)
		for (uint64_t seed = first; seed < first + (uint64_t)seeds; seed++) {
			Config one_sm = c;
			one_sm.sm_count = 1;
			one(model_keys(model)->name, seed, true, one_sm);
			one(model_keys(model)->name, seed, false, c);
		}
}

START_TEST(every_mechanism_is_redrawn)
{
	Config c;
	differential_machine(&c);
	all(c, 1, 8);
	ck_assert_uint_gt(seen.lanes, 1000);
	ck_assert_uint_gt(seen.loads, 1000);
	ck_assert_uint_lt(seen.read_sought, seen.read / 4);
}
END_TEST

/* Tables of two entries: rows go to memory and come back; two issues of a warp in a cycle. */
START_TEST(small_tables_are_redrawn)
{
	Config c;
	Diag d = { 0 };
	differential_machine(&c);
	ck_assert(config_set(&c, "divergence.depth", "2", &d));
	ck_assert(config_set(&c, "divergence.chunk", "1", &d));
	ck_assert(config_set(&c, "scheduler.issue_width", "2", &d));
	ck_assert(config_set(&c, "functional.schedule", "block", &d));
	all(c, 301, 4);
}
END_TEST

START_TEST(other_policies_are_redrawn)
{
	static const char *const spec[] = {
		"token(loop_codegen=pbk_brk)", "its(policy=volta_lifo)",
		"its(order=oldest,timer=20,barrier_timeout=50,opportunistic_merge=on)",
		"its(registers=2,switch_branch=on,switch_stall=4)", "its(order=min_pc,switch_stall=2)",
		"its(order=max_lanes,switch_stall=2,yield=loops,yield_after=1)",
		"its(order=oldest,switch_stall=2)", "spec_reconv(threshold=3,yield=loops,yield_after=1)",
		"multi_path(merge=1,splits=2,rt=2,swap_cycles=20)",
		"aware(timeout=30,quantum=20,splits=2,rt=2)", "aware(delayed=1)",
		"dws(memory=aggressive,merge=branch,short_block=2)", "dws(memory=revive,splits=4)",
		"dual_path(side=ready,dual_scoreboard=0)",
		"tbc(predict=1)", "dwf(policy=minority)", "dwf(policy=pdom,patience=20)",
		"min_pc(starvation=30,quantum=3)",
		"tf_sandy(rule=refined)", "tf_stack(priority=source)", "sbi(constraints=0,hot=2)",
		"swi(same_warp=1,ways=1)", "exec_mask(skip_threshold=0)",
		"ipdom(push_order=larger_top)",
	};
	Config c;
	Diag d = { 0 };
	differential_machine(&c);
	/* lanes that priority=source keeps apart go on apart */
	ck_assert(config_set(&c, "divergence.bar_partial", "per_lane", &d));
	for (size_t k = 0; k < sizeof spec / sizeof *spec; k++)
		for (uint64_t seed = 601; seed < 604; seed++)
			one(spec[k], seed, false, c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("states redrawn from traces");
	TCase *t = tcase_create("runs");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, every_mechanism_is_redrawn);
	tcase_add_test(t, small_tables_are_redrawn);
	tcase_add_test(t, other_policies_are_redrawn);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
