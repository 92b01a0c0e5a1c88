/* The marks of all figures of a machine, as reports and printed configurations keep them. */
#include "sim/config/sources.h"
#include <ctype.h>

enum { MOST_SOURCE = 300 };        /* characters; what is longer ends in "..." */

/* The text in one line, without what would end a comment's part: a printed comment has " -- " once. */
static const char *clean_source(Arena *a, const char *text)
{
	char *s = arena_strdup(a, text);
	size_t n = strlen(s);
	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)s[i]))
			s[i] = ' ';
	for (char *p; (p = strstr(s, "--"));)
		memmove(p, p + 1, strlen(p));
	n = strlen(s);
	if (n > MOST_SOURCE) {
		n = MOST_SOURCE - 3;
		while (n && ((unsigned char)s[n] & 0xc0) == 0x80)  /* no character of UTF-8 is cut */
			n--;
		memcpy(s + n, "...", sizeof "...");
		n += 3;
	}
	while (n && s[n - 1] == ' ')
		s[--n] = 0;
	return s;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Behind the mark and the blank that a printed comment begins with. */
static const char *skip_mark(const char *printed, Seen seen)
{
	size_t n = strlen(seen_printed[seen]);
	if (strncmp(printed, seen_printed[seen], n))
		return printed;
	return printed + n + strspn(printed + n, " ");
}

static const char *source_text(Arena *a, const FigureSource *s)
{
	if (s->seen == SEEN_DEFAULT)
		return "";
	if (s->printed)
		return clean_source(a, skip_mark(s->comment, s->seen));
	return clean_source(a, arena_printf(a, "%s:%d%s%s", base_name(s->path), s->line,
		*s->comment ? ": " : "", s->comment));
}

void marks_read(MachineMarks *m, const MachineTexts *texts)
{
	MachineTexts t = *texts;           /* its arena is for what is needed for one figure alone */
	ConfigKey key;
	char name[CONFIG_NAME];
	for (int i = 0; config_key(i, &key); i++) {
		t.arena = (Arena){ 0 };
		FigureSource s = config_source(&t, config_key_name(&key, name));
		const char *source = source_text(&t.arena, &s);
		vec_push(&m->figure, ((FigureMark){ s.seen, arena_strdup(&m->arena, source) }));
		arena_free(&t.arena);
	}
}

void marks_copy(MachineMarks *to, const MachineMarks *from)
{
	for (int i = 0; i < from->figure.n; i++)
		vec_push(&to->figure, ((FigureMark){ from->figure.v[i].seen,
			arena_strdup(&to->arena, from->figure.v[i].source) }));
}

/* Row i of config_key is given. */
static void give_row(MachineMarks *m, int i)
{
	while (m->figure.n <= i)
		vec_push(&m->figure, ((FigureMark){ SEEN_DEFAULT, "" }));
	m->figure.v[i] = (FigureMark){ SEEN_GIVEN, "" };
}

void marks_give(MachineMarks *m, const char *name)
{
	ConfigKey key;
	char whole[CONFIG_NAME];
	for (int i = 0; config_key(i, &key); i++)
		if (!strcmp(config_key_name(&key, whole), name))
			give_row(m, i);
}

/* The text sets what comes out the same from the least and from the largest values of all parameters. */
void marks_give_model(MachineMarks *m, const char *spec)
{
	Config low, high;
	ConfigKey key;
	Diag none = { 0 };
	config_defaults(&low);
	config_defaults(&high);
	for (int i = 0; config_key(i, &key); i++) {
		config_put(&low, &key, key.least, (Loc){ 0 }, &none);
		config_put(&high, &key, key.most, (Loc){ 0 }, &none);
	}
	bool ok = config_set_model(&low, spec, &none) && config_set_model(&high, spec, &none);
	for (int i = 0; ok && config_key(i, &key); i++)
		if (key.least != key.most && config_get(&low, &key) == config_get(&high, &key))
			give_row(m, i);
	diag_free(&none);
}

void marks_free(MachineMarks *m)
{
	vec_free(&m->figure);
	arena_free(&m->arena);
}
