#include "tools/reduce/judge.h"
#include "lib/file.h"
#include "passes/pass.h"
#include "sim/host/run.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const verdict_text[VERDICTS] = { "results are the same", "results differ", "the module fails",
	"the passes fail", "the passes crash", "the module fails without passes" };

/* How many times more instructions than a thread of the input has executed on the average a thread may
   execute. */
enum { TIMES_MORE = 20, MORE = 10000 };

/* ---- one run ---- */

/* The configuration must outlive the run. */
static Run *run_by_reference(const Config *c, const Module *m, bool races,
	volatile sig_atomic_t *interrupted, Diag *d)
{
	RunOptions options = { .reference = true, .trial = true, .races = races,
		.gpu = { .threads = 1, .interrupted = interrupted } };
	Run *run = run_new(c, m, &options, d);
	if (run)
		run_module(run);
	return run;
}

int judge_measure(Judge *j, const Module *m, volatile sig_atomic_t *interrupted, Diag *d)
{
	Run *run = run_by_reference(&j->config, m, false, interrupted, d);
	uint64_t threads = 0, instructions = 0;
	int status = run ? (int)run->status : (int)RUN_BAD_INPUT;
	for (int k = 0; run && k < run_kernels(run); k++) {
		const LaunchStats *s = run_kernel(run, k);
		threads += (uint64_t)s->totals.launches * s->grid[0] * s->grid[1] * s->grid[2] * s->block[0] *
			s->block[1] * s->block[2];
		instructions += (uint64_t)s->totals.thread_instructions;
	}
	if (threads)
		j->steps = TIMES_MORE * (int64_t)(instructions / threads) + MORE;
	if (run)
		run_free(run);
	return status;
}

static void write_note(const Judge *j, const PassLimit *limit, const Diag *d)
{
	const char *why;
	StrBuf text = { 0 };
	if (!j->note)
		return;
	if (limit->change.n)
		pass_change_print(&vec_last(&limit->change), &text);
	sb_printf(&text, "\n%s\n", diag_first(d) ? diag_first(d) : "");
	file_write(j->note, text.s, text.n, &why);
	sb_free(&text);
}

/* ---- behind the passes ---- */

static Module *transform_limited(const Judge *j, const Module *m, PassLog *log, Diag *d)
{
	Module *after = module_copy(m);
	if (config_transform(&j->config, after, j->passes, NULL, log, d))
		return after;
	module_free(after);
	return NULL;
}

static Verdict judge_after(const Judge *j, const Config *c, const Module *m, const Run *before)
{
	PassLimit limit = { .most = j->most };
	PassLog log = { .limit = &limit };
	Diag d = { 0 };
	Module *after = transform_limited(j, m, &log, &d);
	Run *run = after ? run_by_reference(c, after, false, NULL, &d) : NULL;
	Verdict v = !after ? VERDICT_REFUSED : !run || run->status != RUN_OK ? VERDICT_FAILS
		: run_same(before, run, "without passes", "with them", NULL, &d) ? VERDICT_SAME
		: VERDICT_DIFFERS;
	write_note(j, &limit, &d);
	return v;
}

/* In a process of its own: passes may crash. */
static Verdict judge_apart(const Judge *j, const Config *c, const Module *m, const Run *before)
{
	int status;
	pid_t pid = fork();
	if (!pid)
		_exit((int)judge_after(j, c, m, before));
	if (pid < 0)
		return VERDICT_UNFIT;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return VERDICT_UNFIT;
	return WIFEXITED(status) && WEXITSTATUS(status) < VERDICTS ? (Verdict)WEXITSTATUS(status)
		: VERDICT_CRASHES;
}

int judge_module(void *judge, Module *m)
{
	const Judge *j = judge;
	Diag d = { 0 };
	Config c = j->config;
	if (j->steps && (!c.max_cycles || j->steps < c.max_cycles))
		c.max_cycles = j->steps;
	Run *before = run_by_reference(&c, m, j->races, NULL, &d);
	bool fit = before && before->status == RUN_OK;
	Verdict v = fit ? judge_apart(j, &c, m, before) : VERDICT_UNFIT;
	bool wrong = v > VERDICT_SAME && v < VERDICT_UNFIT;
	bool wanted = !j->tells && (j->wanted == VERDICT_WRONG ? wrong : v == j->wanted);
	return wanted ? 0 : VERDICT_STATUS + (int)v;
}

Module *judge_make(void *judge, Module *m)
{
	const Judge *j = judge;
	PassLimit limit = { .most = j->most };
	PassLog log = { .limit = &limit };
	Diag d = { 0 };
	Module *after = transform_limited(j, m, &log, &d);
	write_note(j, &limit, &d);
	return after;
}
