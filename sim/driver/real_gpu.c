#include "sim/driver/real_gpu.h"
#include "lib/interrupt.h"
#include "lib/strbuf.h"
#include "sim/driver/image.h"
#include <time.h>

/* LOG: bytes of the driver's messages on PTX that it cannot compile; NAP: nanoseconds between two looks at
   whether a launch has ended, at least; NAPS: these get longer, up to so many times as long */
enum { LOG = 16384, NAP = 20000, NAPS = 50 };

typedef enum { GPU_WELL, GPU_FAILED, GPU_RUNS_ON } GpuState;

struct RealGpu {
	CudaCalls cuda;
	RealGpuFacts facts;
	double seconds;                /* that a launch may take */
	int device;
	bool retained;                 /* it has a context */
	CudaThing *module;
	CudaThing *event[2];           /* before and behind a launch */
	GpuState state;
	Image image;
	bool opened;                   /* image: image_open was called */
};

/* Says which call of the driver failed. Returns false. */
static bool driver_failed(const RealGpu *g, const char *call, CudaResult error, Diag *d)
{
	char text[CUDA_ERROR_TEXT];
	diag_error(d, (Loc){ 0 }, "%s: %s", call, cuda_error(&g->cuda, error, text));
	return false;
}

/* ---- life ---- */

static bool read_facts(RealGpu *g, Diag *d)
{
	RealGpuFacts *f = &g->facts;
	const struct { int which, *value; } wanted[] = { { CUDA_MAJOR, &f->major }, { CUDA_MINOR, &f->minor },
		{ CUDA_SM_COUNT, &f->sms }, { CUDA_CLOCK_KHZ, &f->clock_mhz } };
	CudaResult e = g->cuda.driver_version(&f->driver);
	if (e)
		return driver_failed(g, "cuDriverGetVersion", e, d);
	if ((e = g->cuda.device_name(f->name, sizeof f->name, g->device)))
		return driver_failed(g, "cuDeviceGetName", e, d);
	f->name[sizeof f->name - 1] = 0;
	for (int i = 0; i < 4; i++)
		if ((e = g->cuda.device_attribute(wanted[i].value, wanted[i].which, g->device)))
			return driver_failed(g, "cuDeviceGetAttribute", e, d);
	f->clock_mhz /= 1000;
	return true;
}

static bool start_driver(RealGpu *g, Diag *d)
{
	int count = 0;
	CudaThing *context;
	CudaResult e = g->cuda.init(0);
	if (e)
		return driver_failed(g, "cuInit", e, d);
	if ((e = g->cuda.device_count(&count)))
		return driver_failed(g, "cuDeviceGetCount", e, d);
	if (!count) {
		diag_error(d, (Loc){ 0 }, "the CUDA driver shows no GPU");
		return false;
	}
	if ((e = g->cuda.device_get(&g->device, 0)))
		return driver_failed(g, "cuDeviceGet", e, d);
	if (!read_facts(g, d))
		return false;
	if ((e = g->cuda.context_retain(&context, g->device)))
		return driver_failed(g, "cuDevicePrimaryCtxRetain", e, d);
	g->retained = true;
	if ((e = g->cuda.context_set(context)))
		return driver_failed(g, "cuCtxSetCurrent", e, d);
	for (int i = 0; i < 2; i++)
		if ((e = g->cuda.event_create(&g->event[i], 0)))
			return driver_failed(g, "cuEventCreate", e, d);
	return true;
}

RealGpu *real_gpu_open(CudaFind find, void *self, double seconds, Diag *d)
{
	RealGpu *g = xcalloc(1, sizeof *g);
	g->seconds = seconds;
	const char *missing = cuda_find_calls(&g->cuda, find, self);
	if (missing)
		diag_error(d, (Loc){ 0 }, "the CUDA driver has no %s: it is too old, or not the driver",
			missing);
	if (!missing && start_driver(g, d))
		return g;
	real_gpu_close(g);
	return NULL;
}

/* A driver that has failed, or waits for a launch, is left as it is. */
void real_gpu_close(RealGpu *g)
{
	bool well = g->state == GPU_WELL;
	if (g->opened)
		image_close(&g->image, well);
	for (int i = 0; well && i < 2; i++)
		if (g->event[i])
			g->cuda.event_destroy(g->event[i]);
	if (well && g->module)
		g->cuda.module_unload(g->module);
	if (g->retained && g->state != GPU_RUNS_ON)
		g->cuda.context_release(g->device);
	free(g);
}

const RealGpuFacts *real_gpu_facts(const RealGpu *g) { return &g->facts; }
bool real_gpu_runs_on(const RealGpu *g) { return g->state == GPU_RUNS_ON; }

bool real_gpu_load(RealGpu *g, const char *text, const char *path, uint64_t memory_limit, Diag *d)
{
	char *log = xcalloc(1, LOG), why[CUDA_ERROR_TEXT];
	int option[] = { CUDA_JIT_ERRORS, CUDA_JIT_ERROR_BYTES };
	void *value[] = { log, (void *)(uintptr_t)(LOG - 1) };
	CudaResult e = g->cuda.module_load(&g->module, text, 2, option, value);
	if (e) {
		g->module = NULL;
		cuda_error(&g->cuda, e, why);
		diag_error(d, (Loc){ path, 0, 0 }, "the driver does not load it: cuModuleLoadDataEx: %s%s%s",
			why, *log ? "\n" : "", log);
	}
	free(log);
	g->image = (Image){ .cuda = &g->cuda, .module = g->module, .device = g->device,
		.limit = memory_limit };
	return !e;
}

/* ---- launches ---- */

static FaultKind fault_of_error(CudaResult e)
{
	switch (e) {
	case CUDA_ILLEGAL_ADDRESS: return FAULT_BOUNDS;
	case CUDA_MISALIGNED: return FAULT_MISALIGNED;
	case CUDA_ASSERT: return FAULT_ASSERT;
	case CUDA_ILLEGAL_INSTRUCTION: case CUDA_LAUNCH_FAILED: return FAULT_TRAP;
	default: return FAULT_UNSUPPORTED;
	}
}

/* Returns false. */
static bool launch_failed(RealGpu *g, const Launch *l, const char *call, CudaResult e, Fault *fault)
{
	char text[CUDA_ERROR_TEXT];
	fault_text(fault, fault_of_error(e), "kernel %s on the GPU: %s: %s", l->kernel->name, call,
		cuda_error(&g->cuda, e, text));
	g->state = GPU_FAILED;
	return false;
}

/* Copies the launch's parameters, with addresses as the GPU has them. Every word of 64 bits that may be an
   address is looked at, in structures too. */
static uint8_t *translate_params(const RealGpu *g, const Launch *l)
{
	const Function *k = l->kernel;
	uint8_t *params = xcalloc(1, (size_t)k->param_bytes + 1);
	memcpy(params, l->params, k->param_bytes);
	for (int i = 0; i < k->param.n; i++) {
		const Param *p = &k->param.v[i];
		if (!p->array && (type_bits[p->type] != 64 || type_kind[p->type] == 'F'))
			continue;
		for (uint32_t at = (p->offset + 7) / 8 * 8; at + 8 <= p->offset + p->size; at += 8) {
			uint64_t v;
			memcpy(&v, params + at, sizeof v);
			v = image_address(&g->image, v);
			memcpy(params + at, &v, sizeof v);
		}
	}
	return params;
}

/* A cooperative launch takes the parameters one by one. */
static CudaResult call_cooperative(RealGpu *g, const Launch *l, CudaThing *kernel, uint8_t *params)
{
	const Function *k = l->kernel;
	void **list = xcalloc((size_t)k->param.n + 1, sizeof *list);
	for (int i = 0; i < k->param.n; i++)
		list[i] = params + k->param.v[i].offset;
	CudaResult e = g->cuda.launch_cooperative(kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0],
		l->block[1], l->block[2], l->dynamic_shared, NULL, list);
	free(list);
	return e;
}

static CudaResult call_launch(RealGpu *g, const Launch *l, CudaThing *kernel)
{
	uint8_t *params = translate_params(g, l);
	size_t bytes = l->kernel->param_bytes;
	void *extra[] = { CUDA_PARAM_BUFFER, params, CUDA_PARAM_BYTES, &bytes, CUDA_PARAM_END };
	CudaResult e = l->cooperative ? call_cooperative(g, l, kernel, params)
		: g->cuda.launch(kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
			l->block[2], l->dynamic_shared, NULL, NULL, bytes ? extra : NULL);
	free(params);
	return e;
}

/* Starts the launch between the two events. */
static bool start_launch(RealGpu *g, const Launch *l, Fault *fault)
{
	CudaThing *kernel;
	CudaResult e = g->cuda.module_function(&kernel, g->module, l->kernel->name);
	if (e)
		return launch_failed(g, l, "cuModuleGetFunction", e, fault);
	if (l->dynamic_shared > CUDA_PLAIN_SHARED &&
		(e = g->cuda.function_set(kernel, CUDA_DYNAMIC_SHARED, (int)l->dynamic_shared)))
		return launch_failed(g, l, "cuFuncSetAttribute", e, fault);
	if ((e = g->cuda.event_record(g->event[0], NULL)))
		return launch_failed(g, l, "cuEventRecord", e, fault);
	if ((e = call_launch(g, l, kernel)))
		return launch_failed(g, l, l->cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel", e,
			fault);
	if ((e = g->cuda.event_record(g->event[1], NULL)))
		return launch_failed(g, l, "cuEventRecord", e, fault);
	return true;
}

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool await_launch(RealGpu *g, const Launch *l, const volatile sig_atomic_t *interrupted, Fault *fault)
{
	double end = seconds_now() + g->seconds;
	CudaResult e;
	for (int nap = 1; (e = g->cuda.event_query(g->event[1])) == CUDA_NOT_READY; nap += nap < NAPS) {
		struct timespec t = { .tv_nsec = nap * NAP };
		if (seconds_now() > end || is_interrupted(interrupted)) {
			g->state = GPU_RUNS_ON;
			fault_text(fault, FAULT_LIMIT, "kernel %s on the GPU: no end within %g seconds",
				l->kernel->name, g->seconds);
			if (is_interrupted(interrupted))
				fault->kind = FAULT_NONE;
			return false;
		}
		nanosleep(&t, NULL);
	}
	if (e)
		return launch_failed(g, l, "cuEventQuery", e, fault);
	/* what the kernel printed appears now */
	if ((e = g->cuda.synchronize()))
		return launch_failed(g, l, "cuCtxSynchronize", e, fault);
	return true;
}

/* Refuses a kernel that uses a texture or another variable that the host would have to fill in ways that gsim
   does not have. What the simulated machine refuses besides, the real GPU may well have. */
static bool refuses_variables(const Launch *l, Fault *fault)
{
	const Module *m = l->module;
	StrBuf why = { 0 };
	Loc where = { 0 };
	bool refused = false;
	for (int i = 0; i < m->symbol.n && !refused; i++)
		refused = m->symbol.v[i]->refused && kernel_refused(m, l->kernel, &where, &why);
	if (refused)
		fault_text(fault, FAULT_UNSUPPORTED, "kernel %s on the GPU: %s", l->kernel->name, why.s);
	fault->loc = where;
	sb_free(&why);
	return refused;
}

bool real_gpu_launch(RealGpu *g, const Launch *l, double *seconds, const volatile sig_atomic_t *interrupted,
	Fault *fault)
{
	CudaResult e = 0;
	float milliseconds = 0;
	if (g->state != GPU_WELL || (l->cooperative && !g->cuda.launch_cooperative)) {
		fault_text(fault, FAULT_UNSUPPORTED, g->state != GPU_WELL
			? "kernel %s on the GPU: an earlier launch failed, and the driver takes no more"
			: "kernel %s on the GPU: this driver has no cooperative launches", l->kernel->name);
		return false;
	}
	if (refuses_variables(l, fault))
		return false;
	if (!g->opened)
		image_open(&g->image, l);
	g->opened = true;
	const char *failed = image_copy_in(&g->image, &e);
	g->facts.moved = g->image.moved;
	if (failed)
		return launch_failed(g, l, failed, e, fault);
	if (!start_launch(g, l, fault) || !await_launch(g, l, interrupted, fault))
		return false;
	if ((e = g->cuda.event_elapsed(&milliseconds, g->event[0], g->event[1])))
		return launch_failed(g, l, "cuEventElapsedTime", e, fault);
	*seconds = (double)milliseconds * 1e-3;
	return true;
}

bool real_gpu_fetch(RealGpu *g, const Alloc *a, bool writes, Fault *fault)
{
	CudaResult e = 0;
	char text[CUDA_ERROR_TEXT];
	if (!g->opened || g->state != GPU_WELL)
		return true;
	const char *failed = a ? image_copy_out(&g->image, a, writes, &e) : image_copy_all_out(&g->image, &e);
	if (!failed)
		return true;
	fault_text(fault, fault_of_error(e), "from the GPU: %s: %s", failed, cuda_error(&g->cuda, e, text));
	g->state = GPU_FAILED;
	return false;
}
