/* Reads in the comments of machine files where their figures come from. */
#include "sim/config/sources.h"
#include <ctype.h>

enum { MOST_REFERENCES = 4 };      /* from one figure to the next in "see NAME" */

const char *const seen_word[SEEN_COUNT] = {
#define X(ID, MARK, WORD) WORD,
	SEEN_KINDS(X)
#undef X
};
const char *const seen_printed[SEEN_COUNT] = {
#define X(ID, MARK, WORD) sizeof MARK > 1 ? MARK : WORD,
	SEEN_KINDS(X)
#undef X
};
static const char *const seen_mark[SEEN_COUNT] = {
#define X(ID, MARK, WORD) MARK,
	SEEN_KINDS(X)
#undef X
};

/* ---- comments ---- */

static const char *skip_lines(const char *text, int n)
{
	while (n-- > 0 && *text) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

/* Where the comment of the line begins, behind its dashes, or NULL. No string of a machine file has
   dashes. */
static const char *find_comment(const char *line)
{
	const char *end = line + strcspn(line, "\n"), *p = strstr(line, "--");
	return p && p < end ? p + 2 + strspn(p + 2, " ") : NULL;
}

static bool is_comment_line(const char *line)
{
	line += strspn(line, " \t");
	return line[0] == '-' && line[1] == '-';
}

/* The comment of the line, or the lines that are nothing but comments above it, as one. */
static const char *comment_of(Arena *a, const char *text, int line)
{
	const char *own = find_comment(skip_lines(text, line - 1));
	if (own)
		return arena_strndup(a, own, strcspn(own, "\n"));
	int first = line - 1;
	while (first > 0 && is_comment_line(skip_lines(text, first - 1)))
		first--;
	const char *whole = "";
	for (int i = first + 1; i < line; i++) {
		const char *p = find_comment(skip_lines(text, i - 1));
		whole = arena_printf(a, "%s%s%.*s", whole, *whole ? " " : "", (int)strcspn(p, "\n"), p);
	}
	return whole;
}

/* Does the part of a comment begin with a name and a colon, as "latency: assumption"? Then it speaks of the
   figure of that name alone. */
static size_t name_before_colon(const char *part)
{
	size_t n = 0;
	while (islower((unsigned char)part[n]) || part[n] == '_')
		n++;
	return n && part[n] == ':' ? n : 0;
}

static bool is_field(const char *name, size_t n)
{
	ConfigKey key;
	char whole[CONFIG_NAME];
	for (int i = 0; config_key(i, &key); i++) {
		const char *last = strrchr(config_key_name(&key, whole), '.');
		last = last ? last + 1 : whole;
		if (strlen(last) == n && !strncmp(last, name, n))
			return true;
	}
	return false;
}

/* What the comment says of the field: the parts between semicolons that name the field, or else those that
   name no field. */
static const char *part_for(Arena *a, const char *comment, const char *field)
{
	const char *general = "";
	for (const char *p = comment; *p;) {
		size_t n = strcspn(p, ";"), name = name_before_colon(p);
		if (name && strlen(field) == name && !strncmp(field, p, name))
			return arena_strndup(a, p, n);
		if (!name || !is_field(p, name))
			general = arena_printf(a, "%s%s%.*s", general, *general ? ";" : "", (int)n, p);
		p += n + (p[n] == ';');
		p += strspn(p, " ");
	}
	return general;
}

/* ---- marks ---- */

/* Behind the keys of sources that the text begins with: "[W][J] ". */
static const char *skip_source_keys(const char *text)
{
	while (*text == '[') {
		size_t n = strcspn(text, "];");
		if (text[n] != ']')
			return text;
		text += n + 1;
		text += strspn(text, " ");
	}
	return text;
}

/* Does the text begin with that word? */
static bool begins_with(const char *text, const char *word)
{
	size_t n = strlen(word);
	return !strncmp(text, word, n) && !isalnum((unsigned char)text[n]) && text[n] != '_';
}

/* The kind of source whose mark a part of a comment begins with, behind the name of the figure that it speaks
   of and the keys of its sources. What comes later in the part is no mark: it may speak of anything. */
static Seen mark_of_part(const char *part)
{
	size_t name = name_before_colon(part);
	if (begins_with(part, seen_mark[SEEN_ASSUMED]))
		return SEEN_ASSUMED;
	if (name)
		part += name + 1 + strspn(part + name + 1, " ");
	const char *text = skip_source_keys(part);
	return begins_with(part, seen_mark[SEEN_ASSUMED]) ? SEEN_ASSUMED
		: begins_with(text, seen_mark[SEEN_PRIMARY]) ? SEEN_PRIMARY
		: begins_with(text, seen_mark[SEEN_SECOND_HAND]) ? SEEN_SECOND_HAND : SEEN_UNMARKED;
}

/* The mark of the first part between semicolons that begins with one. */
static Seen first_mark(const char *text)
{
	Seen seen = SEEN_UNMARKED;
	while (*text && seen == SEEN_UNMARKED) {
		text += strspn(text, "; ");
		seen = mark_of_part(text);
		text += strcspn(text, ";");
	}
	return seen;
}

/* "see NAME" in a comment: the figure of that name says it. Returns the name, whole, or NULL. */
static const char *referred_to(Arena *a, const char *comment, const char *name)
{
	const char *see = strstr(comment, "see "), *dot = strrchr(name, '.');
	ConfigKey key;
	if (!see)
		return NULL;
	see += strlen("see ");
	size_t n = strspn(see, "abcdefghijklmnopqrstuvwxyz0123456789_.");
	while (n && see[n - 1] == '.')
		n--;
	const char *whole = arena_strndup(a, see, n);
	if (config_find(whole, &key))
		return whole;
	whole = arena_printf(a, "%.*s%s", dot ? (int)(dot - name) + 1 : 0, name, whole);
	return config_find(whole, &key) ? whole : NULL;
}

/* Does the file begin with a comment that has, in one line, "All of it is an assumption"? */
static bool assumes_all(const char *text)
{
	const char *said = strstr(text, "All of it is an assumption");
	while (is_comment_line(text))
		text = skip_lines(text, 1);
	return said && said < text;
}

/* What that file has said last of the figure by source(), or NULL. */
static const SaidSource *find_said(const MachineTexts *t, int file, const char *name)
{
	for (int k = t->said.n - 1; k >= 0; k--)
		if (t->said.v[k].file == file && !strcmp(t->said.v[k].key, name))
			return &t->said.v[k];
	return NULL;
}

/* What gsim printed of the figure, when the comment is of that form: sets the comment to it. */
static bool cut_printed(Arena *a, FigureSource *s)
{
	const char *end = strstr(s->comment, " -- ");
	if (!end)
		return false;
	s->printed = true;
	s->comment = arena_strndup(a, s->comment, (size_t)(end - s->comment));
	s->seen = SEEN_UNMARKED;
	for (Seen k = 0; k < SEEN_COUNT; k++)
		if (seen_mark[k][0] && begins_with(s->comment, seen_mark[k]))
			s->seen = k;
	if (s->seen == SEEN_DEFAULT)
		*s = (FigureSource){ .seen = SEEN_DEFAULT };
	return true;
}

/* The source of the figure without what other figures say of it. part: the part of the comment that speaks of
   it. */
static FigureSource own_source(MachineTexts *t, const char *name, const char **part)
{
	*part = "";
	for (int i = 0; i < t->file.n; i++) {
		const SaidSource *said = find_said(t, i, name);
		if (said) {
			*part = said->comment;
			return (FigureSource){ first_mark(*part), said->path, said->comment, said->line,
				false };
		}
		int line = strmap_get(&t->file.v[i].line, name);
		if (line < 0)
			continue;
		const char *comment = comment_of(&t->arena, t->file.v[i].text, line);
		FigureSource s = { SEEN_UNMARKED, t->file.v[i].path, comment, line, false };
		if (cut_printed(&t->arena, &s))
			return s;
		const char *dot = strrchr(name, '.');
		*part = part_for(&t->arena, comment, dot ? dot + 1 : name);
		s.seen = first_mark(*part);
		if (s.seen == SEEN_UNMARKED && assumes_all(t->file.v[i].text))
			s.seen = SEEN_ASSUMED;
		return s;
	}
	return (FigureSource){ .seen = SEEN_DEFAULT };
}

FigureSource config_source(MachineTexts *t, const char *name)
{
	const char *part;
	FigureSource s = own_source(t, name, &part), other = s;
	for (int i = 0; i < MOST_REFERENCES && other.seen == SEEN_UNMARKED; i++) {
		name = referred_to(&t->arena, part, name);
		if (!name)
			break;
		other = own_source(t, name, &part);
	}
	if (other.seen != SEEN_DEFAULT)
		s.seen = other.seen;
	return s;
}

void config_count_sources(MachineTexts *t, int count[SEEN_COUNT])
{
	ConfigKey key;
	char name[CONFIG_NAME];
	memset(count, 0, SEEN_COUNT * sizeof *count);
	for (int i = 0; config_key(i, &key); i++)
		count[config_source(t, config_key_name(&key, name)).seen]++;
}

void config_print_card(const MachineTexts *t, StrBuf *out)
{
	const char *line = t->file.n ? t->file.v[0].text : "";
	for (bool first = true; is_comment_line(line); line = skip_lines(line, 1), first = false) {
		const char *p = find_comment(line), *end = p + strcspn(p, "\n");
		if (!first)
			sb_putc(out, ' ');
		for (; p < end; p++) {
			if (strchr(".:", *p) && (p + 1 == end || p[1] == ' '))
				return;
			sb_putc(out, *p);
		}
	}
}
