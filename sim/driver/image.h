/* The copy of a run's memory that a real GPU works on. Of each allocation the memory or the copy has the
   newest bytes, or both have: only what the other side does not have is copied. */
#ifndef GSIM_IMAGE_H
#define GSIM_IMAGE_H
#include "isa/launch.h"
#include "lib/vec.h"
#include "sim/driver/cuda.h"

/* An allocation, by its address. Addresses are never used again. */
typedef struct Copied { uint64_t addr; bool in_memory, on_gpu; } Copied;

typedef struct Image {
	const CudaCalls *cuda;
	CudaThing *module;
	int device;
	uint64_t limit;                /* bytes of buffers, at most */
	/* of the run's launches */
	const Module *of;
	Memory *memory;
	const uint64_t *symbol_address;
	bool placed;                   /* where the copy lies has been decided */
	/* where address GLOBAL_BASE of the memory lies on the GPU; it lies there itself unless `moved` */
	CudaAddress base;
	bool moved;
	uint64_t reserved, ready;     /* bytes of addresses from base on; of these, with memory behind them */
	uint64_t granule;              /* memory comes in multiples of so many bytes */
	Vec(CudaHandle) handle;        /* !moved: pieces of memory, from base on, */
	Vec(uint64_t) piece;           /* and their sizes */
	Vec(Copied) copied;            /* in order of address */
	/* by symbol id: where the driver has put the variable; 0: nowhere */
	CudaAddress *variable;
	uint64_t behind_variables;   /* no variable of the module has an address in the memory from here on */
} Image;

/* Begins with the first launch of a run. Asks where the module's variables are. */
void image_open(Image *, const Launch *);
/* Gives the GPU what it does not have; then the launch may change what is not read-only. NULL: it is done;
   else the call of the driver that failed, and *error. */
const char *image_copy_in(Image *, CudaResult *error);
/* Gives the memory the allocation's bytes if it does not have them. writes: they will be changed there. */
const char *image_copy_out(Image *, const Alloc *, bool writes, CudaResult *error);
const char *image_copy_all_out(Image *, CudaResult *error);
/* The address on the GPU for one in the memory; what is no such address stays as it is. */
CudaAddress image_address(const Image *, uint64_t);
void image_close(Image *, bool give_back);     /* give_back: the driver still takes calls */
#endif
