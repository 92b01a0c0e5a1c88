/* The manual of a program as a page of man(7). */
#include "tools/usage/generate.h"
#include <ctype.h>
#include <string.h>

static const char changed[] = "2026-11-29";    /* when what the pages say was last changed */
enum { MAN_COLUMNS = 72 };

/* Puts a character as groff shows it: every minus is one that can be pasted into a shell. */
static void man_char(StrBuf *out, char c)
{
	switch (c) {
	case '-': sb_puts(out, "\\-"); break;
	case '\\': sb_puts(out, "\\e"); break;
	case '\'': sb_puts(out, "\\(aq"); break;
	case '`': sb_puts(out, "\\(ga"); break;
	case '^': sb_puts(out, "\\(ha"); break;
	case '~': sb_puts(out, "\\(ti"); break;
	case '"': sb_puts(out, "\\(dq"); break;
	case '.': sb_puts(out, "\\&."); break;
	default: sb_putc(out, c);
	}
}

static void man_chars(StrBuf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		man_char(out, s[i]);
}

/* Is it an option, perhaps behind a bracket or a quote? */
static bool is_option(const char *word, size_t n)
{
	return n > 1 && *word == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

/* Does the text have the word, which is in capital letters? */
static bool has_word(const char *text, const char *word, size_t n)
{
	for (const char *at = text; at && *at; at++)
		if (!strncmp(at, word, n) && !isalpha((unsigned char)at[n]) &&
			(at == text || !isalpha((unsigned char)at[-1])))
			return true;
	return false;
}

/* A word in place of which the user puts something, such as FILE or MODULE: options or forms have it. */
static bool is_variable(const UsageProgram *p, const char *word, size_t n)
{
	bool known = false;
	for (size_t k = 0; k < n; k++)
		if (!isupper((unsigned char)word[k]))
			return false;
	for (int i = 0; i < p->nrows && n > 1; i++)
		known |= has_word(p->row[i].argument, word, n);
	for (const UsageText *t = p->form; t->term && n > 1; t++)
		known |= has_word(t->term, word, n);
	return known;
}

/* Puts prose: options are bold, what the user puts something in place of is italic. p NULL: nothing is. */
static void man_prose(StrBuf *out, const UsageProgram *p, const char *s)
{
	static const char in_words[] = "-_=";
	while (*s) {
		size_t n = 0;
		while (isalnum((unsigned char)s[n]) || (s[n] && strchr(in_words, s[n])))
			n++;
		bool option = is_option(s, n), variable = p && is_variable(p, s, n);
		if (option || variable)
			sb_puts(out, option ? "\\fB" : "\\fI");
		for (size_t i = 0; i < n; i++)
			if (s[i] == '-' && !option && i)
				sb_putc(out, '-');
			else
				man_char(out, s[i]);
		if (option || variable)
			sb_puts(out, "\\fR");
		s += n;
		if (!n && *s)
			man_char(out, *s++);
	}
}

/* Breaks a line at blanks, which leaves what is shown as it is. */
static void man_wrapped(StrBuf *out, const char *line)
{
	for (size_t column = 0, n; *(line += strspn(line, " ")); line += n) {
		n = strcspn(line, " ");
		if (column)
			sb_putc(out, column + 1 + n > MAN_COLUMNS ? '\n' : ' ');
		column = column + 1 + n > MAN_COLUMNS ? n : column + 1 + n;
		sb_write(out, line, n);
	}
	sb_putc(out, '\n');
}

/* A text that may begin with @DATADIR@, a folder. */
static void man_text(StrBuf *out, const UsageProgram *p, const char *s, const UsagePlaces *places)
{
	static const char mark[] = "@DATADIR@";
	StrBuf line = { 0 };
	if (!strncmp(s, mark, sizeof mark - 1)) {
		man_chars(&line, places->datadir, strlen(places->datadir));
		s += sizeof mark - 1;
	}
	man_prose(&line, p, s);
	man_wrapped(out, line.s);
	sb_free(&line);
}

/* Paragraphs, with an empty line between. */
static void man_paragraphs(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	const char *s = p->more ? p->more : "";
	for (const char *end; *s; s = *end ? end + 2 : end) {
		end = strstr(s, "\n\n");
		end = end ? end : s + strlen(s);
		StrBuf one = { 0 };
		sb_write(&one, s, (size_t)(end - s));
		sb_puts(out, ".PP\n");
		man_text(out, p, one.s, places);
		sb_free(&one);
	}
}

static void man_synopsis(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_puts(out, ".SH SYNOPSIS\n");
	for (const UsageText *t = p->form; t->term; t++) {
		sb_puts(out, t == p->form ? ".B " : ".br\n.B ");
		man_chars(out, p->name, strlen(p->name));
		sb_putc(out, '\n');
		man_text(out, p, t->term, places);
	}
}

static void man_options(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_puts(out, ".SH OPTIONS\n");
	for (int i = 0; i < p->nrows; i++) {
		const UsageRow *r = &p->row[i];
		sb_puts(out, ".TP\n");
		if (r->letter < 128)
			sb_printf(out, "\\fB\\-%c\\fR, ", r->letter);
		sb_puts(out, "\\fB\\-\\-");
		man_chars(out, r->name, strlen(r->name));
		sb_puts(out, "\\fR");
		if (r->argument && *r->argument != '[')
			sb_putc(out, ' ');
		for (const char *a = r->argument; a && *a; a++) {
			bool word = isalpha((unsigned char)*a);
			size_t n = word ? strcspn(a, "[]=,:/ ") : 1;
			sb_puts(out, word ? "\\fI" : "");
			man_chars(out, a, n);
			sb_puts(out, word ? "\\fR" : "");
			a += n - 1;
		}
		sb_putc(out, '\n');
		man_text(out, p, r->help, places);
	}
}

/* A section of terms with their texts, if there are any. */
static void man_list(const UsageProgram *p, const char *title, const UsageText *t, const UsagePlaces *places,
	StrBuf *out)
{
	if (t->term)
		sb_printf(out, ".SH %s\n", title);
	for (; t->term; t++) {
		sb_puts(out, *t->term == '@' ? ".TP\n.I " : ".TP\n.B ");
		man_text(out, NULL, t->term, places);
		man_text(out, p, *t->text ? t->text : "everything went well", places);
	}
}

static void man_examples(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	if (p->examples->term)
		sb_puts(out, ".SH EXAMPLES\n");
	for (const UsageText *t = p->examples; t->term; t++) {
		sb_puts(out, t == p->examples ? "" : ".PP\n");
		man_text(out, p, t->text, places);
		sb_puts(out, ".PP\n.RS 4\n.nf\n");
		man_chars(out, t->term, strlen(t->term));
		sb_puts(out, "\n.fi\n.RE\n");
	}
}

static void man_see(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_puts(out, ".SH SEE ALSO\n");
	for (const char *s = p->see; s && *s; s += strspn(s, ", ")) {
		size_t n = strcspn(s, "("), close = strcspn(s, ")");
		sb_puts(out, ".BR ");
		man_chars(out, s, n);
		sb_printf(out, " %.*s)%s\n", (int)(close - n), s + n, s[close + 1] ? "," : "");
		s += close + 1;
	}
	sb_puts(out, ".PP\nGuides and references lie in\n.I ");
	man_chars(out, places->docdir, strlen(places->docdir));
	sb_puts(out, "\nand are text.\n");
}

void usage_man(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_printf(out, ".\\\" Made from the tables in tools/usage/ when gsim was built.\n.TH ");
	for (const char *c = p->name; *c; c++)
		man_char(out, (char)toupper((unsigned char)*c));
	sb_printf(out, " 1 \"%s\" \"gsim ", changed);
	man_chars(out, places->version, strlen(places->version));
	sb_puts(out, "\" \"User Commands\"\n.SH NAME\n");
	man_chars(out, p->name, strlen(p->name));
	sb_puts(out, " \\- ");
	man_text(out, NULL, p->does, places);
	man_synopsis(p, places, out);
	sb_puts(out, ".SH DESCRIPTION\n");
	man_text(out, p, p->about, places);
	man_paragraphs(p, places, out);
	man_options(p, places, out);
	man_list(p, "EXIT STATUS", p->status, places, out);
	man_list(p, "FILES", p->files, places, out);
	man_list(p, "ENVIRONMENT", p->environment, places, out);
	man_examples(p, places, out);
	man_see(p, places, out);
}
