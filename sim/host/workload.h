/* What the files of the Lua host side share. */
#ifndef GSIM_WORKLOAD_H
#define GSIM_WORKLOAD_H
#include "isa/lane.h"
#include "sim/host/record.h"
#include "sim/host/run.h"
#include "sim/sandbox/sandbox.h"

/* What a function of Lua may do with a buffer, while a host function of the module calls it. */
typedef struct Granted { int buffer; bool reads, writes; } Granted; /* buffer: its index in run->buffer */

typedef struct Host {
	Sandbox box;                   /* first: sandbox_of gives the host */
	Run *run;
	const char *path;              /* the workload's file */
	const Function *callee;        /* the function that a host function calls now; NULL: none */
	const Granted *granted; int ngranted;
} Host;

enum { MOST_PENDING = 4096 };      /* launches that have been called for and have not run */

static inline Host *host_of(lua_State *L) { return (Host *)sandbox_of(L); }
static inline Run *run_of(lua_State *L) { return host_of(L)->run; }

/* sim/host/buffer.c: buffers and views of them. */
typedef struct HostBuffer {
	int index;                     /* in run->buffer: the buffer that this is, or is a part of */
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
/* the host has written these elements: for a recording */
void host_written(lua_State *L, const HostBuffer *, uint64_t first, uint64_t n);
int host_push_buffer(lua_State *L, HostBuffer);
/* An error in a function of Lua that a host function calls: what a workload does, and such a function may
   not. */
void host_not_called(lua_State *L, const char *what);
const char *host_name(lua_State *L, const HostBuffer *);  /* for messages; pushes it */
/* The number or address at index as the bits of an element or parameter of the type. If it does not fit,
   `what` begins the message. */
uint64_t host_bits(lua_State *L, int index, Type, const char *what);
void host_open_buffers(lua_State *L);         /* makes the metatable */
int host_new_buffer(lua_State *L);            /* gpu.buffer */
int host_symbol(lua_State *L);                /* gpu.symbol */
int host_compare(lua_State *L);               /* gpu.compare */

/* The fields of the table at index must be among the names, which end with NULL. */
void host_fields(lua_State *L, int index, const char *what, const char *const *names);
int host_argument(lua_State *L);              /* sim/host/argument.c: gpu.argument */
int host_load(lua_State *L);                  /* sim/host/files.c: b:load */
int host_save(lua_State *L);                  /* b:save */
int host_launch(lua_State *L);                /* sim/host/launch.c: gpu.launch */
int host_flush(lua_State *L);                 /* gpu.flush */
int host_record(lua_State *L);                /* gpu.record */
int host_wait(lua_State *L);                  /* gpu.wait */
int host_sync(lua_State *L);       /* gpu.sync; also called where results of launches in streams are needed */
#endif
