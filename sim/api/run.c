/* Runs: their life from options to the end. */
#include "config.h"
#include "sim/api/api.h"
#include "lib/interrupt.h"
#include "sim/host/races.h"

static char *kept(const char *text) { return text ? xstrdup(text) : NULL; }

/* ---- calls ---- */

bool run_enter(GsimRun *run, const char *function)
{
	if (!handle_is(run, HANDLE_RUN, function))
		return false;
	if (__atomic_exchange_n(&run->busy, true, __ATOMIC_ACQUIRE)) {
		misuse(NULL, "%s: another call for the run has not returned", function);
		return false;
	}
	locale_enter();
	run->told = false;
	messages_begin(&run->messages);
	return true;
}

/* What has become of a run whose state is not GSIM_OK. */
static void tell_state(GsimRun *run, const char *so)
{
	char text[80];
	snprintf(text, sizeof text, "the run %s%s", run->refused ? "could not begin"
		: run_state(run) == GSIM_INTERRUPTED ? "was interrupted" : "has failed", so);
	messages_say(&run->messages, GSIM_ERROR, text);
	run->told = true;
}

GsimStatus run_leave(GsimRun *run, GsimStatus status)
{
	bool why = run->told || run->messages.diag.errors > run->messages.errors;
	messages_tell(&run->messages);
	if (!why && status != GSIM_OK && status == run_state(run))
		tell_state(run, "");
	locale_leave();
	__atomic_store_n(&run->busy, false, __ATOMIC_RELEASE);
	return status;
}

GsimStatus run_state(const GsimRun *run)
{
	if (run->refused)
		return GSIM_BAD_INPUT;
	if (run->run && run->run->status != RUN_OK)
		return (GsimStatus)run->run->status;
	return is_interrupted(&run->cancelled) ? GSIM_INTERRUPTED : GSIM_OK;
}

/* ---- life ---- */

GsimRun *gsim_run_new(const GsimModule *module, const GsimMachine *machine, GsimOnMessage *on_message,
	void *self)
{
	IN_C_LOCALE;
	if (!module_enter(module, __func__) || !machine_enter(machine, __func__))
		return NULL;
	GsimRun *run = xcalloc(1, sizeof *run);
	handle_open(&run->handle, HANDLE_RUN);
	messages_open(&run->messages, on_message, self);
	run->module = module_copy(module->module);
	run->in_memory = module->in_memory;
	run->profiled = module->profile != NULL;
	run->hash = kept(module->hash);
	run->passes = xstrdup(module->passes.s ? module->passes.s : "");
	pass_log_copy(&run->log, &module->log);
	run->machine = kept(machine->path);
	run->mechanism = kept(machine->mechanism);
	run->config = machine->config;
	run->file = machine->file;
	marks_copy(&run->marks, &machine->marks);
	bool ok = config_check(&run->config, &run->messages.diag);
	messages_tell(&run->messages);
	if (!ok)
		gsim_run_free(run);
	return ok ? run : NULL;
}

static void texts_free(ApiTexts *t)
{
	for (int i = 0; i < t->n; i++)
		free(t->v[i]);
	vec_free(t);
}

static bool close_trace(GsimRun *run)
{
	TraceWriter *t = run->trace;
	run->trace = NULL;
	return !t || trace_close(t, &run->messages.diag);
}

void gsim_run_free(GsimRun *run)
{
	if (!run || !run_enter(run, __func__))
		return;
	close_trace(run);
	messages_tell(&run->messages);
	handle_close(&run->handle);
	buffers_free(run);
	if (run->run)
		run_free(run->run);
	if (run->print)
		fclose(run->print);
	module_free(run->module);
	pass_log_free(&run->log);
	texts_free(&run->arguments);
	texts_free(&run->folders);
	sb_free(&run->changes);
	marks_free(&run->marks);
	char *texts[] = { run->hash, run->passes, run->machine, run->mechanism, run->workload,
		run->workload_text, run->trace_path };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	diag_free(&run->messages.diag);
	free(run);
	locale_leave();
}

GsimStatus gsim_run_cancel(GsimRun *run)
{
	if (!run)
		return misuse(NULL, "%s: the run is NULL", __func__);
	interrupt(&run->cancelled);
	return GSIM_OK;
}

/* ---- what the run calls ---- */

static GsimStatus not_begun(const GsimRun *run, const char *function)
{
	return run->stage == STAGE_OPTIONS ? GSIM_OK : misuse(&run->messages, "%s: the run has begun",
		function);
}

GsimStatus gsim_run_on_print(GsimRun *run, GsimOnPrint *function, void *self)
{
	if (!run_enter(run, __func__))
		return GSIM_MISUSE;
	GsimStatus status = not_begun(run, __func__);
	if (status == GSIM_OK) {
		run->on_print = function;
		run->print_self = self;
	}
	return run_leave(run, status);
}

GsimStatus gsim_run_on_progress(GsimRun *run, GsimOnProgress *function, void *self)
{
	if (!run_enter(run, __func__))
		return GSIM_MISUSE;
	GsimStatus status = not_begun(run, __func__);
	if (status == GSIM_OK) {
		run->on_progress = function;
		run->progress_self = self;
	}
	return run_leave(run, status);
}

static ssize_t print(void *self, const char *text, size_t n)
{
	const GsimRun *run = self;
	int lent = locale_lend();
	run->on_print(run->print_self, text, n);
	locale_take(lent);
	return (ssize_t)n;
}

static FILE *open_print(GsimRun *run)
{
	FILE *f = fopencookie(run, "w", (cookie_io_functions_t){ .write = print });
	must(f);
	setvbuf(f, NULL, _IONBF, 0);
	return f;
}

static void progress(void *self, uint64_t cycles, uint64_t warp_instructions)
{
	const GsimRun *run = self;
	int lent = locale_lend();
	run->on_progress(run->progress_self, cycles, warp_instructions);
	locale_take(lent);
}

/* ---- the begin ---- */

/* What does not go together, or NULL. */
static const char *contradiction(const GsimRun *run)
{
	const RunOptions *o = &run->options;
	if (o->reference && (o->gpu.functional || o->laws || run->trace_path || o->instructions))
		return "reference excludes functional, laws, trace and annotate";
	if (o->interval && (o->gpu.functional || o->reference))
		return "interval needs cycles, which neither functional nor reference measures";
	return NULL;
}

static void fill_options(GsimRun *run)
{
	RunOptions *o = &run->options;
	config_changes(&run->file, &run->config, &run->changes);
	o->gpu.threads = run->threads ? (int)run->threads : 1;
	o->gpu.interrupted = &run->cancelled;
	o->gpu.trace = run->trace;
	o->gpu.machine = run->machine;
	o->gpu.changed = run->changes.s ? run->changes.s : "";
	o->gpu.passes = run->passes;
	o->gpu.progress = run->on_progress ? progress : NULL;
	o->gpu.self = run;
	o->workload = run->workload;
	o->workload_text = run->workload_text;
	o->nargs = run->arguments.n;
	o->args = run->arguments.v;
	o->nfolders = run->folders.n;
	o->folders = (const char *const *)run->folders.v;
	o->print = run->print;
}

/* Whether the run takes more work; if not, a message says so. */
static GsimStatus takes_more(GsimRun *run)
{
	if (run->run && run->run->status == RUN_OK && is_interrupted(&run->cancelled))
		run_fail(run->run, RUN_INTERRUPTED, (Loc){ 0 }, "interrupted");
	else if (run_state(run) != GSIM_OK)
		tell_state(run, ", and takes no more work");
	return run_state(run);
}

GsimStatus run_begin(GsimRun *run)
{
	const char *why = contradiction(run);
	if (run->stage == STAGE_RUNS)
		return takes_more(run);
	if (run->stage == STAGE_ENDED)
		return misuse(&run->messages, "the run has ended");
	if (why)
		return misuse(&run->messages, "options of the run do not go together: %s", why);
	run->stage = STAGE_RUNS;
	run->print = run->on_print ? open_print(run) : NULL;
	run->trace = run->trace_path ? trace_create(run->trace_path, &run->messages.diag) : NULL;
	fill_options(run);
	if (!run->trace_path || run->trace)
		run->run = run_new(&run->config, run->module, &run->options, &run->messages.diag);
	run->refused = !run->run;
	return run->refused ? GSIM_BAD_INPUT : takes_more(run);
}

/* ---- work ---- */

void run_settle(GsimRun *run)
{
	if (run->run && run->run->status == RUN_OK)
		run_sync(run->run);
}

/* A module that was not read from a file has no workload beside it. */
static GsimStatus run_host_of(GsimRun *run)
{
	if (!run_host_function(run->run))
		return misuse(&run->messages, "gsim_run_workload: nothing launches the kernels: the module "
			"has no host function main; option workload or workload-text expected");
	if (run_needs_lua(run->run))
		return misuse(&run->messages, "gsim_run_workload: the module's host function main calls "
			"functions of Lua; option workload or workload-text expected");
	run_main(run->run, NULL);
	run_races_judge(run->run);
	run->judged = true;
	return run_state(run);
}

static GsimStatus run_workload_of(GsimRun *run)
{
	GsimStatus status = run_begin(run);
	if (status != GSIM_OK)
		return status;
	if (run->in_memory && !run->workload && !run->workload_text)
		return run_host_of(run);
	if (run->workload_text && !*run->workload_text)
		return GSIM_OK; /* it does nothing */
	run_module(run->run);
	run->judged = true;
	return run_state(run);
}

GsimStatus gsim_run_workload(GsimRun *run)
{
	return run_enter(run, __func__) ? run_leave(run, run_workload_of(run)) : GSIM_MISUSE;
}

GsimStatus gsim_run_sync(GsimRun *run)
{
	if (!run_enter(run, __func__))
		return GSIM_MISUSE;
	run_settle(run);
	return run_leave(run, run_state(run));
}

GsimStatus gsim_run_flush(GsimRun *run)
{
	if (!run_enter(run, __func__))
		return GSIM_MISUSE;
	GsimStatus status = run_begin(run);
	run_settle(run);
	if (status == GSIM_OK)
		status = run_state(run);
	if (status == GSIM_OK && run->run->gpu)
		gpu_flush(run->run->gpu);
	return run_leave(run, status);
}

GsimStatus gsim_run_end(GsimRun *run)
{
	if (!run_enter(run, __func__))
		return GSIM_MISUSE;
	run_settle(run);
	if (run->run && run->stage == STAGE_RUNS && !run->judged)
		run_races_judge(run->run);
	run->stage = STAGE_ENDED;
	bool written = close_trace(run);
	GsimStatus status = run_state(run);
	return run_leave(run, status == GSIM_OK && !written ? GSIM_BAD_INPUT : status);
}

GsimStatus gsim_run_compare(GsimRun *before, GsimRun *after, GsimCompared *result)
{
	RunCompared c = { 0 };
	if (!run_enter(before, __func__))
		return GSIM_MISUSE;
	if (before == after)
		return run_leave(before, misuse(&before->messages, "%s: both runs are the same", __func__));
	if (!run_enter(after, __func__))
		return run_leave(before, GSIM_MISUSE);
	run_settle(before);
	run_settle(after);
	GsimStatus status = before->run && after->run ? GSIM_OK
		: misuse(&before->messages, "%s: a run has not begun", __func__);
	if (status == GSIM_OK && !run_same(before->run, after->run, "in the first run",
		"in the second run", &c, &before->messages.diag))
		status = GSIM_FAILED;
	if (result && status != GSIM_MISUSE)
		*result = (GsimCompared){ c.identical, c.alike, c.different, c.freed, c.ignored, c.bytes };
	run_leave(after, GSIM_OK);
	return run_leave(before, status);
}
