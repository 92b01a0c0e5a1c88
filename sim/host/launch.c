/* gpu.launch: makes a launch's arguments from Lua values, and a Lua table from its statistics. */
#include "sim/host/workload.h"
#include "lib/json.h"
#include "lib/strbuf.h"
#include "sim/host/kernel_name.h"
#include "sim/host/parameter.h"
#include "sim/host/value.h"

enum { LAUNCH_STEPS = 2000 };

static uint32_t dimension(lua_State *L, const char *what)
{
	int whole;
	lua_Integer v = lua_tointegerx(L, -1, &whole);
	if (lua_type(L, -1) != LUA_TNUMBER || !whole)
		luaL_error(L, "gpu.launch: %s: expected whole numbers, found %s", what,
			lua_type(L, -1) == LUA_TNUMBER ? "a fraction" : luaL_typename(L, -1));
	if (v < 0 || v > UINT32_MAX)
		luaL_error(L, "gpu.launch: %s: %I is out of range", what, v);
	return (uint32_t)v;
}

static void read_launch_dimensions(lua_State *L, int table, const char *what, uint32_t d[3])
{
	d[0] = d[1] = d[2] = 1;
	int type = lua_getfield(L, table, what);
	if (type == LUA_TNUMBER) {
		d[0] = dimension(L, what);
	} else if (type == LUA_TTABLE) {
		lua_Unsigned n = lua_rawlen(L, -1);
		if (n < 1 || n > 3)
			luaL_error(L, "gpu.launch: %s: expected one to three numbers", what);
		for (lua_Unsigned i = 0; i < n; i++) {
			lua_rawgeti(L, -1, (lua_Integer)i + 1);
			d[i] = dimension(L, what);
			lua_pop(L, 1);
		}
	} else {
		luaL_error(L, "gpu.launch: %s: expected a number or { x, y, z }, found %s", what,
			luaL_typename(L, -1));
	}
	lua_pop(L, 1);
}

static const Function *find_table_kernel(lua_State *L, int table)
{
	StrBuf why = { 0 };
	if (lua_getfield(L, table, "kernel") != LUA_TSTRING)
		luaL_error(L, "gpu.launch: kernel: expected a name, found %s", luaL_typename(L, -1));
	if (strlen(lua_tostring(L, -1)) != lua_rawlen(L, -1))
		luaL_error(L, "gpu.launch: kernel: a name has no zero byte");
	const Function *f = kernel_by_name(run_of(L)->module, lua_tostring(L, -1), &why);
	if (!f) {
		lua_pushstring(L, why.s);
		sb_free(&why);
		luaL_error(L, "gpu.launch: %s", lua_tostring(L, -1));
	}
	lua_pop(L, 1);
	return f;
}

/* Stores a parameter that is a structure. The value on top of the stack is a string of its bytes, or a list
   of its elements. */
static void array_parameter(lua_State *L, const Param *p, const char *what, uint8_t *at)
{
	size_t n;
	if (lua_type(L, -1) == LUA_TSTRING) {
		const char *s = lua_tolstring(L, -1, &n);
		if (n != p->size)
			luaL_error(L, "%s: expected a string of %d bytes, found %d", what, (int)p->size,
				(int)n);
		memcpy(at, s, n);
	} else if (lua_type(L, -1) == LUA_TTABLE) {
		if (lua_rawlen(L, -1) != p->count)
			luaL_error(L, "%s: expected %d numbers, found %d", what, (int)p->count,
				(int)lua_rawlen(L, -1));
		for (uint32_t i = 0; i < p->count; i++) {
			lua_rawgeti(L, -1, (lua_Integer)i + 1);
			value_store((Type)p->type, at, i, host_bits(L, -1, (Type)p->type, what));
			lua_pop(L, 1);
		}
	} else {
		luaL_error(L, "%s: expected a string of %d bytes or a list of %d numbers, found %s", what,
			(int)p->size, (int)p->count, sandbox_kind(lua_type(L, -1)));
	}
}

/* Stores the value on top of the stack as parameter i of kernel k. */
static void store_parameter(lua_State *L, const Function *k, int i, uint8_t *params)
{
	const Param *p = &k->param.v[i];
	char name[PARAMETER_NAME], what[PARAMETER_NAME + 16];
	snprintf(what, sizeof what, "gpu.launch: %s", parameter_name(k, i, name));
	if (p->array) {
		array_parameter(L, p, what, params + p->offset);
	} else {
		value_store((Type)p->type, params + p->offset, 0, host_bits(L, -1, (Type)p->type, what));
	}
}

static void write_lua_arguments(lua_State *L, int table, const Function *k, uint8_t *params)
{
	int type = lua_getfield(L, table, "args"), n = k->param.n;
	if (type != LUA_TTABLE && type != LUA_TNIL)
		luaL_error(L, "gpu.launch: args: expected a list, found %s", sandbox_kind(lua_type(L, -1)));
	int given = type == LUA_TTABLE ? (int)lua_rawlen(L, -1) : 0;
	if (given != n) {
		StrBuf text = { 0 };
		parameters_print(k, given, &text);
		lua_pushstring(L, text.s);
		sb_free(&text);
		luaL_error(L, "gpu.launch: %s", lua_tostring(L, -1));
	}
	for (int i = 0; i < n; i++) {
		lua_rawgeti(L, -1, i + 1);
		store_parameter(L, k, i, params);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

/* A sink of JSON that makes Lua values; the outermost value stays on the stack. table: stack index of the
   table that becomes the outermost one; 0: a new table does. count, for each open table: its elements so far,
   or -1 if it has keys. */
typedef struct LuaSink {
	JsonSink sink;
	lua_State *L;
	int table, depth;
	lua_Integer count[JSON_DEPTH];
} LuaSink;

/* Puts the value on top of the stack into the innermost open table: under the key that is below it on the
   stack (count < 0), or as the next element. */
static void place_in_table(LuaSink *s)
{
	if (!s->depth)
		return;
	if (s->count[s->depth - 1] < 0)
		lua_rawset(s->L, -3);
	else
		lua_rawseti(s->L, -2, ++s->count[s->depth - 1]);
}

static void lua_begin(JsonSink *sink, char bracket, bool flat)
{
	LuaSink *s = (LuaSink *)sink;
	(void)flat;
	must(s->depth < JSON_DEPTH);
	luaL_checkstack(s->L, 4, "statistics");
	if (s->table && !s->depth)
		lua_pushvalue(s->L, s->table);
	else
		lua_newtable(s->L);
	s->count[s->depth++] = bracket == '{' ? -1 : 0;
}

static void lua_end(JsonSink *sink)
{
	LuaSink *s = (LuaSink *)sink;
	s->depth--;
	place_in_table(s);
}

static void lua_key(JsonSink *sink, const char *key) { lua_pushstring(((LuaSink *)sink)->L, key); }

static void lua_count(JsonSink *sink, uint64_t v)
{
	lua_pushinteger(((LuaSink *)sink)->L, (lua_Integer)v);
	place_in_table((LuaSink *)sink);
}

static void lua_integer(JsonSink *sink, int64_t v)
{
	lua_pushinteger(((LuaSink *)sink)->L, (lua_Integer)v);
	place_in_table((LuaSink *)sink);
}

static void lua_real(JsonSink *sink, double v)
{
	lua_pushnumber(((LuaSink *)sink)->L, v);
	place_in_table((LuaSink *)sink);
}

static void lua_text(JsonSink *sink, const char *v)
{
	lua_pushstring(((LuaSink *)sink)->L, v);  /* NULL becomes nil */
	place_in_table((LuaSink *)sink);
}

static void lua_boolean(JsonSink *sink, bool v)
{
	lua_pushboolean(((LuaSink *)sink)->L, v);
	place_in_table((LuaSink *)sink);
}

/* An error of Lua if the workload says that the kernel needs warps of another width than the machine's: the
   kernel would give wrong results. */
static void needed_warp(lua_State *L, int table, const Function *k)
{
	int width = (int)run_of(L)->config->warp_size, lanes = ptx_warp(width);
	if (lua_getfield(L, table, "warp_size") != LUA_TNIL && dimension(L, "warp_size") != (uint32_t)lanes)
		luaL_error(L, "gpu.launch: kernel %s is for warps of %d lanes; on this machine they have %d "
			"(warp_size = %d)", k->name, (int)lua_tointeger(L, -1), lanes, width);
	lua_pop(L, 1);
}

/* ---- streams ---- */

/* The statistics of launches that have been called for and have not run are tables without fields. The
   registry has a list of these tables and their LaunchStats, alternating. A script that reads one of them
   waits for all launches. */
static const char waiting[] = "launches that have not run";

/* Puts the statistics into the table at index, or if index is 0 into a new table, which stays on the
   stack. */
static void push_stats(lua_State *L, const LaunchStats *s, int index)
{
	LuaSink out = { { lua_begin, lua_end, lua_key, lua_count, lua_integer, lua_real, lua_text,
		lua_boolean }, L, index, 0, { 0 } };
	stats_json(s, &out.sink);
}

static void fill_waiting(lua_State *L)
{
	int list = lua_gettop(L) + 1;
	if (lua_getfield(L, LUA_REGISTRYINDEX, waiting) == LUA_TTABLE)
		for (lua_Integer i = 1; lua_rawgeti(L, list, i) == LUA_TTABLE; i += 2) {
			lua_pushnil(L);
			lua_setmetatable(L, -2);
			lua_rawgeti(L, list, i + 1);
			const LaunchStats *s = lua_touserdata(L, -1);
			if (s->kernel)
				push_stats(L, s, list + 1);
			lua_settop(L, list);
		}
	lua_settop(L, list - 1);
	lua_pushnil(L);
	lua_setfield(L, LUA_REGISTRYINDEX, waiting);
}

int host_sync(lua_State *L)
{
	Run *run = run_of(L);
	if (!run->pending.n)
		return 0;
	if (vec_last(&run->pending)->stats->stream)
		record_sync(run->recorder);
	sandbox_pause(L);
	bool ok = run_sync(run);
	sandbox_resume(L);
	fill_waiting(L);
	return ok ? 0 : sandbox_stop(L, run->failure);
}

/* Reads a field of the statistics of a launch that may not have run. */
static int launch_field(lua_State *L)
{
	host_sync(L);
	lua_settop(L, 2);
	if (lua_isnil(L, 2))
		return 0;
	lua_rawget(L, 1);
	return 1;
}

/* Pushes a table that gets the statistics s as soon as a script reads a field of it, or all launches have
   run. */
static int push_waiting(lua_State *L, LaunchStats *s)
{
	lua_newtable(L);
	lua_newtable(L);
	lua_pushcfunction(L, launch_field);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, host_sync);
	lua_setfield(L, -2, "__look");
	lua_setmetatable(L, -2);
	if (lua_getfield(L, LUA_REGISTRYINDEX, waiting) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_newtable(L);
		lua_pushvalue(L, -1);
		lua_setfield(L, LUA_REGISTRYINDEX, waiting);
	}
	lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
	lua_pushvalue(L, -2);
	lua_rawseti(L, -2, n + 1);
	lua_pushlightuserdata(L, s);
	lua_rawseti(L, -2, n + 2);
	lua_pop(L, 1);
	return 1;
}

static int stream_of(lua_State *L, int table)
{
	int stream = 0;
	if (lua_getfield(L, table, "stream") != LUA_TNIL) {
		uint32_t n = dimension(L, "stream");
		if (n > STREAM_LIMIT)
			luaL_error(L, "gpu.launch: stream: expected a number from 0, the default stream, to "
				"%d", STREAM_LIMIT);
		stream = (int)n;
	}
	lua_pop(L, 1);
	return stream;
}

static bool cooperative(lua_State *L, int table)
{
	int type = lua_getfield(L, table, "cooperative");
	if (type != LUA_TNIL && type != LUA_TBOOLEAN)
		luaL_error(L, "gpu.launch: cooperative: expected true or false, found %s",
			sandbox_kind(lua_type(L, -1)));
	bool is = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return is;
}

int host_launch(lua_State *L)
{
	static const char *const fields[] = { "kernel", "grid", "block", "shared", "args", "stream",
		"warp_size", "cooperative", NULL };
	Run *run = run_of(L);
	Launch l = { 0 };
	host_not_called(L, "gpu.launch");
	host_needs_sizes(L);
	luaL_checktype(L, 1, LUA_TTABLE);
	host_fields(L, 1, "gpu.launch", fields);
	l.kernel = find_table_kernel(L, 1);
	read_launch_dimensions(L, 1, "grid", l.grid);
	read_launch_dimensions(L, 1, "block", l.block);
	needed_warp(L, 1, l.kernel);
	int stream = stream_of(L, 1);
	if (lua_getfield(L, 1, "shared") != LUA_TNIL)
		l.dynamic_shared = dimension(L, "shared");
	lua_pop(L, 1);
	l.cooperative = cooperative(L, 1);
	if (l.kernel->param_bytes > MAX_PARAM_BYTES)
		return luaL_error(L, "gpu.launch: the parameters of %s take more than %d bytes",
			l.kernel->name, MAX_PARAM_BYTES);
	uint8_t *params = lua_newuserdatauv(L, l.kernel->param_bytes + 1, 0);
	memset(params, 0, l.kernel->param_bytes + 1);
	write_lua_arguments(L, 1, l.kernel, params);
	l.params = params;
	sandbox_charge(L, LAUNCH_STEPS + sandbox_bytes(l.kernel->param_bytes));
	if (run->pending.n == MOST_PENDING)
		host_sync(L);
	Loc where = sandbox_where(L);
	sandbox_pause(L);
	LaunchStats *s = run_queue(run, &l, stream, where);
	sandbox_resume(L);
	if (!s)
		return sandbox_stop(L, run->failure);
	record_launch(run->recorder, &l, stream, where);
	if (stream)
		return push_waiting(L, s);
	host_sync(L);
	push_stats(L, s, 0);
	return 1;
}

/* Empties the caches: later launches find nothing that earlier ones loaded. */
int host_flush(lua_State *L)
{
	Run *run = run_of(L);
	host_not_called(L, "gpu.flush");
	sandbox_charge(L, LAUNCH_STEPS);
	host_sync(L);
	record_flush(run->recorder, sandbox_where(L));
	if (run->gpu)
		gpu_flush(run->gpu);
	return 0;
}

static int number_below(lua_State *L, int arg, int limit, const char *what)
{
	lua_Integer n = luaL_checkinteger(L, arg);
	if (n < 0 || n >= limit)
		return luaL_error(L, "%s: expected a number from 0 to %d, found %I", what, limit - 1, n);
	return (int)n;
}

/* gpu.record(event, stream), gpu.wait(stream, event) */
int host_record(lua_State *L)
{
	int event = number_below(L, 1, EVENT_LIMIT, "gpu.record: event"),
		stream = number_below(L, 2, STREAM_LIMIT + 1, "gpu.record: stream");
	host_not_called(L, "gpu.record");
	record_order(run_of(L)->recorder, false, event, stream);
	if (run_of(L)->gpu)
		gpu_record(run_of(L)->gpu, event, stream);
	return 0;
}

int host_wait(lua_State *L)
{
	int stream = number_below(L, 1, STREAM_LIMIT + 1, "gpu.wait: stream"),
		event = number_below(L, 2, EVENT_LIMIT, "gpu.wait: event");
	host_not_called(L, "gpu.wait");
	record_order(run_of(L)->recorder, true, stream, event);
	if (run_of(L)->gpu)
		gpu_wait(run_of(L)->gpu, stream, event);
	return 0;
}
