/* Plans in Lua: a file that returns a table of axes, and the functions that say which points are wanted and
   what parameters derive from others. */
#include "lib/file.h"
#include "lib/hash.h"
#include "tools/sweep/inputs_copy.h"
#include <unistd.h>

enum { MOST_TEXT = 1 << 20, MOST_NAME = 4096, RANGE_STEPS = 4 };

typedef struct PlanReader { Plan *plan; const char *folder; } PlanReader;

/* ---- the state ---- */

/* range(from, to, step): the numbers as a list. */
static int list_range(lua_State *L)
{
	bool whole = lua_isinteger(L, 1) && lua_isinteger(L, 2) && (lua_isnoneornil(L, 3) ||
		lua_isinteger(L, 3));
	lua_Number from = luaL_checknumber(L, 1), to = luaL_checknumber(L, 2), step = luaL_optnumber(L, 3, 1);
	luaL_argcheck(L, step != 0 && step == step, 3, "expected a step other than 0");
	lua_Number steps = (to - from) / step;
	luaL_argcheck(L, steps >= 0 && steps < PLAN_MOST_VALUES, 2,
		"expected a range with 1 to 1000000 numbers");
	lua_newtable(L);
	for (lua_Integer i = 0; (lua_Number)i <= steps + 1e-9; i++) {
		sandbox_charge(L, RANGE_STEPS);
		if (whole)
			lua_pushinteger(L, lua_tointeger(L, 1) + i * (lua_Integer)step);
		else
			lua_pushnumber(L, from + (lua_Number)i * step);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

static bool open_state(Plan *p, Diag *diag)
{
	if (p->lua.L)
		return true;
	if (!sandbox_open(&p->lua)) {
		diag_error(diag, (Loc){ 0 }, "there is no memory for Lua");
		return false;
	}
	lua_pushcfunction(p->lua.L, list_range);
	lua_setglobal(p->lua.L, "range");
	return true;
}

/* ---- from the table to axes ---- */

/* The value on top of the stack as text; raises an error if it is none. */
static const char *value_text(lua_State *L, Plan *p, const char *name)
{
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN:
		return lua_toboolean(L, -1) ? "true" : "false";
	case LUA_TNUMBER:
	case LUA_TSTRING: {
		size_t n;
		lua_pushvalue(L, -1);
		const char *s = lua_tolstring(L, -1, &n), *text = arena_strndup(&p->arena, s, n);
		lua_pop(L, 1);
		if (n != strlen(text) || n >= SANDBOX_TEXT)
			luaL_error(L, "%s: expected text without zero bytes", name);
		return text;
	}
	default:
		luaL_error(L, "%s: expected texts, numbers or truth values, found %s", name,
			sandbox_kind(lua_type(L, -1)));
		return NULL;
	}
}

/* The list on top of the stack as arguments of a workload. */
static const char *value_arguments(lua_State *L, Plan *p, const char *name)
{
	char *args[PLAN_MOST_ARGUMENTS];
	int n = 0;
	if (!lua_istable(L, -1))
		luaL_error(L, "%s: expected lists such as { { \"64\" }, { \"128\" } }", name);
	for (; lua_rawgeti(L, -1, n + 1) != LUA_TNIL && n < PLAN_MOST_ARGUMENTS; lua_pop(L, 1))
		args[n++] = (char *)value_text(L, p, name);
	lua_pop(L, 1);
	return plan_arguments(&p->arena, args, n);
}

/* The name of a module below the folder of the plan. */
static const char *value_module(lua_State *L, PlanReader *r)
{
	const char *name = value_text(L, r->plan, "modules"), *why = file_name_refused(name);
	if (why)
		luaL_error(L, "modules: '%s': %s", name, why);
	return arena_printf(&r->plan->arena, "%s%s", r->folder, name);
}

/* A machine file below the folder of the plan, or one that is found where machine files are kept. */
static const char *value_machine(lua_State *L, PlanReader *r)
{
	const char *name = value_text(L, r->plan, "machines"), *why = file_name_refused(name);
	if (why)
		luaL_error(L, "machines: '%s': %s", name, why);
	const char *here = arena_printf(&r->plan->arena, "%s%s", r->folder, name);
	uint64_t size;
	int fd = file_open_in(r->folder, name, false, &size, &why);
	if (fd >= 0)
		close(fd);
	return fd >= 0 ? here : name;
}

static void add_lua_value(lua_State *L, PlanReader *r, AxisKind kind, const char *name)
{
	const char *value = kind == AXIS_MACHINE ? value_machine(L, r)
		: kind == AXIS_MODULE ? value_module(L, r) : kind == AXIS_ARGUMENTS
		? value_arguments(L, r->plan, name) : value_text(L, r->plan, name);
	Axis *axis = plan_axis(r->plan, kind, name);
	if (axis->value.n >= PLAN_MOST_VALUES)
		luaL_error(L, "%s: expected at most %d values", name, PLAN_MOST_VALUES);
	vec_push(&axis->value, value);
	if (!axis->planned++)
		axis->first_planned = axis->value.n - 1;
}

/* The values on top of the stack: one, a list of them, or a function of the point. */
static void add_lua_values(lua_State *L, PlanReader *r, AxisKind kind, const char *name)
{
	if (lua_isfunction(L, -1)) {
		if (kind != AXIS_PARAMETER)
			luaL_error(L, "%s: expected a list; only parameters of set may be functions", name);
		lua_pushvalue(L, -1);
		plan_axis(r->plan, kind, name)->function = luaL_ref(L, LUA_REGISTRYINDEX);
		return;
	}
	if (!lua_istable(L, -1)) {
		add_lua_value(L, r, kind, name);
		return;
	}
	lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
	if (!n)
		luaL_error(L, "%s: expected at least one value", name);
	for (lua_Integer i = 1; i <= n; i++) {
		lua_rawgeti(L, -1, i);
		add_lua_value(L, r, kind, name);
		lua_pop(L, 1);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The table of set or vary on top of the stack, in the order of names: Lua's own differs from run to run. */
static void add_lua_axes(lua_State *L, PlanReader *r, AxisKind kind, const char *what)
{
	Vec(const char *) name = { 0 };
	if (!lua_istable(L, -1))
		luaL_error(L, "%s: expected a table, found %s", what, sandbox_kind(lua_type(L, -1)));
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
		if (lua_type(L, -2) == LUA_TSTRING && strlen(lua_tostring(L, -2)) < MOST_NAME)
			vec_push(&name, arena_strdup(&r->plan->arena, lua_tostring(L, -2)));
	int n = name.n;
	const char **sorted = arena_array(&r->plan->arena, const char *, n);
	if (n) {
		qsort(name.v, (size_t)n, sizeof *name.v, by_name);
		memcpy(sorted, name.v, (size_t)n * sizeof *sorted);
	}
	vec_free(&name);
	for (int i = 0; i < n; i++) {
		lua_getfield(L, -1, sorted[i]);
		add_lua_values(L, r, kind, sorted[i]);
		lua_pop(L, 1);
	}
}

static void read_statistics(lua_State *L, Plan *p)
{
	if (!lua_istable(L, -1))
		luaL_error(L, "statistics: expected a list of names");
	for (int i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
		vec_push(&p->statistic, value_text(L, p, "statistics"));
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

static void read_field(lua_State *L, PlanReader *r, const char *key)
{
	static const struct { const char *name; AxisKind kind; } lists[] = { { "modules", AXIS_MODULE },
		{ "machines", AXIS_MACHINE }, { "mechanisms", AXIS_MECHANISM }, { "passes", AXIS_PASSES },
		{ "arguments", AXIS_ARGUMENTS }, { "sizes", AXIS_SIZE } };
	static const char *const known[] = { "modules", "machines", "mechanisms", "passes", "arguments",
		"sizes", "set",
		"vary", "when", "workload", "functional", "statistics" };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(key, lists[i].name)) {
			add_lua_values(L, r, lists[i].kind, key);
			return;
		}
	if (!strcmp(key, "set")) {
		add_lua_axes(L, r, AXIS_PARAMETER, key);
	} else if (!strcmp(key, "vary")) {
		add_lua_axes(L, r, AXIS_VARIABLE, key);
	} else if (!strcmp(key, "when")) {
		luaL_argcheck(L, lua_isfunction(L, -1), 1, "when: expected a function of the point");
		lua_pushvalue(L, -1);
		r->plan->when = luaL_ref(L, LUA_REGISTRYINDEX);
	} else if (!strcmp(key, "workload")) {
		const char *name = value_text(L, r->plan, key), *why = file_name_refused(name);
		if (why)
			luaL_error(L, "workload: '%s': %s", name, why);
		r->plan->workload = arena_printf(&r->plan->arena, "%s%s", r->folder, name);
	} else if (!strcmp(key, "functional")) {
		r->plan->functional = lua_toboolean(L, -1);
	} else if (!strcmp(key, "statistics")) {
		read_statistics(L, r->plan);
	} else {
		const char *near = nearest_name(key, known, sizeof known / sizeof *known);
		luaL_error(L, near ? "unknown field '%s'; did you mean '%s'?"
			: "unknown field '%s'; expected modules, machines, mechanisms, passes, arguments, "
			"sizes, set, vary, when, workload, functional or statistics", key, near);
	}
}

/* Gets the table of the file, and the reader as light user data. */
static int read_table(lua_State *L)
{
	PlanReader *r = lua_touserdata(L, 2);
	if (!lua_istable(L, 1))
		luaL_error(L, "the file must return a table, not %s", sandbox_kind(lua_type(L, 1)));
	lua_settop(L, 1);
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "fields need names, like modules = { \"a.ir\" }");
		read_field(L, r, lua_tostring(L, -2));
	}
	return 0;
}

bool plan_read(Plan *p, const char *path, Diag *diag)
{
	const char *why, *slash = strrchr(path, '/');
	size_t n;
	PlanReader r = { p, slash ? arena_strndup(&p->arena, path, (size_t)(slash - path) + 1) : "" };
	if (!open_state(p, diag))
		return false;
	p->file = path;
	p->folder = r.folder;
	char *text = file_read(inputs_copy_or_itself(&p->arena, p->inputs, path), MOST_TEXT, &n, &why);
	if (!text) {
		diag_error(diag, (Loc){ path, 0, 0 }, "cannot be read: %s", why);
		return false;
	}
	lua_State *L = p->lua.L;
	lua_pushcfunction(L, read_table);
	bool ok = sandbox_compile(L, text, n, path, diag) && sandbox_call(&p->lua, 0, 1, diag);
	if (ok) {
		lua_pushlightuserdata(L, &r);
		ok = sandbox_call(&p->lua, 2, 0, diag);
	}
	lua_settop(L, 0);
	free(text);
	return ok;
}

bool plan_when(Plan *p, const char *expression, Diag *diag)
{
	StrBuf b = { 0 };
	if (!open_state(p, diag))
		return false;
	if (p->when) {
		diag_error(diag, (Loc){ 0 }, "--when: the plan has a condition of its own");
		return false;
	}
	sb_printf(&b, "local _ENV = ... return (%s)", expression);
	bool ok = sandbox_compile(p->lua.L, b.s, b.n, "--when", diag);
	sb_free(&b);
	if (ok)
		p->when = luaL_ref(p->lua.L, LUA_REGISTRYINDEX);
	return ok;
}

/* ---- points ---- */

static int unknown_column(lua_State *L)
{
	return luaL_error(L, "there is no '%s' in a point; expected module, machine, mechanism, passes, "
		"arguments, or what varies", luaL_tolstring(L, 2, NULL));
}

/* Puts a value under the name into the table on top of the stack; a name with dots is that of a field of a
   table. Numbers are numbers. */
static void put_column(lua_State *L, const char *name, const char *value)
{
	const char *dot = strchr(name, '.');
	if (dot) {
		lua_pushlstring(L, name, (size_t)(dot - name));
		lua_pushvalue(L, -1);
		if (lua_rawget(L, -3) != LUA_TTABLE) {
			lua_pop(L, 1);
			lua_newtable(L);
			lua_pushvalue(L, -2);
			lua_pushvalue(L, -2);
			lua_rawset(L, -5);
		}
		put_column(L, dot + 1, value);
		lua_pop(L, 2);
		return;
	}
	lua_pushstring(L, name);
	if (!strcmp(value, "true") || !strcmp(value, "false"))
		lua_pushboolean(L, *value == 't');
	else if (!lua_stringtonumber(L, value))
		lua_pushstring(L, value);
	lua_rawset(L, -3);
}

/* Arguments: Plan and Point as light user data. Returns the point as a table. */
static int make_point(lua_State *L)
{
	const Plan *p = lua_touserdata(L, 1);
	const Point *point = lua_touserdata(L, 2);
	Arena a = { 0 };
	lua_newtable(L);
	for (int i = 0; i < p->axis.n; i++)
		if (point->value[i])
			put_column(L, p->axis.v[i].name, plan_shown(&a, &p->axis.v[i], point->value[i]));
	arena_free(&a);
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, unknown_column);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	return 1;
}

/* Calls the function of the registry with the point; its result is on top of the stack. */
static bool call_with_point(Plan *p, const Point *point, int function, Diag *diag)
{
	lua_State *L = p->lua.L;
	/* each call has limits of its own */
	p->lua.steps = p->lua.next_look = 0;
	p->lua.seconds = 0;
	lua_rawgeti(L, LUA_REGISTRYINDEX, function);
	lua_pushcfunction(L, make_point);
	lua_pushlightuserdata(L, p);
	lua_pushlightuserdata(L, (void *)point);
	return sandbox_call(&p->lua, 2, 1, diag) && sandbox_call(&p->lua, 1, 1, diag);
}

/* As values in lists are, those of functions are checked before anything runs. */
static bool takes_value(const Axis *axis, const char *value, Diag *diag)
{
	Config c;
	config_defaults(&c);
	return config_set(&c, axis->name, value, diag);
}

bool plan_derive(Plan *p, Point *point, Arena *a, Diag *diag)
{
	for (int i = 0; i < p->axis.n; i++) {
		const Axis *axis = &p->axis.v[i];
		if (!axis->function)
			continue;
		if (!call_with_point(p, point, axis->function, diag))
			return false;
		size_t n;
		bool truth = lua_isboolean(p->lua.L, -1);
		const char *text = truth ? lua_toboolean(p->lua.L, -1) ? "true" : "false"
			: lua_tolstring(p->lua.L, -1, &n);
		if (!text)
			diag_error(diag, (Loc){ 0 }, "set: %s: its function gave %s; expected a number, "
				"text or truth value", axis->name, sandbox_kind(
				lua_type(p->lua.L, -1)));
		point->value[i] = text ? arena_strdup(a, text) : "";
		lua_settop(p->lua.L, 0);
		if (!text || !takes_value(axis, point->value[i], diag))
			return false;
	}
	return true;
}

bool plan_wants(Plan *p, const Point *point, bool *wanted, Diag *diag)
{
	if (!call_with_point(p, point, p->when, diag))
		return false;
	*wanted = lua_toboolean(p->lua.L, -1);
	lua_settop(p->lua.L, 0);
	return true;
}
