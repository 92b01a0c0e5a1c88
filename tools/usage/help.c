/* What programs show with --help. */
#include "tools/usage.h"
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMNS = 100, HELP_INDENT = 27 };

/* Adds a text, the first line of which begins here, at the column: lines end before HELP_COLUMNS, further
   ones begin at indent. */
static void put_wrapped(StrBuf *out, const char *text, int column, int indent)
{
	bool begins = true;
	for (size_t n; *(text += strspn(text, " ")); text += n) {
		n = strcspn(text, " ");
		if (!begins && column + 1 + (int)n > HELP_COLUMNS) {
			sb_printf(out, "\n%*s", indent, "");
			column = indent;
			begins = true;
		}
		sb_printf(out, "%s%.*s", begins ? "" : " ", (int)n, text);
		column += (int)n + !begins;
		begins = false;
	}
	sb_putc(out, '\n');
}

void usage_list(const UsageRow *row, int n, StrBuf *out)
{
	for (int i = 0; i < n; i++) {
		char name[80], letter[8] = "    ";
		if (row[i].letter < 128)
			snprintf(letter, sizeof letter, "-%c, ", row[i].letter);
		int used = snprintf(name, sizeof name, "  %s--%s%s%s", letter, row[i].name,
			row[i].argument && *row[i].argument != '[' ? " " : "",
			row[i].argument ? row[i].argument : "");
		sb_printf(out, "%-*s", HELP_INDENT, name);
		if (used >= HELP_INDENT)
			sb_printf(out, "\n%*s", HELP_INDENT, "");
		put_wrapped(out, row[i].help, HELP_INDENT, HELP_INDENT);
	}
}

/* "usage: NAME FORM", and below it the further forms, with what each is for beside them. */
static void put_forms(const UsageProgram *p, StrBuf *out)
{
	int wide = 0;
	for (const UsageText *t = p->form; t->term; t++)
		wide = (int)strlen(t->term) > wide ? (int)strlen(t->term) : wide;
	int indent = (int)(strlen("usage: ") + strlen(p->name)) + wide + 3;
	for (const UsageText *t = p->form; t->term; t++) {
		sb_printf(out, "%-7s%s ", t == p->form ? "usage: " : "", p->name);
		if (!t->text) {
			sb_printf(out, "%s\n", t->term);
			continue;
		}
		sb_printf(out, "%-*s", wide + 2, t->term);
		put_wrapped(out, t->text, indent, indent);
	}
}

void usage_help(const UsageProgram *p, StrBuf *out)
{
	StrBuf status = { 0 };
	put_forms(p, out);
	put_wrapped(out, p->about, 0, 0);
	usage_list(p->row, p->nrows, out);
	for (const UsageText *t = p->status; t->term; t++)
		sb_printf(&status, "%s%s%s%s", t == p->status ? "Status: " : "; ", t->term,
			*t->text ? " " : "", t->text);
	sb_putc(&status, '.');
	put_wrapped(out, status.s, 0, 8);
	sb_free(&status);
}
