#include "sim/sandbox.h"
#include <lualib.h>
#include <time.h>

enum { MEMORY_LIMIT = 512 << 20, HOOK_STEPS = 10000 };
static const uint64_t STEP_LIMIT = 500000000;
static const double SECONDS_LIMIT = 6;
static const double PATTERN_LIMIT = 1e8;  /* character comparisons that one pattern may need at worst */
static const char stop_mark;              /* its address is the error value of sandbox_stop */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

Sandbox *sandbox_of(lua_State *L) { return *(Sandbox **)lua_getextraspace(L); }

static void *allocate(void *self, void *p, size_t old, size_t n)
{
	Sandbox *s = self;
	if (!p)
		old = 0;
	if (!n) {
		free(p);
		s->memory -= old;
		return NULL;
	}
	if (n > old && n - old > s->memory_limit - s->memory)
		return NULL;
	void *q = realloc(p, n);
	if (q)
		s->memory += n - old;
	return q;
}

static bool out_of_time(Sandbox *s) { return s->seconds + now() - s->started > s->seconds_limit; }

static void hook(lua_State *L, lua_Debug *ar __attribute__((unused)))
{
	Sandbox *s = sandbox_of(L);
	if (s->interrupted && *s->interrupted)
		s->over = true;
	s->steps += s->over ? 1 : HOOK_STEPS;
	if (s->steps > s->step_limit || out_of_time(s))
		s->over = true;
	if (!s->over)
		return;
	lua_sethook(L, hook, LUA_MASKCOUNT, 1);  /* so that pcall cannot go on */
	if (s->interrupted && *s->interrupted)
		sandbox_stop(L);
	luaL_error(L, "the instruction limit is reached (an endless loop?)");
}

void sandbox_check(lua_State *L)
{
	Sandbox *s = sandbox_of(L);
	if (out_of_time(s) || s->over) {
		s->over = true;
		lua_sethook(L, hook, LUA_MASKCOUNT, 1);
		luaL_error(L, "the time limit is reached (an endless loop?)");
	}
}

void sandbox_pause(lua_State *L)
{
	Sandbox *s = sandbox_of(L);
	s->seconds += now() - s->started;
}

void sandbox_resume(lua_State *L) { sandbox_of(L)->started = now(); }

/* ---- the library ---- */

static int print(lua_State *L)
{
	FILE *f = sandbox_of(L)->print;
	int n = lua_gettop(L);
	sandbox_check(L);
	for (int i = 1; i <= n; i++) {
		size_t len;
		const char *s = luaL_tolstring(L, i, &len);
		if (f) {
			fputs(i > 1 ? "\t" : "", f);
			fwrite(s, 1, len, f);
		}
		lua_pop(L, 1);
	}
	if (f) {
		fputc('\n', f);
		fflush(f);
	}
	return 0;
}

/* Calls the function kept in upvalue 1 with the same arguments. */
static int forward(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

/* string.find, match, gmatch and gsub: Lua's matcher backtracks inside C, where no limit reaches it. */
static int bounded_match(lua_State *L)
{
	size_t n, np;
	luaL_checklstring(L, 1, &n);
	const char *p = luaL_checklstring(L, 2, &np);
	double cost = (double)n + 1;
	sandbox_check(L);
	for (size_t i = 0; i < np; i++) {
		if (p[i] == '%' && i + 1 < np) {
			if (p[++i] == 'b')
				cost *= (double)n + 1;
		} else if (p[i] == '*' || p[i] == '+' || p[i] == '-' || p[i] == '?') {
			cost *= p[i] == '?' ? 2 : (double)n + 1;
		}
	}
	if (cost * (double)(np + 1) > PATTERN_LIMIT && !(lua_type(L, 4) == LUA_TBOOLEAN && lua_toboolean(L, 4)))
		return luaL_error(L, "the pattern may take too long on a text of %d characters", (int)n);
	return forward(L);
}

/* table.move, and whatever else loops in C over a range that its caller names. */
static int bounded_move(lua_State *L)
{
	lua_Integer from = luaL_checkinteger(L, 2), to = luaL_checkinteger(L, 3);
	sandbox_check(L);
	if (to >= from && (lua_Unsigned)to - (lua_Unsigned)from > 100000000)
		return luaL_error(L, "too many elements to move");
	return forward(L);
}

static int checked(lua_State *L)
{
	sandbox_check(L);
	return forward(L);
}

/* Replaces field of the table on top of the stack by fn around it. */
static void wrap(lua_State *L, const char *field, lua_CFunction fn)
{
	lua_getfield(L, -1, field);
	lua_pushcclosure(L, fn, 1);
	lua_setfield(L, -2, field);
}

static void forget(lua_State *L, const char *field)
{
	lua_pushnil(L);
	lua_setfield(L, -2, field);
}

/* The sorting of keys: numbers by value, then strings by bytes, then whatever else there is. */
static bool before(lua_State *L, int a, int b)
{
	int ta = lua_type(L, a), tb = lua_type(L, b);
	if (ta == LUA_TNUMBER && tb == LUA_TNUMBER)
		return lua_compare(L, a, b, LUA_OPLT);
	if (ta == LUA_TSTRING && tb == LUA_TSTRING)
		return strcmp(lua_tostring(L, a), lua_tostring(L, b)) < 0;
	return ta == LUA_TNUMBER ? tb != LUA_TNUMBER : ta == LUA_TSTRING && tb != LUA_TNUMBER && tb != LUA_TSTRING;
}

static int key_order(lua_State *L)
{
	lua_pushboolean(L, before(L, 1, 2));
	return 1;
}

/* pairs' iterator; upvalues: the keys, and how many were given. */
static int next_key(lua_State *L)
{
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(2));
	for (;;) {
		lua_settop(L, 1);
		if (lua_rawgeti(L, lua_upvalueindex(1), ++i) == LUA_TNIL)
			return 1;
		lua_pushvalue(L, 2);
		if (lua_rawget(L, 1) != LUA_TNIL)
			break; /* else it was removed meanwhile */
	}
	lua_pushinteger(L, i);
	lua_replace(L, lua_upvalueindex(2));
	return 2;
}

/* pairs in an order that is the same in every run. Upvalue 1: table.sort. */
static int ordered_pairs(lua_State *L)
{
	lua_Integer n = 0;
	luaL_checktype(L, 1, LUA_TTABLE);
	sandbox_check(L);
	lua_settop(L, 1);
	lua_newtable(L);
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		lua_pushvalue(L, -2);
		lua_rawseti(L, 2, ++n);
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, 2);
	lua_pushcfunction(L, key_order);
	lua_call(L, 2, 0);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next_key, 2);
	lua_pushvalue(L, 1);
	return 2;
}

/* Metatables are refused: __gc runs where no limit reaches, and __len makes C loops endless. So is what differs from
   run to run. */
static int open_libraries(lua_State *L)
{
	static const char *const gone[] = { "dofile", "loadfile", "load", "collectgarbage", "setmetatable", "getmetatable", "warn", "next" };
	luaL_requiref(L, "_G", luaopen_base, 1);
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		forget(L, gone[i]);
	lua_pushcfunction(L, print);
	lua_setfield(L, -2, "print");
	lua_pop(L, 1);
	luaL_requiref(L, "string", luaopen_string, 1);
	forget(L, "dump");
	wrap(L, "find", bounded_match);
	wrap(L, "match", bounded_match);
	wrap(L, "gmatch", bounded_match);
	wrap(L, "gsub", bounded_match);
	wrap(L, "rep", checked);
	lua_pop(L, 1);
	luaL_requiref(L, "table", luaopen_table, 1);
	lua_getfield(L, -1, "sort");
	lua_pushcclosure(L, ordered_pairs, 1);
	lua_setglobal(L, "pairs");
	wrap(L, "move", bounded_move);
	wrap(L, "sort", checked);
	wrap(L, "concat", checked);
	lua_pop(L, 1);
	luaL_requiref(L, "math", luaopen_math, 1);
	luaL_requiref(L, "utf8", luaopen_utf8, 1);
	lua_pop(L, 2);
	return 0;
}

/* math.random starts from the same place on every run. */
static int seed(lua_State *L)
{
	lua_getglobal(L, "math");
	lua_getfield(L, -1, "randomseed");
	lua_pushinteger(L, 1);
	lua_pushinteger(L, 0);
	lua_call(L, 2, 0);
	return 0;
}

lua_State *sandbox_open(Sandbox *s)
{
	s->memory_limit = MEMORY_LIMIT;
	s->step_limit = STEP_LIMIT;
	s->seconds_limit = SECONDS_LIMIT;
	s->L = lua_newstate(allocate, s);
	if (!s->L)
		return NULL;
	*(Sandbox **)lua_getextraspace(s->L) = s;
	lua_pushcfunction(s->L, seed);
	lua_pushcfunction(s->L, open_libraries);
	if (lua_pcall(s->L, 0, 0, 0) || lua_pcall(s->L, 0, 0, 0)) {
		sandbox_close(s);
		return NULL;
	}
	lua_sethook(s->L, hook, LUA_MASKCOUNT, HOOK_STEPS);
	return s->L;
}

void sandbox_close(Sandbox *s)
{
	if (s->L)
		lua_close(s->L);
	s->L = NULL;
}

/* ---- errors ---- */

int sandbox_stop(lua_State *L)
{
	lua_pushlightuserdata(L, (void *)&stop_mark);
	return lua_error(L);
}

static bool lua_level(lua_State *L, lua_Debug *ar)
{
	for (int level = 0; lua_getstack(L, level, ar); level++)
		if (lua_getinfo(L, "Sl", ar) && ar->currentline > 0)
			return true;
	return false;
}

Loc sandbox_where(lua_State *L, Diag *diag)
{
	lua_Debug ar;
	if (!lua_level(L, &ar))
		return (Loc){ 0 };
	return (Loc){ arena_strdup(&diag->arena, ar.source + 1), ar.currentline, 0 };
}

/* "short name:12: text" -> text, and the line when there is one. */
static const char *strip_place(const char *s, int *line)
{
	for (const char *p = strchr(s, ':'); p; p = strchr(p + 1, ':')) {
		char *end;
		long n = strtol(p + 1, &end, 10);
		if (end != p + 1 && p[1] >= '0' && p[1] <= '9' && !strncmp(end, ": ", 2)) {
			*line = (int)n;
			return end + 2;
		}
	}
	return s;
}

/* Message handler: the value becomes { text, file, line }, or stays the mark of sandbox_stop. */
static int locate(lua_State *L)
{
	lua_Debug ar;
	int line = 0;
	if (lua_touserdata(L, 1) == (void *)&stop_mark)
		return 1;
	bool in_lua = lua_level(L, &ar);
	const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : lua_pushfstring(L, "error value of type %s",
		luaL_typename(L, 1));
	lua_createtable(L, 3, 0);
	lua_pushstring(L, strip_place(text, &line));
	lua_rawseti(L, -2, 1);
	lua_pushstring(L, in_lua ? ar.source + 1 : "");
	lua_rawseti(L, -2, 2);
	lua_pushinteger(L, line ? line : in_lua ? ar.currentline : 0);
	lua_rawseti(L, -2, 3);
	return 1;
}

/* The error value on top of the stack becomes an error in diag. */
static void report(lua_State *L, const char *path, Diag *diag)
{
	int line = 0;
	if (lua_type(L, -1) == LUA_TTABLE) {
		lua_rawgeti(L, -1, 1);
		lua_rawgeti(L, -2, 2);
		lua_rawgeti(L, -3, 3);
		const char *file = lua_tostring(L, -2);
		const char *text = lua_tostring(L, -3);
		diag_error(diag, (Loc){ file && *file ? file : path, (int)lua_tointeger(L, -1), 0 }, "%s", text ? text : "?");
		lua_pop(L, 3);
	} else if (lua_type(L, -1) == LUA_TSTRING) {
		const char *text = strip_place(lua_tostring(L, -1), &line);
		diag_error(diag, (Loc){ path, line, 0 }, "%s", text);
	}
	lua_pop(L, 1);
}

bool sandbox_call(Sandbox *s, int nargs, int nresults, Diag *diag)
{
	lua_State *L = s->L;
	int base = lua_gettop(L) - nargs;
	lua_pushcfunction(L, locate);
	lua_insert(L, base);
	s->started = now();
	int status = lua_pcall(L, nargs, nresults, base);
	s->stopped = status && lua_touserdata(L, -1) == (void *)&stop_mark;
	s->seconds += now() - s->started;
	lua_remove(L, base);
	if (status)
		report(L, *s->path ? arena_strdup(&diag->arena, s->path) : NULL, diag);
	return !status;
}

bool sandbox_compile(lua_State *L, const char *text, size_t n, const char *path, Diag *diag)
{
	char name[sizeof sandbox_of(L)->path + 1];
	snprintf(sandbox_of(L)->path, sizeof sandbox_of(L)->path, "%s", path);
	snprintf(name, sizeof name, "@%s", path);
	if (n && text[0] == '#')  /* first line of a script: the line break stays, so that lines keep their numbers */
		for (; n && *text != '\n'; text++, n--)
			;
	if (!luaL_loadbufferx(L, text, n, name, "t"))
		return true;
	report(L, path, diag);
	return false;
}

bool sandbox_run(Sandbox *s, const char *text, size_t n, const char *path, Diag *diag)
{
	return sandbox_compile(s->L, text, n, path, diag) && sandbox_call(s, 0, 0, diag);
}
