/* Finds the lines in which a machine file gives its values: Lua does not keep lines, so the text is
   searched. */
#include "lib/vec.h"
#include "sim/config/config.h"
#include <ctype.h>

enum { ELSEWHERE = -1 };

typedef struct KeyScan {
	const char *p;
	int line;
	Arena *arena;                  /* for names */
	StrMap *found;                 /* lines by name */
	char path[CONFIG_NAME];        /* the names that lead to where the scan is, a dot behind each */
	/* for each { that is open: how many characters of path lead into it, or ELSEWHERE */
	Vec(int) open;
	/* the last name that was followed by =: how many characters of path lead into its table, or
	   ELSEWHERE */
	int given;
	bool assigned;                 /* nothing but blanks and comments has come behind that = yet */
} KeyScan;

/* The number of = in the bracket of a long string or comment at p, or -1. */
static int long_bracket(const char *p)
{
	int n = 0;
	if (*p++ != '[')
		return -1;
	for (; *p == '='; p++)
		n++;
	return *p == '[' ? n : -1;
}

static void skip_long(KeyScan *s, int level)
{
	for (s->p += level + 2; *s->p; s->p++) {
		s->line += *s->p == '\n';
		if (*s->p == ']' && strspn(s->p + 1, "=") == (size_t)level && s->p[level + 1] == ']') {
			s->p += level + 2;
			return;
		}
	}
}

static void skip_string(KeyScan *s)
{
	char quote = *s->p++;
	while (*s->p && *s->p != quote && *s->p != '\n') {
		if (*s->p == '\\' && s->p[1]) {
			s->p++;
			s->line += *s->p == '\n';
		}
		s->p++;
	}
	s->p += *s->p == quote;
}

/* Skips a comment or string. False: none begins here. */
static bool skip_noise(KeyScan *s)
{
	bool comment = s->p[0] == '-' && s->p[1] == '-';
	int level = long_bracket(s->p + (comment ? 2 : 0));
	if (level >= 0) {
		s->p += comment ? 2 : 0;
		skip_long(s, level);
	} else if (comment) {
		s->p += strcspn(s->p, "\n");
	} else if (*s->p == '"' || *s->p == '\'') {
		skip_string(s);
	} else {
		return false;
	}
	if (!comment)
		s->assigned = false;
	return true;
}

/* Scans a name. If an = follows, it is the next part of a key, or a whole one. Keys are no longer than
   CONFIG_NAME. */
static void scan_name(KeyScan *s)
{
	const char *begin = s->p;
	int so_far = s->open.n ? vec_last(&s->open) : 0;
	while (isalnum((unsigned char)*s->p) || *s->p == '_')
		s->p++;
	size_t n = (size_t)(s->p - begin);
	const char *q = s->p + strspn(s->p, " \t");
	s->assigned = *q == '=' && q[1] != '=';
	if (!s->assigned)
		return;
	s->p = q + 1;
	s->given = ELSEWHERE;
	if (so_far == ELSEWHERE || (size_t)so_far + n + 1 >= CONFIG_NAME)
		return;
	memcpy(s->path + so_far, begin, n);
	s->path[so_far + (int)n] = 0;
	strmap_put(s->found, strmap_get(s->found, s->path) < 0 ? arena_strdup(s->arena, s->path) : s->path,
		s->line);
	s->given = so_far + (int)n + 1;
	s->path[s->given - 1] = '.';
}

void config_find_lines(const char *text, Arena *arena, StrMap *found)
{
	KeyScan s = { .p = text, .line = 1, .arena = arena, .found = found };
	while (*s.p) {
		if (skip_noise(&s))
			continue;
		if (isalpha((unsigned char)*s.p) || *s.p == '_') {
			scan_name(&s);
			continue;
		}
		int outside = s.open.n ? vec_last(&s.open) : 0;
		if (*s.p == '{')
			vec_push(&s.open, s.assigned ? s.given : outside);
		else if (*s.p == '}' && s.open.n)
			s.open.n--;
		if (!isspace((unsigned char)*s.p))
			s.assigned = false;
		s.line += *s.p++ == '\n';
	}
	vec_free(&s.open);
}

int config_line(const char *text, const char *name)
{
	Arena arena = { 0 };
	StrMap found = { 0 };
	config_find_lines(text, &arena, &found);
	int line = strmap_get(&found, name);
	strmap_free(&found);
	arena_free(&arena);
	return line < 0 ? 0 : line;
}
