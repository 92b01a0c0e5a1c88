/* gpu.sizes: a workload says which arguments make it as large as --size asks for. */
#include "sim/host/workload.h"
#include <math.h>

const char *const run_size_name[SIZES] = { "", "S", "M", "L", "XL" };

static const char no_sizes[] = "the workload declares no sizes, without which there is no --size; expected "
	"gpu.sizes(function(size) return ARGUMENTS end), or gpu.sizes { reason = \"why it does not grow\" }";

static const char failed[] = "gpu.sizes has failed, and its error was caught: no size is known";

enum { XL_TIMES = 10, EVEN_THREADS = 256, MOST_SIZED = 64 };
static const double MOST_NUMBER = 0x1p53;       /* as gpu.argument has it */
enum { FUNCTION_STEPS = 10000000 };     /* the most that the function may take for a size */

RunSize run_size_named(const char *name)
{
	int k = SIZE_S;
	while (k < SIZES && strcmp(name, run_size_name[k]))
		k++;
	return k < SIZES ? (RunSize)k : SIZE_NONE;
}

/* How many of something that each SM takes so many of a run of that size wants: one SM's, the machine's, ten
   times the machine's. */
static lua_Integer wanted_in_all(const Config *c, RunSize size, int64_t of_an_sm)
{
	return of_an_sm * (size >= SIZE_L ? c->sm_count : 1) * (size == SIZE_XL ? XL_TIMES : 1);
}

/* The threads that a run of that size wants, so many that blocks of the usual sizes have them all. */
static lua_Integer wanted_threads(const Config *c, RunSize size)
{
	lua_Integer n = wanted_in_all(c, size, c->sm_max_warps * c->warp_size);
	return (n + EVEN_THREADS - 1) / EVEN_THREADS * EVEN_THREADS;
}

/* Pushes what the workload's function is given. */
static void push_size(lua_State *L, const Config *c, RunSize size)
{
	lua_newtable(L);
	lua_pushstring(L, run_size_name[size]);
	lua_setfield(L, -2, "name");
	lua_pushinteger(L, wanted_threads(c, size));
	lua_setfield(L, -2, "threads");
	lua_pushinteger(L, wanted_in_all(c, size, c->sm_max_warps));
	lua_setfield(L, -2, "warps");
	lua_pushinteger(L, wanted_in_all(c, size, c->sm_max_blocks));
	lua_setfield(L, -2, "blocks");
	lua_pushinteger(L, wanted_in_all(c, size, 1));
	lua_setfield(L, -2, "sms");
}

/* Makes the value at index the text of an argument. */
static void make_argument(lua_State *L, int index, int number)
{
	int whole = 0;
	lua_Integer v;
	if (!lua_isstring(L, index))
		luaL_error(L, "gpu.sizes: argument %d is %s; expected a number or a text for each argument "
			"up to the last one", number, sandbox_kind(lua_type(L, index)));
	if (lua_type(L, index) == LUA_TNUMBER && !(fabs(lua_tonumber(L, index)) < MOST_NUMBER))
		luaL_error(L, "gpu.sizes: argument %d is %s; expected a number between -2^53 and 2^53",
			number, lua_tostring(L, index));
	if (lua_type(L, index) == LUA_TNUMBER && (v = lua_tointegerx(L, index, &whole), whole)) {
		lua_pushinteger(L, v); /* 4096.0 is written 4096 */
		lua_replace(L, index);
	}
	lua_tostring(L, index);
}

/* Calls the function at `function` for the size, and pushes what it returns. It has limits of its own,
   however large the size is, and may not do what only a workload may. */
static void call_function(lua_State *L, int function, RunSize size)
{
	Run *run = run_of(L);
	Sandbox *box = sandbox_of(L);
	uint64_t limit = box->step_limit, most = box->steps + FUNCTION_STEPS;
	lua_pushvalue(L, function);
	push_size(L, run->config, size);
	run->sized.asking = true;
	box->step_limit = most < limit ? most : limit;
	int status = lua_pcall(L, 1, LUA_MULTRET, 0);
	sandbox_caught(L, status);
	box->step_limit = limit;
	run->sized.asking = false;
	if (status)
		lua_error(L);
}

/* Pushes the arguments that the function at `function` gives for the size; returns how many they are. */
static int call_for_size(lua_State *L, int function, RunSize size)
{
	int top = lua_gettop(L);
	call_function(L, function, size);
	luaL_checkstack(L, LUA_MINSTACK, "gpu.sizes");
	int n = lua_gettop(L) - top;
	while (n && lua_isnil(L, top + n))
		n--;
	if (!n)
		luaL_error(L, "gpu.sizes: the function gave no argument for size %s; expected the workload's "
			"arguments", run_size_name[size]);
	if (n > MOST_SIZED)
		luaL_error(L, "gpu.sizes: the function gave %d arguments; expected at most %d", n,
			MOST_SIZED);
	for (int k = 1; k <= n; k++)
		make_argument(L, top + k, k);
	lua_settop(L, top + n);
	return n;
}

/* Makes the run's arguments those that were given, then those of the size. */
static void take_sized(lua_State *L, int function)
{
	Run *run = run_of(L);
	RunOptions *o = &run->options;
	run->sized.threads = (uint64_t)wanted_threads(run->config, o->size);
	int top = lua_gettop(L), n = call_for_size(L, function, o->size);
	char **args = arena_array(&run->arena, char *, n + o->nargs + 1);
	for (int k = 0; k < n; k++)
		args[k] = arena_strdup(&run->arena, lua_tostring(L, top + k + 1));
	for (int k = 0; k < o->nargs; k++)
		args[k] = o->args[k];
	run->sized.overridden = n < o->nargs ? n : o->nargs;
	o->nargs = n > o->nargs ? n : o->nargs;
	o->args = args;
	lua_settop(L, top);
	lua_getglobal(L, "gpu");
	host_push_args(L);
	lua_setfield(L, -2, "args");
	lua_settop(L, top);
}

/* Puts what the workload declares into the list of --list sizes, a line for each size, and ends the
   workload. */
static int list_sizes(lua_State *L, int function)
{
	Run *run = run_of(L);
	StrBuf *out = run->options.list_sizes;
	for (RunSize size = SIZE_S; size < SIZES; size++) {
		int top = lua_gettop(L), n = size == SIZE_S || !function ? 0
			: call_for_size(L, function, size);
		sb_printf(out, "%-3s", run_size_name[size]);
		for (int k = 1; k <= n; k++)
			sb_printf(out, " %s", lua_tostring(L, top + k));
		sb_puts(out, n ? "\n" : " its defaults\n");
		lua_settop(L, top);
	}
	if (run->sized.reason)
		sb_printf(out, "does not fill every machine: %s\n", run->sized.reason);
	return sandbox_stop(L, "the sizes are listed");
}

/* Reads the fields of the table at 1; returns the index of the function, 0: there is none. */
static int read_declared(lua_State *L)
{
	static const char *const fields[] = { "arguments", "reason", NULL };
	Run *run = run_of(L);
	host_fields(L, 1, "gpu.sizes", fields);
	int type = lua_getfield(L, 1, "reason"), function = lua_getfield(L, 1, "arguments") != LUA_TNIL;
	if (function && !lua_isfunction(L, 3))
		luaL_error(L, "gpu.sizes: arguments: expected a function of the size");
	if (type != LUA_TNIL && (type != LUA_TSTRING || !*lua_tostring(L, 2)))
		luaL_error(L, "gpu.sizes: reason: expected a sentence");
	for (const char *c = type == LUA_TNIL ? "" : lua_tostring(L, 2); *c; c++)
		if ((unsigned char)*c < ' ')
			luaL_error(L, "gpu.sizes: reason: expected a sentence on one line, without control "
				"characters");
	if (type == LUA_TNIL && !function)
		luaL_error(L, "gpu.sizes: expected arguments, a function of the size, or a reason why the "
			"workload does not grow");
	run->sized.reason = type == LUA_TNIL ? NULL : arena_strdup(&run->arena, lua_tostring(L, 2));
	return function ? 3 : 0;
}

/* gpu.sizes(function) or gpu.sizes { arguments = function, reason = "..." } */
int host_sizes(lua_State *L)
{
	Run *run = run_of(L);
	host_not_called(L, "gpu.sizes");
	run->sized.failed = true;              /* until all has gone well */
	lua_settop(L, 1);
	if (!lua_isfunction(L, 1) && !lua_istable(L, 1))
		luaL_error(L, "gpu.sizes: expected a function, or { arguments = function, reason = "
			"\"...\" }, found %s", sandbox_kind(lua_type(L, 1)));
	int function = lua_isfunction(L, 1) ? 1 : read_declared(L);
	if (run->sized.declared)
		luaL_error(L, "gpu.sizes: the sizes are declared already");
	if (run->sized.late)
		luaL_error(L, "gpu.sizes: expected before the first gpu.argument, buffer and launch, which "
			"depend on the size");
	run->sized.declared = true;
	run->sized.grows = function != 0;
	if (run->options.list_sizes)
		return list_sizes(L, function);
	if (function && run->options.size > SIZE_S)
		take_sized(L, function);
	run->sized.failed = false;
	return 0;
}

void host_needs_sizes(lua_State *L)
{
	Run *run = run_of(L);
	if (run->sized.failed && !run->sized.asking)
		luaL_error(L, failed);
	if (run->sized.declared)
		return;
	run->sized.late = true;
	if (run->options.size || run->options.list_sizes)
		luaL_error(L, "%s, before this", no_sizes);
}

void run_check_sizes(Run *run, const char *name)
{
	if (run->sized.failed)
		run_fail(run, RUN_BAD_INPUT, (Loc){ name, 0, 0 }, "%s", failed);
	else if (!run->sized.declared && (run->options.size || run->options.list_sizes))
		run_fail(run, RUN_BAD_INPUT, (Loc){ name, 0, 0 }, "%s", no_sizes);
}
