/* The functions that scripts may call. Three rules hold: no function of Lua's library runs long without a
   charge; none shows an address, a clock or the order of a hash table; none gives a metatable, so that Lua
   never calls a __gc, __len or __lt of the script's own at a place where no limit is checked. */
#include "sim/sandbox/sandbox.h"
#include "lib/output.h"
#include <lualib.h>

/* ---- text of values ---- */

/* Tables and functions get numbers in the order in which their texts are asked for. The table of these
   numbers keeps its keys as long as the state lives. It cannot have weak keys: how a weak table grows depends
   on addresses, and its growth is charged as work. */
static lua_Integer number_of(lua_State *L, int index)
{
	static const char key;
	index = lua_absindex(L, index);
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_newtable(L);
		lua_pushvalue(L, -1);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
	}
	lua_pushvalue(L, index);
	if (lua_rawget(L, -2) == LUA_TNIL) {
		lua_pop(L, 1);
		lua_pushinteger(L, ++sandbox_of(L)->named);
		lua_pushvalue(L, index);
		lua_pushvalue(L, -2);
		lua_rawset(L, -4);
	}
	lua_Integer n = lua_tointeger(L, -1);
	lua_pop(L, 2);
	return n;
}

const char *sandbox_tostring(lua_State *L, int index, size_t *n)
{
	int type = lua_type(L, index);
	if (type == LUA_TTABLE || type == LUA_TFUNCTION)
		lua_pushfstring(L, "%s: %I", lua_typename(L, type), number_of(L, index));
	else if (type == LUA_TNUMBER && lua_tonumber(L, index) != lua_tonumber(L, index))
		lua_pushstring(L, "nan");  /* the sign of a NaN depends on the host */
	else
		luaL_tolstring(L, index, NULL);
	return lua_tolstring(L, -1, n);
}

static int tostring(lua_State *L)
{
	luaL_checkany(L, 1);
	sandbox_tostring(L, 1, NULL);
	return 1;
}

static int print_values(lua_State *L)
{
	FILE *f = sandbox_of(L)->print;
	int n = lua_gettop(L);
	for (int i = 1; i <= n; i++) {
		size_t len;
		const char *s = sandbox_tostring(L, i, &len);
		sandbox_charge(L, 100 + len);
		if (f) {
			fputs(i > 1 ? "\t" : "", f);
			output_write(f, s, len);
		}
		lua_pop(L, 1);
	}
	if (f) {
		fputc('\n', f);
		fflush(f);
	}
	return 0;
}

/* ---- calls ---- */

static int protected_call(lua_State *L)
{
	luaL_checkany(L, 1);
	int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
	sandbox_caught(L, status);
	lua_pushboolean(L, !status);
	lua_insert(L, 1);
	return lua_gettop(L);
}

/* xpcall: calls the handler after the error has been caught. Lua would call the handler at the place of the
   error, without hooks, so that no limit would be checked in it. */
static int handled_call(lua_State *L)
{
	luaL_checktype(L, 2, LUA_TFUNCTION);
	/* swap the first two: function, handler, arguments -> handler, function, arguments */
	lua_pushvalue(L, 1);
	lua_pushvalue(L, 2);
	lua_replace(L, 1);
	lua_replace(L, 2);
	int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
	sandbox_caught(L, status);
	if (!status) {
		lua_pushboolean(L, true);
		lua_replace(L, 1);
		return lua_gettop(L);
	}
	lua_pushboolean(L, false);
	lua_insert(L, 1);
	sandbox_caught(L, lua_pcall(L, 1, LUA_MULTRET, 0));
	return lua_gettop(L);
}

/* Calls the function kept in upvalue 1 with the same arguments. */
static int forward_call(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

/* ---- functions of Lua's library, which count their work against the limits first ---- */

enum { MAX_RESULTS = 1000000 };  /* most results of a function of Lua: its stack has room for no more */

static uint64_t span(lua_Integer from, lua_Integer to)
{
	return to < from ? 1 : (uint64_t)to - (uint64_t)from + 1;
}

static uint64_t of_texts(lua_State *L)
{
	uint64_t n = 0;
	for (int i = lua_gettop(L); i > 0; i--)
		n += lua_type(L, i) == LUA_TSTRING ? lua_rawlen(L, i) : 0;
	return sandbox_bytes(n);
}

static uint64_t of_text(lua_State *L)
{
	luaL_checkstring(L, 1);
	return of_texts(L);
}

/* Arguments that the functions refuse, such as a position out of bounds, cost nothing: they are refused
   before any loop. */
static uint64_t from_position(lua_State *L)
{
	lua_Integer n = (lua_Integer)lua_rawlen(L, 1), at = luaL_checkinteger(L, 2);
	return at < 1 ? 1 : span(at, n);
}

static uint64_t of_insert(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	return lua_gettop(L) == 3 ? from_position(L) : 1;
}

static uint64_t of_remove(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	return lua_gettop(L) > 1 ? from_position(L) : 1;
}

static uint64_t of_move(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_Integer from = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3),
		to = luaL_checkinteger(L, 4);
	bool many = from <= 0 && last >= LUA_MAXINTEGER + from;
	return many || (last >= from && to > LUA_MAXINTEGER - (last - from)) ? 1 : span(from, last);
}

static uint64_t of_unpack(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_Integer last = lua_isnoneornil(L, 3) ? (lua_Integer)lua_rawlen(L, 1) : luaL_checkinteger(L, 3);
	uint64_t n = span(luaL_optinteger(L, 2, 1), last);
	return n > MAX_RESULTS ? 1 : n;
}

/* The steps of string.pack and its like. A format may ask for blocks of bytes (c100): the sizes in it are
   added up, and more than SANDBOX_TEXT bytes are an error. */
static uint64_t of_pack(lua_State *L)
{
	uint64_t most = 0;
	for (const char *p = luaL_checkstring(L, 1); *p; p += *p != 0) {
		uint64_t n = 0;
		for (; *p >= '0' && *p <= '9'; p++)
			n = n > SANDBOX_TEXT ? n : n * 10 + (uint64_t)(*p - '0');
		most += n;
	}
	if (most > SANDBOX_TEXT)
		luaL_error(L, "a string has at most %d bytes", SANDBOX_TEXT);
	return sandbox_bytes(most) + of_texts(L);
}

static const struct Charged { const char *library, *name; uint64_t (*cost)(lua_State *); } charged[] = {
	{ "table", "insert", of_insert }, { "table", "remove", of_remove }, { "table", "move", of_move },
	{ "table", "unpack", of_unpack },
	{ "string", "pack", of_pack }, { "string", "packsize", of_pack }, { "string", "unpack", of_text },
	{ "string", "byte", of_text },
	{ "string", "lower", of_text }, { "string", "upper", of_text }, { "string", "reverse", of_text },
	{ "utf8", "len", of_text }, { "utf8", "codepoint", of_text }, { "utf8", "offset", of_text },
	{ "utf8", "codes", of_text },
	{ "_G", "tonumber", of_texts },
};

static int charge_and_forward(lua_State *L)
{
	sandbox_charge(L, charged[lua_tointeger(L, lua_upvalueindex(2))].cost(L));
	return forward_call(L);
}

static int rep(lua_State *L)
{
	size_t n, between = 0;
	luaL_checklstring(L, 1, &n);
	lua_Integer times = luaL_checkinteger(L, 2);
	luaL_optlstring(L, 3, "", &between);
	if (times <= 0 || n + between == 0) {
		lua_pushstring(L, "");
		return 1;
	}
	if ((uint64_t)times > (SANDBOX_TEXT + between) / (n + between))
		return luaL_error(L, "a string has at most %d bytes", SANDBOX_TEXT);
	sandbox_charge(L, (uint64_t)times + sandbox_bytes((uint64_t)times * (n + between)));
	return forward_call(L);
}

/* Called before string.format: replaces what %s prints by its text from sandbox_tostring, where tables and
   functions have numbers, and refuses %p, which prints an address. */
static int format(lua_State *L)
{
	int arg = 1;
	sandbox_charge(L, of_texts(L));
	for (const char *p = luaL_checkstring(L, 1); (p = strchr(p, '%')); p++) {
		p += 1 + strspn(p + 1, "-+ #0123456789.");
		if (!*p)
			break;
		arg += *p != '%';
		if (*p == 'p')
			return luaL_error(L, "%%p: addresses differ from run to run");
		if (*p == 's' && arg <= lua_gettop(L) && lua_type(L, arg) != LUA_TSTRING) {
			sandbox_tostring(L, arg, NULL);
			lua_replace(L, arg);
		}
	}
	return forward_call(L);
}

/* table.concat: the result's length is computed, and charged, before the result is made. */
static int concat(lua_State *L)
{
	size_t between = 0;
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_optlstring(L, 2, "", &between);
	lua_Integer last = luaL_opt(L, luaL_checkinteger, 4, (lua_Integer)lua_rawlen(L, 1));
	lua_settop(L, 4);
	uint64_t n = 0;
	for (lua_Integer i = luaL_optinteger(L, 3, 1); i <= last; i++) {
		int type = lua_rawgeti(L, 1, i);
		n += between + (type == LUA_TSTRING ? lua_rawlen(L, -1) : 1);
		lua_pop(L, 1);
		sandbox_charge(L, 1);
		if (n > SANDBOX_TEXT + between)
			return luaL_error(L, "a string has at most %d bytes", SANDBOX_TEXT);
		if ((type != LUA_TSTRING && type != LUA_TNUMBER) || i == LUA_MAXINTEGER)
			break;  /* Lua's function reports the error */
	}
	if (lua_isnil(L, 4)) {
		lua_pushinteger(L, last);
		lua_replace(L, 4);
	}
	sandbox_charge(L, sandbox_bytes(n));
	return forward_call(L);
}

/* ---- order ---- */

/* true: the value below the top of the stack comes before the one on top */
typedef bool ComesBefore(lua_State *L);

/* The order of pairs: numbers by value, then strings by their bytes, then false, then true. */
static bool key_before(lua_State *L)
{
	size_t na, nb;
	int a = lua_type(L, -2), b = lua_type(L, -1);
	if (a != b)
		return a == LUA_TNUMBER || (a == LUA_TSTRING && b == LUA_TBOOLEAN);
	if (a == LUA_TNUMBER)
		return lua_compare(L, -2, -1, LUA_OPLT);
	if (a == LUA_TBOOLEAN)
		return !lua_toboolean(L, -2);
	const char *s = lua_tolstring(L, -2, &na), *t = lua_tolstring(L, -1, &nb);
	int d = memcmp(s, t, na < nb ? na : nb);
	return d < 0 || (!d && na < nb);
}

/* Compares as table.sort does: by the function at index 2 when there is one, else by `<`. */
static bool sort_before(lua_State *L)
{
	sandbox_charge(L, lua_type(L, -1) == LUA_TSTRING ? 2 + sandbox_bytes(lua_rawlen(L, -1)) : 2);
	if (lua_isnil(L, 2)) {
		return lua_compare(L, -2, -1, LUA_OPLT);
	}
	lua_pushvalue(L, 2);
	lua_pushvalue(L, -3);
	lua_pushvalue(L, -3);
	lua_call(L, 2, 1);
	bool yes = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return yes;
}

static bool out_of_order(lua_State *L, int list, lua_Integer i, lua_Integer j, ComesBefore *before)
{
	lua_rawgeti(L, list, j);
	lua_rawgeti(L, list, i);
	bool yes = before(L);
	lua_pop(L, 2);
	return yes;
}

static void copy_element(lua_State *L, int to, lua_Integer k, int from, lua_Integer i)
{
	lua_rawgeti(L, from, i);
	lua_rawseti(L, to, k);
}

/* Merges elements [a, b) and [b, c) of the list `from`, each of them in order already, into [a, c) of the
   list `to`. */
static void merge_runs(lua_State *L, int from, int to, lua_Integer a, lua_Integer b, lua_Integer c,
	ComesBefore *before)
{
	lua_Integer i = a, j = b;
	for (lua_Integer k = a; k < c; k++) {
		bool second = i == b || (j < c && out_of_order(L, from, i, j, before));
		copy_element(L, to, k, from, second ? j++ : i++);
	}
}

/* Sorts elements 1 to n of the list at an index. Equal ones keep their order, and a comparison that
   contradicts itself does no harm. The elements are sorted in lists that no script sees, since the comparison
   may be a script's function that changes the list. */
static void sort_list(lua_State *L, int list, lua_Integer n, ComesBefore *before)
{
	int from = lua_gettop(L) + 1, to = from + 1;
	luaL_checkstack(L, 10, "sort");
	sandbox_charge(L, (uint64_t)n);
	lua_createtable(L, (int)n, 0);
	lua_createtable(L, (int)n, 0);
	for (lua_Integer i = 1; i <= n; i++)
		copy_element(L, from, i, list, i);
	for (lua_Integer width = 1; width < n; width *= 2) {
		for (lua_Integer a = 1; a <= n; a += 2 * width) {
			lua_Integer b = a + width < n + 1 ? a + width : n + 1,
				c = b + width < n + 1 ? b + width : n + 1;
			if (b < c && !out_of_order(L, from, b - 1, b, before))
				for (lua_Integer i = a; i < c; i++)
					copy_element(L, to, i, from, i);
			else
				merge_runs(L, from, to, a, b, c, before);
		}
		lua_insert(L, from);  /* the two lists change places */
		sandbox_charge(L, (uint64_t)n);
	}
	for (lua_Integer i = 1; i <= n; i++)
		copy_element(L, list, i, from, i);
	lua_settop(L, from - 1);
}

static int sort_table(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_settop(L, 2);
	sort_list(L, 1, (lua_Integer)lua_rawlen(L, 1), sort_before);
	return 0;
}

/* The iterator of pairs. Upvalues: the list of keys, and how many of them it has returned already. */
static int next_key(lua_State *L)
{
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
	for (;;) {
		lua_settop(L, 1);
		sandbox_charge(L, 1);
		if (lua_rawgeti(L, lua_upvalueindex(1), ++i) == LUA_TNIL)
			return 1;
		lua_pushvalue(L, 2);
		if (lua_rawget(L, 1) != LUA_TNIL)
			break; /* a key whose value is nil was removed since the list of keys was made */
	}
	lua_pushinteger(L, i);
	lua_replace(L, lua_upvalueindex(2));
	return 2;
}

/* The steps charged for sorting n keys with so many bytes in all: the same in whatever order the keys
   come. */
static uint64_t of_keys(lua_Integer n, uint64_t bytes)
{
	uint64_t rounds = 1;
	for (; n > 1; n /= 2)
		rounds++;
	return rounds * (bytes / 16);
}

/* pairs, in an order that is the same in every run. A table that is filled only when it is read has a
   metamethod __look, which fills it. */
static int ordered_pairs(lua_State *L)
{
	lua_Integer n = 0;
	uint64_t bytes = 0;
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_callmeta(L, 1, "__look");
	lua_settop(L, 1);
	lua_newtable(L);
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		int type = lua_type(L, -2);
		if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
			return luaL_error(L, "pairs: a key is a %s, and such keys have no order that is the "
				"same on every run: keep them in a list", luaL_typename(L, -2));
		sandbox_charge(L, 1);
		bytes += 32 + (type == LUA_TSTRING ? lua_rawlen(L, -2) : 0);
		lua_pushvalue(L, -2);
		lua_rawseti(L, 2, ++n);
	}
	sandbox_charge(L, of_keys(n, bytes));
	sort_list(L, 2, n, key_before);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next_key, 2);
	lua_pushvalue(L, 1);
	return 2;
}

/* ---- the state ---- */

/* Called before math.randomseed, which without a number would take one from the clock: gives it a fixed
   number. */
static int randomseed(lua_State *L)
{
	if (lua_isnone(L, 1)) {
		lua_pushinteger(L, 1);
		lua_pushinteger(L, 0);
	}
	return forward_call(L);
}

/* Lua's messages need a name for a function that no Lua code calls, such as one behind a wrapper. Lua looks
   for the name in tables of its registry, which no script sees. Enters the function on top of the stack there
   as library.field. */
static void name_function(lua_State *L, const char *library, const char *field)
{
	luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_getfield(L, -1, "_G");
	lua_pushfstring(L, "%s.%s", library, field);
	lua_pushvalue(L, -4);
	lua_rawset(L, -3);
	lua_pop(L, 2);
}

/* Makes the table of names that name_function adds to, with the global functions in it. */
static void name_globals(lua_State *L)
{
	luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_newtable(L);
	lua_pushglobaltable(L);
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		lua_pushvalue(L, -2);
		lua_pushvalue(L, -2);
		lua_rawset(L, -6);
	}
	lua_pop(L, 1);
	lua_setfield(L, -2, "_G");
	lua_pop(L, 1);
}

void sandbox_name(lua_State *L, const char *library)
{
	luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_pushvalue(L, -2);
	lua_setfield(L, -2, library);
	lua_pop(L, 1);
}

/* Replaces a function of the library on top of the stack by fn, which wraps it. */
static void wrap(lua_State *L, const char *library, const char *field, lua_CFunction fn)
{
	lua_getfield(L, -1, field);
	name_function(L, library, field);
	lua_pushcclosure(L, fn, 1);
	lua_setfield(L, -2, field);
}

static void forget_field(lua_State *L, const char *field)
{
	lua_pushnil(L);
	lua_setfield(L, -2, field);
}

static void charge_functions(lua_State *L)
{
	for (size_t i = 0; i < sizeof charged / sizeof *charged; i++) {
		lua_getglobal(L, charged[i].library);
		lua_getfield(L, -1, charged[i].name);
		name_function(L, charged[i].library, charged[i].name);
		lua_pushinteger(L, (lua_Integer)i);
		lua_pushcclosure(L, charge_and_forward, 2);
		lua_setfield(L, -2, charged[i].name);
		lua_pop(L, 1);
	}
}

static void open_string(lua_State *L)
{
	luaL_requiref(L, "string", luaopen_string, 1);
	forget_field(L, "dump");
	sandbox_patterns(L);
	wrap(L, "string", "rep", rep);
	wrap(L, "string", "format", format);
	lua_pop(L, 1);
}

static void open_table(lua_State *L)
{
	luaL_requiref(L, "table", luaopen_table, 1);
	wrap(L, "table", "concat", concat);
	lua_pushcfunction(L, sort_table);
	lua_setfield(L, -2, "sort");
	lua_pop(L, 1);
}

/* Opens the library `math`. math.random starts from the same state on every run. */
static void open_math(lua_State *L)
{
	luaL_requiref(L, "math", luaopen_math, 1);
	wrap(L, "math", "randomseed", randomseed);
	lua_getfield(L, -1, "randomseed");
	lua_call(L, 0, 0);
	lua_pop(L, 1);
}

int sandbox_libraries(lua_State *L)
{
	static const char *const gone[] = { "dofile", "loadfile", "load", "collectgarbage", "setmetatable",
		"getmetatable", "warn", "next" };
	static const luaL_Reg own[] = {
		{ "print", print_values }, { "tostring", tostring }, { "pairs", ordered_pairs },
		{ "pcall", protected_call }, { "xpcall", handled_call },
		{ NULL, NULL }
	};
	luaL_requiref(L, "_G", luaopen_base, 1);
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		forget_field(L, gone[i]);
	luaL_setfuncs(L, own, 0);
	lua_pop(L, 1);
	name_globals(L);
	open_string(L);
	open_table(L);
	open_math(L);
	luaL_requiref(L, "utf8", luaopen_utf8, 1);
	lua_pop(L, 1);
	charge_functions(L);
	return 0;
}
