#include "tools/user.h"
#include "lib/diag.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "lib/output.h"
#include "lib/strbuf.h"
#include "sim/sandbox/sandbox.h"
#include "tools/usage.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, MOST_PATHS = 64 };

typedef struct UserReader {
	UserConfig *user;
	Diag *diag;
	const char *text;              /* the file's */
	StrBuf path;                   /* folders for machine files */
	Colors colors;
} UserReader;

bool user_option(UserConfig *u, int letter, const char *argument)
{
	if (letter == USAGE_COLOR)
		u->color = argument;
	else if (letter == USAGE_NO_USER)
		u->ignored = true;
	return letter == USAGE_COLOR || letter == USAGE_NO_USER;
}

/* The place of a field in the text: of the first line on which its name stands with = behind it. */
static Loc place_of_field(const UserReader *r, const char *name)
{
	size_t n = strlen(name);
	int line = 1;
	const char *begin = r->text;
	for (const char *s = r->text; *s; s++) {
		bool word = !strncmp(s, name, n) && (s == r->text || (!isalnum((unsigned char)s[-1]) &&
			s[-1] != '_'));
		if (word && s[n + strspn(s + n, " \t]\"'")] == '=')
			return (Loc){ r->user->file, line, (int)(s - begin) + 1 };
		if (*s == '\n') {
			line++;
			begin = s + 1;
		}
	}
	return (Loc){ r->user->file, 1, 1 };
}

static bool colors_named(const char *name, Colors *colors)
{
	bool always = !strcmp(name, "always"), never = !strcmp(name, "never");
	*colors = always ? COLORS_ALWAYS : never ? COLORS_NEVER : COLORS_AUTO;
	return always || never || !strcmp(name, "auto");
}

/* A file or folder that the configuration names: as it is if it is absolute or a name alone, else below the
   configuration's folder. */
static const char *below_configuration(UserReader *r, const char *name, bool alone)
{
	const char *slash = strrchr(r->user->file, '/');
	if (*name == '/' || (alone && !strchr(name, '/')))
		return arena_strdup(&r->user->arena, name);
	return arena_printf(&r->user->arena, "%.*s%s", slash ? (int)(slash - r->user->file) + 1 : 0,
		r->user->file, name);
}

/* The text at the top of the stack, or NULL. */
static const char *text_value(UserReader *r, lua_State *L, const char *name, const char *wanted)
{
	size_t n = 0;
	const char *s = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &n) : NULL;
	if (s && n && n == strlen(s))
		return s;
	diag_error(r->diag, place_of_field(r, name), "%s: expected %s, found %s%s", name, wanted,
		s ? n ? "a text with a zero byte" : "an empty text" : "a ", s ? "" : luaL_typename(L, -1));
	return NULL;
}

static void take_machine(UserReader *r, lua_State *L)
{
	const char *s = text_value(r, L, "machine", "the name of a machine file");
	r->user->machine = s ? below_configuration(r, s, true) : NULL;
}

static void take_threads(UserReader *r, lua_State *L)
{
	int whole;
	lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
	if (n >= 1 && n <= 256)
		r->user->threads = (int)n;
	else
		diag_error(r->diag, place_of_field(r, "threads"), "threads: expected a whole number from 1 "
			"to 256, found %s", sandbox_tostring(L, -1, NULL));
}

static void take_color(UserReader *r, lua_State *L)
{
	const char *s = text_value(r, L, "color", "auto, always or never");
	if (s && !colors_named(s, &r->colors))
		diag_error(r->diag, place_of_field(r, "color"), "color: expected auto, always or never, "
			"found '%.80s'", s);
}

static void add_folder(UserReader *r, lua_State *L)
{
	const char *s = text_value(r, L, "path", "a folder, or a list of them");
	if (s && strchr(s, ':'))
		diag_error(r->diag, place_of_field(r, "path"), "path: expected a list of folders, such as "
			"{ \"a\", \"b\" }, found a colon in '%.80s'", s);
	else if (s)
		sb_printf(&r->path, "%s%s", r->path.n ? ":" : "", below_configuration(r, s, false));
}

static void take_path(UserReader *r, lua_State *L)
{
	if (!lua_istable(L, -1)) {
		add_folder(r, L);
		return;
	}
	for (int i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL && i <= MOST_PATHS && !r->diag->errors; i++) {
		add_folder(r, L);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

static const struct { const char *name; void (*take)(UserReader *, lua_State *); } fields[] = {
	{ "machine", take_machine }, { "threads", take_threads }, { "color", take_color },
	{ "path", take_path },
};
enum { NFIELDS = sizeof fields / sizeof *fields };

static void unknown_field(UserReader *r, const char *name)
{
	const char *known[NFIELDS];
	for (int i = 0; i < NFIELDS; i++)
		known[i] = fields[i].name;
	const char *near = nearest_name(name, known, NFIELDS);
	diag_error(r->diag, place_of_field(r, name), "unknown field '%.80s'; %s%s%s", name,
		near ? "did you mean '" : "expected machine, threads, color or path", near ? near : "",
		near ? "'?" : "");
}

/* The first field of the table at the top of the stack, by name, that is none. */
static void check_fields(UserReader *r, lua_State *L)
{
	char first[80] = "";
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "1";
		bool known = false;
		for (int i = 0; i < NFIELDS; i++)
			known |= !strcmp(fields[i].name, name);
		if (!known && (!*first || strcmp(name, first) < 0))
			snprintf(first, sizeof first, "%s", name);
	}
	if (*first)
		unknown_field(r, first);
}

static void read_table(UserReader *r, lua_State *L)
{
	if (!lua_istable(L, -1)) {
		diag_error(r->diag, (Loc){ r->user->file, 1, 1 }, "the file must return a table, such as "
			"return { machine = \"volta.lua\" }, not %s%s", lua_isnil(L, -1) ? "" : "a ",
			luaL_typename(L, -1));
		return;
	}
	check_fields(r, L);
	for (int i = 0; i < NFIELDS && !r->diag->errors; i++) {
		lua_pushstring(L, fields[i].name);
		if (lua_rawget(L, -2) != LUA_TNIL)
			fields[i].take(r, L);
		lua_pop(L, 1);
	}
}

/* The name of the file; NULL: there is none. */
static const char *find_file(UserConfig *u)
{
	const char *named = getenv("GSIM_USER_CONFIG"), *folder = getenv("XDG_CONFIG_HOME"),
		*home = getenv("HOME");
	const char *file = named ? named : folder && *folder == '/'
		? arena_printf(&u->arena, "%s/gsim/config.lua", folder)
		: home && *home ? arena_printf(&u->arena, "%s/.config/gsim/config.lua", home) : "";
	return !*file || (!named && access(file, F_OK)) ? NULL : file;
}

static void add_to_path(const char *folders)
{
	const char *path = getenv("GSIM_PATH");
	StrBuf all = { 0 };
	sb_printf(&all, "%s%s%s", path ? path : "", path && *path ? ":" : "", folders);
	setenv("GSIM_PATH", all.s, 1);
	sb_free(&all);
}

static void read_file(UserReader *r)
{
	Sandbox box = { 0 };
	const char *why;
	size_t n;
	char *text = file_read_ordinary(r->user->file, MOST_BYTES, &n, &why);
	if (!text) {
		diag_error(r->diag, (Loc){ r->user->file, 0, 0 }, "cannot be read: %s", why);
		return;
	}
	r->text = text;
	if (!sandbox_open(&box)) {
		diag_error(r->diag, (Loc){ 0 }, "there is no memory for Lua");
	} else {
		if (sandbox_compile(box.L, text, n, r->user->file, r->diag) &&
			sandbox_call(&box, 0, 1, r->diag))
			read_table(r, box.L);
		sandbox_close(&box);
	}
	free(text);
}

bool user_read(UserConfig *u)
{
	Diag diag = { 0 };
	UserReader r = { .user = u, .diag = &diag };
	const char *no_color = getenv("NO_COLOR");
	u->file = u->ignored ? NULL : find_file(u);
	if (u->file)
		read_file(&r);
	if (!diag.errors && r.path.n)
		add_to_path(r.path.s);
	sb_free(&r.path);
	if (no_color && *no_color)
		r.colors = COLORS_NEVER;
	if (u->color && !colors_named(u->color, &r.colors))
		diag_error(&diag, (Loc){ 0 }, "--color: expected auto, always or never, not %s", u->color);
	output_colors(r.colors);
	diag_print(&diag, stderr);
	bool good = !diag.errors;
	diag_free(&diag);
	return good;
}

void user_free(UserConfig *u) { arena_free(&u->arena); }
