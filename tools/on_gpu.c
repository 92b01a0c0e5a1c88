#include "tools/on_gpu.h"
#include "config.h"
#include "isa/lane.h"
#include "lib/interrupt.h"
#include "lib/output.h"
#include "sim/driver/real_gpu.h"
#ifdef HAVE_PLUGINS
#include <dlfcn.h>
#endif
#include <unistd.h>

/* LAUNCH_SECONDS: how long a launch may take, unless the user says otherwise; MOST_PTX: bytes of a module */
enum { LAUNCH_SECONDS = 2, MOST_PTX = 1 << 28 };
#define CUDA_LIBRARY "libcuda.so.1"

/* ---- the driver ---- */

#ifdef HAVE_PLUGINS
static void *find_call(void *library, const char *name) { return dlsym(library, name); }

/* The library stays loaded until the program ends: the driver has threads of its own. */
static void *open_library(Diag *d)
{
	void *library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();
		diag_error(d, (Loc){ 0 }, "--on: no CUDA driver here: %s", why ? why : CUDA_LIBRARY);
	}
	return library;
}
#else
static void *find_call(void *library, const char *name) { return (void)library, (void)name, NULL; }

static void *open_library(Diag *d)
{
	diag_error(d, (Loc){ 0 }, "--on: no CUDA driver here: this gsim cannot load libraries");
	return NULL;
}
#endif

bool on_gpu_open(Session *s)
{
	const Options *o = &s->opt;
	const char *why;
	size_t n;
	if (ptx_warp((int)s->config.warp_size) != PTX_WARP) {
		diag_error(&s->diag, (Loc){ 0 }, "--on: the GPU has warps of %d lanes, this machine of %d "
			"(warp_size)", PTX_WARP, (int)s->config.warp_size);
		return false;
	}
	void *library = open_library(&s->diag);
	if (!library)
		return false;
	s->real_gpu = real_gpu_open(find_call, library,
		o->launch_seconds ? o->launch_seconds : LAUNCH_SECONDS, &s->diag);
	if (!s->real_gpu)
		return false;
	char *text = file_read_ordinary(o->module, MOST_PTX, &n, &why);
	if (!text)
		diag_error(&s->diag, (Loc){ o->module, 0, 0 }, "cannot read it for the GPU: %s", why);
	bool ok = text && real_gpu_load(s->real_gpu, text, o->module, (uint64_t)s->config.memory_limit,
		&s->diag);
	free(text);
	return ok;
}

void on_gpu_close(Session *s, int status)
{
	if (!s->real_gpu)
		return;
	bool runs_on = real_gpu_runs_on(s->real_gpu);
	real_gpu_close(s->real_gpu);
	s->real_gpu = NULL;
	if (!runs_on)
		return;
	status = output_end(status);
	fflush(stderr);
	if (is_interrupted(s->interrupted)) {  /* a shell sees that */
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
	}
	_exit(status);
}

/* ---- runs ---- */

void on_gpu_run(Session *s, Job *j)
{
	*j = (Job){ .config = s->config, .passes = "", .real_gpu = s->real_gpu };
	if (s->opt.on == ON_GPU_ALONE) /* what is printed appears at once, whatever becomes of the GPU */
		setvbuf(stdout, NULL, _IOLBF, 0);
	job_run(s, j);
	if (real_gpu_facts(s->real_gpu)->moved)
		output_puts(stderr, "warning: this driver does not let gsim choose addresses: those among "
			"arguments are translated, those that lie in buffers are not\n");
}

int on_gpu_compare(Job *simulated, const Job *gpu)
{
	if (simulated->status != RUN_OK || gpu->status != RUN_OK)
		return worse(simulated->status, gpu->status);
	return job_compare(simulated, gpu, "on the machine", "on the GPU", &simulated->on_gpu);
}

/* ---- what is shown ---- */

/* Microseconds that the simulated kernel took, by the clock of its machine; 0: they were not counted. */
static double simulated_microseconds(const Job *simulated, const char *kernel)
{
	for (int i = 0; simulated && simulated->run && i < run_kernels(simulated->run); i++) {
		const LaunchStats *k = run_kernel(simulated->run, i);
		if (!strcmp(k->kernel, kernel) && k->timed)
			return (double)k->totals.cycles / (double)simulated->config.clock_mhz;
	}
	return 0;
}

static void put_kernels(const Job *gpu, const Job *simulated, StrBuf *out)
{
	sb_printf(out, "  %-32s %9s %13s%s\n", "kernel", "launches", "us on the GPU",
		simulated ? " us on the machine" : "");
	for (int i = 0; i < run_kernels(gpu->run); i++) {
		const LaunchStats *k = run_kernel(gpu->run, i);
		double machine = simulated_microseconds(simulated, k->kernel);
		sb_printf(out, "  %-32s %9llu %13.2f", k->kernel, (unsigned long long)k->totals.launches,
			k->totals.seconds * 1e6);
		if (machine > 0)
			sb_printf(out, " %17.2f", machine);
		sb_putc(out, '\n');
	}
}

void on_gpu_show(const Session *s, const Job *gpu, const Job *simulated)
{
	const RealGpuFacts *f = real_gpu_facts(s->real_gpu);
	StrBuf out = { 0 }, clean = { 0 };
	if (s->opt.quiet || !gpu->run)
		return;
	sb_printf(&out, "\non the GPU: %s, compute capability %d.%d, %d SMs, %d MHz, driver %d.%d\n", f->name,
		f->major, f->minor, f->sms, f->clock_mhz, f->driver / 1000, f->driver % 1000 / 10);
	put_kernels(gpu, simulated, &out);
	if (simulated && simulated->status == RUN_OK && gpu->status == RUN_OK)
		report_results(&simulated->on_gpu, " to the GPU's", (ReportForm){ 0 }, &out);
	output_clean(&clean, out.s, out.n);
	output_puts(job_stats_to_output(s) ? stderr : stdout, clean.s);
	sb_free(&out);
	sb_free(&clean);
}
