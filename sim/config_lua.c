/* Machine files: one Lua table, e.g. `return derive("kepler.lua", { sm = { count = 1 } })`. */
#include "lib/file.h"
#include "lib/strbuf.h"
#include "sim/config.h"
#include "sim/sandbox.h"
#include <ctype.h>
#include <unistd.h>

enum { MAX_CHAIN = 16, MAX_TEXT = 1 << 20, MAX_STEPS = 20000000 };

typedef struct Loader {
	Sandbox box;
	Diag *diag;
	int line;                       /* of the call of derive that is being served; 0 = none */
	int nchain;
	const char *chain[MAX_CHAIN];   /* files being loaded, each derived from by the one before */
	const char *text[MAX_CHAIN];    /* their contents */
} Loader;

/* ---- where files are ---- */

static const char *if_there(Arena *a, const char *dir, size_t n, const char *sub, const char *file)
{
	char *path = n ? arena_printf(a, "%.*s/%s%s", (int)n, dir, sub, file) : arena_printf(a, "%s%s", sub, file);
	return access(path, R_OK) ? NULL : path;
}

static const char *search_path(Arena *a, const char *list, const char *file)
{
	const char *found = NULL;
	while (list && *list && !found) {
		size_t n = strcspn(list, ":");
		if (n && !(found = if_there(a, list, n, "", file)))
			found = if_there(a, list, n, "configs/", file);
		list += n + (list[n] == ':');
	}
	return found;
}

const char *config_search(Arena *a, const char *file, const char *from)
{
	const char *found = NULL, *slash = from ? strrchr(from, '/') : NULL;
	if (file[0] == '/')
		return if_there(a, "", 0, "", file);
	if (slash)
		found = if_there(a, from, (size_t)(slash - from), "", file);
	if (!found && (!from || !slash))
		found = if_there(a, "", 0, "", file);
	if (!found)
		found = search_path(a, getenv("GSIM_PATH"), file);
	if (!found)
		found = search_path(a, GSIM_DATADIR, file);
	if (!found)
		found = if_there(a, "", 0, "configs/", file);
	if (!found && !strchr(file, '.'))
		found = config_search(a, arena_printf(a, "%s.lua", file), from);
	return found;
}

/* ---- places of values: Lua keeps none, so the names are looked for in the text ---- */

static const char *skip_noise(const char *p, int *line) /* over comments and strings */
{
	if (p[0] == '-' && p[1] == '-' && p[2] == '[' && p[3] == '[') {
		for (; *p && strncmp(p, "]]", 2); p++)
			*line += *p == '\n';
		return p;
	}
	if (p[0] == '-' && p[1] == '-')
		return p + strcspn(p, "\n");
	if (*p == '"' || *p == '\'') {
		char quote = *p++;
		while (*p && *p != quote && *p != '\n')
			p += *p == '\\' && p[1] ? 2 : 1;
		return *p == quote ? p + 1 : p;
	}
	return p;
}

/* The line where "a.b.c" gets its value in text: `a = { ... b = { ... c =`; 0 when it is not written like that. */
static int line_of(const char *text, const char *name)
{
	int line = 1;
	for (const char *p = text; *p;) {
		const char *q = skip_noise(p, &line);
		if (q != p) {
			p = q;
		} else if (isalpha((unsigned char)*p) || *p == '_') {
			size_t n = 0, want = strcspn(name, ".");
			while (isalnum((unsigned char)p[n]) || p[n] == '_')
				n++;
			if (n == want && !memcmp(p, name, n) && p[n + strspn(p + n, " \t")] == '=') {
				if (!name[want])
					return line;
				name += want + 1;
			}
			p += n;
		} else {
			line += *p++ == '\n';
		}
	}
	return 0;
}

static Loc place(const Loader *l, const char *name)
{
	int i = l->nchain - 1, line = line_of(l->text[i], name);
	return (Loc){ l->chain[i], line ? line : l->line, 0 };
}

/* ---- from a Lua table to a Config ---- */

static bool is_group(const char *name)
{
	ConfigKey key;
	char whole[CONFIG_NAME];
	size_t n = strlen(name);
	for (int i = 0; config_key(i, &key); i++)
		if (!strncmp(config_key_name(&key, whole), name, n) && whole[n] == '.')
			return true;
	return false;
}

static void unknown(Loader *l, const char *name)
{
	char near[CONFIG_NAME];
	config_nearest(name, near);
	if (near[0])
		diag_error(l->diag, place(l, name), "unknown parameter '%.80s'; did you mean '%s'?", name, near);
	else
		diag_error(l->diag, place(l, name), "unknown parameter '%.80s'", name);
}

/* The value on top of the stack. */
static void apply_value(Loader *l, Config *c, const ConfigKey *key, const char *name)
{
	lua_State *L = l->box.L;
	int type = lua_type(L, -1), whole = 0;
	Loc where = place(l, name);
	if (key->type == CT_INT && type == LUA_TNUMBER) {
		lua_Integer v = lua_tointegerx(L, -1, &whole);
		if (whole)
			config_put(c, key, v, where, l->diag);
		else
			diag_error(l->diag, where, "%s = %.9g: expected a whole number", name, lua_tonumber(L, -1));
	} else if (key->type == CT_BOOL && type == LUA_TBOOLEAN) {
		config_put(c, key, lua_toboolean(L, -1), where, l->diag);
	} else if (key->type == CT_ENUM && type == LUA_TSTRING) {
		config_put_name(c, key, lua_tostring(L, -1), where, l->diag);
	} else {
		static const char *const wanted[] = { "a whole number", "true or false", "a name in quotes" };
		diag_error(l->diag, where, "%s: expected %s, found a %s", name, wanted[key->type], lua_typename(L, type));
	}
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Every field of the table on top of the stack, in order of their names: Lua's own order differs from run to run. */
static void apply_table(Loader *l, Config *c, const char *prefix)
{
	lua_State *L = l->box.L;
	Arena a = { 0 };
	Vec(char *) fields = { 0 };
	luaL_checkstack(L, 4, "machine file");
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		if (lua_type(L, -2) == LUA_TSTRING)
			vec_push(&fields, arena_strdup(&a, lua_tostring(L, -2)));
		else
			diag_error(l->diag, place(l, *prefix ? prefix : "?"), "%s%sfields need names, like depth = 16", prefix,
				*prefix ? ": " : "");
	}
	if (fields.n)
		qsort(fields.v, (size_t)fields.n, sizeof *fields.v, by_name);
	for (int i = 0; i < fields.n; i++) {
		ConfigKey key;
		const char *name = *prefix ? arena_printf(&a, "%s.%s", prefix, fields.v[i]) : fields.v[i];
		lua_getfield(L, -1, fields.v[i]);
		if (config_find(name, &key))
			apply_value(l, c, &key, name);
		else if (is_group(name) && lua_type(L, -1) == LUA_TTABLE)
			apply_table(l, c, name);
		else if (is_group(name))
			diag_error(l->diag, place(l, name), "%s: expected a table, found a %s", name, luaL_typename(L, -1));
		else
			unknown(l, name);
		lua_pop(L, 1);
	}
	vec_free(&fields);
	arena_free(&a);
}

/* Fields of the table at index from go into the one at index into, tables into tables. Both have been applied, so their
   depth is that of the parameters' names. */
static void merge(lua_State *L, int into, int from)
{
	luaL_checkstack(L, 6, "machine file");
	for (lua_pushnil(L); lua_next(L, from); lua_pop(L, 1)) {
		lua_pushvalue(L, -2);
		if (!lua_istable(L, -2)) {
			lua_pushvalue(L, -2);
			lua_rawset(L, into);
			continue;
		}
		if (lua_rawget(L, into) != LUA_TTABLE) {
			lua_pop(L, 1);
			lua_newtable(L);
			lua_pushvalue(L, -3);
			lua_pushvalue(L, -2);
			lua_rawset(L, into);
		}
		merge(L, lua_gettop(L), lua_gettop(L) - 1);
		lua_pop(L, 1);
	}
}

/* ---- files ---- */

/* Leaves the table that the file returns on the stack; errors are thrown. */
static void load_file(lua_State *L, Loader *l, const char *path)
{
	size_t n;
	const char *why;
	for (int i = 0; i < l->nchain; i++)
		if (!strcmp(l->chain[i], path))
			luaL_error(L, "%s derives from itself", path);
	if (l->nchain == MAX_CHAIN)
		luaL_error(L, "more than %d files derive from each other", MAX_CHAIN);
	char *text = file_read(path, MAX_TEXT, &n, &why);
	if (!text)
		luaL_error(L, "cannot read %s: %s", path, why);
	l->chain[l->nchain] = path;
	l->text[l->nchain++] = arena_strndup(&l->diag->arena, text, n);
	free(text);
	if (!sandbox_compile(L, l->text[l->nchain - 1], n, path, l->diag))
		sandbox_stop(L);
	lua_call(L, 0, 1);
	if (lua_type(L, -1) != LUA_TTABLE)
		luaL_error(L, "the file must return a table, not %s%s", lua_isnil(L, -1) ? "" : "a ",
			luaL_typename(L, -1));
}

static void check_table(Loader *l)
{
	Config scratch;
	config_defaults(&scratch);
	apply_table(l, &scratch, "");
}

/* derive(file [, table]): the file's table with the fields of the other one over it. */
static int derive(lua_State *L)
{
	Loader *l = lua_touserdata(L, lua_upvalueindex(1));
	const char *file = luaL_checkstring(L, 1);
	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	sandbox_charge(L, 1000);
	const char *path = config_search(&l->diag->arena, file, l->chain[l->nchain - 1]);
	if (!path)
		return luaL_error(L, "cannot find the machine file '%s'", file);
	int errors = l->diag->errors;
	l->line = sandbox_where(L).line;
	if (lua_istable(L, 2))
		check_table(l);
	l->line = 0;
	if (l->diag->errors > errors)
		return sandbox_stop(L);
	load_file(L, l, path);
	check_table(l);
	l->nchain--;
	if (l->diag->errors > errors)
		return sandbox_stop(L);
	if (lua_istable(L, 2) && !lua_rawequal(L, 2, 3))
		merge(L, 3, 2);
	return 1;
}

/* The main file: (loader, configuration, path) as light user data. */
static int load_main(lua_State *L)
{
	Loader *l = lua_touserdata(L, 1);
	Config *c = lua_touserdata(L, 2);
	lua_pushlightuserdata(L, l);
	lua_pushcclosure(L, derive, 1);
	lua_setglobal(L, "derive");
	load_file(L, l, lua_touserdata(L, 3));
	apply_table(l, c, "");
	return 0;
}

bool config_load(Config *c, const char *file, Diag *diag)
{
	Loader l = { .diag = diag };
	int errors = diag->errors;
	config_defaults(c);
	const char *path = config_search(&diag->arena, file, NULL);
	if (!path) {
		diag_error(diag, (Loc){ 0 }, "cannot find the machine file '%s' (looked for as given, in $GSIM_PATH, in %s and in configs/; "
			"gsim --list configs shows those found)", file, GSIM_DATADIR "/configs");
		return false;
	}
	if (!sandbox_open(&l.box)) {
		diag_error(diag, (Loc){ 0 }, "no memory for Lua");
		return false;
	}
	l.box.step_limit = MAX_STEPS;
	lua_pushcfunction(l.box.L, load_main);
	lua_pushlightuserdata(l.box.L, &l);
	lua_pushlightuserdata(l.box.L, c);
	lua_pushlightuserdata(l.box.L, (void *)path);
	sandbox_call(&l.box, 3, 0, diag);
	sandbox_close(&l.box);
	return diag->errors == errors;
}
