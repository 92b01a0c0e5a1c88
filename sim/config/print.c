/* A configuration as text: as a machine file, as a hash, as its changes. */
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "sim/config/sources.h"

static void print_choice(StrBuf *out, const char *choices, int64_t i)
{
	while (i-- > 0)
		choices = strchr(choices, '|') + 1;
	sb_write(out, choices, strcspn(choices, "|"));
}

void config_print_choices(const ConfigKey *key, StrBuf *out)
{
	for (int64_t i = 0; i <= key->most; i++) {
		sb_puts(out, i == 0 ? "" : i == key->most ? " or " : ", ");
		print_choice(out, key->choices, i);
	}
}

void config_print_value(const ConfigKey *key, int64_t v, StrBuf *out)
{
	if (key->type == CT_ENUM)
		print_choice(out, key->choices, v);
	else if (key->type == CT_BOOL)
		sb_puts(out, v ? "true" : "false");
	else
		sb_integer(out, v);
}

/* ---- hash and changes ---- */

uint64_t config_hash(const Config *c)
{
	ConfigKey key;
	StrBuf all = { 0 };
	char name[CONFIG_NAME];
	for (int i = 0; config_key(i, &key); i++) {
		sb_puts(&all, config_key_name(&key, name));
		sb_putc(&all, '=');
		config_print_value(&key, config_get(c, &key), &all);
		sb_putc(&all, '\n');
	}
	uint64_t h = hash_fnv1a(all.s, all.n);
	sb_free(&all);
	return h;
}

const char *config_hash_text(const Config *c, char text[CONFIG_HASH])
{
	snprintf(text, CONFIG_HASH, "%016llx", (unsigned long long)config_hash(c));
	return text;
}

bool config_change(const Config *from, const Config *to, int *i, ConfigKey *key)
{
	for (; config_key(*i, key); ++*i)
		if (config_get(from, key) != config_get(to, key)) {
			++*i;
			return true;
		}
	return false;
}

void config_changes(const Config *from, const Config *to, StrBuf *out)
{
	ConfigKey key;
	char name[CONFIG_NAME];
	for (int i = 0, n = 0; config_change(from, to, &i, &key); n++) {
		sb_printf(out, "%s%s=", n ? " " : "", config_key_name(&key, name));
		config_print_value(&key, config_get(to, &key), out);
	}
}

/* ---- as a machine file ---- */

static void indent(StrBuf *out, int depth)
{
	for (int i = 0; i < depth; i++)
		sb_putc(out, '\t');
}

/* Closes and opens tables in the output until those that are open are the components of `name` before its
   last dot. open: the name of the last open one, with a dot at its end; it is updated. Returns how many
   tables are open, the outermost one included. */
static int open_tables(StrBuf *out, char *open, const char *name)
{
	int depth = 1;
	const char *p = name, *dot;
	char *q = open;
	while (*q && (dot = strchr(p, '.')) && (size_t)(dot - p) == strcspn(q, ".") &&
		!strncmp(p, q, (size_t)(dot - p))) {
		depth++;
		q += dot - p + 1;
		p = dot + 1;
	}
	int close = 0;
	for (const char *r = q; *r; r++)
		close += *r == '.';
	for (; close > 0; close--) {
		indent(out, depth + close - 1);
		sb_puts(out, "},\n");
	}
	for (; (dot = strchr(p, '.')); p = dot + 1, depth++) {
		indent(out, depth);
		sb_printf(out, "%.*s = {\n", (int)(dot - p), p);
	}
	memcpy(open, name, (size_t)(p - name));
	open[p - name] = 0;
	return depth;
}

/* The comment of row i of config_key: what the figure stands on, when that is known, and the parameter's
   help. */
static void print_comment(StrBuf *out, const ConfigKey *key, const FigureMark *m)
{
	sb_puts(out, ", -- ");
	if (m)
		sb_printf(out, "%s%s%s -- ", seen_printed[m->seen], *m->source ? " " : "", m->source);
	if (key->unit && *key->unit)
		sb_printf(out, "%s: ", key->unit);
	sb_puts(out, key->help);
	if (key->type == CT_ENUM) {
		sb_puts(out, " (");
		config_print_choices(key, out);
		sb_putc(out, ')');
	}
	sb_putc(out, '\n');
}

void config_print(const Config *c, StrBuf *out) { config_print_marked(c, NULL, out); }

void config_print_marked(const Config *c, const MachineMarks *marks, StrBuf *out)
{
	ConfigKey key;
	char open[CONFIG_NAME] = "", name[CONFIG_NAME];
	char hash[CONFIG_HASH];
	sb_printf(out, "-- configuration %s\nreturn {\n", config_hash_text(c, hash));
	for (int i = 0; config_key(i, &key); i++) {
		config_key_name(&key, name);
		int depth = open_tables(out, open, name);
		const char *leaf = strrchr(name, '.');
		indent(out, depth);
		sb_printf(out, "%s = ", leaf ? leaf + 1 : name);
		sb_puts(out, key.type == CT_ENUM ? "\"" : "");
		config_print_value(&key, config_get(c, &key), out);
		sb_puts(out, key.type == CT_ENUM ? "\"" : "");
		print_comment(out, &key, marks && i < marks->figure.n ? &marks->figure.v[i] : NULL);
	}
	open_tables(out, open, "");
	sb_puts(out, "}\n");
}
