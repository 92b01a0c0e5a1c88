/* The copy of a launch's memory that a real GPU works on. */
#ifndef GSIM_IMAGE_H
#define GSIM_IMAGE_H
#include "isa/launch.h"
#include "lib/vec.h"
#include "sim/driver/cuda.h"

typedef struct Image {
	const CudaCalls *cuda;
	CudaThing *module;
	int device;
	uint64_t limit;                /* bytes of buffers, at most */
	bool placed;                   /* where the copy lies has been decided */
	/* where address GLOBAL_BASE of the memory lies on the GPU; it lies there itself unless `moved` */
	CudaAddress base;
	bool moved;
	uint64_t reserved, ready;     /* bytes of addresses from base on; of these, with memory behind them */
	uint64_t granule;              /* memory comes in multiples of so many bytes */
	Vec(CudaHandle) handle;        /* !moved: pieces of memory, from base on, */
	Vec(uint64_t) piece;           /* and their sizes */
	/* by symbol id: where the driver has put the variable; 0: nowhere */
	CudaAddress *variable;
	uint64_t behind_variables;   /* no variable of the module has an address in the memory from here on */
} Image;

/* Asks where the module's variables are. */
void image_open(Image *, const Launch *);
/* Copies all that is in the launch's memory to the GPU, and back what can have changed. NULL: it is done;
   else the call of the driver that failed, and *error. */
const char *image_copy_in(Image *, const Launch *, CudaResult *error);
const char *image_copy_out(Image *, const Launch *, CudaResult *error);
/* The address on the GPU for one in the launch's memory; what is no such address stays as it is. */
CudaAddress image_address(const Image *, const Launch *, uint64_t);
void image_close(Image *, bool give_back);     /* give_back: the driver still takes calls */
#endif
