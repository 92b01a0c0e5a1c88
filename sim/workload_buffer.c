/* Buffers of a workload, and the numbers that go into them. */
#include "sim/workload.h"
#include "lib/file.h"
#include "sim/value.h"
#include <math.h>

/* What things cost besides their bytes, in steps: a buffer and a launch are also kept for the report. */
enum { FILL_BYTES = 1 << 20, FILE_STEPS = 2000, BUFFER_STEPS = 200 };

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

uint64_t host_bits(lua_State *L, int index, Type t, const char *what)
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

RunBuffer *host_buffer(lua_State *L, int index)
{
	Handle *h = luaL_checkudata(L, index, BUFFER_METATABLE);
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
	luaL_setmetatable(L, BUFFER_METATABLE);
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
	RunBuffer *b = host_buffer(L, 1);
	push_value(L, b->type, data_of(L, b), check_index(L, 2, b));
	return 1;
}

static int buffer_set(lua_State *L)
{
	RunBuffer *b = host_buffer(L, 1);
	uint64_t i = check_index(L, 2, b);
	value_store(b->type, data_of(L, b), i, host_bits(L, 3, b->type, b->name));
	return 0;
}

static void fill(lua_State *L, RunBuffer *b, int index)
{
	uint64_t bits = host_bits(L, index, b->type, b->name), n = b->n * (uint64_t)type_bytes(b->type);
	uint8_t *data = data_of(L, b);
	value_store(b->type, data, 0, bits);
	for (uint64_t done = (uint64_t)type_bytes(b->type), more; done < n; done += more) {
		more = done < FILL_BYTES ? done : FILL_BYTES;
		more = more < n - done ? more : n - done;
		sandbox_charge(L, sandbox_bytes(more));
		memcpy(data + done, data, more);
	}
}

static int buffer_fill(lua_State *L)
{
	fill(L, host_buffer(L, 1), 2);
	return 0;
}

static int buffer_table(lua_State *L)
{
	RunBuffer *b = host_buffer(L, 1);
	if (b->n > INT32_MAX)
		return luaL_error(L, "%s is too large for a table", b->name);
	lua_createtable(L, (int)b->n, 0);
	const uint8_t *data = data_of(L, b);
	for (uint64_t i = 0; i < b->n; i++) {
		sandbox_charge(L, 1);
		push_value(L, b->type, data, i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int buffer_len(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)host_buffer(L, 1)->n);
	return 1;
}

static int buffer_tostring(lua_State *L)
{
	RunBuffer *b = host_buffer(L, 1);
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
	RunBuffer *b = host_buffer(L, 1);
	const char *path = file_path(L, 2, false), *why;
	size_t n, bytes = b->n * (size_t)type_bytes(b->type);
	sandbox_charge(L, FILE_STEPS + sandbox_bytes(bytes));
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
	RunBuffer *b = host_buffer(L, 1);
	const char *path = file_path(L, 2, true), *why;
	sandbox_charge(L, FILE_STEPS + sandbox_bytes(b->n * (size_t)type_bytes(b->type)));
	if (!run_of(L)->options.trial && !file_write(path, data_of(L, b), b->n * (size_t)type_bytes(b->type), &why))
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
		sandbox_charge(L, 2);
		if (table) {
			lua_rawgeti(L, index, (lua_Integer)i + 1);
		} else {
			lua_pushvalue(L, index);
			lua_pushinteger(L, (lua_Integer)i);
			lua_call(L, 1, 1);
		}
		uint64_t bits = host_bits(L, -1, b.type, "initial values");
		value_store(b.type, data_of(L, &b), i, bits);
		lua_pop(L, 1);
	}
}

int host_new_buffer(lua_State *L)
{
	Run *run = run_of(L);
	Type t = check_type(L, 1);
	lua_Integer n = luaL_checkinteger(L, 2);
	int size = type_bytes(t);
	sandbox_charge(L, BUFFER_STEPS);
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

int host_symbol(lua_State *L)
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

/* A script reaches the methods, one by one, but neither their table nor the metatable. */
void host_open_buffers(lua_State *L)
{
	static const luaL_Reg methods[] = {
		{ "get", buffer_get }, { "set", buffer_set }, { "fill", buffer_fill }, { "table", buffer_table }, { "load", buffer_load },
		{ "save", buffer_save }, { NULL, NULL }
	};
	static const luaL_Reg meta[] = { { "__len", buffer_len }, { "__tostring", buffer_tostring }, { NULL, NULL } };
	luaL_newmetatable(L, BUFFER_METATABLE);
	luaL_setfuncs(L, meta, 0);
	luaL_newlib(L, methods);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}
