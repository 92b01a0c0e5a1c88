/* Workloads: the host side in Lua, with the global `gpu`. doc/gsim.md describes it. */
#include "sim/host/workload.h"
#include "lib/file.h"

enum { CHECK_STEPS = 100 };

void host_fields(lua_State *L, int index, const char *what, const char *const *names)
{
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
		int n = 0;
		while (key && names[n] && strcmp(names[n], key))
			n++;
		if (!key)
			luaL_error(L, "%s: expected named fields", what);
		if (names[n])
			continue;
		const char *near = nearest_name(key, names, n);
		luaL_error(L, near ? "%s: unknown field '%s'; did you mean '%s'?" : "%s: unknown field '%s'",
			what, key, near);
	}
}

static int gpu_kernels(lua_State *L)
{
	const Module *m = run_of(L)->module;
	int n = 0;
	lua_newtable(L);
	for (int i = 0; i < m->func.n; i++)
		if (m->func.v[i]->kind == FN_KERNEL && !m->func.v[i]->declared_only) {
			lua_pushstring(L, m->func.v[i]->name);
			lua_rawseti(L, -2, ++n);
		}
	return 1;
}

/* The message of gpu.check(condition, message, ...). If values follow the message, string.format makes the
   text of them; this is done only when the check fails, so that one that holds costs little. */
static const char *check_text(lua_State *L)
{
	int n = lua_gettop(L);
	if (n > 2) {
		luaL_checktype(L, 2, LUA_TSTRING);
		luaL_getmetafield(L, 2, "__index");
		lua_getfield(L, -1, "format");
		for (int k = 2; k <= n; k++)
			lua_pushvalue(L, k);
		lua_call(L, n - 1, 1);
		lua_replace(L, 2);
	}
	return lua_isnoneornil(L, 2) ? NULL : sandbox_tostring(L, 2, NULL);
}

static int gpu_check(lua_State *L)
{
	Run *run = run_of(L);
	luaL_checkany(L, 1);
	sandbox_charge(L, CHECK_STEPS);
	if (!lua_toboolean(L, 1)) {
		const char *text = check_text(L);
		run_fail(run, RUN_FAILED, sandbox_where(L), "check failed%s%s", text ? ": " : "",
			text ? text : "");
	}
	return 0;
}

static const luaL_Reg gpu_functions[] = {
	{ "buffer", host_new_buffer }, { "launch", host_launch }, { "symbol", host_symbol },
	{ "kernels", gpu_kernels }, { "argument", host_argument },
	{ "sizes", host_sizes }, { "random", host_random },
	{ "f32", host_f32 },
	{ "check", gpu_check }, { "compare", host_compare }, { "flush", host_flush }, { "sync", host_sync },
	{ "record", host_record }, { "wait", host_wait }, { NULL, NULL }
};

void host_push_args(lua_State *L)
{
	const RunOptions *o = &run_of(L)->options;
	lua_newtable(L);
	for (int i = 0; i < o->nargs; i++) {
		lua_pushstring(L, o->args[i]);
		lua_rawseti(L, -2, i + 1);
	}
}

static int prepare_workload(lua_State *L)
{
	host_open_buffers(L);
	luaL_newlib(L, gpu_functions);
	sandbox_name(L, "gpu");
	host_push_args(L);
	lua_setfield(L, -2, "args");
	lua_pushinteger(L, ptx_warp((int)run_of(L)->config->warp_size));
	lua_setfield(L, -2, "warp_size");
	lua_setglobal(L, "gpu");
	return 0;
}

/* Reads the workload. A file that the user has named is read whatever it is; else the one beside the module
   is read with the care that lib/file.h describes, since a stranger may have put it there. */
static char *read_workload(const Run *run, const char *path, size_t *n, const char **why)
{
	const char *slash = strrchr(path, '/');
	if (run->options.workload)
		return file_read(path, MOST_WORKLOAD, n, why);
	char *folder = xstrdup(path);
	folder[slash ? slash + 1 - path : 0] = 0;
	char *text = file_read_in(folder, slash ? slash + 1 : path, MOST_WORKLOAD, n, why);
	free(folder);
	return text;
}

/* The sandbox's limits are for what a workload does by itself. A user who asks for a larger one waits
   longer. */
static void set_limits(Sandbox *box, const RunOptions *o)
{
	static const struct { uint64_t work; size_t memory; } times[SIZES] = { { 1, 1 }, { 1, 1 }, { 2, 1 },
		{ 10, 2 }, { 100, 8 } };
	box->step_limit = o->lua_steps ? o->lua_steps : box->step_limit * times[o->size].work;
	box->seconds_limit = o->lua_seconds > 0 ? o->lua_seconds
		: box->seconds_limit * (double)times[o->size].work;
	box->memory_limit *= times[o->size].memory;
}

void run_workload(Run *run, const char *path)
{
	WorkloadHost host = { .run = run, .path = path };
	size_t n = run->options.workload_bytes;
	const char *why, *given = run->options.workload_text;
	char *read = given ? NULL : read_workload(run, path, &n, &why);
	const char *text = given ? given : read;
	if (given && !n)
		n = strlen(given);
	if (!text) {
		run_fail(run, RUN_BAD_INPUT, (Loc){ 0 }, "cannot read the workload %s: %s", path, why);
		return;
	}
	run->workload_file = arena_strdup(&run->arena, path);
	run->workload_text_hash = hash_content(text, n);
	bool ok = sandbox_open(&host.box) != NULL;
	if (ok) {
		host.box.print = run->options.print;
		set_limits(&host.box, &run->options);
		host.box.interrupted = run->options.gpu.interrupted;
		lua_pushcfunction(host.box.L, prepare_workload);
		ok = sandbox_call(&host.box, 0, 0, run->diag) &&
			sandbox_run(&host.box, text, n, path, run->diag);
		if (!ok && !host.box.stopped)
			run->status = RUN_BAD_INPUT;
		if (ok)
			run_sync(run);
		if (ok)
			run_check_sizes(run, path);
		if (ok && run->status == RUN_OK && run_needs_lua(run))
			run_main(run, &host);
		run->lua_steps = host.box.steps;
		run->gave_up = host.box.over != NULL;
		sandbox_close(&host.box);
	} else {
		run_fail(run, RUN_BAD_INPUT, (Loc){ 0 }, "no memory for Lua");
	}
	free(read);
}
