/* Workloads: the host side in Lua, with the global `gpu`. doc/gsim.md describes it. */
#include "lib/file.h"
#include "sim/report.h"
#include "sim/sandbox.h"
#include "sim/value.h"
#include <math.h>

typedef struct Host {
	Sandbox box;                   /* first: sandbox_of gives the host */
	Run *run;
	const char *path;
} Host;

typedef struct Handle { int index; } Handle; /* in run->buffer */

enum { MAX_TEXT = 16 << 20, MAX_PARAM_BYTES = 1 << 16 };
static const char BUFFER[] = "buffer";

static Host *host_of(lua_State *L) { return (Host *)sandbox_of(L); }
static Run *run_of(lua_State *L) { return host_of(L)->run; }

/* ---- numbers ---- */

/* The number at index as the bits of an element or parameter; false when it does not fit. */
static bool to_bits(lua_State *L, int index, Type t, uint64_t *bits)
{
	int whole;
	if (lua_type(L, index) != LUA_TNUMBER)
		return false;
	lua_Number real = lua_tonumber(L, index);
	if (t == T_F32 || t == T_F64) {
		*bits = value_of_real(t, real);
		return t == T_F64 || !isfinite(real) || isfinite((float)real);
	}
	lua_Integer v = lua_tointegerx(L, index, &whole);
	if (!whole) {
		*bits = real >= 0x1p63 && real < 0x1p64 ? (uint64_t)real : 0;
		return type_bits[t] == 64 && *bits && real == floor(real);
	}
	*bits = (uint64_t)v;
	int width = type_bits[t];
	return width == 64 || (v >= -((int64_t)1 << (width - 1)) && v < (int64_t)1 << width);
}

static uint64_t check_bits(lua_State *L, int index, Type t, const char *what)
{
	uint64_t bits = 0;
	if (lua_type(L, index) != LUA_TNUMBER)
		luaL_error(L, "%s: expected a number, found a %s", what, luaL_typename(L, index));
	if (!to_bits(L, index, t, &bits))
		luaL_error(L, "%s: %s does not fit into %s", what, luaL_tolstring(L, index, NULL), type_name[t]);
	return bits;
}

static void push_value(lua_State *L, Type t, const uint8_t *data, uint64_t i)
{
	if (t == T_F32 || t == T_F64)
		lua_pushnumber(L, value_real(t, data, i));
	else
		lua_pushinteger(L, value_integer(t, data, i));
}

/* ---- buffers ---- */

static RunBuffer *check_buffer(lua_State *L, int index)
{
	Handle *h = luaL_checkudata(L, index, BUFFER);
	return &run_of(L)->buffer.v[h->index];
}

static uint8_t *data_of(lua_State *L, const RunBuffer *b)
{
	uint8_t *data = run_data(run_of(L), b);
	if (!data)
		luaL_error(L, "%s is no longer there", b->name);
	return data;
}

static void push_buffer(lua_State *L, int index)
{
	Handle *h = lua_newuserdatauv(L, sizeof *h, 0);
	h->index = index;
	luaL_setmetatable(L, BUFFER);
}

static uint64_t check_index(lua_State *L, int index, const RunBuffer *b)
{
	lua_Integer i = luaL_checkinteger(L, index);
	if (i < 0 || (uint64_t)i >= b->n)
		luaL_error(L, "index %I is outside %s, which has elements 0 to %I", i, b->name, (lua_Integer)b->n - 1);
	return (uint64_t)i;
}

static int buffer_get(lua_State *L)
{
	RunBuffer *b = check_buffer(L, 1);
	push_value(L, b->type, data_of(L, b), check_index(L, 2, b));
	return 1;
}

static int buffer_set(lua_State *L)
{
	RunBuffer *b = check_buffer(L, 1);
	uint64_t i = check_index(L, 2, b);
	value_store(b->type, data_of(L, b), i, check_bits(L, 3, b->type, b->name));
	return 0;
}

static void fill(lua_State *L, RunBuffer *b, int index)
{
	uint64_t bits = check_bits(L, index, b->type, b->name);
	uint8_t *data = data_of(L, b);
	for (uint64_t i = 0; i < b->n; i++)
		value_store(b->type, data, i, bits);
}

static int buffer_fill(lua_State *L)
{
	sandbox_check(L);
	fill(L, check_buffer(L, 1), 2);
	return 0;
}

static int buffer_table(lua_State *L)
{
	RunBuffer *b = check_buffer(L, 1);
	sandbox_check(L);
	if (b->n > INT32_MAX)
		return luaL_error(L, "%s is too large for a table", b->name);
	lua_createtable(L, (int)b->n, 0);
	const uint8_t *data = data_of(L, b);
	for (uint64_t i = 0; i < b->n; i++) {
		push_value(L, b->type, data, i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int buffer_len(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)check_buffer(L, 1)->n);
	return 1;
}

static int buffer_tostring(lua_State *L)
{
	RunBuffer *b = check_buffer(L, 1);
	lua_pushfstring(L, "%s: %s[%I]", b->name, type_name[b->type], (lua_Integer)b->n);
	return 1;
}

/* A file's place, pushed as a string: relative to the workload's. */
static const char *file_path(lua_State *L, int index, bool write)
{
	size_t n;
	const char *file = luaL_checklstring(L, index, &n), *path = host_of(L)->path, *slash = strrchr(path, '/');
	if (!n || strlen(file) != n)
		luaL_argerror(L, index, "expected a file name");
	if (write && (file[0] == '/' || !strcmp(file, "..") || !strncmp(file, "../", 3) || strstr(file, "/../")))
		luaL_argerror(L, index, "a workload writes only below its own directory");
	if (file[0] == '/' || !slash)
		return lua_pushstring(L, file);
	lua_pushlstring(L, path, (size_t)(slash - path) + 1);
	lua_pushstring(L, file);
	lua_concat(L, 2);
	return lua_tostring(L, -1);
}

static int buffer_load(lua_State *L)
{
	RunBuffer *b = check_buffer(L, 1);
	const char *path = file_path(L, 2, false), *why;
	size_t n, bytes = b->n * (size_t)type_bytes(b->type);
	sandbox_check(L);
	char *data = file_read(path, bytes, &n, &why);
	if (!data)
		return luaL_error(L, "cannot load %s: %s", path, why);
	if (n == bytes)
		memcpy(data_of(L, b), data, n);
	free(data);
	if (n != bytes)
		return luaL_error(L, "%s has %I bytes, %s has %I", path, (lua_Integer)n, b->name, (lua_Integer)bytes);
	lua_settop(L, 1);
	return 1;
}

static int buffer_save(lua_State *L)
{
	RunBuffer *b = check_buffer(L, 1);
	const char *path = file_path(L, 2, true), *why;
	sandbox_check(L);
	if (!file_write(path, data_of(L, b), b->n * (size_t)type_bytes(b->type), &why))
		return luaL_error(L, "cannot save %s: %s", path, why);
	lua_settop(L, 1);
	return 1;
}

static const struct { const char *name; Type type; } element_types[] = {
	{ "u8", T_U8 }, { "s8", T_S8 }, { "u16", T_U16 }, { "s16", T_S16 }, { "u32", T_U32 }, { "s32", T_S32 }, { "u64", T_U64 },
	{ "s64", T_S64 }, { "f32", T_F32 }, { "f64", T_F64 },
};

static Type check_type(lua_State *L, int index)
{
	const char *name = luaL_checkstring(L, index);
	for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
		if (!strcmp(name, element_types[i].name))
			return element_types[i].type;
	luaL_error(L, "unknown element type '%s': expected u8 s8 u16 s16 u32 s32 u64 s64 f32 or f64", name);
	return T_NONE;
}

/* Initial values: the number, table or function at index. */
static void initialise(lua_State *L, int which, int index)
{
	RunBuffer b = run_of(L)->buffer.v[which];
	if (lua_isnoneornil(L, index))
		return;
	if (lua_type(L, index) == LUA_TNUMBER) {
		fill(L, &b, index);
		return;
	}
	bool table = lua_type(L, index) == LUA_TTABLE;
	if (!table && lua_type(L, index) != LUA_TFUNCTION)
		luaL_error(L, "initial values: expected a number, a table or a function, found a %s", luaL_typename(L, index));
	uint64_t n = table ? lua_rawlen(L, index) : b.n;
	if (n > b.n)
		luaL_error(L, "%I initial values for %I elements", (lua_Integer)n, (lua_Integer)b.n);
	for (uint64_t i = 0; i < n; i++) {
		if (table) {
			lua_rawgeti(L, index, (lua_Integer)i + 1);
		} else {
			lua_pushvalue(L, index);
			lua_pushinteger(L, (lua_Integer)i);
			lua_call(L, 1, 1);
		}
		uint64_t bits = check_bits(L, -1, b.type, "initial values");
		value_store(b.type, data_of(L, &b), i, bits);
		lua_pop(L, 1);
	}
}

static int gpu_buffer(lua_State *L)
{
	Run *run = run_of(L);
	Type t = check_type(L, 1);
	lua_Integer n = luaL_checkinteger(L, 2);
	int size = type_bytes(t);
	sandbox_check(L);
	if (n < 1)
		return luaL_error(L, "a buffer has at least one element, not %I", n);
	uint64_t addr = n > run->config->memory_limit / size ? 0 : memory_alloc(run->memory, (uint64_t)n * (uint64_t)size,
		arena_printf(&run->arena, "buffer %d", run->nanonymous + 1), false);
	if (!addr)
		return luaL_error(L, "a buffer of %I elements of %s does not fit into limits.memory_bytes = %I", n, type_name[t],
			(lua_Integer)run->config->memory_limit);
	int index = run_add_buffer(run, addr, t, (uint64_t)n, NULL);
	initialise(L, index, 3);
	push_buffer(L, index);
	return 1;
}

static int gpu_symbol(lua_State *L)
{
	Run *run = run_of(L);
	const char *name = luaL_checkstring(L, 1);
	for (int i = 0; i < run->buffer.n; i++)
		if (run->buffer.v[i].symbol && !strcmp(run->buffer.v[i].name, name)) {
			push_buffer(L, i);
			return 1;
		}
	return luaL_error(L, "the module has no global or const variable '%s'", name);
}

/* ---- launches ---- */

/* The fields of the table at index must be among the names, which end with NULL. */
static void check_fields(lua_State *L, int index, const char *what, const char *const *names)
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
		luaL_error(L, near ? "%s: unknown field '%s'; did you mean '%s'?" : "%s: unknown field '%s'", what, key, near);
	}
}

static uint32_t dimension(lua_State *L, const char *what)
{
	int whole;
	lua_Integer v = lua_tointegerx(L, -1, &whole);
	if (lua_type(L, -1) != LUA_TNUMBER || !whole)
		luaL_error(L, "gpu.launch: %s: expected whole numbers, found %s", what, lua_type(L, -1) == LUA_TNUMBER
			? "a fraction" : luaL_typename(L, -1));
	if (v < 0 || v > UINT32_MAX)
		luaL_error(L, "gpu.launch: %s: %I is out of range", what, v);
	return (uint32_t)v;
}

static void dimensions(lua_State *L, int table, const char *what, uint32_t d[3])
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
		luaL_error(L, "gpu.launch: %s: expected a number or { x, y, z }, found %s", what, luaL_typename(L, -1));
	}
	lua_pop(L, 1);
}

static const Function *find_kernel(lua_State *L, int table)
{
	const Module *m = run_of(L)->module;
	if (lua_getfield(L, table, "kernel") != LUA_TSTRING)
		luaL_error(L, "gpu.launch: kernel: expected a name, found %s", luaL_typename(L, -1));
	const char *name = lua_tostring(L, -1), *near = NULL;
	const Function *f = module_find_function(m, name);
	if (!f || f->kind != FN_KERNEL || f->declared_only) {
		Vec(const char *) names = { 0 };
		for (int i = 0; i < m->func.n; i++)
			if (m->func.v[i]->kind == FN_KERNEL)
				vec_push(&names, m->func.v[i]->name);
		near = nearest_name(name, names.v, names.n);
		vec_free(&names);
		luaL_error(L, near ? "gpu.launch: no kernel '%s'; did you mean '%s'?" : "gpu.launch: no kernel '%s'", name, near);
	}
	lua_pop(L, 1);
	return f;
}

/* A parameter that is a structure: a string of its bytes, or a list of its elements. */
static void array_parameter(lua_State *L, const Param *p, const char *what, uint8_t *at)
{
	size_t n;
	if (lua_type(L, -1) == LUA_TSTRING) {
		const char *s = lua_tolstring(L, -1, &n);
		if (n != p->size)
			luaL_error(L, "%s: expected a string of %d bytes, found %d", what, (int)p->size, (int)n);
		memcpy(at, s, n);
	} else if (lua_type(L, -1) == LUA_TTABLE) {
		if (lua_rawlen(L, -1) != p->count)
			luaL_error(L, "%s: expected %d numbers, found %d", what, (int)p->count, (int)lua_rawlen(L, -1));
		for (uint32_t i = 0; i < p->count; i++) {
			lua_rawgeti(L, -1, (lua_Integer)i + 1);
			value_store((Type)p->type, at, i, check_bits(L, -1, (Type)p->type, what));
			lua_pop(L, 1);
		}
	} else {
		luaL_error(L, "%s: expected a string of %d bytes or a list of %d numbers, found a %s", what, (int)p->size,
			(int)p->count, luaL_typename(L, -1));
	}
}

/* The value on top of the stack goes to the parameter's place. */
static void parameter(lua_State *L, const Function *k, int i, uint8_t *params)
{
	const Param *p = &k->param.v[i];
	Run *run = run_of(L);
	const Handle *h = luaL_testudata(L, -1, BUFFER);
	char what[200];
	snprintf(what, sizeof what, "gpu.launch: argument %d (%.60s) of %.60s", i + 1, p->name, k->name);
	if (p->array) {
		array_parameter(L, p, what, params + p->offset);
	} else if (h) {
		if (type_bits[p->type] != 64 || type_kind[p->type] == 'F')
			luaL_error(L, "%s: the parameter is a %s, an address needs 64 bits", what, type_name[p->type]);
		value_store(T_U64, params + p->offset, 0, run->buffer.v[h->index].addr);
	} else {
		value_store((Type)p->type, params + p->offset, 0, check_bits(L, -1, (Type)p->type, what));
	}
}

static void arguments(lua_State *L, int table, const Function *k, uint8_t *params)
{
	int type = lua_getfield(L, table, "args"), n = k->param.n;
	if (type != LUA_TTABLE && type != LUA_TNIL)
		luaL_error(L, "gpu.launch: args: expected a list, found a %s", luaL_typename(L, -1));
	int given = type == LUA_TTABLE ? (int)lua_rawlen(L, -1) : 0;
	if (given != n) {
		lua_pushstring(L, "");
		for (int i = 0; i < n; i++) {
			lua_pushfstring(L, "%s%s %s", i ? ", " : ": ", type_name[k->param.v[i].type], k->param.v[i].name);
			lua_concat(L, 2);
		}
		luaL_error(L, "gpu.launch: kernel %s takes %d argument%s%s; %d given", k->name, n, n == 1 ? "" : "s",
			lua_tostring(L, -1), given);
	}
	for (int i = 0; i < n; i++) {
		lua_rawgeti(L, -1, i + 1);
		parameter(L, k, i, params);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

/* A sink that makes Lua values; the outermost one stays on the stack. */
typedef struct LuaSink { JsonSink sink; lua_State *L; int depth; lua_Integer count[JSON_DEPTH]; } LuaSink;

/* The value on top of the stack goes into the open table: below its key (count < 0) or as the next element. */
static void place(LuaSink *s)
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
	lua_newtable(s->L);
	s->count[s->depth++] = bracket == '{' ? -1 : 0;
}

static void lua_end(JsonSink *sink)
{
	LuaSink *s = (LuaSink *)sink;
	s->depth--;
	place(s);
}

static void lua_key(JsonSink *sink, const char *key) { lua_pushstring(((LuaSink *)sink)->L, key); }

static void lua_count(JsonSink *sink, uint64_t v)
{
	lua_pushinteger(((LuaSink *)sink)->L, (lua_Integer)v);
	place((LuaSink *)sink);
}

static void lua_real(JsonSink *sink, double v)
{
	lua_pushnumber(((LuaSink *)sink)->L, v);
	place((LuaSink *)sink);
}

static void lua_text(JsonSink *sink, const char *v)
{
	lua_pushstring(((LuaSink *)sink)->L, v);  /* NULL: nil */
	place((LuaSink *)sink);
}

static void lua_boolean(JsonSink *sink, bool v)
{
	lua_pushboolean(((LuaSink *)sink)->L, v);
	place((LuaSink *)sink);
}

static int gpu_launch_(lua_State *L)
{
	static const char *const fields[] = { "kernel", "grid", "block", "shared", "args", NULL };
	Run *run = run_of(L);
	Launch l = { 0 };
	luaL_checktype(L, 1, LUA_TTABLE);
	check_fields(L, 1, "gpu.launch", fields);
	l.kernel = find_kernel(L, 1);
	dimensions(L, 1, "grid", l.grid);
	dimensions(L, 1, "block", l.block);
	if (lua_getfield(L, 1, "shared") != LUA_TNIL)
		l.dynamic_shared = dimension(L, "shared");
	lua_pop(L, 1);
	if (l.kernel->param_bytes > MAX_PARAM_BYTES)
		return luaL_error(L, "gpu.launch: the parameters of %s take more than %d bytes", l.kernel->name, MAX_PARAM_BYTES);
	uint8_t *params = lua_newuserdatauv(L, l.kernel->param_bytes + 1, 0);
	memset(params, 0, l.kernel->param_bytes + 1);
	arguments(L, 1, l.kernel, params);
	l.params = params;
	sandbox_check(L);
	Loc where = sandbox_where(L, run->diag);
	sandbox_pause(L);
	LaunchStats *s = run_launch(run, &l, where);
	sandbox_resume(L);
	if (!s)
		return sandbox_stop(L);
	LuaSink out = { { lua_begin, lua_end, lua_key, lua_count, lua_real, lua_text, lua_boolean }, L, 0, { 0 } };
	report_launch(s, &out.sink);
	return 1;
}

/* ---- the rest of gpu ---- */

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

static int gpu_check(lua_State *L)
{
	Run *run = run_of(L);
	luaL_checkany(L, 1);
	if (!lua_toboolean(L, 1)) {
		const char *text = lua_isnoneornil(L, 2) ? NULL : luaL_tolstring(L, 2, NULL);
		run_fail(run, RUN_FAILED, sandbox_where(L, run->diag), "check failed%s%s", text ? ": " : "", text ? text : "");
	}
	return 0;
}

static int gpu_compare(lua_State *L)
{
	static const char *const fields[] = { "how", "tolerance", NULL };
	static const char *const hows[] = { "exact", "set", "tolerance", "ignore", NULL };
	RunBuffer *b = check_buffer(L, 1);
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	check_fields(L, 2, "gpu.compare", fields);
	lua_getfield(L, 2, "how");
	b->how = (CompareHow)luaL_checkoption(L, 3, "exact", hows);
	lua_getfield(L, 2, "tolerance");
	b->tolerance = luaL_optnumber(L, 4, 1e-4);
	lua_settop(L, 1);
	return 1;
}

static const luaL_Reg buffer_methods[] = {
	{ "get", buffer_get }, { "set", buffer_set }, { "fill", buffer_fill }, { "table", buffer_table }, { "load", buffer_load },
	{ "save", buffer_save }, { NULL, NULL }
};
static const luaL_Reg gpu_functions[] = {
	{ "buffer", gpu_buffer }, { "launch", gpu_launch_ }, { "symbol", gpu_symbol }, { "kernels", gpu_kernels },
	{ "check", gpu_check }, { "compare", gpu_compare }, { NULL, NULL }
};

static int prepare(lua_State *L)
{
	const RunOptions *o = &run_of(L)->options;
	luaL_newmetatable(L, BUFFER);
	luaL_newlib(L, buffer_methods);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, buffer_len);
	lua_setfield(L, -2, "__len");
	lua_pushcfunction(L, buffer_tostring);
	lua_setfield(L, -2, "__tostring");
	luaL_newlib(L, gpu_functions);
	lua_newtable(L);
	for (int i = 0; i < o->nargs; i++) {
		lua_pushstring(L, o->args[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "args");
	lua_setglobal(L, "gpu");
	return 0;
}

void run_workload(Run *run, const char *path)
{
	Host host = { .run = run, .path = path };
	size_t n;
	const char *why;
	char *text = file_read(path, MAX_TEXT, &n, &why);
	if (!text) {
		run_fail(run, RUN_BAD_INPUT, (Loc){ 0 }, "cannot read the workload %s: %s", path, why);
		return;
	}
	bool ok = sandbox_open(&host.box) != NULL;
	if (ok) {
		host.box.print = run->options.print;
		if (run->options.lua_steps)
			host.box.step_limit = run->options.lua_steps;
		if (run->options.lua_seconds > 0)
			host.box.seconds_limit = run->options.lua_seconds;
		host.box.interrupted = run->options.gpu.interrupted;
		lua_pushcfunction(host.box.L, prepare);
		ok = sandbox_call(&host.box, 0, 0, run->diag) && sandbox_run(&host.box, text, n, path, run->diag);
		if (!ok && !host.box.stopped)
			run->status = RUN_BAD_INPUT;
		sandbox_close(&host.box);
	} else {
		run_fail(run, RUN_BAD_INPUT, (Loc){ 0 }, "no memory for Lua");
	}
	free(text);
}
