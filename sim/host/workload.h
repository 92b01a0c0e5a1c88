/* Declarations that the files of the host side in Lua share. */
#ifndef GSIM_WORKLOAD_H
#define GSIM_WORKLOAD_H
#include "isa/lane.h"
#include "sim/host/record.h"
#include "sim/host/run.h"
#include "sim/sandbox/sandbox.h"

/* What a function of Lua may do with a buffer while a host function of the module calls it. buffer: index in
   run->buffer. */
typedef struct Granted { int buffer; bool reads, writes; } Granted;

typedef struct WorkloadHost {
	Sandbox box; /* must be the first member: host_of casts a Sandbox to its WorkloadHost */
	Run *run;
	const char *path;              /* the workload's file */
	/* the function of Lua that a host function of the module is calling now, as declared; NULL: none */
	const Function *callee;
	const Granted *granted; int ngranted;
} WorkloadHost;

enum { MOST_PENDING = 4096 };      /* launches that have been called for and have not run */

static inline WorkloadHost *host_of(lua_State *L) { return (WorkloadHost *)sandbox_of(L); }
static inline Run *run_of(lua_State *L) { return host_of(L)->run; }

/* sim/host/buffer.c: buffers and views of them. */
typedef struct HostBuffer {
	/* index in run->buffer of the buffer, or of the one of which this is a view */
	int index;
	Type type;
	uint64_t offset;               /* bytes from that buffer's begin */
	uint64_t n;                    /* number of elements; 0 for a pointer behind the last one */
} HostBuffer;
bool host_is_buffer(lua_State *L, int index);
HostBuffer host_buffer(lua_State *L, int index);  /* the buffer at index; a Lua error when there is none */
uint64_t host_address(lua_State *L, const HostBuffer *);
static inline uint64_t host_bytes(const HostBuffer *b) { return b->n * (uint64_t)type_bytes(b->type); }
/* The buffer's bytes, for reading or writing. They move when memory is allocated, so the pointer is invalid
   after a call that may run Lua. */
typedef enum { HOST_READS, HOST_WRITES } HostAccess;
uint8_t *host_data(lua_State *L, const HostBuffer *, HostAccess);
/* Tells a recording that the host has written n elements from number `first` on. */
void host_written(lua_State *L, const HostBuffer *, uint64_t first, uint64_t n);
int host_push_buffer(lua_State *L, HostBuffer);
/* An error of Lua if a host function of the module is calling a function of Lua, or gpu.sizes is: such a
   function may not do `what`, which only a workload may. */
void host_not_called(lua_State *L, const char *what);
/* the buffer's name for messages, which it also pushes */
const char *host_name(lua_State *L, const HostBuffer *);
/* The number or address at index as the bits of an element or parameter of the type. If it does not fit,
   `what` begins the message. */
uint64_t host_bits(lua_State *L, int index, Type, const char *what);
void host_open_buffers(lua_State *L);         /* makes the metatable */
int host_new_buffer(lua_State *L);            /* gpu.buffer */
int host_symbol(lua_State *L);                /* gpu.symbol */
int host_compare(lua_State *L);               /* gpu.compare */

/* An error of Lua if the table at index has a field whose name is not in the list `names`, which ends with
   NULL. */
void host_fields(lua_State *L, int index, const char *what, const char *const *names);
int host_argument(lua_State *L);              /* sim/host/argument.c: gpu.argument */
int host_sizes(lua_State *L);                 /* sim/host/sizes.c: gpu.sizes */
/* An error of Lua if the run asks for a size, or for a list of sizes, and the workload has not declared any:
   called before what depends on the workload's arguments. */
void host_needs_sizes(lua_State *L);
void host_push_args(lua_State *L);            /* sim/host/workload.c: pushes the table gpu.args */
int host_random(lua_State *L);                /* sim/host/random.c: gpu.random */
int host_f32(lua_State *L);                   /* gpu.f32 */
int host_load(lua_State *L);                  /* sim/host/files.c: b:load */
int host_save(lua_State *L);                  /* b:save */
int host_launch(lua_State *L);                /* sim/host/launch.c: gpu.launch */
int host_flush(lua_State *L);                 /* gpu.flush */
int host_record(lua_State *L);                /* gpu.record */
int host_wait(lua_State *L);                  /* gpu.wait */
/* gpu.sync; also called before results of launches in streams are used */
int host_sync(lua_State *L);
#endif
