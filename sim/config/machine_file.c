/* Machine files: one Lua table, e.g. `return derive("kepler.lua", { sm = { count = 1 } })`. */
#include "lib/file.h"
#include "lib/strbuf.h"
#include "sim/config/config.h"
#include "sim/sandbox/sandbox.h"
#include <unistd.h>

enum {
	MAX_CHAIN = 16, MAX_FILES = 64, MAX_NAME = 1024, MAX_ERRORS = 20, DERIVE_STEPS = 2000, SOURCE_STEPS
	= 100, MAX_SAID = 10000, MAX_TEXT = 1 << 20, MAX_STEPS = 20000000, MAX_MEMORY = 64 << 20
};

typedef struct Loader {
	Sandbox box;
	Diag *diag;
	Arena scratch;                  /* names of files that are tried */
	int line;                       /* line of the call of derive that is being served; 0 = none */
	int nfiles;                     /* number of files read so far */
	MachineTexts *texts;            /* where the text of each file is kept, or NULL */
	int nchain;
	/* files being loaded: each one but the last derives from the next, or includes it */
	struct { const char *path; char *text; } chain[MAX_CHAIN];
} Loader;

/* ---- finding files ---- */

/* A file that has been found. path: its name for messages; why: the reason why it cannot be read; fd: the
   open file, or < 0 if it is opened by its path later; text: its text once it has been read. */
typedef struct FoundFile {
	Arena *arena;
	const char *path, *why;
	int fd;
	uint64_t size;
	char *text;
} FoundFile;

/* Opens the file if it is in the folder, whose name has n characters, or, if `sub` is not empty, in
   the folder `sub` below that one. links: symbolic links there are followed. False: there is no such file, or
   it cannot be read (FoundFile.why). */
static bool try_folder(FoundFile *f, const char *folder, size_t n, const char *sub, const char *file,
	bool links)
{
	const char *why, *where = arena_printf(f->arena, "%.*s%s%s", (int)n, folder,
		n && folder[n - 1] != '/' ? "/" : "", sub);
	f->fd = file_open_in(where, file, links, &f->size, &why);
	if (f->fd >= 0)
		f->path = arena_printf(f->arena, "%s%s", where, file);
	else if (why != file_absent)
		f->why = why;
	return f->fd >= 0;
}

/* Looks for the file in each folder of the list, and in the folder configs/ below it. list: folders with
   colons between them, or NULL. */
static bool try_list(FoundFile *f, const char *list, const char *file)
{
	for (size_t n; list && *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		if (n && (try_folder(f, list, n, "", file, true) ||
			try_folder(f, list, n, "configs/", file, true)))
			return true;
	}
	return false;
}

/* Looks for the file in the folder, then where machine files are kept. */
static bool try_everywhere(FoundFile *f, const char *folder, size_t n, const char *file, bool links)
{
	return try_folder(f, folder, n, "", file, links) || try_list(f, getenv("GSIM_PATH"), file) ||
		try_list(f, GSIM_DATADIR, file)
		|| try_folder(f, "", 0, "configs/", file, true);
}

static bool try_names(FoundFile *f, const char *folder, size_t n, const char *file, bool links)
{
	return try_everywhere(f, folder, n, file, links)
		|| (!strchr(file, '.') && try_everywhere(f, folder, n, arena_printf(f->arena, "%s.lua", file),
			links));
}

/* Finds a file that the command line names: by any path, links included, or by its name where machine files
   are kept. */
static bool find_main(FoundFile *f, const char *file)
{
	f->fd = -1;
	f->path = file;
	return (!access(file, R_OK) && !file_is_folder(file)) ||
		(!file_name_refused(file) && try_names(f, "", 0, file, true));
}

/* Finds a file that machine file `from` names: in the folder of `from` or below, or where machine files are
   kept. */
static bool find_base(FoundFile *f, const char *file, const char *from)
{
	const char *slash = strrchr(from, '/');
	f->why = file_name_refused(file);
	return !f->why && try_names(f, from, slash ? (size_t)(slash - from) + 1 : 0, file, false);
}

/* Reads the file's text, which is from malloc, and its size. */
static bool read_found(FoundFile *f)
{
	size_t n;
	if (f->fd < 0) {
		f->text = file_read(f->path, MAX_TEXT, &n, &f->why);
		f->size = f->text ? n : 0;
		return f->text;
	}
	if (f->size > MAX_TEXT) {
		f->why = "it is too large";
		close(f->fd);
		return false;
	}
	f->text = xcalloc(1, (size_t)f->size + 1);
	if (file_fill(f->fd, f->text, (size_t)f->size, &f->why))
		return true;
	free(f->text);
	return false;
}

/* ---- from a Lua table to a Config ---- */

static Loc place_of_value(const Loader *l, const char *name)
{
	int i = l->nchain - 1, line = config_line(l->chain[i].text, name);
	return (Loc){ l->chain[i].path, line ? line : l->line, 0 };
}

static void report_unknown_parameter(Loader *l, const char *name)
{
	char near[CONFIG_NAME] = "";
	if (strlen(name) < CONFIG_NAME)
		config_nearest(name, near);
	if (near[0])
		diag_error(l->diag, place_of_value(l, name), "unknown parameter '%.80s'; did you mean '%s'?",
			name, near);
	else
		diag_error(l->diag, place_of_value(l, name), "unknown parameter '%.80s'", name);
}

/* Sets the key to the value on top of the stack. */
static bool put_config_value(lua_State *L, Config *c, const ConfigKey *key, const char *name, Loc where,
	Diag *d)
{
	int type = lua_type(L, -1), whole = 0;
	if (key->type == CT_INT && type == LUA_TNUMBER) {
		lua_Integer v = lua_tointegerx(L, -1, &whole);
		if (!whole)
			diag_error(d, where, "%s = %.9g: expected a whole number", name, lua_tonumber(L, -1));
		return whole && config_put(c, key, v, where, d);
	}
	if (key->type == CT_BOOL && type == LUA_TBOOLEAN)
		return config_put(c, key, lua_toboolean(L, -1), where, d);
	if (key->type == CT_ENUM && type == LUA_TSTRING)
		return config_put_name(c, key, lua_tostring(L, -1), where, d);
	static const char *const wanted[] = { "a whole number", "true or false", "a name in quotes" };
	diag_error(d, where, "%s: expected %s, found %s", name, wanted[key->type], sandbox_kind(type));
	return false;
}

/* Sets the key to the value on top of the stack. The value's line in the file is searched only when a message
   needs it, since the search reads the whole text. */
static void apply_value(Loader *l, Config *c, const ConfigKey *key, const char *name)
{
	Diag none = { 0 };
	if (!put_config_value(l->box.L, c, key, name, (Loc){ 0 }, &none))
		put_config_value(l->box.L, c, key, name, place_of_value(l, name), l->diag);
	diag_free(&none);
}

static int by_field_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Applies every field of the table on top of the stack, in the order of names: Lua's own order differs from
   run to run. The strings of the names stay valid, since the table keeps them. */
static void apply_table(Loader *l, Config *c, const char *prefix)
{
	lua_State *L = l->box.L;
	Arena a = { 0 };
	Vec(const char *) fields = { 0 };
	int before = l->diag->errors;
	bool named = true;
	luaL_checkstack(L, 4, "machine file");
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		if (lua_type(L, -2) == LUA_TSTRING)
			vec_push(&fields, lua_tostring(L, -2));
		else
			named = false;
	}
	if (!named)
		diag_error(l->diag, place_of_value(l, *prefix ? prefix : "?"),
			"%s%sfields need names, like depth = 16", prefix, *prefix ? ": " : "");
	if (fields.n)
		qsort(fields.v, (size_t)fields.n, sizeof *fields.v, by_field_name);
	for (int i = 0; i < fields.n && l->diag->errors < before + MAX_ERRORS; i++) {
		ConfigKey key;
		const char *name = *prefix ? arena_printf(&a, "%s.%s", prefix, fields.v[i]) : fields.v[i];
		lua_getfield(L, -1, fields.v[i]);
		if (lua_type(L, -1) == LUA_TTABLE && config_is_group(name))
			apply_table(l, c, name);
		else if (config_find(name, &key))
			apply_value(l, c, &key, name);
		else if (config_is_group(name))
			diag_error(l->diag, place_of_value(l, name), "%s: expected a table, found %s", name,
				sandbox_kind(lua_type(L, -1)));
		else
			report_unknown_parameter(l, name);
		lua_pop(L, 1);
	}
	vec_free(&fields);
	arena_free(&a);
}

/* Copies the fields of the table at index `from` into the table at index `into`; a field that is a table is
   merged into the one of that name. Both tables have been checked, so they are nested no deeper than
   parameters' names. */
static void merge_tables(lua_State *L, int into, int from)
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
		merge_tables(L, lua_gettop(L), lua_gettop(L) - 1);
		lua_pop(L, 1);
	}
}

/* ---- files ---- */

/* Closes the files being loaded but for the first n. */
static void close_files(Loader *l, int n)
{
	while (l->nchain > n)
		free(l->chain[--l->nchain].text);
}

/* Closes the files that were loaded after the one that runs now: a script may have caught an error in an
   inner file and gone on in an outer one. */
static void close_abandoned(Loader *l, const char *running)
{
	for (int i = 0; running && i < l->nchain; i++)
		if (!strcmp(l->chain[i].path, running))
			close_files(l, i + 1);
}

/* Ends the script with the error that is in diag. */
static int stop_with_error(lua_State *L, const Loader *l)
{
	return sandbox_stop(L, vec_last(&l->diag->item).text);
}

static void keep_text(MachineTexts *t, const FoundFile *f)
{
	MachineText one = { arena_strdup(&t->arena, f->path), arena_strdup(&t->arena, f->text), { 0 } };
	config_find_lines(one.text, &t->arena, &one.line);
	vec_push(&t->file, one);
}

/* Runs the file and leaves the table that it returns on the stack. Errors are thrown as errors of Lua. */
static void load_file(lua_State *L, Loader *l, FoundFile *f)
{
	bool again = false;
	for (int i = 0; i < l->nchain; i++)
		again |= !strcmp(l->chain[i].path, f->path);
	const char *many = l->nchain == MAX_CHAIN ? "more than 16 files read each other"
		: l->nfiles == MAX_FILES ? "more than 64 files are read" : NULL;
	if ((again || many) && f->fd >= 0)
		close(f->fd);
	if (again)
		luaL_error(L, "%s reads itself", f->path);
	if (many)
		luaL_error(L, many);
	if (!read_found(f))
		luaL_error(L, "cannot read %s: %s", f->path, f->why);
	int i = l->nchain++;
	l->nfiles++;
	l->chain[i].path = f->path;
	l->chain[i].text = f->text;
	if (l->texts)
		keep_text(l->texts, f);
	sandbox_charge(L, f->size);
	if (!sandbox_compile(L, f->text, (size_t)f->size, f->path, l->diag))
		stop_with_error(L, l);
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

static int cannot_find(lua_State *L, const char *file, const char *why)
{
	return luaL_error(L, "cannot find the machine file '%s'%s%s (looked for beside this one, in "
		"$GSIM_PATH, in %s and in configs/)", file, why ? ": " : "", why ? why : "",
		GSIM_DATADIR "/configs");
}

/* Runs the file that the script names as argument 1 of derive or include, and leaves the table that it
   returns on the stack. The file stays open. */
static void load_named(lua_State *L, Loader *l)
{
	arena_free(&l->scratch);
	const char *file = lua_tostring(L, 1);
	FoundFile f = { .arena = &l->scratch };
	if (!find_base(&f, file, l->chain[l->nchain - 1].path))
		cannot_find(L, file, f.why);
	f.path = arena_strdup(&l->diag->arena, f.path);
	load_file(L, l, &f);
}

/* Begins derive or include: checks argument 1, the name of a file, and returns where the script calls. */
static Loc begin_call(lua_State *L, Loader *l)
{
	size_t n;
	const char *file = luaL_checklstring(L, 1, &n);
	luaL_argcheck(L, n == strlen(file) && n < MAX_NAME, 1, "expected a file name");
	sandbox_charge(L, DERIVE_STEPS);
	Loc where = sandbox_where(L);
	close_abandoned(l, where.file);
	return where;
}

/* derive(file [, table]): returns the table of the machine file, in which the fields of `table` replace its
   own. */
static int derive(lua_State *L)
{
	Loader *l = lua_touserdata(L, lua_upvalueindex(1));
	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	int errors = l->diag->errors;
	l->line = begin_call(L, l).line;
	if (lua_istable(L, 2))
		check_table(l);
	l->line = 0;
	if (l->diag->errors > errors)
		return stop_with_error(L, l);
	int depth = l->nchain;
	load_named(L, l);
	check_table(l);
	close_files(l, depth);
	if (l->diag->errors > errors)
		return stop_with_error(L, l);
	if (lua_istable(L, 2) && !lua_rawequal(L, 2, 3))
		merge_tables(L, 3, 2);
	return 1;
}

/* Wraps the functions in the table on top of the stack, so that their errors name the line that calls
   them. */
static void wrap_functions(lua_State *L)
{
	luaL_checkstack(L, 4, "machine file");
	for (lua_pushnil(L); lua_next(L, -2);) {
		if (lua_isfunction(L, -1) && !lua_iscfunction(L, -1)) {
			lua_pushvalue(L, -2);
			lua_insert(L, -2);
			sandbox_wrap(L);
			lua_rawset(L, -4);
		} else {
			lua_pop(L, 1);
		}
	}
}

/* include(file): returns the table that the file returns, which may hold anything: figures and functions that
   machine files share. */
static int include(lua_State *L)
{
	Loader *l = lua_touserdata(L, lua_upvalueindex(1));
	lua_settop(L, 1);
	begin_call(L, l);
	int depth = l->nchain;
	load_named(L, l);
	close_files(l, depth);
	wrap_functions(L);
	return 1;
}

/* source(key, comment): says where the figure `key` comes from, in place of a comment, when a function of an
   included file has put it into the machine's table. */
static int source(lua_State *L)
{
	Loader *l = lua_touserdata(L, lua_upvalueindex(1));
	const char *key = luaL_checkstring(L, 1), *comment = luaL_checkstring(L, 2);
	sandbox_charge(L, SOURCE_STEPS + strlen(key) + strlen(comment));
	Loc where = sandbox_where(L);
	MachineTexts *t = l->texts;
	for (int i = 0; t && i < t->file.n && t->said.n < MAX_SAID; i++)
		if (!strcmp(t->file.v[i].path, l->chain[l->nchain - 1].path))
			vec_push(&t->said, ((SaidSource){ i, arena_strdup(&t->arena, key),
				arena_strdup(&t->arena, comment),
				where.file ? arena_strdup(&t->arena, where.file) : "", where.line }));
	return 0;
}

static void give_function(lua_State *L, Loader *l, const char *name, lua_CFunction function)
{
	lua_pushlightuserdata(L, l);
	lua_pushcclosure(L, function, 1);
	lua_setglobal(L, name);
}

/* Loads the main file; arguments: Loader, Config and FoundFile as light user data. */
static int load_main(lua_State *L)
{
	Loader *l = lua_touserdata(L, 1);
	Config *c = lua_touserdata(L, 2);
	give_function(L, l, "derive", derive);
	give_function(L, l, "include", include);
	give_function(L, l, "source", source);
	load_file(L, l, lua_touserdata(L, 3));
	apply_table(l, c, "");
	return 0;
}

bool config_load(Config *c, const char *file, Diag *diag) { return config_load_texts(c, file, NULL, diag); }

bool config_load_texts(Config *c, const char *file, MachineTexts *texts, Diag *diag)
{
	Loader l = { .diag = diag, .texts = texts };
	FoundFile f = { .arena = &diag->arena };
	int errors = diag->errors;
	config_defaults(c);
	if (!find_main(&f, file)) {
		diag_error(diag, (Loc){ 0 }, "cannot find the machine file '%s' (looked for as given, in "
			"$GSIM_PATH, in %s and in configs/; gsim --list configs shows those found)", file,
			GSIM_DATADIR "/configs");
		return false;
	}
	if (!sandbox_open(&l.box)) {
		diag_error(diag, (Loc){ 0 }, "no memory for Lua");
		return false;
	}
	l.box.step_limit = MAX_STEPS;
	l.box.memory_limit = MAX_MEMORY;
	lua_pushcfunction(l.box.L, load_main);
	lua_pushlightuserdata(l.box.L, &l);
	lua_pushlightuserdata(l.box.L, c);
	lua_pushlightuserdata(l.box.L, &f);
	sandbox_call(&l.box, 3, 0, diag);
	close_files(&l, 0);
	arena_free(&l.scratch);
	sandbox_close(&l.box);
	return diag->errors == errors;
}

void config_free_texts(MachineTexts *texts)
{
	for (int i = 0; i < texts->file.n; i++)
		strmap_free(&texts->file.v[i].line);
	vec_free(&texts->file);
	vec_free(&texts->said);
	arena_free(&texts->arena);
}
