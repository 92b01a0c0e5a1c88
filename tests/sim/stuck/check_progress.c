/* Forward progress, cell by cell: spin locks and a producer with consumers inside a warp under every
 * mechanism of the list, in its named presets. Each cell passes or is diagnosed as livelock, timed and
 * functionally. doc/reconvergence.md ("Forward progress") explains the table. */
#include "lib/file.h"
#include "lib/strbuf.h"
#include "sim/record/diagnosis.h"
#include "sim/reconv/seam.h"
#include "sim/host/run.h"
#include "tests/check.h"
#include <stdlib.h>

/* ---- the kernels ---- */

/* change: the branch's sides are exchanged. */
typedef struct Example { const char *name, *file; bool change; const char *spins, *lanes, *word; } Example;
enum { NAIVE, MOVED, MOVED_EXIT_FIRST, RESHAPED, PW_FALL, PW_TAKEN, WP_FALL, WP_TAKEN, EXAMPLES };
static const Example example[EXAMPLES] = {
	[NAIVE] = { "naive lock", "e1", false, "L", "1-3", "1" },
	[MOVED] = { "naive lock, point moved behind it", "e1p", false, "L", "1-3", "1" },
	[MOVED_EXIT_FIRST] = { "the same, the way out is the true side", "e1p", true, "L", "1-3", "1" },
	[RESHAPED] = { "reshaped lock", "e2", false, "", "", "" },
	[PW_FALL] = { "producer before, consumers fall through", "e3_pw_fallthrough", false, "W", "1-3",
		"0" },
	[PW_TAKEN] = { "producer before, consumers are the true side", "e3_pw_taken", false, "W", "1-3",
		"0" },
	[WP_FALL] = { "producer behind, consumers fall through", "e3_wp_fallthrough", false, "W", "1-3",
		"0" },
	[WP_TAKEN] = { "producer behind, consumers are the true side", "e3_wp_taken", false, "W", "1-3",
		"0" },
};

static void replace(StrBuf *out, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	ck_assert_msg(at != NULL, "no %s", from);
	sb_write(out, text, (size_t)(at - text));
	sb_puts(out, to);
	sb_puts(out, at + strlen(from));
}

static Module *module_of(const Example *e)
{
	char path[300];
	const char *dir = getenv("srcdir"), *why;
	size_t n;
	Diag d = { 0 };
	snprintf(path, sizeof path, "%s/kernels/oracles/%s.ir", dir ? dir : "..", e->file);
	char *text = file_read(path, 100000, &n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	if (e->change) {
		StrBuf a = { 0 }, b = { 0 };
		replace(&a, text, "setp.ne", "setp.eq");
		replace(&b, a.s, "bra %p, L, C", "bra %p, C, L");
		sb_free(&a);
		free(text);
		text = b.s;
	}
	Module *m = ir_read(text, strlen(text), "progress.ir", &d);
	ck_assert_msg(m && ir_verify(m, &d), "%s", d.item.n ? d.item.v[0].text : "?");
	free(text);
	return m;
}

/* ---- the table ---- */

/* One letter for each kernel: P passes, L livelock, ? rests on knowledge rather than on a source: it must
   pass or be diagnosed, and the page says why we think that it does. held: how the report names what holds
   the other lanes. */
typedef struct Row { const char *model, *cells, *held; } Row;
static const Row rows[] = {
	/* the top of the stack runs to the point of its lanes */
	{ "ipdom(push_order=taken_top)", "LLPP" "PLPL", "a stack entry" },
	{ "ipdom(push_order=fall_top)", "LPLP" "LPLP", "a stack entry" },
	{ "token(loop_codegen=ssy_div)", "LLPP" "PLPL", "a DIV token" },
	{ "mimd", "PPPP" "PPPP", NULL },
	/* the group at the lowest address runs, and a loop is in front of what follows it */
	{ "tf_stack(priority=rpo)", "LLLP" "PPLL", "the list of groups" },
	{ "tf_sandy(rule=static)", "LLLP" "PPLL", NULL },
	{ "tf_sandy(rule=refined)", "LLLP" "PPLL", NULL },
	{ "min_pc", "LLLP" "PPLL", "the list of groups" },
	{ "min_sp_pc", "LLLP" "PPLL", "the list of groups" },
	{ "min_pc(starvation=300,quantum=8)", "PPPP" "PPPP", NULL },
	{ "min_sp_pc(starvation=300,quantum=8)", "PPPP" "PPPP", NULL },
	{ "its(policy=its_fair)", "PPPP" "PPPP", NULL },
	{ "its(policy=volta_lifo)", "PPPP" "PPPP", NULL },
	{ "its(policy=volta_lifo,yield=none)", "LPLP" "LPLP", NULL },
	{ "its(policy=volta_lifo,yield=none,first=taken)", "LLPP" "PLPL", NULL },
	{ "its(policy=volta_lifo,yield=none,order=fifo,switch_branch=on)", "LPPP" "PPPP",
		"a convergence barrier" },
	{ "its(policy=volta_lifo,yield=loops,yield_release=off)", "LPPP" "PPPP", "a convergence barrier" },
	{ "its(policy=volta_lifo,yield=none,order=fifo,switch_branch=on,barrier_timeout=300)", "PPPP" "PPPP",
		NULL },
	{ "its(policy=hanoi)", "PPPP" "PPPP", NULL },
	{ "its(policy=hanoi,yield_patience=0)", "PPPP" "PPPP", NULL },
	{ "its(policy=hanoi,yield_patience=0,late_points=off)", "LPPP" "PPPP", "a convergence barrier" },
	{ "spec_reconv", "PPPP" "PPPP", NULL },
	{ "dual_path", "L??P" "????", NULL },
	{ "multi_path(merge=false)", "LPPP" "PPPP", "a reconvergence entry" },
	{ "multi_path(merge=true)", "LPPP" "PPPP", "a reconvergence entry" },
	{ "aware", "PPPP" "PPPP", NULL },
	{ "aware(timeout=0)", "LPPP" "PPPP", "a reconvergence entry" },
	{ "aware(timeout=0,delayed=true)", "PPPP" "PPPP", NULL },
	{ "dws", "L??P" "????", "a reconvergence entry" },
	{ "dwf", "???P" "????", NULL },
	{ "tbc", "???P" "????", NULL },
	{ "sbi", "???P" "????", NULL },
	{ "swi", "???P" "????", NULL },
	{ "exec_mask", "L??P" "????", NULL },
	{ "serial", "LLPP" "PLPL", NULL },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- one cell ---- */

enum { TIMED, FUNCTIONAL, BY_BLOCK, WAYS };

static Run *run_up_to(int64_t most, const char *model, const Module *m, Config *c, Diag *d, int way)
{
	config_defaults(c);
	c->code_layout = LAYOUT_SOURCE;        /* the cells are about where blocks stand in the text */
	ck_assert_msg(config_set_model(c, model, d), "%s: %s", model, d->item.n ? d->item.v[0].text : "?");
	c->progress_cycles = 3000;
	c->functional_schedule = way == BY_BLOCK ? SCHEDULE_BLOCK : SCHEDULE_TURNS;
	c->max_cycles = most;
	RunOptions o = { .gpu = { .functional = way != TIMED }, .laws = true };
	Run *r = run_new(c, m, &o, d);
	ck_assert_ptr_nonnull(r);
	run_module(r);
	return r;
}

static Run *run(const char *model, const Module *m, Config *c, Diag *d, int way)
{
	return run_up_to(1000000, model, m, c, d, way);
}

#define SAYS(...) do { \
	char want[300]; \
	snprintf(want, sizeof want, __VA_ARGS__); \
	ck_assert_msg(strstr(text, want) != NULL, "%s, %s: the diagnosis does not say '%s':\n%s", \
		row->model, e->name, want, text); \
} while (0)

static bool tells_places(const char *model)
{
	for (int i = 0; reconv_model(i); i++)
		if (!strcmp(reconv_model(i)->name, model))
			return reconv_model(i)->stuck.held;
	return false;
}

/* Where it would pass is what the table says: a mechanism's first row is that of its default parameters. */
static void elsewhere_is_so(const Row *row, int k, const Run *r)
{
	int n = 0;
	for (int x = 0; x < r->elsewhere.n; x++) {
		const ElsewhereRun *e = &r->elsewhere.v[x];
		size_t len = strlen(e->spec);
		int other = 0;
		if (strchr(e->spec, '('))
			continue;
		while (strncmp(rows[other].model, e->spec, len) || !strchr("(", rows[other].model[len]))
			other++;
		char cell = rows[other].cells[k];
		ck_assert_msg(e->how == ELSEWHERE_COMPLETES ? cell != 'L'
			: e->how == ELSEWHERE_LIVELOCK && cell != 'P',
			"%s, %s: it is said that it %s under %s", row->model, example[k].name,
			elsewhere_name[e->how], e->spec);
		n++;
	}
	int models = 0;
	while (reconv_model(models))
		models++;
	ck_assert_int_eq(n, models - 1);
}

/* Who spins where on which word, who has it or will write it and where that lane is, why, and where it would
   pass. */
static void diagnosed(const Row *row, const Example *e, Run *r, int way)
{
	const Diagnosis *d = vec_last(&r->launch)->diagnosis;
	ck_assert_ptr_nonnull(d);
	ck_assert_int_eq(d->kind, FAULT_LIVELOCK);
	ck_assert_str_eq(d->who.at.block, e->spins);
	ck_assert_int_gt(d->who.at.line, 0);
	ck_assert(d->reads);
	ck_assert_uint_eq(d->word.value, strtoul(e->word, NULL, 10));
	const char *text = vec_last(&r->diag->item).text;
	SAYS("livelock in kernel %s, block (0, 0, 0), warp 0: lane", e->file);
	SAYS("lanes %s come back to the branch of block %s (progress.ir:", e->lanes, e->spins);
	SAYS("they wait on the memory word at 0x100000000000 (byte 0 of %%mem), which is %s", e->word);
	if (*e->spins == 'L') {
		ck_assert(d->written);
		SAYS("thread (0, 0, 0) changed it last, in block L (progress.ir:");
		SAYS(": lane 0 of the same warp ");
		ck_assert_int_eq(d->writer.how, STUCK_HELD);
		ck_assert(d->writer.at.block || !tells_places(d->model));
	} else {
		SAYS("no atomic operation or volatile store of this launch is known to have changed it");
		SAYS("lane 0 ");
		if (tells_places(d->model))
			SAYS("block P (progress.ir:");
	}
	if (row->held)
		SAYS("in %s", row->held);
	SAYS("mechanism %s %s", d->model, d->holds ? d->holds : "does not let them run");
	StrBuf elsewhere = { 0 };
	if (way == FUNCTIONAL) {
		ck_assert(run_elsewhere(r, &elsewhere));
		elsewhere_is_so(row, (int)(e - example), r);
		text = elsewhere.s;
		SAYS("mimd");
		if (e == &example[NAIVE]) /* numbers are tried where the mechanism names them */
			SAYS("min_pc(starvation=300,quantum=8)");
	}
	sb_free(&elsewhere);
}

static void cell(const Row *row, int k, const Module *m, int way)
{
	Diag d = { 0 };
	Config c;
	const Example *e = &example[k];
	Run *r = run(row->model, m, &c, &d, way);
	const char *text = d.item.n ? d.item.v[0].text : "passes";
	if (row->cells[k] == 'P')
		ck_assert_msg(r->status == RUN_OK, "%s, %s (run %d): %s", row->model, e->name, way, text);
	else if (row->cells[k] == 'L')
		ck_assert_msg(r->fault == FAULT_LIVELOCK, "%s, %s (run %d): %s", row->model, e->name, way,
			text);
	else
		ck_assert_msg(r->status == RUN_OK || r->fault == FAULT_LIVELOCK, "%s, %s: %s", row->model,
			e->name, text);
	if (r->fault == FAULT_LIVELOCK)
		diagnosed(row, e, r, way);
	run_free(r);
	diag_free(&d);
}

START_TEST(each_cell)
{
	const Row *row = &rows[_i];
	for (int k = 0; k < EXAMPLES; k++) {
		Module *m = module_of(&example[k]);
		for (int way = 0; way < WAYS; way++)
			cell(row, k, m, way);
		module_free(m);
	}
}
END_TEST

/* Every lane but the last spins in a loop of its own, and the last stands behind all others in the queue. It
   has a way to go, without a branch, before it writes what they wait for; or it waits for that, too. */
enum { LANES = 32, WAY = 60 };
static Module *queue(bool writes, Diag *d)
{
	StrBuf b = { 0 };
	sb_puts(&b, "kernel k(u64 mem) {\n reg u32 %t, %v\n reg u64 %a\n reg pred %p\n"
		"S: %t = mov.u32 %tid.x\n %a = ld.param.u64 [mem]\n brx %t, [");
	for (int l = 0; l < LANES; l++)
		sb_printf(&b, "%sT%d", l ? ", " : "", l);
	sb_puts(&b, "]\n");
	for (int l = 0; l < LANES - writes; l++)
		sb_printf(&b, "T%d: %%v = ld.volatile.global.u32 [%%a]\n %%p = setp.eq.u32 %%v, 0\n"
			" bra %%p, T%d, X\n", l, l);
	for (int k = 0; k < WAY * writes; k++)
		sb_printf(&b, "%s %%v = add.u32 %%v, %%t\n", k ? "" : "T31:");
	sb_printf(&b, "%sX: exit\n}\nhost main() {\n reg u64 %%mem\nH: %%mem = alloc.u64 4\n"
		" launch k, (1, 1, 1), (%d, 1, 1), 0, (%%mem)\n exit\n}\n",
		writes ? " st.volatile.global.u32 [%a], 1\n bra X\n" : "", LANES);
	Module *m = ir_read(b.s, strlen(b.s), "queue.ir", d);
	ck_assert_msg(m && ir_verify(m, d), "%s", d->item.n ? d->item.v[0].text : "?");
	sb_free(&b);
	return m;
}

/* However long the parameters let it wait, the last lane's turn comes. */
static const char *const queues[] = {
	"aware(quantum=10000)", "aware(quantum=1)", "aware(quantum=1,splits=2,spill_push=300,reload_pop=300)",
	"aware(timeout=0,quantum=7)",
	"its(yield=none)", "its(yield=none,timer=1000)", "its(yield=none,timer=1)",
	"its(policy=volta_lifo,order=fifo,yield_after=20)", "its(policy=hanoi)",
	"spec_reconv(yield_after=20,timer=0)", "min_pc(starvation=300,quantum=1)",
	"min_pc(starvation=300,quantum=20)",
	"min_sp_pc(starvation=1,quantum=20)", "min_pc(starvation=10000,quantum=1)", "multi_path(splits=1)",
	"multi_path(splits=4,swap_cycles=1)",
	"multi_path(splits=31,swap_cycles=1000)", "dwf(patience=1)", "dwf(patience=3000)",
	"dwf(policy=pc,patience=3000)",
};
enum { QUEUES = sizeof queues / sizeof *queues };

static void queue_ends(const char *model, bool writes)
{
	Diag d = { 0 };
	Config c;
	Module *m = queue(writes, &d);
	for (int way = 0; way < WAYS; way++) {
		Run *r = run_up_to(4000000, model, m, &c, &d, way);
		const char *text = d.item.n ? d.item.v[0].text : "passes";
		if (writes)
			ck_assert_msg(r->status == RUN_OK, "%s (run %d): %s", model, way, text);
		else
			ck_assert_msg(r->fault == FAULT_LIVELOCK, "%s (run %d): %s", model, way, text);
		run_free(r);
	}
	module_free(m);
	diag_free(&d);
}

START_TEST(a_long_queue_is_no_livelock) { queue_ends(queues[_i], true); } END_TEST
START_TEST(a_queue_for_nothing_is_one) { queue_ends(queues[_i], false); } END_TEST

/* An entry that may starve for ever would be neither a livelock nor progress. */
START_TEST(dwf_always_has_patience)
{
	Diag d = { 0 };
	Config c;
	config_defaults(&c);
	ck_assert(config_set_model(&c, "dwf(patience=1)", &d));
	ck_assert(!config_set_model(&c, "dwf(patience=0)", &d));
	ck_assert_msg(strstr(d.item.v[0].text, "dwf.patience = 0 is out of range: 1 to"), "%s",
		d.item.v[0].text);
	diag_free(&d);
}
END_TEST

/* ---- the bounds of trials ---- */

/* A naive lock, and behind it work that goes on beyond every bound. So a trial under a mechanism that has the
   lock pass takes all that one may, and a dozen of them what all may together: the rest is not tried. The
   same is said each time. */
static Run *lock_and_work(const Module *m, Config *c, Diag *d, StrBuf *text)
{
	Run *r = run_up_to(1000000, "ipdom", m, c, d, FUNCTIONAL);
	ck_assert_int_eq(r->fault, FAULT_LIVELOCK);
	ck_assert(run_elsewhere(r, text));
	return r;
}

START_TEST(trials_are_bounded_by_work)
{
	/* issues, where the run that failed took few (sim/host/elsewhere.c) */
	enum { ONE = 750 * 1000, ALL = 10 * 1000 * 1000 };
	static const char lock[] = "kernel k(u64 mem) {\n reg u32 %v, %i\n reg u64 %a\n reg pred %p\n"
		"S: %a = ld.param.u64 [mem]\n bra L\n"
		"L: %v = atom.global.cas.b32 [%a], 0, 1\n %p = setp.ne.u32 %v, 0\n bra %p, L, E\n"
		"E: %v = atom.global.exch.b32 [%a], 0\n bra W\n"
		"W: %i = add.u32 %i, 1\n %p = setp.ne.u32 %i, 0\n bra %p, W, X\nX: exit\n}\n"
		"host main() {\n reg u64 %mem\nH: %mem = alloc.u64 4\n"
		" launch k, (1, 1, 1), (32, 1, 1), 0, (%mem)\n exit\n}\n";
	Diag d = { 0 };
	Config c;
	Module *m = ir_read(lock, strlen(lock), "lock.ir", &d);
	ck_assert_msg(m && ir_verify(m, &d), "%s", d.item.n ? d.item.v[0].text : "?");
	StrBuf text = { 0 }, again = { 0 };
	char untried[100];
	Run *r = lock_and_work(m, &c, &d, &text);
	int undecided = 0;
	for (int k = 0; k < r->elsewhere.n; k++)
		undecided += r->elsewhere.v[k].how == ELSEWHERE_UNDECIDED;
	ck_assert_int_ge(undecided, ALL / ONE);
	/* their own bound grows with the work of the run that failed */
	ck_assert_int_le(undecided, ALL / ONE + 2);
	snprintf(untried, sizeof untried, "\n  the bounds of work left %d choices of mechanisms and "
		"parameters untried\n", r->untried);
	ck_assert_int_gt(r->untried, 0);
	ck_assert_msg(strstr(text.s, untried) && strstr(text.s,
		"\n  not decided within the bounds of work under "), "%s", text.s);
	run_free(lock_and_work(m, &c, &d, &again));
	ck_assert_str_eq(text.s, again.s);
	run_free(r);
	sb_free(&text);
	sb_free(&again);
	module_free(m);
	diag_free(&d);
}
END_TEST

/* ---- the page's table ---- */

static const char *const letter[] = { ['P'] = "passes", ['L'] = "livelock" };

static void put_row(const Row *row, StrBuf *out)
{
	sb_printf(out, "| `%s` ", row->model);
	for (int k = 0; k < EXAMPLES; k++) {
		if (row->cells[k] != '?') {
			sb_printf(out, "| %s ", letter[(int)row->cells[k]]);
			continue;
		}
		Diag d = { 0 };
		Config c;
		Module *m = module_of(&example[k]);
		Run *r = run(row->model, m, &c, &d, TIMED);
		sb_printf(out, "| (%s) ", r->status == RUN_OK ? "passes" : "livelock");
		run_free(r);
		module_free(m);
		diag_free(&d);
	}
	sb_puts(out, "|\n");
}

START_TEST(the_page_has_the_table)
{
	char path[300];
	const char *dir = getenv("srcdir"), *why;
	size_t n;
	snprintf(path, sizeof path, "%s/doc/reconvergence.md", dir ? dir : "..");
	char *text = file_read(path, 1000000, &n, &why);
	ck_assert_msg(text != NULL, "%s: %s", path, why);
	for (int k = 0; k < ROWS; k++) {
		StrBuf line = { 0 };
		put_row(&rows[k], &line);
		if (getenv("PROGRESS"))
			printf("%s", line.s);
		else
			ck_assert_msg(strstr(text, line.s) != NULL, "doc/reconvergence.md has no line\n%s",
				line.s);
		sb_free(&line);
	}
	free(text);
}
END_TEST

START_TEST(every_mechanism_has_its_row)
{
	for (int i = 0; reconv_model(i); i++) {
		const char *name = reconv_model(i)->name;
		bool found = false;
		for (int k = 0; k < ROWS; k++)
			found |= !strncmp(rows[k].model, name, strlen(name)) &&
				strchr("(", rows[k].model[strlen(name)]);
		ck_assert_msg(found, "%s has no row", name);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("forward progress");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, each_cell, 0, ROWS);
	tcase_add_loop_test(t, a_long_queue_is_no_livelock, 0, QUEUES);
	tcase_add_loop_test(t, a_queue_for_nothing_is_one, 0, QUEUES);
	tcase_add_test(t, dwf_always_has_patience);
	tcase_add_test(t, trials_are_bounded_by_work);
	tcase_add_test(t, the_page_has_the_table); /* PROGRESS=1 in the environment: prints it */
	tcase_add_test(t, every_mechanism_has_its_row);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
