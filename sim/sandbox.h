/* A Lua state for files that are not trusted: no files, no system, no bytecode, bounded memory, instructions and time. */
#ifndef GSIM_SANDBOX_H
#define GSIM_SANDBOX_H
#include "lib/diag.h"
#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <stdint.h>

typedef struct Sandbox {
	lua_State *L;
	size_t memory, memory_limit;           /* bytes */
	uint64_t steps, step_limit;            /* instructions */
	double seconds, seconds_limit;         /* processor time inside Lua; a backstop for slow hosts */
	double started;                        /* when Lua was last entered */
	bool stopped;                          /* the last error came from sandbox_stop */
	bool over;                             /* a limit was reached: every further instruction fails */
	volatile sig_atomic_t *interrupted;    /* may be NULL */
	char path[1024];                       /* the text compiled last, for errors that have no other place */
	FILE *print;                           /* where print writes; NULL = nowhere */
} Sandbox;

/* NULL when there is no memory for a state. Limits are set to their defaults; self must not move. */
lua_State *sandbox_open(Sandbox *self);
void sandbox_close(Sandbox *self);
Sandbox *sandbox_of(lua_State *);
/* Pushes a text as a function, or puts its syntax error into diag. */
bool sandbox_compile(lua_State *, const char *text, size_t n, const char *path, Diag *);
/* Runs a text. False with a located error in diag. */
bool sandbox_run(Sandbox *, const char *text, size_t n, const char *path, Diag *);
/* Calls the function below nargs arguments on the stack, like lua_pcall; errors go to diag. */
bool sandbox_call(Sandbox *, int nargs, int nresults, Diag *);
/* For C functions: an error when the time is up; to be called by each whose work its caller chooses. */
void sandbox_check(lua_State *);
/* Around work that is not Lua's, such as a launch: its time does not count. */
void sandbox_pause(lua_State *);
void sandbox_resume(lua_State *);
/* The place of the Lua code that runs now, its file in the arena of diag. */
Loc sandbox_where(lua_State *, Diag *);
/* For C functions that have their own message in diag: unwinds to sandbox_run without another message. */
int sandbox_stop(lua_State *);
#endif
