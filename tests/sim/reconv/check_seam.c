/* The seam for mechanisms that choose among splits: a mechanism of the test's own, as such a mechanism would
 * be written. "lane by lane" runs one lane of a warp at a time until that lane waits or ends; the others are
 * parked. What it counts shows that every hook is called, and when. */
#include "sim/code/lower_fn.h"
#include "sim/machine/machine.h"
#include "tests/sim/sm/sim_rig.h"
#include <regex.h>
#include <signal.h>
#include <sys/wait.h>

typedef struct PerSm { int launches, ends, waits, resumes, stalls; } PerSm;
typedef struct PerBlock { int launches; } PerBlock;

static ReconvModel lane_by_lane;
static PerSm seen;             /* of the last warp that ended: what its SM had counted */
static int block_launches, block_warps;

static bool lower(LowerFn *l, Diag *diag) { return true; }
static size_t state_size(const Config *c) { return 8; }
static size_t sm_state_size(const Config *c) { return sizeof(PerSm); }
static size_t block_state_size(const Config *c) { return sizeof(PerBlock); }
static int depth(const Warp *w) { return *reconv_nsplit((Warp *)w); }

/* One split may run: the one that does, or else the first that is parked. */
static void choose(Warp *w)
{
	Split *s = reconv_splits(w);
	int n = *reconv_nsplit(w), first = -1;
	for (int k = 0; k < n; k++) {
		if (s[k].state == SPLIT_RUN)
			return;
		if (s[k].state == SPLIT_PARKED && first < 0)
			first = k;
	}
	if (first < 0)
		return;
	s[first].state = SPLIT_RUN;
	wait_not_before(&s[first].wait, reconv_now(w) + 1, STALL_DIVERGENCE, reconv_now(w));
}

static void launch(Warp *w, Mask lanes, uint32_t pc)
{
	int n = 0;
	for (Mask m = lanes; m; m &= m - 1)
		reconv_splits(w)[n++] = (Split){ .pc = pc, .mask = m & -m, .line = NO_PC,
			.state = SPLIT_PARKED,
			.wait.why = STALL_DIVERGENCE };
	*reconv_nsplit(w) = n;
	reconv_splits(w)[0].state = SPLIT_RUN;
	((PerSm *)reconv_sm_state(w))->launches++;
	block_launches = ++((PerBlock *)reconv_block_state(w))->launches;
}

static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	ck_abort_msg("one lane goes one way");
}
static void reach(Warp *w, Split *s) { }
static void call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc) { s->pc = p[0].pc; }
static void ret(Warp *w, Split *s, const Path *p, int n) { s->pc = p[0].pc; }

static void ended(Warp *w)
{
	Warp *list[64];
	((PerSm *)reconv_sm_state(w))->ends++;
	seen = *(PerSm *)reconv_sm_state(w);
	block_warps = reconv_block_warps(w, list);
}

static void lanes_exit(Warp *w, Split *s, Mask m)
{
	Split *all = reconv_splits(w);
	int k = (int)(s - all), n = --*reconv_nsplit(w);
	memmove(all + k, all + k + 1, sizeof *all * (size_t)(n - k));
	if (!n)
		ended(w);
	choose(w);
}

static void waits(Warp *w, Split *s)
{
	ck_assert_int_ne(s->state, SPLIT_RUN);
	((PerSm *)reconv_sm_state(w))->waits++;
	choose(w);
}

/* Another lane may be running: then this one is parked again. */
static void resumes(Warp *w, Split *s)
{
	((PerSm *)reconv_sm_state(w))->resumes++;
	for (int k = 0; k < *reconv_nsplit(w); k++)
		if (&reconv_splits(w)[k] != s && reconv_splits(w)[k].state == SPLIT_RUN) {
			s->state = SPLIT_PARKED;
			s->wait.why = STALL_DIVERGENCE;
			return;
		}
}

static bool stall(Warp *w, Split *s, Stall why, Cycle until)
{
	ck_assert_uint_gt(until, reconv_now(w));
	((PerSm *)reconv_sm_state(w))->stalls += why == STALL_MEMORY;
	return false;
}

static void use_lane_by_lane(Gpu *g)
{
	lane_by_lane = (ReconvModel){ .name = "lane by lane", .help = "", .sync_waits = true,
		.lane_scoreboard = true,
		.lower = lower, .state_size = state_size, .launch = launch, .branch = branch, .reach = reach,
		.call = call, .ret = ret,
		.exit = lanes_exit, .depth = depth, .blocks =
		{ .sm_state_size = sm_state_size, .block_state_size = block_state_size },
		.sync = { .wait = waits, .resume = resumes }, .times = { .stall = stall } };
	g->model = &lane_by_lane;
}

static const char text[] =
	"shared u32 s[8]\n"
	"kernel k(u64 out)\n{\n"
	"\treg u32 %t, %v, %x, %n\n\treg u64 %a, %o\n\treg pred %p\n"
	"A:\n"
	"\t%t = mov.u32 %tid.x\n\t%x = mov.u32 %ctaid.x\n\t%t = mad.lo.u32 %x, 8, %t\n"
	"\t%a = ld.param.u64 [out]\n\t%o = mul.wide.u32 %t, 4\n\t%a = add.u64 %a, %o\n"
	"\t%v = ld.global.u32 [%a]\n\t%v = add.u32 %v, %t\n\t%n = and.b32 %t, 3\n\t%o = cvt.u64.u32 %t\n"
	"\tbra L\n"
	"L:\n"                                     /* lanes turn 0 to 3 times more */
	"\t%v = mad.lo.u32 %v, 3, 1\n\t%p = setp.ne.u32 %n, 0\n\t%n = sub.u32 %n, 1\n\tbra %p, L, B\n"
	"B:\n"
	"\t%x = shfl.sync.bfly.b32 %v, 1, 31, 15\n\t%v = add.u32 %v, %x\n"
	"\tbar.sync 0\n"
	"\t%x = ld.global.u32 [%a]\n\t%v = add.u32 %v, %x\n"
	"\tst.global.u32 [%a], %v\n\texit\n}\n";

START_TEST(a_mechanism_that_picks_lanes)
{
	Rig *r = rig_new("dram.latency=50");
	r->prepare = use_lane_by_lane;
	/* three blocks of two warps of four lanes, against the reference interpreter */
	rig_run(r, text, 3, 8);
	ck_assert_int_eq(seen.launches, 6);
	ck_assert_int_eq(seen.ends, 6);
	ck_assert_int_eq(block_launches, 2);
	ck_assert_int_ge(block_warps, 1);
	ck_assert_int_le(block_warps, 2);
	ck_assert_int_gt(seen.stalls, 0);
	/* who completes a shuffle or a barrier does not wait first */
	ck_assert_int_eq(seen.waits, seen.resumes - 2 * 3 - 3);
	rig_free(r);
}
END_TEST

static bool refuse(LowerFn *l, Diag *diag)
{
	diag_error(diag, ins_loc(l->module, &l->f->block.v[1]->ins.v[0]), "mechanism picky cannot run this");
	return false;
}

static void use_picky(Gpu *g)
{
	use_lane_by_lane(g);
	lane_by_lane.lower = refuse;
}

/* What a mechanism refuses is refused before anything runs, with its place in the source. */
START_TEST(a_mechanism_that_refuses)
{
	Rig *r = rig_new("");
	r->prepare = use_picky;
	rig_try(r, text, 1, 8);
	ck_assert(!r->ok);
	ck_assert_int_eq(r->fault.kind, FAULT_UNSUPPORTED);
	ck_assert_str_eq(r->fault.text, "kernel k: mechanism picky cannot run this");
	ck_assert_int_eq(r->fault.loc.line, 20); /* the first of block L */
	rig_free(r);
}
END_TEST

/* ---- operations of its own ---- */

enum { OWN_STEP, OWN_TELL };
static const OwnOp own[] = { [OWN_STEP] = { "step", "", UNIT_CTL, false, "nothing" },
	[OWN_TELL] = { "tell", "-p", UNIT_ALU, false, "a number, where b holds" } };
static int steps, told;

/* step at the start of each block, and for B's `tell 7, %p` behind it. */
static bool lower_steps(LowerFn *l, Diag *diag)
{
	for (int b = 0; b < l->f->block.n; b++) {
		int at = 0;
		edit_insert(&l->edit, l->f->block.v[b], at++, lower_own(l, OWN_STEP, 0, 0));
	}
	Block *last = l->f->block.v[l->f->block.n - 1];
	Ins tell = lower_own(l, OWN_TELL, 0, 2);
	int at = 1;
	tell.opd[0] = opd_imm(7);
	for (int r = 0; r < l->f->reg.n; r++)
		if (l->f->reg.v[r].type == T_PRED)
			tell.opd[1] = opd_reg(r);
	edit_insert(&l->edit, last, at++, tell);
	return true;
}

static void special(Warp *w, Split *s, const MIns *i, Mask lanes)
{
	steps += i->own == OWN_STEP;
	told += i->own == OWN_TELL && i->offset == 7 && i->x.a != NO_ROW && i->unit == UNIT_ALU;
	s->pc++;
}

static void use_steps(Gpu *g)
{
	StrBuf b = { 0 };
	Diag diag = { 0 };
	use_lane_by_lane(g);
	lane_by_lane.lower = lower_steps;
	lane_by_lane.special = special;
	lane_by_lane.own = own;
	lane_by_lane.nown = 2;
	gpu_disassemble(g, g->module->func.v[0], &b, &diag);
	ck_assert_ptr_nonnull(strstr(b.s, "k.L:\n"));
	ck_assert_ptr_nonnull(strstr(b.s, "  step\n"));
	ck_assert_ptr_nonnull(strstr(b.s, "  tell B7 p0\n"));
	sb_free(&b);
}

/* A mechanism's operations stand in its table and nowhere else: lowering, issue and printing take them from
   there. */
START_TEST(operations_of_a_mechanism)
{
	Rig *r = rig_new("");
	r->prepare = use_steps;
	rig_run(r, text, 1, 8);
	ck_assert_int_eq(told, 8);
	ck_assert_int_eq(steps, 8 * (1 + 1) + 2 * (1 + 2 + 3 + 4)); /* A and B once, L once to four times */
	ck_assert_uint_eq(r->s.totals.overhead_warp, (uint64_t)(steps + told));
	rig_free(r);
}
END_TEST

/* The IR has no word for them: no module may contain them. */
START_TEST(no_module_names_an_operation_of_a_mechanism)
{
	for (int k = 0; reconv_model(k); k++)
		for (int i = 0; i < reconv_model(k)->nown; i++) {
			const OwnOp *o = &reconv_model(k)->own[i];
			if (!o->name)
				continue;
			ck_assert_int_eq(op_lookup(o->name, strlen(o->name)), OP_NONE);
			ck_assert(o->operands && o->meaning && o->unit < UNIT_COUNT);
		}
	for (int op = 1; op < OP_COUNT; op++)
		ck_assert(op == OP_OWN || op == OP_EXITIF || !(op_info[op].flags & OPF_MACH));
}
END_TEST

/* ---- figures ---- */

static void lanes_exit_counted(Warp *w, Split *s, Mask m)
{
	static const char *const key[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	for (int k = 0; k < MODEL_STATS + (int)reconv_param(w, 0); k++)
		reconv_count_own(w, key[k]);
	lanes_exit(w, s, m);
}

static void use_counting(Gpu *g)
{
	use_lane_by_lane(g);
	lane_by_lane.exit = lanes_exit_counted;
}

static Rig *counting(int64_t more)
{
	Rig *r = rig_new("");
	r->prepare = use_counting;
	r->c.model_param[r->c.model][0] = more;
	rig_run(r, text, 1, 8);
	return r;
}

START_TEST(figures_of_a_mechanism)
{
	Rig *r = counting(0);
	ck_assert_int_eq(r->s.totals.nmodel, MODEL_STATS);
	ck_assert_uint_eq(r->s.totals.model[MODEL_STATS - 1].value, 8);
	rig_free(r);
}
END_TEST

START_TEST(more_figures_than_there_is_room_for)
{
	counting(1);
}
END_TEST

/* ---- the checks of a checking build (sim/machine/check.c), around a mechanism that keeps what it promises,
   and others ---- */

static void use_checked(Gpu *g)
{
	use_lane_by_lane(g);
	gpu_check_model(g);
}

START_TEST(a_sound_mechanism_passes_the_checks)
{
	Rig *r = rig_new("dram.latency=50");
	r->prepare = use_checked;
	rig_run(r, text, 3, 8);
	ck_assert_int_eq(seen.ends, 6);
	rig_free(r);
}
END_TEST

static void launch_twice(Warp *w, Mask lanes, uint32_t pc)
{
	launch(w, lanes, pc);
	reconv_splits(w)[1].mask |= reconv_splits(w)[0].mask;
}

static void launch_some(Warp *w, Mask lanes, uint32_t pc)
{
	launch(w, lanes, pc);
	--*reconv_nsplit(w);
}

static void launch_behind_the_code(Warp *w, Mask lanes, uint32_t pc)
{
	launch(w, lanes, pc);
	reconv_splits(w)[0].pc = (uint32_t)reconv_code(w)->n;
}

/* As a core would that counts a lane twice. */
static void two_ways_at_once(Warp *w, Mask lanes, uint32_t pc)
{
	launch(w, lanes, pc);
	w->sm->gpu->model->branch(w, reconv_splits(w), reconv_ins(w, pc), (Path[]){ { pc, 1 }, { pc, 1 } },
		2);
}

static void keep_after_exit(Warp *w, Split *s, Mask m) { }

static void resume_elsewhere(Warp *w, Split *s)
{
	Split *all = reconv_splits(w), t = all[0];
	all[0] = all[1];
	all[1] = t;
}

static void wait_without_lanes(Warp *w, Split *s)
{
	s->mask = 0;
	choose(w);
}

static bool holds_all(const Warp *w, int lane, Held *h)
{
	h->in = "a drawer";
	return true;
}

static bool holds_behind_the_code(const Warp *w, int lane, Held *h)
{
	*h = (Held){ (uint32_t)reconv_code(w)->n, "a drawer", NO_PC, 0 };
	return true;
}

static int negative_depth(const Warp *w) { return -1; }

/* What is put in place of a hook; what the message says. */
static const struct Flaw {
	const char *says;
	void (*launch)(Warp *, Mask, uint32_t);
	void (*exit)(Warp *, Split *, Mask);
	void (*resume)(Warp *, Split *);
	void (*wait)(Warp *, Split *);
	bool (*held)(const Warp *, int, Held *);
	int (*depth)(const Warp *);
} flaws[] = {
	{ .says = "after launch, .*lanes 0x1 are in two splits", .launch = launch_twice },
	{ .says = "after launch, .*lane 3 is in no split, and the mechanism does not hold it",
		.launch = launch_some },
	{ .says = "after launch, .*lane 3 is held until it goes on at pc [0-9]*, behind the code",
		.launch = launch_some, .held = holds_behind_the_code },
	{ .says = "after launch, .*split 0 is at pc [0-9]*, behind the code",
		.launch = launch_behind_the_code },
	{ .says = "before branch, .*lanes 0x1 take two paths", .launch = two_ways_at_once },
	{ .says = "after exit, .*lanes 0x1 have ended and are in a split", .exit = keep_after_exit },
	{ .says = "after resume, .*split 0 has moved", .resume = resume_elsewhere },
	{ .says = "after wait, .*split 0 has no lane", .wait = wait_without_lanes, .held = holds_all },
	{ .says = "after depth, .*it is -1", .depth = negative_depth },
};
static const struct Flaw *flaw;

static void use_flawed(Gpu *g)
{
	use_lane_by_lane(g);
#define PUT(TO, HOOK) if (flaw->HOOK) lane_by_lane.TO = flaw->HOOK
	PUT(launch, launch);
	PUT(exit, exit);
	PUT(sync.resume, resume);
	PUT(sync.wait, wait);
	PUT(stuck.held, held);
	PUT(depth, depth);
#undef PUT
	gpu_check_model(g);
}

/* In a process of its own, whose last words are read. */
START_TEST(a_broken_promise_is_found)
{
	char words[2000] = "", pattern[200];
	int ends[2], status;
	size_t n = 0;
	regex_t says;
	flaw = &flaws[_i];
	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		dup2(ends[1], 2);
		Rig *r = rig_new("dram.latency=50");
		r->prepare = use_flawed;
		rig_try(r, text, 3, 8);
		_exit(0);
	}
	close(ends[1]);
	for (ssize_t got; n < sizeof words - 1 && (got = read(ends[0], words + n, sizeof words - 1 - n)) > 0;)
		n += (size_t)got;
	waitpid(child, &status, 0);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s: no assertion", flaw->says);
	snprintf(pattern, sizeof pattern, "mechanism lane by lane, %s", flaw->says);
	ck_assert_int_eq(regcomp(&says, pattern, REG_NOSUB), 0);
	ck_assert_msg(!regexec(&says, words, 0, NULL, 0), "not \"%s\" but %s", pattern, words);
	regfree(&says);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("seam");
	TCase *t = tcase_create("splits");
	tcase_add_test(t, a_mechanism_that_picks_lanes);
	tcase_add_test(t, a_mechanism_that_refuses);
	tcase_add_test(t, operations_of_a_mechanism);
	tcase_add_test(t, no_module_names_an_operation_of_a_mechanism);
	tcase_add_test(t, figures_of_a_mechanism);
	tcase_add_test_raise_signal(t, more_figures_than_there_is_room_for, SIGABRT);
	tcase_add_test(t, a_sound_mechanism_passes_the_checks);
	tcase_add_loop_test(t, a_broken_promise_is_found, 0, sizeof flaws / sizeof *flaws);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
