/* Deadlock and livelock under every mechanism, timed and functionally: what completes is never called a
 * livelock, what never can is, and the diagnosis is true. tests/sim/stuck/check_progress.c has the table of
 * forward progress. */
#include "sim/reconv/seam.h"
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "shared u32 flag[2]\nglobal u32 word[8]\nkernel k(u64 out) {\n reg u32 %t, %l, %v, %n, %x\n" \
	" reg u64 %o, %a, %s\n reg pred %p, %q\n" \
	"A: %t = mov.u32 %tid.x\n %l = and.b32 %t, 3\n %a = mov.u64 word\n %s = mov.u64 flag\n" \
	" %x = mov.u32 1\n" BODY "}\n"
#define END " %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"
#define CRITICAL "C: %v = ld.volatile.global.u32 [%a+4]\n %v = add.u32 %v, 1\n" \
	" st.volatile.global.u32 [%a+4], %v\n %v = atom.global.exch.b32 [%a], 0\n"

enum { TIMED, FUNCTIONAL, BY_BLOCK, WAYS };

static Rig *machine(const char *model, int way)
{
	char set[200];
	snprintf(set, sizeof set, "divergence.model=%s functional.schedule=%s dwf.patience=300 "
		"aware.timeout=1000 "
		"limits.max_cycles=3000000 limits.progress_cycles=300", model,
		way == BY_BLOCK ? "block" : "turns");
	Rig *r = rig_new(set);
	r->functional = way != TIMED;
	r->clocks = true; /* how often lanes try depends on time */
	return r;
}

static bool among(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = list; (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == 0 || at[n] == ' '))
			return true;
	return false;
}

/* Under each mechanism: it ends, or fails as `kind` says with a text that has each line of `says`; ends: a
   list of mechanisms. */
typedef struct Fate { FaultKind kind; const char *ends, *says[4], *never; } Fate;

static void fate_under(const char *model, const char *text, unsigned threads, const Fate *f)
{
	for (int way = 0; way < WAYS; way++) {
		Rig *r = machine(model, way);
		rig_try(r, text, 1, threads);
		if (among(f->ends, model)) {
			rig_laws(r);
		} else {
			ck_assert_msg(!r->ok, "%s (run %d) ends", model, way);
			ck_assert_msg(r->fault.kind == f->kind, "%s (run %d): %s", model, way, r->fault.text);
			for (int k = 0; k < 4 && f->says[k]; k++)
				ck_assert_msg(strstr(r->fault.text, f->says[k]) != NULL,
					"%s (run %d) does not say '%s': %s", model, way, f->says[k],
					r->fault.text);
			ck_assert_msg(!f->never || !strstr(r->fault.text, f->never), "%s (run %d): %s", model,
				way, r->fault.text);
		}
		rig_free(r);
	}
}

static void ends(const char *model, const char *text, unsigned threads, int way)
{
	Rig *r = machine(model, way);
	rig_try(r, text, 1, threads);
	ck_assert_msg(r->ok, "%s (run %d): %s", model, way, r->fault.text);
	rig_laws(r);
	rig_free(r);
}

static void fate(const char *models, const char *text, unsigned threads, Fate f)
{
	bool any = false;
	for (int k = 0; reconv_model(k); k++)
		if (!models || among(models, reconv_model(k)->name)) {
			fate_under(reconv_model(k)->name, text, threads, &f);
			any = true;
		}
	ck_assert(any);
}

#define ALL "ipdom token mimd tf_stack tf_sandy min_pc min_sp_pc its spec_reconv dual_path multi_path " \
	"aware dws dwf tbc sbi swi exec_mask serial"
#define STACKS "ipdom token tf_stack tf_sandy exec_mask" /* that let nobody wait */
#define MIN "min_pc min_sp_pc"
#define FREE "mimd its spec_reconv aware dwf sbi"     /* let a spinning lane's saviour run */
#define WAITING "mimd its spec_reconv dual_path multi_path aware dws dwf tbc sbi swi serial"

/* Lanes come to a place where they meet, wait there, and compute for long when all have come: no memory
   changes all the while, and who waits has not come back to where it was. */
#define SLOW " %x = mul.lo.u32 %x, 3\n %x = mul.lo.u32 %x, 5\n %x = mul.lo.u32 %x, 7\n" \
	" %x = mul.lo.u32 %x, 9\n"
START_TEST(waiting_to_meet_is_no_round)
{
	static const char *const models[] = { "its", "its its.policy=volta_lifo", "spec_reconv", "token",
		"exec_mask" };
	for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
		char set[200];
		snprintf(set, sizeof set, "divergence.model=%s units.imul.latency=400 "
			"limits.progress_cycles=100", models[k]);
		Rig *r = rig_new(set);
		rig_run(r, K(" %n = mov.u32 5\n bra L\nL: %p = setp.lt.u32 %t, 2\n bra %p, T, F\n"
			"T: %q = setp.lt.u32 %t, 9\n bra %q, J, E\n"
			"F:" SLOW " %q = setp.lt.u32 %t, 9\n bra %q, J, E\nE: %x = mov.u32 1\n bra J\n"
			"J:" SLOW SLOW " %n = sub.u32 %n, 1\n %p = setp.ne.u32 %n, 0\n bra %p, L, X\nX:" END),
			1, 4);
		rig_free(r);
	}
}
END_TEST

/* Each lane alone comes back to the same state soon, and all of them together only after 11 * 13 turns:
   before, both are 0 at once. */
START_TEST(lanes_that_exchange_have_a_state_together)
{
#define TURNS(AGREE) K(" %n = and.b32 %t, 1\n %x = mad.lo.u32 %n, 2, 11\n %v = mov.u32 1\n bra L\n" \
	"L: %v = add.u32 %v, 1\n %p = setp.ge.u32 %v, %x\n @%p %v = mov.u32 0\n" AGREE " bra !%q, L, X\nX:" \
	END)
	static const char *const text[] = {
		TURNS(" %p = setp.eq.u32 %v, 0\n %q = vote.sync.all.pred %p, 15\n"),
		TURNS(" %n = shfl.sync.bfly.b32 %v, 1, 31, 15\n %n = or.b32 %n, %v\n"
		" %q = setp.eq.u32 %n, 0\n"),
		TURNS(" %n = redux.sync.add.u32 %v, 15\n %q = setp.eq.u32 %n, 0\n"),
	};
	fate(NULL, text[_i], 4, (Fate){ .ends = ALL });
}
END_TEST

/* The same with counters that are never 0 at once. */
START_TEST(votes_that_never_agree)
{
	fate(NULL, K(" %n = and.b32 %t, 1\n %v = mov.u32 %n\n bra L\nL: %v = add.u32 %v, 1\n"
		" %v = and.b32 %v, 7\n %p = setp.eq.u32 %v, 0\n"
		" %q = vote.sync.all.pred %p, 15\n bra !%q, L, X\nX:" END), 4,
		(Fate){ FAULT_LIVELOCK, "", { "come", " back to the branch of block L (test.ir:19)",
		"no memory on " } });
}
END_TEST

/* tf_sandy fetches N for nobody in each turn, whenever the run is looked at. */
START_TEST(found_where_nobody_runs)
{
	const char *text = K(" bra L\nL: %n = atom.global.cas.b32 [%a], 0, 1\n %p = setp.ne.u32 %n, 0\n"
		" bra %p, M, C\n"
		"M: %q = setp.eq.u32 %n, 7\n bra %q, N, R\nN: %x = add.u32 %x, 1\n %x = add.u32 %x, 1\n"
		" %x = add.u32 %x, 1\n %x = add.u32 %x, 1\n bra R\n"
		"R: bra L\n" CRITICAL END);
	for (int k = 0; k < 24; k++) {
		Rig *r = machine("tf_sandy", FUNCTIONAL);
		char set[64];
		snprintf(set, sizeof set, "limits.progress_cycles=%d", 100 + k);
		rig_set(r, set);
		rig_try(r, text, 1, 4);
		ck_assert_int_eq(r->fault.kind, FAULT_LIVELOCK);
		ck_assert_msg(strstr(r->fault.text, "lanes 1-3 come back to the branch of block ") != NULL,
			"%s", r->fault.text);
		ck_assert_msg(strstr(r->fault.text, "lane 0 of the same warp waits in the frontier until "
			"lanes 1-3 come to block C") != NULL, "%s", r->fault.text);
		rig_free(r);
	}
}
END_TEST

/* Two lanes, two locks, each holds one and wants the other's: where both run, no mechanism is to blame.
   Elsewhere lane 0 has the first lock and waits for lane 1. */
START_TEST(two_locks_in_opposite_order)
{
	const char *text = K(" %p = setp.eq.u32 %t, 0\n bra %p, P, Q\n"
		"P: %n = atom.global.cas.b32 [%a], 0, 1\n st.volatile.global.u32 [%a+16], 1\n bra P1\n"
		"P1: %v = ld.volatile.global.u32 [%a+20]\n %p = setp.eq.u32 %v, 0\n bra %p, P1, P2\n"
		"P2: %n = atom.global.cas.b32 [%a+8], 0, 1\n %p = setp.ne.u32 %n, 0\n bra %p, P2, X\n"
		"Q: %n = atom.global.cas.b32 [%a+8], 0, 1\n st.volatile.global.u32 [%a+20], 1\n bra Q1\n"
		"Q1: %v = ld.volatile.global.u32 [%a+16]\n %p = setp.eq.u32 %v, 0\n bra %p, Q1, Q2\n"
		"Q2: %n = atom.global.cas.b32 [%a], 0, 1\n %p = setp.ne.u32 %n, 0\n bra %p, Q2, X\nX:" END);
	fate(FREE " dual_path multi_path dws", text, 2,
		(Fate){ FAULT_LIVELOCK, "", { "lane 0 comes back to the branch of block P2 (test.ir:22)",
		"1 other lane of the machine spins too", "it waits on the memory word at ",
		"thread (1, 0, 0) changed it last, in block Q (test.ir:23): lane 1 of the same warp spins "
		"too, in block Q2 (test.ir:31)" }, "mechanism" });
	fate("ipdom token tf_stack tf_sandy " MIN " tbc swi exec_mask serial", text, 2,
		(Fate){ FAULT_LIVELOCK, "", {
		"lane 0 comes back to the branch of block P1 (test.ir:19)", "\n  lane 1 ",
		"block Q (test.ir:23)", "\n  mechanism " } });
}
END_TEST

START_TEST(a_barrier_that_a_spinning_lane_waits_behind)
{
	const char *text = K(" %p = setp.lt.u32 %l, 2\n bra %p, B, L\nB: bar.sync 0\n"
		" st.volatile.global.u32 [%a], 1\n bra X\n"
		"L: %v = ld.volatile.global.u32 [%a]\n %p = setp.eq.u32 %v, 0\n bra %p, L, X\nX:" END);
	fate(WAITING, text, 4, (Fate){ FAULT_LIVELOCK, "",
		{ "lanes 2-3 come back to the branch of block L (test.ir:19)",
		"which is 0; no atomic operation or volatile store of this launch is known to have changed "
		"it",
		"\n  lanes 0-1 wait at a barrier in block B (test.ir:14)" }, "mechanism" });
	fate(MIN, text, 4, (Fate){ FAULT_LIVELOCK, "",
		{ "lanes 2-3 come back to the branch of block L (test.ir:19)",
		"\n  lanes 0-1 wait in the list of groups, put aside at a barrier or warp-level operation, "
		"until lanes 2-3 come to block B (test.ir:14)" } });
	/* the barrier counts the warp, and the others go on */
	fate(STACKS, text, 4, (Fate){ .ends = STACKS });
}
END_TEST

/* The other lanes of the mask wait elsewhere. */
START_TEST(warp_level_operations_that_never_meet)
{
	const char *text = K(" %p = setp.lt.u32 %l, 2\n bra %p, B, C\nB: bar.warp.sync 15\n bra X\n"
		"C: bar.sync 0\n bra X\nX:" END);
	fate(WAITING, text, 4, (Fate){ FAULT_BARRIER, "",
		{ "deadlock in kernel k, block (0, 0, 0), warp 0: lanes ",
		" at a warp-level operation in block ", "which can never complete: 2 of 4 threads have "
		"arrived and no other can come" } });
	fate(STACKS, text, 4, (Fate){ FAULT_BARRIER, "", { "part of " } });
}
END_TEST

/* Through shared memory, with the consumers in front of the producer, and on the true side. */
START_TEST(shared_memory)
{
	fate(NULL, K(" %p = setp.ne.u32 %l, 3\n bra %p, L, B\nL: %v = ld.volatile.shared.u32 [%s+4]\n"
		" %p = setp.eq.u32 %v, 0\n bra %p, L, X\n"
		"B: st.volatile.shared.u32 [%s+4], 1\n bra X\nX:" END), 4,
		(Fate){ FAULT_LIVELOCK, FREE " dual_path multi_path dws",
		{ "lanes 0-2 come back to the branch of block L (test.ir:16)",
			"they wait on the memory word at 0x4 of shared memory (byte 4 of flag), which is 0",
		"\n  lane 3 ", "block B (test.ir:17)" } });
}
END_TEST

/* A group that spins keeps its turn where turns have no end. */
START_TEST(turns_without_an_end)
{
	static const struct { const char *set, *in, *why; } e[] = {
		{ "divergence.model=aware aware.quantum=0",
			"lane 3 waits in the queue of groups; would go on at block B (test.ir:17)",
			"its turn is over (aware.quantum = 0" },
		{ "divergence.model=its its.policy=volta_lifo its.yield=none its.first=taken",
			"lane 3 waits in the queue of groups that are ready; would go on at block B "
			"(test.ir:17)",
			"a group that spins keeps those from running that it waits for" },
	};
	for (size_t k = 0; k < sizeof e / sizeof *e; k++) {
		Rig *r = rig_new(e[k].set);
		rig_set(r, "limits.max_cycles=3000000 limits.progress_cycles=300");
		rig_try(r, K(" %p = setp.ne.u32 %l, 3\n bra %p, L, B\nL: %v = ld.volatile.global.u32 [%a]\n"
			" %p = setp.eq.u32 %v, 0\n bra %p, L, X\n"
			"B: st.volatile.global.u32 [%a], 1\n bra X\nX:" END), 1, 4);
		ck_assert_int_eq(r->fault.kind, FAULT_LIVELOCK);
		ck_assert_msg(strstr(r->fault.text, e[k].in) && strstr(r->fault.text, e[k].why), "%s",
			r->fault.text);
		rig_free(r);
	}
}
END_TEST

/* A naive lock in a function, and one that a function tries to take for the loop. min_pc runs the lowest
   address: there the critical section, in front of the function. */
START_TEST(locks_and_calls)
{
	fate(NULL, "func lock(u64 %a) {\n reg u32 %n\n reg pred %p\nL: %n = atom.global.cas.b32 [%a], 0, 1\n"
		" %p = setp.ne.u32 %n, 0\n bra %p, L, R\n"
		"R: ret\n}\n" K(" call lock, (%a)\n bra C\n" CRITICAL END), 4, (Fate){ FAULT_LIVELOCK, FREE,
		{ "lanes 1-3 come back to the branch of block L (test.ir:6)", "which is 1",
			"thread (0, 0, 0) changed it last, in block L (test.ir:4): lane 0 of the same "
			"warp " } });
	fate(NULL, "func try(u64 %a) -> (u32 %n) {\nT: %n = atom.global.cas.b32 [%a], 0, 1\n ret\n}\n"
		K(" bra L\nL: (%n) = call try, (%a)\n %p = setp.ne.u32 %n, 0\n bra %p, L, C\n" CRITICAL END),
		4, (Fate){ FAULT_LIVELOCK, FREE " min_pc",
		{ "lanes 1-3 come back to the branch of block L (test.ir:19)",
			"thread (0, 0, 0) changed it last, in block T (test.ir:2): lane 0 of the same warp ",
		"\n  mechanism " } });
}
END_TEST

/* The lane that has the lock is of another warp, whose others keep it from going on. */
START_TEST(locks_of_several_warps)
{
	const char *lock = K(" bra L\nL: %n = atom.global.cas.b32 [%a], 0, 1\n %p = setp.ne.u32 %n, 0\n"
		" bra %p, L, C\n" CRITICAL END);
	const char *reshaped = K(" bra L\nL: %n = atom.global.cas.b32 [%a], 0, 1\n %q = setp.eq.u32 %n, 0\n"
		" bra %q, C, M\n" CRITICAL " bra M\n"
		"M: bra !%q, L, X\nX:" END);
	fate(NULL, lock, 12, (Fate){ FAULT_LIVELOCK, FREE,
		{ " back to the branch of block L (test.ir:15)", "other lanes of the machine spin too",
		"changed it last, in block L (test.ir:13): lane ", "\n  mechanism " } });
	fate(NULL, reshaped, 12, (Fate){ .ends = ALL });
}
END_TEST

/* The same state again and again, but each time four more threads have come to a barrier that expects 64. */
START_TEST(arrivals_are_progress)
{
	const char *text = K(" %p = setp.ge.u32 %t, 8\n bra %p, E, B\nB: %p = setp.ge.u32 %t, 4\n"
		" bra %p, W, L\n"
		"W: bar.sync 1, 64\n st.volatile.shared.u32 [%s], 1\n bra E\n"
		"L: %n = mov.u32 0\n bra D\nD: %n = add.u32 %n, 1\n %p = setp.lt.u32 %n, 60\n bra %p, D, M\n"
		"M: bar.arrive 1, 64\n %v = ld.volatile.shared.u32 [%s]\n %p = setp.eq.u32 %v, 0\n"
		" bra %p, L, E\nE:" END);
	static const char *const models[] = { "ipdom", "token", "mimd", "its", "exec_mask" };
	for (int k = 0; k < 5; k++)
		for (int way = 0; way < WAYS; way++)
			ends(models[k], text, 64, way);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("livelock");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, lanes_that_exchange_have_a_state_together, 0, 3);
	const TTest *const tests[] = { waiting_to_meet_is_no_round, votes_that_never_agree,
		found_where_nobody_runs, two_locks_in_opposite_order,
		a_barrier_that_a_spinning_lane_waits_behind, warp_level_operations_that_never_meet,
		shared_memory, turns_without_an_end, locks_and_calls, locks_of_several_warps,
		arrivals_are_progress };
	for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
		tcase_add_test(t, tests[k]);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
