/* A stand-in for the library of NVIDIA's CUDA driver, for computers without a GPU. It keeps the memory of its
 * GPU in the program's own, and a launch runs in gsim's reference interpreter, so that results are real. It
 * is linked into a test (stand_in_find), or made a libcuda.so.1 that a gsim of this tree loads, whose
 * functions it calls.
 *
 * The environment can tell it to do things wrong (stand_in_told.h). A launch that runs for too many steps
 * does not end either. What the caller has not given back when it releases the context is told on standard
 * error. */
#include "isa/print.h"
#include "isa/launch.h"
#include "lib/diag.h"
#include "sim/driver/cuda.h"
#include "tests/sim/driver/stand_in_told.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UNKNOWN = 999, INVALID_VALUE = 1, NOT_FOUND = 500, INVALID_PTX = 218 };
enum { GRANULE = 2 << 20, MOST_STEPS = 2000000, MOST_PIECES = 64 };
#define ZONE ((uint64_t)16 << 30)      /* bytes of addresses from GLOBAL_BASE on that can be reserved */

/* kernel: of the last launch before the event was recorded; at: when the event comes, in seconds */
struct CudaThing { Module *module; uint64_t *symbol_address; const Function *kernel; double at; };

#define C(MEMBER, NAME, WHEN, ARGUMENTS) CudaResult NAME ARGUMENTS;
CUDA_CALLS(C)
#undef C

static Memory *memory;
static CudaThing context;
static CudaResult sticky;              /* the error of a launch that failed: every later call returns it */
static double busy_until;              /* 1e30: for ever */
static int left;                       /* things that the caller has not given back */
static PrintBuffer printed;
static struct { uint64_t at, size; bool accessible; } piece[MOST_PIECES];
static int npieces;
static CudaThing *alive[64];           /* modules and events that have not been given back */

/* Begins each call. */
#define ENTER() do { if (count_call(__func__)) return UNKNOWN; if (sticky) return sticky; } while (0)

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Takes the thing's place among those that are alive; NULL: any free place for a new one. */
static CudaThing **find_alive(const CudaThing *thing)
{
	size_t i = 0;
	while (alive[i] != thing && i < sizeof alive / sizeof *alive - 1)
		i++;
	return &alive[i];
}

static CudaThing *new_thing(void)
{
	CudaThing *thing = calloc(1, sizeof *thing);
	*find_alive(NULL) = thing;
	left++;
	return thing;
}

static void free_thing(CudaThing *thing)
{
	*find_alive(thing) = NULL;
	if (thing->module)
		module_free(thing->module);
	free(thing->symbol_address);
	free(thing);
	left--;
}

/* What a caller leaves behind that gives up: the driver ends it with the context. */
static void free_all(void)
{
	for (size_t i = 0; i < sizeof alive / sizeof *alive; i++)
		if (alive[i])
			free_thing(alive[i]);
	sb_free(&printed.text);
	memory_free(memory);
	memory = NULL;
}

/* ---- the GPU ---- */

CudaResult cuGetErrorName(CudaResult e, const char **name)
{
	*name = e == UNKNOWN ? "CUDA_ERROR_UNKNOWN" : e == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE"
		: e == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : e == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX"
		: e == CUDA_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
		: e == CUDA_MISALIGNED ? "CUDA_ERROR_MISALIGNED_ADDRESS"
		: e == CUDA_ASSERT ? "CUDA_ERROR_ASSERT"
		: e == CUDA_LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : NULL;
	return *name ? 0 : INVALID_VALUE;
}

CudaResult cuGetErrorString(CudaResult e, const char **text)
{
	*text = e == UNKNOWN ? "unknown error" : "what the driver says of it";
	return 0;
}

CudaResult cuInit(unsigned flags)
{
	(void)flags;
	sticky = 0;
	busy_until = 0;
	free_all();
	npieces = left = 0;
	memory = memory_new((uint64_t)1 << 40);
	memory_alloc(memory, ZONE, "", false);
	ENTER();
	return 0;
}

CudaResult cuDriverGetVersion(int *version)
{
	ENTER();
	*version = 12040;
	return 0;
}

CudaResult cuDeviceGetCount(int *n)
{
	ENTER();
	*n = !told_word("none");
	return 0;
}

CudaResult cuDeviceGet(int *device, int number)
{
	ENTER();
	*device = 7;
	return number ? INVALID_VALUE : 0;
}

CudaResult cuDeviceGetName(char *name, int n, int device)
{
	ENTER();
	snprintf(name, (size_t)n, "Stand-in, 1 GPU");
	return device == 7 ? 0 : INVALID_VALUE;
}

CudaResult cuDeviceGetAttribute(int *value, int which, int device)
{
	ENTER();
	const char *told = told_word("capability");
	int capability = told ? atoi(told) : 90;
	*value = which == CUDA_MAJOR ? capability / 10 : which == CUDA_MINOR ? capability % 10
		: which == CUDA_SM_COUNT ? 132 : 1980000;
	return device == 7 ? 0 : INVALID_VALUE;
}

CudaResult cuDevicePrimaryCtxRetain(CudaThing **c, int device)
{
	ENTER();
	*c = &context;
	return device == 7 ? 0 : INVALID_VALUE;
}

CudaResult cuDevicePrimaryCtxRelease_v2(int device)
{
	if (count_call(__func__))
		return UNKNOWN;
	if (left && !sticky && !told_word("fail"))
		fprintf(stderr, "stand-in: %d things were not given back\n", left);
	free_all();
	return device == 7 ? 0 : INVALID_VALUE;
}

CudaResult cuCtxSetCurrent(CudaThing *c)
{
	ENTER();
	return c == &context ? 0 : INVALID_VALUE;
}

CudaResult cuCtxSynchronize(void)
{
	ENTER();
	if (printed.text.n)
		fwrite(printed.text.s, 1, printed.text.n, stdout);
	sb_free(&printed.text);
	return seconds_now() < busy_until ? UNKNOWN : 0;
}

/* ---- modules ---- */

static void log_errors(const Diag *d, char *log, size_t n)
{
	snprintf(log, n, "ptxas application ptx input, line %d; error : %s", d->item.v[0].loc.line,
		d->item.v[0].text);
}

CudaResult cuModuleLoadDataEx(CudaThing **out, const void *text, unsigned n, int *option, void **value)
{
	Diag d = { 0 };
	ENTER();
	Module *m = module_read_text(text, strlen(text), "stand-in", NULL, &d);
	if (!m && n == 2 && option[0] == CUDA_JIT_ERRORS && option[1] == CUDA_JIT_ERROR_BYTES && d.item.n)
		log_errors(&d, value[0], (size_t)(uintptr_t)value[1]);
	diag_free(&d);
	if (!m)
		return INVALID_PTX;
	*out = new_thing();
	(*out)->module = m;
	(*out)->symbol_address = calloc((size_t)m->symbol.n + 1, sizeof(uint64_t));
	return memory_load_module(memory, m, (*out)->symbol_address) ? 0 : CUDA_OUT_OF_MEMORY;
}

CudaResult cuModuleUnload(CudaThing *m)
{
	ENTER();
	free_thing(m);
	return 0;
}

CudaResult cuModuleGetFunction(CudaThing **out, CudaThing *m, const char *name)
{
	static CudaThing found[256];
	static unsigned next;
	ENTER();
	const Function *f = module_find_function(m->module, name);
	if (!f || f->kind != FN_KERNEL)
		return NOT_FOUND;
	*out = &found[next++ % 256];
	**out = (CudaThing){ m->module, m->symbol_address, f, 0 };
	return 0;
}

CudaResult cuModuleGetGlobal_v2(CudaAddress *at, size_t *n, CudaThing *m, const char *name)
{
	ENTER();
	for (int i = 0; i < m->module->symbol.n; i++)
		if (m->symbol_address[i] && !strcmp(m->module->symbol.v[i]->name, name)) {
			*at = m->symbol_address[i];
			*n = m->module->symbol.v[i]->size;
			return 0;
		}
	return NOT_FOUND;
}

CudaResult cuFuncSetAttribute(CudaThing *f, int which, int value)
{
	ENTER();
	return f->kernel && which == CUDA_DYNAMIC_SHARED && value <= 232448 ? 0 : INVALID_VALUE;
}

/* ---- memory ---- */

/* The bytes behind the address; NULL: not all of them are accessible. */
static uint8_t *data_at(CudaAddress at, size_t n)
{
	const Alloc *a = memory_find(memory, at, n, NULL);
	bool placed = false;
	uint64_t need = at;
	for (int i = 0; i < npieces; i++) {
		placed |= a && piece[i].at >= a->addr && piece[i].at < a->addr + a->size;
		if (piece[i].accessible && need >= piece[i].at && need < piece[i].at + piece[i].size)
			need = piece[i].at + piece[i].size;
	}
	bool zone = a && a->size >= GRANULE && (a->addr == GLOBAL_BASE || placed);
	return !a || (zone && need < at + n) ? NULL : a->data + (at - a->addr);
}

CudaResult cuMemcpyHtoD_v2(CudaAddress to, const void *from, size_t n)
{
	ENTER();
	uint8_t *p = data_at(to, n);
	if (p)
		memcpy(p, from, n);
	return p ? 0 : INVALID_VALUE;
}

CudaResult cuMemcpyDtoH_v2(void *to, CudaAddress from, size_t n)
{
	ENTER();
	uint8_t *p = data_at(from, n);
	if (p)
		memcpy(to, p, n);
	return p ? 0 : INVALID_VALUE;
}

CudaResult cuMemAlloc_v2(CudaAddress *at, size_t n)
{
	ENTER();
	*at = memory_alloc(memory, n, "", false);
	left++;
	if (*at)
		memset(data_at(*at, n), 0xa5, n);
	return *at ? 0 : CUDA_OUT_OF_MEMORY;
}

CudaResult cuMemFree_v2(CudaAddress at)
{
	ENTER();
	left--;
	return memory_release(memory, at) ? 0 : INVALID_VALUE;
}

#ifndef OLD_DRIVER
CudaResult cuMemGetAllocationGranularity(size_t *n, const CudaMemory *wanted, int option)
{
	ENTER();
	*n = GRANULE;
	return wanted->type == CUDA_PINNED && wanted->place.type == CUDA_ON_DEVICE &&
		wanted->place.device == 7 &&
		!option ? 0 : INVALID_VALUE;
}

CudaResult cuMemAddressReserve(CudaAddress *at, size_t n, size_t align, CudaAddress wanted,
	unsigned long long flags)
{
	ENTER();
	if (n % GRANULE || align % GRANULE || flags || n > ZONE)
		return INVALID_VALUE;
	*at = wanted == GLOBAL_BASE && !told_word("elsewhere") ? wanted : GLOBAL_BASE + ZONE / 2;
	left++;
	return 0;
}

CudaResult cuMemAddressFree(CudaAddress at, size_t n)
{
	ENTER();
	left--;
	return at && n % GRANULE == 0 ? 0 : INVALID_VALUE;
}

CudaResult cuMemCreate(CudaHandle *handle, size_t n, const CudaMemory *wanted, unsigned long long flags)
{
	ENTER();
	*handle = n;
	left++;
	return n && n % GRANULE == 0 && !flags && wanted->place.device == 7 ? 0 : INVALID_VALUE;
}

CudaResult cuMemRelease(CudaHandle handle)
{
	ENTER();
	left--;
	return handle ? 0 : INVALID_VALUE;
}

CudaResult cuMemMap(CudaAddress at, size_t n, size_t offset, CudaHandle handle, unsigned long long flags)
{
	ENTER();
	if (at % GRANULE || n != handle || offset || flags || npieces == MOST_PIECES ||
		!memory_find(memory, at, n, NULL))
		return INVALID_VALUE;
	memset(memory_find(memory, at, n, NULL)->data + (at - GLOBAL_BASE), 0xa5, n);
	piece[npieces].at = at;
	piece[npieces++].size = n;
	left++;
	return 0;
}

CudaResult cuMemUnmap(CudaAddress at, size_t n)
{
	ENTER();
	for (int i = 0; i < npieces; i++)
		if (piece[i].at == at && piece[i].size == n) {
			piece[i] = piece[--npieces];
			left--;
			return 0;
		}
	return INVALID_VALUE;
}

CudaResult cuMemSetAccess(CudaAddress at, size_t n, const CudaAccess *access, size_t count)
{
	ENTER();
	if (count != 1 || access->flags != CUDA_READ_WRITE || access->place.device != 7)
		return INVALID_VALUE;
	for (int i = 0; i < npieces; i++)
		if (piece[i].at == at && piece[i].size == n)
			return piece[i].accessible = true, 0;
	return INVALID_VALUE;
}
#endif

/* ---- launches ---- */

/* Changes a bit of what each address among the parameters leads to. */
static void do_wrong(const Function *kernel, const uint8_t *params)
{
	for (uint32_t i = 0; i + 8 <= kernel->param_bytes; i += 8) {
		uint64_t at;
		memcpy(&at, params + i, sizeof at);
		uint8_t *p = data_at(at, 1);
		if (p)
			*p ^= 1;
	}
}

/* The time at which the launch ends; 1e30: never. */
static double run_launch(CudaThing *f, const unsigned d[7], const uint8_t *params, bool cooperative)
{
	Fault fault = { 0 };
	Launch l = { .module = f->module, .kernel = f->kernel, .grid = { d[0], d[1], d[2] },
		.block = { d[3], d[4], d[5] }, .dynamic_shared = d[6], .cooperative = cooperative,
		.params = params,
		.memory = memory, .symbol_address = f->symbol_address, .print = &printed };
	InterpOptions options = { .max_steps = MOST_STEPS };
	const char *name = f->kernel->name;
	printed.limit = 1 << 20;
	if (told_of("die", name))
		raise(SIGKILL);
	if (!interp_launch(&l, &options, &fault)) {
		if (fault.kind == FAULT_LIVELOCK || fault.kind == FAULT_LIMIT || fault.kind == FAULT_BARRIER)
			return 1e30;
		sticky = fault.kind == FAULT_BOUNDS ? CUDA_ILLEGAL_ADDRESS
			: fault.kind == FAULT_MISALIGNED ? CUDA_MISALIGNED
			: fault.kind == FAULT_ASSERT ? CUDA_ASSERT : CUDA_LAUNCH_FAILED;
	}
	if (told_of("wrong", name))
		do_wrong(f->kernel, params);
	return told_of("hang", name) ? 1e30 : seconds_now() + (told_of("slow", name) ? 0.1 : 0);
}

CudaResult cuLaunchKernel(CudaThing *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, CudaThing *stream, void **params, void **extra)
{
	const unsigned d[7] = { gx, gy, gz, bx, by, bz, shared };
	ENTER();
	if (stream || params || !extra != !f->kernel->param_bytes)
		return INVALID_VALUE;
	if (extra && (extra[0] != CUDA_PARAM_BUFFER || extra[2] != CUDA_PARAM_BYTES ||
		extra[4] != CUDA_PARAM_END || *(size_t *)extra[3] != f->kernel->param_bytes))
		return INVALID_VALUE;
	busy_until = run_launch(f, d, extra ? extra[1] : (const uint8_t *)"", false);
	return 0;
}

#ifndef OLD_DRIVER
CudaResult cuLaunchCooperativeKernel(CudaThing *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
	unsigned by, unsigned bz, unsigned shared, CudaThing *stream, void **params)
{
	const unsigned d[7] = { gx, gy, gz, bx, by, bz, shared };
	ENTER();
	if (stream)
		return INVALID_VALUE;
	uint8_t *bytes = calloc(1, (size_t)f->kernel->param_bytes + 1);
	for (int i = 0; i < f->kernel->param.n; i++)
		memcpy(bytes + f->kernel->param.v[i].offset, params[i], f->kernel->param.v[i].size);
	busy_until = run_launch(f, d, bytes, true);
	free(bytes);
	return 0;
}
#endif

CudaResult cuEventCreate(CudaThing **event, unsigned flags)
{
	ENTER();
	*event = new_thing();
	return flags ? INVALID_VALUE : 0;
}

CudaResult cuEventRecord(CudaThing *event, CudaThing *stream)
{
	if (count_call(__func__))      /* an error of the launch is not known yet */
		return UNKNOWN;
	event->at = busy_until > seconds_now() ? busy_until : seconds_now();
	return stream ? INVALID_VALUE : 0;
}

CudaResult cuEventQuery(CudaThing *event)
{
	ENTER();
	return seconds_now() < event->at ? CUDA_NOT_READY : 0;
}

CudaResult cuEventElapsedTime(float *milliseconds, CudaThing *from, CudaThing *to)
{
	ENTER();
	*milliseconds = (float)((to->at - from->at) * 1e3);
	return 0;
}

CudaResult cuEventDestroy_v2(CudaThing *event)
{
	ENTER();
	free_thing(event);
	return 0;
}

/* ---- for tests that are linked with it ---- */

#ifndef OLD_DRIVER
void *stand_in_find(void *self, const char *name);
void *stand_in_find(void *self, const char *name)
{
#define C(MEMBER, NAME, WHEN, ARGUMENTS) { #NAME, NAME },
	static const struct { const char *name; CudaResult (*call)(); } calls[] = { CUDA_CALLS(C) };
#undef C
	void *entry = NULL;
	(void)self;
	for (size_t i = 0; i < sizeof calls / sizeof *calls && !told_of("without", name); i++)
		if (!strcmp(calls[i].name, name))
			memcpy(&entry, &calls[i].call, sizeof entry);
	return entry;
}
#endif
