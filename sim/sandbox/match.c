/* string.find, match, gmatch and gsub as the manual of Lua 5.4 defines them (6.4.1), with a charge for every
   comparison: the matcher of Lua's own library may backtrack for ever without a check of limits. */
#include "sim/sandbox/sandbox.h"
#include <ctype.h>

enum { MAX_CAPTURES = 32, MAX_DEPTH = 200 };
/* PatternMatch.capture[].length of a capture that is not closed yet; of (), which captures a position */
enum { OPEN = -1, POSITION = -2 };

typedef struct PatternMatch {
	lua_State *L;
	const char *text, *end;         /* the text that is searched */
	const char *stop;               /* end of the pattern */
	int depth;
	int n;                          /* number of captures that have begun */
	struct { const char *at; ptrdiff_t length; } capture[MAX_CAPTURES];
} PatternMatch;

/* ---- single characters ---- */

static bool in_class(int c, int class)
{
	bool in;
	switch (tolower(class)) {
	case 'a': in = isalpha(c); break;
	case 'c': in = iscntrl(c); break;
	case 'd': in = isdigit(c); break;
	case 'g': in = isgraph(c); break;
	case 'l': in = islower(c); break;
	case 'p': in = ispunct(c); break;
	case 's': in = isspace(c); break;
	case 'u': in = isupper(c); break;
	case 'w': in = isalnum(c); break;
	case 'x': in = isxdigit(c); break;
	default: return class == c;
	}
	return isupper(class) ? !in : in;
}

/* The place behind the item that begins at p: a character, %x or a set. */
static const char *item_end(const PatternMatch *m, const char *p)
{
	char first = *p++;
	if (first == '%') {
		if (p == m->stop)
			luaL_error(m->L, "malformed pattern (ends with '%%')");
		return p + 1;
	}
	if (first != '[')
		return p;
	if (p < m->stop && *p == '^')
		p++;
	do {  /* a ] in the first place stands for itself */
		if (p == m->stop)
			luaL_error(m->L, "malformed pattern (missing ']')");
		if (*p++ == '%' && p < m->stop)
			p++;
	} while (p == m->stop || *p != ']');
	return p + 1;
}

/* Is c in the set whose [ is at p and whose ] is before end? */
static bool in_set(const PatternMatch *m, int c, const char *p, const char *end)
{
	bool yes = true;
	const char *last = end - 1;
	sandbox_charge(m->L, (uint64_t)(end - p));
	if (*++p == '^') {
		yes = false;
		p++;
	}
	while (p < last) {
		if (*p == '%' && p + 1 < last) {
			if (in_class(c, (unsigned char)p[1]))
				return yes;
			p += 2;
		} else if (p + 2 < last && p[1] == '-') {
			if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2])
				return yes;
			p += 3;
		} else if ((unsigned char)*p++ == c) {
			return yes;
		}
	}
	return !yes;
}

/* Does the character at s match the item [p, end)? */
static bool item_matches(const PatternMatch *m, const char *s, const char *p, const char *end)
{
	sandbox_charge(m->L, 1);
	if (s >= m->end)
		return false;
	int c = (unsigned char)*s;
	switch (*p) {
	case '.': return true;
	case '%': return in_class(c, (unsigned char)p[1]);
	case '[': return in_set(m, c, p, end);
	default: return (unsigned char)*p == c;
	}
}

/* ---- items ---- */

static const char *match_pattern(PatternMatch *m, const char *s, const char *p);

/* Matches the item [p, end) as often as possible, at least `least` times; then less often, until the rest of
   the pattern matches. */
static const char *match_longest(PatternMatch *m, const char *s, const char *p, const char *end,
	ptrdiff_t least)
{
	ptrdiff_t n = 0;
	while (item_matches(m, s + n, p, end))
		n++;
	for (; n >= least; n--) {
		const char *found = match_pattern(m, s + n, end + 1);
		if (found)
			return found;
	}
	return NULL;
}

static const char *shortest(PatternMatch *m, const char *s, const char *p, const char *end)
{
	for (;; s++) {
		const char *found = match_pattern(m, s, end + 1);
		if (found)
			return found;
		if (!item_matches(m, s, p, end))
			return NULL;
	}
}

static const char *begin_capture(PatternMatch *m, const char *s, const char *p, ptrdiff_t what)
{
	if (m->n == MAX_CAPTURES)
		luaL_error(m->L, "too many captures");
	m->capture[m->n].at = s;
	m->capture[m->n++].length = what;
	const char *found = match_pattern(m, s, p);
	if (!found)
		m->n--;
	return found;
}

static const char *end_capture(PatternMatch *m, const char *s, const char *p)
{
	int i = m->n - 1;
	while (i >= 0 && m->capture[i].length != OPEN)
		i--;
	if (i < 0)
		luaL_error(m->L, "invalid pattern capture");
	m->capture[i].length = s - m->capture[i].at;
	const char *found = match_pattern(m, s, p);
	if (!found)
		m->capture[i].length = OPEN;
	return found;
}

/* Matches %bxy, with p at x: returns the place behind the y that balances the x at s. */
static const char *balanced(const PatternMatch *m, const char *s, const char *p)
{
	ptrdiff_t open = 1;
	if (m->stop - p < 2)
		luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
	if (s >= m->end || *s != p[0])
		return NULL;
	while (++s < m->end) {
		sandbox_charge(m->L, 1);
		if (*s == p[1]) {
			if (!--open)
				return s + 1;
		} else if (*s == p[0]) {
			open++;
		}
	}
	return NULL;
}

/* Matches %1 to %9: returns the place behind the capture's text if that stands at s. */
static const char *repeated(const PatternMatch *m, const char *s, char digit)
{
	int i = digit - '1';
	if (i < 0 || i >= m->n || m->capture[i].length == OPEN)
		luaL_error(m->L, "invalid capture index %%%d", i + 1);
	ptrdiff_t n = m->capture[i].length;
	if (n == POSITION)
		return NULL;
	sandbox_charge(m->L, sandbox_bytes((uint64_t)n));
	return m->end - s >= n && !memcmp(m->capture[i].at, s, (size_t)n) ? s + n : NULL;
}

/* Matches %f[set], with p at the set and end behind it. */
static bool frontier(const PatternMatch *m, const char *s, const char *p, const char *end)
{
	int before = s == m->text ? 0 : (unsigned char)s[-1], here = s < m->end ? (unsigned char)*s : 0;
	return !in_set(m, before, p, end) && in_set(m, here, p, end);
}

/* Matches %b, %f or %1 to %9 at *p; false: the item there is none of these. If the item matches, *s and *p go
   behind what matched and behind the item; else *s becomes NULL. */
static bool match_special(const PatternMatch *m, const char **s, const char **p)
{
	const char *q = *p, *end;
	if (*q != '%' || q + 1 == m->stop)
		return false;
	if (q[1] == 'b') {
		*s = balanced(m, *s, q + 2);
		*p = q + 4;
	} else if (q[1] == 'f') {
		if (q + 2 == m->stop || q[2] != '[')
			luaL_error(m->L, "missing '[' after '%%f' in pattern");
		end = item_end(m, q + 2);
		if (!frontier(m, *s, q + 2, end))
			*s = NULL;
		*p = end;
	} else if (isdigit((unsigned char)q[1])) {
		*s = repeated(m, *s, q[1]);
		*p = q + 2;
	} else {
		return false;
	}
	return true;
}

static const char *match_rest(PatternMatch *m, const char *s, const char *p)
{
	while (p < m->stop) {
		if (*p == '(')
			return p + 1 < m->stop && p[1] == ')' ? begin_capture(m, s, p + 2, POSITION)
				: begin_capture(m, s, p + 1, OPEN);
		if (*p == ')')
			return end_capture(m, s, p + 1);
		if (*p == '$' && p + 1 == m->stop)
			return s == m->end ? s : NULL;
		if (match_special(m, &s, &p)) {
			if (!s)
				return NULL;
			continue;
		}
		const char *end = item_end(m, p), *found;
		switch (end < m->stop ? *end : 0) {
		case '*': return match_longest(m, s, p, end, 0);
		case '+': return match_longest(m, s, p, end, 1);
		case '-': return shortest(m, s, p, end);
		case '?':
			if (item_matches(m, s, p, end) && (found = match_pattern(m, s + 1, end + 1)))
				return found;
			p = end + 1;
			break;
		default:
			if (!item_matches(m, s, p, end))
				return NULL;
			s++;
			p = end;
		}
	}
	return s;
}

/* The end of the match that begins at s, of the pattern from p on; NULL: there is no match. */
static const char *match_pattern(PatternMatch *m, const char *s, const char *p)
{
	sandbox_charge(m->L, 1);
	if (++m->depth > MAX_DEPTH)
		luaL_error(m->L, "pattern too complex");
	s = match_rest(m, s, p);
	m->depth--;
	return s;
}

static const char *match_from(PatternMatch *m, const char *s, const char *p)
{
	m->n = m->depth = 0;
	return match_pattern(m, s, p);
}

/* ---- results ---- */

/* Pushes capture i of the match [s, e). In a pattern without captures, the whole match is the first one. */
static void push_capture(const PatternMatch *m, int i, const char *s, const char *e)
{
	if (i >= m->n) {
		if (i)
			luaL_error(m->L, "invalid capture index %%%d", i + 1);
		lua_pushlstring(m->L, s, (size_t)(e - s));
	} else if (m->capture[i].length == POSITION) {
		lua_pushinteger(m->L, m->capture[i].at - m->text + 1);
	} else if (m->capture[i].length == OPEN) {
		luaL_error(m->L, "unfinished capture");
	} else {
		lua_pushlstring(m->L, m->capture[i].at, (size_t)m->capture[i].length);
	}
}

/* Pushes all captures of the match [s, e); returns how many. In a pattern without captures the whole match is
   pushed as one, unless s is NULL. */
static int push_captures(const PatternMatch *m, const char *s, const char *e)
{
	int n = m->n || !s ? m->n : 1;
	luaL_checkstack(m->L, n, "too many captures");
	for (int i = 0; i < n; i++)
		push_capture(m, i, s, e);
	return n;
}

/* Takes the text and the pattern of a match from arguments 1 and 2. Returns the start of the pattern. */
static const char *match_arguments(lua_State *L, PatternMatch *m)
{
	size_t n, np;
	const char *s = luaL_checklstring(L, 1, &n), *p = luaL_checklstring(L, 2, &np);
	*m = (PatternMatch){ .L = L, .text = s, .end = s + n, .stop = p + np };
	return p;
}

/* Where the search begins: argument 3, counted from 1, or from -1 backwards; NULL: behind the end of the
   text. */
static const char *begin_of_search(lua_State *L, const PatternMatch *m)
{
	lua_Integer at = luaL_optinteger(L, 3, 1), n = m->end - m->text;
	at = at > 0 ? at : at == 0 || at < -n ? 1 : n + at + 1;
	return at > n + 1 ? NULL : m->text + at - 1;
}

static bool is_plain_pattern(const PatternMatch *m, const char *p)
{
	for (; p < m->stop; p++)
		if (*p && strchr("^$*+?.([%-", *p))
			return false;
	return true;
}

static const char *find_plain(const PatternMatch *m, const char *s, const char *p)
{
	size_t n = (size_t)(m->stop - p);
	for (; s + n <= m->end; s++) {
		const char *at = n ? memchr(s, *p, (size_t)(m->end - s) - n + 1) : s;
		sandbox_charge(m->L, sandbox_bytes((uint64_t)((at ? at : m->end) - s) + n));
		if (!at || !memcmp(at, p, n))
			return at;
		s = at;
	}
	return NULL;
}

static int not_found(lua_State *L)
{
	lua_pushnil(L);
	return 1;
}

static int search_string(lua_State *L, bool find)
{
	PatternMatch m;
	const char *p = match_arguments(L, &m), *s = begin_of_search(L, &m), *e;
	if (!s)
		return not_found(L);
	if (find && (lua_toboolean(L, 4) || is_plain_pattern(&m, p))) {
		s = find_plain(&m, s, p);
		if (!s)
			return not_found(L);
		lua_pushinteger(L, s - m.text + 1);
		lua_pushinteger(L, s - m.text + (m.stop - p));
		return 2;
	}
	bool anchor = p < m.stop && *p == '^';
	p += anchor;
	for (; s <= m.end; s++) {
		if ((e = match_from(&m, s, p))) {
			if (!find)
				return push_captures(&m, s, e);
			lua_pushinteger(L, s - m.text + 1);
			lua_pushinteger(L, e - m.text);
			return push_captures(&m, NULL, NULL) + 2;
		}
		if (anchor)
			break;
	}
	return not_found(L);
}

static int find_string(lua_State *L) { return search_string(L, true); }
static int match_first(lua_State *L) { return search_string(L, false); }

/* The iterator of gmatch. Upvalues: text, pattern, offset of the next try, offset at which the last match
   ended (-1: there was none yet). */
static int next_match(lua_State *L)
{
	PatternMatch m;
	lua_settop(L, 0);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, lua_upvalueindex(2));
	const char *p = match_arguments(L, &m), *e;
	lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
	for (const char *s = m.text + lua_tointeger(L, lua_upvalueindex(3)); s <= m.end; s++) {
		if (!(e = match_from(&m, s, p)) || e - m.text == last)
			continue;
		lua_pushinteger(L, e - m.text);
		lua_copy(L, -1, lua_upvalueindex(3));
		lua_replace(L, lua_upvalueindex(4));
		return push_captures(&m, s, e);
	}
	lua_pushinteger(L, m.end - m.text + 1);
	lua_replace(L, lua_upvalueindex(3));
	return not_found(L);
}

static int gmatch(lua_State *L)
{
	PatternMatch m;
	match_arguments(L, &m);
	const char *s = begin_of_search(L, &m);
	lua_settop(L, 2);
	lua_pushinteger(L, s ? s - m.text : m.end - m.text + 1);
	lua_pushinteger(L, -1);
	lua_pushcclosure(L, next_match, 4);
	return 1;
}

/* ---- gsub ---- */

/* Appends the replacement string (argument 3) for the match [s, e), with %0 to %9 and %% replaced. */
static void add_replacement_text(const PatternMatch *m, luaL_Buffer *out, const char *s, const char *e)
{
	size_t n;
	const char *r = lua_tolstring(m->L, 3, &n), *stop = r + n;
	sandbox_charge(m->L, sandbox_bytes(n));
	for (; r < stop; r++) {
		if (*r != '%') {
			luaL_addchar(out, *r);
			continue;
		}
		if (++r < stop && *r == '%') {
			luaL_addchar(out, '%');
		} else if (r < stop && isdigit((unsigned char)*r)) {
			if (*r == '0')
				lua_pushlstring(m->L, s, (size_t)(e - s));
			else
				push_capture(m, *r - '1', s, e);
			luaL_tolstring(m->L, -1, NULL);
			lua_remove(m->L, -2);
			luaL_addvalue(out);
		} else {
			luaL_error(m->L, "invalid use of '%%' in replacement string");
		}
	}
}

/* Appends the replacement of the match [s, e), which a function, a table or a string (argument 3) gives. */
static void add_replacement(const PatternMatch *m, luaL_Buffer *out, const char *s, const char *e)
{
	lua_State *L = m->L;
	switch (lua_type(L, 3)) {
	case LUA_TFUNCTION:
		lua_pushvalue(L, 3);
		lua_call(L, push_captures(m, s, e), 1);
		break;
	case LUA_TTABLE:
		push_capture(m, 0, s, e);
		lua_gettable(L, 3);
		break;
	default:
		add_replacement_text(m, out, s, e);
		return;
	}
	if (!lua_toboolean(L, -1)) {
		lua_pop(L, 1);
		luaL_addlstring(out, s, (size_t)(e - s));
	} else if (lua_isstring(L, -1)) {
		luaL_addvalue(out);
	} else {
		luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
	}
}

static int gsub(lua_State *L)
{
	PatternMatch m;
	luaL_Buffer out;
	const char *p = match_arguments(L, &m), *s = m.text, *last = NULL, *e;
	int type = lua_type(L, 3);
	luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
		type == LUA_TTABLE, 3, "string/function/table");
	lua_Integer most = luaL_optinteger(L, 4, m.end - m.text + 1), n = 0;
	bool anchor = p < m.stop && *p == '^';
	p += anchor;
	luaL_buffinit(L, &out);
	while (n < most) {
		if ((e = match_from(&m, s, p)) && e != last) {
			n++;
			add_replacement(&m, &out, s, e);
			s = last = e;
		} else if (s < m.end) {
			luaL_addchar(&out, *s++);
		} else {
			break;
		}
		if (anchor)
			break;
	}
	luaL_addlstring(&out, s, (size_t)(m.end - s));
	luaL_pushresult(&out);
	lua_pushinteger(L, n);
	return 2;
}

void sandbox_patterns(lua_State *L)
{
	static const luaL_Reg functions[] = { { "find", find_string }, { "match", match_first },
		{ "gmatch", gmatch }, { "gsub", gsub }, { NULL, NULL } };
	luaL_setfuncs(L, functions, 0);
}
