/* Buffers of a workload, views of them, and the numbers that go into them. */
#include "sim/host/workload.h"
#include "sim/host/parameter.h"
#include "sim/host/value.h"

/* FILL_BYTES: most bytes that fill copies at once; BUFFER_STEPS: steps that a new buffer costs, besides those
   for its bytes */
enum { FILL_BYTES = 1 << 20, BUFFER_STEPS = 200 };
static const char metatable[] = "buffer";

/* ---- numbers ---- */

/* The number at index as the bits of an element or parameter; false when it does not fit. */
static bool to_bits(lua_State *L, int index, Type t, uint64_t *bits)
{
	return lua_isinteger(L, index) ? integer_bits(lua_tointeger(L, index), t, bits)
		: real_bits(lua_tonumber(L, index), t, bits);
}

uint64_t host_bits(lua_State *L, int index, Type t, const char *what)
{
	uint64_t bits = 0;
	if (host_is_buffer(L, index)) {
		HostBuffer b = host_buffer(L, index);
		if (!holds_address(t))
			luaL_error(L, "%s: an address needs 64 bits, not %s", what, type_name[t]);
		return host_address(L, &b);
	}
	if (lua_type(L, index) != LUA_TNUMBER)
		luaL_error(L, "%s: expected a number, found %s", what, sandbox_kind(lua_type(L, index)));
	if (!to_bits(L, index, t, &bits))
		luaL_error(L, "%s: %s does not fit into %s", what, sandbox_tostring(L, index, NULL),
			type_name[t]);
	return bits;
}

static void push_value(lua_State *L, Type t, const uint8_t *data, uint64_t i)
{
	if (t == T_F32 || t == T_F64)
		lua_pushnumber(L, value_real(t, data, i));
	else
		lua_pushinteger(L, value_integer(t, data, i));
}

/* ---- buffers and views ---- */

bool host_is_buffer(lua_State *L, int index)
{
	return lua_type(L, index) == LUA_TUSERDATA && luaL_testudata(L, index, metatable);
}

HostBuffer host_buffer(lua_State *L, int index)
{
	return *(const HostBuffer *)luaL_checkudata(L, index, metatable);
}

static const RunBuffer *whole_of(lua_State *L, const HostBuffer *b) { return &run_of(L)->buffer.v[b->index]; }
static uint64_t whole_bytes(const RunBuffer *whole) { return whole->n * (uint64_t)type_bytes(whole->type); }
uint64_t host_address(lua_State *L, const HostBuffer *b) { return whole_of(L, b)->addr + b->offset; }

const char *host_name(lua_State *L, const HostBuffer *b)
{
	const char *name = whole_of(L, b)->name;
	return b->offset ? lua_pushfstring(L, "%s from byte %I", name, (lua_Integer)b->offset)
		: lua_pushstring(L, name);
}

/* An error of Lua if a host function of the module has called this function of Lua, and its declaration there
   does not allow the access to the buffer. */
static void check_granted(lua_State *L, const HostBuffer *b, HostAccess access)
{
	const WorkloadHost *h = host_of(L);
	bool may = !h->callee;
	for (int k = 0; k < h->ngranted && !may; k++)
		may = h->granted[k].buffer == b->index && (access == HOST_WRITES ? h->granted[k].writes
			: h->granted[k].reads);
	if (!may)
		luaL_error(L, "%s %s %s; expected an argument in the %s(...) of its declaration",
			h->callee->name, access == HOST_WRITES ? "writes" : "reads", host_name(L, b),
			access == HOST_WRITES ? "writes" : "reads");
}

void host_not_called(lua_State *L, const char *what)
{
	if (run_of(L)->sized.asking)
		luaL_error(L, "%s: gpu.sizes asks for arguments; expected its function to compute them from "
			"the size", what);
	if (host_of(L)->callee)
		luaL_error(L, "%s: %s is called by a host function of the module; expected such a function "
			"to compute with its arguments alone", what, host_of(L)->callee->name);
}

uint8_t *host_data(lua_State *L, const HostBuffer *b, HostAccess access)
{
	check_granted(L, b, access);
	host_sync(L);
	if (!run_fetch(run_of(L), whole_of(L, b), access == HOST_WRITES))
		sandbox_stop(L, run_of(L)->failure);
	uint8_t *data = run_data(run_of(L), whole_of(L, b));
	if (!data)
		luaL_error(L, "%s is no longer there", whole_of(L, b)->name);
	return data + b->offset;
}

void host_written(lua_State *L, const HostBuffer *b, uint64_t first, uint64_t n)
{
	Run *run = run_of(L);
	uint64_t size = (uint64_t)type_bytes(b->type);
	if (run->recorder)
		record_write(run->recorder, b->index, b->type, b->offset + first * size,
			run_data(run, whole_of(L, b)) + b->offset + first * size, n * size);
}

int host_push_buffer(lua_State *L, HostBuffer b)
{
	HostBuffer *h = lua_newuserdatauv(L, sizeof *h, 0);
	*h = b;
	luaL_setmetatable(L, metatable);
	return 1;
}

static HostBuffer whole_buffer(lua_State *L, int index)
{
	const RunBuffer *b = &run_of(L)->buffer.v[index];
	return (HostBuffer){ .index = index, .type = b->type, .n = b->n };
}

static Type check_type(lua_State *L, int index)
{
	const char *name = luaL_checkstring(L, index);
	Type t = element_named(name);
	if (t == T_NONE)
		luaL_error(L, "unknown element type '%s': expected " ELEMENTS, name);
	return t;
}

/* A view of n elements of type t, from byte `offset` of b on; n < 0: as many as there are. */
static HostBuffer view(lua_State *L, HostBuffer b, Type t, lua_Integer offset, lua_Integer n)
{
	uint64_t bytes = host_bytes(&b), size = (uint64_t)type_bytes(t);
	if (offset < 0 || (uint64_t)offset > bytes)
		luaL_error(L, "a view from byte %I: %s has %I bytes", offset, host_name(L, &b),
			(lua_Integer)bytes);
	uint64_t most = (bytes - (uint64_t)offset) / size;
	if (n > 0 ? (uint64_t)n > most : !most)
		luaL_error(L, "a view of %I %s from byte %I: %s has %I bytes", n > 0 ? n : 1, type_name[t],
			offset, host_name(L, &b), (lua_Integer)bytes);
	return (HostBuffer){ b.index, t, b.offset + (uint64_t)offset, n > 0 ? (uint64_t)n : most };
}

/* b:view(type [, offset [, n]]) */
static int buffer_view(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	Type t = check_type(L, 2);
	lua_Integer offset = luaL_optinteger(L, 3, 0), n = luaL_optinteger(L, 4, -1);
	luaL_argcheck(L, lua_isnoneornil(L, 4) || n > 0, 4, "a view has at least one element");
	return host_push_buffer(L, view(L, b, t, offset, n));
}

/* Pushes the buffer with its begin moved by so many elements; its end stays. */
static int moved_by(lua_State *L, HostBuffer b, lua_Integer by)
{
	uint64_t size = (uint64_t)type_bytes(b.type), before = b.offset / size;
	if (by < 0 ? -(uint64_t)by > before : (uint64_t)by > b.n)
		luaL_error(L, "%s + %I leads out of the buffer: it has %I elements of %s from there, %I "
			"before", host_name(L, &b), by, (lua_Integer)b.n, type_name[b.type],
			(lua_Integer)before);
	b.offset += (uint64_t)by * size;
	b.n -= (uint64_t)by;
	return host_push_buffer(L, b);
}

static int buffer_add(lua_State *L)
{
	int which = host_is_buffer(L, 1) ? 1 : 2;
	return moved_by(L, host_buffer(L, which), luaL_checkinteger(L, 3 - which));
}

/* buffer - n moves the begin back; buffer - buffer is the number of elements between their begins. */
static int buffer_subtract(lua_State *L)
{
	HostBuffer a = host_buffer(L, 1);
	if (!host_is_buffer(L, 2)) {
		lua_Integer by = luaL_checkinteger(L, 2);
		luaL_argcheck(L, by != LUA_MININTEGER, 2, "out of range");
		return moved_by(L, a, -by);
	}
	HostBuffer b = host_buffer(L, 2);
	int64_t bytes = (int64_t)(a.offset - b.offset);
	if (a.index != b.index || a.type != b.type || bytes % type_bytes(a.type))
		return luaL_error(L, "only places of one buffer and one type have a distance in elements");
	lua_pushinteger(L, bytes / type_bytes(a.type));
	return 1;
}

static int buffer_equal(lua_State *L)
{
	HostBuffer a = host_buffer(L, 1), b = host_buffer(L, 2);
	lua_pushboolean(L, a.index == b.index && a.type == b.type && a.offset == b.offset && a.n == b.n);
	return 1;
}

static int buffer_address(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	lua_pushinteger(L, (lua_Integer)host_address(L, &b));
	return 1;
}

static int buffer_len(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)host_buffer(L, 1).n);
	return 1;
}

static int buffer_tostring(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	lua_pushfstring(L, "%s: %s[%I]", host_name(L, &b), type_name[b.type], (lua_Integer)b.n);
	return 1;
}

/* ---- elements ---- */

static uint64_t check_index(lua_State *L, int index, const HostBuffer *b)
{
	lua_Integer i = luaL_checkinteger(L, index);
	if (!b->n)
		luaL_error(L, "index %I: %s has no elements", i, host_name(L, b));
	if (i < 0 || (uint64_t)i >= b->n)
		luaL_error(L, "index %I is outside %s, which has elements 0 to %I", i, host_name(L, b),
			(lua_Integer)b->n - 1);
	return (uint64_t)i;
}

static int buffer_get(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	uint64_t i = check_index(L, 2, &b);
	push_value(L, b.type, host_data(L, &b, HOST_READS), i);
	return 1;
}

static int buffer_set(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	uint64_t i = check_index(L, 2, &b), bits = host_bits(L, 3, b.type, whole_of(L, &b)->name);
	value_store(b.type, host_data(L, &b, HOST_WRITES), i, bits);
	host_written(L, &b, i, 1);
	return 0;
}

static void fill_buffer(lua_State *L, const HostBuffer *b, int index)
{
	uint64_t bits = host_bits(L, index, b->type, whole_of(L, b)->name), n = host_bytes(b);
	if (!n)
		return;
	uint8_t *data = host_data(L, b, HOST_WRITES);
	value_store(b->type, data, 0, bits);
	for (uint64_t done = (uint64_t)type_bytes(b->type), more; done < n; done += more) {
		more = done < FILL_BYTES ? done : FILL_BYTES;
		more = more < n - done ? more : n - done;
		sandbox_charge(L, sandbox_bytes(more));
		memcpy(data + done, data, more);
	}
	host_written(L, b, 0, b->n);
}

static int buffer_fill(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	fill_buffer(L, &b, 2);
	return 0;
}

static int buffer_table(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	if (b.n > INT32_MAX)
		return luaL_error(L, "%s is too large for a table", host_name(L, &b));
	lua_createtable(L, (int)b.n, 0);
	const uint8_t *data = host_data(L, &b, HOST_READS);
	for (uint64_t i = 0; i < b.n; i++) {
		sandbox_charge(L, 1);
		push_value(L, b.type, data, i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* Sets initial values from the number, table or function at index. A function may allocate, so the data are
   looked up for each element. */
static void initialise(lua_State *L, const HostBuffer *b, int index)
{
	if (lua_isnoneornil(L, index))
		return;
	bool table = lua_type(L, index) == LUA_TTABLE;
	if (lua_type(L, index) == LUA_TNUMBER || host_is_buffer(L, index)) {
		fill_buffer(L, b, index);
		return;
	}
	if (!table && lua_type(L, index) != LUA_TFUNCTION)
		luaL_error(L, "initial values: expected a number, a table or a function, found %s",
			sandbox_kind(lua_type(L, index)));
	uint64_t n = table ? lua_rawlen(L, index) : b->n;
	if (n > b->n)
		luaL_error(L, "%I initial values for %I elements", (lua_Integer)n, (lua_Integer)b->n);
	for (uint64_t i = 0; i < n; i++) {
		sandbox_charge(L, 2);
		if (table) {
			lua_rawgeti(L, index, (lua_Integer)i + 1);
		} else {
			lua_pushvalue(L, index);
			lua_pushinteger(L, (lua_Integer)i);
			lua_call(L, 1, 1);
		}
		uint64_t bits = host_bits(L, -1, b->type, "initial values");
		value_store(b->type, host_data(L, b, HOST_WRITES), i, bits);
		host_written(L, b, i, 1);
		lua_pop(L, 1);
	}
}

/* ---- gpu.buffer, gpu.symbol, gpu.compare ---- */

int host_new_buffer(lua_State *L)
{
	Run *run = run_of(L);
	host_not_called(L, "gpu.buffer");
	host_needs_sizes(L);
	Type t = check_type(L, 1);
	lua_Integer n = luaL_checkinteger(L, 2);
	sandbox_charge(L, BUFFER_STEPS);
	if (n < 1)
		return luaL_error(L, "a buffer has at least one element, not %I", n);
	int index = run_new_buffer(run, t, (uint64_t)n);
	if (index < 0)
		return luaL_error(L, "a buffer of %I elements of %s does not fit into limits.memory_bytes = "
			"%I", n, type_name[t], (lua_Integer)run->config->memory_limit);
	HostBuffer b = whole_buffer(L, index);
	record_buffer(run->recorder, b.index);
	initialise(L, &b, 3);
	return host_push_buffer(L, b);
}

/* gpu.symbol(name [, type]) */
int host_symbol(lua_State *L)
{
	Run *run = run_of(L);
	const char *name = luaL_checkstring(L, 1);
	const char *near = NULL;
	if (run->sized.asking)
		host_not_called(L, "gpu.symbol");
	int i = run_find_symbol(run, name, &near);
	if (i >= 0) {
		HostBuffer b = whole_buffer(L, i);
		return host_push_buffer(L, lua_isnoneornil(L, 2) ? b : view(L, b, check_type(L, 2), 0, -1));
	}
	return luaL_error(L, near ? "the module has no global or const variable '%s'; did you mean '%s'?" :
		"the module has no global or const variable '%s'", name, near);
}

static CompareHow compare_how(lua_State *L)
{
	int type = lua_getfield(L, 2, "how");
	for (int i = 0; i < COMPARE_HOWS; i++)
		if (type == LUA_TNIL || (type == LUA_TSTRING &&
			lua_rawlen(L, -1) == strlen(compare_how_name[i]) &&
			!strcmp(lua_tostring(L, -1), compare_how_name[i])))
			return (CompareHow)i;
	return (CompareHow)luaL_error(L, "gpu.compare: how: expected 'exact', 'set', 'tolerance' or "
		"'ignore', found %s%s%s", type == LUA_TSTRING ? "'" : luaL_typename(L, -1),
		type == LUA_TSTRING ? lua_tostring(L, -1) : "", type == LUA_TSTRING ? "'" : "");
}

/* gpu.compare(buffer, { how, tolerance }). If `buffer` is a view of all bytes of a buffer, its type becomes
   the type of the elements that are compared. */
int host_compare(lua_State *L)
{
	static const char *const fields[] = { "how", "tolerance", NULL };
	HostBuffer h = host_buffer(L, 1);
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	host_fields(L, 2, "gpu.compare", fields);
	CompareHow how = compare_how(L);
	double tolerance = lua_getfield(L, 2, "tolerance") == LUA_TNIL ? 1e-4
		: lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
	if (!(tolerance >= 0))
		return luaL_error(L, "gpu.compare: tolerance: expected a number of at least 0");
	if (host_bytes(&h) != whole_bytes(whole_of(L, &h)))
		return luaL_error(L, "gpu.compare: %s is a part of %s, which is compared as a whole",
			host_name(L, &h), whole_of(L, &h)->name);
	RunBuffer *b = &run_of(L)->buffer.v[h.index];
	b->how = how;
	b->tolerance = tolerance;
	b->type = h.type;
	b->n = h.n;
	lua_settop(L, 1);
	return 1;
}

/* Makes the metatable of buffers. A script reaches each method, but neither the table of them nor the
   metatable. */
void host_open_buffers(lua_State *L)
{
	static const luaL_Reg methods[] = {
		{ "get", buffer_get }, { "set", buffer_set }, { "fill", buffer_fill },
		{ "table", buffer_table }, { "load", host_load },
		{ "save", host_save }, { "view", buffer_view }, { "address", buffer_address }, { NULL, NULL }
	};
	static const luaL_Reg meta[] = {
		{ "__len", buffer_len }, { "__tostring", buffer_tostring }, { "__add", buffer_add },
		{ "__sub", buffer_subtract },
		{ "__eq", buffer_equal }, { NULL, NULL }
	};
	luaL_newmetatable(L, metatable);
	luaL_setfuncs(L, meta, 0);
	luaL_newlib(L, methods);
	sandbox_name(L, "buffer");
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}
