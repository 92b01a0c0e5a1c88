/* A Lua state for files that are not trusted: no system, no bytecode, bounded memory, work and time, and the
   same results on every run.

   Work is counted in steps: a Lua instruction is one, and each C function that loops charges for what it
   does, so that a script ends at the same place on every host. The limit of time is the last resort: the
   clock is read at least once in HOOK_STEPS instructions, and no instruction or C function between two
   readings takes long, because texts are at most SANDBOX_TEXT bytes and all longer loops charge; Lua's
   compiler gets its text in small pieces, with a reading before each. One operation escapes: Lua enlarging a
   table whose integer keys all collide. Against it programs call sandbox_backstop (sim/sandbox/backstop.h).

   sim/sandbox/ knows nothing of GPUs. Machine files (sim/config/) and workloads (sim/host/) run in it. */
#ifndef GSIM_SANDBOX_H
#define GSIM_SANDBOX_H
#include "lib/diag.h"
#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

enum { SANDBOX_TEXT = 4 << 20 };               /* bytes of the longest string */

typedef struct Sandbox {
	lua_State *L;
	size_t memory, memory_limit;           /* bytes in use; the most allowed */
	/* steps so far; the most allowed; the number at which limits and the clock are read next */
	uint64_t steps, step_limit, next_look;
	double seconds, seconds_limit;         /* processor time inside Lua so far; the most allowed; in s */
	double started;                        /* processor time when Lua was last entered, in s */
	double looked;                         /* wall time when the processor time was last read, in s */
	const char *refused;               /* why the last request for memory was refused; NULL: it was not */
	bool stopped;  /* the last error has its message elsewhere: from sandbox_stop, or an interrupt */
	/* message of the limit that was reached, "" for an interrupt: no code runs in this sandbox any more;
	   NULL = none was reached */
	const char *over;
	struct { char file[1024]; int line; } at;  /* where a limit was reached or memory refused */
	volatile sig_atomic_t *interrupted;    /* nonzero there: the run is to stop; may be NULL */
	char path[1024];  /* name of the file compiled last, for errors that have no other place */
	FILE *print;                           /* where print writes; NULL = nowhere */
	lua_Integer named;                     /* how many tables and functions tostring has numbered */
	timer_t timer;                         /* the timer of backstop.c */
	bool timed;                            /* that timer exists */
	int compiling;          /* last line that Lua's compiler has been given; 0: it compiles nothing now */
} Sandbox;

/* Makes a Lua state, and sets the limits of self to their defaults. NULL: there is no memory for a state.
   self must stay at its address until sandbox_close. */
lua_State *sandbox_open(Sandbox *self);
void sandbox_close(Sandbox *self);
Sandbox *sandbox_of(lua_State *);
/* Compiles a text and pushes it as a function. False: it has a syntax error, which diag gets. */
bool sandbox_compile(lua_State *, const char *text, size_t n, const char *path, Diag *);
/* Compiles and runs a text. False: it failed; diag gets the error with its place. */
bool sandbox_run(Sandbox *, const char *text, size_t n, const char *path, Diag *);
/* Calls the function below nargs arguments on the stack, like lua_pcall. False: it failed; diag gets the
   error. */
bool sandbox_call(Sandbox *, int nargs, int nresults, Diag *);
/* Charges so many steps; raises an error when a limit is reached. A C function whose amount of work its
   caller chooses calls this before the work. */
void sandbox_charge(lua_State *, uint64_t steps);
/* the steps that reading n bytes costs */
static inline uint64_t sandbox_bytes(uint64_t n) { return n / 16 + 1; }
/* Whoever does work that is not Lua's, such as a launch, calls these before and after it, so that its time
   does not count as Lua's. */
void sandbox_pause(lua_State *);
void sandbox_resume(lua_State *);
/* What a message says that it has found in place of what was expected: "a table", "nil". type: of Lua. */
const char *sandbox_kind(int type);
/* Returns the place of the Lua code that runs now. The name of the file belongs to Lua. */
Loc sandbox_where(lua_State *);
/* A C function that has put a message into diag calls this, to end the script without another message. text:
   the error value that the script gets if it catches the error with pcall. */
int sandbox_stop(lua_State *, const char *text);
/* From now on messages call the functions of the table on top of the stack library.name. */
void sandbox_name(lua_State *, const char *library);
/* Replaces the Lua function on top of the stack by one that calls it. When a script ends with such a call,
   `return f(x)`, its line stays known: Lua keeps the frame of whoever calls a C function. An error of the
   function that names no place, as error(text, 2) does there, is located at that call. */
void sandbox_wrap(lua_State *);
/* Pushes the value at index as text that is the same on every run: tables and functions by number, not by
   address. */
const char *sandbox_tostring(lua_State *, int index, size_t *n);

/* ---- between the files of the sandbox ---- */

/* sim/sandbox/library.c: fills the state with what scripts may call. */
int sandbox_libraries(lua_State *);
/* sim/sandbox/match.c: puts find, match, gmatch and gsub into the table on top of the stack. */
void sandbox_patterns(lua_State *);
/* Called after each protected call, with its status. If a limit was reached, raises the error again, so that
   no script can catch it; else charges for the call. */
void sandbox_caught(lua_State *, int status);
/* sim/sandbox/backstop.c: the timer of one sandbox. It runs while the sandbox is inside Lua. */
void backstop_open(Sandbox *);
void backstop_close(Sandbox *);
void backstop_set(Sandbox *, double seconds); /* processor time until the timer ends the process; 0 = never */
#endif
