/* The calls of NVIDIA's CUDA driver that gsim makes. They are declared here, by the driver's published
   interface, so that building gsim needs neither its headers nor its library; whoever runs the program finds
   the calls.

   sim/driver/ runs launches on a real GPU. It sees isa/ and lib/, and knows nothing of the simulated
   machine. */
#ifndef GSIM_CUDA_H
#define GSIM_CUDA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CudaResult;                /* 0: well; else an error */
typedef uint64_t CudaAddress;          /* in the GPU's memory */
typedef uint64_t CudaHandle;           /* of physical memory */
/* a context, module, kernel or event: what it is, the driver knows alone */
typedef struct CudaThing CudaThing;

/* values of CudaResult */
enum { CUDA_OUT_OF_MEMORY = 2, CUDA_NO_DEVICE = 100, CUDA_NOT_FOUND = 500, CUDA_NOT_READY = 600,
	CUDA_ILLEGAL_ADDRESS = 700, CUDA_ASSERT = 710, CUDA_ILLEGAL_INSTRUCTION = 715, CUDA_MISALIGNED = 716,
	CUDA_LAUNCH_FAILED = 719 };
/* what cuDeviceGetAttribute is asked for */
enum { CUDA_CLOCK_KHZ = 13, CUDA_SM_COUNT = 16, CUDA_MAJOR = 75, CUDA_MINOR = 76 };
/* options of cuModuleLoadDataEx: where the compiler of PTX writes its errors, and how many bytes fit */
enum { CUDA_JIT_ERRORS = 5, CUDA_JIT_ERROR_BYTES = 6 };
/* cuFuncSetAttribute: dynamic shared memory of more than 48 KiB must be asked for */
enum { CUDA_DYNAMIC_SHARED = 8, CUDA_PLAIN_SHARED = 48 << 10 };
/* the last argument of cuLaunchKernel: a list of these, each with its value */
#define CUDA_PARAM_END ((void *)0)
#define CUDA_PARAM_BUFFER ((void *)1)
#define CUDA_PARAM_BYTES ((void *)2)
/* CudaMemory and CudaAccess */
enum { CUDA_PINNED = 1, CUDA_ON_DEVICE = 1, CUDA_READ_WRITE = 3 };

typedef struct CudaPlace { int type, device; } CudaPlace;
/* physical memory that is asked for */
typedef struct CudaMemory {
	int type, shared_by;
	CudaPlace place;
	void *security;
	struct { unsigned char compressed, direct; unsigned short usage; unsigned char reserved[4]; } flags;
} CudaMemory;
typedef struct CudaAccess { CudaPlace place; int flags; } CudaAccess;

/* A row for each call: member of CudaCalls, name in the library, its place in the enum below, arguments.
   Those of memory at addresses of the caller's choice came with CUDA 10.2, cooperative launches with 9.0. */
#define CUDA_CALLS(C) \
	C(init, cuInit, NEEDED, (unsigned flags)) \
	C(error_name, cuGetErrorName, NEEDED, (CudaResult, const char **)) \
	C(error_text, cuGetErrorString, NEEDED, (CudaResult, const char **)) \
	C(driver_version, cuDriverGetVersion, NEEDED, (int *)) \
	C(device_count, cuDeviceGetCount, NEEDED, (int *)) \
	C(device_get, cuDeviceGet, NEEDED, (int *device, int number)) \
	C(device_name, cuDeviceGetName, NEEDED, (char *, int bytes, int device)) \
	C(device_attribute, cuDeviceGetAttribute, NEEDED, (int *, int which, int device)) \
	C(context_retain, cuDevicePrimaryCtxRetain, NEEDED, (CudaThing **, int device)) \
	C(context_release, cuDevicePrimaryCtxRelease_v2, NEEDED, (int device)) \
	C(context_set, cuCtxSetCurrent, NEEDED, (CudaThing *)) \
	C(synchronize, cuCtxSynchronize, NEEDED, (void)) \
	C(module_load, cuModuleLoadDataEx, NEEDED, (CudaThing **, const void *text, unsigned options, \
		int *option, void **value)) \
	C(module_unload, cuModuleUnload, NEEDED, (CudaThing *)) \
	C(module_function, cuModuleGetFunction, NEEDED, (CudaThing **, CudaThing *module, const char *)) \
	C(module_global, cuModuleGetGlobal_v2, NEEDED, (CudaAddress *, size_t *, CudaThing *module, \
		const char *)) \
	C(function_set, cuFuncSetAttribute, NEEDED, (CudaThing *, int which, int value)) \
	C(launch, cuLaunchKernel, NEEDED, (CudaThing *, unsigned gx, unsigned gy, unsigned gz, unsigned bx, \
		unsigned by, unsigned bz, unsigned shared, CudaThing *stream, void **params, void **extra)) \
	C(event_create, cuEventCreate, NEEDED, (CudaThing **, unsigned flags)) \
	C(event_record, cuEventRecord, NEEDED, (CudaThing *, CudaThing *stream)) \
	C(event_query, cuEventQuery, NEEDED, (CudaThing *)) \
	C(event_elapsed, cuEventElapsedTime, NEEDED, (float *milliseconds, CudaThing *, CudaThing *)) \
	C(event_destroy, cuEventDestroy_v2, NEEDED, (CudaThing *)) \
	C(memory_alloc, cuMemAlloc_v2, NEEDED, (CudaAddress *, size_t)) \
	C(memory_free, cuMemFree_v2, NEEDED, (CudaAddress)) \
	C(copy_in, cuMemcpyHtoD_v2, NEEDED, (CudaAddress, const void *, size_t)) \
	C(copy_out, cuMemcpyDtoH_v2, NEEDED, (void *, CudaAddress, size_t)) \
	C(reserve, cuMemAddressReserve, NEWER, (CudaAddress *, size_t, size_t align, CudaAddress wanted, \
		unsigned long long flags)) \
	C(unreserve, cuMemAddressFree, NEWER, (CudaAddress, size_t)) \
	C(granularity, cuMemGetAllocationGranularity, NEWER, (size_t *, const CudaMemory *, int option)) \
	C(create, cuMemCreate, NEWER, (CudaHandle *, size_t, const CudaMemory *, unsigned long long flags)) \
	C(release, cuMemRelease, NEWER, (CudaHandle)) \
	C(map, cuMemMap, NEWER, (CudaAddress, size_t, size_t offset, CudaHandle, unsigned long long flags)) \
	C(unmap, cuMemUnmap, NEWER, (CudaAddress, size_t)) \
	C(set_access, cuMemSetAccess, NEWER, (CudaAddress, size_t, const CudaAccess *, size_t count)) \
	C(launch_cooperative, cuLaunchCooperativeKernel, NEWER, (CudaThing *, unsigned gx, unsigned gy, \
		unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CudaThing *stream, \
		void **params))

/* CUDA_NEEDED: without it nothing works; CUDA_NEWER: old drivers lack it, and it is NULL then */
enum { CUDA_NEEDED, CUDA_NEWER };
typedef struct CudaCalls {
#define C(MEMBER, NAME, WHEN, ARGUMENTS) CudaResult (*MEMBER)ARGUMENTS;
	CUDA_CALLS(C)
#undef C
} CudaCalls;

/* How calls are found: the address of the name, or NULL. */
typedef void *(*CudaFind)(void *self, const char *name);
/* Fills the table. Returns NULL, or the name of a call that is needed and is not there. */
const char *cuda_find_calls(CudaCalls *, CudaFind, void *self);
/* "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)", as the driver names and explains the error. */
enum { CUDA_ERROR_TEXT = 256 };
const char *cuda_error(const CudaCalls *, CudaResult, char text[CUDA_ERROR_TEXT]);
#endif
