/* Completion in shells: what each program adds to the functions of tools/usage/complete.SHELL. */
#include "tools/usage/generate.h"
#include <string.h>

/* What completion offers as the argument of an option, as complete.bash explains it. */
static const char *offered_values(const UsageRow *r)
{
	if (r->values || !r->argument)
		return r->values ? r->values : "";
	return !strcmp(r->argument, "FILE") ? "*" : !strcmp(r->argument, "DIR") ? "/" : "";
}

/* Whether it takes an argument: + yes, - no, ? if it may be left out. */
static char takes_argument(const UsageRow *r)
{
	return !r->argument ? '-' : *r->argument == '[' ? '?' : '+';
}

static const char *argument_name(const UsageRow *r)
{
	return r->argument + strspn(r->argument, "[=");
}

/* The help of an option for a menu: up to the first stop, with a backslash before each sign of quote. */
static void put_menu_text(StrBuf *out, const char *s, const char *quote)
{
	size_t n = strcspn(s, ";");
	const char *colon = strstr(s, ": ");
	n = colon && (size_t)(colon - s) < n && colon - s > 20 ? (size_t)(colon - s) : n;
	for (size_t i = 0; i < n; i++)
		if (s[i] == '\'')
			sb_puts(out, "'\\''");
		else
			sb_printf(out, "%s%c", strchr(quote, s[i]) ? "\\" : "", s[i]);
}

/* The name of a function: that of the program with _ in place of other signs. */
static void put_function(StrBuf *out, const UsageProgram *p)
{
	sb_putc(out, '_');
	for (const char *c = p->name; *c; c++)
		sb_putc(out, *c == '-' ? '_' : *c);
}

void usage_bash(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_putc(out, '\n');
	put_function(out, p);
	sb_printf(out, "()\n{\n\t_gsim__complete '%s' <<'END'\n", p->operands);
	for (int i = 0; i < p->nrows; i++) {
		const UsageRow *r = &p->row[i];
		const char *values = offered_values(r);
		sb_printf(out, "%c %s %c", r->letter < 128 ? r->letter : '-', r->name,
			takes_argument(r));
		sb_printf(out, "%s%s\n", *values ? " " : "", values);
	}
	sb_puts(out, "END\n}\ncomplete -F ");
	put_function(out, p);
	sb_printf(out, " %s\n", p->name);
}

void usage_zsh(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_puts(out, "\n_arguments -s -S");
	for (int i = 0; i < p->nrows; i++) {
		const UsageRow *r = &p->row[i];
		char takes = takes_argument(r);
		const char *how = takes == '+' ? "=" : takes == '?' ? "=-" : "";
		if (r->letter < 128)
			sb_printf(out, " \\\n\t'*'{-%c%s,--%s%s}'[", r->letter, *how ? "+" : "",
				r->name, how);
		else
			sb_printf(out, " \\\n\t'*--%s%s[", r->name, how);
		put_menu_text(out, r->help, "\\[]");
		sb_putc(out, ']');
		if (r->argument)
			sb_printf(out, "%s%.*s:_gsim__values \"%s\"", takes == '?' ? "::" : ":",
				(int)strcspn(argument_name(r), ":=]"), argument_name(r), offered_values(r));
		sb_putc(out, '\'');
	}
	sb_printf(out, " \\\n\t'*:file:_gsim__values \"%s\"'\n", p->operands);
}

void usage_fish(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	sb_printf(out, "\ncomplete -c %s -f -a '(__gsim_values \"%s\")'\n", p->name, p->operands);
	for (int i = 0; i < p->nrows; i++) {
		const UsageRow *r = &p->row[i];
		sb_printf(out, "complete -c %s", p->name);
		if (r->letter < 128)
			sb_printf(out, " -s %c", r->letter);
		sb_printf(out, " -l %s", r->name);
		if (r->argument)
			sb_printf(out, "%s -a '(__gsim_values \"%s\")'",
				takes_argument(r) == '+' ? " -x" : " -f", offered_values(r));
		sb_puts(out, " -d '");
		put_menu_text(out, r->help, "\\");
		sb_puts(out, "'\n");
	}
}
