/* A real GPU that runs the launches of a module in PTX, through the CUDA driver.
 *
 *   RealGpu *g = real_gpu_open(find, self, seconds, &diag);
 *   real_gpu_load(g, text, path, memory_limit, &diag);
 *   real_gpu_launch(g, &launch, &seconds, interrupted, &fault);     as often as there are launches
 *   real_gpu_fetch(g, NULL, false, &fault);
 *   real_gpu_close(g);
 *
 * The memory of the launches (isa/memory.h), which are of one run, stays the place of all data: what the GPU
 * does not have of it is copied there before a launch, and what it has changed is copied back when somebody
 * asks for it. Buffers lie on the GPU at the addresses that they have in that memory, if the driver allows
 * that, so that pointers in buffers hold. */
#ifndef GSIM_REAL_GPU_H
#define GSIM_REAL_GPU_H
#include "isa/launch.h"
#include "lib/diag.h"
#include "sim/driver/cuda.h"

typedef struct RealGpu RealGpu;

typedef struct RealGpuFacts {
	char name[128];
	int major, minor;              /* its compute capability */
	int driver;                    /* the driver's version: 12040 is 12.4 */
	int sms, clock_mhz;
	/* Buffers lie elsewhere than in the launch's memory: addresses among the arguments are translated,
	   addresses in buffers are not. Known after the first launch. */
	bool moved;
} RealGpuFacts;

/* Opens the first GPU that the driver shows. seconds: how long a launch may take. NULL with errors in diag:
   there is no GPU, or the driver is too old or fails. */
RealGpu *real_gpu_open(CudaFind, void *self, double seconds, Diag *);
void real_gpu_close(RealGpu *);
const RealGpuFacts *real_gpu_facts(const RealGpu *);
/* Has the driver compile the PTX. path: for messages. memory_limit: bytes of buffers, at most. */
bool real_gpu_load(RealGpu *, const char *text, const char *path, uint64_t memory_limit, Diag *);
/* Runs a launch to its end. seconds: gets the time that it took on the GPU. False: the fault says why; of
   kind FAULT_NONE: somebody asked for an end. After most faults the GPU takes no more launches. */
bool real_gpu_launch(RealGpu *, const Launch *, double *seconds, const volatile sig_atomic_t *interrupted,
	Fault *);
/* Copies back what launches have changed of the allocation; NULL: of all. Must be called before its bytes are
   looked at or, with `writes`, changed. */
bool real_gpu_fetch(RealGpu *, const Alloc *, bool writes, Fault *);
/* A launch has not ended, and cannot be stopped. The program must end without a call of exit, at which the
   driver would wait for the launch; the system ends the launch when the process is gone. */
bool real_gpu_runs_on(const RealGpu *);
#endif
