/* gpu.argument: gives a workload one of its arguments, after checking it. */
#include "sim/host/workload.h"
#include <math.h>

typedef struct Wanted {
	/* number: a number is accepted; real: it need not be whole; power: it must be a power of two; word:
	   one of the words in the table at WORDS is accepted */
	bool number, real, power, word;
	lua_Integer from, to, multiple; /* bounds of whole numbers; they must be a multiple of the third */
	double low, high;              /* bounds of real numbers */
} Wanted;

/* indices on Lua's stack: arguments of gpu.argument, its one_of */
enum { INDEX = 1, DEFAULT, FIELDS, WORDS };

static const char *const fields[] = { "from", "to", "multiple_of", "power_of_two", "real", "one_of", NULL };

static double number_field(lua_State *L, const char *name, double missing)
{
	double v = missing;
	if (lua_getfield(L, FIELDS, name) != LUA_TNIL) {
		if (lua_type(L, -1) != LUA_TNUMBER)
			luaL_error(L, "gpu.argument: %s: expected a number", name);
		v = lua_tonumber(L, -1);
	}
	lua_pop(L, 1);
	return v;
}

static bool flag_field(lua_State *L, const char *name)
{
	lua_getfield(L, FIELDS, name);
	bool v = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return v;
}

static void no_value(lua_State *L, double low, double high, double multiple)
{
	char text[120];
	snprintf(text, sizeof text, "gpu.argument: no value can be from %.9g to %.9g and a multiple of %.9g",
		low, high, multiple);
	luaL_error(L, "%s", text);
}

static Wanted read_wanted(lua_State *L)
{
	host_fields(L, FIELDS, "gpu.argument", fields);
	Wanted w = { .real = flag_field(L, "real"), .power = flag_field(L, "power_of_two"),
		.low = number_field(L, "from", 1),
		.high = number_field(L, "to", INT32_MAX) };
	double multiple = number_field(L, "multiple_of", 1);
	if (!(fabs(w.low) < 0x1p53 && fabs(w.high) < 0x1p53 && w.low <= w.high && multiple >= 1 &&
		multiple < 0x1p53))
		no_value(L, w.low, w.high, multiple);
	w.from = (lua_Integer)ceil(w.low);
	w.to = (lua_Integer)floor(w.high);
	w.multiple = (lua_Integer)multiple;
	w.from += w.from > 0 && w.from % w.multiple ? w.multiple - w.from % w.multiple : 0;
	w.number = lua_getfield(L, FIELDS, "from") != LUA_TNIL;
	lua_pop(L, 1);
	w.word = lua_getfield(L, FIELDS, "one_of") == LUA_TTABLE;
	w.number |= !w.word;
	if (!w.word && !lua_isnil(L, WORDS))
		luaL_error(L, "gpu.argument: one_of: expected a list of words");
	return w;
}

/* Pushes word number k of one_of and returns it. */
static const char *push_word(lua_State *L, lua_Integer k)
{
	if (lua_rawgeti(L, WORDS, k) != LUA_TSTRING)
		luaL_error(L, "gpu.argument: one_of: expected a list of words");
	return lua_tostring(L, -1);
}

/* Pushes a text that says which values are accepted. */
static void say_wanted(lua_State *L, const Wanted *w)
{
	char text[120] = "";
	lua_Integer n = w->word ? (lua_Integer)lua_rawlen(L, WORDS) : 0;
	const char *kind = w->power ? "power of 2" : "whole number";
	if (w->number && w->real)
		snprintf(text, sizeof text, "a number from %.9g to %.9g", w->low, w->high);
	else if (w->number && w->multiple > 1)
		snprintf(text, sizeof text, "a multiple of %lld from %lld to %lld", (long long)w->multiple,
			(long long)w->from, (long long)w->to);
	else if (w->number)
		snprintf(text, sizeof text, "a %s from %lld to %lld", kind, (long long)w->from,
			(long long)w->to);
	lua_pushstring(L, text);
	for (lua_Integer k = 1; k <= n; k++) {
		const char *word = push_word(L, k);
		lua_pushfstring(L, "%s%s'%s'", lua_tostring(L, -2),
			k == 1 && !w->number ? "" : k < n ? ", " : " or ", word);
		lua_replace(L, -3);
		lua_pop(L, 1);
	}
}

/* True if the argument's text `given` is accepted; pushes the value that the workload gets. */
static bool accepted(lua_State *L, const Wanted *w, const char *given)
{
	int whole;
	for (lua_Integer k = 1, n = w->word ? (lua_Integer)lua_rawlen(L, WORDS) : 0; k <= n; k++) {
		if (!strcmp(push_word(L, k), given))
			return true;
		lua_pop(L, 1);
	}
	if (!w->number || !lua_stringtonumber(L, given))
		return false;
	if (w->real)
		return lua_tonumber(L, -1) >= w->low && lua_tonumber(L, -1) <= w->high;
	lua_Integer v = lua_tointegerx(L, -1, &whole);
	lua_pushinteger(L, v);
	return whole && v >= w->from && v <= w->to && v % w->multiple == 0 && !(w->power && v & (v - 1));
}

int host_argument(lua_State *L)
{
	const RunOptions *o = &run_of(L)->options;
	lua_Integer i = luaL_checkinteger(L, INDEX);
	host_needs_sizes(L);
	lua_settop(L, FIELDS);
	if (lua_isnil(L, FIELDS)) {
		lua_newtable(L);
		lua_replace(L, FIELDS);
	}
	luaL_checktype(L, FIELDS, LUA_TTABLE);
	Wanted w = read_wanted(L);          /* pushes one_of, at WORDS */
	if (i < 1)
		luaL_error(L, "gpu.argument: %I: arguments are numbered from 1", i);
	if (i > o->nargs) {
		lua_pushvalue(L, DEFAULT);
		return 1;
	}
	const char *given = o->args[i - 1];
	if (!accepted(L, &w, given)) {
		say_wanted(L, &w);
		luaL_error(L, "argument %I is '%s'; expected %s", i, given, lua_tostring(L, -1));
	}
	return 1;
}
