/* What the parts of the Lua host side know of each other. */
#ifndef GSIM_WORKLOAD_H
#define GSIM_WORKLOAD_H
#include "isa/lane.h"
#include "sim/report.h"
#include "sim/sandbox.h"

typedef struct Host {
	Sandbox box;                   /* first: sandbox_of gives the host */
	Run *run;
	const char *path;              /* of the workload */
} Host;

typedef struct Handle { int index; } Handle; /* a buffer's userdata: in run->buffer */
#define BUFFER_METATABLE "buffer"

static inline Host *host_of(lua_State *L) { return (Host *)sandbox_of(L); }
static inline Run *run_of(lua_State *L) { return host_of(L)->run; }

/* The number at index as the bits of an element or parameter of the type; what: begins the message when it does not fit. */
uint64_t host_bits(lua_State *L, int index, Type, const char *what);
/* The fields of the table at index must be among the names, which end with NULL. */
void host_fields(lua_State *L, int index, const char *what, const char *const *names);
RunBuffer *host_buffer(lua_State *L, int index);

void host_open_buffers(lua_State *);          /* makes the metatable */
int host_new_buffer(lua_State *L);            /* gpu.buffer */
int host_symbol(lua_State *L);                /* gpu.symbol */
int host_launch(lua_State *L);                /* gpu.launch */
#endif
