/* The limits of a script, calls into it, and its errors. */
#include "sim/sandbox/sandbox.h"
#include "lib/interrupt.h"

enum { MEMORY_LIMIT = 512 << 20, HOOK_STEPS = 100, LOOK_STEPS = 1000, CAUGHT_STEPS = 100, GRACE = 2 /* s */ };
enum { PIECE = 64 };                   /* bytes of a text that Lua compiles between two looks at the limits */
static const uint64_t STEP_LIMIT = 500000000;
static const double SECONDS_LIMIT = 6, LOOK_SECONDS = 0.005;
static const char over_mark;     /* its address is the error value of a reached limit, which no script sees */
/* its address is the key in Lua's registry of the text of the last sandbox_stop */
static const char stop_key;
static const char too_much[] = "the memory limit is reached", too_long[] = "a string is longer than 4 MiB";

static double clock_of(clockid_t id)
{
	struct timespec t = { 0 };
	if (clock_gettime(id, &t))     /* in a browser a thread has no clock of its own */
		clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void) { return clock_of(CLOCK_THREAD_CPUTIME_ID); }

Sandbox *sandbox_of(lua_State *L) { return *(Sandbox **)lua_getextraspace(L); }

/* ---- where ---- */

static bool lua_level(lua_State *L, lua_Debug *ar)
{
	for (int level = 0; lua_getstack(L, level, ar); level++)
		if (lua_getinfo(L, "Sl", ar) && ar->currentline > 0)
			return true;
	return false;
}

static void note_place(Sandbox *s)
{
	lua_Debug ar;
	if (s->compiling) {
		snprintf(s->at.file, sizeof s->at.file, "%s", s->path);
		s->at.line = s->compiling;
	}
	if (s->compiling || !s->L || !lua_level(s->L, &ar))
		return;
	snprintf(s->at.file, sizeof s->at.file, "%s", ar.source + 1);
	s->at.line = ar.currentline;
}

/* ---- memory ---- */

/* Lua calls this to get, resize and free memory. Getting memory costs steps, since Lua fills it and collects
   it later. A refusal costs many, since Lua then collects garbage, for which it visits all its memory.
   Without an old block (p NULL) `old` is no size: Lua says there what kind of object the new block is for. */
static void *sandbox_alloc(void *self, void *p, size_t old, size_t n)
{
	Sandbox *s = self;
	bool text = !p && old == LUA_TSTRING;
	if (!p)
		old = 0;
	if (!n) {
		free(p);
		s->memory -= old;
		return NULL;
	}
	s->refused = text && n > SANDBOX_TEXT + 64 ? too_long
		: n > old && n - old > s->memory_limit - s->memory ? too_much : NULL;
	if (s->refused) {
		s->steps += s->memory / 4;
		note_place(s);
		return NULL;
	}
	void *q = realloc(p, n);
	if (q) {
		s->memory += n - old;
		s->steps += n > old ? (n - old) / 16 : 0;
	}
	return q;
}

/* ---- work and time ---- */

static int fail_over(lua_State *L)
{
	lua_pushlightuserdata(L, (void *)&over_mark);
	return lua_error(L);
}

/* Notes a limit that has been reached; only the first one counts. */
static void reach_limit(lua_State *L, const char *limit)
{
	Sandbox *s = sandbox_of(L);
	if (s->over)
		return;
	s->over = limit;
	note_place(s);
}

/* Notes the limit of memory as reached; the place was noted when memory was refused. */
static void see_memory(Sandbox *s, int status)
{
	if (status == LUA_ERRMEM && !s->over)
		s->over = s->refused ? s->refused : too_much;
}

static void look_at_limits(lua_State *L)
{
	Sandbox *s = sandbox_of(L);
	s->next_look = s->steps + LOOK_STEPS;
	if (is_interrupted(s->interrupted)) {
		reach_limit(L, "");  /* no message: the run tells of the interrupt */
	} else if (s->steps > s->step_limit) {
		reach_limit(L, "the instruction limit is reached (an endless loop?)");
	} else {
		double t = clock_of(CLOCK_MONOTONIC);
		/* the processor time is read less often than the wall time, since reading it takes longer */
		if (t - s->looked > LOOK_SECONDS) {
			s->looked = t;
			if (s->seconds + now() - s->started > s->seconds_limit)
				reach_limit(L, s->compiling ? "the time limit is reached while this is "
					"compiled (a very long expression?)"
					: "the time limit is reached (an endless loop?)");
		}
	}
	if (s->over)
		fail_over(L);
}

static void hook(lua_State *L, lua_Debug *ar __attribute__((unused)))
{
	sandbox_of(L)->steps += HOOK_STEPS;
	look_at_limits(L);
}

void sandbox_charge(lua_State *L, uint64_t steps)
{
	Sandbox *s = sandbox_of(L);
	s->steps = steps > UINT64_MAX - s->steps ? UINT64_MAX : s->steps + steps;
	if (s->steps >= s->next_look)
		look_at_limits(L);
}

void sandbox_caught(lua_State *L, int status)
{
	Sandbox *s = sandbox_of(L);
	see_memory(s, status);
	if (s->over)
		fail_over(L);
	sandbox_charge(L, status ? CAUGHT_STEPS : 1);
}

static void enter_script(Sandbox *s)
{
	s->started = now();
	double rest = s->seconds_limit - s->seconds;
	backstop_set(s, (rest > 0 ? rest : 0) + GRACE);
}

static void leave_script(Sandbox *s)
{
	backstop_set(s, 0);
	s->seconds += now() - s->started;
}

void sandbox_pause(lua_State *L) { leave_script(sandbox_of(L)); }
void sandbox_resume(lua_State *L) { enter_script(sandbox_of(L)); }

/* ---- life ---- */

lua_State *sandbox_open(Sandbox *s)
{
	s->memory_limit = MEMORY_LIMIT;
	s->step_limit = STEP_LIMIT;
	s->seconds_limit = SECONDS_LIMIT;
	s->L = lua_newstate(sandbox_alloc, s);
	if (!s->L)
		return NULL;
	*(Sandbox **)lua_getextraspace(s->L) = s;
	backstop_open(s);
	s->started = now();
	lua_pushcfunction(s->L, sandbox_libraries);
	if (lua_pcall(s->L, 0, 0, 0)) {
		sandbox_close(s);
		return NULL;
	}
	s->steps = 0;
	lua_sethook(s->L, hook, LUA_MASKCOUNT, HOOK_STEPS);
	return s->L;
}

void sandbox_close(Sandbox *s)
{
	if (!s->L)
		return;
	lua_close(s->L);
	backstop_close(s);
	s->L = NULL;
}

/* ---- errors ---- */

int sandbox_stop(lua_State *L, const char *text)
{
	lua_pushstring(L, text);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &stop_key);
	return lua_error(L);
}

const char *sandbox_kind(int type)
{
	static const char *const kind[] = { "nil", "a boolean", "a userdata", "a number", "a string",
		"a table", "a function", "a userdata", "a thread" };
	return kind[type > LUA_TNIL && type < LUA_NUMTYPES ? type : LUA_TNIL];
}

Loc sandbox_where(lua_State *L)
{
	lua_Debug ar;
	if (!lua_level(L, &ar))
		return (Loc){ 0 };
	return (Loc){ ar.source + 1, ar.currentline, 0 };
}

/* Returns the part "text" of "short name:12: text", and the line in *line; else the whole text, with *line as
   it was. */
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

/* Finds the call whose place Lua has put in front of the text: error(text, 2) blames the caller, which may be
   in another file. */
static bool blamed_level(lua_State *L, const char *text, lua_Debug *ar)
{
	for (int level = 0; lua_getstack(L, level, ar); level++) {
		if (!lua_getinfo(L, "Sl", ar) || ar->currentline <= 0)
			continue;
		const char *place = lua_pushfstring(L, "%s:%d: ", ar->short_src, ar->currentline);
		bool found = !strncmp(text, place, strlen(place));
		lua_pop(L, 1);
		if (found)
			return true;
	}
	return false;
}

/* What sandbox_wrap puts in the place of a function. */
static int call_wrapped(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

void sandbox_wrap(lua_State *L) { lua_pushcclosure(L, call_wrapped, 1); }

/* Finds the Lua code that called the innermost function of sandbox_wrap. */
static bool caller_of_wrapped(lua_State *L, lua_Debug *ar)
{
	bool inside = false;
	for (int level = 0; lua_getstack(L, level, ar); level++) {
		lua_getinfo(L, "Slf", ar);
		inside |= lua_tocfunction(L, -1) == call_wrapped;
		lua_pop(L, 1);
		if (inside && ar->currentline > 0)
			return true;
	}
	return false;
}

/* Is the error value on top of the stack the text of sandbox_stop, either unchanged or with the place that
   error() of a script has put in front of it? */
static bool is_stop(lua_State *L)
{
	int line;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &stop_key);
	const char *text = lua_tostring(L, -1);
	bool yes = text && lua_type(L, -2) == LUA_TSTRING &&
		!strcmp(strip_place(lua_tostring(L, -2), &line), strip_place(text, &line));
	lua_pop(L, 1);
	return yes;
}

/* The message handler of lua_pcall: turns the error value into a table { text, file, line }, but leaves the
   text of sandbox_stop and the mark of a limit as they are. */
static int locate_error(lua_State *L)
{
	lua_Debug ar;
	int line = 0;
	if (lua_islightuserdata(L, 1) || is_stop(L))
		return 1;
	const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1)
		: lua_pushfstring(L, "error value of type %s", luaL_typename(L, 1));
	bool in_lua = blamed_level(L, text, &ar) || caller_of_wrapped(L, &ar) || lua_level(L, &ar);
	lua_createtable(L, 3, 0);
	lua_pushstring(L, strip_place(text, &line));
	lua_rawseti(L, -2, 1);
	lua_pushstring(L, in_lua ? ar.source + 1 : "");
	lua_rawseti(L, -2, 2);
	lua_pushinteger(L, line ? line : in_lua ? ar.currentline : 0);
	lua_rawseti(L, -2, 3);
	return 1;
}

/* Puts the error value on top of the stack into diag. path: the file to name if the error value names
   none. */
static void report_error(lua_State *L, const char *path, Diag *diag)
{
	Sandbox *s = sandbox_of(L);
	int line = 0;
	if (s->over) {
		if (*s->over)
			diag_error(diag, (Loc){ *s->at.file ? s->at.file : path, s->at.line, 0 }, "%s",
				s->over);
	} else if (lua_type(L, -1) == LUA_TTABLE) {
		lua_rawgeti(L, -1, 1);
		lua_rawgeti(L, -2, 2);
		lua_rawgeti(L, -3, 3);
		const char *file = lua_tostring(L, -2);
		const char *text = lua_tostring(L, -3);
		diag_error(diag, (Loc){ file && *file ? file : path, (int)lua_tointeger(L, -1), 0 },
			"%.1000s", text ? text : "?");
		lua_pop(L, 3);
	} else if (lua_type(L, -1) == LUA_TSTRING) {
		const char *text = strip_place(lua_tostring(L, -1), &line);
		diag_error(diag, (Loc){ path, line, 0 }, "%.1000s", text);
	}
	lua_pop(L, 1);
}

bool sandbox_call(Sandbox *s, int nargs, int nresults, Diag *diag)
{
	lua_State *L = s->L;
	int base = lua_gettop(L) - nargs;
	lua_pushcfunction(L, locate_error);
	lua_insert(L, base);
	enter_script(s);
	int status = lua_pcall(L, nargs, nresults, base);
	see_memory(s, status);
	bool reported = status && is_stop(L);
	s->stopped = reported || (status && s->over && !*s->over);
	leave_script(s);
	lua_remove(L, base);
	if (reported)
		lua_pop(L, 1);
	else if (status)
		report_error(L, *s->path ? arena_strdup(&diag->arena, s->path) : NULL, diag);
	return !status;
}

/* ---- compiling ---- */

/* n bytes, of which Lua has the first `given` */
typedef struct ScriptSource { const char *text; size_t n, given; } ScriptSource;

/* Lua's compiler calls this for the next piece of a text. A single token may take the compiler as long as all
   text in front of it (it puts a jump at each `or` at the end of a list that it walks), and the compiler
   looks at no limit. So the pieces are small, and limits are looked at before each of them. */
static const char *next_text_piece(lua_State *L, void *self, size_t *n)
{
	ScriptSource *src = self;
	Sandbox *s = sandbox_of(L);
	const char *piece = src->text + src->given;
	look_at_limits(L);
	*n = src->n - src->given < PIECE ? src->n - src->given : PIECE;
	for (size_t i = 0; i < *n; i++)
		s->compiling += piece[i] == '\n';
	src->given += *n;
	return piece;
}

bool sandbox_compile(lua_State *L, const char *text, size_t n, const char *path, Diag *diag)
{
	Sandbox *s = sandbox_of(L);
	char name[sizeof s->path + 1];
	ScriptSource src = { text, n, 0 };
	const char *line = memchr(text, '\n', n);
	snprintf(s->path, sizeof s->path, "%s", path);
	snprintf(name, sizeof name, "@%s", path);
	/* the first line is left out; its line break stays, so that lines keep their numbers */
	if (n && text[0] == '#')
		src.given = line ? (size_t)(line - text) : n;
	s->compiling = 1;
	int status = lua_load(L, next_text_piece, &src, name, "t");
	see_memory(s, status);
	s->compiling = 0;
	s->stopped = status && s->over && !*s->over;
	if (status)
		report_error(L, path, diag);
	return !status;
}

bool sandbox_run(Sandbox *s, const char *text, size_t n, const char *path, Diag *diag)
{
	enter_script(s);
	bool ok = sandbox_compile(s->L, text, n, path, diag);
	leave_script(s);
	return ok && sandbox_call(s, 0, 0, diag);
}
